"""Submissions that Prolific says were returned or timed out are taken back: their units are free again.

GET /api/v1/submissions/?study=ID lists a study's submissions, page by page; `Authorization: Token KEY`.
https://docs.prolific.com/api-reference/submissions/get-submissions
"""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, NamedTuple, Protocol

from truegain.errors import TruegainError

ADDRESS = "https://api.prolific.com/api/v1"
PLATFORM = "prolific"
LOST = ("RETURNED", "TIMED-OUT")
PAGE = 100  # submissions asked for at a time
MOST_PAGES = 1_000
LARGEST = 20_000_000  # bytes of one answer
PATIENCE = 30.0  # seconds for one answer
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Submission(NamedTuple):
    """Who took part in a Prolific study, and what became of it."""

    id: str
    participant: str
    status: str


class TakenBack(NamedTuple):
    """Who held a unit that is free now, and of which studies Prolific told nothing, with why."""

    freed: tuple[str, ...]
    wrong: Mapping[str, str]


class OfStudyError(TruegainError):
    """Prolific did not tell the submissions of one study; those of others it may."""


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
            answer = self._get(f"{self.address}/submissions/?{query}", study)
            rows = answer.get("results")
            if not isinstance(rows, list):
                raise _odd(study)
            yield from (_submission(row, study) for row in rows)
            if not _goes_on(answer, len(rows)):
                return
        raise OfStudyError(
            f"Prolific study {study}: more than {MOST_PAGES * PAGE:,} submissions; nothing more was read"
        )

    def _get(self, address: str, study: str) -> dict[str, Any]:
        request = urllib.request.Request(address)
        request.add_unredirected_header("Authorization", f"Token {self.key.strip()}")
        request.add_header("Accept", "application/json")
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                body = answer.read(LARGEST + 1)
        except urllib.error.HTTPError as error:
            error.close()
            raise _refused(error.code, study) from None
        except (OSError, HTTPException) as error:
            why = type(getattr(error, "reason", error)).__name__
            raise TruegainError(f"Prolific cannot be reached ({why}); taking back is tried again later") from None
        if len(body) > LARGEST:
            raise _odd(study)
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            raise _odd(study) from None
        if not isinstance(found, dict):
            raise _odd(study)
        return found


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
    return Submission(str(row["id"]), str(who), status)


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
        return TruegainError(f"Prolific answered {status}; taking back is tried again later")
    if status == 404:
        return OfStudyError(_unknown(study))
    if 300 <= status < 400:
        return OfStudyError(
            f"Prolific answered with a redirect ({status}), which is not followed: the key is sent to its API alone"
        )
    return OfStudyError(f"Prolific answered {status}; taking back is tried again later")


def _unknown(study: str) -> str:
    return f"Prolific knows no study {study} (404); it is not asked about again"


def _odd(study: str) -> OfStudyError:
    return OfStudyError(
        f"Prolific's answer about study {study} is not as its documentation says; nothing was taken back"
    )
