"""Groups of systems that a test cannot tell apart: the compact letter display."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from truegain.tables.columns import Bools
from truegain.tables.paper import letters_of, raised

LETTERS = len(ascii_lowercase)


def groups_of(differ: Bools) -> tuple[tuple[int, ...], ...]:
    """Largest sets in which no two systems differ, in the order of their first members.

    Two systems share a group if and only if they do not differ: the groups are the maximal cliques of the graph of
    pairs that do not differ (Bron and Kerbosch 1973, Comm. ACM 16(9)).  Tests that look at the difference of means
    alone, as Tukey's do, give at most one group a system, each a stretch of the ranking.  Where other tests give more
    groups than systems (and than 26), only stretches of the ranking are taken; then two systems without a common group
    may still not differ, which `is_complete` tells.

    Piepho 2004, J. Comput. Graph. Stat. 13(2).

    >>> groups_of(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ((0, 1), (1, 2))
    """
    chosen = _stretches(differ)
    if not is_complete(differ, chosen):  # else every clique lies in a stretch: there are no others
        chosen = _maximal_cliques(_bits_of(~differ)) or chosen
    return tuple(sorted(chosen))


def is_complete(differ: Bools, groups: Sequence[Sequence[int]]) -> bool:
    """Whether all pairs that do not differ share a group."""
    m = len(differ)
    if all(len(group) == group[-1] - group[0] + 1 for group in groups):  # stretches: who is the last one to share?
        last = np.arange(m)
        for group in groups:
            last[group[0]] = max(last[group[0]], group[-1])
        shared = np.triu(np.arange(m)[None, :] <= np.maximum.accumulate(last)[:, None])
        return bool((shared | differ)[np.triu_indices(m, 1)].all())
    shared = np.eye(m, dtype=np.bool_)
    for group in groups:
        shared[np.ix_(group, group)] = True
    return bool((shared | differ).all())


def marks(groups: Sequence[Sequence[int]], systems: int) -> list[str]:
    """For each system the groups it is in: letters, or numbers where there are more than 26 groups.

    >>> marks([(0, 1), (1, 2)], 3)
    ['a', 'ab', 'b']
    >>> marks([(i, i + 1, i + 2, i + 3) for i in range(30)], 33)[9]
    '7-10'
    """
    names = letters_of(len(groups))
    own: list[list[int]] = [[] for _ in range(systems)]
    for g, group in enumerate(groups):
        for system in group:
            own[system].append(g)
    return [raised(mine, names) for mine in own]


def _maximal_cliques(alike: Sequence[int]) -> list[tuple[int, ...]] | None:
    """All maximal cliques, sets as bits; None where there are too many."""
    found: list[tuple[int, ...]] = []
    waiting: list[tuple[int, int, int]] = [(0, (1 << len(alike)) - 1, 0)]
    while waiting:
        members, candidates, done = waiting.pop()
        if not candidates and not done:
            found.append(tuple(_bits(members)))
            if len(found) > max(LETTERS, len(alike)):
                return None
            continue
        if not candidates:
            continue
        pivot = max(_bits(candidates | done), key=lambda v: (candidates & alike[v]).bit_count())
        for v in _bits(candidates & ~alike[pivot]):
            bit = 1 << v
            waiting.append((members | bit, candidates & alike[v], done & alike[v]))
            candidates &= ~bit
            done |= bit
    return found


def _bits_of(alike: Bools) -> list[int]:
    """For each system the others it does not differ from, as bits."""
    others = alike & ~np.eye(len(alike), dtype=np.bool_)
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(others, axis=1, bitorder="little")]


def _bits(number: int) -> list[int]:
    places = []
    while number:
        low = number & -number
        places.append(low.bit_length() - 1)
        number ^= low
    return places


def _stretches(differ: Bools) -> list[tuple[int, ...]]:
    """Longest stretches of the ranking in which no two systems differ."""
    m = len(differ)
    found: list[tuple[int, ...]] = []
    end = 0
    for start in range(m):
        reached = end
        while end + 1 < m and not differ[start : end + 1, end + 1].any():
            end += 1
        if end > reached or start == 0:
            found.append(tuple(range(start, end + 1)))
    return found
