"""Adjusted p-values, against statsmodels and by their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from truegain.errors import TruegainError
from truegain.stats.multiple_testing import METHODS, adjust

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
