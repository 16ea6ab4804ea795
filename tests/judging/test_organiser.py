"""The organiser's page: who is let in, what it shows, and what it changes; by HTTP, against the real desk."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from statistics import median

import pytest
from argon2 import PasswordHasher

import truegain as tg
from tests.judging.asgi import TestClient
from tests.judging.walking import Time, Walker, rows, small_study
from truegain.cli.judging_insight import insight_of
from truegain.errors import TruegainError
from truegain.judging.collected import collected
from truegain.judging.desk.desk import Desk
from truegain.judging.desk.office import Office
from truegain.judging.insight import AgreementSoFar, Coefficient95, Insight, VerdictSoFar
from truegain.judging.server.app import create_app
from truegain.judging.server.organiser import COOKIE, organiser_routes
from truegain.judging.server.overview import histogram, overview_of
from truegain.judging.server.sign_in import HOURS, TRIES, WINDOW, Door, TooManyTriesError, password_hash_of
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import assessors, events
from truegain.judging.study.study import JudgingStudy, People, Words
from truegain.judging.tasks.catalogue import task_of

PASSWORD = "four words or more"
HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)  # a light one
AT = "/organise/small"


class House:
    """A study, its desk and office, and the app with the organiser's page."""

    def __init__(self, study: JudgingStudy, database: Database, clock: Time, insight: Insight | None = None) -> None:
        self.study, self.database, self.clock = study, database, clock
        self.desk, self.office = Desk(study, database, clock=clock), Office(study, database, clock=clock)
        made = partial(organiser_routes, study, self.office, insight or insight_of(study), HASH)
        self.app = create_app(study, database, desk=self.desk, more=[lambda *_: made()], limits=None)
        self.client = self.visitor()

    def visitor(self) -> TestClient:
        """A browser that has not been here."""
        return TestClient(self.app, follow_redirects=False, base_url="https://testserver")

    def sign_in(self, password: str = PASSWORD) -> int:
        """Give a password; the status of the answer."""
        page = self.client.get(f"{AT}/sign-in")
        answer = self.client.post(f"{AT}/sign-in", data={"csrf": csrf(page.text), "password": password})
        return int(answer.status_code)

    def walk(self, name: str) -> Walker:
        """Somebody who does a whole unit."""
        walker = Walker(self.desk, self.clock, name)
        assert walker.whole().name == "done"
        return walker


def csrf(page: str) -> str:
    """What the first form of a page carries."""
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


@pytest.fixture
def house(database: Database, clock: Time, tmp_path: Path) -> House:
    """A small study of magnitudes, paid, on either database."""
    people = People(pay=2.5, currency="EUR")
    return House(small_study(tmp_path, per_topic=3, people=people, task=task_of("magnitude")), database, clock)


@pytest.fixture
def lone(tmp_path: Path) -> Iterator[House]:
    """The same on SQLite alone, signed in."""
    database = Database(default_url(tmp_path))
    house = House(small_study(tmp_path, per_topic=3, task=task_of("magnitude")), database, Time())
    assert house.sign_in() == 303
    yield house
    database.close()


# ---------------------------------------------------------------------- who is let in

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
    assert not lone.office.paused
    assert {row.excluded for row in rows(lone.database, assessors)} == {None}
    assert walker.desk.where(walker.token).name == "done"


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
    door = Door(HASH, clock=clock, steady=steady)
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
    visit = door.begin(known=True)
    cookie = door.cookie(visit)
    assert door.visit(cookie) == visit
    assert door.visit(cookie[:-2] + ("aa" if cookie[-2:] != "aa" else "bb")) is None
    assert Door(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)).visit(cookie) is None
    clock.go(HOURS * 3600 + 1)
    assert door.visit(cookie) is None


@pytest.mark.parametrize("odd", ["", "short", "x" * 1025])
def test_weak_passwords_are_refused(odd: str) -> None:
    """Guards the hash: none of a password that is too short or too long, and no hash that is none."""
    with pytest.raises(TruegainError, match="characters"):
        password_hash_of(odd)
    with pytest.raises(TruegainError, match="argon2"):
        Door("plain text")


