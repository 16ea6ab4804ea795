"""Ratings gathered by item, topic and assessor, and lists of assessors to leave out or to weigh."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.data.judgments import Judgments
from truegain.data.models import rated_alone
from truegain.data.pool import Pool
from truegain.errors import InputError, TruegainError, warn
from truegain.io import formats, named_tables
from truegain.io.columns import Codes, Floats, Ints, frozen
from truegain.io.files import PathLike, read_bytes, shown_path
from truegain.io.named_tables import Columns, is_missing

# ---- Small arithmetic of ratings: which are alike, and what huge ones are divided by.

HUGE = 1e100  # numbers beyond are brought down before they are squared


def alike(item: Ints, value: Floats) -> Floats:
    """For every rating how many of its item, itself included, have the same value.

    >>> alike(np.array([0, 0, 0, 1]), np.array([2.0, 1.0, 2.0, 2.0])).tolist()
    [2.0, 1.0, 2.0, 1.0]
    """
    order = np.lexsort((value, item))
    new = np.concatenate([[True], (np.diff(value[order]) != 0) | (np.diff(item[order]) != 0)])
    run = np.cumsum(new) - 1
    out = np.empty(len(value))
    out[order] = np.bincount(run)[run]
    return frozen(out)


def scale_of(values: Floats) -> float:
    """A power of 2 by which values are divided before they are squared: 1 unless they are huge.

    >>> scale_of(np.array([1.0, 1000.0])), scale_of(np.array([1e200])) > 1e199
    (1.0, True)
    """
    greatest = float(np.abs(values).max(initial=0.0))
    return 1.0 if greatest < HUGE else float(np.ldexp(1.0, int(np.frexp(greatest)[1]) - 1))


# ---- Ratings gathered by what they are about.


@dataclass(frozen=True, eq=False)
class Grouped:
    """Ratings item by item (topic, document, subtopic): item i has rows begin[i] to begin[i + 1].

    Rows are in the order of the items; `order` tells where each stood.  `weight` says how much a rating counts.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": ["a", "b", "a"], "assessor": ["x", "x", "y"], "label": [2, 0, 3]})
    >>> ratings = Grouped.of(Judgments.of(frame))
    >>> ratings.count, ratings.total(ratings.value)
    (array([2, 1]), array([5., 0.]))
    """

    judgments: Judgments
    order: Ints
    item: Ints
    begin: Ints
    value: Floats
    assessor: Codes
    weight: Floats

    def __len__(self) -> int:
        return len(self.begin) - 1

    @classmethod
    def of(cls, ratings: Judgments, weights: Floats | None = None) -> Grouped:
        """Gather ratings; `weights` has one number of at least 0 for each of them."""
        if ratings.assessor is None:
            raise no_assessor(ratings)
        weight = np.ones(len(ratings)) if weights is None else np.asarray(weights, np.float64)
        if weight.shape != (len(ratings),):
            raise TruegainError(f"{weight.size} weights for {len(ratings)} ratings; give one for each")
        if not (np.isfinite(weight).all() and (weight >= 0).all()):
            raise TruegainError("a weight is negative or not finite; give numbers of at least 0")
        key = item_keys(ratings)
        order = np.argsort(key, kind="stable")
        new = np.concatenate([[True], np.diff(key[order]) != 0])
        begin = np.append(np.flatnonzero(new), len(key)).astype(np.int64)
        return cls(
            ratings,
            frozen(order.astype(np.int64)),
            frozen(np.cumsum(new) - 1),
            frozen(begin),
            frozen(ratings.label[order]),
            frozen(ratings.assessor.code[order]),
            frozen(weight[order]),
        )

    @cached_property
    def count(self) -> Ints:
        """Ratings per item, whatever their weight."""
        return frozen(np.diff(self.begin))

    @cached_property
    def mass(self) -> Floats:
        """Weight per item: the number of ratings where each counts once."""
        return frozen(self.total(np.ones(len(self.value))))

    @cached_property
    def topic(self) -> Codes:
        """The topic of each item, as a code of the judgments."""
        return frozen(self.judgments.topic.code[self.order[self.begin[:-1]]])

    def total(self, values: Floats) -> Floats:
        """Weighted sum per item."""
        return np.add.reduceat(values * self.weight, self.begin[:-1])

    def lowest(self, values: Floats) -> Floats:
        """Smallest per item among the rows that count; infinite where none does."""
        return np.minimum.reduceat(np.where(self.weight > 0, values, np.inf), self.begin[:-1])

    def highest(self, values: Floats) -> Floats:
        """Greatest per item among the rows that count; minus infinite where none does."""
        return np.maximum.reduceat(np.where(self.weight > 0, values, -np.inf), self.begin[:-1])

    def valued(self, values: Floats) -> Grouped:
        """These ratings with other values, in the order of the rows here."""
        return replace(self, value=frozen(values))

    @cached_property
    def ascending(self) -> Ints:
        """The rows item by item, each item's by value."""
        return frozen(np.lexsort((self.value, self.item)))

    @cached_property
    def who(self) -> Ints:
        """For every row its assessor's place among all by name, whatever the order of the rows."""
        assert self.judgments.assessor is not None
        return frozen(self.judgments.assessor.in_byte_order().code[self.order].astype(np.int64))

    @cached_property
    def place(self) -> Ints:
        """For every item its place among all by name (topic, document, subtopic), whatever the order of the rows."""
        rows, table = self.order[self.begin[:-1]], self.judgments
        topic, subtopic = (c.in_byte_order().code[rows] for c in (table.topic, table.subtopic))
        doc = table.docs.take(rows).coded().in_byte_order().code
        place = np.empty(len(rows), np.int64)
        place[np.lexsort((subtopic, doc, topic))] = np.arange(len(rows))
        return frozen(place)

    @cached_property
    def _models(self) -> list[str]:
        """The models that gave all ratings of each item; none where people gave some, who thereby check these."""
        of_row = np.empty(len(self.order), np.int64)
        of_row[self.order] = self.item
        return rated_alone(self.judgments, of_row)

    def labeled(self, gain: Floats) -> Judgments:
        """One gain an item; an item whose gain is not a number stays unjudged, and that is told."""
        rated = ~np.isnan(gain)
        if not rated.all():
            warn(f"{int((~rated).sum())} of {len(gain)} items get no label by this rule and stay unjudged")
        if not rated.any():
            raise TruegainError("no item gets a label by this rule; choose another rule")
        rows, j = self.order[self.begin[:-1]][rated], self.judgments
        columns = (j.topic.take(rows), j.docs.take(rows), frozen(gain[rated]), j.subtopic.take(rows))
        chosen = np.zeros(len(gain), np.bool_)
        np.logical_or.at(chosen, self.item, j.chosen_rows[self.order])
        models = [name for name, kept in zip(self._models, rated.tolist(), strict=False) if kept]
        extra = {"model": models} if any(models) else {}
        return Judgments(*columns, source=j.source, are_gains=True, extra=extra).marked(chosen[rated])


