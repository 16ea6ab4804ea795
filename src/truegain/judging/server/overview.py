"""The figures of the organiser's page, from what was collected and what was made of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from truegain.errors import TruegainError
from truegain.judging.collected import DONE, Collected, Row, sent_back
from truegain.judging.export import Wanted, rating_table, rows_that_count
from truegain.judging.insight import NOT_YET, AgreementSoFar, Coefficient95, Rating, VerdictSoFar
from truegain.judging.status import suspicions, taking_part
from truegain.judging.study.study import JudgingStudy

FEWEST, MOST = 5.0, 320.0  # seconds between which times are drawn, on a doubling scale
BARS = 12
LEFT, RIGHT, TOP, FLOOR = 30.0, 328.0, 20.0, 118.0  # of the histogram
LOW = 0.2  # agreement whose whole interval lies below is told
EARLY = ("practice", "question", "failed", "left", "declined", "withdrawn", "passed")


@dataclass(frozen=True)
class Bar:
    """A bar of the histogram; `short` where all of its times are below the least."""

    x: float
    y: float
    width: float
    height: float
    short: bool


@dataclass(frozen=True)
class Times:
    """Seconds that people spent on an item, last revision; how many were first sent before the least."""

    count: int
    middle: float | None
    hurried: int
    bars: tuple[Bar, ...] = ()
    ticks: tuple[tuple[float, int], ...] = ()
    least_at: float | None = None  # where the least stands


@dataclass(frozen=True)
class TopicLine:
    """A row of the table of topics."""

    title: str
    done: int
    total: int
    held: int
    alpha: Coefficient95 = NOT_YET

    @property
    def is_low(self) -> bool:
        """Whether people surely agree little."""
        return self.alpha.known and self.alpha.high is not None and self.alpha.high < LOW


@dataclass(frozen=True)
class AssessorLine:
    """A row of the table of assessors."""

    id: str
    sets: int
    middle: float | None
    sent_back: int
    alike: float | None
    flags: tuple[str, ...]
    is_model: bool
    excluded: str | None


@dataclass(frozen=True)
class Overview:
    """All that the page shows of a study, but words."""

    done: int
    total: int
    held: int
    late: int
    judgments: int
    cannot: int
    reports: int
    spent: float | None
    planned: float | None
    sent_back: int  # sets
    sends: int  # of those sets, that were not accepted; one set may be sent several times
    accepted: int
    failed: Mapping[str, int]  # by check
    early: Mapping[str, int]  # by how it ended
    times: Times
    topics: tuple[TopicLine, ...]
    assessors: tuple[AssessorLine, ...]
    agreement: AgreementSoFar
    verdicts: tuple[VerdictSoFar, ...] | None


def ratings_of(study: JudgingStudy, found: Collected) -> list[Rating]:
    """The judgments that count: finished units, not excluded, judged; people's and models'."""
    try:
        columns = rating_table(study, found.ratings(), Wanted(judges="all")).columns
    except TruegainError:  # nothing yet
        return []
    names = ("topic", "doc", "assessor", "label", "unit", "seconds", "kind")
    rows = zip(*(columns[name] for name in names), strict=True)
    return [Rating(t, d, a, float(v), u, float(s), kind == "model") for t, d, a, v, u, s, kind in rows]


def overview_of(
    study: JudgingStudy,
    found: Collected,
    failed: Mapping[str, int],
    agreement: AgreementSoFar,
    verdicts: tuple[VerdictSoFar, ...] | None,
) -> Overview:
    """The figures of a study."""
    ratings = found.ratings()
    counted = rows_that_count(ratings)
    people = {row["id"] for row in found.assessors if row["kind"] == "human"}
    states = Counter(row["state"] for row in found.units)
    pay = study.people.pay
    paid = sum(row["state"] == DONE and row["assessor"] in people for row in found.sessions)
    back = [row for row in found.sessions if sent_back(row)]
    total = len(found.units)
    return Overview(
        done=states[DONE], total=total, held=states["held"], late=_flagged(found, "late"),
        judgments=sum(r["value"] is not None for r in counted), cannot=sum(r["value"] is None for r in counted),
        reports=_flagged(found, "reported"), spent=None if pay is None else pay * paid,
        planned=None if pay is None else pay * (paid + total - states[DONE]),
        sent_back=len(back), sends=sum(map(sent_back, back)),
        accepted=sum(row["outcome"] == DONE for row in back), failed=dict(failed),
        early=_early(found.sessions), times=times_of(study, found, counted),
        topics=_topics(study, found, agreement), assessors=_assessors(study, found, ratings, agreement),
        agreement=agreement, verdicts=verdicts,
    )  # fmt: skip


def _flagged(found: Collected, flag: str) -> int:
    return sum(flag in row["flags"] for row in found.sessions)


def _early(sessions: Sequence[Row]) -> dict[str, int]:
    """How units ended that were not finished, by what was in the way."""
    ends = Counter[str]()
    for row in sessions:
        if row["outcome"] == "screened":
            ends["question" if (row["tries"] or {}).get("question") else "practice"] += 1
        elif row["outcome"] in EARLY:
            ends[row["outcome"]] += 1
    return {end: ends[end] for end in EARLY if ends[end]}


def times_of(study: JudgingStudy, found: Collected, counted: Sequence[Row]) -> Times:
    """The times of what counts and was judged by people."""
    mine = [r for r in counted if r["kind"] == "human" and r["value"] is not None]
    if not mine:
        return Times(0, None, 0)
    first: dict[tuple[str, int], Row] = {}
    for row in found.answers:
        key = (row["session"], row["number"])
        if key not in first or row["revision"] < first[key]["revision"]:
            first[key] = row
    least = study.rules.seconds
    hurried = sum(first[r["session"], r["number"]]["seconds"] < least for r in mine)
    seconds = [float(r["seconds"]) for r in mine]
    bars, ticks = histogram(seconds, least)
    at = _across(least) if FEWEST < least < MOST else None
    return Times(len(seconds), median(seconds), hurried, bars, ticks, at)


def histogram(seconds: Sequence[float], least: float) -> tuple[tuple[Bar, ...], tuple[tuple[float, int], ...]]:
    """Bars on a doubling scale, two a doubling; what lies beyond an end stands in the bar at that end.

    >>> bars, ticks = histogram([1, 6, 40, 41, 1000], 20)
    >>> [round(bar.height) for bar in bars]
    [98, 0, 0, 0, 0, 0, 98, 0, 0, 0, 0, 49]
    >>> [bar.short for bar in bars].count(True), [number for _, number in ticks]
    (4, [5, 10, 20, 40, 80, 160, 320])
    """
    step = math.log2(MOST / FEWEST) / BARS
    counts = [0] * BARS
    for s in seconds:
        place = math.floor(math.log2(s / FEWEST) / step + 1e-9) if s > 0 else 0
        counts[min(max(place, 0), BARS - 1)] += 1
    most, width = max(counts) or 1, (RIGHT - LEFT) / BARS
    bars = []
    for i, count in enumerate(counts):
        height = round((FLOOR - TOP) * count / most, 1)
        short = FEWEST * 2 ** (step * (i + 1)) <= least * (1 + 1e-9)
        bars.append(Bar(round(LEFT + i * width + 1, 1), round(FLOOR - height, 1), round(width - 2, 1), height, short))
    doublings = range(round(math.log2(MOST / FEWEST)) + 1)
    return tuple(bars), tuple((_across(FEWEST * 2**k), int(FEWEST * 2**k)) for k in doublings)


def _across(seconds: float) -> float:
    share = math.log2(seconds / FEWEST) / math.log2(MOST / FEWEST)
    return round(LEFT + (RIGHT - LEFT) * share, 1)


def _topics(study: JudgingStudy, found: Collected, agreement: AgreementSoFar) -> tuple[TopicLine, ...]:
    states: dict[str, Counter[str]] = {}
    for row in found.units:
        states.setdefault(row["topic"], Counter())[row["state"]] += 1
    return tuple(
        TopicLine(
            study.topics[topic].title if topic in study.topics else topic, own[DONE], own.total(), own["held"],
            agreement.topics.get(topic, NOT_YET),
        )
        for topic, own in states.items()
    )  # fmt: skip


def _assessors(
    study: JudgingStudy, found: Collected, ratings: Sequence[Row], agreement: AgreementSoFar
) -> tuple[AssessorLine, ...]:
    """Who is worth a second look first, then by the number of sets."""
    usual = [r["seconds"] for r in ratings if r["kind"] == "human"]
    middle = median(usual) if usual else 0.0
    sessions: dict[str, list[Row]] = {}
    given: dict[str, list[Row]] = {}
    for rows, of in ((found.sessions, sessions), (ratings, given)):
        for row in rows:
            of.setdefault(row["assessor"], []).append(row)
    lines = []
    for person in taking_part(found):
        own, said = sessions.get(person["id"], []), given.get(person["id"], [])
        flags = [f for f in suspicions(study, person, own, said, middle) if f != "model" and "excluded" not in f]
        flags += [look for look in agreement.looks.get(person["id"], ()) if look not in flags]
        lines.append(
            AssessorLine(
                person["id"], sum(s["outcome"] == DONE for s in own),
                median([r["seconds"] for r in said]) if said else None, sum(sent_back(s) for s in own),
                agreement.alike.get(person["id"]), tuple(flags), person["kind"] == "model", person["excluded"],
            )
        )  # fmt: skip
    lines.sort(key=lambda line: (line.excluded is not None, not line.flags, -line.sets, line.id))
    return tuple(lines)


@dataclass(frozen=True)
class Pictured:
    """An interval as a line and a point, with marks below; all across a picture of a given width."""

    low: float
    high: float
    at: float
    zero: float | None
    ticks: tuple[tuple[float, str], ...] = ()


def drawn(value: float, low: float, high: float) -> Pictured:
    """A difference and its interval, with 0 always in sight, from 20 to 320 across.

    >>> drawn(0.03, -0.006, 0.066).ticks
    ((20.0, '-0.02'), (80.0, '0'), (140.0, '+0.02'), (200.0, '+0.04'), (260.0, '+0.06'), (320.0, '+0.08'))
    """
    least, most = min(low, 0.0), max(high, 0.0)
    step = next(s for p in range(-6, 12) for s in (10.0**p, 2 * 10.0**p, 5 * 10.0**p) if (most - least) / s <= 4)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    last = max(last, first + 1)

    def across(x: float) -> float:
        return round(20 + 300 * (x / step - first) / (last - first), 1)

    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = tuple((across(n * step), f"{n * step:+.{digits}f}" if n else "0") for n in range(first, last + 1))
    return Pictured(across(low), across(high), across(value), across(0.0), ticks)


def small(alpha: Coefficient95) -> Pictured:
    """An agreement from 0 to 1 and its interval, from 4 to 116 across; what lies beyond stands at the end.

    >>> small(Coefficient95(0.5, -0.3, 1.0))
    Pictured(low=4.0, high=116.0, at=60.0, zero=None, ticks=())
    """
    low, high, at = (round(4 + 112 * min(max(x or 0.0, 0.0), 1.0), 1) for x in (alpha.low, alpha.high, alpha.value))
    return Pictured(low, high, at, None)
