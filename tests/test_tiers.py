"""What `make test` leaves out is chosen as CONTRIBUTING.md says, and every system part keeps a smoke test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.mutants.trial import QUICK

from tests.conftest import SYSTEM_PARTS, evenly

HERE = Path(__file__).parent
SMOKE = {
    "parallel/test_cluster.py": "a job on a cluster",
    "judging/test_browser.py": "a walk in a browser",
    "judging/test_faults.py": "a kill of the server",
    "judging/test_pages_walk.py": "a set judged on PostgreSQL",
    "report/test_browser.py": "a figure in a browser",
}


@pytest.mark.parametrize(
    ("few", "many", "stay"), [(1, 5, {0}), (2, 5, {0, 2}), (3, 9, {0, 3, 6}), (4, 4, {0, 1, 2, 3}), (9, 2, {0, 1})]
)
def test_few_cases_are_evenly_taken(few: int, many: int, stay: set[int]) -> None:
    """Guards `few`: as many as asked for, over all cases, and all where there are no more."""
    assert evenly(few, many) == stay


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
