"""The connection to a cluster: its address or local workers, and whether they are like us.

Says what happened when they are lost.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from truegain.errors import TruegainError, needs, some, why
from truegain.io.memory import available, cores
from truegain.message import argname
from truegain.parallel.finished_pieces import KeptJob
from truegain.parallel.worker import bear_deaths, versions

# ---- What may be given as a cluster: the address of a scheduler, which can be reached, or processes of this
# machine.

ADDRESS = re.compile(r"(?:(?:tcp|tls)://)?([^\s/@?]+):(\d{1,5})")
LOCAL = re.compile(r"local(?::(.*))?", re.DOTALL | re.IGNORECASE)
PORTS = 65_535
TIMES = 8  # worker processes for each core, at most
WORKER = 150 << 20  # bytes of memory that a worker process takes before it has anything to do
SOON = 1.0  # seconds for a scheduler that was started together with the command
WEB = 2.0  # seconds until it is asked whether this is a web server, such as the scheduler's own page
SILENT = 10.0  # seconds until a machine that does not even refuse is held to be none
ANSWER = 30.0  # seconds until a scheduler that says nothing is held to be none


def checked_address(address: str) -> str:
    """An address that can be meant; 'local' with its number of processes.

    >>> checked_address("10.0.0.7:8786"), checked_address("local:2")
    ('10.0.0.7:8786', 'local:2')
    """
    address = address.strip()
    local, remote = LOCAL.fullmatch(address), ADDRESS.fullmatch(address)
    if local is not None:
        return f"local:{_processes(local[1])}"
    if remote is None or not 0 < int(remote[2]) <= PORTS:
        public = re.sub(r"//.*@", "//", address).partition("?")[0]  # no secrets
        raise TruegainError(
            f"{argname('run_on', public)}: not an address; give that of a scheduler, such as tcp://10.0.0.7:8786, or "
            "local:4 for 4 worker processes on this machine"
        )
    return address


def _processes(count: str | None) -> int:
    """How many worker processes are asked for: one for each core where nothing is said."""
    if count is None:
        return cores()
    if not re.fullmatch(r"0*[1-9]\d*", count, re.ASCII):
        raise TruegainError(
            f"{argname('run_on', f'local:{count}')}: give a number of worker processes of at least 1, such as "
            f"local:{cores()}, one for each core of this machine"
        )
    digits = count.lstrip("0")
    most = max(cores(), min(TIMES * cores(), available() // WORKER))
    if len(digits) > len(str(most)) or int(digits) > most:
        raise TruegainError(
            f"{argname('run_on', f'local:{count}')}: this machine has {cores()} cores and {available() / 1e9:.1f} "
            f"GB of free memory; more than {most} worker processes do not help: give local:{cores()}, one for each "
            "core"
        )
    return int(digits)


def processes_of(address: str) -> int | None:
    """How many worker processes of this machine an address names; None where it is that of a scheduler.

    >>> processes_of("local:3"), processes_of("tcp://10.0.0.7:8786")
    (3, None)
    """
    return int(address.partition(":")[2]) if address.startswith("local:") else None


def check_reachable(address: str) -> None:
    """Connect, wait for a first sign and hang up: who is not there is told at once, where Dask tries for long.

    A scheduler speaks first, unless it waits for certificates.
    """
    match = ADDRESS.fullmatch(address)
    assert match is not None
    place = (match[1].strip("[]"), int(match[2]))
    until = time.monotonic() + SOON
    while True:
        try:
            with socket.create_connection(place, timeout=SILENT) as connection:
                if not address.startswith("tls://") and not _first_byte(connection, place, address):
                    raise no_scheduler(address, "it closed the connection")
            return
        except TimeoutError:
            raise no_scheduler(address, "it does not respond; one with certificates is tls://, not tcp://") from None
        except (OSError, UnicodeError) as error:
            if not isinstance(error, ConnectionRefusedError) or time.monotonic() > until:
                raise no_scheduler(address, why(error) if isinstance(error, OSError) else str(error)) from None
        time.sleep(0.2)


def _first_byte(connection: socket.socket, place: tuple[str, int], address: str) -> bytes:
    """What is said first; one who waits to be asked may be a web server, as at the port of the scheduler's page."""
    connection.settimeout(WEB)
    with suppress(TimeoutError):
        return connection.recv(1)
    with suppress(OSError), socket.create_connection(place, timeout=WEB) as web:
        web.sendall(b"HEAD / HTTP/1.0\r\n\r\n")
        if web.recv(5) == b"HTTP/":
            raise no_scheduler(
                address, "a web server does; a scheduler's dashboard has another port than the scheduler"
            )
    connection.settimeout(ANSWER)
    return connection.recv(1)


def no_scheduler(address: str, reason: str) -> TruegainError:
    """What to say where nobody answers, or somebody else does."""
    return TruegainError(
        f"{address}: no scheduler answers there ({reason}); start one with `dask scheduler`, or check the address"
    )


