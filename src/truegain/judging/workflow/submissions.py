"""What follows from a page that an assessor sends, and how a unit ends: checks, completion code, withdrawal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlalchemy import delete, func, select, update

from truegain.judging.store.database import insert_new
from truegain.judging.store.schema import answers, assessors, drafts, events, sent, sessions, units, visits
from truegain.judging.tasks.base import DONE, Answer, Fields, Question, Unit, Wrong, base_of, more_id
from truegain.judging.workflow.assignment import (
    FREE,
    give_back,
    item_row,
    take,
    terms_of,
    unit_row,
    units_for_others,
)
from truegain.judging.workflow.sessions import (
    Recorded,
    Session,
    Work,
    append,
    drop_draft,
    keep_draft,
    last_answers,
    load,
    reached,
    seconds_of,
    stop,
)
from truegain.judging.workflow.steps import (
    LINES,
    PageStep,
    StepName,
    draw_lines,
    draw_options,
    question_of,
    read_line,
    rise,
)
from truegain.judging.workflow.tokens import basis_of, code_digest, visible_fields

KEPT = ("began", "claimed", "withdrawn")  # events that say no more than that a set was begun, and taken back
CODED = ("done", "screened", "failed")  # states at the end that a platform may have a code for
SUBMISSIONS = ("prolific", "mturk")  # platforms that pay a submission once, by one code


def pays_once(work: Work) -> bool:
    """Whether people come under submissions that are paid once: a second set would be work for nothing."""
    return work.study.people.platform in SUBMISSIONS


def finished_under(work: Work, assessor: str, about: Mapping[str, str]) -> str | None:
    """Token of the unit by which a person ended a submission of the platform: they come again for its code.

    The last that is done goes before any that ended without; none while one goes on.
    """
    first = select(func.min(events.c.id)).where(events.c.session == sessions.c.id).scalar_subquery()
    had = select(sessions.c.token, sessions.c.about, sessions.c.state, sessions.c.outcome).where(
        sessions.c.assessor == assessor
    )
    rows = work.connection.execute(had.order_by(first.desc())).all()  # as they were taken; the clock may have been set
    own = [row for row in rows if row.about == about]
    if any(row.outcome is None for row in own):
        return None
    ended = sorted((row for row in own if row.state in CODED), key=lambda row: row.state != "done")
    return ended[0].token if ended else None


def end(work: Work, session: Session, state: StepName, outcome: str) -> PageStep:
    """End a session without a code; the unit is free again."""
    stop(work, session)
    give_back(work, session)
    ended = work.change(session, state=state, number=0, notice="", outcome=outcome, ended=work.now.wall)
    work.event(outcome, session)
    return ended.step


def finish(work: Work, session: Session) -> PageStep:
    """The last item was sent: look at the whole unit, and end it with a code, send it back, or end it without."""
    session, failed = _look(work, session)
    used = session.tries.get("checks", 0) + 1
    work.event("checks", session, failed=list(failed), attempt=used)
    session = work.change(session, tries={**session.tries, "checks": used})
    if not failed:
        return _done(work, session)
    if used >= work.study.rules.check_tries:
        return end(work, session, "failed", "failed")
    step = PageStep("revise")
    return work.change(session, state=step.name, number=0, notice="", **work.leased(step)).step


def _look(work: Work, session: Session) -> tuple[Session, tuple[str, ...]]:
    """The checks that a unit fails, items in the unit's own order; a model needs no time."""
    unit, order = work.unit(session.unit), session.plan["order"]
    answers_so_far, spent = last_answers(work, session), seconds_of(work, session)
    number = {place: i for i, place in enumerate(order, start=1)}
    given_answers = [answers_so_far[number[place]].answer for place in range(len(order))]
    hurried = [math.inf if session.kind == "model" else spent.get(number[p], 0.0) for p in range(len(order))]
    if any(place is not None and math.isnan(given_answers[place].value) for place in (unit.high, unit.low)):
        session = work.flag(session, "anchor")
    return session, work.study.task.failed(unit, given_answers, hurried)


