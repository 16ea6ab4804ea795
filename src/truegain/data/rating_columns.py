"""The columns of a table of ratings, and its cells as numbers: ratings, seconds and orders."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truegain.errors import InputError, counted, some, warn
from truegain.io import named_tables
from truegain.io.columns import Floats, number_of, our_name, plain_numbers
from truegain.io.file_options import number_of_word
from truegain.io.named_tables import Columns, is_missing
from truegain.io.separated import STEMS, separator_of
from truegain.io.table_format import first_line
from truegain.message import arg

# ---- The columns of a ratings table: how they are separated, which is which, and what to say where one is not
# there.

NEEDED = ("topic", "doc", "assessor", "label")
WANTED = "give a table with the columns topic, doc, assessor and label, separated by commas or tabs"


def kind_of(text: bytes, file: str, renamed: Mapping[str, str]) -> str:
    """Whether a table's columns are separated by commas or by tabs; an error that says what it is where it is none."""
    first = first_line(text)
    if not first:
        raise InputError("the file is empty", file=file, hint=WANTED)
    between = separator_of(first)
    kind: str | None = "tsv" if "\t" in first else "csv" if between in first else None
    named = [n.strip().strip('"').lower() for n in first.split("\t" if kind == "tsv" else between)]
    ours = {n for n in named if our_name(n)} | {"task"}
    ours |= {part.strip().lower() for theirs in renamed.values() for part in theirs.split("+")}
    if kind is not None and (set(named) & ours or all(named_tables.number_of(name) is None for name in named)):
        return kind
    if kind == "csv":
        hint = f"begin the table with a header, such as topic,doc,assessor,label, or give the names as {arg('columns')}"
        raise InputError("the columns are not named", file=file, line=1, text=first, hint=hint)
    for separator, what in ((None, "blanks"), ("|", "bars")):
        names = [n.strip().strip('"').lower() for n in first.split(separator)]
        if len([n for n in names if n in ours or our_name(n)]) > 1:
            raise InputError(
                f"the columns are separated by {what}", file=file, line=1, text=first, hint="separate by commas or tabs"
            )
    if len(first.split()) in (4, 6):
        raise InputError("these are TREC lines, which do not name assessors", file=file, hint=WANTED)
    raise InputError("not a table of ratings", file=file, line=1, text=first, hint=WANTED)


def stripped(table: named_tables.RawTable) -> named_tables.RawTable:
    """A table without blanks around its cells, as around its headers."""
    return replace(table, values=[[*map(str.strip, column)] for column in table.values])


def require(columns: Columns, needed: Sequence[str]) -> None:
    """Refuse a table that lacks a column, naming the columns that look like it."""
    missing = [name for name in needed if name not in columns]
    if not missing:
        return
    not_score = {ours: names for ours, names in columns.matches.items() if ours != "score"}  # it may be the label
    in_use = {name for names in not_score.values() for name in names}
    guesses = {}
    for ours in NEEDED:
        likely = [n for n in columns.names if n not in in_use and any(stem in n for stem in STEMS[ours])]
        if ours not in columns and likely:
            guesses[ours] = columns.written(likely[0])
            in_use.add(likely[0])
    for ours in missing:
        guesses.setdefault(ours, "NAME")
    pairs = ",".join(f"{ours}={theirs}" for ours, theirs in guesses.items())
    hint = f"name {'it' if len(guesses) == 1 else 'them'}, as in {arg('columns', pairs, of='tg.read_ratings')}"
    if "assessor" in missing and guesses["assessor"] == "NAME":
        hint += "; or give a wide table, with one column per assessor"
    if "topic" in missing and "NAME" in guesses.values():
        hint += f"; where all ratings are of one topic, give it a name with {arg('topic', of='tg.read_ratings')}"
    problem = f"there is no {' and no '.join(missing)} among the columns {', '.join(columns.all_written)}"
    raise InputError(problem, file=columns.file, hint=hint)


# ---- The cells of a ratings table as numbers: ratings, seconds and orders; what is none is refused where it stands.

