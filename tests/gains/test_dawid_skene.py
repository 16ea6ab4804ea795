"""Dawid and Skene's EM against loops over its definition, and with weights."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.gains.test_crowd import crowd
from truegain.gains.consensus import Votes
from truegain.gains.dawid_skene import DawidSkene, expected, fitted, shares_of_votes
from truegain.tables.grouped import Grouped


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
    first = with_weights.labelled(np.nan_to_num(gain, nan=-1.0))
    second = alone.labelled(less)
    found = dict(zip(first.docs.strings(), first.label.tolist(), strict=True))
    for doc, value in zip(second.docs.strings(), second.label.tolist(), strict=True):
        assert found[doc] == pytest.approx(value, abs=1e-9)


def test_it_is_crowd_kits_where_that_is_there() -> None:
    """Guards the model against another implementation."""
    aggregation = pytest.importorskip("crowdkit.aggregation", exc_type=ImportError)
    frame = crowd(120)[0]
    table = frame.rename({"doc": "task", "assessor": "worker"}).to_pandas()
    theirs = aggregation.DawidSkene(n_iter=100, tol=1e-7).fit_predict_proba(table)[1.0]
    ours = tg.to_gains(frame, "dawid-skene")
    found = dict(zip(ours.docs.strings(), ours.label.tolist(), strict=True))
    assert [found[d] for d in theirs.index] == pytest.approx(theirs.tolist(), abs=1e-3)
