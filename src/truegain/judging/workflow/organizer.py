"""What the organizer does: looks, pauses, excludes, invites, erases; every act is in the audit trail."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from truegain.errors import TruegainError
from truegain.judging.store.database import Database, insert_new, lock
from truegain.judging.store.schema import assessors, invitations, sessions, settings, units
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import DONE
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.assignment import FREE, give_back, going_on, is_paused
from truegain.judging.workflow.pausing import DECIDED, pause, pause_reason, resume, still_wanted
from truegain.judging.workflow.sessions import Work, is_expired, load
from truegain.judging.workflow.steps import UNCLAIMED
from truegain.judging.workflow.submissions import all_of, end, withdraw
from truegain.judging.workflow.tokens import code_digest, digest

ENDED_VISIT = "ended visit "  # with its digest, the name of a setting: when the visit would have ended


@dataclass(frozen=True)
class AssessorSummary:
    """What is known of an assessor, under an opaque id."""

    id: str
    platform: str
    kind: str
    about: Mapping[str, str]
    came: float
    excluded: str | None
    outcomes: Mapping[str, int]  # sessions by how they ended; 'going' for those that go on
    failed_checks: int  # sets that were sent back
    flags: tuple[str, ...]


@dataclass(frozen=True)
class WorkingNow:
    """Who is at a unit now, and what holds the list up: later units are done, and wait for the first that is not."""

    people: int
    waiting: int = 0  # finished units behind the first that is not
    holder: str = ""  # who has that one; '': nobody
    until: float | None = None  # when it goes to somebody else, unless its holder goes on


class OrganizerService:
    """What the organizer can do with a study that is being collected.

    Parameters
    ----------
    study : JudgingStudy
        What is judged.
    database : Database
        Where answers are kept.
    clock : callable, optional
        The time of day in seconds.

    """

    def __init__(self, study: JudgingStudy, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self.study, self.database = study, database
        self._service = AssessorService(study, database, clock=clock)

    def assessors(self) -> tuple[AssessorSummary, ...]:
        """All who came, in the order in which they did."""

        def work(connection: Connection) -> tuple[AssessorSummary, ...]:
            people = connection.execute(select(assessors).order_by(assessors.c.came, assessors.c.id)).all()
            own: dict[str, list[Any]] = {}
            for row in connection.execute(select(sessions).order_by(sessions.c.began)).all():
                own.setdefault(row.assessor, []).append(row)
            return tuple(_summary(row, own.get(row.id, [])) for row in people)

        return self.database.read(work)

    def working(self) -> WorkingNow:
        """Who is working now, and what holds the list up."""

        def work(connection: Connection) -> WorkingNow:
            now = self._service.work(connection).now
            going = select(sessions.c.assessor, sessions.c.unit, sessions.c.lease).where(
                sessions.c.outcome.is_(None), ~sessions.c.beside, sessions.c.state.not_in(UNCLAIMED), ~is_expired(now)
            )
            holders = {row.unit: row for row in connection.execute(going).all()}
            people = len({row.assessor for row in holders.values()})
            is_open = select(units.c.id, units.c.place).where(still_wanted(connection, self.study))
            first = connection.execute(is_open.order_by(units.c.place).limit(1)).one_or_none()
            if first is None:
                return WorkingNow(people)
            behind = select(func.count()).where(units.c.state == DONE, units.c.place > first.place)
            waiting, holder = connection.execute(behind).scalar_one(), holders.get(first.id)
            if not waiting or holder is None:
                return WorkingNow(people, waiting)
            return WorkingNow(people, waiting, holder.assessor, holder.lease)

        return self.database.read(work)

    def exclude(self, assessor: str, why: str) -> None:
        """Leave an assessor out: what they gave is kept and flagged, and their units are free for others."""
        if not why.strip():
            raise TruegainError("say why the assessor is excluded; the reason is kept")

        def work(connection: Connection) -> None:
            here = self._require_assessor(connection, assessor)
            for token in all_of(here, assessor):
                session = load(connection, token)
                if session.outcome == "done":
                    give_back(here, session)
            connection.execute(update(assessors).where(assessors.c.id == assessor).values(excluded=why.strip()))
            here.event("excluded", assessor=assessor, why=why.strip())

        self.database.write(work)

    def readmit(self, assessor: str) -> None:
        """Let an excluded assessor count again; units that nobody else took meanwhile are theirs again."""

        def work(connection: Connection) -> None:
            here = self._require_assessor(connection, assessor)
            for token in all_of(here, assessor):
                session = load(connection, token)
                free = (units.c.id == session.unit, units.c.state == FREE)
                if session.outcome == "done" and not session.beside and not _has_holder(connection, session.unit):
                    connection.execute(update(units).where(*free).values(state=DONE, session=session.id))
            connection.execute(update(assessors).where(assessors.c.id == assessor).values(excluded=None))
            here.event("readmitted", assessor=assessor)

        self.database.write(work)

    @property
    def paused(self) -> bool:
        """Whether no more units are given out; who is at one may finish it."""
        return self.database.read(lambda connection: is_paused(self._service.work(connection)))

    def pause(self) -> None:
        """Give out no more units; who is at one may finish it."""
        self.database.write(lambda connection: pause(connection, at=self._service.work(connection).now.wall))

    def resume(self) -> None:
        """Give out units again; not once it is decided, since nobody would look at further labels."""

        def go_on(connection: Connection) -> None:
            if pause_reason(connection) not in DECIDED:
                resume(connection, at=self._service.work(connection).now.wall)

        self.database.write(go_on)

    def studies_going_on(self, platform: str) -> tuple[str, ...]:
        """The platform's studies that people came from who are at a unit now, by name."""
        query = select(sessions.c.about).join(assessors, assessors.c.id == sessions.c.assessor)
        going = query.where(sessions.c.outcome.is_(None), assessors.c.platform == platform)
        submissions = self.database.read(lambda connection: connection.execute(going).scalars().all())
        return tuple(sorted({about["study"] for about in submissions if about.get("study")}))

    def release(self, platform: str, id: str, submission: str) -> bool:  # noqa: A002
        """Free what a person holds under a submission that the platform ended: kept as left; whether they did."""

        def work(connection: Connection) -> bool:
            here = self._service.work(connection)
            who = (assessors.c.platform == platform, assessors.c.platform_id == id)
            assessor = connection.execute(lock(select(assessors.c.id).where(*who), of=assessors)).scalar_one_or_none()
            session = going_on(here, assessor) if assessor else None
            if session is None or session.about.get("session") != submission:
                return False
            end(here, session, "left", "left")
            return True

        return self.database.write(work)

    def withdraw(self, assessor: str) -> int:
        """Erase all that a person wrote, at their wish, of finished units too; in how many units.

        Codes stay theirs: paid work is paid.
        """

        def work(connection: Connection) -> int:
            here = self._require_assessor(connection, assessor)
            own_sessions = [load(connection, token) for token in all_of(here, assessor)]
            withdrawn = [session for session in own_sessions if session.outcome not in ("withdrawn", "declined")]
            for session in withdrawn:
                withdraw(here, session)
            return len(withdrawn)

        return self.database.write(work)

    def invite(self, count: int) -> list[str]:
        """New invitations; they are told here and never again, for only their digests are stored."""
        if count < 1:
            raise TruegainError(f"cannot make {count} invitations; give a number of at least 1")
        tokens = [secrets.token_urlsafe(24) for _ in range(count)]
        first = select(invitations.c.digest).where(invitations.c.digest == digest(tokens[0]))

        def work(connection: Connection) -> None:
            if connection.execute(first).first() is not None:
                return  # all were committed the first time, and the answer was lost
            connection.execute(insert(invitations), [{"digest": digest(token)} for token in tokens])
            self._service.work(connection).event("invited", count=count)

        self.database.write(work)
        return tokens

    def end_visit(self, visit: str, until: float) -> None:
        """Let nobody see the organizer's page by a visit any more; kept until the visit would have ended."""

        def work(connection: Connection) -> None:
            here = self._service.work(connection)
            ended = select(settings.c.name, settings.c.value).where(settings.c.name.startswith(ENDED_VISIT))
            over = [row.name for row in connection.execute(ended).all() if float(row.value) < here.now.wall]
            connection.execute(delete(settings).where(settings.c.name.in_(over)))
            insert_new(connection, settings, name=ENDED_VISIT + digest(visit), value=until)

        self.database.write(work)

    def is_ended(self, visit: str) -> bool:
        """Whether a visit was ended."""
        query = select(settings.c.name).where(settings.c.name == ENDED_VISIT + digest(visit))
        return self.database.read(lambda connection: connection.execute(query).first()) is not None

    def ended(self, visits: Collection[str]) -> set[str]:
        """Those of some visits that were ended."""
        names = {ENDED_VISIT + digest(visit): visit for visit in visits}
        query = select(settings.c.name).where(settings.c.name.in_(names))
        return self.database.read(lambda connection: {names[name] for name in connection.execute(query).scalars()})

    def invited(self) -> int:
        """How many invitations there are."""
        query = select(func.count()).select_from(invitations)
        return self.database.read(lambda connection: int(connection.execute(query).scalar_one()))

    def owner(self, who: str) -> str | None:
        """The assessor who has this completion code, id, or id of the platform; None where nobody has."""
        code = code_digest(who)
        by_code = select(sessions.c.assessor).where(sessions.c.code == code)
        by_id = select(assessors.c.id).where((assessors.c.id == who) | (assessors.c.platform_id == who))
        erased = select(sessions.c.id, sessions.c.assessor).where(sessions.c.state == DONE, sessions.c.code.is_(None))

        def work(connection: Connection) -> str | None:
            owners = {*connection.execute(by_code).scalars(), *connection.execute(by_id).scalars()}
            if not owners:  # what was taken back has no code stored, and is still paid
                keys = self._service.work(connection).keys
                rows = connection.execute(erased).all()
                owners = {row.assessor for row in rows if code_digest(keys.code(row.id)) == code}
            return owners.pop() if len(owners) == 1 else None

        return self.database.read(work)

    def _require_assessor(self, connection: Connection, assessor: str) -> Work:
        query = select(assessors.c.id).where(assessors.c.id == assessor)
        if connection.execute(lock(query, of=assessors)).one_or_none() is None:
            raise TruegainError(f"there is no assessor {assessor!r}; the list of assessors has their ids")
        return self._service.work(connection)


def _has_holder(connection: Connection, unit: str) -> bool:
    going = select(sessions.c.id).where(sessions.c.unit == unit, sessions.c.outcome.is_(None), ~sessions.c.beside)
    return connection.execute(going.where(sessions.c.state.not_in(UNCLAIMED))).first() is not None


def _summary(row: Any, own: list[Any]) -> AssessorSummary:
    outcomes = Counter(s.outcome or "going" for s in own)
    sent_back = sum(max(0, s.tries.get("checks", 0) - (s.outcome == "done")) for s in own)
    flags = tuple(dict.fromkeys(flag for s in own for flag in s.flags))
    return AssessorSummary(
        row.id, row.platform, row.kind, row.about, row.came, row.excluded, dict(outcomes), sent_back, flags
    )
