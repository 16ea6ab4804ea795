"""Other collections of the same kind: every document copied Poisson(1) times.

Cormack and Lynam 2006, SIGIR.  A replicate of a collection copies each document in place; relevant documents that
were not retrieved are copied likewise and count in R.  A topic that loses all its relevant documents is drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from truegain.sampling import _copies
from truegain.sampling.poisson import generator_state, poisson_tables
from truegain.tables.columns import Codes, Floats, Ints, frozen
from truegain.tables.pool import Pool
from truegain.tables.ranked import ABSENT, RankedGains


@dataclass(frozen=True, eq=False)
class TopicLists:
    """One topic as the compiled sampler sees it: for each list that exists its relevant documents.

    List i (of system `systems[i]`) has entries begin[i] to begin[i + 1]: which relevant document, and how many
    others stand between it and the one before.
    """

    topic: int
    relevant: int
    systems: Ints
    begin: Ints
    item: Codes
    gap: Codes


def lists_of_topic(ranked: RankedGains, topic: int, level: float, systems: range | None = None) -> TopicLists:
    """What the sampler needs of one topic, for all systems or some."""
    topics = len(ranked.topics)
    lists = np.arange(len(ranked.systems)) * topics + topic
    asked = np.arange(len(ranked.systems)) if systems is None else np.array(systems, np.int64)
    systems_there = asked[ranked.present[lists[asked]]]
    found = ranked.found(level)
    first = np.searchsorted(found.list, lists[systems_there])
    last = np.searchsorted(found.list, lists[systems_there], side="right")
    lengths = last - first
    begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.repeat(first - begin[:-1], lengths) + np.arange(begin[-1])
    rank = found.rank[at]
    before = np.concatenate([[0], rank[:-1]])
    before[begin[:-1][lengths > 0]] = 0
    pooled = slice(int(ranked.pool.begin[topic]), int(ranked.pool.begin[topic + 1]))
    number = np.cumsum((ranked.item_gain[pooled] >= level) & ranked.item_judged[pooled]) - 1
    items = found.item[at] - pooled.start
    return TopicLists(
        topic,
        int(number[-1]) + 1,
        systems_there,
        begin,
        number[items].astype(np.int32),
        (rank - before - 1).astype(np.int32),
    )


def average_precisions(lists: TopicLists, replicates: int, seed: np.random.SeedSequence) -> tuple[Floats, int]:
    """AP of every list in `replicates` drawn collections, and how many draws had to be repeated.

    A relevant document has the same copies in all lists; the other documents of a list are drawn by their number.
    """
    out = np.empty((len(lists.systems), replicates))
    own = [np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, s)) for s in lists.systems.tolist()]
    redrawn = _copies.average_precision(
        generator_state(seed),
        np.array([generator_state(o) for o in own]).reshape(-1, 4),
        *poisson_tables().arrays,
        lists.relevant,
        lists.begin,
        lists.item,
        lists.gap,
        out,
    )
    return out, redrawn


def paired_average_precisions(
    begin: Ints, document: Codes, documents: int, relevant: int, replicates: int, seed: np.random.SeedSequence
) -> tuple[Floats, int]:
    """AP of lists whose documents are all known: the same document has the same copies in every list.

    Documents are numbered, relevant ones (retrieved or not) first; list i holds document[begin[i]:begin[i + 1]].
    """
    out = np.empty((len(begin) - 1, replicates))
    redrawn = _copies.paired_average_precision(
        generator_state(seed), *poisson_tables().arrays, documents, relevant, begin, document, out
    )
    return out, redrawn


def replicate(ranked: RankedGains, level: float, rng: np.random.Generator, most: int = 100) -> tuple[RankedGains, int]:
    """One drawn collection, for any measure: lists and pool with every document as often as it was copied.

    Judged documents have the same copies in all lists; the unjudged ones between them are drawn by their number.
    Topics that have relevant documents (at `level`) keep at least one: they are drawn again, and counted.
    """
    copies, redrawn = _pool_copies(ranked, level, rng, most)
    new_begin = np.concatenate([[0], np.cumsum(copies)])
    new_item = np.repeat(np.arange(len(copies)), copies)
    pool = _pool_of_copies(ranked.pool, new_item)
    times = copies[ranked.item]
    gap = ranked.rank - _rank_before(ranked) - 1
    others = rng.poisson(gap)
    tail = (
        ranked.depth
        - np.bincount(ranked.list, minlength=ranked.lists)
        - np.bincount(ranked.list, weights=gap, minlength=ranked.lists).astype(np.int64)
    )
    ahead = np.cumsum(others + times) - times
    start = np.repeat((np.cumsum(others + times) - others - times)[_firsts(ranked)], _lengths(ranked))
    copy_number = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    rank = np.repeat(ahead - start, times) + copy_number + 1
    per_list = np.bincount(ranked.list, weights=times, minlength=ranked.lists).astype(np.int64)
    kept = np.bincount(ranked.list, weights=others, minlength=ranked.lists).astype(np.int64)
    retrieved = np.where(ranked.present, per_list + kept + rng.poisson(np.maximum(tail, 0)), ABSENT)
    item = np.repeat(new_begin[ranked.item], times) + copy_number
    drawn = replace(
        ranked,
        pool=pool,
        gains=frozen(ranked.item_gain[new_item]),
        judged_items=frozen(ranked.item_judged[new_item]),
        retrieved=frozen(retrieved),
        begin=frozen(np.concatenate([[0], np.cumsum(per_list)])),
        rank=frozen(rank),
        item=frozen(item.astype(np.int32)),
    )
    return drawn, redrawn


def _pool_copies(ranked: RankedGains, level: float, rng: np.random.Generator, most: int) -> tuple[Ints, int]:
    copies = rng.poisson(1.0, len(ranked.pool))
    relevant = (ranked.item_gain >= level) & ranked.item_judged
    topic, topics = ranked.pool.topic, len(ranked.topics)
    has_some = np.bincount(topic[relevant], minlength=topics) > 0
    redrawn = 0
    for _ in range(most):
        left = np.bincount(topic[relevant], weights=copies[relevant], minlength=topics)
        empty = has_some & (left == 0)
        if not empty.any():
            break
        again = empty[topic]
        copies[again] = rng.poisson(1.0, int(again.sum()))
        redrawn += int(empty.sum())
    return copies, redrawn


def _pool_of_copies(pool: Pool, items: Ints) -> Pool:
    topic = pool.topic[items]
    begin = np.searchsorted(topic, np.arange(len(pool.topics) + 1)).astype(np.int64)
    return replace(pool, begin=frozen(begin), topic=frozen(topic), docs=pool.docs.take(items))


def _lengths(ranked: RankedGains) -> Ints:
    return np.diff(ranked.begin)[np.diff(ranked.begin) > 0]


def _firsts(ranked: RankedGains) -> Ints:
    return ranked.begin[:-1][np.diff(ranked.begin) > 0]


def _rank_before(ranked: RankedGains) -> Ints:
    before = np.concatenate([[0], ranked.rank[:-1]])
    before[_firsts(ranked)] = 0
    return before
