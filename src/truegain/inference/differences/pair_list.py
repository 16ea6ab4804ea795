"""The pairs of a comparison as arrays, of which a `Comparison` is made when somebody looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from truegain.inference.differences.families import FamilyResults, Places
from truegain.inference.results import Comparison
from truegain.tables.columns import Floats
from truegain.tables.table import Cell, cells

AT_A_TIME = 10_000  # pairs made into objects


@dataclass(frozen=True, eq=False)
class PairList(Sequence[Comparison]):
    """Pairs of systems with what a test found; thousands of systems have millions of them."""

    systems: tuple[str, ...]
    first: Places
    second: Places
    found: FamilyResults
    adjusted: Floats | None
    measure: str
    test: str
    adjustment: str
    confidence: float

    @property
    def shown(self) -> Floats:
        """The adjusted p of every pair where there is one, else p."""
        return self.found.p if self.adjusted is None else self.adjusted

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, at: int) -> Comparison: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Comparison]: ...

    def __getitem__(self, at: int | slice) -> Comparison | Sequence[Comparison]:
        places = np.arange(len(self))[at]
        return self._made(places) if isinstance(at, slice) else self._made(np.atleast_1d(places))[0]

    def __iter__(self) -> Iterator[Comparison]:
        for start in range(0, len(self), AT_A_TIME):
            yield from self._made(np.arange(start, min(start + AT_A_TIME, len(self))))

    def place(self, a: str, b: str) -> int | None:
        """Where the pair of two systems stands, in whichever order; None where it was not compared."""
        if a not in self.systems or b not in self.systems:
            return None
        i, j = self.systems.index(a), self.systems.index(b)
        same = ((self.first == i) & (self.second == j)) | ((self.first == j) & (self.second == i))
        at = np.flatnonzero(same)
        return int(at[0]) if len(at) else None

    def columns(self) -> tuple[str, ...]:
        """Names of the columns that hold something."""
        limits = () if self.found.low is None else ("low", "high")
        adjusted = () if self.adjusted is None else ("p_adjusted",)
        effect = ("effect",) if self.effect_name else ()
        return ("a", "b", "measure", "value_a", "value_b", "difference", *limits, "p", *adjusted, *effect, "n")

    @property
    def effect_name(self) -> str:
        """What the effect sizes are called; empty where there is none."""
        return "" if np.isnan(self.found.effect).all() else self.found.effect_name

    def rows(self) -> list[tuple[Cell, ...]]:
        """A row a pair, under the names of `columns`."""
        f = self.found
        limits = () if f.low is None or f.high is None else (f.low.tolist(), f.high.tolist())
        adjusted = () if self.adjusted is None else (self.adjusted.tolist(),)
        effect = () if not self.effect_name else (cells(f.effect.tolist()),)
        named = np.array(self.systems, dtype=object)
        return list(
            zip(
                named[self.first].tolist(), named[self.second].tolist(), [self.measure] * len(self), f.first.tolist(),
                f.second.tolist(), (f.second - f.first).tolist(), *limits, f.p.tolist(), *adjusted, *effect,
                f.n.tolist(), strict=True,
            )
        )  # fmt: skip

    def _made(self, places: Places) -> tuple[Comparison, ...]:
        f = self.found
        none: list[Any] = [None] * len(places)
        low, high = (none, none) if f.low is None or f.high is None else (f.low[places], f.high[places])
        adjusted = none if self.adjusted is None else self.adjusted[places].tolist()
        columns = zip(
            self.first[places].tolist(), self.second[places].tolist(), f.first[places].tolist(),
            f.second[places].tolist(), np.asarray(low).tolist(), np.asarray(high).tolist(), f.p[places].tolist(),
            adjusted, cells(f.effect[places].tolist()), f.n[places].tolist(), strict=True,
        )  # fmt: skip
        return tuple(
            Comparison(
                self.systems[a], self.systems[b], self.measure, value_a, value_b, value_b - value_a, low, high, p=p,
                p_adjusted=p_adjusted, test=self.test, adjustment=self.adjustment, effect=effect,
                effect_name=f.effect_name, confidence=self.confidence, n=n,
            )
            for a, b, value_a, value_b, low, high, p, p_adjusted, effect, n in columns
        )  # fmt: skip
