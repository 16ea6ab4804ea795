"""Dawid and Skene's EM against loops over its definition, and with weights."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.aggregation.test_crowd import crowd
from truegain.aggregation.consensus import (
    Convergence,
    DawidSkene,
    Trail,
    Votes,
    climbed,
    expected,
    fitted,
    shares_of_votes,
)
from truegain.data.rating_groups import Grouped
from truegain.io.columns import Floats


def votes_of(frame: pl.DataFrame, weights: list[float] | None = None) -> Votes:
    """Ratings as the model sees them."""
    table = tg.read_ratings(frame)
    return Votes.of(Grouped.of(table, None if weights is None else np.array(weights)))


def three_levels(seed: int = 3) -> pl.DataFrame:
    """Five assessors on forty items of three labels, not everybody on everything."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 40)
    rows = [
        ("1", f"d{i:02d}", f"w{j}", float(t if rng.random() < 0.4 + 0.12 * j else rng.integers(0, 3)))
        for i, t in enumerate(truth)
        for j in range(5)
        if rng.random() < 0.8
    ]
    return pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")


def test_steps_are_the_definitions() -> None:
    """Guards both steps and the likelihood against loops over ratings, one and three steps from the start."""
    v = votes_of(three_levels())
    share = shares_of_votes(v)
    for _ in range(3):
        prior = [share[:, label].mean() for label in range(3)]
        table = np.zeros((v.assessors, 3, 3))
        for i, j, k in zip(v.item, v.assessor, v.label, strict=True):
            table[j, :, k] += share[i]
        table = np.maximum(table, 1e-10)
        table /= table.sum(axis=2, keepdims=True)
        p, c = fitted(v, share)
        assert p == pytest.approx(prior, abs=1e-12)
        assert c == pytest.approx(table, abs=1e-12)
        total = 0.0
        by_hand = np.empty_like(share)
        for i in range(v.items):
            chance = np.array(prior)
            for a, j, k in zip(v.item, v.assessor, v.label, strict=True):
                if a == i:
                    chance = chance * table[j, :, k]
            by_hand[i] = chance / chance.sum()
            total += math.log(chance.sum())
        share, likelihood = expected(v, p, c)
        assert share == pytest.approx(by_hand, abs=1e-10)
        assert likelihood == pytest.approx(total, abs=1e-9)


def test_the_likelihood_never_falls() -> None:
    """Guards EM's promise over many steps."""
    v = votes_of(three_levels(5))
    share, before = shares_of_votes(v), -np.inf
    for _ in range(60):
        share, now = expected(v, *fitted(v, share))
        assert now >= before - 1e-9
        before = now


def test_weights_are_copies_and_none_leaves_out() -> None:
    """Guards weights: 0 is as if the assessor were not there, for documents that others rated too."""
    frame = three_levels(7)
    kept = frame.filter(pl.col("assessor") != "w1")
    with_weights = Grouped.of(tg.read_ratings(frame), (frame["assessor"] != "w1").cast(pl.Float64).to_numpy())
    gain = DawidSkene(n_iter=300).fitted(with_weights)[0]
    alone = Grouped.of(tg.read_ratings(kept))
    less = DawidSkene(n_iter=300).fitted(alone)[0]
    first = with_weights.labeled(np.nan_to_num(gain, nan=-1.0))
    second = alone.labeled(less)
    found = dict(zip(first.docs.strings(), first.label.tolist(), strict=True))
    for doc, value in zip(second.docs.strings(), second.label.tolist(), strict=True):
        assert found[doc] == pytest.approx(value, abs=1e-9)


def test_it_is_crowd_kits_where_that_is_there() -> None:
    """Guards the model against another implementation."""
    aggregation = pytest.importorskip("crowdkit.aggregation", exc_type=ImportError)
    frame = crowd(120)[0]
    table = frame.rename({"doc": "task", "assessor": "worker"}).to_pandas()
    theirs = aggregation.DawidSkene(n_iter=100, tol=1e-7).fit_predict_proba(table)[1.0]
    ours = tg.aggregate(frame, "dawid-skene")
    found = dict(zip(ours.docs.strings(), ours.label.tolist(), strict=True))
    assert [found[d] for d in theirs.index] == pytest.approx(theirs.tolist(), abs=1e-3)


