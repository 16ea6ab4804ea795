"""Pages of preferences: the study's own numbers, counts by hand, checks of votes, and words that fit comparisons."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.report.browser import Chromium
from tests.report.looks import faults
from tests.report.reading import Tag, data_of, read
from tests.report.test_answers_page import health_of
from tests.report.test_browser import chromium as chromium
from truegain.preferences.simulated import simulated_votes, votes_as_csv
from truegain.report.html import limits, percent, signed

Votes = list[dict[str, str]]
WRONG = ("document", "retrieved", "relevant", "unjudged", "gold label", "collection", "qrels", "labels")  # of runs
SECTIONS = ["verdict", "health", "decides", "systems", "apart", "wins", "judge", "next", "methods", "made"]


def page_of(study: tg.PreferenceStudy, tmp_path: Path, **options: Any) -> tuple[Tag, str]:
    """The page of a study, and its words but for how it was made."""
    path = study.report(tmp_path / "page.html", **options)
    tree = read(Path(path).read_text(encoding="utf-8"))
    sections = [section for section in tree.every("section") if section.attributes["id"] != "made"]
    return tree, " ".join(section.text for section in sections)


def ids(tree: Tag) -> list[str]:
    """The sections in order."""
    return [str(section.attributes["id"]) for section in tree.every("section")]


@pytest.fixture(scope="module")
def votes() -> tuple[Votes, Votes]:
    """Of a judge in both orders, and of people on half of the comparisons."""
    return simulated_votes(topics=50, seed=4)


def test_a_page_has_the_numbers_of_the_study(votes: tuple[Votes, Votes], tmp_path: Path) -> None:
    """Guards the page with gold: each number is the study's own, and nothing is said of documents."""
    study = tg.PreferenceStudy(votes[0], gold=votes[1], design="random")
    tree, words = page_of(study, tmp_path, pairs=[("prod", "new")])
    assert ids(tree) == SECTIONS
    assert [word for word in WRONG if word in words] == []
    verdict = study.verdict("prod", "new")
    assert tree.one("h1").text == verdict.headline
    lede = tree.one("section", id="verdict").one("p", class_="lede").text
    assert f"{signed(verdict.difference)} half-wins" in lede
    assert limits(verdict.low, verdict.high, signs=True) in lede
    assert f"Corrected by {len(votes[1])} gold comparisons" in lede
    data = data_of(tree)["sections"]
    for row, e in zip(data["systems"]["half-wins"], sorted(study.estimates(), key=lambda e: -e.value), strict=True):
        assert (row["system"], row["score"], row["low"], row["high"]) == (e.system, e.value, e.low, e.high)
    assert data["verdict"]["rankings"][0]["best"] == list(study.best().best)
    shares = {x.source: x.share for x in verdict.by_source}
    bar = str(tree.one("section", id="decides").one("svg", class_="share").attributes["aria-label"])
    assert f"topics {shares['topics']}" in bar
    assert f"gold comparisons {shares['gold']}" in bar
    units = [p.unit for p in verdict.influential["topics"]]
    assert all(unit in tree.one("section", id="decides").text for unit in units)
    steps = data["next"]["steps"]
    assert [s["half_width"] for s in steps] == [s.half for s in verdict.steps]


def test_wins_are_counted(votes: tuple[Votes, Votes], tmp_path: Path) -> None:
    """Guards the table of pairs against a count of the rows by hand."""
    tree, _ = page_of(tg.PreferenceStudy(votes[0]), tmp_path)
    rows = {(r["system"], r["against"]): r for r in data_of(tree)["sections"]["wins"]["pairs"]}
    assert len(rows) == 3
    for (a, b), row in rows.items():
        own = [v for v in votes[0] if {v["a"], v["b"]} == {a, b}]
        won = Counter(v[v["winner"]] if v["winner"] in "ab" else "tie" for v in own)
        assert (row["wins"], row["ties"], row["losses"]) == (won[a], won["tie"], won[b])
        assert row["half_wins"] == pytest.approx((won[a] + won["tie"] / 2) / len(own))
        assert row["topics"] == len({v["topic"] for v in own})
    names = [tag.text for tag in tree.one("table", class_="wn").every("th") if tag.attributes.get("scope") == "row"]
    assert names == [f"{a} against {b}" for a, b in rows]


