"""How a study goes: progress, assessors, cost; and the shape of what `cli/annotate_insight.py` works out of ratings.

This package imports nothing that scores or compares: agreement and the verdict so far are handed in as an `Insight`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, NamedTuple

from truegain.data.judgments import Judgments
from truegain.errors import TruegainError, counted, some
from truegain.judging.export import Collected, Row, Wanted, rating_table, rows_that_count, sent_back
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import DONE
from truegain.results.base import Table
from truegain.results.table import Cell


class Rating(NamedTuple):
    """A judgment that counts: of a finished unit, by someone who is not excluded, the last revision."""

    topic: str
    item: str  # the item's key within its topic
    assessor: str
    value: float
    unit: str
    seconds: float
    is_model: bool = False


class Coefficient95(NamedTuple):
    """An agreement and the limits of its 95% interval at one look; None where there are too few judgments."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_estimated(self) -> bool:
        """Whether there is a number that says how sure it is."""
        return None not in self


NOT_YET = Coefficient95()
Look = Literal["same", "far", "quick", "twin"]


@dataclass(frozen=True)
class AgreementSoFar:
    """Agreement of people with one another, over all topics, by topic, and of every model with people.

    `alike` is each person's correlation with the rest, `looks` why someone is worth a second look; 'far' is a
    correlation that lies below the usual one by `apart` or more, and by more than chance and people's spread explain.
    """

    level: str
    overall: Coefficient95 = NOT_YET
    topics: Mapping[str, Coefficient95] = field(default_factory=dict)
    models: Mapping[str, Coefficient95] = field(default_factory=dict)
    alike: Mapping[str, float] = field(default_factory=dict)
    looks: Mapping[str, tuple[Look, ...]] = field(default_factory=dict)
    apart: float | None = None


@dataclass(frozen=True)
class VerdictSoFar:
    """What can be said of two systems now, with limits that hold at every look; or why nothing can, and no number."""

    a: str = ""
    b: str = ""
    measure: str = ""
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    outcome: Literal["better", "worse", "not better", "not worse", "inconclusive", "unchecked", ""] = ""
    sentence: str = ""
    labels: int = 0  # rows of the list that count
    rows: int = 0  # that the list has
    why: str = ""  # name of a text, where there is no number
    about: str = ""  # what that text mentions


@dataclass(frozen=True)
class Insight:
    """What follows from the ratings so far; without `verdict` the page has none."""

    agreement: Callable[[Sequence[Rating]], AgreementSoFar]
    verdict: Callable[[Sequence[Row]], tuple[VerdictSoFar, ...]] | None = None  # of the rows of `Collected.ratings`


# ---------------------------------------------------------------------- progress, assessors, cost


FAST = 1.25  # times the seconds that a document needs: a median below it looks like waiting for the limit
SLOW = 3.0  # times the median of all
SENT_BACK = 2  # sends, of one set or of several
MOST = 0.5  # of the answers: reasons that repeat, numbers that are all the same, items not judged
MOST_NAMED = 8  # people, in a line
FEW = 4  # answers, below which nothing is said of a person
OUTCOMES = {
    DONE: "finished",
    None: "in progress",
    "screened": "ended at practice or question",
    "failed": "ended at the checks",
    "left": "left",
    "passed": "lease expired, taken by someone else",
    "declined": "declined",
    "withdrawn": "withdrawn",
}
Agreement = Callable[[Judgments], str]  # in one line
Far = Callable[[Judgments], tuple[Collection[str], str]]  # who agrees far less than others do, and by which rule


@dataclass(frozen=True)
class Figures:
    """Where a study stands."""

    progress: Table  # by topic
    people: Table  # by assessor, those with flags first
    lines: tuple[str, ...]

    def tables(self) -> list[Table]:
        """Both tables."""
        return [self.progress, self.people]

    def __str__(self) -> str:
        return "\n\n".join(["\n".join(self.lines), *map(str, self.tables())])


