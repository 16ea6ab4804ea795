"""The data of a study: runs in line with labels, what was sampled, and the population that answers are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from truegain.data.label_lists import GoldList
from truegain.data.pool import RankedGains
from truegain.errors import TruegainError, some
from truegain.io.columns import Floats, Ints, frozen
from truegain.judge_error.judge import Judge
from truegain.measures.base import Measure
from truegain.measures.items import OfItems
from truegain.measures.label_weights import StandIn, level_of
from truegain.message import SAMPLE_GOLD, SAMPLE_UNJUDGED, argname, gold_drawn
from truegain.sampling.catalogue import SOURCES, is_sample, populations
from truegain.sampling.clusters import CLUSTERS, clusters_by_topic
from truegain.sampling.source import SourceName, TopicUnits
from truegain.stats.collection_intervals import spread_rule, spreads_of
from truegain.stats.contrasts import Influence
from truegain.stats.other_collections import check_drawable, least_relevant, without_each
from truegain.study.answer_raters import AnswerRaters
from truegain.study.assessors import Raters
from truegain.study.estimators import Plain, ScoreEstimator
from truegain.study.gold import check_unjudged, estimator_of
from truegain.study.gold_lists import ByList
from truegain.study.unjudged_sample import RandomUnjudgedSample, UnjudgedList
from truegain.study.variance import CrossedSource, OtherCollections, SourceVariance, VarianceModel

LONE = (
    "no topic has more than one relevant document, and one relevant document per topic does not show how scores vary "
    "with other documents"
)


@dataclass(frozen=True, eq=False)
class StudyData:
    """The data of a study: runs aligned with labels, and what its sources of uncertainty are estimated from."""

    over: frozenset[SourceName]
    ranked: RankedGains
    raters: Raters | None
    judge: Judge | None
    gold_relevant_from: float | None
    resamples: int
    seed: int
    gold_rated: bool = False  # whether the ratings are those behind the gold labels
    sample: RandomUnjudgedSample | UnjudgedList | None = None
    gold_list: GoldList | None = None
    anytime_confidence: float | None = None  # see `VarianceModel`
    confidence: float = 0.95

    @cached_property
    def topic_units(self) -> TopicUnits:
        """By source that holds topics, the unit that each topic belongs to, where labels tell it."""
        clusters = clusters_by_topic(self.ranked.pool.judgments) if CLUSTERS.name in self.over else None
        return {} if clusters is None else {CLUSTERS.name: clusters}

    def variance_model(self, m: Measure) -> VarianceModel:
        """What a measure stands on; what cannot be spoken of is refused."""
        self._refuse_fixed()
        if self.sample is None:  # which tells what unjudged documents are worth
            check_unjudged(self.ranked, m, self.judge)
        estimator, uncorrected = self._estimator(m)
        if self.anytime_confidence is not None:
            self._refuse_looks()
        makers: dict[SourceName, Callable[[], SourceVariance]] = {}
        over = self.sources_for(m)
        if "collection" in self.over:
            if isinstance(m, OfItems):
                raise TruegainError(
                    f"{argname('population')}: answers have no document collection; leave 'collection' out"
                )
            if note := estimator.label_facts.note:
                raise TruegainError(f"{note} How that varies between collections is unknown; give DCG or P")
            check_drawable(m)
            if "collection" in over:
                self._refuse_shallow(m)
                makers["collection"] = partial(self._collection, m)
            elif "topics" not in over:
                raise TruegainError(
                    f"{m} over other collections: {LONE}; name 'topics' in {argname('population')} and leave "
                    "'collection' out, or give a measure that sums over ranks, such as P@10"
                )
        if self.raters is not None and self.gold_list is not None:
            self._refuse_rated()
        elif self.raters is not None:
            refitted, topics = partial(self._refitted, m, self.raters), self.ranked.topics
            if self._raters_tell(self.raters):
                makers["assessors"] = partial(self._assessors, self.raters, refitted)
            if "replicates" in self.over:
                makers["replicates"] = partial(self.raters.repeated_moves, refitted, topics, self.ranked.systems)
        shared = isinstance(self.raters, AnswerRaters)
        return VarianceModel(estimator, uncorrected, over, makers, self.anytime_confidence, shared, self.topic_units)

    def sources_for(self, m: Measure) -> frozenset[SourceName]:
        """What a measure can be told for: no other collections where one document a topic would have to tell of them.

        A topic with one relevant document borrows its spread from those with several (see `Pooled`).
        """
        if "collection" not in self.over or spread_rule(m).lone == "own":
            return self.over
        relevant = self.ranked.pool_relevant(least_relevant(m))
        shows_spread = (relevant > 1).any() or not relevant.any()
        return self.over if shows_spread else self.over - {"collection"}

    def _collection(self, m: Measure) -> OtherCollections:
        spreads = spreads_of(
            self.ranked, m, pairs=True, replicates=self.resamples, seed=self.seed, engine=None, progress=None
        )
        return OtherCollections(spreads, spread_rule(m).lone)

    def _assessors(self, raters: Raters, refitted: Callable[[Floats], ScoreEstimator]) -> CrossedSource:
        topics = self.ranked.topics
        within = partial(raters.within_documents, refitted, topics)
        values = None
        if isinstance(raters, AnswerRaters) and "replicates" in self.over:
            values = partial(raters.single_values, refitted, topics, self.ranked.systems)
        return CrossedSource(*raters.moves(refitted, topics), within, raters.noise_twice, values)

    def _refitted(self, m: Measure, raters: Raters, gains: Floats) -> ScoreEstimator:
        """What the scores would stand on with other gains of the rated items."""
        if self.gold_rated:
            assert self.judge is not None
            judge = replace(self.judge, gold=raters.ratings.labeled(gains))
            return estimator_of(self.ranked, m, judge, self.gold_relevant_from, self.confidence)
        ranked = self.ranked.with_gains(raters.on(self.ranked.pool, gains))
        return estimator_of(ranked, m, self.judge, self.gold_relevant_from, self.confidence)

    def _estimator(self, m: Measure) -> tuple[ScoreEstimator, ScoreEstimator]:
        """The estimator of the scores, and the one by the uncorrected labels."""
        if self.gold_list is not None and self.judge is not None:
            by_list = ByList.of(
                self.ranked, self.gold_list, m, self.judge.at_levels(level_of(m), self.gold_relevant_from)
            )
            stand_in = StandIn.of(m, self.ranked)
            plain = estimator_of(self.ranked, stand_in.measure, None, None)
            return by_list, Plain(plain.contributions().T / stand_in.constant, self.ranked.topics)
        if self.sample is not None:
            return self.sample.estimator(m), estimator_of(self.ranked, m, None, None)
        estimator = estimator_of(self.ranked, m, self.judge, self.gold_relevant_from, self.confidence)
        return estimator, estimator if self.judge is None else estimator_of(self.ranked, m, None, None)

    def documents(self, m: Measure, variance_model: VarianceModel, a: int, b: int) -> Influence:
        """How far each judged document moves two scores by being in the collection; by the labels as they are.

        What the scores would be without it is told where they stand on these labels alone.
        """
        names, moved = without_each(self.ranked, m, (a, b))
        without = variance_model.estimator.value[[a, b]] - moved if variance_model.estimator.label_facts.plain else None
        return Influence("collection", names, moved, max(1.0, len(names) - 1.0), without)

    def _raters_tell(self, raters: Raters) -> bool:
        """Whether leaving assessors out says something; where they are asked for this was checked."""
        if self.judge is not None and not is_sample(self.judge.design):
            if "assessors" in self.over:
                raise TruegainError(
                    f"{argname('design', self.judge.design)}: the judge's error rates are those of all assessors "
                    "together, so they do not show how other assessors would differ; leave 'assessors' out of "
                    f"{argname('population')}"
                )
            return False
        if "assessors" in self.over:
            return True
        try:
            raters.check()
        except TruegainError:
            return False
        return True

    def _refuse_fixed(self) -> None:
        """Refuse fixed topics where gold gives error rates only: these say how often labels are wrong, not which."""
        if "topics" in self.over or self.judge is None or is_sample(self.judge.design):
            return
        raise TruegainError(
            f"{argname('design', self.judge.design)} shows how often the judge errs, not where, so the chance error "
            f"of scores for these topics only is unknown; name 'topics' in {argname('population')}, or sample gold "
            f"labels from these topics ({gold_drawn('random')})"
        )

    def _refuse_rated(self) -> None:
        """A list was drawn for one bronze label a document; what assessors would have said otherwise it cannot tell."""
        if others := sorted(self.over & {"assessors", "replicates"}):
            raise TruegainError(
                f"an ordered list of gold labels and {argname('population')} {others[0]!r}: the list was sampled for "
                f"one bronze label per document; leave {others[0]!r} out"
            )

    def _refuse_looks(self) -> None:
        """Looking many times is known for labels in a drawn order, and topics."""
        if self.gold_list is None and isinstance(self.sample, RandomUnjudgedSample):
            raise TruegainError(
                f"{argname('sequential')}: repeated looks need labels in the order of a list; draw one with "
                f"{SAMPLE_UNJUDGED}, or leave {argname('sequential')} out and look once"
            )
        if self.gold_list is None and self.sample is None:
            raise TruegainError(
                f"{argname('sequential')}: repeated looks need gold labels in the order of a list; draw one with "
                f"{SAMPLE_GOLD}, or leave {argname('sequential')} out and look once"
            )
        if others := sorted(self.over - {"topics"}):
            raise TruegainError(
                f"{argname('sequential')} and {argname('population')} {others[0]!r}: cannot be combined; leave one "
                "of them out"
            )

    def _refuse_shallow(self, m: Measure) -> None:
        """Refuse runs that were cut between k and 2k; a list that ends there in a deeper run found no more."""
        cutoff = getattr(m, "cutoff", None)
        if cutoff is None:
            return
        deepest = self.ranked.depth.reshape(len(self.ranked.systems), -1).max(axis=1)
        shallow = np.flatnonzero((deepest >= cutoff) & (deepest < 2 * cutoff)).tolist()
        if shallow:
            names = some([self.ranked.systems[s] for s in shallow])
            raise TruegainError(
                f"{m} over other collections needs rankings of {2 * cutoff} documents, and {len(shallow)} of "
                f"{len(deepest)} runs have no more than {int(deepest[shallow].max())} ({names}): resampled documents "
                "would leave ranks empty; give deeper runs, or leave 'collection' out"
            )

    def unjudged(self, m: Measure, systems: Sequence[int] | None = None) -> tuple[int, int]:
        """How many of the documents that a measure looks at are unjudged, over all lists, and how many there are."""
        rows = slice(None) if systems is None else list(systems)
        return int(self.unjudged_by_system(m)[rows].sum()), int(self._looked_at(m)[rows].sum())

    def unjudged_by_system(self, m: Measure) -> Ints:
        """How many of the documents that a measure looks at are unjudged, by system."""
        if str(m) not in self._unjudged_counts:
            ranked = self.ranked
            system = ranked.list[m.within(ranked.rank) & ranked.judged] // len(ranked.topics)
            judged = np.bincount(system, minlength=len(ranked.systems))
            self._unjudged_counts[str(m)] = frozen(self._looked_at(m) - judged)
        return self._unjudged_counts[str(m)]

    def _looked_at(self, m: Measure) -> Ints:
        """How many documents a measure looks at, by system."""
        cutoff = getattr(m, "cutoff", None)
        depth = self.ranked.depth if cutoff is None else np.minimum(self.ranked.depth, cutoff)
        return np.asarray(depth.reshape(len(self.ranked.systems), -1).sum(axis=1))

    @cached_property
    def _unjudged_counts(self) -> dict[str, Ints]:
        return {}

    def unjudged_note(self, m: Measure, systems: Sequence[int] | None, holds: str, first: str = "") -> str:
        """What was taken of unjudged documents, in words; empty where all are judged.

        holds: what holds whatever their labels; empty: nothing, they count as not relevant.
        first: the ranks that are held against what they could be, where those below count as not relevant; in words.
        """
        unjudged, shown = self.unjudged(m, systems)
        if not unjudged:
            return ""
        there = "in all runs" if systems is None or len(systems) > 2 else "in both runs"
        are, count, their, they = (
            ("is", "counts", "its label", "it") if unjudged == 1 else ("are", "count", "their labels", "they")
        )
        open_ = f"{unjudged:,} of the {shown:,} documents that {m} counts {there} {are} unjudged"
        if m.leaves_out_unjudged:
            return f"{open_} and left out here: what {they} could change is unknown."
        if holds and first:
            return (
                f"{open_}: {holds} whatever the labels of those in {first}; those below, and in scores all of them, "
                "count as not relevant."
            )
        if holds:
            return (
                f"{open_}: {holds} whatever {their}; scores count {'it' if unjudged == 1 else 'them'} as not relevant."
            )
        return f"{open_} and {count} as not relevant here; `unjudged` shows what {they} could change."


# ---- What the answers hold for, and what they do not cover, in words.


@dataclass(frozen=True)
class Population:
    """What answers generalize to: the sources of uncertainty, and how many units of each were sampled.

    >>> print(Population(frozenset(["topics"]), 50, gold=True))
    For topics like these 50. Not covered: other document collections; mistakes in the gold labels.
    """

    over: frozenset[SourceName]
    topics: int
    assessors: int = 0  # 0 where labels are taken as they are
    gold: bool = False
    gold_rated: bool = False  # whether the assessors are those of the gold labels
    sampled: tuple[int, int] | None = None  # unjudged documents judged at random, and of how many
    groups: Mapping[SourceName, int] = field(default_factory=dict)  # by source, how many units group the topics
    answers: bool = False  # whether values of answers are scored: no collection is sampled
    repeats: int = 0  # of answers, where they are spoken of
    by_rule: bool = False  # whether a rule gave all values of answers, and no judge

    @property
    def holds_for(self) -> str:
        """The sources that answers generalize over, in words; topics held fixed come first, samples of labels last."""
        n = self.topics
        words = [] if "topics" in self.over else [f"for {'this 1 topic' if n == 1 else f'these {n} topics'} only"]
        counts = {**self.groups, "topics": n, "assessors": self.assessors, "replicates": self.repeats}
        words += [
            SOURCES[s].worded(self.answers).claim.format(n=counts.get(s)) for s in populations() if s in self.over
        ]
        if self.sampled is not None:
            n, total = self.sampled
            drawn = f"a random sample of {n:,} of the {total:,} unjudged documents"
            words.append(f"by {drawn if n < total else f'labels of all {n:,} unjudged documents'}")
        return ", ".join(words)

    @property
    def not_covered(self) -> str:
        """What the answers do not cover."""
        sources = {} if self.answers else SOURCES
        words = [s.uncovered for name, s in sources.items() if s.uncovered and name not in self.over]
        if self.answers and not self.gold:
            shared = "assessors" in self.over
            of_judges = "errors that all judges share" if shared else "errors of the judge"
            words.append("errors of the scoring rule" if self.by_rule else of_judges)
        elif "assessors" not in self.over and self.assessors:
            words.append("other assessors")
        elif not self.assessors and not self.gold:
            words.append("mistakes in the judgments")
        if self.gold and not self.gold_rated:
            words.append("mistakes in the gold labels")
        return "; ".join(words) or "nothing"

    def __str__(self) -> str:
        return f"{self.holds_for[0].upper()}{self.holds_for[1:]}. Not covered: {self.not_covered}."
