"""TREC lines of runs and judgments, and what a file of text holds: such lines, or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from truegain.errors import ORDER, EmptyError, InputError
from truegain.io import _scan
from truegain.io.columns import EXTRA, Coded, Codes, Floats, Ids, frozen, is_number, names_columns, our_name
from truegain.io.file_options import IDS, Header, file_options
from truegain.io.files import PathLike, read_bytes, shown_path
from truegain.io.formats import NESTED, formats_in_words, kind_of, marked
from truegain.io.json_files import ROW
from truegain.io.memory import threads
from truegain.io.plain_text import line_at, line_of
from truegain.io.remote import is_web
from truegain.io.separated import DECIMAL_POINT, has_decimal_comma, option_for_text, separator_of
from truegain.io.table_format import first_line
from truegain.message import arg, argname

# ---- TREC lines: `topic Q0 document rank score tag` (runs) and `topic subtopic document label` (judgments).

CHUNK = 1 << 23  # bytes one thread reads at a time
Counts = tuple[int, int, int, int, int, int]  # what the compiled scanner gives


@dataclass(frozen=True)
class Layout:
    """Which field of a line is what; a line may have more fields than `most` only where `most` is large."""

    what: str
    line: str
    fewest: int
    most: int
    second: int
    value: int
    rank: int
    value_name: str
    topic: int = 0
    doc: int = 2

    @property
    def positions(self) -> tuple[int, int, int, int, int, int, int]:
        """What the compiled scanner takes."""
        return self.fewest, self.most, self.topic, self.second, self.doc, self.value, self.rank


RUN = Layout("run", "topic Q0 document rank score tag", 6, 99, 5, 4, 3, "score")
JUDGMENTS = Layout("judgments", "topic subtopic document label", 4, 4, 1, 3, -1, "label")


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns of a TREC file; `second` is the tag of a run, the subtopic of judgments."""

    topic: Coded
    second: Coded
    docs: Ids
    value: Floats
    rank: Codes
    wider: int  # lines with more fields than are read


def looks_like(text: bytes, layout: Layout) -> bool:
    r"""Whether the first line has the fields of a layout, with a number where one is due.

    >>> looks_like(b"1 0 a 2\n", JUDGMENTS), looks_like(b"1,a,2\n", JUDGMENTS), looks_like(b"1 0 a b\n", JUDGMENTS)
    (True, False, False)
    """
    fields = first_line(text).split()
    return layout.fewest <= len(fields) <= layout.most and is_number(fields[layout.value])


def scan(text: bytes, layout: Layout, file: str, jobs: int = 1) -> Rows:
    """Cut a TREC file, as plain text, into columns, in `jobs` threads."""
    edges = _edges(text)
    chunks = list(pairwise(edges))
    with threads(jobs if len(chunks) > 1 else 1) as each:
        lines = list(each(lambda c: _scan.count_lines(text, *c), chunks))
        ends = np.cumsum([0, *lines])
        columns = _Columns(int(ends[-1]))
        places = list(zip(chunks, ends[:-1].tolist(), ends[1:].tolist(), strict=True))
        counts = list(each(lambda p: columns.fill(text, p[0][0], p[0][1], layout, p[1], p[2]), places))
    for rows, *_, status, offset in counts:
        if status:
            raise _fault(text, layout, file, status, offset)
        del rows
    if not sum(c[0] for c in counts):
        raise EmptyError(
            "the file is empty, or has only blank lines and comments",
            file=file,
            hint=f"a {layout.what} line is '{layout.line}'",
        )
    return columns.rows(text, counts, ends.tolist())


