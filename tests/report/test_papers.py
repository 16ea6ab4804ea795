"""Every paper's list of tables and figures, and the folder that `--all` makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from benchmarks.papers import COMMANDS, make

import truegain as tg
from tests.aggregation.test_rules import TABLE_1
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.report.test_paper_folder import dot, scores
from truegain.experiments.worlds import simulate
from truegain.experiments.worlds import texts as simulated_texts
from truegain.report import collection_paper, content_paper, judge_paper, magnitude_paper, unanimity_paper
from truegain.report.paper_folder import Exhibit, write_folder, write_index

# paper: its list, and the numbers of the tables and figures that it prints
PAPERS: dict[str, tuple[Sequence[Any], str, str]] = {
    "judge": (judge_paper.EXHIBITS, "2 3 4", "1 2"),  # table 1 is its notation
    "collection": (collection_paper.EXHIBITS, "1 2 3 4", "1 2 3 4"),
    "unanimity": (unanimity_paper.EXHIBITS, "1 2 3", ""),
    "content": (content_paper.EXHIBITS, "1 2 3 4", "1 2"),
    "magnitude": (magnitude_paper.EXHIBITS, "I II III IV", " ".join(str(n) for n in range(1, 16))),
}


def numbered(headings: Iterable[str], kind: str) -> set[str]:
    """The numbers that headings name: 1, 3 and 4 of 'Table 1 and figure 1' and 'Tables 3 and 4'."""
    found = (re.findall(rf"(?i)\b{kind}s? ((?:[IVX]+|\d+)\b(?: and (?:[IVX]+|\d+)\b)*)", text) for text in headings)
    return {number for texts in found for text in texts for number in text.split(" and ")}


@pytest.mark.parametrize("paper", PAPERS)
def test_each_numbered_table_and_figure_has_an_exhibit(paper: str) -> None:
    """Guards that a paper is whole: what it numbers is in the list, and each exhibit has files of its own."""
    exhibits, tables, figures = PAPERS[paper]
    headings = [one.heading for one in exhibits]
    assert numbered(headings, "table") == set(tables.split())
    assert numbered(headings, "figure") == set(figures.split())
    names = [one.name for one in exhibits]
    assert len(set(names)) == len(names)
    assert len(set(headings)) == len(headings)
    assert all(one.caption.endswith((".", '."')) for one in exhibits)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs, their judgments and a noisy judge's."""
    folder = tmp_path_factory.mktemp("papers")
    world = simulate(topics=12, systems=3, docs=60, depth=30, pool_depth=20, seed=1)
    tg.write_runs(world.runs, f"{folder}/runs/")
    for name, labels in (("gold", world.gold), ("noisy", world.noisy)):
        tg.write_judgments(labels, folder / f"{name}.qrels")
    return folder


def commands_of(page: Path) -> list[str]:
    """The commands that a page shows, one below each exhibit."""
    return re.findall(r"<code>(truegain [^<]+)</code>", page.read_text())


def test_what_the_paper_has_stands_beside_its_own_counts_alone() -> None:
    """Guards captions of `experiment judge --all`: numbers of the paper are none of a user's data."""
    published = judge_paper.JudgePaper.of(trials=100).exhibits()
    assert all("The paper" in one.caption for one in published)
    own = judge_paper.JudgePaper({}).exhibits()
    assert [one.caption for one in own if "The paper" in one.caption] == []
    assert [a.caption.startswith(b.caption) for a, b in zip(published, own, strict=True)] == [True] * len(published)


@pytest.mark.slow
def test_the_judge_paper_whole(run: Run, folder: Path) -> None:
    """Guards `experiment judge --all`: the paper's counts without data, own data, and what these lack."""
    code, out, err = run("experiment", "judge", "--resamples", "100", "--all", "-o", "published")
    assert (code, out) == (0, "Written: published/index.html: 8 tables, 1 figure\n"), err
    assert {p.stem for p in (folder / "published").glob("*.csv")} == {one.name for one in judge_paper.EXHIBITS}
    alone = run("experiment", "judge", "--resamples", "100", "--show", "corrected", "--format", "csv")[1]
    assert (folder / "published" / "section-7-corrected.csv").read_text() == alone
    assert "of the counts that the paper prints." in (folder / "published" / "index.html").read_text()
    own = ("experiment", "judge", "noisy.qrels", "runs", "--gold", "gold.qrels", "--design", "random", "-m", "P@5")
    code, out, err = run(*own, "--resamples", "100", "--all", "-o", "own")
    assert code == 0, err
    assert out == "Written: own/index.html: 7 tables, 1 figure; 1 not made, and the page says why\n"
    page = folder / "own" / "index.html"
    assert "Not made: it needs ratings by several assessors: give a file with a column assessor." in page.read_text()
    for command in commands_of(page)[:2]:  # table 2, figure 1
        name = {"confusion": "table-2", "dcg": "figure-1"}[command.split()[-1]]
        code, out, err = run(*command.split()[1:], "--format", "csv")
        assert (code, out) == (0, (folder / "own" / f"{name}.csv").read_text()), err
    for words, fault in (
        (("--all",), "--all writes a folder of every table and figure; name it"),
        (("--all", "-o", "no", "--show", "power"), "leave --show out"),
    ):
        code, _, err = run("experiment", "judge", *words)
        assert code == 2
        assert fault in err
    assert not (folder / "no").exists()


