"""Results on the screen and in files: a table for people, trec_eval's lines, rows for programs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Annotated, Any, Literal

import typer

from truegain.cli.options import ByTopic, Figure, Output, OutputFormat, advanced, changed
from truegain.cli.streams import in_words, seen_by_who_looks
from truegain.data.scores import ALL_TOPICS, COLUMNS, Scores, plain
from truegain.errors import InputError, TruegainError
from truegain.io.file_options import file_options
from truegain.io.files import expand, is_folder, pieces_of, saved_parts, shown_path, write_bytes, write_pieces
from truegain.io.formats import ending, kind_of
from truegain.io.memory import head_of, limit_of, topics_about, unpacked_size
from truegain.io.overwrite import digest_of, fetched_digest, inputs_given, is_file
from truegain.io.plain_text import in_bytes
from truegain.message import Message, option
from truegain.results.base import Table
from truegain.results.formats import ENDINGS, PAPER, separated
from truegain.results.formats import Format as TableFormat
from truegain.results.table import Renamed

# ---- Options that say how a table of systems by measures looks, the same for every command that writes one.


NewNames = Annotated[str | None, advanced("--names", help="File of two columns: a system, and its name in the output.")]
StripPrefix = Annotated[str, advanced("--strip-prefix", help="Prefix to remove from the names of systems.")]


@dataclass(frozen=True, kw_only=True)
class Writing(Renamed):
    """How a table of systems by measures is written."""

    wide: Annotated[
        bool,
        typer.Option("--wide", help="One row per system, one column per measure (always so in latex, markdown, html)."),
    ] = False
    names: NewNames = None
    strip_prefix: StripPrefix = ""
    digits: Annotated[int | None, typer.Option("--digits", help="Decimals (default: 4).")] = None
    percent: Annotated[bool, typer.Option("--percent", help="Scores times 100, with two decimals fewer.")] = False
    caption: Annotated[str | None, advanced("--caption", help="Caption (default: what was done).")] = None
    label: Annotated[str | None, advanced("--label", help="LaTeX label; '' prints the tabular alone.")] = None

    def is_wide(self, chosen: str, *, else_shown: bool = False) -> bool:
        """Whether systems by measures are written: asked for, or in a paper's format where nothing else is shown."""
        wide = self.wide or (chosen in PAPER and not else_shown)
        looks = changed(self, leave_out=("wide", "names", "strip_prefix"))
        if not wide and looks:
            raise TruegainError(
                f"{', '.join(map(option, looks.values()))}: this applies to tables of systems by measures; give "
                f"{option('--wide')}, or {option('--format')} {', '.join(PAPER)}"
            )
        return wide

    @property
    def style(self) -> dict[str, Any]:
        """What `paper` takes; systems have their names already."""
        words = {"digits": self.digits, "percent": self.percent, "caption": self.caption, "label": self.label}
        return {name: value for name, value in words.items() if value is not None}

    def baseline(self, name: str | None) -> str | None:
        """A baseline by the name that it has, whether it was given by the old one or the new one."""
        return None if name is None else self.called(name)


# ---- Where tables and figures go, the same for every command that prints them.


@dataclass(frozen=True, kw_only=True)
class TableOutput:
    """Where a table goes, and in which format."""

    output_format: OutputFormat = None
    output: Output = "-"

    @property
    def format(self) -> TableFormat:
        """The format that was chosen, or that the ending of the file says."""
        return table_format_of(self.output_format, self.output)

    def write(self, table: Table) -> None:
        """Print a table."""
        write_table(table, self.output_format, self.output)

    def write_texts(self, tables: Iterable[object]) -> None:
        """Print several tables for people, below each other."""
        write_bytes(self.output, ("\n\n".join(map(str, tables)) + "\n").encode())


@dataclass(frozen=True, kw_only=True)
class FigureOutput(TableOutput):
    """Where a table and its figure go."""

    figure: Figure = None

    def __post_init__(self) -> None:
        if self.figure is not None:
            from truegain.report.charts import check_ending

            check_ending(self.figure)  # now, not when the work is done

    def draw(self, chart: Callable[[], Any]) -> None:
        """Save the figure, where one is asked for."""
        if self.figure is not None:
            from truegain.report.charts import save

            save(chart(), self.figure)


# ---- Scores on the screen and in files: a table for people, trec_eval's lines, rows for programs.

