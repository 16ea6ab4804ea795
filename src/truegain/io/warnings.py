"""Telling of legal but suspicious data, once and with counts."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from truegain.errors import DataWarning

OURS = ("truegain", "contextlib", "functools")  # with what stands between two functions of ours


def warn(message: str, kind: type[DataWarning] = DataWarning) -> None:
    """Tell the user about suspicious data, at the line of the user's own that led to it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(kind(message), stacklevel=level)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is warned of meanwhile, listed in place of being told; also where it ends in an error.

    >>> with heard() as told:
    ...     warn("suspicious")
    >>> told
    ['suspicious']
    """
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            yield messages
        finally:
            messages += dict.fromkeys(w.message.message for w in caught if isinstance(w.message, DataWarning))


def tell(messages: Iterable[str]) -> None:
    """Tell what was heard."""
    for message in messages:
        warn(message)
