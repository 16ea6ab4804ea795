"""What a workload is, and who takes part in it.

Kept light on purpose: what this module and the files of `races/` import at the top, every contestant pays for, and the
peak memory of a process is never told below that of the process that started it.
"""

from __future__ import annotations

import importlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

US = "truegain"
Answer = Mapping[str, float]
Facts = Mapping[str, int]
Job = Callable[[], Callable[[], Answer]]  # the work, timed; what it gives tells the answer, which is not timed


@dataclass(frozen=True)
class Inside:
    """A function of Python in a fresh process; `start` imports and loads what is not timed, and gives the job.

    `share` is the part of the work that it does, where all of it would take too long: its seconds are divided by it.
    `needs` are modules, or `program:NAME`.
    """

    start: Callable[[Path], Job]
    needs: Sequence[str] = ()
    share: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class Command:
    """A whole command, from the start of the interpreter to the end; `told` finds the answer in what it printed."""

    words: Callable[[Path], Sequence[str | Path]]
    told: Callable[[str], Answer]
    needs: Sequence[str] = ()
    note: str = ""


@dataclass(frozen=True)
class Workload:
    """Files, who takes part, and how far their answers may be apart; the first contestant is the one to compare with.

    `make` makes the files under a folder, unless they are there, and gives their place; `files` are those read once
    before the clock runs, as a glob under that place: by default those of the place itself.
    """

    name: str
    what: str
    make: Callable[[Path], Path]
    contestants: Mapping[str, Inside | Command]
    tolerance: float = 0.5e-4
    files: str = "*"


def find(address: str) -> Workload:
    """A workload by `module:NAME`.

    >>> find("benchmarks.races.small:WORKLOAD").name
    'small'
    """
    module, name = address.split(":")
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, Workload), address
    return found


def kept(place: Path, parameters: Mapping[str, object], write: Callable[[Path], Facts]) -> Path:
    """A folder of files, written now unless it was written with the same parameters before; made.json tells."""
    noted = place / "made.json"
    told = json.loads(json.dumps(parameters))
    if noted.exists() and json.loads(noted.read_text())["parameters"] == told:
        return place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    begin = time.perf_counter()
    facts = {**write(place), "seconds_to_make": round(time.perf_counter() - begin, 1)}
    noted.write_text(json.dumps({"parameters": told, "facts": facts}, indent=1) + "\n")
    return place


def first_of(source: Path, path: Path, lines: int) -> Path:
    """A file of the first lines of another, beside its place and then renamed; made only once."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".part")
        with source.open() as stream, beside.open("w") as out:
            out.writelines(islice(stream, lines))
        beside.replace(path)
    return path


def without_files(folder: Path) -> Path:
    """The place of a workload that makes its data in memory."""
    return folder


def silent(printed: str) -> Answer:  # noqa: ARG001  (what tells an answer is given what was printed)
    """The answer of a command that has nothing to compare."""
    return {}


def facts_of(place: Path) -> dict[str, float]:
    """How large the files are."""
    found: dict[str, float] = json.loads((place / "made.json").read_text())["facts"]
    return found
