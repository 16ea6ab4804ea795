"""Q-measure and its relatives of NTCIREVAL: precision and gain blended, and normalized cumulative utility."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from truegain.data.pool import RankedGains
from truegain.io.columns import Bools, Floats
from truegain.measures.base import Gains, Measure, ratio
from truegain.measures.dcg import mapped, regained

# ---- Q-measure and its relatives: precision and gain blended into one ratio (NTCIREVAL).

ANY = float(np.nextafter(0, 1))  # the smallest gain there is: a document with it or more is relevant


@dataclass(frozen=True, eq=False)
class Blend:
    """For each entry of the lists: is it relevant, how many are by then, and the blended ratio there."""

    relevant: Bools
    hits: Floats
    ratio: Floats

    @classmethod
    def of(cls, ranked: RankedGains, beta: float) -> Blend:
        """BR(r) = (C(r) + beta cg(r)) / (r + beta cg*(r)), cg* being the cumulative gain of the best list."""
        gain = np.maximum(ranked.gain, 0.0)
        relevant = gain > 0
        hits = ranked.running(relevant)
        best = ranked.ideal(np.maximum(ranked.item_gain, 0.0)).total_to(ranked.list_topic[ranked.list], ranked.rank)
        return cls(relevant, hits, (hits + beta * ranked.running(gain)) / (ranked.rank + beta * best))


@dataclass(frozen=True, kw_only=True, repr=False)
class _Blended(Measure):
    cutoff: int | None = None
    beta: float = 1
    gains: Gains | None = None
    judged_only: bool = False

    def check(self) -> None:
        """A negative weight of gain could make the ratio infinite."""
        self.require(self.beta >= 0, "beta must not be negative")

    def view(self, ranked: RankedGains) -> RankedGains:
        """The lists as the measure sees them: cut, and with its gains."""
        return regained(ranked.cut(self.cutoff), self.gains)


class O(_Blended):  # noqa: E742
    """Blended ratio at the first relevant document, for a user who needs only one.

    O = BR(r1), BR(r) = (C(r) + beta cg(r)) / (r + beta cg*(r)), r1 the rank of the first relevant document

    NTCIREVAL O-measure.  Sakai 2006, AIRS.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"x": 2.0, "a": 1.0}}, {"1": {"a": 1, "b": 3}}, "O").mean()
    0.3333333333333333
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = self.view(ranked)
        blend = Blend.of(view, self.beta)
        return view.total(np.where(blend.relevant & (blend.hits == 1), blend.ratio, 0.0))


class Pm(_Blended):
    """Blended ratio at the preferred rank, that of the first of the best documents in the list.

    P-measure = BR(rp), rp the first rank that has the highest gain found in the list

    NTCIREVAL P-measure.  Sakai 2006, AIRS.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "P-measure").mean()
    1.0
    """

    NAME = "P-measure"

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = self.view(ranked)
        return view.total(np.where(preferred(view), Blend.of(view, self.beta).ratio, 0.0))


class PPlus(_Blended):
    """Mean of the blended ratio over the relevant documents down to the preferred rank, where the user stops.

    P+ = (1/C(rp)) sum over relevant ranks r <= rp of BR(r), rp the first rank with the highest gain in the list

    With a cutoff the list is cut before the preferred rank is sought.  NTCIREVAL P-plus.  Sakai 2006, AIRS.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "P+").mean()
    0.75
    """

    NAME = "P+"

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = self.view(ranked)
        blend = Blend.of(view, self.beta)
        so_far = view.running(np.where(blend.relevant, blend.ratio, 0.0))
        return view.total(np.where(preferred(view), ratio(so_far, blend.hits), 0.0))


