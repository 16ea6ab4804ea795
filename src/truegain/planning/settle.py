"""Labels until it is known: which rows to label next, what is known after each, and when to stop."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist, median_low

import numpy as np

from truegain.config import Gold
from truegain.data.label_lists import GoldList
from truegain.errors import DataWarning, TruegainError, counted, some
from truegain.io.columns import Floats
from truegain.measures.base import Measure
from truegain.measures.label_weights import level_of
from truegain.measures.parse import MeasureLike
from truegain.message import argname
from truegain.planning.gold_sample import draw_list
from truegain.results.base import Table
from truegain.results.settlement import Interval, Label, PairSettlement, Settlement, Status
from truegain.results.table import Cell
from truegain.sampling.designs import information_after
from truegain.stats.betting import Betting
from truegain.stats.contrasts import Contrasts, place_of
from truegain.stats.student_t import quantiles_of
from truegain.study.config import sources_of
from truegain.study.estimators import LEAST_GOLD
from truegain.study.gold_lists import ALONE, ByList, worth_of
from truegain.study.precision import error_at_all_looks
from truegain.study.settled import SettleResult
from truegain.study.study import Study
from truegain.study.variance import VarianceModel
from truegain.study.verdict import Verdict, outcome_of

LabelOf = Callable[[str, str], float | None]
DECIDED: Mapping[str, Status] = {"better": "better", "worse": "worse", "not better": "not-better"}
ASSUMED = (
    0.8  # sd of gold values given the judge's label, of the largest possible: a judge right about 4 of 5 documents
)
OVERSHOOT = 0.3  # nats that stakes have above 2/alpha when it is decided, in the middle; as simulations show
LEAST_BEFORE_GIVING_UP = 30  # labels, before anything is said to be out of reach
LOOKS_KEPT = 200  # of the path of intervals
TRUE_DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2)
WEAK_AGREEMENT = 0.6
LEAST_DOUBLED = 10


@dataclass(frozen=True)
class LabelBudget:
    """How far labeling may go: labels, and money.

    >>> LabelBudget(300, 0.5, 120).most(500), LabelBudget().most(500), LabelBudget(price=0.5).cost(10)
    (240, 500, 5.0)
    """

    max_labels: int | None = None
    price: float | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_labels", "price", "max_cost"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise TruegainError(f"{argname(name, value, 'g')}: give a number above 0, or leave it out")
        if self.max_cost is not None and self.price is None:
            raise TruegainError(f"{argname('max_cost')} needs the price of a label; give {argname('price')} too")

    def most(self, rows: int) -> int:
        """Labels after which it is given up, of a list of so many rows."""
        limits = [rows, self.max_labels]
        if self.max_cost is not None and self.price is not None:
            limits.append(int(self.max_cost / self.price + 1e-9))
        return min(n for n in limits if n is not None)

    def cost(self, labels: int) -> float | None:
        """What so many labels cost; None where no price is given."""
        return None if self.price is None else round(self.price * labels, 10)


@dataclass(eq=False)
class Settling:
    """A question that labels shall settle: what to label, in which order, and what is known after each label.

    Labels count from the top of the list down to the first row that has none, so that people may work beside each
    other.  Limits hold at every look together, so one may look after every label.

    Parameters
    ----------
    study : Study
        Of runs and the labels of a judge, with one measure; its `min_effect`, `confidence` and `population` count.
    baseline : str
        The system that others are held against.
    candidates : sequence of str
        The others; several have limits that hold together.
    budget : LabelBudget
        How far labeling may go.
    population : str, optional
        'topics' or 'fixed'; by default that of the study.
    seed : int
        Of the order of the list.
    drawn : GoldList, optional
        The list, where it was drawn before.

    Examples
    --------
    >>> import truegain as tg
    >>> llm = {str(t): {d: (i + t) % 2 for i, d in enumerate("abcdef")} for t in range(12)}
    >>> runs = {"old": {t: {"a": 3, "b": 2, "c": 1} for t in llm}, "new": {t: {"d": 3, "e": 2, "f": 1} for t in llm}}
    >>> settling = Settling(tg.Study(runs, llm, "P@3"), "old", ["new"], population="fixed")
    >>> rows = list(zip(settling.listed.topics, settling.listed.docs))
    >>> settling.decide([Label(t, d, (float(d in "def"),)) for t, d in rows[:5]]).status
    'open'
    >>> settling.decide([Label(t, d, (float(d in "def"),)) for t, d in rows[:30]]).status
    'better'
    """

    study: Study
    baseline: str
    candidates: Sequence[str]
    budget: LabelBudget = field(default_factory=LabelBudget)
    population: str | Sequence[str] | None = None
    seed: int = 0
    drawn: GoldList | None = None
    listed: GoldList = field(init=False)

    def __post_init__(self) -> None:
        study = self.study
        if study.of_answers or study.judge is not None:
            why = (
                "answers of a log are labeled by `truegain plan labels` and `truegain verdict --sequential`"
                if study.of_answers
                else "give the judge's labels alone: gold labels are what shall be collected"
            )
            raise TruegainError(f"this study cannot be settled label by label: {why}")
        if len(study.measures) != 1:
            raise TruegainError(f"settling needs one measure; the study has {some([str(m) for m in study.measures])}")
        if not self.candidates or self.baseline in self.candidates:
            raise TruegainError(f"{argname('candidate')}: name one or more systems other than {self.baseline}")
        at = place_of(self.baseline, study.systems)
        places = [place_of(c, study.systems) for c in self.candidates]
        self.contrasts = Contrasts.of([(at, b) for b in places])
        if self.drawn is None:
            self.listed = draw_list(study.ranked, self.measure, systems=[at, *places], seed=self.seed)
        else:
            self.listed = self.drawn
        self._over_topics = "topics" in sources_of(self.population or study.config.population)
        self._looks: dict[int, tuple[Interval, ...]] = {}
        self._values: list[float] = []
        self._last: ByList | None = None
        self._whole  # noqa: B018  # what is wrong with the files is said before anybody labels

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.study.measures[0]

    @property
    def most(self) -> int:
        """Labels after which it is given up."""
        return self.budget.most(len(self.listed))

    @property
    def confidence(self) -> float:
        """Of each pair's limits, so that those of all hold together."""
        return 1 - (1 - self.study.confidence) / len(self.candidates)

    # ---- What is known after so many labels.

    @cached_property
    def _whole(self) -> VarianceModel:
        """The study with a label for every row: all that does not depend on which they are."""
        low, high = self.listed.scale
        some_labels = np.where(np.arange(len(self.listed)) % 2, high, low)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # these labels are nobody's
            return self._with(self.listed.with_labels(some_labels)).variance_model(self.measure)

    def _with(self, filled: GoldList) -> Study:
        """The study with these gold labels, at the confidence of one pair."""
        config = replace(
            self.study.config, gold=Gold(filled, sequential=True), confidence=self.confidence,
            population=self.population or self.study.config.population,
        )  # fmt: skip
        return self.study.with_config(config)

    def _worth(self, labels: Floats) -> Floats:
        """What gold labels are worth by the measure."""
        estimator = self._whole.estimator
        assert isinstance(estimator, ByList)
        assert estimator.listed.parts is not None
        level = level_of(self.measure)
        if level is not None:
            labels = np.where(np.isnan(labels), np.nan, np.where(labels >= level, level, 0.0))
        return worth_of(estimator.listed.parts, labels)

    def _model(self, values: Floats) -> VarianceModel:
        whole = self._whole
        before = self._last if self._last is not None else whole.estimator
        assert isinstance(before, ByList)
        self._last = before.relabeled(values)
        return replace(whole, estimator=self._last, looks=self.confidence)

    def labels_of(self, rows: Sequence[Label], top: int | None = None) -> Floats:
        """One gold label for each row of the unbroken top: the lower median of people's, NaN where nobody could judge.

        Rows must be those of the list, from its top.
        """
        found = []
        for i, row in enumerate(rows[:top]):
            if not row.labels:
                break
            if (row.topic, row.doc) != (self.listed.topics[i], self.listed.docs[i]):
                raise TruegainError(
                    f"row {i + 1:,} is topic {row.topic}, document {row.doc}, and topic {self.listed.topics[i]}, "
                    f"document {self.listed.docs[i]} in the list: labels count in the order of the list"
                )
            known = [x for x in row.labels if x is not None]
            low, high = self.listed.scale
            if off := [x for x in known if not low <= x <= high]:
                raise TruegainError(
                    f"topic {row.topic}, document {row.doc}: the label {off[0]:g} is not on the scale "
                    f"{self.listed.labels} of the list"
                )
            found.append(median_low(known) if known else math.nan)
        return np.array(found, np.float64)

    def decide(self, rows: Sequence[Label], top: int | None = None, given: int | None = None) -> Settlement:
        """What is known after these labels.

        Parameters
        ----------
        rows : sequence of Label
            The rows of the list, from its top.
        top : int, optional
            How many of them have all their labels; by default down to the first that has none.
        given : int, optional
            Labels that people gave in all, for the cost; by default those of the rows.

        Returns
        -------
        Settlement
            Its `status` is 'open' as long as more labels are wanted.
        """
        labels = self.labels_of(rows, top)
        n = len(labels)
        given = sum(len(row.labels) for row in rows) if given is None else given
        intervals = self._intervals(labels)
        self._keep(n, intervals)
        outcomes = [self._outcome(x) for x in intervals]
        out_of_labels = n >= len(self.listed) or given >= self.most or n >= self.most
        statuses: list[Status] = [DECIDED.get(o, "open") for o in outcomes]
        reach = [""] * len(outcomes)
        if "open" in statuses and n >= LEAST_BEFORE_GIVING_UP:
            reach = [self._out_of_reach(i) if status == "open" else "" for i, status in enumerate(statuses)]
        statuses = ["out-of-reach" if why else status for status, why in zip(statuses, reach, strict=True)]
        if out_of_labels:
            statuses = ["undecided" if status == "open" else status for status in statuses]
        ended = "open" not in statuses
        verdicts = self.verdicts(labels) if ended and n else ()
        if verdicts:
            statuses = [self._confirmed(s, v) for s, v in zip(statuses, verdicts, strict=True)]
        pairs = tuple(
            self._pair(i, statuses[i], intervals[i], reach[i], verdicts[i] if verdicts else None)
            for i in range(len(self.candidates))
        )
        status = _together(statuses)
        doubled = [row.labels for row in rows[:n] if len(row.labels) > 1]
        agreed = [labels for labels in doubled if len(set(labels)) == 1]
        agreement = len(agreed) / len(doubled) if doubled else None
        return Settlement(
            status, " ".join(pair.sentence for pair in pairs), pairs, str(self.measure), n, given, len(self.listed),
            self.most, self.study.min_effect, self.study.confidence, self.budget.cost(given), self.budget.max_cost,
            agreement, len(doubled), self._notes(labels, agreement, len(doubled), ended),
        )  # fmt: skip

    def _intervals(self, labels: Floats) -> tuple[Interval, ...]:
        """Of each pair; without limits while fewer than 10 labels touch it."""
        n = len(labels)
        if not n:
            return tuple(Interval(0) for _ in self.candidates)
        model = self._model(self._worth(labels))
        value = model.estimator.values(self.contrasts)
        touching = model.estimator.touching(self.contrasts)
        assert touching is not None
        low, high = model.by_bets(self.contrasts)
        value = np.where(low == high, low, value)  # with every label known the estimate differs by rounding alone
        low, high = np.minimum(low, value), np.maximum(high, value)
        return tuple(
            Interval(n, float(value[i]), float(low[i]), float(high[i])) if touching[i] >= LEAST_GOLD
            else Interval(n, float(value[i]))
            for i in range(len(value))
        )  # fmt: skip

    def _outcome(self, now: Interval) -> str:
        if now.low is None or now.high is None:
            return "inconclusive"
        if now.low == now.high == 0:
            return "not better"
        return outcome_of(now.low, now.high, 0.0, 0.0, self.study.min_effect)

    def _confirmed(self, status: Status, verdict: Verdict) -> Status:
        """What the study's own verdict says: unjudged documents may keep open what labels decide."""
        if status not in DECIDED.values():
            return status
        return DECIDED.get(verdict.outcome, "out-of-reach")

    def verdicts(self, labels: Floats) -> tuple[Verdict, ...]:
        """The verdicts of the study with these gold labels."""
        study = self._with(self.filled(labels))
        return tuple(study.verdict(self.baseline, c) for c in self.candidates)

    def filled(self, labels: Floats) -> GoldList:
        """The list with these labels at its top."""
        all_labels = np.full(len(self.listed), np.nan)
        all_labels[: len(labels)] = labels
        stuck = frozenset(np.flatnonzero(np.isnan(labels)).tolist())
        return replace(self.listed, label=all_labels, cannot=stuck).checked()

    # ---- How far it is.

    def _out_of_reach(self, i: int) -> str:
        """Why no number of labels decides a pair; empty where some may.

        With limits [l, u] of the difference on these topics and H what topics alone leave with all rows labeled, no
        difference within the limits is decided where u - H is no gain, and l + H neither a loss nor too small a gain.
        """
        if not self._over_topics or self._last is None:
            return ""
        one = Contrasts(self.contrasts.a[[i]], self.contrasts.b[[i]])
        alpha = error_at_all_looks(self.confidence, True)
        (worst, at, _), (best, _, _) = self._at_worst_and_best(i)
        low, high = float(worst.limits(alpha)[0][at]), float(best.limits(alpha)[1][at])
        half = self._half_by_topics(one, alpha)
        least = max(self.study.min_effect, 0.0)
        if high - half > least or low + half < least:
            return ""
        value = float(self._last.values(one)[0])
        topics = len(self.study.topics)
        needed = math.ceil(topics * (half / abs(value)) ** 2) if abs(value) > half / 30 else None
        more = (
            f"with about {needed:,} topics a difference of {value:+.4f} would be decided with an even chance"
            if needed is not None
            else "the two are too close to be told apart by any affordable number of topics"
        )
        return (
            f"No number of labels will decide it: with every row of the list labeled the interval is still about "
            f"+-{half:.4f} for topics like these {topics:,}; {more}. For these topics only, labels can decide it."
        )

    def _at_worst_and_best(self, i: int) -> tuple[tuple[Betting, int, float], tuple[Betting, int, float]]:
        """The bets on a pair, its place among them and the estimate, at worst and at best.

        What nobody could judge counts as the worst, and as the best; where everything could be judged both are alike.
        """
        last = self._last
        assert last is not None
        stuck, value = last.stuck(self.contrasts), float(last.values(self.contrasts)[i])
        if stuck[i]:
            found = []
            for end in last.ends(self.contrasts, i):
                game = end.game(ALONE)
                assert game is not None
                found.append((game, 0, float(end.value[0])))
            return found[0], found[1]
        alone = stuck.any()  # a row that another pair needs may have no value
        game = last.game(Contrasts(self.contrasts.a[[i]], self.contrasts.b[[i]]) if alone else self.contrasts)
        assert game is not None
        one = (game, 0 if alone else i, value)
        return one, one

    def _half_by_topics(self, one: Contrasts, alpha: float) -> float:
        """Half of the width that is left with all rows labeled: what topics bring by themselves."""
        assert self._last is not None
        whole = self._last.over_topics(one)
        own = max(float(whole.value[0] - self._last.over_gold(one).value[0]), 0.0)
        by_judge = float(self._whole.uncorrected.over_topics(one).value[0])
        own = max(own, min(by_judge, float(whole.value[0])))
        return float(quantiles_of(1 - alpha, whole.df)[0]) * math.sqrt(own)

    def needed_for(self, far: float, spread: float, own: float, chance: float = 0.5) -> int | None:
        """Labels after which a pair this far from what decides is decided with this chance; None: no number is enough.

        spread: the sd of the first estimate; own: the part of the variance that topics bring, times t squared.
        """
        left = far**2 - own
        if left <= 0:
            return None
        alpha = error_at_all_looks(self.confidence, self._over_topics)
        z = math.sqrt(2 * (math.log(2 / alpha) + OVERSHOOT)) + NormalDist().inv_cdf(chance)
        tau = information_after(self.listed.size, np.arange(1, len(self.listed) + 1))
        n = int(np.searchsorted(tau, (z * spread) ** 2 / left)) + 1
        return max(min(n, len(self.listed)), min(LEAST_GOLD, len(self.listed)))

    def _foretold(self, i: int, now: Interval) -> tuple[int | None, int | None]:
        """Labels in all that are likely needed, and that are with 90%, were things to go on like this."""
        if self._last is None or now.difference is None or now.low is None:
            return None, None
        (game, at, least_value), (_, _, most_value) = self._at_worst_and_best(i)
        spread = float(game.spread[at])
        alpha = error_at_all_looks(self.confidence, self._over_topics)
        own = 0.0
        if self._over_topics:
            own = self._half_by_topics(Contrasts(self.contrasts.a[[i]], self.contrasts.b[[i]]), alpha) ** 2
        least = self.study.min_effect
        far = max(least_value - least, least - most_value, 0.0)
        tau = float(information_after(self.listed.size, np.array([now.labels]))[0])
        unsure = NormalDist().inv_cdf(0.9) * spread / math.sqrt(tau)
        likely, latest = self.needed_for(far, spread, own), self.needed_for(max(far - unsure, 0.0), spread, own)
        if not self._over_topics:
            likely, latest = likely or len(self.listed), latest or len(self.listed)
        return tuple(None if n is None else max(n, now.labels + 1) for n in (likely, latest))  # type: ignore[return-value]

    def outlook(self) -> Table:
        """Before anything begins: how many labels are likely needed for what true differences, and what they cost."""
        estimator = self._whole.estimator
        assert isinstance(estimator, ByList)
        game = estimator.first(1).game(self.contrasts)
        assert game is not None
        spread = float(Betting(game.units).spread.max()) * ASSUMED
        alpha = error_at_all_looks(self.confidence, self._over_topics)
        own = 0.0
        if self._over_topics:
            by_judge = self._whole.uncorrected.over_topics(self.contrasts)
            own = float((quantiles_of(1 - alpha, by_judge.df) ** 2 * by_judge.value).max())
        rows: list[tuple[Cell, ...]] = []
        least = self.study.min_effect
        for d in sorted({*TRUE_DIFFERENCES, *([least, 2 * least] if least else [])}):
            far = abs(d - least)
            even, most = (self.needed_for(far, spread, own, chance) for chance in (0.5, 0.8))
            if not self._over_topics:
                even, most = even or len(self.listed), most or len(self.listed)
            row: list[Cell] = [d, even, most]
            if self.budget.price is not None:
                row += [
                    None if even is None else self.budget.cost(even),
                    None if most is None else self.budget.cost(most),
                ]
            rows.append(tuple(row))
        columns = ["true difference", "labels, even chance", "labels, 80% chance"]
        columns += ["cost, even chance", "cost, 80% chance"] if self.budget.price is not None else []
        notes = [
            f"{len(self.listed):,} labeled documents can change {self._names()} on {self.measure}; labeling stops "
            f"after {self.most:,} labels at the latest.",
            "Numbers assume a judge that is right about 4 of 5 documents; a better one needs fewer.",
        ]
        if own:
            notes.append(
                f"For topics like these {len(self.study.topics)}: differences below about {math.sqrt(own):.3f} need "
                "more topics, whatever the number of labels."
            )
        return Table(
            tuple(columns), rows, {}, f"Labels until it is known: {self._names()} on {self.measure}", tuple(notes)
        )

    def _names(self) -> str:
        return f"{some(list(self.candidates), 4)} against {self.baseline}"

    # ---- What is told.

    def remember(self, settlement: Settlement) -> None:
        """Take up the path of an earlier settlement, after a restart."""
        for looks in zip(*(pair.looks for pair in settlement.pairs), strict=False):
            self._looks.setdefault(looks[0].labels, tuple(looks))

    def _keep(self, n: int, intervals: tuple[Interval, ...]) -> None:
        self._looks[n] = intervals
        for later in [k for k in self._looks if k > n]:
            del self._looks[later]  # a label was taken back
        if len(self._looks) > LOOKS_KEPT:
            kept = sorted(self._looks)
            for k in kept[1:-1:2]:
                del self._looks[k]

    def _pair(self, i: int, status: Status, now: Interval, reach: str, verdict: Verdict | None) -> PairSettlement:
        if verdict is None:
            sentence = self._so_far(i, now)
        elif status == "out-of-reach":
            sentence = f"{verdict.sentence} {reach}".strip()
        elif status == "undecided":
            sentence = f"Not decided within {counted(now.labels, 'label')}. {verdict.sentence}"
        else:
            sentence = verdict.sentence
        if status == "undecided" and verdict is None:
            sentence = "Not decided: no label was given."
        likely, latest = self._foretold(i, now) if status == "open" else (None, None)
        looks = tuple(self._looks[n][i] for n in sorted(self._looks) if n)
        return PairSettlement(self.baseline, self.candidates[i], status, sentence, now, looks, likely, latest)

    def _so_far(self, i: int, now: Interval) -> str:
        names = f"{self.candidates[i]} against {self.baseline}"
        if now.low is None or now.high is None:
            return f"{names}: {counted(now.labels, 'label')} so far, too few for an interval."
        end = "open."
        if self._foretold(i, now)[0] is None:
            end = "open; if it stays like this no number of labels will decide it, and more topics are needed."
        return (
            f"{names}: {now.difference:+.4f} {self.measure}, {100 * self.confidence:.4g}% CI [{now.low:.4f}, "
            f"{now.high:.4f}] after {counted(now.labels, 'label')}; {end}"
        )

    def _notes(self, labels: Floats, agreement: float | None, doubled: int, ended: bool) -> tuple[str, ...]:
        notes = []
        if len(self.candidates) > 1:
            notes.append(
                f"Limits of the {len(self.candidates)} comparisons hold together with {100 * self.study.confidence:g}% "
                f"confidence; each has {100 * self.confidence:.4g}%."
            )
        if stuck := int(np.isnan(labels).sum()):
            notes.append(
                f"{counted(stuck, 'document')} could not be judged; the interval allows for any label of "
                f"{'it' if stuck == 1 else 'them'}."
            )
        if agreement is not None and doubled >= LEAST_DOUBLED:
            notes.append(f"Two people agree on {agreement:.0%} of {doubled:,} rows that both labeled.")
            if agreement < WEAK_AGREEMENT:
                notes.append(
                    "People differ in what they call relevant: where they do, the lower label counts. A study over "
                    "assessors says what other people would find."
                )
        if len(labels) >= LEAST_BEFORE_GIVING_UP and ended and (weak := self._judge_is_useless()):
            notes.append(weak)
        return tuple(notes)

    def _judge_is_useless(self) -> str:
        """That the judge's labels do not predict the gold labels, where they do not."""
        if self._last is None or self._last.draws.whole:
            return ""
        blind = replace(self._last, fit=replace(self._last.fit, stratum=np.zeros_like(self._last.fit.stratum)))
        with_, without = (float(e.over_gold(self.contrasts).value.mean()) for e in (self._last, blind))
        if with_ < 0.97 * without:
            return ""
        return (
            "The judge's labels do not predict the gold labels: the answer rests on the gold labels alone, as it would "
            "without a judge."
        )


