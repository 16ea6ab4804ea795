"""The judge against the gold labels, and whether it favors a system."""

from __future__ import annotations

from truegain.judge_error.diagnostics import Homogeneity
from truegain.report.facts import Facts
from truegain.report.html import (
    NONE,
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
    p_value,
    paragraph,
    percent,
    plain,
    plot,
    room,
    scrolls,
    signed,
    table,
    tr,
    who,
)
from truegain.report.sections import preference_judge, values
from truegain.report.svg import Axis, Span, axis_head, row, stacked
from truegain.results.base import Table

UNFOLDED = 24
OF_LIST = ", among the documents that the list was drawn from"


def section(facts: Facts) -> Section | None:
    """Only where there are gold labels."""
    scores = _scores(facts) if facts.main.naive is not None and len(facts.systems) > 2 else None
    if facts.preferences is not None and facts.preferences.judge is not None:
        return preference_judge.section(facts, facts.preferences.judge, scores)
    judge = facts.judge
    if judge is None:
        return None
    if judge.values is not None:
        return values.section(facts, judge, judge.values, scores, _labels(judge.by_label))
    right, rejected, d = judge.rates
    lede = (
        f"The judge accepts {percent(right)} of the relevant documents (sensitivity) and rejects {percent(rejected)} "
        f"of the others (specificity), by {many(judge.pairs, 'gold label')} "
        f"({judge.design}){OF_LIST if judge.design == 'ordered' else ''}."
    )
    parts: list[Child] = []
    if judge.by_system is not None:
        lede = f"{lede} {_favored(judge.by_system)}"
        tests = paragraph(names_in(_tested(judge.by_system), facts.systems), class_="prose-p")
        parts += [tests, _favors(facts, judge.by_system)]
    parts.insert(0, paragraph(names_in(lede, facts.systems), class_="lede"))
    parts += [scores, _labels(judge.by_label), notes((*judge.by_rank, *judge.notes), facts.systems)]
    data = {
        "told": judge.summary,
        "sensitivity": right,
        "specificity": rejected,
        "informedness": d,
        "design": judge.design,
        "labels": judge.by_label.records(),
        "systems": [] if judge.by_system is None else judge.by_system.table().records(),
        "finding": "" if judge.by_system is None else judge.by_system.finding,
        "by_rank": list(judge.by_rank),
        "notes": list(judge.notes),
    }
    chip = many(judge.pairs, "gold label")
    return Section("judge", "How good is the judge?", "The judge", join(*parts), data, chip=chip)


def _favored(tests: Homogeneity) -> str:
    """Whether the judge favors a system; as a fact only where the test shows it."""
    most = tests.clearest
    if most is not None and most.value is not None and "favor" in tests.rejected:
        size = f"{signed(most.value)} {tests.measure} relative to the others, at equal gold labels"
        return f"{'It favors' if size.startswith('+') else 'It is hard on'} {most.system}: {size}."
    uneven = "It is not equally accurate for all systems, but no favored system is shown."
    return uneven if tests.differs else "No favored system is shown."


def _tested(tests: Homogeneity) -> str:
    """What was tested, and what the gold pairs leave open."""
    ps = ", ".join(f"{name} {'not testable' if p is None else p_value(p)}" for name, p in tests.adjusted.items())
    how = "rates by permutation within topics, favor by t over topics, all adjusted by Bonferroni"
    shows = "This does not prove that there are none."
    if tests.differs:
        shows = "Its errors may not cancel, so a difference in uncorrected scores may come from them."
    most = tests.clearest
    if most is None or most.value is None:
        why = "too few gold labels" if tests.left_out else "no errors are seen, or in one topic only"
        clearest = f"Favor cannot be estimated: {why}."
    else:
        low, high = tests.adjusted_interval or (None, None)
        size = f"{signed(most.value)} {tests.measure} relative to the others, adjusted interval"
        of = "The clearest effect of its errors is on"
        if "favor" not in tests.rejected:
            of = "No effect on one system is shown; the clearest is on"
        clearest = f"{of} {most.system}: {size} {limits(low, high, signs=True)}."
    left_out = f" {tests.left_out}" if tests.left_out else ""
    return f"Differences between systems: {ps} ({how}). {shows} {clearest}{left_out}"


