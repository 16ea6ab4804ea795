"""Each document: how far the assessors who rated it agree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from truegain.inference.agreement.kappa import ratio_spreads
from truegain.tables.alike import alike
from truegain.tables.columns import Floats, shares
from truegain.tables.grouped import Grouped
from truegain.tables.table import Cell, Table, cells


def documents_table(ratings: Grouped, is_ratio: bool, made_by: Mapping[str, object] | None = None) -> Table:
    """Every document: its ratings, the least, median and greatest, and the share of pairs of ratings that are equal.

    With `is_ratio`, for magnitudes: max/min, and the geometric standard deviation exp(sd of ln x) (Kirkwood 1979).
    Alpha is not a property of one document, for chance is told from the differences between documents.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("aab"), "assessor": list("xyx"), "label": [1, 4, 2]})
    >>> print(documents_table(Grouped.of(tg.read_ratings(frame)), True))
    By document
    <BLANKLINE>
    topic  doc  ratings   least  median  greatest   equal  max/min  geometric sd
    1      a          2  1.0000  2.5000    4.0000  0.0000   4.0000        2.6651
    1      b          1  2.0000  2.0000    2.0000       -        -             -
    <BLANKLINE>
    undefined (-) for 1 document with one rating; alpha is of many documents, not of one
    """
    table, first = ratings.judgments, ratings.order[ratings.begin[:-1]]
    columns: dict[str, list[Cell]] = {
        "topic": [table.topic.values[c] for c in table.topic.code[first]],
        "doc": list(table.docs.take(first).strings()),
    }
    if len(table.subtopic.values) > 1:
        columns["subtopic"] = [table.subtopic.values[c] for c in table.subtopic.code[first]]
    value, begin, count = ratings.value[ratings.ascending], ratings.begin[:-1], ratings.count
    columns["ratings"] = count.tolist()
    columns["least"] = value[begin].tolist()
    columns["median"] = (value[begin + (count - 1) // 2] / 2 + value[begin + count // 2] / 2).tolist()
    columns["greatest"] = value[begin + count - 1].tolist()
    columns["equal"] = list(cells(_equal(ratings)))
    single = int((count == 1).sum())
    notes = ["alpha is of many documents, not of one"]
    if single:
        notes = [f"undefined (-) for {single} document{'s' * (single > 1)} with one rating; {notes[0]}"]
    if is_ratio and float(ratings.value.min()) > 0:
        spreads = ratio_spreads(ratings)
        columns |= {name: list(cells(s)) for name, s in zip(("max/min", "geometric sd"), spreads, strict=True)}
        if great := int(np.isinf(spreads).any(axis=0).sum()):
            notes.append(f"undefined for {great} whose ratio is too great for a number to hold")
    elif is_ratio:
        notes.append(f"no ratios: a rating is {float(ratings.value.min()):g}")
    rows = list(zip(*columns.values(), strict=True))
    return Table(tuple(columns), rows, dict(made_by or {}), "By document", tuple(notes))


def _equal(ratings: Grouped) -> Floats:
    """Share of pairs of an item's ratings that are equal; not a number for one rating."""
    same = np.bincount(ratings.item, weights=alike(ratings.item, ratings.value) - 1, minlength=len(ratings))
    pairs = ratings.count * (ratings.count - 1)
    return shares(same, pairs)
