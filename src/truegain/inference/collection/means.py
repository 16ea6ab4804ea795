"""The paper's own intervals over collections: MAP, L-MAP and G-MAP, by bootstrap and from the parts, and AP by topic.

They are short where topics have few relevant documents; `score.py` has what holds there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegain.errors import TruegainError
from truegain.inference.collection.score import few_relevant
from truegain.inference.collection.spread import EPSILON, METHODS, CollectionSpread
from truegain.inference.limits import inverse_logits, linear, logits, within
from truegain.inference.results import Estimate
from truegain.measures.ap import AP
from truegain.measures.base import FLOOR
from truegain.tables.columns import Floats, Ints

MEAN_METHODS = ("bootstrap", "percentile", "parametric")
BOUNDS = AP().bounds()


def mean_estimates(spread: CollectionSpread, method: str = "bootstrap") -> list[Estimate]:
    """MAP of every system with its interval over collections, the topics held fixed.

    'bootstrap': the spread of MAP over the drawn collections, normal on the logit of MAP;
    'percentile': its quantiles; 'parametric': variances of logit(AP), weighted by (AP - AP^2)^2 and averaged, which
    carries the logit's spread over to AP by its derivative (Cormack and Lynam 2006, section 8).
    """
    if method not in MEAN_METHODS:
        raise TruegainError(
            f"AP has no {method} interval over the collection; choose from t, {', '.join(MEAN_METHODS)}"
        )
    values = _means(spread.ap, spread.counted)
    drawn = spread.means["MAP"]
    se = drawn.std(axis=1, ddof=1)
    if method == "parametric":
        weight = (spread.ap - spread.ap**2) ** 2
        se = np.sqrt(np.nansum(weight * spread.sd_logit**2, axis=1)) / spread.counted
        low, high, _ = linear(values, se, spread.confidence)
    elif method == "percentile":
        tail = (1 - spread.confidence) / 2
        low, high = np.quantile(drawn, [tail, 1 - tail], axis=1)
    else:
        sd_logit = logits(drawn, EPSILON).std(axis=1, ddof=1)
        limits = linear(logits(values, EPSILON), sd_logit, spread.confidence)
        low, high = inverse_logits(limits.low), inverse_logits(limits.high)
    return _estimates(spread, "AP", values, within(low, high, BOUNDS, value=values), se, method)


def logistic_mean_estimates(spread: CollectionSpread) -> list[Estimate]:
    """L-MAP: the mean of logit(AP) over topics, with the spread the drawn collections give it.

    L-MAP = (1/k) sum of ln(AP / (1 - AP)), AP kept within epsilon of 0 and 1
    """
    values = _means(logits(spread.ap, EPSILON), spread.counted)
    se = spread.means["L-MAP"].std(axis=1, ddof=1)
    low, high, _ = linear(values, se, spread.confidence)
    return _estimates(spread, "L-MAP", values, (low, high), se, "bootstrap")


def geometric_mean_estimates(spread: CollectionSpread) -> list[Estimate]:
    """G-MAP: the geometric mean of AP over topics, AP at least 0.00001, normal on its logarithm."""
    logs = _means(np.log(np.maximum(spread.ap, FLOOR)), spread.counted)
    values = np.exp(logs)
    se = spread.means["G-MAP"].std(axis=1, ddof=1)
    low, high, _ = linear(logs, se / values, spread.confidence)
    return _estimates(spread, "GMAP", values, within(np.exp(low), np.exp(high), BOUNDS, value=values), se, "bootstrap")


def _means(matrix: Floats, counted: Ints) -> Floats:
    total = np.nansum(matrix, axis=1)
    return np.asarray(np.divide(total, counted, out=np.full(len(total), np.nan), where=np.asarray(counted) > 0))


def _estimates(
    spread: CollectionSpread, measure: str, value: Floats, limits: tuple[Floats, Floats], se: Floats, method: str
) -> list[Estimate]:
    notes = list(few_relevant(spread.relevant, method))
    if none := int((spread.relevant == 0).sum()):
        topics = f"{none} of {len(spread.relevant)} topics"
        notes.append(f"{method}: {topics} have no relevant document; here they do not count as 0.")
    columns = (column.tolist() for column in (value, *limits, se, spread.counted))
    return [
        Estimate(system, measure, v, low, high, spread.confidence, "collection", method, error, n, notes=tuple(notes))
        for system, v, low, high, error, n in zip(spread.systems, *columns, strict=True)
    ]


def paper_topic_estimates(spread: CollectionSpread, method: str = "logit") -> list[Estimate]:
    """AP of every system and topic with its interval over collections, widened where few documents are relevant.

    `method` is linear, logit, percentile or bca.
    """
    if method not in METHODS:
        raise TruegainError(f"AP of a topic has no {method} interval; choose from {', '.join(METHODS)}")
    low, high = within(*spread.interval(method), BOUNDS, value=spread.ap)
    notes, how = few_relevant(spread.relevant, method), f"{method}, small R"
    found = []
    for s, t in np.argwhere(~np.isnan(spread.ap)).tolist():
        value, lower, upper, error = (float(x[s, t]) for x in (spread.ap, low, high, spread.sd))
        one = Estimate(spread.systems[s], "AP", value, lower, upper, spread.confidence, "collection", how, error)
        found.append(replace(one, n=int(spread.relevant[t]), topic=spread.topics[t], notes=notes))
    return found