def test_signing_out_ends_the_visit(lone: House) -> None:
    """Guards leaving: with our form the cookie goes, with another's nothing happens."""
    page = lone.client.get(f"{AT}/").text
    lone.client.post(f"{AT}/sign-out", data={"csrf": "x"})
    assert lone.client.get(f"{AT}/").status_code == 200
    lone.client.post(f"{AT}/sign-out", data={"csrf": csrf(page)})
    assert lone.client.get(f"{AT}/").status_code == 303


# ---------------------------------------------------------------------- what it changes


def test_pause_and_resume(house: House) -> None:
    """Guards the switch on either database: nobody gets a unit, who has one goes on; the page says what is so."""
    house.sign_in()
    page = house.client.get(f"{AT}/").text
    assert "Pause: no new sets" in page
    answer = house.client.post(f"{AT}/", data={"csrf": csrf(page), "action": "pause"})
    assert answer.headers["location"] == f"{AT}/?said=paused"
    assert house.office.paused
    page = house.client.get(f"{AT}/?said=paused").text
    assert 'role="status"' in page
    assert "nobody is given a new set" in page
    house.client.post(f"{AT}/", data={"csrf": csrf(page), "action": "resume"})
    assert not house.office.paused


@pytest.mark.parametrize("token", ["", "x", "0" * 64])
def test_forms_of_others_change_nothing(lone: House, token: str) -> None:
    """Guards against forged forms: a signed-in browser with a wrong token is told, and nothing is changed."""
    lone.walk("w1")
    (person,) = rows(lone.database, assessors)
    for path in ("/", f"/assessors/{person.id}/exclude", f"/assessors/{person.id}/readmit"):
        data = {"csrf": token, "action": "pause", "reason": "because"}
        assert lone.client.post(f"{AT}{path}", data=data).headers["location"] == f"{AT}/?said=stale"
    assert not lone.office.paused
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


def test_unknown_assessors_are_told(lone: House) -> None:
    """Guards addresses that were typed: 404 in words, and the id is shown as text."""
    form = csrf(lone.client.get(f"{AT}/").text)
    for answer in (
        lone.client.get(f"{AT}/assessors/%3Cscript%3E/exclude"),
        lone.client.post(f"{AT}/assessors/%3Cscript%3E/exclude", data={"csrf": form, "reason": "because"}),
        lone.client.post(f"{AT}/assessors/%3Cscript%3E/readmit", data={"csrf": form}),
    ):
        assert answer.status_code == 404
        assert "<script>" not in answer.text
        assert "&lt;script&gt;" in answer.text


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


# ---------------------------------------------------------------------- what it shows


def table(house: House, name: str) -> list[dict[str, str]]:
    """A download as rows."""
    answer = house.client.get(f"{AT}/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment")
    return list(csv.DictReader(io.StringIO(answer.text)))


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


def test_the_figures_are_those_of_the_database(house: House) -> None:
    """Guards numbers: sets, judgments, money, times, sets sent back and ended early, each counted by hand here."""
    house.sign_in()
    for name in ("w1", "w2"):
        house.walk(name)
    hasty = Walker(house.desk, house.clock, "w3")
    hasty.to_documents()
    while hasty.step.name == "doc":
        hasty.judge(seconds=2.0)
    assert hasty.step.name == "revise"
    gone = Walker(house.desk, house.clock, "w4")
    gone.enter()
    gone.consent()
    gone.practise(right=False)
    found = collected(house.database)
    o = overview_of(house.study, found, {"time": 1}, AgreementSoFar("ratio"), None)
    assert (o.done, o.total, o.held, o.judgments, o.cannot) == (2, 9, 1, 8, 0)
    assert (o.spent, o.planned) == (5.0, 22.5)
    assert (o.sent_back, o.accepted, o.early) == (1, 0, {"practice": 1})
    assert (o.times.count, o.times.middle, o.times.hurried) == (8, 25.0, 0)
    assert [(line.done, line.total) for line in o.topics] == [(2, 3), (0, 3), (0, 3)]
    assert sum(line.held for line in o.topics) == 1
    assert sorted(line.sets for line in o.assessors) == [0, 0, 1, 1]
    page = house.client.get(f"{AT}/").text
    for told in (
        "2 of 9",
        "5.00 EUR",
        "22.50 EUR",
        "practice 1",
        "too little time: 1",
        'Median <strong class="num">25 s',
    ):
        assert told in page


