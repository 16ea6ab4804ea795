"""Two systems on other collections by meta-analysis: every topic is a test of its own, and topics are weighed.

Cormack and Lynam 2006, section 9.  This is the paper's own way; with few relevant documents a topic's variance is
itself unsure, and weights made of it follow the lucky topics.  `compare.py` has the plain mean, which holds there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.engine import Engine, Progress, engine_for
from truegain.errors import TruegainError
from truegain.inference.collection.score import few_relevant
from truegain.inference.collection.spread import EPSILON
from truegain.inference.limits import logits
from truegain.inference.meta import Meta, MetaMethod, combine, combined_p
from truegain.inference.multiple import adjust
from truegain.inference.results import Comparison
from truegain.message import argname
from truegain.sampling.documents import average_precisions, lists_of_topic
from truegain.sampling.jackknife import average_precision
from truegain.tables.columns import Floats, Ints
from truegain.tables.ranked import RankedGains
from truegain.tables.table import Table

SCALES = ("ap", "logit")
STILL = 1e-12  # a topic that moves less does not move


@dataclass(frozen=True, eq=False)
class CollectionDifference:
    """AP of b minus AP of a by topic, with its standard deviation over collections, paired and not.

    Topics without spread (both systems score the same whatever is drawn) are told apart: they weigh infinitely in a
    meta-analysis and are left out of it.
    """

    systems: tuple[str, str]
    topics: tuple[str, ...]
    ap: Floats  # two rows
    difference: Floats
    paired: Floats
    independent: Floats
    relevant: Ints
    scale: str
    replicates: int
    confidence: float
    redrawn: int

    def spread(self, pairing: str) -> Floats:
        """The standard deviation of each topic's difference on the same collections, or on one for each system."""
        return self.paired if pairing == "paired" else self.independent

    def combined(self, method: MetaMethod = "random", pairing: str = "paired") -> Meta:
        """The differences of all topics put together."""
        sd = self.spread(pairing)
        moving = sd > STILL
        if moving.sum() < 2:
            raise TruegainError(
                f"only {int(moving.sum())} topics move when documents are drawn; a meta-analysis needs two or more"
            )
        return combine(self.difference[moving], sd[moving] ** 2, method, self.confidence)

    def one_sided_p(self, pairing: str = "paired") -> float:
        """The paper's p that b is not better: 1 - Phi(sum of d_i / (sqrt(k) s_i)).

        All topics alike, whatever they show: of equal systems with about 3 relevant documents a topic it finds a
        difference far more often than it says (docs/collection.md).
        """
        sd = self.spread(pairing)
        moving = sd > STILL
        return combined_p(self.difference[moving], sd[moving])

    def comparison(self, method: MetaMethod = "random", pairing: str = "paired") -> Comparison:
        """The answer as a comparison of two systems."""
        meta = self.combined(method, pairing)
        value_a, value_b = (float(v) for v in self.ap.mean(axis=1))
        return Comparison(
            *self.systems, "AP" if self.scale == "ap" else "logit AP", value_a, value_b, meta.value, meta.low,
            meta.high, meta.p, test=f"{method}-effects meta-analysis over topics, {pairing} collections",
            confidence=self.confidence, n=len(self.topics),
            notes=self._notes(meta, method, pairing, value_b - value_a),
        )  # fmt: skip

    def _notes(self, meta: Meta, method: str, pairing: str, plain: float) -> tuple[str, ...]:
        notes = list(few_relevant(self.relevant, method))
        names = f"{self.systems[1]} - {self.systems[0]}"
        if self.scale == "logit":
            notes.append("difference is that of logit(AP), topics weighed by 1/variance; value_a and value_b are MAP.")
        elif abs(meta.value - plain) >= 0.00005:
            notes.append(
                f"{names}: the difference {meta.value:+.4f} weighs topics by 1/variance; value_b - value_a, all topics "
                f"alike, is {plain:+.4f}."
            )
        sd = self.spread(pairing)
        if still := int((sd <= STILL).sum()):
            notes.append(f"{names}: {still} topics do not move when documents are drawn and are left out.")
        if pairing == "paired":
            ratio = float(np.median(self.paired[sd > STILL] / self.independent[sd > STILL]))
            notes.append(f"{names}: on the same collections the spread is {ratio:.2f} times that of independent ones.")
        return tuple(notes)

    def table(self) -> Table:
        """Topic by topic."""
        numbers = (column.tolist() for column in (*self.ap, self.difference, self.paired, self.independent))
        rows = list(zip(self.topics, *numbers, strict=True))
        columns = ("topic", self.systems[0], self.systems[1], "difference", "sd paired", "sd independent")
        made_by = {"replicates": self.replicates, "scale": self.scale, "redrawn": self.redrawn}
        return Table(columns, rows, made_by, "AP by topic, and its spread over collections")


