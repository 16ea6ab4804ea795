"""The interface of LLM judges: the same desk as people's, by JSON; a key says who judges.

GET  /api/{study}                       what is asked
POST /api/{study}/units                 the unit going on, or the next free one
GET  /api/{study}/units/{unit}          where it stands
POST /api/{study}/units/{unit}/{number} an answer to the item of that number; then what comes next

Authorization: Bearer KEY, as `truegain judging key` made it
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, ClassVar, Protocol

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from truegain.judging.desk.steps import Elsewhere, Entered, Page, PageStep, Person
from truegain.judging.keys import JudgeKeys, LlmJudge
from truegain.judging.server.api_models import (
    ApiAnswer,
    ApiPage,
    ApiProblem,
    ApiStudy,
    JsonNumber,
    page_shown,
    study_shown,
)
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.task import Fields

MOST_MOVES = 8  # pages between two items: a set that was sent back, a page to leave

SAID = {
    400: "The body could not be read.",
    401: "There is no key, or none that this study knows.",
    403: "This judge is excluded from the study.",
    404: "There is no such study, or no such unit of yours.",
    409: "Another item, or none, is asked now: get the unit and look where it stands.",
    413: "The body is too large.",
    422: "The request is not as described, or the answer has to be put right: `errors` says where.",
    429: "Too many requests: wait a little.",
    503: "The study is busy or its database cannot be reached: send the same again later.",
}
SAID_AGAIN = {
    "resumed": "The page was too old, and its answer does not count: send it again with this page's csrf and once.",
    "twice": "The same page came with two answers, and the first counts: to change it, send this page.",
}
BEARER = HTTPBearer(auto_error=False, description="The key that `truegain judging key` made.")
UnitName = Annotated[
    str, Path(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_.~-]+$", description="As a page names it.")
]
ItemNumber = Annotated[int, Path(ge=1, le=10_000, description="Of the item, from 1.")]
Responses = dict[int | str, dict[str, Any]]


class JudgeDesk(Protocol):
    """What is needed of the desk."""

    def enter(self, person: Person, *, invitation: str = "") -> Entered:
        """Begin, or go on."""
        ...

    def owns(self, person: Person, token: str) -> bool:
        """Whether a unit is theirs."""
        ...

    def where(self, token: str) -> PageStep:
        """The current step."""
        ...

    def page(self, token: str, step: PageStep | None = None) -> Page:
        """The page of a step."""
        ...

    def send(self, token: str, step: PageStep, fields: Fields) -> PageStep:
        """What follows from a page."""
        ...


class _AsWritten(Request):
    """A request whose JSON numbers are the digits that were sent, with the study's decimal mark: 1.50 is no 1.5."""

    decimal = "."

    async def json(self) -> Any:
        def number(digits: str) -> JsonNumber:
            return JsonNumber(digits.replace(".", self.decimal))

        return json.loads(await self.body(), parse_int=number, parse_float=number)


class _JudgeRoute(APIRoute):
    """Answers what is not as described in the words of `ApiProblem`, and repeats nothing of what was sent."""

    decimal: ClassVar[str] = "."

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                given = _AsWritten(request.scope, request.receive)
                given.decimal = self.decimal
                return await handle(given)
            except RequestValidationError as error:
                found = [(".".join(map(str, e["loc"][1:])) or "body", str(e["msg"])) for e in error.errors()]
                told = "; ".join(f"{_plain(where)}: {_plain(what)}" for where, what in found[:5])
                return _problem(422, told or SAID[422])

        return guarded


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()[:200]


def _problem(status: int, detail: str = "", **more: Any) -> JSONResponse:
    problem = ApiProblem(detail=detail or SAID[status], **more)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse(problem.model_dump(), status, headers)


def _statuses(*some: int) -> Responses:
    return {
        status: {"model": ApiProblem, "description": SAID[status]} for status in sorted({401, 422, 429, 503, *some})
    }


def judge_routes(study: JudgingStudy, desk: JudgeDesk, keys: JudgeKeys) -> APIRouter:
    """The routes of LLM judges, for the app to include."""

    def known(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]) -> None:
        request.state.judge = keys.judge(given.credentials) if given is not None else None
        if request.state.judge is None:
            raise HTTPException(401, SAID[401], {"WWW-Authenticate": "Bearer"})

    def own(request: Request, unit: UnitName) -> None:
        if not desk.owns(_judge(request).person, unit):  # another's unit is as unknown as one that nobody has
            raise HTTPException(404, SAID[404])

    class Route(_JudgeRoute):
        decimal = study.rules.decimal

    router = APIRouter(prefix=f"/api/{study.name}", tags=["judges"], route_class=Route, dependencies=[Depends(known)])

    @router.get("", summary="What is asked", responses=_statuses())
    def study_of(request: Request) -> ApiStudy:
        return study_shown(study, _judge(request).id)

    @router.post("/units", summary="The unit going on, or the next one", responses=_statuses(403, 409))
    def take(request: Request) -> ApiPage:
        token, reason = desk.enter(_judge(request).person)
        if token:
            return _now(desk, token)
        if reason == "excluded":
            raise HTTPException(403, SAID[403])
        return ApiPage(where="paused" if reason == "paused" else "none")

    @router.get(
        "/units/{unit}", summary="Where a unit stands", responses=_statuses(404, 409), dependencies=[Depends(own)]
    )
    def look(unit: UnitName) -> ApiPage:
        return _now(desk, unit)

    @router.post(
        "/units/{unit}/{number}", summary="Judge an item", response_model=ApiPage,
        responses=_statuses(400, 404, 409, 413), dependencies=[Depends(own)],
    )  # fmt: skip
    def judge_item(unit: UnitName, number: ItemNumber, given: ApiAnswer) -> Any:
        asked = PageStep("doc", number)
        try:
            after = desk.send(unit, asked, {name: value for name, value in given.model_dump().items() if value})
        except Elsewhere:
            return _problem(409, page=_now(desk, unit))
        page = _now(desk, unit)
        if after == asked and page.errors:
            return _problem(422, "the answer has to be put right", errors=page.errors, page=page)
        if page.notice in SAID_AGAIN and given.action in ("next", "cannot"):
            return _problem(409, SAID_AGAIN[page.notice], page=page)
        return page

    return router


def _judge(request: Request) -> LlmJudge:
    judge = request.state.judge
    assert isinstance(judge, LlmJudge)
    return judge


def _now(desk: JudgeDesk, token: str) -> ApiPage:
    """The page where a judge stands; pages that ask a judge nothing are passed."""
    again = False
    for _ in range(MOST_MOVES):
        try:
            step = desk.where(token)
            page = desk.page(token, step)
            if page.step.name not in ("revise", "leave"):
                return page_shown(token, page, again=again)
            again = again or page.step.name == "revise"
            action = "stay" if page.step.name == "leave" else "next"
            desk.send(token, page.step, {"action": action, "csrf": page.csrf, "once": page.once})
        except Elsewhere:
            continue
    raise HTTPException(409, SAID[409])
