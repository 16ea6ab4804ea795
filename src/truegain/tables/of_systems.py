"""Ranked gains of some systems alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truegain.tables.columns import Ints, frozen
from truegain.tables.ranked import DocKeys, RankedGains


def of_systems(ranked: RankedGains, systems: Sequence[int]) -> RankedGains:
    """The lists of some systems, in that order, against the same pool; the names of first documents are left out."""
    topics = len(ranked.topics)
    lists = np.concatenate([np.arange(s * topics, (s + 1) * topics) for s in systems])
    at, begin = _rows(ranked.begin, lists)
    keys = ranked.keys
    if keys is not None:
        rows, first = _rows(keys.begin, lists)
        keys = DocKeys(frozen(keys.key[rows]), frozen(first))
    return replace(
        ranked,
        systems=tuple(ranked.systems[s] for s in systems),
        retrieved=frozen(ranked.retrieved[lists]),
        begin=frozen(begin),
        rank=frozen(ranked.rank[at]),
        item=frozen(ranked.item[at]),
        entry_gains=None if ranked.entry_gains is None else frozen(ranked.entry_gains[at]),
        top=None,
        keys=keys,
    )


def _rows(begin: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """The rows of some stretches, and where each begins among them.

    >>> _rows(np.array([0, 3, 4, 6]), np.array([2, 0]))
    (array([4, 5, 0, 1, 2]), array([0, 2, 5]))
    """
    sizes = np.diff(begin)[chosen]
    first = np.concatenate([[0], np.cumsum(sizes)])
    return np.repeat(begin[chosen] - first[:-1], sizes) + np.arange(first[-1]), first
