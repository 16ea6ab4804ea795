"""Requests that a machine makes up, for every address of the server: no 5xx, no status and no kind that is not told.

The judges' interface has an OpenAPI document of its own; that of the pages for people is written here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from tests.judging.asgi import TestClient
from tests.judging.visiting import HIDDEN, Knowledge
from tests.judging.walking import check_invariants, rows
from truegain.cli.annotate_serve import SETTINGS, app_of_settings, keep_password
from truegain.judging.server.organizer import password_hash_of
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, assessors, events, sessions
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import Rules
from truegain.judging.workflow.tokens import JudgeKeys, LlmJudge

EXAMPLES = 4  # of each address and method, good ones and bad ones
PASSWORD = "seven lamps by the river"
STATUSES = (200, 400, 401, 403, 404, 405, 409, 413, 422, 429)
TEXT = {"type": "string"}
SHORT = {"type": "string", "minLength": 1, "maxLength": 30}
STEPS = (
    "consent",
    "practice",
    "topic",
    "doc",
    "revise",
    "leave",
    "done",
    "failed",
    "paused",
    "crowded",
    "instructions",
)
WORDS: dict[str, Any] = {
    "token": SHORT,
    "assessor": SHORT,
    "name": {"anyOf": [{"enum": list(STEPS)}, SHORT]},
    "number": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 12}, SHORT]},
    "why": {"anyOf": [{"enum": ["none", "paused", "excluded", "preview", "invitation"]}, SHORT]},
}
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
UNIT = ("csrf", "once", "slot", "action", "consent", "number", "number_meant", "choice", "reason", "cannot",
        "cannot_note", "report", "withdraw")  # fmt: skip
PAGES: dict[str, dict[str, tuple[str, ...]]] = {  # address: method: fields, or parameters
    "/": {"get": ()},
    "/s/simulated": {"get": ()},
    "/s/simulated/": {"get": ("PROLIFIC_PID", "assignmentId", "invitation", "words"), "post": ("action",)},
    "/s/simulated/{why}": {"get": ()},
    "/u/{token}": {"get": ()},
    "/u/{token}/": {"get": ("words",)},
    "/u/{token}/notice": {"post": ("kind", "field", "length", "step")},
    "/u/{token}/another": {"post": ("csrf", "once")},
    "/u/{token}/{name}": {"get": ("words",), "post": UNIT},
    "/u/{token}/{name}/{number}": {"get": ("words",), "post": UNIT},
    "/organize/simulated": {"get": ()},
    "/organize/simulated/": {"get": (), "post": ("csrf", "action")},
    "/organize/simulated/sign-in": {"get": (), "post": ("csrf", "password")},
    "/organize/simulated/assessors/{assessor}/exclude": {"get": (), "post": ("csrf", "reason")},
    "/organize/simulated/assessors/{assessor}/readmit": {"post": ("csrf",)},
    "/organize/simulated/ratings.csv": {"get": ("all",)},
    "/organize/simulated/audit.jsonl": {"get": ()},
    "/organize/simulated/decision": {"get": ()},
    "/organize/simulated/files/{name}": {"get": ()},
}


class Place:
    """The app as it is served, a person at a document, a judge at another, and the organizer, signed in."""

    def __init__(self, folder: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.study = simulated_study(folder / "study", topics=2, docs=8, judgments=4, rules=Rules(seconds=0.0))
        keep_password(self.study.folder, password_hash_of(PASSWORD))
        given = {"folder": str(self.study.folder), "database": url, "per_address": 10, "prolific_key": None}
        monkeypatch.setenv(SETTINGS, json.dumps(given))
        self.app = app_of_settings()
        self.client = TestClient(self.app, follow_redirects=False)
        self.key = JudgeKeys(self.study.folder).make(LlmJudge.of("some-model", b"Is it relevant?"))
        self.judge = self.client.post(
            "/api/simulated/units", headers={"Authorization": f"Bearer {self.key}"}
        ).json()["unit"]  # fmt: skip
        self.token = self._to_the_documents()
        at = "/organize/simulated/sign-in"
        form = dict(re.findall(r'name="(csrf)" value="([^"]*)"', self.client.get(at).text))
        assert self.client.post(at, data={**form, "password": PASSWORD}).status_code == 303
        self.cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.client.cookies.jar)
        self.client.cookies.clear()
        figures = self.client.get("/organize/simulated/", headers={"Cookie": self.cookies})
        assert figures.status_code == 200
        self.signed = dict(re.findall(r'name="(csrf)" value="([^"]*)"', figures.text))

    def _to_the_documents(self) -> str:
        """A person's token, once they are at the first document."""
        knows = Knowledge.of(self.study)
        at = self.client.post("/s/simulated/").headers["location"]
        while "/doc/" not in at:
            page = self.client.get(at)
            if page.status_code == 303:
                at = page.headers["location"]
                continue
            at = self.client.post(at, data=knows.fill(at.split("/")[3], page.text, "")).headers["location"]
        return str(at.split("/")[2])

    def csrf(self) -> dict[str, str]:
        """What the person's page carries now."""
        here = self.client.get(f"/u/{self.token}/").headers["location"]
        return dict(HIDDEN.findall(self.client.get(here).text))