NO_VALUE = ("nan", "na", "n/a", "null", "-", "?")  # how people write that there is none
LISTED = 8  # words whose numbers a message tells
WITHOUT_LABEL = {  # in a column `status`: why a language model gave no label, see `truegain.llm.parse`
    "refused", "empty", "length", "off_scale", "unparsed", "too_long", "many_tokens", "no_logprobs", "failed",
    "not_asked", "no_text",
}  # fmt: skip


def numbers(
    raw: Sequence[Any],
    columns: Columns,
    values: Mapping[str, float],
    *,
    nominal: bool = False,
    names: Sequence[str] | None = None,
) -> Floats:
    """Ratings as numbers: decimals, fractions such as 1/2, and words that the user gave numbers for.

    nominal: words need no numbers of the user's; they are numbered in alphabetical order, which is told.
    names: the column of each rating, where several columns hold ratings.
    """
    if not values and (plain := plain_numbers(raw)) is not None:
        return plain
    column = np.empty(len(raw))
    for row, value in enumerate(raw):
        number = _number(value, values)
        if number is None and nominal and not says_missing(value, values):
            return _numbered(raw, columns, values)
        if number is None:
            raise columns._fault(*_refused(raw, row, values, names))
        column[row] = number
    return column


def _number(value: Any, values: Mapping[str, float]) -> float | None:
    """The number behind a number, a fraction or a word; None where there is none."""
    if (worded := number_of_word(value, values)) is not None:
        return worded
    number = number_of(value)
    if number is not None and number == number:
        return number
    if not isinstance(value, str):
        return None
    top, slash, bottom = value.partition("/")
    if not slash:
        return None
    from fractions import Fraction  # here, as few need it and it takes a while

    try:
        return float(Fraction(top.strip()) / Fraction(bottom.strip()))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def worded(cells: Sequence[Any], values: Mapping[str, float]) -> list[Any]:
    """Cells with numbers for the words that have one."""
    numbers = ((cell, number_of_word(cell, values)) for cell in cells)
    return [cell if number is None else number for cell, number in numbers]


def says_missing(value: Any, values: Mapping[str, float] | None = None) -> bool:
    """Whether a cell says that there is no value, empty or in one of the words people use."""
    is_word = isinstance(value, str) and value.lower() in NO_VALUE
    return is_missing(value) or (is_word and number_of_word(value, values or {}) is None)


def labeled_rows(columns: Columns, name: str = "label", values: Mapping[str, float] | None = None) -> Columns:
    """The rows that have a label; how many have none is told."""
    cells = columns._raw(name)
    kept = _with_label(cells, columns.file, f"check the column '{columns.matches[name][0]}'", values)
    return columns if len(kept) == len(cells) else columns.take(np.array(kept, np.int64))


def answered_rows(columns: Columns, name: str = "label") -> Columns:
    """The rows but those whose column `status` says why they have no label, as `judge run` writes it; these are told.

    An empty label without such a reason stays, and is refused where it stands.
    """
    if "status" not in columns or name not in columns:
        return columns
    cells, statuses = columns._raw(name), [str(x or "").strip().lower() for x in columns._column("status")]
    lost = [says_missing(x) and status in WITHOUT_LABEL for x, status in zip(cells, statuses, strict=True)]
    if not any(lost):
        return columns
    reasons = Counter(status for status, is_lost in zip(statuses, lost, strict=True) if is_lost)
    listed = ", ".join(f"{n:,} {status}" for status, n in sorted(reasons.items()))
    if all(lost):
        raise InputError(f"no row has a label ({listed})", file=columns.file, hint="ask the judge again")
    warn(f"{columns.file}: {sum(lost):,} of {counted(len(cells), 'row')} have no label ({listed}), and are left out")
    return columns.take(np.flatnonzero(~np.array(lost)))


