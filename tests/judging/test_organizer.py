"""The organizer's page: what it changes, and what can be downloaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import truegain as tg
from tests.judging.organizing import AT, House, csrf, table
from tests.judging.walking import rows
from truegain.judging.store.schema import assessors, events


def test_pause_and_resume(house: House) -> None:
    """Guards the switch on either database: nobody gets a unit, who has one goes on; the page says what is so."""
    house.sign_in()
    page = house.client.get(f"{AT}/").text
    assert "Pause: assign no new sets" in page
    answer = house.client.post(f"{AT}/", data={"csrf": csrf(page), "action": "pause"})
    assert answer.headers["location"] == f"{AT}/?notice=paused"
    assert house.organizer.paused
    page = house.client.get(f"{AT}/?notice=paused").text
    assert 'role="status"' in page
    assert "no new sets are assigned" in page
    house.client.post(f"{AT}/", data={"csrf": csrf(page), "action": "resume"})
    assert not house.organizer.paused


@pytest.mark.few(1)
@pytest.mark.parametrize("token", ["", "x", "0" * 64])
def test_forms_of_others_change_nothing(lone: House, token: str) -> None:
    """Guards against forged forms: a signed-in browser with a wrong token is told, and nothing is changed."""
    lone.walk("w1")
    (person,) = rows(lone.database, assessors)
    for path in ("/", f"/assessors/{person.id}/exclude", f"/assessors/{person.id}/readmit"):
        data = {"csrf": token, "action": "pause", "reason": "because"}
        assert lone.client.post(f"{AT}{path}", data=data).headers["location"] == f"{AT}/?notice=stale"
    assert not lone.organizer.paused
    assert rows(lone.database, assessors)[0].excluded is None


def test_exclude_asks_why_keeps_and_can_be_taken_back(house: House) -> None:
    """Guards excluding: a reason is needed and kept, figures and ratings leave the person out, everything is kept."""
    house.sign_in()
    house.walk("w1")
    house.walk("w2")
    first = rows(house.database, assessors, platform_id="w1")[0].id
    page = house.client.get(f"{AT}/assessors/{first}/exclude").text
    empty = house.client.post(f"{AT}/assessors/{first}/exclude", data={"csrf": csrf(page), "reason": " - "})
    assert empty.status_code == 422
    assert 'aria-invalid="true"' in empty.text
    assert rows(house.database, assessors, id=first)[0].excluded is None
    data = {"csrf": csrf(page), "reason": "gives <b>one</b> number"}
    assert house.client.post(f"{AT}/assessors/{first}/exclude", data=data).headers["location"].endswith("=excluded")
    shown = house.client.get(f"{AT}/").text
    assert "gives &lt;b&gt;one&lt;/b&gt; number" in shown
    assert {r["assessor"] for r in table(house, "ratings.csv")} == {
        rows(house.database, assessors, platform_id="w2")[0].id
    }
    everything = table(house, "ratings.csv?all=1")
    assert {r["assessor"] for r in everything if "excluded" in r["flags"]} == {first}
    assert any(e.kind == "excluded" and "number" in e.about["why"] for e in rows(house.database, events))
    house.client.post(f"{AT}/assessors/{first}/readmit", data={"csrf": csrf(shown)})
    assert rows(house.database, assessors, id=first)[0].excluded is None
    assert len({r["assessor"] for r in table(house, "ratings.csv")}) == 2


@pytest.mark.few(1)
@pytest.mark.parametrize(("typed", "shown"), [("%3Cscript%3E", "&lt;script&gt;"), ("a%00b", "a"), ("%ff", "\ufffd")])
def test_unknown_assessors_are_told(house: House, typed: str, shown: str) -> None:
    """Guards addresses that were typed: 404 in words, and the id is shown as text; also what no database stores."""
    house.sign_in()
    form = csrf(house.client.get(f"{AT}/").text)
    for answer in (
        house.client.get(f"{AT}/assessors/{typed}/exclude"),
        house.client.post(f"{AT}/assessors/{typed}/exclude", data={"csrf": form, "reason": "because"}),
        house.client.post(f"{AT}/assessors/{typed}/readmit", data={"csrf": form}),
    ):
        assert answer.status_code == 404
        assert "<script>" not in answer.text
        assert shown in answer.text


def test_odd_forms_are_no_failure(lone: House) -> None:
    """Guards against 5xx: files as fields, no body, other types."""
    for given in (
        {"files": {"csrf": ("a.txt", b"x"), "action": ("b", b"y")}},
        {"content": b"\xff\xfe", "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
        {"json": {"csrf": 3}},
        {"content": b"--", "headers": {"Content-Type": "multipart/form-data; boundary=x"}},
    ):
        for path in ("/", "/sign-in", "/sign-out", "/assessors/a/exclude"):
            assert lone.client.post(f"{AT}{path}", **given).status_code < 500


def test_downloads_are_the_export_and_the_trail(house: House, tmp_path: Path) -> None:
    """Guards downloads on either database: ratings that our commands read, every event, and a word where nothing is."""
    house.sign_in()
    nothing = house.client.get(f"{AT}/ratings.csv")
    assert nothing.status_code == 409
    assert "nothing to export" in nothing.text
    for name in ("w1", "w2", "w3"):
        house.walk(name)
    found = table(house, "ratings.csv")
    assert len(found) == 12
    (tmp_path / "ratings.csv").write_text(house.client.get(f"{AT}/ratings.csv").text)
    assert len(tg.read_ratings(tmp_path / "ratings.csv")) == 12
    trail = [json.loads(line) for line in house.client.get(f"{AT}/audit.jsonl").text.splitlines()]
    assert [e["id"] for e in trail] == [e.id for e in sorted(rows(house.database, events), key=lambda e: int(e.id))]
    assert "w1" not in json.dumps(trail)
