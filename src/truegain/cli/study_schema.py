"""The JSON schema of study files, made of the declarations of their options, for editors and checkers."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer
from typer.main import get_command

from truegain.cli.gate import gate_command
from truegain.cli.report import report_command
from truegain.cli.verdict import verdict_command
from truegain.config import CONFIGS, Setting, StudyConfig, settings_of
from truegain.inference.study_file.read import KINDS, without_none
from truegain.tables.study_text import ELSEWHERE

ONE_OR_SEVERAL = str | float | list[str | float]  # several stand in a list, or in a text with commas
BY_NAME = ("system-models", "costs", "columns", "values")  # may be tables of name and value, too


def schema_of_studies() -> dict[str, Any]:
    """A property for each option of a study, and a table for each config.

    >>> schema = schema_of_studies()
    >>> found, gold = schema["properties"], schema["$defs"]["Gold"]["properties"]
    >>> found["min-effect"]["minimum"], found["seed"]["type"], gold["design"]["enum"][:2], sorted(found)[:2]
    (0, 'integer', ['by-bronze', 'by-gold'], ['aggregate', 'all-topics'])
    >>> sorted(gold), found["resampling"]["$ref"]
    (['aggregate', 'design', 'labels', 'relevant_from', 'sequential'], '#/$defs/Resampling')
    """
    settings = [*settings_of(StudyConfig)]
    helps = _helps()
    keys = {name: _kind(name, KINDS.get(name, str), helps.get(name, "")) for name in (*KINDS, *ELSEWHERE)}
    keys |= {s.name.replace("_", "-"): _declared(s) for s in settings}
    for name, config in CONFIGS.items():
        table = _struct(config.__name__, {s.field: _declared(s) for s in settings if s.table == name})
        keys[name] = keys[name] | table if name in keys else table
    _, parts = msgspec.json.schema_components([_struct("Study", keys)], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **parts.pop("Study"),
        "title": "A study of truegain",
        "description": "Keys may also be written with _ in place of -; paths are relative to the file.",
        "required": ["judgments", "runs"],
        "patternProperties": {"_": {}},
        "$defs": parts,
    }


def parameters_of(command: Any) -> list[Any]:
    """The parameters of a command, as the command line sees them."""
    app = typer.Typer(add_completion=False)
    app.command()(command)
    return list(get_command(app).params)


def _struct(name: str, kinds: dict[str, Any]) -> Any:
    """A table of a study file: every key may be left out, and no other may stand there."""
    names = {key.replace("-", "_"): key for key in sorted(kinds)}
    fields = [(field, kinds[key], msgspec.UNSET) for field, key in names.items()]
    return msgspec.defstruct(name, fields, rename=names, kw_only=True, forbid_unknown_fields=True)


def _declared(option: Setting) -> Any:
    """What an option of a config may be, and what it is for."""
    kind = _kind(option.name.replace("_", "-"), option.kind, option.help)
    return kind if option.least is None else Annotated[kind, msgspec.Meta(ge=option.least)]


def _kind(name: str, kind: Any, description: str) -> Any:
    """What a key may be: what the option is; for a text several, or a number, and some a table of name and value."""
    one = without_none(kind)
    if one is str or one == list[str]:
        one = ONE_OR_SEVERAL | dict[str, Any] if name in BY_NAME else ONE_OR_SEVERAL
    return Annotated[one, msgspec.Meta(description=description)]


def _helps() -> dict[str, str]:
    """By option what it is for, of the commands that read a study whole."""
    every = [p for command in (report_command, gate_command, verdict_command) for p in parameters_of(command)]
    return {max(p.opts, key=len).lstrip("-"): getattr(p, "help", None) or "" for p in every}
