"""Sums that gold comparisons correct: unbiased, exact where all is gold, and moves against brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from truegain.preferences.estimators import ByPreferences, estimator_of
from truegain.preferences.fit import PairCells
from truegain.preferences.gold import corrected_cells, correlation_of, expected_width, without_judge
from truegain.preferences.measures import BradleyTerry, Davidson, HalfWins, PreferenceMeasure, WinRate
from truegain.preferences.plan import measured_plan
from truegain.stats.contrasts import Contrasts

Array = npt.NDArray[np.float64]
SYSTEMS = ("w", "x", "y", "z")
PAIRS = len(SYSTEMS) * (len(SYSTEMS) - 1) // 2


def cells(wins: Array) -> PairCells:
    """Cells of a matrix of half-wins."""
    return PairCells.of_matrices(SYSTEMS, [f"t{t}" for t in range(len(wins))], wins)


def corrected(judge: Array, gold: Array, measure: PreferenceMeasure, tuned: bool = True) -> ByPreferences:
    """Scores by a measure, corrected by gold."""
    found, about = corrected_cells(cells(judge), cells(gold), tuned=tuned)
    return estimator_of(found, measure, about)


def world(seed: int, topics: int = 24, share: float = 0.4) -> tuple[Array, Array, Array]:
    """Half-wins of the judge and of people, and of those drawn as gold."""
    rng = np.random.default_rng(seed)
    people = rng.choice([0.0, 0.5, 1.0], p=[0.35, 0.15, 0.5], size=(topics, PAIRS))
    judge = np.where(rng.random(people.shape) < 0.3, rng.choice([0.0, 0.5, 1.0], size=people.shape), people)
    return judge, people, np.where(rng.random(people.shape) < share, people, np.nan)


def test_rectified_sums_are_those_of_the_formula() -> None:
    """Guards the estimator: l + G/pi (h - l), pi the share of gold of the pair; tuned, about 1/2 with a slope."""
    judge, _, gold = world(1)
    found, about = corrected_cells(cells(judge), cells(gold), tuned=False)
    drawn = ~np.isnan(gold)
    pi = drawn.mean(axis=0)
    by_hand = (judge + np.where(drawn, np.nan_to_num(gold) - judge, 0.0) / pi).sum(axis=0)
    assert np.abs(found.sums()[1] - by_hand).max() < 1e-12
    assert (about.slope, about.share) == (1.0, drawn.mean())
    found, about = corrected_cells(cells(judge), cells(gold))
    assert 0 < about.slope < 1
    worth = 0.5 + about.slope * (judge - 0.5)
    by_hand = (worth + np.where(drawn, np.nan_to_num(gold) - worth, 0.0) / pi).sum(axis=0)
    assert np.abs(found.sums()[1] - by_hand).max() < 1e-12
    untied = drawn & (judge != 0.5) & (gold != 0.5)
    assert about.agreement == pytest.approx(((judge > 0.5) == (np.nan_to_num(gold) > 0.5))[untied].mean())


def test_all_gold_is_what_people_say() -> None:
    """Guards the end of the road: with every comparison gold the judge has no part, and gold no variance."""
    judge, people, _ = world(2)
    for measure in (HalfWins(), BradleyTerry(), Davidson()):
        found = corrected(judge, people, measure)
        alone = estimator_of(cells(people), measure)
        assert np.abs(found.value - alone.value).max() < 1e-9
        assert found.label_facts.exact
        assert np.abs(found.over_gold(Contrasts.scores(4)).value).max() < 1e-15  # type: ignore[union-attr]


@pytest.mark.parametrize("tuned", [False, True])
def test_leaving_topics_out_is_exact(tuned: bool) -> None:
    """Guards the jackknife of corrected half-wins: shares and mean errors are computed again without each topic."""
    judge, _, gold = world(3)
    found, about = corrected_cells(cells(judge), cells(gold), tuned=tuned)
    without = estimator_of(found, HalfWins(), about).without
    assert about.by_pair
    for t in range(len(judge)):
        kept = np.arange(len(judge)) != t
        worth = 0.5 + about.slope * (judge[kept] - 0.5)
        error = np.nanmean(gold[kept] - worth, axis=0)
        by_pair = worth.mean(axis=0) + error
        by_hand, k = np.zeros(4), 0
        for a in range(4):
            for b in range(a + 1, 4):
                by_hand[a], by_hand[b], k = by_hand[a] + by_pair[k] / 3, by_hand[b] + (1 - by_pair[k]) / 3, k + 1
        assert np.abs(without[t] - by_hand).max() < 1e-12


def test_bradley_terry_without_each_topic_by_brute_force() -> None:
    """Guards the moves of corrected strengths: near those of fits of sums that were corrected again."""
    judge, _, gold = world(4, topics=40)
    found, about = corrected_cells(cells(judge), cells(gold), tuned=False)
    estimator = estimator_of(found, BradleyTerry(), about)
    again = []
    for t in range(len(judge)):
        kept = np.arange(len(judge)) != t
        again.append(corrected(judge[kept], gold[kept], BradleyTerry(), tuned=False).value)
    far = np.abs(np.array(again) - estimator.value).max()
    assert np.abs(estimator.without - np.array(again)).max() < 0.1 * far


@pytest.mark.parametrize("measure", [HalfWins(), pytest.param(WinRate(), marks=pytest.mark.slow)])
def test_variance_over_gold_is_that_of_other_draws(measure: HalfWins | WinRate) -> None:
    """Guards the share of gold: with topics fixed, the spread over draws of the gold comparisons, and no bias."""
    judge, people, _ = world(5, topics=30)
    rng, told, values = np.random.default_rng(6), [], []
    scores = Contrasts.scores(4)
    for _ in range(150):
        order = np.argsort(rng.random(people.shape), axis=0) < 12  # of each pair
        found, about = corrected_cells(cells(judge), cells(np.where(order, people, np.nan)), tuned=False)
        estimator = estimator_of(found, measure, about)
        values.append(estimator.value)
        variance = estimator.over_gold(scores)
        assert variance is not None
        told.append(variance.value)
    true = estimator_of(cells(people), measure).value
    spread = np.var(values, axis=0, ddof=1)
    assert (np.abs(np.mean(values, axis=0) - true) < 4 * np.sqrt(spread / 150)).all()
    assert (np.abs(np.mean(told, axis=0) / spread - 1) < 0.35).all()


def test_pairs_with_little_gold_share_one_rate() -> None:
    """Guards pairs without gold of their own: one share for all pairs, so that no sum stays uncorrected."""
    judge, _, gold = world(7)
    gold[:, 0] = np.nan
    found, about = corrected_cells(cells(judge), cells(gold), tuned=False)
    assert not about.by_pair
    share = (~np.isnan(gold)).mean()
    by_hand = (judge + np.where(np.isnan(gold), 0.0, np.nan_to_num(gold) - judge) / share).sum(axis=0)
    assert np.abs(found.sums()[1] - by_hand).max() < 1e-12


def test_without_a_judge_gold_is_alone() -> None:
    """Guards the width that a judge is held against: means of the gold comparisons by pair."""
    judge, _, gold = world(8)
    found, about = corrected_cells(without_judge(cells(judge)), cells(gold))
    assert np.abs(found.sums()[1] / len(judge) - np.nanmean(gold, axis=0)).max() < 1e-12
    assert about.slope == 0.0


def test_what_a_judge_will_bring() -> None:
    """Guards the plan that is made before anyone buys: what 78% agreement narrows."""
    narrower = [1 - expected_width(correlation_of(0.78, ties=0.2), share) for share in (0.1, 0.25, 0.5)]
    assert [round(x, 2) for x in narrower] == [0.12, 0.10, 0.06]
    assert expected_width(1.0, 0.25) == 0.5
    assert expected_width(0.0, 0.25) == 1.0


@pytest.mark.parametrize(("by_judge", "by_people"), [(0.0, 0.0), (0.2, 0.0), (0.0, 0.3), (0.15, 0.25)])
def test_the_correlation_is_that_of_simulated_votes(by_judge: float, by_people: float) -> None:
    """Guards the formula from agreement: ties of one side, or of each by itself, against a million votes."""
    rng, size, agreement = np.random.default_rng(11), 1_000_000, 0.78
    people = rng.integers(0, 2, size).astype(np.float64)
    judge = np.where(rng.random(size) < agreement, people, 1 - people)
    judge[rng.random(size) < by_judge] = 0.5
    people[rng.random(size) < by_people] = 0.5
    ties = float(((judge == 0.5) | (people == 0.5)).mean())
    assert np.corrcoef(judge, people)[0, 1] == pytest.approx(correlation_of(agreement, ties), abs=0.004)


def test_gold_that_is_all_ties_shows_no_agreement() -> None:
    """Guards the plan of a pilot: no share of no comparison."""
    judge, _, gold = world(10)
    about = corrected_cells(cells(judge), cells(np.where(np.isnan(gold), np.nan, 0.5)))[1]
    title = str(measured_plan(about).title)
    assert title.startswith(f"In each of {len(about.rows)} gold comparisons the judge or people call a tie")
    assert "nan" not in title


def test_gold_by_whole_topics_has_topics_as_units() -> None:
    """Guards another design: gold drawn by topics moves scores topic by topic."""
    judge, people, _ = world(9)
    gold = people.copy()
    gold[6:] = np.nan
    found, about = corrected_cells(cells(judge), cells(gold), whole=True)
    estimator = estimator_of(found, HalfWins(), about)
    assert estimator.label_facts.counts == (6, 24)
    moves = estimator.by_gold()
    assert moves is not None
    assert list(moves.units) == [f"t{t}" for t in range(6)]
    single = estimator_of(found, HalfWins(), replace(about, whole=False)).by_gold()
    assert single is not None
    assert np.abs(moves.matrix.sum(axis=0) - single.matrix.sum(axis=0)).max() < 1e-12
