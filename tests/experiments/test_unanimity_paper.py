"""Sakai 2017 held against what it prints: the intervals of table 2, the effect sizes of table 3, and its design."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import truegain as tg
from truegain.experiments.unanimity_gains import MEASURES, TeamRuns, unanimity, unanimity_grid
from truegain.experiments.worlds import World, simulate, uniform_ratings
from truegain.io.columns import Floats
from truegain.stats.rank_correlation import tau_interval
from truegain.stats.student_t import studentized_range_sf

RUNS, TEAMS, TOPICS = 44, 16, 100

# Table 2: a row a measure and Dmax (2, 4, 8), a column an N (5, 10, 20, 40, 80).
TABLE_2 = """
.987 [.968, 1.007] | .989 [.970, 1.007] | 1 [.995, 1.005] | 1 [.995, 1.005] | 1 [.995, 1.005]
.992 [.976, 1.005] | .983 [.962, 1.004] | .996 [.985, 1.006] | 1 [.995, 1.005] | 1 [.995, 1.005]
.985 [.968, 1.003] | .985 [.963, 1.008] | .998 [.994, 1.005] | .992 [.978, 1.008] | 1 [.995, 1.005]
.985 [.964, 1.006] | .994 [.982, 1.005] | .998 [.991, 1.005] | 1 [1, 1] | 1 [1, 1]
.983 [.965, 1.002] | .992 [.977, 1.005] | .998 [.994, 1.004] | 1 [.997, 1.003] | 1 [.997, 1.003]
.989 [.972, 1.007] | .992 [.981, 1.005] | .994 [.982, 1.005] | .996 [.986, 1.006] | 1 [1, 1]
.996 [.985, 1.005] | .994 [.982, 1.005] | 1 [1, 1] | 1 [1, 1] | 1 [1, 1]
.996 [.986, 1.006] | .994 [.982, 1.005] | .998 [.990, 1.005] | 1 [1, 1] | 1 [1, 1]
.989 [.977, 1.005] | .992 [.978, 1.005] | .998 [.991, 1.005] | .998 [.990, 1.005] | 1 [1, 1]
"""
# Table 3: measure, then p, |d| and ES_HSD by RawG and by UG.
TABLE_3 = """
nG@1 .064 .1373 1.808 .034 .1361 2.045
nG@1 .062 .1378 1.814 .029 .1377 2.069
nG@1 .064 .1375 1.811 .033 .1363 2.048
nG@1 .043 .1564 1.723 .057 .1452 1.756
nG@1 .051 .1622 1.629 .045 .1632 1.650
nG@1 .073 .1390 1.752 .038 .1418 1.953
nG@1 .048 .1481 1.797 .057 .1413 1.821
nG@1 .052 .1469 1.782 .049 .1434 1.848
nG@1 .054 .1466 1.779 .024 .1515 1.952
nG@1 .035 .1666 1.668 .055 .1568 1.653
P+ .037 .1272 2.340 .051 .1176 2.431
P+ .037 .1273 2.342 .059 .1150 2.377
P+ .047 .1311 2.251 .070 .1207 2.242
P+ .049 .1330 2.193 .053 .1319 2.188
P+ .048 .1240 2.332 .068 .1146 2.343
P+ .076 .1186 2.230 .047 .1197 2.447
P+ .082 .1181 2.196 .045 .1210 2.400
P+ .032 .1363 2.298 .086 .1223 2.159
P+ .035 .1357 2.288 .057 .1272 2.245
nERR .045 .1347 2.208 .052 .1268 2.283
nERR .060 .1312 2.151 .046 .1280 2.375
nERR .046 .1380 2.157 .055 .1319 2.191
nERR .037 .1436 2.151 .052 .1369 2.139
nERR .042 .1531 2.005 .052 .1480 2.008
"""


def ranked(tied: int = 0, swapped: int = 0) -> tuple[Floats, Floats]:
    """Two rankings of 44 runs: so many pairs tied in both, and so many neighbors in opposite order."""
    x = np.arange(RUNS, dtype=float)
    for i in range(tied):
        x[2 * i] = x[2 * i + 1]
    y = x.copy()
    for i in range(20, 20 + 2 * swapped, 2):
        y[[i, i + 1]] = y[[i + 1, i]]
    return x, y


@pytest.mark.parametrize(
    ("tied", "swapped", "printed"),
    [
        (0, 0, "1 [1, 1]"),
        (1, 0, "1 [.997, 1.003]"),
        (3, 0, "1 [.995, 1.005]"),
        (0, 1, ".998 [.991, 1.005]"),
        (1, 1, ".998 [.990, 1.005]"),
        (0, 2, ".996 [.986, 1.006]"),
        (0, 3, ".994 [.982, 1.005]"),
        (0, 4, ".992 [.978, 1.005]"),
    ],
)
def test_table_2_has_hollander_and_wolfes_intervals(tied: int, swapped: int, printed: str) -> None:
    """Guards which interval is the paper's: rankings of 44 runs that differ in a few neighbors give its own cells.

    Cells of tau 1 that are wider than [1, 1] are those of equal rankings with ties, so the sentence below the table
    (rankings are not identical except where it prints [1, 1]) does not hold.
    """
    assert printed in TABLE_2
    answer = tau_interval(*ranked(tied, swapped), "hollander-wolfe")
    tau, low, high = (float(number) for number in re.findall(r"[\d.]+", printed))
    assert [answer.value, answer.low, answer.high] == pytest.approx([tau, low, high], abs=0.000501)


def test_effect_sizes_of_table_3_are_over_the_variance() -> None:
    """Guards the errata: with ES_HSD = |d|/V the printed p-values are possible, with |d|/sd none of them is.

    Tukey's q is |d| sqrt(100)/sd with sd = |d|/ES, or with sd = sqrt(|d|/ES).  The randomized test deals the systems'
    own differences too, so that its p is above that of the parametric one.
    """
    freedom = (TEAMS - 1) * (TOPICS - 1)
    times, q = [], []
    for line in TABLE_3.strip().split("\n"):
        numbers = [float(number) for number in line.split()[1:]]
        assert (numbers[0] < 0.05) != (numbers[3] < 0.05)
        for p, apart, size in (numbers[:3], numbers[3:]):
            by_sd, by_variance = studentized_range_sf(
                [apart * 10 / sd for sd in (apart / size, math.sqrt(apart / size))], TEAMS, freedom
            )
            assert by_sd < 1e-9
            times.append(by_variance / p)
            q.append(10 * math.sqrt(apart * size))
    assert [round(min(q), 1), round(max(q), 1)] == [4.9, 5.6]
    assert [round(min(times), 2), round(max(times), 2)] == [0.21, 0.58]


def test_the_first_10_are_evaluated() -> None:
    """Guards section 4: every measure looks at no more than the first 10."""
    assert MEASURES == ("nG@1", "P+@10", "nERR@10")


@pytest.fixture(scope="module")
def world() -> World:
    """Nine runs on 30 topics."""
    return simulate(topics=30, systems=9, docs=80, depth=30, pool_depth=20, seed=3)


OF = {f"system-{i}": f"team-{i % 4}" for i in range(1, 10)}


def test_rankings_are_of_all_runs_and_pairs_of_the_best_of_each_team(world: World) -> None:
    """Guards tables 2 and 3: tau as of all runs; p, |d|, ES and the listed pairs as of the best runs alone."""
    ratings = uniform_ratings(world.gold, assessors=3, highest=2, seed=2)
    how = {"scale": "0:2", "ps": [1.0], "replicates": 400, "most_replicates": 400, "alpha": 0.3}
    official = tg.evaluate(world.runs, world.gold, "nG@1")
    best = TeamRuns(world.runs, OF, official=world.gold)
    both, every = unanimity(ratings, best, **how), unanimity(ratings, world.runs, **how)  # type: ignore[arg-type]
    means = dict(zip(official.systems, official.summaries["nG@1"].tolist(), strict=True))
    chosen = [max((s for s in means if OF[s] == team), key=lambda s: means[s]) for team in sorted(set(OF.values()))]
    only = tg.Runs(tuple(run for run in tg.Runs.of(world.runs).parts if run.system in chosen))
    few = unanimity(ratings, only, **how)  # type: ignore[arg-type]
    assert both.changed.rows == few.changed.rows
    assert both.changed.rows  # the test would say nothing otherwise
    taus = [("tau", "low", "high", "HW low", "HW high"), ("top sets", "tested", "pairs", "changed")]
    for row, of_all, of_few in zip(*(e.rankings.records() for e in (both, every, few)), strict=True):
        assert (row["systems"], row["tested"], row["pairs"]) == (9, 4, 6)
        assert [row[c] for c in taus[0]] == [of_all[c] for c in taus[0]]
        assert [row[c] for c in taus[1]] == [of_few[c] for c in taus[1]]
    assert "tau is over all 9 runs; top sets and pairs are of the best run of each of 4 teams" in str(both)


def test_the_grid_chooses_by_the_judgments(world: World) -> None:
    """Guards the official choice: the judgments, not the simulated ratings, say which run of a team is best."""
    grid = unanimity_grid(world.runs, world.gold, highest=[2], assessors=[5], replicates=100)
    teams = unanimity_grid(TeamRuns(world.runs, OF), world.gold, highest=[2], assessors=[5], replicates=100)
    one, two = grid.rankings.records()[0], teams.rankings.records()[0]
    assert (two["pairs"], two["tau"], two["HW low"]) == (6, one["tau"], one["HW low"])
    shown = teams.wide().records()[0]["N = 5"]
    assert shown == f"{two['tau']:.3f} [{two['HW low']:.3f}, {two['HW high']:.3f}]"


def test_one_team_is_refused(world: World) -> None:
    """Guards the messages: one team has nothing to compare, a run without a team is named."""
    ratings = uniform_ratings(world.gold, assessors=3, highest=2, seed=2)
    for of, told in ((dict.fromkeys(OF, "A"), "all runs are of one team"), ({"system-1": "A"}, "team.*system-2")):
        with pytest.raises(tg.TruegainError, match=told):
            unanimity(ratings, TeamRuns(world.runs, of), scale="0:2", ps=[0.2], replicates=50)
