"""A cluster as users start it: a scheduler and two workers by their command line, on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from truegain.parallel import connection

distributed = pytest.importorskip("distributed")
ROOT = Path(__file__).parents[2]
LONG = 120  # seconds after which something hangs, also where the machine is busy


class Started:
    """A scheduler and its workers, as processes of the tests."""

    def __init__(self, workers: int, folder: Path, *how: str, certified: tuple[str, ...] = ()) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        kind = "tls" if certified else "tcp"
        self.address, self.folder = f"{kind}://127.0.0.1:{port}", folder
        at = ["--host", "127.0.0.1", "--port", str(port), "--protocol", kind]
        self.scheduler = self._start("scheduler", *at, *certified)
        self.number = workers
        how = (*how, *certified)
        self.workers = self._start("worker", self.address, "--nthreads", "1", "--nworkers", str(workers), *how)

    @contextmanager
    def stranger(self) -> Iterator[None]:
        """One worker more, which cannot import truegain."""
        process = self._start(
            "worker",
            self.address,
            "--nthreads",
            "1",
            "--no-nanny",
            before="import sys; sys.modules['truegain'] = None; ",
        )
        try:
            with self.client() as client:
                client.wait_for_workers(self.number + 1, timeout=LONG)
                yield
                process.kill()
                process.wait()
                until = time.monotonic() + LONG
                while len(client.ncores()) > self.number and time.monotonic() < until:
                    time.sleep(0.05)
        finally:
            process.kill()
            process.wait()

    def _start(self, *words: str, before: str = "") -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",  # one death is one too many, unless we see to it
        }
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-c", f"{before}from dask.__main__ import main; main()", *words, "--no-dashboard"],
                env=environment, cwd=self.folder, stdout=log, stderr=log,
            )  # fmt: skip

    @contextmanager
    def client(self) -> Iterator[Any]:
        """A client of our own, to look at the cluster with."""
        with distributed.Client(self.address, timeout=LONG, set_as_default=False) as client:
            client.wait_for_workers(self.number, timeout=LONG)
            yield client

    @contextmanager
    def killing(self) -> Iterator[threading.Event]:
        """Meanwhile one worker is killed as soon as it is seen at work; told by an event."""
        killed, over = threading.Event(), threading.Event()

        def watch(client: Any, pids: dict[str, int]) -> None:
            while not over.is_set() and not killed.is_set():
                for worker, keys in client.processing().items():
                    if worker in pids and any(str(key).startswith("truegain-pieces") for key in keys):
                        os.kill(pids[worker], signal.SIGKILL)
                        killed.set()
                        break
                time.sleep(0.005)

        with self.client() as client:
            watcher = threading.Thread(target=watch, args=(client, client.run(os.getpid)))
            watcher.start()
            try:
                yield killed
            finally:
                over.set()
                watcher.join()

    def end(self) -> None:
        """End all processes: workers first, as they take leave of the scheduler."""
        for process in [self.workers, self.scheduler]:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """The cluster of two workers that all tests here share; it ends with them, as it is busy even when idle."""
    found = Started(2, tmp_path_factory.mktemp("cluster"))
    try:
        with found.client():
            pass
        yield found
    finally:
        found.end()


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Started]:
    """A cluster of one worker, whose scheduler may be killed."""
    (tmp_path / "mortal").mkdir()
    found = Started(1, tmp_path / "mortal", "--no-nanny")
    try:
        with found.client():
            pass
        yield found
    finally:
        found.end()


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of finished pieces: one for each test; on a busy machine killed workers take long to come again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(connection, "QUIET", 10 * LONG)
    return tmp_path / "home" / "truegain" / "pieces"


@pytest.fixture
def usual_interrupts() -> Iterator[None]:
    """Ctrl-C as a terminal has it: what is started in the background of a script may ignore it, and pass that on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
