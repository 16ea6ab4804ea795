"""What is checked of every command before it runs: its numbers, its outputs, and the ending of what it writes."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from truegain.cli.naming import option_names
from truegain.cli.output import format_of, table_format_of
from truegain.cli.streams import speak_of, tell
from truegain.cli.study_files import forget, placed, tell_notes, without_design_of_file
from truegain.errors import TruegainError, needs
from truegain.io.files import STANDARD_INPUT, STANDARD_OUTPUT, shown_path
from truegain.io.formats import ending
from truegain.io.overwrite import Guard, guarded
from truegain.io.study_text import key_of
from truegain.message import option
from truegain.settings import check_count

INPUTS = ("judgments", "ratings", "runs", "gold", "unjudged_sample")  # the parameters whose files an answer is of
OUTPUTS = ("output", "table", "figure")  # the parameters that name what is written


def check_all(command: Any) -> None:
    """Have a command, or all commands of a group, check first what they are given."""
    forget()
    for inner in getattr(command, "commands", {}).values():
        check_all(inner)
    if not hasattr(command, "commands"):
        formats = {name for p in command.params if p.name == "output_format" for name in p.type.choices}
        format_from = format_of if "trec" in formats else table_format_of
        command.callback = _checked(command.callback, format_from, option_names(command.params))


def _inputs_in(options: Mapping[str, Any]) -> list[str]:
    """What is given as judgments, runs and gold labels."""
    given = [options.get(name) for name in INPUTS]
    return [str(path) for one in given if one for path in (one if isinstance(one, list | tuple) else [one])]


def _checked(
    command: Callable[..., Any], format_from: Callable[[Any, str], object], names: Mapping[str, str]
) -> Callable[..., Any]:
    @functools.wraps(command)
    def run_placing_errors(**options: Any) -> Any:
        speak_of(names)
        tell_notes(options)
        try:
            return check_and_run(without_design_of_file(options))
        except TruegainError as error:
            raise placed(error) from error.__cause__

    def check_and_run(options: dict[str, Any]) -> Any:
        check_numbers(options)
        if "output_format" in options and not _is_list_to_judge(options):  # now, not when the work is done
            chosen = format_from(options["output_format"], str(options.get("table") or options["output"]))
            if chosen == "parquet":
                needs("polars", "frames")
        with guarded(options[name] for name in OUTPUTS if options.get(name) not in (None, STANDARD_INPUT)) as guard:
            guard.inputs = _inputs_in(options)
            try:
                return command(**options)
            except KeyboardInterrupt as error:  # typer turns it into a bare exit code
                tell(_interrupted(str(error), guard))
                raise

    return run_placing_errors


def _is_list_to_judge(options: Mapping[str, Any]) -> bool:
    """Whether `unjudged --show next` writes its list as qrels, which no other table is."""
    is_next = options.get("show") == "next" and options["output_format"] is None
    return is_next and ending(options["output"]) == ".qrels"


def _interrupted(done: str, guard: Guard) -> str:
    """How far a command came before it was interrupted, and what it leaves behind."""
    left = [shown_path(name) for name in guard.written if name == STANDARD_OUTPUT or os.path.lexists(name)]
    written = f"written: {', '.join(left)}" if left else "nothing was written"
    return f"interrupted{f': {done}' if done else ''}; {written}"


def check_numbers(options: Mapping[str, Any]) -> None:
    """Refuse what is read as a number and is none."""
    for name, value in options.items():
        for number in value if isinstance(value, list | tuple) else (value,):
            if isinstance(number, float) and not math.isfinite(number):
                what = "not a number" if math.isnan(number) else "infinite"
                raise TruegainError(f"{option(f'--{key_of(name)}')} {number:g} is {what}; give a finite number")
            if type(number) is int:
                check_count(name, number, own=True)
