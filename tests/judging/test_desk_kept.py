"""What is kept of what people send: all that they typed into a page's boxes, in time or late, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.judging.walking import Time, Walker, desk_of, rows, small_study, with_rules
from truegain.judging.desk.desk import PageStep
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, drafts, events, sessions
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.forms import LONGEST
from truegain.judging.tasks.material import Question


def test_what_no_page_asks_is_not_stored(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the disk: fields that no page has, and more text than a box takes, are in no draft, event or answer."""
    walker = Walker(desk_of(study, database, clock), clock)
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
    walker = Walker(desk_of(study, database, clock), clock)
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
    walker = Walker(desk_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    walker.practise()
    walker.desk = desk_of(replace(changed, digest="d2"), database, clock)
    page = walker.page()
    assert sorted(text for _, text in page.options) == (["north", "right", "south", "west"] if was else [])
    assert page.topic
    assert (page.topic.question is not None) == was
    assert (walker.choose() if was else walker.send(page)) == PageStep("doc", 1)
    assert walker.rest() == PageStep("done")


def test_a_wrong_answer_to_a_question_that_was_changed(study: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards further tries: they are at the same question, with its own right option."""
    study = with_rules(study, question_tries=2)
    walker = Walker(desk_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    walker.practise()
    other = {id_: replace(t, question=Question("What?", ("a", "b"), 1)) for id_, t in study.topics.items()}
    walker.desk = desk_of(replace(study, topics=other, digest="d2"), database, clock)
    assert walker.choose(right=False) == PageStep("topic")
    page = walker.page()
    assert page.topic
    assert page.topic.question == Question("Which?", (), -1)
    assert walker.choose() == PageStep("doc", 1)


@pytest.mark.parametrize("was", [True, False])
def test_sets_that_an_earlier_version_gave_out(tmp_path: Path, database: Database, clock: Time, was: bool) -> None:
    """Guards plans that do not hold their question: it is the study's, or none where that is not the same any more."""
    study, changed = (small_study(tmp_path, question=asked) for asked in (was, not was))
    walker = Walker(desk_of(study, database, clock), clock)
    walker.enter()
    walker.consent()
    walker.practise()
    plan = {name: drawn for name, drawn in rows(database, sessions)[0].plan.items() if name != "question"}
    database.write(lambda connection: connection.execute(update(sessions).values(plan=plan)))
    assert bool(walker.page().options) == was
    walker.desk = desk_of(replace(changed, digest="d2"), database, clock)
    assert walker.page().options == ()
    assert walker.send(walker.page()) == PageStep("doc", 1)
