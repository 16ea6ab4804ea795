"""How a table for a paper shall look: what every answer's `latex`, `markdown` and `html` take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from truegain.errors import TruegainError
from truegain.message import argname


class PaperWords(TypedDict, total=False):
    """The keywords of a table for a paper; see `PaperStyle`."""

    digits: int
    percent: bool
    bold: bool
    intervals: bool | None
    caption: str | None
    label: str | None
    names: Mapping[str, str] | None
    strip: str
    systems: Sequence[str] | None


@dataclass(frozen=True)
class PaperStyle:
    """How a table of systems by measures looks.

    digits: decimals.  percent: scores times 100, with two decimals less.  bold: the best of each measure in bold.
    intervals: whether limits stand beside the scores; None: where the answer is about them.  caption, label: in place
    of those that are made; an empty label leaves the bare tabular.  names: other names by system; strip: a prefix that
    names lose.  systems: these alone, in this order.

    >>> PaperStyle.of({"digits": 3}).digits
    3
    >>> PaperStyle.of({"decimals": 3})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    truegain.errors.TruegainError: decimals: there is no such way to change a table; there are digits, percent, ...
    """

    digits: int = 4
    percent: bool = False
    bold: bool = True
    intervals: bool | None = None
    caption: str | None = None
    label: str | None = None
    names: Mapping[str, str] | None = None
    strip: str = ""
    systems: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.digits, int) or not 0 <= self.digits <= 15:
            raise TruegainError(f"{argname('digits', self.digits, '')}: give a number of decimals from 0 to 15")

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> PaperStyle:
        """From keywords, of which an unknown one is refused."""
        known = [f.name for f in fields(cls)]
        for word in words:
            if word not in known:
                raise TruegainError(f"{word}: there is no such way to change a table; there are {', '.join(known)}")
        return cls(**words)

    @property
    def asked(self) -> list[str]:
        """The ways in which it differs from what it is by default."""
        usual = PaperStyle()
        return [f.name for f in fields(self) if getattr(self, f.name) != getattr(usual, f.name)]

    @property
    def times(self) -> float:
        """What scores are multiplied by."""
        return 100.0 if self.percent else 1.0

    @property
    def decimals(self) -> int:
        """Of a score."""
        return max(0, self.digits - 2) if self.percent else self.digits
