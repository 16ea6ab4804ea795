"""Scores set right by whole gold topics: against forms by hand, refits, ppi-python and simulations with known truth."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.rectified import by_topics, told
from scipy import stats

import truegain as tg
from truegain.contrasts import Contrasts
from truegain.gains.topic_fit import TopicFit

Array = npt.NDArray[np.float64]
ONE = Contrasts.scores(1).values


def scores(seed: int, topics: int, gold: int, tie: float = 0.8, systems: int = 1) -> tuple[Array, Array]:
    """Bronze scores of all topics, and gold scores of the first few."""
    rng = np.random.default_rng(seed)
    true = rng.beta(2, 3, (systems, topics))
    bronze = tie * true + (1 - tie) * rng.random((systems, topics))
    return bronze, np.where(np.arange(topics) < gold, true, np.nan)


def freedom(moves: Array, most: float) -> float:
    """min(most, 2n / (kurtosis - 1)), at least 1."""
    return min(most, max(1.0, 2 * len(moves) / (float(stats.kurtosis(moves, fisher=False)) - 1)))


def satterthwaite(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of variances."""
    return sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts)


def by_hand(
    bronze: Array, gold: Array, at: tuple[int, int | None], uses: bool, others: bool, these: bool
) -> tuple[float, float, float]:
    """Value, variance and degrees of freedom, as the docstrings of `TopicFit` have them, system by system."""
    has = ~np.isnan(gold[0])
    n, u = int(has.sum()), int((~has).sum())
    k = 1.0 if others else u / (n + u)
    slope = 0.0
    tuned = uses and n >= 20

    def pooled(rows: npt.NDArray[np.int64]) -> float:
        f, y = bronze[:, rows], gold[:, rows]
        x = f - f.mean(axis=1, keepdims=True)
        return float((x * y).sum() / (x * x).sum())

    every = np.flatnonzero(has).astype(np.int64)
    slope = pooled(every) if tuned else float(uses)

    def of(matrix: Array) -> Array:
        return np.asarray(matrix[at[0]] - (0.0 if at[1] is None else matrix[at[1]]))

    y, f, rest, whole = of(gold)[has], of(bronze)[has], of(bronze)[~has], of(bronze)
    value = float(y.mean() + slope * k * (rest.mean() - f.mean()))
    s2_f, s2_y = (float(np.var(x, ddof=1)) for x in (whole, y))
    most = max(s2_f, s2_y)
    if these:
        open_ = 1 / n + 1 / u if others else 1 / n - 1 / (n + u)
        if slope == 0:
            return value, ((n - 1) * s2_y + 2 * most) / (n + 1) * open_, n + 1
        return value, ((n - 1) * float(np.var(y - f, ddof=1)) + most) / n * open_, n - 1
    if slope == 0 and n < 20:
        return value, ((n - 1) * s2_y + 2 * most) / (n + 1) / n, n + 1
    if slope == 0:
        return value, s2_y / n, freedom(y, n - 1)
    df: float = n - 1
    if tuned:
        left = []
        for i in range(n):
            lam = pooled(np.delete(every, i))
            left.append(np.delete(y, i).mean() + lam * k * (rest.mean() - np.delete(f, i).mean()))
        of_gold, df = (n - 1) * float(np.var(left)), freedom(np.array(left), n - 2)
    else:
        of_gold = float(np.var(y - k * f, ddof=1)) / n
    of_bronze = (slope * k) ** 2 * s2_f / u
    return value, of_gold + of_bronze, satterthwaite((of_gold, df), (of_bronze, n + u - 1))