def _done(work: Work, session: Session) -> PageStep:
    """The code exists from here on: in the transaction of the last answer, or not at all."""
    code = code_digest(work.keys.code(session.id))
    values = {"outcome": "done", "ended": work.now.wall, "code": code}
    done = work.change(session, state="done", number=0, notice="", **values)
    work.event("done", session)
    if session.beside:
        return done.step
    mine = select(assessors.c.excluded).where(assessors.c.id == session.assessor)
    excluded = work.connection.execute(mine).scalar_one() is not None
    state = {"state": FREE, "session": None} if excluded else {"state": DONE, "session": session.id}
    work.connection.execute(update(units).where(units.c.id == session.unit).values(**state))
    if not excluded:
        ask_others(work, session)
    return done.step


def ask_others(work: Work, session: Session) -> None:
    """Make a unit of each item that the person could not judge, for someone else, unless enough others were asked.

    No more than there are people beside those who are asked anyway, where their number is known: a row that waits for
    nobody would hold up the list.
    """
    if not work.study.rules.others:
        return
    unit, order, answers_so_far = work.unit(session.unit), session.plan["order"], last_answers(work, session)
    anchors = [unit.items[place] for place in (unit.high, unit.low) if place is not None]
    others = [row for row in units_for_others(work) if row.topic == unit.topic]
    place = work.connection.execute(select(units.c.place).where(units.c.id == session.unit)).scalar_one()
    for number, at in enumerate(order, start=1):
        item = unit.items[at]
        if at in (unit.high, unit.low) or not answers_so_far[number].answer.cannot:
            continue
        times = sum(item_row(item) in row.items for row in others)
        holders = len(work.study.holding.get((unit.topic, item.key), ())) + times
        if times >= work.study.rules.others or holders >= (work.study.people.number or math.inf):
            continue
        more = Unit("", unit.topic, (*anchors, item), *((0, 1) if anchors else (None, None)))
        serial = sum(base_of(row.id) == (base_of(unit.id) or unit.id) for row in others) + 1
        while not insert_new(work.connection, units, **{**unit_row(more, place), "id": more_id(unit.id, serial)}):
            serial += 1  # another unit was sent at the same moment
        work.event("others", session, number=number, unit=more_id(unit.id, serial))


def withdraw(work: Work, session: Session) -> PageStep:
    """Erase what was written, and keep the fact that a set was begun and taken back.

    Paid work is paid: who had come to an end with a code is still shown it, so that end stays the session's state.
    """
    for table in (answers, drafts, visits, sent):
        work.connection.execute(delete(table).where(table.c.session == session.id))
    texts = update(events).where(events.c.session == session.id, events.c.kind.not_in(KEPT))
    work.connection.execute(texts.values(about={}))
    give_back(work, session)
    values = {"outcome": "withdrawn", "ended": work.now.wall, "code": None}
    state = session.state if session.state in CODED else "left"
    left = work.change(session, state=state, number=0, notice="", saved=0, flags=(), tries={}, **values)
    work.event("withdrawn", session)
    return left.step


def all_of(work: Work, assessor: str) -> list[str]:
    """Tokens of all units that a person had, in the order in which locks are taken."""
    query = select(sessions.c.token).where(sessions.c.assessor == assessor).order_by(sessions.c.unit)
    return list(work.connection.execute(query).scalars())


# ---------------------------------------------------------------------- one function a page


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
    answer = read_page(work, session, step, fields)
    if not isinstance(answer, Answer):
        return _refused(work, session, step, fields, answer)
    drop_draft(work, session, step)
    return Reply(PAGES[step.name](work, session, answer, fields), counted=True)


def _is_current(session: Session, step: PageStep, fields: Fields) -> bool:
    """Whether a page asks what is asked now, and not what was asked at an earlier try."""
    counter = {"practice": "practice", "topic": "question"}.get(step.name)
    return counter is None or basis_of(fields.get("once", "")) == session.tries.get(counter, 0)


