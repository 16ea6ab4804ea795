"""The commands, each imported when it is called, and their help pages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from truegain._version import __version__
from truegain.cli.help import Page
from truegain.cli.streams import ours

# ---- Help pages, made of the commands themselves.


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


# ---- The commands, each imported when it is called.

# verb: the file of this folder and the command (or group of commands) in it, imported when it is called, and the first
# sentence of its docstring
COMMANDS: dict[str, tuple[str, str]] = {
    "eval": (
        "eval:eval_command",
        "Score runs against relevance judgments, as trec_eval does.",
    ),
    "correct": (
        "correct:correct_command",
        "Correct scores for the errors of a cheap judge (LLM or crowd), measured on gold labels.",
    ),
    "judge": (
        "judge:judge",
        "Check a cheap judge, such as an LLM or a crowd, against gold labels.",
    ),
    "compare": (
        "compare:compare_command",
        "Test which systems differ significantly: all pairs, groups of systems, or all against a baseline.",
    ),
    "verdict": (
        "verdict:verdict_command",
        "Decide whether one system is better than another; with many runs, which may be best.",
    ),
    "report": (
        "report:report_command",
        "Write a report on one page: verdict, data health, systems, pairs, judge, next steps and methods.",
    ),
    "init": (
        "init:init_command",
        "Check which questions your files can answer, and write study.toml.",
    ),
    "gate": (
        "gate:gate_command",
        "Check in continuous integration whether the candidate is better than every baseline.",
    ),
    "correlate": (
        "correlate:correlate_command",
        "Measure whether two sets of judgments, two measures or two halves of the topics rank systems alike.",
    ),
    "agree": (
        "agree:agree_command",
        "Measure how well assessors agree: overall, by topic and by assessor, and with experts.",
    ),
    "aggregate": (
        "aggregate:aggregate_command",
        "Combine the ratings of each document into one label, and write them as judgments.",
    ),
    "plan": (
        "plan:plan",
        "Plan what to collect next: topics, gold labels or assessors.",
    ),
    "experiment": (
        "experiment:experiment",
        "Repeat published experiments on your data.",
    ),
    "unjudged": (
        "unjudged:unjudged_command",
        "Show how many retrieved documents are unjudged, and how much they could change the scores.",
    ),
    "text": (
        "text:text",
        "Index the terms of a collection, for measures that use text, and rank its documents.",
    ),
    "annotate": (
        "annotate:annotate",
        "Collect relevance judgments from people and LLM judges, on web pages that you serve.",
    ),
    "measures": (
        "measures:measures_command",
        "List all measures, or explain one: formula, source and parameters.",
    ),
    "demo": (
        "demo:demo_command",
        "Create a small simulated collection to try truegain on: runs, judgments, gold labels and ratings.",
    ),
}


ABOUT = """Tell whether a search system's gain is true.

Evaluates runs as trec_eval does, and says how sure one can be: of topics, judges and unjudged documents.

Examples:
    truegain demo demo
    truegain verdict demo/gold.qrels demo/runs --pair system-1,system-8
"""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"truegain {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and end.")
    ] = False,
) -> None:
    """The options of `truegain` itself."""


def _show_help(self: Any, ctx: Any, formatter: Any) -> None:  # noqa: ARG001
    from truegain.cli.help import on_screen

    with ours():
        sys.stdout.write(on_screen(page_of(self, ctx)))
        sys.stdout.flush()


class _Command(TyperCommand):
    """A command with a help page of ours."""

    format_help = _show_help


class _Group(TyperGroup):
    """The same of a group of commands."""

    format_help = _show_help


def build(verb: str | None = None) -> typer.Typer:
    """The command line with all commands, or with the one that is called alone, or for '' with their names alone.

    The less there is, the faster it starts.
    """
    app = typer.Typer(
        name="truegain",
        cls=_Group,
        help=ABOUT,
        no_args_is_help=True,
        add_completion=verb == "",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for name, (place, says) in COMMANDS.items():
        if verb in COMMANDS and name != verb:
            continue
        if verb == "":
            app.command(name, help=says, cls=_Command)(lambda: None)
            continue
        file, attribute = place.split(":")
        command = getattr(import_module(f"truegain.cli.{file}"), attribute)
        reads_inputs = import_module("truegain.cli.inputs").reads_inputs
        arranged = import_module("truegain.cli.panels").arranged
        on_cluster = import_module("truegain.cli.inputs").on_cluster
        if isinstance(command, typer.Typer):
            for info in command.registered_commands:
                info.callback = arranged(on_cluster(reads_inputs(info.callback)))
                info.cls = _Command
            app.add_typer(command, name=name, cls=_Group)
        else:
            app.command(name, cls=_Command)(arranged(on_cluster(reads_inputs(command))))
    return app


def every_page() -> Iterator[tuple[str, Page]]:
    """All pages, by the words that ask for them."""
    from typer.main import get_command

    def below(command: Any, name: str, context: Any) -> Iterator[tuple[str, Page]]:
        yield name, page_of(command, context)
        for word, inner in getattr(command, "commands", {}).items():
            yield from below(inner, f"{name} {word}", _context(inner, word, context))

    root = get_command(build(""))
    yield "", page_of(root, _context(root, "truegain"))
    for verb in COMMANDS:
        whole: Any = get_command(build(verb))
        yield from below(whole.commands[verb], verb, _context(whole.commands[verb], verb, _context(whole, "truegain")))


def _context(command: Any, name: str, parent: Any = None) -> Any:
    return command.context_class(
        command, info_name=name, parent=parent, **({} if parent else {"help_option_names": ["-h", "--help"]})
    )
