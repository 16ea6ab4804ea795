"""Who gets a unit when many come at once, and what becomes of it when a lease runs out."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest

from tests.judging.walking import Time, Walker, check_invariants, kinds, rows, service_of, small_study, texts
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, events, sessions, units
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import JudgingStudy, People, Rules
from truegain.judging.workflow import assignment
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.steps import Elsewhere, Entered, PageStep, Person

T = TypeVar("T")


def at_once(work: Sequence[Callable[[], T]]) -> list[T]:
    """What functions return that threads run at the same moment; an error of one is raised."""
    gate, found, errors = threading.Barrier(len(work)), dict[int, T](), list[BaseException]()

    def run(place: int) -> None:
        try:
            gate.wait()
            found[place] = work[place]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [found[place] for place in range(len(work))]


@pytest.mark.slow
def test_forty_claims_of_twenty_units(tmp_path: Path, database_url: str, clock: Time) -> None:
    """Guards the last slot: 40 people are through at one moment, by two servers, and exactly 20 get a unit each."""
    study = small_study(tmp_path, topics=4, per_topic=5)
    servers = [Database(database_url), Database(database_url)]
    services = [service_of(study, server, clock) for server in servers]

    comers = [Walker(services[n % 2], clock, f"p{n}") for n in range(40)]
    for comer in comers:
        comer.enter()
        comer.consent()
        comer.practise(lines=2)
    assert {u.state for u in rows(servers[0], units)} == {"free"}, "who has not practised holds nothing"

    def last(comer: Walker) -> Callable[[], str]:
        return lambda: comer.practise(lines=1).name

    assert Counter(at_once([last(comer) for comer in comers])) == {"topic": 20, "none": 20}
    held = rows(servers[0], units)
    assert {u.state for u in held} == {"held"}
    assert len({u.session for u in held}) == 20
    check_invariants(servers[0], study)
    for server in servers:
        server.close()


def test_one_person_in_many_tabs_gets_one_unit(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards doubled entries: a person who comes ten times at one moment has one unit."""
    service = service_of(study, database, clock)
    person = Person("prolific", "same")
    tokens = {e.token for e in at_once([lambda: service.enter(person) for _ in range(10)])}
    assert len(tokens) == 1
    assert len(rows(database, sessions)) == 1


