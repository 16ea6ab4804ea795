"""The judge of answers beside people: its mean error by system, and a scatter of its values against theirs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from truegain.judge_error.value_errors import ALL, CORRECTION, MeanError, ValueErrors
from truegain.report.facts import Facts, JudgeFacts
from truegain.report.html import (
    Child,
    Html,
    Section,
    count,
    downloads,
    el,
    figure,
    head,
    heads,
    join,
    label,
    limits,
    many,
    names_in,
    notes,
    num,
    paragraph,
    percent,
    plain,
    plot,
    room,
    scrolls,
    signed,
    table,
    tr,
    true_minus,
    who,
)
from truegain.report.svg import LOOK, Axis, Span, axis_head, row, stacked

MOST_POINTS = 1500  # of a scatter
SIDE, LEFT, BELOW, ABOVE = 380, 46, 44, 30  # pixels of the square, and around it


def section(facts: Facts, judge: JudgeFacts, values: ValueErrors, scores: Html | None, matrix: Html) -> Section:
    """How good a judge of answers is; scores: corrected ones beside uncorrected; matrix: of pass and fail."""
    parts: list[Child] = [paragraph(names_in(true_minus(_lede(judge, values)), facts.systems), class_="lede")]
    more = [x for x in (values.leaning if values.gap is not None else "", values.worth) if x]
    parts += [paragraph(names_in(true_minus(text), facts.systems), class_="prose-p") for text in more]
    each = values.by_system if len(values.systems) > 1 else ()
    beside = "Judge and people on the answers that people labeled"
    lines = (values.overall, *each)
    parts += [errors_figure(facts, values, lines, "answers of", "gold labels", beside), scores]
    parts.append(matrix if values.is_binary else _scatter(facts, values))
    parts.append(notes(judge.notes, facts.systems))
    data: dict[str, object] = {
        "told": judge.summary,
        "design": judge.design,
        "errors": values.table().records(),
        "favored": values.leaning,
        "correlation": None if values.correlation is None else list(values.correlation),
        "notes": list(judge.notes),
    }
    if values.is_binary:
        data |= dict(zip(("sensitivity", "specificity", "informedness"), judge.rates, strict=True))
        data["labels"] = judge.by_label.records()
    chip = many(judge.pairs, "gold label")
    return Section("judge", "How good is the judge?", "The judge", join(*parts), data, chip=chip)


def _lede(judge: JudgeFacts, values: ValueErrors) -> str:
    if not values.is_binary:
        return values.bias
    right, rejected, _ = judge.rates
    return (
        f"The judge passes {percent(right)} of the answers that people pass (sensitivity) and fails "
        f"{percent(rejected)} of those that people fail (specificity), by {many(judge.pairs, 'gold label')} "
        f"({judge.design}). {values.bias}"
    )


def errors_figure(
    facts: Facts, values: ValueErrors, lines: Sequence[MeanError], of: str, labels: str, about: str
) -> Html:
    """Mean error with its interval, for all systems and for each, best system on top.

    of, labels: the heads of the columns that say whose errors these are, and how many; about: the title of the table
    with means of both.
    """
    order = {s: i for i, s in enumerate(("", *facts.main.ranking.systems))}
    lines = sorted(lines, key=lambda e: order.get(e.system, len(order)))
    axis = Axis.of([x for e in lines for x in (e.value, e.low, e.high)], 2, zero=True)
    rows, spans = [], []
    for e in lines:
        span = Span(e.value, e.low, e.high)
        spans.append((_name(e, values), [span]))
        cells = [num(count(e.labels), more="o"), plot(row(axis, [span], zero=True, height=20)), num(signed(e.value))]
        cells.append(num(limits(e.low, e.high, signs=True), more="o"))
        rows.append(tr(who(e.system) if e.system else label(_name(e, values)), *cells, kind=None if e.system else "on"))
    top = [head(of), head(labels, "n0 o")]
    top += [head(axis_head(axis, signs=True, words="mean error, plot"), "p"), *heads("mean error")]
    top.append(head(f"{facts.level} interval", "n0 o"))
    cols = ("cs", "x o", None, "x", "y o")
    title = f"Mean error of the judge, {values.measure}"
    made = table(title, top, rows, cols=cols, kind=f"sort {room(s for s, _ in spans)}")
    corrected = CORRECTION if facts.preferences is None else "The correction removes it, system by system."
    caption = (
        f"Mean error: judge minus people, with its {facts.level} interval over "
        f"{'clusters' if 'clusters' in facts.over else 'topics'}. {corrected}"
    )
    whole = values.table()
    svg = stacked(spans, axis, title, signs=True)
    beside = scrolls(_beside(lines, values, of, about), about)
    systems = {_name(e, values) for e in lines}
    columns = tuple(labels if name == "gold labels" else name for name in whole.columns)
    take = downloads("judge", columns, [line for line in whole.rows if line[0] in systems], svg)
    return join(figure(made, caption, take), figure(beside))


def _beside(lines: Sequence[MeanError], values: ValueErrors, of: str, about: str) -> Html:
    """Means of both, the mean absolute error and the correlations."""
    rows = []
    for e in lines:
        numbers = [plain(e.judge), plain(e.people), plain(e.absolute), plain(e.pearson, 2), plain(e.spearman, 2)]
        rows.append(tr(who(e.system) if e.system else label(_name(e, values)), *map(num, numbers)))
    top = [head(of), *heads("mean by judge", "mean by people", "mean absolute error", "Pearson", "Spearman")]
    return table(about, top, rows, kind="loose")


def _name(e: MeanError, values: ValueErrors) -> str:
    return e.system or (ALL if len(values.systems) > 1 else values.systems[0])


# ---- A scatter: people across, the judge upward, the diagonal where they agree.


def _scatter(facts: Facts, values: ValueErrors) -> Html:
    axis = Axis.of([*values.judge.tolist(), *values.gold.tolist()], 4)
    drawn, words = _points(values, axis), _words(values)
    wide, high = LEFT + SIDE + 20, ABOVE + SIDE + BELOW
    box = f"0 0 {wide} {high}"
    svg = el("svg", drawn, class_="sc", viewBox=box, role="img", aria_label=words)
    alone = el(
        "svg", el("title", words), el("style", Html(LOOK)), el("rect", width="100%", height="100%", fill="#fff"), drawn,
        xmlns="http://www.w3.org/2000/svg", width=wide, height=high, viewBox=box,
    )  # fmt: skip
    names = [values.systems[s] for s in values.system.tolist()]
    rows = list(zip(names, [values.topics[t] for t in values.topic.tolist()], values.gold.tolist(),
                    values.judge.tolist(), strict=True))  # fmt: skip
    unit = "cluster" if "clusters" in facts.over else "topic"
    caption = [
        f"One dot per labeled answer: {values.measure} by people (horizontal) and by the judge (vertical). On the "
        "dashed line they agree; above it the judge is too lenient."
    ]
    if len(values.systems) == 2:
        first, second = values.systems
        caption.append(f" Filled: {first}; hollow: {second}.")
    if len(values) > MOST_POINTS:
        caption.append(f" {count(MOST_POINTS)} of {count(len(values))} are drawn; the CSV has all.")
    take = downloads("judge-and-people", ("system", unit, "people", "judge"), rows, str(alone))
    return figure(svg, names_in("".join(caption), values.systems), take)


def _words(values: ValueErrors) -> str:
    r = values.correlation
    of = "they are not correlated" if r is None else f"Pearson's correlation is {r[0]:z.2f}"
    return f"Scatter of the judge's {values.measure} against people's, {many(len(values), 'answer')}; {of}."


def _points(values: ValueErrors, axis: Axis) -> Html:
    def across(x: float) -> str:
        return f"{LEFT + SIDE * axis.at(x) / 100:.1f}"

    def upward(y: float) -> str:
        return f"{ABOVE + SIDE * (1 - axis.at(y) / 100):.1f}"

    low, high = axis.low, axis.high
    parts = [
        el("line", class_="del", x1=across(low), y1=upward(low), x2=across(high), y2=upward(high)),
        el("line", class_="axl", x1=across(low), y1=upward(low), x2=across(high), y2=upward(low)),
        el("line", class_="axl", x1=across(low), y1=upward(low), x2=across(low), y2=upward(high)),
    ]
    bottom = ABOVE + SIDE
    for mark in axis.marks():
        words = plain(mark, axis.digits)
        parts.append(el("text", words, class_="m", x=across(mark), y=bottom + 18, text_anchor="middle"))
        parts.append(el("text", words, class_="m", x=LEFT - 8, y=f"{float(upward(mark)) + 4:.1f}", text_anchor="end"))
    parts.append(el("text", "people", class_="m", x=LEFT + SIDE / 2, y=bottom + 38, text_anchor="middle"))
    parts.append(el("text", "judge", class_="m", x=4, y=16))
    step = max(1, math.ceil(len(values) / MOST_POINTS))
    two = len(values.systems) == 2
    for s, x, y in zip(
        values.system[::step].tolist(), values.gold[::step].tolist(), values.judge[::step].tolist(), strict=True
    ):
        parts.append(el("circle", class_="np" if two and s == 1 else "cp", cx=across(x), cy=upward(y), r="4"))
    return join(*parts)
