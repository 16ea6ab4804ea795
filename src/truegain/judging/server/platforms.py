"""Where assessors come from: the ids in an address, and Prolific's API, which verifies them and tells who returned.

Those that were returned or timed out free their units.

GET /api/v1/submissions/ID/ tells a submission, by the id that is SESSION_ID in addresses; /api/v1/submissions/?study=ID
lists a study's, page by page; `Authorization: Token KEY`.
https://docs.prolific.com/api-reference/submissions/get-submission and get-submissions
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, Literal, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from truegain.errors import TruegainError
from truegain.judging.study.study import People
from truegain.judging.workflow.steps import Page, Person


class Buckets:
    """So much at once, and then so much a second, by name; beyond `most` names the longest unseen is forgotten."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._left)

    def take(self, name: str, burst: float, rate: float) -> int:
        """Seconds to wait for the next; 0: it was taken.

        >>> buckets = Buckets(10, clock=lambda: 0.0)
        >>> [buckets.take("a", 2.0, 0.5) for _ in range(3)]
        [0, 0, 2]
        """
        now = self._clock()
        with self._lock:
            left, at = self._left.pop(name, (burst, now))
            left = min(burst, left + rate * max(0.0, now - at))
            self._left[name] = (left - 1 if left >= 1 else left, now)
            while len(self._left) > self._most:
                self._left.popitem(last=False)
        return 0 if left >= 1 else max(1, round((1 - left) / rate))


# ---------------------------------------------------------------------- ids in an address


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
        invitation = query.get("invitation", "")
        if not _ID.fullmatch(invitation):
            return Comer(page="from.invitation")
        return Comer(Person("invitation", hashlib.sha256(invitation.encode()).hexdigest()[:32]), invitation)
    return Comer(Person("open", cookie)) if _ID.fullmatch(cookie) else Comer(page="welcome")


def _from_prolific(query: Mapping[str, str]) -> Comer:
    ids = _good(query, {"PROLIFIC_PID": "id", "STUDY_ID": "study", "SESSION_ID": "session"})
    person = ids.pop("id", "")
    return Comer(Person("prolific", person, about=ids)) if person else Comer(page="from.prolific")


def _from_mturk(query: Mapping[str, str]) -> Comer:
    """Before a task is accepted there is no assignment yet: who only looks takes no unit."""
    ids = _good(query, {"assignmentId": "assignment", "hitId": "hit", "workerId": "id"})
    if ids.get("assignment") == PREVIEW:
        return Comer(page="preview")
    person, to = ids.pop("id", ""), query.get("turkSubmitTo", "").rstrip("/")
    if not person or "assignment" not in ids:
        return Comer(page="from.mturk")
    return Comer(Person("mturk", person, about={**ids, "submit": to if to in MTURK_HOSTS else MTURK_HOSTS[0]}))


