"""What was collected: as rows of one state of the database, and as files that `agree`, `gains` and `verdict` read."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from truegain.data.judgments import CHOSEN, Judgments, judgments_of_columns
from truegain.data.label_lists import GoldList
from truegain.data.writing import kind_to_write, table_bytes
from truegain.errors import InputError, TruegainError, counted, some
from truegain.io.files import PathLike, shown_path, write_bytes
from truegain.io.named_tables import FORMULA, harmless
from truegain.judging.study.study import JudgingStudy, Team
from truegain.judging.tasks.base import DONE, Item, Unit, base_of, unit_of
from truegain.results.settlement import trusted_label

Row = Mapping[str, Any]
T = TypeVar("T")
ERASED = "withdrawn"  # what was written is gone, only the fact is kept


class Readable(Protocol):
    """A database that runs a function which only reads, on one state of it."""

    def read(self, work: Callable[[Any], T]) -> T:
        """What the function returns."""
        ...


@dataclass(frozen=True)
class Collected:
    """Rows of a study's tables, under the names of their columns."""

    units: Sequence[Row]
    sessions: Sequence[Row]
    assessors: Sequence[Row]
    answers: Sequence[Row]  # on items, all revisions
    backs: Sequence[Row] = ()  # sessions in which the back button was used, and how often

    def ratings(self) -> list[dict[str, Any]]:
        """The last revision of every answer, with what is known of its session and assessor, in a lasting order.

        session, unit, topic, outcome, flags; assessor, kind, excluded; number (the place in which the item was shown,
        from 1), item (its place in the unit, from 0), value (None: cannot judge), typed, reason, cannot, note, seconds,
        late, revision, at; backs and sent_back of the session: how often the back button was used, and how often the
        set was sent and not accepted.  Of a session that was withdrawn there are none.
        """
        sessions = {row["id"]: row for row in self.sessions if row["outcome"] != ERASED}
        people = {row["id"]: row for row in self.assessors}
        last: dict[tuple[str, int], Row] = {}
        for row in self.answers:
            key = (row["session"], row["number"])
            if row["session"] in sessions and (key not in last or row["revision"] > last[key]["revision"]):
                last[key] = row
        backs = {row["session"]: row["times"] for row in self.backs}
        ratings = [
            {**_joined(row, sessions[session], people), "backs": backs.get(session, 0)}
            for (session, _), row in last.items()
        ]
        places = {row["id"]: row["place"] for row in self.units}
        return sorted(ratings, key=lambda r: (places.get(r["unit"], 0), r["unit"], r["session"], r["number"]))


def sent_back(session: Row) -> int:
    """How often a set was sent and not accepted."""
    tries = int((session["tries"] or {}).get("checks", 0))
    return tries - (session["outcome"] == DONE) if tries else 0


def _joined(answer: Row, session: Row, people: Mapping[str, Row]) -> dict[str, Any]:
    order, number = session["plan"]["order"], answer["number"]
    if not 1 <= number <= len(order):
        raise InputError(
            f"session {session['id']} has an answer to item {number} of {len(order)}",
            hint="the database was changed by hand; restore a backup",
        )
    person = people[session["assessor"]]
    kept = ("number", "typed", "reason", "cannot", "note", "seconds", "late", "revision", "at")
    value = answer["value"]
    return {
        "session": session["id"],
        "unit": session["unit"],
        "topic": session["topic"],
        "outcome": session["outcome"],
        "flags": tuple(session["flags"]),
        "assessor": person["id"],
        "kind": person["kind"],
        "excluded": person["excluded"],
        "item": order[number - 1],
        "sent_back": sent_back(session),
        "value": None if value is None or math.isnan(value) else value,
        **{name: answer[name] for name in kept},
    }


def collected(database: Readable) -> Collected:
    """All that was collected so far."""
    from sqlalchemy import func, select

    from truegain.judging.store import schema

    def work(connection: Any) -> Collected:
        def rows(query: Any) -> list[dict[str, Any]]:
            return [dict(row) for row in connection.execute(query).mappings()]

        unit_columns = schema.units.c
        answers = select(schema.answers).where(schema.answers.c.kind == "item").order_by(schema.answers.c.id)
        units = rows(select(schema.units).order_by(unit_columns.place, unit_columns.id))
        sessions, assessors = (rows(select(t).order_by(t.c.id)) for t in (schema.sessions, schema.assessors))
        pressed = schema.events.c
        backs = select(pressed.session, func.count().label("times")).where(pressed.kind == "back")
        return Collected(units, sessions, assessors, rows(answers), rows(backs.group_by(pressed.session)))

    return database.read(work)