def _favors(facts: Facts, tests: Homogeneity) -> Html:
    """Accuracy on the documents that each system retrieved, and what the errors add to its score."""
    place = {s: i for i, s in enumerate(tests.systems)}
    order = [s for s in facts.main.ranking.systems if s in place]
    favors = [tests.favors[place[s]] for s in order]
    axis = Axis.of([x for f in favors for x in (f.value, f.low, f.high)], 4, zero=True)
    rows, data, spans = [], [], []
    for s, f in zip(order, favors, strict=True):
        (k_n, k_r), (n_n, n_r) = tests.right[place[s]].tolist(), tests.pairs[place[s]].tolist()
        drawn: Child = "too few gold labels"
        if f.value is not None:
            spans.append((s, [Span(f.value, f.low, f.high)]))
            drawn = row(axis, spans[-1][1], zero=True, height=20)
        numbers = num(signed(f.value)), num(limits(f.low, f.high, signs=True), more="o")
        rows.append(tr(who(s), num(*_rate(k_r, n_r)), num(*_rate(k_n, n_n)), plot(drawn), *numbers))
        rates = int(n_r), k_r / n_r if n_r else None, int(n_n), k_n / n_n if n_n else None
        data.append((s, *rates, f.value, f.low, f.high))
    top = [head("system"), *heads("sensitivity", "specificity")]
    top += [head(axis_head(axis, signs=True, words="favor, plot"), "p"), *heads("favor")]
    top.append(head("95% interval", "n0 o"))
    about = f"On the documents each system retrieved ({tests.measure}), best system on top"
    made = table(about, top, rows, cols=("cs", "z", "z", None, "x", "y o"), kind=f"sort jd {room(order)}")
    caption = (
        f": how much more the judge's errors add to a system's {tests.measure} than to the others', at equal gold "
        "labels. Each interval is for one system alone; the sentence above is adjusted for all of them."
    )
    columns = ("system", "gold_relevant", "sensitivity", "gold_non_relevant", "specificity", "favor", "low", "high")
    svg = stacked(spans, axis, f"Favor, {tests.measure}", signs=True) if spans else ""
    fold = f"The judge, system by system ({count(len(order))})" if len(order) > UNFOLDED else None
    return figure(made, el("b", "Favor"), caption, downloads("judge", columns, data, svg), fold=fold, opened=True)


def _rate(right: float, of: float) -> tuple[Child, ...]:
    return (f"{right / of:.2f}", el("span", f" of {count(of)}", class_="of")) if of else (NONE,)


def _scores(facts: Facts) -> Html | None:
    """Scores by the labels as they are, beside the corrected ones; None where no score is told."""
    m = facts.main
    assert m.naive is not None
    both = [(e, n) for e, n in zip(m.estimates, m.naive, strict=True) if not e.refused]
    if not both:
        return None
    spans = [(e.system, [Span(n, None, None, True), Span(e.value, e.low, e.high)]) for e, n in both]
    axis = Axis.over([s for _, two in spans for s in two])
    rows = []
    for system, two in spans:
        was, now = two[0].value, two[1].value
        numbers = num(plain(was)), num(plain(now)), num(signed(now - was), more="o")
        rows.append(tr(who(system), plot(row(axis, two)), *numbers))
    top = [head("system"), head(axis_head(axis), "p"), *heads("uncorrected", "corrected"), head("change", "n0 o")]
    about = f"{m.name}, uncorrected and corrected"
    made = table(about, top, rows, cols=("cs", None, "xu", "x", "x o"), kind=f"sort {room(s for s, _ in spans)}")
    columns = ("system", "uncorrected", "corrected", "low", "high")
    data = [(s, a.value, b.value, b.low, b.high) for s, (a, b) in spans]
    caption = f"Hollow: uncorrected. Filled: corrected by {facts.gold_unit}s, with {facts.level} intervals."
    fold = f"{m.name} of {many(len(spans), 'system')}, uncorrected and corrected" if len(spans) > UNFOLDED else None
    return figure(made, caption, downloads("corrected", columns, data, stacked(spans, axis, m.name)), fold=fold)


def _labels(confusion: Table) -> Html:
    """The confusion matrix."""
    rows = [
        tr(label(str(gold)), num(count(float(n or 0))), *(num(NONE if x is None else f"{x:.2f}") for x in shares))
        for gold, n, *shares in confusion.rows
    ]
    first, *rest = (c.replace("bronze", "judge says") for c in confusion.columns)
    about = "The judge's label, given the gold label"
    made = scrolls(table(about, [head(first), *heads(*rest)], rows, kind="cm"), about)
    take = downloads("labels", confusion.columns, confusion.rows)
    return figure(made, "Shares of the judge's labels, by gold label.", take)
