"""A judge's rates: effective sizes, Youden's index, degrees of freedom, clearly better than chance."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from truegain.errors import TruegainError
from truegain.judge_error.confusion import Rates, _correlation, added, clearly_positive, effective_size

POOR = Rates(0.45, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45, 0.3, -0.25, 0.2)  # correlated, D = 0.3


def one_more(m: float, v: float, size: float, more: float) -> tuple[float, float]:
    """Agresti and Coull by hand."""
    n = min(size, m * (1 - m) / v)
    p = (n * m + more / 2) / (n + more)
    return p, p * (1 - p) / (n + more)


def test_labels_that_a_variance_is_worth() -> None:
    """Guards m(1 - m)/V, cut at the labels there are, which also stand where nothing varies."""
    assert effective_size(0.25, 0.01, 100) == pytest.approx(18.75)
    assert effective_size(0.25, 0.01, 10) == 10
    assert [effective_size(m, v, 7) for m, v in ((0.5, 0.0), (0.0, 0.1), (1.0, 0.1))] == [7, 7, 7]
    assert added(0.25, 0.01, 100, 2.0) == pytest.approx(one_more(0.25, 0.01, 100, 2.0))
    assert added(1.0, 0.0, 8, 2.0) == pytest.approx((0.9, 0.009))


def test_a_correlation_is_one() -> None:
    """Guards covariance over standard deviations, kept within -1 and 1, 0 where nothing varies."""
    assert _correlation(0.03, 0.04, 0.09) == pytest.approx(0.5)
    assert (_correlation(1.0, 0.04, 0.09), _correlation(-1.0, 0.04, 0.09), _correlation(1.0, 0.0, 1.0)) == (1, -1, 0)


def test_the_index_of_youden_with_pairs_added() -> None:
    """Guards D and its standard error, correlation and all, and the floor of a quarter of the larger variance."""
    (m_r, v_r), (m_n, v_n) = (one_more(0.68, 0.0075, 40, 2), one_more(0.62, 0.0062, 45, 2))
    d, se = POOR.shrunk_d
    assert d == pytest.approx(m_r + m_n - 1)
    assert se**2 == pytest.approx(v_r + v_n + 2 * 0.2 * math.sqrt(v_r * v_n))
    against = Rates(0.45, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45, corr_rn=-1.0)
    assert against.shrunk_d[1] ** 2 == pytest.approx(max(v_r, v_n) / 4)


def test_degrees_of_freedom_of_a_corrected_value() -> None:
    """Guards Satterthwaite's sum: V^2 over the sum of V_i^2 / df_i, g^2 and (1 - g)^2 before the rates' variances."""
    r = Rates(0.45, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45, df_r=9.0, df_n=14.0)
    g = (0.45 - 0.38) / 0.3
    parts = ((0.0012, 29.0), (g**2 * 0.0075, 9.0), ((1 - g) ** 2 * 0.0062, 14.0))
    assert r.value == pytest.approx(g)
    assert r.df(29.0) == pytest.approx(sum(v for v, _ in parts) ** 2 / sum(v**2 / f for v, f in parts))
    df = (0.0075 + 0.0062) ** 2 / (0.0075**2 / 9 + 0.0062**2 / 14)
    assert r.threshold == pytest.approx(stats.t.ppf(0.95, df), rel=1e-6)


@pytest.mark.parametrize(("right", "said"), [(0.75, ""), (0.55, "not clearly better"), (0.25, "inverted")])
def test_a_judge_must_be_clearly_better_than_chance(right: float, said: str) -> None:
    """Guards the test of D, one-sided at 5%: passed, not passed, and passed the wrong way round."""
    v = right * (1 - right) / 60
    rates = Rates(0.5, right, right, 0.001, v, v, 200, 60, 60)
    p, se = (60 * right + 1) / 62, math.sqrt(2 * (60 * right + 1) / 62 * (61 - 60 * right) / 62 / 62)
    assert (abs(2 * p - 1) > 1.645 * se) == (right != 0.55)
    if not said:
        clearly_positive(rates)
        return
    with pytest.raises(TruegainError, match=said):
        clearly_positive(rates)


def test_the_bar_is_that_of_student() -> None:
    """Guards where the bar lies: of judges 60% right those pass whose D is 1.645 errors off 0."""
    passed = []
    for size in range(20, 50):
        p = (0.6 * size + 1) / (size + 2)
        try:
            clearly_positive(Rates(0.5, 0.6, 0.6, 0.001, 0.24 / size, 0.24 / size, 200, size, size))
            passed.append(True)
        except TruegainError:
            passed.append(False)
        assert passed[-1] == ((2 * p - 1) / math.sqrt(2 * p * (1 - p) / (size + 2)) > 1.644854)
    assert len(set(passed)) == 2
