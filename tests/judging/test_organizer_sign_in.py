"""The organizer's page: who is let in, and who is not."""

from __future__ import annotations

import pytest
from argon2 import PasswordHasher

from tests.judging.asgi import TestClient
from tests.judging.organizing import AT, HASH, PASSWORD, House, csrf
from tests.judging.walking import Time, rows
from truegain.errors import TruegainError
from truegain.judging.server.organizer import COOKIE, HOURS, TRIES, WINDOW, Door, TooManyTriesError, password_hash_of
from truegain.judging.store.schema import assessors, settings

SECRET = b"a secret of the database"
GETS = ("/", "/ratings.csv", "/audit.jsonl", "/assessors/a1/exclude", "/?all=1")
POSTS = ("/", "/assessors/a1/exclude", "/assessors/a1/readmit")


def test_nothing_is_shown_or_done_without_the_password(lone: House) -> None:
    """Guards every address: a stranger, with and without a token of a form, is led to the sign-in page."""
    stranger = lone.visitor()
    form = csrf(stranger.get(f"{AT}/sign-in").text)
    walker = lone.walk("w1")
    for client, headers in ((lone.visitor(), {}), (stranger, {}), (lone.visitor(), {"Cookie": f"{COOKIE}=forged"})):
        answers = [client.get(f"{AT}{path}", headers=headers) for path in GETS]
        for path in POSTS:
            data = {"csrf": form, "action": "pause", "reason": "because"}
            answers.append(client.post(f"{AT}{path}", data=data, headers=headers))
        assert {a.status_code for a in answers} == {303}
        assert {a.headers["location"] for a in answers} == {f"{AT}/sign-in"}
        assert not any(a.text for a in answers)
    assert not lone.organizer.paused
    assert {row.excluded for row in rows(lone.database, assessors)} == {None}
    assert walker.service.where(walker.token).name == "done"


def test_the_password_opens_and_a_wrong_one_does_not(lone: House) -> None:
    """Guards signing in: 401 for a wrong one, then in; the cookie is for this page alone and no script reads it."""
    lone.client = lone.visitor()
    assert lone.sign_in("four words or less") == 401
    assert lone.client.get(f"{AT}/").status_code == 303
    page = lone.client.get(f"{AT}/sign-in")
    before = lone.client.cookies[COOKIE]
    answer = lone.client.post(f"{AT}/sign-in", data={"csrf": csrf(page.text), "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{AT}/")
    cookie = answer.headers["set-cookie"]
    for part in ("HttpOnly", "SameSite=strict", "Secure", f"Path={AT}"):
        assert part.lower() in cookie.lower()
    assert lone.client.cookies[COOKIE] != before
    assert lone.client.get(f"{AT}/").status_code == 200


def test_a_password_sent_without_our_form_is_not_looked_at(lone: House) -> None:
    """Guards sign-in against forms of others: the right password without this browser's token is refused."""
    lone.client = lone.visitor()
    other = csrf(lone.visitor().get(f"{AT}/sign-in").text)
    for token in ("", "x", other):
        lone.client.get(f"{AT}/sign-in")
        answer = lone.client.post(f"{AT}/sign-in", data={"csrf": token, "password": PASSWORD})
        assert answer.status_code == 403
    assert lone.client.get(f"{AT}/").status_code == 303


def test_tries_are_limited(lone: House) -> None:
    """Guards against guessing: after five wrong ones even the right one must wait, and is told how long."""
    lone.client = lone.visitor()
    assert [lone.sign_in(f"wrong password {n}") for n in range(TRIES)] == [401] * TRIES
    page = lone.client.get(f"{AT}/sign-in")
    answer = lone.client.post(f"{AT}/sign-in", data={"csrf": csrf(page.text), "password": PASSWORD})
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= WINDOW + 1


def test_the_door_by_its_clocks() -> None:
    """Guards the limit and the length of a visit by their clocks; addresses share no limit, a success clears it."""
    clock, steady = Time(), Time()
    door = Door(HASH, SECRET, clock=clock, steady=steady)
    for _ in range(TRIES - 1):
        assert not door.opens("no", "one")
    assert door.opens(PASSWORD, "one")
    for _ in range(TRIES):
        assert not door.opens("no", "one")
    with pytest.raises(TooManyTriesError):
        door.opens(PASSWORD, "one")
    assert door.opens(PASSWORD, "two")
    steady.go(WINDOW)
    assert door.opens(PASSWORD, "one")
    assert not door.opens("\ud800" + "x" * 5000, "three")
    visit = door.begin(signed_in=True)
    cookie = door.cookie(visit)
    assert door.visit(cookie) == visit
    assert door.visit(cookie[:-2] + ("aa" if cookie[-2:] != "aa" else "bb")) is None
    assert Door(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD), SECRET).visit(cookie) is None
    clock.go(HOURS * 3600 + 1)
    assert door.visit(cookie) is None


