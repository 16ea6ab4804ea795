"""Pairs that stand on few units beside pairs that stand on many: one error for the whole family all the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.worlds import study as world
from truegain.stats.contrasts import Contrasts, Variance
from truegain.study.estimates import _on_one_scale
from truegain.study.ranking import largest_t
from truegain.study.variance import joined_with_wilson


def test_some_pairs_with_little_freedom() -> None:
    """Guards the family: with 9 of 45 pairs on 3 degrees of freedom some equal pair was told apart in 32%."""
    n, studies = 10, 1500
    contrasts = Contrasts.all_pairs(n)
    few = contrasts.a == 0
    spread = Variance(np.full(len(contrasts), 2.0), np.where(few, 3.0, 49.0))
    quantile = float(np.quantile(largest_t(np.eye(n), spread, contrasts, 0), 0.95))
    rng = np.random.default_rng(0)
    plain = ours = 0
    for _ in range(studies):
        freedom = np.where(few, rng.chisquare(3, len(contrasts)) / 3, rng.chisquare(49, len(contrasts)) / 49)
        t = np.abs(contrasts.values(rng.normal(size=n))) / np.sqrt(2 * freedom)
        plain += bool((t > quantile).any())
        ours += bool((_on_one_scale(t, spread) > quantile).any())
    assert plain / studies > 0.25
    assert ours / studies < 0.065


def test_the_same_freedom_changes_nothing() -> None:
    """Guards the usual case: not a bit of t changes where all pairs stand on as many units."""
    spread = Variance(np.array([1.0, 2.0, 0.0]), np.array([49.0, 49.0, 3.0]))
    t = np.array([1.0, 7.0, 0.0])
    assert _on_one_scale(t, spread) is t


def test_a_pair_with_less_freedom_keeps_its_p() -> None:
    """Guards the scale that |t| are compared on: by scipy, the t of 13 degrees of freedom that has the p of its own."""
    spread = Variance(np.array([0.01, 0.02, 0.03, 0.0, 0.04]), np.array([3.0, 20.0, 49.0, 2.0, 6.5]))
    t = np.array([2.5, 1.7, 3.1, 0.0, 4.2])  # the median of 3, 6.5, 20 and 49 is 13.25
    wanted = [stats.t.isf(stats.t.sf(x, df), 13) if df < 13 else x for x, df in zip(t, spread.df, strict=True)]
    wanted[3] = 0.0
    assert _on_one_scale(t, spread) == pytest.approx(np.array(wanted), rel=1e-9)
    assert wanted[0] < 1.9 < 2.5


def test_limits_without_width_and_beyond_the_bounds() -> None:
    """Guards an interval without width inside its bounds, and a value beyond them: a proportion of 1."""
    value, spread = np.array([0.3, 1.2]), Variance(np.array([0.0, 0.05**2]), np.full(2, 9.0))
    low, high = joined_with_wilson(value, spread, np.full(2, 30.0), (0.0, 1.0), 0.95)
    assert (low[0], high[0]) == pytest.approx((0.3, 0.3))
    share, t = 30.5 / 31, float(stats.t.ppf(0.975, 9))  # a proportion of 1 has Wilson's low end at n / (n + t^2)
    size = share * (1 - share) / 0.05**2
    assert (low[1], high[1]) == pytest.approx((size / (size + t**2), 1.0))


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 3.0)])
@pytest.mark.parametrize(("value", "pairs"), [(0.02, 100), (0.5, 30), (0.97, 12)])
def test_intervals_near_bounds_by_hand(value: float, pairs: int, bounds: tuple[float, float]) -> None:
    """Guards the interval that joins t's and Wilson's: half a pair to either side, the size from the variance."""
    se, df = 0.04, 7
    least, most = bounds
    t = float(stats.t.ppf(0.95, df))
    p = (value - least) / (most - least)
    shrunk = (p * pairs + 0.5) / (pairs + 1)
    n = shrunk * (1 - shrunk) / (se / (most - least)) ** 2
    middle = (p + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t / (1 + t**2 / n) * math.sqrt(p * (1 - p) / n + t**2 / (4 * n**2))
    wide = [least + (most - least) * (middle + s * half) for s in (-1, 1)]
    expected = (min(max(value - t * se, least), wide[0]), max(min(value + t * se, most), wide[1]))
    spread = Variance(np.array([se**2]), np.array([df]))
    low, high = joined_with_wilson(np.array([value]), spread, np.array([float(pairs)]), bounds, 0.9)
    assert (low[0], high[0]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("population", [["fixed"], ["collection"]])
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_scores_of_fixed_topics_have_the_limits_of_their_labels(population: list[str]) -> None:
    """Guards limits put together from those of each bronze label, beside other sources: sqrt(h^2 + t^2 V)."""
    runs, bronze, gold = world(4, topics=25)
    some = {t: {d: g for d, g in row.items() if (int(d[1:]) + int(t)) % 3 == 0} for t, row in gold.items()}
    words = {"gold": tg.Gold(some, design="random"), "resampling": tg.Resampling(n=100)}
    study = tg.Study(runs, bronze, "P@10", population=population, confidence=0.9, **words)  # type: ignore[arg-type]
    model, scores = study.variance_model(), Contrasts.scores(2)
    variance, of_gold = model.variance(scores, 0.9), model.estimator.over_gold(scores)
    assert of_gold is not None
    others = variance.value - of_gold.value
    assert (others > 1e-4).all() if population == ["collection"] else (others == 0).all()
    t = np.array([stats.t.ppf(0.95, df) for df in variance.df])
    halves = model.estimator.by_label(t)
    assert halves is not None
    for s, one in enumerate(study.estimates()):
        pairs = sum(f"{one.system}{i}" in some[topic] for topic in some for i in range(10))
        p = one.value
        shrunk = (p * pairs + 0.5) / (pairs + 1)
        n = shrunk * (1 - shrunk) / variance.value[s]
        middle = (p + t[s] ** 2 / (2 * n)) / (1 + t[s] ** 2 / n)
        half = t[s] / (1 + t[s] ** 2 / n) * math.sqrt(p * (1 - p) / n + t[s] ** 2 / (4 * n**2))
        down, up = (math.sqrt(h[s] ** 2 + t[s] ** 2 * others[s]) for h in halves)
        assert one.low == pytest.approx(min(p - down, middle - half))
        assert one.high == pytest.approx(max(p + up, middle + half))
