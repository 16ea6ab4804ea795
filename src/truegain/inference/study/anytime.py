"""Intervals that hold at every look: judge a batch, look, judge on, and the promise stays."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from truegain.moves import Spread
from truegain.student import quantile_of, quantiles_of
from truegain.tables.columns import Floats

EXPECTED = 150.0  # gold labels at which the sequence is tightest; fixed before any is seen
BATCH = 25  # labels between earlier looks that are made up for, from 500 on a twentieth of what there is
OF_EACH = 0.5  # of the error, that the looks at gold, and the topics, may make where topics are sampled too


def sequence_half(s2: Floats, information: float, alpha: float) -> Floats:
    """Half of the width of a confidence sequence: with chance 1 - alpha it holds the truth at all looks together.

    With tau the information gathered (about the number of labels) and s2/tau the variance of the estimate,

        h = sqrt(s2 (tau rho^2 + 1)/(tau^2 rho^2) log((tau rho^2 + 1)/alpha^2))
        rho^2 = (-2 log alpha + log(1 - 2 log alpha))/tau*,  tau* = 150

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Annals of Statistics 52(6).

    >>> sequence_half(np.array([1.0]), 150.0, 0.05).round(4).tolist(), round(1.96 / 150**0.5, 4)
    ([0.2478], 0.16)
    """
    if math.isinf(information):
        return np.zeros(len(s2))
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / EXPECTED
    grown = information * rho2 + 1
    return np.asarray(np.sqrt(s2 * grown / (information**2 * rho2) * math.log(grown / alpha**2)))


def error_at_all_looks(confidence: float, topics: bool) -> float:
    """What gold may err at all looks together: less where topics are sampled, which may err too."""
    return (1 - confidence) * (OF_EACH if topics else 1.0)


def at_every_look(gold: Spread, whole: Spread | None, information: float, confidence: float) -> Spread:
    """A spread whose limits at this confidence are those of the sequence.

    gold: over gold labels, the topics held fixed; whole: over topics and all they hold, None where they are held fixed.
    Topics sampled: sqrt(t^2 own + h^2), own the part of the variance that topics bring by themselves, t and h each at
    half of the error: other topics are met once, gold at every look.
    """
    alpha = error_at_all_looks(confidence, whole is not None)
    s2 = gold.variance * (information if math.isfinite(information) else 0.0)
    half = sequence_half(s2, information, alpha)
    if whole is not None:
        own = np.maximum(whole.variance - gold.variance, 0.0)
        half = np.sqrt(quantiles_of(1 - alpha, whole.df) ** 2 * own + half**2)
    return Spread(np.asarray((half / quantile_of(confidence)) ** 2), np.full(len(half), np.inf))


def nothing_in_common(confidence: float) -> str:
    """What is said where no difference lies within the limits of all looks."""
    return (
        "the intervals of some looks at this list do not overlap, which happens by chance in less than "
        f"{100 * (1 - confidence):.3g}% of lists: perhaps the list was not labeled from the top down, or the judging "
        "changed on the way"
    )


def earlier_looks(labels: int) -> Iterator[int]:
    """Numbers of labels before these at which one might have looked: fixed beforehand, whatever was found.

    Limits that hold at all looks together hold together: what lies within all of them is narrower, and as sure.

    >>> list(earlier_looks(90)), list(earlier_looks(700))[-3:]
    ([25, 50, 75], [606, 636, 667])
    """
    at = BATCH
    while at < labels:
        yield at
        at += max(BATCH, at // 20)
