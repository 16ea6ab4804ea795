"""Help pages: at once, the same whichever way they are asked for, and those of the commands themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from truegain.cli.commands import every_page
from truegain.cli.help import PAGES, in_words, stored, stored_page

FILE = Path(PAGES)


def printed(*words: str, **variables: str) -> str:
    """What a command prints, as a process of its own."""
    told = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", **variables}
    done = subprocess.run([sys.executable, "-m", "truegain", *words], capture_output=True, check=True, env=told)
    return done.stdout.decode()


def test_the_stored_pages_are_those_of_the_commands() -> None:
    """Guards help that went stale: after a change of options, KEEP=1 writes the file again; read the difference."""
    made = "".join(stored(name, page) for name, page in every_page())
    if os.environ.get("KEEP"):
        FILE.write_text(made, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == made


def test_every_page_fits() -> None:
    """Guards the look: every line within the width, every word there, panels closed, at any width."""
    text = FILE.read_text(encoding="utf-8")
    pages = dict(every_page())
    assert {"", "eval", "plan labels", "annotate serve"} <= set(pages)
    for name, page in pages.items():
        assert stored_page(text, name) == page
        for width in (20, 60, 80, 133):
            shown = in_words(page, width)
            lines = shown.split("\n")
            assert max(map(len, lines)) <= max(width, 54), (name, width)
            assert shown.count("╭") == shown.count("╯") == len(page[2])
            letters = "".join(c for line in lines for c in line.strip("│ ") if not c.isspace())
            for rows in page[2].values():
                for row in rows:
                    assert row[1].replace(" ", "") in letters, (name, row[1])
    assert stored_page(text, "no such command") is None


def test_any_way_to_ask_shows_the_same() -> None:
    """Guards the two ways: words that ask for nothing but a page, and a --help among others, which typer finds."""
    at_once = printed("eval", "--help")
    assert printed("eval", "-h") == at_once
    assert printed("eval", "some.qrels", "--help") == at_once
    assert printed("plan", "labels", "-h") == printed("plan", "labels", "--seed", "1", "-h")
    assert "+- Options -" in printed("plan", "--help", PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C")


@pytest.mark.parametrize("words", [["--help"], ["eval", "--help"], ["plan", "labels", "-h"]])
def test_a_page_waits_for_nothing(words: list[str]) -> None:
    """Guards the start: a page loads neither numpy, typer and rich, nor any command."""
    code = (
        f"import sys; from truegain.__main__ import main; sys.argv = ['truegain', *{words}]; main()\n"
        "loaded = {m for m in sys.modules if m.split('.')[0] in ('numpy', 'typer', 'rich', 'click', 'truegain')}\n"
        "print(*sorted(loaded), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage: truegain" in done.stdout
    names = "__main__ _version addresses cli cli.help cli.starting errors lazy message results results.plots"
    assert set(done.stderr.split()) <= {"truegain", *(f"truegain.{name}" for name in names.split())}
