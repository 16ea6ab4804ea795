"""Times are the server's: visits add up, one at a time, and no clock that is set and no form changes them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.judging.walking import Time, Walker, check_invariants, kinds, rows, service_of, small_study
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, events, visits
from truegain.judging.study.study import JudgingStudy
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.steps import Elsewhere, PageStep, Person

DAY = 86_400.0


def seconds(database: Database) -> dict[int, float]:
    """Seconds on each item, as the last revision has them."""
    found = sorted(rows(database, answers, kind="item"), key=lambda a: a.revision)
    return {a.number: a.seconds for a in found}


def test_visits_add_up(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the 20 s: they run from the first serving, add up over visits, and stop while another page is open."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    clock.go(100)  # not served yet
    walker.page()
    clock.go(5)
    walker.page()  # a reload goes on
    clock.go(7)
    page = walker.page()
    walker.page(PageStep("leave"))
    clock.go(50)  # the page on leaving
    walker.page()
    clock.go(1)
    walker.send(page, number="1", reason="first")
    assert seconds(database) == {1: 13.0}
    walker.page(PageStep("doc", 2))
    clock.go(3)
    walker.page(PageStep("doc", 1))
    clock.go(10)
    walker.send(walker.page(PageStep("doc", 1)), number="2", reason="again")
    assert seconds(database) == {1: 23.0}


def test_eight_tabs_do_not_make_time(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the clock against tabs: of all documents open at once only the last served one counts."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    for _ in range(4):
        walker.judge(seconds=1)
    assert walker.step == PageStep("revise")
    walker.send(walker.page())
    tabs = [walker.page(PageStep("doc", n)) for n in (1, 2, 3, 4, 1, 2, 3, 4)]
    clock.go(25)
    for page in tabs[4:]:
        walker.send(page, number=walker.worth(page), reason="from a tab")
    assert seconds(database) == {1: 1.0, 2: 1.0, 3: 1.0, 4: 26.0}
    assert walker.step == PageStep("revise")
    assert sum(v.seconds for v in rows(database, visits)) == 29.0
    check_invariants(database, study)


def test_jump_ahead_serves_nothing(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the order: a document ahead is not shown, its clock does not start, and an answer to it is not taken."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    page = walker.page()
    for step in (
        PageStep("doc", 3),
        PageStep("doc", 0),
        PageStep("doc", -1),
        PageStep("doc", 10**30),
        PageStep("done"),
        PageStep("revise"),
    ):
        with pytest.raises(Elsewhere) as other:
            walker.page(step)
        assert other.value.step == PageStep("doc", 1)
        assert walker.post(step, walker.fill(page, number="1", reason="ahead")) == PageStep("doc", 1)
    assert [v.number for v in rows(database, visits)] == [1]
    assert rows(database, answers, kind="item") == []


def test_forged_times_change_nothing(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards times against forms: whatever fields say of seconds, the server's clock is what counts."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    for _ in range(4):
        page = walker.page()
        clock.go(2)
        forged = {"seconds": "500", "began": "0", "at": "0", "time": "1e9", "session": "x", "late": "true"}
        walker.send(page, number=walker.worth(page), reason="forged", **forged)
    assert set(seconds(database).values()) == {2.0}
    assert walker.step == PageStep("revise")


def test_a_post_without_a_page_has_no_time(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards scripts: who sends an answer without having been served the document has spent 0 s on it."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    page = walker.page()
    clock.go(1000)
    walker.send(page, number="1", reason="first")
    walker.post(PageStep("doc", 2), {**walker.fill(page, number="1", reason="blind"), "once": "B" * 16 + ".0"})
    assert seconds(database) == {1: 1000.0, 2: 0.0}


@pytest.mark.parametrize("step", [-DAY, DAY])
def test_the_wall_clock_is_set_by_a_day(tmp_path: Path, database: Database, step: float) -> None:
    """Guards times and leases where the machine's clock is set during a document: nothing lost, no second made."""
    study = small_study(tmp_path, topics=1, per_topic=1)
    wall, steady = Time(), Time(50.0)
    service = AssessorService(study, database, clock=wall, steady=steady, random=Random(1))
    walker = Walker(service, Time())

    def pass_(amount: float) -> None:
        wall.go(amount)
        steady.go(amount)

    walker.to_documents()
    for number in range(4):
        page = walker.page()
        pass_(15)
        if number == 1:
            wall.go(step)
            assert not service.enter(Person("open", "other")).token, "a held unit was given away"
            walker.page()
        pass_(15)
        walker.send(page, number=walker.worth(page), reason="steady")
    assert walker.step == PageStep("done")
    assert seconds(database) == dict.fromkeys((1, 2, 3, 4), 30.0)
    assert [e.about for e in rows(database, events, kind="clock")] == [{"by": step}]
    check_invariants(database, study)


@pytest.mark.parametrize("step", [-DAY, DAY])
def test_only_a_wall_clock_and_it_is_set(study: JudgingStudy, database: Database, clock: Time, step: float) -> None:
    """Guards machines without a steady clock: no time below 0, no answer lost, and the step is noted."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    page = walker.page()
    clock.go(step)
    walker.send(page, number="1", reason="stepped")
    if step > 0:
        assert walker.page().notice == "resumed"
        walker.send(walker.page(), number="1", reason="stepped")
    else:
        assert "clock" in kinds(database, walker.token)
    assert all(s >= 0 for s in seconds(database).values())
    assert rows(database, answers, kind="item")[0].reason == "stepped"
    while walker.step != PageStep("done"):
        if walker.step == PageStep("revise"):
            walker.send(walker.page())
        walker.judge()
    check_invariants(database, study)


def test_a_machine_that_was_started_anew(tmp_path: Path, database: Database) -> None:
    """Guards restarts: a steady clock that began anew is not compared with the one before."""
    study = small_study(tmp_path)
    wall = Time()
    service = AssessorService(study, database, clock=wall, steady=Time(9e6), random=Random(1))
    walker = Walker(service, Time())
    walker.to_documents()
    page = walker.page()
    after = AssessorService(study, database, clock=wall, steady=Time(1.0), random=Random(1))
    after._clock._boot = "another start"
    wall.go(30)
    walker.service = after
    assert walker.send(page, number="1", reason="after") == PageStep("doc", 2)
    assert seconds(database) == {1: 30.0}
