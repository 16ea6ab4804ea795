"""Assessors: few, so each is left out once; crossed with topics and documents, unless each has topics of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from truegain.io.columns import Bools, Codes, Floats, Ints
from truegain.sampling.source import SampledUnits, Source, never_empty

ASSESSORS = Source(
    "assessors",
    "assessor",
    crossed_with=("topics", "collection"),
    claim="by assessors like these {n}",
    other="other assessors",
    cause="having few assessors",
    shown="assessors",
    units="Assessors",
    left_out=True,
    method="Assessors are crossed with topics: variance shared by both is counted once (Cameron, Gelbach and Miller "
    "2011).",
    cites=("cameron2011",),
    in_answers={
        "unit": "judge",
        "claim": "by judges like these {n}",
        "other": "other judges",
        "cause": "having few judges",
        "shown": "judges",
        "units": "Judges",
        "method": "Judges are crossed with topics: variance shared by both is counted once (Cameron, Gelbach and "
        "Miller 2011).",
    },
)


@dataclass(frozen=True, eq=False)
class Assessors(SampledUnits):
    """Who rated: one row a rating.

    >>> two = Assessors(("x", "y"), np.array([0, 1, 0]), np.array([0, 0, 1]), np.array([0, 0]))
    >>> [row.tolist() for row in two.left_out()]  # nobody else rated the second document
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]
    """

    SOURCE: ClassVar[Source] = ASSESSORS
    assessor: Codes  # of each rating
    item: Ints  # of each rating: the document
    topic: Codes  # of each document

    @cached_property
    def nested_because(self) -> str:
        """Why topics hold these assessors; nothing where the two are crossed."""
        cells = np.unique(np.stack([self.topic[self.item], self.assessor]), axis=1)
        if cells.shape[1] == len(np.unique(cells[0])):
            return "every topic has one assessor"
        return "every assessor rated one topic only" if cells.shape[1] == len(np.unique(cells[1])) else ""

    @cached_property
    def rated_once(self) -> int:
        """Documents with one rating, which tell nothing of how assessors differ."""
        return int((np.bincount(self.item) == 1).sum())

    def left_out(self, where: Bools | None = None) -> Iterator[Floats]:
        """Weights of the ratings without each assessor in turn, everywhere or on some documents only.

        A document that only they have rated keeps its rating.
        """
        for code in range(len(self)):
            kept = self.assessor != code
            yield never_empty(kept if where is None else kept | ~where[self.item], self.item)
