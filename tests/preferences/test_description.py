"""Counts of votes, and a judge's votes beside people's, against sums by hand."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from truegain.io.columns import Floats
from truegain.preferences.description import agreeing_votes, is_unequal, judged_votes, pair_votes, share_over_topics
from truegain.preferences.fit import PairCells
from truegain.stats.student_t import quantile_of

SYSTEMS = ("x", "y", "z")
PAIRS = ((0, 1), (0, 2), (1, 2))


def matrices(topics: int = 20, seed: int = 1) -> tuple[Floats, Floats]:
    """Half-wins of a judge on every pair, and of people on some."""
    rng = np.random.default_rng(seed)
    judge, people = (rng.choice([0.0, 0.5, 1.0], size=(topics, 3)) for _ in range(2))
    return judge, np.where(rng.random(judge.shape) < 0.6, people, np.nan)


def cells(wins: Floats) -> PairCells:
    """Cells of a matrix of half-wins."""
    return PairCells.of_matrices(SYSTEMS, [f"t{t}" for t in range(len(wins))], wins)


def test_a_judge_beside_people() -> None:
    """Guards counts, agreement by pair and errors by system."""
    judge, people = matrices()
    beside = judged_votes(cells(judge), cells(people), slope=0.4, correlation=0.2)
    there = ~np.isnan(people)
    untied = there & (judge != 0.5) & (people != 0.5)
    same = untied & (judge == people)
    assert beside.gold == there.sum()
    assert beside.counts == {
        "same": same.sum(), "other": (untied & ~same).sum(),
        "judge ties": (there & (judge == 0.5) & (people != 0.5)).sum(),
        "people tie": (there & (judge != 0.5) & (people == 0.5)).sum(),
        "both tie": (there & (judge == 0.5) & (people == 0.5)).sum(),
    }  # fmt: skip
    for k, p in enumerate(beside.pairs):
        assert (p.gold, p.agree, p.untied) == (there[:, k].sum(), same[:, k].sum(), untied[:, k].sum())
        assert p.judge == pytest.approx(judge[there[:, k], k].mean())
        assert p.people == pytest.approx(people[there[:, k], k].mean())
    for e in beside.errors.by_system:
        s = SYSTEMS.index(e.system)
        error = np.concatenate([
            (1 if s == a else -1) * (judge - people)[there[:, k], k] for k, (a, b) in enumerate(PAIRS) if s in (a, b)
        ])  # fmt: skip
        assert e.labels == len(error)
        assert e.value == pytest.approx(error.mean())
        assert beside.by_system[e.system] == len(error)


def test_a_share_over_topics() -> None:
    """Guards limits: those of Student's t where each topic has one comparison, and wider where topics agree."""
    rng = np.random.default_rng(3)
    hits = rng.random(40) < 0.7
    share, low, high = share_over_topics(hits, np.arange(40), 0.95)
    half = quantile_of(0.95, 39.0) * hits.std(ddof=1) / np.sqrt(40)
    assert (share, low, high) == pytest.approx((hits.mean(), hits.mean() - half, hits.mean() + half))
    twice = share_over_topics(np.repeat(hits, 2), np.repeat(np.arange(40), 2), 0.95)
    assert twice == pytest.approx((share, low, high))  # a copy of each brings nothing
    assert share_over_topics(np.ones(5, np.bool_), np.arange(5), 0.95) == (1.0, None, None)
    assert np.isnan(share_over_topics(np.ones(0, np.bool_), np.zeros(0, np.int64), 0.95)[0])


def test_votes_of_pairs_and_of_assessors() -> None:
    """Guards both sides of a pair, and agreement where one assessor voted in both orders."""
    rows = [
        ("1", "x", "y", "a", "ann"), ("1", "y", "x", "b", "ann"), ("1", "x", "y", "b", "bob"),
        ("1", "x", "y", "a", "cy"), ("2", "y", "x", "a", "ann"), ("2", "x", "z", "tie", "bob"),
    ]  # fmt: skip
    votes = tg.read_preferences([dict(zip(("topic", "a", "b", "winner", "assessor"), r, strict=True)) for r in rows])
    first, second = pair_votes(votes)
    assert (first.a, first.b, first.topics, first.wins, first.ties, first.losses) == ("x", "y", 2, 3, 0, 2)
    assert first.half_wins == pytest.approx((2 / 3 + 0) / 2)  # each assessor counts alike on a topic
    assert (second.topics, second.ties, second.half_wins) == (1, 1, 0.5)
    assert agreeing_votes(votes) == (1, 3)  # ann and cy; each of them against bob
    assert is_unequal(votes.cells())