# ---------------------------------------------------------------------- where a fit ends


def hard(seed: int) -> Votes:
    """Crowds that settle late: two or three ratings an item, three to five labels, some who spam."""
    rng = np.random.default_rng([18, seed])
    items, people, levels = int(rng.integers(20, 50)), int(rng.integers(6, 13)), int(rng.integers(3, 6))
    truth, right = rng.integers(0, levels, items), rng.uniform(0.3, 0.95, people)
    item = np.repeat(np.arange(items), 3)
    who = np.concatenate([np.sort(rng.choice(people, 3, replace=False)) for _ in range(items)])
    said = np.where(rng.random(3 * items) < right[who], truth[item], rng.integers(0, levels, 3 * items))
    label = np.unique(said, return_inverse=True)[1]
    return Votes(item, who, label, np.ones(3 * items), np.arange(label.max() + 1.0), items, people)


def further(votes: Votes, share: Floats, steps: int) -> Floats:
    """The chances after so many plain steps more."""
    for _ in range(steps):
        share, _ = expected(votes, *fitted(votes, share))
    return share


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", range(12))
def test_more_steps_change_nothing(seed: int) -> None:
    """Guards the end of the fit: 1,000 plain steps more move no chance by 1e-4 and no label, nor with weights."""
    votes = hard(seed)
    weight = np.random.default_rng(seed).choice([0.0, 1.0, 2.5], len(votes.item), p=[0.1, 0.7, 0.2])
    for some in (votes, replace(votes, weight=weight)):
        share, ended = DawidSkene().chances(some)
        assert ended.converged
        later = further(some, share, 1000)
        assert np.abs(later - share).max() < 1e-4
        assert np.array_equal(later.argmax(axis=1), share.argmax(axis=1))


@pytest.mark.slow
def test_likelihoods_settle_long_before_labels() -> None:
    """Guards that the crowds above try something: at 1e-5 of likelihood a rating gains still move by more than .1."""
    moved = []
    for seed in range(12):
        votes = hard(seed)
        share, before, change = shares_of_votes(votes), -np.inf, np.inf
        while change >= 1e-5:
            share, after = expected(votes, *fitted(votes, share))
            change, before = (after - before) / len(votes.item), after
        moved.append(np.abs((further(votes, share, 1000) - share) @ votes.levels).max())
    assert np.sum(np.array(moved) > 0.1) >= 3


@pytest.mark.parametrize("seed", range(6))
def test_leaps_lead_where_plain_steps_lead(seed: int) -> None:
    """Guards the acceleration: the top of plain steps, in fewer; and a likelihood that does not fall."""
    votes = hard(seed)
    heights: list[float] = []

    def step(share: Floats) -> tuple[Floats, float]:
        after, height = expected(votes, *fitted(votes, share))
        heights.append(height)
        return after, height

    share, steps, trail = climbed(step, shares_of_votes(votes), 1e-4, 10_000)
    assert len(heights) == steps
    plain, taken, alone = shares_of_votes(votes), 0, Trail(1e-4)
    while not alone.settled:
        after, _ = expected(votes, *fitted(votes, plain))
        alone.add(plain, after)
        plain, taken = after, taken + 1
    assert trail.settled
    assert share == pytest.approx(plain, abs=2e-4)
    assert steps <= 1.2 * taken + 10
    assert heights[-1] >= max(heights) - 1e-9  # a leap downhill is taken back


def test_a_start_near_a_saddle_is_no_end() -> None:
    """Guards against changes that are small because they have just begun: they grow, or something near 0 grows."""
    trail = Trail(1e-4)
    for i in range(10):
        trail.add(np.array([0.5 + 1e-10 * 1.5**i]), np.array([0.5 + 1e-10 * 1.5 ** (i + 1)]))
    assert trail.calm
    assert not trail.settled
    trail = Trail(1e-4)
    for i in range(10):
        trail.add(np.array([0.5, 1e-9 * 1.02**i]), np.array([0.5, 1e-9 * 1.02 ** (i + 1)]))
    assert trail.calm
    assert not trail.settled


