"""A judge's values of answers beside people's, held against scipy, closed forms and brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from truegain.data.items import Items
from truegain.io.columns import Bools, Floats, Ints
from truegain.io.logs.log import Row
from truegain.judge_error.value_errors import ValueErrors, pearson, spearman
from truegain.study.judge_by_system import value_errors


def errors_of(judge: Floats, gold: Floats, system: Ints, topic: Ints, weight: Floats | None = None) -> ValueErrors:
    """Of arrays."""
    names = tuple(f"s{s}" for s in range(int(system.max()) + 1))
    topics = tuple(f"q{t}" for t in range(int(topic.max()) + 1))
    return ValueErrors(names, topics, judge, gold, system, topic, np.ones(len(gold)) if weight is None else weight, "f")


def draws(n: int, seed: int = 1) -> tuple[Floats, Floats]:
    """A judge's values and people's, correlated."""
    rng = np.random.default_rng(seed)
    gold = rng.uniform(0, 1, n)
    return gold + rng.normal(0.1, 0.2, n), gold


def test_one_label_a_topic_is_the_t_interval() -> None:
    """Guards the mean error against Student's interval, where every topic has one label."""
    judge, gold = draws(30)
    made = errors_of(judge, gold, np.zeros(30, int), np.arange(30)).overall
    interval = stats.ttest_1samp(judge - gold, 0).confidence_interval()
    assert (made.value, made.low, made.high) == pytest.approx(((judge - gold).mean(), interval.low, interval.high))
    assert made.absolute == pytest.approx(np.abs(judge - gold).mean())
    assert made.pearson == pytest.approx(stats.pearsonr(judge, gold).statistic)
    assert made.spearman == pytest.approx(stats.spearmanr(judge, gold).statistic)


def test_the_table_has_a_title() -> None:
    """Guards the beginning of the title, with the name of a score and without."""
    errors = errors_of(*draws(5), np.zeros(5, np.int64), np.arange(5))
    assert errors.table().title == "f: the judge's values and people's"
    assert replace(errors, measure="").table().title == "The judge's values and people's"


def test_two_topics_are_enough_for_an_interval() -> None:
    """Guards the least: Student's interval of the means of two topics, and none of one."""
    judge, gold = draws(24)
    topic, system = np.arange(24) % 2, np.zeros(24, int)
    made = errors_of(judge, gold, system, topic).overall
    interval = stats.ttest_1samp((judge - gold).reshape(12, 2).mean(axis=0), 0).confidence_interval()
    assert (made.low, made.high) == pytest.approx((interval.low, interval.high))
    one = errors_of(judge, gold, system, system).overall
    assert (one.low, one.high) == (None, None)


def test_labels_of_a_topic_are_one_cluster() -> None:
    """Guards clusters: topic by topic, with weights, as the formula says it."""
    judge, gold = draws(60, 2)
    rng = np.random.default_rng(3)
    topic, weight = rng.integers(0, 12, 60), rng.uniform(1, 3, 60)
    made = errors_of(judge, gold, np.zeros(60, int), topic, weight).overall
    e = judge - gold
    mean = sum(w * x for w, x in zip(weight, e, strict=True)) / weight.sum()
    squares = sum(sum(weight[i] * (e[i] - mean) for i in range(60) if topic[i] == t) ** 2 for t in range(12))
    se = math.sqrt(12 / 11 * squares) / weight.sum()
    half = stats.t.ppf(0.975, 11) * se
    assert (made.low, made.high) == pytest.approx((mean - half, mean + half))


def test_weights_count_as_repeated_rows() -> None:
    """Guards weighted correlations: a label of weight 3 is three labels."""
    judge, gold = np.round(draws(20, 4), 1)  # with ties
    weight = np.random.default_rng(5).integers(1, 4, 20)
    x, y = (np.repeat(values, weight) for values in (judge, gold))
    assert pearson(judge, gold, weight.astype(float)) == pytest.approx(stats.pearsonr(x, y).statistic)
    assert spearman(judge, gold, weight.astype(float)) == pytest.approx(stats.spearmanr(x, y).statistic)


