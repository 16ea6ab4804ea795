"""What one participant of a track is told: its runs against the median and the best of all runs, topic by topic."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from truegain.config import Scoring, StudyConfig
from truegain.data.alignment import without_items
from truegain.data.items import Items
from truegain.data.judgments import JudgmentsLike
from truegain.data.runs import Runs, RunsLike
from truegain.data.teams import TeamsLike, read_teams
from truegain.errors import MeasureError, TruegainError
from truegain.io.columns import Coded, Floats, Ints, frozen
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike, parse_measures
from truegain.measures.scoring import scored
from truegain.message import arg, argname
from truegain.pooling.bounds import MedianBounds, bounds_to_median, has_bounds
from truegain.pooling.pools import Filled, held_alone, tell_shallower
from truegain.report.data_health import DEEP, unjudged_by_system
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.sampling.clusters import CLUSTERS
from truegain.settings import check_count
from truegain.stats.results import Estimate
from truegain.stats.student_t import quantile_of
from truegain.study.ranking import Ranking
from truegain.study.reading import RunsInput
from truegain.study.study import Study

TIED = 1e-12  # values of a topic that differ by rounding only
COLUMNS = ("topic", "run", "score", "best", "median", "worst", "difference", "rank", "runs")
Side = Literal["above", "below", "open"]


@dataclass(frozen=True)
class Difference:
    """A mean difference over topics with its interval; none where all topics differ by the same.

    >>> Difference(0.1, 0.02, 0.18).verdict, Difference(0.1, -0.02, 0.18).verdict, Difference(-0.1, None, None).verdict
    ('above', 'open', 'open')
    """

    value: float
    low: float | None
    high: float | None

    @property
    def verdict(self) -> Side:
        """On which side of 0 the whole interval lies."""
        if self.low is None or self.high is None:
            return "open"
        return "above" if self.low > 0 else "below" if self.high < 0 else "open"


@dataclass(frozen=True, eq=False)
class TrackMeasure:
    """All runs by one measure.

    Attributes
    ----------
    measure : Measure
        The measure.
    name : str
        As answers name it.
    systems : tuple of str
        The runs, the rows of `values`.
    topics : tuple of str
        The topics, the columns of `values`.
    values : ndarray of float
        The score of each run on each topic, as `eval -q` prints it.
    estimates : mapping of str to Estimate
        The mean score of each run with its interval.
    ranking : Ranking
        Ranks with their simultaneous limits.
    bounds : MedianBounds or None
        Over all labels of unjudged documents, the lowest and the highest score of each run on each topic, and its
        difference to the median; None where they are not known, or where no document is unjudged.
    clusters : tuple of str, optional
        The cluster of each topic, where these were sampled in clusters.
    """

    measure: Measure
    name: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats
    estimates: Mapping[str, Estimate]
    ranking: Ranking
    bounds: MedianBounds | None = None
    clusters: tuple[str, ...] = ()

    @cached_property
    def means(self) -> Floats:
        """The mean score of each run."""
        return frozen(self.values.mean(axis=1))

    @cached_property
    def best(self) -> Floats:
        """The best score of any run, by topic: no single run need have them all."""
        return frozen(self.values.max(axis=0))

    @cached_property
    def median(self) -> Floats:
        """The median over all runs, by topic."""
        return frozen(np.median(self.values, axis=0))

    @cached_property
    def worst(self) -> Floats:
        """The worst score of any run, by topic."""
        return frozen(self.values.min(axis=0))

    @property
    def best_run(self) -> str:
        """The run with the highest mean score."""
        return self.ranking.systems[0]

    def best_of_topic(self, topic: int) -> str:
        """The run with the best score on a topic; of equal ones the first."""
        return self.systems[int(np.argmax(self.values[:, topic]))]

    def rank(self, system: str) -> int:
        """One more than the number of runs with a higher mean score."""
        return int(np.sum(self.means > self.means[self.systems.index(system)] + TIED)) + 1

    def to_median_by_labels(self, system: str, confidence: float) -> Difference:
        """The mean over topics of a run's score less the topic's median, with Student's interval over topics.

        Unjudged documents count as not relevant.  Of topics in clusters the interval is over these, and never narrower.
        """
        return _student(self.values[self.systems.index(system)] - self.median, confidence, self.clusters)

    def to_median(self, system: str, confidence: float) -> Difference:
        """A run's score less the median; with bounds of unjudged documents, the interval holds for all their labels."""
        by_labels = self.to_median_by_labels(system, confidence)
        if self.bounds is None or by_labels.low is None or by_labels.high is None:
            return by_labels
        at = self.systems.index(system)
        least, most = (_student(x[at], confidence) for x in (self.bounds.least, self.bounds.most))
        # a bound that is the same on all topics has no interval, and is its own limit
        low, high = (least.value if least.low is None else least.low), (most.value if most.high is None else most.high)
        return Difference(by_labels.value, min(by_labels.low, low), max(by_labels.high, high))


