"""What a file holds: its text, and whether it is a table or TREC lines."""

from __future__ import annotations

from typing import Literal

from truegain.tables import tabular
from truegain.tables.plain import plain_text
from truegain.tables.sources import PathLike, read_bytes, shown_path

NameBy = Literal["file", "tag"]  # what a system is named by


def loaded(path: PathLike) -> tuple[bytes, tabular.Kind | None, str]:
    """The content of a file, its kind (None for TREC lines), and its name for messages."""
    data, file = read_bytes(path), shown_path(path)
    text = data if tabular.is_parquet(data, tabular.ending(file)) else plain_text(data, file)
    return text, tabular.kind_of(text, file), file
