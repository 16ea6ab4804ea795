"""P-values counted over replicates: never 0, valid where they go on, and enough of them for the adjustment."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.judge_error.matrices import generated, shuffled
from tests.judge_error.matrices import scores_of as scores_of_measure
from tests.judge_error.one_pair import wilcoxon
from truegain.data.scores import Scores
from truegain.errors import DataWarning, TruegainError
from truegain.experiments.discriminative import discriminative_power
from truegain.experiments.unanimity_gains import _tested, unanimity
from truegain.experiments.worlds import simulate, uniform_ratings
from truegain.io.columns import Floats, Ints
from truegain.sampling.streams import blocks, generator
from truegain.stats.multiple_testing import (
    ENOUGH,
    METHODS,
    Trials,
    adjust,
    check_replicates,
    check_trials,
    monte_carlo_p,
    sequential_p,
    stages,
    trials_needed,
)
from truegain.stats.significance import MOST_WORK, Effort, effort_of
from truegain.stats.significance.anova import randomized_tukey_hsd
from truegain.stats.significance.pairs import bootstrap_p, randomization_p
from truegain.stats.student_t import check_confidence


def scores_of(x: Floats) -> Scores:
    """Scores of a measure that may have any value."""
    return scores_of_measure(x, "YAAP")


def signs(seed: int, trials: int, topics: int) -> Floats:
    """The signs that the randomization test draws: 500 replicates a stream, the b-th child of the seed."""
    streams = [generator(seed, "topics", block) for block in range(-(-trials // 500))]
    drawn = [rng.integers(0, 2, size=(500, topics), dtype=np.int8) for rng in streams]
    return np.asarray(1.0 - 2.0 * np.concatenate(drawn)[:trials])


def topics_drawn(seed: int, trials: int, topics: int) -> Ints:
    """The topics that the bootstrap draws, streams as above."""
    streams = [generator(seed, "topics", block) for block in range(-(-trials // 500))]
    drawn = [rng.integers(0, topics, size=(500, topics)) for rng in streams]
    return np.concatenate(drawn)[:trials]


def test_the_default_is_never_0_and_the_published_p_may_be() -> None:
    """Guards (count + 1)/(trials + 1) in every test that resamples, and count/trials under its name."""
    x = generated(3, 20, seed=3) + np.array([[0.0], [0.4], [0.8]])
    for test in ("randomization", "bootstrap", "randomized-tukey-hsd"):
        found = tg.compare(
            scores_of(x), adjust="none" if "tukey" not in test else None, test=test, resampling=tg.Resampling(n=400)
        )
        assert min(c.p or 0 for c in found) == pytest.approx(1 / 401, abs=1e-12), test
        with_zero = tg.compare(
            scores_of(x),
            adjust="none" if "tukey" not in test else None,
            test=tg.PublishedTest(test, counting="published"),
            resampling=tg.Resampling(n=400),
        )
        assert min(1 if c.p is None else c.p for c in with_zero) == 0, test
        assert (found.provenance["counting"], with_zero.provenance["counting"]) == ("plus-one", "published")
    for test in ("bootstrap", "randomized-tukey-hsd"):
        power: Any = test
        assert discriminative_power(scores_of(x), test=power, replicates=400)[0].curve[0] == pytest.approx(1 / 401)
        assert discriminative_power(scores_of(x), test=power, replicates=400, counting="published")[0].curve[0] == 0


def test_one_trial_does_not_make_a_difference() -> None:
    """Guards `--resamples 1`, which printed '1 of 1 pairs differ, p 0.0000': trials grow, and that is told."""
    same = next(shuffled(generated(2, 30, seed=1), 1, seed=2))
    for test in ("bootstrap", "randomization", "randomized-tukey-hsd"):
        found = tg.compare(scores_of(same), test=test, resampling=tg.Resampling(n=1))
        assert found.significant == 0
        assert any("requires p below 0.05, and 1 trials have none: 40 were drawn" in note for note in found.notes)
        assert found.provenance["resamples"] == 40
    apart = np.vstack([same[0], same[0] + 0.5 + same[1] / 10])
    assert tg.compare(scores_of(apart), test="bootstrap", resampling=tg.Resampling(n=1)).significant == 1


@pytest.mark.parametrize("how", [m for m in METHODS if m != "none"])
def test_trials_needed_are_the_least_with_which_one_pair_can_pass(how: str) -> None:
    """Guards the number of trials against the adjustment itself: so many pass, one fewer does not (Holm-Sidak may)."""
    for pairs, alpha in ((1, 0.05), (2, 0.05), (45, 0.05), (190, 0.01), (300, 0.1)):
        trials = trials_needed(pairs, alpha, how)

        def min_effect(b: int, pairs: int = pairs) -> float:
            return float(adjust([1 / (b + 1), *[1.0] * (pairs - 1)], how)[0])

        assert min_effect(trials) < alpha
        if how != "holm-sidak":
            assert min_effect(trials - 1) >= alpha - 1e-12


def test_pairs_that_are_not_settled_go_on() -> None:
    """Guards the stages by hand: the same signs, counted after 100, 400, 1600 and 2000 replicates."""
    x = generated(6, 25, seed=5, effect=0.05)
    z = x[1:] - x[0]
    s = signs(4, 2000, 25)
    far = np.abs(z.sum(axis=1)) - 25e-12
    reached = np.cumsum(np.abs(s @ z.T) >= far, axis=0)
    found = randomization_p(z, Trials(trials=100, most=2000, seed=4))
    assert list(stages(100, 2000)) == [(0, 100), (100, 400), (400, 1600), (1600, 2000)]
    ends_seen = set()
    for i in range(len(z)):
        end = next((e for e in (100, 400, 1600) if reached[e - 1, i] >= ENOUGH), 2000)
        ends_seen.add(end)
        assert found[i] == pytest.approx((reached[end - 1, i] + 1) / (end + 1), abs=1e-12)
    assert len(ends_seen) > 1
    assert randomization_p(z, Trials(trials=100, most=2000, seed=4, counting="published")) == pytest.approx(
        reached[99] / 100
    )
    assert randomization_p(z, Trials(trials=130, seed=4)) == pytest.approx((reached[129] + 1) / 131)


def test_a_pair_is_settled_by_the_twentieth_replicate_that_reaches_it() -> None:
    """Guards the bar itself: 20 of 100 settle a pair, 19 do not."""
    found = sequential_p(lambda which, a, b: np.array([20, 19])[which] * (a == 0), 2, 100, 400)
    assert found == pytest.approx([21 / 101, 20 / 401])


def test_the_bootstrap_goes_on_too() -> None:
    """Guards the bootstrap's stages with |t*| of the same topics written out; the quantile stays that of the first."""
    x = generated(5, 12, seed=2, effect=0.2)
    z = x[1:] - x[0]
    drawn = topics_drawn(3, 900, 12)
    found, plain = (
        bootstrap_p(z, Trials(trials=100, most=900, seed=3)),
        bootstrap_p(z, Trials(trials=100, seed=3)),
    )
    further = 0
    for i, row in enumerate(z):
        w = (row - row.mean())[drawn]
        spread = w.std(axis=1, ddof=1) / math.sqrt(12)
        t = row.mean() / (row.std(ddof=1) / math.sqrt(12))
        reached = np.cumsum(np.abs(w.mean(axis=1)) >= abs(t) * spread)
        end = next((e for e in (100, 400) if reached[e - 1] >= ENOUGH), 900)
        further += end > 100
        assert found.p[i] == pytest.approx((reached[end - 1] + 1) / (end + 1), abs=1e-12)
    assert further
    assert np.array_equal(found.critical, plain.critical)


