"""Files with named columns: CSV (also with semicolons), TSV, JSONL, lists of JSON and Parquet."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from truegain.errors import InputError, needs
from truegain.message import arg
from truegain.tables.columns import Places, frozen
from truegain.tables.frames import Frame, opened
from truegain.tables.guessed import option_for_text
from truegain.tables.header import Header
from truegain.tables.json_files import STRICT, RepeatedKeyError, is_list, is_nested, records, repeated
from truegain.tables.packing import COMPRESSED
from truegain.tables.raw import COLUMNS as COLUMNS
from truegain.tables.raw import EXTRA as EXTRA
from truegain.tables.raw import RawTable as RawTable
from truegain.tables.raw import is_bool as is_bool
from truegain.tables.raw import names_columns
from truegain.tables.raw import number_of as number_of
from truegain.tables.raw import of_objects as of_objects
from truegain.tables.raw import plain_numbers as plain_numbers
from truegain.tables.separated import first_line, separated, separator_of

Kind = Literal["csv", "tsv", "jsonl", "json", "nested", "parquet"]


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


def kind_of(text: bytes, file: str, header: Header | None = None) -> Kind | None:
    r"""The kind of a table with named columns, or None for lines without names.

    header: what the user says of the columns: where he names them all, no line of the file need do so.

    >>> kind_of(b"topic,doc,label\n1,a,2\n", "x.csv"), kind_of(b"1 0 a 2\n", "qrels")
    ('csv', None)
    """
    suffix, said = ending(file), Header() if header is None else header
    if is_parquet(text, suffix):
        return "parquet"
    first = first_line(text)
    if first.startswith("{") and first[1:].lstrip()[:1] in ("", '"', "}"):
        return "nested" if is_nested(text) else "jsonl"
    if is_list(text):
        return "json"
    if first.startswith("[") and suffix in (".json", ".jsonl", ".ndjson"):
        raise InputError(
            "a JSON list, not of JSON objects", file=file, line=1, text=first,
            hint="write one object a line, or a list of objects",
        )  # fmt: skip
    for kind, separator in (("csv", ","), ("csv", ";"), ("tsv", "\t")):
        if (not said.names or said.several) and names_columns(first.split(separator), said.theirs):
            return kind  # type: ignore[return-value]
    if first and not said.unnamed and suffix in (".csv", ".jsonl", ".ndjson", ".parquet"):
        option = option_for_text(text, said.role, file) if suffix == ".csv" else None
        raise InputError(
            "not a Parquet file" if suffix == ".parquet" else "the columns 'topic' and 'doc' are not named",
            file=file,
            line=None if suffix == ".parquet" else 1,
            text=first,
            hint="write one JSON object a line, such as {'topic': '1', 'doc': 'a', 'label': 1}"
            if suffix in (".jsonl", ".ndjson")
            else "check that the file is whole"
            if suffix == ".parquet"
            else f"say which columns they are: {option}"
            if option
            else "begin the table with a line of column names, such as topic,doc,label or topic,doc,score, or name "
            f"them, as in {arg('columns', 'topic,doc,label')}",
        )
    return None


def is_parquet(data: bytes, suffix: str = "") -> bool:
    """Whether bytes are a Parquet file, perhaps a broken one, and not lines of a topic 'PAR1'."""
    if not data.startswith(b"PAR1"):
        return False
    return suffix == ".parquet" or any(byte < 32 and byte not in b"\t\n\v\f\r" for byte in data[4:256])


def read(text: bytes, kind: Kind, file: str) -> RawTable | Frame:
    """Read a table; every column of a CSV or TSV comes as text."""
    if kind == "parquet":
        return _parquet(text, file)
    return read_text(text, kind, file)


def read_text(text: bytes, kind: Kind, file: str) -> RawTable:
    """Read a table that is text."""
    if kind == "jsonl":
        return _json_lines(text, file)
    if kind == "json":
        return of_objects(*records(text, file))
    return separated(text, "\t" if kind == "tsv" else separator_of(first_line(text)), file)


def _parquet(data: bytes, file: str) -> Frame:
    pl = needs("polars", "frames")

    try:
        return opened(pl.read_parquet(io.BytesIO(data)))
    except (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise InputError(
            f"not a readable Parquet file: {reason}", file=file, hint="check that the file is whole"
        ) from None


def _json_lines(text: bytes, file: str) -> RawTable:
    rows: list[Mapping[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = STRICT.decode(line.decode())
        except RepeatedKeyError:
            raise repeated(line, file, number) from None
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
    return of_objects(rows, Places("line", frozen(np.array(lines, np.int64))))
