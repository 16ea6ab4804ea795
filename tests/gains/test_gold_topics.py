"""Few whole gold topics: closed forms by hand, numerical influence and refits; spreads and levels by simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import truegain as tg
from truegain.errors import TruegainError
from truegain.gains.rectify import rectify_topics, slope_of
from truegain.inference.judges.sources import GoldTopics

Array = npt.NDArray[np.float64]


def scores(seed: int, topics: int, gold: int, tie: float = 0.8) -> tuple[Array, Array]:
    """Bronze scores of all topics, and gold scores of the first few."""
    rng = np.random.default_rng(seed)
    true = rng.beta(2, 3, topics)
    return tie * true + (1 - tie) * rng.random(topics), np.where(np.arange(topics) < gold, true, np.nan)


def satterthwaite(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of variances."""
    return sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts)


@pytest.mark.parametrize("target", ["all", "others"])
@pytest.mark.parametrize("gold", [6, 19])
def test_bronze_in_full_by_hand(gold: int, target: str) -> None:
    """Guards value, variance and freedom below 20 gold topics: lambda 1, two sources of variance."""
    bronze, some = scores(1, 40, gold)
    y, f, others = some[:gold], bronze[:gold], bronze[gold:]
    k = 1.0 if target == "others" else (40 - gold) / 40
    of_gold, of_bronze = float(np.var(y - k * f, ddof=1)) / gold, k**2 * float(np.var(bronze, ddof=1)) / (40 - gold)
    answer = rectify_topics(bronze, some, target=target)
    assert answer.value == pytest.approx((y - k * f).mean() + k * others.mean(), abs=1e-12)
    assert answer.se**2 == pytest.approx(of_gold + of_bronze, rel=1e-9)
    assert answer.df == pytest.approx(satterthwaite((of_gold, gold - 1), (of_bronze, 39)), rel=1e-9)
    assert answer.tuning == 1
    assert (answer.topics, answer.gold_topics, answer.gold_df) == (40, gold, gold - 1)


@pytest.mark.parametrize("stretch", [0.3, 3.0])
def test_gold_alone_borrows_two_topics_of_spread(stretch: float) -> None:
    """Guards the form without bronze: its spread counts as two topics', and never makes gold's smaller."""
    bronze, some = scores(2, 40, 10)
    bronze = stretch * bronze
    y = some[:10]
    larger = max(np.var(bronze, ddof=1), np.var(y, ddof=1))
    answer = rectify_topics(bronze, some, helps=False)
    assert answer.value == pytest.approx(y.mean())
    assert answer.tuning == 0
    assert answer.se**2 == pytest.approx((9 * np.var(y, ddof=1) + 2 * larger) / 11 / 10, rel=1e-9)
    assert answer.df == pytest.approx(11)
    assert answer.gold_se**2 == pytest.approx(np.var(y, ddof=1) / 10, rel=1e-9)


@pytest.mark.parametrize(("target", "unseen"), [("all", 1 / 10 - 1 / 25), ("others", 1 / 10 + 1 / 15)])
@pytest.mark.parametrize("helps", [True, False])
def test_these_topics_only_by_hand(target: str, unseen: float, helps: bool) -> None:
    """Guards the variance where these topics only count: one more topic misses by a standard deviation."""
    bronze, some = scores(3, 25, 10)
    y, f = some[:10], bronze[:10]
    larger = max(np.var(bronze, ddof=1), np.var(y, ddof=1))
    answer = rectify_topics(bronze, some, target=target, generalise=False, helps=helps)
    if helps:
        variance, df = (9 * np.var(y - f, ddof=1) + larger) / 10 * unseen, 9
    else:
        variance, df = (9 * np.var(y, ddof=1) + 2 * larger) / 11 * unseen, 11
    assert answer.se**2 == pytest.approx(variance, rel=1e-9)
    assert answer.df == pytest.approx(df)
    assert answer.gold_se**2 == pytest.approx(np.var(y, ddof=1) * unseen, rel=1e-9)
    assert answer.value == pytest.approx(
        y.mean() + helps * ((bronze if target == "all" else bronze[10:]).mean() - f.mean())
    )


