"""Small drawings: axes, bars and number lines, x in per cent of the width, so that nothing is ever stretched."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truegain.report.html import Child, Html, downloads, el, figure, join, limits, plain, signed, unseen
from truegain.stats.results import Estimate

# ---- An axis: numbers to per cent of a width, and round numbers to mark on it.

STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, with marks every `step`.

    >>> axis = Axis.of([-0.057, 0.133], marks=4)
    >>> axis.low, axis.high, axis.marks()
    (-0.1, 0.15, [-0.1, -0.05, 0.0, 0.05, 0.1, 0.15])
    >>> axis.at(0.0), axis.at(9.0)
    (40.0, 100.0)
    """

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, values: Iterable[float | None], marks: int = 5, zero: bool = False) -> Axis:
        """An axis that holds the values (and 0), and ends at round numbers."""
        finite = [v for v in values if v is not None and math.isfinite(v)] + ([0.0] if zero else [])
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        if high - low < 1e-9:
            pad = 0.05 * max(1.0, abs(low))
            low, high = low - pad, high + pad
        rough = (high - low) / marks
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(s * power for s in STEPS if s * power >= rough * (1 - 1e-9))
        return cls(_round(math.floor(low / step + 1e-9) * step), _round(math.ceil(high / step - 1e-9) * step), step)

    @classmethod
    def over(cls, spans: Iterable[Span | Estimate], marks: int = 5, zero: bool = False) -> Axis:
        """An axis that holds values with their limits."""
        return cls.of((x for s in spans for x in (s.low, s.high, s.value)), marks, zero)

    def at(self, x: float) -> float:
        """Where a number stands, in per cent, held inside."""
        return min(100.0, max(0.0, 100 * (x - self.low) / (self.high - self.low)))

    def marks(self) -> list[float]:
        """The numbers that are marked."""
        n = round((self.high - self.low) / self.step)
        return [_round(self.low + i * self.step) for i in range(n + 1)]

    @property
    def digits(self) -> int:
        """Decimals that tell the marks apart.

        >>> Axis(0, 1, 0.25).digits, Axis(0, 10, 2).digits
        (2, 0)
        """
        return next((d for d in range(8) if abs(round(self.step, d) - self.step) < 1e-9 * self.step), 8)


def _round(x: float) -> float:
    return round(x, 10) + 0.0


# ---- Small drawings: x in per cent of the width, heights and text in pixels, so that nothing is ever stretched.

ROW = 26
HIGH = 20  # of a row in a drawing that leaves the page
# what the page's style sheet says of drawings, in its light colors, for a drawing that leaves the page
LOOK = (
    "text{font:13px sans-serif;fill:#1c2126}.m{fill:#565e67}.b{font-weight:700}.c{fill:#0b5c8f;fill-opacity:.64}"
    ".f{fill-opacity:.25}.cp{fill:#0b5c8f;stroke:#fff;stroke-width:1.2}.n{fill:#fff;stroke:#8f5200;stroke-width:1.6}.np{fill:#fff;"
    "stroke:#8f5200;stroke-width:2}.nt{fill:#8f5200}.ct{fill:#0b5c8f}.zero{stroke:#1c2126;stroke-width:1.25}"
    ".del{stroke:#565e67;stroke-width:1.25;stroke-dasharray:3 3}.axl{stroke:#565e67}.zone{fill:#f1efe9}"
    ".hxl{stroke:#565e67;stroke-width:1.6;opacity:.45}.m0{fill:#f0ede6}.m1{fill:#7fb0d0}.m2{fill:#0b5c8f}"
    ".rug{stroke:#0b5c8f;stroke-width:1.3}.mb{fill:#565e67}.g1{fill:#0b5c8f}.g2{fill:#7fb0d0}.g3{fill:#565e67}"
    ".on1,.on3{fill:#fff}.k2,.k2 text{fill:#fff}.p{font-size:11px}"
)


def pc(x: float) -> str:
    """A place in per cent.

    >>> pc(33.3333), pc(40.0)
    ('33.33%', '40%')
    """
    return f"{x:.2f}".rstrip("0").rstrip(".") + "%"


def line(x: float, top: float, bottom: float, class_: str) -> Html:
    """An upright line."""
    return el("line", class_=class_, x1=pc(x), x2=pc(x), y1=f"{top:g}", y2=f"{bottom:g}")


def text(words: str, x: float, y: float, class_: str | None = None, anchor: str = "start", dx: int = 0) -> Html:
    """Words at a place."""
    return el("text", words, class_=class_, x=pc(x), dx=dx or None, y=f"{y:g}", text_anchor=anchor)


