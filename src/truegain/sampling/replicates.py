"""A judge asked several times: every time of asking is left out once; what it moves, documents and topics hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegain.data.pool import earlier
from truegain.io.columns import Codes, Floats, Ints
from truegain.sampling.source import SampledUnits, Source, never_empty

REPLICATES = Source(
    "replicates",
    "time of asking",
    nested_in=("topics", "collection", "assessors"),
    claim="were the judge asked again",
    other="other answers of the same judge",
    cause="changes between the judge's answers",
    shown="the judge's repeated answers",
    within="repeated ratings",
    in_answers={
        "unit": "repeat",
        "claim": "in repeats like these {n}",
        "other": "other repeats",
        "cause": "changes from repeat to repeat",
        "shown": "repeats",
        "within": "repeats",
    },
)


@dataclass(frozen=True, eq=False)
class Replicates(SampledUnits):
    """The times that each assessor was asked about each document, as far as all were asked.

    >>> Replicates.of(np.array([0, 0, 0]), np.array([0, 0, 0])).units
    ('time 1', 'time 2', 'time 3')
    """

    SOURCE: ClassVar[Source] = REPLICATES
    asked: Ints  # of each rating: how often the same assessor had rated the document before
    item: Ints  # of each rating: the document
    most: int  # times that anybody was asked about one document

    @classmethod
    def of(cls, assessor: Codes, item: Ints) -> Replicates:
        """From who rated what, one row a rating."""
        key = item * (int(assessor.max(initial=0)) + 1) + assessor
        times = np.unique(key, return_counts=True)[1]
        units = tuple(f"time {i + 1}" for i in range(int(times.min())))
        return cls(units, earlier(key), item, int(times.max()))

    def left_out(self) -> Iterator[Floats]:
        """Weights of the ratings without each time of asking in turn."""
        for time in range(len(self)):
            yield never_empty(self.asked != time, self.item)