def test_no_correlation_is_beyond_one() -> None:
    """Guards rounding: values on a line correlate by 1 or -1, never by a trifle more."""
    rng = np.random.default_rng(6)
    beyond = 0
    for _ in range(30):
        x, weight = rng.normal(size=7), rng.random(7)
        w = weight / weight.sum()
        z = (x - w @ x) / math.sqrt(float(w @ (x - w @ x) ** 2))
        beyond += float(w @ (z * z)) > 1
        for sign in (1, -1):
            found = pearson(x, sign * x, weight)
            assert found == pytest.approx(sign)
            assert abs(found or 0) <= 1
    assert beyond > 3  # so many of each sign, where nothing were cut off


def test_a_favored_system_is_the_paired_difference_of_errors() -> None:
    """Guards the gap of two systems against the paired t test, where both have a label on every topic."""
    judge, gold = draws(80, 6)
    system, topic = np.repeat([0, 1], 40), np.tile(np.arange(40), 2)
    judge = judge + 0.3 * system
    made = errors_of(judge, gold, system, topic)
    e = judge - gold
    test = stats.ttest_rel(e[40:], e[:40])
    interval = test.confidence_interval()
    assert made.gap is not None
    assert (made.gap.system, made.gap.other, made.is_uneven) == ("s1", "s0", True)
    assert (made.gap.value, made.gap.low, made.gap.high) == pytest.approx(
        ((e[40:] - e[:40]).mean(), interval.low, interval.high)
    )
    assert made.gap.p == pytest.approx(test.pvalue)
    assert "favors s1" in made.leaning


def test_of_many_systems_the_clearest_is_told_adjusted() -> None:
    """Guards the choice among several systems: Bonferroni, against the mean of the others."""
    rng = np.random.default_rng(7)
    gold, topic, system = rng.uniform(0, 1, 120), np.tile(np.arange(40), 3), np.repeat([0, 1, 2], 40)
    judge = gold + rng.normal(0, 0.1, 120) - 0.2 * (system == 2)
    made = errors_of(judge, gold, system, topic)
    e = (judge - gold).reshape(3, 40)
    test = stats.ttest_1samp(e[2] - (e[0] + e[1]) / 2, 0)
    assert made.gap is not None
    assert (made.gap.system, made.gap.other) == ("s2", "")
    assert made.gap.p == pytest.approx(3 * test.pvalue)
    assert made.gap.high == pytest.approx(test.confidence_interval(1 - 0.05 / 3).high)
    assert "is hard on s2: its mean error there is " in made.leaning
    assert " lower than for " in made.leaning


