"""Taking submissions back, against a server on loopback that answers as Prolific's does."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.judging.asgi import TestClient
from tests.judging.walking import Time, Walker, check_invariants, rows, service_of, small_study
from truegain.errors import TruegainError
from truegain.judging.server import platforms
from truegain.judging.server.app import create_app
from truegain.judging.server.platforms import Doorkeeper, Prolific, TakenBack, keep_taking_back, take_back
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import assessors
from truegain.judging.study.study import People
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.steps import Person

KEY = "a-key-that-nobody-sees"


class Fake:
    """A server of submissions: `rows` of each study, paged; `status` and `body` answer otherwise."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.asked: list[tuple[str, str]] = []
        self.status, self.body, self.elsewhere = 200, b"", ""
        self.places: dict[str, dict[str, Any]] = {}  # submissions by their id
        self.drips = self.waits = 0.0  # seconds before an answer, and between its bytes
        self.has_links = True
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                fake.asked.append((self.path, self.headers.get("Authorization", "")))
                if place := re.fullmatch(r"/api/v1/submissions/([^/?]+)/", self.path):
                    self.tell_place(place[1])
                    return
                study = parse_qs(urlsplit(self.path).query).get("study", [""])[0]
                body = fake.body or json.dumps(fake.page(self.path)).encode()
                self.send_response(
                    404 if fake.status == 200 and not fake.body and study not in fake.rows else fake.status
                )
                if fake.elsewhere:
                    self.send_header("Location", fake.elsewhere)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def tell_place(self, name: str) -> None:
                time.sleep(fake.waits)
                found = fake.places.get(name)
                body = fake.body or json.dumps(found or {"error": {"status": 404}}).encode()
                with contextlib.suppress(ConnectionError):
                    self.send_response(fake.status if found or fake.status != 200 else 404)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    for part in [body] if not fake.drips else [body[n : n + 1] for n in range(len(body))]:
                        self.wfile.write(part)
                        time.sleep(fake.drips)

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


class Noting:
    """An organizer that notes whom it frees; who holds nothing frees nothing."""

    def __init__(self, holding: set[str]) -> None:
        self.holding, self.freed = holding, list[tuple[str, str, str]]()

    def release(self, platform: str, id: str, submission: str) -> bool:  # noqa: A002
        """Whether the person held a unit."""
        self.freed.append((platform, id, submission))
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
    organizer = Noting({"ret", "out", "out2", *(f"o{s}" for s in others)})
    client = Prolific(KEY, fake.address)
    assert take_back(client, ["st"], organizer) == (("ret", "out", "out2"), {})
    assert organizer.freed == [
        ("prolific", "ret", "s-ret-RETURNED"), ("prolific", "out", "s-out-TIMED-OUT"),
        ("prolific", "out2", "s-out2-timed_out"),
    ]  # fmt: skip
    assert take_back(client, ["st"], organizer) == ((), {})
    assert {key for _, key in fake.asked} == {f"Token {KEY}"}


@pytest.fixture
def walkers(tmp_path: Path, database: Database, clock: Time) -> Callable[[str, str, str], Walker]:
    """A function that lets someone of Prolific come under a submission of a Prolific study."""
    service = service_of(small_study(tmp_path, people=People("prolific")), database, clock)

    def come(who: str, study: str, submission: str) -> Walker:
        walker = Walker(service, clock, who)
        walker.person = Person("prolific", who, about={"study": study, "session": submission})
        walker.enter()
        return walker

    return come


