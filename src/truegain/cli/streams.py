"""Standard streams, where they are closed, full or of another encoding; options as messages name them; progress."""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TextIO, cast

from truegain.io.files import STANDARD_INPUT, STANDARD_OUTPUT
from truegain.message import Message

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


# ---- Standard input, output and errors, where they are closed, full, of another encoding than ours, or a terminal.
#
# A terminal obeys some characters, and names in files may hold these: it is shown them as `\x1b`, as `ls` and `git` do.
# What goes to a file or a pipe stays as it is; what is told on standard error is always safe to look at.

# name: how a stand-in is opened, so that using it fails as it should; what is said to nobody may be lost
_STREAMS = {"stdin": ("r", os.O_WRONLY), "stdout": ("w", os.O_RDONLY), "stderr": ("w", os.O_WRONLY)}
_option_names: dict[str, str] = {}  # of the command that runs
# control characters but tab and end of line (C0, DEL, C1), other ends of lines, and what turns the direction of text
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_UNLINED = re.compile(f"[\t\n{_OBEYED.pattern[1:]}")
_ours = False  # whether what is written now is our own, with its colors


def mend_streams() -> None:
    """Put a stand-in where a stream is closed, lest a file takes its number; print whatever the encoding lacks."""
    for name, (mode, flags) in _STREAMS.items():
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = _with_own_failures(sys.stdout)
        sys.stdout.reconfigure(errors="backslashreplace")
    if isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr.isatty():
        number, before = sys.stderr.fileno(), sys.stderr
        below = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
        sys.stderr = _Terminal(below, before.encoding, "backslashreplace", line_buffering=True)


def seen(text: str, one_line: bool = False) -> str:
    r"""A text as a terminal may show it: what it would obey is written out; of one line also ends of lines and tabs.

    >>> print(seen("a\x1b[2Jb\u202ec\x9bd"), seen("a\nb", one_line=True))
    a\x1b[2Jb\u202ec\x9bd a\nb
    """
    return (_UNLINED if one_line else _OBEYED).sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def seen_by_who_looks(text: str, output: str) -> str:
    """A text of one line as a terminal may show it, where that is the output; else as it is."""
    return seen(text, one_line=True) if output == STANDARD_INPUT and sys.stdout.isatty() else text


@contextmanager
def ours() -> Iterator[None]:
    """What is written meanwhile is our own: a terminal may obey it."""
    global _ours
    before, _ours = _ours, True
    try:
        yield
    finally:
        _ours = before


def own_errors() -> TextIO:
    """Standard error for what is our own: a terminal may obey it."""
    return open(sys.stderr.fileno(), "w", encoding=sys.stderr.encoding, errors="backslashreplace", closefd=False)


class _Terminal(io.TextIOWrapper):
    """A stream that somebody looks at."""

    def write(self, text: str) -> int:
        super().write(text if _ours else seen(text))
        return len(text)


class _Output(io.FileIO):
    """Standard output, whose failures say that they are its own."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise


def _with_own_failures(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """The stream with failures of its own; one that stands for no file, as in tests, is left alone."""
    below = stream.buffer
    if not isinstance(getattr(below, "raw", below), io.FileIO):
        return stream
    raw = _Output(stream.fileno(), "w", closefd=False)
    buffer = io.BufferedWriter(raw) if isinstance(below, io.BufferedWriter) else cast("BinaryIO", raw)
    made = _Terminal if stream.isatty() else io.TextIOWrapper
    return made(buffer, stream.encoding, line_buffering=stream.line_buffering, write_through=stream.write_through)


def use_option_names(options: Mapping[str, str]) -> None:
    """Have all that is told from here on name options where the library names arguments."""
    _option_names.clear()
    _option_names.update(options)


def in_words(text: str) -> str:
    """A message of the library in the words of the command that runs."""
    return Message(text).words(_option_names)


def tell(message: str, kind: str = "") -> None:
    """Say something on standard error, in the words of the command, or to nobody where that is full."""
    text = seen(in_words(message), one_line=True)
    with suppress(OSError):
        print(f"{kind}: {text}" if kind else text, file=sys.stderr, flush=True)


def settle_output() -> None:
    """Write what waits to be written, or throw it away where that fails: Python would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---- Options of a command by the arguments of the library that they give.

# option: what the library calls it, where that is another word
CALLED = {
    "--at": "depths",
    "--with-intervals": "intervals",
    "--id-field": "id",
    "--text-field": "text",
    "--proxy": "proxies",
}


# what commands have whose --scale is that of bronze and gold labels, not of ratings alone
BOTH_JUDGES = {"gold", "scale", "unmatched"}


def option_names(parameters: Iterable[Any]) -> dict[str, str]:
    """The option behind each parameter of a command."""
    longest = {p.name: max(p.opts, key=len) for p in parameters}
    names = {name: option for name, option in longest.items() if option.startswith("--")}
    if names.keys() >= BOTH_JUDGES:
        names["label_scale"] = names["scale"]
    return {CALLED[option]: option for option in names.values() if option in CALLED} | names


def message_of_trec(error: Any) -> str | None:
    """The message on --format trec where there are no scores to print; None where it is no such mistake."""
    parameter: Any = getattr(error, "param", None)
    if getattr(parameter, "name", "") != "output_format" or "'trec' is not one of" not in str(error):
        return None
    return (
        "--format trec: this format is for the scores of `truegain eval`; here there are "
        f"{', '.join(map(str, getattr(parameter.type, 'choices', ())))}"
    )


# ---- A progress bar for work that takes more than a second, on a terminal only.

PATIENCE = 1.0  # seconds


class Progress:
    """Counts pieces of work, of a total where it is known; shows itself only when it is worth it."""

    def __init__(self, total: int | None, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self.began = time.monotonic()
        self.bar: Bar | None = None
        self.lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
        if isinstance(error, KeyboardInterrupt) and not error.args:
            error.args = (f"{self.done} {self.what}",)

    def advance(self, pieces: int = 1) -> None:
        """Tell that some pieces are done; may be called from any thread."""
        with self.lock:
            self.done += pieces
            if self.bar is None and sys.stderr.isatty() and time.monotonic() - self.began > PATIENCE:
                self.bar = self._start()
            if self.bar is not None:
                self.bar.update(self.bar.task_ids[0], completed=self.done)

    def _start(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TaskProgressColumn(show_speed=True),
            TimeRemainingColumn(),
        )
        bar = RichProgress(*columns, console=Console(file=own_errors()), transient=True)
        bar.add_task(self.what, total=self.total)
        bar.start()
        return bar
