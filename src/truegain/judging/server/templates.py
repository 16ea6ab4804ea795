"""Templates and files of the pages, as assessors' and organisers' pages use them alike."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def templates() -> Environment:
    """All templates, each compiled once, when it is first used; what is missing is an error, and texts are escaped."""
    return Environment(
        loader=PackageLoader("truegain.judging", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip


@cache
def static(base: str, name: str) -> str:
    """The address of a file; it changes when the file does, so that browsers may keep it."""
    data = (files("truegain.judging") / "static" / name).read_bytes()
    return f"{base}/static/{name}?{hashlib.sha256(data).hexdigest()[:8]}"