def test_p_values_that_go_on_are_valid() -> None:
    """Guards P(p <= a) <= a at every level, below and above the first stage's resolution, in 20,000 null pairs.

    Null replicates: the data's statistic is one more draw of the same uniform numbers, so that P(p <= a) <= a is what
    exchangeability gives; a rule that stopped at a small p would exceed it.
    """
    rng = np.random.default_rng(8)
    pairs, trials, most = 20_000, 99, 1599
    own = rng.random(pairs)

    def count(which: Ints, first: int, last: int) -> Ints:
        return np.asarray(rng.binomial(last - first, own[which]), np.int64)

    p = sequential_p(count, pairs, trials, most)
    assert p.min() >= 1 / 1600
    for a in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.21, 0.25, 0.5):
        assert (p <= a).mean() <= a + 4 * math.sqrt(a * (1 - a) / pairs)
    for a in (0.05, 0.2, 0.5):
        assert (p <= a).mean() >= 0.9 * a


def test_trials_grow_for_the_adjustment_and_are_told() -> None:
    """Guards Holm over 66 pairs with 1,000 trials: undecided pairs get 2,640, and a pair that differs is found."""
    x = generated(12, 20, seed=8, effect=0.0)
    x[0] += 0.6
    found = tg.compare(scores_of(x), test="randomization", resampling=tg.Resampling(n=1000))
    said = "holm over 66 pairs requires p-values below 0.0008, and 1,000 trials have none: pairs that fewer than 20 of "
    assert any(
        note.startswith(said + "1,000 trials reached got up") and note.endswith("to 2,640") for note in found.notes
    )
    assert found.provenance["resamples"] == 2640
    assert min(c.p or 1 for c in found) == pytest.approx(1 / 2641, abs=1e-12)
    assert found.differ[0, 1:].all()
    enough = tg.compare(scores_of(x), test="randomization", resampling=tg.Resampling(n=2640))
    assert (enough.notes, enough.provenance["resamples"]) == ((), 2640)
    assert (
        tg.compare(scores_of(x), adjust="none", test="randomization", resampling=tg.Resampling(n=1400)).provenance[
            "resamples"
        ]
        == 1400
    )
    with pytest.warns(
        DataWarning, match=r"1,000 trials cannot distinguish such p-values from 0.*at least 1,320 trials"
    ):
        tg.compare(
            scores_of(x), test=tg.PublishedTest("randomization", counting="published"), resampling=tg.Resampling(n=1000)
        )