class _Columns:
    """Arrays for as many rows as there are lines, filled chunk by chunk."""

    def __init__(self, lines: int) -> None:
        self.topic = _Segments(lines)
        self.second = _Segments(lines)
        self.start, self.length = np.empty(lines, np.int64), np.empty(lines, np.int32)
        self.hash, self.value = np.empty(lines, np.uint64), np.empty(lines, np.float64)
        self.rank = np.empty(lines, np.int32)

    def fill(self, text: bytes, begin: int, end: int, layout: Layout, first: int, last: int) -> Counts:
        s = slice(first, last)
        return _scan.scan(
            text,
            begin,
            end,
            layout.positions,
            *self.topic.of(s),
            *self.second.of(s),
            self.start[s],
            self.length[s],
            self.hash[s],
            self.value[s],
            self.rank[s],
        )

    def rows(self, text: bytes, counts: list[Counts], ends: list[int]) -> Rows:
        kept = [slice(first, first + c[0]) for first, c in zip(ends, counts, strict=False)]
        docs = Ids(
            text,
            frozen(_joined(self.start, kept)),
            frozen(_joined(self.length, kept)),
            frozen(_joined(self.hash, kept)),
        )
        topic = self.topic.coded(text, kept, [c[1] for c in counts])
        second = self.second.coded(text, kept, [c[2] for c in counts])
        value, rank = frozen(_joined(self.value, kept)), frozen(_joined(self.rank, kept))
        return Rows(topic, second, docs, value, rank, sum(c[3] for c in counts))


class _Segments:
    """A column that seldom changes from line to line: runs of equal values."""

    def __init__(self, lines: int) -> None:
        self.segment = np.empty(lines, np.int32)
        self.start, self.length = np.empty(lines, np.int64), np.empty(lines, np.int32)

    def of(self, s: slice) -> tuple[Codes, npt.NDArray[np.int64], Codes]:
        return self.segment[s], self.start[s], self.length[s]

    def coded(self, text: bytes, kept: list[slice], counts: list[int]) -> Coded:
        used = [slice(s.start, s.start + n) for s, n in zip(kept, counts, strict=True)]
        values = Ids.stretches(text, _joined(self.start, used), _joined(self.length, used)).coded()
        first = np.cumsum([0, *counts])
        for s, f, n in zip(kept, first.tolist(), counts, strict=False):
            _renumber(self.segment[s], values.code[f : f + n])
        return Coded(values.values, frozen(_joined(self.segment, kept)))


def _renumber(segment: Codes, code: Codes) -> None:
    """Make codes of the numbers of segments, in place; mostly they follow one another as the segments do."""
    if len(code) and np.array_equal(code, np.arange(code[0], code[0] + len(code))):
        if code[0]:
            segment += code[0]
    else:
        segment[:] = code[segment]


def _joined(array: npt.NDArray[Any], parts: list[slice]) -> npt.NDArray[Any]:
    """Some stretches of an array as one, without a copy where they already are."""
    whole = all(a.stop == b.start for a, b in pairwise(parts))
    return array[parts[0].start : parts[-1].stop] if whole else np.concatenate([array[p] for p in parts])


def _edges(text: bytes) -> list[int]:
    """Where to cut a text into chunks of whole lines."""
    edges = [0]
    while edges[-1] + CHUNK < len(text):
        newline = text.find(b"\n", edges[-1] + CHUNK)
        if newline < 0:
            break
        edges.append(newline + 1)
    if edges[-1] < len(text) or len(edges) == 1:
        edges.append(len(text))
    return edges


def line_of_row(docs: Ids, row: int) -> int:
    """The line of a file in which a document id stands."""
    return line_of(docs.text, int(docs.start[row]))


def text_of_row(docs: Ids, row: int) -> str:
    """The whole line in which a document id stands."""
    return line_at(docs.text, int(docs.start[row]))


def _fault(text: bytes, layout: Layout, file: str, status: int, offset: int) -> InputError:
    end = text.find(b"\n", offset)
    fields = text[offset : end if end >= 0 else len(text)].split()
    required = f"{layout.fewest}" if layout.most > 6 else f"exactly {layout.fewest}"
    problem, hint = {
        1: (f"a {layout.what} line needs {required} fields, this one has {len(fields)}", f"write '{layout.line}'"),
        2: (f"a {layout.what} line needs {required} fields, this one has {len(fields)}", f"write '{layout.line}'"),
        3: (f"{layout.value_name} is not a number", f"field {layout.value + 1} must be a number"),
        4: (f"{layout.value_name} is NaN", f"field {layout.value + 1} must be a number that can be ordered"),
        5: ("carriage return inside a line", "end lines with a newline"),
    }[status]
    is_first = line_of(text, offset) == 1  # what is no run at all is none from its first line on
    option = option_for_text(text, "runs" if layout.what == RUN.what else "judgments", file) if is_first else None
    if option is not None and "=" in option.option and status in (1, 2, 3):  # a line of names
        hint = f"say which columns are which: {option}"
    elif status == 3 and has_decimal_comma(fields[layout.value].decode(errors="replace")):
        hint = DECIMAL_POINT
    elif layout is RUN and status == 1 and is_first and (len(fields) == 4 or (len(fields) == 5 and fields[1] != b"Q0")):
        hint += f"; these look like judgments: {ORDER}"
    elif layout is JUDGMENTS and len(fields) >= 6 and status == 2 and is_first:
        hint += f"; this looks like a run: {ORDER}"
    elif status in (1, 2, 3) and is_first:
        names = f"topic,doc,{layout.value_name}"
        hint += (
            f"; or give a table ({formats_in_words()}) that names its columns, such as {names}, or name them by "
            f"{arg('columns')}"
            if option is None
            else f"; or say which columns are which: {option}"
        )
    return InputError(problem, file=file, line=line_of(text, offset), text=line_at(text, offset), hint=hint)


