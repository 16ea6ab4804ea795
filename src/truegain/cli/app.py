"""`truegain`: the commands, and how mistakes and warnings reach the user."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Annotated, NoReturn, TextIO

import typer
from typer.main import get_command

from truegain._version import __version__
from truegain.cli import streams
from truegain.cli.naming import told_of_renaming, told_of_trec
from truegain.errors import DataWarning, TruegainError, why
from truegain.tables.sources import shown_path

# verb: the file of this folder and the command (or group of commands) in it, imported when it is called, and what it
# says of itself
COMMANDS: dict[str, tuple[str, str]] = {
    "eval": (
        "eval_:eval_command",
        "Score runs against judgments: means, and with -q every topic; with --rule, against the gains of ratings.",
    ),
    "correct": (
        "correct:correct_command",
        "Correct scores for the errors of a cheap judge (crowd, LLM), measured on a sample of gold labels.",
    ),
    "judges": (
        "judges:judges_command",
        "Tell how good the judge is, where, whether the data fit together, and whether it favours some systems.",
    ),
    "compare": (
        "compare:compare_command",
        "Compare systems: all pairs (or groups of systems that cannot be told apart), or all with a baseline.",
    ),
    "verdict": (
        "verdict:verdict_command",
        "Say whether b is better than a: one sentence, then all that it stands on; of many runs, which may be best.",
    ),
    "report": (
        "report:report_command",
        "Write one page with everything: verdict, data health, systems, pairs, judge, what to do next, methods.",
    ),
    "init": (
        "init:init_command",
        "Look at judgments, runs, ratings and gold labels, say what they can and cannot support, and write study.toml.",
    ),
    "gate": (
        "gate:gate_command",
        "End with 0 where the candidate is better than every baseline, 1 where it is not, 3 where it cannot be told.",
    ),
    "correlate": (
        "correlate:correlate_command",
        "Tell whether two sets of judgments, two measures, or halves of the topics order the systems alike.",
    ),
    "agree": (
        "agree:agree_command",
        "Tell whether assessors agree, by topic and by assessor, and with --expert whether they agree with experts.",
    ),
    "gains": (
        "gains:gains_command",
        "Make one gain of each document's ratings, and write them as judgments (qrels, or by the ending of --output).",
    ),
    "plan": (
        "plan:plan",
        "What to buy next: topics, labels, assessors.",
    ),
    "experiment": (
        "experiment:experiment",
        "The papers' experiments, on your data.",
    ),
    "holes": (
        "holes:holes_command",
        "How many retrieved documents are unjudged, for whom, and how far the scores could move.",
    ),
    "text": (
        "text:text",
        "Term statistics of a collection.",
    ),
    "judging": (
        "judging:judging",
        "Collect judgments: magnitudes, grades, binary labels, preferences, claims with their sources.",
    ),
    "measures": (
        "measures:measures_command",
        "List every measure, or explain one with its formula, source and parameters.",
    ),
    "demo": (
        "demo:demo_command",
        "Simulate a small collection (topics, systems, true and noisy labels) into a folder, and score it.",
    ),
}
COMPLETE = "_TRUEGAIN_COMPLETE"  # set by a shell that asks how a line may go on
SCRIPTS = ("--show-completion", "--install-completion")
RENAMED = {"study": "experiment"}  # verb of versions before: its name today


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"truegain {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and end.")
    ] = False,
) -> None:
    """Tells whether a search system's gain is true."""


