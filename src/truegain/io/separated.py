"""Tables whose cells have a separator between them: CSV, TSV, and lines without names.

A guess at what their columns hold lets an error suggest names for them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby, islice
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError, some
from truegain.io.columns import Places, RawTable, frozen, names_columns, number_of, our_name, plain_name
from truegain.io.file_options import IDS, Role, file_options
from truegain.io.files import shown_path
from truegain.io.table_format import Beginning, TableFormat, first_line
from truegain.message import AGGREGATE_FIRST, arg

# ---- Tables whose cells have a separator between them: CSV, also with semicolons, TSV, and lines without names.

_IDS = ("topic", "doc", "system", "subtopic", "assessor")
_DECIMAL = re.compile(r"[+-]?\d+(,\d+)?")
DECIMAL_POINT = "write numbers with a decimal point and without thousands separators"
Cells = tuple[int, list[str], npt.ArrayLike]  # the width of a table, its cells row by row, the line of each row
_OPEN = "a quote is never closed"
_FIELD_LIMIT = Lock()  # csv.field_size_limit is one number for the whole process


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
                hint='quote fields that contain a separator or a quote, as in "a ""b"" c"; end lines with a newline',
            ) from None
        finally:
            csv.field_size_limit(before)


def _of_cells(width: int, cells: list[str], lines: npt.ArrayLike, names: Sequence[str] | None) -> RawTable:
    """Columns of cells that stand row by row, the first row being the names where none are given."""
    first = 0 if names is not None else 1
    values = [cells[first * width + at :: width] for at in range(width)]
    places = Places("line", frozen(np.asarray(lines, np.int64)[first:]))
    return RawTable(cells[:width] if names is None else list(names), values, places)


def has_decimal_comma(cell: str) -> bool:
    """Whether a cell would be a number with a decimal point in place of its comma, or without it.

    >>> [has_decimal_comma(cell) for cell in (" 1,5", "-1,234", "15", "a,b", "1,2,3")]
    [True, True, False, False, False]
    """
    return "," in cell and _DECIMAL.fullmatch(cell.strip()) is not None


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
                text=column[row], hint="write numbers with a decimal point",
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
    given_names = width = len(names)
    for begin, row in _rows(reader):
        if row and (len(row) > 1 or row[0].strip() or separator in row[0]):
            width = width or len(row)
            if len(row) != width:
                raise InputError(
                    f"{len(row)} fields where {'columns=' if given_names else 'the header'} has {width}",
                    file=file,
                    line=begin,
                    text=separator.join(row),
                    hint="give every row all fields, and quote fields that contain a separator",
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
    truegain.errors.InputError: q.tsv:2: a quote opens a field here and closes only on line 3, with rows in between: ...
    """
    lines = separator.join(row).split("\n")
    whole = lines[0].count(separator) == lines[-1].count(separator) == len(row) - 1
    if not whole or (separator != "\t" and not any("\n" in row[at] for at in ids)):
        return
    raise InputError(
        f"a quote opens a field here and closes only on line {end}, with rows in between", file=file, line=begin,
        text=lines[0],
        hint='write a quote that belongs to a field twice, within quotes, as in """a" for "a; in TSV without a '
        f"header, whose names {arg('columns')} gives, quotes are plain characters",
    )  # fmt: skip


def _plainly(reason: str) -> str:
    """The csv module's reasons in the words of this package."""
    if reason.startswith("new-line character"):
        return "carriage return inside a line"
    if reason.startswith("'\t' expected"):
        return "a tab is expected after a closing quote"
    return _OPEN if reason == "unexpected end of data" else reason


# ---- Which columns of a table are likely the topic, the document and the label or score, so that a refusal can say
# so.

