"""The command as a shell runs it: streams that are closed or full, names that are no text, other locales, cores."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from truegain.__main__ import main as entry
from truegain.cli import app
from truegain.cli.app import THREADS

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


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("truegain eval q r -m P@5 > /dev/full", "standard output: cannot be written: No space left on device"),
        ("truegain eval q r -m P@5 >&-", "standard output: cannot be written: it is closed"),
        ("truegain measures >&-", "standard output: it is closed"),
        ("truegain measures > /dev/full", "standard output: No space left on device"),
        ("truegain eval - r <&-", "standard input: cannot be read: it is closed"),
        ("truegain eval q /dev/zero", "/dev/zero:1: a NUL byte"),
        ("truegain --help > /dev/full", "standard output: No space left on device"),
        ("ulimit -f 0; trap '' XFSZ; truegain text index docs.jsonl -o ix", "ix: cannot be written: File too large"),
        ("truegain text index docs.jsonl -o q/ix", "q/ix: cannot be written: Not a directory"),
        ("truegain eval --nope 2> /dev/full", ""),
    ],
)
def test_closed_full_and_endless_streams(line: str, says: str, folder: Path) -> None:
    """Guards a full disk, closed streams and devices that never end: exit code 2 and the reason, at once."""
    (folder / "docs.jsonl").write_text('{"id": "d", "text": "some words"}\n')
    code, _, told = shell(folder, line)
    assert code == 2
    assert says in told


@pytest.mark.few(1)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_only_failures_of_standard_output_are_called_so(unbuffered: str, folder: Path) -> None:
    """Guards the blame: an error without a name, raised while standard output is sound, is told without a place."""
    (folder / "fails.py").write_text(
        "import sys\n"
        "from truegain.cli import app, measures\n"
        "def fail():\n"
        "    print('some output')\n"
        "    raise OSError(27, 'File too large')\n"
        "measures.measures_command = fail\n"
        "sys.argv = ['truegain', 'measures']\n"
        "app.main()\n"
    )
    code, out, told = shell(folder, f"{sys.executable} fails.py", PYTHONUNBUFFERED=unbuffered)
    assert (code, out) == (2, b"some output\n")
    assert told.startswith("error: File too large (")


@pytest.mark.slow
def test_standard_input_has_no_digest(folder: Path) -> None:
    """Guards '-' where a file has that name: it was read once as standard input, and is not read again."""
    (folder / "-").write_text("another file")
    code, out, _ = shell(folder, "cat q | truegain eval - r -m P@5 --format json")
    assert code == 0
    assert json.loads(out)["provenance"]["inputs"]["standard input"] is None


def interrupt(line: str, pipe: Path) -> tuple[int, str]:
    """Exit code and errors of a command that is interrupted while it waits for a pipe."""
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, "-m", "truegain", *line.split()], cwd=pipe.parent, stderr=subprocess.PIPE, text=True
    )
    with pipe.open("wb"):  # opens when the command does
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
    assert "Traceback" not in told
    return process.returncode, told


@pytest.mark.slow
def test_an_interruption_is_told_by_every_command(folder: Path) -> None:
    """Guards Ctrl-C where no progress is shown: typer alone would end without a word."""
    assert interrupt("aggregate pipe --aggregate mean -o g.csv", folder / "pipe") == (
        130,
        "interrupted; nothing was written\n",
    )
    assert not (folder / "g.csv").exists()


@pytest.mark.slow
def test_an_interruption_tells_what_is_left(folder: Path) -> None:
    """Guards 'nothing was written' where that is not so: the folder of an index that was begun is named."""
    (folder / "docs.jsonl").write_text('{"id": "d", "text": "some words"}\n')
    (folder / "stopped.py").write_text(
        "import sys\n"
        "from truegain.cli import app\n"
        "from truegain.text import indexing\n"
        "def stop(*given):\n"
        "    raise KeyboardInterrupt\n"
        "indexing.merge = stop\n"
        "sys.argv = ['truegain', 'text', 'index', 'docs.jsonl', '-o', 'ix']\n"
        "app.main()\n"
    )
    code, _, told = shell(folder, f"{sys.executable} stopped.py")
    assert code == 130
    assert told == f"interrupted: 1 pieces indexed; written: {folder.resolve() / 'ix.partial'}\n"
    assert (folder / "ix.partial").is_dir()


@pytest.mark.slow
def test_output_is_whole_or_an_error_without_buffers(folder: Path) -> None:
    """Guards a stream that takes a part of what is written: half a table must not end with exit code 0."""
    line = "ulimit -f 1; trap '' XFSZ; truegain eval q r -q -m P@1 -m P@2 -m P@3 -m P@4 -m P@5 --format json > out"
    code, _, _ = shell(folder, line, PYTHONUNBUFFERED="1")
    assert code == 2
    assert (folder / "out").stat().st_size <= 1024


@pytest.mark.slow
def test_a_file_too_large_leaves_nothing_behind(folder: Path) -> None:
    """Guards a disk that fills up while a file is written: no part of it, no temporary file, exit code 2."""
    line = "ulimit -f 1; trap '' XFSZ; truegain eval q r -q -m P@1 -m P@2 -m P@3 -m P@4 -m P@5 -o out.json"
    code, _, told = shell(folder, line)
    assert code == 2
    assert "out.json: cannot be written: File too large" in told
    assert sorted(path.name for path in folder.iterdir()) == ["q", "r"]


@pytest.mark.slow
def test_nothing_is_said_where_nobody_listens(folder: Path) -> None:
    """Guards closed standard errors: a mistake keeps its exit code, a good command its file."""
    assert shell(folder, "truegain eval q nope 2>&-")[:2] == (2, b"")
    assert shell(folder, "truegain eval q r -m P@1 -o out.csv <&- >&- 2>&-")[0] == 0
    assert (folder / "out.csv").read_text() == "system,topic,measure,value\nr,all,P@1,1.0\n"


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_c_locale(folder: Path) -> None:
    """Guards names and ids beyond ASCII where the locale knows only ASCII."""
    (folder / "\u00fc.run").write_bytes(RUN)
    code, out, _ = shell(folder, "truegain eval q \u00fc.run -m P@5", **C_LOCALE)
    assert (code, out.decode().splitlines()[1]) == (0, "\u00fc       0.3000")
    code, _, told = shell(folder, "truegain eval q nope-\u00e9", **C_LOCALE)
    assert code == 2
    assert "no such file" in told
    assert shell(folder, "truegain eval --help", **C_LOCALE)[0] == 0


@pytest.mark.few(1)
@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="names of open files are this system's own")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "link", "/dev/stderr", "/dev/fd/2"])
def test_an_open_file_is_written_where_it_stands(name: str, folder: Path) -> None:
    """Guards a log behind /dev/stdout: what stands in it and what follows is kept, and a pipe takes it as well."""
    (folder / "link").symlink_to("/dev/stdout")
    (folder / "log").write_text("three days\n")
    both = ">> log 2>> log"
    code, _, _ = shell(folder, f"(echo before; truegain eval q r -m P@1 -o {name}; echo after) {both}")
    assert code == 0
    kept = (folder / "log").read_text().splitlines()
    assert [kept[0], kept[1], kept[-1]] == ["three days", "before", "after"]
    assert any(line.startswith("r ") for line in kept)
    code, out, _ = shell(folder, f"truegain eval q r -m P@1 -o {name} 2>&1 | cat")
    assert (code, b"P@1" in out) == (0, True)


@pytest.mark.slow
def test_a_link_to_itself_is_not_replaced(folder: Path) -> None:
    """Guards a loop of links: refused, and still there."""
    (folder / "loop.csv").symlink_to("loop.csv")
    code, _, told = shell(folder, "truegain eval q r -o loop.csv")
    assert (code, "loop.csv: cannot be written" in told) == (2, True)
    assert (folder / "loop.csv").is_symlink()


@pytest.mark.few(1)
@pytest.mark.parametrize("line", ["truegain measures", "truegain eval q r -q -m official -m all_trec"])
def test_a_reader_that_goes_away_is_no_failure(line: str, folder: Path) -> None:
    """Guards pipes into head: exit code 0 however long the output is."""
    code, out, _ = shell(folder, f"{{ {line} && echo fine || echo failed; }} 2> told | true; cat told")
    assert code == 0
    code, out, _ = shell(folder, f"({line}; echo $? > code) | true; sleep 0.1; cat code")
    assert out.strip() == b"0"


@pytest.mark.parametrize("own", [{}, {"OMP_NUM_THREADS": "3"}], ids=["unsaid", "said"])
def test_only_jobs_say_how_many_cores_work(own: dict[str, str]) -> None:
    """Guards against BLAS's threads beside those of --jobs: one, set before numpy is there, unless the user says it."""
    told = "import atexit, os, sys; from truegain.cli.app import THREADS, main; assert 'numpy' not in sys.modules; "
    told += (
        "atexit.register(lambda: print([os.environ.get(n) for n in THREADS])); sys.argv = ['x', '--version']; main()"
    )
    bare = {name: value for name, value in os.environ.items() if name not in THREADS}
    found = subprocess.run(
        [sys.executable, "-c", told], env={**bare, **own}, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[-1] == str([own.get(name) if own else "1" for name in THREADS])


def test_ctrl_c_while_a_command_is_loaded_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the moment before `cli.app` hears Ctrl-C itself."""

    def interrupted(_: str, *__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "truegain.cli.app")
    monkeypatch.setattr(sys, "meta_path", [type("Slow", (), {"find_spec": staticmethod(interrupted)})])
    with pytest.raises(SystemExit) as end:
        entry()
    assert end.value.code == 130


SLOW = """
import sys, time
class Slow:
    def find_spec(self, name, *_):
        if name == {name!r}:
            print("now", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
"""


@pytest.mark.parametrize(
    "name", ["truegain._version", "truegain.errors", "truegain.cli.app", "typer", "truegain.cli.commands", "numpy"]
)
def test_ctrl_c_at_any_import_is_no_traceback(name: str, folder: Path) -> None:
    """Guards loading from the first line of ours on: a command ends by the signal, or with 130, and says no more.

    Before that line Python itself starts, which prints what it likes.
    """
    (folder / "early").mkdir()
    (folder / "early" / "sitecustomize.py").write_text(SLOW.format(name=name))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "early"), os.environ.get("PYTHONPATH", "")])}
    line = [sys.executable, "-m", "truegain", "eval", "q", "r", "-m", "P@5"]
    with subprocess.Popen(
        line, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
    assert process.returncode in (130, -signal.SIGINT)
    assert told in ("", "interrupted; nothing was written\n")


def test_the_library_leaves_ctrl_c_alone() -> None:
    """Guards programs that use the library: Ctrl-C is theirs; and nohup's commands go on ignoring it."""
    told = "import signal, truegain; print(signal.getsignal(2) is signal.default_int_handler)"
    for line in ([sys.executable, "-c", told], ["sh", "-c", f"trap '' INT; {sys.executable} -c '{told}'"]):
        found = subprocess.run(line, capture_output=True, text=True, check=True)
        assert found.stdout == f"{line[0] != 'sh'}\n"


def test_ctrl_c_that_python_cannot_raise_comes_again() -> None:
    """Guards interruptions within a lock of Python's imports, which were printed and forgotten: the command went on."""
    seen: list[object] = []

    def goes_on() -> None:
        app._unraisable(seen.append, SimpleNamespace(exc_type=KeyboardInterrupt))
        for _ in range(500):  # a long sleep would end before Python looks
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        goes_on()
    other = SimpleNamespace(exc_type=ValueError)
    app._unraisable(seen.append, other)
    assert seen == [other]


EVIL = "x\x1b]0;owned\x07\x1b[2J\x9b31m\u202etxt\u2028\x7f"
SHOWN = r"x\x1b]0;owned\x07\x1b[2J\x9b31m\u202etxt\u2028\x7f"


def on_terminal(folder: Path, *words: str) -> tuple[int, str]:
    """Exit code of a command on a terminal, and all that this is sent."""
    here, there = os.openpty()
    mode = termios.tcgetattr(there)
    mode[1] &= ~termios.OPOST  # ends of lines as they are
    termios.tcsetattr(there, termios.TCSANOW, mode)
    started = subprocess.Popen(
        [sys.executable, "-m", "truegain", *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=there, stderr=there,
        env={**os.environ, "TERM": "xterm", "PYTHONUTF8": "1"},
    )  # fmt: skip
    os.close(there)
    found = b""
    with suppress(OSError):  # so a terminal ends
        while data := os.read(here, 65536):
            found += data
    os.close(here)
    return started.wait(), found.decode()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("eval", "q.json", "r.json", "-m", "P@1", "-q"), 0),
        (("eval", "q.json", "r.json", "-m", "P@1", "-q", "--format", "trec"), 0),
        (("eval", "q.json", "r.json", "-m", "P@1", "-q", "--format", "csv"), 0),
        (("eval", "q.json", "r.json", "-m", "P@1", "-q", "--format", "json"), 0),
        (("eval", "q", "tagged", "-m", "P@1", "--name-by", "tag"), 0),
        (("eval", "q", "r", "-m", f"P@{EVIL}"), 2),
        (("eval", "q", f"{EVIL}.run"), 2),
        (("eval", "q", "r", f"--{EVIL}"), 2),
        (("compare", "q", "r", "tagged", "--name-by", "tag", "--baseline", EVIL), 2),
        (("init", "q", "tagged", "r", "-o", EVIL), 2),
    ],
)
def test_a_terminal_obeys_no_name(words: tuple[str, ...], code: int, folder: Path) -> None:
    """Guards who looks: escape sequences, other ends of lines and turned text, wherever they stand, are shown."""
    (folder / "q.json").write_text(json.dumps({EVIL: {"a": 1, EVIL: 1}, "2": {"a": 1}}))
    (folder / "r.json").write_text(json.dumps({EVIL: {"a": 1.0, EVIL: 2.0}, "2": {"a": 1.0}}))
    tag = "x\x1b]0;owned\x07\x1b[2J\u202etxt"  # no white space
    (folder / "tagged").write_text(f"1 Q0 a 1 2.5 {tag}\n2 Q0 a 1 0.5 {tag}\n")
    found, told = on_terminal(folder, *words)
    told = re.sub("\x1b\\[\\?25l.*?\x1b\\[\\?25h", "", told, flags=re.DOTALL)  # our own bar, on a slow machine
    assert found == code, told
    assert SHOWN[:14] in told or json.dumps(EVIL, ensure_ascii=False)[1:9] in told  # JSON has its own way
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", told), ascii(told)


