"""Data health: checks of the data."""

from __future__ import annotations

from truegain.report.facts import Check, Facts
from truegain.report.html import Html, Section, count, downloads, el, join, names_in, paragraph, true_minus, unseen

SIGNS = {
    "fine": ("ok", "\N{CHECK MARK}", "passed"),
    "look": ("lk", "!", "needs attention"),
    "fails": ("no", "\N{MULTIPLICATION X}", "failed"),
}


def section(facts: Facts) -> Section:
    """Always there."""
    fails, n = [c for c in facts.checks if c.fails], len(facts.checks)
    looks = sum(not c.fine for c in facts.checks) - len(fails)
    lede, need = f"All {count(n)} checks passed.", "needs" if looks == 1 else "need"
    if fails:
        rest = f", and {count(looks)} {need} attention" if looks else ""
        lede = f"{count(len(fails))} of {count(n)} checks failed{rest}."
    elif looks:
        lede = f"{count(looks)} of {count(n)} checks {need} attention; none failed."
    columns = ("check", "state", "value", "about")
    rows = [(c.name, c.state, c.value, " ".join(c.about)) for c in facts.checks]
    body = join(
        paragraph(lede, class_="lede"),
        el("div", *(_row(facts, c) for c in facts.checks), class_="checks"),
        paragraph(
            f"Not covered by any interval: {facts.not_covered}.", downloads("health", columns, rows), class_="note"
        ),
    )
    data = {"checks": [{"name": a, "state": b, "value": c, "about": d} for a, b, c, d in rows]}
    return Section("health", "Data health", "Data health", body, data)


def _row(facts: Facts, check: Check) -> Html:
    kind, sign, words = SIGNS[check.state]
    icon = el("span", el("b", sign, aria_hidden="true"), unseen(words), class_=f"ic ic-{kind}")
    cells = (icon, el("span", check.name, class_="hn"), el("span", check.value, class_="hv"))
    if not check.about:
        return el("div", el("div", *cells, class_="hs"), class_="hc")
    more = (paragraph(names_in(true_minus(x), facts.systems)) for x in check.about)
    return el("details", el("summary", *cells), *more, class_="hc", open=not check.fine)
