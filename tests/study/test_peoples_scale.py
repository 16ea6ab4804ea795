"""A judge that says yes or no, or whose scale is declared, and people on another scale: answers are on people's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import truegain as tg
from truegain.data.items import Items
from truegain.data.label_lists import GoldList
from truegain.io.columns import Bools, Floats
from truegain.io.logs.log import ScoreRange

T = 60
NAMES = ("old", "new")
SCALES = [(1.0, 5.0), (0.0, 100.0), (-1.0, 1.0)]
pytestmark = pytest.mark.filterwarnings("ignore::truegain.DataWarning")


def people_and_judge(ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """What people say, in fifths of their scale, and a judge that says whether it is good."""
    rng = np.random.default_rng(0)
    share = np.clip(np.round(5 * rng.normal([[0.3], [0.7]], 0.25, (2, T))), 0, 5) / 5
    judge = (share + rng.normal(0, 0.2, (2, T)) > 0.5).astype(np.float64)
    return ends[0] + (ends[1] - ends[0]) * share, judge


def declared(judge: Floats) -> Items:
    """The judge's values with the scale that yes and no have."""
    rows = [{"topic": f"q{t}", "system": s, "faith": "yes" if judge[i, t] else "no"} for i, s in enumerate(NAMES)
            for t in range(T)]  # fmt: skip
    items = tg.read_items(rows)
    assert items.scales["faith"] == ScoreRange(0.0, 1.0)
    return items


def some_of(values: Floats, kept: Bools | None = None) -> dict[str, Any]:
    """Values by system and topic, where there are some."""
    kept = np.ones(values.shape, np.bool_) if kept is None else kept
    return {"faith": {s: {f"q{t}": float(values[i, t]) for t in np.flatnonzero(kept[i])} for i, s in enumerate(NAMES)}}


def told(study: tg.Study) -> list[float]:
    """The difference and its limits, and those of scores."""
    c = study.compare("old", "new")[0]
    scores = [x for e in study.estimates() for x in (e.value, e.low, e.high)]
    return [float("nan") if x is None else x for x in (c.difference, c.low, c.high, *scores)]


@pytest.mark.few(8)
@pytest.mark.parametrize("ends", SCALES)
@pytest.mark.parametrize("design", ["random", "topics"])
@pytest.mark.parametrize("population", ["fixed", "topics"])
@pytest.mark.parametrize("few", [False, True])
def test_scores_and_differences_are_on_peoples_scale(
    ends: tuple[float, float], design: str, population: str, few: bool
) -> None:
    """Guards against the judge's 0 to 1: all is as if nobody knew its scale, and the truth is within the limits."""
    people, judge = people_and_judge(ends)
    rng = np.random.default_rng(1)
    n = 9 if few else T  # of few topics, limits of scores are Wilson's where there are bounds
    kept = rng.random((2, n)) < 0.5 if design == "random" else np.tile(np.arange(n) % 4 > 0, (2, 1))
    unknown, gold = tg.read_items(some_of(judge[:, :n])), tg.Gold(some_of(people[:, :n], kept), design)
    known = replace(unknown, scales={"faith": ScoreRange(0.0, 1.0)})
    one, other = (tg.Study(items, measures="faith", gold=gold, population=population) for items in (known, unknown))
    assert told(one) == told(other)
    assert str(one.best()) == str(other.best())
    if not few:
        difference, low, high, *scores = told(one)
        assert low < people[1].mean() - people[0].mean() < high
        assert low < difference < high
        for true, (value, least, most) in zip(people.mean(axis=1), np.reshape(scores, (2, 3)), strict=True):
            assert least < true < most
            assert least < value < most
        assert told(tg.Study(declared(judge), measures="faith", gold=gold, population=population)) == told(other)


def filled(ends: tuple[float, float], n: int) -> tuple[Items, GoldList]:
    """The first so many answers of a list, labeled by people."""
    people, judge = people_and_judge(ends)
    items = declared(judge)
    listed = tg.sample_gold(items, measure="faith", scale=ends)
    assert listed.scale == ends
    label = np.full(len(listed), np.nan)
    for at, (topic, system) in enumerate(zip(listed.topics[:n], listed.docs[:n], strict=True)):
        label[at] = people[NAMES.index(system), int(topic[1:])]
    return items, listed.with_labels(label)


