"""Table I of the magnitude paper: how the numbers were collected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.conftest import folder as folder
from tests.cli.conftest import run as run
from truegain.data.ratings import read_ratings
from truegain.errors import InputError
from truegain.experiments.magnitude_units import collected_table

HEAD = "topic,doc,assessor,label,unit,anchor,backs,sent_back\n"
UNITS = (  # topic, assessor, unit, uses of the back button, failed checks
    ("1", "x", "u1", 0, 0), ("1", "y", "u2", 1, 0), ("1", "z", "u3", 4, 3), ("2", "x", "u4", 2, 1),
    ("2", "y", "u5", 0, 1),
)  # fmt: skip


def lines() -> str:
    """Units of three documents: Hk, Nk, and one that two units of topic 1 share."""
    text = HEAD
    for topic, who, unit, backs, failed in UNITS:
        for doc, label, anchor in (("h", 9, "high"), ("n", 1, "low"), ("d" if unit < "u3" else unit, 3, "")):
            text += f"{topic},{topic}{doc},{who},{label},{unit},{anchor},{backs},{failed}\n"
    return text


def test_by_hand(tmp_path: Path) -> None:
    """Guards the counts: of units, not of rows; documents once a topic; all topics at the end."""
    (tmp_path / "r.csv").write_text(lines())
    table = collected_table(read_ratings(tmp_path / "r.csv"))
    assert [row[:5] for row in table.rows] == [
        ("1", 4, 3, "1h", "1n"), ("2", 4, 2, "2h", "2n"), ("all", 8, 5, None, None),
    ]  # fmt: skip
    assert [row[5:] for row in table.rows] == [(1, 1, 1, 2, 0, 1), (1, 0, 1, 0, 2, 0), (2, 1, 2, 2, 2, 1)]
    assert table.notes == (
        "of 5 units 60.0% used the back button, 60.0% failed a final check before they were accepted",
    )


def test_what_is_not_known_is_not_zero(tmp_path: Path) -> None:
    """Guards ratings from elsewhere: without the columns counts are undefined, and the table says why."""
    rows = [line.rsplit(",", 2)[0] for line in lines().splitlines()]
    (tmp_path / "r.csv").write_text("\n".join(rows) + "\n")
    table = collected_table(read_ratings(tmp_path / "r.csv"))
    assert {cell for row in table.rows for cell in row[5:]} == {None}
    assert table.notes == (
        "uses of the back button are unknown: there is no column 'backs'",
        "failed checks are unknown: there is no column 'sent_back'",
    )


@pytest.mark.parametrize("name", ["backs", "sent_back"])
def test_counts_that_are_none_are_refused(name: str, tmp_path: Path) -> None:
    """Guards the columns: text or a number below 0 is an error with its line."""
    for value in ("-1", "often"):
        (tmp_path / "r.csv").write_text(f"topic,doc,assessor,label,{name}\n1,a,x,2,0\n1,b,x,3,{value}\n")
        with pytest.raises(InputError, match=rf"r\.csv:3: {name} is not a number of at least 0"):
            read_ratings(tmp_path / "r.csv")


def test_the_command(run: Run, folder: Path) -> None:
    """Guards --show collected: its rows for programs; that it has no figure is told before any work."""
    (folder / "r.csv").write_text(lines())
    (folder / "e.qrels").write_text("1 0 1h 1\n1 0 1n 0\n")
    words = ("experiment", "magnitudes", "r.csv", "--expert", "e.qrels", "--show", "collected")
    code, out, err = run(*words, "--format", "csv")
    assert (code, err) == (0, "")
    assert out.splitlines()[1] == "1,4,3,1h,1n,1,1,1,2,0,1"
    code, _, err = run(*words, "--figure", "a.svg")
    assert code == 2
    assert "has no figure" in err
