"""How much memory may be taken: what is said of it, and what is the same however much it is."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.streams.files import small_study
from tests.streams.outcomes import outcome, tiny
from truegain.io.columns import Names
from truegain.io.memory import memory_of, unpacked_size
from truegain.measures.catalogue import CATALOGUE, parse_measure
from truegain.measures.evaluate import is_of_topics_alone
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance import pairs as pair_tests


@pytest.fixture
def study(tmp_path: Path) -> list[str]:
    """Its files, in a folder of their own."""
    return small_study(tmp_path)


@pytest.mark.slow
def test_all_measures_are_the_same_in_batches(study: list[str]) -> None:
    """Guards every measure of the catalogue whose topics stand alone: the same bits, whichever topics are beside."""
    judgments, *runs = map(Path, study)
    at = {"cutoff": "@5", "recall": "@0.2"}
    names = [name + at.get(kind.AT or "", "") for name, kind in CATALOGUE.items()]
    names = [name for name in names if is_of_topics_alone(parse_measure(name))]
    assert len(names) > 30
    for name in names:
        at_once = outcome(runs, judgments, [name])
        with tiny(part=900, chunk=4000):
            assert outcome(runs, judgments, [name], memory=1) == at_once, name


def test_a_measure_that_sees_other_topics_is_not_read_in_batches(study: list[str]) -> None:
    """Guards max_rel='scale', the highest label of all topics: read at once, or refused, never by batch."""
    with pytest.raises(tg.InputError, match=r"needs about .* of memory, and the limit is 1 KB"):
        tg.evaluate(study[1:], study[0], "ERR(max_rel='scale')@5", memory=1)


@pytest.mark.parametrize("n", [41, 1002])
def test_signs_and_topics_are_the_same_in_pieces(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards p-values of many topics: drawn in pieces, signs and topics are those drawn at once, in the same order."""
    z = np.random.default_rng(n).normal(0.05, 1, (3, n))
    how = Trials(1300, most=2000, seed=5, jobs=1)
    p, found = pair_tests.randomization_p(z, how), pair_tests.bootstrap_p(z, how)
    block = (520, 990)
    signs = 1.0 - 2.0 * pair_tests._drawn(5, block, n, 2, np.int8)
    monkeypatch.setattr(pair_tests, "DRAWN", 3 * n + 1)
    monkeypatch.setattr(pair_tests, "COPIED", 3 * n + 1)
    monkeypatch.setattr(pair_tests, "PIECE", 64)
    assert np.abs(pair_tests._signed_sums(z, 5, block) - signs @ z.T).max() < 1e-10
    assert (pair_tests.randomization_p(z, how) == p).all()
    for one, other in zip(pair_tests.bootstrap_p(z, how), found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_sizes() -> None:
    """Guards how memory is written: with units, or not at all; a bare number in text could be bytes or MB."""
    assert [memory_of(x) for x in ("2GB", "1.5gb", "300 MB", "7k", "64MiB", 12, None)] == [
        2 * 10**9,
        15 * 10**8,
        3 * 10**8,
        7000,
        64 << 20,
        12,
        None,
    ]
    for bad in ("", "GB", "-1", "0", "64", "2 XB", True, "nan"):
        with pytest.raises(tg.TruegainError, match=r"memory .* is not a size"):
            memory_of(bad)


@pytest.mark.slow
def test_the_size_of_compressed_files_is_guessed(tmp_path: Path) -> None:
    """Guards the estimate, from the beginning of a file, within a tenth."""
    text = "".join(f"{t} Q0 document-{t * 7919 % 10007} 1 {t * 0.7:.3f} x\n" for t in range(200_000)).encode()
    (tmp_path / "x").write_bytes(text)
    (tmp_path / "y").write_bytes(gzip.compress(text))
    assert unpacked_size(tmp_path / "x") == len(text)
    assert abs(unpacked_size(tmp_path / "y") / len(text) - 1) < 0.1
    assert unpacked_size("-") == unpacked_size(tmp_path / "none") == 0


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("eval q a.run empty", "empty: the file is empty"),
        ("verdict q a.run empty", "empty: the file is empty"),
        ("compare q a.run empty --population collection -m P@10", "empty: the file is empty"),
        ("eval empty a.run", "empty: the file is empty"),
        ("compare q a.run - --population collection -m P@10", ""),
    ],
)
def test_what_begins_with_nothing(
    study: list[str], run: Run, monkeypatch: pytest.MonkeyPatch, command: str, said: str
) -> None:
    """Guards the estimate where there is no first line, of an empty file or standard input: the usual words."""
    judgments, _, other = map(Path, study)
    (judgments.parent / "empty").touch()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(other.read_bytes())))
    code, out, err = run(*command.split(), "--memory", "100KB")
    assert (code, bool(out)) == ((2, False) if said else (0, True)), err
    assert said in err


PEAK = """
import re, sys, truegain as tg
from truegain.io.memory import aligned_need
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) * 1024
tg.evaluate("small.run", "small.qrels", "AP", jobs=1)
before = peak()
tg.evaluate(sys.argv[1], sys.argv[2], "AP", jobs=1)
print(aligned_need(sys.argv[2], [sys.argv[1]], 1, 1) / (peak() - before))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="where the system tells the peak of a process alone")
def test_what_is_told_is_what_is_taken(tmp_path: Path) -> None:
    """Guards the estimate against the peak of a process: a long run, and many judgments, each on its own."""
    for name, lines in (("small", 10), ("large", 120_000)):
        rows = [(t // 50, t * 7919 % 1_000_003) for t in range(lines)]
        (tmp_path / f"{name}.run").write_text("".join(f"{t} Q0 doc-{d:08d} 1 {d * 0.7:.3f} bm25\n" for t, d in rows))
        (tmp_path / f"{name}.qrels").write_text("".join(f"{t} 0 doc-{d:08d} {d % 3}\n" for t, d in rows))
    for files in (("large.run", "small.qrels"), ("small.run", "large.qrels")):
        done = subprocess.run([sys.executable, "-c", PEAK, *files], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert 0.7 < float(done.stdout) < 1.6, files


def test_names() -> None:
    """Guards names kept as bytes: as a tuple of strings, whatever is asked of them."""
    strings = ("a", "", "töpic", "9", "z" * 300)
    names = Names.joined([Names.of(strings[:2]), Names.of([]), Names.of(strings[2:])])
    assert (len(names), tuple(names), names[-1], names[1:3]) == (5, strings, strings[-1], strings[1:3])
    assert names == strings
    assert names != strings[:4]
    with pytest.raises(IndexError):
        names[5]
