"""The web app, and the pages of assessors: each request is one call of `AssessorService`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, get_args

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.exception_handlers import http_exception_handler, request_validation_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as StarletteHTTPException

from truegain._version import __version__
from truegain.judging.server.platforms import Verified, comer, new_id
from truegain.judging.server.render import Renderer, path
from truegain.judging.server.security import (
    MOST_FIELDS,
    WAIT,
    Fields,
    RateLimits,
    RequestGuard,
    base_of,
    counted_as,
    failure,
    path_of,
)
from truegain.judging.store.database import Database
from truegain.judging.study.study import JudgingStudy
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.steps import Elsewhere, Entered, PageStep, Person, StepName, UnknownToken

NAMES: tuple[StepName, ...] = get_args(StepName)
NUMBERED = ("practice", "doc")
CLOSED = ("none", "paused", "known", "given-up", "excluded", "preview", "invitation")  # why there is no unit
NOTICES = ("paste", "blur")
REFUSED: dict[Verified, tuple[str, int, str]] = {
    "no": ("from.unknown", 403, ""),
    "unsure": ("from.unsure", 503, WAIT),
    "many": ("http.429", 429, WAIT),
}
DAYS = 60  # that a browser knows its place


async def form(request: Request) -> dict[str, str]:
    """The fields of a form as texts, with one kind of line end; files are none of ours."""
    try:
        async with request.form(max_files=0, max_fields=MOST_FIELDS) as sent:
            fields = {name: value for name, value in sent.multi_items() if isinstance(value, str)}
    except (StarletteHTTPException, ValueError):  # a character set that cannot be, UnicodeError among them
        raise HTTPException(400) from None
    if not 0 < len(fields) <= MOST_FIELDS:  # none of our pages has an empty form: what was typed would be lost
        raise HTTPException(400)
    return {name: value.replace("\r\n", "\n").replace("\r", "\n") for name, value in fields.items()}


Form = Annotated[dict[str, str], Depends(form)]


Verify = Callable[[Person, str], Verified]  # who comes, and the address that counts it


def assessor_routes(
    study: JudgingStudy, service: AssessorService, renderer: Renderer, verify: Verify | None = None
) -> tuple[APIRouter, APIRouter]:
    """Where people come in, and their units."""
    anybody = study.people.platform != "invitation" and verify is None  # else who comes is somebody
    return _entry(study, service, renderer, verify), _unit(study, service, renderer, anybody=anybody)


def _entry(study: JudgingStudy, service: AssessorService, renderer: Renderer, verify: Verify | None) -> APIRouter:
    router = APIRouter()
    home, cookie = f"/s/{study.name}/", f"truegain-{study.name}"

    def enter(request: Request, person: Person, invitation: str = "") -> Response:
        network = counted_as(request.scope)
        if verify is not None:
            verdict = verify(person, network)
            if verdict != "yes":
                page, status, wait = REFUSED[verdict]
                return HTMLResponse(
                    renderer.plain(page, _base(request)), status, {"Retry-After": wait} if wait else None
                )
        is_somebody = invitation or verify is not None  # nobody else can be made up
        entered = service.enter(person, invitation=invitation, network="" if is_somebody else network)
        if entered.reason == "invitation":
            return HTMLResponse(renderer.plain("from.invitation", _base(request)), 403)
        return _go(_base(request) + _inside(entered, home))

    @router.get("/")
    def root(request: Request) -> Response:
        return _go(_base(request) + home)

    @router.get(f"/s/{study.name}")
    @router.get(home)
    def come(request: Request) -> Response:
        _refuse_prefetch(request)
        who = comer(study.people, request.query_params, request.cookies.get(cookie, ""))
        if who.person:
            return enter(request, who.person, who.invitation)
        if who.page == "welcome":
            return HTMLResponse(renderer.before("welcome", _base(request), _base(request) + home))
        if who.page == "preview":
            return _go(f"{_base(request)}{home}preview")
        return HTMLResponse(renderer.plain(who.page, _base(request)), 403)

    @router.post(home)
    def begin(request: Request) -> Response:
        if study.people.platform != "open":
            raise HTTPException(405)
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise HTTPException(403)
        newcomer = comer(study.people, {}, request.cookies.get(cookie, "")).person
        person = newcomer or Person("open", new_id())
        response = enter(request, person)
        response.set_cookie(
            cookie,
            person.id,
            max_age=DAYS * 86_400,
            path=_base(request) + home,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    @router.get(home + "{why}")
    def closed(request: Request, why: str) -> Response:
        if why not in CLOSED:
            raise HTTPException(404)
        if why == "preview":
            return HTMLResponse(renderer.before("preview", _base(request)))
        return HTMLResponse(renderer.plain("from.invitation" if why == "invitation" else why, _base(request)))

    return router


@dataclass(frozen=True)
class _Pages:
    """A unit's pages: shown, sent, and gone to."""

    service: AssessorService
    renderer: Renderer

    def show(self, request: Request, token: str, step: PageStep) -> Response:
        """A page, or the one where the unit is."""
        _refuse_prefetch(request)
        if step.name not in ("leave", "undo") and (other_token := self.followed(token)) != token:
            return self.go(request, other_token, self.service.where(other_token))
        try:
            page = self.service.page(token, step)
        except Elsewhere as other:
            return self.go(request, token, other.step)
        words = page.step.name == "practice" and "words" in request.query_params
        return HTMLResponse(self.renderer.page(page, token, _base(request), words=words))

    def send(self, request: Request, token: str, step: PageStep, fields: Mapping[str, str]) -> Response:
        """Take what was filled in, and go on."""
        try:
            reached = self.service.send(token, step, fields)
        except Elsewhere as other:
            reached = other.step
        if reached.name != "leave" and (other_token := self.followed(token)) != token:
            return self.go(request, other_token, self.service.where(other_token))
        return self.go(request, token, reached)

    def followed(self, token: str) -> str:
        """Where one of a team goes on, by a token of theirs; anybody else at the same."""
        return token if self.renderer.study.team is None else self.service.follow(token)

    @staticmethod
    def go(request: Request, token: str, step: PageStep) -> Response:
        """Send the browser to a step."""
        words = "?words=1" if step.name == "practice" and "words" in request.query_params else ""
        return _go(f"{_base(request)}/u/{token}/{path(step)}{words}")


