"""One job on a cluster: what is handed out, what comes back, and in which order it is given."""

from __future__ import annotations

import heapq
import queue
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from truegain.cluster.crew import DEATHS, Crew, LostError
from truegain.cluster.interrupts import heard_after
from truegain.cluster.kept import KeptJob
from truegain.cluster.sizes import SECONDS, Sizes
from truegain.cluster.travel import Parcel, packed
from truegain.cluster.worker import DonePieces, do_pieces, load_shared
from truegain.engine import Interrupted, PieceError, Progress
from truegain.errors import TruegainError
from truegain.tables.notice import tell

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

    def __init__(self, asked: SentJob, crew: Crew, sizes: Sizes, kept: KeptJob) -> None:
        self.asked, self.crew, self.sizes, self.kept = asked, crew, sizes, kept
        self.total = len(asked.pieces)
        self.before = dict(kept.stretches(self.total))
        self.todo = _gaps(self.before, self.total)
        self.ready: dict[int, DonePieces] = {}
        self.tasks: set[Stretch] = set()
        self.back: queue.SimpleQueue[Stretch | None] = queue.SimpleQueue()
        self.given, self.end = 0, self.total  # where it ends; earlier where a piece fails
        self.shared: Any = None

    def results(self, progress: Progress | None) -> Iterator[Any]:
        """All results in the order of the pieces."""
        try:
            while self.given < self.total:
                with heard_after(lambda: self.back.put(None)):
                    part = self._next()
                for data in part.results:
                    found, told = self._read(data)
                    tell(told)
                    yield found
                    self.given += 1
                    if progress is not None:
                        progress(1)
                if part.failure is not None:
                    raise PieceError(f"{self._name(self.given)}: {part.failure}")
        except KeyboardInterrupt:
            raise Interrupted(max(self.given, self.kept.count), self.total) from None
        except LostError as error:
            raise self.crew.lost(self.kept, self.total, str(error)) from None
        finally:
            self._drop()

    def _read(self, data: bytes) -> tuple[Any, list[str]]:
        """A result and its warnings; an error where it is not what the function says that it returns."""
        try:
            return self.asked.read(data)
        except ValueError as error:
            raise PieceError(f"{self._name(self.given)}: its result came back damaged ({error})") from None

    def _next(self) -> DonePieces:
        """The stretch that is to be given next, as soon as it is there."""
        while True:
            if (last := self.before.pop(self.given, None)) is not None:
                results = self.kept.load(self.given, last)
                if results is not None:
                    return DonePieces(results, 0.0)
                heapq.heappush(self.todo, (self.given, last))  # removed meanwhile by somebody else
            self._hand_out()
            if (part := self.ready.pop(self.given, None)) is not None:
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
            end = min(last, first + self.sizes.next(self.asked.work, left, places))
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
        asked = self.asked
        pieces = packed(list(asked.pieces[task.first : task.last]), f"pieces of {asked.work}").data
        if self.shared is None:
            key = f"truegain-shared-{asked.shared.digest}"
            self.shared = self.crew.submit(load_shared, asked.shared.data, key=key)
        room = self.sizes.room(self.crew.places)
        task.future = self.crew.submit(
            do_pieces, self.shared, asked.work, pieces, task.first, asked.seed, SECONDS, room,
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
                "memory: give them more of it); no result is given"
            ) from None
        except LostError:
            raise
        except Exception as error:
            raise TruegainError(
                f"{self.asked.work.replace(':', '.')} cannot run on a worker: {type(error).__name__}: {error}"
            ) from error
        self.tasks.discard(task)
        self.sizes.learn(self.asked.work, len(part.results), part.seconds)
        if part.results:
            self.kept.keep(task.first, part.results)
        self.ready[task.first] = part
        end = task.first + len(part.results)
        if part.failure is not None:
            self.end = min(self.end, end)  # what comes after it is not needed
        elif end < task.last:
            heapq.heappush(self.todo, (end, task.last))

    def _name(self, number: int) -> str:
        return self.asked.name(self.asked.pieces[number])

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
    found, at = [], 0
    for first, last in [*sorted(before.items()), (total, total)]:
        if at < first:
            found.append((at, first))
        at = last
    return found
