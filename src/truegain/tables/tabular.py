"""Files with named columns: CSV, TSV, JSONL and Parquet."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal

import numpy as np

from truegain.errors import InputError, needs
from truegain.tables.columns import Places, frozen
from truegain.tables.frames import Frame, opened
from truegain.tables.packing import COMPRESSED

Kind = Literal["csv", "tsv", "jsonl", "parquet"]

COLUMNS: dict[str, tuple[str, ...]] = {
    "topic": ("topic", "query_id", "qid", "query", "topic_id", "q_id"),
    "doc": ("doc", "doc_id", "docno", "docid", "document"),
    "label": ("label", "relevance", "rel", "grade", "gain", "judgment", "rating", "value"),
    "score": ("score", "sim"),
    "system": ("system", "run", "run_id"),
    "subtopic": ("subtopic", "iteration", "intent"),
    "assessor": ("assessor", "worker", "judge", "rater", "annotator"),
}
_FIELD_LIMIT = Lock()  # csv.field_size_limit is one number for the whole process


def ending(path: str) -> str:
    """The ending of a file name, below that of a compressed file.

    >>> ending("runs/bm25.CSV.gz")
    '.csv'
    """
    name = path.lower()
    for compressed in COMPRESSED:
        name = name.removesuffix(compressed)
    dot = name.rfind(".")
    return name[dot:] if dot > max(name.rfind("/"), name.rfind("\\")) else ""


def kind_of(text: bytes, file: str) -> Kind | None:
    r"""The kind of a table with named columns, or None for TREC lines.

    >>> kind_of(b"topic,doc,label\n1,a,2\n", "x.csv"), kind_of(b"1 0 a 2\n", "qrels")
    ('csv', None)
    """
    suffix = ending(file)
    if is_parquet(text, suffix):
        return "parquet"
    first = text[:65536].lstrip().split(b"\n", 1)[0].rstrip().decode(errors="replace")
    if first.startswith("{") and first[1:].lstrip()[:1] in ("", '"', "}"):
        return "jsonl"
    if first.startswith("[") and suffix in (".json", ".jsonl", ".ndjson"):
        raise InputError(
            "a JSON list, not lines of JSON objects", file=file, line=1, text=first, hint="write one object a line"
        )
    for kind, separator in (("csv", ","), ("tsv", "\t")):
        names = {name.strip().strip('"').lower() for name in first.split(separator)}
        if names & set(COLUMNS["topic"]) and names & set(COLUMNS["doc"]) and not any(map(_is_number, names)):
            return kind  # type: ignore[return-value]
    if first and suffix in (".csv", ".jsonl", ".ndjson", ".parquet"):
        raise InputError(
            "not a Parquet file" if suffix == ".parquet" else "the columns 'topic' and 'doc' are not named",
            file=file,
            line=None if suffix == ".parquet" else 1,
            text=first,
            hint="write one JSON object a line, such as {'topic': '1', 'doc': 'a', 'label': 1}"
            if suffix in (".jsonl", ".ndjson")
            else "check that the file is whole"
            if suffix == ".parquet"
            else "begin the table with a line of column names, such as topic,doc,label or topic,doc,score",
        )
    return None


def is_parquet(data: bytes, suffix: str = "") -> bool:
    """Whether bytes are a Parquet file, perhaps a broken one, and not lines of a topic 'PAR1'."""
    binary = any(byte < 32 and byte not in b"\t\n\v\f\r" for byte in data[4:256])
    return data.startswith(b"PAR1") and (binary or suffix == ".parquet")


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns as lists, in the order of the file, and the line each row begins on."""

    columns: list[str]
    values: list[list[Any]]
    places: Places

    def column(self, at: int) -> list[Any]:
        """The values of one column."""
        return self.values[at]


def read(text: bytes, kind: Kind, file: str) -> RawTable | Frame:
    """Read a table; every column of a CSV or TSV comes as text."""
    if kind == "parquet":
        return _parquet(text, file)
    return read_text(text, kind, file)


def read_text(text: bytes, kind: Kind, file: str) -> RawTable:
    """Read a table that is text."""
    if kind == "jsonl":
        return _json_lines(text, file)
    return _separated(text, "," if kind == "csv" else "\t", file)


def _parquet(data: bytes, file: str) -> Frame:
    pl = needs("polars", "frames")

    try:
        return opened(pl.read_parquet(io.BytesIO(data)))
    except (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise InputError(
            f"not a readable Parquet file: {reason}", file=file, hint="check that the file is whole"
        ) from None


def _separated(text: bytes, separator: str, file: str) -> RawTable:
    reader = csv.reader(io.StringIO(text.decode(), newline="\n"), delimiter=separator, strict=True)
    with _FIELD_LIMIT:
        before = csv.field_size_limit(2**31 - 1)
        try:
            width, cells, lines = _cells(reader, separator, file)
        except csv.Error as error:
            raise InputError(
                f"not a readable table: {_plainly(str(error))}",
                file=file,
                line=reader.line_num,
                text=text.split(b"\n", reader.line_num)[reader.line_num - 1].rstrip(b"\r").decode(),
                hint='quote fields that hold a separator or a quote, as in "a ""b"" c"; end lines with a newline',
            ) from None
        finally:
            csv.field_size_limit(before)
    values = [cells[width + at :: width] for at in range(width)]
    return RawTable(cells[:width], values, Places("line", frozen(np.array(lines[1:], np.int64))))


def _cells(reader: Any, separator: str, file: str) -> tuple[int, list[str], list[int]]:
    """The width of the table, its cells row by row, and the line each row that is not blank begins on.

    One flat list, for a million small ones would keep the garbage collector busy.
    """
    cells: list[str] = []
    lines: list[int] = []
    width, begin = 0, 1
    for row in reader:
        if row and (len(row) > 1 or row[0].strip()):
            width = width or len(row)
            if len(row) != width:
                raise InputError(
                    f"{len(row)} fields where the header has {width}",
                    file=file,
                    line=begin,
                    text=separator.join(row),
                    hint="give every row all fields, and quote fields that hold a separator",
                )
            cells += row
            lines.append(begin)
        begin = reader.line_num + 1
    return width, cells, lines


def _plainly(reason: str) -> str:
    """The csv module's reasons in the words of this package."""
    if reason.startswith("new-line character"):
        return "carriage return inside a line"
    return "a quote is never closed" if reason == "unexpected end of data" else reason


def _json_lines(text: bytes, file: str) -> RawTable:
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise InputError(
                "not a JSON object",
                file=file,
                line=number,
                text=line[:1000].decode(errors="replace"),
                hint="write one object a line",
            )
        rows.append(row)
        lines.append(number)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return RawTable(
        names, [[row.get(name) for row in rows] for name in names], Places("line", frozen(np.array(lines, np.int64)))
    )


def number_of(value: Any) -> float | None:
    """A number, or text that is one as in a TREC file, as float; None for everything else."""
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def is_bool(value: object) -> bool:
    """Whether a value is true or false, which can be a label and not a score."""
    return isinstance(value, bool | np.bool_)


def _is_number(text: str) -> bool:
    return number_of(text) is not None
