"""The connection to a cluster: who is there, whether they are like us, and what is said when they are lost."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from truegain.cluster.address import ANSWER, check_reachable, no_scheduler, processes_of
from truegain.cluster.interrupts import heard_after
from truegain.cluster.kept import KeptJob
from truegain.cluster.processes import Processes
from truegain.cluster.worker import bear_deaths, versions
from truegain.errors import TruegainError, needs, some

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
                f"{address}: Dask's configuration names no certificates (distributed.comm.tls, see docs/cluster.md); "
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
                f"{self.address}: no worker was there for {self.patience:g} seconds; {more}run the same again"
            )
        elif now - self.seen > QUIET and not self.waiting:
            self.waiting = True
            self.tell(f"{self.address}: no worker is there yet; waiting for one, {self.patience:g} seconds at most")

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
                f"{who} is not like this machine: {some(other, len(other))}; results would not be the same: install "
                "the same versions on all, and the very same files of truegain"
            )

    # ------------------------------------------------------------------ what goes out and comes back

    def submit(self, function: Callable[..., Any], *given: object, key: str, worker: str = "") -> Any:
        """Hand out a task, to a worker if one is named; where that is gone another takes it."""
        place: dict[str, Any] = {"workers": [worker], "allow_other_workers": True} if worker else {}
        try:
            with self.config.set(QUIETLY):
                return self.client.submit(function, *given, key=key, **place)
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
        return TruegainError(f"{self.address}: the scheduler was lost ({reason}); {kept.home.told_where(finished)}")

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
    known = [name for name in [*logging.root.manager.loggerDict, "distributed"] if name.startswith(NOISY)]
    before = {name: logging.getLogger(name).level for name in known}
    for name in before:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return before


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _lacks_us(answer: object) -> bool:
    """Whether somebody could not even load what we ask; Dask may hand on such an error as its words alone."""
    told = str(answer) if isinstance(answer, Exception) else ""
    return isinstance(answer, ImportError | AttributeError) or told.startswith(UNLOADED)


def _not_there(who: str, error: BaseException) -> str:
    if _lacks_us(error):
        return f"{who} has no truegain of this version ({error}); install truegain {_ours()['truegain']} there"
    return f"{who} did not answer ({_first_line(error)})"
