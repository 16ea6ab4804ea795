"""The command as a shell runs it: streams that are closed or full, names that are no text, other locales."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 \xc3\xa9 1\n"
RUN = b"1 Q0 a 1 2.5 s\n1 Q0 b 2 1.5 s\n2 Q0 a 1 0.5 s\n2 Q0 \xc3\xa9 2 0.25 s\n"
COMMAND = f"{sys.executable} -m truegain"
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Judgments and a run."""
    (tmp_path / "q").write_bytes(QRELS)
    (tmp_path / "r").write_bytes(RUN)
    return tmp_path


def shell(folder: Path, line: str, **variables: str) -> tuple[int, bytes, str]:
    """Exit code, output and errors of a line of the shell, none of them a traceback."""
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace("truegain", COMMAND)],
        cwd=folder,
        capture_output=True,
        env={**os.environ, **variables},
        timeout=120,
    )
    told = done.stderr.decode()
    assert "Traceback" not in told
    assert "Exception ignored" not in told
    return done.returncode, done.stdout, told


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("truegain eval q r -m P@5 > /dev/full", "standard output: cannot be written: No space left on device"),
        ("truegain eval q r -m P@5 >&-", "standard output: cannot be written: it is closed"),
        ("truegain measures >&-", "standard output: it is closed"),
        ("truegain measures > /dev/full", "standard output: No space left on device"),
        ("truegain eval - r <&-", "standard input: cannot be read: it is closed"),
        ("truegain eval q /dev/zero", "/dev/zero:1: a NUL byte"),
    ],
)
def test_closed_full_and_endless_streams(line: str, says: str, folder: Path) -> None:
    """Guards a full disk, closed streams and devices that never end: exit code 2 and the reason, at once."""
    code, _, told = shell(folder, line)
    assert code == 2
    assert says in told


def test_output_is_whole_or_an_error_without_buffers(folder: Path) -> None:
    """Guards a stream that takes a part of what is written: half a table must not end with exit code 0."""
    line = "ulimit -f 1; trap '' XFSZ; truegain eval q r -q -m P@1 -m P@2 -m P@3 -m P@4 -m P@5 --format json > out"
    code, _, _ = shell(folder, line, PYTHONUNBUFFERED="1")
    assert code == 2
    assert (folder / "out").stat().st_size <= 1024


def test_a_file_too_large_leaves_nothing_behind(folder: Path) -> None:
    """Guards a disk that fills up while a file is written: no part of it, no temporary file, exit code 2."""
    line = "ulimit -f 1; trap '' XFSZ; truegain eval q r -q -m P@1 -m P@2 -m P@3 -m P@4 -m P@5 -o out.json"
    code, _, told = shell(folder, line)
    assert code == 2
    assert "out.json: cannot be written: File too large" in told
    assert sorted(path.name for path in folder.iterdir()) == ["q", "r"]


def test_nothing_is_said_where_nobody_listens(folder: Path) -> None:
    """Guards closed standard errors: a mistake keeps its exit code, a good command its file."""
    assert shell(folder, "truegain eval q nope 2>&-")[:2] == (2, b"")
    assert shell(folder, "truegain eval q r -m P@1 -o out.csv <&- >&- 2>&-")[0] == 0
    assert (folder / "out.csv").read_text() == "system,topic,measure,value\nr,all,P@1,1.0\n"


def test_file_names_that_are_not_text(folder: Path) -> None:
    """Guards bytes of a file name that are not UTF-8: escaped in every format and message."""
    (folder / "r").rename(folder / os.fsdecode(b"b\xff.run"))
    for chosen in ("table", "json"):
        code, out, _ = shell(folder, f"truegain eval q b* -m P@5 --format {chosen}")
        assert code == 0
        assert b"xff" in out
        assert out.decode().isascii()
    code, _, told = shell(folder, "truegain eval b*.run q")
    assert code == 2
    assert r"b\xff.run:1: a judgments line" in told


def test_the_c_locale(folder: Path) -> None:
    """Guards names and ids beyond ASCII where the locale knows only ASCII."""
    (folder / "\u00fc.run").write_bytes(RUN)
    code, out, _ = shell(folder, "truegain eval q \u00fc.run -m P@5", **C_LOCALE)
    assert (code, out.decode().splitlines()[1]) == (0, "\u00fc       0.3000")
    code, _, told = shell(folder, "truegain eval q nope-\u00e9", **C_LOCALE)
    assert code == 2
    assert "no such file" in told
    assert shell(folder, "truegain eval --help", **C_LOCALE)[0] == 0
