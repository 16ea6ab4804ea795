"""Runs the pieces of a job on this machine.

Only a few pieces are under way at a time: memory is bounded by the pieces, not by the job.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from truegain.engine.jobs import Engine, Interrupted, JobAsked, Piece, PieceError, Progress, Result, Work, cores
from truegain.errors import TruegainError
from truegain.message import with_marks


@dataclass(frozen=True)
class Local(Engine):
    """Runs pieces on this machine, in threads (for work that leaves the interpreter lock) or in processes.

    >>> list(Local(jobs=2).run(lambda shared, piece, seed: shared * piece, [1, 2, 3], shared=10))
    [10, 20, 30]
    """

    jobs: int | None = None
    kind: Literal["threads", "processes"] = "threads"

    def results(self, asked: JobAsked[Piece, Result]) -> Iterator[Result]:
        """Results in the order of the pieces; a few are worked on at a time."""
        work, pieces, shared, name, progress = asked.work, asked.pieces, asked.shared, asked.name, asked.progress
        seeds = np.random.SeedSequence(asked.seed).spawn(len(pieces))
        workers = self._workers(work, shared)
        waiting: deque[tuple[Piece, Future[Result]]] = deque()
        todo = iter(zip(pieces, seeds, strict=True))
        done = 0
        try:
            for piece, own in todo:
                try:
                    waiting.append((piece, self._submit(workers, work, shared, piece, own)))
                except BrokenExecutor:  # a worker died before this piece could be handed out
                    raise _ended(name(waiting[0][0] if waiting else piece)) from None
                if len(waiting) > 2 * self.workers:
                    yield _result(waiting, name)
                    done += 1
                    _tell(progress)
            while waiting:
                yield _result(waiting, name)
                done += 1
                _tell(progress)
        except KeyboardInterrupt:
            raise Interrupted(done, len(pieces)) from None
        finally:
            _end(workers)

    @property
    def workers(self) -> int:
        """How many work at a time."""
        return self.jobs or cores()

    def _workers(self, work: Work[Any, Any], shared: object) -> Executor:
        if self.kind == "threads":
            return ThreadPoolExecutor(self.workers)
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.workers, mp_context=context, initializer=_keep, initargs=(work, shared))

    def _submit(
        self, workers: Executor, work: Work[Piece, Result], shared: object, piece: Piece, seed: np.random.SeedSequence
    ) -> Future[Result]:
        if self.kind == "threads":
            return workers.submit(work, shared, piece, seed)
        return workers.submit(_work_kept, piece, seed)


_kept: dict[str, Any] = {}


def _keep(work: object, shared: object) -> None:
    """What a worker process needs once, not with every piece."""
    _kept.update(work=work, shared=shared)


def _work_kept(piece: Any, seed: np.random.SeedSequence) -> Any:
    return _kept["work"](_kept["shared"], piece, seed)


def _result(waiting: deque[tuple[Piece, Future[Result]]], name: Callable[[Piece], str]) -> Result:
    piece, future = waiting.popleft()
    try:
        return future.result()
    except BrokenExecutor:
        raise _ended(name(piece)) from None
    except TruegainError as error:
        raise PieceError(f"{name(piece)}: {with_marks(error)}") from error
    except Exception as error:
        raise PieceError(f"{name(piece)}: {type(error).__name__}: {error}") from error


def _ended(piece: str) -> PieceError:
    return PieceError(
        f"a worker process ended while it worked on {piece} (killed, or out of memory); no result is given"
    )


def _tell(progress: Progress | None) -> None:
    if progress is not None:
        progress(1)


def _end(workers: Executor) -> None:
    """End at once: what waits is dropped, worker processes are ended, threads finish the piece they are at."""
    workers.shutdown(wait=False, cancel_futures=True)
    for process in list((getattr(workers, "_processes", None) or {}).values()):
        process.terminate()