def item_keys(ratings: Judgments) -> Ints:
    """A number for every row, equal for rows about one (topic, document, subtopic)."""
    return Pool.of(ratings).row_item * max(1, len(ratings.subtopic.values)) + ratings.subtopic.code


def no_assessor(ratings: Judgments) -> InputError:
    """What to say where it is not known who rated."""
    return InputError(
        "the ratings do not name assessors",
        file=ratings.source,
        hint="name a column 'assessor' (or worker, annotator), or give a wide table with one column per assessor",
    )


# ---- Lists of assessors in files: whom to leave out, and how much each counts.

CHANCE = "not clearly better than chance"  # what `truegain judge check` notes of an assessor
INVERTED = "clearly worse than chance: labels inverted?"
POOLED = "(all)"  # the line of all assessors together


def read_names(path: PathLike) -> list[str]:
    """Names of assessors: one a line, or a table with a column `assessor`.

    Of a table that has a column `look`, as the assessors of `agree` are written, those worth a second look; of
    one with columns `informedness` and `note`, as those of `judge check`, those not clearly better than
    chance.
    """
    table, text, file = _table(path)
    if table is None:
        lines = (line.strip() for line in text.splitlines())
        names = [line for line in lines if line and not line.startswith("#")]
        if not names:
            raise InputError("there is no assessor", file=file, hint="write one name per line")
        return names
    names = table.ids("assessor")
    if "look" in table.names:
        return [
            n for n, why in zip(names, table._column("look"), strict=True) if not is_missing(why) and str(why).strip()
        ]
    if {"informedness", "note"} <= set(table.names):
        noted = zip(names, table._column("note"), strict=True)
        return [n for n, note in noted if note in (CHANCE, INVERTED) and n != POOLED]
    return names


def read_weights(path: PathLike) -> dict[str, float]:
    """How much each assessor counts: a table with the columns `assessor` and `weight`."""
    table, _, file = _table(path)
    if table is None or "weight" not in table.names:
        there = "" if table is None else f" among {', '.join(table.names)}"
        raise InputError(
            f"there are no columns 'assessor' and 'weight'{there}",
            file=file,
            hint="begin with a header assessor,weight",
        )
    table.matches["label"] = ["weight"]
    names, weights = table.ids("assessor"), table.numbers("label")
    for row, (name, weight) in enumerate(zip(names, weights.tolist(), strict=True)):
        if not 0 <= weight < float("inf"):
            raise table._fault("a weight is a finite number of at least 0", row, weight, "0 leaves an assessor out")
        if name in names[:row]:
            raise table._fault("an assessor has two weights", row, name, "keep one")
    return dict(zip(names, weights.tolist(), strict=True))


def _table(path: PathLike) -> tuple[Columns | None, str, str]:
    """The table that a file holds, None where its first line names no column of assessors; its text and name."""
    file = shown_path(path)
    text, marked = formats.marked(read_bytes(path), file)
    if marked is not None:
        return Columns(formats.read(text, marked, file), file), "", file
    first = text[:65536].lstrip().split(b"\n", 1)[0].decode(errors="replace").strip()
    kind = "jsonl" if first.startswith("{") else "tsv" if "\t" in first else "csv"
    named = [n.strip().strip('"').lower() for n in first.split("\t" if kind == "tsv" else ",")]
    if kind != "jsonl" and not set(named) & set(named_tables.COLUMNS["assessor"]):
        return None, text.decode(), file
    return Columns(formats.read(text, kind, file), file), "", file
