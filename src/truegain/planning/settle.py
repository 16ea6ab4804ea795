"""Labels until it is known: which rows to label next, what is known after each, and when to stop."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from statistics import NormalDist

import numpy as np
from msgspec import structs

from truegain.config import Gold
from truegain.data.label_lists import GoldList
from truegain.errors import DataWarning, InputError, TruegainError, an, check_one_of, counted, shorten, some
from truegain.io.columns import Floats
from truegain.judge_error.gold_pairs import ends_of
from truegain.measures.base import Measure
from truegain.measures.label_weights import StandIn, level_of
from truegain.message import GOLD_OF_STUDY, SAMPLE_GOLD, arg, argname
from truegain.planning.gold_sample import draw_list
from truegain.results.base import Table
from truegain.results.settlement import (
    AGGREGATES,
    DECIDED,
    Aggregate,
    Interval,
    Label,
    PairSettlement,
    Settlement,
    Status,
    labels_in_words,
    trusted_label,
)
from truegain.results.table import Cell
from truegain.sampling.gold import information_after
from truegain.settings import check_count
from truegain.stats.contrasts import Contrasts, place_of
from truegain.study.decision import could_move
from truegain.study.estimators import LEAST_GOLD
from truegain.study.looks import ListLooks, PairLook, Reach
from truegain.study.reading import check_order, sources_of
from truegain.study.settled import LabelBudget, LabelError, SettleResult, labels_by_document
from truegain.study.study import Study
from truegain.study.verdict import Verdict

LabelOf = Callable[[str, str], float | None]
STATUS: Mapping[str, Status] = {status.replace("-", " "): status for status in DECIDED}  # of a verdict's outcome
ASSUMED = (
    0.8  # sd of gold values given the judge's label, of the largest possible: a judge right about 4 of 5 documents
)
OVERSHOOT = 0.3  # nats that stakes have above 2/alpha when it is decided, in the middle; as simulations show
LEAST_BEFORE_GIVING_UP = 30  # labels, before anything is said to be out of reach
# A forecast ends it where each of so many looks, so many labels apart, gives a decision less than this chance; the
# first of them after no fewer labels than this, since a forecast from few labels is worth little.
UNLIKELY, LOOKS_AGREE, APART, LEAST_BEFORE_FORECAST = 0.02, 5, 5, 50
LEAST_TOLD = 0.00005  # of numbers with four decimals
AFFORDABLE = 30  # of what topics leave open: to tell less takes 30 x 30 times as many topics, which nobody can pay
LOOKS_KEPT = 200  # of the path of intervals
TRUE_DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2)  # of the range of scores
WEAK_AGREEMENT = 0.6
LEAST_DOUBLED = 10


def not_of_answers() -> TruegainError:
    """Why answers are not settled, and what to do in its place."""
    return TruegainError(
        "this study cannot be settled label by label: it is of answers; draw a list of them "
        f"({SAMPLE_GOLD}), fill it in from the top, and look as often as you like ({GOLD_OF_STUDY}, with "
        f"{arg('sequential', True)})"
    )


@dataclass(eq=False)
class Settling:
    """A question that labels shall settle: what to label, in which order, and what is known after each label.

    Labels count from the top of the list down to the first row that has none, so that people may work beside each
    other.  Limits hold at every look together, so one may look after every label.

    Parameters
    ----------
    study : Study
        Of runs and the labels of a judge, with one measure; its `min_effect`, `confidence` and `population` count.
    baseline : str or sequence of str
        The system that others are held against; or one for each of the candidates.
    candidates : sequence of str
        The others; several pairs have limits that hold together.
    budget : LabelBudget
        How far labeling may go.
    population : str, optional
        'topics' or 'fixed'; by default that of the study.
    seed : int
        Of the order of the list.
    drawn : GoldList, optional
        The list, where it was drawn before.
    scale : str or sequence of float, optional
        The labels that people may give, as '0:3', or the lowest and the highest; by default those of the judge.
    aggregate : {'median', 'mean'}
        What several people's labels of a document become: the lower median; or their mean, of graded measures alone.

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
    baseline: str | Sequence[str]
    candidates: Sequence[str]
    budget: LabelBudget = field(default_factory=LabelBudget)
    population: str | Sequence[str] | None = None
    seed: int = 0
    drawn: GoldList | None = None
    scale: str | Sequence[float] | None = None
    aggregate: Aggregate = "median"
    listed: GoldList = field(init=False)

    def __post_init__(self) -> None:
        study = self.study
        if study.of_items:
            raise not_of_answers()
        if study.judge is not None:
            raise TruegainError(
                "this study cannot be settled label by label: give the judge's labels only: gold labels are collected "
                "here"
            )
        check_one_of("aggregate", self.aggregate, tuple(AGGREGATES))
        if len(study.measures) != 1:
            raise TruegainError(
                f"settling needs one measure, and the study has {some([str(m) for m in study.measures])}: name one of "
                f"them ({arg('measures', python='Study.with_measures')})"
            )
        self._check_mean()
        check_order(study.config.scoring, "settling draws its list")
        one = isinstance(self.baseline, str)
        self.baselines: tuple[str, ...] = tuple([str(self.baseline)] * len(self.candidates) if one else self.baseline)
        if not self.candidates and len(study.systems) < 2:
            raise TruegainError(f"settling needs two systems, and there is one ({study.systems[0]})")
        if not self.candidates or any(a == b for a, b in zip(self.baselines, self.candidates, strict=True)):
            baseline = self.baselines[0] if self.baselines else self.baseline
            raise TruegainError(f"{argname('candidate')}: name one or more systems other than {baseline}")
        all_ = study.systems
        pairs = [(place_of(a, all_, "baseline"), place_of(b, all_, "candidate")) for a, b in self.pairs]
        self.contrasts = Contrasts.of(pairs)
        ends = ends_of(self.scale)
        if self.drawn is not None and ends is not None and ends != self.drawn.scale:
            raise InputError(
                f"{argname('scale', self.scale)}: this list was drawn for labels {self.drawn.labels}; draw another"
            )
        systems = sorted({x for pair in pairs for x in pair})
        ends = ends if self.drawn is None else self.drawn.scale
        listed = draw_list(study.ranked, self.measure, systems=systems, scale=ends, seed=self.seed)
        self.listed = listed if self.drawn is None else _same(self.drawn, listed)
        population = sources_of(self.population or study.config.population)
        if other := sorted(population - {"topics"}):
            raise TruegainError(
                f"{argname('population', other[0])}: settling asks about topics like these ('topics') or these "
                "topics only ('fixed')"
            )
        self.over_topics = "topics" in population
        self._path: dict[int, tuple[Interval, ...]] = {}
        self._seen = np.zeros(0)  # labels of the last look
        self._looks  # noqa: B018  # what is wrong with the files is said before anybody labels

    def _check_mean(self) -> None:
        """Refuse means of labels for a measure that has no worth for labels between those that people give."""
        if self.aggregate != "mean":
            return
        level = level_of(self.measure)
        if level is not None:
            why = f"{self.measure} asks only whether a label reaches {level:g}, so a mean below it counts as 0"
        elif getattr(self.measure, "gains", None) is not None:
            why = f"{self.measure} gives labels their gains by a table, which has none for a mean"
        else:
            return
        mean, median = (arg("team_aggregate", rule, python=f"aggregate={rule!r}") for rule in ("mean", "median"))
        raise TruegainError(
            f"{mean}: {why}; give {median}, or a graded measure without a table of gains, such as DCG@10"
        )

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each candidate, behind its baseline."""
        return list(zip(self.baselines, self.candidates, strict=True))

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.study.measures[0]

    @cached_property
    def stand_in(self) -> StandIn:
        """What is decided: the measure itself, or what stands for nDCG, which scattered labels cannot correct."""
        return StandIn.of(self.measure, self.study.ranked)

    @property
    def decides(self) -> str:
        """How that is called, such as DCG@10/11.25."""
        return self.stand_in.name or str(self.measure)

    @property
    def _instead(self) -> tuple[str, ...]:
        """A note where another measure is decided than the one that was asked for."""
        if not self.stand_in.name:
            return ()
        plain, constant = self.stand_in.measure, self.stand_in.constant
        return (
            f"The decision is about {self.decides}, not {self.measure}: {plain} divided by {constant:.4g}, the mean "
            f"best {plain} by the judge's labels. {self.measure} itself needs the labels of all documents, and the two "
            "can differ in sign where the difference is small.",
        )

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
    def _looks(self) -> ListLooks:
        """Looks at the list, which has a label for every row at first: all that does not depend on which they are."""
        low, high = self.listed.scale
        some_labels = np.where(np.arange(len(self.listed)) % 2, high, low)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # these labels are nobody's
            whole = self._with(self.listed.with_labels(some_labels))
        return ListLooks(whole, self.contrasts)

    def _with(self, filled: GoldList) -> Study:
        """The study with these gold labels, at the confidence of one pair."""
        config = replace(
            self.study.config, gold=Gold(filled, sequential=True), confidence=self.confidence,
            population=self.population or self.study.config.population,
        )  # fmt: skip
        return self.study.with_config(config)

    def labels_of(self, rows: Sequence[Label], top: int | None = None) -> Floats:
        """One gold label for each row of the unbroken top, of people's by `aggregate`; NaN where nobody could judge.

        Rows must be those of the list, from its top.
        """
        labels = []
        for i, row in enumerate(rows[:top]):
            if not row.labels:
                break
            if i == len(self.listed):
                raise TruegainError(f"there are more than {i:,} rows with labels, and the list has {i:,}")
            if (row.topic, row.doc) != (self.listed.topics[i], self.listed.docs[i]):
                raise TruegainError(
                    f"row {i + 1:,} is topic {row.topic}, document {row.doc}, and topic {self.listed.topics[i]}, "
                    f"document {self.listed.docs[i]} in the list: labels count in the order of the list; "
                    "keep that order"
                )
            known = [x for x in row.labels if x is not None]
            low, high = self.listed.scale
            if off := [x for x in known if not low <= x <= high]:
                raise TruegainError(
                    f"topic {row.topic}, document {row.doc}: the label {off[0]:g} is not on the scale "
                    f"{self.listed.labels} of the list; correct it, or start again with {arg('scale')} set to the "
                    "labels in use"
                )
            labels.append(trusted_label(known, self.aggregate) if known else math.nan)
        return np.array(labels, np.float64)

    def decide(self, rows: Sequence[Label], top: int | None = None, answers: int | None = None) -> Settlement:
        """What is known after these labels.

        Parameters
        ----------
        rows : sequence of Label
            The rows of the list, from its top.
        top : int, optional
            How many of them have all their labels; by default down to the first that has none.
        answers : int, optional
            Labels that people gave in all, for the cost; by default those of the rows.

        Returns
        -------
        Settlement
            Its `status` is 'open' as long as more labels are wanted.
        """
        labels = self.labels_of(rows, top)
        n = len(labels)
        answers = sum(len(row.labels) for row in rows) if answers is None else answers
        looks = self._looks.after(labels) if n else []
        intervals = tuple(_interval(n, look) for look in looks) or tuple(Interval(0) for _ in self.candidates)
        self._keep(labels, intervals)
        limit = self.budget.limit
        out_of_labels = n >= len(self.listed) or (limit is not None and answers >= limit)
        statuses, whys, forecasts = [], [], []
        for i, why in enumerate(self._looks.never):
            status: Status = STATUS.get(looks[i].outcome, "open") if looks and not why else "open"
            if status == "open" and not why and n >= min(LEAST_BEFORE_GIVING_UP, len(self.listed)):
                why = self._out_of_reach(i, looks[i])
            unlikely = "" if status != "open" or why or out_of_labels else self._unlikely(i, looks, n)
            if status == "open":
                status = "out-of-reach" if why or unlikely else "undecided" if out_of_labels else "open"
            statuses.append(status)
            whys.append(why or unlikely)
            forecasts.append(bool(unlikely))
        ended = "open" not in statuses
        verdicts = self.verdicts(labels) if ended else ()
        stuck, cannot = int(np.isnan(labels).sum()), sum(x is None for row in rows for x in row.labels)
        count = labels_in_words(n, stuck) if not ended else _given(answers, cannot, n)
        pairs = tuple(
            self._pair(i, statuses[i], intervals[i], whys[i], forecasts[i], looks, verdicts, count)
            for i in range(len(self.candidates))
        )
        doubled = [known for row in rows[:n] if len(known := [x for x in row.labels if x is not None]) > 1]
        agreement = sum(len(set(known)) == 1 for known in doubled) / len(doubled) if doubled else None
        stuck_told = any(  # all of them: a pair tells those that move its own difference
            v.not_judgeable == stuck and v.sentence in pair.sentence for v, pair in zip(verdicts, pairs, strict=False)
        )
        return Settlement(
            _together(statuses), " ".join(pair.sentence for pair in pairs), pairs, self.decides, n, answers,
            len(self.listed), self.most, self.study.min_effect, self.study.confidence, self.budget.cost(answers),
            self.budget.max_cost, agreement, len(doubled), self._notes(
                labels, agreement, len(doubled), statuses, intervals, stuck_told=stuck_told
            ), stuck, self.budget.double,
        )  # fmt: skip

    def with_given(self, now: Settlement, answers: int) -> Settlement:
        """The answer with as many labels given in all, those that do not count among them, and what they cost."""
        return structs.replace(now, given=answers, cost=self.budget.cost(answers))

    def verdicts(self, labels: Floats) -> tuple[Verdict, ...]:
        """The verdicts of the study with these gold labels; none where nobody could judge any of them."""
        if np.isnan(labels).all():
            return ()
        study = self._with(self.filled(labels))
        return tuple(study.verdict(a, b) for a, b in self.pairs)

    def filled(self, labels: Floats) -> GoldList:
        """The list with these labels at its top."""
        all_labels = np.full(len(self.listed), np.nan)
        all_labels[: len(labels)] = labels
        stuck = frozenset(np.flatnonzero(np.isnan(labels)).tolist())
        return replace(self.listed, label=all_labels, cannot=stuck).checked()

    # ---- How far it is.

    def _out_of_reach(self, i: int, look: PairLook) -> str:
        """Why no number of labels decides a pair; empty where some may: see `Reach`."""
        reach, least = self._looks.reach(i), self.study.min_effect
        if reach.decides(look.could, least):
            return ""
        if reach.decides((0.0, 0.0), least):
            bounds = self._looks.bounds[i]
            assert bounds is not None
            return (
                f"No number of labels will decide it: {bounds.counted} {_moves(look.could)}, and are not "
                "on the list. Have the judge label them and start again, so that people can check them too; or count "
                "unjudged documents as not relevant."
            )
        if not self.over_topics and not reach.stuck:
            return ""  # with all labels it is known
        if not self.over_topics or (reach.stuck > reach.half and reach.decides(look.could, least, stuck=False)):
            if self._looks.sure_reach(i).decides(look.could, least):
                return ""  # if the others can be judged; a forecast may end it
            return f"No number of labels will decide it: {_stuck_moves(reach)}"
        return self._needs_topics(reach.half, look)

    def _unlikely(self, i: int, looks: Sequence[PairLook], n: int) -> str:
        """Why labels will hardly decide a pair, by a forecast; empty where they may, and where it shall not end it.

        It hangs on the labels alone, not on when one looked: who is killed and starts again ends at the same label.
        """
        first = n - APART * (LOOKS_AGREE - 1)
        if self.budget.keep_going or first < LEAST_BEFORE_FORECAST:
            return ""
        if looks[i].comparison.low is None and not self._looks.reach(i).stuck:
            return ""
        could, least = looks[i].could, self.study.min_effect
        for k in range(n, first - 1, -APART):
            seen = self._looks.forecast(i, k)
            if seen.chance(could, least) >= UNLIKELY:
                return ""
        seen = self._looks.forecast(i, n)
        forecast = (
            f"A forecast ended it: the chance that the other {len(self.listed) - n:,} documents of the list decide "
            f"the comparison is below {UNLIKELY:.0%}."
        )
        if seen.chance((0.0, 0.0), least) >= UNLIKELY:
            bounds = self._looks.bounds[i]
            assert bounds is not None
            why = (
                f"{bounds.counted[0].upper()}{bounds.counted[1:]} {_moves(could)}, and are not on the list. Have the "
                "judge label them and start again."
            )
        elif seen.chance(could, least, stuck=False) >= UNLIKELY:
            return (
                f"A forecast ended it: if as many of the other {len(self.listed) - n:,} documents of the list cannot "
                f"be judged, the chance that they decide it is below {UNLIKELY:.0%}. Until now "
                f"{_stuck_moves(self._looks.reach(i))}"
            )
        else:
            why = self._by_topics("With all of them labeled", seen.half, looks[i])
        return f"{forecast} {why}"

    def _needs_topics(self, half: float, look: PairLook) -> str:
        return self._by_topics(
            "No number of labels will decide it: with every document of the list labeled", half, look
        )

    def _by_topics(self, labeled: str, half: float, look: PairLook) -> str:
        """How wide topics leave the interval, and how many would do."""
        value, topics = look.comparison.difference, len(self.study.topics)
        if math.isnan(value):
            return "The documents at the top of the list could not be judged; have somebody label them."
        ends = [x for x in (look.comparison.low, look.comparison.high) if x is not None] or [value]
        end = max(ends, key=lambda x: self._far(x, look.could))
        far, most = (self._far(x, look.could) for x in (value, end))
        if half < LEAST_TOLD:
            return f"{labeled} the two are likely equal on these topics."
        if most <= half / AFFORDABLE:
            more = "the difference is too small for any affordable number of topics"
        elif far > half / AFFORDABLE:
            needed = math.ceil(topics * (half / far) ** 2)
            more = f"with about {needed:,} topics a difference of {value:+z.4f} would be decided with an even chance"
        else:
            needed = math.ceil(topics * (half / most) ** 2)
            more = (
                f"no affordable number of topics separates the two if the difference is as estimated, {value:+z.4f}, "
                f"and about {needed:,} would decide it with an even chance if it is as large as the interval allows, "
                f"{end:+z.4f}"
            )
        return (
            f"{labeled} the interval would still be about "
            f"+-{half:.4f} for topics like these {topics:,}; {more}. For these topics only, labels can decide it."
        )

    def _far(self, value: float, could: tuple[float, float]) -> float:
        """How far a difference is from what leaves it open, on the side where it is decided; at least 0."""
        least = self.study.min_effect
        return max(value + could[0] - least, least - value - could[1], 0.0)

    def needed_for(self, far: float, spread: float, own: float, chance: float = 0.5) -> int | None:
        """Rows after which a pair this far from what decides is decided with this chance; None: no number is enough.

        spread: the sd of the first estimate; own: the part of the variance that topics bring, times t squared.
        """
        left = far**2 - own
        if left <= 0:
            return None
        z = math.sqrt(2 * (math.log(2 / self._looks.errors.gold) + OVERSHOOT)) + NormalDist().inv_cdf(chance)
        tau = information_after(self.listed.size, np.arange(1, len(self.listed) + 1))
        n = int(np.searchsorted(tau, (z * spread) ** 2 / left)) + 1
        return max(min(n, len(self.listed)), min(LEAST_GOLD, len(self.listed)))

    def _forecast(self, i: int, look: PairLook, n: int) -> tuple[int | None, int | None]:
        """Rows in all that are likely needed, and that are with 90%, were things to go on like this."""
        if look.comparison.low is None:
            return None, None
        spread, own = self._looks.spread(i), self._looks.half_by_topics(i) ** 2
        far = self._far(look.comparison.difference, look.could)
        tau = float(information_after(self.listed.size, np.array([n]))[0])
        unsure = NormalDist().inv_cdf(0.9) * spread / math.sqrt(tau)
        needed = [self.needed_for(far, spread, own), self.needed_for(max(far - unsure, 0.0), spread, own)]
        if not own and not any(look.could):  # with all labels it is known
            needed = [x or len(self.listed) for x in needed]
        likely, latest = (None if x is None else max(x, min(n + 1, len(self.listed))) for x in needed)
        return likely, latest

    def outlook(self) -> Table:
        """Before anything begins: how many labels are likely needed for what true differences, and what they cost."""
        spread, own = self._looks.first_spread() * ASSUMED, self._looks.half_by_judge() ** 2
        rows: list[tuple[Cell, ...]] = []
        least = self.study.min_effect
        for d in sorted({*(x * self._scale for x in TRUE_DIFFERENCES), *([least, 2 * least] if least else [])}):
            far = abs(d - least)
            even, most = (self.needed_for(far, spread, own, chance) for chance in (0.5, 0.8))
            if not own:
                even, most = even or len(self.listed), most or len(self.listed)
            labels = [None if n is None else self.budget.label_count(n) for n in (even, most)]
            row: list[Cell] = [d, *labels]
            if self.budget.price is not None:
                row += [None if n is None else self.budget.cost(n) for n in labels]
            rows.append(tuple(row))
        columns = ["true difference", "labels, even chance", "labels, 80% chance"]
        columns += ["cost, even chance", "cost, 80% chance"] if self.budget.price is not None else []
        notes = [
            *self._instead,
            f"{len(self.listed):,} labeled documents can change the result of {self._names()} on {self.decides}; "
            f"labeling stops after {self.most:,} labels at the latest.",
            "Numbers assume a judge that is right about 4 of 5 documents; a better one needs fewer.",
        ]
        if self.budget.double:
            notes.append(
                f"These numbers include a second person's labels of {self.budget.double:.0%} of the documents."
            )
        if self.most < self.budget.label_count(len(self.listed)) and not any(
            isinstance(row[1], int) and row[1] <= self.most for row in rows
        ):
            notes.append(f"With {self.most:,} labels, none of these differences has an even chance of being decided.")
        for (a, b), bounds in zip(self.pairs, self._looks.bounds, strict=True):
            could = could_move(bounds, self.study.unjudged_policy)
            if bounds is not None and any(could):
                notes.append(
                    f"{b} against {a}: {bounds.counted} {_moves(could)}, and are not on the list. Numbers are "
                    "without them: while they have no label, small differences may stay open for good."
                )
        if own:
            near = f"below about {math.sqrt(own):.3f}"
            if least:
                near = f"within about {math.sqrt(own):.3f} of the smallest effect, {least:g},"
            notes.append(
                f"For topics like these {len(self.study.topics)}: differences {near} need more topics, whatever the "
                "number of labels."
            )
        return Table(
            tuple(columns),
            rows,
            {},
            f"Labels until the answer is known: {self._names()} on {self.decides}",
            tuple(notes),
        )

    @property
    def _scale(self) -> float:
        """How large a difference can be; of a measure without an upper bound, the best score by the judge's labels."""
        low, high = self.measure.bounds()
        return high - low if math.isfinite(high - low) else float(self._looks.uncorrected_scores().max()) or 1.0

    def _names(self) -> str:
        return f"{some(list(dict.fromkeys(self.candidates)), 4)} against {some(list(dict.fromkeys(self.baselines)), 4)}"

    # ---- What is told.

    def remember(self, settlement: Settlement) -> None:
        """Take up the path of an earlier settlement, after a restart."""
        if [(p.baseline, p.candidate) for p in settlement.pairs] != self.pairs:
            return
        for looks in zip(*(pair.looks for pair in settlement.pairs), strict=False):
            self._path.setdefault(looks[0].labels, tuple(looks))

    def _keep(self, labels: Floats, intervals: tuple[Interval, ...]) -> None:
        """Keep a look, and none of those with labels that were taken back or changed since."""
        n = len(labels)
        both = min(n, len(self._seen))
        now, before = labels[:both], self._seen[:both]
        changed = np.flatnonzero(~((now == before) | (np.isnan(now) & np.isnan(before))))
        same = int(changed[0]) if len(changed) else n
        self._seen = labels
        self._path = {k: looks for k, looks in self._path.items() if k <= same}
        self._path[n] = intervals
        if len(self._path) > LOOKS_KEPT:
            kept = sorted(self._path)
            for k in kept[1:-1:2]:
                del self._path[k]

    def _pair(
        self, i: int, status: Status, now: Interval, why: str, forecast: bool, looks: Sequence[PairLook],
        verdicts: Sequence[Verdict], count: str,
    ) -> PairSettlement:  # fmt: skip
        likely, latest = self._forecast(i, looks[i], now.labels) if status == "open" and looks else (None, None)
        a, b = self.pairs[i]
        unknown = f"data cannot show whether {b} is better than {a} on {self.decides}"
        if status == "undecided" and not verdicts:
            sentence = f"Not decided within {count}: without a label the {unknown}."
        elif why and now.low is None and not self._looks.never[i]:  # no verdict, which would ask for more labels
            sentence = f"The {unknown}. {why}"
        elif verdicts and status == "undecided":
            sentence = f"Not decided within {count}. {verdicts[i].sentence}"
        elif verdicts:
            sentence = f"{verdicts[i].sentence} {why}" if why and not verdicts[i].reasons else verdicts[i].sentence
        elif why:
            sentence = why
        else:
            sentence = self._so_far(i, now, status, likely, count)
        path = tuple(self._path[n][i] for n in sorted(self._path) if n)
        return PairSettlement(a, b, status, sentence, now, path, likely, latest, forecast)

    def _so_far(self, i: int, now: Interval, status: Status, likely: int | None, count: str) -> str:
        names = f"{self.candidates[i]} against {self.baselines[i]}"
        if now.low is None or now.high is None:
            return f"{names}: {count} so far, too few for an interval."
        end = "open." if status == "open" else f"decided: {status.replace('-', ' ')}."
        if status == "open" and likely is None and self.over_topics:
            end = "open; if this continues, no number of labels will decide it, and more topics are needed."
        return (
            f"{names}: {now.difference:+z.4f} {self.decides}, {100 * self.confidence:g}% CI [{now.low:z.4f}, "
            f"{now.high:z.4f}] after {count}; {end}"
        )

    def _notes(
        self, labels: Floats, agreement: float | None, doubled: int, statuses: Sequence[Status],
        intervals: Sequence[Interval], *, stuck_told: bool,
    ) -> tuple[str, ...]:  # fmt: skip
        notes = list(self._instead)
        ended = "open" not in statuses
        if len(self.candidates) > 1:
            notes.append(
                f"Limits of the {len(self.candidates)} comparisons hold together with {100 * self.study.confidence:g}% "
                f"confidence; each has {100 * self.confidence:g}%."
            )
        if "undecided" in statuses and ended and len(labels) < len(self.listed) and self.budget.binding:
            left, budget = len(self.listed) - len(labels), self.budget
            labels_paid = counted(budget.limit or 0, "label")
            limit = f"limit of {labels_paid}"
            if budget.binding == "max_cost":
                limit = f"cost limit of {budget.max_cost:,g}, which pays for {labels_paid}"
            notes.append(
                f"Labeling ended at the {limit}; {counted(left, 'document')} of the list "
                f"{'is' if left == 1 else 'are'} left. With a higher limit, labeling goes on from here."
            )
        stuck = int(np.isnan(labels).sum())
        if stuck and not stuck_told:
            notes.append(
                f"{counted(stuck, 'document')} could not be judged; the interval allows for any label of "
                f"{'it' if stuck == 1 else 'them'}."
            )
        if agreement is not None and doubled >= LEAST_DOUBLED:
            notes.append(f"Two people agree on {agreement:.0%} of {doubled:,} rows that both labeled.")
            if agreement < WEAK_AGREEMENT:
                notes.append(
                    "People differ in what they call relevant: where they do, "
                    f"{AGGREGATES[self.aggregate]}. A study over assessors shows what other people would find."
                )
        if len(labels) - stuck >= LEAST_BEFORE_GIVING_UP and ended and not self._looks.judge_helps():
            notes.append(
                "The judge's labels do not predict the gold labels: the answer rests on the gold labels alone, as it "
                "would without a judge."
            )
        stopped = [now for x, now in zip(statuses, intervals, strict=True) if x in ("better", "worse")]
        if ended and any(now.low != now.high for now in stopped):  # with all labels it is what it is
            notes.append(
                "Labeling stops when the interval excludes 0, often where the difference looks larger than it "
                "is: quote the interval."
            )
        return tuple(notes)


