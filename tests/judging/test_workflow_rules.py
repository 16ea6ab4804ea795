"""The rules of the collection: tries, checks, what cannot be judged, leaving, models, and what no page shows."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import ClassVar

import pytest

from tests.judging.walking import (
    RIGHT,
    Time,
    Walker,
    check_invariants,
    kinds,
    rows,
    service_of,
    small_study,
    with_rules,
)
from truegain.errors import InputError, TruegainError
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, drafts, events, sent, sessions, units, visits
from truegain.judging.study.study import JudgingStudy, People, Rules
from truegain.judging.tasks.base import Item, Unit
from truegain.judging.tasks.magnitude import MagnitudeTask
from truegain.judging.workflow.steps import Elsewhere, Page, PageStep, Person, UnknownToken
from truegain.judging.workflow.tokens import code_digest


class Plain(MagnitudeTask):
    """The same task without practice."""

    has_practice: ClassVar[bool] = False


def test_practice_and_question_have_one_try(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the paper's single try: wrong lines or a wrong option end the unit, and the slot is free."""
    service = service_of(study, database, clock)
    first, second = Walker(service, clock, "a"), Walker(service, clock, "b")
    first.enter()
    first.consent()
    assert first.practise(right=False) == PageStep("screened")
    second.enter()
    second.consent()
    second.practise()
    assert second.choose(right=False) == PageStep("screened")
    assert {u.state for u in rows(database, units)} == {"free"}
    assert (first.page().code, first.page().more) == ("", True)
    check_invariants(database, study)


