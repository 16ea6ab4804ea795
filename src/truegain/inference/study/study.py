"""Study: runs, judgments and measures, and what was sampled; every question is a contrast of the same moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from truegain._version import __version__
from truegain.config import Gold, Ratings, Resampling, Scoring, StudyConfig, Unjudged, UnjudgedSample
from truegain.errors import TruegainError
from truegain.gains.judge import Judge
from truegain.gains.panel import GoldLike
from truegain.inference.collection.expansion import keys_needed
from truegain.inference.holes.extremes import is_known
from truegain.inference.holes.filled import keys_in_question
from truegain.inference.study.checks import (
    LEAST_RESAMPLES,
    RESAMPLES,
    check_config,
    check_raters,
    check_units,
    count_of,
    sources_of,
)
from truegain.inference.study.given import Given, raters_in, raters_of
from truegain.inference.study.lattice import Lattice
from truegain.inference.study.listed import check_bronze, items_of
from truegain.inference.study.making import refused_of
from truegain.inference.study.material import Material
from truegain.inference.study.models import models_of
from truegain.inference.study.questions import Questions
from truegain.inference.study.trusted import Labels, listed_in
from truegain.inference.study.unjudged import UnjudgedDocuments
from truegain.keywords import takes
from truegain.made_by import told
from truegain.measures.base import Measure
from truegain.measures.direct import measures_for
from truegain.measures.evaluate import at_level, matching_for
from truegain.measures.parse import MeasuresLike, parse_measures
from truegain.message import arg, argname
from truegain.sampling.designs import SAME_POPULATION, Design
from truegain.student import check_confidence
from truegain.tables.gold_list import GoldList
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.models_used import unchecked_in


class Study(Questions):
    """Runs, judgments and measures, and what makes their scores uncertain: the one engine behind all answers.

    Parameters
    ----------
    runs : path, frame, mapping or Runs
        The runs of two or more systems (one is enough for `estimates`).
    judgments : path, frame, mapping or Judgments
        Relevance labels; with `ratings`, ratings by several assessors.
    measures : str or list of str
        Measures, such as 'nDCG@10' or ['P@10', 'AP'].
    population : str or list of str
        What the answers are about: 'topics' (topics like these), 'collection' (other collections of the same kind),
        'assessors' (assessors like these; needs `ratings`), 'replicates' (the same judge asked again, with
        ``Ratings(repeated='all')``), several with commas; or 'fixed', these topics only.
    gold : Gold or path, optional
        Trusted labels of some of the judged pairs, which correct the scores.
    unjudged : {'bound', 'non-relevant'}, UnjudgedSample or path
        'bound' holds a verdict back where unjudged documents could turn it; 'non-relevant' counts them as not relevant;
        labels of a random sample of them stand for the others, and nothing is held back.
    ratings : Ratings or str, optional
        The judgments are ratings, and how they become labels.
    min_effect : float
        The smallest difference that matters.
    confidence : float
        Of every interval.
    scoring : Scoring, optional
        Which labels are relevant, which topics count, how ties are broken.
    resampling : Resampling, optional
        How many resamples, the seed, and how many processes.
    trust_judge : bool
        Take labels that a model gave (see `read_judgments`) for decided, though no person checked them.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
    ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
    >>> print(tg.Study(runs, qrels, "P@2").verdict("poor", "good").sentence)
    good is better than poor: +0.3333 P@2, 95% CI [0.1769, 0.4898], for topics like these 12.
    """

    @takes(name="Study")
    def __init__(
        self,
        runs: RunsLike | Given,
        judgments: JudgmentsLike,
        measures: MeasuresLike,
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
        config = StudyConfig(**keywords)
        self.config, self.over = config, sources_of(population)
        self.confidence, self.min_effect, self.trust_judge = (
            check_confidence(confidence),
            config.min_effect,
            trust_judge,
        )
        self.resamples = count_of("resamples", config.resampling.n or RESAMPLES, LEAST_RESAMPLES)
        self.seed, self.jobs = config.resampling.seed, config.resampling.jobs
        self.holes = config.unjudged if isinstance(config.unjudged, str) else "bound"
        check_config(config, self.over)
        trusted, design, listed = listed_in(config.gold)
        self.gold_list = listed if listed is not None and listed.design == "ordered" else None
        self.gold_rated = config.gold is not None and config.gold.aggregate is not None
        self.raters = raters_of(trusted if self.gold_rated else judgments, self._rated())
        check_raters(self.raters, self.over)
        aggregated = None if self.raters is None else self.raters.judgments()
        labels = Judgments.of(judgments) if aggregated is None or self.gold_rated else aggregated
        trusted = aggregated if self.gold_rated else trusted
        named = parse_measures(measures)
        self._read_as(runs, [a.measure for a in named])
        self._align(labels, self._keys([a.measure for a in named]), design)
        self.relevant_from = config.scoring.relevant_from
        self.measures = tuple(at_level(a.measure, self.relevant_from) for a in measures_for(self.ranked, named))
        drawn = trusted.design if isinstance(trusted, Judge) else design
        self.refused = refused_of(self.measures, drawn, self.gold_list is not None)
        if listed is not None:
            self._check_list(listed)
        within = Labels(labels, self._labels, self.topics)
        gold_relevant_from = None if config.gold is None else config.gold.relevant_from
        self.judge = within.judge(
            trusted, design, self.measures[0], gold_relevant_from, self.gold_rated, self.gold_list
        )
        sample = config.sample
        self.unjudged_sample = None if sample is None else within.sample(sample, self._given, self.measures)
        self._material = Material(
            self.over,
            self.ranked,
            self.raters,
            self.judge,
            gold_relevant_from,
            self.resamples,
            self.seed,
            self.gold_rated,
            self.unjudged_sample,
            self.gold_list,
            confidence if config.sequential else None,
            confidence,
        )
        self._unjudged = UnjudgedDocuments(self._material, self.holes, confidence)
        self._name_models(judgments, labels)
        self._lattices: dict[str, Lattice] = {}
        self._answerings, self._weights = {}, {}
        self.made_by = self._told(judgments)

    @classmethod
    def configured(
        cls, runs: RunsLike | Given, judgments: JudgmentsLike, measures: MeasuresLike, config: StudyConfig
    ) -> Study:
        """A study by a config, as functions and files have it."""
        return cls(runs, judgments, measures, **{f.name: getattr(config, f.name) for f in fields(config)})

    def _rated(self) -> Ratings:
        """How ratings become labels: those of the judgments, or of gold by its own rule."""
        ratings, gold = self.config.ratings, self.config.gold
        return replace(ratings, aggregate=gold.aggregate) if self.gold_rated and gold is not None else ratings

    def _read_as(self, runs: RunsLike | Given, measures: Sequence[Measure]) -> None:
        """How runs are read: which ranks count, and whether a topic that one lacks does."""
        self._given = runs if isinstance(runs, Given) else Given(runs, jobs=self.jobs)
        matching = matching_for(measures, Scoring(), "refuse" if self.config.sample is None else "tell")
        matching = replace(matching, shallow=())  # each measure's unjudged documents are held against its answers
        self._given = replace(self._given, complete=self.config.scoring.all_topics, matching=matching)

    def _keys(self, measures: Sequence[Measure]) -> int:
        """How many document ids of each list are kept: what unjudged documents could do is told by them."""
        known = [m for m in measures if is_known(m)]
        keys = keys_in_question(known, [m for m in measures if not is_known(m)])
        return max(keys, keys_needed(measures) if "collection" in self.over else 0)

    def _check_list(self, listed: GoldList) -> None:
        """Refuse a list of gold labels that was drawn from other topics, or for other bronze labels."""
        if self.config.scoring.all_topics and self.gold_list is not None and not self.ranked.depth.all():
            raise TruegainError(
                f"{argname('all_topics')} and an ordered list of gold labels: a list is drawn from the topics that all "
                f"systems answer, and has no rows of the others; leave {argname('all_topics')} out, or draw pairs at "
                f"random ({arg('design', 'random')})"
            )
        check_bronze(listed, items_of(listed, self.ranked.pool), self.ranked.item_gain)

    def _name_models(self, judgments: JudgmentsLike, labels: Judgments) -> None:
        """Which models systems use and which one gave the labels; whether people checked these."""
        gave = labels if self.raters is None or self.gold_rated else self.raters.ratings.judgments
        model = judgments.model if isinstance(judgments, Judgments) else None
        self.system_models, self.judge_model = models_of(
            self._given.models, model, self.systems, self._given.runs, gave
        )
        rated = self.raters is not None and not self.gold_rated
        self.unchecked = "" if self.judge is not None else unchecked_in(gave, model, rated)

    def _told(self, judgments: JudgmentsLike) -> dict[str, object]:
        """How the study was made, for every answer."""
        config, gold, ratings = self.config, self.config.gold, self.config.ratings
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
            **told(
                {
                    "runs": self._given.runs,
                    "judgments": judgments,
                    "gold": None if gold is None else gold.labels,
                    "gold_relevant_from": None if gold is None else gold.relevant_from,
                    "gold_aggregate": None if gold is None else gold.aggregate,
                    "judge_model": self.judge_model,
                    "predicted": (config.sample is not None and config.sample.predicted) or None,
                    "scale": ratings.scale,
                    "normalize": ratings.normalize,
                    "relevant_from": self.relevant_from,
                    "all_topics": config.scoring.all_topics or None,
                    "trust_judge": self.trust_judge or None,
                }
            ),
            "min_effect": self.min_effect,
            "unjudged": self.holes,
            "aggregate": None if ratings.aggregate is None else str(ratings.aggregate),
            "unjudged_sample": None if self.unjudged_sample is None else self.unjudged_sample.size,
        }

    def _align(self, labels: Judgments, keys: int, design: Design | None) -> None:
        """Runs and labels of the topics that all systems answer; of ratings those of these topics alone."""
        self.ranked, self._labels = self._given.aligned(labels, keys, "topics" in self.over)
        if self.raters is not None and (not self.gold_rated or design in SAME_POPULATION):
            left = raters_in(self.raters, self.topics)
            if not self.gold_rated and len(left.ratings) < len(self.raters.ratings):  # fit on these alone
                self.ranked, self._labels = self._given.aligned(left.judgments(), keys, False)
            self.raters = left
            check_units(self.raters, self.over)
