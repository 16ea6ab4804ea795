"""A verdict in words and signs, and claims one below the other with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.data.models import by_unchecked
from truegain.report.facts import Facts
from truegain.report.html import (
    Child,
    Html,
    cell,
    downloads,
    el,
    figure,
    file_name,
    head,
    join,
    limits,
    many,
    name,
    num,
    plot,
    room,
    signed,
    small,
    table,
    tr,
)
from truegain.report.svg import Axis, Span, axis_head, row, stacked
from truegain.study.documents import Outcome
from truegain.study.variance_table import NOT_KNOWN, Share, is_open_which, largest_of
from truegain.study.verdict import Verdict

# ---- A verdict in words and signs, as every section shows it.

CHIPS = {
    "better": ("ok", "✓"), "not worse": ("ok", "✓"), "worse": ("no", "✕"), "not better": ("nb", "="),
    "inconclusive": ("un", "?"), "unchecked": ("uc", "!"),
}  # fmt: skip


def chip(outcome: str, words: str = "") -> Html:
    """The outcome with its sign: never by color alone.

    >>> chip("better")
    '<span class="v v-ok"><b aria-hidden="true">✓</b> better</span>'
    """
    kind, sign = CHIPS[outcome]
    return el("span", el("b", sign, aria_hidden="true"), " ", words or outcome, class_=f"v v-{kind}")


def in_short(verdict: Verdict) -> str:
    """The outcome, with what the labels say where no person has checked them."""
    return f"unchecked: {verdict.by_labels}" if verdict.outcome == "unchecked" else verdict.outcome


def chip_of(verdict: Verdict) -> Html:
    """The outcome of a verdict with its sign."""
    return chip(verdict.outcome, in_short(verdict))


def by_whom(labels_by: str, words: str) -> str:
    """A sentence with whose labels say so, where no person has checked them.

    >>> by_whom("m1's labels", "Only a may be best."), by_whom("", "Only a may be best.")
    ("By m1's labels, which no person has checked, only a may be best.", 'Only a may be best.')
    """
    if not labels_by:
        return words
    words = small(words) if words.startswith(("Only ", "Any ", "None ")) else words
    return by_unchecked(labels_by, f", {words}")


def counted(outcomes: Sequence[str]) -> str:
    """How many of some claims have each outcome.

    >>> counted(["worse", "better", "inconclusive", "better"])
    '4 claims: 2 better, 1 worse, 1 inconclusive'
    """
    counts = ", ".join(f"{n:,} {outcome}" for outcome in CHIPS if (n := outcomes.count(outcome)))
    return f"{many(len(outcomes), 'claim')}: {counts}"


def shared_lines(verdict: Verdict) -> list[tuple[str, Share]]:
    """Sources with their share of the variance, the largest first."""
    shares = [(x.source, x.share) for x in verdict.by_source if x.share is not None]
    return sorted(shares, key=lambda pair: -pair[1].value)


def rests_on(verdict: Verdict) -> str:
    """In a few words: what leaves a claim open, or where most of its uncertainty comes from."""
    c, hidden = verdict.comparison, verdict.unjudged_bounds
    if verdict.withheld:
        return _kinds([verdict])
    if c.low is None or c.high is None:
        return "no interval"
    if (
        verdict.outcome == "inconclusive"
        and hidden is not None
        and hidden.documents
        and verdict.unjudged_policy == "bound"
    ):
        return many(hidden.documents, "unjudged document")
    shares = shared_lines(verdict)
    if not shares:
        return "exact" if verdict.exact else ""
    if len(shares) == 1:
        return verdict.source_of(shares[0][0]).shown
    if (largest := largest_of(dict(shares))) is None:
        return NOT_KNOWN if is_open_which(dict(shares)) else "no single source"
    return f"{verdict.source_of(largest[0]).shown}, {dict(shares)[largest[0]]}"


def _kinds(verdicts: Sequence[Verdict]) -> str:
    """Why nothing is claimed, by the kinds of reason."""
    return " or ".join(dict.fromkeys(reason.kind for v in verdicts for reason in v.reasons))


# ---- The table of claims: the outcome of each, its interval, its numbers, and what it rests on.

COLUMNS = ("system", "against", "outcome", "outcome_alone", "difference", "low", "high", "uncorrected", "rests_on")


def difference_spans(verdict: Verdict, both: bool) -> list[Span]:
    """The difference with its limits; with `both` the uncorrected one before it, where there is one."""
    c, naive = verdict.comparison, verdict.uncorrected
    span = Span(c.difference, c.low, c.high)
    return [Span(c.uncorrected, naive.low, naive.high, True), span] if both and c.uncorrected is not None else [span]


def claims_table(facts: Facts, details: Sequence[str], number: int = 0) -> Html:
    """A row a claim, by one of the measures; `details` are where on the page those of each claim are, or empty.

    Claims hold jointly by the first measure alone.
    """
    measure, both, joint = facts.measures[number].name, facts.corrected, facts.joint and not number
    verdicts = [c.verdicts[number] for c in facts.claims]
    outcomes = [c.at_once if joint else v.outcome for c, v in zip(facts.claims, verdicts, strict=True)]
    first = verdicts[0].comparison.a
    several = len({v.comparison.a for v in verdicts}) > 1  # systems that claims are against
    spans = [difference_spans(v, both) for v in verdicts]
    axis = Axis.over([s for pair in spans for s in pair], zero=True)
    rows, drawn, data = [], [], []
    for v, outcome, pair, anchor in zip(verdicts, outcomes, spans, details, strict=True):
        c, basis = v.comparison, rests_on(v)
        against = (el("br"), el("span", "against ", name(c.a), class_="of2")) if several else ()
        alone = () if outcome == v.outcome else (el("br"), el("span", f"alone: {v.outcome}", class_="of2"))
        cells = [
            el("th", name(c.b), *against, scope="row", title=f"{c.b} against {c.a}"),
            cell(chip(outcome, in_short(v) if outcome == v.outcome else ""), *alone, kind="vv"),
            plot(row(axis, pair, zero=True)),
            num(signed(c.uncorrected), more="o") if both else None,
            num(signed(c.difference, min_effect=facts.min_effect)),
            num(limits(c.low, c.high, signs=True, min_effect=facts.min_effect), more="o"),
            cell(el("a", basis or "details", href=f"#{anchor}") if anchor else basis, kind="lk"),
        ]
        rows.append(tr(*cells))
        drawn.append((f"{c.b} against {c.a}" if several else c.b, pair))
        data.append((c.b, c.a, outcome, v.outcome, c.difference, c.low, c.high, c.uncorrected, basis))
    plotted = axis_head(axis, signs=True, most=3)
    top = [head("claim" if several else "system"), head("outcome", "vv"), head(plotted, "p")]
    top += [head("uncorrected", "n0 o"), head("corrected", "n0")] if both else [head("difference", "n0")]
    top += [head(f"{facts.level} interval", "n0 o"), head("main source", "lk")]
    about: Child = "Claims: is the first better?" if several else ("Claims: is it better than ", name(first), "?")
    words = join(about, el("span", f", by {measure}", class_="m"))
    cols = ("cs", "vv", None, *(["xu o"] if both else []), "x", "y o", "lk")
    names = (x for v in verdicts for x in (v.comparison.a, v.comparison.b))
    made = table(words, top, rows, cols=cols, kind=f"sort {room(names)}")
    title = f"Differences in {measure}{'' if several else f' from {first}'}, with {facts.level} intervals"
    stem = f"claims-{file_name(measure)}" if number else "claims"
    take = downloads(stem, COLUMNS, data, stacked(drawn, axis, title, signs=True))
    return figure(made, *_caption(facts, verdicts, outcomes, joint), take, kind="claims")


def _caption(facts: Facts, verdicts: Sequence[Verdict], outcomes: Sequence[Outcome], joint: bool) -> tuple[Child, ...]:
    key = " Hollow: uncorrected; filled: corrected." if facts.corrected else ""
    errors = (
        f" Each row is tested alone: two equal systems would be called better in about "
        f"{100 * (1 - facts.confidence) / 2:.3g}% of studies, and worse in as many; the more claims, the more such "
        "errors."
    )
    if joint:
        errors = (
            f" Outcomes hold for all claims jointly ({facts.level} confidence), as the headline does. Intervals are of "
            "each claim alone; “alone” marks a claim that has another outcome if it is tested alone."
        )
    rests = " “Main source” names what leaves a claim open, or the largest source of its uncertainty."
    held_back = [
        v
        for v in verdicts
        if v.outcome == "inconclusive" and (low := v.comparison.low or 0.0) > 0 and low >= facts.min_effect
    ]
    reasons = ["unjudged documents could change it"] if any(not v.withheld for v in held_back) else []
    if any(v.withheld for v in held_back):
        reasons.append(_kinds(held_back))
    claims = f"{many(len(held_back), 'claim')} with an interval above 0 {'is' if len(held_back) == 1 else 'are'}"
    alone = ", even if tested alone" if joint else ""
    why = f" {claims} inconclusive{alone}: {' or '.join(reasons)}." if held_back else ""
    return el("b", f"{counted(outcomes)}."), key, why, errors, rests