@pytest.mark.parametrize("these", [False, True])
@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("uses", [False, True])
@pytest.mark.parametrize(("topics", "gold"), [(9, 6), (30, 19), (34, 20), (50, 40)])
def test_every_number_of_an_answer(topics: int, gold: int, uses: bool, others: bool, these: bool) -> None:
    """Guards value, variance and freedom of all forms, scores and differences, system by system at 1e-9."""
    bronze, some = scores(topics, topics, gold, 0.6, 3)
    fit = replace(TopicFit.of(bronze, some, others=others), uses=uses)
    asked = Contrasts.of([(None, 0), (None, 2), (0, 1), (2, 1)])
    variance, df = (fit.over_gold if these else fit.over_topics)(asked.values)
    value = asked.values(fit.values(np.ones((1, topics)))[0])
    for i, at in enumerate(((0, None), (2, None), (1, 0), (1, 2))):
        want = by_hand(bronze, some, at, uses, others, these)
        assert (value[i], variance[i], df[i]) == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_a_fixed_slope_is_that_of_ppi_python(share: float) -> None:
    """Guards the estimate against the reference implementation: lambda there is lambda times the share of others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ppi = pytest.importorskip("ppi_py")
    topics = 15 if share == 0 else round(15 / (1 - share)) if share < 1 else 60
    bronze, gold = scores(2, topics, 15)
    fit = TopicFit.of(bronze, gold, others=share == 1)
    if share == 0:
        bronze, gold = scores(2, 25, 15)
        fit = TopicFit.of(bronze, gold).alone()
    theirs = ppi.ppi_mean_pointestimate(gold[0, :15], bronze[0, :15], bronze[0, 15:], lam=fit.slope * fit.share)
    assert fit.values(np.ones((1, fit.topics)))[0, 0] == pytest.approx(float(np.squeeze(theirs)))


def test_the_slope_tends_to_that_of_ppi_python() -> None:
    """Guards the power tuning: with many topics our slope and ppi-python's lambda give one estimate and width."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ppi = pytest.importorskip("ppi_py")
    bronze, gold = scores(3, 6000, 2000)
    found = told(by_topics(bronze, gold))
    theirs = [float(np.squeeze(x)) for x in ppi.ppi_mean_ci(gold[0, :2000], bronze[0, :2000], bronze[0, 2000:], 0.05)]
    assert [found.low, found.high] == pytest.approx(theirs, abs=(found.high - found.low) / 30)


def test_all_topics_gold_is_the_plain_t_interval() -> None:
    """Guards the end of the road: nothing to predict leaves mean and t interval of the gold scores."""
    gold = np.array([0.1, 0.4, 0.3, 0.9])
    found = told(by_topics(np.zeros(4), gold))
    theirs = stats.t.interval(0.95, 3, gold.mean(), gold.std(ddof=1) / 2)
    assert (found.low, found.high) == pytest.approx(theirs)


def test_weights_are_copies() -> None:
    """Guards refits: a weight of 3 is the topic three times, 0 is without it, slopes fixed, tuned and none."""
    for gold, uses in ((7, True), (7, False), (24, True), (24, False)):
        bronze, some = scores(4, 40, gold, 0.6, 2)
        weights = np.random.default_rng(gold).integers(0, 4, 40).astype(float)
        again = np.repeat(np.arange(40), weights.astype(int))
        fit = replace(TopicFit.of(bronze, some), uses=uses)
        copied = TopicFit(bronze[:, again], some[:, again], uses=uses)
        if copied.tuned == fit.tuned:
            assert fit.values(weights[None]) == pytest.approx(copied.values(np.ones((1, len(again)))), rel=1e-9)
        else:
            pytest.fail("choose weights that leave 20 gold topics")
    assert np.isnan(fit.values(np.zeros((1, 40)))).all()


def test_what_a_topic_brings() -> None:
    """Guards contributions, whose mean the scores are, and moves, whose squares are the variance of gold topics."""
    bronze, some = scores(5, 40, 15, 0.7, 3)
    fit = TopicFit.of(bronze, some)
    assert fit.by_topic().mean(axis=0) == pytest.approx(fit.values(np.ones((1, 40)))[0])
    y, f = some[:, :15], bronze[:, :15]
    own = np.var(y - 25 / 40 * f, axis=1, ddof=1) / 15
    assert (fit.moves()[:15] ** 2).sum(axis=0) == pytest.approx(own)
    rest = np.var(bronze[:, 15:], axis=1, ddof=1) * (25 / 40) ** 2 / 25
    assert (fit.moves()[15:] ** 2).sum(axis=0) == pytest.approx(rest)


@pytest.mark.parametrize("gold", [8, 24])
def test_moves_are_numerical_influences(gold: int) -> None:
    """Guards the refit of a topic's weight at 1e-6: it acts on the mean, on the gap and, where tuned, on the slope."""
    bronze, some = scores(6, 50, gold, 0.5)
    fit, k = TopicFit.of(bronze, some), (50 - gold) / 50
    y, f = some[0, :gold] - some[0, :gold].mean(), bronze[0, :gold] - bronze[0, :gold].mean()
    gap = bronze[0, gold:].mean() - bronze[0, :gold].mean()
    turn = gap * f * (y - fit.slope * f) / (f @ f) if gold >= 20 else 0.0
    expected = y / gold + k * (turn - fit.slope * f / gold)
    step = 1e-6
    weights = np.ones((2 * gold, 50))
    for i in range(gold):
        for row, sign in ((2 * i, 1), (2 * i + 1, -1)):
            weights[row, i] += sign * step
            weights[row, :gold] *= gold / weights[row, :gold].sum()  # as many gold topics as before
    found = fit.values(weights)[:, 0]
    assert (found[::2] - found[1::2]) / (2 * step) == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("gold", [6, 20])
