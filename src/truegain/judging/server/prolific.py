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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, NamedTuple, Protocol

from truegain.errors import TruegainError

ADDRESS = "https://api.prolific.com/api/v1"
PLATFORM = "prolific"
LOST = ("RETURNED", "TIMED-OUT")
GONE = (*LOST, "REJECTED", "SCREENED-OUT")  # a person with another submission beside these is still at work, or done
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


class Releases(Protocol):
    """What is needed of the office."""

    def release(self, platform: str, id: str) -> object:  # noqa: A002
        """Free what a person holds, and keep the fact; something true where there was a unit to free."""
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
        raise TruegainError(
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
            raise TruegainError(_refused(error.code, study)) from None
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


def take_back(prolific: Prolific, studies: Iterable[str], office: Releases) -> tuple[str, ...]:
    """Free the units of all who returned their submission or ran out of time; ids of those who held one.

    Who has another submission in these studies that is under way or done is left alone.  Asking again changes nothing.
    """
    every = [s for study in dict.fromkeys(studies) for s in prolific.submissions(study)]
    at_work = {s.participant for s in every if s.status not in GONE}
    lost = dict.fromkeys(s.participant for s in every if s.status in LOST and s.participant not in at_work)
    return tuple(who for who in lost if office.release(PLATFORM, who))


def keep_taking_back(
    prolific: Prolific,
    studies: Callable[[], Iterable[str]],
    office: Releases,
    *,
    every: float = 120.0,
    tell: Callable[[str], object] | None = None,
) -> threading.Event:
    """Take back every so many seconds, beside the server; set the event to end it.

    studies: asked each time, for people of another Prolific study may have come.  tell: called with a sentence where
    Prolific does not answer; what went wrong once is tried again.
    """
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            try:
                take_back(prolific, studies(), office)
            except Exception as error:
                if tell is not None:
                    tell(str(error) if isinstance(error, TruegainError) else f"taking back: {type(error).__name__}")
            stop.wait(every)

    threading.Thread(target=work, name="prolific", daemon=True).start()
    return stop


def _submission(row: Any, study: str) -> Submission:
    who = isinstance(row, dict) and (row.get("participant_id") or row.get("participant"))
    if not who or not isinstance(row.get("status"), str):
        raise _odd(study)
    status = row["status"].strip().upper().replace("_", "-").replace(" ", "-")
    return Submission(str(row.get("id", "")), str(who), status)


def _goes_on(answer: dict[str, Any], rows: int) -> bool:
    """Whether there is another page: by the link to it, or where there are no links by a page that is full."""
    links = answer.get("_links")
    if not isinstance(links, dict) or "next" not in links:
        return rows >= PAGE
    following = links["next"]
    return bool(following.get("href") if isinstance(following, dict) else following)


def _refused(status: int, study: str) -> str:
    if status in (401, 403):
        return f"Prolific refuses the key ({status}); make a new API token in its settings and give that"
    if status == 404:
        return f"Prolific knows no study {study} (404); give the id that it passes as STUDY_ID"
    if 300 <= status < 400:
        return f"Prolific answered with a redirect ({status}), which is not followed: the key is sent to its API alone"
    return f"Prolific answered {status}; taking back is tried again later"


def _odd(study: str) -> TruegainError:
    return TruegainError(
        f"Prolific's answer about study {study} is not as its documentation says; nothing was taken back"
    )
