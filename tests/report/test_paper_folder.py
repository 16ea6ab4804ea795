"""A folder of a paper's tables and figures, and its page."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.report.browser import Chromium, Tab
from tests.report.test_browser import chromium as chromium
from truegain.errors import TruegainError
from truegain.experiments.worlds import magnitude_ratings, runs_over
from truegain.report.charts import limits_chart
from truegain.report.magnitude_paper import EXHIBITS
from truegain.report.paper_folder import SHOWN, Exhibit, write_folder
from truegain.results.base import Table


def lacking() -> Table:
    """A table that cannot be made."""
    raise TruegainError("there is no column 'anchor'; add one")


def scores(rows: int = 3) -> Table:
    """A table with a name that is markup."""
    return Table(("system", "AP"), [(f"<b>{i}", i / 8) for i in range(rows)], notes=("of <i>two</i> topics",))


def dot() -> Any:
    """A small figure."""
    return limits_chart([{"name": "a", "value": 0.5}], "AP", "score")


def test_files_and_page(tmp_path: Path) -> None:
    """Guards what is written: a CSV a table, an SVG a figure, all of it shown on one page that needs nothing else."""
    long = Exhibit("table-2", "Table II", "Many.", lambda: scores(SHOWN + 4))
    drawn = Exhibit("figure-1", "Figure 1", "A <dot> & a line.", scores, dot, "truegain eval a.qrels b.run")
    written = write_folder(tmp_path / "new" / "paper", "A <paper>", [drawn, long], ["Of <some> data."])
    folder = tmp_path / "new" / "paper"
    assert written.page == folder / "index.html"
    assert sorted(p.name for p in folder.iterdir()) == ["figure-1.csv", "figure-1.svg", "index.html", "table-2.csv"]
    assert (folder / "figure-1.csv").read_text() == "system,AP\n<b>0,0.0\n<b>1,0.125\n<b>2,0.25\n"
    assert len((folder / "table-2.csv").read_text().splitlines()) == SHOWN + 5
    page = written.page.read_text()
    assert "<b>" not in page
    assert "A &lt;paper&gt;" in page
    assert "of &lt;i&gt;two&lt;/i&gt; topics" in page
    assert "<figcaption>A &lt;dot&gt; &amp; a line.</figcaption>" in page
    assert "<code>truegain eval a.qrels b.run</code>" in page
    assert "4 more rows are in the CSV file." in page
    (picture,) = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert base64.b64decode(picture) == (folder / "figure-1.svg").read_bytes()
    links = re.findall(r'(?:href|src)="([^"]+)"', page)
    files = [link for link in links if not link.startswith(("#", "data:"))]
    assert files == ["figure-1.csv", "figure-1.svg", "table-2.csv"]
    ids = set(re.findall(r'id="([^"]+)"', page))
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    assert str(written) == f"{written.page}: 2 tables, 1 figure"


def test_what_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Guards data that lack something: the page says why, the rest is there, and no file of an earlier time stays."""
    (tmp_path / "table-1.csv").write_text("old")
    (tmp_path / "mine.txt").write_text("mine")
    exhibits = [
        Exhibit("table-1", "Table I", "Lacking.", lacking, lambda: pytest.fail("drawn without its table")),
        Exhibit("figure-2", "Figure 2", "No figure.", scores, lacking),
    ]
    written = write_folder(tmp_path, "A paper", exhibits)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["figure-2.csv", "index.html", "mine.txt"]
    assert written.lacking == tuple(f"{h}: there is no column 'anchor'; add one" for h in ("Table I", "Figure 2"))
    assert written.page.read_text().count("Not made: there is no column &#x27;anchor&#x27;; add one.") == 2
    assert str(written).endswith("1 table, 0 figures; 2 not made, and the page says why")


