"""What a study is given: options that must be meant together, and what it reads: runs, labels, ratings, gold."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from numbers import Real

import numpy as np

from truegain.aggregation.aggregate import rule_of
from truegain.config import Ratings, Scoring, StudyConfig
from truegain.data.alignment import aligned, loaders_of
from truegain.data.id_matching import EVERY_RANK, Matching
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.models import SystemModels
from truegain.data.pool import Pool, RankedGains
from truegain.data.ratings import Scale, read_ratings, tell_mixed
from truegain.data.runs import RunPaths, Runs
from truegain.errors import ORDER, DataWarning, InputError, TruegainError, some, warn
from truegain.io.columns import Bools, Coded, frozen
from truegain.io.files import is_paths
from truegain.io.trec import NameBy
from truegain.measures.base import Measure
from truegain.measures.scoring import refuse_depth
from truegain.message import AGGREGATE, arg, argname, by_surface
from truegain.sampling.catalogue import design_of, populations, with_held
from truegain.sampling.gold import ANSWER
from truegain.sampling.source import SourceName
from truegain.study.answer_raters import AnswerRaters, RatedAnswers
from truegain.study.assessors import Raters
from truegain.study.estimators import FEW_TOPICS, LEAST_TOPICS

FIXED = "fixed"  # the population of these topics only
EXACT_SCORES = by_surface("tg.evaluate returns", "`truegain eval` prints")
_USUAL = vars(Scoring())
FEW_ANSWERS = 5  # of the same judge about a document, below which a rule that takes steps hides its noise

# ---- Whether options can be meant together, and what the population names.


def sources_of(population: str | Sequence[str]) -> frozenset[SourceName]:
    """The sources of sampling that a population names, in a list or with commas; 'fixed' names none.

    >>> sorted(sources_of("topics, collection")), sorted(sources_of("fixed"))
    (['collection', 'topics'], [])
    """
    names = names_in(population)
    if names == [FIXED]:
        return frozenset()
    sources: set[SourceName] = set()
    for name in names:
        if name == FIXED:
            raise TruegainError(
                f"{argname('population')}: {FIXED!r} means these topics only and cannot be combined; sources that are "
                "not named are not covered"
            )
        if name not in populations():
            raise TruegainError(
                f"{argname('population')}: {name!r} is not known; give {FIXED}, or one or several of "
                f"{', '.join(populations())}"
            )
        sources.add(name)
    return with_held(sources)


def names_in(population: str | Sequence[str]) -> list[str]:
    """What a population names, in a list or with commas.

    >>> names_in("topics, collection"), names_in(("topics",))
    (['topics', 'collection'], ['topics'])
    """
    if isinstance(population, str):
        return [name.strip() for name in population.split(",")]
    if not isinstance(population, Sequence | Set) or not all(isinstance(name, str) for name in population):
        example = arg("population", ["topics", "collection"])
        raise TruegainError(f"{argname('population', population)}: give one name or several, such as {example}")
    return list(population)


def check_config(config: StudyConfig, over: frozenset[SourceName]) -> None:
    """Refuse what cannot be meant together, before any file is read."""
    if not over and config.gold is None and config.sample is None:
        raise TruegainError(
            f"With {arg('population', FIXED)}, nothing here is uncertain: the scores are exact, and {EXACT_SCORES} "
            f"them. For an interval, use {arg('population', 'topics')}, or give {arg('gold')} or "
            f"{arg('unjudged_sample')}."
        )
    if config.gold is not None and config.gold.design is not None:
        design_of(config.gold.design)
    if config.gold is not None and config.gold.aggregate is not None and config.ratings.are_aggregated:
        raise TruegainError(
            f"{argname('aggregate')} and {argname('gold_aggregate')}: only one of the judgments and the gold labels "
            f"may be ratings; aggregate the other first, with {AGGREGATE}"
        )
    if config.sample is not None:
        _check_sample(config, over)


def _check_sample(config: StudyConfig, over: frozenset[SourceName]) -> None:
    """Refuse what a sample of the unjudged documents cannot stand beside."""
    if config.gold is not None:
        raise TruegainError(
            f"{argname('unjudged_sample')} and {argname('gold')}: a sample of the unjudged documents takes the "
            "judgments as correct; have the judge label the unjudged documents too and sample gold from all, or "
            "give one of the two"
        )
    if config.ratings.are_aggregated:
        raise TruegainError(
            f"{argname('unjudged_sample')} and ratings: the sample takes the judgments as correct; aggregate the "
            f"ratings first, with {AGGREGATE}"
        )
    if others := [s for s in over if s != "topics"]:
        raise TruegainError(
            f"{argname('unjudged_sample')} and {argname('population')} {others[0]!r}: how unjudged documents vary "
            f"over it is unknown; leave {others[0]!r} or {argname('unjudged_sample')} out"
        )


def check_scoring(config: StudyConfig, measures: Sequence[Measure], is_list: bool) -> None:
    """Refuse ways of scoring that a study cannot follow; is_list: whether gold labels are an ordered list.

    Where lists are cut, or unjudged documents left out, before anything is asked of them, a study does not see what is
    unjudged, nor what other collections would hold; measures do the same and let it see.
    """
    how = config.scoring
    if how.no_relevant == "skip":
        raise TruegainError(
            f"{argname('no_relevant', 'skip')}: a study needs a score for each topic; leave topics without a relevant "
            "document out of the judgments"
        )
    refuse_depth(how.depth, measures, "a study looks at whole lists")
    if how.judged_only:
        takes = next((m for m in measures if any(f.name == "judged_only" for f in fields(m))), None)
        remedy = "leave it out"
        if takes is not None:
            remedy = f"give it to the measure, as in {replace(takes, judged_only=True)}"  # type: ignore[call-arg]
        raise TruegainError(f"{arg('judged_only', True)}: a study looks at unjudged documents, too; {remedy}")
    if is_list or config.sample is not None:
        check_order(how, f"a {'list of gold labels' if is_list else 'sample of unjudged documents'} is drawn")


def check_order(how: Scoring, drawn: str) -> None:
    """Refuse another order of equal scores than that in which something is drawn.

    >>> check_order(Scoring(ties="input"), "a list of gold labels is drawn")
    Traceback (most recent call last):
    truegain.errors.TruegainError: ties 'input': a list of gold labels is drawn in trec_eval's order of equal scores; \
leave ties out, or give runs without equal scores
    """
    if changed := [name for name in ("trec_eval", "ties") if getattr(how, name) != _USUAL[name]]:
        raise TruegainError(
            f"{argname(changed[0], getattr(how, changed[0]))}: {drawn} in trec_eval's order of equal scores; leave "
            f"{argname(changed[0])} out, or give runs without equal scores"
        )


def check_raters(raters: Raters | None, over: frozenset[SourceName]) -> None:
    """Refuse assessors or replicates without ratings, and a rule that assessors cannot be left out of."""
    if raters is None and "assessors" in over:
        raise TruegainError(
            f"{argname('population')} names assessors, and these judgments are not ratings: give ratings with a "
            f"column 'assessor' and a rule, such as {_ratings_by('aggregate', 'mean')}"
        )
    if raters is None and "replicates" in over:
        raise TruegainError(
            f"{argname('population')} names replicates, the same judge asked again: give all its ratings with "
            f"{_ratings_by('repeated', 'all')} and a rule, such as {_ratings_by('aggregate', 'mean')}"
        )
    if raters is not None and "assessors" in over:
        raters.check_rule()


def check_units(raters: Raters, over: frozenset[SourceName]) -> None:
    """Refuse ratings of the study's topics that tell too little of assessors, or of asking again."""
    if "assessors" in over:
        raters.check()
    if "replicates" in over:
        if isinstance(raters, AnswerRaters) and "assessors" in over and "topics" not in over:
            raters.check_crossed()
        raters.check_repeated()
        if raters.rule.STEPS and "topics" not in over and len(raters.asked) < FEW_ANSWERS:
            warn(
                f"the rule {raters.rule.NAME} of {len(raters.asked)} answers each: for fixed topics intervals may be "
                "too narrow, because so few answers hardly show how such a rule varies (three show less than half "
                f"of the variance); give {_ratings_by('aggregate', 'mean')}, or name 'topics' in "
                f"{argname('population')}"
            )


def _ratings_by(name: str, value: str) -> str:
    """An option of ratings as a study takes it in Python: in their config."""
    return arg(name, value, python=f"ratings=tg.Ratings({name}={value!r})")


def margin_of(value: object, min_effect: float) -> float:
    """By how much a system may be worse, in place of a smallest gain that matters.

    >>> margin_of(0.02, 0.0)
    0.02
    >>> margin_of(0.02, 0.01)
    Traceback (most recent call last):
    truegain.errors.TruegainError: not_worse_by= and min_effect= set two different goals; leave one of them out
    """
    if not (isinstance(value, Real) and math.isfinite(value) and float(value) > 0):
        raise TruegainError(f"{argname('not_worse_by', value, '')}: give how much worse it may be, a number above 0")
    if min_effect > 0:
        raise TruegainError(
            f"{arg('not_worse_by')} and {arg('min_effect')} set two different goals; leave one of them out"
        )
    return float(value)


# ---- What is read: runs in line with labels, ratings with their rule, and gold labels.

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
            if ANSWER not in labels.extra:  # values of answers tell themselves where they are missing
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
