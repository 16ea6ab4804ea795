"""Lines divided by topic in C: what does not fit is refused before a byte is written."""

from __future__ import annotations

import numpy as np
import pytest

from truegain.io import _split

TEXT = b"aaabbc"


def gathered(part: list[int], begin: list[int], place: list[int], room: int = 6) -> tuple[bytes, list[int]]:
    """The runs of each part together, and where each part ended."""
    out = bytearray(b"-" * room)
    at = np.array(place, np.int64)
    try:
        _split.gather(TEXT, np.array(part, np.int32), np.array(begin, np.int64), at, out)
    except ValueError:
        assert (bytes(out), at.tolist()) == (b"-" * room, place), "something was written before it was refused"
        raise
    return bytes(out), at.tolist()


def test_runs_of_a_part_stand_together() -> None:
    """Guards the copy: each run behind those of its part."""
    assert gathered([0, 1, 0], [0, 3, 5, 6], [0, 4]) == (b"aaacbb", [4, 6])
    assert gathered([], [0], [0]) == (b"------", [0])


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    ("part", "begin", "place"),
    [
        ([0, 0], [0, 1000, 5], [0]),  # the first run ends outside, the last one inside
        ([0, 0], [0, 3, 2], [0]),
        ([0, 0], [0, MOST, 6], [0]),
        ([0, 0], [0, LEAST, 6], [0]),
        ([0, 0], [3, -1, 6], [0]),
        ([0], [-1, 3], [0]),
        ([0], [0, 7], [0]),
        ([0, 1], [0, 3, 6], [0]),  # a part that is not there, behind one that is
        ([0, -1], [0, 3, 6], [0]),
        ([0, 0], [0, 3, 6], [1]),  # no room for the second
        ([0, 1], [0, 3, 6], [0, MOST]),
        ([0, 1], [0, 3, 6], [0, -1]),
        ([0], [0, 3, 6], [0]),
    ],
)
def test_what_does_not_fit_is_refused_first(part: list[int], begin: list[int], place: list[int]) -> None:
    """Guards memory: all bounds are looked at before anything is copied."""
    with pytest.raises(ValueError, match="outside of its text"):
        gathered(part, begin, place)


def test_anything_is_refused_or_right() -> None:
    """Guards every bound: random ones, near the ends and far beyond, are refused or give what slices give."""
    rng = np.random.default_rng(27)
    fine = 0
    for _ in range(3000):
        runs, parts = int(rng.integers(0, 4)), int(rng.integers(1, 4))
        begin = np.sort(rng.integers(0, 7, runs + 1))
        place = rng.integers(0, 4, parts)
        part = rng.integers(0, parts, runs)
        if rng.random() < 0.5 and runs:
            which = (begin, place, part)[rng.integers(3)]
            which[rng.integers(len(which))] = rng.choice([-1, 6, 7, 2**31 - 1, -(2**31)])
        try:
            out, _ = gathered(part.tolist(), begin.tolist(), place.tolist(), room=12)
        except ValueError:
            continue
        fine += 1
        expected, at = bytearray(b"-" * 12), place.tolist()
        for r in range(runs):
            run = TEXT[begin[r] : begin[r + 1]]
            expected[at[part[r]] : at[part[r]] + len(run)] = run
            at[part[r]] += len(run)
        assert out == bytes(expected)
    assert 500 < fine < 2900
