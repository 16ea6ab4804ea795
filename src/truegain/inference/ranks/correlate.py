"""Whether two sets of judgments, two measures, or two halves of the topics order the systems alike."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from truegain._version import __version__
from truegain.config import Resampling, Scoring
from truegain.errors import DataWarning, TruegainError, check_one_of, some
from truegain.inference.ranks.agreement import MOVES, WIDE, RankAgreement, RankOptions, agreement, ranking
from truegain.inference.ranks.rbo import rbo, top_overlap
from truegain.inference.ranks.swaps import SwapRates, check_splits, halves, swap_rates
from truegain.inference.ranks.tau import TauMethod, kendall_tau, tau_ap_b
from truegain.keywords import check_whole, takes
from truegain.measures.evaluate import evaluate
from truegain.measures.parse import MeasuresLike, parse_measures
from truegain.measures.topic_means import TopicMeans, check_mean
from truegain.message import arg, argname, value_of
from truegain.tables.checks import warn
from truegain.tables.columns import Floats
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.runs import Runs
from truegain.tables.scores import Scores
from truegain.tables.sources import STANDARD_INPUT, system_name
from truegain.tables.table import Cell, Shown, Table
from truegain.text.corpus import CorpusLike

Between = Literal["judgments", "measures", "halves"]
BETWEEN: tuple[str, ...] = get_args(Between)
Show = Literal["agreement", "moves", "swap-rates"]
SHOWN = 5  # systems that change place most
HALVES = ("measure", "statistic", "mean", "sd", "low", "high", "splits", "topics_in_half", "systems")


@dataclass(frozen=True, eq=False)
class HalvesAgreement:
    """How alike random halves of the topics order the systems, over many splits."""

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
class Correlation(Shown):
    """The answer of `correlate`: one agreement for each measure or pair of measures, or one per measure of halves."""

    between: Between
    agreements: tuple[RankAgreement, ...]
    halves: tuple[HalvesAgreement, ...]
    made_by: dict[str, object]
    moves: int = SHOWN  # systems that change place most, to be shown
    show: Show | None = None  # the one table asked for

    def __post_init__(self) -> None:
        check_whole("moves", self.moves, 0)
        check_show(self.between, self.show)

    def showing(self, show: Show | None = None, moves: int = SHOWN) -> Correlation:
        """The same answer, of which another table is shown.

        Parameters
        ----------
        show : {'agreement', 'moves', 'swap-rates'}, optional
            The statistics, the systems that change place most, or how often pairs swap between halves.
        moves : int
            How many of the systems that change place most are shown.
        """
        return replace(self, show=show, moves=moves)

    def table(self) -> Table:
        """All statistics: a row for each agreement, of halves a row for each statistic; or what `show` asks for."""
        if self.show == "moves":
            return self.moves_table(self.moves or SHOWN)
        if self.show == "swap-rates":
            return self.swap_table()
        if self.halves:
            rows = [row for h in self.halves for row in h.rows()]
            return Table(HALVES, rows, self.made_by, "Halves of the topics", _halves_notes(self.halves))
        notes = tuple(dict.fromkeys(note for a in self.agreements for note in a.notes))
        return Table(WIDE, [a.row() for a in self.agreements], self.made_by, notes=notes)

    def moves_table(self, most: int = SHOWN) -> Table:
        """The systems that change place most, for each agreement."""
        rows = [row for a in self.agreements for row in a.moves_table(most).rows]
        return Table(MOVES, rows, self.made_by, "Largest changes of place")

    def swap_table(self) -> Table:
        """How often pairs swap by how much they differ, for each measure."""
        rows = [(h.measure, *row) for h in self.halves for row in h.swaps.table().rows]
        return Table(("measure", "difference from", "pairs", "swapped", "swap rate"), rows, self.made_by)

    def in_short(self) -> str:
        """The agreements, the first of them in full."""
        told = [str(a) for a in self.agreements] or [f"{h.measure}, {h.systems} systems, halves" for h in self.halves]
        return some(told, 1)

    def tables(self) -> list[Table]:
        """What a person wants to see: a short table for one agreement, a line each for several; or `show` alone."""
        if self.show is not None:
            return [self.table()]
        if self.halves:
            return [self.table(), *(h.swaps.table() for h in self.halves)]
        if len(self.agreements) == 1:
            one, most = self.agreements[0], self.moves
            return [replace(one.table(), made_by=self.made_by), *([one.moves_table(most)] if one.moves(most) else [])]
        return [_short(self.agreements, self.made_by)]


@takes()
def correlate(
    runs: RunsLike | Scores,
    judgments: JudgmentsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    against: JudgmentsLike | Scores | None = None,
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
    runs : what `evaluate` takes, or Scores
        What each system retrieved; or the scores that `evaluate` gave, then without judgments and measures.
    judgments : what `evaluate` takes, optional
        The labels.
    measures : measure, or several, optional
        By which systems are ordered.
    against : judgments or Scores, optional
        A second set of judgments, or the scores by it: systems are compared over the topics that both have.
    between : {'judgments', 'measures', 'halves'}, optional
        What is compared: two sets of judgments, all pairs of the measures, or random halves of the topics.
    names : pair of str, optional
        What the two sets of judgments are called.
    method : {'wilson', 'hollander-wolfe', 'long-cliff', 'bootstrap'}
        How the interval of tau is made (see `tau_interval`).
    confidence : float
        Of the interval.
    top : int
        How many of the best systems of both orders are compared.
    rbo_p : float
        The chance of rank-biased overlap to go on to the next system.
    scoring : Scoring, optional
        How scores are made.
    resampling : Resampling, optional
        How many resamples method='bootstrap' draws (2000), or how often the topics are halved (100).

    Returns
    -------
    Correlation
        An agreement for each measure or pair of measures; `showing` chooses which of its tables is shown.

    Examples
    --------
    >>> import truegain as tg
    >>> orders = {"x": "abcd", "y": "bacd", "z": "dcba"}
    >>> runs = {s: {"1": {d: -float(i) for i, d in enumerate(o)}} for s, o in orders.items()}
    >>> found = tg.correlate(runs, {"1": {"a": 1, "b": 0}}, "RR", against={"1": {"a": 0, "b": 1}})
    >>> print(found.agreements[0])
    RR, a and b, 3 systems: tau-b 0.3333 [-0.6812, 0.9095] 95% over systems, wilson; 1 of 3 pairs swapped
    """
    how, again = _between(between, against), resampling or Resampling()
    asked = RankOptions(method, confidence, top, rbo_p, 2000 if again.n is None else again.n, again.seed)
    splits = _splits(again)
    if isinstance(runs, Scores):
        check_asked(how, list(runs.measures), again)
        scores, other = _given_scores(runs, judgments, measures, against, scoring)
    else:
        if judgments is None or measures is None:
            what = "judgments" if judgments is None else "measures"
            raise TruegainError(f"{what} are missing; give them after the runs, or give Scores")
        check_asked(how, measures, again)
        if isinstance(against, Scores):
            raise TruegainError(f"{argname('against')}: scores are compared with scores; give these for the runs, too")
        scores, other = scored_by_both(runs, judgments, against, measures, scoring=scoring, jobs=again.jobs)
    if len(scores.systems) < 3:
        raise TruegainError(f"{len(scores.systems)} systems have hardly an order; give at least 3 runs")
    made_by = {"truegain": __version__, "between": how, "measures": list(scores.measures), **vars(asked)}
    if how == "halves":
        found = tuple(_halves(scores, m, splits, asked) for m in scores.measures)
        return Correlation(how, (), found, {**made_by, "splits": splits})
    if how == "measures":
        return Correlation(how, _measures(scores, asked), (), made_by)
    if other is None:  # `_between` has seen to it
        raise AssertionError
    labels = names or names_of(judgments, against)
    agreements = tuple(_judgments(scores, other, m, labels, asked) for m in scores.measures)
    return Correlation(how, agreements, (), made_by)


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
        need = "needs a second set of judgments" if between == "judgments" else "takes one set of judgments, not two"
        raise TruegainError(f"correlating between {between} {need}")
    return between