def build(verb: str | None = None) -> typer.Typer:
    """The command line with all commands, or with the one that is called alone, or for '' with their names alone.

    The less there is, the faster it starts.
    """
    app = typer.Typer(
        name="truegain",
        help="Tells whether a search system's gain is true.",
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
            app.command(name, help=says)(lambda: None)
            continue
        file, attribute = place.split(":")
        command = getattr(import_module(f"truegain.cli.{file}"), attribute)
        reads_inputs = import_module("truegain.cli.inputs").reads_inputs
        arranged = import_module("truegain.cli.panels").arranged
        on_cluster = import_module("truegain.cli.on_cluster").on_cluster
        if isinstance(command, typer.Typer):
            for info in command.registered_commands:
                info.callback = arranged(on_cluster(reads_inputs(info.callback)))
            app.add_typer(command, name=name)
        else:
            app.command(name)(arranged(on_cluster(reads_inputs(command))))
    return app


def main() -> None:
    """Run the command line: mistakes of the user end with exit code 2 and a message, never with a traceback."""
    streams.mend()
    gc.disable()  # until the command begins: all that is loaded stays
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = partial(_show_warning, set())
        try:
            if code := _run():
                sys.exit(code)
        except TruegainError as error:
            streams.tell(str(error), "error")
            sys.exit(2)
        except KeyboardInterrupt:
            streams.tell("interrupted; nothing was written")
            sys.exit(130)
        except BrokenPipeError:  # the reader of our output went away, as `head` does
            sys.exit(0)
        except MemoryError:
            streams.tell("error: there is not enough memory; give fewer runs at a time, or smaller ones")
            sys.exit(2)
        except OSError as error:
            where = "" if error.filename is None else f"{shown_path(error.filename)}: "
            streams.tell(f"error: {where}{why(error)} (check the path and the space left)")
            sys.exit(2)
        except Exception as error:
            if not hasattr(error, "show"):
                raise
            said = told_of_renaming(error) or told_of_trec(error)
            if said := said or import_module("truegain.cli.study_said").told_of_lack(error):
                streams.tell(said, "error")
                sys.exit(2)
            with suppress(OSError):
                error.show()  # a mistake in the words of the command
            sys.exit(getattr(error, "exit_code", 2))
        finally:
            gc.enable()
            streams.settle_output()


def _run() -> int | None:
    """Run the command that the words name; its exit code."""
    if COMPLETE in os.environ:
        _complete()
    if sys.argv[1:2] and sys.argv[1] in SCRIPTS and sys.argv[2:]:
        _of_shell(sys.argv[1], sys.argv[2])
        return None
    verb = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    if verb in RENAMED:
        raise TruegainError(f"`truegain {verb}` is now `truegain {RENAMED[verb]}`; the words after it are the same")
    command = get_command(build(verb))
    if verb:
        import_module("truegain.cli.checks").check_all(command)
    gc.freeze()
    gc.enable()
    try:
        code = command(prog_name="truegain", standalone_mode=False)
    except SystemExit as end:  # typer's own way to end when the reader of our output went away
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    sys.stdout.flush()  # here, where a failure can still be told
    return code or None


def _of_shell(option: str, shell: str) -> None:
    """Show or install the completion of a shell that is named; typer's own options take the one that runs."""
    from typer._completion_shared import Shells, get_completion_script, install

    known = [one.value for one in Shells]
    if shell not in known:
        raise TruegainError(f"{option} {shell}: there is no completion for it; there is one for {', '.join(known)}")
    if option == SCRIPTS[0]:
        typer.echo(get_completion_script(prog_name="truegain", complete_var=COMPLETE, shell=shell))
        return
    _, path = install(shell=shell, prog_name="truegain", complete_var=COMPLETE)
    typer.echo(f"{shell} completion installed in {path}; it takes effect in a new terminal")


def _complete() -> NoReturn:
    """Tell a shell how the words that it hands over may go on; only the command that they name is loaded."""
    from typer._completion_classes import completion_init

    completion_init()
    words = (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or "").split()
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    get_command(build(verb if verb in COMMANDS else ""))(prog_name="truegain", standalone_mode=False)
    sys.exit(0)


def _show_warning(
    shown: set[str],
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    if str(message) in shown:  # as where a file is looked at twice
        return
    shown.add(str(message))
    kind = "warning" if issubclass(category, DataWarning) else category.__name__
    streams.tell(str(message), kind)
