"""Rectified scores: against closed forms, brute force, ppi-python and simulations with known truth."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import truegain as tg
from truegain.gains.rectified import Rectified
from truegain.gains.rectify import rectify_topics, slope_of
from truegain.gains.rectify_pairs import (
    PAIR_METHODS,
    SampledPairs,
    _by_stratum,
    _Parts,
    calibrated,
    rectify_pairs,
    strata_of,
)
from truegain.inference.judges.rectified import differences_of, rectified
from truegain.inference.judges.sources import source_of
from truegain.measures.linear import linear_parts
from truegain.sampling.designs import expansion_of
from truegain.tables.align import align
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains
from truegain.tables.runs import Runs

Array = npt.NDArray[np.float64]


# ---------------------------------------------------------------------- whole gold topics


def some_topics(seed: int, topics: int, gold: int, tie: float = 0.8) -> tuple[Array, Array]:
    """Bronze scores of all topics and gold scores of the first few, whose mean over many topics is 0.4."""
    rng = np.random.default_rng(seed)
    true = rng.beta(2, 3, topics)
    bronze = tie * true + (1 - tie) * rng.beta(3, 1.5, topics) + 0.1
    return bronze, np.where(np.arange(topics) < gold, true, np.nan)


@pytest.mark.parametrize("tuning", [0.0, 0.4, 1.0])
def test_a_fixed_tuning_is_that_of_ppi_python(tuning: float) -> None:
    """Guards the estimate against the reference implementation: lambda there is lambda times the share of others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ppi = pytest.importorskip("ppi_py")
    bronze, gold = some_topics(2, 60, 20)
    ours = rectify_topics(bronze, gold, tuning=tuning)
    theirs = ppi.ppi_mean_pointestimate(gold[:20], bronze[:20], bronze[20:], lam=tuning * 40 / 60)
    assert ours.value == pytest.approx(float(np.squeeze(theirs)))


def test_the_tuning_tends_to_that_of_ppi_python() -> None:
    """Guards the power tuning: with many topics our slope and ppi-python's lambda give one estimate and width."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ppi = pytest.importorskip("ppi_py")
    bronze, gold = some_topics(3, 6000, 2000)
    low, high = rectify_topics(bronze, gold).interval(0.9)
    theirs = [float(np.squeeze(x)) for x in ppi.ppi_mean_ci(gold[:2000], bronze[:2000], bronze[2000:], alpha=0.1)]
    assert [low, high] == pytest.approx(theirs, abs=(high - low) / 30)


def test_all_topics_gold_is_the_plain_t_interval() -> None:
    """Guards the end of the road: nothing to predict leaves mean and t interval of the gold scores."""
    stats = pytest.importorskip("scipy.stats")
    gold = np.array([0.1, 0.4, 0.3, 0.9])
    low, high = rectify_topics(np.zeros(4), gold).interval()
    theirs = stats.t.interval(0.95, 3, gold.mean(), gold.std(ddof=1) / 2)
    assert (low, high) == pytest.approx(theirs)


@pytest.mark.parametrize(("gold", "tie"), [(6, 0.9), (10, 0.5), (10, 0.0)])
def test_gold_topics_cover(gold: int, tie: float) -> None:
    """Guards the level at few gold topics, for good, middling and useless judges; PPI++'s own is 0.86 to 0.93 there."""
    held = 0
    for seed in range(1500):
        low, high = rectify_topics(*some_topics(seed, 40, gold, tie)).interval()
        held += low <= 0.4 <= high
    assert 0.925 <= held / 1500 <= 0.975


@pytest.mark.parametrize("target", ["all", "others"])
def test_these_very_topics_are_covered(target: str) -> None:
    """Guards generalise=False: the value aimed at is the gold mean of the topics at hand, or of those without gold."""
    rng = np.random.default_rng(7)
    held, wide, wider = 0, [], []
    for _ in range(1500):
        true = rng.beta(2, 3, 25)
        bronze = 0.8 * true + 0.2 * rng.random(25)
        gold = np.where(np.arange(25) < 10, true, np.nan)
        answer = rectify_topics(bronze, gold, target=target, generalise=False)
        low, high = answer.interval()
        held += low <= (true.mean() if target == "all" else true[10:].mean()) <= high
        wide.append(high - low)
        wider.append(rectify_topics(bronze, gold, target=target).width())
    assert 0.93 <= held / 1500 <= 0.998  # one more topic is thought to miss, which is much beside ten
    assert np.mean(wide) < np.mean(wider)


