"""Several assessors behind the bronze labels: one label made of theirs, and how accurate each of them is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from truegain._version import __version__
from truegain.errors import InputError, TruegainError, some
from truegain.gains.make import aggregate
from truegain.gains.rules import Rule
from truegain.message import JUDGE_QUALITY, Message, arg
from truegain.sampling.designs import Design, check_design
from truegain.student import quantile_of, wilson
from truegain.tables.assessor_list import CHANCE, INVERTED, POOLED
from truegain.tables.columns import Floats
from truegain.tables.grouped import item_keys
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RatingsLike
from truegain.tables.paper import counted
from truegain.tables.pool import Pool
from truegain.tables.ratings import read_ratings
from truegain.tables.table import Cell, Table

FEW = 10  # gold pairs of a kind, below which an assessor's accuracy is a guess


def bronze_of(data: Any, rule: str | Rule | None = None) -> tuple[Judgments, tuple[str, ...]]:
    """One bronze label a document, and what must be said about it.

    With a rule it is made of the ratings, as in `aggregate`; without one there must be one label a document.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": list("xyz"), "label": [0, 1, 1]})
    >>> labels, said = bronze_of(frame, "majority")
    >>> labels.label.tolist(), said
    ([1.0], ('The bronze label of a document is the majority of its ratings: 3 by 3 assessors, of 1 document.',))
    """
    if rule is not None:
        ratings = read_ratings(data)
        assert ratings.assessor is not None
        made = aggregate(ratings, rule)
        documents = f"{len(made):,} document{'' if len(made) == 1 else 's'}"
        by = f"{len(ratings):,} by {counted(len(ratings.assessor.values), 'assessor')}, of {documents}"
        return made, (f"The bronze label of a document is the {rule} of its ratings: {by}.",)
    table = Judgments.of(data)
    if table.assessor is None or len(table.assessor.values) < 2:
        return table, ()
    who = len(table.assessor.values)
    if several := rated_by_several(table):
        raise InputError(
            f"{several:,} documents were labelled by several of {who:,} assessors",
            file=table.source,
            hint=f"say how their ratings become one label ({arg('aggregate', 'majority')}, or supermajority, mean, "
            f"...); {JUDGE_QUALITY} shows how accurate each of them is",
        )
    return table, (f"The bronze labels are by {who:,} assessors, measured together as one judge.",)


def is_ratings(data: object) -> bool:
    """Whether documents have labels of several assessors."""
    table = Judgments.of(data)
    return table.assessor is not None and rated_by_several(table) > 0


def rated_by_several(table: Judgments) -> int:
    """How many documents have more than one rating."""
    return int((np.unique(item_keys(table), return_counts=True)[1] > 1).sum())


@dataclass(frozen=True)
class _RightShare:
    """A share of right labels, and how many independent labels would know it as well."""

    right: float
    all: float
    effective: float

    @property
    def value(self) -> float | None:
        return self.right / self.all if self.all else None

    def limits(self, z: float) -> tuple[float, float]:
        """Wilson's interval."""
        assert self.value is not None
        low, high = wilson(self.value, self.effective, z)
        return float(low), float(high)


def assessor_table(
    ratings: RatingsLike,
    gold: JudgmentsLike,
    *,
    design: Design | None = None,
    levels: tuple[float, float] = (1.0, 1.0),
    confidence: float = 0.95,
) -> Table:
    """How accurate each assessor is on the gold pairs they labelled: mR, mN, D with its interval, worst first.

    D = mR - (1 - mN) is a difference of two shares; its interval is Newcombe's, with as many labels as would be as
    sure if labels of a topic were independent (Kish).  Assessors with fewer than ten gold pairs of a kind are marked
    and listed after the others.

    Newcombe 1998, Statistics in Medicine 17(8), method 10.

    >>> import polars as pl
    >>> said = {"good": [1, 1, 0, 0], "spam": [1, 1, 1, 1]}
    >>> rows = [(d, who, label) for who, labels in said.items() for d, label in zip("abcd", labels)]
    >>> frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    >>> table = assessor_table(frame, {"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, design="random")
    >>> [(r["assessor"], r["mR"], r["mN"], r["D"]) for r in table.records()]
    [('spam', 1.0, 0.0, 0.0), ('good', 1.0, 1.0, 1.0), ('(all)', 1.0, 0.5, 0.5)]
    """
    check_design(design)
    if design == "by-bronze":
        raise TruegainError(
            "gold drawn by bronze label favours assessors who said what the drawn label says; make one label of the "
            f"ratings ({arg('aggregate')}) to measure that, or draw gold pairs at random to measure each assessor"
        )
    table = read_ratings(ratings)
    assert table.assessor is not None
    truth, topic = _gold_of_rows(table, Judgments.of(gold, "gold"), levels[1])
    seen = ~np.isnan(truth) & (table.label >= 0)
    if not seen.any():
        raise InputError(
            "no gold pair was labelled by any assessor", file=table.source, hint="do they belong together?"
        )
    right = (table.label >= levels[0]) == (truth == 1)
    code, z = table.assessor.code, quantile_of(confidence)
    rows = [
        _row(name, _rates(right[mine], truth[mine], topic[mine]), int((code == i).sum()), z)
        for i, name in enumerate(table.assessor.values)
        for mine in [seen & (code == i)]
    ]
    rows.sort(key=_worst_first)
    everyone = _row(POOLED, _rates(right[seen], truth[seen], topic[seen]), len(table), z)
    columns = ("assessor", "labels", "gold relevant", "mR", "gold non-relevant", "mN", "D", "low", "high", "note")
    made_by = {"truegain": __version__, "design": design, "levels": list(levels), "confidence": confidence}
    title = f"accuracy by assessor, worst first (D with {confidence:.0%} interval)"
    return Table(columns, [*rows, everyone], made_by, title, _said(rows))


