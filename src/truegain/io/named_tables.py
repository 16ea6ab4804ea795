"""Tables with named columns: those of files (see `formats`), and frames of pandas, polars or pyarrow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from truegain.errors import ORDER, InputError, an, meant, some, warn
from truegain.io.columns import BEIR, Floats, Ints, Places, parts_of, plain_name, plain_numbers
from truegain.io.columns import COLUMNS as COLUMNS
from truegain.io.columns import EXTRA as EXTRA
from truegain.io.columns import RawTable as RawTable
from truegain.io.columns import is_bool as is_bool
from truegain.io.columns import number_of as number_of
from truegain.io.columns import of_objects as of_objects
from truegain.io.file_options import IDS, Header, Role, file_options, label_of, number_of_word
from truegain.io.frames import Frame
from truegain.io.python_tables import is_id
from truegain.io.separated import (
    DECIMAL_POINT,
    LOOKED_AT,
    NEEDED,
    has_decimal_comma,
    is_sensible,
    option_for,
)
from truegain.message import arg, argname

NOTHING = ("irrelevant", "not_relevant", "non_relevant", "nonrelevant", "no", "none", "false", "bad")  # labels of 0
NUMBER, WORDS = "NUMBER", 12  # what a user fills in; words that are listed at most
KNOWN = 6  # other names of a column that a message lists
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet would run


class Columns:
    """The columns of a table, or of a frame, by our names."""

    def __init__(self, frame: RawTable | Frame, file: str, role: Role = "judgments") -> None:
        self.frame, self.file, self.role = frame, file, role
        self.names = [str(name).strip().lower() for name in frame.columns]
        plain = [plain_name(name) for name in self.names]
        self.matches = {
            ours: [n for name in names for n, p in zip(self.names, plain, strict=True) if p == name]
            for ours, names in COLUMNS.items()
        }
        self.matches |= {name: [name] for name in EXTRA if name in self.names}
        self.places: Places | None = frame.places if isinstance(frame, RawTable) else None
        if set(plain) == BEIR and all(map(_is_whole, frame.column(plain.index("score")))):
            self.matches["label"] = ["score"]

    def __contains__(self, name: str) -> bool:
        return bool(self.matches.get(name))

    def _raw(self, name: str) -> list[Any]:
        if name not in self:
            others = COLUMNS[name][1:]
            listed = f"{', '.join(others[:KNOWN])}{', ...' if len(others) > KNOWN else ''}"
            paths = inner_names(self)
            nested_in = {path.partition(".")[0].lower() for path in paths}
            there = dict.fromkeys([*(n for n in self.all_written if n.lower() not in nested_in), *paths])
            raise InputError(
                f"there is no column '{name}' (or {listed}) among {', '.join(there)}",
                file=self.file,
                hint=f"name the column '{name}'{self._mistaken(name) or self._option(name)}",
            )
        return self._column(self.matches[name][0])

    def _option(self, name: str) -> str:
        """What to say of columns for this table to be read."""
        if name not in NEEDED[self.role]:
            return ""
        names, cells = self.all_written, [list(self.frame.column(at)[:LOOKED_AT]) for at in range(len(self.names))]
        if paths := [path for path in inner_names(self) if path.lower() not in self.names]:
            with suppress(InputError):  # fields of two lists
                flat = unfolded(self, [path.lower() for path in paths])
                names, cells = flat.all_written, [flat.frame.column(at) for at in range(len(flat.names))]
        return f", or say which it is: {option_for(self.role, names, cells, self.matches)}"

    def written_at(self, at: int) -> str:
        """The name of a column by its place, as its owner writes it."""
        return str(self.frame.columns[at]).strip()

    @property
    def all_written(self) -> list[str]:
        """The names of all columns, as their owner writes them."""
        return [self.written_at(at) for at in range(len(self.names))]

    def written(self, name: str) -> str:
        """A column's name as its owner writes it."""
        return str(self.frame.columns[self.names.index(name)]).strip()

    def take(self, rows: Ints) -> Columns:
        """Some rows of the table, under the same names."""
        numbers = rows.tolist()
        values = [[column[r] for r in numbers] for column in map(self.frame.column, range(len(self.names)))]
        places = (self.places or Places.rows(max(numbers, default=0) + 1)).take(rows)
        table = RawTable(list(self.frame.columns), values, places, is_guarded(self.frame))
        selected = Columns(table, self.file, self.role)
        selected.matches = self.matches
        return selected

    def _mistaken(self, name: str) -> str:
        if name == "score" and "label" in self:
            return f"; these look like judgments: {ORDER}"
        if name == "label" and "score" in self:
            option = file_options().option(self.role, {"label": self.written(self.matches["score"][0])})
            return f"; this looks like a run: {ORDER}; if its scores are labels, say {arg('columns', option)}"
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
            return unguarded(self.frame, values)
        for row, value in enumerate(values):
            if type(value) is str and value:
                continue
            if is_missing(value):
                raise self._fault(f"{name} is missing", row, value, "every row needs one")
            if not is_id(value):
                kind = "a floating-point number" if isinstance(value, float) else an(value)
                hint = self._within(name, value) or "write ids as text or whole numbers"
                raise self._fault(f"{name} is {kind}", row, value, hint)
        return unguarded(self.frame, values)

    def _within(self, name: str, value: object) -> str | None:
        """What to do about an object or a list in the place of a value: name a field of it, or its places as ranks."""
        column, reader = self.written(self.matches[name][0]), "runs" if self.role == "runs" else "judgments"
        entry = next(iter(value), None) if isinstance(value, list) else value
        keys = [key for key in entry if isinstance(key, str) and "." not in key] if isinstance(entry, dict) else []
        if keys:
            option = file_options().option(self.role, {name: f"{column}.{keys[0]}"})
            return f"name the field, as in {arg('columns', option, of=f'tg.read_{reader}')}"
        if isinstance(value, list) and (name, self.role) == ("doc", "runs"):
            option = file_options().option("runs", {name: column, "rank": f"{column}.#"})
            return (
                f"if these are documents in the order of their ranks, say {arg('columns', option, of='tg.read_runs')}"
            )
        return None

    def any_ids(self, name: str) -> list[str]:
        """A column of ids as text, whatever stands there."""
        return unguarded(self.frame, self._raw(name))

    def numbers(self, name: str) -> Floats:
        """A column of numbers, none missing."""
        values = self._raw(name)
        worded = name == "label" and bool(file_options().values)
        if not worded and (plain := plain_numbers(values)) is not None:
            return plain
        numbers = np.empty(len(values))
        for row, value in enumerate(values):
            number = None if name == "score" and is_bool(value) else label_of(value) if worded else number_of(value)
            if number is None:
                problem = "is missing" if is_missing(value) else "is not a number"
                raise self._fault(f"{name} {problem}", row, value, _remedy(self, name, value, values))
            if number != number:
                problem = "is NaN" if isinstance(value, str) else "is missing or NaN"
                raise self._fault(f"{name} {problem}", row, value, "give a number that can be ordered")
            numbers[row] = number
        return numbers

    def texts(self, names: Sequence[str]) -> list[str]:
        """A column that may be there, by the first of some names, as text; empty where there is nothing."""
        column = next((name for name in names if name in self.names), None)
        if column is None:
            return [""] * len(self._raw("topic"))
        return ["" if is_missing(value) else str(value).strip() for value in self._column(column)]

    def extra(self) -> dict[str, Sequence[object]]:
        """What else is known of a judgment."""
        return {name: self._column(self.matches[name][0]) for name in EXTRA if name in self}


