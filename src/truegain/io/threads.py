"""How many cores there are, and threads that share work which frees the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def threads(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """`map` in so many threads, results in order; the plain one where one is enough, which starts sooner.

    >>> with threads(2) as each:
    ...     list(each(abs, [-1, 2]))
    [1, 2]
    """
    if jobs < 2:
        yield map
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        yield pool.map
