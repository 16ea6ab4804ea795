"""The organizer's page: its figures, each counted by hand, and when they are worked out again."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from tests.judging.organizing import AT, House
from tests.judging.walking import Time, Walker, rows, small_study
from truegain.judging.export import collected
from truegain.judging.server.organizer_page import histogram, overview_of
from truegain.judging.status import AgreementSoFar, Insight, figures
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import assessors
from truegain.judging.study.study import Rules


def test_the_figures_are_those_of_the_database(house: House) -> None:
    """Guards numbers: sets, judgments, money, times, sets sent back and ended early, each counted by hand here."""
    house.sign_in()
    for name in ("w1", "w2"):
        house.walk(name)
    hasty = Walker(house.service, house.clock, "w3")
    hasty.to_documents()
    for _ in range(2):
        while hasty.step.name == "doc":
            hasty.judge(seconds=2.0)
        assert hasty.step.name == "revise"
        hasty.send(hasty.page())
    gone = Walker(house.service, house.clock, "w4")
    gone.enter()
    gone.consent()
    gone.practise(right=False)
    found = collected(house.database)
    o = overview_of(house.study, found, {"time": 1}, AgreementSoFar("ratio"), None)
    assert (o.done, o.total, o.held, o.judgments, o.cannot) == (2, 9, 1, 8, 0)
    assert (o.spent, o.planned) == (5.0, 22.5)
    assert (o.sent_back, o.sends, o.accepted, o.early) == (1, 2, 0, {"practice": 1})
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
        "0 then accepted; submissions not accepted: 2, by check (one can fail several): too little time: 2",
        'Median <strong class="num">25 s',
    ):
        assert told in page


def test_times_first_sent_too_early_are_counted(lone: House) -> None:
    """Guards the hurried: who was sent back and took the time counts as first sent early, with the time in the end."""
    walker = Walker(lone.service, lone.clock, "w1")
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


@pytest.mark.slow
def test_no_least_time_is_told_where_none_is_asked(tmp_path: Path) -> None:
    """Guards "0 of 6 were first submitted before 0 s"."""
    told = {}
    for seconds in (0.0, 20.0):
        (tmp_path / f"{seconds:g}").mkdir()
        database = Database(default_url(tmp_path / f"{seconds:g}"))
        house = House(small_study(tmp_path, rules=Rules(seconds=seconds)), database, Time())
        assert house.sign_in() == 303
        house.walk("w1")
        page = house.client.get(f"{AT}/").text
        told[seconds] = [text in page for text in ("first submitted before", '<strong class="num">25 s</strong></p>')]
        database.close()
    assert told == {0.0: [False, True], 20.0: [True, False]}


def test_who_declined_is_no_assessor(lone: House) -> None:
    """Guards the table of assessors: who declined is counted among sets that ended early, and not listed."""
    lone.walk("w1")
    gone = Walker(lone.service, lone.clock, "w2")
    gone.enter()
    gone.send(gone.page(), "decline")
    found = collected(lone.database)
    o = overview_of(lone.study, found, {}, AgreementSoFar("ratio"), None)
    assert ([line.sets for line in o.assessors], o.early) == ([1], {"declined": 1})
    assert len(figures(lone.study, found, lambda _: "").people.rows) == 1
    assert gone.enter() == ""  # comes again, and is one
    assert len(overview_of(lone.study, collected(lone.database), {}, AgreementSoFar("ratio"), None).assessors) == 2


def test_the_histogram_holds_every_time() -> None:
    """Guards the picture: each time in its bar, those beyond the ends in the outer ones, short bars below the least."""
    seconds = [0.0, 4.9, 5.0, 7.1, 19.9, 20.0, 319.0, 320.0, 9999.0, 20.0]
    bars, ticks = histogram(seconds, 20.0)
    unit = 98 / 3
    assert [round(bar.height / unit) for bar in bars] == [3, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3]
    assert [bar.short for bar in bars] == [True] * 4 + [False] * 8
    assert [number for _, number in ticks] == [5, 10, 20, 40, 80, 160, 320]
    assert median(seconds) == 19.95


@pytest.mark.slow
def test_no_number_where_none_would_hold(lone: House, tmp_path: Path) -> None:
    """Guards repeated looks: with runs and no list the page says why there is no verdict, and shows no number."""
    study = replace(lone.study, runs=("a.run", "b.run"))
    house = House(study, lone.database, lone.clock)
    house.sign_in()
    house.walk("w1")
    page = house.client.get(f"{AT}/").text
    section = page.partition('aria-labelledby="v"')[2].partition("</section>")[0]
    assert "an interval that is valid at every look" in section
    assert not re.search(r"[-+]\d|\d\.\d", section)
    bare = lone.client.get(f"{AT}/").text.partition('aria-labelledby="v"')[2].partition("</section>")[0]
    assert "Verdict so far: none" in bare
    assert "the study names no runs" in bare
    assert not re.search(r"[-+]\d|\d\.\d", bare)


@pytest.mark.slow
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
    house.organizer.exclude(rows(lone.database, assessors)[0].id, "tests")
    house.client.get(f"{AT}/")
    assert calls == [0, 4, 0]


@pytest.mark.slow
def test_all_assessors_are_shown_when_asked(lone: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards long lists: the first few, how many there are, and a link to all."""
    monkeypatch.setattr("truegain.judging.server.organizer_page.MOST_ROWS", 2)
    for name in ("w1", "w2", "w3"):
        lone.walk(name)
    few, every = (lone.client.get(f"{AT}/{query}").text for query in ("", "?all=1"))
    assert (few.count('role="rowheader"><code>'), every.count('role="rowheader"><code>')) == (2, 3)
    assert "Show all 3 assessors" in few
    assert "Show all" not in every