IN_LISTS = ("topic", "doc", "label", "score", "rank")  # what makes a row of each entry of a list
FIRST_ROWS = 50  # that are looked at for the names in their objects
OF_LABELS = "tg.read_judgments"  # whose arguments these are in Python


def renamed(columns: Columns, header: Header | None, strict: bool = False) -> Columns:
    """The columns under the names that the user gave; a name such as query+facet joins columns.

    Unless `strict`, topic and doc may also have names of ours: the user's may be those of another file.  What is said
    of another file holds where there is no name of ours; what is said of several counts for those that have it.
    """
    options = Header() if header is None else header
    columns = with_inner(columns, options)
    lost: dict[str, str] = {}
    for ours in options.renamed:
        theirs = _fitting(columns, options, ours)
        name = theirs.strip().lower()
        has_ours = not strict and ours in ("topic", "doc") and ours in columns
        lacks = not set(parts_of(name)) <= set(columns.names)
        may_lack = has_ours or options.several is not None
        if name not in columns.names and "+" in name and ours in COLUMNS and not (lacks and may_lack):
            columns = _joined(columns, name)
        if name in columns.names:
            columns.matches[ours] = [name]
        elif not has_ours:
            lost[ours] = theirs
        elif options.fits_none(theirs, columns.file):  # in Python, and mistyped, it is of no other file
            if file_options().columns is None or _is_slip(columns, ours, theirs):
                raise _no_column(columns, theirs)
            file_options().check_name(theirs)
    for ours, theirs in lost.items():
        own = _instead_of(ours, columns)
        is_needed = ours in (*NEEDED[columns.role], "rank")
        if options.fits_none(theirs, columns.file) or (is_needed and own is None):
            raise _no_column(columns, "' or '".join(options.names_of(ours)))
        if own is not None and not _is_of_another(columns, options, ours):
            warn(f"{columns.file}: there is no column '{theirs}'; column '{own}' is read instead")
    return _with_names_of_another(columns, options)


