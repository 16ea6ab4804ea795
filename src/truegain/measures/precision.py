"""Precision, recall and their relatives, measures of the retrieved set, and how much of it was judged."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain.data.pool import RankedGains
from truegain.io.columns import Bools, Floats
from truegain.measures.base import Binary, Measure, ratio

# ---- Precision, recall and their relatives: counts of relevant documents near the top.


@dataclass(frozen=True, kw_only=True, repr=False)
class _AtCutoff(Binary):
    NEEDS_AT = True

    cutoff: int | None = None

    def hits(self, ranked: RankedGains) -> Floats:
        """Relevant documents among the first k, C(k)."""
        hits = ranked.relevant_entries(self.rel)
        return hits.total(self.within(hits.rank))


class _SumOfRelevant(_AtCutoff):
    """A measure to which every relevant document adds by its rank alone."""

    linear_in_gains = True

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """1 where relevant."""
        return ((label >= self.rel) & ((label >= 0) if judged is None else judged)).astype(np.float64)


class P(_SumOfRelevant):
    """Share of the first k documents that are relevant; ranks beyond the end of the list count as not relevant.

    P@k = C(k) / k

    trec_eval P_k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "P@2").mean()
    0.5
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.hits(ranked) / float(self.cutoff or 1)

    def rank_weights(self, depth: int) -> Floats:
        """Every rank down to k alike."""
        return self.within(np.arange(1, depth + 1)) / float(self.cutoff or 1)


class R(_AtCutoff):
    """Share of the relevant documents that are among the first k.

    R@k = C(k) / R

    trec_eval recall_k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "R@2").mean()
    0.5
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return ratio(self.hits(ranked), ranked.per_list(ranked.pool_relevant(self.rel)))


class RelP(_AtCutoff):
    """Precision at k as a share of the best precision possible.

    RelP@k = C(k) / min(k, R)

    trec_eval relative_P_k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "RelP@3").mean()
    1.0
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        best = np.minimum(ranked.per_list(ranked.pool_relevant(self.rel)), self.cutoff or 0)
        return ratio(self.hits(ranked), best)


class Success(_AtCutoff):
    """Whether there is a relevant document among the first k.

    Success@k = [C(k) > 0]

    trec_eval success_k; NTCIREVAL Hit@k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 2.0, "a": 1.0}}, {"1": {"a": 1, "b": 0}}, ["Success@1", "Success@2"]).means("run")
    {'Success@1': 0.0, 'Success@2': 1.0}
    """

    needs_pool = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return (self.hits(ranked) > 0).astype(np.float64)


class HitCount(_SumOfRelevant):
    """Number of relevant documents retrieved (among the first k), a mean over topics.

    Hits@k = C(k)

    ranx hits; NumRet(rel=1) has the same values, summed over topics as trec_eval sums them.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, ["Hits", "Hits@2"]).means("run")
    {'Hits': 2.0, 'Hits@2': 1.0}
    """

    NAME = "Hits"
    NEEDS_AT = False

    def bounds(self) -> tuple[float, float]:
        """As many as there are ranks."""
        return 0.0, math.inf if self.cutoff is None else float(self.cutoff)

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.hits(ranked)

    def rank_weights(self, depth: int) -> Floats:
        """Every rank down to k alike."""
        return self.within(np.arange(1, depth + 1)).astype(np.float64)


class F1(_AtCutoff):
    """Harmonic mean of precision and recall, of all that is retrieved or of the first k.

    F1@k = 2 P@k R@k / (P@k + R@k) = 2 C(k) / (k + R); without a cutoff k is the length of the list, and F1 is SetF

    ranx f1.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "c": 1}}, ["F1", "F1@4"]).means("run")
    {'F1': 0.5, 'F1@4': 0.3333333333333333}
    """

    NEEDS_AT = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        size = ranked.depth.astype(np.float64) if self.cutoff is None else float(self.cutoff)
        possible = ranked.per_list(ranked.pool_relevant(self.rel)).astype(np.float64)
        return np.where(possible > 0, ratio(2 * self.hits(ranked), size + possible), 0.0)


class Accuracy(_AtCutoff):
    """Chance that a relevant document stands above one that is not, of those retrieved (among the first k).

    Accuracy = 1 - sum over relevant d of b(d) / (C N), b(d) the documents above d that are not relevant, C relevant
    and N not relevant ones retrieved; 1 for N = 0, and no value for C = 0, so that other topics make its mean

    ir_measures Accuracy.  It does not ask what was missed: for diagnosis, not to compare systems.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "Accuracy").mean()
    0.5
    """

    NEEDS_AT = False
    needs_pool = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        hits = ranked.relevant_entries(self.rel)
        inside = self.within(hits.rank)
        relevant = hits.total(inside)
        depth = ranked.depth if self.cutoff is None else np.minimum(ranked.depth, self.cutoff)
        above = hits.total(np.where(inside, hits.rank - hits.count, 0))
        lost = ratio(above, relevant * (depth - relevant))
        return np.where(relevant > 0, 1 - lost, np.nan)