def test_topic_weights_are_copies() -> None:
    """Guards refits inside resamples: a weight of 3 is the topic three times, for value, error and freedom."""
    bronze, gold = some_topics(4, 12, 7)
    weights = np.array([1, 0, 2, 1, 3, 1, 1, 2, 1, 0, 1, 1.0])
    again = np.repeat(np.arange(12), weights.astype(int))
    one, two = rectify_topics(bronze, gold, weights=weights), rectify_topics(bronze[again], gold[again])
    assert (one.value, one.se, one.df, one.gold_se) == pytest.approx((two.value, two.se, two.df, two.gold_se))


@pytest.mark.parametrize(
    ("bronze", "gold", "message"),
    [
        ([0.1, 0.2, 0.3], [0.1, np.nan, np.nan], "1 topic with gold labels"),
        ([0.1, 0.2, 0.3], [np.nan] * 3, "0 topics with gold labels"),
        ([0.0] * 9, [0.0] * 6 + [np.nan] * 3, "no width"),
    ],
)
def test_what_cannot_be_answered_is_refused(bronze: list[float], gold: list[float], message: str) -> None:
    """Guards against an interval from one topic, and against one without width."""
    with pytest.raises(tg.TruegainError, match=message):
        rectify_topics(np.array(bronze), np.array(gold))


# ---------------------------------------------------------------------- gold pairs


def world(seed: int, topics: int = 30, pool: int = 30, depth: int = 10) -> tuple[SampledPairs, Array, Array]:
    """Pairs all gold-judged, what they count for two systems that find relevant documents, a judge that errs by topic.

    The judge favours the first system: it takes more of what that one retrieved for relevant.
    """
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(topics), pool)
    relevant = (rng.random(topics * pool) < rng.beta(2, 4, topics)[topic]).astype(np.float64)
    c = np.zeros((2, topics * pool))
    for system, skill in enumerate((1.5, 1.0)):
        score = (rng.gumbel(size=topics * pool) + skill * relevant).reshape(topics, pool)
        top = np.argsort(-score, axis=1)[:, :depth] + pool * np.arange(topics)[:, None]
        c[system, top.ravel()] = 1 / depth
    wrong = np.where(relevant == 1, 0.15, 0.15 + 0.15 * (c[0] > 0)) * rng.uniform(0.5, 1.5, topics)[topic]
    bronze = np.where(rng.random(topics * pool) < wrong, 1 - relevant, relevant)
    everything = SampledPairs(topic, bronze.astype(np.int64), bronze, relevant, np.ones(len(topic)), topics)
    return everything, c[0], c[1]