@pytest.mark.slow
def test_the_collection_paper_whole(run: Run, folder: Path) -> None:
    """Guards `experiment split-half --all`: four tables and four figures, each as its own command makes it."""
    words = ("experiment", "split-half", "gold.qrels", "runs", "--resamples", "40", "--repeat", "2", "--seed", "3")
    code, out, err = run(*words, "--all", "-o", "halves")
    assert (code, out) == (0, "Written: halves/index.html: 5 tables, 4 figures\n"), err
    page = folder / "halves" / "index.html"
    assert "3 systems, 2 splits of the collection, 40 collections drawn of each half." in page.read_text()
    found = commands_of(page)
    assert [command.split()[-1] for command in found] == ["pilot", "small-r", "means", "systems", "whole"]
    for command, exhibit in zip(found, collection_paper.EXHIBITS, strict=True):
        code, out, err = run(*command.split()[1:], "--format", "csv")
        assert (code, out) == (0, (folder / "halves" / f"{exhibit.name}.csv").read_text()), err
    code, _, err = run(*words, "--split", "topics", "--all", "-o", "no")
    assert code == 2
    assert "--all is about halves of the collection; leave out --split topics" in err


def test_the_unanimity_paper_whole(run: Run, folder: Path) -> None:
    """Guards `experiment unanimity-grid --all`: table 1 as printed, tables 2 and 3 as the command alone makes them."""
    words = ("experiment", "unanimity-grid", "gold.qrels", "runs", "--dmax", "2", "--simulated-assessors", "5,20")
    code, out, err = run(*words, "--resamples", "40", "-m", "nG@1", "--all", "-o", "unanimity")
    assert (code, out) == (0, "Written: unanimity/index.html: 4 tables, 1 figure\n"), err
    place = folder / "unanimity"
    printed = unanimity_paper.items_table().rows
    assert [tuple(map(int, str(row[1]).split())) for row in printed] == list(TABLE_1)
    assert [row[3] for row in printed] == [0, 2, 3, 0, 3, 2, 1]
    for row, (raw, *others) in zip(printed, TABLE_1.values(), strict=True):
        assert row[2] == raw
        assert [round(float(str(x)), 1) for x in row[4:]] == others
    _, numbers, changed = commands_of(place / "index.html")
    for command, name in ((numbers, "table-2-numbers"), (changed, "table-3")):
        code, out, err = run(*command.split()[1:])
        assert (code, out) == (0, (place / f"{name}.csv").read_text()), err
    code, _, err = run(*words, "--all", "-o", "no", "--figure", "x.svg")
    assert code == 2
    assert "leave --figure out" in err


@pytest.mark.slow
def test_the_content_paper_whole(run: Run, folder: Path) -> None:
    """Guards `experiment disjoint --all`: four tables and two figures, each as its own command makes it."""
    texts = simulated_texts(topics=12, docs=60, seed=1)
    (folder / "docs.jsonl").write_text("".join(json.dumps({"id": d, "text": t}) + "\n" for d, t in texts.items()))
    assert run("text", "index", "docs.jsonl", "-o", "corpus")[0] == 0
    words = ("experiment", "disjoint", "gold.qrels", "runs", "--corpus", "corpus", "--against", "nDCG@20", "--against",
             "AP", "-m", "AbsRB@20", "--share-a", "0.4")  # fmt: skip
    code, out, err = run(*words, "--keep", "50,100", "--all", "-o", "content")
    assert (code, out) == (0, "Written: content/index.html: 5 tables, 3 figures\n"), err
    found = commands_of(folder / "content" / "index.html")
    for command, exhibit in zip(found, content_paper.EXHIBITS, strict=True):
        code, out, err = run(*command.split()[1:], "--format", "csv")
        assert (code, out) == (0, (folder / "content" / f"{exhibit.name}.csv").read_text()), err
    code, _, err = run(*words, "--keep", "50")
    assert code == 2
    assert "--keep is about figure 1; give --all" in err


def test_a_page_over_the_papers(tmp_path: Path) -> None:
    """Guards the page of `make papers`: it links what each folder shows, and shows its pictures."""
    drawn = Exhibit("figure-2", "Figure 2 & more", "A dot.", scores, dot)
    plain = Exhibit("table-1", "Table I", "Scores.", scores)
    write_folder(tmp_path / "first", "One <paper>", [plain, drawn])
    write_folder(tmp_path / "second", "Another", [plain])
    (tmp_path / "first" / "mine.svg").write_text("<svg/>")
    page = write_index(tmp_path, "Papers", ["first", "second"], ["Of <some> data."])
    assert page == tmp_path / "index.html"
    text = page.read_text()
    assert re.findall(r'(?:href|src)="([^"]+)"', text) == [
        "first/index.html", "first/index.html#table-1", "first/index.html#figure-2", "first/index.html#figure-2",
        "first/figure-2.svg", "second/index.html", "second/index.html#table-1",
    ]  # fmt: skip
    for told in (">One &lt;paper&gt;</a>", ">Figure 2 &amp; more</a>", ">Another</a>", "Of &lt;some&gt; data."):
        assert told in text
    with pytest.raises(tg.InputError, match="no page of a paper is here"):
        write_index(tmp_path, "Papers", ["first", "none"])


@pytest.mark.slow
def test_papers_of_simulated_data(tmp_path: Path) -> None:
    """Guards what `make papers` runs: the demo, each command in the folder, and the page over them."""
    page = make(tmp_path, {"judge": "judge --resamples 100", "own": f"{COMMANDS['judge-simulated']} --resamples 100"})
    assert page.read_text().count(">Noisy judgments: tables and figures") == 2
    assert (tmp_path / "own" / "table-4.csv").is_file()


def test_every_paper_is_made() -> None:
    """Guards `make papers`: each list of exhibits here belongs to one of its commands."""
    assert len({words.split()[0] for words in COMMANDS.values()}) == len(PAPERS)
