"""Parquet files, and Arrow files, as Hugging Face datasets keeps tables on disk; read by polars."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from truegain.errors import InputError, needs
from truegain.io.frames import Frame, opened
from truegain.io.table_format import Beginning, TableFormat

FILE, STREAM = b"ARROW1\0\0", b"\xff\xff\xff\xff"  # how the two kinds of Arrow data begin
WHOLE = "check that the file is complete"


def _binary(
    words: str, endings: tuple[str, ...], begins: tuple[bytes, ...], recognizes: Callable[[Beginning], bool],
    frame: Callable[[Any, bytes], Any],
) -> TableFormat:  # fmt: skip
    """A binary format; frame: what polars, which is given, reads from bytes."""

    def read(data: bytes, file: str) -> Frame:
        pl = needs("polars", "frames")
        try:
            return opened(frame(pl, data))
        except (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException) as error:
            reason = (str(error).splitlines() or ["unknown reason"])[0]
            raise InputError(f"not a readable {words} file: {reason}", file=file, hint=WHOLE) from None

    def refusal(begun: Beginning, file: str) -> InputError | None:
        if begun.header.unnamed:
            return None
        return InputError(
            f"not {'an' if words[0] == 'A' else 'a'} {words} file", file=file, text=begun.first, hint=WHOLE
        )

    return TableFormat(
        words.lower(), words, endings, recognizes, read, marked=True, binary=True, refusal=refusal, begins=begins
    )


def _is_arrow(begun: Beginning) -> bool:
    """Whether bytes are Arrow data: of a file, or of a stream, which a name ending in .arrow has."""
    return begun.text.startswith(FILE) or (begun.ending == ".arrow" and begun.text.startswith(STREAM))


def _is_parquet(begun: Beginning) -> bool:
    """Whether bytes are a Parquet file, perhaps a broken one, and not lines of a topic 'PAR1'."""
    if not begun.text.startswith(b"PAR1"):
        return False
    return begun.ending == ".parquet" or any(byte < 32 and byte not in b"\t\n\v\f\r" for byte in begun.text[4:256])


ARROW = _binary(
    "Arrow", (".arrow", ".feather"), (FILE, STREAM), _is_arrow,
    lambda pl, data: (pl.read_ipc if data.startswith(FILE) else pl.read_ipc_stream)(io.BytesIO(data)),
)  # fmt: skip
PARQUET = _binary("Parquet", (".parquet",), (b"PAR1",), _is_parquet, lambda pl, data: pl.read_parquet(io.BytesIO(data)))
