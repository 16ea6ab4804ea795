"""Indexing on engines: the same bytes from threads, processes, a cluster, and workers that see no output."""

from __future__ import annotations

import gzip
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.text.test_index import tree, write
from tests.text.whole_inputs import all_pieces
from truegain.errors import InputError
from truegain.io.columns import Ids
from truegain.parallel.jobs import Engine, JobAsked, Local, PieceError, run_on
from truegain.text import counting, indexing
from truegain.text import pieces as line_documents
from truegain.text import pieces as of_pieces
from truegain.text.corpus import Named
from truegain.text.counting import Settings
from truegain.text.documents import in_order, read
from truegain.text.indexing import index
from truegain.text.pieces import Fields, Kind

SMALL = Settings(piece=300)


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    """Lines, packed lines and a table with quotes; ids come again in the second and third."""
    plain = write(tmp_path, "jsonl")
    packed = tmp_path / "more.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(plain).read_bytes().replace(b'"d1', b'"e1')))
    return [plain, str(packed), write(tmp_path, "csv")]


@pytest.fixture
def expected(inputs: list[str], tmp_path: Path) -> dict[str, bytes]:
    """What threads make of them."""
    index(inputs, tmp_path / "threads", SMALL, jobs=3)
    return tree(tmp_path / "threads")


class Told(Engine):
    """An engine that hands everything over as a cluster does, by pickle, one piece at a time."""

    def __init__(self, before: Callable[[Any, int], None] = lambda shared, number: None) -> None:
        self.before, self.ran = before, 0

    def results(self, asked: JobAsked[Any, Any]) -> Iterator[Any]:
        """Results in order."""
        for piece in asked.pieces:
            self.before(asked.shared, self.ran)
            self.ran += 1
            given = pickle.loads(pickle.dumps((asked.work, asked.shared, piece)))
            yield pickle.loads(pickle.dumps(given[0](*given[1:], None)))


@pytest.mark.slow
def test_processes_make_the_same_corpus(inputs: list[str], expected: dict[str, bytes], tmp_path: Path) -> None:
    """Guards what travels to a process: pieces by path and place, answers in numbers; the corpus is that of threads."""
    with run_on(Local(2, "processes")):
        corpus = index(inputs, tmp_path / "corpus", SMALL)
    assert tree(tmp_path / "corpus") == expected
    assert corpus.problems["duplicates"] == 89


