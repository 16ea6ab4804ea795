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
TOP, WORDS = 28, 20  # pixels above the first bar, and of the words of a bar
HEAD, FOOT = 24, 30  # pixels of who is better, in a drawing that leaves the page, and of the axis
LEFT = "\N{BLACK LEFT-POINTING SMALL TRIANGLE}"
RIGHT = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"


@dataclass(frozen=True)
class NumberLine:
    """Bars of the difference b less a, each with words; `min_effect` is the smallest gain that matters."""

    measure: str
    a: str
    b: str
    bars: Sequence[tuple[str, Span]]
    min_effect: float = 0.0

    def html(self, caption: Child) -> Html:
        """The figure, with its data and itself to take along."""
        words, axis = self.words, self.axis
        rows = [(w, s.value, s.low, s.high) for w, s in self.bars]
        data = csv_link("difference.csv", ("what", "difference", "low", "high"), rows)
        ends = [
            text(*end) for end in zip(self.ends(axis), (0, 100), (15, 15), ("m", "m"), ("start", "end"), strict=True)
        ]
        whole = alone(join(*ends, el("svg", self._drawn(axis), y=HEAD)), 860, HEAD + self.height + FOOT, words)
        beside = el("div", *(el("span", end) for end in self.ends(axis)), class_="ends m", aria_hidden="true")
        drawn = figure(self._drawn(axis), self.height + FOOT, words)
        return el("figure", beside, drawn, el("figcaption", caption, links(data, svg_link("difference.svg", whole))))

    @property
    def axis(self) -> Axis:
        """From the least to the greatest limit, with 0 and the smallest gain that matters."""
        return Axis.of([*(x for _, s in self.bars for x in (s.low, s.high, s.value)), self.min_effect], zero=True)

    @property
    def height(self) -> int:
        """Of the drawing without its axis, in pixels."""
        return 4 + BAR * len(self.bars)

    def ends(self, axis: Axis) -> tuple[str, str]:
        """Who is better on either side of 0; nothing of a side that is not drawn."""
        zero = axis.at(0.0)
        left = f"{LEFT} {_cut(self.a)} better" if zero > 0 else ""
        return left, f"{_cut(self.b)} better {RIGHT}" if zero < 100 else ""

    @property
    def words(self) -> str:
        """The whole content of the figure."""
        told = "; ".join(f"{w}: {', '.join(self._numbers(s))}" for w, s in self.bars)
        least = f" The smallest gain that matters is {signed(self.min_effect)}." if self.min_effect > 0 else ""
        return f"Number line of the difference in {self.measure}, {self.b} minus {self.a}. {told}.{least}"

    def _numbers(self, span: Span) -> tuple[str, str]:
        """A value and its limits, in words."""
        ends = limits(span.low, span.high, signs=True, min_effect=self.min_effect)
        return signed(span.value, min_effect=self.min_effect), ends

    def _drawn(self, axis: Axis) -> Html:
        zero, height = axis.at(0.0), self.height
        parts = [
            el("rect", class_="zone", x="0", y=0, width=pc(zero), height=height) if zero > 0 else None,
            self._hatched(axis, height),
            self._upright(zero, "zero"),
        ]
        for i, (words, span) in enumerate(self.bars):
            y = 33 + BAR * i
            value, ends = self._numbers(span)
            told = el("tspan", words, class_=f"b {'nt' if span.is_open else 'ct'}")
            parts.append(
                el("text", told, el("tspan", f"{value} ({ends})", dx=8), class_="t halo", x="0", dx=2, y=y - 9)
            )
            parts.append(span.drawn(axis, y + 6, 14.0))
        return join(*parts, bottom_axis(axis, height))

    def _hatched(self, axis: Axis, height: int) -> Html | None:
        """From zero to the smallest gain that matters."""
        if self.min_effect <= 0:
            return None
        zero, to = axis.at(0.0), axis.at(self.min_effect)
        stroke = el("line", class_="hxl", x1=0, y1=0, x2=0, y2=6)
        turned = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
        hatch = el("pattern", stroke, id="hx", width=6, height=6, **turned)
        zone = el("rect", fill="url(#hx)", x=pc(zero), y=0, width=pc(to - zero), height=height)
        return join(el("defs", hatch), zone, self._upright(to, "del"))

    def _upright(self, x: float, class_: str) -> Html:
        """A line beside the bars, with gaps where their words stand."""
        last = len(self.bars) - 1
        ends = [(TOP + BAR * i, self.height + 4 if i == last else TOP + BAR * (i + 1) - WORDS) for i in range(last + 1)]
        return join(*(line(x, top, bottom, class_) for top, bottom in ends))


def _cut(words: str) -> str:
    return words if len(words) <= 24 else f"{words[:23]}\N{HORIZONTAL ELLIPSIS}"
