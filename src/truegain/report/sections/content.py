"""Measures that read the text: what systems found by its words, unjudged documents included."""

from __future__ import annotations

from truegain.report.facts import ContentFacts, Facts
from truegain.report.html import (
    Html,
    Section,
    downloads,
    figure,
    head,
    join,
    limits,
    name,
    notes,
    num,
    paragraph,
    plain,
    plot,
    room,
    soft,
    table,
    tr,
    who,
)
from truegain.report.svg import Axis, Span, axis_head, row, stacked
from truegain.stats.results import Estimate

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
    body = join(lede, paragraph(about, class_="prose-p"), _figure(facts, content), notes(content.notes))
    data = {
        "scores": {m: [{"system": e.system, **_limits(e)} for e in row] for m, row in content.estimates.items()},
        "tau": {m: _limits(tau) for m, tau in content.tau.items()},
        "notes": list(content.notes),
    }
    return Section("content", "By the text itself", "Content", body, data)


def _limits(e: Estimate) -> dict[str, float]:
    return {"value": e.value, "low": e.low, "high": e.high}


def _figure(facts: Facts, content: ContentFacts) -> Html:
    """A row a system, best by the main measure on top: the first measure drawn, the others as numbers."""
    first, *others = content.estimates
    spans = [(e.system, Span(e.value, e.low, e.high)) for e in content.estimates[first]]
    axis = Axis.over(content.estimates[first])
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
    about = f"{first}, systems in the order of {facts.main.name}"
    made = table(about, top, rows, cols=cols, kind=f"sort {room(s for s, _ in spans)}")
    columns = ("system", facts.main.name, first, "low", "high", *others)
    svg = stacked([(w, [s]) for w, s in spans], axis, f"{first} with {facts.level} intervals")
    caption = f"Intervals are over topics, each system alone ({facts.level})."
    fold = f"{first} of {len(spans):,} systems" if len(spans) > UNFOLDED else None
    return figure(made, caption, downloads("content", columns, data, svg), fold=fold)
