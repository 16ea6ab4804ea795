"""Decisions to test and to look at: an interval that narrows as labels come in, made by a formula and no statistics."""

from __future__ import annotations

import math

from truegain.results.settlement import Interval, PairSettlement, Settlement, Status

CENTERS = (0.06, -0.09, 0.12, -0.07)
WORDS = {
    "open": "After {n} labels it is not known whether {c} is better than {b} on {m}.",
    "better": "{c} is better than {b} on {m}.",
    "worse": "{c} is worse than {b} on {m}.",
    "not-better": "{c} is not better than {b} by 0.02 or more on {m}.",
    "undecided": "{n} labels did not decide whether {c} is better than {b} on {m}.",
    "out-of-reach": "No number of labels decides whether {c} is better than {b} on {m}; about 40 more topics would.",
}
MEASURE = "P@10"


def interval(labels: int, center: float = 0.06) -> Interval:
    """After so many labels: none below 10, then one that narrows, with an estimate that comes to rest at its center."""
    if labels < 10:
        return Interval(labels)
    value = center + (0.1 * math.sin(labels / 11) + 0.08 * math.sin(labels / 3.7)) / math.sqrt(labels)
    half = 0.6 / math.sqrt(labels)
    return Interval(labels, value, value - half, value + half)


def pair(labels: int, status: Status = "open", number: int = 0) -> PairSettlement:
    """A candidate against the baseline."""
    center, candidate = CENTERS[number % 4], f"new{number + 1}" if number else "new"
    center = center if status in ("open", "better", "worse") else 0.01
    looks = tuple(interval(n, center) for n in [*range(5, labels, 5), labels]) if labels else ()
    told = {"n": labels, "c": candidate, "b": "prod", "m": MEASURE}
    forecast = (180 + 20 * number, 260 + 20 * number) if status == "open" and labels >= 10 else (None, None)
    return PairSettlement(
        "prod", candidate, status, WORDS[status].format(**told), interval(labels, center), looks, *forecast
    )


def made(labels: int, status: Status = "open", pairs: int = 1) -> Settlement:
    """A decision after so many labels, of one pair or of several."""
    others: tuple[Status, ...] = ("better", "worse") if status != "open" else ("open", "open")
    own = tuple(pair(labels, others[n % 2] if n else status, n) for n in range(pairs))
    return Settlement(
        status, own[0].sentence, own, MEASURE, labels, labels + 3, 512, 300, min_effect=0.02,
        cost=0.25 * labels, max_cost=120.0, agreement=0.875 if labels >= 10 else None, doubled=labels // 10,
    )  # fmt: skip
