"""Study: runs, judgments and measures, and what was sampled; every question is a contrast of the same moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from truegain._version import __version__
from truegain.errors import TruegainError, some
from truegain.gains.catalogue import rule_of
from truegain.gains.magnitudes import normalised
from truegain.gains.pairs import Design
from truegain.inference.collection.expansion import check_drawable, keys_needed
from truegain.inference.collection.score import has_lone_rule, spreads_of
from truegain.inference.judges.judge import Judge
from truegain.inference.limits import within
from truegain.inference.replicates import check_confidence
from truegain.inference.results import Answers, Comparison, Estimate
from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.evidence import LEAST_GOLD, LEAST_TOPICS
from truegain.inference.study.hidden import Hidden, hidden_in
from truegain.inference.study.lattice import POPULATIONS, Collection, Lattice, Source, limits
from truegain.inference.study.making import evidence_of, tell_holes
from truegain.inference.study.moves import Moves
from truegain.inference.study.next_steps import Standing, Step, prices_of, steps_of
from truegain.inference.study.ranking import Ranking, simultaneous_quantile
from truegain.inference.study.raters import Raters
from truegain.inference.study.verdict import Line, Verdict, outcome_of
from truegain.measures.base import Measure
from truegain.measures.direct import fed_with
from truegain.measures.evaluate import Options, aligned, at_level
from truegain.measures.parse import parse_measures
from truegain.student import p_of, quantile_of
from truegain.tables.checks import warn
from truegain.tables.columns import Floats
from truegain.tables.judgments import Judgments
from truegain.tables.ranked import RankedGains
from truegain.tables.ratings import Outside, Repeated, read_ratings
from truegain.tables.read import NameBy
from truegain.tables.runs import Runs
from truegain.tables.scale import Scale

FEW_TOPICS = 10
HolesAs = Literal["bound", "non-relevant"]
Costs = Mapping[str, float] | str | None


class Study:
    """Runs, judgments and measures, and the population that the answers are about.

    generalise_to: for what the answers shall hold: 'topics' (topics like these), 'collection' (other collections of
    the same kind), 'assessors' (assessors like these; judgments are then ratings); what is not named is held fixed.
    gold, design: trusted labels of some pairs and how they were drawn (see `tg.correct`), which set the scores right.
    rule, scale, normalise, repeated, outside: how ratings become gains (see `tg.to_gains`).
    uses: the model behind each system, such as {"dense": "gpt-4o"}, and `judge_model` that behind the judgments: a
    system of the judge's own model is judged by itself.  smallest: the smallest gain that matters.
    holes: 'bound' holds a verdict back where unjudged documents could turn it; 'non-relevant' counts them as such.

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
        gold: object = None,
        design: Design | None = None,
        generalise_to: Sequence[str] = ("topics",),
        rule: str | None = None,
        scale: Scale | str | None = None,
        normalise: str | None = None,
        repeated: Repeated = "error",
        outside: Outside = "error",
        gold_level: float | None = None,
        uses: Mapping[str, str] | None = None,
        judge_model: str | None = None,
        smallest: float = 0.0,
        holes: HolesAs = "bound",
        confidence: float = 0.95,
        replicates: int = 1000,
        seed: int = 0,
        jobs: int | None = None,
        name_by: NameBy = "file",
        level: float | None = None,
        **rule_parameters: Any,
    ) -> None:
        self.over = _population(generalise_to)
        self.confidence, self.seed, self.jobs = check_confidence(confidence), seed, jobs
        self.smallest, self.holes, self.replicates = _smallest(smallest), _holes(holes), replicates
        self.raters = _raters(judgments, rule, scale, normalise, repeated, outside, rule_parameters)
        if "assessors" in self.over:
            if self.raters is None:
                raise TruegainError(
                    "generalise_to names assessors, and these judgments do not say who gave them as ratings: give "
                    "ratings with a column 'assessor' and a rule, such as rule='mean'"
                )
            self.raters.check()
        asked = parse_measures(measures)
        self._labels = self.raters.judgments() if self.raters is not None else Judgments.of(judgments)
        self._runs, self._name_by = runs, name_by
        self._keys = keys_needed([a.measure for a in asked]) if "collection" in self.over else 0
        self.ranked = self._aligned()
        fed = fed_with(self.ranked, asked)
        self.measures = tuple(at_level(a.measure, level) for a in fed)
        self.judge = None if gold is None else self._judge(gold, design, gold_level)
        self.gold_level = gold_level
        if gold is None and design is not None:
            raise TruegainError(f"design={design!r} says how gold labels were drawn; give these with gold=")
        self.uses, self.judge_model = dict(uses or {}), judge_model
        self._check_uses()
        self._lattices: dict[str, Lattice] = {}
        self.made_by: dict[str, object] = {
            "truegain": __version__, "measures": [str(m) for m in self.measures], "generalise_to": sorted(self.over),
            "design": None if self.judge is None else self.judge.design, "confidence": confidence, "seed": seed,
            "smallest": smallest, "holes": holes, "rule": rule,
        }  # fmt: skip

    # ------------------------------------------------------------------ what there is

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, as given."""
        return self.ranked.systems

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that all systems answer."""
        return self.ranked.topics

    def _aligned(self) -> RankedGains:
        options = Options()
        ranked = aligned(
            self._runs, self._labels, options, name_by=self._name_by, jobs=self.jobs, keep_keys=self._keys
        )  # fmt: skip
        there = np.asarray(ranked.present.reshape(len(ranked.systems), -1).all(axis=0))
        if not there.all():
            lacking = [t for t, x in zip(ranked.topics, there, strict=True) if not x]
            warn(f"{len(lacking)} of {len(there)} judged topics are not answered by all systems and left out "
                 f"({some(lacking)})")  # fmt: skip
            kept = {t for t, x in zip(ranked.topics, there, strict=True) if x}
            rows = np.flatnonzero([t in kept for t in self._labels.topic.strings()])
            if not len(rows):
                raise TruegainError("no judged topic is answered by all systems; leave out systems that answer few")
            self._labels = self._labels.take(rows)
            ranked = aligned(
                self._runs, self._labels, options, name_by=self._name_by, jobs=self.jobs, keep_keys=self._keys
            )  # fmt: skip
        topics = len(ranked.topics)
        if topics < LEAST_TOPICS:
            raise TruegainError(f"{topics} topics are too few for a study; have at least {LEAST_TOPICS}, better 50")
        if topics < FEW_TOPICS and "topics" in self.over:
            warn(f"{topics} topics are few: intervals over topics lean on the shape of the scores; have 25 or more")
        return ranked

    def _judge(self, gold: object, design: Design | None, gold_level: float | None) -> Judge:
        if isinstance(gold, Judge):
            return gold
        return Judge.fit(self._labels, gold, design, self.measures[0], gold_level=gold_level)

    def _check_uses(self) -> None:
        unknown = [s for s in self.uses if s not in self.systems]
        if unknown:
            raise TruegainError(f"uses names {some(unknown)}, which is no system here; there are {some(self.systems)}")

    def _measure(self, measure: object) -> Measure:
        if measure is None:
            return self.measures[0]
        for m in self.measures:
            if str(m) == str(measure):
                return m
        names = ", ".join(str(m) for m in self.measures)
        raise TruegainError(f"the study has no measure {measure}; it has {names}")

    def _system(self, name: str) -> int:
        if name not in self.systems:
            raise TruegainError(f"there is no system {name!r}; there are {some(self.systems)}")
        return self.systems.index(name)

    def lattice(self, measure: object = None) -> Lattice:
        """What a measure stands on; made when first asked for."""
        m = self._measure(measure)
        if str(m) not in self._lattices:
            self._lattices[str(m)] = self._made(m)
        return self._lattices[str(m)]

    def _made(self, m: Measure) -> Lattice:
        tell_holes(self.ranked, m, self.judge)
        evidence = evidence_of(self.ranked, m, self.judge, self.gold_level)
        naive = evidence if self.judge is None else evidence_of(self.ranked, m, None, None)
        collection = assessors = None
        if "collection" in self.over:
            check_drawable(m)
            self._refuse_shallow(m)

            def collection() -> Collection:
                spreads = spreads_of(
                    self.ranked, m, pairs=True, replicates=self.replicates, seed=self.seed, engine=None, progress=None
                )  # fmt: skip
                return Collection(spreads, has_lone_rule(m))

        if self.raters is not None and self._raters_tell():
            raters = self.raters

            def assessors() -> tuple[Moves, Moves]:
                return raters.moves(
                    lambda gains: evidence_of(
                        self.ranked.with_gains(raters.on(self.ranked.pool, gains)), m, self.judge, self.gold_level
                    ),
                    self.topics,
                )

        return Lattice(evidence, naive, self.over, collection, assessors)

    def _raters_tell(self) -> bool:
        """Whether leaving assessors out says something; where they are asked for this was checked."""
        assert self.raters is not None
        if self.judge is not None and self.judge.design in ("by-gold", "elsewhere"):
            if "assessors" in self.over:
                raise TruegainError(
                    f"design {self.judge.design!r}: the judge's rates are of all assessors together, so others "
                    "cannot be spoken of; leave 'assessors' out of generalise_to"
                )
            return False
        if "assessors" in self.over:
            return True
        try:
            self.raters.check()
        except TruegainError:
            return False
        return True

    def _refuse_shallow(self, m: Measure) -> None:
        cutoff = getattr(m, "cutoff", None)
        if cutoff is None:
            return
        depth = self.ranked.depth
        shallow = int(((depth >= cutoff) & (depth < 2 * cutoff)).sum())
        if shallow:
            raise TruegainError(
                f"{m} over other collections needs lists of {2 * cutoff} documents, and {shallow} of {len(depth)} hold "
                "fewer: copies of documents would leave ranks empty; give deeper runs, or leave 'collection' out"
            )

    # ------------------------------------------------------------------ scores and differences

    def estimates(self, measure: object = None) -> Answers[Estimate]:
        """The score of every system with its interval, by all that was sampled."""
        found: list[Estimate] = []
        for m in self.measures if measure is None else (self._measure(measure),):
            lattice = self.lattice(m)
            asked = Contrasts.scores(len(self.systems))
            spread = lattice.spread(asked)
            value = lattice.evidence.value
            low, high = within(*limits(value, spread, self.confidence), m.bounds())
            found += [
                Estimate(
                    system, str(m), float(value[s]), float(low[s]), float(high[s]), level=self.confidence,
                    over=", ".join(self._sampled()), method="t, moves of all sources",
                    se=float(np.sqrt(spread.variance[s])), n=len(self.topics),
                )
                for s, system in enumerate(self.systems)
            ]  # fmt: skip
        return Answers(tuple(found), self.made_by, (self.population,))

    def compare(self, a: str | None = None, b: str | None = None, measure: object = None) -> Answers[Comparison]:
        """B - a, or every pair of systems, with p adjusted for all of them by the largest t."""
        if (a is None) != (b is None):
            raise TruegainError("name two systems to compare, or none for all pairs")
        found: list[Comparison] = []
        for m in self.measures if measure is None else (self._measure(measure),):
            if a is None or b is None:
                found += self._pairs(m)
            else:
                found.append(self._comparison(m, a, b))
        return Answers(tuple(found), self.made_by, (self.population,))

    def _comparison(self, m: Measure, a: str, b: str) -> Comparison:
        asked = Contrasts.of([(self._system(a), self._system(b))])
        if a == b:
            raise TruegainError(f"{a} is compared with itself; name two systems")
        return self._differences(m, asked)[0]

    def _differences(self, m: Measure, asked: Contrasts) -> list[Comparison]:
        lattice = self.lattice(m)
        spread, value = lattice.spread(asked), lattice.evidence.value
        naive, naive_spread = asked.values(lattice.naive.value), lattice.naive.over_topics(asked)
        difference = asked.values(value)
        low, high = within(*limits(difference, spread, self.confidence), m.bounds(), differences=True)
        touching = lattice.evidence.touching(asked)
        out = []
        for i, (a, b) in enumerate(zip(asked.a.tolist(), asked.b.tolist(), strict=True)):
            se, notes = float(np.sqrt(spread.variance[i])), []
            known = se > 0
            if not known:
                notes.append("no unit moves this difference, so how sure it is cannot be told")
            if touching is not None and touching[i] < LEAST_GOLD:
                known = False
                notes.append(
                    f"{touching[i]} gold labels touch it; at least {LEAST_GOLD} are needed: draw them from "
                    "what the two systems retrieved"
                )
            t, n = difference[i] / se if se > 0 else 0.0, float(np.sqrt(naive_spread.variance[i]))
            out.append(
                Comparison(
                    self.systems[a], self.systems[b], str(m), float(value[a]), float(value[b]), float(difference[i]),
                    float(low[i]) if known else None, float(high[i]) if known else None,
                    p_of(float(t), float(spread.df[i])) if known else None, test="t, moves of all sources",
                    level=self.confidence, n=len(self.topics), naive=float(naive[i]),
                    naive_p=p_of(float(naive[i]) / n, float(naive_spread.df[i])) if n > 0 else None, notes=tuple(notes),
                )
            )  # fmt: skip
        return out

    def _pairs(self, m: Measure) -> list[Comparison]:
        if len(self.systems) < 2:
            raise TruegainError(f"a comparison needs at least 2 systems; there is 1 ({self.systems[0]})")
        return self._differences(m, Contrasts.all_pairs(len(self.systems)))

    # ------------------------------------------------------------------ what decides

    def _sampled(self) -> list[str]:
        gold = ["gold"] if self.judge is not None else []
        return [*(s for s in POPULATIONS if s in self.over), *gold]

    @property
    def population(self) -> str:
        """For what the answers hold, and what is held fixed, in words."""
        return f"It holds {self.holds_for}; held fixed: {self.held_fixed}."

    @property
    def holds_for(self) -> str:
        """For what the answers hold."""
        n, words = len(self.topics), []
        words.append(f"for topics like these {n}" if "topics" in self.over else f"for these {n} topics only")
        if "collection" in self.over:
            words.append("on other collections of the same kind")
        if "assessors" in self.over and self.raters is not None:
            words.append(f"by assessors like these {len(self.raters)}")
        return ", ".join(words)

    @property
    def held_fixed(self) -> str:
        """What is held fixed."""
        words = []
        if "topics" not in self.over:
            words.append("the topics")
        if "collection" not in self.over:
            words.append("the collection")
        if "assessors" not in self.over:
            words.append(
                "the assessors" if self.raters is not None else "the judges" if self.judge else "the judgments"
            )
        return ", ".join(words) or "nothing"

    def shares(self, a: str, b: str, measure: object = None) -> dict[str, float]:
        """The share of each source in the variance of b - a, to the nearest tenth: finer they are not known."""
        asked = Contrasts.of([(self._system(a), self._system(b))])
        parts = self.lattice(measure).own_parts(asked)
        total = float(sum(v[0] for v in parts.values()))
        if total == 0:
            raise TruegainError(f"no unit moves {b} - {a}; there is no variance to share")
        return {s: round(float(parts[s][0]) / total, 1) for s in sorted(parts, key=lambda s: -parts[s][0])}

    def decisive(self, a: str, b: str, measure: object = None, most: int = 5) -> dict[str, list[tuple[str, float]]]:
        """Which topics, gold labels and assessors move b - a most, and how far each moves it."""
        lattice = self.lattice(measure)
        asked = Contrasts.of([(self._system(a), self._system(b))])
        moves: list[Moves | None] = []
        if "topics" in self.over:
            moves.append(lattice.evidence.by_topic())
        moves.append(lattice.evidence.by_gold())
        if "assessors" in self.over and lattice.assessors is not None:
            moves.append(lattice.assessors[0])
        return {m.source: m.decisive(asked, most) for m in moves if m is not None}

    # ------------------------------------------------------------------ verdicts

    def verdict(
        self, a: str, b: str, measure: object = None, costs: Mapping[str, float] | str | None = None
    ) -> Verdict:
        """Whether b is better than a, for whom, what decides it, and what to buy next."""
        m = self._measure(measure)
        comparison = self._comparison(m, a, b)
        asked = Contrasts.of([(self._system(a), self._system(b))])
        lattice, notes = self.lattice(m), list(comparison.notes)
        hidden, said = self._hidden(m, a, b)
        notes += said
        borrowed = self._borrowed(m, a, b)
        outcome: Any = "cannot be told"
        if comparison.low is not None and comparison.high is not None and not borrowed:
            held_back = self.holes == "bound" and hidden is not None
            far = (hidden.least, hidden.most) if held_back and hidden is not None else (0.0, 0.0)
            outcome = outcome_of(comparison.low, comparison.high, *far, self.smallest)
        shares = self.shares(a, b, m) if comparison.p is not None else {}
        lines = tuple(self._lines(lattice, m, asked, shares, comparison))
        top = next(iter(shares), None)
        naive = lattice.naive.over_topics(asked)
        low, high = limits(asked.values(lattice.naive.value), naive, self.confidence)
        label = "topics" if self.judge is None else "topics, labels as they are"
        steps = self._steps(m, asked, lattice, costs) if comparison.p is not None else []
        return Verdict(
            comparison, outcome, self.smallest, self.holds_for, self.held_fixed, lines,
            Line(f"naive: {label}", float(low[0]), float(high[0])),
            "" if top is None else f"{top} ({shares[top]:.0%} of the variance)",
            {s: tuple(units) for s, units in self.decisive(a, b, m).items()} if comparison.p is not None else {},
            hidden, tuple(steps), (*notes, self.population), tuple(borrowed),
        )  # fmt: skip

    def _lines(
        self, lattice: Lattice, m: Measure, asked: Contrasts, shares: Mapping[str, float], whole: Comparison
    ) -> list[Line]:
        value = asked.values(lattice.evidence.value)
        found = []
        for source in self._alone(lattice):
            spread = lattice.alone(asked, source)
            if spread is None or not spread.variance[0] > 0:
                found.append(Line(source, None, None, shares.get(source), "nothing moves it"))
                continue
            low, high = within(*limits(value, spread, self.confidence), m.bounds(), differences=True)
            found.append(Line(source, float(low[0]), float(high[0]), shares.get(source)))
        return [*found, Line("all together", whole.low, whole.high, None, "" if whole.low is not None else "refused")]

    def _alone(self, lattice: Lattice) -> list[Source]:
        """Sources of which something can be said, asked for or not."""
        known: list[Source] = ["topics"] if "topics" in self.over else []
        if "collection" in self.over:
            known.append("collection")
        if lattice.make_assessors is not None:
            known.append("assessors")
        if self.judge is not None and lattice.evidence.by_gold() is not None:
            known.append("gold")
        return known

    def _hidden(self, m: Measure, a: str, b: str) -> tuple[Hidden | None, list[str]]:
        """What holes could do; only where labels are taken as they are."""
        two = self._two(a, b)
        try:
            return hidden_in(two, self._labels, m, Options(), a, b), []
        except TruegainError as error:
            return None, [f"What unjudged documents could do is not known: {error}."]

    def _two(self, a: str, b: str) -> Runs:
        return Runs(tuple(run for run in self._loaded.parts if run.system in (a, b)))

    @cached_property
    def _loaded(self) -> Runs:
        from truegain.measures.evaluate import loaders_of

        loaders = loaders_of(self._runs, self._labels, self._name_by, 1)
        return Runs(tuple(run for load in loaders for run in load()))

    def _borrowed(self, m: Measure, a: str, b: str) -> list[str]:
        """Systems whose calibration is borrowed: the judge is their own model, or none of their labels is gold."""
        found = []
        covered = self._covered(m)
        for system in (a, b):
            own = self.judge_model is not None and self.uses.get(system) == self.judge_model
            if own and not covered[self._system(system)]:
                found.append(
                    f"calibration borrowed: {system} uses {self.judge_model}, which also gave the judgments, and no "
                    f"{LEAST_GOLD} gold labels are its own"
                )
        return found

    def _covered(self, m: Measure) -> list[bool]:
        """Which systems have gold labels of their own, enough to tell whether the judge favours them."""
        if self.judge is None:
            return [False] * len(self.systems)
        touching = self.lattice(m).evidence.touching(Contrasts.scores(len(self.systems)))
        if touching is None:
            return [self.judge.design != "elsewhere"] * len(self.systems)
        return [bool(n >= LEAST_GOLD) for n in touching]

    # ------------------------------------------------------------------ what to buy next

    def next_steps(
        self, a: str | None = None, b: str | None = None, measure: object = None,
        costs: Mapping[str, float] | str | None = None,
    ) -> list[Step]:  # fmt: skip
        """What more topics, gold or assessors would bring to b - a (or to the two best), cheapest first."""
        m = self._measure(measure)
        if a is None or b is None:
            if len(self.systems) < 2:
                raise TruegainError("next steps are about a difference; the study has one system")
            order = np.argsort(-self.lattice(m).evidence.value, kind="stable")
            a, b = self.systems[order[1]], self.systems[order[0]]
        asked = Contrasts.of([(self._system(a), self._system(b))])
        return self._steps(m, asked, self.lattice(m), costs)

    def _steps(
        self, m: Measure, asked: Contrasts, lattice: Lattice, costs: Mapping[str, float] | str | None
    ) -> list[Step]:
        parts: dict[str, float] = {s: float(v[0]) for s, v in lattice.own_parts(asked).items()}
        spread = lattice.spread(asked)
        gold, pairs = self._gold_counts(m)
        now = Standing(
            parts, len(self.topics), gold, pairs, 0 if self.raters is None else len(self.raters),
            0 if self.raters is None else round(len(self.raters.ratings.value) / len(self.raters)),
            quantile_of(self.confidence, float(spread.df[0])),
        )  # fmt: skip
        return steps_of(now, self.smallest, prices_of(costs))

    def _gold_counts(self, m: Measure) -> tuple[int, int]:
        """Gold labels and pairs they were drawn from; topics where whole topics were gold-judged."""
        if self.judge is None:
            return 0, 0
        if self.judge.design == "topics":
            source = self.lattice(m).evidence
            return int(source.has.sum()), len(self.topics)  # type: ignore[attr-defined]
        if self.judge.design in ("random", "by-bronze"):
            return self.judge.size, len(self.ranked.pool)
        return self.judge.size, 0

    # ------------------------------------------------------------------ many systems

    def best(self, measure: object = None) -> Ranking:
        """Which systems may be best, tiers and ranks with limits; wrong anywhere in no more than 1 - confidence."""
        m = self._measure(measure)
        lattice = self.lattice(m)
        asked = Contrasts.all_pairs(len(self.systems))
        spread = lattice.spread(asked)
        value = lattice.evidence.value
        quantile = simultaneous_quantile(self._covariance(lattice), spread, asked, self.confidence, self.seed)
        difference, half = asked.values(value), quantile * np.sqrt(spread.variance)
        ahead = np.zeros((len(self.systems),) * 2, np.bool_)
        sure = (np.abs(difference) > half) & (spread.variance > 0)
        up = sure & (difference > 0)
        down = sure & (difference < 0)
        ahead[asked.b[up], asked.a[up]] = True
        ahead[asked.a[down], asked.b[down]] = True
        return Ranking.of(self.systems, value, ahead)

    def _covariance(self, lattice: Lattice) -> Floats:
        """Of all scores: from the variances of scores and of all differences."""
        n = len(self.systems)
        alone = lattice.spread(Contrasts.scores(n)).variance
        pairs = Contrasts.all_pairs(n)
        out = np.diag(alone)
        both = (alone[pairs.a] + alone[pairs.b] - lattice.spread(pairs).variance) / 2
        out[pairs.a, pairs.b] = out[pairs.b, pairs.a] = both
        return out