def test_exact_agreement_is_not_taken_for_certainty(gold: int) -> None:
    """Guards a judge without error so far: one more topic is thought to miss by a standard deviation."""
    bronze = np.random.default_rng(1).beta(2, 3, (1, gold + 15))
    fit = TopicFit.of(bronze, np.where(np.arange(gold + 15) < gold, bronze, np.nan))
    k, s2_f = 15 / (gold + 15), np.var(bronze, ddof=1)
    own = np.var((1 - k) * bronze[0, :gold], ddof=1)  # tuned: the slope stays 1 whichever topic is left out
    of_gold, of_bronze = (own + s2_f / (gold + 1)) / gold, k**2 * s2_f / 15
    assert fit.slope == pytest.approx(1.0)
    assert fit.over_topics(ONE)[0] == pytest.approx(of_gold + of_bronze)


def test_long_tails_and_short_ones_lower_the_freedom() -> None:
    """Guards both limits of the gold part's freedom: n - 2, and less where one topic carries the variance."""
    rng = np.random.default_rng(7)
    bronze = rng.normal(size=(1, 10_000))
    short, long = np.full((2, 1, 10_000), np.nan)
    short[0, :25] = np.where(np.arange(25) % 2, 1.0, -1.0)
    long[0, :25] = rng.normal(size=25) * 0.01
    long[0, 3] = 9.0
    assert TopicFit.of(bronze, short).over_topics(ONE)[1] == pytest.approx(23, abs=0.5)
    assert TopicFit.of(bronze, long).over_topics(ONE)[1] < 4


def test_bronze_scores_without_a_slope_are_not_tuned() -> None:
    """Guards 20 gold topics where bronze differs on one only, or nowhere, so that there is no slope without it."""
    some = np.r_[np.linspace(0, 1, 20), np.full(30, np.nan)]
    for first in (1.0, 0.0):
        bronze = np.r_[np.zeros(19), first, np.random.default_rng(1).random(30)]
        fit = TopicFit.of(bronze[None], some[None])
        assert (fit.slope, fit.tuned) == (1, False)
        assert np.isfinite(fit.over_topics(ONE)).all()


def test_the_pooled_slope_is_about_each_systems_own_mean() -> None:
    """Guards the decision: levels of systems do not count, topics without gold neither; 0 where bronze is flat."""
    rng = np.random.default_rng(11)
    f = rng.random((3, 9)) + np.array([[0], [5], [9]])
    y = 0.4 * f + rng.random((3, 9)) - np.array([[0], [9], [1]])
    y[:, 7:] = np.nan
    rows = [(a[:7] - a[:7].mean(), b[:7]) for a, b in zip(f, y, strict=True)]
    assert TopicFit.of(f, y).pooled == pytest.approx(sum(a @ b for a, b in rows) / sum(a @ a for a, _ in rows))
    assert TopicFit.of(np.ones((2, 9)), y[:2]).pooled == 0.0


@pytest.mark.parametrize("gold", [9, 24])
def test_all_systems_decide_together_whether_bronze_is_used(gold: int) -> None:
    """Guards one decision for all scores and differences, and none where there is one system."""
    rng = np.random.default_rng(12)
    some = np.where(np.arange(50) < gold, rng.random((9, 50)), np.nan)
    noise = rng.random((9, 50))
    noise[0, :gold] = some[0, :gold]  # a system whose own slope is 1
    assert TopicFit.of(noise, some).pooled < 0.5
    assert TopicFit.of(noise, some).slope == 0
    assert TopicFit.of(noise[3:4], some[3:4]).helps
    good = TopicFit.of(np.where(np.isnan(some), noise, some * 0.9), some)
    assert good.tuned == (gold > 20)
    assert good.slope == pytest.approx(1 / 0.9 if gold > 20 else 1.0)
    assert good.alone().slope == 0


def test_a_difference_is_that_of_the_two_scores() -> None:
    """Guards one slope for all: fitted for each by itself, a - b is not a less b."""
    evidence = by_topics(*scores(8, 60, 30, 0.5, 4))
    assert told(evidence, 2, 1).value == pytest.approx(told(evidence, 2).value - told(evidence, 1).value, abs=1e-12)


