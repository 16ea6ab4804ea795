"""`truegain experiment unanimity` and the reading options of `experiment magnitudes` as a user runs them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from truegain.data.writing import write_judgments, write_runs
from truegain.errors import TruegainError
from truegain.experiments.unanimity_gains import Panel
from truegain.experiments.worlds import magnitude_ratings, simulate, uniform_ratings
from truegain.report.unanimity_paper import unanimity_chart


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated study on disk: ratings from 0 to 2 in two shapes, runs, magnitudes and experts."""
    folder = tmp_path_factory.mktemp("unanimity")
    world = simulate(topics=10, systems=5, docs=120, depth=50, pool_depth=20, seed=4)
    (folder / "runs").mkdir()
    write_runs(world.runs, folder / "runs")
    ratings = uniform_ratings(world.gold, assessors=3, highest=2, seed=1)
    write_judgments(ratings, folder / "ratings.csv")
    write_judgments(world.gold, folder / "gold.qrels")
    (folder / "teams.csv").write_text("run,team\n" + "".join(f"system-{i},team-{i % 3}\n" for i in range(1, 6)))
    wide = ratings.frame().pivot("assessor", index=["topic", "doc"], values="label")
    wide.with_columns(year=2001).rename({"topic": "query_no"}).write_csv(folder / "wide.csv")
    people = magnitude_ratings(topics=2, docs=14, workers=3, seed=1)
    write_judgments(people.ratings, folder / "magnitudes.csv")
    write_judgments(people.expert, folder / "expert.qrels")
    (folder / "magnitude-runs").mkdir()
    docs = list(zip(people.expert.topic.strings(), people.expert.docs.strings(), strict=True))
    lists = {f"r{s}": {t: {d: float((7 * i + 5 * s) % 11) for i, (of, d) in enumerate(docs) if of == t}
                       for t in people.expert.topic.values} for s in range(4)}  # fmt: skip
    write_runs(lists, folder / "magnitude-runs")
    return folder


QUICK = ("--resamples", "100", "-m", "nG@1", "--p", "0.2", "--format", "json")


def test_the_limits_come_from_the_ratings(run: Run, folder: Path) -> None:
    """Guards the command as the issue has it, without --scale: that of the limits in the data, which are told."""
    runs = sorted(str(p) for p in (folder / "runs").glob("*.run"))
    code, out, err = run("experiment", "unanimity", "ratings.csv", *runs, *QUICK)
    assert code == 0
    assert "not declared; assumed: 0 and 2 (the highest there is)" in err
    assert "as in --scale 0:3" in err
    for scale in ("0:2", "ordinal 0:2"):
        code, declared, err = run("experiment", "unanimity", "ratings.csv", *runs, *QUICK, "--scale", scale)
        assert code == 0
        assert "not declared" not in err
        assert json.loads(declared)["rows"] == json.loads(out)["rows"]
    code, out, err = run("experiment", "unanimity", "ratings.csv", *runs, *QUICK, "--scale", ":2")
    assert "the lowest rating is not declared; assumed: 0" in err
    assert json.loads(declared)["rows"] == json.loads(out)["rows"]


def test_ratings_below_0_and_none_above(run: Run, folder: Path) -> None:
    """Guards limits from the data where these hold no scale from 0: refused with the lines, or dropped."""
    lines = (folder / "ratings.csv").read_text().splitlines()
    at = lines[0].split(",").index("label")
    cells = lines[1].split(",")
    cells[at] = "-1"
    (folder / "below.csv").write_text("\n".join([lines[0], ",".join(cells), *lines[2:], ""]))
    code, _, err = run("experiment", "unanimity", "below.csv", "runs", *QUICK)
    assert code == 2
    assert "lie outside the scale 0:: -1 (line 2" in err
    code, _, err = run("experiment", "unanimity", "below.csv", "runs", *QUICK, "--out-of-range", "drop")
    assert code == 0
    assert "are dropped" in err
    (folder / "nothing.csv").write_text("topic,doc,assessor,label\n1,a,x,0\n1,a,y,0\n")
    code, _, err = run("experiment", "unanimity", "nothing.csv", "runs", *QUICK)
    assert code == 2
    assert "no rating is above 0" in err


