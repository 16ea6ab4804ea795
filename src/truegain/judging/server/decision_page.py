"""What the decision's page shows of a stored decision: words, numbers and pictures for its template."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truegain.judging.store.decisions import StoredDecision
from truegain.judging.texts import Wording
from truegain.judging.workflow.organizer import WorkingNow
from truegain.results.settlement import ANSWER, DECIDED, FILLED, REPORT, Interval, PairSettlement, Settlement

AGAIN = 15  # seconds after which the page is asked for again, where nothing is sent
# files that have words of their own
KNOWN = {REPORT: "report", ANSWER: "decision", FILLED: "list", "list.csv": "list"}


@dataclass(frozen=True)
class ResultFile:
    """A file of results that can be had; `known` names its words, '' where it has none."""

    name: str
    known: str


class DecisionWords:
    """What is said of a decision, in the words of a study."""

    def __init__(self, texts: Wording) -> None:
        self._texts = texts

    def signed(self, value: float) -> str:
        """A difference, with its sign."""
        return self._mark(f"{value:+z.3f}")

    def told(self, pair: PairSettlement, decision: Settlement) -> str:
        """The newest look of a pair, and the end that is forecast, or that this is beyond what may be collected."""
        now = self._now("decision.now", pair)
        if pair.status != "open" or pair.likely is None:
            return now
        name = "decision.forecast_one" if pair.latest is None else "decision.forecast"
        if decision.is_beyond(pair.likely):
            name = "decision.forecast_beyond"
        elif pair.latest is not None and decision.is_beyond(pair.latest):
            name = "decision.forecast_maybe"
        latest = None if pair.latest is None else decision.label_count(pair.latest)
        return f"{now} {self._texts(name, likely=decision.label_count(pair.likely), latest=latest, most=decision.most)}"

    def pictured(self, pair: PairSettlement) -> str:
        """The picture of a pair, for who cannot see it."""
        return self._now("decision.picture", pair)

    def percent(self, share: float) -> str:
        """A share in per cent."""
        return self._texts("percent", n=f"{100 * share:.0f}")

    def _now(self, name: str, pair: PairSettlement) -> str:
        now = pair.now
        if now.difference is None or now.low is None or now.high is None:
            return self._texts(f"{name}_none", n=now.labels)
        numbers = {key: self.signed(x) for key, x in (("value", now.difference), ("low", now.low), ("high", now.high))}
        return self._texts(name, n=now.labels, **numbers)

    def _mark(self, text: str) -> str:
        return text.replace(".", self._texts("format.decimal"))


def shown(
    stored: StoredDecision | None, working: WorkingNow, results: Mapping[str, Path], texts: Wording
) -> dict[str, Any]:
    """All that the template is given, but what every page has; nothing in it changes by itself as time goes by."""
    if stored is None:
        return {"d": None, "title": texts("decision.title"), "ended": False}
    decision, words = stored.decision, DecisionWords(texts)
    most = None if decision.most is None else decision.most_rows or decision.listed  # rows, as the charts have
    charts = [chart_of(pair, decision.min_effect, most) for pair in decision.pairs]
    open_pairs = [pair for pair in decision.pairs if pair.status == "open"]
    return {
        "d": decision,
        "title": texts("decision.title_state", state=texts(f"decision.state.{decision.status}")),
        "ended": decision.ended,
        "is_decided": decision.status in DECIDED,
        "decided": DECIDED,
        "is_capped": decision.is_capped,
        "is_beyond": decision.is_beyond,
        "label_count": decision.label_count,
        "made_at": _time(stored.at),
        "ended_at": "" if stored.ended is None else _time(stored.ended),
        "files": files_of(results) if decision.ended else [],
        "likely": _last(pair.likely for pair in open_pairs),
        "latest": _last(pair.latest for pair in open_pairs),
        "working": working,
        "held_until": "" if working.until is None else _time(working.until)[-5:],
        "confidence": f"{100 * decision.confidence:g}",
        "confidence_of_pair": f"{100 - 100 * (1 - decision.confidence) / len(decision.pairs):g}",
        "pairs": list(zip(decision.pairs, charts, map(looks_of, decision.pairs), strict=True)),
        "has_likely": any(chart.likely is not None for chart in charts),
        "has_most": any(chart.most is not None for chart in charts),
        "told": words.told,
        "pictured": words.pictured,
        "percent": words.percent,
        "plain_number": lambda value: f"{value:g}",
        "at_least": lambda value: f"{value:+g}" if value else "0",
    }


def files_of(results: Mapping[str, Path]) -> list[ResultFile]:
    """The files that are there."""
    return [ResultFile(name, KNOWN.get(name, "")) for name, path in results.items() if path.is_file()]


def _last(ends: Any) -> int | None:
    """When the last of several pairs is decided; None where that is not known of one of them."""
    ends = list(ends)
    return None if not ends or None in ends else max(ends)


def _time(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M")


# ---- The interval over labels as a band that narrows: numbers to places in a picture, no words but the marks.
#
# Across, a picture has `WIDE` units that are stretched to the page's width; down, its units are pixels.  What must not
# be stretched, words and points, is placed in per cent of the width.

WIDE, HIGH = 1000.0, 220.0
TOP, FLOOR = 12.0, 208.0  # where the largest and the smallest number stand
APART = 15.0  # pixels between two marks that can be read
LOOKS = 80  # at most that are drawn and listed
MARGIN = 0.06  # of the range, above and below
LEAST = 1e-6  # between the lowest and the highest; less is rounding, and its axis could not be numbered
EARLY = 0.25  # looks before this share of the labels may run out of the picture: they would make all others flat


@dataclass(frozen=True)
class NamedMark:
    """A number at the right of the picture: where its line is, and where its text stands, apart from others."""

    y: float
    text_y: float
    value: float


@dataclass(frozen=True)
class BandChart:
    """A picture of one pair: polygons of the interval, lines of the estimate, what is marked, the newest look."""

    bands: tuple[str, ...]
    lines: tuple[str, ...]
    zero: float
    effects: tuple[float, ...]  # where +- the smallest effect stands
    marks: tuple[NamedMark, ...]
    ups: tuple[tuple[float, str], ...]  # numbers at the left: place and text
    across: tuple[tuple[float, str], ...]  # numbers of labels below: per cent and text
    newest: tuple[float, float, float, float] | None  # per cent across, then estimate, low and high, down
    likely: float | None = None  # per cent across: where the end is forecast
    most: float | None = None  # where it is given up


@dataclass(frozen=True)
class _Scale:
    """Numbers to places, both linear."""

    low: float
    high: float
    labels: float

    def x(self, labels: float) -> float:
        return round(WIDE * labels / self.labels, 2)

    def y(self, value: float) -> float:
        return round(FLOOR - (FLOOR - TOP) * (value - self.low) / (self.high - self.low), 2)


def looks_of(pair: PairSettlement, most: int = LOOKS) -> tuple[Interval, ...]:
    """The looks of a pair with the newest at the end, so many at most: the first, the last, evenly between.

    >>> pair = PairSettlement("a", "b", "open", "", Interval(9), tuple(Interval(n) for n in range(1, 9)))
    >>> [look.labels for look in looks_of(pair, 3)]
    [1, 5, 9]
    """
    looks = list(pair.looks)
    if not looks or looks[-1].labels < pair.now.labels:
        looks.append(pair.now)
    if len(looks) <= most:
        return tuple(looks)
    places = {round(i * (len(looks) - 1) / (most - 1)) for i in range(most)}
    return tuple(looks[place] for place in sorted(places))


def chart_of(pair: PairSettlement, min_effect: float, most: int | None) -> BandChart:
    """The picture of a pair.

    Parameters
    ----------
    pair : PairSettlement
        Its looks.
    min_effect : float
        The smallest effect worth acting on; marked on both sides of 0, unless it is 0.
    most : int, optional
        Rows after which it is given up.

    Returns
    -------
    BandChart

    """
    looks = looks_of(pair)
    scale = _scale(pair, looks, min_effect, most)
    effects = (min_effect, -min_effect) if min_effect > 0 else ()
    newest = next(((look, *limits) for look in reversed(looks) if (limits := _limits(look))), None)
    runs = list(_runs(looks))
    drawn = None
    if newest is not None:
        look, low, value, high = newest
        drawn = (scale.x(look.labels) / WIDE * 100, scale.y(value), scale.y(low), scale.y(high))
    return BandChart(
        bands=tuple(_band(run, scale) for run in runs if len(run) > 1),
        lines=tuple(_line(run, scale) for run in runs if len(run) > 1),
        zero=scale.y(0.0),
        effects=tuple(scale.y(effect) for effect in effects),
        marks=_marks(scale, min_effect),
        ups=_ups(scale),
        across=tuple((100 * n / scale.labels, f"{n:,}") for n in _rounds(0.0, scale.labels, 4, whole=True)),
        newest=drawn,
        likely=_within(pair.likely, scale) if pair.status == "open" else None,
        most=_within(most, scale),
    )


def _limits(look: Interval) -> tuple[float, float, float] | None:
    """Low, estimate and high of a look; None where it has none."""
    if look.low is None or look.high is None or look.difference is None:
        return None
    return look.low, look.difference, look.high


def _runs(looks: Sequence[Interval]) -> Iterator[list[tuple[int, float, float, float]]]:
    """Looks that have an interval, one run for each stretch without a gap."""
    run: list[tuple[int, float, float, float]] = []
    for look in looks:
        limits = _limits(look)
        if limits is not None:
            run.append((look.labels, *limits))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _scale(pair: PairSettlement, looks: Sequence[Interval], min_effect: float, most: int | None) -> _Scale:
    """What the picture holds: 0, the smallest effect, and all looks but the earliest; labels until the likely end."""
    last = looks[-1].labels
    held = [limits for look in looks if look.labels >= EARLY * last and (limits := _limits(look))]
    values = [0.0, min_effect, -min_effect, *(value for limits in held for value in limits)]
    low, high = min(values), max(values)
    if not held:  # nothing to see yet: the marks alone
        low, high = min(low, -0.1), max(high, 0.1)
    pad = MARGIN * (high - low) if high - low > LEAST else 0.05
    labels = float(last)
    if pair.status == "open":
        end = pair.latest or pair.likely or 1.5 * last
        labels = max(1.1 * last, min(end, most or math.inf))
    return _Scale(low - pad, high + pad, max(labels, 10.0))


def _band(run: Sequence[tuple[int, float, float, float]], scale: _Scale) -> str:
    """The outline: along the upper limits, and back along the lower ones."""
    upper = [(scale.x(n), scale.y(high)) for n, _, _, high in run]
    lower = [(scale.x(n), scale.y(low)) for n, low, _, _ in run]
    return _points([*upper, *reversed(lower)])


def _line(run: Sequence[tuple[int, float, float, float]], scale: _Scale) -> str:
    return _points([(scale.x(n), scale.y(value)) for n, _, value, _ in run])


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in places)


def _marks(scale: _Scale, min_effect: float) -> tuple[NamedMark, ...]:
    """0 and the smallest effect, their texts moved away from 0 where they would touch."""
    zero = scale.y(0.0)
    marks = [NamedMark(zero, zero, 0.0)]
    if min_effect > 0:
        above, below = scale.y(min_effect), scale.y(-min_effect)
        marks = [
            NamedMark(above, min(above, zero - APART), min_effect),
            *marks,
            NamedMark(below, max(below, zero + APART), -min_effect),
        ]
    return tuple(marks)


def _ups(scale: _Scale) -> tuple[tuple[float, str], ...]:
    numbers = _rounds(scale.low, scale.high, 5)
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 0.1
    digits = max(0, math.ceil(-math.log10(step) - 1e-9))
    return tuple((scale.y(n), f"{n:+.{digits}f}" if n else "0") for n in numbers)


def _rounds(low: float, high: float, count: int, *, whole: bool = False) -> list[float]:
    """Round numbers from low to high, about so many steps apart.

    >>> _rounds(-0.06, 0.13, 4), _rounds(0, 180, 4, whole=True)
    ([-0.05, 0.0, 0.05, 0.1], [0, 50, 100, 150])
    """
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * (1 - 1e-9))
    step = max(1.0, round(step)) if whole else step
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [int(n * step) if whole else round(n * step, 10) + 0.0 for n in range(first, last + 1)]


def _within(labels: int | None, scale: _Scale) -> float | None:
    return None if labels is None or labels > scale.labels else 100 * labels / scale.labels
