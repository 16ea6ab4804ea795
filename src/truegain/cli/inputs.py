"""Options that every command gets that reads judgments and runs, or has jobs: how files are read, --cluster."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, wraps
from typing import Annotated, Any

import typer

from truegain.cli.options import Columns, Memory, MissingLabels, Values, advanced
from truegain.cli.streams import tell
from truegain.cli.study_files import is_unused
from truegain.io.column_names import Told, headers_of, own_gold, telling, values_of
from truegain.io.memory import memory_of

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
    def called(**words: Any) -> None:
        said = headers_of(words["columns"] or "")
        told = Told(
            words.get("judgments", words.get("ratings")), *said, words["missing"], _own(words),
            memory=memory_of(words["memory"]), say=cache(tell),  # each line once
            columns=words["columns"] or "", unused_gold=UNUSED_GOLD if is_unused("gold") else "",
            values=values_of(words["values"]), judge_model=words.get("judge_model"),
        )  # fmt: skip
        about = words.get("gold") is not None or "separator" in words  # gold labels, or ratings
        words["columns"] = said.judged.written if about else None
        words["missing"] = words["missing"] if about else "refuse"
        with telling(told):
            command(**{name: value for name, value in words.items() if name in own or name not in OPTIONS})

    every = [*signature.parameters.values(), *added]
    called.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in every}
    called.reads_inputs = True  # type: ignore[attr-defined]
    return called


def _own(words: dict[str, Any]) -> str | None:
    """Where gold labels stand in the judgments' own file, if they do."""
    return own_gold("gold", words.get("gold")) or own_gold("expert", words.get("expert"))


# ---- The option --cluster: every command that has --jobs can have its jobs run elsewhere.

ClusterAddress = Annotated[
    str | None,
    advanced(
        "--cluster", help="Run on a Dask cluster: its scheduler's address, tcp://host:8786; or local:8 for 8 processes."
    ),
]


def on_cluster(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command with --jobs the option --cluster, and run its jobs there where it is given."""
    signature = inspect.signature(command, eval_str=True)
    if "jobs" not in signature.parameters or "cluster" in signature.parameters:
        return command

    @wraps(command)
    def called(*, cluster: str | None = None, **words: Any) -> None:
        if cluster is None:
            command(**words)
            return
        from truegain.parallel.cluster import Cluster
        from truegain.parallel.jobs import run_on

        ended: typer.Exit | None = None
        with run_on(Cluster(cluster)):
            try:
                command(**words)
            except typer.Exit as end:  # an exit code, as of `gate`: no failure
                ended = end
        if ended is not None:
            raise ended

    added = inspect.Parameter("cluster", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=ClusterAddress)
    every = [*signature.parameters.values(), added]
    called.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in every}
    return called
