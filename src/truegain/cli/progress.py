"""A progress bar for work that takes more than a second, on a terminal only."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from truegain.cli.streams import own_errors

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE = 1.0  # seconds


class Progress:
    """Counts pieces of work, of a total where it is known; shows itself only when it is worth it."""

    def __init__(self, total: int | None, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self.began = time.monotonic()
        self.bar: Bar | None = None
        self.lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
        if isinstance(error, KeyboardInterrupt) and not error.args:
            error.args = (f"{self.done} {self.what}",)

    def advance(self, pieces: int = 1) -> None:
        """Tell that some pieces are done; may be called from any thread."""
        with self.lock:
            self.done += pieces
            if self.bar is None and sys.stderr.isatty() and time.monotonic() - self.began > PATIENCE:
                self.bar = self._start()
            if self.bar is not None:
                self.bar.update(self.bar.task_ids[0], completed=self.done)

    def _start(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TaskProgressColumn(show_speed=True),
            TimeRemainingColumn(),
        )
        bar = RichProgress(*columns, console=Console(file=own_errors()), transient=True)
        bar.add_task(self.what, total=self.total)
        bar.start()
        return bar
