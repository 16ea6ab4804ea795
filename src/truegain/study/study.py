"""Study: runs, judgments and measures, and what was sampled; every question is a contrast of the same influences."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from truegain._version import __version__
from truegain.config import Gold, Ratings, Resampling, Scoring, StudyConfig, Unjudged, UnjudgedSample
from truegain.data.id_matching import FEW
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.label_lists import GoldList
from truegain.data.models import by_unchecked, is_of, models_of, unchecked_in
from truegain.data.pool import RankedGains
from truegain.data.runs import RunsLike
from truegain.errors import InputError, TruegainError, some
from truegain.io.columns import Floats
from truegain.io.warnings import counted
from truegain.judge_error.judge import Judge
from truegain.judge_error.panel import GoldLike
from truegain.keywords import takes
from truegain.measures.base import Measure
from truegain.measures.parse import MeasureLike, MeasuresLike, measures_in, parse_measures
from truegain.measures.scoring import at_level, matching_for, measures_for
from truegain.message import Message, arg, argname, with_marks
from truegain.pooling.bounds import is_known
from truegain.pooling.pools import keys_in_question
from truegain.results.provenance import told
from truegain.sampling.catalogue import SOURCES, draws_topics, is_sample, population_groups, populations
from truegain.sampling.source import SourceName
from truegain.stats.contrasts import Contrasts, place_of
from truegain.stats.other_collections import keys_needed
from truegain.stats.results import Comparison, Estimate, ResultList
from truegain.stats.student_t import check_confidence
from truegain.study.assessors import Raters
from truegain.study.config import (
    LEAST_RESAMPLES,
    RESAMPLES,
    RunsInput,
    check_config,
    check_raters,
    check_units,
    count_of,
    margin_of,
    raters_in,
    raters_of,
    sources_of,
)
from truegain.study.estimates import MeasureEstimates, Ranking, ranked_alike
from truegain.study.estimators import ByGoldPairs
from truegain.study.gold import Labels, listed_in, refused_of
from truegain.study.gold_lists import StandIn, check_bronze, items_of
from truegain.study.next_steps import Buying, Steps
from truegain.study.precision import CurrentPrecision, prices_of
from truegain.study.self_preference import MORE_LABELS, borrowed, in_one, marked
from truegain.study.study_data import LONE, Population, StudyData
from truegain.study.unjudged import UnjudgedDocuments
from truegain.study.unjudged_sample import HoleList, HoleSample
from truegain.study.variance import (
    InfluentialUnit,
    Share,
    VarianceModel,
    influential_units_of,
    largest_in_words,
    lines_of,
    uncorrected_line,
)
from truegain.study.verdict import SETTLED, Outcome, Verdict, could_move, decided, holds_back

# ---- What can be asked of a study: every question is a contrast of the same moves.

T = TypeVar("T", Estimate, Comparison)
Costs = Mapping[str, float] | str | None


class Questions:
    """The answers of a study: scores, differences, rankings, verdicts, and what to buy next.

    Of several measures, `estimates` and `compare` answer for all; what is about one takes `measure`.
    """

    config: StudyConfig
    over: frozenset[SourceName]
    ranked: RankedGains
    measures: tuple[Measure, ...]
    refused: Mapping[str, str]  # measures that the gold labels cannot set right, and why
    relevant_from: float | None
    raters: Raters | None
    judge: Judge | None
    gold_rated: bool
    gold_list: GoldList | None
    unjudged_sample: HoleSample | HoleList | None
    confidence: float
    seed: int
    min_effect: float
    unjudged_policy: str
    system_models: Mapping[str, tuple[str, ...]]
    judge_model: str | None
    unchecked: str  # whose labels these are, where a model gave them and there is no gold; in words
    trust_judge: bool
    provenance: dict[str, object]
    claims: tuple[tuple[str, str], ...] = ()  # pairs (a, b) that a study file asks about: is b better than a?
    costs: Costs = None  # prices where a question names none
    _study_data: StudyData
    _given: RunsInput
    _labels: Judgments
    _variance_models: dict[str, VarianceModel]
    _estimates_by_measure: dict[str, MeasureEstimates]
    _weights: dict[str, Floats]
    _unjudged: UnjudgedDocuments

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
        """Of what some measures are told for; what is left out for one of several is told beside it."""
        over = frozenset[SourceName]().union(*map(self._study_data.spoken_of, measures))
        assessors = 0 if self.raters is None else len(self.raters)
        sample = self.unjudged_sample
        sampled = None if sample is None else (sample.size, sample.holes)
        groups = population_groups(over, self.topics)
        return Population(over, len(self.topics), assessors, self.judge is not None, self.gold_rated, sampled, groups)

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
            if self._study_data.spoken_of(m) == self.over
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
            self._variance_models[str(m)] = self._study_data.variance_model(m)
        return self._variance_models[str(m)]

    def _measure(self, measure: MeasureLike | None) -> Measure:
        if measure is None:
            if len(self.measures) > 1:
                raise InputError(
                    f"which measure? The study has {', '.join(map(str, self.measures))}; give {arg('measure')}"
                )
            return self.measures[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the study was made
            read = [at_level(a.measure, self.relevant_from) for a in measures_for(self.ranked, measures_in(measure))]
        names = {str(measure), *(str(m) for m in read)} if len(read) == 1 else ()
        if (found := next((m for m in self.measures if str(m) in names), None)) is not None:
            return found
        raise TruegainError(f"the study has no measure {measure}; it has {', '.join(map(str, self.measures))}")

    def _pair(self, a: str, b: str) -> Contrasts:
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
        self, of: Sequence[MeasureEstimates], found: Sequence[T], contrasts: Contrasts | None = None
    ) -> ResultList[T]:
        """With what holds for all of them; contrasts: the differences, which are held against unjudged documents."""
        holes = [self._unjudged.said(x.measure, contrasts) for x in of]
        notes: list[str] = [
            said for x, about in zip(of, holes, strict=True)
            for said in (self.left_out(x.measure), x.note, "" if contrasts is None else x.of_pairs, about) if said
        ]  # fmt: skip
        notes += [self._by_whom] if self._by_whom else []
        if len(of) == len(self.measures) - len(self.refused):  # all that can be told
            notes += [Message(f"Not estimated: {with_marks(why)}.") for why in self.refused.values()]
        population = str(self._population_of([x.measure for x in of]))
        return ResultList(tuple(found), self.provenance, (population, *dict.fromkeys(notes)))

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
        gold = ["gold"] if self.judge is not None else ["holes"] if self.unjudged_sample is not None else []
        chosen, found = self._chosen(measure), []
        for each in chosen:
            over = ", ".join([*(s for s in populations() if s in each.variance_model.over), *gold])
            found += marked(each.estimates(over), self._lent(each.measure))
        return self._answers(chosen, found)

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
            pair = [(each, self._unjudged.bounds_of_pair(each.measure, contrasts)) for each in chosen]
            found = [
                one for each, bounds in pair
                for one in marked(each.widened(contrasts, bounds), self._lent(each.measure, [a, b]))
            ]  # fmt: skip
            return self._answers(chosen, found, contrasts)
        self._check_several("a comparison")
        all_pairs = [(each, self._unjudged.bounds_of(each.measure)[0]) for each in chosen]
        found = [
            one for each, bounds in all_pairs
            for one in marked(each.all_differences(self.seed, bounds), self._lent(each.measure))
        ]  # fmt: skip
        return self._answers(chosen, found, Contrasts.all_pairs(len(self.systems)))

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
        lent = {s: said[0] for s, said in self._lent(m).items() if said}
        bounds, unknown = self._unjudged.bounds_of(m)
        about = (str(self._population_of([m])), self.left_out(m), self._measure_estimates(m).note)
        notes = [note for note in (*about, self._unjudged.said_of_ranks(m), unknown) if note]
        for why in dict.fromkeys(said.partition(":")[0] for said in lent.values()):
            names = some([s for s, said in lent.items() if said.startswith(why)])
            notes.append(f"{why.capitalize()}: {names}; no rank is ruled out.")
        measure_estimates, open_ = self._measure_estimates(m), np.array([s in lent for s in self.systems])
        found = measure_estimates.ranking(self.seed, open_, (), bounds)
        if bounds is not None and (fewer := measure_estimates.ranking(self.seed, open_, ()).best) != found.best:
            notes.append(f"If unjudged documents count as not relevant, {_may_be_best(fewer, len(self.systems))}.")
        kinds = {s: said.partition(":")[0] for s, said in lent.items()}
        held = self._unjudged.held(m)
        return replace(
            found, notes=(*notes, *found.notes), provenance=self.provenance, unjudged_policy=held, why_open=kinds,
            first_ranks=str(self._unjudged.held_ranks(m)) if held == "first" else "", labels_by=self.unchecked,
        )  # fmt: skip

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
        return {s: (x.low, x.high) for s, x in self._shares(self._measure(measure), a, b).items()}

    def _growing(self) -> str:
        """How often one may look at a list that is not judged to its end; nothing where there is none."""
        listed = self.unjudged_sample.rows if isinstance(self.unjudged_sample, HoleList) else self.gold_list
        if listed is None or listed.judged == len(listed) or self.over - {"topics"}:
            return ""
        stuck = f", and {len(listed.cannot):,} could not be judged" if listed.cannot else ""
        return Message(
            f"{len(listed.labelled):,} of the list's {len(listed):,} pairs have a label{stuck}. These intervals hold "
            "for a single look, at a number of labels fixed in advance; to look again as labels come in, give "
            f"{arg('sequential', True)} from the first look on."
        )

    def _shares(self, m: Measure, a: str, b: str) -> dict[SourceName, Share]:
        self._check_told(m, a, b)
        if not (found := self.variance_model(m).shares(self._pair(a, b), self.seed)):
            raise TruegainError(f"{b} - {a} is the same whichever unit is left out: there is no variance to divide")
        return found

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
        count_of("most", most, 1)
        self._check_told(self._measure(measure), a, b)
        found = self._influential_units(self._measure(measure), self._pair(a, b), most)
        return {
            source: [(pull.unit, pull.influence) for pull in influential_units]
            for source, influential_units in found.items()
        }

    def _influential_units(
        self, m: Measure, contrasts: Contrasts, most: int = 5
    ) -> dict[str, tuple[InfluentialUnit, ...]]:
        """The units that pull a pair most, by source."""
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
        least = self.min_effect if not_worse_by is None else -margin_of(not_worse_by, self.min_effect)
        m, contrasts, prices = (
            self._measure(measure),
            self._pair(a, b),
            prices_of(self.costs if costs is None else costs),
        )
        if -least >= m.bounds()[1] - m.bounds()[0]:
            raise TruegainError(
                f"{argname('not_worse_by', -least, 'g')}: no two systems differ that much on {m}; give a smaller number"
            )
        variance_model, measure_estimates, next_steps = (
            self.variance_model(m),
            self._measure_estimates(m),
            replace(self._next_steps(m), min_effect=least),
        )
        comparison = measure_estimates.differences(contrasts)[0]
        unjudged_bounds, notes = self._unjudged.hidden_limits(m, contrasts, variance_model)
        notes += [note for note in (self.left_out(m), measure_estimates.note, measure_estimates.of_pairs) if note]
        if variance_model.looks is not None and comparison.low is not None:
            notes.append("Intervals are anytime-valid: they hold at every look at the growing list.")
        elif comparison.low is not None and (growing := self._growing()):
            notes.append(growing)
        of_systems = self._lent(m, [a, b])
        said = decided(comparison, unjudged_bounds, self.unjudged_policy, least)
        few = [why for reasons in of_systems.values() for why in reasons if why.startswith(FEW)]
        if few and said == "inconclusive":  # as it is, which says more
            notes += [f"{why[0].upper()}{why[1:]}." for why in few]
            of_systems = {s: [why for why in reasons if why not in few] for s, reasons in of_systems.items()}
        lent = (*of_systems[a], *of_systems[b])
        stuck = [why for why in lent if why not in few]  # judging what is unjudged helps
        safe = least < 0 and comparison.low is None and could_move(unjudged_bounds, self.unjudged_policy)[0] > least
        if safe and measure_estimates.are_alike(int(contrasts.a[0]), int(contrasts.b[0])):  # nothing changed
            said = "not worse"
        said = "inconclusive" if lent else said
        doubted = bool(self.unchecked) and not self.trust_judge
        outcome = "unchecked" if doubted and said in SETTLED else said
        sure = comparison.low is not None and comparison.p is None
        alike = sure and measure_estimates.are_alike(int(contrasts.a[0]), int(contrasts.b[0]))
        cannot = int(variance_model.estimator.stuck(contrasts)[0])
        known = comparison.low is not None and not variance_model.exact and not alike
        if said == "inconclusive" and known and (more := next_steps.until_decided(contrasts, unjudged_bounds)):
            notes.append(more)
        if (
            cannot and known and not variance_model.spread(contrasts, self.confidence).variance[0]
        ):  # only these leave it open
            known = False
        held = known and not lent and holds_back(comparison, unjudged_bounds, self.unjudged_policy, least)
        if held:
            notes.insert(0, MORE_LABELS)
        shares = self._shares(m, a, b) if known else {}
        population = self._population_of([m])
        widened = self._unjudged.widened(measure_estimates, contrasts, unjudged_bounds)
        buys = known and not (stuck or held)
        return Verdict(
            comparison=marked([comparison], of_systems)[0],
            outcome=outcome,
            min_effect=self.min_effect,
            holds_for=population.holds_for,
            not_covered=population.not_covered,
            by_source=lines_of(variance_model, contrasts, m, shares, comparison),
            uncorrected=uncorrected_line(variance_model, contrasts, self.confidence),
            largest_source=largest_in_words(shares),
            influential=self._influential_units(m, contrasts) if known else {},
            unjudged_bounds=unjudged_bounds,
            steps=tuple(next_steps.steps(contrasts, prices, unjudged_bounds)) if buys else (),
            notes=tuple(notes),
            withheld=lent,
            unjudged_policy=self.unjudged_policy,
            provenance=self.provenance,
            exact=variance_model.exact,
            alike=alike,
            widened=None if widened is None else marked([widened], of_systems)[0],
            not_worse_by=not_worse_by or 0.0,
            labels_by=self.unchecked,
            by_labels=said if doubted else None,
            to_check="" if not doubted else "ordered" if m.linear_in_gains else "topics",
            not_judgeable=cannot,
            sizes=self._sizes(variance_model, contrasts),
        )

    def _sizes(self, variance_model: VarianceModel, contrasts: Contrasts) -> dict[str, str]:
        """How many units of a source there are, in words; of gold labels, how many affect a difference."""
        estimator, population = variance_model.estimator, self._population
        about = estimator.about
        unit = "sampled unjudged document" if about.source == "holes" else "gold label"
        judge = self._study_data.judge
        if about.source == "gold" and judge is not None and draws_topics(judge.design):
            unit = "gold topic"
        counts = [("topics", len(self.topics), "topic"), (about.source, about.counts[0], unit)]
        counts += [(s, n, SOURCES[s].unit) for s, n in population.groups.items()]
        counts += [("assessors", population.assessors, "assessor")]
        sizes = {source: f"{n:,} {unit}{'' if n == 1 else 's'}" for source, n, unit in counts if n}
        touching = None if estimator.by_rates or unit != "gold label" else estimator.touching(contrasts)
        if touching is not None and "gold" in sizes and touching[0] < about.counts[0]:
            sizes["gold"] = f"{touching[0]:,} gold labels that affect this difference (of {about.counts[0]:,})"
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
        told = [m for m in self.measures if str(m) not in self.refused]
        m = next((m for m in told if str(m) in names), None) or next(
            (m for m in told if self._measure_estimates(m).name in names), None
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

    def _lent(self, m: Measure, systems: Sequence[str] | None = None) -> dict[str, list[str]]:
        """Why nothing can be claimed of each system: ids in doubt, possible self-preference, or too few gold labels."""
        return {s: self._borrowed(m, s) for s in systems or self.systems}

    def _check_told(self, m: Measure, a: str, b: str, lent: Sequence[str] = ()) -> None:
        """Refuse numbers about a difference that a verdict gives no interval, in its words; lent: or no claim."""
        found = self._measure_estimates(m).differences(self._pair(a, b))[0]
        why = in_one(lent) if lent else "; ".join(map(with_marks, found.notes)) if found.low is None else ""
        if why:
            raise TruegainError(f"the data cannot show whether {b} is better than {a} on {found.measure}: {why}")

    def _borrowed(self, m: Measure, system: str) -> list[str]:
        if doubts := [str(d) for d in self.ranked.doubts if d.system == system]:
            return doubts
        if open_ := self._unjudged.open_of(m, self.systems.index(system)):
            return open_
        own = self.judge_model is not None and is_of(self.judge_model, self.system_models.get(system, ()))
        if self.judge is None:
            return borrowed(system, self.judge_model if own else None, None, 0)
        estimator = self.variance_model(m).estimator
        touching = estimator.touching(Contrasts.of([(None, self.systems.index(system))]))
        labels = None if touching is None or self.gold_list is not None else int(touching[0])  # a list: of pairs
        if own and touching is None and estimator.by_rates:  # rates alone: of whose documents?
            labels = 0
        return borrowed(system, self.judge_model if own else None, self.judge.design, labels, estimator.least_gold)

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
        lent = [why for said in self._lent(m, [a, b]).values() for why in said if not why.startswith(FEW)]
        self._check_told(m, a, b, lent)
        unjudged_bounds, _ = self._unjudged.hidden_limits(m, contrasts, self.variance_model(m))
        prices = prices_of(self.costs if costs is None else costs)
        return Steps(
            tuple(self._next_steps(m).steps(contrasts, prices, unjudged_bounds)), self.provenance, f"{b} - {a} on {m}"
        )

    def _next_steps(self, m: Measure) -> Buying:
        sampled = self.judge is not None and type(self.variance_model(m).estimator) is ByGoldPairs
        weights = partial(self._weights_of, m) if sampled else None
        return Buying(
            self._study_data,
            self.variance_model(m),
            self.confidence,
            self.min_effect,
            self.unjudged_policy == "bound",
            weights,
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
        return self._unjudged.not_asked_for(self._measure(measure), contrasts)

    def standings(self, contrasts: Contrasts, measure: MeasureLike | None = None) -> list[CurrentPrecision]:
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
        return self._next_steps(self._measure(measure)).standings(contrasts)

    def standing(self, a: str, b: str, measure: MeasureLike | None = None) -> CurrentPrecision:
        """How precise b - a is now, and would be with more units.

        ``standing(a, b).after(assessors=3)`` is the half-width with three times as many assessors.

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
        return self._next_steps(self._measure(measure)).standing(self._pair(a, b))


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


