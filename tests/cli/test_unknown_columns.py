"""A name in --columns that no file has: no column that is known by another name stands in for it."""

from __future__ import annotations

from pathlib import Path

import pytest

import truegain as tg

from .conftest import Run

FILES = {
    "j.csv": "topic,doc,label\n1,a,1\n1,b,0\n2,a,0\n2,b,1\n",
    "r.csv": "qid,docid,score\n1,a,2\n1,b,1\n2,a,2\n2,b,1\n",
    "q.csv": "frage,docid,score\n1,a,2\n1,b,1\n2,a,2\n2,b,1\n",
    "j.qrels": "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n",
    "r.run": "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 2 r\n2 Q0 b 2 1 r\n",
}


def files(folder: Path) -> None:
    """Judgments and runs, under names of ours, of others and without any."""
    for name, text in FILES.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("judgments", "ran", "columns", "there"),
    [
        ("j.csv", "r.csv", "topic=foo", "columns of j.csv: topic, doc, label; columns of r.csv: qid, docid, score"),
        ("j.csv", "r.csv", "doc=foo,label=label", "columns of j.csv: topic, doc, label; columns of r.csv: qid"),
        ("j.csv", "r.csv", "runs:topic=foo", "columns of j.csv: topic, doc, label; columns of r.csv: qid"),
        ("j.qrels", "r.csv", "topic=foo,score=score", "(check its name; columns of r.csv: qid, docid, score)"),
        ("j.csv", "r.run", "topic=foo", "(check its name; columns of j.csv: topic, doc, label)"),
        ("j.qrels", "r.run", "topic=foo", "(give tables that name their columns)"),
    ],
)
def test_a_name_that_no_file_has(run: Run, folder: Path, judgments: str, ran: str, columns: str, there: str) -> None:
    """Guards topic and doc in --columns: a name that resembles none passed, and another column was read in silence."""
    files(folder)
    code, out, err = run("eval", judgments, ran, "-m", "P@1", "--columns", columns)
    assert (code, out) == (2, "")
    assert "error: --columns: no file has a column 'foo' (" in err
    assert there in err


@pytest.mark.parametrize(
    ("judgments", "ran"),
    [("j.csv", "q.csv"), ("j.qrels", "q.csv"), ("j.csv", "several")],
)
def test_a_name_of_another_file(run: Run, folder: Path, judgments: str, ran: str) -> None:
    """Guards names said once for all files: those that lack one are read by the names that they have."""
    files(folder)
    (folder / "several").mkdir()
    for name, text in {"a.csv": FILES["r.csv"], "b.csv": FILES["q.csv"], "c.run": FILES["r.run"]}.items():
        (folder / "several" / name).write_text(text)
    code, out, err = run("eval", judgments, ran, "-m", "P@1", "--columns", "topic=frage")
    assert (code, "0.5000" in out) == (0, True), err


def test_names_in_a_study_file_and_in_python(run: Run, folder: Path) -> None:
    """Guards the other ways to say it: a study file, which has one for all its files, and an argument, of one file."""
    files(folder)
    study = 'judgments = "j.csv"\nruns = "r.csv"\nmeasure = "P@1"\ncolumns = "topic=foo"\n'
    (folder / "study.toml").write_text(study)
    code, _, err = run("eval", "study.toml")
    assert (code, "no file has a column 'foo' (check its name; columns of j.csv: topic, " in err) == (2, True), err
    with pytest.raises(tg.InputError, match="no file has a column 'foo'"):
        tg.read_study(folder / "study.toml")
    for read, name in ((tg.read_judgments, "j.csv"), (tg.read_runs, "r.csv"), (tg.read_judgments, "j.qrels")):
        with pytest.raises(tg.InputError, match="there is no column 'foo'"):
            read(folder / name, columns={"topic": "foo"})
    runs = tg.read_runs([folder / "r.csv", folder / "q.csv"], columns={"topic": "frage"})
    assert [sorted(set(part.topic.strings())) for part in runs.parts] == [["1", "2"]] * 2