def _gold_of_rows(table: Judgments, gold: Judgments, level: float) -> tuple[Floats, np.ndarray]:
    """For each rating 1 or 0 by the gold label of its document, NaN where there is none; and its topic."""
    pool = Pool.of(gold)
    item = pool.find(table.topic, table.docs)
    label = np.where(item >= 0, pool.labels[item], -1.0)
    return np.where(label < 0, np.nan, label >= level), table.topic.code


def _rates(right: np.ndarray, truth: Floats, topic: np.ndarray) -> tuple[_RightShare, _RightShare]:
    """Rates mR and mN."""

    def one(kind: float) -> _RightShare:
        mine = truth == kind
        n, k = int(mine.sum()), int(right[mine].sum())
        if n == 0:
            return _RightShare(0.0, 0.0, 0.0)
        p = (k + 0.5) / (n + 1)
        moves = np.bincount(topic[mine], right[mine] - k / n)
        topics = len(np.unique(topic[mine]))
        over = float(moves @ moves) / n**2 * topics / (topics - 1) if topics > 1 else 0.0
        return _RightShare(k, n, n / max(1.0, over / (p * (1 - p) / n)))

    return one(1.0), one(0.0)


def _row(name: str, rates: tuple[_RightShare, _RightShare], labels: int, z: float) -> tuple[Cell, ...]:
    r, n = rates
    d = low = high = None
    note = ""
    if r.value is None or n.value is None:
        lacking = [kind for kind, rate in (("relevant", r), ("non-relevant", n)) if rate.value is None]
        note = f"no gold-{' or '.join(lacking)} pair"
    else:
        d = r.value + n.value - 1
        (l_r, u_r), (l_n, u_n) = r.limits(z), n.limits(z)
        low = d - math.hypot(r.value - l_r, n.value - l_n)
        high = d + math.hypot(u_r - r.value, u_n - n.value)
        if min(r.all, n.all) < FEW:
            note = "few gold pairs"
        elif high < 0:
            note = INVERTED
        elif low <= 0:
            note = CHANCE
    return name, labels, int(r.all), r.value, int(n.all), n.value, d, low, high, note


def _worst_first(row: tuple[Cell, ...]) -> tuple[int, float, str]:
    d, note = row[6], str(row[-1])
    return (2, 0.0, str(row[0])) if d is None else (int(note == "few gold pairs"), float(d), str(row[0]))


def _said(rows: list[tuple[Cell, ...]]) -> tuple[str, ...]:
    """What the table comes to."""
    few = [str(r[0]) for r in rows if r[6] is None or r[-1] == "few gold pairs"]
    chance = [str(r[0]) for r in rows if r[-1] in (CHANCE, INVERTED)]
    lost = sum(int(r[1] or 0) for r in rows if r[-1] in (CHANCE, INVERTED))
    said: list[str] = []
    if chance:
        whole = sum(int(r[1] or 0) for r in rows)
        said.append(
            Message(
                f"{len(chance)} of {len(rows)} assessors are not clearly better than chance ({some(chance)}); they "
                f"gave {lost / whole:.0%} of the labels. Leave them out, or make the bronze label by a rule that "
                f"weighs assessors ({arg('aggregate', 'dawid-skene')})."
            )
        )
    if few:
        said.append(
            f"{len(few)} of {len(rows)} assessors have fewer than {FEW} gold pairs of a kind: nothing can be said of "
            "them one by one; they count in the last line."
        )
    return tuple(said)
