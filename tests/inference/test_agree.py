"""Agreement with experts, assessors worth a second look, and the whole answer."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.inference.test_alpha import frame_of
from truegain.inference.agreement.agree import agree
from truegain.inference.agreement.alpha import alpha
from truegain.inference.agreement.assessors import assessors
from truegain.inference.agreement.order import order_agreement
from truegain.studies.ratings_world import magnitude_ratings, uniform_ratings
from truegain.tables.grouped import Grouped


def test_order_agreement_by_counting() -> None:
    """Guards pairwise order agreement, by group and by pair of levels, against going through every pair."""
    rng = np.random.default_rng(1)
    value, group = rng.integers(0, 4, 60).astype(float), rng.integers(0, 5, 60)
    expert = np.where(rng.random(60) < 0.2, np.nan, rng.integers(0, 3, 60).astype(float))
    pairs = [
        (group[i], *sorted((expert[i], expert[j])), (value[i] - value[j]) * (expert[i] - expert[j]) >= 0)
        for i, j in combinations(range(60), 2)
        if group[i] == group[j] and expert[i] != expert[j] and expert[i] == expert[i] and expert[j] == expert[j]
    ]
    found = order_agreement(value, expert, group)
    assert len(found) == len(pairs)
    assert found.share == pytest.approx(np.mean([p[3] for p in pairs]))
    share, count = found.by_group(5)
    for g in range(5):
        mine = [p[3] for p in pairs if p[0] == g]
        assert share[g] == pytest.approx(np.mean(mine))
        assert count[g] == len(mine)
    for low, high, part, n in found.by_levels:
        mine = [p[3] for p in pairs if p[1:3] == (low, high)]
        assert part == pytest.approx(np.mean(mine))
        assert n == len(mine)


def test_ties_count_as_agreement() -> None:
    """Guards the paper's convention: someone who calls all documents equal contradicts nobody."""
    assert order_agreement(np.ones(4), np.arange(4.0), np.zeros(4, np.int64)).share == 1.0
    assert order_agreement(np.ones(2), np.array([1.0, 1.0]), np.zeros(2, np.int64)).share is None


def test_an_assessor_against_the_rest_by_hand() -> None:
    """Guards equal, bias and correlation with its interval against numpy and scipy, items rated unequally often."""
    rng = np.random.default_rng(2)
    matrix = rng.integers(0, 4, (5, 30)).astype(float)
    matrix[rng.random(matrix.shape) < 0.3] = np.nan
    stats = pytest.importorskip("scipy.stats")
    found = {a.assessor: a for a in assessors(Grouped.of(tg.read_ratings(frame_of(matrix))), confidence=0.9)}
    for person in range(5):
        others = np.delete(matrix, person, axis=0)
        both = ~np.isnan(matrix[person]) & (~np.isnan(others)).any(axis=0)
        mine, rest = matrix[person, both], np.nanmean(others[:, both], axis=0)
        same = np.nansum(others[:, both] == mine, axis=0) / (~np.isnan(others[:, both])).sum(axis=0)
        a = found[f"a{person}"]
        assert a.bias == pytest.approx((mine - rest).mean())
        assert a.equal == pytest.approx(same.mean())
        assert a.correlation == pytest.approx(np.corrcoef(mine, rest)[0, 1])
        want = stats.pearsonr(mine, rest).confidence_interval(0.9)
        assert (a.low, a.high) == pytest.approx((want.low, want.high))


def test_planted_assessors_are_looked_at() -> None:
    """Guards the second look: one who repeats one rating, one who rates at random and fast; and nobody else."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 120)
    rows = []
    for person in range(12):
        for item, t in enumerate(truth):
            value = (
                2 if person == 10 else rng.integers(0, 4) if person == 11 else np.clip(t + rng.integers(-1, 2), 0, 3)
            )
            rows.append(("1", f"d{item}", f"a{person}", float(value), 3.0 if person == 11 else 30.0))
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label", "seconds"], orient="row")
    looks = {a.assessor: a.look for a in assessors(Grouped.of(tg.read_ratings(frame)))}
    assert {name for name, look in looks.items() if look} == {"a10", "a11"}
    assert looks["a10"] == "gives every document the same rating"
    assert looks["a11"] == "agrees with the rest far less than others do, takes less than a third of the usual time"


def test_experts_tell_the_careless() -> None:
    """Guards agreement with experts: on simulated magnitudes the careless order documents worse than the others."""
    world = magnitude_ratings(topics=6, docs=32, workers=6, noise=0.5, careless=0.2, seed=4)
    found = assessors(Grouped.of(world.ratings), world.expert, logs=True)
    careless = [a.order for a in found if a.assessor in world.careless and a.order is not None]
    careful = [a.order for a in found if a.assessor not in world.careless and a.order is not None]
    assert len(careless) > 10
    assert np.mean(careless) < 0.7 < 0.85 < np.mean(careful)


def test_the_whole_answer_holds_its_parts() -> None:
    """Guards `agree`: its alphas are those of the function, its topics those of each topic alone."""
    world = magnitude_ratings(topics=3, docs=20, workers=4, seed=5)
    found = agree(world.ratings, world.expert, scale="ratio", trials=200, seed=7)
    row = found.overall.records()[0]
    want = alpha(world.ratings, "ratio", trials=200, seed=7)
    assert (row["value"], row["low"], row["high"]) == (want.value, want.low, want.high)
    for topic in found.topics.records():
        rows = np.flatnonzero(np.array(world.ratings.topic.strings()) == topic["topic"])
        alone = alpha(world.ratings.take(rows), "ratio", trials=200, seed=7)
        assert [topic[c] for c in ("alpha ratio", "low", "high")] == pytest.approx([alone.value, alone.low, alone.high])
    assert found.experts is not None
    shares = found.experts.records()
    assert shares[0]["n"] == sum(int(r["n"] or 0) for r in shares[3:])  # pairs by levels are all pairs


def test_normalising_raises_agreement_on_personal_scales() -> None:
    """Guards the reason to normalise: with scales of their own people agree little, on one scale much."""
    world = magnitude_ratings(topics=4, docs=20, workers=5, noise=0.5, careless=0, seed=6)
    raw = agree(world.ratings, scale="ratio", trials=0).overall.records()[0]["value"]
    normalised = agree(world.ratings, scale="ratio", normalise="geometric", trials=0).overall.records()[0]["value"]
    assert isinstance(raw, float)
    assert isinstance(normalised, float)
    assert raw < 0.3 < 0.5 < normalised


def test_uniform_ratings_do_not_agree() -> None:
    """Guards the simulator of UNANIMITY: zeros stay, the rest is uniform, so alpha among the relevant is about 0."""
    labels = {"1": {f"d{i}": i % 2 for i in range(2000)}}
    ratings = uniform_ratings(labels, assessors=5, highest=4, seed=8)
    relevant = np.array([int(d[1:]) % 2 == 1 for d in ratings.docs.strings()])
    assert (ratings.label[~relevant] == 0).all()
    counts = np.bincount(ratings.label[relevant].astype(int), minlength=5)
    assert counts == pytest.approx(np.full(5, relevant.sum() / 5), rel=0.1)
    found = alpha(ratings.take(np.flatnonzero(relevant)), "interval", trials=0).value
    assert found == pytest.approx(0, abs=0.04)


def test_experts_who_judged_nothing_of_it() -> None:
    """Guards ids that do not match: an error, not an empty table."""
    with pytest.raises(tg.InputError, match="judged none of the rated documents"):
        agree(frame_of([[1, 2], [1, 3]]), {"9": {"x": 1}}, trials=0)
