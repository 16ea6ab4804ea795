"""The studentized range: probabilities, inverse, density, and what has none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from truegain.errors import TruegainError
from truegain.stats import student_t
from truegain.stats.student_t import studentized_range_isf, studentized_range_sf


@pytest.mark.parametrize(("systems", "df"), [(2, 1), (3, 6), (3, 100), (10, 20), (129, 6272), (5, 1e6)])
def test_the_studentized_range_is_a_probability_and_its_inverse_exact(systems: int, df: float) -> None:
    """Guards values pressed into 0 to 1 (the integral alone strays by 1e-15) and the last step of the inverse."""
    p = studentized_range_sf(np.concatenate([np.linspace(0, 0.5, 60), np.linspace(10, 100, 90)]), systems, df)
    assert p.min() >= 0.0
    assert p.max() <= 1.0
    for level in (0.5, 0.05, 0.001):
        critical = studentized_range_isf(level, systems, df)
        assert studentized_range_sf(critical, systems, df)[0] == pytest.approx(level, abs=1e-13)


def test_what_has_no_studentized_range() -> None:
    """Guards the least systems and degrees of freedom, levels, and one bad value among good ones."""
    assert studentized_range_sf(1.0, 2, 1).shape == (1,)
    assert studentized_range_sf(np.ones((2, 3)), 2, 1).shape == (2, 3)
    for systems, df in ((1, 5), (2, 0.5)):
        with pytest.raises(TruegainError, match="at least"):
            studentized_range_sf(1.0, systems, df)
    for wrong in ([1.0, -0.1], [1.0, math.nan]):
        with pytest.raises(TruegainError, match="at least 0"):
            studentized_range_sf(wrong, 3, 5)
    for level in (0.0, 1.0, 1.5):
        with pytest.raises(TruegainError, match="between 0 and 1"):
            studentized_range_isf(level, 3, 5)
    assert studentized_range_sf([19.9, 20.0, 25.0], 3, math.inf) == pytest.approx(0.0, abs=1e-15)
    assert studentized_range_sf([], 3, 5).shape == (0,)


@pytest.mark.parametrize("df", [1, 7, 99, 101, 103, 400])
def test_the_density_of_the_spread(df: int) -> None:
    """Guards the density of sqrt(chi2/df) to 12 digits on both sides of where its constant is taken from a series."""
    s = np.array([0.7, 1.0, 1.2])
    a = df / 2
    logs = a * math.log(a) - math.lgamma(a) + (df - 1) * np.log(s) - a * s**2
    assert student_t._density(s, df) == pytest.approx(2 * np.exp(logs), rel=1e-12)
