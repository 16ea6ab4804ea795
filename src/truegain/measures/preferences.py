"""Preference measures: Bpref and its relatives in NTCIREVAL, with other penalties and between grades."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains, running
from truegain.errors import MeasureError
from truegain.io.columns import Floats
from truegain.measures.base import Binary, Gains, Measure, ratio
from truegain.measures.dcg import check_max_rel, regained
from truegain.measures.q_measure import ANY

# ---- Binary preference: how seldom a judged non-relevant document stands above a relevant one.


class Bpref(Binary):
    """Share of preferences kept between relevant and judged non-relevant documents; unjudged ones play no part.

    Bpref = (1/R) sum over retrieved relevant d of 1 - min(b(d), R) / min(N, R), b(d) the judged non-relevant above d

    Buckley and Voorhees 2004, SIGIR; trec_eval bpref.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 3.0, "x": 2.0, "a": 1.0}}, {"1": {"a": 1, "c": 1, "b": 0, "e": 0}}, "Bpref").mean()
    0.25
    """

    AT = None
    unjudged_as_zero = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        possible = ranked.pool_relevant(self.rel)
        bound = np.minimum(ranked.pool_nonrelevant(self.rel), possible)
        relevant = ranked.relevant(self.rel)
        above = ranked.running(ranked.judged & ~relevant)
        topic = ranked.list_topic[ranked.list]
        kept = 1 - ratio(np.minimum(above, possible[topic]), bound[topic])
        return ratio(ranked.total(np.where(relevant, kept, 0.0)), ranked.per_list(possible))


class GMBpref(Bpref):
    """Geometric mean of Bpref over topics, each raised to at least 0.00001.

    GMBpref = exp(mean of ln max(Bpref, 0.00001)); the value of a topic is its Bpref

    trec_eval gm_bpref.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1, "b": 0}}, "GMBpref").mean()
    1.0
    """

    mean = "geometric"


# ---- Preference measures of NTCIREVAL: like Bpref, with other penalties, and with penalties between grades.


class _Preference(Measure):
    AT = None
    unjudged_as_zero = False

    def counts(self, view: RankedGains) -> tuple[Floats, Floats]:
        """Relevant and judged non-relevant documents of the topic of each entry."""
        topic = view.list_topic[view.list]
        return view.pool_relevant(ANY)[topic].astype(float), view.pool_nonrelevant(ANY)[topic].astype(float)


class _BinaryPreference(_Preference):
    @abstractmethod
    def kept(self, view: RankedGains, above: Floats) -> Floats:
        """What each relevant entry adds, given the judged non-relevant documents above it."""

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = ranked.condensed
        relevant = view.gain > 0
        kept = self.kept(view, view.rank - view.running(relevant))
        return ratio(view.total(np.where(relevant, kept, 0.0)), view.per_list(view.pool_relevant(ANY)))


class BprefN(_BinaryPreference):
    """Share of the judged non-relevant documents that stand below each relevant one.

    bpref_N = (1/R) sum over retrieved relevant d of 1 - b(d) / N, b(d) the judged non-relevant above d

    NTCIREVAL bpref_N.  Sakai 2007, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 3.0, "x": 2.0, "a": 1.0}}, {"1": {"a": 1, "b": 0, "e": 0}}, "bpref_N").mean()
    0.5
    """

    NAME = "bpref_N"

    def kept(self, view: RankedGains, above: Floats) -> Floats:
        """Penalty as a share of N."""
        return 1 - ratio(above, self.counts(view)[1])


class BprefR(_BinaryPreference):
    """Bpref with the penalty always divided by R, even where fewer non-relevant documents were judged.

    bpref_R = (1/R) sum over retrieved relevant d of 1 - min(b(d), R) / R, b(d) the judged non-relevant above d

    NTCIREVAL bpref_R.  Buckley and Voorhees 2004, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 3.0, "x": 2.0, "a": 1.0}}, {"1": {"a": 1, "c": 1, "b": 0}}, "bpref_R").mean()
    0.25
    """

    NAME = "bpref_R"

    def kept(self, view: RankedGains, above: Floats) -> Floats:
        """Penalty as a share of R."""
        possible = self.counts(view)[0]
        return 1 - ratio(np.minimum(above, possible), possible)


class BprefRelative(_BinaryPreference):
    """Bpref with the penalty divided by the number of judged documents above.

    bpref_relative = (1/R) sum over retrieved relevant d of 1 - b(d) / (r - 1), 0 for r = 1, r the rank of d among
    judged documents and b(d) the judged non-relevant above it

    The 0 at the first rank is NTCIREVAL's: a relevant document there adds nothing.  Sakai 2007, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1, "b": 0}}, "bpref_relative").mean()
    0.25
    """

    NAME = "bpref_relative"

    def kept(self, view: RankedGains, above: Floats) -> Floats:
        """Penalty as a share of what stands above."""
        return np.where(view.rank > 1, 1 - ratio(above, view.rank - 1), 0.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class _GradedPreference(_Preference):
    gains: Gains | None = None

    @abstractmethod
    def kept(self, view: RankedGains, penalty: Floats) -> Floats:
        """The share of its gain that each entry adds."""

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = regained(ranked.condensed, self.gains)
        gain = np.maximum(view.gain, 0.0)
        lower, their_gain = below_before(view, gain)
        kept = self.kept(view, lower - ratio(their_gain, gain))
        best = view.pool_total(np.maximum(view.item_gain, 0.0))
        return ratio(view.total(gain * kept), view.per_list(best))


@dataclass(frozen=True, kw_only=True, repr=False)
class RprefN(_GradedPreference):
    """Gain kept when each document pays for those of lower gain above it, as a share of what it could pay.

    rpref_N = (1/cg*) sum over relevant ranks r of g(r) (1 - pen(r) / (R + N - cg*/max_rel)), cg* the sum of all gains,
    pen(r) = sum over j < r with g(j) < g(r) of (g(r) - g(j)) / g(r), ranks among judged documents

    max_rel is the highest gain: a number, 'scale' for the highest in the judgments, 'topic' for the topic's highest.
    NTCIREVAL rpref_N.  De Beer and Moens 2006, SIGIR; Sakai 2007, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 3.0, "x": 2.0, "a": 1.0}}, {"1": {"a": 2, "b": 0, "c": 0}}, "rpref_N").mean()
    0.5
    """

    NAME = "rpref_N"

    max_rel: float | str = "scale"

    def check(self) -> None:
        """A highest gain that is one."""
        check_max_rel(self, self.max_rel)

    def kept(self, view: RankedGains, penalty: Floats) -> Floats:
        """Penalty as a share of the largest possible."""
        highest = view.pool_highest(view.item_gain)
        if self.max_rel == "scale":
            highest = np.full(len(highest), highest.max(initial=0.0))
        elif not isinstance(self.max_rel, str):
            if highest.max(initial=0.0) > self.max_rel:
                raise MeasureError(f"{self}: a gain of {highest.max():g} is above max_rel; write max_rel='scale'")
            highest = np.full(len(highest), float(self.max_rel))
        shares = ratio(view.pool_total(np.maximum(view.item_gain, 0.0)), highest)
        relevant, nonrelevant = self.counts(view)
        return 1 - ratio(penalty, relevant + nonrelevant - shares[view.list_topic[view.list]])


class RprefRelative(_GradedPreference):
    """Gain kept when each document pays for those of lower gain above it, divided by the documents above it.

    rpref_relative = (1/cg*) sum over relevant ranks r > 1 of g(r) (1 - pen(r) / (r - 1)), pen as in rpref_N

    The document at the first rank adds nothing.  NTCIREVAL rpref_relative.  De Beer and Moens 2006, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 2, "b": 0}}, "rpref_relative").mean()
    0.16666666666666666
    """

    NAME = "rpref_relative"

    def kept(self, view: RankedGains, penalty: Floats) -> Floats:
        """Penalty as a share of what stands above."""
        return np.where(view.rank > 1, 1 - ratio(penalty, view.rank - 1), 0.0)


class RprefRelative2(_GradedPreference):
    """Gain kept when each document pays for those of lower gain above it, divided by its rank.

    rpref_relative2 = (1/cg*) sum over relevant ranks r of g(r) (1 - pen(r) / r), pen as in rpref_N

    NTCIREVAL rpref_relative2.  Sakai 2007, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 2, "b": 0}}, "rpref_relative2").mean()
    0.6666666666666666
    """

    NAME = "rpref_relative2"

    def kept(self, view: RankedGains, penalty: Floats) -> Floats:
        """Penalty as a share of the rank."""
        return 1 - penalty / view.rank


def below_before(ranked: RankedGains, value: npt.NDArray[np.float64]) -> tuple[Floats, Floats]:
    """For each entry, how many entries above it in its list have a lower value, and the sum of their values.

    Merge sort turned sideways: at each doubling of the block size every entry in the right half of a block meets
    those in the left half, all of which stand above it.
    """
    count, total = np.zeros(len(value)), np.zeros(len(value))
    position = np.arange(len(value)) - ranked.begin[ranked.list]
    for bit in range(int(position.max(initial=0)).bit_length()):
        right = (position >> bit) & 1 == 1
        block = position >> (bit + 1)
        order = np.lexsort((~right, value, block, ranked.list))  # at equal values the right half comes first
        left = ~right[order]
        fresh = np.diff(block[order], prepend=-1) != 0
        fresh |= np.diff(ranked.list[order], prepend=-1) != 0
        begin = np.append(np.flatnonzero(fresh), len(order))
        count[order] += np.where(left, 0.0, running(np.add, left, begin))
        total[order] += np.where(left, 0.0, running(np.add, np.where(left, value[order], 0.0), begin))
    return count, total
