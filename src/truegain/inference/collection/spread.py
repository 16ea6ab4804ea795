"""How far would AP move on another collection of the same kind?  Bootstrap intervals per topic and for the mean.

Cormack and Lynam 2006, SIGIR.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.engine import Engine, Local, Progress
from truegain.inference.collection.small_r import widened
from truegain.inference.limits import bca_levels, bias_of, inverse_logits, linear, logits, sorted_quantile
from truegain.measures.base import FLOOR
from truegain.sampling.documents import average_precisions, lists_of_topic
from truegain.sampling.jackknife import accelerations, average_precision
from truegain.tables.columns import Floats, Ints
from truegain.tables.ranked import RankedGains

MEANS = ("MAP", "L-MAP", "G-MAP")
METHODS = ("linear", "logit", "percentile", "bca")
EPSILON = 1e-4  # how near AP may come to 0 and 1 before its logit is taken
MEMORY = 1 << 21  # bytes of replicates one piece of work may hold


@dataclass(frozen=True, eq=False)
class MeanSpread:
    """How far the mean of each system moves: standard deviation, that of its logit, and percentile limits."""

    sd: Floats
    sd_logit: Floats
    low: Floats
    high: Floats

    @classmethod
    def empty(cls, systems: int) -> MeanSpread:
        """To be filled block by block."""
        return cls(*(np.full(systems, np.nan) for _ in range(4)))

    def fill(self, systems: range, drawn: Floats, confidence: float, share: bool) -> None:
        """Sum up the replicates of some systems; only a share of 1 has a logit."""
        at = slice(systems.start, systems.stop)
        tail = (1 - confidence) / 2
        self.sd[at] = drawn.std(axis=1, ddof=1)
        if share:
            self.sd_logit[at] = logits(drawn, EPSILON).std(axis=1, ddof=1)
        self.low[at], self.high[at] = np.quantile(drawn, [tail, 1 - tail], axis=1)


@dataclass(frozen=True, eq=False)
class CollectionSpread:
    """AP of every system and topic, how far it moves over collections, and the same for means over topics.

    Matrices are systems by topics, NaN where a system has no answer or a topic no relevant document.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    ap: Floats
    sd: Floats
    sd_logit: Floats
    relevant: Ints
    depth: Ints
    limits: dict[str, tuple[Floats, Floats]]  # percentile and bca, from the replicates themselves
    means: dict[str, MeanSpread]  # MAP, L-MAP, G-MAP over drawn collections
    redrawn: int
    replicates: int
    confidence: float

    def interval(self, method: str = "logit", small_r: bool = True) -> tuple[Floats, Floats]:
        """Limits of AP per system and topic by one of METHODS, widened where R is small unless told not to."""
        if method == "linear":
            limits = linear(self.ap, self.sd, self.confidence)
            low, high = limits.low, limits.high
        elif method == "logit":
            limits = linear(logits(self.ap, EPSILON), self.sd_logit, self.confidence)
            low, high = inverse_logits(limits.low), inverse_logits(limits.high)
        else:
            low, high = self.limits[method]
        low, high = np.minimum(low, self.ap), np.maximum(high, self.ap)
        if small_r:
            low, high = widened(self.ap, low, high, self.relevant[None, :], self.depth, self.confidence)
        return low, high

    @cached_property
    def counted(self) -> Ints:
        """Topics each system's mean is over."""
        return np.asarray((~np.isnan(self.ap)).sum(axis=1))


