"""The decision's page by HTTP: who sees it, what it says in both languages, which files it gives out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.judging.deciding import made
from tests.judging.organizing import AT, House
from tests.judging.test_organizer_html import tags_of
from tests.judging.walking import Time, Walker, small_study
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.decisions import store_decision
from truegain.judging.study.study import People, Words
from truegain.judging.tasks.catalogue import task_of
from truegain.judging.workflow.organizer import WorkingNow
from truegain.results.settlement import Settlement, Status

PAGE = f"{AT}/decision"
AT_TIME = 1_700_000_000.0  # 2023-11-14 22:13 UTC


def put(house: House, decision: Settlement, at: float = AT_TIME) -> None:
    """Store a decision."""
    house.database.write(lambda c: store_decision(c, decision, at))


def house_in(folder: Path, language: str = "en", **results: str) -> House:
    """A study with files of results."""
    made_study = small_study(folder, per_topic=3, task=task_of("magnitude"), people=People(pay=1, currency="EUR"))
    study = replace(made_study, words=Words("A <small> study", language))
    files = {name.replace("_", "."): folder / "out" / name.replace("_", ".") for name in results}
    (folder / "out").mkdir()
    for name, text in results.items():
        if text:
            files[name.replace("_", ".")].write_text(text)
    house = House(study, Database(default_url(folder)), Time(), results=files)
    assert house.sign_in() == 303
    return house


@pytest.fixture
def open_house(tmp_path: Path) -> Iterator[House]:
    """Signed in, without files."""
    house = house_in(tmp_path)
    yield house
    house.database.close()


def text_of(page: str) -> str:
    """What is read on a page."""
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def test_nobody_else_sees_it(open_house: House) -> None:
    """Guards the sign-in: page and files lead there, a stream is refused, and nothing of the decision is told."""
    put(open_house, made(90))
    stranger = open_house.visitor()
    for path in (PAGE, f"{AT}/files/report.html"):
        answer = stranger.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, f"{AT}/sign-in")
        assert "prod" not in answer.text
    answer = stranger.get(f"{PAGE}/events")
    assert (answer.status_code, answer.text) == (401, "")
    open_house.client.cookies.clear()
    assert open_house.client.get(PAGE).status_code == 303


@pytest.mark.few(2)
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(("status", "pairs"), [("open", 1), ("open", 4), ("better", 1), ("undecided", 4)])
def test_the_page_is_whole(tmp_path: Path, language: str, status: Status, pairs: int) -> None:
    """Guards policy and HTML: one script from here, no style, one id each, tables with roles, all texts filled in."""
    house = house_in(tmp_path, language)
    decision = msgspec.structs.replace(made(90, status, pairs), notes=("a <b> note",))
    put(house, decision)
    answer = house.client.get(PAGE)
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'; connect-src 'self'" in policy
    assert "unsafe" not in policy
    for name, value in {
        "cache-control": "no-store",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
    }.items():
        assert answer.headers[name] == value
    tags = tags_of(answer.text)
    scripts = [about for tag, about in tags if tag == "script"]
    assert [str(about["src"]).partition("?")[0] for about in scripts] == ["/static/decision.js"]
    assert not any("style" in about or any(a.startswith("on") for a in about) for _, about in tags)
    assert "style" not in {tag for tag, _ in tags}
    ids = [about["id"] for _, about in tags if "id" in about]
    assert len(ids) == len(set(ids))
    for tag, about in tags:
        if tag in ("table", "thead", "tbody", "tr", "td"):
            assert about["role"] in ("table", "rowgroup", "row", "cell")
    images = [about["aria-label"] for tag, about in tags if about.get("role") == "img"]
    assert len(images) == pairs
    assert all(str(label).startswith({"en": "After 90 labels", "de": "Nach 90 Urteilen"}[language]) for label in images)
    assert sum(tag == "section" for tag, _ in tags) == pairs
    assert "{" not in answer.text, "a text that was not filled in"
    assert "a &lt;b&gt; note" in answer.text
    refreshed = '<noscript><meta http-equiv="refresh" content="15"></noscript>' in answer.text
    assert refreshed == (status == "open"), "what has ended needs no reload"
    english = [tag for tag, about in tags if about.get("lang") == "en" and tag != "html"]
    assert bool(english) == (language == "de"), "sentences are English, whatever the page is"
    house.database.close()


def test_what_it_says_while_open(open_house: House) -> None:
    """Guards the figures: labels, cost, the likely end, agreement, the sentence, and every look in the table."""
    assert "There is no interval yet" in open_house.client.get(PAGE).text
    assert "/decision" not in open_house.client.get(f"{AT}/").text, "no link to what there is not"
    put(open_house, made(90))
    page = open_house.client.get(PAGE).text
    text = text_of(page)
    for part in (
        "not decided yet", "After 90 labels it is not known whether new is better than prod on P@10.",
        "As of 2023-11-14 22:13 UTC.", "22.50 EUR",
        "Labels that count 90 93 given in all, of at most 300. Those from the top of the list (512 documents)",
        "of at most 120.00 EUR", "about 180 labels", "with 90% chance by 260", "88%", "rows judged by two people: 9",
        "new against prod", "smallest effect worth acting on: 0.02 on either side", "95% interval",
        "Likely decided after about 180 labels in all, with 90% chance by 260, if labels go on like this.",
    ):  # fmt: skip
        assert part in text, part
    assert page.count('<tr role="row"><th scope="row"') == len(made(90).pairs[0].looks)
    assert "Decided:" not in text
    assert "All intervals are valid together." not in text
    link = re.search(rf'<a href="{PAGE}">([^<]+)</a>', open_house.client.get(f"{AT}/").text)
    assert link is not None
    assert link[1] == "Decision: not decided yet. Open its page"
    put(open_house, made(90, pairs=4))
    several = text_of(open_house.client.get(PAGE).text)
    assert "about 240 labels" in several, "the last of all pairs"
    assert "All intervals are valid together." in several


def test_who_signs_in_lands_on_it(open_house: House) -> None:
    """Guards the first page: the decision where there is one, and figures beside it that say nothing against it."""
    at_first = open_house.client.get(f"{AT}/").text
    assert "valid for a single look" in at_first
    put(open_house, made(90))
    open_house.client.cookies.clear()
    answer = open_house.client.get(PAGE)
    assert answer.headers["location"] == f"{AT}/sign-in"
    assert open_house.signed_in_to() == PAGE
    assert f'<a href="{AT}/">' in open_house.client.get(PAGE).text
    figures = open_house.client.get(f"{AT}/").text
    assert "The interval of the decision, which is valid at every look, stands on the decision" in figures
    for said in ("Verdict so far", "single look", "Look once"):
        assert said not in figures, said


def test_a_forecast_beyond_the_limit_is_marked(open_house: House) -> None:
    """Guards the cap: an end that needs more labels than may be given says so, in the facts and below the picture."""
    put(open_house, msgspec.structs.replace(made(90), most=150, doubled=0))
    text = text_of(open_house.client.get(PAGE).text)
    assert "about 180 labels in all, more than the 150 that may be given: likely not decided by then" in text
    assert "About 180 labels in all would be needed, more than the 150 that may be given" in text
    put(open_house, msgspec.structs.replace(made(90), most=200, doubled=0))
    text = text_of(open_house.client.get(PAGE).text)
    assert "about 180 labels in all, if labels go on like this; more than the 200 that may be given" in text
    assert "the 200 that may be given are enough with less than 90% chance" in text
    put(open_house, msgspec.structs.replace(made(90), most=200, double=0.5))
    text = text_of(open_house.client.get(PAGE).text)
    assert "about 270 labels in all, more than the 200 that may be given: likely" in text, "those of second people, too"
    assert "About 270 labels in all would be needed, more than the 200 that may be given" in text
    put(open_house, msgspec.structs.replace(made(90), most=512, stuck=4))
    text = text_of(open_house.client.get(PAGE).text)
    assert "Labels that count 86 93 given in all. Those from" in text
    assert "Documents that nobody could judge, beside them: 4." in text


def test_missing_numbers_are_told_as_missing(open_house: House) -> None:
    """Guards the first minutes: no interval, no end forecast, no cost, no doubled rows; none of them is a 0."""
    put(open_house, msgspec.structs.replace(made(5), cost=None, max_cost=None, agreement=None, doubled=0))
    text = text_of(open_house.client.get(PAGE).text)
    assert "After 5 labels: not enough for an interval." in text
    assert "not known" in text
    assert "Cost so far" not in text
    assert "Agreement" not in text
    put(open_house, msgspec.structs.replace(made(6), agreement=None, doubled=2, min_effect=0.0))
    page = open_house.client.get(PAGE).text
    assert "Agreement - share of equal labels" in text_of(page)
    assert re.search(r'class="num">6 <small>', page), "copied as text, a number and what follows are not one number"
    assert 'class="lead"' not in page, "before a number at its line this would be a minus"


def test_a_decision_with_its_files(tmp_path: Path) -> None:
    """Guards the end: what was decided, when, with how many labels, and the files that are there, not the others."""
    house = house_in(tmp_path, report_html="<p>the report", decision_json='{"a":1}', list_csv="", other_txt="words")
    (tmp_path / "out" / "secret.txt").write_text("not to be had")
    put(house, made(90))
    assert "/files/" not in house.client.get(PAGE).text, "while it is open there are no results"
    put(house, made(170, "better"), AT_TIME + 60)
    put(house, made(171, "better"), AT_TIME + 180)
    page = house.client.get(PAGE).text
    text = text_of(page)
    assert "Decided: new is better than prod on P@10." in text
    assert (
        "Ended 2023-11-14 22:14 UTC with 171 labels. Labels that came later were counted until 2023-11-14 22:16" in text
    )
    assert "Likely end" not in text
    assert "Working now" not in text
    assert re.findall(r'href="[^"]*/files/([^"]+)"', page) == ["report.html", "decision.json", "other.txt"]
    report = house.client.get(f"{AT}/files/report.html")
    assert (report.status_code, report.text) == (200, "<p>the report")
    assert report.headers["content-security-policy"].startswith(
        "sandbox allow-scripts allow-downloads; default-src 'none'"
    )
    assert "allow-same-origin" not in report.headers["content-security-policy"]
    assert "content-disposition" not in report.headers
    data = house.client.get(f"{AT}/files/decision.json")
    assert data.json() == {"a": 1}
    assert data.headers["content-disposition"] == 'attachment; filename="small-decision.json"'
    for name in ("list.csv", "secret.txt", "..%2Fsecret.txt", "..%2f..%2fjudging.toml"):
        assert house.client.get(f"{AT}/files/{name}").status_code == 404, name
    put(house, made(300, "undecided"))
    assert "Given up. 300 labels did not decide" in text_of(house.client.get(PAGE).text)
    house.database.close()


def test_who_works_and_what_holds_the_list_up(open_house: House) -> None:
    """Guards the organizer's next step: who holds the first open row is named while later ones are done and wait."""
    put(open_house, made(90))
    assert "Working now 0 nobody holds the list up" in text_of(open_house.client.get(PAGE).text)
    slow = Walker(open_house.service, open_house.clock, "slow")
    slow.to_documents()
    assert "Working now 1 nobody holds the list up" in text_of(open_house.client.get(PAGE).text)
    open_house.walk("quick")
    now = open_house.organizer.working()
    names = {row.platform: row.id for row in open_house.organizer.assessors() if row.outcomes.get("going")}
    assert (now.people, now.waiting, now.holder) == (1, 1, *names.values())
    text = text_of(open_house.client.get(PAGE).text)
    assert f"{now.holder} holds the list up, until" in text
    open_house.clock.go(10 * 86_400)
    later = open_house.organizer.working()
    assert (later.people, later.waiting, later.holder) == (0, 1, "")
    assert "the next row of the list is free; labels waiting behind it: 1" in text_of(open_house.client.get(PAGE).text)


def test_visits_that_were_ended_and_who_works_on_either_database(house: House) -> None:
    """Guards the questions behind the page on both databases: none of the visits, one of them; who is at work."""
    assert house.organizer.ended([]) == set()
    house.organizer.end_visit("a", house.clock() + 60)
    assert house.organizer.ended(["a", "b"]) == {"a"}
    assert house.organizer.working() == WorkingNow(0)
    Walker(house.service, house.clock, "slow").to_documents()
    house.walk("quick")
    now = house.organizer.working()
    assert (now.people, now.waiting, bool(now.holder)) == (1, 1, True)
    assert now.until is not None
    assert now.until > house.clock()
