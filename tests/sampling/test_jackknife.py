"""Documents left out one by one: average precision without each, and variances of differences."""

from __future__ import annotations

import numpy as np
import pytest

from truegain.sampling import jackknife
from truegain.sampling.jackknife import TopicSpread


def ap_of(marks_: list[bool], relevant: int) -> float:
    """Average precision of a list, in plain words."""
    return sum(sum(marks_[: r + 1]) / (r + 1) for r, good in enumerate(marks_) if good) / relevant


def test_average_precision_without_each_document() -> None:
    """Guards found, missed and rise against lists written anew without the document, and the acceleration from them."""
    marks_, relevant = [False, True, True, False, False, True, False], 5
    rank = np.array([2, 3, 6])
    without = jackknife.left_out(rank, relevant)
    short = [[*marks_[:i], *marks_[i + 1 :]] for i in range(7)]
    assert without.ap == pytest.approx(ap_of(marks_, 5))
    assert without.found.tolist() == pytest.approx([ap_of(short[r - 1], 4) for r in rank.tolist()])
    assert without.missed == pytest.approx(ap_of(marks_, 4))
    bad = [0, 3, 4]
    assert without.rise[bad].tolist() == pytest.approx([ap_of(short[i], 5) - without.ap for i in bad])
    u = [without.ap - ap_of(short[i], 4 if marks_[i] else 5) for i in range(7)] + [without.ap - ap_of(marks_, 4)] * 2
    want = sum(x**3 for x in u) / (6 * sum(x**2 for x in u) ** 1.5)
    assert jackknife._acceleration(rank, relevant) == pytest.approx(want, rel=1e-12)
    assert jackknife._acceleration(rank[:1], 1) == 0.0
    assert jackknife._acceleration(np.array([1, 4]), 2) != 0.0


def test_variances_of_differences_from_covariances() -> None:
    """Guards V(b - a) = V(a) + V(b) - 2 C(a, b), rounding as nothing, and no covariance of independent collections."""
    c = np.array([[4.0, 1.5, 4.0], [1.5, 9.0, 1.5], [4.0, 1.5, 4.0 + 1e-14]])
    a, b = np.array([0, 0]), np.array([1, 2])
    one = TopicSpread(3, np.ones(3, np.bool_), c, 2 * c)
    own, others = one.of_pairs(a, b, True)
    assert own.tolist() == [10.0, 0.0]
    assert others.tolist() == [20.0, 0.0]
    assert one.of_pairs(a, b, False)[0].tolist() == [13.0, pytest.approx(8.0)]
    assert one.of_systems()[1].tolist() == pytest.approx([8.0, 18.0, 8.0])