def collection_differences(
    ranked: RankedGains,
    pairs: Sequence[tuple[int, int]],
    *,
    level: float = 1,
    scale: str = "ap",
    replicates: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> list[CollectionDifference]:
    """Draw collections for all systems at once, and take differences of pairs of them."""
    if scale not in SCALES:
        raise TruegainError(f"{argname('scale', scale)} is not known; give 'ap' or 'logit'")
    relevant = ranked.pool_relevant(level)
    scored = np.flatnonzero(relevant).tolist()
    ranked.found(level)  # shared by all pieces: made once
    a, b = np.array(pairs, np.int64).T
    results = list((engine or engine_for()).run(
        _work, scored, shared=(ranked, level, a, b, scale, replicates, seed), progress=progress,
        name=lambda topic: f"topic {ranked.topics[topic]}",
    ))  # fmt: skip
    ap = np.array([r[0] for r in results])  # topics, systems
    moved = np.array([r[1] for r in results])  # topics, (difference, paired, independent), pairs
    redrawn = sum(r[2] for r in results)
    found = []
    for i, (first, second) in enumerate(pairs):
        both = np.flatnonzero(~np.isnan(ap[:, first]) & ~np.isnan(ap[:, second])) if len(scored) else np.empty(0, int)
        names = ranked.systems[first], ranked.systems[second]
        if len(both) < 2:
            raise TruegainError(
                f"{names[0]} and {names[1]} share {len(both)} topics with relevant documents; two or more are needed"
            )
        topics = tuple(ranked.topics[scored[t]] for t in both)
        difference, paired, independent = moved[both, :, i].T
        values = ap[both][:, [first, second]].T
        count = relevant[np.array(scored)[both]]
        found.append(
            CollectionDifference(
                names, topics, values, difference, paired, independent, count, scale, replicates, confidence, redrawn
            )
        )
    return found


def combined_comparisons(
    drawn: Sequence[CollectionDifference], method: MetaMethod, pairing: str, adjustment: str
) -> list[Comparison]:
    """Every pair by meta-analysis, its p adjusted for the number of pairs."""
    found = [one.comparison(method, pairing) for one in drawn]
    if len(found) == 1:
        return found
    adjusted = adjust([c.p for c in found if c.p is not None], adjustment).tolist()
    return [replace(c, p_adjusted=p, adjustment=adjustment) for c, p in zip(found, adjusted, strict=True)]


def _work(
    shared: tuple[RankedGains, float, Ints, Ints, str, int, int], topic: int, _: np.random.SeedSequence
) -> tuple[Floats, Floats, int]:
    """AP of each system, and of each pair the difference and its spread, paired and not; NaN where one is absent."""
    ranked, level, a, b, scale, replicates, seed = shared
    lists = lists_of_topic(ranked, topic, level)
    drawn, redrawn = average_precisions(lists, replicates, seed)
    found = average_precision(lists)
    values, observed = (drawn, found) if scale == "ap" else (logits(drawn, EPSILON), logits(found, EPSILON))
    where = np.full(len(ranked.systems), -1)
    where[lists.systems] = np.arange(len(lists.systems))
    ap = np.full(len(ranked.systems), np.nan)
    ap[lists.systems] = found
    there = (where[a] >= 0) & (where[b] >= 0)
    moved = np.full((3, len(a)), np.nan)
    for i in np.flatnonzero(there).tolist():
        first, second = where[a[i]], where[b[i]]
        independent = np.sqrt(values[first].var(ddof=1) + values[second].var(ddof=1))
        moved[:, i] = observed[second] - observed[first], (values[second] - values[first]).std(ddof=1), independent
    return ap, moved, redrawn