def test_the_interval_of_the_correlation() -> None:
    """Guards Fisher's z: of a normal pair its error is 1/sqrt(n); a label told twice adds nothing to its topic."""
    rng = np.random.default_rng(8)
    n, r = 4000, 0.7
    x = rng.normal(size=n)
    y = r * x + math.sqrt(1 - r * r) * rng.normal(size=n)
    once = errors_of(x, y, np.zeros(n, int), np.arange(n)).correlation
    twice = errors_of(np.tile(x, 2), np.tile(y, 2), np.zeros(2 * n, int), np.tile(np.arange(n), 2)).correlation
    assert once is not None
    assert once == pytest.approx(twice)
    low, high = (math.atanh(end or 0.0) for end in once[1:])
    assert (high - low) / 2 == pytest.approx(1.96 / math.sqrt(n), rel=0.05)
    judge, gold = draws(30, 12)
    topic = np.arange(30) // 2
    made = errors_of(judge, gold, np.zeros(30, int), topic).correlation
    z = np.arctanh([np.corrcoef(judge[topic != t], gold[topic != t])[0, 1] for t in range(15)])
    half = stats.t.ppf(0.975, 14) * math.sqrt(14 / 15 * ((z - z.mean()) ** 2).sum())
    r = np.corrcoef(judge, gold)[0, 1]
    assert made == pytest.approx((r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_judge_that_errs_on_one_topic_alone(sign: int) -> None:
    """Guards the interval where all the others lie on a line: without the one the correlation is 1, and z no number."""
    for n in range(5, 25):
        gold = np.linspace(0, 1, n) ** 2
        judge = sign * (gold + 0.3 * (np.arange(n) == 2))
        made = errors_of(judge, gold, np.zeros(n, int), np.arange(n)).correlation
        assert made is not None
        r, low, high = made
        assert r == pytest.approx(np.corrcoef(judge, gold)[0, 1])
        assert low is not None
        assert high is not None
        assert -1 <= low < r < high <= 1


def test_values_that_do_not_vary() -> None:
    """Guards a judge that says the same of every answer: no correlation, and no gain is promised."""
    gold = np.linspace(0, 1, 10)
    made = errors_of(np.full(10, 0.5), gold, np.zeros(10, int), np.arange(10))
    assert (made.correlation, made.follows, made.overall.pearson) == (None, False, None)
    assert "the gold labels alone decide" in made.worth
    opposite = errors_of(1 - gold, gold, np.zeros(10, int), np.arange(10))
    assert not opposite.follows


def test_a_correction_is_not_said_to_subtract_the_mean_error() -> None:
    """Guards the sentence on the correction against what is computed, whose difference is not that of mean errors."""
    judge, gold = np.random.default_rng(3).uniform(0, 1, (2, 2, 30))
    gold = (judge + gold) / 2
    keep = np.zeros((2, 30), bool)
    keep[0, ::2] = keep[1, ::3] = True
    study = tg.Study(items_of(judge), measures="f", gold=tg.Gold(items_of(gold, keep), "random"))
    made = value_errors(study)
    assert made.gap is not None
    naive, corrected = (judge[1] - judge[0]).mean(), study.verdict("old", "new").difference
    assert abs(naive - made.gap.value - corrected) > 0.001
    assert "do not subtract this mean error" in made.worth
    assert "removes" not in made.worth


def items_of(values: Floats, keep: Bools | None = None) -> Items:
    """Two systems."""
    rows = [
        Row(f"q{t}", "f", float(values[s, t]), name)
        for s, name in enumerate(("old", "new"))
        for t in range(values.shape[1])
        if keep is None or keep[s, t]
    ]
    return Items.of_rows(rows)


def test_of_a_study_each_label_is_held_against_its_own_answer() -> None:
    """Guards the join of gold and judge: errors by system are those of that system's answers."""
    rng = np.random.default_rng(9)
    truth = rng.uniform(0, 1, (2, 40))
    judge = truth + np.array([[0.0], [0.25]])
    keep = rng.random((2, 40)) < 0.5
    study = tg.Study(items_of(judge), measures="f", gold=tg.Gold(items_of(truth, keep), "random"))
    made = value_errors(study)
    assert [(e.system, e.labels) for e in made.by_system] == [("old", keep[0].sum()), ("new", keep[1].sum())]
    assert [e.value for e in made.by_system] == pytest.approx([0.0, 0.25])
    assert made.mean_of_all == pytest.approx(judge.mean())


def test_labels_of_the_best_answers_are_no_random_sample() -> None:
    """Guards gold that was picked: the judge's mean over labeled answers is not that over all."""
    rng = np.random.default_rng(10)
    truth = rng.uniform(0, 1, (2, 60))
    judge = truth + rng.normal(0, 0.1, (2, 60))
    for keep, odd in ((rng.random((2, 60)) < 0.5, False), (truth > 0.5, True)):
        study = tg.Study(items_of(judge), measures="f", gold=tg.Gold(items_of(truth, keep), "random"))
        assert bool(value_errors(study).not_at_random) == odd


@pytest.mark.slow
def test_intervals_cover() -> None:
    """Guards the coverage of mean error, gap and correlation where topics share their errors: 1,000 worlds."""
    rng = np.random.default_rng(11)
    held, true = np.zeros(3), 2 / math.sqrt(2 * (2.5 + 0.15**2))
    for _ in range(1000):
        gold = rng.normal(0, 1, (2, 40)) + rng.normal(0, 1, 40)
        judge = gold + np.array([[0.1], [0.4]]) + rng.normal(0, 0.5, 40) + rng.normal(0, 0.5, (2, 40))
        at = rng.random((2, 40)) < 0.6
        system, topic = (x[at] for x in np.indices((2, 40)))
        made = errors_of(judge[at], gold[at], system, topic)
        r, gap = made.correlation, made.gap
        assert r is not None
        assert gap is not None
        new = made.by_system[1]
        held += [
            (new.low or 0) <= 0.4 <= (new.high or 0),
            gap.low <= 0.3 <= gap.high,
            (r[1] or 0) <= true <= (r[2] or 0),
        ]
    assert (held / 1000 > 0.925).all(), held
    assert (held / 1000 < 0.975).all(), held


def test_few_or_equal_errors_give_no_interval() -> None:
    """Guards intervals of width 0 and p = 0: three labels, or errors that are all the same, prove nothing."""

    def made(n: int, noise: float) -> ValueErrors:
        gold = np.tile(np.arange(n) % 5 / 5, 2)
        judge = gold + np.repeat([0.1, 0.3], n) + noise * np.sin(np.arange(2 * n))
        topics, at = tuple(map(str, range(n))), np.tile(np.arange(n), 2)
        return ValueErrors(("a", "b"), topics, judge, gold, np.repeat([0, 1], n), at, np.ones(2 * n), "faith")

    few = made(3, 0.05)
    assert (few.overall.low, few.gap, few.is_uneven) == (None, None, False)
    assert "fewer than 10 labels give no interval" in few.bias
    equal = made(20, 0.0)
    assert (equal.by_system[0].low, equal.gap, equal.is_uneven) == (None, None, False)
    assert made(20, 0.05).is_uneven
    one = ValueErrors(("a",), ("1", "2"), np.array([0.1, 0.9, 0.4]), np.array([0.2, 0.8, 0.9]), np.zeros(3, int),
                      np.array([0, 0, 1]), np.ones(3), "faith")  # fmt: skip
    assert one.correlation is not None
    assert one.correlation[1] is None
    assert not one.follows


def test_systems_labeled_on_other_topics_are_compared_by_welch() -> None:
    """Guards standard error and freedom where systems have no topic in common, one of them few labels."""
    judge, gold = draws(52, 9)
    system, topic = np.repeat([0, 1], [40, 12]), np.arange(52)
    gap = errors_of(judge, gold, system, topic).gap
    assert gap is not None
    welch = stats.ttest_ind((judge - gold)[40:], (judge - gold)[:40], equal_var=False)
    interval = welch.confidence_interval()
    assert (gap.value, gap.p) == pytest.approx((float(interval.low + interval.high) / 2, welch.pvalue))
    assert (gap.low, gap.high) == pytest.approx((interval.low, interval.high))


def test_the_favored_system_is_named_though_it_has_the_fewest_labels() -> None:
    """Guards name and sign: others with more labels, whose mean of the rest holds the favored one, have smaller p."""
    rng = np.random.default_rng(11)
    system = np.repeat([0, 1, 2], [30, 12, 30])
    topic = np.concatenate([np.arange(30), np.arange(12), np.arange(30)])
    for _ in range(30):
        gold = rng.uniform(0.2, 0.6, 72)
        judge = gold + 0.1 * rng.normal(size=72) + 0.3 * (system == 1)
        gap = errors_of(judge, gold, system, topic).gap
        assert gap is not None
        assert (gap.system, gap.value > 0) == ("s1", True)
        assert "It favors s1" in errors_of(judge, gold, system, topic).leaning


def test_a_system_labeled_in_one_topic_is_left_out_of_the_comparison() -> None:
    """Guards the others, who are compared all the same, and the sentence, which is none of equality."""
    rng = np.random.default_rng(12)
    system = np.repeat([0, 1, 2], [30, 12, 30])
    topic = np.concatenate([np.arange(30), np.full(12, 3), np.arange(30)])
    gold = rng.uniform(0.2, 0.6, 72)
    errors = errors_of(gold + 0.1 * rng.normal(size=72) + 0.3 * (system == 1), gold, system, topic)
    assert errors.comparable == ("s0", "s2")
    assert errors.gap is not None
    assert (errors.gap.system, errors.gap.other) == ("s2", "s0")
    assert errors.leaning.endswith(" Not compared: s1 (all labels of one topic or cluster).")
    few = np.r_[0:30, 30:33, 42:45]
    alone = errors_of(errors.judge[few], gold[few], system[few], topic[few])
    assert alone.leaning == ("Too few gold labels to compare its errors between systems: s1 (3 labels), s2 (3 labels).")
