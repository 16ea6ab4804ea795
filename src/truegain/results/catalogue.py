"""The formats, by name and by the endings of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from truegain.results.html import html
from truegain.results.latex import latex
from truegain.results.records import as_json, as_lines, parquet
from truegain.results.table import Grid
from truegain.results.text import comma_separated, markdown, tab_separated, text

Format = Literal["table", "csv", "tsv", "json", "jsonl", "parquet", "latex", "markdown", "html"]
FORMATS: tuple[str, ...] = get_args(Format)
PAPER: tuple[str, ...] = ("latex", "markdown", "html")  # one wide table, systems by measures
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
WRITERS: dict[str, Callable[[Grid], str]] = {
    "table": text,
    "csv": comma_separated,
    "tsv": tab_separated,
    "json": as_json,
    "jsonl": as_lines,
    "latex": latex,
    "markdown": markdown,
    "html": html,
}


def render(grid: Grid, chosen: Format) -> bytes:
    """A table in a format, as bytes ready to be written."""
    if chosen == "parquet":
        return parquet(grid)
    return WRITERS[chosen](grid).encode(errors="backslashreplace")  # a file name may hold bytes that are not UTF-8