def _student(differences: Floats, confidence: float, clusters: Sequence[str] = ()) -> Difference:
    """The mean with Student's interval; none where all differences are equal, or there is one.

    Of J clusters V = J/(J - 1) sum of (sum over the topics of a cluster of (d - mean)/n)^2, with J - 1 degrees of
    freedom (Liang and Zeger 1986, Biometrika 73(1)); of the two intervals the wider one counts.
    """
    n, mean = len(differences), float(differences.mean())
    if n < 2 or np.ptp(differences) < TIED:
        return Difference(mean, None, None)
    half = quantile_of(confidence, n - 1) * float(differences.std(ddof=1)) / n**0.5
    if clusters:
        moves = np.bincount(Coded.of(clusters).code, (differences - mean) / n)
        groups = len(moves)
        by_cluster = quantile_of(confidence, groups - 1) * float(np.sum(moves**2) * groups / (groups - 1)) ** 0.5
        half = max(half, by_cluster)
    return Difference(mean, mean - half, mean + half)


@dataclass(frozen=True, eq=False)
class RunResult:
    """A run of the participant by one measure, beside all runs.

    Attributes
    ----------
    run : str
        The run.
    estimate : Estimate
        Its mean score with its interval.
    rank, low_rank, high_rank : int
        Its rank by mean score, and the ranks that are not ruled out, all runs jointly.
    values : ndarray of float
        Its score on each topic.
    to_median, to_median_by_labels : Difference
        Its mean difference to the median of each topic; the interval holds whatever the labels of unjudged documents,
        where these have known bounds, or counts them as not relevant.
    to_best : Difference or None
        Its difference to the run with the highest mean; None where it is that run.
    told_from_best : bool
        Whether the best run is better with all pairs of runs tested jointly.
    above, equal, below : int
        Topics above, at and below the median.
    at_best, at_worst : int
        Topics where no run is better, and where none is worse.
    unjudged, documents : int
        Unjudged documents in the first ranks of its lists, and how many documents there are.
    bounds : (float, float) or None
        The lowest and the highest mean score over all labels of unjudged documents, where known.
    in_doubt : bool
        Whether nothing is claimed of this run, such as one whose documents may not be those that were judged.
    """

    run: str
    estimate: Estimate
    rank: int
    low_rank: int
    high_rank: int
    values: Floats
    to_median: Difference
    to_median_by_labels: Difference
    to_best: Difference | None
    told_from_best: bool
    above: int
    equal: int
    below: int
    at_best: int
    at_worst: int
    unjudged: int
    documents: int
    bounds: tuple[float, float] | None
    in_doubt: bool = False

    @property
    def on_median(self) -> Side:
        """On which side of the median it lies on average; 'open' where its documents are in doubt."""
        return "open" if self.in_doubt else self.to_median.verdict


@dataclass(frozen=True)
class LeftOutRun:
    """A run scored without the judgments that its team alone brought to the pool."""

    run: str
    measure: str
    score: float
    without: float
    rank: int
    rank_without: int


