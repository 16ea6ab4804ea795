"""Relatives of nDCG that trec_eval has: averaged over ranks, or discounted by non-relevant documents only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Binary, Measure, ratio
from truegain.tables.columns import Floats, Ints
from truegain.tables.ranked import RankedGains, running


@dataclass(frozen=True, eq=False)
class _Curves:
    """DCG along each list and along the best list of each topic."""

    ranked: RankedGains
    gain: Floats  # per entry
    dcg: Floats  # along entries
    ideal_begin: Ints  # per topic, into ideal_dcg
    positives: Ints  # per topic
    ideal_dcg: Floats
    ideal_gain: Floats

    @classmethod
    def of(cls, ranked: RankedGains) -> _Curves:
        item_gain = np.maximum(ranked.item_gain, 0.0)
        gain = np.maximum(ranked.gain, 0.0)
        ideal = ranked.ideal(item_gain)
        begin = ranked.pool.begin
        return cls(
            ranked,
            gain,
            ranked.running(gain / np.log2(ranked.rank + 1.0)),
            begin[:-1],
            np.bincount(ranked.pool.topic[item_gain > 0], minlength=len(ranked.topics)),
            running(np.add, ideal.value / np.log2(ideal.rank + 1.0), begin),
            ideal.value,
        )

    def best(self, topic: Ints, rank: Ints) -> Floats:
        """Ideal DCG at a rank; it stays flat after the last positive gain."""
        at = np.minimum(rank, self.positives[topic])
        inside = np.minimum(self.ideal_begin[topic] + np.maximum(at, 1) - 1, len(self.ideal_dcg) - 1)
        return np.where(at > 0, self.ideal_dcg[inside], 0.0)

    def at(self, lists: Ints, rank: Ints) -> Floats:
        """DCG of a list at a rank; 0 at rank 0, the end of an empty list."""
        ranked = self.ranked
        wide = int(max(ranked.rank.max(initial=0), rank.max(initial=0))) + 1
        position = np.searchsorted(ranked.list * wide + ranked.rank, lists * wide + rank, side="right") - 1
        there = (position >= 0) & (ranked.list[position] == lists) if len(ranked.list) else np.zeros(len(lists), bool)
        return np.where(there, self.dcg[position] if len(self.dcg) else 0.0, 0.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class nDCGrel(Measure):
    """nDCG averaged over the ranks of relevant documents; those not retrieved count with nDCG at the end of the list.

    nDCGrel = (1/R) [ sum over ranks i with gain > 0 of DCG(i)/IDCG(i) + (R - retrieved of them) DCG(n)/IDCG ]

    trec_eval ndcg_rel.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0}}, {"1": {"a": 1}}, "nDCGrel").mean()
    1.0
    """

    AT = None

    judged_only: bool = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        curves = _Curves.of(ranked)
        topic = ranked.list_topic[ranked.list]
        here = np.where(curves.gain > 0, ratio(curves.dcg, curves.best(topic, ranked.rank)), 0.0)
        lists = np.arange(ranked.lists)
        positives = curves.positives[ranked.list_topic]
        end = ratio(curves.at(lists, ranked.depth), curves.best(ranked.list_topic, positives))
        missed = positives - ranked.total(curves.gain > 0)
        return ratio(ranked.total(here) + missed * end, positives)


@dataclass(frozen=True, kw_only=True, repr=False)
class RnDCG(Binary):
    """nDCG averaged over the ranks where the gain of the best list drops.

    RnDCG = mean of DCG(k)/IDCG(k) over those k, with the end of the list as one more where it is longer; 0 if R = 0

    trec_eval Rndcg.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 2, "b": 1}}, "RnDCG").mean()
    1.0
    """

    AT = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        curves = _Curves.of(ranked)
        gain, topic = curves.ideal_gain, ranked.pool.topic
        following = np.append(np.where(topic[1:] == topic[:-1], gain[1:], 0.0), 0.0)
        drop = np.flatnonzero((gain > 0) & (following < gain))
        drop_topic, drop_rank = topic[drop].astype(np.int64), drop - ranked.pool.begin[topic[drop]] + 1
        systems, topics = len(ranked.systems), len(ranked.topics)
        points = (drop_topic[None, :] + topics * np.arange(systems)[:, None]).ravel()
        ranks, at_topic = np.tile(drop_rank, systems), np.tile(drop_topic, systems)
        values = ratio(curves.at(points, ranks), curves.best(at_topic, ranks))
        total = np.bincount(points, weights=values, minlength=ranked.lists)
        number = ranked.per_list(np.bincount(drop_topic, minlength=topics)).astype(np.float64)
        positives = curves.positives[ranked.list_topic]
        end = ratio(curves.at(np.arange(ranked.lists), ranked.depth), curves.best(ranked.list_topic, positives))
        longer = ranked.depth > positives + 1
        scores = ratio(total + longer * end, number + longer)
        return np.where(ranked.per_list(ranked.pool_relevant(self.rel)) > 0, scores, 0.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class binG(Binary):
    """Relevant documents discounted by the others above them only.

    binG = (1/R) sum over relevant ranks i of 1 / log2(2 + i - C(i))

    trec_eval binG.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 1}}, "binG").mean()
    1.0
    """

    AT = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        relevant = ranked.relevant(self.rel)
        terms = relevant / np.log2(2.0 + ranked.rank - ranked.running(relevant))
        return ratio(ranked.total(np.where(relevant, terms, 0.0)), ranked.per_list(ranked.pool_relevant(self.rel)))


@dataclass(frozen=True, kw_only=True, repr=False)
class G(Measure):
    """Graded gain discounted by what the list is behind the best one.

    G = (1 / sum of gains) sum_i gain_i / log2(2 + cost(i) - CG(i)), cost(i) = sum over j <= i of max(1, ideal gain_j)

    trec_eval G.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 3, "b": 1}}, "G").mean()
    1.0
    """

    AT = None

    judged_only: bool = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        curves = _Curves.of(ranked)
        topic = ranked.list_topic[ranked.list]
        ideal_cost = running(np.add, np.maximum(curves.ideal_gain, 1.0), ranked.pool.begin)
        positives = curves.positives[topic]
        within = np.minimum(ranked.rank, positives)
        at = np.minimum(curves.ideal_begin[topic] + np.maximum(within, 1) - 1, len(ideal_cost) - 1)
        cost = np.where(within > 0, ideal_cost[at], 0.0) + np.maximum(ranked.rank - positives, 0)
        gained = ranked.running(curves.gain)
        positive = curves.gain > 0
        terms = np.zeros(len(curves.gain))
        terms[positive] = curves.gain[positive] / np.log2(2.0 + cost[positive] - gained[positive])
        return ratio(ranked.total(terms), ranked.per_list(ranked.pool_total(np.maximum(ranked.item_gain, 0.0))))
