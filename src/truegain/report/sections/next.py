"""What to judge or buy next."""

from __future__ import annotations

from truegain.inference.study.next_steps import Step
from truegain.inference.study.verdict import Verdict
from truegain.report.facts.facts import Facts
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links
from truegain.report.parts.html import Child, Html, el, join, name, names_in, paragraph
from truegain.report.parts.numbers import count, many, plain, signed
from truegain.report.parts.section import Section
from truegain.report.parts.svg import Span, axis_head, row
from truegain.report.parts.words import true_minus


def section(facts: Facts) -> Section | None:
    """Only where something would bring more: steps for the first claim, and documents to judge."""
    verdict = facts.claims[0].first
    steps = verdict.steps if verdict.comparison.low is not None else ()
    if not steps and facts.next is None:
        return None
    body = join(_steps(facts, verdict, steps) if steps else None, _documents(facts))
    data = {
        "steps": [s.to_dict() for s in steps],
        "documents": [] if facts.next is None else facts.next.table().records(),
    }
    return Section("next", "What to do next", "Next", body, data)


def _steps(facts: Facts, verdict: Verdict, steps: tuple[Step, ...]) -> Html:
    """Half the width of the interval after each step alone."""
    c = verdict.comparison
    now = ((c.high or 0.0) - (c.low or 0.0)) / 2
    widest = max([now, *(s.half for s in steps)])
    axis = Axis.of([-widest, widest], 4, zero=True)
    priced = any(s.cost is not None for s in steps)
    rows = [_step_row(axis, "as it is", None, now, "on", priced)]
    for s in steps:
        words = s.phrase or f"{s.more:,} more {s.words} ({s.have + s.more:,} in all)"
        rows.append(_step_row(axis, words, s.cost, s.half, "", priced))
    head = (
        el("th", "what more", scope="col"), el("th", "cost", scope="col", class_="n0") if priced else None,
        el("th", axis_head(axis, signs=True, words="expected interval, plot"), scope="col", class_="p"),
        el("th", "expected", scope="col", class_="n0"),
    )  # fmt: skip
    settled = verdict.settled and (facts.smallest > 0 or verdict.outcome != "cannot be told")
    title = "The claim is settled; more would only narrow the interval" if settled else _title(facts, steps)
    table = el(
        "table", el("caption", "The interval one may expect after each step alone", class_="vh"),
        el("colgroup", *(el("col", class_=x) for x in (None, *(["x"] if priced else []), "w2", "x"))),
        el("thead", el("tr", *head)), el("tbody", *rows), class_="pl",
    )  # fmt: skip
    data = [(s.what, s.have, s.more, s.half, s.cost) for s in steps]
    return el(
        "div", el("h3", title),
        paragraph("About ", name(c.b), " against ", name(c.a), f", {c.measure}: half the width of the interval is now "
                  f"±{plain(now)}. What is listed is an expectation, each step alone.", _borrowed(verdict)),
        table, paragraph(links(csv_link("next.csv", ("what", "have", "more", "half_width", "cost"), data)), class_="note"),
        class_="card",
    )  # fmt: skip


def _title(facts: Facts, steps: tuple[Step, ...]) -> str:
    if facts.smallest > 0:
        enough = [s for s in steps if s.enough]
        if not enough:
            return f"Nothing here alone brings ±{facts.smallest:g}"
        best = enough[0]
        return f"Enough for ±{facts.smallest:g}: {best.phrase or f'{best.more:,} more {best.words}'}"
    return "What more would bring"


def _borrowed(verdict: Verdict) -> str:
    return f" {true_minus(verdict.borrowed[0])}" if verdict.borrowed else ""


def _step_row(axis: Axis, words: str, cost: float | None, half: float, class_: str, priced: bool) -> Html:
    cells: list[Child] = [el("th", words, scope="row")]
    if priced:
        cells.append(el("td", "" if cost is None else f"{cost:,.0f}", class_="n0"))
    cells += [el("td", row(axis, [Span(0.0, -half, half)], height=20), class_="p"), el("td", f"±{plain(half)}", class_="n0")]
    return el("tr", *cells, class_=class_ or None)


def _documents(facts: Facts) -> Html | None:
    """Unjudged documents in the order they should be judged in."""
    found = facts.next
    if found is None:
        return None
    rows = [
        el("tr", el("td", count(i), class_="k"), el("th", name(d.topic), scope="row"), el("td", name(d.doc)),
           el("td", f"{d.predicted:.2f}", class_="n0"), el("td", signed(d.shift, 4), class_="n0"),
           el("td", count(d.systems), class_="n0 o"))
        for i, d in enumerate(found.documents, 1)
    ]  # fmt: skip
    heads = ("", "topic", "document", "chance that it is relevant", "would move", "systems that have it")
    head = (el("th", h, scope="col", class_=("n0" + (" o" if i == 5 else "")) if i > 2 else None) if h else el("td") for i, h in enumerate(heads))
    table = el(
        "table", el("caption", f"Documents to judge first, by {found.measure}"), el("thead", el("tr", *head)),
        el("tbody", *rows), class_="docs",
    )  # fmt: skip
    t = found.table()
    pair = "" if found.pair is None else f"{true_minus(str(found.pair))}. "
    said = (
        f"{pair}The first {count(len(found.documents))} of {many(found.open, 'unjudged document')} that could move "
        f"{found.measure}; “would move” is how far the highest label would move two systems apart at most. Have them "
        "judged, add the labels to the judgments, and make the page again. Labels chosen in this order are no random "
        "sample: to estimate what the holes hide, draw one (truegain holes --show sample)."
    )
    fold = el("details", el("summary", f"Documents to judge first ({count(len(rows))})"), table, class_="again", open=True)
    return el("figure", fold, el("figcaption", names_in(said, facts.systems), links(csv_link("judge-next.csv", t.columns, t.rows))))
