"""Whether the assessors agree."""

from __future__ import annotations

from truegain.report.facts.facts import Facts
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Child, Html, el, join, name, paragraph
from truegain.report.parts.numbers import count, limits, plain
from truegain.report.parts.section import Section
from truegain.report.parts.svg import Span, axis_head, row, stacked
from truegain.report.parts.words import true_minus
from truegain.tables.table import Cell, Table

PEOPLE = 40  # assessors with a row


def section(facts: Facts) -> Section | None:
    """Only where several assessors rated."""
    found = facts.agreement
    if found is None:
        return None
    first = found.overall.rows[0]
    value, low, high = (_number(x) for x in first[1:4])
    lede = f"{str(first[0])[:1].upper()}{str(first[0])[1:]} is {plain(value)}"
    lede += f" ({limits(low, high)})." if low is not None else "."
    body = join(
        paragraph(lede, " 1 is perfect agreement, 0 what chance would bring.", class_="lede"),
        _overall(found.overall),
        _plotted(found.topics, "topic", next(c for c in found.topics.columns if c.startswith("alpha")), "By topic", fold=True),
        _plotted(found.assessors, "assessor", "correlation", "By assessor: correlation with the mean of the others")
        if "correlation" in found.assessors.columns else None,
    )  # fmt: skip
    data = {t.title or "table": t.records() for t in found.tables()}
    return Section("agreement", "Do the assessors agree?", "Agreement", body, data)


def _number(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, float | int) else None


def _overall(t: Table) -> Html:
    rows = [
        el("tr", el("th", str(r[0]), scope="row"), el("td", plain(_number(r[1])), class_="n0"),
           el("td", limits(_number(r[2]), _number(r[3])), class_="n0"), el("td", count(float(r[4] or 0)), class_="n0 o"),
           el("td", count(float(r[5] or 0)), class_="n0 o"), el("td", str(r[6] or ""), class_="o"))
        for r in t.rows
    ]  # fmt: skip
    heads = ("statistic", "value", "interval", "documents", "ratings", "")
    head = (el("th", h, scope="col", class_="n0" + (" o" if i > 2 else "") if 0 < i < 5 else "o" if i == 5 else None)
            if h else el("td", class_="o") for i, h in enumerate(heads))  # fmt: skip
    table = el("table", el("caption", t.title), el("thead", el("tr", *head)), el("tbody", *rows))
    said = " ".join(f"{n[:1].upper()}{n[1:].rstrip('.')}." for n in t.notes)
    return el("figure", table, el("figcaption", true_minus(said), links(csv_link("agreement.csv", t.columns, t.rows))))


def _plotted(t: Table, unit: str, value: str, title: str, fold: bool = False) -> Html:
    """A row a topic or an assessor: a coefficient with its limits."""
    at = {c: i for i, c in enumerate(t.columns)}
    known = [r for r in t.rows if _number(r[at[value]]) is not None]
    spans = [(str(r[at[unit]]), Span(_number(r[at[value]]) or 0.0, _number(r[at["low"]]), _number(r[at["high"]]))) for r in known]
    axis = Axis.of([x for _, s in spans for x in (s.low, s.high, s.value)], 4, zero=True)
    shown = known if fold else known[:PEOPLE]
    look = "look" in at
    rows = []
    for r, (label, s) in zip(shown, spans, strict=False):
        cells: list[Child] = [
            el("th", name(label), scope="row"), el("td", count(float(_number(r[at["ratings"]]) or 0)), class_="n0 o"),
            el("td", row(axis, [s], zero=True, height=20), class_="p"), el("td", plain(s.value), class_="n0"),
            el("td", limits(s.low, s.high), class_="n0 o"),
        ]  # fmt: skip
        rows.append(el("tr", *cells, el("td", str(r[at["look"]] or "")) if look else None))
    head = (
        el("th", unit, scope="col"), el("th", "ratings", scope="col", class_="n0 o"),
        el("th", axis_head(axis), scope="col", class_="p"), el("th", value, scope="col", class_="n0"),
        el("th", "interval", scope="col", class_="n0 o"), el("th", "worth a look", scope="col") if look else None,
    )  # fmt: skip
    table = el(
        "table", el("caption", title),
        el("colgroup", *(el("col", class_=c) for c in ("cs", "x o", None, "z", "y o", *(["cs"] if look else [])))),
        el("thead", el("tr", *head)), el("tbody", *rows), class_="sort fx",
    )  # fmt: skip
    left = f"{len(t.rows) - len(shown):,} of {len(t.rows):,} are in the CSV only. " if len(shown) < len(t.rows) else ""
    said = true_minus(left + " ".join(f"{n[:1].upper()}{n[1:].rstrip('.')}." for n in t.notes))
    caption = el("figcaption", said, links(
        csv_link(f"agreement-{unit}.csv", t.columns, t.rows),
        svg_link(f"agreement-{unit}.svg", stacked([(w, [s]) for w, s in spans[:200]], axis, title)),
    ))  # fmt: skip
    inside = el("details", el("summary", f"{title} ({count(len(rows))})"), table, class_="again") if fold else table
    return el("figure", inside, caption)
