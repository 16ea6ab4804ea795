"""Two orders of systems over other topics: the interval of tau over topics, and the significant pairs of both."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import truegain as tg
from truegain.io.columns import Floats
from truegain.measures.scoring import TopicMeans
from truegain.sampling.streams import blocks, bootstrap_weights
from truegain.stats.rank_correlation import kendall_tau
from truegain.stats.significance.same_pairs import significant_pairs
from truegain.stats.topic_correlation import tau_over_topics

Labels = dict[str, dict[str, int]]


def means_of(values: Floats) -> TopicMeans:
    """Scores of systems by topics."""
    systems = tuple(f"s{i}" for i in range(len(values)))
    topics = [str(t) for t in range(values.shape[1])]
    return TopicMeans("AP", systems, topics, values, np.asarray, (0.0, 1.0))


def two_orders(rng: np.random.Generator, systems: int, topics: int, spread: float = 0.1) -> tuple[Floats, Floats]:
    """Scores by two sets of judgments, which see the systems nearly alike and share half of their noise."""
    mean = rng.normal(0.5, spread, systems)
    noise = rng.normal(0, 0.2, (3, systems, topics))
    first = mean[:, None] + (noise[0] + noise[1]) / 2**0.5
    return first, (mean + rng.normal(0, 0.03, systems))[:, None] + (noise[0] + noise[2]) / 2**0.5


@pytest.mark.parametrize("variant", ["a", "b"])
def test_limits_are_those_of_topics_drawn_by_hand(variant: str) -> None:
    """Guards the resampling: topics repeated in the matrix, one at a time, and roots of Wilson's equation."""
    rng = np.random.default_rng(2)
    x, y = (np.round(v, 1) for v in two_orders(rng, 7, 12))
    x[2, :4] = np.nan  # a system that lacks topics
    found = tau_over_topics(means_of(x), means_of(y), variant=variant, replicates=200, confidence=0.9, seed=3)  # type: ignore[arg-type]
    taus = []
    for stream, count in blocks(200, 3, "topics of two orders"):
        for weights in bootstrap_weights(12, count, stream).astype(int):
            drawn = np.repeat(np.arange(12), weights)
            means = [np.round(np.nanmean(v[:, drawn], axis=1), 12) for v in (x, y)]
            taus.append(kendall_tau(*means, variant))  # type: ignore[call-arg, arg-type]
    tau = kendall_tau(np.nanmean(x, axis=1).round(12), np.nanmean(y, axis=1).round(12), variant)  # type: ignore[arg-type]
    n, z = float((1 - np.mean(taus) ** 2) / np.var(taus, ddof=1)), 1.6448536269514722
    roots = np.roots([1 + z**2 / n, -2 * tau, tau**2 - z**2 / n])  # (tau - r)^2 = z^2 (1 - r^2)/n
    assert (found.value, found.low, found.high) == pytest.approx((tau, min(roots), max(roots)), abs=1e-9)
    assert (found.population, found.n) == ("topics", 12)


def test_three_topics_are_enough_to_be_resampled() -> None:
    """Guards the least number of topics, on either side."""
    x, y = two_orders(np.random.default_rng(5), 6, 3)
    assert tau_over_topics(means_of(x), means_of(y), replicates=200).n == 3
    with pytest.raises(tg.TruegainError, match="2 topics cannot be resampled; have at least 3"):
        tau_over_topics(means_of(x[:, :2]), means_of(y[:, :2]), replicates=200)


@pytest.mark.parametrize(("systems", "topics"), [(6, 25), pytest.param(30, 25, marks=pytest.mark.slow)])
def test_it_covers_the_mean_tau_of_as_many_topics(systems: int, topics: int) -> None:
    """Guards the honesty of the interval; quantiles of the resampled taus cover 0.2 to 0.9 with 30 systems."""
    rng = np.random.default_rng(4)
    inside = []
    for _ in range(60):
        mean = rng.normal(0.5, 0.1, systems)
        other = mean + rng.normal(0, 0.03, systems)

        def scores(sets: int, mean: Floats = mean, other: Floats = other) -> tuple[Floats, Floats]:
            noise = rng.normal(0, 0.2, (3, sets, systems, topics))
            shared = noise[0] + noise[1], noise[0] + noise[2]
            return mean[:, None] + shared[0] / 2**0.5, other[:, None] + shared[1] / 2**0.5

        x, y = (v.mean(axis=2) for v in scores(400))
        first, second = np.triu_indices(systems, 1)  # no two means are equal: tau is the mean agreement of signs
        true = float(np.mean(np.sign(x[:, first] - x[:, second]) * np.sign(y[:, first] - y[:, second])))
        one, two = scores(1)
        found = tau_over_topics(means_of(one[0]), means_of(two[0]), replicates=300)
        inside.append(found.low <= true <= found.high)
    assert np.mean(inside) >= 0.87


def test_an_order_that_no_topic_changes() -> None:
    """Guards what is said where all topics order the systems alike, and too few topics or resamples."""
    x = np.arange(4.0)[:, None] + np.zeros(5)
    found = tau_over_topics(means_of(x), means_of(-x), replicates=100)
    assert (found.value, found.low, found.high) == (-1.0, -1.0, -1.0)
    assert "no width" in found.notes[0]
    with pytest.raises(tg.TruegainError, match="2 topics cannot be resampled"):
        tau_over_topics(means_of(x[:, :2]), means_of(x[:, :2]))
    with pytest.raises(tg.TruegainError, match="5 resamples are too few"):
        tau_over_topics(means_of(x), means_of(x), replicates=5)
    assert significant_pairs(means_of(x), means_of(x), ("a", "b")) is None  # no residual variance
    assert significant_pairs(means_of(x[:, :2]), means_of(x[:, :2]), ("a", "b")) is None


