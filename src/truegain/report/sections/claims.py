"""What decides each claim: its sources, their shares, and the units that pull it most."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.inference.study.lattice import Share
from truegain.inference.study.lines import UNITS, Line, Pull
from truegain.inference.study.verdict import Verdict
from truegain.report.facts.facts import Facts
from truegain.report.facts.wide import with_holes
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Html, el, join, name, names_in, paragraph
from truegain.report.parts.numbers import limits, many, signed
from truegain.report.parts.section import Section
from truegain.report.parts.svg import Span, alone, axis_head, hidden_svg, line, listed, pc, row, stacked
from truegain.report.parts.table import folded, head, label, num, plot, table, tr, who
from truegain.report.parts.words import chip_of, true_minus

MOST_CARDS = 24
MIDDLE = "\N{BLACK LEFT-POINTING SMALL TRIANGLE} against \N{MIDDLE DOT} for \N{BLACK RIGHT-POINTING SMALL TRIANGLE}"
WORDS = {
    "topics": "topics",
    "collection": "the collection",
    "assessors": "assessors",
    "replicates": "the judge asked again",
    "gold": "gold labels",
    "holes": "the sample of unjudged documents",
}


ANYTIME = ("anytime=True", "--anytime")  # in Python, and in a command


def section(facts: Facts) -> Section | None:
    """Only where some difference has an interval; a card for every claim, the first open."""
    verdicts = [v for c in facts.claims for v in c.verdicts if v.comparison.low is not None]
    if not verdicts:
        return None
    shown = verdicts[:MOST_CARDS]
    cards = [_card(facts, v, i) for i, v in enumerate(shown)]
    left = len(verdicts) - len(shown)
    said = f"{many(left, 'claim')} more: the page's data (JSON) has all." if left else ""
    body = join(*cards, paragraph(said, class_="note") if said else None)
    return Section("decides", "What decides it", "What decides it", body)


def _card(facts: Facts, verdict: Verdict, number: int) -> Html:
    c = verdict.comparison
    inside = [
        _shares(verdict, number),
        _sources(facts, verdict, number),
        *(_pulls(verdict, source, pulls, number) for source, pulls in verdict.decisive.items() if pulls),
        _holes(facts, verdict),
        *(
            paragraph(names_in(true_minus(x.replace(*ANYTIME) if facts.made.command else x), (c.a, c.b)), class_="note")
            for x in (*verdict.borrowed, *verdict.notes)
        ),
    ]
    about = join(name(c.b), " against ", name(c.a), el("span", f", {c.measure}", class_="m"))
    if number == 0:
        return el("div", el("h3", about, _mostly(verdict)), *inside, class_="claim-body")
    return folded(join(about, " ", chip_of(verdict)), el("div", *inside, class_="claim-body"), kind="claim")


def _shared(verdict: Verdict) -> list[Line]:
    """Sources with a share, the largest first."""
    return sorted((x for x in verdict.lines if x.share is not None), key=lambda x: -_share(x).value)


def _share(line: Line) -> Share:
    assert line.share is not None
    return line.share


def _mostly(verdict: Verdict) -> str:
    lines = _shared(verdict)
    if len(lines) < 2:
        return ""
    source, most = lines[0].source, _share(lines[0])
    if most.value <= 0.5:
        return ": no source is known to bring most of it"
    return f": {'' if most.low > 0.5 else 'probably '}mostly {WORDS[source]}"


def _shares(verdict: Verdict, number: int) -> Html:
    """One bar of what is estimated, with the ranges in words; what is held fixed has no segment."""
    lines = _shared(verdict)
    fixed = f"Held fixed, and so without a share: {verdict.held_fixed}."
    if len(lines) < 2:
        only = f"All of the variance is over {WORDS[lines[0].source]}: nothing else was sampled. " if lines else ""
        return paragraph(only, fixed, class_="note")
    total = sum(_share(x).value for x in lines) or 1.0
    parts, at = [], 0.0
    for i, x in enumerate(lines, 1):
        wide = 100 * _share(x).value / total
        if wide <= 0:
            continue
        kind = min(i, 3)
        parts.append(el("rect", class_=f"g{kind}", x=pc(at), y=0, width=pc(max(wide - 0.3, 0.2)), height=26))
        if wide >= 28:
            words = f"{WORDS[x.source]} {_share(x)}"
            parts.append(el("text", words, class_=f"on{kind}", x=pc(at), dx=9, y=18))
        at += wide
    told = ", ".join(f"{WORDS[x.source]} {_share(x)}" for x in lines)
    bar = el("svg", *parts, class_="share", width="100%", height=26, role="img", aria_label=f"Shares: {told}.")
    data = [(WORDS[x.source], _share(x).estimate, *_share(x).ends) for x in lines]
    c = verdict.comparison
    drawn = alone(join(*parts), 860, 26, f"{c.b} less {c.a}, {c.measure}: shares of the variance: {told}")
    columns = ("source", "share", "low", "high")
    take = links(csv_link(f"shares-{number}.csv", columns, data), svg_link(f"shares-{number}.svg", drawn))
    return el(
        "figure",
        bar,
        el(
            "figcaption",
            el("b", "Shares of the variance"),
            f", drawn as estimated, in words with ranges that are right in 9 of 10 studies: {told}. {fixed}",
            take,
        ),
    )


def _sources(facts: Facts, verdict: Verdict, number: int) -> Html | None:
    """The difference over each source alone, over all together, and by the labels as they are."""
    found = verdict.table(words=False)
    if len(found.rows) < 2:
        return None
    spans: list[tuple[str, Span]] = []
    first = found.columns.index("over")  # behind what was asked, which is the same in every row
    for over, value, low, high, *_ in (cells[first:] for cells in found.rows):
        if isinstance(value, float):
            spans.append((str(over), Span(value, _float(low), _float(high), over == verdict.naive.source)))
    axis = Axis.of([x for _, s in spans for x in (s.low, s.high, s.value)], zero=True)
    rows = []
    for words, s in spans:
        ends = limits(s.low, s.high, signs=True, smallest=facts.smallest)
        numbers = num(signed(s.value, smallest=facts.smallest)), num(ends, more="o")
        rows.append(tr(label(words), plot(row(axis, [s], zero=True, height=20)), *numbers))
    top = [head("over"), head(axis_head(axis, signs=True), "p"), head("difference", "n0")]
    top.append(head(f"{facts.level} interval", "n0 o"))
    c = verdict.comparison
    drawn = stacked([(w, [s]) for w, s in spans], axis, f"{c.b} less {c.a}, {c.measure}, by source", signs=True)
    take = links(csv_link(f"sources-{number}.csv", found.columns, found.rows), svg_link(f"sources-{number}.svg", drawn))
    about = "The difference over each source alone, and over all"
    return el(
        "figure", table(about, top, rows, cols=("w", None, "x", "y o"), kind="src"), el("figcaption", take)
    )  # fmt: skip


def _float(cell: object) -> float | None:
    return cell if isinstance(cell, float) else None


def _pulls(verdict: Verdict, source: str, pulls: Sequence[Pull], number: int) -> Html:
    """The units that move the difference most; without it: all fitted again."""
    most = max(abs(p.move) for p in pulls) or 1.0
    refit, digits = all(p.without is not None for p in pulls), 3 if most >= 0.01 else 4
    rows, drawn = [], []
    for p in pulls:
        wide = 48 * abs(p.move) / most
        bar = el("rect", class_="mb", x=pc(50 - wide if p.move < 0 else 50.0), y=6, width=pc(max(wide, 0.4)), height=9)
        numbers = [num(signed(p.move, digits)), *([num(signed(p.without, digits))] if refit else [])]
        drawn.append((p.unit, join(bar, line(50, 0, 20, "zero"))))
        rows.append(tr(who(p.unit), plot(hidden_svg(drawn[-1][1], 20)), *numbers))
    top = [head(UNITS[source].lower().removesuffix("s")), head(MIDDLE, "mid"), head("move", "n0")]
    top += [head("without it", "n0")] if refit else []
    cols = ("w", None, "x", *(["x"] if refit else []))
    about = table(f"{UNITS[source]} that move it most", top, rows, cols=cols, kind="mv")
    data = csv_link(f"{source}-{number}.csv", ("unit", "move", "without"), [tuple(p) for p in pulls])
    c = verdict.comparison
    title = f"{UNITS[source]} that move {c.b} less {c.a}, {c.measure}, most; the longest by {signed(most, digits)[1:]}"
    take = links(data, svg_link(f"{source}-{number}.svg", listed(drawn, title)))
    return el("figure", about, el("figcaption", _turned(verdict, pulls) if refit else "", take))


def _turned(verdict: Verdict, pulls: Sequence[Pull]) -> str:
    """Whether any of them alone turns the sign: fitted again, not guessed."""
    d = verdict.comparison.difference
    turned = [p.unit for p in pulls if p.without is not None and p.without * d < 0]
    if turned:
        return f"Without {' or '.join(turned)} alone the difference would have the other sign."
    return f"Leave any one of them out and the difference keeps its sign ({signed(d)} with all)."


def _holes(facts: Facts, verdict: Verdict) -> Html | None:
    hidden = verdict.hidden
    if hidden is None or not hidden.documents:
        return None
    how = "the verdict takes the worst" if verdict.holes == "bound" else "the verdict counts them as not relevant"
    found = hidden.counted + (f" where {verdict.comparison.measure} looks" if hidden.first is None else "")
    if not hidden.least and not hidden.most:
        return paragraph(f"{found} cannot move the difference: they count alike in both.", class_="note")
    move = limits(hidden.least, hidden.most, signs=True)
    wide = with_holes(facts, verdict)
    to = "" if wide is None else f", and widen its interval to {limits(*wide, signs=True, smallest=facts.smallest)}"
    return paragraph(f"{found} could move the difference by {move}{to}; {how}.", class_="note")
