"""Which verdicts are right: where the truth is known, what was said beside it."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.report.claims import chip, difference_spans
from truegain.report.facts import Facts, Mark, MarkedClaim, MeasureMarks, counts, marks_of
from truegain.report.html import (
    Child,
    Html,
    Section,
    cell,
    contain,
    count,
    downloads,
    el,
    figure,
    file_name,
    folded,
    head,
    heads,
    join,
    limits,
    many,
    name,
    names_in,
    num,
    paragraph,
    plain,
    plot,
    room,
    signed,
    table,
    tr,
    who,
)
from truegain.report.svg import Axis, Span, axis_head, line, row, stacked
from truegain.study.documents import Outcome

UNFOLDED, NAMED = 24, 3
SIGNS = {"right": "better", "wrong": "worse", "undecided": "inconclusive"}


def section(facts: Facts) -> Section | None:
    """Only where the truth was given."""
    marks = marks_of(facts)
    if not marks:
        return None
    first, *others = marks
    both = facts.corrected
    more = (folded(f"The same by {m.measure.name}", paragraph(summary(m, both)), *_figures(facts, m)) for m in others)
    details = " ".join([*_wrong(first, both), *_besides(first), _one_draw(both)])
    body = join(
        paragraph(summary(first, both), class_="lede"),
        paragraph(names_in(details, facts.systems), class_="prose-p"),
        *_figures(facts, first),
        *more,
        paragraph(_unknown(facts, marks), class_="note"),
    )
    data = {m.measure.name: _data(m, both) for m in marks}
    return Section("truth", "Which verdicts are right", "Truth", body, data, chip="the truth is known")


def in_short(facts: Facts) -> str:
    """What the section says first, in one line; every measure."""
    return " ".join(summary(m, facts.corrected) for m in marks_of(facts))


def summary(m: MeasureMarks, both: bool) -> str:
    """How many verdicts are right, as the labels are and corrected, and how many intervals hold the truth."""
    by, scores = m.measure.name, f"{contain(m.held, len(m.scores), 'score interval')} the true score."
    if not m.claims:
        return f"By {by}, no true difference is known; {scores}"
    alone = ", each tested alone" if len(m.claims) > 1 else ""
    of, marks = f"Of {many(len(m.claims), 'verdict')} by {by}{alone}", counted([c.mark for c in m.claims])
    if not both:
        return f"{of}, {marks}; {scores}"
    labels = counted([c.labels_mark for c in m.claims])
    return f"{of}, the uncorrected labels have {labels}; corrected by gold labels, {marks}. {scores}"


def counted(marks: Sequence[Mark]) -> str:
    """Counts in words.

    >>> counted(["right", "wrong", "right"])
    '2 right, 1 wrong, 0 undecided'
    """
    return ", ".join(f"{count(n)} {mark}" for mark, n in counts(marks).items())


def _wrong(m: MeasureMarks, both: bool) -> list[str]:
    """Who is wrong about what."""
    labels = [(c.labels, c) for c in m.claims if both and c.labels_mark == "wrong"]
    verdicts = [(c.verdict.outcome, c) for c in m.claims if c.mark == "wrong"]
    says = "The corrected verdict wrongly says" if both else "The verdict wrongly says"
    sentences = []
    for subject, rows in (("The uncorrected labels wrongly say", labels), (says, verdicts)):
        for outcome, c in rows[:NAMED]:
            v, true = c.verdict.comparison, signed(c.true)
            sentences.append(f"{subject} that {v.b} is {outcome} than {v.a} (true difference {true}).")
        if len(rows) > NAMED:
            sentences.append(f"And {count(len(rows) - NAMED)} more.")
    return sentences


def _one_draw(both: bool) -> str:
    shared = "the same topics and gold labels" if both else "the same topics"
    return (
        f"This is one sample: all intervals use {shared}, so they contain or miss the truth together. One page does "
        "not show how often they contain it."
    )


def _besides(m: MeasureMarks) -> list[str]:
    """Pairs that differ significantly, jointly, and which of them in the true order."""
    if m.pairs < 2:
        return []
    order = f"; {count(m.in_order)} of these {count(m.apart)} are in the true order" if m.apart else ""
    return [f"{count(m.apart)} of {many(m.pairs, 'pair')} of systems differ significantly, jointly{order}."]


def _unknown(facts: Facts, marks: Sequence[MeasureMarks]) -> str:
    """What the truth leaves out."""
    left = [m.name for m in facts.measures if m not in [x.measure for x in marks]]
    words = [f"No true score is known for {', '.join(left)}."] if left else []
    words += [
        f"{many(m.unknown, 'claim')} by {m.measure.name} not counted: a true score is missing."
        for m in marks
        if m.unknown
    ]
    return " ".join(["The true scores come from the file given as truth, and were used only here.", *words])


def _figures(facts: Facts, m: MeasureMarks) -> list[Html]:
    return [*([_claims(facts, m)] if m.claims else []), *([_scores(facts, m)] if m.scores else [])]


def _mark(outcome: Outcome, mark: Mark) -> Html:
    """What was said, and right or wrong with its sign: never by color alone."""
    words = "" if outcome in ("inconclusive", "unchecked") else outcome
    return cell(chip(SIGNS[mark], mark), el("span", f" {words}", class_="of"), kind="tv")


def _claims(facts: Facts, m: MeasureMarks) -> Html:
    """A row a claim: what was said, and the difference with the true one beside it."""
    both, single = facts.corrected, len({c.verdict.comparison.a for c in m.claims}) == 1  # one system to be better than
    spans = [difference_spans(c.verdict, both) for c in m.claims]
    true = [Span(c.true, None, None) for c in m.claims]
    axis = Axis.over([*true, *(s for pair in spans for s in pair)], 4, zero=True)
    rows, drawn = [], []
    for c, pair in zip(m.claims, spans, strict=True):
        v = c.verdict.comparison
        drawn.append((v.b if single else f"{v.b} against {v.a}", pair))
        bars = row(axis, pair, zero=True, more=line(axis.at(c.true), 0, 26, "tru"))
        marks = [*([_mark(c.labels, c.labels_mark)] if both else []), _mark(c.verdict.outcome, c.mark)]
        rows.append(tr(who(v.b) if single else _claim(v.b, v.a), *marks, plot(bars), num(signed(c.true))))
    top = [head("system" if single else "claim"), *([head("uncorrected", "tv")] if both else [])]
    top += [head("corrected" if both else "verdict", "tv"), head(axis_head(axis, signs=True), "p")]
    top += heads("true difference")
    first = m.claims[0].verdict.comparison.a
    about = join("Is it better than ", name(first), "?") if single else "Is the first better?"
    words = join(about, el("span", f", by {m.measure.name}, with the truth", class_="m"))
    cols = ("cs", *(["tv"] if both else []), "tv", None, "x")
    key = (
        f"Dashed line: the true difference. Filled: the verdict's, with its {facts.level} interval."
        f"{' Hollow: uncorrected.' if both else ''} “Better” is right if the true difference is "
        f"{f'{facts.min_effect:g} or more' if facts.min_effect else 'above 0'}; “worse” is right if it is below 0. "
        "Undecided: the verdict was inconclusive."
        f"{' Each claim is tested alone, not jointly as in the headline.' if facts.joint else ''}"
    )
    data = [_record(c, both) for c in m.claims]
    stem = f"truth-{file_name(m.measure.name)}"
    title = f"Differences in {m.measure.name}; dashed: the true ones"
    svg = stacked(drawn, axis, title, signs=True, true=[c.true for c in m.claims])
    take = downloads(stem, tuple(data[0]), [tuple(d.values()) for d in data], svg)
    made = table(words, top, rows, cols=cols, kind=f"sort own {room(c.verdict.comparison.b for c in m.claims)}")
    return figure(made, key, take, kind="claims")


def _claim(b: str, a: str) -> Html:
    return el("th", name(b), el("span", " against ", class_="m"), name(a), scope="row", title=f"{b} better than {a}")


def _scores(facts: Facts, m: MeasureMarks) -> Html:
    """A row a system: its interval, and the true score."""
    axis = Axis.of([x for e, true in m.scores for x in (e.low, e.high, true)], 5)
    rows, data = [], []
    for e, true in m.scores:
        holds = e.low <= true <= e.high
        drawn = row(axis, [Span(e.value, e.low, e.high)], height=20, more=line(axis.at(true), 0, 20, "tru"))
        numbers: list[Child] = [num(plain(true)), num(plain(e.value)), num(limits(e.low, e.high), more="o")]
        rows.append(tr(who(e.system), plot(drawn), *numbers, num("yes" if holds else el("b", "no"))))
        data.append((e.system, true, e.value, e.low, e.high, "yes" if holds else "no"))
    top = [head("system"), head(axis_head(axis), "p"), *heads("true", "estimated")]
    top += [head(f"{facts.level} interval", "n0 o"), head("contains it", "n0")]
    made = table(
        join("True scores and intervals", el("span", f", by {m.measure.name}", class_="m")), top, rows,
        cols=("cs", None, "x", "x", "ci o", "x"), kind=f"sort {room(e.system for e, _ in m.scores)}",
    )  # fmt: skip
    columns = ("system", "true", "score", "low", "high", "holds_it")
    stem = f"true-scores-{file_name(m.measure.name)}"
    spans = [(e.system, [Span(e.value, e.low, e.high)]) for e, _ in m.scores]
    svg = stacked(spans, axis, f"{m.measure.name}; dashed: the true scores", true=[true for _, true in m.scores])
    bold = el("b", f"{contain(m.held, len(rows), 'interval')} the true score.")
    fold = f"True scores of {many(len(rows), 'system')}" if len(rows) > UNFOLDED else None
    return figure(made, bold, " Dashed line: the true score.", downloads(stem, columns, data, svg), fold=fold)


def _record(c: MarkedClaim, both: bool) -> dict[str, str | float | None]:
    v = c.verdict.comparison
    record: dict[str, str | float | None] = {
        "system": v.b, "against": v.a, "true_difference": c.true, "difference": v.difference, "low": v.low,
        "high": v.high, "outcome": c.verdict.outcome, "mark": c.mark,
    }  # fmt: skip
    if both:
        record |= {"uncorrected": v.uncorrected, "uncorrected_outcome": c.labels, "uncorrected_mark": c.labels_mark}
    return record


def _data(m: MeasureMarks, both: bool) -> dict[str, object]:
    data: dict[str, object] = {
        "claims": [_record(c, both) for c in m.claims],
        "verdicts": counts(c.mark for c in m.claims),
        "scores": [
            {"system": e.system, "true": true, "score": e.value, "low": e.low, "high": e.high} for e, true in m.scores
        ],
        "intervals": {"hold": m.held, "of": len(m.scores)},
        "pairs": {"apart": m.apart, "in_order": m.in_order, "of": m.pairs},
        "unknown": m.unknown,
    }
    return data | ({"uncorrected": counts(c.labels_mark for c in m.claims)} if both else {})
