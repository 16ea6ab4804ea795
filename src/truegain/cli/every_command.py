"""What every command gets: options of how files are read, --run-on, and checks before it runs."""

from __future__ import annotations

import functools
import inspect
import math
import os
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial, wraps
from typing import Annotated, Any

import typer

from truegain.cli.options import Columns, Memory, MissingLabels, Values, advanced, with_parameters
from truegain.cli.output import format_of, table_format_of
from truegain.cli.streams import option_names, tell, use_option_names
from truegain.cli.study_files import CALLED_IN, is_unused, placed_in_study_file, tell_notes, without_design_of_file
from truegain.errors import TruegainError, needs
from truegain.io.file_options import FileOptions, headers_of, own_gold, read_with, values_of
from truegain.io.file_roles import check_column_exists, ids_elsewhere
from truegain.io.files import STANDARD_INPUT, STANDARD_OUTPUT, shown_path
from truegain.io.formats import ending
from truegain.io.memory import memory_of
from truegain.io.overwrite import Guard, guarded
from truegain.io.study_text import key_of
from truegain.message import argname, option
from truegain.settings import check_count

# ---- Options that say how judgments and runs are read, the same for every command that reads them.

READ = ("judgments", "ratings", "runs")  # parameters that name what is read
UNUSED_GOLD = "the study's gold labels are not used here; `truegain verdict` uses them"
OPTIONS: dict[str, tuple[Any, Any]] = {
    "columns": (Columns, None),
    "missing": (MissingLabels, "refuse"),
    "values": (Values, None),
    "memory": (Memory, None),
}


def reads_inputs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that reads judgments or runs the options of how, and have them heeded while it runs.

    A command that has an option of the same name is given what concerns its judgments.
    """
    signature = inspect.signature(command, eval_str=True)
    if hasattr(command, "reads_inputs") or not set(READ) & set(signature.parameters):
        return command
    own = set(OPTIONS) & set(signature.parameters)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in OPTIONS.items()
        if name not in own
    ]

    @wraps(command)
    def called(**options: Any) -> None:
        columns, missing = options["columns"] or "", options["missing"]
        headers = headers_of(columns)
        about_files = FileOptions(
            options.get("judgments", options.get("ratings")),
            *headers,
            missing,
            own_gold("gold", options.get("gold")) or own_gold("expert", options.get("expert")),
            memory=memory_of(options["memory"]),
            say=cache(tell),  # each line once
            columns=columns,
            unused_gold=UNUSED_GOLD if is_unused("gold") else "",
            values=values_of(options["values"]),
            judge_model=options.get("judge_model"),
            elsewhere=partial(ids_elsewhere, options.get("runs") or ()),
            check_name=cache(
                partial(check_column_exists, [value for name, value in options.items() if name != "output"])
            ),
        )
        is_labels = options.get("gold") is not None or "separator" in options  # gold labels, or ratings
        options["columns"] = headers.judgments_header.written if is_labels else None
        options["missing"] = missing if is_labels else "refuse"
        with read_with(about_files):
            command(**{name: value for name, value in options.items() if name in own or name not in OPTIONS})

    called.reads_inputs = True  # type: ignore[attr-defined]
    return with_parameters(called, [*signature.parameters.values(), *added])


# ---- The option --run-on: every command that has --jobs can have its jobs run elsewhere.

ClusterAddress = Annotated[
    str | None,
    advanced(
        "--run-on", help="Run on a Dask cluster: its scheduler's address, tcp://host:8786; or local:8 for 8 processes."
    ),
]


def on_cluster(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command with --jobs the option --run-on, and run its jobs there where it is given."""
    signature = inspect.signature(command, eval_str=True)
    if "jobs" not in signature.parameters or "run_on" in signature.parameters:
        return command

    @wraps(command)
    def called(*, run_on: str | None = None, **options: Any) -> None:
        if run_on is None:
            command(**options)
            return
        from truegain.parallel import jobs
        from truegain.parallel.cluster import Cluster

        exit_code: typer.Exit | None = None
        with jobs.run_on(Cluster(run_on)):
            try:
                command(**options)
            except typer.Exit as code:  # as of `gate`: no failure
                exit_code = code
        if exit_code is not None:
            raise exit_code

    added = inspect.Parameter("run_on", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=ClusterAddress)
    return with_parameters(called, [*signature.parameters.values(), added])


# ---- What is checked before a command runs: its numbers, its outputs, and the ending of what it writes.


INPUTS = ("judgments", "ratings", "runs", "gold", "unjudged_sample")  # the parameters whose files an answer is of
OUTPUTS = ("output", "table", "figure")  # the parameters that name what is written


def add_checks(command: Any) -> None:
    """Have a command, or all commands of a group, check first what they are given."""
    for inner in getattr(command, "commands", {}).values():
        add_checks(inner)
    if not hasattr(command, "commands"):
        formats = {name for p in command.params if p.name == "output_format" for name in p.type.choices}
        format_from = format_of if "trec" in formats else table_format_of
        measures = {"measure", *CALLED_IN.get(command.name, {}).values()}  # `--against` of others names files
        command.callback = _checked(command.callback, format_from, option_names(command.params), measures)


def _inputs_in(options: Mapping[str, Any]) -> list[str]:
    """What is given as judgments, runs and gold labels."""
    given = [options.get(name) for name in INPUTS]
    return [str(path) for one in given if one for path in (one if isinstance(one, list | tuple) else [one])]


def _checked(
    command: Callable[..., Any],
    format_from: Callable[[Any, str], object],
    names: Mapping[str, str],
    measures: Collection[str],
) -> Callable[..., Any]:
    @functools.wraps(command)
    def run_placing_errors(**options: Any) -> Any:
        use_option_names(names)
        tell_notes(options)
        try:
            return check_and_run(without_design_of_file(options))
        except TruegainError as error:
            raise placed_in_study_file(error) from error.__cause__

    def check_and_run(options: dict[str, Any]) -> Any:
        check_numbers(options)
        options |= _each_measure(options, measures)
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


def _each_measure(options: Mapping[str, Any], measures: Collection[str]) -> dict[str, list[str]]:
    """The options that name measures, with one name an entry where several stand in one text, as P@10,AP.

    >>> _each_measure({"measure": ["P@10,AP", "nDCG@10"], "jobs": 1}, ["measure"])
    {'measure': ['P@10', 'AP', 'nDCG@10']}
    """
    given = {name: options[name] for name in measures if options.get(name)}
    if not given:
        return {}
    from truegain.measures.catalogue import split_measures

    for name, text in given.items():
        if isinstance(text, str) and len(parts := split_measures(text)) > 1:
            raise TruegainError(f"{argname(name, text)}: one measure is wanted here; name one, such as {parts[0]}")
    several = {name: texts for name, texts in given.items() if not isinstance(texts, str)}
    return {name: [part for text in texts for part in split_measures(text)] for name, texts in several.items()}


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
