"""The verdict, first and in words."""

from __future__ import annotations

from truegain.report.facts.facts import Claim, Facts, MeasureFacts
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Child, Html, el, join, name, names_in, paragraph
from truegain.report.parts.numbers import count, limits, many, named, p_value, plain, signed
from truegain.report.parts.section import Section
from truegain.report.parts.svg import Span, alone, axis_head, bottom_axis, figure, line, pc, row, text
from truegain.report.parts.words import Said, chip, true_minus
from truegain.inference.study.verdict import Verdict

NAMED = 8
ALONE = (
    "Each claim is tested alone: of claims about equal systems one in forty would be called better at 95%, and one in "
    "forty worse."
)
PICKED = "These two were picked by their scores, so their interval is too sure; the ranking holds for all pairs at once."


def section(facts: Facts) -> Section:
    """Always there."""
    claim = facts.claims[0]
    if facts.asked and claim.baseline and len(facts.claims) > 1:
        top, heading = _against_baseline(facts, claim.a)
    elif facts.asked or len(facts.systems) == 2:
        top, heading = _about_pair(facts, claim)
    else:
        top, heading = _about_ranking(facts, claim)
    body = join(top, _fixed(facts, claim), _by_measure(facts, claim), _claims(facts))
    data = {
        "headline": heading,
        "claims": [v.to_dict() for c in facts.claims for v in c.verdicts],
        "rankings": [m.ranking.to_dict() for m in facts.measures],
        "holds_for": facts.holds_for,
        "held_fixed": facts.held_fixed,
    }
    rail = [many(len(facts.systems), "system"), many(facts.topics, "topic"), many(facts.labels, "label")]
    rail += [many(facts.gold, "gold label")] if facts.gold else []
    rail += [many(facts.assessors, "assessor")] if facts.assessors else []
    return Section(
        "verdict", "Verdict", "Verdict", body, data, (*rail, *(m.name for m in facts.measures)), heads=True
    )


# ---------------------------------------------------------------------- what stands first


def _about_pair(facts: Facts, claim: Claim) -> tuple[Html, str]:
    verdict, systems = claim.first, (claim.a, claim.b)
    said = Said.of(verdict)
    heading = said.head or _plain_head(verdict)
    body = join(
        chip(verdict.outcome),
        el("h1", names_in(heading, systems), id="h-verdict"),
        _lede(facts, verdict, said),
        _number_line(facts, verdict),
    )
    return body, heading


def _plain_head(verdict: Verdict) -> str:
    c = verdict.comparison
    words = {
        "holds": f"{c.b} is better than {c.a}.",
        "does not hold": f"That {c.b} is better than {c.a} does not hold.",
        "cannot be told": f"Whether {c.b} is better than {c.a} cannot be told.",
    }
    return words[verdict.outcome]


def _lede(facts: Facts, verdict: Verdict, said: Said) -> Html:
    c = verdict.comparison
    if said.whole:
        return paragraph(true_minus(said.rest), class_="lede")
    by = f"Corrected by {many(facts.gold, 'gold label')}, the" if facts.corrected else "The"
    parts: list[Child] = [
        f"{by} difference is ", el("b", f"{signed(c.difference)} {c.measure}", class_="nb"),
        f" ({plain(c.value_b)} against {plain(c.value_a)})",
    ]  # fmt: skip
    if c.low is not None and c.high is not None and c.low != c.high:
        parts += [f"; at {facts.level} it may be anything ", el("b", f"from {limits(c.low, c.high, signs=True)}")]
    parts += [f", {verdict.holds_for}", names_in(true_minus(said.rest), (c.a, c.b)), ". ", _naive_words(verdict)]
    return paragraph(*parts, class_="lede")


def _naive_words(verdict: Verdict) -> str:
    """What the labels would have said if taken as they are; nothing where they are."""
    c, naive = verdict.comparison, verdict.naive
    if c.naive is None or c.naive == c.difference or naive.low is None or naive.high is None:
        return ""
    would = "better" if naive.low > 0 else "worse" if naive.high < 0 else ""
    found = f"{signed(c.naive)} ({limits(naive.low, naive.high, signs=True)}; {p_value(c.naive_p)})"
    if would:
        return f"The labels alone, taken as they are, would have called it {would}: {found}."
    return f"The labels alone, taken as they are, would not have told either: {found}."


