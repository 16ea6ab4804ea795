"""The application: the assessor's pages, and all that stands around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.exception_handlers import http_exception_handler, request_validation_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from truegain._version import __version__
from truegain.judging.desk.desk import Desk
from truegain.judging.desk.steps import UnknownToken
from truegain.judging.server.assessor import Verify, assessor_routes
from truegain.judging.server.render import Renderer
from truegain.judging.server.security import Fields, RateLimits, RequestGuard, failure, path_of
from truegain.judging.store.database import Database
from truegain.judging.study.study import JudgingStudy

if TYPE_CHECKING:
    from fastapi.responses import Response

LIMITS = RateLimits()
Routes = Callable[[JudgingStudy, Desk, Database], APIRouter]


def create_app(
    study: JudgingStudy,
    database: Database | str,
    *,
    desk: Desk | None = None,
    more: Sequence[Routes] = (),
    limits: RateLimits | None = LIMITS,
    per_address: int = 0,
    verify: Verify | None = None,
) -> FastAPI:
    """The app that serves a study from a database, or from its address.

    desk: where one is open already.  more: make the routes of other parts, each of the study, the desk and the
    database.  limits: of the rate of requests; None: none, as for a test of load.  per_address: units that may be held
    from one address at a time, where anybody can come; 0: any number.  verify: asks the platform whether who comes is
    who the address says.
    """
    store = Database(database) if isinstance(database, str) else database
    served = desk or Desk(study, store, per_address=per_address)
    renderer = Renderer(study)

    def plain(status: int, base: str, again: Fields | None) -> str:
        known = f"http.{status}" if f"http.{status}.title" in renderer.texts else f"http.{400 if status < 500 else 500}"
        return renderer.plain(known, base, again)

    @asynccontextmanager
    async def until_the_end(_: FastAPI) -> AsyncIterator[None]:
        yield
        if isinstance(database, str):  # what was opened here is closed here: SQLite then has all in one file
            store.close()

    app = FastAPI(
        title=f"truegain judging: {study.words.title}", version=__version__, openapi_url="/api/openapi.json",
        docs_url=None, redoc_url=None, redirect_slashes=False, lifespan=until_the_end,
    )  # fmt: skip
    app.add_middleware(RequestGuard, plain=plain, mturk=study.people.platform == "mturk", limits=limits)
    app.mount("/static", StaticFiles(directory=str(files("truegain.judging") / "static")), name="static")
    for routes in more:
        app.include_router(routes(study, served, store))
    app.include_router(assessor_routes(study, served, renderer, verify))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if path_of(request.scope).startswith("/api/"):
            return await http_exception_handler(request, error)
        return failure(error.status_code, request.scope, plain, dict(error.headers or {}))

    @app.exception_handler(UnknownToken)
    async def unknown(request: Request, _: UnknownToken) -> Response:
        return await refused(request, HTTPException(404))

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> Response:
        if path_of(request.scope).startswith("/api/"):
            return await request_validation_exception_handler(request, error)
        return failure(422, request.scope, plain)

    return app
