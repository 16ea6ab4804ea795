"""Labels that a person wrote into a list: no new list is written over them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from truegain.errors import InputError, TruegainError
from truegain.message import ANOTHER_FILE
from truegain.tables import tabular
from truegain.tables.guard import guarded
from truegain.tables.judgments import Judgments
from truegain.tables.named import is_missing, unguarded
from truegain.tables.read import loaded
from truegain.tables.sources import STANDARD_INPUT, PathLike, shown_path

ASIDE = ANOTHER_FILE


def keep_labels(path: PathLike, new: Mapping[tuple[str, str], float | str | None] | None = None) -> None:
    """Refuse to write over a table whose column `label` holds what is not written again.

    new: labels by topic and document that the new file will hold.
    """
    if os.fspath(path) == STANDARD_INPUT or not Path(path).is_file() or not Path(path).stat().st_size:
        return
    try:
        with guarded(()):  # what is to be written is looked at, not taken for an input
            there = _labels(path)
    except TruegainError:
        raise InputError(
            "it is there already, and whether it holds labels cannot be told", file=shown_path(path), hint=ASIDE
        ) from None
    if lost := sum(1 for pair, label in there.items() if label != _plain((new or {}).get(pair))):
        raise InputError(
            f"it is there already and holds {lost:,} {'label' if lost == 1 else 'labels'} that would be lost",
            file=shown_path(path), hint=ASIDE,
        )  # fmt: skip


def _plain(label: float | str | None) -> float | str | None:
    """A label as it is read back."""
    return label if label is None or (found := tabular.number_of(label)) is None else found


def _labels(path: PathLike) -> dict[tuple[str, str], float | str]:
    """By topic and document, or by row where these are not named; none where no column is called label."""
    if tabular.ending(os.fspath(path)) == ".qrels":
        given = Judgments.of(path)
        judged = zip(given.topic.strings(), given.docs.strings(), given.label.tolist(), strict=True)
        return {(topic, doc): label for topic, doc, label in judged if label >= 0}
    text, kind, file = loaded(path)
    if kind in (None, "nested"):
        return {}
    table = tabular.read(text, kind, file)
    names = [str(name).strip().lower() for name in table.columns]
    if "label" not in names:
        return {}
    columns = {name: table.column(names.index(name)) for name in ("topic", "doc", "label") if name in names}
    rows = range(len(columns["label"]))
    pairs = zip(*(unguarded(table, columns.get(name, rows)) for name in ("topic", "doc")), strict=True)
    return {
        pair: (str(x) if (found := tabular.number_of(x)) is None else found)
        for pair, x in zip(pairs, columns["label"], strict=True)
        if not is_missing(x) and str(x).strip()
    }
