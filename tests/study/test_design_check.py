"""Gold labels that contradict their design are reported, without false alarms."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.stats import chi2

import truegain as tg
from truegain.sampling.gold import chance_of_draw

TOPICS, DEPTH = 20, 20
Labels = dict[str, dict[str, int]]


def world(seed: int) -> tuple[dict[str, dict[str, dict[str, float]]], Labels, Labels]:
    """Two runs, bronze labels right four times in five, and the truth."""
    rng = np.random.default_rng(seed)
    names = [f"t{t}" for t in range(TOPICS)]
    runs = {s: {t: {f"d{i}": float(x) for i, x in enumerate(rng.normal(size=DEPTH))} for t in names} for s in "ab"}
    truth = {t: {f"d{i}": int(rng.random() < 0.4) for i in range(DEPTH)} for t in names}
    bronze = {t: {d: g if rng.random() < 0.8 else 1 - g for d, g in row.items()} for t, row in truth.items()}
    return runs, bronze, truth


def said(gold: Labels, seed: int, design: str) -> list[str]:
    """What a study warns of."""
    runs, bronze, _ = world(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tg.Study(runs, bronze, "P@10", gold=tg.Gold(gold, design=design))
    return [str(w.message) for w in caught if "design=" in str(w.message)]


def drawn(truth: Labels, keep: np.ndarray) -> Labels:
    """Some pairs, by position."""
    pairs = [(t, d, g) for t, row in truth.items() for d, g in row.items()]
    out: Labels = {}
    for (t, d, g), k in zip(pairs, keep.tolist(), strict=True):
        if k:
            out.setdefault(t, {})[d] = g
    return out


@pytest.mark.parametrize("seed", range(3))
def test_a_random_sample_is_not_suspected(seed: int) -> None:
    """Guards false alarms, at 15%, and at half of them."""
    truth = world(seed)[2]
    for share in (0.15, 0.5):
        keep = np.random.default_rng(seed + 10).random(TOPICS * DEPTH) < share
        assert said(drawn(truth, keep), seed, "random") == []


def test_what_cannot_be_by_chance_is_told() -> None:
    """Guards labels of relevant documents alone, and of a few topics: called random they gave narrow, wrong limits."""
    truth = world(0)[2]
    relevant = {t: {d: g for d, g in row.items() if g} for t, row in truth.items()}
    (told,) = said(relevant, 0, "random")
    assert "the bronze labels of the" in told
    few = drawn(truth, (np.arange(TOPICS * DEPTH) < 160) & (np.arange(TOPICS * DEPTH) % 2 == 0))
    (told,) = said(few, 0, "random")
    assert "the topics of the 80 gold labels contradict it" in told
    (told,) = said(few, 0, "by-bronze")
    assert "the topics" in told


@pytest.mark.parametrize("pairs", [1, 2])
def test_topics_of_one_pair_are_no_whole_topics(pairs: int) -> None:
    """Guards collections with one judged document a topic: there a sample of pairs is one of topics, too."""
    rng = np.random.default_rng(3)
    truth = {f"t{t}": {f"d{i}": int(rng.random() < 0.5) for i in range(pairs)} for t in range(60)}
    bronze = {t: {d: g if rng.random() < 0.8 else 1 - g for d, g in row.items()} for t, row in truth.items()}
    some = {t: row for t, row in truth.items() if rng.random() < 0.5}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tg.judge_quality(bronze, gold=tg.Gold(some, design="random"))
    assert any("whole topics seem to have been sampled" in str(w.message) for w in caught) == (pairs == 2)


def test_gold_from_elsewhere_that_is_from_here_is_told() -> None:
    """Guards the words "of other topics" where they are the same."""
    truth = world(0)[2]
    (told,) = said(drawn(truth, np.random.default_rng(1).random(TOPICS * DEPTH) < 0.5), 0, "elsewhere")
    assert "the gold labels are of other topics, but 20 of their topics are scored here" in told


def test_every_use_of_gold_tells_once() -> None:
    """Guards corrections, comparisons and the check of a judge: they warn as a study does, each once."""
    runs, bronze, truth = world(0)
    whole = {t: truth[t] for t in sorted(truth)[:8]}
    few = drawn(truth, (np.arange(TOPICS * DEPTH) < 160) & (np.arange(TOPICS * DEPTH) % 2 == 0))
    for labels, words in ((whole, "whole topics seem to have been sampled"), (few, "gold labels contradict it")):
        gold = tg.Gold(labels, design="random")
        asked: list[Callable[[], object]] = [
            partial(tg.Study, runs, bronze, "P@10", gold=gold),
            partial(tg.Study, runs, bronze, "P@10", gold=tg.Judge.fit(bronze, labels, design="random")),
            partial(tg.correct, runs, bronze, ["P@10", "P@5"], gold=gold),
            partial(tg.compare, runs, bronze, ["P@10", "P@5"], gold=gold),
            partial(tg.judge_quality, bronze, gold=gold),
            partial(tg.judge_quality, bronze, gold=gold, runs=runs, resampling=tg.Resampling(n=100)),
        ]
        for ask in asked:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                ask()
            assert [words in str(w.message) for w in caught if "design=" in str(w.message)] == [True]


def test_only_scored_topics_are_held_against_the_design() -> None:
    """Guards bronze labels of topics that no run answers: gold drawn from the others is no reason to warn."""
    runs, bronze, truth = world(0)
    keep = np.random.default_rng(5).random(TOPICS * DEPTH) < 0.5
    labels = {t: row for t, row in drawn(truth, keep).items() if t in sorted(truth)[:8]}
    some = {s: {t: run[t] for t in sorted(truth)[:8]} for s, run in runs.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tg.correct(some, bronze, "P@10", gold=tg.Gold(labels, design="random"))
        tg.correct(runs, bronze, "P@10", gold=tg.Gold(labels, design="random"))
    assert sum("gold labels contradict it" in str(w.message) for w in caught) == 1


def test_the_chance_is_that_of_a_chi_square() -> None:
    """Guards its value: of a sample that is small beside all units, the tail of Pearson's chi-square."""
    kind, kept = np.repeat([0, 1, 2], 4000).astype(np.int32), np.zeros(12000, np.bool_)
    for k, n in enumerate((52, 40, 28)):
        kept[4000 * k : 4000 * k + n] = True
    assert chance_of_draw(kind, kept) == pytest.approx(float(chi2.sf((12**2 + 12**2) / 40, 2)), abs=0.01)
    sizes, labeled = (6000, 3000, 2000, 1000), (52, 40, 20, 8)
    kind = np.repeat(np.arange(4), sizes).astype(np.int32)
    kept = np.concatenate([np.arange(size) < n for size, n in zip(sizes, labeled, strict=True)])
    assert chance_of_draw(kind, kept) == pytest.approx(float(chi2.sf(8**2 / 60 + 10**2 / 30 + 2**2 / 10, 3)), abs=0.02)


