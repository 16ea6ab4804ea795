"""Pages for the participants of a track whose answers have values: nuggets and scores, held against brute force."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.cli.conftest import Run
from tests.report.reading import data_of, read
from tests.report.test_browser import chromium as chromium
from truegain.io.logs.log import ScoreRange
from truegain.report.page.participant_files import write_pages
from truegain.report.page.participants import participant_page
from truegain.report.participants import COLUMNS, Track

RUNS = tuple(f"{team}-{i}" for team in ("ada", "bell", "curie") for i in (1, 2))
TEAMS = {run: run.partition("-")[0] for run in RUNS}
TOPICS = tuple(f"q{t:02}" for t in range(30))
SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
CLUSTER = {topic: f"page {t // 5}" for t, topic in enumerate(TOPICS)}
FAILED = ("ada-1", "q03")  # nothing of this answer was assigned


def assignments() -> list[dict[str, str]]:
    """Nuggets of each topic, half of them vital, and what the answers support; later runs support more."""
    rng, rows = np.random.default_rng(3), []
    for topic in TOPICS:
        for run in RUNS:
            p = 0.25 + 0.06 * RUNS.index(run)
            for j in range(6):
                word = str(rng.choice([*SUPPORT], p=[0.8 * p, 0.2 * p, 1 - p]))
                word = "failed" if (run, topic) == FAILED else word
                rows.append({"qid": topic, "run_id": run, "nugget": f"{topic} fact {j}", "assignment": word})
    return rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nuggets with assignments, and teams."""
    rows = assignments()
    bank = [{"qid": t, "nugget": f"{t} fact {j}", "importance": "vital" if j < 3 else "okay"}
            for t in TOPICS for j in range(6)]  # fmt: skip
    for name, of in (("nuggets.jsonl", bank), ("assigned.jsonl", rows)):
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in of))
    (tmp_path / "teams.csv").write_text("".join(f"{a},{b}\n" for a, b in {"run": "team", **TEAMS}.items()))
    (tmp_path / "scores.csv").write_text(
        "system,topic,page,toxicity\n"
        + "".join(f"{run},{t},{CLUSTER[t]},{x}\n" for run, of in toxicity().items() for t, x in of.items())
    )
    return tmp_path


def toxicity() -> dict[str, dict[str, float]]:
    """A score that is better where it is less; topics of a page are alike, more so for some runs."""
    rng = np.random.default_rng(4)
    page = {c: rng.normal(0, 0.15, len(RUNS)) for c in dict.fromkeys(CLUSTER.values())}
    return {
        run: {t: round(float(0.5 - 0.03 * r + page[CLUSTER[t]][r] + rng.normal(0, 0.02)), 4) for t in TOPICS}
        for r, run in enumerate(RUNS)
    }


def by_hand(strict: bool, vital: bool) -> dict[str, dict[str, float]]:
    """The share of nuggets, by run and topic, of the topics that every run has."""
    shares: dict[str, dict[str, float]] = {run: {} for run in RUNS}
    for run in RUNS:
        for topic in TOPICS:
            mine = [r for r in assignments() if (r["run_id"], r["qid"]) == (run, topic)]
            mine = [r for r in mine if not vital or int(r["nugget"].rpartition(" ")[2]) < 3]
            worth = [SUPPORT[r["assignment"]] for r in mine if r["assignment"] != "failed"]
            if worth and topic != FAILED[1]:
                shares[run][topic] = float(np.mean([math.floor(x) if strict else x for x in worth]))
    return shares


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_pages_of_nuggets_have_the_shares_of_nuggets(folder: Path) -> None:
    """Guards scores, medians, ranks and intervals of a track of nuggets, by shares counted from the rows."""
    items = tg.read_nuggets([folder / "nuggets.jsonl", folder / "assigned.jsonl"])
    track = Track(items, None, ["V_strict", "A"], teams=TEAMS)
    assert track.study.topics == tuple(t for t in TOPICS if t != FAILED[1])
    for m, shares in zip(track.measures, (by_hand(True, True), by_hand(False, False)), strict=True):
        matrix = np.array([[shares[run][t] for t in m.topics] for run in m.systems])
        np.testing.assert_allclose(m.values, matrix, atol=1e-12)
        for team in ("ada", "bell", "curie"):
            for row in (r for r in track.by_topic(team).rows if r[0] == m.name):
                cells = dict(zip(COLUMNS, row[1:], strict=True))
                at = list(m.topics).index(str(cells["topic"]))
                assert cells["median"] == pytest.approx(float(np.median(matrix[:, at])))
                assert cells["score"] == pytest.approx(shares[str(cells["run"])][str(cells["topic"])])
            for r in track.participant(team).results[track.measures.index(m)]:
                d = matrix[m.systems.index(r.run)] - np.median(matrix, axis=0)
                limits = stats.ttest_1samp(d, 0).confidence_interval(0.95)
                assert (r.to_median.low, r.to_median.high) == pytest.approx(tuple(limits), abs=1e-9)
                assert r.rank == 1 + int((matrix.mean(1) > matrix[m.systems.index(r.run)].mean() + 1e-12).sum())
                assert (r.unjudged, r.documents, r.bounds) == (0, 0, None)


