"""The commands, each imported when it is called; their help pages; the order of their options there, and completion."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from truegain._version import __version__
from truegain.cli.help import PAGES, Page, on_screen, stored_page
from truegain.cli.streams import ours
from truegain.errors import TruegainError
from truegain.message import option
from truegain.settings import choices_of

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
        commands = [command.get_command(context, name) for name in command.list_commands(context)]
        panels["Commands"] = [
            ["", c.name, "", _one_line((c.short_help or c.help or "").partition("\n\n")[0])]
            for c in commands
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

# verb: the file of this folder and the command (or group of commands) in it, imported when it is called
COMMANDS = {
    "eval": "eval:eval_command",
    "correct": "correct:correct_command",
    "judge": "judge:judge",
    "compare": "compare:compare_command",
    "verdict": "verdict:verdict_command",
    "settle": "settle:settle_command",
    "report": "report:report_command",
    "participants": "participants:participants_command",
    "doctor": "doctor:doctor_command",
    "init": "init:init_command",
    "gate": "gate:gate_command",
    "correlate": "correlate:correlate_command",
    "agree": "agree:agree_command",
    "aggregate": "aggregate:aggregate_command",
    "plan": "plan:plan",
    "experiment": "experiment:experiment",
    "unjudged": "unjudged:unjudged_command",
    "text": "text:text",
    "annotate": "annotate:annotate",
    "measures": "measures:measures_command",
    "cite": "cite:cite_command",
    "schema": "schema:schema_command",
    "demo": "demo:demo_command",
}


ABOUT = """Tell whether a search system's gain is real.

Evaluates runs as trec_eval does, and says how certain the result is, given topics, judges and unjudged documents.

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
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """The options of `truegain` itself."""


def _show_help(self: Any, ctx: Any, formatter: Any) -> None:  # noqa: ARG001
    with ours():
        sys.stdout.write(on_screen(page_of(self, ctx)))
        sys.stdout.flush()