def _about_ranking(facts: Facts, claim: Claim) -> tuple[Html, str]:
    m = facts.main
    n, k = len(m.ranking.systems), len(m.ranking.best)
    heading = _ranking_words(m)
    sure = f"{facts.level}, all {count(n * (n - 1) // 2)} pairs at once"
    if k == n:
        lede: tuple[Child, ...] = (f"None is told apart from the best ({sure}), {_small(facts.holds_for)}.",)
    else:
        others = "The other one is worse" if n - k == 1 else "Each of the others is worse than some other system"
        best = join(*(x for s in m.ranking.best[:NAMED] for x in (name(s), ", ")))[:-2]
        more = f" and {count(k - NAMED)} more" if k > NAMED else ""
        lede = ((Html(best), f"{more}. ") if k > 1 else ()) + (f"{others} ({sure}), {_small(facts.holds_for)}.",)
    verdict = claim.first
    two = join(
        el("h3", "The two best, had they been named beforehand", class_="two-best"),
        paragraph(chip(verdict.outcome), " ", names_in(_short(verdict), (claim.a, claim.b)), " ", _naive_words(verdict)),
        _number_line(facts, verdict),
        paragraph(PICKED, class_="note"),
    )
    top = chip("holds", "one may be best") if k == 1 else chip("cannot be told", f"{count(k)} may be best")
    return join(top, el("h1", names_in(heading, m.ranking.best), id="h-verdict"), paragraph(*lede, class_="lede"), two), heading


def _ranking_words(m: MeasureFacts) -> str:
    n, k = len(m.ranking.systems), len(m.ranking.best)
    if k == 1:
        return f"Only {m.ranking.best[0]} may be best on {m.name}."
    return f"Any of the {count(n)} systems may be best on {m.name}." if k == n else (
        f"{count(k)} of {count(n)} systems may be best on {m.name}.")  # fmt: skip


def _small(words: str) -> str:
    return words[:1].lower() + words[1:]


def _short(verdict: Verdict) -> str:
    """Claim and numbers in one sentence."""
    said, c = Said.of(verdict), verdict.comparison
    if said.whole:
        return true_minus(said.rest)
    span = "" if c.low is None or c.high is None else f", {limits(c.low, c.high, signs=True)}"
    return f"{said.head[:-1]}: {signed(c.difference)} {c.measure}{span}, {verdict.holds_for}{true_minus(said.rest)}."


def _against_baseline(facts: Facts, baseline: str) -> tuple[Html, str]:
    claims = [c for c in facts.claims if c.baseline and c.a == baseline]
    by = {o: [c.b for c in claims if c.first.outcome == o] for o in ("holds", "does not hold", "cannot be told")}
    n, measure = len(claims), facts.main.name
    better = by["holds"]
    who = better[0] if len(better) == 1 else f"{count(len(better)) if better else 'None'} of {count(n)} systems"
    are = "is" if len(better) == 1 or not better else "are"
    heading = f"{who} {are} shown to be better than {baseline}."
    told = [f"{named(better, NAMED)} {are} better on {measure}"] if better else []
    if worse := by["does not hold"]:
        told.append(f"of {named(worse, NAMED)} the claim does not hold")
    if open_ := by["cannot be told"]:
        told.append(f"of {named(open_, NAMED)} it cannot be told")
    lede = names_in(f"{'; '.join(told)}, {_small(facts.holds_for)}.", facts.systems)
    outcome = "holds" if better else "cannot be told" if open_ else "does not hold"
    words = f"{count(len(better))} of {count(n)} claims hold"
    top = chip(outcome, words)
    return join(top, el("h1", names_in(heading, facts.systems), id="h-verdict"),
                paragraph(lede[:1].upper() and Html(lede), class_="lede")), heading  # fmt: skip


# ---------------------------------------------------------------------- the number line


