"""How far would AP move on another collection of the same kind?  Bootstrap intervals per topic and for the mean.

Cormack and Lynam 2006, SIGIR; where the bootstrap sees no spread, with few relevant documents and AP near 0 or 1, their
section 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.engine import Engine, Progress, engine_for
from truegain.inference.limits import bca_levels, bias_of, inverse_logits, linear, logits, sorted_quantile
from truegain.measures.base import FLOOR
from truegain.sampling.documents import average_precisions, lists_of_topic
from truegain.sampling.jackknife import accelerations, average_precision
from truegain.tables.columns import Floats, Ints
from truegain.tables.ranked import RankedGains

METHODS = ("linear", "logit", "percentile", "bca")
EPSILON = 1e-4  # how near AP may come to 0 and 1 before its logit is taken
MEMORY = 1 << 21  # bytes of replicates one piece of work may hold


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
    means: dict[str, Floats]  # MAP, L-MAP and G-MAP: systems by drawn collections
    redrawn: int
    replicates: int
    confidence: float

    def interval(self, method: str = "logit", small_r: bool = True) -> tuple[Floats, Floats]:
        """Limits of AP per system and topic by one of METHODS, widened where R is small unless told not to."""
        if method == "linear":
            low, high, _ = linear(self.ap, self.sd, self.confidence)
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
    """Draw collections and see how AP moves; held are three numbers for every system and replicate, not for topics."""
    systems, topics = len(ranked.systems), len(ranked.topics)
    relevant = ranked.pool_relevant(level)
    width = max(1, min(systems, MEMORY // (8 * replicates)))
    blocks = [range(first, min(first + width, systems)) for first in range(0, systems, width)]
    pieces = [(block, topic) for block in blocks for topic in np.flatnonzero(relevant).tolist()]
    ranked.found(level)  # shared by all pieces: made once
    results = (engine or engine_for()).run(
        _work, pieces, shared=(ranked, level, replicates, confidence, seed), progress=progress,
        name=lambda piece: f"topic {ranked.topics[piece[1]]}",
    )  # fmt: skip
    found = np.full((7, systems, topics), np.nan)
    sums, redrawn = np.zeros((3, systems, replicates)), 0
    for (_, topic), (there, parts, drawn, again) in zip(pieces, results, strict=True):
        found[:, there, topic] = parts
        for total, values in zip(sums, (drawn, logits(drawn, EPSILON), np.log(np.maximum(drawn, FLOOR))), strict=True):
            total[there] += values
        redrawn += again
    ap, sd, sd_logit, low, high, bca_low, bca_high = found
    with np.errstate(invalid="ignore"):  # a system without a topic has no mean
        mean, odds, logs = sums / (~np.isnan(ap)).sum(axis=1)[:, None]
    return CollectionSpread(
        ranked.systems, ranked.topics, ap, sd, sd_logit, relevant, np.asarray(ranked.depth).reshape(systems, topics),
        {"percentile": (low, high), "bca": (bca_low, bca_high)}, {"MAP": mean, "L-MAP": odds, "G-MAP": np.exp(logs)},
        redrawn // len(blocks), replicates, confidence,
    )  # fmt: skip


def _work(
    shared: tuple[RankedGains, float, int, float, int], piece: tuple[range, int], _: np.random.SeedSequence
) -> tuple[Ints, Floats, Floats, int]:
    """One topic of some systems: who answers, AP with spreads and limits (7 rows), replicates, draws made again."""
    ranked, level, replicates, confidence, seed = shared
    lists = lists_of_topic(ranked, piece[1], level, piece[0])
    values, redrawn = average_precisions(lists, replicates, seed)
    ap, ordered = average_precision(lists), np.sort(values, axis=1)
    tail = (1 - confidence) / 2
    z0, lost = bias_of(ap, ordered)
    levels = bca_levels(z0, accelerations(lists), lost, confidence)
    parts = np.stack(
        [
            ap,
            values.std(axis=1, ddof=1),
            logits(values, EPSILON).std(axis=1, ddof=1),
            *np.quantile(ordered, [tail, 1 - tail], axis=1),
            *(sorted_quantile(ordered, at) for at in levels),
        ]
    )
    return lists.systems, parts, values, redrawn


def unseen_share(relevant: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Largest share u of a kind of document that R relevant documents, none of that kind, do not rule out.

    u = 1 - (1 - confidence)^(1/R)

    >>> round(float(unseen_share(np.array(4))), 2)
    0.53
    """
    return np.asarray(1 - (1 - confidence) ** (1 / np.maximum(relevant, 1)))


def limit_at_zero(relevant: npt.NDArray[Any], depth: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Upper limit of AP where nothing relevant was retrieved.

    A share u of the R relevant documents may be found after all, each equally likely at any of n distinct ranks:
    E(AP') = u H(n)/n + (R - 1) u^2 (n - H(n)) / (n (n - 1)), H the harmonic number; a list of one document gives u.

    >>> round(float(limit_at_zero(np.array(4), np.array(1000))), 5)
    0.00477
    """
    u = unseen_share(relevant, confidence)
    n = np.maximum(depth, 1).astype(np.float64)
    harmonic = _harmonic(n)
    others = np.divide(n - harmonic, n * (n - 1), out=np.zeros_like(n), where=n > 1)
    return np.asarray(u * harmonic / n + (np.maximum(relevant, 1) - 1) * u**2 * others)


def limit_at_one(relevant: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Lower limit of AP where all relevant documents stand first: a share u of them may not be found.

    >>> round(float(limit_at_one(np.array(4))), 2)
    0.47
    """
    return 1 - unseen_share(relevant, confidence)


def widened(
    value: Floats, low: Floats, high: Floats, relevant: npt.NDArray[Any], depth: npt.NDArray[Any], confidence: float
) -> tuple[Floats, Floats]:
    """Intervals made at least as wide as those limits where AP lies beyond them."""
    top, bottom = limit_at_zero(relevant, depth, confidence), limit_at_one(relevant, confidence)
    new_high = np.where(value <= top, np.maximum(high, top), high)
    new_low = np.where(value >= bottom, np.minimum(low, bottom), low)
    return np.where(value == 0, 0.0, new_low), np.where(value == 1, 1.0, new_high)


def _harmonic(n: Floats) -> Floats:
    table = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(n.max(initial=1)) + 1))])
    return table[n.astype(np.int64)]
