"""Pages of values of answers: data health, the judge beside people, and words that fit answers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.report.browser import Chromium
from tests.report.looks import faults
from tests.report.reading import Tag, read
from tests.report.test_browser import chromium as chromium
from truegain.config import StudyConfig
from truegain.data.items import Items
from truegain.io.columns import Floats
from truegain.io.logs.log import Row, ToolMean
from truegain.report.answer_health import replicate_variance, values_check
from truegain.report.facts import Check

T = 60
WRONG = ("document", "retrieved", "relevant", "unjudged", "Tied scores", "pool", "collection")  # of runs, not answers


def world(systems: int = 2, seed: int = 5) -> tuple[Floats, Floats]:
    """People's values and a judge's, lenient to the last system."""
    rng = np.random.default_rng(seed)
    truth = np.clip(rng.normal(np.linspace(0.5, 0.6, systems)[:, None], 0.2, (systems, T)), 0, 1)
    lean = np.where(np.arange(systems) == systems - 1, 0.15, 0.0)[:, None]
    return truth, np.clip(truth + lean + rng.normal(0, 0.1, truth.shape), 0, 1)


def items_of(values: Floats, share: float = 1.0, times: int = 1, noise: float = 0.0, judge: str = "gpt-4o") -> Items:
    """Rows of systems, some of them, each scored so many times; two values of the last system failed."""
    rng = np.random.default_rng(6)
    rows = []
    for s, of in enumerate(values.tolist()):
        for t, value in enumerate(of):
            if rng.random() > share:
                continue
            failed = share == 1 and s == len(values) - 1 and t < 2
            for k in range(times):
                x = math.nan if failed else value + noise * float(rng.normal())
                rows.append(Row(f"q{t}", "faith", x, f"s{s}", judge=judge, replicate=k + 1, status="timeout"))
    clusters = {"domain": {f"q{t}": f"d{t % 12}" for t in range(T)}}
    return Items.of_rows([r if math.isnan(r.value) else r._replace(status="ok") for r in rows], clusters=clusters)


def page_of(items: Items, tmp_path: Path, gold: Items | None = None, **options: object) -> tuple[Tag, str]:
    """The page of a study, and its words."""
    given = None if gold is None else tg.Gold(gold, "random")
    with pytest.warns(tg.DataWarning):
        path = tg.write_report(
            items,
            None,
            "faith",
            tmp_path / "page.html",
            config=StudyConfig(gold=given, **options),  # type: ignore[arg-type]
        )
    tree = read(Path(path).read_text(encoding="utf-8"))
    sections = [section for section in tree.every("section") if section.attributes["id"] != "made"]
    return tree, " ".join(section.text for section in sections)


def health_of(tree: Tag) -> dict[str, str]:
    """What each check says, by name."""
    rows = tree.one("section", id="health").every("div", class_="hc") + tree.one("section", id="health").every(
        "details", class_="hc"
    )
    return {row.every("span", class_="hn")[0].text: row.text for row in rows}


def test_a_page_with_gold_values(tmp_path: Path) -> None:
    """Guards the page: checks of answers, mean errors by system, a dot for each gold label, no word of documents."""
    truth, judge = world()
    gold = items_of(truth, 0.5, judge="ann")
    tree, words = page_of(items_of(judge), tmp_path, gold)
    assert [word for word in WRONG if word in words] == []
    health = health_of(tree)
    assert "s1: 2 timeout." in health["Missing values"]
    there, scored = 2 * T - 2, 2 * (T - 2)  # two topics are left out: s0 has values of these
    assert f"{there}: " in health["Values"]
    assert f"{scored} of them are of the topics that all systems have a value for." in health["Values"]
    assert f"on {T - 2} topics, with {scored} values (" in tree.one("section", id="methods").text
    assert "s1 lacks 3.3% of the topics, s0 0.0%" in health["Missing values"]
    assert "2 topics left out, because some system has no value there: q0 and q1" in health["Topics"]
    assert "gpt-4o" in health["Judges"]
    assert "--cluster domain" in health["Clusters"]
    section = tree.one("section", id="judge")
    both = zip(gold.system.strings(), gold.topic.strings(), strict=True)
    left = [(s, t) for s, t in both if t not in ("q0", "q1")]
    assert len(section.one("svg", class_="sc").every("circle")) == len(left)
    e = [judge[int(s[1:]), int(t[1:])] - truth[int(s[1:]), int(t[1:])] for s, t in left if s == "s1"]
    row = next(r.text for r in section.every("tr") if r.every("th")[0].text == "s1")
    assert f"{np.mean(e):+.3f}" in row
    assert "It favors s1" in section.text


def test_pass_and_fail_keep_their_rates(tmp_path: Path) -> None:
    """Guards values of 0 and 1: sensitivity, specificity and the table of four shares, no scatter."""
    truth, judge = (np.round(x) for x in world())
    tree, words = page_of(items_of(judge), tmp_path, items_of(truth, 0.6, judge="ann"))
    section = tree.one("section", id="judge")
    assert "of the answers that people pass (sensitivity)" in section.text
    assert section.every("svg", class_="sc") == []
    assert len(section.one("table", class_="cm").every("tr")) == 3
    assert "informedness" in health_of(tree)["Judge better than chance"]
    assert [word for word in WRONG if word in words] == []


def test_a_model_that_nobody_checked(tmp_path: Path) -> None:
    """Guards the page of an LLM's scores: what to do first is to have answers labeled."""
    _, judge = world(3)
    items = replace(items_of(judge), models=frozenset({"gpt-4o"}))
    tree, words = page_of(items, tmp_path)
    assert "some of the answers" in health_of(tree)["Labels checked by a person"]
    assert "draws the answers to label" in tree.one("section", id="next").text
    assert [word for word in WRONG if word in words] == []


