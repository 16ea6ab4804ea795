"""No command writes over labels that a person gave."""

from __future__ import annotations

from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run

PLAN = ("plan", "labels", "llm.qrels", "x.run", "y.run", "-m", "P@2")
SAMPLE = ("unjudged", "llm.qrels", "x.run", "y.run", "-m", "P@4", "--show", "sample")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs of five documents a topic, three of which an LLM labeled."""
    topics = [str(t) for t in range(12)]
    tg.write_judgments({t: {"a": 1, "b": 0, "c": int(t) % 2} for t in topics}, tmp_path / "llm.qrels")
    for name, docs in (("x", "abcde"), ("y", "cdbae")):
        tg.write_runs({name: {t: {d: 9.0 - i for i, d in enumerate(docs)} for t in topics}}, tmp_path / f"{name}.run")
    return tmp_path


@pytest.mark.parametrize(
    "words", [PLAN, SAMPLE, (*SAMPLE, "--fill", "predicted"), (*SAMPLE[:-1], "next")],
    ids=["gold", "sample", "predicted", "next"],
)  # fmt: skip
def test_a_list_with_labels_is_not_written_over(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    """Guards a judge's work: the same command again is refused, says what to do, and leaves the file as it is."""
    mine = folder / "list.csv"
    assert run(*words, "-o", "list.csv")[0] == 0
    assert run(*words, "-o", "list.csv")[0] == 0  # without labels nothing is lost
    mine.write_text("order,topic,doc,label\n1,3,a,1\n2,3,b,\n3,4,a,0\n")
    before = mine.read_text()
    code, out, err = run(*words, "-o", "list.csv")
    assert (code, out) == (2, "")
    assert "list.csv: this file exists and has 2 labels that would be lost" in err
    assert "name another file with -o, or move this one away" in err
    assert mine.read_text() == before


def test_a_file_that_cannot_be_read_is_not_written_over(run: Run, folder: Path) -> None:
    """Guards a list that a spreadsheet spoiled: what it holds is not known, so it stays."""
    (folder / "list.csv").write_text("topic,doc,label\n1,a,1,9\n")
    code, _, err = run(*PLAN, "-o", "list.csv")
    assert code == 2
    assert "may hold labels" in err


def test_fill_adds_to_a_list_and_takes_nothing_away(run: Run, folder: Path) -> None:
    """Guards plan fill: over fewer labels it writes more; with fewer than the target holds it is refused."""
    run(*PLAN, "-o", "list.csv")
    rows = tg.read_gold_list(folder / "list.csv")
    for n in (2, 5):
        tg.write_judgments(
            {t: {d: 1 for u, d in zip(rows.topics[:n], rows.docs[:n], strict=True) if u == t} for t in rows.topics[:n]},
            folder / f"first{n}.qrels",
        )
    assert run("plan", "fill", "list.csv", "first2.qrels", "-o", "judged.csv")[0] == 0
    assert run("plan", "fill", "list.csv", "first5.qrels", "-o", "judged.csv")[0] == 0
    code, _, err = run("plan", "fill", "list.csv", "first2.qrels", "-o", "judged.csv")
    assert code == 2
    assert "has 3 labels that would be lost" in err
    assert tg.read_gold_list(folder / "judged.csv").judged == 5