def influences(bronze: Array, some: Array, rows: npt.NDArray[np.int64]) -> Array:
    """How far each topic moves the value, by weight 1 + epsilon, with the number of topics of its kind held."""
    step, out = 1e-6, []
    for i in rows:
        ends = []
        for sign in (1, -1):
            w = np.ones(len(bronze))
            w[i] += sign * step
            w[rows] *= len(rows) / w[rows].sum()
            ends.append(rectify_topics(bronze, some, weights=w).value)
        out.append((ends[0] - ends[1]) / (2 * step))
    return np.array(out)


@pytest.mark.parametrize("gold", [6, 15])
def test_the_variance_is_that_of_numerical_influences(gold: int) -> None:
    """Guards both parts of the variance at 1e-6: squares of how far gold topics, and others, move the value."""
    bronze, some = scores(4, 30, gold)
    own, others = np.arange(gold), np.arange(gold, 30)
    by_gold = (influences(bronze, some, own) ** 2).sum() * gold / (gold - 1)
    by_others = (influences(bronze, some, others) ** 2).sum() * (30 - gold) / (29 - gold)
    by_others *= np.var(bronze, ddof=1) / np.var(bronze[gold:], ddof=1)  # bronze spread is taken over all topics
    assert rectify_topics(bronze, some).se ** 2 == pytest.approx(by_gold + by_others, rel=1e-6)


def test_the_slope_moves_the_value_as_numerical_influences_say() -> None:
    """Guards the tuned value under weights at 1e-6: a topic acts on the mean, on the gap and on the slope."""
    bronze, some = scores(5, 50, 24, 0.5)
    y, f = some[:24] - some[:24].mean(), bronze[:24] - bronze[:24].mean()
    slope, gap, k = (f @ y) / (f @ f), bronze[24:].mean() - bronze[:24].mean(), 26 / 50
    expected = y / 24 + k * (gap * f * (y - slope * f) / (f @ f) - slope * f / 24)
    assert influences(bronze, some, np.arange(24)) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("gold", [20, 30])
def test_the_tuned_variance_is_that_of_refits(gold: int) -> None:
    """Guards the jackknife from 20 gold topics on, slope and all, against refits without each topic."""
    bronze, some = scores(6, 50, gold, 0.6)
    y, f, others = some[:gold], bronze[:gold], bronze[gold:]
    k = (50 - gold) / 50
    refits = []
    for i in range(gold):
        a, b = np.delete(y, i), np.delete(f, i)
        slope = np.polyfit(b, a, 1)[0]
        refits.append(a.mean() + k * slope * (others.mean() - b.mean()))
    moves = np.array(refits) - np.mean(refits)
    of_gold = (gold - 1) / gold * (moves**2).sum()
    slope = np.polyfit(f, y, 1)[0]
    of_bronze = (k * slope) ** 2 * np.var(bronze, ddof=1) / (50 - gold)
    df = min(gold - 2, 2 * gold / (stats.kurtosis(moves, fisher=False) - 1))
    answer = rectify_topics(bronze, some)
    assert answer.tuning == pytest.approx(slope)
    assert answer.se**2 == pytest.approx(of_gold + of_bronze, rel=1e-9)
    assert answer.df == pytest.approx(satterthwaite((of_gold, df), (of_bronze, 49)), rel=1e-9)


@pytest.mark.parametrize("low", [0.3, -4.0])
def test_many_gold_topics_stand_alone_by_the_rule_of_their_comparison(low: float) -> None:
    """Guards 20 gold topics and more: without bronze s2/n with a freedom by kurtosis, and beside bronze the same."""
    bronze, some = scores(6, 50, 25, 0.6)
    some[3] = low  # -4: one topic carries the variance
    y = some[:25]
    df = min(24, 2 * 25 / (stats.kurtosis(y, fisher=False) - 1))
    alone, used = rectify_topics(bronze, some, helps=False), rectify_topics(bronze, some)
    half = stats.t.ppf(0.975, df) * y.std(ddof=1) / 5
    assert (df < 24) == (low < 0)
    assert (alone.tuning, alone.df) == pytest.approx((0, df))
    assert alone.interval() == pytest.approx((y.mean() - half, y.mean() + half))
    assert alone.gold_interval() == used.gold_interval() == alone.interval()
    assert used.tuning != 0
    fixed = rectify_topics(bronze, some, tuning=0.5)  # t(n - 1) on both sides
    assert fixed.gold_df == 24


