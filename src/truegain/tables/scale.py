"""Scales that ratings are given on: what their numbers mean, and where they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from truegain.errors import InputError
from truegain.tables.columns import Bools, Floats

ScaleLevel = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[str, ...] = get_args(ScaleLevel)
_HOW = "write limits such as 0:3, a level (nominal, ordinal, interval, ratio), or both: 'ordinal 0:3'"


@dataclass(frozen=True)
class Scale:
    """A declared scale: a level of measurement, a lowest and a highest rating, each perhaps not declared.

    >>> Scale.of("ordinal 0:3")
    Scale(level='ordinal', low=0.0, high=3.0)
    >>> str(Scale.of("0:3")), str(Scale.of("ratio")), str(Scale.of("1:"))
    ('0:3', 'ratio', '1:')
    """

    level: ScaleLevel | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, given: Scale | str | None) -> Scale:
        """A scale from its text; no text declares nothing."""
        if isinstance(given, Scale):
            return given
        level: ScaleLevel | None = None
        low = high = None
        for word in (given or "").replace(",", " ").split():
            if word in LEVELS and level is None:
                level = word  # type: ignore[assignment]
            elif ":" in word and low is None and high is None:
                low, high = _limits(word)
            else:
                raise InputError(f"the scale {given!r} cannot be read: {word!r}", hint=_HOW)
        return cls(level, low, high)

    def __str__(self) -> str:
        ends = "" if self.low is None and self.high is None else f"{_end(self.low)}:{_end(self.high)}"
        return " ".join(part for part in (self.level or "", ends) if part) or "not declared"

    def outside(self, values: Floats) -> Bools:
        """Which ratings the scale does not hold; a ratio scale holds nothing below 0."""
        wrong: Bools = np.zeros(len(values), np.bool_)
        if self.low is not None:
            wrong |= values < self.low
        if self.high is not None:
            wrong |= values > self.high
        if self.level == "ratio":
            wrong |= values < 0
        return wrong

    @property
    def width(self) -> float | None:
        """The greatest possible difference of two ratings, where both limits are declared."""
        return None if self.low is None or self.high is None else self.high - self.low


def _limits(word: str) -> tuple[float | None, float | None]:
    try:
        low, high = (float(end) if end else None for end in word.split(":"))
    except ValueError:
        raise InputError(f"the limits {word!r} cannot be read", hint=_HOW) from None
    if any(end is not None and not np.isfinite(end) for end in (low, high)):
        raise InputError(f"the limits {word!r} are not finite", hint="leave an end out instead, as in 0:")
    if low is not None and high is not None and low >= high:
        raise InputError(f"the limits {word!r} hold no two ratings", hint="write the lower end first, as in 0:3")
    return low, high


def _end(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