def test_a_score_that_is_better_where_it_is_less_over_clusters() -> None:
    """Guards direction, and the interval against the median over clusters of topics: never narrower than by topics."""
    values = toxicity()
    rows = [{"system": s, "topic": t, "page": CLUSTER[t], "toxicity": x} for s, of in values.items()
            for t, x in of.items()]  # fmt: skip
    scales = {"toxicity": ScoreRange(0.0, 1.0, True)}
    items = tg.read_items(rows, scales=scales).clustered("page")
    with pytest.warns(tg.DataWarning, match="with only 6 clusters"):
        track = Track(items, None, "toxicity", teams=TEAMS)
    (m,) = track.measures
    assert m.name == "negative toxicity"
    matrix = -np.array([[values[run][t] for t in m.topics] for run in m.systems])
    np.testing.assert_allclose(m.values, matrix, atol=1e-12)
    wider = 0
    for s, run in enumerate(m.systems):
        d = matrix[s] - np.median(matrix, axis=0)
        sums: dict[str, float] = {}
        for t, x in zip(m.topics, d, strict=True):
            sums[CLUSTER[t]] = sums.get(CLUSTER[t], 0.0) + (x - d.mean()) / len(d)
        by_cluster = stats.t.ppf(0.975, 5) * math.sqrt(6 / 5 * sum(x**2 for x in sums.values()))
        by_topic = stats.t.ppf(0.975, len(d) - 1) * d.std(ddof=1) / math.sqrt(len(d))
        wider += by_cluster > by_topic
        found = m.to_median(run, 0.95)
        assert (found.low, found.high) == pytest.approx((d.mean() - max(by_cluster, by_topic),
                                                         d.mean() + max(by_cluster, by_topic)))  # fmt: skip
    assert wider
    # the study itself has this interval of a score
    text = read(participant_page(track, "curie")).one("section", id="runs").text
    assert "Lower toxicity is better: this page shows it as a negative number" in text
    assert "for topics from 6 clusters like these" in text
    assert "Nothing says who gave toxicity" in participant_page(track, "curie")


def test_an_interval_over_clusters_is_that_of_a_study() -> None:
    """Guards the formula over clusters against the engine: of two runs the median is their mean, so d is half."""
    two = {run: of for run, of in toxicity().items() if run in ("ada-1", "curie-2")}
    rows = [{"system": s, "topic": t, "page": CLUSTER[t], "toxicity": x} for s, of in two.items()
            for t, x in of.items()]  # fmt: skip
    items = tg.read_items(rows).clustered("page")
    with pytest.warns(tg.DataWarning):
        track = Track(items, None, "toxicity", teams=TEAMS)
    (c,) = track.study.compare("ada-1", "curie-2")
    found = track.measures[0].to_median("curie-2", 0.95)
    assert c.low is not None
    assert c.high is not None
    assert found.low is not None
    assert found.high is not None
    assert (2 * found.value, 2 * found.low, 2 * found.high) == pytest.approx((c.difference, c.low, c.high))


WORDS = ("participants", "nuggets.jsonl", "assigned.jsonl", "--teams", "teams.csv")


def sections_of(page: Path) -> Mapping[str, Any]:
    """The data of a page."""
    sections: Mapping[str, Any] = data_of(read(page.read_text()))["sections"]
    return sections


