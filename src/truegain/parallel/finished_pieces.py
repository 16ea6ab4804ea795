"""Finished pieces on disk, until the command that needs them is whole: a lost scheduler costs what was under way.

A folder a job, by the digest of our code, of the function, of what the pieces share, of the pieces and of the seed; in
it a file for each stretch of pieces that came back together.  They hold data only (see `stored`), and nothing runs.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from truegain.errors import why
from truegain.io.files import shown_path
from truegain.results.cache import ENDING, digest_of, sealed, unsealed
from truegain.results.serialization import packed, unpacked

DAYS = 30  # what no command asked for any more is removed after so long


def usual_folder() -> Path:
    """Where pieces are kept unless told otherwise: the user's folder for what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "truegain" / "pieces"


class KeptPieces:
    """The folder of all jobs, and what the command at hand keeps there."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.folder, self.tell, self.failed, self.warned = folder, tell, False, False
        self.jobs: list[KeptJob] = []
        with suppress(OSError):
            self._forget_old()

    def job(self, work: str, shared: str, pieces: str, seed: int, read: Callable[[bytes], Any]) -> KeptJob:
        """What is kept of a job, whose results can be read so."""
        key = digest_of({"kind": "pieces", "work": work, "shared": shared, "pieces": pieces, "seed": seed})
        kept_job = KeptJob(self, self.folder / key, read)
        self.jobs.append(kept_job)
        return kept_job

    @property
    def shown(self) -> str:
        """The folder as a user would write it."""
        folder, home = self.folder.absolute(), Path.home()
        inside = folder != home and folder.is_relative_to(home)
        return shown_path(Path("~") / folder.relative_to(home) if inside else folder)

    @property
    def count(self) -> int:
        """How many pieces of the command at hand are kept."""
        return sum(job.count for job in self.jobs)

    def told_where(self, finished: str) -> str:
        """Where finished pieces are, and what to do; of some that could not be kept it is not said that they are."""
        if self.failed and not self.count:
            return f"no finished piece could be kept in {self.shown}: run the same again, from the beginning"
        summary = f"of the finished pieces only {self.count} could be kept" if self.failed else f"{finished} are kept"
        return f"{summary} in {self.shown}: run the same again to continue from there"

    def remove(self) -> None:
        """The command is whole: nothing of it is needed any more."""
        for job in self.jobs:
            shutil.rmtree(job.folder, ignore_errors=True)

    def cannot(self, error: OSError) -> None:
        """Tell once that nothing can be kept."""
        if not self.failed:
            self.failed = True
            self.tell(f"finished pieces cannot be kept in {self.shown}: {why(error)}")

    def damaged(self) -> None:
        """Tell once that some of what was kept is of no use."""
        if not self.warned:
            self.warned = True
            self.tell(f"{self.shown}: some finished pieces are damaged; they are computed again")

    def _forget_old(self) -> None:
        for job in self.folder.iterdir():
            if time.time() - job.stat().st_mtime > DAYS * 86_400:
                shutil.rmtree(job, ignore_errors=True)


class KeptJob:
    """The stretches of one job that are finished."""

    def __init__(self, home: KeptPieces, folder: Path, read: Callable[[bytes], Any]) -> None:
        self.home, self.folder, self.read = home, folder, read
        self.count = 0

    def stretches(self, total: int) -> list[tuple[int, int]]:
        """What is there and not damaged, in order, none twice: numbers of the first piece and of that after the last.

        Damaged files are removed, which is told once.
        """
        ranges: list[tuple[int, int]] = []
        try:
            names = sorted((path.name for path in self.folder.iterdir()), key=_place)
        except OSError:
            return []
        for name in names:
            first, last = _place(name)
            if not (ranges[-1][1] if ranges else 0) <= first < last <= total:
                continue
            if self.load(first, last) is None:
                self.home.damaged()
                with suppress(OSError):
                    (self.folder / name).unlink(missing_ok=True)
                continue
            ranges.append((first, last))
        self.count = sum(last - first for first, last in ranges)
        return ranges

    def load(self, first: int, last: int) -> list[bytes] | None:
        """The results of a stretch; None where they are not there, or damaged."""
        path = self._file(first, last)
        try:
            results: list[bytes] = unpacked(unsealed(path.read_bytes(), self._name(path)), list[bytes])
            for result in results:
                self.read(result)
        except Exception:  # whatever is wrong with it, it can be done again
            return None
        return results if len(results) == last - first else None

    def keep(self, first: int, results: list[bytes]) -> None:
        """Write the results of a stretch, whole or not at all."""
        place = self._file(first, first + len(results))
        temporary = place.with_suffix(f".{secrets.token_hex(8)}.part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(sealed(packed(results), self._name(place)))
            temporary.replace(place)
            self.count += len(results)
        except OSError as error:
            self.home.cannot(error)
            with suppress(OSError):
                temporary.unlink()

    def _name(self, path: Path) -> str:
        return f"{self.folder.name}/{path.name}"

    def _file(self, first: int, last: int) -> Path:
        return self.folder / f"{first}-{last}{ENDING}"


def _place(name: str) -> tuple[int, int]:
    """The stretch that a file is about; an empty one where the name is none of ours.

    >>> _place("12-20.kept"), _place("notes.txt")
    ((12, 20), (0, 0))
    """
    match = re.fullmatch(rf"(\d+)-(\d+){re.escape(ENDING)}", name)
    return (0, 0) if match is None else (int(match[1]), int(match[2]))
