"""What may be given as runs, judgments and ratings: files, dicts, frames, others' objects, and tables of ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, SupportsFloat

from truegain.tables.judgments import Judgments
from truegain.tables.runs import Run, Runs
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
RunLike = TableLike | Numbers | RanxLike | Iterable[RunRow] | Run  # of one system, or with a column that names systems
RunsLike = Runs | RunLike | Iterable[PathLike] | Mapping[Any, RunLike]  # folders and globs too; or {system: run}
JudgmentsLike = Judgments | TableLike | Numbers | RanxLike | Iterable[LabelRow]
RatingsLike = JudgmentsLike  # with a column for the assessor
