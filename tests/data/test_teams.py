"""Teams in the shapes people have them in, what is refused, and the best run of each."""

from __future__ import annotations

from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import truegain as tg
from truegain.data.teams import Teams, read_teams, with_teams
from truegain.results.base import Table

WANTED = Teams({"a-1": "ada", "a-2": "ada", "b": "bell"}, frozenset({"a-1", "b"}))
FILES = {
    "teams.csv": "run,team,pooled\na-1,ada,1\na-2,ada,0\nb,bell,1\n",
    "teams.tsv": "Run-ID\tGroup\tPooled\na-1\tada\tyes\na-2\tada\tNo\nb\tbell\tTRUE\n",
    "teams.jsonl": '{"run": "a-1", "team": "ada", "pooled": true}\n{"run": "a-2", "team": "ada", "pooled": false}\n'
    '{"run": "b", "team": "bell", "pooled": true}\n',
    "teams.json": '[{"system": "a-1", "team": "ada", "pooled": 1}, {"system": "a-2", "team": "ada", "pooled": 0}, '
    '{"system": "b", "team": "bell", "pooled": 1}]',
    "runs.csv": "system,topic,doc,score,team,pooled\na-1,1,x,2,ada,1\na-1,1,y,1,ada,1\na-2,1,x,2,ada,0\n"
    "b,1,x,1,bell,1\n",
}


@pytest.mark.parametrize("name", FILES)
def test_every_shape_gives_the_same_teams(name: str, tmp_path: Path) -> None:
    """Guards the reader: one set of teams in five shapes, the last a table of runs with a column."""
    (tmp_path / name).write_text(FILES[name])
    assert read_teams(tmp_path / name) == WANTED


def test_frames_and_dicts() -> None:
    """Guards frames of two libraries, and that without a column every run was pooled."""
    columns = {"run": ["a-1", "a-2", "b"], "team": ["ada", "ada", "bell"]}
    assert read_teams(pl.DataFrame(columns | {"pooled": [True, False, True]})) == WANTED
    assert read_teams(pd.DataFrame(columns | {"pooled": [1.0, 0.0, 1.0]})) == WANTED
    every = read_teams(pl.DataFrame(columns))
    assert every == read_teams(dict(zip(*columns.values(), strict=True))) == read_teams(every)
    assert every.pooled == {"a-1", "a-2", "b"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("run,team\na,x\na,x\n", "run a appears twice"),
        ("run,team\na,x\nb,\n", "run b has no team"),
        ("run,team,pooled\na,x,maybe\n", "neither yes nor no"),
        ("run,team,pooled\na,x,\n", "pooled is missing"),
        ("run,colour\na,x\n", "there is no column team among run, colour"),
        ("run,team\n", "there are no runs"),
        ("system,topic,doc,score,team\na,1,x,2,s\na,2,x,2,t\n", "run a is of s in another line"),
        ("system,topic,doc,score,team,pooled\na,1,x,2,s,0\na,2,x,2,s,1\n", "run a is of s, not pooled in another"),
    ],
)
def test_what_is_refused(text: str, told: str, tmp_path: Path) -> None:
    """Guards errors that name the place: a run named twice, one without a team, what is no flag, lost columns."""
    (tmp_path / "teams.csv").write_text(text)
    with pytest.raises(tg.InputError, match=told) as error:
        read_teams(tmp_path / "teams.csv")
    assert "teams.csv" in str(error.value)


def test_objects_that_are_no_teams() -> None:
    """Guards dicts and objects that hold no teams, and pooled runs of no team."""
    with pytest.raises(tg.InputError, match="'a' has the team 3"):
        read_teams({"a": 3})  # type: ignore[dict-item]
    with pytest.raises(tg.InputError, match="run a appears twice"):
        read_teams({"a": "x", " a": "y"})
    with pytest.raises(tg.InputError, match="as teams"):
        read_teams(3)  # type: ignore[arg-type]
    with pytest.raises(tg.InputError, match="1 pooled run without a team: c"):
        Teams({"a": "x"}, frozenset({"c"}))


def test_teams_of_the_runs_at_hand() -> None:
    """Guards what is said once of runs that are not there, and the error of a run that no line names."""
    with pytest.warns(tg.DataWarning, match="1 of 3 runs are not among the runs: a-2") as told:
        some = WANTED.among(["b", "a-1"])
    assert len(told) == 1
    assert (list(some.of), sorted(some.pooled)) == (["b", "a-1"], ["a-1", "b"])
    with pytest.raises(tg.InputError, match="2 of 3 runs without a team: c, d"):
        WANTED.among(["a-1", "c", "d"])
    with pytest.raises(tg.InputError, match="the table has the run tags: name systems by these, name_by='tag'"):
        WANTED.among(["input.a-1"], ["a-1"])
    with pytest.raises(tg.InputError, match="with these names; the table has"):
        WANTED.among(["input.a-1", "input.c"], ["a-1", "c"])
    with pytest.raises(tg.TruegainError, match="no team 'adda'; there are ada, bell"):
        WANTED.runs_of("adda")


def test_the_best_run_of_each_team() -> None:
    """Guards the order, ties (the run named first), scores that are missing, and a team without a score."""
    scores = {"b": 0.4, "a-2": 0.5, "a-1": 0.5}
    assert WANTED.best_run_of_each(scores) == ["a-2", "b"]
    assert WANTED.best_run_of_each({**scores, "a-2": float("nan")}) == ["a-1", "b"]
    assert WANTED.best_run_of_each({**scores, "b": float("nan")}) == ["a-2"]
    assert WANTED.best_run_of_each({**scores, "b": 0.6}) == ["b", "a-2"]


def test_a_column_of_teams_stands_beside_each_system() -> None:
    """Guards columns and cells: of systems one, of pairs two."""
    systems = with_teams(Table(("measure", "system", "mean"), [("AP", "b", 0.5), ("AP", "a-2", 0.25)]), WANTED.of)
    assert systems.columns == ("measure", "system", "team", "mean")
    assert systems.rows == [("AP", "b", "bell", 0.5), ("AP", "a-2", "ada", 0.25)]
    pairs = with_teams(Table(("a", "b", "p"), [("b", "a-1", 0.01)]), WANTED.of)
    assert (pairs.columns, pairs.rows) == (("a", "team_a", "b", "team_b", "p"), [("b", "bell", "a-1", "ada", 0.01)])
