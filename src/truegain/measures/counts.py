"""Counts of topics and documents, summed over topics, and the labels at the top as a string."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains
from truegain.io.columns import Floats
from truegain.measures.base import Measure


class _Count(Measure):
    AT = None
    mean = "total"
    unjudged_as_zero = False

    @property
    def needs_judged(self) -> bool:
        """Topics, documents and judgments can always be counted."""
        return False

    def bounds(self) -> tuple[float, float]:
        """A count has no greatest value."""
        return 0.0, math.inf

    def defined(self, ranked: RankedGains) -> npt.NDArray[np.bool_]:
        """A count is always defined."""
        return np.ones(len(ranked.topics), np.bool_)


class NumQ(_Count):
    """Number of topics scored.

    trec_eval num_q.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, "NumQ").mean()
    1.0
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return np.ones(ranked.lists)

    def absent(self, ranked: RankedGains) -> Floats:
        """A topic that must count, counts."""
        return np.ones(len(ranked.topics))


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRet(_Count):
    """Number of documents retrieved, or of relevant ones retrieved where `rel` is given.

    trec_eval num_ret, num_rel_ret.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 1.0, "b": 0.5}}, {"1": {"a": 1}}, ["NumRet", "NumRet(rel=1)"]).means("run")
    {'NumRet': 2.0, 'NumRet(rel=1)': 1.0}
    """

    rel: float | None = None

    @property
    def needs_judged(self) -> bool:
        """Relevant ones are judged."""
        return self.rel is not None

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        if self.rel is None:
            return ranked.depth.astype(np.float64)
        return ranked.total(ranked.relevant(self.rel))


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRel(_Count):
    """Number of relevant documents in the judgments.

    Where all judged topics must count (trec_eval -c) the sum is over labels above 0, whatever the level, as
    trec_eval has it.  trec_eval num_rel.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1, "b": 2}}, ["NumRel", "NumRel(rel=2)"]).means("run")
    {'NumRel': 2.0, 'NumRel(rel=2)': 1.0}
    """

    rel: float = 1

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return ranked.per_list(ranked.pool_relevant(self.rel)).astype(np.float64)

    def absent(self, ranked: RankedGains) -> Floats:
        """The judgments are there even where the run is not."""
        return ranked.pool_relevant(self.rel).astype(np.float64)

    def summarize(self, values: Floats, ranked: RankedGains, complete: bool) -> Floats:
        """The sum over topics."""
        if complete:
            return np.full(len(values), float(np.count_nonzero(ranked.item_gain > 0)))
        return super().summarize(values, ranked, complete)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumNonrelJudgedRet(_Count):
    """Number of documents retrieved that were judged and are not relevant.

    trec_eval num_nonrel_judged_ret.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0, "x": 0.0}}, {"1": {"a": 1, "b": 0}}, "NumNonrelJudgedRet").mean()
    1.0
    """

    rel: float = 1

    @property
    def needs_judged(self) -> bool:
        """It counts them."""
        return True

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        return ranked.total(ranked.judged & ~ranked.relevant(self.rel))


@dataclass(frozen=True, kw_only=True, repr=False)
class RelString(Measure):
    """The labels of the first k documents, a character each: 0-9, '>' above 9, '-' unjudged, '.' judged negative.

    A text per topic; there is no mean.  Fractions are cut.  trec_eval relstring.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "x": 2.0, "b": 1.0}}, {"1": {"a": 2, "b": -1}}, "RelString@10").by_topic()
    {'1': '2-.'}
    """

    NEEDS_AT = True
    mean = "none"
    unjudged_as_zero = False
    needs_judged = False

    cutoff: int | None = None

    def per_topic(self, ranked: RankedGains) -> npt.NDArray[Any]:
        """One text per list."""
        width = min(self.cutoff or 0, int(ranked.depth.max(initial=0)))
        codes = np.full((ranked.lists, width), ord("-"), np.uint8)
        inside = ranked.rank <= width
        label = ranked.gain[inside]
        digit = ord("0") + np.clip(np.trunc(label), 0, 9).astype(np.uint8)
        shown = np.where(label < 0, ord("."), np.where(label >= 10, ord(">"), digit))
        codes[ranked.list[inside], ranked.rank[inside] - 1] = shown
        texts = [bytes(row[:n]).decode() for row, n in zip(codes, ranked.depth.tolist(), strict=True)]
        return np.array(texts, object)
