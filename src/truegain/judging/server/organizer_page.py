"""The figures on the organizer's page, and the page itself."""

from __future__ import annotations

import datetime
import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from markupsafe import Markup

from truegain.errors import TruegainError
from truegain.judging.export import (
    Collected,
    Readable,
    Row,
    Wanted,
    collected,
    rating_table,
    rows_that_count,
    sent_back,
)
from truegain.judging.server.decision_page import AGAIN, shown
from truegain.judging.server.live import stamp_of
from truegain.judging.server.render import static, templates
from truegain.judging.status import (
    NOT_YET,
    AgreementSoFar,
    Coefficient95,
    Insight,
    Rating,
    VerdictSoFar,
    suspicions,
    taking_part,
    who_could_not,
    who_declined,
)
from truegain.judging.store.decisions import StoredDecision
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import DONE
from truegain.judging.texts import Wording
from truegain.judging.workflow.organizer import WorkingNow

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
        return self.alpha.is_estimated and self.alpha.high is not None and self.alpha.high < LOW


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
    cannot: int = 0  # of the answers that count


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
    declined: tuple[str, ...]  # who did not consent
    agreement: AgreementSoFar
    verdicts: tuple[VerdictSoFar, ...] | None


def ratings_of(study: JudgingStudy, data: Collected) -> list[Rating]:
    """The judgments that count: finished units, not excluded, judged; people's and models'."""
    try:
        columns = rating_table(study, data.ratings(), Wanted(judges="all")).columns
    except TruegainError:  # nothing yet
        return []
    names = ("topic", "doc", "assessor", "label", "unit", "seconds", "kind")
    rows = zip(*(columns[name] for name in names), strict=True)
    return [Rating(t, d, a, float(v), u, float(s), kind == "model") for t, d, a, v, u, s, kind in rows]


def overview_of(
    study: JudgingStudy,
    data: Collected,
    failed: Mapping[str, int],
    agreement: AgreementSoFar,
    verdicts: tuple[VerdictSoFar, ...] | None,
) -> Overview:
    """The figures of a study."""
    ratings = data.ratings()
    counted = rows_that_count(ratings)
    people = {row["id"] for row in data.assessors if row["kind"] == "human"}
    states = Counter(row["state"] for row in data.units)
    pay = study.people.pay
    paid = sum(row["state"] == DONE and row["assessor"] in people for row in data.sessions)
    back = [row for row in data.sessions if sent_back(row)]
    total = len(data.units)
    return Overview(
        done=states[DONE],
        total=total,
        held=states["held"],
        late=_flagged(data, "late"),
        judgments=sum(r["value"] is not None for r in counted),
        cannot=sum(r["value"] is None for r in counted),
        reports=_flagged(data, "reported"),
        spent=None if pay is None else pay * paid,
        planned=None if pay is None else pay * (paid + total - states[DONE]),
        sent_back=len(back),
        sends=sum(map(sent_back, back)),
        accepted=sum(row["outcome"] == DONE for row in back),
        failed=dict(failed),
        early=_early(data.sessions),
        times=times_of(study, data, counted),
        topics=_topics(study, data, agreement),
        assessors=_assessors(study, data, ratings, agreement),
        declined=tuple(who_declined(data)),
        agreement=agreement,
        verdicts=verdicts,
    )


def _flagged(data: Collected, flag: str) -> int:
    return sum(flag in row["flags"] for row in data.sessions)


def _early(sessions: Sequence[Row]) -> dict[str, int]:
    """How units ended that were not finished, by what was in the way."""
    counts = Counter[str]()
    for row in sessions:
        if row["outcome"] == "screened":
            counts["question" if (row["tries"] or {}).get("question") else "practice"] += 1
        elif row["outcome"] in EARLY:
            counts[row["outcome"]] += 1
    return {end: counts[end] for end in EARLY if counts[end]}


def times_of(study: JudgingStudy, data: Collected, counted: Sequence[Row]) -> Times:
    """The times of what counts and was judged by people."""
    mine = [r for r in counted if r["kind"] == "human" and r["value"] is not None]
    if not mine:
        return Times(0, None, 0)
    first: dict[tuple[str, int], Row] = {}
    for row in data.answers:
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


