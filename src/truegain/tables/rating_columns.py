"""The columns of a ratings table: how they are separated, which is which, and what to say where one is not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from truegain.errors import InputError
from truegain.message import arg
from truegain.tables import tabular
from truegain.tables.guessed import STEMS
from truegain.tables.named import Columns
from truegain.tables.raw import our_name
from truegain.tables.separated import first_line, separator_of

NEEDED = ("topic", "doc", "assessor", "label")
WANTED = "give a table with the columns topic, doc, assessor and label, separated by commas or tabs"


def kind_of(text: bytes, file: str, renamed: Mapping[str, str]) -> tabular.Kind:
    """Whether a table's columns are separated by commas or by tabs; an error that says what it is where it is none."""
    first = first_line(text)
    if not first:
        raise InputError("the file is empty", file=file, hint=WANTED)
    between = separator_of(first)
    kind: tabular.Kind | None = "tsv" if "\t" in first else "csv" if between in first else None
    named = [n.strip().strip('"').lower() for n in first.split("\t" if kind == "tsv" else between)]
    known = {n for n in named if our_name(n)} | {"task"}
    known |= {part.strip().lower() for theirs in renamed.values() for part in theirs.split("+")}
    if kind is not None and (set(named) & known or not any(map(_is_number, named))):
        return kind
    if kind == "csv":
        hint = (
            "begin the table with a line of column names, such as topic,doc,assessor,label, or give it as "
            f"{arg('columns')}"
        )
        raise InputError("the columns are not named", file=file, line=1, text=first, hint=hint)
    for separator, what in ((None, "blanks"), ("|", "bars")):
        names = [n.strip().strip('"').lower() for n in first.split(separator)]
        if len([n for n in names if n in known or our_name(n)]) > 1:
            raise InputError(
                f"the columns are separated by {what}", file=file, line=1, text=first, hint="separate by commas or tabs"
            )
    if len(first.split()) in (4, 6):
        raise InputError(
            "these are TREC lines, which do not say who rated: there is no assessor", file=file, hint=WANTED
        )
    raise InputError("this is no table of ratings", file=file, line=1, text=first, hint=WANTED)


def _is_number(text: str) -> bool:
    return tabular.number_of(text) is not None


def stripped(table: tabular.RawTable) -> tabular.RawTable:
    """A table without blanks around its cells, as around its headers."""
    return replace(table, values=[[*map(str.strip, column)] for column in table.values])


def written(columns: Columns, name: str) -> str:
    """A column's name as its owner writes it."""
    return columns.written(name)


def require(columns: Columns, needed: Sequence[str]) -> None:
    """Refuse a table that lacks a column, naming the columns that look like it."""
    missing = [name for name in needed if name not in columns]
    if not missing:
        return
    taken = {name for found in columns.found.values() for name in found}
    guesses = {}
    for ours in NEEDED:
        likely = [n for n in columns.names if n not in taken and any(stem in n for stem in STEMS[ours])]
        if ours not in columns and likely:
            guesses[ours] = written(columns, likely[0])
    for ours in missing:
        guesses.setdefault(ours, "NAME")
    pairs = ",".join(f"{ours}={theirs}" for ours, theirs in guesses.items())
    hint = f"name {'it' if len(guesses) == 1 else 'them'}, as in {arg('columns', pairs, of='tg.read_ratings')}"
    if "assessor" in missing and guesses["assessor"] == "NAME":
        hint += "; or give a wide table, with a column an assessor"
    if "topic" in missing and "NAME" in guesses.values():
        hint += f"; where all ratings are of one topic, give it a name with {arg('topic', of='tg.read_ratings')}"
    listed = ", ".join(written(columns, n) for n in columns.names)
    raise InputError(f"there is no {' and no '.join(missing)} among the columns {listed}", file=columns.file, hint=hint)