def _same(drawn: GoldList, now: GoldList) -> GoldList:
    """A list that was drawn before, if the same would be drawn now: chances are those of the runs and labels then."""
    if drawn.digest == now.digest:
        return drawn
    rows = [list(zip(listed.topics, listed.docs, listed.bronze.tolist(), strict=True)) for listed in (drawn, now)]
    before, after = ({(t, d): x for t, d, x in row} for row in rows)
    if drawn.measure != now.measure:
        what = f"its list was drawn for {drawn.measure}, and now the measure is {now.measure}"
    elif before.keys() != after.keys():
        other = before.keys() ^ after.keys()
        t, d = min(other)
        where = "on its list, and not" if (t, d) in before else "not on its list, but"
        what = (
            f"with these runs and judgments {counted(len(other), 'document')} of the list "
            f"{'differs' if len(other) == 1 else 'differ'}, such as topic {t}, document {d}, which is {where} on "
            "the one that is drawn now"
        )
    elif before != after:
        (t, d), x = next((pair, x) for pair, x in before.items() if after[pair] != x)
        what = f"the judge's label of topic {t}, document {d} was {x:g}, and now it is {after[t, d]:g}"
    else:
        what = "its documents are drawn in another order now, as with another seed or other ranks in the runs"
    raise InputError(what, hint="give the runs, labels and settings that it was drawn with, or draw another list")


