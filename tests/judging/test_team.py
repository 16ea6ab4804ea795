"""A team labels a list: rows in its order, leases, second people, corrections, and what nobody could judge."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event, Thread, Timer

import pytest
from sqlalchemy import Connection, select

from tests.judging.teaming import LEASE, Member, check_team, doc_of, listed, team_of, team_study
from tests.judging.walking import Time, rows
from truegain.judging.labels import ListedLabels, labels_of_list, labels_version
from truegain.judging.store.database import Database, guard_corrections
from truegain.judging.store.schema import answers, events, sessions, units
from truegain.judging.study.units import is_doubled, rows_as_units
from truegain.judging.tasks.base import Item
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.pausing import pause, resume
from truegain.judging.workflow.steps import Elsewhere, PageStep
from truegain.judging.workflow.team import correct

UNDO = PageStep("undo")


def test_stream(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the stream: consent once, then row after row in the order of the list, whatever the topic."""
    study = team_study(tmp_path, rows=5)
    _, (one,) = team_of(study, database, clock, "p1")
    assert one.step == PageStep("doc", 1)
    assert [one.label() for _ in range(5)] == ["d00", "d01", "d02", "d03", "d04"]
    page = one.page()
    assert page.step.name == "none"
    assert page.team is not None
    assert (page.team.own, page.team.team, page.team.top, page.team.rows) == (5, 5, 5, 5)
    assert [row.kind for row in rows(database, events)].count("consented") == 1
    found = listed(database, study)
    assert (found.top, found.total, [label.labels for label in found.labels]) == (5, 5, [(2.0,)] * 5)
    check_team(database, study)


