"""Parquet files, read by polars."""

from __future__ import annotations

import io

from truegain.errors import InputError, needs
from truegain.io.frames import Frame, opened
from truegain.io.table_format import Beginning, TableFormat

WHOLE = "check that the file is complete"


def _recognizes(begun: Beginning) -> bool:
    """Whether bytes are a Parquet file, perhaps a broken one, and not lines of a topic 'PAR1'."""
    if not begun.text.startswith(b"PAR1"):
        return False
    return begun.ending == ".parquet" or any(byte < 32 and byte not in b"\t\n\v\f\r" for byte in begun.text[4:256])


def _read(data: bytes, file: str) -> Frame:
    pl = needs("polars", "frames")

    try:
        return opened(pl.read_parquet(io.BytesIO(data)))
    except (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise InputError(f"not a readable Parquet file: {reason}", file=file, hint=WHOLE) from None


def _refusal(begun: Beginning, file: str) -> InputError | None:
    return None if begun.header.unnamed else InputError("not a Parquet file", file=file, text=begun.first, hint=WHOLE)


PARQUET = TableFormat(
    "parquet",
    "Parquet",
    (".parquet",),
    _recognizes,
    _read,
    marked=True,
    binary=True,
    refusal=_refusal,
    begins=(b"PAR1",),
)
