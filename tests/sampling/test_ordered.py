"""Units drawn one after another in proportion to size."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truegain.errors import TruegainError
from truegain.sampling.gold import OrderedDraws, drawn_order, information_after

SIZES = np.array([5.0, 1.0, 2.0, 0.5])


def chance_of(order: tuple[int, ...], sizes: np.ndarray) -> float:
    """Of a whole order, one draw after another."""
    left, chance = float(sizes.sum()), 1.0
    for i in order:
        chance *= sizes[i] / left
        left -= sizes[i]
    return chance


@pytest.mark.parametrize(("sizes", "n"), [(np.ones(4), n) for n in (1, 2, 3, 4)] + [(SIZES, 1), (SIZES, 4)])
def test_sums_are_estimated_without_bias(sizes: np.ndarray, n: int) -> None:
    """Guards k: over all orders, each with its chance, the mean of sum k y is the sum of y where sizes are alike."""
    y = np.array([3.0, -1.0, 4.0, 1.5])
    mean = 0.0
    for order in permutations(range(4)):
        draws = OrderedDraws(sizes[list(order)], n)
        mean += chance_of(order, sizes) * float(draws.expansion @ y[list(order[:n])])
    assert mean == pytest.approx(y.sum(), abs=1e-12)


@pytest.mark.parametrize("n", [2, 3])
def test_errors_weighed_by_what_they_count_have_mean_0(n: int) -> None:
    """Guards a and k where sizes differ: sum a (X - sum of y) has mean 0 over all orders, and k is made of both."""
    y = np.array([3.0, -1.0, 4.0, 1.5])
    mean = 0.0
    for order in permutations(range(4)):
        draws = OrderedDraws(SIZES[list(order)], n)
        error = draws.expansion @ y[list(order[:n])] - y.sum()
        mean += chance_of(order, SIZES) * float(error) * float(draws.worth.sum())
    assert mean == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("n", [2, 3])
def test_estimates_of_single_draws_are_unbiased_and_not_correlated(n: int) -> None:
    """Guards the variance: the n estimates have the same mean, and covariance 0 over all orders."""
    y = np.array([3.0, -1.0, 4.0, 1.5])
    rows, chances = [], []
    for order in permutations(range(4)):
        draws = OrderedDraws(SIZES[list(order)], n)
        rows.append(draws.estimates(y[list(order[:n]), None])[:, 0])
        chances.append(chance_of(order, SIZES))
    x, p = np.array(rows), np.array(chances)
    assert p @ x == pytest.approx(np.full(n, y.sum()), abs=1e-12)
    about = x - y.sum()
    covariance = (about * p[:, None]).T @ about
    assert covariance - np.diag(np.diag(covariance)) == pytest.approx(np.zeros((n, n)), abs=1e-9)


def test_all_units_drawn_give_the_sum_itself() -> None:
    """Guards the end of a list: nothing is estimated there, every unit stands for itself."""
    draws = OrderedDraws(SIZES, 4)
    assert draws.expansion == pytest.approx(np.ones(4))
    assert draws.information == np.inf


def test_first_draws_come_in_proportion_to_size() -> None:
    """Guards the draw: how often each unit comes first, over many seeds, beside its share of the sizes."""
    names = ["a", "b", "c", "d"]
    first = np.bincount([drawn_order(SIZES, names, seed)[0] for seed in range(4000)], minlength=4) / 4000
    assert first == pytest.approx(SIZES / SIZES.sum(), abs=0.025)


def test_the_order_does_not_depend_on_that_of_units() -> None:
    """Guards that a list is the same whichever file was read first."""
    names = [f"topic {i}" for i in range(50)]
    sizes = np.linspace(1, 3, 50)
    turned = drawn_order(sizes[::-1], names[::-1], 3)
    assert [names[::-1][i] for i in turned] == [names[i] for i in drawn_order(sizes, names, 3)]


@given(st.lists(st.floats(0.01, 100.0), min_size=2, max_size=30), st.data())
def test_what_drawn_units_stand_for_is_positive_and_information_grows(sizes: list[float], data: st.DataObject) -> None:
    """Guards against cancellation for any sizes: k > 0, tau grows with every unit and agrees with the plan's."""
    n = data.draw(st.integers(1, len(sizes)))
    draws = OrderedDraws(np.array(sizes), n)
    assert (draws.expansion > 0).all()
    tau = information_after(np.array(sizes), np.arange(1, len(sizes) + 1))
    assert (np.diff(tau[:-1]) >= 1).all()
    assert draws.information == pytest.approx(tau[n - 1])


@pytest.mark.parametrize("n", [0, 5])
def test_no_more_and_no_fewer_than_there_are(n: int) -> None:
    """Guards against a sample of nothing, or of more than all."""
    with pytest.raises(TruegainError, match=f"{n} of 4 units sampled"):
        OrderedDraws(SIZES, n)
