"""Pages for the participants of a track, held against numpy, scipy and brute force."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.cli.conftest import Run
from tests.report import worlds
from tests.report.reading import data_of, read
from tests.report.test_browser import chromium as chromium
from truegain.pooling.bounds import bounds_to_median
from truegain.pooling.pools import Filled
from truegain.report.page.participant_files import page_names, write_pages
from truegain.report.page.participants import PageStyle, participant_page
from truegain.report.participants import COLUMNS, Track

TEAMS = {"sys-1": "ada", "sys-2": "bell", "sys-3": "ada", "sys-4": "curie", "sys-5": "curie"}
DEPTH = 5


@pytest.fixture(scope="module")
def track() -> Track:
    """Five runs of three teams; all documents are judged."""
    runs, judged = worlds.world()
    return Track(runs, judged, ["nDCG@10", "AP"], teams=TEAMS, pool_depth=DEPTH)


@pytest.fixture(scope="module")
def holed() -> Track:
    """The same where every fourth document is unjudged."""
    return Track(*worlds.world(5, 4), ["P@10", "AP"], teams=TEAMS)


def matrix_of(measure: str, holes: int = 0) -> Any:
    """The scores as `eval -q` prints them, runs by topics."""
    scores = tg.evaluate(*worlds.world(5, holes), measure)
    return np.array([[scores.by_topic(s)[t] for t in scores.topics] for s in scores.systems], float), scores


def test_best_median_and_worst_of_each_topic(track: Track) -> None:
    """Guards what a participant is told of all runs, topic by topic, by numpy from the scores of `eval`."""
    for m in track.measures:
        matrix, scores = matrix_of(m.name)
        of = {"best": matrix.max(0), "median": np.median(matrix, 0), "worst": matrix.min(0)}
        rows = [r for r in track.by_topic("ada").rows if r[0] == m.name]
        assert len(rows) == 2 * len(scores.topics)
        for row in rows:
            cells = dict(zip(COLUMNS, row[1:], strict=True))
            t, own = list(scores.topics).index(str(cells["topic"])), scores.systems.index(str(cells["run"]))
            assert {k: cells[k] for k in of} == pytest.approx({k: x[t] for k, x in of.items()}, abs=1e-12)
            assert cells["score"] == pytest.approx(matrix[own, t], abs=1e-12)
            assert cells["difference"] == pytest.approx(matrix[own, t] - of["median"][t], abs=1e-12)
            assert (cells["rank"], cells["runs"]) == (1 + int((matrix[:, t] > matrix[own, t] + 1e-12).sum()), 5)


def test_means_ranks_and_the_interval_of_the_difference_to_the_median(track: Track) -> None:
    """Guards the verdict against the median: scipy's interval of a mean, and counts of topics."""
    matrix, scores = matrix_of("nDCG@10")
    for team in ("ada", "bell", "curie"):
        for r in track.participant(team).results[0]:
            own = matrix[scores.systems.index(r.run)]
            d = own - np.median(matrix, axis=0)
            limits = stats.ttest_1samp(d, 0).confidence_interval(0.95)
            assert (r.to_median.value, r.to_median.low, r.to_median.high) == pytest.approx(
                (d.mean(), *limits), abs=1e-9
            )
            assert r.to_median_by_labels == r.to_median  # nothing is unjudged
            expected = "above" if limits.low > 0 else "below" if limits.high < 0 else "open"
            assert r.to_median.verdict == expected
            assert (r.above, r.equal, r.below) == tuple(int(x.sum()) for x in (d > 1e-9, abs(d) <= 1e-9, d < -1e-9))
            assert r.at_best == int((own >= matrix.max(0) - 1e-12).sum())
            assert r.at_worst == int((own <= matrix.min(0) + 1e-12).sum())
            assert r.rank == 1 + int((matrix.mean(1) > own.mean() + 1e-12).sum())
            assert r.estimate.value == pytest.approx(own.mean(), abs=1e-12)


