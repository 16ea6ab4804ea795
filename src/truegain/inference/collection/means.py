"""The paper's own intervals over collections: MAP and G-MAP, by bootstrap and from the parts, and AP by topic.

They are short where topics have few relevant documents; `score.py` has what holds there.
"""

from __future__ import annotations

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
    return _estimates(spread, "AP", values, within(low, high, BOUNDS), se, method)


def geometric_mean_estimates(spread: CollectionSpread) -> list[Estimate]:
    """G-MAP: the geometric mean of AP over topics, AP at least 0.00001, normal on its logarithm."""
    logs = _means(np.log(np.maximum(spread.ap, FLOOR)), spread.counted)
    values = np.exp(logs)
    se = spread.means["G-MAP"].std(axis=1, ddof=1)
    low, high, _ = linear(logs, se / values, spread.confidence)
    return _estimates(spread, "GMAP", values, within(np.exp(low), np.exp(high), BOUNDS), se, "bootstrap")


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
) -> list[Estimate]:
    return [
        Estimate(
            system,
            measure,
            float(value[s]),
            float(limits[0][s]),
            float(limits[1][s]),
            level=spread.confidence,
            over="collection",
            method=method,
            se=float(se[s]),
            n=int(spread.counted[s]),
            notes=(*few_relevant(spread.relevant, method), *_without_relevant(spread.relevant, method)),
        )
        for s, system in enumerate(spread.systems)
    ]


def _without_relevant(relevant: Ints, method: str) -> tuple[str, ...]:
    """What to say where the mean is not that of all topics."""
    if none := int((relevant == 0).sum()):
        return (f"{method}: {none} of {len(relevant)} topics have no relevant document; here they do not count as 0.",)
    return ()


def paper_topic_estimates(spread: CollectionSpread, method: str = "logit") -> list[Estimate]:
    """AP of every system and topic with its interval over collections, widened where few documents are relevant.

    `method` is linear, logit, percentile or bca.
    """
    if method not in METHODS:
        raise TruegainError(f"AP of a topic has no {method} interval; choose from {', '.join(METHODS)}")
    low, high = within(*spread.interval(method), BOUNDS)
    return [
        Estimate(
            system,
            "AP",
            float(spread.ap[s, t]),
            float(low[s, t]),
            float(high[s, t]),
            level=spread.confidence,
            over="collection",
            method=f"{method}, small R",
            se=float(spread.sd[s, t]),
            n=int(spread.relevant[t]),
            topic=topic,
            notes=few_relevant(spread.relevant, method),
        )
        for s, system in enumerate(spread.systems)
        for t, topic in enumerate(spread.topics)
        if not np.isnan(spread.ap[s, t])
    ]
