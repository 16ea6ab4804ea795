"""Which systems differ: a test of all pairs, or of all against one, on one measure or several."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack, get_args, overload

import numpy as np

from truegain.config import Gold, Resampling, Scoring, config_of
from truegain.data.judgments import JudgmentsLike
from truegain.data.runs import RunsLike
from truegain.data.scores import Scores
from truegain.errors import TruegainError, check_one_of
from truegain.io.columns import Floats, Ints
from truegain.io.warnings import warn
from truegain.judge_error.panel import GoldLike, PublishedTest
from truegain.keywords import takes
from truegain.measures.base import FLOOR, Measure, mean_of_rows
from truegain.measures.evaluate import scores_of
from truegain.measures.parse import MeasureLike, MeasuresLike, parse_measure, parse_measures
from truegain.measures.scoring import at_level, heeded
from truegain.message import arg, argname
from truegain.stats.collection_pairs import CollectionPairs, compare_over_collection
from truegain.stats.comparisons import Comparisons, ComparisonsByMeasure, PairList
from truegain.stats.contrasts import place_of
from truegain.stats.multiple_testing import METHODS, Trials, nothing
from truegain.stats.multiple_testing import adjust as adjusted
from truegain.stats.results import Comparison, ResultList
from truegain.stats.student_t import check_confidence
from truegain.stats.tests import FEW, TRIALS, FamilyTest, PairTest, all_at_once, effort_of, find_test, pair_by_pair

Population = Literal["topics", "collection"]
Measures = list[str] | list[Measure] | tuple[MeasureLike, ...]
RunsInput = RunsLike | Scores
Labels = JudgmentsLike | None
Topics = Literal["topics"]
GoldGiven = Gold | GoldLike


class ComparisonWords(TypedDict, total=False):
    """The keywords of a comparison but for those that say which kind it is."""

    test: str | PublishedTest | None
    adjust: str | None
    baseline: str | None
    confidence: float
    scoring: Scoring | None
    resampling: Resampling | None


@overload
def compare(
    runs: RunsInput,
    judgments: Labels = ...,
    measures: MeasureLike | None = ...,
    *,
    gold: None = ...,
    population: Topics = ...,
    **options: Unpack[ComparisonWords],
) -> Comparisons: ...


@overload
def compare(
    runs: RunsInput,
    judgments: Labels = ...,
    *,
    measures: Measures,
    gold: None = ...,
    population: Topics = ...,
    **options: Unpack[ComparisonWords],
) -> ComparisonsByMeasure: ...


@overload
def compare(
    runs: RunsInput,
    judgments: Labels,
    measures: Measures,
    *,
    gold: None = ...,
    population: Topics = ...,
    **options: Unpack[ComparisonWords],
) -> ComparisonsByMeasure: ...


@overload
def compare(
    runs: RunsInput,
    judgments: Labels = ...,
    measures: MeasuresLike | None = ...,
    *,
    gold: GoldGiven,
    population: Topics = ...,
    **options: Unpack[ComparisonWords],
) -> ResultList[Comparison]: ...


@overload
def compare(
    runs: RunsInput,
    judgments: Labels = ...,
    measures: MeasuresLike | None = ...,
    *,
    population: Literal["collection"],
    **options: Unpack[ComparisonWords],
) -> ResultList[Comparison]: ...


@takes()
def compare(
    runs: RunsLike | Scores,
    judgments: JudgmentsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    gold: GoldGiven | None = None,
    population: Population = "topics",
    test: str | PublishedTest | None = None,
    adjust: str | None = None,
    baseline: str | None = None,
    confidence: float = 0.95,
    scoring: Scoring | None = None,
    resampling: Resampling | None = None,
) -> ResultList[Comparison]:
    """Compare systems on a measure, or on several, each by itself: all pairs, or all against a baseline.

    Pairs come in the order of the runs, a before b, and a difference is b - a; `between` turns it.

    Parameters
    ----------
    runs, judgments, measures
        As `evaluate` takes them; or `runs` is the `Scores` it gave.
    gold : Gold, Judge or label list, optional
        Trusted labels of some pairs: the judgments are those of a cheap judge, and differences are without its errors.
    population : {'topics', 'collection'}
        What differences shall hold for: topics like these; or other collections of the same kind, the topics held
        fixed, by t.
    test : str or PublishedTest, optional
        'tukey-hsd' by default (two-way, topics as blocks; of two systems the paired t test), 'randomised-tukey-hsd',
        'one-way-tukey-hsd', 'paired-t' (as `Study.compare`), 'wilcoxon', 'sign', 'randomisation', 'bootstrap' or
        'welch'.  `PublishedTest` has the options that few need.
    adjust : str, optional
        Tests of one pair at a time are adjusted for the number of pairs, by Holm unless this says 'bonferroni',
        'hochberg', 'holm-sidak', 'bh', 'by' or 'none'; Tukey's tests need no adjustment.
    baseline : str, optional
        Compare all systems with this one only.
    confidence : float
        Of the intervals; pairs with p below 1 - confidence differ.
    scoring : Scoring, optional
        How scores are made.
    resampling : Resampling, optional
        How a test resamples: 10,000 times unless it says otherwise.  If these cannot give a p-value that passes the
        adjustment, pairs that are not settled get as many more as it takes (see `sequential_p`), which a note tells;
        where that is too much work, the comparison is refused with the number it takes.

    Returns
    -------
    Comparisons, ComparisonsByMeasure or Answers of Comparison
        A row a pair: `difference`, `low`, `high`, `p`, `p_adjusted`.  A topic that a system lacks is left out of its
        pairs, by Tukey's tests of all pairs, with a warning.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    >>> poor = {str(t): {"a": 1.0, "b": 2.0 if t < 5 else 0.0} for t in range(6)}
    >>> print(tg.compare({"poor": poor, "good": good}, qrels, "AP").pairs[0])
    good - poor AP +0.4167 [0.2025, 0.6309] p = 0.0041 (tukey-hsd, n = 6)
    """
    check_one_of("population", population, get_args(Population))
    how, drawing = config_of(PublishedTest, test) or PublishedTest(), resampling or Resampling()
    if population == "collection":
        if gold is not None:
            raise TruegainError(f"{argname('gold')} has no place over collections; leave it out")
        return _over_collection(runs, judgments, measures, how, adjust, baseline, confidence, scoring, drawing)
    if gold is not None:
        return _with_gold(runs, judgments, measures, gold, how, adjust, baseline, confidence, scoring, drawing)
    how.check_of_topics()
    check_confidence(confidence)
    options = {} if scoring is None else {"scoring": scoring}
    scores = scores_of(runs, judgments, measures, {"jobs": drawing.jobs, **options})
    if isinstance(measures, list | tuple):
        names = [scores._measure(m) for m in measures] if isinstance(runs, Scores) else list(scores.measures)
        each = [compared(scores, n, how, adjust, baseline, confidence, drawing) for n in dict.fromkeys(names)]
        return ComparisonsByMeasure.of(each)
    one = str(measures) if isinstance(runs, Scores) and measures is not None else None
    return compared(scores, scores._measure(one), how, adjust, baseline, confidence, drawing)


def _over_collection(
    runs: RunsLike | Scores,
    judgments: JudgmentsLike | None,
    measures: MeasuresLike | None,
    how: PublishedTest,
    adjust: str | None,
    baseline: str | None,
    confidence: float,
    scoring: Scoring | None,
    resampling: Resampling,
) -> ResultList[Comparison]:
    """The comparison over collections, of which nothing is a test of topics."""
    how.check_over_collections()
    if isinstance(runs, Scores) or judgments is None or measures is None:
        raise TruegainError(
            f"{arg('population', 'collection')} draws documents: give the runs, the judgments and a measure"
        )
    pairs = CollectionPairs(
        how.meta, how.effect, how.pairing, adjust or "holm", resampling.n or TRIALS, confidence, resampling.seed,
        resampling.jobs,
    )  # fmt: skip
    return compare_over_collection(runs, judgments, measures, pairs, scoring or Scoring(), baseline, how.progress)


def _with_gold(
    runs: RunsLike | Scores,
    judgments: JudgmentsLike | None,
    measures: MeasuresLike | None,
    gold: GoldGiven,
    how: PublishedTest,
    adjust: str | None,
    baseline: str | None,
    confidence: float,
    scoring: Scoring | None,
    resampling: Resampling,
) -> ResultList[Comparison]:
    """The comparison without the errors of a cheap judge."""
    from truegain.study.corrected_pairs import compare_each

    how.check_with_gold()
    level = heeded(scoring, "relevant_from").relevant_from
    if isinstance(runs, Scores) or judgments is None or measures is None:
        raise TruegainError("gold labels correct runs: give the runs, the bronze judgments and a measure")
    several = isinstance(measures, list | tuple)
    chosen = [a.measure for a in parse_measures(measures)] if several else [parse_measure(measures)]  # type: ignore[arg-type]
    trusted = config_of(Gold, gold)
    assert trusted is not None
    found = compare_each(
        runs, judgments, trusted, [at_level(m, level) for m in chosen], how,
        adjust=adjust, baseline=baseline, confidence=confidence, resampling=resampling,
    )  # fmt: skip
    return ResultList.joined(found) if several else found[0]


def compared(
    scores: Scores,
    name: str,
    asked: PublishedTest,
    adjust: str | None,
    baseline: str | None,
    confidence: float,
    resampling: Resampling,
) -> Comparisons:
    """All pairs of systems on one measure put to a test."""
    if baseline is not None:
        place_of(baseline, scores.systems, " to be the baseline")
    test = asked.name or "tukey-hsd"
    chosen, values = find_test(test), _values(scores, name)
    x = values.x
    how = _adjustment(chosen, adjust, test)
    order = np.argsort(-mean_of_rows(x), kind="stable")
    systems = tuple(scores.systems[i] for i in order)
    x = x[order]
    first, second = _wanted(np.argsort(order), None if baseline is None else scores.systems.index(baseline))
    alpha = round(1 - confidence, 12)
    effort = effort_of(chosen, test, resampling.n, len(first), x.shape[1], how, alpha, asked.counting)
    settings = Trials(
        effort.trials, effort.most, resampling.seed, confidence, resampling.jobs, asked.counting,
        asked.progress or nothing,
    )  # fmt: skip
    if isinstance(chosen, FamilyTest):
        found = all_at_once(chosen, x, first, second, settings)
    else:
        found = pair_by_pair(chosen, x, first, second, settings, systems)
    found = found.within((values.least, values.greatest))
    few = int(found.n.min())
    said = (f"{few} topics are few: tests of them lean on the shape of the differences",) if few < FEW else ()
    shown = None if how is None else adjusted(found.p, how)
    pairs = PairList(systems, first, second, found, shown, name, test, how or "", confidence)
    provenance = {**scores.provenance, "test": test, "adjust": how, "confidence": confidence, "baseline": baseline}
    if chosen.resamples:
        provenance |= {"resamples": effort.most, "seed": resampling.seed, "counting": asked.counting}
    notes = (*scores.caveats, *values.notes, *found.notes, *effort.notes, *said)
    return Comparisons(pairs, provenance, notes, found.estimates(systems, name, confidence), baseline, values.logs)


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
