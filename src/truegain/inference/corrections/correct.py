"""From runs, bronze labels and a judge (or gold labels) to corrected scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from truegain._version import __version__
from truegain.config import Gold, Ratings, Resampling, Scoring, config_of
from truegain.contrasts import Contrasts
from truegain.errors import TruegainError, check_one_of, some
from truegain.gains.boundary import bounded
from truegain.gains.judge import Judge
from truegain.gains.pairs import Missing
from truegain.gains.panel import GoldLike, Judges
from truegain.gains.rates import Clusters, clearly_positive
from truegain.gains.scales import on_scale, scale_of
from truegain.inference.corrections.answers import Corrections, leaders_of
from truegain.inference.corrections.rectified import Rectified, bronze_labels, gold_labels, in_line
from truegain.inference.judges.assessors import bronze_of
from truegain.inference.judges.by_matrix import differences_by_matrix
from truegain.inference.judges.by_rank import rank_notes
from truegain.inference.judges.corrected import interval_of
from truegain.inference.judges.gold_alone import warn_where_gold_alone_is_surer
from truegain.inference.judges.intervals import bootstrap_over_topics
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.options import RESAMPLES, Accuracy, CorrectionOptions, Method, judges_of
from truegain.inference.judges.soundness import check_inside, check_own, check_says_something, score_range, why_not
from truegain.inference.results import Estimate
from truegain.keywords import takes
from truegain.made_by import told
from truegain.measures.base import Measure
from truegain.measures.evaluate import at_level, heeded
from truegain.measures.label_weights import levels_of, tell_unjudged
from truegain.measures.parse import MeasuresLike, parse_measures
from truegain.message import Message, arg, argname, with_marks
from truegain.sampling.bootstrap import bootstrap_weights
from truegain.sampling.streams import generator
from truegain.student import quantile_of
from truegain.tables.columns import Bools, Floats
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.matched import doubts_told
from truegain.tables.ranked import RankedGains
from truegain.tables.ratings import read_ratings
from truegain.tables.scale import Scale

LEAST_RESAMPLES = 100
NOTHING = 1e-12  # of the highest score: a standard error that is rounding


@takes()
def correct(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    gold: Gold | GoldLike,
    *,
    method: Method = "default",
    confidence: float = 0.95,
    clusters: Clusters = "topics",
    accuracy: Accuracy | None = None,
    ratings: Ratings | str | None = None,
    missing: Missing = "refuse",
    scoring: Scoring | None = None,
    resampling: Resampling | None = None,
) -> Corrections:
    """What the scores would be without the bronze judge's errors, naive and corrected side by side.

    Parameters
    ----------
    runs, measures
        As `evaluate` takes them.
    judgments
        Those of the bronze judge.
    gold : Gold, Judge, Judges or labels
        The trusted labels.  With design 'random', 'by-bronze' or 'topics' they are of the same population and the
        scores are rectified, as by a `Study`; with 'by-gold' or 'elsewhere' the confusion matrix is inverted.
    method : {'default', 'lang-reiczigel', 'fieller', 'delta', 'bootstrap', 'rectify'}
        How the interval is made.  Where the matrix is inverted, Lang-Reiczigel's, guarded, by default; delta for graded
        labels.
    confidence : float
        How often the interval holds the score.
    clusters : {'topics', 'none'}
        Topics are the clusters; 'none' has the paper's formulas for independent pairs.
    accuracy : {'system', 'lists', 'given', 'assessor'}, optional
        On which gold pairs the judge is measured: those that the system retrieved, or any system (see
        `JudgedLists.of`), or all; 'assessor': each topic is corrected with the accuracy of the assessor who labeled it.
    ratings : Ratings or str, optional
        Judgments are by several assessors, and how they become one label; its scale is that of bronze and gold.
    missing : {'refuse', 'drop'}
        Gold pairs without a bronze label: refused, or left out.
    scoring : Scoring, optional
        Its `relevant_from`: the smallest relevant label, for measures that do not say.
    resampling : Resampling, optional
        For methods that resample: 2,000 times unless it says otherwise.

    Returns
    -------
    Corrections
        A row a system and measure: `naive`, `value`, `low`, `high`, `se`; `best` says which may be best.

    Examples
    --------
    >>> import truegain as tg
    >>> docs = "abcdefgh"
    >>> bronze = {str(t): {d: int((i + t) % 3 > 0) for i, d in enumerate(docs)} for t in range(8)}
    >>> gold = {str(t): {d: int((i + t) % 3 > 0 and i != t) for i, d in enumerate(docs)} for t in range(8)}
    >>> run = {str(t): {d: float(-i) for i, d in enumerate(docs)} for t in range(8)}
    >>> answer = tg.correct({"bm25": run}, bronze, "P@5", tg.Gold(gold, design="by-gold"))[0]
    >>> round(answer.naive, 3), round(answer.value, 3), answer.method
    (0.675, 0.6, 'lang-reiczigel, guarded')
    """
    trusted, rated, drawing = (
        config_of(Gold, gold),
        config_of(Ratings, ratings) or Ratings(),
        resampling or Resampling(),
    )
    assert trusted is not None
    labels = gold_labels(trusted)
    check_one_of("accuracy", "given" if accuracy is None else accuracy, get_args(Accuracy))
    by_assessor = accuracy == "assessor"
    options = CorrectionOptions(
        method, confidence, clusters, drawing.n or RESAMPLES, drawing.seed, trusted.relevant_from,
        None if by_assessor else accuracy,
    )  # fmt: skip
    check_one_of("missing", missing, get_args(Missing))
    if options.replicates < LEAST_RESAMPLES:
        raise TruegainError(
            f"{argname('resamples', options.replicates, '')}: an interval from resamples needs at least "
            f"{LEAST_RESAMPLES}"
        )
    how = heeded(scoring, "relevant_from")
    asked = [at_level(a.measure, how.relevant_from) for a in parse_measures(measures)]
    known = scale_of(str(rated.scale) if isinstance(rated.scale, Scale) else rated.scale)
    table, said = bronze_of(_bronze(judgments, runs, rated, known), rated.aggregate)
    design, gold_relevant_from = trusted.design, trusted.relevant_from
    fitted = isinstance(labels, Judge | Judges)
    if not fitted and known is not None:
        labels = on_scale(Judgments.of(labels, "gold"), known, rated.out_of_range)
    about: list[str] = list(said)
    if by_assessor:
        _check_by_assessor(labels, rated.aggregate, method)
        judges = Judges.fit(
            table, labels, design, levels_of(asked[0], gold_relevant_from), missing=missing, scale=known
        )
        about = ["Each topic is corrected with the confusion matrix of its assessor, whatever the gold design."]
    else:
        scale = known if rated.aggregate is None else None
        judges = judges_of(labels, table, design, asked[0], gold_relevant_from, missing=missing, scale=scale)
    ranked = in_line(runs, table, judges.rectifier(method), asked, drawing.jobs)
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
        **told({"aggregate": rated.aggregate, "scale": rated.scale}), **vars(options), "accuracy": accuracy,
    }  # fmt: skip
    return Corrections(tuple(answers), made_by, tuple(dict.fromkeys(about)), tuple(best))


def _bronze(judgments: JudgmentsLike, runs: RunsLike, rated: Ratings, scale: Sequence[float] | None) -> Judgments:
    """The bronze labels on their scale; of several ratings by one assessor those that count."""
    if rated.normalize is not None:
        raise TruegainError(
            f"{argname('normalize')}: magnitudes are corrected by a study; leave it out, or ask `Study`"
        )
    if rated.repeated == "error":
        return on_scale(bronze_labels(judgments, runs), scale, rated.out_of_range)
    table = read_ratings(bronze_labels(judgments, runs), repeated=rated.repeated)
    return on_scale(table, None if rated.repeated == "mean" else scale, rated.out_of_range)


def _check_by_assessor(gold: GoldLike, rule: object, method: Method) -> None:
    """Refuse what does not go with a judge for every assessor."""
    each = arg("accuracy", "assessor")
    if rule is not None:
        raise TruegainError(f"{arg('aggregate')} makes one judge of all assessors, {each} keeps them apart; give one")
    if method not in ("default", "delta"):
        raise TruegainError(
            f"{arg('method', method)} is for one judge; with {each} the interval is delta's (leave {arg('method')} out)"
        )
    if isinstance(gold, Judge | Judges):
        raise TruegainError(
            f"{each} fits a judge for every assessor, and {arg('gold')} is fitted; give the gold labels"
        )


Difference = Callable[[int, int], tuple[float, float]]  # of two systems, the first less the second, with its p


def _one_measure(
    ranked: RankedGains, judges: Judges, measure: Measure, options: CorrectionOptions
) -> tuple[list[Estimate], list[str], Difference]:
    """Answers for all systems, what is to be said of the judge, and how two of the systems differ."""
    if (judge := judges.rectifier(options.method)) is not None:
        tell_unjudged(ranked, measure)
        rectified = Rectified.of(ranked, judge, measure, options.gold_relevant_from, options.confidence)
        return rectified.estimates(), rectified.notes(), rectified.difference
    lists = JudgedLists.of(
        ranked, judges, measure, gold_relevant_from=options.gold_relevant_from, accuracy=options.accuracy
    )
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
