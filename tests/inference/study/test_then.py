"""How sure one would be with more units: the quantile of the freedom there will be, not that of now."""

from __future__ import annotations

import numpy as np
import pytest

from truegain.inference.study.next_steps import Standing
from truegain.student import quantile_of


@pytest.mark.parametrize("topics", [3, 5, 25])
def test_more_topics_of_a_paired_t_test(topics: int) -> None:
    """Guards the closed form t(2T - 1) sqrt(V/2): with today's quantile 3 topics promised half as much again."""
    now = Standing({"topics": 0.01}, topics, quantile=quantile_of(0.95, topics - 1), confidence=0.95, df=topics - 1.0)
    assert now.half == pytest.approx(quantile_of(0.95, topics - 1) * 0.1)
    assert now.after(topics=2) == pytest.approx(quantile_of(0.95, 2 * topics - 1) * np.sqrt(0.01 / 2))


def test_more_assessors_beside_topics() -> None:
    """Guards a sum of two variances: assessors free the interval of their own few, topics stay as they are."""
    now = Standing({"topics": 1e-9, "assessors": 0.01}, 50, assessors=4, quantile=quantile_of(0.95, 3), confidence=0.95,
                   df=3.0)  # fmt: skip
    assert now.after(assessors=4) == pytest.approx(quantile_of(0.95, 15) * np.sqrt(0.01 / 4), rel=1e-3)
    assert now.after(topics=4) == pytest.approx(now.half, rel=1e-3)


def test_a_quantile_that_is_given_stays() -> None:
    """Guards plans that fix it, and normal limits."""
    for more in ({}, {"confidence": 0.95}):
        now = Standing({"topics": 0.01}, 4, quantile=1.96, **more)  # type: ignore[arg-type]
        assert now.after(topics=4) == pytest.approx(1.96 * 0.05)


def test_gold_labels_within_topics_leave_the_freedom_of_topics() -> None:
    """Guards all gold labels bought: what topics leave, by Student's quantile of these topics, not of one or two."""
    parts = {"topics": 0.0001, "gold": 0.01}
    now = Standing(parts, 80, gold=150, pairs=1000, quantile=quantile_of(0.95, 79), confidence=0.95, df=79.0)
    assert now.after(gold=1000 / 150) == pytest.approx(quantile_of(0.95, 79) * 0.01)
    whole = Standing(parts, 43, gold=8, pairs=43, quantile=quantile_of(0.95, 7), confidence=0.95, df=7.0, whole=True)
    assert whole.after(gold=43 / 8) == pytest.approx(quantile_of(0.95, 42) * 0.01, rel=0.01)
