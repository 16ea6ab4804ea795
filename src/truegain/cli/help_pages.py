"""Help pages, made of the commands themselves."""

from __future__ import annotations

from typing import Any

from truegain.cli.help import Page


def page_of(command: Any, context: Any) -> Page:
    """The page of a command or a group of commands."""
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    panels: dict[str, list[list[str]]] = {"Arguments": [], "Options": []}
    for p in command.get_params(context):
        if not getattr(p, "hidden", False):
            argument = p.param_type_name == "argument"
            title = getattr(p, "rich_help_panel", None) or ("Arguments" if argument else "Options")
            panels.setdefault(title, []).append(_row(p, context, argument))
    if hasattr(command, "list_commands"):
        found = [command.get_command(context, name) for name in command.list_commands(context)]
        panels["Commands"] = [
            ["", c.name, "", _one_line((c.short_help or c.help or "").partition("\n\n")[0])]
            for c in found
            if not c.hidden
        ]
    about, examples = _with_examples(command.help)
    panels["Examples"] = [["", example, "", ""] for example in examples]
    return usage, about, {title: rows for title, rows in panels.items() if rows}


def _with_examples(text: str | None) -> tuple[str, list[str]]:
    r"""What a command is for, and the commands that stand below a line `Examples:` in its docstring.

    >>> _with_examples("Check a study.\n\nExamples:\n    truegain annotate check study")
    ('Check a study.', ['truegain annotate check study'])
    """
    about, _, examples = (text or "").partition("\nExamples:\n")
    return _one_line(about), [_one_line(line) for line in examples.splitlines() if line.strip()]


def _row(p: Any, context: Any, argument: bool) -> list[str]:
    names = sorted([*p.opts, *p.secondary_opts], key=lambda name: not name.startswith("--"))
    kind = "" if getattr(p, "is_flag", False) else p.make_metavar(ctx=context)
    if argument:
        names, kind = [p.metavar or p.name], p.type.get_metavar(param=p, ctx=context) or f"<{p.type.name}>"
    about = _one_line(p.get_help_record(context)[1]).replace("\\[", "[")  # typer guards it from rich
    return ["*" if p.required else "", " ".join(names), kind.replace(" range>", ">"), about]


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split("\f")[0].split())
