"""A warning points at the line of the user's own file that led to it."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import pytest

import truegain as tg

BEFORE = """
import truegain as tg
topics = [str(t) for t in range(12)]
qrels = {t: {"a": 1, "b": 0, "c": int(t) % 2} for t in topics}
good = {t: {"a": 3.0, "c": 2.0, "b": 1.0} for t in topics[1:]}
poor = {t: {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (int(t) % 3 == 0)} for t in topics}
runs = {"good": good, "poor": poor}
names = []
"""
CALLS = {
    "evaluate": 'tg.evaluate(runs, qrels, "AP")',
    "intervals": 'tg.intervals(runs, qrels, "AP")',
    "compare": 'tg.compare(runs, qrels, "AP")',
    "compare, an adjustment": 'tg.compare(runs, qrels, "AP", adjust="holm")',
    "compare with gold": 'tg.compare(runs, qrels, "P@2", gold=tg.Gold(qrels, design="random"))',
    "correct": 'tg.correct(runs, qrels, "P@2", tg.Gold(qrels, design="random"))',
    "study": 'tg.Study(runs, qrels, "P@2")',
    "plan": 'tg.plan_topics(runs, qrels, "AP", min_effect=0.1)',
    "report": 'tg.write_report(runs, qrels, "P@2", PAGE)',
    "participants": 'tg.write_participants(runs, qrels, "P@2", PAGE, teams={"good": "a", "poor": "b"}, team="a")',
    "inside a loop": '[tg.evaluate(runs, qrels, "AP") for _ in range(2)]',
    "through functions of the user's": 'f = lambda: tg.evaluate(runs, qrels, "AP"); names.append(f())',
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_users_own_line(call: str, tmp_path: Path) -> None:
    """Guards file and line, whichever function of ours warned, and through what of the standard library."""
    script = tmp_path / "mine.py"
    script.write_text(f"{BEFORE}PAGE = {str(tmp_path / 'page.html')!r}\n# here it comes\n{call}\n")
    line = len(script.read_text().splitlines())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", tg.DataWarning)
        runpy.run_path(str(script))
    told = [w for w in caught if issubclass(w.category, tg.DataWarning)]
    assert told
    assert {(w.filename, w.lineno) for w in told} == {(str(script), line)}
