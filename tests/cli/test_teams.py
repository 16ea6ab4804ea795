"""Teams on the page of a report and in a comparison, as a user writes them."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_verdict import folder  # noqa: F401
from tests.report.reading import data_of, read


def test_the_page_shows_the_team_of_each_system(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the column of the table and of its file, names that --names changed, and that a page without has none."""
    (folder / "teams.csv").write_text("run,team\ngood,ada\nfair,ada\nweak,bell & co\nother,ada\n")
    (folder / "names.csv").write_text("good,Best\n")
    words = ("report", "judgments.qrels", "runs", "-m", "P@10", "-o", "page.html", "--cache", "none")
    code, _, err = run(*words, "--teams", "teams.csv", "--names", "names.csv")
    assert (code, "teams.csv: 1 of 4 runs are not among the runs: other" in err) == (0, True)
    page = (folder / "page.html").read_text()
    assert '<th class="o" scope="col">team</th>' in page
    assert '<td class="o"><bdi class="nb">bell &amp; co</bdi></td>' in page
    data = re.search(r'charset=utf-8,(system,team,score[^"]*)"', page)
    assert data is not None
    rows = list(csv.DictReader(io.StringIO(unquote(data[1]).replace("&amp;", "&"))))
    assert {r["system"]: r["team"] for r in rows} == {"Best": "ada", "fair": "ada", "weak": "bell & co"}
    assert run(*words)[0] == 0
    assert 'scope="col">team<' not in (folder / "page.html").read_text()
    (folder / "teams.csv").write_text("run,team\ngood,ada\n")
    code, _, err = run(*words, "--teams", "teams.csv")
    assert (code, "teams.csv: 2 of 3 runs without a team: fair, weak" in err) == (2, True)


def test_the_page_of_python_shows_teams_too(folder: Path) -> None:  # noqa: F811
    """Guards `teams` of tg.write_report: the team of each system in its table; a run without a team is refused."""
    teams = {system: f"team {system[-1]}" for system in tg.read_runs([f"{folder}/runs"]).systems}
    tg.write_report(f"{folder}/runs", f"{folder}/judgments.qrels", "P@10", folder / "page.html", teams=teams)
    rows = data_of(read((folder / "page.html").read_text()))["sections"]["systems"]["P@10"]
    assert {row["system"]: row["team"] for row in rows} == teams
    with pytest.raises(tg.InputError, match="without a team"):
        tg.write_report(f"{folder}/runs", f"{folder}/judgments.qrels", "P@10", folder / "page.html", teams={"x": "y"})


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("unjudged all.qrels runs -m P@2 --show left-out --pool-depth 2 --teams teams.csv", "uog-a"),
        ("participants all.qrels runs -m P@2 --teams teams.csv -o pages", "pages"),
        ("experiment judge llm.qrels runs -m P@2 --gold all.qrels --design random --show corrected", "uog-a"),
        ("experiment split-half all.qrels runs -m P@2 --split topics --repeat 2", "inside"),
    ],
)
def test_runs_named_by_their_tags(command: str, line: str, run: Run, folder: Path) -> None:  # noqa: F811
    """Guards --name-by tag of input.TAG files with a teams file by tag, and the message that names the way."""
    for path in (folder / "runs").iterdir():
        path.unlink()
    for tag, docs in (("uog-a", "abc"), ("uog-b", "bca"), ("ict", "cab")):
        lines = [f"{t} Q0 {d} {i} {-i} {tag}\n" for t in range(1, 13) for i, d in enumerate(docs, 1)]
        (folder / "runs" / f"input.{tag}").write_text("".join(lines))
    for name in ("all", "llm"):
        labels = [
            f"{t} 0 {d} {int((t + ord(d) + (name == 'llm' and t == 3)) % 3 > 0)}\n" for t in range(1, 13) for d in "abc"
        ]
        (folder / f"{name}.qrels").write_text("".join(labels))
    (folder / "teams.csv").write_text("run,team\nuog-a,uog\nuog-b,uog\nict,ict\n")
    words = command.split()
    code, out, err = run(*words, "--name-by", "tag")
    assert (code, line in out, "input." in out) == (0, True, False), err
    if "--teams" in words:
        code, _, err = run(*words)
        assert code == 2
        assert "3 of 3 runs without a team: input.ict" in err
        assert "the table has the run tags: name systems by these, --name-by tag" in err


def test_a_chart_of_tiers_has_its_groups_beside_it(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards that of few systems, too, the table under a chart of tiers says who shares a group."""
    words = ("compare", "judgments.qrels", "runs", "-m", "P@10", "--chart", "tiers", "--figure", "t.svg")
    code, out, _ = run(*words)
    assert (code, out.splitlines()[2].split()[-2:]) == (0, ["group", "differs_from"])
    assert "group" not in run(*words[:-4])[1].splitlines()[2]  # pairs, where nobody asked for tiers
    assert "group" not in run(*words, "--pairs")[1].splitlines()[2]


def test_doctor_names_pages_of_answers(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the questions about answers beside a table of teams: the command is there, runs, and lacks are true."""
    rows = [f"{s},{t},{(t * k) % 7 / 6}" for k, s in enumerate(("old", "new"), 1) for t in range(30)]
    (folder / "scores.csv").write_text("\n".join(["system,topic,faith", *rows, ""]))
    (folder / "who.csv").write_text("run,team\nold,ada\nnew,bell\n")
    code, out, _ = run("doctor", "scores.csv", "who.csv")
    command = "truegain participants scores.csv --score faith --teams who.csv -o participants"
    assert code == 0
    assert command in out
    assert "the teams of runs alone" not in out
    assert run(*command.split()[1:])[0] == 0
    (folder / "who.csv").write_text("run,team\nother,ada\n")
    assert "2 of 2 runs without a team: old, new" in run("doctor", "scores.csv", "who.csv")[1]