@dataclass(frozen=True, kw_only=True, repr=False)
class Rprec(Binary):
    """Precision after as many documents as there are relevant ones (or `mult` times as many).

    Rprec = C(c) / c with c = trunc(mult * R + 0.9), which is R for mult = 1

    trec_eval Rprec, Rprec_mult_x.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "Rprec").mean()
    0.5
    """

    AT = None

    mult: float = 1.0

    def check(self) -> None:
        """A multiple must be positive."""
        super().check()
        self.require(self.mult > 0, "mult must be above 0")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        c = ranked.per_list(np.trunc(self.mult * ranked.pool_relevant(self.rel) + 0.9))
        hits = ranked.relevant_entries(self.rel)
        return ratio(hits.total(hits.rank <= c[hits.list]), c)


@dataclass(frozen=True, kw_only=True, repr=False)
class RR(Binary):
    """Reciprocal rank of the first relevant document, 0 if there is none (among the first k).

    RR = 1 / rank of the first relevant document

    trec_eval recip_rank.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 2.0, "a": 1.0}}, {"1": {"a": 1}}, "RR").mean()
    0.5
    """

    needs_pool = False

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        hits = ranked.relevant_entries(self.rel)
        first = (hits.count == 1) & self.within(hits.rank)
        return hits.total(first / hits.rank)


# ---- Measures of the retrieved set, whatever its order.


class _OfSet(Binary):
    AT = None

    def counts(self, ranked: RankedGains) -> tuple[Floats, Floats, Floats]:
        """Relevant retrieved C(n), retrieved n, relevant R."""
        hits = ranked.relevant_entries(self.rel)
        possible = ranked.per_list(ranked.pool_relevant(self.rel)).astype(np.float64)
        return hits.total(np.ones(len(hits.rank))), ranked.depth.astype(np.float64), possible


@dataclass(frozen=True, kw_only=True, repr=False)
class SetP(_OfSet):
    """Share of the retrieved documents that are relevant (of the best share possible, if relative).

    SetP = C(n) / n; relative: C(n) / min(n, R)

    trec_eval set_P, set_relative_P.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1}}, "SetP").mean()
    0.5
    """

    relative: bool = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        hits, retrieved, possible = self.counts(ranked)
        return ratio(hits, np.minimum(retrieved, possible) if self.relative else retrieved)


class SetR(_OfSet):
    """Share of the relevant documents that are retrieved.

    SetR = C(n) / R

    trec_eval set_recall.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "c": 1}}, "SetR").mean()
    0.5
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        hits, _, possible = self.counts(ranked)
        return ratio(hits, possible)


@dataclass(frozen=True, kw_only=True, repr=False)
class SetF(_OfSet):
    """Weighted harmonic mean of the set's precision and recall.

    SetF = (b + 1) P Rec / (b P + Rec); b = beta stands where beta squared does elsewhere, as in trec_eval

    trec_eval set_F.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "c": 1}}, "SetF").mean()
    0.5
    """

    beta: float = 1.0

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        hits, retrieved, possible = self.counts(ranked)
        p, r = ratio(hits, retrieved), ratio(hits, possible)
        return ratio((self.beta + 1) * p * r, self.beta * p + r)


class SetAP(_OfSet):
    """Precision times recall of the set.

    SetAP = C(n)^2 / (n R)

    trec_eval set_map.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "c": 1}}, "SetAP").mean()
    0.25
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        hits, retrieved, possible = self.counts(ranked)
        return ratio(hits * hits, retrieved * possible)


@dataclass(frozen=True, kw_only=True, repr=False)
class Utility(_OfSet):
    """Linear utility of the four cells relevant or not by retrieved or not.

    Utility = a C(n) + b (n - C(n)) + c (R - C(n)) + d (docs + C(n) - n - R), `docs` the size of the collection

    trec_eval utility.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "x": 1.0}}, {"1": {"a": 1}}, "Utility").mean()
    -1.0
    """

    a: float = 1.0
    b: float = -1.0
    c: float = 0.0
    d: float = 0.0
    docs: int = 0

    def bounds(self) -> tuple[float, float]:
        """As far as the weights and the lists go."""
        return -math.inf, math.inf

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        hits, retrieved, possible = self.counts(ranked)
        unseen = self.docs + hits - retrieved - possible
        return self.a * hits + self.b * (retrieved - hits) + self.c * (possible - hits) + self.d * unseen


# ---- How much of what was retrieved has been judged.


@dataclass(frozen=True, kw_only=True, repr=False)
class Judged(Measure):
    """Share of the first k documents (or of all) that have a judgment, a negative one included.

    Judged@k = judged documents among the first k / min(k, n); 0 for an empty list

    ir_measures Judged@k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 0}}, ["Judged@2", "Judged@1"]).means()
    {'Judged@2': 0.5, 'Judged@1': 1.0}
    """

    unjudged_as_zero = False
    needs_judged = False

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        depth = ranked.depth if self.cutoff is None else np.minimum(ranked.depth, self.cutoff)
        return ratio(ranked.total(self.within(ranked.rank)), depth)


@dataclass(frozen=True, kw_only=True, repr=False)
class Unjudged(Measure):
    """Documents without a judgment, or with a negative one, among the first k, over k however short the list is.

    Unjudged@k = unjudged documents among the first k / k

    trec_eval 10 unj_k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 0}}, "Unjudged@4").mean()
    0.25
    """

    NEEDS_AT = True
    unjudged_as_zero = False
    needs_judged = False

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        k = self.cutoff or 1
        return (np.minimum(ranked.depth, k) - ranked.total(ranked.judged & (ranked.rank <= k))) / k
