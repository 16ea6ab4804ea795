"""Taking submissions back, against a server on loopback that answers as Prolific's does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from truegain.errors import TruegainError
from truegain.judging.server import prolific
from truegain.judging.server.prolific import Prolific, keep_taking_back, take_back

KEY = "a-key-that-nobody-sees"


class Fake:
    """A server of submissions: `rows` of each study, paged; `status` and `body` answer otherwise."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.asked: list[tuple[str, str]] = []
        self.status, self.body, self.elsewhere = 200, b"", ""
        self.has_links = True
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                fake.asked.append((self.path, self.headers.get("Authorization", "")))
                body = fake.body or json.dumps(fake.page(self.path)).encode()
                self.send_response(fake.status)
                if fake.elsewhere:
                    self.send_header("Location", fake.elsewhere)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/api/v1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def page(self, path: str) -> dict[str, Any]:
        """One page of a study's submissions."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        rows, at, size = self.rows.get(query["study"], []), int(query["page"]), int(query["page_size"])
        shown, more = rows[(at - 1) * size : at * size], at * size < len(rows)
        links = {"_links": {"next": {"href": f"{self.address}/x" if more else None, "title": "Next"}}}
        return {"results": shown, **(links if self.has_links else {}), "meta": {"count": len(rows)}}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """The server, and no proxy between."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    made = Fake()
    yield made
    made.server.shutdown()
    made.server.server_close()


class Office:
    """Notes whom it frees; who holds nothing frees nothing."""

    def __init__(self, holding: set[str]) -> None:
        self.holding, self.freed = holding, list[tuple[str, str]]()

    def release(self, platform: str, id: str) -> bool:  # noqa: A002
        """Whether the person held a unit."""
        self.freed.append((platform, id))
        held = id in self.holding
        self.holding.discard(id)
        return held


def row(who: str, status: str) -> dict[str, Any]:
    """A submission as Prolific lists it."""
    return {"id": f"s-{who}-{status}", "participant_id": who, "status": status, "started_at": "2026-01-01T00:00:00Z"}


def test_returned_and_timed_out_are_freed_and_no_one_else(fake: Fake) -> None:
    """Guards what is taken back: two statuses of the nine, however they are spelt, and each once."""
    others = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "REJECTED", "SCREENED OUT", "PARTIALLY APPROVED")
    fake.rows["st"] = [
        row("ret", "RETURNED"), row("out", "TIMED-OUT"), row("out2", "timed_out"), *(row(f"o{s}", s) for s in others)
    ]  # fmt: skip
    office = Office({"ret", "out", "out2", *(f"o{s}" for s in others)})
    client = Prolific(KEY, fake.address)
    assert take_back(client, ["st"], office) == ("ret", "out", "out2")
    assert office.freed == [("prolific", "ret"), ("prolific", "out"), ("prolific", "out2")]
    assert take_back(client, ["st"], office) == ()
    assert {key for _, key in fake.asked} == {f"Token {KEY}"}


def test_who_came_again_is_left_alone(fake: Fake) -> None:
    """Guards people with two submissions: one that ran out must not free what the other is working on."""
    fake.rows = {"first": [row("ann", "TIMED-OUT"), row("bob", "RETURNED")], "second": [row("ann", "ACTIVE")]}
    assert take_back(Prolific(KEY, fake.address), ["first", "second"], Office({"ann", "bob"})) == ("bob",)


@pytest.mark.parametrize("has_links", [True, False])
def test_all_pages_are_read(fake: Fake, monkeypatch: pytest.MonkeyPatch, has_links: bool) -> None:
    """Guards paging: the last of 7 submissions is on the third page, with links to pages and without."""
    monkeypatch.setattr(prolific, "PAGE", 3)
    fake.has_links = has_links
    fake.rows["st"] = [row(str(n), "RETURNED") for n in range(7)]
    assert len(take_back(Prolific(KEY, fake.address), ["st"], Office(set("0123456")))) == 7
    assert [urlsplit(path).query for path, _ in fake.asked] == [f"study=st&page={n}&page_size=3" for n in (1, 2, 3)]


FAULTS = [
    (401, b"", "refuses the key"),
    (403, b"", "refuses the key"),
    (404, b"", "knows no study st"),
    (500, b"", "answered 500"),
    (429, b"", "answered 429"),
    (200, b"not json", "not as its documentation says"),
    (200, b"[]", "not as its documentation says"),
    (200, b'{"results": 3}', "not as its documentation says"),
    (200, b'{"results": [{"status": "RETURNED"}]}', "not as its documentation says"),
    (200, b'{"results": [{"participant_id": "a", "status": null}]}', "not as its documentation says"),
    (200, b"[" * 100_000, "not as its documentation says"),
]


@pytest.mark.parametrize(("status", "body", "said"), FAULTS)
def test_odd_answers_free_nobody_and_do_not_tell_the_key(fake: Fake, status: int, body: bytes, said: str) -> None:
    """Guards faults: one clear error, nobody freed, and the key in no message."""
    fake.status, fake.body = status, body or json.dumps({"detail": f"bad {KEY}"}).encode()
    office = Office(set())
    with pytest.raises(TruegainError, match=said) as error:
        take_back(Prolific(KEY, fake.address), ["st"], office)
    assert office.freed == []
    assert KEY not in f"{error.value!r} {error.value.__cause__!r}"


def test_the_key_goes_nowhere_else(fake: Fake) -> None:
    """Guards the key: a redirect is not followed, http is refused except on loopback, and no text shows it."""
    fake.status, fake.elsewhere = 302, f"{fake.address}/elsewhere"
    with pytest.raises(TruegainError, match="redirect"):
        take_back(Prolific(KEY, fake.address), ["st"], Office(set()))
    assert len(fake.asked) == 1
    with pytest.raises(TruegainError, match="https alone"):
        Prolific(KEY, "http://prolific.example/api")
    for odd in ("", " ", "a\nb", "schlüssel"):
        with pytest.raises(TruegainError, match="copy it again") as error:
            Prolific(odd)
        assert not odd.strip() or odd not in str(error.value)
    assert KEY not in f"{Prolific(KEY)!r}{Prolific(KEY)!s}"


def test_nobody_there_is_told_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the loop beside the server: it tells what failed, goes on, and ends when it is told to."""
    tries: list[int] = []
    told: list[str] = []
    third = threading.Event()

    def failing(*_: object) -> tuple[str, ...]:
        tries.append(1)
        if len(tries) == 1:
            raise TruegainError("Prolific cannot be reached")
        if len(tries) == 2:
            raise ValueError(KEY)
        third.set()
        return ()

    monkeypatch.setattr(prolific, "take_back", failing)
    stop = keep_taking_back(Prolific(KEY), lambda: ["st"], Office(set()), every=0.001, tell=told.append)
    assert third.wait(5)
    stop.set()
    assert told == ["Prolific cannot be reached", "taking back: ValueError"]


def test_a_closed_port_is_an_error_of_ours(fake: Fake) -> None:
    """Guards the network: no traceback of a library, and no key."""
    fake.server.shutdown()
    fake.server.server_close()
    with pytest.raises(TruegainError, match="cannot be reached"):
        take_back(Prolific(KEY, fake.address), ["st"], Office(set()))