def _good(query: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """The parameters that are ids, under our names."""
    return {ours: query[theirs] for theirs, ours in names.items() if _ID.fullmatch(query.get(theirs, ""))}


def way_back(people: People, page: Page) -> Back:
    """Where the platform wants the person back: Prolific by an address with its code, Mechanical Turk by a form.

    >>> from truegain.judging.workflow.steps import PageStep
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


# ---------------------------------------------------------------------- Prolific's API


ADDRESS = "https://api.prolific.com/api/v1"
PLATFORM = "prolific"
LOST = ("RETURNED", "TIMED-OUT")
PAGE = 100  # submissions asked for at a time
MOST_PAGES = 1_000
LARGEST = 20_000_000  # bytes of one answer
PATIENCE = 30.0  # seconds for one answer
LOOPBACK = ("127.0.0.1", "::1", "localhost")
SHUT = (*LOST, "REJECTED")  # statuses of a place that is nobody's any more
AT_THE_DOOR = 5.0  # seconds for the answer on one submission, while its person waits
AT_ONCE = 8  # questions about persons at one moment
SURE_FOR = {"yes": 3600.0, "no": 60.0}  # seconds that an answer on a submission counts
REMEMBERED = 10_000  # such answers
STRANGERS = 5  # submissions one after the other that Prolific does not know, before the key is doubted
ASKED_BURST, ASKED_RATE = 20.0, 0.2  # questions that one address may cause at once, and then a second
_SUBMISSION = re.compile(r"[A-Za-z0-9_-]{1,128}")

Verified = Literal["yes", "no", "unsure", "many"]


class Submission(NamedTuple):
    """Who took part in a Prolific study, and what became of it."""

    id: str
    participant: str
    status: str
    studies: tuple[str, ...] = ()  # its study, and the one above it where there is one


class TakenBack(NamedTuple):
    """Who held a unit that is free now, and of which studies Prolific told nothing, with why."""

    freed: tuple[str, ...]
    wrong: Mapping[str, str]


class OfStudyError(TruegainError):
    """Prolific did not tell the submissions of one study; those of others it may."""


class _StatusError(Exception):
    """Prolific answered with a status that is no answer."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


class UnseenError(TruegainError):
    """Prolific knows no such submission (404), or does not show it to this key (403)."""

    def __init__(self, status: int) -> None:
        super().__init__(f"Prolific shows no such submission ({status})")
        self.status = status


class _OddError(Exception):
    """Prolific's answer does not match its documentation."""


class Releases(Protocol):
    """What is needed of the organizer."""

    def release(self, platform: str, id: str, submission: str) -> object:  # noqa: A002
        """Free what a person holds under a submission; something true where there was a unit to free."""
        ...


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key is not carried elsewhere."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class Prolific:
    """Asks Prolific for the submissions of a study; the key is in no message and no representation.

    >>> Prolific("secret")
    Prolific(address='https://api.prolific.com/api/v1')
    """

    key: str = field(repr=False)
    address: str = ADDRESS

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.address)
        if parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise TruegainError(f"{self.address}: the key is sent over https only")
        if not self.key.strip() or not self.key.isascii() or not self.key.isprintable():
            raise TruegainError("the key for Prolific's API is empty or has characters that no key has; copy it again")

    def submissions(self, study: str) -> Iterator[Submission]:
        """All submissions of a Prolific study."""
        for number in range(1, MOST_PAGES + 1):
            query = urllib.parse.urlencode({"study": study, "page": number, "page_size": PAGE})
            try:
                answer = self._get(f"submissions/?{query}", PATIENCE)
            except _StatusError as error:
                raise _refused(error.status, study) from None
            except _OddError:
                raise _odd(study) from None
            rows = answer.get("results")
            if not isinstance(rows, list):
                raise _odd(study)
            yield from (_submission(row, study) for row in rows)
            if not _goes_on(answer, len(rows)):
                return
        raise OfStudyError(
            f"Prolific study {study}: more than {MOST_PAGES * PAGE:,} submissions; nothing more was read; split the "
            "study"
        )

    def submission(self, id: str) -> Submission | None:  # noqa: A002
        """One submission by its id; None where it can be none; raises UnseenError where this key sees none."""
        if not _SUBMISSION.fullmatch(id):
            return None
        try:
            row = self._get(f"submissions/{id}/", AT_THE_DOOR)
            submission = _submission(row, "")
        except _StatusError as error:
            if error.status == 400:
                return None
            if error.status in (403, 404):
                raise UnseenError(error.status) from None
            raise _refused(error.status, "") from None
        except (_OddError, OfStudyError):
            raise TruegainError(
                "Prolific's answer about a submission does not match its documentation; update truegain"
            ) from None
        return submission if submission.id == id else None

    def _get(self, place: str, patience: float) -> dict[str, Any]:
        """What an address of the API answers, all of it within so many seconds."""
        request = urllib.request.Request(f"{self.address}/{place}")
        request.add_unredirected_header("Authorization", f"Token {self.key.strip()}")
        request.add_header("Accept", "application/json")
        opener = urllib.request.build_opener(_NoRedirect)
        until = time.monotonic() + patience
        try:
            with opener.open(request, timeout=patience) as answer:
                body = bytearray()
                while part := answer.read1(65_536):
                    body += part
                    if len(body) > LARGEST:
                        raise _OddError
                    if time.monotonic() > until:
                        raise TimeoutError
        except urllib.error.HTTPError as error:
            error.close()
            raise _StatusError(error.code) from None
        except (OSError, HTTPException) as error:
            why = type(getattr(error, "reason", error)).__name__
            raise TruegainError(f"Prolific cannot be reached ({why}); truegain will try again later") from None
        try:
            content = json.loads(body)
        except (ValueError, RecursionError):
            raise _OddError from None
        if not isinstance(content, dict):
            raise _OddError
        return content


