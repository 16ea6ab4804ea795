"""Indexing: the same corpus from every kind of file, whatever happens on the way."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import polars as pl
import pytest

from tests.text.test_words import plain_words
from tests.text.whole_inputs import all_pieces
from truegain.errors import InputError, TruegainError
from truegain.io.columns import Ids
from truegain.parallel.jobs import PieceError
from truegain.text import counting, indexing
from truegain.text.corpus import Corpus, Named
from truegain.text.counting import Settings
from truegain.text.documents import read
from truegain.text.indexing import _told_as_here, index
from truegain.text.pieces import Fields, Kind
from truegain.text.words import Cutting

DOCS = {f"d{i}": f"word{i % 7} Gr\u00fc\u00dfe, common text {i}\nnext line" for i in range(50)}


def write(folder: Path, kind: Kind, docs: dict[str, str] = DOCS) -> str:
    """The documents as a file (or folder) of a kind."""
    path = folder / f"docs.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps({"id": d, "text": t}) + "\n" for d, t in docs.items()))
    elif kind in ("csv", "tsv"):
        with path.open("w", newline="") as stream:
            writer = csv.writer(stream, delimiter="," if kind == "csv" else "\t")
            writer.writerows([("docno", "text"), *docs.items()])
    elif kind == "parquet":
        pl.DataFrame({"doc_id": list(docs), "text": list(docs.values())}).write_parquet(path)
    elif kind == "trec":
        body = "".join(f"<DOC>\n<DOCNO> {d} </DOCNO>\n<TEXT>{t}</TEXT>\n</DOC>\n" for d, t in docs.items())
        path.write_text(body)
    else:
        path.mkdir()
        for d, t in docs.items():
            (path / f"{d}.txt").write_text(t)
    return str(path)


def counted(corpus: Corpus, doc: str) -> dict[str, int]:
    """The term counts of one document by word."""
    vectors = corpus.vectors(corpus.find(Ids.of([doc])))
    return dict(zip(corpus.terms.strings(vectors.term), vectors.count.tolist(), strict=True))


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet", "trec", "folder"])
@pytest.mark.parametrize("piece", [300, 1 << 20])
def test_every_kind_gives_the_same_counts(tmp_path: Path, kind: Kind, piece: int) -> None:
    """Guards readers, pieces and merging: counts and frequencies are those of a plain Python count."""
    corpus = index([write(tmp_path, kind)], tmp_path / "corpus", Settings(piece=piece), jobs=2)
    assert len(corpus.parts) > 1 or piece > 300
    for doc, text in DOCS.items():
        assert counted(corpus, doc) == Counter(plain_words(text))
    whole = Counter(w for text in DOCS.values() for w in plain_words(text))
    names = corpus.terms.strings(np.arange(len(corpus.terms)))
    assert dict(zip(names, corpus.frequency.tolist(), strict=True)) == whole
    assert (corpus.documents, corpus.tokens) == (50, sum(whole.values()))
    assert corpus.find(Ids.of(["d0", "nowhere"]))[1] == -1


def test_ir_datasets_are_read_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards irds:NAME with a stand-in for the library: ids, default text, slices that meet."""
    rows = [SimpleNamespace(doc_id=d, default_text=lambda t=t: t) for d, t in DOCS.items()]
    dataset = SimpleNamespace(docs_count=lambda: len(rows), docs_iter=lambda: rows)
    library = ModuleType("ir_datasets")
    library.load = lambda name: {"small": dataset}[name]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", library)
    corpus = index(["irds:small"], tmp_path / "corpus", Settings(piece=10 * 1024))
    assert len(corpus.parts) == 5
    assert all(counted(corpus, d) == Counter(plain_words(t)) for d, t in DOCS.items())


def test_stop_words_of_documents_that_are_not_kept(tmp_path: Path) -> None:
    """Guards --for with a stop list: frequencies leave the stopped words of all documents out."""
    only = Named.of(Ids.of(["d3"]))[0]
    cutting = Cutting(stop=("common", "text"))
    corpus = index([write(tmp_path, "jsonl")], tmp_path / "corpus", Settings(cutting=cutting, only=only, piece=300))
    whole = Counter(w for text in DOCS.values() for w in plain_words(text) if w not in ("common", "text"))
    names = corpus.terms.strings(np.arange(len(corpus.terms)))
    assert dict(zip(names, corpus.frequency.tolist(), strict=True)) == whole
    assert counted(corpus, "d3") == {w: n for w, n in Counter(plain_words(DOCS["d3"])).items() if w in whole}


