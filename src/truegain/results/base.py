"""The base of every result: it shows itself as text, LaTeX, HTML, JSON or a frame, and tells how it was made."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from truegain._version import __version__
from truegain.config import StudyConfig
from truegain.errors import TruegainError, counted, shorten, some, without_secrets
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
from truegain.settings import settings_of

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
        """All rows, with a caption and a label where these are given; see `PaperStyle`.

        Parameters
        ----------
        **style
            ``caption`` and ``label`` of `PaperStyle`.

        Returns
        -------
        Table
            What `latex`, `markdown` and `html` write.
        """
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


# ---- How an answer was made: the version, what was given, by name, and every argument under its own name.

INPUTS = (
    "runs",
    "judgments",
    "gold",
    "ratings",
    "expert",
    "unjudged_sample",
    "earlier",
    "corpus",
    "judged_corpus",
    "data",
    "intents",
    "scores",
    "path",
)
PLAIN = (str, int, float, bool)


def with_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose answer also tells with what it was called.

    >>> import truegain as tg
    >>> made = tg.unjudged({"x": {"1": {"a": 2.0, "b": 1.0}}}, {"1": {"a": 1}}, "P@2").provenance
    >>> made["runs"], made["judgments"], made["measure"], made["depths"]
    ('1 in a dict (x)', '1 in a dict (1)', 'P@2', [1, 5, 10, 20, 50, 100])
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(*args: Any, **words: Any) -> Any:
        answer = function(*args, **words)
        bound = signature.bind(*args, **words)
        bound.apply_defaults()
        return with_provenance(answer, {"truegain": __version__, **provenance_of(_flat(bound))})

    return called


def _flat(bound: inspect.BoundArguments) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if is_dataclass(value) and all("help" in f.metadata for f in fields(value)):  # the options of a config
            out |= {f.metadata["name"] or f.name: getattr(value, f.name) for f in fields(value)}
        else:
            out |= value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    return out


def provenance_of(arguments: Mapping[str, Any]) -> dict[str, object]:
    """Arguments as words and numbers, configs by their fields; those that are None, and functions, are left out.

    >>> provenance_of({"runs": ["a/x.run", "a/y.run"], "seed": 3, "pair": ("x", "y"), "gold": None, "tested": print})
    {'runs': 'x.run, y.run', 'seed': 3, 'pair': ['x', 'y']}
    >>> from truegain.config import Resampling
    >>> provenance_of({"resampling": Resampling(n=500)})
    {'resamples': 500, 'seed': 0}
    """
    arguments = {name: value for config in map(_fields_of, arguments.items()) for name, value in config}
    return {
        name: named(value) if name in INPUTS else _plain(value)
        for name, value in arguments.items()
        if value is not None and (name in INPUTS or not callable(value))
    }


def _fields_of(argument: tuple[str, Any]) -> list[tuple[str, Any]]:
    """An argument; where it is a config, its fields under the names of the options."""
    value = argument[1]
    if not is_dataclass(value) or isinstance(value, type) or type(value).__module__ != StudyConfig.__module__:
        return [argument]
    return [(option.name, getattr(value, option.field)) for option in settings_of(type(value))]


def named(value: Any) -> str:
    """What was given, by its name: files without their folder, tables by their source, and how many."""
    if isinstance(value, str | os.PathLike):
        return Path(without_secrets(os.fspath(value))).name or str(value)
    if isinstance(value, Mapping):
        return f"{len(value):,} in a dict ({some([str(name) for name in value])})"
    if isinstance(value, list | tuple):
        paths = all(isinstance(member, str | os.PathLike) for member in value)
        return some([named(member) for member in value]) if paths else f"{len(value):,} in a list"
    if isinstance(files := getattr(value, "files", None), list):  # that are read when somebody looks
        return named(files)
    if isinstance(systems := getattr(value, "systems", None), tuple):
        return f"{len(systems):,} systems ({some(systems)})"
    digest = getattr(value, "digest", None)
    about = [str(x) for x in (getattr(value, "source", None), digest) if isinstance(x, str) and x]
    files = [part for text in about for part in text.split(", ")]  # a source of several files names them so
    return f"{type(value).__name__} ({', '.join(map(named, files))})" if about else type(value).__name__


def _plain(value: Any) -> object:
    if isinstance(value, PLAIN):
        return without_secrets(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(member) for member in value]
    return str(value) if "__str__" in vars(type(value)) else type(value).__name__


def with_provenance(answer: Any, provenance: Mapping[str, object]) -> Any:
    """An answer that tells this too; what it told itself stays, for it knows what became of an argument."""
    if not is_dataclass(answer) or isinstance(answer, type):
        return answer
    names = {field.name for field in fields(answer)}
    if "provenance" in names:
        return replace(answer, provenance={**provenance, **answer.provenance})  # type: ignore[attr-defined]
    if "arguments" in names:
        return replace(answer, arguments=dict(provenance))
    if "details" in names:
        return replace(answer, details=with_provenance(answer.details, provenance))  # type: ignore[attr-defined]
    return answer
