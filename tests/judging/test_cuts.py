"""Requests that end before they are whole, at every byte: they count for nothing; and those that never end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import select

from tests.judging.listening import Listener, listening, read_all
from tests.judging.organizing import AT, HASH, PASSWORD, csrf
from tests.judging.walking import Time, Walker, small_study
from truegain.cli.annotate_insight import insight_of
from truegain.judging.server import security, serving
from truegain.judging.server.api import judge_routes
from truegain.judging.server.app import create_app
from truegain.judging.server.organizer import organizer_routes
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import metadata
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.steps import Page
from truegain.judging.workflow.tokens import JudgeKeys, LlmJudge

FORM = "application/x-www-form-urlencoded"


class Site:
    """A study behind a real socket, with the judges' interface and the organizer's page."""

    def __init__(self, folder: Path) -> None:
        self.clock = Time()
        self.study = small_study(folder, topics=4, per_topic=4)
        self.database = Database(default_url(folder))
        self.service = AssessorService(self.study, self.database, clock=self.clock)
        self.organizer = OrganizerService(self.study, self.database, clock=self.clock)
        organizer = partial(organizer_routes, self.study, self.organizer, insight_of(self.study), HASH)
        keys = JudgeKeys(folder)
        self.key = keys.make(LlmJudge.of("m", b"p"))
        more = [lambda *_: organizer(), lambda _, service, __: judge_routes(self.study, service, keys)]
        self.app = create_app(self.study, self.database, service=self.service, more=more, limits=None)

    def walker(self, name: str) -> Walker:
        """Somebody at the first document."""
        walker = Walker(self.service, self.clock, name)
        walker.to_documents()
        return walker

    def rows(self) -> list[Any]:
        """Every row of every table."""
        tables = metadata.sorted_tables
        return self.database.read(lambda c: [sorted(map(repr, c.execute(select(t)).all())) for t in tables])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A study, on SQLite."""
    made = Site(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def at(site: Site) -> Iterator[Listener]:
    """Its server."""
    with listening(site.app) as found:
        yield found


def request(path: str, body: bytes = b"", kind: str = FORM, how: str = "length", **headers: str) -> bytes:
    """A POST, in one of the ways in which a body can be sent."""
    version = "1.0" if how == "1.0" else "1.1"
    lines = [f"POST {path} HTTP/{version}", "Host: a", f"Content-Type: {kind}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if how == "chunked":
        half = len(body) // 2
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:]) if part)
        return "\r\n".join([*lines, "Transfer-Encoding: chunked", "", ""]).encode() + chunks + b"0\r\n\r\n"
    lines += [f"Content-Length: {len(body) + 5 * (how == 'longer')}"] if how != "none" else []
    return "\r\n".join([*lines, "", ""]).encode() + body


def form(page: Page, **fields: str) -> bytes:
    """A page's form."""
    return urlencode({"csrf": page.csrf, "once": page.once, "action": "next", **fields}).encode()


def doc(site: Site, name: str = "w", how: str = "length", **headers: str) -> bytes:
    """The first document of somebody, judged."""
    walker = site.walker(name)
    return request(f"/u/{walker.token}/doc/1", form(walker.page(), number="7", reason="as told"), how=how, **headers)


def multipart(site: Site) -> bytes:
    """The same as a form of the other kind."""
    walker = site.walker("w")
    page = walker.page()
    given = {"csrf": page.csrf, "once": page.once, "action": "next", "number": "7", "reason": "r"}
    body = "".join(f'--b\r\nContent-Disposition: form-data; name="{n}"\r\n\r\n{v}\r\n' for n, v in given.items())
    return request(f"/u/{walker.token}/doc/1", f"{body}--b--\r\n".encode(), "multipart/form-data; boundary=b")


def after_another(site: Site) -> bytes:
    """A whole request and, in the same breath, the one that is cut: pipelined."""
    return b"GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n" + doc(site)


def consent(site: Site) -> bytes:
    """Consent, sent by somebody new."""
    walker = Walker(site.service, site.clock, "w")
    walker.enter()
    return request(f"/u/{walker.token}/consent", form(walker.page(), consent="yes"))


