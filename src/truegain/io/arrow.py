"""Arrow files, as Hugging Face datasets keeps tables on disk; read by polars."""

from __future__ import annotations

import io

from truegain.errors import InputError, needs
from truegain.io.frames import Frame, opened
from truegain.io.table_format import Beginning, TableFormat

FILE, STREAM = b"ARROW1\0\0", b"\xff\xff\xff\xff"  # how the two kinds of Arrow data begin
WHOLE = "check that the file is complete"


def _recognizes(begun: Beginning) -> bool:
    """Whether bytes are Arrow data: of a file, or of a stream, which a name ending in .arrow has."""
    return begun.text.startswith(FILE) or (begun.ending == ".arrow" and begun.text.startswith(STREAM))


def _read(data: bytes, file: str) -> Frame:
    pl = needs("polars", "frames")
    read = pl.read_ipc if data.startswith(FILE) else pl.read_ipc_stream
    try:
        return opened(read(io.BytesIO(data)))
    except (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise InputError(f"not a readable Arrow file: {reason}", file=file, hint=WHOLE) from None


def _refusal(begun: Beginning, file: str) -> InputError | None:
    return None if begun.header.unnamed else InputError("not an Arrow file", file=file, text=begun.first, hint=WHOLE)


ARROW = TableFormat(
    "arrow",
    "Arrow",
    (".arrow", ".feather"),
    _recognizes,
    _read,
    marked=True,
    binary=True,
    refusal=_refusal,
    begins=(FILE, STREAM),
)
