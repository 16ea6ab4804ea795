"""The pairs of a comparison as arrays, of which a `Comparison` is made when somebody looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from truegain.inference.differences.families import FamilyResults, Places
from truegain.inference.results import Comparison
from truegain.tables.columns import Floats
from truegain.tables.table import cells

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

    @cached_property
    def effect_name(self) -> str:
        """What the effect sizes are called; empty where there is none."""
        return "" if np.isnan(self.found.effect).all() else self.found.effect_name

    def columns(self, places: Places | slice = slice(None)) -> dict[str, Sequence[Any]]:
        """By name the columns that hold something, of all pairs or of some."""
        f, named = self.found, np.array(self.systems, dtype=object)
        a, b = named[self.first[places]].tolist(), named[self.second[places]].tolist()
        first, second = f.first[places], f.second[places]
        limits = {} if f.low is None or f.high is None else {"low": f.low[places], "high": f.high[places]}
        adjusted = {} if self.adjusted is None else {"p_adjusted": self.adjusted[places]}
        effect = {"effect": f.effect[places]} if self.effect_name else {}
        numbers = {
            "value_a": first, "value_b": second, "difference": second - first, **limits, "p": f.p[places], **adjusted,
            **effect, "n": f.n[places],
        }  # fmt: skip
        told = {
            name: column.tolist() if name != "effect" else cells(column.tolist()) for name, column in numbers.items()
        }
        return {"a": a, "b": b, "measure": [self.measure] * len(a), **told}

    def _made(self, places: Places) -> tuple[Comparison, ...]:
        none = [None] * len(places)
        columns = {"low": none, "high": none, **self.columns(places)}
        of_all: dict[str, Any] = {
            "test": self.test, "adjustment": self.adjustment, "confidence": self.confidence,
            "effect_name": self.found.effect_name,
        }  # fmt: skip
        rows = zip(*columns.values(), strict=True)
        return tuple(Comparison(**dict(zip(columns, row, strict=True)), **of_all) for row in rows)