def test_order_of_three(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the list's order: three people hold three rows, and whoever is ready gets the next."""
    study = team_study(tmp_path)
    _, team = team_of(study, database, clock, "p1", "p2", "p3")
    assert [doc_of(member.page()) for member in team] == ["d00", "d01", "d02"]
    assert team[1].label() == "d01"
    assert doc_of(team[1].page()) == "d03"
    found = listed(database, study)
    assert found.top == 0
    assert [(label.doc, label.labels) for label in found.labels] == [("x00", ()), ("x01", (2.0,))]
    team[0].label("0")
    assert listed(database, study).top == 2


def test_lease_runs_out(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the top: a row whose holder is away goes to who asks next, before later rows; the late label is kept."""
    study = team_study(tmp_path)
    _, (one, two) = team_of(study, database, clock, "p1", "p2")
    late = one.page()
    clock.go(LEASE - 1)
    assert two.label() == "d01"
    assert doc_of(two.page()) == "d02"
    clock.go(2)
    two.label()
    assert doc_of(two.page()) == "d00"
    one.send(late, label="1")
    page = one.page()
    assert (doc_of(page), page.notice) == ("d03", "passed")
    assert two.label("3") == "d00"
    found = listed(database, study)
    assert found.labels[0].labels == (3.0,), "the late label does not count"
    assert [row.late for row in rows(database, answers, typed="1")] == [True]
    check_team(database, study)


def test_slow_alone(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards slow readers: nobody wanted the row meanwhile, so the label counts."""
    study = team_study(tmp_path)
    _, (one,) = team_of(study, database, clock, "p1")
    page = one.page()
    clock.go(20 * LEASE)
    one.send(page, label="1")
    assert listed(database, study).labels[0].labels == (1.0,)


def test_signs_of_life(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards who reads long: signs of life keep the row, for so long and no longer; others are told, without a name."""
    study = team_study(tmp_path)
    service, (one, two) = team_of(study, database, clock, "p1", "p2")
    one.page()
    for _ in range(9):
        clock.go(LEASE - 5)
        assert service.beat(one.token)
        assert two.label() != "d00"
        two.page()
    seen = two.page().team
    assert seen is not None
    assert (seen.waits, seen.top, seen.below) == ("someone", 0, 9)
    assert seen.waited == 9 * (LEASE - 5)
    mine = one.page().team
    assert mine is not None
    assert mine.waits == "you"
    for _ in range(4):
        clock.go(LEASE - 5)
        service.beat(one.token)
    two.label()
    assert doc_of(two.page()) == "d00", "ten minutes are enough"
    assert not service.beat(one.token)


def test_pause_hands_back(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards Pause: the row is the next that anybody gets, and may be the same person's again."""
    study = team_study(tmp_path)
    _, (one, two) = team_of(study, database, clock, "p1", "p2")
    assert one.send(action="pause").name == "away"
    assert one.step.name == "away", "looking again takes nothing"
    two.label()
    assert doc_of(two.page()) == "d00"
    assert two.send(action="pause").name == "away"
    assert one.send(action="next") == PageStep("doc", 1)
    assert one.label() == "d00"
    assert len(rows(database, events, kind="consented")) == 2
    check_team(database, study)


def test_doubled(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards second people: a doubled row needs two, nobody is both, and it counts when both labels are there."""
    study = team_study(tmp_path, rows=3, double=1.0)
    _, (one, two) = team_of(study, database, clock, "p1", "p2")
    assert [doc_of(m.page()) for m in (one, two)] == ["d00", "d00"]
    one.label("3")
    assert listed(database, study).top == 0
    one.label("3")
    seen = one.page().team
    assert seen is not None
    assert seen.waits == "", "the second person is at it"
    one.label("3")
    assert one.page().step.name == "none"
    assert [two.label("1") for _ in range(3)] == ["d00", "d01", "d02"]
    found = listed(database, study)
    assert (found.top, found.total) == (3, 6)
    assert all(set(label.labels) == {1.0, 3.0} for label in found.labels)
    check_team(database, study)


def test_waits_for_second(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards a list that nobody there can go on with: the page says that another person is needed."""
    study = team_study(tmp_path, rows=4, double=1.0)
    _, (one,) = team_of(study, database, clock, "p1")
    one.label()
    one.label()
    seen = one.page().team
    assert seen is not None
    assert (seen.waits, seen.top, seen.below) == ("other", 0, 1)


def test_which_are_doubled() -> None:
    """Guards the draw: by the row alone, about the share, and a larger share has the smaller within."""
    docs = [(str(t), f"d{i}") for t in range(20) for i in range(50)]
    tenth = {row for row in docs if is_doubled(*row, 0.1)}
    assert 70 <= len(tenth) <= 130
    assert tenth < {row for row in docs if is_doubled(*row, 0.2)}
    items = {"1": [Item((d,)) for d in "abcdef"]}
    ranks = {("1", d): place for place, d in enumerate("abcdef")}
    twice = {u.id.removesuffix("-2") for u in rows_as_units(items, 0.5, ranks) if u.id.endswith("-2")}
    back = {("1", d): 5 - place for place, d in enumerate("abcdef")}
    assert twice == {u.id.removesuffix("-2") for u in rows_as_units(items, 0.5, back) if u.id.endswith("-2")}
    assert [u.items[0].docs[0] for u in rows_as_units(items, 0.0, back)] == list("fedcba")


def test_more_doubled_later(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards a share that is raised while people label: second units stand at their rows, not at the end."""
    study = team_study(tmp_path, rows=6)
    _, (one, _) = team_of(study, database, clock, "p1", "p2")
    one.label()
    both = team_study(tmp_path, rows=6, double=1.0)
    _, (two,) = team_of(both, database, clock, "p2")
    assert {row.id: row.place for row in rows(database, units)} == {u.id: int(both_place(u.id)) for u in both.units}
    two.label()
    assert doc_of(two.page()) == "d00"


def both_place(unit: str) -> int:
    """The row of a unit of a study whose three topics take turns."""
    topic, serial = unit.split("-")[:2]
    return 3 * (int(serial) - 1) + int(topic[1:]) - 1


# ---------------------------------------------------------------------- corrections


def test_undo(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards Undo: the last label is shown with its document, another counts in its place, and both are kept."""
    study = team_study(tmp_path)
    _, (one,) = team_of(study, database, clock, "p1")
    one.label("1")
    one.label("2")
    at = one.page()
    assert at.team is not None
    assert at.team.undo == "2"
    page = one.page(UNDO)
    assert (doc_of(page), page.fields["label"]) == ("d01", "2")
    before = labels_version(database)
    assert one.send(page, UNDO, label="0") == PageStep("doc", 1)
    assert labels_version(database) > before
    now = one.page()
    assert (doc_of(now), now.notice) == ("d02", "corrected"), "the row that they were at is still theirs"
    assert [label.labels for label in listed(database, study).labels] == [(1.0,), (0.0,)]
    kept = [(row.revision, row.typed) for row in rows(database, answers) if row.kind == "item"]
    assert sorted(kept) == [(1, "1"), (1, "2"), (2, "0")]
    one.send(page, UNDO, label="3")
    assert listed(database, study).labels[1].labels == (0.0,), "the same page sent again changes nothing"
    one.send(now, label="3")
    one.send(page, UNDO, label="3")
    assert listed(database, study).labels[1].labels == (0.0,), "nor does a page of a label that is not the last"
    check_team(database, study)


def test_undo_stays(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards a change of mind: to leave the label as it is changes nothing."""
    study = team_study(tmp_path)
    _, (one,) = team_of(study, database, clock, "p1")
    one.label("1")
    assert one.send(one.page(UNDO), UNDO, action="stay") == PageStep("doc", 1)
    assert len([row for row in rows(database, answers) if row.kind == "item"]) == 1


def test_undo_at_the_end(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the last row of all: it can be corrected, though there is no next one."""
    study = team_study(tmp_path, rows=1)
    _, (one,) = team_of(study, database, clock, "p1")
    one.label("1")
    assert one.page().step.name == "none"
    one.send(one.page(UNDO), UNDO, label="3")
    assert listed(database, study).labels[0].labels == (3.0,)


def test_undo_cannot(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards 'cannot judge' undone: nobody else is asked any more, unless someone has been given the row."""
    study = team_study(tmp_path)
    _, (one, two) = team_of(study, database, clock, "p1", "p2")
    one.cannot()
    assert len(rows(database, units)) == 13
    one.send(one.page(UNDO), UNDO, label="2")
    assert len(rows(database, units)) == 12
    assert listed(database, study).top == 1
    one.cannot()
    one.send(one.page(UNDO), UNDO, label="1")
    one.send(one.page(UNDO), UNDO, cannot="language")
    assert len(rows(database, units)) == 13
    two.label()
    assert doc_of(two.page()) == "d02", "which the first could not judge"
    seen = one.page().team
    assert seen is not None
    assert seen.undo == ""
    with pytest.raises(Exception, match="go to"):
        one.page(UNDO)
    assert one.page().notice == "too_late"
    two.label("3")
    assert listed(database, study).labels[2].labels == (None, 3.0)
    check_team(database, study)


def test_undo_after_decision(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards a decision: what it was made of does not change after it."""
    study = team_study(tmp_path)
    _, (one,) = team_of(study, database, clock, "p1")
    one.label("1")
    page = one.page(UNDO)
    database.write(lambda c: pause(c, "known"))
    one.send(page, UNDO, label="3")
    assert listed(database, study).labels[0].labels == (1.0,)
    database.write(resume)
    one.send(page, UNDO, label="3")
    assert listed(database, study).labels[0].labels == (3.0,)


def test_a_decision_waits_for_a_correction(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards what a decision is made of: a correction that began before it is seen by it, though stored later."""
    study = team_study(tmp_path)
    service, (one,) = team_of(study, database, clock, "p1")
    one.label("1")
    form = one.form(one.page(UNDO), label="3")
    began, ends = Event(), Event()

    def corrects(connection: Connection) -> None:
        correct(service.work(connection), one.token, form)
        began.set()
        ends.wait(10)

    def decides(connection: Connection) -> ListedLabels:
        guard_corrections(connection)
        return labels_of_list(connection, study)

    thread = Thread(target=lambda: database.write(corrects))
    thread.start()
    assert began.wait(10)
    Timer(0.3, ends.set).start()
    assert database.write(decides).labels[0].labels == (3.0,)
    thread.join(10)


def test_undo_whose_answer_was_lost(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards what a person is told: a correction that counts and is sent again did not come too late."""
    study = team_study(tmp_path)
    _, (one, two) = team_of(study, database, clock, "p1", "p2")
    one.label("1")
    page = one.page(UNDO)
    one.send(page, UNDO, cannot="language")
    two.label()
    assert doc_of(two.page()) == "d00", "so it can no longer be changed"
    one.send(page, UNDO, cannot="language")
    assert one.page().notice == "corrected"
    kept = [row.typed or row.cannot for row in rows(database, answers) if row.kind == "item"]
    assert sorted(kept) == ["1", "2", "language"]
    one.send(page, UNDO, label="3")
    assert one.page().notice == "too_late", "another correction did"


def test_undo_whose_answer_was_lost_before_it_was_known(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the same across a pause that is taken back, as by a process after one that was killed."""
    study = team_study(tmp_path)
    _, (one,) = team_of(study, database, clock, "p1")
    one.label("1")
    page = one.page(UNDO)
    one.send(page, UNDO, label="3")
    database.write(lambda c: pause(c, "known"))
    one.send(page, UNDO, label="3")
    database.write(resume)
    assert one.page().notice == "corrected"
    assert listed(database, study).labels[0].labels == (3.0,)


# ---------------------------------------------------------------------- cannot judge


def test_cannot_goes_to_another(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards 'cannot judge': the row goes to the next person at once, and waits for nobody who is not there."""
    study = team_study(tmp_path, number=2)
    _, (one, two) = team_of(study, database, clock, "p1", "p2")
    assert one.cannot() == "d00"
    assert listed(database, study).top == 0
    two.label()
    assert doc_of(two.page()) == "d00"
    two.cannot()
    found = listed(database, study)
    assert (found.labels[0].labels, found.top) == ((None, None), 2), "of two people both were asked"
    one.label()
    check_team(database, study)


# ---------------------------------------------------------------------- pauses


def test_known(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the end: who is at a document sees that it is known, and a label that was on its way is stored."""
    study = team_study(tmp_path)
    service, (one, two) = team_of(study, database, clock, "p1", "p2")
    page = one.page()
    database.write(lambda c: pause(c, "known"))
    shown = two.page()
    assert (shown.step.name, shown.reason) == ("paused", "known")
    assert not service.beat(two.token)
    one.send(page, label="2")
    assert listed(database, study).labels[0].labels == (2.0,)
    shown = one.page()
    assert (shown.step.name, shown.reason) == ("paused", "known")
    assert Member(service, "p3").come() == "known"
    assert Member(service, "p1").come() == "", "who was there is led to their page"
    database.write(resume)
    assert doc_of(two.page()) == "d01"
    assert doc_of(one.page()) == "d02"


def test_paused_by_organizer(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the organizer's pause: the document at hand may be labeled, and no next one comes."""
    study = team_study(tmp_path)
    _, (one,) = team_of(study, database, clock, "p1")
    organizer = OrganizerService(study, database, clock=clock)
    organizer.pause()
    assert organizer.paused
    assert one.page().step.name == "doc"
    one.label()
    shown = one.page()
    assert (shown.step.name, shown.reason) == ("paused", "organizer")
    organizer.resume()
    assert doc_of(one.page()) == "d01"
    assert [row.about for row in rows(database, events, kind="paused")] == [{}]


def test_pauses_say_why(database: Database) -> None:
    """Guards reasons: one of three, told once."""
    with pytest.raises(Exception, match="cannot pause for 'tired'"):
        database.write(lambda c: pause(c, "tired"))  # type: ignore[arg-type]
    for _ in range(2):
        database.write(lambda c: pause(c, "given-up"))
    database.write(lambda c: pause(c, "known"))
    database.write(resume)
    database.write(resume)
    told = [(row.kind, row.about) for row in rows(database, events)]
    assert told == [("paused", {"why": "given-up"}), ("paused", {"why": "known"}), ("resumed", {})]


def test_withdrawn_and_excluded(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards labels that no longer count: the rows are given out again, first, and the version tells."""
    study = team_study(tmp_path)
    _, (one, two) = team_of(study, database, clock, "p1", "p2")
    one.label()
    two.label()
    one.label()
    before = labels_version(database)
    page = one.page(PageStep("leave"))
    one.send(page, PageStep("leave"), action="leave", withdraw="yes")
    assert labels_version(database) != before
    found = listed(database, study)
    assert (sum(len(row.labels) for row in found.labels), found.total) == (1, 3), "all were given, and paid for"
    two.label()
    assert doc_of(two.page()) == "d00"
    before = labels_version(database)
    who = rows(database, sessions, token=two.token)[0].assessor
    OrganizerService(study, database, clock=clock).exclude(who, "tries")
    assert labels_version(database) != before
    assert not listed(database, study).labels
    assert listed(database, study).total == 4


@pytest.mark.parametrize("leaves", ["excluded", "withdrawn"])
def test_who_is_gone_holds_nothing_up(leaves: str, database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the list: a second label that only someone who is gone could give is not waited for."""
    study = team_study(tmp_path, rows=4, double=1.0, number=2)
    _, (one, two) = team_of(study, database, clock, "p1", "p2")
    for _ in range(4):
        one.label()
    two.label()
    organizer = OrganizerService(study, database, clock=clock)
    assert listed(database, study).top == 1
    assert organizer.working().waiting
    who = rows(database, sessions, token=two.token)[0].assessor
    if leaves == "excluded":
        organizer.exclude(who, "tries")
    else:
        organizer.withdraw(who)
    found = listed(database, study)
    assert (found.top, found.total) == (4, 5)
    assert organizer.working().waiting == 0
    if leaves == "excluded":
        organizer.readmit(who)
        assert listed(database, study).top == 1, "who is back is asked again"


def test_someone_else_gets_the_row(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards second labels: with a third person the row of who was excluded is theirs, and is waited for."""
    study = team_study(tmp_path, rows=3, double=1.0, number=3)
    _, (one, two, three) = team_of(study, database, clock, "p1", "p2", "p3")
    one.label()
    two.label()
    who = rows(database, sessions, token=two.token)[0].assessor
    OrganizerService(study, database, clock=clock).exclude(who, "tries")
    assert listed(database, study).top == 0
    three.label()  # the row that they were at
    assert doc_of(three.page()) == "d00"
    three.label()
    assert listed(database, study).top >= 1


def test_who_came_later_is_waited_for(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards second labels: who was invited in place of someone excluded counts, so that a row still has two."""
    study = team_study(tmp_path, rows=3, double=1.0, number=2)
    _, (one, two, _) = team_of(study, database, clock, "p1", "p2", "p3")
    for _ in range(3):
        one.label()
    who = rows(database, sessions, token=two.token)[0].assessor
    OrganizerService(study, database, clock=clock).exclude(who, "tries")
    assert listed(database, study).top == 0


# ---------------------------------------------------------------------- three people at random


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(6))
def test_three_at_random(seed: int, database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the rules under three people of random speed who pause, undo, cannot judge and walk away."""
    draws = Random(seed)
    study = team_study(tmp_path, rows=24, double=0.5, number=3)
    _, team = team_of(study, database, clock, "p1", "p2", "p3")
    speed = {member.name: draws.uniform(5, 40) for member in team}
    ready = {member.name: clock.now + draws.expovariate(1 / speed[member.name]) for member in team}
    for _ in range(400):
        member = min(team, key=lambda one: ready[one.name])
        clock.now = max(clock.now, ready[member.name])
        act(member, draws)
        check_team(database, study)
        wait = 3 * LEASE if draws.random() < 0.05 else draws.expovariate(1 / speed[member.name])
        ready[member.name] = clock.now + wait
        if listed(database, study).top == 24:
            break
    found = listed(database, study)
    assert found.top == 24, "the list is complete"
    wanted = Counter({row: len(study.holding[row]) for row in study.holding})
    for label in found.labels:
        cannot = sum(value is None for value in label.labels)
        assert len(label.labels) == min(3, wanted[label.topic, label.doc] + min(2, cannot))


def act(member: Member, draws: Random) -> None:
    """What someone does at their page."""
    page, luck = member.page(), draws.random()
    if page.step.name == "away":
        member.send(page, action="next")
    elif page.step.name == "doc" and luck < 0.08:
        member.send(page, action="pause")
    elif page.step.name == "doc" and luck < 0.16:
        member.cannot(page)
    elif page.team is not None and page.team.undo and luck < 0.24:
        fields = {"cannot": "other"} if draws.random() < 0.3 else {"label": "1"}
        member.send(member.page(UNDO), UNDO, **fields)
    elif page.step.name == "doc" and luck > 0.3:
        member.label(str(draws.randrange(4)), page)


@pytest.mark.slow
def test_top_is_never_left_behind(database: Database, clock: Time, tmp_path: Path) -> None:
    """Guards the unbroken top: whoever asks is given the first row that they may have, at every moment."""
    study, draws = team_study(tmp_path, rows=15, number=3), Random(5)
    _, team = team_of(study, database, clock, "p1", "p2", "p3")
    for _ in range(60):
        member = draws.choice(team)
        page = member.page()
        if page.step.name != "doc":
            clock.go(LEASE + 1)
            continue
        clock.go(draws.choice((5.0, 20.0, LEASE + 1)))
        mine = doc_of(page)
        allowed = [row for row in open_rows(database, clock) if f"d{row:02d}" not in (mine, *member.had)]
        member.label("1", page)
        after = member.page()
        assert ([doc_of(after)] if after.step.name == "doc" else []) == [f"d{row:02d}" for row in sorted(allowed)[:1]]
    assert listed(database, study).top == 15


def open_rows(database: Database, clock: Time) -> list[int]:
    """Rows that are free, or whose lease ran out."""
    going = {row.id: row.lease for row in database.read(lambda c: c.execute(select(sessions)).all())}
    return [
        row.place
        for row in rows(database, units)
        if row.state == "free" or (row.state == "held" and going[row.session] < clock.now)
    ]


@pytest.mark.slow
def test_three_threads(database: Database, tmp_path: Path) -> None:
    """Guards what happens at one moment: three people press at once, again and again, and the rules hold."""
    study = team_study(tmp_path, rows=30, double=0.5, number=3, lease=3600.0)
    _, team = team_of(study, database, Time(), "p1", "p2", "p3")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(_until_none, team, range(3)))
    for member in team:
        _until_none(member, 0)
    check_team(database, study)
    found = listed(database, study)
    assert found.top == 30
    assert found.total >= len(study.units)


def _until_none(member: Member, seed: int) -> None:
    """Label, undo, pause and say that one cannot, until there is nothing left."""
    draws = Random(seed)
    while (page := member.page()).step.name in ("doc", "away"):
        luck = draws.random()
        if page.step.name == "away":
            member.send(page, action="next")
        elif luck < 0.1:
            member.cannot(page)
        elif luck < 0.2:
            member.send(page, action="pause")
        else:
            member.label(str(draws.randrange(4)), page)
        if luck > 0.8:
            with suppress(Elsewhere):
                member.send(member.page(UNDO), UNDO, label="1")
