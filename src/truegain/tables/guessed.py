"""Which columns of a table are likely the topic, the document and the label or score, so that a refusal can say so."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from truegain.errors import some
from truegain.message import AGGREGATE_FIRST, arg
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
    "label": ("label", "relevan", "grade", "rating", "judg", "score", "value", "answer", "verdict"),
    "score": ("score", "sim", "weight", "value"),
}
RANKS = ("rank", "ranking", "pos", "position", "place", "rang")
# columns of numbers that are no label and no score: by a part of their names, or by the last word of these
NO_VALUE = (
    "confiden", "certain", "token", "cost", "price", "usd", "latenc", "elapsed", "duration", "seconds", "millis",
    "timestamp", "position", "index", "count", "length", "offset", "temperature",
)  # fmt: skip
NO_VALUE_WORDS = (
    *RANKS, "id", "ids", "key", "nr", "no", "number", "num", "time", "ms", "sec", "secs", "second", "idx", "len",
    "order", "row", "line", "page", "date", "year", "seed", "batch", "step", "version", "size",
)  # fmt: skip
LISTED = 5  # columns that a message names
_UNNAMED: dict[tuple[Role, int], str] = {  # lines without names, by how many columns there are
    ("judgments", 3): "topic,doc,label",
    ("judgments", 4): "topic,-,doc,label",
    ("runs", 3): "topic,doc,score",
    ("runs", 4): "topic,doc,-,score",
    ("runs", 6): "topic,-,doc,-,score,-",
}


@dataclass(frozen=True)
class Guess:
    """What `columns` should say for a file to be read, and which columns a NAME in it may stand for."""

    option: str
    among: tuple[str, ...] = ()
    role: Role = "judgments"

    @property
    def of(self) -> str:
        """Whose argument it is in Python."""
        return "tg.read_runs" if self.role == "runs" else "tg.read_judgments"

    def __str__(self) -> str:
        which = some(self.among, LISTED) if len(self.among) > LISTED else " or ".join(self.among)
        return f"{arg('columns', self.option, of=self.of)}{f' with {which} for {NAME}' if which else ''}{self.rated}"

    @property
    def rated(self) -> str:
        """What to do where the columns that may be the label are those of assessors."""
        if not self.among or f"label={NAME}" not in self.option:
            return ""
        way = arg("gold_aggregate", "mean") if self.role == "gold" else AGGREGATE_FIRST
        return f"; if they are {len(self.among)} assessors', make gains of them: {way}"


def guessed(
    names: Sequence[str], columns: Sequence[Sequence[Any]], role: Role, found: Mapping[str, Sequence[str]]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The columns that are likely what a file of its role lacks, by our names; 'NAME' where none is likely.

    A label or a score that could be one of several is not guessed, as the wrong one gives wrong numbers in silence:
    these come second.  Where a run has no score, its ranks do.

    columns: their first cells.  found: by our names the columns, in small letters, that are known already.

    >>> cells = [["what is ir", "what is rank"], ["q1", "q2"], ["d1", "d2"], ["2", "0"], ["0.7", "0.9"]]
    >>> guessed(["frage", "frage_nr", "absatz", "note", "tokens"], cells, "judgments", {})
    ({'topic': 'frage_nr', 'doc': 'absatz', 'label': 'note'}, ())
    >>> guessed(["frage", "frage_nr", "absatz", "note", "sicherheit"], cells, "judgments", {})
    ({'topic': 'frage_nr', 'doc': 'absatz', 'label': 'NAME'}, ('note', 'sicherheit'))
    """
    cells = dict(zip(names, columns, strict=True))
    taken = {name for some in found.values() for name in some}
    free = [name for name in names if name.strip().lower() not in taken]
    needed = [ours for ours in NEEDED[role] if not found.get(ours)]
    value = needed[-1] if needed and needed[-1] in ("label", "score") else ""
    numeric = {n: cells[n] for n in free if _is_numeric(cells[n])}
    could = _values(value, numeric) if value and len(free) >= len(needed) else []
    chosen: dict[str, str] = {}
    if len(could) == 1:
        chosen[value] = could[0]
    for ours in (o for o in needed if o != value):
        left = [name for name in free if name not in chosen.values() and _may_be_ids(cells[name])]
        if left:
            chosen[ours] = min(left, key=lambda name: _unlikely(ours, name, cells[name], name in could))
    among = [name for name in could if name not in chosen.values()]
    if value and value not in chosen and len(among) == 1:
        chosen[value] = among[0]
    ranks = [n for n in free if plain_name(n) in RANKS and _is_numeric(cells[n]) and n not in chosen.values()]
    if value == "score" and not could and len(ranks) == 1:
        needed, chosen["rank"] = [*needed[:-1], "rank"], ranks[0]
    return {ours: chosen.get(ours, NAME) for ours in needed}, tuple(among) if len(among) > 1 else ()


