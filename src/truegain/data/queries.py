"""Queries: the text of each topic, from files, frames, dicts and datasets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from truegain.errors import InputError, an, some
from truegain.io.columns import COLUMNS, Places, RawTable, plain_name
from truegain.io.files import PathLike, read_bytes, shown_path
from truegain.io.formats import marked, read, read_shards, shards_in
from truegain.io.frames import Frame, TableLike, is_frame, opened
from truegain.io.named_tables import is_missing
from truegain.io.python_tables import an_id
from truegain.io.remote import DatasetLike, is_dataset, is_irds, rows_of
from truegain.io.table_format import first_line

QUERY_ID = (*(name for name in COLUMNS["topic"] if name != "query"), "_id", "id", "number", "num")
QUERY_TEXT = ("query", "text", "query_text", "title", "question", "description", "desc")  # the first that is there
LINES = "write lines such as 301<tab>organized crime"
_TOP = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_PART = re.compile(r"<(num|title|desc)>(.*?)(?=<(?:/?\w+)>|\Z)", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"\A\s*(?:number|topic|description)\s*:", re.IGNORECASE)

QueriesLike = TableLike | Mapping[str, str] | Iterable[tuple[str, str]] | DatasetLike


def read_queries(data: QueriesLike) -> dict[str, str]:
    r"""Read queries: the text of each topic.

    A file holds lines of a topic, a tab and a text; a table with named columns (CSV, TSV, JSONL, Parquet, Arrow), such
    as BEIR's queries.jsonl; ``{topic: text}`` as JSON; or topics as TREC has them, of which the title is taken.

    Parameters
    ----------
    data : path-like, frame, mapping, pairs, or dataset of ir_datasets or PyTerrier
        The queries; 'irds:NAME' names a dataset of ir_datasets.

    Returns
    -------
    dict of str to str
        The text of each topic, in the order given.

    Examples
    --------
    >>> read_queries({"301": "organized crime"})
    {'301': 'organized crime'}
    """
    if isinstance(data, str | os.PathLike):
        return _of_dataset(data, str(data)) if is_irds(data) else _of_file(data)
    if is_frame(data):
        return _of_table(opened(data), "queries")
    if is_dataset(data):
        return _of_dataset(data, "queries")
    if isinstance(data, Mapping):
        return _checked(list(data), list(data.values()), "queries")
    pairs = list(data) if isinstance(data, Iterable) else []
    if not pairs or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise InputError(
            f"cannot read {an(data)} as queries", hint="give a path, irds:NAME, a frame, or a dict {topic: text}"
        )
    return _checked([topic for topic, _ in pairs], [text for _, text in pairs], "queries")


def _of_dataset(data: object, what: str) -> dict[str, str]:
    rows: Any = rows_of(data, "queries", what)
    if is_frame(rows):
        return _of_table(opened(rows), what)
    return _checked([row.query_id for row in rows], list(map(_text_of, rows)), what)


def _text_of(row: Any) -> str:
    """The text of a query of ir_datasets: what it calls the default, or the first field that we know."""
    if callable(getattr(row, "default_text", None)):
        return str(row.default_text())
    return str(next((getattr(row, name) for name in QUERY_TEXT if getattr(row, name, None)), ""))


def _of_file(path: PathLike) -> dict[str, str]:
    file = shown_path(path)
    if shards := shards_in(path):
        return _of_table(read_shards(shards), file)
    text, kind = marked(read_bytes(path), file)
    if kind is not None:
        return _of_table(read(text, kind, file), file)
    first = first_line(text)
    if first.startswith(("[", "{")):
        return _of_json(text, file, "json" if first.startswith("[") else "jsonl")
    if first.lower().startswith("<"):
        return _of_trec(text.decode(), file)
    for kind, separator in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        names = [plain_name(name.strip('"')) for name in first.split(separator)]
        if _first_of(QUERY_ID, names) is not None and _first_of(QUERY_TEXT, names) is not None:
            return _of_table(read(text, kind, file), file)
    return _of_lines(text.decode(), file)


def _of_json(text: bytes, file: str, kind: str) -> dict[str, str]:
    """A list of objects, an object a line, or one object {topic: text}."""
    import json

    if kind == "jsonl":
        try:
            whole = json.loads(text)
        except ValueError:
            whole = None
        if isinstance(whole, dict) and not set(map(plain_name, whole)) & {*QUERY_ID, *QUERY_TEXT}:
            return _checked(list(whole), list(whole.values()), file)
    return _of_table(read(text, kind, file), file)


def _of_trec(text: str, file: str) -> dict[str, str]:
    """Topics as TREC has them: <top> <num> <title> <desc>; the title, or the description where it is empty."""
    topics, texts = [], []
    for match in _TOP.finditer(text):
        parts = {m[1].lower(): " ".join(_LABEL.sub("", m[2]).split()) for m in _PART.finditer(match[1])}
        topics.append(parts.get("num", ""))
        texts.append(parts.get("title") or parts.get("desc", ""))
    return _checked(topics, texts, file)


def _of_lines(text: str, file: str) -> dict[str, str]:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    pairs = []
    for number, line in lines:
        topic, _, query = (part.strip() for part in line.partition("\t"))
        if not topic or not query:
            raise InputError("not a topic, a tab and a query", file=file, line=number, hint=LINES)
        pairs.append((topic, query))
    places = [number for number, _ in lines]
    return _checked([topic for topic, _ in pairs], [query for _, query in pairs], file, places)


def _of_table(table: RawTable | Frame, file: str) -> dict[str, str]:
    """Queries from named columns."""
    names = [plain_name(name) for name in table.columns]
    topic, text = _first_of(QUERY_ID, names), _first_of(QUERY_TEXT, names)
    if topic is None or text is None:
        lacks = "an id" if topic is None else "a text"
        known = QUERY_ID[:4] if topic is None else QUERY_TEXT[:4]
        raise InputError(
            f"the queries have no column with {lacks}; their columns: {some(list(table.columns), 8)}", file=file,
            hint=f"name it {', '.join(known[:-1])} or {known[-1]}",
        )  # fmt: skip
    places: Places | None = getattr(table, "places", None)
    lines = places.number.tolist() if places is not None else None
    return _checked(table.column(topic), table.column(text), file, lines)


def _first_of(known: Sequence[str], names: Sequence[str]) -> int | None:
    """The place of the column that has the first of the names that we know."""
    return next((names.index(name) for name in known if name in names), None)


def _checked(
    topics: Sequence[object], texts: Sequence[object], file: str, lines: Sequence[int] | None = None
) -> dict[str, str]:
    """The queries, none without an id or a text, none twice."""
    queries: dict[str, str] = {}
    for row, (topic, text) in enumerate(zip(topics, texts, strict=True)):
        where: dict[str, Any] = {"row": row + 1} if lines is None else {"line": lines[row]}
        name = "" if is_missing(topic) else an_id(topic, "topic", file).strip()
        if not name:
            raise InputError("a query without an id", file=file, **where, hint="give every query an id")
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"query {name} has no text", file=file, **where, hint="give it a text, or leave it out")
        if name in queries:
            raise InputError(f"query {name} appears twice", file=file, **where, hint="keep one of the two")
        queries[name] = text.strip()
    if not queries:
        raise InputError("there is no query", file=file, hint=LINES)
    return queries
