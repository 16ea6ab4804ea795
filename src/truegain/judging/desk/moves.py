"""What follows from what a person sends: one function a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from truegain.judging.desk.codes import basis_of, shown
from truegain.judging.desk.finishing import end, finish, withdraw
from truegain.judging.desk.leases import take, terms_of
from truegain.judging.desk.practice import LINES, draw_lines, draw_options, question_of, read_line, rise
from truegain.judging.desk.sessions import (
    Recorded,
    Session,
    Work,
    append,
    drop_draft,
    keep_draft,
    last_answers,
    reached,
)
from truegain.judging.desk.steps import PageStep
from truegain.judging.desk.visits import seconds_of, stop
from truegain.judging.tasks.material import Question
from truegain.judging.tasks.task import Answer, Fields, Wrong

STEP_LEAVE = PageStep("leave")
WITHDRAWABLE = (None, "passed", "failed", "screened", "done", "left")  # outcomes after which all may be taken back


class Reply(NamedTuple):
    """Where the person goes; `counted`: an answer came of it; `elsewhere`: the page sent was not theirs."""

    step: PageStep
    counted: bool = False
    elsewhere: bool = False


def read_page(work: Work, session: Session, step: PageStep, fields: Fields) -> Answer | tuple[Wrong, ...]:
    """The answer in a page that was sent to go on, or all that is wrong with it."""
    if step.name == "doc":
        return work.study.task.read(fields)
    if step.name == "practice":
        return read_line(work.study.task, fields)
    if step.name == "topic":
        places = dict(session.plan["options"]) if _question(work, session) else {}
        if places and fields.get("choice") not in places:
            return (Wrong("choice", "question.empty"),)
        return Answer(float(places.get(fields.get("choice", ""), -1)), typed=fields.get("choice", ""))
    if step.name == "consent" and not fields.get("consent"):
        return (Wrong("consent", "consent.empty"),)
    if step.name == "leave" and fields.get("withdraw") not in ("yes", "no"):
        return (Wrong("withdraw", "leave.empty"),)
    return Answer(0.0)


def _question(work: Work, session: Session) -> Question | None:
    return question_of(session.plan, work.study.topics[session.topic])


def move(work: Work, session: Session, step: PageStep, fields: Fields) -> Reply:
    """What follows from a page of a session that goes on and holds its lease."""
    action = fields.get("action", "next")
    if step.name == "leave":
        return _leave(work, session, fields)
    if step.name == "doc":
        return _doc(work, session, step, fields)
    if step != session.step or not _is_current(session, step, fields):
        work.event("stale", session, step=step.name, number=step.number)
        return Reply(session.step, elsewhere=True)
    if action == "leave":
        keep_draft(work, session, step, fields)
        return Reply(STEP_LEAVE)
    if action == "decline" and step.name == "consent":
        return Reply(end(work, session, "declined", "declined"), counted=True)
    if action != "next" or step.name not in PAGES:
        return Reply(session.step)
    found = read_page(work, session, step, fields)
    if not isinstance(found, Answer):
        return _refused(work, session, step, fields, found)
    drop_draft(work, session, step)
    return Reply(PAGES[step.name](work, session, found, fields), counted=True)


def _is_current(session: Session, step: PageStep, fields: Fields) -> bool:
    """Whether a page asks what is asked now, and not what was asked at an earlier try."""
    asked = {"practice": "practice", "topic": "question"}.get(step.name)
    return asked is None or basis_of(fields.get("once", "")) == session.tries.get(asked, 0)


def _refused(work: Work, session: Session, step: PageStep, fields: Fields, wrong: tuple[Wrong, ...]) -> Reply:
    keep_draft(work, session, step, fields, "refused")
    why = [w.text for w in wrong]
    work.event("refused", session, step=step.name, number=step.number, why=why, fields=shown(fields))
    work.change(session, notice="", **work.renewed(step))
    return Reply(step)


def _go(work: Work, session: Session, step: PageStep, notice: str = "", saved: int = 0) -> PageStep:
    """Go to a step; the place is kept anew once an item is judged."""
    values = {"notice": notice, "saved": saved, **work.renewed(step)}
    return work.change(session, state=step.name, number=step.number, **values).step


def _consent(work: Work, session: Session, _: Answer, __: Fields) -> PageStep:
    work.event("consented", session, terms=terms_of(work.study.words))
    if work.study.task.has_practice:
        return _go(work, session, PageStep("practice", 1))
    return take(work, session).step


def _practice(work: Work, session: Session, answer: Answer, fields: Fields) -> PageStep:
    append(work, session, "practice", session.number, answer, fields)
    if session.number < LINES:
        return _go(work, session, PageStep("practice", session.number + 1))
    given = last_answers(work, session, "practice")
    lengths = [line[0] for line in session.plan["lines"]]
    if rise(lengths, [given[number].answer.value for number in range(1, LINES + 1)]):
        return take(work, session).step
    plan = {**session.plan, "lines": draw_lines(work.random)}
    return _again(work, session, "practice", work.study.rules.practice_tries, PageStep("practice", 1), plan)


def _topic(work: Work, session: Session, answer: Answer, fields: Fields) -> PageStep:
    question = _question(work, session)
    if question is None:
        return _go(work, session, PageStep("doc", 1))
    append(work, session, "question", 1, answer, fields)
    if answer.value == question.right:
        return _go(work, session, PageStep("doc", 1))
    plan = {**session.plan, "options": draw_options(question, work.random)}
    return _again(work, session, "question", work.study.rules.question_tries, PageStep("topic"), plan)


def _again(work: Work, session: Session, what: str, most: int, step: PageStep, plan: dict[str, object]) -> PageStep:
    """Wrong: once more, with new lines or options, or the end."""
    used = session.tries.get(what, 0) + 1
    work.event("wrong", session, what=what, attempt=used)
    session = work.change(session, tries={**session.tries, what: used}, plan=plan)
    return end(work, session, "screened", "screened") if used >= most else _go(work, session, step, "again")


def _revise(work: Work, session: Session, _: Answer, __: Fields) -> PageStep:
    work.event("revising", session)
    return _go(work, session, PageStep("doc", 1))


PAGES: dict[str, Callable[[Work, Session, Answer, Fields], PageStep]] = {
    "consent": _consent,
    "practice": _practice,
    "topic": _topic,
    "revise": _revise,
}


def _leave(work: Work, session: Session, fields: Fields) -> Reply:
    action = fields.get("action", "leave")
    if action == "stay":
        drop_draft(work, session, STEP_LEAVE)
        return Reply(session.step)
    if action not in ("leave", "withdraw"):
        return Reply(STEP_LEAVE)
    found = read_page(work, session, STEP_LEAVE, fields)
    if action == "leave" and not isinstance(found, Answer):
        return _refused(work, session, STEP_LEAVE, fields, found)
    if action == "withdraw" or fields.get("withdraw") == "yes":
        stop(work, session)
        return Reply(withdraw(work, session))
    return Reply(end(work, session, "left", "left") if session.outcome is None else session.step)


def _doc(work: Work, session: Session, step: PageStep, fields: Fields) -> Reply:
    """An item: any that was reached may be sent, and the one after it is next."""
    given = last_answers(work, session)
    if session.state not in ("doc", "revise") or not 1 <= step.number <= reached(work, session, given):
        work.event("early", session, step=step.name, number=step.number)
        return Reply(session.step, elsewhere=True)
    if session.state == "revise":
        keep_draft(work, session, step, fields)
        return Reply(session.step, elsewhere=True)
    action = fields.get("action", "next")
    if action in ("next", "cannot"):
        return _judge(work, session, step, fields, given.get(step.number))
    keep_draft(work, session, step, fields, "reported" if action == "report" else "")
    if action == "back":
        work.event("back", session, number=step.number)
        return Reply(_go(work, session, PageStep("doc", max(1, step.number - 1))))
    if action == "list" and is_revised(session):
        stop(work, session)
        return Reply(_go(work, session, PageStep("revise")))
    if action == "report":
        work.event("reported", session, number=step.number, fields={"report": fields.get("report", "")})
        session = work.flag(session, "reported")
    _go(work, session, step)
    return Reply(STEP_LEAVE if action == "leave" else step)


def is_revised(session: Session) -> bool:
    """Whether a set was sent back and is gone through once more: all of its items have an answer."""
    return session.outcome is None and session.tries.get("checks", 0) > 0


def _judge(work: Work, session: Session, step: PageStep, fields: Fields, last: Recorded | None) -> Reply:
    answer = work.study.task.read(fields)
    if not isinstance(answer, Answer):
        _go(work, session, step)
        return _refused(work, session, step, fields, answer)
    if basis_of(fields.get("once", "")) != (last.revision if last else 0):  # another tab was first
        if last and dict(last.fields) == shown(fields):
            return Reply(session.step)
        return twice(work, session, step, fields)
    stop(work, session)
    seconds = seconds_of(work, session).get(step.number, 0.0)
    append(work, session, "item", step.number, answer, fields, seconds=seconds, last=last.revision if last else 0)
    drop_draft(work, session, step)
    if answer.cannot:
        session = work.flag(session, "cannot")
    if step.number == len(work.unit(session.unit).items):
        return Reply(finish(work, session), counted=True)
    return Reply(_go(work, session, PageStep("doc", step.number + 1), "saved", step.number), counted=True)


def twice(work: Work, session: Session, step: PageStep, fields: Fields) -> Reply:
    """A second text for a page whose first counts already: both are kept, and the person is asked which one counts."""
    work.event("twice", session, step=step.name, number=step.number, fields=shown(fields))
    if step.name != "doc" or session.state not in ("doc", "revise"):
        return Reply(session.step, elsewhere=True)
    given = last_answers(work, session)
    if not 1 <= step.number <= reached(work, session, given):  # sent to where nobody is yet
        return Reply(session.step, elsewhere=True)
    keep_draft(work, session, step, fields, "twice" if step.number in given else "resumed")
    return Reply(_go(work, session, step) if session.state == "doc" else session.step)


def late(work: Work, session: Session, step: PageStep, fields: Fields) -> Reply:
    """Work that came after the unit was passed on: kept and flagged, and never part of a finished unit."""
    if session.outcome != "passed" or step.name != "doc":
        return Reply(session.step, elsewhere=True)
    if not 1 <= step.number <= reached(work, session, last_answers(work, session)):
        return Reply(session.step, elsewhere=True)
    session = work.flag(session, "late")
    answer = work.study.task.read(fields) if fields.get("action", "next") in ("next", "cannot") else ()
    if not isinstance(answer, Answer):
        keep_draft(work, session, step, fields)
        work.event("kept", session, step=step.name, number=step.number, late=True)
        return Reply(session.step)
    spent = seconds_of(work, session).get(step.number, 0.0)
    append(work, session, "item", step.number, answer, fields, seconds=spent, late=True)
    return Reply(session.step, counted=True)
