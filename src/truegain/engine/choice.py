"""Which engine runs a job: this machine, unless a cluster was chosen for what follows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Literal

from truegain.engine.jobs import Engine
from truegain.engine.local import Local
from truegain.errors import TruegainError

_chosen: ContextVar[Engine | None] = ContextVar("_chosen", default=None)


def engine_for(jobs: int | None = None, kind: Literal["threads", "processes"] = "threads") -> Engine:
    """The engine that was chosen with `run_on`, or else this machine with so many workers.

    >>> engine_for(2)
    Local(jobs=2, kind='threads')
    """
    return _chosen.get() or Local(jobs, kind)


@contextmanager
def run_on(engine: Engine) -> Iterator[Engine]:
    """Within the block every job runs on `engine`; a cluster is connected to first, and left at the end.

    >>> with run_on(Local(1)):
    ...     engine_for(8)
    Local(jobs=1, kind='threads')
    """
    if not isinstance(engine, Engine):
        raise TruegainError(f"run_on takes an engine, not {engine!r}; give one such as tg.Cluster('tcp://host:8786')")
    with ExitStack() as stack:
        if isinstance(engine, AbstractContextManager):
            stack.enter_context(engine)
        before = _chosen.set(engine)
        try:
            yield engine
        finally:
            _chosen.reset(before)
