"""Pairs that stand on few units beside pairs that stand on many: one error for the whole family all the same."""

from __future__ import annotations

import numpy as np

from truegain.stats.contrasts import Contrasts
from truegain.stats.influence import Variance
from truegain.study.estimates import _on_one_scale, largest_t


def test_some_pairs_with_little_freedom() -> None:
    """Guards the family: with 9 of 45 pairs on 3 degrees of freedom some equal pair was told apart in 32%."""
    n, studies = 10, 1500
    asked = Contrasts.all_pairs(n)
    few = asked.a == 0
    spread = Variance(np.full(len(asked), 2.0), np.where(few, 3.0, 49.0))
    quantile = float(np.quantile(largest_t(np.eye(n), spread, asked, 0), 0.95))
    rng = np.random.default_rng(0)
    plain = ours = 0
    for _ in range(studies):
        freedom = np.where(few, rng.chisquare(3, len(asked)) / 3, rng.chisquare(49, len(asked)) / 49)
        t = np.abs(asked.values(rng.normal(size=n))) / np.sqrt(2 * freedom)
        plain += bool((t > quantile).any())
        ours += bool((_on_one_scale(t, spread) > quantile).any())
    assert plain / studies > 0.25
    assert ours / studies < 0.065


def test_the_same_freedom_changes_nothing() -> None:
    """Guards the usual case: not a bit of t changes where all pairs stand on as many units."""
    spread = Variance(np.array([1.0, 2.0, 0.0]), np.array([49.0, 49.0, 3.0]))
    t = np.array([1.0, 7.0, 0.0])
    assert _on_one_scale(t, spread) is t
