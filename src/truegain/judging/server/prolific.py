"""What Prolific is asked where there is a key: whether who comes is theirs, and which submissions are taken back.

Those that were returned or timed out free their units.

GET /api/v1/submissions/ID/ tells a submission, by the id that is SESSION_ID in addresses; /api/v1/submissions/?study=ID
lists a study's, page by page; `Authorization: Token KEY`.
https://docs.prolific.com/api-reference/submissions/get-submission and get-submissions
"""

from __future__ import annotations

import json
import re
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

from truegain.errors import TruegainError
from truegain.judging.desk.steps import Person
from truegain.judging.server.buckets import Buckets

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
    """Prolific's answer is not as its documentation says."""


class Releases(Protocol):
    """What is needed of the office."""

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
            raise TruegainError(f"{self.address}: the key is sent by https alone")
        if not self.key.strip() or not self.key.isascii() or not self.key.isprintable():
            raise TruegainError(
                "the key for Prolific's API is empty or holds characters that no key has; copy it again"
            )

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
            f"Prolific study {study}: more than {MOST_PAGES * PAGE:,} submissions; nothing more was read"
        )

    def submission(self, id: str) -> Submission | None:  # noqa: A002
        """One submission by its id; None where it can be none; raises UnseenError where this key sees none."""
        if not _SUBMISSION.fullmatch(id):
            return None
        try:
            row = self._get(f"submissions/{id}/", AT_THE_DOOR)
            found = _submission(row, "")
        except _StatusError as error:
            if error.status == 400:
                return None
            if error.status in (403, 404):
                raise UnseenError(error.status) from None
            raise _refused(error.status, "") from None
        except (_OddError, OfStudyError):
            raise TruegainError("Prolific's answer about a submission is not as its documentation says") from None
        return found if found.id == id else None

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
            raise TruegainError(f"Prolific cannot be reached ({why}); it is tried again later") from None
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            raise _OddError from None
        if not isinstance(found, dict):
            raise _OddError
        return found


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
        asked = (person.id, person.about.get("study", ""), person.about.get("session", ""))
        if not all(asked):
            return "no"
        with self._lock:
            known, until = self._known.get(asked, ("no", -1.0))
        if self._clock() < until:
            return known
        if network and self._rates.take(network, ASKED_BURST, ASKED_RATE):
            return "many"
        if not self._asking.acquire(blocking=False):
            return "unsure"
        try:
            found = self._prolific.submission(asked[2])
            if found is not None:
                self._seen()
        except UnseenError as error:
            found = None
            self._unseen(asked[2], error.status)
        except TruegainError as error:
            self._say(str(error))
            return "unsure"
        finally:
            self._asking.release()
        self._said = ""
        is_theirs = found is not None and found.participant == asked[0] and asked[1] in found.studies
        verified: Verified = "yes" if is_theirs and found and found.status not in SHUT else "no"
        with self._lock:
            self._known.pop(asked, None)
            self._known[asked] = (verified, self._clock() + SURE_FOR[verified])
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
            why = f"Prolific does not show this key the submission that somebody came with ({status})"
        else:
            why = f"Prolific knows none of the last {STRANGERS} submissions that people came with ({status})"
        self._tell(
            f"people from Prolific cannot come in: {why}; unless somebody makes addresses up, the key is of another "
            "workspace than the study: make an API token in the study's workspace and give that (told once)"
        )

    def _say(self, sentence: str) -> None:
        """Tell what is wrong, once as long as it stays so."""
        if sentence != self._said:
            self._said = sentence
            self._tell(f"people from Prolific cannot come in: {sentence}")


def take_back(prolific: Prolific, studies: Iterable[str], office: Releases) -> TakenBack:
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
        freed |= {s.participant: None for s in lost if office.release(PLATFORM, s.participant, s.id)}
    return TakenBack(tuple(freed), wrong)


def keep_taking_back(
    prolific: Prolific,
    studies: Callable[[], Iterable[str]],
    office: Releases,
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
                found = take_back(prolific, [s for s in studies() if s not in unknown], office)
                unknown |= {study for study, said in found.wrong.items() if said == _unknown(study)}
                said = list(dict.fromkeys(found.wrong.values()))
            except Exception as error:
                said = [str(error) if isinstance(error, TruegainError) else f"taking back: {type(error).__name__}"]
            for sentence in said:
                if sentence not in before:
                    tell(sentence)
            before = set(said)
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
        return TruegainError(f"Prolific refuses the key ({status}); make a new API token in its settings and give that")
    if status == 429:
        return TruegainError(f"Prolific answered {status}; it is tried again later")
    if status == 404:
        return OfStudyError(_unknown(study))
    if 300 <= status < 400:
        return OfStudyError(
            f"Prolific answered with a redirect ({status}), which is not followed: the key is sent to its API alone"
        )
    return OfStudyError(f"Prolific answered {status}; it is tried again later")


def _unknown(study: str) -> str:
    return f"Prolific knows no study {study} (404); it is not asked about again"


def _odd(study: str) -> OfStudyError:
    return OfStudyError(
        f"Prolific's answer about study {study} is not as its documentation says; nothing was taken back"
    )
