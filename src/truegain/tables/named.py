"""Tables with named columns: those of files, and frames of pandas, polars or pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from truegain.errors import ORDER, InputError, some
from truegain.tables.columns import Floats, Ints, Places
from truegain.tables.frames import Frame
from truegain.tables.tabular import COLUMNS, EXTRA, RawTable, is_bool, number_of, plain_numbers

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet would run


class Columns:
    """The columns of a table, or of a frame, by our names."""

    def __init__(self, frame: RawTable | Frame, file: str) -> None:
        self.frame, self.file = frame, file
        self.names = [str(name).strip().lower() for name in frame.columns]
        self.found = {ours: [n for n in names if n in self.names] for ours, names in COLUMNS.items()}
        self.found |= {name: [name] for name in EXTRA if name in self.names}
        self.places: Places | None = frame.places if isinstance(frame, RawTable) else None

    def __contains__(self, name: str) -> bool:
        return bool(self.found.get(name))

    def _raw(self, name: str) -> list[Any]:
        if name not in self:
            raise InputError(
                f"there is no column '{name}' (or {', '.join(COLUMNS[name][1:])}) among {', '.join(self.names)}",
                file=self.file,
                hint=f"name the column '{name}'{self._mistaken(name)}",
            )
        return self._column(self.found[name][0])

    def written(self, name: str) -> str:
        """A column's name as its owner writes it."""
        return str(self.frame.columns[self.names.index(name)]).strip()

    def take(self, rows: Ints) -> Columns:
        """Some rows of the table, under the same names."""
        wanted = rows.tolist()
        values = [[column[r] for r in wanted] for column in map(self.frame.column, range(len(self.names)))]
        places = (self.places or Places.rows(max(wanted, default=0) + 1)).take(rows)
        taken = Columns(RawTable(list(self.frame.columns), values, places), self.file)
        taken.found = self.found
        return taken

    def _mistaken(self, name: str) -> str:
        if name == "score" and "label" in self:
            return f"; these look like judgments: {ORDER}"
        if name == "label" and "score" in self:
            return f"; this looks like a run: {ORDER}; if its scores are labels, say columns={{'label': 'score'}}"
        return ""

    def _column(self, name: str) -> list[Any]:
        if self.names.count(name) > 1:
            raise InputError(f"two columns are named '{name}'", file=self.file, hint="rename or remove one")
        return self.frame.column(self.names.index(name))

    def _fault(self, problem: str, row: int, value: object, hint: str) -> InputError:
        place = (self.places or Places.rows(row + 1)).of(row)
        text = None if is_missing(value) else str(value)
        return InputError(problem, file=self.file, **place, text=text, hint=hint)

    def ids(self, name: str) -> list[str]:
        """A column of ids: text or whole numbers, none missing."""
        values = self._raw(name)
        if set(map(type, values)) == {str} and all(values):
            return _unguarded(values)
        for row, value in enumerate(values):
            if type(value) is str and value:
                continue
            if is_missing(value):
                raise self._fault(f"{name} is missing", row, value, "every row needs one")
            if not is_id(value):
                kind = "floating-point number" if isinstance(value, float) else type(value).__name__
                raise self._fault(f"{name} is a {kind}", row, value, "write ids as text or whole numbers")
        return _unguarded([v if type(v) is str else str(v) for v in values])

    def numbers(self, name: str) -> Floats:
        """A column of numbers, none missing."""
        values = self._raw(name)
        if (plain := plain_numbers(values)) is not None:
            return plain
        numbers = np.empty(len(values))
        for row, value in enumerate(values):
            number = None if name == "score" and is_bool(value) else number_of(value)
            if number is None:
                problem = "is missing" if is_missing(value) else "is not a number"
                raise self._fault(f"{name} {problem}", row, value, "give a number")
            if number != number:
                problem = "is NaN" if isinstance(value, str) else "is missing or NaN"
                raise self._fault(f"{name} {problem}", row, value, "give a number that can be ordered")
            numbers[row] = number
        return numbers

    def texts(self, names: Sequence[str]) -> list[str]:
        """A column that may be there, by the first of some names, as text; empty where there is nothing."""
        found = next((name for name in names if name in self.names), None)
        if found is None:
            return [""] * len(self._raw("topic"))
        return ["" if is_missing(value) else str(value).strip() for value in self._column(found)]

    def extra(self) -> dict[str, Sequence[object]]:
        """What else is known of a judgment."""
        return {name: self._column(self.found[name][0]) for name in EXTRA if name in self}


def renamed(columns: Columns, names: Mapping[str, str], strict: bool = False) -> Columns:
    """The columns under the names that the user gave; a name such as query+facet joins columns.

    Unless `strict`, topic and doc may also have names of ours: the user's may be those of another file.
    """
    for ours, theirs in names.items():
        name = theirs.strip().lower()
        known = not strict and ours in ("topic", "doc") and ours in columns
        if name not in columns.names and "+" in name and ours in COLUMNS and not known:
            columns = _joined(columns, name)
        if name in columns.names:
            columns.found[ours] = [name]
        elif not known:
            raise InputError(
                f"there is no column '{theirs}' among {', '.join(columns.names)}",
                file=columns.file,
                hint="check its name",
            )
    return columns


def _joined(columns: Columns, name: str) -> Columns:
    """The columns with one in the place of several, whose cells are theirs with a hyphen between them."""
    parts = [part.strip() for part in name.split("+")]
    lost = [part for part in parts if part not in columns.names]
    if lost:
        raise InputError(
            f"there is no column {some(lost)} among {', '.join(columns.names)}, to join as {name}",
            file=columns.file,
            hint="check its name",
        )
    cells = []
    for part in parts:
        columns.found["topic"] = [part]
        cells.append(columns.ids("topic"))
    others = [n for n in columns.names if n not in parts]
    joined = ["-".join(row) for row in zip(*cells, strict=True)]
    table = RawTable(
        [*(columns.written(n) for n in others), name],
        [*(columns._column(n) for n in others), joined],
        columns.places or Places.rows(len(joined)),
    )
    return Columns(table, columns.file)


def guarded(value: Any) -> Any:
    """An id in a cell that no spreadsheet runs: one that begins as a formula does, and is no number, gets a quote.

    >>> guarded("=HYPERLINK(1)"), guarded("-12"), guarded("d7")
    ("'=HYPERLINK(1)", '-12', 'd7')
    """
    runs = isinstance(value, str) and value.startswith(FORMULA) and number_of(value) is None
    return f"'{value}" if runs else value


def _unguarded(ids: list[str]) -> list[str]:
    """Ids without the quote that `guarded` puts before some."""
    if not any(x.startswith("'") for x in ids):
        return [*ids]
    return [x[1:] if x.startswith("'") and x[1:].startswith(FORMULA) else x for x in ids]


def is_id(value: object) -> bool:
    """Text or a whole number."""
    return isinstance(value, str) or (isinstance(value, Integral) and not isinstance(value, bool))


def is_missing(value: object) -> bool:
    """None, empty text, NaN, and the missing values of pandas, which cannot even be compared."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (value == "" if isinstance(value, str) else isinstance(value, float) and value != value)
    )
