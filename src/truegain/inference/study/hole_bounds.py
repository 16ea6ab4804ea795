"""How far unjudged documents could move differences, all pairs of systems at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from truegain.contrasts import Contrasts
from truegain.errors import TruegainError
from truegain.inference.holes.extremes import Ratio, extremes_of, is_known
from truegain.inference.holes.filled import Filled
from truegain.inference.holes.first_ranks import FirstRanks
from truegain.inference.study.hidden import Hidden, more_variance
from truegain.inference.study.undoing import ROUNDING
from truegain.measures.base import Measure
from truegain.tables.columns import Bools, Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, eq=False)
class HoleBounds:
    """System by system: by how much the first less the second could rise, and the variance over topics with it.

    The bound on topic t is d_t + r_t, what labels say and what holes could add; its mean over topics like these is
    known no better than its own variance tells, V(d + r) = V(d) + `more`.  Whatever the labels of holes are, the mean
    of the differences lies below that of the bounds: so does its limit (Horowitz and Manski 2000, JASA 95).
    """

    rise: Floats
    more: Floats

    @classmethod
    def of_pair(cls, hidden: Hidden, asked: Contrasts, systems: int, over_topics: bool = True) -> HoleBounds:
        """The same of one pair, b - a, where only these two lists are looked at."""
        rise, more = np.zeros((2, systems, systems))
        a, b = int(asked.a[0]), int(asked.b[0])
        rise[a, b], rise[b, a] = -hidden.least, hidden.most
        more[a, b], more[b, a] = hidden.more if over_topics else (0.0, 0.0)
        return cls(rise, more)

    def sides(self, asked: Contrasts) -> tuple[Floats, Floats, Floats, Floats]:
        """Of each b - a: how far it could fall and rise, at least 0, and how much variance goes with either."""
        a, b = asked.a, asked.b
        return self.rise[a, b], self.rise[b, a], self.more[a, b], self.more[b, a]


def hole_bounds_of(ranked: RankedGains, measure: Measure, own: Bools, over_topics: bool) -> HoleBounds:
    """What the holes of all lists could do; an error where nothing is known of that.

    own: systems with unjudged documents where the measure looks.  Where one of a pair has some, further documents, down
    to the depth of `tg.unjudged`, may be relevant too; where neither has, those that any list shows to the measure may.
    Where the measure's worst and best over all labels are not known, it is about first ranks (`FirstRanks`).
    """
    n, topics = len(ranked.systems), len(ranked.topics)
    rise, by_now, square, now = np.zeros((4, n, n))
    score, every = _first_ranks(ranked, measure) if not is_known(measure) else _all_labels(ranked, measure, own)
    for t, far in enumerate(every):
        d = (score[:, t][:, None] - score[:, t][None, :]) / topics
        r = np.where(far - d > ROUNDING, far - d, 0.0)
        np.fill_diagonal(r, 0.0)
        rise, by_now, square, now = rise + r, by_now + d * r, square + r * r, now + d
    return HoleBounds(rise, more_variance(rise, by_now, square, now, topics) if over_topics else np.zeros((n, n)))


def _first_ranks(ranked: RankedGains, measure: Measure) -> tuple[Floats, Iterator[Floats]]:
    """Scores, and topic by topic how far a part of a mean could be ahead of another's; see `FirstRanks`."""
    ranks, topics = FirstRanks(ranked, measure), len(ranked.topics)
    return ranks.score, (ranks.greatest(t) / topics for t in range(topics))


def _all_labels(ranked: RankedGains, measure: Measure, own: Bools) -> tuple[Floats, Iterator[Floats]]:
    """The same over all labels of all holes."""
    filled = Filled.by_key(ranked, measure)
    score = measure.score(filled.ranked)
    if np.isnan(score).any():
        raise TruegainError(f"{measure}: a system lacks a topic")
    extremes, within = extremes_of(filled, measure), measure.within(filled.ranked.rank)
    n, topics = len(ranked.systems), len(ranked.topics)
    share = np.append(np.full(n, 1 / topics), 1.0)
    closed = np.flatnonzero(~own) if isinstance(extremes, Ratio) else np.zeros(0, np.int64)

    def farthest(t: int) -> Floats:
        topic = filled.topic(t, within)
        far = extremes.greatest(topic, share)[:n, :n]
        if len(closed):  # below the cutoff of all lists nothing is in question
            few = replace(topic, count=topic.columns).of_systems(closed)
            far[np.ix_(closed, closed)] = extremes.greatest(few, share[np.append(closed, n)])[:-1, :-1]
        return far

    return score, (farthest(t) for t in range(topics))
