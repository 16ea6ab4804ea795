"""The organizer's page: signing in, looking, pausing, excluding, exporting."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError
from fastapi import APIRouter, Form, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.routing import APIRoute
from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy import select
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from truegain.errors import TruegainError
from truegain.judging.export import Readable, audit_trail, collected
from truegain.judging.server.live import Listener, LiveDecision, seen_of
from truegain.judging.server.organizer_page import OrganizerPages
from truegain.judging.server.security import WAIT, network_of
from truegain.judging.status import Insight
from truegain.judging.store.decisions import decision_version, stored_decision
from truegain.judging.store.schema import assessors, settings
from truegain.judging.study.study import JudgingStudy
from truegain.judging.workflow.organizer import OrganizerService

HOURS = 12.0  # that one stays signed in
TRIES = 5  # passwords that one address may try ...
WINDOW = 60.0  # ... within so many seconds
ADDRESSES = 10_000  # that are remembered; beyond, the oldest is forgotten
AT_ONCE = 2  # passwords hashed at a time: each takes 64 MB
SHORTEST, LONGEST_PASSWORD = 10, 1024  # characters of a password


class TooManyTriesError(Exception):
    """One address tried too many passwords; `wait` seconds until the next is looked at."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"too many tries; wait {wait:.0f} s")
        self.wait = wait


def password_hash_of(password: str) -> str:
    """The argon2id hash of a password, which alone is kept.

    >>> password_hash_of("a long enough one").partition("$v")[0]
    '$argon2id'
    """
    if not SHORTEST <= len(password) <= LONGEST_PASSWORD:
        raise TruegainError(
            f"the password has {len(password)} characters; use {SHORTEST} or more "
            f"(at most {LONGEST_PASSWORD:,}), such as four unrelated words"
        )
    return PasswordHasher().hash(password)


@dataclass(frozen=True)
class Pass:
    """What the cookie says: a random id, whether the password was given, and until when it counts."""

    id: str
    signed_in: bool
    until: float


class PasswordTries:
    """How often each address may try a password: `TRIES` in any `WINDOW`, by a clock that never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._made: OrderedDict[str, list[float]] = OrderedDict()

    def count(self, address: str) -> None:
        """Count a try before the password is looked at, so that tries side by side count too."""
        now = self._clock()
        with self._lock:
            made = [t for t in self._made.pop(address, []) if now - t < WINDOW]
            self._made[address] = made
            if len(made) >= TRIES:
                raise TooManyTriesError(WINDOW - (now - made[0]))
            made.append(now)
            if len(self._made) > ADDRESSES:
                self._made.popitem(last=False)

    def forget(self, address: str) -> None:
        """A right password clears the count."""
        with self._lock:
            self._made.pop(address, None)


class Door:
    """Lets in who knows the password; what it hands out is signed with the database's secret and the password's hash.

    So a new password ends every visit, who can read the hash alone cannot sign, and several server processes at one
    database need share nothing else.  Tries are counted by each process.  `is_out` tells of a visit whether it was
    ended: a copy of its cookie opens nothing any more.
    """

    def __init__(
        self,
        password_hash: str,
        secret: bytes,
        *,
        is_out: Callable[[str], bool] = lambda _: False,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            extract_parameters(password_hash)
        except InvalidHashError:
            raise TruegainError(
                "the organizer's password is not stored as an argon2 hash; set it again with `truegain annotate "
                "password`"
            ) from None
        self._is_out = is_out
        self._hash, self._clock, self._tries = password_hash, clock, PasswordTries(steady)
        self._secret = hmac.new(secret, b"truegain organizer: " + password_hash.encode(), hashlib.sha256).digest()
        self._cookies = URLSafeSerializer(self._secret, "cookie", signer_kwargs={"digest_method": hashlib.sha256})
        self._hashing = threading.BoundedSemaphore(AT_ONCE)

    def opens(self, password: str, address: str) -> bool:
        """Whether this is the password; as long for every wrong one as for the right one."""
        self._tries.count(address)
        with self._hashing:
            try:
                PasswordHasher().verify(self._hash, password[: LONGEST_PASSWORD + 1])
            except (VerificationError, UnicodeEncodeError):
                return False
        self._tries.forget(address)
        return True

    def visit(self, cookie: str | None) -> Pass | None:
        """The visit that a cookie of ours speaks of; None where it is another's, changed, too old, or signed out."""
        try:
            payload = self._cookies.loads(cookie or "")
            visit = Pass(str(payload["id"]), payload["signed_in"] is True, float(payload["until"]))
        except (BadData, KeyError, TypeError, ValueError):
            return None
        if self._clock() >= visit.until or (visit.signed_in and self._is_out(visit.id)):
            return None
        return visit

    def begin(self, *, signed_in: bool) -> Pass:
        """A new visit; signing in begins another one, so that nobody can hand a visit to somebody else."""
        return Pass(secrets.token_urlsafe(24), signed_in, self._clock() + HOURS * 3600)

    def cookie(self, visit: Pass) -> str:
        """The cookie of a visit, signed."""
        return str(self._cookies.dumps({"id": visit.id, "signed_in": visit.signed_in, "until": visit.until}))

    def token(self, visit: Pass) -> str:
        """What every form of this visit carries: nobody else's page can know it."""
        return hmac.new(self._secret, f"form {visit.id}".encode(), hashlib.sha256).hexdigest()

    def trusts(self, visit: Pass, token: str) -> bool:
        """Whether a form is one of ours, of this visit."""
        return hmac.compare_digest(self.token(visit).encode(), token.encode("utf-8", "replace"))


