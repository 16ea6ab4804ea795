"""Precision interpolated at levels of recall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Binary
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, kw_only=True, repr=False)
class IPrec(Binary):
    """Highest precision at any rank where a share x of the relevant documents, or more, has been found.

    IPrec@x = max of C(i) / i over ranks i with C(i) >= max(cut, 1), cut = x * R rounded; 0 if cut is never reached

    cut is round(x * R) as in trec_eval 10, or trunc(x * R + 0.9) as in trec_eval 9 (option trec_eval).
    An empty list scores 0, where trec_eval prints nan.  trec_eval iprec_at_recall_x.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 3.0, "a": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "IPrec@0.5").mean()
    0.6666666666666666
    """

    AT = "recall"
    NEEDS_AT = True

    recall: float | None = None

    def check(self) -> None:
        """Recall is a share."""
        super().check()
        self.require(self.recall is None or 0 <= self.recall <= 1, "recall must lie between 0 and 1")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return interpolated(ranked, self.rel, self.recall or 0.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class IPrecAvg(Binary):
    """Interpolated precision averaged over recall 0.0, 0.1, ... 1.0.

    IPrecAvg = (1/11) sum of IPrec@x over the eleven x

    trec_eval 11pt_avg.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"b": 3.0, "a": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "IPrecAvg").mean(), 4)
    0.6667
    """

    AT = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        total = np.zeros(ranked.lists)
        for tenth in range(11):
            total += interpolated(ranked, self.rel, tenth / 10)
        return total / 11


def interpolated(ranked: RankedGains, level: float, recall: float) -> Floats:
    """Interpolated precision of each list at one level of recall."""
    share = recall * ranked.pool_relevant(level)
    cut = np.floor(share + 0.5) if ranked.trec_eval >= 10 else np.trunc(share + 0.9)
    found = ranked.found(level)
    reached = found.count >= np.maximum(cut, 1)[ranked.list_topic[found.list]]
    best = np.zeros(ranked.lists)
    np.maximum.at(best, found.list[reached], found.count[reached] / found.rank[reached])
    return best