@dataclass(frozen=True, eq=False)
class Participant:
    """All that one team is told.

    Attributes
    ----------
    team : str
        The team.
    runs : tuple of str
        Its runs, best first by the first measure.
    results : tuple of tuple of RunResult
        By measure a result for each run.
    unique : Table
        The relevant documents that only this team retrieved, at any rank: topic, document, label, the best rank.
    brought : int or None
        Judgments that only its runs brought to the pool; None where the depth of the pool is not known, or none of its
        runs was pooled.
    brought_relevant : int
        Those of relevant documents.
    left_out : tuple of LeftOutRun
        Its pooled runs without these judgments; none where it alone brought all, so that no pool would be left.
    """

    team: str
    runs: tuple[str, ...]
    results: tuple[tuple[RunResult, ...], ...]
    unique: Table
    brought: int | None = None
    brought_relevant: int = 0
    left_out: tuple[LeftOutRun, ...] = ()


class Track:
    """All runs of a track, and what each of its teams is told of its own.

    Parameters
    ----------
    runs, judgments, measures
        As those of `Study`; of values of answers `Items`, None, and the score or measures of nuggets.
    teams : path-like, frame or mapping
        The team of each run, and which runs were pooled (see `truegain.data.teams.read_teams`).
    pool_depth : int, optional
        Down to which rank the pooled runs made the pool: tells what a team alone brought in, and what its runs would
        score without that.  Answers have no pool.
    config : StudyConfig, optional
        The other options of a study, without gold labels.

    Attributes
    ----------
    study : Study
        The study of all runs.
    teams : Teams
        The teams of these runs.
    measures : tuple of TrackMeasure
        All runs by each measure.
    items : Items or None
        The values of answers, as they were given.

    Examples
    --------
    >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
    ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
    >>> track = Track(runs, qrels, "P@2", teams={"good": "ada", "poor": "bell"})
    >>> result = track.participant("bell").results[0][0]
    >>> result.rank, result.above, result.equal, result.below
    (2, 0, 4, 8)
    """

    def __init__(
        self,
        runs: RunsLike | RunsInput | Items,
        judgments: JudgmentsLike | None,
        measures: MeasuresLike | None,
        *,
        teams: TeamsLike,
        pool_depth: int | None = None,
        config: StudyConfig | None = None,
    ) -> None:
        config = config or StudyConfig()
        self.items = runs if isinstance(runs, Items) else None
        _check(config, measures, self.items, pool_depth)
        if pool_depth is not None:
            check_count("pool_depth", pool_depth, 1)
        known = read_teams(teams)
        self.study, self.pool_depth = Study.configured(runs, judgments, measures, config), pool_depth
        if len(self.study.systems) < 2:
            raise TruegainError(
                f"a page for a participant compares runs, and there is 1 ({self.study.systems[0]}); give all runs of "
                "the track"
            )
        self.teams = known.among(self.study.systems, runs.tags if isinstance(runs, Runs) else ())
        if pool_depth is not None:
            tell_shallower(self.study.ranked, [s in self.teams.pooled for s in self.study.systems], pool_depth)
        self.measures = tuple(map(self._of_measure, self.study.measures))

    def _of_measure(self, m: Measure) -> TrackMeasure:
        study = self.study
        scoring = Scoring(all_topics=study.config.scoring.all_topics)
        values = np.asarray(scored(study.ranked, parse_measures(m), scoring).matrix(), np.float64)
        if np.isnan(values).any():
            raise MeasureError(f"{m} has no value on some topics, so they have no median; choose another measure")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the study was made
            estimates = {e.system: e for e in study.estimates(m)}
            ranking = study.best(m)
        return TrackMeasure(
            m,
            ranking.measure or str(m),
            study.systems,
            study.topics,
            frozen(values),
            estimates,
            ranking,
            self._bounds(m),
            tuple(study.topic_units[CLUSTERS.name][t] for t in study.topics) if CLUSTERS.name in study.over else (),
        )

    def _bounds(self, m: Measure) -> MedianBounds | None:
        """What unjudged documents could do, where that is known and some document is unjudged."""
        study = self.study
        if study.of_items or study.unjudged_policy != "bound" or not has_bounds(m):
            return None
        filled = Filled.by_key(study.ranked, m)
        return bounds_to_median(filled, m) if filled.unjudged.any() else None

    def participant(self, team: str) -> Participant:
        """What one team is told.

        Parameters
        ----------
        team : str
            Its name in the table of teams.

        Returns
        -------
        Participant
            Its runs by every measure, topic by topic, and what it alone found.
        """
        own = self.teams.runs_of(team)
        runs = tuple(s for s in self.measures[0].ranking.systems if s in own)
        results = tuple(tuple(self._result(m, run) for run in runs) for m in self.measures)
        brought, relevant, left_out = self._left_out(team, runs)
        return Participant(team, runs, results, self._unique(team), brought, relevant, left_out)

    def _result(self, m: TrackMeasure, run: str) -> RunResult:
        study, at, place = self.study, m.systems.index(run), m.ranking.systems.index(run)
        own = m.values[at]
        aside = own - m.median
        unjudged = documents = np.zeros(len(m.systems), np.int64)
        if not study.of_items:  # an answer has a value or none
            unjudged, documents = unjudged_by_system(study.ranked, self.looks_at(m.measure))
        to_best, told_from_best = None, False
        if run != m.best_run:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                c = study.compare(m.best_run, run, m.measure)[0]
            to_best = Difference(c.difference, c.low, c.high)
            assert m.ranking.ahead is not None
            told_from_best = bool(m.ranking.ahead[0, place])
        return RunResult(
            run,
            m.estimates[run],
            m.rank(run),
            int(m.ranking.low[place]),
            int(m.ranking.high[place]),
            frozen(own),
            m.to_median(run, study.confidence),
            m.to_median_by_labels(run, study.confidence),
            to_best,
            told_from_best,
            above=int(np.sum(aside > TIED)),
            equal=int(np.sum(np.abs(aside) <= TIED)),
            below=int(np.sum(aside < -TIED)),
            at_best=int(np.sum(own >= m.best - TIED)),
            at_worst=int(np.sum(own <= m.worst + TIED)),
            unjudged=int(unjudged[at]),
            documents=int(documents[at]),
            bounds=None if m.bounds is None else (float(m.bounds.worst[at].mean()), float(m.bounds.best[at].mean())),
            in_doubt=run in m.ranking.open,
        )

    def looks_at(self, measure: Measure) -> int:
        """Down to which rank unjudged documents are counted: the cutoff, else the depth of the pool, else 100."""
        return getattr(measure, "cutoff", None) or self.pool_depth or DEEP

    def by_topic(self, team: str) -> Table:
        """The table of a team's runs, topic by topic, for all measures.

        Parameters
        ----------
        team : str
            The team.

        Returns
        -------
        Table
            `measure`, `topic`, `run`, `score`; `best`, `median` and `worst` over all runs; `difference`, the score less
            the median; `rank` among `runs`.
        """
        rows: list[tuple[Cell, ...]] = []
        for m in self.measures:
            rows += [(m.name, *row) for run in self.participant(team).runs for row in topic_rows(m, run)]
        return Table(("measure", *COLUMNS), rows, self.study.provenance)

    # ------------------------------------------------------------------ what a team alone found

    @cached_property
    def _relevant(self) -> Ints:
        """Which documents of the pool are relevant: 1, else 0."""
        level = next((rel for m in self.measures if (rel := getattr(m.measure, "rel", None))), None)
        ranked = self.study.ranked
        return ((ranked.item_gain >= (level or self.study.relevant_from or 1)) & ranked.item_judged).astype(np.int64)

    @cached_property
    def _retrieved_alone(self) -> dict[str, Ints]:
        return held_alone(self.study.ranked, [self.teams.of[s] for s in self.study.systems])

    @cached_property
    def _brought_alone(self) -> dict[str, Ints]:
        owners = [self.teams.of[s] if s in self.teams.pooled else None for s in self.study.systems]
        return held_alone(self.study.ranked, owners, self.pool_depth)

    def _unique(self, team: str) -> Table:
        """The relevant documents that no other team has in any list; none of answers, which belong to one run each."""
        columns = ("topic", "doc", "label", "best rank")
        if self.study.of_items:
            return Table(columns, [])
        ranked = self.study.ranked
        items = self._retrieved_alone[team]
        items = items[self._relevant[items] > 0]
        best = np.full(len(ranked.pool), np.iinfo(np.int64).max)
        np.minimum.at(best, ranked.item, ranked.rank)
        topics, docs = ranked.pool.names(items)
        rows: list[tuple[Cell, ...]] = [
            (topic, doc, float(ranked.item_gain[i]), int(best[i]))
            for topic, doc, i in zip(topics, docs, items.tolist(), strict=True)
        ]
        return Table(columns, sorted(rows, key=lambda r: (str(r[0]), r[3])))

    def _left_out(self, team: str, runs: tuple[str, ...]) -> tuple[int | None, int, tuple[LeftOutRun, ...]]:
        """What only its pooled runs brought in, how much of it is relevant, and these runs without it."""
        pooled = [run for run in runs if run in self.teams.pooled]
        if self.pool_depth is None or not pooled:
            return None, 0, ()
        items, judged = self._brought_alone[team], self.study.ranked.item_judged
        brought, relevant = int(judged[items].sum()), int(self._relevant[items].sum())
        if judged[items].sum() == judged.sum():  # without this team there is no pool
            return brought, relevant, ()
        out = []
        smaller = without_items(self.study.ranked, items) if brought else None
        scoring = Scoring(all_topics=self.study.config.scoring.all_topics)
        for m in self.measures:
            means = m.means
            if smaller is not None:
                means = np.asarray(scored(smaller, parse_measures(m.measure), scoring).matrix()).mean(axis=1)
            for run in pooled:
                at = m.systems.index(run)
                rank = int(np.sum(means > means[at] + TIED)) + 1
                out.append(LeftOutRun(run, m.name, float(m.means[at]), float(means[at]), m.rank(run), rank))
        return brought, relevant, tuple(out)


