"""Documents at addresses: the corpus is that of the same files on this machine."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.cli.conftest import Run
from tests.remote.conftest import DOCS, FILES
from tests.text.test_index import tree
from truegain.errors import InputError
from truegain.parallel.jobs import Local, run_on
from truegain.text.corpus import Corpus
from truegain.text.counting import Settings
from truegain.text.documents import kind_of, named_inputs
from truegain.text.indexing import index

SMALL = Settings(piece=500)


def corpus(folder: Path) -> dict[str, Any]:
    """All that a corpus is made of, but the digest of its plan, in which the times of files stand."""
    files: dict[str, Any] = tree(folder)
    manifest = json.loads(files.pop("corpus.json"))
    return {**files, "manifest": {name: value for name, value in manifest.items() if name != "plan"}}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["docs.jsonl", "docs.jsonl.gz"])
def test_lines_from_anywhere(name: str, server: str, memory: str, local: Path, tmp_path: Path) -> None:
    """Guards bytes of plain files by stretches, packed ones from their beginning, and servers without stretches."""
    index([f"{local}/{name}"], tmp_path / "local", SMALL, jobs=2)
    expected = corpus(tmp_path / "local")
    assert len(expected["manifest"]["parts"]) > 5
    for number, root in enumerate((memory, server, f"{server}/whole")):
        index([f"{root}/{name}"], tmp_path / f"far-{number}", SMALL, jobs=2)
        found = corpus(tmp_path / f"far-{number}")
        if root.endswith("whole") and name == "docs.jsonl":  # cut as a packed file is
            assert {k: v for k, v in found.items() if k.startswith("terms.")} == {
                k: v for k, v in expected.items() if k.startswith("terms.")
            }
            assert found["manifest"]["documents"] == expected["manifest"]["documents"]
        else:
            assert found == expected, root


def test_stretches_are_asked_for(server: str, tmp_path: Path, asked: Callable[[], list[Any]]) -> None:
    """Guards pieces of a plain file at an address: no piece fetches the file, each its own bytes and a little more."""
    index([f"{server}/docs.jsonl"], tmp_path / "corpus", SMALL)
    stretches = [place for path, place in asked() if path == "/docs.jsonl" and place]
    assert len(stretches) >= len(FILES["docs.jsonl"]) // 500


def test_packed_files_are_not_looked_at_before_they_are_read(
    server: str, tmp_path: Path, asked: Callable[[], list[Any]]
) -> None:
    """Guards thousands of packed files: who asks fetches none of them, a worker each of them once."""
    index([f"{server}/docs.jsonl.gz"], tmp_path / "corpus", SMALL)
    assert asked() == [("/docs.jsonl.gz", None)]


@pytest.mark.slow
def test_processes_read_addresses(server: str, local: Path, tmp_path: Path) -> None:
    """Guards what a worker elsewhere is given: an address with its secrets, which it opens itself."""
    index([f"{local}/docs.jsonl.gz", f"{local}/docs.jsonl"], tmp_path / "local", Settings(piece=5000))
    host = server.replace("http://", "http://me:pass-word@") + "/locked"
    with run_on(Local(2, "processes")):
        index([f"{host}/docs.jsonl.gz", f"{host}/docs.jsonl?key=1"], tmp_path / "far", Settings(piece=5000))
    assert corpus(tmp_path / "far") == corpus(tmp_path / "local")
    index([f"{host}/docs.jsonl.gz", f"{host}/docs.jsonl?key=2"], tmp_path / "far", Settings(piece=5000))
    assert not any(b"pass-word" in data for data in tree(tmp_path / "far").values())


@pytest.mark.slow
def test_patterns_folders_and_tables(memory: str, local: Path, tmp_path: Path) -> None:
    """Guards the other kinds: files that match, a folder of texts, and Parquet, which is copied to be read."""
    fsspec = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")
    assert named_inputs([f"{memory}/docs.jsonl*"]) == [f"{memory}/docs.jsonl", f"{memory}/docs.jsonl.gz"]
    assert named_inputs([f"{local}/docs.jsonl*"]) == [f"{local}/docs.jsonl", f"{local}/docs.jsonl.gz"]
    assert (kind_of(f"{memory}/runs"), kind_of("https://h/docs.csv?key=a.b")) == ("folder", "csv")
    rows = [json.loads(line) for line in DOCS.splitlines()]
    stream = io.BytesIO()
    pl.DataFrame(rows).write_parquet(stream)
    fs.pipe_file("/study/docs.parquet", stream.getvalue())
    (local / "docs.parquet").write_bytes(stream.getvalue())
    (local / "texts").mkdir()
    for number in range(30):
        data = f"text {number} " * number
        fs.pipe_file(f"/study/texts/{number}.txt", data.encode())
        (local / "texts" / f"{number}.txt").write_text(data)
    for name in ("texts", "docs.parquet"):
        for place, root in (("far", memory), ("near", str(local))):
            index([f"{root}/{name}"], tmp_path / place / name, SMALL, jobs=2)
        assert corpus(tmp_path / "far" / name) == corpus(tmp_path / "near" / name)


def test_the_command_takes_a_pattern(memory: str, local: Path, run: Run) -> None:
    """Guards `truegain text index` with a pattern that no shell resolves."""
    code, out, err = run("text", "index", f"{memory}/docs.jsonl*", "-o", str(local / "corpus"))
    assert code == 0, err
    assert out.startswith("300 documents")
    assert run("text", "index", f"{local}/docs.jsonl*", "-o", str(local / "corpus2"))[1].startswith("300 documents")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("none.jsonl", "no such file"),
        ("refused/docs.jsonl", "access was refused"),
        ("cut/docs.jsonl.gz", "the connection was lost"),
        ("cut/docs.jsonl", "the connection was lost"),
    ],
)
def test_what_goes_wrong_on_the_way_is_told(path: str, says: str, server: str, tmp_path: Path, run: Run) -> None:
    """Guards messages of the command: the address, exit code 2, and nothing left in the way of the next try."""
    code, _, err = run("text", "index", f"{server}/{path}", "-o", str(tmp_path / "corpus"))
    assert code == 2
    assert f"{server}/{path}: {says}" in err
    assert "Traceback" not in err
    assert not (tmp_path / "corpus.partial").exists()


def test_a_bad_line_far_away(memory: str, tmp_path: Path) -> None:
    """Guards the place of a fault in a later stretch of a file elsewhere."""
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").pipe_file("/study/bad.jsonl", FILES["docs.jsonl"] + b"[1]\n")
    with pytest.raises(InputError, match="not a JSON object") as told:
        index([f"{memory}/bad.jsonl"], tmp_path / "corpus", SMALL)
    assert (told.value.file, told.value.line) == (f"{memory}/bad.jsonl", 151)


def test_a_corpus_is_on_this_machine(memory: str, local: Path) -> None:
    """Guards outputs: neither made at an address nor opened there."""
    with pytest.raises(InputError, match="a corpus is written to this machine only"):
        index([f"{local}/docs.jsonl"], f"{memory}/corpus")
    with pytest.raises(InputError, match="a corpus must be on this machine"):
        Corpus.open(f"{memory}/corpus")
