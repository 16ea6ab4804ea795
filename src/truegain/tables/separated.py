"""Tables whose cells have a separator between them: CSV, also with semicolons, TSV, and lines without names."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError
from truegain.message import arg
from truegain.tables.columns import Places, frozen
from truegain.tables.raw import RawTable, names_columns, our_name

_IDS = ("topic", "doc", "system", "subtopic", "assessor")
_DECIMAL = re.compile(r"[+-]?\d+(,\d+)?")
Cells = tuple[int, list[str], npt.ArrayLike]  # the width of a table, its cells row by row, the line of each row
_OPEN = "a quote is never closed"
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
            f"the first line names the columns, and so does {arg('columns')}", file=file, line=1, text=first,
            hint=f"leave out {arg('columns')}, or write ours=theirs in it, such as label=grade",
        )  # fmt: skip
    if "\t" in first or len(cells) > 1:
        table = separated(text, "\t" if "\t" in first else separator_of(first), file, names)
    else:
        table = _of_cells(*_cells(_Blanks(text), " ", file, names), names)
    kept = [at for at, name in enumerate(table.columns) if name not in ("-", "_")]
    return replace(table, columns=[table.columns[at] for at in kept], values=[table.values[at] for at in kept])


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
    cut = even_cells(text, separator, width, literal) or csv_cells(text, separator, file, names or (), literal)
    table = replace(_of_cells(*cut, names), guarded=True)
    return _with_points(table, file) if separator == ";" else table


def csv_cells(text: bytes, separator: str, file: str, names: Sequence[str], literal: bool) -> Cells:
    """Cells cut row by row by the csv module; what is no table is refused with its line."""
    lines_of = io.StringIO(text.decode(), newline="\n")
    quoting = csv.QUOTE_NONE if literal else csv.QUOTE_MINIMAL
    reader = csv.reader(lines_of, delimiter=separator, strict=True, quoting=quoting)  # type: ignore[arg-type]
    with _FIELD_LIMIT:
        before = csv.field_size_limit(2**31 - 1)
        try:
            return _cells(reader, separator, file, names)
        except _RowError as error:
            line, last = error.begin, reader.line_num
            far = error.why != _OPEN and last > line
            why = f"a quote opens a field in this row, and on line {last} {error.why}" if far else error.why
            raise InputError(
                f"not a readable table: {why}",
                file=file,
                line=line,
                text=text.split(b"\n", line)[line - 1].rstrip(b"\r").decode(),
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
        marked = [] if our_name(name) in _IDS else [cell for cell in column if "," in cell]
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
    return replace(table, values=values)


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


class _RowError(Exception):
    """What the csv module has to say of a row, and the line on which it begins."""

    def __init__(self, why: str, begin: int) -> None:
        self.why, self.begin = why, begin


def _rows(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line that each begins on."""
    begin = 1
    try:
        for row in reader:
            yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        raise _RowError(_plainly(str(error)), begin) from None


def _cells(reader: Any, separator: str, file: str, names: Sequence[str] = ()) -> Cells:
    """The width of the table, its cells row by row, and the line each row that is not blank begins on.

    names: those the user gave, none where the first line has them.
    One flat list, for a million small ones would keep the garbage collector busy.
    """
    cells: list[str] = []
    lines: list[int] = []
    given = width = len(names)
    for begin, row in _rows(reader):
        if row and (len(row) > 1 or row[0].strip() or separator in row[0]):
            width = width or len(row)
            if len(row) != width:
                raise InputError(
                    f"{len(row)} fields where {'columns=' if given else 'the header'} has {width}",
                    file=file,
                    line=begin,
                    text=separator.join(row),
                    hint="give every row all fields, and quote fields that hold a separator",
                )
            if reader.line_num > begin:
                top = names or cells[:width]
                ids = [at for at, name in enumerate(top) if our_name(name) in _IDS]
                check_spread(row, ids, separator, file, begin, reader.line_num)
            cells += row
            lines.append(begin)
    return width, cells, lines


def check_spread(row: Sequence[str], ids: Sequence[int], separator: str, file: str, begin: int, end: int) -> None:
    r"""Refuse a row of several lines that has swallowed others, as where an id begins with a quote.

    A field that begins with a quote goes on to the next quote, over line ends, too.  Where the first and the last of
    these lines are whole rows if a quote is a plain character, that is what they may be: in a TSV, and in a CSV where
    the field is an id.  A comment of two paragraphs is none: its first line is a row, but not its last.

    >>> check_spread(["1", "a", "two\nlines"], [0, 1], "\t", "q.tsv", 2, 3)
    >>> check_spread(["1", "a\t0\n1\tb", "0"], [0, 1], "\t", "q.tsv", 2, 3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    truegain.errors.InputError: q.tsv:2: a quote opens a field here that is closed on line 3 only, with rows in it: ...
    """
    lines = separator.join(row).split("\n")
    whole = lines[0].count(separator) == lines[-1].count(separator) == len(row) - 1
    if not whole or (separator != "\t" and not any("\n" in row[at] for at in ids)):
        return
    raise InputError(
        f"a quote opens a field here that is closed on line {end} only, with rows in it", file=file, line=begin,
        text=lines[0],
        hint='write a quote that belongs to a field twice, within quotes, as in """a" for "a; in TSV without a line of '
        f"names, which {arg('columns')} gives, quotes are plain characters",
    )  # fmt: skip


def _plainly(reason: str) -> str:
    """The csv module's reasons in the words of this package."""
    if reason.startswith("new-line character"):
        return "carriage return inside a line"
    if reason.startswith("'\t' expected"):
        return "a tab is expected after a closing quote"
    return _OPEN if reason == "unexpected end of data" else reason