@pytest.mark.parametrize("gold", [9, 24])
def test_no_system_uses_bronze_that_does_not_help(gold: int) -> None:
    """Guards the common decision from 20 gold topics on: noise is left out for scores and differences alike."""
    rng = np.random.default_rng(12)
    true = np.where(np.arange(50) < gold, rng.random((5, 50)), np.nan)
    source = GoldTopics(rng.random((5, 50)), true, (0.0, 1.0))
    assert {source.estimate(a, b).tuning for a, b in ((0, None), (3, None), (0, 1))} == {0.0}


def test_long_tails_and_short_ones_lower_the_freedom() -> None:
    """Guards both limits of the gold part's freedom: n - 2, and less where one topic carries the variance."""
    rng = np.random.default_rng(7)
    bronze = rng.normal(size=10_000)
    short, long = np.full((2, 10_000), np.nan)
    short[:25] = np.where(np.arange(25) % 2, 1.0, -1.0)
    long[:25] = rng.normal(size=25) * 0.01
    long[3] = 9.0
    bronze[:25] = rng.normal(size=25)
    assert rectify_topics(bronze, short).df == pytest.approx(23, abs=0.5)
    assert rectify_topics(bronze, long).df < 4


@pytest.mark.parametrize(("gold", "topics"), [(8, 40), (24, 60)])
def test_the_spread_is_that_of_repeated_studies(gold: int, topics: int) -> None:
    """Guards the standard error against how far 2,000 studies' values lie apart, within Monte Carlo error."""
    rng = np.random.default_rng(8)
    true = rng.normal(size=(2000, topics))
    bronze = 0.6 * true + 0.5 * rng.normal(size=(2000, topics)) + 1
    found = [
        rectify_topics(f, np.where(np.arange(topics) < gold, y, np.nan)) for f, y in zip(bronze, true, strict=True)
    ]
    spread, told = np.var([r.value for r in found]), np.mean([r.se**2 for r in found])
    slack = 4 * np.sqrt(2 / 2000)  # of the variance, relative
    assert told == pytest.approx(spread, rel=slack if gold < 20 else slack + 2 / gold)  # a jackknife is a little large


def test_five_gold_topics_are_too_few_and_six_are_not() -> None:
    """Guards the refusal: what is lacking is said; all topics gold is another matter."""
    bronze, some = scores(9, 30, 5)
    with pytest.raises(tg.TruegainError, match=r"5 topics with gold labels are too few: .* than 6 .* better 20"):
        rectify_topics(bronze, some)
    rectify_topics(*scores(9, 30, 6))
    rectify_topics(bronze[:5], some[:5])


def test_the_form_goes_by_topics_and_not_by_copies() -> None:
    """Guards refits: 19 gold topics counted twice are not tuned, 20 of which one is left out are."""
    bronze, some = scores(10, 50, 20, 0.5)
    w = np.ones(50)
    w[0] = 0
    slope = np.polyfit(bronze[1:20], some[1:20], 1)[0]
    assert rectify_topics(bronze, some, weights=w).tuning == pytest.approx(slope)
    assert rectify_topics(bronze[1:], some[1:], weights=np.full(49, 2.0)).tuning == 1


def test_bronze_scores_without_a_slope_are_not_tuned() -> None:
    """Guards 20 gold topics where bronze differs on one only, so that there is no slope without it."""
    bronze = np.r_[np.zeros(19), 1.0, np.random.default_rng(1).random(30)]
    some = np.r_[np.linspace(0, 1, 20), np.full(30, np.nan)]
    answer = rectify_topics(bronze, some)
    assert (answer.tuning, np.isfinite(answer.se)) == (1, True)


