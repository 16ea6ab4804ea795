"""Tables whose cells have a separator between them: CSV, also with semicolons, TSV, and lines without names."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError
from truegain.tables.columns import Places, frozen
from truegain.tables.raw import COLUMNS, RawTable, names_columns

_IDS = tuple(name for ours in ("topic", "doc", "system", "subtopic", "assessor") for name in COLUMNS[ours])
_DECIMAL = re.compile(r"[+-]?\d+(,\d+)?")
Cells = tuple[int, list[str], npt.ArrayLike]  # the width of a table, its cells row by row, the line of each row
_FIELD_LIMIT = Lock()  # csv.field_size_limit is one number for the whole process


def first_line(text: bytes) -> str:
    """The first line that is not blank."""
    return text[:65536].lstrip().split(b"\n", 1)[0].rstrip().decode(errors="replace")


def separator_of(line: str) -> str:
    """What stands between the fields of a line of CSV: commas, or semicolons where there are more of them.

    >>> separator_of("topic;doc;label"), separator_of("topic,doc,label")
    (';', ',')
    """
    return ";" if line.count(";") > line.count(",") else ","


def read_unnamed(text: bytes, names: Sequence[str], file: str) -> RawTable:
    """A table without a line of names, under the names the user gave; columns called '-' or '_' are left out.

    Fields are separated by tabs (quotes then mean nothing), else by commas or semicolons, else by blanks.
    """
    first = first_line(text)
    cells = first.split("\t") if "\t" in first else first.split(separator_of(first))
    if names_columns(cells):
        raise InputError(
            "the first line names the columns, and so does columns=", file=file, line=1, text=first,
            hint="leave out columns=, or write ours=theirs in it, such as label=grade",
        )  # fmt: skip
    if "\t" in first or len(cells) > 1:
        table = separated(text, "\t" if "\t" in first else separator_of(first), file, names)
    else:
        table = _of_cells(*_cells(_Blanks(text), " ", file, len(names)), names)
    kept = [at for at, name in enumerate(table.columns) if name not in ("-", "_")]
    return RawTable([table.columns[at] for at in kept], [table.values[at] for at in kept], table.places)


class _Blanks:
    """Lines cut at blanks, as the csv module gives rows: without those that begin with '#'."""

    def __init__(self, text: bytes) -> None:
        self.lines, self.line_num = text.decode().split("\n"), 0

    def __iter__(self) -> Iterator[list[str]]:
        for line in self.lines:
            self.line_num += 1
            yield [] if line.startswith("#") else line.split()


def separated(text: bytes, separator: str, file: str, names: Sequence[str] | None = None) -> RawTable:
    """Cells with a separator between them; `names` where no line of the file has them."""
    literal = names is not None and separator == "\t"  # a quote in such a file is a quote
    width = len(names or ())
    cut = even_cells(text, separator, width, literal) or csv_cells(text, separator, file, width, literal)
    table = _of_cells(*cut, names)
    return _with_points(table, file) if separator == ";" else table


def csv_cells(text: bytes, separator: str, file: str, width: int, literal: bool) -> Cells:
    """Cells cut row by row by the csv module; what is no table is refused with its line."""
    lines_of = io.StringIO(text.decode(), newline="\n")
    quoting = csv.QUOTE_NONE if literal else csv.QUOTE_MINIMAL
    reader = csv.reader(lines_of, delimiter=separator, strict=True, quoting=quoting)  # type: ignore[arg-type]
    with _FIELD_LIMIT:
        before = csv.field_size_limit(2**31 - 1)
        try:
            return _cells(reader, separator, file, width)
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


def _of_cells(width: int, cells: list[str], lines: npt.ArrayLike, names: Sequence[str] | None) -> RawTable:
    """Columns of cells that stand row by row, the first row being the names where none are given."""
    first = 0 if names is not None else 1
    values = [cells[first * width + at :: width] for at in range(width)]
    places = Places("line", frozen(np.asarray(lines, np.int64)[first:]))
    return RawTable(cells[:width] if names is None else list(names), values, places)


def _with_points(table: RawTable, file: str) -> RawTable:
    """Decimal commas, as beside semicolons, made points in columns of numbers; 1,234 alone could be either."""
    values = []
    for name, column in zip(table.columns, table.values, strict=True):
        marked = [] if name.strip().lower() in _IDS else [cell for cell in column if "," in cell]
        if not marked or not all(_DECIMAL.fullmatch(cell.strip()) for cell in column if cell.strip()):
            values.append(column)
            continue
        if all(len(cell.strip().partition(",")[2]) == 3 for cell in marked):
            row = next(row for row, cell in enumerate(column) if "," in cell)
            raise InputError(
                f"column '{name}': a decimal comma, or one between thousands?", file=file,
                line=table.places.of(row)["line"],
                text=column[row], hint="write numbers with a point",
            )  # fmt: skip
        values.append([cell.replace(",", ".") for cell in column])
    return RawTable(table.columns, values, table.places)


def even_cells(text: bytes, separator: str, width: int, literal: bool) -> Cells | None:
    """What `csv_cells` gives, cut at once, where every line has as many fields and none a quote: far faster.

    None where that is not so, or a line is blank: then the csv module reads row by row, and what is wrong is told.
    """
    text = text.replace(b"\r\n", b"\n") if b"\r" in text else text
    if (b'"' in text and not literal) or b"\r" in text or b"\0" in text or not text:
        return None
    text = text if text.endswith(b"\n") else text + b"\n"
    data = np.frombuffer(text, np.uint8)
    ends, cuts = np.flatnonzero(data == ord("\n")), np.flatnonzero(data == ord(separator))
    fields = np.diff(np.searchsorted(cuts, ends), prepend=0) + 1
    if fields[0] == 1 or (fields != (width or fields[0])).any():
        return None
    cells = text.decode().replace("\n", separator).split(separator)
    cells.pop()  # after the last newline
    return int(fields[0]), cells, np.arange(1, len(ends) + 1)


def _cells(reader: Any, separator: str, file: str, width: int = 0) -> Cells:
    """The width of the table, its cells row by row, and the line each row that is not blank begins on.

    width: how many names the user gave, 0 where the first line has them.
    One flat list, for a million small ones would keep the garbage collector busy.
    """
    cells: list[str] = []
    lines: list[int] = []
    given, begin = width, 1
    for row in reader:
        if row and (len(row) > 1 or row[0].strip()):
            width = width or len(row)
            if len(row) != width:
                raise InputError(
                    f"{len(row)} fields where {'columns=' if given else 'the header'} has {width}",
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