def test_it_reads_ratings_as_every_command(run: Run, folder: Path) -> None:
    """Guards the options that its errors advise: a wide table with a column beside gives the answer of the long one."""
    code, wanted, _ = run("experiment", "unanimity", "ratings.csv", "runs", *QUICK, "--scale", "0:2")
    header = (folder / "wide.csv").read_text().splitlines()[0].split(",")
    who = ",".join(n for n in header if n not in ("query_no", "doc", "year"))
    how = ("--scale", "0:2", "--columns", "topic=query_no", "--assessors", who)
    code, out, _ = run("experiment", "unanimity", "wide.csv", "runs", *QUICK, *how)
    assert code == 0
    assert json.loads(out)["rows"] == json.loads(wanted)["rows"]


def test_magnitudes_read_ratings_as_every_command(run: Run, folder: Path) -> None:
    """Guards the options on `experiment magnitudes`: columns of other names give the answer of ours."""
    text = (folder / "magnitudes.csv").read_text()
    assert text.startswith("topic,")
    (folder / "other.csv").write_text(text.replace("topic,", "thema,", 1).replace(",assessor", ",who", 1))
    words = ("--expert", "expert.qrels", "--show", "combinations", "--format", "json")
    code, wanted, _ = run("experiment", "magnitudes", "magnitudes.csv", *words)
    assert code == 0
    code, _, err = run("experiment", "magnitudes", "other.csv", *words)
    assert code == 2
    assert "--columns" in err
    code, out, _ = run("experiment", "magnitudes", "other.csv", *words, "--columns", "topic=thema,assessor=who")
    assert code == 0
    assert json.loads(out)["rows"] == json.loads(wanted)["rows"]


def test_magnitudes_tell_what_a_table_does_not_heed(run: Run, folder: Path) -> None:
    """Guards --mapping and --resamples beside a table that does not need them: they were passed over in silence."""
    words = ("experiment", "magnitudes", "magnitudes.csv", "--expert", "expert.qrels", "--show")
    code, out, err = run(*words, "units", "--mapping", "C", "--resamples", "5", "--wide-from", "3")
    assert (code, out) == (0, run(*words, "units", "--wide-from", "3")[1])
    assert "note: --mapping does not apply to --show units, only to mappings, all\n" in err
    assert "note: --resamples does not apply to --show units, only to alpha, resampled, all\n" in err
    assert "--wide-from has" not in err
    err = run(*words, "units", "--best", "2")[2]
    assert "note: --best does not apply to --show units, only to systems, all\n" in err
    ranked = ("experiment", "magnitudes", "magnitudes.csv", "magnitude-runs", "--expert", "expert.qrels", "--show")
    few = ("-m", "nDCG@10", "--resamples", "20")
    code, whole, err = run(*ranked, "all", *few, "--mapping", "C")
    assert (code, err.count("no part in")) == (0, 0), err
    assert whole != run(*ranked, "all", *few[:-1], "30", "--mapping", "C")[1]
    for option in (("--best", "2"), ("--wide-from", "3"), ("--units", "all"), ("--aggregate", "arithmetic")):
        code, out, err = run(*ranked, "resampled", *few, *option)
        assert (code, out) == (0, run(*ranked, "resampled", *few)[1])
        assert f"note: {option[0]} does not apply to --show resampled, only to " in err
        err = run(*ranked, "resampled", *few, *option, "--figure", "f.svg")[2]
        assert "no part in" not in err, "its figure shows tau of these gains"


