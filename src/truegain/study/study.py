"""Study: runs, judgments and measures; all answers come from one set of scores and influence values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from truegain._version import __version__
from truegain.config import (
    LEAST_RESAMPLES,
    RESAMPLES,
    Gold,
    Ratings,
    Resampling,
    Scoring,
    StudyConfig,
    Unjudged,
    UnjudgedSample,
)
from truegain.data.checks import Grades, tell_levels
from truegain.data.id_matching import FEW
from truegain.data.items import Items
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.label_lists import GoldList
from truegain.data.models import by_unchecked, is_of, models_of, unchecked_in
from truegain.data.runs import Runs, RunsLike
from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.columns import Floats
from truegain.io.files import PathLike
from truegain.judge_error.favor import Favor
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import GoldLike
from truegain.keywords import checked_keywords
from truegain.lazy import provided
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasureLike, MeasuresLike, NamedMeasure, measures_in, parse_measures
from truegain.measures.items import ItemMean, OfItems
from truegain.measures.label_weights import StandIn
from truegain.measures.scoring import at_level, keys_in_question, levels_of, matching_for, measures_for
from truegain.message import Message, arg, argname, gold_drawn, with_marks
from truegain.pooling.bounds import has_bounds
from truegain.results.base import provenance_of
from truegain.results.settlement import Settlement
from truegain.sampling.catalogue import SOURCES, draws_topics, is_sample, population_groups, populations
from truegain.sampling.clusters import CLUSTERS, clusters_by_topic
from truegain.sampling.source import SourceName, TopicUnits
from truegain.settings import check_count
from truegain.stats.contrasts import Contrasts, place_of
from truegain.stats.other_collections import keys_needed
from truegain.stats.results import Comparison, Estimate, ResultList
from truegain.stats.student_t import check_confidence
from truegain.study.answer_raters import AnswerRaters, RatedAnswers
from truegain.study.decision import (
    EVERY_DIFFERENCE,
    MORE_LABELS,
    UNJUDGED_FIRST,
    Reason,
    decide,
    gold_reasons,
    holds_back,
    in_one,
    says_nothing,
    with_reasons,
)
from truegain.study.documents import Outcome
from truegain.study.estimates import MeasureEstimates, ranked_alike
from truegain.study.estimators import FEW_TOPICS, ByGoldPairs
from truegain.study.gold import GivenLabels, Labels, check_gold_level, gold_and_design, ordered_list, refused_of
from truegain.study.gold_lists import check_bronze, items_of
from truegain.study.item_inputs import answer_inputs, who_is_unknown
from truegain.study.next_steps import StepPlanner, Steps
from truegain.study.precision import CurrentPrecision, Step, prices_of
from truegain.study.ranking import Ranking
from truegain.study.reading import (
    RunsInput,
    check_config,
    check_raters,
    check_scoring,
    check_units,
    margin_of,
    raters_in,
    raters_of,
    sources_of,
)
from truegain.study.settled import LabelBudget, SettleResult
from truegain.study.study_data import LONE, Population, StudyData
from truegain.study.unjudged import UnjudgedDocuments
from truegain.study.unjudged_sample import UnjudgedList
from truegain.study.variance import VarianceModel
from truegain.study.variance_table import (
    InfluentialUnit,
    Share,
    influential_units_of,
    largest_in_words,
    lines_of,
    shares_of,
    uncorrected_line,
)
from truegain.study.verdict import Verdict

T = TypeVar("T", Estimate, Comparison)
Costs = Mapping[str, float] | str | None


class Study:
    """Runs, judgments and measures, and what makes their scores uncertain: the one engine behind all answers.

    Parameters
    ----------
    runs : path-like, list of path-like, frame, list of dict, mapping, Runs or Items
        The runs of two or more systems (one is enough for `estimates`); or values of their answers (`read_items`),
        which need no judgments.
    judgments : path-like, frame, list of dict, mapping or Judgments
        Relevance labels; with `ratings`, ratings by several assessors.
    measures : str or list of str
        Measures, such as 'nDCG@10' or ['P@10', 'AP']; of `Items` the name of a score.
    population : str or list of str, default 'topics'
        What the answers are about: 'topics' (topics like these), 'collection' (other collections of the same kind),
        'assessors' (assessors like these; needs `ratings`), 'replicates' (the same judge asked again, with
        ``Ratings(repeated='all')``), several with commas; or 'fixed', these topics only.  Of values of answers,
        'assessors' are judges like these and 'replicates' repeats like these, as `Items` have them.
    gold : Gold or path-like, optional
        Trusted labels of some of the judged pairs, which correct the scores.
    unjudged : {'bound', 'non-relevant'}, UnjudgedSample or path-like, default 'bound'
        'bound' holds a verdict back where unjudged documents could turn it; 'non-relevant' counts them as not relevant;
        labels of a random sample of them stand for the others, and nothing is held back.
    ratings : Ratings or str, optional
        The judgments are ratings, and how they become labels.
    min_effect : float, default 0.0
        The smallest difference that matters.
    confidence : float, default 0.95
        Of every interval.
    scoring : Scoring, optional
        Which labels are relevant, which topics count, how ties are broken; see `StudyConfig`.
    resampling : Resampling, optional
        How many resamples, the seed, and how many processes.
    trust_judge : bool, default False
        Accept labels that a model gave (see `read_judgments`) as they are, though no person checked them.

    Attributes
    ----------
    config : StudyConfig
        All options.
    over : frozenset of str
        The sources of uncertainty that the answers generalize over.
    ranked : RankedGains
        The runs aligned with the labels.
    refused : mapping of str to str
        Measures that the gold labels cannot correct, and why.
    relevant_from : float or None
        The smallest relevant label, for measures that do not say.
    raters : Raters or None
        The ratings, where labels are made of some.
    judge : Judge or None
        The judge measured on the gold labels.
    gold_rated : bool
        Whether the gold labels are made of ratings.
    gold_list : GoldList or None
        The ordered list of gold labels, where gold is one.
    unjudged_sample : RandomUnjudgedSample, UnjudgedList or None
        The sample of unjudged documents.
    seed : int
        Where random numbers begin.
    unjudged_policy : {'bound', 'non-relevant'}
        How unjudged documents count.
    system_models : mapping of str to tuple of str
        The language models that systems use, where known.
    judge_model : str or None
        The language model that gave the labels, where known.
    unchecked : str
        Whose labels these are, where a model gave them and no person checked them.
    provenance : dict
        How the study was made; every answer has it.
    items : Items or None
        The values of the score, where answers are scored.
    claims : tuple of (str, str)
        Pairs (a, b) that a study file asks about: is b better than a?
    costs : mapping, str or None
        Prices where a question names none.

    References
    ----------
    .. [1] B. Efron and C. Stein, "The jackknife estimate of variance", Annals of Statistics 9(3), 1981.
    .. [2] A. C. Cameron, J. B. Gelbach and D. L. Miller, "Robust inference with multiway clustering", Journal of
           Business & Economic Statistics 29(2), 2011.
    .. [3] F. E. Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics Bulletin
           2(6), 1946.
    .. [4] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic, "Prediction-powered inference",
           Science 382(6671), 2023.
    .. [5] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform central limit theory and
           asymptotic confidence sequences", Annals of Statistics 52(6), 2024.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
    ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
    >>> print(tg.Study(runs, qrels, "P@2").verdict("poor", "good").sentence)
    good is better than poor: +0.3333 P@2, 95% CI [0.1769, 0.4898], for topics like these 12.
    """

    claims: tuple[tuple[str, str], ...] = ()
    costs: Costs = None
    items: Items | None = None

    @checked_keywords(name="Study")
    def __init__(
        self,
        runs: RunsLike | RunsInput | Items,
        judgments: JudgmentsLike | None = None,
        measures: MeasuresLike | None = None,
        *,
        population: str | Sequence[str] = "topics",
        gold: Gold | GoldLike | None = None,
        unjudged: Unjudged | UnjudgedSample | JudgmentsLike | GoldList = "bound",
        ratings: Ratings | str | None = None,
        min_effect: float = 0.0,
        confidence: float = 0.95,
        scoring: Scoring | None = None,
        resampling: Resampling | None = None,
        trust_judge: bool = False,
    ) -> None:
        keywords: dict[str, Any] = {  # where a path stands in the place of a config, it becomes one
            "population": population, "gold": gold, "unjudged": unjudged, "ratings": ratings, "min_effect": min_effect,
            "confidence": confidence, "scoring": scoring, "resampling": resampling, "trust_judge": trust_judge,
        }  # fmt: skip
        self._set_up(runs, judgments, measures, StudyConfig(**keywords))

    @classmethod
    def configured(
        cls,
        runs: RunsLike | RunsInput | Items,
        judgments: JudgmentsLike | None,
        measures: MeasuresLike | None,
        config: StudyConfig,
    ) -> Study:
        """A study by a config, as functions and study files have it.

        Parameters
        ----------
        runs, judgments, measures
            As those of `Study`.
        config : StudyConfig
            All other options.

        Returns
        -------
        Study
            The study.
        """
        study = cls.__new__(cls)
        study._set_up(runs, judgments, measures, config)
        return study

    def with_measures(self, measures: MeasuresLike) -> Study:
        """The study with some of its measures: runs and judgments are not read again.

        Parameters
        ----------
        measures : str or list of str
            Measures of this study.

        Returns
        -------
        Study
            Another study of the same data.
        """
        study = copy(self)
        study._set_up_measures(parse_measures(measures))
        return study

    def with_config(self, config: StudyConfig) -> Study:
        """The study with another config of gold labels, confidence and population: runs are not read again.

        Parameters
        ----------
        config : StudyConfig
            That of this study but for `gold` (one label a document), `confidence`, `population` and `min_effect`.

        Returns
        -------
        Study
            Another study of the same data.
        """
        study = copy(self)
        study.config, study.over, study.min_effect = config, sources_of(config.population), config.min_effect
        study.confidence = check_confidence(config.confidence)
        check_config(config, study.over)
        gold_labels, design, label_list = gold_and_design(config.gold)
        study.gold_list = ordered_list(label_list)
        check_scoring(config, self.measures, study.gold_list is not None)
        study._given = replace(self._given, gold=gold_labels, design=design, gold_list=label_list)
        study._set_up_measures(parse_measures(list(self.measures)))
        return study

    def settle(
        self,
        label: Callable[[str, str], float | None],
        *,
        baseline: str | None = None,
        candidate: str | Sequence[str] | None = None,
        population: str | None = None,
        max_labels: int | None = None,
        price: float | None = None,
        max_cost: float | None = None,
        keep_going: bool = False,
        scale: Sequence[float] | str | None = None,
        every: int = 1,
        seed: int = 0,
        progress: Callable[[Settlement], None] | None = None,
    ) -> SettleResult:
        """Have documents labeled until it is known whether a candidate is better than the baseline, and no further.

        It is about one measure; of a study of several, `with_measures` takes one.

        Parameters
        ----------
        label : callable
            From topic and document their gold label; None where they cannot be judged.  Where it fails or gives what
            is no label, the `truegain.typing.LabelError` has the labels before; so has KeyboardInterrupt (Ctrl-C).
        baseline : str, optional
            The system that others are held against; by default the first.
        candidate : str or list of str, optional
            One or more others, whose limits hold together; by default all.
        population : str, optional
            'topics' (like these) or 'fixed' (these only); by default that of the study.
        max_labels : int, optional
            Labels after which it is given up; by default those of all documents that can change the difference.
        price, max_cost : float, optional
            Price of a label, and what labels may cost together.
        keep_going : bool, default False
            Whether to label on where, by a forecast, the whole list decides it with a chance below 2%.
        scale : str or sequence of float, optional
            The labels that people may give, as '0:3', or the lowest and the highest; by default those of the judge.
        every : int, default 1
            Labels between looks; limits hold whatever it is.
        seed : int, default 0
            Seed of the order in which documents are labeled.
        progress : callable, optional
            Called with the `Settlement` after each look.

        Returns
        -------
        SettleResult
            Its `status` ('better', 'worse', 'not-better', 'undecided' or 'out-of-reach'), `sentence`, `labels`,
            `verdicts` and `filled`, the list with its labels.

        References
        ----------
        .. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of
               the Royal Statistical Society B 86(1), 2024.

        Examples
        --------
        >>> import truegain as tg
        >>> llm = {str(t): {d: (i + t) % 2 for i, d in enumerate("abcdef")} for t in range(12)}
        >>> runs = {"old": {t: {"a": 3, "b": 2, "c": 1} for t in llm},
        ...         "new": {t: {"d": 3, "e": 2, "f": 1} for t in llm}}
        >>> settled = tg.Study(runs, llm, "P@3").settle(lambda topic, doc: float(doc in "def"), population="fixed")
        >>> settled.status, settled.labels < 40
        ('better', True)
        """
        budget = LabelBudget(max_labels, price, max_cost, keep_going)
        result: SettleResult = provided("settle")(
            self, label, (baseline, candidate), budget, scale, population, every, seed, progress
        )
        return result

    @checked_keywords()
    def report(
        self, path: PathLike, *, pairs: Sequence[tuple[str, str]] = (), baselines: str | Sequence[str] = (),
        costs: Costs = None, title: str = "",
    ) -> PathLike:  # fmt: skip
        """Write everything on one page: verdict, data health, systems, pairs, judge, what to do next, methods.

        `truegain.write_report` also takes texts of documents and the teams of runs.

        Parameters
        ----------
        path : path-like
            Where to write the page; its name ends in .html.
        pairs : list of (str, str), optional
            (a, b) asks whether b is better than a.  Without pairs and baselines it is what the study file claims, or
            else about the two best systems.
        baselines : str or list of str, optional
            Is any other system better than these?
        costs : mapping of str to float, or str, optional
            Prices, for the next steps; by default those of the study file.
        title : str, optional
            The title of the page.

        Returns
        -------
        path-like
            As given.

        Examples
        --------
        >>> import tempfile, truegain as tg
        >>> from pathlib import Path
        >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
        >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
        ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = tg.Study(runs, qrels, "P@2").report(f"{folder}/report.html", pairs=[("poor", "good")])
        ...     "good is better than poor" in Path(path).read_text()
        True
        """
        pairs = pairs if pairs or baselines else self.claims
        costs = self.costs if costs is None else costs
        provided("write_report")(self, None, None, path, pairs=pairs, baselines=baselines, costs=costs, title=title)
        return path

    def _set_up(
        self,
        runs: RunsLike | RunsInput | Items,
        judgments: JudgmentsLike | None,
        measures: MeasuresLike | None,
        config: StudyConfig,
    ) -> None:
        """Check options, read judgments, align runs with them, and set up the measures, which reads gold labels."""
        if isinstance(runs, Items):
            answers = answer_inputs(runs, judgments, measures, config)
            runs, judgments, measures, config = answers.runs, answers.judgments, answers.measures, answers.config
            self.items = answers.items
        elif judgments is None or measures is None:
            lack = "judgments" if judgments is None else "measures"
            raise TruegainError(
                f"{argname(lack)}: a study of runs needs them, as in tg.Study(runs, judgments, 'nDCG@10'); one of "
                "values of answers takes tg.read_items(...)"
            )
        # options
        self.config, self.over = config, sources_of(config.population)
        self.confidence, self.min_effect = check_confidence(config.confidence), config.min_effect
        self.trust_judge, self.resamples = config.trust_judge, config.resampling.n or RESAMPLES
        check_count("resamples", self.resamples, LEAST_RESAMPLES)
        self.seed, self.jobs = config.resampling.seed, config.resampling.jobs
        self.unjudged_policy = config.unjudged if isinstance(config.unjudged, str) else "bound"
        check_config(config, self.over)
        # gold labels, and ratings with their rule
        gold_labels, design, label_list = gold_and_design(config.gold)
        self.gold_list = ordered_list(label_list)
        self.gold_rated = config.gold is not None and config.gold.aggregate is not None
        self.raters = raters_of(gold_labels if self.gold_rated else judgments, self._rated())
        check_raters(self.raters, self.over)
        aggregated = None if self.raters is None else self.raters.judgments()
        labels = Judgments.of(judgments) if aggregated is None or self.gold_rated else aggregated
        gold_labels = aggregated if self.gold_rated else gold_labels
        # runs in line with labels
        named = parse_measures(measures)
        check_scoring(config, [a.measure for a in named], self.gold_list is not None)
        self._set_reading(runs, [a.measure for a in named])
        self._align(labels, self._keys_to_keep([a.measure for a in named]), design)
        self.relevant_from = config.scoring.relevant_from
        self._given = GivenLabels(as_given=judgments, bronze=labels, gold=gold_labels, design=design,
                                  gold_list=label_list)  # fmt: skip
        # measures
        self._set_up_measures(named)

    def _set_up_measures(self, named: Sequence[NamedMeasure]) -> None:
        """Fit the judge and make what answers need; gold labels are read here, and nothing is estimated yet."""
        config, confidence, given = self.config, self.confidence, self._given
        self.measures = tuple(at_level(a.measure, self.relevant_from) for a in measures_for(self.ranked, named))
        gold_design = given.gold.design if isinstance(given.gold, Judge) else given.design
        self.refused = refused_of(self.measures, gold_design, self.gold_list is not None)
        if given.gold_list is not None:
            self._check_list(given.gold_list)
        study_labels = Labels(given.bronze, self._labels, self.topics)
        gold_relevant_from = None if config.gold is None else config.gold.relevant_from
        self.judge = self._fit_judge(study_labels, gold_relevant_from)
        if self.relevant_from is not None and self.judge is None:  # gold labels may reach what these do not
            tell_levels(Grades.of(self.ranked, None), [x for x in levels_of(self.measures) if x == self.relevant_from])
        sample = config.sample
        self.unjudged_sample = None if sample is None else study_labels.sample(sample, self._runs_input, self.measures)
        self._study_data = StudyData(
            over=self.over,
            ranked=self.ranked,
            raters=self.raters,
            judge=self.judge,
            gold_relevant_from=gold_relevant_from,
            resamples=self.resamples,
            seed=self.seed,
            gold_rated=self.gold_rated,
            sample=self.unjudged_sample,
            gold_list=self.gold_list,
            anytime_confidence=confidence if config.sequential else None,
            confidence=confidence,
        )
        self._warn_few_clusters()
        self._unjudged = UnjudgedDocuments(self._study_data, self.unjudged_policy, confidence)
        self._name_models(given.as_given, given.bronze)
        self._variance_models: dict[str, VarianceModel] = {}
        self._estimates_by_measure: dict[str, MeasureEstimates] = {}
        self._weights: dict[str, Floats] = {}
        self.provenance = self._provenance(given.as_given)
        if self.judge is not None:  # last: it asks the study, once it is complete, which systems the judge favors
            self.judge = self.judge.of_study(self._favor)

    def _fit_judge(self, labels: Labels, gold_relevant_from: float | None) -> Judge | None:
        """The judge by gold labels, with the cluster of each topic where clusters are sampled; None without gold."""
        given, listed = self._given, self._given.gold_list
        scale = None if listed is None else listed.scale
        # at the first measure's level of relevance; each measure cuts it again (`Judge.at_levels`)
        judge = labels.judge(
            given.gold, given.design, self.measures[0], gold_relevant_from, self.gold_rated, self.gold_list, scale
        )
        if judge is None:
            return None
        check_gold_level(judge, gold_relevant_from, scale or ())
        if CLUSTERS.name not in self.over or judge is given.gold:  # a judge that was given keeps its own groups
            return judge
        pool = None if judge.pairs is None else judge.pairs.pool
        cluster = {} if pool is None else clusters_by_topic(pool.judgments) or {}
        return replace(
            judge, groups=tuple(cluster[topic] for topic in pool.topics) if pool is not None and cluster else ()
        )

    def _warn_few_clusters(self) -> None:
        clusters = population_groups(self.over, self.topics, self.topic_units).get(CLUSTERS.name, FEW_TOPICS)
        if 1 < clusters < FEW_TOPICS:  # one is refused
            warn(
                f"with only {counted(clusters, 'cluster')}, intervals are wide and depend on how the scores are "
                "distributed; have 25 or more"
            )

    def _favor(self, system: str) -> Favor:
        favor: Favor = provided("favor_in")(self, system)
        return favor

    def _rated(self) -> Ratings:
        """How ratings become labels: those of the judgments, or of gold by its own rule."""
        ratings, gold = self.config.ratings, self.config.gold
        return replace(ratings, aggregate=gold.aggregate) if self.gold_rated and gold is not None else ratings

    def _set_reading(self, runs: RunsLike | RunsInput, measures: Sequence[Measure]) -> None:
        """How runs are read: which ranks count, and whether a topic that one lacks does."""
        self._runs_input = runs if isinstance(runs, RunsInput) else RunsInput(runs, jobs=self.jobs)
        scoring = self.config.scoring
        matching = matching_for(measures, scoring, "refuse" if self.config.sample is None else "tell")
        matching = replace(matching, shallow=())  # each measure's unjudged documents are held against its answers
        self._runs_input = replace(self._runs_input, scoring=scoring, matching=matching)

    def _keys_to_keep(self, measures: Sequence[Measure]) -> int:
        """How many document ids of each list are kept: what unjudged documents could do is told by them."""
        bounded = [m for m in measures if has_bounds(m)]
        keys = keys_in_question(bounded, [m for m in measures if not has_bounds(m)])
        return max(keys, keys_needed(measures) if "collection" in self.over else 0)

    def _check_list(self, listed: GoldList) -> None:
        """Refuse a list of gold labels that was drawn from other topics, or for other bronze labels."""
        if self.config.scoring.all_topics and self.gold_list is not None and not self.ranked.depth.all():
            raise TruegainError(
                f"{argname('all_topics')} and an ordered list of gold labels: a list is sampled from the topics that "
                f"all systems answer, and has no rows of the others; leave {argname('all_topics')} out, or sample "
                f"pairs at random ({gold_drawn('random')})"
            )
        check_bronze(listed, items_of(listed, self.ranked.pool), self.ranked.item_gain)

    def _name_models(self, judgments: JudgmentsLike, labels: Judgments) -> None:
        """Which models systems use and which one gave the labels; whether people checked these."""
        gave = labels if self.raters is None or self.gold_rated else self.raters.ratings.judgments
        model = judgments.model if isinstance(judgments, Judgments) else None
        self.system_models, self.judge_model = models_of(
            self._runs_input.models, model, self.systems, self._runs_input.runs, gave
        )
        rated = self.raters is not None and not self.gold_rated
        self.unchecked = "" if self.judge is not None else unchecked_in(gave, model, rated)

    def _provenance(self, judgments: JudgmentsLike) -> dict[str, object]:
        """How the study was made, for every answer."""
        config, gold, ratings, usual = self.config, self.config.gold, self.config.ratings, vars(Scoring())
        design = "ordered" if self.gold_list else None if self.judge is None else self.judge.design
        return {
            "truegain": __version__,
            "measures": [str(m) for m in self.measures],
            "population": sorted(self.over) or "fixed",
            "design": design,
            "sequential": config.sequential,
            "confidence": self.confidence,
            "seed": self.seed,
            "resamples": self.resamples,
            **provenance_of(
                {
                    "runs": self._runs_input.runs,
                    "judgments": judgments.labels if isinstance(judgments, RatedAnswers) else judgments,
                    "gold": None if gold is None else gold.labels,
                    "gold_relevant_from": None if gold is None else gold.relevant_from,
                    "gold_aggregate": None if gold is None else gold.aggregate,
                    "judge_model": self.judge_model,
                    "predicted": (config.sample is not None and config.sample.predicted) or None,
                    "scale": ratings.scale,
                    "normalize": ratings.normalize,
                    **{name: value for name, value in vars(config.scoring).items() if value != usual[name]},
                    "trust_judge": self.trust_judge or None,
                }
            ),
            "min_effect": self.min_effect,
            "unjudged": self.unjudged_policy,
            "aggregate": None if ratings.aggregate is None else str(ratings.aggregate),
            "unjudged_sample": None if self.unjudged_sample is None else self.unjudged_sample.size,
        }

    def _align(self, labels: Judgments, keys: int, design: str | None) -> None:
        """Runs and labels of the topics that all systems answer; of ratings those of these topics alone."""
        self.ranked, self._labels = self._runs_input.on_common_topics(labels, keys, "topics" in self.over)
        if self.raters is not None and (not self.gold_rated or is_sample(design)):
            left = raters_in(self.raters, self.topics)
            fewer = len(left.ratings) < len(self.raters.ratings)
            if fewer and not self.gold_rated and not isinstance(left, AnswerRaters):  # fit on these alone
                self.ranked, self._labels = self._runs_input.on_common_topics(left.judgments(), keys, False)
            self.raters = left
            check_units(self.raters, self.over)

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.measures))
        return f"Study({counted(len(self.systems), 'system')}, {names}; {self._population.holds_for})"

    # ------------------------------------------------------------------ what there is

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order given."""
        return self.ranked.systems

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that all systems answer."""
        return self.ranked.topics

    @property
    def of_answers(self) -> bool:
        """Whether values of answers are scored (`Items`), not ranked documents."""
        return all(isinstance(m, ItemMean) for m in self.measures)

    @property
    def inputs(self) -> tuple[Runs, JudgmentsLike]:
        """The runs of all systems, and the judgments as they were given."""
        return self._runs_input.all(self._given.bronze), self._given.as_given

    @property
    def topic_units(self) -> TopicUnits:
        """By source that holds topics, the unit that each topic belongs to, where labels tell it."""
        return self._study_data.topic_units

    @property
    def of_items(self) -> bool:
        """Whether answers are scored, as wholes or by their nuggets, not ranked documents."""
        return all(isinstance(m, OfItems) for m in self.measures)

    @property
    def is_corrected(self) -> bool:
        """Whether gold labels correct the scores."""
        return self.judge is not None

    @property
    def population(self) -> str:
        """What the answers hold for, and what they do not cover, in words."""
        return str(self._population)

    @property
    def holds_for(self) -> str:
        """For what the answers hold, in words."""
        return self._population.holds_for

    @property
    def not_covered(self) -> str:
        """What the answers do not cover, in words."""
        return self._population.not_covered

    @property
    def _population(self) -> Population:
        return self._population_of(self.measures)

    def _population_of(self, measures: Sequence[Measure]) -> Population:
        """What answers on these measures generalize to; where one of them covers less, `left_out` says so."""
        over = frozenset[SourceName]().union(*map(self._study_data.sources_for, measures))
        assessors = 0 if self.raters is None else len(self.raters)
        sample = self.unjudged_sample
        sampled = None if sample is None else (sample.size, sample.unjudged)
        groups = population_groups(over, self.topics, self.topic_units)
        repeats = len(self.raters.asked) if self.raters is not None and "replicates" in over else 0
        return Population(
            over, len(self.topics), assessors, self.judge is not None, self.gold_rated, sampled, groups,
            self.of_items, repeats, all(isinstance(m, ItemMean) and m.by_rule for m in measures),
        )  # fmt: skip

    def left_out(self, measure: MeasureLike | None = None) -> str:
        """Why a measure does not generalize to all that the study does.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        str
            A sentence; empty where it does.
        """
        m = self._measure(measure)
        return (
            ""
            if self._study_data.sources_for(m) == self.over
            else f"{m} is not generalized to other collections: {LONE}."
        )

    def variance_model(self, measure: MeasureLike | None = None) -> VarianceModel:
        """The variance of a measure by source, made when first used.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        VarianceModel
            What all answers about this measure are computed from.
        """
        m = self._measure(measure)
        if str(m) not in self._variance_models:
            self._variance_models[str(m)] = self._make_variance_model(m)
        return self._variance_models[str(m)]

    def _make_variance_model(self, m: Measure) -> VarianceModel:
        """Make the variance model of a measure; `PreferenceStudy` overrides this."""
        return self._study_data.variance_model(m)

    def _measure(self, measure: MeasureLike | None) -> Measure:
        """The measure of this study that is meant: the only one, one by its name, or one by another name of it."""
        if measure is None:
            if len(self.measures) > 1:
                raise InputError(
                    f"which measure? The study has {', '.join(map(str, self.measures))}; give {arg('measure')}"
                )
            return self.measures[0]
        if (m := next((m for m in self.measures if str(m) == str(measure)), None)) is not None:
            return m
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the study was made
            read = [at_level(a.measure, self.relevant_from) for a in measures_for(self.ranked, measures_in(measure))]
        names = {str(measure), *(str(m) for m in read)} if len(read) == 1 else ()
        if (m := next((m for m in self.measures if str(m) in names), None)) is not None:
            return m
        raise TruegainError(f"the study has no measure {measure}; it has {', '.join(map(str, self.measures))}")

    def _pair(self, a: str, b: str) -> Contrasts:
        """The difference b - a of two systems by name; refused where they are the same one."""
        contrasts = Contrasts.of([(place_of(a, self.systems), place_of(b, self.systems))])
        if a == b:
            raise TruegainError(f"{a} is compared with itself; name two systems")
        return contrasts

    def _measure_estimates(self, m: Measure) -> MeasureEstimates:
        """One for each measure: it holds the draws that rankings and adjusted p share."""
        if str(m) not in self._estimates_by_measure:
            alike = partial(ranked_alike, self.ranked, m)
            made = MeasureEstimates(self.systems, m, self.variance_model(m), self.confidence, len(self.topics), alike)
            self._estimates_by_measure[str(m)] = made
        return self._estimates_by_measure[str(m)]

    def _chosen(self, measure: MeasureLike | None) -> list[MeasureEstimates]:
        if measure is not None:
            return [self._measure_estimates(self._measure(measure))]
        return [self._measure_estimates(m) for m in self.measures if str(m) not in self.refused]

    def _answers(
        self, of: Sequence[MeasureEstimates], results: Sequence[T], contrasts: Contrasts | None = None
    ) -> ResultList[T]:
        """With what holds for all of them; contrasts: the differences, which are held against unjudged documents."""
        about_unjudged = [self._unjudged.note(x.measure, contrasts) for x in of]
        notes: list[str] = [
            note for x, about in zip(of, about_unjudged, strict=True)
            for note in (self.left_out(x.measure), x.note, "" if contrasts is None else x.difference_note, about)
            if note
        ]  # fmt: skip
        notes += [self._by_whom] if self._by_whom else []
        if len(of) == len(self.measures) - len(self.refused):  # all that can be told
            notes += [Message(f"Not estimated: {with_marks(why)}.") for why in self.refused.values()]
        population = str(self._population_of([x.measure for x in of]))
        return ResultList(tuple(results), self.provenance, (population, *dict.fromkeys(notes)))

    # ------------------------------------------------------------------ scores and differences

    def estimates(self, measure: MeasureLike | None = None) -> ResultList[Estimate]:
        """The score of every system, with its confidence interval over all sources of uncertainty.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; by default all.

        Returns
        -------
        ResultList of Estimate
            One a system and measure.
        """
        gold = ["gold"] if self.judge is not None else ["unjudged"] if self.unjudged_sample is not None else []
        chosen, results = self._chosen(measure), list[Estimate]()
        for each in chosen:
            over = ", ".join([*(s for s in populations() if s in each.variance_model.over), *gold])
            results += with_reasons(each.estimates(over), self._reasons(each.measure))
        return self._answers(chosen, results)

    def compare(
        self, a: str | None = None, b: str | None = None, measure: MeasureLike | None = None
    ) -> ResultList[Comparison]:
        """The difference b - a, or that of every pair.

        Parameters
        ----------
        a, b : str, optional
            Two systems; by default all pairs, each with its own interval, and p also adjusted for all of them.
        measure : str or Measure, optional
            The measure; by default all.

        Returns
        -------
        ResultList of Comparison
            One a pair and measure.
        """
        if (a is None) != (b is None):
            raise TruegainError("name two systems to compare, or none for all pairs")
        chosen = self._chosen(measure)
        if a is not None and b is not None:
            contrasts = self._pair(a, b)
            pair = [(each, self._unjudged.of_pair_as_matrix(each.measure, contrasts)) for each in chosen]
            results = [
                c for each, bounds in pair
                for c in with_reasons(each.widened(contrasts, bounds), self._reasons(each.measure, [a, b]))
            ]  # fmt: skip
            return self._answers(chosen, results, contrasts)
        self._check_several("a comparison")
        all_pairs = [(each, self._unjudged.of_all_pairs(each.measure)[0]) for each in chosen]
        results = [
            c for each, bounds in all_pairs
            for c in with_reasons(each.all_differences(self.seed, bounds), self._reasons(each.measure))
        ]  # fmt: skip
        return self._answers(chosen, results, Contrasts.all_pairs(len(self.systems)))

    def _check_several(self, what: str) -> None:
        if len(self.systems) < 2:
            raise TruegainError(f"{what} needs at least 2 systems; there is 1 ({self.systems[0]})")

    def best(self, measure: MeasureLike | None = None) -> Ranking:
        """Which systems may be best: tiers, and ranks with simultaneous limits.

        Any part of it is wrong in no more than 1 - confidence of studies.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        Ranking
            Best first.
        """
        self._check_several("a ranking")
        m = self._measure(measure)
        why_open = {s: reasons[0].kind for s, reasons in self._reasons(m).items() if reasons}
        bounds, unknown = self._unjudged.of_all_pairs(m)
        about = (str(self._population_of([m])), self.left_out(m), self._measure_estimates(m).note)
        notes = [note for note in (*about, self._unjudged.note_on_ranks(m), unknown) if note]
        for kind in dict.fromkeys(why_open.values()):
            names = some([s for s in why_open if why_open[s] == kind])
            notes.append(f"{kind.capitalize()}: {names}; no rank is ruled out.")
        measure_estimates, open_ = self._measure_estimates(m), np.array([s in why_open for s in self.systems])
        ranking = measure_estimates.ranking(self.seed, open_, (), bounds)
        if bounds is not None and (fewer := measure_estimates.ranking(self.seed, open_, ()).best) != ranking.best:
            notes.append(f"If unjudged documents count as not relevant, {_may_be_best(fewer, len(self.systems))}.")
        held = self._unjudged.held(m)
        return replace(
            ranking,
            notes=(*notes, *ranking.notes),
            provenance=self.provenance,
            unjudged_policy=held,
            why_open=why_open,
            first_ranks=str(self._unjudged.held_ranks(m)) if held == "first" else "",
            labels_by=self.unchecked,
        )

    # ------------------------------------------------------------------ what decides

    def shares(self, a: str, b: str, measure: MeasureLike | None = None) -> dict[str, float | None]:
        """The estimated share of each source in the variance of b - a.

        Parameters
        ----------
        a, b : str
            Two systems.
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        dict of str to float
            By source, to the nearest tenth; None where that would be 0 or 1 of several sources, which no estimate can
            tell: see `share_ranges`.
        """
        self._check_claimed(self._measure(measure), a, b)
        return {s: x.estimate for s, x in self._shares(self._measure(measure), a, b).items()}

    def share_ranges(self, a: str, b: str, measure: MeasureLike | None = None) -> dict[str, tuple[float, float]]:
        """The range of the share of each source in the variance of b - a.

        A share comes from variances of few units and is uncertain; a source that is alone has all, (1, 1).

        Parameters
        ----------
        a, b : str
            Two systems.
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        dict of str to (float, float)
            By source the range that holds its share in 9 of 10 studies; largest first.
        """
        self._check_claimed(self._measure(measure), a, b)
        return {s: (x.low, x.high) for s, x in self._shares(self._measure(measure), a, b).items()}

    def _single_look_note(self) -> str:
        """A note that intervals hold for one look only, where a list of labels is unfinished; else empty."""
        rows = self.unjudged_sample.rows if isinstance(self.unjudged_sample, UnjudgedList) else self.gold_list
        if rows is None or rows.judged == len(rows) or self.over - {"topics"}:
            return ""
        stuck = f", and {len(rows.cannot):,} could not be judged" if rows.cannot else ""
        return Message(
            f"{len(rows.labeled):,} of the list's {len(rows):,} pairs have a label{stuck}. These intervals hold "
            "for a single look, at a number of labels fixed in advance; to look again as labels come in, give "
            f"{arg('sequential', True)} from the first look on."
        )

    def _shares(self, m: Measure, a: str, b: str) -> dict[SourceName, Share]:
        if not (shares := shares_of(self.variance_model(m), self._pair(a, b), self.seed)):
            raise TruegainError(f"{b} - {a} is the same whichever unit is left out: there is no variance to divide")
        return shares

    def influential(
        self, a: str, b: str, measure: MeasureLike | None = None, most: int = 5
    ) -> dict[str, list[tuple[str, float]]]:
        """The topics, documents, gold labels and assessors that move b - a most.

        Parameters
        ----------
        a, b : str
            Two systems.
        measure : str or Measure, optional
            The measure; not needed where there is one.
        most : int, default 5
            How many of each source.

        Returns
        -------
        dict of str to list of (str, float)
            By source, each unit with how far it moves the difference from its mean.
        """
        check_count("most", most, 1)
        self._check_claimed(self._measure(measure), a, b)
        by_source = self._influential_units(self._measure(measure), self._pair(a, b), most)
        return {source: [(x.unit, x.influence) for x in units] for source, units in by_source.items()}

    def _influential_units(
        self, m: Measure, contrasts: Contrasts, most: int = 5
    ) -> dict[str, tuple[InfluentialUnit, ...]]:
        """The units that move a pair most, by source."""
        variance_model, pair = self.variance_model(m), (int(contrasts.a[0]), int(contrasts.b[0]))
        documents = (
            self._study_data.documents(m, variance_model, *pair) if "collection" in variance_model.over else None
        )
        return influential_units_of(variance_model, contrasts, documents, most)

    # ------------------------------------------------------------------ verdicts

    def verdict(
        self, a: str, b: str, measure: MeasureLike | None = None, costs: Costs = None, *,
        not_worse_by: float | None = None,
    ) -> Verdict:  # fmt: skip
        """Decide whether b is better than a, for whom, what it rests on, and what to buy next.

        Parameters
        ----------
        a, b : str
            Two systems: the baseline and the candidate.
        measure : str or Measure, optional
            The measure; not needed where there is one.
        costs : mapping of str to float, or str, optional
            Prices, for the next steps: ``{"topic": 5, "gold": 1.5, "rating": 0.1}``.
        not_worse_by : float, optional
            Decide instead whether b is worse than a by less than this, if at all (non-inferiority); for a study without
            `min_effect`.

        Returns
        -------
        Verdict
            Its `sentence` says it; `outcome`, `difference`, `low`, `high` and `p` are the numbers.

        Examples
        --------
        >>> import truegain as tg
        >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(40)}
        >>> runs = {"now": {t: {"a": 2.0, "b": 1.0} for t in qrels},
        ...         "new": {t: {"a": 2.0, "b": 1.0 + 2 * (t == "7")} for t in qrels}}
        >>> print(tg.Study(runs, qrels, "P@1").verdict("now", "new", not_worse_by=0.1).sentence)
        new is not worse than now by 0.1 or more: -0.0250 P@1, 95% CI [-0.0756, 0.0256], for topics like these 40.
        """
        # below 0: how much worse b may be
        goal = self.min_effect if not_worse_by is None else -margin_of(not_worse_by, self.min_effect)
        m, contrasts = self._measure(measure), self._pair(a, b)
        prices = prices_of(self.costs if costs is None else costs)
        if -goal >= m.bounds()[1] - m.bounds()[0]:
            raise TruegainError(
                f"{argname('not_worse_by', -goal, 'g')}: no two systems differ that much on {m}; give a smaller number"
            )
        variance_model, measure_estimates = self.variance_model(m), self._measure_estimates(m)
        planner = replace(self._planner(m), min_effect=goal)
        comparison = measure_estimates.differences(contrasts)[0]
        unjudged_bounds, unjudged_notes = self._unjudged.of_pair_over_topics(m, contrasts, variance_model)
        # a difference with a p is none of lists ranked alike, so these are not compared again
        rank_alike = comparison.p is None and measure_estimates.are_alike(int(contrasts.a[0]), int(contrasts.b[0]))
        known_equal = rank_alike and comparison.low is not None
        unchecked = bool(self.unchecked) and not self.trust_judge
        decision = decide(
            comparison, unjudged_bounds, self.unjudged_policy, goal, self._reasons(m, [a, b]), rank_alike, not unchecked
        )
        has_interval = comparison.low is not None and not variance_model.exact and not known_equal
        not_judgeable = int(variance_model.estimator.stuck(contrasts)[0])
        has_variance = has_interval and (not not_judgeable or self._has_variance(variance_model, contrasts))
        only_unjudged_open = (
            has_variance
            and not decision.reasons
            and holds_back(comparison, unjudged_bounds, self.unjudged_policy, goal)
        )
        notes = [
            EVERY_DIFFERENCE if has_variance and self.of_items and says_nothing(comparison, m.bounds()) else "",
            MORE_LABELS if only_unjudged_open else "",
            *unjudged_notes,
            *self._notes_on(m, comparison),
            *decision.notes,
            planner.until_decided(contrasts, unjudged_bounds)
            if decision.by_labels == "inconclusive" and has_interval
            else "",
        ]
        shares = shares_of(variance_model, contrasts, self.seed) if has_variance else {}
        population = self._population_of([m])
        pair_bounds = self._unjudged.as_matrix(contrasts, unjudged_bounds)
        widened = [] if pair_bounds is None else measure_estimates.widened(contrasts, pair_bounds)
        more_data_helps = has_variance and not (decision.needs_other_data or only_unjudged_open)
        return Verdict(
            comparison=with_reasons([comparison], decision.withheld)[0],
            outcome=decision.outcome,
            min_effect=self.min_effect,
            holds_for=population.holds_for,
            not_covered=population.not_covered,
            by_source=lines_of(variance_model, contrasts, m, shares, comparison),
            uncorrected=uncorrected_line(variance_model, contrasts, m, self.confidence),
            largest_source=largest_in_words(shares),
            influential=self._influential_units(m, contrasts) if has_variance else {},
            unjudged_bounds=unjudged_bounds,
            steps=self._in_words(planner.steps(contrasts, prices, unjudged_bounds)) if more_data_helps else (),
            notes=tuple(note for note in notes if note),
            reasons=decision.reasons,
            unjudged_policy=self.unjudged_policy,
            provenance=self.provenance,
            exact=variance_model.exact,
            alike=known_equal,
            widened=next(iter(with_reasons(widened, decision.withheld)), None),
            not_worse_by=not_worse_by or 0.0,
            labels_by=self.unchecked,
            by_labels=decision.by_labels if unchecked else None,
            to_check="" if not unchecked else "ordered" if m.linear_in_gains else "topics",
            not_judgeable=not_judgeable,
            sizes=self._sizes(variance_model, contrasts),
            of_answers=self.of_answers,
            of_items=self.of_items,
        )

    def _has_variance(self, variance_model: VarianceModel, contrasts: Contrasts) -> bool:
        """Whether a difference has a variance; documents that nobody could judge may leave it open without one."""
        return bool(variance_model.variance(contrasts, self.confidence).value[0])

    def _notes_on(self, m: Measure, comparison: Comparison) -> list[str]:
        """What a measure leaves out, what its scores and differences stand on, and at which looks limits hold."""
        estimates, looks = self._measure_estimates(m), ""
        if comparison.low is not None and self.variance_model(m).anytime_confidence is not None:
            looks = "Intervals are anytime-valid: they hold at every look at the growing list."
        elif comparison.low is not None:
            looks = self._single_look_note()
        unknown = who_is_unknown(self.items, self.config.gold)
        return [self.left_out(m), estimates.note, estimates.difference_note, looks, unknown]

    def _in_words(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """Steps as they are told of runs, or of answers."""
        if not self.of_items:
            return tuple(steps)
        told = []
        for step in steps:
            unit, phrase = step.unit, step.phrase
            if SOURCES[step.what].in_answers:
                unit = SOURCES[step.what].worded(True).unit
            if step.what == "replicates":
                phrase = f"{counted(step.more, f'more {unit}')} of each answer ({step.have + step.more:,} in total)"
            elif self.of_answers:
                phrase = phrase.replace("every pair", "every answer")
            told.append(replace(step, unit=unit, phrase=phrase))
        return tuple(told)

    def _sizes(self, variance_model: VarianceModel, contrasts: Contrasts) -> dict[str, str]:
        """How many units of a source there are, in words; of gold labels, how many affect a difference."""
        estimator, population = variance_model.estimator, self._population
        facts = estimator.label_facts
        unit = "sampled unjudged document" if facts.source == "unjudged" else "gold label"
        judge = self._study_data.judge
        if facts.source == "gold" and judge is not None and draws_topics(judge.design):
            unit = "gold topic"
        counts = [("topics", len(self.topics), "topic"), (facts.source, facts.counts[0], unit)]
        counts += [(s, n, SOURCES[s].unit) for s, n in population.groups.items()]
        counts += [
            ("assessors", population.assessors, SOURCES["assessors"].worded(self.of_items).unit),
            ("replicates", population.repeats if self.of_items else 0, SOURCES["replicates"].worded(True).unit),
        ]
        sizes = {source: counted(n, unit) for source, n, unit in counts if n}
        moving = None if estimator.by_rates or unit != "gold label" else estimator.label_count(contrasts)
        if moving is not None and "gold" in sizes and moving[0] < facts.counts[0]:
            affect = "affects" if moving[0] == 1 else "affect"
            sizes["gold"] = f"{counted(int(moving[0]), unit)} that {affect} this difference (of {facts.counts[0]:,})"
        return sizes

    def together(self, verdicts: Sequence[Verdict]) -> tuple[Outcome, ...]:
        """The outcomes of several claims by one measure that hold all at once.

        Each verdict by itself has the confidence of the study.  Here limits hold for all of these differences together
        (by the largest t of them, as in `best`), so that any of the outcomes is wrong in no more than 1 - confidence of
        studies.

        Parameters
        ----------
        verdicts : sequence of Verdict
            Verdicts of this study by one measure.

        Returns
        -------
        tuple of str
            One outcome each.

        Examples
        --------
        >>> import truegain as tg
        >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
        >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
        ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)},
        ...         "fair": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0} for t in range(12)}}
        >>> study = tg.Study(runs, qrels, "P@2")
        >>> study.together([study.verdict("poor", "good"), study.verdict("poor", "fair")])
        ('better', 'inconclusive')
        """
        if not verdicts:
            return ()
        if len(names := {v.comparison.measure for v in verdicts}) > 1:
            raise TruegainError(
                f"verdicts by {', '.join(sorted(names))}: claims can be tested jointly on one measure only"
            )
        estimated = [m for m in self.measures if str(m) not in self.refused]
        m = next((m for m in estimated if str(m) in names), None) or next(
            (m for m in estimated if self._measure_estimates(m).name in names), None
        )
        if m is None:
            raise TruegainError(f"the study has no measure {names.pop()}; it has {', '.join(map(str, self.measures))}")
        pairs = [(place_of(v.comparison.a, self.systems), place_of(v.comparison.b, self.systems)) for v in verdicts]
        own, all_, variance = self._measure_estimates(m).together(Contrasts.of(pairs), self.seed)
        return tuple(
            v.with_limits(float(q / alone), float(s), float(q))
            for v, alone, q, s in zip(verdicts, own, all_, variance, strict=True)
        )

    @property
    def _by_whom(self) -> str:
        """That labels are those of a model that nobody checked, in words; empty where they are not."""
        return by_unchecked(self.unchecked, ".") if self.unchecked else ""

    def _check_claimed(self, m: Measure, a: str, b: str, reasons: Sequence[Reason] = ()) -> None:
        """Raise an error where the difference has no interval or `reasons` withhold a claim, with that reason."""
        c = self._measure_estimates(m).differences(self._pair(a, b))[0]
        why = in_one(reasons) if reasons else "; ".join(map(with_marks, c.notes)) if c.low is None else ""
        if why:
            raise TruegainError(
                f"the data cannot show whether {b} is better than {a} on {c.measure}: {why}",
                remedy="compare other systems, or add what is missing",
            )

    def _reasons(self, m: Measure, systems: Sequence[str] | None = None) -> dict[str, list[Reason]]:
        """By system, why nothing is claimed of it."""
        return {system: self._reasons_of(m, system) for system in systems or self.systems}

    def _reasons_of(self, m: Measure, system: str) -> list[Reason]:
        """Why nothing is claimed of a system: ids in doubt, else unjudged top documents, else gold labels.

        The first that applies.
        """
        if doubts := [Reason(d.kind, d.why) for d in self.ranked.doubts if d.system == system]:
            return doubts
        if unjudged := self._unjudged.forbids(m, self.systems.index(system)):
            return [Reason(UNJUDGED_FIRST, unjudged)]
        own = self.judge_model is not None and is_of(self.judge_model, self.system_models.get(system, ()))
        if self.judge is None:
            return gold_reasons(system, self.judge_model if own else None, None, 0)
        estimator = self.variance_model(m).estimator
        label_counts = estimator.labels_for_rule(Contrasts.of([(None, self.systems.index(system))]))
        labels = (
            None if label_counts is None or self.gold_list is not None else int(label_counts[0])
        )  # a list: of pairs
        if own and label_counts is None and estimator.by_rates:  # rates alone: of whose documents?
            labels = 0
        return gold_reasons(
            system, self.judge_model if own else None, self.judge.design, labels, estimator.least_gold, self.of_answers
        )

    # ------------------------------------------------------------------ what to buy next

    def next_steps(
        self, a: str | None = None, b: str | None = None, measure: MeasureLike | None = None, costs: Costs = None
    ) -> Steps:
        """What more topics, gold labels or assessors would bring to b - a.

        Those that alone are enough for `min_effect` come first, and each group cheapest first.  Refused where a verdict
        is withheld.

        Parameters
        ----------
        a, b : str, optional
            Two systems; by default the two best.
        measure : str or Measure, optional
            The measure; not needed where there is one.
        costs : mapping of str to float, or str, optional
            Prices: ``{"topic": 5, "gold": 1.5, "rating": 0.1}``.

        Returns
        -------
        Steps
            What to buy, with the half-width that each would bring.
        """
        m = self._measure(measure)
        if (a is None) != (b is None):
            raise TruegainError("name two systems for the next step, or none for the two best")
        if a is None or b is None:
            self._check_several("a next step, being about a difference,")
            order = np.argsort(-self.variance_model(m).estimator.value, kind="stable")
            a, b = self.systems[order[1]], self.systems[order[0]]
        contrasts = self._pair(a, b)
        reasons = [reason for of_system in self._reasons(m, [a, b]).values() for reason in of_system]
        self._check_claimed(m, a, b, [reason for reason in reasons if reason.kind != FEW])
        unjudged_bounds, _ = self._unjudged.of_pair_over_topics(m, contrasts, self.variance_model(m))
        prices = prices_of(self.costs if costs is None else costs)
        return Steps(
            self._in_words(self._planner(m).steps(contrasts, prices, unjudged_bounds)),
            self.provenance,
            f"{b} - {a} on {m}",
        )

    def _planner(self, m: Measure) -> StepPlanner:
        """What plans the next steps of a measure; where gold pairs are drawn, by what each pair counts in the score."""
        sampled = self.judge is not None and type(self.variance_model(m).estimator) is ByGoldPairs
        weights = partial(self._weights_of, m) if sampled else None
        return StepPlanner(
            self._study_data,
            self.variance_model(m),
            self.confidence,
            self.min_effect,
            self.unjudged_policy == "bound",
            weights,
            m.bounds(),
        )

    def _weights_of(self, m: Measure) -> Floats:
        """System x pair of the pool: what the pair counts in the score; made when first asked for."""
        if str(m) not in self._weights:
            stand_in = StandIn.of(m, self.ranked)
            self._weights[str(m)] = stand_in.weights(stand_in.parts(self.ranked.item_gain, self.ranked), self.ranked)
        return self._weights[str(m)]

    def unjudged_note(self, measure: MeasureLike | None, contrasts: Contrasts) -> str:
        """That documents of some systems have no label at all.

        Parameters
        ----------
        measure : str or Measure, or None
            The measure; not needed where there is one.
        contrasts : Contrasts
            The systems.

        Returns
        -------
        str
            A sentence; empty where all have one.
        """
        return self._unjudged.left_out_note(self._measure(measure), contrasts)

    def precisions(self, contrasts: Contrasts, measure: MeasureLike | None = None) -> list[CurrentPrecision]:
        """How precise each of several differences is now.

        Parameters
        ----------
        contrasts : Contrasts
            The differences.
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        list of CurrentPrecision
            One a difference.
        """
        return self._planner(self._measure(measure)).precisions(contrasts)

    def precision(self, a: str, b: str, measure: MeasureLike | None = None) -> CurrentPrecision:
        """How precise b - a is now, and would be with more units.

        ``precision(a, b).after(assessors=3)`` is the half-width with three times as many assessors.

        Parameters
        ----------
        a, b : str
            Two systems.
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        CurrentPrecision
            The parts of its variance, and how many topics, gold labels and assessors there are.
        """
        return self._planner(self._measure(measure)).precision(self._pair(a, b))


def _may_be_best(best: tuple[str, ...], systems: int) -> str:
    """Who may be best, in a clause.

    >>> _may_be_best(("a", "b"), 8), _may_be_best(("a",), 8)
    ('2 of 8 systems may be best (a, b)', 'only a may be best')
    """
    return (
        f"only {best[0]} may be best"
        if len(best) == 1
        else f"{len(best)} of {systems} systems may be best ({some(best)})"
    )