def test_clusters_replicates_and_means(tmp_path: Path) -> None:
    """Guards what a log says beyond values: clusters, repeated scores, and the mean that the tool printed."""
    _, judge = world()
    items = items_of(judge, times=3, noise=0.05).clustered("domain")
    items = replace(items, means=(ToolMean("faith", 0.25, "s0"),))
    tree, words = page_of(items, tmp_path)
    health = health_of(tree)
    assert "::" not in words  # topics are called as in the log, beside their clusters
    assert f"with {6 * (T - 2)} values (" in tree.one("section", id="methods").text  # single ones, as in data health
    assert "4 to 5 topics each; intervals are over clusters" in health["Clusters"]
    assert "up to 3 per answer" in health["Replicates"]
    assert "0 of 1 reproduced" in health["Means printed by the tool"]
    assert "the tool printed 0.2500" in health["Means printed by the tool"]


def test_the_share_of_replicates() -> None:
    """Guards variance within answers: against sums by hand, and known parts of a large world."""
    rng = np.random.default_rng(7)
    truth = rng.normal(0, 0.3, (2, 2000))
    rows = [
        Row(f"q{t}", "faith", float(truth[s, t] + rng.normal(0, 0.1)), f"s{s}", replicate=k)
        for s in range(2)
        for t in range(2000)
        for k in (1, 2)
    ]
    answers, within, share = replicate_variance(Items.of_rows(rows))
    values = np.array([r.value for r in rows]).reshape(4000, 2)
    assert answers == 4000
    assert within == pytest.approx(values.var(axis=1, ddof=1).mean())
    assert share == pytest.approx(0.01 / 0.1, abs=0.01)


def test_odd_values_are_told() -> None:
    """Guards a constant score, and one log under two names."""
    rows = [Row(f"q{t}", "faith", x, s) for t in range(5) for s, x in (("a", t / 5), ("b", t / 5), ("c", 1.0))]
    check: Check = values_check(Items.of_rows(rows), "faith")
    assert not check.fine
    assert check.about[-2:] == (
        "All values are the same for c (1): this score cannot distinguish its answers.",
        "The same value on every topic: a, b; perhaps one log under two names.",
    )


def test_a_judge_on_another_scale_than_people(tmp_path: Path) -> None:
    """Guards that two scales are told once, when the study is made, and that a check of the page does not pass."""
    truth, judge = world()
    gold = items_of(1 + 4 * truth, 0.5, judge="ann")
    with pytest.warns(tg.DataWarning) as told:
        path = tg.write_report(
            items_of(judge), None, "faith", tmp_path / "p.html", config=StudyConfig(gold=tg.Gold(gold, "random"))
        )
    assert sum("two scales" in str(w.message) for w in told) == 1
    health = health_of(read(Path(path).read_text(encoding="utf-8")))
    assert "The judge's values are " in health["Judge and people on one scale"]
    assert "passed" not in health["Judge and people on one scale"]
    assert "two scales" not in health["Warnings while reading"]
    same = health_of(page_of(items_of(judge), tmp_path, items_of(truth, 0.5, judge="ann"))[0])
    assert "Judge and people on one scale" not in same


def test_in_a_browser(chromium: Chromium, tmp_path: Path) -> None:
    """Guards the page as people open it: no request, nothing axe-core finds, nothing cut, wide, narrow and printed."""
    truth, judge = world(3)
    page_of(items_of(judge), tmp_path, items_of(truth, 0.5, judge="ann"))
    assert faults(chromium, tmp_path / "page.html") == []
    page_of(items_of(np.round(judge)), tmp_path, items_of(np.round(truth), 0.5, judge="ann"))
    assert faults(chromium, tmp_path / "page.html") == []


def test_logs_that_inspect_ai_wrote(shared_data: Path, tmp_path: Path) -> None:
    """Guards the page of real logs: what failed is told by system, epochs are replicates, the tool's means come out."""
    logs = shared_data / "logs" / "inspect_ai"
    if not logs.is_dir():
        pytest.skip("no logs of inspect_ai beside the checkout")
    items = tg.read_items([logs / "weak.eval", logs / "strong.eval"])
    with pytest.warns(tg.DataWarning):
        path = tg.write_report(items, None, "model_graded_qa", tmp_path / "page.html")
    tree = read(Path(path).read_text(encoding="utf-8"))
    health = health_of(tree)
    assert "strong: 2 failed." in health["Missing values"]
    assert "up to 2 per answer" in health["Replicates"]
    assert "2 of 2 reproduced" in health["Means printed by the tool"]
    assert "mockllm/judge (a model)" in health["Judges"]
    with pytest.warns(tg.DataWarning):
        path = tg.write_report(items, None, "match", tmp_path / "page.html")
    health = health_of(read(Path(path).read_text(encoding="utf-8")))
    assert "not named" in health["Judges"], "the model graded another score"