# ---------------------------------------------------------------------- routes


COOKIE = "truegain-organizer"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
LIVE = {"Content-Security-Policy": f"{HEADERS['Content-Security-Policy']}; script-src 'self'; connect-src 'self'"}
# A report has scripts and styles of its own: it is shown as if it came from nowhere, and can ask for nothing.
APART = {
    "Content-Security-Policy": "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
LONGEST = 1_000  # characters of a reason
NOTICES = ("paused", "resumed", "excluded", "readmitted", "stale")

Field = Annotated[str, Form()]


class _OrganizerRoute(APIRoute):
    """Every answer has the headers of this page; a request that cannot be read is told so, without repeating it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                answer = await handle(request)
            except RequestValidationError:
                answer = HTMLResponse("<!doctype html><title>400</title><p>The request could not be read.", 400)
            for name, value in HEADERS.items():
                answer.headers.setdefault(name, value)
            return answer

        return guarded


def organizer_routes(
    study: JudgingStudy,
    organizer: OrganizerService,
    insight: Insight,
    password_hash: str,
    results: Mapping[str, Path] | None = None,
) -> APIRouter:
    """The routes of the organizer's page, for the app to include.

    results: files that the decision's page links to once it has ended, by the name they have there; those alone, and
    to the organizer alone.
    """
    door = Door(password_hash, _secret(organizer.database), is_out=organizer.is_ended)
    reception = _Reception(study, organizer, insight, door, dict(results or {}))
    router = APIRouter(prefix=f"/organize/{study.name}", include_in_schema=False, route_class=_OrganizerRoute)
    router.get("")(reception.to_figures)
    router.get("/")(reception.figures)
    router.post("/")(reception.act)
    router.get("/sign-in")(reception.ask_password)
    router.post("/sign-in")(reception.sign_in)
    router.post("/sign-out")(reception.sign_out)
    router.get("/assessors/{assessor}/exclude")(reception.ask_why)
    router.post("/assessors/{assessor}/exclude")(reception.exclude)
    router.post("/assessors/{assessor}/readmit")(reception.readmit)
    router.get("/ratings.csv")(reception.ratings)
    router.get("/audit.jsonl")(reception.audit)
    router.get("/decision")(reception.decision)
    router.get("/decision/events")(reception.events)
    router.get("/files/{name}")(reception.result)
    return router


def _secret(database: Readable) -> bytes:
    """The database's secret, made when the study was opened."""
    query = select(settings.c.value).where(settings.c.name == "secret")
    return bytes.fromhex(database.read(lambda connection: connection.execute(query).scalar_one()))


class _Reception:
    """Looks who comes before anything is shown or done."""

    def __init__(
        self,
        study: JudgingStudy,
        organizer: OrganizerService,
        insight: Insight,
        door: Door,
        results: Mapping[str, Path],
    ) -> None:
        self._study, self._organizer, self._door, self._results = study, organizer, door, results
        self._pages = OrganizerPages(study, insight)
        database = organizer.database
        self._live = LiveDecision(lambda: database.read(decision_version), self._decision_now, organizer.ended)

    # ------------------------------------------------------------------ who

    def _visit(self, request: Request) -> Pass | None:
        visit = self._door.visit(request.cookies.get(COOKIE))
        return visit if visit is not None and visit.signed_in else None

    def _here(self, request: Request) -> str:
        return f"{request.scope.get('root_path', '')}/organize/{quote(self._study.name)}"

    def _to(self, request: Request, place: str = "/") -> RedirectResponse:
        return RedirectResponse(f"{self._here(request)}{place}", 303)

    def _stamp(self, answer: Response, request: Request, visit: Pass) -> Response:
        answer.set_cookie(
            COOKIE,
            self._door.cookie(visit),
            path=self._here(request),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer

    def _changed(self, request: Request, csrf: str, change: Callable[[], object], notice: str) -> Response:
        """Change something, where the visitor is known and the form is one of theirs."""
        visit = self._visit(request)
        if visit is None:
            return self._to(request, "/sign-in")
        if not self._door.trusts(visit, csrf):
            return self._to(request, "/?notice=stale")
        change()
        return self._to(request, f"/?notice={notice}")

    def to_figures(self, request: Request) -> Response:
        """The address without its last stroke."""
        return self._to(request)

    def ask_password(self, request: Request) -> Response:
        """The form that asks for the password."""
        return self._sign_in_page(request)

    def _sign_in_page(self, request: Request, wrong: str = "", status: int = 200, **about: object) -> Response:
        visit = self._door.visit(request.cookies.get(COOKIE)) or self._door.begin(signed_in=False)
        page = self._pages.sign_in(self._here(request), self._door.token(visit), wrong, **about)
        return self._stamp(HTMLResponse(page, status), request, visit)

    def sign_in(self, request: Request, csrf: Field = "", password: Field = "") -> Response:
        """Look at the password."""
        visit = self._door.visit(request.cookies.get(COOKIE))
        if visit is None or not self._door.trusts(visit, csrf):
            return self._sign_in_page(request, "sign_in.stale", 403)
        try:
            opened = self._door.opens(password, network_of(request.client.host if request.client else ""))
        except TooManyTriesError as many:
            answer = self._sign_in_page(request, "sign_in.wait", 429, n=int(many.wait) + 1)
            answer.headers["Retry-After"] = str(int(many.wait) + 1)
            return answer
        if not opened:
            return self._sign_in_page(request, "sign_in.wrong", 401)
        first = "/decision" if self._organizer.database.read(decision_version) else "/"  # what is settled comes first
        return self._stamp(self._to(request, first), request, self._door.begin(signed_in=True))

    def sign_out(self, request: Request, csrf: Field = "") -> Response:
        """Forget the visitor: the browser's cookie goes, and any copy of it opens nothing."""
        visit = self._door.visit(request.cookies.get(COOKIE))
        if visit is None or not self._door.trusts(visit, csrf):
            return self._to(request)
        if visit.signed_in:
            self._organizer.end_visit(visit.id, visit.until)
            self._live.end_visit(visit.id)
        answer = self._to(request, "/sign-in")
        answer.delete_cookie(COOKIE, path=self._here(request), httponly=True, samesite="strict")
        return answer

    # ------------------------------------------------------------------ what

    def figures(self, request: Request) -> Response:
        """How the study stands."""
        visit = self._visit(request)
        if visit is None:
            return self._to(request, "/sign-in")
        notice = request.query_params.get("notice", "")
        stored = self._organizer.database.read(stored_decision)
        page = self._pages.figures(
            self._organizer.database,
            self._here(request),
            self._door.token(visit),
            paused=self._organizer.paused,
            notice=notice if notice in NOTICES else "",
            everyone="all" in request.query_params,
            decision="" if stored is None else stored.decision.status,
        )
        return HTMLResponse(page)

    def act(self, request: Request, csrf: Field = "", action: Field = "") -> Response:
        """Pause, or go on."""
        if action not in ("pause", "resume"):
            return self._to(request)
        change = self._organizer.pause if action == "pause" else self._organizer.resume
        return self._changed(request, csrf, change, f"{action}d")

    def ask_why(self, request: Request, assessor: str) -> Response:
        """The form that asks why someone is excluded."""
        visit = self._visit(request)
        if visit is None:
            return self._to(request, "/sign-in")
        if not self._has_assessor(assessor):
            return self._missing(request, assessor)
        return HTMLResponse(self._pages.exclude(self._here(request), self._door.token(visit), assessor))

    def exclude(self, request: Request, assessor: str, csrf: Field = "", reason: Field = "") -> Response:
        """Exclude someone, with the reason."""
        visit = self._visit(request)
        if visit is not None and not self._has_assessor(assessor):
            return self._missing(request, assessor)
        reason = " ".join(reason.replace("\x00", "").encode("utf-8", "ignore").decode().split())[:LONGEST]
        if visit is not None and self._door.trusts(visit, csrf) and not any(c.isalnum() for c in reason):
            page = self._pages.exclude(self._here(request), csrf, assessor, reason, "exclude.empty")
            return HTMLResponse(page, 422)
        return self._changed(request, csrf, partial(self._organizer.exclude, assessor, reason), "excluded")

    def readmit(self, request: Request, assessor: str, csrf: Field = "") -> Response:
        """Take someone back."""
        if self._visit(request) is not None and not self._has_assessor(assessor):
            return self._missing(request, assessor)
        return self._changed(request, csrf, partial(self._organizer.readmit, assessor), "readmitted")

    def _has_assessor(self, assessor: str) -> bool:
        if "\x00" in assessor:  # PostgreSQL takes none
            return False
        query = select(assessors.c.id).where(assessors.c.id == assessor)
        return self._organizer.database.read(lambda connection: connection.execute(query).first()) is not None

    def _missing(self, request: Request, assessor: str) -> Response:
        return HTMLResponse(self._pages.missing(self._here(request), assessor), 404)

    # ------------------------------------------------------------------ the decision

    def decision(self, request: Request) -> Response:
        """The decision as it comes."""
        visit = self._visit(request)
        if visit is None:
            return self._to(request, "/sign-in")
        here, stored = self._here(request), self._organizer.database.read(stored_decision)
        fragment = self._pages.decision_now(stored, self._organizer.working(), self._results, here)
        return HTMLResponse(self._pages.decision(stored, fragment, here, self._door.token(visit)), headers=LIVE)

    async def events(self, request: Request) -> Response:
        """The decision, sent anew each time it changes, for as long as somebody listens."""
        visit = await run_in_threadpool(self._visit, request)
        if visit is None:
            return Response(status_code=401)  # a browser that listens does not sign in, and comes no more
        if self._live.is_full:
            return Response(status_code=503, headers={"Retry-After": WAIT})
        seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")
        return self._live.response(Listener(self._here(request), visit.id, visit.until, seen_of(seen)))

    def _decision_now(self, here: str) -> tuple[int, str]:
        stored = self._organizer.database.read(stored_decision)
        fragment = self._pages.decision_now(stored, self._organizer.working(), self._results, here)
        return 0 if stored is None else stored.version, fragment

    def result(self, request: Request, name: str) -> Response:
        """A file of results."""
        if self._visit(request) is None:
            return self._to(request, "/sign-in")
        path = self._results.get(name)
        if path is None or not path.is_file():
            return HTMLResponse(self._pages.no_file(self._here(request), name), 404)
        if path.suffix == ".html":
            return FileResponse(path, media_type="text/html", headers=APART)
        return FileResponse(path, filename=f"{self._study.name}-{name}")

    # ------------------------------------------------------------------ downloads

    def ratings(self, request: Request) -> Response:
        """The ratings that count, as `truegain annotate export` writes them; with all=1, everything, marked."""
        from truegain.judging.export import Wanted, rating_table

        everything = Wanted(unfinished=True, excluded=True, cannot=True, judges="all")
        answers = everything if "all" in request.query_params else Wanted()

        def write(path: Path) -> None:
            rating_table(self._study, collected(self._organizer.database).ratings(), answers).write(path)

        return self._file(request, "ratings.csv", "text/csv", write)

    def audit(self, request: Request) -> Response:
        """The audit trail."""
        from truegain.judging.export import write_audit

        def write(path: Path) -> None:
            write_audit(path, audit_trail(self._organizer.database))

        return self._file(request, "audit.jsonl", "application/jsonl", write)

    def _file(self, request: Request, name: str, kind: str, write: Callable[[Path], None]) -> Response:
        """A file that is written whole first, sent, and then removed."""
        if self._visit(request) is None:
            return self._to(request, "/sign-in")
        folder = Path(tempfile.mkdtemp(prefix="truegain-"))
        try:
            write(folder / name)
        except TruegainError as error:
            shutil.rmtree(folder, ignore_errors=True)
            return HTMLResponse(self._pages.nothing(self._here(request), str(error)), 409)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
        return FileResponse(folder / name, media_type=kind, filename=f"{self._study.name}-{name}", background=gone)
