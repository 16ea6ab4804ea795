"""Scores on the screen and in files: a table for people, trec_eval's lines, CSV, JSON, JSONL, Parquet."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from truegain.errors import TruegainError
from truegain.tables.scores import ALL_TOPICS, Scores, plain, shown
from truegain.tables.sources import STANDARD_INPUT, read_bytes, write_bytes
from truegain.tables.table import Format as TableFormat
from truegain.tables.table import Table

Format = Literal["table", "trec", "csv", "json", "jsonl", "parquet"]
COLUMNS = ("system", "topic", "measure", "value")
_ENDINGS: dict[str, Format] = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".parquet": "parquet"}
_TABLE_ENDINGS: dict[str, TableFormat] = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
}
_IN_SUMMARY_ONLY = ("NumQ", "GMAP", "GMBpref")


def format_of(given: Format | None, output: str) -> Format:
    """The format asked for, or told by the ending of the file to write."""
    if given is not None:
        return given
    name = output.removesuffix(".gz").removesuffix(".xz").removesuffix(".zst")
    return _ENDINGS.get(Path(name).suffix, "table")


def table_format_of(given: TableFormat | None, output: str) -> TableFormat:
    """The format of a table asked for, or told by the ending of the file to write."""
    if given is not None:
        return given
    name = output.removesuffix(".gz").removesuffix(".xz").removesuffix(".zst")
    return _TABLE_ENDINGS.get(Path(name).suffix, "table")


def write_table(table: Table, given: TableFormat | None, output: str) -> None:
    """Print a table in a format, to a file or to standard output."""
    write_bytes(output, table.render(table_format_of(given, output)))


def write_scores(
    scores: Scores,
    chosen: Format,
    output: str,
    names: Sequence[str],
    *,
    topics: bool,
    summary: bool,
    inputs: Sequence[str],
) -> None:
    """Print scores in a format, to a file or to standard output."""
    if not topics and not summary:
        raise TruegainError("-n leaves nothing to print; give -q for the topics as well")
    if chosen == "parquet":
        stream = io.BytesIO()
        scores.frame(topics, summary).write_parquet(stream)
        write_bytes(output, stream.getvalue())
        return
    if chosen == "table":
        text = _table(scores, topics, summary)
    elif chosen == "trec":
        text = "".join(_trec_lines(scores, names, topics, summary))
    elif chosen == "csv":
        text = _csv(scores, topics, summary)
    else:
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in scores.rows(topics, summary)]
        if chosen == "jsonl":
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            made_by = {**scores.made_by, "inputs": {name: _digest(name) for name in inputs}}
            text = json.dumps({"made_by": made_by, "scores": rows}, ensure_ascii=False, indent=1) + "\n"
    write_bytes(output, text.encode())


def _digest(name: str) -> str | None:
    return None if name == STANDARD_INPUT else hashlib.sha256(read_bytes(name)).hexdigest()


def _csv(scores: Scores, topics: bool, summary: bool) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(scores.rows(topics, summary))
    return stream.getvalue()


def _table(scores: Scores, topics: bool, summary: bool) -> str:
    """Aligned columns: system, topic where asked for, then the measures."""
    lines = [["system", *(["topic"] if topics else []), *scores.measures]]
    for s, system in enumerate(scores.systems):
        for t, topic in enumerate(scores.topics if topics else ()):
            cells = [_cell(scores, m, scores.values[m][s, t]) for m in scores.measures]
            lines.append([system, topic, *cells])
        if summary:
            cells = [_cell(scores, m, scores.summaries[m][s]) for m in scores.measures]
            lines.append([system, *([ALL_TOPICS] if topics else []), *cells])
    left = 2 if topics else 1
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = (
        "  ".join(c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True)))
        for line in lines
    )
    return "".join(line.rstrip() + "\n" for line in aligned)


def _cell(scores: Scores, measure: str, value: object) -> str:
    return shown(plain(value), measure in scores.counts)


def _trec_lines(scores: Scores, names: Sequence[str], topics: bool, summary: bool) -> Iterator[str]:
    """trec_eval's own lines, run after run, under the names the measures were asked for by."""
    pairs = list(zip(names, scores.measures, strict=True))
    for s, system in enumerate(scores.systems):
        for t, topic in enumerate(scores.topics if topics else ()):
            for name, measure in pairs:
                value = plain(scores.values[measure][s, t])
                if value is not None and not measure.startswith(_IN_SUMMARY_ONLY):
                    yield _trec_line(name, topic, value, measure in scores.counts)
        if summary:
            yield _trec_line("runid", ALL_TOPICS, system, False)
            for name, measure in pairs:
                value = plain(scores.summaries[measure][s])
                if value is not None:
                    yield _trec_line(name, ALL_TOPICS, value, measure in scores.counts)


def _trec_line(name: str, topic: str, value: float | str, count: bool) -> str:
    if isinstance(value, str):
        text = value if name == "runid" else f"'{value}'"
    else:
        text = f"{value:.0f}" if count else f"{value:6.4f}"
    return f"{name:<22}\t{topic}\t{text}\n"
