"""What a study is made of: runs in line with labels, ratings or gold labels behind these, and what was sampled."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truegain.errors import DataWarning, TruegainError, some
from truegain.gains.catalogue import rule_of
from truegain.gains.judge import Judge
from truegain.inference.collection.expansion import check_drawable
from truegain.inference.collection.score import has_lone_rule, spreads_of
from truegain.inference.collection.without import without_each
from truegain.inference.judges.label_weights import level_of
from truegain.inference.study.by_list import ByList
from truegain.inference.study.evidence import LEAST_TOPICS, ByGoldPairs, ByGoldTopics, Evidence, Plain
from truegain.inference.study.hole_list import HoleList
from truegain.inference.study.hole_sample import HoleSample
from truegain.inference.study.lattice import Collection as OtherCollections
from truegain.inference.study.lattice import Lattice
from truegain.inference.study.listed import StandIn
from truegain.inference.study.making import evidence_of, tell_holes
from truegain.inference.study.raters import Raters
from truegain.measures.base import Measure
from truegain.measures.evaluate import Options, aligned, loaders_of
from truegain.moves import Moves
from truegain.sampling.designs import SAME_POPULATION
from truegain.sampling.source import SourceName
from truegain.tables.checks import warn
from truegain.tables.columns import Bools, Coded, Floats, frozen
from truegain.tables.gold_list import GoldList
from truegain.tables.judgments import Judgments
from truegain.tables.ranked import RankedGains
from truegain.tables.ratings import Outside, Repeated, read_ratings
from truegain.tables.read import NameBy
from truegain.tables.runs import Run, Runs
from truegain.tables.scale import Scale

FEW_TOPICS = 10


def of_topics(labels: Judgments, kept: Collection[str]) -> Judgments:
    """The labels of some topics, which know of no others.

    >>> some = of_topics(Judgments.of({"1": {"a": 1}, "2": {"a": 0, "b": 1}, "3": {"c": 1}}), {"3", "2"})
    >>> some.topic.values, some.topic.strings()
    (('2', '3'), ['2', '2', '3'])
    """
    values = tuple(t for t in labels.topic.values if t in kept)
    code = labels.topic.onto(values)
    rows = np.flatnonzero(code >= 0)
    return replace(labels.take(rows), topic=Coded(values, frozen(code[rows])))


@dataclass(frozen=True, eq=False)
class Given:
    """Runs as they were given, and how to read them."""

    runs: object
    name_by: NameBy = "file"
    jobs: int | None = None

    def aligned(self, labels: Judgments, keep_keys: int, few: bool) -> tuple[RankedGains, Judgments]:
        """Runs in line with labels, on the topics that all systems answer, and the labels of these topics.

        few: whether to tell that the topics are few.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "[0-9]+ of [0-9]+ runs lacks? judged topics", DataWarning)  # told here
            ranked = self._against(labels, keep_keys)
        present = ranked.present.reshape(len(ranked.systems), -1)
        there = np.asarray(present.all(axis=0))
        if not there.all():
            lacking = [t for t, x in zip(ranked.topics, there, strict=True) if not x]
            kept = set(ranked.topics) - set(lacking)
            warn(f"{len(lacking)} of {len(there)} judged topics are not answered by all systems and left out "
                 f"({some(lacking)}); {_who_lacks(ranked.systems, present)}")  # fmt: skip
            if not kept:
                raise TruegainError("no judged topic is answered by all systems; leave out systems that answer few: "
                                    f"{_who_lacks(ranked.systems, present)}")  # fmt: skip
            labels = of_topics(labels, kept)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # told the first time
                ranked = self._against(labels, keep_keys)
        topics = len(ranked.topics)
        if topics < LEAST_TOPICS:
            raise TruegainError(
                f"{topics} {'topic is' if topics == 1 else 'topics are'} too few for a study; have at least "
                f"{LEAST_TOPICS}, better 50"
            )
        if topics < FEW_TOPICS and few:
            warn(f"{topics} topics are few: intervals over topics lean on the shape of the scores; have 25 or more")
        return ranked, labels

    def _against(self, labels: Judgments, keep_keys: int) -> RankedGains:
        return aligned(self.runs, labels, Options(), name_by=self.name_by, jobs=self.jobs, keep_keys=keep_keys)

    def all(self, labels: Judgments) -> Runs:
        """The runs of all systems."""
        return Runs(tuple(run for load in loaders_of(self.runs, labels, self.name_by, 1) for run in load()))

    def two(self, a: str, b: str, labels: Judgments) -> Runs:
        """The runs of two systems; of files, those that are named like them are read first."""
        found: dict[str, Run] = {}
        runs = self.runs
        if isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
            runs = sorted(map(os.fspath, runs), key=lambda path: a not in path and b not in path)
        for load in loaders_of(runs, labels, self.name_by, 1):
            found |= {run.system: run for run in load() if run.system in (a, b)}
            if len(found) == 2:
                break
        return Runs((found[a], found[b]))


