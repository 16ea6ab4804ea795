"""After the end: whose code is shown again, who is offered another set, and what is taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from tests.judging.walking import Time, Walker, check_invariants, rows, service_of
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, sessions, units
from truegain.judging.study.study import JudgingStudy, People
from truegain.judging.workflow.steps import Elsewhere, PageStep, Person

CODES = {"completed": "C", "screened": "S", "failed": "F"}
Platform = Literal["prolific", "mturk"]
PLATFORMS: tuple[Platform, ...] = ("prolific", "mturk")


def worker(study: JudgingStudy, database: Database, clock: Time, platform: Platform = "prolific") -> Walker:
    """Someone whom a platform sends, under one submission."""
    service = service_of(replace(study, people=People(platform, codes=CODES)), database, clock)
    walker = Walker(service, clock)
    walker.person = Person(platform, "5f0c", about={"study": "s1", "session": "x9"})
    return walker


def screen_out(walker: Walker) -> None:
    """Fail the practice."""
    walker.consent()
    assert walker.practise(right=False) == PageStep("screened")


@pytest.mark.few(3)
@pytest.mark.parametrize("back", [0, 86_400])
@pytest.mark.parametrize("end", ["left", "screened", "withdrawn"])
def test_the_code_is_found_again_after_another_set(
    study: JudgingStudy, database: Database, clock: Time, end: str, back: float
) -> None:
    """Guards who finished one set and not the next: the link leads to the code, also where the clock was set back."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    done, code = walker.token, walker.page().code
    clock.go(-back)
    walker.another()
    second = walker.token
    walker.enter()
    assert walker.token == second  # while it goes on, the link leads to it
    if end == "left":
        walker.send(walker.page(PageStep("leave")), "leave", withdraw="no")
    elif end == "withdrawn":
        walker.send(walker.page(PageStep("leave")), "leave", withdraw="yes")
    else:
        assert walker.choose(right=False) == PageStep("screened")
    walker.enter()
    assert (walker.token, walker.page().code, walker.page().more) == (done, code, True)


def test_of_two_sets_that_are_done_the_later_is_shown(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the order of sets: as they were taken, not as the clock on the wall has it."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    clock.go(-86_400)
    walker.whole()
    second = walker.token
    walker.enter()
    assert walker.token == second


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_submission_that_pays_once_has_one_set(
    study: JudgingStudy, database: Database, clock: Time, platform: Platform
) -> None:
    """Guards unpaid work: no other set is offered or given after an end that has a code of the platform's."""
    for name, walk, code in (("a", Walker.rest, "C"), ("b", None, "S")):
        walker = worker(study, database, clock, platform)
        walker.person = walker.person._replace(id=name)
        if walk:
            walker.to_documents()
            walk(walker)
        else:
            walker.enter()
            screen_out(walker)
        token = walker.token
        assert (walker.page().code, walker.page().more) == (code, False)
        assert (walker.another(), walker.token) == ("", token)
    assert len(rows(database, sessions)) == 2
    walker.person = walker.person._replace(about={"study": "s1", "session": "x10"})
    walker.enter()
    assert walker.token != token  # a new submission is paid anew
    assert walker.step == PageStep("consent")  # and has its own consent
    check_invariants(database, study)


def test_who_has_no_code_yet_may_take_another_set(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards a submission that goes on: who left a set, or lost it, may still earn the code."""
    walker = worker(study, database, clock)
    walker.to_documents()
    walker.send(walker.page(PageStep("leave")), "leave", withdraw="no")
    assert walker.page().more
    walker.another()
    assert walker.step == PageStep("consent")


def take_back(walker: Walker, choice: str = "yes") -> PageStep:
    """Ask on the page on leaving for everything to be erased."""
    page = walker.page(PageStep("leave"))
    assert page.ended == walker.step.name
    return walker.send(page, "leave", withdraw=choice)


def test_a_finished_set_is_taken_back(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards what consent promises: after the end all is erased and the place is free, and the code stays theirs."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    code = walker.page().code
    assert take_back(walker, "no") == PageStep("done")
    assert len(rows(database, answers, kind="item")) == 4
    assert take_back(walker) == PageStep("done")
    assert (walker.page().code, walker.page().withdrawn) == (code, True)
    assert (rows(database, answers), {unit.state for unit in rows(database, units)}) == ([], {"free"})
    assert rows(database, sessions)[0].outcome == "withdrawn"
    with pytest.raises(Elsewhere):
        walker.page(PageStep("leave"))
    walker.enter()
    assert walker.page().code == code
    check_invariants(database, study)


def test_a_set_that_was_taken_back_counts_for_most(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards pay: nobody gets codes without end by taking back one set after the other."""
    walker = Walker(service_of(replace(study, people=People(most=1)), database, clock), clock)
    walker.whole()
    take_back(walker)
    assert (walker.page().more, walker.another()) == (False, "none")


def test_what_was_left_to_research_is_taken_back(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards second thoughts: who left and let us keep it may still take it back; who was screened out has the code."""
    walker = worker(study, database, clock)
    walker.to_documents()
    walker.judge()
    walker.send(walker.page(PageStep("leave")), "leave", withdraw="no")
    assert take_back(walker) == PageStep("left")
    assert (rows(database, answers), walker.page().withdrawn) == ([], True)
    walker.another()
    screen_out(walker)
    assert take_back(walker) == PageStep("screened")
    assert (rows(database, answers), walker.page().code) == ([], "S")
