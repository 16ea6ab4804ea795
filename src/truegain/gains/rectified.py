"""An estimate set right with gold labels, beside what the gold labels alone would give."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from truegain.student import p_of, quantile_of, wilson


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
        t = quantile_of(confidence, self.df)
        low, high = self.value - t * self.se, self.value + t * self.se
        if self.bounds is None:
            return low, high
        least, most = self.bounds
        scale, pairs = most - least, float(self.gold_pairs or self.gold_topics)
        p = min(max((self.value - least) / scale, 0.0), 1.0)
        shrunk = (p * pairs + 0.5) / (pairs + 1)
        size = shrunk * (1 - shrunk) * (scale / self.se) ** 2 if self.se > 0 else math.inf
        wide_low, wide_high = (least + scale * float(end) for end in wilson(p, size, t))
        return min(max(low, least), wide_low), max(min(high, most), wide_high)

    def width(self, confidence: float = 0.95) -> float:
        """How wide the interval is."""
        low, high = self.interval(confidence)
        return high - low

    def gold_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The interval from gold labels alone."""
        return replace(self, value=self.gold_value, se=self.gold_se, df=self.gold_df).interval(confidence)

    def gold_width(self, confidence: float = 0.95) -> float:
        """How wide the interval from gold labels alone is."""
        low, high = self.gold_interval(confidence)
        return high - low

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided p of the value being `null`, by t.

        >>> round(Rectified(0.2, 0.1, 9, 1.0, 0.4, 0.2, 9, 40, 10).p_value(), 4)
        0.0766
        """
        return p_of((self.value - null) / self.se, self.df)
