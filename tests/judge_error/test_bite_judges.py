"""Small faults in a judge's rates, tests and simulations: each held against a value found another way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from truegain.errors import TruegainError
from truegain.experiments.judge_errors import JudgeSimulation, simulate_judge
from truegain.io.columns import Floats
from truegain.judge_error.confusion import Confusion, Rates
from truegain.judge_error.diagnostics import Favour, Homogeneity, _permuted
from truegain.judge_error.intervals import (
    LARGEST_CONDITION,
    _cut,
    bootstrap_over_topics,
    guarded,
    guarded_difference,
    lang_reiczigel,
    many_labels,
    parametric_bootstrap,
    ratios_of_draws,
)
from truegain.judge_error.judge import TopicMatrix
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.sampling.streams import generator

# ---------------------------------------------------------------------- simulation


def test_the_simulation_again_trial_by_trial() -> None:
    """Guards algorithm 2: every trial's naive and corrected value and both standard errors, drawn in two blocks."""
    p, n, trials, gold = np.array([0.7, 0.2, 0.1, 0.0]), 2000, 600, (90, 60)
    found = simulate_judge(p.tolist(), m_r=0.9, m_n=0.8, n=n, gold=gold, trials=trials, seed=4)
    rng = generator(4, "simulated judge")
    naive, errors = [], []
    for size in (500, 100):  # 4 million draws a block
        first, second = rng.random((size, n, 4)), rng.random((size, n, 4))
        for x, y in zip(first, second, strict=True):
            each = ((y < np.where(x < p, 0.9, 0.2)).sum(axis=1)) / 4
            naive.append(float(each.sum()) / n)
            errors.append(math.sqrt(float(((each - naive[-1]) ** 2).sum()) / (n - 1) / n))
    m_r, m_n = rng.binomial(90, 0.9, trials) / 90, rng.binomial(60, 0.8, trials) / 60
    assert found.truth == pytest.approx(0.25)
    assert found.naive == pytest.approx(np.array(naive), rel=1e-9)
    assert found.naive_se == pytest.approx(np.array(errors), rel=1e-9)
    for i in range(0, trials, 23):
        value = (naive[i] - 1 + m_n[i]) / (m_r[i] + m_n[i] - 1)
        slopes = np.array([1, -value, 1 - value]) / (m_r[i] + m_n[i] - 1)
        variances = np.array([errors[i] ** 2, m_r[i] * (1 - m_r[i]) / 90, m_n[i] * (1 - m_n[i]) / 60])
        assert found.corrected[i] == pytest.approx(value, rel=1e-9)
        assert found.corrected_se[i] == pytest.approx(math.sqrt(slopes**2 @ variances), rel=1e-9)


def test_coverage_counts_intervals_that_end_on_the_truth() -> None:
    """Guards value -+ z se, ends and all, naive first."""
    z, sure = stats.norm.ppf(0.95), np.zeros(4)
    around = 0.5 + z * np.array([0.0, 0.99, -0.99, 1.01])
    found = JudgeSimulation(0.5, np.array([0.5, 0.5, 0.6, 0.4]), sure, around, sure + 1.0)
    assert found.coverage(0.9) == (0.5, 0.75)
    assert found.coverage()[1] == 1.0
    assert replace(found, corrected=0.5 + np.array([1.9, 1.95, 1.97, 2.9])).coverage()[1] == 0.5
    drawn = [simulate_judge([0.5], m_r=0.9, m_n=0.9, n=5, gold=(50, 50), trials=9, seed=s).naive.sum() for s in (0, 1)]
    assert simulate_judge([0.5], m_r=0.9, m_n=0.9, n=5, gold=(50, 50), trials=9).naive.sum() == drawn[0] != drawn[1]


@pytest.mark.parametrize(
    ("relevance", "n", "gold"),
    [((), 5, (9, 9)), ((0.5,), 1, (9, 9)), ((0.5,), 5, (0, 9)), ((0.5,), 5, (9, 0)), ((-0.1, 0.5), 5, (9, 9)),
     ((0.5, 1.1), 5, (9, 9))],
)  # fmt: skip
def test_what_cannot_be_simulated(relevance: tuple[float, ...], n: int, gold: tuple[int, int]) -> None:
    """Guards each condition by itself; the least that is allowed is."""
    with pytest.raises(TruegainError, match="give probabilities"):
        simulate_judge(relevance, m_r=1.0, m_n=1.0, n=n, gold=gold, trials=5)
    least = simulate_judge([0.0, 1.0], m_r=1.0, m_n=1.0, n=2, gold=(1, 1), trials=5)
    assert least.corrected.tolist() == [0.5] * 5


