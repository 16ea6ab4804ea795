"""PreferenceStudy: the study's engine on comparisons of two systems, by people or by a judge with gold comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from truegain._version import __version__
from truegain.config import Gold, Resampling, Scoring, StudyConfig
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.models import GAVE, PARTLY, is_of
from truegain.data.pool import Pool, RankedGains
from truegain.data.runs import Runs
from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.columns import Bools, frozen
from truegain.io.files import PathLike
from truegain.keywords import checked_keywords
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasureLike
from truegain.message import Message, arg, argname, by_surface
from truegain.preferences.answers import PreferencePlanner, PreferencePopulation, PreferenceVerdict
from truegain.preferences.description import (
    check_half_wins,
    default_measure,
    flips_note,
    position_note,
    sign_note,
    tell_unequal,
    ties_note,
)
from truegain.preferences.estimators import ByPreferences, assessor_moves, estimator_of, with_note
from truegain.preferences.fit import ONE_ORDER, PAIRS_IN_ONE_ORDER, PairCells, pairs_in_one_order, position_is_known
from truegain.preferences.gold import (
    check_gold_people,
    check_population,
    corrected_cells,
    crossed,
    gold_config,
    on_judged,
    read_gold_votes,
    why_not_assessors,
    without_judge,
)
from truegain.preferences.measures import MEASURES, HalfWins, PreferenceMeasure, preference_measure
from truegain.preferences.table import Preferences, PreferencesLike, read_preferences
from truegain.results.base import provenance_of
from truegain.sampling.catalogue import draws_topics
from truegain.stats.contrasts import Contrasts, place_of
from truegain.stats.results import Comparison, ResultList
from truegain.study.decision import TOO_FEW, Reason, gold_reasons
from truegain.study.estimates import MeasureEstimates
from truegain.study.estimators import FEW_TOPICS, LEAST_GOLD, LEAST_TOPICS
from truegain.study.next_steps import StepPlanner
from truegain.study.reading import FIXED, sources_of
from truegain.study.settled import SettleResult
from truegain.study.study import Costs, Study
from truegain.study.study_data import Population
from truegain.study.unjudged import UnjudgedDocuments
from truegain.study.variance import CrossedSource, VarianceModel
from truegain.study.verdict import Verdict

STAND_IN = "answer"  # what the engine's own table holds: one document a system and topic
PLAN = by_surface("truegain.preferences.plan.judge_plan", "`truegain plan preferences`")
BEFORE_YOU_BUY = Message(
    "Before you buy gold comparisons: in simulations with people on a quarter of the comparisons, a judge that agrees "
    "with them on 78% makes the interval only 4-9% narrower than people alone do. "
    f"{PLAN} estimates it for other judges."
)
CHECK = Message(
    "First: have people compare some of these pairs, drawn at random, and give their preferences with "
    f"{arg('gold', python='gold= and design=')}."
)


class PreferenceStudy(Study):
    """Comparisons of two systems on topics, and what makes their scores uncertain; answers as `Study` gives them.

    Parameters
    ----------
    preferences : path-like, frame, list of dict or Preferences
        Votes on pairs of systems: see `read_preferences`.
    measures : str or list of str, optional
        'half-wins' (default where every topic has every pair of systems, in both orders or in unknown ones),
        'bradley-terry' (else), 'win-rate' or 'davidson'.
    population : str or list of str, default 'topics'
        What the answers are about: 'topics', 'assessors', or both with a comma; 'fixed' with gold, these topics only.
    gold : path-like, frame, list of dict, Preferences or Gold, optional
        People's preferences for some of the judge's comparisons.
    design : {'random', 'topics'}, optional
        How these were drawn: at random, or by whole topics.  Needed with gold, unless it is a `Gold` that says so.
    min_effect : float, default 0.0
        The smallest difference that matters.
    confidence : float, default 0.95
        Of every interval.
    resampling : Resampling, optional
        The seed.
    trust_judge : bool, default False
        Accept preferences of a model as they are, though no person checked them.
    system_models : mapping of str to str, optional
        The language models that systems use, to find a judge that may favor its own.
    tuned : bool, default True
        Whether the judge's half-wins are shrunk by how well they predict people's before gold corrects them.

    Attributes
    ----------
    preferences : Preferences
        The votes.
    gold_preferences : Preferences or None
        People's votes.
    position : bool
        Whether a column for who was shown first is part of the model.
    claims, costs, items
        As those of `Study`.

    See Also
    --------
    Study : What every method returns.

    Examples
    --------
    >>> import truegain as tg
    >>> votes = [{"topic": str(t), "a": "prod", "b": "new", "winner": "prod" if t % 4 == 0 else "new"}
    ...          for t in range(40)]
    >>> print(tg.PreferenceStudy(votes).verdict("prod", "new").sentence)
    new is better than prod: +0.5000 half-wins, 95% CI [0.2195, 0.7805], for topics like these 40.
    """

    @checked_keywords(name="PreferenceStudy")
    def __init__(
        self,
        preferences: PreferencesLike,
        measures: str | Sequence[str] | None = None,
        *,
        population: str | Sequence[str] = "topics",
        gold: Gold | PreferencesLike | None = None,
        design: str | None = None,
        min_effect: float = 0.0,
        confidence: float = 0.95,
        resampling: Resampling | None = None,
        trust_judge: bool = False,
        system_models: Mapping[str, str | Sequence[str]] | None = None,
        tuned: bool = True,
    ) -> None:
        over = sources_of(population)
        config = gold_config(gold, design)
        votes = read_preferences(preferences)
        if len(votes.systems) < 2:
            raise InputError(f"only {votes.systems[0]} is compared", file=votes.source, hint="name two systems")
        check_population(over, votes, config is not None)
        options: dict[str, Any] = {
            "min_effect": min_effect, "confidence": confidence, "resampling": resampling, "trust_judge": trust_judge,
        }  # fmt: skip
        self._compared = votes.systems
        super().__init__({}, {t: {STAND_IN: 1} for t in votes.topics}, "P@1", **options)
        if len(self.topics) < FEW_TOPICS and "topics" in over:
            warn(f"with only {len(self.topics)} topics, intervals depend on how votes are distributed; have 25 or more")
        self.config = StudyConfig(population=population, gold=config, **options)
        self.over, self.tuned = over, tuned
        self.preferences = votes.onto(self.systems, self.topics)
        self.gold_preferences: Preferences | None = None
        self._design = ""
        if config is not None:
            self.gold_preferences, self._design = read_gold_votes(config, self.preferences)
            if "assessors" in over:
                check_gold_people(self.gold_preferences)
        self._positions()
        self._measure_note = ""  # why this is the default measure, where that may surprise
        self.measures = self._chosen_measures(measures)
        self._study_data = replace(self._study_data, over=over)
        self._unjudged = UnjudgedDocuments(self._study_data, self.unjudged_policy, self.confidence)
        self._models(system_models or {})
        self._variance_models, self._estimates_by_measure = {}, {}
        self.provenance = self._made_of(preferences)
        if len(self.systems) > 2 and not all(isinstance(m, HalfWins) for m in self.measures):
            tell_unequal(self.preferences.cells())

    @classmethod
    def from_config(
        cls, preferences: PathLike | Preferences, measures: Sequence[str] | None, config: StudyConfig,
        system_models: Mapping[str, str | Sequence[str]] | None = None, model: str | None = None,
    ) -> PreferenceStudy:  # fmt: skip
        """A study by a config, as the command line has it.

        Parameters
        ----------
        preferences : path-like or Preferences
            The votes.
        measures : sequence of str or None
            The measures; None for the default.
        config : StudyConfig
            The other options; those about documents, ratings or unjudged documents are refused.
        system_models : mapping, optional
            The language models that systems use.
        model : str, optional
            The language model that voted.

        Returns
        -------
        PreferenceStudy
            The study.
        """
        refused = {
            "aggregate": config.ratings.are_aggregated,
            "unjudged_sample": config.sample is not None,
            "gold_aggregate": config.gold is not None and config.gold.aggregate is not None,
            "gold_relevant_from": config.gold is not None and config.gold.relevant_from is not None,
            "sequential": config.sequential,
            **{f.name: getattr(config.scoring, f.name) != f.default for f in fields(Scoring)},
        }
        if names := [name for name, is_set in refused.items() if is_set]:
            raise TruegainError(f"{argname(names[0])} applies to labels of documents, not to preferences; leave it out")
        return cls(
            read_preferences(preferences, model=model), measures, population=config.population, gold=config.gold,
            min_effect=config.min_effect, confidence=config.confidence, resampling=config.resampling,
            trust_judge=config.trust_judge, system_models=system_models,
        )  # fmt: skip

    # ------------------------------------------------------------------ what it is made of

    def _align(self, labels: Judgments, keys: int, design: str | None) -> None:  # noqa: ARG002
        """Set up the engine's own table, in which every system retrieves one judged document a topic."""
        pool = Pool.of(labels)
        topics, lists = len(pool), len(pool) * len(self._compared)
        if topics < LEAST_TOPICS:
            raise TruegainError(
                f"{counted(topics, 'topic')} {'is' if topics == 1 else 'are'} too few for a study; have at least "
                f"{LEAST_TOPICS}, better 50"
            )
        self.ranked = RankedGains(
            self._compared, pool, pool.labels, frozen(np.ones(lists, np.int64)), frozen(np.arange(lists + 1)),
            frozen(np.ones(lists, np.int64)), frozen(np.tile(np.arange(topics, dtype=np.int32), len(self._compared))),
        )  # fmt: skip
        self._labels = labels

    def _positions(self) -> None:
        """Whether who was shown first is a part of the model, and what must be said of it."""
        votes = self.preferences
        self.position, self._order_note = False, ""
        if votes.is_balanced:
            if not votes.first.any():
                self._order_note = "In which order the two were shown is not known."
            return
        if self.gold_preferences is not None:
            return  # people's comparisons correct what the judge makes of the order
        self.position = position_is_known(votes.cells(position=True))
        if not self.position:
            warn(f"{ONE_ORDER}; show both orders")
        elif pairs_in_one_order(votes.cells(position=True)):
            warn(f"{PAIRS_IN_ONE_ORDER}; show both orders")

    def _chosen_measures(self, measures: str | Sequence[str] | None) -> tuple[PreferenceMeasure, ...]:
        """The measures, or the default; half-wins are refused where a topic lacks a pair."""
        if measures is None:
            default, self._measure_note = default_measure(self.preferences, self.position)
            return (default,)
        names = [measures] if isinstance(measures, str) else list(measures)
        chosen = tuple(dict.fromkeys(preference_measure(name) for name in names))
        if not chosen:
            raise TruegainError(f"{argname('measures')}: give one of {', '.join(MEASURES)}")
        if any(isinstance(m, HalfWins) for m in chosen):
            check_half_wins(self.preferences.cells(), self.position)
        return chosen

    def _models(self, system_models: Mapping[str, str | Sequence[str]]) -> None:
        """Which models systems use, which one voted, and whether people checked it."""
        models = self.preferences.models
        self.system_models = {
            s: (m,) if isinstance(m, str) else tuple(m) for s, m in system_models.items() if s in self.systems
        }
        self.judge_model = models[0] if len(models) == 1 else None
        checked = not models or self.gold_preferences is not None
        votes, names = self.preferences, some(models, 3)
        if 1 < len(models) <= 3:
            names = f"{', '.join(models[:-1])} and {models[-1]}"
        of_all = f"the preferences of {names}" if len(models) > 1 else f"{names}'s preferences"
        of_some = f"preferences{PARTLY}{names}{GAVE}{votes.by_models:,} of {len(votes):,}"
        self.unchecked = "" if checked else of_all if votes.by_models == len(votes) else of_some

    def _made_of(self, preferences: object) -> dict[str, object]:
        gold, votes = self.config.gold, self.preferences
        return {
            "truegain": __version__,
            "measures": [str(m) for m in self.measures],
            "population": sorted(self.over) or FIXED,
            "design": self._design or None,
            "confidence": self.confidence,
            "seed": self.seed,
            **provenance_of({"data": preferences if not isinstance(preferences, Preferences) else votes.source}),
            **provenance_of({"gold": None if gold is None else gold.labels, "judge_model": self.judge_model}),
            "min_effect": self.min_effect,
            "votes": len(votes),
            "ties": int(votes.ties.sum()),
            "both_bad": int(votes.both_bad.sum()),
            "tuned": self.tuned if gold is not None else None,
        }

    def with_measures(self, measures: Any) -> PreferenceStudy:
        """The study with other measures of preferences.

        Parameters
        ----------
        measures : str or list of str
            Measures of preferences.

        Returns
        -------
        PreferenceStudy
            Another study of the same votes.
        """
        study = copy(self)
        study._measure_note = ""
        study.measures = study._chosen_measures(measures)
        study._variance_models, study._estimates_by_measure = {}, {}
        study.provenance = {**self.provenance, "measures": [str(m) for m in study.measures]}
        return study

    @property
    def inputs(self) -> tuple[Runs, JudgmentsLike]:
        """Refused: votes are neither runs nor judgments; `preferences` has them."""
        raise TruegainError("a PreferenceStudy has votes, not runs and judgments; take its `preferences`")

    def settle(self, *_: Any, **__: Any) -> SettleResult:
        """Refused: labels of documents settle nothing here; see `gold`.

        Parameters
        ----------
        *_, **__
            Those of `Study.settle`.

        Returns
        -------
        SettleResult
            Never.
        """
        raise TruegainError(
            "preferences cannot be settled label by label; have people compare pairs drawn at random, and give these "
            f"as {arg('gold')}"
        )

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.measures))
        return f"PreferenceStudy({counted(len(self.systems), 'system')}, {names}; {self._population.holds_for})"

    @property
    def is_corrected(self) -> bool:
        """Whether gold comparisons correct the scores."""
        return self.gold_preferences is not None

    # ------------------------------------------------------------------ what the engine asks

    def _measure(self, measure: MeasureLike | None) -> PreferenceMeasure:
        mine = [m for m in self.measures if isinstance(m, PreferenceMeasure)]
        if measure is None:
            if len(mine) > 1:
                raise InputError(f"which measure? The study has {', '.join(map(str, mine))}; give {arg('measure')}")
            return mine[0]
        parsed = preference_measure(str(measure))
        if parsed not in mine:
            raise TruegainError(f"the study has no measure {parsed}; it has {', '.join(map(str, mine))}")
        return parsed

    def _measure_estimates(self, m: Measure) -> MeasureEstimates:
        if str(m) not in self._estimates_by_measure:
            self._estimates_by_measure[str(m)] = MeasureEstimates(
                self.systems, m, self.variance_model(str(m)), self.confidence, len(self.topics)
            )
        return self._estimates_by_measure[str(m)]

    def _population_of(self, measures: Sequence[Measure]) -> Population:  # noqa: ARG002
        gold = self.gold_preferences
        people = 0 if self.preferences.models else len(self.preferences.assessors)
        if gold is not None:
            people = len(gold.assessors) if "assessors" in self.over else 0
        return PreferencePopulation(self.over, len(self.topics), people, gold is not None)

    def _make_variance_model(self, m: Measure) -> VarianceModel:
        assert isinstance(m, PreferenceMeasure)
        position = self.position and m.model != ""
        judged = self.preferences.cells(position=position)
        estimator = self._estimator(m, judged, position)
        uncorrected = estimator
        if self.gold_preferences is not None:
            try:
                uncorrected = estimator_of(judged, m)
            except TruegainError:  # a judge that gives all to one system has no strengths by itself
                uncorrected = estimator
        makers = {}
        if self.gold_preferences is not None:
            if "assessors" in self.over:
                makers["assessors"] = partial(self._gold_assessors, m, estimator, judged)
        elif self._assessors_tell(position):
            makers["assessors"] = partial(self._assessors, m, estimator, position)
        return VarianceModel(estimator, uncorrected, self.over, makers)

    def _estimator(self, m: PreferenceMeasure, judged: PairCells, position: bool) -> ByPreferences:
        if self.gold_preferences is None:
            estimator = estimator_of(judged, m, position=position)
        else:
            estimator = self._corrected(m, judged, self.gold_preferences.cells())
        return with_note(estimator, self._note(estimator))

    def _corrected(
        self, m: PreferenceMeasure, judged: PairCells, people: PairCells, by_pair: bool = True
    ) -> ByPreferences:
        """The judge's scores, corrected by people's comparisons of some cells."""
        whole = draws_topics(self._design)
        corrected, gold = corrected_cells(
            judged, on_judged(people, judged), tuned=self.tuned, whole=whole, by_pair=by_pair
        )
        return estimator_of(corrected, m, gold)

    def _note(self, estimator: ByPreferences) -> str:
        """What must be said beside every answer: ties, both bad, and who was shown first."""
        votes, corrected = self.preferences, self.gold_preferences is not None
        notes = [ties_note(votes), position_note(estimator.strengths, self.confidence)]
        notes += [self._order_note, self._measure_note, flips_note(votes, corrected)]
        gold = estimator.gold
        if gold is not None and not gold.by_pair:
            notes.append("Some pair of systems has fewer than 2 gold comparisons: all pairs share one sampling rate.")
        return " ".join(filter(None, notes))

    def _assessors_tell(self, position: bool) -> bool:
        """Whether leaving assessors out says something; where they are asked for this was checked."""
        if "assessors" in self.over:
            return True
        votes = self.preferences
        if why_not_assessors(votes):
            return False
        kept = (weights > 0 for weights in crossed(votes).left_out())
        return not position or all(position_is_known(votes.cells(position=True, kept=some)) for some in kept)

    def _assessors(self, m: PreferenceMeasure, whole: ByPreferences, position: bool) -> CrossedSource:
        votes, people = self.preferences, crossed(self.preferences)
        kept: list[Bools] = [weights > 0 for weights in people.left_out()]

        def left_out(code: int) -> ByPreferences:
            return estimator_of(votes.cells(position=position, kept=kept[code]), m, position=position)

        return CrossedSource(*assessor_moves(votes.assessors, whole, left_out))

    def _gold_assessors(self, m: PreferenceMeasure, whole: ByPreferences, judged: PairCells) -> CrossedSource:
        """Each assessor's gold votes left out in turn: a comparison that nobody else made is then no gold.

        Where a pair then has too little gold for a share of its own, all moves are those with one share for all pairs.
        """
        people = self.gold_preferences
        assert people is not None

        def left_out(code: int, by_pair: bool = True) -> ByPreferences:
            try:
                return self._corrected(m, judged, people.cells(kept=people.assessor != code), by_pair)
            except TruegainError as error:
                raise TruegainError(
                    f"without the gold votes of {people.assessors[code]}: {error}; leave 'assessors' out of "
                    f"{argname('population')}, or have more comparisons voted on by others"
                ) from None

        without = [left_out(code) for code in range(len(people.assessors))]
        if not all(some.gold is not None and some.gold.by_pair for some in without):
            without = [left_out(code, by_pair=False) for code in range(len(people.assessors))]
            whole = self._corrected(m, judged, people.cells(), by_pair=False)
        return CrossedSource(*assessor_moves(people.assessors, whole, without.__getitem__))

    def _reasons_of(self, m: Measure, system: str) -> list[Reason]:
        uses = self.system_models.get(system, ())
        model = next((m for m in self.preferences.models if is_of(m, uses)), None)  # any of a panel
        if self.gold_preferences is None:
            return gold_reasons(system, model, None, 0)
        estimator = self.variance_model(str(m)).estimator
        assert isinstance(estimator, ByPreferences)
        assert estimator.gold is not None
        if estimator.label_facts.exact:  # all comparisons are gold: the judge does not count
            return []
        label_counts = int(estimator.gold_by_system[self.systems.index(system)])
        unit = "topics" if estimator.gold.whole else "comparisons"
        if model is not None and label_counts < LEAST_GOLD:
            return gold_reasons(system, model, self._design, label_counts)
        if label_counts >= LEAST_GOLD:
            return []
        return [Reason(TOO_FEW, f"{system} is in {label_counts} of the gold {unit}, and {LEAST_GOLD} are needed")]

    def _sizes(self, variance_model: VarianceModel, contrasts: Contrasts) -> dict[str, str]:
        sizes = super()._sizes(variance_model, contrasts)
        if "gold" in sizes:
            unit = "gold topic" if draws_topics(self._design) else "gold comparison"
            sizes["gold"] = sizes["gold"].replace("gold label", unit)
        return sizes

    def _planner(self, m: Measure) -> StepPlanner:
        planner = super()._planner(m)
        votes, gold = self.preferences, self.gold_preferences
        voted = gold if gold is not None else votes
        people = 0 if voted.models or (gold is not None and "assessors" not in self.over) else len(voted.assessors)
        whole = len(votes.cells().topic) / len(self.topics) if draws_topics(self._design or None) else 0.0
        return PreferencePlanner(
            **{f.name: getattr(planner, f.name) for f in fields(StepPlanner)}, people=people,
            votes=round(len(voted) / people) if people else 0, whole_topics=whole,
        )  # fmt: skip

    # ------------------------------------------------------------------ verdicts, and a page of all answers

    def compare_with(self, baseline: str, measure: MeasureLike | None = None) -> ResultList[Comparison]:
        """The difference of every other system from one.

        Parameters
        ----------
        baseline : str
            The system to compare with.
        measure : str or Measure, optional
            The measure; by default all.

        Returns
        -------
        ResultList of Comparison
            One a system and measure, each with an interval of its own.
        """
        place_of(baseline, self.systems, "baseline")
        answers = [self.compare(baseline, s, measure) for s in self.systems if s != baseline]
        return ResultList.joined(answers)

    def verdict(
        self, a: str, b: str, measure: MeasureLike | None = None, costs: Costs = None, *,
        not_worse_by: float | None = None,
    ) -> Verdict:  # fmt: skip
        """Decide whether b is better than a: see `Study.verdict`.

        Parameters
        ----------
        a, b : str
            Two systems: the baseline and the candidate.
        measure : str or Measure, optional
            The measure; not needed where there is one.
        costs : mapping of str to float, or str, optional
            Prices, for the next steps.
        not_worse_by : float, optional
            Decide instead whether b is worse than a by less than this, if at all.

        Returns
        -------
        Verdict
            Its `sentence` says it.
        """
        verdict = super().verdict(a, b, measure, costs, not_worse_by=not_worse_by)
        notes = [*verdict.notes]
        if self.gold_preferences is not None:
            notes.append(self._gold_note(self._measure(measure), self._pair(a, b)))
        elif self.unchecked and not self.trust_judge:
            notes.append(CHECK)
        if verdict.low is None and not verdict.reasons and (by_sign := self._by_sign(a, b)):
            notes.append(by_sign)
        notes += [BEFORE_YOU_BUY] if self.unchecked else []
        made = replace(verdict, to_check="", notes=tuple(notes))
        return PreferenceVerdict(**{f.name: getattr(made, f.name) for f in fields(Verdict)})

    def _by_sign(self, a: str, b: str) -> str:
        if self.gold_preferences is not None or "topics" not in self.over:
            return ""
        return sign_note(self.preferences.cells(), a, b)

    def _gold_note(self, m: PreferenceMeasure, pair: Contrasts) -> str:
        """How well the judge agrees with people, and what that brings."""
        estimator = self.variance_model(str(m)).estimator
        assert isinstance(estimator, ByPreferences)
        gold = estimator.gold
        assert gold is not None
        agrees = (
            f"The judge agrees with people on {gold.agreement:.0%} of {counted(gold.untied, 'gold comparison')} that "
            "neither calls a tie"
            if gold.untied
            else "No gold comparison shows whether the judge agrees with people"
        )
        people = self.gold_preferences
        assert people is not None
        judged = self.preferences.cells()
        try:
            cells, alone = corrected_cells(without_judge(judged), on_judged(people.cells(), judged))
            widths = [float(x.over_topics(pair).value[0]) for x in (estimator, estimator_of(cells, m, alone))]
        except TruegainError:  # gold alone has no finite strengths
            return f"{agrees}."
        if not widths[1] > 0:
            return f"{agrees}."
        change = 1 - (widths[0] / widths[1]) ** 0.5
        narrower = f"{change:.0%} narrower than" if change >= 0.005 else "no narrower than"
        return f"{agrees}; with the judge, the interval over topics is {narrower} with the gold comparisons alone."