def called_as(columns: Columns, path: object, names: Mapping[str, str]) -> Columns:
    """A table of answers with its columns under the names that `names` has for ours, where the command was told theirs.

    Of the file that the command names first, every column that it was told must be there; others may have other names.
    """
    options = file_options()
    is_first = options.is_judgments(str(path))
    if is_first and (options.judgments_header.names or options.runs_header.names):
        raise InputError(
            f"{argname('columns')} lists all columns of a file, and this table names its own", file=columns.file,
            hint=f"say which is which, as in {arg('columns', 'topic=NAME')}, or leave {argname('columns')} out",
        )  # fmt: skip
    named = {
        **options.runs_header.renamed,
        **options.judgments_header.renamed,
        **({} if is_first else options.gold_header.renamed),
    }
    for ours, theirs in named.items():
        if ours in names:
            columns, name = with_inner(columns, Header(renamed={ours: theirs})), theirs.strip().lower()
            if "+" in name and name not in columns.names and (is_first or set(parts_of(name)) <= set(columns.names)):
                columns = _joined(columns, name)
            if name in columns.names:
                columns = _with_name(columns, name, names[ours])
            elif is_first:
                raise _no_column(columns, theirs)
        elif is_first:
            raise InputError(
                f"{argname('columns', f'{ours}={theirs}')}: a table of answers has no {ours}", file=columns.file,
                hint=f"name the columns of {some(list(names))}; a score is named by {arg('score')}",
            )  # fmt: skip
    return columns


def _with_name(columns: Columns, name: str, ours: str) -> Columns:
    """The columns with one under another name, in the place of the one that had it."""
    kept = [at for at, other in enumerate(columns.names) if other == name or other != ours]
    values = [columns.frame.column(at) for at in kept]
    places = columns.places or Places.rows(len(values[0]))
    table = RawTable([str(columns.frame.columns[at]) for at in kept], values, places, is_guarded(columns.frame))
    made = Columns(table, columns.file, columns.role)
    made.names = [ours if columns.names[at] == name else columns.names[at] for at in kept]
    return made


