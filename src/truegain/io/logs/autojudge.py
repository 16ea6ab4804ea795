"""Files of TREC AutoJudge, by its source: leaderboards of runs, topics and measures, and banks of nuggets.

Three orders of four columns are in use, and a position tells nothing.  Rows of the topic 'all' do: they stand in the
column of topics.  Where there are none, `columns` must say which is which.  Three columns are measure, topic and value
of one run, as trec_eval prints them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from truegain.errors import InputError, shorten, some
from truegain.io.file_options import BOARD, file_options
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
from truegain.message import arg

WORDS, BANK_WORDS = "a leaderboard of TREC AutoJudge", "a nugget bank"
ALL = "all"  # the topic of means
ORDERS = {  # by the name of the format: what its columns hold
    "ir_measures": ("run", "topic", "measure", "value"),
    "tot": ("run", "measure", "topic", "value"),
    "rag4reports": ("topic", "run", "measure", "value"),
}
OF_ONE_RUN = ("measure", "topic", "value")
RUN_NAME = "runid"  # what trec_eval writes as a measure of all topics: its value is the name of the run
SUMS = "num_"  # begins the names of what trec_eval sums over topics, or counts
COUNTED = frozenset([RUN_NAME, "num_q", "num_ret", "num_rel", "num_rel_ret"])  # lines that trec_eval alone writes
AS_TREC_EVAL = "trec_eval and AutoJudge write the same lines: they are taken for AutoJudge's, by the labels of an LLM"
NOT_ASSIGNED = "not assigned"
_KEYS = ("run_id", "topic_id", "measure", "value")
_ITERATIONS = ({"0"}, {"1"}, {"Q0"}, {"q0"})  # what the second column of judgments holds
ENOUGH = 50  # lines that tell whether a file is the leaderboard that it was said to be
_LEAST = 4  # rows of whole numbers that tell


# ---- Leaderboards.


def _recognizes(data: bytes, _file: str) -> bool:
    start = opening(data)
    if start.kind:
        return start.kind == "object" and set(start.keys) == set(_KEYS)
    if board := file_options().board:
        begun = [line.split() for line in data[:START].decode(errors="replace").splitlines()[:ENOUGH]]
        rows = [cells for cells in begun if _is_row(cells, len(board), board.index("value"))]
        return bool(rows) and not _is_judged(rows)  # a line that is wrong is told where all are read
    return any(_order(_sample(data, width)) is not None for width in (len(BOARD), len(OF_ONE_RUN)))


def refuse_unnamed(data: bytes, file: str) -> None:
    r"""Refuse lines that may be a leaderboard whose columns nobody has named: most names stand with most of the others.

    Labels of judgments are whole numbers, mostly of other documents in every topic.

    >>> refuse_unnamed(b"a 31 NUGGET 0.25\nb 31 NUGGET 0.5\n", "a.txt")
    Traceback (most recent call last):
    truegain.errors.InputError: a.txt: a leaderboard? no row of the topic 'all' tells which column holds the topics (...
    >>> refuse_unnamed(b"31 0 d1 1\n31 0 d2 0\n", "a.qrels")
    """
    for orders in (tuple(ORDERS.values()), (OF_ONE_RUN,)):
        rows = _unnamed_rows(data, orders)
        if rows and not _are_labels(rows):
            raise _unnamed(file, orders)


def note_unnamed(data: bytes) -> str:
    r"""What is said of a file that may be a leaderboard of whole numbers, such as counts; empty where it may not.

    >>> note_unnamed(b"NUGGETS 31 4\nNUGGETS 32 0\n").partition(",")[0]
    'if this is a leaderboard of one run'
    >>> note_unnamed(b"31 0 d1 1\n31 0 d2 0\n")
    ''
    """
    orders = tuple(ORDERS.values())
    if _unnamed_rows(data, orders):
        return f"if this is a leaderboard, {_ways(orders)}"
    rows = [] if opening(data).kind else _sample(data, len(OF_ONE_RUN))
    is_one_run = len(rows) > 1 and len({tuple(row[:-1]) for row in rows}) == len(rows)
    return f"if this is a leaderboard of one run, {_ways((OF_ONE_RUN,))}" if is_one_run else ""


def _unnamed_rows(data: bytes, orders: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows of what may be a leaderboard whose columns nobody has named; none where it is something else."""
    rows = [] if opening(data).kind else _sample(data, len(orders[0]))
    is_board = len(rows) > 1 and not _is_judged(rows) and _order(rows) is None and _is_crossed(rows)
    return rows if is_board else []


def _are_labels(rows: Sequence[Sequence[str]]) -> bool:
    """Whether values of four columns are written as labels are, such as those of subtopics: without a decimal point."""
    return len(rows[0]) == len(BOARD) and all(row[-1].lstrip("+-").isdigit() for row in rows)


def _is_crossed(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a value stands once in most cells of a table by all names, as no label of documents does."""
    keys = [tuple(row[:-1]) for row in rows]
    names = [set(column) for column in zip(*keys, strict=True)]
    cells = math.prod(map(len, names))
    in_words = sum(all(plain_number(name) is None for name in of) for of in names)
    if len(set(keys)) < len(keys):
        return False
    whole = all(float(row[-1]).is_integer() for row in rows)
    if len(names) < len(BOARD) - 1:  # of one run
        return not whole and len(rows) == cells and all(plain_number(name) is None for name in names[0])
    return len(rows) == cells >= _LEAST and in_words > 1 if whole else 2 * len(rows) >= cells and in_words > 0


def _unnamed(file: str, orders: Sequence[Sequence[str]]) -> InputError:
    """What is asked of a leaderboard without rows of all topics."""
    told = "a leaderboard? no row of the topic 'all' tells which column holds the topics"
    return InputError(told, file=file, hint=_ways(orders))


def _ways(orders: Sequence[Sequence[str]]) -> str:
    """How to say what the columns of a leaderboard hold."""
    first, *others = [",".join(order) for order in orders]
    also = f"; other orders in use are {' and '.join(others)}" if others else ""
    return f"name the columns in their order: {arg('columns', first)}{also}"


def _is_judged(rows: Sequence[Sequence[str]]) -> bool:
    """Whether four columns are those of judgments, whose second one says nothing."""
    return len(rows[0]) == len(BOARD) and {row[1] for row in rows} in _ITERATIONS


def _sample(data: bytes, width: int, value: int = -1) -> list[list[str]]:
    """Rows of so many cells, one a number, from the beginning and the end of a file; none where one is other.

    Means stand after the topics of a run, or at the end.
    """
    first = data[:4096].split(b"\n", 2)[1 if data.count(b"\n", 0, 4096) > 1 else 0]
    if not _is_row(first.decode(errors="replace").split(), width, value):
        return []
    pieces = [data] if len(data) <= START else [data[:START].rpartition(b"\n")[0], data[-START:].partition(b"\n")[2]]
    if len(pieces) > 1 and not data.endswith(b"\n"):  # the beginning of a file may be cut in a line
        pieces[1] = pieces[1].rpartition(b"\n")[0]
    lines = (line.split() for piece in pieces for line in piece.decode(errors="replace").splitlines() if line.strip())
    rows = [cells for cells in lines if not _names_run(cells)]
    if rows and not _is_row(rows[0], width, value) and len(rows[0]) == width:
        rows = rows[1:]  # names of columns
    return rows if all(_is_row(row, width, value) for row in rows) else []


def _names_run(cells: Sequence[str]) -> bool:
    """Whether a line of trec_eval holds the name of the run, and no value."""
    return len(cells) == len(OF_ONE_RUN) and list(cells[:2]) == [RUN_NAME, ALL]


def _is_row(cells: Sequence[str], width: int, value: int = -1) -> bool:
    return len(cells) == width and plain_number(cells[value]) is not None


def _order(rows: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """What the columns hold, told by the rows of all topics; None where these do not tell, as in judgments."""
    names = range(len(rows[0]) - 1) if rows else ()
    at = [column for column in names if any(row[column] == ALL for row in rows)]
    if len(at) != 1:
        return None
    topic = at[0]
    orders = ORDERS.values() if len(rows[0]) == len(BOARD) else (OF_ONE_RUN,)
    order = next((order for order in orders if order[topic] == "topic"), None)
    mean_rows = [row for row in rows if row[topic] == ALL]
    if order is None or len(mean_rows) == len(rows):
        return None
    pairs = {tuple(cell for column, cell in enumerate(row[:-1]) if column != topic) for row in mean_rows}
    others = {tuple(cell for column, cell in enumerate(row[:-1]) if column != topic) for row in rows}
    if len(pairs) != len(mean_rows) or (pairs != others and len(pairs) * 2 < len(others)):
        return None  # every run has one mean of every measure
    measures = {row[order.index("measure")] for row in rows}
    return None if any(name == "Q0" or plain_number(name) is not None for name in measures) else order


def _read(data: bytes, file: str) -> Log:
    return read_leaderboard(data, file, file_options().board)


def read_leaderboard(data: bytes, file: str, columns: Sequence[str] | None = None) -> Log:
    """A leaderboard; `columns` says what its columns hold, such as ('run', 'topic', 'measure', 'value')."""
    is_json = bool(opening(data).kind)
    columns = BOARD if is_json else tuple(columns or ())
    if columns and sorted(columns) not in (sorted(BOARD), sorted(OF_ONE_RUN)):
        raise _unnamed(file, tuple(ORDERS.values()))
    cells = _json_cells(records(data, file)) if is_json else list(_cells(data, file, columns))
    if not cells:
        raise no_records(file, WORDS, "check the file")
    called = [str(row[-1]) for _, row in cells if _names_run(row)]
    cells = [(line, row) for line, row in cells if not _names_run(row)]
    told = None if is_json else _order([row for _, row in cells])
    order = columns or told
    if order is None:
        raise _unnamed(file, tuple(ORDERS.values()))
    if told is not None and order[-1] == "value" and order.index("topic") != told.index("topic"):
        raise InputError(
            f"column {told.index('topic') + 1} holds the topics, as its rows of 'all' show, not column "
            f"{order.index('topic') + 1}", file=file, hint=f"say {arg('columns', ','.join(told))}",
        )  # fmt: skip
    rows, means = list[Row](), list[ToolMean]()
    texts: dict[tuple[str, bool], list[object]] = {}  # by measure, those of topics and those of means
    seen: dict[tuple[str, ...], int] = {}
    by_trec_eval = order == OF_ONE_RUN and (bool(called) or any(row[0] in COUNTED for _, row in cells))
    judge = "" if by_trec_eval else UNNAMED  # trec_eval's values are made of judgments, by a rule
    for line, row in cells:
        number, status = value_of(row[order.index("value")], {}, str(row[order.index("measure")]), file, line)
        named = {name: id_of(row[order.index(name)], name, file, line) for name in BOARD[:3] if name in order}
        if seen.setdefault(key := tuple(named.values()), line) != line:
            raise InputError(
                f"a second value of {' '.join(key)}; the first is on line {seen[key]}",
                file=file,
                line=line,
                hint="keep one of the two lines",
            )
        topic, measure, run = named["topic"], named["measure"], named.get("run", "")
        if order == OF_ONE_RUN and (by_trec_eval or topic == ALL) and measure.startswith(SUMS):
            continue  # a count is no score
        texts.setdefault((measure, topic == ALL), []).append(row[order.index("value")])
        if topic == ALL:
            means.append(ToolMean(measure, number, run, reason="topics without a value may have been filled in"))
        else:
            rows.append(Row(topic, measure, number, run, judge=judge, status=status, line=line))
    known = {"JSONL": is_json, "trec_eval": order == OF_ONE_RUN} | {name: order == of for name, of in ORDERS.items()}
    form = next((name for name, fits in known.items() if fits), ",".join(order))
    notes = [AS_TREC_EVAL] if order == OF_ONE_RUN and not by_trec_eval else []
    moved = {of: half_unit(cells) for of, cells in texts.items()}
    means = [replace(m, rounding=moved[m.score, True] + moved.get((m.score, False), 0.0)) for m in means]
    names = ({RUN_NAME: called[0]} if called else {}) | {"file": stem(file)}
    tool = "trec_eval" if by_trec_eval else "TREC AutoJudge"
    return Log(file, tool, rows, names, means=means, provenance={"format": form}, notes=[*notes, *_sparse(rows)])


def half_unit(cells: Iterable[object], least: int = 1) -> float:
    """Half a unit of the last printed digit of the largest number; 0 where none is a text with a decimal point.

    least: numbers of fewer digits are exact.

    Zeros at the end may have been left out, so that the number with most digits tells how many were printed.

    >>> half_unit(["0.1234", "0.5"]), half_unit(["1.0", "0.3333333333333333"]) < 1e-15, half_unit([0.5, "1e-3"])
    (5e-05, True, 0.0)
    """
    texts = [cell for cell in cells if isinstance(cell, str) and "." in cell and "e" not in cell.lower()]
    numbers = [Decimal(text) for text in texts]
    digits = max((len(number.as_tuple().digits) for number in numbers), default=0)
    return 0.5 * 10.0 ** (max(number.adjusted() for number in numbers) - digits + 1) if digits >= least else 0.0


def _json_cells(lines: Sequence[Record]) -> list[tuple[int, list[Any]]]:
    return [(line, [record.get(key) for key in _KEYS]) for line, record in lines]


def _cells(data: bytes, file: str, columns: Sequence[str]) -> Iterator[tuple[int, list[Any]]]:
    """The cells of each line; as many as there are columns, of which a line before them may have the names."""
    lines = [(line, text) for line, text in enumerate(plain_text(data, file).decode().splitlines(), 1)
             if text.strip() and not text.startswith("#")]  # fmt: skip
    order = tuple(columns) or (OF_ONE_RUN if lines and len(lines[-1][1].split()) == len(OF_ONE_RUN) else BOARD)
    width, value = len(order), order.index("value")
    for line, text in lines:
        cells = text.split()
        if line == 1 and not _is_row(cells, width, value) and plain_number(cells[-1]) is None:
            continue
        if len(cells) != width:
            named = f"{', '.join(order[:-1])} and {order[-1]}"
            raise InputError(
                f"{len(cells)} cells; a leaderboard has {width}",
                file=file,
                line=line,
                text=shorten(text),
                hint=f"write {named}",
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