def sample(full: SampledPairs, gold: int, design: str, seed: int) -> SampledPairs:
    """The same pairs with gold labels for some only."""
    rng = np.random.default_rng(seed)
    drawn = np.zeros(len(full.topic), np.bool_)
    if design == "random":
        drawn[rng.choice(len(drawn), gold, replace=False)] = True
    else:
        for label in (0, 1):
            drawn[rng.choice(np.flatnonzero(full.bronze == label), gold // 2, replace=False)] = True
    expansion = expansion_of(full.bronze, drawn, design)
    some = np.where(drawn, full.gold, np.nan)
    return SampledPairs(full.topic, strata_of(full.bronze, drawn), full.bronze, some, expansion, full.topics)


@pytest.mark.parametrize("method", PAIR_METHODS)
def test_pairs_all_gold_give_the_gold_score(method: Any) -> None:
    """Guards every estimator: with a gold label for each pair the answer is the gold score, whatever bronze says."""
    full, a, b = world(1)
    per_topic = np.bincount(full.topic, (a - b) * full.gold)
    assert rectify_pairs(full, a, against=b, method=method).value == pytest.approx(per_topic.mean())
    assert rectify_pairs(full, a, method=method).gold_value == pytest.approx(
        np.bincount(full.topic, a * full.gold).mean()
    )


def test_calibration_is_the_mean_of_other_topics() -> None:
    """Guards the cross-fit against a loop over pairs."""
    pairs = sample(world(2, topics=6)[0], 60, "by-bronze", 1)
    e = pairs.expansion / pairs.expansion[pairs.sampled].mean()
    for i in range(0, len(pairs.topic), 7):
        others = pairs.sampled & (pairs.topic != pairs.topic[i])
        overall = (e * pairs.gold)[others].sum() / e[others].sum()
        alike = others & (pairs.stratum == pairs.stratum[i])
        expected = ((e * pairs.gold)[alike].sum() + overall) / (e[alike].sum() + 1)
        assert calibrated(pairs)[i] == pytest.approx(expected)


@pytest.mark.parametrize("method", PAIR_METHODS)
def test_pair_values_equal_a_loop(method: Any) -> None:
    """Guards the estimators against the formula written out pair by pair."""
    full, c, _ = world(3, topics=8)
    pairs = sample(full, 80, "by-bronze", 2)
    m = calibrated(pairs) if method == "calibrated" else pairs.bronze
    answer = rectify_pairs(pairs, c, method=method)
    groups = [c > 0]
    if method == "post-stratified":
        joined = strata_of(pairs.stratum[c > 0].astype(float), pairs.sampled[c > 0])
        groups = [np.isin(np.arange(len(c)), np.flatnonzero(c > 0)[joined == h]) for h in range(joined.max() + 1)]
    total = 0.0
    for rows in groups:
        drawn = rows & pairs.sampled
        residual = (c * pairs.expansion * (pairs.gold - answer.tuning * m))[drawn].sum()
        mean = residual / (c * pairs.expansion)[drawn].sum()
        total += answer.tuning * (c * m)[rows].sum() + c[rows].sum() * mean
    assert answer.value == pytest.approx(total / 8)


@pytest.mark.parametrize("design", ["random", "by-bronze"])
@pytest.mark.parametrize("method", PAIR_METHODS)
def test_pairs_are_unbiased_and_cover(method: Any, design: str) -> None:
    """Guards bias and level where the judge errs by topic and favours a system; bronze alone is far off there."""
    truth = np.mean(
        [[np.bincount(f.topic, c * f.gold).mean() for c in (a, b)] for f, a, b in map(world, range(5000, 5200))], 0
    )
    value, width, held, naive = [], [], 0, []
    for seed in range(400):
        full, a, b = world(seed)
        answer = rectify_pairs(sample(full, 250, design, seed), a, against=b, method=method)
        low, high = answer.interval()
        held += low <= truth[0] - truth[1] <= high
        value.append(answer.value)
        width.append(high - low)
        naive.append(np.bincount(full.topic, (a - b) * full.bronze).mean())
    assert np.mean(value) == pytest.approx(truth[0] - truth[1], abs=4 * float(np.std(value)) / 20)
    assert abs(np.mean(naive) - (truth[0] - truth[1])) > 0.02
    assert 0.92 <= held / 400 <= 0.99
    assert np.mean(width) < 5 * np.std(value)


@pytest.mark.parametrize("rate", [0.03, 0.95])
def test_scores_near_a_bound_are_covered(rate: float) -> None:
    """Guards Wilson's part: near 0 and 1, with 60 gold pairs, t alone covers 0.7 to 0.85 of the time."""
    rng = np.random.default_rng(11)
    held, by_t = 0, 0
    for _ in range(400):
        topic = np.repeat(np.arange(30), 10)
        true = (rng.random(300) < rate).astype(np.float64)
        bronze = np.where(rng.random(300) < 0.2, 1 - true, true)
        drawn = np.isin(np.arange(300), rng.choice(300, 60, replace=False))
        gold, expansion = np.where(drawn, true, np.nan), np.full(300, 5.0)
        pairs = SampledPairs(topic, strata_of(bronze, drawn), bronze, gold, expansion, 30)
        low, high = rectify_pairs(pairs, np.full(300, 0.1), bounds=(0, 1)).interval()
        assert 0 <= low < high <= 1
        held += low <= rate <= high
        low, high = rectify_pairs(pairs, np.full(300, 0.1)).interval()
        by_t += low <= rate <= high
    assert by_t < held
    assert held / 400 >= 0.93


def test_few_gold_pairs_make_a_wide_interval() -> None:
    """Guards against false certainty: three gold pairs that agree with bronze do not make a narrow interval."""
    full, c, _ = world(4)
    right = np.flatnonzero((c > 0) & (full.gold == full.bronze) & (full.gold == 1))
    pick = right[np.unique(full.topic[right], return_index=True)[1]][:3]
    elsewhere = np.flatnonzero((c == 0) & (full.gold == full.bronze))[:60]
    drawn = np.isin(np.arange(len(c)), np.r_[pick, elsewhere])
    some = np.where(drawn, full.gold, np.nan)
    expansion = expansion_of(full.bronze, drawn, "random")
    pairs = SampledPairs(full.topic, strata_of(full.bronze, drawn), full.bronze, some, expansion, full.topics)
    answer = rectify_pairs(pairs, c)
    assert answer.gold_pairs == 3
    assert answer.width() > 0.3


@pytest.mark.parametrize("method", PAIR_METHODS)
def test_pair_weights_are_copies(method: Any) -> None:
    """Guards refits inside resamples: topics with whole weights are the topics repeated."""
    full, a, b = world(5, topics=10)
    pairs = sample(full, 120, "random", 3)
    weights = np.array([1, 2, 0, 1, 3, 1, 1, 1, 2, 1.0])
    copies = [np.flatnonzero(pairs.topic == t) for t in np.repeat(np.arange(10), weights.astype(int))]
    rows = np.concatenate(copies)
    topic = np.repeat(np.arange(len(copies)), [len(c) for c in copies])
    again = SampledPairs(
        topic, pairs.stratum[rows], pairs.bronze[rows], pairs.gold[rows], pairs.expansion[rows], len(copies)
    )
    one = rectify_pairs(pairs, a, against=b, weights=weights, method=method)
    two = rectify_pairs(again, a[rows], against=b[rows], method=method)
    if method == "calibrated":  # the expansion is taken over its mean in the sample at hand, which is 1 / chance: equal
        assert pairs.expansion.std() == 0
    if method == "post-stratified":  # strata are joined by counts of pairs, not of copies
        assert one.value == pytest.approx(two.value, abs=0.05)
    else:
        assert (one.value, one.se, one.df) == pytest.approx((two.value, two.se, two.df))


@pytest.mark.parametrize("method", PAIR_METHODS)
def test_topics_move_a_paired_score_as_numerical_influences_say(method: Any) -> None:
    """Guards the linearised parts at 1e-6: weight 1 + epsilon of a topic moves the value as z says."""
    full, a, b = world(6, topics=12)
    pairs, ones = sample(full, 150, "by-bronze", 4), np.ones(12)
    m = calibrated(pairs) if method == "calibrated" else pairs.bronze

    def parts(w: Array) -> _Parts:
        made = _by_stratum if method == "post-stratified" else _Parts.of
        return made(pairs, a, m, w).minus(made(pairs, b, m, w))

    for lam in (0.0, 0.6, 1.0):
        at = parts(ones)
        z = at.q + lam * at.p
        for i in range(12):
            ends = [parts(ones + e * (np.arange(12) == i)).answer(lam, ones + e * (np.arange(12) == i), pairs)[0]
                    for e in (1e-6, -1e-6)]  # fmt: skip
            assert (ends[0] - ends[1]) / 2e-6 == pytest.approx((z[i] - z.mean()) / 12, rel=1e-6, abs=1e-9)


def test_the_variance_of_a_paired_score_by_hand() -> None:
    """Guards variance and freedom with all pairs gold, where topics alone bring variance: never more than T - 1."""
    full, a, _ = world(7, topics=20)
    per_topic = np.bincount(full.topic, a * full.gold)
    off = per_topic - per_topic.mean()
    answer = rectify_pairs(full, a)
    assert answer.se**2 == pytest.approx(np.var(per_topic, ddof=1) / 20, rel=1e-9)
    tails = 20 * (off**4).sum() / (off**2).sum() ** 2
    assert answer.df == pytest.approx(min(19, 2 * 20 / (tails - 1)), rel=1e-6)


def test_variance_and_freedom_of_few_gold_pairs_by_hand() -> None:
    """Guards how the part of gold pairs enters: seen over topics that hold some, not below what so few can show."""
    full, c, _ = world(9, topics=15)
    pairs, ones = sample(full, 30, "random", 6), np.ones(15)
    at = _Parts.of(pairs, c, calibrated(pairs), ones)
    z, mine = at.q + at.p, at.a + at.b
    g, off = int(at.has.sum()), z - z.mean()
    between, seen = (off**2).sum() / 15 / 14, (mine[at.has] ** 2).sum() / (g - 1) * g / 15**2
    least = 0.0
    for i in np.flatnonzero(pairs.sampled & (c > 0)):
        alike = pairs.sampled & (pairs.stratum == pairs.stratum[i])
        values = np.r_[pairs.gold[alike], 0.5]  # half a pair at 0 and half at 1
        mean = values.mean()
        spread = ((pairs.gold[alike] ** 2).sum() + 0.5) / len(values) - mean**2
        least += at.load[i] ** 2 * (1 - 1 / pairs.expansion[i]) * spread / 15**2
    variance = between + max(0.0, least - seen)
    of_gold = min(max(seen, least), variance)
    df = variance**2 / ((variance - of_gold) ** 2 / 14 + of_gold**2 / (g - 1))
    answer = rectify_pairs(pairs, c)
    assert g < 15
    assert answer.se**2 == pytest.approx(variance, rel=1e-9)
    assert answer.df == pytest.approx(min(df, 14, 30 / (15 * (off**4).sum() / (off**2).sum() ** 2 - 1)), rel=1e-9)


def test_a_variance_that_one_topic_carries_is_badly_known() -> None:
    """Guards the freedom by tails: 2 T / (kurtosis - 1) of the scores; one topic of twenty has all."""
    gold = np.r_[1.0, np.zeros(19)]
    pairs = SampledPairs(np.arange(20), np.zeros(20, int), gold, gold, np.ones(20), 20)
    off = gold - 0.05
    tails = 20 * (off**4).sum() / (off**2).sum() ** 2
    assert rectify_pairs(pairs, np.ones(20)).df == pytest.approx(40 / (tails - 1), rel=1e-9)


@pytest.mark.parametrize("design", ["random", "by-bronze"])
def test_the_spread_of_paired_scores_is_that_of_repeated_studies(design: str) -> None:
    """Guards the standard error against how far 500 studies' values lie apart; floors make it a little large."""
    found = []
    for seed in range(500):
        full, a, b = world(seed)
        found.append(rectify_pairs(sample(full, 400, design, seed), a, against=b))
    ratio = np.mean([r.se**2 for r in found]) / np.var([r.value for r in found])
    slack = 3 * np.sqrt(2 / 500)
    assert 1 - slack < ratio < 1.1 + slack


def test_the_floor_of_the_gold_part_by_hand() -> None:
    """Guards the least variance of few gold pairs that all agree: half a pair is added at either end of the scale."""
    topic = np.repeat(np.arange(6), 10)
    bronze = np.ones(60)
    drawn = np.arange(60) % 10 == 0
    pairs = SampledPairs(topic, np.zeros(60, int), bronze, np.where(drawn, 1.0, np.nan), np.full(60, 10.0), 6)
    low = np.r_[0.0, np.ones(59)]  # the scale reaches to 0 by one bronze label
    scaled = SampledPairs(topic, np.zeros(60, int), low, pairs.gold, pairs.expansion, 6)
    mean = (6 + 0.5) / 7
    spread = (6 + 0.5) / 7 - mean**2
    least = 6 * (60 * 0.1 / 6) ** 2 * 0.9 * spread / 36  # load 1 each, 9 of 10 pairs unseen
    assert rectify_pairs(scaled, np.full(60, 0.1)).se ** 2 == pytest.approx(least, rel=1e-9)


# ---------------------------------------------------------------------- with systems and measures


def aligned(seed: int = 0, topics: int = 14) -> tuple[RankedGains, Array]:
    """Three systems on a small collection with bronze labels, and gold labels for all pairs of the pool."""
    rng = np.random.default_rng(seed)
    true = {f"{t:02d}": {f"d{i}": int(rng.integers(0, 4)) for i in range(12)} for t in range(topics)}
    bronze = {t: {d: max(0, min(3, g + int(rng.integers(-1, 2)))) for d, g in row.items()} for t, row in true.items()}
    runs = {
        s: {t: {d: skill * g + rng.normal() for d, g in row.items()} for t, row in true.items()}
        for s, skill in (("bad", 0.1), ("good", 1.0), ("fair", 0.5))
    }
    ranked, _ = align(Pool.of(tg.Judgments.of(bronze)), [lambda: Runs.of(runs).parts])
    gold = Pool.of(tg.Judgments.of(true))
    assert gold.docs.strings() == ranked.pool.docs.strings()
    return ranked, np.array(gold.labels)


@pytest.mark.parametrize(
    "name", ["P@5", "P(rel=2)@10", "DCG@10", "DCG(dcg='exp-log2')", "RBP", "SDCG(max_rel=3)@5", "INSQ(max_rel=3)"]
)
def test_linear_measures_come_apart_and_together(name: str) -> None:
    """Guards the weights of ranks and the worth of labels: their sum is the measure, for any labels."""
    ranked, gold = aligned()
    measure = tg.parse_measure(name)
    parts = linear_parts(measure, np.concatenate([ranked.item_gain, gold]), int(ranked.rank.max()))
    for view in (ranked, ranked.with_gains(gold)):
        worth = parts.coefficients(view) * parts.worth(view.item_gain)
        scores = np.array([np.bincount(view.pool.topic, row) for row in worth])
        assert scores == pytest.approx(measure.score(view))


@pytest.mark.parametrize("name", ["nDCG@10", "AP(rel=2)", "ERR@10", "P@5"])
def test_gold_topics_serve_any_measure(name: str) -> None:
    """Guards per-topic rectification of measures that no matrix can correct: scores under either label, per topic."""
    ranked, gold = aligned()
    measure = tg.parse_measure(name)
    some = np.where(ranked.pool.topic < 8, gold, np.nan)
    bronze_scores, gold_scores = measure.score(ranked), measure.score(ranked.with_gains(gold))
    gold_scores[:, 8:] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        answers = rectified(ranked, some, measure, design="topics")
        (difference,), _ = differences_of(
            source_of(ranked, some, measure, "topics", None, "auto"), ranked.systems, measure, [(0, 1)], 0.95
        )
    helps = slope_of(bronze_scores, gold_scores) > 0.5
    for s, answer in enumerate(answers):
        by_hand = replace(rectify_topics(bronze_scores[s], gold_scores[s], helps=helps), bounds=(0.0, 1.0))
        assert (answer.value, answer.low, answer.high) == pytest.approx((by_hand.value, *by_hand.interval()))
    by_hand = rectify_topics(bronze_scores[1] - bronze_scores[0], gold_scores[1] - gold_scores[0], helps=helps)
    assert (difference.difference, difference.low) == pytest.approx((by_hand.value, by_hand.interval()[0]))
    assert difference.p == pytest.approx(by_hand.p_value())


@pytest.mark.filterwarnings("ignore:bronze labels widen")
@pytest.mark.parametrize("name", ["P(rel=2)@5", "DCG@10"])
def test_gold_pairs_serve_linear_measures(name: str) -> None:
    """Guards the road from systems to pairs: all pairs gold give the gold score, some come near."""
    ranked, gold = aligned(topics=40)
    measure = tg.parse_measure(name)
    truth = measure.score(ranked.with_gains(gold)).mean(axis=1)
    everything = rectified(ranked, gold, measure, design="random")
    assert [e.value for e in everything] == pytest.approx(truth)
    drawn = np.random.default_rng(1).random(len(gold)) < 0.4
    some = rectified(ranked, np.where(drawn, gold, np.nan), measure, design="random")
    assert all(e.low <= t <= e.high for e, t in zip(some, truth, strict=True))
    given = np.full(len(gold), 2.5)
    weighted = rectified(ranked, np.where(drawn, gold, np.nan), measure, design="random", weights=given)
    assert [e.value for e in weighted] == pytest.approx([e.value for e in some])


def test_a_useless_judge_is_told() -> None:
    """Guards the warning: where bronze labels only add noise both widths are said, once, and not again in the notes."""
    ranked, gold = aligned(topics=30)
    noise = np.random.default_rng(3).integers(0, 4, len(gold)).astype(np.float64)
    some = np.where(np.random.default_rng(4).random(len(gold)) < 0.8, gold, np.nan)
    with pytest.warns(tg.DataWarning, match=r"widen \d of 3 intervals .* from gold labels alone; to take") as caught:
        answers = rectified(ranked.with_gains(noise), some, tg.parse_measure("P(rel=2)@10"), design="random")
    assert len(caught) == 1
    assert not any("wider" in note for answer in answers for note in answer.notes)


def test_gold_topics_that_stand_alone_are_not_said_to_be_widened() -> None:
    """Guards the silence where noisy bronze labels are not used at all."""
    ranked, gold = aligned(topics=30)
    noise = np.random.default_rng(3).integers(0, 4, len(gold)).astype(np.float64)
    some = np.where(ranked.pool.topic < 8, gold, np.nan)
    answers = rectified(ranked.with_gains(noise), some, tg.parse_measure("DCG@10"), design="topics")
    assert all("weight of the bronze score 0.00" in answer.notes[0] and len(answer.notes) == 1 for answer in answers)


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("nDCG@10", (0, 1)),
        ("YAAP", (-np.inf, np.inf)),
        ("CG@2", (0, 6)),
        ("P@5", (0, 1)),
        ("RBP(max_rel=3)", (0, 1 - 0.8**12)),
    ],
)
def test_how_far_scores_reach(name: str, bounds: tuple[float, float]) -> None:
    """Guards Wilson's part: the ends a measure declares, by the labels where these decide, or none."""
    ranked, gold = aligned(topics=8)
    source = source_of(ranked, gold, tg.parse_measure(name), "topics", None, "auto")
    assert source.bounds == pytest.approx(bounds)  # the lists have 12 ranks