def test_the_judge_beside_people(votes: tuple[Votes, Votes], tmp_path: Path) -> None:
    """Guards agreement and the mean error of each system against sums by hand."""
    tree, _ = page_of(tg.PreferenceStudy(votes[0], gold=votes[1], design="random"), tmp_path)
    judge = data_of(tree)["sections"]["judge"]
    half = {"a": 1.0, "b": 0.0, "tie": 0.5}
    said: dict[tuple[str, str, str], list[float]] = {}
    for v in votes[0]:
        said.setdefault((v["topic"], v["a"], v["b"]), []).append(half[v["winner"]])
    both = [(float(np.mean(said[v["topic"], v["a"], v["b"]])), half[v["winner"]], v) for v in votes[1]]
    untied = [(x, y) for x, y, _ in both if x != 0.5 and y != 0.5]
    agree = np.mean([(x > 0.5) == (y > 0.5) for x, y in untied])
    assert judge["agreement"]["share"] == pytest.approx(agree)
    assert judge["agreement"]["of"] == len(untied)
    assert judge["said"]["both tie"] == sum(x == y == 0.5 for x, y, _ in both)
    for row in judge["errors"]:
        errors = [(x - y) * (1 if v["a"] == row["system"] else -1) for x, y, v in both if row["system"] in v.values()]
        assert (row["gold"], row["error"]) == (len(errors), pytest.approx(np.mean(errors)))
    assert f"{percent(float(agree))} of {len(untied)}" in health_of(tree)["Judge agrees with people"]


def test_a_judge_that_nobody_checked(votes: tuple[Votes, Votes], tmp_path: Path) -> None:
    """Guards the page of a model's votes: unchecked, failed health, what to do first, and no section of a judge."""
    study = tg.PreferenceStudy(votes[0])
    tree, words = page_of(study, tmp_path)
    assert ids(tree) == [s for s in SECTIONS if s != "judge"]
    assert tree.one("h1").text.startswith("By judge-7b's preferences, which no person has checked, ")
    assert "there are no gold comparisons" in health_of(tree)["Preferences checked by a person"]
    assert "Have people compare some of the pairs" in tree.one("section", id="next").text
    assert [word for word in WRONG if word in words] == []
    asked, first, second = study.preferences.flips
    assert f"{first + second} of {asked} reversed" in health_of(tree)["Order of showing"]


def people_votes(orders: bool = False, pairs: int = 6, seed: int = 3) -> Votes:
    """Three of six people on each of some pairs of four systems; with `orders` shown in one, the named first."""
    rng = np.random.default_rng(seed)
    strength = {"s1": 0.9, "s2": 0.3, "s3": 0.0, "s4": -0.6}
    rows = []
    for t in range(30):
        for a, b in list(combinations(strength, 2))[:pairs]:
            for who in rng.permutation(6)[:3]:
                first = bool(rng.random() < 0.7)
                d = strength[a] - strength[b] + rng.normal() + (0.8 if first else -0.8) * orders
                word = "both bad" if rng.random() < 0.1 else "a" if rng.random() < 1 / (1 + np.exp(-d)) else "b"
                row = {"topic": f"q{t}", "a": a, "b": b, "winner": word, "assessor": f"p{who}"}
                rows.append(row | ({"first": "a" if first else "b"} if orders else {}))
    return rows


def test_votes_of_people(tmp_path: Path) -> None:
    """Guards checks of people's votes: who voted, how often two agree, ties called bad, an order nobody knows."""
    rows = people_votes()
    tree, _ = page_of(tg.PreferenceStudy(rows, population="topics,assessors"), tmp_path)
    health = health_of(tree)
    votes: dict[tuple[str, str, str], list[str]] = {}
    for v in rows:
        if v["winner"] != "both bad":
            votes.setdefault((v["topic"], v["a"], v["b"]), []).append(v["winner"])
    pairs = [x == y for of in votes.values() for x, y in combinations(of, 2)]
    assert f"agree on {percent(float(np.mean(pairs)))} of {len(pairs)} pairs" in health["Who voted"].replace(",", "")
    bad = sum(v["winner"] == "both bad" for v in rows)
    assert f"{bad} of them call both answers bad" in health["Ties"]
    assert "not known" in health["Order of showing"]
    assert "6 assessors" in health["Who voted"]
    assert "assessors" in str(tree.one("section", id="decides").one("svg", class_="share").attributes["aria-label"])


