"""The server around the pages: who comes in, what is refused and how, headers, limits, and a log without secrets."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from fastapi.testclient import TestClient

from tests.judging.pages import TOKEN, PageService, item_page, made_study
from tests.judging.reading import Html
from truegain.judging.server.app import create_app
from truegain.judging.server.security import RateLimits, RequestRates, logged_path
from truegain.judging.store.database import Database, StoreError
from truegain.judging.study.study import JudgingStudy, People, Platform
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.steps import Elsewhere, Entered, PageStep, Person

if TYPE_CHECKING:
    from fastapi import FastAPI
    from httpx import Response

HOME = "/s/bridges/"
UNIT = f"/u/{TOKEN}"


def study_of(platform: Platform, **about: Any) -> JudgingStudy:
    """A study whose people come from there."""
    return replace(made_study(), people=People(platform, **about))


def app_of(study: JudgingStudy, service: PageService, limits: RateLimits | None = None) -> FastAPI:
    """The app at a service that only shows; no database is asked."""
    return create_app(study, cast("Database", None), service=cast("AssessorService", service), limits=limits)


def client_of(
    service: PageService | None = None, platform: Platform = "open", *, limits: RateLimits | None = None, **about: Any
) -> TestClient:
    """A browser that follows nothing by itself."""
    app = app_of(study_of(platform), service or PageService(), limits)
    return TestClient(app, follow_redirects=False, **about)


def heading(response: Response) -> str:
    """What a page says first."""
    return Html(response.text).one("h1").text


# ---------------------------------------------------------------------- who comes in


def test_open_link_takes_no_unit_before_someone_begins() -> None:
    """Guards units against machines that look at links: the button takes a unit, and the browser knows it again."""
    service = PageService()
    client = client_of(service)
    assert client.get("/").headers["location"] == HOME
    assert heading(client.get(HOME)) == "Welcome"
    assert service.came == []
    began = client.post(HOME, data={"action": "next"})
    assert (began.status_code, began.headers["location"]) == (303, f"{UNIT}/")
    person, _ = service.came[0]
    assert person.platform == "open"
    assert len(person.id) >= 22  # 128 bits
    again = client.get(HOME)
    assert again.headers["location"] == f"{UNIT}/"
    assert service.came[1][0] == person
    assert client.post(HOME).headers["location"] == f"{UNIT}/"
    assert service.came[2][0] == person


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_cookie_is_as_strict_as_can_be(scheme: str) -> None:
    """Guards the cookie: no script reads it, no other site sends it, and where there is TLS nothing else carries it."""
    client = client_of(base_url=f"{scheme}://study.example")
    cookie = client.post(HOME).headers["set-cookie"].lower()
    assert {"httponly", "samesite=lax", f"path={HOME}"} <= {part.strip() for part in cookie.split(";")}
    assert ("secure" in cookie) == (scheme == "https")


def test_other_sites_cannot_begin_for_someone() -> None:
    """Guards the open door against forms of other sites."""
    service = PageService()
    assert client_of(service).post(HOME, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert service.came == []


def test_invitation_is_handed_to_the_service_and_leaves_the_address() -> None:
    """Guards invitations: the service decides, the person's id holds nothing of the secret, the address gets clean."""
    service = PageService()
    client = client_of(service, "invitation")
    came = client.get(HOME, params={"invitation": "one-time-secret"})
    assert came.headers["location"] == f"{UNIT}/"
    ((person, invitation),) = service.came
    assert invitation == "one-time-secret"
    assert "secret" not in person.id
    assert client.get(HOME).status_code == 403
    service.entered = Entered("", "invitation")
    refused = client.get(HOME, params={"invitation": "unknown"})
    assert (refused.status_code, heading(refused)) == (403, "This study is by invitation")


