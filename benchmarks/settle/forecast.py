"""Labels forecast before anything begins, and after 50 labels, beside those that it took."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.settle.ways import Answer
from benchmarks.settle.worlds import Case
from truegain.io.columns import Ints
from truegain.planning.settle import ASSUMED, Settling
from truegain.results.settlement import Label

AFTER = 50


@dataclass(frozen=True)
class Forecast:
    """Numbers of labels: taken; even chance and 80% of the outlook at the true difference; likely and latest at 50."""

    labels: int
    even: int | None
    most: int | None
    likely: int | None
    latest: int | None


def order_of(settling: Settling) -> Ints:
    """The documents of a list by number, in its order."""
    return np.array([int(doc[1:]) for doc in settling.listed.docs], np.int64)


def forecast(case: Case, settling: Settling, taken: Answer) -> Forecast:
    """One study and what it took; None after 50 labels where it was known by then."""
    spread = settling._looks.first_spread() * ASSUMED  # as `Settling.outlook` takes it
    far = abs(case.truth)
    even, most = (settling.needed_for(far, spread, 0.0, chance) if far else None for chance in (0.5, 0.8))
    likely = latest = None
    if taken.labels > AFTER:
        top = list(zip(settling.listed.topics, settling.listed.docs, strict=True))[:AFTER]
        pair = settling.decide([Label(t, d, (case.label(d),)) for t, d in top]).pairs[0]
        likely, latest = pair.likely, pair.latest
    return Forecast(taken.labels, even, most, likely, latest)