@dataclass(frozen=True)
class Span:
    """A value with limits; open ones are what labels say if taken as they are, and nothing else."""

    value: float
    low: float | None
    high: float | None
    is_open: bool = False
    is_faint: bool = False  # no interval, but the worst and the best there could be

    def drawn(self, axis: Axis, y: float, height: float = 6.0) -> Html:
        """A bar from limit to limit with a point at the value; nothing where there is no value.

        >>> Span(float("nan"), None, None).drawn(Axis(0, 1, 0.5), 5)
        ''
        """
        if not math.isfinite(self.value):
            return Html()
        bar, point = ("n", "np") if self.is_open else ("c f" if self.is_faint else "c", "cp")
        parts = []
        if self.low is not None and self.high is not None:
            left, right = axis.at(self.low), axis.at(self.high)
            parts.append(
                el("rect", class_=bar, x=pc(left), y=f"{y - height / 2:g}", width=pc(max(right - left, 0.3)),
                   height=f"{height:g}", rx=f"{height / 2:g}")
            )  # fmt: skip
        parts.append(el("circle", class_=point, cx=pc(axis.at(self.value)), cy=f"{y:g}", r=f"{height * 0.53:.3g}"))
        return join(*parts)


def row(axis: Axis, spans: Sequence[Span], *, zero: bool = False, height: int = ROW, more: Html | None = None) -> Html:
    """One row of a figure in a table; those who hear the page have the numbers in the cells beside it."""
    ys = [height / 2] if len(spans) == 1 else [height / 4, 3 * height / 4 - 1]
    thick = 6.0 if height > 18 else 5.0
    inner = join(
        line(axis.at(0.0), 0, height, "zero") if zero else None,
        more,
        *(s.drawn(axis, y, thick) for s, y in zip(spans, ys, strict=False)),
    )
    return hidden_svg(inner, height)


def hidden_svg(inner: Html, height: int, class_: str = "r") -> Html:
    """A drawing whose content stands in words beside it."""
    return el("svg", inner, class_=class_, width="100%", height=height, aria_hidden="true", focusable="false")