def _number_line(facts: Facts, verdict: Verdict) -> Html | None:
    c, naive = verdict.comparison, verdict.naive
    if c.low is None or c.high is None:
        return None
    both = c.naive is not None and c.naive != c.difference and naive.low is not None
    spans: list[tuple[str, str, Span]] = []
    if both and c.naive is not None:
        spans.append(("Labels as they are", "nt", Span(c.naive, naive.low, naive.high, True)))
    spans.append(("Corrected" if both else "Difference", "ct", Span(c.difference, c.low, c.high)))
    holes = verdict.hidden if verdict.hidden is not None and verdict.hidden.documents else None
    if holes is not None and verdict.holes == "bound":
        spans.append(("With unjudged documents at worst and best", "ct",
                      Span(c.difference, c.low + holes.least, c.high + holes.most)))  # fmt: skip
    ends = [x for _, _, s in spans for x in (s.low, s.high, s.value)]
    axis = Axis.of([*ends, facts.smallest], zero=True)
    height = 28 + 64 * len(spans)
    inner = _line_parts(facts, axis, spans, height, c.a, c.b)
    told = "; ".join(f"{w}: {signed(s.value)}, {limits(s.low, s.high, signs=True)}" for w, _, s in spans)
    words = f"Number line of the difference in {c.measure}, {c.b} less {c.a}. {told}."
    rows = [(w, s.value, s.low, s.high) for w, _, s in spans]
    caption = el(
        "figcaption", el("b", _crossing(c.low, c.high)), f" Difference in {c.measure}, ", name(c.b), " less ",
        name(c.a), f", with {facts.level} intervals. Solid line: no difference.", _smallest_words(facts),
        " The open bar is what the labels say if taken as true." if both else "",
        links(csv_link("difference.csv", ("what", "difference", "low", "high"), rows),
              svg_link("difference.svg", alone(inner, 860, height + 30, words))),
    )  # fmt: skip
    return el("figure", figure(inner, height + 30, words), caption)


def _line_parts(
    facts: Facts, axis: Axis, spans: list[tuple[str, str, Span]], height: int, a: str, b: str
) -> Html:
    zero, parts = axis.at(0.0), list[Html]()
    if zero > 0:
        parts.append(el("rect", class_="zone", x="0", y="24", width=pc(zero), height=f"{height - 24}"))
    if facts.smallest > 0:
        to = axis.at(facts.smallest)
        hatch = el(
            "pattern", el("line", class_="hxl", x1=0, y1=0, x2=0, y2=6), id="hx", width=6, height=6,
            patternUnits="userSpaceOnUse", patternTransform="rotate(45)",
        )  # fmt: skip
        parts += [el("defs", hatch), el("rect", fill="url(#hx)", x=pc(zero), y="24", width=pc(to - zero),
                                        height=f"{height - 24}"), line(to, 20, height + 4, "del")]  # fmt: skip
    if zero > 20:
        parts.append(text(f"◂ {_cut(a)} better", zero, 15, "t m", "end", -8))
    if zero < 80:
        parts.append(text(f"{_cut(b)} better ▸", zero, 15, "t m", dx=8))
    parts.append(line(zero, 6, height + 4, "zero"))
    for i, (words, kind, span) in enumerate(spans):
        y = 57 + 64 * i
        numbers = f"{signed(span.value)} ({limits(span.low, span.high, signs=True)})"
        told = (el("tspan", words, class_=f"b {kind}"), el("tspan", numbers, class_="tn", dx=8))
        parts.append(el("text", *told, class_="t halo", x="0", dx=2, y=y - 9))
        parts.append(span.drawn(axis, y + 6, 14.0))
    return join(*parts, bottom_axis(axis, height))


def _cut(words: str) -> str:
    return words if len(words) <= 24 else f"{words[:23]}…"


def _crossing(low: float, high: float) -> str:
    if low <= 0 <= high:
        return "The filled bar crosses zero."
    return "The filled bar lies above zero." if low > 0 else "The filled bar lies below zero."


def _smallest_words(facts: Facts) -> str:
    if facts.smallest <= 0:
        return ""
    return f" Dashed line: {signed(facts.smallest)}, the smallest gain that matters (as given); hatched: less than that."


# ---------------------------------------------------------------------- what it holds for


def _fixed(facts: Facts, claim: Claim) -> Html:
    hidden = claim.first.hidden
    holes = "not known for this measure" if hidden is None else "nothing, all are judged"
    if hidden is not None and hidden.documents:
        holes = f"{signed(hidden.least)} to {signed(hidden.most)} ({many(hidden.documents, 'document')})"
    alone_ = "this claim alone" if len(facts.claims) == 1 else "each claim alone"
    items = (
        ("Holds for", _small(facts.holds_for).removeprefix("for ")),
        ("Held fixed", facts.held_fixed),
        ("Unjudged documents could add", holes),
        ("Level", f"{facts.level}, {alone_}"),
    )
    return el("dl", *(el("div", el("dt", k), el("dd", v)) for k, v in items), class_="fixed")


