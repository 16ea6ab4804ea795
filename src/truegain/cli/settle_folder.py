"""The folder of `truegain settle`: one question, its labels and its answer."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from truegain.cli.streams import tell
from truegain.config import Gold, StudyConfig
from truegain.errors import InputError, TruegainError
from truegain.io.files import shown_path, write_bytes
from truegain.message import option
from truegain.results.settlement import ANSWER, FILLED, REPORT, Settlement

if TYPE_CHECKING:
    from truegain.data.label_lists import GoldList
    from truegain.data.runs import Runs
    from truegain.planning.settle import Settling


QUESTION = "question.json"  # what is settled there, so that no other question goes on with its labels
LOOKED = "last-look.json"  # labels of a sheet at the last look, so that changes are noticed
IN_FOLDER = "SQLite in the folder"


@dataclass(frozen=True, eq=False)
class Keeper:
    """A folder with one question, its labels and its answer."""

    settling: Settling
    folder: Path
    judgments: str
    runs: Sequence[str]
    config: StudyConfig
    where: str  # the sheet that labels are in; or that a team gives them
    database: str = ""  # where a team's are, without its password; empty: in the folder

    def question(self) -> dict[str, object]:
        """What is settled, as the folder keeps it."""
        s = self.settling
        return {
            "baselines": list(s.baselines), "candidates": list(s.candidates), "measure": str(s.measure),
            "population": s.population or "topics", "min_effect": s.study.min_effect,
            "confidence": s.study.confidence, "seed": s.seed, "list": s.listed.digest, "labels": self.where,
            "database": self.database,
        }  # fmt: skip

    @property
    def has_begun(self) -> bool:
        """Whether the folder has a question."""
        return (self.folder / QUESTION).is_file()

    def begin(self) -> None:
        """Keep the question, or refuse to go on with another."""
        path, now = self.folder / QUESTION, self.question()
        if not path.is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            write_bytes(path, json.dumps(now, indent=2).encode())
            return
        check_question(self.folder, now)

    def known(self) -> Settlement | None:
        """The answer, where it is there already and to the same question."""
        if not self.has_begun:
            return None
        self.begin()
        path = self.folder / ANSWER
        if not path.is_file():
            return None
        known = Settlement.of_json(path.read_bytes())
        is_open = any(pair.status == "undecided" for pair in known.pairs)
        limit = self.settling.budget.limit  # a higher limit than before, and rows that nobody has labeled
        open_again = is_open and known.labels < known.listed and (limit is None or limit > known.given)
        open_again |= self.settling.budget.keep_going and any(pair.forecast for pair in known.pairs)
        return None if open_again or not known.ended else known

    def changed(self, labels: Sequence[float | None]) -> int:
        """How many labels of a sheet are others than at the last look, which is now this one."""
        path = self.folder / LOOKED
        before: list[float | None] = []
        if path.is_file():
            with suppress(ValueError):  # not ours
                before = json.loads(path.read_text(encoding="utf-8"))
        if before != labels:
            write_bytes(path, json.dumps(list(labels)).encode())
        return sum(a != b for a, b in zip(before, labels, strict=False)) + max(len(before) - len(labels), 0)

    def put_answer_aside(self) -> None:
        """Rename an answer whose labels have changed, with its page and labels: nobody takes it for one that stands."""
        if not (self.folder / ANSWER).is_file():
            return
        for name in (ANSWER, REPORT):
            if (self.folder / name).is_file():
                (self.folder / name).replace(self.folder / f"earlier.{name}")
        self._put_aside()

    def write(self, known: Settlement, filled: GoldList) -> None:
        """Write the labels, the report page and, last, the answer."""
        self.write_basis(filled)
        self.write_answer(known)

    def write_answer(self, known: Settlement) -> None:
        """Write the answer: where it is there, all else is."""
        write_bytes(self.folder / ANSWER, f"{known.to_json()}\n".encode())

    def _put_aside(self) -> None:
        """Rename the labels of an answer that did not last: some may have changed since, and none is deleted."""
        from truegain.data.label_list_reading import read_gold_list

        path = self.folder / FILLED
        with suppress(TruegainError):  # not ours
            if path.is_file() and read_gold_list(path).digest == self.settling.listed.digest:
                names = (f"earlier{n or ''}.{FILLED}" for n in count())
                path.replace(next(p for name in names if not (p := self.folder / name).exists()))

    def write_basis(self, filled: GoldList) -> None:
        """Write what the answer rests on: the labels, and the report page."""
        from truegain.report.page.page import write_report

        self._put_aside()
        filled.write(self.folder / FILLED)
        if filled.judged == len(filled.cannot):
            (self.folder / REPORT).unlink(missing_ok=True)  # one of an answer before this one
            tell(f"no {REPORT}: nobody could judge any document, so there is nothing to report")
            return
        try:
            s = self.settling
            config = replace(
                self.config, gold=Gold(filled, sequential=True), confidence=s.confidence,
                population=s.population or self.config.population,
            )  # fmt: skip
            measure, page = [str(s.measure)], self.folder / REPORT
            write_report(self._runs(), self.judgments, measure, page, pairs=s.pairs, config=config)
        except TruegainError as error:  # the answer and the labels stand
            (self.folder / REPORT).unlink(missing_ok=True)  # one of an answer before this one
            tell(f"no {REPORT}: {error}", "warning")

    def _runs(self) -> Runs:
        """The runs of the systems in question: of others the labels say nothing."""
        from truegain.data.runs import Runs

        runs, systems = Runs.of(list(self.runs)), {name for pair in self.settling.pairs for name in pair}
        kept = tuple(run for run in runs.parts if run.system in systems)
        return Runs(kept) if len(kept) == len(systems) else runs


def check_question(folder: Path, now: Mapping[str, object]) -> None:
    """Refuse to go on in a folder that was begun with another question, and say what differs and what is kept."""
    path = folder / QUESTION
    if not path.is_file():
        return
    before = json.loads(path.read_text(encoding="utf-8"))
    changed = [name for name, value in now.items() if before.get(name, value) != value]
    if not changed:
        return
    if "database" in changed:
        was, is_now = (str(part["database"]) or IN_FOLDER for part in (before, now))
        raise InputError(
            f"the labels of this folder are in another database ({was}; now it is {is_now})",
            file=shown_path(path), hint=f"give {option('--database')} as at the start, or another "
                                        f"{option('--folder')}; if the database has moved, change its address in this "
                                        "file",
        )  # fmt: skip
    told = "; ".join(f"{name}: {_told(before.get(name))} before, {_told(now[name])} now" for name in changed)
    raise InputError(
        f"this folder belongs to another question ({told}); its list and its labels are unchanged",
        file=shown_path(path), hint=f"use the same settings as before, or give another {option('--folder')} to start "
                                    "over",
    )  # fmt: skip


def _told(value: object) -> str:
    """A part of a question in words."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


# ---- One process at a time in a folder: a lock of the operating system, which ends with its process.


NAME = "running.lock"  # stays in the folder: who deleted it could let in a second process

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def only_here(folder: Path, problem: str, hint: str) -> Iterator[None]:
    """Hold a folder while a block runs, or refuse with a problem and a hint where another process holds it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name, only_here(Path(name), "it is in use", "stop the other"):
    ...     with only_here(Path(name), "it is in use", "stop the other"):
    ...         pass
    Traceback (most recent call last):
    truegain.errors.InputError: ...it is in use...
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            _take(descriptor)
        except (BlockingIOError, PermissionError):
            raise InputError(problem, file=shown_path(folder), hint=hint) from None
        yield
    finally:
        os.close(descriptor)
