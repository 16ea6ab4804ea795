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
from truegain.judge_error.topic_estimators import TopicFit, slopes_without_each
from truegain.stats.contrasts import Contrasts

Array = npt.NDArray[np.float64]
ONE, PAIR = Contrasts.scores(1), Contrasts.of([(0, 1)])


def scores(seed: int, topics: int, gold: int, tie: float = 0.8, systems: int = 1) -> tuple[Array, Array]:
    """Bronze scores of all topics, and gold scores of the first few."""
    rng = np.random.default_rng(seed)
    true = rng.beta(2, 3, (systems, topics))
    bronze = tie * true + (1 - tie) * rng.random((systems, topics))
    return bronze, np.where(np.arange(topics) < gold, true, np.nan)


def slopes_by_hand(y: Array, f: Array) -> Array:
    """lambda_-i, one fit by scipy for every gold topic left out."""
    out = []
    for i in range(len(y)):
        line = stats.linregress(np.delete(f, i), np.delete(y, i))
        out.append(min(1.0, line.slope**3 / (line.slope**2 + line.stderr**2)) if line.slope > 0 else 0.0)
    return np.array(out)


def by_hand(
    bronze: Array, gold: Array, at: tuple[int, int | None], uses: bool, others: bool, these: bool
) -> tuple[float, float, float]:
    """Value, variance and degrees of freedom, as the docstrings of `TopicFit` have them, contrast by contrast."""
    has = ~np.isnan(gold[0])
    n, u = int(has.sum()), int((~has).sum())
    k = 1.0 if others else u / (n + u)

    def of(matrix: Array) -> Array:
        return np.asarray(matrix[at[0]] - (0.0 if at[1] is None else matrix[at[1]]))

    y, whole = of(gold)[has], of(bronze) - of(bronze)[~has].mean()
    f = whole[has]
    lam = slopes_by_hand(y, f) if uses else np.zeros(n)
    value = float(np.mean([y[i] - lam[i] * k * f[i] for i in range(n)]))
    s2_f, s2_y = (float(np.var(x, ddof=1)) for x in (whole, y))
    score = at[1] is None
    if these:
        open_ = 1 / n + 1 / u if others else 1 / n - 1 / (n + u)
        more = max(s2_f, s2_y) if score else s2_y
        return value, ((n - 1) * float(np.var(y - lam * f, ddof=1)) + more) / n * open_, n - 1
    own = float(np.var(y - lam * k * f, ddof=1))
    if score:
        own = ((n - 1) * own + 2 * own * max(1.0, s2_f / s2_y)) / (n + 1)
    return value, own / n + (lam.mean() * k) ** 2 * s2_f / u, n + 1 if score else n - 1


@pytest.mark.parametrize("these", [False, True])
@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("uses", [False, True])
@pytest.mark.parametrize(("topics", "gold", "tie"), [(9, 6, 0.3), (30, 19, 0.6), (34, 20, 0.9), (50, 40, 0.1)])
def test_every_number_of_an_answer(topics: int, gold: int, tie: float, uses: bool, others: bool, these: bool) -> None:
    """Guards value, variance and freedom, scores and differences, against loops with scipy's line, at 1e-9."""
    bronze, some = scores(topics, topics, gold, tie, 3)
    fit = replace(TopicFit.of(bronze, some, others=others), uses=uses)
    contrasts = Contrasts.of([(None, 0), (None, 2), (0, 1), (2, 1)])
    spread, value = (fit.over_gold if these else fit.over_topics)(contrasts), fit.values(contrasts)
    for i, at in enumerate(((0, None), (2, None), (1, 0), (1, 2))):
        want = by_hand(bronze, some, at, uses, others, these)
        assert (value[i], spread.value[i], spread.df[i]) == pytest.approx(want, rel=1e-9)


