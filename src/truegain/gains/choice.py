"""Whose ratings count, and how much: one way for everything that reads ratings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from truegain.errors import InputError, TruegainError, some
from truegain.gains.assessors import ENOUGH, correlations, people_of
from truegain.tables.assessor_list import read_names, read_weights
from truegain.tables.checks import counted, warn
from truegain.tables.columns import Coded, Floats, Ints, frozen
from truegain.tables.grouped import Grouped, item_keys
from truegain.tables.judgments import Judgments
from truegain.tables.ranked import earlier
from truegain.tables.scale import Scale

FLAGGED, AGREEMENT = "flagged", "agreement"
FEWEST = 3  # assessors from which on some agree more with the rest than others
NAMED = 8  # assessors that a message lists

Drop = str | os.PathLike[str] | Sequence[str]
Weigh = str | os.PathLike[str] | Mapping[str, float]


def chosen(
    ratings: Judgments,
    *,
    drop_assessors: Drop | None = None,
    first: int | None = None,
    expert: Judgments | None = None,
    normalize: str | None = None,
    scale: Scale | str | None = None,
) -> Judgments:
    """The ratings that count; what is left out is told.

    drop_assessors: names, a file of them (see `read_names`), or 'flagged': those that `agree` finds worth a
    second look, from the same `scale`, `normalize` and `expert`.  They are named once, from all ratings: whoever stands
    out only when these are gone stays.
    first: then the first so many ratings of each document, in the order of the table.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("aaab"), "assessor": list("xyzx"), "label": [1, 2, 3, 0]})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> chosen(Judgments.of(frame), drop_assessors=["y"], first=1).label.tolist()
    [1.0, 0.0]
    """
    if drop_assessors is not None:
        ratio = Scale.of(scale).level == "ratio"
        ratings = _without(ratings, drop_assessors, expert, normalize, ratio)
    return ratings if first is None else _first(ratings, first)


def _without(ratings: Judgments, drop: Drop, expert: Judgments | None, normalize: str | None, ratio: bool) -> Judgments:
    assert ratings.assessor is not None
    if drop == FLAGGED:
        people = people_of(ratings, expert, normalize=normalize, ratio=ratio)
        names = [a.assessor for a in people if a.look]
    else:
        names = read_names(drop) if isinstance(drop, str | os.PathLike) else list(drop)
    there = set(ratings.assessor.values)
    wanted = list(dict.fromkeys(n for n in names if n in there))
    lost = [n for n in dict.fromkeys(names) if n not in there]
    if lost and not wanted:
        raise InputError(
            f"{some(lost)}: no assessor to leave out is among those who rated ({some(ratings.assessor.values)})",
            file=ratings.source,
            hint="write names as the ratings do",
        )
    if lost:
        warn(f"{counted(len(lost), 'assessor')} to leave out did not rate anything: {some(lost, NAMED)}")
    if not wanted:
        warn("no assessor is left out: none is worth a second look")
        return ratings
    gone = np.isin(ratings.assessor.code, [ratings.assessor.values.index(n) for n in wanted])
    if gone.all():
        raise InputError("all assessors are left out", file=ratings.source, hint="leave out fewer")
    kept = _only(ratings, np.flatnonzero(~gone))
    documents = len(np.unique(item_keys(ratings))) - len(np.unique(item_keys(kept)))
    lose = f"; {counted(documents, 'document')} had no other and {_are(documents)} unjudged now" if documents else ""
    warn(
        f"{len(wanted)} of {counted(len(there), 'assessor')} left out"
        f"{', worth a second look,' if drop == FLAGGED else ''} with {int(gone.sum()):,} of {len(gone):,} ratings: "
        f"{some(wanted, NAMED)}{lose}"
    )
    return kept


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _first(ratings: Judgments, most: int) -> Judgments:
    if most < 1:
        raise TruegainError(f"first {most} ratings of a document are none; give 1 or more")
    rows = np.flatnonzero(earlier(item_keys(ratings)) < most)
    if len(rows) < len(ratings):
        warn(f"the first {most} of each document count: {len(rows):,} of {counted(len(ratings), 'rating')}")
    return _only(ratings, rows)


def _only(ratings: Judgments, rows: Ints) -> Judgments:
    """Some rows, without topics and assessors that have none of them."""
    kept = ratings.take(rows)
    assert kept.assessor is not None
    return replace(kept, topic=_used(kept.topic), assessor=_used(kept.assessor))


def _used(column: Coded) -> Coded:
    used, code = np.unique(column.code, return_inverse=True)
    return Coded(tuple(column.values[u] for u in used.tolist()), frozen(code.astype(np.int32)))


# ---------------------------------------------------------------------- how much each counts


def weights_of(ratings: Grouped, weigh: Weigh, *, logs: bool = False) -> dict[str, float]:
    """How much each assessor counts: as given, or by agreement.

    'agreement': max(0, tanh s), s = m + t^2/(t^2 + e^2) (z - m), z = atanh r of the correlation r with the mean of the
    others over n documents (as `agree` tells it, 0 for one rating throughout), e^2 = 1/(n - 3); m and t^2 are
    the mean of all and how far they differ beyond such errors (DerSimonian and Laird 1986).  So few ratings tell little
    of an assessor, and where assessors do not differ all count alike.  Weights are over their mean by ratings.

    >>> import polars as pl
    >>> rows = [(f"d{i}", who, v) for i in range(30) for who, v in (("a", i), ("b", i + i % 2), ("c", -(i % 5)))]
    >>> frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    >>> {who: round(w, 2) for who, w in weights_of(Grouped.of(Judgments.of(frame)), "agreement").items()}
    {'a': 1.5, 'b': 1.5, 'c': 0.0}
    """
    assert ratings.judgments.assessor is not None
    names = ratings.judgments.assessor.values
    if weigh == AGREEMENT:
        weight = _by_agreement(ratings, logs)
    else:
        given = read_weights(weigh) if isinstance(weigh, str | os.PathLike) else dict(weigh)
        lost = [n for n in names if n not in given]
        if lost:
            raise TruegainError(
                f"{len(lost)} of {len(names)} assessors have no weight: {some(lost, NAMED)}; give one for each, 0 to "
                "leave an assessor out"
            )
        weight = np.array([float(given[n]) for n in names])
    mean = float(weight[ratings.assessor].mean())
    if not (np.isfinite(weight).all() and (weight >= 0).all() and mean > 0):
        raise TruegainError("weights of assessors must be finite, at least 0, and not all 0")
    return dict(zip(names, (weight / mean).tolist(), strict=True))


def _by_agreement(ratings: Grouped, logs: bool) -> Floats:
    correlation, n = correlations(ratings, logs=logs)
    known = ~np.isnan(correlation) & (n >= ENOUGH)
    if known.sum() < FEWEST:
        raise TruegainError(
            f"{int(known.sum())} assessors share {ENOUGH} documents or more with others, on which ratings differ; "
            f"weights by agreement need {FEWEST}"
        )
    z = np.arctanh(correlation[known].clip(-1 + 1e-9, 1 - 1e-9))
    error = 1 / (n[known] - 3)
    middle, spread = _pooled(z, error)
    shrunk = np.full(len(n), middle)
    shrunk[known] += spread / (spread + error) * (z - middle)
    return np.asarray(np.maximum(0.0, np.tanh(shrunk)), np.float64)


def _pooled(value: Floats, variance: Floats) -> tuple[float, float]:
    """The mean of values with errors, and the variance between them beyond these (DerSimonian and Laird 1986)."""
    w = 1 / variance
    fixed = float((w * value).sum() / w.sum())
    beyond = float((w * (value - fixed) ** 2).sum()) - (len(value) - 1)
    between = max(0.0, beyond / float(w.sum() - (w**2).sum() / w.sum()))
    w = 1 / (variance + between)
    return float((w * value).sum() / w.sum()), between


def row_weights(ratings: Grouped, by_name: Mapping[str, float]) -> Floats:
    """How much each rating counts, in the order of the table: its assessor's weight, N ratings of a document N in all.

    A document all of whose assessors have weight 0 gets none, and no gain.
    """
    assert ratings.judgments.assessor is not None
    each = np.array([by_name[n] for n in ratings.judgments.assessor.values])[ratings.assessor]
    total = np.add.reduceat(each, ratings.begin[:-1])
    share = np.divide(ratings.count, total, out=np.zeros(len(total)), where=total > 0)
    weight = np.empty(len(each))
    weight[ratings.order] = each * share[ratings.item]
    return weight


def tell_weights(by_name: Mapping[str, float]) -> None:
    """Tell how far the weights of assessors lie apart."""
    weight = sorted(by_name.values())
    none = sum(w == 0 for w in weight)
    warn(
        f"assessors count {weight[0]:.2f} to {weight[-1]:.2f} times the mean"
        + (f"; {none} of {len(weight)} count nothing" if none else "")
    )
