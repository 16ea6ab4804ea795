"""Experiment: systems are run on queries, scored, and held against a baseline, in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any, TypedDict, Unpack

from truegain.config import Gold, Ratings, Resampling, Scoring, StudyConfig, Unjudged, UnjudgedSample
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.label_lists import GoldList
from truegain.data.queries import QueriesLike
from truegain.data.runs import Runs
from truegain.data.systems import QueryTable, RunFolder, SaveMode, SystemsLike, is_run, named_systems, run_of_system
from truegain.errors import InputError, TruegainError, counted, no_system, some
from truegain.io.files import PathLike
from truegain.judge_error.judges import GoldLike
from truegain.keywords import checked_keywords
from truegain.measures.catalogue import MeasuresLike
from truegain.message import argname
from truegain.results.base import PaperWords, Result, Table
from truegain.results.table import Cell
from truegain.settings import check_count
from truegain.stats.results import Estimate, ResultList
from truegain.study.inputs import each_alone, joint_sentences
from truegain.study.ranking import Ranking
from truegain.study.reading import of_topics
from truegain.study.study import Study
from truegain.study.verdict import Verdict


class StudyWords(TypedDict, total=False):
    """The options of a study, as `Study` takes them."""

    population: str | Sequence[str]
    gold: Gold | GoldLike | None
    unjudged: Unjudged | UnjudgedSample | JudgmentsLike | GoldList
    ratings: Ratings | str | None
    min_effect: float
    confidence: float
    scoring: Scoring | None
    resampling: Resampling | None
    trust_judge: bool


_USUAL = {f.name: getattr(StudyConfig(), f.name) for f in fields(StudyConfig)} | {
    "ratings": None, "scoring": None, "resampling": None,
}  # fmt: skip
_BY_TOPIC = "tg.evaluate(experiment.runs, judgments, measures) has the scores of every topic"
_EACH_RUNS = "each system runs by itself; give the runs of pt.Experiment(..., save_dir=...) to share their steps"
_THEIRS = {  # keywords of PyTerrier's Experiment that have another name or place here
    "qrels": "Experiment has no option qrels; the third argument is judgments",
    "eval_metrics": "Experiment has no option eval_metrics; the fourth argument is measures",
    "retr_systems": "Experiment has no option retr_systems; the first argument is systems",
    "perquery": f"Experiment has no option perquery; {_BY_TOPIC}",
    "dataframe": "Experiment has no option dataframe; experiment.frame() and .to_pandas() give frames",
    "test": "Experiment has no option test; tg.compare(experiment.runs, judgments, measures, test=...) has the tests",
    "correction": "Experiment has no option correction; the sentence that begins with 'All' is for all systems jointly",
    "highlight": "Experiment has no option highlight; experiment.latex() and .html() set the best in bold",
    "round": "Experiment has no option round; experiment.latex(digits=3) rounds",
    "correction_alpha": "Experiment has no option correction_alpha; confidence=0.95 stands for alpha=0.05",
    "verbose": "Experiment has no option verbose; it shows no progress",
    "validate": "Experiment has no option validate; what a system returns is checked when it has run",
    "plan": f"Experiment has no option plan; {_EACH_RUNS}",
    "precompute_prefix": f"Experiment has no option precompute_prefix; {_EACH_RUNS}",
    "save_format": "Experiment has no option save_format; save_dir has runs as trec_eval reads them",
    "filter_by_qrels": "Experiment has no option filter_by_qrels; topics without judgments are run and not scored",
    "filter_by_topics": "Experiment has no option filter_by_topics; only the judgments of the given topics count",
}


class Experiment(Result):
    """Run systems on queries, score them, and decide which are better than a baseline.

    It is called as PyTerrier's ``pt.Experiment`` is.  A system is a PyTerrier transformer (anything with a method
    ``transform``), a function from the text of a query to a ranked list, a function from a frame of topics to a frame
    of results, or a run that is there already.

    Parameters
    ----------
    systems : dict or list
        The systems, by name or in order.  A function gets the text of a query and returns document ids, best first,
        pairs (id, score), or a dict {id: score}; one whose first parameter is called ``topics`` or annotated as a
        DataFrame gets the frame of all topics (`qid`, `query`) and returns one of results (`qid`, `docno`, `score` or
        `rank`).  A path, a frame or a dict {topic: {document: score}} is a run.
    topics : path-like, frame, mapping or dataset, or None
        The queries: columns `qid` and `query`, {topic: text}, a file, 'irds:NAME', or a dataset of ir_datasets or
        PyTerrier.  None where all systems are runs.
    judgments : path-like, frame, mapping, Judgments or dataset
        Relevance labels; those of other topics do not count.
    measures : str or list of str
        Measures, such as ['nDCG@10', 'map'], also those of ir_measures.
    baseline : str or int, optional
        The system that the others are held against, by name or by place from 0; by default it says which may be best.
    names : list of str, optional
        Names of the systems of a list.
    batch_size : int, optional
        Give a transformer so many topics at a time; by default all.
    save_dir : path-like, optional
        A folder in which the run of each system is saved when it is finished, as NAME.run.
    save_mode : {'error', 'reuse', 'overwrite'}, default 'error'
        What to do with a saved run: refuse, use it in place of running the system, or replace it.  A saved run of other
        queries is refused.
    population, gold, unjudged, ratings, min_effect, confidence, scoring, resampling, trust_judge
        As in `Study`.  A topic for which a system returns nothing counts 0, unless `scoring` says otherwise.

    Attributes
    ----------
    runs : Runs
        What each system retrieved.
    study : Study
        The study, which answers all other questions.
    baseline : str or None
        The name of the baseline.
    verdicts : tuple of Verdict
        One a system and measure, against the baseline.
    rankings : tuple of Ranking
        Without a baseline: which systems may be best, one a measure.
    sentences : tuple of str
        The verdicts in words, and what holds of all systems jointly.
    provenance : dict
        How it was made.

    Notes
    -----
    Columns of `frame`: `system`, `measure`, `value`, `low`, `high` (the score and its interval), and with a baseline
    `difference` (from it), `difference_low`, `difference_high`, `p` and `outcome`.

    Examples
    --------
    >>> import truegain as tg
    >>> topics = {str(t): f"query {t}" for t in range(12)}
    >>> qrels = {t: {"a": 1, "b": 0, "c": int(t) % 2} for t in topics}
    >>> def poor(query):
    ...     return ["b", "c", "a"] if int(query.split()[1]) % 3 == 0 else ["b", "a", "c"]
    >>> def good(query):
    ...     return [("a", 3.0), ("c", 2.0), ("b", 1.0)]
    >>> print(tg.Experiment([poor, good], topics, qrels, "P@2", baseline="poor").sentences[0])
    good is better than poor: +0.3333 P@2, 95% CI [0.1769, 0.4898], for topics like these 12.
    """

    @checked_keywords(StudyWords, _USUAL, name="Experiment", elsewhere=_THEIRS)
    def __init__(
        self,
        systems: SystemsLike,
        topics: QueriesLike | None,
        judgments: JudgmentsLike,
        measures: MeasuresLike,
        *,
        baseline: str | int | None = None,
        names: Sequence[str] | None = None,
        batch_size: int | None = None,
        save_dir: PathLike | None = None,
        save_mode: SaveMode = "error",
        **study: Unpack[StudyWords],
    ) -> None:
        if batch_size is not None:
            check_count("batch_size", batch_size, 1)
        by_name = named_systems(systems, names)
        self.baseline = _baseline(baseline, list(by_name))
        to_run = [name for name, system in by_name.items() if not is_run(system)]
        folder = None if save_dir is None else RunFolder.of(save_dir, save_mode, to_run)
        queries = None if topics is None else QueryTable.of(topics)
        has_ratings = study.get("ratings") is not None
        labels = judgments if has_ratings else self._labels_of(judgments, queries)
        made = []
        for name, system in by_name.items():
            saved = None if folder is None or name not in to_run else folder.saved(name, queries)
            run = run_of_system(name, system, queries, batch_size) if saved is None else saved
            if folder is not None and saved is None and name in to_run:
                folder.save(run, queries)
            made.append(run)
        self.runs = Runs(tuple(made))
        if study.get("scoring") is None:
            study["scoring"] = Scoring(all_topics=not has_ratings)
        self.study = Study(self.runs, labels, measures, **study)
        self.provenance: Mapping[str, object] = {
            **self.study.provenance,
            "systems": list(by_name),
            "baseline": self.baseline,
            "queries": None if queries is None else len(queries.texts),
            "save_dir": None if save_dir is None else os.fspath(save_dir),
        }

    @staticmethod
    def _labels_of(judgments: JudgmentsLike, queries: QueryTable | None) -> Judgments:
        """The labels of the given topics."""
        labels = Judgments.of(judgments)
        if queries is None:
            return labels
        judged = [topic for topic in labels.topic.values if topic in queries.texts]
        if not judged:
            raise InputError(
                f"no query is judged: queries {some(list(queries.texts))}, judged topics {some(labels.topic.values)}",
                file=labels.source, hint="give queries and judgments with the same topic ids",
            )  # fmt: skip
        return labels if len(judged) == len(labels.topic.values) else of_topics(labels, judged)

    # ------------------------------------------------------------------ what it answers

    @cached_property
    def estimates(self) -> ResultList[Estimate]:
        """The score of every system with its interval."""
        return self.study.estimates()

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Whether each system is better than the baseline, measure by measure; none without a baseline."""
        measures = [m for m in self.study.measures if str(m) not in self.study.refused]
        others = [s for s in self.study.systems if s != self.baseline] if self.baseline is not None else []
        return tuple(self.study.verdict(str(self.baseline), s, m) for m in measures for s in others)

    @cached_property
    def rankings(self) -> tuple[Ranking, ...]:
        """Which systems may be best, measure by measure; none with a baseline, or of one system."""
        if self.baseline is not None or len(self.study.systems) < 2:
            return ()
        return tuple(self.study.best(m) for m in self.study.measures if str(m) not in self.study.refused)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The verdicts in words, and what holds of all systems jointly; without a baseline, which may be best."""
        verdicts = self.verdicts
        joint = [*filter(None, [each_alone(verdicts)]), *joint_sentences(self.study, verdicts)] if verdicts else []
        return (*(v.sentence for v in verdicts), *joint, *(r.sentence for r in self.rankings))

    def table(self) -> Table:
        """A row a system and measure: the score with its interval, and the difference from the baseline."""
        return self._table()

    def tables(self) -> list[Table]:
        """The same rows under what was compared, with the verdicts in words below."""
        return [self._table(self.in_short(), tuple(filter(None, ["\n".join(self.sentences), *self.estimates.notes])))]

    def _table(self, title: str = "", notes: tuple[str, ...] = ()) -> Table:
        columns: tuple[str, ...] = ("system", "measure", "value", "low", "high")
        against = {(v.comparison.measure, v.comparison.b): v for v in self.verdicts}
        if against:
            columns += ("difference", "difference low", "difference high", "p", "outcome")
        rows: list[tuple[Cell, ...]] = []
        for e in self.estimates:
            own: tuple[Cell, ...] = (e.system, e.measure, e.value, e.low, e.high)
            rows.append((*own, *(_against(against.get((e.measure, e.system))) if against else ())))
        return Table(columns, rows, self.provenance, title, notes)

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """Systems by measures, with intervals; see `PaperStyle`.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`.

        Returns
        -------
        Table
            What `latex`, `markdown` and `html` write.
        """
        return self.estimates.paper(**style)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the scores with their intervals.

        Parameters
        ----------
        path : path-like, optional
            Where to write the figure, as SVG, PDF or PNG; by default it is only returned.

        Returns
        -------
        figure
            The figure, which a notebook shows.
        """
        return self.estimates.plot(path)

    def in_short(self) -> str:
        """How many systems and topics, and the baseline."""
        against = "" if self.baseline is None else f", against {self.baseline}"
        return f"{counted(len(self.study.systems), 'system')}, {counted(len(self.study.topics), 'topic')}{against}"


def _against(verdict: Verdict | None) -> tuple[Cell, ...]:
    """The difference from the baseline; nothing of the baseline itself."""
    if verdict is None:
        return (None,) * 5
    c = verdict.comparison
    return (c.difference, c.low, c.high, c.p, verdict.outcome)


def _baseline(baseline: Any, systems: Sequence[str]) -> str | None:
    """The name of the baseline, which may be given by its place."""
    if baseline is None:
        return None
    if len(systems) < 2:
        raise TruegainError(f"{argname('baseline')} needs another system to compare with; there is 1 ({systems[0]})")
    if isinstance(baseline, int) and not isinstance(baseline, bool):
        if not 0 <= baseline < len(systems):
            raise TruegainError(
                f"{argname('baseline', baseline)}: give a place from 0 to {len(systems) - 1}, or a name"
            )
        return systems[baseline]
    if baseline not in systems:
        raise no_system("baseline", [str(baseline)], systems)
    return str(baseline)