def test_many_pairs_are_the_pairs_one_by_one() -> None:
    """Guards blocks of contrasts: 300 pairs at once, the last block not full, and a pair turned around."""
    bronze, some = scores(1, 20, 8, 0.5, 25)
    fit, contrasts = TopicFit.of(bronze, some), Contrasts.all_pairs(25)
    found, values = fit.over_topics(contrasts), fit.values(contrasts)
    assert len(values) == 300
    for i in (0, 255, 256, 299):
        a, b = int(contrasts.a[i]), int(contrasts.b[i])
        one, turned = Contrasts.of([(a, b)]), Contrasts.of([(b, a)])
        assert (values[i], found.value[i]) == (fit.values(one)[0], fit.over_topics(one).value[0])  # the same bits
        assert fit.values(turned)[0] == pytest.approx(-values[i], abs=1e-15)
        assert fit.over_topics(turned).value == pytest.approx(found.value[i])


@pytest.mark.parametrize("uses", [False, True])
def test_a_fixed_slope_is_that_of_ppi_python(uses: bool) -> None:
    """Guards the estimate against the reference implementation: lambda there is lambda times the share of others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ppi = pytest.importorskip("ppi_py")
    bronze, gold = scores(2, 25, 15)
    if uses:  # agreement on all gold topics: lambda is 1
        bronze[:, :15] = gold[:, :15]
    fit = replace(TopicFit.of(bronze, gold), uses=uses)
    assert fit.slopes(ONE)[0] == pytest.approx(float(uses))
    theirs = ppi.ppi_mean_pointestimate(gold[0, :15], bronze[0, :15], bronze[0, 15:], lam=uses * fit.share)
    assert fit.values(ONE)[0] == pytest.approx(float(np.squeeze(theirs)))


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


@pytest.mark.parametrize("these", [False, True])
def test_what_is_added_to_all_bronze_scores_changes_nothing(these: bool) -> None:
    """Guards the spread: a judge who is kinder to every topic by the same says neither more nor less."""
    bronze, some = scores(7, 50, 8, 0.6, 3)
    contrasts = Contrasts.of([(None, 0), (0, 1), (2, 1)])
    found = []
    for kinder in (0.0, 10.0):
        fit = TopicFit.of(bronze + kinder * np.arange(1, 4)[:, None], some)
        found.append([fit.values(contrasts), (fit.over_gold if these else fit.over_topics)(contrasts).value])
    assert np.allclose(found[0], found[1], rtol=1e-9)


@pytest.mark.parametrize("topics", [40, 17])
def test_what_a_topic_brings(topics: int) -> None:
    """Guards contributions, whose mean the values are, and moves, whose squares are both parts of the variance."""
    others = topics - 15
    bronze, some = scores(5, topics, 15, 0.7, 3)
    fit, contrasts = TopicFit.of(bronze, some), Contrasts.of([(0, 1), (2, 0)])
    assert fit.contributions(contrasts).mean(axis=0) == pytest.approx(fit.values(contrasts))
    for at, (a, b) in enumerate(((0, 1), (2, 0))):
        y, f = some[b] - some[a], bronze[b] - bronze[a]
        f = f - f[15:].mean()
        lam, moves = slopes_by_hand(y[:15], f[:15]), fit.moves(contrasts)[:, at]
        assert (moves[:15] ** 2).sum() == pytest.approx(np.var(y[:15] - others / topics * lam * f[:15], ddof=1) / 15)
        assert (moves[15:] ** 2).sum() == pytest.approx(
            (lam.mean() * others / topics) ** 2 * np.var(f[15:], ddof=1) / others
        )


def test_what_all_topics_gold_would_leave() -> None:
    """Guards the forecast: the spread of gold, more where gold topics differ less in bronze than all topics do."""
    bronze, some = scores(5, 40, 15, 0.7, 2)
    y, f = some[1, :15] - some[0, :15], bronze[1] - bronze[0]
    used = slopes_by_hand(y, f[:15]).mean() ** 2 * (np.var(f, ddof=1) - np.var(f[:15], ddof=1))
    wanted = (np.var(y, ddof=1) + used) / 40 * 14 / 13.5
    assert TopicFit.of(bronze, some).were_all_gold(PAIR) == pytest.approx(wanted)
    assert TopicFit.of(bronze, some).alone().were_all_gold(PAIR) == pytest.approx(np.var(y, ddof=1) / 40 * 14 / 13.5)


@pytest.mark.parametrize("gold", [6, 20])
def test_exact_agreement_is_not_taken_for_certainty(gold: int) -> None:
    """Guards a judge without error so far: for these topics one more is thought to miss by a standard deviation."""
    bronze = np.random.default_rng(1).beta(2, 3, (2, gold + 15))
    fit = TopicFit.of(bronze, np.where(np.arange(gold + 15) < gold, bronze, np.nan))
    y = (bronze[1] - bronze[0])[:gold]
    assert fit.slopes(PAIR)[0] == pytest.approx(1.0)
    assert fit.over_gold(PAIR).value == pytest.approx(np.var(y, ddof=1) / gold * (1 / gold - 1 / (gold + 15)))
    assert fit.over_topics(PAIR).value > np.var(y, ddof=1) / (gold + 15) / 3


def test_slopes_are_cut_and_shrunk() -> None:
    """Guards 0 where gold falls with bronze, or bronze is flat without a topic; 1 where it rises more; less between."""
    f = np.arange(9.0)
    bent = np.array([1.0, -1.0, -1.0, 1.0, 0.0, 1.0, -1.0, -1.0, 1.0])
    lone = np.where(f == 4, 1.0, 0.0)
    columns = np.stack([-f, 3 * f, 0.5 * f + 0.02 * bent, np.sin(f) + f / 20, np.sin(f)]).T
    found = slopes_without_each(columns, np.stack([f, f, f, f, lone]).T)
    assert (found[:, 0] == 0).all()
    assert (found[:, 1] == 1).all()
    assert found[:, 2] == pytest.approx(np.full(9, 0.5), abs=0.01)
    line = stats.linregress(f[1:], columns[1:, 3])
    assert found[0, 3] == pytest.approx(max(0.0, line.slope**3 / (line.slope**2 + line.stderr**2)))
    assert found[4, 4] == 0  # the one topic where bronze differs is left out
    assert (slopes_without_each(columns, np.ones((9, 5))) == 0).all()


def test_a_topic_says_nothing_of_its_own_slope() -> None:
    """Guards cross-fitting, without which the value leans and the interval is too short."""
    y, f = (x.T for x in scores(4, 12, 12, 0.4))
    other = y.copy()
    other[3] += 0.1
    before, after = slopes_without_each(y, f), slopes_without_each(other, f)
    assert after[3] == pytest.approx(before[3])
    assert (np.delete(after, 3) != np.delete(before, 3)).all()


def of_differences(rng: np.random.Generator, studies: int, topics: int, known: float) -> tuple[Array, Array]:
    """Scores of two systems by a judge and by gold, study x system x topic: hard topics are known, the gain is not.

    known: the correlation of bronze and gold differences.  Differences are multiples of .1, as those of P@10.
    """
    hard = rng.integers(2, 8, (studies, topics)) / 10
    true, noise = rng.normal(size=(2, studies, topics))
    said = known * true + np.sqrt(1 - known**2) * noise
    gold, bronze = (np.stack([hard, hard + np.round(2 * x) / 10], axis=1) for x in (true, said))
    return bronze, gold


@pytest.mark.parametrize(("known", "narrower"), [(0.0, 1.05), (0.9, 0.72)])
def test_whether_bronze_counts_is_asked_of_the_difference(known: float, narrower: float) -> None:
    """Guards a judge who knows hard topics and nothing of the difference: one slope of all systems widened it by 1.25.

    And one who knows the difference: it is used.  Coverage in both.
    """
    bronze, gold = of_differences(np.random.default_rng(21), 800, 50, known)
    halves, alone, held = [], [], []
    for f, y in zip(bronze, gold, strict=True):
        fit = TopicFit.of(f, np.where(np.arange(50) < 8, y, np.nan))
        spread, value = fit.over_topics(PAIR), fit.values(PAIR)[0]
        halves.append(stats.t.ppf(0.975, spread.df[0]) * np.sqrt(spread.value[0]))
        alone.append(stats.t.ppf(0.975, 7) * np.std((y[1] - y[0])[:8], ddof=1) / np.sqrt(8))
        held.append(abs(value) <= halves[-1])
    assert np.mean(halves) / np.mean(alone) <= narrower
    assert 0.93 <= np.mean(held) <= 0.98


def test_the_value_is_unbiased_where_scores_are_skewed() -> None:
    """Guards the means: lambda knows neither the topic it serves nor those without gold."""
    rng = np.random.default_rng(22)
    true = rng.exponential(size=(6000, 30))
    bronze = 0.7 * true + 0.5 * rng.exponential(size=true.shape)
    none = np.zeros((1, 30))
    some = np.where(np.arange(30) < 8, np.concatenate([none, true]), np.nan)
    fit = TopicFit.of(np.concatenate([none, bronze]), some)
    found = fit.values(Contrasts.of([(0, i + 1) for i in range(6000)]))
    assert abs(found.mean() - 1) < 3 * found.std() / np.sqrt(6000)


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


@pytest.mark.few(1)
@pytest.mark.parametrize(("gold", "topics"), [(8, 40), (24, 60)])
def test_the_spread_is_that_of_repeated_studies(gold: int, topics: int) -> None:
    """Guards the variance over topics against how far 1,000 studies' values lie apart, within Monte Carlo error."""
    rng = np.random.default_rng(8)
    true = rng.normal(size=(1000, 2, topics))
    bronze = 0.6 * true + 0.5 * rng.normal(size=true.shape) + 1
    fits = [TopicFit.of(f, np.where(np.arange(topics) < gold, y, np.nan)) for f, y in zip(bronze, true, strict=True)]
    spread = np.var([fit.values(PAIR)[0] for fit in fits])
    claimed = np.mean([fit.over_topics(PAIR).value[0] for fit in fits])
    slack = 4 * np.sqrt(2 / 1000)  # of the variance, relative
    assert claimed == pytest.approx(spread, rel=slack + 1 / gold)  # topics left out of their own slopes: a bit large