# ---- Study: runs, judgments and measures, and what was sampled; every question is a contrast of the same moves.


class Study(Questions):
    """Runs, judgments and measures, and what makes their scores uncertain: the one engine behind all answers.

    Parameters
    ----------
    runs : path-like, list of path-like, frame, mapping or Runs
        The runs of two or more systems (one is enough for `estimates`).
    judgments : path-like, frame, mapping or Judgments
        Relevance labels; with `ratings`, ratings by several assessors.
    measures : str or list of str
        Measures, such as 'nDCG@10' or ['P@10', 'AP'].
    population : str or list of str, default 'topics'
        What the answers are about: 'topics' (topics like these), 'collection' (other collections of the same kind),
        'assessors' (assessors like these; needs `ratings`), 'replicates' (the same judge asked again, with
        ``Ratings(repeated='all')``), several with commas; or 'fixed', these topics only.
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
        Which labels are relevant, which topics count, how ties are broken.
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
    unjudged_sample : HoleSample, HoleList or None
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

    @takes(name="Study")
    def __init__(
        self,
        runs: RunsLike | RunsInput,
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
        self.unjudged_policy = config.unjudged if isinstance(config.unjudged, str) else "bound"
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
        self._study_data = StudyData(
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
        self._unjudged = UnjudgedDocuments(self._study_data, self.unjudged_policy, confidence)
        self._name_models(judgments, labels)
        self._variance_models: dict[str, VarianceModel] = {}
        self._estimates_by_measure, self._weights = {}, {}
        self.provenance = self._told(judgments)

    @classmethod
    def configured(
        cls, runs: RunsLike | RunsInput, judgments: JudgmentsLike, measures: MeasuresLike, config: StudyConfig
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
        return cls(runs, judgments, measures, **{f.name: getattr(config, f.name) for f in fields(config)})

    def _rated(self) -> Ratings:
        """How ratings become labels: those of the judgments, or of gold by its own rule."""
        ratings, gold = self.config.ratings, self.config.gold
        return replace(ratings, aggregate=gold.aggregate) if self.gold_rated and gold is not None else ratings

    def _read_as(self, runs: RunsLike | RunsInput, measures: Sequence[Measure]) -> None:
        """How runs are read: which ranks count, and whether a topic that one lacks does."""
        self._given = runs if isinstance(runs, RunsInput) else RunsInput(runs, jobs=self.jobs)
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
                f"{argname('all_topics')} and an ordered list of gold labels: a list is sampled from the topics that "
                f"all systems answer, and has no rows of the others; leave {argname('all_topics')} out, or sample "
                f"pairs at random ({arg('design', 'random')})"
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
            "unjudged": self.unjudged_policy,
            "aggregate": None if ratings.aggregate is None else str(ratings.aggregate),
            "unjudged_sample": None if self.unjudged_sample is None else self.unjudged_sample.size,
        }

    def _align(self, labels: Judgments, keys: int, design: str | None) -> None:
        """Runs and labels of the topics that all systems answer; of ratings those of these topics alone."""
        self.ranked, self._labels = self._given.aligned(labels, keys, "topics" in self.over)
        if self.raters is not None and (not self.gold_rated or is_sample(design)):
            left = raters_in(self.raters, self.topics)
            if not self.gold_rated and len(left.ratings) < len(self.raters.ratings):  # fit on these alone
                self.ranked, self._labels = self._given.aligned(left.judgments(), keys, False)
            self.raters = left
            check_units(self.raters, self.over)