def figures(
    study: JudgingStudy, data: Collected, agreement: Agreement | None = None, far: Far | None = None
) -> Figures:
    """Summarize a study: progress by topic, assessors, cost and agreement.

    Parameters
    ----------
    study : JudgingStudy
        What is judged.
    data : Collected
        Rows of its database.
    agreement, far : callable, optional
        Given the ratings that count: a line about agreement; who agrees far less than others do, and the rule.

    Returns
    -------
    Figures

    """
    ratings = data.ratings()
    lines = [_sets(study, data), _answers(ratings), _ends(data), *_who(data, ratings), *_cost(study, data)]
    if agreement is not None:
        lines.append(_agreement(study, ratings, agreement))
    people = _people(study, data, ratings, *_far(study, ratings, far))
    return Figures(_progress(study, data), people, tuple(line for line in lines if line))


def _sets(study: JudgingStudy, data: Collected) -> str:
    states = Counter(row["state"] for row in data.units)
    total, done = len(data.units) or len(study.units), states[DONE]
    if not total:
        return "no units"
    return f"{done:,} of {total:,} units finished ({done / total:.0%}), {states['held']:,} being judged"


def _answers(ratings: Sequence[Row]) -> str:
    """What counts as it is exported unless told otherwise: people's, models' where there are no people's."""
    mine, models = rows_that_count(ratings), rows_that_count(ratings, "models")
    if not mine:
        return "no judgments that count yet"
    judged = [r for r in mine if r["value"] is not None]
    summary = f"{counted(len(judged), 'judgment')} that count"
    summary += f", {len(mine) - len(judged):,} could not be judged" if len(judged) < len(mine) else ""
    seconds = [r["seconds"] for r in mine if r["kind"] == "human"]
    if not seconds:
        return f"{summary}, of models"
    beside = f"; {len(models):,} of models beside them" if models else ""
    return f"{summary}; median time on one {median(seconds):.0f} s{beside}"


def _ends(data: Collected) -> str:
    summary = outcome_counts(Counter(row["outcome"] for row in data.sessions))
    return f"{counted(len(data.sessions), 'session')}: {summary}" if summary else ""


def who_declined(data: Collected) -> list[str]:
    """Who did not consent, and takes no part."""
    mine = {person["id"] for person in taking_part(data)}
    return sorted(person["id"] for person in data.assessors if person["id"] not in mine)


def who_could_not(ratings: Sequence[Row]) -> dict[str, int]:
    """Who could not judge something, and how much of what counts; those with most of it first."""
    counts = Counter(row["assessor"] for row in rows_that_count(ratings) if row["value"] is None)
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _who(data: Collected, ratings: Sequence[Row]) -> list[str]:
    """Who declined, and who could not judge, by name: what the numbers alone do not say."""
    lines = []
    if declined := who_declined(data):
        lines.append(f"{len(declined):,} declined to take part: {some(declined, MOST_NAMED)}")
    if could_not := who_could_not(ratings):
        lines.append(f"could not judge: {some([f'{name} {n:,}' for name, n in could_not.items()], MOST_NAMED)}")
    return lines


def outcome_counts(counts: Mapping[str | None, int]) -> str:
    """How many units ended how, in words; None: they go on."""
    return ", ".join(f"{counts[end]:,} {words}" for end, words in OUTCOMES.items() if counts.get(end))


def _cost(study: JudgingStudy, data: Collected) -> list[str]:
    """What finished units cost so far and in all; a model's unit is not paid."""
    pay, currency = study.people.pay, study.people.currency
    if pay is None:
        return []
    people = {row["id"] for row in data.assessors if row["kind"] == "human"}
    paid = sum(row["state"] == DONE and row["assessor"] in people for row in data.sessions)
    left = sum(row["state"] != DONE for row in data.units)
    unit = f" {currency}" if currency else ""
    return [
        f"{paid * pay:,.2f}{unit} for finished units at {pay:g}; {(paid + left) * pay:,.2f}{unit} when all are finished"
    ]


def _agreement(study: JudgingStudy, ratings: Sequence[Row], agreement: Agreement) -> str:
    try:
        return agreement(rating_table(study, ratings, Wanted()).judgments())
    except TruegainError as error:
        return f"agreement: not yet ({error})"


def _far(study: JudgingStudy, ratings: Sequence[Row], far: Far | None) -> tuple[Collection[str], str]:
    try:
        return far(rating_table(study, ratings, Wanted()).judgments()) if far else ((), "")
    except TruegainError:  # too few yet
        return (), ""


