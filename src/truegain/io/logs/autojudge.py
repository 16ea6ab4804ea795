"""Files of TREC AutoJudge, by its source: leaderboards of runs, topics and measures, and banks of nuggets.

Three orders of four columns are in use, and a position tells nothing.  Rows of the topic 'all' do: they stand in the
column of topics.  Where there are none, `columns` must say which is which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truegain.errors import InputError, shorten, some
from truegain.io.logs.log import Log, LogFormat, Row, ScoreRange, ToolMean
from truegain.io.logs.records import (
    START,
    UNNAMED,
    Record,
    fields_of,
    id_of,
    listed,
    name_of,
    no_records,
    opening,
    parsed,
    plain_number,
    records,
    stem,
    value_of,
)
from truegain.io.nugget_files import IMPORTANCE, UNKNOWN, plain_word
from truegain.io.plain_text import plain_text

WORDS, BANK_WORDS = "a leaderboard of TREC AutoJudge", "a nugget bank"
ALL = "all"  # the topic of means
ORDERS = {  # by the name of the format: what its columns hold
    "ir_measures": ("run", "topic", "measure", "value"),
    "tot": ("run", "measure", "topic", "value"),
    "rag4reports": ("topic", "run", "measure", "value"),
}
NOT_ASSIGNED = "not assigned"
_KEYS = ("run_id", "topic_id", "measure", "value")
_DECLARED = ("run", "topic", "measure", "value")


# ---- Leaderboards.


def _recognizes(data: bytes, _file: str) -> bool:
    start = opening(data)
    if start.kind:
        return start.kind == "object" and set(start.keys) == set(_KEYS)
    return _order(_sample(data)) is not None


def _sample(data: bytes) -> list[list[str]]:
    """Rows of four cells with a number at their end, from the beginning and the end of a file; none where one is other.

    Means stand after the topics of a run, or at the end.
    """
    first = data[:4096].split(b"\n", 2)[1 if data.count(b"\n", 0, 4096) > 1 else 0]
    if not _is_row(first.decode(errors="replace").split()):
        return []
    pieces = [data] if len(data) <= START else [data[:START].rpartition(b"\n")[0], data[-START:].partition(b"\n")[2]]
    if len(pieces) > 1 and not data.endswith(b"\n"):  # the beginning of a file may be cut in a line
        pieces[1] = pieces[1].rpartition(b"\n")[0]
    rows = [line.split() for piece in pieces for line in piece.decode(errors="replace").splitlines() if line.strip()]
    if not _is_row(rows[0]) and len(rows[0]) == 4:
        rows = rows[1:]  # names of columns
    return rows if all(map(_is_row, rows)) else []


def _is_row(cells: Sequence[str]) -> bool:
    return len(cells) == 4 and plain_number(cells[3]) is not None


def _order(rows: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """What the columns hold, told by the rows of all topics; None where these do not tell, as in judgments."""
    at = [column for column in range(3) if any(row[column] == ALL for row in rows)]
    if len(at) != 1:
        return None
    topic = at[0]
    mean_rows = [row for row in rows if row[topic] == ALL]
    pairs = {tuple(cell for column, cell in enumerate(row[:3]) if column != topic) for row in mean_rows}
    others = {tuple(cell for column, cell in enumerate(row[:3]) if column != topic) for row in rows}
    if len(pairs) != len(mean_rows) or (pairs != others and len(pairs) * 2 < len(others)):
        return None  # every run has one mean of every measure
    order = next(order for order in ORDERS.values() if order[topic] == "topic")
    measures = {row[order.index("measure")] for row in rows}
    return None if any(name == "Q0" or plain_number(name) is not None for name in measures) else order


def _read(data: bytes, file: str) -> Log:
    return read_leaderboard(data, file)


def read_leaderboard(data: bytes, file: str, columns: Sequence[str] | None = None) -> Log:
    """A leaderboard; `columns` says what its four columns hold, such as ('run', 'topic', 'measure', 'value')."""
    cells = _json_cells(records(data, file)) if opening(data).kind else list(_cells(data, file))
    if not cells:
        raise no_records(file, WORDS, "check the file")
    order = _DECLARED if opening(data).kind else tuple(columns or ()) or _order([row for _, row in cells])
    if order is None or sorted(order) != sorted(_DECLARED):
        hint = "say what the columns hold, in their order, such as run,topic,measure,value or run,measure,topic,value"
        raise InputError("no row of the topic 'all' tells which column holds the topics", file=file, hint=hint)
    run, topic, measure, value = (order.index(name) for name in _DECLARED)
    rows, means = list[Row](), list[ToolMean]()
    seen: dict[tuple[str, ...], int] = {}
    for line, row in cells:
        number, status = value_of(row[value], {}, str(row[measure]), file, line)
        key = tuple(
            id_of(row[at], name, file, line) for at, name in zip((run, topic, measure), _DECLARED, strict=False)
        )
        if seen.setdefault(key, line) != line:
            raise InputError(
                f"a second value of {' '.join(key)}; the first is on line {seen[key]}",
                file=file,
                line=line,
                hint="keep one of the two lines",
            )
        if key[1] == ALL:
            means.append(ToolMean(key[2], number, key[0], reason="topics without a value may have been filled in"))
        else:
            rows.append(Row(key[1], key[2], number, key[0], judge=UNNAMED, status=status, line=line))
    told = next((name for name, known in ORDERS.items() if known == order and not opening(data).kind), "JSONL")
    return Log(file, "TREC AutoJudge", rows, {"file": stem(file)}, means=means, provenance={"format": told},
               notes=list(_sparse(rows)))  # fmt: skip


def _json_cells(lines: Sequence[Record]) -> list[tuple[int, list[Any]]]:
    return [(line, [record.get(key) for key in _KEYS]) for line, record in lines]


def _cells(data: bytes, file: str) -> Iterator[tuple[int, list[Any]]]:
    for line, text in enumerate(plain_text(data, file).decode().splitlines(), 1):
        cells = text.split()
        if not cells or text.startswith("#") or (line == 1 and not _is_row(cells)):
            continue
        if len(cells) != 4:
            raise InputError(
                f"{len(cells)} cells; a leaderboard has 4",
                file=file,
                line=line,
                text=shorten(text),
                hint="write run, topic, measure and value",
            )
        yield line, cells


def _sparse(rows: Sequence[Row]) -> Iterator[str]:
    """Runs that lack topics which others have: rows may be left out, or filled with a default."""
    topics: dict[str, set[str]] = {}
    for row in rows:
        topics.setdefault(row.system, set()).add(row.topic)
    every = set().union(*topics.values()) if topics else set()
    if fewer := [run for run, mine in topics.items() if mine != every]:
        yield f"{some(fewer)} lack topics that others have; their means are over other topics"


# ---- Banks of nuggets: what is to be found in answers, without answers.


def _recognizes_bank(data: bytes, _file: str) -> bool:
    start = opening(data)
    if start.kind != "object":
        return False
    held = start.has("nugget_bank") or start.has("claim_bank") or start.has("nuggets")
    named = start.has("query_id") or start.has("qid") or start.has("metadata", "nugget_bank")
    return held and named and b'"assignment"' not in data[: 4 * START]


def _read_bank(data: bytes, file: str) -> Log:
    banks = _banks(data, file)
    rows = list[Row]()
    versions: dict[str, None] = {}
    for line, bank in banks:
        topic = str(bank.get("query_id") or bank.get("qid") or fields_of(bank.get("metadata")).get("topic_id") or "")
        if not topic:
            raise InputError("a bank that names no topic", file=file, row=line, hint="give it a query_id")
        versions[str(bank.get("format_version") or ("v4" if "nuggets" in bank else "v3"))] = None
        for nugget in _nuggets(bank):
            text = name_of(str(nugget.get("question") or nugget.get("claim") or nugget.get("text") or ""))
            importance = nugget.get("importance")
            weight = 1.0 if importance is None else IMPORTANCE.get(plain_word(importance), UNKNOWN)
            rows.append(Row(topic, "nugget", item=text, weight=weight, status=NOT_ASSIGNED, line=line))
    if not rows:
        raise no_records(file, BANK_WORDS, "check the file")
    notes = ["nuggets alone: no answer was held against them; assign them to answers first"]
    return Log(file, f"nugget bank {', '.join(versions)}", rows, {"file": stem(file)},
               scales={"nugget": ScoreRange(0.0, 1.0)}, notes=notes)  # fmt: skip


def _banks(data: bytes, file: str) -> list[Record]:
    """The banks of a file: one a line, or the whole of it."""
    try:
        return records(data, file)
    except InputError:
        return [(1, parsed(data, file))]


def _nuggets(bank: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The nuggets of a bank, those below others too; they stand in a list or by their names."""
    for key in ("nugget_bank", "claim_bank", "nuggets", "sub_nuggets"):
        held = bank.get(key)
        for nugget in listed(held) or list(fields_of(held).values()):
            if isinstance(nugget, Mapping):
                yield nugget
                yield from _nuggets({"sub_nuggets": nugget.get("sub_nuggets")})


AUTOJUDGE = LogFormat("autojudge", WORDS, _recognizes, _read)
NUGGET_BANK = LogFormat("nugget_bank", BANK_WORDS, _recognizes_bank, _read_bank)