# ---- What a file holds: its text, and whether it is a table or TREC lines.

NameBy = Literal["file", "tag"]  # what a system is named by


def loaded(path: PathLike, header: Header | None = None) -> tuple[bytes, str | None, str]:
    """The content of a file, its kind (None for lines without names), and its name for messages."""
    file = shown_path(path)
    text, _ = marked(read_bytes(path), file)
    return text, kind_of_file(text, file, header), file


def kind_of_file(text: bytes, file: str, header: Header | None = None) -> str | None:
    """The kind of a file whose text, or the beginning of it, is given; refused where `header` says otherwise."""
    if text[:300].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        hint = f"if it is a folder, write / at its end: {file}/" if is_web(file) else "name the file that it leads to"
        raise InputError("this is a web page, not a table or TREC lines", file=file, hint=hint)
    kind = kind_of(text, file, header)
    if header and header.names and kind is not None and header.fits_none(",".join(header.names), file):
        raise InputError(
            f"columns {','.join(header.names)} were given, but this file has its own header", file=file,
            hint=f"leave out {arg('columns')}, or write ours=theirs in it, such as label=grade",
        )  # fmt: skip
    lost = _lost(header, file) if header and kind in (None, NESTED) and text.strip() else []
    if lost and kind == NESTED:
        raise InputError(
            f"there is no column '{lost[0]}': this file is {{topic: {{document: number}}}}, which has no columns",
            file=file, hint=f"leave it out of {arg('columns')}, or write one object per line, such as {ROW}",
        )  # fmt: skip
    if lost:
        raise InputError(
            f"there is no column '{lost[0]}': this file has no header", file=file,
            hint=f"leave it out of {arg('columns')}, or name all columns of lines, as in "
                 f"{arg('columns', 'topic,doc,label')}",
        )  # fmt: skip
    return kind


def _lost(header: Header, file: str) -> list[str]:
    """The names that the user gave and a file without columns lacks; of topic and doc those that no other file has."""
    theirs = [(ours, name) for ours in header.renamed for name in header.names_of(ours)]
    lost = [(ours, name) for ours, name in theirs if header.fits_none(name, file)]
    of_one_file = file_options().columns is None  # in Python
    needed = [name for ours, name in lost if of_one_file or ours not in IDS]
    for _, name in lost if not needed else ():
        file_options().check_name(name)
    return needed


def layout_of(header: Header, text: bytes, what: str, values: Sequence[str]) -> Layout | None:
    """How lines without names are cut, where tabs or blanks do it and there is no more than topic, document and value.

    values: our names of the number that is wanted, the first that is there being taken.
    """
    ours = [our_name(name) or name for name in header.names]
    value = next((name for name in values if name in ours), None)
    if value is None:
        raise InputError(
            f"{argname('columns', ','.join(header.names))} do not name a {' or a '.join(values)}",
            hint=f"{what} need one, as in topic,doc,{values[0]}",
        )
    first = first_line(text)
    plain = "\t" in first or separator_of(first) not in first
    if not plain or set(ours) & {"system", "assessor", *EXTRA} or names_columns(first.split()):
        return None
    second = ours.index("subtopic") if "subtopic" in ours else ours.index("topic")
    return Layout(
        what, " ".join(header.names), len(ours), len(ours), second, ours.index(value), -1, value,
        topic=ours.index("topic"), doc=ours.index("doc"),
    )  # fmt: skip
