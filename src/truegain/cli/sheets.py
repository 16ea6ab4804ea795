"""Sheets that people fill in: the texts that they read, and what stands in the key instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from truegain.errors import some
from truegain.io.files import shown_path
from truegain.io.named_tables import harmless
from truegain.io.warnings import warn
from truegain.results.base import Table
from truegain.results.table import Cell

Questions = Annotated[
    str | None,
    typer.Option("--questions", help="Texts of the topics, for people to read: JSONL, CSV, TSV or TREC topics."),
]
Docs = Annotated[
    str | None, typer.Option("--docs", help="Texts of the documents, for people to read: JSONL (as BEIR), CSV or TSV.")
]


def texts_of(
    topics: Sequence[str], docs: Sequence[str], questions: str | None, passages: str | None
) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """By topic its question, by document its passage; None where no file was given."""
    from truegain.judging.study.files import read_documents, read_topics, refuse

    faults: list[str] = []
    asked = shown = None
    if questions is not None:
        rows = [row.topic for row in read_topics(questions, faults)]
        asked = {t.id: "\n".join(filter(None, [t.title, t.text])) for t in rows}
        _tell(asked, topics, questions, "questions")
    if passages is not None:
        found = read_documents(passages, faults, set(docs))
        shown = {d.id: "\n".join(filter(None, [d.title, d.text])) for d in found.values()}
        _tell(shown, docs, passages, "documents")
    refuse(faults)
    return asked, shown


def _tell(known: Mapping[str, str], wanted: Iterable[str], file: str, what: str) -> None:
    ids = list(dict.fromkeys(wanted))
    if lost := [i for i in ids if not known.get(i)]:
        of = f"{len(lost):,} of {len(ids):,} {what} are missing ({some(lost)})"
        warn(f"{shown_path(file)}: {of}; their cells are empty")


def said_of_texts(questions: object, docs: object, then: str = "people look them up by their ids") -> str:
    """What a sheet lacks; nothing where it has the texts."""
    lacking = {"--questions": questions, "--docs": docs}
    options = " and ".join(option for option, file in lacking.items() if file is None)
    what = {"--questions": "questions", "--docs": "passages", "--questions and --docs": "questions and passages"}
    return f" It has no texts of {what[options]}: give them with {options}; without them, {then}." if options else ""


def with_texts(table: Table, questions: str | None, docs: str | None) -> Table:
    """A table of topics and documents with their texts beside them."""
    at = {name: table.columns.index(name) for name in ("topic", "doc")}
    ids = {name: [str(row[i]) for row in table.rows] for name, i in at.items()}
    asked, shown = texts_of(ids["topic"], ids["doc"], questions, docs)
    added = [(o, text, known) for o, text, known in (("topic", "question", asked), ("doc", "passage", shown)) if known]
    columns: list[str] = []
    cells: list[list[Cell]] = []
    for i, name in enumerate(table.columns):
        columns.append(name)
        cells.append([row[i] for row in table.rows])
        for ours, text, known in added:
            if name == ours:
                columns.append(text)
                cells.append([harmless(known.get(x, "")) for x in ids[ours]])
    return replace(table, columns=tuple(columns), rows=[*zip(*cells, strict=True)])
