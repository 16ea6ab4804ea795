"""Expected reciprocal rank and other measures of a user who stops at a document with a chance that grows with gain."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.errors import MeasureError
from truegain.measures.base import Gains, Measure, ratio
from truegain.measures.blended import Blend
from truegain.measures.dcg import regained
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


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
        named = self.max_rel in ("scale", "topic")
        sound = named or (not isinstance(self.max_rel, str) and self.max_rel > 0)
        self.require(sound, "max_rel must be a number above 0, 'scale' or 'topic'")

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


@dataclass(frozen=True, kw_only=True, repr=False)
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


@dataclass(frozen=True, kw_only=True, repr=False)
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
