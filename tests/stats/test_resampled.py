"""Bootstrap and randomization tests: blocks, stages, critical values, all signs."""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.judge_error.matrices import generated
from tests.judge_error.one_pair import bootstrap, randomization
from truegain.io.columns import Floats
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance import pairs as pair_tests
from truegain.stats.significance.pairs import bootstrap_p, randomization_p

Z = [0.1, -0.02, 0.05, 0.04, 0.0, 0.12, -0.04, 0.07, 0.03, 0.09]


def test_the_bootstrap_of_one_pair_is_that_of_rows() -> None:
    """Guards t, p, both limits and defaults of a single bootstrap, against the arrays it is made from."""
    z = np.array(Z)
    found, rows = (
        bootstrap(Z, trials=300, seed=4),
        bootstrap_p(z[None, :], Trials(trials=300, seed=4, confidence=0.95)),
    )
    error = stats.sem(z)
    margin = float(rows.critical[0]) * error
    want = (z.mean(), z.mean() / error, float(rows.p[0]), 10, z.mean() - margin, z.mean() + margin)
    assert dataclasses.astuple(found)[:6] == pytest.approx(want, rel=1e-12)
    assert bootstrap(Z, trials=300) == bootstrap(Z, trials=300, seed=0, confidence=0.95)
    assert (
        bootstrap_p(z[None, :], Trials(trials=300)).critical
        == bootstrap_p(z[None, :], Trials(trials=300, seed=0)).critical
    )
    assert randomization(Z, trials=300) == randomization(Z, trials=300, seed=0)
    assert randomization_p(z[None, :], Trials(trials=300)) == randomization(Z, trials=300).p
    assert randomization(Z, trials=300, seed=4).p != randomization(Z, trials=300, seed=5).p


@pytest.mark.parametrize("confidence", [0.95, 0.9, 0.5])
def test_critical_value_and_delta_are_of_one_replicate(confidence: float) -> None:
    """Guards the replicate that holds the quantile of |t*|, ceil(trials alpha)-th from the top, and its |mean|."""
    z = generated(3, 8, seed=1) - generated(3, 8, seed=2)
    values = pair_tests._squared_too(z - z.mean(axis=1, keepdims=True))
    stars, means = pair_tests._bootstrap_t((values, 7), (0, 90), np.random.SeedSequence(0))
    found = bootstrap_p(z, Trials(trials=90, seed=7, confidence=confidence))
    nth = math.ceil(round(90 * (1 - confidence), 9))
    for i in range(3):
        at = np.argsort(-stars[:, i], kind="stable")[nth - 1]
        assert (found.critical[i], found.delta[i]) == (stars[at, i], means[at, i])
        reached = int((stars[:, i] >= abs(found.t[i]) * (1 - 1e-12)).sum())
        assert found.p[i] == pytest.approx((reached + 1) / 91)


@pytest.mark.parametrize("counting", ["plus-one", "published"])
def test_pieces_of_work_do_not_change_answers(monkeypatch: pytest.MonkeyPatch, counting: Any) -> None:
    """Guards stretches of pairs: cut in any way they give the same p, t, limits and delta, and all pairs are told."""
    z = generated(7, 14, seed=3) - generated(7, 14, seed=4) * 0.8
    z[3] = 0.0
    options: dict[str, Any] = {"trials": 40, "most": 300, "seed": 2, "counting": counting}

    def all_of() -> list[Floats]:
        told: list[int] = []
        b = bootstrap_p(z, Trials(**options, progress=told.append))
        assert sum(told) == 7
        told.clear()
        r = randomization_p(z, Trials(**options, progress=told.append))
        assert sum(told) == 7
        told.clear()
        e = randomization_p(z[:, :5], Trials(trials=32, progress=told.append))
        assert sum(told) == 7
        return [b.t, b.p, b.critical, b.delta, r, e]

    whole = all_of()
    monkeypatch.setattr(pair_tests, "CELLS", 80)
    monkeypatch.setattr(pair_tests, "STRETCH", 3)
    monkeypatch.setattr(pair_tests, "MANY", 2)
    for longest in (pair_tests.LONGEST, 0):  # a stretch in one piece of work, and in blocks of replicates
        monkeypatch.setattr(pair_tests, "LONGEST", longest)
        for was, now in zip(whole, all_of(), strict=True):
            assert now.tolist() == was.tolist()
    assert whole[1][3] == whole[4][3] == whole[5][3] == 1.0
    alone = [bootstrap_p(z[[i]], Trials(**options)).p[0] for i in range(7)]
    assert whole[1].tolist() == alone


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_pairs_that_few_trials_reached_go_on_as_told(test: str) -> None:
    """Guards p of pairs that go on, by counting replicates one by one: after 40, 160, 300 a pair with 20 is settled."""
    z = generated(12, 14, seed=5) - generated(12, 14, seed=6) * 0.8
    options: dict[str, Any] = {"trials": 40, "most": 300, "seed": 2}
    n = z.shape[1]
    if test == "bootstrap":
        found = bootstrap_p(z, Trials(**options)).p
        drawn = pair_tests._drawn(2, (0, 300), n, n, np.int64)
        w, t = z - z.mean(axis=1, keepdims=True), np.abs(stats.ttest_1samp(z, 0, axis=1).statistic)
        hit = np.abs(stats.ttest_1samp(w[:, drawn], 0, axis=2).statistic) >= t[:, None]
    else:
        found = randomization_p(z, Trials(**options))
        signs = 1 - 2 * pair_tests._drawn(2, (0, 300), n, 2, np.int8).astype(float)
        hit = np.abs(z @ signs.T) >= np.abs(z.sum(axis=1))[:, None] - 1e-10
    ends = set()
    for row, p in zip(hit, found, strict=True):
        end = next(k for k in (40, 160, 300) if k == 300 or row[:k].sum() >= 20)
        ends.add(end)
        assert p == pytest.approx((row[:end].sum() + 1) / (end + 1), rel=1e-12)
    assert len(ends) > 1