def _moves(could: tuple[float, float]) -> str:
    """What unjudged documents can do to a difference, in words.

    >>> _moves((-0.02, 0.354)), _moves((-0.0, 0.354)), _moves((-0.02, 0.0))
    ('could take 0.0200 from the difference or add 0.3540', 'could add 0.3540 to the difference', \
'could take 0.0200 from the difference')
    """
    less, more = (f"{abs(x):.4f}" for x in could)
    if not float(less):
        return f"could add {more} to the difference"
    return f"could take {less} from the difference" + (f" or add {more}" if float(more) else "")


def _stuck_moves(reach: Reach) -> str:
    """What rows that nobody could judge can do to a difference, and the way out."""
    return (
        f"the documents that could not be judged could move the difference by {reach.stuck:.4f}. Ask somebody who can "
        "judge them."
    )


def _interval(n: int, look: PairLook) -> Interval:
    """What is shown of a look; no interval while too few labels touch the pair."""
    c = look.comparison
    return Interval(n, None if math.isnan(c.difference) else c.difference, c.low, c.high)


def _given(answers: int, cannot: int, rows: int) -> str:
    """What people gave in all, in words.

    >>> print(_given(300, 0, 300)), print(_given(300, 2, 297))
    300 labels
    298 labels and 2 answers that a document cannot be judged (the first 297 documents of the list have all of theirs)
    (None, None)
    """
    text = counted(answers - cannot, "label")
    text += f" and {counted(cannot, 'answer')} that a document cannot be judged" if cannot else ""
    return text + ("" if answers == rows else f" (the first {rows:,} documents of the list have all of theirs)")