def _unit(study: JudgingStudy, service: AssessorService, renderer: Renderer, *, anybody: bool) -> APIRouter:
    router = APIRouter(prefix="/u/{token}")

    pages = _Pages(service, renderer)

    @router.get("")
    @router.get("/")
    def current(request: Request, token: str) -> Response:
        _refuse_prefetch(request)
        return pages.go(request, token, service.where(token))

    @router.get("/instructions")
    def instructions(request: Request, token: str) -> Response:
        service.where(token)  # known, or nothing is shown
        return HTMLResponse(renderer.before("instructions", _base(request)))

    @router.post("/notice")
    def notice(token: str, fields: Form) -> Response:
        kind = fields.get("kind", "")
        if kind not in NOTICES:
            raise HTTPException(422)
        service.noticed(token, kind, {n: fields[n][:40] for n in ("field", "length", "step") if n in fields})
        return Response(status_code=204)

    @router.post("/here")
    def here(token: str) -> Response:
        return Response(status_code=204 if service.beat(token) else 205)  # 205: look anew

    @router.post("/another")
    def another(request: Request, token: str) -> Response:
        try:
            entered = service.another(token, network=counted_as(request.scope) if anybody else "")
        except Elsewhere as other:
            return pages.go(request, token, other.step)
        return _go(_base(request) + _inside(entered, f"/s/{study.name}/"))

    @router.get("/{name}")
    def page(request: Request, token: str, name: str) -> Response:
        return pages.show(request, token, _step(name))

    @router.get("/{name}/{number}")
    def numbered(request: Request, token: str, name: str, number: str) -> Response:
        return pages.show(request, token, _step(name, number))

    @router.post("/{name}")
    def sent(request: Request, token: str, name: str, fields: Form) -> Response:
        return pages.send(request, token, _step(name), fields)

    @router.post("/{name}/{number}")
    def sent_numbered(request: Request, token: str, name: str, number: str, fields: Form) -> Response:
        return pages.send(request, token, _step(name, number), fields)

    return router


