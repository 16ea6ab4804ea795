"""The verdict, first and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from truegain.report.claims import CHIPS, by_whom, chip, chip_of, claims_table, in_short
from truegain.report.facts import Claim, Facts, MeasureFacts, with_unjudged
from truegain.report.html import (
    Child,
    Html,
    Section,
    cell,
    count,
    el,
    folded,
    head,
    join,
    label,
    limits,
    many,
    name,
    named,
    names_in,
    notes,
    num,
    p_value,
    paragraph,
    plain,
    scrolls,
    signed,
    small,
    table,
    tr,
    true_minus,
)
from truegain.report.sections.claims import anchors
from truegain.report.svg import NumberLine, Span
from truegain.study.decision import SETTLED
from truegain.study.ranking import PICKED
from truegain.study.verdict import Verdict

NAMED = 8
FAINT = (
    " The faint bar is the interval that holds for any labels of the unjudged documents, from the worst case to the "
    "best case. The verdict uses it."
)


def section(facts: Facts) -> Section:
    """Always there."""
    claim = facts.claims[0]
    if facts.claims_requested and claim.baseline and len(facts.claims) > 1:
        outcome, words, heading, below = _against_baselines(facts)
    elif _about_two(facts):
        outcome, words, heading, below = _about_pair(facts, claim)
    else:
        outcome, words, heading, below = _about_ranking(facts, claim)
    h1 = el("h1", names_in(heading, facts.systems), id="h-verdict")
    body = join(chip(outcome, words), h1, below, _fixed(facts, claim), _by_measure(facts, claim), _claims(facts))
    data = {
        "headline": heading,
        "together": [{"a": c.a, "b": c.b, "outcome": c.at_once} for c in facts.claims if c.baseline],
        "claims": [v.to_dict() for c in facts.claims for v in c.verdicts],
        "rankings": [m.ranking.to_dict() for m in facts.measures],
        "holds_for": facts.holds_for,
        "not_covered": facts.not_covered,
    }
    rail = [many(len(facts.systems), "system"), many(facts.topics, "topic")]
    rail.append(many(facts.labels, facts.unit))
    rail += [many(facts.gold, facts.gold_unit)] if facts.gold else []
    rail += [many(facts.assessors, "judge" if facts.answers else "assessor")] if facts.assessors else []
    rail += [m.name for m in facts.measures]
    return Section("verdict", "Verdict", "Verdict", body, data, tuple(rail), heads=True)


def _signed(facts: Facts, x: float | None) -> str:
    return signed(x, min_effect=facts.min_effect)


def _limits(facts: Facts, low: float | None, high: float | None) -> str:
    return limits(low, high, signs=True, min_effect=facts.min_effect)


def _about_two(facts: Facts) -> bool:
    return facts.claims_requested or len(facts.systems) == 2


# ---------------------------------------------------------------------- one claim


def _about_pair(facts: Facts, claim: Claim) -> tuple[str, str, str, Html]:
    verdict = claim.first
    below = join(_lede(facts, verdict), _number_line(facts, verdict))
    return verdict.outcome, in_short(verdict), verdict.headline, below


def _lede(facts: Facts, verdict: Verdict) -> Html:
    """The numbers, for whom, and why."""
    c = verdict.comparison
    if math.isnan(c.difference):
        return paragraph(true_minus(verdict.sentence), class_="lede")
    by = f"Corrected by {many(facts.gold, facts.gold_unit)}, the" if facts.corrected else "The"
    difference = el("b", f"{_signed(facts, c.difference)} {c.measure}", class_="nb")
    parts: list[Child] = [f"{by} difference is ", difference]
    if not math.isnan(c.value_a + c.value_b):  # a list of gold labels may tell differences alone
        parts.append(f" ({plain(c.value_b)} against {plain(c.value_a)})")
    if c.low is not None and c.high is not None and c.low != c.high:
        parts += [f", {facts.level} CI ", el("b", _limits(facts, c.low, c.high))]
    after = names_in(true_minus(verdict.after_numbers), (c.a, c.b))
    parts += [f", {verdict.holds_for}", after, ". ", _as_labeled(facts, verdict)]
    return paragraph(*parts, class_="lede")


def _as_labeled(facts: Facts, verdict: Verdict) -> str:
    """What the uncorrected labels would have said; nothing where nothing is corrected."""
    c, naive = verdict.comparison, verdict.uncorrected
    if c.uncorrected is None or c.uncorrected == c.difference or naive.low is None or naive.high is None:
        return ""
    outcome = f"called it {'better' if naive.low > 0 else 'worse'}"
    if naive.low <= 0 <= naive.high:
        outcome = "been inconclusive"
    interval = f"{limits(naive.low, naive.high, signs=True)}; {p_value(c.uncorrected_p)}"
    return f"The uncorrected {facts.unit}s would have {outcome}: {signed(c.uncorrected)} ({interval})."


def _at_zero(low: float, high: float) -> str:
    return "includes 0" if low <= 0 <= high else f"lies {'above' if low > 0 else 'below'} 0"


def _number_line(facts: Facts, verdict: Verdict) -> Html | None:
    c, naive = verdict.comparison, verdict.uncorrected
    if c.low is None or c.high is None:
        return None
    bars: list[tuple[str, Span]] = []
    both = c.uncorrected is not None and c.uncorrected != c.difference and naive.low is not None
    if both and c.uncorrected is not None:
        bars.append(("Uncorrected", Span(c.uncorrected, naive.low, naive.high, True)))
    bars.append(("Corrected" if both else "Difference", Span(c.difference, c.low, c.high)))
    if (wide := with_unjudged(facts, verdict)) is not None:
        bars.append(("With unjudged documents", Span(c.difference, *wide, is_faint=True)))
    first = _at_zero(c.low, c.high)
    which = f"The bar “{bars[both][0]}” {first}." if len(bars) > 1 else f"The bar {first}."
    if wide is not None:
        then = _at_zero(*wide)
        which = f"{which[:-1]}{', and' if then == first else '; but'} the faint one {then}{' too' * (then == first)}."
    least = f" Dashed line: {signed(facts.min_effect)}, the smallest gain that matters; hatched: smaller gains."
    caption = (
        el("b", which),
        f" Difference in {c.measure}, ",
        name(c.b),
        " minus ",
        name(c.a),
        f", with {facts.level} intervals. Solid line: no difference.{least if facts.min_effect > 0 else ''}",
        f" The hollow bar assumes that all {facts.unit}s are correct." if both else "",
        FAINT if wide is not None else "",
    )
    return NumberLine(c.measure, c.a, c.b, bars, facts.min_effect).html(caption)


# ---------------------------------------------------------------------- a ranking


def _about_ranking(facts: Facts, claim: Claim) -> tuple[str, str, str, Html]:
    m, verdict = facts.main, claim.first
    n, k = len(m.ranking.systems), len(m.ranking.best)
    sure = m.ranking.certainty
    if k == n:
        lede: list[Child] = [f"No two systems differ significantly ({sure}), {small(facts.holds_for)}."]
    else:
        others = "The other one is worse" if n - k == 1 else "Each of the others is worse than some other system"
        these = names_in(f"These are {named(m.ranking.best, NAMED)}. ", m.ranking.best) if k > 1 else None
        lede = [these, f"{others} ({sure}), {small(facts.holds_for)}."]
    two = join(
        el("h2", "The two best, as if chosen in advance", class_="two-best"),
        paragraph(
            chip_of(verdict),
            " ",
            names_in(_short(facts, verdict), (claim.a, claim.b)),
            " ",
            _as_labeled(facts, verdict),
        ),
        paragraph(PICKED, class_="note"),
        _number_line(facts, verdict),
    )
    below = join(paragraph(*lede, class_="lede"), notes(m.notes, facts.systems), two)
    outcome = "unchecked" if facts.unchecked else "better" if k == 1 else "inconclusive"
    short = "unchecked" if facts.unchecked else "one may be best" if k == 1 else f"{count(k)} may be best"
    return outcome, short, by_whom(verdict.labels_by, _ranking_words(m)), below


def _ranking_words(m: MeasureFacts) -> str:
    n, k = len(m.ranking.systems), len(m.ranking.best)
    if k == 1:
        return f"Only {m.ranking.best[0]} may be best on {m.name}."
    if k == n:
        return f"Any of the {count(n)} systems may be best on {m.name}."
    return f"{count(k)} of {count(n)} systems may be best on {m.name}."


def _short(facts: Facts, verdict: Verdict) -> str:
    """Claim and numbers in one sentence."""
    c = verdict.comparison
    span = "" if c.low is None or c.high is None else f", {facts.level} CI {_limits(facts, c.low, c.high)}"
    return true_minus(verdict.with_numbers(f"{_signed(facts, c.difference)} {c.measure}{span}"))


# ---------------------------------------------------------------------- a baseline


def _against_baselines(facts: Facts) -> tuple[str, str, str, Html]:
    """Who is better than the baseline, or than every one of several: all claims held at once."""
    claims = [c for c in facts.claims if c.baseline]
    against = list(dict.fromkeys(c.a for c in claims))
    if facts.unchecked:
        return _not_checked(facts, claims, against)
    by = _by_outcome([(c.b, c.at_once) for c in claims])
    singly = _by_outcome([(c.b, c.first.outcome) for c in claims])
    better, n, several = by["better"], sum(map(len, by.values())), len(against) > 1
    than = f"{_than(against)} on {facts.main.name}"
    verb = "is" if len(better) < 2 else "are"
    heading = f"{count(len(better)) if better else 'None'} of {count(n)} systems {verb} shown to be better than {than}."
    if n == 1:
        heading = f"{claims[0].b} is {'' if better else 'not '}shown to be better than {than}."
    elif len(better) == 1:
        heading = f"Only {better[0]}, of {count(n)} systems, is shown to be better than {than}."
    baselines = f" against {'one or both' if len(against) == 2 else 'one or more'}" if several else ""
    words = "; ".join(
        f"{o}{'' if o == 'better' else baselines}: {named(names, NAMED)}" for o, names in by.items() if names
    )
    sure = f"{small(facts.holds_for)}, {_jointly(facts, len(claims))}"
    only = {o: [b for b in singly[o] if b in by["inconclusive"]] for o in SETTLED}
    would = " and ".join(f"{named(names, NAMED)} would be {o}" for o, names in only.items() if names)
    more = f" Tested alone, {would}." if would else ""
    lede = paragraph(names_in(f"{words[:1].upper()}{words[1:]} ({sure}).{more}", facts.systems), class_="lede")
    outcome = next((o for o in ("better", "inconclusive", "not better", "worse") if by[o]), "inconclusive")
    short = f"{count(len(better))} of {count(n)} better"
    if several:
        short = f"{count(len(better))} of {count(n)} better than {'both' if len(against) == 2 else 'all'}"
    if labels := claims[0].first.labels_by:  # trusted, and yet nothing shows it
        heading = by_whom(labels, heading.replace(" shown to be better than ", " better than ", 1))
    return outcome, short, heading, lede


def _jointly(facts: Facts, claims: int) -> str:
    """How sure some claims are together."""
    if claims == 1:
        return f"{facts.level} confidence"
    return f"simultaneous {facts.level} confidence for {'both' if claims == 2 else f'all {count(claims)}'} claims"


def _than(against: Sequence[str]) -> str:
    if len(against) == 1:
        return against[0]
    return f"{'both' if len(against) == 2 else 'all of'} {named(list(against), NAMED)}"


def _not_checked(facts: Facts, claims: Sequence[Claim], against: Sequence[str]) -> tuple[str, str, str, Html]:
    """What is said of the claims where a model's labels decide, which no person has checked: nothing is shown."""
    systems = list(dict.fromkeys(c.b for c in claims))
    who = f"{systems[0]} is not" if len(systems) == 1 else f"None of {count(len(systems))} systems is"
    than = f"{_than(against)} on {facts.main.name}"
    heading = f"{who} shown to be better than {than}: no person has checked {facts.unchecked}."
    by = _by_outcome([(c.b, c.first.by_labels or c.first.outcome) for c in claims])
    words = "; ".join(f"{o}: {named(names, NAMED)}" for o, names in by.items() if names)
    lede = f"By these {facts.unit}s alone, on {facts.main.name} ({small(facts.holds_for)}, each claim alone): {words}."
    return "unchecked", "unchecked", heading, paragraph(names_in(lede, facts.systems), class_="lede")