def test_a_byte_order_mark_and_blank_lines_are_no_documents(tmp_path: Path) -> None:
    """Guards lines as other tools write them: a mark at the start, CRLF, blank lines; and text that is not UTF-8."""
    path = tmp_path / "docs.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 7, "text": "a"}\r\n\r\n  {"id": "b", "text": "c"}\n')
    assert [read(p, Fields()) for p in all_pieces([str(path)], None, Fields(), 1000)] == [(["7", "b"], ["a", "c"], 0)]
    path.write_bytes(b'{"id": "a", "text": "fine"}\n{"id": "b", "text": "caf\xe9"}\n')
    with pytest.raises(InputError, match="not UTF-8 text") as told:
        index([str(path)], tmp_path / "corpus")
    assert told.value.line == 2


def test_compressed_lines_are_the_same(tmp_path: Path) -> None:
    """Guards pieces that are unpacked on the way: gzip gives what the plain file gives."""
    plain = Path(write(tmp_path, "jsonl"))
    packed = tmp_path / "docs.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    texts = [
        [read(p, Fields()) for p in all_pieces([str(path)], None, Fields(), size)]
        for path in (plain, packed)
        for size in (100, 1 << 20)
    ]
    flat = [[name for ids, _, _ in t for name in ids] for t in texts]
    assert flat == [list(DOCS)] * 4


def test_duplicates_and_documents_without_words(tmp_path: Path) -> None:
    """Guards the counts of what is wrong: the first text of an id is kept, whichever piece it stands in."""
    path = tmp_path / "docs.jsonl"
    rows = [("a", "first"), ("b", ""), ("c", "x " * 200), ("a", "second"), ("d", None), ("a", "third")]
    path.write_text("".join(json.dumps({"id": d, "text": t}) + "\n" for d, t in rows))
    corpus = index([str(path)], tmp_path / "corpus", Settings(piece=100))
    assert counted(corpus, "a") == {"first": 1}
    assert corpus.problems == {"duplicates": 2, "empty": 2, "replaced": 0}
    assert (corpus.listed("duplicates"), corpus.listed("empty")) == (["a", "a"], ["b", "d"])


def test_only_named_documents_keep_their_counts(tmp_path: Path) -> None:
    """Guards --for: frequencies of the whole collection, term counts of the named documents."""
    only = Named.of(Ids.of(["d3", "d40"]))[0]
    path = write(tmp_path, "jsonl")
    corpus = index([path], tmp_path / "some", Settings(piece=300, only=only))
    whole = index([path], tmp_path / "all", Settings(piece=300))
    assert len(corpus.docs) == 2
    assert counted(corpus, "d40") == counted(whole, "d40")
    assert corpus.frequency.tolist() == whole.frequency.tolist()


def test_a_corpus_in_memory_is_the_one_on_disk(tmp_path: Path) -> None:
    """Guards Corpus.of a dict against the indexer."""
    disk, memory = index([write(tmp_path, "jsonl")], tmp_path / "corpus", Settings(piece=300)), Corpus.of(DOCS)
    assert disk.terms.hash.tolist() == memory.terms.hash.tolist()
    assert disk.frequency.tolist() == memory.frequency.tolist()
    assert all(counted(disk, d) == counted(memory, d) for d in DOCS)


def test_unknown_versions_and_unfinished_corpora_are_refused(tmp_path: Path) -> None:
    """Guards against reading what this version does not know."""
    corpus = tmp_path / "corpus"
    index([write(tmp_path, "jsonl")], corpus)
    manifest = json.loads((corpus / "corpus.json").read_text())
    (corpus / "corpus.json").write_text(json.dumps({**manifest, "version": 99}))
    with pytest.raises(InputError, match="version 99"):
        Corpus.open(corpus)
    (corpus / "corpus.json").unlink()
    with pytest.raises(InputError, match="not a corpus, or an unfinished one"):
        Corpus.open(corpus)


def test_another_corpus_is_never_overwritten(tmp_path: Path) -> None:
    """Guards a corpus, finished or begun, against other documents and other settings."""
    path = write(tmp_path, "jsonl")
    index([path], tmp_path / "corpus")
    index([path], tmp_path / "corpus")  # the same again is no mistake
    with pytest.raises(InputError, match="another corpus is there"):
        index([path], tmp_path / "corpus", Settings(cutting=Cutting(stop=("common",))))
    (tmp_path / "new.partial").mkdir()
    (tmp_path / "new.partial" / "plan.json").write_text("other")
    with pytest.raises(InputError, match="or with other settings was begun here"):
        index([path], tmp_path / "new")


