"""Discriminative power, by its definition."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.judge_error.matrices import generated, scores_of, trec8_ap
from truegain.data.scores import Scores
from truegain.errors import DataWarning, TruegainError
from truegain.experiments import discriminative
from truegain.experiments.discriminative import DiscriminativePower, discriminative_power, power_table
from truegain.io.columns import Floats
from truegain.planning.topics import plan_topics
from truegain.sampling.streams import generator
from truegain.stats.intervals import topic_intervals
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance.anova import randomized_tukey_hsd
from truegain.stats.significance.pairs import bootstrap_p
from truegain.stats.swap_rates import swap_rates


def two_measures(x: Floats, y: Floats) -> Scores:
    """Scores on two measures."""
    one, two = scores_of(x, "AP"), scores_of(y, "P@10")
    values, summaries = {**one.values, **two.values}, {**one.summaries, **two.summaries}
    return Scores(one.systems, one.topics, values, summaries, {**one.objects, **two.objects}, {})


def test_power_curve_and_delta() -> None:
    """Guards the share of pairs with p < alpha (strictly), the sorted curve, and delta as the largest difference."""
    x = generated(7, 25, seed=1, effect=0.2)
    found = discriminative_power(scores_of(x), replicates=2000, seed=3)[0]
    p = randomized_tukey_hsd(x, Trials(trials=2000, seed=3)).p[np.triu_indices(7, 1)]
    means = x.mean(axis=1)
    apart = np.abs(means[:, None] - means)[np.triu_indices(7, 1)]
    assert np.array_equal(found.curve, np.sort(p))
    assert (found.significant, found.pairs, found.share) == ((p < 0.05).sum(), 21, (p < 0.05).mean())
    assert found.delta == apart[p < 0.05].max()
    strict = discriminative_power(scores_of(x), replicates=2000, seed=3, alpha=float(np.sort(p)[10]))[0]
    assert strict.significant == (p < np.sort(p)[10]).sum()


def test_replicates_are_shared_by_measures() -> None:
    """Guards a fair race: a measure and a multiple of it meet the same permutations and get the same curve."""
    x = generated(6, 20, seed=2)
    for test in ("randomized-tukey-hsd", "bootstrap"):
        a, b = discriminative_power(two_measures(x, x / 2), replicates=700, test=test)
        assert np.array_equal(a.curve, b.curve)


def test_noise_discriminates_less() -> None:
    """Guards the order: the measure that tells more pairs apart comes first."""
    x = generated(8, 30, seed=4, effect=0.2)
    noisy = np.random.default_rng(0).random(x.shape)
    found = discriminative_power(two_measures(noisy, x), replicates=500)
    assert [d.measure for d in found] == ["P@10", "AP"]
    assert power_table(found).columns == ("measure", "power", "significant", "pairs", "delta")
    assert found[1].delta is None or found[1].share > 0


def test_delta_of_the_bootstrap() -> None:
    """Guards MATTERS' delta: |mean| of the replicate with the ceil(B alpha)-th largest |t*|, its maximum over pairs."""
    x, trials = generated(3, 10, seed=5), 300
    draws = generator(1, "topics").integers(0, 10, size=(trials, 10))
    deltas = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        w = x[j] - x[i] - (x[j] - x[i]).mean()
        stars = w[draws]
        t = np.abs(stars.mean(axis=1)) / (stars.std(axis=1, ddof=1) / math.sqrt(10))
        deltas.append(abs(stars.mean(axis=1))[np.argsort(-t)[math.ceil(trials * 0.05) - 1]])
    found = discriminative_power(scores_of(x), test="bootstrap", replicates=trials, seed=1)[0]
    assert found.delta == pytest.approx(max(deltas))


def test_missing_topics_and_nonsense() -> None:
    """Guards one set of topics for all measures, told; and clear refusals."""
    x = generated(4, 9, seed=6)
    holed = x.copy()
    holed[0, 2] = np.nan
    with pytest.warns(DataWarning, match="1 of 9 topics"):
        found = discriminative_power(two_measures(x, holed), replicates=300)
    assert np.array_equal(found[0].curve, found[1].curve)
    with pytest.raises(TruegainError, match="alpha"):
        discriminative_power(scores_of(x), alpha=5)
    with pytest.raises(TruegainError, match="not available"):
        discriminative_power(scores_of(x), test="t")  # type: ignore[arg-type]


