"""What a page may show: of the unit only what is asked now, and nothing that tells how answers are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlencode

from sqlalchemy import select

from truegain.judging.desk.codes import new_once
from truegain.judging.desk.finishing import finished_under, pays_once
from truegain.judging.desk.leases import is_free, is_paused, may_take
from truegain.judging.desk.moves import is_revised, read_page
from truegain.judging.desk.practice import question_of
from truegain.judging.desk.sessions import Draft, Recorded, Session, Work, draft_of, items_of, last_answers
from truegain.judging.desk.steps import ListedItem, Notice, Page, PageStep, Practice
from truegain.judging.store.schema import answers, assessors
from truegain.judging.tasks.material import Document, Item, Question, Topic

CODES = {"done": "completed", "screened": "screened", "failed": "failed"}  # names of the platform's codes
PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
ENDS = ("done", "screened", "failed", "passed", "left", "declined")


def show(work: Work, session: Session, step: PageStep) -> Page:
    """The page of a step that is this person's."""
    draft = draft_of(work, session, step)
    page = Page(
        step,
        csrf=work.keys.sign(session.id, session.lease_key),
        once=new_once(0),
        total=len(work.unit(session.unit).items),
        fields=draft.fields if draft else {},
        notice=_notice(session, step, draft),
        ended=session.state if session.outcome else "",
        kept=work.lease_at(session.step),
    )
    if draft and draft.notice == "refused":
        found = read_page(work, session, step, draft.fields)
        page = replace(page, errors=found if isinstance(found, tuple) else ())
    if step.name == "doc":
        return _doc(work, session, page, draft)
    if step.name in ENDS:
        return _end(work, session, page)
    if step.name == "practice":
        length, word = session.plan["lines"][step.number - 1]
        page = replace(page, practice=Practice(length, word), **_tries(work, session, "practice"))
    elif step.name == "topic":
        topic = work.study.topics[session.topic]
        question = question_of(session.plan, topic)
        options = tuple((n, question.options[place]) for n, place in session.plan["options"]) if question else ()
        asked = _open(replace(topic, question=question))
        page = replace(page, topic=asked, options=options, **_tries(work, session, "question"))
    elif step.name == "revise":
        page = replace(page, listed=_listed(work, session), **_tries(work, session, "checks"))
    return page


def _notice(session: Session, step: PageStep, draft: Draft | None) -> Notice:
    if draft and draft.notice in ("resumed", "reported", "twice"):
        return cast("Notice", draft.notice)
    return cast("Notice", session.notice) if step == session.step else ""


def _tries(work: Work, session: Session, what: str) -> dict[str, Any]:
    rules = work.study.rules
    most = {"practice": rules.practice_tries, "question": rules.question_tries, "checks": rules.check_tries}[what]
    used = session.tries.get(what, 0)
    basis = 0 if what == "checks" else used
    return {"tries": most - used, "once": new_once(basis)}


def _open(topic: Topic) -> Topic:
    """A topic without the right option of its question."""
    question = topic.question
    return replace(topic, question=Question(question.asked, (), -1) if question else None)


def _doc(work: Work, session: Session, page: Page, draft: Draft | None) -> Page:
    number = page.step.number
    given = last_answers(work, session)
    last = given.get(number)
    item = items_of(work, session)[number - 1]
    names = tuple(f"{number}{sign}" for sign in ("ab" if len(item.docs) > 1 else ("",)))
    found = [work.study.documents[doc] for doc in item.docs]
    stored = last.fields if last else {}
    is_twice = page.notice == "twice" and draft is not None
    return replace(
        page,
        once=new_once(last.revision if last else 0),
        topic=_open(work.study.topics[session.topic]),
        item=Item(names, claim=item.claim, answer=item.answer),
        documents=tuple(_document(doc, name) for doc, name in zip(found, names, strict=True)),
        fields=stored if is_twice or not draft else draft.fields,
        other=draft.fields if is_twice and draft else {},
        saved=session.saved if page.notice == "saved" else 0,
        answered=tuple(sorted(given)),
        revising=is_revised(session),
        previous=_previous(given, number) if work.study.rules.show_previous else (),
    )


def _listed(work: Work, session: Session) -> tuple[ListedItem, ...]:
    """All items of a set that was sent back; numbers side by side would be made to fit one another."""
    given, task = last_answers(work, session), work.study.task
    is_shown = bool(task.options) or work.study.rules.show_previous
    found = []
    for number, item in enumerate(items_of(work, session), start=1):
        titles = [work.study.documents[doc].title for doc in item.docs]
        answer = given[number].answer
        name = item.claim or " / ".join(title for title in titles if title)
        found.append(ListedItem(number, name, answer.typed if is_shown else "", bool(answer.cannot)))
    return tuple(found)


def _document(document: Document, name: str) -> Document:
    """A document under the place it has on the page: its own id may tell where it comes from."""
    return replace(document, id=name)


def _previous(given: dict[int, Recorded], number: int) -> tuple[tuple[int, str], ...]:
    return tuple((n, g.answer.typed) for n, g in sorted(given.items()) if n < number)


def _end(work: Work, session: Session, page: Page) -> Page:
    people = work.study.people
    code = people.codes.get(CODES.get(session.state, ""), "")
    redirect = f"{PROLIFIC}{code}" if code and people.platform == "prolific" else ""
    if not code and session.state == "done":
        code = work.keys.code(session.id)
    if code and people.platform == "mturk":
        redirect = _handing_in(session.about)
    received = _received(work, session) if session.state == "passed" else ()
    page = replace(page, withdrawn=session.outcome == "withdrawn", more=_more(work, session))
    if received:
        page = replace(page, kept=work.study.rules.lease)
    return replace(page, code=code, redirect=redirect, received=received)


def _handing_in(about: Mapping[str, str]) -> str:
    """Where the assignment is handed in under which the person last came; empty where none is known."""
    if not about.get("assignment") or not about.get("submit"):
        return ""
    return f"{about['submit']}/mturk/externalSubmit?{urlencode({'assignmentId': about['assignment']})}"


def _received(work: Work, session: Session) -> tuple[tuple[int, str, str, bool], ...]:
    """What we have of a person whose unit was passed on: all that was saved, and all that came late."""
    query = select(answers).where(answers.c.session == session.id, answers.c.kind == "item")
    rows = work.connection.execute(query.order_by(answers.c.number, answers.c.revision)).all()
    last = {(row.number, row.late): row for row in rows}
    return tuple((row.number, row.typed, row.reason, row.late) for row in last.values())


def _more(work: Work, session: Session) -> bool:
    person = select(assessors.c.excluded).where(assessors.c.id == session.assessor)
    if work.connection.execute(person).scalar_one() is not None or is_paused(work):
        return False
    if pays_once(work) and finished_under(work, session.assessor, session.about):
        return False
    return may_take(work, session.assessor) and is_free(work, session.assessor)