def units_given_out(database: Readable) -> tuple[Unit, ...]:
    """The units as they were given out; the study's files may say otherwise by now."""
    from sqlalchemy import select

    from truegain.judging.store import schema

    query = select(schema.units).order_by(schema.units.c.place, schema.units.c.id)
    return database.read(lambda connection: tuple(unit_of(row) for row in connection.execute(query).mappings()))


def audit_trail(database: Readable) -> list[dict[str, Any]]:
    """The audit trail, oldest event first; tokens, codes and the platform's ids are in none of them."""
    from sqlalchemy import select

    from truegain.judging.store import schema

    query = select(schema.events).order_by(schema.events.c.id)
    return database.read(lambda connection: [dict(row) for row in connection.execute(query).mappings()])


# ---------------------------------------------------------------------- files


Judges = Literal["people", "models", "all"]
KINDS = {"people": "human", "models": "model"}
# columns that tables of ratings know
OF_RATINGS = ("unit", "seconds", "comment", "order", "anchor", "backs", "sent_back", CHOSEN)
MOST_NAMED = 3  # labels in a sentence
FREE_TEXT = ("comment", "note", "claim")
IDS = ("topic", "doc", "assessor", "unit", "typed", "doc_a", "doc_b", "left", "passage")


@dataclass(frozen=True)
class Wanted:
    """Which answers to export, beside those of finished units by assessors who are not excluded.

    Attributes
    ----------
    unfinished, excluded : bool
        Whether to include answers of unfinished units, and of excluded assessors.
    cannot : bool
        Whether to include items that were not judged, with an empty label.
    judges : {"people", "models", "all"}, optional
        Whose; by default people's where there are any, else models'.

    """

    unfinished: bool = False
    excluded: bool = False
    cannot: bool = False
    judges: Judges | None = None


USUAL = Wanted()


@dataclass(frozen=True)
class Export:
    """Columns of a table, each of one length, and how many answers were left out, by why."""

    columns: Mapping[str, list[Any]]
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.columns["topic"])

    def judgments(self, source: str = "the study") -> Judgments:
        """What is exported as ratings in memory; those without a label are left out."""
        labeled = [i for i, label in enumerate(self.columns["label"]) if label is not None]
        if not labeled:
            raise InputError("there are no ratings yet", file=source, hint="wait for a unit to be finished")
        columns = {name: [values[i] for i in labeled] for name, values in self.columns.items()}
        return judgments_of_columns(
            columns["topic"],
            columns["doc"],
            np.array(columns["label"], np.float64),
            source,
            assessors=columns["assessor"],
            extra={n: columns[n] for n in OF_RATINGS if n in columns},
        )

    def write(self, path: PathLike) -> None:
        """Write CSV, TSV, JSONL or Parquet, by the ending of the path; whole or not at all."""
        kind = check_ending(path)
        columns = dict(self.columns)
        if kind in ("csv", "tsv"):
            columns |= {name: [_harmless(v) for v in columns[name]] for name in FREE_TEXT if name in columns}
            columns |= {name: [harmless(v) for v in columns[name]] for name in IDS if name in columns}
        write_bytes(path, table_bytes(columns, kind, shown_path(path)))


def rating_table(study: JudgingStudy, rows: Iterable[Row], wanted: Wanted = USUAL) -> Export:
    """One row an answer, as `truegain agree`, `aggregate`, `eval`, `verdict` and `experiment magnitudes` read it.

    topic, doc, assessor, label, unit, seconds, comment, anchor ('high', 'low' or empty), order (in which the assessor
    saw the documents), probability (with which the design drew the item), typed, revision, late, flags, cannot, note,
    kind, outcome; of the whole unit backs (uses of the back button) and sent_back (sent, and not accepted by the final
    checks).  Of preferences `doc` names the pair, in alphabetical order, and the label is 1 where its first is
    better, 0 where its second, 1/2 where neither.  Of claims `doc` is the passage with a digest of the claim.  Where a
    list of what to judge next asked for items, `chosen` is 'next' of these.
    """
    chosen, left = _chosen(list(rows), wanted)
    units = {unit.id: unit for unit in study.units}
    table = [_row(study, _unit(units, row), row) for row in chosen]
    if not table:
        raise _nothing(left)
    if not any(row[CHOSEN] for row in table):
        table = [{name: value for name, value in row.items() if name != CHOSEN} for row in table]
    return Export({name: [row[name] for row in table] for name in table[0]}, left)


