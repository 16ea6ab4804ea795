"""Which systems differ: a test of all pairs, or of all against one, on one measure or several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypedDict, Unpack, get_args, overload

import numpy as np

from truegain._version import __version__
from truegain.config import RESAMPLES, Gold, Resampling, Scoring, config_of
from truegain.data.id_matching import doubt_messages
from truegain.data.items import Items
from truegain.data.judgments import JudgmentsLike
from truegain.data.runs import RunsLike
from truegain.data.scores import Scores
from truegain.errors import TruegainError, check_one_of, counted, some, warn
from truegain.io.columns import Floats, Ints
from truegain.judge_error.diagnostics import homogeneity
from truegain.judge_error.fits import JudgedLists
from truegain.judge_error.gold_pairs import Unmatched
from truegain.judge_error.judges import (
    CorrectionOptions,
    GoldLike,
    GoldSample,
    PublishedTest,
    judges_of,
    tell_unlike_design,
)
from truegain.keywords import checked_keywords
from truegain.measures.base import FLOOR, Measure, mean_of_rows
from truegain.measures.catalogue import MeasureLike, MeasuresLike, parse_measures
from truegain.measures.evaluate import scores_of
from truegain.measures.label_weights import tell_unjudged
from truegain.measures.nuggets import NuggetMeasure
from truegain.measures.scoring import at_level, heeded
from truegain.message import Message, arg, argname, with_marks
from truegain.stats.collection_pairs import CollectionPairs, compare_over_collection
from truegain.stats.contrasts import place_of
from truegain.stats.multiple_testing import METHODS, Trials, adjust_asked, nothing
from truegain.stats.multiple_testing import adjust as adjusted
from truegain.stats.results import Comparison, ResultList
from truegain.stats.significance import FEW_TOPICS, FamilyTest, PairTest, effort_of, find_test, run_test
from truegain.stats.significance.anova import complete
from truegain.stats.significance.comparisons import Comparisons, ComparisonsByMeasure, PairList
from truegain.stats.student_t import check_confidence
from truegain.study.corrected_scores import Corrected, bronze_labels, gold_labels, in_line
from truegain.study.item_inputs import answer_scores
from truegain.study.study import Study

Population = Literal["topics", "collection"]
Measures = list[str] | list[Measure] | tuple[MeasureLike, ...]
RunsInput = RunsLike | Scores | Items
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


@checked_keywords()
def compare(
    runs: RunsLike | Scores | Items,
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
        As `evaluate` takes them; or `runs` is the `Scores` it gave, or `Items`, values of answers.
    gold : Gold, Judge or label list, optional
        Trusted labels of some pairs: the judgments are those of a cheap judge, and differences are without its errors.
    population : {'topics', 'collection'}
        What differences shall hold for: topics like these; or other collections of the same kind, the topics held
        fixed, by t.
    test : str or PublishedTest, optional
        'tukey-hsd' by default (two-way, topics as blocks; of two systems the paired t test), 'randomized-tukey-hsd',
        'one-way-tukey-hsd', 'paired-t' (as `Study.compare`), 'wilcoxon', 'sign', 'randomization', 'bootstrap' or
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
        How to resample: by default 10,000 times for a test and 2,000 times for collections.  If a test of so many
        cannot give a p-value that passes the adjustment, pairs that are not settled get as many more as it takes
        (see `sequential_p`), which a note tells; where that is too much work, the comparison is refused with the
        number it takes.

    Returns
    -------
    Comparisons, ComparisonsByMeasure or ResultList of Comparison
        A row a pair.  Columns: `a`, `b` (the systems), `measure`, `value_a`, `value_b` (their scores), `difference`
        (b - a), `low`, `high` (its interval, where the test has one), `p`, `p_adjusted` (adjusted for the number of
        pairs), `effect` (dz, Hedges' g or ES_HSD), `n` (topics); with gold labels also `uncorrected` and
        `uncorrected_p`, by the judge's labels as they are.  A topic that a system lacks is left out of its pairs, by
        Tukey's tests and with gold labels of all pairs, with a warning.

    See Also
    --------
    Study.compare : differences with all that was sampled; equal to 'paired-t', and to `gold`, where only topics were.

    References
    ----------
    .. [1] Student, "The probable error of a mean", Biometrika 6(1), 1908.
    .. [2] B. A. Carterette, "Multiple testing in statistical analysis of systems-based information retrieval
           experiments", ACM Transactions on Information Systems 30(1), 2012.
    .. [3] M. D. Smucker, J. Allan and B. Carterette, "A comparison of statistical significance tests for information
           retrieval evaluation", CIKM 2007.
    .. [4] T. Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006.
    .. [5] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018.
    .. [6] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic, "Prediction-powered inference",
           Science 382(6671), 2023.

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
    if isinstance(runs, Items):
        if population == "collection":
            raise TruegainError(
                f"{arg('population', 'collection')} draws documents, and answers have none; leave it out"
            )
        heeded(scoring)
        if gold is not None or runs.cluster is not None:
            return _of_answers(runs, judgments, measures, gold, test, adjust, baseline, confidence)
        runs = answer_scores(runs, measures)
        measures = list(runs.measures) if isinstance(measures, list | tuple) else None
    if population == "collection":
        if gold is not None:
            raise TruegainError(f"{argname('gold')} does not apply over collections; leave it out")
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


def _of_answers(
    items: Items, judgments: JudgmentsLike | None, measures: MeasuresLike | None, gold: GoldGiven | None,
    test: str | PublishedTest | None, adjust: str | None, baseline: str | None, confidence: float,
) -> ResultList[Comparison]:  # fmt: skip
    """Differences of answers with gold values, or of topics in clusters: by a study."""
    for name, value in (("test", test), ("adjust", adjust)):
        if value is not None:
            raise TruegainError(
                f"{argname(name)} applies to tests over topics; with gold values or clusters, each difference has an "
                "interval; leave it out"
            )
    study = Study(items, judgments, measures, gold=gold, confidence=confidence)
    if baseline is None:
        return study.compare()
    place_of(baseline, study.systems, "baseline")
    each = [study.compare(baseline, system) for system in study.systems if system != baseline]
    return replace(each[0], items=tuple(c for some in each for c in some))


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
        how.meta, how.effect, how.pairing, adjust or "holm", resampling.n or RESAMPLES, confidence, resampling.seed,
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
    how.check_with_gold()
    scored = heeded(scoring, "relevant_from", "all_topics")
    if isinstance(runs, Scores) or judgments is None or measures is None:
        raise TruegainError("gold labels correct runs: give the runs, the bronze judgments and a measure")
    chosen = [a.measure for a in parse_measures(measures)]
    several = isinstance(measures, list | tuple) or len(chosen) > 1
    trusted = config_of(Gold, gold)
    assert trusted is not None
    by_measure = compare_corrected(
        runs, judgments, trusted, [at_level(m, scored.relevant_from) for m in chosen], how,
        adjust=adjust, baseline=baseline, confidence=confidence, resampling=resampling, all_topics=scored.all_topics,
    )  # fmt: skip
    return ResultList.joined(by_measure) if several else by_measure[0]


def compare_corrected(
    runs: object,
    bronze: object,
    gold: Gold,
    measures: Sequence[Measure],
    how: PublishedTest,
    *,
    adjust: str | None = None,
    baseline: str | None = None,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
    all_topics: bool = False,
) -> list[ResultList[Comparison]]:
    """Compare systems, all pairs or all with one, on scores without the bronze judge's errors: a list a measure.

    all_topics: a topic that a run lacks counts 0; else topics that all systems answer are compared.

    `gold_sample` of the test: 'shared' (the default), one gold sample stands behind both systems of a pair, so their
    corrections move together, topic by topic; 'separate' adds up the two variances (eq. 10 of the paper), which is
    right only where each system has a gold sample of its own.  The runs are aligned and the judge is fitted once.
    """
    labels = gold_labels(gold)
    adjust, drawing, gold_sample = adjust or "holm", resampling or Resampling(), how.gold_sample
    options = CorrectionOptions(
        how.method, confidence, how.clusters, drawing.n or RESAMPLES, drawing.seed, gold.relevant_from, how.accuracy
    )
    check_one_of("unmatched", how.unmatched, get_args(Unmatched))
    check_one_of("gold_sample", gold_sample, get_args(GoldSample))
    check_one_of("adjust", adjust, (*METHODS, "none"))
    if options.method not in ("default", "delta", "rectify"):
        raise TruegainError(
            f"{argname('method', options.method)} is an interval of one score; for a difference give default, delta "
            "(the matrix) or rectify",
            remedy="give default, delta (the matrix) or rectify",
        )
    table = bronze_labels(bronze, runs)
    judges = judges_of(labels, table, gold.design, measures[0], options.gold_relevant_from, unmatched=how.unmatched)
    ranked = in_line(runs, table, measures, drawing.jobs, all_topics=all_topics)
    if judges.single is not None:
        tell_unlike_design(judges.single, ranked.topics)
    if len(ranked.systems) < 2:
        raise TruegainError(f"a comparison needs at least 2 systems; there is 1 ({ranked.systems[0]})")
    wanted = _pairs(ranked.systems, baseline)
    out = []
    for measure in measures:
        made = Corrected.of(ranked, judges, measure, options, shared=gold_sample == "shared")
        pairs, refused = made.differences(wanted)
        if not pairs:
            a, b = (ranked.systems[s] for s in wanted[0])
            raise TruegainError(f"{b} - {a}, {measure}: {with_marks(refused[wanted[0]])}")
        notes = [
            *made.notes(),
            *([made.estimator.label_facts.difference_note] if made.estimator.label_facts.difference_note else []),
        ]
        notes += [*_treats_alike(made, options), *_not_compared(refused, ranked.systems, len(wanted))]
        pairs = _adjusted(pairs, adjust, len(wanted))
        provenance = {
            "truegain": __version__, "measure": str(measure), "design": judges.design, "gold_sample": gold_sample,
            "adjust": adjust, "baseline": baseline, **vars(options),
        }  # fmt: skip
        out.append(ResultList(tuple(pairs), provenance, (*doubt_messages(ranked.doubts), *notes, *_sentences(pairs))))
    return out


def _pairs(systems: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    if baseline is None:
        return list(combinations(range(len(systems)), 2))
    first = place_of(baseline, systems, "baseline")
    return [(first, i) for i in range(len(systems)) if i != first]


def _not_compared(refused: Mapping[tuple[int, int], str], systems: Sequence[str], of: int) -> list[str]:
    """How many pairs, which, and why they were not compared."""
    by_reason: dict[str, list[str]] = {}
    for (a, b), why in refused.items():
        by_reason.setdefault(str(why), []).append(f"{systems[b]} - {systems[a]}")
    marked = {str(why): with_marks(why) for why in refused.values()}
    return [
        Message(f"{len(pairs)} of {of} pairs were not compared ({some(pairs)}): {marked[why]}")
        for why, pairs in by_reason.items()
    ]


def _treats_alike(made: Corrected, options: CorrectionOptions) -> list[str]:
    """Whether the judge favors some of the systems, where this is known; no advice where it was followed."""
    measure, lists = made.engine.measure, made.lists
    if lists is None and not measure.linear_in_gains:
        tell_unjudged(made.ranked, measure)
        return []
    lists = lists or JudgedLists.of(
        made.ranked, made.judges, measure, gold_relevant_from=options.gold_relevant_from, accuracy=options.accuracy
    )
    if lists.judge_and_pairs is None or not lists.same_topics:
        return []
    alike = homogeneity(lists, trials=options.resamples, seed=options.seed)
    return [alike.finding if made.lists is None or made.lists.accuracy == "system" else alike.sentence]


def _adjusted(pairs: Sequence[Comparison], adjust: str, family: int) -> list[Comparison]:
    """With each difference its p adjusted for so many pairs: those that were refused count too."""
    if adjust == "none" or family < 2:
        return list(pairs)
    p = np.full(family, np.nan)
    p[: len(pairs)] = [c.p for c in pairs]
    return [
        replace(c, p_adjusted=q, adjustment=adjust)
        for c, q in zip(pairs, adjust_asked(p, adjust)[: len(pairs)].tolist(), strict=True)
    ]


def _sentences(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """What a manager can read, where there are few pairs."""
    if len(comparisons) > 3:
        clear, c = sum(c.differs for c in comparisons), comparisons[0]
        how = f"adjusted p ({c.adjustment})" if c.adjustment else "p, not adjusted for their number,"
        return (
            f"{clear} of {len(comparisons)} pairs differ once the judge's errors are corrected: {how} below "
            f"{1 - c.confidence:.2g}.",
        )
    sentences = []
    for c in comparisons:
        p = c.p_shown
        better, worse = (c.b, c.a) if c.difference > 0 else (c.a, c.b)
        verdict = (
            f"{better} is better than {worse}" if c.differs else f"{c.b} and {c.a} are not significantly different"
        )
        so = f"(difference {c.difference:+z.3f}, {'adjusted ' if c.adjustment else ''}p = {p:.3g}"
        by = "" if c.uncorrected is None else f"; uncorrected {c.uncorrected:+z.3f}"
        by += (
            "" if c.uncorrected_p is None else f", p = {c.uncorrected_p:.3g}{', not adjusted' if c.adjustment else ''}"
        )
        sentences.append(f"Corrected for the judge's errors, {verdict} on {c.measure} {so}{by}).")
    return tuple(sentences)


def compared(
    scores: Scores,
    name: str,
    published: PublishedTest,
    adjust: str | None,
    baseline: str | None,
    confidence: float,
    resampling: Resampling,
) -> Comparisons:
    """All pairs of systems on one measure put to a test."""
    if baseline is not None:
        place_of(baseline, scores.systems, "baseline")
    test = published.name or "tukey-hsd"
    chosen, values = find_test(test), _values(scores, name)
    x = values.x
    if isinstance(scores.objects[name], NuggetMeasure) and isinstance(chosen, FamilyTest) and not chosen.own_topics:
        x = complete(x, may_count=False)  # no option counts an answer without a score
    how = _adjustment(chosen, adjust, test)
    order = np.argsort(-mean_of_rows(x), kind="stable")
    systems = tuple(scores.systems[i] for i in order)
    x = x[order]
    first, second = _wanted(np.argsort(order), None if baseline is None else scores.systems.index(baseline))
    alpha = round(1 - confidence, 12)
    effort = effort_of(test, resampling.n, len(first), x.shape[1], how, alpha, published.counting)
    settings = Trials(
        effort.trials, effort.most, resampling.seed, confidence, resampling.jobs, published.counting,
        published.progress or nothing,
    )  # fmt: skip
    results = run_test(test, x, first, second, settings, systems).within((values.least, values.greatest))
    few = int(results.n.min())
    depends = f"with only {counted(few, 'topic')}, the test depends on how the differences are distributed"
    few_note = (depends,) if few < FEW_TOPICS else ()
    shown = None if how is None else adjusted(results.p, how)
    pairs = PairList(systems, first, second, results, shown, name, test, how or "", confidence)
    provenance = {**scores.provenance, "test": test, "adjust": how, "confidence": confidence, "baseline": baseline}
    if chosen.resamples:
        provenance |= {"resamples": effort.most, "seed": resampling.seed, "counting": published.counting}
    notes = (*scores.caveats, *values.notes, *results.notes, *effort.notes, *few_note)
    return Comparisons(pairs, provenance, notes, results.estimates(systems, name, confidence), baseline, values.logs)


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
    if isinstance(scores.objects[name], NuggetMeasure):  # topics that it counts no nugget of were told
        x = x[:, ~np.isnan(x).all(axis=0)]
    if kind == "total":
        return _Values(x, least, greatest, (f"{name} is a total over topics; its mean over topics is compared",))
    if kind == "geometric":
        note = (
            f"{name} is a geometric mean: natural logarithms are compared, so value_a, value_b and means are these "
            "and exp(difference) is how many times one is the other"
        )
        return _Values(np.log(np.maximum(x, FLOOR)), math.log(FLOOR), math.log(greatest), (note,), logs=True)
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
