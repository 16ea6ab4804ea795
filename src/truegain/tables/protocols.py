"""What tables may be made of that is not ours: frames, dicts of dicts, rows and objects of other libraries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, SupportsFloat

from truegain.tables.sources import PathLike


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
TableLike = PathLike | FrameLike | ArrowLike  # a file, or a frame
