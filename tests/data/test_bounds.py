"""How much is read: bombs, endless devices and endless lines are refused early, all else is read to the byte."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import resource
import sys
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import truegain as tg
from tests.text.whole_inputs import all_pieces
from truegain.io import files, plain_text
from truegain.io.files import read_bytes
from truegain.io.plain_text import LONGEST_LINE, zstd

LINE = b"1 Q0 d%d 1 2 s\n"


def gzip_bomb(piece: bytes, pieces: int) -> bytes:
    """Many times the same, packed without ever being whole."""
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([*(packer.compress(piece) for _ in range(pieces)), packer.flush()])


def xz_bomb(piece: bytes, pieces: int) -> bytes:
    """As `gzip_bomb`."""
    packer = lzma.LZMACompressor(preset=0)
    return b"".join([*(packer.compress(piece) for _ in range(pieces)), packer.flush()])


def zst_bomb(piece: bytes, pieces: int) -> bytes:
    """As `gzip_bomb`."""
    packer = zstd().ZstdCompressor()
    return b"".join([*(packer.compress(piece) for _ in range(pieces)), packer.flush()])


@pytest.mark.parametrize("bomb", [gzip_bomb, xz_bomb, zst_bomb])
def test_a_bomb_of_zeros_takes_no_memory(bomb: Callable[[bytes, int], bytes], tmp_path: Path) -> None:
    """Guards against unpacking all of it first: 64 MB of zeros are refused with less than 16 MB in use."""
    (tmp_path / "bomb").write_bytes(bomb(bytes(1 << 20), 64))
    tracemalloc.start()
    try:
        with pytest.raises(tg.InputError, match="bomb:1: a NUL byte"):
            read_bytes(tmp_path / "bomb")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_bomb_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the share of packed to unpacked size: above it and above a size it is refused, below either it is read."""
    monkeypatch.setattr(plain_text, "BOMB", 8 << 20)
    lines = b"\n" * (1 << 20)
    (tmp_path / "bomb.gz").write_bytes(gzip_bomb(lines, 12))
    with pytest.raises(tg.InputError, match=r"of compressed data unpack to more than 9\.4 MB .*unpack the file first"):
        read_bytes(tmp_path / "bomb.gz")
    (tmp_path / "small.gz").write_bytes(gzip_bomb(lines, 8))
    assert read_bytes(tmp_path / "small.gz") == lines * 8
    monkeypatch.setattr(plain_text, "MOST_TIMES", 1100)
    assert read_bytes(tmp_path / "bomb.gz") == lines * 12


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
@pytest.mark.parametrize("read", [tg.read_judgments, tg.read_runs, tg.read_ratings, tg.read_intents])
def test_devices_that_never_end(device: str, read: Callable[[str], object]) -> None:
    """Guards every reader against what has no end."""
    with pytest.raises(tg.InputError, match=f"{device}:.*(NUL byte|not UTF-8)"):
        read(device)


