"""Q-measure and its relatives: precision and gain blended into one ratio (NTCIREVAL)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Gains, Measure, ratio
from truegain.measures.dcg import regained
from truegain.tables.columns import Bools, Floats
from truegain.tables.ranked import RankedGains

ANY = float(np.nextafter(0, 1))  # the smallest gain there is: a document with it or more is relevant


@dataclass(frozen=True, eq=False)
class Blend:
    """For each entry of the lists: is it relevant, how many are by then, and the blended ratio there."""

    relevant: Bools
    found: Floats
    ratio: Floats

    @classmethod
    def of(cls, ranked: RankedGains, beta: float) -> Blend:
        """BR(r) = (C(r) + beta cg(r)) / (r + beta cg*(r)), cg* being the cumulative gain of the best list."""
        gain = np.maximum(ranked.gain, 0.0)
        relevant = gain > 0
        found = ranked.running(relevant)
        best = ranked.ideal(np.maximum(ranked.item_gain, 0.0)).total_to(ranked.list_topic[ranked.list], ranked.rank)
        return cls(relevant, found, (found + beta * ranked.running(gain)) / (ranked.rank + beta * best))


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


@dataclass(frozen=True, kw_only=True, repr=False)
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
        return view.total(np.where(blend.relevant & (blend.found == 1), blend.ratio, 0.0))


@dataclass(frozen=True, kw_only=True, repr=False)
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


@dataclass(frozen=True, kw_only=True, repr=False)
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
        return view.total(np.where(preferred(view), ratio(so_far, blend.found), 0.0))


@dataclass(frozen=True, kw_only=True, repr=False)
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