def win_table(study: JudgingStudy, rows: Iterable[Row], wanted: Wanted = USUAL) -> Export:
    """Preferences as ratings of documents: the share of its comparisons that a document won, for each assessor.

    label = (wins + ties / 2) / comparisons.  `probability` is the pairs' where all pairs of a document share one.
    """
    if study.task.docs_per_item != 2:
        raise TruegainError(
            f"wins are computed from preferences; the task of this study is {study.task.name}; leave the wins out"
        )
    pairs = rating_table(study, rows, wanted)
    tally: dict[tuple[str, str, str, str], list[tuple[float, float, float]]] = {}
    names = ("topic", "doc_a", "doc_b", "assessor", "unit", "label", "probability", "seconds")
    for topic, a, b, who, unit, label, probability, seconds in zip(*(pairs.columns[n] for n in names), strict=True):
        if label is not None:
            tally.setdefault((topic, a, who, unit), []).append((label, probability, seconds))
            tally.setdefault((topic, b, who, unit), []).append((1 - label, probability, seconds))
    table = [_wins(key, scores) for key, scores in tally.items()]
    if not table:
        raise _nothing(pairs.left_out)
    return Export({name: [row[name] for row in table] for name in table[0]}, pairs.left_out)


def check_ending(path: PathLike) -> str:
    """The kind of table that the ending of a path names, CSV for '-'; an error where it names none."""
    kind = "csv" if path == "-" else kind_to_write(path)
    if kind is None:
        raise TruegainError(f"{shown_path(path)}: ratings are a table; end the path in .csv, .tsv, .jsonl or .parquet")
    return kind


class OffScaleError(InputError):
    """Assessors gave labels that the list which they were to fill in does not have."""


def fill_list(listed: GoldList, study: JudgingStudy, rows: Iterable[Row]) -> tuple[GoldList, int]:
    """A list of pairs to judge, labeled from its top to the first pair that is not ready, and how many are after it.

    A pair is ready when each of the units that hold it was finished by a person who is not excluded, those for others
    among them (as many as the study's rules say now): a label that may still change is none yet, and models judge
    beside people.  The label is the lower median of people's, one that somebody gave, unless a team's `aggregate` says
    otherwise; a pair that nobody could judge is marked so, and those below it count.
    """
    planned, others = Counter[tuple[str, str]](), Counter[tuple[str, str]]()  # units that hold a pair
    for unit in study.units:
        for pair in {(unit.topic, doc) for item in unit.items for doc in item.docs}:
            (others if base_of(unit.id) else planned)[pair] += 1
    units = {unit.id: unit for unit in study.units}
    finished: dict[tuple[str, str], set[str]] = {}
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["outcome"] == DONE and row["excluded"] is None and row["kind"] == KINDS["people"]:
            pair = (row["topic"], _unit(units, row).items[row["item"]].docs[0])
            finished.setdefault(pair, set()).add(row["unit"])
            if row["value"] is not None:
                values.setdefault(pair, []).append(row["value"])
    pairs = list(zip(listed.topics, listed.docs, strict=True))
    most = study.rules.others
    ready = [len(finished.get(pair, ())) >= max(1, planned[pair] + min(most, others[pair])) for pair in pairs]
    kept = np.arange(len(pairs)) < listed.judged
    first = next((i for i, (mine, had) in enumerate(zip(ready, kept, strict=True)) if not (mine or had)), len(pairs))
    labels: dict[str, dict[str, float]] = {}
    aggregate = Team.aggregate if study.team is None else study.team.aggregate
    mine = [pair for pair, is_ready in zip(pairs[:first], ready[:first], strict=True) if is_ready]
    for topic, doc in (pair for pair in mine if pair in values):
        labels.setdefault(topic, {})[doc] = trusted_label(values[topic, doc], aggregate)
    if not mine:
        raise InputError("the first pair of the list is not ready", file=listed.source, hint="wait for its judgments")
    low, high = listed.scale
    off = [
        f"{label:g} of topic {topic}, document {doc}"
        for topic, docs in labels.items()
        for doc, label in docs.items()
        if not low <= label <= high
    ]
    if off:
        problem = f"{counted(len(off), 'label')} not on the scale {listed.labels} of the list: {some(off, MOST_NAMED)}"
        raise OffScaleError(problem, file=listed.source, hint="give these documents labels of the list")
    return listed.filled(labels or None, cannot=[pair for pair in mine if pair not in values]), sum(ready[first:])


def write_audit(path: PathLike, events: Iterable[Row]) -> int:
    """Write the audit trail, one JSON object a line, whole or not at all; how many events there are."""
    lines = [json.dumps(_plain(dict(row)), ensure_ascii=False) for row in events]
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace"))
    return len(lines)


def rows_that_count(rows: Iterable[Row], judges: Judges | None = None) -> list[Row]:
    """The rows that count as exported, with those that could not be judged."""
    return _chosen(list(rows), Wanted(cannot=True, judges=judges))[0]


