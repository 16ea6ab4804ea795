"""Writing judgments and runs, so that reading them back gives the same and writing that again the same bytes."""

from __future__ import annotations

import io
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from truegain.data.judgments import MARK, NO_SUBTOPIC, Judgments, JudgmentsLike
from truegain.data.run import Run, joined_columns, ordered_columns
from truegain.data.runs import Runs, RunsLike
from truegain.errors import InputError, needs, warn, why
from truegain.io.files import STANDARD_INPUT, PathLike, shown_path, write_bytes
from truegain.io.formats import ending, kind_of
from truegain.io.frames import frame_of
from truegain.io.named_tables import harmless, is_missing
from truegain.io.plain_text import plain_text

_KINDS: dict[str, str] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_LINES = ("", ".qrels", ".run", ".txt", ".trec", ".res")  # endings of TREC lines
_BLANK = re.compile("[\t\n\v\f\r \0]")
_ELSEWHERE = "write CSV instead: give a path that ends in .csv"
ID_COLUMNS = ("topic", "doc", "subtopic", "assessor", "system")
Table = Mapping[str, Any]


def write_judgments(judgments: JudgmentsLike, path: PathLike) -> None:
    r"""Write judgments as TREC lines, or as CSV, TSV, JSONL or Parquet where the path ends so.

    TREC lines hold topic, subtopic, document and label; what else is known needs one of the other formats.  Gains (of
    `aggregate`) stand in a column 'gain', so that reading tells them from levels.  Labels that `next_to_judge` chose
    stand last, below a comment that says so, or have 'next' in a column 'chosen'.

    Parameters
    ----------
    judgments : what `read_judgments` takes
        The labels.
    path : str or path-like
        TREC lines have no ending, or .qrels, .run, .txt, .trec or .res.  The path may end further in .gz, .bz2, .xz or
        .zst; '-' is standard output.  The file appears whole or not at all.

    Examples
    --------
    >>> import pathlib, tempfile, truegain as tg
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> tg.write_judgments({"1": {"a": 2, "b": 0}}, path)
    >>> path.read_text()
    '1 0 a 2\n1 0 b 0\n'
    """
    table = Judgments.of(judgments)
    kind = kind_to_write(path)
    if kind is None:
        write_bytes(path, _qrels(table))
        if table.are_gains:
            warn(
                "TREC qrels cannot say that these labels are gains; ERR, nERR, EBR and iRBU would read them as grades: "
                "end the path in .csv, .tsv, .jsonl or .parquet, or score with nERR(max_rel='topic',rule='gain')"
            )
    else:
        write_bytes(path, table_bytes(_as_read_back(_judgment_columns(table), kind), kind, os.fspath(path)))


def write_runs(runs: RunsLike, path: PathLike) -> None:
    r"""Write runs in evaluation order, with ranks from 1 and scores as given.

    Parameters
    ----------
    runs : what `read_runs` takes
        What each system retrieved.
    path : str or path-like
        A folder (one that exists, a path that ends in '/', or a path without ending for several systems) gets one file
        of TREC lines for each system, named after it.  A path that ends in .csv, .tsv, .jsonl or .parquet gets all
        systems in one table.  One without an extension, or with .qrels, .run, .txt, .trec or .res, gets the lines of
        one system, whose name is the run tag.

    Examples
    --------
    >>> import pathlib, tempfile, truegain as tg
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bm25.run"
    >>> tg.write_runs({"bm25": {"1": {"a": 2.0, "b": 0.5}}}, path)
    >>> path.read_text()
    '1 Q0 a 1 2.0 bm25\n1 Q0 b 2 0.5 bm25\n'
    """
    table = Runs.of(runs)
    if _is_folder(path, len(table.parts)):
        _write_folder(table, Path(path))
    elif (kind := kind_to_write(path)) is not None:
        columns = joined_columns([ordered_columns(part) for part in table.parts])
        write_bytes(path, table_bytes(_as_read_back(columns, kind), kind, os.fspath(path)))
    elif len(table.parts) > 1:
        raise InputError(
            f"a TREC file contains one system, and there are {len(table.parts)}",
            file=os.fspath(path),
            hint="give a folder (end the path in '/'), or a path that ends in .csv, .jsonl or .parquet",
        )
    else:
        write_bytes(path, _run_lines(table.parts[0]))


