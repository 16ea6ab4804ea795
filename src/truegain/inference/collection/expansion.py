"""Any measure on other collections: whole lists are drawn again, copy by copy, and scored.

AP has a faster way (collection.py).  Measures of the first k documents only look at what can reach the first k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.engine import Engine, Local, Progress
from truegain.errors import TruegainError
from truegain.inference.intervals.limits import linear, percentile
from truegain.inference.results import Estimate
from truegain.measures.base import Measure
from truegain.sampling.bootstrap import bootstrap_weights
from truegain.sampling.documents import replicate
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains

BLOCK = 20  # replicates in one piece of work


@dataclass(frozen=True, eq=False)
class DrawnMeans:
    """Mean of each system in each drawn collection, with the topics fixed and with the topics drawn too."""

    fixed: Floats
    joint: Floats
    redrawn: int


def drawn_means(
    ranked: RankedGains,
    measure: Measure,
    *,
    replicates: int = 2000,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> DrawnMeans:
    """Draw collections and score every system in each."""
    if measure.of_subtopics:
        raise TruegainError(f"{measure} uses subtopics, which cannot be drawn over the collection yet; use topics")
    level = getattr(measure, "rel", None) or np.nextafter(0, 1)
    cutoff = getattr(measure, "cutoff", None)
    near = ranked if cutoff is None else ranked.cut(reach(cutoff))
    starts = range(0, replicates, BLOCK)
    pieces = [(first, min(first + BLOCK, replicates)) for first in starts]
    runner = engine or Local()
    blocks = list(
        runner.run(
            _work,
            pieces,
            shared=(ranked, near, measure, float(level)),
            seed=seed,
            name=lambda piece: f"{measure}, replicates {piece[0] + 1} to {piece[1]}",
            progress=progress,
        )
    )
    return DrawnMeans(
        np.concatenate([b.fixed for b in blocks], axis=1),
        np.concatenate([b.joint for b in blocks], axis=1),
        sum(b.redrawn for b in blocks),
    )


def reach(cutoff: int) -> int:
    """How deep a list must be kept so that its first k copies come from there, but for one case in a billion."""
    return int(cutoff + 7 * np.sqrt(cutoff) + 20)


def _work(
    shared: tuple[RankedGains, RankedGains, Measure, float], piece: tuple[int, int], seed: np.random.SeedSequence
) -> DrawnMeans:
    whole, near, measure, level = shared
    fixed, joint, redrawn = [], [], 0
    for own in seed.spawn(piece[1] - piece[0]):
        values, again = _one(whole, near, measure, level, own)
        redrawn += again
        rng = np.random.default_rng(own.spawn(1)[0])
        times = bootstrap_weights(values.shape[1], 1, rng)[0].astype(np.float64)
        fixed.append(_mean(values, np.ones(values.shape[1])))
        joint.append(_mean(values, times))
    return DrawnMeans(np.array(fixed).T, np.array(joint).T, redrawn)


def _one(
    whole: RankedGains, near: RankedGains, measure: Measure, level: float, seed: np.random.SeedSequence
) -> tuple[Floats, int]:
    drawn, redrawn = replicate(near, level, np.random.default_rng(seed))
    cutoff = getattr(measure, "cutoff", None)
    short = cutoff is not None and bool(((drawn.depth < cutoff) & (near.depth < whole.depth) & near.present).any())
    if short:  # hardly ever: too few copies among the documents that were kept
        drawn, redrawn = replicate(whole, level, np.random.default_rng(seed))
    return np.asarray(measure.score(drawn), np.float64), redrawn


def _mean(values: Floats, weights: Floats) -> Floats:
    there = ~np.isnan(values)
    total = np.where(there, values, 0.0) @ weights
    count = there @ weights
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


def collection_estimates(
    systems: Sequence[str],
    measure: str,
    values: Floats,
    draws: DrawnMeans,
    confidence: float,
    topics_too: bool,
    method: str = "linear",
) -> list[Estimate]:
    """Intervals of the means over drawn collections: 'linear' (value +- z s, s the draws' spread) or 'percentile'.

    Copies of a document stand side by side, so measures of the first k score a little lower on drawn collections than
    on the real one; the linear interval is free of that shift, the percentile one is not.
    """
    drawn = draws.joint if topics_too else draws.fixed
    spread = drawn.std(axis=1, ddof=1)
    if method not in ("linear", "percentile"):
        raise TruegainError(f"{measure} has no {method} interval over the collection; choose linear or percentile")
    limits = linear(values, spread, confidence) if method == "linear" else percentile(drawn, confidence)
    low, high = np.minimum(limits.low, values), np.maximum(limits.high, values)
    return [
        Estimate(
            system,
            measure,
            float(values[s]),
            float(low[s]),
            float(high[s]),
            level=confidence,
            over="topics+collection" if topics_too else "collection",
            method=method,
            se=float(spread[s]),
        )
        for s, system in enumerate(systems)
    ]