def test_the_organizer_frees_the_submission_that_was_lost_and_no_other(
    fake: Fake, walkers: Callable[[str, str, str], Walker], database: Database, tmp_path: Path, clock: Time
) -> None:
    """Guards people with two submissions, and a study that came later: what the one lost the other keeps."""
    organizer = OrganizerService(small_study(tmp_path, people=People("prolific")), database, clock=clock)
    again, lost, done = walkers("ann", "first", "a1"), walkers("bob", "first", "b1"), walkers("cyd", "first", "c1")
    again = walkers("ann", "second", "a2")
    done.whole()
    fake.rows = {
        "first": [sub("a1", "ann", "TIMED-OUT"), sub("b1", "bob", "RETURNED"), sub("c1", "cyd", "RETURNED")],
        "second": [sub("a2", "ann", "ACTIVE")],
    }
    client = Prolific(KEY, fake.address)
    assert organizer.studies_going_on("prolific") == ("first", "second")
    assert take_back(client, organizer.studies_going_on("prolific"), organizer) == (("bob",), {})
    assert [walker.step.name for walker in (again, lost, done)] == ["consent", "left", "done"]
    assert organizer.studies_going_on("prolific") == ("second",)
    assert take_back(client, ["first", "second"], organizer) == ((), {})
    fake.rows["second"] = [sub("a2", "ann", "RETURNED")]
    assert take_back(client, organizer.studies_going_on("prolific"), organizer) == (("ann",), {})
    check_invariants(database, organizer.study)


def test_a_study_that_nobody_knows_does_not_stop_the_others(
    fake: Fake, walkers: Callable[[str, str, str], Walker], database: Database, tmp_path: Path, clock: Time
) -> None:
    """Guards against a visitor who makes an address up: it is told once, asked about once, and the rest goes on."""
    organizer = OrganizerService(small_study(tmp_path, people=People("prolific")), database, clock=clock)
    walkers("eve", "a-nonsense", "x"), walkers("bob", "real", "b1")  # in this order they are asked about
    fake.rows = {"real": [sub("b1", "bob", "ACTIVE")]}
    told: list[str] = []
    rounds = 0

    def studies() -> tuple[str, ...]:
        nonlocal rounds
        rounds += 1
        if rounds == 3:
            fake.rows["real"] = [sub("b1", "bob", "RETURNED")]
        if rounds == 5:
            stop.set()
        return organizer.studies_going_on("prolific")

    stop = threading.Event()
    keep_taking_back(Prolific(KEY, fake.address), studies, organizer, every=0.001, tell=told.append, stop=stop)
    assert stop.wait(30)
    assert told == ["Prolific has no study a-nonsense (404); truegain will not ask again; check its id"]
    assert sum("a-nonsense" in path for path, _ in fake.asked) == 1
    assert organizer.studies_going_on("prolific") == ("a-nonsense",)


def sub(name: str, who: str, status: str) -> dict[str, Any]:
    """A submission with an id of its own."""
    return {**row(who, status), "id": name}


@pytest.mark.parametrize("has_links", [True, False])
def test_all_pages_are_read(fake: Fake, monkeypatch: pytest.MonkeyPatch, has_links: bool) -> None:
    """Guards paging: the last of 7 submissions is on the third page, with links to pages and without."""
    monkeypatch.setattr(platforms, "PAGE", 3)
    fake.has_links = has_links
    fake.rows["st"] = [row(str(n), "RETURNED") for n in range(7)]
    assert len(take_back(Prolific(KEY, fake.address), ["st"], Noting(set("0123456"))).freed) == 7
    assert [urlsplit(path).query for path, _ in fake.asked] == [f"study=st&page={n}&page_size=3" for n in (1, 2, 3)]


FAULTS = [
    (401, b"", "refuses the key"),
    (403, b"", "refuses the key"),
    (404, b"", "has no study st"),
    (500, b"", "answered 500"),
    (429, b"", "answered 429"),
    (200, b"not json", "not match its documentation"),
    (200, b"[]", "not match its documentation"),
    (200, b'{"results": 3}', "not match its documentation"),
    (200, b'{"results": [{"status": "RETURNED"}]}', "not match its documentation"),
    (200, b'{"results": [{"participant_id": "a", "status": null}]}', "not match its documentation"),
    (200, b"[" * 100_000, "not match its documentation"),
]


