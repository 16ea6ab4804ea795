"""Worker processes of this machine, for one command: 'local:4'.

They stand in a session of their own, so that Ctrl-C reaches the command alone, at any moment; and each reads its
standard input, which ends when the command does in whatever way: then it ends, too.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from truegain.errors import TruegainError

PROGRAM = "from truegain.cluster.processes import work_for; work_for()"
START = 60.0  # seconds that a worker tries to reach its scheduler
LEFT = 3  # exit code of a worker whose command is gone


class Processes:
    """A scheduler in a thread of this process, and workers of one thread each; those that end are replaced."""

    def __init__(self, number: int, distributed: Any, config: Any) -> None:
        self.number = number
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler: Any = None
        with self._started_or_told():
            self.folder = tempfile.TemporaryDirectory(prefix="truegain-", ignore_cleanup_errors=True)
        try:
            with self._started_or_told(), config.set({"temporary-directory": self.folder.name}):
                self.scheduler = distributed.LocalCluster(
                    n_workers=0,
                    protocol="tcp",
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            self.address: str = self.scheduler.scheduler_address
            self.environment = {
                **{name: str(value) for name, value in config.get("distributed.nanny.pre-spawn-environ", {}).items()},
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),  # as here
                "PYTHONSAFEPATH": "1",
            }
            for _ in range(number):
                self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        with self._started_or_told(), self.log.open("ab") as log:
            self.workers.append(
                subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, self.address, self.folder.name], env=self.environment,
                    stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True,
                )
            )  # fmt: skip

    @contextmanager
    def _started_or_told(self) -> Iterator[None]:
        """Say what could not be started where the machine refuses it: no more processes, threads, files or room."""
        try:
            yield
        except (OSError, RuntimeError) as error:
            raise self._not_started(f"{type(error).__name__}: {error}") from error

    def _not_started(self, reason: str) -> TruegainError:
        return TruegainError(f"local:{self.number}: the worker processes did not start ({reason})")

    @property
    def log(self) -> Path:
        """What the workers say."""
        return Path(self.folder.name) / "log"

    def tend(self, *, joined: bool) -> None:
        """Start another worker for each that ended; one that gave up, where none came as yet, cannot be started."""
        for worker in [w for w in self.workers if w.poll() is not None]:
            if not joined and worker.returncode > 0:  # not killed
                said = self.log.read_text(errors="replace").split("\n")
                reason = next((line for line in reversed(said) if line.strip()), f"exit code {worker.returncode}")
                raise self._not_started(reason)
            _end(worker)
            self.workers.remove(worker)
            self._start()

    def close(self) -> None:
        """End the workers, which hold nothing that is still wanted, and then the scheduler."""
        try:
            for worker in self.workers:
                worker.kill()  # all at once, before a further Ctrl-C
            for worker in self.workers:
                _end(worker)
            if self.scheduler is not None:
                with suppress(Exception):
                    self.scheduler.close(timeout=5)
        finally:
            self.folder.cleanup()


def _end(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()
    worker.wait()
    with suppress(OSError):
        worker.stdin.close()  # type: ignore[union-attr]


# ---------------------------------------------------------------------- in a worker


def work_for() -> None:
    """Be a worker of the scheduler that is named, as long as who started this process lives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where there are no sessions
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    import asyncio

    asyncio.run(_work(*sys.argv[1:]))


def _leave_with_parent() -> None:
    with suppress(OSError):
        while os.read(0, 1):
            pass
    shutil.rmtree(sys.argv[2], ignore_errors=True)  # who started us was killed, and left its folder
    os._exit(LEFT)


async def _work(address: str, folder: str) -> None:
    from distributed import Worker

    async with Worker(
        address, nthreads=1, local_directory=folder, death_timeout=START, dashboard=False,
        memory_limit=0,  # at a limit Dask has a worker pause, for ever where no nanny ends it
    ) as worker:  # fmt: skip
        await worker.finished()
