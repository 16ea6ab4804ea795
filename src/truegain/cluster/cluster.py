"""The engine on Dask: runs the pieces of a job on the workers of a scheduler, with the results of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from truegain.cluster.address import checked_address, processes_of
from truegain.cluster.crew import Crew
from truegain.cluster.job import Job, SentJob
from truegain.cluster.kept import KeptPieces, usual_folder
from truegain.cluster.sizes import Sizes
from truegain.cluster.travel import answer_of, name_of, packed
from truegain.engine import Engine, JobAsked, Piece, Result
from truegain.errors import TruegainError, needs
from truegain.stored import unpacked
from truegain.tables.checks import warn


class Cluster(Engine):
    """A Dask cluster by the address of its scheduler, or 'local:8': so many worker processes on this machine.

    Within `with run_on(Cluster(address)):` every job runs there.  Results are those of one machine, bit for bit.  What
    is finished is kept in a folder until the block ends well: after a lost scheduler the same call goes on from there.
    `patience` is how many seconds to wait where no worker is there.

    >>> Cluster("tcp://10.0.0.7:8786")
    Cluster('tcp://10.0.0.7:8786')
    >>> Cluster("scheduler.example.org")
    Traceback (most recent call last):
    truegain.errors.TruegainError: cluster 'scheduler.example.org': this is no address; give ...
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

    def results(self, asked: JobAsked[Piece, Result]) -> Iterator[Result]:
        """Results in the order of the pieces, from the workers or from what was finished before."""
        if self._kept is None:
            raise TruegainError("a cluster runs jobs within a block: with run_on(Cluster(...)):")
        called = name_of(asked.work)
        whole: list[Any] = list(asked.pieces)
        parcel, listed = packed(asked.shared, f"what pieces of {called} share"), packed(whole, f"pieces of {called}")
        read = partial(unpacked, kind=answer_of(asked.work))
        kept = self._kept.job(called, parcel.digest, listed.digest, asked.seed, read)
        self._crew = self._crew or self._connected()
        sent = SentJob(called, parcel, whole, asked.seed, asked.name, read)
        yield from Job(sent, self._crew, self._sizes, kept).results(asked.progress)
