"""What is wrong with a page in a browser, in words: wide, dark, narrow, without its script, and printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.report.browser import Chromium, Tab

NARROW, PAPER = 400, 688  # pixels: a phone; A4 less its margins
CONTRAST = "color-contrast"  # the slow rule; colors depend on light and dark alone
LOOKS: dict[str, tuple[int, bool, dict[str, Any]]] = {
    "wide": (1200, False, {}),
    "dark": (1200, True, {"runOnly": [CONTRAST]}),
    "narrow": (NARROW, False, {"rules": {CONTRAST: {"enabled": False}}}),
}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WORDS = """(() => {
  const main = document.querySelector("main").cloneNode(true);
  main.querySelectorAll(".find, .tip").forEach((added) => added.remove());
  return main.textContent;
})()"""
# Text that runs out of its cell or drawing, or over the edge of the page; what scrolls by itself may be wider.
OUTSIDE = """(() => {
  const found = [], range = document.createRange(), edge = document.documentElement.clientWidth;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, parent = node.parentElement;
    if (!node.data.trim() || parent.closest("script, style, .vh, .skip")) continue;
    const own = parent.closest(".scroll, pre");
    if (own && getComputedStyle(own).overflowX === "auto") continue;
    const svg = parent.closest("svg"), holder = svg || parent.closest("th, td");
    const box = holder ? holder.getBoundingClientRect() : { left: 0, right: edge };
    if (svg && getComputedStyle(svg).overflow === "visible" && svg.closest("th, td")) continue;
    range.selectNodeContents(node);
    const over = [...range.getClientRects()].some((r) =>
      r.width > 1 && (r.right > Math.min(box.right, edge) + 1.5 || r.left < Math.max(box.left, 0) - 1.5));
    if (over) found.push(`${(parent.closest("section") || {}).id}: ${node.data.trim().slice(0, 60)}`);
  }
  return found;
})()"""
# Names, numbers and words broken over lines; of what is longer than 24 letters without a space, nobody can ask more.
BROKEN = """(() => {
  const found = [], range = document.createRange();
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, parent = node.parentElement;
    if (!node.data.trim() || parent.closest("script, style, pre, code, .vh, .long, .kv")) continue;
    for (const token of node.data.matchAll(/\\S+/g)) {
      if (token[0].length > 24) continue;
      for (const word of token[0].matchAll(/[\\p{L}\\p{N}_.@+\u2212]+/gu)) {
        range.setStart(node, token.index + word.index);
        range.setEnd(node, token.index + word.index + word[0].length);
        const boxes = [...range.getClientRects()].filter((r) => r.width > 0);
        if (boxes.length > 1 && boxes.at(-1).top - boxes[0].top > 4) {
          found.push(`${(parent.closest("section") || {}).id}: ${word[0]}`);
        }
      }
    }
  }
  return [...new Set(found)];
})()"""
# Tables and drawings that reach past their column; what scrolls by itself may be wider.
PAST = """[...document.querySelectorAll(".col table, .col figure, .col svg")].filter((e) => {
  const col = e.closest(".col").getBoundingClientRect(), box = e.getBoundingClientRect();
  return box.width && !e.closest(".scroll, .vh") && (box.right > col.right + 1.5 || box.left < col.left - 1.5);
}).map((e) => `${e.tagName} of ${e.closest("section").id}`)"""
# Plots that a caption speaks of and nobody sees, or that are too narrow for an interval to be seen beside its point.
PLOTS = """[...document.querySelectorAll("td.p svg.r")].map((e) => {
  const wide = e.getBoundingClientRect().width;
  return wide < 90 ? `${Math.round(wide)} px for a plot of ${e.closest("section").id}` : "";
}).filter((x) => x)"""
UNSEEN = """[...document.querySelectorAll("main section, details > *, figure, table, h2, h3")]
  .filter((e) => !e.closest(".o, .vh, .te, .take, summary") && !e.checkVisibility({contentVisibilityAuto: true}))
  .map((e) => `${e.tagName} of ${e.closest("section").id}`)"""
FOLDS = """[...document.querySelectorAll("details")].filter((d) => {
  const before = d.open;
  d.querySelector("summary").click();
  return d.open === before;
}).length"""


def faults(browser: Chromium, page: Path) -> list[str]:
    """All that is wrong with a page, each with the look in which it is; empty where nothing is."""
    found = []
    for look, (width, dark, rules) in LOOKS.items():
        with Tab(browser, page, width, dark=dark) as tab:
            found += [f"{look}: {x}" for x in (*_sizes(tab), *_read_out(tab, rules), *_quiet(tab, page))]
            words = str(tab.evaluate(WORDS))
    found += [f"without script: {x}" for x in _without_script(browser, page, words)]
    found += [f"printed: {x}" for x in _printed(browser, page)]
    return found


def _sizes(tab: Tab) -> list[str]:
    """Nothing runs out of its place, folded or not."""
    found = []
    for state in ("folded", "unfolded"):
        if over := tab.evaluate(SIDEWAYS):
            found.append(f"{over} px too wide when {state}")
        tab.unfold()
    return found + _in_place(tab)


def _in_place(tab: Tab) -> list[str]:
    """Text is whole and inside its box, tables and drawings are inside their column, plots wide enough to be read."""
    return [
        *(f"runs out of its place: {x}" for x in tab.evaluate(OUTSIDE)),
        *(f"broken: {x}" for x in tab.evaluate(BROKEN)),
        *(f"past its column: {x}" for x in dict.fromkeys(tab.evaluate(PAST))),
        *(dict.fromkeys(tab.evaluate(PLOTS))),
    ]


def _read_out(tab: Tab, rules: dict[str, Any]) -> list[str]:
    return [f"axe {v['impact']} {v['id']}, {v['times']} times: {v['help']}; {v['nodes']}" for v in tab.axe(**rules)]


def _quiet(tab: Tab, page: Path) -> list[str]:
    """Nothing asked for but the page, nothing said on the console."""
    others = [r for r in tab.requests if r != page.as_uri() and not r.startswith("data:")]
    return [f"request: {r}" for r in others] + [f"console: {x}" for x in tab.said]


def _without_script(browser: Chromium, page: Path, words: str) -> list[str]:
    """The same words, every section to be seen, every fold opens."""
    with Tab(browser, page, script=False) as tab:
        found = _quiet(tab, page)
        if tab.evaluate("document.documentElement.className"):
            found.append("the script ran")
        if str(tab.evaluate(WORDS)) != words:
            found.append("other words than with it")
        if stuck := tab.evaluate(FOLDS):
            found.append(f"{stuck} folds do not move")
        tab.unfold()
        found += [f"not to be seen: {x}" for x in tab.evaluate(UNSEEN)]
    return found


def _printed(browser: Chromium, page: Path) -> list[str]:
    """On paper all is unfolded and fits, with the script and without, and every section is in the outline."""
    found = []
    pages = []
    for script in (True, False):
        with Tab(browser, page, PAPER, script=script) as tab:
            heads = [str(x) for x in tab.evaluate("[...document.querySelectorAll('h2')].map((h) => h.innerText)")]
            pdf = tab.pdf()
            found += _quiet(tab, page)
            if not script:
                tab.call("Emulation.setEmulatedMedia", media="print")
                found += [f"not to be seen: {x}" for x in tab.evaluate(UNSEEN)]
                found += _in_place(tab)
        pages.append(len(re.findall(rb"/Type\s*/Page\b", pdf)))
        titles = pdf.count(b"/Title ") - 1  # one is the document's own
        if not pdf.startswith(b"%PDF-") or titles < len(heads):
            found.append(f"an outline of {titles} for {len(heads)} sections")
    if pages[0] != pages[1] or not pages[0]:
        found.append(f"{pages[0]} sheets with the script, {pages[1]} without")
    return found