@pytest.mark.parametrize("gold", [6, 20])
def test_exact_agreement_is_not_taken_for_certainty(gold: int) -> None:
    """Guards a judge without error so far: one more topic is thought to miss by a standard deviation."""
    bronze = np.linspace(0, 1, 40)
    answer = rectify_topics(bronze, np.where(np.arange(40) % (40 // gold) < 1, bronze, np.nan)[:40])
    n = answer.gold_topics
    plain = np.var(bronze, ddof=1) / 40
    more = np.var(bronze, ddof=1) / (n + 1) / n
    assert answer.se**2 == pytest.approx(plain + more, rel=0.1)


def test_the_pooled_slope_is_about_each_systems_own_mean() -> None:
    """Guards the decision: levels of systems do not count, topics without gold neither."""
    rng = np.random.default_rng(11)
    f = rng.random((3, 9)) + np.array([[0], [5], [9]])
    y = 0.4 * f + rng.random((3, 9)) - np.array([[0], [9], [1]])
    y[:, 6:], f[1, 0] = np.nan, np.nan
    rows = [(a[~np.isnan(a + b)], b[~np.isnan(a + b)]) for a, b in zip(f, y, strict=True)]
    above = sum(((a - a.mean()) * (b - b.mean())).sum() for a, b in rows)
    assert slope_of(f, y) == pytest.approx(above / sum(((a - a.mean()) ** 2).sum() for a, _ in rows))
    assert slope_of(np.ones(4), np.arange(4.0)) == 0


def test_all_systems_decide_together_whether_bronze_is_used() -> None:
    """Guards one decision for all scores and differences, and none where there is one system."""
    rng = np.random.default_rng(12)
    gold = np.where(np.arange(30) < 9, rng.random((5, 30)), np.nan)
    noise = rng.random((5, 30))
    noise[0, :9] = gold[0, :9]  # a system whose own slope is 1
    source = GoldTopics(noise, gold, (0.0, 1.0))
    assert source.slope < 0.5
    assert {source.estimate(a, b).tuning for a, b in ((0, None), (3, None), (0, 1))} == {0.0}
    assert GoldTopics(noise[3:4], gold[3:4], (0.0, 1.0)).estimate(0, None).tuning == 1
    good = GoldTopics(np.where(np.isnan(gold), noise, gold * 0.9), gold, (0.0, 1.0))
    assert {good.estimate(a, b).tuning for a, b in ((0, None), (0, 1))} == {1.0}


@pytest.mark.parametrize(("gold", "reliable"), [(6, 0.9), (10, 0.9), (10, 0.4), (10, 0.0), (20, 0.9)])
def test_skewed_scores_are_covered(gold: int, reliable: float) -> None:
    """Guards the level where most scores lie near 0: the slope fitted on 10 topics covered .87 there."""
    rng = np.random.default_rng(13)
    held = {"score": 0, "these": 0}
    for _ in range(500):
        z = rng.normal(size=(3, 50)) * 0.6 + rng.normal(size=50) * 0.8
        seen = reliable * z + np.sqrt(1 - reliable**2) * rng.normal(size=(3, 50))
        true, bronze = (stats.norm.cdf(x) ** 5 for x in (z, seen))  # mean 1/6
        some = np.where(np.arange(50) < gold, true, np.nan)
        source = GoldTopics(bronze, some, (0.0, 1.0))
        for name, aim in (("score", 1 / 6), ("these", true[0].mean())):
            low, high = source.estimate(0, None, generalise=name == "score").interval()
            held[name] += low <= aim <= high
    assert 0.93 <= held["score"] / 500 <= 0.99
    assert held["these"] / 500 >= 0.93


def test_scores_without_both_ends_keep_their_t_interval() -> None:
    """Guards Wilson's part: only for scores with a least and a greatest value."""
    bronze, some = scores(14, 30, 8)
    plain = rectify_topics(bronze, some)
    for bounds in ((0.0, np.inf), (-np.inf, 1.0), (-np.inf, np.inf)):
        assert GoldTopics(bronze[None], some[None], bounds).estimate(0, None).interval() == plain.interval()
    joined = GoldTopics(bronze[None], some[None], (0.0, 1.0)).estimate(0, None)
    assert joined == replace(plain, bounds=(0.0, 1.0))


def test_what_cannot_be_rectified_says_so() -> None:
    """Guards the edges: topics all gold-judged have no interval of their own, and what is missing is named."""
    bronze, some = scores(4, 20, 20)
    assert not np.isnan(some).any()
    with pytest.raises(TruegainError, match="all of these topics are gold-judged"):
        rectify_topics(bronze, some, generalise=False)
    with pytest.raises(TruegainError, match="target 'foo' is not known"):
        rectify_topics(bronze, some, target="foo")
    bronze[3] = np.nan
    with pytest.raises(TruegainError, match="1 topics have no bronze score"):
        rectify_topics(bronze, some)
