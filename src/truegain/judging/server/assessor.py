"""The assessor's addresses: requests become calls of the desk, and its pages become HTML; nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, get_args

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

from truegain.judging.desk.desk import Desk
from truegain.judging.desk.steps import Elsewhere, Entered, PageStep, Person, StepName
from truegain.judging.server.people import comer, new_id
from truegain.judging.server.prolific import Verified
from truegain.judging.server.render import Renderer, path
from truegain.judging.server.security import MOST_FIELDS, WAIT, base_of, counted_as
from truegain.judging.study.study import JudgingStudy

NAMES: tuple[StepName, ...] = get_args(StepName)
NUMBERED = ("practice", "doc")
CLOSED = ("none", "paused", "excluded", "preview", "invitation")  # why there is no unit
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
            given = {name: value for name, value in sent.multi_items() if isinstance(value, str)}
    except (StarletteHTTPException, ValueError):  # a character set that cannot be, UnicodeError among them
        raise HTTPException(400) from None
    if not 0 < len(given) <= MOST_FIELDS:  # none of our pages has an empty form: what was typed would be lost
        raise HTTPException(400)
    return {name: value.replace("\r\n", "\n").replace("\r", "\n") for name, value in given.items()}


Form = Annotated[dict[str, str], Depends(form)]


Verify = Callable[[Person, str], Verified]  # who comes, and the address that counts it


def assessor_routes(study: JudgingStudy, desk: Desk, renderer: Renderer, verify: Verify | None = None) -> APIRouter:
    """Where people come in, and their units."""
    router = APIRouter(include_in_schema=False)
    router.include_router(_entry(study, desk, renderer, verify))
    anybody = study.people.platform != "invitation" and verify is None  # else who comes is somebody
    router.include_router(_unit(study, desk, renderer, anybody=anybody))
    return router


def _entry(study: JudgingStudy, desk: Desk, renderer: Renderer, verify: Verify | None) -> APIRouter:
    router = APIRouter()
    home, cookie = f"/s/{study.name}/", f"truegain-{study.name}"

    def enter(request: Request, person: Person, invitation: str = "") -> Response:
        network = counted_as(request.scope)
        if verify is not None:
            found = verify(person, network)
            if found != "yes":
                page, status, wait = REFUSED[found]
                return HTMLResponse(
                    renderer.plain(page, _base(request)), status, {"Retry-After": wait} if wait else None
                )
        is_somebody = invitation or verify is not None  # nobody else can be made up
        entered = desk.enter(person, invitation=invitation, network="" if is_somebody else network)
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
        known = comer(study.people, {}, request.cookies.get(cookie, "")).person
        person = known or Person("open", new_id())
        response = enter(request, person)
        response.set_cookie(
            cookie, person.id, max_age=DAYS * 86_400, path=_base(request) + home, httponly=True, samesite="lax",
            secure=request.url.scheme == "https",
        )  # fmt: skip
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

    desk: Desk
    renderer: Renderer

    def show(self, request: Request, token: str, step: PageStep) -> Response:
        """A page, or the one where the unit is."""
        _refuse_prefetch(request)
        try:
            page = self.desk.page(token, step)
        except Elsewhere as other:
            return self.go(request, token, other.step)
        words = page.step.name == "practice" and "words" in request.query_params
        return HTMLResponse(self.renderer.page(page, token, _base(request), words=words))

    def send(self, request: Request, token: str, step: PageStep, fields: Mapping[str, str]) -> Response:
        """Take what was filled in, and go on."""
        try:
            return self.go(request, token, self.desk.send(token, step, fields))
        except Elsewhere as other:
            return self.go(request, token, other.step)

    @staticmethod
    def go(request: Request, token: str, step: PageStep) -> Response:
        """Send the browser to a step."""
        words = "?words=1" if step.name == "practice" and "words" in request.query_params else ""
        return _go(f"{_base(request)}/u/{token}/{path(step)}{words}")


def _unit(study: JudgingStudy, desk: Desk, renderer: Renderer, *, anybody: bool) -> APIRouter:
    router = APIRouter(prefix="/u/{token}")

    pages = _Pages(desk, renderer)

    @router.get("")
    @router.get("/")
    def current(request: Request, token: str) -> Response:
        _refuse_prefetch(request)
        return pages.go(request, token, desk.where(token))

    @router.get("/instructions")
    def instructions(request: Request, token: str) -> Response:
        desk.where(token)  # known, or nothing is shown
        return HTMLResponse(renderer.before("instructions", _base(request)))

    @router.post("/notice")
    def notice(token: str, fields: Form) -> Response:
        kind = fields.get("kind", "")
        if kind not in NOTICES:
            raise HTTPException(422)
        desk.noticed(token, kind, {n: fields[n][:40] for n in ("field", "length", "step") if n in fields})
        return Response(status_code=204)

    @router.post("/another")
    def another(request: Request, token: str) -> Response:
        try:
            entered = desk.another(token, network=counted_as(request.scope) if anybody else "")
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
    found = next((known for known in NAMES if known == name), None)
    if found is None or (found in NUMBERED) != bool(number):
        raise HTTPException(404)
    if not number:
        return PageStep(found)
    if not (number.isascii() and number.isdecimal() and len(number) < 6):
        raise HTTPException(404)
    return PageStep(found, int(number))


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