def test_times_first_sent_too_early_are_counted(lone: House) -> None:
    """Guards the hurried: who was sent back and took the time counts as first sent early, with the time in the end."""
    walker = Walker(lone.desk, lone.clock, "w1")
    walker.to_documents()
    for seconds in (5.0, 30.0):
        for _ in range(4):
            walker.judge(seconds=seconds)
        if walker.step.name == "revise":
            walker.send(walker.page())
    assert walker.step.name == "done"
    o = overview_of(lone.study, collected(lone.database), {}, AgreementSoFar("ratio"), None)
    assert (o.times.count, o.times.hurried, o.times.middle) == (4, 4, 35.0)
    assert (o.sent_back, o.accepted) == (1, 1)


def test_the_histogram_holds_every_time() -> None:
    """Guards the picture: each time in its bar, those beyond the ends in the outer ones, short bars below the least."""
    seconds = [0.0, 4.9, 5.0, 7.1, 19.9, 20.0, 319.0, 320.0, 9999.0, 20.0]
    bars, ticks = histogram(seconds, 20.0)
    unit = 98 / 3
    assert [round(bar.height / unit) for bar in bars] == [3, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3]
    assert [bar.short for bar in bars] == [True] * 4 + [False] * 8
    assert [number for _, number in ticks] == [5, 10, 20, 40, 80, 160, 320]
    assert median(seconds) == 19.95


