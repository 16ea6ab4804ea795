"""Frames of pandas, polars and pyarrow, in and out, and the protocols of foreign objects that tables may be made of.

None of the three libraries is imported to read its frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat

from truegain.errors import needs
from truegain.io.files import PathLike

if TYPE_CHECKING:
    import polars as pl

# ---- Frames of pandas, polars and pyarrow, in and out; none of the three is imported to read its frames.


@dataclass(frozen=True, eq=False)
class Frame:
    """The columns of a frame by name, each made a list of Python values when it is asked for."""

    columns: list[str]
    column: Callable[[int], list[Any]]


def is_frame(data: object) -> bool:
    """Whether this is a frame: of pandas, polars or pyarrow, what hands its columns over as Arrow does, or rows.

    A dict is none, and neither is anything of ours.
    """
    kind = type(data)  # the columns of a lazy frame must not be asked for: that warns
    if isinstance(data, Frame | Mapping | str | bytes):
        return isinstance(data, Frame)
    tabled = hasattr(kind, "columns") and hasattr(kind, "__getitem__")
    return tabled or hasattr(kind, "__arrow_c_stream__") or is_hugging_face(data) or is_rows(data)


def is_rows(data: object, named: bool = False) -> bool:
    """Whether this is a list of rows, a dict each; runs are dicts of dicts, and a list of these is none.

    named: whether names of columns were given with it: then dicts of dicts are rows, whose fields these name.

    >>> is_rows([{"topic": "1", "doc": "a", "label": 1}]), is_rows([{"1": {"a": 1.5}}]), is_rows([])
    (True, False, False)
    >>> is_rows([{"query": {"id": "1"}}], named=True)
    True
    """
    if not (isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data)):
        return False
    rows = [row for row in data if row]  # an empty one lacks what a row needs, as is told by its number
    return bool(rows) and (named or all(map(_is_row, rows)))


def _is_row(data: Mapping[Any, Any]) -> bool:
    return any(not isinstance(value, Mapping) for value in data.values())


def is_hugging_face(data: object) -> bool:
    """Whether this is a Dataset of Hugging Face: columns by name, and a format that they are given in."""
    return all(hasattr(type(data), name) for name in ("column_names", "with_format", "__getitem__"))


def opened(data: Any) -> Frame:
    """The columns of a frame, whose it may be; a lazy frame of polars is computed."""
    if isinstance(data, Frame):
        return data
    if is_rows(data, named=True):
        names = list(dict.fromkeys(str(name) for row in data for name in row))
        return Frame(names, lambda at: [row.get(names[at]) for row in data])
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):  # polars, lazy
        data = data.collect()
    if hasattr(data, "iloc"):  # pandas
        return Frame([str(name) for name in data.columns], lambda at: list(data.iloc[:, at].to_list()))
    if hasattr(data, "column_names") and hasattr(data, "column"):  # pyarrow: a table or a batch
        return Frame([str(name) for name in data.column_names], lambda at: list(data.column(at).to_pylist()))
    if is_hugging_face(data):
        plain = data.with_format(None)  # values of Python, whatever the user has them shown as
        return Frame([str(name) for name in plain.column_names], lambda at: list(plain[plain.column_names[at]]))
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):  # polars, and what does as it does
        return Frame([str(name) for name in data.columns], lambda at: list(data[data.columns[at]].to_list()))
    return opened(needs("polars", "frames").DataFrame(data))  # all else is handed over as Arrow does


def frame_of(columns: Mapping[str, Any]) -> pl.DataFrame:
    """A polars frame of columns, null where a value is None."""
    polars = needs("polars", "frames")
    made: pl.DataFrame = polars.DataFrame(dict(columns), strict=False)
    return made


# ---- What tables may be made of that is not ours: frames, dicts of dicts, rows and objects of other libraries.


class FrameLike(Protocol):
    """A frame of pandas, polars or pyarrow, or what does as they do."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""

    def __getitem__(self, key: Any, /) -> Any:
        """A column by name."""


class ArrowLike(Protocol):
    """What hands its columns over as Arrow does."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The columns."""


class HuggingFaceLike(Protocol):
    """A Dataset of Hugging Face."""

    @property
    def column_names(self) -> Any:
        """The names of its columns."""

    def with_format(self, kind: Any, /) -> Any:
        """The dataset, whose values come in another form."""

    def __getitem__(self, key: Any, /) -> Any:
        """A column by name."""


class RanxLike(Protocol):
    """A Run or Qrels of ranx."""

    def to_dict(self) -> Any:
        """{topic: {document: number}}."""


class RunRow(Protocol):
    """A row of a run of ir_measures."""

    @property
    def query_id(self) -> Any:
        """The topic."""

    @property
    def doc_id(self) -> Any:
        """The document."""

    @property
    def score(self) -> Any:
        """The score."""


class LabelRow(Protocol):
    """A row of judgments of ir_measures."""

    @property
    def query_id(self) -> Any:
        """The topic."""

    @property
    def doc_id(self) -> Any:
        """The document."""

    @property
    def relevance(self) -> Any:
        """The label."""


Numbers = Mapping[Any, Mapping[Any, SupportsFloat]]  # {topic: {document: number}}
Rows = Sequence[Mapping[str, Any]]  # a dict each
TableLike = PathLike | FrameLike | ArrowLike | HuggingFaceLike | Rows  # a file, a frame, or its rows
