"""What assessors do: who comes in, which page is theirs now, and what follows from what they send.

Every rule lives in this package, behind HTTP: the server translates requests into these calls and `Page`s into HTML,
and decides nothing.  Each call is one transaction with its audit events; it returns only after commit.

    steps.py        steps, pages, practice              sessions.py     one assessor's way through one unit
    assignment.py   who holds which unit                submissions.py  what follows from a page, and how a unit ends
    tokens.py       codes, signatures, keys             organizer.py    what the organizer does
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random, SystemRandom
from typing import Any, cast
from urllib.parse import urlencode

from sqlalchemy import Connection, delete, insert, select, update

from truegain.judging.store.database import Database, insert_new, lock
from truegain.judging.store.schema import answers, assessors, invitations, sent, sessions
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import Document, Fields, Item, Question, Topic
from truegain.judging.workflow.assignment import (
    begin,
    go_on,
    going_on,
    has_consented,
    has_room,
    hold,
    is_free,
    is_slow_start,
    lapsed,
    may_take,
    open_study,
    take,
)
from truegain.judging.workflow.pausing import DECIDED, pause_reason
from truegain.judging.workflow.sessions import (
    Clock,
    Draft,
    Recorded,
    Session,
    Work,
    draft_of,
    items_of,
    keep_draft,
    last_answers,
    load,
    reached,
    serve,
    stop,
)
from truegain.judging.workflow.steps import (
    WAITING,
    Elsewhere,
    Entered,
    ListedItem,
    Notice,
    Page,
    PageStep,
    Person,
    Practice,
    question_of,
)
from truegain.judging.workflow.submissions import (
    WITHDRAWABLE,
    Reply,
    finished_under,
    is_revised,
    late,
    move,
    pays_once,
    read_page,
    twice,
)
from truegain.judging.workflow.team import UNDO, beat, correct, fields_of_team, last_label, too_late, undone, view
from truegain.judging.workflow.tokens import Keys, basis_of, cleaned, content, digest, new_once, taken

CODES = {"done": "completed", "screened": "screened", "failed": "failed"}  # names of the platform's codes
PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
FOLLOWED = ("done", "passed")  # outcomes after which one of a team is given the next row
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
        team=view(work, session) if work.study.team and session.kind == "human" else None,
        reason=pause_reason(work.connection) or "" if step.name == "paused" else "",
    )
    if draft and draft.notice == "refused":
        result = read_page(work, session, step, draft.fields)
        page = replace(page, errors=result if isinstance(result, tuple) else ())
    if step.name == "doc":
        return _doc(work, session, page, draft)
    if step.name == "undo":
        return _doc(work, session, page, None)
    if step.name in ENDS:
        return _end(work, session, page)
    if step.name == "practice":
        length, word = session.plan["lines"][step.number - 1]
        page = replace(page, practice=Practice(length, word), **_tries(work, session, "practice"))
    elif step.name == "topic":
        topic = work.study.topics[session.topic]
        question = question_of(session.plan, topic)
        options = tuple((n, question.options[place]) for n, place in session.plan["options"]) if question else ()
        open_topic = _open(replace(topic, question=question))
        page = replace(page, topic=open_topic, options=options, **_tries(work, session, "question"))
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
    number = page.step.number or 1  # that of a row which is corrected
    answers_so_far = last_answers(work, session)
    last = answers_so_far.get(number)
    item = items_of(work, session)[number - 1]
    names = tuple(f"{number}{sign}" for sign in ("ab" if len(item.docs) > 1 else ("",)))
    documents = [work.study.documents[doc] for doc in item.docs]
    stored = last.fields if last else {}
    is_twice = page.notice == "twice" and draft is not None
    return replace(
        page,
        once=new_once(last.revision if last else 0),
        topic=_open(work.study.topics[session.topic]),
        item=Item(names, claim=item.claim, answer=item.answer),
        documents=tuple(_document(doc, name) for doc, name in zip(documents, names, strict=True)),
        fields=stored if is_twice or not draft else draft.fields,
        other=draft.fields if is_twice and draft else {},
        saved=session.saved if page.notice == "saved" else 0,
        answered=tuple(sorted(answers_so_far)),
        revising=is_revised(session),
        previous=_previous(answers_so_far, number) if work.study.rules.show_previous else (),
    )


def _listed(work: Work, session: Session) -> tuple[ListedItem, ...]:
    """All items of a set that was sent back; numbers side by side would be made to fit one another."""
    answers_so_far, task = last_answers(work, session), work.study.task
    is_shown = bool(task.options) or work.study.rules.show_previous
    listed = []
    for number, item in enumerate(items_of(work, session), start=1):
        titles = [work.study.documents[doc].title for doc in item.docs]
        answer = answers_so_far[number].answer
        name = item.claim or " / ".join(title for title in titles if title)
        listed.append(ListedItem(number, name, answer.typed if is_shown else "", bool(answer.cannot)))
    return tuple(listed)


def _document(document: Document, name: str) -> Document:
    """A document under the place it has on the page: its own id may tell where it comes from."""
    return replace(document, id=name)


def _previous(answers_so_far: dict[int, Recorded], number: int) -> tuple[tuple[int, str], ...]:
    return tuple((n, g.answer.typed) for n, g in sorted(answers_so_far.items()) if n < number)


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
    if work.connection.execute(person).scalar_one() is not None or pause_reason(work.connection):
        return False
    if pays_once(work) and finished_under(work, session.assessor, session.about):
        return False
    return may_take(work, session.assessor) and is_free(work, session.assessor)


# ---------------------------------------------------------------------- the service


NOTICED = {"paste": "pasted", "blur": "blurred"}  # what a browser may tell, and the flag that comes of it
KIND = re.compile(r"[a-z_]{1,20}")
MOST_ABOUT, LONGEST_ABOUT = 8, 100
LONGEST_ID = 200


class AssessorService:
    """What assessors can do: people through web pages, models through the API, both by the same methods.

    Each method is one transaction, and returns only after commit.

    Parameters
    ----------
    study : JudgingStudy
        What is judged.
    database : Database
        Where answers are kept.  The study's units are put into it, or compared with those that are there.
    clock, steady : callable, optional
        The time of day, which may be set, and a clock that only goes forward.  Tests pass their own.
    random : random.Random, optional
        Draws the order of items, the lines of practice and the names of options.
    per_address : int, default 0
        Units that may be held from one network address at a time; 0 means no limit.

    """

    def __init__(
        self,
        study: JudgingStudy,
        database: Database,
        *,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] | None = None,
        random: Random | None = None,
        per_address: int = 0,
    ) -> None:
        self.study, self.database = study, database
        self._clock, self._random = Clock(clock, steady), random or SystemRandom()
        self.per_address = per_address
        self._units = {unit.id: unit for unit in study.units}
        at = self._clock.now().wall
        self._keys = Keys(database.write(lambda connection: open_study(connection, study, at)))

    def enter(self, person: Person, *, invitation: str = "", network: str = "") -> Entered:
        """Take up the unit that the person is at, else begin with one that they may have, if one is free.

        network: that they come from, where units held from it are counted.
        """
        return self.database.write(lambda connection: self._enter(self.work(connection), person, invitation, network))

    def another(self, token: str, *, network: str = "") -> Entered:
        """One more unit for the same person: at once where they consented already, and no submission is paid by it."""

        def work(connection: Connection) -> Entered:
            session = load(connection, token, locked=False)
            return self._give(self.work(connection), session.assessor, session.about, network, before=session)

        return self.database.write(work)

    def owns(self, person: Person, token: str) -> bool:
        """Whether a unit is a person's, or a model's; one that nobody has is not."""
        who = (assessors.c.platform == person.platform, assessors.c.platform_id == person.id)
        query = select(sessions.c.id).join(assessors, assessors.c.id == sessions.c.assessor)
        query = query.where(sessions.c.token == token, *who)
        return self.database.read(lambda connection: connection.execute(query).first()) is not None

    def where(self, token: str) -> PageStep:
        """The step that the person is at."""
        return self.database.read(lambda connection: load(connection, token, locked=False).step)

    def follow(self, token: str) -> str:
        """Where a person of a team goes on: the token of their next row, or the same where there is none for now."""
        if self.study.team is None:
            return token
        before = self.database.read(lambda connection: load(connection, token, locked=False))
        if before.outcome not in FOLLOWED:
            return token

        def work(connection: Connection) -> Entered:
            return self._give(self.work(connection), before.assessor, before.about, "", before=before)

        return self.database.write(work).token or token

    def beat(self, token: str) -> bool:
        """A person of a team is still at their row; False where it is not theirs any more."""
        return self.database.write(lambda connection: beat(self.work(connection), token))

    def page(self, token: str, step: PageStep | None = None) -> Page:
        """The page of a step, of the current one unless told; raises Elsewhere where that step is not theirs now.

        Serving an item starts its clock, and stops that of any other.
        """
        result = self.database.write(lambda connection: self._page(self.work(connection), token, step))
        if isinstance(result, PageStep):
            raise Elsewhere(result)
        return result

    def send(self, token: str, step: PageStep, fields: Fields) -> PageStep:
        """Take what a person sends, and tell where they go; raises Elsewhere where the step was not theirs.

        fields['action'] is next, back, list, cannot, report, leave, stay, decline or withdraw; `once` and `csrf` are
        the page's.  What is wrong with an answer is told by the next `page`.
        """
        kept = taken(fields, self.study.task.field)
        if self.study.team is not None:
            kept = fields_of_team(kept, self.study.task.field)
        reply = self.database.write(lambda connection: self._send(self.work(connection), token, step, kept))
        if reply.elsewhere:
            raise Elsewhere(reply.step)
        return reply.step

    def noticed(self, token: str, kind: str, about: Mapping[str, str]) -> None:
        """Record what a browser noticed, a paste or that the window was left; flagged, never punished."""
        if not KIND.fullmatch(kind):
            return
        details = {k[:LONGEST_ABOUT]: v[:LONGEST_ABOUT] for k, v in list(cleaned(about).items())[:MOST_ABOUT]}

        def work(connection: Connection) -> None:
            here = self.work(connection)
            session = load(connection, token)
            if session.outcome is None:
                here.event("noticed", session, what=kind, number=session.number, said=details)
                if kind in NOTICED:
                    here.flag(session, NOTICED[kind])

        self.database.write(work)

    def work(self, connection: Connection) -> Work:
        """A transaction at this service, at this moment."""
        context = (self.study, self._units, self._keys, self._clock.now(), self._random, self.per_address)
        return Work(connection, *context)

    def _enter(self, work: Work, person: Person, invitation: str, network: str) -> Entered:
        is_invited = self.study.people.platform == "invitation" and person.kind == "human"
        if is_invited:
            person = person._replace(platform="invitation", id=digest(invitation))
            invitation_row = select(invitations).where(invitations.c.digest == person.id)
            if work.connection.execute(invitation_row).one_or_none() is None:
                return Entered("", "invitation")
        if not person.id:
            return Entered("", "preview")
        name = cleaned({"platform": person.platform, "id": person.id})
        if len(name["id"]) > LONGEST_ID:  # no platform's; an index holds no more
            name["id"] = f"sha256:{digest(name['id'])}"
        about = cleaned(person.about)
        id_ = f"a{secrets.token_hex(8)}"
        row = {"id": id_, "platform": name["platform"], "platform_id": name["id"], "kind": person.kind}
        insert_new(work.connection, assessors, **row, about=about, came=work.now.wall)
        same = (assessors.c.platform == name["platform"], assessors.c.platform_id == name["id"])
        assessor = work.connection.execute(select(assessors.c.id).where(*same)).scalar_one()
        work.event("entered", assessor=assessor)
        if is_invited:
            own = update(invitations).where(invitations.c.digest == person.id)
            work.connection.execute(own.values(assessor=assessor))
        return self._give(work, assessor, about, network)

    def _give(
        self, work: Work, assessor: str, about: Mapping[str, str], network: str, *, before: Session | None = None
    ) -> Entered:
        """The unit of a person who stands at the service; two tabs that come at once get the same.

        about: the platform's submission, empty where there is none.  It ends with one unit unless the person asks for
        one more and may: who comes again is shown how that one ended, with its code.  before: after which they do.
        """
        query = select(assessors).where(assessors.c.id == assessor)
        row = work.connection.execute(lock(query, of=assessors)).one()
        is_team = work.study.team is not None
        is_one = not is_team and (before is None or pays_once(work))
        if row.kind == "human" and is_one and (token := finished_under(work, assessor, about)):
            return Entered(token)
        if row.excluded is not None:
            return Entered("", "excluded")
        session, origin = going_on(work, assessor), work.keys.origin(network) or None
        if session is not None:
            is_lapsed = lapsed(work, session)
            if session.origin != origin and (session.is_unclaimed or is_lapsed or has_room(work, session, origin)):
                session = work.change(session, origin=origin)  # else what they hold counts where it was taken
            if is_lapsed:
                hold(work, session)
            if about and about != session.about:  # the same person, under a new submission
                work.change(session, about=dict(about))
            return Entered(session.token)
        reason = pause_reason(work.connection)
        is_allowed = reason is None and may_take(work, assessor, row.kind)
        begun = begin(work, assessor, row.kind, about, origin or "") if is_allowed else None
        if begun is None:
            last = last_label(work, assessor) if is_team else None
            why = "none" if reason is None else "paused" if reason == "organizer" else reason
            return Entered(last.token if last else "", "" if last else why)
        if is_team and row.kind == "human":
            if has_consented(work, assessor):
                _stream(work, begun, before)
        elif before is not None and begun.is_unclaimed and not pays_once(work) and has_consented(work, assessor):
            go_on(work, begun, before)
        return Entered(begun.token)

    def _page(self, work: Work, token: str, step: PageStep | None) -> Page | PageStep:
        if step == UNDO and work.study.team is not None:
            last = undone(work, token)
            return show(work, last, UNDO) if last is not None else too_late(work, token)
        session = load(work.connection, token)
        if work.study.team is not None and (ended := _end_of_stream(work, session, step)):
            stop(work, session)
            return show(work, session, ended) if step in (None, ended) else ended
        if session.outcome is None and session.state in WAITING:
            session = take(work, session)
        if session.outcome is None and lapsed(work, session):
            session = hold(work, session)
            if lapsed(work, session):
                stop(work, session)
                return show(work, session, PageStep("crowded"))
        requested, step = step, step or session.step
        if step.name == "leave":
            if session.outcome not in WITHDRAWABLE:
                return session.step
        elif step.name == "doc" and session.state in ("doc", "revise"):
            furthest = reached(work, session, last_answers(work, session))
            if session.number > furthest:  # no page could show it: lead back
                session = work.change(session, number=furthest)
                step = requested or session.step
            if not 1 <= step.number <= furthest:
                return session.step
            if step != session.step:
                work.event("turned" if session.state == "doc" else "revising", session, number=step.number)
                session = work.change(session, state="doc", number=step.number, notice="", **work.renewed(step))
            serve(work, session, step.number)
            return show(work, session, step)
        elif step.name == "revise" and session.state == "doc" and is_revised(session):
            session = work.change(session, state="revise", number=0, notice="", **work.renewed(step))
        elif step != session.step:
            return session.step
        stop(work, session)
        return show(work, session, step)

    def _send(self, work: Work, token: str, step: PageStep, fields: Fields) -> Reply:
        if step == UNDO and work.study.team is not None:
            return correct(work, token, fields)
        session = load(work.connection, token)
        once, key = fields.get("once", ""), content(step, fields)
        seen = work.connection.execute(
            select(sent).where(sent.c.session == session.id, sent.c.once == once)
        ).one_or_none()
        if seen and seen.digest == key:
            return Reply(PageStep(seen.step, seen.number))
        if seen and seen.counted and session.outcome != "passed":
            return twice(work, session, step, fields)
        is_late = session.outcome == "passed" and step.name == "doc"  # counts for nothing: of any lease it is kept
        is_signed = is_late or work.keys.signed(session.id, session.lease_key, fields.get("csrf", ""))
        is_ours = is_signed and basis_of(once) is not None
        if is_ours and is_slow_start(work, session):
            session = hold(work, session, anew=False)  # nobody else took the unit: what was done counts
        is_leaving = step.name == "leave" and session.outcome in WITHDRAWABLE
        if session.outcome is not None and not is_leaving:
            reply = late(work, session, step, fields) if is_ours else Reply(session.step, elsewhere=True)
        elif not is_ours or (session.outcome is None and lapsed(work, session)):
            return _kept(work, session, step, fields)
        else:
            reply = move(work, session, step, fields)
        if is_ours and not reply.elsewhere:
            _remember(work, session, once, key, reply, is_new=seen is None)
        return reply


def _stream(work: Work, session: Session, before: Session | None) -> None:
    """Give one of a team who consented the next row at once."""
    session = go_on(work, session, before or session)
    if before is not None and before.outcome == "passed" and session.state == "doc":
        work.change(session, notice="passed")


def _end_of_stream(work: Work, session: Session, step: PageStep | None) -> PageStep | None:
    """The page that one of a team sees in place of a row: the decision is made, or there is no row for them now."""
    if session.outcome not in (None, *FOLLOWED) or session.kind == "model" or (step and step.name == "leave"):
        return None
    reason = pause_reason(work.connection)
    if reason in DECIDED:
        return PageStep("paused")
    return None if session.outcome is None else PageStep("paused" if reason else "none")


def _kept(work: Work, session: Session, step: PageStep, fields: Fields) -> Reply:
    """A page that expired: what was typed is kept and shown again, and the person goes on from there."""
    if session.outcome is None and lapsed(work, session):
        session = hold(work, session)
    if step.name == "leave":
        return Reply(step)
    is_doc = step.name == "doc" and session.state in ("doc", "revise")
    is_theirs = is_doc and 1 <= step.number <= reached(work, session, last_answers(work, session))
    if not is_theirs and (is_doc or step != session.step):
        work.event("stale", session, step=step.name, number=step.number)
        return Reply(session.step, elsewhere=True)
    work.event("kept", session, step=step.name, number=step.number)
    keep_draft(work, session, step, fields, "resumed")
    if session.state == "doc":
        session = work.change(session, number=step.number, notice="")
    return Reply(session.step, elsewhere=step != session.step)


def _remember(work: Work, session: Session, once: str, key: str, reply: Reply, *, is_new: bool) -> None:
    """What was answered to a page: whoever sends it again gets the same."""
    if not is_new:
        work.connection.execute(delete(sent).where(sent.c.session == session.id, sent.c.once == once))
    row = {"session": session.id, "once": once, "digest": key, "step": reply.step.name, "number": reply.step.number}
    work.connection.execute(insert(sent), {**row, "counted": reply.counted, "at": work.now.wall})
