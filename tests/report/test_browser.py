"""Reports opened in Debian's Chromium, as people open them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.report import studies, worlds
from tests.report.browser import READY, Chromium, Tab, missing
from tests.report.looks import faults
from truegain.report.page.page import page


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """One browser for all tests; where it was installed for them, it must be there."""
    if why := missing():
        (pytest.fail if READY.exists() else pytest.skip)(why)
    browser = Chromium()
    yield browser
    browser.close()


def test_the_demo(chromium: Chromium, tmp_path: Path) -> None:
    """Guards the page everybody sees first: no request, no word on the console, nothing axe-core finds, all looks."""
    assert faults(chromium, studies.demo(tmp_path)) == []


@pytest.mark.parametrize("made", [studies.trec8, studies.dl19, studies.cystic], ids=lambda f: f.__name__)
def test_real_collections(
    made: Callable[[Path, Path, studies.Unpacked], Path],
    chromium: Chromium,
    shared_data: Path,
    unpacked: studies.Unpacked,
    tmp_path: Path,
) -> None:
    """Guards pages of 129 systems, of a judge with gold, and of four judges, as that of the demo; under 3 MB."""
    report = made(tmp_path, shared_data, unpacked)
    assert faults(chromium, report) == []
    assert report.stat().st_size < 3e6


def test_faults_are_found(chromium: Chromium, tmp_path: Path) -> None:
    """Guards the checks themselves: a page with one fault of every kind."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Bad</title>"
        "<style>@media print{.p{display:none}}</style></head><body><main><h1>Bad</h1><section id=s><h2>S</h2>"
        "<img src='http://127.0.0.1:9/x.png'><p style='color:#aaa'>pale</p><div style='width:500px'>wide</div>"
        "<details><summary>more</summary><h3 class=p>heading</h3></details>"
        "<table style='table-layout:fixed;width:40px'><tr><td>unbreakable</td></tr></table>"
        "<div class=col style='width:120px'><p style='width:60px;overflow-wrap:anywhere'>input.READWARE2</p>"
        "<table style='width:130px'><tr><td class=p><svg class=r width=50></svg></td></tr></table></div>"
        "<p id=t></p></section></main><script>console.error('oh');"
        "document.getElementById('t').textContent = 'only so';"
        "document.documentElement.className = 'js'</script></body></html>"
    )
    found = faults(chromium, bad)
    for expected in (
        "wide: request: http://127.0.0.1:9/x.png",
        "wide: console: error: ['oh']",
        "narrow: 108 px too wide when folded",
        "narrow: runs out of its place: s: unbreakable",
        "wide: broken: s: input.READWARE2",
        "printed: broken: s: input.READWARE2",
        "narrow: past its column: TABLE of s",
        "narrow: 50 px for a plot of s",
        "without script: other words than with it",
        "printed: not to be seen: H3 of s",
    ):
        assert expected in found
    assert any(x.startswith("dark: axe serious color-contrast") for x in found)
    assert any(x.startswith("wide: axe critical image-alt") for x in found)


@pytest.mark.smoke
def test_no_word_of_a_figure_is_cut(chromium: Chromium, tmp_path: Path) -> None:
    """Guards figures of notebooks: room is measured where they are drawn, with other fonts than the browser's."""
    runs, judged = worlds.world(2)
    bronze, gold = worlds.noisy(judged)
    study = worlds.study_of(runs, bronze, gold=gold, design="random")
    study.verdict(*study.systems).plot(tmp_path / "figure.svg")
    with Tab(chromium, tmp_path / "figure.svg") as tab:
        words = tab.evaluate(
            "(() => {const s = document.documentElement.getBoundingClientRect(); "
            "return [...document.querySelectorAll('text')].map(t => {const r = t.getBoundingClientRect(); "
            "return [t.textContent, r.left - s.left, s.right - r.right]})})()"
        )
    assert "uncorrected" in [word for word, *_ in words]
    assert [word for word, *room in words if min(room) < 0] == []


def test_what_the_script_adds(chromium: Chromium, tmp_path: Path) -> None:
    """Guards sorting, finding and naming in a page of 129 systems, which no test without a browser can see."""
    report = tmp_path / "many.html"
    report.write_text(page(worlds.many(129)), encoding="utf-8")
    first = "document.querySelector('#systems table.lb tbody th').textContent"
    with Tab(chromium, report) as tab:
        best = tab.evaluate(first)
        tab.evaluate("document.querySelectorAll('#systems table.lb thead button')[2].click()")  # by score, least first
        least = tab.evaluate("[...document.querySelectorAll('#systems table.lb')[0].rows].at(-1).cells[1].textContent")
        assert least == best
        assert tab.evaluate("document.querySelectorAll('#systems table.lb th')[2].ariaSort") == "ascending"
        tab.evaluate("document.getElementById('find-system').focus()")
        tab.call("Input.insertText", text="team7-")
        names = [f"team{i % 40}-run-{i:04}" for i in range(129)]
        assert tab.evaluate("document.querySelector('.find [role=status]').textContent") == (
            f"{sum('team7-' in n for n in names)} found"
        )
        tab.evaluate("document.querySelector('svg.cells-svg').scrollIntoView({block: 'center'})")
        box = tab.evaluate("document.querySelector('svg.cells-svg').getBoundingClientRect().toJSON()")
        x, y = box["x"] + box["width"] * 128.5 / 129, box["y"] + box["height"] * 0.5 / 129
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        ranking = worlds.many(129).main.ranking.systems
        tip = tab.evaluate("document.querySelector('.tip:not([hidden])').textContent")
        assert tip.startswith(f"{ranking[0]} (1), {ranking[128]} (129): ")
        assert tab.said == []


CROSSED = """[...document.querySelectorAll('svg.big')].flatMap((svg) => [...svg.querySelectorAll('line.zero, line.del')]
  .filter((l) => [...svg.querySelectorAll('text.halo')].some((t) => {
    const a = l.getBoundingClientRect(), b = t.getBoundingClientRect();
    return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
  }))).length"""
CUT = "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth + 1).length"
SHOWN = "[...document.querySelectorAll('#apart figure:first-of-type .cells td')].filter((e) => e.offsetHeight).length"


def test_on_a_phone_no_pair_is_cut_off_and_no_line_runs_through_words(chromium: Chromium, tmp_path: Path) -> None:
    """Guards 390 pixels: the matrix becomes a list with all its pairs, and 0 stands beside words, not in them."""
    studies.truegain(tmp_path, "demo", "demo")
    folder = tmp_path / "demo"
    two = ("runs/system-4.run", "runs/system-5.run", "-m", "P@10", "--min-effect", "0.02", "-o", "two.html")
    studies.truegain(folder, "report", "gold.qrels", *two)
    studies.truegain(folder, "report", "gold.qrels", "runs", "-m", "P@10", "-o", "all.html")
    for width in (390, 1280):
        with Tab(chromium, folder / "two.html", width) as tab:
            assert tab.evaluate("document.querySelectorAll('svg.big line.zero').length") == 1
            assert tab.evaluate(CROSSED) == 0
        with Tab(chromium, folder / "all.html", width) as tab:
            assert tab.evaluate(CUT) == 0
            assert tab.evaluate(SHOWN) == 28 + (21 if width > 390 else 0)  # empty cells of the matrix
