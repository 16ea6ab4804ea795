"""Assessors of gold comparisons: moves against studies without each of them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from truegain.preferences.simulated import simulated_votes
from truegain.stats.contrasts import Contrasts
from truegain.study.variance import CrossedSource

Votes = list[dict[str, str]]


def world(topics: int = 40, people: int = 5, seed: int = 2) -> tuple[Votes, Votes]:
    """A judge's votes and gold votes of some people."""
    judge, gold = simulated_votes(topics=topics, seed=seed)
    rng = np.random.default_rng(seed)
    return judge, [{**v, "assessor": f"p{rng.integers(people)}"} for v in gold]


@pytest.mark.parametrize("measure", ["half-wins", "bradley-terry"])
def test_each_assessor_is_left_out(measure: str) -> None:
    """Guards the variance over assessors: the jackknife of studies whose gold lacks one of them, fitted anew."""
    judge, gold = world()
    study = tg.PreferenceStudy(judge, measure, gold=gold, design="random", population="topics,assessors")
    names = sorted({v["assessor"] for v in gold})
    without = np.array([
        [e.value for e in tg.PreferenceStudy(
            judge, measure, gold=[v for v in gold if v["assessor"] != who], design="random").estimates()]
        for who in names
    ])  # fmt: skip
    pair = Contrasts.of([(0, 1)])
    d = without[:, 1] - without[:, 0]
    by_hand = (len(names) - 1) / len(names) * ((d - d.mean()) ** 2).sum()
    crossed = study.variance_model(measure).made_for("assessors")
    assert isinstance(crossed, CrossedSource)
    assert crossed.who.variance(pair).value[0] == pytest.approx(by_hand)
    assert set(crossed.who.units) == set(names)
    cells = pair.values(crossed.by_topic.matrix)
    assert len(cells) == len(names) * 40
    # what an assessor brought to all topics is what the scores lose without him, about the mean of all
    lost = cells.reshape(len(names), 40).sum(axis=1) / np.sqrt((len(names) - 1) / len(names))
    order = [list(crossed.who.units).index(who) for who in names]
    assert measure != "half-wins" or lost[order] == pytest.approx(-(d - d.mean()), abs=1e-9)


def test_words_of_a_verdict() -> None:
    """Guards what the answer is for: assessors are covered, and their line is in the table."""
    judge, gold = world()
    verdict = tg.PreferenceStudy(judge, gold=gold, design="random", population="topics,assessors").verdict(
        "prod", "new"
    )
    assert verdict.holds_for == "for topics like these 40, by assessors like these 5"
    assert verdict.not_covered == "nothing"
    assert {x.source for x in verdict.by_source} == {"topics", "assessors", "gold", "all sources"}
    alone = tg.PreferenceStudy(judge, gold=gold, design="random").verdict("prod", "new")
    assert alone.not_covered == "mistakes in the gold comparisons"
    assert alone.low is not None
    assert verdict.low is not None
    assert verdict.low <= alone.low + 1e-12


@pytest.mark.parametrize(
    ("change", "population", "says"),
    [
        (lambda v: {**v, "assessor": "ann"}, "topics,assessors", "1 assessor named, and at least 3 are needed"),
        (lambda v: {**v, "assessor": "" if v["topic"] == "1" else v["assessor"]}, "topics,assessors",
         "gold votes? of .* without an assessor"),
        (lambda v: {**v, "assessor": f"of {v['topic']}"}, "topics,assessors", "nested in topics"),
        (lambda v: v, "assessors", "the noise of a vote would count twice"),
    ],
)  # fmt: skip
def test_what_is_refused(change: object, population: str, says: str) -> None:
    """Guards refusals: each says why, and what to do."""
    judge, gold = world()
    with pytest.raises(tg.TruegainError, match=says) as caught:
        tg.PreferenceStudy(
            judge, gold=[change(v) for v in gold], design="random", population=population  # type: ignore[operator]
        )  # fmt: skip
    assert "leave 'assessors' out" in str(caught.value) or "topics,assessors" in str(caught.value)
