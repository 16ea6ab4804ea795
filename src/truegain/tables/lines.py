"""Runs and judgments as they were given, shown the same ways as answers: the first rows where there are many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from truegain.tables.frames import frame_of
from truegain.tables.paper_style import PaperWords
from truegain.tables.table import Shown, Table

if TYPE_CHECKING:
    import polars as pl

MOST = 20  # rows that a person sees


class Lines(Shown):
    """What has rows of its own: it says what its `columns_of` are, and all ways to show them are here."""

    def __len__(self) -> int:
        raise NotImplementedError

    def columns_of(self, most: int | None = None) -> Mapping[str, Any]:
        """Its columns by name, or the first rows of them."""
        raise NotImplementedError

    @property
    def made_by(self) -> Mapping[str, object]:
        """Where it came from."""
        raise NotImplementedError

    def table(self) -> Table:
        """All rows."""
        return self._table(None)

    def tables(self) -> list[Table]:
        """The first rows, and how many more there are."""
        return [self._table(MOST)]

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """All rows, with a caption and a label where these are given; see `PaperStyle`."""
        return self.table().paper(**style)

    def frame(self) -> pl.DataFrame:
        """A polars frame of all rows, null where there is no value."""
        return frame_of(self.columns_of())

    def _table(self, most: int | None) -> Table:
        columns = self.columns_of(most)
        values = [list(column) if isinstance(column, list | tuple) else column.tolist() for column in columns.values()]
        left = 0 if most is None else len(self) - most
        notes = (f"and {left:,} more rows",) if left > 0 else ()
        return Table(tuple(columns), list(zip(*values, strict=True)), self.made_by, self.in_short(), notes)
