"""The JSON schema of study files, made of the options of the commands that read them, for editors and checkers."""

from __future__ import annotations

from typing import Any

import typer
from typer.main import get_command

from truegain.cli.gate import gate_command
from truegain.cli.study_file import NOT_THERE
from truegain.cli.verdict import verdict_command

KINDS = {"float": "number", "int": "integer", "integer": "integer"}


def schema_of_studies() -> dict[str, Any]:
    """A property an option of `verdict` and `gate`, named as there.

    >>> found = schema_of_studies()["properties"]
    >>> found["smallest"]["minimum"], found["topics"]["enum"], sorted(found)[:3], found["seed"]["type"]
    (0, ['sampled', 'fixed'], ['anytime', 'assessors', 'baseline'], 'integer')
    """
    properties: dict[str, Any] = {"title": {"type": "string", "description": "What stands at the top of the report."}}
    for command in (gate_command, verdict_command):
        for parameter in parameters_of(command):
            name = max(parameter.opts, key=len).lstrip("-")
            if parameter.name not in (*NOT_THERE, "output_format"):
                properties[name] = {**_kind(parameter), "description": getattr(parameter, "help", None) or ""}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of truegain",
        "description": "Keys may also be written with _ in place of -; paths are relative to the file.",
        "type": "object",
        "required": ["judgments", "runs"],
        "additionalProperties": False,
        "properties": dict(sorted(properties.items())),
        "patternProperties": {"_": {}},
    }


def parameters_of(command: Any) -> list[Any]:
    """The parameters of a command, as the command line sees them."""
    app = typer.Typer(add_completion=False)
    app.command()(command)
    return list(get_command(app).params)


def _kind(parameter: Any) -> dict[str, Any]:
    """What a value may be: what the option takes, a list of it, or a table of name and value."""
    kind: dict[str, Any] = {"type": KINDS.get(parameter.type.name.removesuffix(" range"), "string")}
    if parameter.type.name == "boolean":
        return {"type": "boolean"}
    if choices := getattr(parameter.type, "choices", None):
        return {"type": "string", "enum": list(choices)}
    least = getattr(parameter.type, "min", None)
    if least is not None:
        kind["minimum"] = least
    if kind["type"] != "string":
        return kind
    either: list[dict[str, Any]] = [kind, {"type": "array", "items": {"type": ["string", "number"]}}]
    if parameter.name in ("uses", "costs", "columns", "values"):
        either.append({"type": "object"})
    return {"anyOf": either}
