"""Whether the options of a study can be meant together, and what its population names."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import fields, replace
from numbers import Real

from truegain.config import Scoring, StudyConfig
from truegain.errors import TruegainError, warn
from truegain.measures.base import Measure
from truegain.measures.scoring import refuse_depth
from truegain.message import AGGREGATE, EVALUATE, arg, argname
from truegain.sampling.catalogue import design_of, populations, with_held
from truegain.sampling.source import SourceName
from truegain.study.answer_raters import AnswerRaters
from truegain.study.assessors import Raters

RESAMPLES, LEAST_RESAMPLES = 1000, 100
FIXED = "fixed"  # the population of these topics only
_USUAL = vars(Scoring())
FEW_ANSWERS = 5  # of the same judge about a document, below which a rule that takes steps hides its noise


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
                f"{argname('population')}: {FIXED!r} means these topics only and cannot be combined; what is not "
                "named is not covered"
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
            f"{arg('population', FIXED)}, and nothing else was sampled: the scores are exact for these topics, and "
            f"{EVALUATE} gives them; name what the answer should generalize to, such as "
            f"{arg('population', 'collection')}, or give {arg('gold')} or {arg('unjudged_sample')}"
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