@pytest.mark.parametrize(("status", "body", "said"), FAULTS)
def test_odd_answers_free_nobody_and_do_not_tell_the_key(fake: Fake, status: int, body: bytes, said: str) -> None:
    """Guards faults: one clear error, nobody freed, and the key in no message."""
    fake.status, fake.body = status, body or json.dumps({"detail": f"bad {KEY}"}).encode()
    organizer = Noting(set())
    if status in (401, 403, 429):  # of no use to go on
        with pytest.raises(TruegainError, match=said) as error:
            take_back(Prolific(KEY, fake.address), ["st", "other"], organizer)
        told = f"{error.value!r} {error.value.__cause__!r}"
    else:
        found = take_back(Prolific(KEY, fake.address), ["st", "other"], organizer)
        assert set(found.wrong) == {"st", "other"}
        assert said in (told := found.wrong["st"])
    assert organizer.freed == []
    assert KEY not in told


def test_the_key_goes_nowhere_else(fake: Fake) -> None:
    """Guards the key: a redirect is not followed, http is refused except on loopback, and no text shows it."""
    fake.status, fake.elsewhere = 302, f"{fake.address}/elsewhere"
    found = take_back(Prolific(KEY, fake.address), ["st"], Noting(set()))
    assert "redirect" in found.wrong["st"]
    assert len(fake.asked) == 1
    with pytest.raises(TruegainError, match="https only"):
        Prolific(KEY, "http://prolific.example/api")
    for odd in ("", " ", "a\nb", "schlüssel"):
        with pytest.raises(TruegainError, match="copy it again") as error:
            Prolific(odd)
        assert not odd.strip() or odd not in str(error.value)
    assert KEY not in f"{Prolific(KEY)!r}{Prolific(KEY)!s}"


def test_nobody_there_is_told_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the loop beside the server: it tells once what fails, goes on, and ends when it is told to."""
    tries: list[int] = []
    told: list[str] = []
    fifth = threading.Event()

    def failing(*_: object) -> TakenBack:
        tries.append(1)
        if len(tries) in (1, 2, 4):
            raise TruegainError("Prolific cannot be reached")
        if len(tries) == 3:
            raise ValueError(KEY)
        if len(tries) == 6:
            fifth.set()
        return TakenBack((), {})

    monkeypatch.setattr(platforms, "take_back", failing)
    stop = keep_taking_back(Prolific(KEY), lambda: ["st"], Noting(set()), every=0.001, tell=told.append)
    assert fifth.wait(30)
    stop.set()
    assert told == ["Prolific cannot be reached", "taking back: ValueError", "Prolific cannot be reached"]


def test_a_closed_port_is_an_error_of_ours(fake: Fake) -> None:
    """Guards the network: no traceback of a library, and no key."""
    fake.server.shutdown()
    fake.server.server_close()
    with pytest.raises(TruegainError, match="cannot be reached"):
        take_back(Prolific(KEY, fake.address), ["st"], Noting(set()))


def place(name: str, who: str, status: str = "ACTIVE", study: str = "st") -> dict[str, Any]:
    """A submission as Prolific tells it by its id."""
    return {"id": name, "participant": who, "status": status, "study_id": study, "started_at": "2026-01-01T00:00:00Z"}


def came(who: str = "ann", session: str = "a1", study: str = "st") -> Person:
    """Who an address says comes."""
    return Person("prolific", who, about={"study": study, "session": session})


def test_who_comes_is_asked_about(fake: Fake) -> None:
    """Guards the door: the submission, its participant and its study are one; a place that was lost opens nothing."""
    fake.places = {
        "a1": place("a1", "ann"), "b1": place("b1", "bob", "RETURNED"), "c1": place("c1", "cyd", "AWAITING REVIEW"),
        "d1": {**place("d1", "dan", study="part"), "parent_study_id": "st"},
        "e1": place("other", "eve"), "f1": place("f1", "fay", "TIMED_OUT"), "g1": place("g1", "gus", "REJECTED"),
    }  # fmt: skip
    door = Doorkeeper(Prolific(KEY, fake.address))
    asked = [
        (came(), "yes"), (came("bob", "b1"), "no"), (came("cyd", "c1"), "yes"), (came("dan", "d1"), "yes"),
        (came("eve", "e1"), "no"), (came("fay", "f1"), "no"), (came("gus", "g1"), "no"), (came("eve", "a1"), "no"),
        (came("ann", "a1", "another"), "no"), (came("ann", "unknown"), "no"), (came("ann", ".."), "no"),
        (Person("prolific", "ann", about={"study": "st"}), "no"), (came("ann", "a1/../b1"), "no"),
    ]  # fmt: skip
    for person, verified in asked:
        assert door(person, "") == verified, person
    assert {key for _, key in fake.asked} == {f"Token {KEY}"}
    assert all(re.fullmatch(r"/api/v1/submissions/[a-z0-9]+/", path) for path, _ in fake.asked)


def test_an_answer_is_asked_for_once_and_counts_for_a_while(fake: Fake) -> None:
    """Guards Prolific's patience: known places are not asked about again for an hour, unknown ones for a minute."""
    now = [0.0]
    fake.places["a1"] = place("a1", "ann")
    door = Doorkeeper(Prolific(KEY, fake.address), clock=lambda: now[0])
    assert [door(came(), ""), door(came(), ""), door(came("eve", "x"), ""), door(came("eve", "x"), "")] == [
        "yes", "yes", "no", "no",
    ]  # fmt: skip
    assert len(fake.asked) == 2
    now[0] = 61.0
    fake.places["x"] = place("x", "eve")
    assert (door(came("eve", "x"), ""), door(came(), ""), len(fake.asked)) == ("yes", "yes", 3)
    now[0] = 3601.0
    fake.places["a1"]["status"] = "RETURNED"
    assert door(came(), "") == "no"


