"""Measures that read the text: what systems found by its words, unjudged documents included."""

from __future__ import annotations

from truegain.report.claims import true_minus
from truegain.report.facts import ContentFacts, Facts
from truegain.report.html import (
    Html,
    Section,
    csv_link,
    el,
    folded,
    head,
    join,
    limits,
    links,
    name,
    num,
    paragraph,
    plain,
    plot,
    room,
    soft,
    svg_link,
    table,
    tr,
    who,
)
from truegain.report.svg import Axis, Span, axis_head, row, stacked

UNFOLDED = 24


def section(facts: Facts) -> Section | None:
    """Only where there is a corpus."""
    content = facts.content
    if content is None:
        return None
    first = next(iter(content.estimates))
    best = max(content.estimates[first], key=lambda e: e.value)
    agree = ""
    if (tau := content.tau.get(first)) is not None:
        span = limits(tau.low, tau.high, signs=True)
        agree = f" Its order agrees with that by {facts.main.name}: tau {plain(tau.value)} ({facts.level} CI {span})."
    lede = paragraph(
        "By ", first, ", ", name(best.system), f" has the highest score, {plain(best.value)}.", agree, class_="lede"
    )
    about = (
        "How much closer the text of the top 20 documents is to that of the relevant ones than the collection is (Hui, "
        "Berberich and Mele 2017). Unjudged documents count by their text, so they matter less; relevance is taken "
        "from the uncorrected judgments."
    )
    notes = (paragraph(true_minus(n), class_="note") for n in content.notes)
    body = join(lede, paragraph(about, class_="prose-p"), _figure(facts, content), *notes)
    data = {
        "scores": {m: [_record(e.system, e.value, e.low, e.high) for e in row] for m, row in content.estimates.items()},
        "tau": {m: {"value": t.value, "low": t.low, "high": t.high} for m, t in content.tau.items()},
        "notes": list(content.notes),
    }
    return Section("content", "By the text itself", "Content", body, data)


def _record(system: str, value: float, low: float, high: float) -> dict[str, object]:
    return {"system": system, "value": value, "low": low, "high": high}


def _figure(facts: Facts, content: ContentFacts) -> Html:
    """A row a system, best by the main measure on top: the first measure drawn, the others as numbers."""
    first, *others = content.estimates
    spans = [(e.system, Span(e.value, e.low, e.high)) for e in content.estimates[first]]
    axis = Axis.of([x for _, s in spans for x in (s.low, s.high, s.value)], 5)
    rows, data = [], []
    for i, (system, s) in enumerate(spans):
        more = [content.estimates[m][i].value for m in others]
        main = facts.main.estimates[i].value
        numbers = [num(plain(s.value)), num(limits(s.low, s.high), more="o"), *(num(plain(x), more="o") for x in more)]
        rows.append(tr(who(system), num(plain(main)), plot(row(axis, [s], height=20)), *numbers))
        data.append((system, main, s.value, s.low, s.high, *more))
    top = [head("system"), head(soft(facts.main.name), "n0"), head(axis_head(axis), "p"), head(first, "n0")]
    top += [head(f"{facts.level} interval", "n0 o"), *(head(m, "n0 o") for m in others)]
    cols = ("cs", "x", None, "z", "ci o", *("z o" for _ in others))
    made = table(
        f"{first}, systems in the order of {facts.main.name}",
        top,
        rows,
        cols=cols,
        kind=f"sort {room(s for s, _ in spans)}",
    )
    columns = ("system", facts.main.name, first, "low", "high", *others)
    drawn = stacked([(w, [s]) for w, s in spans], axis, f"{first} with {facts.level} intervals")
    take = links(csv_link("content.csv", columns, data), svg_link("content.svg", drawn))
    caption = el("figcaption", f"Intervals are over topics, each system alone ({facts.level}).", take)
    if len(spans) > UNFOLDED:
        return el("figure", folded(f"{first} of {len(spans):,} systems", made, caption))
    return el("figure", made, caption)
