"""Measures of a user who stops somewhere: RBP, ERR, the C/W/L family, and compatibility."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains, earlier
from truegain.errors import MeasureError
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.base import Gains, Measure, ratio
from truegain.measures.dcg import HIGHEST, check_max_rel, gains_of, least_gain, regained
from truegain.measures.q_measure import Blend

# ---- Rank-biased precision, and how far unjudged documents could raise it.


@dataclass(frozen=True, kw_only=True, repr=False)
class RBP(Measure):
    """Gain per document for a user who goes on to the next one with probability p.

    RBP = (1 - p) * sum over ranks i of gain_i * p^(i - 1)

    With `rel` the gain is 1 from that label on, else 0; without it, it is the label (through `gains` where given),
    0 for what was not judged, divided by `max_rel`: a number, 'scale' for the highest gain of all judgments or 'topic'
    for the highest of the topic.  cwl divides by the weights of 1,000 ranks instead of all, which is the same number
    unless p is very near 1.

    Moffat and Zobel 2008, ACM TOIS 27(1).

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}}, "RBP").mean(), 6)
    0.16
    """

    linear_in_gains = True

    p: float = 0.8
    rel: float | None = None
    max_rel: float | str | None = None
    gains: Gains | None = None
    cutoff: int | None = None
    judged_only: bool = False

    def check(self) -> None:
        """Binary gains need no scale."""
        check_persistence(self, self.p)
        top = self.max_rel
        self.require(not isinstance(self.rel, str), "rel must be a number")
        self.require(self.rel is None or self.rel >= 0, "rel must not be negative")
        self.require(self.rel is None or (top is None and self.gains is None), "rel makes gains 0 or 1; give it alone")
        sound = top in HIGHEST if isinstance(top, str) else top is None or top > 0
        self.require(sound, "max_rel must be a positive number, 'scale' or 'topic'")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        weight = np.where(self.within(ranked.rank), self.p ** (ranked.rank - 1.0), 0.0)
        gain = ratio(self._gain(ranked.gain, ranked.judged), self.scale(ranked)[ranked.list_topic[ranked.list]])
        return (1 - self.p) * ranked.total(weight * gain)

    def bounds(self) -> tuple[float, float]:
        """From 0 to 1 where the highest gain is 1 by its scale; as much as the labels allow otherwise."""
        least = 0.0 if least_gain(self.gains) >= 0 else -math.inf
        return least, 1.0 if self.rel is not None or isinstance(self.max_rel, str) else math.inf

    def rank_weights(self, depth: int) -> Floats:
        """(1 - p) p^(i - 1), down to the cutoff."""
        rank = np.arange(1, depth + 1)
        return np.where(self.within(rank), (1 - self.p) * self.p ** (rank - 1.0), 0.0)

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """Labels as gains, over `max_rel` where it is a number."""
        if isinstance(self.max_rel, str):
            raise MeasureError(f"{self} reads its scale off the labels; give max_rel as a number")
        return self._gain(label, judged) / (self.max_rel or 1.0)

    def _gain(self, label: Floats, judged: Bools | None) -> Floats:
        """Labels as gains, before they are scaled."""
        if self.rel is not None:
            return ((label >= self.rel) & ((label >= 0) if judged is None else judged)).astype(np.float64)
        return gains_of(label, judged, self.gains)

    def scale(self, ranked: RankedGains) -> Floats:
        """What gains are divided by, per topic."""
        if isinstance(self.max_rel, str):
            pool = self._gain(ranked.item_gain, ranked.item_judged)
            if self.max_rel == "topic":
                return ranked.pool_highest(pool)
            return np.full(len(ranked.topics), pool.max(initial=0.0))
        return np.full(len(ranked.topics), self.max_rel or 1.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class RBPResidual(Measure):
    """How much RBP would grow if every unjudged document were fully relevant, those beyond the end of the list too.

    RBPResidual = p^n + (1 - p) * sum over unjudged ranks i <= n of p^(i - 1)
                = 1 - (1 - p) * sum over judged ranks i <= n of p^(i - 1)

    n is the length of the list (cut at k); a negative label counts as unjudged.  `trec_eval=True` gives 0 when all
    retrieved documents are judged, as trec_eval 10's rbp_resid does.

    Moffat and Zobel 2008, ACM TOIS 27(1).

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}}, "RBPResidual(p=0.5)").mean(), 6)
    0.75
    """

    needs_judged = False
    needs_pool = False

    p: float = 0.8
    trec_eval: bool = False
    cutoff: int | None = None

    def check(self) -> None:
        """A user must be able to stop."""
        check_persistence(self, self.p)

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        judged = ranked.judged & self.within(ranked.rank)
        residual = 1 - (1 - self.p) * ranked.total(np.where(judged, self.p ** (ranked.rank - 1.0), 0.0))
        if not self.trec_eval:
            return residual
        depth = ranked.depth if self.cutoff is None else np.minimum(ranked.depth, self.cutoff)
        return np.where(ranked.total(judged) == depth, 0.0, residual)


def check_persistence(measure: Measure, p: float) -> None:
    """A probability to go on, below 1 so that the user ends."""
    measure.require(0 <= p < 1, "p must be at least 0 and below 1")


# ---- Expected reciprocal rank and other measures of a user who stops at a document with a chance that grows with
# gain.


@dataclass(frozen=True, kw_only=True, repr=False)
class _Cascade(Measure):
    cascades = True

    cutoff: int | None = None
    max_rel: float | str = 4
    rule: str = "exp"
    gains: Gains | None = None
    judged_only: bool = False

    def check(self) -> None:
        """Only known rules, and a highest gain that is one."""
        self.require(self.rule in ("exp", "gain"), "rule must be 'exp' or 'gain'")
        check_max_rel(self, self.max_rel)

    @property
    def needs_pool(self) -> bool:
        """Only for the highest gain of a topic."""
        return self.max_rel == "topic"

    @abstractmethod
    def utility(self, ranked: RankedGains) -> Floats:
        """What stopping at each entry is worth."""

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = regained(ranked.cut(self.cutoff), self.gains)
        p = self.stop(view.gain, self.top(view)[view.list_topic[view.list]])
        return view.total(self.utility(view) * p * view.running_product_before(1 - p))

    def top(self, ranked: RankedGains) -> Floats:
        """The gain that counts as the highest possible, per topic."""
        highest = ranked.pool_highest(ranked.item_gain)
        if self.max_rel == "topic":
            return highest
        overall = float(highest.max(initial=0.0))
        if self.max_rel == "scale":
            return np.full(len(highest), overall)
        if overall > float(self.max_rel):
            what = "label" if self.gains is None else "gain"
            raise MeasureError(
                f"{self}: the {what} {overall:g} is above max_rel={float(self.max_rel):g}; "
                f"write max_rel={overall:.17g}, or max_rel='scale' for the highest {what} there is"
            )
        return np.full(len(highest), float(self.max_rel))

    def stop(self, gain: npt.NDArray[np.float64], top: Floats) -> Floats:
        """Probability that a document of this gain satisfies the user."""
        safe = np.maximum(gain, 0.0)
        if self.rule == "gain":
            return safe / (top + 1)
        return np.exp2(safe - top) - np.exp2(-top)  # (2^g - 1) / 2^top without its overflow


class ERR(_Cascade):
    """Expected reciprocal of the rank at which the user is satisfied and stops.

    ERR@k = sum over i <= k of (1/i) p_i * product over j < i of (1 - p_j)

    p = (2^gain - 1) / 2^max_rel (rule='exp', gdeval) or gain / (max_rel + 1) (rule='gain', NTCIREVAL).  max_rel is
    the highest gain possible: a number, 'scale' for the highest in the judgments, 'topic' for the topic's highest.

    Chapelle, Metzler, Zhang and Grinspan 2009, CIKM.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "ERR@20").mean()
    0.267578125
    """

    def utility(self, ranked: RankedGains) -> Floats:
        """Reciprocal rank."""
        return 1 / ranked.rank


class nERR(ERR):
    """ERR as a share of the ERR of the best list, both cut at k.

    nERR@k = ERR@k / (ERR@k of all judged documents in descending order of gain); 0 without a positive gain

    Parameters as in ERR.  NTCIREVAL nERR@k with rule='gain'.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "nERR@20").mean(), 6)
    0.587983
    """

    needs_pool = True

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = regained(ranked, self.gains)
        ideal = view.ideal(np.maximum(view.item_gain, 0.0))
        p = np.where(self.within(ideal.rank), self.stop(ideal.value, self.top(view)[ideal.topic]), 0.0)
        best = ideal.total(p * ideal.running_product_before(1 - p) / ideal.rank)
        return ratio(super().per_topic(ranked), view.per_list(best))


@dataclass(frozen=True, kw_only=True, repr=False)
class EBR(_Cascade):
    """Expected blended ratio at the rank where the user is satisfied and stops.

    EBR@k = sum over i <= k of BR(i) p_i * product over j < i of (1 - p_j), BR as in Q and p as in ERR

    NTCIREVAL EBR, there always with rule='gain'.  Sakai and Zeng 2019, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "EBR").mean()
    0.6875
    """

    max_rel: float | str = "scale"
    rule: str = "gain"
    beta: float = 1

    @property
    def needs_pool(self) -> bool:
        """For the gain of the best list."""
        return self.beta > 0 or super().needs_pool

    def check(self) -> None:
        """A negative weight of gain could make the ratio infinite."""
        super().check()
        self.require(self.beta >= 0, "beta must not be negative")

    def utility(self, ranked: RankedGains) -> Floats:
        """Blended ratio."""
        return Blend.of(ranked, self.beta).ratio


@dataclass(frozen=True, kw_only=True, repr=False)
class iRBU(_Cascade):
    """Expected utility, falling by q from rank to rank, of the list down to where the user stops.

    iRBU@k = sum over i <= k of q^i p_i * product over j < i of (1 - p_j), p as in ERR

    NTCIREVAL iRBU, there always with rule='gain'.  Sakai and Zeng 2019, SIGIR, after Amigo et al. 2018, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "iRBU(q=0.5)").mean()
    0.265625
    """

    max_rel: float | str = "scale"
    rule: str = "gain"
    q: float = 0.99

    def check(self) -> None:
        """A share."""
        super().check()
        self.require(0 < self.q <= 1, "q must be above 0 and at most 1")

    def utility(self, ranked: RankedGains) -> Floats:
        """Utility of going as far as the rank."""
        return np.asarray(self.q**ranked.rank, np.float64)


# ---- C/W/L measures: expected gain per document inspected, from how likely the user is to go on.

RANKS = 1000  # cwl looks at so many ranks; the missing ones have gain 0
BLOCK = 2000  # lists at a time, to keep memory small


@dataclass(frozen=True, kw_only=True, repr=False)
class _CWL(Measure):
    """sum over i of W(i) gain_i with W(1) = 1 / sum of survival, W(i + 1) = W(i) C(i)."""

    needs_pool = False

    min_rel: float = 0
    max_rel: float | None = None

    def check(self) -> None:
        """Labels from min_rel to max_rel become gains from 0 to 1."""
        for value in (self.min_rel, self.max_rel):
            self.require(not isinstance(value, str), "min_rel and max_rel must be numbers")
        self.require(self.max_rel is None or self.min_rel < self.max_rel, "max_rel must be above min_rel")
        self.require(getattr(self, "T", 1) > 0, "T must be above 0")
        self.require(0 <= getattr(self, "p", 0) <= 1, "p must lie between 0 and 1")

    @abstractmethod
    def continuation(self, gain: Floats, rank: Floats) -> Floats:
        """The probability of going on after each rank, C(i); `gain` is a matrix of lists by ranks."""

    def scaled(self, label: Floats) -> Floats:
        """Gains from 0 to 1; labels outside the range count as its ends."""
        if self.max_rel is None:
            raise MeasureError(f"{self} needs max_rel, the label with a gain of 1; write {self.NAME}(max_rel=3)")
        clipped = np.clip(label, self.min_rel, self.max_rel)
        return (clipped - self.min_rel) / (self.max_rel - self.min_rel)

    def rank_weights(self, depth: int) -> Floats:
        """W(i) of a user who does not look at gains."""
        if not self.linear_in_gains:
            return super().rank_weights(depth)
        going = self.continuation(np.zeros((1, self._ranks)), np.arange(1.0, self._ranks + 1)).ravel()
        survival = np.concatenate([[1.0], np.multiply.accumulate(going[:-1])])
        weight = np.zeros(max(depth, self._ranks))
        weight[: self._ranks] = survival / survival.sum()
        return weight[:depth]

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """Gains from 0 to 1; a negative label counts as a label of 0."""
        if not self.linear_in_gains:
            return super().worth(label, judged)
        return self.scaled(np.where((label >= 0) if judged is None else judged, label, 0.0))

    @property
    def _ranks(self) -> int:
        return min(RANKS, getattr(self, "cutoff", None) or RANKS)

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        gain = self.scaled(ranked.counted_gain)
        depth = self._ranks
        rank = np.arange(1.0, depth + 1)
        values = np.empty(ranked.lists)
        for start in range(0, ranked.lists, BLOCK):
            some = slice(start, min(start + BLOCK, ranked.lists))
            dense = ranked.dense(gain, depth, some)
            survival = np.ones_like(dense)
            survival[:, 1:] = self.continuation(dense, rank)[..., :-1]
            np.multiply.accumulate(survival, axis=1, out=survival)
            values[some] = (survival * dense).sum(axis=1) / survival.sum(axis=1)
        return values


@dataclass(frozen=True, kw_only=True, repr=False)
class SDCG(_CWL):
    """DCG at k over the sum of its discounts, with gains from 0 to 1.

    SDCG@k = sum over i <= k of gain_i / log2(i + 1), over the sum of 1 / log2(i + 1);
    C(i) = log2(i + 1) / log2(i + 2) for i < k

    Moffat, Bailey, Scholer and Thomas 2017, ACM TOIS 35(3).

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 3}}, "SDCG(max_rel=3)@2").mean(), 6)
    0.613147
    """

    NEEDS_AT = True
    linear_in_gains = True

    dcg: str = "log2"
    cutoff: int | None = None

    def check(self) -> None:
        """Only one form."""
        super().check()
        self.require(self.dcg == "log2", "dcg must be log2")

    def continuation(self, gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """The ratio of discounts."""
        return np.log2(rank + 1) / np.log2(rank + 2)


@dataclass(frozen=True, kw_only=True, repr=False)
class BPM(_CWL):
    """Mean gain of the documents seen by a user who stops when content (gain T found) or tired (k documents seen).

    C(i) = 1 if i < k and gain_1 + ... + gain_i < T, else 0

    The static Bejeweled Player Model.  Zhang et al. 2017, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 3}}, "BPM(max_rel=3)@10").mean()
    0.5
    """

    NEEDS_AT = True

    T: float = 1
    cutoff: int | None = None

    def continuation(self, gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Whether more gain is wanted."""
        return (np.add.accumulate(gain, axis=1) < self.T).astype(np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class INSQ(_CWL):
    """Weighted precision for a user who wants T relevant documents and goes on the likelier the deeper they are.

    C(i) = ((i + 2T - 1) / (i + 2T))^2

    Moffat, Scholer and Thomas 2012, ADCS.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 3}}, "INSQ(max_rel=3)").mean(), 6)
    0.388238
    """

    AT = None
    linear_in_gains = True

    T: float = 1

    def continuation(self, gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """By rank and goal."""
        return _goal(rank, 2.0 * self.T)


@dataclass(frozen=True, kw_only=True, repr=False)
class INST(_CWL):
    """INSQ for a user who also notices how much of the goal T has been found.

    C(i) = ((i + T + T_i - 1) / (i + T + T_i))^2, T_i = T - (gain_1 + ... + gain_i)

    Moffat, Bailey, Scholer and Thomas 2015, ADCS.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 3}}, "INST(max_rel=3)").mean(), 6)
    0.608297
    """

    AT = None

    T: float = 1

    def continuation(self, gain: Floats, rank: Floats) -> Floats:
        """By rank, goal and what is left of it."""
        return _goal(rank, 2.0 * self.T - np.add.accumulate(gain, axis=1))


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR8(_CWL):
    """Nearly ERR, equation 8: a user who stops at a document as likely as it is good, and after k.

    C(i) = 1 - gain_i for i < k

    Azzopardi, Mackenzie and Moffat 2021, ICTIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 3}}, "NERR8(max_rel=3)@10").mean()
    0.5
    """

    NEEDS_AT = True

    cutoff: int | None = None

    def continuation(self, gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """The chance that the document does not satisfy."""
        return 1 - gain


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR9(_CWL):
    """Nearly ERR, equation 9: as NERR8, and the user also tires with the rank.

    C(i) = i / (i + 1) * (1 - gain_i) for i < k

    Azzopardi, Mackenzie and Moffat 2021, ICTIR.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 3}}, "NERR9(max_rel=3)@10").mean(), 6)
    0.333333
    """

    NEEDS_AT = True

    cutoff: int | None = None

    def continuation(self, gain: Floats, rank: Floats) -> Floats:
        """Not satisfied, and not tired."""
        return rank / (rank + 1) * (1 - gain)


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR10(_CWL):
    """Nearly ERR, equation 10: a user of patience p who stops at a document as likely as it is good.

    C(i) = p * (1 - gain_i)

    Azzopardi, Mackenzie and Moffat 2021, ICTIR.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 3}}, "NERR10(max_rel=3)").mean(), 6)
    0.473684
    """

    AT = None

    p: float = 0.9

    def continuation(self, gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Not satisfied, and patient."""
        return self.p * (1 - gain)


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR11(_CWL):
    """Nearly ERR, equation 11: the user of INSQ who stops at a document as likely as it is good.

    C(i) = ((i + 2T - 1) / (i + 2T))^2 * (1 - gain_i)

    Azzopardi, Mackenzie and Moffat 2021, ICTIR.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 3}}, "NERR11(max_rel=3)").mean(), 6)
    0.307692
    """

    AT = None

    T: float = 1

    def continuation(self, gain: Floats, rank: Floats) -> Floats:
        """Not satisfied, by rank and goal."""
        return _goal(rank, 2.0 * self.T) * (1 - gain)


def _goal(rank: Floats, left: Floats | float) -> Floats:
    """The continuation of INSQ and INST: ((i + left - 1) / (i + left))^2."""
    at: Floats = rank + left
    return ((at - 1) / at) ** 2


# ---- Compatibility: how alike a list is to the best list of its topic.

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