def _who_lacks(systems: Sequence[str], present: Bools) -> str:
    """Who lacks topics, most first.

    >>> _who_lacks(("a", "b", "c"), np.array([[True, True], [True, False], [False, False]]))
    'c lacks 2, b 1'
    """
    lost = (~present).sum(axis=1)
    order = np.argsort(-lost, kind="stable").tolist()
    first = f"{systems[order[0]]} lacks {lost[order[0]]}"
    return some([first, *(f"{systems[s]} {lost[s]}" for s in order[1:] if lost[s])])


@dataclass(frozen=True, eq=False)
class Material:
    """Runs in line with labels, and what may move the scores."""

    over: frozenset[SourceName]
    ranked: RankedGains
    raters: Raters | None
    judge: Judge | None
    gold_level: float | None
    replicates: int
    seed: int
    gold_rated: bool = False  # whether the ratings are those behind the gold labels
    sample: HoleSample | HoleList | None = None
    listed: GoldList | None = None
    looks: float | None = None  # see `Lattice`

    def lattice(self, m: Measure) -> Lattice:
        """What a measure stands on; what cannot be spoken of is refused."""
        self._refuse_fixed()
        tell_holes(self.ranked, m, self.judge)
        evidence, naive = self._evidence(m)
        if self.looks is not None:
            self._refuse_looks()
        collection = assessors = replicates = documents = None
        if "collection" in self.over:
            if isinstance(evidence, ByList) and evidence.note:
                raise TruegainError(f"{evidence.note} How that moves over collections is not known; give DCG or P")
            check_drawable(m)
            self._refuse_shallow(m)

            def collection() -> OtherCollections:
                spreads = spreads_of(
                    self.ranked, m, pairs=True, replicates=self.replicates, seed=self.seed, engine=None, progress=None
                )  # fmt: skip
                return OtherCollections(spreads, has_lone_rule(m))

        raters = self.raters
        if raters is not None and self.listed is not None:
            self._refuse_rated()
            raters = None
        if raters is not None:

            def refitted(gains: Floats) -> Evidence:
                if self.gold_rated:
                    assert self.judge is not None
                    judge = replace(self.judge, gold=raters.ratings.labelled(gains))
                    return evidence_of(self.ranked, m, judge, self.gold_level)
                ranked = self.ranked.with_gains(raters.on(self.ranked.pool, gains))
                return evidence_of(ranked, m, self.judge, self.gold_level)

            if self._raters_tell(raters):

                def assessors() -> tuple[Moves, Moves]:
                    return raters.moves(refitted, self.ranked.topics)

                def documents() -> Moves:
                    return raters.within_documents(refitted, self.ranked.topics)

            if "replicates" in self.over:

                def replicates() -> Moves:
                    return raters.repeated_moves(refitted, self.ranked.topics)

        return Lattice(evidence, naive, self.over, collection, assessors, replicates, documents, self.looks)

    def _evidence(self, m: Measure) -> tuple[Evidence, Evidence]:
        """What the scores stand on, and the labels as they are."""
        if self.listed is not None and self.judge is not None:
            by_list = ByList.of(self.ranked, self.listed, m, self.judge.at_levels(level_of(m), self.gold_level))
            stand_in = StandIn.of(m, self.ranked)
            plain = evidence_of(self.ranked, stand_in.measure, None, None)
            assert isinstance(plain, Plain)
            return by_list, Plain(plain.scores / stand_in.constant, plain.topics)
        if self.sample is not None:
            return self.sample.evidence(m), evidence_of(self.ranked, m, None, None)
        found = evidence_of(self.ranked, m, self.judge, self.gold_level)
        return found, found if self.judge is None else evidence_of(self.ranked, m, None, None)

    def documents(self, m: Measure, lattice: Lattice, a: int, b: int) -> Moves:
        """How far each judged document moves two scores by being in the collection; by the labels as they are.

        What the scores would be without it is told where they stand on these labels alone.
        """
        names, moved = without_each(self.ranked, m, (a, b))
        plain = isinstance(lattice.evidence, Plain)
        without = lattice.evidence.value[[a, b]] - moved if plain else None
        return Moves("collection", names, moved, max(1.0, len(names) - 1.0), without)

    def _raters_tell(self, raters: Raters) -> bool:
        """Whether leaving assessors out says something; where they are asked for this was checked."""
        if self.judge is not None and self.judge.design not in SAME_POPULATION:
            if "assessors" in self.over:
                raise TruegainError(
                    f"design {self.judge.design!r}: the judge's rates are of all assessors together, so others "
                    "cannot be spoken of; leave 'assessors' out of generalise_to"
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
        """Rates say how often labels are wrong, not which; what chance made of these labels only topics tell."""
        if "topics" in self.over or self.judge is None or self.judge.design in SAME_POPULATION:
            return
        raise TruegainError(
            f"design {self.judge.design!r} knows how often the judge errs, not where, so scores of these topics only "
            "are off by chance, and by how much cannot be told; name 'topics' in generalise_to, or have gold labels "
            "drawn from these topics (design='random')"
        )

    def _refuse_rated(self) -> None:
        """A list was drawn for one bronze label a document; what assessors would have said otherwise it cannot tell."""
        if others := sorted(self.over & {"assessors", "replicates"}):
            raise TruegainError(
                f"an ordered list of gold labels and generalise_to {others[0]!r}: the list was drawn for one bronze "
                f"label a document; leave {others[0]!r} out"
            )

    def _refuse_looks(self) -> None:
        """Looking many times is known for labels in a drawn order, and topics."""
        if self.listed is None and not isinstance(self.sample, HoleList):
            raise TruegainError(
                "anytime: how often one may look is known for gold labels in the order of a list; draw one with "
                "`truegain plan labels ... -o gold_list.csv`, or leave anytime out and look once"
            )
        if others := sorted(self.over - {"topics"}):
            raise TruegainError(f"anytime and generalise_to {others[0]!r}: not known together; leave one of them out")

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
                f"{m} over other collections needs lists of {2 * cutoff} documents, and {len(shallow)} of "
                f"{len(deepest)} runs hold no more than {int(deepest[shallow].max())} ({names}): copies of documents "
                "would leave ranks empty; give deeper runs, or leave 'collection' out"
            )

    def unjudged(self, m: Measure, systems: Sequence[int] | None = None) -> tuple[int, int]:
        """How many of the documents that a measure looks at are unjudged, over all lists, and how many there are."""
        shape = len(self.ranked.systems), len(self.ranked.topics)
        lists = np.zeros(shape, np.bool_)
        lists[slice(None) if systems is None else list(systems)] = True
        cutoff = getattr(m, "cutoff", None)
        depth = self.ranked.depth if cutoff is None else np.minimum(self.ranked.depth, cutoff)
        counted = m.within(self.ranked.rank) & self.ranked.judged & lists.ravel()[self.ranked.list]
        there = int(depth[lists.ravel()].sum())
        return there - int(counted.sum()), there

    def gold_counts(self, lattice: Lattice) -> tuple[int, int]:
        """Gold labels and pairs they were drawn from; topics where whole topics were gold-judged; sampled holes."""
        if isinstance(lattice.evidence, ByList):
            return lattice.evidence.draws.n, len(lattice.evidence.draws.sizes)
        if isinstance(lattice.evidence, ByGoldPairs):
            return len(lattice.evidence.gold), lattice.evidence.gold.of
        if isinstance(lattice.evidence, ByGoldTopics):
            return lattice.evidence.fit.n, len(self.ranked.topics)
        return 0 if self.judge is None else self.judge.size, 0


def raters_in(raters: Raters, topics: Sequence[str]) -> Raters:
    """The ratings of some topics, by the assessors who gave them: nobody else is a unit."""
    table = of_topics(raters.ratings.judgments, set(topics))
    assert table.assessor is not None
    people = Coded.of(table.assessor.strings())
    return Raters.of(replace(table, assessor=people), raters.rule, raters.scale, raters.normalise)


def raters_of(
    judgments: object, rule: str | None, scale: Scale | str | None, normalise: str | None, repeated: Repeated,
    outside: Outside, parameters: Mapping[str, Any],
) -> Raters | None:  # fmt: skip
    """Ratings and the rule that makes gains of them; None where labels are taken as they are."""
    if rule is None and normalise is None:
        if parameters:
            raise TruegainError(f"Study has no option {', '.join(sorted(parameters))}")
        return None
    declared = Scale.of(scale)
    table = read_ratings(judgments, scale=declared, outside=outside, repeated=repeated)
    chosen = rule_of("median" if rule is None else rule, **parameters)
    return Raters.of(table, chosen, declared, "none" if normalise is None else normalise)
