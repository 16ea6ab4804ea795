"""The command `truegain schema`: what the JSON of a command holds."""

from __future__ import annotations

from typing import Annotated

import typer

from truegain.cli.options import Output
from truegain.cli.output import write_json
from truegain.errors import TruegainError, there_are


def schema_command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND...]", help="Command, such as verdict or plan topics.")
    ] = None,
    output: Output = "-",
) -> None:
    """Print the JSON Schema of what a command prints with --format json.

    Without a command, print an object with the schemas of all of them. A schema is of this version: a later one may
    add keys, and keeps those there are.

    Examples:
        truegain schema verdict
        truegain schema plan topics -o plan-topics.schema.json

    """
    from truegain.cli.schemas import commands_with_json, schema_of_command

    known = commands_with_json()
    if not words:
        write_json({name: schema_of_command(name, about) for name, about in known.items()}, output)
        return
    name = " ".join(words)
    if name not in known:
        raise TruegainError(f"{name} is not a command that offers JSON; {there_are([name], tuple(known), 40)}")
    write_json(schema_of_command(name, known[name]), output)
