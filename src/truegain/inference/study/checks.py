"""What a study may be asked: numbers and words, refused where they cannot be meant."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from numbers import Integral, Real
from typing import Literal

import numpy as np

from truegain.errors import ORDER, InputError, TruegainError, check_one_of
from truegain.gains.judge import Judge
from truegain.inference.study.raters import Raters
from truegain.message import EVALUATE, HOLE_LIST, TO_GAINS, arg, argname
from truegain.sampling.catalogue import POPULATIONS
from truegain.sampling.designs import DRAWN_PAIRS
from truegain.sampling.gold import chance_of_draw, judged_whole
from truegain.sampling.source import SourceName
from truegain.tables.checks import warn
from truegain.tables.columns import Codes
from truegain.tables.judgments import Judgments

LEAST_REPLICATES = 100
NOT_BY_CHANCE = 1e-6
FEW_ANSWERS = 5  # of the same judge about a document, below which a rule that takes steps hides its noise
TopicsAs = Literal["sampled", "fixed"]


def smallest_of(value: object) -> float:
    """The smallest gain that matters.

    >>> smallest_of(None)
    Traceback (most recent call last):
    truegain.errors.TruegainError: smallest None: give the smallest gain that matters, a number of at least 0
    """
    if not (isinstance(value, Real) and math.isfinite(value) and float(value) >= 0):
        raise TruegainError(
            f"{argname('smallest', value, '')}: give the smallest gain that matters, a number of at least 0"
        )
    return float(value)


def margin_of(value: object, smallest: float) -> float:
    """By how much a system may be worse, in place of a smallest gain that matters.

    >>> margin_of(0.02, 0.0)
    0.02
    >>> margin_of(0.02, 0.01)
    Traceback (most recent call last):
    truegain.errors.TruegainError: not_worse_by= and smallest= ask for two things; leave one of them out
    """
    if not (isinstance(value, Real) and math.isfinite(value) and float(value) > 0):
        raise TruegainError(f"{argname('not_worse_by', value, '')}: give by how much it may be worse, a number above 0")
    if smallest > 0:
        raise TruegainError(f"{arg('not_worse_by')} and {arg('smallest')} ask for two things; leave one of them out")
    return float(value)


def count_of(name: str, value: object, least: int) -> int:
    """A whole number that is large enough.

    >>> count_of("replicates", 1, 100)
    Traceback (most recent call last):
    truegain.errors.TruegainError: replicates 1: give a whole number of at least 100
    """
    if not isinstance(value, Integral) or value < least:
        raise TruegainError(f"{argname(name, value, '')}: give a whole number of at least {least}")
    return int(value)


def sources_of(names: str | Sequence[str] | None, topics: TopicsAs = "sampled") -> frozenset[SourceName]:
    """The sources that are named, in a list or with commas; None: topics, unless these are fixed.

    >>> sorted(sources_of("topics, collection")), sorted(sources_of(None, "fixed"))
    (['collection', 'topics'], [])
    """
    check_one_of("topics", topics, ("sampled", "fixed"))
    if names is None:
        return frozenset() if topics == "fixed" else frozenset(["topics"])
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    found: set[SourceName] = set()
    for name in given:
        source = next((s for s in POPULATIONS if s == name), None)
        if source is None:
            raise TruegainError(
                f"{argname('generalise_to')}: {name!r} is not known; give one or several of {', '.join(POPULATIONS)}"
            )
        found.add(source)
    if topics == "fixed" and "topics" in found:
        raise TruegainError(
            f"{arg('topics', 'fixed')} is about these topics only, {argname('generalise_to')} names topics; give one "
            "of them"
        )
    return frozenset(found)


def check_labels(
    gold: object, design: object, gold_level: object, hole_sample: object, over: frozenset[SourceName],
    topics: TopicsAs,
) -> None:  # fmt: skip
    """Refuse words about gold labels that are not there, and topics held fixed where nothing else was sampled."""
    if gold is None and design is not None:
        raise TruegainError(f"{arg('design', design)} says how gold labels were drawn; give these with {arg('gold')}")
    if gold is None and gold_level is not None:
        raise TruegainError(
            f"{argname('gold_level')} says which gold labels are relevant; give these with {arg('gold')}"
        )
    if not over and gold is None and hole_sample is None:
        held = (
            f"{arg('topics', 'fixed')}, and nothing else was sampled"
            if topics == "fixed"
            else f"{argname('generalise_to')} names nothing"
        )
        raise TruegainError(
            f"{held}: labels are taken as they are, so the scores are exact for "
            f"these topics, and {EVALUATE} gives them; say what else it shall hold for, such as "
            f"{arg('generalise_to', 'collection')}, or give {arg('gold')} or {arg('hole_sample')}"
        )


def check_rated(gold: object, rule: str | None, normalise: str | None, gold_rule: str | None) -> None:
    """Refuse ratings on both sides, and a rule for gold labels that are not there."""
    if gold_rule is None:
        return
    if gold is None:
        raise TruegainError(
            f"{arg('gold_rule', gold_rule)} says how ratings become gold labels; give these with {arg('gold')}"
        )
    if rule is not None or normalise is not None:
        raise TruegainError(
            f"{argname('rule')} and {argname('gold_rule')}: either the judgments or the gold labels may be ratings; "
            f"make one label of the other's first, with {TO_GAINS}"
        )


def check_sampled(
    sample: object, gold: object, rule: str | None, over: Collection[str], holes: str, fill: str | None = None
) -> None:
    """Refuse what a sample of the unjudged documents cannot be told together with, and predictions without one."""
    if fill is not None:
        check_one_of("fill", fill, ("predicted",))
        if sample is None:
            raise TruegainError(
                f"{arg('fill', fill)}: predictions alone rank systems and have no interval (what is called 95% holds "
                f"in 57% to 85%); draw a sample of the unjudged documents ({HOLE_LIST}), have it judged and give "
                f"{arg('hole_sample')}"
            )
    if sample is None:
        return
    if gold is not None:
        raise TruegainError(
            f"{argname('hole_sample')} and {argname('gold')}: judged documents count as they are beside a sample of "
            "the unjudged ones; have the judge label these too and draw gold from all of them, or give one of the two"
        )
    if rule is not None:
        raise TruegainError(
            f"{argname('hole_sample')} and ratings: judged documents count as they are beside it; make labels of the "
            f"ratings first, with {TO_GAINS}"
        )
    if holes != "bound":
        raise TruegainError(
            f"{argname('hole_sample')} and {arg('holes', holes)}: a sample tells what unjudged documents are; give one"
        )
    if others := [s for s in over if s != "topics"]:
        raise TruegainError(
            f"{argname('hole_sample')} and {argname('generalise_to')} {others[0]!r}: how unjudged documents move over "
            f"it is not known; leave {others[0]!r} or {argname('hole_sample')} out"
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
            f"{argname('generalise_to')} names assessors, and these judgments are not read as ratings by several: give "
            f"ratings with a column 'assessor' and a rule, such as {arg('rule', 'mean')}"
        )
    if raters is None and "replicates" in over:
        raise TruegainError(
            f"{argname('generalise_to')} names replicates, the same judge asked again: give all its ratings with "
            f"{arg('repeated', 'all')} and a rule, such as {arg('rule', 'mean')}"
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
                f"variance is seen); take {arg('rule', 'mean')}, or name 'topics' in {argname('generalise_to')}"
            )
