"""Adjusted p-values, against statsmodels and by their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from truegain.errors import TruegainError
from truegain.stats import intervals, multiple_testing
from truegain.stats.multiple_testing import METHODS, adjust, adjust_asked

THEIRS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by", "hochberg": "simes-hochberg",
          "holm-sidak": "holm-sidak"}  # fmt: skip


def test_conformance_values(conformance: Any, examples: dict[str, Any]) -> None:
    """Guards all six adjustments against the values of statsmodels."""
    for case in conformance("statistics")["multiple_testing"]["cases"]:
        for name in THEIRS:
            assert adjust(case["p"], name) == pytest.approx(case[name.replace("-", "_")], abs=1e-9), name
    example = examples["multiple-1"]
    for name, values in example["expected"].items():
        assert adjust(example["input"]["p"], name) == pytest.approx(values, abs=1e-6)


@pytest.mark.parametrize("name", THEIRS)
def test_statsmodels_says_the_same(name: str) -> None:
    """Guards ties, zeros and ones among many p-values, with statsmodels as installed."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 300):
        p = np.round(rng.random(size) ** 2, 2)
        theirs = multitest.multipletests(p, method=THEIRS[name])[1]
        assert adjust(p, name) == pytest.approx(theirs, abs=1e-12)
    edge = [0.0, 1.0, 1.0, 0.5]
    assert adjust(edge, name)[0] == 0
    assert adjust(edge, name).max() <= 1


@pytest.mark.parametrize("name", METHODS)
def test_what_holds_for_every_adjustment(name: str) -> None:
    """Guards that p only grows, never leaves [0, 1], keeps its order, and does not depend on the order given."""
    rng = np.random.default_rng(1)
    p = rng.random(50)
    found = adjust(p, name)
    assert ((found >= p - 1e-15) & (found <= 1)).all()
    assert (np.diff(found[np.argsort(p)]) >= 0).all()
    turned = rng.permutation(50)
    assert np.array_equal(adjust(p[turned], name), found[turned])
    assert not len(adjust([], name))


def test_nonsense_is_refused() -> None:
    """Guards against unknown names and numbers that are no p-values: NaN must not be sorted to one end."""
    with pytest.raises(TruegainError, match="give one of none, bonferroni, holm"):
        adjust([0.1], "sidak")
    for wrong in ([0.1, np.nan], [1.2], [-0.1]):
        with pytest.raises(TruegainError, match="not a p-value"):
            adjust(wrong)


@pytest.mark.parametrize("name", METHODS)
def test_adjusted_values_by_definition(name: str) -> None:
    """Guards each adjustment with ties, 0 and 1 among the values, in any order, against its definition written out."""
    p = [0.2, 0.01, 1.0, 0.04, 0.0, 0.04, 0.35]
    k, order = len(p), sorted(range(7), key=lambda i: p[i])
    s = [p[i] for i in order]
    harmonic = sum(1 / j for j in range(1, k + 1))
    want = {
        "none": [s[i] for i in range(k)],
        "bonferroni": [k * s[i] for i in range(k)],
        "holm": [max((k - j) * s[j] for j in range(i + 1)) for i in range(k)],
        "hochberg": [min((k - j) * s[j] for j in range(i, k)) for i in range(k)],
        "holm-sidak": [max(1 - (1 - s[j]) ** (k - j) for j in range(i + 1)) for i in range(k)],
        "bh": [min(k * s[j] / (j + 1) for j in range(i, k)) for i in range(k)],
        "by": [harmonic * min(k * s[j] / (j + 1) for j in range(i, k)) for i in range(k)],
    }[name]
    found = adjust(p, name)
    assert [found[i] for i in order] == pytest.approx([min(1.0, x) for x in want], rel=1e-12)
    asked = adjust_asked([*p[:2], math.nan, *p[3:]], name)
    assert math.isnan(asked[2])
    assert np.delete(asked, 2) == pytest.approx(np.delete(found, 2), rel=1e-12)


def test_what_is_no_list_of_p_values() -> None:
    """Guards the ends of what is a p-value, and an adjustment of nothing."""
    assert adjust([]).tolist() == []
    assert adjust([0.0, 1.0]).tolist() == adjust([0.0, 1.0], "holm").tolist() == [0.0, 1.0]
    for wrong in ([0.1, -0.01], [1.01, 0.2], [0.1, math.nan], [[0.1, 0.2]]):
        with pytest.raises(TruegainError, match=r"not a p-value|plain list"):
            adjust(wrong)


def ends(found: intervals.Limits) -> list[float]:
    """Both limits as plain numbers."""
    return [float(found.low), float(found.high)]


def test_adjustments_at_their_ends() -> None:
    """Guards p of exactly 0 and 1, one test alone, and by against bh times the harmonic number."""
    for method in multiple_testing.METHODS:
        assert multiple_testing.adjust([0.0, 1.0], method).tolist() == [0.0, 1.0]
        assert multiple_testing.adjust([0.3], method).tolist() == pytest.approx([0.3])
    p = [0.04, 0.001, 0.02]
    assert multiple_testing.adjust(p, "by").tolist() == pytest.approx([0.04 * 11 / 6, 0.003 * 11 / 6, 0.03 * 11 / 6])
    assert multiple_testing.adjust(p, "holm-sidak").tolist() == pytest.approx([0.04, 1 - 0.999**3, 1 - 0.98**2])
    assert multiple_testing.adjust(p, "hochberg").tolist() == pytest.approx([0.04, 0.003, 0.04])
    for wrong in (-1e-9, 1 + 1e-9, math.nan):
        with pytest.raises(TruegainError, match="not a p-value"):
            multiple_testing.adjust([wrong])