def option_for(role: Role, names: Sequence[str], columns: Sequence[Sequence[Any]], found: Mapping[str, Any]) -> Guess:
    """What `columns` should say for a table with named columns to be read."""
    chosen, among = guessed(names, columns, role, found)
    option = told().option(role, {o: t.strip() for o, t in chosen.items()})
    return Guess(option, tuple(t.strip() for t in among), role)


def option_for_text(text: bytes, role: Role, file: str) -> Guess | None:
    """What `columns` should say for a text of cells, with or without a line of names; None where that is not seen."""
    own = told().judgments
    if role == "judgments" and own is not None and shown_path(own) != file:
        role = "gold"
    first = first_line(text)
    separator = "\t" if "\t" in first else separator_of(first)
    lines = text[:65536].decode(errors="replace").splitlines()
    try:
        rows = [row for row in islice(csv.reader(filter(None, lines), delimiter=separator), LOOKED_AT + 1) if row]
    except csv.Error:  # a field longer than the process reads
        return None
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


def _unnamed(rows: Sequence[Sequence[str]], role: Role, width: int) -> Guess | None:
    kind: Role = "runs" if role == "runs" else "judgments"
    names = _UNNAMED.get((kind, width))
    if names is None:
        return None
    value = names.split(",").index("score" if kind == "runs" else "label")
    return Guess(told().option(role, names)) if all(number_of(row[value]) is not None for row in rows) else None


def is_sensible(name: str) -> bool:
    """Whether a column of numbers may be a label or a score, by its name: not a rank, a cost, a time or an id.

    >>> [is_sensible(name) for name in ("bm25", "rank_score", "pos", "llm_confidence", "Prompt Tokens", "frage-nr")]
    [True, True, False, False, False, False]
    """
    plain = plain_name(name)
    return not (any(stem in plain for stem in NO_VALUE) or plain.split("_")[-1] in NO_VALUE_WORDS)


def _values(ours: str, numeric: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that may be the label or the score: the one called so, or else all that are not called otherwise.

    Where others have the values of that label, these are likely labels, too: of a table with a column an assessor.
    """
    sensible = [name for name in numeric if is_sensible(name)]
    called = [name for name in sensible if _like(ours, name)]
    if ours == "score" or not called:
        return called or sensible
    known = {number_of(cell) for name in called for cell in _there(numeric[name])}
    alike = [n for n in sensible if n not in called and {number_of(cell) for cell in _there(numeric[n])} <= known]
    return sensible if alike and len(known) > 1 else called


def _there(cells: Sequence[Any]) -> list[Any]:
    return [cell for cell in cells[:LOOKED_AT] if cell is not None and str(cell).strip()]


def _is_numeric(cells: Sequence[Any]) -> bool:
    there = _there(cells)
    return bool(there) and all(number_of(cell) is not None for cell in there)


def _may_be_ids(cells: Sequence[Any]) -> bool:
    there = _there(cells)
    return bool(there) and not any(isinstance(cell, float | list | dict) for cell in there)


def _like(ours: str, name: str) -> bool:
    return any(stem in plain_name(name) for stem in STEMS[ours])


def _unlikely(ours: str, name: str, cells: Sequence[Any], is_value: bool) -> tuple[bool, ...]:
    """What speaks against a column of ids, the weightiest first; those alike stay in the order of the file."""
    texts = [str(cell) for cell in cells[:LOOKED_AT]]
    prose = any(len(text) > LONG or " " in text.strip() for text in texts)
    others = any(_like(o, name) for o in ("topic", "doc", "label", "score") if o != ours)
    ends = plain_name(name).rstrip(".:# _").endswith(("id", "key", "nr", "no", "number"))
    return prose, not _like(ours, name), is_value, others, not ends