Format = Literal["table", "trec", "csv", "tsv", "json", "jsonl", "parquet", "latex", "markdown", "html"]
PROGRAMS = ("csv", "tsv", "json", "jsonl", "parquet")
AT_A_TIME = ("trec", "csv", "tsv", "jsonl")  # written some rows at a time
TREC = ".trec"
AT_ONCE = 50_000  # rows written together
HELD = 500  # bytes that a row takes where all are held
LINE = 8  # bytes of the shortest line of judgments
SURE = 0.8  # topics that there are at least, of those that a guess finds
_IN_SUMMARY_ONLY = ("NumQ", "GMAP", "GMBpref")


@dataclass(frozen=True, kw_only=True)
class ScoresPrinting:
    """How scores are printed."""

    by_topic: ByTopic = False
    no_summary: Annotated[bool, advanced("-n", "--no-summary", help="Leave out the means.")] = False
    sort: Annotated[str | None, typer.Option("--sort", help="Measure to sort systems by, best first.")] = None
    output_format: Annotated[
        Format | None, typer.Option("--format", help="Output format (default: table, or by the ending of --output).")
    ] = None
    output: Output = "-"


def format_of(chosen: Format | None, output: str) -> Format:
    """The format of scores that was chosen, or that the ending of the file says."""
    if chosen is not None:
        return chosen
    return "trec" if ending(output) == TREC else table_format_of(None, output, (TREC, *ENDINGS))


def table_format_of(chosen: TableFormat | None, output: str, endings: Sequence[str] = tuple(ENDINGS)) -> TableFormat:
    """The format of a table that was chosen, or that the ending of the file says.

    Without an ending, and to standard output, it is the table for people; an unknown ending is an error.

    >>> table_format_of(None, "scores.tex.gz"), table_format_of(None, "-")
    ('latex', 'table')
    """
    last = ending(output)
    if chosen is not None or not last:
        return chosen or "table"
    if last not in ENDINGS:
        raise InputError(
            f"unknown format for the ending {ending(shown_path(output)) or last.partition('?')[0]}",
            file=shown_path(output),
            hint=f"end the name in {', '.join(endings)}, each also with .gz, .bz2, .xz or .zst, or give "
            f"{option('--format')}",
        )
    return ENDINGS[last]


def write_table(table: Table, chosen: TableFormat | None, output: str) -> None:
    """Print a table in a format, to a file or to standard output."""
    format_ = table_format_of(chosen, output)
    if format_ == "json" and table.provenance and "inputs" not in table.provenance:
        files = expand(name for name in inputs_given() if is_file(name) or is_folder(name))
        table = replace(table, provenance={**table.provenance, "inputs": digests(files)}) if files else table
    write_bytes(output, in_commands(table).render(format_))


def in_commands(table: Table) -> Table:
    """A table whose notes are in the words of the command that runs."""
    return replace(table, notes=tuple(map(in_words, table.notes)))


def write_json(whole: object, output: str) -> None:
    """Print an object as JSON, to a file or to standard output; messages in it name options."""
    write_bytes(output, _json(_in_words(whole)).encode(errors="backslashreplace"))


def _in_words(whole: object) -> object:
    """An object whose messages are in the words of the command."""
    if isinstance(whole, Mapping):
        return {name: _in_words(value) for name, value in whole.items()}
    if isinstance(whole, list | tuple):
        return [_in_words(value) for value in whole]
    return in_words(whole) if isinstance(whole, Message) else whole


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
    scores = replace(scores, caveats=tuple(map(in_words, scores.caveats)))
    if not topics and not summary:
        raise TruegainError("-n leaves nothing to print; give -q for the topics as well")
    if chosen != "trec" and check_wide(chosen, writing, topics=topics, summary=summary):
        table = scores.table() if chosen in PROGRAMS else scores.paper(**writing.style)
        provenance = {**scores.provenance, "inputs": digests(inputs)} if chosen == "json" else scores.provenance
        write_bytes(output, replace(table, provenance=provenance).render(chosen))
        return
    rows = scores.rows(topics, summary)
    if chosen == "trec":
        _write_lines(output, _trec_lines(scores, names, topics, summary, output), "".join)
    elif chosen == "csv" or chosen == "tsv":
        separator = "," if chosen == "csv" else "\t"
        _write_lines(output, chain([COLUMNS], rows), lambda batch: separated(batch[0], batch[1:], separator))
    elif chosen == "jsonl":
        records = (json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)
        _write_lines(output, records, "".join)
    else:
        _check_rows(len(scores.topics) * len(scores.systems) * len(scores.measures) if topics else 0, chosen)
        write_bytes(output, _whole(scores, chosen, topics, summary, inputs))


