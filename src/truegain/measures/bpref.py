"""Binary preference: how seldom a judged non-relevant document stands above a relevant one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Binary, ratio
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, kw_only=True, repr=False)
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


@dataclass(frozen=True, kw_only=True, repr=False)
class GMBpref(Bpref):
    """Geometric mean of Bpref over topics, each raised to at least 0.00001.

    GMBpref = exp(mean of ln max(Bpref, 0.00001)); the value of a topic is its Bpref

    trec_eval gm_bpref.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1, "b": 0}}, "GMBpref").mean()
    1.0
    """

    mean = "geometric"
