"""Tables as frames of other libraries, and as Parquet."""

from __future__ import annotations

import importlib
import io
from typing import TYPE_CHECKING, Any

from truegain.errors import TruegainError, needs
from truegain.tables.formats.grid import Cell, Grid

if TYPE_CHECKING:
    import polars as pl


def polars_frame(grid: Grid) -> pl.DataFrame:
    """A polars frame, null where there is no value; a column without any value is one of numbers."""
    polars = needs("polars", "frames")
    names, rows = grid.written()
    columns: list[list[Cell]] = [[row[i] for row in rows] for i in range(len(names))]
    frame: pl.DataFrame = polars.DataFrame(
        [polars.Series(n, c, strict=False) for n, c in zip(names, columns, strict=True)]
    )
    return frame


def pandas_frame(grid: Grid) -> Any:
    """A pandas frame; pandas is not one of our extras, so it is asked for by its own name."""
    try:
        pd: Any = importlib.import_module("pandas")
    except ModuleNotFoundError:
        raise TruegainError("this needs pandas; run: pip install pandas") from None
    names, rows = grid.written()
    return pd.DataFrame({name: [row[i] for row in rows] for i, name in enumerate(names)}, columns=list(names))


def parquet(grid: Grid) -> bytes:
    """A Parquet file."""
    stream = io.BytesIO()
    polars_frame(grid).write_parquet(stream)
    return stream.getvalue()
