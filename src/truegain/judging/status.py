"""How a study goes: progress by topic, cost, and assessors worth a second look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from truegain.errors import TruegainError
from truegain.judging.collected import DONE, Collected, Row, sent_back
from truegain.judging.export import Wanted, rating_table, rows_that_count
from truegain.judging.study.study import JudgingStudy
from truegain.tables.judgments import Judgments
from truegain.tables.paper import counted
from truegain.tables.table import Cell, Table

FAST = 1.25  # times the seconds that a document needs: a median below it looks like waiting for the limit
SLOW = 3.0  # times the median of all
SENT_BACK = 2  # sends, of one set or of several
MOST = 0.5  # of the answers: reasons that repeat, numbers that are all the same, items not judged
FEW = 4  # answers, below which nothing is said of a person
OUTCOMES = {
    DONE: "finished", None: "going on", "screened": "ended at practice or question", "failed": "ended at the checks",
    "left": "left", "passed": "lease ran out, passed on", "declined": "declined", "withdrawn": "withdrawn",
}  # fmt: skip
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
    study: JudgingStudy, found: Collected, agreement: Agreement | None = None, far: Far | None = None
) -> Figures:
    """What a study's rows come to; `agreement` tells how far the ratings that count agree, `far` who is off."""
    ratings = found.ratings()
    lines = [*_sets(study, found), *_answers(ratings), _ends(found), *_cost(study, found)]
    if agreement is not None:
        lines.append(_agreement(study, ratings, agreement))
    people = _people(study, found, ratings, *_far(study, ratings, far))
    return Figures(_progress(study, found), people, tuple(line for line in lines if line))


def _sets(study: JudgingStudy, found: Collected) -> list[str]:
    states = Counter(row["state"] for row in found.units)
    total = len(found.units) or len(study.units)
    done, held = states[DONE], states["held"]
    return [
        f"{done:,} of {total:,} units finished ({done / total:.0%}), {held:,} being judged" if total else "no units"
    ]


def _answers(ratings: Sequence[Row]) -> list[str]:
    """What counts as it is exported unless told otherwise: people's, models' where there are no people's."""
    mine, models = rows_that_count(ratings), rows_that_count(ratings, "models")
    if not mine:
        return ["no judgment counts yet"]
    given = [r for r in mine if r["value"] is not None]
    told = f"{counted(len(given), 'judgment')} that count"
    told += f", {len(mine) - len(given):,} could not be judged" if len(given) < len(mine) else ""
    seconds = [r["seconds"] for r in mine if r["kind"] == "human"]
    if not seconds:
        return [f"{told}, of models"]
    beside = f"; {len(models):,} of models beside them" if models else ""
    return [f"{told}; median time on one {median(seconds):.0f} s{beside}"]


def _ends(found: Collected) -> str:
    told = ends_told(Counter(row["outcome"] for row in found.sessions))
    return f"{counted(len(found.sessions), 'session')}: {told}" if told else ""


def ends_told(ends: Mapping[str | None, int]) -> str:
    """How many units ended how, in words; None: they go on."""
    return ", ".join(f"{ends[end]:,} {words}" for end, words in OUTCOMES.items() if ends.get(end))


def _cost(study: JudgingStudy, found: Collected) -> list[str]:
    """What finished units cost so far and in all; a model's unit is not paid."""
    pay, currency = study.people.pay, study.people.currency
    if pay is None:
        return []
    people = {row["id"] for row in found.assessors if row["kind"] == "human"}
    paid = sum(row["state"] == DONE and row["assessor"] in people for row in found.sessions)
    left = sum(row["state"] != DONE for row in found.units)
    unit = f" {currency}" if currency else ""
    return [f"{paid * pay:,.2f}{unit} for finished units at {pay:g}; {(paid + left) * pay:,.2f}{unit} when all are"]


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


