"""What a comparison of systems says: pairs, groups that cannot be told apart, tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.errors import TruegainError, some
from truegain.inference.differences.groups import groups_of, is_complete, marks
from truegain.inference.differences.pair_list import PairList
from truegain.inference.results import Answers, Comparison, Estimate
from truegain.tables.columns import Bools, Floats, frozen
from truegain.tables.table import Table


@dataclass(frozen=True, eq=False)
class Comparisons(Answers[Comparison]):
    """Every pair that was compared, the better system second, and the systems' means with their limits, best first."""

    items: PairList
    means: tuple[Estimate, ...] = ()
    baseline: str | None = None

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

    def between(self, a: str, b: str) -> Comparison:
        """The comparison of two systems, in whichever order it was made."""
        at = self.items.place(a, b)
        if at is None:
            raise TruegainError(f"{a} and {b} were not compared; there are {some(self.systems)}")
        return self.items[at]

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems that cannot be told apart, best first; a system may be in several (see `groups_of`)."""
        self._all_pairs()
        return tuple(tuple(self.systems[i] for i in group) for group in groups_of(self.differ))

    def table(self) -> Table:
        """The pairs, a row each."""
        return Table(self.items.columns(), self.items.rows(), self.made_by, self._title(), self.notes)

    def group_table(self) -> Table:
        """The systems, a row each, best first, with the groups they are in and how many others they differ from."""
        self._all_pairs()
        differ = self.differ
        groups = groups_of(differ)
        columns = ("system", "mean", "low", "high", "group", "differs_from")
        rows = [
            (e.system, e.value, e.low, e.high, mark, count)
            for e, mark, count in zip(
                self.means, marks(groups, len(self.systems)), differ.sum(axis=1).tolist(), strict=True
            )
        ]
        said = "systems that share a group do not differ significantly"
        if is_complete(differ, groups):
            said += ", those that share none do"
        else:
            said += (
                "; groups are stretches of the ranking, so some that share none do not differ either (see the pairs)"
            )
        limits = f"low and high: {self.means[0].level:g} {self.means[0].method}"
        return Table(columns, rows, self.made_by, self._title(), (said, limits, *self.notes))

    def _title(self) -> str:
        one = self.items
        test = f"{one.test}, {one.adjustment}" if one.adjustment else one.test
        return f"{one.measure}: {self.significant:,} of {len(self):,} pairs differ ({test}, p < {self.alpha:g})"

    def _all_pairs(self) -> None:
        if self.baseline is not None:
            raise TruegainError("only pairs with the baseline were compared; groups need all pairs: leave baseline off")

    def __str__(self) -> str:
        many = self.baseline is None and len(self.systems) > 6
        return str(self.group_table() if many else self.table())
