"""Sheets that people fill in: the texts that they read, and what stands in the key instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from truegain.errors import some, warn
from truegain.io.files import shown_path
from truegain.io.named_tables import harmless
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
    question_of = passage_of = None
    if questions is not None:
        rows = [row.topic for row in read_topics(questions, faults)]
        question_of = {t.id: "\n".join(filter(None, [t.title, t.text])) for t in rows}
        _warn_of_missing(question_of, topics, questions, "questions")
    if passages is not None:
        documents = read_documents(passages, faults, set(docs))
        passage_of = {d.id: "\n".join(filter(None, [d.title, d.text])) for d in documents.values()}
        _warn_of_missing(passage_of, docs, passages, "documents")
    refuse(faults)
    return question_of, passage_of


def _warn_of_missing(texts: Mapping[str, str], needed: Iterable[str], file: str, what: str) -> None:
    ids = list(dict.fromkeys(needed))
    if missing := [i for i in ids if not texts.get(i)]:
        counts = f"{len(missing):,} of {len(ids):,} {what} are missing ({some(missing)})"
        warn(f"{shown_path(file)}: {counts}; their cells are empty")


def missing_texts(questions: object, passages: object) -> str:
    """A note on the texts that a sheet lacks; nothing where it has them."""
    lacking = {"--questions": ("questions", questions), "--docs": ("passages", passages)}
    options = " and ".join(option for option, (_, texts) in lacking.items() if texts is None)
    names = " and ".join(name for name, texts in lacking.values() if texts is None)
    return (
        f" It has no texts of {names}: give them with {options}; without them, people look them up by their ids."
        if names
        else ""
    )


def with_texts(table: Table, questions: str | None, docs: str | None) -> Table:
    """A table of topics and documents with their texts beside them."""
    at = {name: table.columns.index(name) for name in ("topic", "doc")}
    ids = {name: [str(row[i]) for row in table.rows] for name, i in at.items()}
    question_of, passage_of = texts_of(ids["topic"], ids["doc"], questions, docs)
    texts = {"topic": ("question", question_of), "doc": ("passage", passage_of)}
    columns: dict[str, list[Cell]] = {}
    for i, name in enumerate(table.columns):
        columns[name] = [row[i] for row in table.rows]
        title, text_of = texts.get(name, ("", None))
        if text_of:
            columns[title] = [harmless(text_of.get(x, "")) for x in ids[name]]
    return replace(table, columns=tuple(columns), rows=[*zip(*columns.values(), strict=True)])