def test_against_the_best_run(track: Track) -> None:
    """Guards the difference to the best run: that of the study, and an outcome of all pairs jointly."""
    study, ranking = track.study, track.study.best("nDCG@10")
    for team in track.teams.names:
        for r in track.participant(team).results[0]:
            place = ranking.systems.index(r.run)
            assert (r.low_rank, r.high_rank) == (ranking.low[place], ranking.high[place])
            if place == 0:
                assert r.to_best is None
                continue
            c = study.compare(ranking.systems[0], r.run, "nDCG@10")[0]
            assert r.to_best is not None
            assert (r.to_best.value, r.to_best.low, r.to_best.high) == (c.difference, c.low, c.high)
            assert ranking.ahead is not None
            assert r.told_from_best == ranking.ahead[0, place]


def judged_by_topic() -> dict[str, dict[str, float]]:
    """The labels as a dict."""
    judged = worlds.world()[1]
    labels: dict[str, dict[str, float]] = {}
    for topic, doc, label in zip(judged.topic.strings(), judged.docs.strings(), judged.label, strict=True):
        labels.setdefault(topic, {})[doc] = float(label)
    return labels


def tops(depth: int) -> dict[str, set[tuple[str, str]]]:
    """By run its first documents, by sorting the scores."""
    runs, found = worlds.world()[0], dict[str, set[tuple[str, str]]]()
    for part in runs.parts:
        rows = zip(part.topic.strings(), part.docs.strings(), part.score.tolist(), strict=True)
        by_topic: dict[str, list[tuple[float, str]]] = {}
        for topic, doc, score in rows:
            by_topic.setdefault(topic, []).append((score, doc))
        found[part.system] = {(t, d) for t, docs in by_topic.items() for _, d in sorted(docs, reverse=True)[:depth]}
    return found


def test_a_pool_without_the_team(track: Track) -> None:
    """Guards what a team alone brought in, by sets, and the scores without it, by another evaluation."""
    first, labels = tops(DEPTH), judged_by_topic()
    for team in ("ada", "bell", "curie"):
        own = track.participant(team)
        theirs = set().union(*(first[s] for s, of in TEAMS.items() if of == team))
        others = set().union(*(first[s] for s, of in TEAMS.items() if of != team))
        alone = theirs - others
        assert own.brought == len(alone)
        assert own.brought_relevant == sum(labels[t][d] >= 1 for t, d in alone)
        left = {t: {d: x for d, x in docs.items() if (t, d) not in alone} for t, docs in labels.items()}
        scores = tg.evaluate(worlds.world()[0], left, ["nDCG@10", "AP"])
        means = {m: {s: scores.mean(s, m) for s in scores.systems} for m in scores.measures}
        for x in own.left_out:
            assert x.without == pytest.approx(means[x.measure][x.run], abs=1e-12)
            higher = [s for s in means[x.measure] if means[x.measure][s] > x.without + 1e-12]  # type: ignore[operator]
            assert x.rank_without == 1 + len(higher)
        assert {x.run for x in own.left_out} == set(own.runs)


def test_what_a_team_alone_retrieved() -> None:
    """Guards the list of relevant documents that no other team has, and their best rank."""
    qrels = {str(t): {"x": 1, "y": 2, "z": 0} for t in range(12)}
    runs = {
        "a-1": {t: {"x": 3.0, "z": 2.0} for t in qrels},
        "a-2": {t: {"x": 3.0, "y": 2.0} if t == "7" else {"x": 1.0, "z": 2.0} for t in qrels},
        "b-1": {t: {"x": 3.0} for t in qrels},
    }
    track = Track(runs, qrels, "P@2", teams={"a-1": "a", "a-2": "a", "b-1": "b"})
    assert track.participant("a").unique.rows == [("7", "y", 2.0, 2)]  # z is not relevant, x is b's, too
    assert track.participant("b").unique.rows == []
    assert track.participant("a").brought is None  # the depth of the pool is not known