def _progress(study: JudgingStudy, found: Collected) -> Table:
    rows: list[tuple[Cell, ...]] = []
    there = dict.fromkeys(row["topic"] for row in found.units)
    for topic in (*(t for t in study.topics if t in there), *(t for t in there if t not in study.topics)):
        states = Counter(row["state"] for row in found.units if row["topic"] == topic)
        title = study.topics[topic].title if topic in study.topics else None
        total = states.total()
        rows.append((topic, title, total, states[DONE], states["held"], total - states[DONE] - states["held"]))
    return Table(("topic", "title", "units", "finished", "held", "free"), rows, title="Progress")


def _people(study: JudgingStudy, found: Collected, ratings: Sequence[Row], far: Collection[str], rule: str) -> Table:
    usual = [r["seconds"] for r in ratings if r["kind"] == "human"]
    middle = median(usual) if usual else 0.0
    rows: list[tuple[Cell, ...]] = []
    for person in taking_part(found):
        sessions = [s for s in found.sessions if s["assessor"] == person["id"]]
        given = [r for r in ratings if r["assessor"] == person["id"]]
        flags = [*suspicions(study, person, sessions, given, middle), *["far"] * (person["id"] in far)]
        done = sum(s["outcome"] == DONE for s in sessions)
        seconds = round(median([r["seconds"] for r in given]), 1) if given else None
        rows.append((person["id"], person["kind"], done, len(given), seconds, _sent_back(sessions), ", ".join(flags)))
    rows.sort(key=lambda row: (not row[-1], str(row[0])))
    columns = ("assessor", "kind", "finished", "answers", "median s", "sent back", "flags")
    notes = ["flags inform: nobody is refused or unpaid because of one"] if any(row[-1] for row in rows) else []
    notes += [f"far: {rule}"] if far else []
    return Table(columns, rows, title="Assessors", notes=tuple(notes))


def taking_part(found: Collected) -> list[Row]:
    """Assessors, without those who only declined."""
    declined = {s["assessor"] for s in found.sessions if s["outcome"] == "declined"}
    others = {s["assessor"] for s in found.sessions if s["outcome"] != "declined"}
    return [person for person in found.assessors if person["id"] not in declined - others]


def suspicions(
    study: JudgingStudy, person: Row, sessions: Sequence[Row], given: Sequence[Row], middle: float
) -> tuple[str, ...]:
    """What about a person is worth a second look.

    fast: a median below 1.25 times the seconds that each item needs.  slow: above 3 times the median of all, `middle`.
    sent back: 2 sends not accepted or more.  one number: in every unit one value for all.  same reasons: more than half
    of them are one text.  cannot judge: more than half of the items.  Then what sessions were flagged with, such as
    pastes.  Of a model's time nothing is said, of anybody with fewer than 4 answers only what is certain.
    """
    found = ["model"] if person["kind"] == "model" else []
    found += [f"excluded: {person['excluded']}"] if person["excluded"] is not None else []
    found += ["sent back"] if _sent_back(sessions) >= SENT_BACK else []
    if len(given) >= FEW:
        seconds = median([r["seconds"] for r in given])
        if person["kind"] == "human":
            found += ["fast"] if seconds < FAST * study.rules.seconds else []
            found += ["slow"] if middle and seconds > SLOW * middle else []
        by_unit: dict[str, list[float]] = {}
        for row in given:
            if row["value"] is not None:
                by_unit.setdefault(row["session"], []).append(row["value"])
        whole = [values for values in by_unit.values() if len(values) >= FEW]
        found += ["one number"] if whole and all(len(set(values)) == 1 for values in whole) else []
        reasons = Counter(" ".join(r["reason"].lower().split()) for r in given if r["reason"])
        found += ["same reasons"] if reasons and reasons.most_common(1)[0][1] > MOST * len(given) else []
        found += ["cannot judge"] if sum(r["value"] is None for r in given) > MOST * len(given) else []
    return tuple(dict.fromkeys([*found, *(flag for s in sessions for flag in s["flags"])]))


def _sent_back(sessions: Sequence[Row]) -> int:
    """How often sets were sent and not accepted."""
    return sum(map(sent_back, sessions))