class _Endless(io.RawIOBase):
    """Standard input that repeats itself for ever and counts what was taken."""

    def __init__(self, text: bytes) -> None:
        self.text, self.taken = text, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        buffer[:] = (self.text * (len(buffer) // len(self.text) + 1))[: len(buffer)]
        self.taken += len(buffer)
        return len(buffer)


@pytest.mark.parametrize("text", [b"x", b" ", b"\0", b"1 Q0 d 1 2 s\n"])
def test_a_pipe_that_never_ends(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards pipes: an endless line ends after 2 pieces, endless lines at half of the memory."""
    monkeypatch.setattr(plain_text, "most_bytes", lambda: 10 << 20)
    endless = _Endless(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(endless)))
    says = "larger than 10.5 MB, half of" if b"\n" in text else "NUL byte" if b"\0" in text else "a line of more"
    with pytest.raises(tg.InputError, match=f"standard input.*{says}"):
        read_bytes("-")
    assert endless.taken <= (12 << 20 if b"\n" in text else 3 << 20)


def test_a_file_larger_than_memory_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards huge files: their size is known before they are read."""
    monkeypatch.setattr(plain_text, "most_bytes", lambda: 3 << 20)
    for size, fits in ((3 << 20, True), ((3 << 20) + 1, False)):
        (tmp_path / "r").write_bytes((b"\n" * (3 << 20))[: size - 1] + b"\n\n"[: 1 + size - (3 << 20)])
        if fits:
            assert len(read_bytes(tmp_path / "r")) == size
        else:
            with pytest.raises(tg.InputError, match="half of the available memory"):
                read_bytes(tmp_path / "r")
    assert plain_text.most_bytes() == 3 << 20


@pytest.mark.parametrize(
    ("pages", "group", "process", "half"),
    [
        (1000, None, -1, 2_048_000),
        (1000, "max\n", -1, 2_048_000),
        (1000, "3000000\n", -1, 1_500_000),
        (1000, "3000000\n", 2_000_000, 1_000_000),
        (1000, "5000000\n", 6_000_000, 2_048_000),
        (None, None, -1, sys.maxsize // 2),
    ],
)
def test_half_of_the_memory(
    pages: int | None, group: str | None, process: int, half: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the bound itself: the least of the machine's memory, the container's and the process's, halved."""
    known = {"SC_PAGE_SIZE": 4096} if pages is None else {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": pages}

    def sysconf(name: str) -> int:
        if name not in known:
            raise ValueError(name)
        return known[name]

    monkeypatch.setattr(os, "sysconf", sysconf)
    monkeypatch.setattr(resource, "getrlimit", lambda what: (process, -1) if what == resource.RLIMIT_AS else (1, 1))
    monkeypatch.setattr(plain_text, "MEMORY_MAX", tmp_path / "memory.max")
    if group is not None:
        (tmp_path / "memory.max").write_text(group)
    assert plain_text.most_bytes.__wrapped__() == half


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("before", [0, 1, 70_000])
@pytest.mark.parametrize(("length", "refused"), [(LONGEST_LINE, False), (LONGEST_LINE + 1, True)])
def test_the_longest_line(length: int, refused: bool, before: int, packed: bool, tmp_path: Path) -> None:
    """Guards the bound of 2^20 bytes a line to the byte, wherever pieces are cut, and the number of the line."""
    text = b"".join(LINE % i for i in range(before)) + b"#" * length + b"\n1 Q0 a 1 2 s\n"
    (tmp_path / "r").write_bytes(gzip.compress(text, 1) if packed else text)
    if refused:
        with pytest.raises(tg.InputError, match=f"r:{before + 1}: a line of more than 1 MB: '#####"):
            tg.read_runs(tmp_path / "r")
    else:
        assert len(tg.read_runs(tmp_path / "r")) == before + 1


def test_an_endless_line_says_whether_it_is_binary(tmp_path: Path) -> None:
    """Guards the reason: zeros behind sound lines are binary data."""
    (tmp_path / "r").write_bytes(LINE % 1 * 200_000 + bytes(3 << 20))
    with pytest.raises(tg.InputError, match="r:200001: a NUL byte"):
        tg.read_runs(tmp_path / "r")


def test_exports_may_be_one_line(tmp_path: Path) -> None:
    """Guards JSON exports, which stand in one line of any length."""
    task = '{"id": %d, "data": {"topic": "1", "doc": "d%d"}, "annotations": [%s]}'
    choice = '{"completed_by": "%s", "result": [{"type": "choices", "value": {"choices": ["%d"]}}]}'
    text = ",".join(task % (i, i, ",".join(choice % (who, i % 3) for who in "xy")) for i in range(6000))
    (tmp_path / "export.json").write_text(f"[{text}]")
    assert len(text) > LONGEST_LINE
    assert len(tg.read_ratings(tmp_path / "export.json")) == 12000


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, lambda t: zstd().compress(t)])
@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 13, 14, 15, 100])
def test_pieces_make_the_whole(
    size: int, pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards reading in pieces: every size around a multiple of a piece, characters cut or not, packed or not."""
    monkeypatch.setattr(files, "PIECE", 7)
    text = ("\u00e9\u6587a\n" * 20).encode()[:size].decode(errors="ignore").encode()
    (tmp_path / "x").write_bytes(pack(text))
    assert read_bytes(tmp_path / "x") == text


def test_a_pipe_gives_a_little_at_a_time(tmp_path: Path) -> None:
    """Guards named pipes whose first bytes come one by one: packed data is still told by them."""
    os.mkfifo(tmp_path / "pipe")
    data = gzip.compress(b"1 0 a 1\n")

    def feed() -> None:
        with (tmp_path / "pipe").open("wb", buffering=0) as stream:
            for byte in data:
                stream.write(bytes([byte]))

    writer = threading.Thread(target=feed)
    writer.start()
    assert read_bytes(tmp_path / "pipe") == b"1 0 a 1\n"
    writer.join()


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [("jsonl", "", "\n"), ("trec", "", "\n</DOC>"), ("csv", "id,text\n1,", "\n"), ("tsv", "id\ttext\n1\t", "\n")],
)
def test_a_document_has_an_end(
    kind: str, before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards indexing against bombs: a document that does not end is refused, one of several pieces is not."""
    from truegain.text import documents, pieces

    monkeypatch.setattr(pieces, "LARGEST", 4 << 20)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(before.encode()) + gzip_bomb(b" " * (1 << 20), 16))
    with pytest.raises(tg.InputError, match=r"bomb\.gz: no document ends within 4 MB"):
        list(all_pieces([str(tmp_path / "bomb.gz")], kind, documents.Fields(), 1 << 20))  # type: ignore[arg-type]
    (tmp_path / "long.gz").write_bytes(gzip.compress(f"{before}{' ' * (3 << 20)}{after}".encode()))
    assert list(all_pieces([str(tmp_path / "long.gz")], kind, documents.Fields(), 1 << 20))  # type: ignore[arg-type]


@pytest.mark.parametrize(("longest", "refused"), [(100, False), (99, True)])
def test_a_quoted_field_has_an_end(
    longest: int, refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a quote that is never closed: the lines behind it are one document, and may be so long only."""
    from truegain.text import documents, pieces

    monkeypatch.setattr(pieces, "LARGEST", longest)
    (tmp_path / "d.csv").write_text('id,text\n1,"' + "word\n" * 20 + '"\n')
    if refused:
        with pytest.raises(tg.InputError, match=r"d\.csv:2.: cannot be read: field larger than field limit \(99\)"):
            list(all_pieces([str(tmp_path / "d.csv")], "csv", documents.Fields(), 1 << 20))
    else:
        assert len(list(all_pieces([str(tmp_path / "d.csv")], "csv", documents.Fields(), 1 << 20))) == 1
