"""The pairs to send to the gold judge next, drawn so that the gold design stays what it is."""

from __future__ import annotations

import numpy as np

from truegain.inference.judges.judge import Judge
from truegain.measures.base import Measure
from truegain.measures.linear import linear_parts
from truegain.sampling.designs import SAME_POPULATION, take_next
from truegain.sampling.streams import generator
from truegain.tables.columns import Bools, Coded, frozen
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
    elif judge.design not in SAME_POPULATION:
        parts = linear_parts(measure, ranked.item_gain, int(ranked.rank.max(initial=1)))
        open_items &= (parts.coefficients(ranked) != 0).any(axis=0) & ranked.item_judged
    order = generator(seed, "gold").permutation(np.flatnonzero(open_items))
    if not len(order):
        return None
    so_far = np.empty(0) if judge.pairs is None else judge.pairs.bronze
    chosen = take_next(judge.design, order, pool.topic, ranked.item_gain, so_far, size)
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
