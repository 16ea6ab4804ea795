"""The organiser's page, behind a password: how the study stands, who judges, pause, exclude, downloads.

GET  /organise/{study}/                        the figures                POST  pause, resume
GET  /organise/{study}/sign-in                 asks for the password      POST  looks at it
POST /organise/{study}/sign-out
GET  /organise/{study}/assessors/{id}/exclude  asks why                   POST  excludes
POST /organise/{study}/assessors/{id}/readmit
GET  /organise/{study}/ratings.csv, audit.jsonl
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Protocol
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.routing import APIRoute
from sqlalchemy import select
from starlette.background import BackgroundTask

from truegain.errors import TruegainError
from truegain.judging.collected import Readable, audit, collected
from truegain.judging.insight import Insight
from truegain.judging.server.organiser_page import OrganiserPages
from truegain.judging.server.security import network_of
from truegain.judging.server.sign_in import Door, Pass, TooManyTriesError
from truegain.judging.store.schema import assessors, settings
from truegain.judging.study.study import JudgingStudy

COOKIE = "truegain-organiser"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
LONGEST = 1_000  # characters of a reason
SAID = ("paused", "resumed", "excluded", "readmitted", "stale")

Field = Annotated[str, Form()]


class OrganiserOffice(Protocol):
    """What is needed of the office."""

    @property
    def database(self) -> Readable:
        """Where everything is."""
        ...

    @property
    def paused(self) -> bool:
        """Whether no new units are given out."""
        ...

    def pause(self) -> object:
        """Give out no new units."""
        ...

    def resume(self) -> object:
        """Give them out again."""
        ...

    def exclude(self, assessor: str, why: str) -> object:
        """Leave an assessor out; the judgments are kept."""
        ...

    def readmit(self, assessor: str) -> object:
        """Take an assessor back."""
        ...

    def end_visit(self, visit: str, until: float) -> object:
        """Let nobody in by a visit any more, which would have ended at `until`."""
        ...

    def is_ended(self, visit: str) -> bool:
        """Whether a visit was ended."""
        ...


class _OrganiserRoute(APIRoute):
    """Every answer has the headers of this page; a request that cannot be read is told so, without repeating it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                answer = await handle(request)
            except RequestValidationError:
                answer = HTMLResponse("<!doctype html><title>400</title><p>The request could not be read.", 400)
            for name, value in HEADERS.items():
                answer.headers[name] = value
            return answer

        return guarded


def organiser_routes(study: JudgingStudy, office: OrganiserOffice, insight: Insight, password_hash: str) -> APIRouter:
    """The routes of the organiser's page, for the app to include."""
    reception = _Reception(
        study, office, insight, Door(password_hash, _secret(office.database), is_out=office.is_ended)
    )
    router = APIRouter(prefix=f"/organise/{study.name}", include_in_schema=False, route_class=_OrganiserRoute)
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
    return router


def _secret(database: Readable) -> bytes:
    """The database's secret, made when the study was opened."""
    query = select(settings.c.value).where(settings.c.name == "secret")
    return bytes.fromhex(database.read(lambda connection: connection.execute(query).scalar_one()))


