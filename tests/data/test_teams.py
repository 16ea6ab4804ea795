"""Which team submitted each run: what is read, what is refused, and the best run of each team."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from truegain.data.teams import Teams, read_teams
from truegain.errors import InputError, TruegainError

ROWS = {"run": ["a1", "a2", "b1"], "team": ["A", "A", "B"], "pooled": [True, False, True]}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet", ".txt"])
def test_every_format_is_read_alike(tmp_path: Path, ending: str) -> None:
    """Guards the reader: every format of tables, and a frame, give the same teams and pooled runs."""
    frame, file = pl.DataFrame(ROWS), tmp_path / f"teams{ending}"
    if ending == ".parquet":
        frame.write_parquet(file)
    elif ending == ".jsonl":
        frame.write_ndjson(file)
    else:
        frame.write_csv(file, separator="\t" if ending == ".tsv" else ",")
    wanted = Teams({"a1": "A", "a2": "A", "b1": "B"}, frozenset({"a1", "b1"}))
    assert read_teams(file) == read_teams(frame) == wanted
    assert read_teams(wanted) is wanted


def test_without_a_column_all_are_pooled() -> None:
    """Guards what is not told: every run counts as pooled; other names of columns are known."""
    found = read_teams(pl.DataFrame({"system": ["a1", "b1"], "Group": ["A", "B"]}))
    assert found == read_teams({"a1": "A", "b1": "B"}) == Teams({"a1": "A", "b1": "B"}, frozenset({"a1", "b1"}))


def test_the_best_run_of_each_team() -> None:
    """Guards the choice: the highest score of each team, the first of a tie, in the order of the scores."""
    teams = read_teams({"a1": "A", "b1": "B", "a2": "A", "a3": "A", "c1": "C"})
    assert teams.best_run_of_each({"b1": 0.1, "a1": 0.3, "a2": 0.5, "a3": 0.5}) == ["b1", "a2"]
    with pytest.raises(TruegainError, match="names no team for x; its runs are a1, b1"):
        teams.best_run_of_each({"a1": 0.1, "x": 0.2})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("run,pooled\na1,1\n", "there is no column 'team' among run, pooled"),
        ("run,team\na1,A\na1,B\n", "run a1 is of two teams, A and B"),
        ("run,team\na1,\n", "team is missing"),
        ("run,team,pooled\na1,A,perhaps\n", "pooled is neither yes nor no"),
        ("run,team\n", "the file names no runs"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """Guards the messages: what is wrong, the file, and what to write."""
    file = tmp_path / "teams.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=told) as caught:
        read_teams(file)
    assert str(file) in str(caught.value)
