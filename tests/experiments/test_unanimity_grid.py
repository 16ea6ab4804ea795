"""The grid of simulated assessors: what each cell is, and what it must come to."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from truegain.cli.app import main
from truegain.data.pool import Pool
from truegain.experiments.unanimity_gains import ASSESSORS, HIGHEST, cell_seed, unanimity, unanimity_grid
from truegain.experiments.worlds import World, simulate, uniform_ratings


@pytest.fixture(scope="module")
def world() -> World:
    """Sixteen systems on 20 topics."""
    return simulate(topics=20, systems=16, docs=80, depth=30, pool_depth=20, seed=3)


def test_the_grid_is_the_papers() -> None:
    """Guards the cells: Dmax and N of section 4."""
    assert (HIGHEST, ASSESSORS) == ((2, 4, 8), (5, 10, 20, 40, 80))


def test_a_cell_is_the_experiment_on_its_ratings(world: World) -> None:
    """Guards every cell: the same numbers as `unanimity` on ratings drawn for it, whatever the other cells."""
    found = unanimity_grid(world.runs, world.gold, highest=[2, 4], assessors=[5, 10], replicates=200, seed=7)
    again = unanimity_grid(world.runs, world.gold, highest=[4], assessors=[10], replicates=200, seed=7)
    ratings = uniform_ratings(world.gold, assessors=10, highest=4, seed=cell_seed(7, 4, 10))
    alone = unanimity(ratings, world.runs, scale="0:4", ps=[0.2], replicates=200, most_replicates=200, seed=7)
    wanted = [(row[0], *row[2:]) for row in alone.rankings.rows]
    for grid in (found, again):
        cell = [(row[0], *row[3:]) for row in grid.rankings.rows if row[1:3] == (4, 10)]
        assert cell == wanted
    pairs = [(row[0], *row[2:]) for row in alone.changed.rows]
    assert [(row[0], *row[3:]) for row in found.changed.rows if row[1:3] == (4, 10)] == pairs
    assert [row[:3] for row in found.rankings.rows][:4] == [("nG@1", d, n) for d in (2, 4) for n in (5, 10)]


def test_many_assessors_leave_nothing_to_unanimity(world: World) -> None:
    """Guards the sense of it, as in table 2: where 0 and Dmax both occur D is Dmax, UG is RawG and tau 1.

    Of 80 uniform ratings from 0 to 2, all but a chance of 2 (2/3)^80 have both.
    """
    found = unanimity_grid(
        world.runs, world.gold, highest=[2], assessors=[3, 80], replicates=100, measures=["nG@1", "P+"]
    )
    taus = {(r["measure"], r["N"]): r["tau"] for r in found.rankings.records()}
    assert taus["nG@1", 80] == taus["P+", 80] == 1
    assert min(float(str(taus[m, 3])) for m in ("nG@1", "P+")) < 1
    assert all(r["changed"] == 0 for r in found.rankings.records() if r["N"] == 80)


def test_simulated_ratings_are_uniform() -> None:
    """Guards section 4: 0 stays 0 for all, every rating from 0 to Dmax comes equally often."""
    labels = {str(t): {f"d{i}": i % 3 for i in range(300)} for t in range(3)}
    drawn = uniform_ratings(labels, assessors=20, highest=4, seed=1)
    pool = Pool.of(tg.Judgments.of(labels))
    relevant = np.repeat(pool.labels > 0, 20)
    assert not drawn.label[~relevant].any()
    share = np.bincount(drawn.label[relevant].astype(int), minlength=5) / relevant.sum()
    assert np.abs(share - 0.2).max() < 4 * np.sqrt(0.16 / relevant.sum())


@pytest.mark.slow
def test_the_command(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards `experiment unanimity-grid`: the paper's table for people, long rows for programs, a figure, mistakes."""
    monkeypatch.chdir(tmp_path)
    tg.write_judgments(world.gold, "gold.qrels")
    tg.write_runs(world.runs, "runs/")
    words = [
        "truegain",
        "experiment",
        "unanimity-grid",
        "gold.qrels",
        "runs",
        "--dmax",
        "2",
        "--simulated-assessors",
        "5,10",
        "-m",
        "nG@1",
        "--resamples",
        "100",
    ]

    def run(*more: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", [*words, *more])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    code, out, _ = run("--figure", "f.svg")
    assert code == 0
    assert out.splitlines()[2].split("  ")[-1].strip() == "N = 10"
    assert "Pairs significant by one gain only" in out
    assert Path("f.svg").read_text().startswith("<svg")
    code, out, _ = run("--format", "csv")
    assert out.splitlines()[0] == (
        "measure,Dmax,N,systems,topics,tau,low,high,HW_low,HW_high,top_sets,tested,pairs,changed"
    )
    assert run("--dmax", "two")[0] == 2
    words[words.index("5,10")] = "5,0"
    code, _, err = run()
    assert (code, "--simulated-assessors 5,0: give whole numbers of at least 1" in err) == (2, True), err
