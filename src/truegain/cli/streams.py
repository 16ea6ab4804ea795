"""Standard input, output and errors, where they are closed, full, or of another encoding than ours."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO, cast

from truegain.cli.naming import in_options
from truegain.tables.targets import STANDARD_OUTPUT

# name: how a stand-in is opened, so that using it fails as it should; what is said to nobody may be lost
_STREAMS = {"stdin": ("r", os.O_WRONLY), "stdout": ("w", os.O_RDONLY), "stderr": ("w", os.O_WRONLY)}
_options: dict[str, str] = {}  # of the command that runs


def mend() -> None:
    """Put a stand-in where a stream is closed, lest a file takes its number; print whatever the encoding lacks."""
    for name, (mode, flags) in _STREAMS.items():
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = _told_apart(sys.stdout)
        sys.stdout.reconfigure(errors="backslashreplace")


class _Output(io.FileIO):
    """Standard output, whose failures say that they are its own."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise


def _told_apart(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """The same stream with failures of its own; one that stands for no file, as in tests, is left alone."""
    below = stream.buffer
    if not isinstance(getattr(below, "raw", below), io.FileIO):
        return stream
    raw = _Output(stream.fileno(), "w", closefd=False)
    buffer = io.BufferedWriter(raw) if isinstance(below, io.BufferedWriter) else cast("BinaryIO", raw)
    return io.TextIOWrapper(
        buffer, stream.encoding, line_buffering=stream.line_buffering, write_through=stream.write_through
    )


def speak_of(options: Mapping[str, str]) -> None:
    """Have all that is told from here on name options where the library names arguments."""
    _options.clear()
    _options.update(options)


def in_words(text: str) -> str:
    """A text of the library in the words of the command that runs."""
    return in_options(text, _options)


def tell(message: str, kind: str = "") -> None:
    """Say something on standard error, in the words of the command, or to nobody where that is full."""
    said = in_words(message)
    with suppress(OSError):
        print(f"{kind}: {said}" if kind else said, file=sys.stderr, flush=True)


def settle_output() -> None:
    """Write what waits to be written, or throw it away where that fails: Python would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
