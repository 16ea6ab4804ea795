"""How often intervals from preferences hold the truth, in the worlds of `python -m benchmarks.coverage.preferences`."""

from __future__ import annotations

import argparse

import numpy as np
import pytest
from benchmarks.coverage import preferences
from benchmarks.coverage.worlds import Seen, World


def seen(world: World, studies: int, seed: int = 5) -> dict[str, list[Seen]]:
    """What each answer gave in some studies of a world; refusals are left out."""
    out: dict[str, list[Seen]] = {}
    for n in range(studies):
        for answer, one in world.study(np.random.default_rng([seed, n])).items():
            if one is not None:
                out.setdefault(answer, []).append(one)
    return out


def holds(found: dict[str, list[Seen]], answer: str) -> float:
    """The share of studies in which an interval held the truth."""
    return float(np.mean([one.inside for one in found[answer]]))


def test_one_study_of_every_world() -> None:
    """Guards the worlds themselves: each answers all its questions; the true strengths of equal systems are equal."""
    smallest = {world.name.rpartition(", ")[0]: world for world in reversed(preferences.WORLDS)}
    assert len(smallest) == 13
    for world in smallest.values():
        found = seen(world, 1)
        assert all(np.isfinite(one.width) for ones in found.values() for one in ones), world.name
    for name in preferences.MEASURES:
        right = preferences.truth(name)
        assert right[0] == pytest.approx(right[1])
        assert right[2] > right[0] > right[3] > right[4]


def test_few_studies_print_a_table() -> None:
    """Guards `--studies 3`: each table has a study at least, and a cell all of whose studies are refused says so."""
    given = argparse.Namespace(studies=3, seed=1)
    assert len(preferences.streams("narrowing", given, 4)) == 1
    refused = World("a world, 9 topics", lambda _: {f"ours, {question}": None for question in preferences.QUESTIONS})
    assert preferences.lines([refused], given)[-1] == "| ours | refused |"


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say() -> None:
    """Guards coverage where topics, votes and a leaning judge meet; and that the usual intervals would not do."""
    world = next(w for w in preferences.WORLDS if w.name == "all pairs, 50 topics")
    found = seen(world, 120)
    for name in preferences.MEASURES:
        for way in ("people, 3 votes, topics", "gold alone, topics", "rectified, topics", "rectified tuned, topics"):
            for question in preferences.QUESTIONS:
                share = holds(found, f"{name}: {way}, {question}")
                assert 0.88 <= share <= 1.0, (name, way, question, share)  # error .02
    assert holds(found, "Bradley-Terry: judge, both orders, topics, equal") < 0.6
    assert holds(found, "people, 3 votes, Hessian, equal") < 0.88
    assert holds(found, "rectified, Hessian, equal") < 0.8


@pytest.mark.slow
@pytest.mark.parametrize(
    "start", ["one order, 50", "8 assessors, 50", "4 of 10 pairs, 50", "gold by 1 of 8 assessors, 100"]
)
def test_other_worlds_hold_too(start: str) -> None:
    """Guards the position column, crossed assessors, those of gold comparisons, and incomplete pairs."""
    world = next(w for w in preferences.WORLDS if w.name.startswith(start))
    found = seen(world, 200)
    uncorrected = ("no column", "topics only", "judge, both orders")
    ours = [answer for answer in found if not any(words in answer for words in uncorrected)]
    assert ours
    for answer in ours:
        assert 0.90 <= holds(found, answer) <= 0.995, (answer, holds(found, answer))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_what_is_predicted_of_a_judge_comes(share: float) -> None:
    """Guards the plan: the width over that of gold alone is near sqrt(1 - r^2 (1 - share))."""
    for sees in preferences.JUDGES.values():
        studies = [preferences.narrowing(np.random.default_rng([6, n]), 100, sees, share) for n in range(120)]
        mean = {name: np.mean([x[name].width for x in studies]) for name in studies[0]}  # type: ignore[union-attr]
        assert abs(mean["measured"] - mean["predicted by correlation"]) < 0.03, (sees, mean)
        assert abs(mean["measured"] - mean["predicted by agreement and ties"]) < 0.04, (sees, mean)