def _is_slip(columns: Columns, ours: str, theirs: str) -> bool:
    """Whether a name that a table lacks is one of its own mistyped, not of another file: then no column stands in."""
    others = [name for name in columns.all_written if name.strip().lower() not in columns.matches[ours]]
    begins_here = any(isinstance(x, dict) for x in _first_cells(columns, theirs.strip().lower().partition(".")[0]))
    return begins_here or meant(theirs, [*others, *inner_names(columns)]) is not None


def _first_cells(columns: Columns, name: str) -> list[Any]:
    return list(columns.frame.column(columns.names.index(name))[:1]) if name in columns.names else []


def with_inner(columns: Columns, header: Header) -> Columns:
    """The columns, and those that the user names by a path into objects, such as query.id.

    Where topics, documents, labels, scores or ranks stand in a list, each of its entries is a row.

    >>> table = RawTable(["query", "grade"], [[{"id": "7", "by": {"age": 31}}], [1]], Places.rows(1))
    >>> with_inner(Columns(table, "a.jsonl"), Header.of("topic=query.id,assessor=query.by.age")).names
    ['query', 'grade', 'query.id', 'query.by.age']
    """
    names = {ours: name for ours, name in header.theirs.items() if ours in header.renamed or ours not in columns}
    column_of = {part: ours for ours, name in names.items() for part in parts_of(name)}
    paths = [part for part in column_of if "." in part and part not in columns.names]
    whole = columns
    while unfolded := _unfolded(columns, [path for path in paths if column_of[path] in IN_LISTS]):
        columns = unfolded
    inner = {path: cells for path in paths if (cells := _inner(columns, path)) is not None}
    if columns is not whole and columns.role == "runs" and "rank" not in names:
        for path in [path for path in inner if column_of[path] == "score"]:
            _warn_of_rising(columns, path, inner[path])
    return _with(columns, inner) if inner else columns


def unfolded(columns: Columns, paths: Sequence[str]) -> Columns:
    """The first rows, a column for each path (in small letters) and a row for each entry of the list on the way."""
    columns = columns.take(np.arange(min(FIRST_ROWS, len(columns.frame.column(0)))))
    while made := _unfolded(columns, paths):
        columns = made
    return _with(columns, {path: cells for path in paths if (cells := _inner(columns, path)) is not None})


def _warn_of_rising(columns: Columns, path: str, cells: Sequence[Any]) -> None:
    """Tell of scores that rise along every list, as distances do: the last entry is then taken for the best."""
    scores = np.array([math.nan if (x := number_of(cell)) is None else x for cell in cells])
    within = np.diff(columns.places.number) == 0 if columns.places is not None else np.zeros(0, np.bool_)
    steps = np.diff(scores)[within]
    if (steps >= 0).all() and (steps > 0).any():
        name = max((name for name in columns.names if path.startswith(f"{name}.")), key=len)
        warn(f"{columns.file}: {path} rises along every list, so the last entry ranks first; if small values are best, "
             f"name {name}.# as the rank and no score")  # fmt: skip


def _with(columns: Columns, more: Mapping[str, list[Any]]) -> Columns:
    """The columns and others, which stand in for those of the same name."""
    kept = [at for at, name in enumerate(columns.names) if name not in more]
    names = [*(str(columns.frame.columns[at]) for at in kept), *more]
    values = [*map(columns.frame.column, kept), *more.values()]
    places = columns.places or Places.rows(len(values[0]))
    return Columns(RawTable(names, values, places, is_guarded(columns.frame)), columns.file, columns.role)


