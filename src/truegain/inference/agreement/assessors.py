"""Each assessor: agreement with the rest and with experts, spread, time; and who is worth a second look."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from truegain.inference.agreement.order import expert_levels, order_agreement
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.judgments import Judgments
from truegain.tables.tabular import number_of

ENOUGH = 10  # ratings before anything is said against somebody
FAR = 3.0  # how many robust standard deviations below the others is far


@dataclass(frozen=True)
class Assessor:
    """What is known of an assessor; None is unknown, and `look` says why they are worth a second look."""

    assessor: str
    ratings: int
    mean: float
    spread: float
    equal: float | None  # share of others' ratings of the same items that are equal
    bias: float | None  # mean of own rating less the others' mean
    correlation: float | None  # with the others' mean
    low: float | None  # of the correlation, by Fisher's z
    high: float | None
    order: float | None  # pairwise order agreement with the experts
    seconds: float | None  # median time a rating
    look: str = ""


def assessors(
    ratings: Grouped, expert: Judgments | None = None, *, logs: bool = False, confidence: float = 0.95
) -> list[Assessor]:
    """Every assessor, in order of appearance; with `logs`, bias and correlation are of logarithms (magnitudes).

    The interval of a correlation r over n items is tanh(atanh r +- z/sqrt(n - 3)), Fisher 1921, and is left out for
    n < 4 and for r of 1 or -1.
    """
    table = ratings.judgments
    assert table.assessor is not None
    names = table.assessor.values
    value = np.log(ratings.value) if logs else ratings.value
    n = np.bincount(ratings.assessor, minlength=len(names)).astype(np.float64)
    mean = _mean(ratings.value, ratings.assessor, n)
    spread = np.sqrt(np.maximum(0, _mean((ratings.value - mean[ratings.assessor]) ** 2, ratings.assessor, n)))
    equal, bias, correlation, shared = _with_the_rest(ratings, value, len(names))
    lows, highs = _fisher(correlation, shared, confidence)
    order = np.full(len(names), np.nan)
    if expert is not None:
        order = _with_experts(table, expert, len(names))
    seconds = _seconds(table, len(names))
    looks = _looks(n, spread, correlation, order, seconds)
    known = (equal, bias, correlation, lows, highs, order, seconds)
    found = zip(*([_known(v) for v in values.tolist()] for values in known), strict=True)
    rows = zip(names, n, mean, spread, found, looks, strict=True)
    return [
        Assessor(name, int(count), float(m), float(s), e, b, c, low, high, o, t, ", ".join(why))
        for name, count, m, s, (e, b, c, low, high, o, t), why in rows
        if count
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _mean(values: Floats, group: np.ndarray[tuple[int], np.dtype[np.int32]], count: Floats) -> Floats:
    total = np.bincount(group, weights=values, minlength=len(count))
    out: Floats = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    return out


def _with_the_rest(ratings: Grouped, value: Floats, people: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Per assessor: share of equal ratings, mean difference and correlation with the mean of the others, items."""
    several = ratings.count[ratings.item] >= 2
    who, others = ratings.assessor[several], (ratings.count[ratings.item] - 1)[several].astype(np.float64)
    sums = np.add.reduceat(value, ratings.begin[:-1])[ratings.item]
    mine, rest = value[several], (sums - value)[several] / others
    order = ratings.ascending
    raw = ratings.value[order]
    run = np.cumsum(np.concatenate([[True], (np.diff(raw) != 0) | (np.diff(ratings.item) != 0)])) - 1
    alike = np.empty(len(raw))
    alike[order] = np.bincount(run)[run]
    n = np.bincount(who, minlength=people).astype(np.float64)
    equal = _mean((alike[several] - 1) / others, who, n)
    bias = _mean(mine - rest, who, n)
    dx, dy = mine - _mean(mine, who, n)[who], rest - _mean(rest, who, n)[who]
    xx, yy, xy = (np.bincount(who, weights=w, minlength=people) for w in (dx * dx, dy * dy, dx * dy))
    sound = (n >= 3) & (xx > 1e-12 * n) & (yy > 1e-12 * n)
    correlation = np.full(people, np.nan)
    correlation[sound] = (xy[sound] / np.sqrt(xx[sound] * yy[sound])).clip(-1, 1)
    return equal, bias, correlation, n


def _fisher(correlation: Floats, n: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Limits of correlations."""
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    sound = (n >= 4) & (np.abs(correlation) < 1)
    step = NormalDist().inv_cdf((1 + confidence) / 2) / np.sqrt(n[sound] - 3)
    low[sound], high[sound] = (np.tanh(np.arctanh(correlation[sound]) + sign * step) for sign in (-1, 1))
    return low, high


def _with_experts(table: Judgments, expert: Judgments, people: int) -> Floats:
    assert table.assessor is not None
    person = table.assessor.code.astype(np.int64)
    topics = len(table.topic.values)
    pairs = order_agreement(table.label, expert_levels(table, expert), person * topics + table.topic.code)
    who = pairs.group // topics
    return _mean(
        pairs.agrees.astype(np.float64), who.astype(np.int32), np.bincount(who, minlength=people).astype(np.float64)
    )


def _seconds(table: Judgments, people: int) -> Floats:
    out = np.full(people, np.nan)
    if "seconds" not in table.extra or table.assessor is None:
        return out
    numbers = [number_of(value) for value in table.extra["seconds"]]
    times = np.array([np.nan if number is None else number for number in numbers])
    there = np.flatnonzero(~np.isnan(times))
    order = there[np.lexsort((times[there], table.assessor.code[there]))]
    who = table.assessor.code[order]
    for person, begin, count in zip(*np.unique(who, return_index=True, return_counts=True), strict=True):
        out[person] = np.median(times[order[begin : begin + count]])
    return out


def _looks(n: Floats, spread: Floats, correlation: Floats, order: Floats, seconds: Floats) -> list[list[str]]:
    """Why an assessor is worth a second look: not a verdict, for taste and bad luck look the same."""
    looks: list[list[str]] = [[] for _ in n]
    enough = n >= ENOUGH
    for person in np.flatnonzero(enough & (spread == 0)):
        looks[person].append("gives every document the same rating")
    with np.errstate(invalid="ignore"):
        for person in np.flatnonzero(enough & (correlation < np.minimum(_far_below(correlation[enough]), 0.5))):
            looks[person].append("agrees with the rest far less than others do")
        for person in np.flatnonzero(enough & (order < 0.5)):
            looks[person].append("orders documents against the experts")
        for person in np.flatnonzero(enough & (seconds < np.nanmedian(seconds) / 3 if (seconds > 0).any() else False)):
            looks[person].append("takes less than a third of the usual time")
    return looks


def _far_below(values: Floats) -> float:
    known = values[~np.isnan(values)]
    if len(known) < 5:
        return -np.inf
    middle = float(np.median(known))
    return middle - FAR * 1.4826 * float(np.median(np.abs(known - middle)))
