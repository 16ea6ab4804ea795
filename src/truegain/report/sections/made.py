"""How the page was made: version, command, options, and digests of what was read."""

from __future__ import annotations

from truegain.report.facts.facts import Facts
from truegain.report.parts.html import el, join, paragraph
from truegain.report.parts.numbers import count
from truegain.report.parts.section import Section

DIGITS = 16


def section(facts: Facts) -> Section:
    """Always there."""
    made = facts.made
    options = {k: v for k, v in made.options.items() if v not in (None, "", [], {}, ())}
    rows = (el("tr", el("th", k.replace("_", " "), scope="row"), el("td", _shown(v))) for k, v in options.items())
    files = (
        el("tr", el("th", el("bdi", f), scope="row"), el("td", el("code", (d or "read once, no digest")[:DIGITS])))
        for f, d in made.inputs.items()
    )
    body = join(
        paragraph(f"truegain {made.version}. The same files, options and version make the same page, to the last byte."),
        el("pre", made.command, tabindex="0") if made.command else None,
        el("details", el("summary", f"Options ({count(len(options))})"),
           el("table", el("caption", "Options", class_="vh"), el("tbody", *rows), class_="kv"), class_="again"),
        el("details", el("summary", f"What was read ({count(len(made.inputs))}), SHA-256, first {DIGITS} digits"),
           el("table", el("caption", "Files and digests", class_="vh"), el("tbody", *files), class_="kv"), class_="again")
        if made.inputs else None,
    )  # fmt: skip
    data = {"truegain": made.version, "command": made.command, "options": options, "inputs": dict(made.inputs)}
    return Section("made", "How it was made", "How it was made", el("div", body, class_="prose"), data)


def _shown(value: object) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(map(str, value))
    return ", ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
