"""Frames of pandas, polars and pyarrow, in and out; none of the three is imported to read its frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truegain.errors import needs

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Frame:
    """The columns of a frame by name, each made a list of Python values when it is asked for."""

    columns: list[str]
    column: Callable[[int], list[Any]]


def is_frame(data: object) -> bool:
    """Whether this is a frame: of pandas, polars or pyarrow, or what hands its columns over as Arrow does.

    A dict is none, and neither is anything of ours.
    """
    kind = type(data)  # the columns of a lazy frame must not be asked for: that warns
    if isinstance(data, Frame | Mapping | str | bytes):
        return isinstance(data, Frame)
    tabled = hasattr(kind, "columns") and hasattr(kind, "__getitem__")
    return tabled or hasattr(kind, "__arrow_c_stream__")


def opened(data: Any) -> Frame:
    """The columns of a frame, whose it may be; a lazy frame of polars is computed."""
    if isinstance(data, Frame):
        return data
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):  # polars, lazy
        data = data.collect()
    if hasattr(data, "iloc"):  # pandas
        return Frame([str(name) for name in data.columns], lambda at: list(data.iloc[:, at].to_list()))
    if hasattr(data, "column_names") and hasattr(data, "column"):  # pyarrow: a table or a batch
        return Frame([str(name) for name in data.column_names], lambda at: list(data.column(at).to_pylist()))
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):  # polars, and what does as it does
        return Frame([str(name) for name in data.columns], lambda at: list(data[data.columns[at]].to_list()))
    return opened(needs("polars", "frames").DataFrame(data))  # all else is handed over as Arrow does


def frame_of(columns: Mapping[str, Any]) -> pl.DataFrame:
    """A polars frame of columns, null where a value is None."""
    polars = needs("polars", "frames")
    made: pl.DataFrame = polars.DataFrame(dict(columns), strict=False)
    return made
