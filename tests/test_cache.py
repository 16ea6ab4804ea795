"""Results that are kept."""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path

import numpy as np
import pytest

from truegain.errors import DataWarning
from truegain.io.columns import Bools, Floats
from truegain.results import cache
from truegain.results.cache import ENDING, MARK, Cache
from truegain.stats.results import Estimate

KEY = {"inputs": {"a": "1"}, "measure": "P@10"}
KIND = {"one": Estimate, "many": Floats, "flag": Bools}


def made() -> dict[str, object]:
    """An answer and an array."""
    return {"one": Estimate("a", "P@10", 0.5, 0.4, 0.6), "many": np.arange(3.0), "flag": np.zeros((2, 2), np.bool_)}


def only(folder: Path) -> Path:
    """The one file that is kept."""
    (path,) = folder.glob(f"*{ENDING}")
    return path


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    """Guards a second asking: nothing is made, and it is the same; another key is another result."""
    Cache(tmp_path).of(KEY, made, KIND)
    again: dict[str, object] = Cache(tmp_path).of(KEY, lambda: pytest.fail("made again"), KIND)
    assert again["one"] == made()["one"]
    assert np.asarray(again["many"]).tolist() == [0, 1, 2]
    assert Cache(tmp_path).of({**KEY, "measure": "AP"}, lambda: 3) == 3
    assert (tmp_path / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("left", [slice(-1), slice(40), slice(0), slice(1, None)])
def test_what_is_damaged_is_made_again(tmp_path: Path, left: slice) -> None:
    """Guards files that were cut or changed: told once, made again, and kept anew."""
    Cache(tmp_path).of(KEY, made, KIND)
    path = only(tmp_path)
    path.write_bytes(path.read_bytes()[left])
    with pytest.warns(DataWarning, match="damaged; it is computed again"):
        assert Cache(tmp_path).of(KEY, lambda: 7) == 7
    assert Cache(tmp_path).of(KEY, lambda: pytest.fail("made again")) == 7


def poison(command: str) -> bytes:
    """A pickle that runs a command by names that our own modules have: `attrgetter`, a type, and a class with `os`."""

    def called(what: bytes, given: bytes) -> bytes:
        return what + b"(" + given + b"tR"

    def attribute(name: str) -> bytes:
        return called(b"ctruegain.study.variance\nattrgetter\n", b"V" + name.encode() + b"\n")

    names = called(attribute("of.__globals__.get"), b"ctruegain.results.cache\nCache\n")
    system = called(attribute("system"), called(names, b"Vos\n"))
    return called(system, b"V" + command.encode() + b"\n") + b"."


def test_a_file_runs_nothing(tmp_path: Path) -> None:
    """Guards those who share a folder: a file that would run a command is damaged, whatever its digest."""
    Cache(tmp_path).of(KEY, made, KIND)
    data = poison(f"touch {tmp_path}/ran")
    for packed in (zlib.compress(data), data):
        only(tmp_path).write_bytes(MARK + hashlib.sha256(packed).digest() + packed)
        with pytest.warns(DataWarning, match="damaged"):
            assert Cache(tmp_path).of(KEY, lambda: 7) == 7
    assert not (tmp_path / "ran").exists()


def test_without_a_folder_nothing_is_kept() -> None:
    """Guards the default."""
    assert Cache(None).of(KEY, lambda: 1) == 1
    assert Cache(None).of(KEY, lambda: 2) == 2


def test_a_folder_holds_so_much(tmp_path: Path) -> None:
    """Guards against growth without end: what was not asked for the longest goes, what was stays."""
    size = 3000
    keep = Cache(tmp_path, most=3 * size + 1000)
    rng = np.random.default_rng(1)
    for i in range(3):
        keep.of({"i": i}, lambda: rng.bytes(size))
        for path in tmp_path.glob(f"*{ENDING}"):  # a second goes by
            os.utime(path, ns=(0, path.stat().st_mtime_ns - 10**9))
    keep.of({"i": 0}, lambda: pytest.fail("made again"))
    keep.of({"i": 3}, lambda: rng.bytes(size))
    assert len(list(tmp_path.glob(f"*{ENDING}"))) == 3
    for i in (0, 2, 3):
        keep.of({"i": i}, lambda: pytest.fail("made again"))
    assert keep.of({"i": 1}, lambda: b"gone") == b"gone"


def test_one_that_is_larger_than_all_stays_alone(tmp_path: Path) -> None:
    """Guards a limit below a single result: it is kept, and nothing beside it."""
    keep = Cache(tmp_path, most=10)
    keep.of({"i": 1}, lambda: "a" * 100)
    keep.of({"i": 2}, lambda: "b" * 100)
    keep.of({"i": 2}, lambda: pytest.fail("made again"))
    only(tmp_path)


def test_other_code_of_one_version_makes_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards those who work on the code: what another state of it made is not taken."""
    Cache(tmp_path).of(KEY, lambda: 1)
    monkeypatch.setattr(cache, "code_digest", lambda _: "other")
    assert Cache(tmp_path).of(KEY, lambda: 2) == 2


def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    """Guards a page whose results cannot be kept: it is made all the same."""
    (tmp_path / "file").write_text("")
    keep = Cache(tmp_path / "file")
    with pytest.warns(DataWarning, match="cannot cache in .*file: ") as caught:
        assert [keep.of({"i": i}, lambda: 7) for i in range(2)] == [7, 7]
    assert len(caught) == 1
