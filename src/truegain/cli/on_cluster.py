"""The option --cluster: every command that has --jobs can have its jobs run elsewhere."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Run on a Dask cluster: the address of its scheduler, tcp://host:8786; or local:8, so many processes.",
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
        from truegain.cluster import Cluster
        from truegain.engine import run_on

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
