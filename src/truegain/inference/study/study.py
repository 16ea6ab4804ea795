"""Study: runs, judgments and measures, and what was sampled; every question is a contrast of the same moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, Unpack

from truegain._version import __version__
from truegain.errors import TruegainError, check_one_of
from truegain.gains.catalogue import FitWords
from truegain.gains.judge import Judge
from truegain.gains.panel import GoldLike
from truegain.inference.collection.expansion import keys_needed
from truegain.inference.holes.extremes import is_known
from truegain.inference.holes.filled import keys_in_question
from truegain.inference.study.checks import (
    LEAST_REPLICATES,
    TopicsAs,
    check_labels,
    check_rated,
    check_raters,
    check_sampled,
    check_units,
    count_of,
    smallest_of,
    sources_of,
)
from truegain.inference.study.given import Given, raters_in, raters_of
from truegain.inference.study.lattice import Lattice
from truegain.inference.study.listed import check_bronze, items_of
from truegain.inference.study.making import refused_of
from truegain.inference.study.material import Material
from truegain.inference.study.models import Uses, models_of
from truegain.inference.study.questions import Questions
from truegain.inference.study.trusted import Labels, listed_in
from truegain.inference.study.unjudged import UnjudgedDocuments
from truegain.inference.study.words import HolesAs
from truegain.keywords import takes
from truegain.made_by import told
from truegain.measures.direct import measures_for
from truegain.measures.evaluate import Options, at_level, matching_for
from truegain.measures.parse import MeasuresLike, parse_measures
from truegain.message import arg, argname
from truegain.sampling.designs import SAME_POPULATION, Design
from truegain.student import check_confidence
from truegain.tables.gold_list import GoldList
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.models_used import unchecked_in
from truegain.tables.ratings import Outside, Repeated
from truegain.tables.read import NameBy
from truegain.tables.scale import Scale


class Study(Questions):
    """Runs, judgments and measures, and the population that the answers are about; all else by keyword.

    generalise_to: for what the answers shall hold: 'topics' (topics like these), 'collection' (other collections of
    the same kind), 'assessors' (assessors like these; judgments are then ratings), 'replicates' (the same judge asked
    again, with repeated='all'); a list, or with commas; what is not named is held fixed.
    topics: 'fixed': these topics only; 'sampled': what generalise_to says, by default topics like these.
    gold, design: trusted labels of some pairs and how they were drawn (see `tg.correct`), which set the scores right.
    rule, scale, normalise, repeated, outside: how ratings become gains (see `tg.to_gains`).
    gold_rule: the gold labels are ratings by several assessors, made one by this rule; 'assessors' then means these.
    uses: the model, or models, behind each system, such as {"dense": "gpt-4o"} (or a column `model` of the runs), and
    `judge_model` that behind the judgments (or their column `model`): a system of the judge's own model is judged by
    itself.  Without gold nobody checked such a judge, and what its labels decide is 'unchecked', unless `trust_judge`.
    complete: all judged topics count, one that a run lacks as 0 (trec_eval -c); else those that all systems answer.
    smallest: the smallest gain that matters.
    holes: 'bound' holds a verdict back where unjudged documents could turn it; 'non-relevant' counts them as such.
    hole_sample: labels of a random sample of the unjudged documents of all runs, down to the deepest cutoff of the
    measures, which must be linear in gain: they then stand for the other unjudged ones, and nothing is held back.
    It may be a list that `tg.hole_list` drew, with labels down to some row: it knows its chances, and fill='predicted'
    says so too: unjudged documents count as predicted, and the labels set that right.
    gold may be a list that `tg.gold_list` drew, with labels down to some row: it knows its design.
    anytime: intervals hold at every look at a growing list, however often; wider than those of one look.

    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
    ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
    >>> print(tg.Study(runs, qrels, "P@2").verdict("poor", "good").sentence)
    good is better than poor: +0.3333 P@2 [0.1769, 0.4898], for topics like these 12.
    """

    @takes(FitWords, name="Study")
    def __init__(
        self,
        runs: RunsLike | Given,
        judgments: JudgmentsLike,
        measures: MeasuresLike,
        *,
        # for whom
        generalise_to: str | Sequence[str] | None = None,
        topics: TopicsAs = "sampled",
        smallest: float = 0.0,
        confidence: float = 0.95,
        # trusted labels, and what the judge shares with systems
        gold: GoldLike | None = None,
        design: Design | None = None,
        gold_level: float | None = None,
        gold_rule: str | None = None,
        uses: Uses | None = None,
        judge_model: str | None = None,
        trust_judge: bool = False,
        # unjudged documents
        holes: HolesAs = "bound",
        hole_sample: JudgmentsLike | GoldList | None = None,
        fill: str | None = None,
        # looking many times
        anytime: bool = False,
        # ratings
        rule: str | None = None,
        scale: Scale | str | None = None,
        normalise: str | None = None,
        repeated: Repeated = "error",
        outside: Outside = "error",
        # reading, scoring, drawing
        level: float | None = None,
        complete: bool = False,
        name_by: NameBy = "file",
        replicates: int = 1000,
        seed: int = 0,
        jobs: int | None = None,
        **rule_parameters: Unpack[FitWords],
    ) -> None:
        self.over = sources_of(generalise_to, topics)
        self.confidence, self.seed, self.jobs = check_confidence(confidence), count_of("seed", seed, 0), jobs
        self.smallest, self.holes = smallest_of(smallest), holes
        self.replicates = count_of("replicates", replicates, LEAST_REPLICATES)
        check_one_of("holes", holes, ("bound", "non-relevant"))
        gold_given = gold
        gold, design, listed = listed_in(gold, design)
        self.gold_list = listed if listed is not None and listed.design == "ordered" else None
        check_labels(gold, design, gold_level, hole_sample, self.over, topics)
        check_rated(gold, rule, normalise, gold_rule)
        check_sampled(hole_sample, gold, rule or normalise, self.over, self.holes, fill)
        self.gold_rated = gold_rule is not None
        rated: Any = gold if self.gold_rated else judgments
        chosen = gold_rule if self.gold_rated else rule
        self.raters = raters_of(rated, chosen, scale, normalise, repeated, outside, rule_parameters)
        check_raters(self.raters, self.over)
        asked = parse_measures(measures)
        given = None if self.raters is None else self.raters.judgments()
        labels = Judgments.of(judgments) if given is None or self.gold_rated else given
        gold = given if self.gold_rated else gold
        each = [a.measure for a in asked]
        known = [m for m in each if is_known(m)]
        keys = keys_in_question(known, [m for m in each if not is_known(m)])  # what holes could do is told by them
        keys = max(keys, keys_needed(each) if "collection" in self.over else 0)
        self._given = runs if isinstance(runs, Given) else Given(runs, name_by, jobs)
        matching = matching_for(each, Options(), "refuse" if hole_sample is None else "tell")
        matching = replace(matching, shallow=())  # each measure's unjudged documents are held against its answers
        self._given = replace(self._given, complete=complete, matching=matching)
        self._align(labels, keys, design)
        self.level, self.measures = level, tuple(at_level(a.measure, level) for a in measures_for(self.ranked, asked))
        drawn = gold.design if isinstance(gold, Judge) else design
        self.refused = refused_of(self.measures, drawn, self.gold_list is not None)
        if complete and self.gold_list is not None and not self.ranked.depth.all():
            raise TruegainError(
                f"{argname('complete')} and an ordered list of gold labels: a list is drawn from the topics that all "
                f"systems answer, and has no rows of the others; leave {argname('complete')} out, or draw pairs at "
                f"random ({arg('design', 'random')})"
            )
        if listed is not None:
            check_bronze(listed, items_of(listed, self.ranked.pool), self.ranked.item_gain)
        within = Labels(labels, self._labels, self.topics)
        self.judge = within.judge(gold, design, self.measures[0], gold_level, self.gold_rated, self.gold_list)
        self.hole_sample = None if hole_sample is None else within.sample(hole_sample, self._given, self.measures, fill)
        self._material = Material(
            self.over, self.ranked, self.raters, self.judge, gold_level, replicates, seed, self.gold_rated,
            self.hole_sample, self.gold_list, confidence if anytime else None, confidence,
        )  # fmt: skip
        self._unjudged = UnjudgedDocuments(self._material, self.holes, confidence)
        gave = labels if self.raters is None or self.gold_rated else self.raters.ratings.judgments
        judge_model = None if judge_model is None else judge_model.strip() or None  # an empty name is none
        self.uses, self.judge_model = models_of(uses, judge_model, self.systems, self._given.runs, gave)
        rated = self.raters is not None and not self.gold_rated
        self.unchecked = "" if self.judge is not None else unchecked_in(gave, judge_model, rated)
        self.trust_judge = trust_judge
        self._lattices: dict[str, Lattice] = {}
        self._answerings, self._weights = {}, {}
        self.made_by: dict[str, object] = {
            "truegain": __version__, "measures": [str(m) for m in self.measures], "generalise_to": sorted(self.over),
            "design": "ordered" if self.gold_list else None if self.judge is None else self.judge.design,
            "anytime": anytime, "confidence": confidence, "seed": seed, "replicates": replicates,
            **told({"runs": self._given.runs, "judgments": judgments, "gold": gold_given, "gold_level": gold_level,
                    "gold_rule": gold_rule, "judge_model": self.judge_model, "fill": fill, "scale": scale,
                    "normalise": normalise, "level": level, "complete": complete or None, "topics": topics,
                    "trust_judge": trust_judge or None,
                    **rule_parameters}),
            "smallest": smallest, "holes": holes, "rule": rule,
            "hole_sample": None if self.hole_sample is None else self.hole_sample.size,
        }  # fmt: skip

    def _align(self, labels: Judgments, keys: int, design: Design | None) -> None:
        """Runs and labels of the topics that all systems answer; of ratings those of these topics alone."""
        self.ranked, self._labels = self._given.aligned(labels, keys, "topics" in self.over)
        if self.raters is not None and (not self.gold_rated or design in SAME_POPULATION):
            left = raters_in(self.raters, self.topics)
            if not self.gold_rated and len(left.ratings) < len(self.raters.ratings):  # fit on these alone
                self.ranked, self._labels = self._given.aligned(left.judgments(), keys, False)
            self.raters = left
            check_units(self.raters, self.over)


DEFAULTS_OF_STUDY = {p.name: p.default for p in signature(Study).parameters.values() if p.default is not p.empty}
