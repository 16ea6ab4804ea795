"""How sure the gold labels alone would be, so that a correction that is worse can be told."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from truegain.inference.judges.corrections import Correction
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.label_weights import label_weights, level_of
from truegain.inference.judges.student import quantile_of
from truegain.measures.base import Measure
from truegain.tables.checks import warn
from truegain.tables.columns import Coded, Floats, Ints
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains


def gold_of_items(pool: Pool, judge: Judge, level: float | None) -> Floats:
    """A gold label for each item of the pool, NaN where there is none.

    Where the gold scale has another level of relevance than the measure, labels become 0 and that level.
    """
    assert judge.gold is not None
    trusted = Pool.of(judge.gold)
    item: Ints = pool.find(Coded(trusted.topics, trusted.topic), trusted.docs).astype(np.int64)
    label = trusted.labels
    if level is not None and judge.levels[1] != level:
        label = np.where(label < 0, label, np.where(label >= judge.levels[1], level, 0.0))
    keep = (item >= 0) & (label >= 0)
    out = np.full(len(pool), np.nan)
    out[item[keep]] = label[keep]
    return out


def gold_alone_widths(ranked: RankedGains, gold: Floats, measure: Measure, confidence: float) -> list[float | None]:
    """Width of each system's interval from a random sample of gold pairs alone: a ratio of sums over topics, by t.

    value = total weight * (sum of weight * gold value) / (sum of weight) over the gold-judged documents of the lists;
    None where fewer than two topics hold any.  Cochran 1977, Sampling Techniques, section 6.3.
    """
    known = tuple(np.unique(gold[~np.isnan(gold)]).tolist())
    all_labels = tuple(np.unique(ranked.item_gain[ranked.item_gain >= 0]).tolist())
    level = level_of(measure)
    sampled = label_weights(ranked.with_gains(np.where(np.isnan(gold), -1.0, gold)), measure, known, level=level)
    whole = label_weights(ranked, measure, all_labels, level=level)
    return [
        _width(np.nan_to_num(f), sampled.value, float(np.nanmean(everything.sum(axis=1))), confidence)
        for f, everything in zip(sampled.weight, whole.weight, strict=True)
    ]


def _width(f: Floats, value: Floats, total: float, confidence: float) -> float | None:
    below, above = f.sum(axis=1), f @ value
    used = int(np.count_nonzero(below))
    if used < 2:
        return None
    moves = total * (above - below * above.sum() / below.sum()) / below.sum()
    se = math.sqrt(float(moves @ moves) * used / (used - 1))
    return 2 * quantile_of(confidence, used - 1.0) * se if se > 0 else None


def warn_where_gold_alone_is_surer(
    ranked: RankedGains, judge: Judge, measure: Measure, answers: Sequence[Correction], confidence: float
) -> None:
    """Tell where a random sample of gold pairs gives a shorter interval without the bronze labels than with them."""
    if judge.design != "random" or judge.gold is None:
        return
    gold = gold_of_items(ranked.pool, judge, level_of(measure))
    widths = gold_alone_widths(ranked, gold, measure, confidence)
    worse = [(a, w) for a, w in zip(answers, widths, strict=True) if w is not None and a.width > w]
    if worse:
        a, w = max(worse, key=lambda x: x[0].width / x[1])
        warn(
            f"{measure}: gold labels alone would be surer for {len(worse)} of {len(answers)} systems (most for "
            f"{a.system}: width {w:.3f} against {a.width:.3f} corrected); use method='rectify', or gold alone"
        )