def _topics(study: JudgingStudy, data: Collected, agreement: AgreementSoFar) -> tuple[TopicLine, ...]:
    states: dict[str, Counter[str]] = {}
    for row in data.units:
        states.setdefault(row["topic"], Counter())[row["state"]] += 1
    return tuple(
        TopicLine(
            study.topics[topic].title if topic in study.topics else topic,
            own[DONE],
            own.total(),
            own["held"],
            agreement.topics.get(topic, NOT_YET),
        )
        for topic, own in states.items()
    )


def _assessors(
    study: JudgingStudy, data: Collected, ratings: Sequence[Row], agreement: AgreementSoFar
) -> tuple[AssessorLine, ...]:
    """Who is worth a second look first, then by the number of sets."""
    usual = [r["seconds"] for r in ratings if r["kind"] == "human"]
    middle = median(usual) if usual else 0.0
    sessions: dict[str, list[Row]] = {}
    by_person: dict[str, list[Row]] = {}
    for rows, of in ((data.sessions, sessions), (ratings, by_person)):
        for row in rows:
            of.setdefault(row["assessor"], []).append(row)
    lines, could_not = [], who_could_not(ratings)
    for person in taking_part(data):
        own, answers = sessions.get(person["id"], []), by_person.get(person["id"], [])
        flags = [f for f in suspicions(study, person, own, answers, middle) if f != "model" and "excluded" not in f]
        flags += [look for look in agreement.looks.get(person["id"], ()) if look not in flags]
        lines.append(
            AssessorLine(
                person["id"],
                sum(s["outcome"] == DONE for s in own),
                median([r["seconds"] for r in answers]) if answers else None,
                sum(sent_back(s) for s in own),
                agreement.alike.get(person["id"]),
                tuple(flags),
                person["kind"] == "model",
                person["excluded"],
                could_not.get(person["id"], 0),
            )
        )
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


# ---------------------------------------------------------------------- the page


MOST_ROWS = 20  # assessors shown unless all are asked for
COUNT = ("session", "number", "value", "seconds", "outcome", "excluded")  # what agreement and verdict follow from


