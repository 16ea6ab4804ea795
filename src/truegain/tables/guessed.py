"""Which columns of a table are likely the topic, the document and the label or score, so that a refusal can say so."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from truegain.tables.header import Role, told
from truegain.tables.raw import number_of, our_name, plain_name
from truegain.tables.separated import first_line, separator_of
from truegain.tables.sources import shown_path

LOOKED_AT = 50  # rows
LONG = 60  # characters of a cell that is no id
NAME = "NAME"
NEEDED: dict[Role, tuple[str, ...]] = {
    "judgments": ("topic", "doc", "label"),
    "gold": ("topic", "doc", "label"),
    "runs": ("topic", "doc", "score"),
}
STEMS = {
    "topic": ("topic", "query", "question", "qid"),
    "doc": ("doc", "page", "passage", "url", "chunk", "corpus", "item", "pid"),
    "assessor": ("assessor", "worker", "judge", "rater", "annotator", "user", "coder"),
    "label": ("label", "relevan", "grade", "rating", "judg", "score", "value", "answer"),
    "score": ("score", "sim", "weight", "value"),
}
_UNNAMED: dict[tuple[Role, int], str] = {  # lines without names, by how many columns there are
    ("judgments", 3): "topic,doc,label",
    ("judgments", 4): "topic,-,doc,label",
    ("runs", 3): "topic,doc,score",
    ("runs", 4): "topic,doc,-,score",
    ("runs", 6): "topic,-,doc,-,score,-",
}


def guessed(
    names: Sequence[str], columns: Sequence[Sequence[Any]], role: Role, found: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """The columns that are likely what a file of its role lacks, by our names; 'NAME' where none is likely.

    columns: their first cells.  found: by our names the columns, in small letters, that are known already.

    >>> cells = [["what is ir", "what is rank"], ["q1", "q2"], ["d1", "d2"], ["2", "0"]]
    >>> guessed(["frage", "frage_nr", "absatz", "note"], cells, "judgments", {})
    {'topic': 'frage_nr', 'doc': 'absatz', 'label': 'note'}
    """
    cells = dict(zip(names, columns, strict=True))
    taken = {name for some in found.values() for name in some}
    free = [name for name in names if name.strip().lower() not in taken]
    needed = [ours for ours in NEEDED[role] if not found.get(ours)]
    chosen: dict[str, str] = {}
    for ours in sorted(needed, key=lambda o: o in ("topic", "doc")):  # the number first: ids may be numbers, too
        likely = sorted(
            (name for name in free if _may_be(ours, cells[name])), key=lambda name: _unlikely(ours, name, cells[name])
        )
        if likely:
            best = likely[0]
            if ours in ("label", "score") and not _like(ours, best):
                best = likely[-1]  # it stands behind the ids
            if ours in ("label", "score") and len(free) <= len([o for o in needed if o not in chosen]) - 1:
                continue
            chosen[ours] = best
            free.remove(best)
    return {ours: chosen.get(ours, NAME) for ours in needed}


def option_for(role: Role, names: Sequence[str], columns: Sequence[Sequence[Any]], found: Mapping[str, Any]) -> str:
    """What `columns` should say for a table with named columns to be read."""
    return told().option(role, {o: t.strip() for o, t in guessed(names, columns, role, found).items()})


def option_for_text(text: bytes, role: Role, file: str) -> str | None:
    """What `columns` should say for a text of cells, with or without a line of names; None where that is not seen."""
    own = told().judgments
    if role == "judgments" and own is not None and shown_path(own) != file:
        role = "gold"
    first = first_line(text)
    separator = "\t" if "\t" in first else separator_of(first)
    lines = text[:65536].decode(errors="replace").splitlines()
    rows = [row for row in islice(csv.reader(filter(None, lines), delimiter=separator), LOOKED_AT + 1) if row]
    width = len(rows[0]) if rows else 0
    if width < 2 or any(len(row) != width for row in rows[:-1]):  # the last may be cut
        return None
    body = [row for row in rows[1:] if len(row) == width]
    if any(number_of(cell) is not None for cell in rows[0]) or not body:
        return _unnamed([row for row in rows if len(row) == width], role, width)
    names = [name.strip() for name in rows[0]]
    found: dict[str, list[str]] = {}
    for name in names:
        if (ours := our_name(name)) is not None:
            found.setdefault(ours, []).append(name.lower())
    return option_for(role, names, [*zip(*body, strict=True)], found)


def _unnamed(rows: Sequence[Sequence[str]], role: Role, width: int) -> str | None:
    kind: Role = "runs" if role == "runs" else "judgments"
    names = _UNNAMED.get((kind, width))
    if names is None:
        return None
    value = names.split(",").index("score" if kind == "runs" else "label")
    return told().option(role, names) if all(number_of(row[value]) is not None for row in rows) else None


def _may_be(ours: str, cells: Sequence[Any]) -> bool:
    """Whether cells could be ids, or numbers."""
    there = [cell for cell in cells[:LOOKED_AT] if cell is not None and str(cell).strip()]
    if ours in ("label", "score"):
        return bool(there) and all(number_of(cell) is not None for cell in there)
    return bool(there) and not any(isinstance(cell, float | list | dict) for cell in there)


def _like(ours: str, name: str) -> bool:
    return any(stem in plain_name(name) for stem in STEMS[ours])


def _unlikely(ours: str, name: str, cells: Sequence[Any]) -> tuple[bool, ...]:
    """What speaks against a column, the weightiest first; those alike stay in the order of the file."""
    if ours in ("label", "score"):
        return (not _like(ours, name),)
    texts = [str(cell) for cell in cells[:LOOKED_AT]]
    prose = any(len(text) > LONG or " " in text.strip() for text in texts)
    others = any(_like(o, name) for o in ("topic", "doc", "label", "score") if o != ours)
    return prose, not _like(ours, name), others, not plain_name(name).endswith(("id", "key", "nr", "no", "number"))