def claim(site: Site) -> bytes:
    """The last line of practice, which takes a unit."""
    walker = Walker(site.service, site.clock, "w")
    walker.enter()
    walker.consent()
    walker.practise(lines=2)
    page = walker.page()
    assert page.practice is not None
    return request(f"/u/{walker.token}/practice/3", form(page, number=str(page.practice.length * 100)))


def another(site: Site) -> bytes:
    """One more unit."""
    walker = site.walker("w")
    walker.rest()
    return request(f"/u/{walker.token}/another", b"action=next")


def judge(site: Site, how: str = "length", *, item: bool = True) -> bytes:
    """A judge's answer, or its first unit."""
    person = LlmJudge.of("m", b"p").person
    given = {"Authorization": f"Bearer {site.key}"}
    if not item:
        return request(f"/api/{site.study.name}/units", b"{}", "application/json", how, **given)
    token = site.service.enter(person).token
    page = site.service.page(token)
    body = json.dumps({"csrf": page.csrf, "once": page.once, "number": 2.5, "reason": "r"}).encode()
    return request(f"/api/{site.study.name}/units/{token}/1", body, "application/json", how, **given)


def organize(path: str, **fields: str) -> Callable[[Site], bytes]:
    """Something that the organizer does, signed in."""

    def made(site: Site) -> bytes:
        from tests.judging.asgi import TestClient

        client = TestClient(site.app, follow_redirects=False)
        page = client.get(f"{AT}/sign-in")
        client.post(f"{AT}/sign-in", data={"csrf": csrf(page.text), "password": PASSWORD})
        token = csrf(client.get(f"{AT}/").text)
        place = path
        if "{who}" in path:
            walker = Walker(site.service, site.clock, "w")
            walker.whole()
            place = path.replace("{who}", site.organizer.assessors()[0].id)
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        return request(f"{AT}{place}", urlencode({"csrf": token, **fields}).encode(), Cookie=cookie)

    return made


KINDS: dict[str, Callable[[Site], bytes]] = {
    "a judgment": doc,
    "a judgment, chunked": partial(doc, how="chunked"),
    "a judgment, HTTP/1.0": partial(doc, how="1.0"),
    "a judgment, as a form of many parts": multipart,
    "a judgment, pipelined": after_another,
    "a judgment that waits for 100": partial(doc, Expect="100-continue"),
    "begin": lambda site: request(f"/s/{site.study.name}/", b"action=next"),
    "begin, chunked": lambda site: request(f"/s/{site.study.name}/", b"action=next", how="chunked"),
    "consent": consent,
    "the claim": claim,
    "another": another,
    "a notice": lambda site: request(f"/u/{site.walker('w').token}/notice", b"kind=paste&field=reason&length=9"),
    "a judge's unit": partial(judge, item=False),
    "a judge's answer": judge,
    "a judge's answer, chunked": partial(judge, how="chunked"),
    "pause": organize("/", action="pause"),
    "exclude": organize("/assessors/{who}/exclude", reason="because"),
    "sign out": organize("/sign-out"),
}  # fmt: skip


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_request_cut_at_every_byte_counts_for_nothing(site: Site, at: Listener, kind: str) -> None:
    """Guards what a 303 promises, from the other side: of a request cut anywhere no row of any table is changed."""
    whole = KINDS[kind](site)
    before = site.rows()
    for length in range(1, len(whole)):
        at.say(whole[:length], reset=bool(length % 2))
    at.settle()
    assert site.rows() == before
    status = re.findall(rb"HTTP/1\.1 (\d+)", at.ask(b"Host: a\r\nConnection: close".join(whole.rsplit(b"Host: a", 1))))
    assert status[-1][:1] in (b"2", b"3"), status
    assert site.rows() != before, "the whole request does something"


@pytest.mark.few(1)
@pytest.mark.parametrize(("how", "status"), [("longer", b""), ("none", b"400"), ("1.0 without", b"411")])
def test_a_length_that_is_not_that_of_the_body(site: Site, at: Listener, how: str, status: bytes) -> None:
    """Guards bodies without an end: told longer than they are, or not at all, they change nothing."""
    whole = doc(site, how="longer" if how == "longer" else "none")
    if how == "1.0 without":
        whole = whole.replace(b"HTTP/1.1", b"HTTP/1.0")
    before = site.rows()
    with at.connect() as link:
        link.sendall(whole)
        link.shutdown(1)
        answer = read_all(link)
    at.settle()
    assert answer[9:12] == status
    assert site.rows() == before