@pytest.mark.slow
def test_an_id_is_in_one_line(folder: Path) -> None:
    """Guards rows and errors that nobody wrote: ends of lines and tabs in ids are shown; files have them raw."""
    topic = "1\nP_1 all 0.99\terror: x"
    shown = r"1\nP_1 all 0.99\terror: x"
    (folder / "q.json").write_text(json.dumps({topic: {"a": 1}, "2": {"a": 1}}))
    (folder / "r.json").write_text(json.dumps({topic: {"a": 1.0}, "2": {"a": 1.0}}))
    (folder / "other.json").write_text(json.dumps({topic + "!": {"a": 1.0}}))
    for words in ((), ("--format", "trec")):
        code, told = on_terminal(folder, "eval", "q.json", "r.json", "-m", "P@1", "-q", *words)
        assert (code, shown in told, topic in told) == (0, True, False)
    code, told = on_terminal(folder, "eval", "q.json", "other.json", "-m", "P@1")
    assert (code, shown in told, told.count("\n")) == (2, True, 1)
    shell(folder, "truegain eval q.json r.json -m P@1 -q --format trec -o out.txt")
    assert f"\t{topic}\t" in (folder / "out.txt").read_text()
    shell(folder, "truegain eval q.json r.json -m P@1 -q --format csv -o out.csv")
    assert topic in (folder / "out.csv").read_text()


def test_help_has_its_colors_on_a_terminal(folder: Path) -> None:
    """Guards our own escape sequences: a terminal gets those of the help."""
    code, told = on_terminal(folder, "eval", "--help")
    assert code == 0
    assert "\x1b[" in told
    assert r"\x1b" not in told


@pytest.mark.slow
def test_files_and_pipes_get_names_as_they_are(folder: Path) -> None:
    """Guards programs that read what is printed: nothing is changed there; but what is told of mistakes is safe."""
    tag = "x\x1b[2J\u202e"
    (folder / "r").write_text(f"1 Q0 a 1 2.5 {tag}\n2 Q0 a 1 0.5 {tag}\n")
    code, out, _ = shell(folder, "truegain eval q r -m P@1 --name-by tag --format csv")
    assert (code, tag in out.decode()) == (0, True)
    code, _, told = shell(folder, "truegain eval q r -m P@1 --name-by tag --format csv -o out.csv")
    assert (code, tag in (folder / "out.csv").read_text(), told) == (0, True, "")
    code, _, told = shell(folder, "truegain eval q \"$(printf 'x\\033[2J')\" -m P@1")
    assert (code, r"x\x1b[2J" in told, "\x1b" in told) == (2, True, False)