class _Tags(HTMLParser):
    """All tags of a page with their attributes, and what is left open."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags_of(page: str) -> list[tuple[str, dict[str, str | None]]]:
    """The tags of a page, which closes all it opens."""
    found = _Tags()
    found.feed(page)
    assert found.open == []
    return found.tags


VERDICT = VerdictSoFar("bm25", "dense", "nDCG@10", 0.03, -0.006, 0.066, "cannot be told", "Whether ...", 60, 200)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_needs_no_script_and_no_style(tmp_path: Path, language: str) -> None:
    """Guards the strict policy and tables on a phone: no style, no script, tables with roles, every field named."""
    agreement = AgreementSoFar(
        "ratio", Coefficient95(0.33, 0.27, 0.39), {"t1": Coefficient95(0.1, 0.01, 0.15)},
        {"m1": Coefficient95(0.37, 0.28, 0.45), "m2": Coefficient95()}, {}, {},
    )  # fmt: skip
    refused = VerdictSoFar(why="verdict.refused", about="it is <so>")
    insight = Insight(lambda _: agreement, lambda _: (VERDICT, replace(VERDICT, outcome="holds"), refused))
    database = Database(default_url(tmp_path))
    made = small_study(tmp_path, per_topic=3, task=task_of("magnitude"), people=People(pay=1, currency="EUR"))
    study = replace(made, words=Words("A <small> study", language))
    house = House(study, database, Time(), insight)
    house.sign_in()
    house.walk("w1")
    answers = [house.client.get(f"{AT}/")]
    person = rows(database, assessors)[0].id
    answers += [house.client.get(f"{AT}/assessors/{person}/exclude"), house.visitor().get(f"{AT}/sign-in")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "script-src" not in policy
        assert answer.headers["cache-control"] == "no-store"
        tags = tags_of(answer.text)
        names = {tag for tag, _ in tags}
        assert "script" not in names
        assert "style" not in names
        assert not any("style" in about or any(a.startswith("on") for a in about) for _, about in tags)
        labels = {about.get("for") for tag, about in tags if tag == "label"}
        for tag, about in tags:
            if tag in ("input", "textarea") and about.get("type") != "hidden" and "hidden" not in about:
                assert about["id"] in labels
            if tag in ("table", "thead", "tbody", "tr", "td"):
                assert about["role"] in ("table", "rowgroup", "row", "cell")
            if tag == "form":
                assert about["method"] == "post"
        ids = [about["id"] for _, about in tags if "id" in about]
        assert len(ids) == len(set(ids))
        assert answer.text.count('name="csrf"') == answer.text.count("<form")
        assert "{" not in answer.text, "a text that was not filled in"
        assert f'<html lang="{language}">' in answer.text
        assert "A &lt;small&gt; study" in answer.text
    text = answers[0].text
    decimal = {"en": ".", "de": ","}[language]
    assert f"+0{decimal}030" in text
    assert f"0{decimal}33" in text
    assert "it is &lt;so&gt;" in text
    assert ("low agreement" if language == "en" else "geringe Übereinstimmung") in text
    database.close()


def test_no_number_where_none_would_hold(lone: House, tmp_path: Path) -> None:
    """Guards repeated looks: with runs and no list the page says why there is no verdict, and shows no number."""
    study = replace(lone.study, runs=("a.run", "b.run"))
    house = House(study, lone.database, lone.clock)
    house.sign_in()
    house.walk("w1")
    page = house.client.get(f"{AT}/").text
    section = page.partition('aria-labelledby="v"')[2].partition("</section>")[0]
    assert "it is not known how wide an interval must be" in section
    assert not re.search(r"[-+]\d|\d\.\d", section)
    assert 'aria-labelledby="v"' not in lone.client.get(f"{AT}/").text


def test_agreement_is_worked_out_again_only_when_something_changed(lone: House) -> None:
    """Guards the time a look takes, and that no look is stale: a judgment and an exclusion each count at once."""
    calls: list[int] = []

    def agreement(ratings: object) -> AgreementSoFar:
        calls.append(len(ratings))  # type: ignore[arg-type]
        return AgreementSoFar("ratio")

    house = House(lone.study, lone.database, lone.clock, Insight(agreement))
    house.sign_in()
    house.client.get(f"{AT}/")
    house.walk("w1")
    for _ in range(3):
        house.client.get(f"{AT}/")
    house.office.exclude(rows(lone.database, assessors)[0].id, "tests")
    house.client.get(f"{AT}/")
    assert calls == [0, 4, 0]


def test_all_assessors_are_shown_when_asked(lone: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards long lists: the first few, how many there are, and a link to all."""
    monkeypatch.setattr("truegain.judging.server.organiser_page.MOST", 2)
    for name in ("w1", "w2", "w3"):
        lone.walk(name)
    few, every = (lone.client.get(f"{AT}/{query}").text for query in ("", "?all=1"))
    assert (few.count('role="rowheader"><code>'), every.count('role="rowheader"><code>')) == (2, 3)
    assert "Show all 3 assessors" in few
    assert "Show all" not in every


def flat(table: dict[str, object], above: str = "") -> dict[str, str]:
    """Wording by dotted name."""
    found: dict[str, str] = {}
    for name, value in table.items():
        found |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {above + name: str(value)}
    return found


def test_every_text_is_there_in_both_languages() -> None:
    """Guards translation: the same names, the same things filled in, nothing empty, and all that templates ask for."""
    folder = files("truegain.judging")
    english, german = (
        flat(tomllib.loads((folder / "texts" / f"organiser_{x}.toml").read_text(encoding="utf-8")))
        for x in ("en", "de")
    )
    assert set(english) == set(german)
    for name, text in english.items():
        assert text
        assert german[name]
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", german[name])), name
    names = [p.name for p in (folder / "templates").iterdir() if p.name.startswith("organiser")]
    asked = {
        found for name in names
        for found in re.findall(r'\bt\("([\w.]+)"[,)]', (folder / "templates" / name).read_text(encoding="utf-8"))
    }  # fmt: skip
    assert len(asked) > 60
    assert asked <= set(english)
