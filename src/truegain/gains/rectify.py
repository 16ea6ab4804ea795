"""Scores from cheap labels, set right with gold labels of the same population: whole topics, or single pairs.

Everything here works on arrays and on one number per topic, takes a weight (copies) per topic, and answers with a
`Rectified`: value, standard error and degrees of freedom, beside what the gold labels alone would give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from truegain.errors import TruegainError, needs
from truegain.tables.columns import Floats

LEAST_TO_TUNE = 5  # below so many gold topics the slope costs more than it saves, and bronze counts in full


@dataclass(frozen=True)
class Rectified:
    """An estimate with its standard error, and the one from gold labels alone.

    value +- t(df) se; `tuning` is how much of the bronze score was used (lambda), 0 would be gold alone; `bounds` are
    the lowest and the highest score possible, where they are known.
    """

    value: float
    se: float
    df: float
    tuning: float
    gold_value: float
    gold_se: float
    gold_df: float
    topics: int
    gold_topics: int
    gold_pairs: int | None = None
    bounds: tuple[float, float] | None = None

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The interval of the rectified value: by t and, where the bounds are known, joined with Wilson's.

        Wilson's is that of a proportion from as many independent labels as would have this variance,
        p(1 - p)/V with half a gold pair added to either side of p.  Near a bound t alone is too short at the far side.

        Wilson 1927, JASA 22; effective sizes: Korn and Graubard 1998, Survey Methodology 24(2).

        >>> r = Rectified(0.5, 0.1, 9, 1.0, 0.4, 0.2, 9, 40, 10)
        >>> [round(limit, 4) for limit in r.interval()]
        [0.2738, 0.7262]
        >>> near = Rectified(0.02, 0.01, 9, 1.0, 0.4, 0.2, 9, 40, 10, 100, bounds=(0.0, 1.0))
        >>> [round(limit, 4) for limit in near.interval()]
        [0.0, 0.0525]
        """
        t = t_quantile(self.df, confidence)
        low, high = self.value - t * self.se, self.value + t * self.se
        if self.bounds is None:
            return low, high
        least, most = self.bounds
        scale, pairs = most - least, float(self.gold_pairs or self.gold_topics)
        p = min(max((self.value - least) / scale, 0.0), 1.0)
        shrunk = (p * pairs + 0.5) / (pairs + 1)
        t2 = t * t * (self.se / scale) ** 2 / (shrunk * (1 - shrunk))  # t squared over the effective size
        middle, half = (p + t2 / 2) / (1 + t2), math.sqrt(t2 * p * (1 - p) + t2 * t2 / 4) / (1 + t2)
        joined = (
            min(max(low, least), least + scale * (middle - half)),
            max(min(high, most), least + scale * (middle + half)),
        )
        return max(joined[0], least), min(joined[1], most)

    def width(self, confidence: float = 0.95) -> float:
        """How wide the interval is."""
        low, high = self.interval(confidence)
        return high - low

    def gold_width(self, confidence: float = 0.95) -> float:
        """How wide the interval from gold labels alone is."""
        return replace(self, value=self.gold_value, se=self.gold_se, df=self.gold_df).width(confidence)

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided p of the value being `null`, by t.

        >>> round(Rectified(0.2, 0.1, 9, 1.0, 0.4, 0.2, 9, 40, 10).p_value(), 4)
        0.0766
        """
        return float(2 * needs("scipy.special", "inference").stdtr(self.df, -abs(self.value - null) / self.se))


def t_quantile(df: float, confidence: float) -> float:
    """How many standard errors reach to each side.

    >>> round(t_quantile(9, 0.95), 4)
    2.2622
    """
    if not 0 < confidence < 1:
        raise TruegainError(f"confidence {confidence:g} must lie between 0 and 1, such as 0.95")
    return float(needs("scipy.special", "inference").stdtrit(df, (1 + confidence) / 2))


def rectify_topics(
    bronze: Floats,
    gold: Floats,
    *,
    weights: Floats | None = None,
    tuning: float | None = None,
    target: str = "all",
    generalise: bool = True,
) -> Rectified:
    """The mean gold score of topics of which all have a bronze score, and some (NaN: not) a gold score as well.

    value = mean over gold topics of (gold - k bronze) + k * mean over the other topics of bronze,
    k = lambda * (share of other topics among all), which is PPI++ with topics as the sampling unit; lambda is the
    least squares slope of gold on bronze.  The variance is that of the regression estimator,
    s2(gold - k bronze, n - 2) / n + s2(residual) (k/lambda)^2 (difference of the bronze means)^2 / S(bronze) +
    k^2 s2(bronze) / others, with Satterthwaite's degrees of freedom: dividing by n - 2 and counting the error of the
    slope keeps the level at few topics, where the usual PPI++ interval is too narrow.  Under five gold topics
    lambda is 1.  Where bronze agrees exactly on every gold topic, one more topic is thought to miss by a standard
    deviation.  The score may be of any measure; for two systems, give differences.

    target: 'all' topics, or 'others' than the gold ones.  generalise: to topics like these; otherwise the value is
    that of these very topics, had they all been gold-judged.  weights: copies of each topic.

    Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453; Cochran 1977, Sampling Techniques, section 12.6.

    >>> bronze = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    >>> gold = np.array([0.2, np.nan, 0.3, np.nan, 0.55, 0.6, np.nan, 0.9])
    >>> r = rectify_topics(bronze, gold)
    >>> round(r.value, 3), round(r.tuning, 3), [round(limit, 3) for limit in r.interval()]
    (0.5, 1.0, [0.231, 0.769])
    """
    w = _copies(weights, len(bronze))
    has = ~np.isnan(gold) & (w > 0)
    rest = ~has & (w > 0)
    n, u = float(w[has].sum()), float(w[rest].sum())
    _at_least_two_topics(int(has.sum()), n)
    y, f, wg = gold[has], bronze[has], w[has]
    mean_y, mean_f = _mean(y, wg), _mean(f, wg)
    gold_se = float(
        np.sqrt(_square(y, wg, 1) / n * (1 if generalise else u / (n + u) if target == "all" else 1 + n / u))
    )
    if u == 0:
        return Rectified(mean_y, _never_zero(gold_se), n - 1, 0.0, mean_y, gold_se, n - 1, len(y), len(y))
    spread = float((wg * (f - mean_f) ** 2).sum())
    tuned = tuning is None and n >= LEAST_TO_TUNE and spread > 1e-12
    lam = _slope(f, y, wg) if tuned else 1.0 if tuning is None else float(tuning)
    share = u / (n + u) if target == "all" else 1.0
    mean_rest = _mean(bronze[rest], w[rest])
    value = mean_y + share * lam * (mean_rest - mean_f)
    lost = 2 if tuned else 1
    residual = _square(y - lam * f, wg, lost)
    known = w > 0
    of_scores = _square(bronze[known], w[known], 1)
    agreed = of_scores / (n + 1) if residual < 1e-15 else 0.0
    of_slope = residual * (share * (mean_rest - mean_f)) ** 2 / spread if tuned else 0.0
    if generalise:
        of_gold = (_square(y - share * lam * f, wg, lost) + agreed) / n + of_slope
        of_bronze = (share * lam) ** 2 * of_scores / u
    else:
        of_gold, of_bronze = (
            (residual + agreed) * (1 / n - 1 / (n + u) if target == "all" else 1 / n + 1 / u) + of_slope,
            0.0,
        )
    variance = of_gold + of_bronze
    se = _never_zero(float(np.sqrt(variance)))
    df = variance**2 / (of_gold**2 / (n - lost) + of_bronze**2 / max(n + u - 1, 1))
    return Rectified(value, se, float(df), lam, mean_y, gold_se, n - 1, int((w > 0).sum()), int(has.sum()))


def _copies(weights: Floats | None, topics: int) -> Floats:
    if weights is None:
        return np.ones(topics)
    w = np.asarray(weights, np.float64)
    if w.shape != (topics,) or not np.all(np.isfinite(w)) or np.any(w < 0):
        raise TruegainError(f"topic weights must be {topics} numbers of at least 0, one a topic")
    return w


def _at_least_two_topics(topics: int, copies: float) -> None:
    if topics < 2 or copies < 2:
        raise TruegainError(
            f"{topics} topic{'' if topics == 1 else 's'} with gold labels: how topics differ cannot be told from "
            "fewer than two; have at least two, better ten, topics gold-judged"
        )


def _never_zero(se: float) -> float:
    if not se > 1e-12:
        raise TruegainError(
            "all topics say exactly the same, so the interval would have no width, which is not to be believed; "
            "use more topics or another measure"
        )
    return se


def _mean(values: Floats, weights: Floats) -> float:
    return float((weights * values).sum() / weights.sum())


def _square(values: Floats, weights: Floats, lost: int) -> float:
    """Variance with so many degrees of freedom lost."""
    return float((weights * (values - _mean(values, weights)) ** 2).sum() / max(weights.sum() - lost, 1e-9))


def _slope(x: Floats, y: Floats, weights: Floats) -> float:
    centred = x - _mean(x, weights)
    return float((weights * centred * y).sum() / (weights * centred**2).sum())
