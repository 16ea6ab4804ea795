"""Ctrl-C while Dask is at work: noted, and heard when that is over.

Raised in the midst of its code, as where a client connects, it leaves one that is half made and takes long to end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def heard_after(wake: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Within the block the first Ctrl-C calls `wake`, and is raised at the end; a second one is raised at once."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        if len(noted) > 1:
            before(number, frame)
        wake()

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if noted:
            before(noted[0], None)