def test_free_units_in_order_and_no_topic_twice(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the order of units, and that a person who goes on never has a topic again, until none is left."""
    walker = Walker(service_of(study, database, clock), clock)
    had = []
    for _ in range(3):
        assert walker.whole() == PageStep("done")
        had.append(rows(database, sessions, token=walker.token)[0].unit)
    assert had == ["t1u1", "t2u1", "t3u1"]
    assert not walker.page().more
    assert walker.another() == "none"


def test_another_is_one_more_unit(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards `another`: during a unit it is the same one, after it a new one."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    assert walker.service.another(walker.token).token == walker.token
    walker.rest()
    assert walker.page().more
    assert walker.service.another(walker.token).token not in ("", walker.token)


def test_most_units_of_a_person(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards `most`: finished units count, those that ended at the practice do not."""
    study = small_study(tmp_path, people=People(most=1))
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    assert walker.practise(right=False) == PageStep("screened")
    assert walker.whole() == PageStep("done")
    assert not walker.page().more
    assert walker.another() == "none"


def test_who_comes_again_sees_how_it_ended(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the open link after the end: the same page and code, nothing is taken; one more only where asked for."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    code, token = walker.page().code, walker.token
    for _ in range(2):
        assert walker.enter() == ""
        assert (walker.token, walker.page().code, walker.page().more) == (token, code, True)
    assert len(rows(database, sessions)) == 1
    assert walker.another() == ""
    assert walker.token != token
    walker.enter()  # during the second: that one
    assert (len(rows(database, sessions)), walker.step) == (2, PageStep("topic"))
    walker.send(walker.page(PageStep("leave")), "leave", withdraw="no")
    walker.enter()  # nothing came of it, so the first is what there is to see again
    assert (len(rows(database, sessions)), walker.token, walker.page().code) == (2, token, code)
    check_invariants(database, study)


@pytest.fixture
def one_unit(tmp_path: Path) -> JudgingStudy:
    """A study with a single unit: whoever has it keeps all others out."""
    return small_study(tmp_path, topics=1, per_topic=1)


def test_a_lease_that_ran_out_is_renewed_where_nobody_came(
    one_unit: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards who comes back late: what was typed on the old page is shown again, and one more Next counts it."""
    walker = Walker(service_of(one_unit, database, clock), clock)
    walker.to_documents()
    walker.judge()
    page = walker.page()
    clock.go(3601)
    assert walker.send(page, number="12", reason="late") == PageStep("doc", 2)
    assert len(rows(database, answers, kind="item")) == 1
    again = walker.page()
    assert (again.notice, texts(again.fields)) == ("resumed", {"number": "12", "reason": "late"})
    assert again.csrf != page.csrf
    assert walker.send(again, number="12", reason="late") == PageStep("doc", 3)
    check_invariants(database, one_unit)


def test_an_early_return_keeps_the_place(one_unit: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards leases: each step renews them, another comes in vain, and the same person resumes in the same order."""
    service = service_of(one_unit, database, clock)
    walker, other = Walker(service, clock), Walker(service, clock, "w2")
    walker.to_documents()
    for _ in range(3):
        clock.go(3000)
        walker.judge()
    assert other.enter() == "none"
    order = rows(database, sessions)[0].plan["order"]
    token = walker.token
    assert walker.enter() == ""
    assert walker.token == token
    assert rows(database, sessions)[0].plan["order"] == order
    assert walker.page().step == PageStep("doc", 4)


def test_a_unit_is_passed_on_and_late_work_is_kept(one_unit: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the lease's end: another person gets the unit; what comes late is kept, flagged, and no part of a set."""
    service = service_of(one_unit, database, clock)
    slow, fast = Walker(service, clock, "slow"), Walker(service, clock, "fast")
    slow.to_documents()
    slow.judge("30", "saved in time")
    page = slow.page()
    clock.go(3601)
    assert fast.to_topic() == PageStep("topic")
    form = slow.fill(page, number="12", reason="too late")
    assert [slow.post(page.step, form) for _ in range(3)] == [PageStep("passed")] * 3
    received = slow.page().received
    assert [r[1:] for r in received] == [("30", "saved in time", False), ("12", "too late", True)]
    late = rows(database, answers, late=True)
    assert [(a.value, a.revision) for a in late] == [(12.0, 1)]
    session = rows(database, sessions, token=slow.token)[0]
    assert (session.outcome, session.flags, session.code) == ("passed", ["late"], None)
    with pytest.raises(Elsewhere):
        slow.page(PageStep("doc", 2))
    assert slow.page().code == ""
    assert slow.enter() == "none"
    fast.choose()
    assert fast.rest() == PageStep("done")
    check_invariants(database, one_unit)


def test_a_renewal_and_a_claim_at_one_moment(tmp_path: Path, database_url: str, clock: Time) -> None:
    """Guards the moment a lease runs out: holder and comer both reach for the unit, and one of them has it."""
    study = small_study(tmp_path, topics=1, per_topic=1)
    servers = [Database(database_url), Database(database_url)]
    holder, comer = (Walker(service_of(study, s, clock), clock, n) for s, n in zip(servers, "ab", strict=True))
    comer.enter()
    comer.consent()
    comer.practise(lines=2)
    holder.to_topic()
    clock.go(901)

    def back() -> str:
        return holder.service.page(holder.token).step.name

    def come() -> str:
        return comer.practise(lines=1).name

    assert tuple(at_once([back, come])) in {("topic", "none"), ("passed", "topic")}
    check_invariants(servers[0], study)
    for server in servers:
        server.close()


def test_invitations(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards invitations: each is one person, however often it is used, and nobody comes without one."""
    invited = replace(study, people=People("invitation"))
    tokens = OrganizerService(invited, database, clock=clock).invite(2)
    service = service_of(invited, database, clock)
    first = service.enter(Person("open", "x"), invitation=tokens[0])
    assert service.enter(Person("open", "y"), invitation=tokens[0]) == first
    assert service.enter(Person("open", "x"), invitation=tokens[1]).token not in ("", first.token)
    assert service.enter(Person("open", "x"), invitation="forged") == Entered("", "invitation")
    assert service.enter(Person("open", "x")) == Entered("", "invitation")
    stored = " ".join(map(str, [*rows(database, events), *rows(database, sessions)]))
    assert not any(token in stored for token in tokens)


def test_no_id_is_a_preview(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards previews: who has no id yet takes nothing."""
    service: AssessorService = service_of(study, database, clock)
    assert service.enter(Person("mturk", "")) == Entered("", "preview")
    assert rows(database, sessions) == []


def test_a_submission_ends_with_its_unit(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards who comes back through the platform's link: to the code of that submission, also where excluded by now."""
    organizer = OrganizerService(study, database, clock=clock)
    walker = Walker(service_of(study, database, clock), clock)
    walker.person = Person("prolific", "p", about={"session": "one"})
    walker.whole()
    code, token = walker.page().code, walker.token
    clock.go(10)
    assert walker.enter() == ""
    assert (walker.token, walker.page().code) == (token, code)
    organizer.exclude(organizer.assessors()[0].id, "odd")
    assert walker.enter() == ""
    assert walker.token == token
    organizer.readmit(organizer.assessors()[0].id)
    other = walker.service.enter(Person("prolific", "p", about={"session": "two"}))
    assert other.token not in ("", token)
    walker.token = other.token
    walker.send(walker.page(), "decline")
    assert walker.service.another(token).token not in ("", token, other.token)


def test_the_trail_does_not_name_the_submission(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards opaque ids: what a platform sent along is not in the audit trail."""
    service_of(study, database, clock).enter(Person("prolific", "p", about={"session": "platforms-own"}))
    assert "platforms-own" not in str(rows(database, events))
    assert rows(database, sessions)[0].about == {"session": "platforms-own"}


@pytest.mark.slow
def test_nothing_is_held_before_practice_and_little_before_the_first_judgment(
    study: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards an open study: 24 come and consent and hold nothing; who judges nothing keeps a unit for 15 minutes."""
    service = service_of(study, database, clock)
    for n in range(24):
        idle = Walker(service, clock, f"idle{n}")
        assert idle.enter() == ""
        idle.consent()
        idle.practise(lines=2)
    assert {u.state for u in rows(database, units)} == {"free"}
    assert not [e for e in rows(database, events) if e.kind == "claimed"]
    takers = [Walker(service, clock, f"taker{n}") for n in range(6)]
    assert {taker.to_documents() for taker in takers} == {PageStep("doc", 1)}
    clock.go(600)
    page = takers[0].page()
    for _ in range(3):  # what is no judgment keeps nothing
        takers[0].send(page, number="", reason="")
        page = takers[0].page()
    takers[1].judge()
    clock.go(301)
    late = Walker(service, clock, "late")
    assert late.whole() == PageStep("done")
    assert rows(database, sessions, token=takers[0].token)[0].outcome == "passed"
    assert takers[1].rest() == PageStep("done")
    check_invariants(database, study)


def test_who_finds_nothing_free_waits_with_all_that_they_did(
    one_unit: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards the wait after practice: the page says so, and looking again takes the unit that came free."""
    service = service_of(one_unit, database, clock)
    first, second = Walker(service, clock, "first"), Walker(service, clock, "second")
    second.enter()
    second.consent()
    second.practise(lines=2)
    first.to_topic()
    assert second.practise(lines=1) == PageStep("none")
    assert second.page().step == PageStep("none")
    token = second.token
    assert second.enter() == ""
    assert (second.token, second.page().step) == (token, PageStep("none"))
    assert [e.about["why"] for e in rows(database, events) if e.kind == "waits"] == ["none"]
    page = first.page(PageStep("leave"))
    first.send(page, "leave", withdraw="no")
    with pytest.raises(Elsewhere) as other:
        second.page(PageStep("none"))
    assert other.value.step == PageStep("topic")
    second.choose()
    assert second.rest() == PageStep("done")
    check_invariants(database, one_unit)


def test_a_pause_and_an_exclusion_between_practice_and_topic(
    study: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards the organizer's word at the moment of the claim: paused, nobody gets a unit; excluded, never."""
    service, organizer = service_of(study, database, clock), OrganizerService(study, database, clock=clock)
    one, two = Walker(service, clock, "one"), Walker(service, clock, "two")
    for walker in (one, two):
        walker.enter()
        walker.consent()
        walker.practise(lines=2)
    organizer.pause()
    assert one.practise(lines=1) == PageStep("paused")
    organizer.resume()
    assert one.page().step == PageStep("topic")
    organizer.exclude(rows(database, sessions, token=two.token)[0].assessor, "a robot")
    assert two.practise(lines=1) == PageStep("none")
    check_invariants(database, study)


def test_units_held_from_one_address_are_few(tmp_path: Path, database_url: str, clock: Time) -> None:
    """Guards the limit by address: 12 at one moment by two servers get 3; another address and who finished go on."""
    study = small_study(tmp_path, topics=4, per_topic=6)
    servers = [Database(database_url), Database(database_url)]
    services = [AssessorService(study, server, clock=clock, per_address=3) for server in servers]

    def come(name: str, network: str) -> Walker:
        walker = Walker(services[len(name) % 2], clock, name)
        walker.token = walker.service.enter(walker.person, network=network).token
        walker.consent()
        walker.practise(lines=2)
        return walker

    def last(walker: Walker) -> Callable[[], str]:
        return lambda: walker.practise(lines=1).name

    same = [come("p" * n, "203.0.113.7") for n in range(1, 13)]
    got = at_once([last(walker) for walker in same])
    assert Counter(got) == {"topic": 3, "crowded": 9}
    held = [walker for walker, step in zip(same, got, strict=True) if step == "topic"]
    waiting = [walker for walker, step in zip(same, got, strict=True) if step == "crowded"]
    assert last(come("other", "2001:db8::/64"))() == "topic"
    assert last(come("local", ""))() == "topic"
    assert waiting[0].page().step == PageStep("crowded")
    held[0].choose()
    assert held[0].rest() == PageStep("done")
    assert waiting[0].page().step == PageStep("topic")
    assert waiting[1].page().step == PageStep("crowded")
    clock.go(901)  # those who hold judged nothing: others come in their place, and they wait in turn
    for walker in waiting[1:4]:
        assert walker.page().step == PageStep("topic")
    assert held[1].page().step == PageStep("crowded")
    kept = {row.origin for row in rows(servers[0], sessions) if row.outcome}
    assert kept == {None}, "of an address nothing is kept where a session ended"
    assert "203.0.113.7" not in str(rows(servers[0], sessions))
    check_invariants(servers[0], study)
    for server in servers:
        server.close()


@pytest.mark.slow
def test_a_second_address_does_not_lift_the_limit_of_the_first(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards the limit by address against who comes in again from another one: two addresses hold twice as many.

    Who really moves goes on judging, counts at the new address where there is room, and is never sent away.
    """
    study = small_study(tmp_path, topics=4, per_topic=6)
    service = AssessorService(study, database, clock=clock, per_address=2)
    here, there = "203.0.113.7", "2001:db8::/64"

    def come(name: str, network: str) -> Walker:
        walker = Walker(service, clock, name)
        walker.token = service.enter(walker.person, network=network).token
        walker.consent()
        walker.practise()
        return walker

    def again(walker: Walker, network: str) -> str:
        assert service.enter(walker.person, network=network).token == walker.token
        return walker.page().step.name

    came = [come(f"p{n}", here) for n in range(8)]
    for walker in came:
        again(walker, there)
        again(walker, here)
    for walker in [*came, *(come(f"q{n}", here) for n in range(8))]:
        again(walker, there)
    holding = [row for row in rows(database, units) if row.state == "held"]
    assert len(holding) == 4
    held = [walker for walker in came if walker.page().step == PageStep("topic")]
    assert len(held) == 4
    for walker in held:  # wherever they are by now, what they hold is theirs
        assert again(walker, "198.51.100.4") == "topic"
        assert again(walker, there) == "topic"
    held[0].choose()
    again(held[0], there)
    assert held[0].rest() == PageStep("done")
    clock.go(901)  # who holds nothing any more counts where they are, and waits where it is full
    assert [again(walker, here) for walker in held[1:]] == ["topic", "topic", "crowded"]
    check_invariants(database, study)


def test_a_slow_first_judgment_counts_where_nobody_came(
    one_unit: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards who reads for half an hour before the first judgment: the unit could be taken, was not, and it counts."""
    walker = Walker(service_of(one_unit, database, clock), clock)
    walker.to_documents()
    page = walker.page()
    clock.go(1800)
    assert walker.send(page, number="12", reason="slow") == PageStep("doc", 2)
    clock.go(3500)
    other = Walker(walker.service, clock, "other")
    assert other.enter() == "none"
    assert walker.rest().name in ("done", "revise")
    check_invariants(database, one_unit)


def one_by_one(tmp_path: Path, *, docs: int = 6, judgments: int = 1, others: int = 2) -> JudgingStudy:
    """A study of labels, a document a unit, in which people may see a topic again."""
    rules, people = Rules(seconds=0, others=others), People(most_of_topic=None)
    return simulated_study(
        tmp_path / "labels", task="graded", topics=2, docs=docs, judgments=judgments, size=1, rules=rules, people=people
    )


def judged(service: AssessorService, clock: Time, name: str, cannot: bool = False) -> tuple[str, str]:
    """Someone takes one unit and judges its document, or says that they cannot; the unit, or why there is none."""
    walker = Walker(service, clock, name)
    if reason := walker.enter():
        return "", reason
    if walker.step.name == "done" and (reason := walker.another()):
        return "", reason
    if walker.step.name == "consent":
        walker.consent()
    page = walker.page()
    if page.options:
        right = service.study.topics[rows(service.database, sessions, token=walker.token)[0].topic].question
        assert right is not None
        page = walker.page()
        value = next(v for v, text in page.options if text == right.options[right.right])
        walker.send(page, choice=value)
    elif page.step.name == "topic":
        walker.send(page)
    page = walker.page()
    walker.send(page, "cannot", cannot="unclear") if cannot else walker.send(page, label="2", reason="because")
    assert walker.step.name == "done"
    return rows(service.database, sessions, token=walker.token)[0].unit, ""


@pytest.mark.slow
def test_a_team_of_three_judges_a_whole_list(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards teams: where topics may be seen again three people give two labels to each of 12 documents, none twice."""
    study = one_by_one(tmp_path, judgments=2)
    service = service_of(study, database, clock)
    turns = ["p1", "p2", "p3"] * 12
    for name in turns:
        judged(service, clock, name)
    assert {u.state for u in rows(database, units)} == {"done"}
    assert judged(service, clock, "p1") == ("", "none")
    check_invariants(database, study)


def test_most_of_a_topic(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards the setting between once and always: two units of each of two topics, and no more."""
    study = one_by_one(tmp_path)
    service = service_of(replace(study, people=People(most_of_topic=2)), database, clock)
    had = [judged(service, clock, "p1") for _ in range(5)]
    assert [bool(unit) for unit, _ in had] == [True] * 4 + [False]
    assert Counter(row.topic for row in rows(database, sessions)) == {"1": 2, "2": 2}


def test_what_one_cannot_judge_goes_to_others(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards the list: a document goes to as many others as the rules say, to nobody twice, and then to no more."""
    study = one_by_one(tmp_path, others=2)
    service = service_of(study, database, clock)
    first = judged(service, clock, "p1", cannot=True)[0]
    assert [u.id for u in rows(database, units) if u.id not in {v.id for v in study.units}] == [f"{first}+1"]
    second = judged(service, clock, "p1")[0]
    assert second not in (first, f"{first}+1")
    assert judged(service, clock, "p2", cannot=True)[0] == f"{first}+1"
    assert judged(service, clock, "p2")[0] != f"{first}+2"
    assert judged(service, clock, "p3", cannot=True)[0] == f"{first}+2"
    assert judged(service, clock, "p4")[0] in {u.id for u in study.units}
    ids = {u.id for u in rows(database, units)}
    assert {u for u in ids if u.startswith(f"{first}+")} == {f"{first}+1", f"{first}+2"}
    assert [e.about["unit"] for e in rows(database, events, kind="others")] == [f"{first}+1", f"{first}+2"]
    again = service_of(study, database, clock)  # as after a new start
    assert judged(again, clock, "p5")[0]
    check_invariants(database, study)


def test_no_model_is_given_what_is_for_others(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards places: models judge the study's own units beside people, never those made for one more person."""
    study = one_by_one(tmp_path, docs=3)
    service = service_of(study, database, clock)
    judged(service, clock, "p1", cannot=True)
    model = Person("model", "m1", "model")
    for _ in study.units:
        page = service.page(service.enter(model).token)
        token = rows(database, sessions, outcome=None)[0].token
        service.send(
            token, page.step, {"csrf": page.csrf, "once": page.once, "action": "next", "label": "1", "reason": "x"}
        )
    assert service.enter(model).reason == "none"
    models = [s.unit for s in rows(database, sessions) if s.beside]
    assert sorted(models) == sorted(u.id for u in study.units)


@pytest.mark.few(3)
@pytest.mark.parametrize("most", [1, 2, None])
@pytest.mark.parametrize("cannot", [False, True])
def test_who_takes_another_unit_than_they_began_with_has_its_turn(
    tmp_path: Path, database: Database, clock: Time, most: int | None, cannot: bool
) -> None:
    """Guards units that others took meanwhile: unit, topic and turn change together; who only began had no document."""
    study = replace(one_by_one(tmp_path, docs=3), people=People(most_of_topic=most))
    service = service_of(study, database, clock)
    walker = Walker(service, clock, "p1")
    walker.enter()
    (began,) = rows(database, sessions, token=walker.token)
    others = [judged(service, clock, f"q{n}", cannot=cannot)[0] for n in range(1 if cannot else 3)]
    assert others[0] == began.unit
    walker.consent()
    (took,) = rows(database, sessions, token=walker.token)
    assert took.state == "topic"
    if cannot:
        assert took.unit == f"{began.unit}+1"
    else:
        assert (began.topic, took.topic) == ("1", "2")
    assert took.turn == (took.topic if most == 1 else took.unit)
    check_invariants(database, study)


def test_who_left_before_they_took_a_unit_may_have_it(one_unit: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards second thoughts: who declined comes again and judges the only unit; it was kept from them for good."""
    walker = Walker(service_of(one_unit, database, clock), clock, "p1")
    walker.enter()
    assert walker.send(walker.page(), "decline") == PageStep("declined")
    assert walker.whole() == PageStep("done")
    assert [row.outcome for row in rows(database, sessions)] == ["declined", "done"]
    assert walker.another() == "none"
    check_invariants(database, one_unit)


def test_a_unit_for_others_made_at_the_moment_of_a_claim(
    tmp_path: Path, database: Database, clock: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards documents: a unit that was made while someone claims is looked at again before it is given to them."""
    study = one_by_one(tmp_path, docs=3)
    service = service_of(study, database, clock)
    first = judged(service, clock, "p1", cannot=True)[0]
    walker = Walker(service, clock, "p1")
    walker.enter()
    with monkeypatch.context() as patch:  # asked for consent, so that others come between
        patch.setattr("truegain.judging.workflow.assessor.has_consented", lambda _, __: False)
        assert walker.another() == ""
    assert judged(service, clock, "p2", cannot=True)[0] == f"{first}+1"
    for _ in study.units[1:]:
        assert judged(service, clock, "p2")[0]
    assert [u.id for u in rows(database, units) if u.state == "free"] == [f"{first}+2"]
    found, blind = assignment.units_for_others, iter((True,))  # for what is free; what is found is looked at again
    monkeypatch.setattr(assignment, "units_for_others", lambda work: [] if next(blind, False) else found(work))
    walker.consent()
    assert walker.step == PageStep("none")
    assert next(blind, None) is None
    check_invariants(database, study)


def test_who_consented_goes_on(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards 440 consents for 440 documents: one more set is taken at once, after consent and practice that stay."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    assert (walker.another(), walker.step) == ("", PageStep("topic"))
    (took,) = rows(database, sessions, token=walker.token)
    assert [u.session for u in rows(database, units, state="held")] == [took.id]
    assert kinds(database, walker.token) == ["began", "goes_on", "claimed"]
    check_invariants(database, study)
    walker.choose()
    assert walker.rest() == PageStep("done")
    walker.send(walker.page(PageStep("leave")), "leave", withdraw="yes")
    assert (walker.another(), walker.step) == ("", PageStep("consent")), "what was taken back was consent, too"
    walker.consent()
    assert walker.practise() == PageStep("topic")
    assert len(rows(database, events, kind="consented")) == 2
    check_invariants(database, study)


def test_who_failed_the_practice_practises_again(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the practice: consent alone does not lead past it."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    assert walker.practise(right=False) == PageStep("screened")
    assert (walker.another(), walker.step) == ("", PageStep("consent"))
    walker.consent()
    assert walker.step == PageStep("practice", 1)
    check_invariants(database, study)


def test_consent_is_asked_again_for_other_words(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards what people agreed to: a study that is worded otherwise, and who left, ask again."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    other = replace(study, words=replace(study.words, texts={"consent.kept": "We publish your name."}))
    anew = Walker(service_of(other, database, clock), clock)
    anew.token = walker.token
    assert (anew.another(), anew.step) == ("", PageStep("consent"))
    anew.send(anew.page(PageStep("leave")), "leave", withdraw="no")
    assert (walker.another(), walker.step) == ("", PageStep("consent")), "who left is asked again"


def test_who_takes_a_set_back_while_they_wait_is_asked_again(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards a set that waits for a place: no unit is claimed after consent was taken back."""
    study = small_study(tmp_path)
    service = AssessorService(study, database, clock=clock, per_address=1)
    one, two = Walker(service, clock, "p1"), Walker(service, clock, "p2")
    one.whole()
    first = one.token
    two.token = service.enter(two.person, network="n").token
    two.consent()
    two.practise()
    waits = service.another(one.token, network="n").token
    two.send(two.page(PageStep("leave")), "leave", withdraw="no")
    one.send(one.page(PageStep("leave")), "leave", withdraw="yes")
    assert one.token == first
    one.token = waits
    assert one.page().step == PageStep("consent")
    assert not rows(database, units, state="held")
    check_invariants(database, study)


def test_failed_practice_bars_a_topic_also_once_it_is_taken_back(
    one_unit: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards practice: taking back what failed opens no further try."""
    walker = Walker(service_of(one_unit, database, clock), clock)
    walker.enter()
    walker.consent()
    assert walker.practise(right=False) == PageStep("screened")
    walker.send(walker.page(PageStep("leave")), "leave", withdraw="yes")
    assert walker.another() == "none"


def test_the_organizer_takes_back_consent_for_a_person(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards a wish that came by mail: who had all erased is asked again."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    OrganizerService(study, database, clock=clock).withdraw(rows(database, sessions)[0].assessor)
    assert (walker.another(), walker.step) == ("", PageStep("consent"))


def test_the_next_unit_of_a_topic_begins_at_its_document(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards a list judged one by one: of the same topic its document comes next, of another the topic, all once."""
    study = one_by_one(tmp_path, docs=3)
    service = service_of(study, database, clock)
    walker = Walker(service, clock, "p1")
    judged(service, clock, "p1")
    walker.enter()
    led = []
    while not walker.another():
        led.append(walker.step)
        check_invariants(database, study)
        judged(service, clock, "p1")
        if len(led) == 1:  # topics come in turn, unless someone else has the next
            judged(service, clock, "p2")
    mine = rows(database, sessions, token=walker.token)[0].assessor
    claims = sorted(rows(database, events, kind="claimed", assessor=mine), key=lambda event: event.id)
    topics = [event.about["topic"] for event in claims]
    assert len(topics) == 5
    same = [a == b for a, b in pairwise(topics)]
    assert led == [PageStep("doc", 1) if known else PageStep("topic") for known in same]
    assert {True, False} == set(same)
    assert len(rows(database, events, kind="consented", assessor=mine)) == 1
    assert len(rows(database, answers, kind="item")) == 6


def test_a_new_question_is_asked_though_the_topic_is_known(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards a question that the organizer changed between two sets of a topic."""
    study = small_study(tmp_path, topics=1, people=People(most_of_topic=None))
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    topic = study.topics["t1"]
    assert topic.question is not None
    new = replace(topic, question=replace(topic.question, asked="Which one?"))
    walker.service = service_of(replace(study, topics={"t1": new}), database, clock)
    assert (walker.another(), walker.step) == ("", PageStep("topic"))
    check_invariants(database, study)


@pytest.mark.slow
def test_forty_who_go_on_at_one_moment(tmp_path: Path, database_url: str, clock: Time) -> None:
    """Guards the last slot for those who go on: 40 ask for one more at once, by two servers; 20 get one, none two."""
    study = small_study(tmp_path, topics=2, per_topic=30)
    servers = [Database(database_url), Database(database_url)]
    services = [service_of(study, server, clock) for server in servers]
    comers = [Walker(services[n % 2], clock, f"p{n}") for n in range(40)]
    for comer in comers:
        comer.whole()
    assert sum(u.state == "free" for u in rows(servers[0], units)) == 20

    def more(comer: Walker) -> Callable[[], tuple[str, str]]:
        return lambda: (comer.another(), comer.step.name)

    ended = at_once([more(comer) for comer in comers])
    held = [u for u in rows(servers[0], units) if u.state == "held"]
    assert sum(step == "topic" for _, step in ended) == len(held) == len({u.session for u in held})
    assert {step for _, step in ended} <= {"topic", "none", "done"}
    check_invariants(servers[0], study)
    for server in servers:
        server.close()


def test_one_person_who_goes_on_in_many_tabs_gets_one_unit(
    study: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards a button pressed ten times at one moment: one more set, and one unit held."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    given = at_once([lambda: walker.service.another(walker.token) for _ in range(10)])
    assert len({entered.token for entered in given}) == 1
    assert (len(rows(database, sessions)), len(rows(database, units, state="held"))) == (2, 1)
    check_invariants(database, study)


def test_who_goes_on_counts_at_their_address(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards the limit of an address: one more set is none of those that it may hold beside it."""
    study = small_study(tmp_path)
    service = AssessorService(study, database, clock=clock, per_address=1)
    one, two = Walker(service, clock, "p1"), Walker(service, clock, "p2")
    one.whole()
    two.token = service.enter(two.person, network="n").token
    two.consent()
    assert two.practise() == PageStep("topic")
    one.token = service.another(one.token, network="n").token
    assert (one.step, len(rows(database, units, state="held"))) == (PageStep("crowded"), 1)
    two.send(two.page(PageStep("leave")), "leave", withdraw="no")
    assert one.page().step == PageStep("topic")
    check_invariants(database, study)
