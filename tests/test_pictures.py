"""Pictures of the documentation: each is made by a program of tools/figures.py, and each that a page shows is there."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.figures import CATALOGUE, PICTURES, ROOT, line_of, programs

from tests.test_docs import PAGES, name_of

SHOWN = re.compile(r"(?:!\[[^\]]*\]\(|<img[^>]*src=\"|(?:image|figure):: |\{(?:image|figure)\} )([^)\"\s]+)")


def shown() -> dict[Path, str]:
    """The pictures of this project that pages show, each with a page."""
    found = {}
    for page in PAGES:
        for target in SHOWN.findall(page.read_text()):
            if ":" not in target:
                found[(page.parent / target).resolve()] = name_of(page)
    return found


def test_every_picture_that_a_page_shows_is_in_the_catalogue() -> None:
    """Guards pictures made by hand, which nobody could make again."""
    seen = shown()
    assert len(seen) > 10
    lost = [f"{page}: {path.name}" for path, page in seen.items() if PICTURES not in path.parents]
    lost += [
        f"{page}: {path.relative_to(PICTURES)}"
        for path, page in seen.items()
        if PICTURES in path.parents and path.relative_to(PICTURES).as_posix() not in CATALOGUE
    ]
    assert lost == []


def test_the_catalogue_is_what_the_folder_holds() -> None:
    """Guards both ways: no file that nothing makes, and none that is made and not kept."""
    kept = {path.relative_to(PICTURES).as_posix() for path in PICTURES.rglob("*") if path.is_file()}
    assert kept == set(CATALOGUE)


def test_every_program_is_there() -> None:
    """Guards names of modules: each can be started."""
    assert [program[0] for program in programs() if find_spec(program[0]) is None] == []
    assert line_of(("module", "{to}/a.png"), Path("folder")) == [sys.executable, "-m", "module", "folder/a.png"]


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--list"], ["no.png"]])
def test_the_command(words: list[str]) -> None:
    """Guards the command: it lists all pictures, and a name that is none ends with what to type."""
    line = [sys.executable, "-m", "tools.figures", *words]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    if words == ["--list"]:
        assert [row.split(": ")[0] for row in done.stdout.splitlines()] == list(CATALOGUE)
    else:
        assert done.returncode == 2
        assert "no picture is called no.png; see python -m tools.figures --list" in done.stderr
