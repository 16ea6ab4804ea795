"""The picture of a decision against its numbers: places are linear in values; what is not there is not drawn."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judging.deciding import made, pair
from truegain.judging.server.decision_page import FLOOR, LOOKS, TOP, WIDE, chart_of, looks_of
from truegain.results.settlement import Interval, PairSettlement

NUMBER = st.floats(-1.0, 1.0, allow_nan=False)


def of(*looks: Interval, likely: int | None = None, latest: int | None = None, status: str = "open") -> PairSettlement:
    """A pair with these looks."""
    return PairSettlement("a", "b", status, "", looks[-1], looks, likely, latest)  # type: ignore[arg-type]


def places(points: str) -> list[tuple[float, float]]:
    """The places of a polygon or a line."""
    return [(float(x), float(y)) for x, y in (place.split(",") for place in points.split())]


@st.composite
def intervals(draw: st.DrawFn) -> PairSettlement:
    """Looks at growing numbers of labels; some early ones have no interval."""
    looks, labels = [], 0
    for place in range(draw(st.integers(2, 12))):
        labels += draw(st.integers(1, 40))
        low, value, high = sorted(draw(st.lists(NUMBER, min_size=3, max_size=3)))
        looks.append(Interval(labels) if place < draw(st.integers(0, 2)) else Interval(labels, value, low, high))
    return of(*looks)


@given(intervals(), st.floats(0.0, 0.5), st.one_of(st.none(), st.integers(1, 1000)))
def test_places_are_linear_in_values(made_pair: PairSettlement, effect: float, most: int | None) -> None:
    """Guards the axis: what is marked fixes a line from numbers to places, and all of band and estimate lie on it."""
    chart = chart_of(made_pair, effect, most)
    looks = [look for look in made_pair.looks if look.low is not None]
    upper = [y for band in chart.bands for _, y in places(band)[: len(places(band)) // 2]]
    lower = [y for band in chart.bands for _, y in places(band)[len(places(band)) // 2 :][::-1]]
    middle = [y for line in chart.lines for _, y in places(line)]
    if chart.newest is None or len(looks) < 2 or not upper:
        return
    first, last = looks[0], looks[-1]
    assert first.low is not None
    assert first.high is not None
    values = [(look.low, look.difference, look.high) for look in looks]
    if len(upper) == len(values):  # no gap left one look alone
        slope = (FLOOR - TOP) / _range(made_pair, effect)
        for (low, value, high), up, mid, down in zip(values, upper, middle, lower, strict=True):
            assert low is not None
            assert value is not None
            assert high is not None
            for number, y in ((low, down), (value, mid), (high, up)):
                assert y == pytest.approx(chart.zero - slope * number, abs=0.02 + 1e-5 * slope)
            assert up <= mid <= down, "the band holds the estimate"
    assert last.labels == made_pair.now.labels


def _range(pair_: PairSettlement, effect: float) -> float:
    """From the lowest to the highest number that the picture must hold, worked out anew."""
    late = [k for k in pair_.looks if 4 * k.labels >= pair_.now.labels and k.low is not None]
    numbers = [0.0, effect, -effect, *(x for k in late for x in (k.low, k.high) if x is not None)]
    span = max(numbers) - min(numbers)
    return span * 1.12 if span > 1e-6 else span + 0.1


def test_rounding_alone_is_drawn_flat() -> None:
    """Guards the page: limits that rounding alone keeps apart had an axis whose numbers could not be written."""
    chart = chart_of(of(Interval(10, 0.0, -1e-196, 5e-195), Interval(20, 0.0, 0.0, 1e-12)), 0.0, None)
    assert [text for _, text in chart.ups] == ["-0.04", "-0.02", "0", "+0.02", "+0.04"]
    assert chart.newest is not None
    assert chart.newest[1:] == (chart.zero,) * 3


def test_across_is_linear_in_labels() -> None:
    """Guards the other axis: twice the labels, twice as far; the likely end and the cap stand on the same scale."""
    looks = [Interval(n, 0.1, 0.0, 0.2) for n in (20, 40, 80)]
    chart = chart_of(of(*looks, likely=120, latest=160), 0.02, 150)
    xs = [x for x, _ in places(chart.lines[0])]
    assert xs == pytest.approx([WIDE * n / 150 for n in (20, 40, 80)], abs=0.01)
    assert chart.newest is not None
    assert chart.newest[0] == pytest.approx(100 * 80 / 150, abs=0.01)
    assert chart.likely == pytest.approx(80.0)
    assert chart.most == pytest.approx(100.0)
    numbers = {text: x for x, text in chart.across}
    assert numbers == pytest.approx({"0": 0.0, "50": 100 / 3, "100": 200 / 3, "150": 100.0})
    over = chart_of(of(*looks, likely=120, latest=160, status="better"), 0.02, 150)
    assert (over.likely, over.most) == (None, None), "what has ended has no forecast end"
    assert over.newest is not None
    assert over.newest[0] == 100.0


def test_zero_and_the_smallest_effect_are_marked() -> None:
    """Guards what the interval is held against: lines at their places, labels in order that do not touch."""
    chart = chart_of(pair(90), 0.02, None)
    above, below = chart.effects
    assert above < chart.zero < below
    assert chart.zero - above == pytest.approx(below - chart.zero, abs=0.02)
    assert [mark.value for mark in chart.marks] == [0.02, 0.0, -0.02]
    texts = [mark.text_y for mark in chart.marks]
    assert all(b - a >= 14.9 for a, b in pairwise(texts))
    assert [mark.y for mark in chart.marks] == [above, chart.zero, below]
    plain = chart_of(pair(90), 0.0, None)
    assert plain.effects == ()
    assert [mark.value for mark in plain.marks] == [0.0]
    ticks = {float(text): y for y, text in chart.ups}
    assert ticks[0.0] == chart.zero
    (a, ya), (b, yb) = sorted(ticks.items())[0], sorted(ticks.items())[-1]
    assert (ya - yb) / (b - a) == pytest.approx((below - above) / 0.04, rel=0.01), "one scale for all"


def test_missing_is_not_zero() -> None:
    """Guards what is not there: no interval, no band; a gap is a gap; one look alone is a bar without a band."""
    none = chart_of(of(Interval(3)), 0.02, 100)
    assert (none.bands, none.lines, none.newest) == ((), (), None)
    assert TOP < none.zero < FLOOR
    one = chart_of(of(Interval(5), Interval(10, 0.1, -0.1, 0.3)), 0.0, None)
    assert (one.bands, one.lines) == ((), ())
    assert one.newest is not None
    assert one.newest[3] < one.newest[1] < one.newest[2]
    known = [Interval(n, 0.1, 0.0, 0.2) for n in (10, 20, 40, 50)]
    gap = chart_of(of(*known[:2], Interval(30), *known[2:]), 0.0, None)
    assert [len(places(band)) for band in gap.bands] == [4, 4]
    assert chart_of(of(Interval(0)), 0.0, None).zero > 0, "nothing at all divides by nothing"


def test_many_looks_are_thinned_out() -> None:
    """Guards the size of what is sent: at most so many looks, the first and the newest among them, in order."""
    many = made(1000).pairs[0]
    assert len(many.looks) == 200
    kept = looks_of(many)
    assert len(kept) == LOOKS
    labels = [look.labels for look in kept]
    assert (labels[0], labels[-1], labels == sorted(set(labels))) == (5, 1000, True)
    assert set(kept) <= set(many.looks)
    behind = PairSettlement("a", "b", "open", "", Interval(12), (Interval(10),))
    assert [look.labels for look in looks_of(behind)] == [10, 12]
