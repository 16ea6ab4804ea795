"""Whether the assessors agree."""

from __future__ import annotations

from truegain.report.facts import Facts
from truegain.report.html import (
    Html,
    Section,
    cell,
    count,
    downloads,
    figure,
    head,
    join,
    label,
    limits,
    num,
    paragraph,
    plain,
    plot,
    room,
    sentence,
    table,
    tr,
    true_minus,
    who,
)
from truegain.report.svg import Axis, Span, axis_head, row, stacked
from truegain.results.base import Table
from truegain.results.table import Cell

PEOPLE = 40  # assessors with a row
DRAWN = 200  # rows of a drawing that leaves the page


def section(facts: Facts) -> Section | None:
    """Only where several assessors rated."""
    report = facts.agreement
    if report is None:
        return None
    name, *numbers = report.overall.rows[0][:4]
    value, low, high = map(_number, numbers)
    span = f" ({facts.level} interval {limits(low, high)})" if low is not None else ""
    lede = sentence(f"{name} is {plain(value)}{span}: 1 is perfect agreement, 0 is chance agreement")
    alpha = next(c for c in report.topics.columns if c.startswith("alpha"))
    people = None
    if "correlation" in report.assessors.columns:
        about = "By assessor: correlation with the mean of the others"
        people = _plotted(report.assessors, "assessor", "correlation", about)
    topics = _plotted(report.topics, "topic", alpha, "By topic", fold=True)
    body = join(paragraph(lede, class_="lede"), _overall(report.overall), people, topics)
    data = {t.title or "overall": t.records() for t in report.tables()}
    return Section("agreement", "Do the assessors agree?", "Agreement", body, data)


def _number(value: Cell) -> float | None:
    return float(value) if isinstance(value, float | int) else None


def _count(value: Cell) -> str:
    return count(_number(value) or 0.0)


def _notes(statistics: Table) -> str:
    return true_minus(" ".join(map(sentence, statistics.notes)))


def _overall(statistics: Table) -> Html:
    rows = []
    for name, value, low, high, items, ratings, note in statistics.rows:
        numbers = num(plain(_number(value))), num(limits(_number(low), _number(high)))
        of = num(_count(items), more="o"), num(_count(ratings), more="o")
        rows.append(tr(label(str(name)), *numbers, *of, cell(str(note or ""), kind="o")))
    top = [head("statistic"), head("value", "n0"), head("interval", "n0"), head("documents", "n0 o")]
    top += [head("ratings", "n0 o"), head("note", "o")]
    take = downloads("agreement", statistics.columns, statistics.rows)
    return figure(table(statistics.title, top, rows, kind="loose"), _notes(statistics), take)


def _plotted(statistics: Table, unit: str, value: str, about: str, fold: bool = False) -> Html | None:
    """A row a topic or an assessor: a coefficient with its limits."""
    records = [r for r in statistics.records() if _number(r[value]) is not None]
    if not records:
        return None
    spans = [Span(_number(r[value]) or 0.0, _number(r.get("low")), _number(r.get("high"))) for r in records]
    axis = Axis.over(spans, 4, zero=True)
    look = any(r.get("look") for r in records)
    units = [str(r[unit]) for r in records]
    rows = []
    for r, s in zip(records if fold else records[:PEOPLE], spans, strict=False):
        drawn = plot(row(axis, [s], zero=True, height=20))
        cells = [who(str(r[unit])), num(_count(r["ratings"]), more="o"), drawn]
        cells += [num(plain(s.value)), num(limits(s.low, s.high), more="o")]
        rows.append(tr(*cells, *([cell(str(r["look"] or ""), kind="lk")] if look else [])))
    top = [head(unit), head("ratings", "n0 o"), head(axis_head(axis), "p"), head(value, "n0"), head("interval", "n0 o")]
    top += [head("note", "lk")] if look else []
    cols = ("cs", "x o", None, "z", "y o", *(["lk"] if look else []))
    made = table(about, top, rows, cols=cols, kind=f"sort {room(units[: len(rows)])}")
    left = len(statistics.rows) - len(rows)
    rest = f"{count(left)} of {count(len(statistics.rows))} are in the CSV only. " if left else ""
    svg = stacked([(u, [s]) for u, s in zip(units, spans, strict=True)][:DRAWN], axis, about)
    take = downloads(f"agreement-{unit}", statistics.columns, statistics.rows, svg)
    summary = f"{about} ({count(len(rows))})" if fold else None
    return figure(made, rest, _notes(statistics), take, fold=summary)
