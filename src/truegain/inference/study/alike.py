"""Two systems that rank the judged documents alike: whatever the labels are, their scores are the same."""

from __future__ import annotations

import numpy as np

from truegain.measures.base import Measure
from truegain.tables.columns import Ints
from truegain.tables.ranked import RankedGains

ALIKE = "both rank the judged documents identically in every topic"


def ranked_alike(ranked: RankedGains, measure: Measure, a: int, b: int) -> bool:
    """Whether two systems have the same judged documents at the same ranks, where a measure looks, in every topic.

    >>> import truegain as tg
    >>> orders = {"a": {"x": 2.0, "y": 1.0}, "b": {"y": 2.0, "x": 1.0}, "c": {"x": 9.0, "y": 8.0}}
    >>> topics = [str(t) for t in range(12)]
    >>> runs = {s: dict.fromkeys(topics, order) for s, order in orders.items()}
    >>> ranked = tg.Study(runs, {t: {"x": 1, "y": 1} for t in topics}, "P@2").ranked
    >>> ranked_alike(ranked, tg.parse_measure("P@2"), 0, 1), ranked_alike(ranked, tg.parse_measure("P@2"), 0, 2)
    (False, True)
    """
    return all(np.array_equal(x, y) for x, y in zip(*(_where(ranked, measure, s) for s in (a, b)), strict=True))


def _where(ranked: RankedGains, measure: Measure, system: int) -> tuple[Ints, ...]:
    """Topic, rank and number of each judged document, and how many documents each list has for the measure."""
    topics = len(ranked.topics)
    mine = slice(system * topics, (system + 1) * topics)
    held = slice(int(ranked.begin[mine.start]), int(ranked.begin[mine.stop]))
    rows = held.start + np.flatnonzero(measure.within(ranked.rank[held]) & ranked.judged[held])
    cutoff = getattr(measure, "cutoff", None)
    depth = ranked.depth[mine] if cutoff is None else np.minimum(ranked.depth[mine], cutoff)
    return ranked.list[rows] % topics, ranked.rank[rows], np.asarray(ranked.item[rows], np.int64), depth
