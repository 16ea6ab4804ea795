"""A study in a file: `study.toml` holds judgments, runs and options; what the command line says comes first."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from truegain.errors import InputError
from truegain.tables.sources import STANDARD_INPUT, read_bytes, shown_path

PATHS = ("judgments", "runs", "gold", "hole-sample", "uses", "output")
NOT_THERE = ("study", "help")


def read_study(context: typer.Context, path: str | None) -> str | None:
    """Take what a study file says for everything that the command line does not say."""
    if path is None or context.resilient_parsing:
        return path
    known = {max(p.opts, key=len).lstrip("-"): p for p in context.command.params if p.name not in NOT_THERE}
    file, folder = shown_path(path), Path(path).parent
    found: dict[str, Any] = {}
    for key, value in _parsed(path).items():
        option = key.replace("_", "-")
        if option not in known:
            near = difflib.get_close_matches(option, known, 1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
            raise InputError(f"{key!r} is no option of {context.info_name}", file=file, hint=meant)
        several = getattr(known[option], "multiple", False) or known[option].nargs == -1
        found[str(known[option].name)] = _value(value, several, folder if option in PATHS else None, key, file)
    context.default_map = found
    return path


def _parsed(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bytes(path).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        hint = 'write lines such as judgments = "gold.qrels"'
        raise InputError(f"this is no TOML: {error}", file=shown_path(path), hint=hint) from None


def _value(value: Any, several: bool, folder: Path | None, key: str, file: str) -> Any:
    """A value as the command line would have it: lists with commas, tables as name=value, paths from the file on.

    >>> _value(["topics", "collection"], False, None, "generalise-to", ""), _value("P@10", True, None, "measure", "")
    ('topics,collection', ['P@10'])
    >>> _value({"dense": ["m1", "m2"]}, True, Path(), "uses", ""), _value("gold.qrels", False, Path(), "gold", "")
    (['dense=m1', 'dense=m2'], 'gold.qrels')
    """
    if isinstance(value, Mapping):
        value = [f"{name}={x}" for name, row in value.items() for x in (row if isinstance(row, list) else [row])]
    parts = value if isinstance(value, list) else [value]
    if not parts or not all(isinstance(x, str | int | float) for x in parts):
        raise InputError(f"{key} is {value!r}", file=file, hint="give a text, a number, a list or a table of these")
    if folder is not None:
        named = key == "uses"  # system=model, or a file of them
        parts = [x if x == STANDARD_INPUT or (named and "=" in x) else str(folder / str(x)) for x in parts]
    if several:
        return parts
    return parts[0] if len(parts) == 1 else ",".join(map(str, parts))


StudyFile = Annotated[
    str | None,
    typer.Option(
        "--study",
        is_eager=True,
        callback=read_study,
        help="A file study.toml of judgments, runs and options by their names; the command line comes first.",
    ),
]