@pytest.mark.slow
@pytest.mark.parametrize(("gold", "reliable"), [(6, 0.9), (10, 0.9), (10, 0.4), (10, 0.0), (20, 0.9)])
def test_skewed_scores_are_covered(gold: int, reliable: float) -> None:
    """Guards the level where most scores lie near 0: a slope fitted on 10 topics covered .87 there."""
    rng = np.random.default_rng(13)
    held = {"score": 0, "these": 0}
    for _ in range(250):
        z = rng.normal(size=(3, 50)) * 0.6 + rng.normal(size=50) * 0.8
        seen = reliable * z + np.sqrt(1 - reliable**2) * rng.normal(size=(3, 50))
        true, bronze = (stats.norm.cdf(x) ** 5 for x in (z, seen))  # mean 1/6
        estimator = by_topics(bronze, np.where(np.arange(50) < gold, true, np.nan), (0.0, 1.0))
        for name, aim in (("score", 1 / 6), ("these", true[0].mean())):
            found = told(estimator, these=name == "these")
            held[name] += found.low <= aim <= found.high
    assert 0.92 <= held["score"] / 250 <= 0.996
    assert held["these"] / 250 >= 0.92


@pytest.mark.parametrize("others", [False, True])
def test_these_very_topics_are_covered(others: bool) -> None:
    """Guards topics held fixed: the value aimed at is the gold mean of the topics at hand, or of those without gold."""
    rng = np.random.default_rng(7)
    true = rng.beta(2, 3, (1500, 25))  # a study a row
    bronze = 0.8 * true + 0.2 * rng.random((1500, 25))
    fit = TopicFit.of(bronze, np.where(np.arange(25) < 10, true, np.nan), others=others)
    spread = fit.over_gold(Contrasts.scores(1500))
    aim = (true[:, 10:] if others else true).mean(axis=1)
    half = stats.t.ppf(0.975, spread.df) * np.sqrt(spread.value)
    held = np.abs(fit.values(Contrasts.scores(1500)) - aim) <= half
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
