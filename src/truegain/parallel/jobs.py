"""Jobs: a function and a list of pieces, run by processes of this machine or by a chosen cluster.

The result does not depend on how many work at it.
"""

from __future__ import annotations

import multiprocessing
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from truegain.errors import TruegainError
from truegain.io.memory import cores
from truegain.message import arg, with_marks

# ---- A job: a function and a list of pieces, run here or elsewhere; the answer does not depend on how many work at
# it.
#
# Every piece gets its own random seed, spawned from the job's by the number of the piece, and results come back in the
# order of the pieces, so that one worker and twenty give the same bits.

Piece = TypeVar("Piece")
PieceResult = TypeVar("PieceResult")
Work = Callable[[Any, Piece, np.random.SeedSequence], PieceResult]
Progress = Callable[[int], None]


class PieceError(TruegainError):
    """A piece of work failed; the message names it."""


class Interrupted(KeyboardInterrupt):
    """The user ended a job; tells how much of it was finished."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"{done} of {total} pieces were finished")
        self.done, self.total = done, total


@dataclass(frozen=True)
class JobAsked(Generic[Piece, PieceResult]):
    """A job: a function, its pieces and what these share.

    Attributes
    ----------
    work : callable
        Called as ``work(shared, piece, seed)`` for each piece.
    pieces : sequence
        The pieces.
    shared : object
        What all pieces need.
    seed : int
        Of the job; each piece has its own from it.
    name : callable
        What a piece is called in errors.
    progress : callable or None
        Called with 1 for each piece that is done.
    """

    work: Work[Piece, PieceResult]
    pieces: Sequence[Piece]
    shared: object
    seed: int
    name: Callable[[Piece], str]
    progress: Progress | None


class Engine(ABC):
    """What can run a job: this machine, or a cluster."""

    def run(
        self,
        work: Work[Piece, PieceResult],
        pieces: Sequence[Piece],
        *,
        shared: object = None,
        seed: int = 0,
        name: Callable[[Piece], str] = str,
        progress: Progress | None = None,
    ) -> Iterator[PieceResult]:
        """Run a job.

        Parameters
        ----------
        work : callable
            Called as ``work(shared, piece, seed)`` for each piece.
        pieces : sequence
            The pieces.
        shared : object, optional
            What all pieces need.
        seed : int, default 0
            Of the job; each piece has its own from it.
        name : callable, default str
            What a piece is called in errors.
        progress : callable, optional
            Called with 1 for each piece that is done.

        Returns
        -------
        iterator
            The results, in the order of the pieces.
        """
        return self.results(JobAsked(work, pieces, shared, seed, name, progress))

    @abstractmethod
    def results(self, job: JobAsked[Piece, PieceResult]) -> Iterator[PieceResult]:
        """The results of a job, one after the other as they are taken.

        Parameters
        ----------
        job : JobAsked
            The job.

        Returns
        -------
        iterator
            The results, in the order of the pieces.
        """


# ---- Runs the pieces of a job on this machine.
#
# Only a few pieces are under way at a time: memory is bounded by the pieces, not by the job.


@dataclass(frozen=True)
class Local(Engine):
    """Runs pieces on this machine, in threads (for work that leaves the interpreter lock) or in processes.

    >>> list(Local(jobs=2).run(lambda shared, piece, seed: shared * piece, [1, 2, 3], shared=10))
    [10, 20, 30]
    """

    jobs: int | None = None
    kind: Literal["threads", "processes"] = "threads"

    def results(self, job: JobAsked[Piece, PieceResult]) -> Iterator[PieceResult]:
        """Results in the order of the pieces; a few are worked on at a time."""
        work, pieces, shared, name, progress = job.work, job.pieces, job.shared, job.name, job.progress
        seeds = np.random.SeedSequence(job.seed).spawn(len(pieces))
        workers = self._workers(work, shared)
        waiting: deque[tuple[Piece, Future[PieceResult]]] = deque()
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
        self,
        workers: Executor,
        work: Work[Piece, PieceResult],
        shared: object,
        piece: Piece,
        seed: np.random.SeedSequence,
    ) -> Future[PieceResult]:
        if self.kind == "threads":
            return workers.submit(work, shared, piece, seed)
        return workers.submit(_work_kept, piece, seed)


_kept: dict[str, Any] = {}


def _keep(work: object, shared: object) -> None:
    """What a worker process needs once, not with every piece."""
    _kept.update(work=work, shared=shared)


def _work_kept(piece: Any, seed: np.random.SeedSequence) -> Any:
    return _kept["work"](_kept["shared"], piece, seed)


def _result(waiting: deque[tuple[Piece, Future[PieceResult]]], name: Callable[[Piece], str]) -> PieceResult:
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
        f"a worker process ended while it worked on {piece} (killed, or out of memory), so there is no result; "
        f"free memory, or take fewer processes ({arg('jobs')})"
    )


def _tell(progress: Progress | None) -> None:
    if progress is not None:
        progress(1)


def _end(workers: Executor) -> None:
    """End at once: what waits is dropped, worker processes are ended, threads finish the piece they are at."""
    workers.shutdown(wait=False, cancel_futures=True)
    for process in list((getattr(workers, "_processes", None) or {}).values()):
        process.terminate()


# ---- Which engine runs a job: this machine, unless a cluster was chosen for what follows.

_chosen: ContextVar[Engine | None] = ContextVar("_chosen", default=None)


def engine_for(jobs: int | None = None, kind: Literal["threads", "processes"] = "threads") -> Engine:
    """The engine that was chosen with `run_on`, or else this machine with so many workers.

    >>> engine_for(2)
    Local(jobs=2, kind='threads')
    """
    return _chosen.get() or Local(jobs, kind)


@contextmanager
def run_on(engine: Engine) -> Iterator[Engine]:
    """Run every job within the block on an engine, such as a cluster.

    A cluster is connected to first, and left at the end.

    Parameters
    ----------
    engine : Cluster or other Engine
        Where jobs run.

    Returns
    -------
    context manager
        Gives the engine.

    Examples
    --------
    >>> with run_on(Local(1)):
    ...     engine_for(8)
    Local(jobs=1, kind='threads')
    """
    if not isinstance(engine, Engine):
        raise TruegainError(f"run_on takes an engine, not {engine!r}; give one such as tg.Cluster('tcp://host:8786')")
    with ExitStack() as stack:
        if isinstance(engine, AbstractContextManager):
            stack.enter_context(engine)
        before = _chosen.set(engine)
        try:
            yield engine
        finally:
            _chosen.reset(before)
