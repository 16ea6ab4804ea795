"""What is kept of what people send: all that they typed into a page's boxes, in time or late, and nothing else."""

from __future__ import annotations

import json

import pytest

from tests.judging.walking import Time, Walker, desk_of, rows
from truegain.judging.desk.desk import PageStep
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, drafts, events
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.forms import LONGEST


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
