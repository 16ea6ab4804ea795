"""Precision, recall and their relatives: counts of relevant documents near the top."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Binary, ratio
from truegain.tables.columns import Bools, Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, kw_only=True, repr=False)
class _AtCutoff(Binary):
    NEEDS_AT = True

    cutoff: int | None = None

    def found(self, ranked: RankedGains) -> Floats:
        """Relevant documents among the first k, C(k)."""
        found = ranked.found(self.rel)
        return found.total(self.within(found.rank))


@dataclass(frozen=True, kw_only=True, repr=False)
class P(_AtCutoff):
    """Share of the first k documents that are relevant; ranks beyond the end of the list count as not relevant.

    P@k = C(k) / k

    trec_eval P_k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "P@2").mean()
    0.5
    """

    linear_in_gains = True

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return self.found(ranked) / float(self.cutoff or 1)

    def rank_weights(self, depth: int) -> Floats:
        """Every rank down to k alike."""
        return self.within(np.arange(1, depth + 1)) / float(self.cutoff or 1)

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """1 where relevant."""
        return ((label >= self.rel) & ((label >= 0) if judged is None else judged)).astype(np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class R(_AtCutoff):
    """Share of the relevant documents that are among the first k.

    R@k = C(k) / R

    trec_eval recall_k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "R@2").mean()
    0.5
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return ratio(self.found(ranked), ranked.per_list(ranked.pool_relevant(self.rel)))


@dataclass(frozen=True, kw_only=True, repr=False)
class RelP(_AtCutoff):
    """Precision at k as a share of the best precision possible.

    RelP@k = C(k) / min(k, R)

    trec_eval relative_P_k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "RelP@3").mean()
    1.0
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        best = np.minimum(ranked.per_list(ranked.pool_relevant(self.rel)), self.cutoff or 0)
        return ratio(self.found(ranked), best)


@dataclass(frozen=True, kw_only=True, repr=False)
class Success(_AtCutoff):
    """Whether there is a relevant document among the first k.

    Success@k = [C(k) > 0]

    trec_eval success_k; NTCIREVAL Hit@k.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 2.0, "a": 1.0}}, {"1": {"a": 1}}, ["Success@1", "Success@2"]).means("run")
    {'Success@1': 0.0, 'Success@2': 1.0}
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return (self.found(ranked) > 0).astype(np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class Rprec(Binary):
    """Precision after as many documents as there are relevant ones (or `mult` times as many).

    Rprec = C(c) / c with c = trunc(mult * R + 0.9), which is R for mult = 1

    trec_eval Rprec, Rprec_mult_x.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}, "Rprec").mean()
    0.5
    """

    AT = None

    mult: float = 1.0

    def check(self) -> None:
        """A multiple must be positive."""
        super().check()
        self.require(self.mult > 0, "mult must be above 0")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        c = ranked.per_list(np.trunc(self.mult * ranked.pool_relevant(self.rel) + 0.9))
        found = ranked.found(self.rel)
        return ratio(found.total(found.rank <= c[found.list]), c)


@dataclass(frozen=True, kw_only=True, repr=False)
class RR(Binary):
    """Reciprocal rank of the first relevant document, 0 if there is none (among the first k).

    RR = 1 / rank of the first relevant document

    trec_eval recip_rank.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"b": 2.0, "a": 1.0}}, {"1": {"a": 1}}, "RR").mean()
    0.5
    """

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        found = ranked.found(self.rel)
        first = (found.count == 1) & self.within(found.rank)
        return found.total(first / found.rank)
