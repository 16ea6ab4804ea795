"""Tests of pairs, one by one and many at a time: every number of an answer, what is told, and where limits lie."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.judge_error.matrices import generated, scores_of
from tests.judge_error.one_pair import bootstrap, paired_t, randomisation, welch
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.stats import pair_tests
from truegain.stats.multiple_testing import Trials
from truegain.stats.pair_tests import bootstrap_p, paired_t_rows, randomisation_p, sign_rows, welch_rows, wilcoxon_rows

Z = [0.1, -0.02, 0.05, 0.04, 0.0, 0.12, -0.04, 0.07, 0.03, 0.09]

# ---------------------------------------------------------------------- one pair


def test_every_number_of_a_t_test() -> None:
    """Guards difference, t, p, n, limits and degrees of freedom, at 95% unasked, against scipy."""
    for found, level in ((paired_t(Z), 0.95), (paired_t(Z, confidence=0.8), 0.8)):
        theirs: Any = stats.ttest_1samp(Z, 0)
        ends = theirs.confidence_interval(level)
        want: tuple[Any, ...] = (0.044, theirs.statistic, theirs.pvalue, 10, ends.low, ends.high, 9)
        assert dataclasses.astuple(found)[:7] == pytest.approx(want)
    a, b = [0.1, 0.2, 0.35], [0.3, 0.4, 0.5, 0.75]
    theirs = stats.ttest_ind(b, a, equal_var=False)
    ends = theirs.confidence_interval(0.95)
    want = (np.mean(b) - np.mean(a), theirs.statistic, theirs.pvalue, 3, ends.low, ends.high, theirs.df)
    assert dataclasses.astuple(welch(a, b))[:7] == pytest.approx(want)


def test_rows_hold_95_percent_unless_told() -> None:
    """Guards the level of both t tests that nobody gave one, and levels outside of 0 to 1."""
    a, b = generated(2, 8, seed=1)[:1], generated(2, 8, seed=2)[:1]
    for test in (paired_t_rows, welch_rows):
        low, high, same, wide = test(a, b).low, test(a, b).high, test(a, b, 0.95), test(a, b, 0.99)
        assert low is not None
        assert high is not None
        assert (same.low, same.high) == (low, high)
        assert wide.low is not None
        assert wide.low[0] < low[0] < high[0]
        for level in (0.0, 1.5):
            with pytest.raises(TruegainError, match="between 0 and 1"):
                test(a, b, level)


def test_where_nothing_differs() -> None:
    """Guards every number of an answer about zeros."""
    zeros = np.zeros((1, 3))
    for test in (paired_t_rows, welch_rows):
        found = test(zeros, zeros)
        assert np.stack([found.p, found.low, found.high]).tolist() == [[1.0], [0.0], [0.0]]  # type: ignore[list-item]
    assert wilcoxon_rows(zeros, zeros).p == sign_rows(zeros, zeros).p == 1.0
    drawn = bootstrap_p(zeros, Trials(trials=50))
    assert np.stack([drawn.t, drawn.p, drawn.critical, drawn.delta]).tolist() == [[0.0], [1.0], [0.0], [0.0]]
    assert randomisation_p(zeros, Trials(trials=50)) == 1.0
    one = np.array([[0.3]])
    assert wilcoxon_rows(0 * one, one).p == sign_rows(0 * one, one).p == randomisation_p(one) == 1.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_differences_that_are_equal_but_for_rounding(sign: float) -> None:
    """Guards the line between rounding and spread, for differences below 0 as for those above."""
    flat = sign * np.array([[0.3, 0.1 + 0.2, 0.3]])
    for call in (lambda: paired_t_rows(0 * flat, flat), lambda: bootstrap_p(flat)):
        with pytest.raises(TruegainError, match="all 3 differences are"):
            call()
    with pytest.raises(TruegainError, match="Welch's t has no value"):
        welch_rows(flat, np.full((1, 3), 0.1))
    assert welch_rows(flat, flat[:, ::-1]).p == 1.0
    hardly = sign * np.array([[0.3, 0.3 + 1e-9]])
    assert paired_t_rows(0 * hardly, hardly).p < 1e-8
    scores = np.array([[0.1, 0.4, 0.2]] * 3)
    scores[2] += flat[0]
    with pytest.raises(TruegainError, match=r"^(s0 and s2|s2 and s0): all 3 differences"):
        tg.compare(scores_of(scores, "YAAP"), test="paired-t", baseline="s0" if sign > 0 else "s2")


# ---------------------------------------------------------------------- resampled


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
    assert randomisation(Z, trials=300) == randomisation(Z, trials=300, seed=0)
    assert randomisation_p(z[None, :], Trials(trials=300)) == randomisation(Z, trials=300).p
    assert randomisation(Z, trials=300, seed=4).p != randomisation(Z, trials=300, seed=5).p


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
        r = randomisation_p(z, Trials(**options, progress=told.append))
        assert sum(told) == 7
        told.clear()
        e = randomisation_p(z[:, :5], Trials(trials=32, progress=told.append))
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


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
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
        found = randomisation_p(z, Trials(**options))
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
        randomisation_p(z, Trials(trials=50, most=500, counting="published")),
    ):
        assert found.tolist() == [0.0, 0.0, 0.0]
    assert randomisation_p(z, Trials(trials=50, most=500))[0] == pytest.approx(1 / 501)
    assert randomisation_p(z, Trials(trials=50, most=20))[0] == pytest.approx(1 / 51)
    assert randomisation_p(z, Trials(trials=50))[0] == pytest.approx(1 / 51)
