"""Lists for people: a sheet without the judge's labels, and a key with them that nobody who judges need see."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from truegain.addresses import is_remote
from truegain.errors import InputError, TruegainError
from truegain.message import ANOTHER_FILE, FILL_LIST
from truegain.tables import tabular
from truegain.tables.checks import warn
from truegain.tables.guard import guarded
from truegain.tables.named import harmless, is_missing, unguarded
from truegain.tables.packing import COMPRESSED
from truegain.tables.raw import number_of
from truegain.tables.read import loaded
from truegain.tables.sources import PathLike, shown_path

KEY = ".key"  # before the ending: gold_list.csv has its key in gold_list.key.csv
TEXTS = ("question", "passage")  # columns of a sheet that people read
CELL = 32_767  # characters that a cell of a spreadsheet holds
MOST_KEYS = 100  # that are looked at


def key_path(path: PathLike) -> str:
    """Where the key of a list stands, beside its sheet.

    >>> key_path("a/gold_list.csv"), key_path("sample.v2.jsonl.gz")
    ('a/gold_list.key.csv', 'sample.v2.key.jsonl.gz')
    """
    name = os.fspath(path)
    packed = next((end for end in COMPRESSED if name.lower().endswith(end)), "")
    bare = name[: len(name) - len(packed)]
    ending = tabular.ending(bare)
    return f"{bare[: len(bare) - len(ending)]}{KEY}{bare[len(bare) - len(ending) :]}{packed}"


def is_key(path: PathLike) -> bool:
    """Whether a file is called as keys are.

    >>> is_key("a/gold_list.key.csv"), is_key("gold_list.csv")
    (True, False)
    """
    return f"{KEY}." in Path(os.fspath(path)).name.lower()


def key_beside(path: PathLike, digest: str) -> str:
    """The file beside a sheet that is its key, told by the digest: the one of its name, or any other key there."""
    for other in _keys(path):
        try:
            text, kind, file = loaded(other)
            table = None if kind in (None, "nested") else tabular.read(text, kind, file)
        except TruegainError:
            continue
        if table is not None and digest_in(table) == digest:
            return other
    name, own = shown_path(path), Path(key_path(path))
    there = f"; {own.name} is that of another list" if not is_remote(os.fspath(path)) and own.is_file() else ""
    raise InputError(
        f"the key of this list, {digest}, is not beside it{there}", file=name,
        hint=f"put its key file (LIST{KEY}{tabular.ending(own.name)}, by the name of the list when it was written) "
        f"there; or put its labels into the key by {FILL_LIST}",
    )  # fmt: skip


def _keys(path: PathLike) -> Iterator[str]:
    own = key_path(path)
    if is_remote(own):
        yield own
        return
    if Path(own).is_file():
        yield own
    folder = Path(os.fspath(path)).parent
    others = sorted(p for p in folder.glob(f"*{KEY}.*") if p.is_file() and p != Path(own))
    yield from map(str, others[:MOST_KEYS])


def digest_in(table: Any) -> str | None:
    """The digest that a list names, None where it names none."""
    names = [str(name).strip().lower() for name in table.columns]
    column = table.column(names.index("digest")) if "digest" in names else []
    return str(column[0]).strip() if len(column) else None


def keep_key(path: PathLike, digest: str) -> None:
    """Refuse to write over the key of another list: without it labels of that list would count for nothing."""
    if is_remote(os.fspath(path)) or not Path(path).is_file() or not Path(path).stat().st_size:
        return
    try:
        with guarded(()):  # what is to be written is looked at, not taken for an input
            text, kind, file = loaded(path)
        there = None if kind in (None, "nested") else digest_in(tabular.read(text, kind, file))
    except TruegainError:
        there = None
    if there != digest:
        raise InputError(
            "it is there already and is the key of another list, whose labels would be lost without it",
            file=shown_path(path), hint=ANOTHER_FILE,
        )  # fmt: skip


def texts_there(path: PathLike, digest: str, rows: int) -> dict[str, list[str]]:
    """The texts in a sheet of the same list that is there already, in the order of the list; none where it has none."""
    if is_remote(os.fspath(path)) or not Path(path).is_file() or not Path(path).stat().st_size:
        return {}
    try:
        with guarded(()):
            text, kind, file = loaded(path)
        table = None if kind in (None, "nested") else tabular.read(text, kind, file)
    except TruegainError:
        return {}
    if table is None or digest_in(table) != digest:
        return {}
    names = [str(name).strip().lower() for name in table.columns]
    order = table.column(names.index("order")) if "order" in names else []
    place = {number_of(value): row for row, value in enumerate(order)}
    if any(at not in place for at in range(1, rows + 1)):
        return {}
    columns = {name: table.column(names.index(name)) for name in TEXTS if name in names}
    cells = {name: unguarded(table, ["" if is_missing(x) else x for x in column]) for name, column in columns.items()}
    return {name: [column[place[at]] for at in range(1, rows + 1)] for name, column in cells.items()}


def for_people(columns: Mapping[str, Sequence[Any]], kind: str) -> dict[str, list[Any]]:
    """Columns of a sheet; in CSV and TSV no cell is a formula to a spreadsheet."""
    if kind not in ("csv", "tsv"):
        return {name: list(values) for name, values in columns.items()}
    long = sum(len(str(text)) > CELL for name in TEXTS for text in columns.get(name, ()))
    if long:
        warn(f"{long:,} texts have more than {CELL:,} characters, which spreadsheets cut off; write .jsonl for them")
    return {name: [harmless(value) for value in values] for name, values in columns.items()}


def same_id(there: object, known: str) -> bool:
    """Whether an id of a sheet is that of the key: a spreadsheet makes 1 of 001, and a formula has a quote before it.

    >>> same_id("1", "001"), same_id("'=a", "=a"), same_id(7.0, "7"), same_id("b", "a")
    (True, True, True, False)
    """
    text = str(there).strip()
    if text in (known, known.strip(), f"'{known}"):
        return True
    numbers = number_of(text), number_of(known)
    return numbers[0] is not None and numbers[0] == numbers[1]


def labels_by_order(table: Any, file: str, topics: Sequence[str], docs: Sequence[str]) -> dict[int, tuple[int, Any]]:
    """Of each row of a list that a sheet has a label for: the sheet's own row, and the label as it stands there.

    Rows may be sorted otherwise, and those without a label may be gone; a row is known by its order, and its topic and
    document are held against those of the key.
    """
    names = [str(name).strip().lower() for name in table.columns]
    columns = {n: table.column(names.index(n)) for n in ("order", "topic", "doc", "label") if n in names}
    if "label" not in columns:
        raise InputError("there is no column label", file=file, hint="fill in the column label of the sheet")
    found: dict[int, tuple[int, Any]] = {}
    for row, value in enumerate(columns["order"]):
        if is_missing(value) and all(is_missing(column[row]) for column in columns.values()):
            continue  # a row that is empty
        where: dict[str, Any] = table.places.of(row) if hasattr(table, "places") else {"row": row + 1}
        number = number_of(value)
        at = int(number) - 1 if number is not None and number.is_integer() else -1
        if not 0 <= at < len(topics):
            raise InputError(f"order {value} is none of the list, which has 1 to {len(topics):,}", file=file, **where)
        for name, known in (("topic", topics[at]), ("doc", docs[at])):
            if name in columns and not same_id(columns[name][row], known):
                raise InputError(
                    f"order {at + 1} is {name} {known} in the key, and {columns[name][row]} here", file=file, **where,
                    hint="sort whole rows, not single columns; take the sheet as it was written",
                )  # fmt: skip
        if is_missing(columns["label"][row]) or not str(columns["label"][row]).strip():
            continue
        if at in found:
            raise InputError(f"order {at + 1} stands there twice", file=file, **where, hint="keep one")
        found[at] = row, columns["label"][row]
    return found
