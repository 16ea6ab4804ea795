"""Values of one score on two scales: which are told, and which may be one scale."""

from __future__ import annotations

import pytest

import truegain as tg
from truegain.data.item_scales import scales_apart

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0, 0.3, 0.9, 0.4)
WHOLE = (0.0, 1.0) * 4


def told(*of_systems: tuple[float, ...]) -> str:
    """What is told of systems with these values."""
    return scales_apart(tg.read_items({"f": {f"s{s}": {f"q{t}": x for t, x in enumerate(of)}
                                             for s, of in enumerate(of_systems)}}), "f")  # fmt: skip


@pytest.mark.parametrize(
    ("of_systems", "words"),
    [
        ((SHARES, tuple(100 * x for x in SHARES)), "values of f are 0 to 1 for s0 (8 values), 0 to 100 for s1 (8)"),
        ((SHARES, (1, 2, 3, 4, 5, 3, 2, 4)), "1 to 5 for s1 (8): these seem to be two scales"),
        ((SHARES, (*SHARES[:7], -1)), "1 value of f is -1, and the 15 others 0 to 1: if it stands for a missing value"),
        ((SHARES, (-1,) * 8), "8 values of f are -1, and the 8 others 0 to 1"),
        ((SHARES, (*SHARES[:6], 85, 90)), "2 values of f are 85 to 90, and the 14 others 0 to 1: these seem to be two"),
        (((*SHARES[:4], 20, 30, 40, 50),), "4 values of f are 20 to 50, and the 4 others 0 to 1"),
    ],
)
def test_what_is_told(of_systems: tuple[tuple[float, ...], ...], words: str) -> None:
    """Guards two systems on two scales, a code among shares, and two scales within one system."""
    assert words in told(*of_systems)


@pytest.mark.parametrize(
    "of_systems",
    [
        (SHARES, WHOLE),
        (WHOLE, (1, 2, 3, 4, 5, 3, 2, 4)),
        (WHOLE, (*WHOLE[:7], -1)),
        (SHARES, tuple(x - 0.5 for x in SHARES)),
        (SHARES, (*SHARES[:6], -1, -0.5)),
        (SHARES, (*SHARES[:6], 3, 12)),
        (SHARES, tuple(1.9 * x for x in SHARES)),
        ((0.1, 0.9, 7, 8, 9, 10),),
        ((0.35, 0.62, 0.44, 0.5), (2.3, 4.02, 3.1, 2.7)),
        ((0.1, 0.9, 0.4, 0.2), (4.5, 9.9, 7.25, 8.0)),
        ((0.5, 0.25, -1, 1), (0.75, 0, -1, -1), (0.5, 0.5, 1, -1)),
    ],
)
def test_what_may_be_one_scale(of_systems: tuple[tuple[float, ...], ...]) -> None:
    """Guards against warnings of whole numbers, of scores below 0, and of values that spread without a gap."""
    assert told(*of_systems) == ""


@pytest.mark.parametrize("name", ["latency_s", "cost", "WER"])
def test_quantities_have_no_scale(name: str) -> None:
    """Guards seconds, money and error rates, one of which may be many times another."""
    items = tg.read_items({name: {"s": {f"q{t}": x for t, x in enumerate((*SHARES, 30.0))}}})
    assert scales_apart(items, name) == ""
