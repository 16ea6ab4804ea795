"""Jobs on a Dask cluster: what is handed out, what comes back, and in which order it is given."""

from __future__ import annotations

import heapq
import queue
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from truegain.errors import TruegainError, needs, tell, warn
from truegain.parallel.connection import DEATHS, Crew, LostError, checked_address, heard_after, processes_of
from truegain.parallel.finished_pieces import KeptJob, KeptPieces, usual_folder
from truegain.parallel.jobs import Engine, Interrupted, JobAsked, Piece, PieceError, PieceResult, Progress
from truegain.parallel.worker import DonePieces, Parcel, answer_of, do_pieces, load_shared, name_of, packed
from truegain.results.serialization import unpacked

# ---- How many pieces go to a worker together: so many as take seconds, few at first.

SECONDS = 2.0  # of work in one task: what the death of a worker costs, against some milliseconds of handing out
LEAST = 0.05  # of work that is not divided further
ROOM = 64 * 2**20  # bytes of results that one task may bring back, unless one piece has more
MEMORY = 2**30  # bytes of results that may be on their way at a time


@dataclass
class Sizes:
    """The pace of each kind of work, as measured by the workers."""

    pace: dict[str, float] = field(default_factory=dict)  # seconds for a piece

    def next(self, work: str, left: int, places: int) -> int:
        """How many of the pieces that are left go together: one where nothing is known of the work.

        Towards the end they are fewer, so that all workers end at about the same time.

        >>> sizes = Sizes()
        >>> sizes.next("f", 1000, 4)
        1
        >>> sizes.learn("f", 10, 0.2)
        >>> sizes.next("f", 1000, 4), sizes.next("f", 60, 4), sizes.next("f", 8, 4)
        (100, 8, 3)
        """
        pace = self.pace.get(work)
        if pace is None:
            return 1
        pace = max(pace, 1e-9)
        return max(1, int(min(SECONDS / pace, max(LEAST / pace + 1, -(-left // (2 * places))))))

    def learn(self, work: str, pieces: int, seconds: float) -> None:
        """Some pieces took so long; the last ones count most."""
        if pieces:
            before, now = self.pace.get(work), seconds / pieces
            self.pace[work] = now if before is None else (before + now) / 2

    @staticmethod
    def room(places: int) -> int:
        """Bytes of results after which a worker hands over what it has."""
        return min(ROOM, max(1, MEMORY // (4 * places)))


# ---- One job on a cluster: what is handed out, what comes back, and in which order it is given.

TICK = 1.0  # seconds after which it is seen whether the cluster is still there
FETCH = 5.0  # seconds for a result to come, then twice as many: where its worker died it is made again meanwhile


@dataclass(frozen=True)
class SentJob:
    """What goes to the cluster: the function by its name, what its pieces share, and the seed of the job."""

    work: str
    shared: Parcel
    pieces: Sequence[Any]
    seed: int
    name: Callable[[Any], str]
    read: Callable[[bytes], tuple[Any, list[str]]]  # a result and its warnings from what came back


@dataclass(eq=False)
class Stretch:
    """A stretch of pieces that is with the cluster."""

    first: int
    last: int
    worker: str
    future: Any = None
    seconds: float = FETCH  # to wait for its result


class Job:
    """Pieces go out in order, several in a task, a few tasks for each thread of the cluster; results are kept on disk.

    At any time a piece is either still to do, with the cluster, ready, on disk from a run before, or given.
    """

    def __init__(self, sent: SentJob, crew: Crew, sizes: Sizes, kept: KeptJob) -> None:
        self.sent, self.crew, self.sizes, self.kept = sent, crew, sizes, kept
        self.total = len(sent.pieces)
        self.before = dict(kept.stretches(self.total))
        self.todo = _gaps(self.before, self.total)
        self.ready: dict[int, DonePieces] = {}
        self.tasks: set[Stretch] = set()
        self.back: queue.SimpleQueue[Stretch | None] = queue.SimpleQueue()
        self.delivered, self.end = 0, self.total  # where it ends; earlier where a piece fails
        self.shared: Any = None

    def results(self, progress: Progress | None) -> Iterator[Any]:
        """All results in the order of the pieces."""
        try:
            while self.delivered < self.total:
                with heard_after(lambda: self.back.put(None)):
                    part = self._next()
                for data in part.results:
                    result, messages = self._read(data)
                    tell(messages)
                    yield result
                    self.delivered += 1
                    if progress is not None:
                        progress(1)
                if part.failure is not None:
                    raise PieceError(f"{self._name(self.delivered)}: {part.failure}")
        except KeyboardInterrupt:
            raise Interrupted(max(self.delivered, self.kept.count), self.total) from None
        except LostError as error:
            raise self.crew.lost(self.kept, self.total, str(error)) from None
        finally:
            self._drop()

    def _read(self, data: bytes) -> tuple[Any, list[str]]:
        """A result and its warnings; an error where it is not what the function says that it returns."""
        try:
            return self.sent.read(data)
        except ValueError as error:
            raise PieceError(
                f"{self._name(self.delivered)}: its result came back damaged ({error}); run it again"
            ) from None

    def _next(self) -> DonePieces:
        """The stretch that is to be given next, as soon as it is there."""
        while True:
            if (last := self.before.pop(self.delivered, None)) is not None:
                results = self.kept.load(self.delivered, last)
                if results is not None:
                    return DonePieces(results, 0.0)
                heapq.heappush(self.todo, (self.delivered, last))  # removed meanwhile by somebody else
            self._hand_out()
            if (part := self.ready.pop(self.delivered, None)) is not None:
                return part
            try:
                self._take(self.back.get(timeout=TICK))
            except queue.Empty:
                self.crew.look(at_once=True)

    # ------------------------------------------------------------------ out

    def _hand_out(self) -> None:
        """Have two tasks with the cluster for each of its threads; results that wait for their turn count as well."""
        if not self.todo:
            return
        self.crew.look()
        places = self.crew.places
        while self.todo and self.todo[0][0] < self.end and len(self.tasks) < 2 * places:
            first, last = self.todo[0]
            if len(self.tasks) + len(self.ready) >= 4 * places and first > min(self.ready, default=self.total):
                return
            heapq.heappop(self.todo)
            left = last - first + sum(b - a for a, b in self.todo)
            end = min(last, first + self.sizes.next(self.sent.work, left, places))
            if end < last:
                heapq.heappush(self.todo, (end, last))
            self._submit(Stretch(first, end, self._idlest()))

    def _idlest(self) -> str:
        """The worker with the fewest tasks for its threads; none where none is there.

        Left to itself a scheduler sends all tasks to the one worker that holds what they share.
        """
        busy = Counter(task.worker for task in self.tasks)
        return min(self.crew.threads, key=lambda w: busy[w] / self.crew.threads[w], default="")

    def _submit(self, task: Stretch) -> None:
        sent = self.sent
        pieces = packed(list(sent.pieces[task.first : task.last]), f"pieces of {sent.work}").data
        if self.shared is None:
            key = f"truegain-shared-{sent.shared.digest}"
            self.shared = self.crew.submit(load_shared, sent.shared.data, key=key)
        room = self.sizes.room(self.crew.places)
        task.future = self.crew.submit(
            do_pieces, self.shared, sent.work, pieces, task.first, sent.seed, SECONDS, room,
            key=f"truegain-pieces-{uuid4().hex}", worker=task.worker,
        )  # fmt: skip
        self.tasks.add(task)
        task.future.add_done_callback(lambda _: self.back.put(task))

    # ------------------------------------------------------------------ back

    def _take(self, task: Stretch | None) -> None:
        """Keep what a task brings; what it did not come to is to be done still; None is Ctrl-C."""
        if task is None:
            raise KeyboardInterrupt
        try:
            part = DonePieces(*self.crew.fetch(task.future, task.seconds))
        except TimeoutError:
            self.crew.look(at_once=True)
            task.seconds *= 2
            self.back.put(task)
            return
        except self.crew.distributed.scheduler.KilledWorker:
            raise PieceError(
                f"more than {DEATHS} workers ended while they worked on {self._name(task.first)} (killed, or out of "
                "memory: give them more); there is no result"
            ) from None
        except LostError:
            raise
        except Exception as error:
            raise TruegainError(
                f"{self.sent.work.replace(':', '.')} cannot run on a worker: {type(error).__name__}: {error}; install "
                "the same truegain on all workers"
            ) from error
        self.tasks.discard(task)
        self.sizes.learn(self.sent.work, len(part.results), part.seconds)
        if part.results:
            self.kept.keep(task.first, part.results)
        self.ready[task.first] = part
        end = task.first + len(part.results)
        if part.failure is not None:
            self.end = min(self.end, end)  # what comes after it is not needed
        elif end < task.last:
            heapq.heappush(self.todo, (end, task.last))

    def _name(self, number: int) -> str:
        return self.sent.name(self.sent.pieces[number])

    def _drop(self) -> None:
        """Have the cluster forget what it still has of this job: what nobody wants is not begun."""
        for future in [*(task.future for task in self.tasks), self.shared]:
            if future is not None:
                future.release()
        self.tasks.clear()
        self.shared = None


def _gaps(before: dict[int, int], total: int) -> list[tuple[int, int]]:
    """Stretches between those that are there.

    >>> _gaps({2: 4, 4: 5}, 9)
    [(0, 2), (5, 9)]
    """
    gaps, at = [], 0
    for first, last in [*sorted(before.items()), (total, total)]:
        if at < first:
            gaps.append((at, first))
        at = last
    return gaps


# ---- The engine on Dask: runs the pieces of a job on the workers of a scheduler, with the results of one machine.


class Cluster(Engine):
    """A Dask cluster: every job within ``with run_on(Cluster(address)):`` runs there.

    Results are those of one machine, bit for bit.  What is finished is kept in a folder until the block ends well:
    after a lost scheduler the same call continues from there.

    Parameters
    ----------
    address : str
        The address of the scheduler, such as 'tcp://10.0.0.7:8786'; or 'local:8', so many worker processes on this
        machine.
    patience : float, default 300.0
        Seconds to wait where no worker is there.
    kept_in : str or path-like, optional
        The folder of finished pieces; by default one in the user's cache.

    Examples
    --------
    >>> Cluster("tcp://10.0.0.7:8786")
    Cluster('tcp://10.0.0.7:8786')
    >>> Cluster("scheduler.example.org")
    Traceback (most recent call last):
    truegain.errors.TruegainError: run_on 'scheduler.example.org': not an address; give ...
    """

    def __init__(self, address: str, *, patience: float = 300.0, kept_in: str | Path | None = None) -> None:
        self.address = checked_address(address)
        self.patience, self.kept_in = patience, kept_in
        self._crew: Crew | None = None
        self._kept: KeptPieces | None = None
        self._sizes = Sizes()

    def __repr__(self) -> str:
        return f"Cluster({self.address!r})"

    def __enter__(self) -> Self:
        """Connect to a scheduler: what is not there, or not like this machine, is told now.

        Processes of this machine are started for the first job.
        """
        if processes_of(self.address) is None:
            self._crew = self._connected()
        elif find_spec("distributed") is None:
            needs("distributed", "cluster")
        self._kept = KeptPieces(usual_folder() if self.kept_in is None else Path(self.kept_in), warn)
        return self

    def _connected(self) -> Crew:
        return Crew(self.address, self.patience, warn)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave; finished pieces are removed where all went well, and an interrupt tells where they are."""
        crew, kept, self._crew, self._kept = self._crew, self._kept, None, None
        try:
            if kept is not None and kind is None:
                kept.remove()
            elif kept is not None and isinstance(error, KeyboardInterrupt) and kept.count:
                before = f"{error}; " if str(error) else ""
                finished = "all finished ones, also those of steps before," if before else "finished pieces"
                error.args = (before + kept.told_where(finished),)
        finally:
            again = [KeyboardInterrupt] if isinstance(error, KeyboardInterrupt) else []  # the first one has the words
            if crew is not None:
                with suppress(*again):
                    crew.close()

    def results(self, job: JobAsked[Piece, PieceResult]) -> Iterator[PieceResult]:
        """Results in the order of the pieces, from the workers or from what was finished before.

        Parameters
        ----------
        job : JobAsked
            The job: its pieces, and what they share.

        Returns
        -------
        iterator
            The result of each piece.
        """
        if self._kept is None:
            raise TruegainError("a cluster runs jobs within a block; write with run_on(Cluster(...)):")
        called = name_of(job.work)
        whole: list[Any] = list(job.pieces)
        parcel, listed = packed(job.shared, f"what pieces of {called} share"), packed(whole, f"pieces of {called}")
        read = partial(unpacked, kind=answer_of(job.work))
        kept = self._kept.job(called, parcel.digest, listed.digest, job.seed, read)
        self._crew = self._crew or self._connected()
        sent = SentJob(called, parcel, whole, job.seed, job.name, read)
        yield from Job(sent, self._crew, self._sizes, kept).results(job.progress)
