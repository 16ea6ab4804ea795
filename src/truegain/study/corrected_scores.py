"""Scores without the errors of a cheap judge: by gold labels as in a study, or by the judge's rates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

import numpy as np

from truegain._version import __version__
from truegain.config import Gold, Ratings, Resampling, Scoring, config_of
from truegain.data.checks import check_order
from truegain.data.id_matching import doubts_told
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import RankedGains
from truegain.data.ratings import Scale, read_ratings
from truegain.data.runs import Runs, RunsLike
from truegain.errors import TruegainError, check_one_of, some
from truegain.io.columns import Bools, Floats
from truegain.io.warnings import warn
from truegain.judge_error.confusion import Clusters, bounded, clearly_positive
from truegain.judge_error.diagnostics import rank_notes
from truegain.judge_error.gold_pairs import Missing, on_scale, scale_of
from truegain.judge_error.intervals import bootstrap_over_topics, differences_by_matrix, interval_of
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import bronze_of
from truegain.judge_error.panel import RESAMPLES, Accuracy, CorrectionOptions, GoldLike, Judges, Method, judges_of
from truegain.judge_error.system_judges import (
    JudgedLists,
    check_inside,
    check_own,
    check_says_something,
    score_range,
    warn_where_gold_alone_is_surer,
    why_not,
)
from truegain.keywords import takes
from truegain.measures.base import Measure
from truegain.measures.evaluate import aligned
from truegain.measures.label_weights import levels_of, tell_unjudged
from truegain.measures.parse import MeasuresLike, parse_measures
from truegain.measures.scoring import at_level, heeded, matching_for
from truegain.message import Message, arg, argname, with_marks
from truegain.results.base import Table
from truegain.results.provenance import told
from truegain.results.table import Cell
from truegain.sampling.streams import bootstrap_weights, generator
from truegain.stats.contrasts import Contrasts
from truegain.stats.results import Comparison, Estimate, ResultList
from truegain.stats.student_t import quantile_of
from truegain.study.config import RunsInput
from truegain.study.estimates import MeasureEstimates
from truegain.study.estimators import ByGoldPairs, ByGoldTopics, ScoreEstimator
from truegain.study.gold import evidence_of, rectified
from truegain.study.variance import VarianceModel

# ---- What scores would be without the judge's errors, beside the naive ones, and which systems may be the best.

COLUMNS = ("system", "measure", "naive", "value", "low", "high", "se", "method", "gold", "n", "gold_pairs")
FEW = 5
NAMED = 10  # systems that may be the best, at most


def sentence_of(answer: Estimate) -> str:
    """What a manager can read."""
    head = f"{answer.system}: by the bronze labels {answer.measure} is {answer.naive:.3f}"
    if answer.refused:
        return Message(f"{head}; it cannot be corrected soundly ({'; '.join(map(with_marks, answer.notes))}).")
    inside = answer.naive is not None and answer.low <= answer.naive <= answer.high
    so = "which holds the bronze score too" if inside else "which does not hold the bronze score"
    return (
        f"{head}; corrected it is {answer.value:.3f}, with {answer.confidence:.0%} confidence between {answer.low:.3f} "
        f"and {answer.high:.3f}, {so}."
    )


@dataclass(frozen=True, repr=False)
class Corrections(ResultList[Estimate]):
    """Corrected scores (`value`) beside the naive ones; the notes say what was measured of the judge and how."""

    best: tuple[str, ...] = ()  # by measure: which system is the best, or which may be

    def table(self) -> Table:
        """A row a system and measure; notes below."""
        rows: list[tuple[Cell, ...]] = [
            (a.system, a.measure, a.naive, *((None,) * 3 if a.refused else (a.value, a.low, a.high)), a.se, a.method,
             a.gold, a.n, a.gold_pairs)
            for a in self
        ]  # fmt: skip
        return Table(COLUMNS, rows, self.provenance, "", (*self.notes, *self.sentences(), *self._notes_by_system()))

    def sentences(self) -> tuple[str, ...]:
        """What a manager can read: each system where there are few, and which of them may be the best."""
        each = tuple(sentence_of(a) for a in self) if len(self) <= FEW else ()
        return (*each, *self.best)

    def _notes_by_system(self) -> tuple[str, ...]:
        systems: dict[str, list[str]] = {}
        several = len({a.measure for a in self}) > 1
        for a in self:
            for note in a.notes:
                systems.setdefault(note, []).append(f"{a.system}, {a.measure}" if several else a.system)
        return tuple(Message(f"{_who(names, len(self))}: {with_marks(note)}") for note, names in systems.items())


def _who(names: Sequence[str], of: int) -> str:
    if len(names) == of and of > 1:
        return "all systems"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


@dataclass(frozen=True)
class Leaders:
    """The systems of which one is the best, the highest first, and how many of the pairs there are were in question."""

    measure: str
    systems: tuple[str, ...]
    worse: int
    refused: int
    pairs: int
    confidence: float

    @property
    def sentence(self) -> str:
        """The best by name, or those that may be."""
        by = f", Bonferroni over all {self.pairs} pairs" if self.pairs > 1 else ""
        sure = f"{self.confidence:.0%} confidence{by}"
        left = f"; without an answer, so compared with none: {self.refused}" if self.refused else ""
        if len(self.systems) == 1 and not self.worse:
            return f"Which system is best on {self.measure} cannot be told: {self.systems[0]} alone has an answer."
        if len(self.systems) == 1:
            of = " of those with an answer" if self.refused else ""
            return f"Best on {self.measure}{of}: {self.systems[0]}, told apart from all others ({sure}{left})."
        worse = f"; worse than {self.systems[0]}: {self.worse}" if self.worse else ""
        may = some(self.systems, most=NAMED)
        return f"Which system is best on {self.measure} cannot be told: {may} may be{worse} ({sure}{left})."


def leaders_of(
    answers: Sequence[Estimate], difference: Callable[[int, int], tuple[float, float]], confidence: float
) -> Leaders | None:
    """The systems that are not told apart from the one with the highest corrected score; None where none has one.

    difference: of two systems by number, the first less the second, with its two-sided p.  A system is told apart
    where p times the number of all pairs of systems is below 1 - confidence: whichever system came out highest, what
    is said of the best is then wrong no more often than that.  A pair that cannot be compared is not told apart.

    Hsu 1981, Annals of Statistics 9(5), has the sharper form for comparisons with the best only; this one never says
    more than the table of all pairs.

    >>> three = [Estimate(s, "P@10", v, 0, 1) for s, v in zip("abc", (0.2, 0.6, 0.5))]
    >>> leaders_of(three, lambda i, j: (0.1, 0.3 if j == 2 else 0.001), 0.95).systems
    ('b', 'c')
    """
    sound = [i for i, a in enumerate(answers) if not a.refused]
    if not sound:
        return None
    order = sorted(sound, key=lambda i: -answers[i].value)
    top, pairs = order[0], max(1, len(answers) * (len(answers) - 1) // 2)
    may = [top, *(i for i in order[1:] if not _worse(difference, top, i, (1 - confidence) / pairs))]
    return Leaders(
        answers[top].measure, tuple(answers[i].system for i in may), len(sound) - len(may), len(answers) - len(sound),
        pairs, confidence,
    )  # fmt: skip


def _worse(difference: Callable[[int, int], tuple[float, float]], top: int, other: int, alpha: float) -> bool:
    try:
        by, p = difference(top, other)
    except TruegainError:
        return False
    return by > 0 and p < alpha


# ---- Scores under cheap labels, set right with gold labels of the same topics: the answers of a study over topics.

NOTICED = 1.05  # times as wide as by gold labels alone: what is less need not be told


def bronze_labels(judgments: object, runs: object) -> Judgments:
    """The bronze labels; runs in their place are told as that, before a judge is measured on them."""
    table = Judgments.of(judgments)
    if isinstance(runs, Mapping):
        check_order(Runs.of(runs), table)
    return table


def gold_labels(gold: Gold) -> GoldLike:
    """The gold labels; options of them that a study alone heeds are refused."""
    if gold.aggregate is not None or gold.sequential:
        name = "gold_aggregate" if gold.aggregate is not None else "sequential"
        raise TruegainError(f"{argname(name)}: this is of a study; leave it out, or ask `Study`")
    if gold.labels is None:
        raise TruegainError(f"{argname('gold')}: the labels are missing; give them")
    return gold.labels


def in_line(
    runs: object, bronze: Judgments, judge: Judge | None, measures: Sequence[Measure], jobs: int | None
) -> RankedGains:
    """Runs in line with bronze labels; where gold labels of a judge rectify, on the topics that all systems answer."""
    matching = matching_for(measures, Scoring())
    if judge is None:
        return aligned(runs, bronze, Scoring(), jobs=jobs, matching=matching)
    return RunsInput(runs, jobs=jobs, matching=matching).aligned(bronze, 0, False)[0]


@dataclass(frozen=True, eq=False)
class Rectified:
    """One measure of all systems, on topics that all of them answer, for topics like these."""

    evidence: ByGoldTopics | ByGoldPairs
    naive: ScoreEstimator
    systems: tuple[str, ...]
    measure: Measure
    judge: Judge  # at the levels of the measure
    gold: Floats  # the gold label of each item of the pool, NaN where there is none
    confidence: float

    @classmethod
    def of(
        cls,
        ranked: RankedGains,
        judge: Judge,
        measure: Measure,
        gold_relevant_from: float | None,
        confidence: float = 0.95,
    ) -> Rectified:
        """From ranked bronze labels and a judge with gold ones; what cannot be rectified is refused."""
        evidence, fitted, gold = rectified(ranked, measure, judge, gold_relevant_from)
        naive = evidence_of(ranked, measure, None, None)
        return cls(evidence, naive, ranked.systems, measure, fitted, gold, confidence)

    def _answering(self, evidence: ScoreEstimator) -> MeasureEstimates:
        lattice = VarianceModel(evidence, self.naive, frozenset(["topics"]))
        return MeasureEstimates(self.systems, self.measure, lattice, self.confidence, len(self.evidence.topics))

    def estimates(self) -> list[Estimate]:
        """The rectified score of each system; where gold pairs alone would be surer, that is told."""
        found = self._answering(self.evidence).estimates("topics")
        if all(e.refused for e in found):
            raise TruegainError(f"{found[0].system}, {self.measure}: {with_marks(found[0].notes[0])}")
        if isinstance(self.evidence, ByGoldPairs):
            alone = self._answering(self.evidence.alone()).estimates("topics")
            self._tell_wider(list(self.systems), [e.width for e in found], [e.width for e in alone])
        return [
            replace(
                e, naive=float(n), gold=self.judge.design, gold_pairs=int((~np.isnan(self.gold)).sum()),
                method="refused" if e.refused else self.evidence.NAME,
            )
            for e, n in zip(found, self.naive.value, strict=True)
        ]  # fmt: skip

    def compared(self, asked: Contrasts) -> list[Comparison]:
        """Rectified differences; where one cannot be told its notes say why."""
        return [replace(c, test=self.evidence.NAME) for c in self._answering(self.evidence).differences(asked)]

    def differences(self, wanted: Sequence[tuple[int, int]]) -> tuple[list[Comparison], list[str]]:
        """The rectified difference of each pair (a, b) wanted, b - a, and why others cannot be told."""
        asked = Contrasts.of(wanted)
        found = self.compared(asked)
        told = [c for c in found if not c.notes]
        refused: list[str] = [
            Message(f"{c.b} - {c.a}, {c.measure}: {'; '.join(map(with_marks, c.notes))}") for c in found if c.notes
        ]
        if not told:
            raise TruegainError(refused[0])
        if isinstance(self.evidence, ByGoldPairs):
            alone = self._answering(self.evidence.alone()).differences(asked)
            beside = [x for c, x in zip(found, alone, strict=True) if not c.notes]
            self._tell_wider([f"{c.b} - {c.a}" for c in told], [_width(c) for c in told], [_width(c) for c in beside])
        return told, refused

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], Comparison]:
        return {(c.a, c.b): c for c in self.compared(Contrasts.all_pairs(len(self.systems)))}

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """Of two systems, the first less the second, with its p."""
        first, second = sorted((a, b))
        c = self._pairs[self.systems[first], self.systems[second]]
        if c.p is None:
            raise TruegainError("; ".join(map(with_marks, c.notes)))
        return (c.difference if a == second else -c.difference), c.p

    def notes(self) -> list[str]:
        """What was measured of the judge, and how whole gold topics make use of bronze scores."""
        about = [str(self.judge), *self.judge.consistency()]
        return [*about, _on_slopes(self.evidence, self.measure)] if isinstance(self.evidence, ByGoldTopics) else about

    def _tell_wider(self, names: list[str], widths: list[float], alone: list[float]) -> None:
        """Warn, once, of all answers that gold labels alone would give with a shorter interval."""
        more = np.array(widths) / np.array(alone)
        worse = np.flatnonzero(more > NOTICED)
        if len(worse):
            most = int(worse[np.argmax(more[worse])])
            warn(
                f"bronze labels widen {len(worse)} of {len(names)} intervals of {self.measure} "
                f"({some([names[i] for i in worse])}); most for {names[most]}, {widths[most]:.4f} against "
                f"{alone[most]:.4f} from gold labels alone; to take the shorter is too sure"
            )


def _width(c: Comparison) -> float:
    return float("nan") if c.low is None or c.high is None else c.high - c.low


def _on_slopes(evidence: ByGoldTopics, measure: Measure) -> str:
    """How much whole gold topics make use of bronze scores."""
    fit = evidence.fit
    if not fit.share:
        return f"{measure}: all {fit.n} topics are gold-judged, and bronze scores are not used."
    used = fit.slopes(Contrasts.scores(len(fit.bronze)))
    scores = f"for the score {used[0]:.2f}"
    if len(used) > 1:
        scores = f"for the scores {used.min():.2f} to {used.max():.2f}, median {np.median(used):.2f}"
    return (
        f"{measure}, {fit.n} of {fit.topics} topics gold: how much bronze scores count, 0 to 1, is asked of every "
        f"score and difference by itself, of each gold topic by the slope of gold on bronze over the others; {scores}."
    )


# ---- From runs, bronze labels and a judge (or gold labels) to corrected scores.

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
    provenance = {
        "truegain": __version__, "measures": [str(m) for m in asked], "design": judges.design,
        **told({"aggregate": rated.aggregate, "scale": rated.scale}), **vars(options), "accuracy": accuracy,
    }  # fmt: skip
    return Corrections(tuple(answers), provenance, tuple(dict.fromkeys(about)), tuple(best))


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
