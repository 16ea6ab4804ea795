"""Sheets that people fill in: the texts that they read, and what stands in the key instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.errors import InputError, some, warn
from truegain.io.files import shown_path
from truegain.io.named_tables import harmless, is_missing
from truegain.message import option
from truegain.results.base import Table
from truegain.results.table import Cell

if TYPE_CHECKING:
    from truegain.data.label_lists import GoldList

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
    return f" It has no texts of {names}: add them with {options}, or people must look them up by id." if names else ""


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


def check_sheet(path: str, listed: GoldList) -> None:
    """Refuse a sheet of `settle` that is not that of its list: what is wrong, where, and the two ways out."""
    from truegain.data.label_lists import SHEET
    from truegain.io import formats
    from truegain.io.trec import loaded

    anew = "move this file away, and the same command writes an empty sheet"
    columns = f"a sheet keeps the columns {', '.join(SHEET)} as they were written: put back what lacks; or {anew}"
    try:
        text, kind, file = loaded(path)
        table = None if kind in (None, "nested") else formats.read(text, kind, file)
    except InputError as error:
        raise error.with_hint(columns) if error.line == 1 else error from None  # of its header
    if table is None:
        hint = f"give the sheet as it was written; or {anew}"
        raise InputError("this is no table with named columns", file=file, hint=hint)
    names = [str(name).strip().lower() for name in table.columns]
    if lacking := [name for name in SHEET if name not in names]:
        header: dict[str, Any] = {"line": 1, "text": ",".join(map(str, table.columns))}
        where = header if kind in ("csv", "tsv") else {}
        raise InputError(f"there is no column {' and no column '.join(lacking)}", file=file, **where, hint=columns)
    digests = table.column(names.index("digest"))
    if not len(digests):
        raise InputError("this sheet has no rows", file=file, hint=f"give the sheet as it was written; or {anew}")
    for row, digest in enumerate(digests):
        if not is_missing(digest) and str(digest).strip() not in ("", listed.digest):
            where = table.places.of(row) if hasattr(table, "places") else {"row": row + 1}
            raise InputError(
                f"this sheet was drawn for another question: its list is {listed.digest}", file=file, text=str(digest),
                **where, hint=f"name another sheet ({option('--sheet')}), or another folder ({option('--folder')})",
            )  # fmt: skip