@pytest.mark.parametrize(
    ("measure", "design", "change", "message"),
    [
        ("nDCG@10", "random", {}, "not linear in gain"),
        ("P@5", "by-gold", {}, "needs the confusion matrix"),
        ("GMAP", "topics", {}, "is a geometric mean"),
        ("P@5", "random", {"method": "magic"}, "method 'magic' is not known"),
        ("P@5", "topics", {"method": "difference"}, "is for gold pairs"),
        ("RBP(max_rel='scale')", "random", {}, "give max_rel as a number"),
        ("P(rel=9)@5", "random", {}, "no label is worth anything"),
        ("P@5", "random", {"weights": np.zeros(168)}, "weights must be one positive number"),
    ],
)
def test_questions_without_an_answer_are_refused(measure: str, design: str, change: Any, message: str) -> None:
    """Guards the refusals: each names the fault."""
    ranked, gold = aligned()
    with pytest.raises(tg.TruegainError, match=message):
        rectified(ranked, gold, tg.parse_measure(measure), design=design, **change)


@pytest.mark.parametrize("design", ["topics", "random"])
def test_gold_that_misses_the_system_is_refused(design: str) -> None:
    """Guards against an answer that rests on no gold label at all, or on one topic."""
    ranked, gold = aligned()
    none = np.where((ranked.pool.topic == 0) & (np.arange(len(gold)) % 2 == 0), gold, np.nan)
    with pytest.raises(tg.TruegainError, match=r"at least 6 whole topics|none of the pairs"):
        rectified(ranked, none, tg.parse_measure("P@2"), design=design)


def test_widths_are_those_of_the_intervals() -> None:
    """Guards the two widths that the warning compares."""
    r = Rectified(0.5, 0.1, 9, 1.0, 0.4, 0.2, 4, 40, 10)
    low, high = r.interval(0.9)
    assert r.width(0.9) == pytest.approx(high - low)
    assert r.gold_width(0.9) == pytest.approx(2 * 2.131847 * 0.2)