@pytest.mark.parametrize(
    ("gold", "said"),
    [(0, "0 topics with gold labels are"), (1, "1 topic with gold labels is"), (5, r"5 topics .* than 6 .* better 20")],
)
def test_five_gold_topics_are_too_few_and_six_are_not(gold: int, said: str) -> None:
    """Guards the refusal: what is lacking is said; all topics gold is another matter."""
    bronze, some = scores(9, 30, gold)
    with pytest.raises(tg.TruegainError, match=said):
        TopicFit.of(bronze, some)
    TopicFit.of(*scores(9, 30, 6))
    TopicFit.of(*scores(9, 5, 5))
    bronze[0, 3] = np.nan
    with pytest.raises(tg.TruegainError, match="1 topics have no bronze score"):
        TopicFit.of(bronze, some)


@pytest.mark.parametrize(("gold", "topics"), [(8, 40), (24, 60)])
def test_the_spread_is_that_of_repeated_studies(gold: int, topics: int) -> None:
    """Guards the variance over topics against how far 1,000 studies' values lie apart, within Monte Carlo error."""
    rng = np.random.default_rng(8)
    true = rng.normal(size=(1000, 1, topics))
    bronze = 0.6 * true + 0.5 * rng.normal(size=true.shape) + 1
    fits = [TopicFit.of(f, np.where(np.arange(topics) < gold, y, np.nan)) for f, y in zip(bronze, true, strict=True)]
    spread = np.var([fit.values(np.ones((1, topics)))[0, 0] for fit in fits])
    claimed = np.mean([fit.over_topics(ONE)[0][0] for fit in fits])
    slack = 4 * np.sqrt(2 / 1000)  # of the variance, relative
    assert claimed == pytest.approx(spread, rel=slack if gold < 20 else slack + 2 / gold)  # a jackknife is a bit large


@pytest.mark.parametrize(("gold", "reliable"), [(6, 0.9), (10, 0.9), (10, 0.4), (10, 0.0), (20, 0.9)])
def test_skewed_scores_are_covered(gold: int, reliable: float) -> None:
    """Guards the level where most scores lie near 0: a slope fitted on 10 topics covered .87 there."""
    rng = np.random.default_rng(13)
    held = {"score": 0, "these": 0}
    for _ in range(250):
        z = rng.normal(size=(3, 50)) * 0.6 + rng.normal(size=50) * 0.8
        seen = reliable * z + np.sqrt(1 - reliable**2) * rng.normal(size=(3, 50))
        true, bronze = (stats.norm.cdf(x) ** 5 for x in (z, seen))  # mean 1/6
        evidence = by_topics(bronze, np.where(np.arange(50) < gold, true, np.nan), (0.0, 1.0))
        for name, aim in (("score", 1 / 6), ("these", true[0].mean())):
            found = told(evidence, these=name == "these")
            held[name] += found.low <= aim <= found.high
    assert 0.92 <= held["score"] / 250 <= 0.996
    assert held["these"] / 250 >= 0.92


@pytest.mark.parametrize("others", [False, True])
def test_these_very_topics_are_covered(others: bool) -> None:
    """Guards topics held fixed: the value aimed at is the gold mean of the topics at hand, or of those without gold."""
    rng = np.random.default_rng(7)
    true = rng.beta(2, 3, (1500, 25))  # a study a row: below 20 gold topics each has the same slope, 1
    bronze = 0.8 * true + 0.2 * rng.random((1500, 25))
    fit = TopicFit.of(bronze, np.where(np.arange(25) < 10, true, np.nan), others=others)
    variance, df = fit.over_gold(Contrasts.scores(1500).values)
    aim = (true[:, 10:] if others else true).mean(axis=1)
    held = np.abs(fit.values(np.ones((1, 25)))[0] - aim) <= stats.t.ppf(0.975, df) * np.sqrt(variance)
    assert 0.93 <= held.mean() <= 0.998  # one more topic is thought to miss, which is much beside ten


def test_scores_without_both_ends_keep_their_t_interval() -> None:
    """Guards Wilson's part: only for scores with a least and a greatest value."""
    bronze, some = (np.where(np.arange(30) == 3, x, x**12) for x in scores(14, 30, 8))
    plain = told(by_topics(bronze, some))
    for bounds in ((0.0, np.inf), (-np.inf, 1.0)):
        assert told(by_topics(bronze, some, bounds)).high == plain.high
    joined = told(by_topics(bronze, some, (0.0, 1.0)))
    assert (joined.value, joined.se, joined.df) == (plain.value, plain.se, plain.df)
    assert (joined.low, joined.high) != (plain.low, plain.high)  # here below 0