class Q(_Blended):
    """Mean over the relevant documents of the blended ratio at their ranks, 0 for those not retrieved (by rank k).

    Q@k = (1/min(k, R)) sum over relevant ranks r <= k of BR(r); without a cutoff divided by R; AP when beta = 0

    NTCIREVAL Q-measure and Q@k.  Sakai 2004, NTCIR-4 workshop.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, ["Q", "Q@1"]).means("run")
    {'Q': 0.75, 'Q@1': 0.5}
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = self.view(ranked)
        blend = Blend.of(view, self.beta)
        possible = view.per_list(view.pool_relevant(ANY))
        if self.cutoff is not None:
            possible = np.minimum(possible, self.cutoff)
        return ratio(view.total(np.where(blend.relevant, blend.ratio, 0.0)), possible)


@dataclass(frozen=True, kw_only=True, repr=False)
class nG(Measure):
    """Cumulative gain of the first k documents as a share of the best possible.

    nG@k = cg(k) / cg*(k); nG@1 is the nDCG@1 of any discount

    NTCIREVAL.  Jarvelin and Kekalainen 2002, ACM TOIS 20(4).

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, ["nG@1", "nG@2"]).means("run")
    {'nG@1': 0.3333333333333333, 'nG@2': 1.0}
    """

    NEEDS_AT = True

    cutoff: int | None = None
    gains: Gains | None = None
    judged_only: bool = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = regained(ranked.cut(self.cutoff), self.gains)
        ideal = view.ideal(np.maximum(view.item_gain, 0.0))
        best = ideal.total(np.where(self.within(ideal.rank), ideal.value, 0.0))
        return ratio(view.total(np.maximum(view.gain, 0.0)), view.per_list(best))


def preferred(ranked: RankedGains) -> Bools:
    """The first entry of each list that has the highest gain in it, if that is positive."""
    best: Bools = (ranked.gain > 0) & (ranked.gain == ranked.highest(ranked.gain)[ranked.list])
    first: Bools = best & (ranked.running(best) == 1)
    return first


# ---- Normalized cumulative utility: a measure of utility averaged over where users may stop (NTCIREVAL).


@dataclass(frozen=True, kw_only=True, repr=False)
class _Utility(Measure):
    AT = None
    BLENDED = False

    gains: Gains | None = None
    beta: float = 1
    judged_only: bool = False

    def check(self) -> None:
        """A negative weight of gain could make the ratio infinite."""
        self.require(self.beta >= 0, "beta must not be negative")

    @abstractmethod
    def stopping(self, labeled: RankedGains, blend: Blend) -> tuple[Floats, Floats]:
        """The weight of stopping at each entry, and the sum of the weights of all relevant documents per topic."""

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = regained(ranked, self.gains)
        blend = Blend.of(view, self.beta)
        utility = blend.ratio if self.BLENDED else blend.hits / view.rank
        weight, total = self.stopping(ranked, blend)
        return ratio(view.total(np.where(blend.relevant, utility * weight, 0.0)), view.per_list(total))


@dataclass(frozen=True, kw_only=True, repr=False)
class _GradedUniform(_Utility):
    stops: Gains | None = None

    def stopping(self, labeled: RankedGains, blend: Blend) -> tuple[Floats, Floats]:  # noqa: ARG002
        """In proportion to the stop value of the label, its gain unless `stops` says otherwise."""
        relevant = regained(labeled, self.gains).item_gain > 0
        table = self.gains if self.stops is None else self.stops
        weight = mapped(labeled.gain, table)
        return weight, labeled.pool_total(np.where(relevant, mapped(labeled.item_gain, table), 0.0))


@dataclass(frozen=True, kw_only=True, repr=False)
class _RankBiased(_Utility):
    gamma: float = 0.95

    def check(self) -> None:
        """A share."""
        super().check()
        self.require(0 < self.gamma <= 1, "gamma must be above 0 and at most 1")

    def stopping(self, labeled: RankedGains, blend: Blend) -> tuple[Floats, Floats]:
        """Falling by gamma from one relevant document to the next."""
        possible = regained(labeled, self.gains).pool_relevant(ANY)
        steps = np.cumsum(self.gamma ** np.arange(int(possible.max(initial=0))))
        total = np.concatenate([[0.0], steps])[possible]
        return np.asarray(self.gamma ** (blend.hits - 1.0)), total


class NCUguP(_GradedUniform):
    """Precision where the user stops, who stops at a relevant document in proportion to its grade.

    NCUgu_P = sum over relevant ranks r of (C(r)/r) s(r) / sum over all relevant documents of s

    `stops={1:1,2:1,3:5}` maps labels to stop values s; without it they are the gains.
    NTCIREVAL NCUgu,P.  Sakai and Robertson 2008, EVIA.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"x": 3.0, "a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "NCUgu_P").mean()
    0.625
    """

    NAME = "NCUgu_P"


class NCUguBR(_GradedUniform):
    """Blended ratio where the user stops, who stops at a relevant document in proportion to its grade.

    NCUgu_BR = sum over relevant ranks r of BR(r) s(r) / sum over all relevant documents of s, BR as in Q

    `stops` as in NCUgu_P.  NTCIREVAL NCUgu,BR.  Sakai and Robertson 2008, EVIA.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "NCUgu_BR").mean()
    0.875
    """

    NAME = "NCUgu_BR"
    BLENDED = True


class NCUrbP(_RankBiased):
    """Precision where the user stops, who goes from one relevant document to the next with probability gamma.

    NCUrb_P = sum over relevant ranks r of (C(r)/r) gamma^(C(r) - 1) / sum over i = 1..R of gamma^(i - 1)

    NTCIREVAL NCUrb,P.  Sakai and Robertson 2008, EVIA.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "x": 1.0}}, {"1": {"a": 1, "b": 3}}, "NCUrb_P(gamma=0.5)").mean()
    0.6666666666666666
    """

    NAME = "NCUrb_P"


class NCUrbBR(_RankBiased):
    """Blended ratio where the user stops, who goes from one relevant document to the next with probability gamma.

    NCUrb_BR = sum over relevant ranks r of BR(r) gamma^(C(r) - 1) / sum over i = 1..R of gamma^(i - 1), BR as in Q

    NTCIREVAL NCUrb,BR.  Sakai and Robertson 2008, EVIA.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "NCUrb_BR(gamma=0.5)").mean()
    0.6666666666666666
    """

    NAME = "NCUrb_BR"
    BLENDED = True
