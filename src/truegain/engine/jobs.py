"""A job: a function and a list of pieces, run here or elsewhere; the answer does not depend on how many work at it.

Every piece gets its own random seed, spawned from the job's by the number of the piece, and results come back in the
order of the pieces, so that one worker and twenty give the same bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from truegain.cores import cores as cores
from truegain.errors import TruegainError

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Work = Callable[[Any, Piece, np.random.SeedSequence], Result]
Progress = Callable[[int], None]


class PieceError(TruegainError):
    """A piece of work failed; the message names it."""


class Interrupted(KeyboardInterrupt):
    """The user ended a job; tells how much of it was finished."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"{done} of {total} pieces were finished")
        self.done, self.total = done, total


@dataclass(frozen=True)
class JobAsked(Generic[Piece, Result]):
    """What is to be done: a function, its pieces and what these share, the seed, and how a piece is called."""

    work: Work[Piece, Result]
    pieces: Sequence[Piece]
    shared: object
    seed: int
    name: Callable[[Piece], str]
    progress: Progress | None


class Engine(ABC):
    """What can run a job: this machine is one of these, a cluster another."""

    def run(
        self,
        work: Work[Piece, Result],
        pieces: Sequence[Piece],
        *,
        shared: object = None,
        seed: int = 0,
        name: Callable[[Piece], str] = str,
        progress: Progress | None = None,
    ) -> Iterator[Result]:
        """Results of `work(shared, piece, seed of the piece)`, in the order of the pieces."""
        return self.results(JobAsked(work, pieces, shared, seed, name, progress))

    @abstractmethod
    def results(self, asked: JobAsked[Piece, Result]) -> Iterator[Result]:
        """What `run` gives, one after the other as it is taken."""