class OrganizerPages:
    """Renders the organizer's pages of one study; what is worked out of ratings is kept until they change."""

    def __init__(
        self, study: JudgingStudy, insight: Insight, clock: Callable[[], datetime.datetime] | None = None
    ) -> None:
        self._study, self._insight = study, insight
        self._texts = Wording(study.words.language, study.words.texts, "organizer")
        self._clock = clock or (lambda: datetime.datetime.now(datetime.UTC))
        self._kept: tuple[int, AgreementSoFar, tuple[VerdictSoFar, ...] | None] | None = None
        self._lock = threading.Lock()
        self._environment = templates().overlay()  # with names of its own
        self._environment.globals = {
            **templates().globals,
            "study": study,
            "t": self._texts,
            "n": self._number,
            "signed": self._signed,
            "mark": self._mark,
            "money": lambda amount: self._texts.money(amount, study.people.currency),
            "flag": self._flag,
            "drawn": drawn,
            "small": small,
            "least": f"{study.rules.seconds:g}" if study.rules.seconds else "",
        }

    def sign_in(self, here: str, csrf: str, wrong: str = "", **about: object) -> str:
        """The page that asks for the password."""
        error = self._texts(wrong, **about) if wrong else ""
        return self._render("organizer_sign_in.html", here, csrf=csrf, wrong=error)

    def exclude(self, here: str, csrf: str, assessor: str, reason: str = "", wrong: str = "") -> str:
        """The page that asks why somebody is excluded."""
        error = self._texts(wrong) if wrong else ""
        return self._render("organizer_exclude.html", here, csrf=csrf, assessor=assessor, reason=reason, wrong=error)

    def missing(self, here: str, assessor: str) -> str:
        """The page that says that there is no such assessor."""
        text = self._texts("missing.assessor", id=assessor)
        return self._render("organizer_message.html", here, title=self._texts("missing.title"), text=text, lang="")

    def no_file(self, here: str, name: str) -> str:
        """The page that says that there is no such file of results."""
        text = self._texts("missing.file", name=name)
        return self._render("organizer_message.html", here, title=self._texts("missing.title"), text=text, lang="")

    def decision_now(
        self, stored: StoredDecision | None, working: WorkingNow, results: Mapping[str, Path], here: str
    ) -> str:
        """The part of the decision's page that is sent anew when it changes."""
        about = shown(stored, working, results, self._texts)
        return self._render("organizer_decision_now.html", here, **about)

    def decision(self, stored: StoredDecision | None, fragment: str, here: str, csrf: str) -> str:
        """The decision's page, around that part."""
        version = 0 if stored is None else stored.version
        state = "" if stored is None else self._texts(f"decision.state.{stored.decision.status}")
        return self._render(
            "organizer_decision.html",
            here,
            csrf=csrf,
            title=self._texts("decision.title_state", state=state) if state else self._texts("decision.title"),
            ended=stored is not None and stored.decision.ended,
            seen=f"{version}-{stamp_of(fragment)}",
            fragment=Markup(fragment),  # a template of ours: escaped when it was rendered
            again=AGAIN,
        )

    def nothing(self, here: str, why: str) -> str:
        """The page that says why there is nothing to download; `why` is English."""
        return self._render("organizer_message.html", here, title=self._texts("missing.export"), text=why, lang="en")

    def figures(
        self,
        database: Readable,
        here: str,
        csrf: str,
        *,
        paused: bool,
        notice: str = "",
        everyone: bool = False,
        decision: str = "",
    ) -> str:
        """The page of figures; where a decision is made on a page of its own, its verdict stands there alone."""
        data = collected(database)
        agreement, verdicts = self._so_far(data, with_verdict=not decision)
        o = overview_of(self._study, data, failed_checks(database), agreement, verdicts)
        estimated = [v for v in o.verdicts or () if v.difference is not None]
        return self._render(
            "organizer.html",
            here,
            csrf=csrf,
            o=o,
            paused=paused,
            notice=notice,
            decision=decision,
            now=self._clock().strftime("%H:%M"),
            listed=o.assessors if everyone else o.assessors[:MOST_ROWS],
            early=self._counts("early", o.early),
            early_total=sum(o.early.values()),
            checks=self._checks(o),
            has_verdict=bool(estimated),
            decided=bool(estimated) and all(v.outcome != "inconclusive" for v in estimated),
        )

    def _so_far(self, data: Collected, *, with_verdict: bool) -> tuple[AgreementSoFar, tuple[VerdictSoFar, ...] | None]:
        """Agreement and verdict; worked out again only where a judgment came, changed, or counts no longer."""
        rows = data.ratings()
        key = hash((with_verdict, *(tuple(row[name] for name in COUNT) for row in rows)))
        with self._lock:
            if self._kept is None or self._kept[0] != key:
                verdict = self._insight.verdict if with_verdict else None
                self._kept = (
                    key,
                    self._insight.agreement(ratings_of(self._study, data)),
                    None if verdict is None else verdict(rows),
                )
            return self._kept[1:]

    # ------------------------------------------------------------------ words and numbers

    def _number(self, value: float, digits: int = 2) -> str:
        return self._mark(f"{value:.{digits}f}")

    def _signed(self, value: float) -> str:
        return self._mark(f"{value:+z.3f}")

    def _mark(self, text: str) -> str:
        return text.replace(".", self._texts("format.decimal"))

    def _flag(self, name: str) -> str:
        key = f"flag.{name.replace(' ', '_')}"
        return self._texts(key) if key in self._texts else name

    def _counts(self, part: str, counts: Mapping[str, int]) -> str:
        return ", ".join(self._texts(f"{part}.{name}", n=count) for name, count in counts.items())

    def _checks(self, o: Overview) -> str:
        names = {name: f"check.{name}" for name in o.failed if f"check.{name}" in self._texts}
        return "; ".join(
            self._texts(names.get(name, "check.other"), name=name, n=count) for name, count in sorted(o.failed.items())
        )

    def _render(self, template: str, here: str, **about: Any) -> str:
        base = here.partition("/organize/")[0]
        return self._environment.get_template(template).render(
            here=here, static=lambda name: static(base, name), **about
        )


def failed_checks(database: Readable) -> dict[str, int]:
    """How often each check of a whole set was failed."""
    from sqlalchemy import select

    from truegain.judging.store.schema import events

    query = select(events.c.about).where(events.c.kind == "checks")
    rows: Sequence[Row] = database.read(lambda connection: list(connection.execute(query).scalars()))
    counts: dict[str, int] = {}
    for about in rows:
        for name in about.get("failed", ()):
            counts[name] = counts.get(name, 0) + 1
    return counts