def _by_outcome(outcomes: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Systems by the worst of their outcomes, since they shall be better than every baseline."""
    worst_first = ("worse", "not better", "inconclusive")
    by: dict[str, list[str]] = {outcome: [] for outcome in CHIPS}
    for system in dict.fromkeys(s for s, _ in outcomes):
        own = {outcome for s, outcome in outcomes if s == system}
        by[next((o for o in worst_first if o in own), "better")].append(system)
    return by


# ---------------------------------------------------------------------- below the verdict


def _fixed(facts: Facts, claim: Claim) -> Html:
    """For whom, what is not covered, what unjudged documents count as or could change, and how sure."""
    items = {"Holds for": small(facts.holds_for).removeprefix("for "), "Not covered": facts.not_covered}
    if _about_two(facts):
        if len(facts.claims) == 1 and facts.of_documents:
            items["Unjudged documents could add"] = _unjudged_could_add(facts, claim.first)
        items["Confidence"] = _level(facts)
    else:
        if facts.of_documents:
            items["Unjudged documents"] = _unjudged(facts.main)
        items["Confidence"] = f"simultaneous {facts.level} for all pairs"
    return el("dl", *(el("div", el("dt", k), el("dd", v)) for k, v in items.items()), class_="fixed")


def _level(facts: Facts) -> str:
    if len(facts.claims) == 1:
        return f"{facts.level} for this claim alone"
    if not facts.joint:
        return f"{facts.level} for each claim alone"
    return f"simultaneous {facts.level} for outcomes, {facts.level} for each interval alone"


def _unjudged(m: MeasureFacts) -> str:
    """How many there are, and what the ranking takes them for."""
    holes, of = m.unjudged
    if not holes:
        return "none"
    number = f"{count(holes)} of {count(of)}"
    if m.ranking.unjudged_policy == "bound":
        return f"{number}; the ranking holds for any {'label' if holes == 1 else 'labels'} of these"
    if m.ranking.unjudged_policy == "first":
        first = f"holds for any labels of those in {m.ranking.first_ranks}"
        return f"{number}; the ranking {first}, and counts those below as not relevant"
    return f"{number}, counted as not relevant"


def _unjudged_could_add(facts: Facts, verdict: Verdict) -> str:
    hidden = verdict.unjudged_bounds
    if hidden is None:
        return "unknown for this measure; they count as not relevant"
    below = f"; {hidden.as_zero}" if hidden.as_zero and verdict.unjudged_policy == "bound" else ""
    if not hidden.documents:
        return f"nothing: all{hidden.where} are judged{below}"
    documents = f"{many(hidden.documents, 'document')}{hidden.where}"
    if not hidden.least and not hidden.most:
        return f"nothing ({documents} that count the same in both){below}"
    change = f"{limits(hidden.least, hidden.most, signs=True)} ({documents})"
    if verdict.unjudged_policy != "bound":
        return f"{change}; the verdict counts them as not relevant"
    wide = with_unjudged(facts, verdict)
    return change + ("" if wide is None else f"; interval with them: {_limits(facts, *wide)}") + below


def _by_measure(facts: Facts, claim: Claim) -> Html | None:
    """The claim by every measure, where there are several."""
    if len(facts.measures) < 2 or (len(facts.claims) > 1 and claim.baseline):
        return None
    rows = []
    if _about_two(facts):
        about = join(name(claim.b), " against ", name(claim.a))
        top = [head("measure"), head("outcome"), head("difference", "n0"), head(f"{facts.level} interval", "n0 o")]
        for m, v in zip(facts.measures, claim.verdicts, strict=True):
            c = v.comparison
            numbers = num(_signed(facts, c.difference)), num(_limits(facts, c.low, c.high), more="o")
            rows.append(tr(label(m.name), cell(chip_of(v)), *numbers))
    else:
        scored = any(not e.refused for m in facts.measures for e in m.estimates)
        first = "best by score" if scored else "first in order"  # of differences, where scores are not known
        about, top = join("Who may be best"), [head("measure"), head("may be best"), head(first)]
        for m in facts.measures:
            r = m.ranking
            may = f"{count(len(r.best))} of {count(len(r.systems))}"
            rows.append(tr(label(m.name), cell(may), cell(name(r.systems[0]))))
    words = join(about, el("span", ", by measure", class_="m"))
    return el("figure", scrolls(table(words, top, rows), "The same question by every measure"), class_="by-measure")


def _claims(facts: Facts) -> Html | None:
    """Every claim that was asked for, where there are several; by other measures one fold away each."""
    if len(facts.claims) < 2:
        return None
    others = (
        folded(f"The same by {m.name}", claims_table(facts, anchors(facts, i), i))
        for i, m in enumerate(facts.measures[1:], 1)
    )
    return join(claims_table(facts, anchors(facts)), *others)