def _population(names: Sequence[str]) -> frozenset[Source]:
    given = [names] if isinstance(names, str) else list(names)
    found: set[Source] = set()
    for name in given:
        source = next((s for s in POPULATIONS if s == name), None)
        if source is None:
            raise TruegainError(f"generalise_to: {name!r} is not known; there are {', '.join(POPULATIONS)}")
        found.add(source)
    return frozenset(found)


def _smallest(value: float) -> float:
    if not (np.isfinite(value) and value >= 0):
        raise TruegainError(f"smallest {value:g}: give the smallest gain that matters, a number of at least 0")
    return value


def _holes(value: HolesAs) -> HolesAs:
    if value not in ("bound", "non-relevant"):
        raise TruegainError(f"holes {value!r} is not known; give 'bound' or 'non-relevant'")
    return value


def _raters(
    judgments: object, rule: str | None, scale: Scale | str | None, normalise: str | None, repeated: Repeated,
    outside: Outside, parameters: Mapping[str, Any],
) -> Raters | None:  # fmt: skip
    if rule is None and normalise is None:
        if parameters:
            raise TruegainError(f"Study has no option {', '.join(sorted(parameters))}")
        return None
    declared = Scale.of(scale)
    table = read_ratings(judgments, scale=declared, outside=outside, repeated=repeated)
    if normalise is not None:
        table = normalised(table, normalise)
    return Raters.of(table, rule_of("median" if rule is None else rule, **parameters), declared)
