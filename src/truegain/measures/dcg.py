"""Discounted cumulative gain, plain and normalized, and its relatives in trec_eval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains, running
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.base import Binary, Gains, Measure, ratio

# ---- Discounted cumulative gain, plain and normalized.

LARGEST_EXPONENT = 1000  # beyond it 2^label, summed, is no longer a number
HIGHEST = ("scale", "topic")  # the highest gain of all judgments, or of the topic
FORMS = ("log2", "exp-log2", "jk", "exp-jk")


@dataclass(frozen=True, kw_only=True, repr=False)
class _Discounted(Measure):
    cutoff: int | None = None
    dcg: str = "log2"
    base: float = 2
    gains: Gains | None = None
    judged_only: bool = False

    def check(self) -> None:
        """Only known forms."""
        self.require(self.dcg in FORMS, f"dcg must be one of {', '.join(FORMS)}")
        self.require(self.base == 0 or self.base > 1, "base must be 0 or above 1")

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """The gain of each label, 0 for what was not judged."""
        gain = gains_of(label, judged, self.gains)
        if not self.dcg.startswith("exp"):
            return gain
        self.require(
            bool(gain.max(initial=0.0) <= LARGEST_EXPONENT),
            f"2^label overflows for label {gain.max(initial=0.0):g}; use dcg='log2', or scale the labels down",
        )
        return np.exp2(gain) - 1

    def discount(self, rank: npt.NDArray[Any]) -> Floats:
        """The divisor at each rank."""
        if self.dcg.endswith("log2"):
            return np.log2(rank + 1.0)
        if self.base == 0:  # natural logarithm from rank 2, as NTCIREVAL -logb 0
            return np.where(rank > 1, np.log(rank), 1.0)
        return np.where(rank > self.base, np.log(rank) / np.log(self.base), 1.0)

    def discounted(self, ranked: RankedGains) -> Floats:
        """DCG of each list."""
        inside = np.flatnonzero(self.within(ranked.rank))
        terms = self.worth(ranked.gain[inside], ranked.judged[inside]) / self.discount(ranked.rank[inside])
        return ranked.total(terms, inside)

    def best(self, ranked: RankedGains) -> Floats:
        """DCG of the best list of each topic."""
        ideal = ranked.ideal(np.maximum(self.worth(ranked.item_gain, ranked.item_judged), 0.0))
        terms = ideal.value / self.discount(ideal.rank)
        return ideal.total(np.where(self.within(ideal.rank), terms, 0.0))


class DCG(_Discounted):
    """Gain of each document over the logarithm of its rank, summed to rank k (or over the whole list).

    DCG@k = sum over i <= k of gain_i / log2(i + 1)

    dcg='log2': gain is the label; 'exp-log2': 2^label - 1; 'jk' and 'exp-jk': the discount of Jarvelin and
    Kekalainen, 1 up to rank `base` and log_base(i) beyond.  `gains={1:1,2:3}` maps labels to gains.

    Jarvelin and Kekalainen 2002, ACM TOIS 20(4); Burges et al. 2005, ICML.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, ["DCG", "DCG(dcg='jk')"]).means("run")
    {'DCG': 2.8927892607143724, "DCG(dcg='jk')": 4.0}
    """

    linear_in_gains = True

    def bounds(self) -> tuple[float, float]:
        """As much as the labels allow."""
        return (0.0 if least_gain(self.gains) >= 0 else -math.inf), math.inf

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.discounted(ranked)

    def rank_weights(self, depth: int) -> Floats:
        """The reciprocal of the discount, down to the cutoff."""
        rank = np.arange(1, depth + 1)
        return np.where(self.within(rank), 1 / self.discount(rank), 0.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class CG(Measure):
    """Gain of each document, summed to rank k (or over the whole list): what is found, wherever it stands.

    CG@k = sum over i <= k of gain_i, the gain being the label, or what `gains={1:1,2:3}` makes of it, and 0 for
    negative labels that are not in it.

    Jarvelin and Kekalainen 2002, ACM TOIS 20(4).

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "b": 3, "c": 1}}, "CG@2").mean()
    4.0
    """

    linear_in_gains = True
    cutoff: int | None = None
    gains: Gains | None = None
    judged_only: bool = False

    def bounds(self) -> tuple[float, float]:
        """As much as the labels allow."""
        return (0.0 if least_gain(self.gains) >= 0 else -math.inf), math.inf

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        inside = np.flatnonzero(self.within(ranked.rank))
        return ranked.total(self.worth(ranked.gain[inside], ranked.judged[inside]), inside)

    def rank_weights(self, depth: int) -> Floats:
        """Every rank alike, down to the cutoff."""
        return self.within(np.arange(1, depth + 1)).astype(np.float64)

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """The gain of each label, 0 for what was not judged."""
        return gains_of(label, judged, self.gains)


class nDCG(_Discounted):
    """DCG as a share of the best DCG the judged documents allow, both cut at k.

    nDCG@k = DCG@k / (DCG@k of all judged documents in descending order of gain); 0 without a positive gain

    Forms of gain and discount as in DCG.  trec_eval ndcg and ndcg_cut_k ('log2'), gdeval ('exp-log2'),
    NTCIREVAL nDCG@k ('jk').

    Jarvelin and Kekalainen 2002, ACM TOIS 20(4).

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "nDCG@10").mean(), 6)
    0.796708
    """

    def bounds(self) -> tuple[float, float]:
        """From 0 to 1, unless some label has a negative gain."""
        return (0.0 if least_gain(self.gains) >= 0 else -math.inf), 1.0

    def over_one_ideal(self, ranked: RankedGains) -> tuple[DCG, float]:
        """DCG, and the mean over topics of the best DCG: what stands for nDCG where it must be linear in gain."""
        plain = DCG(cutoff=self.cutoff, dcg=self.dcg, base=self.base, gains=self.gains, judged_only=self.judged_only)
        best = self.best(ranked)
        return plain, float(best[best > 0].mean()) if (best > 0).any() else 1.0

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return ratio(self.discounted(ranked), ranked.per_list(self.best(ranked)))


class MSnDCG(nDCG):
    """The nDCG@k of NTCIREVAL's "Microsoft" version: another name for nDCG with discount log2(i + 1).

    Sakai, NTCIREVAL.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0}}, {"1": {"a": 1, "b": 1}}, "MSnDCG@1").mean()
    1.0
    """


def check_max_rel(measure: Measure, max_rel: float | str) -> None:
    """A highest gain that is one: a number, or where it is read from."""
    sound = max_rel in HIGHEST if isinstance(max_rel, str) else max_rel > 0
    measure.require(sound, "max_rel must be a number above 0, 'scale' or 'topic'")


def regained(ranked: RankedGains, gains: Gains | None) -> RankedGains:
    """The lists with labels turned into gains by a table label -> gain."""
    if gains is None:
        return ranked
    own = None if ranked.entry_gains is None else mapped(ranked.entry_gains, gains)
    by_label = ranked.item_judged | _named(ranked.item_gain, gains)
    return ranked.with_gains(np.where(by_label, mapped(ranked.item_gain, gains), np.nan), own)


def gains_of(label: Floats, judged: Bools | None, gains: Gains | None) -> Floats:
    """Labels as gains, through a table where one is given: 0 for what was not judged, unless the table names it.

    Without `judged` these are labels as given: negative ones were not judged.

    >>> gains_of(np.array([2.0, -1.0, -0.3]), np.array([True, False, True]), ((2.0, 5.0),)).tolist()
    [5.0, 0.0, -0.3]
    """
    counts = label >= 0 if judged is None else judged
    return np.where(counts | _named(label, gains), mapped(label, gains), 0.0)


def _named(label: Floats, gains: Gains | None) -> Bools:
    """Negative labels that a table gives a gain of their own."""
    return np.asarray((label < 0) & np.isin(label, [level for level, _ in gains or ()]), np.bool_)


def least_gain(gains: Gains | None) -> float:
    """The least gain that a table gives to a label; 0 without one."""
    return min((gain for _, gain in gains or ()), default=0.0)


def mapped(label: Floats, gains: Gains | None) -> Floats:
    """Labels through a table label -> gain; a label that is not in it stays as it is."""
    if gains is None:
        return label
    out = np.array(label)
    for level, gain in gains:
        out[label == level] = gain
    return out


# ---- Relatives of nDCG that trec_eval has: averaged over ranks, or discounted by non-relevant documents only.


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
        return np.where(at > 0, self.ideal_dcg[self.ideal_begin[topic] + at - 1], 0.0)

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
        best = np.where(within > 0, ideal_cost[curves.ideal_begin[topic] + within - 1], 0.0)
        cost = best + np.maximum(ranked.rank - positives, 0)
        gained = ranked.running(curves.gain)
        positive = curves.gain > 0
        terms = np.zeros(len(curves.gain))
        terms[positive] = curves.gain[positive] / np.log2(2.0 + cost[positive] - gained[positive])
        return ratio(ranked.total(terms), ranked.per_list(ranked.pool_total(np.maximum(ranked.item_gain, 0.0))))