def test_a_simulated_judge_at_chance() -> None:
    """Guards the count of judges whose D is 0 or less: of two gold pairs a half each makes 0."""
    rng = generator(0, "simulated judge")
    rng.random((2, 40, 2, 1))
    m_r, m_n = rng.binomial(2, 0.75, 40) / 2, rng.binomial(2, 0.75, 40) / 2
    at_most = int((m_r + m_n - 1 <= 0).sum())
    assert at_most > int((m_r + m_n - 1 < 0).sum()) > 0
    with pytest.raises(TruegainError, match=f"^{at_most} of 40 simulated"):
        simulate_judge([0.5], m_r=0.75, m_n=0.75, n=2, gold=(2, 2), trials=40)


# ---------------------------------------------------------------------- homogeneity


def test_permutations_one_at_a_time() -> None:
    """Guards the p value to the last trial, over two blocks, topics in any order, a topic without errors among them."""
    rng = np.random.default_rng(6)
    size, trials = 10_000, 250
    topic = rng.integers(0, 40, size)
    member: Floats = (rng.random((3, size)) < 0.3).astype(np.float64)
    member[2] = topic == 7  # who answers this topic alone cannot be off
    good: Floats = ((topic == 7) | (rng.random(size) < 0.7 + 0.006 * member[0])).astype(np.float64)
    found = _permuted(member, good, topic, trials, np.random.default_rng(1))
    order = np.argsort(topic, kind="stable")
    where = [np.flatnonzero(topic[order] == t) for t in range(40)]
    x, lists, draws = good[order], member[:2, order], np.random.default_rng(1)
    share = np.concatenate([np.full(len(w), x[w].mean()) for w in where])

    def statistic(labels: Floats) -> float:
        return float(sum((row @ (labels - share)) ** 2 / (row @ (share * (1 - share))) for row in lists))

    above = 0
    for _ in range(trials):
        keys = draws.random(size)
        above += statistic(np.concatenate([x[w[np.argsort(keys[w])]] for w in where])) >= statistic(x) - 1e-9
    assert found == (1 + above) / (1 + trials)
    assert 5 < above < trials - 5


def test_a_p_value_of_just_a_twentieth() -> None:
    """Guards that p must lie below 0.05: 100 of 2,000 permutations make exactly that."""
    none, counts = (Favour("x"), Favour("y")), np.full((2, 2), 10.0)
    for above, yes in ((99, False), (98, True)):
        found = Homogeneity(("x", "y"), counts - 3, counts, None, (1 + above) / (1 + 1999), 1999, "P@5", none)
        assert found.differs == yes


def test_two_pairs_can_be_permuted() -> None:
    """Guards the least: of two pairs of a topic, one right, either order is as far off; one pair is no test."""
    two, one = np.eye(2), np.ones((2, 1))
    assert _permuted(two, np.array([1.0, 0.0]), np.array([3, 3]), 20, np.random.default_rng(1)) == 1.0
    assert _permuted(one, np.array([1.0]), np.array([3]), 20, np.random.default_rng(1)) is None


# ---------------------------------------------------------------------- intervals


def test_a_judge_that_did_not_pass_is_guarded_quietly() -> None:
    """Guards tails of more than 1, which are of a D below its bar: nothing is held by them, and nothing overflows."""
    poor = Rates(0.5, 0.52, 0.52, 1e-4, 0.25 / 4000, 0.25 / 4000, 2500, 4000, 4000)
    worse = Rates(0.5, 0.45, 0.45, 1e-4, 0.25 / 4000, 0.25 / 4000, 2500, 4000, 4000)
    assert poor.shrunk_d[0] > 0 > worse.shrunk_d[0]
    with np.errstate(over="raise"):
        assert guarded(worse, 1.0) == lang_reiczigel(worse, 1.0)
        assert guarded_difference(0.3, 1e-4, worse, 1.0) is None
        assert guarded_difference(0.3, 1e-4, poor, 1.0) is None  # 0.3 / D is above 1


