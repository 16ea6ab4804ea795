"""The page: head, sections, data; one file that asks nobody for anything."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from truegain.report.facts.facts import Facts
from truegain.report.parts.files import json_script
from truegain.report.parts.html import Html, el, join, name
from truegain.report.parts.numbers import EN, many
from truegain.report.parts.section import Section
from truegain.report.sections.catalogue import sections_for

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def page(facts: Facts, title: str = "", sections: Sequence[Section] | None = None) -> str:
    """The whole page as text; `sections` are those of the facts, where they were made already."""
    sections = sections_for(facts) if sections is None else sections
    data = {"truegain": facts.made.version, "sections": {s.id: s.data for s in sections}}
    body = el(
        "body",
        el("a", "To the verdict", class_="skip", href="#verdict"),
        _top(facts, sections, title),
        el("main", *(s.html(i) for i, s in enumerate(sections, 1)), class_="wrap"),
        el(
            "footer",
            el("div", "One file that loads nothing from elsewhere. Figures include their data.", class_="wrap"),
        ),
        json_script(data, "truegain-data"),
        Html(f"<script>{_asset('script.js')}</script>"),
    )
    headline = str(sections[0].data["headline"]).rstrip(".")
    return join(Html("<!doctype html>\n"), el("html", _head(facts, headline), "\n", body, lang="en"), "\n")


def _head(facts: Facts, headline: str) -> Html:
    return el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width,initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="generator", content=f"truegain {facts.made.version}"),
        el("title", f"{headline} {EN} truegain report"),
        Html(f"<style>{_asset('style.css')}</style>"),
    )


def _top(facts: Facts, sections: Sequence[Section], title: str) -> Html:
    about = title or f"{many(len(facts.systems), 'system')}, {', '.join(m.name for m in facts.measures)}"
    inside = (
        el("div", "truegain ", el("i", "report"), class_="brand"),
        el("div", name(about), class_="m sk"),
        el("nav", el("ol", *(el("li", el("a", s.nav, href=f"#{s.id}")) for s in sections)), aria_label="Sections"),
    )
    return el("header", el("div", *inside, class_="wrap"), class_="top")


@cache
def _asset(file: str) -> str:
    return files(__package__).joinpath(file).read_text(encoding="utf-8").strip()