def test_prolific() -> None:
    """Guards Prolific's three parameters, and that without its id nobody comes in."""
    service = PageService()
    client = client_of(service, "prolific")
    query = {"PROLIFIC_PID": "5f0c", "STUDY_ID": "s1", "SESSION_ID": "x9"}
    assert client.get(HOME, params=query).headers["location"] == f"{UNIT}/"
    assert service.came == [(Person("prolific", "5f0c", about={"study": "s1", "session": "x9"}), "")]
    for bad in ({}, {"PROLIFIC_PID": ""}, {"PROLIFIC_PID": "a b"}, {"PROLIFIC_PID": "x" * 200}):
        assert client.get(HOME, params=bad).status_code == 403
    assert client.post(HOME).status_code == 405
    assert len(service.came) == 1


def test_mechanical_turk() -> None:
    """Guards a preview, which takes no unit, and an assignment; where work is handed in cannot be forged."""
    service = PageService()
    client = client_of(service, "mturk")
    preview = client.get(HOME, params={"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H"})
    assert preview.headers["location"] == f"{HOME}preview"
    assert "This is a preview" in client.get(f"{HOME}preview").text
    assert service.came == []
    query = {"assignmentId": "A1", "hitId": "H1", "workerId": "W1", "turkSubmitTo": "https://workersandbox.mturk.com"}
    came = client.get(HOME, params=query)
    assert came.headers["location"] == f"{UNIT}/"
    assert "set-cookie" not in came.headers
    person = service.came[0][0]
    assert person.id == "W1"
    assert person.about == {"assignment": "A1", "hit": "H1", "submit": "https://workersandbox.mturk.com"}
    client.get(HOME, params={**query, "turkSubmitTo": "https://evil.example"})
    assert service.came[1][0].about["submit"] == "https://www.mturk.com"
    assert client.get(HOME, params={"workerId": "W1"}).status_code == 403


@pytest.mark.parametrize(("reason", "said"), [
    ("none", "There is no set for you right now"),
    ("paused", "The study is paused"),
    ("excluded", "You can no longer take part in this study"),
])  # fmt: skip
def test_why_there_is_no_unit(reason: str, said: str) -> None:
    """Guards who comes in vain: a page says why, at an address without the platform's parameters."""
    client = client_of(PageService(entered=Entered("", reason)), "prolific")
    came = client.get(HOME, params={"PROLIFIC_PID": "5f0c"})
    assert came.headers["location"] == f"{HOME}{reason}"
    assert heading(client.get(came.headers["location"])) == said
    assert client.post(f"{UNIT}/another").headers["location"] == f"{HOME}{reason}"


# ---------------------------------------------------------------------- the pages of a unit


def test_addresses_of_a_unit_lead_to_its_step() -> None:
    """Guards the flow: only the step that is theirs is shown, any other address leads there, strangers see nothing."""
    client = client_of(PageService())
    for path in ("", "/", "/doc/1", "/doc/99999", "/done", "/consent", "/revise"):
        answer = client.get(UNIT + path)
        assert (answer.status_code, answer.headers.get("location")) == (303, f"{UNIT}/doc/3"), path
    assert heading(client.get(f"{UNIT}/doc/3")) == "Document 3 of 8"
    for path in ("/nothing", "/doc", "/doc/x", "/doc/-1", "/doc/1/2", "/consent/1", "/doc/²", "/doc/1000000"):
        assert client.get(UNIT + path).status_code == 404, path
    for path in ("/u/unknown/", "/u/unknown/doc/3", "/u/unknown/instructions"):
        assert client.get(path).status_code == 404, path
    assert client.post("/u/unknown/doc/3", data={"action": "next"}).status_code == 404
    assert client.post("/u/unknown/another").status_code == 404
    assert client.get(f"{UNIT}/instructions").status_code == 200


