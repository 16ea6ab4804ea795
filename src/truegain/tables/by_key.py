"""Lists in which every document is named, those that nobody judged by their key alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.tables.columns import Ids, Ints, frozen
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains

UNJUDGED = -1.0
Keys = npt.NDArray[np.uint64]


def named_by_key(ranked: RankedGains) -> RankedGains:
    """The same lists against a pool that also holds what they show and nobody judged, without names or labels.

    Documents of a topic with equal keys, a 64-bit hash of the id, are one; so are equal ids, in whatever list.

    >>> from truegain.config import Scoring
    >>> from truegain.measures.evaluate import aligned
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "y": 2.0, "x": 1.0}}}
    >>> made = named_by_key(aligned(runs, {"1": {"x": 1, "w": 1}}, Scoring(), keep_keys=9))
    >>> made.item_judged.tolist(), made.rank.tolist()
    ([True, True, False, False], [1, 2, 1, 2, 3])
    >>> x, y, z, again, same = made.item.tolist()
    >>> (x, y) == (same, again), len({x, y, z})
    (True, 3)
    """
    keys, pool = ranked.known_keys, ranked.pool
    sizes = np.diff(keys.begin)
    if (sizes < ranked.depth).any():
        raise TruegainError("these lists were aligned with the keys of fewer documents than they have")
    lists = np.repeat(np.arange(ranked.lists), sizes)
    place = keys.begin[ranked.list] + ranked.rank - 1  # of each document in the pool among all of all lists
    nameless = np.ones(len(keys.key), np.bool_)
    nameless[place] = False
    rows = np.flatnonzero(nameless)
    number, topic, first = _distinct(ranked.list_topic[lists[rows]], keys.key[rows])
    new = np.bincount(topic, minlength=len(pool.topics))
    old_at = np.arange(len(pool)) + (np.cumsum(new) - new)[pool.topic]
    new_at = np.arange(len(topic)) + pool.begin[topic + 1]  # behind those of their topic
    wide = _wider(pool, topic, keys.key[rows[first]], old_at, new_at, new)
    item = np.empty(len(keys.key), np.int32)
    item[place], item[rows] = old_at[ranked.item], new_at[number]
    gains, judged = np.full(len(wide), UNJUDGED), np.zeros(len(wide), np.bool_)
    gains[old_at], judged[old_at] = ranked.item_gain, ranked.item_judged
    return replace(
        ranked, pool=wide, gains=frozen(gains), judged_items=frozen(judged), begin=keys.begin,
        rank=frozen(np.arange(1, len(item) + 1) - np.repeat(keys.begin[:-1], sizes)), item=frozen(item),
        entry_gains=None, top=None, keys=None,
    )  # fmt: skip


def _distinct(topic: Ints, key: Keys) -> tuple[Ints, Ints, Ints]:
    """Pairs of topic and key: the number of each row's, topic by topic; of each number its topic and its first row."""
    order = np.lexsort((key, topic))
    topics, keys = topic[order], key[order]
    starts = np.ones(len(order), np.bool_)
    starts[1:] = (topics[1:] != topics[:-1]) | (keys[1:] != keys[:-1])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(starts) - 1
    return number, topics[starts], order[starts]


def _wider(pool: Pool, topic: Ints, key: Keys, old_at: Ints, new_at: Ints, new: Ints) -> Pool:
    """The pool with documents of some topics behind those that it has."""
    n = len(pool) + len(topic)
    topics, start, length = np.empty(n, np.int32), np.zeros(n, np.int64), np.zeros(n, np.int32)
    hashes = np.empty(n, np.uint64)
    topics[old_at], topics[new_at] = pool.topic, topic
    start[old_at], length[old_at] = pool.docs.start, pool.docs.length
    hashes[old_at], hashes[new_at] = pool.docs.hash, key
    return Pool(
        pool.judgments, pool.topics, frozen(pool.begin + np.concatenate([[0], np.cumsum(new)])), frozen(topics),
        Ids(pool.docs.text, frozen(start), frozen(length), frozen(hashes)), frozen(old_at[pool.row_item]),
    )  # fmt: skip