def topic_rows(m: TrackMeasure, run: str) -> list[tuple[Cell, ...]]:
    """A run topic by topic, in the order of topics: the columns of `COLUMNS`."""
    own = m.values[m.systems.index(run)]
    above = np.sum(m.values > own + TIED, axis=0)
    return [
        (topic, run, float(own[t]), float(m.best[t]), float(m.median[t]), float(m.worst[t]),
         float(own[t] - m.median[t]), int(above[t]) + 1, len(m.systems))
        for t, topic in enumerate(m.topics)
    ]  # fmt: skip


def _check(config: StudyConfig, measures: MeasuresLike | None, items: Items | None, pool_depth: int | None) -> None:
    """Refuse, before any work, what a page by topic cannot show."""
    if config.gold is not None or config.sample is not None:
        name = "gold" if config.gold is not None else "unjudged_sample"
        raise TruegainError(
            f"{argname(name)}: gold labels correct means, not single topics, so there is no page by topic; leave "
            f"{arg(name)} out"
        )
    if str(config.population) not in ("topics", "['topics']", "('topics',)"):
        raise TruegainError(
            f"{argname('population', config.population)}: a page by topic is for topics like these; leave it out"
        )
    if items is not None and pool_depth is not None:
        raise TruegainError(
            f"{argname('pool_depth', pool_depth)}: an answer is scored by itself, from no pool that other teams' runs "
            "contributed to; leave it out"
        )
    if items is not None or measures is None:
        return
    for named in parse_measures(measures):
        if named.measure.mean != "arithmetic":
            raise MeasureError(
                f"{named.measure} is not a mean over topics, so it has no difference topic by topic; choose another, "
                "such as AP"
            )
