"""`truegain demo --kind rag`, and what `doctor` and `init` make of files such as a RAG team's."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from truegain.experiments.worlds import ACCEPTS, FAVORS, FINDS, simulate_rag


@pytest.fixture
def rag(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, below the one that the test runs in, without the truth, which no team has."""
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo", "rag", "--kind", "rag")
    assert (code, err, out.startswith("Simulated 80 questions and 2 retrievers into rag:\n")) == (0, "", True)
    (tmp_path / "rag" / "truth.csv").unlink()
    return tmp_path / "rag"


def test_the_judge_errs_as_the_tutorial_says() -> None:
    """Guards the truth at the end of the tutorial: rates of the judge, over many worlds, are those that it names."""
    accepted: dict[tuple[int, bool], list[int]] = {}
    for seed in range(20):
        world = simulate_rag(seed=seed)
        new = {(r["question_id"], r["passage_id"]) for r in world.runs["new"]}
        for truth, llm in zip(world.truth, world.llm, strict=True):
            pair = truth["question_id"], truth["passage_id"]
            assert pair == (llm["question_id"], llm["passage_id"])
            accepted.setdefault((int(str(truth["relevant"])), pair in new), []).append(int(str(llm["relevant"])))
    rates = {key: float(np.mean(labels)) for key, labels in accepted.items()}
    meant = {(1, False): FINDS, (1, True): FINDS, (0, False): ACCEPTS, (0, True): FAVORS}
    assert all(abs(rates[key] - meant[key]) < 0.03 for key in meant), rates


def test_another_seed_is_another_world() -> None:
    """Guards --seed."""
    assert simulate_rag(seed=1).runs != simulate_rag(seed=2).runs
    assert simulate_rag(seed=1) == simulate_rag(seed=1)


def test_every_command_of_doctor_runs(run: Run, rag: Path) -> None:
    """Guards commands that doctor prints for labels whose column has no usual name: as printed they run."""
    (rag / "people.csv").write_text((rag / "people.csv").read_text().replace("relevant", "Our verdict"))
    code, out, err = run("doctor", "rag")
    assert (code, err) == (0, "")
    assert "its labels are taken from the column Our verdict." in out
    commands = [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("    truegain ")]
    assert len(commands) == 6
    assert sum("label=relevant;gold:label=Our verdict" in words for words in commands) == 3
    for words in commands:
        assert run(*words)[0] == 0, words


def test_measures_look_no_deeper_than_the_lists(run: Run, rag: Path) -> None:
    """Guards runs of five passages: the usual measures are of the first 5, not of 10 of which half are empty."""
    files = ("rag/llm.jsonl", "rag/prod.jsonl", "rag/new.jsonl", "--columns", "label=relevant")
    assert run("init", *files, "-o", "alone.toml")[0] == 0
    assert 'measure = ["P@5", "nDCG@5", "AP"]' in Path("alone.toml").read_text()
    _, out, _ = run("init", *files, "--gold", "rag/people.csv", "--design", "random", "-o", "gold.toml")
    assert 'measure = ["P@5", "DCG@5"]' in Path("gold.toml").read_text()
    assert "nDCG@5 cannot be corrected from scattered gold labels" in out
    assert "@10" not in out
    assert all("-m P@5" in line for line in run("doctor", "rag")[1].splitlines() if line.startswith("    truegain "))


def test_doctor_names_the_option_for_columns(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards tables none of whose names is known: doctor says that commands can be told the names."""
    monkeypatch.chdir(tmp_path)
    Path("found.csv").write_text("ticket,snippet,verdict\n17,a,good\n18,b,bad\n")
    _, out, _ = run("doctor", "found.csv")
    assert "say which columns they are: --columns topic=NAME,doc=NAME,label=NAME" in out
    assert "its columns are ticket, snippet, verdict" in out
