"""Which topics count: `compare`, `verdict` and `report` take those of `eval -c`, and `init` writes it."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.cli.conftest import Run
from tests.cli.test_verdict import TOPICS, folder  # noqa: F401

RUNS = ("weak", "fair", "part")


@pytest.fixture
def gaps(folder: Path) -> Path:  # noqa: F811
    """Three runs of which the third lacks three judged topics."""
    (folder / "gaps").mkdir()
    for name in RUNS[:2]:
        (folder / "gaps" / f"{name}.run").write_text((folder / "runs" / f"{name}.run").read_text())
    lines = (folder / "runs" / "good.run").read_text().splitlines(keepends=True)
    lost = list(dict.fromkeys(line.split()[0] for line in lines))[:3]
    (folder / "gaps" / "part.run").write_text("".join(line for line in lines if line.split()[0] not in lost))
    return folder


def rows(out: str) -> list[dict[str, str]]:
    """The rows of a CSV."""
    return list(csv.DictReader(io.StringIO(out)))


def test_all_commands_count_the_same_topics(run: Run, gaps: Path) -> None:
    """Guards -c in four commands: one mean for each run, over all judged topics; without -c, over those all answer."""
    by_eval = {r["system"]: float(r["value"]) for r in rows(run("eval", "judgments.qrels", "gaps", "-m", "P@10", "-c",
                                                               "--format", "csv")[1])}  # fmt: skip
    for words in (("-c",), ()):
        pairs = rows(run("compare", "judgments.qrels", "gaps", "-m", "P@10", "--pairs", "--format", "csv", *words)[1])
        means = {r[end]: float(r[f"value_{end}"]) for r in pairs for end in ("a", "b")}
        assert {int(r["n"]) for r in pairs} == {TOPICS if words else TOPICS - 3}
        assert run("report", "judgments.qrels", "gaps", "-m", "P@10", "-o", "r.html", *words)[0] == 0
        data = re.search(r'charset=utf-8,(system,score,low[^"]*)"', (gaps / "r.html").read_text())
        assert data is not None
        of_page = {r["system"]: float(r["score"]) for r in rows(unquote(data[1]))}
        for system in RUNS:
            assert means[system] == pytest.approx(of_page[system], abs=1e-9)
            assert (means[system] == pytest.approx(by_eval[system], abs=1e-9)) == bool(words)


@pytest.mark.parametrize("design", ["random", "by-gold"])
def test_with_gold_labels_too(design: str, run: Run, gaps: Path) -> None:
    """Guards compare --gold -c, which was refused: it says what a verdict says, and leaves topics out without -c."""
    gold = ("--gold", "pairs.qrels", "--design", design, "-m", "P@10", "--format", "csv")
    two = ("gaps/weak.run", "gaps/part.run")
    for words in (("-c",), ()):
        pair = rows(run("compare", "llm.qrels", *two, *gold, *words)[1])[0]
        verdict = rows(run("verdict", "llm.qrels", *two, *gold, *words)[1])
        assert int(pair["n"]) == (TOPICS if words else TOPICS - 3)
        answers = [tuple(float(row[name]) for name in ("difference", "low", "high")) for row in verdict]
        assert pytest.approx(tuple(float(pair[n]) for n in ("difference", "low", "high")), abs=1e-9) in answers


def test_init_writes_which_topics_count(run: Run, gaps: Path) -> None:
    """Guards study.toml: all topics where a run lacks what others answer, as eval -c; not for topics of no run."""
    _, out, _ = run("init", "judgments.qrels", "gaps", "-o", "gaps.toml")
    text = (gaps / "gaps.toml").read_text()
    assert f"all-topics = true  # 3 of {TOPICS} judged topics are not answered by all runs (part lacks 3)" in text
    assert "a missing one counts as 0" in out
    by_file = run("compare", "gaps.toml", "-m", "P@10", "--pairs")[1]
    assert by_file == run("compare", "judgments.qrels", "gaps", "-m", "P@10", "--pairs", "-c")[1]
    run("init", "judgments.qrels", "runs", "-o", "whole.toml")
    assert "all-topics" not in (gaps / "whole.toml").read_text()
    (gaps / "more.qrels").write_text((gaps / "judgments.qrels").read_text() + "other 0 d 1\n")
    run("init", "more.qrels", "gaps", "-o", "more.toml")
    text = (gaps / "more.toml").read_text()
    wanted = f"all-topics = false  # 4 of {TOPICS + 1} judged topics are not answered by all runs (part lacks 4), 1 of "
    assert f"{wanted}them by none: left out; true counts them 0, as trec_eval -c; take it out of the judgments" in text
    assert tomllib.loads(text)["all-topics"] is False  # for all runs it would be a 0 that tells nothing
    run("init", "more.qrels", "runs", "-o", "none.toml")
    text = (gaps / "none.toml").read_text()
    assert (
        "all-topics = false  # 1 judged topic is answered by no run: left out; true counts it 0, as trec_eval -c; take"
        in text
    )


def test_teams_of_a_study_file(run: Run, gaps: Path) -> None:
    """Guards one file for all commands: those that know teams take them, the others pass them over."""
    (gaps / "teams.csv").write_text("run,team\nweak,ada\npart,bell\nfair,ada\n")
    (gaps / "s.toml").write_text(
        'judgments = "judgments.qrels"\nruns = "gaps"\nmeasure = "P@10"\nteams = "teams.csv"\npair = "weak,part"\n'
    )
    by_file = run("compare", "s.toml", "--pairs", "--format", "csv")
    assert by_file[0] == 0
    assert "team_a" in by_file[1].splitlines()[0]
    code, out, _ = run("unjudged", "s.toml", "--show", "left-out", "--pool-depth", "5")
    assert (code, "team" in out) == (0, True)
    assert run("unjudged", "s.toml", "--teams", "teams.csv")[0] == 2
    for command in ("verdict", "eval", "unjudged"):
        assert run(command, "s.toml")[0] == 0
    with (gaps / "s.toml").open("a") as file:
        file.write('gold = "pairs.qrels"\ndesign = "random"\n')
    assert run("compare", "s.toml")[0] == 0  # where pairs have no place for teams


def test_what_a_study_says_to_settle(run: Run, gaps: Path) -> None:
    """Guards one file for all commands: several candidates were one name, and a scale was of ratings that are none."""
    text = 'judgments = "judgments.qrels"\nruns = "runs"\nmeasure = "P@10"\n'
    (gaps / "s.toml").write_text(f'{text}scale = "0:3"\n')
    for command in (("verdict",), ("gate", "--baseline", "weak", "--candidate", "fair"), ("eval",), ("compare",)):
        code, _, err = run(command[0], "s.toml", *command[1:])
        assert code in (0, 1, 3), err
        assert command == ("compare",) or "`scale` of the study file is ignored here" in err
    assert run("verdict", "judgments.qrels", "runs", "--scale", "0:3")[0] == 2
    (gaps / "s.toml").write_text(f'{text}baseline = "weak"\ncandidate = ["fair", "good"]\n')
    for command in (("verdict",), ("gate",)):
        code, _, err = run(*command, "s.toml")
        assert (code, "candidate: give one system, not 2; `truegain settle` takes several" in err) == (
            2,
            True,
        )