class _Command(TyperCommand):
    """A command with a help page of ours, and where no value of an option takes the place of another in silence."""

    format_help = _show_help

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words of the user as options; click alone takes the last value of an option that is given twice."""
        if not ctx.resilient_parsing:
            _, _, parameters = self.make_parser(ctx).parse_args(args=list(args))
            for p, times in Counter(parameters).items():
                takes_one = p.param_type_name == "option" and not (p.multiple or p.is_flag or p.count)  # type: ignore[attr-defined]
                if times > 1 and takes_one:
                    name = max(p.opts, key=len)
                    raise TruegainError(
                        f"{option(name)} is given {times} times and takes one value; give it once, and run the command "
                        "again for another value"
                    )
        return super().parse_args(ctx, args)


class _Group(TyperGroup):
    """A group of commands with a help page of ours."""

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
    if verb == "":
        for _, name, _, sentence in _stored_commands():
            app.command(name, help=sentence, cls=_Command)(lambda: None)
        return app
    from truegain.cli.every_command import on_cluster, reads_inputs

    # A call goes, outside in: `inputs._checked` (numbers, outputs, errors with a place in a study file; `app.py` puts
    # it on what is built here), `on_cluster` (--run-on), `reads_inputs` (--columns, --missing, --values, --memory),
    # `with_options` (options as dataclasses; in the command's own file), the command.  `arranged` only sorts options.
    for name in [verb] if verb in COMMANDS else COMMANDS:
        file, attribute = COMMANDS[name].split(":")
        command = getattr(import_module(f"truegain.cli.{file}"), attribute)
        if isinstance(command, typer.Typer):
            for info in command.registered_commands:
                callback: Any = info.callback
                info.callback = arranged(on_cluster(reads_inputs(callback)))
                info.cls = _Command
            app.add_typer(command, name=name, cls=_Group)
        else:
            app.command(name, cls=_Command)(arranged(on_cluster(reads_inputs(command))))
    return app


def _stored_commands() -> list[list[str]]:
    """The commands on the stored page of `truegain` itself, each with the first sentence of its docstring."""
    with open(PAGES, encoding="utf-8") as file:  # noqa: PTH123
        page = stored_page(file.read(), "")
    return page[2]["Commands"] if page else []


def every_page() -> Iterator[tuple[str, Page]]:
    """All pages, by the words that ask for them."""
    from typer.main import get_command

    def below(command: Any, name: str, context: Any) -> Iterator[tuple[str, Page]]:
        yield name, page_of(command, context)
        for word, inner in getattr(command, "commands", {}).items():
            yield from below(inner, f"{name} {word}", _context(inner, word, context))

    root, whole = get_command(build("")), get_command(build())
    context = _context(whole, "truegain")
    usage, about, panels = page_of(root, _context(root, "truegain"))
    rows = {row[1]: row for row in page_of(whole, context)[2]["Commands"]}
    yield "", (usage, about, panels | {"Commands": [rows[verb] for verb in COMMANDS]})
    for verb in COMMANDS:  # typer has groups behind the others
        command = whole.commands[verb]  # type: ignore[attr-defined]
        yield from below(command, verb, _context(command, verb, context))


def _context(command: Any, name: str, parent: Any = None) -> Any:
    return command.context_class(
        command, info_name=name, parent=parent, **({} if parent else {"help_option_names": ["-h", "--help"]})
    )


# ---- What a shell completes behind options whose values are words that truegain knows.

Completer = Callable[[str], list[str]]  # of what is typed so far
CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
OVER = ("topics", "collection", "topics+collection", "fixed")
NORMALIZE = ("geometric", "median", "range", "anchors")


def measures(incomplete: str) -> list[str]:
    """Every measure by our names, others' and trec_eval's; behind @, cutoffs; behind a comma, another measure.

    >>> measures("nDC"), measures("nDCG@1"), measures("AP,nDC")
    (['nDCG', 'nDCGrel'], ['nDCG@1', 'nDCG@10', 'nDCG@100', 'nDCG@1000'], ['AP,nDCG', 'AP,nDCGrel'])
    """
    before, comma, last = incomplete.rpartition(",")
    if comma and before.count("(") == before.count(")"):
        return [f"{before},{word}" for word in measures(last)]
    from truegain.measures.catalogue import ALIASES, CATALOGUE, NUMBERED, PLAIN

    name, at, _ = incomplete.partition("@")
    if at:
        kind = CATALOGUE.get(ALIASES.get(name, name).split("(")[0])
        return _beginning(incomplete, (f"{name}@{k}" for k in CUTOFFS) if kind is not None and kind.AT else ())
    trec = [*PLAIN, *(f"{stem}_{k}" for stem in ("P", "recall", "ndcg_cut", "map_cut", "success") for k in CUTOFFS)]
    names = [*CATALOGUE, *ALIASES, *(t for t in trec if t in PLAIN or t.rpartition("_")[0] in NUMBERED)]
    return _beginning(incomplete, dict.fromkeys(names))


def _methods() -> Iterable[str]:
    from truegain.stats.collection_ap import MEAN_METHODS, METHODS
    from truegain.stats.intervals import TOPIC_METHODS

    return dict.fromkeys((*TOPIC_METHODS, *METHODS, *MEAN_METHODS))


def _catalogue(module: str, name: str) -> Callable[[], Iterable[str]]:
    """The names in a catalogue, imported when a shell asks for them."""
    return lambda: getattr(import_module(f"truegain.{module}"), name)


def _one(words: Callable[[], Iterable[str]]) -> Completer:
    """A completer of one of some words."""
    return lambda incomplete: _beginning(incomplete, words())


def _several(words: Callable[[], Iterable[str]]) -> Completer:
    """A completer of words with commas between."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        typed = before.split(",")
        return [f"{before}{comma}{word}" for word in words() if word.startswith(last) and word not in typed]

    return complete


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


