"""A whole unit at the service, page by page."""

from __future__ import annotations

from tests.judging.walking import Time, Walker, check_invariants, kinds, rows, service_of
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, sessions, units
from truegain.judging.study.study import JudgingStudy
from truegain.judging.workflow.steps import PageStep
from truegain.judging.workflow.tokens import code_digest


def test_a_whole_unit(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the flow of the paper: consent, three lines, topic and question, documents, code."""
    walker = Walker(service_of(study, database, clock), clock)
    assert walker.enter() == ""
    assert walker.step == PageStep("consent")
    assert walker.consent() == PageStep("practice", 1)
    assert walker.practise() == PageStep("topic")
    assert walker.choose() == PageStep("doc", 1)
    for number in range(1, 4):
        page = walker.page()
        assert (page.step, page.total) == (PageStep("doc", number), 4)
        assert walker.judge() == PageStep("doc", number + 1)
    assert walker.page().notice == "saved"
    assert walker.page().saved == 3
    assert walker.judge() == PageStep("done")
    code = walker.page().code
    assert walker.page().code == code
    session = rows(database, sessions)[0]
    assert (session.outcome, session.code) == ("done", code_digest(code))
    assert rows(database, units, id=session.unit)[0].state == "done"
    assert len(rows(database, answers, kind="item")) == 4
    assert kinds(database, walker.token)[-3:] == ["answered", "checks", "done"]
    check_invariants(database, study)
