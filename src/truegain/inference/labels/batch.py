"""The pairs to send to the gold judge next, drawn so that the gold design stays what it is."""

from __future__ import annotations

import numpy as np

from truegain.gains.judge import Judge
from truegain.measures.base import Measure
from truegain.measures.linear import linear_parts
from truegain.tables.columns import Bools, Coded, Ints, frozen
from truegain.tables.judgments import NO_SUBTOPIC, Judgments
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains

NOT_JUDGED = -1.0


def next_batch(ranked: RankedGains, judge: Judge, measure: Measure, size: int, *, seed: int = 0) -> Judgments | None:
    """Pairs for the gold judge, without those that have a gold label; the label is -1, not judged.

    By design of the gold pairs at hand: 'topics' whole topics, as many as it takes; 'random' at random from all
    labelled pairs, for a sample of what two systems retrieved would not be one of the pairs of the others;
    'by-bronze' the same, each bronze label as often as so far; else, where a matrix is to be measured, at random from
    what the systems retrieved where the measure looks.  They come in random order (topics, or pairs), so that judging
    may stop anywhere.  None where every such pair has a gold label.
    """
    pool = ranked.pool
    open_items = _without_gold(judge, pool)
    if judge.design == "random":
        open_items &= ranked.item_judged
    elif judge.design not in ("topics", "by-bronze"):
        parts = linear_parts(measure, ranked.item_gain, int(ranked.rank.max(initial=1)))
        open_items &= (parts.coefficients(ranked) != 0).any(axis=0) & ranked.item_judged
    order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(np.flatnonzero(open_items))
    if not len(order):
        return None
    if judge.design == "topics":
        chosen = _whole_topics(pool, order, size)
    elif judge.design == "by-bronze":
        chosen = _by_label(judge, ranked.item_gain[order], order, size)
    else:
        chosen = order[:size]
    return Judgments(
        Coded(pool.topics, frozen(pool.topic[chosen])), pool.docs.take(chosen),
        frozen(np.full(len(chosen), NOT_JUDGED)), Coded((NO_SUBTOPIC,), frozen(np.zeros(len(chosen), np.int32))),
        source="next batch",
    )  # fmt: skip


def _without_gold(judge: Judge, pool: Pool) -> Bools:
    is_open = np.ones(len(pool), np.bool_)
    if judge.pairs is not None:
        item = judge.pairs.items_in(pool)
        is_open[item[item >= 0]] = False
    return is_open


def _whole_topics(pool: Pool, order: Ints, size: int) -> Ints:
    """All open pairs of topics in random order, until there are enough."""
    topic = pool.topic[order]
    topics, first = np.unique(topic, return_index=True)
    place = np.zeros(int(topics.max()) + 1, np.int64)
    place[topics[np.argsort(first)]] = np.arange(len(topics))
    rank = place[topic]
    wanted = int(np.searchsorted(np.cumsum(np.bincount(rank)), size)) + 1
    by_topic = np.argsort(rank, kind="stable")
    return order[by_topic[rank[by_topic] < wanted]]


def _by_label(judge: Judge, label: np.ndarray, order: Ints, size: int) -> Ints:
    """Each bronze label as often as among the gold pairs so far, in random order."""
    assert judge.pairs is not None
    values, counts = np.unique(judge.pairs.bronze, return_counts=True)
    place = np.full(len(order), np.inf)
    for value, count in zip(values, counts, strict=True):
        mine = np.flatnonzero(label == value)
        place[mine] = (np.arange(len(mine)) + 0.5) / count  # labels take turns, each at its rate
    return order[np.argsort(place, kind="stable")[: min(size, int(np.isfinite(place).sum()))]]
