"""Measures of diversity, after ndeval: judgments by subtopic, and gain that fades when a subtopic comes again.

J(d, s) is 1 where document d has a label of at least `rel` for subtopic s; N is the number of subtopics of the topic
with a relevant document, and c_s(i) the number of documents relevant to s at ranks 1 to i.

Documents of equal score stand by id, descending, as in trec_eval and ndeval -traditional; pyndeval, and ir_measures
through it, put them in ascending order (`ties='ascending'`), and ndeval otherwise goes by the rank column.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Binary, ratio
from truegain.measures.subtopics import Relevant
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, kw_only=True, repr=False)
class _Novelty(Binary):
    """Sums of the novelty-biased gain G(i) = sum over s of J(d_i, s) (1 - alpha)^c_s(i - 1)."""

    SHARE_OF_ALL = True  # divided by what is possible, not by what the greedy ideal list has

    of_subtopics = True

    alpha: float = 0.5

    def check(self) -> None:
        """Probabilities."""
        super().check()
        self.require(0 <= self.alpha <= 1, "alpha must lie between 0 and 1")
        self.require(0 <= getattr(self, "beta", 0) <= 1, "beta must lie between 0 and 1")

    @abstractmethod
    def weight(self, rank: Floats) -> Floats:
        """The weight of the gain at each rank."""

    def bounds(self) -> tuple[float, float]:
        """Beyond 1 where the sum is left undivided (k = 1, as in ndeval), or where a list beats the greedy ideal."""
        return 0.0, 1.0 if self.SHARE_OF_ALL and self.depth != 1 else math.inf

    @property
    def depth(self) -> int | None:
        """The rank after which nothing counts."""
        return getattr(self, "cutoff", None)

    @property
    def ideal_depth(self) -> int | None:
        """The rank down to which the ideal list is needed."""
        return self.depth

    def gained(self, relevant: Relevant) -> Floats:
        """Weighted gain of each list."""
        hits = relevant.hits(self.depth)
        return hits.total((1 - self.alpha) ** hits.before * self.weight(hits.rank))

    def best(self, relevant: Relevant) -> Floats:
        """Weighted gain of the greedy ideal list, per list."""
        gains = relevant.ideal_gains(self.alpha, self.ideal_depth)
        weight = self.weight(np.arange(1.0, max(map(len, gains), default=0) + 1))
        return relevant.ranked.per_list(np.array([float(np.sum(g * weight[: len(g)])) for g in gains]))

    def share_of_best(self, ranked: RankedGains) -> Floats:
        """Weighted gain as a share of that of the greedy ideal list, 0 where there is nothing to find."""
        relevant = Relevant.at(ranked, self.rel)
        return ratio(self.gained(relevant), self.best(relevant))

    def share_of_all(self, ranked: RankedGains) -> Floats:
        """Weighted gain over that of k documents relevant to all subtopics; as it is for k = 1, as in ndeval."""
        relevant = Relevant.at(ranked, self.rel)
        if self.depth == 1:
            return self.gained(relevant)
        rank = np.arange(1.0, (self.depth or 1) + 1)
        one = float(np.sum((1 - self.alpha) ** (rank - 1) * self.weight(rank)))
        return ratio(self.gained(relevant), ranked.per_list(relevant.aspects) * one)


@dataclass(frozen=True, kw_only=True, repr=False)
class alpha_DCG(_Novelty):
    """Novelty-biased gain over the logarithm of the rank, relative to documents that are relevant to everything.

    alpha_DCG@k = sum over i <= k of G(i) / log2(i + 1), over the sum of N (1 - alpha)^(i - 1) / log2(i + 1),
    G(i) = sum over s of J(d_i, s) (1 - alpha)^c_s(i - 1)

    At k = 1 the sum is left undivided, as in ndeval, and may be above 1.

    Clarke et al. 2008, SIGIR; ndeval alpha-DCG@k.

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, "alpha_DCG@2").mean(), 6)
    0.739812
    """

    NEEDS_AT = True

    cutoff: int | None = None

    def weight(self, rank: Floats) -> Floats:
        """Logarithmic."""
        return 1 / np.log2(rank + 1)

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.share_of_all(ranked)


@dataclass(frozen=True, kw_only=True, repr=False)
class alpha_nDCG(alpha_DCG):
    """Novelty-biased gain over the logarithm of the rank, relative to the greedy ideal list.

    alpha_nDCG@k = sum over i <= k of G(i) / log2(i + 1), over the same of the ideal list

    The ideal list takes the document of most gain each time, in a tie the one of the largest id.  Without a cutoff
    both lists count to their end.

    Equal scores go by document id, descending; pyndeval and ir_measures have them ascending (ties='ascending').

    Clarke et al. 2008, SIGIR; ndeval alpha-nDCG@k.

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, "alpha_nDCG@2").mean(), 6)
    0.840606
    """

    SHARE_OF_ALL = False
    NEEDS_AT = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.share_of_best(ranked)


@dataclass(frozen=True, kw_only=True, repr=False)
class ERR_IA(_Novelty):
    """Intent-aware expected reciprocal rank, relative to documents that are relevant to everything.

    ERR_IA@k = sum over i <= k of G(i) / i, over the sum of N (1 - alpha)^(i - 1) / i

    All subtopics are equally probable.  At k = 1 the sum is left undivided, as in ndeval, and may be above 1.

    Equal scores go by document id, descending; pyndeval and ir_measures have them ascending (ties='ascending').

    Chapelle et al. 2009, CIKM; ndeval ERR-IA@k (ir_measures has alpha fixed at 0.5).

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, "ERR_IA@2").mean(), 6)
    0.7
    """

    NEEDS_AT = True

    cutoff: int | None = None

    def weight(self, rank: Floats) -> Floats:
        """Reciprocal rank."""
        return 1 / rank

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.share_of_all(ranked)


@dataclass(frozen=True, kw_only=True, repr=False)
class nERR_IA(ERR_IA):
    """Intent-aware expected reciprocal rank, relative to the greedy ideal list of alpha_nDCG.

    nERR_IA@k = sum over i <= k of G(i) / i, over the same of the ideal list

    Chapelle et al. 2009, CIKM; ndeval nERR-IA@k.

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, "nERR_IA@2").mean(), 6)
    0.777778
    """

    SHARE_OF_ALL = False
    NEEDS_AT = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.share_of_best(ranked)


@dataclass(frozen=True, kw_only=True, repr=False)
class NRBP(_Novelty):
    """Novelty- and rank-biased precision: RBP of the novelty-biased gain.

    NRBP = (1 - (1 - alpha) beta) / N * sum over i of beta^(i - 1) G(i)

    Clarke, Kolla and Vechtomova 2009, ICTIR; ndeval NRBP.

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, "NRBP").mean()
    0.65625
    """

    AT = None

    beta: float = 0.5

    def weight(self, rank: Floats) -> Floats:
        """Geometric."""
        return np.asarray(self.beta ** (rank - 1))

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        relevant = Relevant.at(ranked, self.rel)
        scale = 1 - (1 - self.alpha) * self.beta
        return scale * ratio(self.gained(relevant), ranked.per_list(relevant.aspects))


@dataclass(frozen=True, kw_only=True, repr=False)
class nNRBP(NRBP):
    """NRBP as a share of that of the greedy ideal list; 0 where nothing is relevant (ndeval prints nan there).

    nNRBP = NRBP / NRBP of the ideal list

    Clarke, Kolla and Vechtomova 2009, ICTIR; ndeval nNRBP.

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, "nNRBP").mean(), 6)
    0.777778
    """

    SHARE_OF_ALL = False

    @property
    def ideal_depth(self) -> int | None:
        """All that adds a digit: beta^depth / (1 - beta) is below 1e-20 there."""
        if self.beta in (0, 1):
            return 1 if self.beta == 0 else None
        return int(np.log(1e-20 * (1 - self.beta)) / np.log(self.beta)) + 2

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.share_of_best(ranked)


@dataclass(frozen=True, kw_only=True, repr=False)
class AP_IA(Binary):
    """Intent-aware average precision: the mean over subtopics of AP for each alone.

    AP_IA = 1 / N * sum over s of (sum over ranks i with J(d_i, s) of c_s(i) / i) / documents relevant to s

    Agrawal et al. 2009, WSDM; ndeval MAP-IA.

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, "AP_IA").mean()
    0.75
    """

    AT = None
    of_subtopics = True

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        relevant = Relevant.at(ranked, self.rel)
        hits = relevant.hits()
        precision = (hits.before + 1) / hits.rank
        return ratio(hits.total(precision / relevant.documents[hits.aspect]), ranked.per_list(relevant.aspects))


@dataclass(frozen=True, kw_only=True, repr=False)
class P_IA(Binary):
    """Intent-aware precision: the mean over subtopics of the precision for each.

    P_IA@k = sum over i <= k and s of J(d_i, s), over k N

    Agrawal et al. 2009, WSDM; ndeval P-IA@k.

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, "P_IA@2").mean()
    0.75
    """

    NEEDS_AT = True
    of_subtopics = True

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        relevant = Relevant.at(ranked, self.rel)
        hits = relevant.hits(self.cutoff)
        return ratio(hits.total(np.ones(len(hits.rank))), ranked.per_list(relevant.aspects) * (self.cutoff or 1))


@dataclass(frozen=True, kw_only=True, repr=False)
class StRecall(Binary):
    """Subtopic recall: the share of subtopics that a document among the first k (or any) is relevant to.

    StRecall@k = subtopics s with c_s(k) > 0, over N

    Zhai, Cohen and Lafferty 2003, SIGIR; ndeval strec@k.

    >>> import truegain as tg, polars as pl
    >>> rows = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    >>> judgments = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, judgments, ["StRecall@1", "StRecall@2"]).means()
    {'StRecall@1': 0.5, 'StRecall@2': 1.0}
    """

    of_subtopics = True

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        relevant = Relevant.at(ranked, self.rel)
        hits = relevant.hits(self.cutoff)
        return ratio(hits.total((hits.before == 0).astype(np.float64)), ranked.per_list(relevant.aspects))
