"""Whether the assessors agree."""

from __future__ import annotations

from truegain.report.claims import true_minus
from truegain.report.facts import Facts
from truegain.report.html import (
    Html,
    Section,
    cell,
    count,
    csv_link,
    el,
    folded,
    head,
    join,
    label,
    limits,
    links,
    num,
    paragraph,
    plain,
    plot,
    room,
    svg_link,
    table,
    tr,
    who,
)
from truegain.report.svg import Axis, Span, axis_head, row, stacked
from truegain.results.base import Table
from truegain.results.table import Cell

PEOPLE = 40  # assessors with a row
DRAWN = 200  # rows of a drawing that leaves the page


def section(facts: Facts) -> Section | None:
    """Only where several assessors rated."""
    found = facts.agreement
    if found is None:
        return None
    first, *numbers = found.overall.rows[0][:4]
    value, low, high = map(_number, numbers)
    name = str(first)
    span = f" ({facts.level} interval {limits(low, high)})" if low is not None else ""
    said = f"{name[:1].upper()}{name[1:]} is {plain(value)}{span}: 1 is perfect agreement, 0 is chance agreement."
    alpha = next(c for c in found.topics.columns if c.startswith("alpha"))
    people = None
    if "correlation" in found.assessors.columns:
        about = "By assessor: correlation with the mean of the others"
        people = _plotted(found.assessors, "assessor", "correlation", about)
    topics = _plotted(found.topics, "topic", alpha, "By topic", fold=True)
    body = join(paragraph(said, class_="lede"), _overall(found.overall), people, topics)
    data = {t.title or "overall": t.records() for t in found.tables()}
    return Section("agreement", "Do the assessors agree?", "Agreement", body, data)


def _number(value: Cell) -> float | None:
    return float(value) if isinstance(value, float | int) else None


def _count(value: Cell) -> str:
    return count(_number(value) or 0.0)


def _notes(found: Table) -> str:
    return true_minus(" ".join(f"{n[:1].upper()}{n[1:].rstrip('.')}." for n in found.notes))


def _overall(found: Table) -> Html:
    rows = []
    for name, value, low, high, items, ratings, note in found.rows:
        numbers = num(plain(_number(value))), num(limits(_number(low), _number(high)))
        of = num(_count(items), more="o"), num(_count(ratings), more="o")
        rows.append(tr(label(str(name)), *numbers, *of, cell(str(note or ""), kind="o")))
    top = [head("statistic"), head("value", "n0"), head("interval", "n0"), head("documents", "n0 o")]
    top += [head("ratings", "n0 o"), head("note", "o")]
    take = links(csv_link("agreement.csv", found.columns, found.rows))
    return el("figure", table(found.title, top, rows, kind="loose"), el("figcaption", _notes(found), take))


def _plotted(found: Table, unit: str, value: str, about: str, fold: bool = False) -> Html | None:
    """A row a topic or an assessor: a coefficient with its limits."""
    at = {c: i for i, c in enumerate(found.columns)}
    known = [r for r in found.rows if _number(r[at[value]]) is not None]
    if not known:
        return None
    spans = [Span(_number(r[at[value]]) or 0.0, _number(r[at["low"]]), _number(r[at["high"]])) for r in known]
    axis = Axis.of([x for s in spans for x in (s.low, s.high, s.value)], 4, zero=True)
    look = "look" in at and any(r[at["look"]] for r in known)
    shown = known if fold else known[:PEOPLE]
    units = [str(r[at[unit]]) for r in shown]
    rows = []
    for r, s in zip(shown, spans, strict=False):
        cells = [
            who(str(r[at[unit]])),
            num(_count(r[at["ratings"]]), more="o"),
            plot(row(axis, [s], zero=True, height=20)),
        ]
        cells += [num(plain(s.value)), num(limits(s.low, s.high), more="o")]
        rows.append(tr(*cells, *([cell(str(r[at["look"]] or ""), kind="lk")] if look else [])))
    top = [head(unit), head("ratings", "n0 o"), head(axis_head(axis), "p"), head(value, "n0"), head("interval", "n0 o")]
    top += [head("note", "lk")] if look else []
    made = table(
        about, top, rows, cols=("cs", "x o", None, "z", "y o", *(["lk"] if look else [])), kind=f"sort {room(units)}"
    )
    left = len(found.rows) - len(shown)
    said = f"{count(left)} of {count(len(found.rows))} are in the CSV only. " if left else ""
    drawn = stacked([(str(r[at[unit]]), [s]) for r, s in zip(known, spans, strict=True)][:DRAWN], axis, about)
    data = csv_link(f"agreement-{unit}.csv", found.columns, found.rows)
    caption = el("figcaption", said, _notes(found), links(data, svg_link(f"agreement-{unit}.svg", drawn)))
    if fold:
        return el("figure", folded(f"{about} ({count(len(rows))})", made, caption))
    return el("figure", made, caption)
