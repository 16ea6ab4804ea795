"""What the values of a table lack: one scale for all, the name of who gave them, values, the score itself."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0, 0.3, 0.9, 0.4)


def test_two_scales_are_told_once_and_refused_never(run: Run, tmp_path: Path) -> None:
    """Guards that verdict, gate, compare and report say it once, refuse nothing, and that a check does not pass."""
    files = []
    for name, times in (("old", 1), ("new", 100)):
        rows = "".join(f"q{t},{x * times}\n" for t, x in enumerate(SHARES * 3))
        (tmp_path / f"{name}.csv").write_text(f"topic,f\n{rows}")
        files.append(str(tmp_path / f"{name}.csv"))
    page = tmp_path / "page.html"
    for command in (["verdict"], ["compare"], ["gate"], ["report", "-o", str(page)]):
        code, _, err = run(command[0], *files, "--score", "f", *command[1:])
        assert (code, err.count("these seem to be two scales; if so, put all values on one scale")) == (0, 1), err
    assert '"name":"Values on one scale","state":"look","value":"two scales"' in page.read_text()
    assert "these seem to be two scales" in run("doctor", *files)[1]


def test_nobody_says_who_gave_the_values(run: Run, tmp_path: Path) -> None:
    """Guards the note of a table without a judge, which ends where one is named or gold labels are given."""
    files = []
    for name, by in (("old", 0.0), ("new", 0.2)):
        rows = "".join(f"q{t},{x + by * (1 - x):g}\n" for t, x in enumerate(SHARES * 3))
        (tmp_path / f"{name}.csv").write_text(f"topic,f\n{rows}")
        files.append(str(tmp_path / f"{name}.csv"))
    note = "Nothing says who gave f. If a model did, add --judge-model NAME."
    page = tmp_path / "page.html"
    for command in ("verdict", "gate"):
        code, out, _ = run(command, *files, "--score", "f")
        assert (code, out.count(note)) == (0, 1 if command == "verdict" else 2), out
        assert note not in run(command, *files, "--score", "f", "--judge-model", "m")[1]
    assert run("report", *files, "--score", "f", "-o", str(page))[0] == 0
    assert f'"name":"Judges","state":"look","value":"not named","about":"{note}"' in page.read_text()
    rows = "".join(f"{s},q{t},{x:g}\n" for s in ("old", "new") for t, x in enumerate(SHARES * 3))
    (tmp_path / "people.csv").write_text(f"system,topic,f\n{rows}")
    gold = ("--gold", str(tmp_path / "people.csv"), "--design", "random")
    assert note not in run("verdict", *files, "--score", "f", *gold)[1]


def test_a_failure_is_told_once(run: Run, tmp_path: Path) -> None:
    """Guards that one warning says what is missing and which topics are left out; `eval` leaves none out."""
    files = []
    for name, lost in (("old", {6}), ("new", {2, 6, 7}), ("third", {7})):
        rows = "".join(f"q{t},{'' if t in lost else x}\n" for t, x in enumerate((*SHARES, *SHARES[::-1], 0.3, 0.7)))
        (tmp_path / f"{name}.csv").write_text(f"topic,f\n{rows}")
        files.append(str(tmp_path / f"{name}.csv"))
    one = "not counted as 0; 1 of 18 topics (q7) is left out, because third has no value there"
    alone, both = [files[2], str(tmp_path / "whole.csv")], "3 of 18 topics (q2, q6, q7) are left out, because new has"
    Path(alone[1]).write_text("topic,f\n" + "".join(f"q{t},{x}\n" for t, x in enumerate((*SHARES, *SHARES, 0.6, 0.1))))
    for command in (["verdict"], ["compare"], ["gate"], ["report", "-o", str(tmp_path / "page.html")]):
        err = run(command[0], *alone, "--score", "f", *command[1:])[2]
        assert (err.count("left out, because"), one in err, err.count("q7")) == (1, True, 1), err
        assert "all systems" not in err
    err = run("compare", *files, "--score", "f")[2]
    assert f"{both} no value for 3 of them, old for 1, third for 1" in err
    assert "topics" not in run("eval", *alone, "--score", "f")[2].partition(";")[0]


def test_a_mistyped_score_in_one_file(run: Run, tmp_path: Path) -> None:
    """Guards that the likely column is named, and that a system without the score is not dropped without a word."""
    for name, score in (("old", "faithfulness"), ("new", "faithfulness"), ("typo", "faithfullness")):
        rows = "".join(f"q{t},{x if name == 'old' else x * x}\n" for t, x in enumerate(SHARES * 3))
        (tmp_path / f"{name}.csv").write_text(f"topic,{score}\n{rows}")
    old, new, typo = (str(tmp_path / f"{name}.csv") for name in ("old", "new", "typo"))
    code, _, err = run("verdict", old, typo, "--score", "faithfulness")
    assert (code, "typo has faithfullness; did you mean that?" in err) == (2, True), err
    code, _, err = run("verdict", old, new, typo, "--score", "faithfulness")
    said = "faithfulness: typo has no value and cannot be compared. typo has faithfullness; did you mean that?"
    assert (code, said in err) == (0, True), err


def test_a_folder_of_logs(run: Run, tmp_path: Path) -> None:
    """Guards that a folder of logs is told as such, with the command that helps, and one of runs is not."""
    (tmp_path / "logs" / "old").mkdir(parents=True)
    rows = "".join(f"question {t},an answer,{x}\n" for t, x in enumerate(SHARES))
    (tmp_path / "logs" / "old" / "a.csv").write_text(f"user_input,response,faithfulness\n{rows}")
    for words in (("compare", "logs"), ("verdict", "logs", "--score", "f"), ("report", "logs", "-o", "r.html")):
        code, _, err = run(*words)
        told = "logs: this is a folder of logs (name the files; `truegain doctor logs` prints the commands)"
        assert (code, told in err) == (2, True), err
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text("q1 Q0 d1 1 2.0 a\n")
    assert "folder of logs" not in run("compare", "runs")[2]


def test_intervals_without_a_value(run: Run, tmp_path: Path) -> None:
    """Guards that the option behind it is not taken for its value, and what that one takes for a run."""
    (tmp_path / "a.csv").write_text("topic,f\n" + "".join(f"q{t},{x}\n" for t, x in enumerate(SHARES)))
    code, _, err = run("eval", "a.csv", "--score", "f", "--intervals", "--format", "json")
    assert (code, err) == (2, "error: --intervals: give topics, collection, topics+collection or fixed, not --format\n")