# ---- Worker processes of this machine, for one command: 'local:4'.
#
# They stand in a session of their own, so that Ctrl-C reaches the command alone, at any moment; and each reads its
# standard input, which ends when the command does in whatever way: then it ends, too.

PROGRAM = "from truegain.parallel.connection import work_for; work_for()"
START = 60.0  # seconds that a worker tries to reach its scheduler
LEFT = 3  # exit code of a worker whose command is gone


class Processes:
    """A scheduler in a thread of this process, and workers of one thread each; those that end are replaced."""

    def __init__(self, number: int, distributed: Any, config: Any) -> None:
        self.number = number
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler: Any = None
        with self._started_or_failed():
            self.folder = tempfile.TemporaryDirectory(prefix="truegain-", ignore_cleanup_errors=True)
        try:
            with self._started_or_failed(), config.set({"temporary-directory": self.folder.name}):
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
        with self._started_or_failed(), self.log.open("ab") as log:
            self.workers.append(
                subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, self.address, self.folder.name], env=self.environment,
                    stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True,
                )
            )  # fmt: skip

    @contextmanager
    def _started_or_failed(self) -> Iterator[None]:
        """Say what could not be started where the machine refuses it: no more processes, threads, files or room."""
        try:
            yield
        except (OSError, RuntimeError) as error:
            raise self._not_started(f"{type(error).__name__}: {error}") from error

    def _not_started(self, reason: str) -> TruegainError:
        return TruegainError(
            f"local:{self.number}: the worker processes did not start ({reason})", remedy="run without a cluster"
        )

    @property
    def log(self) -> Path:
        """What the workers say."""
        return Path(self.folder.name) / "log"

    def tend(self, *, joined: bool) -> None:
        """Start another worker for each that ended; one that gave up, where none came as yet, cannot be started."""
        for worker in [w for w in self.workers if w.poll() is not None]:
            if not joined and worker.returncode > 0:  # not killed
                lines = self.log.read_text(errors="replace").split("\n")
                reason = next((line for line in reversed(lines) if line.strip()), f"exit code {worker.returncode}")
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


# ---- Ctrl-C while Dask is at work: noted, and heard when that is over.
#
# Raised in the midst of its code, as where a client connects, it leaves one that is half made and takes long to end.


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


# ---- The connection to a cluster: who is there, whether they are like us, and what is said when they are lost.

DEATHS = 20  # of workers, until a task is held to be their cause
NEWS = 1.0  # seconds for which it is taken that the workers are still the same
QUIET = 10.0  # seconds without a worker until that is told
FROZEN = 120.0  # seconds until one that answered before is held to be lost
UNLOADED = ("ModuleNotFoundError(", "ImportError(", "AttributeError(")  # how the words of an error begin
NOISY = ("distributed", "tornado")  # loggers
QUIETLY = {"distributed.admin.large-graph-warning-threshold": 2**60}  # bytes of shared data are meant to be there


class LostError(Exception):
    """The scheduler went away."""


