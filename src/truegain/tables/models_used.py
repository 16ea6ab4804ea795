"""The models that systems use, from words and from files of system,model."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from truegain.errors import InputError, TruegainError
from truegain.tables.sources import read_bytes, shown_path


def models_named(uses: Sequence[str] | None) -> dict[str, list[str]]:
    """The models of each system, from system=model and from files of system,model.

    >>> models_named(["dense=gpt-4o", "dense=e5"])
    {'dense': ['gpt-4o', 'e5']}
    """
    found: dict[str, list[str]] = {}
    for text in uses or ():
        for system, model in [_named(text)] if "=" in text else _from_file(text):
            found.setdefault(system, []).append(model)
    return found


def _named(text: str) -> tuple[str, str]:
    system, _, model = (part.strip() for part in text.rpartition("="))
    if not (system and model):
        raise TruegainError(f"uses {text!r} is not system=model, such as uses={{'dense': 'gpt-4o'}}")
    return system, model


def _from_file(name: str) -> list[tuple[str, str]]:
    try:
        rows = list(csv.reader(io.StringIO(read_bytes(name).decode())))
    except UnicodeDecodeError:
        raise InputError("this is no text", file=shown_path(name), hint="give lines of system,model") from None
    except InputError as error:
        raise TruegainError(f"uses {name!r} is neither system=model nor a file that can be read: {error}") from None
    found = []
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and cells == ["system", "model"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise InputError(
                "a line should be system,model", file=shown_path(name), line=line, text=",".join(row),
                hint="two fields, the system as its run is named",
            )  # fmt: skip
        found.append((cells[0], cells[1]))
    return found