def _by_measure(facts: Facts, claim: Claim) -> Html | None:
    """The same question by every measure, where there are several."""
    if len(facts.measures) < 2:
        return None
    of_pair = facts.asked or len(facts.systems) == 2
    head = ["measure", "that it is better" if of_pair else "the two best", "difference", f"{facts.level} interval"]
    if not of_pair:
        head = ["measure", "may be best", "best by score"]
    rows = []
    for m, v in zip(facts.measures, claim.verdicts, strict=True):
        cells: list[Child]
        if of_pair:
            c = v.comparison
            cells = [chip(v.outcome), signed(c.difference), limits(c.low, c.high, signs=True)]
        else:
            r = m.ranking
            cells = [f"{count(len(r.best))} of {count(len(r.systems))}", name(r.systems[0])]
        rows.append(el("tr", el("th", m.name, scope="row"), *(el("td", x) for x in cells)))
    about = join(name(claim.b), " against ", name(claim.a)) if of_pair else escaped_words("Who may be best")
    return el(
        "figure",
        el("table", el("caption", about, el("span", ", by measure", class_="m")),
           el("thead", el("tr", *(el("th", h, scope="col") for h in head))), el("tbody", *rows)),
        class_="by-measure",
    )  # fmt: skip


def escaped_words(words: str) -> Html:
    """Words as HTML."""
    return join(words)


def _claims(facts: Facts) -> Html | None:
    """Every claim that was asked for, where there are several."""
    if len(facts.claims) < 2:
        return None
    m = facts.main
    verdicts = [c.first for c in facts.claims]
    axis = Axis.of([x for v in verdicts for x in (v.comparison.low, v.comparison.high, v.naive.low, v.naive.high,
                                                  v.comparison.difference)], 5, zero=True)  # fmt: skip
    both = facts.corrected
    head = (
        el("th", "system", scope="col"), el("th", "against", scope="col"), el("th", "that it is better", scope="col"),
        el("th", axis_head(axis, signs=True), scope="col", class_="p"),
        el("th", "as labelled", scope="col", class_="n0 o") if both else None,
        el("th", "corrected" if both else "difference", scope="col", class_="n0"),
        el("th", f"{facts.level} interval", scope="col", class_="n0 o"),
    )  # fmt: skip
    rows = []
    for v in verdicts:
        c = v.comparison
        spans = [Span(c.naive, v.naive.low, v.naive.high, True)] if both and c.naive is not None else []
        spans.append(Span(c.difference, c.low, c.high))
        rows.append(el(
            "tr", el("th", name(c.b), scope="row"), el("td", name(c.a)), el("td", chip(v.outcome)),
            el("td", row(axis, spans, zero=True), class_="p"),
            el("td", signed(c.naive), class_="n0 o") if both else None, el("td", signed(c.difference), class_="n0"),
            el("td", limits(c.low, c.high, signs=True), class_="n0 o"),
        ))  # fmt: skip
    hold = sum(v.outcome == "holds" for v in verdicts)
    data = [(v.comparison.b, v.comparison.a, v.outcome, v.comparison.difference, v.comparison.low, v.comparison.high,
             v.comparison.naive) for v in verdicts]  # fmt: skip
    key = " Open: labels as they are; filled: corrected." if both else ""
    return el(
        "figure",
        el("table", el("caption", "The claims that were asked about ", el("span", f"by {m.name}", class_="m")),
           el("colgroup", *(el("col", class_=x) for x in ("a", "a", "vv", None, *(["x o"] if both else []), "x", "y o"))),
           el("thead", el("tr", *head)), el("tbody", *rows), class_="sort"),
        el("figcaption", el("b", f"{count(hold)} of {count(len(verdicts))} claims hold."), key, " ", ALONE,
           links(csv_link("claims.csv", ("system", "against", "outcome", "difference", "low", "high", "as_labelled"),
                          data))),
        class_="claims",
    )  # fmt: skip
