"""What can be asked of a study: every question is a contrast of the same moves."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from truegain.config import StudyConfig
from truegain.contrasts import Contrasts, place_of
from truegain.errors import InputError, TruegainError, some
from truegain.gains.judge import Judge
from truegain.inference.results import Answers, Comparison, Estimate
from truegain.inference.study.alike import ranked_alike
from truegain.inference.study.answers import Answering
from truegain.inference.study.borrowed import MORE_LABELS, borrowed, in_one, marked
from truegain.inference.study.buying import Buying
from truegain.inference.study.checks import count_of, margin_of
from truegain.inference.study.evidence import ByGoldPairs
from truegain.inference.study.given import Given
from truegain.inference.study.hole_list import HoleList
from truegain.inference.study.hole_sample import HoleSample
from truegain.inference.study.lattice import Lattice, Share, largest_in_words
from truegain.inference.study.lines import Pull, lines_of, naive_line, pulls_of
from truegain.inference.study.listed import StandIn
from truegain.inference.study.material import LONE, Material
from truegain.inference.study.models import is_of
from truegain.inference.study.next_steps import Standing, prices_of
from truegain.inference.study.population import Population
from truegain.inference.study.ranking import Ranking
from truegain.inference.study.raters import Raters
from truegain.inference.study.rule import SETTLED, Outcome, could_move, decided, holds_back
from truegain.inference.study.steps import Steps
from truegain.inference.study.unjudged import UnjudgedDocuments
from truegain.inference.study.verdict import Verdict
from truegain.measures.base import Measure
from truegain.measures.direct import measures_for
from truegain.measures.evaluate import at_level
from truegain.measures.parse import MeasureLike, measures_in
from truegain.message import Message, arg, argname, with_marks
from truegain.sampling.catalogue import POPULATIONS
from truegain.sampling.designs import DESIGNS
from truegain.sampling.source import SourceName
from truegain.tables.columns import Floats
from truegain.tables.gold_list import GoldList
from truegain.tables.judgments import Judgments
from truegain.tables.matched import FEW
from truegain.tables.models_used import by_unchecked
from truegain.tables.ranked import RankedGains

T = TypeVar("T", Estimate, Comparison)
Costs = Mapping[str, float] | str | None


class Questions:
    """What a study is made of, and its answers: scores, differences, verdicts, what to buy next.

    Of several measures, `estimates` and `compare` answer for all that can be told; what is about one asks for
    `measure`.
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
    holes: str
    system_models: Mapping[str, tuple[str, ...]]
    judge_model: str | None
    unchecked: str  # whose labels these are, where a model gave them and there is no gold; in words
    trust_judge: bool
    made_by: dict[str, object]
    claims: tuple[tuple[str, str], ...] = ()  # pairs (a, b) that a study file asks about: is b better than a?
    costs: Costs = None  # prices where a question names none
    _material: Material
    _given: Given
    _labels: Judgments
    _lattices: dict[str, Lattice]
    _answerings: dict[str, Answering]
    _weights: dict[str, Floats]
    _unjudged: UnjudgedDocuments

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.measures))
        return f"Study({len(self.systems)} systems, {names}; {self._population.holds_for})"

    # ------------------------------------------------------------------ what there is

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, as given."""
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
        return self._population.held_fixed

    @property
    def _population(self) -> Population:
        return self._population_of(self.measures)

    def _population_of(self, measures: Sequence[Measure]) -> Population:
        """Of what some measures are told for; what is left out for one of several is told beside it."""
        over = frozenset[SourceName]().union(*map(self._material.spoken_of, measures))
        assessors = 0 if self.raters is None else len(self.raters)
        sample = self.unjudged_sample
        sampled = None if sample is None else (sample.size, sample.holes)
        return Population(over, len(self.topics), assessors, self.judge is not None, self.gold_rated, sampled)

    def left_out(self, measure: MeasureLike | None = None) -> str:
        """Why a measure is not told for all that the study speaks of, in words; empty where it is."""
        m = self._measure(measure)
        return (
            "" if self._material.spoken_of(m) == self.over else f"{m} is not generalized to other collections: {LONE}."
        )

    def lattice(self, measure: MeasureLike | None = None) -> Lattice:
        """What a measure stands on; made when first asked for."""
        m = self._measure(measure)
        if str(m) not in self._lattices:
            self._lattices[str(m)] = self._material.lattice(m)
        return self._lattices[str(m)]

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
        asked = Contrasts.of([(place_of(a, self.systems), place_of(b, self.systems))])
        if a == b:
            raise TruegainError(f"{a} is compared with itself; name two systems")
        return asked

    def _answering(self, m: Measure) -> Answering:
        """One for each measure: it holds the draws that rankings and adjusted p share."""
        if str(m) not in self._answerings:
            alike = partial(ranked_alike, self.ranked, m)
            made = Answering(self.systems, m, self.lattice(m), self.confidence, len(self.topics), alike)
            self._answerings[str(m)] = made
        return self._answerings[str(m)]

    def _chosen(self, measure: MeasureLike | None) -> list[Answering]:
        if measure is not None:
            return [self._answering(self._measure(measure))]
        return [self._answering(m) for m in self.measures if str(m) not in self.refused]

    def _answers(self, of: Sequence[Answering], found: Sequence[T], asked: Contrasts | None = None) -> Answers[T]:
        """With what holds for all of them; asked: the differences, which are held against unjudged documents."""
        holes = [self._unjudged.said(x.measure, asked) for x in of]
        notes: list[str] = [
            said for x, about in zip(of, holes, strict=True)
            for said in (self.left_out(x.measure), x.note, "" if asked is None else x.of_pairs, about) if said
        ]  # fmt: skip
        notes += [self._by_whom] if self._by_whom else []
        if len(of) == len(self.measures) - len(self.refused):  # all that can be told
            notes += [Message(f"Not estimated: {with_marks(why)}.") for why in self.refused.values()]
        population = str(self._population_of([x.measure for x in of]))
        return Answers(tuple(found), self.made_by, (population, *dict.fromkeys(notes)))

    # ------------------------------------------------------------------ scores and differences

    def estimates(self, measure: MeasureLike | None = None) -> Answers[Estimate]:
        """The score of every system with its interval, by all that was sampled."""
        gold = ["gold"] if self.judge is not None else ["holes"] if self.unjudged_sample is not None else []
        chosen, found = self._chosen(measure), []
        for each in chosen:
            over = ", ".join([*(s for s in POPULATIONS if s in each.lattice.over), *gold])
            found += marked(each.estimates(over), self._lent(each.measure))
        return self._answers(chosen, found)

    def compare(
        self, a: str | None = None, b: str | None = None, measure: MeasureLike | None = None
    ) -> Answers[Comparison]:
        """The difference b - a; or that of every pair, each with an interval of its own and p also adjusted for all."""
        if (a is None) != (b is None):
            raise TruegainError("name two systems to compare, or none for all pairs")
        chosen = self._chosen(measure)
        if a is not None and b is not None:
            asked = self._pair(a, b)
            pair = [(each, self._unjudged.bounds_of_pair(each.measure, asked)) for each in chosen]
            found = [
                one for each, bounds in pair
                for one in marked(each.widened(asked, bounds), self._lent(each.measure, [a, b]))
            ]  # fmt: skip
            return self._answers(chosen, found, asked)
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
        """Which systems may be best, tiers and ranks with limits; wrong anywhere in no more than 1 - confidence."""
        self._check_several("a ranking")
        m = self._measure(measure)
        lent = {s: said[0] for s, said in self._lent(m).items() if said}
        bounds, unknown = self._unjudged.bounds_of(m)
        about = (str(self._population_of([m])), self.left_out(m), self._answering(m).note)
        notes = [note for note in (*about, self._unjudged.said_of_ranks(m), unknown) if note]
        for why in dict.fromkeys(said.partition(":")[0] for said in lent.values()):
            names = some([s for s, said in lent.items() if said.startswith(why)])
            notes.append(f"{why.capitalize()}: {names}; no rank is ruled out.")
        answering, open_ = self._answering(m), np.array([s in lent for s in self.systems])
        found = answering.ranking(self.seed, open_, (), bounds)
        if bounds is not None and (fewer := answering.ranking(self.seed, open_, ()).best) != found.best:
            notes.append(f"If unjudged documents count as not relevant, {_may_be_best(fewer, len(self.systems))}.")
        kinds = {s: said.partition(":")[0] for s, said in lent.items()}
        held = self._unjudged.held(m)
        return replace(
            found, notes=(*notes, *found.notes), made_by=self.made_by, holes=held, why_open=kinds,
            held=str(self._unjudged.held_ranks(m)) if held == "first" else "", labels_by=self.unchecked,
        )  # fmt: skip

    # ------------------------------------------------------------------ what decides

    def shares(self, a: str, b: str, measure: MeasureLike | None = None) -> dict[str, float | None]:
        """The estimated share of each source in the variance of b - a, to the nearest tenth; see `share_ranges`.

        None where of several sources that would be 0 or 1, which no estimate tells: there the range says what is known.
        """
        return {s: x.estimate for s, x in self._shares(self._measure(measure), a, b).items()}

    def share_ranges(self, a: str, b: str, measure: MeasureLike | None = None) -> dict[str, tuple[float, float]]:
        """Between what the share of each source in the variance of b - a lies, in 9 of 10 studies; largest first.

        A share comes from variances of few units, and is a guess: with one source alone it is all, (1, 1).
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
        if not (found := self.lattice(m).shares(self._pair(a, b), self.seed)):
            raise TruegainError(f"{b} - {a} is the same whichever unit is left out: there is no variance to divide")
        return found

    def decisive(
        self, a: str, b: str, measure: MeasureLike | None = None, most: int = 5
    ) -> dict[str, list[tuple[str, float]]]:
        """Which topics, documents, gold labels and assessors move b - a most, and how far each moves it."""
        count_of("most", most, 1)
        self._check_told(self._measure(measure), a, b)
        found = self._pulls(self._measure(measure), self._pair(a, b), most)
        return {source: [(pull.unit, pull.move) for pull in pulls] for source, pulls in found.items()}

    def _pulls(self, m: Measure, asked: Contrasts, most: int = 5) -> dict[str, tuple[Pull, ...]]:
        """The units that pull a pair most, by source."""
        lattice, pair = self.lattice(m), (int(asked.a[0]), int(asked.b[0]))
        documents = self._material.documents(m, lattice, *pair) if "collection" in lattice.over else None
        return pulls_of(lattice, asked, documents, most)

    # ------------------------------------------------------------------ verdicts

    def verdict(
        self, a: str, b: str, measure: MeasureLike | None = None, costs: Costs = None, *,
        not_worse_by: float | None = None,
    ) -> Verdict:  # fmt: skip
        """Whether b is better than a, for whom, what decides it, and what to buy next.

        not_worse_by: whether b is worse than a by less than this, if at all (non-inferiority), in place of whether it
        is better; for a study without a smallest gain.

        >>> import truegain as tg
        >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(40)}
        >>> runs = {"now": {t: {"a": 2.0, "b": 1.0} for t in qrels},
        ...         "new": {t: {"a": 2.0, "b": 1.0 + 2 * (t == "7")} for t in qrels}}
        >>> print(tg.Study(runs, qrels, "P@1").verdict("now", "new", not_worse_by=0.1).sentence)
        new is not worse than now by 0.1 or more: -0.0250 P@1, 95% CI [-0.0756, 0.0256], for topics like these 40.
        """
        least = self.min_effect if not_worse_by is None else -margin_of(not_worse_by, self.min_effect)
        m, asked, prices = self._measure(measure), self._pair(a, b), prices_of(self.costs if costs is None else costs)
        if -least >= m.bounds()[1] - m.bounds()[0]:
            raise TruegainError(
                f"{argname('not_worse_by', -least, 'g')}: no two systems differ that much on {m}; give a smaller number"
            )
        lattice, answering, buying = self.lattice(m), self._answering(m), replace(self._buying(m), min_effect=least)
        comparison = answering.differences(asked)[0]
        hidden, notes = self._unjudged.hidden_limits(m, asked, lattice)
        notes += [note for note in (self.left_out(m), answering.note, answering.of_pairs) if note]
        if lattice.looks is not None and comparison.low is not None:
            notes.append("Intervals are anytime-valid: they hold at every look at the growing list.")
        elif comparison.low is not None and (growing := self._growing()):
            notes.append(growing)
        of_systems = self._lent(m, [a, b])
        said = decided(comparison, hidden, self.holes, least)
        few = [why for reasons in of_systems.values() for why in reasons if why.startswith(FEW)]
        if few and said == "inconclusive":  # as it is, which says more
            notes += [f"{why[0].upper()}{why[1:]}." for why in few]
            of_systems = {s: [why for why in reasons if why not in few] for s, reasons in of_systems.items()}
        lent = (*of_systems[a], *of_systems[b])
        stuck = [why for why in lent if why not in few]  # judging what is unjudged helps
        safe = least < 0 and comparison.low is None and could_move(hidden, self.holes)[0] > least
        if safe and answering.are_alike(int(asked.a[0]), int(asked.b[0])):  # nothing changed
            said = "not worse"
        said = "inconclusive" if lent else said
        doubted = bool(self.unchecked) and not self.trust_judge
        outcome = "unchecked" if doubted and said in SETTLED else said
        sure = comparison.low is not None and comparison.p is None
        alike = sure and answering.are_alike(int(asked.a[0]), int(asked.b[0]))
        cannot = int(lattice.evidence.stuck(asked)[0])
        known = comparison.low is not None and not lattice.exact and not alike
        if said == "inconclusive" and known and (more := buying.until_decided(asked, hidden)):
            notes.append(more)
        if cannot and known and not lattice.spread(asked, self.confidence).variance[0]:  # only these leave it open
            known = False
        held = known and not lent and holds_back(comparison, hidden, self.holes, least)
        if held:
            notes.insert(0, MORE_LABELS)
        shares = self._shares(m, a, b) if known else {}
        population = self._population_of([m])
        widened = self._unjudged.widened(answering, asked, hidden)
        return Verdict(
            marked([comparison], of_systems)[0], outcome, self.min_effect, population.holds_for, population.held_fixed,
            lines_of(lattice, asked, m, shares, comparison), naive_line(lattice, asked, self.confidence),
            largest_in_words(shares), self._pulls(m, asked) if known else {},
            hidden, tuple(buying.steps(asked, prices, hidden)) if known and not (stuck or held) else (), tuple(notes),
            lent, self.holes, self.made_by, lattice.exact, alike,
            None if widened is None else marked([widened], of_systems)[0],
            not_worse_by or 0.0, self.unchecked, said if doubted else None,
            "" if not doubted else "ordered" if m.linear_in_gains else "topics",
            cannot, self._sizes(lattice),
        )  # fmt: skip

    def _sizes(self, lattice: Lattice) -> dict[str, str]:
        """How many units of a source there are, in words."""
        about, people = lattice.evidence.about, self._population.assessors
        unit = "sampled unjudged document" if about.source == "holes" else "gold label"
        judge = self._material.judge
        if about.source == "gold" and judge is not None and DESIGNS[judge.design].whole:
            unit = "gold topic"
        counts = [("topics", len(self.topics), "topic"), (about.source, about.counts[0], unit)]
        counts += [("assessors", people, "assessor")]
        return {source: f"{n:,} {unit}{'' if n == 1 else 's'}" for source, n, unit in counts if n}

    def together(self, verdicts: Sequence[Verdict]) -> tuple[Outcome, ...]:
        """What can be said of several claims by one measure all at once; each verdict is at its level by itself.

        The same rule, with limits that hold all of these differences together (the largest t of them, as in `best`), so
        that anything wrong is said in no more than 1 - confidence of studies, however many claims there are.

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
            raise TruegainError(f"verdicts by {', '.join(sorted(names))}: claims are held together by one measure")
        told = [m for m in self.measures if str(m) not in self.refused]
        m = next((m for m in told if str(m) in names), None) or next(
            (m for m in told if self._answering(m).name in names), None
        )
        if m is None:
            raise TruegainError(f"the study has no measure {names.pop()}; it has {', '.join(map(str, self.measures))}")
        pairs = [(place_of(v.comparison.a, self.systems), place_of(v.comparison.b, self.systems)) for v in verdicts]
        own, all_, variance = self._answering(m).together(Contrasts.of(pairs), self.seed)
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
        found = self._answering(m).differences(self._pair(a, b))[0]
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
        evidence = self.lattice(m).evidence
        touching = evidence.touching(Contrasts.of([(None, self.systems.index(system))]))
        labels = None if touching is None or self.gold_list is not None else int(touching[0])  # a list: of pairs
        if own and touching is None and evidence.by_rates:  # rates alone: of whose documents?
            labels = 0
        return borrowed(system, self.judge_model if own else None, self.judge.design, labels, evidence.least_gold)

    # ------------------------------------------------------------------ what to buy next

    def next_steps(
        self, a: str | None = None, b: str | None = None, measure: MeasureLike | None = None, costs: Costs = None
    ) -> Steps:
        """What more topics, gold or assessors would bring to b - a (or to the two best).

        Those that alone are enough for the smallest gain that matters come first, and each group cheapest first.
        Refused where a verdict lists none: calibration is borrowed, or too few gold labels touch the difference.
        """
        m = self._measure(measure)
        if (a is None) != (b is None):
            raise TruegainError("name two systems for the next step, or none for the two best")
        if a is None or b is None:
            self._check_several("a next step, being about a difference,")
            order = np.argsort(-self.lattice(m).evidence.value, kind="stable")
            a, b = self.systems[order[1]], self.systems[order[0]]
        asked = self._pair(a, b)
        lent = [why for said in self._lent(m, [a, b]).values() for why in said if not why.startswith(FEW)]
        self._check_told(m, a, b, lent)
        hidden, _ = self._unjudged.hidden_limits(m, asked, self.lattice(m))
        prices = prices_of(self.costs if costs is None else costs)
        return Steps(tuple(self._buying(m).steps(asked, prices, hidden)), self.made_by, f"{b} - {a} on {m}")

    def _buying(self, m: Measure) -> Buying:
        sampled = self.judge is not None and type(self.lattice(m).evidence) is ByGoldPairs
        weights = partial(self._weights_of, m) if sampled else None
        return Buying(self._material, self.lattice(m), self.confidence, self.min_effect, self.holes == "bound", weights)

    def _weights_of(self, m: Measure) -> Floats:
        """System x pair of the pool: what the pair counts in the score; made when first asked for."""
        if str(m) not in self._weights:
            stand_in = StandIn.of(m, self.ranked)
            self._weights[str(m)] = stand_in.weights(stand_in.parts(self.ranked.item_gain, self.ranked), self.ranked)
        return self._weights[str(m)]

    def unjudged(self, measure: MeasureLike | None, asked: Contrasts) -> str:
        """That documents of the systems asked about have no label at all, in words; empty where all have one."""
        return self._unjudged.not_asked_for(self._measure(measure), asked)

    def standings(self, asked: Contrasts, measure: MeasureLike | None = None) -> list[Standing]:
        """What each of several differences stands on now."""
        return self._buying(self._measure(measure)).standings(asked)

    def standing(self, a: str, b: str, measure: MeasureLike | None = None) -> Standing:
        """What b - a stands on now: own parts of its variance, and how many topics, gold labels, assessors there are.

        `standing(a, b).after(assessors=3)` is half the width with three times as many.
        """
        return self._buying(self._measure(measure)).standing(self._pair(a, b))


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