def test_the_command_with_nuggets(run: Run, folder: Path) -> None:
    """Guards the pages that the command writes: which values there are, nobody else's names, no words of documents."""
    code, out, err = run(*WORDS, "-m", "V_strict", "-m", "A", "--judge-model", "gpt-4o", "-o", "pages")
    assert (code, out) == (0, "pages/index.html: 3 pages\n")
    assert "1 of 30 topics (q03) is left out, because ada-1 has no value there" in err
    page = folder / "pages/ada.html"
    tree, text = read(page.read_text()), unquote(page.read_text())
    assert [s.attributes["id"] for s in tree.every("section")] == ["runs", "topics", "values", "made"]
    others = [*(s for s, team in TEAMS.items() if team != "ada"), "bell", "curie"]
    assert [name for name in others if re.search(rf"\b{name}\b", text)] == []
    words = " ".join(s.text for s in tree.every("section") if s.attributes["id"] != "made")
    assert [w for w in ("document", "judged", "pool", "relevant") if w in words] == []
    values = sections_of(page)["values"]
    assert values["missing"] == {"ada-1": {"failed": 6}, "ada-2": {}}
    assert (values["topics"], values["topics_left_out"], values["models"]) == (29, 1, ["gpt-4o"])
    assert "By gpt-4o's labels, which no person has checked" in tree.one("h1").text
    assert list(sections_of(page)["made"]["inputs"]) == ["nuggets.jsonl", "assigned.jsonl"]
    assert [x["score"] for x in sections_of(page)["topics"]["A"]][:29] == pytest.approx(
        list(by_hand(False, False)[sections_of(page)["runs"]["runs"][0]].values())
    )


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_files_of_other_teams_are_not_named(run: Run, folder: Path) -> None:
    """Guards anonymity where each run has its own file: a page names the nuggets and own files alone."""
    rows = assignments()
    for name in RUNS:
        mine = [{k: x for k, x in r.items() if k != "run_id"} for r in rows if r["run_id"] == name]
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in mine))
    files = [f"{name}.jsonl" for name in RUNS]
    assert run("participants", "nuggets.jsonl", *files, "--teams", "teams.csv", "-o", "pages")[0] == 0
    for team in ("ada", "bell"):
        made = sections_of(folder / f"pages/{team}.html")["made"]["inputs"]
        assert next(iter(made)) == "nuggets.jsonl"
        assert sorted(made) == sorted(["nuggets.jsonl", f"{team}-1.jsonl", f"{team}-2.jsonl"])


def test_the_command_with_a_table_of_scores(run: Run, folder: Path) -> None:
    """Guards a score by its name, its direction and its clusters, and names that are changed."""
    words = ("participants", "scores.csv", "--score", "toxicity", "--teams", "teams.csv", "--team", "ada")
    assert run(*words, "--less-is-better", "--cluster", "page", "-o", "ada.html")[:2] == (0, "ada.html: 1 page\n")
    data = sections_of(folder / "ada.html")
    expected = -np.mean([*toxicity()["ada-1"].values()])
    (score,) = [r["score"] for r in data["runs"]["measures"]["negative toxicity"]["runs"] if r["run"] == "ada-1"]
    assert score == pytest.approx(expected)
    assert data["made"]["options"].keys().isdisjoint({"unjudged", "pool depth", "relevant from", "all topics"})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*WORDS, "--pool-depth", "5"), "an answer is scored by itself, from no pool"),
        ((*WORDS, "--all-topics"), "a missing value never counts as 0"),
        ((*WORDS, "--unjudged", "non-relevant"), "--unjudged does not apply to answers"),
        ((*WORDS, "--name-by", "tag"), "--name-by does not apply to answers"),
        ((*WORDS, "-m", "AP"), "AP is not a measure of nuggets"),
        (("participants", "scores.csv", "--teams", "teams.csv"), "a table of scores? add --score toxicity"),
        (("participants", "scores.csv", "--score", "toxicity", "-m", "AP", "--teams", "teams.csv"), "not runs; name"),
    ],
)
def test_what_is_refused(run: Run, folder: Path, words: tuple[str, ...], message: str) -> None:
    """Guards true reasons, before anything is written."""
    before = sorted(folder.iterdir())
    code, _, err = run(*words)
    assert code == 2
    assert message in err
    assert sorted(folder.iterdir()) == before


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_in_a_browser(chromium: Any, folder: Path) -> None:
    """Guards the page as people open it: wide, dark, on a phone, on paper, without its script, and by axe-core."""
    from tests.report.looks import faults

    items = tg.read_nuggets([folder / "nuggets.jsonl", folder / "assigned.jsonl"]).judged_by("gpt-4o")
    write_pages(Track(items, None, ["V_strict", "A"], teams=TEAMS), folder / "p", ["ada"])
    assert list(faults(chromium, folder / "p/ada.html")) == []
