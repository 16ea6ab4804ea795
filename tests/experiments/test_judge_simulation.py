"""The paper's simulation of a judge, trial by trial."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from truegain.errors import TruegainError
from truegain.experiments.judge_errors import JudgeSimulation, simulate_judge
from truegain.sampling.streams import generator


def test_the_simulation_again_trial_by_trial() -> None:
    """Guards algorithm 2: every trial's naive and corrected value and both standard errors, drawn in two blocks."""
    p, n, trials, gold = np.array([0.7, 0.2, 0.1, 0.0]), 2000, 600, (90, 60)
    found = simulate_judge(p.tolist(), m_r=0.9, m_n=0.8, n=n, gold=gold, trials=trials, seed=4)
    rng = generator(4, "simulated judge")
    naive, errors = [], []
    for size in (500, 100):  # 4 million draws a block
        first, second = rng.random((size, n, 4)), rng.random((size, n, 4))
        for x, y in zip(first, second, strict=True):
            each = ((y < np.where(x < p, 0.9, 0.2)).sum(axis=1)) / 4
            naive.append(float(each.sum()) / n)
            errors.append(math.sqrt(float(((each - naive[-1]) ** 2).sum()) / (n - 1) / n))
    m_r, m_n = rng.binomial(90, 0.9, trials) / 90, rng.binomial(60, 0.8, trials) / 60
    assert found.truth == pytest.approx(0.25)
    assert found.naive == pytest.approx(np.array(naive), rel=1e-9)
    assert found.naive_se == pytest.approx(np.array(errors), rel=1e-9)
    for i in range(0, trials, 23):
        value = (naive[i] - 1 + m_n[i]) / (m_r[i] + m_n[i] - 1)
        slopes = np.array([1, -value, 1 - value]) / (m_r[i] + m_n[i] - 1)
        variances = np.array([errors[i] ** 2, m_r[i] * (1 - m_r[i]) / 90, m_n[i] * (1 - m_n[i]) / 60])
        assert found.corrected[i] == pytest.approx(value, rel=1e-9)
        assert found.corrected_se[i] == pytest.approx(math.sqrt(slopes**2 @ variances), rel=1e-9)


def test_coverage_counts_intervals_that_end_on_the_truth() -> None:
    """Guards value -+ z se, ends and all, naive first."""
    z, sure = stats.norm.ppf(0.95), np.zeros(4)
    around = 0.5 + z * np.array([0.0, 0.99, -0.99, 1.01])
    found = JudgeSimulation(0.5, np.array([0.5, 0.5, 0.6, 0.4]), sure, around, sure + 1.0)
    assert found.coverage(0.9) == (0.5, 0.75)
    assert found.coverage()[1] == 1.0
    assert replace(found, corrected=0.5 + np.array([1.9, 1.95, 1.97, 2.9])).coverage()[1] == 0.5
    drawn = [simulate_judge([0.5], m_r=0.9, m_n=0.9, n=5, gold=(50, 50), trials=9, seed=s).naive.sum() for s in (0, 1)]
    assert simulate_judge([0.5], m_r=0.9, m_n=0.9, n=5, gold=(50, 50), trials=9).naive.sum() == drawn[0] != drawn[1]


@pytest.mark.parametrize(
    ("relevance", "n", "gold"),
    [((), 5, (9, 9)), ((0.5,), 1, (9, 9)), ((0.5,), 5, (0, 9)), ((0.5,), 5, (9, 0)), ((-0.1, 0.5), 5, (9, 9)),
     ((0.5, 1.1), 5, (9, 9))],
)  # fmt: skip
def test_what_cannot_be_simulated(relevance: tuple[float, ...], n: int, gold: tuple[int, int]) -> None:
    """Guards each condition by itself; the least that is allowed is."""
    with pytest.raises(TruegainError, match="give probabilities"):
        simulate_judge(relevance, m_r=1.0, m_n=1.0, n=n, gold=gold, trials=5)
    least = simulate_judge([0.0, 1.0], m_r=1.0, m_n=1.0, n=2, gold=(1, 1), trials=5)
    assert least.corrected.tolist() == [0.5] * 5


def test_a_simulated_judge_at_chance() -> None:
    """Guards the count of judges whose D is 0 or less: of two gold pairs a half each makes 0."""
    rng = generator(0, "simulated judge")
    rng.random((2, 40, 2, 1))
    m_r, m_n = rng.binomial(2, 0.75, 40) / 2, rng.binomial(2, 0.75, 40) / 2
    at_most = int((m_r + m_n - 1 <= 0).sum())
    assert at_most > int((m_r + m_n - 1 < 0).sum()) > 0
    with pytest.raises(TruegainError, match=f"^{at_most} of 40 simulated"):
        simulate_judge([0.5], m_r=0.75, m_n=0.75, n=2, gold=(2, 2), trials=40)
