"""Systems with intervals, in tiers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from truegain.inference.results import Estimate
from truegain.report.facts.facts import Facts, MeasureFacts
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Child, Html, el, join, name, names_in, paragraph
from truegain.report.parts.numbers import NONE, count, limits, many, plain
from truegain.report.parts.section import Section
from truegain.report.parts.svg import Span, axis_head, el as _el, line, row, stacked

UNFOLDED = 24  # systems up to which one table is enough
ROWS = 400  # systems beyond which only the first tier, and those asked about, have rows
TIERS = 7  # beyond which the rest are joined


def section(facts: Facts) -> Section | None:
    """With three systems or more: of two, the number line is the page."""
    if len(facts.systems) < 3:
        return None
    first, *others = facts.measures
    body = join(
        paragraph(names_in(_words(first), first.ranking.best), class_="lede"),
        _table(facts, first),
        *(
            el("details", el("summary", f"The same by {m.name}"),
               paragraph(names_in(_words(m), m.ranking.best), class_="note"), _table(facts, m), class_="again")
            for m in others
        ),
    )  # fmt: skip
    data = {m.name: _data(m) for m in facts.measures}
    return Section("systems", "Systems in tiers", "Systems", body, data, chip=f"{first.name}, {many(len(facts.systems), 'system')}")


def _words(m: MeasureFacts) -> str:
    n, tiers = len(m.ranking.systems), int(m.ranking.tier.max())
    k = len(m.ranking.best)
    if k == n:
        return f"Any of the {count(n)} systems may be best by {m.name}; there is one tier."
    may = f"{m.ranking.best[0]} alone may be best" if k == 1 else f"{count(k)} of {count(n)} systems may be best"
    return f"{may} by {m.name}; there are {count(tiers)} tiers."


def _data(m: MeasureFacts) -> list[dict[str, object]]:
    r = m.ranking
    rows = []
    for i, e in enumerate(m.estimates):
        one: dict[str, object] = {
            "system": e.system, "value": e.value, "low": e.low, "high": e.high, "rank": i + 1,
            "rank_low": int(r.low[i]), "rank_high": int(r.high[i]), "tier": int(r.tier[i]), "notes": list(e.notes),
        }  # fmt: skip
        if m.naive is not None:
            one["as_labelled"] = m.naive[i]
        rows.append(one)
    return rows


def _table(facts: Facts, m: MeasureFacts) -> Html:
    n, tier = len(m.estimates), m.ranking.tier
    axis = Axis.of([x for e in m.estimates for x in (e.low, e.high, e.value)], 5)
    if n <= UNFOLDED:
        inside = _rows(facts, m, axis, range(n), tiers=True)
    else:
        last = int(tier.max())
        named = last if last <= TIERS else TIERS - 1
        groups = [np.flatnonzero(tier == t) for t in range(1, named + 1)]
        groups += [np.flatnonzero(tier > named)] if named < last else []
        inside = join(*(_tier(facts, m, axis, g, t, last) for t, g in enumerate(groups, 1)))
    stem = "".join(c if c.isalnum() else "-" for c in m.name)
    data = [(e.system, e.value, _num(e.low), _num(e.high), i + 1, int(m.ranking.low[i]), int(m.ranking.high[i]),
             int(tier[i])) for i, e in enumerate(m.estimates)]  # fmt: skip
    drawn = stacked([(e.system, [_span(e)]) for e in m.estimates if not e.refused][:ROWS], axis,
                    f"{m.name} with {facts.level} intervals")  # fmt: skip
    caption = el(
        "figcaption",
        el("b", "Overlap of bars decides nothing here; “may rank” does."),
        f" Bars are {facts.level} intervals of each score, {_small(facts.holds_for)}. “May rank” and tiers hold for all"
        f" {count(n * (n - 1) // 2)} pairs at once: a rank lies between 1 + the number of systems that are surely better"
        " and the number of all less those surely worse. Of tier 1 none is surely worse than any other; of tier 2 the"
        " same is true once tier 1 is taken away, and so on: neighbours on two sides of a border need not be told apart.",
        links(csv_link(f"systems-{stem}.csv", ("system", m.name, "low", "high", "rank", "may_rank_from", "may_rank_to",
                                               "tier"), data),
              svg_link(f"systems-{stem}.svg", drawn)),
    )  # fmt: skip
    return el("figure", inside, caption, class_="lbf")


def _small(words: str) -> str:
    return words[:1].lower() + words[1:]


def _num(x: float) -> float | None:
    return None if math.isnan(x) else x


def _span(e: Estimate) -> Span:
    return Span(e.value, _num(e.low), _num(e.high))


def _tier(facts: Facts, m: MeasureFacts, axis: Axis, at: np.ndarray, number: int, last: int) -> Html:
    """A fold a tier; closed ones still show their shape, a tick a system."""
    n, leader = len(at), m.estimates[int(at[0])]
    tiers = f"Tier {number}" if int(m.ranking.tier[at].max()) == number else f"Tiers {number} to {last}"
    what = "may be best" if number == 1 else f"led by {leader.system}"
    values = [e.value for e in (m.estimates[int(i)] for i in at) if not e.refused]
    rug = _el("svg", *(line(axis.at(v), 3, 17, "rug") for v in values), class_="r", width="100%", height=20,
              aria_hidden="true", focusable="false")  # fmt: skip
    ends = limits(min(values), max(values)) if values else NONE
    head = el(
        "summary",
        el("span", el("b", tiers), f" {many(n, 'system')}, ", names_in(what, [leader.system] if number > 1 else []), class_="tn"),
        el("span", rug, class_="tr"), el("span", f"{m.name} {ends}", class_="te m"),
    )  # fmt: skip
    shown: Sequence[int] = [int(i) for i in at]
    note = None
    if len(facts.systems) > ROWS and number > 1:
        asked = {s for c in facts.claims for s in (c.a, c.b)}
        shown = [i for i in shown if m.estimates[i].system in asked]
        note = paragraph(f"{many(n - len(shown), 'system')} of this tier: see the CSV below.", class_="note")
    rows = _rows(facts, m, axis, shown) if shown else None
    return el("details", head, el("div", rows, note, class_="tw"), class_=f"tier t{min(number, 5)}", open=number == 1)


def _rows(facts: Facts, m: MeasureFacts, axis: Axis, at: Sequence[int] | range, tiers: bool = False) -> Html:
    heads: list[Child] = [
        el("th", "#", scope="col"), el("th", "system", scope="col"), el("th", m.name, scope="col", class_="n0"),
        el("th", axis_head(axis), scope="col", class_="p"),
        el("th", f"{facts.level} interval", scope="col", class_="n0 o"), el("th", "may rank", scope="col", class_="n0"),
        el("th", "tier", scope="col", class_="n0") if tiers else None,
    ]  # fmt: skip
    asked = {s for c in facts.claims for s in (c.a, c.b)} if facts.asked else set()
    rows = []
    for i in at:
        e, r = m.estimates[i], m.ranking
        drawn: Child = row(axis, [_span(e)], height=18) if not e.refused else "; ".join(e.notes)
        rows.append(el(
            "tr", el("td", count(i + 1), class_="k"), el("th", name(e.system), scope="row", title=e.system),
            el("td", plain(e.value), class_="n0"), el("td", drawn, class_="p g"),
            el("td", limits(e.low, e.high), class_="n0 o"), el("td", f"{r.low[i]}–{r.high[i]}", class_="n0"),
            el("td", str(r.tier[i]), class_="n0") if tiers else None, class_="on" if e.system in asked else None,
        ))  # fmt: skip
    cols = ("ck", "cs", "cv", None, "ci o", "cr", *(["ck"] if tiers else []))
    step = 100 * axis.step / (axis.high - axis.low)
    return el(
        "table", el("caption", f"Systems by {m.name}", class_="vh"), el("colgroup", *(el("col", class_=c) for c in cols)),
        el("thead", el("tr", *heads)), el("tbody", *rows), class_="lb sort", style=f"--step:{step:.4f}%",
    )  # fmt: skip
