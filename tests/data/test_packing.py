"""Compressed files are read whole or refused: damage is never scored without what it hid."""

from __future__ import annotations

import io
import lzma
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import truegain as tg
from truegain.io import plain_text
from truegain.io.chunks import line_file
from truegain.io.files import pieces_of, read_bytes
from truegain.io.plain_text import DamagedError, packed, unpacking
from truegain.judging.study.files import rows_of
from truegain.text.pieces import opened as text_opened

ONE, TWO = b"1 0 a 1\n1 0 b 0\n", b"2 0 a 1\n2 0 c 2\n"
TOOLS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
ENDINGS = list(TOOLS)
SKIPPED = b"\x5a\x2a\x4d\x18\x03\0\0\0abc"  # a frame of zstandard that holds no data


def two(ending: str) -> bytes:
    """A file of two members."""
    return packed(ONE, ending) + packed(TWO, ending)


def found(data: bytes) -> bytes | None:
    """What is read of packed bytes; None where they are refused, or not told as packed."""
    stream = unpacking(data, io.BytesIO(data))
    try:
        return None if stream is None else stream.read()
    except DamagedError:
        return None


def flips(data: bytes, step: int = 1) -> Iterator[bytes]:
    """The data with one bit flipped, every one in turn."""
    for bit in range(0, 8 * len(data), step):
        held = bytearray(data)
        held[bit // 8] ^= 1 << bit % 8
        yield bytes(held)


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_flipped_bit_changes_what_is_read(ending: str, tmp_path: Path) -> None:
    """Guards the issue's fault and all like it: one bit flipped anywhere in two members is refused, or changes nothing.

    Those in the first bytes hide what the file is: then it is no text, and refused as such.
    """
    refused, path = 0, tmp_path / f"q{ending}"
    for data in flips(two(ending)):
        assert found(data) in (None, ONE + TWO)
        refused += found(data) is None
        if unpacking(data, io.BytesIO(data)) is None:
            path.write_bytes(data)
            with pytest.raises(tg.InputError):
                tg.read_judgments(path)
    assert refused > len(two(ending)) * 8 // 2


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_cut_is_read_but_one_between_members(ending: str) -> None:
    """Guards truncation at every byte: only where a member ends is what is left a whole file."""
    whole, first = two(ending), len(packed(ONE, ending))
    assert [at for at in range(1, len(whole)) if found(whole[:at]) is not None] == [first]
    assert found(whole[:first]) == ONE


def faults(ending: str) -> dict[str, tuple[bytes, bool]]:
    """Files by what is done to them, and whether they are legal."""
    one, last, empty, both = packed(ONE, ending), packed(TWO, ending), packed(b"", ending), two(ending)
    zeros = {count: ending == ".gz" or (ending == ".xz" and count % 4 == 0) for count in (1, 2, 3, 4, 5, 8, 1 << 18)}
    return {
        "two members": (both, True),
        "empty first": (empty + both, True),
        "empty between": (one + empty + last, True),
        "empty last": (both + empty, True),
        "text after": (both + b"tail", False),
        "another magic after": (both + b"\x1f\x8c" + last, False),
        "half a magic after": (both + both[:2], False),
        "a cut member after": (both + last[:-1], False),
        "zeros and text after": (both + bytes(4) + b"tail", False),
        "zeros between": (one + bytes(4) + last, ending == ".xz"),
        "a zero between": (one + bytes(1) + last, False),
        "skipped frame between": (one + SKIPPED + last, ending == ".zst"),
        "skipped frame first": (SKIPPED + both, ending == ".zst"),
        "skipped frame last": (both + SKIPPED, ending == ".zst"),
        "skipped frame cut": (both + SKIPPED[:-1], False),
        "another kind after": (one + packed(TWO, ".xz" if ending == ".gz" else ".gz"), False),
        **{f"{count} zeros after": (both + bytes(count), legal) for count, legal in zeros.items()},
    }


@pytest.mark.parametrize("fault", faults(".gz"))
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_follows_a_member(ending: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the end of every member: another, padding as the format has it, or a refusal; however it is cut."""
    data, legal = faults(ending)[fault]
    assert found(data) == (ONE + TWO if legal else None)
    monkeypatch.setattr(plain_text, "_READ", 3)
    assert len(data) > 9999 or found(data) == (ONE + TWO if legal else None)


@pytest.mark.parametrize("ending", ENDINGS)
def test_as_strict_as_the_tools(ending: str) -> None:
    """Guards all of it by gzip, bzip2, xz and zstd: what they take is taken, with their bytes; the rest is refused.

    bzip2 alone leaves out what is no member after a first one, with a word on standard error: here it is refused.
    zstd also reads gzip's members, even after its own: a file of two kinds is refused here.
    """
    tool = shutil.which(TOOLS[ending])
    if tool is None:
        pytest.skip(f"{TOOLS[ending]} is not installed")
    whole, done = two(ending), [f for name, (f, _) in faults(ending).items() if name != "another kind after"]
    for data in [*done, *flips(whole, 17), *(whole[:at] for at in range(1, 60, 9))]:
        theirs = subprocess.run([tool, "-dc"], input=data, capture_output=True, check=False)
        refused = theirs.returncode != 0 or b"trailing garbage" in theirs.stderr
        assert found(data) == (None if refused else theirs.stdout)


def test_a_checksum_of_an_unknown_kind_is_refused() -> None:
    """Guards xz files whose check liblzma does not know, and so would not look at: xz -t ends with a warning."""
    plain = lzma.compress(ONE, check=lzma.CHECK_CRC32)
    flags = b"\0\x02"  # one of the reserved kinds, which has four bytes, as CRC32
    size = plain[-8:-4]
    header = plain[:6] + flags + zlib.crc32(flags).to_bytes(4, "little")
    footer = zlib.crc32(size + flags).to_bytes(4, "little") + size + flags + b"YZ"
    assert found(plain) == ONE
    assert lzma.decompress(header + plain[12:-12] + footer) == ONE
    assert found(header + plain[12:-12] + footer) is None


def test_what_is_written_has_a_checksum() -> None:
    """Guards .zst files written here: zstandard's is optional, and without it a flipped bit may pass any reader."""
    info = packed(ONE * 50, ".zst")
    assert info[4] & 4, "the flag of the frame's header"
    assert found(info) == ONE * 50


def _in_batches(path: Path) -> bytes:
    with ExitStack() as open_files:
        file = line_file(str(path), open_files)
        return file.read(0, file.size)


def _text(path: Path) -> bytes:
    with text_opened(str(path)) as (stream, _):
        return stream.read()


def _judging(path: Path) -> bytes:
    faults: list[str] = []
    rows = list(rows_of(path, faults, names={}))
    if faults:
        raise tg.InputError(faults[0])
    return b"".join(f"{row}\n".encode() for row in rows)


def _remote(path: Path) -> bytes:
    pytest.importorskip("fsspec").filesystem("memory").pipe_file("/packing/q", path.read_bytes())
    return read_bytes("memory://packing/q")


def _standard_input(path: Path) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        return read_bytes("-")


WAYS: dict[str, Callable[[Path], bytes]] = {
    "whole": read_bytes,
    "piece by piece": lambda path: b"".join(pieces_of(path)),
    "in batches": _in_batches,
    "documents": _text,
    "judging": _judging,
    "address": _remote,
    "standard input": _standard_input,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_way_of_reading_refuses_a_damaged_member(ending: str, way: str, tmp_path: Path) -> None:
    """Guards that all who read use one decoder: a bit flipped in the second header is told, wherever it is read."""
    path = tmp_path / f"q.tsv{ending}"
    first = packed(b"id\ttext\na\tone\n", ending)
    path.write_bytes(first + packed(b"b\ttwo\n", ending))
    assert b"two" in WAYS[way](path)
    data = bytearray(path.read_bytes())
    data[len(first)] ^= 1
    path.write_bytes(data)
    with pytest.raises(tg.InputError, match=r"damaged compressed data: the bytes after member 1 are not"):
        WAYS[way](path)


def test_a_damaged_second_member_is_not_scored_without(tmp_path: Path) -> None:
    """Guards the issue's own case: AP .6667 was told as .8333 where the second member's header had one bit flipped."""
    (tmp_path / "r.run").write_text("1 Q0 a 1 3 s\n1 Q0 x 2 2 s\n2 Q0 x 1 3 s\n2 Q0 c 2 2 s\n")
    qrels = packed(b"1 0 a 1\n", ".xz")
    for flipped, expected in ((0, 0.75), (1, None)):
        second = bytearray(packed(b"2 0 c 1\n", ".xz"))
        second[7] ^= flipped
        (tmp_path / "q.xz").write_bytes(qrels + second)
        if expected is None:
            with pytest.raises(tg.InputError, match="damaged compressed data: xz, member 2"):
                tg.evaluate(tmp_path / "r.run", tmp_path / "q.xz", ["AP"])
        else:
            assert tg.evaluate(tmp_path / "r.run", tmp_path / "q.xz", ["AP"]).mean() == expected
