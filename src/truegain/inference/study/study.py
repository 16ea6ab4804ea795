"""Study: runs, judgments and measures, and what was sampled; every question is a contrast of the same moves."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from truegain._version import __version__
from truegain.contrasts import NONE, Contrasts
from truegain.errors import TruegainError, check_one_of, some
from truegain.inference.collection.expansion import keys_needed
from truegain.inference.results import Answers, Comparison, Estimate
from truegain.inference.study.answers import Answering
from truegain.inference.study.borrowed import Uses, borrowed, is_of, models_of
from truegain.inference.study.buying import Buying
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
from truegain.inference.study.hidden import Hidden, hidden_in
from truegain.inference.study.lattice import Lattice
from truegain.inference.study.lines import UNITS, Pull, lines_of, naive_line
from truegain.inference.study.listed import check_bronze, items_of
from truegain.inference.study.material import (
    Given,
    Material,
    raters_in,
    raters_of,
)
from truegain.inference.study.next_steps import Standing, Step, prices_of
from truegain.inference.study.population import Population
from truegain.inference.study.ranking import Ranking
from truegain.inference.study.trusted import Labels, listed_in
from truegain.inference.study.verdict import Verdict, outcome_of
from truegain.measures.base import Measure
from truegain.measures.direct import measures_for
from truegain.measures.evaluate import Options, at_level
from truegain.measures.parse import measures_in, parse_measures
from truegain.moves import Moves
from truegain.sampling.catalogue import POPULATIONS
from truegain.sampling.designs import SAME_POPULATION, Design
from truegain.student import check_confidence
from truegain.tables.judgments import Judgments
from truegain.tables.ratings import Outside, Repeated
from truegain.tables.read import NameBy
from truegain.tables.scale import Scale

HolesAs = Literal["bound", "non-relevant"]
Costs = Mapping[str, float] | str | None


class Study:
    """Runs, judgments and measures, and the population that the answers are about; all else by keyword.

    generalise_to: for what the answers shall hold: 'topics' (topics like these), 'collection' (other collections of
    the same kind), 'assessors' (assessors like these; judgments are then ratings), 'replicates' (the same judge asked
    again, with repeated='all'); a list, or with commas; what is not named is held fixed.
    topics: 'fixed': these topics only; 'sampled': what generalise_to says, by default topics like these.
    gold, design: trusted labels of some pairs and how they were drawn (see `tg.correct`), which set the scores right.
    rule, scale, normalise, repeated, outside: how ratings become gains (see `tg.to_gains`).
    gold_rule: the gold labels are ratings by several assessors, made one by this rule; 'assessors' then means these.
    uses: the model, or models, behind each system, such as {"dense": "gpt-4o"} (or a column `model` of the runs), and
    `judge_model` that behind the judgments: a system of the judge's own model is judged by itself.
    smallest: the smallest gain that matters.
    holes: 'bound' holds a verdict back where unjudged documents could turn it; 'non-relevant' counts them as such.
    hole_sample: labels of a random sample of the unjudged documents of all runs, down to the deepest cutoff of the
    measures, which must be linear in gain: they then stand for the other unjudged ones, and nothing is held back.
    gold may be a list that `plan labels` drew, with labels down to some row: it knows its design.
    anytime: intervals hold at every look at a growing list, however often; wider than those of one look.

    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
    ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
    >>> print(tg.Study(runs, qrels, "P@2").verdict("poor", "good").sentence)
    good is better than poor: +0.3333 P@2 [0.1769, 0.4898], for topics like these 12.
    """

    def __init__(
        self,
        runs: object,
        judgments: object,
        measures: object,
        *,
        # for whom
        generalise_to: str | Sequence[str] | None = None,
        topics: TopicsAs = "sampled",
        smallest: float = 0.0,
        confidence: float = 0.95,
        # trusted labels, and what the judge shares with systems
        gold: object = None,
        design: Design | None = None,
        gold_level: float | None = None,
        gold_rule: str | None = None,
        uses: Uses | None = None,
        judge_model: str | None = None,
        # unjudged documents
        holes: HolesAs = "bound",
        hole_sample: object = None,
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
        name_by: NameBy = "file",
        replicates: int = 1000,
        seed: int = 0,
        jobs: int | None = None,
        **rule_parameters: Any,
    ) -> None:
        self.over = sources_of(generalise_to, topics)
        self.confidence, self.seed, self.jobs = check_confidence(confidence), count_of("seed", seed, 0), jobs
        self.smallest, self.holes = smallest_of(smallest), holes
        self.replicates = count_of("replicates", replicates, LEAST_REPLICATES)
        check_one_of("holes", holes, ("bound", "non-relevant"))
        gold, design, listed = listed_in(gold, design)
        self.gold_list = listed if listed is not None and listed.design == "ordered" else None
        check_labels(gold, design, gold_level, hole_sample, self.over)
        check_rated(gold, rule, normalise, gold_rule)
        check_sampled(hole_sample, gold, rule or normalise, self.over, self.holes)
        self.gold_rated = gold_rule is not None
        rated, chosen = (gold, gold_rule) if self.gold_rated else (judgments, rule)
        self.raters = raters_of(rated, chosen, scale, normalise, repeated, outside, rule_parameters)
        check_raters(self.raters, self.over)
        asked = parse_measures(measures)
        given = None if self.raters is None else self.raters.judgments()
        labels = Judgments.of(judgments) if given is None or self.gold_rated else given
        gold = given if self.gold_rated else gold
        keys = keys_needed([a.measure for a in asked]) if "collection" in self.over else 0
        self._given = Given(runs, name_by, jobs)
        self.ranked, self._labels = self._given.aligned(labels, keys, "topics" in self.over)
        if self.raters is not None and (not self.gold_rated or design in SAME_POPULATION):
            left = raters_in(self.raters, self.topics)
            if not self.gold_rated and len(left.ratings) < len(self.raters.ratings):  # fit on these alone
                self.ranked, self._labels = self._given.aligned(left.judgments(), keys, False)
            self.raters = left
            check_units(self.raters, self.over)
        self.level, self.measures = level, tuple(at_level(a.measure, level) for a in measures_for(self.ranked, asked))
        if listed is not None:
            check_bronze(listed, items_of(listed, self.ranked.pool), self.ranked.item_gain)
        within = Labels(labels, self._labels, self.topics)
        self.judge = within.judge(gold, design, self.measures[0], gold_level, self.gold_rated, self.gold_list)
        self.hole_sample = None if hole_sample is None else within.sample(hole_sample, self._given, self.measures)
        self._material = Material(
            self.over, self.ranked, self.raters, self.judge, gold_level, replicates, seed, self.gold_rated,
            self.hole_sample, self.gold_list, confidence if anytime else None,
        )  # fmt: skip
        self.uses, self.judge_model = models_of(uses, judge_model, self.systems, runs), judge_model
        self._lattices: dict[str, Lattice] = {}
        self.made_by: dict[str, object] = {
            "truegain": __version__, "measures": [str(m) for m in self.measures], "generalise_to": sorted(self.over),
            "design": "ordered" if self.gold_list else None if self.judge is None else self.judge.design,
            "anytime": anytime, "confidence": confidence, "seed": seed,
            "smallest": smallest, "holes": holes, "rule": rule,
            "hole_sample": None if self.hole_sample is None else self.hole_sample.size,
        }  # fmt: skip

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
        """What the answers are about, and what is held fixed, in words."""
        return str(self._population)

    @property
    def _population(self) -> Population:
        assessors = 0 if self.raters is None else len(self.raters)
        sample = self.hole_sample
        sampled = None if sample is None else (sample.size, sample.holes)
        return Population(self.over, len(self.topics), assessors, self.judge is not None, self.gold_rated, sampled)

    def lattice(self, measure: object = None) -> Lattice:
        """What a measure stands on; made when first asked for."""
        m = self._measure(measure)
        if str(m) not in self._lattices:
            self._lattices[str(m)] = self._material.lattice(m)
        return self._lattices[str(m)]

    def _measure(self, measure: object) -> Measure:
        if measure is None:
            return self.measures[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the study was made
            read = [at_level(a.measure, self.level) for a in measures_for(self.ranked, measures_in(measure))]
        names = {str(measure), *(str(m) for m in read)} if len(read) == 1 else ()
        if (found := next((m for m in self.measures if str(m) in names), None)) is not None:
            return found
        raise TruegainError(f"the study has no measure {measure}; it has {', '.join(map(str, self.measures))}")

    def _pair(self, a: str, b: str) -> Contrasts:
        for name in (a, b):
            if name not in self.systems:
                raise TruegainError(f"there is no system {name!r}; there are {some(self.systems)}")
        if a == b:
            raise TruegainError(f"{a} is compared with itself; name two systems")
        return Contrasts.of([(self.systems.index(a), self.systems.index(b))])

    def _answering(self, m: Measure) -> Answering:
        return Answering(self.systems, m, self.lattice(m), self.confidence, len(self.topics))

    # ------------------------------------------------------------------ scores and differences

    def estimates(self, measure: object = None) -> Answers[Estimate]:
        """The score of every system with its interval, by all that was sampled."""
        gold = ["gold"] if self.judge is not None else ["holes"] if self.hole_sample is not None else []
        over = ", ".join([*(s for s in POPULATIONS if s in self.over), *gold])
        chosen = self.measures if measure is None else (self._measure(measure),)
        answering = [self._answering(m) for m in chosen]
        found = [one for each in answering for one in each.estimates(over)]
        return Answers(tuple(found), self.made_by, (self.population, *(x.note for x in answering if x.note)))

    def compare(self, a: str | None = None, b: str | None = None, measure: object = None) -> Answers[Comparison]:
        """The difference b - a; or that of every pair, each with an interval of its own and p also adjusted for all."""
        if (a is None) != (b is None):
            raise TruegainError("name two systems to compare, or none for all pairs")
        chosen = [self._answering(m) for m in (self.measures if measure is None else (self._measure(measure),))]
        if a is not None and b is not None:
            asked = self._pair(a, b)
            found = [one for answering in chosen for one in answering.differences(asked)]
        else:
            self._check_several("a comparison")
            found = [one for answering in chosen for one in answering.all_differences(self.seed)]
        return Answers(tuple(found), self.made_by, (self.population, *(x.note for x in chosen if x.note)))

    def _check_several(self, what: str) -> None:
        if len(self.systems) < 2:
            raise TruegainError(f"{what} needs at least 2 systems; there is 1 ({self.systems[0]})")

    def best(self, measure: object = None) -> Ranking:
        """Which systems may be best, tiers and ranks with limits; wrong anywhere in no more than 1 - confidence."""
        self._check_several("a ranking")
        m = self._measure(measure)
        lent = {s: said[0] for s in self.systems if (said := self._borrowed(m, s))}
        notes = [note for note in (self.population, self._answering(m).note) if note]
        holes, shown = self._material.unjudged(m)
        if holes and self.hole_sample is None:
            are, count, they = ("is", "counts", "it") if holes == 1 else ("are", "count", "they")
            notes.append(
                f"{holes:,} of the {shown:,} documents that {m} looks at, all lists together, {are} unjudged and "
                f"{count} as not relevant here; `truegain holes` tells what {they} could do."
            )
        for why in dict.fromkeys(said.partition(":")[0] for said in lent.values()):
            names = some([s for s, said in lent.items() if said.startswith(why)])
            notes.append(f"{why.capitalize()}: {names}; no rank of theirs is ruled out.")
        found = self._answering(m).ranking(self.seed, np.array([s in lent for s in self.systems]), tuple(notes))
        return replace(found, made_by=self.made_by)

    # ------------------------------------------------------------------ what decides

    def shares(self, a: str, b: str, measure: object = None) -> dict[str, float]:
        """The share of each source in the variance of b - a, to the nearest tenth: finer they are not known."""
        parts = self.lattice(measure).own_parts(self._pair(a, b))
        total = float(sum(v[0] for v in parts.values()))
        if total == 0:
            raise TruegainError(f"no unit moves {b} - {a}; there is no variance to share")
        return {s: round(float(parts[s][0]) / total, 1) for s in sorted(parts, key=lambda s: -parts[s][0])}

    def decisive(self, a: str, b: str, measure: object = None, most: int = 5) -> dict[str, list[tuple[str, float]]]:
        """Which topics, documents, gold labels and assessors move b - a most, and how far each moves it."""
        count_of("most", most, 1)
        found = self._pulls(self._measure(measure), self._pair(a, b), most)
        return {source: [(pull.unit, pull.move) for pull in pulls] for source, pulls in found.items()}

    def _pulls(self, m: Measure, asked: Contrasts, most: int = 5) -> dict[str, tuple[Pull, ...]]:
        """The units that pull a pair most, by source."""
        lattice = self.lattice(m)
        found = {x.source: Pull.most_of(x, asked, most) for x in self._moves(lattice)}
        if "collection" in self.over:
            documents = self._material.documents(m, lattice, int(asked.a[0]), int(asked.b[0]))
            found["collection"] = Pull.most_of(documents, Contrasts.of([(0, 1)]), most)
        return {source: found[source] for source in UNITS if source in found}

    def _moves(self, lattice: Lattice) -> list[Moves]:
        """Of the units that can be named."""
        found: list[Moves | None] = [lattice.evidence.by_topic()] if "topics" in self.over else []
        found.append(lattice.evidence.by_gold())
        if "assessors" in self.over and lattice.assessors is not None:
            found.append(lattice.assessors[0])
        return [m for m in found if m is not None]

    # ------------------------------------------------------------------ verdicts

    def verdict(self, a: str, b: str, measure: object = None, costs: Costs = None) -> Verdict:
        """Whether b is better than a, for whom, what decides it, and what to buy next."""
        m, asked, prices = self._measure(measure), self._pair(a, b), prices_of(costs)
        lattice = self.lattice(m)
        comparison = self._answering(m).differences(asked)[0]
        hidden, notes = self._hidden(m, a, b)
        if stands_for := self._answering(m).note:
            notes.append(stands_for)
        if lattice.looks is not None:
            notes.append("Limits hold at every look at the growing list, all looks together.")
        lent = [*self._borrowed(m, a), *self._borrowed(m, b)]
        outcome: Any = "cannot be told"
        if comparison.low is not None and comparison.high is not None and not lent:
            bound = self.holes == "bound" and hidden is not None
            far = (hidden.least, hidden.most) if bound and hidden is not None else (0.0, 0.0)
            outcome = outcome_of(comparison.low, comparison.high, *far, self.smallest)
            if comparison.low == comparison.high == 0 and far[1] == 0:
                outcome = "does not hold"  # exactly as good
        known = comparison.low is not None and comparison.low != comparison.high
        if outcome == "cannot be told" and known and (told := self._buying(m).until_decided(asked)):
            notes.append(told)
        shares = self.shares(a, b, m) if known else {}
        population, top = self._population, next(iter(shares), None)
        return Verdict(
            comparison, outcome, self.smallest, population.holds_for, population.held_fixed,
            lines_of(lattice, asked, m, shares, comparison), naive_line(lattice, asked, self.confidence),
            "" if top is None else f"{top} ({shares[top]:.0%} of the variance)",
            self._pulls(m, asked) if known else {},
            hidden, tuple(self._buying(m).steps(asked, prices, hidden)) if known and not lent else (), tuple(notes),
            tuple(lent),
            self.holes,
            self.made_by,
        )  # fmt: skip

    def _hidden(self, m: Measure, a: str, b: str) -> tuple[Hidden | None, list[str]]:
        """What holes could do, and what must be said where that is not known."""
        none = np.zeros(len(self.topics))
        here = self._material.unjudged(m, [self.systems.index(a), self.systems.index(b)])[0]
        if not here or self.hole_sample is not None:  # a sample stands for them
            return Hidden(none, none, 0, len(none)), []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the runs were first read
            try:
                return hidden_in(self._given.two(a, b, self._labels), self._labels, m, Options(), a, b), []
            except TruegainError as error:
                known = str(error).removeprefix(f"{m}: ")
                return None, [f"What unjudged documents could do to {m} is not known; {known}."]

    def _borrowed(self, m: Measure, system: str) -> list[str]:
        own = self.judge_model is not None and is_of(self.judge_model, self.uses.get(system, ()))
        if self.judge is None:
            return borrowed(system, self.judge_model if own else None, None, 0)
        touching = self.lattice(m).evidence.touching(Contrasts.of([(None, self.systems.index(system))]))
        labels = None if touching is None or self.gold_list is not None else int(touching[0])  # a list: of pairs
        return borrowed(system, self.judge_model if own else None, self.judge.design, labels)

    # ------------------------------------------------------------------ what to buy next

    def next_steps(
        self, a: str | None = None, b: str | None = None, measure: object = None, costs: Costs = None
    ) -> list[Step]:
        """What more topics, gold or assessors would bring to b - a (or to the two best).

        Those that alone are enough for the smallest gain that matters come first, and each group cheapest first.
        """
        m = self._measure(measure)
        if (a is None) != (b is None):
            raise TruegainError("name two systems for the next step, or none for the two best")
        if a is None or b is None:
            self._check_several("a next step, being about a difference,")
            order = np.argsort(-self.lattice(m).evidence.value, kind="stable")
            a, b = self.systems[order[1]], self.systems[order[0]]
        return self._buying(m).steps(self._pair(a, b), prices_of(costs), self._hidden(m, a, b)[0])

    def _buying(self, m: Measure) -> Buying:
        return Buying(self._material, self.lattice(m), self.confidence, self.smallest, self.holes == "bound")

    def unjudged(self, measure: object, asked: Contrasts) -> str:
        """That documents of the systems asked about have no label at all, in words; empty where all have one."""
        systems = sorted({*asked.a.tolist(), *asked.b.tolist()} - {NONE})
        holes, shown = self._material.unjudged(self._measure(measure), systems)
        if not holes:
            return ""
        return (
            f"{holes:,} of the {shown:,} documents that {self._measure(measure)} looks at in these lists have no "
            "label, and none of them is asked for here: what they could do stays open (truegain holes)."
        )

    def standings(self, asked: Contrasts, measure: object = None) -> list[Standing]:
        """What each of several differences stands on now."""
        return self._buying(self._measure(measure)).standings(asked)

    def standing(self, a: str, b: str, measure: object = None) -> Standing:
        """What b - a stands on now: own parts of its variance, and how many topics, gold labels, assessors there are.

        `standing(a, b).after(assessors=3)` is half the width with three times as many.
        """
        return self._buying(self._measure(measure)).standing(self._pair(a, b))