def test_pairs_that_were_never_compared(tmp_path: Path) -> None:
    """Guards incomplete designs: the pair is named, the measure is Bradley-Terry, and the page cites it."""
    with pytest.warns(tg.DataWarning, match="1 of 6 pairs never"):
        study = tg.PreferenceStudy(people_votes(pairs=5))
    tree, _ = page_of(study, tmp_path)
    health = health_of(tree)
    assert "Never compared: s3 with s4." in health["Pairs of systems compared"]
    assert "150 of 180" in health["Comparisons"]
    assert "Bradley and Terry 1952" in tree.one("section", id="methods").text
    assert data_of(tree)["sections"]["verdict"]["rankings"][0]["measure"] == "Bradley-Terry"


def test_what_is_shown_first(tmp_path: Path) -> None:
    """Guards the effect of position: the model's own, with its limits, where comparisons were shown in one order."""
    study = tg.PreferenceStudy(people_votes(orders=True))
    tree, _ = page_of(study, tmp_path)
    estimator = study.variance_model("bradley-terry").estimator
    gamma = estimator.strengths.gamma  # type: ignore[attr-defined]
    assert gamma > 0.3
    told = f"raises the log-odds of winning by {2 * gamma:.2f} over being shown second"
    assert told in health_of(tree)["Order of showing"]
    assert "Who was shown first was a column of the model" in tree.one("section", id="methods").text


def test_a_world_of_known_truth(run: Run, tmp_path: Path) -> None:
    """Guards a page beside the truth: half-wins of thousands of topics, which intervals of 50 should hold."""
    world = simulated_votes(topics=3000, gold=1.0, seed=11)[1]
    half = {"a": 1.0, "b": 0.0, "tie": 0.5}
    true = {s: np.mean([half[v["winner"]] if v["a"] == s else 1 - half[v["winner"]] for v in world if s in v.values()])
            for s in ("prod", "new", "old")}  # fmt: skip
    (tmp_path / "truth.csv").write_text(
        "system,measure,value\n" + "".join(f"{s},half-wins,{x}\n" for s, x in true.items())
    )
    judge, people = simulated_votes(topics=50, seed=5)
    (tmp_path / "judge.csv").write_bytes(votes_as_csv(judge))
    (tmp_path / "people.csv").write_bytes(votes_as_csv(people))
    gold = ("--gold", "people.csv", "--design", "random")
    code, out, err = run("report", "judge.csv", "--pair", "old,new", *gold, "--truth", "truth.csv", "-o", "page.html")
    assert (code, err) == (0, "")
    truth = data_of(read((tmp_path / "page.html").read_text()))["sections"]["truth"]["half-wins"]
    estimates = tg.PreferenceStudy(judge, gold=people, design="random").estimates()
    hold = sum(e.low <= true[e.system] <= e.high for e in estimates)
    assert truth["intervals"] == {"hold": hold, "of": 3}
    assert hold >= 2  # of three, of 95%
    assert (truth["verdicts"]["right"], truth["verdicts"]["wrong"]) == (1, 0)
    assert {s["system"]: s["true"] for s in truth["scores"]} == pytest.approx(true)
    assert out.startswith("page.html: ")


@pytest.fixture
def folder(tmp_path: Path, votes: tuple[Votes, Votes]) -> Path:
    """The votes as files, and a study file."""
    for name, rows in zip(("judge", "people"), votes, strict=True):
        (tmp_path / f"{name}.csv").write_bytes(votes_as_csv(rows))
    (tmp_path / "study.toml").write_text(
        'judgments = "judge.csv"\nmeasure = ["half-wins", "davidson"]\nbaseline = ["prod"]\n'
        '[gold]\nlabels = "people.csv"\ndesign = "random"\n'
    )
    return tmp_path