@pytest.mark.slow
def test_workers_elsewhere_open_the_file_by_its_whole_path(
    expected: dict[str, bytes], inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards paths relative to the folder of who asks, which is not that of the worker."""
    monkeypatch.chdir(tmp_path)
    engine = Told(lambda shared, number: os.chdir("/"))
    with run_on(engine):
        index([os.path.basename(path) for path in inputs], tmp_path / "corpus", SMALL)  # noqa: PTH119
    assert tree(tmp_path / "corpus") == expected


@pytest.mark.slow
def test_workers_that_do_not_see_the_output_send_it(
    inputs: list[str], expected: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards machines without a common disk: without the token nothing is written there, an answer is bounded."""
    monkeypatch.setattr(counting, "_AT_ONCE", 600)
    sizes: list[int] = []

    def hidden(shared: Any, number: int) -> None:
        (Path(shared[0].folder) / counting.TOKEN).unlink(missing_ok=True)
        sizes.append(len(list(Path(shared[0].folder).glob("part-*"))))

    engine = Told(hidden)
    real = indexing._done

    def restored(work: Any, shared: Any, groups: Any, engine: Any, here: Any) -> Any:
        """What sees the folder here finds its token again."""
        token = Path(shared[0].folder) / counting.TOKEN
        assert list(engine.run(work, groups, shared=shared)) == [None] * len(groups)
        token.write_text(shared[0].token)
        return real(work, shared, groups, here, here)

    monkeypatch.setattr(indexing, "_done", restored)
    with run_on(engine):
        index(inputs, tmp_path / "corpus", SMALL)
    assert tree(tmp_path / "corpus") == expected
    assert engine.ran > len(list(all_pieces(inputs[:1], None, Fields(), 300))) + 2 + 1, "packed files took rounds"


def test_groups_that_workers_cannot_merge_are_merged_here(inputs: list[str], tmp_path: Path) -> None:
    """Guards the way back of a merge: answers of workers that see nothing are made here, in their places."""
    place = counting.Place.prepared(tmp_path)
    blind = counting.Place(str(tmp_path), "another")

    class Blind(Told):
        def results(self, asked: JobAsked[Any, Any]) -> Iterator[Any]:
            most = asked.shared[1]  # type: ignore[index]
            return (asked.work((blind, most), piece, None) for piece in asked.pieces)  # type: ignore[arg-type]

    group = indexing.Group("", (), 0)
    assert list(Blind().run(indexing.merge_group, [group], shared=(place, 10))) == [None]
    assert indexing._done(
        lambda shared, piece, seed: shared[0].seen or None, (place, 1), [group] * 2, Blind(), Local(1)
    )


@pytest.mark.slow
@pytest.mark.parametrize("fan", [2, 3, 7])
def test_the_shape_of_the_tree_does_not_show(
    fan: int, inputs: list[str], expected: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards merging by groups of groups, a few names at a time: the same bytes as one merge of all pieces."""
    monkeypatch.setattr(indexing, "FAN", fan)
    real = indexing.merge
    monkeypatch.setattr(indexing, "merge", lambda place, parts, most, *rest: real(place, parts, 5, *rest))
    index(inputs, tmp_path / "corpus", SMALL, jobs=2)
    assert tree(tmp_path / "corpus") == expected


@pytest.mark.slow
def test_the_tree_with_only_some_documents(inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards ids that are not kept on their way up: they count as duplicates, and are no documents of the corpus."""
    settings = Settings(piece=300, only=Named.of(Ids.of(["d3", "e11", "e1"]))[0])
    index(inputs, tmp_path / "flat", settings)
    monkeypatch.setattr(indexing, "FAN", 2)
    corpus = index(inputs, tmp_path / "deep", settings, jobs=2)
    assert tree(tmp_path / "deep") == tree(tmp_path / "flat")
    assert (len(corpus.docs), corpus.problems["duplicates"]) == (3, 89)


def test_what_was_read_to_its_end_is_not_read_again(
    inputs: list[str], expected: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the next start: pieces and whole packed files that are done are neither counted nor read once more."""
    pieces = len(list(all_pieces(inputs[:1], None, Fields(), 300)))

    def fails(shared: Any, number: int) -> None:
        if number == pieces + 1:  # the lines and the packed file are done
            raise PieceError("the scheduler is gone")

    with run_on(Told(fails)), pytest.raises(PieceError, match="gone"):
        index(inputs, tmp_path / "corpus", SMALL)
    asked: list[str] = []
    monkeypatch.setattr(indexing, "FAN", 1000)

    def noted(path: str, *rest: Any) -> Iterator[Any]:
        asked.append(path)
        return in_order(path, *rest)

    monkeypatch.setattr(counting, "in_order", noted)
    engine = Told()
    with run_on(engine):
        index(inputs, tmp_path / "corpus", SMALL)
    assert tree(tmp_path / "corpus") == expected
    assert asked == [inputs[2]]
    assert engine.ran == 2, "the table, and one merge"


def test_a_worker_that_does_not_see_the_documents_says_so(tmp_path: Path) -> None:
    """Guards inputs on the disk of who asks alone: the message names the file and says where to put it."""
    path = Path(write(tmp_path, "jsonl"))
    with run_on(Told(lambda shared, number: path.unlink())), pytest.raises(InputError, match="does not see this file"):
        index([str(path)], tmp_path / "corpus", SMALL)


def test_a_bad_line_is_told_from_a_process(tmp_path: Path) -> None:
    """Guards errors that travel: kind, file and line are those that a thread tells."""
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "d", "text": "fine"}\n' * 20 + "[1]\n")
    with run_on(Local(1, "processes")), pytest.raises(InputError, match="not a JSON object") as told:
        index([str(path)], tmp_path / "corpus", Settings(piece=100))
    assert (told.value.file, told.value.line) == (str(path), 21)


@pytest.mark.parametrize("kind", ["jsonl", "trec"])
def test_stretches_share_the_documents_out(tmp_path: Path, kind: Kind) -> None:
    """Guards cutting without a look: whatever the size of a stretch, every document is in one, in order."""
    docs = {f"d{i}": "x" * (i * 37 % 101) for i in range(40)}
    path = write(tmp_path, kind, docs)
    for size in (6, 7, 20, 64, 101, 199, 5000):
        found = [name for p in all_pieces([path], None, Fields(), size) for name in read(p, Fields()).ids]
        assert found == list(docs), size


def test_a_plain_document_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a stretch that looks for the end of a document: not through a whole file that has none."""
    monkeypatch.setattr(of_pieces, "LARGEST", 4000)
    path = tmp_path / "docs.jsonl"
    path.write_text(" " * 3000 + '{"id": "a", "text": "b"}\n' + " " * 3000)
    found = [name for p in all_pieces([str(path)], None, Fields(), 100) for name in read(p, Fields()).ids]
    assert found == ["a"]
    monkeypatch.setattr(line_documents, "_SLACK", 100)
    path.write_text(" " * 30_000)
    with pytest.raises(InputError, match="no document ends within"):
        read(next(all_pieces([str(path)], None, Fields(), 100)), Fields())