@pytest.mark.parametrize(
    ("value", "size_r", "yes"),
    [(0.255, 250, True), (0.245, 250, False), (0.745, 250, True), (0.755, 250, False), (0.5, 206, True),
     (0.5, 194, False)],
)  # fmt: skip
def test_where_plenty_begins(value: float, size_r: float, yes: bool) -> None:
    """Guards values from 1/4 to 3/4, and 20 wrong labels of those a tenth of which are wrong, closely."""
    j = 0.2 + 0.7 * value
    r = Rates(j, 0.9, 0.8, j * (1 - j) / 500, 0.09 / size_r, 0.16 / 250, 500, size_r, 250)
    assert r.value == pytest.approx(value)
    assert many_labels(r) == yes


@pytest.mark.parametrize("errors", [9.8, 10.2])
def test_plenty_is_ten_errors(errors: float) -> None:
    """Guards D ten standard errors above 0, all else being plenty: the same judge, correlated so much."""
    v = 0.24 / 400
    sizes = [
        Rates(0.5, 0.6 + x, 0.6 + x, 0.25 / 900, v, v, 900, 400, 400, corr_rn=0.0) for x in np.arange(0, 0.2, 1e-4)
    ]
    near = min(sizes, key=lambda r: abs(r.shrunk_d[0] / r.shrunk_d[1] - errors))
    d, se = near.shrunk_d
    assert d / se == pytest.approx(errors, abs=0.1)
    assert many_labels(near) == (errors > 10)


@pytest.mark.parametrize(("errors", "needed"), [(7.9, True), (8.1, False)])
def test_the_guard_of_a_difference_ends_at_eight_errors(errors: float, needed: bool) -> None:
    """Guards 8 closely: twice the four errors that lie far beyond a bar."""
    several = [
        Rates(0.5, m, m, 0.0, m * (1 - m) / 50, m * (1 - m) / 50, 100, 50, 50) for m in np.arange(0.7, 0.95, 1e-4)
    ]
    near = min(several, key=lambda r: abs(r.shrunk_d[0] / r.shrunk_d[1] - errors))
    d, se = near.shrunk_d
    assert d / se == pytest.approx(errors, abs=0.05)
    assert (guarded_difference(0.1, 0.01, near, 1.96) is not None) == needed


def test_a_difference_is_no_smaller_than_that_of_bronze() -> None:
    """Guards that D is at most 1: five right pairs of each kind leave D above 1 open, and it is left out."""
    r = Rates(0.5, 1.0, 1.0, 0.0, 0.0, 0.0, 100, 5, 5)
    d, se = r.shrunk_d
    assert 0.3 / (d + 1.96 * se) < 0.29  # what would be held otherwise
    up, down = guarded_difference(0.3, 1e-6, r, 1.96), guarded_difference(-0.3, 1e-6, r, 1.96)
    assert up is not None
    assert down is not None
    assert up[0] == pytest.approx(0.299, abs=1e-9)  # the first of the grid above 0.3 - 1.96 / 1000
    assert down == pytest.approx((-up[1], -up[0]))


def test_one_draw_of_a_hundred_may_be_lost() -> None:
    """Guards 1% closely: 20 of 2,000 draws, not 21."""
    d = np.full(2000, 0.5)
    d[:20] = 0.0
    assert ratios_of_draws(np.ones(2000), d, 0.5).spoilt == 20
    d[20] = 0.0
    with pytest.raises(TruegainError, match="21 of 2000"):
        ratios_of_draws(np.ones(2000), d, 0.5)


def test_limits_are_cut_at_0_and_1() -> None:
    """Guards both ends of both limits."""
    assert [_cut(*x) for x in ((1.2, 1.3), (-0.3, -0.2), (0.6, 0.7), (-0.1, 1.02))] == [
        (1, 1),
        (0, 0),
        (0.6, 0.7),
        (0, 1),
    ]


