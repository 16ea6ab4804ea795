"""Tables as records: JSON, frames of other libraries, and Parquet."""

from __future__ import annotations

import importlib
import io
import json
import math
from typing import TYPE_CHECKING, Any

from truegain.errors import TruegainError, needs
from truegain.results.documents import NotesDocument, TableDocument, TitleDocument
from truegain.results.table import Cell, Grid

if TYPE_CHECKING:
    import polars as pl

# ---- Tables as JSON.


def as_dict(grid: Grid) -> dict[str, Any]:
    """How it was made, the title and the notes where there are any, a record a row."""
    return {**document(grid)}


def document(grid: Grid) -> TableDocument:
    """A table as its schema declares it."""
    title: TitleDocument = {"title": grid.title} if grid.title else {}
    notes: NotesDocument = {"notes": list(grid.notes)} if grid.notes else {}
    return {"provenance": dict(grid.provenance), **title, **notes, "rows": _records(grid)}


def as_json(grid: Grid) -> str:
    """One JSON object: how it was made, the notes, the rows."""
    whole = {**as_dict(grid), "rows": list(map(_in_json, _records(grid)))}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def as_lines(grid: Grid) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(_in_json(record), ensure_ascii=False) + "\n" for record in _records(grid))


def _in_json(record: dict[str, Cell]) -> dict[str, Cell]:
    """A record as JSON can hold it: infinity is no number of JSON, so it is text."""
    return {k: str(v) if isinstance(v, float) and math.isinf(v) else v for k, v in record.items()}


def _records(grid: Grid) -> list[dict[str, Cell]]:
    names, rows = grid.written()
    return [dict(zip(names, row, strict=True)) for row in rows]


# ---- Tables as frames of other libraries, and as Parquet.


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