def kind_to_write(path: PathLike) -> str | None:
    """The kind of table that the ending of a path names, None for TREC lines; an unknown ending is an error."""
    last = ending(os.fspath(path))
    if last not in (*_KINDS, *_LINES):
        raise InputError(
            f"judgments and runs cannot be written as {last}",
            file=shown_path(path),
            hint=f"end the path in {', '.join(_KINDS)}; without an extension, or with {', '.join(_LINES[1:])}, it "
            "holds TREC lines",
        )
    if last == ".parquet":
        needs("polars", "frames")  # now, not when the work is done
    return _KINDS.get(last)


def _is_folder(path: PathLike, systems: int) -> bool:
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        return False
    bare = systems > 1 and not Path(name).suffix
    return name.endswith(("/", os.sep)) or os.path.isdir(name) or bare  # noqa: PTH112  Path.is_dir fails on long names


def _write_folder(runs: Runs, folder: Path) -> None:
    for part in runs.parts:
        name = part.system
        if not name or name.startswith(".") or any(c in name for c in "/\\\0"):
            raise InputError(
                f"the system name {name!r} cannot be a file name",
                file=str(folder),
                hint="rename the system, or " + _ELSEWHERE,
            )
    texts = [_run_lines(part) for part in runs.parts]  # all are checked before the first is written
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot be made a folder: {why(error)}", file=shown_path(folder), hint="name another folder"
        ) from None
    for part, text in zip(runs.parts, texts, strict=True):
        write_bytes(folder / f"{part.system}.run", text)


# ---------------------------------------------------------------------- TREC lines


def _qrels(judgments: Judgments) -> bytes:
    if judgments.assessor is not None:
        raise InputError("TREC lines have no place for the assessor of a label", file=judgments.source, hint=_ELSEWHERE)
    topics, subtopics, docs = judgments.topic.strings(), judgments.subtopic.strings(), judgments.docs.strings()
    _check_topics(judgments.topic.values)
    _check_ids(judgments.subtopic.values, "subtopic")
    _check_ids(docs, "document")
    labels = map(whole, judgments.label.tolist())
    rows = zip(topics, subtopics, docs, labels, strict=True)
    lines = [f"{t} {s} {d} {label}\n" for t, s, d, label in rows]
    if not (chosen := judgments.chosen_rows).any():
        return _lines(lines)
    chosen_lines = [line for line, mark in zip(lines, chosen, strict=True) if mark]
    return _lines([*(line for line, mark in zip(lines, chosen, strict=True) if not mark), MARK, *chosen_lines])


def _run_lines(run: Run) -> bytes:
    _check_topics(run.topic.values)
    _check_ids([run.system], "system name")
    columns = ordered_columns(run)
    _check_ids(columns["doc"], "document")
    rows = zip(columns["topic"], columns["doc"], columns["rank"].tolist(), columns["score"].tolist(), strict=True)
    return _lines(f"{t} Q0 {d} {rank} {score!r} {run.system}\n" for t, d, rank, score in rows)


def _lines(lines: Iterable[str]) -> bytes:
    """The lines as bytes, if they would be read as TREC lines again and not as something else."""
    text = "".join(lines).encode()
    try:
        plain = plain_text(text, "") == text and kind_of(text, "") is None
    except InputError:
        plain = False
    if not plain:
        first = text[:1000].split(b"\n", 1)[0].decode(errors="replace")
        raise InputError("the first line would not be read as a TREC line", text=first, hint=_ELSEWHERE)
    return text