def _splits(resampling: Resampling) -> int:
    return 100 if resampling.n is None else resampling.n


def check_asked(how: Between, measures: MeasuresLike, resampling: Resampling) -> None:
    """Refuse, before anything is read, what has no answer whatever the files hold."""
    asked = [a.measure for a in parse_measures(measures)]
    if how == "measures":
        if len(set(map(str, asked))) < 2:
            raise TruegainError("correlating between measures needs at least 2 of them; give several")
        return
    for one in asked:
        check_mean(one)
    if how == "halves":
        check_splits(_splits(resampling))


def check_show(how: Between, show: Show | None) -> None:
    """Refuse a table that there is not."""
    if show is not None:
        check_one_of("show", show, get_args(Show))
    if show == "moves" and how == "halves":
        raise TruegainError(f"halves have no single change of place to show; leave out {arg('show', 'moves')}")
    if show == "swap-rates" and how != "halves":
        raise TruegainError(f"swap rates are of halves; give {arg('between', 'halves')}")


def _are_files(runs: object) -> bool:
    """Files are read anew for each set of judgments; standard input and iterators can be read only once."""
    paths = [runs] if isinstance(runs, str | os.PathLike) else runs
    return isinstance(paths, list | tuple) and all(
        isinstance(p, str | os.PathLike) and os.fspath(p) != STANDARD_INPUT for p in paths
    )


def _given_scores(
    scores: Scores, judgments: object, measures: object, against: object, scoring: object
) -> tuple[Scores, Scores | None]:
    """Scores that are made already, of one set of judgments or two, on the same systems and measures."""
    if judgments is not None or measures is not None or scoring is not None:
        raise TruegainError("scores are made already: judgments, measures and scoring have no place here")
    if against is None:
        return scores, None
    if not isinstance(against, Scores):
        raise TruegainError(f"{argname('against')}: scores are compared with scores; give these of both judgments")
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