def _unfolded(columns: Columns, paths: Sequence[str]) -> Columns | None:
    """A row for each entry of the list that paths lead through, with its place in it, from 1; None where none does.

    What stands without a list, as some tools write a single entry, is an entry.

    >>> table = RawTable(["q", "hits"], [["7", "8"], [[{"id": "a"}, {"id": "b"}], []]], Places.rows(2))
    >>> made = with_inner(Columns(table, "a.jsonl"), Header.of("topic=q,doc=hits.id,rank=hits.#"))
    >>> [made.frame.column(made.names.index(name)) for name in ("q", "hits.id", "hits.#")]
    [['7', '7'], ['a', 'b'], [1, 2]]
    """
    lists = dict(nested for path in paths if (nested := _list_on(columns, path)) is not None)
    if not lists:
        return None
    if len(lists) > 1:
        raise InputError(
            f"{argname('columns')} names fields of {len(lists)} lists, {' and '.join(lists)}", file=columns.file,
            hint="name fields of one list only",
        )  # fmt: skip
    ((name, cells),) = lists.items()
    entries = [_entries(columns, name, row, cell) for row, cell in enumerate(cells)]
    if lost := sum(map(is_missing, cells)):
        rows_have = "row has" if lost == 1 else "rows have"
        warn(f"{columns.file}: {lost:,} {rows_have} no {name} and no documents")
    rows = np.repeat(np.arange(len(cells)), [len(of) for of in entries])
    more = {name: [entry for of in entries for entry in of]}
    numbers = [at for of in entries for at in range(1, len(of) + 1)]
    if (number := f"{name}.#") in paths:
        more[number] = numbers
    taken = columns.take(rows)
    assert taken.places is not None
    taken.places = taken.places.within(name, numbers)
    return _with(taken, more)


def _entries(columns: Columns, name: str, row: int, cell: Any) -> list[Any]:
    """The entries of a list in one row."""
    if _is_list(cell):
        return list(cell)
    if isinstance(cell, dict) or is_missing(cell):
        return [cell] if isinstance(cell, dict) else []
    raise InputError(
        f"{name} is {an(cell)} here and a list in other rows", file=columns.file,
        **(columns.places or Places.rows(row + 1)).of(row), text=str(cell), hint="write a list",
    )  # fmt: skip


def _list_on(columns: Columns, path: str) -> tuple[str, list[Any]] | None:
    """The name of the first list that a path leads through, and its column; an empty list may stand for no object."""
    parts = path.split(".")
    for n in range(1, len(parts)):
        name = ".".join(parts[:n])
        cells = columns._column(name) if name in columns.names else _inner(columns, name)
        if cells is not None and any(_is_list(cell) and len(cell) for cell in cells):
            return name, cells
    return None


def _is_list(cell: object) -> bool:
    return isinstance(cell, list | tuple) or (isinstance(cell, np.ndarray) and cell.ndim > 0)


def _inner(columns: Columns, path: str) -> list[Any] | None:
    """What stands at a path into the objects of a column, None in rows without it; None where no row has it."""
    parts = path.split(".")
    begins = [n for n in range(len(parts) - 1, 0, -1) if ".".join(parts[:n]) in columns.names]  # the longest first
    if not begins:
        return None
    name, keys = ".".join(parts[: begins[0]]), parts[begins[0] :]
    cells = columns._column(name)
    for key in keys:
        objects = [*map(_object, cells)]
        shapes = {tuple(one) for one in objects}  # most objects have the same keys
        spelled = {shape: [k for k in shape if str(k).lower() == key] for shape in shapes}
        twice = next((spellings for spellings in spelled.values() if len(spellings) > 1), None)
        if twice is not None:
            both = " and ".join(map(repr, twice))
            raise InputError(f"{path} matches both {both}", file=columns.file, hint="rename or remove one")
        if not any(spelled.values()):
            return None
        cells = [one[spelling[0]] if (spelling := spelled[tuple(one)]) else None for one in objects]
    return cells


def _object(cell: object) -> Mapping[Any, Any]:
    return cell if isinstance(cell, dict) else {}


def inner_names(columns: Columns, places: bool = False) -> list[str]:
    """Paths to what stands in the objects and lists of the first rows; with `places`, to places in lists."""
    cells = {name: columns.frame.column(at)[:FIRST_ROWS] for at, name in enumerate(columns.all_written)}
    paths = [path for name, first in cells.items() for one in first for path in _paths(name, one)]
    return [path for path in dict.fromkeys(paths) if path not in cells and (places or not path.endswith(".#"))]


