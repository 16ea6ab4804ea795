"""Reading lists of pairs to be gold-judged: what was changed is told by its row."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from truegain.data.judgments import Judgments, judgments_of_columns, read_judgments
from truegain.data.label_lists import CANNOT, COLUMNS, TEXTS, GoldList, digest_in, key_beside, labels_by_order
from truegain.errors import InputError
from truegain.io import formats, named_tables
from truegain.io.columns import Floats, Places, frozen
from truegain.io.file_options import ColumnNames, Header, file_options, label_of
from truegain.io.files import STANDARD_INPUT, PathLike
from truegain.io.frames import is_frame, opened
from truegain.io.named_tables import Columns, is_missing, option_for_words, renamed, unguarded
from truegain.io.trec import loaded
from truegain.message import FILL_LIST, SAMPLE_GOLD, UNJUDGED_SAMPLE_OF_STUDY

AGAIN = f"take the list as it was written, and put the labels into it by {FILL_LIST}"
SAMPLE = (
    f"give labels of a random sample of unjudged documents as they are to {UNJUDGED_SAMPLE_OF_STUDY}; fill in a list "
    f"of {SAMPLE_GOLD}"
)
MARKS = ("order", "size", "probability", "digest")  # two of these make a table a list
ROUNDED = 0.01  # of a size or probability, that a spreadsheet may have cut off


def gold_list_of(data: object) -> GoldList | None:
    """A gold list, or a frame or path (which is read here) that holds one, as such; None for all else."""
    if isinstance(data, GoldList):
        return data
    if isinstance(data, Judgments):
        return None
    table, file = _table(data)
    if table is None or sum(mark in _names(table) for mark in MARKS) < 2:
        return None
    return _joined(table, file, data)


def read_gold_list(path: PathLike) -> GoldList:
    """Read a list that `GoldList.write` wrote, with labels down to some row.

    Parameters
    ----------
    path : str or path-like
        The sheet that people filled in (its key must be beside it), or a file that holds both.

    Returns
    -------
    GoldList
        What a study takes as ``gold``; its `filled` puts further labels in.

    Examples
    --------
    >>> import tempfile, truegain as tg
    >>> runs = {s: {t: {d: float(s.find(d)) for d in s} for t in "1234"} for s in ("abc", "bca")}
    >>> listed = tg.sample_gold(runs, {t: {"a": 1, "b": 0, "c": 0} for t in "1234"}, "P@1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     listed.write(f"{folder}/list.csv")
    ...     again = tg.read_gold_list(f"{folder}/list.csv")
    >>> again.filled({again.topics[0]: {again.docs[0]: 1}}).judged
    1
    """
    table, file = _table(path)
    if table is None:
        raise InputError("not a gold list: its columns have no names", file=file, hint=AGAIN)
    return _joined(table, file, path)


def labels_in(path: PathLike, listed: GoldList | None = None, columns: ColumnNames | None = None) -> Judgments | None:
    """Labels from any file of judgments; of a table, also of a list, the rows that have one.

    None where people could judge none of the rows that they were given: see `cannot_in`.

    listed: whose sheet it may be: then rows are known by their order, whatever a spreadsheet made of ids.
    """
    header = Header.of(columns) if columns is not None else None
    table, file = _table(path, header)
    if table is None:
        return Judgments.of(path) if columns is None else read_judgments(path, columns=columns)
    places = table.places if isinstance(table, named_tables.RawTable) else Places.rows(len(table.column(0)))
    if _is_sheet_of(listed, table):
        rows = _rows_with_labels(table, file, listed, cannot=False)
        keep, values = [row for _, (row, _) in rows], [value for _, (_, value) in rows]
        topics, docs = ([ids[at] for at, _ in rows] for ids in (listed.topics, listed.docs))
    else:
        named = renamed(Columns(table, file), header)
        cells = named._raw("label")
        keep = [i for i, x in enumerate(cells) if not (is_missing(x) or x == "" or _cannot(x))]
        values = [cells[i] for i in keep]
        topics, docs = ([ids[i] for i in keep] for ids in map(named.any_ids, ("topic", "doc")))
    if not keep:
        if cannot_in(path, listed, columns):
            return None
        raise InputError("no row has a label", file=file, hint="fill in the column label")
    at_labels = places.take(np.array(keep))
    label = _numbers("label", values, at_labels, file, _or_values("give a label of the list's scale", values))
    return judgments_of_columns(topics, docs, label, file, places=at_labels)


def cannot_in(
    path: PathLike, listed: GoldList | None = None, columns: ColumnNames | None = None
) -> list[tuple[str, str]]:
    """Topics and documents of a table whose label says that people could not judge them; else as `labels_in`."""
    header = Header.of(columns) if columns is not None else None
    table, file = _table(path, header)
    if table is None:
        return []
    if _is_sheet_of(listed, table):
        return [(listed.topics[at], listed.docs[at]) for at, _ in _rows_with_labels(table, file, listed, cannot=True)]
    named = renamed(Columns(table, file), header)
    rows = zip(named.any_ids("topic"), named.any_ids("doc"), named._raw("label"), strict=True)
    return [(topic, doc) for topic, doc, label in rows if _cannot(label)]


def _is_sheet_of(listed: GoldList | None, table: Any) -> TypeGuard[GoldList]:
    return listed is not None and "order" in _names(table) and digest_in(table) == listed.digest


def _rows_with_labels(table: Any, file: str, listed: GoldList, *, cannot: bool) -> list[tuple[int, tuple[int, Any]]]:
    """The rows of a sheet that have a label, or those that people could not judge."""
    rows = sorted(labels_by_order(table, file, listed.topics, listed.docs).items())
    return [row for row in rows if _cannot(row[1][1]) == cannot]


def _cannot(cell: Any) -> bool:
    return isinstance(cell, str) and cell.strip().lower() == CANNOT


def key_of(path: PathLike) -> str | None:
    """The key of a list that is the sheet of one; None of a list that has all in one file, and of no list."""
    table, _ = _table(path) if os.fspath(path) else (None, "")
    if table is None or "bronze" in _names(table):
        return None
    return key_beside(path, digest_in(table) or "")


def _joined(table: Any, file: str, data: object) -> GoldList:
    """A list from its one table, or from the sheet that people filled in and its key."""
    if "bronze" in _names(table) or not {"order", "digest"} <= set(_names(table)):
        return _of_table(table, file)
    if not isinstance(data, str | os.PathLike):
        hint = "give the path of the sheet, with the key in the same folder"
        raise InputError("a sheet without its key", file=file, hint=hint)
    other, name = _table(key_beside(data, digest_in(table) or ""))
    made = replace(_of_table(other, name), source=file, places=None)
    label, where = np.full(len(made), np.nan), {}
    places = table.places if isinstance(table, named_tables.RawTable) else Places.rows(len(table.column(0)))
    by_order = labels_by_order(table, file, made.topics, made.docs)
    hint = _label_hint(made.scale, [value for _, value in by_order.values()])
    cannot = set()
    for at, (row, value) in by_order.items():
        if _cannot(value):
            cannot.add(at)
            continue
        label[at] = _numbers("label", [value], places.take(np.array([row])), file, hint)[0]
        where[at] = row
    names = _names(table)
    order = {int(float(x)) - 1: row for row, x in enumerate(table.column(names.index("order"))) if not is_missing(x)}
    if len(order) == len(made):  # the sheet is whole: its texts go on, and faults are told by its rows
        rows = [order[at] for at in range(len(made))]
        columns = {n: unguarded(table, [*map(_text, table.column(names.index(n)))]) for n in TEXTS if n in names}
        texts = {n: [column[row] for row in rows] for n, column in columns.items()}
        made = replace(made, texts=texts, places=places.take(np.array(rows)))
    return replace(made, label=frozen(label), cannot=frozenset(cannot)).checked()


def _text(value: object) -> str:
    return "" if is_missing(value) else str(value)


def _table(data: object, header: Header | None = None) -> tuple[Any, str]:
    """A frame or a file with named columns, and what it is called; None for all else."""
    if not isinstance(data, str | os.PathLike):
        return opened(data) if is_frame(data) else None, "gold list"
    if os.fspath(data) in (STANDARD_INPUT, file_options().gold):  # read only once; labels in the judgments' own file
        return None, "gold list"
    text, kind, file = loaded(data, file_options().header_of(data) if header is None else header)
    return (None if kind in (None, "nested") else formats.read(text, kind, file)), file


def _names(table: Any) -> list[str]:
    return [str(name).strip().lower() for name in table.columns]


def _numbers(name: str, values: list[Any], places: Places, file: str, hint: str = AGAIN) -> Floats:
    out = np.empty(len(values))
    for row, value in enumerate(values):
        number = label_of(value) if name == "label" else named_tables.number_of(value)
        if number is None or not math.isfinite(number):
            place: dict[str, Any] = places.of(row)
            raise InputError(f"{name} is not a number", file=file, text=str(value), hint=hint, **place)
        out[row] = number
    return out


def _label_hint(scale: tuple[float, float], cells: list[Any]) -> str:
    hint = f"give a label from {scale[0]:g} to {scale[1]:g}, or {CANNOT} where people could not judge it"
    return _or_values(hint, [cell for cell in cells if not _cannot(cell)])


def _or_values(hint: str, cells: list[Any]) -> str:
    """What to do about a label that is no number; words may be given numbers."""
    option = option_for_words(cells)
    return hint if option is None else f"{hint}; or a number for each word: {option}"


def _of_table(table: Any, file: str) -> GoldList:
    names = _names(table)
    if not any(mark in names for mark in MARKS):
        raise InputError(f"not a list of {SAMPLE_GOLD}: its rows have no order", file=file, hint=SAMPLE)
    if lacking := [name for name in COLUMNS if name not in names]:
        raise InputError(f"not a complete gold list: there is no column {', '.join(lacking)}", file=file, hint=AGAIN)
    columns = {name: table.column(names.index(name)) for name in COLUMNS}
    n = len(columns["order"])
    places = table.places if isinstance(table, named_tables.RawTable) else Places.rows(n)
    if not n:
        raise InputError("the list has no rows", file=file, hint=AGAIN)
    _check_rows(columns, places, file)
    scale = _scale_of(str(columns["scale"][0]), file)
    numbers = {name: _numbers(name, columns[name], places, file) for name in ("bronze", "size", "probability")}
    columns["label"] = table.column(names.index("label")) if "label" in names else [None] * n  # a key has none
    cannot = frozenset(i for i, x in enumerate(columns["label"]) if _cannot(x))
    filled = [i for i, x in enumerate(columns["label"]) if not (is_missing(x) or x == "") and i not in cannot]
    label = np.full(n, np.nan)
    if filled:
        cells = [columns["label"][i] for i in filled]
        label[filled] = _numbers("label", cells, places.take(np.array(filled)), file, _label_hint(scale, cells))
    made = GoldList(
        tuple(map(str, columns["topic"])), tuple(map(str, columns["doc"])), frozen(numbers["bronze"]),
        frozen(numbers["size"]), frozen(label), str(columns["design"][0]), str(columns["measure"][0]), scale, file,
        places, cannot=cannot,
    )  # fmt: skip
    _check_sizes(made, numbers["probability"], file)
    if made.digest != str(columns["digest"][0]):
        raise InputError(
            "the list was changed: its digest does not match its topics, documents and bronze labels",
            file=file, hint=AGAIN,
        )  # fmt: skip
    return made.checked()


def _check_rows(columns: dict[str, list[Any]], places: Places, file: str) -> None:
    """Refuse rows in another order, and words that are not those of the other rows."""
    order = _numbers("order", columns["order"], places, file)
    wrong = np.flatnonzero(order != np.arange(1, len(order) + 1))
    if len(wrong):
        row = int(wrong[0])
        place: dict[str, Any] = places.of(row)
        raise InputError(f"order {order[row]:g} where {row + 1} is expected", file=file, **place,
                         hint="sort the rows by order; none may be left out")  # fmt: skip
    for name in ("design", "measure", "scale", "digest"):
        first = str(columns[name][0])
        other = next((r for r, v in enumerate(columns[name]) if str(v) != first), None)
        if other is not None:
            place = places.of(other)
            raise InputError(f"{name} differs from that of the other rows", file=file, text=str(columns[name][other]),
                             hint=AGAIN, **place)  # fmt: skip


def _check_sizes(made: GoldList, probability: Floats, file: str) -> None:
    """Refuse sizes and probabilities that do not fit together, but for rounding, and a list that was cut."""
    total = float(made.size.sum())
    if total < 1 - ROUNDED:
        raise InputError(f"rows are missing: the sizes of those there sum to {total:.3f}, not 1", file=file, hint=AGAIN)
    off = np.abs(made.probability - probability) > ROUNDED * np.maximum(made.probability, probability)
    if not (off.any() or total > 1 + ROUNDED):
        return
    row = int(np.flatnonzero(off)[0]) if off.any() else int(np.argmax(made.size))
    place: dict[str, Any] = (made.places or Places.rows(len(made))).of(row)
    raise InputError(
        f"size {made.size[row]:g} and probability {probability[row]:g} do not match each other and the other rows "
        f"(probability {made.probability[row]:g} is expected): the list was changed", file=file, hint=AGAIN, **place,
    )  # fmt: skip


def _scale_of(text: str, file: str) -> tuple[float, float]:
    low, _, high = text.partition(" to ")
    limits = named_tables.number_of(low), named_tables.number_of(high)
    if limits[0] is None or limits[1] is None:
        raise InputError(f"scale {text!r} does not name the lowest and the highest label", file=file, hint=AGAIN)
    return limits[0], limits[1]
