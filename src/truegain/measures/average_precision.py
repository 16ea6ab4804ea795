"""Average precision, its estimate from a sample of the judgments, and precision interpolated at levels of recall."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain.data.pool import RankedGains
from truegain.io.columns import Floats
from truegain.measures.base import Binary, ratio

# ---- Average precision, its geometric mean over topics, and its estimate from a sample of the judgments.


@dataclass(frozen=True, kw_only=True, repr=False)
class AP(Binary):
    """Mean over the relevant documents of the precision at their ranks, 0 for those not retrieved (by rank k).

    AP = (1/R) sum over relevant ranks i of C(i) / i

    norm='R' divides by R (trec_eval map, map_cut_k); norm='min' by min(k, R) (NTCIREVAL AP@k).

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "AP").mean()
    0.8333333333333333
    """

    cutoff: int | None = None
    norm: str = "R"

    def check(self) -> None:
        """Only known denominators."""
        super().check()
        self.require(self.norm in ("R", "min"), "norm must be 'R' or 'min'")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        possible = ranked.per_list(ranked.pool_relevant(self.rel))
        if self.norm == "min" and self.cutoff is not None:
            possible = np.minimum(possible, self.cutoff)
        hits = ranked.relevant_entries(self.rel)
        return ratio(hits.total(np.where(self.within(hits.rank), hits.count / hits.rank, 0.0)), possible)


class GMAP(AP):
    """Geometric mean of AP over topics, each raised to at least 0.00001.

    GMAP = exp(mean of ln max(AP, 0.00001)); the value of a topic is its AP

    Robertson 2006, CIKM; trec_eval gm_map.

    >>> import truegain as tg
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"a": 1}}
    >>> round(tg.evaluate({"1": {"a": 3.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}}, qrels, "GMAP").mean(), 6)
    0.707107
    """

    mean = "geometric"


@dataclass(frozen=True, kw_only=True, repr=False)
class LMAP(Binary):
    """Mean over topics of logit(AP), with AP kept between epsilon and 1 - epsilon (L-MAP).

    LMAP = mean of ln(AP / (1 - AP)); the value of a topic is its logit, not its AP, and 0 is an AP of 0.5

    norm is that of AP.  A topic without an answer counts as AP = epsilon where all topics count.
    Cormack and Lynam 2006, SIGIR.

    >>> import truegain as tg
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"a": 1, "b": 1, "c": 1}}
    >>> round(tg.evaluate({"1": {"b": 2.0, "a": 1.0}, "2": {"d": 2.0, "b": 1.0}}, qrels, "LMAP").mean(), 6)
    -1.354025
    """

    cutoff: int | None = None
    norm: str = "R"
    epsilon: float = 0.0001

    def check(self) -> None:
        """Only known denominators, and room between epsilon and 1 - epsilon."""
        super().check()
        self.require(self.norm in ("R", "min"), "norm must be 'R' or 'min'")
        self.require(0 < self.epsilon < 0.5, "epsilon must lie between 0 and 0.5")

    def bounds(self) -> tuple[float, float]:
        """The logits of epsilon and 1 - epsilon."""
        least = math.log(self.epsilon) - math.log1p(-self.epsilon)
        return least, -least

    def absent(self, ranked: RankedGains) -> Floats:
        """The logit of epsilon."""
        return np.full(len(ranked.topics), self.bounds()[0])

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        ap = AP(rel=self.rel, cutoff=self.cutoff, norm=self.norm).per_topic(ranked)
        inside = np.clip(ap, self.epsilon, 1 - self.epsilon)
        return np.asarray(np.log(inside) - np.log1p(-inside), np.float64)


class infAP(Binary):
    """AP estimated when only a random sample of the pool was judged; a negative label marks the rest of the pool.

    infAP = (1/R) sum over relevant ranks of 1/i + ((i-1)/i) * (pooled above / (i-1)) * (r + e) / (r + s + 2e),
    r and s the relevant and the judged non-relevant documents above, e = 0.00001

    Yilmaz and Aslam 2006, CIKM; trec_eval infAP.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "b": -1, "c": 1}}, "infAP").mean(), 4)
    1.0
    """

    AT = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        e = 0.00001
        relevant, judged = ranked.relevant(self.rel), ranked.judged
        r_above = ranked.running(relevant) - relevant
        s_above = ranked.running(judged & ~relevant) - (judged & ~relevant)
        u_above = ranked.running(~judged) - ~judged
        above = ranked.rank - 1.0
        pooled = ratio(r_above + s_above + u_above, above)
        expected = 1 / ranked.rank + above / ranked.rank * pooled * (r_above + e) / (r_above + s_above + 2 * e)
        return ratio(ranked.total(np.where(relevant, expected, 0.0)), ranked.per_list(ranked.pool_relevant(self.rel)))


class YAAP(Binary):
    """Log odds of average precision, which is nearer to a normal distribution than AP itself.

    YAAP = ln((1 + S) / (1 + R - S)), S the sum of the precisions at relevant ranks; 0 when R = 0

    Robertson 2012, ICTIR; trec_eval yaap.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, "YAAP").mean(), 6)
    0.693147
    """

    AT = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        possible = ranked.per_list(ranked.pool_relevant(self.rel))
        hits = ranked.relevant_entries(self.rel)
        total = hits.total(hits.count / hits.rank)
        return np.where(possible > 0, np.log((1 + total) / (1 + possible - total)), 0.0)

    def bounds(self) -> tuple[float, float]:
        """Log odds have no end."""
        return -math.inf, math.inf

    def absent(self, ranked: RankedGains) -> Floats:
        """Nothing found: trec_eval 9 counts a topic that is not there as 0, 10 as ln(1 / (1 + R))."""
        if ranked.trec_eval < 10:
            return np.zeros(len(ranked.topics))
        return np.log(1 / (1.0 + ranked.pool_relevant(self.rel)))


# ---- Precision interpolated at levels of recall.


@dataclass(frozen=True, kw_only=True, repr=False)
class IPrec(Binary):
    """Highest precision at any rank where a share x of the relevant documents, or more, has been found.

    IPrec@x = max of C(i) / i over ranks i with C(i) >= max(cut, 1), cut = x * R rounded; 0 if cut is never reached

    cut is round(x * R) as in trec_eval 10, or trunc(x * R + 0.9) as in trec_eval 9 (option trec_eval).
    An empty list scores 0, where trec_eval prints nan.  trec_eval iprec_at_recall_x.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 3.0, "a": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "IPrec@0.5").mean()
    0.6666666666666666
    """

    AT = "recall"
    NEEDS_AT = True

    recall: float | None = None

    def check(self) -> None:
        """Recall is a share."""
        super().check()
        self.require(self.recall is None or 0 <= self.recall <= 1, "recall must lie between 0 and 1")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return interpolated(ranked, self.rel, self.recall or 0.0)


class IPrecAvg(Binary):
    """Interpolated precision averaged over recall 0.0, 0.1, ... 1.0.

    IPrecAvg = (1/11) sum of IPrec@x over the eleven x

    trec_eval 11pt_avg.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"b": 3.0, "a": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "IPrecAvg").mean(), 4)
    0.6667
    """

    AT = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        total = np.zeros(ranked.lists)
        for tenth in range(11):
            total += interpolated(ranked, self.rel, tenth / 10)
        return total / 11


def interpolated(ranked: RankedGains, level: float, recall: float) -> Floats:
    """Interpolated precision of each list at one level of recall."""
    share = recall * ranked.pool_relevant(level)
    cut = np.floor(share + 0.5) if ranked.trec_eval >= 10 else np.trunc(share + 0.9)
    hits = ranked.relevant_entries(level)
    reached = hits.count >= np.maximum(cut, 1)[ranked.list_topic[hits.list]]
    best = np.zeros(ranked.lists)
    np.maximum.at(best, hits.list[reached], hits.count[reached] / hits.rank[reached])
    return best
