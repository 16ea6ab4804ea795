"""The mutation tester: which faults it makes, what it leaves alone, and which tests it holds them against."""

from __future__ import annotations

import ast

import pytest
from benchmarks.mutants.__main__ import wilson
from benchmarks.mutants.points import points
from benchmarks.mutants.trial import Reached, nearest

SOURCE = '''
"""Text with 3 and 1 + 2 in it."""
LIMIT: float = 0.5
BLOCK = 40_000


def spread(x: "1 + 2", k: int = 2) -> float:
    """Not 5 * 6."""
    if not len(x) < k and k:
        raise ValueError(f"{len(x) + 1} below {k - 1}")
    return max(x.std(ddof=1), 1e-12) + LIMIT * np.sqrt(x)


def said(n: int) -> str:
    return "s" * (n > 1)
'''


def test_faults_are_made_where_something_is_computed() -> None:
    """Guards what is changed: operators, limits, constants, terms; no docstring, message, hint, guard or large size."""
    found = {p.new for p in points("a.py", SOURCE)}
    assert found == {
        "(0.525)", "(0.25)", "(3)", "(len(x) <= k)", "(not len(x) < k or k)", "(len(x) < k)", "(x.std())",
        "(min(x.std(ddof=1), 1e-12))", "(2)", "(max(x.std(ddof=1), 1e-12))", "(LIMIT / np.sqrt(x))", "(x)",
        "(max(x.std(ddof=1), 1e-12) - LIMIT * np.sqrt(x))",
    }  # fmt: skip


def test_every_fault_is_python_and_differs() -> None:
    """Guards the text put in, at its place: the file can be read, is another one, and one line of it changed."""
    for point in points("a.py", SOURCE):
        text = point.applied(SOURCE)
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(SOURCE))
        assert [a == b for a, b in zip(text.splitlines(), SOURCE.splitlines(), strict=True)].count(False) == 1
        assert SOURCE.splitlines()[point.line - 1] in point.diff(SOURCE)


def test_tests_that_reach_the_line_come_quick_ones_first() -> None:
    """Guards the choice of tests: by line, the own file's before others; constants by file; none beyond the budget."""
    point = next(p for p in points("a.py", SOURCE) if p.new == "(x.std())")
    constant = next(p for p in points("a.py", SOURCE) if p.new == "(0.25)")
    here, there = frozenset({point.line}), frozenset({point.line + 7})
    reach: Reached = {
        "slow.py::one": (50.0, {"a.py": here}),
        "quick.py::one": (2.0, {"a.py": here}),
        "quick.py::other": (1.0, {"a.py": there}),
        "a.py::doctest": (3.0, {"a.py": here}),
        "shared.py": (0.0, {"a.py": here}),
        "shared.py::one": (4.0, {}),
        "else.py::one": (0.1, {"b.py": here}),
    }
    assert nearest(point, reach, 100) == (["a.py::doctest", "quick.py::one", "shared.py::one", "slow.py::one"], 59)
    assert nearest(point, reach, 10) == (["a.py::doctest", "quick.py::one", "shared.py::one"], 9)
    assert set(nearest(constant, reach, 100)[0]) == {t for t in reach if "::" in t and t != "else.py::one"}


def test_limits_of_the_share_killed() -> None:
    """Guards the interval against statsmodels."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for killed, of in ((135, 150), (0, 20), (20, 20)):
        assert wilson(killed, of) == pytest.approx(proportion.proportion_confint(killed, of, method="wilson"), abs=1e-6)
