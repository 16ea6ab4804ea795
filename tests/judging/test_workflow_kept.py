"""What is kept of what people send: all that they typed into a page's boxes, in time or late, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.judging.walking import (
    Time,
    Walker,
    check_invariants,
    kinds,
    rows,
    service_of,
    small_study,
    texts,
    with_rules,
)
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, drafts, events, sessions
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import LONGEST, Question
from truegain.judging.workflow.steps import PageStep


def test_what_no_page_asks_is_not_stored(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the disk: fields that no page has, and more text than a box takes, are in no draft, event or answer."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    junk = {f"junk{n}": "junk" * 1000 for n in range(20)}
    for number in ("0", "5"):
        walker.send(walker.page(), number=number, reason="read", note="junk", **junk)
        walker.send(walker.page(), "report", report="r" * 3 * LONGEST, number="9" * 3 * LONGEST, **junk)
    stored = json.dumps([[list(map(str, row)) for row in rows(database, t)] for t in (drafts, events, answers)])
    assert "junk" not in stored
    assert "r" * (LONGEST + 1) not in stored
    assert "9" * LONGEST not in stored
    assert len(rows(database, answers, kind="item")) == 1


@pytest.mark.parametrize("gap", ["", " " * 50])
def test_a_text_that_was_cut_does_not_count(study: JudgingStudy, database: Database, clock: Time, gap: str) -> None:
    """Guards texts: one that is too long is refused with the reason why, and never cut and taken."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    page = walker.page()
    assert walker.send(page, number="5", reason="a" * (LONGEST - 20) + gap + "b" * LONGEST) == page.step
    assert [wrong.text for wrong in walker.page().errors] == ["text.long"]
    assert walker.send(walker.page(), number="5", reason="a" * LONGEST) == PageStep("doc", 2)


@pytest.mark.parametrize("was", [True, False])
def test_the_question_is_that_of_when_the_set_was_taken(
    tmp_path: Path, database: Database, clock: Time, was: bool
) -> None:
    """Guards a question that is added, changed or removed while people are before it: theirs is the one they got."""
    study, changed = (small_study(tmp_path, question=asked) for asked in (was, not was))
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    walker.practise()
    walker.service = service_of(replace(changed, digest="d2"), database, clock)
    page = walker.page()
    assert sorted(text for _, text in page.options) == (["north", "right", "south", "west"] if was else [])
    assert page.topic
    assert (page.topic.question is not None) == was
    assert (walker.choose() if was else walker.send(page)) == PageStep("doc", 1)
    assert walker.rest() == PageStep("done")


def test_a_wrong_answer_to_a_question_that_was_changed(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards further tries: they are at the same question, with its own right option."""
    study = with_rules(study, question_tries=2)
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    walker.practise()
    other = {id_: replace(t, question=Question("What?", ("a", "b"), 1)) for id_, t in study.topics.items()}
    walker.service = service_of(replace(study, topics=other, digest="d2"), database, clock)
    assert walker.choose(right=False) == PageStep("topic")
    page = walker.page()
    assert page.topic
    assert page.topic.question == Question("Which?", (), -1)
    assert walker.choose() == PageStep("doc", 1)


@pytest.mark.parametrize("was", [True, False])
def test_sets_that_an_earlier_version_gave_out(tmp_path: Path, database: Database, clock: Time, was: bool) -> None:
    """Guards plans that do not hold their question: it is the study's, or none where that is not the same any more."""
    study, changed = (small_study(tmp_path, question=asked) for asked in (was, not was))
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    walker.practise()
    plan = {name: drawn for name, drawn in rows(database, sessions)[0].plan.items() if name != "question"}
    database.write(lambda connection: connection.execute(update(sessions).values(plan=plan)))
    assert bool(walker.page().options) == was
    walker.service = service_of(replace(changed, digest="d2"), database, clock)
    assert walker.page().options == ()
    assert walker.send(walker.page()) == PageStep("doc", 1)


def test_an_expired_page_of_a_set_that_was_sent_back(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards text in an old tab while the set is back with the person: it stands in the boxes when they come there."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    old = walker.page()
    for _ in range(4):
        walker.judge(seconds=1)
    assert walker.step == PageStep("revise")
    clock.go(3601)
    assert walker.send(old, number="33", reason="an old tab") == PageStep("revise")
    shown = walker.page(PageStep("doc", 1))
    assert (shown.notice, texts(shown.fields)) == ("resumed", {"number": "33", "reason": "an old tab"})


def test_kept_says_that_a_text_was_kept(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the audit trail: a page of what is over by now is told as such, not as kept."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    consent = walker.page()
    walker.to_documents()
    clock.go(3601)
    for step in (consent.step, PageStep("doc", 3)):
        assert walker.post(step, walker.fill(consent, number="9", reason="x", consent="yes")) == PageStep("doc", 1)
    assert "kept" not in kinds(database, walker.token)
    assert kinds(database, walker.token)[-1] == "stale"
    assert rows(database, drafts) == []


def test_late_work_of_an_older_lease_is_kept(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards who paused twice: a page from before the first pause, sent after the set went on to another, is kept."""
    study = small_study(tmp_path, topics=1, per_topic=1)
    service = service_of(study, database, clock)
    walker, other = Walker(service, clock, "one"), Walker(service, clock, "two")
    walker.to_documents()
    old = walker.page()
    clock.go(3601)
    walker.page()  # a new lease
    clock.go(3601)
    assert other.to_topic() == PageStep("topic")
    form = walker.fill(old, number="7", reason="late work")
    for _ in range(3):  # copies are one
        assert walker.post(old.step, form) == PageStep("passed")
    assert walker.post(old.step, {**form, "once": "x"}) == PageStep("passed")  # none of our pages
    leave = walker.fill(old, "leave", withdraw="yes")
    assert walker.post(PageStep("leave"), leave) == PageStep("leave")  # nothing is erased by an older page
    assert walker.page().received == ((1, "7", "late work", True),)
    assert [a.late for a in rows(database, answers, kind="item")] == [True]
    check_invariants(database, study)
