"""Whether two sets of judgments find the same pairs of systems significantly different."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError, counted
from truegain.io.columns import Bools, Floats
from truegain.measures.scoring import TopicMeans
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.rank_correlation import differences
from truegain.stats.significance import LEAST_TOPICS
from truegain.stats.significance.anova import tukey_hsd

SIGNIFICANT = ("measure", "a", "b", "difference_1", "p_1", "difference_2", "p_2", "significant")


@dataclass(frozen=True, eq=False)
class SignificantPairs:
    """The pairs of systems that two sets of judgments find significantly different, by Tukey's HSD test each.

    Attributes
    ----------
    systems : tuple of str
        The systems.
    names : pair of str
        What the two sets are called.
    alpha : float
        The level, for all pairs of a set at once.
    topics : int
        How many topics all systems have, by both sets.
    differences : pair of ndarray of float
        By each set the difference of each pair once, the earlier system minus the later.
    p : pair of ndarray of float
        Their p-values.
    """

    systems: tuple[str, ...]
    names: tuple[str, str]
    alpha: float
    topics: int
    differences: tuple[Floats, Floats]
    p: tuple[Floats, Floats]

    @property
    def pairs(self) -> int:
        """All pairs of systems."""
        return len(self.p[0])

    @property
    def found(self) -> tuple[Bools, Bools]:
        """By each set whether a pair differs significantly."""
        return self.p[0] < self.alpha, self.p[1] < self.alpha

    @property
    def opposite_pairs(self) -> Bools:
        """The pairs that both sets find different, in opposite directions."""
        return np.asarray(self.found[0] & self.found[1] & (self.differences[0] * self.differences[1] < 0))

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Significant pairs by the first set, by the second, by both in one direction, by both in opposite ones."""
        (one, two), opposite = self.found, int(self.opposite_pairs.sum())
        return int(one.sum()), int(two.sum()), int((one & two).sum()) - opposite, opposite

    @property
    def are_same(self) -> bool:
        """Whether both sets reach the same significant pairs, in the same directions."""
        one, two, both, _ = self.counts
        return one == two == both

    @property
    def share(self) -> float | None:
        """Pairs significant by both, in one direction, of those significant by either; None where there are none."""
        either = int((self.found[0] | self.found[1]).sum())
        return self.counts[2] / either if either else None

    def sentence(self) -> str:
        """Whether both sets reach the same significant pairs, in words."""
        one, two, both, opposite = self.counts
        how = f"(Tukey's HSD test, alpha {self.alpha:g}, {counted(self.topics, 'topic')})"
        if not one and not two:
            return f"Neither {self.names[0]} nor {self.names[1]} finds a significant pair among {self.pairs} {how}."
        if self.are_same:
            return f"{self.names[0]} and {self.names[1]} find the same {one} of {self.pairs} pairs significant {how}."
        return (
            f"{self.names[0]} and {self.names[1]} do not find the same pairs significant: {one} and {two} of "
            f"{self.pairs}, {both} of them by both in the same direction, {opposite or 'none'} in opposite "
            f"directions {how}."
        )

    def table(self, measure: str = "") -> Table:
        """The pairs that one of the sets finds significant, and which does."""
        (one, two), opposite = self.found, self.opposite_pairs
        first, second = np.triu_indices(len(self.systems), 1)
        rows: list[tuple[Cell, ...]] = []
        for at in np.flatnonzero(one | two).tolist():
            by = self.names[0] if not two[at] else self.names[1] if not one[at] else "both"
            cells = [float(x[at]) for k in (0, 1) for x in (self.differences[k], self.p[k])]
            pair = self.systems[first[at]], self.systems[second[at]]
            rows.append((measure, *pair, *cells, "opposite" if opposite[at] else by))
        about = (
            f"difference_1 and p_1: by {self.names[0]}; difference_2 and p_2: by {self.names[1]}. Each difference is "
            "system a's score minus system b's."
        )
        return Table(SIGNIFICANT, rows, notes=(about, self.sentence()))


def significant_pairs(
    a: TopicMeans, b: TopicMeans, names: tuple[str, str], confidence: float = 0.95
) -> SignificantPairs | None:
    """Which pairs Tukey's HSD test (topics as blocks) finds different by a, and by b, on the topics that all have.

    None where it cannot be asked: fewer than 3 such topics, or differences that are the same on every topic.

    >>> rng = np.random.default_rng(1)
    >>> values = np.array([0.2, 0.3, 0.8])[:, None] + rng.normal(0, 0.1, (3, 20))
    >>> orders = values, values[::-1]
    >>> one, two = (TopicMeans("AP", tuple("xyz"), range(20), v, np.asarray, (0.0, 1.0)) for v in orders)
    >>> significant_pairs(one, one, ("gold", "llm")).are_same, significant_pairs(one, two, ("gold", "llm")).counts
    (True, (3, 3, 0, 3))
    """
    there = a.there.all(axis=0) & b.there.all(axis=0)
    if int(there.sum()) < LEAST_TOPICS:
        return None
    try:
        tests = [tukey_hsd(data.values[:, there], confidence=confidence) for data in (a, b)]
    except TruegainError:  # no residual variance to test against
        return None
    upper = np.triu_indices(len(a.systems), 1)
    apart = [differences(data.back(test.anova.means)) for data, test in zip((a, b), tests, strict=True)]
    p = [np.asarray(test.p[upper]) for test in tests]
    alpha = round(1 - confidence, 12)
    return SignificantPairs(a.systems, names, alpha, int(there.sum()), (apart[0], apart[1]), (p[0], p[1]))
