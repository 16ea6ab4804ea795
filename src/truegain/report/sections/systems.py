"""Systems with intervals, in tiers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from truegain.io.columns import Ints
from truegain.report.claims import by_whom
from truegain.report.facts import Facts, MeasureFacts
from truegain.report.html import (
    EN,
    NONE,
    Child,
    Html,
    Section,
    cell,
    count,
    downloads,
    el,
    file_name,
    folded,
    head,
    join,
    limits,
    many,
    name,
    names_in,
    notes,
    num,
    paragraph,
    plain,
    plot,
    room,
    small,
    soft,
    table,
    tr,
    who,
)
from truegain.report.svg import Axis, Span, axis_head, hidden_svg, line, row, stacked
from truegain.results.table import Cell
from truegain.stats.results import Estimate

UNFOLDED = 24  # systems up to which one table is enough
ROWS = 400  # systems beyond which only the first of the first tier, and those asked about, have rows
FIRST = 40  # of the first tier then
TIERS = 7  # beyond which the rest are joined
COLUMNS = ("system", "score", "low", "high", "rank", "may_rank_from", "may_rank_to", "tier")
READ = (
    " Possible ranks and tiers hold for all {} pairs together{}: a system's rank is at least 1 + the number of systems "
    "significantly better, and at most the number of systems minus those significantly worse. A tier holds its {} and "
    "every system not significantly worse. A system of a lower tier is significantly worse than the first of each tier "
    "above, but may be as good as others there."
)


def section(facts: Facts) -> Section | None:
    """With three systems or more: of two, the number line is the page."""
    if len(facts.systems) < 3:
        return None
    first, *others = facts.measures
    more = (folded(f"The same by {m.name}", _may_be_best(m, "note"), _figure(facts, m)) for m in others)
    body = join(_may_be_best(first, "lede"), _figure(facts, first), *more)
    chip = f"{first.name}, {many(len(facts.systems), 'system')}"
    data = {m.name: _data(facts, m) for m in facts.measures}
    return Section("systems", "Systems in tiers", "Systems", body, data, chip=chip)


def _may_be_best(m: MeasureFacts, kind: str) -> Html:
    n, k, tiers = len(m.ranking.systems), len(m.ranking.best), int(m.ranking.tier.max())
    if k == n:
        words = f"Any of the {count(n)} systems may be best by {m.name}; there is one tier."
        return paragraph(by_whom(m.ranking.labels_by, words), class_=kind)
    may = f"{m.ranking.best[0]} alone may be best" if k == 1 else f"{count(k)} of {count(n)} systems may be best"
    words = by_whom(m.ranking.labels_by, f"{may} by {m.name}; there are {count(tiers)} tiers.")
    return paragraph(names_in(words, m.ranking.best), class_=kind)


def _data(facts: Facts, m: MeasureFacts) -> list[dict[str, object]]:
    columns, lines = _download(facts, m)
    records: list[dict[str, object]] = [dict(zip(columns, cells, strict=True)) for cells in lines]
    for i, (record, e) in enumerate(zip(records, m.estimates, strict=True)):
        record["notes"] = list(e.notes)
        if m.naive is not None:
            record["uncorrected"] = m.naive[i]
    return records


def _lines(m: MeasureFacts) -> list[tuple[str, float, float | None, float | None, int, int, int, int]]:
    r = m.ranking
    return [
        (e.system, e.value, _number(e.low), _number(e.high), i + 1, int(r.low[i]), int(r.high[i]), int(r.tier[i]))
        for i, e in enumerate(m.estimates)
    ]


def _download(facts: Facts, m: MeasureFacts) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """The columns and rows of a file; with the team of each system, where teams are known."""
    if not facts.teams:
        return COLUMNS, [*_lines(m)]
    return ("system", "team", *COLUMNS[1:]), [(row[0], facts.teams[row[0]], *row[1:]) for row in _lines(m)]


def _number(x: float) -> float | None:
    return None if math.isnan(x) else x


def _span(e: Estimate) -> Span:
    return Span(e.value, _number(e.low), _number(e.high))


def _figure(facts: Facts, m: MeasureFacts) -> Html:
    n, tier = len(m.estimates), m.ranking.tier
    axis = Axis.over(m.estimates)
    if n <= UNFOLDED:
        inside = _rows(facts, m, axis, range(n), tiers=True)
    else:
        last = int(tier.max())
        own = last if last <= TIERS else TIERS - 1
        groups = [np.flatnonzero(tier == t) for t in range(1, own + 1)]
        groups += [np.flatnonzero(tier > own)] if own < last else []
        inside = join(*(_tier(facts, m, axis, g, t) for t, g in enumerate(groups, 1)))
    spans = [(e.system, [_span(e)]) for e in m.estimates if not e.refused]
    svg = stacked(spans[:ROWS], axis, f"{m.name} with {facts.level} intervals") if spans else ""
    bars = [
        el("b", "Do not compare systems by overlapping bars; use the column “possible ranks”."),
        f" Bars are {facts.level} intervals of each score, {small(facts.holds_for)}.",
    ]
    pairs = n * (n - 1) // 2
    stricter = ", which is stricter than the headline" if len(facts.claims) < pairs else ""
    head = "best system by score" if spans else "first system"
    read = READ.format(count(pairs), stricter, head)
    read = read if spans else read.strip()
    take = downloads(f"systems-{file_name(m.name)}", *_download(facts, m), svg)
    caption = el("figcaption", *(bars if spans else ()), read, take)
    return el("figure", inside, caption, notes(m.notes, facts.systems), class_=f"lbf {room(m.ranking.systems)}")


def _tier(facts: Facts, m: MeasureFacts, axis: Axis, at: Ints, number: int) -> Html:
    """A fold a tier; closed ones still show their shape, a tick a system."""
    n, leader, last = len(at), m.ranking.heads[number - 1], int(m.ranking.tier[at].max())
    tiers = f"Tier {number}" if last == number else f"Tiers {number} to {last}"
    what = names_in(f"led by {leader}", [leader])
    values = [m.estimates[int(i)].value for i in at if not m.estimates[int(i)].refused]
    rug = hidden_svg(join(*(line(axis.at(v), 3, 17, "rug") for v in values)), 20)
    scores = NONE if not values else plain(values[0]) if n == 1 else limits(min(values), max(values))
    summary = join(
        el("span", el("b", tiers), f" {many(n, 'system')}, ", what),
        el("span", rug, class_="tr"),
        el("span", f"{m.name} {scores}", class_="te m"),
    )
    places, note = [int(i) for i in at], None
    if len(facts.systems) > ROWS:
        claimed = {s for c in facts.claims for s in (c.a, c.b)}
        places = [i for k, i in enumerate(places) if (number == 1 and k < FIRST) or m.estimates[i].system in claimed]
        note = notes([f"{many(n - len(places), 'more system')} of this tier: the CSV below has them."])
    rows = _rows(facts, m, axis, places) if places else None
    return folded(summary, el("div", rows, note, class_="tw"), kind=f"tier t{min(number, 5)}", opened=number == 1)


def _rows(facts: Facts, m: MeasureFacts, axis: Axis, at: Sequence[int], tiers: bool = False) -> Html:
    drawing = "why there is no score" if all(e.refused for e in m.estimates) else axis_head(axis)
    top = [
        head("#", "k"),
        head("system"),
        *([head("team", "o")] if facts.teams else []),
        head(soft(m.name), "n0"),
        head(drawing, "p"),
    ]
    top += [head(f"{facts.level} interval", "n0 o"), head("possible ranks", "n0")]
    top += [head("tier", "n0 k")] if tiers else []
    claimed = (
        {s for c in facts.claims for s in ((c.a,) if c.baseline else (c.a, c.b))} if facts.claims_requested else set()
    )
    rows, r = [], m.ranking
    for i in at:
        e = m.estimates[i]
        drawn: Child = "; ".join(e.notes) if e.refused else row(axis, [_span(e)], height=18)
        team = [cell(name(facts.teams[e.system]), kind="o")] if facts.teams else []
        cells = [cell(count(i + 1), kind="k"), who(e.system), *team, num(plain(e.value)), plot(drawn, "g")]
        cells += [num(limits(e.low, e.high), more="o"), num(f"{r.low[i]}{EN}{r.high[i]}")]
        cells += [num(str(r.tier[i]), more="k")] if tiers else []
        rows.append(tr(*cells, kind="on" if e.system in claimed else None))
    between = "y o" if any(e.low < 0 for e in m.estimates) else "ci o"  # strengths have signs, which need room
    cols = ("ck", "cs", *(["ci o"] if facts.teams else []), "cv", None, between, "cr", *(["ck"] if tiers else []))
    step = 100 * axis.step / (axis.high - axis.low)
    return table(f"Systems by {m.name}", top, rows, cols=cols, kind="lb sort", unseen=True, step=step)
