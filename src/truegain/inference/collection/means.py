"""Means over topics and how far they move over collections: MAP, L-MAP and G-MAP, by bootstrap and from the parts."""

from __future__ import annotations

import numpy as np

from truegain.inference.collection.spread import EPSILON, FLOOR, JOINT, CollectionSpread
from truegain.inference.intervals.limits import inverse_logits, linear, logits
from truegain.inference.results import Estimate
from truegain.tables.columns import Floats, Ints


def mean_estimates(spread: CollectionSpread, method: str = "bootstrap", topics_too: bool = False) -> list[Estimate]:
    """MAP of every system with its interval over collections, the topics held fixed or drawn as well.

    'bootstrap': the spread of MAP over the drawn collections, normal on the logit of MAP;
    'percentile': its quantiles; 'parametric': variances of logit(AP), weighted by (AP - AP^2)^2 and averaged, which
    carries the logit's spread over to AP by its derivative (Cormack and Lynam 2006, section 8; topics fixed only).
    """
    values = _means(spread.ap, spread.counted)
    drawn = spread.means[JOINT if topics_too else "MAP"]
    se = drawn.sd
    if method == "parametric" and not topics_too:
        weight = (spread.ap - spread.ap**2) ** 2
        se = np.sqrt(np.nansum(weight * spread.sd_logit**2, axis=1)) / spread.counted
        limits = linear(values, se, spread.confidence)
        low, high = limits.low, limits.high
    elif method == "percentile":
        low, high = drawn.low, drawn.high
    else:
        limits = linear(logits(values, EPSILON), drawn.sd_logit, spread.confidence)
        low, high = inverse_logits(limits.low), inverse_logits(limits.high)
    return _estimates(spread, "AP", values, (low, high), se, method, topics_too)


def logistic_mean_estimates(spread: CollectionSpread) -> list[Estimate]:
    """L-MAP: the mean of logit(AP) over topics, with the spread the drawn collections give it.

    L-MAP = (1/k) sum of ln(AP / (1 - AP)), AP kept within epsilon of 0 and 1
    """
    values = _means(logits(spread.ap, EPSILON), spread.counted)
    se = spread.means["L-MAP"].sd
    limits = linear(values, se, spread.confidence)
    return _estimates(spread, "L-MAP", values, (limits.low, limits.high), se, "bootstrap")


def geometric_mean_estimates(spread: CollectionSpread) -> list[Estimate]:
    """G-MAP: the geometric mean of AP over topics, AP at least 0.00001, normal on its logarithm."""
    logs = _means(np.log(np.maximum(spread.ap, FLOOR)), spread.counted)
    values = np.exp(logs)
    se = spread.means["G-MAP"].sd
    limits = linear(logs, se / values, spread.confidence)
    return _estimates(spread, "GMAP", values, (np.exp(limits.low), np.exp(limits.high)), se, "bootstrap")


def _means(matrix: Floats, counted: Ints) -> Floats:
    total = np.nansum(matrix, axis=1)
    return np.asarray(np.divide(total, counted, out=np.full(len(total), np.nan), where=np.asarray(counted) > 0))


def _estimates(
    spread: CollectionSpread,
    measure: str,
    value: Floats,
    limits: tuple[Floats, Floats],
    se: Floats,
    method: str,
    topics_too: bool = False,
) -> list[Estimate]:
    return [
        Estimate(
            system,
            measure,
            float(value[s]),
            float(limits[0][s]),
            float(limits[1][s]),
            level=spread.confidence,
            over="topics+collection" if topics_too else "collection",
            method=method,
            se=float(se[s]),
            n=int(spread.counted[s]),
        )
        for s, system in enumerate(spread.systems)
    ]
