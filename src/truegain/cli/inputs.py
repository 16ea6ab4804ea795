"""Options that every command gets that reads judgments and runs, or has jobs: how files are read, --run-on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial, wraps
from typing import Annotated, Any

import typer

from truegain.cli.options import Columns, Memory, MissingLabels, Values, advanced, with_parameters
from truegain.cli.streams import tell
from truegain.cli.study_files import is_unused
from truegain.io.column_names import headers_of, own_gold, values_of
from truegain.io.file_options import FileOptions, read_with
from truegain.io.memory import memory_of
from truegain.io.told_columns import check_somewhere, ids_elsewhere

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
            check_name=cache(partial(check_somewhere, [value for name, value in options.items() if name != "output"])),
        )
        is_labels = options.get("gold") is not None or "separator" in options  # gold labels, or ratings
        options["columns"] = headers.judged.written if is_labels else None
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
