"""Rows of the files that people have: lines of JSON, lists of it, CSV, TSV with and without names, TREC topics."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from truegain.errors import InputError, TruegainError
from truegain.message import with_marks
from truegain.tables.json_files import STRICT, RepeatedKeyError, repeated
from truegain.tables.packing import TOLD_BY, unpacking
from truegain.tables.plain import TO_UTF8
from truegain.tables.raw import COLUMNS, is_number, plain_name
from truegain.tables.separated import check_spread, separator_of
from truegain.tables.sources import PathLike, read_failures, shown_path
from truegain.tables.tabular import ending

TEXTS = ("query", "document")  # names of ids that are names of texts, too
LONGEST = 1 << 26  # bytes of a line
_TOP = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_PART = re.compile(r"<(num|title|desc|narr)>(.*?)(?=<(?:num|title|desc|narr|/top)>|\Z)", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"^\s*(Number|Topic|Description|Narrative)\s*:?", re.IGNORECASE)
IDS = ("id", "_id", "number", "num", *(name for o in ("topic", "doc") for name in COLUMNS[o] if name not in TEXTS))


class FileRow(NamedTuple):
    """Named values, and the line that they begin on."""

    line: int
    values: Mapping[str, Any]


@contextmanager
def collecting(faults: list[str]) -> Iterator[None]:
    """Add what is wrong to the faults and go on."""
    try:
        yield
    except TruegainError as error:
        faults.append(error.message)


def refuse(faults: Sequence[str], rest: str = "") -> None:
    """End with the first thing that is wrong and how many more there are, if anything is.

    rest: where the others are told.
    """
    if faults:
        raise InputError(f"{with_marks(faults[0])}{f'; and {len(faults) - 1} more{rest}' if faults[1:] else ''}")


def word(value: Any) -> str:
    """A value as a text without white space around; a whole number that JSON made a float is none of one.

    >>> word(7.0), word(" a "), word(None), word(math.nan), word(["a"])
    ('7', 'a', '', '', '')
    """
    if value is None or isinstance(value, Mapping | list) or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


def rows_of(path: PathLike, faults: list[str], *, names: Mapping[int, Sequence[str]]) -> Iterator[FileRow]:
    """The rows of a file, one at a time; lines that cannot be read are faults.

    names: of the columns of a TSV that does not name them, by how many there are, as in {2: ("id", "text")}.
    """
    with collecting(faults), _lines(path) as lines:
        first, file, suffix = next(lines, ""), shown_path(path), ending(str(path))
        if not first.strip() and suffix != ".json":
            first = next((line for line in lines if line.strip()), "")
        if not first:
            raise InputError("the file is empty", file=file, hint="check the path")
        if suffix == ".json" or first.lstrip().startswith("["):
            yield from _json_list(first + "".join(lines), file)
        elif first.lstrip().startswith("{"):
            yield from _json_lines(first, lines, file, faults)
        elif first.lstrip().lower().startswith("<top"):
            yield from _trec(first + "".join(lines))
        else:
            yield from _cells(first, lines, file, "\t" if "\t" in first else separator_of(first), names, faults)


@contextmanager
def _lines(path: PathLike) -> Iterator[Iterator[str]]:
    """The lines of a file, unpacked, as text."""
    file = shown_path(path)
    with read_failures(file), Path(path).open("rb") as stream:
        source = unpacking(stream.peek(TOLD_BY), stream) or stream

        def decoded() -> Iterator[str]:
            number = 0
            while line := source.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise InputError(f"a line of more than {LONGEST >> 20} MB", file=file, line=number)
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    raise InputError(
                        "not UTF-8 text", file=file, line=number, text=line.decode(errors="replace"),
                        hint=TO_UTF8,
                    ) from None  # fmt: skip

        yield decoded()


def _json_lines(first: str, lines: Iterator[str], file: str, faults: list[str]) -> Iterator[FileRow]:
    number = 0
    line = first
    while line:
        number += 1
        if line.strip():
            try:
                found = STRICT.decode(line)
            except RepeatedKeyError:
                faults.append(str(repeated(line.encode(), file, number)))
                line = next(lines, "")
                continue
            except (ValueError, RecursionError):
                found = None
            if isinstance(found, dict):
                yield FileRow(number, found)
            else:
                faults.append(str(InputError("not a JSON object", file=file, line=number, text=line.strip(),
                                             hint="write one object a line")))  # fmt: skip
        line = next(lines, "")


def _json_list(text: str, file: str) -> Iterator[FileRow]:
    try:
        whole = STRICT.decode(text)
    except RepeatedKeyError:
        raise repeated(text.encode(), file) from None
    except json.JSONDecodeError as error:
        raise InputError(f"not readable JSON: {error.msg}", file=file, line=error.lineno) from None
    if not isinstance(whole, list) or not all(isinstance(x, dict) for x in whole):
        raise InputError("not a list of JSON objects", file=file, hint="write one object a line, or a list of objects")
    for number, row in enumerate(whole, 1):
        yield FileRow(number, row)


def _trec(text: str) -> Iterator[FileRow]:
    """Topics as TREC has them: <top> <num> <title> <desc> <narr>."""
    for match in _TOP.finditer(text):
        parts = {m[1].lower(): " ".join(_LABEL.sub("", m[2]).split()) for m in _PART.finditer(match[1])}
        yield FileRow(text.count("\n", 0, match.start()) + 1, parts)


def _cells(
    first: str, lines: Iterator[str], file: str, separator: str, names: Mapping[int, Sequence[str]], faults: list[str]
) -> Iterator[FileRow]:
    """Rows of cells under the names of the first line, or under those that so many columns have."""

    def every() -> Iterator[str]:
        yield first
        yield from lines

    top = [cell.strip().strip('"').lower() for cell in first.rstrip("\r\n").split(separator)]
    named = bool({plain_name(name) for name in top} & set(IDS)) and not any(map(is_number, top))
    if not named and separator == "\t" and len(top) in names:
        reader: Any = csv.reader(every(), delimiter="\t", quoting=csv.QUOTE_NONE)
        columns = list(names[len(top)])
    elif named:
        reader = csv.reader(every(), delimiter=separator, strict=True)
        columns = [cell.strip().lower() for cell in next(reader)]
    else:
        raise InputError("the columns are not named", file=file, line=1, text=first.strip(),
                         hint="begin the table with a line of names, such as id,title,text")  # fmt: skip
    csv.field_size_limit(LONGEST)
    begin = reader.line_num + 1
    try:
        for row in reader:
            if row and len(row) == len(columns):
                if reader.line_num > begin:
                    ids = [at for at, name in enumerate(columns) if plain_name(name) in IDS]
                    check_spread(row, ids, separator, file, begin, reader.line_num)
                yield FileRow(begin, dict(zip(columns, row, strict=True)))
            elif row:
                said = f"{len(row)} fields, not {len(columns)}"
                faults.append(str(InputError(said, file=file, line=begin, text=separator.join(row))))
            begin = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"not a readable table: {error}", file=file, line=reader.line_num) from None
