"""A look at the labels of a list after every label, beside the server; collecting pauses when it is known."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from truegain.data.label_lists import GoldList
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.judging.labels import ListedLabels, ListedRows, labels_of_list, labels_version
from truegain.judging.store.database import Database, guard_corrections
from truegain.judging.store.decisions import store_decision, stored_decision
from truegain.judging.study.study import JudgingStudy
from truegain.judging.workflow.pausing import DECIDED, Reason, pause, pause_reason, resume
from truegain.results.settlement import Label, Settlement

if TYPE_CHECKING:
    from sqlalchemy import Connection

LISTEN = 0.4  # seconds between looks for new labels
AFTER_FAILURE = 5.0  # seconds until the next look, where one failed
ON_THEIR_WAY = 50  # labels at most that came in between a decision and the end of the process that made it


class ListQuestion(Protocol):
    """What is known after labels: `truegain.planning.settle.Settling`, as this package sees it."""

    def remember(self, settlement: Settlement) -> None:
        """Take up an earlier settlement."""

    def decide(self, rows: Sequence[Label], top: int | None = None, answers: int | None = None) -> Settlement:
        """What is known."""

    def with_given(self, now: Settlement, answers: int) -> Settlement:
        """The same, with as many labels given in all."""

    def labels_of(self, rows: Sequence[Label], top: int | None = None) -> Floats:
        """One label for each row of the top."""

    def filled(self, labels: Floats) -> GoldList:
        """The list with these labels."""


class AnswerFiles(Protocol):
    """A question, and where its answer is written."""

    @property
    def settling(self) -> ListQuestion:
        """The question."""

    def write_basis(self, filled: GoldList) -> None:
        """Write what the answer rests on."""

    def write_answer(self, known: Settlement) -> None:
        """Write the answer."""


class Teller(Protocol):
    """Who is told what looks find."""

    def look(self, now: Settlement) -> None:
        """Tell a look."""

    def failure(self, message: str) -> None:
        """Tell why a look failed."""


class Watch(threading.Thread):
    """Looks after every label, beside the server; when it is known, collecting pauses and the answer is written."""

    def __init__(
        self, keeper: AnswerFiles, judging: JudgingStudy, database: Database, teller: Teller, linger: float
    ) -> None:
        super().__init__(daemon=True, name="settle")
        self.keeper, self.judging, self.database, self.linger = keeper, judging, database, linger
        self.teller = teller
        self.now: Settlement | None = None
        self.looks, self.busy = 0, 0.0  # how many, and the processor's seconds that they took
        self._ended = threading.Event()
        self._failed = ""
        self._counted: tuple[int, ...] | None = None  # version of the labels that were last counted after the end
        self._rows: ListedRows | None = None

    def stop(self) -> None:
        """End it, after the look that it is at."""
        self._ended.set()
        self.join(timeout=30)

    def run(self) -> None:
        """Look until it is known."""
        seen: tuple[int, ...] | None = None
        while not self._ended.is_set():
            try:
                version = labels_version(self.database)
                if version != seen:
                    self.look()
                    seen, self._failed = version, ""
            except Exception as error:  # were it to end here, people would label on and nobody would look
                self._fail(error)
            if self.now is not None and self.now.ended:
                break
            self._ended.wait(LISTEN)
        if self.now is not None and self.now.ended:
            until = time.monotonic() + self.linger
            while not self._ended.wait(min(LISTEN, max(until - time.monotonic(), 0.0))) and time.monotonic() < until:
                self._count_later(self.now)
            self._count_later(self.now)
            if not self._ended.is_set():
                signal.raise_signal(signal.SIGINT)

    def _count_later(self, now: Settlement) -> None:
        """Count labels that people still sent when it was known: they were given, and are paid for."""
        try:
            version = labels_version(self.database)
            if version == self._counted:
                return
            total = labels_of_list(self.database, self.judging, self._rows).total
            if total > now.given:
                counted = self.keeper.settling.with_given(now, total)
                self.database.write(lambda connection: store_decision(connection, counted, time.time()))
                newest = self.database.read(stored_decision)  # another process may have counted more meanwhile
                if newest is not None and newest.decision.ended and newest.decision.given > total:
                    counted = self.keeper.settling.with_given(now, newest.decision.given)
                self.keeper.write_answer(counted)
                self.now = counted  # last: what failed before is done again at the next look
            self._counted = version
        except Exception as error:  # the answer stands, and the server goes on
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Say what is wrong, once, and give it time."""
        known = isinstance(error, TruegainError)
        text = str(error) if known else f"{type(error).__name__}: {error}"
        if text != self._failed:
            self.teller.failure(f"{text}; labels are kept, and looked at again in {AFTER_FAILURE:g} s")
        self._failed = text
        self._ended.wait(AFTER_FAILURE)

    def look(self) -> None:
        """One look: what is known now, kept where the pages find it."""
        began = time.thread_time()
        self._rows = self._rows or ListedRows(self.judging)
        self.now = now = self._look(self._rows)
        self.looks, self.busy = self.looks + 1, self.busy + time.thread_time() - began
        self.teller.look(now)

    def _look(self, rows: ListedRows) -> Settlement:
        while True:
            listed = labels_of_list(self.database, self.judging, rows)
            is_over = self.now is None or self.database.read(pause_reason) in DECIDED  # an end that failed half way
            now = self._again(listed) if is_over else self._decided(listed)
            if not now.ended:
                self.database.write(lambda connection: store_decision(connection, now, time.time()))  # noqa: B023
                return now
            if self._close(now, listed, rows):
                self._end(now, listed)
                return now

    def _close(self, now: Settlement, listed: ListedLabels, rows: ListedRows) -> bool:
        """Pause collecting, unless a label that it rests on was corrected since it was read: then look again."""
        reason: Reason = "known" if now.is_decided else "given-up"

        def close(connection: Connection) -> bool:
            guard_corrections(connection)
            labels = labels_of_list(connection, self.judging, rows).labels
            if labels[: now.labels] != listed.labels[: now.labels]:
                return False
            pause(connection, reason)
            return True

        return self.database.write(close)

    def _decided(self, listed: ListedLabels, top: int | None = None) -> Settlement:
        return self.keeper.settling.decide(listed.labels, listed.top if top is None else top, listed.total)

    def _again(self, listed: ListedLabels) -> Settlement:
        """The first look of a process: what one before it knew, where it had no time to write the answer.

        Labels that were on their way when it was known may be there by now.  Limits hold at every look together, so
        the look that decided it stands.  Where none does, since more labels may be given than before or somebody took
        theirs back, people go on.
        """
        before = self.database.read(stored_decision)
        if before is not None:
            self.keeper.settling.remember(before.decision)
        now, reason = self._decided(listed), self.database.read(pause_reason)
        if now.is_decided or reason not in DECIDED:
            return now
        if reason == "known":
            for top in range(listed.top - 1, max(listed.top - ON_THEIR_WAY, 0), -1):
                if (earlier := self._decided(listed, top)).is_decided:
                    return earlier
            now = self._decided(listed)
        if now.ended:
            return now

        def go_on(connection: Connection) -> None:
            store_decision(connection, now, time.time(), reopen=True)
            resume(connection)

        self.database.write(go_on)
        return now

    def _end(self, now: Settlement, listed: ListedLabels) -> None:
        """Collecting has paused, the answer comes last: who is killed in between finds here again, and ends it."""
        settling = self.keeper.settling
        self.keeper.write_basis(settling.filled(settling.labels_of(listed.labels, now.labels)))
        self.database.write(lambda connection: store_decision(connection, now, time.time()))
        self.keeper.write_answer(now)