def test_unjudged_documents_are_not_zero(holed: Track) -> None:
    """Guards the interval against the median: no labels of the unjudged documents take the difference out of it."""
    scores = matrix_of("P@10", 4)[1]
    runs, judged = worlds.world(5, 4)
    labels = {t: dict[str, int]() for t in scores.topics}
    for topic, doc, label in zip(judged.topic.strings(), judged.docs.strings(), judged.label, strict=True):
        labels[topic][doc] = int(label)
    documents = [f"d{i:02}" for i in range(worlds.DOCS)]
    rng = np.random.default_rng(1)
    for r in (r for team in holed.teams.names for r in holed.participant(team).results[0]):
        at = scores.systems.index(r.run)
        assert r.unjudged > 0
        assert r.to_median.low < r.to_median_by_labels.low  # type: ignore[operator]
        for case in range(4):
            full = {t: {d: of.get(d, int(rng.random() < case / 3)) for d in documents} for t, of in labels.items()}
            other = tg.evaluate(runs, full, "P@10")
            of = np.array([list(other.by_topic(s).values()) for s in other.systems], float)
            mean = float((of[at] - np.median(of, axis=0)).mean())
            assert r.to_median.low <= mean <= r.to_median.high  # type: ignore[operator]
            assert r.bounds is not None
            assert r.bounds[0] - 1e-9 <= of[at].mean() <= r.bounds[1] + 1e-9
    assert holed.participant("ada").results[1][0].bounds is None  # AP has no known bounds
    assert "were not judged" in read(participant_page(holed, "ada")).one("section", id="pool").text


@pytest.mark.parametrize("name", ["nDCG@2", "P@2", "RR@3"])
def test_bounds_to_the_median_hold_for_all_labels(name: str) -> None:
    """Guards bounds of the difference to the median by trying all labels of the unjudged documents of a topic.

    The bounds hold, and where two systems are all there are, some labels reach them.
    """
    for systems, seed in itertools.product((2, 3, 4), range(2)):
        rng = np.random.default_rng(seed)
        docs = [f"d{i}" for i in range(6)]
        runs = {f"s{k}": {"1": dict(zip(docs, rng.random(6).tolist(), strict=True))} for k in range(systems)}
        known = {"1": {d: int(rng.integers(0, 2)) for d in docs[:3]} | {"d9": 1}}
        measure = tg.parse_measure(name)
        filled = Filled.of(runs, known, measure, tg.Scoring())
        bounds = bounds_to_median(filled, measure)
        seen = []
        for labels in itertools.product((0, 1), repeat=3):
            scores = tg.evaluate(runs, {"1": known["1"] | dict(zip(docs[3:], labels, strict=True))}, name)
            seen.append(scores.matrix()[:, 0] - np.median(scores.matrix()[:, 0]))
        low, high = np.min(seen, axis=0), np.max(seen, axis=0)
        assert (bounds.least[:, 0] <= low + 1e-9).all()
        assert (bounds.most[:, 0] >= high - 1e-9).all()
        if systems == 2:
            np.testing.assert_allclose((bounds.least[:, 0], bounds.most[:, 0]), (low, high), atol=1e-9)


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_a_bound_that_is_the_same_on_all_topics_counts() -> None:
    """Guards the verdict: where unjudged documents can make all differences 0, no run is above the median."""
    hits = {str(t): t < 6 for t in range(12)}
    qrels = {t: {"x": int(hit), **({} if hit else {"y": 0})} for t, hit in hits.items()}
    runs = {name: {t: {doc: 1.0} for t in hits} for name, doc in (("good", "x"), ("p", "y"), ("q", "y"))}
    track = Track(runs, qrels, "P@1", teams={"good": "ada", "p": "bell", "q": "cole"})
    result = track.participant("ada").results[0][0]
    assert track.measures[0].bounds is not None
    assert not track.measures[0].bounds.least[track.measures[0].systems.index("good")].any()
    assert result.to_median_by_labels.verdict == "above"
    assert (result.to_median.low, result.to_median.verdict) == (0.0, "open")
    assert result.to_median.high == result.to_median_by_labels.high


