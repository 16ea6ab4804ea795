"""Claims one below the other: what is said of each, its interval, and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from truegain.inference.study.verdict import Verdict
from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Child, Html, el, join, name
from truegain.report.parts.numbers import limits, many, signed
from truegain.report.parts.svg import Span, axis_head, row, stacked
from truegain.report.parts.table import cell, head, num, plot, room, table, tr
from truegain.report.parts.words import chip_of, counted

COLUMNS = ("system", "against", "outcome", "difference", "low", "high", "as_labelled")


@dataclass(frozen=True)
class ClaimRows:
    """Verdicts by one measure; `both` draws what the labels say as they are, too."""

    verdicts: Sequence[Verdict]
    measure: str
    confidence: float
    both: bool
    smallest: float = 0.0
    above: str = ""  # what stands above the rows

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
        rows = [self._row(v, axis, spans) for v, (_, spans) in zip(self.verdicts, drawn, strict=True)]
        top = [head("system, and against which" if self.several else "system"), head("answer", "vv")]
        top += [head(axis_head(axis, signs=True), "p"), *([head("as labelled", "n0 o")] if self.both else [])]
        top += [head("corrected" if self.both else "difference", "n0"), head(f"{self.level} interval", "n0 o")]
        first = self.verdicts[0].comparison.a
        about: Child = "The claims that were asked about" if self.several else ("Is it better than ", name(first), "?")
        words = join(about, el("span", f", by {self.measure}", class_="m"))
        cols = ("cs", "vv", None, *(["x o"] if self.both else []), "x", "y o")
        names = (x for v in self.verdicts for x in (v.comparison.a, v.comparison.b))
        made = table(words, top, rows, cols=cols, kind=f"sort {room(names)}")
        title = f"Differences in {self.measure}{'' if self.several else f', less {first}'}, with {self.level} intervals"
        svg = svg_link("claims.svg", stacked(drawn, axis, title, signs=True))
        return el("figure", made, el("figcaption", *self._caption(), links(self._data(), svg)), class_="claims")

    def _ends(self, v: Verdict) -> tuple[float | None, ...]:
        c = v.comparison
        return (c.low, c.high, c.difference, *((v.naive.low, v.naive.high) if self.both else ()))

    def _spans(self, v: Verdict) -> tuple[str, list[Span]]:
        c = v.comparison
        spans = [Span(c.naive, v.naive.low, v.naive.high, True)] if self.both and c.naive is not None else []
        return f"{c.b} against {c.a}" if self.several else c.b, [*spans, Span(c.difference, c.low, c.high)]

    def _row(self, v: Verdict, axis: Axis, spans: Sequence[Span]) -> Html:
        c = v.comparison
        against = (el("br"), el("span", "against ", name(c.a), class_="of2")) if self.several else ()
        first = el("th", name(c.b), *against, scope="row", title=f"{c.b} against {c.a}")
        numbers = [num(signed(c.naive), more="o")] if self.both else []
        numbers.append(num(signed(c.difference, smallest=self.smallest)))
        numbers.append(num(limits(c.low, c.high, signs=True, smallest=self.smallest), more="o"))
        return tr(first, cell(chip_of(v), kind="vv"), plot(row(axis, spans, zero=True)), *numbers)

    def _data(self) -> Html:
        pairs = [(v.outcome, v.comparison) for v in self.verdicts]
        return csv_link("claims.csv", COLUMNS, [(c.b, c.a, o, c.difference, c.low, c.high, c.naive) for o, c in pairs])

    def _caption(self) -> tuple[Child, ...]:
        half = f"{100 * (1 - self.confidence) / 2:.3g}%"
        alone = (
            f" Each row is a claim tested alone: of equal systems about {half} would be called better, and as many "
            f"worse; the more claims, the more of these.{' ' + self.above if self.above else ''}"
        )
        key = " Open: labels as they are; filled: corrected." if self.both else ""
        bold = el("b", f"{counted([v.outcome for v in self.verdicts])}.")
        back_held = [v for v in self.verdicts if v.outcome == "cannot be told" and (v.comparison.low or 0.0) > 0]
        back = ""
        if back_held:
            back = f" {many(len(back_held), 'claim')} with an interval above 0 cannot be told: {_held_back(back_held)}."
        return bold, key, back, alone


def _held_back(held: Sequence[Verdict]) -> str:
    """Why claims with an interval above 0 cannot be told."""
    lent, hidden = any(v.borrowed for v in held), any(not v.borrowed for v in held)
    why = ["unjudged documents could turn it"] if hidden else []
    return " or ".join([*why, *(["the judge knows too little of what they retrieved"] if lent else [])])
