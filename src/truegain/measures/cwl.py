"""C/W/L measures: expected gain per document inspected, from how likely the user is to go on."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from truegain.errors import MeasureError
from truegain.measures.base import Measure
from truegain.tables.columns import Bools, Floats
from truegain.tables.ranked import RankedGains

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
            raise MeasureError(
                f"{self} needs max_rel, the label that is worth a gain of 1; write {self.NAME}(max_rel=3)"
            )
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