_rules = _one(_catalogue("aggregation.aggregate", "RULES"))
COMPLETERS: dict[str, Completer] = {
    "--measure": measures,
    "--sort": measures,
    "--against": measures,
    "--best-by": measures,
    "--aggregate": _rules,
    "--gold-aggregate": _rules,
    "--drop-assessors": _one(lambda: ("flagged",)),  # or a file, which shells complete
    "--normalize": _several(lambda: NORMALIZE),
    "--intervals": _several(lambda: OVER),
    "--population": _several(lambda: (*choices_of("population"), "fixed")),
    "--design": _one(lambda: choices_of("design")),
    "--draw": _one(lambda: choices_of("draw")),
    "--method": _one(_methods),
    "--ranker": _one(_catalogue("experiments.ranker", "RANKERS")),
    "--task": _one(_catalogue("judging.tasks.catalogue", "TASKS")),
}


# ---- Where each option stands in the help of every command.

# panel: its options, each in one panel only, in all commands that have it; what is declared as `advanced` stands under
# Advanced instead, in the same order
PANELS: dict[str, str] = {
    "Question": "baseline candidate pair population topics min-effect not-worse-by costs power criterion "
    "approximate error sigma between against until most max-labels keep-going sequential draw numbers drawn-pairs "
    "draws split share-a part-a repeat more-than keep dmax simulated-assessors simulated lacks list shares best-by "
    "also agreement tie-share gold-share",
    "Reading": "study truth columns missing values errors name-by teams team best-of-team kind id-field text-field "
    "stop stemmer cjk for schema",
    "Ratings": "p normalize weight-assessors aggregate units best wide-from "
    "scale out-of-range repeated assessors separator topic drop-assessors first expert second",
    "Gold labels": "gold design gold-relevant-from gold-aggregate gold-sample unmatched accuracy clusters earlier rows",
    "LLM judges": "judge-model system-models trust-judge key-env soft one-order temperature max-tokens text-tokens "
    "concurrency retries timeout requests-per-minute tokens-per-minute price store batch collect",
    "Scoring": "measure score less-is-better cluster empty all-topics relevant-from depth judged-only no-relevant "
    "trec-eval ties intents corpus judged-corpus ranker length mapping",
    "Unjudged documents": "fill predicted unjudged-sample unjudged llm pool-depth pooled unjudged-topics share at",
    "Tests and resampling": "test adjust counting intervals method meta effect pairing resamples confidence "
    "alpha rbo-p epsilon seed",
    "Printing": "by-topic no-summary sort show all top moves pairs groups with-intervals changed title figure chart "
    "named format output table cache jobs run-on memory",
    "Collecting judgments": "people sheet max-cost dry-run folder docs pool teamwork questions key task double "
    "team-aggregate judgments size order runs platform judges filled linger model prompt host port url number erase "
    "quiet anchors bronze unfinished excluded cannot wins audit parameter database prolific-key proxy per-address "
    "workers",
    "Tables for papers": "wide names strip-prefix digits percent caption label",
}
PANEL_OF = {f"--{name}": panel for panel, names in PANELS.items() for name in names.split()}
_PLACE = {option: i for i, option in enumerate(PANEL_OF)}


def arranged(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command with its options in panels, in the order of the panels, and with what shells complete."""
    from truegain.cli.options import ADVANCED, option_info, option_of, with_parameters  # loads numpy

    parameters, placed = list(inspect.signature(command, eval_str=True).parameters.values()), []
    for p in parameters:
        info = option_info(p.annotation)
        if info is None:
            continue
        option = option_of(p.name, p.annotation)
        advanced = info.rich_help_panel == ADVANCED
        info.rich_help_panel = info.rich_help_panel or PANEL_OF.get(option)
        info.autocompletion = None if _chooses(p.annotation) else COMPLETERS.get(option)
        placed.append(((advanced, _PLACE.get(option, len(_PLACE))), p.name))
    order = {name: place for place, name in sorted(placed)}
    options = sorted((p for p in parameters if p.name in order), key=lambda p: order[p.name])
    others = [p for p in parameters if p.name not in order]
    return with_parameters(command, (p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*others, *options)))


def _chooses(annotation: Any) -> bool:
    """Whether an option takes one of some words, which typer completes by itself."""
    kind = get_args(annotation)[0]
    return any(get_origin(part) is Literal for part in (kind, *get_args(kind)))
