"""A verdict in words and signs, and claims one below the other with their intervals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from truegain.data.models import by_unchecked
from truegain.report.html import (
    MINUS,
    Child,
    Html,
    cell,
    csv_link,
    el,
    head,
    join,
    limits,
    links,
    many,
    name,
    num,
    plot,
    room,
    signed,
    small,
    svg_link,
    table,
    tr,
)
from truegain.report.svg import Axis, Span, axis_head, row, stacked
from truegain.sampling.catalogue import SOURCES
from truegain.study.variance import Share, largest_of
from truegain.study.verdict import Verdict

# ---- A verdict in words and signs, as every section shows it.

CHIPS = {
    "better": ("ok", "✓"), "not worse": ("ok", "✓"), "worse": ("no", "✕"), "not better": ("nb", "="),
    "inconclusive": ("un", "?"), "unchecked": ("uc", "!"),
}  # fmt: skip


def chip(outcome: str, words: str = "") -> Html:
    """The outcome with its sign: never by colour alone.

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
    found = {outcome: outcomes.count(outcome) for outcome in CHIPS}
    return f"{many(len(outcomes), 'claim')}: {', '.join(f'{n:,} {outcome}' for outcome, n in found.items() if n)}"


def shared_lines(verdict: Verdict) -> list[tuple[str, Share]]:
    """Sources with their share of the variance, the largest first."""
    found = [(x.source, x.share) for x in verdict.by_source if x.share is not None]
    return sorted(found, key=lambda one: -one[1].value)


def rests_on(verdict: Verdict) -> str:
    """In a few words: what leaves a claim open, or where most of its uncertainty comes from."""
    c, hidden = verdict.comparison, verdict.unjudged_bounds
    if verdict.withheld:
        return "too little known of the judge"
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
        return SOURCES[shares[0][0]].shown
    largest = largest_of(dict(shares))
    return "no single source" if largest is None else f"{SOURCES[largest[0]].shown}, {dict(shares)[largest[0]]}"


def true_minus(text: str) -> str:
    """Numbers below 0 with a true minus.

    >>> true_minus("from -0.05 to 0.1, of run-1").replace(MINUS, "minus ")
    'from minus 0.05 to 0.1, of run-1'
    """
    return re.sub(r"(?<![\w.-])-(?=\d)", MINUS, text).replace("+-", "±")


def sentences(*texts: str) -> Html:
    """Sentences one after the other."""
    return join(*(f"{true_minus(t).rstrip()} " for t in texts if t))


# ---- The table of claims: the outcome of each, its interval, its numbers, and what it rests on.

COLUMNS = ("system", "against", "outcome", "difference", "low", "high", "uncorrected", "rests_on")


