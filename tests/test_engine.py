"""The engine: the same answer for any number of workers, and clear words when something goes wrong."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from tests.parallel.pieces import draw, fail, refuse
from truegain.parallel.jobs import Interrupted, Local, PieceError

if TYPE_CHECKING:
    import numpy as np


def die(shared: object, piece: int, seed: np.random.SeedSequence) -> int:
    """A worker that is killed, as the system does when memory runs out."""
    if piece == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return piece


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_answer_does_not_depend_on_the_workers(kind: str, jobs: int) -> None:
    """Guards reproducibility: the same bits, in order, for any number and kind of workers."""
    alone = list(Local(1).run(draw, range(7), shared=0.5, seed=11))
    assert list(Local(jobs, kind).run(draw, range(7), shared=0.5, seed=11)) == alone  # type: ignore[arg-type]
    assert list(Local(1).run(draw, range(7), shared=0.5, seed=12)) != alone


def test_a_piece_that_fails_is_named() -> None:
    """Guards against a table with a hole: the error names the piece, and no result follows."""
    results = Local(2).run(fail, range(6), name=lambda p: f"system bm25, topic {p}")
    with pytest.raises(PieceError, match=r"system bm25, topic 3: ValueError: no documents"):
        list(results)
    with pytest.raises(PieceError, match="topic 0: no relevant document"):
        list(Local(1).run(refuse, [0], name=lambda p: f"topic {p}"))


@pytest.mark.slow
def test_a_killed_worker_is_told() -> None:
    """Guards a worker process that dies: a clear error, no hang, nothing passed off as whole."""
    with pytest.raises(PieceError, match="a worker process ended while it worked on topic"):
        list(Local(2, "processes").run(die, range(6), name=lambda p: f"topic {p}"))


def test_an_interrupt_ends_the_job_and_tells_what_was_done() -> None:
    """Guards Ctrl-C: what was finished is counted, what waits is dropped."""
    begun: list[int] = []

    def work(shared: object, piece: int, seed: np.random.SeedSequence) -> int:
        begun.append(piece)
        return piece

    def stop(done: int) -> None:
        if len(begun) >= 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match=r"of 1000 pieces were finished") as caught:
        list(Local(1).run(work, range(1000), progress=stop))
    assert caught.value.done < 20
    assert len(begun) < 30


def test_only_a_few_pieces_are_under_way() -> None:
    """Guards memory: pieces are handed out as results are taken, not all at once."""
    begun, lock = [0], threading.Lock()

    def work(shared: object, piece: int, seed: np.random.SeedSequence) -> int:
        with lock:
            begun[0] += 1
        return piece

    results = Local(2).run(work, range(10_000))
    for _ in range(5):
        next(results)
    assert begun[0] <= 5 + 2 * 2 + 2
    results.close()  # type: ignore[attr-defined]


def test_progress_counts_every_piece() -> None:
    """Guards the progress bar: one call a piece."""
    told: list[int] = []
    list(Local(2).run(draw, range(9), shared=0.0, progress=told.append))
    assert told == [1] * 9