def _together(statuses: Sequence[Status]) -> Status:
    """One status for all pairs: open while any is; else the first that says most."""
    order: tuple[Status, ...] = ("open", "better", "worse", "not-better", "undecided", "out-of-reach")
    if len(set(statuses)) == 1:
        return statuses[0]
    if "open" in statuses:
        return "open"
    return min(statuses, key=order.index)


def settle(
    study: Study,
    label: LabelOf,
    *,
    baseline: str | None = None,
    candidate: str | Sequence[str] | None = None,
    measure: MeasureLike | None = None,
    population: str | None = None,
    max_labels: int | None = None,
    price: float | None = None,
    max_cost: float | None = None,
    every: int = 1,
    seed: int = 0,
    progress: Callable[[Settlement], None] | None = None,
) -> SettleResult:
    """Ask for labels one after the other until the question is settled; see `Study.settle`."""
    study = study if measure is None else study.with_measures([measure])
    a, others = _systems(study, baseline, candidate)
    settling = Settling(study, a, others, LabelBudget(max_labels, price, max_cost), population, seed)
    rows: list[Label] = []
    now = settling.decide(rows)
    for topic, doc in zip(settling.listed.topics, settling.listed.docs, strict=True):
        if now.ended or len(rows) >= settling.most:
            break
        value = label(topic, doc)
        rows.append(Label(topic, doc, (None if value is None or math.isnan(value) else float(value),)))
        if len(rows) % every == 0 or len(rows) == settling.most:
            now = settling.decide(rows)
            if progress is not None:
                progress(now)
    if not now.ended:
        now = settling.decide(rows)
    labels = settling.labels_of(rows)
    return SettleResult(now, settling.verdicts(labels) if rows else (), settling.filled(labels))


def _systems(study: Study, baseline: str | None, candidate: str | Sequence[str] | None) -> tuple[str, list[str]]:
    """Who is held against whom; the first of two systems is the baseline unless others are named."""
    a = baseline if baseline is not None else study.systems[0]
    if candidate is None:
        return a, [s for s in study.systems if s != a]
    return a, [candidate] if isinstance(candidate, str) else list(candidate)