def test_mistakes_are_told(tmp_path: Path) -> None:
    """Guards names that are no names of files, two of the same, and a folder that is a file."""
    for names, fault in ((["a/b"], "names no file"), (["Table"], "names no file"), (["a", "a"], "two exhibits")):
        with pytest.raises(TruegainError, match=fault):
            write_folder(tmp_path / "out", "A paper", [Exhibit(n, "A", "B.", scores) for n in names])
    assert not (tmp_path / "out").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(tg.InputError, match="no folder can be made here: a file already has this name"):
        write_folder(tmp_path / "file", "A paper", [])
    with pytest.raises(tg.InputError, match="folders are written locally only"):
        write_folder("s3://bucket/paper", "A paper", [])


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Magnitudes, two experts and runs."""
    folder = tmp_path_factory.mktemp("magnitudes")
    world = magnitude_ratings(topics=4, docs=24, workers=4, seed=3)
    tg.write_judgments(world.ratings, folder / "magnitudes.csv")
    tg.write_judgments(world.expert, folder / "expert.qrels")
    rows = [line.split() for line in (folder / "expert.qrels").read_text().splitlines()]
    (folder / "second.qrels").write_text("".join(f"{t} 0 {d} {int(int(x) > 1)}\n" for t, _, d, x in rows))
    tg.write_runs(runs_over(world.truth, systems=5, seed=3), f"{folder}/runs/")
    return folder


@pytest.mark.slow
def test_the_magnitude_paper_whole(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards `experiment magnitudes --all`: every exhibit of the paper has its file, table IV both halves."""
    monkeypatch.chdir(folder)
    words = ["experiment", "magnitudes", "magnitudes.csv", "runs", "--expert", "expert.qrels", "--resamples", "20"]
    code, out, err = run(*words, "--second", "second.qrels", "--simulated", "6", "--all", "-o", "whole")
    assert code == 0, err
    assert out == "Written: whole/index.html: 24 tables, 21 figures\n"
    assert {p.stem for p in Path("whole").glob("*.csv")} == {shown.name for shown in EXHIBITS}
    rows = [line.split(",") for line in Path("whole/table-4.csv").read_text().splitlines()]
    assert [r[0] for r in rows[1:]] == ["runs"] * 8 + ["6 merged"] * 8
    assert rows[0][-2:] == ["overlap", "jaccard"]
    alone = run(*words[:4], "--expert", "second.qrels", "--resamples", "20", "--show", "systems", "--format", "csv")[1]
    assert [",".join(r[1:]) for r in rows[:9]] == alone.splitlines()
    page = Path("whole/index.html").read_text()
    found = re.findall(r"<code>(truegain experiment [^<]+)</code>", page)
    assert all("magnitudes.csv runs --resamples 20 --expert" in command for command in found)
    for command in found[:3]:
        assert run(*command.split()[1:])[0] == 0, command
    # without runs and a second expert what needs them is not there, and the page says so
    code, out, err = run(*words[:3], "--expert", "expert.qrels", "--resamples", "20", "--all", "-o", "part")
    assert code == 0, err
    assert out == "Written: part/index.html: 15 tables, 13 figures; 7 not made, and the page says why\n"
    assert "Not made: no second expert is given" in Path("part/index.html").read_text()


def test_the_page_in_a_browser(chromium: Chromium, tmp_path: Path) -> None:
    """Guards the page as it is seen: pictures are drawn, nothing is wider than a phone, and axe finds no fault."""
    exhibits = [
        Exhibit("figure-1", "Figure 1", "A dot.", scores, dot),
        Exhibit("table-1", "Table I", "Wide.", lambda: Table(tuple(f"column {i}" for i in range(30)), [(0.5,) * 30])),
    ]  # fmt: skip
    write_folder(tmp_path, "A paper", exhibits, ["Of data."])
    with Tab(chromium, tmp_path / "index.html", 390, 800) as tab:
        assert tab.evaluate("document.images[0].naturalWidth") > 100
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert [url for url in tab.requests if not url.startswith(("file:", "data:"))] == []
        assert (tab.said, tab.axe()) == ([], [])
