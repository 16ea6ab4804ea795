"""What is written to disk on the way: nothing that stays, nothing that does not fit, nothing that need not be."""

from __future__ import annotations

import errno
import gzip
import io
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from tests.streams.outcomes import outcome, tiny
from truegain.data.batches import Batches
from truegain.data.run import Run
from truegain.io import chunks, memory, remote

TOPICS = [str(t) for t in range(1, 31)]
LABELS = [f"{t} 0 d{d} {d % 2}\n" for t in TOPICS for d in range(3)]
ROWS = [f"{t} Q0 d{d} {d + 1} {9 - d} x\n" for t in TOPICS for d in range(4)]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """Judgments and a run, both stirred; temporary files go to a folder of their own, which stays empty."""
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    monkeypatch.setenv("TMPDIR", str(spare))
    random.Random(3).shuffle(rows := ROWS.copy())
    random.Random(4).shuffle(labels := LABELS.copy())
    (tmp_path / "q").write_text("".join(labels))
    (tmp_path / "r").write_text("".join(rows))
    yield tmp_path / "q", tmp_path / "r"
    assert list(spare.iterdir()) == []


def test_nothing_is_left(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the disk: after an answer, an error and an interruption no copy stays (the fixture looks)."""
    judgments, run = files
    with tiny():
        assert outcome([run], judgments, ["AP"], memory=1) == outcome([run], judgments, ["AP"])
        run.write_text(run.read_text() + "7 Q0 d0 1 2 x\n")
        with pytest.raises(tg.InputError, match="appears twice"):
            tg.evaluate(run, judgments, "AP", memory=1)

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(chunks.PartedFile, "text", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tg.evaluate(run, judgments, "AP", memory=1)


@pytest.mark.few(2)
@pytest.mark.parametrize("kept", [1 << 20, 100], ids=["in memory", "on disk"])
@pytest.mark.parametrize(("packed", "bad"), [(False, ""), (True, ""), (False, "7 Q0 d9 1 high x\n")])
def test_what_is_read_once_is_read_in_batches(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, packed: bool, bad: str, kept: int
) -> None:
    """Guards standard input, pipes, and addresses that tell no size: in batches, as a file is read."""
    judgments, run = files
    run.write_text(run.read_text() + bad)
    expected = outcome([run], judgments, ["AP"], name_by="tag")
    data = gzip.compress(run.read_bytes()) if packed else run.read_bytes()
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").pipe_file("/once/r", data)
    monkeypatch.setattr(remote, "size_of", lambda _: 0)
    monkeypatch.setattr(memory, "SPOOLED", 1 / kept)
    made: list[Batches] = []

    def noted(self: Batches) -> None:
        made.append(self)

    monkeypatch.setattr(Batches, "check_unchanged", noted)
    begin, end = os.pipe()
    os.write(end, data)
    os.close(end)
    for name, shown in (("-", "standard input"), (f"/dev/fd/{begin}", f"/dev/fd/{begin}"), ("memory://once/r",) * 2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with tiny():
            found = outcome([name], judgments, ["AP"], memory=1, name_by="tag")
        told = [one.replace(shown, str(run)) if isinstance(one, str) else one for one in found]
        told = [one | {"runs": "r"} if isinstance(one, dict) else one for one in told]  # how it was made
        assert told == list(expected), name
    os.close(begin)
    assert len(made) == (0 if bad else 3)


def test_sorted_files_are_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards sorted files, as bytes and as numbers: they are read where they lie; a file in pieces is copied."""
    made: list[int] = []

    def spare() -> io.BytesIO:
        made.append(1)
        return io.BytesIO()

    monkeypatch.setattr(chunks, "spare_file", spare)
    (tmp_path / "q").write_text("".join(LABELS))
    for name, rows in (("numbers", ROWS), ("bytes", sorted(ROWS))):
        (tmp_path / name).write_text("".join(rows))
        with tiny(stretches=60):
            tg.evaluate(tmp_path / name, tmp_path / "q", "AP", memory=1)
    assert not made
    random.Random(1).shuffle(rows := ROWS.copy())
    (tmp_path / "stirred").write_text("".join(rows))
    with tiny(stretches=60):
        tg.evaluate(tmp_path / "stirred", tmp_path / "q", "AP", memory=1)
    assert made


@pytest.mark.slow
def test_a_disk_without_room_is_told_before(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the message where a copy would not fit: how much it takes, how much there is, what to do."""
    judgments, run = files
    free = type("Free", (), {"free": 7000})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    run.write_text("".join(f"{t % 97} Q0 d{t} 1 1.5 x\n" for t in range(900)))
    said = r"r: a copy of it takes 1\d KB on disk, and .*spare has 7 KB .*TMPDIR"
    with tiny(), pytest.raises(tg.InputError, match=said):
        tg.evaluate(run, judgments, "AP", memory=1)


def test_a_folder_of_copies_that_is_not_there_is_told(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards TMPDIR with a typing error: another folder, perhaps a small one, is not taken in its place."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(files[0].parent / "nowhere"))
    with tiny(), pytest.raises(tg.TruegainError, match=r"TMPDIR is .*nowhere, where no file can be written"):
        tg.evaluate(files[1], files[0], "AP", memory=1)


@pytest.mark.parametrize("packed", [False, True])
def test_a_disk_that_fills_up_is_told(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    """Guards against a traceback, or wrong scores, where the disk fills up while a copy is written."""
    judgments, run = files

    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    for module in (chunks, chunks):
        monkeypatch.setattr(module, "spare_file", Full)
    if packed:
        run.write_bytes(gzip.compress(run.read_bytes()))
    with tiny(), pytest.raises(tg.InputError, match=r"a copy of it cannot be written in .*: No space left on device"):
        tg.evaluate(run, judgments, "AP", memory=1)


@pytest.mark.parametrize("stretches", [0, 1000])
def test_lines_are_those_of_the_file(files: tuple[Path, Path], stretches: int) -> None:
    """Guards the numbers of lines that errors name, in a copy and where lines were left: those of the file given."""
    judgments, run = files
    lines = run.read_text().splitlines(keepends=True)
    for place in (0, 41, 119):
        lines[place:place] = [bad := f"{lines[place].split()[0]} Q0 d9 1 high x\n"]
        run.write_text("".join(lines))
        with tiny(part=200, stretches=stretches), pytest.raises(tg.InputError) as caught:
            tg.evaluate(run, judgments, "AP", memory=1)
        assert (caught.value.line, caught.value.text) == (place + 1, bad.rstrip())
        del lines[place]


def test_a_file_that_changes_meanwhile_is_refused(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against scores of two versions of a file: parts are read one after the other."""
    judgments, run = files
    read = Batches.run

    def meanwhile(self: Batches, part: int, number: int) -> Run:
        with run.open("a") as stream:
            stream.write("# more\n")
        return read(self, part, number)

    monkeypatch.setattr(Batches, "run", meanwhile)
    with tiny(), pytest.raises(tg.InputError, match="r: the file changed while it was being read"):
        tg.evaluate(run, judgments, "AP", memory=1)
