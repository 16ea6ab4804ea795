"""What went over the wire in a visit, searched for what must not: other hosts, and anything told before its time."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from tests.judging.browsing import Exchange, Visitor
from truegain.judging.study.study import JudgingStudy

CODE = re.compile(r"\b[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}\b")
NEVER = re.compile(r"probability|anchor|seconds|\bhigh\b|\blow\b|\bgold\b|\bHk\b|\bNk\b")
OPTION = re.compile(r'<label(?:(?!</label>).)*name="choice".*?</label>', re.S)
SHOWN = re.compile(r'<article.*?</article>|<section class="card doc" aria-labelledby="passage".*?</section>', re.S)
Seen = dict[tuple[str, int], list[str]]


def faults_of(visitors: Sequence[Visitor]) -> list[str]:
    """Let visitors go, in the order in which they came; all that was wrong on their wires and consoles."""
    seen: Seen = {}
    found: list[str] = []
    for visitor in visitors:
        exchanges = visitor.close()
        found += [*visitor.said, *strayed(exchanges, visitor.served.base)]
        found += told_early(exchanges, visitor.study, seen)
    return found


def strayed(exchanges: Sequence[Exchange], base: str) -> list[str]:
    """Requests to anywhere but the server, and answers that a policy does not stand over."""
    away = [f"asked for {e.url}" for e in exchanges if not e.url.startswith((f"{base}/", "blob:"))]
    answered = [e for e in exchanges if e.status > 0]
    policy = "content-security-policy: default-src 'none'"
    return away + [f"no policy: {e.url}" for e in answered if policy not in e.headers.lower()]


def told_early(exchanges: Sequence[Exchange], study: JudgingStudy, seen: Seen | None = None) -> list[str]:
    """What answers to an assessor told that was not to be told, or not yet, each with its address.

    seen: documents by unit and number, as they were served to others before.
    """
    faults: list[str] = []
    blocks = {_squeezed(p): d.id for d in study.documents.values() for p in d.text.split("\n\n")}
    whole = {_squeezed(d.text): d.id for d in study.documents.values()}
    seen = {} if seen is None else seen
    for e in exchanges:
        if "/static/" in e.url:
            continue
        page = re.search(r"/u/([^/]+)/doc/(\d+)$", e.url) if e.method == "GET" and e.status == 200 else None
        mine = [whole.get(_squeezed(text), "unknown") for text in _documents(e.body)] if page else []
        faults += [f"no document of ours: {e.url}"] if "unknown" in mine else []
        if page:
            seen.setdefault((page[1], int(page[2])), mine)
            if seen[page[1], int(page[2])] != mine:
                faults.append(f"another document than before: {e.url}")
            if int(page[2]) > 1 and (page[1], int(page[2]) - 1) not in seen:
                faults.append(f"served before the one before it: {e.url}")
        faults += [
            f"{fault}: {e.method} {e.url}" for fault in _ahead(e, blocks, bool(page) or e.url.endswith("/undo"), study)
        ]
    return faults


def _ahead(e: Exchange, blocks: Mapping[str, str], is_document: bool, study: JudgingStudy) -> list[str]:
    """What one answer told that is none of the person's business."""
    sent = f"{e.headers}\n{e.body}"
    without = SHOWN.sub("", e.body) if is_document else e.body
    squeezed = _squeezed(re.sub("<[^>]+>", "", without))
    found = [f"text of {doc}" for block, doc in blocks.items() if block in squeezed]
    found += [f"id {d}" for d in study.documents if re.search(rf"(?<![\w-]){re.escape(d)}(?![\w-])", sent)]
    found += [f"unit {u.id}" for u in study.units if re.search(rf"(?<![\w-]){re.escape(u.id)}(?![\w-])", sent)]
    found += [f"the word {word!r}" for word in NEVER.findall(re.sub("<[^>]+>", " ", without))]
    if CODE.search(sent) and not e.url.endswith("/done"):
        found.append(f"a code {CODE.search(sent)}")
    own = r'value="[0-9a-f]{12}"| id="choice"| checked|<span>.*?</span>'
    options = {re.sub(own, "", option) for option in OPTION.findall(e.body)}
    if len(options) > 1:
        found.append(f"options that differ: {options}")
    return found


def alike(exchanges: Sequence[Exchange]) -> list[str]:
    """Pages of documents without what is each one's own: what is left must be the same for Hk, Nk and all others."""
    pages = [e.body for e in exchanges if re.search(r"/doc/[2-7]$", e.url) and e.method == "GET" and e.status == 200]
    own = r'<article.*?</article>|<svg class="pips".*?</svg>|value="[^"]*"|/u/[^/"]+|\d|>Send the set<|>Next<'
    own += r"|<textarea.*?</textarea>"
    return [re.sub(own, "", body, flags=re.S) for body in pages[:6]]  # of the first time; then boxes are filled


def _documents(body: str) -> list[str]:
    """The texts of the documents on a page, without titles and sources."""
    shown = SHOWN.findall(body)
    return ["\n\n".join(re.sub("<[^>]+>", "", p) for p in re.findall(r"<p>(.*?)</p>", part, re.S)) for part in shown]


def _squeezed(text: str) -> str:
    return "".join(html.unescape(text).split())