class _Reception:
    """Looks who comes before anything is shown or done."""

    def __init__(self, study: JudgingStudy, office: OrganiserOffice, insight: Insight, door: Door) -> None:
        self._study, self._office, self._door = study, office, door
        self._pages = OrganiserPages(study, insight)

    # ------------------------------------------------------------------ who

    def _known(self, request: Request) -> Pass | None:
        visit = self._door.visit(request.cookies.get(COOKIE))
        return visit if visit is not None and visit.known else None

    def _here(self, request: Request) -> str:
        return f"{request.scope.get('root_path', '')}/organise/{quote(self._study.name)}"

    def _to(self, request: Request, place: str = "/") -> RedirectResponse:
        return RedirectResponse(f"{self._here(request)}{place}", 303)

    def _stamp(self, answer: Response, request: Request, visit: Pass) -> Response:
        answer.set_cookie(
            COOKIE, self._door.cookie(visit), path=self._here(request), httponly=True, samesite="strict",
            secure=request.url.scheme == "https",
        )  # fmt: skip
        return answer

    def _changed(self, request: Request, csrf: str, change: Callable[[], object], said: str) -> Response:
        """Change something, where the visitor is known and the form is one of theirs."""
        visit = self._known(request)
        if visit is None:
            return self._to(request, "/sign-in")
        if not self._door.trusts(visit, csrf):
            return self._to(request, "/?said=stale")
        change()
        return self._to(request, f"/?said={said}")

    def to_figures(self, request: Request) -> Response:
        """The address without its last stroke."""
        return self._to(request)

    def ask_password(self, request: Request) -> Response:
        """The form that asks for the password."""
        return self._sign_in_page(request)

    def _sign_in_page(self, request: Request, wrong: str = "", status: int = 200, **about: object) -> Response:
        visit = self._door.visit(request.cookies.get(COOKIE)) or self._door.begin(known=False)
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
        return self._stamp(self._to(request), request, self._door.begin(known=True))

    def sign_out(self, request: Request, csrf: Field = "") -> Response:
        """Forget the visitor: the browser's cookie goes, and any copy of it opens nothing."""
        visit = self._door.visit(request.cookies.get(COOKIE))
        if visit is None or not self._door.trusts(visit, csrf):
            return self._to(request)
        if visit.known:
            self._office.end_visit(visit.id, visit.until)
        answer = self._to(request, "/sign-in")
        answer.delete_cookie(COOKIE, path=self._here(request), httponly=True, samesite="strict")
        return answer

    # ------------------------------------------------------------------ what

    def figures(self, request: Request) -> Response:
        """How the study stands."""
        visit = self._known(request)
        if visit is None:
            return self._to(request, "/sign-in")
        said = request.query_params.get("said", "")
        page = self._pages.figures(
            self._office.database, self._here(request), self._door.token(visit), paused=self._office.paused,
            said=said if said in SAID else "", everyone="all" in request.query_params,
        )  # fmt: skip
        return HTMLResponse(page)

    def act(self, request: Request, csrf: Field = "", action: Field = "") -> Response:
        """Pause, or go on."""
        if action not in ("pause", "resume"):
            return self._to(request)
        change = self._office.pause if action == "pause" else self._office.resume
        return self._changed(request, csrf, change, f"{action}d")

    def ask_why(self, request: Request, assessor: str) -> Response:
        """The form that asks why someone is excluded."""
        visit = self._known(request)
        if visit is None:
            return self._to(request, "/sign-in")
        if not self._is_known(assessor):
            return self._missing(request, assessor)
        return HTMLResponse(self._pages.exclude(self._here(request), self._door.token(visit), assessor))

    def exclude(self, request: Request, assessor: str, csrf: Field = "", reason: Field = "") -> Response:
        """Exclude someone, with the reason."""
        visit = self._known(request)
        if visit is not None and not self._is_known(assessor):
            return self._missing(request, assessor)
        reason = " ".join(reason.replace("\x00", "").encode("utf-8", "ignore").decode().split())[:LONGEST]
        if visit is not None and self._door.trusts(visit, csrf) and not any(c.isalnum() for c in reason):
            page = self._pages.exclude(self._here(request), csrf, assessor, reason, "exclude.empty")
            return HTMLResponse(page, 422)
        return self._changed(request, csrf, partial(self._office.exclude, assessor, reason), "excluded")

    def readmit(self, request: Request, assessor: str, csrf: Field = "") -> Response:
        """Take someone back."""
        if self._known(request) is not None and not self._is_known(assessor):
            return self._missing(request, assessor)
        return self._changed(request, csrf, partial(self._office.readmit, assessor), "readmitted")

    def _is_known(self, assessor: str) -> bool:
        if "\x00" in assessor:  # PostgreSQL takes none
            return False
        query = select(assessors.c.id).where(assessors.c.id == assessor)
        return self._office.database.read(lambda connection: connection.execute(query).first()) is not None

    def _missing(self, request: Request, assessor: str) -> Response:
        return HTMLResponse(self._pages.missing(self._here(request), assessor), 404)

    # ------------------------------------------------------------------ downloads

    def ratings(self, request: Request) -> Response:
        """The ratings that count, as `truegain judging export` writes them; with all=1, everything, marked."""
        from truegain.judging.export import Wanted, rating_table

        everything = Wanted(unfinished=True, excluded=True, cannot=True, judges="all")
        wanted = everything if "all" in request.query_params else Wanted()

        def write(path: Path) -> None:
            rating_table(self._study, collected(self._office.database).ratings(), wanted).write(path)

        return self._file(request, "ratings.csv", "text/csv", write)

    def audit(self, request: Request) -> Response:
        """The audit trail."""
        from truegain.judging.export import write_audit

        def write(path: Path) -> None:
            write_audit(path, audit(self._office.database))

        return self._file(request, "audit.jsonl", "application/jsonl", write)

    def _file(self, request: Request, name: str, kind: str, write: Callable[[Path], None]) -> Response:
        """A file that is written whole first, sent, and then removed."""
        if self._known(request) is None:
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