def test_published_p_values_do_not_go_on() -> None:
    """Guards count/trials: whatever more trials there might be, p is a count of those asked for."""
    z = np.abs(generated(3, 14, seed=7))
    for found in (
        bootstrap_p(z, Trials(trials=50, most=500, counting="published")).p,
        randomization_p(z, Trials(trials=50, most=500, counting="published")),
    ):
        assert found.tolist() == [0.0, 0.0, 0.0]
    assert randomization_p(z, Trials(trials=50, most=500))[0] == pytest.approx(1 / 501)
    assert randomization_p(z, Trials(trials=50, most=20))[0] == pytest.approx(1 / 51)
    assert randomization_p(z, Trials(trials=50))[0] == pytest.approx(1 / 51)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7])
def test_all_signs_are_counted(n: int) -> None:
    """Guards halves of topics, even and odd: the share of all signs as far out, ties of 1/8 included."""
    z = np.random.default_rng(n).integers(-4, 6, (4, n)) / 8
    found = pair_tests.randomization_p(z, Trials(trials=2**n))
    for row, p in zip(z, found, strict=True):
        sums = [
            abs(sum(s * x for s, x in zip(signs, row, strict=True))) for signs in itertools.product((-1, 1), repeat=n)
        ]
        assert p == pytest.approx(sum(s >= abs(row.sum()) for s in sums) / 2**n, rel=1e-12)
    assert pair_tests.is_exact(n, 2**n)
    assert not pair_tests.is_exact(n, 2**n - 1)


def test_blocks_are_cut_where_streams_begin() -> None:
    """Guards the replicates of a stage: the same whether drawn at once or gone on with, at 500 and beside it."""
    assert pair_tests._blocks(0, 500) == [(0, 500)]
    assert pair_tests._blocks(100, 1001) == [(100, 500), (500, 1000), (1000, 1001)]
    assert pair_tests._blocks(500, 600) == [(500, 600)]
    whole = pair_tests._drawn(3, (500, 900), 6, 6, np.int64)
    assert np.array_equal(whole[150:], pair_tests._drawn(3, (650, 900), 6, 6, np.int64))


def test_t_of_resampled_topics_by_hand() -> None:
    """Guards t* with divisor n - 1, infinite where one topic was drawn throughout, and its |mean|, for drawn topics."""
    w = np.array([[0.3, -0.1, -0.2]])
    stars, means = pair_tests._bootstrap_t((pair_tests._squared_too(w), 4), (0, 40), np.random.SeedSequence(0))
    for drawn, star, mean in zip(pair_tests._drawn(4, (0, 40), 3, 3, np.int64), stars[:, 0], means[:, 0], strict=True):
        own = w[0, drawn].tolist()
        assert mean == pytest.approx(abs(statistics.fmean(own)))
        flat = len(set(own)) == 1
        assert star == (math.inf if flat else pytest.approx(abs(statistics.fmean(own)) / stats.sem(own)))
    assert np.isinf(stars).any()
