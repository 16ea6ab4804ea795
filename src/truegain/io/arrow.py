"""Parquet files, and Arrow files, as Hugging Face datasets keeps tables on disk; read by polars."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

from truegain.errors import InputError, needs
from truegain.io.frames import Frame, opened
from truegain.io.table_format import Beginning, TableFormat

FILE, STREAM = b"ARROW1\0\0", b"\xff\xff\xff\xff"  # how the two kinds of Arrow data begin
WHOLE = "check that the file is complete"


def _read(words: str, frame: Callable[[Any, bytes], Any], data: bytes, file: str) -> Frame:
    """The table; frame: what polars, which is given, reads from bytes."""
    pl = needs("polars", "frames")
    try:
        return opened(frame(pl, data))
    except (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise InputError(f"not a readable {words} file: {reason}", file=file, hint=WHOLE) from None


def _refusal(words: str, begun: Beginning, file: str) -> InputError | None:
    return None if begun.header.unnamed else InputError(f"not {words}", file=file, text=begun.first, hint=WHOLE)


def _is_arrow(begun: Beginning) -> bool:
    """Whether bytes are Arrow data: of a file, or of a stream, which a name ending in .arrow has."""
    return begun.text.startswith(FILE) or (begun.ending == ".arrow" and begun.text.startswith(STREAM))


def _is_parquet(begun: Beginning) -> bool:
    """Whether bytes are a Parquet file, perhaps a broken one, and not lines of a topic 'PAR1'."""
    if not begun.text.startswith(b"PAR1"):
        return False
    return begun.ending == ".parquet" or any(byte < 32 and byte not in b"\t\n\v\f\r" for byte in begun.text[4:256])


ARROW = TableFormat(
    "arrow",
    "Arrow",
    (".arrow", ".feather"),
    _is_arrow,
    partial(_read, "Arrow", lambda pl, b: (pl.read_ipc if b.startswith(FILE) else pl.read_ipc_stream)(io.BytesIO(b))),
    marked=True,
    binary=True,
    refusal=partial(_refusal, "an Arrow file"),
    begins=(FILE, STREAM),
)
PARQUET = TableFormat(
    "parquet",
    "Parquet",
    (".parquet",),
    _is_parquet,
    partial(_read, "Parquet", lambda pl, b: pl.read_parquet(io.BytesIO(b))),
    marked=True,
    binary=True,
    refusal=partial(_refusal, "a Parquet file"),
    begins=(b"PAR1",),
)
