"""Measures away from their defaults, worked out by hand."""

from __future__ import annotations

import pytest

import truegain as tg

RUN = {"1": {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0}}


def test_utility_counts_all_four_cells() -> None:
    """Guards each weight of Utility: 2 found, 2 not relevant, 1 missed, 20 + 2 - 4 - 3 neither."""
    judged = {"1": {"a": 1, "b": 1, "c": 1, "x": 0}}
    found = tg.evaluate(RUN, judged, "Utility(a=100,b=10,c=1000,d=1,docs=20)").mean()
    assert found == 100 * 2 + 10 * 2 + 1000 * 1 + 15


def test_a_highest_gain_below_one() -> None:
    """Guards rpref_N on a scale that ends below 1: b pays all of its gain for x above it, of R + N - cg*/max_rel."""
    judged = {"1": {"a": 0.5, "b": 0.25, "x": 0.0}}
    found = tg.evaluate(RUN, judged, "rpref_N(max_rel=0.5)").mean()
    assert found == pytest.approx((0.5 + 0.25 * (1 - 1 / (3 - 0.75 / 0.5))) / 0.75)
    with pytest.raises(tg.MeasureError, match="above max_rel"):
        tg.evaluate(RUN, judged, "rpref_N(max_rel=0.4)")
