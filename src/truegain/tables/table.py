"""A table of results that can show itself: for the screen, for programs, and for papers."""

from __future__ import annotations

import csv
import html
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from truegain.errors import needs

if TYPE_CHECKING:
    import polars as pl

Format = Literal["table", "csv", "tsv", "json", "jsonl", "parquet", "latex", "markdown", "html"]
FORMATS: tuple[str, ...] = get_args(Format)
ENDINGS: dict[str, Format] = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
    ".htm": "html",
}
Cell = float | int | str | bool | None


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns and rows, with how they were made and what must be said about them.

    None is a value that is not there.  People see four decimals, programs all of them.

    >>> print(Table(("system", "AP"), [("bm25", 0.25), ("dense", None)]))
    system      AP
    bm25    0.2500
    dense        -
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    made_by: Mapping[str, object] = field(default_factory=dict)
    title: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def render(self, chosen: Format) -> bytes:
        """The table in a format, as bytes ready to be written."""
        if chosen == "parquet":
            stream = io.BytesIO()
            self.frame().write_parquet(stream)
            return stream.getvalue()
        text = {
            "table": self.text,
            "csv": self.csv,
            "tsv": self.tsv,
            "json": self.json,
            "jsonl": self.jsonl,
            "latex": self.latex,
            "markdown": self.markdown,
            "html": self.html,
        }[chosen]()
        return text.encode(errors="backslashreplace")  # a file name may hold bytes that are not UTF-8

    # ------------------------------------------------------------------ for people

    def _cells(self) -> list[list[str]]:
        return [list(self.columns), *([shown(cell) for cell in row] for row in self.rows)]

    def _is_text(self, column: int) -> bool:
        return any(isinstance(row[column], str) for row in self.rows)

    def text(self) -> str:
        """Aligned columns: text to the left, numbers to the right; then the notes."""
        lines = self._cells()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        left = [self._is_text(i) or not self.rows for i in range(len(self.columns))]
        body = "".join(
            "  ".join(
                c.ljust(w) if is_text else c.rjust(w) for c, w, is_text in zip(line, widths, left, strict=True)
            ).rstrip()
            + "\n"
            for line in lines
        )
        title = f"{self.title}\n\n" if self.title else ""
        return title + body + "".join(f"\n{note}\n" for note in self.notes)

    def markdown(self) -> str:
        """A GitHub table."""
        head, *rows = [[c.replace("|", "\\|") for c in line] for line in self._cells()]
        rule = ["---" if self._is_text(i) else "---:" for i in range(len(self.columns))]
        lines = "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *rows))
        title = f"**{self.title}**\n\n" if self.title else ""
        return title + lines + "".join(f"\n{note}\n" for note in self.notes)

    def latex(self) -> str:
        """A booktabs tabular."""
        head, *rows = [[_latex(c) for c in line] for line in self._cells()]
        kinds = "".join("l" if self._is_text(i) else "r" for i in range(len(self.columns)))
        lines = [" & ".join(line) + r" \\" for line in rows]
        top = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", " & ".join(head) + r" \\", r"\midrule"]
        notes = [f"% {note}" for note in (self.title, *self.notes) if note]
        return "\n".join([*notes, *top, *lines, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def html(self) -> str:
        """A plain HTML table."""
        head, *rows = [[html.escape(c) for c in line] for line in self._cells()]
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        top = "".join(f"<th>{c}</th>" for c in head)
        body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in line) + "</tr>\n" for line in rows)
        notes = "".join(f"<p>{html.escape(note)}</p>\n" for note in self.notes)
        return f"<table>{caption}\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody></table>\n{notes}"

    # ------------------------------------------------------------------ for programs

    def records(self) -> list[dict[str, Cell]]:
        """One dict a row; NaN becomes None."""
        return [dict(zip(self.columns, map(_plain, row), strict=True)) for row in self.rows]

    def csv(self) -> str:
        """Comma-separated values, all digits, an empty field where there is no value."""
        return separated(self.columns, self.rows, ",")

    def tsv(self) -> str:
        """The same with tabs."""
        return separated(self.columns, self.rows, "\t")

    def jsonl(self) -> str:
        """One JSON object a line."""
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self.records())

    def json(self) -> str:
        """One JSON object: how it was made, the notes, the rows."""
        whole: dict[str, object] = {"made_by": dict(self.made_by)}
        if self.title:
            whole["title"] = self.title
        if self.notes:
            whole["notes"] = list(self.notes)
        return json.dumps({**whole, "rows": self.records()}, ensure_ascii=False, indent=1) + "\n"

    def frame(self) -> pl.DataFrame:
        """A polars frame, null where there is no value."""
        pl = needs("polars", "frames")

        cells = [[_plain(row[i]) for row in self.rows] for i in range(len(self.columns))]
        columns = [pl.Series(n, c, strict=False) for n, c in zip(self.columns, cells, strict=True)]
        return pl.DataFrame(columns)  # type: ignore[no-any-return]


def separated(columns: Sequence[str], rows: Iterable[Sequence[Cell]], separator: str) -> str:
    """Separated values, quoted where they must be."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n", delimiter=separator)
    writer.writerow(columns)
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return stream.getvalue()


def shown(cell: Cell) -> str:
    """A cell for people: four decimals (more for tiny numbers), a dash where there is no value."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.4f}" if cell == 0 or abs(cell) >= 0.00005 else f"{cell:.1e}"
    return str(cell)


def cells(values: Iterable[float]) -> list[float | None]:
    """Numbers as cells: None where there is none, or none that could be written.

    >>> cells([0.5, math.nan])
    [0.5, None]
    """
    return [float(v) if math.isfinite(v) else None for v in values]


def _plain(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and math.isnan(cell) else cell


def _latex(text: str) -> str:
    for raw, escaped in (("\\", r"\textbackslash "), *((c, "\\" + c) for c in "&%$#_{}")):
        text = text.replace(raw, escaped)
    return text
