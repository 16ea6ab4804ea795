"""What a comparison of systems says: pairs, groups that cannot be told apart, tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from truegain.errors import TruegainError, some
from truegain.inference.differences.groups import groups_of, is_complete, marks
from truegain.inference.differences.pair_list import PairList
from truegain.inference.results import Comparison
from truegain.tables.columns import Bools, Floats
from truegain.tables.table import Table


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Systems, best first, and every pair that was compared, the better system second.

    `p` is the matrix of (adjusted) p-values in the order of `systems`; pairs that were not asked for are NaN in it.
    `low` and `high` limit each system's mean; `interval` says how.
    """

    measure: str
    test: str
    adjustment: str
    confidence: float
    systems: tuple[str, ...]
    means: Floats
    low: Floats
    high: Floats
    p: Floats
    pairs: PairList
    baseline: str | None = None
    interval: str = ""
    made_by: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.pairs)

    @property
    def alpha(self) -> float:
        """Pairs with p below this differ."""
        return round(1 - self.confidence, 12)

    @property
    def differ(self) -> Bools:
        """Which pairs differ, in the order of `systems`."""
        with np.errstate(invalid="ignore"):
            return self.p < self.alpha

    @property
    def significant(self) -> int:
        """How many of the pairs differ."""
        return int(np.triu(self.differ, 1).sum())

    def between(self, a: str, b: str) -> Comparison:
        """The comparison of two systems, in whichever order it was made."""
        at = self.pairs.place(a, b)
        if at is None:
            raise TruegainError(f"{a} and {b} were not compared; there are {some(self.systems)}")
        return self.pairs[at]

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems that cannot be told apart, best first; a system may be in several (see `groups_of`)."""
        self._all_pairs()
        return tuple(tuple(self.systems[i] for i in group) for group in groups_of(self.differ))

    def table(self) -> Table:
        """The pairs, a row each."""
        title = f"{self.measure}: {self._count()}"
        return Table(self.pairs.columns(), self.pairs.rows(), self.made_by, title, self.notes)

    def group_table(self) -> Table:
        """The systems, a row each, best first, with the groups they are in and how many others they differ from."""
        self._all_pairs()
        differ = self.differ
        groups = groups_of(differ)
        columns = ("system", "mean", "low", "high", "group", "differs_from")
        numbers = zip(self.means.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        counts = differ.sum(axis=1).tolist()
        signs = marks(groups, len(self.systems))
        rows = [
            (system, *three, mark, count)
            for system, three, mark, count in zip(self.systems, numbers, signs, counts, strict=True)
        ]
        said = "systems that share a group do not differ significantly"
        if is_complete(differ, groups):
            said += ", those that share none do"
        else:
            said += (
                "; groups are stretches of the ranking, so some that share none do not differ either (see the pairs)"
            )
        title = f"{self.measure}: {self._count()}"
        return Table(columns, rows, self.made_by, title, (said, self.interval, *self.notes))

    def _count(self) -> str:
        adjusted_by = f", {self.adjustment}" if self.adjustment else ""
        return f"{self.significant:,} of {len(self):,} pairs differ ({self.test}{adjusted_by}, p < {self.alpha:g})"

    def _all_pairs(self) -> None:
        if self.baseline is not None:
            raise TruegainError("only pairs with the baseline were compared; groups need all pairs: leave baseline off")

    def __str__(self) -> str:
        many = self.baseline is None and len(self.systems) > 6
        return str(self.group_table() if many else self.table())
