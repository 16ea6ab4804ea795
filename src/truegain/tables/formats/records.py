"""Tables as JSON."""

from __future__ import annotations

import json
from typing import Any

from truegain.tables.formats.grid import Cell, Grid


def as_dict(grid: Grid) -> dict[str, Any]:
    """How it was made, the title and the notes where there are any, a record a row."""
    whole: dict[str, Any] = {"made_by": dict(grid.made_by)}
    if grid.title:
        whole["title"] = grid.title
    if grid.notes:
        whole["notes"] = list(grid.notes)
    return {**whole, "rows": _records(grid)}


def as_json(grid: Grid) -> str:
    """One JSON object: how it was made, the notes, the rows."""
    return json.dumps(as_dict(grid), ensure_ascii=False, indent=1) + "\n"


def as_lines(grid: Grid) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in _records(grid))


def _records(grid: Grid) -> list[dict[str, Cell]]:
    names, rows = grid.written()
    return [dict(zip(names, row, strict=True)) for row in rows]