UNSURE = [(401, b""), (429, b""), (500, b""), (302, b""), (200, b"not json"), (200, b"[]"), (200, b'{"id": "a1"}')]


@pytest.mark.parametrize(("status", "body"), UNSURE)
def test_what_prolific_does_not_tell_opens_nothing(fake: Fake, status: int, body: bytes) -> None:
    """Guards faults at the door: nobody comes in, it is told once and without the key, and it is asked again."""
    fake.places["a1"] = place("a1", "ann")
    fake.status, fake.body = status, body
    told: list[str] = []
    door = Doorkeeper(Prolific(KEY, fake.address), tell=told.append)
    assert [door(came(), "") for _ in range(2)] == ["unsure", "unsure"]
    assert len(told) == 1
    assert told[0].startswith("people from Prolific cannot come in: Prolific")
    assert KEY not in told[0]
    fake.status, fake.body = 200, b""
    assert door(came(), "") == "yes"


def test_a_key_of_another_workspace_is_told(fake: Fake) -> None:
    """Guards organizers whose key sees nothing: all people were refused, and nobody was told why."""
    told: list[str] = []
    door = Doorkeeper(Prolific(KEY, fake.address), tell=told.append)
    assert [door(came(f"p{n}", f"s{n}"), "") for n in range(4)] == ["no"] * 4
    assert told == [], "a few addresses that somebody made up are nothing to tell"
    assert [door(came(f"p{n}", f"s{n}"), "") for n in range(3, 9)] == ["no"] * 6
    assert len(told) == 1
    assert told[0].startswith("people from Prolific cannot come in: Prolific knows none of the last 5 submissions")
    assert "workspace" in told[0]
    assert KEY not in told[0]
    fake.places["a1"] = place("a1", "ann")
    assert door(came(), "") == "yes"
    assert [door(came(f"q{n}", f"q{n}"), "") for n in range(4)] == ["no"] * 4
    assert len(told) == 1, "the key sees submissions: a few strangers are nothing to tell"
    door(came("q4", "q4"), "")
    assert len(told) == 2, "it may lose them, too"


def test_one_address_that_is_loaded_again_and_again_says_nothing_of_the_key(fake: Fake) -> None:
    """Guards the log: one made-up place is one, however often it is tried."""
    told: list[str] = []
    now = [0.0]
    door = Doorkeeper(Prolific(KEY, fake.address), tell=told.append, clock=lambda: now[0])
    for _ in range(9):
        assert door(came("eve", "x"), "") == "no"
        now[0] += 61.0
    assert len(fake.asked) == 9
    assert told == []


