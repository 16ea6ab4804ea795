"""`truegain report` as a user runs it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.report import worlds
from tests.report.reading import data_of, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs, judgments, an erring judge's and gold labels, as files."""
    runs, judged = worlds.world(4)
    bronze, gold = worlds.noisy(judged)
    tg.write_runs(runs, f"{tmp_path}/runs/")
    for name, labels in (("true", judged), ("llm", bronze), ("gold", gold)):
        tg.write_judgments(labels, tmp_path / f"{name}.qrels")
    return tmp_path


GOLD = ("llm.qrels", "runs", "--gold", "gold.qrels", "--design", "random", "-m", "P@10")


def test_a_page_is_written(run: Run, folder: Path) -> None:
    """Guards the first form of the command: files in, one page out, with how it was made."""
    code, out, err = run("report", *GOLD, "--pair", "sys-1,sys-4", "--title", "A <study>", "-o", "page.html")
    tree = read((folder / "page.html").read_text())
    assert (code, out, err) == (0, f"page.html: {tree.one('h1').text}\n", "")
    made = data_of(tree)["sections"]["made"]
    assert made["command"].startswith("truegain report llm.qrels runs --gold gold.qrels")
    assert set(made["inputs"]) == {"llm.qrels", "gold.qrels", *(f"runs/sys-{i}.run" for i in range(1, 5))}
    assert made["options"]["pair"] == ["sys-1,sys-4"]
    assert tree.one("div", class_="sk").text == "A <study>"
    assert [p.name for p in folder.iterdir() if p.name.startswith(".")] == []


def test_a_study_file_stands_for_all(run: Run, folder: Path) -> None:
    """Guards `report study.toml`, from another folder; what the command line says comes first."""
    (folder / "s").mkdir()
    (folder / "s/study.toml").write_text(
        'judgments = "../llm.qrels"\nruns = "../runs"\ngold = "../gold.qrels"\ndesign = "random"\n'
        'measure = ["P@10", "DCG@10"]\nbaseline = "sys-1"\n'
    )
    assert run("report", "s/study.toml", "-o", "a.html")[0] == 0
    assert run("report", "s/study.toml", "-m", "P@5", "-o", "b.html")[0] == 0
    a, b = (data_of(read((folder / f"{x}.html").read_text()))["sections"] for x in "ab")
    assert list(a["systems"]) == ["P@10", "DCG@10"]
    assert list(b["systems"]) == ["P@5"]
    assert len(a["verdict"]["claims"]) == 6
    assert "s/study.toml" in a["made"]["inputs"]


def test_the_command_that_checks_a_judge_can_be_run(run: Run, folder: Path) -> None:
    """Guards the page's own advice: it names the files of the pair, and draws a list as it stands."""
    words = ("llm.qrels", "runs", "--judge-model", "a model", "-m", "P@10", "--pair", "sys-1,sys-4", "-o", "page.html")
    assert run("report", *words)[0] == 0
    advice = read((folder / "page.html").read_text()).one("section", id="next").every("code")[0].text
    assert advice == "truegain plan labels llm.qrels runs/sys-1.run runs/sys-4.run -m P@10 -o LIST.csv"
    assert run(*advice.split()[1:])[0] == 0
    assert (folder / "LIST.csv").is_file()


def test_to_standard_output(run: Run) -> None:
    """Guards `-o -`: the page and nothing else."""
    code, out, _ = run("report", "true.qrels", "runs", "-m", "P@10", "-o", "-")
    assert code == 0
    read(out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("true.qrels", "runs", "-o", "x.pdf"), "-o x.pdf: a report is a page"),
        (("true.qrels", "runs", "--baseline", "no", "-o", "x.html"), "--baseline no is not a system here"),
        (("true.qrels", "runs", "--pair", "sys-1", "-o", "x.html"), "--pair sys-1 is not two systems"),
        (("true.qrels", "runs/sys-1.run", "-o", "x.html"), "there is 1 (sys-1)"),
        (("true.qrels", "runs", "--costs", "x=1", "-o", "x.html"), "x"),
        (("true.qrels", "runs", "--scale", "0:3", "-o", "x.html"), "--scale: this applies to ratings"),
        (("true.qrels", "runs", "-m", "GMAP", "-o", "x.html"), "GMAP"),
        (("no.toml", "-o", "x.html"), "no.toml: no such file"),
        (("empty.toml", "-o", "x.html"), "no judgments are named"),
        (("true.qrels", "-o", "x.html"), "no runs are named; give them after the judgments, or give a study.toml"),
    ],
)
def test_mistakes_end_with_2_and_leave_nothing(run: Run, folder: Path, words: tuple[str, ...], said: str) -> None:
    """Guards errors of the user: a message, exit code 2, no page."""
    (folder / "empty.toml").write_text('runs = "runs"\n')
    code, out, err = run("report", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
    assert not (folder / "x.html").exists()


def test_warnings_are_told_and_kept(run: Run, folder: Path) -> None:
    """Guards what reading notices: on standard error as ever, and on the page."""
    runs, _ = worlds.world(4)
    tied = tuple(replace(p, score=np.ones(len(p))) for p in runs.parts[:1])
    tg.write_runs(tg.Runs((*tied, *runs.parts[1:])), f"{folder}/tied/")
    code, _, err = run("report", "true.qrels", "tied", "-m", "P@10", "-o", "t.html")
    assert code == 0
    assert err.startswith("warning: all scores are tied in 24 lists of 1 run (sys-1)")
    checks = data_of(read((folder / "t.html").read_text()))["sections"]["health"]["checks"]
    assert "All scores are tied in 24 lists of 1 run (sys-1)" in checks[-1]["about"]
