"""Whether two sets of judgments, two measures, or two halves of the topics order the systems alike."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from truegain._version import __version__
from truegain.config import RESAMPLES, Resampling, Scoring
from truegain.data.items import Items
from truegain.data.judgments import JudgmentsLike
from truegain.data.runs import Runs, RunsLike
from truegain.data.scores import Scores
from truegain.errors import DataWarning, TruegainError, check_one_of, counted, some, warn
from truegain.io.columns import Floats
from truegain.io.files import STANDARD_INPUT
from truegain.io.formats import system_name
from truegain.keywords import checked_keywords
from truegain.measures.catalogue import MeasuresLike, parse_measures
from truegain.measures.evaluate import evaluate
from truegain.measures.scoring import TopicMeans, check_mean, heeded
from truegain.message import arg, argname, value_of
from truegain.results.base import Result, Table
from truegain.results.table import Cell
from truegain.settings import check_count
from truegain.stats.multiple_testing import check_replicates
from truegain.stats.rank_correlation import (
    MOVES,
    WIDE,
    RankAgreement,
    RankOptions,
    TauMethod,
    agreement,
    differences,
    kendall_tau,
    ranking,
    rbo,
    tau_ap_b,
    top_overlap,
)
from truegain.stats.significance.same_pairs import SIGNIFICANT, SignificantPairs, significant_pairs
from truegain.stats.swap_rates import SwapRates, check_splits, halves, swap_rates
from truegain.stats.topic_correlation import LEAST_TOPICS, tau_over_topics
from truegain.study.answer_rankings import RankedAnswers, between_of, ranked_answers
from truegain.text.corpus import CorpusLike

Between = Literal["judgments", "measures", "halves"]
BETWEEN: tuple[str, ...] = get_args(Between)
Show = Literal["agreement", "moves", "significant", "swap-rates"]
SHOWN = 5  # systems that change place most
COUNTS = ("significant_a", "significant_b", "significant_both", "significant_opposite")
HALVES = ("measure", "statistic", "mean", "sd", "low", "high", "splits", "topics_in_half", "systems")


@dataclass(frozen=True, eq=False)
class HalvesAgreement:
    """How far random halves of the topics order the systems alike, over many splits.

    Attributes
    ----------
    measure : str
        The measure.
    systems : int
        How many systems there are.
    topics : int
        Topics in each half.
    statistics : dict of str to ndarray of float
        By statistic one value a split.
    swaps : SwapRates
        How often pairs swap, by the size of their difference.
    confidence : float
        The share of splits between the limits.
    """

    measure: str
    systems: int
    topics: int  # in each half
    statistics: dict[str, Floats]  # one value per split
    swaps: SwapRates
    confidence: float

    def rows(self) -> list[tuple[Cell, ...]]:
        """Mean, spread and middle part over splits, a statistic a row, under the names of `HALVES`."""
        tail = (1 - self.confidence) / 2
        return [
            (
                self.measure, name, float(v.mean()), float(v.std(ddof=1)) if len(v) > 1 else None,
                *(float(q) for q in np.quantile(v, [tail, 1 - tail])), len(v), self.topics, self.systems,
            )
            for name, v in self.statistics.items()
        ]  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """How far systems are ordered alike, by two sets of judgments, by measures, or by halves of the topics.

    Attributes
    ----------
    between : {'judgments', 'measures', 'halves'}
        What is compared.
    agreements : tuple of RankAgreement
        One for each measure, or for each pair of measures.
    halves : tuple of HalvesAgreement
        One for each measure, between halves of the topics.
    provenance : dict
        How it was made.
    moves : int
        How many of the systems that change rank most are shown.
    show : {'agreement', 'moves', 'significant', 'swap-rates'} or None
        The one table to show.
    significant : tuple of SignificantPairs or None
        Between judgments, for each agreement the pairs that Tukey's HSD test finds different by either set; None where
        it cannot be asked.

    Notes
    -----
    Columns of `frame`, one row an agreement: `measure`; `a` and `b`, the two orders; `systems`, how many;
    `tau` with its `variant` ('a' or 'b'), limits `low` and `high`, `confidence` and `method`; `tau_a` and `tau_b`;
    `tau_ap_walking_b` and `tau_ap_walking_a`, AP correlation down the ranking by b (a being the truth) and by a;
    `rbo_p`, `rbo`, `rbo_min` and `rbo_max`, rank-biased overlap with its persistence and limits; `top` and
    `top_overlap`; `pairs` of systems, of which `swapped` are in opposite order and `tied` tie; `topics_low` and
    `topics_high`, limits of tau over topics.  Between judgments also `significant_a` and `significant_b`, pairs that
    Tukey's HSD test finds different, `significant_both` in the same direction and `significant_opposite` in opposite
    ones.

    Between halves, one row a `statistic`: its `mean` and `sd` over splits, `low` and `high` (which hold the middle part
    of the splits), `splits`, `topics_in_half` and `systems`.
    """

    between: Between
    agreements: tuple[RankAgreement, ...]
    halves: tuple[HalvesAgreement, ...]
    provenance: dict[str, object]
    moves: int = SHOWN  # systems that change place most, to be shown
    show: Show | None = None  # the one table asked for
    significant: tuple[SignificantPairs | None, ...] = ()

    def __post_init__(self) -> None:
        check_count("moves", self.moves, 0, own=True)
        check_show(self.between, self.show)

    def showing(self, show: Show | None = None, moves: int = SHOWN) -> Correlation:
        """The same result, of which another table is shown.

        Parameters
        ----------
        show : {'agreement', 'moves', 'significant', 'swap-rates'}, optional
            The statistics, the systems that change rank most, the pairs that either set of judgments finds
            significantly different, or how often pairs swap between halves.
        moves : int, default 5
            How many of the systems that change rank most are shown.

        Returns
        -------
        Correlation
            Showing that table.
        """
        return replace(self, show=show, moves=moves)

    def table(self) -> Table:
        """All statistics, one row an agreement or, of halves, one a statistic; or the table that `show` names."""
        if self.show == "moves":
            return self.moves_table(self.moves or SHOWN)
        if self.show == "significant":
            return self.significant_table()
        if self.show == "swap-rates":
            return self.swap_table()
        if self.halves:
            rows = [row for h in self.halves for row in h.rows()]
            return Table(HALVES, rows, self.provenance, "Halves of the topics", _halves_notes(self.halves))
        notes = tuple(dict.fromkeys(note for a in self.agreements for note in a.notes))
        columns, counts = (
            (*WIDE, *(COUNTS if self.significant else ())),
            self.significant or [None] * len(self.agreements),
        )
        wide: list[tuple[Cell, ...]] = [
            (*a.row(), *((None,) * len(COUNTS) if pairs is None else pairs.counts))[: len(columns)]
            for a, pairs in zip(self.agreements, counts, strict=True)
        ]
        return Table(columns, wide, self.provenance, notes=(*notes, *self._sentences()))

    def significant_table(self) -> Table:
        """The pairs of systems that either set of judgments finds significantly different.

        Returns
        -------
        Table
            `measure`; `a` and `b`, the systems; `difference_1` and `p_1` by the first set, `difference_2` and `p_2` by
            the second (a minus b); and `significant`: by which set, by 'both', or 'opposite' by both.
        """
        both = zip(self.agreements, self.significant, strict=True)
        tables = [pairs.table(agreement.measure) for agreement, pairs in both if pairs is not None]
        notes = tuple(dict.fromkeys([*(t.notes[0] for t in tables[:1]), *self._sentences()]))
        if untested := [str(a.measure) for a, p in zip(self.agreements, self.significant, strict=True) if p is None]:
            notes += (f"{', '.join(untested)}: pairs are not tested; Tukey's test needs three topics that all systems "
                      "have, and differences that vary over topics",)  # fmt: skip
        return Table(SIGNIFICANT, [row for t in tables for row in t.rows], self.provenance, notes=notes)

    def _sentences(self) -> tuple[str, ...]:
        """Whether both sets of judgments reach the same significant pairs, measure by measure."""
        several = len(self.significant) > 1
        both = zip(self.agreements, self.significant, strict=False)
        return tuple(f"{a.measure}: {p.sentence()}" if several else p.sentence() for a, p in both if p is not None)

    def moves_table(self, most: int = SHOWN) -> Table:
        """The systems that change rank most, for each agreement.

        Parameters
        ----------
        most : int, default 5
            How many.

        Returns
        -------
        Table
            `measure`, `system`, `rank_a` and `rank_b`, `moves` (their difference), `score_a` and `score_b`.
        """
        rows = [row for a in self.agreements for row in a.moves_table(most).rows]
        return Table(MOVES, rows, self.provenance, "Largest rank changes")

    def swap_table(self) -> Table:
        """How often pairs of systems swap between halves of the topics.

        Returns
        -------
        Table
            `measure`; `difference from`, where a bin begins; `pairs` in it; `swapped`, how many of them; and the `swap
            rate`.
        """
        rows = [(h.measure, *row) for h in self.halves for row in h.swaps.table().rows]
        return Table(("measure", "difference from", "pairs", "swapped", "swap rate"), rows, self.provenance)

    def in_short(self) -> str:
        """The agreements, the first of them in full."""
        lines = [str(a) for a in self.agreements] or [f"{h.measure}, {h.systems} systems, halves" for h in self.halves]
        return some(lines, 1)

    def tables(self) -> list[Table]:
        """What a person wants to see: a short table for one agreement, a line each for several; or `show` alone."""
        if self.show is not None:
            return [self.table()]
        if self.halves:
            return [self.table(), *(h.swaps.table() for h in self.halves)]
        if len(self.agreements) == 1:
            one, most = self.agreements[0], self.moves
            table = one.table()
            return [
                replace(table, provenance=self.provenance, notes=(*table.notes, *self._sentences())),
                *([one.moves_table(most)] if one.moves(most) else []),
            ]
        table = _short(self.agreements, self.provenance)
        return [replace(table, notes=(*table.notes, *self._sentences()))]


@checked_keywords()
def correlate(
    runs: RunsLike | Scores | Items,
    judgments: JudgmentsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    against: JudgmentsLike | Scores | Items | None = None,
    between: Between | None = None,
    names: tuple[str, str] | None = None,
    method: TauMethod = "wilson",
    confidence: float = 0.95,
    top: int = 10,
    rbo_p: float = 0.9,
    scoring: Scoring | None = None,
    resampling: Resampling | None = None,
) -> Correlation:
    """Tell how alike the systems are ordered: by two sets of judgments, by measures, or by halves of the topics.

    Parameters
    ----------
    runs : what `evaluate` takes, Scores or Items
        What each system retrieved; or the scores that `evaluate` gave, then without judgments and measures; or values
        of answers, then without judgments.
    judgments : what `evaluate` takes, optional
        The labels.
    measures : measure, or several, optional
        By which systems are ordered; of answers, their scores.
    against : judgments, Scores or Items, optional
        A second set of judgments, or the scores by it: systems are compared over the topics that both have.  Of
        answers, the values of another judge or of people, as `read_items` takes them, or 'assessor:NAME' of the same
        table.
    between : {'judgments', 'measures', 'halves'}, optional
        What is compared: two sets of judgments (of answers, two judges), all pairs of the measures (of answers, of
        their scores), or random halves of the topics.  By default judgments with `against`, and several scores of
        answers.
    names : pair of str, optional
        What the two sets of judgments are called.
    method : {'wilson', 'hollander-wolfe', 'long-cliff', 'bootstrap'}, default 'wilson'
        How the interval of tau is made.
    confidence : float, default 0.95
        Of the interval.
    top : int, default 10
        How many of the best systems of both orders are compared.
    rbo_p : float, default 0.9
        The persistence of rank-biased overlap: the chance to go on to the next system.
    scoring : Scoring, optional
        How scores are made.
    resampling : Resampling, optional
        How many resamples of topics, and of systems with method='bootstrap', are drawn (2000), or how often the topics
        are halved (100).

    Returns
    -------
    Correlation
        An agreement for each measure or pair of measures; `showing` chooses which of its tables is shown.

    References
    ----------
    .. [1] M. G. Kendall, "Rank Correlation Methods", Griffin, 1948.
    .. [2] E. Yilmaz, J. A. Aslam and S. Robertson, "A new rank correlation coefficient for information retrieval",
           SIGIR 2008.
    .. [3] J. Urbano and M. Marrero, "The treatment of ties in AP correlation", ICTIR 2017.
    .. [4] W. Webber, A. Moffat and J. Zobel, "A similarity measure for indefinite rankings", ACM Transactions on
           Information Systems 28(4), 2010.
    .. [5] E. M. Voorhees and C. Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002.

    Examples
    --------
    >>> import truegain as tg
    >>> orders = {"x": "abcd", "y": "bacd", "z": "dcba"}
    >>> runs = {s: {"1": {d: -float(i) for i, d in enumerate(o)}} for s, o in orders.items()}
    >>> correlation = tg.correlate(runs, {"1": {"a": 1, "b": 0}}, "RR", against={"1": {"a": 0, "b": 1}})
    >>> print(correlation.agreements[0])
    RR, a and b, 3 systems: tau-b 0.3333 [-0.6812, 0.9095] 95% over systems, wilson; 1 of 3 pairs swapped
    """
    of_answers = isinstance(runs, Items)
    if of_answers:
        between = between_of(between, measures, against)
    how, again = _between(between, against), resampling or Resampling()
    options = RankOptions(method, confidence, top, rbo_p, RESAMPLES if again.n is None else again.n, again.seed)
    splits = _splits(again)
    if how != "halves":
        check_replicates(options.replicates, confidence)
    ranked = None
    if isinstance(runs, Items):
        ranked = _of_answers(runs, judgments, measures, against, scoring, how)
        runs, measures, scoring, against = ranked.scores, None, None, ranked.against
        names = names or ranked.names
    if isinstance(runs, Scores):
        check_measures(how, [runs.objects.get(m, m) for m in runs.measures], again)  # type: ignore[misc]
        scores, other = _two_scores(runs, judgments, measures, against, scoring)
    else:
        if judgments is None or measures is None:
            what = "judgments" if judgments is None else "measures"
            raise TruegainError(f"{what} are missing; give them after the runs, or give Scores")
        check_measures(how, measures, again)
        if isinstance(against, Scores):
            raise TruegainError(f"{argname('against')}: scores are compared with scores; give scores for the runs too")
        scores, other = scored_by_both(runs, judgments, against, measures, scoring=scoring, jobs=again.jobs)
    if len(scores.systems) < 3:
        more = "values of at least 3 systems" if of_answers else "at least 3 runs"
        raise TruegainError(f"too few systems to rank: {len(scores.systems)}; give {more}")
    provenance = {"truegain": __version__, "between": how, "measures": list(scores.measures), **vars(options)}
    if how == "halves":
        by_measure = tuple(_halves(scores, m, splits, options) for m in scores.measures)
        return Correlation(how, (), by_measure, {**provenance, "splits": splits})
    caveats = () if ranked is None else ranked.caveats
    if how == "measures":
        return Correlation(how, _with_notes(_measures(scores, options), caveats), (), provenance)
    if other is None:  # `_between` has seen to it
        raise AssertionError
    labels = names or names_of(judgments, against)
    found = [_judgments(scores, other, m, labels, options) for m in scores.measures]
    agreements, significant = _with_notes([a for a, _ in found], caveats), tuple(p for _, p in found)
    return Correlation(how, agreements, (), provenance, significant=significant)


def _between(between: Between | None, against: object) -> Between:
    if between is None:
        if against is None:
            raise TruegainError(
                f"correlate what? Give a second set of judgments, or {arg('between', 'measures')} or "
                f"{value_of('between', 'halves')}"
            )
        return "judgments"
    if between not in BETWEEN:
        raise TruegainError(f"nothing to correlate between {between!r}; give one of {', '.join(BETWEEN)}")
    if (between == "judgments") != (against is not None):
        raise TruegainError(
            "correlating between judgments needs a second set of judgments; give one"
            if between == "judgments"
            else f"correlating between {between} takes one set of judgments, not two; leave the second out"
        )
    return between


def _of_answers(
    items: Items, judgments: object, measures: MeasuresLike | None, against: Any, scoring: Scoring | None, how: Between
) -> RankedAnswers:
    """The scores of answers, and those by a second judge."""
    if judgments is not None:
        raise TruegainError(
            f"{argname('judgments')}: values of answers are already judgments; name their scores with "
            f"{arg('measures')}, and give the values of another judge as {argname('against')}"
        )
    heeded(scoring)
    return ranked_answers(items, measures, against, several=how == "measures")


def _with_notes(agreements: Sequence[RankAgreement], notes: tuple[str, ...]) -> tuple[RankAgreement, ...]:
    return tuple(replace(a, notes=(*a.notes, *notes)) for a in agreements)


def _splits(resampling: Resampling) -> int:
    return 100 if resampling.n is None else resampling.n


def check_measures(how: Between, measures: MeasuresLike, resampling: Resampling) -> None:
    """Refuse, before anything is read, what has no answer whatever the files hold."""
    chosen = [a.measure for a in parse_measures(measures)]
    if how == "measures":
        if len(set(map(str, chosen))) < 2:
            raise TruegainError("correlating between measures needs at least 2 of them; give several")
        return
    for measure in chosen:
        check_mean(measure)
    if how == "halves":
        check_splits(_splits(resampling))


def check_show(how: Between, show: Show | None) -> None:
    """Refuse a table that there is not."""
    if show is not None:
        check_one_of("show", show, get_args(Show))
    if show == "moves" and how == "halves":
        raise TruegainError(f"halves have no single rank change to show; leave out {arg('show', 'moves')}")
    if show == "significant" and how != "judgments":
        raise TruegainError(
            f"significant pairs are compared between two sets of judgments; leave out {arg('show', 'significant')}"
        )
    if show == "swap-rates" and how != "halves":
        raise TruegainError(f"swap rates are of halves; give {arg('between', 'halves')}")


def _are_files(runs: object) -> bool:
    """Files are read anew for each set of judgments; standard input and iterators can be read only once."""
    paths = [runs] if isinstance(runs, str | os.PathLike) else runs
    return isinstance(paths, list | tuple) and all(
        isinstance(p, str | os.PathLike) and os.fspath(p) != STANDARD_INPUT for p in paths
    )


def _two_scores(
    scores: Scores, judgments: object, measures: object, against: object, scoring: object
) -> tuple[Scores, Scores | None]:
    """Scores that are made already, of one set of judgments or two, on the same systems and measures."""
    if judgments is not None or measures is not None or scoring is not None:
        raise TruegainError("these are scores already: judgments, measures and scoring do not apply; leave them out")
    if against is None:
        return scores, None
    if not isinstance(against, Scores):
        raise TruegainError(f"{argname('against')}: scores are compared with scores; give those of both judgments")
    if against.systems != scores.systems or against.measures != scores.measures:
        raise TruegainError(f"{argname('against')}: the scores are of other systems or measures; give the same ones")
    return scores, against


def scored_by_both(
    runs: RunsLike,
    judgments: JudgmentsLike,
    against: JudgmentsLike | None,
    measures: MeasuresLike,
    *,
    scoring: Scoring | None = None,
    corpus: CorpusLike | None = None,
    judged_corpus: CorpusLike | None = None,
    jobs: int | None = None,
) -> tuple[Scores, Scores | None]:
    """Scores by one or both sets of judgments; what both warn of is told once."""
    loaded: RunsLike = runs if _are_files(runs) else Runs.of(runs)
    with warnings.catch_warnings(record=True) as caught:
        first, second = (
            None
            if one is None
            else evaluate(loaded, one, measures, scoring=scoring, corpus=corpus, judged_corpus=judged_corpus, jobs=jobs)
            for one in (judgments, against)
        )
    for message in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, DataWarning)):
        warn(message)
    assert first is not None
    return first, second


def _judgments(
    a: Scores, b: Scores, measure: str, names: tuple[str, str], options: RankOptions
) -> tuple[RankAgreement, SignificantPairs | None]:
    first, second = TopicMeans.of(a, measure), TopicMeans.of(b, measure)
    common = sorted(set(a.topics) & set(b.topics))
    if not common:
        raise TruegainError(
            f"{names[0]} and {names[1]} have no topic in common ({some(a.topics)}; {some(b.topics)}); "
            "check that they belong together"
        )
    if len(common) < max(len(a.topics), len(b.topics)):
        warn(
            f"{names[0]} has {counted(len(a.topics), 'topic')} and {names[1]} {len(b.topics)}; "
            f"systems are compared over the {len(common)} that both have"
        )
    if list(a.topics) != list(b.topics):
        first, second = (data.on(common) for data in (first, second))
    ranks = agreement(a.systems, first.means(), second.means(), measure=measure, names=names, options=options)
    return _over_topics(ranks, first, second, options), significant_pairs(first, second, names, options.confidence)


def _measures(scores: Scores, options: RankOptions) -> tuple[RankAgreement, ...]:
    odd = [m for m in scores.measures if np.isnan(scores.summaries[m]).any()]
    if odd:
        raise TruegainError(f"{some(odd)}: some systems have no value; leave the measure or the systems out")
    are_means = [m for m in scores.measures if m in scores.objects and scores.objects[m].mean != "total"]
    by_topic = {m: TopicMeans.of(scores, m) for m in are_means if scores.objects[m].mean != "none"}
    answers = []
    for a, b in combinations(scores.measures, 2):
        ranks = agreement(
            scores.systems, scores.summaries[a], scores.summaries[b], measure="", names=(a, b), options=options
        )
        known = a in by_topic and b in by_topic
        answers.append(_over_topics(ranks, by_topic[a], by_topic[b], options) if known else ranks)
    return tuple(answers)


def _over_topics(ranks: RankAgreement, a: TopicMeans, b: TopicMeans, options: RankOptions) -> RankAgreement:
    """The agreement with an interval of tau over topics too, where there are enough of them."""
    if len(a.topics) < LEAST_TOPICS:
        return ranks
    over_topics = tau_over_topics(
        a, b, variant="a" if ranks.tau.measure == "tau-a" else "b", confidence=options.confidence,
        replicates=options.replicates, seed=options.seed,
    )  # fmt: skip
    return replace(ranks, over_topics=over_topics, notes=(*ranks.notes, *over_topics.notes))


def _halves(scores: Scores, measure: str, splits: int, options: RankOptions) -> HalvesAgreement:
    data, p = TopicMeans.of(scores, measure), options.rbo_p
    kept = min(options.top, len(data.systems))
    names = ("tau-b", "tau_AP", f"RBO, p = {p:g}", f"top {kept} in common", "pairs swapped")
    by_split: list[tuple[float, ...]] = []
    for first, second in halves(len(data.topics), splits, options.seed):
        a, b = data.means(first), data.means(second)
        order_a, order_b = ranking(data.systems, a), ranking(data.systems, b)
        by_split.append(
            (
                kendall_tau(a, b),
                tau_ap_b(a, b),
                rbo(order_a, order_b, p).value,
                top_overlap(order_a, order_b, kept),
                float((differences(a) * differences(b) < 0).mean()),
            )
        )
    statistics = dict(zip(names, np.array(by_split).T, strict=True))
    swaps = swap_rates(scores, measure, splits=splits, seed=options.seed)
    half = len(data.topics) // 2
    return HalvesAgreement(data.measure, len(data.systems), half, statistics, swaps, options.confidence)


def _short(agreements: Sequence[RankAgreement], provenance: dict[str, object]) -> Table:
    """Some statistics, a line for each agreement, that fit on a screen."""
    several = len({a.measure for a in agreements}) > 1
    first = ("measure",) if several else ()
    topics = any(a.over_topics is not None for a in agreements)
    over_topics = ("topics low", "topics high") if topics else ()
    columns = (
        *first, "a", "b", "tau", "low", "high", *over_topics, "tau_AP by b", "by a", "RBO", "swapped",
    )  # fmt: skip
    rows = [
        (*((a.measure,) if several else ()), a.a, a.b, a.tau.value, a.tau.low, a.tau.high,
         *((a.row()[-2:]) if topics else ()), a.tau_ap_walking_b, a.tau_ap_walking_a, a.rbo.value, a.swapped)
        for a in agreements
    ]  # fmt: skip
    one = agreements[0]
    about = (
        f"tau is {one.tau.measure} with its {100 * one.tau.confidence:g}% interval ({one.tau.method}) over "
        f"{len(one.systems)} systems{', topics low and topics high over topics' if topics else ''}; "
        f"tau_AP is the mean over the ranks of the ranking named; RBO has p = {one.rbo_p:g}; swapped is how many of "
        f"{one.pairs} pairs are in another order."
    )
    notes = tuple(dict.fromkeys(note for a in agreements for note in a.notes))
    return Table(columns, rows, provenance, notes=(about, *notes))


def _halves_notes(results: Sequence[HalvesAgreement]) -> tuple[str, ...]:
    notes = [
        f"Each half has {results[0].topics} topics: the full set ranks the systems more reliably than its halves "
        f"agree. low and high cover {100 * results[0].confidence:g}% of the splits; tau_AP is the mean of both "
        "directions."
    ]
    for h in results:
        needed = h.swaps.needed()
        if needed is not None:
            notes.append(
                f"{h.measure}: on {h.topics} topics, differences of {needed:g} or more swap at most 5% of the time."
            )
    return tuple(notes)


def names_of(a: object, b: object) -> tuple[str, str]:
    """File names without folder and ending, whole paths where these are the same, else 'a' and 'b'."""
    if isinstance(a, str | os.PathLike) and isinstance(b, str | os.PathLike):
        short = system_name(a), system_name(b)
        return short if short[0] != short[1] else (os.fspath(a), os.fspath(b))
    return "a", "b"
