"""The page as a whole: which sections stand on it, that it is sound HTML, and that it asks nobody for anything."""

from __future__ import annotations

import math
import re
import urllib.parse
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.report import worlds
from tests.report.reading import Tag, data_of, read
from truegain.data.judgments import Judgments
from truegain.data.runs import Runs
from truegain.io.columns import frozen
from truegain.report.facts import Facts, Made
from truegain.report.gather import gather
from truegain.report.html import signed
from truegain.report.page.page import page
from truegain.report.references import SOURCE
from truegain.report.sections.catalogue import sections_for

ALWAYS = ["verdict", "health", "decides", "next", "methods", "made"]
MANY = ["verdict", "health", "decides", "systems", "apart", "next", "methods", "made"]
KINDS: dict[str, Callable[[], Facts]] = {
    "two systems": lambda: worlds.plain(2)[1],
    "five systems, holes, two measures": lambda: worlds.plain(5, 4, ("P@10", "nDCG@10"))[1],
    "gold and a baseline": lambda: worlds.with_gold()[1],
    "ratings": lambda: worlds.rated()[1],
    "129 systems": lambda: worlds.many(129),
    "1,000 systems": lambda: worlds.many(1000),
}


@cache
def read_kind(kind: str) -> Tag:
    """A page of a kind, made and read once."""
    return read(page(KINDS[kind]()))


@pytest.fixture(params=KINDS, ids=list(KINDS))
def tree(request: pytest.FixtureRequest) -> Tag:
    """Every kind of page, read again."""
    return read_kind(request.param)


def sections(facts: Facts) -> list[str]:
    """Which sections a page has."""
    return [s.id for s in sections_for(facts)]


def test_sections_stand_where_they_apply() -> None:
    """Guards that a section without anything to say is not there, and one with something is."""
    assert sections(worlds.plain(2)[1]) == ALWAYS
    assert sections(worlds.plain(5)[1]) == MANY
    assert sections(worlds.with_gold()[1]) == [*MANY[:5], "judge", *MANY[5:]]
    assert sections(worlds.rated()[1]) == [*MANY[:5], "agreement", *MANY[5:]]


def test_claims_are_one_table_with_their_details_one_fold_away() -> None:
    """Guards thirteen closed rows between the verdict and data health: a table, and links to details further down."""
    facts = worlds.with_gold()[1]
    assert len(facts.claims) == 4
    tree = read(page(facts))
    assert len(tree.one("section", id="verdict").every("details")) == 0
    details = tree.one("section", id="decides")
    top = [tag for tag in details.one("div", class_="col").children if isinstance(tag, Tag)]
    assert [tag.name for tag in top] == ["div", "details"]
    assert (
        top[1].one("summary").text == "Details of 3 other claims" or len(top[1].every("details", class_="claim")) == 3
    )
    to = [a.attributes["href"] for a in tree.one("figure", class_="claims").one("tbody").every("a")]
    assert to == ["#claim-1", "#claim-2", "#claim-3", "#claim-4"]
    for link, claim in zip(to, facts.claims, strict=True):
        body = details.one("div", id=(link or "")[1:])
        assert "Shares of the variance" in body.text
        assert claim.first.comparison.low is not None


def test_claims_by_every_measure_have_a_table() -> None:
    """Guards the second measure, whose claims stood among the details alone: a table of its own, one fold away."""
    runs, judged = worlds.world(4)
    study = tg.Study(runs, judged, ["nDCG@10", "AP"])
    a, *others = study.systems
    facts = gather(study, runs, judged, pairs=[(a, b) for b in others])
    verdict = read(page(facts)).one("section", id="verdict")
    assert [tag.one("summary").text for tag in verdict.every("details")] == ["The same by AP"]
    first, second = verdict.every("figure", class_="claims")
    assert ("by nDCG@10" in first.text, "by AP" in second.text) == (True, True)
    for table, at in ((first, 0), (second, 1)):
        differences = [signed(claim.verdicts[at].comparison.difference) for claim in facts.claims]
        assert all(words in table.text for words in differences)
        links = [(link.attributes["href"] or "")[1:] for link in table.one("tbody").every("a")]
        details = read(page(facts)).one("section", id="decides")
        assert len(links) == len(facts.claims)
        assert all(details.one("div", id=link) for link in links)


def test_options_are_told_in_words() -> None:
    """Guards how a page was made against None, True and lists as Python writes them."""
    _, facts = worlds.plain(3)
    options = {
        "sequential": False,
        "min_effect": 0.0,
        "pair": ["a,b", "a,c"],
        "reading": {"scale": None, "first": True},
    }
    tree = read(page(replace(facts, made=Made("0", options=options))))
    cells = [tag.text for tag in tree.one("section", id="made").one("tbody").every("td")]
    assert cells == ["no", "0", "a,b; a,c", "first: yes"]


