"""A page of a list of gold labels that was drawn for one pair of three systems: no more than the list knows."""

from __future__ import annotations

import json
import math

import pytest

import truegain as tg
from tests.planning.test_label_plan import P5, judged, ranked_of, world
from tests.report.reading import Tag, read
from truegain.data.judgments import Judgments
from truegain.data.runs import Runs
from truegain.message import Message
from truegain.planning.gold_sample import draw_list
from truegain.report.facts import Facts, Made
from truegain.report.gather import gather
from truegain.report.page.page import page

JUDGED = 60


@pytest.fixture(scope="module")
def made() -> tuple[tg.Study, Facts, Tag]:
    """The study, its facts and its page."""
    runs, bronze, gold = world(systems=3)
    listed = judged(draw_list(ranked_of({s: runs[s] for s in ("s0", "s1")}, bronze), P5), gold, JUDGED)
    study = tg.Study(runs, bronze, "P@5", gold=listed)
    facts = gather(study, Runs.of(runs), Judgments.of(bronze), baselines=["s0"])
    return study, facts, read(page(facts))


def test_a_difference_that_the_list_cannot_know_has_no_number(made: tuple[tg.Study, Facts, Tag]) -> None:
    """Guards claims, the grid, the sentence and what programs read: no value from documents that were never drawn."""
    study, _, tree = made
    known, unknown = study.verdict("s0", "s1"), study.verdict("s0", "s2")
    assert not math.isnan(known.comparison.difference)
    assert math.isnan(unknown.comparison.difference)
    assert unknown.sentence.startswith(
        "Inconclusive: the data cannot show whether s2 is better than s0 on P@5, for topics like these 20; "
    )
    told = json.loads(json.dumps(unknown.to_dict(), allow_nan=False))
    assert told["difference"] is told["value_b"] is None
    assert str(unknown.comparison).startswith("s2 - s0 P@5: not known, ")
    rows = {row.every("th")[0].text: row.text for row in tree.one("figure", class_="claims").every("tr")}
    assert rows["s2"].endswith("——no interval")
    assert "—" not in rows["s1"]
    cells = [c.text for c in tree.one("section", id="apart").every("td") if c.text]
    assert sorted(c == "——" for c in cells) == [False, True, True]


def test_the_judge_is_told_by_labels_not_weights(made: tuple[tg.Study, Facts, Tag]) -> None:
    """Guards what is said of the judge: an ordered list, counted labels, and no favor from labels of one pair."""
    study, facts, tree = made
    assert facts.judge is not None
    assert study.judge is not None
    assert "60 gold labels of an ordered list" in facts.judge.summary
    assert "random" not in facts.judge.summary
    assert sum(int(str(row[1])) for row in facts.judge.by_label.rows) == JUDGED
    assert study.judge.confusion.totals.sum() != JUDGED
    assert facts.judge.by_system is None
    assert "No error rates by system: the list was drawn for differences" in tree.one("section", id="judge").text


def test_a_score_that_few_labels_touch_has_no_number() -> None:
    """Guards scores beside a difference: NaN where `estimates` refuses one."""
    runs, bronze, gold = world(systems=2)
    few = {t: {"d0": row["d0"]} for t, row in list(gold.items())[:8]}
    study = tg.Study(runs, bronze, "P@5", gold=tg.Gold(few, design="random"))
    found = study.compare("s0", "s1")[0]
    assert [math.isnan(found.value_a), math.isnan(found.value_b)] == [e.refused for e in study.estimates()]
    assert math.isnan(found.value_a)
    assert math.isnan(found.difference)


def test_a_ranking_by_a_list_has_no_scores() -> None:
    """Guards `best`: no column of scores that came without an interval, and the reason; judged to the end, scores."""
    runs, bronze, gold = world(systems=6)
    listed = draw_list(ranked_of(runs, bronze), P5)
    best = tg.Study(runs, bronze, "P@5", gold=judged(listed, gold, 100)).best()
    assert best.table().columns == ("system", "rank low", "rank high", "tier")
    assert "Scores are not estimated" in best.notes[-1]
    rows = best.to_dict()["systems"]
    assert isinstance(rows, list)
    assert {row["value"] for row in rows} == {None}
    whole = tg.Study(runs, bronze, "P@5", gold=judged(listed, gold, len(listed))).best()
    assert "Scores are not estimated" not in " ".join(whole.notes)


@pytest.mark.slow
def test_a_page_without_scores_speaks_of_none() -> None:
    """Guards a list of a whole study: no axis and no caption of bars, no best by score; --sequential in a command."""
    runs, bronze, gold = world(systems=3)
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, JUDGED)
    study = tg.Study(runs, bronze, ["P@5", "CG@5"], gold=listed)
    estimates = study.estimates("P@5")
    assert all(e.refused for e in estimates)
    given = Runs.of(runs), Judgments.of(bronze)
    whole = read(page(gather(study, *given)))
    systems = whole.one("section", id="systems").text
    assert "Bars are" not in systems
    assert "by score" not in systems
    assert "why there is no score" in systems
    assert "interval plot" not in systems
    assert "best by score" not in whole.one("section", id="verdict").text
    assert "first in order" in whole.one("section", id="verdict").text
    assert "give sequential=True" in whole.one("section", id="decides").text
    typed = read(
        page(
            gather(
                study, *given, made=Made("1", words=lambda text: Message(text).words({"sequential": "--sequential"}))
            )
        )
    )
    assert "give --sequential from the first look on" in typed.one("section", id="decides").text
    assert "sequential=True" not in typed.one("section", id="decides").text
    scored = read(page(gather(tg.Study(runs, bronze, ["P@5", "CG@5"]), *given)))
    assert "Bars are 95% intervals of each score" in scored.one("section", id="systems").text
    assert "best by score" in scored.one("section", id="verdict").text


@pytest.mark.parametrize(("population", "joined"), [("fixed", False), ("topics", True)])
def test_the_methods_of_intervals_at_every_look(population: str, joined: bool) -> None:
    """Guards the paragraph for a paper: a confidence sequence by betting, joined to topics where these are sampled."""
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, JUDGED)
    given = Runs.of(runs), Judgments.of(bronze)
    study = tg.Study(runs, bronze, "P@5", gold=tg.Gold(listed, sequential=True), population=population)
    methods = read(page(gather(study, *given))).one("section", id="methods").text
    assert "a confidence sequence by betting (Waudby-Smith and Ramdas 2024)" in methods
    assert "Estimating Means of Bounded Random Variables by Betting" in methods
    assert "Satterthwaite" not in methods
    assert ("joined to it by squares" in methods) == joined
    once = tg.Study(runs, bronze, "P@5", gold=listed, population=population)
    assert "Satterthwaite's degrees of freedom" in read(page(gather(once, *given))).one("section", id="methods").text
