"""What `make test` leaves out is chosen as CONTRIBUTING.md says, and every system part keeps a smoke test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.mutants.trial import QUICK

from tests.conftest import SYSTEM_PARTS, spread_out

HERE = Path(__file__).parent
SMOKE = {
    "parallel/test_cluster.py": "a job on a cluster",
    "judging/test_browser.py": "a walk in a browser",
    "judging/test_faults.py": "a kill of the server",
    "judging/test_pages_walk.py": "a set judged on PostgreSQL",
    "report/test_browser.py": "a figure in a browser",
    "llm/test_kills.py": "a kill of a client that asks language models",
    "test_site.py": "a page of the documentation in a browser",
}


@pytest.mark.parametrize(("few", "many"), [(1, 1), (1, 5), (2, 5), (3, 9), (4, 4), (9, 2), (16, 32), (6, 24)])
def test_few_cases_are_spread_out(few: int, many: int) -> None:
    """Guards `few`: as many as asked for, the first among them, all where there are no more, and none in step."""
    stay = spread_out(few, many)
    assert len(stay) == min(few, many)
    assert 0 in stay <= set(range(many))
    for period in (p for p in (2, 3, 4) if many % p == 0 and few >= 2 * p):
        assert {place % period for place in stay} == set(range(period))  # every value of a parameter


def test_every_system_part_has_a_smoke_test() -> None:
    """Guards what `make test` sees of browsers, servers, clusters and PostgreSQL: one test of each, and no more."""
    marked = {
        str(p.relative_to(HERE)): p.read_text().count("@pytest.mark.smoke\n")
        for p in HERE.rglob("test_*.py")
        if "@pytest.mark.smoke\n" in p.read_text()
    }
    assert marked == dict.fromkeys(SMOKE, 1)


def test_fixtures_that_start_processes_are_there() -> None:
    """Guards the choice by name: a fixture that was renamed would make its tests quick ones."""
    text = "".join(p.read_text() for p in HERE.rglob("*.py"))
    made = set(re.findall(r"@pytest\.fixture[^\n]*\n(?:async )?def (\w+)", text))
    assert made >= SYSTEM_PARTS


def test_the_makefile_chooses_as_the_mutants_do() -> None:
    """Guards what a share of faults is a share of: the same tests as `make test` runs."""
    makefile = (HERE.parent / "Makefile").read_text()
    assert f"QUICK := {QUICK[0]} '{QUICK[1]}' {QUICK[2]}\n" in makefile
