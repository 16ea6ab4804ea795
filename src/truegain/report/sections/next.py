"""What to judge or buy next."""

from __future__ import annotations

import math
import shlex

from truegain.report.facts import Facts
from truegain.report.html import (
    Html,
    Section,
    cell,
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
    name,
    names_in,
    num,
    paragraph,
    plain,
    plot,
    scrolls,
    signed,
    table,
    tr,
    true_minus,
    who,
)
from truegain.report.svg import Axis, Span, axis_head, row, stacked
from truegain.study.decision import could_move, outcome_of
from truegain.study.precision import Step
from truegain.study.verdict import Verdict

BLOCKED = "Judge the unjudged documents first"
NO_CHANCE = (
    "How likely they are to be relevant is not estimated: every judged document that a system retrieved is relevant, "
    "so these labels would predict that all others are. "
)
ORDER_FOR_PAIR = "Order: top documents of topics with fewer than two judged ones, then the most informative ones."
ORDER = (
    "Order: one document per topic in turn; first top documents of topics with fewer than two judged ones, then "
    "documents "
    "of systems without a judged document of their own, then those most informative about pairs of systems whose order "
    "is still open."
)
SHOWN = 10  # documents with a row; the CSV has more


def section(facts: Facts) -> Section | None:
    """Only where something would bring more: steps for the first claim still open, and documents to judge."""
    verdict = next((c.first for c in facts.claims if not c.first.settled), facts.claims[0].first)
    steps = verdict.steps if verdict.comparison.low is not None else ()
    blocked = _blocked(facts, verdict)
    if blocked:
        steps = tuple(s for s in steps if s.what == "unjudged")
    if not steps and facts.next is None and not blocked and not facts.unchecked:
        return None
    body = join(
        _check(facts, verdict), _steps(verdict, steps, blocked) if steps or blocked else None, _documents(facts)
    )
    data = {
        "about": [verdict.comparison.a, verdict.comparison.b],
        "check_first": verdict.labels_by if verdict.to_check else facts.unchecked,
        "steps": [s.to_dict() for s in steps],
        "documents": [] if facts.next is None else facts.next.table().records(),
    }
    return Section("next", "What to do next", "Next", body, data)


def _check(facts: Facts, verdict: Verdict) -> Html | None:
    """Before all else a person must check the judge."""
    if facts.preferences is not None:
        return _check_preferences(facts) if facts.unchecked else None
    if not verdict.to_check:
        return None
    if facts.answers:
        return _check_answers(facts, verdict)
    draw = "" if verdict.to_check == "ordered" else f" --draw {verdict.to_check}"
    measure = shlex.quote(verdict.comparison.measure)
    files = facts.made.files(verdict.comparison.a, verdict.comparison.b)
    command = f"truegain plan labels {files} -m {measure}{facts.made.rule}{draw} -o LIST.csv"
    drawn = " draws the topics to label; fill in their labels, then add "
    if verdict.to_check == "ordered":
        drawn = " draws the pairs to label, most useful first; fill in labels from the top, then add "
    words = paragraph(
        "It is unknown how often these labels are wrong, and for which systems. ", el("code", command),
        drawn, el("code", "--gold LIST.csv"), ".",
    )  # fmt: skip
    return el("div", el("h3", f"First have a person check {verdict.labels_by}"), words, class_="card")


def _check_answers(facts: Facts, verdict: Verdict) -> Html:
    """Before all else a person must check the judge of answers."""
    c = verdict.comparison
    pair = f" --pair {shlex.quote(f'{c.a},{c.b}')}" if len(facts.systems) > 2 else ""
    files = facts.made.answers or f"FILES --score {shlex.quote(c.measure)}"
    words = paragraph(
        "It is unknown how often these values are wrong, and for which systems. ",
        el("code", f"truegain plan labels {files}{pair} -o LIST.csv"),
        " draws the answers to label; fill in labels from the top, then add ", el("code", "--gold LIST.csv"), ".",
    )  # fmt: skip
    return el("div", el("h3", f"First have a person check {verdict.labels_by}"), words, class_="card")


def _check_preferences(facts: Facts) -> Html:
    """Before all else a person must check the judge of preferences between systems."""
    words = paragraph(
        "It is unknown how often these votes are wrong, and for which systems. Have people compare some of the pairs, "
        "drawn at random, and give their preferences with ", el("code", "--gold PEOPLE.csv --design random"), ". ",
        el("code", "truegain plan preferences"), " estimates beforehand how much the judge then narrows the interval.",
    )  # fmt: skip
    return el("div", el("h3", f"First have a person check {facts.unchecked}"), words, class_="card")


def _blocked(facts: Facts, verdict: Verdict) -> bool:
    """Whether unjudged documents could turn the difference even if nothing else were open: no other step settles it."""
    d, could = verdict.comparison.difference, could_move(verdict.unjudged_bounds, verdict.unjudged_policy)
    return not math.isnan(d) and any(could) and outcome_of(d, d, *could, facts.min_effect) == "inconclusive"