class Doorkeeper:
    """Tells whether who comes has the place on Prolific that the address names; else anybody could make one up.

    yes: Prolific knows the submission, of this participant, in this study, and it is not returned, timed out or
    rejected.  no: it is not so.  unsure: Prolific did not tell in time.  many: one address asks about too many.
    A key that sees none of the submissions that people come with is told of.
    """

    def __init__(
        self,
        prolific: Prolific,
        *,
        tell: Callable[[str], object] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._prolific, self._tell, self._clock = prolific, tell, clock
        self._known: OrderedDict[tuple[str, str, str], tuple[Verified, float]] = OrderedDict()
        self._lock, self._asking = threading.Lock(), threading.BoundedSemaphore(AT_ONCE)
        self._rates, self._said = Buckets(REMEMBERED, clock), ""
        self._strangers: set[str] = set()  # submissions that were not known, since one was
        self._sees = self._doubted = False  # whether the key ever saw one; whether it was told that it does not

    def __call__(self, person: Person, network: str) -> Verified:
        """Ask, unless it is known by now."""
        ids = (person.id, person.about.get("study", ""), person.about.get("session", ""))
        if not all(ids):
            return "no"
        with self._lock:
            answer, until = self._known.get(ids, ("no", -1.0))
        if self._clock() < until:
            return answer
        if network and self._rates.take(network, ASKED_BURST, ASKED_RATE):
            return "many"
        if not self._asking.acquire(blocking=False):
            return "unsure"
        try:
            submission = self._prolific.submission(ids[2])
            if submission is not None:
                self._seen()
        except UnseenError as error:
            submission = None
            self._unseen(ids[2], error.status)
        except TruegainError as error:
            self._say(str(error))
            return "unsure"
        finally:
            self._asking.release()
        self._said = ""
        is_theirs = submission is not None and submission.participant == ids[0] and ids[1] in submission.studies
        verified: Verified = "yes" if is_theirs and submission and submission.status not in SHUT else "no"
        with self._lock:
            self._known.pop(ids, None)
            self._known[ids] = (verified, self._clock() + SURE_FOR[verified])
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return verified

    def _seen(self) -> None:
        """The key sees submissions."""
        with self._lock:
            self._strangers.clear()
            self._sees, self._doubted = True, False

    def _unseen(self, submission: str, status: int) -> None:
        """Tell once of a key that seems to see nothing; one submission alone may be made up, or of another study."""
        with self._lock:
            if self._doubted:
                return
            self._strangers.add(submission)
            is_forbidden = status == 403 and not self._sees
            self._doubted = is_forbidden or len(self._strangers) >= STRANGERS
            if not self._doubted:
                return
        if is_forbidden:
            why = f"Prolific does not show this key a submission that somebody came with ({status})"
        else:
            why = f"Prolific knows none of the last {STRANGERS} submissions that people came with ({status})"
        self._tell(
            f"people from Prolific cannot come in: {why}; unless somebody makes up addresses, the key belongs to "
            "another workspace than the study: create an API token in the study's workspace and use it (reported "
            "once)"
        )

    def _say(self, sentence: str) -> None:
        """Tell what is wrong, once as long as it stays so."""
        if sentence != self._said:
            self._said = sentence
            self._tell(f"people from Prolific cannot come in: {sentence}")


def take_back(prolific: Prolific, studies: Iterable[str], organizer: Releases) -> TakenBack:
    """Free the units of submissions that were returned or ran out of time.

    A unit belongs to the submission that its person last came under: who returned one and is at work under another is
    left alone.  A study about which Prolific tells nothing is passed over.  Asking again changes nothing.
    """
    freed: dict[str, None] = {}
    wrong: dict[str, str] = {}
    for study in dict.fromkeys(studies):
        try:
            lost = [s for s in prolific.submissions(study) if s.status in LOST]
        except OfStudyError as error:
            wrong[study] = str(error)
            continue
        freed |= {s.participant: None for s in lost if organizer.release(PLATFORM, s.participant, s.id)}
    return TakenBack(tuple(freed), wrong)


def keep_taking_back(
    prolific: Prolific,
    studies: Callable[[], Iterable[str]],
    organizer: Releases,
    *,
    every: float = 120.0,
    tell: Callable[[str], object] = lambda _: None,
    stop: threading.Event | None = None,
) -> threading.Event:
    """Take back every so many seconds, beside the server; set the event to end it.

    studies: asked each time, for people of another Prolific study may have come.  tell: called with a sentence where
    Prolific does not answer, once as long as it stays so; what went wrong is tried again.  A study that it does not
    know is not: anybody can put a name into an address.
    """
    ending = stop or threading.Event()

    def work() -> None:
        unknown: set[str] = set()
        before: set[str] = set()
        while not ending.is_set():
            try:
                result = take_back(prolific, [s for s in studies() if s not in unknown], organizer)
                unknown |= {study for study, reason in result.wrong.items() if reason == _unknown(study)}
                reason = list(dict.fromkeys(result.wrong.values()))
            except Exception as error:
                reason = [str(error) if isinstance(error, TruegainError) else f"taking back: {type(error).__name__}"]
            for sentence in reason:
                if sentence not in before:
                    tell(sentence)
            before = set(reason)
            ending.wait(every)

    threading.Thread(target=work, name="prolific", daemon=True).start()
    return ending


def _submission(row: Any, study: str) -> Submission:
    who = isinstance(row, dict) and (row.get("participant_id") or row.get("participant"))
    if not who or not row.get("id") or not isinstance(row.get("status"), str):
        raise _odd(study)
    status = row["status"].strip().upper().replace("_", "-").replace(" ", "-")
    studies = (row.get(name) for name in ("study_id", "study", "parent_study_id"))
    return Submission(str(row["id"]), str(who), status, tuple(s for s in studies if isinstance(s, str) and s))


def _goes_on(answer: dict[str, Any], rows: int) -> bool:
    """Whether there is another page: by the link to it, or where there are no links by a page that is full."""
    links = answer.get("_links")
    if not isinstance(links, dict) or "next" not in links:
        return rows >= PAGE
    following = links["next"]
    return bool(following.get("href") if isinstance(following, dict) else following)


def _refused(status: int, study: str) -> TruegainError:
    """What a status means: for one study, or, where others would fare no better, for all."""
    if status in (401, 403):
        return TruegainError(f"Prolific refuses the key ({status}); create a new API token in its settings and use it")
    if status == 429:
        return TruegainError(f"Prolific answered {status}; truegain will try again later")
    if status == 404:
        return OfStudyError(_unknown(study))
    if 300 <= status < 400:
        return OfStudyError(
            f"Prolific answered with a redirect ({status}), which is not followed: the key is sent only to its API"
        )
    return OfStudyError(f"Prolific answered {status}; truegain will try again later")


def _unknown(study: str) -> str:
    return f"Prolific has no study {study} (404); truegain will not ask again; check its id"


def _odd(study: str) -> OfStudyError:
    return OfStudyError(
        f"Prolific's answer about study {study} does not match its documentation; nothing was taken back; "
        "update truegain"
    )
