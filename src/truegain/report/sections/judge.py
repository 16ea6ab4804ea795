"""The judge against the gold labels, and whom it may favour."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.inference.judges.favour import Favour
from truegain.report.facts.facts import Facts, JudgeFacts
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Child, Html, el, join, name, names_in, paragraph
from truegain.report.parts.numbers import count, limits, many, percent, plain, signed
from truegain.report.parts.section import Section
from truegain.report.parts.svg import Span, axis_head, row, stacked
from truegain.report.parts.words import true_minus

UNFOLDED = 24


def section(facts: Facts) -> Section | None:
    """Only where there are gold labels."""
    judge = facts.judge
    if judge is None:
        return None
    right, wrong = judge.rates[0], judge.rates[1]
    lede = (
        f"The judge finds {percent(right)} of the relevant documents and rejects {percent(wrong)} of the others, by "
        f"{many(judge.pairs, 'gold label')} ({judge.design})."
    )
    parts: list[Child] = [paragraph(lede, class_="lede")]
    if judge.by_system is not None:
        parts += [_finding(facts, judge), _favours(facts, judge)]
    if facts.main.naive is not None and len(facts.systems) > 2:
        parts.append(_scores(facts))
    parts.append(_labels(judge))
    parts += [paragraph(names_in(true_minus(n), facts.systems), class_="note") for n in judge.notes]
    data = {
        "told": judge.told, "mR": right, "mN": wrong, "D": judge.rates[2], "design": judge.design,
        "labels": judge.by_label.records(), "notes": list(judge.notes),
        "systems": [] if judge.by_system is None else judge.by_system.table().records(),
        "finding": "" if judge.by_system is None else judge.by_system.finding,
    }  # fmt: skip
    return Section("judge", "The judge, and whom it favours", "The judge", join(*parts), data,
                   chip=many(judge.pairs, "gold label"))  # fmt: skip


def _finding(facts: Facts, judge: JudgeFacts) -> Html:
    assert judge.by_system is not None
    return paragraph(names_in(true_minus(judge.by_system.finding), facts.systems), class_="prose-p")


def _favours(facts: Facts, judge: JudgeFacts) -> Html:
    """Accuracy on the documents that each system retrieved, and what the errors add to its score."""
    found = judge.by_system
    assert found is not None
    order = [s for s in facts.main.ranking.systems if s in found.systems]
    place = {s: i for i, s in enumerate(found.systems)}
    favours: Sequence[Favour] = [found.favours[place[s]] for s in order]
    axis = Axis.of([x for f in favours for x in (f.value, f.low, f.high)], 4, zero=True)
    rows, data, spans = [], [], []
    for s, f in zip(order, favours, strict=True):
        i = place[s]
        (k_n, k_r), (n_n, n_r) = found.right[i].tolist(), found.pairs[i].tolist()
        drawn: Child = "no size: too few gold labels"
        if f.value is not None:
            span = Span(f.value, f.low, f.high)
            drawn = row(axis, [span], zero=True, height=20)
            spans.append((s, [span]))
        rows.append(el(
            "tr", el("th", name(s), scope="row", title=s), el("td", *_rate(k_r, n_r), class_="n0"),
            el("td", *_rate(k_n, n_n), class_="n0"), el("td", drawn, class_="p"),
            el("td", signed(f.value), class_="n0"), el("td", limits(f.low, f.high, signs=True), class_="n0 o"),
        ))  # fmt: skip
        data.append((s, int(n_r), k_r / n_r if n_r else None, int(n_n), k_n / n_n if n_n else None, f.value, f.low, f.high))
    head = (
        el("th", "system", scope="col"), el("th", "relevant found (mR)", scope="col", class_="n0"),
        el("th", "others rejected (mN)", scope="col", class_="n0"),
        el("th", axis_head(axis, signs=True, words="favour, plot"), scope="col", class_="p"),
        el("th", "favour", scope="col", class_="n0"), el("th", "95% interval", scope="col", class_="n0 o"),
    )  # fmt: skip
    table = el(
        "table", el("caption", f"On the documents each system retrieved ({found.measure}), best system on top"),
        el("colgroup", *(el("col", class_=c) for c in ("cs", "z", "z", None, "x", "y o"))),
        el("thead", el("tr", *head)), el("tbody", *rows), class_="sort jd",
    )  # fmt: skip
    columns = ("system", "gold_relevant", "mR", "gold_non_relevant", "mN", "favour", "low", "high")
    caption = el(
        "figcaption", el("b", "Favour"), f": what the judge's errors add to a system's {found.measure} more than to the"
        " others', for documents of the same gold label. Each interval is of one system alone; the sentence above is"
        " adjusted for all of them.",
        links(csv_link("judge.csv", columns, data),
              svg_link("judge.svg", stacked(spans, axis, f"Favour, {found.measure}", signs=True)) if spans else None),
    )  # fmt: skip
    return el("figure", _maybe_folded(table, len(order), "The judge, system by system"), caption)


def _maybe_folded(table: Html, rows: int, words: str) -> Html:
    if rows <= UNFOLDED:
        return table
    return el("details", el("summary", f"{words} ({count(rows)})"), table, class_="again", open=True)


def _rate(right: float, of: float) -> tuple[Child, ...]:
    if not of:
        return ("—",)
    return (f"{right / of:.2f} ", el("span", f"of {count(of)}", class_="of"))


def _scores(facts: Facts) -> Html:
    """Scores by the labels as they are, beside the corrected ones."""
    m = facts.main
    assert m.naive is not None
    spans = [
        (e.system, [Span(n, None, None, True), Span(e.value, e.low, e.high)])
        for e, n in zip(m.estimates, m.naive, strict=True) if not e.refused
    ]  # fmt: skip
    axis = Axis.of([x for _, two in spans for s in two for x in (s.low, s.high, s.value)], 5)
    rows = [
        el("tr", el("th", name(s), scope="row", title=s), el("td", row(axis, two), class_="p"), el("td", plain(two[0].value), class_="n0"),
           el("td", plain(two[1].value), class_="n0"), el("td", signed(two[1].value - two[0].value), class_="n0"))
        for s, two in spans
    ]  # fmt: skip
    head = (
        el("th", "system", scope="col"), el("th", axis_head(axis), scope="col", class_="p"),
        el("th", "as labelled", scope="col", class_="n0"), el("th", "corrected", scope="col", class_="n0"),
        el("th", "change", scope="col", class_="n0"),
    )  # fmt: skip
    table = el(
        "table", el("caption", f"{m.name} by the labels as they are, and corrected"),
        el("colgroup", *(el("col", class_=c) for c in ("cs", None, "x", "x", "x"))), el("thead", el("tr", *head)),
        el("tbody", *rows), class_="sort",
    )  # fmt: skip
    data = [(s, two[0].value, two[1].value, two[1].low, two[1].high) for s, two in spans]
    caption = el(
        "figcaption", f"Open: labels as they are. Filled: corrected by gold labels, with {facts.level} intervals.",
        links(csv_link("corrected.csv", ("system", "as_labelled", "corrected", "low", "high"), data),
              svg_link("corrected.svg", stacked(spans, axis, m.name))),
    )  # fmt: skip
    if len(spans) > UNFOLDED:
        table = el("details", el("summary", f"{m.name} of {many(len(spans), 'system')}, as labelled and corrected"),
                   table, class_="again")  # fmt: skip
    return el("figure", table, caption)


def _labels(judge: JudgeFacts) -> Html:
    """The confusion matrix."""
    t = judge.by_label
    rows = [
        el("tr", el("th", str(label), scope="row"), el("td", count(float(n or 0)), class_="n0"),
           *(el("td", "—" if x is None else f"{x:.2f}", class_="n0") for x in shares))
        for label, n, *shares in t.rows
    ]  # fmt: skip
    head = (el("th", c.replace("bronze", "judge says"), scope="col", class_="n0" if i else None) for i, c in enumerate(t.columns))
    table = el("table", el("caption", "What the judge says, given the gold label"), el("thead", el("tr", *head)), el("tbody", *rows), class_="cm")
    scroll = el("div", table, class_="scroll", role="region", tabindex="0", aria_label="What the judge says, given the gold label")
    return el("figure", scroll, el("figcaption", "Share of each of the judge's labels.", links(csv_link("labels.csv", t.columns, t.rows))))
