"""A section of the report is one function and one line in the catalogue: a toy one stands on a page."""

from __future__ import annotations

from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.report import worlds
from tests.report.reading import data_of, read
from truegain.report.facts import Facts
from truegain.report.html import Section, paragraph
from truegain.report.sections import catalogue


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs and judgments as files."""
    runs, judged = worlds.world(4)
    tg.write_runs(runs, f"{tmp_path}/runs/")
    tg.write_judgments(judged, tmp_path / "true.qrels")
    return tmp_path


def test_a_new_section_is_one_function_and_one_line(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the catalogue of sections: one more entry has a place, a number, a link and data on the page."""

    def toy(facts: Facts) -> Section | None:
        body = paragraph(f"{facts.topics} topics, by a toy.", class_="lede")
        return Section("toy", "A toy", "Toy", body, {"topics": facts.topics})

    def absent(facts: Facts) -> Section | None:
        return None if facts.topics else Section("absent", "Absent", "Absent", paragraph("never"))

    first, *others = catalogue.SECTIONS
    monkeypatch.setattr(catalogue, "SECTIONS", (first, toy, absent, *others))
    assert run("report", "true.qrels", "runs", "-m", "P@10", "-o", "page.html")[0] == 0
    tree = read((folder / "page.html").read_text())
    assert [s.attributes["id"] for s in tree.every("section")][:3] == ["verdict", "toy", "health"]
    assert tree.one("section", id="toy").one("h2").text == "2 A toy"
    assert "topics, by a toy." in tree.one("section", id="toy").one("p", class_="lede").text
    assert [a.text for a in tree.one("nav").every("a")][1] == "Toy"
    assert data_of(tree)["sections"]["toy"]["topics"] > 0
    assert "absent" not in data_of(tree)["sections"]
