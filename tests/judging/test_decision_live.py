"""The decision sent live, by a real server: soon, by one question a second for all, and over when it has to be."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from sqlalchemy import event

from tests.judging.asgi import TestClient
from tests.judging.deciding import made
from tests.judging.listening import Listener, listening
from tests.judging.organizing import AT, HASH, House, csrf
from tests.judging.walking import Time, small_study
from truegain.judging.server import live, serving
from truegain.judging.server.organizer import Door
from truegain.judging.server.serving import HEAD_BYTES, SETTLE, PatientProtocol, listen
from truegain.judging.store.database import Database, StoreError, default_url
from truegain.judging.store.decisions import store_decision
from truegain.results.settlement import Settlement

SOON = 15.0  # seconds of patience where no time is promised


class Ear:
    """A browser that listens: events and comments in the order in which they came, and whether the stream is over."""

    def __init__(self, port: int, cookie: str, seen: str = "", header: str = "") -> None:
        self.events: list[tuple[str, str]] = []  # id and data
        self.comments = 0
        self.is_over = False
        self._link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        given = {"Cookie": cookie, "Accept": "text/event-stream", **({"Last-Event-ID": header} if header else {})}
        self._link.request("GET", f"{AT}/decision/events?seen={seen}", headers=given)
        self.answer = self._link.getresponse()
        self.headers = dict(self.answer.headers)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        if self.answer.status == 200:
            self._thread.start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
            name, data = "", list[str]()
            for raw in self.answer:
                line = raw.decode().rstrip("\n")
                if line.startswith(":"):
                    self.comments += 1
                elif line.startswith("id: "):
                    name = line[4:]
                elif line.startswith("data: "):
                    data.append(line[6:])
                elif not line and data:
                    self.events.append((name, "\n".join(data)))
                    data = []
            self.is_clean = True
        self.is_over = True

    is_clean = False  # whether the stream came to its end, and was not cut

    def close(self) -> None:
        """Go."""
        with contextlib.suppress(OSError):
            if self._link.sock:
                self._link.sock.shutdown(2)
        self._link.close()


def until(done: Callable[[], Any], seconds: float = SOON) -> float:
    """Wait until something is so; how long that took."""
    began = time.monotonic()
    while not done():
        assert time.monotonic() - began < seconds, "it never came"
        time.sleep(0.01)
    return time.monotonic() - began


class Site:
    """A study behind a real server, its organizer's cookie, and those who listen."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(default_url(folder))
        self.house = House(small_study(folder, per_topic=3), self.database, Time())
        self.house.client = TestClient(self.house.app, follow_redirects=False)
        assert self.house.sign_in() == 303
        self.cookie = "; ".join(f"{name}={value}" for name, value in self.house.client.cookies.items())
        self.ears: list[Ear] = []
        self.port = 0

    def put(self, decision: Settlement) -> None:
        """Store a decision, as another process would."""
        self.database.write(lambda c: store_decision(c, decision, 1.7e9))

    def page(self) -> str:
        """What the page says that it shows."""
        found = re.search(r'data-seen="([^"]+)"', self.house.client.get(f"{AT}/decision").text)
        assert found is not None
        return found[1]

    def listen(self, seen: str = "", header: str = "", cookie: str | None = None) -> Ear:
        """One more listener."""
        self.ears.append(Ear(self.port, self.cookie if cookie is None else cookie, seen, header))
        return self.ears[-1]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A study with its organizer signed in."""
    made_site = Site(tmp_path)
    yield made_site
    for ear in made_site.ears:
        ear.close()
    made_site.database.close()


@pytest.fixture
def at(site: Site) -> Iterator[Listener]:
    """Its server."""
    with listening(site.house.app) as found:
        site.port = found.port
        yield found


@pytest.mark.slow
def test_a_new_decision_arrives_within_two_seconds(site: Site, at: Listener) -> None:
    """Guards the promise: stored, and within 2 s the fragment is there, once, whole, and the same that the page has."""
    site.put(made(40))
    ear = site.listen(site.page())
    assert ear.headers["content-type"].startswith("text/event-stream")
    assert ear.headers["cache-control"] == "no-store"
    assert ear.headers["x-accel-buffering"] == "no"
    assert "default-src 'none'" in ear.headers["content-security-policy"]
    time.sleep(1.5)
    assert ear.events == [], "what is shown is not sent again"
    for labels in (41, 42, 43):
        before = len(ear.events)
        site.put(made(labels))
        assert until(lambda before=before: len(ear.events) > before) < 2.0  # type: ignore[misc]
        name, fragment = ear.events[-1]
        assert f"After {labels} labels it is not known" in fragment
        page = site.house.client.get(f"{AT}/decision").text
        assert fragment in page
        assert name == site.page()
    assert len(ear.events) == 3


@pytest.mark.slow
def test_who_was_away_gets_what_they_missed(site: Site, at: Listener) -> None:
    """Guards coming back: the id of the last event counts, not the address; who has the newest gets nothing."""
    site.put(made(40))
    old = site.page()
    site.put(made(41))
    late, there, lost = site.listen(old), site.listen(old, header=site.page()), site.listen("nonsense")
    until(lambda: late.events and lost.events)
    time.sleep(1.2)
    assert (len(late.events), len(there.events), len(lost.events)) == (1, 0, 1)
    assert "After 41 labels" in late.events[0][1]


@pytest.mark.slow
def test_twenty_listeners_cost_one_question_a_second(site: Site, at: Listener) -> None:
    """Guards the database: 20 listeners ask as much as one, about once a second, and all get the event."""
    asked: Counter[str] = Counter()
    event.listen(
        site.database._engine, "before_cursor_execute", lambda *about: asked.update([str(about[2]).split()[0]])
    )
    site.put(made(40))
    seen = site.page()

    def in_four_seconds() -> int:
        time.sleep(2)  # who came is told how things stand
        asked.clear()
        time.sleep(4)
        return asked["SELECT"]

    first = site.listen(seen)
    alone = in_four_seconds()
    others = [site.listen(seen) for _ in range(19)]
    together = in_four_seconds()
    assert 3 <= alone <= 5
    assert 3 <= together <= 5
    site.put(made(41))
    until(lambda: all(ear.events for ear in (first, *others)), 2.0)


@pytest.mark.slow
def test_the_end_of_the_server_ends_every_stream(site: Site) -> None:
    """Guards shutdown: with 20 open streams it takes less than 5 s, all of them whole to their end, none cut off."""
    at = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        site.house.app, http=PatientProtocol, ws="none", log_config=None, access_log=False,
        timeout_graceful_shutdown=SETTLE, h11_max_incomplete_event_size=HEAD_BYTES, forwarded_allow_ips=[],
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [at.socket]}, daemon=True)
    thread.start()
    until(lambda: server.started)
    site.port = at.port
    site.put(made(40))
    ears = [site.listen() for _ in range(20)]
    until(lambda: all(ear.events for ear in ears))
    began = time.monotonic()
    server.should_exit = True
    thread.join(30)
    assert not thread.is_alive()
    assert time.monotonic() - began < 5.0
    until(lambda: all(ear.is_over for ear in ears))
    assert all(ear.is_clean for ear in ears)
    at.socket.close()


@pytest.mark.slow
def test_the_servers_protections_let_a_stream_be(site: Site, at: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards long streams: limits of time for heads, reading and idle connections, made short, cut none of them."""
    monkeypatch.setattr(serving, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(serving, "READ_SECONDS", 0.3)
    at.server.config.timeout_keep_alive = 1
    monkeypatch.setattr(live, "HEARTBEAT", 0.2)
    site.put(made(40))
    ear = site.listen(site.page())
    time.sleep(3)
    assert not ear.is_over
    assert ear.comments >= 5, "a line now and then keeps proxies from closing it"
    site.put(made(41))
    until(lambda: ear.events)
    ear.close()
    assert at.settle() < SOON, "who goes leaves nothing behind"


@pytest.mark.slow
def test_a_limit_on_listeners(site: Site, at: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the process: one more than there is room for is refused, and comes in when another goes."""
    monkeypatch.setattr(live, "LISTENERS", 2)
    site.put(made(40))
    one, two = site.listen(), site.listen()
    until(lambda: one.events and two.events)
    refused = site.listen()
    assert (refused.answer.status, refused.headers["retry-after"]) == (503, "5")
    two.close()

    def comes_in() -> bool:
        return site.listen().answer.status == 200

    until(comes_in)


@pytest.mark.slow
def test_signing_out_ends_the_stream(site: Site, at: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards visits: a stream ends with its visit, at once here, soon where another process ended it; others stay."""
    site.put(made(40))
    assert site.listen(cookie="").answer.status == 401
    other = TestClient(site.house.app, follow_redirects=False)
    mine, site.house.client = site.house.client, other
    assert site.house.sign_in() == 303
    theirs = "; ".join(f"{name}={value}" for name, value in other.cookies.items())
    site.house.client = mine
    stays, goes = site.listen(), site.listen(cookie=theirs)
    until(lambda: stays.events and goes.events)
    other.post(f"{AT}/sign-out", data={"csrf": csrf(other.get(f"{AT}/decision").text)})
    assert until(lambda: goes.is_over) < 2.0
    assert not stays.is_over
    assert site.listen(cookie=theirs).answer.status == 401
    monkeypatch.setattr(live, "REFRESH", 0.5)
    visit = Door(HASH, _secret(site)).visit(site.house.client.cookies["truegain-organizer"])
    assert visit is not None
    site.house.organizer.end_visit(visit.id, visit.until)  # by another process
    until(lambda: stays.is_over)


def _secret(site: Site) -> bytes:
    from truegain.judging.server.organizer import _secret as secret_of

    return secret_of(site.database)


def test_the_task_lives_and_ends_with_its_listeners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the one task: it begins with the first listener, bears a database that is away, ends with the last."""
    monkeypatch.setattr(live, "POLL", 0.005)
    asked, is_away = Counter[str](), [False]

    def version() -> int:
        asked["version"] += 1
        if is_away[0]:
            raise StoreError("away")
        return 1

    def render(here: str) -> tuple[int, str]:
        asked[here] += 1
        return 1, f"<p>{here}</p>"

    async def walk() -> None:
        streams = live.LiveDecision(version, render, lambda _: set(), clock=lambda: 50.0)
        one, two = live.Listener("/a", "v1", 100.0), live.Listener("/b", "v2", 100.0)
        first, second = streams.events(one), streams.events(two)
        streams.join(one)
        task = streams._task
        assert (await anext(first)).startswith(b"retry: ")
        assert b"data: <p>/a</p>" in await anext(first)
        streams.join(two)
        assert streams._task is task
        await anext(second)
        assert b"data: <p>/b</p>" in await anext(second), "each has the address that they see"
        is_away[0] = True
        before = asked["version"]
        while asked["version"] < before + 3:
            await asyncio.sleep(0.01)
        assert task is not None
        assert not task.done()
        two.end()
        assert [part async for part in second] == []
        streams.leave(two)
        assert not task.done()
        streams.leave(one)
        await asyncio.sleep(0.02)
        assert task.done()
        before = asked["version"]
        await asyncio.sleep(0.05)
        assert asked["version"] == before, "without listeners nobody asks"

    asyncio.run(walk())


def test_a_visit_that_is_over_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards twelve hours: who stays longer is sent off, and signs in again."""
    monkeypatch.setattr(live, "POLL", 0.005)
    monkeypatch.setattr(live, "REFRESH", 0.01)
    now = [50.0]

    async def walk() -> None:
        streams = live.LiveDecision(lambda: 1, lambda _: (1, "x"), lambda _: set(), clock=lambda: now[0])
        one = live.Listener("/a", "v1", 100.0)
        streams.join(one)
        await asyncio.sleep(0.1)
        assert not one.is_over
        now[0] = 100.0
        async with asyncio.timeout(SOON):
            while not one.is_over:
                await asyncio.sleep(0.01)
        streams.leave(one)

    asyncio.run(walk())


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb\rc", "\n\nevent: forged\ndata: x\n\n", "id: 9"])
def test_no_text_leaves_its_event(text: str) -> None:
    """Guards the wire: whatever is in a fragment, it is data; a line end in it begins no other field."""
    lines = live.as_event(text, 1, "s").decode().split("\n")
    assert lines[:2] == ["id: 1-s", "event: decision"]
    assert lines[-2:] == ["", ""]
    assert all(line.startswith("data: ") for line in lines[2:-2])
    assert "\r" not in "".join(lines)
