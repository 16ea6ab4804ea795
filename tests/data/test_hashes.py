"""Hashes of document ids: known answers, the same on every machine and on both ways through the reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from truegain.io import _scan

KNOWN = {  # also printed by the same C on s390x, which is big-endian, under qemu
    b"": 0x17FB89EE35ED72B0,
    b"a": 0xEB37AC4997E8D250,
    b"FT911-3": 0x0D5529F600EE5546,
    b"clueweb": 0x80117A99B00D367A,
    b"FBIS3-10082": 0x4EFA78AE33B19A61,
    b"LA010189-0001": 0x2F2AB6B6975927DA,
    "\u00e9\u6771\u4eac".encode(): 0x605465996DA41809,
    bytes(range(33)): 0xE4368D998FBA72DA,
}
ALL = 2**64 - 1


def mixed(h: int) -> int:
    """A step of the hash."""
    h ^= h >> 32
    h = h * 0xD6E8FEB86659FD93 & ALL
    return h ^ h >> 29


def hash_of(text: bytes) -> int:
    """The hash in plain Python: eight bytes at a time, the first of them the lowest."""
    h = 0x9E3779B97F4A7C15 ^ len(text)
    for at in range(0, len(text), 8):
        h = mixed(h ^ int.from_bytes(text[at : at + 8], "little"))
    return mixed(h)


def compiled(ids: list[bytes]) -> list[int]:
    """The hashes by C."""
    length = np.array([len(one) for one in ids], np.int32)
    start = (np.cumsum(length) - length).astype(np.int64)
    found = np.zeros(len(ids), np.uint64)
    _scan.hash_ids(b"".join(ids), start, length, found)
    return [int(one) for one in found]


def test_known_answers() -> None:
    """Guards collections that were drawn and files that were written: a document's hash never changes."""
    assert compiled(list(KNOWN)) == list(KNOWN.values())
    assert [hash_of(text) for text in KNOWN] == list(KNOWN.values())


@pytest.mark.parametrize("length", range(1, 25))
def test_every_length(length: int) -> None:
    """Guards the bytes at the end: whole words, and 1 to 7 bytes beyond them."""
    texts = [bytes((7 * i + j) % 251 + 1 for j in range(length)) for i in range(20)]
    assert compiled(texts) == [hash_of(text) for text in texts]


def test_files_give_the_same(tmp_path: Path) -> None:
    """Guards the quick way through files, which loads eight bytes where they are, and the last lines, which cannot."""
    names = [f"d{'x' * (i % 19)}{i}" for i in range(400)]
    (tmp_path / "q").write_text("".join(f"1 0 {name} 1\n" for name in names))
    judgments = tg.read_judgments(tmp_path / "q")
    ids = judgments.docs
    assert sorted(int(one) for one in ids.hash) == sorted(hash_of(name.encode()) for name in names)
