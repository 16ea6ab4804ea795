"""How much of what was retrieved has been judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Measure, ratio
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, kw_only=True, repr=False)
class Judged(Measure):
    """Share of the first k documents (or of all) that have a judgment, a negative one included.

    Judged@k = judged documents among the first k / min(k, n); 0 for an empty list

    ir_measures Judged@k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 0}}, ["Judged@2", "Judged@1"]).means()
    {'Judged@2': 0.5, 'Judged@1': 1.0}
    """

    unjudged_as_zero = False
    needs_judged = False

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        depth = ranked.depth if self.cutoff is None else np.minimum(ranked.depth, self.cutoff)
        return ratio(ranked.total(self.within(ranked.rank)), depth)


@dataclass(frozen=True, kw_only=True, repr=False)
class Unjudged(Measure):
    """Documents without a judgment, or with a negative one, among the first k, over k however short the list is.

    Unjudged@k = unjudged documents among the first k / k

    trec_eval 10 unj_k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 0}}, "Unjudged@4").mean()
    0.25
    """

    NEEDS_AT = True
    unjudged_as_zero = False
    needs_judged = False

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        k = self.cutoff or 1
        return (np.minimum(ranked.depth, k) - ranked.total(ranked.judged & (ranked.rank <= k))) / k
