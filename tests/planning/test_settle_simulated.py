"""The benchmark of `settle` plays one game to the end of a list; `Study.settle` must stop where it says."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from benchmarks.settle import __main__ as command
from benchmarks.settle import ways
from benchmarks.settle.figure import rows_of
from benchmarks.settle.forecast import order_of
from benchmarks.settle.tables import ALL, BEFORE, BOTH, CHANCES, LEARNING, ORACLE, SETTLE, studies
from benchmarks.settle.worlds import WORLDS, Case, Own, World

from truegain.planning.settle import Settling
from truegain.stats.betting import Betting, DrawnUnits

SAID = {"better": 1, "worse": -1, "not-better": 0, "undecided": 0, "out-of-reach": 0}
SMALL = 12  # topics


def both_roads(own: Own, seed: int, population: str) -> tuple[ways.Answer, ways.Answer, str]:
    """The fast answer, that of `Study.settle`, and its status."""
    case = own.draw(np.random.default_rng([17, seed]))
    study = case.study()
    order = order_of(Settling(study, "prod", ["new"], population=population, seed=seed))
    fast = (ways.settled if population == "fixed" else ways.settled_topics)(case, order)
    found = study.settle(lambda _, doc: case.label(doc), baseline="prod", candidate="new", population=population,
                         seed=seed)  # fmt: skip
    gave_up = found.status == "out-of-reach" and found.labels < len(order)
    return fast, ways.Answer(found.labels, SAID[found.status], gave_up), found.status


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "population"),
    [
        (Own(topics=SMALL, effect=0.5), "fixed"),
        (Own(topics=SMALL, effect=0.5, right=0.5), "fixed"),
        (Own(topics=SMALL, effect=0.5, cannot=0.1), "fixed"),
        (Own(topics=SMALL, exactly=0.4), "topics"),
        (Own(topics=SMALL, exactly=0.0), "topics"),
    ],
    ids=["leans", "coin", "cannot", "topics differ", "topics alike"],
)
def test_settle_stops_where_one_game_says(own: Own, population: str) -> None:
    """Independent roads: limits by halving after each label, and the first label at which 0 is ruled out."""
    for seed in range(3):
        fast, found, _ = both_roads(own, seed, population)
        assert fast == found, seed


@pytest.mark.slow
def test_a_tie_is_not_better_when_all_is_labeled() -> None:
    """The last digit of a sum decides nothing."""
    ended = [both_roads(Own(topics=SMALL, effect=0.0, apart=0), seed, "fixed") for seed in range(4)]
    whole = [(fast, found, status) for fast, found, status in ended if found.said == 0]
    assert len(whole) >= 3
    assert {status for _, _, status in whole} == {"not-better"}
    assert all(fast == found for fast, found, _ in ended)


def test_a_total_of_0_has_limits_of_0() -> None:
    """0.1 + 0.2 - 0.3 is not 0 in floating point."""
    weight = np.array([[0.1, 0.2, -0.3]])
    units = DrawnUnits(weight, np.abs(weight[0]), np.zeros(3), np.zeros(3, np.int64))
    low, high = Betting(units, [1.0, 1.0, 1.0]).limits(0.05)
    assert weight.sum() != 0
    assert (low.tolist(), high.tolist()) == ([0.0], [0.0])


def test_worlds_are_as_they_say() -> None:
    """Ties are ties, about 500 pairs differ, the judge is right as often as told, topics' truth is half of d."""
    by_name = {w.name: w for w in WORLDS}
    rng = np.random.default_rng(3)
    draws = {name: [by_name[name].draw(rng) for _ in range(20)] for name in ("coin", "good", "tie", "near-tie")}
    assert {c.truth for c in draws["tie"]} == {0.0}
    assert {abs(c.truth) for c in draws["near-tie"]} == {0.002}
    assert 480 < np.mean([c.pairs for c in draws["coin"]]) < 520
    right = {n: np.mean([(c.known.stratum == c.known.gold).mean() for c in cases]) for n, cases in draws.items()}
    assert right["coin"] == pytest.approx(0.5, abs=0.02)
    assert right["good"] == pytest.approx(0.95, abs=0.01)
    some = [Own(exactly=0.2).draw(rng) for _ in range(60)]
    assert {c.truth for c in some} == {0.1}
    seen = [float(c.weight @ c.known.gold) for c in some]
    assert np.mean(seen) == pytest.approx(0.1, abs=4 * np.std(seen) / np.sqrt(len(seen)))


