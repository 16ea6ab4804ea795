"""From runs, bronze labels and a judge (or gold labels) to corrected scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from truegain._version import __version__
from truegain.contrasts import Contrasts
from truegain.errors import TruegainError, check_one_of, some
from truegain.gains.boundary import bounded
from truegain.gains.judge import Judge
from truegain.gains.pairs import Missing
from truegain.gains.panel import GoldLike, Judges
from truegain.gains.rates import Clusters, clearly_positive
from truegain.gains.scales import on_scale, scale_of
from truegain.inference.corrections.answers import Corrections, leaders_of
from truegain.inference.corrections.rectified import Rectified, bronze_labels, in_line
from truegain.inference.judges.assessors import bronze_of
from truegain.inference.judges.by_matrix import differences_by_matrix
from truegain.inference.judges.by_rank import rank_notes
from truegain.inference.judges.corrected import interval_of
from truegain.inference.judges.gold_alone import warn_where_gold_alone_is_surer
from truegain.inference.judges.intervals import bootstrap_over_topics
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.options import Accuracy, CorrectionOptions, Method, judges_of
from truegain.inference.judges.soundness import check_inside, check_own, check_says_something, score_range, why_not
from truegain.inference.results import Estimate
from truegain.keywords import takes
from truegain.made_by import told
from truegain.measures.base import Measure
from truegain.measures.evaluate import Options, at_level
from truegain.measures.label_weights import levels_of, tell_unjudged
from truegain.measures.parse import MeasuresLike, parse_measures
from truegain.message import Message, arg, argname, with_marks
from truegain.sampling.bootstrap import bootstrap_weights
from truegain.sampling.designs import Design
from truegain.sampling.streams import generator
from truegain.student import quantile_of
from truegain.tables.columns import Bools, Floats
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.matched import doubts_told
from truegain.tables.ranked import RankedGains
from truegain.tables.read import NameBy

NOTHING = 1e-12  # of the highest score: a standard error that is rounding


@takes()
def correct(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    *,
    gold: GoldLike,
    design: Design | None = None,
    method: Method = "default",
    confidence: float = 0.95,
    clusters: Clusters = "topics",
    accuracy: Accuracy | None = None,
    rule: str | None = None,
    by_assessor: bool = False,
    scale: str | Sequence[float] | None = None,
    level: float | None = None,
    gold_level: float | None = None,
    missing: Missing = "refuse",
    replicates: int = 2000,
    seed: int = 0,
    name_by: NameBy = "file",
    jobs: int | None = None,
) -> Corrections:
    """What the scores would be without the bronze judge's errors, naive and corrected side by side.

    `judgments` are those of the bronze judge; `gold` is a `Judge`, several `Judges`, or the gold labels themselves, of
    which `design` says how they were sampled: 'random', 'by-bronze' or 'topics' (the same population: rectified by
    default) or 'by-gold' or 'elsewhere' (the confusion matrix is inverted; Lang-Reiczigel intervals, guarded, by
    default, delta for graded labels).  method: 'lang-reiczigel', 'fieller', 'delta', 'bootstrap', 'rectify'.  Topics
    are the clusters; the paper's formulas for independent pairs are clusters='none'.  accuracy: on which gold pairs the
    judge is measured, see `JudgedLists.of`.  rule: judgments by several assessors, and how they become one label (see
    `to_gains`); by_assessor: each topic is corrected with the accuracy of the assessor who labelled it.  scale: the
    labels that there are, bronze and gold, such as '0:3' (not checked by default).  level: smallest relevant label, for
    measures that do not say; gold_level: that of gold labels where their scale differs.

    >>> import truegain as tg
    >>> docs = "abcdefgh"
    >>> bronze = {str(t): {d: int((i + t) % 3 > 0) for i, d in enumerate(docs)} for t in range(8)}
    >>> gold = {str(t): {d: int((i + t) % 3 > 0 and i != t) for i, d in enumerate(docs)} for t in range(8)}
    >>> run = {str(t): {d: float(-i) for i, d in enumerate(docs)} for t in range(8)}
    >>> answer = tg.correct({"bm25": run}, bronze, "P@5", gold=gold, design="by-gold")[0]
    >>> round(answer.naive, 3), round(answer.value, 3), answer.method
    (0.675, 0.6, 'lang-reiczigel, guarded')
    """
    options = CorrectionOptions(method, confidence, clusters, replicates, seed, gold_level, accuracy)
    check_one_of("missing", missing, get_args(Missing))
    if replicates < 100:
        raise TruegainError(f"{argname('replicates', replicates, '')}: an interval from resamples needs at least 100")
    heeded = Options(level=level).level
    asked = [at_level(a.measure, heeded) for a in parse_measures(measures)]
    known = scale_of(scale)
    table, said = bronze_of(on_scale(bronze_labels(judgments, runs), known), rule)
    fitted = isinstance(gold, Judge | Judges)
    trusted = gold if fitted or known is None else on_scale(Judgments.of(gold, "gold"), known)
    about: list[str] = list(said)
    if by_assessor:
        _check_by_assessor(trusted, rule, method)
        judges = Judges.fit(table, trusted, design, levels_of(asked[0], gold_level), missing=missing, scale=known)
        about = ["Each topic is corrected with the confusion matrix of its assessor, whatever the gold design."]
    else:
        labels = known if rule is None else None
        judges = judges_of(trusted, table, design, asked[0], gold_level, missing=missing, scale=labels)
    ranked = in_line(runs, table, judges.rectifier(method), asked, name_by, jobs)
    about += doubts_told(ranked.doubts)
    answers: list[Estimate] = []
    best: list[str] = []
    for one in asked:
        try:
            found, notes, difference = _one_measure(ranked, judges, one, options)
        except TruegainError as error:
            if one is asked[-1] and not answers:
                raise
            about.append(Message(f"{one} was not corrected: {with_marks(error)}"))
            continue
        leaders = leaders_of(found, difference, confidence) if len(found) > 1 else None
        answers += found
        about += notes
        if leaders is not None and ranked.doubts:
            doubted = some([doubt.system for doubt in ranked.doubts])
            best.append(f"Which system is best on {one} cannot be told: the ids of {doubted} are in doubt.")
        elif leaders is not None:
            best.append(leaders.sentence)
    made_by = {
        "truegain": __version__, "measures": [str(m) for m in asked], "design": judges.design,
        **told({"rule": rule, "by_assessor": by_assessor or None, "scale": scale}), **vars(options),
    }  # fmt: skip
    return Corrections(tuple(answers), made_by, tuple(dict.fromkeys(about)), tuple(best))


def _check_by_assessor(gold: GoldLike, rule: str | None, method: Method) -> None:
    """Refuse what does not go with a judge for every assessor."""
    if rule is not None:
        raise TruegainError(
            f"{arg('rule')} makes one judge of all assessors, {arg('by_assessor')} keeps them apart; give one"
        )
    if method not in ("default", "delta"):
        raise TruegainError(
            f"{arg('method', method)} is for one judge; with {arg('by_assessor')} the interval is delta's (leave "
            f"{arg('method')} out)"
        )
    if isinstance(gold, Judge | Judges):
        raise TruegainError(
            f"{arg('by_assessor')} fits a judge for every assessor, and {arg('gold')} is fitted; give the gold labels"
        )


Difference = Callable[[int, int], tuple[float, float]]  # of two systems, the first less the second, with its p


def _one_measure(
    ranked: RankedGains, judges: Judges, measure: Measure, options: CorrectionOptions
) -> tuple[list[Estimate], list[str], Difference]:
    """Answers for all systems, what is to be said of the judge, and how two of the systems differ."""
    if (judge := judges.rectifier(options.method)) is not None:
        tell_unjudged(ranked, measure)
        rectified = Rectified.of(ranked, judge, measure, options.gold_level, options.confidence)
        return rectified.estimates(), rectified.notes(), rectified.difference
    lists = JudgedLists.of(ranked, judges, measure, gold_level=options.gold_level, accuracy=options.accuracy)
    _check_has_method(lists, options)
    answers = []
    for s in range(len(ranked.systems)):
        try:
            found = _one_system(lists, s, options)
            check_own(lists, s)  # last: a judge worse than chance says more
            answers.append(found)
        except TruegainError as error:
            answers.append(_refused(lists, s, options, why_not(lists, s, error)))
    if all(a.refused for a in answers):
        raise TruegainError(f"{answers[0].system}: {with_marks(answers[0].notes[0])}")
    notes = [str(lists.judges), *rank_notes(lists)]
    if judges.single is not None:
        notes += judges.single.consistency()
        warn_where_gold_alone_is_surer(ranked, judges.single, measure, answers, options.confidence)

    def difference(a: int, b: int) -> tuple[float, float]:
        found, why = differences_by_matrix(lists, [(b, a)], "shared", options)
        if why:
            raise TruegainError(why[b, a])
        return found[b, a].difference, found[b, a].p_shown

    return answers, notes, difference


def _check_has_method(lists: JudgedLists, options: CorrectionOptions) -> None:
    """Intervals of the three rates are for binary relevance; resamples for one judge, and of topics where graded."""
    one = lists.judges.single is not None
    if options.method in ("lang-reiczigel", "fieller") and not (lists.binary and one):
        other = "delta or bootstrap" if one else "delta"
        raise TruegainError(f"{options.method} is for binary relevance and one judge; here use {other}")
    if options.method == "bootstrap" and not one:
        raise TruegainError("bootstrap is for one judge; several judges have delta")
    if options.method == "bootstrap" and not lists.binary and options.clusters == "none":
        raise TruegainError("the bootstrap of graded labels draws whole topics; with clusters 'none' use delta")


def _refused(lists: JudgedLists, s: int, options: CorrectionOptions, why: str) -> Estimate:
    scores = lists.naive[s][~np.isnan(lists.naive[s])]
    naive = float(scores.mean()) if len(scores) else math.nan
    return replace(_blank(lists, s, options), naive=naive, method="refused", n=len(scores), notes=(why,))


def _blank(lists: JudgedLists, s: int, options: CorrectionOptions) -> Estimate:
    """A system without a value as yet."""
    judges = lists.judges
    return Estimate(
        lists.ranked.systems[s], str(lists.measure), math.nan, math.nan, math.nan, confidence=options.confidence,
        gold=judges.design, gold_pairs=judges.size,
    )  # fmt: skip


def _one_system(lists: JudgedLists, s: int, options: CorrectionOptions) -> Estimate:
    answered = lists.answered(s)
    judges = lists.judges_of(s)
    naive = float(lists.naive[s][answered].mean())
    base = replace(_blank(lists, s, options), naive=naive, n=int(answered.sum()), gold_pairs=judges.size)
    if lists.binary and judges.single is not None and not _drawn_together(lists, judges.single, options):
        return _by_rates(base, lists, judges.single, s, answered, options)
    fit, score = lists.fit([s], answered, options.clusters), Contrasts.scores(1)
    spread = fit.over_topics(score, clusters=options.clusters == "topics")
    value, df = float(fit.value[0]), float(spread.df[0])
    se, method = math.sqrt(float(spread.variance[0])), "delta"
    notes: tuple[str, ...] = ()
    if options.method == "bootstrap":
        draws = bootstrap_over_topics(fit, trials=options.replicates, seed=options.seed)
        n = len(fit.topics)
        se, method = draws.se * math.sqrt(n / (n - 1)), "bootstrap over topics"  # means of resamples vary less
        if draws.spoilt:
            notes = (
                f"{draws.spoilt} of {options.replicates} bootstrap draws could not be corrected and were left out",
            )
    half, limits = quantile_of(options.confidence, df) * se, score_range(lists, s, answered)
    if not se > NOTHING * limits[1]:
        raise TruegainError("the standard error is 0, which is not to be believed; use more topics or gold pairs")
    inside, low, high, held = check_inside(value, half, limits)
    check_says_something(value, half, limits, fit.matrices[0])
    return replace(base, value=inside, low=low, high=high, se=se, method=method, notes=(*notes, *held))


def _drawn_together(lists: JudgedLists, judge: Judge, options: CorrectionOptions) -> bool:
    """Whether topics are resampled with their gold pairs: bronze mean and rates rest on the same topics, go together.

    Drawn apart, as algorithm 1 does, their standard error is 1.2 to 1.4 times the true one: benchmarks/judge.
    """
    shared = lists.same_topics and not set(judge.binary.topics).isdisjoint(lists.ranked.topics)
    return options.method == "bootstrap" and options.clusters == "topics" and shared


def _by_rates(
    base: Estimate, lists: JudgedLists, judge: Judge, s: int, answered: Bools, options: CorrectionOptions
) -> Estimate:
    """Binary relevance: the three rates, on the share of the lists that is judged."""
    f, topics = lists.weights.weight[s][answered], lists.topic_names(answered)
    n, total, judged = len(f), float(f.sum(axis=1).mean()), max(int(lists.weights.judged[s]), len(f))
    if total == 0:
        raise TruegainError(f"none of its documents that {base.measure} looks at is judged")
    j = float(f[:, 1].mean())
    moves = (f[:, 1] - j - (f.sum(axis=1) - total) * (1 - judge.mN)) / (n * total)
    v_j = float(moves @ moves) * n / (n - 1)
    moved = dict(zip(topics, moves.tolist(), strict=True)) if lists.same_topics else {}
    shared = np.array([moved.get(t, 0.0) for t in judge.binary.topics]) if judge.binary.topics else None
    rates = judge.rates(j / total, v_j, judged, options.clusters, shared)
    clearly_positive(rates)
    drawn: Floats | None = None
    if options.method == "bootstrap":  # algorithm 1 at P@k: the bronze mean of resampled topics
        weights = bootstrap_weights(n, options.replicates, generator(options.seed, "topics"))
        drawn = weights @ f[:, 1] / (n * total)
    found = interval_of(
        rates, rates.df(n - 1.0), options, point=bounded(rates.j * judged, judged, *judge.counts),
        noted=judge.impossible(rates.j), bronze_draws=drawn,
    )  # fmt: skip
    assert found.se is not None
    scale = total * float(lists.weights.value[1])
    return replace(
        base, value=found.value * scale, low=found.low * scale, high=found.high * scale, se=found.se * scale,
        method=found.method, notes=found.notes,
    )  # fmt: skip
