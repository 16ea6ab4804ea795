"""Discounted cumulative gain, plain and normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.measures.base import Gains, Measure, ratio
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains

LARGEST_EXPONENT = 1000  # beyond it 2^label, summed, is no longer a number
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
        self.require(self.base >= 0 and self.base != 1, "base must be 0 or positive, and not 1")

    def gain_of(self, label: Floats) -> Floats:
        """The gain of each label, 0 for negative ones."""
        gain = mapped(label, self.gains)
        if self.gains is None:
            gain = np.maximum(gain, 0.0)
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
            return np.where(rank > 1, np.log(np.maximum(rank, 2)), 1.0)
        return np.where(rank > self.base, np.log(np.maximum(rank, 2)) / np.log(self.base), 1.0)

    def discounted(self, ranked: RankedGains) -> Floats:
        """DCG of each list."""
        inside = np.flatnonzero(self.within(ranked.rank))
        terms = self.gain_of(ranked.gain[inside]) / self.discount(ranked.rank[inside])
        return ranked.total(terms, inside)

    def best(self, ranked: RankedGains) -> Floats:
        """DCG of the best list of each topic."""
        ideal = ranked.ideal(np.maximum(self.gain_of(ranked.item_gain), 0.0))
        terms = ideal.value / self.discount(ideal.rank)
        return ideal.total(np.where(self.within(ideal.rank), terms, 0.0))


@dataclass(frozen=True, kw_only=True, repr=False)
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

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.discounted(ranked)


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

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        inside = np.flatnonzero(self.within(ranked.rank))
        label = ranked.gain[inside]
        not_judged = (label < 0) & ~np.isin(label, [level for level, _ in self.gains or ()])
        return ranked.total(np.where(not_judged, 0.0, mapped(label, self.gains)), inside)


@dataclass(frozen=True, kw_only=True, repr=False)
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

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return ratio(self.discounted(ranked), ranked.per_list(self.best(ranked)))


@dataclass(frozen=True, kw_only=True, repr=False)
class MSnDCG(nDCG):
    """The nDCG@k of NTCIREVAL's "Microsoft" version: another name for nDCG with discount log2(i + 1).

    Sakai, NTCIREVAL.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0}}, {"1": {"a": 1, "b": 1}}, "MSnDCG@1").mean()
    1.0
    """


def regained(ranked: RankedGains, gains: Gains | None) -> RankedGains:
    """The same lists with labels turned into gains by a table label -> gain."""
    if gains is None:
        return ranked
    own = None if ranked.entry_gains is None else mapped(ranked.entry_gains, gains)
    return ranked.with_gains(mapped(ranked.item_gain, gains), own)


def mapped(label: Floats, gains: Gains | None) -> Floats:
    """Labels through a table label -> gain; a label that is not in it stays as it is."""
    if gains is None:
        return label
    out = np.array(label)
    for level, gain in gains:
        out[label == level] = gain
    return out
