"""How sure the gold labels alone would be, so that a correction that is worse can be told."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from truegain.gains.judge import Judge
from truegain.inference.judges.lists import refuse_strays
from truegain.inference.results import Estimate
from truegain.measures.base import Measure
from truegain.measures.label_weights import level_of
from truegain.measures.linear import linear_parts
from truegain.message import arg
from truegain.sampling.designs import DESIGNS, SAME_POPULATION
from truegain.sampling.gold import judged_whole
from truegain.student import quantile_of
from truegain.tables.checks import warn
from truegain.tables.columns import Coded, Floats, Ints
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains


def gold_of_items(pool: Pool, judge: Judge, level: float | None) -> Floats:
    """A gold label for each item of the pool, NaN where there is none.

    Where the gold scale has another level of relevance than the measure, labels become 0 and that level.
    """
    assert judge.gold is not None
    if level is None:
        refuse_strays(judge, None)
    trusted = Pool.of(judge.gold)
    item: Ints = pool.find(Coded(trusted.topics, trusted.topic), trusted.docs).astype(np.int64)
    label = trusted.labels
    if level is not None and judge.levels[1] != level:
        label = np.where(label < 0, label, np.where(label >= judge.levels[1], level, 0.0))
    keep = (item >= 0) & (label >= 0)
    out = np.full(len(pool), np.nan)
    out[item[keep]] = label[keep]
    return out


def gold_alone_widths(
    ranked: RankedGains, gold: Floats, weight: Floats, measure: Measure, confidence: float, *, whole_topics: bool
) -> list[float | None]:
    """Width of each system's interval from gold labels alone, by t over topics; None where these have no answer.

    Whole gold topics: the mean over them.  Gold pairs, each with a weight (pairs it stands for): a ratio of sums over
    topics, value = total weight * (sum of weight * gold value) / (sum of weight) over the gold-judged documents of
    the lists.  Cochran 1977, Sampling Techniques, section 6.3.
    """
    if whole_topics:
        whole, _ = judged_whole(ranked.pool.topic, ~np.isnan(gold), len(ranked.topics))
        scores = measure.score(ranked.with_gains(gold))[:, whole]
        return [_of_mean(row[~np.isnan(row)], confidence) for row in scores]
    has_gold = ~np.isnan(gold)
    labels = np.where(has_gold, gold, 0.0)
    parts = linear_parts(measure, np.concatenate([ranked.item_gain, labels]), int(ranked.rank.max(initial=1)))
    counts, topic = np.where(has_gold, weight, 0.0), ranked.pool.topic
    out: list[float | None] = []
    for s, c in enumerate(parts.coefficients(ranked)):
        below = np.bincount(topic, c * counts, len(ranked.topics)).astype(np.float64)
        above = np.bincount(topic, c * counts * parts.worth(labels), len(ranked.topics)).astype(np.float64)
        answered = int(ranked.present.reshape(len(ranked.systems), -1)[s].sum())
        out.append(_of_ratio(below, above, float(c.sum()) / max(1, answered), confidence))
    return out


def _of_mean(scores: Floats, confidence: float) -> float | None:
    n = len(scores)
    se = float(scores.std(ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    return 2 * quantile_of(confidence, n - 1.0) * se if se > 0 else None


def _of_ratio(below: Floats, above: Floats, total: float, confidence: float) -> float | None:
    used = int(np.count_nonzero(below))
    if used < 2:
        return None
    moves = total * (above - below * above.sum() / below.sum()) / below.sum()
    se = math.sqrt(float(moves @ moves) * used / (used - 1))
    return 2 * quantile_of(confidence, used - 1.0) * se if se > 0 else None


def warn_where_gold_alone_is_surer(
    ranked: RankedGains, judge: Judge, measure: Measure, answers: Sequence[Estimate], confidence: float
) -> None:
    """Tell where gold labels of the same population give a shorter interval without the bronze labels than with them.

    Gold stratified on the truth, or from elsewhere, has no answer alone.
    """
    if judge.design not in SAME_POPULATION or judge.gold is None or judge.pairs is None:
        return
    level = level_of(measure)
    gold = gold_of_items(ranked.pool, judge.at_levels(level, None), level)
    item = judge.pairs.items_in(ranked.pool)
    weight = np.ones(len(gold))
    weight[item[item >= 0]] = judge.pairs.weight[item >= 0]
    widths = gold_alone_widths(ranked, gold, weight, measure, confidence, whole_topics=DESIGNS[judge.design].whole)
    worse = [(a, w) for a, w in zip(answers, widths, strict=True) if w is not None and a.width > w]
    if worse:
        a, w = max(worse, key=lambda x: x[0].width / x[1])
        warn(
            f"{measure}: gold labels alone would be surer for {len(worse)} of {len(answers)} systems (most for "
            f"{a.system}: width {w:.3f} against {a.width:.3f} corrected); rectify ({arg('method', 'rectify')}), or use "
            "gold alone"
        )