def _progress(study: JudgingStudy, data: Collected) -> Table:
    rows: list[tuple[Cell, ...]] = []
    topics = dict.fromkeys(row["topic"] for row in data.units)
    for topic in (*(t for t in study.topics if t in topics), *(t for t in topics if t not in study.topics)):
        states = Counter(row["state"] for row in data.units if row["topic"] == topic)
        title = study.topics[topic].title if topic in study.topics else None
        total = states.total()
        rows.append((topic, title, total, states[DONE], states["held"], total - states[DONE] - states["held"]))
    return Table(("topic", "title", "units", "finished", "held", "free"), rows, title="Progress")


def _people(study: JudgingStudy, data: Collected, ratings: Sequence[Row], far: Collection[str], rule: str) -> Table:
    usual = [r["seconds"] for r in ratings if r["kind"] == "human"]
    middle = median(usual) if usual else 0.0
    rows: list[tuple[Cell, ...]] = []
    for person in taking_part(data):
        sessions = [s for s in data.sessions if s["assessor"] == person["id"]]
        answers = [r for r in ratings if r["assessor"] == person["id"]]
        flags = [*suspicions(study, person, sessions, answers, middle), *["far"] * (person["id"] in far)]
        done = sum(s["outcome"] == DONE for s in sessions)
        seconds = round(median([r["seconds"] for r in answers]), 1) if answers else None
        rows.append((person["id"], person["kind"], done, len(answers), seconds, _sent_back(sessions), ", ".join(flags)))
    rows.sort(key=lambda row: (not row[-1], str(row[0])))
    columns = ("assessor", "kind", "finished", "answers", "median s", "sent back", "flags")
    notes = ["flags inform: nobody is rejected or unpaid because of one"] if any(row[-1] for row in rows) else []
    notes += [f"far: {rule}"] if far else []
    return Table(columns, rows, title="Assessors", notes=tuple(notes))


def taking_part(data: Collected) -> list[Row]:
    """Assessors, without those who only declined."""
    declined = {s["assessor"] for s in data.sessions if s["outcome"] == "declined"}
    others = {s["assessor"] for s in data.sessions if s["outcome"] != "declined"}
    return [person for person in data.assessors if person["id"] not in declined - others]


def suspicions(
    study: JudgingStudy, person: Row, sessions: Sequence[Row], answers: Sequence[Row], middle: float
) -> tuple[str, ...]:
    """What about a person is worth a second look.

    fast: a median below 1.25 times the seconds that each item needs.  slow: above 3 times the median of all, `middle`.
    sent back: 2 sends not accepted or more.  one number: in every unit one value for all.  same reasons: more than half
    of them are one text.  cannot judge: more than half of the items.  Then what sessions were flagged with, such as
    pastes.  Of a model's time nothing is said, of anybody with fewer than 4 answers only what is certain.
    """
    flags = ["model"] if person["kind"] == "model" else []
    flags += [f"excluded: {person['excluded']}"] if person["excluded"] is not None else []
    flags += ["sent back"] if _sent_back(sessions) >= SENT_BACK else []
    if len(answers) >= FEW:
        seconds = median([r["seconds"] for r in answers])
        if person["kind"] == "human":
            flags += ["fast"] if seconds < FAST * study.rules.seconds else []
            flags += ["slow"] if middle and seconds > SLOW * middle else []
        by_unit: dict[str, list[float]] = {}
        for row in answers:
            if row["value"] is not None:
                by_unit.setdefault(row["session"], []).append(row["value"])
        whole = [values for values in by_unit.values() if len(values) >= FEW]
        flags += ["one number"] if whole and all(len(set(values)) == 1 for values in whole) else []
        reasons = Counter(" ".join(r["reason"].lower().split()) for r in answers if r["reason"])
        flags += ["same reasons"] if reasons and reasons.most_common(1)[0][1] > MOST * len(answers) else []
        flags += ["cannot judge"] if sum(r["value"] is None for r in answers) > MOST * len(answers) else []
    return tuple(dict.fromkeys([*flags, *(flag for s in sessions for flag in s["flags"])]))


def _sent_back(sessions: Sequence[Row]) -> int:
    """How often sets were sent and not accepted."""
    return sum(map(sent_back, sessions))
