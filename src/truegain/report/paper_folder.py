"""A paper's tables and figures in one folder, CSV and SVG, with a page that shows them; a page over several folders."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from truegain.errors import InputError, TruegainError, counted
from truegain.io.files import PathLike, shown_path, write_bytes
from truegain.io.remote import is_remote
from truegain.message import Message, with_marks
from truegain.report.charts import render
from truegain.report.html import Html, el, join, paragraph
from truegain.results.base import Table
from truegain.results.table import shown_under

INDEX = "index.html"
SHOWN = 20  # rows of a table that the page shows; its file has all
_TITLE, _PARTS = re.compile(r"<title>(.*?)</title>"), re.compile(r'<h2 id="([^"]+)">(.*?)</h2>')
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
STYLE = """
:root{color-scheme:light}
body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff}
main{max-width:60rem;margin:0 auto;padding:1rem .5rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.15rem;margin:2.5rem 0 .4rem;border-top:1px solid #ddd;padding-top:1rem}
nav ul{columns:14rem;padding-left:1.2rem;margin:.5rem 0}
a{color:#1f4e79}
p{margin:.4rem 0;max-width:46rem}
figure{margin:.8rem 0;overflow-x:auto}
figure img{max-width:100%;height:auto}
figcaption{color:#444}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.15rem .7rem .15rem 0;text-align:left;white-space:nowrap;vertical-align:top}
th{border-bottom:1px solid #888;font-weight:600}
th.n,td.n{text-align:right}
code{font-size:.85rem;overflow-wrap:anywhere;background:#f4f4f4;padding:.1rem .3rem}
.pictures{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
.pictures img{width:17rem;max-width:100%;height:14rem;object-fit:contain;object-position:top;border:1px solid #ddd}
.note,.files{color:#555;font-size:.9rem}
"""


@dataclass(frozen=True)
class Exhibit:
    """A table or a figure of a paper, or both: made when it is written.

    Parameters
    ----------
    name : str
        What its files are called: `table-4` makes table-4.csv and table-4.svg.
    heading : str
        What the paper calls it, such as 'Table IV'.
    caption : str
        What it shows, in a sentence or two.
    table, chart : callable, optional
        What make the table and the figure.  An error of ours, such as data that lack a column, is told on the page in
        place of the exhibit.
    command : str, optional
        The command that makes this exhibit alone.

    Examples
    --------
    >>> Exhibit("table-1", "Table I", "One number.", table=lambda: Table(("n",), [(1,)])).name
    'table-1'
    """

    name: str
    heading: str
    caption: str
    table: Callable[[], Table] | None = None
    chart: Callable[[], Any] | None = None
    command: str = ""


class Entry(NamedTuple):
    """A line in the list of a paper: an exhibit's files and heading, the name of its table, what it shows, and of what.

    `by` tells the data that it is of, where a paper has several; else it is empty.
    """

    name: str
    heading: str
    show: str
    caption: str
    by: str = ""


def exhibits_of(
    shown: Iterable[Entry],
    tables: Mapping[str, Callable[[], Table]],
    charts: Mapping[str, Callable[[], Any]],
    command: Callable[[Entry], str] = lambda _: "",
) -> list[Exhibit]:
    """The exhibits that a paper lists.

    Parameters
    ----------
    shown : iterable of Entry
        The list, in the order of the page.
    tables : mapping of str to callable
        What makes each table, by the name that the list has for it.
    charts : mapping of str to callable
        What draws a figure, by the name of the exhibit; others are tables only.
    command : callable, optional
        The command that makes an exhibit alone.

    Returns
    -------
    list of Exhibit
        One for each line of the list.

    Examples
    --------
    >>> line = Entry("table-1", "Table I", "scores", "One score.")
    >>> exhibits_of([line], {"scores": lambda: Table(("AP",), [(0.5,)])}, {})[0].table().rows
    [(0.5,)]
    """
    return [
        Exhibit(one.name, one.heading, one.caption, tables[one.show], charts.get(one.name), command(one))
        for one in shown
    ]


class Written(NamedTuple):
    """What a folder holds: its page, the files of tables and of figures, and why exhibits are not there."""

    page: Path
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    lacking: tuple[str, ...]

    def __str__(self) -> str:
        lacking = f"; {len(self.lacking)} not made, and the page says why" if self.lacking else ""
        return f"{self.page}: {counted(len(self.tables), 'table')}, {counted(len(self.figures), 'figure')}{lacking}"


def write_folder(
    folder: PathLike,
    title: str,
    exhibits: Iterable[Exhibit],
    about: Sequence[str] = (),
    words: Callable[[str], str] = Message,
) -> Written:
    """Write every table as CSV and every figure as SVG into a folder, and a page that shows them all.

    The page, index.html, needs no other file and no network: figures are in it, tables to their twentieth row; links go
    to the files beside it.  It is written last, so that a folder with a page is complete.  Files of the same names are
    replaced, others stay.

    Parameters
    ----------
    folder : str or path
        Where to; made where it is not there.
    title : str
        The heading of the page.
    exhibits : iterable of Exhibit
        In the order of the page.
    about : sequence of str, optional
        Paragraphs below the heading: of what data, how made.
    words : callable, optional
        Puts errors and notes into words; the command line has its own, which names options.

    Returns
    -------
    Written
        The files, and what could not be made.

    Examples
    --------
    >>> import tempfile
    >>> one = Exhibit("table-1", "Table I", "Scores.", table=lambda: Table(("system", "AP"), [("bm25", 0.25)]))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     written = write_folder(place, "A paper", [one])
    ...     print(written.tables[0].name, written.tables[0].read_text().split())
    table-1.csv ['system,AP', 'bm25,0.25']
    """
    every = list(exhibits)
    _check_names(every)
    place = _made(folder)
    (place / INDEX).unlink(missing_ok=True)  # an interrupted run leaves no page of files that are not there
    parts = [_written(place, exhibit, words) for exhibit in every]
    write_bytes(place / INDEX, _page(title, about, parts).encode())
    return Written(
        place / INDEX,
        tuple(place / f"{p.exhibit.name}.csv" for p in parts if p.table is not None),
        tuple(place / f"{p.exhibit.name}.svg" for p in parts if p.picture is not None),
        tuple(f"{p.exhibit.heading}: {reason}" for p in parts for reason in p.lacking),
    )


class _Made(NamedTuple):
    """An exhibit with its table and its picture, and why one of them is not there."""

    exhibit: Exhibit
    table: Table | None
    picture: bytes | None
    lacking: tuple[str, ...]


def _check_names(exhibits: Sequence[Exhibit]) -> None:
    names = [e.name for e in exhibits]
    for name in names:
        if not _NAME.fullmatch(name):
            raise TruegainError(f"{name!r} names no file of an exhibit; use a-z, 0-9 and hyphens, such as table-4")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise TruegainError(f"two exhibits are named {twice[0]}; give them different names")


def _made(folder: PathLike) -> Path:
    name = os.fspath(folder)
    if is_remote(name):
        raise InputError("folders are written locally only", file=shown_path(name), hint="name a folder here")
    place = Path(name)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "a file already has this name" if place.exists() else (error.strerror or str(error))
        raise InputError(f"no folder can be made here: {why}", file=str(place), hint="name another folder") from None
    return place


def _written(place: Path, exhibit: Exhibit, words: Callable[[str], str]) -> _Made:
    """Make an exhibit and write its files; what was there of an earlier one and cannot be made now is removed."""
    table, picture, reasons = None, None, []
    try:
        table = None if exhibit.table is None else exhibit.table()
        table = table and replace(table, notes=tuple(map(words, table.notes)))
    except TruegainError as error:
        reasons.append(words(with_marks(error)))
    try:
        picture = None if exhibit.chart is None or reasons else render(exhibit.chart(), ".svg")
    except TruegainError as error:
        reasons.append(words(with_marks(error)))
    for ending, data in ((".csv", None if table is None else table.render("csv")), (".svg", picture)):
        path = place / f"{exhibit.name}{ending}"
        if data is None:
            path.unlink(missing_ok=True)
        else:
            write_bytes(path, data)
    return _Made(exhibit, table, picture, tuple(reasons))


def write_index(folder: PathLike, title: str, papers: Iterable[str], about: Sequence[str] = ()) -> Path:
    """Write a page over folders that `write_folder` wrote: the title of each, its tables, and its pictures.

    Parameters
    ----------
    folder : str or path
        The folder that holds them; the page is its index.html.
    title : str
        The heading of the page.
    papers : iterable of str
        The names of the folders in it, in the order of the page.
    about : sequence of str, optional
        Paragraphs below the heading.

    Returns
    -------
    Path
        The page.

    Examples
    --------
    >>> import tempfile
    >>> one = Exhibit("table-1", "Table I", "Scores.", table=lambda: Table(("system", "AP"), [("bm25", 0.25)]))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = write_folder(f"{place}/first", "A paper", [one])
    ...     page = write_index(place, "Papers", ["first"]).read_text()
    >>> 'href="first/index.html#table-1"' in page
    True
    """
    place = _made(folder)
    body = [el("h1", title), *(paragraph(text) for text in about)]
    for name in papers:
        page = place / name / INDEX
        if not page.is_file():
            raise InputError("no page of a paper is here", file=str(page), hint="write its folder first")
        text = page.read_text("utf-8")
        heading, parts = unescape(_TITLE.findall(text)[0]), _PARTS.findall(text)
        body.append(el("h2", el("a", heading, href=f"{name}/{INDEX}"), id=name))
        body.append(_linked(place, name, [(part, unescape(shown)) for part, shown in parts]))
    write_bytes(place / INDEX, _document(title, body).encode())
    return place / INDEX


def _linked(place: Path, name: str, parts: Sequence[tuple[str, str]]) -> Html:
    """Links to what a paper's page shows, and its pictures, each a link too."""
    links = (el("li", el("a", shown, href=f"{name}/{INDEX}#{part}")) for part, shown in parts)
    pictures = [
        el("a", el("img", src=f"{name}/{part}.svg", alt=shown, loading="lazy"), href=f"{name}/{INDEX}#{part}")
        for part, shown in parts
        if (place / name / f"{part}.svg").is_file()
    ]
    return join(el("nav", el("ul", *links), aria_label=f"Of {name}"), el("div", *pictures, class_="pictures"))


# ---------------------------------------------------------------------- the page


def _document(title: str, body: Iterable[Html]) -> str:
    """A page that needs no network."""
    head = join(
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", title),
        el("style", Html(STYLE)),
    )
    return f"<!doctype html>\n{el('html', el('head', head), el('body', el('main', *body)), lang='en')}\n"


def _page(title: str, about: Sequence[str], parts: Sequence[_Made]) -> str:
    links = el("ul", *(el("li", el("a", p.exhibit.heading, href=f"#{p.exhibit.name}")) for p in parts))
    above = (el("h1", title), *(paragraph(text) for text in about))
    return _document(title, (*above, el("nav", links, aria_label="Tables and figures"), *map(_section, parts)))


def _section(part: _Made) -> Html:
    exhibit, table, picture, lacking = part
    shown: list[Html] = []
    if picture is not None:
        source = f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"
        image = el("img", src=source, alt=f"{exhibit.heading}; the rows below have its numbers")
        shown.append(el("figure", image, el("figcaption", exhibit.caption)))
    if table is not None:
        shown.append(_rows(table, exhibit.heading))
    files = [el("a", f"{exhibit.name}{ending}", href=f"{exhibit.name}{ending}")
             for ending, there in ((".csv", table), (".svg", picture)) if there is not None]  # fmt: skip
    listed = [part for file in files for part in (", ", file)][1:]
    return el(
        "section",
        el("h2", exhibit.heading, id=exhibit.name),
        paragraph(exhibit.caption) if picture is None else None,
        *(paragraph(f"Not made: {reason}.", class_="note") for reason in lacking),
        *shown,
        paragraph("Files: ", *listed, class_="files") if files else None,
        paragraph(el("code", exhibit.command)) if exhibit.command else None,
    )


def _rows(table: Table, heading: str) -> Html:
    """The first rows of a table, its notes, and how many rows more its file has."""
    sides = [None if table.is_text(i) else "n" for i in range(len(table.columns))]
    top = el("tr", *(el("th", c, scope="col", class_=s) for c, s in zip(table.columns, sides, strict=True)))
    body = [el("tr", *(el("td", shown_under(c, cell), class_=s)
                       for c, cell, s in zip(table.columns, row, sides, strict=True)))
            for row in table.rows[:SHOWN]]  # fmt: skip
    left = len(table.rows) - SHOWN
    words = f"{counted(left, 'more row')} {'is' if left == 1 else 'are'} in the CSV file."
    more = paragraph(words, class_="note") if left > 0 else None
    drawn = el("table", el("thead", top), el("tbody", *body))
    return join(
        el("div", drawn, class_="scroll", role="region", tabindex=0, aria_label=f"Rows of {heading}"),
        more,
        *(paragraph(note, class_="note") for note in table.notes),
    )