@pytest.mark.few(5)
@pytest.mark.parametrize("ends", SCALES)
@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("population", ["fixed", "topics"])
def test_limits_of_a_list_follow_its_scale(ends: tuple[float, float], sequential: bool, population: str) -> None:
    """Guards one look and all looks at a list: people's labels on another scale only stretch the limits."""
    found = []
    for scale in ((0.0, 1.0), ends):
        items, listed = filled(scale, 70)
        gold = tg.Gold(listed, sequential=sequential)
        c = tg.Study(items, measures="faith", gold=gold, population=population).compare("old", "new")[0]
        assert c.low is not None
        assert c.high is not None
        found.append(np.array([c.difference, c.low, c.high]))
    assert found[1] == pytest.approx((ends[1] - ends[0]) * found[0], rel=1e-6)


def test_the_uncorrected_difference_keeps_the_judges_bounds() -> None:
    """Guards the other line: what the judge says by itself lies within its scale, not people's."""
    new = np.arange(2.0)[:, None]
    judge, people = new * (np.arange(6.0) % 4 > 0), 1 + 3 * new + np.random.default_rng(3).integers(0, 2, (2, 6))
    items = replace(tg.read_items(some_of(judge)), scales={"faith": ScoreRange(0.0, 1.0)})
    verdict = tg.Study(items, measures="faith", gold=tg.Gold(some_of(people), "random")).verdict("old", "new")
    assert verdict.uncorrected.high == 1.0
    assert verdict.comparison.difference == pytest.approx(people[1].mean() - people[0].mean())
    assert verdict.comparison.high is not None
    assert verdict.comparison.high > 1.0


def test_yes_or_no_of_people_bounds_the_scores() -> None:
    """Guards people's own scale where they declare one that the judge's does not hold: 1 to 5, and yes or no."""
    people, judge = people_and_judge((0.0, 1.0))
    items = replace(tg.read_items(some_of(1 + 4 * judge)), scales={"faith": ScoreRange(1.0, 5.0)})
    yes = tg.read_items([
        {"topic": f"q{t}", "system": s, "faith": "yes" if people[i, t] > 0.5 else "no"}
        for i, s in enumerate(NAMES) for t in range(0, T, 2)
    ])  # fmt: skip
    study = tg.Study(items, measures="faith", gold=tg.Gold(yes, "random"))
    assert study.measures[0].bounds() == (0.0, 1.0)
    within = tg.Study(items, measures="faith", gold=tg.Gold(some_of(1 + 4 * people), "random"))
    assert within.measures[0].bounds() == (1.0, 5.0)


def fine_judge(pass_or_fail: bool) -> tuple[Floats, Floats, Bools]:
    """A judge with fine values, people who give pass or fail or fine values too, and of what they give some."""
    rng = np.random.default_rng(1)
    judge = rng.beta(2, 2, (2, T))
    people = np.clip(judge + rng.normal(0, 0.1, (2, T)), 0, 1)
    return judge, (people > 0.5).astype(np.float64) if pass_or_fail else people, rng.random((2, T)) < 0.35


@pytest.mark.parametrize("pass_or_fail", [True, False])
@pytest.mark.parametrize("population", ["fixed", "topics"])
def test_the_judges_scale_widens_nothing(pass_or_fail: bool, population: str) -> None:
    """Guards what people could have said: a judge of 0 to 100, or one slip, made limits of -10 to 10 of 0.1."""
    judge, people, kept = fine_judge(pass_or_fail)
    gold = tg.Gold(some_of(people, kept), "random")
    slip = judge.copy()
    slip[0, np.flatnonzero(~kept[0])[0]] = 85.0
    usual, hundred, slipped = (
        np.array(told(tg.Study(tg.read_items(some_of(x)), measures="faith", gold=gold, population=population)))
        for x in (judge, 100 * judge, slip)
    )
    assert hundred[:3] == pytest.approx(usual[:3], rel=1e-9)
    assert hundred == pytest.approx(usual, abs=1e-9 if pass_or_fail else 0.02)
    assert slipped == pytest.approx(usual, abs=0.02)
    assert (usual[[4, 5, 7, 8]] >= 0).all()
    assert (usual[[5, 8]] <= 1).all()