LOOKED_AT = 50  # rows
MOST_BYTES = 2**26  # of a text whose ids are compared with those of other files
MOSTLY = 0.8  # of the values of a column that are topics of other files, where it has topics
CLEARLY = 0.2  # of the share of documents in a column: that of topics at most, where it has documents; or conversely
LONG = 60  # characters of a cell that is no id, but may be the text of a query that stands for it
NAME = "NAME"
LEVELS = 10  # of a scale of labels at most
NEEDED: dict[Role, tuple[str, ...]] = {
    "judgments": ("topic", "doc", "label"),
    "gold": ("topic", "doc", "label"),
    "runs": ("topic", "doc", "score"),
}
STEMS = {
    "topic": ("topic", "query", "question", "qid"),
    "doc": ("doc", "page", "passage", "url", "chunk", "corpus", "item", "pid", "product", "sku", "asin"),
    "assessor": ("assessor", "worker", "judge", "rater", "annotator", "user", "coder"),
    "label": ("label", "relevan", "grade", "rating", "judg", "score", "value", "answer", "verdict", "assessment"),
    "score": ("score", "sim", "weight", "value"),
}
ID_ENDS = ("id", "key", "nr", "no", "number", "sku", "asin", "uuid")  # of names of ids
INITIALS = {"topic": ("q", "t"), "doc": ("d", "p"), "label": ("l", "r", "rel"), "score": ("s",)}
RANKS = ("rank", "ranking", "pos", "position", "place", "rang")
# columns of numbers that are no label and no score: by a part of their names, or by the last word of these
NO_VALUE = (
    "confiden", "certain", "token", "cost", "price", "usd", "latenc", "elapsed", "duration", "seconds", "millis",
    "timestamp", "position", "index", "count", "length", "offset", "temperature",
)  # fmt: skip
NO_VALUE_WORDS = (
    *RANKS, "id", "ids", "key", "nr", "no", "number", "num", "time", "ms", "sec", "secs", "second", "idx", "len",
    "order", "row", "line", "page", "date", "year", "seed", "batch", "step", "version", "size",
)  # fmt: skip
LISTED = 5  # columns that a message names
_UNNAMED: dict[tuple[Role, int], str] = {  # lines without names, by how many columns there are
    ("judgments", 3): "topic,doc,label",
    ("judgments", 4): "topic,-,doc,label",
    ("runs", 3): "topic,doc,score",
    ("runs", 4): "topic,doc,-,score",
    ("runs", 6): "topic,-,doc,-,score,-",
}


@dataclass(frozen=True)
class Guess:
    """What `columns` should say for a file to be read, and which columns a NAME in it may stand for."""

    option: str
    among: tuple[str, ...] = ()
    role: Role = "judgments"
    listed: tuple[str, ...] = ()  # all columns, to be told where one is not named

    @property
    def of(self) -> str:
        """Whose argument it is in Python."""
        return "tg.read_runs" if self.role == "runs" else "tg.read_judgments"

    def __str__(self) -> str:
        which = some(self.among, LISTED) if len(self.among) > LISTED else " or ".join(self.among)
        for_name = f" with {which} for {NAME}" if which else ""
        return f"{arg('columns', self.option, of=self.of)}{for_name}{self.rated}{self.columns}"

    @property
    def columns(self) -> str:
        """The columns to choose from, where a topic or a document is not known."""
        has_name = any(f"{ours}={NAME}" in self.option for ours in IDS)
        return f" with your columns for {NAME}: {', '.join(self.listed)}" if has_name and self.listed else ""

    @property
    def rated(self) -> str:
        """What to do where the columns that may be the label are those of assessors."""
        if not self.among or f"label={NAME}" not in self.option:
            return ""
        remedy = arg("gold_aggregate", "mean") if self.role == "gold" else AGGREGATE_FIRST
        return f"; if they are {len(self.among)} assessors', aggregate their ratings: {remedy}"


