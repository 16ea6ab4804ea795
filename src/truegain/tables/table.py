"""Answers that show themselves, and the table that all of them are made of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from truegain.drawing import draw
from truegain.errors import TruegainError, shorten
from truegain.tables.formats.catalogue import ENDINGS, FORMATS, Format, render
from truegain.tables.formats.frames import pandas_frame, polars_frame
from truegain.tables.formats.grid import Cell, Grid, Marked, cells, shown
from truegain.tables.formats.html import html, notebook
from truegain.tables.formats.latex import latex
from truegain.tables.formats.markdown import markdown
from truegain.tables.formats.records import as_dict, as_json, as_lines
from truegain.tables.formats.separated import comma_separated, separated, tab_separated
from truegain.tables.formats.text import text
from truegain.tables.paper_style import PaperStyle, PaperWords

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ENDINGS", "FORMATS", "Cell", "Format", "Marked", "Shown", "Table", "cells", "joined", "separated", "shown"]

SHORT = 240  # characters of a repr


class Shown:
    """An answer that shows itself: it says what its `table` is, and has all the ways to show it from here.

    `tables` are what a person sees, `paper` what `latex`, `markdown` and `html` write; both are the table, where an
    answer has nothing better.  How it was made is in `made_by`.
    """

    def table(self) -> Table:
        """The answer as rows, for programs."""
        raise NotImplementedError

    def tables(self) -> list[Table]:
        """What a person wants to see."""
        return [self.table()]

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """The table for a paper, with a caption and a label where these are given; see `PaperStyle`."""
        asked, table = PaperStyle.of(style), self.tables()[0]
        if odd := [name for name in asked.asked if name not in ("caption", "label")]:
            raise TruegainError(
                f"{', '.join(odd)}: this is for tables of systems by measures; a {type(self).__name__} takes caption "
                "and label"
            )
        return replace(table, title=table.title if asked.caption is None else asked.caption, label=asked.label or "")

    # ------------------------------------------------------------------ for people

    def in_short(self) -> str:
        """What it is, in one line."""
        table = self.table()
        return table.title or f"{len(table.rows):,} rows: {', '.join(table.columns)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shorten(' '.join(self.in_short().split()), SHORT)})"

    def __str__(self) -> str:
        return "\n\n".join(text(table).rstrip("\n") for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(notebook(table) for table in self.tables())

    def latex(self, **style: Unpack[PaperWords]) -> str:
        """A booktabs table; see `PaperStyle`."""
        return latex(self.paper(**style))

    def markdown(self, **style: Unpack[PaperWords]) -> str:
        """A GitHub table; see `PaperStyle`."""
        return markdown(self.paper(**style))

    def html(self, **style: Unpack[PaperWords]) -> str:
        """A plain HTML table; see `PaperStyle`."""
        return html(self.paper(**style))

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """An altair chart; also written to `path`, a .svg, .png, .pdf or .html file."""
        return draw(self, path)

    # ------------------------------------------------------------------ for programs

    def frame(self) -> pl.DataFrame:
        """A polars frame of the table, null where there is no value."""
        return polars_frame(self.table())

    def to_pandas(self) -> Any:
        """A pandas frame of the same columns as `frame`."""
        return pandas_frame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """How it was made, the notes, and a record a row."""
        return as_dict(self.table())


@dataclass(frozen=True, eq=False, repr=False)
class Table(Shown, Grid):
    """Named columns and rows, with how they were made and what must be said about them.

    None is a value that is not there.  People see four decimals, programs all of them.

    >>> print(Table(("system", "AP"), [("bm25", 0.25), ("dense", None)]))
    system      AP
    bm25    0.2500
    dense        -
    """

    def table(self) -> Table:
        """Itself."""
        return self

    def render(self, chosen: Format) -> bytes:
        """The table in a format, as bytes ready to be written."""
        return render(self, chosen)

    def text(self) -> str:
        """Aligned columns: text to the left, numbers to the right; then the notes."""
        return text(self)

    def csv(self) -> str:
        """Comma-separated values, all digits, an empty field where there is no value."""
        return comma_separated(self)

    def tsv(self) -> str:
        """The same with tabs."""
        return tab_separated(self)

    def json(self) -> str:
        """One JSON object: how it was made, the notes, the rows."""
        return as_json(self)

    def jsonl(self) -> str:
        """One JSON object a line."""
        return as_lines(self)


def joined(tables: Sequence[Table], measures: Sequence[str]) -> Table:
    """One table from those of several measures."""
    if len(tables) == 1:
        return tables[0]
    first = tables[0]
    named = "measure" in first.columns
    columns = first.columns if named else ("measure", *first.columns)
    rows = [row if named else (m, *row) for m, t in zip(measures, tables, strict=True) for row in t.rows]
    notes = tuple(dict.fromkeys(note for t in tables for note in t.notes))
    return Table(columns, rows, first.made_by, "\n".join(t.title for t in tables if t.title), notes)
