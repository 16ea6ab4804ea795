"""`truegain`: the commands, and how mistakes and warnings reach the user."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from importlib import import_module
from typing import Annotated, TextIO

import typer
from typer.main import get_command

from truegain._version import __version__
from truegain.cli import streams
from truegain.cli.checks import check_all
from truegain.errors import DataWarning, TruegainError, why
from truegain.tables.sources import shown_path

# verb: the file of this folder and the command (or group of commands) in it; imported when it is called
COMMANDS = {
    "eval": "eval_:eval_command",
    "correct": "correct:correct_command",
    "judges": "judges:judges_command",
    "compare": "compare:compare_command",
    "verdict": "verdict:verdict_command",
    "report": "report:report_command",
    "correlate": "correlate:correlate_command",
    "agree": "agree:agree_command",
    "gains": "gains:gains_command",
    "plan": "plan:plan",
    "experiment": "experiment:experiment",
    "holes": "holes:holes_command",
    "text": "text:text",
    "measures": "measures:measures_command",
    "demo": "demo:demo_command",
}
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
    """The command line with all commands, or with the one that is called alone, which starts faster."""
    app = typer.Typer(
        name="truegain",
        help="Tells whether a search system's gain is true.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for name, place in COMMANDS.items():
        if verb in COMMANDS and name != verb:
            continue
        file, attribute = place.split(":")
        command = getattr(import_module(f"truegain.cli.{file}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def main() -> None:
    """Run the command line: mistakes of the user end with exit code 2 and a message, never with a traceback."""
    streams.mend()
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = _show_warning
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
            with suppress(OSError):
                error.show()  # a mistake in the words of the command
            sys.exit(getattr(error, "exit_code", 2))
        finally:
            streams.settle_output()


def _run() -> int | None:
    """Run the command that the words name; its exit code."""
    verb = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    if verb in RENAMED:
        raise TruegainError(f"`truegain {verb}` is now `truegain {RENAMED[verb]}`; the words after it are the same")
    command = get_command(build(verb))
    check_all(command)
    try:
        code = command(standalone_mode=False)
    except SystemExit as end:  # typer's own way to end when the reader of our output went away
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    sys.stdout.flush()  # here, where a failure can still be told
    return code or None


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    kind = "warning" if issubclass(category, DataWarning) else category.__name__
    streams.tell(str(message), kind)