@pytest.mark.parametrize("sound", [1, 2])
def test_one_resample_with_an_order_is_no_interval_and_two_are(sound: int) -> None:
    """Guards the least there must be: systems of one topic each, of which few resamples draw all."""
    x = np.where(np.eye(5) > 0, np.arange(5.0), np.nan)

    def drawn(seed: int) -> int:
        weights = [bootstrap_weights(5, count, stream) for stream, count in blocks(40, seed, "topics of two orders")]
        return int((np.concatenate(weights) > 0).all(axis=1).sum())

    seed = next(seed for seed in range(100) if drawn(seed) == sound)
    found = tau_over_topics(means_of(x), means_of(x), replicates=40, seed=seed)
    assert found.notes[0] == f"{40 - sound} resamples of topics without an order were left out"
    assert ("no width" in found.notes[1], "there is no interval" in found.notes[1]) == (sound == 2, sound == 1)
    assert (found.value, found.n) == (1.0, 5)
    assert np.isnan([found.low, found.high]).all() == (sound == 1)


def world() -> tuple[dict[str, dict[str, dict[str, float]]], Labels, Labels]:
    """Five systems over 20 topics, and two sets of labels."""
    rng = np.random.default_rng(8)
    gold = {str(t): {f"d{i}": int(i < 6) for i in range(30)} for t in range(20)}
    other = {t: {d: int(x if rng.random() > 0.1 else not x) for d, x in docs.items()} for t, docs in gold.items()}
    runs = {
        f"s{k}": {t: {d: float(x * k * 0.5 + rng.normal()) for d, x in docs.items()} for t, docs in gold.items()}
        for k in range(5)
    }
    return runs, gold, other


def test_significant_pairs_are_those_of_compare() -> None:
    """Guards the counts against `compare` by either set, the sentence, the table and the columns."""
    runs, gold, other = world()
    found = tg.correlate(runs, gold, "AP", against=other, names=("gold", "llm"))
    pairs, answers = found.significant[0], [tg.compare(runs, labels, "AP") for labels in (gold, other)]
    assert pairs is not None
    differ = [
        {
            (a, b): float(np.sign(c.difference))
            for a, b in combinations(runs, 2)
            if (c := one.between(a, b)).p is not None and c.p < 0.05
        }
        for one in answers
    ]
    both = {pair for pair in differ[0] if differ[0][pair] == differ[1].get(pair)}
    assert pairs.counts == (len(differ[0]), len(differ[1]), len(both), 0)
    assert 0 < len(both) < len(differ[0])  # or nothing is shown here
    assert f"do not find the same pairs significant: {len(differ[0])} and {len(differ[1])} of 10" in pairs.sentence()
    row = dict(zip(found.table().columns, found.table().rows[0], strict=True))
    assert (row["significant_a"], row["significant_b"], row["significant_both"]) == pairs.counts[:3]
    assert row["topics_low"] <= row["tau"] <= row["topics_high"]  # type: ignore[operator]
    shown = found.showing("significant").table()
    for _, a, b, difference, p, *_, by in shown.rows:
        c = answers[0].between(str(a), str(b))
        assert (difference, p) == pytest.approx((-c.difference, c.p), abs=1e-9)
        assert by == ("both" if (a, b) in both else "gold" if (a, b) in differ[0] else "llm")
    assert len(shown.rows) == len(set(differ[0]) | set(differ[1]))


def test_the_same_pairs_opposite_pairs_and_none() -> None:
    """Guards the three other sentences: all the same, all opposite, none significant."""
    rng = np.random.default_rng(1)
    x = np.array([0.2, 0.3, 0.8])[:, None] + rng.normal(0, 0.05, (3, 20))
    same = significant_pairs(means_of(x), means_of(x), ("gold", "llm"))
    assert same is not None
    assert same.are_same
    assert same.share == 1.0
    assert same.sentence().startswith(
        "gold and llm find the same 3 of 3 pairs significant (Tukey's HSD test, alpha 0.05"
    )
    turned = significant_pairs(means_of(x), means_of(-x), ("gold", "llm"))
    assert turned is not None
    assert (turned.counts, turned.are_same, turned.share) == ((3, 3, 0, 3), False, 0.0)
    assert "3 in opposite directions" in turned.sentence()
    assert {row[-1] for row in turned.table().rows} == {"opposite"}
    fewer = significant_pairs(means_of(x), means_of(x[[0, 1, 1]] + rng.normal(0, 0.001, (3, 20))), ("gold", "llm"))
    assert fewer is not None
    assert (fewer.counts, fewer.are_same) == ((3, 2, 2, 0), False)
    assert fewer.share == pytest.approx(2 / 3)
    first, second = (means_of(rng.normal(size=(3, 20))) for _ in "ab")
    noise = significant_pairs(first, second, ("gold", "llm"))
    assert noise is not None
    assert (noise.share, noise.sentence()[:39]) == (None, "Neither gold nor llm finds a significan")


def test_measures_have_an_interval_over_topics_too() -> None:
    """Guards tau between measures: of means over topics, and none where a measure is no mean."""
    runs, gold, _ = world()
    cut = {s: {t: dict(sorted(d.items(), key=lambda x: -x[1])[:10]) for t, d in run.items()} for s, run in runs.items()}
    found = tg.correlate(cut, gold, ["AP", "P@5", "GMAP", "num_rel_ret"], between="measures")
    has = {(a.a, a.b): a.over_topics is not None for a in found.agreements}
    assert has[("AP", "P@5")]
    assert [pair for pair, there in has.items() if not there] == [
        p for p in has if any(m.startswith("NumRet") for m in p)
    ]
    assert not found.significant
    with pytest.raises(tg.TruegainError, match="two sets of judgments"):
        found.showing("significant")
