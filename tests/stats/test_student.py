"""Student's t and Wilson's limits, against scipy and their equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from truegain.errors import TruegainError
from truegain.stats.student_t import p_of, quantiles_of, satterthwaite, tails, wilson


def test_student_by_scipy() -> None:
    """Guards quantiles, p (never above 1) and degrees of freedom, where a part is 0 or all are."""
    assert quantiles_of(0.9, [4, np.inf]).tolist() == pytest.approx([stats.t.ppf(0.95, 4), stats.norm.ppf(0.95)])
    assert p_of(-1.3, 7) == pytest.approx(2 * stats.t.sf(1.3, 7))
    assert p_of(0.0, 7) == 1.0
    assert satterthwaite([(1.0, 4.0), (3.0, 10.0), (0.0, 0.0)]) == pytest.approx(16 / (1 / 4 + 9 / 10))
    assert satterthwaite([(0.0, 3.0)]) == math.inf
    assert satterthwaite([(0.25, 3.0)]) == pytest.approx(3.0)
    for wrong in (0.0, 1.0):
        with pytest.raises(TruegainError, match="between 0 and 1"):
            quantiles_of(wrong, 3)


@pytest.mark.parametrize("share", [-0.2, 0.0, 0.3, 1.0, 1.4])
def test_wilson_limits_solve_their_equation(share: float) -> None:
    """Guards every term of Wilson's limits: both ends are roots of (x - p)^2 = z^2 p (1 - p)/n, x cut at 0 and 1."""
    x, n, z = min(max(share, 0.0), 1.0), 7.0, 1.7
    roots = np.sort(np.roots([1 + z**2 / n, -(2 * x + z**2 / n), x**2]).real)
    low, high = wilson(share, n, z)
    assert [float(low), float(high)] == pytest.approx(roots.tolist(), abs=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e-8, 1e-100, 1e100])
def test_tails_do_not_depend_on_the_scale(scale: float) -> None:
    """Guards the freedom by tails against a floor: values of 1e-8 had 1e17 degrees of freedom, those of 1 had 5."""
    moves = np.r_[np.full(50, 0.1), 1.0]
    kurtosis = 51 * (moves**4).sum() / (moves**2).sum() ** 2
    both = np.column_stack([scale * moves, -moves, np.zeros(51)])
    assert tails(both)[:2] == pytest.approx(2 * 51 / (kurtosis - 1))
    assert tails(both)[2] > 1e6, "what does not move has no tails"
