"""What a study may be asked: numbers and words, refused where they cannot be meant."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from numbers import Integral, Real

import numpy as np

from truegain.config import StudyConfig
from truegain.errors import ORDER, InputError, TruegainError
from truegain.gains.judge import Judge
from truegain.inference.study.raters import Raters
from truegain.message import AGGREGATE, EVALUATE, arg, argname
from truegain.sampling.catalogue import POPULATIONS
from truegain.sampling.designs import DRAWN_PAIRS
from truegain.sampling.gold import chance_of_draw, judged_whole
from truegain.sampling.source import SourceName
from truegain.tables.checks import warn
from truegain.tables.columns import Codes
from truegain.tables.judgments import Judgments

RESAMPLES, LEAST_RESAMPLES = 1000, 100
FIXED = "fixed"  # the population of these topics only
NOT_BY_CHANCE = 1e-6
FEW_ANSWERS = 5  # of the same judge about a document, below which a rule that takes steps hides its noise


def margin_of(value: object, min_effect: float) -> float:
    """By how much a system may be worse, in place of a smallest gain that matters.

    >>> margin_of(0.02, 0.0)
    0.02
    >>> margin_of(0.02, 0.01)
    Traceback (most recent call last):
    truegain.errors.TruegainError: not_worse_by= and min_effect= ask for two things; leave one of them out
    """
    if not (isinstance(value, Real) and math.isfinite(value) and float(value) > 0):
        raise TruegainError(f"{argname('not_worse_by', value, '')}: give by how much it may be worse, a number above 0")
    if min_effect > 0:
        raise TruegainError(f"{arg('not_worse_by')} and {arg('min_effect')} ask for two things; leave one of them out")
    return float(value)


def count_of(name: str, value: object, least: int) -> int:
    """A whole number that is large enough.

    >>> count_of("resamples", 1, 100)
    Traceback (most recent call last):
    truegain.errors.TruegainError: Resampling.n 1: give a whole number of at least 100
    """
    if not isinstance(value, Integral) or value < least:
        raise TruegainError(f"{argname(name, value, '')}: give a whole number of at least {least}")
    return int(value)


def sources_of(population: str | Sequence[str]) -> frozenset[SourceName]:
    """The sources of sampling that a population names, in a list or with commas; 'fixed' names none.

    >>> sorted(sources_of("topics, collection")), sorted(sources_of("fixed"))
    (['collection', 'topics'], [])
    """
    names = [name.strip() for name in population.split(",")] if isinstance(population, str) else list(population)
    if names == [FIXED]:
        return frozenset()
    sources: set[SourceName] = set()
    for name in names:
        source = next((s for s in POPULATIONS if s == name), None)
        if name == FIXED:
            raise TruegainError(
                f"{argname('population')}: {FIXED!r} is these topics only and stands alone; what is not named is held "
                "fixed"
            )
        if source is None:
            raise TruegainError(
                f"{argname('population')}: {name!r} is not known; give {FIXED}, or one or several of "
                f"{', '.join(POPULATIONS)}"
            )
        sources.add(source)
    return frozenset(sources)


def check_config(config: StudyConfig, over: frozenset[SourceName]) -> None:
    """Refuse what cannot be meant together, before any file is read."""
    if not over and config.gold is None and config.sample is None:
        raise TruegainError(
            f"{arg('population', FIXED)}, and nothing else was sampled: labels are taken as they are, so the scores "
            f"are exact for these topics, and {EVALUATE} gives them; say what else it shall hold for, such as "
            f"{arg('population', 'collection')}, or give {arg('gold')} or {arg('unjudged_sample')}"
        )
    if config.gold is not None and config.gold.aggregate is not None and config.ratings.are_aggregated:
        raise TruegainError(
            f"{argname('aggregate')} and {argname('gold_aggregate')}: either the judgments or the gold labels may be "
            f"ratings; make one label of the other's first, with {AGGREGATE}"
        )
    if config.sample is not None:
        _check_sample(config, over)


def _check_sample(config: StudyConfig, over: frozenset[SourceName]) -> None:
    """Refuse what a sample of the unjudged documents cannot stand beside."""
    if config.gold is not None:
        raise TruegainError(
            f"{argname('unjudged_sample')} and {argname('gold')}: judged documents count as they are beside a sample "
            "of the unjudged ones; have the judge label these too and draw gold from all of them, or give one of the "
            "two"
        )
    if config.ratings.are_aggregated:
        raise TruegainError(
            f"{argname('unjudged_sample')} and ratings: judged documents count as they are beside it; make labels of "
            f"the ratings first, with {AGGREGATE}"
        )
    if others := [s for s in over if s != "topics"]:
        raise TruegainError(
            f"{argname('unjudged_sample')} and {argname('population')} {others[0]!r}: how unjudged documents move over "
            f"it is not known; leave {others[0]!r} or {argname('unjudged_sample')} out"
        )


def gold_of(gold: object) -> Judgments:
    """Gold labels; a run in their place is told as that."""
    try:
        return Judgments.of(gold, "gold")
    except InputError as error:
        if error.hint is None or ORDER not in error.hint:
            raise
        hint = error.hint.marked.replace(ORDER, "gold labels are judgments of some pairs")
        raise InputError(error.problem, file=error.file, line=error.line, text=error.text, hint=hint) from None


def tell_whole_topics(judge: Judge) -> bool:
    """Tell where gold said to be pairs holds some topics whole and others not at all; whether it does."""
    pairs = judge.pairs
    if judge.design not in DRAWN_PAIRS or pairs is None or pairs.pool is None or pairs.item is None:
        return False
    pool = pairs.pool
    drawn = np.zeros(len(pool), np.bool_)
    drawn[pairs.item] = True
    whole, partly = judged_whole(pool.topic, drawn, len(pool.topics))
    found = bool(not whole.all() and not partly.any() and (np.diff(pool.begin)[whole] > 1).any())
    if found:
        warn(
            f"the gold labels are all those of {whole.sum()} of {len(whole)} topics: whole topics seem to have been "
            f"drawn, not pairs; if so, give {arg('design', 'topics')}, or limits are too narrow"
        )
    return found


def tell_unlike_design(judge: Judge) -> None:
    """Tell where gold said to be drawn at random cannot have been: by its topics, or by its bronze labels."""
    pairs = judge.pairs
    if judge.design not in DRAWN_PAIRS or pairs is None or pairs.pool is None or pairs.item is None or pairs.weighted:
        return
    pool = pairs.pool
    drawn = np.zeros(len(pool), np.bool_)
    drawn[pairs.item] = True
    values, label = np.unique(pool.labels, return_inverse=True)
    there = pool.labels >= 0
    groups = [there] if judge.design == "random" else [there & (label == k) for k in range(len(values))]
    kinds: dict[str, Codes] = {"topics": pool.topic}
    if judge.design == "random":
        kinds["bronze labels"] = label.astype(np.int32)
    odd = [x for x, kind in kinds.items() if any(chance_of_draw(kind[g], drawn[g]) < NOT_BY_CHANCE for g in groups)]
    if odd:
        warn(
            f"{arg('design', judge.design)} says that pairs had the same chance to be gold, and the "
            f"{' and the '.join(odd)} of the {int(drawn.sum()):,} gold labels cannot have come so by chance: limits "
            "hold only if it is right"
        )


def tell_same_topics(judge: Judge, topics: Collection[str]) -> None:
    """Tell where gold said to be of other topics, another time or collection is of those that are scored."""
    same = 0 if judge.design != "elsewhere" or judge.pairs is None else len(set(judge.pairs.topics) & set(topics))
    if same:
        warn(
            f"{arg('design', 'elsewhere')} says that gold is not of what is scored here, and {same} of its topics are; "
            "if its pairs were drawn from these labels, give the design by which they were"
        )


def check_raters(raters: Raters | None, over: frozenset[SourceName]) -> None:
    """Refuse assessors or replicates without ratings, and a rule that assessors cannot be left out of."""
    if raters is None and "assessors" in over:
        raise TruegainError(
            f"{argname('population')} names assessors, and these judgments are not read as ratings by several: give "
            f"ratings with a column 'assessor' and a rule, such as {arg('aggregate', 'mean')}"
        )
    if raters is None and "replicates" in over:
        raise TruegainError(
            f"{argname('population')} names replicates, the same judge asked again: give all its ratings with "
            f"{arg('repeated', 'all')} and a rule, such as {arg('aggregate', 'mean')}"
        )
    if raters is not None and "assessors" in over:
        raters.check_rule()


def check_units(raters: Raters, over: frozenset[SourceName]) -> None:
    """Refuse ratings of the study's topics that tell too little of assessors, or of asking again."""
    if "assessors" in over:
        raters.check()
    if "replicates" in over:
        raters.check_repeated()
        if raters.rule.STEPS and "topics" not in over and len(raters.asked) < FEW_ANSWERS:
            warn(
                f"the rule {raters.rule.NAME} of {len(raters.asked)} answers each: with the topics held fixed limits "
                "may be too narrow, as so few hardly tell how such a rule varies (of three, less than half of the "
                f"variance is seen); take {arg('aggregate', 'mean')}, or name 'topics' in {argname('population')}"
            )
