"""How magnitudes were collected, topic by topic: documents, units, the known documents, back button, failed checks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from truegain.experiments.magnitude_units import anchor_rows
from truegain.gains.magnitudes import units
from truegain.tables.columns import Bools, Floats
from truegain.tables.judgments import Judgments
from truegain.tables.raw import number_of
from truegain.tables.table import Cell, Table

ALL = "all"


class Counted(NamedTuple):
    """What is counted of a unit: its column in the ratings, how the table calls it, and how sentences do."""

    column: str
    short: str
    done: str
    named: str


COUNTED = (
    Counted("backs", "back", "used the back button", "uses of the back button"),
    Counted("sent_back", "failed", "failed a final check before they were accepted", "failed checks"),
)


def collected_table(table: Judgments) -> Table:
    """Each topic: its documents, units and known documents; units by uses of the back button and by failed checks.

    `back 0`, `back 1`, `back 2+` count units in which the back button was used never, once, more often (the column
    `backs`), `failed 0`, `failed 1`, `failed 2+` those that the final checks sent back so often before they were
    accepted (`sent_back`); the export of a judging study has both columns.  Without one, its counts are undefined.

    Maddalena et al. 2017, ACM TOIS 35(3), table I.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("abab"), "assessor": list("xxyy"), "label": [9, 1, 8, 2],
    ...                       "anchor": ["high", "low"] * 2, "backs": [0, 0, 3, 3]})
    >>> record = collected_table(Judgments.of(frame)).records()[0]
    >>> [record[name] for name in ("documents", "units", "Hk", "Nk", "back 0", "back 1", "back 2+", "failed 0")]
    [2, 2, 'a', 'b', 1, 0, 1, None]
    """
    unit, _ = units(table)
    first = np.unique(unit, return_index=True)[1]
    given = [(what, _numbers(table, what.column)[first]) for what in COUNTED]
    topic, docs = table.topic.code, np.array(table.docs.strings(), object)
    known = [anchor_rows(table, names) for names in (("high", "h"), ("low", "n"))]
    parts: list[tuple[str, Bools]] = [(name, topic == code) for code, name in enumerate(table.topic.values)]
    if len(parts) > 1:
        parts.append((ALL, np.ones(len(table), np.bool_)))
    rows: list[tuple[Cell, ...]] = []
    for name, here in parts:
        named = [", ".join(sorted(set(docs[here & mark]))) or None if name != ALL else None for mark in known]
        pairs = {(int(t), d) for t, d in zip(topic[here], docs[here], strict=True)}
        counts = [_counts(values[here[first]]) for _, values in given]
        rows.append((name, len(pairs), int(here[first].sum()), *named, *counts[0], *counts[1]))
    shares = [f"{_shared(values)} {what.done}" for what, values in given if _known(values)]
    notes = [f"of {len(first):,} units {', '.join(shares)}"] if shares else []
    notes += [
        f"{what.named} are not known: there is no column '{what.column}'"
        for what, values in given if not _known(values)
    ]  # fmt: skip
    columns = ("topic", "documents", "units", "Hk", "Nk",
               *(f"{what.short} {many}" for what in COUNTED for many in ("0", "1", "2+")))  # fmt: skip
    return Table(columns, rows, {"source": table.source}, "How magnitudes were collected", tuple(notes))


def _numbers(table: Judgments, name: str) -> Floats:
    """A column of counts; not a number where it is not there or empty."""
    cells = table.extra.get(name)
    if cells is None:
        return np.full(len(table), np.nan)
    return np.array([np.nan if (n := number_of(cell)) is None else n for cell in cells], np.float64)


def _counts(values: Floats) -> tuple[Cell, ...]:
    """How many are 0, 1, and more; undefined where none is known."""
    if not _known(values):
        return None, None, None
    return int((values == 0).sum()), int(((values > 0) & (values < 2)).sum()), int((values >= 2).sum())


def _known(values: Floats) -> bool:
    return bool((~np.isnan(values)).any())


def _shared(values: Floats) -> str:
    return f"{float((values[~np.isnan(values)] > 0).mean()):.1%}"
