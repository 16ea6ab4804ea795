"""Standard input, output and errors, where they are closed, full, or of another encoding than ours."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

# name: how a stand-in is opened, so that using it fails as it should; what is said to nobody may be lost
_STREAMS = {"stdin": ("r", os.O_WRONLY), "stdout": ("w", os.O_RDONLY), "stderr": ("w", os.O_WRONLY)}


def mend() -> None:
    """Put a stand-in where a stream is closed, lest a file takes its number; print whatever the encoding lacks."""
    for name, (mode, flags) in _STREAMS.items():
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def tell(message: str) -> None:
    """Say something on standard error, or to nobody where that is full."""
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def settle_output() -> None:
    """Write what waits to be written, or throw it away where that fails: Python would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
