"""Scores without the errors of a cheap judge: by gold labels as in a study, or by the judge's rates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

import numpy as np

from truegain._version import __version__
from truegain.config import LEAST_RESAMPLES, RESAMPLES, Gold, Ratings, Resampling, Scoring, config_of
from truegain.data.checks import check_order
from truegain.data.id_matching import doubt_messages
from truegain.data.items import Items
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import RankedGains
from truegain.data.ratings import Scale, read_ratings
from truegain.data.runs import Runs, RunsLike
from truegain.errors import TruegainError, check_one_of, some, warn
from truegain.io.columns import Floats, Ints
from truegain.judge_error.confusion import Clusters
from truegain.judge_error.diagnostics import rank_notes
from truegain.judge_error.fits import (
    JudgedLists,
    check_own,
    check_says_something,
    warn_where_gold_alone_is_surer,
    why_not,
)
from truegain.judge_error.gold_pairs import Unmatched, on_scale, scale_of
from truegain.judge_error.intervals import check_has_method, published_estimate
from truegain.judge_error.judge import Judge
from truegain.judge_error.judge_quality import bronze_of
from truegain.judge_error.judges import (
    Accuracy,
    CorrectionOptions,
    GoldLike,
    Judges,
    Method,
    judges_of,
    tell_unlike_design,
)
from truegain.keywords import checked_keywords
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike, parse_measures
from truegain.measures.label_weights import levels_of, tell_unjudged
from truegain.measures.scoring import at_level, heeded, matching_for
from truegain.message import Message, arg, argname, with_marks
from truegain.results.base import provenance_of
from truegain.settings import settings_of
from truegain.stats.contrasts import Contrasts
from truegain.stats.results import Comparison, Estimate
from truegain.stats.student_t import quantile_of
from truegain.study.corrections import Corrections, corrected_answers, leaders_of, on_slopes
from truegain.study.estimates import MeasureEstimates
from truegain.study.estimators import ByGoldPairs, ByGoldTopics, ByMatrices, Plain, ScoreEstimator
from truegain.study.gold import by_matrices, gold_estimator, impossible_pairs
from truegain.study.item_inputs import NOT_OF_ANSWERS
from truegain.study.reading import RunsInput
from truegain.study.variance import VarianceModel

# ---- One measure.

NOTICED = 1.05  # times as wide as by gold labels alone: what is less need not be told
ENGINE = ("default", "rectify")  # methods that a study has; others are published intervals, by name
TESTED = {True: "corrected, one gold sample for both", False: "corrected, a gold sample for each (eq. 10)"}
Pair = tuple[int, int]


def bronze_labels(judgments: object, runs: object) -> Judgments:
    """The bronze labels; runs in their place are told as that, before a judge is measured on them."""
    table = Judgments.of(judgments)
    if isinstance(runs, Mapping):
        check_order(Runs.of(runs), table)
    return table


def gold_labels(gold: Gold) -> GoldLike:
    """The gold labels; options of them that a study alone heeds are refused."""
    if gold.aggregate is not None or gold.sequential:
        name = argname("gold_aggregate") if gold.aggregate is not None else argname("sequential", of="Gold")
        raise TruegainError(f"{name}: this option belongs to a study; leave it out, or use `Study`")
    if gold.labels is None:
        raise TruegainError(f"{argname('gold')}: the labels are missing; give them")
    return gold.labels


def in_line(
    runs: object, bronze: Judgments, measures: Sequence[Measure], jobs: int | None, *, all_topics: bool = False
) -> RankedGains:
    """Runs in line with bronze labels, on the topics that all systems answer, or on all."""
    read = RunsInput(
        runs, jobs=jobs, scoring=Scoring(all_topics=all_topics), matching=matching_for(measures, Scoring())
    )
    return read.on_common_topics(bronze, 0, False)[0]


@dataclass(frozen=True, eq=False)
class Corrected:
    """One measure of all systems without the judge's errors, for topics like these: what `correct` and `compare` ask.

    Attributes
    ----------
    engine : MeasureEstimates
        Of the systems that can be corrected; a study answers with the same.
    ranked : RankedGains
        The runs of all systems beside the bronze labels.
    judges : Judges
        At the levels of the measure.
    gold_pairs : int
        Gold labels behind the correction.
    refused : dict
        By system, why it cannot be corrected.
    lists : JudgedLists, optional
        What confusion matrices correct; None where the gold labels themselves do.
    """

    engine: MeasureEstimates
    ranked: RankedGains
    judges: Judges
    gold_pairs: int
    refused: Mapping[str, str]
    lists: JudgedLists | None = None

    @classmethod
    def of(
        cls, ranked: RankedGains, judges: Judges, measure: Measure, options: CorrectionOptions, *, shared: bool = True
    ) -> Corrected:
        """From ranked bronze labels and their judges; an error where no system can be corrected.

        shared: one gold sample stands behind both systems of a difference; else each has its own.
        """
        uncorrected, judge = measure.score(ranked), judges.rectifier(options.method) if shared else None
        if judge is not None:
            options.check_by_gold(judges.design)
            estimator, fitted, gold = gold_estimator(ranked, measure, judge, options.gold_relevant_from)
            engine = _engine(estimator, uncorrected, ranked, ranked.systems, measure, options.confidence)
            return cls(engine, ranked, Judges.of(fitted), int((~np.isnan(gold)).sum()), {})
        lists = JudgedLists.of(
            ranked, judges, measure, gold_relevant_from=options.gold_relevant_from, accuracy=options.accuracy
        )
        guard = options.method == "default" and options.clusters == "topics"
        by_matrix, why = by_matrices(lists, options.confidence, clusters=options.clusters, shared=shared, guard=guard)
        refused = {ranked.systems[s]: why_not(lists, s, error) for s, error in why.items()}
        if by_matrix is None:
            raise TruegainError(f"{ranked.systems[0]}: {with_marks(refused[ranked.systems[0]])}")
        kept = [s for s in range(len(ranked.systems)) if s not in why]
        engine = _engine(by_matrix, uncorrected[kept], ranked, by_matrix.systems, measure, options.confidence)
        return cls(engine, ranked, lists.judges, judges.size, refused, lists)

    @property
    def estimator(self) -> ScoreEstimator:
        """What the corrected scores stand on."""
        return self.engine.variance_model.estimator

    # ------------------------------------------------------------------ scores

    def estimates(self) -> list[Estimate]:
        """The corrected score of each system; where gold pairs alone would give shorter intervals, that is told."""
        estimates = self.engine.estimates("topics")
        if isinstance(self.estimator, ByGoldPairs):
            alone = self._by(self.estimator.alone()).estimates("topics")
            self._tell_wider(list(self.engine.systems), [e.width for e in estimates], [e.width for e in alone])
        own: Ints | None = None
        if self.lists is not None:
            assert isinstance(self.estimator, ByMatrices)
            estimates = [self._checked(e, i) for i, e in enumerate(estimates)]
            own = None if self.lists.accuracy == "given" else self.estimator.gold_counts()
        pairs = dict(zip(self.engine.systems, [self.gold_pairs] * len(estimates) if own is None else own, strict=True))
        by_system, uncorrected = {e.system: e for e in estimates}, self.engine.measure.score(self.ranked).mean(axis=1)
        out = []
        for system, mean in zip(self.ranked.systems, uncorrected.tolist(), strict=True):
            e = by_system.get(system) or self._refused(system, self.refused.get(system, ""))
            out.append(
                replace(
                    e, uncorrected=mean, gold=self.judges.design, gold_pairs=int(pairs.get(system, self.gold_pairs)),
                    method="refused" if e.refused else self.estimator.NAME,
                )
            )  # fmt: skip
        if all(e.refused for e in out):
            raise TruegainError(f"{out[0].system}, {self.engine.measure}: {with_marks(out[0].notes[0])}")
        return out

    def _checked(self, e: Estimate, i: int) -> Estimate:
        """With a note where the value was held inside of what it can be; refused where its interval says nothing."""
        estimator = self.estimator
        assert self.lists is not None
        assert isinstance(estimator, ByMatrices)
        if e.refused:
            return e
        (low, high), plain = estimator.ranges[i].tolist(), float(estimator.value[i])
        if not self.lists.binary:
            try:
                check_says_something(
                    plain, self._half(Contrasts.of([(None, i)])), (low, high), estimator.fit.matrices[i]
                )
            except TruegainError as error:
                return self._refused(e.system, why_not(self.lists, self.ranked.systems.index(e.system), error))
        if low <= plain <= high:
            return e
        impossible = self.lists.impossible_means(e.system, self._bronze_share(e.system))
        return replace(
            e,
            notes=(
                *impossible,
                f"the plain value {plain:z.3f} lies outside {low:g} to {high:g} and is cut to this range",
            ),
        )

    def _bronze_share(self, system: str) -> float:
        """Of the judged part of the lists of a system, the share that bronze calls relevant."""
        assert self.lists is not None
        weight = self.lists.weights.weight[self.ranked.systems.index(system)]
        return float(weight[:, 1:].sum() / weight.sum())

    def _refused(self, system: str, why: str) -> Estimate:
        return Estimate(
            system, str(self.engine.measure), math.nan, math.nan, math.nan, confidence=self.engine.confidence,
            n=len(self.ranked.topics), notes=(why,),
        )  # fmt: skip

    # ------------------------------------------------------------------ differences

    def differences(self, wanted: Sequence[Pair], *, tell: bool = True) -> tuple[list[Comparison], dict[Pair, str]]:
        """The corrected difference of each pair (a, b) of systems by number, b - a; and why others have none.

        tell: warn where gold labels alone would give shorter intervals.
        """
        names, place = self.ranked.systems, {s: i for i, s in enumerate(self.engine.systems)}
        why = {
            pair: Message(f"{names[s]}: {with_marks(self.refused[names[s]])}")
            for pair in wanted for s in reversed(pair) if names[s] in self.refused
        }  # fmt: skip
        left = [pair for pair in wanted if pair not in why]
        if not left:
            return [], dict(why)
        contrasts = Contrasts.of([(place[names[a]], place[names[b]]) for a, b in left])
        test = TESTED[self.estimator.shared] if isinstance(self.estimator, ByMatrices) else self.estimator.NAME
        comparisons = [
            replace(c, test=test) for c in self._checked_pairs(self.engine.differences(contrasts), contrasts)
        ]
        if tell and isinstance(self.estimator, ByGoldPairs):
            alone = self._by(self.estimator.alone()).differences(contrasts)
            both = [(c, x) for c, x in zip(comparisons, alone, strict=True) if not c.notes]
            widths, widths_alone = [_width(c) for c, _ in both], [_width(x) for _, x in both]
            self._tell_wider([f"{c.b} - {c.a}" for c, _ in both], widths, widths_alone)
        refusals = {
            pair: "; ".join(map(with_marks, c.notes)) for pair, c in zip(left, comparisons, strict=True) if c.notes
        }
        return [c for c in comparisons if not c.notes], {**why, **{pair: Message(x) for pair, x in refusals.items()}}

    def _checked_pairs(self, found: list[Comparison], contrasts: Contrasts) -> list[Comparison]:
        """Differences by confusion matrices that cannot be, or whose interval says nothing, are refused."""
        estimator = self.estimator
        if self.lists is None:
            return found
        assert isinstance(estimator, ByMatrices)
        out, cannot_be = [], impossible_pairs(estimator, contrasts, self.engine.confidence)
        for i, c in enumerate(found):
            why = cannot_be.get(f"{c.b} - {c.a}", "")
            if not self.lists.binary and not c.notes and not why:
                one, ends = contrasts.part(i, i + 1), (int(contrasts.a[i]), int(contrasts.b[i]))
                most = float(estimator.ranges[list(ends), 1].max())
                matrices = [m for s in ends for m in estimator.fit.matrices[s]]
                try:
                    check_says_something(c.difference, self._half(one), (-most, most), matrices)
                except TruegainError as error:
                    why = error.message
            out.append(replace(c, notes=(why,)) if why else c)
        return out

    def _half(self, contrasts: Contrasts) -> float:
        """Half the width of one interval, before it is cut."""
        variance = self.engine.variance_model.variance(contrasts, self.engine.confidence)
        return quantile_of(self.engine.confidence, float(variance.df[0])) * math.sqrt(float(variance.value[0]))

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """Of two systems by number, the first less the second, with its p; an error where it is not known."""
        if a not in self._against:
            others = [(i, a) for i in range(len(self.ranked.systems)) if i != a]
            self._against[a] = {c.a: c for c in self.differences(others, tell=False)[0]}
        c = self._against[a].get(self.ranked.systems[b])
        if c is None or c.p is None:
            raise TruegainError(
                f"{self.ranked.systems[a]} - {self.ranked.systems[b]} is not known", remedy="leave out one of them"
            )
        return c.difference, c.p

    @cached_property
    def _against(self) -> dict[int, dict[str, Comparison]]:
        """By number of a system, its differences from all others."""
        return {}

    # ------------------------------------------------------------------ what is to be said

    def notes(self) -> list[str]:
        """What was measured of the judge; how whole gold topics make use of bronze scores, and ranks of accuracy."""
        about = [str(self.judges), *(self.judges.single.consistency() if self.judges.single is not None else ())]
        if isinstance(self.estimator, ByGoldTopics):
            about.append(on_slopes(self.estimator, self.engine.measure))
        return about if self.lists is None else [*about, *rank_notes(self.lists)]

    def _by(self, estimator: ScoreEstimator) -> MeasureEstimates:
        """The same by another estimator."""
        return replace(self.engine, variance_model=replace(self.engine.variance_model, estimator=estimator))

    def _tell_wider(self, names: list[str], widths: list[float], alone: list[float]) -> None:
        """Warn, once, of all answers that gold labels alone would give with a shorter interval."""
        more = np.array(widths) / np.array(alone)
        worse = np.flatnonzero(more > NOTICED)
        if len(worse):
            most = int(worse[np.argmax(more[worse])])
            warn(
                f"bronze labels widen {len(worse)} of {len(names)} intervals of {self.engine.measure} "
                f"({some([names[i] for i in worse])}); most for {names[most]}, {widths[most]:.4f} against "
                f"{alone[most]:.4f} from gold labels alone; choosing the shorter intervals would make them too narrow"
            )


def _engine(
    estimator: ScoreEstimator, uncorrected: Floats, ranked: RankedGains, systems: tuple[str, ...], measure: Measure,
    confidence: float,
) -> MeasureEstimates:  # fmt: skip
    """What a study over topics answers with, from what the scores stand on and the bronze scores."""
    model = VarianceModel(estimator, Plain(uncorrected, ranked.topics), frozenset(["topics"]))
    return MeasureEstimates(systems, measure, model, confidence, len(ranked.topics))


def _width(c: Comparison) -> float:
    return float("nan") if c.low is None or c.high is None else c.high - c.low


# ---- All measures, from files to corrected scores.


@checked_keywords()
def correct(
    runs: RunsLike | Items,
    judgments: JudgmentsLike | None = None,
    measures: MeasuresLike | None = None,
    gold: Gold | GoldLike | None = None,
    *,
    method: Method = "default",
    confidence: float = 0.95,
    clusters: Clusters = "topics",
    accuracy: Accuracy | None = None,
    ratings: Ratings | str | None = None,
    unmatched: Unmatched = "refuse",
    scoring: Scoring | None = None,
    resampling: Resampling | None = None,
) -> Corrections:
    """What the scores would be without the bronze judge's errors, uncorrected and corrected side by side.

    Parameters
    ----------
    runs : what `evaluate` takes
        What each system retrieved; or `Items`, a judge's values of answers or of their nuggets.
    judgments : what `evaluate` takes
        The labels of the bronze judge; not needed with `Items`, which hold them.
    measures : str, Measure or sequence of these
        Measures that are linear in the gain, such as P@10; of answers the name of a score, of nuggets measures such as
        V_strict.
    gold : Gold, Judge, Judges or labels
        The trusted labels.  With design 'random', 'by-bronze' or 'topics' they are of the same population and the
        scores are rectified, as by a `Study`; with 'by-gold' or 'elsewhere' the confusion matrix is inverted, for
        runs and for answers that pass or fail.  Those of answers may be of design 'answers', too.
    method : {'default', 'lang-reiczigel', 'fieller', 'delta', 'bootstrap', 'rectify'}
        How the interval is made: by default as a `Study` makes it; else a published interval by name.
    confidence : float
        How often the interval holds the score.
    clusters : {'topics', 'none'}
        Topics are the clusters; 'none' has the paper's formulas for independent pairs.
    accuracy : {'system', 'lists', 'given', 'assessor'}, optional
        On which gold pairs the judge is measured, where a confusion matrix is inverted: those that the system
        retrieved (the default, but for 'elsewhere'), or any system (see `JudgedLists.of`), or all; 'assessor': each
        topic is corrected with the accuracy of the assessor who labeled it.  Refused where gold labels rectify.
    ratings : Ratings or str, optional
        Judgments are by several assessors, and how they become one label; its scale is that of bronze and gold.
    unmatched : {'refuse', 'drop'}
        Gold pairs without a bronze label: refused, or left out.
    scoring : Scoring, optional
        Its `relevant_from`: the smallest relevant label, for measures that do not say.
    resampling : Resampling, optional
        For methods that resample: 2,000 times unless it says otherwise.

    Returns
    -------
    Corrections
        A row a system and measure.  Columns: `system`, `measure`, `uncorrected` (by the bronze labels), `value` (the
        corrected score), `low` and `high` (its interval), `se` (standard error), `method` (how it was corrected;
        'refused' where there is no sound value), `gold` (the design), `n` (topics), `gold_pairs` (gold labels).
        `best` says which systems may be best.

    See Also
    --------
    Study.estimates : the same numbers by default, and with other sources of uncertainty.

    Notes
    -----
    Topics that a system does not answer are left out for all, with a warning.

    Values of answers are corrected by a `Study`, over topics or the clusters of `Items`: `method`, `clusters`,
    `accuracy`, `ratings`, `unmatched`, `scoring`, `resampling` and `Gold.relevant_from` are of runs. Their `gold_pairs`
    are counted by system.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018.
    .. [2] Z. Lang and J. Reiczigel, "Confidence limits for prevalence of disease adjusted for estimated sensitivity
           and specificity", Preventive Veterinary Medicine 113, 2014.
    .. [3] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic, "Prediction-powered inference",
           Science 382(6671), 2023.

    Examples
    --------
    >>> import truegain as tg
    >>> docs = "abcdefgh"
    >>> bronze = {str(t): {d: int((i + t) % 3 > 0) for i, d in enumerate(docs)} for t in range(8)}
    >>> gold = {str(t): {d: int((i + t) % 3 > 0 and i != t) for i, d in enumerate(docs)} for t in range(8)}
    >>> run = {str(t): {d: float(-i) for i, d in enumerate(docs)} for t in range(8)}
    >>> answer = tg.correct({"bm25": run}, bronze, "P@5", tg.Gold(gold, design="by-gold"))[0]
    >>> round(answer.uncorrected, 3), round(answer.value, 3), answer.method
    (0.675, 0.6, 'confusion matrix inverted')
    """
    trusted, rated, drawing = (
        config_of(Gold, gold),
        config_of(Ratings, ratings) or Ratings(),
        resampling or Resampling(),
    )
    if trusted is None:
        raise TruegainError(f"{argname('gold')}: the labels are missing; give them")
    labels = gold_labels(trusted)
    if isinstance(runs, Items):
        _refuse_for_answers(
            {"method": method != "default", "clusters": clusters != "topics", "accuracy": accuracy is not None,
             "unmatched": unmatched != "refuse"},
            (rated, config_of(Scoring, scoring) or Scoring(), drawing),
        )  # fmt: skip
        return corrected_answers(runs, judgments, measures, trusted, confidence)
    if judgments is None or measures is None:
        raise TruegainError(
            f"{argname('judgments' if judgments is None else 'measures')}: missing; runs are corrected by the bronze "
            "labels, gold labels and a measure, as in tg.correct(runs, judgments, 'P@10', gold=gold)"
        )
    check_one_of("accuracy", "given" if accuracy is None else accuracy, get_args(Accuracy))
    by_assessor = accuracy == "assessor"
    options = CorrectionOptions(
        method, confidence, clusters, drawing.n or RESAMPLES, drawing.seed, trusted.relevant_from,
        None if by_assessor else accuracy,
    )  # fmt: skip
    check_one_of("unmatched", unmatched, get_args(Unmatched))
    if options.resamples < LEAST_RESAMPLES:
        raise TruegainError(
            f"{argname('resamples', options.resamples, '')}: an interval from resamples needs at least "
            f"{LEAST_RESAMPLES}"
        )
    how = heeded(scoring, "relevant_from")
    chosen = [at_level(a.measure, how.relevant_from) for a in parse_measures(measures)]
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
            table, labels, design, levels_of(chosen[0], gold_relevant_from), unmatched=unmatched, scale=known
        )
        about = ["Each topic is corrected with the confusion matrix of its assessor, whatever the gold design."]
    else:
        scale = known if rated.aggregate is None else None
        judges = judges_of(labels, table, design, chosen[0], gold_relevant_from, unmatched=unmatched, scale=scale)
    ranked = in_line(runs, table, chosen, drawing.jobs)
    if judges.single is not None:
        tell_unlike_design(judges.single, ranked.topics)
    about += doubt_messages(ranked.doubts)
    answers: list[Estimate] = []
    best: list[str] = []
    for one in chosen:
        try:
            found, notes, difference = _one_measure(ranked, judges, one, options)
        except TruegainError as error:
            if one is chosen[-1] and not answers:
                raise
            about.append(Message(f"{one} was not corrected: {with_marks(error)}"))
            continue
        leaders = leaders_of(found, difference, confidence) if len(found) > 1 else None
        answers += found
        about += notes
        if leaders is not None and ranked.doubts:
            doubted = some([doubt.system for doubt in ranked.doubts])
            best.append(f"Which system is best on {one} is inconclusive: the ids of {doubted} are in doubt.")
        elif leaders is not None:
            best.append(leaders.sentence)
    provenance = {
        "truegain": __version__, "measures": [str(m) for m in chosen], "design": judges.design,
        **provenance_of({"aggregate": rated.aggregate, "scale": rated.scale}), **vars(options), "accuracy": accuracy,
    }  # fmt: skip
    return Corrections(tuple(answers), provenance, tuple(dict.fromkeys(about)), tuple(best))


def _refuse_for_answers(of_runs: Mapping[str, bool], configs: Sequence[Ratings | Scoring | Resampling]) -> None:
    """Refuse what has no effect on answers: options of runs, by name whether each was given, and these configs."""
    changed = {s.name: getattr(c, s.field) != s.default for c in configs for s in settings_of(type(c))}
    if name := next((name for name, was_given in {**of_runs, **changed}.items() if was_given), ""):
        raise TruegainError(NOT_OF_ANSWERS.format(argname(name)))


def _bronze(judgments: JudgmentsLike, runs: RunsLike, rated: Ratings, scale: Sequence[float] | None) -> Judgments:
    """The bronze labels on their scale; of several ratings by one assessor those that count."""
    if rated.normalize is not None:
        raise TruegainError(f"{argname('normalize')}: only a study corrects magnitudes; leave it out, or use `Study`")
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
    if judges.rectifier(options.method) is not None:
        tell_unjudged(ranked, measure)
    if options.method in ENGINE:
        answers, notes, difference = _answered(Corrected.of(ranked, judges, measure, options))
    else:
        answers, notes, difference = _by_name(ranked, judges, measure, options)
    if judges.single is not None and judges.rectifier(options.method) is None:
        warn_where_gold_alone_is_surer(ranked, judges.single, measure, answers, options.confidence)
    return answers, notes, difference


def _answered(made: Corrected) -> tuple[list[Estimate], list[str], Difference]:
    return made.estimates(), made.notes(), made.difference


def _by_name(
    ranked: RankedGains, judges: Judges, measure: Measure, options: CorrectionOptions
) -> tuple[list[Estimate], list[str], Difference]:
    """Scores with a published interval; delta of graded labels or of several judges is what a study has."""
    lists = JudgedLists.of(
        ranked, judges, measure, gold_relevant_from=options.gold_relevant_from, accuracy=options.accuracy
    )
    check_has_method(lists, options)
    by_matrix: Corrected | None = None
    try:
        by_matrix = Corrected.of(ranked, judges, measure, options)
    except TruegainError:
        if not _is_published(lists, options):
            raise
    if by_matrix is not None and not _is_published(lists, options):
        answers, notes, difference = _answered(by_matrix)
        return [replace(e, method="refused" if e.refused else "delta") for e in answers], notes, difference
    answers = []
    for s, system in enumerate(ranked.systems):
        try:
            estimate = published_estimate(lists, s, options)
            check_own(lists, s)  # last: a judge worse than chance says more
            answers.append(estimate)
        except TruegainError as error:
            answers.append(
                Estimate(
                    system, str(measure), math.nan, math.nan, math.nan, confidence=options.confidence,
                    uncorrected=float(lists.naive[s].mean()), method="refused", gold=judges.design,
                    gold_pairs=judges.size, n=len(ranked.topics), notes=(why_not(lists, s, error),),
                )
            )  # fmt: skip
    if all(a.refused for a in answers):
        raise TruegainError(f"{answers[0].system}: {with_marks(answers[0].notes[0])}")
    notes = [str(lists.judges), *(judges.single.consistency() if judges.single is not None else ()), *rank_notes(lists)]
    return answers, notes, _unknown if by_matrix is None else by_matrix.difference


def _is_published(lists: JudgedLists, options: CorrectionOptions) -> bool:
    """Whether an interval is one of the published ones, of a judge's rates or of resampled topics."""
    return options.method != "delta" or (lists.binary and lists.judges.single is not None)


def _unknown(a: int, b: int) -> tuple[float, float]:
    raise TruegainError(f"systems {a} and {b} cannot be compared", remedy="leave out one of them")
