"""MACE against crowd-kit's answers, brute force and known workers; and every consensus in one order of rows."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import truegain as tg
from tests.aggregation.mace_values import ASSESSORS, ITEMS, KEPT, LEVELS, STEPS
from tests.aggregation.test_crowd import accuracy, crowd
from truegain.aggregation import consensus as mace_module
from truegain.aggregation.consensus import (
    End,
    Mace,
    State,
    Trail,
    Votes,
    mace_climbed,
    mace_expected,
    mace_fitted,
    settled,
    starts,
)
from truegain.data.judgments import Judgments
from truegain.data.rating_groups import Grouped

pytestmark = pytest.mark.filterwarnings("ignore:(?!.*(converged|gain))")  # pandas, of what crowd-kit does


def kept() -> tuple[Votes, State, dict[str, Any]]:
    """The votes and the start that crowd-kit was given, and what it said."""
    case = json.loads(KEPT.read_text())
    item, who, label = np.array(case["votes"]).T
    votes = Votes(item, who, label, np.ones(len(item)), np.array([0.0, 1.0, 2.0]), ITEMS, ASSESSORS)
    return votes, State(np.array(case["knows"]), np.array(case["habit"])), case["chances"]


def test_against_crowd_kit() -> None:
    """Guards every formula of MACE: from crowd-kit's own start, its chances of labels after 1, 3 and 50 steps."""
    votes, state, want = kept()
    for steps in STEPS:
        share, _, counts = mace_expected(votes, state)
        for _ in range(steps):
            share, _, counts = mace_expected(votes, mace_fitted(*counts))
        assert share == pytest.approx(np.array(want[str(steps)]), abs=1e-9)


def test_the_kept_values_are_what_crowd_kit_says() -> None:
    """Guards the kept values where crowd-kit is installed."""
    pytest.importorskip("crowdkit.aggregation", exc_type=ImportError)
    from tests.aggregation import mace_values

    assert json.loads(KEPT.read_text())["votes"] == mace_values.votes()
    want = json.loads(KEPT.read_text())["chances"]["3"]
    assert np.array(mace_values.chances(7, 3)) == pytest.approx(np.array(want), abs=1e-12)


def test_the_likelihood_by_going_through_everything() -> None:
    """Guards likelihood and expected counts: sums over every label and every way of knowing or spamming."""
    votes, state, _ = kept()
    knows, spams = np.zeros(ASSESSORS), np.zeros((ASSESSORS, LEVELS))
    total = 0.0
    for item in range(ITEMS):
        mine = np.flatnonzero(votes.item == item)
        worlds = []
        for label, *know in product(range(LEVELS), *([(0, 1)] * len(mine))):
            chance = 1 / LEVELS
            for row, k in zip(mine, know, strict=True):
                who, said = votes.assessor[row], votes.label[row]
                chance *= state.knows[who, 1] * (said == label) if k else state.knows[who, 0] * state.habit[who, said]
            worlds.append((chance, know))
        all_of_it = sum(chance for chance, _ in worlds)
        total += np.log(all_of_it)
        for chance, know in worlds:
            for row, k in zip(mine, know, strict=True):
                knows[votes.assessor[row]] += k * chance / all_of_it
                spams[votes.assessor[row], votes.label[row]] += (1 - k) * chance / all_of_it
    _, likelihood, (found_knows, found_spams) = mace_expected(votes, state)
    assert likelihood == pytest.approx(total, abs=1e-9)
    assert found_knows == pytest.approx(knows, abs=1e-9)
    assert found_spams == pytest.approx(spams, abs=1e-9)


def few(seed: int) -> pl.DataFrame:
    """60 documents, 9 workers of whom 5 spam with habits of their own, 3 ratings a document, names in no order."""
    rng = np.random.default_rng(seed)
    names = rng.permutation([f"w{i}" for i in range(9)])
    rows = []
    for doc in range(60):
        truth = rng.integers(0, 4)
        for who in rng.choice(9, 3, replace=False):
            said = truth if who < 4 and rng.random() < 0.8 else min(3, int(rng.geometric(0.3 + 0.05 * who)) - 1)
            rows.append((str(doc % 3), f"d{doc}", names[who], float(said)))
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    return frame.sample(fraction=1.0, shuffle=True, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["mace", "dawid-skene", "glad"])
def test_the_order_of_rows_changes_nothing(rule: str) -> None:
    """Guards every fit: ratings in another order, and so assessors and labels met in another, give the same gains."""
    if rule == "glad":
        pytest.importorskip("crowdkit.aggregation", exc_type=ImportError)
    for seed in range(3):
        frame = few(seed)
        gains = []
        for shuffled in (frame, frame.reverse(), frame.sample(fraction=1.0, shuffle=True, seed=seed + 10)):
            found = tg.aggregate(shuffled, f"{rule}(n_iter=1000)")
            keys = zip(found.topic.strings(), found.docs.strings(), strict=True)
            gains.append(dict(zip(keys, found.label.tolist(), strict=True)))
        assert gains[0] == gains[1] == gains[2]


