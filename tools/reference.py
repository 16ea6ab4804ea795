"""Pages of the reference, written from the code before each build of the site."""

from __future__ import annotations

from pathlib import Path


def write_reference(folder: Path) -> None:
    """Write the pages of commands, Python names and measures into a folder of the site."""
    folder.mkdir(exist_ok=True)