def test_the_command(run: Run, folder: Path) -> None:
    """Guards `truegain report prefs.csv`: the headline, the files and options it was made of."""
    words = ("report", "judge.csv", "--pair", "prod,new", "--gold", "people.csv", "--design", "random")
    code, out, err = run(*words, "-o", "page.html")
    tree = read((folder / "page.html").read_text())
    assert (code, out, err) == (0, f"page.html: {tree.one('h1').text}\n", "")
    made = data_of(tree)["sections"]["made"]
    assert set(made["inputs"]) == {"judge.csv", "people.csv"}
    assert (made["options"]["design"], made["options"]["votes"]) == ("random", 300)
    code, _, err = run("report", "judge.csv", "--corpus", "texts", "-o", "x.html")
    assert code == 2
    assert "--corpus applies to texts of documents, not to preferences; leave it out" in err
    code, _, err = run("report", "judge.csv", "--pair", "prod,nobody", "-o", "x.html")
    assert code == 2
    assert "nobody" in err


def test_a_study_file_and_what_was_kept(run: Run, folder: Path) -> None:
    """Guards study files, several claims, and kept results: the second page is the first, word for word."""
    assert run("report", "study.toml", "-o", "page.html")[0] == 0
    first = (folder / "page.html").read_text()
    assert run("report", "study.toml", "-o", "page.html")[0] == 0
    assert (folder / "page.html").read_text() == first
    assert list((folder / ".truegain").glob("*.kept"))
    tree = read(first)
    assert "gold comparisons" in tree.one("section", id="decides").text
    assert len(data_of(tree)["sections"]["verdict"]["claims"]) == 4
    assert "Davidson 1970" in tree.one("section", id="methods").text


def test_the_same_page_in_python(votes: tuple[Votes, Votes], tmp_path: Path) -> None:
    """Guards `write_report` of a table, and what it refuses."""
    table = tg.read_preferences(votes[0])
    config = tg.StudyConfig(gold=tg.Gold(tg.read_preferences(votes[1]), design="random"))
    path = tg.write_report(table, None, "win-rate", tmp_path / "a.html", baselines="prod", config=config)
    tree = read(Path(path).read_text())
    assert "on win-rate" in tree.one("h1").text
    assert "none" in health_of(tree)["Warnings while reading"]
    study = tg.PreferenceStudy(table)
    with pytest.raises(tg.TruegainError, match="already has its measures and config"):
        tg.write_report(study, None, "half-wins", tmp_path / "b.html")
    with pytest.raises(tg.TruegainError, match="preferences have no judgments"):
        tg.write_report(table, {"1": {"d": 1}}, None, tmp_path / "b.html")
    with pytest.raises(tg.TruegainError, match="end its name in"):
        study.report(tmp_path / "b.pdf")
    assert not (tmp_path / "b.html").exists()


def test_two_systems(tmp_path: Path) -> None:
    """Guards the smallest page: no ranking, no matrix, and still who won how often."""
    rows = [{"topic": str(t), "a": "prod", "b": "new", "winner": "ab"[t % 3 > 0]} for t in range(30)]
    tree, _ = page_of(tg.PreferenceStudy(rows), tmp_path)
    assert ids(tree) == ["verdict", "health", "decides", "wins", "next", "methods", "made"]
    assert data_of(tree)["sections"]["wins"]["pairs"][0]["half_wins"] == pytest.approx(2 / 3)


def test_in_a_browser(chromium: Chromium, votes: tuple[Votes, Votes], tmp_path: Path) -> None:
    """Guards the page as people open it: no request, nothing axe-core finds, nothing cut, wide, narrow and printed."""
    gold = tg.PreferenceStudy(votes[0], ["half-wins", "davidson"], gold=votes[1], design="random")
    page_of(gold, tmp_path, pairs=[("prod", "new"), ("old", "new")])
    assert faults(chromium, tmp_path / "page.html") == []
    page_of(tg.PreferenceStudy(people_votes(orders=True), population="topics,assessors"), tmp_path)
    assert faults(chromium, tmp_path / "page.html") == []