@pytest.mark.parametrize("odd", ["", "short", "x" * 1025])
def test_weak_passwords_are_refused(odd: str) -> None:
    """Guards the hash: none of a password that is too short or too long, and no hash that is none."""
    with pytest.raises(TruegainError, match="characters"):
        password_hash_of(odd)
    with pytest.raises(TruegainError, match="argon2"):
        Door("plain text", SECRET)


def test_signing_out_ends_the_visit(lone: House) -> None:
    """Guards leaving: with our form the cookie goes, and a copy opens nothing, here and in another server process."""
    page = lone.client.get(f"{AT}/").text
    copy, later = lone.visitor(), House(lone.study, lone.database, lone.clock)
    copy.cookies.update(lone.client.cookies)
    later.client.cookies.update(lone.client.cookies)
    assert [c.get(f"{AT}/").status_code for c in (copy, later.client)] == [200, 200]
    lone.client.post(f"{AT}/sign-out", data={"csrf": "x"})
    assert lone.client.get(f"{AT}/").status_code == 200
    lone.client.post(f"{AT}/sign-out", data={"csrf": csrf(page)})
    assert [c.get(f"{AT}/").status_code for c in (lone.client, copy, later.client)] == [303, 303, 303]
    copy.post(f"{AT}/", data={"csrf": csrf(page), "action": "pause"})
    assert not lone.organizer.paused
    assert copy.get(f"{AT}/audit.jsonl").headers["location"].endswith("/sign-in")
    assert lone.sign_in() == 303
    assert lone.client.get(f"{AT}/").status_code == 200


def test_ended_visits_are_kept_as_long_as_they_would_have_lasted(lone: House) -> None:
    """Guards the list of those who signed out: it is as long as the last twelve hours, and holds no ids."""
    for n in range(3):
        lone.organizer.end_visit(f"visit {n}", lone.clock.now + 100 + n)
    lone.clock.go(102)
    lone.organizer.end_visit("visit 3", lone.clock.now + 100)
    assert [lone.organizer.is_ended(f"visit {n}") for n in range(4)] == [False, False, True, True]
    assert "visit 3" not in str(rows(lone.database, settings))


def test_neighbours_of_one_network_share_their_tries(lone: House) -> None:
    """Guards against guessing from a network of many addresses: of IPv6 the first half counts, as for all limits."""

    def tried(address: str, password: str) -> int:
        lone.client = TestClient(
            lone.app, follow_redirects=False, base_url="https://testserver", client=(address, 1)
        )  # fmt: skip
        return lone.sign_in(password)

    guesses = [tried(f"2001:db8::{n:x}", f"wrong password {n}") for n in range(TRIES + 1)]
    assert guesses == [401] * TRIES + [429]
    assert tried("2001:db8:0:1::1", PASSWORD) == 303
    assert [tried("127.0.0.1", "wrong password") for _ in range(TRIES + 1)][-1] == 429, "this machine is counted too"


def test_who_reads_the_hash_cannot_sign_a_cookie(lone: House) -> None:
    """Guards the signature: with the file of the password's hash alone, and no database, nobody makes a cookie."""
    forger = Door(HASH, b"another database")
    stranger = lone.visitor()
    cookie = {"Cookie": f"{COOKIE}={forger.cookie(forger.begin(signed_in=True))}"}
    assert stranger.get(f"{AT}/", headers=cookie).status_code == 303


def test_server_processes_know_one_another_visitors(lone: House) -> None:
    """Guards several processes at one database: who signed in at one is known to the other."""
    other = House(lone.study, lone.database, lone.clock)
    cookie = {"Cookie": f"{COOKIE}={lone.client.cookies[COOKIE]}"}
    assert other.visitor().get(f"{AT}/", headers=cookie).status_code == 200
