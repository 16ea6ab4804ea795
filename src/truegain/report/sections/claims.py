"""What decides each claim: its sources, their shares, and the most influential units."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.report.claims import chip_of, shared_lines
from truegain.report.facts import Facts, with_unjudged
from truegain.report.html import (
    Html,
    Section,
    downloads,
    el,
    figure,
    folded,
    head,
    join,
    label,
    limits,
    many,
    name,
    notes,
    num,
    paragraph,
    plot,
    signed,
    table,
    tr,
    who,
)
from truegain.report.svg import Axis, Span, axis_head, hidden_svg, line, listed, pc, row, stacked, standalone
from truegain.study.variance_table import NOT_KNOWN, InfluentialUnit, is_open_which, largest_of
from truegain.study.verdict import Verdict
from truegain.study.verdict_text import ASSUMES_WORST

MOST_CARDS = 24
NO_DIFFERENCE = 1e-12  # a difference that is rounding alone
MIDDLE = "\N{BLACK LEFT-POINTING SMALL TRIANGLE} against \N{MIDDLE DOT} for \N{BLACK RIGHT-POINTING SMALL TRIANGLE}"


def section(facts: Facts) -> Section | None:
    """Only where some difference has an interval; the first claim open, all others in one fold."""
    verdicts = detailed(facts)
    if not verdicts:
        return None
    first, *others = verdicts[:MOST_CARDS]
    cards = [_card(facts, v, i) for i, v in enumerate(others, 1)]
    left = len(verdicts) - MOST_CARDS
    more = notes([f"{many(left, 'more claim')}: the page's data (JSON) has all."] if left > 0 else [])
    rest = folded(f"Details of {many(len(cards), 'other claim')}", *cards, more) if cards else None
    parts = _parts(facts, first, 0)
    body = join(el("div", el("h3", _about(first), _mostly(first)), *parts, class_="claim-body", id=anchor(0)), rest)
    return Section("decides", "What decides it", "What decides it", body)


def detailed(facts: Facts) -> list[Verdict]:
    """Verdicts with details: those with an interval."""
    return [v for c in facts.claims for v in c.verdicts if v.comparison.low is not None]


def anchor(number: int) -> str:
    """Where the details of a claim are on the page; a browser opens the folds around it.

    >>> anchor(0)
    'claim-1'
    """
    return f"claim-{number + 1}"


def anchors(facts: Facts, number: int = 0) -> list[str]:
    """Where the details of each claim are, by one of the measures; empty where there are none."""
    at = {id(v): anchor(i) for i, v in enumerate(detailed(facts)[:MOST_CARDS])}
    return [at.get(id(c.verdicts[number]), "") for c in facts.claims]


def _about(verdict: Verdict) -> Html:
    c = verdict.comparison
    return join(name(c.b), " against ", name(c.a), el("span", f", {c.measure}", class_="m"))


def _card(facts: Facts, verdict: Verdict, number: int) -> Html:
    inside = el("div", *_parts(facts, verdict, number), class_="claim-body", id=anchor(number))
    alone = el("span", " tested alone", class_="of") if facts.joint else None
    return folded(join(_about(verdict), " ", chip_of(verdict), alone), inside, kind="claim")


def _parts(facts: Facts, verdict: Verdict, number: int) -> list[Html | None]:
    c = verdict.comparison
    return [
        _shares(verdict, number),
        _sources(facts, verdict, number),
        *(_influential_units(verdict, source, units, number) for source, units in verdict.influential.items() if units),
        _unjudged(facts, verdict),
        notes((*verdict.withheld, *verdict.notes), (c.a, c.b)),
    ]


def _mostly(verdict: Verdict) -> str:
    shares = shared_lines(verdict)
    if len(shares) < 2:
        return ""
    if (largest := largest_of(dict(shares))) is None:
        if is_open_which(dict(shares)):
            return ": which source contributes most of the uncertainty is unknown"
        return ": no single source dominates the uncertainty"
    source, is_sure = largest
    part = "most of the uncertainty comes" if is_sure else "the largest part of the uncertainty probably comes"
    return f": {part} from {verdict.source_of(source).shown}"


def _shares(verdict: Verdict, number: int) -> Html:
    """One bar of what is estimated, with the ranges in words; what is not covered has no segment."""
    shares = shared_lines(verdict)
    fixed = f"Not covered, and so without a share: {verdict.not_covered}."
    if len(shares) < 2:
        only = [
            f"All of the variance comes from {verdict.source_of(s).shown}: nothing else was sampled. "
            for s, _ in shares
        ]
        return paragraph(*only, fixed, class_="note")
    total = sum(share.value for _, share in shares) or 1.0
    parts, at = [], 0.0
    for i, (source, share) in enumerate(shares, 1):
        wide = 100 * share.value / total
        if wide <= 0:
            continue
        kind = min(i, 3)
        parts.append(el("rect", class_=f"g{kind}", x=pc(at), y=0, width=pc(max(wide - 0.3, 0.2)), height=26))
        written = (f"{name_} {share}" for name_ in (verdict.source_of(source).shown, source))
        if words := next((x for x in written if wide >= max(28, _room(x))), ""):
            parts.append(el("text", words, class_=f"on{kind}", x=pc(at), dx=9, y=18))
        at += wide
    ranges = ", ".join(f"{verdict.source_of(source).shown} {share}" for source, share in shares)
    if all(str(share) == NOT_KNOWN for _, share in shares):
        return paragraph(
            f"The shares of the variance are unknown: there are too few units to estimate them. {fixed}", class_="note"
        )
    bar = el("svg", *parts, class_="share", width="100%", height=26, role="img", aria_label=f"Shares: {ranges}.")
    data = [(verdict.source_of(source).shown, share.estimate, *share.ends) for source, share in shares]
    c = verdict.comparison
    svg = standalone(join(*parts), 860, 26, f"{c.b} minus {c.a}, {c.measure}: shares of the variance: {ranges}")
    take = downloads(f"shares-{number}", ("source", "share", "low", "high"), data, svg)
    words = f": the bar shows the estimates, the numbers are 90% ranges: {ranges}. {fixed}"
    return figure(bar, el("b", "Shares of the variance"), words, take)


def _room(words: str) -> float:
    """How much of the width of a phone some words in the bar need, in per cent."""
    return (7.6 * len(words) + 12) / 3.6


def _sources(facts: Facts, verdict: Verdict, number: int) -> Html | None:
    """The difference over each source alone, over all sources, and uncorrected."""
    sources = verdict.table()
    if len(sources.rows) < 2:
        return None
    spans: list[tuple[str, Span]] = []
    for over, value, low, high, *_ in sources.rows:
        if isinstance(value, float):
            spans.append((str(over), Span(value, _float(low), _float(high), over == verdict.uncorrected.source)))
    axis = Axis.over([s for _, s in spans], zero=True)
    rows = []
    for words, s in spans:
        interval = limits(s.low, s.high, signs=True, min_effect=facts.min_effect)
        numbers = num(signed(s.value, min_effect=facts.min_effect)), num(interval, more="o")
        rows.append(tr(label(words), plot(row(axis, [s], zero=True, height=20)), *numbers))
    top = [head("source"), head(axis_head(axis, signs=True), "p"), head("difference", "n0")]
    top.append(head(f"{facts.level} interval", "n0 o"))
    c = verdict.comparison
    svg = stacked([(w, [s]) for w, s in spans], axis, f"{c.b} minus {c.a}, {c.measure}, by source", signs=True)
    about = "The difference with the interval over each source alone, and over all"
    made = table(about, top, rows, cols=("w", None, "x", "y o"), kind="src")
    return figure(made, downloads(f"sources-{number}", sources.columns, sources.rows, svg))


def _float(cell: object) -> float | None:
    return cell if isinstance(cell, float) else None


def _influential_units(verdict: Verdict, source: str, units: Sequence[InfluentialUnit], number: int) -> Html:
    """The most influential units; without it: all fitted again."""
    most = max(abs(p.influence) for p in units) or 1.0
    refit, digits = all(p.without is not None for p in units), 3 if most >= 0.01 else 4
    rows, drawn = [], []
    for p in units:
        wide = 48 * abs(p.influence) / most
        left = pc(50 - wide if p.influence < 0 else 50.0)
        bar = el("rect", class_="mb", x=left, y=6, width=pc(max(wide, 0.4)), height=9)
        numbers = [num(signed(p.influence, digits)), *([num(signed(p.without, digits))] if refit else [])]
        drawn.append((p.unit, join(bar, line(50, 0, 20, "zero"))))
        rows.append(tr(who(p.unit), plot(hidden_svg(drawn[-1][1], 20)), *numbers))
    top = [
        head(verdict.source_of(source).units.lower().removesuffix("s")),
        head(MIDDLE, "mid"),
        head("influence", "n0"),
    ]
    top += [head("without it", "n0")] if refit else []
    cols = ("w", None, "x", *(["x"] if refit else []))
    about, c = f"Most influential {verdict.source_of(source).units.lower()}", verdict.comparison
    title = f"{about}: {c.b} minus {c.a}, {c.measure}; largest influence {signed(most, digits)[1:]}"
    columns = ("unit", "move", "without")
    take = downloads(f"{source}-{number}", columns, [tuple(p) for p in units], listed(drawn, title))
    words = ""
    if refit:
        words = f"Without any one of them, the difference keeps its sign ({signed(c.difference)} with all)."
        if turned := [p.unit for p in units if p.without is not None and p.without * c.difference < 0]:
            words = f"Without {' or '.join(turned)}, the difference would change sign."
        elif gone := [p.unit for p in units if p.without is not None and abs(p.without) < NO_DIFFERENCE]:
            words = f"Without {' or '.join(gone)}, there would be no difference ({signed(c.difference)} with all)."
    return figure(table(about, top, rows, cols=cols, kind="mv"), words, take)


def _unjudged(facts: Facts, verdict: Verdict) -> Html | None:
    hidden = verdict.unjudged_bounds
    if hidden is None or not hidden.documents:
        return None
    how = ASSUMES_WORST if verdict.unjudged_policy == "bound" else "the verdict counts them as not relevant"
    counted = hidden.counted + (f" that {verdict.comparison.measure} would count" if hidden.first is None else "")
    if not hidden.least and not hidden.most:
        return paragraph(f"{counted} cannot change the difference: they count the same in both.", class_="note")
    move = limits(hidden.least, hidden.most, signs=True)
    wide = with_unjudged(facts, verdict)
    to = "" if wide is None else f", and widen its interval to {limits(*wide, signs=True, min_effect=facts.min_effect)}"
    return paragraph(f"{counted} could change the difference by {move}{to}; {how}.", class_="note")
