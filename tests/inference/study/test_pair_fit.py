"""Rectification by gold pairs, prepared for all systems and rows of weights, against the one made for one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from truegain.contrasts import Contrasts
from truegain.gains.pair_fit import PairFit
from truegain.gains.rectify_pairs import SampledPairs, rectify_pairs, strata_of
from truegain.inference.study.evidence import ByGoldPairs
from truegain.sampling.designs import expansion_of
from truegain.sampling.gold import Gold
from truegain.tables.columns import Floats


def drawn(seed: int, design: str = "random", topics: int = 12, docs: int = 30) -> tuple[SampledPairs, Floats]:
    """Pairs of a pool, a third of them gold, and what they count for three systems."""
    rng = np.random.default_rng(seed)
    n = topics * docs
    gold = (rng.random(n) < 0.4).astype(float)
    bronze = np.where(rng.random(n) < 0.25, rng.integers(0, 3, n), 2 * gold)
    sampled = rng.random(n) < np.where(bronze > 0, 0.5, 0.25) if design == "by-bronze" else rng.random(n) < 0.33
    pairs = SampledPairs(
        np.repeat(np.arange(topics), docs), strata_of(bronze, sampled), bronze / 2, np.where(sampled, gold, np.nan),
        expansion_of(bronze, sampled, design), topics,
    )  # fmt: skip
    return pairs, np.where(rng.random((3, n)) < 0.4, rng.choice([0.1, 0.05, 0.2], (3, n)), 0.0)


@pytest.mark.parametrize("design", ["random", "by-bronze"])
def test_values_for_rows_of_weights_are_those_of_one_at_a_time(design: str) -> None:
    """Guards the sums by topic and stratum: any copies of topics, each left out, all systems, at 1e-12."""
    pairs, coefficients = drawn(1, design)
    fit = PairFit.of(pairs, coefficients)
    rng = np.random.default_rng(2)
    weights = np.vstack([np.ones(12), 1 - np.eye(12), rng.multinomial(12, np.full(12, 1 / 12), 5)]).astype(float)
    alone = [[rectify_pairs(pairs, c, weights=w).value for c in coefficients] for w in weights]
    assert fit.values(weights) == pytest.approx(np.array(alone), abs=1e-12)
    assert fit.by_topic().mean(axis=0) == pytest.approx(fit.values(weights[:1])[0], abs=1e-12)


def test_the_variance_over_topics_is_that_of_the_linearised_form() -> None:
    """Guards moves of topics and what chance must add, within the few percent by which refits differ from influence."""
    pairs, coefficients = drawn(3, topics=40)
    chosen = pairs.expansion[pairs.sampled]
    gold = Gold(tuple(map(str, range(len(chosen)))), chosen, len(pairs.topic))
    evidence = ByGoldPairs(PairFit.of(pairs, coefficients), tuple(map(str, range(40))), gold)
    found = evidence.over_topics(Contrasts.of([(None, 0), (0, 1), (1, 2)]))
    known = [
        rectify_pairs(pairs, coefficients[0]),
        rectify_pairs(pairs, coefficients[1], against=coefficients[0]),
        rectify_pairs(pairs, coefficients[2], against=coefficients[1]),
    ]
    assert np.sqrt(found.variance) == pytest.approx([r.se for r in known], rel=0.08)


def test_a_gold_pair_moves_what_another_label_of_it_would() -> None:
    """Guards load and residual of a gold pair against the value with its weight a millionth higher, at 1e-6."""
    pairs, coefficients = drawn(5)
    fit = PairFit.of(pairs, coefficients)
    at = np.flatnonzero(pairs.sampled)
    step = 1e-6
    for k in (0, 7, 31):
        more = pairs.expansion.copy()
        more[at[k]] *= 1 + step
        mean = pairs.expansion[pairs.sampled].mean() / more[pairs.sampled].mean()
        other = PairFit.of(SampledPairs(pairs.topic, pairs.stratum, pairs.bronze, pairs.gold, more, 12), coefficients)
        assert mean == pytest.approx(1, abs=1e-6)
        fixed = fit.expected(np.ones((1, 12)))  # the predictions as they are: only the correction is moved
        moved = _with(other, fixed) - _with(fit, fixed)
        assert moved / step == pytest.approx((fit.load * fit.residuals())[k] / 12, abs=2e-6)


def _with(fit: PairFit, m: Floats) -> Floats:
    share, whole = fit.drawn.sum(axis=(1, 2)), fit.whole.sum(axis=(1, 2))
    right = fit.drawn_gold.sum(axis=1) - (fit.drawn * m[0]).sum(axis=(1, 2))
    return np.asarray(((fit.whole * m[0]).sum(axis=(1, 2)) + whole * right / share) / fit.pairs.topics)