def test_what_is_sent_reaches_the_service_as_texts() -> None:
    """Guards forms: fields as typed with one kind of line end, answered by 303 so that a reload sends nothing."""
    service = PageService()
    client = client_of(service)
    answer = client.post(
        f"{UNIT}/doc/3", data={"action": "next", "number": " 1/2 ", "reason": "a\r\nb\rc <b>", "empty": ""}
    )
    assert (answer.status_code, answer.headers["location"]) == (303, f"{UNIT}/doc/3")
    assert service.sent == [
        (PageStep("doc", 3), {"action": "next", "number": " 1/2 ", "reason": "a\nb\nc <b>", "empty": ""})
    ]
    assert client.post(f"{UNIT}/doc/5", data={"action": "next"}).headers["location"] == f"{UNIT}/doc/3"
    assert client.post(f"{UNIT}/doc/3", files={"number": ("a.txt", b"1")}).status_code == 400
    assert client.post(f"{UNIT}/doc/3", data={f"f{i}": "" for i in range(60)}).status_code == 400
    assert len(service.sent) == 1


def test_practice_with_words_goes_on_with_words() -> None:
    """Guards the form without sight over the three lines."""

    class Next(PageService):
        def send(self, token: str, step: PageStep, fields: Mapping[str, str]) -> PageStep:
            return PageStep("practice", 2)

    client = client_of(Next())
    assert (
        client.post(f"{UNIT}/practice/1?words=1", data={"action": "next"}).headers["location"]
        == f"{UNIT}/practice/2?words=1"
    )
    assert client.post(f"{UNIT}/practice/1", data={"action": "next"}).headers["location"] == f"{UNIT}/practice/2"


def test_prefetch_starts_nothing() -> None:
    """Guards clocks and units: what a browser fetches in advance is not seen by anyone."""
    service = PageService()
    client = client_of(service, "prolific")
    ahead = {"sec-purpose": "prefetch;prerender"}
    assert client.get(HOME, params={"PROLIFIC_PID": "5f0c"}, headers=ahead).status_code == 503
    assert client.get(f"{UNIT}/doc/3", headers=ahead).status_code == 503
    assert service.came == []


def test_notices_are_kept_and_nothing_else() -> None:
    """Guards what a browser may tell: pastes and lost focus, in few words."""
    service = PageService()
    client = client_of(service)
    pasted = {"kind": "paste", "field": "reason", "length": "120", "step": "3", "text": "the pasted text"}
    assert client.post(f"{UNIT}/notice", data=pasted).status_code == 204
    assert service.notices == [("paste", {"field": "reason", "length": "120", "step": "3"})]
    assert client.post(f"{UNIT}/notice", data={"kind": "mood"}).status_code == 422
    assert client.post("/u/unknown/notice", data={"kind": "blur"}).status_code == 404


# ---------------------------------------------------------------------- what stands around it


@pytest.mark.parametrize("platform", ["open", "mturk"])
def test_every_answer_carries_the_headers(platform: Platform) -> None:
    """Guards the policy on pages, redirects, refusals and failures; only Mechanical Turk may frame its studies."""

    class Failing(PageService):
        def where(self, token: str) -> PageStep:
            raise RuntimeError("boom")

    client = client_of(Failing(), platform)
    for path in (HOME, "/nothing", f"{UNIT}/", "/static/style.css?1"):
        headers = client.get(path).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["base-uri"] == "'none'"
        assert {policy[f"{kind}-src"] for kind in ("script", "style", "img", "connect")} == {"'self'"}
        assert (
            ("mturk.com" in policy["frame-ancestors"])
            == ("mturk.com" in policy["form-action"])
            == (platform == "mturk")
        )
        assert ("x-frame-options" in headers) == (platform != "mturk")
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert ("no-store" in headers["cache-control"]) == ("static" not in path)


@pytest.mark.parametrize(("method", "path", "status", "said"), [
    ("GET", "/nothing", 404, "There is no such page"),
    ("GET", "/static/../app.py", 404, "There is no such page"),
    ("PUT", f"{UNIT}/doc/3", 405, "This is not possible here"),
    ("HEAD", f"{UNIT}/doc/3", 405, ""),
    ("POST", f"{UNIT}/notice", 400, "We could not read this"),
    ("GET", "/static/judging.html", 404, "There is no such page"),
])  # fmt: skip
def test_refusals_are_plain_pages(method: str, path: str, status: int, said: str) -> None:
    """Guards people against JSON and bare words: every refusal is a page that says what to do."""
    answer = client_of().request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert (heading(answer) if answer.text else "") == said


