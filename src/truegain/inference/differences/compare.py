"""Which systems differ: a test of all pairs, or of all against one, on one measure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, Unpack, get_args, overload

import numpy as np

from truegain.contrasts import place_of
from truegain.errors import TruegainError, check_one_of
from truegain.gains.panel import GoldLike
from truegain.inference.collection.pairs import CollectionPairs, compare_over_collection
from truegain.inference.differences.by_measure import ComparisonsByMeasure
from truegain.inference.differences.catalogue import FamilyTest, PairTest, find_test
from truegain.inference.differences.comparisons import Comparisons
from truegain.inference.differences.effort import effort_of
from truegain.inference.differences.families import FEW, all_at_once, pair_by_pair
from truegain.inference.differences.given import scores_of
from truegain.inference.differences.pair_list import PairList
from truegain.inference.differences.words import (
    COMPARE_DEFAULTS,
    CompareWords,
    TestedWords,
    beside_gold,
    of_topics_alone,
)
from truegain.inference.monte_carlo import Counting, Resampling, check_counting, nothing
from truegain.inference.multiple import METHODS
from truegain.inference.multiple import adjust as adjusted
from truegain.inference.results import Answers, Comparison
from truegain.keywords import takes
from truegain.measures.base import FLOOR, Measure, mean_of_rows
from truegain.measures.parse import MeasureLike, MeasuresLike, parse_measure, parse_measures
from truegain.message import arg
from truegain.student import check_confidence
from truegain.tables.checks import warn
from truegain.tables.columns import Floats, Ints
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.scores import Scores

Over = Literal["topics", "collection"]
Measures = list[str] | list[Measure] | tuple[MeasureLike, ...]


Given = RunsLike | Scores
Labels = JudgmentsLike | None
Topics = Literal["topics"]


@overload
def compare(
    runs: Given, judgments: Labels = ..., measures: MeasureLike | None = ..., *, gold: None = ...,
    over: Topics = ..., **options: Unpack[TestedWords],
) -> Comparisons: ...  # fmt: skip


@overload
def compare(
    runs: Given, judgments: Labels = ..., *, measures: Measures, gold: None = ..., over: Topics = ...,
    **options: Unpack[TestedWords],
) -> ComparisonsByMeasure: ...  # fmt: skip


@overload
def compare(
    runs: Given,
    judgments: Labels,
    measures: Measures,
    *,
    gold: None = ...,
    over: Topics = ...,
    **options: Unpack[TestedWords],
) -> ComparisonsByMeasure: ...


@overload
def compare(
    runs: Given, judgments: Labels = ..., measures: MeasuresLike | None = ..., *, gold: GoldLike,
    over: Topics = ..., **options: Unpack[TestedWords],
) -> Answers[Comparison]: ...  # fmt: skip


@overload
def compare(
    runs: Given, judgments: Labels = ..., measures: MeasuresLike | None = ..., *, over: Literal["collection"],
    **options: Unpack[TestedWords],
) -> Answers[Comparison]: ...  # fmt: skip


@takes(CompareWords, COMPARE_DEFAULTS)
def compare(
    runs: RunsLike | Scores,
    judgments: JudgmentsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    gold: GoldLike | None = None,
    over: Over = "topics",
    test: str | None = None,
    adjust: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    baseline: str | None = None,
    counting: Counting = "plus-one",
    tested: Callable[[int], None] | None = None,
    **options: Unpack[CompareWords],
) -> Answers[Comparison]:
    """Compare systems on a measure, or on several, each by itself: all pairs, or all against a baseline.

    Pairs come in the order of the runs, a before b, and a difference is b - a; `between` turns it.

    `runs` and `judgments` are what `evaluate` takes, as are further keywords; or `runs` is the `Scores` it gave.
    `test` is one of 'tukey-hsd' (two-way, topics as blocks; for two systems this is the paired t test),
    'randomised-tukey-hsd', 'one-way-tukey-hsd', 'paired-t', 'wilcoxon', 'sign', 'randomisation', 'bootstrap', 'welch'.
    Tests of one pair at a time are adjusted for the number of pairs, by Holm unless `adjust` says 'bonferroni',
    'hochberg', 'holm-sidak', 'bh', 'by' or 'none'; Tukey's tests need no adjustment.  A topic that a system lacks is
    left out of its pairs, by Tukey's tests of all pairs, with a warning.

    Where a test resamples, p is (count + 1)/(B + 1), of B replicates; counting='published' is count/B, which reproduces
    published values.  If `replicates` (10000 unless given) cannot give a p-value that passes the adjustment, pairs
    that are not settled get as many more as it takes (see `sequential_p`), which a note tells; where that is too much
    work, the comparison is refused with the number it takes.  `tested` is told of pairs that are done, by the
    randomised Tukey test of permutations.

    over='collection': the topics are held fixed and the documents are a sample, of other collections of the same kind;
    pairs in the order of the runs, by t.  `meta`, `effect` and `pairing` are then those of `CollectionPairs`.

    With `gold`, a `Judge` or gold labels of some pairs, the judgments are those of a cheap judge and the differences
    are without its errors: see `compare_each`, which takes further keywords such as `design`.

    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    >>> poor = {str(t): {"a": 1.0, "b": 2.0 if t < 5 else 0.0} for t in range(6)}
    >>> print(tg.compare({"poor": poor, "good": good}, qrels, "AP").pairs[0])
    good - poor AP +0.4167 [0.2025, 0.6309] p = 0.0041 (tukey-hsd, n = 6)
    """
    check_one_of("over", over, get_args(Over))
    if over == "collection":
        refused = {"gold": gold is not None, "test": test is not None, "counting": counting != "plus-one"}
        if given := [name for name, there in refused.items() if there]:
            raise TruegainError(f"{given[0]}= has no place over collections; leave it out")
        told: dict[str, Any] = {"adjust": adjust or "holm", "seed": seed, "confidence": confidence, **options}
        return _over_collection(runs, judgments, measures, baseline, replicates, tested, told)
    if gold is not None:
        from truegain.inference.corrections.comparison import compare_each

        if isinstance(runs, Scores) or judgments is None or measures is None:
            raise TruegainError("gold labels correct runs: give the runs, the bronze judgments and a measure")
        several = isinstance(measures, list | tuple)
        chosen = [a.measure for a in parse_measures(measures)] if several else [parse_measure(measures)]  # type: ignore[arg-type]
        found = compare_each(
            runs, judgments, gold, chosen, test=test, adjust=adjust, replicates=replicates, seed=seed,
            confidence=confidence, baseline=baseline, **beside_gold(options),
        )  # fmt: skip
        return Answers.joined(found) if several else found[0]
    test = test or "tukey-hsd"
    find_test(test)
    check_confidence(confidence)
    check_counting(counting)
    scores = scores_of(runs, judgments, measures, of_topics_alone(options))
    if baseline is not None:
        place_of(baseline, scores.systems, " to be the baseline")
    asked = _Asked(
        test, adjust, replicates, seed, confidence, baseline, counting, options.get("jobs"), tested or nothing
    )
    if isinstance(measures, list | tuple):
        names = [scores._measure(m) for m in measures] if isinstance(runs, Scores) else list(scores.measures)
        return ComparisonsByMeasure.of([_on_measure(scores, name, asked) for name in dict.fromkeys(names)])
    one = str(measures) if isinstance(runs, Scores) and measures is not None else None
    return _on_measure(scores, scores._measure(one), asked)


def _over_collection(
    runs: RunsLike | Scores, judgments: JudgmentsLike | None, measures: MeasuresLike | None, baseline: str | None,
    replicates: int | None, tested: Callable[[int], None] | None, options: dict[str, Any],
) -> Answers[Comparison]:  # fmt: skip
    """The comparison over collections, of which nothing is a test of topics."""
    if isinstance(runs, Scores) or judgments is None or measures is None:
        raise TruegainError(f"{arg('over', 'collection')} draws documents: give the runs, the judgments and a measure")
    if replicates is not None:
        options["replicates"] = replicates
    own = [f.name for f in fields(CollectionPairs) if f.name in options]
    how = CollectionPairs(**{name: options.pop(name) for name in own})
    return compare_over_collection(runs, judgments, measures, how, baseline, tested, **options)


@dataclass(frozen=True)
class _Asked:
    """What was asked for of every measure."""

    test: str
    adjust: str | None
    trials: int | None
    seed: int
    confidence: float
    baseline: str | None
    counting: Counting
    jobs: int | None
    tested: Callable[[int], None]


def _on_measure(scores: Scores, name: str, asked: _Asked) -> Comparisons:
    values, chosen = _values(scores, name), find_test(asked.test)
    confidence, baseline = asked.confidence, asked.baseline
    x = values.x
    how = _adjustment(chosen, asked.adjust, asked.test)
    order = np.argsort(-mean_of_rows(x), kind="stable")
    systems = tuple(scores.systems[i] for i in order)
    x = x[order]
    first, second = _wanted(np.argsort(order), None if baseline is None else scores.systems.index(baseline))
    alpha = round(1 - confidence, 12)
    effort = effort_of(chosen, asked.test, asked.trials, len(first), x.shape[1], how, alpha, asked.counting)
    settings = Resampling(effort.trials, effort.most, asked.seed, confidence, asked.jobs, asked.counting, asked.tested)
    if isinstance(chosen, FamilyTest):
        found = all_at_once(chosen, x, first, second, settings)
    else:
        found = pair_by_pair(chosen, x, first, second, settings, systems)
    found = found.within((values.least, values.greatest))
    few = int(found.n.min())
    said = (f"{few} topics are few: tests of them lean on the shape of the differences",) if few < FEW else ()
    shown = None if how is None else adjusted(found.p, how)
    pairs = PairList(systems, first, second, found, shown, name, asked.test, how or "", confidence)
    made_by = {**scores.made_by, "test": asked.test, "adjust": how, "confidence": confidence, "baseline": baseline}
    if chosen.resamples:
        made_by |= {"replicates": effort.most, "seed": asked.seed, "counting": asked.counting}
    notes = (*scores.caveats, *values.notes, *found.notes, *effort.notes, *said)
    return Comparisons(pairs, made_by, notes, found.estimates(systems, name, confidence), baseline, values.logs)


@dataclass(frozen=True, eq=False)
class _Values:
    """Systems by topics on the scale on which they are compared, its ends, and what must be told of it."""

    x: Floats
    least: float
    greatest: float
    notes: tuple[str, ...] = ()
    logs: bool = False


def _values(scores: Scores, name: str) -> _Values:
    """What a measure's topics are compared by: their values, their logarithms where its mean is geometric."""
    kind, (least, greatest) = scores.objects[name].mean, scores.objects[name].bounds()
    if kind == "none":
        raise TruegainError(f"{name} has no mean over topics, and the tests compare means; take another measure")
    if len(scores.systems) < 2:
        raise TruegainError(f"a comparison needs at least 2 systems; there is 1 ({scores.systems[0]})")
    scores.check_range(name)
    x: Floats = np.asarray(scores.values[name], dtype=np.float64)
    if kind == "total":
        return _Values(x, least, greatest, (f"{name} is a total over topics; its mean over topics is compared",))
    if kind == "geometric":
        said = (
            f"{name} is a geometric mean: natural logarithms are compared, so value_a, value_b and means are these "
            "and exp(difference) is how many times one is the other"
        )
        return _Values(np.log(np.maximum(x, FLOOR)), math.log(FLOOR), math.log(greatest), (said,), logs=True)
    return _Values(x, least, greatest)


def _adjustment(chosen: PairTest | FamilyTest, adjust: str | None, test: str) -> str | None:
    """The adjustment that applies; None for tests that need none."""
    check_one_of("adjustment", "none" if adjust is None else adjust, tuple(METHODS))
    if isinstance(chosen, FamilyTest):
        if adjust not in (None, "none"):
            warn(f"{test} takes the number of pairs into account itself; {adjust} is not applied on top of it")
        return None
    return adjust or "holm"


def _wanted(places: Ints, baseline: int | None) -> tuple[Ints, Ints]:
    """Pairs as first and second, in the order of the runs, whose places in the ranking these are; or baseline first."""
    if baseline is None:
        first, second = np.triu_indices(len(places), 1)
        return places[first], places[second]
    others = np.delete(places, baseline)
    return np.full(len(others), places[baseline]), others
