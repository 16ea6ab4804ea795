"""All sources of one measure together, nothing counted twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.rectified import Rectified
from truegain.inference.collection.few import Pooled, TopicSpread
from truegain.inference.limits import within
from truegain.inference.study.contrasts import NONE, Contrasts
from truegain.inference.study.evidence import ByGoldTopics, Evidence
from truegain.inference.study.hole_sample import ByHoles
from truegain.inference.study.moves import Moves, Spread, summed
from truegain.student import quantiles_of
from truegain.tables.columns import Floats

Source = Literal["topics", "collection", "assessors", "replicates", "gold", "holes"]
POPULATIONS: tuple[Source, ...] = ("topics", "collection", "assessors", "replicates")
SOURCES: tuple[Source, ...] = get_args(Source)
LABELS: tuple[Source, ...] = ("gold", "holes")  # labels that were sampled; they always count
NESTED: tuple[Source, ...] = ("gold", "holes", "collection", "replicates")  # what a topic has of its own


@dataclass(frozen=True, eq=False)
class Collection:
    """How far each topic moves over other collections, all systems together."""

    spreads: Sequence[TopicSpread]
    lone: bool  # whether a topic with one relevant document borrows its spread from the others

    def spread(self, asked: Contrasts) -> Spread:
        """The mean over topics, these held fixed (see `few.Pooled`)."""
        pooled, score = Pooled(len(asked), self.lone), asked.a == NONE
        first = np.maximum(asked.a, 0)
        for topic in self.spreads:
            alone, pair = topic.of_systems(), topic.of_pairs(first, asked.b, True)
            own, others = (np.where(score, x[asked.b], y) for x, y in zip(alone, pair, strict=True))
            there = topic.there[asked.b] & (score | topic.there[first])
            pooled.add(topic.relevant, own, others, there)
        variance, freedom = pooled.total()
        return Spread(variance / len(self.spreads) ** 2, np.maximum(freedom, 1.0))


@dataclass(frozen=True, eq=False)
class Lattice:
    """What one measure's scores stand on, and every source that may move them.

    `over` names the population that is spoken of: topics, collection, assessors; gold, where there is some, always
    counts.  The collection and the gold pairs of a topic are nested in it, so the spread over topics holds theirs;
    assessors are crossed with topics, which hold what an assessor did on one topic, not what he does on all:

        V = V(topics) + [V(assessors) - V(assessor x topic cells)] T/(T - 1)
        topics held fixed: V = V(gold) + V(collection) + V(assessors), less V(assessor x document cells) where the
        collection, which holds them, counts

    Cameron, Gelbach and Miller 2011, Journal of Business and Economic Statistics 29(2).
    """

    evidence: Evidence
    naive: Evidence
    over: frozenset[Source]
    make_collection: Callable[[], Collection] | None = None
    make_assessors: Callable[[], tuple[Moves, Moves]] | None = None
    make_replicates: Callable[[], Moves] | None = None
    make_documents: Callable[[], Moves] | None = None

    @property
    def labels(self) -> Source:
        """What labels that were sampled are called."""
        return "holes" if isinstance(self.evidence, ByHoles) else "gold"

    @cached_property
    def collection(self) -> Collection | None:
        """Made when first asked for."""
        return None if self.make_collection is None else self.make_collection()

    @cached_property
    def assessors(self) -> tuple[Moves, Moves] | None:
        """Made when first asked for."""
        return None if self.make_assessors is None else self.make_assessors()

    @cached_property
    def replicates(self) -> Moves | None:
        """Made when first asked for."""
        return None if self.make_replicates is None else self.make_replicates()

    @cached_property
    def documents(self) -> Moves | None:
        """What assessors brought to single documents; made when first asked for."""
        return None if self.make_documents is None else self.make_documents()

    def alone(self, asked: Contrasts, source: Source) -> Spread | None:
        """The spread over one source with all others held fixed, but for what it holds; None where it is not known."""
        if source == "topics":
            return self.evidence.over_topics(asked)
        if source in LABELS:
            return self.evidence.over_gold(asked) if source == self.labels else None
        if source == "assessors":
            return None if self.assessors is None else self.assessors[0].spread(asked)
        if source == "replicates":
            return None if self.replicates is None else self.replicates.spread(asked)
        return None if self.collection is None else self.collection.spread(asked)

    def _crossed(self, asked: Contrasts) -> tuple[Floats, Floats] | None:
        """What assessors add to the topics (topics held fixed, to the documents, where other collections count).

        (V(assessors) - V(cells)) T/(T - 1), as what an assessor does on all of T topics is in his cells with 1/T of its
        variance; it may come out below 0. Beside it the square of V(assessors) over its degrees of freedom: what makes
        it uncertain.
        """
        if "assessors" not in self.over or self.assessors is None:
            return None
        who, cells = self.assessors
        spread = who.spread(asked)
        unsure = spread.variance**2 / spread.df
        if "topics" not in self.over:
            if "collection" not in self.over or self.documents is None:
                return spread.variance, unsure
            return spread.variance - self.documents.spread(asked).variance, unsure
        topics = len(cells.units) / len(who.units)
        return (spread.variance - cells.spread(asked).variance) * topics / (topics - 1), unsure

    def spread(self, asked: Contrasts) -> Spread:
        """Everything together; never surer than over topics alone, or over one of the sources that topics hold.

        V(topics) is estimated, and so is what a nested source brings by itself: where topics hardly differ the first
        may come out below the second, and the wider of the two counts. So it is where assessors seem to add less than
        nothing.
        """
        whole = self._joined(asked)
        for source in ("topics", *NESTED):
            part = self.alone(asked, source) if source in (*LABELS, *self.over) else None
            whole = whole if part is None else whole.or_wider(part)
        return whole

    def _apart(self) -> list[Source]:
        """Sources that add up where topics are held fixed; assessors and documents hold the noise of ratings."""
        held = {"assessors", "collection"} & self.over
        return [s for s in NESTED if s in LABELS or (s in self.over and not (s == "replicates" and held))]

    def _joined(self, asked: Contrasts) -> Spread:
        crossed = self._crossed(asked)
        if "topics" in self.over:
            known: list[Spread | None] = [self.evidence.over_topics(asked)]
        else:
            known = [self.alone(asked, s) for s in self._apart()]
        parts = [part for part in known if part is not None]
        if not parts and crossed is None:
            raise TruegainError(
                "with the topics held fixed, nothing here was sampled: all labels are known, and these scores are "
                "exact for these topics; say what they should hold for, such as topics like these (generalise_to)"
            )
        if crossed is None:
            return parts[0] if len(parts) == 1 else summed(parts)
        assert self.assessors is not None
        total = np.maximum(0.0, np.sum([crossed[0], *(p.variance for p in parts)], axis=0))
        below = np.sum([crossed[1], *(p.variance**2 / p.df for p in parts)], axis=0)
        df = np.divide(total**2, below, out=np.full(len(asked), np.inf), where=below > 0)
        fewest = np.min([np.full(len(asked), self.assessors[0].df), *(p.df for p in parts)], axis=0)
        return Spread(total, np.maximum(df, fewest))  # a sum is known no worse than the worst of its parts

    def score_limits(self, spread: Spread, bounds: tuple[float, float], confidence: float) -> tuple[Floats, Floats]:
        """Limits of the scores; with whole gold topics joined with Wilson's (see `Rectified.interval`)."""
        value, evidence = self.evidence.value, self.evidence
        low, high = within(*limits(value, spread, confidence), bounds)
        if isinstance(evidence, ByGoldTopics) and evidence.share and np.isfinite(np.subtract(*evidence.source.bounds)):
            found = [
                Rectified(v, se, df, 1.0, v, se, df, len(evidence.topics), evidence.n, bounds=evidence.source.bounds)
                for v, se, df in zip(value.tolist(), np.sqrt(spread.variance).tolist(), spread.df.tolist(), strict=True)
            ]
            low, high = np.array([one.interval(confidence) for one in found]).T
        return low, high

    def own_parts(self, asked: Contrasts) -> dict[Source, Floats]:
        """The variance that each source brings by itself; together they are all of it."""
        parts: dict[Source, Floats] = {}
        if (gold := self.evidence.over_gold(asked)) is not None:
            parts[self.labels] = gold.variance
        if "collection" in self.over and self.collection is not None:
            parts["collection"] = self.collection.spread(asked).variance
        if "replicates" in self._apart() and self.replicates is not None:
            parts["replicates"] = self.replicates.spread(asked).variance
        if "topics" not in self.over:
            if (crossed := self._crossed(asked)) is not None:
                parts["assessors"] = np.maximum(crossed[0], 0.0)
            return parts
        whole = self.evidence.over_topics(asked).variance
        nested = np.sum(list(parts.values()), axis=0) if parts else np.zeros(len(asked))
        shrink = np.divide(whole, nested, out=np.ones(len(asked)), where=nested > whole)  # no more than topics hold
        parts = {source: v * shrink for source, v in parts.items()}
        parts["topics"] = np.maximum(whole - nested, 0.0)
        if (crossed := self._crossed(asked)) is not None:
            parts["assessors"] = np.maximum(crossed[0], 0.0)
        return parts


def limits(value: Floats, spread: Spread, confidence: float) -> tuple[Floats, Floats]:
    """Value +- t(df) sqrt V."""
    half = quantiles_of(confidence, spread.df) * np.sqrt(spread.variance)
    return value - half, value + half