def _check_topics(topics: Iterable[str]) -> None:
    _check_ids(topics, "topic")
    for topic in topics:
        if topic.startswith("#"):
            raise InputError(
                f"topic {topic!r} cannot be written as TREC lines: a line that begins with '#' is a comment",
                hint=_ELSEWHERE,
            )


def _check_ids(ids: Iterable[str], what: str) -> None:
    for name in ids:
        if not name or _BLANK.search(name):
            fault = "it contains white space or NUL" if name else "it is empty"
            raise InputError(f"{what} {name!r} cannot be written as TREC lines: {fault}", hint=_ELSEWHERE)


def whole(number: float) -> str:
    """The shortest text that reads back as the same number, without '.0'.

    >>> whole(2.0), whole(0.1), whole(-0.0), whole(1e300)
    ('2', '0.1', '-0', '1e+300')
    """
    return repr(number).removesuffix(".0")


# ---------------------------------------------------------------------- tables


def _judgment_columns(judgments: Judgments) -> Table:
    columns: dict[str, Any] = {"topic": judgments.topic.strings()}
    if judgments.subtopic.values != (NO_SUBTOPIC,):
        columns["subtopic"] = judgments.subtopic.strings()
    columns["doc"] = judgments.docs.strings()
    columns[judgments.label_name] = judgments.label
    if judgments.assessor is not None:
        columns["assessor"] = judgments.assessor.strings()
    return {**columns, **judgments.extra}


def _as_read_back(columns: Table, kind: str) -> Table:
    """Columns whose ids keep a quote of their own: readers of CSV and TSV remove one before what looks like a formula.

    Other ids stay as they are, for other tools to read.
    """
    if kind not in ("csv", "tsv"):
        return columns
    return {
        name: [harmless(x) if x.startswith("'") else x for x in values] if name in ID_COLUMNS else values
        for name, values in columns.items()
    }


def _plain_values(name: str, values: Any) -> list[Any]:
    """Python values; labels that are whole numbers as such, whatever is missing as None."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if name in ("label", "gain"):
        return [_whole_if(v) if isinstance(v, float) else v for v in listed]
    return [None if not isinstance(v, str) and is_missing(v) else v for v in listed]


def _whole_if(v: float) -> float | int:
    return int(v) if v.is_integer() and abs(v) < 2**53 and repr(v) != "-0.0" else v


def table_bytes(columns: Table, kind: str, file: str) -> bytes:
    """Columns as the bytes of a CSV, TSV, JSONL or Parquet file."""
    for name in ID_COLUMNS:
        if "" in columns.get(name, ()):
            raise InputError(f"an empty {name} cannot be written", file=file, hint="give it a name")
    if kind == "parquet":
        return _parquet(columns)
    rows = zip(*(_plain_values(name, values) for name, values in columns.items()), strict=True)
    if kind == "jsonl":
        lines = (json.dumps(dict(zip(columns, map(_json_value, row), strict=True)), ensure_ascii=False) for row in rows)
        return _encoded([f"{line}\n" for line in lines], file)
    separator = "," if kind == "csv" else "\t"
    lines = (separator.join(_cell(value, separator) for value in row) for row in rows)
    return _encoded([f"{line}\n" for line in (separator.join(columns), *lines)], file)


def _encoded(lines: list[str], file: str) -> bytes:
    text = "".join(lines)
    if "\0" in text:
        raise InputError("a NUL character cannot be written as text", file=file, hint="write Parquet or JSONL")
    return text.encode(errors="backslashreplace")


def _parquet(columns: Table) -> bytes:
    stream = io.BytesIO()
    frame_of(columns).write_parquet(stream)
    return stream.getvalue()


def _json_value(value: Any) -> Any:
    """JSON has no infinity: it is written as text, which reads back as the number."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value if value is None or isinstance(value, str | int | float | list | dict) else str(value)


def _cell(value: Any, separator: str) -> str:
    """One field, quoted where a reader could mistake it."""
    if value is None:
        return ""
    text = repr(value) if type(value) is float else str(value)
    if text != text.strip() or any(c in text for c in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text