def test_programs_get_json() -> None:
    """Guards LLM judges against HTML."""
    answer = client_of().get("/api/nothing")
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})


@pytest.mark.parametrize(("error", "status"), [(RuntimeError("boom"), 500), (StoreError("disk full"), 503)])
def test_failures_are_plain_pages_and_logged_without_secrets(
    error: Exception, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Guards a failure of ours: a page that says so, and a log that has the place but neither token nor typed text."""

    class Failing(PageService):
        def send(self, token: str, step: PageStep, fields: Mapping[str, str]) -> PageStep:
            raise type(error)(f"{error} {token} at {step}")

    with caplog.at_level(logging.INFO, "truegain.judging"):
        answer = client_of(Failing()).post(f"{UNIT}/doc/3", data={"reason": "typed words"})
    assert answer.status_code == status
    assert heading(answer) in ("Something went wrong on our side", "The study cannot be reached right now")
    assert "POST /u/*/doc/3" in caplog.text
    assert "in send" in caplog.text
    assert TOKEN not in caplog.text + answer.text
    assert "typed words" not in caplog.text
    assert ("disk full" in caplog.text) is False


def test_log_tells_no_token_and_no_person(caplog: pytest.LogCaptureFixture) -> None:
    """Guards the access log: what opens a unit or names a person never stands in it."""
    client = client_of(platform="prolific")
    with caplog.at_level(logging.INFO, "truegain.judging"):
        client.get(HOME, params={"PROLIFIC_PID": "5f0c1d2e3a4b"})
        client.get(f"{UNIT}/doc/3")
        client.get(f"/x/{TOKEN}/%0d%0aforged")
    assert re.findall(r"(?:GET|POST) \S+ \d+", caplog.text) == [
        "GET /s/bridges/ 303", "GET /u/*/doc/3 200", "GET /x/*/??forged 404",
    ]  # fmt: skip
    assert "5f0c1d2e3a4b" not in caplog.text
    assert logged_path(f"/u/short/{TOKEN}") == "/u/*/*"


@pytest.mark.parametrize("announced", [True, False])
def test_too_large_a_body_is_refused(announced: bool) -> None:
    """Guards memory: a body past the limit is refused with a page, whether its length was told before or not."""
    service = PageService()
    body = b"reason=" + b"x" * 600_000
    sent: Any = body if announced else iter([body[:300_000], body[300_000:]])
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = client_of(service).post(f"{UNIT}/doc/3", content=sent, headers=headers)
    assert (answer.status_code, heading(answer)) == (413, "This is too much text")
    assert service.sent == []
    fine = client_of(service).post(f"{UNIT}/doc/3", content=body[:400_000], headers=headers)
    assert fine.status_code == 303


def test_too_many_requests_are_refused() -> None:
    """Guards the database: a unit that is asked for too often waits, a page says so, and files are not counted."""
    client = client_of(limits=RateLimits(unit_burst=3, unit_rate=0.001))
    assert [client.get(f"{UNIT}/doc/3").status_code for _ in range(4)] == [200, 200, 200, 429]
    late = client.post(f"{UNIT}/doc/3")
    assert (late.status_code, heading(late)) == (429, "That was too fast for us")
    assert int(late.headers["retry-after"]) > 0
    assert client.get("/static/style.css").status_code == 200
    assert client.get(HOME).status_code == 200


def test_addresses_have_limits_except_this_machine() -> None:
    """Guards against guessing tokens from one address; this machine has none, and one that asks for others has."""
    limits = RateLimits(address_burst=2, address_rate=0.001)
    for address, last in (("203.0.113.7", 429), ("127.0.0.1", 404), ("::1", 404)):
        client = client_of(limits=limits, client=(address, 1))
        assert [client.get(f"/u/guess{i}/").status_code for i in range(3)][-1] == last, address
    proxy = client_of(limits=limits, client=("127.0.0.1", 1))
    said = [proxy.get(f"/u/guess{i}/", headers={"X-Forwarded-For": f"203.0.113.{i}"}).status_code for i in range(3)]
    assert said[-1] == 429, "a proxy that nobody named is one client, whatever it says"
    one = client_of(limits=limits, client=("2001:db8::1", 1))
    assert [one.get(HOME).status_code for _ in range(2)] == [200, 200]


def test_a_proxy_that_nobody_named_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """Guards the organizer: without --proxy all visitors of a proxy share its limits, and the log says what to do."""
    client = client_of(client=("127.0.0.1", 1))
    for _ in range(3):
        client.get(HOME, headers={"X-Forwarded-For": "203.0.113.7"})
    assert caplog.text.count("--proxy 127.0.0.1") == 1
    quiet = client_of(client=("203.0.113.7", 1))
    caplog.clear()
    quiet.get(HOME, headers={"X-Forwarded-For": "198.51.100.1"})
    assert "--proxy" not in caplog.text


def test_people_who_come_from_one_address_are_counted() -> None:
    """Guards the database's rows: so many begin at once from one address, and then one every two seconds."""
    client = client_of(limits=RateLimits(begin_burst=2, begin_rate=0.001), client=("203.0.113.7", 1))
    assert [client.post(HOME).status_code for _ in range(3)] == [303, 303, 429]
    assert client.get(HOME).status_code == 303, "who comes again by the cookie is not counted"
    other = client_of(limits=RateLimits(begin_burst=2, begin_rate=0.001), client=("203.0.113.8", 1))
    assert other.post(HOME).status_code == 303


def test_buckets_fill_again_and_are_few() -> None:
    """Guards the limits over time: waiting helps, a clock that stands still does not, and memory stays bounded."""
    now = [0.0]
    rates = RequestRates(RateLimits(unit_burst=1, unit_rate=0.5, remembered=3), clock=lambda: now[0])
    scope: dict[str, Any] = {"path": "/u/a/doc/1", "client": None}
    assert [rates.wait(scope), rates.wait(scope)] == [0, 2]
    now[0] = 2.0
    assert [rates.wait(scope), rates.wait(scope)] == [0, 2]
    for unit in "bcdef":
        rates.wait({**scope, "path": f"/u/{unit}/"})
    assert len(rates._buckets) == 3


def test_below_a_path_of_a_proxy() -> None:
    """Guards studies that a proxy serves below a path: every address of a page starts with it."""
    app = app_of(study_of("open"), PageService())
    client = TestClient(app, follow_redirects=False, root_path="/judge")
    assert client.get("/judge/u/" + TOKEN + "/").headers["location"] == f"/judge{UNIT}/doc/3"
    page = Html(client.get(f"/judge{UNIT}/doc/3").text)
    ours = [e.attributes.get(name, "") for e in page.all for name in ("href", "src", "action", "data-notices")]
    assert all(address.startswith("/judge/") for address in ours if address.startswith("/"))
    assert client.get("/judge/static/style.css").status_code == 200


def test_elsewhere_on_another() -> None:
    """Guards one more unit while one goes on: it leads to the step that the person is at."""

    class Busy(PageService):
        def another(self, token: str, *, network: str = "") -> Entered:
            raise Elsewhere(PageStep("doc", 3))

    assert client_of(Busy()).post(f"{UNIT}/another").headers["location"] == f"{UNIT}/doc/3"


def test_page_shows_what_the_service_gives_and_no_more() -> None:
    """Guards what is sent: with a page at hand the study's other documents, codes and units stay on the server."""
    study = study_of("prolific", codes={"completed": "SECRET-CODE"})
    app = app_of(study, PageService(item_page()))
    text = TestClient(app).get(f"{UNIT}/doc/3").text
    for secret in ("SECRET-CODE", "d1", "u1", "completed", "20 s", "probability"):
        assert secret not in text.replace("/static/", ""), secret
