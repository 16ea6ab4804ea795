"""Gold labels, or labels of sampled holes: many, each with its chance to be drawn; topics hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegain.sampling.source import SampledUnits, Source
from truegain.tables.columns import Bools, Codes, Floats
from truegain.tables.pool import Pool

GOLD = Source("gold", "gold label", nested_in=("topics",), labels=True)
HOLES = Source("holes", "sampled hole", nested_in=("topics",), labels=True)


@dataclass(frozen=True, eq=False)
class Gold(SampledUnits):
    """Pairs whose labels were drawn: topic and document, how many pairs each stands for, and of how many in all."""

    SOURCE: ClassVar[Source] = GOLD
    expansion: Floats
    of: int

    @classmethod
    def drawn(cls, pool: Pool, drawn: Bools, expansion: Floats, of: int | None = None) -> Gold:
        """The drawn items of a pool; `expansion` is per item."""
        at = np.flatnonzero(drawn)
        topics = (pool.topics[t] for t in pool.topic[at].tolist())
        names = tuple(f"{t} {d}" for t, d in zip(topics, pool.docs.take(at).strings(), strict=True))
        return cls(names, expansion[at], len(pool) if of is None else of)


def judged_whole(topic: Codes, drawn: Bools, topics: int) -> tuple[Bools, Bools]:
    """Topics all of whose pairs were drawn, and those of which some were and some were not.

    >>> [x.tolist() for x in judged_whole(np.array([0, 0, 1, 1, 2], np.int32), np.array([1, 1, 1, 0, 0], bool), 3)]
    [[True, False, False], [False, True, False]]
    """
    there, has = np.bincount(topic, minlength=topics), np.bincount(topic[drawn], minlength=topics)
    return np.asarray(has == there), np.asarray((has > 0) & (has < there))
