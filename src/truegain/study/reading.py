"""What a study is given, read: runs in line with labels, ratings with their rule, and gold labels."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from truegain.aggregation.aggregate import rule_of
from truegain.config import Ratings, Scoring
from truegain.data.alignment import aligned, loaders_of
from truegain.data.id_matching import EVERY_RANK, Matching
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.models import SystemModels
from truegain.data.pool import Pool, RankedGains
from truegain.data.ratings import Scale, read_ratings, tell_mixed
from truegain.data.runs import RunPaths, Runs
from truegain.errors import ORDER, DataWarning, InputError, TruegainError, some, warn
from truegain.io.columns import Bools, Coded, frozen
from truegain.io.python_tables import is_paths
from truegain.io.trec import NameBy
from truegain.message import arg
from truegain.study.answer_raters import AnswerRaters, RatedAnswers
from truegain.study.assessors import Raters
from truegain.study.estimators import FEW_TOPICS, LEAST_TOPICS

_GOLD_BY_MEAN = arg("gold_aggregate", "mean")


@dataclass(frozen=True, eq=False)
class RunsInput:
    """Runs as they were given, and how to read them."""

    runs: object
    name_by: NameBy = "file"
    jobs: int | None = None
    models: SystemModels | None = field(default=None, kw_only=True)  # that systems use, where no column says so
    scoring: Scoring = field(default=Scoring(), kw_only=True)  # which topics count, and the order of equal scores
    matching: Matching = field(default=EVERY_RANK, kw_only=True)  # which ranks count

    def on_common_topics(self, labels: Judgments, keep_keys: int, few: bool) -> tuple[RankedGains, Judgments]:
        """Runs in line with labels, on the topics that all systems answer (or all), and the labels of these topics.

        few: whether to tell that the topics are few.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "[0-9]+ of [0-9]+ runs lacks? judged topics", DataWarning)  # told here
            ranked = self._aligned_with(labels, keep_keys)
        present = ranked.present.reshape(len(ranked.systems), -1)
        there = np.asarray(present.all(axis=0))
        if not there.all() and self.scoring.all_topics:
            warn(f"{int((~there).sum())} of {len(there)} judged topics are not answered by all systems; a missing one "
                f"counts as 0 ({_who_lacks(ranked.systems, present)})")  # fmt: skip
            ranked = replace(ranked, retrieved=frozen(ranked.depth))
        elif not there.all():
            lacking = [t for t, x in zip(ranked.topics, there, strict=True) if not x]
            kept = set(ranked.topics) - set(lacking)
            warn(f"{len(lacking)} of {len(there)} judged topics are not answered by all systems and are left out "
                f"({some(lacking)}); {_who_lacks(ranked.systems, present)}")  # fmt: skip
            if not kept:
                raise TruegainError("no judged topic is answered by all systems; leave out systems that answer few: "
                                    f"{_who_lacks(ranked.systems, present)}")  # fmt: skip
            labels = of_topics(labels, kept)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # told the first time
                ranked = replace(self._aligned_with(labels, keep_keys), doubts=ranked.doubts)
        topics = len(ranked.topics)
        if topics < LEAST_TOPICS:
            raise TruegainError(
                f"{topics} {'topic is' if topics == 1 else 'topics are'} too few for a study; have at least "
                f"{LEAST_TOPICS} that all systems answer, better 50"
            )
        if topics < FEW_TOPICS and few:
            warn(f"with only {topics} topics, intervals depend on how the scores are distributed; have 25 or more")
        return ranked, labels

    def _aligned_with(self, labels: Judgments, keep_keys: int) -> RankedGains:
        """Runs in line with these labels, on all their topics, and of each list the documents that count."""
        how = replace(self.scoring, all_topics=False)  # topics that are lacking are told above
        return aligned(self._files, labels, how, jobs=self.jobs, keep_keys=keep_keys, matching=self.matching)

    def all(self, labels: Judgments) -> Runs:
        """The runs of all systems."""
        return Runs(tuple(run for load in loaders_of(self._files, labels, 1) for run in load()))

    @property
    def _files(self) -> object:
        """The runs; of files also how their systems are named."""
        files = isinstance(self.runs, str | os.PathLike) or is_paths(self.runs)
        return RunPaths.of(self.runs, self.name_by) if files and self.name_by != "file" else self.runs


def _who_lacks(systems: Sequence[str], present: Bools) -> str:
    """Who lacks topics, most first.

    >>> _who_lacks(("a", "b", "c"), np.array([[True, True], [True, False], [False, False]]))
    'c lacks 2, b 1'
    """
    lost = (~present).sum(axis=1)
    order = np.argsort(-lost, kind="stable").tolist()
    first = f"{systems[order[0]]} lacks {lost[order[0]]}"
    return some([first, *(f"{systems[s]} {lost[s]}" for s in order[1:] if lost[s])])


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


def raters_of(judgments: JudgmentsLike, ratings: Ratings) -> Raters | None:
    """Ratings and the rule that makes gains of them; None where labels are taken as they are."""
    if isinstance(judgments, RatedAnswers):
        return AnswerRaters.of_answers(judgments.labels, judgments.ratings)
    if not ratings.are_aggregated:
        return None
    declared = Scale.of(ratings.scale)
    table = read_ratings(judgments, scale=declared, out_of_range=ratings.out_of_range, repeated=ratings.repeated)
    if ratings.normalize is None and declared.level not in ("ratio", "nominal"):
        tell_mixed(table)
    rule = rule_of("median" if ratings.aggregate is None else ratings.aggregate)
    return Raters.of(table, rule, declared, "none" if ratings.normalize is None else ratings.normalize)


def raters_in(raters: Raters, topics: Sequence[str]) -> Raters:
    """The ratings of some topics, by the assessors who gave them: nobody else is a unit."""
    table = of_topics(raters.ratings.judgments, set(topics))
    assert table.assessor is not None
    people = Coded.of(table.assessor.strings())
    if isinstance(raters, AnswerRaters):
        return AnswerRaters.of_answers(of_topics(raters.labels, set(topics)), replace(table, assessor=people))
    return Raters.of(replace(table, assessor=people), raters.rule, raters.scale, raters.normalize)


def gold_of(gold: object) -> Judgments:
    """Gold labels; a run in their place is told as that."""
    try:
        labels = Judgments.of(gold, "gold")
    except InputError as error:
        if error.hint is None or ORDER not in error.hint:
            raise
        hint = error.hint.marked.replace(ORDER, "gold labels are judgments of some pairs")
        raise error.with_hint(hint) from None
    if labels.assessor is not None:
        try:
            Pool.of(labels).check_one_label()
        except InputError as error:
            hint = f"combine them into one label a document, by mean, majority or another rule: {_GOLD_BY_MEAN}"
            raise error.with_hint(hint) from None
    return labels