class Crew:
    """A scheduler and its workers, as seen by the client of one command."""

    def __init__(self, address: str, patience: float, tell: Callable[[str], None]) -> None:
        self.address, self.patience, self.tell = address, patience, tell
        if processes_of(address) is None:
            check_reachable(address)
        self.distributed = needs("distributed", "cluster")
        self.levels = _hushed()
        self.config = needs("dask", "cluster").config
        self.processes: Processes | None = None
        self.client: Any = None
        self.threads: dict[str, int] = {}
        self.alike: set[str] = set()
        self.seen = self.looked = time.monotonic()
        self.waiting = False
        try:
            with heard_after():
                self.client = self._connected()
                self._check_scheduler()
                self.seen = time.monotonic()  # from now on workers are waited for
                self.look(at_once=True)
        except BaseException:
            self.close()
            raise

    # ------------------------------------------------------------------ who is there

    def _connected(self) -> Any:
        """A client of the scheduler; 'local:N' starts one with N worker processes on this machine."""
        address, number = self.address, processes_of(self.address)
        if number is not None:
            self.processes = Processes(number, self.distributed, self.config)
            address = self.processes.address
        if (
            address.startswith("tls://")
            and not self.distributed.Security().get_connection_args("client")["ssl_context"]
        ):
            raise TruegainError(
                f"{address}: Dask's configuration names no certificates (distributed.comm.tls, see "
                "docs/howto/cluster.md); "
                "set them there, or give tcp://"
            )
        try:
            client = self.distributed.Client(address, timeout=ANSWER, set_as_default=False, name="truegain")
            client._timeout = 1  # a scheduler that is lost is not waited for when the command ends
            return client
        except (OSError, ValueError, ImportError) as error:  # a time that is up is an OSError
            raise no_scheduler(self.address, _first_line(error)) from None

    def look(self, *, at_once: bool = False) -> None:
        """See who is there, from time to time; an error where nobody comes, or where somebody is not like us."""
        now = time.monotonic()
        if not at_once and now - self.looked < NEWS:
            return
        self.looked = now
        try:
            self.threads = dict(self.client.sync(self.client.scheduler.ncores, callback_timeout=FROZEN))
        except Exception as error:
            raise LostError(_first_line(error)) from error
        self._check_workers([worker for worker in self.threads if worker not in self.alike])
        if self.processes is not None:
            self.processes.tend(joined=bool(self.alike))
        if self.threads:
            self.seen, self.waiting = time.monotonic(), False
        elif now - self.seen > self.patience:
            more = f"start some with `dask worker {self.address}`, and " if self.processes is None else ""
            raise TruegainError(
                f"{self.address}: no worker joined within {self.patience:g} seconds; {more}run the same again"
            )
        elif now - self.seen > QUIET and not self.waiting:
            self.waiting = True
            self.tell(f"{self.address}: no worker has joined yet; waiting for one, {self.patience:g} seconds at most")

    @property
    def places(self) -> int:
        """How many pieces can be worked on at a time."""
        return max(1, sum(self.threads.values()))

    # ------------------------------------------------------------------ whether they are like us

    def _check_scheduler(self) -> None:
        try:
            theirs = self.client.run_on_scheduler(versions)
            self.client.run_on_scheduler(bear_deaths, DEATHS)
        except Exception as error:
            raise TruegainError(_not_there(f"the scheduler {self.address}", error)) from error
        self._check(f"the scheduler {self.address}", theirs)

    def _check_workers(self, new: list[str]) -> None:
        """Compare workers that were not seen before; one that is gone already, or does not answer, is asked again."""
        answers: dict[str, Any] = {}
        with suppress(Exception):
            answers = self.client.run(versions, workers=new, on_error="return") if new else {}
        for worker, theirs in answers.items():
            if _lacks_us(theirs):
                raise TruegainError(_not_there(f"the worker {worker}", theirs)) from theirs
            if not isinstance(theirs, BaseException):
                self._check(f"the worker {worker}", theirs)
                self.alike.add(worker)

    def _check(self, who: str, theirs: Mapping[str, str]) -> None:
        ours = _ours()
        other = [
            f"{what} {theirs.get(what)}, here {value}" for what, value in ours.items() if theirs.get(what) != value
        ]
        if other:
            raise TruegainError(
                f"{who} differs from this machine: {some(other, len(other))}; results would differ: install the same "
                "versions everywhere, and the very same files of truegain"
            )

    # ------------------------------------------------------------------ what goes out and comes back

    def submit(self, function: Callable[..., Any], *arguments: object, key: str, worker: str = "") -> Any:
        """Hand out a task, to a worker if one is named; where that is gone another takes it."""
        place: dict[str, Any] = {"workers": [worker], "allow_other_workers": True} if worker else {}
        try:
            with self.config.set(QUIETLY):
                return self.client.submit(function, *arguments, key=key, **place)
        except Exception as error:
            if self.client.status == "running":
                raise
            raise LostError(_first_line(error)) from error

    def fetch(self, future: Any, seconds: float) -> Any:
        """What a task brought; TimeoutError where it did not come, as when it has to be made again."""
        try:
            return future.result(timeout=seconds)
        except (CancelledError, self.distributed.CancelledError) as error:
            raise LostError("the connection broke") from error
        except TimeoutError:
            raise
        except Exception as error:
            if self.client.status != "running":
                raise LostError(_first_line(error)) from error
            raise

    # ------------------------------------------------------------------ how it ends

    def lost(self, kept: KeptJob, total: int, reason: str) -> TruegainError:
        """What to say when the scheduler went away in the middle of a job."""
        finished = f"{kept.count} of {total} pieces of the step it was at, and all steps before,"
        return TruegainError(
            f"{self.address}: the scheduler was lost ({reason}); {kept.home.told_where(finished)}",
            remedy="run the same again",
        )

    def close(self) -> None:
        """Leave the cluster; one that was started for this command ends."""
        try:
            with heard_after():
                try:
                    if self.client is not None:
                        with suppress(Exception):
                            self.client.close(timeout=5)
                finally:
                    if self.processes is not None:
                        self.processes.close()
        finally:
            for name, level in self.levels.items():
                logging.getLogger(name).setLevel(level)


def _ours() -> dict[str, str]:
    return versions()


def _hushed() -> dict[str, int]:
    """Have the libraries keep silent, as what goes wrong is told by our own words; their levels before."""
    loggers = [name for name in [*logging.root.manager.loggerDict, "distributed"] if name.startswith(NOISY)]
    before = {name: logging.getLogger(name).level for name in loggers}
    for name in before:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return before


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _lacks_us(answer: object) -> bool:
    """Whether somebody could not even load what we ask; Dask may hand on such an error as its words alone."""
    message = str(answer) if isinstance(answer, Exception) else ""
    return isinstance(answer, ImportError | AttributeError) or message.startswith(UNLOADED)


def _not_there(who: str, error: BaseException) -> str:
    if _lacks_us(error):
        return f"{who} has no truegain of this version ({error}); install truegain {_ours()['truegain']} there"
    return f"{who} did not answer ({_first_line(error)}); check that it runs"
