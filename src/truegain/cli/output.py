"""Scores on the screen and in files: a table for people, trec_eval's lines, rows for programs."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import typer

from truegain.cli.options import ByTopic, Output
from truegain.cli.streams import in_words
from truegain.cli.writing import Writing
from truegain.errors import InputError, TruegainError
from truegain.tables.scores import ALL_TOPICS, COLUMNS, Scores, plain
from truegain.tables.sources import read_bytes, shown_path, write_bytes
from truegain.tables.table import ENDINGS, Table, separated
from truegain.tables.table import Format as TableFormat
from truegain.tables.tabular import ending
from truegain.tables.unchanging import digest_of, fetched_digest, is_file

Format = Literal["table", "trec", "csv", "tsv", "json", "jsonl", "parquet", "latex", "markdown", "html"]
PROGRAMS = ("csv", "tsv", "json", "jsonl", "parquet")
TREC = ".trec"
_IN_SUMMARY_ONLY = ("NumQ", "GMAP", "GMBpref")


@dataclass(frozen=True, kw_only=True)
class ScoresPrinting:
    """How scores are printed."""

    by_topic: ByTopic = False
    no_summary: Annotated[bool, typer.Option("-n", "--no-summary", help="Leave out the means.")] = False
    sort: Annotated[str | None, typer.Option("--sort", help="Best system first by this measure.")] = None
    output_format: Annotated[
        Format | None, typer.Option("--format", help="How to print (default table, or by the ending of --output).")
    ] = None
    output: Output = "-"


def format_of(given: Format | None, output: str) -> Format:
    """The format of scores that was asked for, or is told by the ending of the file to write."""
    if given is not None:
        return given
    return "trec" if ending(output) == TREC else table_format_of(None, output, (TREC, *ENDINGS))


def table_format_of(given: TableFormat | None, output: str, known: Sequence[str] = tuple(ENDINGS)) -> TableFormat:
    """The format of a table that was asked for, or is told by the ending of the file to write.

    Without an ending, and to standard output, it is the table for people; an unknown ending is an error.

    >>> table_format_of(None, "scores.tex.gz"), table_format_of(None, "-")
    ('latex', 'table')
    """
    last = ending(output)
    if given is not None or not last:
        return given or "table"
    if last not in ENDINGS:
        raise InputError(
            f"no format is known by the ending {last}",
            file=shown_path(output),
            hint=f"end the name in {', '.join(known)}, each also with .gz, .xz or .zst, or say --format",
        )
    return ENDINGS[last]


def write_table(table: Table, given: TableFormat | None, output: str) -> None:
    """Print a table in a format, to a file or to standard output."""
    said = replace(table, notes=tuple(in_words(note) for note in table.notes))
    write_bytes(output, said.render(table_format_of(given, output)))


def write_json(whole: object, output: str) -> None:
    """Print an object as JSON, to a file or to standard output."""
    write_bytes(output, _json(whole).encode(errors="backslashreplace"))


def write_scores(
    scores: Scores,
    chosen: Format,
    output: str,
    names: Sequence[str],
    *,
    topics: bool,
    summary: bool,
    inputs: Sequence[str],
    writing: Writing,
) -> None:
    """Print scores in a format, to a file or to standard output."""
    if not topics and not summary:
        raise TruegainError("-n leaves nothing to print; give -q for the topics as well")
    if chosen != "trec" and check_wide(chosen, writing, topics=topics, summary=summary):
        table = scores.table() if chosen in PROGRAMS else scores.paper(**writing.style)
        made_by = {**scores.made_by, "inputs": digests(inputs)} if chosen == "json" else scores.made_by
        write_bytes(output, replace(table, made_by=made_by).render(chosen))
        return
    rows = scores.rows(topics, summary)
    if chosen == "parquet":
        stream = io.BytesIO()
        scores.frame(topics, summary).write_parquet(stream)
        write_bytes(output, stream.getvalue())
        return
    if chosen == "trec":
        text = "".join(_trec_lines(scores, names, topics, summary))
    elif chosen == "csv" or chosen == "tsv":
        text = separated(COLUMNS, rows, "," if chosen == "csv" else "\t")
    elif chosen == "json" or chosen == "jsonl":
        records = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        made_by = {**scores.made_by, "inputs": digests(inputs)}
        text = _json_lines(records) if chosen == "jsonl" else _json({"made_by": made_by, "scores": records})
    else:
        write_bytes(output, scores.table(topics, summary).render(chosen))
        return
    write_bytes(output, text.encode())


def check_wide(chosen: Format, writing: Writing, *, topics: bool, summary: bool) -> bool:
    """Whether systems by measures are written: asked for, or in a paper's format; refused where topics are printed."""
    wide = writing.is_wide(chosen, else_shown=topics or not summary)
    if wide and chosen == "trec":
        raise TruegainError("--wide: trec_eval's lines have one measure each; choose another --format")
    if wide and (topics or not summary):
        raise TruegainError("--wide shows means, systems by measures; leave out -q and -n")
    return wide


def digests(inputs: Iterable[str]) -> dict[str, str | None]:
    """What was read, by name, with the digest of each file's unpacked bytes; None for what can be read only once."""
    return {shown_path(name): fetched_digest(name) or _digest(name) for name in inputs}


def _digest(name: str) -> str | None:
    return digest_of(name, read_bytes(name)) if is_file(name) else None


def _json(whole: object) -> str:
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _json_lines(records: Sequence[object]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _trec_lines(scores: Scores, names: Sequence[str], topics: bool, summary: bool) -> Iterator[str]:
    """trec_eval's own lines, run after run, under the names the measures were asked for by."""
    pairs = [(name, scores.asked[name]) for name in names]  # several names may stand for one measure
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
