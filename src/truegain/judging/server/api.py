"""The interface of LLM judges: the same service as people's, by JSON; a key says who judges.

GET  /api/{study}                       what is asked
POST /api/{study}/units                 the unit going on, or the next free one
GET  /api/{study}/units/{unit}          where it stands
POST /api/{study}/units/{unit}/{number} an answer to the item of that number; then what comes next

Authorization: Bearer KEY, as `truegain annotate key` made it
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema

from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import Wrong
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.steps import Elsewhere, Page, PageStep
from truegain.judging.workflow.tokens import JudgeKeys, LlmJudge

LONGEST = 10_000  # characters of a text, as the tasks have it

Text = Annotated[str, StringConstraints(max_length=LONGEST)]
Short = Annotated[str, StringConstraints(max_length=200)]
Mark = Annotated[str, StringConstraints(max_length=1_000)]
Where = Literal["judge", "done", "ended", "none", "paused"]


@dataclass(frozen=True)
class JsonNumber:
    """A number of a body, as it is written there; no text but where a field takes one."""

    written: str


Digits = Annotated[
    Short,
    BeforeValidator(lambda value: value.written if isinstance(value, JsonNumber) else value),
    WithJsonSchema({"type": ["string", "number"], "maxLength": 200}),
]


class _RequestModel(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ApiOption(BaseModel):
    """A label to choose."""

    key: str = Field(description="What to send.")
    name: str
    meaning: str


class ApiStudy(BaseModel):
    """What is asked in this study."""

    name: str
    title: str
    language: str
    task: str = Field(description="magnitude, graded, binary, preference or claim")
    field: str = Field(description="The field of an answer that holds the judgment.")
    options: list[ApiOption] = Field(description="Labels to choose from; none for numbers.")
    reason: bool = Field(description="Whether a reason must be given.")
    judge: str = Field(description="Your id in the study: model, prompt and parameters make it.")


class ApiTopic(BaseModel):
    """The information need that documents are judged for."""

    title: str
    text: str
    counts: str = Field(description="What helps.")
    counts_not: str = Field(description="What does not.")


class ApiDocument(BaseModel):
    """A document, as it is given to people."""

    title: str
    source: str
    text: str
    format: str = Field(description="Of the text: text or html.")


class ApiWrong(BaseModel):
    """What must be put right before an answer counts."""

    field: str
    text: str = Field(description="Names the fault, such as number.zero or reason.empty.")
    about: dict[str, str] = Field(default_factory=dict, description="What the fault mentions.")
    choices: list[str] = Field(default_factory=list, description="Readings of an ambiguous number: send one as it is.")


class ApiPage(BaseModel):
    """Where you are.

    `judge`: judge the documents here, and send the answer with this page's `csrf` and `once`.  `done`: the unit is
    complete; take another one.  `ended`: it ended otherwise.  `none`: no unit is free for you.  `paused`: the study is.
    """

    where: Where
    unit: str = Field(default="", description="Names your unit in addresses.")
    number: int = Field(default=0, description="Which item of the unit this is, from 1.")
    total: int = Field(default=0, description="How many items the unit has.")
    topic: ApiTopic | None = None
    documents: list[ApiDocument] = Field(default_factory=list, description="One; for preferences two, A and B.")
    claim: str = Field(default="", description="The claim to judge by the document, which it cites.")
    answer: str = Field(default="", description="The answer that the claim stands in.")
    csrf: str = Field(default="", description="Send it back with the answer.")
    once: str = Field(default="", description="Send it back: the same page sent again counts once.")
    again: bool = Field(default=False, description="The set was not accepted: go through all items once more.")
    errors: list[ApiWrong] = Field(default_factory=list)
    notice: str = Field(default="", description="saved, resumed (a page was too old), reported, twice; or nothing.")
    outcome: str = Field(default="", description="Where the unit ended otherwise: how.")


class ApiAnswer(_RequestModel):
    """A judgment of one item.

    Send the field that the study's task has, and a reason; or with action `cannot`, why the item cannot be judged.
    """

    csrf: Mark
    once: Mark
    action: Literal["next", "back", "cannot", "report"] = "next"
    number: Digits = Field(
        default="", description="Task magnitude: a number above 0, as JSON's number or as text: 0.5, 1/2, 1e3."
    )
    number_meant: Short = Field(default="", description="Where a number can be read in several ways: the one meant.")
    label: Digits = Field(default="", description="Tasks graded and binary: the key of a label.")
    prefer: Short = Field(default="", description="Task preference: left, right or same.")
    support: Short = Field(default="", description="Task claim: full, part, none or against.")
    reason: Text = ""
    cannot: Short = Field(default="", description="Action cannot: language, unclear, upsetting or other.")
    cannot_note: Text = ""
    report: Text = Field(default="", description="Action report: what does not display.")


class ApiProblem(BaseModel):
    """What is wrong, in words; `errors` where an answer has to be put right, `page` then is the one to send again."""

    detail: str
    errors: list[ApiWrong] = Field(default_factory=list)
    page: ApiPage | None = None


def study_shown(study: JudgingStudy, judge: str) -> ApiStudy:
    """What a judge is told of a study."""
    options = [ApiOption(key=o.key, name=o.name, meaning=o.meaning) for o in study.task.options]
    return ApiStudy(
        name=study.name,
        title=study.words.title,
        language=study.words.language,
        task=study.task.name,
        field=study.task.field,
        options=options,
        reason=study.rules.reason,
        judge=judge,
    )


def wrong_shown(wrong: Wrong) -> ApiWrong:
    """A fault of an answer."""
    return ApiWrong(field=wrong.field, text=wrong.text, about=dict(wrong.about), choices=list(wrong.choices))


def page_shown(token: str, page: Page, *, again: bool = False) -> ApiPage:
    """A page as a judge gets it: what people get, neither ids of documents nor anything of the design."""
    if page.step.name == "done":
        return ApiPage(where="done", unit=token)
    if page.step.name in ("none", "paused"):
        return ApiPage(where="none" if page.step.name == "none" else "paused", unit=token)
    if page.step.name != "doc":
        return ApiPage(where="ended", unit=token, outcome=page.step.name)
    t = page.topic
    topic = None if t is None else ApiTopic(title=t.title, text=t.text, counts=t.counts, counts_not=t.counts_not)
    return ApiPage(
        where="judge",
        unit=token,
        number=page.step.number,
        total=page.total,
        topic=topic,
        documents=[ApiDocument(title=d.title, source=d.source, text=d.text, format=d.format) for d in page.documents],
        claim=page.item.claim if page.item else "",
        answer=page.item.answer if page.item else "",
        csrf=page.csrf,
        once=page.once,
        again=again,
        errors=[wrong_shown(w) for w in page.errors],
        notice=page.notice,
    )


# ---------------------------------------------------------------------- routes


MOST_MOVES = 8  # pages between two items: a set that was sent back, a page to leave

DETAILS = {
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
BEARER = HTTPBearer(auto_error=False, description="The key that `truegain annotate key` made.")
UnitName = Annotated[
    str, Path(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_.~-]+$", description="As a page names it.")
]
ItemNumber = Annotated[int, Path(ge=1, le=10_000, description="Of the item, from 1.")]
Responses = dict[int | str, dict[str, Any]]


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
                unparsed = _AsWritten(request.scope, request.receive)
                unparsed.decimal = self.decimal
                return await handle(unparsed)
            except RequestValidationError as error:
                problems = [(".".join(map(str, e["loc"][1:])) or "body", str(e["msg"])) for e in error.errors()]
                summary = "; ".join(f"{_plain(where)}: {_plain(what)}" for where, what in problems[:5])
                return _problem(422, summary or DETAILS[422])

        return guarded


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()[:200]


def _problem(status: int, detail: str = "", **more: Any) -> JSONResponse:
    problem = ApiProblem(detail=detail or DETAILS[status], **more)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse(problem.model_dump(), status, headers)


def _statuses(*more: int) -> Responses:
    statuses = sorted({401, 422, 429, 503, *more})
    return {status: {"model": ApiProblem, "description": DETAILS[status]} for status in statuses}


def judge_routes(study: JudgingStudy, service: AssessorService, keys: JudgeKeys) -> APIRouter:
    """The routes of LLM judges, for the app to include."""

    def authenticate(
        request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]
    ) -> None:
        request.state.judge = keys.judge(credentials.credentials) if credentials is not None else None
        if request.state.judge is None:
            raise HTTPException(401, DETAILS[401], {"WWW-Authenticate": "Bearer"})

    def own(request: Request, unit: UnitName) -> None:
        if not service.owns(_judge(request).person, unit):  # another's unit is as unknown as one that nobody has
            raise HTTPException(404, DETAILS[404])

    class Route(_JudgeRoute):
        decimal = study.rules.decimal

    router = APIRouter(
        prefix=f"/api/{study.name}", tags=["judges"], route_class=Route, dependencies=[Depends(authenticate)]
    )

    @router.get("", summary="What is asked", responses=_statuses())
    def study_of(request: Request) -> ApiStudy:
        return study_shown(study, _judge(request).id)

    @router.post("/units", summary="The unit going on, or the next one", responses=_statuses(403, 409))
    def take(request: Request) -> ApiPage:
        token, reason = service.enter(_judge(request).person)
        if token:
            return _now(service, token)
        if reason == "excluded":
            raise HTTPException(403, DETAILS[403])
        return ApiPage(where="none" if reason == "none" else "paused")

    @router.get(
        "/units/{unit}", summary="Where a unit stands", responses=_statuses(404, 409), dependencies=[Depends(own)]
    )
    def look(unit: UnitName) -> ApiPage:
        return _now(service, unit)

    @router.post(
        "/units/{unit}/{number}",
        summary="Judge an item",
        response_model=ApiPage,
        responses=_statuses(400, 404, 409, 413),
        dependencies=[Depends(own)],
    )
    def judge_item(unit: UnitName, number: ItemNumber, answer: ApiAnswer) -> Any:
        step = PageStep("doc", number)
        try:
            after = service.send(unit, step, {name: value for name, value in answer.model_dump().items() if value})
        except Elsewhere:
            return _problem(409, page=_now(service, unit))
        page = _now(service, unit)
        if after == step and page.errors:
            return _problem(422, "the answer has to be put right", errors=page.errors, page=page)
        if page.notice in SAID_AGAIN and answer.action in ("next", "cannot"):
            return _problem(409, SAID_AGAIN[page.notice], page=page)
        return page

    return router


def _judge(request: Request) -> LlmJudge:
    judge = request.state.judge
    assert isinstance(judge, LlmJudge)
    return judge


def _now(service: AssessorService, token: str) -> ApiPage:
    """The page where a judge stands; pages that ask a judge nothing are passed."""
    again = False
    for _ in range(MOST_MOVES):
        try:
            step = service.where(token)
            page = service.page(token, step)
            if page.step.name not in ("revise", "leave"):
                return page_shown(token, page, again=again)
            again = again or page.step.name == "revise"
            action = "stay" if page.step.name == "leave" else "next"
            service.send(token, page.step, {"action": action, "csrf": page.csrf, "once": page.once})
        except Elsewhere:
            continue
    raise HTTPException(409, DETAILS[409])
