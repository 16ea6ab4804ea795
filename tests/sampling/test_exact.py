"""Sums without rounding: the same bits from any processor, any division of work, any place in memory."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from truegain.io.columns import Floats
from truegain.sampling.streams import ExactRows
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance import pairs as pair_tests
from truegain.stats.significance.pairs import bootstrap_p


def unaligned(rows: Floats) -> Floats:
    """The same values where a message left them: not at a multiple of 8 bytes."""
    place = np.zeros(rows.nbytes + 5, np.uint8)[5:]
    found = place.view(np.float64).reshape(rows.shape)
    found[:] = rows
    assert not found.flags.aligned
    return found


@pytest.mark.parametrize("topics", [1, 2, 7, 50, 1000])
def test_sums_are_right_and_have_one_order(topics: int) -> None:
    """Guards every bit: sums are those of `math.fsum`, in blocks of any size, of shuffled topics, of unaligned rows."""
    rng = np.random.default_rng(topics)
    rows = rng.normal(size=(6, topics)) * 10.0 ** rng.integers(-9, 9, size=(6, 1))
    rows[3] = 0.0
    counts = rng.multinomial(topics, np.full(topics, 1 / topics), size=100).astype(np.float64)
    values = ExactRows.of(rows, topics)
    found = values.sums(counts)
    for count, sums in zip(counts, found, strict=True):
        for row, total in zip(rows, sums, strict=True):
            drawn = [x for x, c in zip(row.tolist(), count.tolist(), strict=True) for _ in range(int(c))]
            assert abs(total - math.fsum(drawn)) <= 2.0**-52 * abs(math.fsum(drawn))
    order = rng.permutation(topics)
    assert np.array_equal(ExactRows.of(rows[:, order], topics).sums(counts[:, order]), found)
    for size in (1, 3, 7, 64):
        parts = [values.sums(counts[first : first + size]) for first in range(0, 100, size)]
        assert np.array_equal(np.concatenate(parts), found)
    moved = ExactRows(unaligned(values.coarse), unaligned(values.fine))
    assert np.array_equal(moved.sums(counts), found)


def test_a_bootstrap_is_cut_in_any_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards every bit of t*: for 1 to 3 workers, for few and many pairs at a time, for few topics drawn at a time."""
    z = np.random.default_rng(1).normal(size=(23, 50)).round(2)
    z[5] = 0.0
    how: dict[str, Any] = {"trials": 600, "seed": 3}
    whole = bootstrap_p(z, Trials(**how, jobs=1))
    for jobs in (2, 3):
        assert all(map(np.array_equal, whole, bootstrap_p(z, Trials(**how, jobs=jobs))))
    for cells, copied in ((600, 1_000_000), (4200, 1_000_000), (2_000_000, 350), (13 * 600, 1)):
        monkeypatch.setattr(pair_tests, "CELLS", cells)
        monkeypatch.setattr(pair_tests, "COPIED", copied)
        assert all(map(np.array_equal, whole, bootstrap_p(z, Trials(**how))))


KINDS = ["Prescott", "Nehalem", "Haswell"] if platform.machine() in ("x86_64", "AMD64") else ["ARMV8", "CORTEXA57"]
BITS = """
import hashlib
import numpy as np
from truegain.stats.significance.pairs import bootstrap_p
from truegain.stats.multiple_testing import Trials
z = np.random.default_rng(1).integers(-9, 10, size=(28, 50)) / 10 / 3
found = bootstrap_p(z, Trials(trials=600))
print(hashlib.sha256(b"".join(x.tobytes() for x in found)).hexdigest())
"""


@pytest.mark.slow
def test_a_bootstrap_has_the_same_bits_on_older_processors() -> None:
    """Guards machines against each other: the kernels that BLAS has for older processors change nothing."""
    found = set()
    for kind in ["", *KINDS]:
        environment = {**os.environ, "OPENBLAS_CORETYPE": kind} if kind else dict(os.environ)
        done = subprocess.run([sys.executable, "-c", BITS], env=environment, capture_output=True, text=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1