@pytest.mark.parametrize("trials", [1320, 1321, 2639])
def test_trials_that_just_pass_grow_too(trials: int) -> None:
    """Guards more trials that found fewer pairs (200,000 against the default's 330,240 on TREC-8), without a word."""
    x = generated(12, 20, seed=8, effect=0.0)
    x[0] += 0.6
    found = tg.compare(scores_of(x), test="randomization", resampling=tg.Resampling(n=trials))
    assert found.provenance["resamples"] == 2640
    assert min(c.p or 1 for c in found) == pytest.approx(1 / 2641, abs=1e-12)
    assert any(f"one of {trials:,} trials that reaches a pair is too many" in note for note in found.notes)
    assert (
        tg.compare(
            scores_of(x),
            test=tg.PublishedTest("randomization", counting="published"),
            resampling=tg.Resampling(n=trials),
        ).notes
        == ()
    )


def test_trials_that_were_asked_for_are_not_refused() -> None:
    """Guards the number that the refusal names: given, it is drawn, and a note says what more would bring."""
    asked = effort_of("bootstrap", 1_596_000, 79_800, 25, "holm", 0.05, "plus-one")
    assert (asked.trials, asked.most) == (1_596_000, 1_596_000)
    assert asked.notes[0].endswith("; 3,192,000 trials (Resampling(n=)) may find more")
    double = effort_of("bootstrap", 3_192_000, 79_800, 25, "holm", 0.05, "plus-one")
    assert (double.most, double.notes) == (3_192_000, ())