def test_a_key_that_may_not_see_a_submission_is_told_at_once(fake: Fake) -> None:
    """Guards a key without the right (403): the first person's refusal is told, those after it are not."""
    fake.places["a1"] = place("a1", "ann")
    fake.status = 403
    told: list[str] = []
    door = Doorkeeper(Prolific(KEY, fake.address), tell=told.append)
    assert [door(came("ann", f"a{n}"), "") for n in range(4)] == ["no"] * 4
    assert len(told) == 1
    assert "(403)" in told[0]
    assert "workspace" in told[0]
    assert KEY not in told[0]
    fake.status = 200
    fake.places["b1"] = place("b1", "bob")
    assert door(came("bob", "b1"), "") == "yes"
    fake.status = 403
    assert door(came("eve", "e1"), "") == "no"
    assert len(told) == 1, "the key sees this study: somebody came with a submission of another"


@pytest.mark.parametrize(("waits", "drips"), [(1.0, 0.0), (0.0, 0.1)])
def test_a_slow_answer_is_not_waited_for(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, waits: float, drips: float
) -> None:
    """Guards who waits at the door: an answer that does not come, or comes byte by byte, is given up in time."""
    monkeypatch.setattr(platforms, "AT_THE_DOOR", 0.3)
    fake.places["a1"], fake.waits, fake.drips = place("a1", "ann"), waits, drips
    began = time.monotonic()
    assert Doorkeeper(Prolific(KEY, fake.address))(came(), "") == "unsure"
    assert time.monotonic() - began < 5


def test_questions_are_few_at_once_and_by_address(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the key's quota and our threads: one address makes up few ids, and only so many wait at one moment."""
    monkeypatch.setattr(platforms, "ASKED_BURST", 3.0)
    monkeypatch.setattr(platforms, "AT_ONCE", 2)
    door = Doorkeeper(Prolific(KEY, fake.address), clock=lambda: 0.0)
    assert [door(came(f"p{n}", f"s{n}"), "203.0.113.7") for n in range(5)] == ["no"] * 3 + ["many"] * 2
    assert door(came("p9", "s9"), "203.0.113.8") == "no"
    fake.waits = 1.0
    waiting = [threading.Thread(target=door, args=(came("q", f"q{n}"), "")) for n in range(2)]
    for thread in waiting:
        thread.start()
    time.sleep(0.3)
    assert door(came("r", "r1"), "") == "unsure"
    for thread in waiting:
        thread.join()


def test_pages_at_the_door(fake: Fake, tmp_path: Path) -> None:
    """Guards the way in by HTTP: who is known gets a set, others a page that says why, and nobody new is stored."""
    study = small_study(tmp_path, people=People("prolific"))
    database = Database(default_url(tmp_path))
    fake.places["a1"] = place("a1", "ann")
    app = create_app(study, database, verify=Doorkeeper(Prolific(KEY, fake.address)))
    client = TestClient(app, follow_redirects=False)

    def come(who: str, session: str) -> tuple[int, str]:
        query = {"PROLIFIC_PID": who, "STUDY_ID": "st", "SESSION_ID": session}
        answer = client.get(f"/s/{study.name}/", params=query)
        return answer.status_code, answer.headers.get("location", "") or answer.text

    assert come("eve", "a1")[0] == 403
    assert "Prolific does not recognize this submission" in come("eve", "a1")[1]
    assert "message the researchers on Prolific" in come("eve", "a1")[1]
    fake.status = 500
    status, page = come("ann", "a1")
    assert (status, "We cannot reach Prolific right now" in page) == (503, True)
    assert "message the researchers on Prolific" in page
    assert rows(database, assessors) == []
    fake.status = 200
    assert come("ann", "a1")[1].startswith("/u/")
    assert [row.platform_id for row in rows(database, assessors)] == ["ann"]
    database.close()
