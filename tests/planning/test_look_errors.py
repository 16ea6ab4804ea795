"""How the error is shared between gold labels and topics, where both are sampled and limits hold at every look."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.settle import joined

from truegain.stats.betting import HORIZONS
from truegain.study.anytime import LookErrors


def test_gold_alone_has_the_whole_error() -> None:
    """Guards fixed topics: nothing is given away."""
    assert LookErrors.of(0.9, topics=False).gold == pytest.approx(0.1)


@pytest.mark.parametrize("error", [0.2, 0.05, 0.05 / 3, 0.001])
def test_smaller_errors_leave_gold_a_smaller_share(error: float) -> None:
    """Guards several pairs at once, whose errors are small: joined by squares these fail more often."""
    found = LookErrors.of(1 - error, topics=True)
    assert found.topics == pytest.approx(error / 2)
    assert found.gold == pytest.approx(error * min(0.25, 5 * error))


def test_stakes_in_the_limit() -> None:
    """Guards the boundary by its definition: there the mean of the stakes has grown to 2/alpha."""
    tau, alpha = np.array([50.0, 400.0]), 0.0125
    far = joined.boundary(tau, alpha)
    effects = [math.sqrt(2 * math.log(2 / alpha) / h) for h in HORIZONS]
    for s, information in zip(far, tau, strict=True):
        grown = np.mean([math.exp(e * s - e * e * information / 2) for e in effects])
        assert grown == pytest.approx(2 / alpha, rel=1e-6)


def test_without_gold_it_is_the_normal_interval() -> None:
    """Guards the simulation by a closed form: labels that bring next to nothing leave the topics' own error."""
    studies = 5_000
    share = joined.rate(LookErrors(0.0125, 0.05), 1e-6, studies, 1)
    assert share == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / studies))


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [100, 250])
@pytest.mark.parametrize("error", [0.05, 0.05 / 3])
def test_joined_limits_hold(error: float, ratio: int) -> None:
    """Guards what is promised, in the limit of many labels and topics; half of the error for each would fail."""
    studies = 40_000
    noise = 3 * math.sqrt(error / studies)
    assert joined.rate(LookErrors.of(1 - error, topics=True), ratio, studies, 3) <= error + noise
    assert joined.rate(LookErrors(error / 2, error / 2), ratio, studies, 3) > error
