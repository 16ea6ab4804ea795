"""Nothing lost, nothing doubled: copies, other content, tabs, drafts, replays."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import update

from tests.judging.test_claims import at_once
from tests.judging.walking import Time, Walker, check_invariants, kinds, rows, service_of, texts
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, events, sessions
from truegain.judging.study.study import JudgingStudy
from truegain.judging.workflow.steps import Elsewhere, PageStep


def at_documents(study: JudgingStudy, database: Database, clock: Time) -> Walker:
    """Someone before the first document."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    return walker


def test_twenty_copies_of_a_submit(study: JudgingStudy, database_url: str, clock: Time) -> None:
    """Guards double clicks and retries: 20 copies at once, through two servers, are one revision and one reply."""
    servers = [Database(database_url), Database(database_url)]
    walker = at_documents(study, servers[0], clock)
    services = [walker.service, service_of(study, servers[1], clock)]
    page = walker.page()
    form = walker.fill(page, number="7", reason="seven")
    copies = [partial(services[n % 2].send, walker.token, page.step, form) for n in range(20)]
    assert at_once(copies) == [PageStep("doc", 2)] * 20
    assert [a.revision for a in rows(servers[0], answers, kind="item")] == [1]
    for server in servers:
        server.close()


def test_twenty_copies_of_the_last_submit(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the end: 20 copies of the last document make one code, one check, one end."""
    walker = at_documents(study, database, clock)
    for _ in range(3):
        walker.judge()
    page = walker.page()
    clock.go(25)
    form = walker.fill(page, number=walker.worth(page), reason="last")
    copies = [lambda: walker.service.send(walker.token, page.step, form) for _ in range(20)]
    assert at_once(copies) == [PageStep("done")] * 20
    found = kinds(database, walker.token)
    assert (found.count("checks"), found.count("done")) == (1, 1)


def test_copies_of_a_wrong_practice_are_one_try(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards tries: a double click on a wrong line uses one try, not two."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    walker.send(walker.page(), number="1")
    page = walker.page()
    form = walker.fill(page, number="1")
    copies = [lambda: walker.service.send(walker.token, page.step, form) for _ in range(5)]
    assert at_once(copies) == [PageStep("practice", 3)] * 5
    assert len(rows(database, answers, kind="practice")) == 2


def test_same_once_other_content(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards a page sent twice with different answers: the first counts, both are shown, the person chooses."""
    walker = at_documents(study, database, clock)
    page = walker.page()
    assert walker.send(page, number="5", reason="first") == PageStep("doc", 2)
    assert walker.send(page, number="50", reason="second") == PageStep("doc", 1)
    assert [a.value for a in rows(database, answers, kind="item")] == [5.0]
    asked = walker.page()
    assert asked.notice == "twice"
    assert texts(asked.fields) == {"number": "5", "reason": "first"}
    assert texts(asked.other) == {"number": "50", "reason": "second"}
    kept = rows(database, events, kind="twice")
    assert [e.about["fields"]["number"] for e in kept] == ["50"]
    assert walker.send(page, number="5", reason="first") == PageStep("doc", 2)  # a late copy of the first
    assert walker.send(walker.page(PageStep("doc", 1)), number="50", reason="second") == PageStep("doc", 2)
    assert [a.value for a in rows(database, answers, kind="item")] == [5.0, 50.0]
    assert walker.page(PageStep("doc", 1)).notice == ""


def test_same_once_other_content_after_the_end(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards a finished unit: nothing that comes later changes it, and it is noted."""
    walker = at_documents(study, database, clock)
    walker.rest()
    step, form, _ = walker.sent[-1]
    before = rows(database, answers)
    assert walker.post(step, {**form, "number": "1"}) == PageStep("done")
    assert walker.post(step, {**form, "once": "A" * 16 + ".1", "number": "1"}) == PageStep("done")
    assert rows(database, answers) == before
    assert kinds(database, walker.token)[-1] == "twice"


def test_two_tabs(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards two tabs on one document: the later one sees the stored answer and its own text, and nothing is lost."""
    walker = at_documents(study, database, clock)
    first, second = walker.page(), walker.page()
    assert walker.send(first, number="5", reason="tab one") == PageStep("doc", 2)
    assert walker.send(second, number="9", reason="tab two") == PageStep("doc", 1)
    shown = walker.page()
    assert (shown.notice, shown.fields["number"], shown.other["number"]) == ("twice", "5", "9")
    assert len(rows(database, answers, kind="item")) == 1


def test_two_tabs_with_the_same_text(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the same answer from two tabs: it counts once, and nobody is asked."""
    walker = at_documents(study, database, clock)
    first, second = walker.page(), walker.page()
    walker.send(first, number="5", reason="same")
    assert walker.send(second, number="5", reason="same") == PageStep("doc", 2)
    assert len(rows(database, answers, kind="item")) == 1


def test_back_is_a_new_revision(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards Back and the browser's own: the stored answer is shown, sending it anew is a revision, both are kept."""
    walker = at_documents(study, database, clock)
    walker.judge("5", "one")
    page = walker.page()
    assert walker.send(page, "back", number="draft", reason="") == PageStep("doc", 1)
    shown = walker.page()
    assert texts(shown.fields) == {"number": "5", "reason": "one"}
    assert walker.send(shown, number="6", reason="better") == PageStep("doc", 2)
    assert walker.page().fields["number"] == "draft"
    walker.judge("7")
    assert walker.page(PageStep("doc", 1)).fields["number"] == "6"  # the browser's own Back
    found = [(a.number, a.revision, a.value) for a in rows(database, answers, kind="item")]
    assert found == [(1, 1, 5.0), (1, 2, 6.0), (2, 1, 7.0)]
    assert kinds(database, walker.token).count("back") == 1


def test_refused_text_stays_and_mended_text_counts(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards errors: what was typed stays, all that is wrong is told, also on reload; the same page mended counts."""
    walker = at_documents(study, database, clock)
    page = walker.page()
    assert walker.send(page, number="0", reason="") == PageStep("doc", 1)
    for _ in range(2):
        shown = walker.page()
        assert [w.field for w in shown.errors] == ["number", "reason"]
        assert shown.fields["number"] == "0"
    assert rows(database, events, kind="refused")[0].about["fields"]["number"] == "0"
    assert walker.send(page, number="3", reason="mended on the old page") == PageStep("doc", 2)
    assert walker.page(PageStep("doc", 1)).errors == ()


def test_report_keeps_the_text(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards reports: the person stays, what was typed stays, the report is in the audit trail."""
    walker = at_documents(study, database, clock)
    assert walker.send(walker.page(), "report", number="4", report="empty page") == PageStep("doc", 1)
    shown = walker.page()
    assert (shown.notice, shown.fields["number"]) == ("reported", "4")
    assert rows(database, events, kind="reported")[0].about["fields"] == {"report": "empty page"}
    assert rows(database, sessions)[0].flags == ["reported"]


def test_page_of_another_lease_or_forged(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards signatures: a page without a right one counts for nothing, and what was typed is shown again."""
    walker = at_documents(study, database, clock)
    page = walker.page()
    for forged in ({"csrf": "x"}, {"csrf": ""}, {"once": "again"}, {"once": ""}, {"csrf": "\ud800"}):
        form = {**walker.fill(page, number="9", reason="typed"), **forged}
        assert walker.post(page.step, form) == PageStep("doc", 1)
    assert rows(database, answers, kind="item") == []
    shown = walker.page()
    assert (shown.notice, shown.fields["number"]) == ("resumed", "9")


def test_replay_of_every_request(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards replays: after a unit with all kinds of moves, every request again changes no answer and no code."""
    walker = at_documents(study, database, clock)
    walker.send(walker.page(), number="", reason="refused")
    walker.judge()
    walker.send(walker.page(), "back", number="1")
    walker.send(walker.page(), "report", report="odd")
    walker.send(walker.page(), "leave")
    walker.send(walker.page(PageStep("leave")), "stay")
    for _ in range(3):
        walker.judge(seconds=1)  # too fast
    walker.send(walker.page(), "cannot", cannot="language")
    assert walker.step == PageStep("revise"), walker.step
    walker.send(walker.page())
    assert walker.rest() == PageStep("done")
    before, code = (rows(database, answers), rows(database, sessions)), walker.page().code
    for step, form, led in list(walker.sent):
        assert walker.post(step, form) in (led, PageStep("done"))
    assert (rows(database, answers), rows(database, sessions)) == before
    assert walker.page().code == code
    check_invariants(database, study)


def test_a_counted_page_sent_to_another_document(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards a page's `once` used for other documents: no place beyond what was reached, and the text is kept."""
    walker = at_documents(study, database, clock)
    page = walker.page()
    clock.go(25)
    walker.send(page, number=walker.worth(page), reason="first")
    form = walker.fill(page, number="6", reason="second")
    for number in (4, 99, 0):
        assert walker.post(PageStep("doc", number), form) == PageStep("doc", 2)
        assert walker.page().step == walker.step == PageStep("doc", 2)
    assert walker.post(PageStep("doc", 2), form) == PageStep("doc", 2)  # never answered: nothing counts there yet
    shown = walker.page()
    assert (shown.notice, texts(shown.fields)) == ("resumed", {"number": "6", "reason": "second"})
    assert walker.rest() == PageStep("done")
    check_invariants(database, study)


def test_a_place_beyond_what_was_reached_is_healed(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards units that an earlier version sent too far: the page leads back to what is theirs."""
    walker = at_documents(study, database, clock)
    walker.judge()
    database.write(lambda connection: connection.execute(update(sessions).values(number=99)))
    assert walker.page().step == PageStep("doc", 2)
    database.write(lambda connection: connection.execute(update(sessions).values(number=4)))
    for number in (4, 99):
        with pytest.raises(Elsewhere) as other:
            walker.page(PageStep("doc", number))
        assert other.value.step == PageStep("doc", 2)
    assert walker.rest() == PageStep("done")