def test_two_tries_have_new_lines_and_options(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards `tries = 2`: once more with other lines and options; a page of the first try is not taken."""
    walker = Walker(service_of(with_rules(study, practice_tries=2, question_tries=2), database, clock), clock)
    walker.enter()
    walker.consent()
    old = walker.page()
    lines = rows(database, sessions)[0].plan["lines"]
    assert (old.tries, old.notice) == (2, "")
    assert walker.practise(right=False) == PageStep("practice", 1)
    assert (walker.page().tries, walker.page().notice) == (1, "again")
    assert rows(database, sessions)[0].plan["lines"] != lines
    form = {**walker.fill(old, number="1"), "once": "C" * 16 + ".0"}
    assert walker.post(old.step, form) == PageStep("practice", 1)
    assert walker.practise() == PageStep("topic")
    options = walker.page().options
    assert walker.choose(right=False) == PageStep("topic")
    again = walker.page()
    assert (again.tries, again.notice) == (1, "again")
    assert not {value for value, _ in options} & {value for value, _ in again.options}
    assert walker.choose() == PageStep("doc", 1)
    assert len(rows(database, answers, kind="practice")) == 6
    assert [a.value == RIGHT for a in rows(database, answers, kind="question")] == [False, True]


def test_steps_that_a_study_does_not_have(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards tasks without practice and topics without question: the topic is shown all the same."""
    study = small_study(tmp_path, task=Plain(), question=False)
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    assert walker.consent() == PageStep("topic")
    page = walker.page()
    assert (page.options, page.topic is not None) == ((), True)
    assert walker.send(page) == PageStep("doc", 1)
    assert walker.rest() == PageStep("done")


def test_empty_pages_before_the_documents(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the wording of errors: consent unticked, no number, no option chosen, no choice on leaving."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()

    def wrong(**fields: str) -> list[str]:
        step = walker.step
        assert walker.send(walker.page(), **fields) == step
        return [w.text for w in walker.page().errors]

    assert wrong() == ["consent.empty"]
    walker.consent()
    assert wrong(number="0") == ["number.zero"]
    walker.practise()
    assert wrong(choice="forged") == ["question.empty"]
    assert walker.send(walker.page(PageStep("leave")), "leave") == PageStep("leave")
    assert [w.text for w in walker.page(PageStep("leave")).errors] == ["leave.empty"]
    walker.send(walker.page(PageStep("leave")), "stay")
    assert walker.page(PageStep("leave")).errors == ()


def test_declining_frees_the_unit(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards consent: who declines has given nothing and holds nothing."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    assert walker.send(walker.page(), "decline") == PageStep("declined")
    assert {u.state for u in rows(database, units)} == {"free"}
    assert walker.send(walker.page(), "next", consent="yes") == PageStep("declined")


def test_failed_checks_are_neutral_and_limited(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the checks: order and time fail alike, the set may be revised, the last failure ends it; all is kept."""
    shown: list[Page] = []
    for name, number, spent in (("order", "5", 25.0), ("time", "", 1.0)):
        walker = Walker(service_of(study, database, clock), clock, name)
        walker.to_documents()
        for _ in range(4):
            walker.judge(number, seconds=spent)
        page = walker.page()
        shown.append(replace(page, csrf="", once=""))
        assert (page.step, page.tries) == (PageStep("revise"), 2)
        for attempt in (2, 3):
            assert walker.send(walker.page()) == PageStep("doc", 1)
            for _ in range(4):
                walker.judge("5", seconds=0)
            assert walker.step == PageStep("revise" if attempt < 3 else "failed")
    assert shown[0] == shown[1]
    assert {u.state for u in rows(database, units)} == {"free"}
    assert len(rows(database, answers, kind="item")) == 2 * 3 * 4
    told = [e.about["failed"] for e in rows(database, events, kind="checks")]
    assert told[0] == ["order"]
    assert told[3] == ["time"]
    check_invariants(database, study)


def test_revised_sets_are_accepted(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards revision: seconds of both rounds add up, and a set that was mended gets its code."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    for _ in range(4):
        walker.judge(seconds=12)
    walker.send(walker.page())
    for _ in range(4):
        walker.judge(seconds=12)
    assert walker.step == PageStep("done")


def test_any_document_of_a_set_that_was_sent_back(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the way to one document: from the list to any, its clock the server's, and on from there to the end."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    for number in range(1, 5):
        walker.judge(seconds=15 if number == 3 else 25)
    page = walker.page()
    assert [(one.number, one.answer, one.cannot) for one in page.listed] == [(n, "", False) for n in range(1, 5)]
    for number in (0, 5):
        with pytest.raises(Elsewhere) as other:
            walker.page(PageStep("doc", number))
        assert other.value.step == PageStep("revise")
    clock.go(100)  # before the list no document's clock runs
    shown = walker.page(PageStep("doc", 3))
    assert (walker.step, shown.fields["reason"], shown.answered) == (PageStep("doc", 3), "because", (1, 2, 3, 4))
    clock.go(4)
    assert walker.send(shown, number=walker.worth(shown), reason="read again") == PageStep("doc", 4)
    walker.page(PageStep("doc", 3))  # and back once more
    clock.go(2)
    assert walker.send(walker.page(), number=walker.worth(shown), reason="and again") == PageStep("doc", 4)
    assert [a.seconds for a in rows(database, answers, kind="item", number=3)] == [15, 19, 21]
    assert walker.judge() == PageStep("done")
    assert kinds(database, walker.token).count("revising") == 1
    check_invariants(database, study)


def test_back_to_the_list_of_a_set_that_was_sent_back(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the way back: by the button, which keeps what was typed, or by address; not before the set was sent."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    first = walker.page()
    assert (first.revising, walker.send(first, "list")) == (False, PageStep("doc", 1))
    with pytest.raises(Elsewhere):
        walker.page(PageStep("revise"))
    for _ in range(4):
        walker.judge(seconds=15)
    shown = walker.page(PageStep("doc", 3))
    assert shown.revising
    clock.go(10)
    assert walker.send(shown, "list", number="7", reason="half a thought") == PageStep("revise")
    clock.go(100)  # before the list no document's clock runs
    assert len(walker.page().listed) == 4
    assert walker.page(PageStep("doc", 3)).fields["reason"] == "half a thought"
    assert walker.page(PageStep("revise")).step == walker.step == PageStep("revise")
    assert {a.reason for a in rows(database, answers, kind="item")} == {
        "because"
    }  # nothing counts that was not sent on
    walker.page(PageStep("doc", 1))
    for _ in range(4):
        walker.judge(seconds=10)
    assert walker.step == PageStep("done")
    assert [a.seconds for a in rows(database, answers, kind="item", number=3)] == [15, 35]
    check_invariants(database, study)


def test_no_jump_ahead_before_the_set_was_sent(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the order: back to any that was judged, never past the first that was not; nothing is served there."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    walker.judge()
    walker.judge()
    assert walker.page(PageStep("doc", 1)).step == walker.step
    assert walker.page(PageStep("doc", 3)).step == walker.step
    with pytest.raises(Elsewhere):
        walker.page(PageStep("doc", 4))
    assert {visit.number for visit in rows(database, visits)} == {1, 2, 3}


def test_the_list_shows_labels_and_numbers_where_the_study_does(
    tmp_path: Path, database: Database, clock: Time
) -> None:
    """Guards numbers side by side: only where earlier numbers are shown anyway; what could not be judged is told."""
    walker = Walker(service_of(small_study(tmp_path, rules=Rules(show_previous=True)), database, clock), clock)
    walker.to_documents()
    walker.send(walker.page(), "cannot", cannot="language")
    for _ in range(3):
        walker.judge("7.50", seconds=1)
    assert [one[2:] for one in walker.page().listed] == [("", True), *[("7.50", False)] * 3]


def test_cannot_judge_an_anchor(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards "cannot judge" on Hk: the check of order is void, the unit is flagged and ends with a code."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    while walker.step.name == "doc":
        page = walker.page()
        clock.go(25)
        is_high = walker.worth(page) == "100"
        if is_high:
            assert walker.send(page, "cannot") == page.step
            assert [w.text for w in walker.page().errors] == ["cannot.empty"]
            walker.send(walker.page(), "cannot", cannot="unclear")
        else:
            walker.send(page, number="5", reason="all the same")
    assert walker.step == PageStep("done")
    session = rows(database, sessions)[0]
    assert set(session.flags) == {"cannot", "anchor"}
    assert [a.value for a in rows(database, answers, cannot="unclear")] == [None]


def test_leaving_and_withdrawing(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards leaving: kept answers stay and the slot is free; withdrawn ones are erased everywhere, the fact stays."""
    service = service_of(study, database, clock)
    keeper, taker = Walker(service, clock, "keeper"), Walker(service, clock, "taker")
    for walker in (keeper, taker):
        walker.to_documents()
        walker.judge("17", "a secret reason")
        walker.send(walker.page(), "back", number="secret draft")
        walker.send(walker.page(), number="", reason="secret refusal")
        walker.send(walker.page(), "report", report="secret report")
        service.noticed(walker.token, "paste", {"length": "secret"})
        assert walker.send(walker.page(), "leave") == PageStep("leave")
    assert keeper.send(keeper.page(PageStep("leave")), "leave", withdraw="no") == PageStep("left")
    assert taker.send(taker.page(PageStep("leave")), "leave", withdraw="yes") == PageStep("left")
    assert {u.state for u in rows(database, units)} == {"free"}
    outcomes = {s.token: s.outcome for s in rows(database, sessions)}
    assert outcomes == {keeper.token: "left", taker.token: "withdrawn"}
    kept, gone = (rows(database, sessions, token=w.token)[0] for w in (keeper, taker))
    assert len(rows(database, answers, session=kept.id, kind="item")) == 1
    stored = [*rows(database, events, session=gone.id), gone]
    for table in (answers, drafts, visits):
        assert rows(database, table, session=gone.id) == []
    assert "secret" not in str(stored)
    assert kinds(database, taker.token)[0] == "began"
    assert "claimed" in kinds(database, taker.token)
    assert kinds(database, taker.token)[-1] == "withdrawn"
    for step, form, _ in list(taker.sent):
        assert taker.post(step, form) == PageStep("left")
    assert rows(database, answers, session=gone.id) == []
    assert len(rows(database, sent, session=gone.id)) <= 1
    check_invariants(database, study)


def test_models_judge_only(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards LLM judges: no consent, practice, question or seconds; the same checks of order and the same code."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.person = Person("model", "m1", "model", {"model": "m", "prompt": "sha256:0"})
    walker.enter()
    assert walker.step == PageStep("doc", 1)
    for _ in range(4):
        walker.judge("3", seconds=0)
    assert walker.step == PageStep("revise")
    walker.send(walker.page())
    for _ in range(4):
        walker.judge(seconds=0)
    assert walker.step == PageStep("done")


def test_no_page_shows_what_it_may_not(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards secrets: no page before the end holds ids of documents, probabilities, checks, right options or codes."""
    people = People("prolific", codes={"completed": "CODE1", "screened": "CODE2", "failed": "CODE3"})
    walker = Walker(service_of(replace(study, people=people), database, clock), clock)
    walker.enter()
    pages: list[Page] = []
    for walk in (walker.consent, walker.practise, walker.choose, *[walker.judge] * 4):
        pages.append(walker.page())
        if walker.step.name == "practice":
            pages.append(walker.page(PageStep("leave")))
        walk()
    for page in pages:
        text = str(asdict(page))
        assert "secret" not in text, page.step
        assert "CODE" not in text
        assert (page.code, page.redirect) == ("", "")
        if page.topic and page.topic.question:
            assert (page.topic.question.right, page.topic.question.options) == (-1, ())
        if page.item:
            assert page.item.probability == 1.0
            assert len(page.documents) == 1
    done = walker.page()
    assert (done.code, done.redirect.endswith("=CODE1")) == ("CODE1", True)
    own = walker.service._keys.code(rows(database, sessions)[0].id)
    assert rows(database, sessions)[0].code == code_digest(own)


def test_previous_numbers_where_the_study_shows_them(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards the variant: earlier numbers are shown only where the study says so."""
    walker = Walker(service_of(small_study(tmp_path, rules=Rules(show_previous=True)), database, clock), clock)
    walker.to_documents()
    walker.judge("7.50")
    assert walker.page().previous == ((1, "7.50"),)
    assert walker.page().answered == (1,)


def test_odd_text_and_tokens(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards both databases against text that they cannot store, and addresses that are none."""
    walker = Walker(service_of(study, database, clock), clock)
    for token in ("", "x", "\x00" * 30, "A" * 32, "ä" * 32, "A" * 10_000):
        for call in (walker.service.where, walker.service.page, walker.service.another):
            with pytest.raises(UnknownToken):
                call(token)
    odd = "a\x00b\ud800c\U0001f600" + "d" * 5000
    walker.person = Person("open", odd, "human", {odd: odd})
    walker.to_documents()
    page = walker.page()
    walker.service.noticed(walker.token, "paste", {odd: odd})
    walker.service.noticed(walker.token, odd, {})
    walker.send(page, "report", report=odd, number=odd, reason=odd)
    assert walker.send(walker.page(), odd, **{odd: odd}) == PageStep("doc", 1)
    walker.judge(reason=odd)
    assert "d" * 5000 in rows(database, answers, kind="item")[0].reason
    assert "pasted" in rows(database, sessions)[0].flags


def test_a_changed_study_is_refused(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards what is judged: units may be added, and nothing that was begun with may change or vanish."""
    service_of(study, database, clock)
    more = (*study.units, Unit("new", "t1", (Item(("t1-secret-1-0",)),)))
    service_of(replace(study, units=more, digest="d2"), database, clock)
    assert len(rows(database, units)) == 7
    with pytest.raises(InputError, match="are missing from the study: new"):
        service_of(study, database, clock)
    changed = (replace(more[0], high=2), *more[1:])
    with pytest.raises(TruegainError, match="changed: t1u1"):
        service_of(replace(study, units=changed), database, clock)


def test_the_task_sees_the_unit_in_its_own_order(tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards the check of order: answers reach the task as the unit lists its items, not as they were shown."""
    seen: list[list[float]] = []

    class Watching(MagnitudeTask):
        def failed(self, unit, given, seconds):  # type: ignore[no-untyped-def]
            seen.append([a.value for a in given])
            assert not any(math.isnan(s) for s in seconds)
            return ()

    walker = Walker(service_of(small_study(tmp_path, task=Watching()), database, clock, seed=5), clock)
    walker.whole()
    assert rows(database, sessions)[0].plan["order"] != [0, 1, 2, 3]
    assert seen == [[100.0, 90.0, 80.0, 70.0]]