def test_a_team_that_brought_the_whole_pool() -> None:
    """Guards the pool without a team: where it alone brought all judgments, nothing is left to score by."""
    topics = [str(t) for t in range(12)]
    runs = {
        "a": {t: {"x": 2.0, "y": 1.0} for t in topics},
        "b": {t: {"v": 2.0, "w" if t == "1" else "x": 1.0} for t in topics},
    }
    qrels = {t: {"x": int(int(t) % 3 > 0)} for t in topics}
    with pytest.warns(tg.DataWarning, match="12 documents in the first rank of pooled runs are unjudged"):
        track = Track(runs, qrels, "P@2", teams={"a": "ada", "b": "bell"}, pool_depth=1)
    own = track.participant("ada")
    assert (own.brought, own.brought_relevant, own.left_out) == (12, 8, ())
    assert "without this team there is no pool" in participant_page(track, "ada")
    assert track.participant("bell").left_out


def test_a_depth_that_the_judgments_do_not_bear_out() -> None:
    """Guards the warning of a pool that was shallower than said, and that what is unjudged was brought by nobody."""
    topics = [str(t) for t in range(12)]
    runs = {s: {t: {"x": 9.0, s: 8.0, f"{s}-u": 7.0} for t in topics} for s in ("a", "b")}
    qrels = {t: {"x": 1, "a": int(t) % 2, "b": 1} for t in topics}
    with pytest.warns(tg.DataWarning, match="24 documents in the first 3 ranks of pooled runs are unjudged"):
        track = Track(runs, qrels, "P@2", teams={"a": "ada", "b": "bell"}, pool_depth=3)
    assert track.participant("ada").brought == 12
    assert Track(runs, qrels, "P@2", teams={"a": "ada", "b": "bell"}, pool_depth=2).participant("ada").brought == 12


def test_other_teams_are_not_named(track: Track) -> None:
    """Guards anonymity: no other run or team is in the page, its data, or what it offers to take along."""
    others = [*(s for s, team in TEAMS.items() if team != "bell"), "ada", "curie"]
    text = unquote(participant_page(track, "bell", PageStyle(digests={s: (f"{s}.run", "0" * 64) for s in TEAMS})))
    assert "sys-2" in text
    assert [name for name in others if re.search(rf"\b{name}\b", text)] == []
    shown = unquote(participant_page(track, "bell", PageStyle(named=True)))
    assert f"best run: {track.measures[0].best_run} (curie)" in shown


def test_the_page_has_what_the_results_have(track: Track) -> None:
    """Guards the numbers on the page and in its data, in the order of the difference to the median."""
    tree = read(participant_page(track, "ada", PageStyle(title="A <track>")))
    own, m = track.participant("ada"), track.measures[0]
    assert [s.attributes["id"] for s in tree.every("section")] == ["runs", "topics", "pool", "made"]
    assert tree.one("h1").text.startswith(
        f"{own.runs[0]}, the best of ada's 2 runs, ranks {own.results[0][0].rank} of 5"
    )
    body = tree.one("section", id="topics").every("table")[0].one("tbody").every("tr")
    differences = [float(row.every("td")[1].text.replace("\N{MINUS SIGN}", "-")) for row in body]
    assert differences == sorted(differences, reverse=True)
    assert len(body) == len(m.topics)
    data = data_of(tree)["sections"]
    assert data["topics"]["nDCG@10"][0]["median"] == pytest.approx(float(m.median[0]))
    assert [r["rank"] for r in data["runs"]["measures"]["AP"]["runs"]] == [r.rank for r in own.results[1]]
    assert tree.one("div", class_="sk").text == "A <track>"


def test_pages_into_a_folder(track: Track, tmp_path: Path) -> None:
    """Guards a page a team with an index, an index that links to them, and the same bytes again."""
    pages = write_pages(track, tmp_path / "new" / "pages")
    assert [p.name for p in pages] == ["ada.html", "bell.html", "curie.html", "index.html"]
    before = {p.name: p.read_bytes() for p in pages}
    links = [a.attributes["href"] for a in read(pages[-1].read_text()).one("main").every("a")]
    assert links == ["curie.html", "ada.html", "bell.html"]  # by their best run
    assert {p.name: p.read_bytes() for p in write_pages(track, tmp_path / "new" / "pages")} == before
    assert [p.name for p in write_pages(track, tmp_path / "some", ["bell"])] == ["bell.html", "index.html"]