def test_votes_are_sorted_by_name() -> None:
    """Guards the one order: items by topic, document and subtopic, assessors and labels sorted, weights alongside."""
    frame = pl.DataFrame(
        {"topic": ["2", "1", "1", "2"], "doc": ["a", "b", "b", "a"], "subtopic": ["y", "x", "x", "x"],
         "assessor": ["v", "v", "u", "u"], "label": [7.0, 2.0, 5.0, 2.0]}
    )  # fmt: skip
    votes = Votes.of(Grouped.of(tg.read_ratings(frame), np.array([1.0, 2.0, 3.0, 4.0])))
    assert votes.item.tolist() == [0, 0, 1, 2]
    assert votes.assessor.tolist() == [0, 1, 0, 1]
    assert votes.label.tolist() == [1, 0, 0, 2]
    assert votes.weight.tolist() == [3.0, 2.0, 4.0, 1.0]
    assert (votes.levels.tolist(), votes.items, votes.assessors) == ([2.0, 5.0, 7.0], 3, 2)


def factions(seed: int) -> Votes:
    """Three workers who agree, and three others who agree on something else: whom to believe has two answers."""
    rng = np.random.default_rng(seed)
    said = [rng.integers(0, 2, 40) for _ in range(2)]
    slips = rng.random((6, 40)) < 0.02
    label = np.array([said[w // 3][i] ^ slips[w, i] for i in range(40) for w in range(6)], np.int64)
    item, who = np.repeat(np.arange(40), 6), np.tile(np.arange(6), 40)
    return Votes(item, who, label, np.ones(240), np.array([0.0, 1.0]), 40, 6)


def test_the_best_of_the_starts_counts_and_is_told() -> None:
    """Guards several tops: the likelihood of the answer is the highest of all starts, not that of the first."""
    for seed in range(2):
        votes = factions(seed)
        ends = [mace_climbed(votes, start, 500) for start in starts(votes, 10, 0)]
        tops = np.array([end.likelihood for end in ends])
        share, progress = Mace().chances(votes)
        assert share == pytest.approx(ends[int(tops.argmax())].share, abs=0.01)  # from there it settles
        reach = int((tops.max() - tops < 0.1).sum())
        assert 1 < reach < 10
        assert str(progress).endswith(f" steps, the best of 10 starts, {reach} of which reached it")
        assert (tops.max() - tops[0] > 0.1) == (seed == 1)  # here the first start is not the best
    assert str(Mace(starts=1).chances(votes)[1]).endswith(" steps")


def test_starts_are_alike_first_then_random() -> None:
    """Guards where fits begin: one start without regard of names, the others shares that the seed decides."""
    votes, *_ = kept()
    one, two, three = starts(votes, 3, 5)
    assert one.knows.tolist() == [[0.5, 0.5]] * ASSESSORS
    assert one.habit == pytest.approx(np.full((ASSESSORS, LEVELS), 1 / 3))
    for state in (two, three):
        for part in state:
            assert part.sum(axis=1) == pytest.approx(1)
            assert part.max() / part.min() < 2.5**2
            assert len(np.unique(part)) == part.size
    assert not np.array_equal(two.knows, three.knows)
    assert np.array_equal(starts(votes, 2, 5)[1].habit, two.habit)
    assert not np.array_equal(starts(votes, 2, 6)[1].habit, two.habit)


def test_a_weight_of_two_is_a_rating_given_twice() -> None:
    """Guards weights: those of all ratings doubled are all people asked twice, saying the same."""
    votes, state, _ = kept()
    item, who, label = (np.tile(c, 2) for c in (votes.item, votes.assessor, votes.label))
    twice = Votes(item, who, label, np.tile(votes.weight, 2), votes.levels, ITEMS, ASSESSORS)
    doubled = replace(votes, weight=votes.weight * 2)
    one, two = mace_climbed(doubled, state, 20), mace_climbed(twice, state, 20)
    for a, b in zip((*one[:4], *one.counts), (*two[:4], *two.counts), strict=True):
        assert a == pytest.approx(b)
    table = tg.read_ratings(few(1))
    with pytest.warns(tg.DataWarning, match="1 of 60 items get no label"):
        alone = tg.aggregate(table, "mace", weights=(np.array(table.docs.strings()) != "d7").astype(float))
    assert len(alone) == 59  # a document whose ratings do not count has no gain


def test_it_sees_who_guesses() -> None:
    """Guards MACE end to end, without crowd-kit: where most workers guess it beats the majority clearly."""
    frame, truth = crowd()
    told: list[str] = []
    gains = tg.aggregate(frame, "mace", report=told)
    assert accuracy(gains, truth) > accuracy(tg.aggregate(frame, "majority"), truth) + 0.05
    assert ((gains.label >= 0) & (gains.label <= 1)).all()
    assert told[0].startswith("the rule mace converged after ")
    label = tg.aggregate(frame, "mace(take=label)")
    assert ((gains.label > 0.5) == (label.label == 1)).all()


def test_how_a_fit_ended() -> None:
    """Guards what a fit says of itself: settled with its steps, or not, and the change of the last step."""
    ratings = Grouped.of(tg.read_ratings(crowd()[0]))
    _, ended = Mace().fitted(ratings)
    assert ended.converged
    assert ended.change is not None
    assert ended.change < 1e-8
    assert ended.steps < 500
    _, cut = Mace(n_iter=2).fitted(ratings)
    assert (cut.converged, cut.steps) == (False, 2)
    with pytest.warns(tg.DataWarning, match="had not converged after 2 steps"):
        tg.aggregate(crowd()[0], "mace(n_iter=2)")


def test_more_steps_change_nothing() -> None:
    """Guards the end of the fit: 1,000 steps more move no chance by 1e-4; that of the likelihood came too early."""
    moved = []
    for seed in range(6):
        rng = np.random.default_rng([19, seed])
        item, who = np.repeat(np.arange(40), 3), np.concatenate([rng.choice(9, 3, replace=False) for _ in range(40)])
        label = np.where(rng.random(120) < 0.6, (item * 7) % 4, rng.integers(0, 4, 120))
        votes = Votes(item, who, label, np.ones(120), np.arange(4.0), 40, 9)
        end = mace_climbed(votes, starts(votes, 1, 0)[0], 10_000)
        share, steps, trail = settled(votes, end, 1e-4, 10_000)
        assert trail.settled
        far = settled(votes, end, 1e-30, steps + 1000)[0]
        assert np.abs(far - share).max() < 1e-4
        moved.append(np.abs(far - end.share).max())
    assert max(moved) > 1e-3


def test_what_does_not_fit_is_told() -> None:
    """Guards constant ratings, too many labels, and parameters that make no sense."""
    table = tg.read_ratings(crowd(5)[0])
    with pytest.raises(tg.TruegainError, match="nothing to fit"):
        tg.aggregate(table.frame().with_columns(pl.lit(1.0).alias("label")), "mace")
    many = pl.DataFrame({"topic": "1", "doc": [f"d{i}" for i in range(200)], "assessor": "x", "label": range(200)})
    with pytest.raises(tg.TruegainError, match="use the rule median"):
        tg.aggregate(many, "mace")
    with pytest.raises(tg.TruegainError, match="starts 0 must be at least 1"):
        tg.aggregate(table, "mace(starts=0)")


Array = npt.NDArray[np.float64]


NAMES = ["topic", "doc", "assessor", "label"]


def rated(rows: list[tuple[str, str, str, float]]) -> Judgments:
    """Ratings: topic, document, assessor, label."""
    return tg.read_ratings(pl.DataFrame(rows, schema=NAMES, orient="row"))


def said_by(people: int = 5, items: int = 12, seed: int = 1) -> Judgments:
    """Grades 0 to 2 by people who mostly agree, the last of whom says 1 throughout."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, items)
    rows = []
    for a in range(people):
        for i, t in enumerate(truth):
            right = rng.random() < 0.8
            label = 1 if a == people - 1 else t if right else rng.integers(0, 3)
            rows.append(("1", f"d{i:02}", f"a{a}", float(label)))
    return rated(rows)


def test_random_starts_of_a_fit() -> None:
    """Guards the authors' starts: uniform from 1 to 2.5, made shares, first of knowing and then of labels."""
    votes = Votes.of(Grouped.of(said_by()))
    found = starts(votes, 3, 4)
    rng = np.random.default_rng(np.random.SeedSequence(4))
    assert [len(found), found[0].knows.tolist()] == [3, [[0.5, 0.5]] * 5]
    assert found[0].habit == pytest.approx(np.full((5, 3), 1 / 3))
    for state in found[1:]:
        for part, wide in ((state.knows, 2), (state.habit, 3)):
            drawn = rng.uniform(1, 2.5, (5, wide))
            assert part == pytest.approx(drawn / drawn.sum(axis=1)[:, None])


@pytest.mark.parametrize(("below", "reach"), [(0.9e-4, 3), (1.03e-4, 2), (0.6e-4, 3)])
def test_which_starts_came_to_one_top(below: float, reach: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards 1e-4 a rating: starts so near the best likelihood came to it, the best itself counts."""
    table = said_by()
    ends = iter([-9.0, -3.0, -3.0 - below * 60, -3.0 - 0.1e-4 * 60])
    chances = {-9.0: 0, -3.0: 1}

    def end(votes: Votes, *_: object) -> End:
        top = next(ends)
        share = np.zeros((votes.items, 3))
        share[:, chances.get(top, 2)] = 1
        return End(share, top, 7, 0.99e-5, (np.zeros(0), np.zeros(0)))

    def calm(_: object, end: End, *__: object) -> tuple[Array, int, Trail]:
        return end.share, 9, Trail(1e-4, [0.0] * 6)

    monkeypatch.setattr(mace_module, "mace_climbed", end)
    monkeypatch.setattr(mace_module, "settled", calm)
    gain, progress = Mace(starts=4).fitted(Grouped.of(table))
    assert gain.tolist() == [1.0] * 12  # of the second start, the best
    assert str(progress) == f"converged after 9 steps, the best of 4 starts, {reach} of which reached it"


def test_one_start_is_not_the_best_of_several_and_steps_are_counted() -> None:
    """Guards what one start tells; a step changes the likelihood by 1e-7 a rating, then chances settle."""
    table = said_by()
    votes = Votes.of(Grouped.of(table))
    start = starts(votes, 1, 0)[0]
    top = mace_climbed(votes, start, 500)
    assert top.change < 1e-7
    assert mace_climbed(votes, start, top.steps - 1).change >= 1e-7
    assert mace_climbed(votes, start, top.steps - 1).steps == top.steps - 1
    steps = settled(votes, top, 1e-4, 500)[1]
    assert steps >= top.steps + 6
    assert not settled(votes, top, 1e-4, steps - 1)[2].settled
    assert str(Mace(starts=1).fitted(Grouped.of(table))[1]) == f"converged after {steps} steps"
    one, two = (mace_climbed(votes, start, n)[1] for n in (2, 3))
    assert mace_climbed(votes, start, 3)[3] == pytest.approx(abs(two - one) / 60)


def ratings(items: list[list[float]]) -> Judgments:
    """Documents d0, d1, ..., each rated so."""
    rows = [("1", f"d{i}", f"a{k}", float(v)) for i, item in enumerate(items) for k, v in enumerate(item)]
    return tg.read_ratings(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row"))


def test_a_start_ends_near_its_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards when a start of MACE stops: after the first step that changes less than that, to a part in a thousand."""
    rng = np.random.default_rng(3)
    said = np.where(rng.random((30, 5)) < 0.7, rng.integers(0, 3, (30, 1)), rng.integers(0, 3, (30, 5)))
    votes = Votes.of(Grouped.of(ratings(said.astype(float).tolist())))
    start = starts(votes, 1, 0)[0]
    change = mace_climbed(votes, start, 4)[3]
    assert change < min(mace_climbed(votes, start, steps)[3] for steps in (1, 2, 3))
    for factor, steps in ((1.001, 4), (0.999, 5)):
        monkeypatch.setattr(mace_module, "NEAR_TOP", change * factor)
        assert mace_climbed(votes, start, 500)[2] == steps
