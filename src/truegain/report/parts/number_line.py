"""A difference on a number line: bars with their words above them, zero, and the smallest gain that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from truegain.report.parts.axis import Axis
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Child, Html, el, join
from truegain.report.parts.numbers import limits, signed
from truegain.report.parts.svg import Span, alone, bottom_axis, figure, line, pc, text

BAR = 64  # pixels from bar to bar
LEFT = "\N{BLACK LEFT-POINTING SMALL TRIANGLE}"
RIGHT = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"


@dataclass(frozen=True)
class NumberLine:
    """Bars of the difference b less a, each with words; `smallest` is the smallest gain that matters."""

    measure: str
    a: str
    b: str
    bars: Sequence[tuple[str, Span]]
    smallest: float = 0.0

    def html(self, caption: Child) -> Html:
        """The figure, with its data and itself to take along."""
        words = self.words
        height = 28 + BAR * len(self.bars)
        inner = self._drawn(height)
        rows = [(w, s.value, s.low, s.high) for w, s in self.bars]
        data = csv_link("difference.csv", ("what", "difference", "low", "high"), rows)
        take = links(data, svg_link("difference.svg", alone(inner, 860, height + 30, words)))
        return el("figure", figure(inner, height + 30, words), el("figcaption", caption, take))

    @property
    def words(self) -> str:
        """The whole content of the figure."""
        told = "; ".join(f"{w}: {signed(s.value)}, {limits(s.low, s.high, signs=True)}" for w, s in self.bars)
        least = f" The smallest gain that matters is {signed(self.smallest)}." if self.smallest > 0 else ""
        return f"Number line of the difference in {self.measure}, {self.b} less {self.a}. {told}.{least}"

    def _drawn(self, height: int) -> Html:
        axis = Axis.of([*(x for _, s in self.bars for x in (s.low, s.high, s.value)), self.smallest], zero=True)
        zero = axis.at(0.0)
        parts = [
            el("rect", class_="zone", x="0", y=24, width=pc(zero), height=height - 24) if zero > 0 else None,
            self._hatched(axis, height),
            text(f"{LEFT} {_cut(self.a)} better", zero, 15, "t m", "end", -8) if zero > 20 else None,
            text(f"{_cut(self.b)} better {RIGHT}", zero, 15, "t m", dx=8) if zero < 80 else None,
            line(zero, 6, height + 4, "zero"),
        ]
        for i, (words, span) in enumerate(self.bars):
            y = 57 + BAR * i
            numbers = f"{signed(span.value)} ({limits(span.low, span.high, signs=True)})"
            told = el("tspan", words, class_=f"b {'nt' if span.is_open else 'ct'}")
            parts.append(el("text", told, el("tspan", numbers, dx=8), class_="t halo", x="0", dx=2, y=y - 9))
            parts.append(span.drawn(axis, y + 6, 14.0))
        return join(*parts, bottom_axis(axis, height))

    def _hatched(self, axis: Axis, height: int) -> Html | None:
        """From zero to the smallest gain that matters."""
        if self.smallest <= 0:
            return None
        zero, to = axis.at(0.0), axis.at(self.smallest)
        stroke = el("line", class_="hxl", x1=0, y1=0, x2=0, y2=6)
        turned = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
        hatch = el("pattern", stroke, id="hx", width=6, height=6, **turned)
        zone = el("rect", fill="url(#hx)", x=pc(zero), y=24, width=pc(to - zero), height=height - 24)
        return join(el("defs", hatch), zone, line(to, 20, height + 4, "del"))


def _cut(words: str) -> str:
    return words if len(words) <= 24 else f"{words[:23]}\N{HORIZONTAL ELLIPSIS}"
