"""How precise a difference is now and would be with more of each kind, also for intervals that hold at every look."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.message import argname, argvalue
from truegain.sampling.catalogue import SOURCES, holders
from truegain.stats.student_t import quantile_of, satterthwaite
from truegain.study.anytime import sequence_half
from truegain.study.documents import StepDocument

# ---- The precision of a difference, now and with more units.

KINDS = ("topics", "gold", "assessors", "replicates", "clusters")
AS_NOW = dict.fromkeys(KINDS, 1.0)
PRICES = {"topic": "topics", "gold": "gold", "rating": "assessors"}
FACTORS = (2, 4)
GRID = tuple(1.05**i for i in range(90))  # times as many topics or assessors that a mix tries
MOST = 1e7


@dataclass(frozen=True)
class CurrentPrecision:
    """How precise a difference is now: the parts of its variance, and how many units of each source there are.

    Attributes
    ----------
    parts : mapping of str to float
        By source its own part of the variance.
    topics : int
        How many topics there are.
    gold : int
        How many gold labels, or gold topics where `whole`.
    pairs : int
        From how many pairs gold was drawn.
    assessors : int
        How many assessors there are.
    ratings : int
        How many ratings an assessor gives.
    times : int
        How often the same judge was asked about each document.
    quantile : float
        How many standard errors the limits lie out.
    confidence : float
        Of the interval, where its quantile falls with more units; 0 where it stays.
    df : float
        Degrees of freedom of the variance.
    labels : float
        Gold labels for each gold topic, where `whole`.
    whole : bool
        Gold is counted in whole topics.
    unit : str
        What gold labels are called where they are something else.
    information : ndarray of float or None
        Of an ordered list, the information in its first 0, 1, 2, ... rows.
    differ : int or None
        Pairs that move the difference, where that is known; no plan asks for more.
    open : int
        Those of them without a gold label.
    away : bool
        Gold labels are of other topics, and do not grow with the topics.
    alpha : float or None
        The error of gold's limits at all looks together, for anytime-valid intervals.
    stuck : float
        The part of the half-width that documents nobody could judge leave open; nothing bought narrows it.
    groups : int
        Units of a source that groups topics; more topics do not reduce what these bring.
    room : tuple of float
        How far the limits may lie below and above the difference, by the lowest and highest value of the measure.
    """

    parts: Mapping[str, float]
    topics: int
    gold: int = 0
    pairs: int = 0  # from which gold was drawn
    assessors: int = 0
    ratings: int = 0
    times: int = 0  # that a judge was asked about each document, where asking again is spoken of
    quantile: float = 1.96
    confidence: float = 0.0  # of the interval, where with more units its quantile falls; 0: it stays
    df: float = math.inf  # of the variance now
    labels: float = 1.0
    whole: bool = False
    unit: str = ""  # what gold labels are called where they are something else
    information: Floats | None = None  # of an ordered list: tau with the first 0, 1, 2, ... rows judged
    differ: int | None = None  # pairs that move the difference, where that is known
    open: int = 0  # those without a gold label
    away: bool = False  # whether gold labels are of other topics
    alpha: float | None = None  # the error at all looks together, where limits shall hold at every one
    stuck: float = 0.0  # of half the width, by what nobody could judge
    groups: int = 0  # units that topics are grouped in: more topics of these leave what they bring
    room: tuple[float, float] = (math.inf, math.inf)  # how far limits may lie below and above the difference

    @property
    def half(self) -> float:
        """The half-width of the interval now, before it is cut at what the measure can be."""
        return self.after()

    def cut_after(self, **times: float) -> float:
        """The half-width that is told: half of what is left of the interval, cut at what the measure can be.

        Parameters
        ----------
        **times : float
            As of `after`.

        Returns
        -------
        float
            The half-width; `after` where neither limit is cut.

        Examples
        --------
        >>> now = CurrentPrecision({"topics": 0.25}, topics=4, room=(1.1, 0.9))  # a difference of 0.1
        >>> round(now.after(), 4), round(now.cut_after(), 4), round(now.cut_after(topics=4), 4)
        (0.98, 0.94, 0.49)
        """
        half = self.after(**times)
        return sum(min(half, end) for end in self.room) / 2

    def after(
        self,
        *,
        topics: float = 1.0,
        gold: float = 1.0,
        assessors: float = 1.0,
        replicates: float = 1.0,
        clusters: float = 1.0,
    ) -> float:
        """The half-width with more units.

        V' = (topics + collection + replicates k/k') T/T' + gold (1 - f')/(1 - f) f T/(f' T') + assessors A/A';
        gold of other topics: gold G/G' in place of its part.  Topics in clusters: + clusters C/C'; more clusters have
        as many topics each.

        Parameters
        ----------
        topics, gold, assessors, replicates, clusters : float, default 1.0
            How many times as many of each; gold: times the share of the pairs that has a gold label; topics: in each
            cluster, where they are grouped.

        Returns
        -------
        float
            The half-width.

        Examples
        --------
        >>> now = CurrentPrecision({"topics": 0.0003, "gold": 0.0001}, topics=50, gold=100, pairs=1000)
        >>> [round(now.after(topics=x), 4) for x in (1, 2)], round(now.after(gold=10), 4)
        ([0.0392, 0.0277], 0.0339)
        """
        topics *= clusters
        times = {"topics": topics, "gold": gold, "assessors": assessors, "replicates": replicates, "clusters": clusters}
        if self.alpha is not None:
            return self.stuck + self._at_every_look(sum(self._others(times).values()), topics, gold)
        then = {**self._others(times), "gold": self._gold(topics, gold)}
        return self.stuck + self._quantile(then, times) * math.sqrt(sum(then.values()))

    def _others(self, times: Mapping[str, float]) -> dict[str, float]:
        """Variances that gold labels do not touch."""
        above = holders("topics")
        own = [v for s, v in self.parts.items() if s not in ("gold", "assessors", "replicates", *above)]
        asked_again, people = (self.parts.get(s, 0.0) for s in ("replicates", "assessors"))
        return {
            "topics": sum(own) / times["topics"],
            "assessors": people / times["assessors"],
            "replicates": asked_again / (times["topics"] * times["replicates"]),
            "above": sum(v for s, v in self.parts.items() if s in above) / times["clusters"],
        }

    def _gold(self, topics: float, gold: float) -> float:
        """The variance over gold labels."""
        if self.information is not None:
            s2, tau = self._rows(topics, gold)
            return s2 / tau
        now = self.parts.get("gold", 0.0)
        if now and self.gold and self.pairs:
            f = self.gold / self.pairs
            new = min(1.0, f * gold)
            return now * (1 - new) / (1 - f) * f / (new * topics) if f < 1 else 0.0
        return now / (gold if self.away else topics * gold)

    def _quantile(self, then: Mapping[str, float], times: Mapping[str, float]) -> float:
        """Student's quantile for the freedom there will be: that of now, times by how much Satterthwaite's grows."""
        if not self.confidence or math.isinf(self.df):
            return self.quantile
        before = {**self._others(AS_NOW), "gold": self.parts.get("gold", 0.0)}
        now, grown = self._freedom(before, AS_NOW), self._freedom(then, times)
        if math.isinf(now):
            return self.quantile
        return quantile_of(self.confidence, max(1.0, min(self.df, grown), self.df * grown / now))

    def _freedom(self, parts: Mapping[str, float], times: Mapping[str, float]) -> float:
        """Degrees of freedom of the sum; gold labels and answers within topics go with these, else by themselves.

        With whole gold topics the gold ones tell how far topics lie apart.
        """
        random = "topics" in self.parts
        nested = random and not self.away
        gold, asked_again, topics = parts["gold"], parts["replicates"], self.topics * times["topics"]
        told_by = self.gold * times["topics"] * times["gold"] if self.whole else topics
        own = [(parts["topics"] + gold * nested + asked_again * random, told_by)]
        own += [
            (parts["assessors"], self.assessors * times["assessors"]),
            (parts["above"], self.groups * times["clusters"]),
        ]
        own += [] if nested else [(gold, self.gold * times["gold"] if self.whole else math.inf)]
        own += [] if random else [(asked_again, topics * (self.times * times["replicates"] - 1) + 1)]
        return satterthwaite([(v, max(units - 1, 1.0)) for v, units in own])

    def _rows(self, topics: float, gold: float) -> tuple[float, float]:
        """Of the first rows of an ordered list: V(gold) = s2/tau, tau growing with every row.

        With f times as many topics the list is f times as long: tau' of f n rows is f times tau of n rows.
        """
        now, tau = self._tau(self.gold), topics * self._tau(self.gold * gold)
        return self.parts.get("gold", 0.0) * now if math.isfinite(now) else 0.0, tau

    def _at_every_look(self, others: float, topics: float, gold: float) -> float:
        """Half of the width where limits shall hold at every look."""
        assert self.alpha is not None
        s2, tau = self._rows(topics, gold)
        return math.sqrt(self.quantile**2 * others + float(sequence_half(np.array([s2]), tau, self.alpha)[0]) ** 2)

    def _tau(self, rows: float) -> float:
        """Of so many rows, in between as well; infinite with all of them."""
        assert self.information is not None
        low = math.floor(rows + 1e-9)
        if low >= len(self.information) - 1:
            return math.inf
        first, second = float(self.information[low]), float(self.information[low + 1])
        return first if math.isinf(second) else first + (rows - low) * (second - first)


@dataclass(frozen=True)
class Step:
    """One thing to buy, what it would bring and what it costs.

    Attributes
    ----------
    what : str
        The source: 'topics', 'clusters', 'gold', 'assessors', 'replicates' or 'unjudged' (a sample of the unjudged
        documents).
    factor : float
        How many times as many there would be.
    have : int
        How many there are.
    more : int
        How many to buy.
    half : float
        The half-width of the interval then.
    cost : float or None
        What they cost, where a price is known.
    enough : bool or None
        Whether this alone reaches `aim`; None where there is no aim.
    unit : str
        What one of them is called, where that is not the source's usual word.
    phrase : str
        Words in place of how many more there are.
    aim : float
        The half-width that is wanted; 0 where there is none.

    Examples
    --------
    >>> print(Step("topics", 2.0, 50, 50, 0.0477), Step("gold", 1.1, 10, 1, 0.06, 45.0, unit="gold topic"), sep="; ")
    50 more topics (100 in total): +-0.0477; 1 more gold topic (11 in total): +-0.0600, cost 45
    """

    what: str
    factor: float
    have: int
    more: int
    half: float
    cost: float | None = None
    enough: bool | None = None  # for half a width of `aim`
    unit: str = ""
    phrase: str = ""  # in place of how many more there are
    aim: float = 0.0  # half of the width that is wanted; 0: none
    labeled: bool = False  # whether the cost of topics includes their labels

    def __str__(self) -> str:
        return f"{self.in_words}{'; not enough alone' if self.enough is False else ''}"

    @property
    def in_words(self) -> str:
        """How many more, what they bring and what they cost."""
        price = "" if self.cost is None else f", cost {self.cost:,.{2 * (0 < self.cost < 10)}f}"
        price += " including their labels" if self.labeled else ""
        if self.phrase:
            return f"{self.phrase}: +-{self.half:.4f}{price}"
        return f"{self.more:,} more {self.words} ({self.have + self.more:,} in total): +-{self.half:.4f}{price}"

    @property
    def words(self) -> str:
        """What is bought, one or several of it."""
        one, of, what = (self.unit or SOURCES[self.what].unit).partition(" of ")
        return f"{one}{'' if self.more == 1 else 's'}{of}{what}"

    def to_dict(self) -> StepDocument:
        """Everything, for programs."""
        return {"what": self.words, "more": self.more, "half_width": self.half, "cost": self.cost,
                "enough": self.enough}  # fmt: skip


def prices_of(costs: Mapping[str, float] | str | None) -> dict[str, float]:
    """Prices by kind from topic=5,gold=1.5,rating=0.1 or a dict.

    >>> prices_of("topic=5,rating=0.1")
    {'topics': 5.0, 'assessors': 0.1}
    """
    if costs is None:
        return {}
    prices = costs
    if isinstance(costs, str):
        parts = [part.partition("=") for part in costs.split(",")]
        names = [name.strip() for name, _, _ in parts]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise TruegainError(f"{argname('costs')}: {argvalue('costs', twice)} has two prices; give one")
        prices = {name: value for name, (_, _, value) in zip(names, parts, strict=True)}  # type: ignore[misc]
    assert not isinstance(prices, str)
    out = {}
    for name, value in prices.items():
        if name not in PRICES:
            raise TruegainError(
                f"{argname('costs')}: {argvalue('costs', name, repr(name))} has no price here; give "
                f"{', '.join(f'{k}=...' for k in PRICES)}"
            )
        try:
            price = float(value)
        except ValueError:
            raise TruegainError(
                f"{argname('costs')}: the price of {argvalue('costs', name)} is {value!r}; give a number, such as "
                f"{name}=5"
            ) from None
        if not (math.isfinite(price) and price >= 0):
            raise TruegainError(
                f"{argname('costs')}: the price of {argvalue('costs', name)} is {price:g}; give a number of at least 0"
            )
        out[PRICES[name]] = price
    return out


def steps_of(now: CurrentPrecision, aim: float, costs: Mapping[str, float] | None = None) -> list[Step]:
    """What each kind would bring: so many more that half the width is `aim`, or (0) twice and four times as many.

    A kind that cannot bring it there alone is told with all that can be bought of it, not `enough`. Those that are
    enough come first, then by price where there are prices, else kind by kind.  A step that brings no more than a
    smaller one of its kind, or nothing, is left out: with more topics, say, the few assessors alone may decide, and
    with their few degrees of freedom the interval would be no narrower.  Half-widths are those that are told, of
    intervals cut at what the measure can be.
    """
    have = {"topics": now.topics, "gold": now.gold, "assessors": now.assessors, "replicates": now.times,
            "clusters": now.groups}  # fmt: skip
    helpful = []
    for kind in KINDS:
        moved: tuple[str, ...] = (kind,)
        if kind == "topics" and "topics" in now.parts:
            moved = ("topics", "collection", "replicates", *(() if now.away else ("gold",)))
        if kind == "clusters":  # what they bring may come out as 0, and topics of other clusters are other topics
            moved = ("clusters", "topics")
        if not have[kind] or not any(now.parts.get(part) for part in moved):
            continue
        most = now.pairs / now.gold if kind == "gold" and now.pairs else math.inf
        if aim > 0:
            factors = [_needed(now, kind, aim, most)]
        else:
            factors = [float(f) for f in FACTORS if f < most] + ([most] if math.isfinite(most) and most > 1 else [])
        steps = [_step(now, kind, have[kind], f, aim, costs or {}) for f in factors if f > 1]
        if kind == "gold" and now.differ is not None:
            steps = _no_more_than_differ(now, steps, aim, costs)
        helpful += _that_help(now.cut_after(), steps)
    return sorted(helpful, key=lambda s: (s.enough is False, s.cost is None, s.cost or 0.0))


def _that_help(half: float, steps: list[Step]) -> list[Step]:
    """Those after which the interval is narrower than now (`half`) and than after each one before."""
    out: list[Step] = []
    for step in steps:
        if step.half < half * (1 - 1e-9):
            out.append(step)
            half = step.half
    return out


def _no_more_than_differ(
    now: CurrentPrecision, steps: list[Step], aim: float, costs: Mapping[str, float] | None
) -> list[Step]:
    """In place of more gold labels than there are open pairs that differ, these pairs alone, all of them."""
    fewer = [step for step in steps if step.more < now.open]
    if len(fewer) == len(steps) or not now.open:
        return fewer
    most = now.pairs / now.gold
    half, labels = now.cut_after(gold=most), "label" if now.open == 1 else "labels"
    phrase = f"{now.open:,} more gold {labels} (every pair that affects the difference)"
    enough = None if aim <= 0 else half <= aim * (1 + 1e-9)
    price = _cost(now, "gold", now.open, costs or {})
    return [*fewer, Step("gold", most, now.gold, now.open, half, price, enough, now.unit, phrase, aim)]


def fewest_gold(now: CurrentPrecision, half: float) -> int | None:
    """The fewest gold labels in all, those at hand at least, that bring half the width there; None where none do.

    >>> now = CurrentPrecision({"topics": 0.0003, "gold": 0.0001}, topics=50, gold=100, pairs=1000)
    >>> fewest_gold(now, 0.036), fewest_gold(now, 0.03)
    (230, None)
    """
    top = now.pairs or int(MOST)
    if now.after(gold=top / now.gold) > half:
        return None
    low, high = now.gold, top
    if now.half <= half:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if now.after(gold=middle / now.gold) <= half else (middle, high)
    return high


@dataclass(frozen=True)
class Mix:
    """How many more of each kind to buy, what they cost together, and half the width then."""

    more: Mapping[str, int]
    half: float
    cost: float


def cheapest(now: CurrentPrecision, half: float, costs: Mapping[str, float]) -> Mix | None:
    """The cheapest topics, gold labels and assessors together that bring half the width there; None where none do.

    For numbers of topics and assessors on a grid the fewest gold labels are found; a topic comes with as many gold
    labels and ratings as the others have, further gold labels beside; never more gold labels than pairs that differ.
    With gold of other topics a topic comes without.

    >>> now = CurrentPrecision({"topics": 0.0003, "gold": 0.0001}, topics=50, gold=100, pairs=1000)
    >>> cheapest(now, 0.03, {"topics": 5.0, "gold": 1.5})  # doctest: +ELLIPSIS
    Mix(more={'topics': 36, 'gold': 72}, half=0.0298..., cost=288.0)
    """
    best: Mix | None = None
    topics = GRID if "topics" in costs and now.parts.get("topics") else (1.0,)
    assessors = GRID if "assessors" in costs and now.assessors else (1.0,)
    most = now.pairs / now.gold if now.gold and now.pairs else MOST
    for t in topics:
        for a in assessors:
            gold = 1.0
            if now.after(topics=t, assessors=a) > half:
                if "gold" not in costs or not now.gold or now.after(topics=t, assessors=a, gold=most) > half:
                    continue
                gold = _least_times(partial(now.after, topics=t, assessors=a), "gold", half, most)
            mix = _mixed(now, t, gold, a, costs)
            best = mix if best is None or mix.cost < best.cost else best
    return best


def _mixed(now: CurrentPrecision, topics: float, gold: float, assessors: float, costs: Mapping[str, float]) -> Mix:
    have = {"topics": now.topics, "gold": now.gold, "assessors": now.assessors}
    times = {"topics": topics, "gold": gold if now.away else topics * gold, "assessors": assessors}
    more = {kind: math.ceil(have[kind] * (times[kind] - 1) - 1e-6) for kind in have if have[kind] and kind in costs}
    all_that_differ = False
    if now.differ is not None and "gold" in more:
        most = now.open + math.ceil(now.differ * (topics - 1) - 1e-6)
        all_that_differ, more["gold"] = more["gold"] >= most, min(more["gold"], most)
    factor = {kind: 1 + more.get(kind, 0) / have[kind] if have[kind] else 1.0 for kind in have}
    of_new_topics = now.ratings * now.assessors * factor["assessors"] * (factor["topics"] - 1)
    cost = (
        sum(costs[kind] * n * (now.labels if kind == "gold" else 1) for kind, n in more.items() if kind != "assessors")
        + costs.get("assessors", 0.0) * (now.ratings * more.get("assessors", 0) + of_new_topics)
    )  # fmt: skip
    if not now.away:
        factor["gold"] = factor["gold"] / factor["topics"] if "gold" in costs else 1.0  # else it grows with the topics
    if all_that_differ:
        factor["gold"] = now.pairs / now.gold
    half = now.after(**factor)
    return Mix({kind: n for kind, n in more.items() if n}, half, cost)


def _needed(now: CurrentPrecision, kind: str, min_effect: float, most: float) -> float:
    """How many times as many bring half the width to `min_effect`; all there are, or 4 times, where none does."""
    top = min(most, MOST)
    if now.cut_after(**{kind: top}) > min_effect:
        return most if math.isfinite(most) else 4.0
    return _least_times(now.cut_after, kind, min_effect, top)


def _least_times(after: Callable[..., float], kind: str, half: float, most: float) -> float:
    """How many times as many of a kind, up to `most`, bring half the width there."""
    low, high = 1.0, most
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if after(**{kind: middle}) > half else (low, middle)
    return high


def _step(now: CurrentPrecision, kind: str, have: int, factor: float, aim: float, costs: Mapping[str, float]) -> Step:
    more = max(1, math.ceil(have * factor - 1e-9) - have)
    half = now.cut_after(**{kind: (have + more) / have})
    enough = None if aim <= 0 else half <= aim * (1 + 1e-9)
    unit = "" if kind != "gold" else "gold topic" if now.whole else now.unit
    phrase = ""
    if kind == "topics" and now.groups:
        phrase = f"{more:,} more topic{'' if more == 1 else 's'} of the same clusters ({have + more:,} in total)"
    if kind == "clusters":
        each = now.topics / now.groups
        phrase = (
            f"{more:,} more cluster{'' if more == 1 else 's'} of about {each:.3g} topics ({have + more:,} in total)"
        )
    if kind == "replicates":
        phrase = f"{more:,} more answer{'' if more == 1 else 's'} of the judge to each pair ({have + more:,} in total)"
    cost = _cost(now, kind, more, costs)
    labeled = kind == "topics" and cost is not None and cost > costs[kind] * more * (1 + 1e-9)
    return Step(kind, factor, have, more, half, cost, enough, unit, phrase, aim, labeled)


def _cost(now: CurrentPrecision, kind: str, more: int, costs: Mapping[str, float]) -> float | None:
    """What so many more cost: a topic comes with as many gold labels and ratings as the others have.

    Asking again is one more rating of every document by everyone who was asked.

    >>> now = CurrentPrecision({}, topics=50, gold=10, assessors=5, ratings=100, times=2, labels=30, whole=True)
    >>> prices = {"topics": 5.0, "gold": 1.5, "assessors": 0.1}
    >>> [_cost(now, kind, 1, prices) for kind in KINDS], _cost(now, "topics", 1, {"topics": 5.0})
    ([15.0, 45.0, 10.0, 25.0, None], 5.0)
    """
    rating = costs.get("assessors")
    if kind == "replicates":
        return None if rating is None else rating * more * now.ratings * now.assessors / now.times
    if kind not in costs:
        return None
    if kind == "gold":
        return costs[kind] * more * now.labels
    if kind == "assessors":
        return costs[kind] * more * now.ratings
    gold = 0.0 if now.away else costs.get("gold", 0.0) * now.gold * now.labels / now.topics
    ratings = costs.get("assessors", 0.0) * now.assessors * now.ratings / now.topics
    return (costs[kind] + gold + ratings) * more