def test_no_section_for_what_cannot_be_told() -> None:
    """Guards sections that rest on an interval, or on steps, where there is none."""
    facts = worlds.plain(2)[1]
    claim = facts.claims[0]
    verdict = replace(claim.first, comparison=replace(claim.first.comparison, low=None, high=None), steps=())
    without = replace(facts, claims=(replace(claim, verdicts=(verdict,)),), next=None)
    assert sections(without) == ["verdict", "health", "methods", "made"]
    read(page(without))


def test_text_has_a_section_of_its_own() -> None:
    """Guards measures that read text: there with a corpus alone, scores by the evaluation, order by Kendall's tau."""
    runs, judged = worlds.world(3)
    docs = sorted(set(judged.docs.strings()))
    texts = {d: f"{'word ' * (1 + i % 3)} w{i % 7} other{i}" for i, d in enumerate(docs)}
    facts = gather(worlds.study_of(runs, judged), runs, judged, corpus=texts)
    assert facts.content is not None
    assert "content" in sections(facts)
    scores = tg.evaluate(runs, judged, "AbsRB@20", corpus=texts)
    for e in facts.content.estimates["AbsRB@20"]:
        assert e.value == pytest.approx(scores.mean(e.system))
    by_text = [e.value for e in facts.content.estimates["AbsRB@20"]]
    main = [e.value for e in facts.main.estimates]
    tau = stats.kendalltau(main, by_text).statistic
    assert facts.content.tau["AbsRB@20"].value == pytest.approx(tau)
    read(page(facts))