@dataclass(frozen=True)
class ClaimRows:
    """Verdicts by one measure; `both` draws what the labels say as they are, too."""

    verdicts: Sequence[Verdict]
    measure: str
    confidence: float
    both: bool
    min_effect: float = 0.0
    above: str = ""  # what stands above the rows
    details: Sequence[str] = ()  # where on the page the details of each claim are; empty where there are none

    @property
    def several(self) -> bool:
        """Whether they are against several systems."""
        return len({v.comparison.a for v in self.verdicts}) > 1

    @property
    def level(self) -> str:
        """The confidence in per cent."""
        return f"{100 * self.confidence:g}%"

    def html(self) -> Html:
        """The figure, with its data and itself to take along."""
        axis = Axis.of([x for v in self.verdicts for x in self._ends(v)], 5, zero=True)
        drawn = [self._spans(v) for v in self.verdicts]
        to = self.details or [""] * len(self.verdicts)
        rows = [self._row(v, axis, spans, at) for v, (_, spans), at in zip(self.verdicts, drawn, to, strict=True)]
        top = [head("claim" if self.several else "system"), head("outcome", "vv")]
        top += [head(axis_head(axis, signs=True), "p"), *([head("uncorrected", "n0 o")] if self.both else [])]
        top += [head("corrected" if self.both else "difference", "n0"), head(f"{self.level} interval", "n0 o")]
        top.append(head("rests on", "lk"))
        first = self.verdicts[0].comparison.a
        about: Child = (
            "Claims: is the first better?" if self.several else ("Claims: is it better than ", name(first), "?")
        )
        words = join(about, el("span", f", by {self.measure}", class_="m"))
        cols = ("cs", "vv", None, *(["xu o"] if self.both else []), "x", "y o", "lk")
        names = (x for v in self.verdicts for x in (v.comparison.a, v.comparison.b))
        made = table(words, top, rows, cols=cols, kind=f"sort {room(names)}")
        title = f"Differences in {self.measure}{'' if self.several else f' from {first}'}, with {self.level} intervals"
        svg = svg_link("claims.svg", stacked(drawn, axis, title, signs=True))
        return el("figure", made, el("figcaption", *self._caption(), links(self._data(), svg)), class_="claims")

    def _ends(self, v: Verdict) -> tuple[float | None, ...]:
        c = v.comparison
        return (c.low, c.high, c.difference, *((v.uncorrected.low, v.uncorrected.high) if self.both else ()))

    def _spans(self, v: Verdict) -> tuple[str, list[Span]]:
        c = v.comparison
        spans = []
        if self.both and c.uncorrected is not None:
            spans.append(Span(c.uncorrected, v.uncorrected.low, v.uncorrected.high, True))
        return f"{c.b} against {c.a}" if self.several else c.b, [*spans, Span(c.difference, c.low, c.high)]

    def _row(self, v: Verdict, axis: Axis, spans: Sequence[Span], details: str) -> Html:
        c = v.comparison
        against = (el("br"), el("span", "against ", name(c.a), class_="of2")) if self.several else ()
        first = el("th", name(c.b), *against, scope="row", title=f"{c.b} against {c.a}")
        numbers = [num(signed(c.uncorrected), more="o")] if self.both else []
        numbers.append(num(signed(c.difference, min_effect=self.min_effect)))
        numbers.append(num(limits(c.low, c.high, signs=True, min_effect=self.min_effect), more="o"))
        why = el("a", rests_on(v) or "details", href=f"#{details}") if details else rests_on(v)
        return tr(first, cell(chip_of(v), kind="vv"), plot(row(axis, spans, zero=True)), *numbers, cell(why, kind="lk"))

    def _data(self) -> Html:
        found = [(v.outcome, v.comparison, rests_on(v)) for v in self.verdicts]
        rows = [(c.b, c.a, o, c.difference, c.low, c.high, c.uncorrected, on) for o, c, on in found]
        return csv_link("claims.csv", COLUMNS, rows)

    def _caption(self) -> tuple[Child, ...]:
        half = f"{100 * (1 - self.confidence) / 2:.3g}%"
        alone = (
            f" Each row is tested alone: two equal systems would be called better in about {half} of studies, and "
            f"worse in as many; the more claims, the more such errors.{' ' + self.above if self.above else ''}"
            " “Rests on” names what leaves a claim open, or the largest source of its uncertainty."
        )
        key = " Hollow: uncorrected; filled: corrected." if self.both else ""
        bold = el("b", f"{counted([v.outcome for v in self.verdicts])}.")
        back_held = [
            v
            for v in self.verdicts
            if v.outcome == "inconclusive" and (low := v.comparison.low or 0.0) > 0 and low >= self.min_effect
        ]
        back = ""
        if back_held:
            are = "is" if len(back_held) == 1 else "are"
            claims = f"{many(len(back_held), 'claim')} with an interval above 0 {are} inconclusive"
            back = f" {claims}: {_held_back(back_held)}."
        return bold, key, back, alone


def _held_back(held: Sequence[Verdict]) -> str:
    """Why claims with an interval above 0 are inconclusive."""
    lent, hidden = any(v.withheld for v in held), any(not v.withheld for v in held)
    why = ["unjudged documents could change it"] if hidden else []
    return " or ".join([*why, *(["too little is known of the judge's errors on what they retrieved"] if lent else [])])