def test_what_is_left_is_a_geometric_series() -> None:
    """Guards d q/(1 - q), q the mean rate of the last six changes; infinite where they do not fall or are too few."""
    falling = [0.9, 0.5, 0.08, 0.05, 0.04, 0.02, 0.012, 0.01]
    q = (0.01 / 0.08) ** (1 / 5)
    assert Trail(1e-4, falling).left == pytest.approx(sum(0.01 * q**k for k in range(1, 400)))
    assert Trail(1e-4, falling[:2]).left == pytest.approx(sum(0.5 * (5 / 9) ** k for k in range(1, 400)))
    assert math.isinf(Trail(1e-4, falling[:1]).left)
    for last in (0.08, 0.09):
        assert math.isinf(Trail(1e-4, [*falling[:-1], last]).left)
    assert Trail(1e-4, [*falling[:-1], 3e-14]).left == 3e-14
    assert Trail(1e-4, [3e-14]).left == 3e-14
    told = Trail(1e-4, falling).convergence(9, " of 2 starts")
    assert (told.steps, told.converged, told.change, told.more) == (9, False, 0.01, " of 2 starts")
    assert told.left == Trail(1e-4, falling).left
    assert Trail(1e-4).convergence(0) == Convergence(0, False)
    assert Trail(1e-4, [0.5]).convergence(1) == Convergence(1, False, 0.5)


@pytest.mark.parametrize(
    ("changes", "growth", "settled"),
    [
        ([8e-9, 4e-9, 2e-9, 1e-9, 5e-10, 2e-10], 1e-4, True),
        ([4e-9, 2e-9, 1e-9, 5e-10, 2e-10], 1e-4, False),  # five are too few to tell
        ([8e-9, 4e-9, 2e-9, 1e-9, 5e-10, 2e-10], 1.1e-4, False),  # something near 0 grows
        ([6e-8, 5e-8, 4e-8, 3e-8, 2e-8, 1.1e-8], 0.0, False),  # not calm yet: above 1e-4 of the tolerance
        ([6e-8, 5e-8, 4e-8, 3e-8, 2e-8, 1.0e-8], 0.0, True),
        ([1e-8] * 6, 0.0, False),  # may go on for ever
    ],
)
def test_when_a_fit_has_settled(changes: list[float], growth: float, settled: bool) -> None:
    """Guards each condition by itself, of a tolerance of 1e-4."""
    assert Trail(1e-4, changes, growth).settled == settled


def test_tolerance_is_a_parameter() -> None:
    """Guards the option in Python: a stricter one takes more steps; nonsense is refused; glad has none."""
    votes = hard(2)
    loose, strict = (DawidSkene(tolerance=x).chances(votes)[1] for x in (1e-2, 1e-8))
    assert loose.steps < strict.steps
    assert strict.converged
    with pytest.raises(tg.TruegainError, match=r"the rule dawid-skene: tolerance 0 must lie between 0 and 1"):
        tg.aggregate(three_levels(), "dawid-skene(tolerance=0)")
    with pytest.raises(tg.TruegainError, match="the rule glad has no parameter tolerance"):
        tg.aggregate(three_levels(), "glad(tolerance=0.1)")


def test_what_is_left_is_told() -> None:
    """Guards the words of a fit cut short: by how much its last step moved a chance, and what is left to go."""
    ended = DawidSkene(n_iter=15).chances(hard(3))[1]
    assert not ended.converged
    assert ended.change is not None
    with pytest.warns(
        tg.DataWarning, match=r"after 15 steps \(the last step changed the probability of a label by .*give more"
    ):
        tg.aggregate(three_levels(), "dawid-skene(n_iter=15)")
    assert Convergence(9, False, 0.02, left=0.3).last == (
        " (the last step changed the probability of a label by 0.02; about 0.3 remains)"
    )
