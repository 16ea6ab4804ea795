"""What to judge or buy next."""

from __future__ import annotations

import math
import shlex

from truegain.inference.holes.next import Next
from truegain.inference.study.next_steps import Step
from truegain.inference.study.rule import could_move, outcome_of
from truegain.inference.study.verdict import Verdict
from truegain.report.facts.facts import Facts
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Html, el, join, name, names_in, paragraph
from truegain.report.parts.numbers import count, limits, many, plain, signed
from truegain.report.parts.section import Section
from truegain.report.parts.svg import Span, axis_head, row, stacked
from truegain.report.parts.table import cell, head, heads, label, num, plot, scrolls, table, tr, who
from truegain.report.parts.words import true_minus

BLOCKED = "Have unjudged documents judged first"
NO_CHANCE = (
    "How likely they are relevant is not told: no document that a system shows was judged and found not relevant, so "
    "that from these labels all others would seem relevant. "
)
SHOWN = 10  # documents with a row; the CSV has more


def section(facts: Facts) -> Section | None:
    """Only where something would bring more: steps for the first claim still open, and documents to judge."""
    verdict = next((c.first for c in facts.claims if not c.first.settled), facts.claims[0].first)
    steps = verdict.steps if verdict.comparison.low is not None else ()
    blocked = _blocked(facts, verdict)
    if blocked:
        steps = tuple(s for s in steps if s.what == "holes")
    if not steps and facts.next is None and not blocked and not facts.unchecked:
        return None
    body = join(
        _check(facts, verdict), _steps(verdict, steps, blocked) if steps or blocked else None, _documents(facts)
    )
    data = {
        "about": [verdict.comparison.a, verdict.comparison.b],
        "check_first": verdict.labels_by if verdict.to_check else "",
        "steps": [s.to_dict() for s in steps],
        "documents": [] if facts.next is None else facts.next.table().records(),
    }
    return Section("next", "What to do next", "Next", body, data)


def _check(facts: Facts, verdict: Verdict) -> Html | None:
    """Before all else a person must check the judge."""
    if not verdict.to_check:
        return None
    draw = "" if verdict.to_check == "ordered" else f" --draw {verdict.to_check}"
    measure = shlex.quote(verdict.comparison.measure)
    files = facts.made.files(verdict.comparison.a, verdict.comparison.b)
    command = f"truegain plan labels {files} -m {measure}{draw} -o LIST.csv"
    drawn = " draws the topics to judge; with their labels filled in, "
    if verdict.to_check == "ordered":
        drawn = " draws the pairs to judge, best first; with labels filled in from the top, "
    words = paragraph(
        "How often they err, and for whom, nobody knows, and nothing else here tells. ", el("code", command),
        drawn, el("code", "--gold LIST.csv"), " takes it.",
    )  # fmt: skip
    return el("div", el("h3", f"First have a person check {verdict.labels_by}"), words, class_="card")


def _blocked(facts: Facts, verdict: Verdict) -> bool:
    """Whether unjudged documents could turn the difference even if nothing else were open: no other step settles it."""
    d, could = verdict.comparison.difference, could_move(verdict.hidden, verdict.holes)
    return not math.isnan(d) and any(could) and outcome_of(d, d, *could, facts.smallest) == "cannot be told"


def _steps(verdict: Verdict, steps: tuple[Step, ...], blocked: bool) -> Html:
    """Half the width of the interval after each step alone."""
    c = verdict.comparison
    if blocked and not steps:
        return el("div", el("h3", BLOCKED), _why_blocked(verdict), class_="card")
    now = ((c.high or 0.0) - (c.low or 0.0)) / 2
    axis = Axis.of([-now, now, *(x for s in steps for x in (-s.half, s.half))], 4, zero=True)
    priced = any(s.cost is not None for s in steps)
    rows = [_step(axis, "as it is", None, now, priced, kind="on")]
    rows += [_step(axis, _bought(s, whole=True), s.cost, s.half, priced) for s in steps]
    top = [head("what more"), *(heads("cost") if priced else [])]
    top += [head(axis_head(axis, signs=True, words="expected interval, plot"), "p"), *heads("expected")]
    cols = (None, *(["x"] if priced else []), "w2", "x")
    made = table("The interval to expect after each step alone", top, rows, cols=cols, kind="pl", unseen=True)
    title = "The claim is settled; more would only narrow the interval" if verdict.settled else _title(verdict, steps)
    title = BLOCKED if blocked else title
    told = (
        f", {c.measure}: half the width of the interval is ±{plain(now)}. Widths below are expectations, a step each."
    )
    data = [(s.what, s.have, s.more, s.half, s.cost) for s in steps]
    halves = [("as it is", now), *((_bought(s, whole=True), s.half) for s in steps)]
    drawn = stacked(
        [(w, [Span(0.0, -h, h)]) for w, h in halves],
        axis,
        f"{c.b} less {c.a}, {c.measure}: interval to expect",
        signs=True,
    )
    columns = ("what", "have", "more", "half_width", "cost")
    take = links(csv_link("next.csv", columns, data), svg_link("next.svg", drawn))
    about = join(
        _why_blocked(verdict) if blocked else None, paragraph("About ", name(c.b), " against ", name(c.a), told)
    )
    return el("div", el("h3", title), about, made, paragraph(take, class_="note"), class_="card")