@pytest.mark.slow
def test_growth_that_is_too_much_work_is_refused() -> None:
    """Guards the cap: 400 systems would take 1.6 million trials of 79,800 pairs, which is said before any work."""
    x = generated(400, 25, seed=1)
    with pytest.raises(TruegainError, match=r"holm over 79,800 pairs .* takes 1,596,000 trials .*randomized-tukey-hsd"):
        tg.compare(scores_of(x), test="randomization")
    assert len(tg.compare(scores_of(x[:, :8]), test="randomization")) == 79_800  # 256 signs: all are counted


def test_all_signs_of_many_topics_take_no_time_to_speak_of() -> None:
    """Guards 2^19 signs of 51,040 pairs, which took more than 10 minutes: 2^33 signs here, which nobody walks through.

    Differences of 1 to 34 with signs have the sum of signed ranks as their mean: Wilcoxon's exact test has the same p.
    """
    rng = np.random.default_rng(7)
    z = rng.permuted(np.tile(np.arange(1.0, 35.0), (6, 1)), axis=1) * np.where(rng.random((6, 34)) < 0.25, -1, 1)
    z[5] = np.abs(z[5])
    found = randomization_p(z, Trials(trials=2**34))
    assert found == pytest.approx([wilcoxon(row, method="exact").p for row in z], rel=1e-9)
    assert found[5] == 2.0**-33


@pytest.mark.parametrize("topics", [1, 2, 3, 4, 7, 10])
def test_all_signs_by_halves_are_all_signs(topics: int) -> None:
    """Guards the two halves against every sign written out: ties in tenths, sums of 0, one topic and two."""
    z = np.round(np.random.default_rng(topics).normal(0.05, 0.2, size=(30, topics)), 1)
    z[0] = 0
    every = np.array(list(itertools.product((-1, 1), repeat=topics)))
    reached = np.abs(every @ z.T) >= np.abs(z.sum(axis=1)) - 1e-9
    assert randomization_p(z, Trials(trials=2**topics)) == pytest.approx(reached.mean(axis=0), abs=1e-15)


def test_few_topics_cannot_tell_and_say_so() -> None:
    """Guards tests over signs: with n topics no p is below 2^(1-n), and a note tells how many topics it takes."""
    x = generated(3, 5, seed=1) + np.array([[0.0], [0.5], [1.0]])
    for test in ("sign", "wilcoxon", "randomization"):
        found = tg.compare(scores_of(x), test=test)
        assert min(c.p or 0 for c in found) == 2**-4
        said = f"with 5 topics no p-value of {test} is below 0.062, and holm over 3 pairs requires p-values below 0.02"
        assert any(note.startswith(said) and "use 7 topics or more" in note for note in found.notes), test
        pair = tg.compare(scores_of(x[:2]), test=test)
        assert any("significance requires one below 0.05: no pair" in note for note in pair.notes)
        more = generated(3, 7, seed=1) + np.array([[0.0], [1.0], [2.0]])
        enough = tg.compare(scores_of(more), test=test)
        assert enough.significant == 3
        assert not any("no p-value of" in note for note in enough.notes)


@pytest.mark.slow
def test_no_false_differences_where_nothing_differs() -> None:
    """Guards the family on 100 null studies, 20 systems with Holm and 300 trials: count/trials finds some too often."""
    wrong = {"plus-one": 0, "published": 0}
    first, second = np.triu_indices(20, 1)
    for seed, x in enumerate(shuffled(generated(20, 30), 100, seed=3)):
        for counting in wrong:
            z: Any = counting
            most = 2 * trials_needed(190, 0.05)
            p = randomization_p(x[second] - x[first], Trials(trials=300, most=most, seed=seed, counting=z, jobs=1))
            wrong[counting] += bool((adjust(p, "holm") < 0.05).any())
    assert wrong["plus-one"] <= 10  # 5 and two standard deviations
    assert wrong["published"] >= 20  # about 30