def axis_head(axis: Axis, *, signs: bool = False, words: str = "interval plot", most: int = 5) -> Html:
    """The axis of a column of rows, for its head; a phone shows 0 alone, or both ends where there is none.

    most: marks that the column has room for; 0 is among them.
    """
    marks = axis.marks()
    every = -(-len(marks) // most)
    marks = marks[marks.index(0.0) % every if signs and 0.0 in marks else 0 :: every]
    kept = {0.0} if signs and 0.0 in marks else {marks[0], marks[-1]}
    labels = [
        text(_mark(axis, x, signs), axis.at(x), 12, None if x in kept else "wide", _anchor(axis.at(x))) for x in marks
    ]
    return join(hidden_svg(join(*labels), 16, "ax"), unseen(words))


def _mark(axis: Axis, x: float, signs: bool) -> str:
    if x == 0:
        return "0"
    return signed(x, axis.digits) if signs else plain(x, axis.digits)


def _anchor(at: float) -> str:
    return "start" if at < 4 else "end" if at > 96 else "middle"


def bottom_axis(axis: Axis, y: float, *, signs: bool = True) -> Html:
    """An axis below a figure."""
    parts = [el("line", class_="axl", x1="0", x2="100%", y1=f"{y + 0.5:g}", y2=f"{y + 0.5:g}")]
    marks = axis.marks()
    zero = marks.index(0.0) if 0.0 in marks else 0
    for i, x in enumerate(marks):
        at, kind = axis.at(x), "t b" if x == 0 else "t m" if len(marks) < 6 or (i - zero) % 2 == 0 else "t m wide"
        parts += [line(at, y, y + 5, "axl"), text(_mark(axis, x, signs), at, y + 21, kind, _anchor(at))]
    return join(*parts)


def standalone(inner: Html, width: int, height: int, title: str) -> str:
    """A drawing that leaves the page, with its own look."""
    background = el("rect", width="100%", height="100%", fill="#fff")
    parts = el("title", title), el("style", Html(LOOK)), background, inner
    return str(el("svg", *parts, xmlns="http://www.w3.org/2000/svg", width=width, height=height))


def stacked(
    rows: Sequence[tuple[str, Sequence[Span]]],
    axis: Axis,
    title: str,
    *,
    signs: bool = False,
    true: Sequence[float] = (),
) -> str:
    """Rows with their names as one drawing that leaves the page; `true` has a value a row, for a dashed line."""
    drawn = []
    for i, (label, spans) in enumerate(rows):
        parts = [line(axis.at(0.0), 0, HIGH, "zero") if signs else None]
        parts += [line(axis.at(true[i]), 0, HIGH, "del")] if true else []
        parts += [s.drawn(axis, 10 if len(spans) == 1 else 6 + 9 * k, 5.0) for k, s in enumerate(spans)]
        drawn.append((label, join(*parts)))
    return listed(drawn, title, bottom_axis(axis, 0, signs=signs))


def listed(rows: Sequence[tuple[str, Html]], title: str, below: Html | None = None) -> str:
    """Small drawings with their names, one below the other, as a drawing that leaves the page."""
    left, wide = 220, 860
    parts: list[Html] = []
    for i, (label, inner) in enumerate(rows):
        y = 30 + HIGH * i
        parts.append(text(_cut(label, 34), 0, y + 14, anchor="start", dx=8))
        parts.append(el("svg", inner, x=left, y=y, width=wide - left - 20, height=HIGH, overflow="visible"))
    marks = el("svg", below, x=left, y=34 + HIGH * len(rows), width=wide - left - 20, height=30) if below else None
    head = el("text", title, class_="b", x=8, y=18)
    return standalone(join(head, *parts, marks), wide, 70 + HIGH * len(rows), title)


# ---- A difference on a number line: bars with their words above them, zero, and the smallest gain that matters.

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
        words, axis, height = self.words, self.axis, self.height + FOOT
        rows = [(w, s.value, s.low, s.high) for w, s in self.bars]
        left, right = self.sides(axis)
        sides = text(left, 0, 15, "m", "start"), text(right, 100, 15, "m", "end")
        whole = standalone(join(*sides, el("svg", self._drawn(axis), y=HEAD)), 860, HEAD + height, words)
        beside = el("div", el("span", left), el("span", right), class_="ends m", aria_hidden="true")
        drawn = el("svg", self._drawn(axis), class_="big", width="100%", height=height, role="img", aria_label=words)
        take = downloads("difference", ("what", "difference", "low", "high"), rows, whole)
        return figure((beside, drawn), caption, take)

    @property
    def axis(self) -> Axis:
        """From the least to the greatest limit, with 0 and the smallest gain that matters."""
        return Axis.over([*(s for _, s in self.bars), Span(self.min_effect, None, None)], zero=True)

    @property
    def height(self) -> int:
        """Of the drawing without its axis, in pixels."""
        return 4 + BAR * len(self.bars)

    def sides(self, axis: Axis) -> tuple[str, str]:
        """Who is better on either side of 0; nothing of a side that is not drawn."""
        zero = axis.at(0.0)
        left = f"{LEFT} {_cut(self.a)} better" if zero > 0 else ""
        return left, f"{_cut(self.b)} better {RIGHT}" if zero < 100 else ""

    @property
    def words(self) -> str:
        """The whole content of the figure."""
        bars = "; ".join(f"{w}: {', '.join(self._numbers(s))}" for w, s in self.bars)
        least = f" The smallest gain that matters is {signed(self.min_effect)}." if self.min_effect > 0 else ""
        return f"Number line of the difference in {self.measure}, {self.b} minus {self.a}. {bars}.{least}"

    def _numbers(self, span: Span) -> tuple[str, str]:
        """A value and its limits, in words."""
        interval = limits(span.low, span.high, signs=True, min_effect=self.min_effect)
        return signed(span.value, min_effect=self.min_effect), interval

    def _drawn(self, axis: Axis) -> Html:
        zero, height = axis.at(0.0), self.height
        parts = [
            el("rect", class_="zone", x="0", y=0, width=pc(zero), height=height) if zero > 0 else None,
            self._hatched(axis, height),
            self._upright(zero, "zero"),
        ]
        for i, (words, span) in enumerate(self.bars):
            y = 33 + BAR * i
            value, interval = self._numbers(span)
            bold = el("tspan", words, class_=f"b {'nt' if span.is_open else 'ct'}")
            numbers = el("tspan", f"{value} ({interval})", dx=8)
            parts += [el("text", bold, numbers, class_="t halo", x="0", dx=2, y=y - 9), span.drawn(axis, y + 6, 14.0)]
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
        bottoms = [*(TOP + BAR * (i + 1) - WORDS for i in range(last)), self.height + 4]
        return join(*(line(x, TOP + BAR * i, bottom, class_) for i, bottom in enumerate(bottoms)))


def _cut(words: str, most: int = 24) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}\N{HORIZONTAL ELLIPSIS}"