def _steps(verdict: Verdict, steps: tuple[Step, ...], blocked: bool) -> Html:
    """Half the width of the interval after each step alone."""
    c = verdict.comparison
    if blocked and not steps:
        return el("div", el("h3", BLOCKED), _why_blocked(verdict), class_="card")
    now = ((c.high or 0.0) - (c.low or 0.0)) / 2
    axis = Axis.of([-now, now, *(x for s in steps for x in (-s.half, s.half))], 4, zero=True)
    priced = any(s.cost is not None for s in steps)
    rows = [_step(axis, "now", None, now, priced, kind="on")]
    rows += [_step(axis, _bought(s, whole=True), s.cost, s.half, priced) for s in steps]
    top = [head("step"), *(heads("cost") if priced else [])]
    top += [head(axis_head(axis, signs=True, words="expected interval, plot"), "p"), *heads("expected")]
    cols = (None, *(["x"] if priced else []), "w2", "x")
    made = table("Expected interval after each step alone", top, rows, cols=cols, kind="pl", unseen=True)
    title = BLOCKED if blocked else _title(verdict, steps)
    half_widths = (
        f", {c.measure}: the half-width of the interval is now {plain(now)}. Each row shows the half-width expected "
        "after that step alone."
    )
    data = [(s.what, s.have, s.more, s.half, s.cost) for s in steps]
    bars = [("now", now), *((_bought(s, whole=True), s.half) for s in steps)]
    expected = f"{c.b} minus {c.a}, {c.measure}: expected interval"
    svg = stacked([(words, [Span(0.0, -h, h)]) for words, h in bars], axis, expected, signs=True)
    take = downloads("next", ("what", "have", "more", "half_width", "cost"), data, svg)
    about = paragraph("About ", name(c.b), " against ", name(c.a), half_widths)
    why = _why_blocked(verdict) if blocked else None
    return el("div", el("h3", title), why, about, made, paragraph(take, class_="note"), class_="card")


def _why_blocked(verdict: Verdict) -> Html:
    c, hidden = verdict.comparison, verdict.unjudged_bounds
    assert hidden is not None
    move = limits(hidden.least, hidden.most, signs=True)
    return paragraph(
        name(c.b), " against ", name(c.a), f", {c.measure}: the difference is {signed(c.difference)}, and "
        f"{hidden.counted} could change it by {move}. Labels of these would settle it; more "
        "topics would not.",
    )  # fmt: skip


def _bought(step: Step, whole: bool = False) -> str:
    if step.phrase:
        return step.phrase[:1].upper() + step.phrase[1:] if whole else step.phrase
    return f"{step.more:,} more {step.words}" + (f" ({step.have + step.more:,} in total)" if whole else "")


def _title(verdict: Verdict, steps: tuple[Step, ...]) -> str:
    if verdict.settled:
        return "The claim is settled; more data would only narrow the interval"
    if verdict.aim <= 0:
        return "To narrow the interval"
    enough = next((s for s in steps if s.enough), None)
    if enough is None:
        return f"No single step reaches ±{verdict.aim:g}"
    return f"Expected to reach ±{verdict.aim:g}: {_bought(enough)}"


def _step(axis: Axis, words: str, cost: float | None, half: float, priced: bool, kind: str | None = None) -> Html:
    price = [num("" if cost is None else f"{cost:,.0f}")] if priced else []
    return tr(
        label(words), *price, plot(row(axis, [Span(0.0, -half, half)], height=20)), num(f"±{plain(half)}"), kind=kind
    )


def _documents(facts: Facts) -> Html | None:
    """Unjudged documents in the order they should be judged in."""
    listed = facts.next
    if listed is None:
        return None
    rows = []
    for i, d in enumerate(listed.documents[:SHOWN], 1):
        chance = [num(f"{d.predicted:.2f}")] if listed.tells_chance else []
        numbers = *chance, num(signed(d.shift, 4)), num(count(d.systems), more="o")
        rows.append(tr(cell(count(i), kind="k"), who(d.topic), cell(name(d.doc)), *numbers))
    top = [head("#"), head("topic"), head("document")]
    top += heads(*(["probability of relevance"] if listed.tells_chance else []), "largest change")
    top += heads("retrieved by", kind="n0 o")
    pair, order = ("", ORDER) if listed.pair is None else (f"{true_minus(str(listed.pair))}. ", ORDER_FOR_PAIR)
    of = f"The first {count(len(rows))} of {many(listed.open, 'unjudged document')} that could change {listed.measure}"
    caption = (
        f"{pair}{of} (the CSV has {count(len(listed.documents))}). {order} “Largest change” is the most that the "
        f"highest label would change the difference of two systems. {'' if listed.tells_chance else NO_CHANCE}Label "
        "them, add the labels to the judgments, and write the report again. Labels chosen in this order are not a "
        "random sample and say nothing about the other unjudged documents."
    )
    documents = listed.table()
    take = downloads("judge-next", documents.columns, documents.rows)
    about = f"Documents to judge first, by {listed.measure}"
    made = scrolls(table(about, top, rows, kind="docs"), about)
    return figure(made, names_in(caption, facts.systems), _sample(facts), take)


def _sample(facts: Facts) -> Html | None:
    """How a random sample would tell that, where a study takes one: labels as they are, and measures linear in gain."""
    if facts.corrected or facts.rule or not all(m.measure.linear_in_gains for m in facts.measures):
        return None
    draw, take = el("code", "truegain unjudged --show sample"), el("code", "--unjudged-sample")
    return join(" A random sample does: draw one with ", draw, " and give its labels to this report with ", take, ".")