def _paths(name: str, value: object) -> Iterator[str]:
    if _is_list(value):
        yield from (path for entry in value for path in _paths(name, entry))  # type: ignore[attr-defined]
        yield f"{name}.#"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(f"{name}.{key}", inner)
    else:
        yield name


def _fitting(columns: Columns, header: Header, ours: str) -> str:
    """The name of a column that the user gave and this table has, or the last given; refused where no table has one."""
    names = header.names_of(ours)
    has = [name for name in names if set(parts_of(name)) <= set(columns.names)]
    for name in names[1:]:
        if name not in has and ours not in IDS and header.several is not None and header.fits_none(name, columns.file):
            raise _no_column(columns, name)
    return (has or names)[0]


def _no_column(columns: Columns, name: str) -> InputError:
    names = [*dict.fromkeys([*columns.all_written, *(inner_names(columns) if "." in name else ())])]
    problem = f"there is no column '{name}' among {', '.join(names)}"
    near = meant(name, names)
    hint = f"did you mean {near}?" if near else "check its name"
    if not near and columns.role == "judgments" and _has(columns, file_options().runs_header, "score"):
        hint = f"this looks like a run: {ORDER}"
    elif not near and columns.role == "runs" and _has(columns, file_options().judgments_header, "label"):
        hint = f"these look like judgments: {ORDER}"
    return InputError(problem, file=columns.file, hint=hint)


def _has(columns: Columns, header: Header, ours: str) -> bool:
    """Whether a table has a column that the user named for another kind of file."""
    name = header.renamed.get(ours, "").strip().lower()
    return bool(name) and (name in columns.names or _inner(columns, name) is not None)


def _instead_of(ours: str, columns: Columns) -> str | None:
    """The column with a name of ours that stands in for one that the user named and the table lacks, if any."""
    either = ("score", "rank") if ours in ("score", "rank") else (ours,)
    return next((columns.matches[name][0] for name in either if name in columns), None)


def _is_of_another(columns: Columns, header: Header, ours: str) -> bool:
    """Whether the other names that the user gave are all of other files, so that this one is as well."""
    beside = {
        part for other in header.renamed if other != ours for name in header.names_of(other) for part in parts_of(name)
    }
    return bool(beside) and not beside & set(columns.names)


def _with_names_of_another(columns: Columns, header: Header) -> Columns:
    """The columns under names that the user gave to those of another file, where they have none of ours."""
    for ours, theirs in (header.lent.renamed if header.lent is not None else {}).items():
        name = theirs.strip().lower()
        if ours in columns or ours in header.renamed:
            continue
        if "+" in name and set(parts_of(name)) <= set(columns.names):
            columns = _joined(columns, name)
        if name in columns.names:
            columns.matches[ours] = [name]
            if ours == "label":
                _check_label(columns, name)
    return columns


def _check_label(columns: Columns, name: str) -> None:
    """Refuse the judgments' own label as that of gold, where another column could be what is meant."""
    in_use = {n for matched in columns.matches.values() for n in matched}
    cells = {n: columns._column(n) for n in columns.names if n not in in_use and columns.names.count(n) == 1}
    others = [n for n, column in cells.items() if column and all(number_of(x) is not None for x in column)]
    if others:
        likely = [name, *filter(is_sensible, others)][-1]
        option = file_options().option(columns.role, {"label": columns.written(likely)})
        raise InputError(
            f"which is the label: '{name}', as in the judgments, or {some(others)}?", file=columns.file,
            hint=f"say which, as in {arg('columns', option)}",
        )  # fmt: skip