@pytest.mark.parametrize("kind", ["tsv", "jsonl"])
def test_a_mistake_before_anything_is_indexed_leaves_nothing(kind: str, tmp_path: Path) -> None:
    """Guards the second try: where the field of the id was wrong the command mended runs, and nothing is in its way."""
    path = tmp_path / f"docs.{kind}"
    path.write_text("number\ttext\n1\ta rose\n" if kind == "tsv" else '{"number": "1", "text": "a rose"}\n')
    for _ in range(2):
        with pytest.raises(InputError, match="no field"):
            index([str(path)], tmp_path / "corpus")
        assert not (tmp_path / "corpus.partial").exists()
    assert index([str(path)], tmp_path / "corpus", Settings(fields=Fields("number"))).documents == 1


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": "a", "text": ', "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"text": "x"}', "no field"),
        ('{"id": null}', "no id"),
        ('{"id": "a"} {"id": "b"}', "more than one JSON value"),
    ],
)
def test_bad_lines_are_told_with_their_place(tmp_path: Path, line: str, problem: str) -> None:
    """Guards messages: file, line and text of the first bad line, also in a later piece."""
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "d", "text": "fine"}\n' * 20 + line + "\n")
    with pytest.raises(InputError, match=problem) as told:
        index([str(path)], tmp_path / "corpus", Settings(piece=100))
    assert told.value.line == 21
    assert not (tmp_path / "corpus").exists()


KILLED = """
import sys, os, signal
from truegain.text import indexing as module
from pathlib import Path
module.FAN = 2
stop = int(sys.argv[1])
steps = 0
def counting(real):
    def step(*args, **kwargs):
        global steps
        steps += 1
        if steps == stop:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return step
for name in ("rename", "replace", "write_bytes", "unlink", "mkdir", "open"):
    setattr(Path, name, counting(getattr(Path, name)))
module.index([sys.argv[2]], sys.argv[3], module.Settings(piece=400), jobs=1)
print(steps)
"""


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def run_killed(stop: int, path: str, output: Path) -> subprocess.CompletedProcess[str]:
    """Index in a process that kills itself before a step on the disk."""
    command = [sys.executable, "-c", KILLED, str(stop), path, str(output)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ})


@pytest.mark.slow
def test_killed_at_any_step_and_started_again_it_is_the_same_corpus(tmp_path: Path) -> None:
    """Guards resuming: killed before every kind of step on the disk, the next start gives the same bytes."""
    path = write(tmp_path, "jsonl", {d: DOCS[d] for d in list(DOCS)[:12]})
    whole = run_killed(0, path, tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    expected, steps = tree(tmp_path / "whole"), int(whole.stdout)
    chosen = sorted({*np.linspace(1, steps, 12).astype(int).tolist(), steps - 2, steps - 1, steps})
    for stop in chosen:
        output = tmp_path / f"killed-{stop}"
        assert run_killed(stop, path, output).returncode == -signal.SIGKILL
        index([path], output, Settings(piece=400))
        assert tree(output) == expected, stop
        assert not Path(f"{output}.partial").exists()


@pytest.mark.slow
def test_killed_from_outside_twice(tmp_path: Path) -> None:
    """Guards the command itself: killed at moments it does not choose, then started again."""
    docs = {f"d{i}": " ".join(f"w{(i * j) % 997}" for j in range(60)) for i in range(20_000)}
    path = write(tmp_path, "jsonl", docs)
    command = [sys.executable, "-m", "truegain", "text", "index", path, "--memory", "64MiB", "-o"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True, capture_output=True)
    for wait in (0.4, 0.6):
        process = subprocess.Popen([*command, str(tmp_path / "killed")], stdout=subprocess.DEVNULL)
        time.sleep(wait)
        process.kill()
        process.wait()
    subprocess.run([*command, str(tmp_path / "killed")], check=True, capture_output=True)
    assert tree(tmp_path / "killed") == tree(tmp_path / "whole")


def test_a_full_disk_names_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against an input that is blamed for want of room, while counting and while merging."""
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path, "jsonl")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for module, name in ((counting, "keep"), (indexing, "_merge_terms")):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, full)
            with pytest.raises(TruegainError, match=r"^corpus: cannot be written: No space left on device"):
                index([path], Path("corpus"), Settings())
    with (
        pytest.raises(PieceError, match="a bug"),
        _told_as_here(Path("c.partial"), "c"),
    ):  # as it is where it is no input's
        raise PieceError("topic 1: a bug")


def test_a_file_without_documents_is_told(tmp_path: Path) -> None:
    """Guards "no documents were found", and that nothing stays."""
    (tmp_path / "docs.sgml").write_text("no document begins here\n")
    with pytest.raises(InputError, match=r"docs\.sgml: no documents were found"):
        index([str(tmp_path / "docs.sgml")], tmp_path / "corpus", Settings(kind="trec"))
    assert [path.name for path in tmp_path.iterdir()] == ["docs.sgml"]
