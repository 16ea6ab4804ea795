"""How many assessors a document needs."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pytest

import truegain as tg
from truegain.cli.app import main
from truegain.inference.agreement.plan import assessors_needed

# MAGNITUDE, table II: rows are the error, columns sigma = 1 to 6; at 99%, though its caption says 95%
TABLE_2 = {
    0.5: (27, 107, 239, 425, 664, 956),
    1.0: (7, 27, 60, 107, 166, 239),
    1.5: (3, 12, 27, 48, 74, 107),
    2.0: (2, 7, 15, 27, 42, 60),
    2.5: (2, 5, 10, 17, 27, 39),
    3.0: (1, 3, 7, 12, 19, 27),
    3.5: (1, 3, 5, 9, 14, 20),
    4.0: (1, 2, 4, 7, 11, 15),
    4.5: (1, 2, 3, 6, 9, 12),
    5.0: (1, 2, 3, 5, 7, 10),
}


def test_table_2_of_the_paper() -> None:
    """Guards the formula: all sixty numbers of table II, at 99%."""
    for error, row in TABLE_2.items():
        found = tuple(assessors_needed(sigma, error, 0.99).needed["assessors"] for sigma in range(1, 7))
        assert found == row, error


def test_so_many_are_enough_and_fewer_are_not() -> None:
    """Guards what the number promises, on simulated ratings: coverage reached with n, missed with half of it."""
    n = assessors_needed(3, 1, 0.95).needed["assessors"]
    rng = np.random.default_rng(1)

    def covered(count: int) -> float:
        return float((np.abs(rng.normal(0, 3, (20_000, count)).mean(axis=1)) <= 1).mean())

    assert covered(n) >= 0.945
    assert covered(n // 2) < 0.9


@pytest.mark.parametrize(
    ("sigma", "error", "confidence"), [(0, 1, 0.9), (1, 0, 0.9), (1, 1, 99), (float("nan"), 1, 0.9)]
)
def test_mistakes_are_told(sigma: float, error: float, confidence: float) -> None:
    """Guards against dividing by nothing and percentages for shares."""
    with pytest.raises(tg.TruegainError):
        assessors_needed(sigma, error, confidence)


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards `truegain plan assessors` as the paper uses it: seven workers."""
    words = ["plan", "assessors", "--sigma", "2", "--error", "2", "--confidence", "0.99"]
    monkeypatch.setattr(sys, "argv", ["truegain", *words])
    with contextlib.suppress(SystemExit):
        main()
    assert capsys.readouterr().out.splitlines()[1].split()[0] == "7"