def guessed(
    names: Sequence[str], columns: Sequence[Sequence[Any]], role: Role, matches: Mapping[str, Sequence[str]]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The columns that are likely what a file of its role lacks, by our names; 'NAME' where none is likely.

    A label or a score that could be one of several is not guessed, as the wrong one gives wrong numbers in silence:
    these come second.  Topic and document are guessed where the column has the ids of the files beside this one, where
    its name tells, or where no other column is left.  Where a run has no score, its ranks do.

    columns: their first cells, and behind these others to compare with the ids of other files.  matches: by our names
    the columns, in small letters, that are known already.

    >>> cells = [["what is ir", "what is ir", "why"], ["q1", "q1", "q2"], ["a", "b", "c"], ["2", "0", "2"], [7, 9, 8]]
    >>> guessed(["frage", "query_nr", "url", "note", "tokens"], cells, "judgments", {})
    ({'topic': 'query_nr', 'doc': 'url', 'label': 'note'}, ())
    >>> guessed(["frage", "query_nr", "url", "note", "sicherheit"], cells, "judgments", {})
    ({'topic': 'query_nr', 'doc': 'url', 'label': 'NAME'}, ('note', 'sicherheit'))
    >>> guessed(["q", "d", "l"], [["1", "1", "2"], ["a", "b", "c"], ["1", "0", "1"]], "judgments", {})
    ({'topic': 'q', 'doc': 'd', 'label': 'l'}, ())
    >>> cells = [["what is ir", "what is ir", "why"], ["c1", "c2", "c1"], ["no", "yes", "no"], ["gpt", "gpt", "gpt"]]
    >>> guessed(["prompt", "chunk_ref", "is_relevant", "llm"], cells, "judgments", {})
    ({'topic': 'prompt', 'doc': 'chunk_ref', 'label': 'is_relevant'}, ())
    >>> guessed(["x", "y", "z"], [["1", "1"], ["a", "b"], ["1", "0"]], "judgments", {})[0]
    {'topic': 'NAME', 'doc': 'NAME', 'label': 'NAME'}
    """
    cells = dict(zip(names, columns, strict=True))
    used = {ours: some for ours, some in matches.items() if role == "runs" or ours != "score"}  # which may be a label
    in_use = {name for some in used.values() for name in some}
    free = [name for name in names if name.strip().lower() not in in_use]
    needed = [ours for ours in NEEDED[role] if not (matches.get(ours) or (ours == "score" and matches.get("rank")))]
    value = needed[-1] if needed and needed[-1] in ("label", "score") else ""
    ids = {n: cells[n] for n in free if _may_be_ids(cells[n])}
    chosen = _ids(ids, [ours for ours in needed if ours != value], role)
    numeric = {n: cells[n] for n in free if _is_numeric(cells[n]) and n not in chosen.values()}
    could = _values(value, numeric) if value and len(free) >= len(needed) else []
    if value == "label" and not could and len(free) >= len(needed):
        could = [
            n for n in free if n not in chosen.values() and _is_of_values(n, cells[n]) and not _like("assessor", n)
        ]
    if len(could) == 1 and (
        all(ours in chosen or matches.get(ours) for ours in IDS)
        or _like(value, could[0])
        or not _may_be_numbered(cells[could[0]])
    ):
        chosen[value] = could[0]
    for ours in (o for o in needed if o != value and o not in chosen):
        left = _left(ours, ids, [*chosen.values(), *could])
        if len(left) == 1 and all(other in chosen or matches.get(other) for other in IDS if other != ours):
            chosen[ours] = left[0]
    among = [name for name in could if name not in chosen.values()]
    if value in chosen or not all(ours in chosen or matches.get(ours) for ours in IDS):
        among = []  # one of them may be an id
    ranks = [n for n in free if _are_ranks(n, cells[n]) and n not in chosen.values()]
    if value == "score" and not could and len(ranks) == 1:
        needed, chosen["rank"] = [*needed[:-1], "rank"], ranks[0]
    return {ours: chosen.get(ours, NAME) for ours in needed}, tuple(among) if len(among) > 1 else ()


def _ids(ids: Mapping[str, Sequence[Any]], needed: Sequence[str], role: Role) -> dict[str, str]:
    """The columns that are topics and documents for sure: by ids that the files beside this one have, or by name."""
    known: Mapping[str, Set[str]] = (file_options().elsewhere(role) if needed else None) or {}
    chosen = _by_ids(ids, needed, known) if known else {}
    for ours in (o for o in needed if o not in chosen):
        others = [other for other in IDS if other != ours]
        like = {
            n: _unlikely(ours, n, cells)
            for n, cells in ids.items()
            if n not in chosen.values() and _like(ours, n) and not any(_like(other, n) for other in others)
        }
        best = [name for name, against in like.items() if against == min(like.values())]
        if len(best) == 1:
            chosen[ours] = best[0]
    return chosen


def _by_ids(ids: Mapping[str, Sequence[Any]], needed: Sequence[str], known: Mapping[str, Set[str]]) -> dict[str, str]:
    """The columns whose values are topics or documents of other files.

    Where both are looked for, whole numbers may be ids of users and of items alike: then the values do not tell
    which column is which, and a swapped pair would be read without an error.
    """
    values = {n: {str(cell).strip() for cell in cells if cell is not None} - {""} for n, cells in ids.items()}
    shares = {ours: {n: _share(own, known.get(ours, set())) for n, own in values.items()} for ours in IDS}
    chosen: dict[str, str] = {}
    for ours, least in (("topic", MOSTLY), ("doc", 0.0)):  # a run has unjudged documents
        of = {n: share for n, share in shares[ours].items() if n not in chosen.values()}
        likely = [n for n, share in of.items() if share > least]
        if len(likely) > 1:  # ranks from 1 to 1000 have all topics among them, too
            likely = [n for n in likely if len(values[n] & known[ours]) > least * len(values[n])]
        if ours in needed and len(likely) == 1:
            chosen[ours] = likely[0]
    if all(ours in needed for ours in IDS):
        for ours, other in (IDS, IDS[::-1]):
            if ours in chosen and not _told_apart(chosen[ours], shares[ours], shares[other]):
                return {}
    return chosen


def _told_apart(name: str, of: Mapping[str, float], of_other: Mapping[str, float]) -> bool:
    """Whether a column has ids of one kind, and the columns with ids of the other kind have none of these."""
    rivals = [n for n, share in of_other.items() if n != name and share > 0]
    return of_other[name] <= CLEARLY * of[name] and all(of[n] == 0 for n in rivals)


def _share(values: Set[str], known: Set[str]) -> float:
    """How much of the smaller set is in the other, as a run may have more topics than the judgments, or fewer."""
    smaller = min(len(values), len(known))
    return len(values & known) / smaller if smaller else 0.0


def _left(ours: str, ids: Mapping[str, Sequence[Any]], taken: Sequence[str]) -> list[str]:
    """Columns of ids that are left: no labels, assessors or ranks by name, no prose, and not one value in all rows.

    A topic may be told by the text of its query: prose that stands in several rows, and says not the same as another
    column, as the title of a document does, or the text of a query whose id is there, too.
    """
    short = {n: cells[:LOOKED_AT] for n, cells in ids.items() if not _is_prose(cells)}
    texts = {n: cells[:LOOKED_AT] for n, cells in ids.items() if n not in short and _repetition(cells) < 2}
    own = {n: text for n, text in texts.items() if not any(_go_together(text, other) for other in short.values())}
    every = short | own if ours == "topic" else short
    no_ids = {n for n, cells in every.items() if n in taken or _is_of_values(n, cells) or _are_ranks(n, cells)}
    free = {n: _there(cells) for n, cells in every.items() if n not in no_ids}
    vary = [name for name, cells in free.items() if len(set(map(str, cells))) > 1]
    return vary or list(free)


def _are_ranks(name: str, cells: Sequence[Any]) -> bool:
    return plain_name(name) in RANKS and _is_numeric(cells)


def _go_together(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two columns name the same things: each value of one goes with one value of the other."""
    a, b = list(map(str, one)), list(map(str, other))
    return len(set(a)) == len(set(b)) == len(set(zip(a, b, strict=True)))


def _is_of_values(name: str, cells: Sequence[Any]) -> bool:
    """Whether a column is one of labels in words, or of who gave them: by its name, with few values that recur."""
    plain, present = plain_name(name), [str(cell).strip() for cell in _there(cells)]
    is_id = plain.rstrip(".:# _").endswith(ID_ENDS) or any(_like(ours, name) for ours in IDS)
    named = any(_like(ours, name) for ours in ("label", "score", "assessor"))
    named = named and not any(isinstance(cell, dict | list) for cell in cells)
    return named and not is_id and len(set(present)) <= LEVELS and len(set(present)) < len(present)


def option_for(role: Role, names: Sequence[str], columns: Sequence[Sequence[Any]], matches: Mapping[str, Any]) -> Guess:
    """What `columns` should say for a table with named columns to be read."""
    chosen, among = guessed(names, columns, role, matches)
    option = file_options().option(role, {o: t.strip() for o, t in chosen.items()})
    return Guess(option, tuple(t.strip() for t in among), role)


def option_for_text(text: bytes, role: Role, file: str) -> Guess | None:
    """What `columns` should say for a text of cells, with or without a line of names; None where that is not seen."""
    own = file_options().judgments
    if role == "judgments" and own is not None and shown_path(own) != file:
        role = "gold"
    first = first_line(text)
    separator = "\t" if "\t" in first else separator_of(first)
    every = _readable(text, separator)
    rows = [*islice(every, LOOKED_AT + 1)]
    width = len(rows[0]) if rows else 0
    if width < 2 or any(len(row) != width for row in rows[:-1]):  # the last may be cut
        return None
    body = [row for row in rows[1:] if len(row) == width]
    if any(number_of(cell) is not None for cell in rows[0]) or not body:
        return _unnamed([row for row in rows if len(row) == width], role, width)
    names = [name.strip() for name in rows[0]]
    matches: dict[str, list[str]] = {}
    for name in names:
        if (ours := our_name(name)) is not None:
            matches.setdefault(ours, []).append(name.lower())
    columns = [[*begun, *rest] for begun, rest in zip(zip(*body, strict=True), _distinct(every, width), strict=True)]
    return replace(option_for(role, names, columns, matches), listed=tuple(names))


def _readable(text: bytes, separator: str) -> Iterator[list[str]]:
    """Rows of a text that are not blank, up to one that the csv module cannot read."""
    whole = text if len(text) <= MOST_BYTES else text[: text.rfind(b"\n", 0, MOST_BYTES) + 1]
    lines = io.StringIO(whole.decode(errors="replace"), newline=None)
    with suppress(csv.Error):  # a field longer than the process reads
        yield from csv.reader((line for line in lines if line != "\n"), delimiter=separator)


def _distinct(rows: Iterator[list[str]], width: int) -> list[dict[str, None]]:
    """The distinct cells of each column, in rows of that width."""
    distinct: list[dict[str, None]] = [{} for _ in range(width)]
    for row in rows:
        if len(row) == width:
            for cells, cell in zip(distinct, row, strict=True):
                cells[cell] = None
    return distinct


def _unnamed(rows: Sequence[Sequence[str]], role: Role, width: int) -> Guess | None:
    kind: Role = "runs" if role == "runs" else "judgments"
    names = _UNNAMED.get((kind, width))
    if names is None:
        return None
    value = names.split(",").index("score" if kind == "runs" else "label")
    return Guess(file_options().option(role, names)) if all(number_of(row[value]) is not None for row in rows) else None


def is_sensible(name: str) -> bool:
    """Whether a column of numbers may be a label or a score, by its name: not a rank, a cost, a time or an id.

    >>> [is_sensible(name) for name in ("bm25", "rank_score", "pos", "llm_confidence", "Prompt Tokens", "frage-nr")]
    [True, True, False, False, False, False]
    """
    plain = plain_name(name)
    return not (any(stem in plain for stem in NO_VALUE) or plain.split("_")[-1] in NO_VALUE_WORDS)


def _values(ours: str, numeric: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that may be the label or the score: the one called so, or else all that are not called otherwise.

    Where others have the values of that label, these are likely labels, too: of a table with a column an assessor.
    """
    sensible = [name for name in numeric if is_sensible(name)]
    called = [name for name in sensible if _like(ours, name)]
    if ours == "score" or not called:
        return called or sensible
    values = {number_of(cell) for name in called for cell in _there(numeric[name])}
    alike = [n for n in sensible if n not in called and {number_of(cell) for cell in _there(numeric[n])} <= values]
    return sensible if alike and len(values) > 1 else called


def _there(cells: Sequence[Any]) -> list[Any]:
    return [cell for cell in cells[:LOOKED_AT] if cell is not None and str(cell).strip()]


def _is_numeric(cells: Sequence[Any]) -> bool:
    present = _there(cells)
    return bool(present) and all(number_of(cell) is not None for cell in present)


def _may_be_ids(cells: Sequence[Any]) -> bool:
    present = _there(cells)
    return bool(present) and not any(isinstance(cell, float | list | dict) for cell in present)


def _may_be_numbered(cells: Sequence[Any]) -> bool:
    """Whether numbers may be ids: whole, and beyond the levels of a scale, perhaps in later rows only."""
    numbers = [number for cell in cells if (number := number_of(cell)) is not None]
    return all(number.is_integer() for number in numbers) and any(abs(number) > LEVELS for number in numbers)


def _like(ours: str, name: str) -> bool:
    plain = plain_name(name)
    return plain in INITIALS.get(ours, ()) or any(stem in plain for stem in STEMS[ours])


def _repetition(cells: Sequence[Any]) -> int:
    """How unlike topics cells are: 0 where equal ones follow one another, 1 where some are equal, 2 where none are."""
    present = [str(cell) for cell in _there(cells)]
    distinct, groups = len(set(present)), sum(1 for _ in groupby(present))
    return 2 if distinct == len(present) else int(groups > distinct)


def _unlikely(ours: str, name: str, cells: Sequence[Any]) -> tuple[int, ...]:
    """What speaks against a column of ids, the weightiest first; those alike stay in the order of the file."""
    prose = _is_prose(cells)
    others = any(_like(o, name) for o in ("topic", "doc", "label", "score") if o != ours)
    ends = plain_name(name).rstrip(".:# _").endswith(ID_ENDS)
    repeated = _repetition(cells) if ours == "topic" else 0
    is_value = not ends and any(_like(o, name) for o in ("label", "score"))
    return is_value, prose, repeated, others, not ends


def _is_prose(cells: Sequence[Any]) -> bool:
    texts = [str(cell) for cell in cells[:LOOKED_AT]]
    return any(len(text) > LONG or " " in text.strip() for text in texts)


# ---- CSV and TSV as formats: their first line names the columns.


def _no_names(begun: Beginning, file: str) -> InputError | None:
    if begun.header.unnamed:
        return None
    for name in [begun.header.renamed[ours] for ours in IDS if ours in begun.header.renamed]:
        file_options().check_name(name)  # a slip, of no file at all, is no reason to guess at this one
    option = option_for_text(begun.text, begun.header.role, file)
    hint = (
        f"say which columns they are: {option}"
        if option
        else "begin the table with a header, such as topic,doc,label or topic,doc,score, or name them, "
        f"as in {arg('columns', 'topic,doc,label')}"
    )
    problem = "the table has no header that names 'topic' and 'doc'"
    return InputError(problem, file=file, line=1, text=begun.first, hint=hint)


CSV = TableFormat(
    "csv",
    "CSV",
    (".csv",),
    lambda begun: begun.names_columns(",", ";"),
    lambda text, file: separated(text, separator_of(first_line(text)), file),
    named_first=True,
    refusal=_no_names,
    row_memory=410,
)
TSV = TableFormat(
    "tsv",
    "TSV",
    (".tsv",),
    lambda begun: begun.names_columns("\t"),
    lambda text, file: separated(text, "\t", file),
    named_first=True,
    row_memory=410,
)