def test_people_who_all_pass_leave_the_limits_open() -> None:
    """Guards one gold value alone beside a judge of 0 to 100: half a fail is possible all the same, and 100 is not."""
    judge, _, kept = fine_judge(True)
    gold = tg.Gold(some_of(np.ones((2, T)), kept), "random")
    items = (tg.read_items(some_of(x * judge)) for x in (1, 100))
    usual, hundred = (tg.Study(x, measures="faith", gold=gold).compare("old", "new")[0] for x in items)
    assert usual.low is not None
    assert hundred.low is not None
    assert hundred.low == pytest.approx(usual.low, abs=0.05)
    assert -1 < hundred.low < 0


def test_scores_by_whole_topics_lie_on_peoples_scale() -> None:
    """Guards the bounds of scores by gold topics: those of people, whatever the judge's values are."""
    judge, people, kept = fine_judge(True)
    gold = tg.Gold(some_of(people, np.tile(kept[0], (2, 1))), "topics")
    hundred = told(tg.Study(tg.read_items(some_of(100 * judge)), measures="faith", gold=gold))
    assert min(hundred[3:]) >= 0
    assert max(hundred[3:]) <= 1


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("value", [-5.0, 5.0])
def test_one_value_alone(value: float) -> None:
    """Guards the bounds where all values are one number: numpy warned of a division by 0 where it lies below 0."""
    kept = np.arange(2 * T).reshape(2, T) % 3 > 0
    same = np.full((2, T), value)
    study = tg.Study(tg.read_items(some_of(same)), measures="faith", gold=tg.Gold(some_of(same, kept), "random"))
    assert study.variance_model("faith").estimator.value.tolist() == [value, value]
    assert all(e.value is None or e.value == value or np.isnan(e.value) for e in study.estimates())


@pytest.mark.parametrize("scale", [(-2, 2), [-2, 2], [2, -1, -2], "-2:2", "-2,0,2"])
def test_values_below_zero_have_a_scale(scale: Any) -> None:
    """Guards lists for values below 0: people may say -2 where the judge never did, in every way to tell the scale."""
    values = np.random.default_rng(0).uniform(-1.4, 1.4, (2, T))
    listed = tg.sample_gold(tg.read_items(some_of(values)), measure="faith", scale=scale)
    assert listed.scale == (-2.0, 2.0)
    assert listed.filled({listed.topics[0]: {listed.docs[0]: -2.0}}).label[0] == -2.0
    less = replace(tg.read_items(some_of(values)), scales={"faith": ScoreRange(lower_is_better=True)})
    assert tg.sample_gold(less, measure="faith", scale="-2:1").scale == (-2.0, 1.0)


def test_labels_of_documents_have_no_scale_below_zero() -> None:
    """Guards the other lists: below 0 a document is not judged; of values, two different finite ones are needed."""
    runs = {s: {"q": {d: float(i) for i, d in enumerate(docs)}} for s, docs in (("a", "xy"), ("b", "yz"))}
    scales: list[Any] = [(-2, 2), [-2, 2], "-2:2"]
    for scale in scales:
        with pytest.raises(tg.TruegainError, match="none below 0"):
            tg.sample_gold(runs, {"q": {"x": 1, "y": 0, "z": 1}}, "P@1", scale=scale)
    items = tg.read_items(some_of(np.random.default_rng(0).random((2, T))))
    for ends in ((1.0, 1.0), (float("nan"), 2.0), (-np.inf, 0.0)):
        with pytest.raises(tg.TruegainError, match="at least two different labels are needed, finite ones"):
            tg.sample_gold(items, measure="faith", scale=ends)
