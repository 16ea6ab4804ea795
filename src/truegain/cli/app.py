"""`truegain`: the commands, and how mistakes and warnings reach the user."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, TextIO

import typer

from truegain._version import __version__
from truegain.cli import demo, eval_, measures
from truegain.errors import DataWarning, TruegainError

app = typer.Typer(
    name="truegain",
    help="Tells whether a search system's gain is true.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("eval")(eval_.eval_command)
app.command("measures")(measures.measures_command)
app.command("demo")(demo.demo_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"truegain {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and end.")
    ] = False,
) -> None:
    """Tells whether a search system's gain is true."""


def main() -> None:
    """Run the command line: mistakes of the user end with exit code 2 and a message, never with a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = _show_warning
        try:
            app()
        except TruegainError as error:
            print(f"error: {error}", file=sys.stderr)
            sys.exit(2)
        except KeyboardInterrupt:
            print("interrupted; nothing was written", file=sys.stderr)
            sys.exit(130)
        except BrokenPipeError:  # the reader of our output went away, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    kind = "warning" if issubclass(category, DataWarning) else category.__name__
    print(f"{kind}: {message}", file=sys.stderr)