def _why_blocked(verdict: Verdict) -> Html:
    c, hidden = verdict.comparison, verdict.hidden
    assert hidden is not None
    move = limits(hidden.least, hidden.most, signs=True)
    return paragraph(
        name(c.b), " against ", name(c.a), f", {c.measure}: the difference is {signed(c.difference)}, and "
        f"{hidden.counted} could move it by {move}. More topics would not settle that; "
        "labels of these would.",
    )  # fmt: skip


def _bought(step: Step, whole: bool = False) -> str:
    if step.phrase:
        return f"{step.phrase[:1].upper()}{step.phrase[1:]}" if whole else step.phrase
    return f"{step.more:,} more {step.words}" + (f" ({step.have + step.more:,} in all)" if whole else "")


def _title(verdict: Verdict, steps: tuple[Step, ...]) -> str:
    if verdict.aim <= 0:
        return "What more would bring"
    enough = next((s for s in steps if s.enough), None)
    if enough is None:
        return f"Nothing here alone brings ±{verdict.aim:g}"
    return f"Enough for ±{verdict.aim:g}, as far as can be expected: {_bought(enough)}"


def _step(axis: Axis, words: str, cost: float | None, half: float, priced: bool, kind: str | None = None) -> Html:
    price = [num("" if cost is None else f"{cost:,.0f}")] if priced else []
    return tr(
        label(words), *price, plot(row(axis, [Span(0.0, -half, half)], height=20)), num(f"±{plain(half)}"), kind=kind
    )


def _order(found: Next) -> str:
    """By what the list is ordered."""
    if found.pair is not None:
        return "Their order: those high up in topics where fewer than two are judged, then those that tell most."
    return (
        "Their order: one of every topic in turn, first documents high up in topics where fewer than two are judged, "
        "then those of systems of whose own documents none is judged, then those whose labels would tell most about "
        "pairs of systems whose order is still open."
    )


def _documents(facts: Facts) -> Html | None:
    """Unjudged documents in the order they should be judged in."""
    found = facts.next
    if found is None:
        return None
    rows = []
    for i, d in enumerate(found.documents[:SHOWN], 1):
        chance = [num(f"{d.predicted:.2f}")] if found.tells_chance else []
        numbers = *chance, num(signed(d.shift, 4)), num(count(d.systems), more="o")
        rows.append(tr(cell(count(i), kind="k"), who(d.topic), cell(name(d.doc)), *numbers))
    top = [head("#"), head("topic"), head("document")]
    top += heads(*(["chance that it is relevant"] if found.tells_chance else []), "would move")
    top += heads("systems that have it", kind="n0 o")
    pair = "" if found.pair is None else f"{true_minus(str(found.pair))}. "
    of = f"The first {count(len(rows))} of {many(found.open, 'unjudged document')} that could move {found.measure}"
    said = (
        f"{pair}{of} (the CSV has {count(len(found.documents))}). {_order(found)} “Would move” is how far the highest "
        f"label would move two systems apart at most. {'' if found.tells_chance else NO_CHANCE}Have them judged, add "
        "the labels to the judgments, and make the page again. Labels chosen in this order are no random sample and do "
        "not say what the other unjudged documents are worth."
    )
    listed = found.table()
    take = links(csv_link("judge-next.csv", listed.columns, listed.rows))
    about = f"Documents to judge first, by {found.measure}"
    made = scrolls(table(about, top, rows, kind="docs"), about)
    return el("figure", made, el("figcaption", names_in(said, facts.systems), _sample(facts), take))


def _sample(facts: Facts) -> Html | None:
    """How a random sample would tell that, where a study takes one: labels as they are, and measures linear in gain."""
    if facts.corrected or facts.rule or not all(m.measure.linear_in_gains for m in facts.measures):
        return None
    draw, take = el("code", "truegain holes --show sample"), el("code", "--hole-sample")
    return join(" A random sample would: ", draw, " draws one, and ", take, " gives its labels to this report.")
