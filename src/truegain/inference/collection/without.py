"""Two systems on collections that lack one document each: which documents their difference hangs on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegain.inference.collection.expansion import least_relevant
from truegain.measures.base import Measure
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.of_systems import of_systems
from truegain.tables.ranked import ABSENT, RankedGains

NEAR = 20  # ranks in which non-relevant documents are left out too, where a measure has no cutoff


def without_each(ranked: RankedGains, measure: Measure, systems: tuple[int, int]) -> tuple[list[str], Floats]:
    """Judged documents as 'topic document', and how far each moves the mean scores of two systems by being there.

    (score - score of the same topic without the document in lists and judgments) / T: of every relevant document, and
    of those that are not relevant and stand where the measure looks (without a cutoff, in the first 20 of a list).
    """
    two, cutoff = replace(of_systems(ranked, systems), keys=None), getattr(measure, "cutoff", None)
    if getattr(measure, "judged_only", False):
        two = two.condensed
    if cutoff is not None:
        two = two.cut(cutoff + 1)
    matters = (two.item_gain >= least_relevant(measure)) & two.item_judged
    matters[two.item[two.rank <= (cutoff or NEAR)]] = True
    listed = np.zeros(len(two.pool), np.bool_)
    listed[two.item] = True
    now, names, moved = np.asarray(measure.score(two), np.float64), [], []
    for topic in range(len(two.topics)):
        first, last = int(two.pool.begin[topic]), int(two.pool.begin[topic + 1])
        left_out = first + np.flatnonzero(matters[first:last])
        if len(left_out):
            alike = np.where(listed[left_out], -1.0 - left_out, two.item_gain[left_out])  # unlisted ones, by their gain
            _, some, which = np.unique(alike, return_index=True, return_inverse=True)
            then = np.asarray(measure.score(_without(two, topic, left_out[some])), np.float64)[:, which]
            moved.append((now[:, [topic]] - then).T / len(two.topics))
            names += [f"{two.topics[topic]} {doc}" for doc in two.pool.docs.take(left_out).strings()]
    return names, np.concatenate(moved) if moved else np.zeros((0, 2))


def _without(two: RankedGains, topic: int, left_out: Ints) -> RankedGains:
    """One topic as often as documents are left out of it, each time without one of them."""
    first, last, n = int(two.pool.begin[topic]), int(two.pool.begin[topic + 1]), len(left_out)
    kept = np.ones((n, last - first), np.bool_)
    kept[np.arange(n), left_out - first] = False
    number = np.cumsum(kept.ravel()).reshape(kept.shape) - 1  # of each item among all that are kept
    items = np.tile(np.arange(first, last), n)[kept.ravel()]
    ranks, entries, sizes, retrieved = [], [], [], []
    for at in range(len(two.systems)):
        row = at * len(two.topics) + topic
        begin, end = int(two.begin[row]), int(two.begin[row + 1])
        item, rank, depth = two.item[begin:end] - first, two.rank[begin:end], int(two.retrieved[row])
        there: Bools = kept[:, item]
        gone = np.full(n, end - begin)  # the place of the document that is left out; behind all where it is not listed
        which, place = np.nonzero(~there)
        gone[which] = place
        shifted = rank[None, :] - (np.arange(end - begin)[None, :] > gone[:, None])
        ranks.append(shifted[there])
        entries.append(number[:, item][there])
        sizes.append(there.sum(axis=1))
        retrieved.append(np.where(depth == ABSENT, ABSENT, depth - (gone < end - begin)))
    pool = replace(
        two.pool, topics=tuple(map(str, range(n))), begin=frozen(np.arange(n + 1) * (last - first - 1)),
        topic=frozen(np.repeat(np.arange(n, dtype=np.int32), last - first - 1)),
    )  # fmt: skip
    return replace(
        two, pool=pool, gains=frozen(two.item_gain[items]), judged_items=frozen(two.item_judged[items]),
        retrieved=frozen(np.concatenate(retrieved)),
        begin=frozen(np.concatenate([[0], np.cumsum(np.concatenate(sizes))])),
        rank=frozen(np.concatenate(ranks)), item=frozen(np.concatenate(entries).astype(np.int32)),
    )  # fmt: skip
