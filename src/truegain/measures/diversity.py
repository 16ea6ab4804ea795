"""Measures of diversity after ndeval: judgments by subtopic, and gain that fades when a subtopic comes again."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from truegain.data.pool import RankedGains, earlier
from truegain.io.columns import Floats, Ints
from truegain.measures.base import Binary, ratio

# ---- What the measures of diversity share: hits of subtopics in rank order, and the greedy ideal list.


@dataclass(frozen=True, eq=False)
class Relevant:
    """Which documents are relevant to which subtopics.

    An *aspect* is a subtopic of a topic with at least one relevant document; aspects are sorted by topic, then by
    number of the subtopic, as ndeval keeps them.
    """

    ranked: RankedGains
    item: Ints  # of each row, sorted
    begin: Ints  # item i of the pool has rows begin[i] to begin[i + 1]
    aspect: Ints  # of each row
    aspect_topic: Ints  # of each aspect
    documents: Ints  # per aspect

    @classmethod
    def at(cls, ranked: RankedGains, rel: float) -> Relevant:
        """Rows with a label of at least `rel`, which is not negative."""
        facets, pool = ranked.facets, ranked.pool
        good = facets.label >= rel
        item = facets.item[good]
        names = len(facets.subtopics)
        key = pool.topic[item].astype(np.int64) * names + _in_order(facets.subtopics)[facets.subtopic[good]]
        aspects, aspect, documents = np.unique(key, return_inverse=True, return_counts=True)
        begin = np.searchsorted(item, np.arange(len(pool) + 1))
        return cls(ranked, item, begin, aspect, aspects // max(1, names), documents)

    @property
    def aspects(self) -> Ints:
        """Aspects per topic (N)."""
        return np.bincount(self.aspect_topic, minlength=len(self.ranked.topics))

    def hits(self, cutoff: int | None = None) -> Hits:
        """Every document of the lists, once for each aspect it is relevant to."""
        ranked = self.ranked
        entry = np.arange(len(ranked.item)) if cutoff is None else np.flatnonzero(ranked.rank <= cutoff)
        first = self.begin[ranked.item[entry]]
        count = self.begin[ranked.item[entry] + 1] - first
        row = np.repeat(first - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
        entry = np.repeat(entry, count)
        lists, aspect = ranked.list[entry], self.aspect[row]
        before = earlier(lists * len(self.documents) + aspect)
        return Hits(lists, ranked.rank[entry].astype(np.float64), aspect, before, ranked.lists)

    def ideal_gains(self, alpha: float, depth: int | None) -> list[Floats]:
        """For each topic the gains of its greedy ideal list, down to a depth."""
        bounds = self.begin[self.ranked.pool.begin]
        first = np.searchsorted(self.aspect_topic, np.arange(len(self.ranked.topics)))
        return [
            greedy(self._matrix(slice(a, b), int(f)), alpha, depth)
            for a, b, f in zip(bounds[:-1].tolist(), bounds[1:].tolist(), first, strict=True)
        ]

    def _matrix(self, rows: slice, first: int) -> Floats:
        """Aspects by documents of a topic, 1 where relevant; the largest document id (as bytes) first."""
        items, column = np.unique(self.item[rows], return_inverse=True)
        names = self.ranked.pool.docs.take(items).strings()
        place = np.empty(len(items), np.int64)
        place[sorted(range(len(items)), key=names.__getitem__, reverse=True)] = np.arange(len(items))
        aspect = self.aspect[rows] - first
        matrix = np.zeros((int(aspect.max(initial=-1)) + 1, len(items)))
        matrix[aspect, place[column]] = 1.0
        return matrix


@dataclass(frozen=True, eq=False)
class Hits:
    """Hits in rank order: the list, the rank, the aspect, and how often the list hit it before."""

    list: Ints
    rank: Floats
    aspect: Ints
    before: Ints
    lists: int

    def total(self, values: Floats) -> Floats:
        """Sum of one value per hit over each list."""
        sums: Floats = np.bincount(self.list, weights=values, minlength=self.lists).astype(np.float64)
        return sums


def greedy(matrix: Floats, alpha: float, depth: int | None) -> Floats:
    """Gains of the list that takes the document of most gain each time, the first such column in a tie.

    The gains of a document are added aspect by aspect, as ndeval adds them, so that it sees the same ties.
    """
    documents = matrix.shape[1]
    worth = np.ones((len(matrix), 1))
    open_ = np.ones(documents)
    gains = np.zeros(documents if depth is None else min(depth, documents))
    for position in range(len(gains)):
        gain = np.add.reduce(matrix * worth, axis=0) * open_
        best = int(gain.argmax())
        if gain[best] == 0:
            break
        gains[position] = gain[best]
        open_[best] = 0
        worth[matrix[:, best] > 0] *= 1 - alpha
    return gains


def _in_order(names: tuple[str, ...]) -> Ints:
    """The place of each subtopic name when numbers are sorted as numbers, before all other names."""
    keys = [(0, int(name), name) if name.isdecimal() else (1, 0, name) for name in names]
    order = sorted(range(len(names)), key=keys.__getitem__)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return place


# ---- Measures of diversity, after ndeval: judgments by subtopic, and gain that fades when a subtopic comes again.
#
# J(d, s) is 1 where document d has a label of at least `rel` for subtopic s; N is the number of subtopics of the topic
# with a relevant document, and c_s(i) the number of documents relevant to s at ranks 1 to i.
#
# Documents of equal score stand by id, descending, as in trec_eval and ndeval -traditional; pyndeval, and ir_measures
# through it, put them in ascending order (`ties='ascending'`), and ndeval otherwise goes by the rank column.


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