def _judgments(a: Scores, b: Scores, measure: str, names: tuple[str, str], asked: RankOptions) -> RankAgreement:
    first, second = TopicMeans.of(a, measure), TopicMeans.of(b, measure)
    common = sorted(set(a.topics) & set(b.topics))
    if not common:
        raise TruegainError(
            f"{names[0]} and {names[1]} have no topic in common ({some(a.topics)}; {some(b.topics)}); "
            "check that they belong together"
        )
    means_a, means_b = first.means(), second.means()
    if len(common) < max(len(a.topics), len(b.topics)):
        warn(
            f"{names[0]} has {len(a.topics)} topics and {names[1]} {len(b.topics)}; "
            f"systems are compared over the {len(common)} that both have"
        )
        means_a, means_b = (data.means(np.array([data.topics.index(t) for t in common])) for data in (first, second))
    return agreement(a.systems, means_a, means_b, measure=measure, names=names, options=asked)


def _measures(scores: Scores, asked: RankOptions) -> tuple[RankAgreement, ...]:
    odd = [m for m in scores.measures if np.isnan(scores.summaries[m]).any()]
    if odd:
        raise TruegainError(f"{some(odd)}: some systems have no value; leave the measure or the systems out")
    return tuple(
        agreement(scores.systems, scores.summaries[a], scores.summaries[b], measure="", names=(a, b), options=asked)
        for a, b in combinations(scores.measures, 2)
    )


def _halves(scores: Scores, measure: str, splits: int, asked: RankOptions) -> HalvesAgreement:
    data, p = TopicMeans.of(scores, measure), asked.rbo_p
    kept = min(asked.top, len(data.systems))
    names = ("tau-b", "tau_AP", f"RBO, p = {p:g}", f"top {kept} in common", "pairs swapped")
    found: list[tuple[float, ...]] = []
    upper = np.triu_indices(len(data.systems), 1)
    for first, second in halves(len(data.topics), splits, asked.seed):
        a, b = data.means(first), data.means(second)
        one, two = ranking(data.systems, a), ranking(data.systems, b)
        da, db = ((v[:, None] - v[None, :])[upper] for v in (a, b))
        swapped = float((da * db < 0).mean())
        found.append((kendall_tau(a, b), tau_ap_b(a, b), rbo(one, two, p).value, top_overlap(one, two, kept), swapped))
    by_split = dict(zip(names, np.array(found).T, strict=True))
    rates = swap_rates(scores, measure, splits=splits, seed=asked.seed)
    return HalvesAgreement(data.measure, len(data.systems), len(data.topics) // 2, by_split, rates, asked.confidence)


def _short(agreements: Sequence[RankAgreement], made_by: dict[str, object]) -> Table:
    """Some statistics, a line for each agreement, that fit on a screen."""
    several = len({a.measure for a in agreements}) > 1
    first = ("measure",) if several else ()
    columns = (*first, "a", "b", "tau", "low", "high", "tau_AP by b", "by a", "RBO", "swapped")
    rows = [
        (*((a.measure,) if several else ()), a.a, a.b, a.tau.value, a.tau.low, a.tau.high, a.tau_ap_walking_b,
         a.tau_ap_walking_a, a.rbo.value, a.swapped)
        for a in agreements
    ]  # fmt: skip
    one = agreements[0]
    about = (
        f"tau is {one.tau.measure} with its {100 * one.tau.confidence:g}% interval ({one.tau.method}) over "
        f"{len(one.systems)} systems; tau_AP walks the ranking named; RBO has p = {one.rbo_p:g}; "
        f"swapped are of {one.pairs} pairs."
    )
    notes = tuple(dict.fromkeys(note for a in agreements for note in a.notes))
    return Table(columns, rows, made_by, notes=(about, *notes))


def _halves_notes(found: Sequence[HalvesAgreement]) -> tuple[str, ...]:
    notes = [
        f"Each half has {found[0].topics} topics: the full set orders the systems more surely than its halves agree. "
        f"low and high hold {100 * found[0].confidence:g}% of the splits; tau_AP is the mean of both directions."
    ]
    for h in found:
        needed = h.swaps.needed()
        if needed is not None:
            notes.append(
                f"{h.measure}: on {h.topics} topics, differences of {needed:g} and more swap at most 5% of the time."
            )
    return tuple(notes)


def names_of(a: object, b: object) -> tuple[str, str]:
    """File names without folder and ending, whole paths where these are the same, else 'a' and 'b'."""
    if isinstance(a, str | os.PathLike) and isinstance(b, str | os.PathLike):
        short = system_name(a), system_name(b)
        return short if short[0] != short[1] else (os.fspath(a), os.fspath(b))
    return "a", "b"
