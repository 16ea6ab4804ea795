"""What a comparison of systems says: pairs, groups that cannot be told apart, tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, Unpack

import numpy as np

from truegain.errors import TruegainError, some
from truegain.inference.differences.groups import groups_of, is_complete, marks
from truegain.inference.differences.pair_list import PairList
from truegain.inference.results import Answers, Comparison, Estimate
from truegain.inference.wide import about, best_first, by_which_test
from truegain.message import argname
from truegain.tables.columns import Bools, Floats, frozen
from truegain.tables.paper import Column, Wide
from truegain.tables.paper_style import PaperStyle, PaperWords
from truegain.tables.renaming import new_names
from truegain.tables.table import Table

FEW = 6  # systems whose pairs are all shown


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Answers[Comparison]):
    """Every pair that was compared, the better system second, and the systems' means with their limits, best first."""

    items: PairList
    means: tuple[Estimate, ...] = ()
    baseline: str | None = None
    logs: bool = False  # whether means are logarithms, of a geometric mean

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first."""
        return self.items.systems

    @property
    def alpha(self) -> float:
        """Pairs with p below this differ."""
        return round(1 - self.items.confidence, 12)

    @cached_property
    def p(self) -> Floats:
        """The matrix of (adjusted) p-values in the order of `systems`; pairs that were not asked for are NaN."""
        p = np.full((len(self.systems), len(self.systems)), np.nan)
        np.fill_diagonal(p, 1.0)
        first, second = self.items.first, self.items.second
        p[first, second] = p[second, first] = self.items.shown
        return frozen(p)

    @property
    def differ(self) -> Bools:
        """Which pairs differ, in the order of `systems`."""
        return self.p < self.alpha

    @property
    def significant(self) -> int:
        """How many of the pairs differ."""
        return int((self.items.shown < self.alpha).sum())

    def between(self, a: str, b: str, measure: str | None = None) -> Comparison:
        """The difference b - a as asked, in whichever order it was made."""
        at = self.items.place(a, b)
        if at is None:
            raise TruegainError(f"{a} and {b} were not compared; there are {some(self.systems)}")
        if measure not in (None, self.items.measure):
            raise TruegainError(f"on which measure? There is {self.items.measure}")
        return self.items[at] if self.items[at].a == a else self.items[at].turned()

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems that cannot be told apart, best first; a system may be in several (see `groups_of`)."""
        self._all_pairs()
        return tuple(tuple(self.systems[i] for i in group) for group in groups_of(self.differ))

    def table(self) -> Table:
        """The pairs, a row each."""
        effect = (f"effect size: {self.items.effect_name}",) if self.items.effect_name else ()
        columns = self.items.columns()
        rows = list(zip(*columns.values(), strict=True))
        return Table(tuple(columns), rows, self.made_by, self._title(), (*self.notes, *effect))

    def group_table(self) -> Table:
        """The systems, a row each, best first, with the groups they are in and how many others they differ from."""
        self._all_pairs()
        differ = self.differ
        groups = groups_of(differ)
        columns = ("system", "mean", "low", "high", "group", "differs_from")
        beside = zip(self.means, marks(groups, len(self.systems)), differ.sum(axis=1).tolist(), strict=True)
        rows = [(e.system, e.value, e.low, e.high, mark, count) for e, mark, count in beside]
        rest = "; groups are stretches of the ranking, so some that share none do not differ either (see the pairs)"
        if is_complete(differ, groups):
            rest = ", those that share none do"
        said = f"systems that share a group do not differ significantly{rest}"
        limits = f"low and high: {self.means[0].confidence:g} {self.means[0].method}"
        return Table(columns, rows, self.made_by, self._title(), (said, limits, *self.notes))

    def _title(self) -> str:
        one = self.items
        test = f"{one.test}, {one.adjustment}" if one.adjustment else one.test
        return f"{one.measure}: {self.significant:,} of {len(self):,} pairs differ ({test}, p < {self.alpha:g})"

    def _all_pairs(self) -> None:
        if self.baseline is not None:
            raise TruegainError(
                f"only pairs with the baseline were compared; groups need all pairs: leave {argname('baseline')} off"
            )

    def tables(self) -> list[Table]:
        """The pairs; of many systems the groups that cannot be told apart."""
        many = self.baseline is None and len(self.systems) > FEW
        return [self.group_table() if many else self.table()]

    def in_short(self) -> str:
        """How many pairs differ, by which test."""
        return self._title()

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """A row a system, best first, with the systems it beats, or daggers against the baseline."""
        return wide_of([self]).table(PaperStyle.of(style))

    def column(self) -> Column:
        """The measure, for a wide table."""
        beats = {
            s: [self.systems[j] for j in np.flatnonzero(row[i + 1 :]) + i + 1]
            for i, (s, row) in enumerate(zip(self.systems, self.differ, strict=True))
        }
        value, low, high = ({e.system: getattr(e, end) for e in self.means} for end in ("value", "low", "high"))
        if self.logs:
            value, low, high = ({s: math.exp(x) for s, x in ends.items()} for ends in (value, low, high))
        return Column(self.items.measure, value, low, high, beats)

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Self:
        """The same under other names of systems, and without a prefix of them."""
        new = new_names(self.systems, names, strip)
        baseline = None if self.baseline is None else new[self.baseline]
        return replace(
            self, items=replace(self.items, systems=tuple(new.values())), baseline=baseline,
            made_by={**self.made_by, "baseline": baseline},
            means=tuple(replace(e, system=new[e.system]) for e in self.means),
        )  # fmt: skip


def wide_of(parts: Sequence[Comparisons]) -> Wide:
    """Comparisons of the same systems on several measures, side by side; rows best first by the first of them."""
    first = parts[0]
    columns = tuple(part.column() for part in parts)
    topics = sorted({int(n) for part in parts for n in (part.items.found.n.min(), part.items.found.n.max())})
    marked = by_which_test(
        first.items.test, first.items.adjustment, len(first), first.items.confidence, measures=len(parts),
        trials=first.made_by.get("resamples"),
    )  # fmt: skip
    one = first.means[0]
    limits = f"{100 * one.confidence:g}% intervals of the means ({one.method.removeprefix('interval, ')})"
    return Wide(
        best_first({s: float(x) for s, x in columns[0].value.items() if isinstance(x, float)}, first.baseline), columns,
        about([c.name for c in columns], len(first.systems), topics), marked, baseline=first.baseline,
        limits=limits, made_by=first.made_by, notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )  # fmt: skip