def _together(statuses: Sequence[Status]) -> Status:
    """One status for all pairs, as `gate` has it of its claim that all are better: open while any pair is.

    >>> _together(["better", "worse"]), _together(["better", "undecided"]), _together(["better", "better"])
    ('not-better', 'undecided', 'better')
    >>> _together(["worse", "worse"]), _together(["worse", "undecided"])
    ('worse', 'not-better')
    """
    order: tuple[Status, ...] = ("open", "worse", "not-better", "undecided", "out-of-reach", "better")
    weakest = min(statuses, key=order.index)
    return "not-better" if weakest == "worse" and set(statuses) != {"worse"} else weakest


def settle(
    study: Study,
    label: LabelOf,
    systems: tuple[str | None, str | Sequence[str] | None],
    budget: LabelBudget,
    scale: str | Sequence[float] | None = None,
    population: str | None = None,
    every: int = 1,
    seed: int = 0,
    progress: Callable[[Settlement], None] | None = None,
) -> SettleResult:
    """Ask for labels one after the other until it is known of a baseline and a candidate: see `Study.settle`."""
    check_count("every", every, 1)
    settling = Settling(study, *systems_of(study, *systems), budget, population, seed, scale=scale)
    rows: list[Label] = []
    try:
        now = settling.decide(rows)
        for topic, doc in zip(settling.listed.topics, settling.listed.docs, strict=True):
            if now.ended or len(rows) >= settling.most:
                break
            rows.append(Label(topic, doc, (_asked(label, settling, rows, topic, doc),)))
            if len(rows) % every == 0 or len(rows) == settling.most:
                now = settling.decide(rows)
                if progress is not None:
                    progress(now)
        if not now.ended:
            now = settling.decide(rows)
        labels = settling.labels_of(rows)
        return SettleResult(now, settling.verdicts(labels), settling.filled(labels))
    except LabelError:
        raise
    except BaseException as error:  # Ctrl-C too, in a label or in a look: labels that were paid for are kept
        with suppress(AttributeError):  # an error that takes no attributes
            error.labels = labels_by_document(settling.filled(settling.labels_of(rows)))  # type: ignore[attr-defined]
            if rows:
                error.add_note(_kept(len(rows)).strip(" ()"))
        raise


