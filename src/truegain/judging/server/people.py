"""Where people come from and go back to: open links, invitations, Prolific, Mechanical Turk."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from truegain.judging.desk.steps import Page, Person
from truegain.judging.study.study import People

PROLIFIC = "https://app.prolific.com"
MTURK_HOSTS = ("https://www.mturk.com", "https://workersandbox.mturk.com")  # where finished work is handed in
MTURK_FRAMES = (*MTURK_HOSTS, "https://worker.mturk.com")  # whose pages may frame ours
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_ID = re.compile(r"[A-Za-z0-9_.@-]{1,128}")


class Comer(NamedTuple):
    """Who stands at the door: a person, with an invitation where there is one, or the page that says why not yet."""

    person: Person | None = None
    invitation: str = ""
    page: str = ""  # 'preview', 'welcome', 'from.prolific' ...


class Back(NamedTuple):
    """The way back to the platform: an address to follow, or a form to post to it."""

    url: str = ""
    fields: tuple[tuple[str, str], ...] = ()


def new_id() -> str:
    """The random number by which an open link knows someone again; 128 bits."""
    return secrets.token_urlsafe(16)


def comer(people: People, query: Mapping[str, str], cookie: str = "") -> Comer:
    """Who comes in by an address with these parameters.

    >>> comer(People("prolific"), {"PROLIFIC_PID": "5f0c", "STUDY_ID": "s1", "SESSION_ID": "x9"}).person
    Person(platform='prolific', id='5f0c', kind='human', about={'study': 's1', 'session': 'x9'})
    >>> comer(People("prolific"), {}).page, comer(People("mturk"), {"assignmentId": PREVIEW}).page
    ('from.prolific', 'preview')
    """
    if people.platform == "prolific":
        return _from_prolific(query)
    if people.platform == "mturk":
        return _from_mturk(query)
    if people.platform == "invitation":
        given = query.get("invitation", "")
        if not _ID.fullmatch(given):
            return Comer(page="from.invitation")
        return Comer(Person("invitation", hashlib.sha256(given.encode()).hexdigest()[:32]), given)
    return Comer(Person("open", cookie)) if _ID.fullmatch(cookie) else Comer(page="welcome")


def _from_prolific(query: Mapping[str, str]) -> Comer:
    given = _good(query, {"PROLIFIC_PID": "id", "STUDY_ID": "study", "SESSION_ID": "session"})
    person = given.pop("id", "")
    return Comer(Person("prolific", person, about=given)) if person else Comer(page="from.prolific")


def _from_mturk(query: Mapping[str, str]) -> Comer:
    """Before a task is accepted there is no assignment yet: who only looks takes no unit."""
    given = _good(query, {"assignmentId": "assignment", "hitId": "hit", "workerId": "id"})
    if given.get("assignment") == PREVIEW:
        return Comer(page="preview")
    person, to = given.pop("id", ""), query.get("turkSubmitTo", "").rstrip("/")
    if not person or "assignment" not in given:
        return Comer(page="from.mturk")
    return Comer(Person("mturk", person, about={**given, "submit": to if to in MTURK_HOSTS else MTURK_HOSTS[0]}))


def _good(query: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """The parameters that are ids, under our names."""
    return {ours: query[theirs] for theirs, ours in names.items() if _ID.fullmatch(query.get(theirs, ""))}


def way_back(people: People, page: Page) -> Back:
    """Where the platform wants the person back: Prolific by an address with its code, Mechanical Turk by a form.

    >>> from truegain.judging.desk.steps import PageStep
    >>> way_back(People("prolific"), Page(PageStep("done"), redirect="https://app.prolific.com/submissions/complete?cc=C1")).url
    'https://app.prolific.com/submissions/complete?cc=C1'
    """
    if page.step.name in ("consent", "practice", "topic", "doc", "revise", "leave"):
        return Back()
    parts = urlsplit(page.redirect)
    if people.platform == "mturk" and f"{parts.scheme}://{parts.netloc}" in MTURK_HOSTS:
        fields = (*parse_qsl(parts.query), ("code", page.code))
        return Back(urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")), fields)
    if parts.scheme == "https" and parts.netloc:
        return Back(page.redirect)
    return Back(PROLIFIC) if people.platform == "prolific" else Back()