def test_power_on_trec8(shared_data: Path) -> None:
    """Guards real data: about a third of the pairs of TREC-8 are told apart by AP."""
    found = discriminative_power(scores_of(trec8_ap(shared_data)), replicates=1000)[0]
    assert found.share == pytest.approx(2676 / 8256, abs=0.015)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize(
    "asked",
    [
        discriminative_power,
        lambda s: plan_topics(s, min_effect=0.1),
        swap_rates,
        tg.compare,
        topic_intervals,
    ],
)
def test_predicted_labels_are_not_tested(asked: Callable[[Scores], object]) -> None:
    """Guards every way from scores to p, power and variance: scores with predicted labels have none of them."""
    docs = [f"d{i}" for i in range(20)]
    qrels = {str(t): {d: int((i + t) % 3 == 0) for i, d in enumerate(docs[:12])} for t in range(6)}
    runs = {
        name: {str(t): {d: float((i * step + t) % 19) for i, d in enumerate(docs)} for t in range(6)}
        for name, step in (("a", 3), ("b", 7))
    }
    asked(tg.evaluate(runs, qrels, "P@10"))
    with pytest.raises(TruegainError, match="no interval and no p-value"):
        asked(tg.evaluate(runs, qrels, "P@10", fill="predicted"))


@pytest.mark.parametrize("test", ["randomized-tukey-hsd", "bootstrap"])
def test_pairs_at_alpha_are_not_significant(test: Any) -> None:
    """Guards p < alpha where p is alpha: by taking for alpha the p-values that were found, in curve and delta."""
    x = generated(5, 12, seed=4, effect=0.1)
    scores = scores_of(x)
    curve = discriminative_power(scores, test=test, replicates=100, counting="published")[0].curve
    first, second = np.triu_indices(5, 1)
    apart = np.abs(x.mean(axis=1)[first] - x.mean(axis=1)[second])
    assert curve.tolist() == sorted(curve.tolist())
    inside = [p for p in sorted(set(curve.tolist())) if 0 < p < 1]
    assert len(inside) > 2
    for alpha in inside:
        (found,) = discriminative_power(scores, test=test, replicates=100, alpha=alpha, counting="published")
        assert (found.significant, found.pairs) == (int((curve < alpha).sum()), 10)
        assert found.share == found.significant / 10
        if test == "bootstrap":
            z = x[second] - x[first]
            want = bootstrap_p(z, Trials(trials=100, confidence=1 - alpha, counting="published")).delta.max()
            assert found.delta == pytest.approx(want)
        elif found.significant:
            assert found.delta == pytest.approx(np.sort(apart)[-1])
        else:
            assert found.delta is None


def test_measures_are_held_against_each_other_on_shared_topics() -> None:
    """Guards best first, defaults, and a topic that one measure lacks for one system left out of both."""
    x = generated(4, 10, seed=4, effect=0.2)
    y = x.copy()
    y[1, 3] = np.nan
    both = scores_of(x)
    both = replace(both, values={"AP": x, "P@1": y}, objects=dict.fromkeys(("AP", "P@1"), both.objects["AP"]))
    with pytest.warns(UserWarning, match="1 of 10 topics are left out"):
        on = discriminative._on_the_same_topics(both, ["AP", "P@1"])
    assert [m.shape for m in on] == [(4, 9), (4, 9)]
    found = discriminative_power(scores_of(x))
    again = discriminative_power(scores_of(x), alpha=0.05, seed=0)
    assert found[0].curve.tolist() == again[0].curve.tolist()
    assert found[0].alpha == 0.05
    one = DiscriminativePower("AP", np.array([0.01, 0.05, 0.2]), 0.05, None, "bootstrap", 9)
    assert (one.significant, one.pairs, one.share) == (1, 3, 1 / 3)
    for alpha in (0.0, 1.0, 1.5):
        with pytest.raises(TruegainError, match="between 0 and 1"):
            discriminative_power(both, alpha=alpha)
