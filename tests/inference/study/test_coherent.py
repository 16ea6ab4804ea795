"""Answers of the study go together: wider claims are not surer, rounding is no spread, nested assessors no source."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.moves import Spread

Runs = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def world(seed: int, topics: int = 12, docs: int = 40) -> tuple[Runs, Labels]:
    """Three systems, two of them close."""
    rng = np.random.default_rng(seed)
    labels = {str(t): {f"d{i}": int(rng.random() < 0.35) for i in range(docs)} for t in range(topics)}
    runs: Runs = {
        s: {t: {d: skill * g + rng.normal() for d, g in row.items()} for t, row in labels.items()}
        for s, skill in (("a", 0.5), ("b", 0.6), ("c", 1.2))
    }
    return runs, labels


def test_topics_and_collection_are_never_surer_than_the_collection_alone() -> None:
    """Guards a claim about more against being narrower than one about less: where topics hardly differ it would be."""
    narrower = 0
    for seed in range(6):
        runs, labels = world(seed)
        both = tg.Study(runs, labels, "nDCG@10", generalise_to=["topics", "collection"], replicates=300).compare()
        fixed = tg.Study(runs, labels, "nDCG@10", generalise_to=["collection"], replicates=300).compare()
        topics = tg.Study(runs, labels, "nDCG@10").compare()
        for wide, one, other in zip(both, fixed, topics, strict=True):
            widths = [(c.high or 0) - (c.low or 0) for c in (wide, one, other)]
            assert widths[0] == pytest.approx(max(widths), rel=1e-9)
            narrower += widths[1] > widths[2]
    assert narrower  # there were such pairs


def test_the_wider_of_two_spreads() -> None:
    """Guards the choice by limits, not by variances: few degrees of freedom widen."""
    one, other = (
        Spread(np.array([1.0, 1.0]), np.array([50.0, 50.0])),
        Spread(np.array([0.9, 0.5]), np.array([2.0, 2.0])),
    )
    found = one.or_wider(other)
    assert (found.variance.tolist(), found.df.tolist()) == ([0.9, 0.5], [2.0, 2.0])
    assert other.or_wider(one).variance.tolist() == [0.9, 0.5]
    few = Spread(np.array([0.1]), np.array([9.0]))
    assert Spread(np.array([1.0]), np.array([9.0])).or_wider(few).variance.tolist() == [1.0]


@pytest.mark.parametrize("measure", ["P@2", "P@5", "RR"])
def test_a_constant_difference_has_no_interval_whatever_its_rounding(measure: str) -> None:
    """Guards rounding against being taken for a spread."""
    labels = {str(t): {"r": 1, **{f"n{i}": 0 for i in range(9)}} for t in range(12)}
    first = {t: {d: float(d == "r") - 0.01 * i for i, d in enumerate(row)} for t, row in labels.items()}
    last = {t: {d: -float(d == "r") - 0.01 * i for i, d in enumerate(row)} for t, row in labels.items()}
    found = tg.Study({"last": last, "first": first}, labels, measure).compare("last", "first")[0]
    assert found.difference > 0
    assert (found.low, found.high, found.p) == (None, None, None)


def test_assessors_of_one_topic_each_are_nested() -> None:
    """Guards nested assessors, one or two a topic: the spread over topics holds them, and the study says so."""
    runs, labels = world(3)
    rng = np.random.default_rng(4)
    rows = [
        (t, d, f"w{t}-{k}", float(np.clip(g + rng.integers(-1, 2), 0, 2)))
        for t, row in labels.items()
        for d, g in row.items()
        for k in range(2)
    ]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    with pytest.raises(tg.TruegainError, match="every assessor rated one topic only: assessors are nested in topics"):
        tg.Study(runs, frame, "nDCG@10", rule="mean", generalise_to=["topics", "assessors"])


def test_what_assessors_add_is_known_no_worse_than_its_parts() -> None:
    """Guards the degrees of freedom of topics and assessors together: at least the fewer of both."""
    runs, labels = world(5)
    rng = np.random.default_rng(6)
    rows = [
        (t, d, f"w{k}", float(np.clip(g + rng.integers(-1, 2), 0, 2)))
        for t, row in labels.items()
        for d, g in row.items()
        for k in rng.choice(7, 2, replace=False)
    ]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    study = tg.Study(runs, frame, "nDCG@10", rule="mean", generalise_to=["topics", "assessors"])
    assert (study.lattice().spread(Contrasts.all_pairs(3)).df >= 6).all()


def test_better_by_less_than_what_matters_does_not_hold() -> None:
    """Guards the verdict where a gain is sure and surely too small."""
    runs, labels = world(7, topics=40)
    sure = tg.Study(runs, labels, "P@10").verdict("a", "c")
    assert sure.outcome == "holds"
    small = tg.Study(runs, labels, "P@10", smallest=0.9).verdict("a", "c")
    assert small.outcome == "does not hold"
    assert "c is better than a, but by less than 0.9" in small.sentence