def test_the_unanimity_experiment_counts_the_same_way() -> None:
    """Guards the experiment's p-values: (count + 1)/(trials + 1), or count/trials by name, for every pair it lists."""
    world = simulate(topics=10, systems=4, seed=1)
    matrix = tg.evaluate(world.runs, world.gold, ["nDCG@10"]).matrix("nDCG@10")
    plus = _tested(matrix, 0.05, (200, 200), 5, None)
    share = _tested(matrix, 0.05, (200, 200), 5, None, "published")
    upper = np.triu_indices(4, 1)
    assert plus.p[upper] == pytest.approx((200 * share.p[upper] + 1) / 201)
    ratings = uniform_ratings(world.gold, assessors=5, highest=2, seed=1)
    asked: Any = {"scale": "0:2", "ps": [0.2], "measures": ["nG@1"]}
    found = unanimity(ratings, world.runs, **asked, replicates=40, counting="published")
    assert found.rankings.provenance["counting"] == "published"
    with pytest.raises(TruegainError, match="give at least 20"):
        unanimity(ratings, world.runs, **asked, replicates=19)


def test_mistakes_are_told() -> None:
    """Guards the messages: a way to count that is none, and too few trials for any answer."""
    x = generated(3, 8, seed=7)
    with pytest.raises(TruegainError, match="give 'plus-one' or 'published'"):
        tg.compare(scores_of(x), test=tg.PublishedTest("randomization", counting="none"))  # type: ignore[arg-type]
    with pytest.raises(TruegainError, match="'plus-one' or 'published'"):
        randomized_tukey_hsd(x, Trials(counting="none"))  # type: ignore[arg-type]
    with pytest.raises(TruegainError, match="0 trials give no p-value"):
        randomization_p(x[1:] - x[:-1], Trials(trials=0))
    with pytest.raises(TruegainError, match=r"of 19 trials the smallest p-value is 0\.05, not below 0\.05.* 20"):
        discriminative_power(scores_of(x), replicates=19)