def labeled(data: Mapping[Any, Any], file: str) -> dict[Any, Any]:
    """{topic: {document: label}} without the documents that have no label; how many have none is told."""
    cells = [x for docs in data.values() if isinstance(docs, Mapping) for x in docs.values()]
    _with_label(cells, file, "give at least one label")
    return {
        topic: {d: x for d, x in docs.items() if not says_missing(x)} if isinstance(docs, Mapping) else docs
        for topic, docs in data.items()
    }


def _with_label(cells: Sequence[Any], file: str, hint: str, values: Mapping[str, float] | None = None) -> list[int]:
    """Which cells hold a label; how many do not is told."""
    kept = [row for row, value in enumerate(cells) if not says_missing(value, values)]
    lost = len(cells) - len(kept)
    if not kept:
        raise InputError("no row has a label", file=file, hint=hint)
    if lost:
        have, are = ("has", "is") if lost == 1 else ("have", "are")
        warn(f"{file}: {lost} of {counted(len(cells), 'row')} {have} no label, and {are} left out")
    return kept


def _refused(
    raw: Sequence[Any], row: int, values: Mapping[str, float], names: Sequence[str] | None
) -> tuple[str, int, Any, str]:
    """What is wrong with a rating, where, what it is, and what to do."""
    value = raw[row]
    column = f" in column '{names[row]}'" if names else ""
    if says_missing(value, values):
        empty = (
            "leave the cell empty"
            if names
            else f"leave out the row, or all such rows ({arg('missing', 'drop', of='tg.read_ratings')}),"
        )
        return f"rating{column} is missing", row, value, f"{empty} where a document was not rated"
    if not isinstance(value, str):
        return f"rating{column} is not a number", row, value, "write one number, not a list or an object"
    top, slash, bottom = (part.strip() for part in value.partition("/"))
    if slash and number_of(top) is not None and number_of(bottom) == 0:
        return f"rating{column} is not a number", row, value, "it divides by 0; correct or drop this rating"
    if value.endswith("%") and number_of(value[:-1]) is not None:
        return f"rating{column} is not a number", row, value, f"write {value[:-1].strip()}, without the sign"
    words = sorted({str(v) for v in raw if _number(v, values) is None and not says_missing(v, values)})
    hint = (
        f"give numbers for words, as in {arg('values', {value: 1}, of='tg.read_ratings')} (words here: "
        f"{some(words, 5)})"
    )
    if names:
        hint += f"; or say which columns hold ratings, as in {arg('assessors', ['ann', 'bob'], of='tg.read_ratings')}"
    return f"rating{column} is not a number", row, value, hint


def _numbered(raw: Sequence[Any], columns: Columns, values: Mapping[str, float]) -> Floats:
    """Words of a nominal scale as numbers in alphabetical order, after those the user gave."""
    for row, value in enumerate(raw):
        if says_missing(value, values):
            raise columns._fault(*_refused(raw, row, values, None))
    numbers = list(values.values())
    words = sorted({str(value) for value in raw} - set(values))
    first = math.floor(max(numbers)) + 1 if numbers else 0
    code = {**values, **{word: float(first + at) for at, word in enumerate(words)}}
    listed = some([f"{word}={code[word]:g}" for word in words], LISTED)
    warn(f"{columns.file}: the {len(words)} words of the nominal scale are numbered for reading only: {listed}")
    return np.array([code[str(value)] for value in raw])


def check_extra(extra: Mapping[str, Sequence[Any]], columns: Columns) -> None:
    """Refuse seconds that are no time, counts below 0, and orders that are no number or are missing in some rows."""
    least = "a number of at least 0"
    for name, what in (("seconds", least), ("order", "a number"), ("backs", least), ("sent_back", least)):
        cells = extra.get(name, ())
        for row, value in enumerate(cells):
            number = number_of(value)
            if number is not None and math.isfinite(number) and (number >= 0 or name == "order"):
                continue
            if not is_missing(value):
                raise columns._fault(f"{name} is not {what}", row, value, "correct it, or leave the cell empty")
            if name == "order" and not all(map(is_missing, cells)):
                raise columns._fault(f"{name} is missing", row, value, "give it in every row, or in none")