def _whole(scores: Scores, chosen: TableFormat, topics: bool, summary: bool, inputs: Sequence[str]) -> bytes:
    """Scores in a format that is made of all of them at once."""
    if chosen == "parquet":
        stream = io.BytesIO()
        scores.frame(topics, summary).write_parquet(stream)
        return stream.getvalue()
    if chosen == "json":
        records = [dict(zip(COLUMNS, row, strict=True)) for row in scores.rows(topics, summary)]
        provenance = {**scores.provenance, "inputs": digests(inputs)}
        notes = {"notes": list(scores.caveats)} if scores.caveats else {}
        bounds = {"bounds": scores.bound_rows()} if scores.bounds else {}
        return _json({"provenance": provenance, **notes, "scores": records, **bounds}).encode()
    return scores.table(topics, summary).render(chosen)


def _write_lines(output: str, rows: Iterable[Any], text: Callable[[list[Any]], str]) -> None:
    """Write rows that may be more than memory holds, so many at a time as `text` is given."""
    left = iter(rows)
    write_pieces(output, (text(batch).encode() for batch in iter(lambda: list(islice(left, AT_ONCE)), [])))


def check_topics(judgments: object, chosen: str, systems: int, measures: int) -> None:
    """Refuse formats that are made of all rows at once before anything is read, where topics are surely too many."""
    if chosen in AT_A_TIME or not isinstance(judgments, str):
        return
    lines = unpacked_size(judgments) // LINE  # at most, and no more topics
    if HELD * systems * measures * lines > limit_of(None, 1.0):
        head = head_of(judgments)
        # how they begin tells the rest
        if not file_options().judgments_header and kind_of(head, shown_path(judgments)) is None:
            topics = topics_about(head, unpacked_size(judgments))
            _check_rows(int(SURE * topics) * systems * measures, chosen)


def _check_rows(rows: int, chosen: str) -> None:
    """Refuse formats that are made of all rows at once where these do not fit into memory."""
    need = HELD * rows
    if need > (limit := limit_of(None, 1.0)):
        raise InputError(
            f"-q as {chosen} takes about {in_bytes(need)} of memory, and the limit is {in_bytes(limit)}",
            hint=f"use {option('--format')} csv, tsv, jsonl or trec, which are written line by line, or give "
            f"{option('--memory')}",
        )


def check_wide(chosen: Format, writing: Writing, *, topics: bool, summary: bool) -> bool:
    """Whether systems by measures are written: asked for, or in a paper's format; refused where topics are printed."""
    wide = writing.is_wide(chosen, else_shown=topics or not summary)
    if wide and chosen == "trec":
        raise TruegainError(
            f"{option('--wide')}: trec_eval's lines have one measure each; choose another {option('--format')}"
        )
    if wide and (topics or not summary):
        raise TruegainError(f"{option('--wide')} shows means, systems by measures; leave out -q and -n")
    return wide


def digests(inputs: Iterable[str]) -> dict[str, str | None]:
    """What was read, by name, with the digest of each file's unpacked bytes; None for what can be read only once."""
    return {
        shown_path(name): fetched_digest(name) or (digest_of(name, pieces_of(name)) if is_file(name) else None)
        for given in inputs
        for name in saved_parts(given) or [given]
    }


def _json(whole: object) -> str:
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _trec_lines(scores: Scores, names: Sequence[str], topics: bool, summary: bool, output: str) -> Iterator[str]:
    """trec_eval's own lines, run after run, under the names the measures were asked for by."""
    pairs = [(name, scores.aliases[name]) for name in names]  # several names may stand for one measure
    for s, system in enumerate(scores.systems):
        for t, topic in enumerate(scores.topics if topics else ()):
            for name, measure in pairs:
                value = plain(scores.values[measure][s, t])
                if value is not None and not measure.startswith(_IN_SUMMARY_ONLY):
                    yield _trec_line(name, seen_by_who_looks(topic, output), value, measure in scores.counts)
        if summary:
            yield _trec_line("runid", ALL_TOPICS, seen_by_who_looks(system, output), False)
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
