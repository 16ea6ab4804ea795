"""What decides each claim: its sources, their shares, and the units that pull it most."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.inference.study.lines import UNITS, Line, Pull
from truegain.inference.study.verdict import Verdict
from truegain.report.facts.facts import Facts
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Html, el, join, name, names_in, paragraph
from truegain.report.parts.numbers import limits, percent, plain, signed
from truegain.report.parts.section import Section
from truegain.report.parts.svg import Span, axis_head, line, pc, row, stacked
from truegain.report.parts.words import chip, true_minus

MOST_CARDS = 24
WORDS = {
    "topics": "topics",
    "collection": "the collection",
    "assessors": "assessors",
    "replicates": "the judge asked again",
    "gold": "gold labels",
    "holes": "the sample of unjudged documents",
}


def section(facts: Facts) -> Section | None:
    """Only where some difference has an interval; a card for every claim, the first open."""
    verdicts = [v for c in facts.claims for v in c.verdicts if v.comparison.low is not None]
    if not verdicts:
        return None
    shown = verdicts[:MOST_CARDS]
    first, *rest = shown
    body = join(_card(facts, first, "0"), *(_folded(facts, v, str(i)) for i, v in enumerate(rest, 1)))
    if len(verdicts) > len(shown):
        said = f"The first {len(shown)} of {len(verdicts)} are here; the page's data (JSON) has all."
        body = join(body, paragraph(said, class_="note"))
    data = {f"{v.comparison.measure}: {v.comparison.b} against {v.comparison.a}": v.to_dict() for v in shown}
    return Section("decides", "What decides it", "What decides it", body, data)


def _folded(facts: Facts, verdict: Verdict, number: str) -> Html:
    c = verdict.comparison
    head = el("summary", el("span", name(c.b), " against ", name(c.a), el("span", f" {c.measure}", class_="m")),
              chip(verdict.outcome))  # fmt: skip
    return el("details", head, _card(facts, verdict, number), class_="claim")


def _card(facts: Facts, verdict: Verdict, number: str) -> Html:
    c = verdict.comparison
    systems = (c.a, c.b)
    parts = [
        el("h3", _heading(verdict)) if number == "0" else None,
        _shares(verdict),
        _sources(facts, verdict, number),
        *(_pulls(verdict, source, pulls, number) for source, pulls in verdict.decisive.items() if pulls),
        _holes(verdict),
        *(paragraph(names_in(true_minus(note), systems), class_="note") for note in (*verdict.borrowed, *verdict.notes)),
    ]
    return el("div", *parts, class_="claim-body")


def _heading(verdict: Verdict) -> Html:
    c, lines = verdict.comparison, _shared(verdict)
    about = join(name(c.b), " against ", name(c.a), el("span", f", {c.measure}", class_="m"))
    if len(lines) < 2:
        return about
    top = max(lines, key=lambda x: x.share or 0.0)
    return join(about, f": mostly {WORDS[top.source]}" if (top.share or 0.0) > 0.5 else ": no source alone decides")


def _shared(verdict: Verdict) -> list[Line]:
    return [x for x in verdict.lines if x.share is not None]


def _shares(verdict: Verdict) -> Html:
    """One bar, to the nearest tenth: finer the shares are not known; what is held fixed has no segment."""
    lines = sorted(_shared(verdict), key=lambda x: -(x.share or 0.0))
    fixed = f"Held fixed, and so without a share: {verdict.held_fixed}."
    if len(lines) < 2:
        only = f"All of the variance is over {WORDS[lines[0].source]}: nothing else was sampled. " if lines else ""
        return paragraph(only, fixed, class_="note")
    total = sum(x.share or 0.0 for x in lines) or 1.0
    parts, at = [], 0.0
    for i, x in enumerate(lines):
        wide = 100 * (x.share or 0.0) / total
        if wide <= 0:
            continue
        parts.append(el("rect", class_=f"g{min(i, 2) + 1}", x=pc(at), y=0, width=pc(max(wide - 0.3, 0.2)), height=26))
        if wide >= 28:
            words = f"{WORDS[x.source]} ≈ {percent(x.share)}"
            parts.append(el("text", words, class_=f"on{min(i, 2) + 1}", x=pc(at), dx=9, y=18))
        at += wide
    told = ", ".join(f"{WORDS[x.source]} about {percent(x.share)}" for x in lines)
    bar = el("svg", *parts, class_="share", width="100%", height=26, role="img", aria_label=f"Shares: {told}.")
    caption = el("figcaption", el("b", "Shares of the variance"), f", to the nearest tenth: {told}. {fixed}")
    return el("figure", bar, caption)


def _sources(facts: Facts, verdict: Verdict, number: str) -> Html | None:
    """The difference over each source alone, over all together, and by the labels as they are."""
    table = verdict.table(words=False)
    if len(table.rows) < 2:
        return None
    spans: list[tuple[str, Span]] = []
    for over, value, low, high, _, _ in table.rows:
        naive = over == verdict.naive.source
        if isinstance(value, float):
            spans.append((str(over), Span(value, _float(low), _float(high), naive)))
    axis = Axis.of([x for _, s in spans for x in (s.low, s.high, s.value)], zero=True)
    rows = [
        el("tr", el("th", label, scope="row"), el("td", row(axis, [s], zero=True, height=20), class_="p"),
           el("td", signed(s.value), class_="n0"), el("td", limits(s.low, s.high, signs=True), class_="n0 o"))
        for label, s in spans
    ]  # fmt: skip
    head = (el("th", "over", scope="col"), el("th", axis_head(axis, signs=True), scope="col", class_="p"),
            el("th", "difference", scope="col", class_="n0"),
            el("th", f"{facts.level} interval", scope="col", class_="n0 o"))  # fmt: skip
    title = f"{verdict.comparison.b} less {verdict.comparison.a}, {verdict.comparison.measure}, by source"
    return el(
        "figure",
        el("table", el("caption", "The difference over each source alone, and over all"),
           el("colgroup", el("col", class_="w"), el("col"), el("col", class_="x"), el("col", class_="y o")),
           el("thead", el("tr", *head)), el("tbody", *rows), class_="src"),
        el("figcaption", links(csv_link(f"sources-{number}.csv", table.columns, table.rows),
                               svg_link(f"sources-{number}.svg",
                                        stacked([(w, [s]) for w, s in spans], axis, title, signs=True)))),
    )  # fmt: skip


def _float(cell: object) -> float | None:
    return cell if isinstance(cell, float) else None


def _pulls(verdict: Verdict, source: str, pulls: Sequence[Pull], number: str) -> Html:
    """The units that move the difference most; without it: all fitted again."""
    c = verdict.comparison
    most = max(abs(p.move) for p in pulls) or 1.0
    refit = all(p.without is not None for p in pulls)
    rows = []
    for p in pulls:
        wide = 48 * abs(p.move) / most
        left = 50 - wide if p.move < 0 else 50.0
        bar = el("svg", el("rect", class_="mb", x=pc(left), y=6, width=pc(max(wide, 0.4)), height=9), line(50, 0, 20, "zero"),
                 class_="r", width="100%", height=20, aria_hidden="true", focusable="false")  # fmt: skip
        cells = [el("th", name(p.unit), scope="row"), el("td", bar, class_="p"), el("td", signed(p.move), class_="n0")]
        cells += [el("td", signed(p.without), class_="n0")] if refit else []
        rows.append(el("tr", *cells))
    what = UNITS[source].lower()
    heads = [el("th", what.removesuffix("s"), scope="col"), el("th", "◂ against · for ▸", scope="col", class_="mid"),
             el("th", "move", scope="col", class_="n0")]  # fmt: skip
    heads += [el("th", "without it", scope="col", class_="n0")] if refit else []
    said = ""
    if refit:
        turned = [p.unit for p in pulls if p.without is not None and p.without * c.difference < 0]
        said = (
            f"Without {', '.join(turned)} alone the difference would have the other sign."
            if turned
            else f"Leave any one of them out and the difference keeps its sign ({signed(c.difference)} with all)."
        )
    cols = [el("col", class_="w"), el("col"), el("col", class_="x"), *([el("col", class_="x")] if refit else [])]
    table = el(
        "table", el("caption", f"{UNITS[source]} that move it most"), el("colgroup", *cols),
        el("thead", el("tr", *heads)), el("tbody", *rows), class_="mv",
    )  # fmt: skip
    data = csv_link(f"{source}-{number}.csv", ("unit", "move", "without"), [tuple(p) for p in pulls])
    return el("figure", table, el("figcaption", said, links(data)))


def _holes(verdict: Verdict) -> Html | None:
    hidden = verdict.hidden
    if hidden is None or not hidden.documents:
        return None
    how = "the verdict takes the worst" if verdict.holes == "bound" else "the verdict counts them as not relevant"
    return paragraph(
        f"{hidden.documents:,} unjudged documents where {verdict.comparison.measure} looks could move the difference by "
        f"{signed(hidden.least)} to {signed(hidden.most)}; {how}. Scores: {plain(verdict.comparison.value_b)} against "
        f"{plain(verdict.comparison.value_a)}.", class_="note",
    )  # fmt: skip