def test_names_of_pages() -> None:
    """Guards pages of teams whose names make the same file, or none, or the index."""
    names = page_names(["A B", "a-b", "???", "!!!", "index", "a-b-2"])
    assert len({name.lower() for name in names.values()} | {"index.html"}) == 7
    assert names["A B"] == "A-B.html"


def test_a_team_alone_and_systems_that_tie() -> None:
    """Guards a track in which nothing differs: no interval, no rank ruled out, no error."""
    qrels = {str(t): {"x": 1, "y": t % 2} for t in range(12)}
    runs = {name: {t: {"x": 2.0, "y": 1.0} for t in qrels} for name in ("a", "b")}
    track = Track(runs, qrels, "P@2", teams={"a": "one", "b": "one"}, pool_depth=2)
    first, second = track.participant("one").results[0]
    assert (first.rank, second.rank, first.equal, first.to_median.low) == (1, 1, 12, None)
    assert "one" in participant_page(track, "one")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs, judgments and teams as files."""
    runs, judged = worlds.world()
    tg.write_runs(runs, f"{tmp_path}/runs/")
    tg.write_judgments(judged, tmp_path / "true.qrels")
    (tmp_path / "teams.csv").write_text("".join(f"{a},{b}\n" for a, b in {"run": "team", **TEAMS}.items()))
    (tmp_path / "a_file").touch()
    return tmp_path


WORDS = ("participants", "true.qrels", "runs", "--teams", "teams.csv", "-m", "nDCG@10", "-m", "AP")


def test_the_command(run: Run, folder: Path, track: Track) -> None:
    """Guards `truegain participants`: the pages are those of Python but for the digests of what was read."""
    assert run(*WORDS, "--pool-depth", "5", "-o", "pages") == (0, "pages/index.html: 3 pages\n", "")
    assert run(*WORDS, "--pool-depth", "5", "--team", "bell", "-o", "bell.html") == (0, "bell.html: 1 page\n", "")
    page = (folder / "bell.html").read_text()
    assert page == (folder / "pages/bell.html").read_text()
    data, made = (data_of(read(text))["sections"] for text in (page, participant_page(track, "bell")))
    assert list(data["made"].pop("inputs")) == ["true.qrels", "runs/sys-2.run"]  # of own runs alone
    made["made"].pop("inputs")
    assert data == made
    code, out, _ = run(*WORDS, "--team", "bell", "--named", "-o", "-")
    assert code == 0
    assert "best run: sys-5 (curie)" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("participants", "true.qrels", "runs"), "--teams is missing"),
        ((*WORDS, "-o", "one.html"), "is one page, and no team is named"),
        ((*WORDS, "--team", "ada", "--team", "bell", "-o", "one.html"), "there are 2 teams (ada, bell)"),
        ((*WORDS, "--team", "nobody"), "teams.csv has no team 'nobody'; there are ada, bell, curie"),
        ((*WORDS, "-o", "teams.csv"), "this input is also the output"),
        ((*WORDS, "-o", "a_file"), "no folder can be made here: a file already has this name"),
        ((*WORDS, "-m", "GMAP"), "GMAP is not a mean over topics"),
        ((*WORDS, "--pool-depth", "0"), "--pool-depth"),
    ],
)
def test_what_is_refused(run: Run, folder: Path, words: tuple[str, ...], message: str) -> None:
    """Guards clear errors, before anything is written."""
    before = sorted(folder.iterdir())
    code, _, err = run(*words)
    assert code == 2
    assert re.search(message.replace("(", r"\(").replace(")", r"\)"), err), err
    assert sorted(folder.iterdir()) == before


def test_gold_labels_are_refused() -> None:
    """Guards that no corrected mean stands beside uncorrected topics."""
    runs, judged = worlds.world()
    bronze, gold = worlds.noisy(judged)
    with pytest.raises(tg.TruegainError, match="gold labels correct means, not single topics"):
        Track(runs, bronze, "P@10", teams=TEAMS, config=tg.StudyConfig(gold=tg.Gold(gold, design="random")))


def test_a_run_whose_ids_are_in_doubt() -> None:
    """Guards that nothing is claimed of a run of which next to no document was judged; its page says why."""
    runs, judged = worlds.world()
    odd = {f"{t:02}": {f"x{t}-{i}": 99.0 - i for i in range(30)} | {"d00": 1.0} for t in range(worlds.TOPICS)}
    odd["03"]["d01"] = 120.0
    with pytest.warns(tg.DataWarning, match="odd"):
        track = Track(
            tg.Runs.of([*runs.parts, *tg.Runs.of({"odd": odd}).parts]), judged, "AP", teams={**TEAMS, "odd": "dirac"}
        )
    result = track.participant("dirac").results[0][0]
    assert (result.in_doubt, result.to_median.verdict, result.on_median) == (True, "below", "open")
    assert (result.low_rank, result.high_rank) == (1, 6)
    assert "Run odd: " in read(participant_page(track, "dirac")).one("section", id="runs").text


def test_topics_that_a_run_lacks() -> None:
    """Guards that a missing topic is left out for all, or counts 0 with -c, and that the page says which."""
    runs, judged = worlds.world()
    part, some = runs.parts[1], dict[str, dict[str, float]]()
    for topic, doc, score in zip(part.topic.strings(), part.docs.strings(), part.score.tolist(), strict=True):
        if topic not in ("00", "01"):
            some.setdefault(topic, {})[doc] = score
    fewer = tg.Runs.of([*(x for x in runs.parts if x.system != "sys-2"), *tg.Runs.of({"sys-2": some}).parts])
    for all_topics, topics in ((False, worlds.TOPICS - 2), (True, worlds.TOPICS)):
        config = tg.StudyConfig(scoring=tg.Scoring(all_topics=all_topics))
        with pytest.warns(tg.DataWarning, match="sys-2"):
            track = Track(fewer, judged, "AP", teams=TEAMS, config=config)
        data = data_of(read(participant_page(track, "bell")))["sections"]
        rows = data["topics"]["AP"]
        assert len(rows) == topics
        assert [r["score"] for r in rows if r["topic"] in ("00", "01")] == [0, 0][: 2 * all_topics]
        assert data["made"]["options"]["all topics"] == ("yes" if all_topics else "no")
        assert "ties" not in data["made"]["options"]
    config = tg.StudyConfig(scoring=tg.Scoring(ties="input"))
    tied = data_of(read(participant_page(Track(runs, judged, "AP", teams=TEAMS, config=config), "bell")))["sections"]
    assert tied["made"]["options"]["ties"] == "input"


@pytest.mark.filterwarnings("ignore:.*was the pool shallower:truegain.errors.DataWarning")
def test_in_a_browser(chromium: Any, holed: Track, tmp_path: Path) -> None:
    """Guards the page as people open it: wide, dark, on a phone, on paper, without its script, and by axe-core."""
    from tests.report.looks import faults

    long = {"sys-1": "x" * 70, "sys-2": "b", "sys-3": "c", "sys-4": "a <b> & c", "sys-5": "e"}
    runs, judged = worlds.world(5, 4)
    named = Track(runs, judged, ["P@10", "AP"], teams=long, pool_depth=5)
    write_pages(holed, tmp_path / "p")
    write_pages(named, tmp_path / "q", ["x" * 70, "a <b> & c"], PageStyle(named=True))
    pages = [tmp_path / "p/ada.html", tmp_path / "p/index.html", *sorted((tmp_path / "q").glob("*.html"))]
    assert list(itertools.chain(*(faults(chromium, page) for page in pages))) == []
