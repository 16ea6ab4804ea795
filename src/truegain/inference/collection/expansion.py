"""Any measure on other collections: documents are drawn, the same for all systems, and lists scored again.

Measures that are a sum over ranks, and nDCG, are scored topic by topic from the copies alone; others copy by copy.
Measures of the first k documents only look at what can reach the first k.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from truegain.engine import Engine, Progress, engine_for
from truegain.errors import MeasureError, TruegainError
from truegain.measures.base import FLOOR, Measure
from truegain.measures.dcg import nDCG
from truegain.sampling.documents import RankSums, depth_needed, replicate
from truegain.sampling.spread import DrawnSums, TopicSpread
from truegain.tables.checks import warn
from truegain.tables.columns import Floats, Ints
from truegain.tables.ranked import RankedGains

BLOCK = 20  # replicates in one piece of work


class DrawWords(TypedDict, total=False):
    """Keywords of `drawn_scores` that others hand on to it: how collections are drawn, and where."""

    replicates: int
    seed: int
    engine: Engine | None
    progress: Progress | None


@dataclass(frozen=True, eq=False)
class Drawn:
    """A measure in drawn collections: the summary of each system in each, and how far each topic moves."""

    summaries: Floats
    spreads: list[TopicSpread]
    redrawn: int


def drawn_scores(
    ranked: RankedGains,
    measure: Measure,
    *,
    pairs: bool = False,
    replicates: int = 2000,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Drawn:
    """Draw collections and score every system in each; with `pairs` also how systems move together."""
    check_drawable(measure)
    view = ranked.condensed if getattr(measure, "judged_only", False) else ranked
    cutoff = getattr(measure, "cutoff", None)
    near = view if cutoff is None else view.cut(depth_needed(cutoff))
    tell_shallow(near, measure)
    kernel = rank_sums(measure, near)
    runner = engine or engine_for()
    gathered = DrawnSums(on_scale(measure, np.asarray(measure.score(near), np.float64)), replicates, pairs)
    relevant = near.pool_relevant(least_relevant(measure))
    if kernel is not None:
        near.found(least_relevant(measure))  # shared by all pieces: made once
        found = runner.run(
            _topic, range(len(near.topics)), shared=(near, kernel, replicates, seed), progress=progress,
            name=lambda topic: f"{measure}, topic {near.topics[topic]}",
        )  # fmt: skip
        for topic, (values, again) in enumerate(found):
            gathered.add(slice(topic, topic + 1), slice(None), on_scale(measure, values[:, None, :]), again)
        return _drawn(gathered, measure, relevant)
    pieces = [(first, min(first + BLOCK, replicates)) for first in range(0, replicates, BLOCK)]
    blocks = runner.run(
        _block, pieces, shared=(near, measure, seed), progress=progress,
        name=lambda piece: f"{measure}, replicates {piece[0] + 1} to {piece[1]}",
    )  # fmt: skip
    for piece, (values, again) in zip(pieces, blocks, strict=True):
        gathered.add(slice(None), slice(*piece), on_scale(measure, values), again)
    return _drawn(gathered, measure, relevant)


def check_drawable(measure: Measure) -> None:
    """Refuse measures that have no value on a drawn collection."""
    if measure.of_subtopics:
        raise TruegainError(f"{measure} uses subtopics, which cannot be drawn over the collection yet; use topics")
    if measure.reads_text:
        raise TruegainError(f"{measure} reads text, and text is not drawn anew; give intervals over topics")
    if measure.mean == "none":
        raise TruegainError(f"{measure} has no mean over topics; choose a measure that has")


def tell_shallow(ranked: RankedGains, measure: Measure) -> None:
    """Warn of lists that end between k and 2k for a measure of the first k: drawn, they leave ranks empty."""
    cutoff = getattr(measure, "cutoff", None)
    if cutoff is None:
        return
    shallow = int((ranked.present & (ranked.depth >= cutoff) & (ranked.depth < 2 * cutoff)).sum())
    if shallow:
        warn(
            f"{shallow} of {int(ranked.present.sum())} lists hold fewer than {2 * cutoff} documents, and {cutoff} or "
            f"more: drawn, they leave some of the first {cutoff} ranks empty, and {measure} moves too far; give runs "
            f"of {2 * cutoff} or more"
        )


def least_relevant(measure: Measure) -> float:
    """The least label that is relevant to a measure."""
    return float(getattr(measure, "rel", None) or np.nextafter(0, 1))


def keys_needed(measures: Sequence[Measure]) -> int:
    """How many documents of each list must be known to draw collections: all, or what can reach the first k."""
    cutoffs = [None if getattr(m, "judged_only", False) else getattr(m, "cutoff", None) for m in measures]
    return max(sys.maxsize if k is None else depth_needed(k) for k in cutoffs)


def rank_sums(measure: Measure, ranked: RankedGains) -> RankSums | None:
    """A measure as a sum over ranks for these lists; None where it is none."""
    share = isinstance(measure, nDCG)
    if not (share or measure.linear_in_gains) or ranked.entry_gains is not None:
        return None
    level = least_relevant(measure)
    depth = getattr(measure, "cutoff", None) or depth_needed(int(ranked.depth.max(initial=1)))
    try:
        worth = measure.worth(ranked.item_gain, ranked.item_judged)
    except MeasureError:  # its scale depends on the labels of the collection
        return None
    relevant = (ranked.item_gain >= level) & ranked.item_judged
    if (worth < 0).any() or ((worth != 0) != relevant).any():
        return None
    rank = np.arange(1, depth + 1)
    weights = 1 / measure.discount(rank) if isinstance(measure, nDCG) else measure.rank_weights(depth)
    return RankSums(level, weights, worth, share)


def _topic(shared: tuple[RankedGains, RankSums, int, int], topic: int, _: np.random.SeedSequence) -> tuple[Floats, int]:
    """One topic of all systems in all replicates."""
    ranked, sums, replicates, seed = shared
    return sums.drawn(ranked, topic, replicates, seed)


def _block(
    shared: tuple[RankedGains, Measure, int], piece: tuple[int, int], _: np.random.SeedSequence
) -> tuple[Floats, int]:
    """Some replicates of all systems and topics."""
    ranked, measure, seed = shared
    values, redrawn = [], 0
    for number in range(*piece):
        drawn, again = replicate(ranked, least_relevant(measure), seed, number)
        values.append(np.asarray(measure.score(drawn), np.float64))
        redrawn += again
    return np.stack(values, axis=2), redrawn


def _drawn(sums: DrawnSums, measure: Measure, relevant: Ints) -> Drawn:
    """What all draws say."""
    counts = sums.there.sum(axis=1)[:, None] if measure.mean != "total" else 1
    with np.errstate(invalid="ignore", divide="ignore"):  # a system without a topic has no mean
        summaries = sums.total / counts
    if measure.mean == "geometric":
        summaries = np.exp(summaries)
    return Drawn(summaries, sums.spreads(relevant), sums.redrawn)


def on_scale(measure: Measure, values: Floats) -> Floats:
    """Values on the scale their summary is a mean (or sum) of: logarithms where it is a geometric mean."""
    return np.log(np.maximum(values, FLOOR)) if measure.mean == "geometric" else values
