"""The base of every result: it shows itself as text, LaTeX, HTML, JSON or a frame, and is made of one table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from truegain.errors import TruegainError, counted, shorten
from truegain.io.frames import frame_of
from truegain.lazy import provided
from truegain.message import argname
from truegain.results.formats import (
    ENDINGS,
    FORMATS,
    Format,
    as_dict,
    as_json,
    as_lines,
    comma_separated,
    html,
    latex,
    markdown,
    notebook,
    pandas_frame,
    polars_frame,
    render,
    separated,
    tab_separated,
    text,
)
from truegain.results.table import Cell, Grid, Marked, cells, shown

if TYPE_CHECKING:
    import polars as pl

# ---- How a table for a paper shall look: what every answer's `latex`, `markdown` and `html` take.


class PaperWords(TypedDict, total=False):
    """The keywords of a table for a paper; see `PaperStyle`."""

    digits: int
    percent: bool
    bold: bool
    intervals: bool | None
    caption: str | None
    label: str | None
    names: Mapping[str, str] | None
    strip: str
    systems: Sequence[str] | None


@dataclass(frozen=True)
class PaperStyle:
    """How a table of systems by measures looks in a paper.

    Parameters
    ----------
    digits : int, default 4
        Decimals of a score.
    percent : bool, default False
        Multiply scores by 100 and show two decimals less.
    bold : bool, default True
        Set the best score of each measure in bold.
    intervals : bool, optional
        Show confidence limits beside the scores; by default where the result is about them.
    caption, label : str, optional
        In place of the generated ones; an empty label leaves the bare tabular.
    names : mapping of str to str, optional
        Other names for some systems.
    strip : str, optional
        A prefix to remove from all names of systems.
    systems : sequence of str, optional
        Show these systems only, in this order.

    Examples
    --------
    >>> PaperStyle.of({"digits": 3}).digits
    3
    >>> PaperStyle.of({"decimals": 3})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    truegain.errors.TruegainError: decimals: not an option of tables; there are digits, percent, ...
    """

    digits: int = 4
    percent: bool = False
    bold: bool = True
    intervals: bool | None = None
    caption: str | None = None
    label: str | None = None
    names: Mapping[str, str] | None = None
    strip: str = ""
    systems: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.digits, int) or not 0 <= self.digits <= 15:
            raise TruegainError(f"{argname('digits', self.digits, '')}: give a number of decimals from 0 to 15")

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> PaperStyle:
        """From keywords, of which an unknown one is refused."""
        options = [f.name for f in fields(cls)]
        for word in words:
            if word not in options:
                raise TruegainError(f"{word}: not an option of tables; there are {', '.join(options)}")
        return cls(**words)

    @property
    def changed(self) -> list[str]:
        """The ways in which it differs from what it is by default."""
        usual = PaperStyle()
        return [f.name for f in fields(self) if getattr(self, f.name) != getattr(usual, f.name)]

    @property
    def times(self) -> float:
        """What scores are multiplied by."""
        return 100.0 if self.percent else 1.0

    @property
    def decimals(self) -> int:
        """Of a score."""
        return max(0, self.digits - 2) if self.percent else self.digits


# ---- Answers that show themselves, and the table that all of them are made of.

__all__ = ["ENDINGS", "FORMATS", "Cell", "Format", "Marked", "Result", "Table", "cells", "joined", "separated", "shown"]

SHORT = 240  # characters of a repr


class Result:
    """The base of every result: it shows itself as text, LaTeX, Markdown, HTML, JSON, a frame or a chart.

    A result defines `table`, its rows for programs.  `tables` (what a person sees) and `paper` (what `latex`,
    `markdown` and `html` write) default to it.  `provenance` tells how the result was made.
    """

    def table(self) -> Table:
        """The result as rows, for programs.

        Returns
        -------
        Table
            Named columns and rows, with provenance and notes.
        """
        raise NotImplementedError

    def tables(self) -> list[Table]:
        """The result as a person reads it.

        Returns
        -------
        list of Table
            What ``print`` shows, one below the other.
        """
        return [self.table()]

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """The table for a paper.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`.  A result that is no table of systems by measures takes ``caption`` and ``label``
            only.

        Returns
        -------
        Table
            What `latex`, `markdown` and `html` write.
        """
        chosen, table = PaperStyle.of(style), self.tables()[0]
        if odd := [name for name in chosen.changed if name not in ("caption", "label")]:
            raise TruegainError(
                f"{', '.join(odd)}: this is for tables of systems by measures; a {type(self).__name__} takes caption "
                "and label"
            )
        return replace(table, title=table.title if chosen.caption is None else chosen.caption, label=chosen.label or "")

    # ------------------------------------------------------------------ for people

    def in_short(self) -> str:
        """The result in one line, for its repr.

        Returns
        -------
        str
            One line of text.
        """
        table = self.table()
        return table.title or f"{len(table.rows):,} rows: {', '.join(table.columns)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shorten(' '.join(self.in_short().split()), SHORT)})"

    def __str__(self) -> str:
        return "\n\n".join(text(table).rstrip("\n") for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(notebook(table) for table in self.tables())

    def latex(self, **style: Unpack[PaperWords]) -> str:
        """A LaTeX table, with booktabs.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`, such as ``digits=3`` or ``caption="..."``.

        Returns
        -------
        str
            The source of the table.
        """
        return latex(self.paper(**style))

    def markdown(self, **style: Unpack[PaperWords]) -> str:
        """A Markdown table, as GitHub reads it.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`.

        Returns
        -------
        str
            The source of the table.
        """
        return markdown(self.paper(**style))

    def html(self, **style: Unpack[PaperWords]) -> str:
        """A plain HTML table.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`.

        Returns
        -------
        str
            The source of the table.
        """
        return html(self.paper(**style))

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the result.

        Parameters
        ----------
        path : str or path-like, optional
            Also write the chart here: a .svg, .png, .pdf or .html file.

        Returns
        -------
        altair.Chart
            The chart, which notebooks show.
        """
        return provided("plot")(self, path)

    # ------------------------------------------------------------------ for programs

    def frame(self) -> pl.DataFrame:
        """A polars frame of `table`.

        Returns
        -------
        polars.DataFrame
            The columns of `table`, spaces in their names as underscores; null where there is no value.
        """
        return polars_frame(self.table())

    def to_pandas(self) -> Any:
        """A pandas frame of the same columns as `frame`.

        Returns
        -------
        pandas.DataFrame
            None or NaN where there is no value.
        """
        return pandas_frame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values, as its JSON has them.

        Returns
        -------
        dict
            'provenance' (how it was made), 'title' and 'notes' where there are any, and 'rows', one dict a row.
        """
        return as_dict(self.table())


@dataclass(frozen=True, eq=False, repr=False)
class Table(Result, Grid):
    """Named columns and rows, with how they were made and what must be said about them.

    None is a value that is not there.  People see four decimals, programs all of them.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns, as people see them.
    rows : sequence of tuple
        The cells: numbers, text, or None.
    provenance : mapping
        How the table was made: versions, inputs, options.
    title : str
        What the table shows; empty where that is clear.
    notes : tuple of str
        What must be said beside it.
    label : str
        The label of the table in a paper; empty for a bare tabular.

    Examples
    --------
    >>> print(Table(("system", "AP"), [("bm25", 0.25), ("dense", None)]))
    system      AP
    bm25    0.2500
    dense        -
    """

    def table(self) -> Table:
        """The table itself."""
        return self

    def render(self, chosen: Format) -> bytes:
        """The table in one of the formats of the command line.

        Parameters
        ----------
        chosen : {'table', 'csv', 'tsv', 'json', 'jsonl', 'parquet', 'latex', 'markdown', 'html'}
            The format.

        Returns
        -------
        bytes
            Ready to be written.
        """
        return render(self, chosen)

    def text(self) -> str:
        """Aligned columns, text to the left and numbers to the right, then the notes.

        Returns
        -------
        str
            What ``print`` shows.
        """
        return text(self)

    def csv(self) -> str:
        """Comma-separated values.

        Returns
        -------
        str
            All digits; an empty field where there is no value.
        """
        return comma_separated(self)

    def tsv(self) -> str:
        """Tab-separated values.

        Returns
        -------
        str
            All digits; an empty field where there is no value.
        """
        return tab_separated(self)

    def json(self) -> str:
        """One JSON object.

        Returns
        -------
        str
            How the table was made, the notes, and the rows.
        """
        return as_json(self)

    def jsonl(self) -> str:
        """One JSON object a line.

        Returns
        -------
        str
            The rows.
        """
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
    return Table(columns, rows, first.provenance, "\n".join(t.title for t in tables if t.title), notes)


# ---- Runs and judgments as they were given, shown the same ways as answers: the first rows where there are many.

MOST = 20  # rows that a person sees


class Lines(Result):
    """Data with rows of its own, runs or judgments, shown the same ways as results."""

    def __len__(self) -> int:
        raise NotImplementedError

    def columns_of(self, most: int | None = None) -> Mapping[str, Any]:
        """The columns by name.

        Parameters
        ----------
        most : int, optional
            Only the first so many rows.

        Returns
        -------
        mapping of str to sequence
            One value a row.
        """
        raise NotImplementedError

    @property
    def provenance(self) -> Mapping[str, object]:
        """Where the data came from."""
        raise NotImplementedError

    def table(self) -> Table:
        """All rows."""
        return self._table(None)

    def tables(self) -> list[Table]:
        """The first 20 rows, and how many more there are."""
        return [self._table(MOST)]

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """All rows, with a caption and a label where these are given; see `PaperStyle`."""
        return self.table().paper(**style)

    def frame(self) -> pl.DataFrame:
        """A polars frame of all rows, null where there is no value."""
        return frame_of(self.columns_of())

    def _table(self, most: int | None) -> Table:
        columns = self.columns_of(most)
        values = [list(column) if isinstance(column, list | tuple) else column.tolist() for column in columns.values()]
        left = 0 if most is None else len(self) - most
        notes = (f"and {counted(left, 'more row')}",) if left > 0 else ()
        return Table(tuple(columns), list(zip(*values, strict=True)), self.provenance, self.in_short(), notes)