def test_the_chance_of_one_unit_of_none_and_of_all() -> None:
    """Guards the smallest samples: one unit of a kind that is one in twenty is rare; none and all are as they must."""
    kind = np.repeat([0, 1], [95, 5]).astype(np.int32)
    assert 0.005 < chance_of_draw(kind, np.arange(100) == 97) < 0.1
    assert chance_of_draw(kind, np.arange(100) == 3) > 0.1
    for number in (0, 100):
        assert chance_of_draw(kind, np.arange(100) < number) == 1.0
    assert chance_of_draw(kind[:0], np.zeros(0, np.bool_)) == 1.0


@pytest.mark.slow
def test_the_chance_is_one_in_so_many() -> None:
    """Guards the level: of fair draws with few kinds and with many about 5% lie below .05, none near 1e-6."""
    rng = np.random.default_rng(2)
    for kinds, n in ((2, 60), (40, 120)):
        kind = np.sort(rng.integers(0, kinds, 1000)).astype(np.int32)
        found = []
        for _ in range(400):
            keep = np.zeros(1000, np.bool_)
            keep[rng.choice(1000, n, replace=False)] = True
            found.append(chance_of_draw(kind, keep))
        assert 0.02 < np.mean(np.array(found) < 0.05) < 0.09
        assert min(found) > 1e-5