def _refused(work: Work, session: Session, step: PageStep, fields: Fields, wrong: tuple[Wrong, ...]) -> Reply:
    keep_draft(work, session, step, fields, "refused")
    why = [w.text for w in wrong]
    work.event("refused", session, step=step.name, number=step.number, why=why, fields=visible_fields(fields))
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
    answers_so_far = last_answers(work, session, "practice")
    lengths = [line[0] for line in session.plan["lines"]]
    if rise(lengths, [answers_so_far[number].answer.value for number in range(1, LINES + 1)]):
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


def put_away(work: Work, session: Session) -> PageStep:
    """Someone of a team pauses: their row is free for others, and may be theirs again."""
    stop(work, session)
    give_back(work, session)
    work.event("away", session, unit=session.unit)
    return work.change(session, state="away", number=0, notice="", turn=session.id).step


def _away(work: Work, session: Session, _: Answer, __: Fields) -> PageStep:
    return take(work, session).step


PAGES: dict[str, Callable[[Work, Session, Answer, Fields], PageStep]] = {
    "consent": _consent,
    "practice": _practice,
    "topic": _topic,
    "revise": _revise,
    "away": _away,
}


def _leave(work: Work, session: Session, fields: Fields) -> Reply:
    action = fields.get("action", "leave")
    if action == "stay":
        drop_draft(work, session, STEP_LEAVE)
        return Reply(session.step)
    if action not in ("leave", "withdraw"):
        return Reply(STEP_LEAVE)
    answer = read_page(work, session, STEP_LEAVE, fields)
    if action == "leave" and not isinstance(answer, Answer):
        return _refused(work, session, STEP_LEAVE, fields, answer)
    if action == "withdraw" or fields.get("withdraw") == "yes":
        stop(work, session)
        if work.study.team is not None:  # who is in a stream has no sets to take back one by one
            for token in all_of(work, session.assessor):
                if token != session.token and (other := load(work.connection, token)).outcome in WITHDRAWABLE:
                    withdraw(work, other)
        return Reply(withdraw(work, session))
    return Reply(end(work, session, "left", "left") if session.outcome is None else session.step)


def _doc(work: Work, session: Session, step: PageStep, fields: Fields) -> Reply:
    """An item: any that was reached may be sent, and the one after it is next."""
    answers_so_far = last_answers(work, session)
    if session.state not in ("doc", "revise") or not 1 <= step.number <= reached(work, session, answers_so_far):
        work.event("early", session, step=step.name, number=step.number)
        return Reply(session.step, elsewhere=True)
    if session.state == "revise":
        keep_draft(work, session, step, fields)
        return Reply(session.step, elsewhere=True)
    action = fields.get("action", "next")
    if action == "pause" and work.study.team is not None:
        return Reply(put_away(work, session))
    if action in ("next", "cannot"):
        return _judge(work, session, step, fields, answers_so_far.get(step.number))
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
        if last and dict(last.fields) == visible_fields(fields):
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
    work.event("twice", session, step=step.name, number=step.number, fields=visible_fields(fields))
    if step.name != "doc" or session.state not in ("doc", "revise"):
        return Reply(session.step, elsewhere=True)
    answers_so_far = last_answers(work, session)
    if not 1 <= step.number <= reached(work, session, answers_so_far):  # sent to where nobody is yet
        return Reply(session.step, elsewhere=True)
    keep_draft(work, session, step, fields, "twice" if step.number in answers_so_far else "resumed")
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
    _keep_turn(work, session)
    return Reply(session.step, counted=True)


def _keep_turn(work: Work, session: Session) -> None:
    """Who labeled a row late has had it, unless they were given it again before."""
    again = select(sessions.c.id).where(sessions.c.assessor == session.assessor, sessions.c.turn == session.unit)
    if work.study.team is not None and work.connection.execute(again).first() is None:
        work.change(session, turn=session.unit)
