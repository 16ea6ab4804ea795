"""Swaps between halves of the topics, and the table of halves: bin by bin, and by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.judge_error.matrices import generated, scores_of
from truegain.errors import TruegainError
from truegain.stats.swap_rates import SwapRates, halves, swap_rates
from truegain.study.correlate import HalvesAgreement


def rates(pairs: list[int], swaps: list[int]) -> SwapRates:
    """Bins of width 0.1 with so many pairs and swaps."""
    return SwapRates("AP", 0.1 * np.arange(len(pairs), dtype=np.float64), np.array(pairs), np.array(swaps), 5, 3)


def test_the_difference_needed() -> None:
    """Guards the least difference from which on no bin swaps too often: after the last bad bin, if pairs are left."""
    assert rates([10, 10, 10, 10], [4, 0, 1, 0]).needed(0.05) == pytest.approx(0.3)
    assert rates([10, 10, 10, 10], [4, 0, 1, 0]).needed(0.1) == pytest.approx(0.1)  # a rate of 0.1 is not above 0.1
    assert rates([10, 10], [0, 0]).needed() == 0.0
    assert rates([10, 10], [0, 5]).needed() is None
    assert rates([10, 10, 0], [0, 5, 0]).needed() is None
    assert rates([20, 1], [1, 0]).needed() == 0.0  # 5% by default


def test_rates_of_bins_with_and_without_pairs() -> None:
    """Guards swaps over pairs, in each bin and in all, and that a bin without pairs has no rate and no row."""
    found = rates([10, 0, 5], [4, 0, 1])
    assert found.rates == pytest.approx([0.4, np.nan, 0.2], nan_ok=True)
    assert found.rate == pytest.approx(5 / 15)
    assert [row[:3] for row in found.table().rows] == [(0.0, 10, 4), (pytest.approx(0.2), 5, 1)]


def test_pairs_stand_in_the_bin_of_their_difference() -> None:
    """Guards the bins by counting: |difference| on the first half, 0.05 wide, the last one for all that is larger."""
    x = generated(6, 11, seed=3)
    found = swap_rates(scores_of(x), splits=7, width=0.05, bins=4, seed=2)
    pairs, swaps = [0] * 4, [0] * 4
    for first, second in halves(11, 7, 2):
        a, b = x[:, first].mean(axis=1), x[:, second].mean(axis=1)
        for i, j in combinations(range(6), 2):
            at = min(int(abs(a[i] - a[j]) / 0.05), 3)
            pairs[at] += 1
            swaps[at] += (a[i] - a[j]) * (b[i] - b[j]) < 0
    assert (found.pairs.tolist(), found.swaps.tolist()) == (pairs, swaps)
    assert all(pairs)
    assert (found.begin.tolist(), found.topics, found.splits) == (pytest.approx([0, 0.05, 0.1, 0.15]), 5, 7)


def test_a_difference_on_the_edge_belongs_above() -> None:
    """Guards 0.3 / 0.1, which is a little less than 3 in floating point: the bin from 0.3 on holds it."""
    x = np.array([[0.3] * 4, [0.0] * 4])
    assert swap_rates(scores_of(x), splits=1, width=0.1, bins=6).pairs.tolist() == [0, 0, 0, 1, 0, 0]


def test_halves_are_disjoint_and_equal() -> None:
    """Guards the splits of an odd and an even number of topics, and that two topics are enough."""
    for topics in (2, 7, 8):
        for a, b in halves(topics, 5, seed=1):
            assert len(a) == len(b) == topics // 2
            assert not set(a.tolist()) & set(b.tolist())
            assert max(*a.tolist(), *b.tolist()) < topics
    for call, said in (
        (lambda: list(halves(1, 5, 0)), "cannot be split"),
        (lambda: list(halves(4, 0, 0)), "0 splits are too few"),
        (
            lambda: swap_rates(scores_of(generated(3, 4)), width=0.0),
            "width 0.0: give at least 1 bin, and a width above 0",
        ),
        (lambda: swap_rates(scores_of(generated(3, 4)), bins=0), "^bins 0, width 0.01: give at least 1 bin"),
        (lambda: swap_rates(scores_of(generated(1, 4))), "2 systems"),
    ):
        with pytest.raises(TruegainError, match=said):
            call()


def test_the_middle_part_over_splits() -> None:
    """Guards mean, spread and limits of a row: of the values 0 to 100 the middle 90% goes from 5 to 95."""
    swaps = rates([10], [1])
    found = HalvesAgreement("AP", 7, 5, {"tau": np.arange(101.0), "one": np.array([0.5])}, swaps, 0.9)
    tau, one = found.rows()
    assert (tau[:2], tau[6:]) == (("AP", "tau"), (101, 5, 7))
    assert tau[2:6] == pytest.approx((50, np.sqrt(101 * 102 / 12), 5, 95))
    assert one[2:7] == (0.5, None, 0.5, 0.5, 1)


def test_pairs_swap_in_the_last_bin_too() -> None:
    """Guards bins by default: 21 of width 0.01, the last one for all that is larger; equal pairs do not swap."""
    x = generated(5, 9, seed=4)
    x[1] = x[0]
    found = swap_rates(scores_of(x), splits=20, seed=3)
    assert (len(found.pairs), int(found.pairs.sum())) == (21, 200)
    assert found.begin[[0, 1, -1]] == pytest.approx([0, 0.01, 0.2])
    assert found.pairs[0] >= 20
    assert found.topics == 4
