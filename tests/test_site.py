"""The site: links that lead somewhere, no request to another host, search from disk, and pages that all can read."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from posixpath import dirname, normpath
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest

import truegain as tg
from tests.report.browser import Chromium, Tab
from tests.report.test_browser import chromium as chromium

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
BUILT = ROOT / "build" / "site"  # by `make site`
SOURCES = ("docs/**/*.md", "docs/conf.py", "docs/_static/*", "tools/**/*.py", "src/truegain/**/*.py")
KINDS = (  # a page of each kind; those that others write are found by what is there
    "index.html", "reference/index.html", "reference/commands/verdict.html", "reference/commands/index.html",
    "reference/api/index.html", "reference/api/truegain.Study.html", "reference/api/truegain.compare.html",
    "reference/api/Verdict.html", "reference/measures.html", "reference/study-file.html", "reference/errors/files.html",
    "reference/glossary.html", "reference/formats.html", "reference/python.html",
)  # fmt: skip
FIRST_OF = ("start", "tutorials", "howto", "explanation", "evidence", "about")  # folders, of which one page is seen
WIDTHS = {"wide": 1280, "phone": 390}
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}
ANSWERED = 30.0  # seconds until results of a search are there


# ---------------------------------------------------------------------- the site, built once


def is_current() -> bool:
    """Whether `make site` built what is here."""
    made = BUILT / "ready"
    if not made.exists():
        return False
    newest = max(path.stat().st_mtime for pattern in SOURCES for path in ROOT.glob(pattern))
    return newest <= made.stat().st_mtime


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site: that of `make site`, or built here, once for all processes of a test run."""
    pytest.importorskip("sphinx", reason="no Sphinx: pip install 'truegain[test]'")
    if is_current():
        return BUILT
    ours = tmp_path_factory.getbasetemp()
    beside = ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours
    folder = beside / "site"
    with (beside / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "objects.inv").exists():
            words = [
                "-q",
                "-W",
                "--keep-going",
                "-n",
                "-b",
                "html",
                "-d",
                str(beside / "site-pages"),
                "docs",
                str(folder),
            ]
            done = subprocess.run([sys.executable, "-m", "sphinx", *words], cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    return folder


def seen_pages(site: Path) -> list[str]:
    """A page of each kind."""
    found = [name for name in KINDS if (site / name).exists()]
    for folder in FIRST_OF:
        pages = sorted(p.relative_to(site).as_posix() for p in (site / folder).glob("*.html"))
        found += [p for p in pages if not p.endswith("/index.html")][:1] or pages[:1]
    return found


TAG = re.compile(r"<([a-z][a-z0-9]*)((?:\s+[^\s=<>\"'/]+(?:=(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)+)\s*/?>")
ATTRIBUTE = re.compile(r"\s+([^\s=<>\"'/]+)(?:=(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
SAID_ELSEWHERE = ("canonical", "search", "index", "next", "prev", "author")  # kinds of <link> that fetch nothing


class Links:
    """Where a page leads to, what it fetches, and which of its places can be led to.

    By regular expressions, as a parser takes four times as long for pages that one program writes.
    """

    def __init__(self, page: Path) -> None:
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        text = re.sub(r"<!--.*?-->|(?<=<script>).*?(?=</script>)", "", page.read_text(encoding="utf-8"), flags=re.S)
        for tag, attributes in TAG.findall(text):
            told = {name: unescape(a or b or c) for name, a, b, c in ATTRIBUTE.findall(attributes)}
            self.anchors |= {told[name] for name in ("id", "name") if told.get(name)}
            if tag == "a" and "href" in told:
                self.links.append(told["href"])
            elif tag == "link" and told.get("rel") not in SAID_ELSEWHERE:
                self.fetched.append(told.get("href", ""))
            elif "src" in told:
                self.fetched.append(told["src"])


def test_links_lead_to_a_file_and_an_anchor(site: Path) -> None:
    """Guards every link inside the site, those that templates make as well, and what pages fetch."""
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    pages = {at: Links(path) for at, path in files.items() if path.suffix == ".html" and "_static" not in path.parts}
    assert len(pages) > 100
    lost, foreign = [], []
    for path, found in pages.items():
        for link in (*found.links, *found.fetched):
            parts = urlsplit(link)
            if parts.scheme in ("data", "mailto", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                foreign += [f"{path}: {link}"] if link in found.fetched else []
                continue
            target = normpath(f"{dirname(path) or '.'}/{unquote(parts.path)}") if parts.path else path
            other = pages.get(target)
            gone = target not in files or (parts.fragment and other and unquote(parts.fragment) not in other.anchors)
            lost += [f"{path}: {link}"] if gone else []
    assert lost == []
    assert foreign == []


def test_stylesheets_ask_for_nothing_elsewhere(site: Path) -> None:
    """Guards fonts and imports: no address in a stylesheet names a host."""
    asked = [
        f"{path.name}: {address}"
        for path in site.rglob("*.css")
        for address in re.findall(
            r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')\s]+)", path.read_text(errors="replace")
        )
    ]
    assert asked == []


def documented(site: Path) -> set[str]:
    """The Python names that the site describes, by Sphinx's own list."""
    data = (site / "objects.inv").read_bytes()
    lines = zlib.decompress(data.split(b"\n", 4)[4]).decode().splitlines()
    return {line.split()[0] for line in lines if re.match(r"\S+ py:", line)}


def test_every_public_name_has_its_place(site: Path) -> None:
    """Guards the API reference: each public name of the package and of its modules is described."""
    from truegain import experiments, llm, testing, text

    named = {f"truegain.{name}" for name in dir(tg) if name != "__version__"}
    for module in (experiments, llm, testing, text):
        names = set(module.__all__) - set(dir(tg))
        named |= {f"truegain.{module.__name__.rpartition('.')[2]}.{name}" for name in names}
    shown = {name.rpartition(".")[2] for name in documented(site)}
    assert {name for name in named - documented(site) if name.rpartition(".")[2] not in shown} == set()
    assert {name for name in named - documented(site) if name.count(".") == 1} == set()


ASKED = {  # what newcomers type, and a page that has to be among the first three that the search lists
    "how many topics do I need": "howto/plan",
    "is my LLM judge good enough": "howto/check-judge",
    "can I trust my LLM judge": "howto/check-judge",
    "compare two runs": "howto/verdict",
    "is B better than A": "howto/verdict",
    "which retriever is better": "tutorials/rag",
    "noisy labels": "howto/check-judge",
    "unjudged documents": "howto/unjudged",
    "promptfoo": "howto/logs",
    "ragas": "howto/logs",
    "hallucination": "howto/answers",
    "what is tau": "reference/glossary#term-Kendall-s-tau",
    "what is a qrels file": "reference/glossary#term-Qrels",
    "p-value": "reference/glossary#term-P-value",
    "how many labels do I need": "howto/labels",
    "which documents should I label next": "howto/labels",
    "is the difference significant": "explanation/tests",
    "multiple comparisons": "explanation/tests",
    "sample size": "howto/plan",
    "statistical power": "reference/glossary#term-Power",
    "how to run in CI": "howto/gate",
    "github actions": "howto/gate#github-actions",
    "pytest": "howto/pipelines",
    "trec_eval": "howto/coming-from/trec_eval",
    "crowdsourcing": "tutorials/crowd",
    "inter-annotator agreement": "howto/assessors",
    "latex table": "howto/tables",
    "my csv": "start/first-verdict",
    "what does inconclusive mean": "howto/gate",
    "nDCG": "reference/measures#ndcg",
    "install": "start/install",
    "cite": "about/cite",
}
SEARCHED = """
const window = globalThis, ready = [];
const document = {addEventListener: (_, f) => ready.push(f)};
const Search = {_performSearch: () => [], setIndex(index) { this._index = index; }};
"""


def test_plain_questions_find_their_page(site: Path, tmp_path: Path) -> None:
    """Guards newcomers: the right page is among the first three, for words that pages may not have."""
    node = shutil.which("node") or pytest.skip("no node here")
    static = ("base-stemmer", "english-stemmer", "language_data", "messages", "search-pages")
    parts = [SEARCHED, *((site / "_static" / f"{name}.js").read_text(encoding="utf-8") for name in static)]
    ask = f"{json.dumps([*ASKED])}.map((q) => Search._performSearch(q).reverse().slice(0, 3).map((r) => r[0] + r[2]))"
    last = f"ready.forEach((f) => f()); console.log(JSON.stringify({ask}));"
    script = "\n".join([*parts, (site / "searchindex.js").read_text(encoding="utf-8"), last])
    (tmp_path / "search.js").write_text(script, encoding="utf-8")
    done = subprocess.run([node, tmp_path / "search.js"], capture_output=True, text=True, check=True)
    found = dict(zip(ASKED, json.loads(done.stdout), strict=True))
    wrong = {q: firsts for q, firsts in found.items() if not any(one.startswith(ASKED[q]) for one in firsts)}
    assert wrong == {}


def test_search_leads_to_places_that_are_there(site: Path) -> None:
    """Guards the lines and terms that the search knows: each page and place is on the site."""
    made = (site / "_static" / "messages.js").read_text(encoding="utf-8")
    known = json.loads(made.partition("const QUESTIONS = ")[2].partition(";\n")[0])
    pages = {name: Links(site / f"{name}.html").anchors for name in {name for name, *_ in known}}
    assert len(known) > 150
    assert [(name, place) for name, place, *_ in known if place and place not in pages[name]] == []


# ---------------------------------------------------------------------- in a browser


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that logs nothing."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served_at(site: Path) -> Iterator[str]:
    """The address of a server of the site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def elsewhere(requests: list[str], at: str) -> list[str]:
    """Requests that go to another host, or to files outside the site."""
    return [url for url in requests if not url.startswith((at, "data:", "blob:", "about:"))]


def test_no_page_asks_another_host(chromium: Chromium, site: Path, served_at: str) -> None:
    """Guards reading without a network, and privacy: pages from disk and from a server ask for their own files only."""
    asked, said = [], []
    for name in seen_pages(site):
        for at in (site.as_uri(), served_at):
            with Tab(chromium, f"{at}/{name}") as tab:
                tab.evaluate("new Promise((done) => setTimeout(done, 200))")
                assert len(tab.requests) > 3
                asked += elsewhere(tab.requests, at)
                said += [f"{name}: {line}" for line in tab.said if line.startswith(("error", "exception"))]
    assert asked == []
    assert said == []


LOWERED = """document.fonts.ready.then(() => [...document.querySelectorAll("msub")].map((index) => {
  const [base, below] = [...index.children].map((part) => part.getBoundingClientRect());
  return {formula: index.textContent.replace(/\\s+/g, ""), by: (below.bottom - base.bottom) / base.height};
}))"""

FONTS = "[...document.fonts].filter((one) => one.family.includes('STIX')).map((one) => one.status)"


def test_formulas_have_a_font_of_their_own(chromium: Chromium, site: Path) -> None:
    """Guards formulas: drawn in the site's font for them, indices below the line; none has a word of LaTeX left."""
    pages = [page for page in (site / "explanation").glob("*.html") if "<math" in page.read_text(encoding="utf-8")]
    assert len(pages) > 8
    lost, level = [], []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        lost += [f"{page.name}: {m}" for m in re.findall(r"<math.*?</math>", text, re.S) if "\\" in m or "merror" in m]
        with Tab(chromium, page, WIDTHS["phone"], dark=page.name < "d") as tab:
            found = tab.evaluate(LOWERED)
            assert tab.evaluate(FONTS) == ["loaded"]
            assert elsewhere(tab.requests, site.as_uri()) == []
        level += [f"{page.name}: {one['formula']} {one['by']:.2f}" for one in found if one["by"] < 0.15]
    assert lost == []
    assert level == []


def results(tab: Tab) -> list[str]:
    """What a search lists, when it says that it is finished."""
    ended = "/^(Search finished|Your search did not match)/.test(document.querySelector('.search-summary')?.innerText)"
    until = time.monotonic() + ANSWERED
    while not tab.evaluate(ended):
        assert time.monotonic() < until, "the search does not end"
        tab.evaluate("new Promise((done) => setTimeout(done, 50))")
    listing = "[...document.querySelectorAll('#search-results li a')].map((a) => a.getAttribute('href'))"
    return list(tab.evaluate(listing))


@pytest.mark.smoke
def test_search_works_from_disk(chromium: Chromium, site: Path) -> None:
    """Guards the search: by file, without a server or a network, words and options lead to their pages.

    And a message that somebody pasted, with values that no page has, to its place.
    """
    for words, page in (("jackknife", "glossary"), ("min-effect", "commands/"), ("assert_not_worse", "api/testing")):
        with Tab(chromium, f"{(site / 'search.html').as_uri()}?q={words}") as tab:
            found = results(tab)
            assert any(page in link for link in found), (words, found[:10])
            assert elsewhere(tab.requests, site.as_uri()) == []
    pasted = "error: my.qrels:2: two labels (1 and 2) for topic 7, document d-3: '7 0 d-3 2' (keep one; if several as"
    with Tab(chromium, f"{(site / 'search.html').as_uri()}?q={quote(pasted)}") as tab:
        page, _, place = results(tab)[0].partition("#")
        assert page == "reference/errors/data.html"
        assert place in Links(site / page).anchors
    with Tab(chromium, f"{(site / 'search.html').as_uri()}?q={quote('is my LLM judge good enough')}") as tab:
        assert results(tab)[0].startswith("howto/check-judge.html")
    with Tab(chromium, f"{(site / 'search.html').as_uri()}?q=xyzzyqwert") as tab:
        assert results(tab) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(chromium: Chromium, site: Path, dark: bool) -> None:
    """Guards readers with little sight, or without a mouse: each kind of page, in both colors, by WCAG 2.1 A and AA."""
    found = []
    for name in seen_pages(site):
        with Tab(chromium, site / name, WIDTHS["wide"], dark=dark) as tab:
            assert tab.evaluate("document.documentElement.dataset.theme") == ("dark" if dark else "light")
            found += [f"{name}: {v['id']} {v['times']} times: {v['help']}; {v['nodes']}" for v in tab.axe(**RULES)]
    assert found == []


def test_phones_scroll_down_only(chromium: Chromium, site: Path) -> None:
    """Guards narrow screens: no page is wider than a phone, tables and code scroll in their own boxes.

    And what is shortened there keeps its name for screen readers, as the button of the search.
    """
    wide, found = [], []
    for name in seen_pages(site):
        with Tab(chromium, site / name, WIDTHS["phone"], 844) as tab:
            over = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            wide += [f"{name}: {over} px"] if over > 0 else []
            found += [f"{name}: {v['id']} {v['times']} times: {v['help']}; {v['nodes']}" for v in tab.axe(**RULES)]
    assert wide == []
    assert found == []
