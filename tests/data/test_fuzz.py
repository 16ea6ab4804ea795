"""Whatever the bytes, reading ends in a table or in an error of ours: never another exception, never a hang."""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.data.nasty import NASTY_IDS
from truegain.io import trec
from truegain.io.plain_text import zstd

bounded = settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

QRELS = b"1 0 a 1\n1 0 b 0\r\n2 1 caf\xc3\xa9 2\n# note\n\n2 2 d 0.5\n"
RUN = b"1 Q0 a 1 12.345678901234567 s\n1 Q0 b 2 1.5e-300 s\n2 Q0 caf\xc3\xa9 1 -inf s\n2 Q0 d 2 .5 s more\n"
CSV = b'topic,doc,label,score,assessor,comment\n1,a,1,0.5,ann,"x, y"\n1,"b ""q""",0,0.25,bob,\n2,"c\nd",2,1e3,ann,"z"\n'
JSONL = (
    b'{"topic": 1, "doc": "a", "label": 1, "score": 2.5}\n{"topic": "x", "doc": "\\u00e9", "label": 0, "score": -1}\n'
)


def _parquet() -> bytes:
    stream = io.BytesIO()
    pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "b"], "label": [1, 0], "score": [0.5, 0.25]}).write_parquet(stream)
    return stream.getvalue()


PLAIN = (QRELS, RUN, CSV, CSV.replace(b",", b"\t"), JSONL, _parquet())
SEEDS = (
    *PLAIN,
    *(gzip.compress(p, mtime=0) for p in PLAIN),
    lzma.compress(RUN),
    zstd().compress(QRELS * 50),
)
PIECES = (
    b" ", b"\n", b"\r", b"\t", b"\0", b"#", b",", b'"', b"{", b"}", b"[", b"\xff", b"\xc3", b"nan", b"inf", b"-",
    b"1e999", b"\xef\xbb\xbf",
    b"1 Q0 a 1 1 s\n", b"topic,doc,label\n", b"PAR1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"9" * 600,
    b"0." + b"1" * 600, b"null", b"\\ud800",
    *(name.encode() for name in NASTY_IDS),
)  # fmt: skip
NAMES = ("f", "f.run", "f.csv", "f.tsv", "f.jsonl", "f.json", "f.parquet", "f.gz", "f.zst")


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=3)
keys = st.text(max_size=2) | st.integers() | st.none()


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A sound file after a few cuts, swaps and insertions."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(data)))
        change = draw(st.sampled_from(["insert", "delete", "replace", "repeat", "cut"]))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(min_size=1, max_size=4)))
        if change == "insert":
            data[at:at] = piece
        elif change == "replace":
            data[at : at + len(piece)] = piece
        elif change == "cut":
            del data[at:]
        else:
            span = data[at : at + draw(st.integers(1, 30))]
            data[at : at + len(span)] = b"" if change == "delete" else span * 2
    return bytes(data)


def try_everything(data: bytes, name: str) -> None:
    """Read bytes as judgments and as runs and evaluate them; errors of ours are fine."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        path = Path(folder) / name
        path.write_bytes(data)
        for use in (
            lambda: repr(tg.read_judgments(path).frame()),
            lambda: tg.read_runs(path, jobs=2).ordered_frame().rows(),
            lambda: tg.read_runs(path, name_by="tag"),
            lambda: str(tg.evaluate(path, {"1": {"a": 1}, "2": {"d": 1}}, ["P@5", "RR"])),
            lambda: str(tg.evaluate({"1": {"a": 1.0, "b": 0.5}, "2": {"d": 1.0}}, path, ["P@5", "RR"])),
            lambda: tg.write_judgments(tg.read_judgments(path), Path(folder) / "out"),
            lambda: tg.write_runs(tg.read_runs(path), Path(folder) / "out.jsonl"),
        ):
            with contextlib.suppress(tg.TruegainError):
                use()


@pytest.mark.slow
@bounded
@given(st.binary(max_size=300), st.sampled_from(NAMES))
def test_random_bytes(data: bytes, name: str) -> None:
    """Guards against crashes on files that are anything but runs or judgments."""
    try_everything(data, name)


@bounded
@given(mutated(), st.sampled_from(NAMES))
def test_mutated_files(data: bytes, name: str) -> None:
    """Guards against crashes on files that are nearly right, in every format."""
    try_everything(data, name)


@pytest.mark.slow
@bounded
@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join), st.integers(1, 40))
def test_pieces_in_small_chunks(data: bytes, chunk: int) -> None:
    """Guards the compiled scanner at the edges of chunks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "CHUNK", chunk)
        try_everything(data, "f")


@pytest.mark.slow
@bounded
@given(st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)))
def test_random_objects(data: Any) -> None:
    """Guards the conversion of Python objects: what is no run and no judgments is refused in plain words."""
    if isinstance(data, str) or (isinstance(data, list) and any(isinstance(d, str) for d in data)):
        return  # these are paths
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        for runs, judgments in ((data, {"1": {"a": 1}}), ({"1": {"a": 1.0}}, data)):
            with contextlib.suppress(tg.TruegainError):
                tg.evaluate(runs, judgments, "P@5")