def _chosen(rows: Sequence[Row], wanted: Wanted) -> tuple[list[Row], dict[str, int]]:
    """The rows that are wanted, and how many others there are, by the first of the reasons that holds."""
    people = any(row["kind"] == "human" and (wanted.unfinished or row["outcome"] == DONE) for row in rows)
    judges = wanted.judges or ("people" if people else "models")
    kept, left = [], dict.fromkeys(("models", "people", "unfinished", "excluded", "cannot"), 0)
    for row in rows:
        why = ""
        if judges != "all" and row["kind"] != KINDS[judges]:
            why = "models" if judges == "people" else "people"
        elif row["outcome"] != DONE and not wanted.unfinished:
            why = "unfinished"
        elif row["excluded"] is not None and not wanted.excluded:
            why = "excluded"
        elif row["value"] is None and not wanted.cannot:
            why = "cannot"
        if why:
            left[why] += 1
        else:
            kept.append(row)
    return kept, {why: count for why, count in left.items() if count}


def _row(study: JudgingStudy, unit: Unit, row: Row) -> dict[str, Any]:
    """One answer as a row of the table."""
    item, value = unit.items[row["item"]], row["value"]
    about: dict[str, Any] = {}
    if len(item.docs) == 2:
        doc_a, doc_b = sorted(item.docs)
        doc, about = f"{doc_a}|{doc_b}", {"doc_a": doc_a, "doc_b": doc_b, "left": item.docs[0]}
        if value is not None:
            value = (1 + value) / 2 if item.docs[0] == doc_a else (1 - value) / 2
    elif item.claim:
        doc, about = claim_name(item), {"passage": item.docs[0], "claim": item.claim}
    else:
        doc = item.docs[0]
    anchor = {unit.high: "high", unit.low: "low"}.get(row["item"], "")
    return {
        "topic": row["topic"],
        "doc": doc,
        "assessor": row["assessor"],
        "label": value,
        "unit": unit.id,
        "seconds": round(row["seconds"], 3),
        "comment": row["reason"],
        "anchor": anchor,
        "order": row["number"],
        "probability": item.probability,
        "typed": row["typed"],
        "revision": row["revision"],
        "late": int(row["late"]),
        "flags": ";".join(_flags(study, row)),
        "cannot": row["cannot"],
        "note": row["note"],
        "kind": row["kind"],
        "outcome": row["outcome"] or "",
        "backs": row["backs"],
        "sent_back": row["sent_back"],
        CHOSEN: item.chosen,
        **about,
    }


def claim_name(item: Item) -> str:
    """Names a passage and a claim without white space, alike in every study."""
    return f"{item.docs[0]}#{hashlib.sha256(item.claim.encode()).hexdigest()[:8]}"


def _flags(study: JudgingStudy, row: Row) -> list[str]:
    """What is known of a row that may matter: of its session first, then of itself."""
    flags = [*row["flags"]]
    for name, holds in (
        ("unfinished", row["outcome"] != DONE),
        ("excluded", row["excluded"] is not None),
        ("late", row["late"]),
        ("previous-shown", study.rules.show_previous),
    ):
        if holds and name not in flags:
            flags.append(name)
    return flags


def _wins(key: tuple[str, str, str, str], scores: list[tuple[float, float, float]]) -> dict[str, Any]:
    topic, doc, who, unit = key
    points, probabilities = [f[0] for f in scores], {f[1] for f in scores}
    return {
        "topic": topic,
        "doc": doc,
        "assessor": who,
        "label": math.fsum(points) / len(points),
        "unit": unit,
        "probability": probabilities.pop() if len(probabilities) == 1 else None,
        "wins": points.count(1.0),
        "ties": points.count(0.5),
        "losses": points.count(0.0),
        "seconds": math.fsum(f[2] for f in scores),
    }


def _unit(units: Mapping[str, Unit], row: Row) -> Unit:
    if row["unit"] not in units:
        raise InputError(
            f"unit {row['unit']} was judged, but is not in the study",
            hint="the study was changed after it began; restore the files that it was served with",
        )
    return units[row["unit"]]


def _nothing(left: Mapping[str, int]) -> TruegainError:
    rest = ", ".join(f"{count} {OMITTED[why]}" for why, count in left.items())
    return TruegainError(f"there is nothing to export yet: {rest or 'no answers'}")


OMITTED = {
    "models": "of model judges",
    "people": "of people",
    "unfinished": "of units that were not finished",
    "excluded": "of excluded assessors",
    "cannot": "that could not be judged",
}


def _harmless(value: Any) -> Any:
    """A text that no spreadsheet takes for a formula: one that begins like one gets a quote before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _plain(value: Any) -> Any:
    """What JSON can hold: no NaN, bytes as hexadecimal digits."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.hex() if isinstance(value, bytes) else value
