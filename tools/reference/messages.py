"""The index by which the site's search finds an error message that somebody pasted."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tools.reference.errors import CLOSE, OPEN, anchors, listed, without_values

FILE = "messages.js"  # beside docs/_static/search-messages.js, which reads it


def script() -> str:
    """Page and place of every error, what it says, what to do, and its words without values."""
    rows = [
        [f"reference/errors/{page}", place, read(problem), read(remedy), without_values(problem)]
        for page, of in listed().items()
        for (problem, remedy), place in zip(of.items(), anchors(of), strict=True)
    ]
    return f"// Written by tools/reference from the code.\nconst MESSAGES = {json.dumps(rows, ensure_ascii=False)};\n"


def write(folder: Path) -> None:
    """Write the index into a folder, unless it is there."""
    place, made = folder / FILE, script()
    if not place.exists() or place.read_text(encoding="utf-8") != made:
        place.write_text(made, encoding="utf-8")


def read(text: str) -> str:
    """A message as text: three dots for values."""
    return re.sub(rf"{OPEN}[^{CLOSE}]*{CLOSE}", "...", text)
