"""Rank-biased overlap and overlap of the top, against Corsi and Urbano's values and the defining sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truegain.errors import TruegainError
from truegain.experiments.discriminative import jaccard, top_set
from truegain.stats.rank_correlation import overlaps, rbo, top_overlap

RANKING = st.lists(st.integers(0, 12), min_size=1, max_size=9, unique=True)


def test_every_conformance_value(conformance: Any, examples: dict[str, dict[str, Any]]) -> None:
    """Guards min, ext, max and residual, lengths even and uneven, at 1e-9."""
    cases = conformance("statistics")["rbo"]["cases"]
    assert len(cases) >= 15
    for case in cases:
        found = rbo(case["a"], case["b"], case["p"])
        want = [case[name] for name in ("min", "ext", "max", "res")]
        assert [found.low, found.value, found.high, found.width] == pytest.approx(want, abs=1e-9)
    for number in ("rbo-1", "rbo-2"):
        example = examples[number]
        found = rbo(**example["input"])
        want = [example["expected"][name] for name in ("min", "ext", "max", "res")]
        assert [found.low, found.value, found.high, found.width] == pytest.approx(want, abs=5e-7)
    given, expected = examples["rbo-1"]["input"], examples["rbo-1"]["expected"]
    assert top_overlap(given["a"], given["b"], 3) == pytest.approx(expected["overlap_at_3"], abs=5e-7)


@settings(deadline=None)
@given(RANKING, RANKING, st.floats(0.05, 0.95))
def test_bounds_hold_for_every_way_to_go_on(a: list[int], b: list[int], p: float) -> None:
    """Guards min and max by their meaning: rankings carried on far, disjointly or as alike as can be, reach them."""
    found = rbo(a, b, p)
    assert found.low - 1e-12 <= found.value <= found.high + 1e-12
    assert found.low == pytest.approx(_whole(_apart(a, 1000, 700), _apart(b, 5000, 700), p), abs=1e-9)
    assert found.high == pytest.approx(_whole(*_alike(a, b), p), abs=1e-9)
    assert rbo(b, a, p) == found


def _whole(a: list[int], b: list[int], p: float) -> float:
    """The sum over depths, up to where it no longer matters."""
    total, seen_a, seen_b = 0.0, set[int](), set[int]()
    common = 0
    for d, (x, y) in enumerate(zip(a[:600], b[:600], strict=False), start=1):
        common += (x in seen_b) + (y in seen_a) + (x == y)
        seen_a.add(x)
        seen_b.add(y)
        total += (1 - p) * p ** (d - 1) * common / d
    return total


def _apart(ranking: list[int], begin: int, length: int) -> list[int]:
    return ranking + list(range(begin, begin + length))


def _alike(a: list[int], b: list[int]) -> tuple[list[int], list[int]]:
    """Each goes on with what only the other has, in its order, then both with the same new items."""
    first = a + [i for i in b if i not in a]
    second = b + [i for i in a if i not in b]
    new = list(range(1000, 1800))
    return first + new, second + new


def test_the_least_overlap_uses_the_unseen_depths_too() -> None:
    """Guards the meaning of the conformance file's min: what was seen still overlaps at every later depth."""
    a = b = list(range(5))
    assert rbo(a, b, 0.9).value == pytest.approx(1.0)
    assert rbo(a, b, 0.9).high == pytest.approx(1.0)
    assert rbo(a, b, 0.9).low > 1 - 0.9**5


def test_overlaps_count_what_both_have_seen() -> None:
    """Guards X_d past the end of the shorter ranking."""
    assert overlaps(["a", "b"], ["c", "b", "a", "d"]).tolist() == [0, 1, 2, 2]
    assert np.array_equal(overlaps("ab", "ba"), [0, 2])


def test_the_top_set_is_the_best_and_its_equals() -> None:
    """Guards which row of the p-values is read, and that p equal to alpha is not significant."""
    p = np.array([[1, 0.2, 0.001], [0.2, 1, 0.05], [0.001, 0.05, 1]])
    assert top_set(["x", "y", "z"], [0.5, 0.6, 0.1], p) == ("y", "x", "z")
    assert top_set(["x", "y", "z"], [0.6, 0.5, 0.1], p) == ("x", "y")
    assert jaccard(("y", "x", "z"), ("x", "y")) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rbo("ab", "ab", 1.0), "not between 0 and 1"),
        (lambda: rbo("aab", "ab"), "a appears twice"),
        (lambda: rbo("", "ab"), "empty"),
        (lambda: top_overlap("ab", "abc", 3), "top 3"),
        (lambda: jaccard([], []), "both sets are empty"),
        (lambda: top_set(["a"], [1.0, 2.0], [1.0]), "need 1 scores"),
        (lambda: top_set(["a", "b"], [1.0, 2.0], [float("nan"), 1.0]), "is missing"),
        (lambda: top_set(["a", "b"], [1.0, float("nan")], [1.0, 1.0]), "no score"),
    ],
)
def test_mistakes_are_told(call: Any, message: str) -> None:
    """Guards the messages: what was wrong and what to give instead."""
    with pytest.raises(TruegainError, match=message):
        call()


def test_the_edges_of_the_top() -> None:
    """Guards the least and the largest top, the best system's own p, which is not read, and order by score."""
    assert top_overlap("abc", "bca", 3) == 1
    assert top_overlap("abc", "acb", 1) == 1
    with pytest.raises(TruegainError, match="top 0"):
        top_overlap("abc", "acb", 0)
    assert top_set(["a", "b", "c", "d"], [0.2, 0.5, 0.45, 0.45], [0.3, np.nan, 0.05, 0.049]) == ("b", "c", "a")
    matrix = np.full((3, 3), 0.5)
    matrix[0] = (np.nan, 0.01, 0.2)
    assert top_set(["a", "b", "c"], [0.9, 0.5, 0.45], matrix) == ("a", "c")
    with pytest.raises(TruegainError, match="2 systems need"):
        top_set(["a", "b"], [0.9, 0.5], np.full((2, 3), 0.5))


def test_the_top_set_keeps_a_p_of_alpha() -> None:
    """Guards the edge: a p of just alpha does not tell apart; and rows of a matrix are the best system's."""
    assert top_set(["a", "b", "c"], [0.3, 0.5, 0.45], [0.05, 1.0, 0.0499]) == ("b", "a")
    p = np.array([[1, 0.2, 0.9], [0.2, 1, 0.01], [0.9, 0.01, 1]])
    assert top_set(["a", "b", "c"], [0.3, 0.5, 0.45], p) == ("b", "a")
    assert top_set(["a", "b"], [0.3, 0.5], [0.2, np.nan], 0.3) == ("b",)


def test_depths_at_the_edge() -> None:
    """Guards the whole length as a depth, and one more as an error."""
    assert top_overlap("abc", "bcd", 3) == pytest.approx(2 / 3)
    assert top_overlap("abc", "bcd", 1) == 0.0
    for depth in (0, 4):
        with pytest.raises(TruegainError, match="cannot be compared"):
            top_overlap("abc", "bcd", depth)