def test_pairs_of_the_best_run_of_each_team(run: Run, folder: Path) -> None:
    """Guards --teams and --best-by: pairs of three teams, the measure in the note; what is missing is told."""
    grid = ("unanimity-grid", "gold.qrels", "runs", "--dmax", "2", "--simulated-assessors", "5", "-m", "nG@1")
    rated = ("unanimity", "ratings.csv", "runs", "--scale", "0:2", "-m", "nG@1", "--p", "0.2")
    for words in (grid, rated):
        asked = ("experiment", *words, "--resamples", "100", "--teams", "teams.csv")
        code, out, err = run(*asked, "--best-by", "AP")
        assert (code, err) == (0, "")
        assert "tau is over all 5 runs; top sets and pairs are of the best run of each of 3 teams, by AP" in out
        code, out, _ = run(*asked, "--format", "json")
        (row,) = json.loads(out)["rows"]
        assert (row["systems"], row["tested"], row["pairs"]) == (5, 3, 3)
    code, out, _ = run("experiment", *grid, "--resamples", "100")
    assert (
        "Hollander and Wolfe's, as published; Wilson's are in `truegain experiment unanimity-grid ... --format csv`"
        in out
    )
    code, _, err = run("experiment", *grid, "--best-by", "AP")
    assert (code, "give --teams too" in err) == (2, True)
    (folder / "few.csv").write_text("run,team\nsystem-1,A\n")
    code, _, err = run("experiment", *grid, "--teams", "few.csv")
    assert (code, "system-2" in err) == (2, True)


@pytest.mark.slow
def test_a_figure(run: Run, folder: Path) -> None:
    """Guards --figure: a panel for each measure and p, with all names and tau; a wrong ending is told first."""
    words = ("--resamples", "100", "-m", "nG@1", "-m", "P+", "--p", "0.2", "--p", "0.5", "--scale", "0:2")
    code, out, _ = run("experiment", "unanimity", "ratings.csv", "runs", *words, "--figure", "u.svg")
    assert code == 0
    assert "RawG against UG" in out
    drawn = (folder / "u.svg").read_text()
    for text in ("nG@1, p = 0.2", "P+, p = 0.5", "mean P+ by UG", "mean nG@1 by RawG", "tau ", "in the top set of"):
        assert text in drawn
    assert drawn.count(">system-3<") == 4
    code, out, _ = run("experiment", "unanimity", "ratings.csv", "runs", *words, "--format", "json")
    for row in json.loads(out)["rows"]:
        title = re.search(rf">{re.escape(row['measure'])}, p = {row['p']:g}<.*?top sets share (\d+) of (\d+)<", drawn)
        assert title is not None
        assert int(title[1]) / int(title[2]) == pytest.approx(row["top_sets"])
        assert f"tau {row['tau']:.3f}; top sets share {title[1]} of {title[2]}" in drawn
    code, _, err = run("experiment", "unanimity", "nothing.csv", "runs", "--figure", "u.jpg")
    assert code == 2
    assert ".svg, .png, .pdf, .html" in err


def test_the_figure_shows_what_changes() -> None:
    """Guards the colors and the names: of many systems those in one top set only come first, names never meet."""
    systems = [f"s{i}" for i in range(30)]
    raw = [0.5 - 0.01 * i for i in range(30)]
    aware = list(raw)
    aware[20], aware[29] = 0.51, 0.42
    every = Panel("P+", 0.2, systems, raw, aware, ["s0"], ["s20"], None)
    chart = unanimity_chart([every]).to_dict()
    panel = chart["vconcat"][0]["hconcat"][0]
    assert panel["title"]["subtitle"] == "tau undefined; top sets share 0 of 2"
    points = panel["layer"][1]["data"]["values"]
    assert {p["system"]: p["top"] for p in points if p["top"] != "neither"} == {"s0": "RawG only", "s20": "UG only"}
    named = panel["layer"][0]["data"]["values"]
    assert len(named) == 12
    assert {"s0", "s20", "s29"} <= {row["system"] for row in named}
    low, high = panel["layer"][1]["encoding"]["y"]["scale"]["domain"]
    heights = sorted(300 * (row["to_y"] - low) / (high - low) for row in named)
    assert all(b - a > 11.9 for a, b in pairwise(heights))
    assert heights[0] > -0.1
    few = unanimity_chart([replace(every, tested=["s0", "s3", "s20"])]).to_dict()
    points = few["vconcat"][0]["hconcat"][0]["layer"][1]["data"]["values"]
    tops = {p["system"]: p["top"] for p in points}
    assert [tops[s] for s in ("s0", "s3", "s20", "s29")] == ["RawG only", "neither", "UG only", "not tested"]
    with pytest.raises(TruegainError, match="no systems to draw"):
        unanimity_chart([])