def test_chances_are_those_of_the_labels() -> None:
    """Of documents with a chance of about c, a share of about c is relevant, whatever the judge says and of whom."""
    cases = [Own().draw(np.random.default_rng(seed)) for seed in range(60)]
    chance, gold, bronze, weight = (
        np.concatenate(x)
        for x in zip(*((c.chance, c.known.gold, c.known.stratum, c.weight) for c in cases), strict=True)
    )
    for of in (chance < 0.2, (chance > 0.4) & (chance < 0.6), chance > 0.8, (bronze == 1) & (weight > 0),
               (bronze == 0) & (weight > 0), (bronze == 1) & (weight < 0), (bronze == 0) & (weight < 0)):  # fmt: skip
        sd = np.sqrt((chance * (1 - chance))[of].mean() / of.sum())
        assert gold[of].mean() == pytest.approx(chance[of].mean(), abs=4 * sd)


@pytest.mark.slow
def test_learned_sizes_are_a_fair_game() -> None:
    """Z has the total as its mean whatever was learned: over many draws of the rest its mean is the total."""
    case = Own(topics=4).draw(np.random.default_rng(5))
    order = ways.order_of(case, np.random.default_rng(6))
    units = DrawnUnits(case.weight[None, order], np.abs(case.weight[order]), case.known.stratum[order].astype(float),
                       case.known.topic[order])  # fmt: skip
    z = []
    for draw in range(1000):
        game = ways.Learning(units, order=order)
        for _ in range(10):
            game.add(float(case.known.gold[game.order[len(game)]]))
        game.redraw(np.random.default_rng(draw))
        game.add(float(case.known.gold[game.order[10]]))
        z.append(float(game.estimates[-1][0]))
    assert np.mean(z) == pytest.approx(float(case.weight @ case.known.gold), abs=4 * np.std(z) / np.sqrt(len(z)))


@pytest.mark.slow
def test_the_command_prints_tables(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A small run, from the command line."""
    monkeypatch.setattr(sys, "argv", ["settle", "--studies", "3", "--world", "good"])
    command.main()
    told = capsys.readouterr().out
    assert "| settle |" in told
    assert "Forecasts" in told
    assert "seed 20261118" in told


@pytest.mark.slow
def test_answers_and_rows_of_the_figure() -> None:
    """Each way answers each study; a point has the median of its studies."""
    small = World("leans", "small", Own(topics=SMALL, effect=0.3).draw)
    found = studies(small, 12, 1)
    assert {len(answers) for answers in found.answers.values()} == {12}
    assert {SETTLE, LEARNING, ORACLE, CHANCES, BOTH, BEFORE} <= set(found.answers)
    assert all(1 <= a.labels <= n for a, n in zip(found.answers[SETTLE], found.pairs, strict=True))
    assert ALL in "\n".join(found.table())
    found.truth[:] = [0.05] * 12
    row = next(r for r in rows_of(found) if r["way"] == "settle")
    assert row["labels"] == np.median([a.labels for a in found.answers[SETTLE]])


@pytest.mark.slow
def test_the_judge_alone_is_a_paired_t_test() -> None:
    """Against scipy's."""
    stats = pytest.importorskip("scipy.stats")
    for seed in range(6):
        case: Case = Own(effect=0.3).draw(np.random.default_rng(seed))
        p = stats.ttest_1samp(case.by_judge, 0).pvalue
        assert ways.judge_alone(case).said == (np.sign(case.by_judge.mean()) if p < 0.05 else 0)
