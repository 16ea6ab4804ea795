"""`truegain`: how a command is started, and how mistakes and warnings reach the user.

What takes long to import, typer and the commands with it, is imported when `main` runs, which pauses the collector.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from _thread import interrupt_main
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from threading import Timer
from typing import Any, NoReturn, TextIO

from truegain.cli import starting, streams
from truegain.errors import DataWarning, PeerWarning, TruegainError, why
from truegain.io.files import shown_path

COMPLETE = "_TRUEGAIN_COMPLETE"  # set by a shell that asks how a line may go on
COMPLETION_OPTIONS = ("--show-completion", "--install-completion")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")  # of numpy's BLAS
BESIDE_PEERS = ("eval", "init", "report")  # look at a collection, or print scores as other tools do


def main() -> None:
    """Run the command line: mistakes of the user end with exit code 2 and a message, never with a traceback."""
    streams.mend_streams()
    _one_thread_a_job()
    gc.disable()  # until the command begins: all that is loaded stays
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = partial(_show_warning, set())
        before, sys.unraisablehook = sys.unraisablehook, partial(_unraisable, sys.unraisablehook)
        try:
            if code := _run():
                sys.exit(code)
        except TruegainError as error:
            streams.tell(error.in_full, "error")
            sys.exit(2)
        except KeyboardInterrupt:
            streams.tell("interrupted; nothing was written")
            sys.exit(130)
        except BrokenPipeError:  # the reader of our output went away, as `head` does
            sys.exit(0)
        except MemoryError:
            streams.tell("error: not enough memory; give fewer runs at a time, or smaller ones")
            sys.exit(2)
        except OSError as error:
            where = "" if error.filename is None else f"{shown_path(error.filename)}: "
            streams.tell(f"error: {where}{why(error)} (check the path and the space left)")
            sys.exit(2)
        except Exception as error:
            if not hasattr(error, "show"):
                raise
            if (told := import_module("truegain.cli.usage").in_our_words(error)) is not None:
                streams.tell(told.in_full, "error")
                sys.exit(2)
            with suppress(OSError), streams.ours():
                error.show()
            sys.exit(getattr(error, "exit_code", 2))
        finally:
            gc.enable()
            sys.unraisablehook = before
            streams.settle_output()


def _unraisable(before: Callable[[Any], object], lost: Any) -> None:
    """Ctrl-C that came where Python cannot raise it, as within a lock of its imports, comes again a moment later."""
    if lost.exc_type is KeyboardInterrupt:
        Timer(0.01, interrupt_main).start()
    else:
        before(lost)


def _one_thread_a_job() -> None:
    """Let --jobs alone say how many cores work, unless the user's environment says it, too.

    Else BLAS takes all cores for each product: small ones become slower, on a busy machine many times, and sums may end
    in other bits on another number of cores.
    """
    if not any(name in os.environ for name in THREADS):
        os.environ.update(dict.fromkeys(THREADS, "1"))


def _run() -> int | None:
    """Run the command that the words name; its exit code."""
    if COMPLETE in os.environ:
        _complete()
    if sys.argv[1:2] and sys.argv[1] in COMPLETION_OPTIONS and sys.argv[2:]:
        _of_shell(sys.argv[1], sys.argv[2])
        return None
    verb = _verb()
    command = _built(verb)
    if verb:
        import_module("truegain.cli.study_files").forget_study_file()
        import_module("truegain.cli.every_command").add_checks(command)
    gc.freeze()
    gc.enable()
    starting.begin()
    try:
        code = command(prog_name="truegain", standalone_mode=False)
    except SystemExit as end:  # typer's own way to end when the reader of our output went away
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    sys.stdout.flush()  # here, where a failure can still be told
    return code or None


def _verb() -> str:
    """The command that the words name."""
    return next((word for word in sys.argv[1:] if not word.startswith("-")), "")


def _built(verb: str) -> Any:
    """The command line as far as a verb needs it."""
    return import_module("typer.main").get_command(import_module("truegain.cli.commands").build(verb))


def _of_shell(option: str, shell: str) -> None:
    """Show or install the completion of a shell that is named; typer's own options take the one that runs."""
    from typer import echo
    from typer._completion_shared import Shells, get_completion_script, install

    shells = [known.value for known in Shells]
    if shell not in shells:
        raise TruegainError(f"{option} {shell}: no completion for this shell; there is one for {', '.join(shells)}")
    if option == COMPLETION_OPTIONS[0]:
        echo(get_completion_script(prog_name="truegain", complete_var=COMPLETE, shell=shell))
        return
    _, path = install(shell=shell, prog_name="truegain", complete_var=COMPLETE)
    echo(f"{shell} completion installed in {path}; it takes effect in a new terminal")


def _complete() -> NoReturn:
    """Tell a shell how the words that it hands over may go on; only the command that they name is loaded."""
    from typer._completion_classes import completion_init

    completion_init()
    words = (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or "").split()
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    commands = import_module("truegain.cli.commands").COMMANDS
    _built(verb if verb in commands else "")(prog_name="truegain", standalone_mode=False)
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
    if issubclass(category, PeerWarning) and _verb() not in BESIDE_PEERS:
        return
    shown.add(str(message))
    kind = "warning" if issubclass(category, DataWarning) else category.__name__
    streams.tell(message.message if isinstance(message, DataWarning) else str(message), kind)
