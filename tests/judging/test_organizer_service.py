"""The organizer's acts, and what they leave behind."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import insert

from tests.judging.organizing import progress
from tests.judging.walking import Time, Walker, check_invariants, rows, service_of
from truegain.errors import TruegainError
from truegain.judging.export import audit_trail, collected
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, events, invitations, sessions
from truegain.judging.study.study import JudgingStudy
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.steps import PageStep
from truegain.judging.workflow.tokens import digest


def test_progress_and_assessors(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the figures: units by topic and state, people by what became of their units."""
    organizer, service = OrganizerService(study, database, clock=clock), service_of(study, database, clock)
    one, two = Walker(service, clock, "one"), Walker(service, clock, "two")
    one.whole()
    two.to_documents()
    for _ in range(4):
        two.judge(seconds=1)
    service.noticed(two.token, "blur", {})
    assert progress(organizer)[0] == ("t1", 2, 1, 1, 0)
    first, second = organizer.assessors()
    assert (first.outcomes, first.failed_checks, first.flags) == ({"done": 1}, 0, ())
    assert (second.outcomes, second.failed_checks, second.flags) == ({"going": 1}, 1, ("blurred",))


def test_exclude_and_readmit(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards exclusion: all is kept and flagged, the code stays, units are free for others, and it can be undone."""
    organizer, service = OrganizerService(study, database, clock=clock), service_of(study, database, clock)
    walker, other = Walker(service, clock, "one"), Walker(service, clock, "two")
    walker.whole()
    (person,) = organizer.assessors()
    organizer.exclude(person.id, "copies texts")
    assert walker.page().code
    assert not walker.page().more
    assert (walker.enter(), walker.page().code != "") == ("", True)  # who finished may see the code again
    assert walker.another() == "excluded"
    assert [p.free for p in progress(organizer)] == [2, 2, 2]
    assert {r["excluded"] for r in collected(database).ratings()} == {"copies texts"}
    check_invariants(database, study)
    organizer.readmit(person.id)
    assert [p.done for p in progress(organizer)] == [1, 0, 0]
    organizer.exclude(person.id, "again")
    other.to_topic()  # takes the unit that became free
    organizer.readmit(person.id)
    assert [(p.done, p.held) for p in progress(organizer)] == [(0, 1), (0, 0), (0, 0)]
    check_invariants(database, study)
    with pytest.raises(TruegainError, match="no assessor 'nobody'"):
        organizer.exclude("nobody", "x")
    with pytest.raises(TruegainError, match="say why"):
        organizer.exclude(person.id, " ")


def test_excluded_during_a_unit(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards who is excluded while at work: they finish and get their code, and the unit is free for another."""
    organizer, walker = (
        OrganizerService(study, database, clock=clock),
        Walker(service_of(study, database, clock), clock),
    )
    walker.to_documents()
    organizer.exclude(organizer.assessors()[0].id, "suspicious")
    assert walker.rest() == PageStep("done")
    assert walker.page().code
    assert [p.free for p in progress(organizer)] == [2, 2, 2]
    check_invariants(database, study)


def test_pause_and_resume(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the pause: nobody gets a new unit, who is at one may finish."""
    organizer, service = OrganizerService(study, database, clock=clock), service_of(study, database, clock)
    at_work, comer = Walker(service, clock, "a"), Walker(service, clock, "b")
    at_work.to_documents()
    organizer.pause()
    organizer.pause()
    assert organizer.paused
    assert comer.enter() == "paused"
    assert at_work.rest() == PageStep("done")
    assert not at_work.page().more
    organizer.resume()
    assert (organizer.paused, comer.enter()) == (False, "")


def test_release_of_who_was_sent_away(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards submissions that the platform takes back: the unit is free, the answers are kept, others are untouched."""
    organizer, walker = (
        OrganizerService(study, database, clock=clock),
        Walker(service_of(study, database, clock), clock),
    )
    walker.person = walker.person._replace(about={"session": "s1"})
    walker.to_documents()
    walker.judge()
    assert not organizer.release("open", "someone else", "s1")
    assert not organizer.release("open", walker.name, "s0")
    assert organizer.release("open", walker.name, "s1")
    assert not organizer.release("open", walker.name, "s1")
    assert walker.step == PageStep("left")
    assert len(collected(database).ratings()) == 1


def test_withdrawal_through_the_organizer(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards late wishes: also a finished unit is erased, its slot is free, and its code, which is paid, stays."""
    organizer, walker = (
        OrganizerService(study, database, clock=clock),
        Walker(service_of(study, database, clock), clock),
    )
    walker.whole()
    code = walker.page().code
    (person,) = organizer.assessors()
    assert organizer.owner(code.lower().replace("-", " ")) == person.id
    assert organizer.withdraw(person.id) == 1
    assert organizer.withdraw(person.id) == 0
    assert organizer.owner(code) == person.id
    assert organizer.owner(code[:-1]) is None
    assert (rows(database, answers), collected(database).ratings()) == ([], [])
    assert rows(database, sessions)[0].outcome == "withdrawn"
    assert walker.page().code == code
    check_invariants(database, study)


def test_ratings(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the rows of the export: the last revision of each item, with its place in the unit and as shown."""
    organizer, walker = (
        OrganizerService(study, database, clock=clock),
        Walker(service_of(study, database, clock), clock),
    )
    walker.to_documents()
    walker.judge("1000", "first")
    walker.send(walker.page(), "back")
    walker.rest()
    found = collected(database).ratings()
    assert [r["number"] for r in found] == [1, 2, 3, 4]
    assert {r["item"]: r["value"] for r in found} == {0: 100.0, 1: 90.0, 2: 80.0, 3: 70.0}
    assert found[0]["revision"] == 2
    assert found[0]["assessor"] == organizer.assessors()[0].id


class Between:
    """A database in which two events are committed together after each reading, of which one has an earlier number."""

    def __init__(self, database: Database, early: int) -> None:
        self.database, self.early, self.late = database, early, 100_000

    def read(self, work: Callable[[Any], Any]) -> Any:
        """What the function returns, before the two events come."""
        found = self.database.read(work)
        self.late += 1
        new = [{"id": n, "at": 0.0, "kind": "x", "about": {}} for n in (self.early, self.late)]
        self.database.write(lambda connection: connection.execute(insert(events), new))
        self.early += 1
        return found


def test_the_audit_trail_is_of_one_state(study: JudgingStudy, database: Database) -> None:
    """Guards a trail that is read while people work: what was committed together is in it together, or not at all."""
    many = [{"id": n, "at": 0.0, "kind": "x", "about": {}} for n in range(1, 6001) if not 500 <= n < 600]
    database.write(lambda connection: connection.execute(insert(events), many))
    trail = {event["id"] for event in audit_trail(Between(database, 500))}
    assert len(trail) == len(many)
    assert max(trail) == 6000


def test_the_audit_trail(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the audit trail: every event once and in order, and no token, code or id of a platform."""
    walker = Walker(service_of(study, database, clock), clock, "prolific-id")
    walker.whole()
    trail = list(audit_trail(database))
    assert [e["id"] for e in trail] == sorted(e.id for e in rows(database, events))
    written = json.dumps(trail)
    assert not any(secret in written for secret in (walker.token, walker.page().code, "prolific-id"))
    assert [e["kind"] for e in trail][:3] == ["study", "entered", "began"]
    (claimed,) = [e for e in trail if e["kind"] == "claimed"]
    assert set(claimed["about"]) == {"unit", "topic", "order"}


def test_invitations_are_counted(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards `invite`: as many as asked, none twice, none guessable, and none where none is asked."""
    organizer = OrganizerService(study, database, clock=time.time)
    tokens = organizer.invite(50)
    assert len(set(tokens)) == 50
    assert min(map(len, tokens)) >= 22  # 128 bits
    with pytest.raises(TruegainError, match="at least 1"):
        organizer.invite(0)


def test_invitations_whose_commit_was_not_answered(
    study: JudgingStudy, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards a connection lost at the commit: the work runs again, and the invitations are stored and told once."""
    organizer, write = OrganizerService(study, database), database.write

    def twice(work: Callable[[Any], Any]) -> Any:
        write(work)
        return write(work)

    monkeypatch.setattr(database, "write", twice)
    tokens = organizer.invite(3)
    assert {row.digest for row in rows(database, invitations)} == {digest(token) for token in tokens}
    assert [row.about for row in rows(database, events, kind="invited")] == [{"count": 3}]