def collection_spread(
    ranked: RankedGains,
    *,
    level: float = 1,
    replicates: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> CollectionSpread:
    """Draw collections and see how AP moves; memory is bounded whatever the number of replicates."""
    systems, topics = len(ranked.systems), len(ranked.topics)
    relevant = ranked.pool_relevant(level)
    scored = np.flatnonzero(relevant).tolist()
    width = max(1, min(systems, MEMORY // (8 * replicates)))
    blocks = [range(first, min(first + width, systems)) for first in range(0, systems, width)]
    pieces = [_Piece(block, topic, level, replicates, confidence) for block in blocks for topic in scored]
    shape = (systems, topics)
    gathered = _GatheredAP(ranked, replicates, confidence)
    ranked.found(level)  # shared by all pieces: made once
    results = (engine or Local()).run(
        _work,
        pieces,
        shared=(ranked, seed),
        name=lambda piece: f"topic {ranked.topics[piece.topic]}",
        progress=progress,
    )
    for piece, result in zip(pieces, results, strict=True):
        gathered.add(piece, result)
    gathered.close()
    return CollectionSpread(
        ranked.systems,
        ranked.topics,
        gathered.ap,
        gathered.sd,
        gathered.sd_logit,
        relevant,
        np.asarray(ranked.depth).reshape(shape),
        {"percentile": gathered.percentile, "bca": gathered.bca},
        gathered.means,
        gathered.redrawn // len(blocks),
        replicates,
        confidence,
    )


@dataclass(frozen=True)
class _Piece:
    systems: range
    topic: int
    level: float
    replicates: int
    confidence: float


@dataclass(frozen=True, eq=False)
class _Result:
    systems: Ints
    ap: Floats
    values: Floats
    sd: Floats
    sd_logit: Floats
    percentile: tuple[Floats, Floats]
    bca: tuple[Floats, Floats]
    redrawn: int


def _work(shared: tuple[RankedGains, int], piece: _Piece, _: np.random.SeedSequence) -> _Result:
    """One topic of some systems."""
    ranked, seed = shared
    lists = lists_of_topic(ranked, piece.topic, piece.level, piece.systems)
    values, redrawn = average_precisions(lists, piece.replicates, seed)
    ap = average_precision(lists)
    ordered = np.sort(values, axis=1)
    tail = (1 - piece.confidence) / 2
    percentile = np.quantile(ordered, [tail, 1 - tail], axis=1)
    z0, lost = bias_of(ap, ordered)
    levels = bca_levels(z0, accelerations(lists), lost, piece.confidence)
    return _Result(
        lists.systems,
        ap,
        values,
        values.std(axis=1, ddof=1),
        logits(values, EPSILON).std(axis=1, ddof=1),
        (percentile[0], percentile[1]),
        (sorted_quantile(ordered, levels[0]), sorted_quantile(ordered, levels[1])),
        redrawn,
    )


class _GatheredAP:
    """What the pieces give, put together; replicates of means are added up topic by topic, for one block at a time."""

    def __init__(self, ranked: RankedGains, replicates: int, confidence: float) -> None:
        shape = (len(ranked.systems), len(ranked.topics))
        self.ap, self.sd, self.sd_logit = (np.full(shape, np.nan) for _ in range(3))
        self.percentile = (np.full(shape, np.nan), np.full(shape, np.nan))
        self.bca = (np.full(shape, np.nan), np.full(shape, np.nan))
        self.means = {name: MeanSpread.empty(shape[0]) for name in MEANS}
        self.redrawn, self.replicates, self.confidence = 0, replicates, confidence
        self.block, self.sums = range(0), _Sums(0, replicates)

    def add(self, piece: _Piece, result: _Result) -> None:
        if piece.systems != self.block:
            self.close()
            self.block, self.sums = piece.systems, _Sums(len(piece.systems), self.replicates)
        at = (result.systems, piece.topic)
        self.ap[at], self.sd[at], self.sd_logit[at] = result.ap, result.sd, result.sd_logit
        for side in (0, 1):
            self.percentile[side][at], self.bca[side][at] = result.percentile[side], result.bca[side]
        self.sums.add(result.systems - piece.systems.start, result.values)
        self.redrawn += result.redrawn

    def close(self) -> None:
        """Sum up a block of systems, so that its replicates can go."""
        if len(self.block):
            for name, drawn in self.sums.means().items():
                self.means[name].fill(self.block, drawn, self.confidence, share=name == "MAP")


class _Sums:
    """Replicates of sums over topics, for some systems: of AP, its logit and its logarithm."""

    def __init__(self, systems: int, replicates: int) -> None:
        self.total = {name: np.zeros((systems, replicates)) for name in MEANS}
        self.count = np.zeros((systems, 1))

    def add(self, systems: Ints, values: Floats) -> None:
        self.total["MAP"][systems] += values
        self.total["L-MAP"][systems] += logits(values, EPSILON)
        self.total["G-MAP"][systems] += np.log(np.maximum(values, FLOOR))
        self.count[systems] += 1

    def means(self) -> dict[str, Floats]:
        with np.errstate(invalid="ignore"):  # a system without a topic has no mean
            found = {name: total / self.count for name, total in self.total.items()}
        return {**found, "G-MAP": np.exp(found["G-MAP"])}