@pytest.mark.parametrize("field", ["Transfer-Encoding: chunked", "Content-Length: 3"])
def test_two_lengths_are_refused(site: Site, at: Listener, field: str) -> None:
    """Guards the border between two requests: nobody can hide one in another's body."""
    whole = doc(site)
    before = site.rows()
    answer = at.ask(whole.replace(b"Host: a", f"Host: a\r\nConnection: close\r\n{field}".encode()))
    at.settle()
    assert answer[9:10] == b"4", answer[:100]
    assert site.rows() == before


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for clients are short."""
    monkeypatch.setattr(serving, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(serving, "READ_SECONDS", 0.5)
    monkeypatch.setattr(security, "BODY_SECONDS", 0.5)


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_half_open_requests_do_not_stay(site: Site, at: Listener) -> None:
    """Guards against 300 who never finish: no byte, half a head, half a body, a second head; all are gone in time."""
    whole = doc(site)
    head, _, body = whole.partition(b"\r\n\r\n")
    first = b"GET /static/icon.svg HTTP/1.1\r\nHost: a\r\n\r\n"
    before = site.rows()
    begun = [b"", head[:30], head, head + b"\r\n\r\n" + body[:9], first + head[:30]]
    links = [at.connect() for _ in range(300)]
    for place, link in enumerate(links):
        link.sendall(begun[place % len(begun)])
    assert at.settle() < 25
    answers = {place: read_all(link) for place, link in enumerate(links)}
    assert {answers[place][9:12] for place in range(3, 300, 5)} == {b"408"}
    assert {answers[place] for place in range(0, 300, 5)} == {b""}
    assert {answers[place][9:12] for place in range(4, 300, 5)} == {b"200"}
    for link in links:
        link.close()
    assert site.rows() == before
    assert at.ask(first.replace(b"Host: a", b"Host: a\r\nConnection: close"))[9:12] == b"200"


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_a_head_that_drips_does_not_stay(at: Listener) -> None:
    """Guards against a byte now and then: time runs from the first one on."""
    with at.connect() as link:
        link.settimeout(0.1)
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            for _ in range(100):
                link.sendall(b"G")
                time.sleep(0.1)
        assert 0.3 < time.monotonic() - began < 8


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_who_does_not_read_does_not_stay() -> None:
    """Guards against who asks for much and reads nothing: the answer is given up, and its task ends."""

    async def much(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _n in range(1000):
            await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    with listening(much) as at, contextlib.closing(at.connect(receive=4096)) as link:
        link.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        link.recv(1)
        assert at.settle() < 20


def test_a_head_too_long_and_a_body_too_large(site: Site, at: Listener) -> None:
    """Guards memory: a head of more than 64 KB is refused unread, a body of more than 512 KB too, chunked or not."""
    lines = b"".join(b"X-%d: %s\r\n" % (n, b"y" * 1000) for n in range(100))
    assert at.ask(b"GET / HTTP/1.1\r\nHost: a\r\n" + lines)[9:12] in (b"400", b"")
    large = b"reason=" + b"x" * 600_000
    for how in ("length", "chunked"):
        with at.connect() as link:
            link.settimeout(30)
            try:
                link.sendall(request(f"/u/{'t' * 32}/doc/1", large, how=how))
                answer = read_all(link)
            except ConnectionError:
                answer = b""
            assert answer[9:12] in (b"413", b"")
    at.settle()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "small"), [("MOST_SMALL", 2000), ("MOST_READ", 0)])
def test_bodies_at_one_moment_are_bounded(
    site: Site, at: Listener, monkeypatch: pytest.MonkeyPatch, name: str, small: int
) -> None:
    """Guards memory against many bodies at once: beyond a bound the next is asked to come again; what is whole is not.

    The page says that nothing of it was stored, and what to do.
    """
    monkeypatch.setattr(security, name, 1000)
    monkeypatch.setattr(security, "SMALL", small)
    head = b"POST /u/%s/doc/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" % (b"t" * 32)
    with at.connect() as first, at.connect() as second:
        first.sendall(head + b"x" * 900)
        time.sleep(0.3)
        assert at.ask(request(f"/u/{'t' * 32}/doc/1", b"a=1", Connection="close"))[9:12] == b"404"
        second.sendall(head + b"x" * 900)
        answer = read_all(second)
        assert answer[9:12] == b"503"
        assert b"retry-after: 5" in answer.lower()
        assert b"go back and send it again" in answer
    at.settle()
    assert at.ask(request(f"/u/{'t' * 32}/doc/1", b"a=1", Connection="close"))[9:12] == b"404"


@pytest.mark.slow
def test_bodies_of_one_address_leave_room_for_others() -> None:
    """Guards everybody's answers against one address: it fills its share, and another's answer is taken whole.

    Before, 128 requests of 512 KB without an end took all room there was, and each answer of others got 503.
    """
    taken: list[bytes] = []

    async def app(_: Any, receive: Any, send: Any) -> None:
        taken.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    guard = security.RequestGuard(app, lambda *_: "")

    async def ask(client: str, parts: list[bytes], *, is_whole: bool = True) -> int:
        statuses: list[int] = []

        async def receive() -> dict[str, Any]:
            if not parts:
                await asyncio.sleep(60)
            await asyncio.sleep(0)
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts) or not is_whole}

        async def send(message: Any) -> None:
            statuses.extend([message["status"]] if "status" in message else [])

        scope = {"type": "http", "method": "POST", "path": "/u/x/doc/1", "http_version": "1.1", "client": (client, 1)}
        await guard({**scope, "headers": [(b"transfer-encoding", b"chunked")]}, receive, send)
        return statuses[0]

    async def work() -> None:
        for size in (security.LARGEST, security.SMALL):
            hogs = [asyncio.create_task(ask("203.0.113.9", [b"x" * size], is_whole=False)) for _ in range(400)]
            await asyncio.sleep(0.1)
            refused = [hog.result() for hog in hogs if hog.done()]
            assert set(refused) == {429}
            assert len(refused) >= 144, "an address has its share, and no more"
            for n, other in enumerate(("198.51.100.1", "2001:db8::1", "127.0.0.1")):
                assert await ask(other, [b"number=2&", b"reason=" + b"y" * 40_000]) == 200
                assert await ask(other, [b"z" * 65_536] * (1 + n)) == 200
            assert await ask("203.0.113.9", [b"number=2&action=next"]) == 200  # a neighbour of the many
            for hog in hogs:
                hog.cancel()
            await asyncio.gather(*hogs, return_exceptions=True)
        assert not guard.reading.held, "what is read is forgotten"

    asyncio.run(work())
    assert len(taken) == 14


@pytest.mark.slow
def test_connections_of_one_address_are_few(
    site: Site, at: Listener, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Guards the socket: one address has so many connections, told once; those that are open go on."""
    monkeypatch.setattr(serving, "_is_exempt", lambda *_: False)
    monkeypatch.setattr(serving, "PER_ADDRESS", 5)
    monkeypatch.setattr(serving.PatientProtocol, "_told", False)
    ask = b"GET /static/icon.svg HTTP/1.1\r\nHost: a\r\n\r\n"
    links = [at.connect() for _ in range(9)]
    answered = 0
    for link in links:
        try:
            link.sendall(ask)
            answered += link.recv(100)[9:12] == b"200"
        except ConnectionError:
            continue
    assert answered == 5
    for link in links:
        link.close()
    at.settle()
    assert caplog.text.count("connections were refused") == 1
    assert at.ask(ask.replace(b"Host: a", b"Host: a\r\nConnection: close"))[9:12] == b"200"


def test_exempt_from_the_limit() -> None:
    """Guards who is not counted by address: this machine and named proxies, in both forms; nobody else."""
    named = ("172.18.0.0/16", "::ffff:172.18.0.0/112")
    hosts = ("127.0.0.1", "::1", "172.18.3.4", "::ffff:172.18.3.4", "203.0.113.7", "2001:db8::1")
    assert [serving._is_exempt(host, named) for host in hosts] == [True] * 4 + [False] * 2