def _joined(columns: Columns, name: str) -> Columns:
    """The columns with one in the place of several, whose cells are theirs with a hyphen between them."""
    parts = parts_of(name)
    lost = [part for part in parts if part not in columns.names]
    if lost:
        raise InputError(
            f"there is no column {some(lost)} among {', '.join(columns.all_written)}, to join as {name}",
            file=columns.file,
            hint="check its name",
        )
    cells = []
    for part in parts:
        columns.matches["topic"] = [part]
        cells.append(columns.ids("topic"))
    others = [n for n in columns.names if n not in parts]
    guarded = is_guarded(columns.frame)
    joined = [harmless(x) if guarded else x for x in ("-".join(row) for row in zip(*cells, strict=True))]
    table = RawTable(
        [*(columns.written(n) for n in others), name],
        [*(columns._column(n) for n in others), joined],
        columns.places or Places.rows(len(joined)),
        guarded,
    )
    return Columns(table, columns.file, columns.role)


def _is_whole(value: object) -> bool:
    number = number_of(value)
    return number is not None and number.is_integer()


def harmless(value: Any) -> Any:
    """A cell that no spreadsheet runs: one that begins as a formula does, and is no number, gets a quote.

    So does one that begins with quotes and then as a formula does, so that `unguarded` gives back every cell as it was.

    >>> harmless("=HYPERLINK(1)"), harmless("-12"), harmless("d7"), harmless("'-a")
    ("'=HYPERLINK(1)", '-12', 'd7', "''-a")
    """
    if not isinstance(value, str) or not value.lstrip("'").startswith(FORMULA):
        return value
    return value if value.startswith(FORMULA) and number_of(value) is not None else f"'{value}"


def is_guarded(table: object) -> bool:
    """Whether ids of a table may have the quote of `harmless`: those of CSV and TSV."""
    return isinstance(table, RawTable) and table.guarded


def unguarded(table: object, ids: Sequence[Any]) -> list[str]:
    """Ids of a table as text, without the quote that `harmless` puts before some in CSV and TSV."""
    texts = [x if type(x) is str else str(x) for x in ids]
    if not is_guarded(table) or not any(x.startswith("'") for x in texts):
        return texts
    return [x[1:] if x.startswith("'") and x.lstrip("'").startswith(FORMULA) else x for x in texts]


def _remedy(columns: Columns, name: str, value: object, values: Sequence[Any]) -> str:
    """What to do about something that is no number: of labels, rows may be left out, and ratings in words counted."""
    if isinstance(value, str) and has_decimal_comma(value):
        return DECIMAL_POINT
    if name != "label":
        return "give a number"
    if is_missing(value):
        return f"give a number, or leave out all rows without one: {arg('missing', 'drop', of=OF_LABELS)}"
    if isinstance(value, dict | list):
        return columns._within(name, value) or "name a column of numbers"
    words, option = _words_in(values), option_for_words(values)
    if option is None:
        return f"write a number in place of each word; words here: {some(words)}"
    if "assessor" in columns:
        return f"ratings in words are read by {arg('aggregate', 'mean')} and {option}"
    return f"give a number for each word: {option}"


def _words_in(cells: Sequence[Any]) -> list[str]:
    return [*dict.fromkeys(str(x).strip() for x in cells if not is_missing(x) and number_of(x) is None)]


def option_for_words(cells: Sequence[Any]) -> str | None:
    """What `values` should say for words to be labels, with NUMBER where the order is not known; None: it cannot."""
    words, numbered = _words_in(cells), file_options().values
    if not 0 < len(words) <= WORDS or any(set(word) & set(",='") for word in words):
        return None
    none = [word for word in words if plain_name(word) in NOTHING]
    known = {word: number for word in words if (number := number_of_word(word, numbered)) is not None}
    numbers = {word: f"{known[word]:g}" if word in known else "0" if none == [word] else NUMBER for word in words}
    if len(words) == 2 and len(none) == 1 and not numbered:
        numbers |= {word: "1" for word in words if word not in none}
    ordered = sorted(numbers, key=lambda word: word not in none)
    return arg("values", ",".join(f"{word}={numbers[word]}" for word in ordered), of=OF_LABELS)


def is_missing(value: object) -> bool:
    """None, empty text, NaN, and the missing values of pandas, which cannot even be compared."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (value == "" if isinstance(value, str) else isinstance(value, float) and value != value)
    )