def test_draws_of_a_bootstrap_one_by_one() -> None:
    """Guards algorithm 1 to the last digit: three binomials of rounded sizes, j of one label at the least."""
    r = Rates(0.4, 0.9, 0.85, 0.01, 0.0, 0.0, 0.2, 39.6, 60.4)
    rng = generator(5, "binomials")
    j, m_r, m_n = rng.binomial(1, 0.4, 300) / 1, rng.binomial(40, 0.9, 300) / 40, rng.binomial(60, 0.85, 300) / 60
    found = parametric_bootstrap(r, trials=300, seed=5)
    assert found.spoilt == 0
    assert found.values == pytest.approx((j - 1 + m_n) / (m_r + m_n - 1))
    many = Rates(0.4, 0.9, 0.85, 0.01, 0.0, 0.0, 24.4, 39.6, 60.4)
    rng = generator(5, "binomials")
    j = rng.binomial(24, 0.4, 300) / 24
    m_r, m_n = rng.binomial(40, 0.9, 300) / 40, rng.binomial(60, 0.85, 300) / 60
    assert parametric_bootstrap(many, trials=300, seed=5).values == pytest.approx((j - 1 + m_n) / (m_r + m_n - 1))


@pytest.mark.parametrize("joined", [True, False])
def test_a_bootstrap_over_topics_one_by_one(joined: bool) -> None:
    """Guards which copies a gold topic gets: those of its scored topic, or its own; and each draw's mean."""
    rng = np.random.default_rng(2)
    drawn = np.stack([rng.multinomial(60, [0.7, 0.2, 0.05, 0.05], 7), rng.multinomial(60, [0.1, 0.2, 0.6, 0.1], 7)], 1)
    table = np.stack([drawn[:, 0, :3], drawn[:, 1, :3], drawn[:, 1, :3][:, [1, 0, 2]] + [0, 1, 30]], 1) * 1.0
    names = ("t0", "t1", "u0", "t2", "u1", "u2", "t4")
    c = Confusion((0.0, 1.0, 2.0), (0.0, 1.0, 2.0), names, table, table.sum(axis=0), int(table.sum()))
    weight, value = rng.random((5, 3)), np.array([0.0, 1.0, 3.0])
    topics = [f"t{i}" for i in range(5)]
    fit = MatrixFit(tuple(topics), weight[None], [[TopicMatrix(c, np.ones(5, np.bool_))]], value, same_topics=joined)
    found = bootstrap_over_topics(fit, trials=120, seed=9)
    draws = generator(9, "topics")
    copies = draws.multinomial(5, np.full(5, 0.2), 120)
    alone = [i for i, t in enumerate(names) if t not in topics or not joined]
    own = draws.multinomial(len(alone), np.full(len(alone), 1 / len(alone)), 120)
    values = []
    for scored, other in zip(copies, own, strict=True):
        of_gold = [other[alone.index(i)] if i in alone else scored[topics.index(t)] for i, t in enumerate(names)]
        counts = sum(k * one for k, one in zip(of_gold, table, strict=True))
        matrix = counts / counts.sum(axis=1)[:, None]
        assert np.linalg.cond(matrix) < LARGEST_CONDITION
        shares = sum(k * w for k, w in zip(scored, weight, strict=True)) / 5
        values.append(float(shares @ np.linalg.inv(matrix) @ value))
    assert found.spoilt == 0
    assert found.values == pytest.approx(np.array(values), rel=1e-9)


def test_draws_that_cannot_be_inverted() -> None:
    """Guards what is set aside: a gold label that no topic drawn holds, a matrix near singular; 1% may be."""
    table = np.zeros((6, 2, 2))
    table[:, 0, 0], table[:4, 1, 1] = 10.0, 10.0
    table[4, 1] = [10.0, 0.0]  # of this topic alone C says 0 whatever the gold label; the last has no gold label 1
    c = Confusion((0.0, 1.0), (0.0, 1.0), tuple("abcdef"), table, table.sum(axis=0), 110)
    weight, value = np.ones((1, 6, 2)), np.array([0.0, 1.0])
    fit = MatrixFit(tuple("abcdef"), weight, [[TopicMatrix(c, np.ones(6, np.bool_))]], value)

    def lost(seed: int) -> int:
        copies = generator(seed, "topics").multinomial(6, np.full(6, 1 / 6), 300)
        return int((copies[:, :4].sum(axis=1) == 0).sum())

    seeds = {lost(seed): seed for seed in range(2000)}
    for some in (1, 3):
        draws = bootstrap_over_topics(fit, trials=300, seed=seeds[some])
        assert (draws.spoilt, len(draws.values)) == (some, 300 - some)
    table[2:4, 1] = 0.0
    with pytest.raises(TruegainError, match=r"of 300 bootstrap draws have a confusion matrix"):
        bootstrap_over_topics(fit, trials=300, seed=1)
