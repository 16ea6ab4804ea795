"""Compatibility: how alike a list is to the best list of its topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Measure, ratio
from truegain.tables.columns import Floats, Ints
from truegain.tables.ranked import RankedGains, earlier

DEEPEST = 1_000_000  # ranks that a depth may have: each has a weight


@dataclass(frozen=True, kw_only=True, repr=False)
class Compat(Measure):
    """Rank-biased overlap of the list with the ideal list that is most like it.

    Compat = RBO(list, ideal) / RBO(ideal, ideal),
    RBO(A, B) = sum over d <= D of p^(d - 1) |A_d & B_d| / d, over the sum of p^(d - 1)

    A_d are the first d documents of A, and D is `depth`, by default the length of the longer list, as in ir_measures;
    the authors' own program has 1,000 for all lists.  The ideal list holds the documents with a positive label, highest
    first, and equal labels in the order of the list, those not retrieved last.  (ir_measures gives those the score 0,
    and so puts them before documents of negative score, and documents of equal label and equal score stand in the order
    of the judgments.)  Ids of equal scores ascend in both programs: ties='ascending'.

    Clarke, Vtyurina and Smucker 2021, ACM TOIS 39(1).

    >>> import truegain as tg
    >>> run = {"1": {"a": 2.0, "b": 1.0}}
    >>> tg.evaluate(run, {"1": {"a": 1, "b": 1}}, "Compat").mean()
    1.0
    >>> round(tg.evaluate(run, {"1": {"a": 1, "b": 2}}, "Compat").mean(), 6)
    0.487179
    >>> round(tg.evaluate(run, {"1": {"a": 1, "b": 2}}, "Compat(depth=1000)").mean(), 6)
    0.811563
    """

    AT = None

    p: float = 0.95
    normalize: bool = True
    depth: int | None = None

    def check(self) -> None:
        """Any probability; 1 is average overlap."""
        self.require(0 <= self.p <= 1, "p must lie between 0 and 1")
        whole = isinstance(self.depth, int) and not isinstance(self.depth, bool) and 1 <= self.depth <= DEEPEST
        self.require(self.depth is None or whole, f"depth must be a whole number from 1 to {DEEPEST:,}, such as 1000")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        ideal = ranked.per_list(np.bincount(ranked.pool.topic[ranked.item_gain > 0], minlength=len(ranked.topics)))
        depth = np.maximum(ranked.depth, ideal) if self.depth is None else np.full_like(ideal, self.depth)
        ranks = np.arange(int(depth.max(initial=0)))
        weights = np.concatenate([[0.0], np.cumsum(self.p**ranks)])
        shares = np.concatenate([[0.0], np.cumsum(self.p**ranks / (ranks + 1))])  # sum of p^(d - 1) / d up to d
        good = ranked.gain > 0
        # a document is common to both lists from the deeper of its two ranks on
        since = np.maximum(ranked.rank, ideal_rank(ranked))
        good &= since <= depth[ranked.list]
        overlap = ranked.total(np.where(good, shares[depth[ranked.list]] - shares[since * good - good], 0.0))
        if not self.normalize:
            return ratio(overlap, weights[depth])
        whole = np.minimum(ideal, depth)
        best = weights[whole] + ideal * (shares[depth] - shares[whole])
        return np.minimum(ratio(overlap, best), 1.0)  # rounding may lead just beyond 1


def ideal_rank(ranked: RankedGains) -> Ints:
    """For each entry its rank in the ideal list: after all higher gains, and after equal ones ranked above it."""
    order = np.lexsort((-ranked.item_gain, ranked.pool.topic))
    topic, gain = ranked.pool.topic[order], ranked.item_gain[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (topic[1:] != topic[:-1]) | (gain[1:] != gain[:-1])
    level = np.empty(len(order), np.int64)
    level[order] = np.cumsum(new) - 1  # numbers each gain of each topic
    higher = np.flatnonzero(new) - ranked.pool.begin[topic[new]]
    mine = level[ranked.item]
    rank: Ints = higher[mine] + earlier(ranked.list * len(higher) + mine) + 1
    return rank
