"""What commands print as JSON, held against its published schema."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from truegain.cli.schema import schema_of_command

GROUPS = ("annotate", "experiment", "judge", "plan", "text")


def command_of(words: list[str]) -> str:
    """The command that the words of a line name."""
    return " ".join(words[: 2 if words[0] in GROUPS else 1])


@cache
def validator(command: str) -> Any:
    """What holds JSON against the schema of a command."""
    library: Any = pytest.importorskip("jsonschema")
    return library.Draft202012Validator(schema_of_command(command))


def schema_faults(words: list[str], text: str) -> list[str]:
    """What is wrong with the JSON that a command printed; nothing where it printed none, as on an error."""
    try:
        told = json.loads(text)
    except ValueError:
        return []
    faults = []
    for error in validator(command_of(words)).iter_errors(told):
        while error.context:  # of several forms, the one that fits best
            error = max(error.context, key=lambda e: len(e.absolute_path))
        faults.append(f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    return faults