def described() -> dict[str, Any]:
    """The OpenAPI document of the pages; forms may hold anything."""
    kinds: dict[str, Any] = {
        kind: {} for kind in ("text/html", "text/csv", "application/x-ndjson", "application/jsonl")
    }
    seen: dict[str, Any] = {str(status): {"description": "", "content": kinds} for status in STATUSES}
    seen |= {str(status): {"description": "nothing to read"} for status in (204, 303)}
    paths: dict[str, Any] = {}
    for path, methods in PAGES.items():
        for method, names in methods.items():
            at = [(word, "path", WORDS[word]) for word in re.findall(r"{(\w+)}", path)]
            at += [(name, "query", TEXT) for name in names if method == "get"]
            about: dict[str, Any] = {"responses": seen, "parameters": [
                {"name": name, "in": place, "required": place == "path", "schema": schema} for name, place, schema in at
            ]}  # fmt: skip
            if method == "post":
                form = {"type": "object", "properties": dict.fromkeys(names, TEXT)}
                about["requestBody"] = {"content": {kind: {"schema": form} for kind in FORMS}}
            paths.setdefault(path, {})[method] = about
    return {"openapi": "3.1.0", "info": {"title": "pages", "version": "1"}, "paths": paths}


def made_up(schema: Any, prepare: Any) -> Counter[int]:
    """Send what is made up for each operation of a document; how often each status was answered."""
    import schemathesis  # here, since it takes long to load and `make test` does without it
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks as conformance

    checks = (not_a_server_error, conformance.status_code_conformance, conformance.content_type_conformance)
    found: Counter[int] = Counter()

    def check(case: Any) -> None:
        answer = case.call(**prepare(case, sum(found.values())))
        found[answer.status_code] += 1
        case.validate_response(answer, checks=checks)

    wanted: Any = settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    for result in schema.get_all_operations():
        for mode in schemathesis.GenerationMode:
            made: Any = given(result.ok().as_strategy(generation_mode=mode))
            with suppress(Unsatisfiable):  # an address without parameters: nothing bad can be made up
                wanted(made(check))()
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_whatever_is_sent_is_answered(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards every address, on either database: made-up requests get no 5xx and no status that is not told."""
    import schemathesis

    place = Place(tmp_path, database_url, monkeypatch)
    database = Database(database_url)
    person = rows(database, assessors, kind="human")[0].id
    forms: Counter[str] = Counter()

    def as_person(case: Any, tried: int) -> dict[str, Any]:
        """Mostly with a token that is one, and with the signature of the page: what is made up gets further so."""
        if tried % 3 and "token" in (case.path_parameters or {}):
            case.path_parameters["token"] = place.token
        if tried % 3 and "assessor" in (case.path_parameters or {}):
            case.path_parameters["assessor"] = person
        if tried % 2 and isinstance(case.body, dict):
            case.body |= place.signed if case.path.startswith("/organize/") else place.csrf()
        if case.method == "POST":
            forms[case.media_type or ""] += 1
        return {"headers": {"Cookie": place.cookies} if tried % 4 else {}, "allow_redirects": False}

    def as_judge(case: Any, tried: int) -> dict[str, Any]:
        if tried % 3 and "unit" in (case.path_parameters or {}):
            case.path_parameters["unit"] = place.judge
        return {"headers": {"Authorization": f"Bearer {place.key}"} if tried % 5 else {}}

    written = schemathesis.openapi.from_dict(described())
    written.app = place.app
    pages = made_up(written, as_person)
    judges = made_up(schemathesis.openapi.from_asgi("/api/openapi.json", place.app), as_judge)
    print(f"\nmade up for pages: {dict(sorted(pages.items()))}; for judges: {dict(sorted(judges.items()))}")
    assert {200, 303, 404, 422} <= set(pages)
    assert {200, 401, 404, 422} <= set(judges)
    assert all(forms[kind] > 10 for kind in FORMS), forms
    assert {"excluded", "readmitted"} & {row.kind for row in rows(database, events)}, (
        "no form of the organizer's counted"
    )
    check_invariants(database, place.study)
    assert len(rows(database, sessions)) >= 2
    assert {row.kind for row in rows(database, answers)} <= {"practice", "question", "item"}
    database.close()
