"""Other collections of the same kind: every document copied Poisson(1) times.

Cormack and Lynam 2006, SIGIR.  A replicate of a collection copies each document in place; relevant documents that
were not retrieved are copied likewise and count in R.  A topic that loses all its relevant documents is drawn again.
A document, judged or not, has the same copies in all lists: how many is a function of (seed, topic, replicate) and
of the document's id (of its 64-bit hash: two documents of one hash would be copied together).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from truegain.data.pool import ABSENT, Pool, RankedGains
from truegain.io.columns import Codes, Floats, Ints, frozen
from truegain.sampling import _copies
from truegain.sampling.source import Source
from truegain.sampling.streams import Keys, stream_key, stream_keys, streams

SOURCE = "documents"  # of the streams
COLLECTION = Source(
    "collection",
    "document",
    nested_in=("topics",),
    widens=False,
    claim="on other collections of the same kind",
    other="other collections",
    uncovered="other document collections",
    cause="the choice of documents",
    shown="the collection",
    within="documents",
    units="Documents",
    method="Variance over collections was estimated from {resamples:,} bootstrap resamples of the documents (Cormack "
    "and Lynam 2006; seed {seed}).",
    cites=("cormack2006",),
)


@dataclass(frozen=True, eq=False)
class TopicLists:
    """One topic as the compiled sampler sees it: its documents by key, and each list that exists as numbers of them.

    The first `relevant` documents are the relevant ones, retrieved or not.  List i (of system `systems[i]`) holds the
    documents entry[begin[i]:begin[i + 1]], best first.
    """

    topic: str
    relevant: int
    document: Keys
    systems: Ints
    begin: Ints
    entry: Codes

    def ranks(self, number: int) -> Ints:
        """The ranks of the relevant documents in one list."""
        return np.flatnonzero(self.entry[self.begin[number] : self.begin[number + 1]] < self.relevant) + 1

    def with_list(self, entry: Codes) -> TopicLists:
        """One more list, of no system."""
        begin = np.append(self.begin, self.begin[-1] + len(entry))
        return replace(self, begin=begin, entry=np.concatenate([self.entry, entry]))


def lists_of_topic(
    ranked: RankedGains, topic: int, level: float, systems: range | None = None, *, to_last: bool = True
) -> TopicLists:
    """What the sampler needs of one topic, for all systems or some.

    `to_last` leaves out what stands below the last relevant document of a list, which no AP depends on.
    """
    keys = ranked.known_keys
    asked = np.arange(len(ranked.systems)) if systems is None else np.array(systems, np.int64)
    lists = asked * len(ranked.topics) + topic
    there = ranked.present[lists]
    asked, lists = asked[there], lists[there]
    entries = ranked.relevant_entries(level)
    first, last = (np.searchsorted(entries.list, lists, side=side) for side in ("left", "right"))
    lowest = np.where(last > first, entries.rank[np.maximum(last - 1, 0)] if len(entries.rank) else 0, 0)
    size = np.diff(keys.begin)[lists]
    lengths = np.minimum(size, lowest) if to_last else size
    begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    document = keys.key[np.repeat(keys.begin[lists] - begin[:-1], lengths) + np.arange(begin[-1])]
    pooled = slice(int(ranked.pool.begin[topic]), int(ranked.pool.begin[topic + 1]))
    good = (ranked.item_gain[pooled] >= level) & ranked.item_judged[pooled]
    relevant = int(good.sum())
    others, number = np.unique(document, return_inverse=True)
    entry = (number + relevant).astype(np.int32)
    at = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)] or [np.empty(0, np.int64)])
    place = np.repeat(begin[:-1], last - first) + entries.rank[at] - 1
    entry[place] = (np.cumsum(good) - 1)[entries.item[at] - pooled.start]
    wanted = ranked.pool.docs.hash[pooled][good]
    return TopicLists(ranked.topics[topic], relevant, np.concatenate([wanted, others]), asked, begin, entry)


def average_precisions(lists: TopicLists, replicates: int, seed: int) -> tuple[Floats, int]:
    """AP of every list in `replicates` drawn collections, and how many draws had to be repeated."""
    out = np.empty((len(lists.systems), replicates))
    if not out.size:
        return out, 0
    key = stream_key(seed, SOURCE, lists.topic)
    redrawn = _copies.average_precision(key, lists.relevant, lists.document, lists.begin, lists.entry, out)
    return out, redrawn


def weighted_sums(lists: TopicLists, worth: Floats, weights: Floats, replicates: int, seed: int) -> tuple[Floats, int]:
    """The sum over ranks of weight x worth of every list in drawn collections, and how many draws were repeated.

    sum over documents of worth (W[s + c] - W[s]), c copies after s others, W the running sum of the weights; `worth`
    is per document of `lists`, `weights` per rank.
    """
    out = np.empty((len(lists.begin) - 1, replicates))
    if not out.size:
        return out, 0
    key = stream_key(seed, SOURCE, lists.topic)
    running = np.concatenate([[0.0], np.cumsum(weights)])
    redrawn = _copies.weighted(
        key, lists.relevant, lists.document, lists.begin, lists.entry, out, np.asarray(worth, np.float64), running
    )
    return out, redrawn


@dataclass(frozen=True, eq=False)
class RankSums:
    """A score that is a sum over ranks of weight x worth, or a share of the best such sum."""

    level: float
    weights: Floats  # by rank
    worth: Floats  # by item of the pool; not 0 where relevant, and only there
    shared: bool

    def drawn(self, ranked: RankedGains, topic: int, replicates: int, seed: int) -> tuple[Floats, int]:
        """One topic of all systems in drawn collections, NaN where a system has no answer; and draws repeated."""
        lists = lists_of_topic(ranked, topic, self.level)
        values = np.full((len(ranked.systems), replicates), np.nan)
        if not lists.relevant:
            values[lists.systems] = 0.0
            return values, 0
        pooled = slice(int(ranked.pool.begin[topic]), int(ranked.pool.begin[topic + 1]))
        worth = self.worth[pooled][self.worth[pooled] != 0]
        of_all = np.concatenate([worth, np.zeros(len(lists.document) - lists.relevant)])
        if not self.shared:
            values[lists.systems], redrawn = weighted_sums(lists, of_all, self.weights, replicates, seed)
            return values, redrawn
        best = np.argsort(-worth, kind="stable").astype(np.int32)
        sums, redrawn = weighted_sums(lists.with_list(best), of_all, self.weights, replicates, seed)
        whole = np.broadcast_to(sums[-1], sums[:-1].shape)
        values[lists.systems] = np.divide(sums[:-1], whole, out=np.zeros(whole.shape), where=whole != 0)
        return values, redrawn


def depth_needed(cutoff: int) -> int:
    """How deep a list must be kept so that its first k copies come from there, but for one case in a billion."""
    return int(cutoff + 7 * np.sqrt(cutoff) + 20)


def replicate(ranked: RankedGains, level: float, seed: int, number: int) -> tuple[RankedGains, int]:
    """One drawn collection, the `number`-th, for any measure: lists and pool with every document as often as copied.

    Topics that have relevant documents (at `level`) keep at least one: they are drawn again, and counted.
    """
    keys = ranked.known_keys
    stream, copies, redrawn = _pool_copies(ranked, level, seed, number)
    list_stream = np.tile(stream, len(ranked.systems))
    times_of_all = _drawn(keys.key, np.repeat(list_stream, np.diff(keys.begin)))
    so_far = np.concatenate([[0], np.cumsum(times_of_all)])
    new_begin = np.concatenate([[0], np.cumsum(copies)])
    new_item = np.repeat(np.arange(len(copies)), copies)
    times = copies[ranked.item]
    ahead = so_far[keys.begin[ranked.list] + ranked.rank - 1] - so_far[keys.begin[ranked.list]]
    copy_number = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    per_list = np.bincount(ranked.list, weights=times, minlength=ranked.lists).astype(np.int64)
    drawn = replace(
        ranked,
        pool=_pool_of_copies(ranked.pool, new_item),
        gains=frozen(ranked.item_gain[new_item]),
        judged_items=frozen(ranked.item_judged[new_item]),
        retrieved=frozen(np.where(ranked.present, np.diff(so_far[keys.begin]), ABSENT)),
        begin=frozen(np.concatenate([[0], np.cumsum(per_list)])),
        rank=frozen(np.repeat(ahead, times) + copy_number + 1),
        item=frozen((np.repeat(new_begin[ranked.item], times) + copy_number).astype(np.int32)),
        keys=None,
    )
    return drawn, redrawn


def _pool_copies(ranked: RankedGains, level: float, seed: int, number: int) -> tuple[Keys, Ints, int]:
    """The stream of each topic, the copies of each item of the pool, and how many topics were drawn again."""
    names, topic, topics = stream_keys(seed, SOURCE, ranked.topics), ranked.pool.topic, len(ranked.topics)
    relevant = (ranked.item_gain >= level) & ranked.item_judged
    has_some = np.bincount(topic[relevant], minlength=topics) > 0
    attempt = np.zeros(topics, np.int64)
    while True:
        stream = streams(names, number, attempt)
        copies = _drawn(ranked.pool.docs.hash, stream[topic])
        empty = has_some & (np.bincount(topic[relevant], weights=copies[relevant], minlength=topics) == 0)
        if not empty.any():
            return stream, copies, int(attempt.sum())
        attempt += empty


def _drawn(document: Keys, stream: Keys) -> Ints:
    out = np.empty(len(document), np.int32)
    _copies.draw(np.ascontiguousarray(document), stream, out)
    return out.astype(np.int64)


def _pool_of_copies(pool: Pool, items: Ints) -> Pool:
    topic = pool.topic[items]
    begin = np.searchsorted(topic, np.arange(len(pool.topics) + 1)).astype(np.int64)
    return replace(pool, begin=frozen(begin), topic=frozen(topic), docs=pool.docs.take(items))