def _asked(label: LabelOf, settling: Settling, rows: Sequence[Label], topic: str, doc: str) -> float | None:
    """The label of a document; where there is none that counts, an error that keeps those before it."""
    try:
        value = label(topic, doc)
        problem = _no_label(value, settling.listed)
    except Exception as error:  # `settle` sees to Ctrl-C
        raise LabelError(
            f"topic {topic}, document {doc}: the label function failed ({type(error).__name__}: {error}); fix it, and "
            f"settle again{_kept(len(rows))}", settling.filled(settling.labels_of(rows)),
        ) from error  # fmt: skip
    if problem:
        raise LabelError(
            f"topic {topic}, document {doc}: {problem}; fix it, and settle again{_kept(len(rows))}",
            settling.filled(settling.labels_of(rows)), value,
        )  # fmt: skip
    return None if value is None else float(value)


def _no_label(value: object, listed: GoldList) -> str:
    """Why a value is no label of a list; empty where it is one, or None: could not be judged."""
    if value is None:
        return ""
    low, high = listed.scale
    needed = "a number, or None where it cannot be judged, is needed"
    if not isinstance(value, Real | np.bool_):  # numpy's bool is no number to Python, though its own is
        return f"the label is {shorten(repr(value))}, which is {an(value)}, and {needed}"
    if not math.isfinite(value):
        return f"the label is {float(value):g}, and {needed}"
    if not low <= float(value) <= high:
        scale = arg("scale")
        return f"the label {float(value):g} is not on the scale {listed.labels} of the list ({scale} gives another)"
    return ""


def _kept(rows: int) -> str:
    """Where the labels so far are."""
    if not rows:
        return ""
    return (
        f" ({counted(rows, 'label')} so far {'is' if rows == 1 else 'are'} kept, by topic and document: error.labels)"
    )


def systems_of(study: Study, baseline: str | None, candidate: str | Sequence[str] | None) -> tuple[str, list[str]]:
    """Who is held against whom; the first of two systems is the baseline unless others are named."""
    a = baseline if baseline is not None else study.systems[0]
    if candidate is None:
        return a, [s for s in study.systems if s != a]
    return a, [candidate] if isinstance(candidate, str) else list(candidate)