def test_effort_by_hand() -> None:
    """Guards how trials grow: for one pair, for adjusted ones, for all at once, and where it is too much work."""

    def of(test: str, trials: int | None, pairs: int, how: str | None = "holm", counting: Any = "plus-one") -> Effort:
        return effort_of(test, trials, pairs, 40, how, 0.05, counting)

    for test in ("bootstrap", "randomization"):
        assert of(test, None, 1) == Effort(10_000, 10_000)
        assert of(test, 400, 10) == Effort(400, 400)
        grown = of(test, 399, 10)
        assert (grown.trials, grown.most, len(grown.notes)) == (399, 400, 1)
        assert "one of 399 trials that reaches a pair is too many" in grown.notes[0]
        assert "199 trials have none" in of(test, 199, 10).notes[0]
        assert "one of 200 trials" in of(test, 200, 10).notes[0]
        least = of(test, 19, 10)
        assert (least.trials, least.most) == (40, 400)
        assert (of(test, 20, 10).trials, of(test, 20, 10).most) == (20, 400)
        assert (of(test, 10, 10, "none").trials, of(test, 10, 10, "none").most) == (40, 40)
        assert (of(test, 10, 1).trials, of(test, 10, 1).most) == (40, 40)
        by = math.floor(20 * 10 * sum(1 / i for i in range(1, 11)))
        assert of(test, 10, 10, "by").most == 2 * by
        assert of(test, 200, 10, counting="published") == Effort(200, 200)
        with pytest.warns(UserWarning, match="give at least 200 trials"):
            assert of(test, 199, 10, counting="published") == Effort(199, 199)
        with pytest.warns(UserWarning, match="significance requires p below 0.05; 19 trials"):
            of(test, 19, 10, "none", counting="published")
    family = of("randomized-tukey-hsd", 39, 10, None)
    assert (family.trials, family.most) == (40, 40)
    assert of("randomized-tukey-hsd", 40, 10, None) == Effort(40, 40)
    assert of("paired-t", 5, 10) == Effort(5, 5)
    assert of("tukey-hsd", 5, 10, None) == Effort(5, 5)
    pairs = math.isqrt(MOST_WORK // 20)  # needed is 20 times as many, so this much is just allowed
    assert of("bootstrap", 100, pairs).most == 40 * pairs
    with pytest.raises(TruegainError, match=f"which takes {20 * (pairs + 1):,} trials"):
        of("bootstrap", 100, pairs + 1)
    allowed = of("bootstrap", 20 * (pairs + 1), pairs + 1)
    assert (allowed.trials, allowed.most) == (20 * (pairs + 1), 20 * (pairs + 1))
    assert "may find more" in allowed.notes[0]
    assert of("randomized-tukey-hsd", 10, 10**10, None).most == 40


@pytest.mark.parametrize(("topics", "told"), [(4, True), (5, True), (6, False), (7, False)])
def test_few_topics_are_told_where_no_p_can_be_small(topics: int, told: bool) -> None:
    """Guards 2^(1-n) < alpha for tests by signs: 1/16 is not below 0.05, 1/32 is; and how many topics it takes."""
    for test in ("sign", "wilcoxon", "randomization"):
        found = effort_of(test, None, 1, topics, "holm", 0.05, "plus-one")
        assert (found.trials, found.most, bool(found.notes)) == (10_000, 10_000, told)
        if told:
            assert f"is below {2.0 ** (1 - topics):.2g}" in found.notes[0]
            assert "use 6 topics or more" in found.notes[0]
    assert effort_of("paired-t", None, 1, topics, "holm", 0.05, "plus-one").notes == ()
    eight = effort_of("sign", None, 8, topics, "holm", 0.0625, "plus-one").notes
    assert "use 9 topics or more" in eight[0]  # 2^-7 is 0.0625/8, not below; 2^-8 is
    assert effort_of("sign", None, 8, 9, "holm", 0.0625, "plus-one").notes == ()
    assert effort_of("sign", None, 8, 8, "holm", 0.0625, "plus-one").notes != ()


def test_stages_and_counts_by_hand() -> None:
    """Guards where stages end, the twentieth hit, and that the last stage settles all; progress tells every pair."""
    assert list(stages(10, 10)) == [(0, 10)]
    assert list(stages(10, 5)) == [(0, 10)]
    assert list(stages(10, 11)) == [(0, 10), (10, 11)]
    assert list(stages(10, 40)) == [(0, 10), (10, 40)]
    assert list(stages(10, 161)) == [(0, 10), (10, 40), (40, 160), (160, 161)]
    told: list[int] = []
    asked: list[tuple[list[int], int, int]] = []
    hits = {(0, 40): [19, 20, 21, 0], (40, 160): [0, 9, 9, 20], (160, 300): [1, 9, 9, 9]}

    def count(which: Ints, first: int, last: int) -> Ints:
        asked.append((which.tolist(), first, last))
        return np.array(hits[first, last])[which]

    p = sequential_p(count, 4, 40, 300, told.append)
    assert asked == [([0, 1, 2, 3], 0, 40), ([0, 3], 40, 160), ([0], 160, 300)]
    assert p.tolist() == pytest.approx([21 / 301, 21 / 41, 22 / 41, 21 / 161])
    assert told == [2, 1, 1]
    asked.clear()
    assert sequential_p(count, 4, 40, 40).tolist() == pytest.approx([20 / 41, 21 / 41, 22 / 41, 1 / 41])
    assert len(asked) == 1


def test_trials_that_are_needed() -> None:
    """Guards the least trials: refused one below, taken at the number itself, with and without alpha."""
    assert check_trials(20, 0.05) == 20
    assert check_trials(1) == 1
    for trials, alpha in ((19, 0.05), (0, None), (99, 0.01)):
        with pytest.raises(TruegainError, match="give at least"):
            check_trials(trials, alpha)
    assert trials_needed(6, 0.1) == 60
    assert trials_needed(6, 0.1, "by") == 147  # 60 (1 + 1/2 + ... + 1/6), exactly
    assert monte_carlo_p([0, 9], 9).tolist() == [0.1, 1.0]
    assert monte_carlo_p([0, 9], 9, "published").tolist() == [0.0, 1.0]


def test_replicates_and_their_blocks() -> None:
    """Guards the least replicates of a level, the hint for 95 in place of 0.95, and blocks of 500 with own streams."""
    for confidence, least in ((0.95, 40), (0.9, 20), (0.99, 200), (0.5, 4)):
        assert check_replicates(least, confidence) == least
        with pytest.raises(TruegainError, match=f"give at least {least}$"):
            check_replicates(least - 1, confidence)
    for level, hint in ((95, "write 0.95 for 95%"), (100, "such as 0.95"), (1, "such as 0.95"), (0, "such as 0.95")):
        with pytest.raises(TruegainError, match=hint):
            check_confidence(level)
    assert check_confidence(0.3) == 0.3
    assert [n for _, n in blocks(500, 1, "topics")] == [500]
    assert [n for _, n in blocks(501, 1, "topics")] == [500, 1]
    seen = [rng.random() for rng, _ in blocks(1001, 1, "topics")]
    assert seen == [generator(1, "topics", block).random() for block in range(3)]
    others = [rng.random() for args in ((1001, 1, "systems"), (1001, 2, "topics")) for rng, _ in blocks(*args)]
    assert len({*seen, *others}) == 9  # every seed, source and block has its own


def test_trials_and_topics_that_can_tell() -> None:
    """Guards the effort: trials that suffice stay, others become twice the least, and signs need so many topics."""
    assert effort_of("bootstrap", 40, 1, 25, "holm", 0.05, "plus-one").trials == 40
    assert effort_of("bootstrap", 39, 1, 25, "holm", 0.05, "plus-one").trials == 40
    adjusted = effort_of("bootstrap", 40, 10, 25, "holm", 0.05, "plus-one")
    assert (adjusted.trials, adjusted.most) == (40, 400)
    few_ = effort_of("sign", None, 1, 5, "holm", 0.05, "plus-one").notes
    assert "use 6 topics or more" in few_[0]
    assert effort_of("sign", None, 1, 6, "holm", 0.05, "plus-one").notes == ()


def test_trials_and_stages_by_hand() -> None:
    """Guards the least trials, the stages, and the count from which on a pair is settled."""
    assert trials_needed(3, 0.05, "by") == math.floor(60 * 11 / 6)
    assert check_trials(20, 0.05) == 20
    assert check_trials(1) == 1
    for wrong in ((19, 0.05), (0, None)):
        with pytest.raises(TruegainError, match="give at least"):
            check_trials(*wrong)
    assert list(stages(100, 400)) == [(0, 100), (100, 400)]
    assert list(stages(100, 50)) == [(0, 100)]
    seen: Counter[int] = Counter()

    def count(which: Ints, first: int, last: int) -> Ints:
        seen.update(which.tolist())
        return np.asarray(np.array([19, 20, 0] if first == 0 else [5, 5, 0])[which])

    assert sequential_p(count, 3, 99, 396).tolist() == pytest.approx([25 / 397, 21 / 100, 1 / 397])
    assert seen == {0: 2, 1: 1, 2: 2}


def test_replicates_that_reach_the_tails() -> None:
    """Guards the least number of replicates: one in each tail, 2/(1 - confidence)."""
    assert check_replicates(40, 0.95) == 40
    assert check_replicates(20, 0.9) == 20
    with pytest.raises(TruegainError, match="give at least 40"):
        check_replicates(39, 0.95)