def _step(name: str, number: str = "") -> PageStep:
    """The step that an address names."""
    step_name = next((candidate for candidate in NAMES if candidate == name), None)
    if step_name is None or (step_name in NUMBERED) != bool(number):
        raise HTTPException(404)
    if not number:
        return PageStep(step_name)
    if not (number.isascii() and number.isdecimal() and len(number) < 6):
        raise HTTPException(404)
    return PageStep(step_name, int(number))


def _inside(entered: Entered, home: str) -> str:
    """The address of a unit, or of the page that says why there is none."""
    return f"/u/{entered.token}/" if entered.token else home + (entered.reason if entered.reason in CLOSED else "none")


def _base(request: Request) -> str:
    """What comes before our addresses where a proxy puts us below one."""
    return base_of(request.scope)


def _go(address: str) -> Response:
    return RedirectResponse(address, 303)


def _refuse_prefetch(request: Request) -> None:
    """A page that a browser fetches in advance is not seen: no unit is taken for it, no clock runs."""
    if "prefetch" in request.headers.get("sec-purpose", request.headers.get("purpose", "")):
        raise HTTPException(503)


# ---------------------------------------------------------------------- the app


LIMITS = RateLimits()
Routes = Callable[[JudgingStudy, AssessorService, Database], APIRouter]


def create_app(
    study: JudgingStudy,
    database: Database | str,
    *,
    service: AssessorService | None = None,
    more: Sequence[Routes] = (),
    limits: RateLimits | None = LIMITS,
    per_address: int = 0,
    verify: Verify | None = None,
) -> FastAPI:
    """Make the app that serves a study.

    Parameters
    ----------
    study : JudgingStudy
        What is judged.
    database : Database or str
        Where answers are kept, or its address.
    service : AssessorService, optional
        One that is open already.
    more : sequence of callables
        Make the routes of other parts from the study, the service and the database.
    limits : RateLimits, optional
        Of requests; None for no limits, as in a test of load.
    per_address : int, default 0
        Units that may be held from one address at a time, where anybody can come; 0 for any number.
    verify : callable, optional
        Asks the platform whether a person is who the address says.

    Returns
    -------
    FastAPI

    """
    store = Database(database) if isinstance(database, str) else database
    served = service or AssessorService(study, store, per_address=per_address)
    renderer = Renderer(study)

    def plain(status: int, base: str, again: Fields | None) -> str:
        text_name = (
            f"http.{status}" if f"http.{status}.title" in renderer.texts else f"http.{400 if status < 500 else 500}"
        )
        return renderer.plain(text_name, base, again)

    @asynccontextmanager
    async def until_the_end(_: FastAPI) -> AsyncIterator[None]:
        yield
        if isinstance(database, str):  # what was opened here is closed here: SQLite then has all in one file
            store.close()

    app = FastAPI(
        title=f"truegain annotate: {study.words.title}",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=until_the_end,
    )
    app.add_middleware(RequestGuard, plain=plain, mturk=study.people.platform == "mturk", limits=limits)
    app.mount("/static", StaticFiles(directory=str(files("truegain.judging") / "static")), name="static")
    for routes in more:
        app.include_router(routes(study, served, store))
    for router in assessor_routes(study, served, renderer, verify):
        app.include_router(router, include_in_schema=False)

    @app.exception_handler(StarletteHTTPException)
    async def refused(request: Request, error: StarletteHTTPException) -> Response:
        if path_of(request.scope).startswith("/api/"):
            return await http_exception_handler(request, error)
        return failure(error.status_code, request.scope, plain, dict(error.headers or {}))

    @app.exception_handler(UnknownToken)
    async def unknown(request: Request, _: UnknownToken) -> Response:
        return await refused(request, StarletteHTTPException(404))

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> Response:
        if path_of(request.scope).startswith("/api/"):
            return await request_validation_exception_handler(request, error)
        return failure(422, request.scope, plain)

    return app
