"""The engine on Dask: runs the pieces of a job on the workers of a scheduler, with the results of one machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from truegain.cluster.crew import Crew
from truegain.cluster.job import Job, JobAsked
from truegain.cluster.kept import KeptPieces, usual_folder
from truegain.cluster.sizes import Sizes
from truegain.cluster.travel import name_of, packed
from truegain.engine import Piece, Progress, Result, Work, cores
from truegain.errors import TruegainError
from truegain.tables.checks import warn

ADDRESS = re.compile(r"(?:(?:tcp|tls)://)?[^\s/@?]+:\d{1,5}")
LOCAL = re.compile(r"local(?::([1-9]\d*))?")


class Cluster:
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
        local = LOCAL.fullmatch(address)
        if local is None and (address.startswith("local:") or not ADDRESS.fullmatch(address)):
            shown = re.sub(r"//.*@", "//", address).partition("?")[0]  # no secrets
            raise TruegainError(
                f"cluster {shown!r}: this is no address; give that of a scheduler, such as tcp://10.0.0.7:8786, or "
                "local:4 for 4 worker processes on this machine"
            )
        self.address = address if local is None else f"local:{local[1] or cores()}"
        self.patience, self.kept_in = patience, kept_in
        self._crew: Crew | None = None
        self._kept: KeptPieces | None = None
        self._sizes = Sizes()

    def __repr__(self) -> str:
        return f"Cluster({self.address!r})"

    def __enter__(self) -> Self:
        """Connect; what is not there, or not like this machine, is told now."""
        self._crew = Crew(self.address, self.patience, warn)
        self._kept = KeptPieces(usual_folder() if self.kept_in is None else Path(self.kept_in), warn)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave; finished pieces are removed where all went well."""
        crew, kept, self._crew, self._kept = self._crew, self._kept, None, None
        if kept is not None and kind is None:
            kept.remove()
        if crew is not None:
            crew.close()

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
        if self._crew is None or self._kept is None:
            raise TruegainError("a cluster runs jobs within a block: with run_on(Cluster(...)):")
        called = name_of(work)
        whole: list[Any] = list(pieces)
        parcel, listed = packed(shared, f"what pieces of {called} share"), packed(whole, f"pieces of {called}")
        kept = self._kept.job(called, parcel.digest, listed.digest, seed)
        asked = JobAsked(called, parcel, whole, seed, name)
        yield from Job(asked, self._crew, self._sizes, kept).results(progress)