def test_tags_fit_together(tree: Tag) -> None:
    """Guards the HTML: every tag closed, one h1, ids once, no heading that skips a level."""
    ids = Counter(t.attributes["id"] for t in tree.every() if "id" in t.attributes)
    assert not [i for i, n in ids.items() if n > 1 and i != "hx"]
    levels = [int(t.name[1]) for t in tree.every() if re.fullmatch(r"h[1-6]", t.name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_everybody_can_read_it(tree: Tag) -> None:
    """Guards those who hear the page: captions, scopes, drawings in words or hidden, labels that lead somewhere."""
    for table in tree.every("table"):
        assert table.one("caption").text
        assert all(th.attributes.get("scope") in ("row", "col") for th in table.every("th"))
        assert all(th.text.strip() for th in table.every("th"))
    for svg in tree.every("svg"):
        hidden = svg.attributes.get("aria-hidden") == "true"
        assert hidden or (svg.attributes.get("role") == "img" and svg.attributes.get("aria-label"))
    there = {t.attributes.get("id") for t in tree.every()}
    for t in tree.every():
        assert t.attributes.get("aria-labelledby") in {None, *there}
        assert not t.has("role", "region") or t.attributes.get("tabindex") == "0"
    assert tree.one("html").attributes["lang"] == "en"


def test_it_asks_nobody_for_anything(tree: Tag) -> None:
    """Guards the one file: no address but those within it, none in the style or the script either."""
    assert not tree.every("link") + tree.every("img") + tree.every("iframe")
    for t in tree.every():
        assert "src" not in t.attributes
        for value in (t.attributes.get("href"), t.attributes.get("style")):
            assert value is None or value.startswith(("#", "data:", "left:", "right:", "--step:"))
        assert not [k for k in t.attributes if k.startswith("on")]
    whole = "".join(t.text for t in [*tree.every("style"), *tree.every("script")]).replace(SOURCE, "")  # in BibTeX
    assert not re.search(r"https?:|@import|url\(", whole)
    assert {a.attributes["href"] for a in tree.one("nav").every("a")} == {
        f"#{s.attributes['id']}" for s in tree.every("section")
    }


def test_files_to_take_along(tree: Tag) -> None:
    """Guards the links: a CSV has rows as wide as its head, an SVG is whole and carries its own look."""
    taken = [a for a in tree.every("a") if "download" in a.attributes]
    assert len({a.attributes["download"] for a in taken}) == len(taken)
    for a in taken:
        kind, _, text = str(a.attributes["href"]).partition(",")
        text = urllib.parse.unquote(text)
        if kind == "data:text/csv;charset=utf-8":
            assert len(text.splitlines()) > 1, a.attributes["download"]
        else:
            assert kind == "data:image/svg+xml;charset=utf-8"
            assert "<style>" in text
            assert ET.fromstring(text).tag.endswith("svg")


def test_every_figure_can_be_taken_along(tree: Tag) -> None:
    """Guards figures and what comes next: each that is drawn, or has cells, gives its data and itself."""
    for figure in [*tree.every("figure"), *tree.every("div", class_="card")]:
        if figure.every("svg") or figure.every("table", class_="cells"):
            kinds = {str(a.attributes["download"]).rpartition(".")[2] for a in figure.every("a", class_="data")}
            assert kinds == {"csv", "svg"}, figure.text[:80]


@pytest.mark.parametrize(("systems", "most"), [(129, 0.5e6), (1000, 1.2e6)])
def test_it_stays_small(systems: int, most: float) -> None:
    """Guards the size with many systems, a measure: pairs are joined to runs of cells, then to a staircase."""
    assert len(page(worlds.many(systems))) < most


def test_the_same_facts_make_the_same_page() -> None:
    """Guards against dates and orders of sets: a page can be compared with an earlier one byte by byte."""
    runs, judged = worlds.world(3)
    one, two = (page(gather(worlds.study_of(runs, judged), runs, judged)) for _ in range(2))
    assert one == two


HOSTILE = (
    "<script>alert(1)</script>",
    'a" onmouseover="x',
    "</style><b>",
    "&amp;",
    "--><!--",
    "\u202egnp.exe",
    "a,b: +0.1 P@5 [0, 1]",
    "%s{0}\\N{x}\x00",
    "x" * 300,
)


@pytest.mark.slow
def test_no_name_breaks_the_page() -> None:
    """Guards against names of systems, topics and documents that look like tags, scripts or addresses."""
    runs, judged = worlds.world(len(HOSTILE))
    topics = tuple(f'<b>{t}\' onload="x"' for t in judged.topic.values)
    new = tuple(
        replace(p, system=name, topic=replace(p.topic, values=topics))
        for p, name in zip(runs.parts, HOSTILE, strict=True)
    )
    table, labels = Runs(new), replace(judged, topic=replace(judged.topic, values=topics))
    study = worlds.study_of(table, labels, "P@5")
    facts = gather(
        study, table, labels, pairs=[(HOSTILE[0], HOSTILE[1])], baselines=[HOSTILE[6]], messages=["<i>odd</i>"],
        made=Made("0", "truegain report '</pre><script>'", {"x": "</td>"}, {"</td>": None}),
    )  # fmt: skip
    tree = read(page(facts, "<h1>title"))
    assert [t.attributes for t in tree.every("script")] == [{"type": "application/json", "id": "truegain-data"}, {}]
    assert not [k for t in tree.every() for k in t.attributes if k.startswith("on")]
    assert not tree.every("i", class_="x")
    assert {"<script>alert(1)</script>", 'a" onmouseover="x'} <= {t.text for t in tree.one("h1").every("bdi")}
    assert [r["system"] for r in data_of(tree)["sections"]["systems"]["P@5"]] == list(facts.main.ranking.systems)


def test_differences_alone_make_a_page() -> None:
    """Guards a list of gold labels that tells differences, not scores: no score is made up, nothing breaks."""
    _, facts = worlds.with_gold()
    m = facts.main
    unknown = tuple(replace(e, value=math.nan, low=math.nan, high=math.nan, notes=("not told",)) for e in m.estimates)
    claim = facts.claims[0]
    bare = replace(claim.first.comparison, value_a=math.nan, value_b=math.nan)
    one = replace(claim, verdicts=(replace(claim.first, comparison=bare),))
    tree = read(page(replace(facts, measures=(replace(m, estimates=unknown),), claims=(one,))))
    assert "nan" not in tree.one("main").text
    assert "against \N{EM DASH}" not in tree.one("p", class_="lede").text
    assert [r["score"] for r in data_of(tree)["sections"]["systems"]["P@10"]] == [None] * 4


def test_one_system_is_refused() -> None:
    """Guards the library's own error where there is nothing to compare."""
    runs, judged = worlds.world(3)
    alone = Runs(runs.parts[:1])
    with pytest.raises(tg.TruegainError, match="at least 2 systems"):
        gather(worlds.study_of(alone, judged), alone, judged)


def test_an_unknown_baseline_is_refused() -> None:
    """Guards a slip in a name: it is told before anything is worked out."""
    runs, judged = worlds.world(3)
    with pytest.raises(tg.TruegainError, match="baseline 'nope' is not a system here; there are sys-1"):
        gather(worlds.study_of(runs, judged), runs, Judgments.of(judged), baselines=["nope"])


def test_the_page_of_a_study(tmp_path: Path) -> None:
    """Guards `Study.report`: the page of `write_report` but for names of files, and no word of unknown warnings."""
    qrels = {str(t): {f"d{i}": (i * t) % 3 for i in range(8)} for t in range(1, 13)}
    runs = {
        f"s{s}": {t: {d: (i * (s + 2) + int(t)) % 11 for i, d in enumerate(row)} for t, row in qrels.items()}
        for s in range(3)
    }
    gold = tg.Gold({t: {d: x for d, x in row.items() if d > "d3"} for t, row in qrels.items()}, design="random")
    study = tg.Study(runs, qrels, ["P@3", "DCG@3"], gold=gold, min_effect=0.01)
    assert study.report(tmp_path / "a.html", baselines="s0", title="Ours") == tmp_path / "a.html"
    config = tg.StudyConfig(gold=gold, min_effect=0.01)
    tg.write_report(runs, qrels, ["P@3", "DCG@3"], tmp_path / "b.html", baselines="s0", title="Ours", config=config)
    a, b = (data_of(read((tmp_path / name).read_text()))["sections"] for name in ("a.html", "b.html"))
    warned = b["health"]["checks"].pop()
    assert (warned["name"], warned["value"]) == ("Warnings while reading", "none")
    assert _without_sources(a) == _without_sources(b)


def _without_sources(data: Any) -> Any:
    """The data of a page without how it was made."""
    if isinstance(data, dict):
        return {name: _without_sources(x) for name, x in data.items() if name not in ("made", "provenance")}
    return [_without_sources(x) for x in data] if isinstance(data, list) else data


def test_a_study_has_all_that_a_page_needs(tmp_path: Path) -> None:
    """Guards what `write_report` refuses beside a study, one system, and the claims of a study file."""
    qrels = {str(t): {"a": 1, "b": t % 2} for t in range(30)}
    run = {t: {"a": 2.0, "b": 1.0} for t in qrels}
    one = tg.Study({"one": run}, qrels, "P@1")
    two = tg.Study({"one": run, "two": {t: {"b": 2.0, "a": 1.0} for t in qrels}}, qrels, "P@1")
    with pytest.raises(tg.TruegainError, match="there is 1 \\(one\\)"):
        one.report(tmp_path / "a.html")
    with pytest.raises(tg.TruegainError, match="already has its judgments, measures and config; give None"):
        tg.write_report(two, None, "P@1", tmp_path / "a.html")
    assert not (tmp_path / "a.html").exists()
    two.claims = (("two", "one"),)
    claims = data_of(read(Path(two.report(tmp_path / "b.html")).read_text()))["sections"]["verdict"]["claims"]
    assert [(c["a"], c["b"]) for c in claims] == [("two", "one")]


def test_limits_stand_together() -> None:
    """Guards `interval` of a verdict, a comparison and an estimate: (low, high), None where there is none."""
    runs = {"x": {str(t): {"a": 2.0, "b": 1.0 + 2 * (t % 3 == 0)} for t in range(30)},
            "y": {str(t): {"b": 2.0, "a": 1.0 + 2 * (t % 2)} for t in range(30)}}  # fmt: skip
    qrels = {str(t): {"a": 1, "b": t % 4 == 0} for t in range(30)}
    study = tg.Study(runs, qrels, "P@1")
    verdict, estimate = study.verdict("x", "y"), study.estimates()[0]
    assert verdict.interval == (verdict.low, verdict.high) == study.compare()[0].interval
    assert estimate.interval == (estimate.low, estimate.high)
    assert tg.compare(runs, qrels, "P@1", test="wilcoxon")[0].interval is None


@pytest.mark.parametrize("ties", ["descending", "ascending", "input"])
def test_a_page_follows_the_order_of_equal_scores(ties: Any, tmp_path: Path) -> None:
    """Guards what is told of ties, the documents to judge next, scores from the text, and the options of the page."""
    made, labels = worlds.world(3, holes=3)
    rounded = [replace(part, score=frozen(np.round(part.score))) for part in made.parts]
    runs, scoring = replace(made, parts=tuple(rounded)), tg.Scoring(ties=ties)
    study = worlds.study_of(runs, labels, "P@10", ties=ties)
    corpus = {f"d{i:02}": f"word{i % 7} word{i % 5} word{i % 3}" for i in range(worlds.DOCS)}
    facts = gather(study, runs, labels, pairs=[("sys-1", "sys-3")], corpus=corpus)
    about = next(" ".join(check.about) for check in facts.checks if check.name == "Tied scores")
    words = {"descending": "as in trec_eval", "ascending": "as in pyndeval", "input": "in the order of the file"}
    assert [name for name, said in words.items() if said in about] == [ties]
    assert facts.next is not None
    listed = tg.next_to_judge(runs, labels, "P@10", pair=("sys-1", "sys-3"), most=25, scoring=scoring)
    assert facts.next.documents == listed.documents
    assert facts.content is not None
    for name, estimates in facts.content.estimates.items():
        scores = tg.evaluate(runs, labels, name, scoring=scoring, corpus=corpus)
        assert [e.value for e in estimates] == pytest.approx([scores.mean(e.system) for e in estimates])
    study.report(tmp_path / "a.html")
    options = data_of(read((tmp_path / "a.html").read_text()))["sections"]["made"]["options"]
    assert options.get("ties") == (None if ties == "descending" else ties)
