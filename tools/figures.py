"""`python -m tools.figures [NAME ...]`: every picture of the documentation again, from seeds, by a list of programs.

Without names all are made, which takes some minutes and needs Chromium; with names, as `report.png` or `judging/*`, the
programs that make these.  `--to FOLDER` writes elsewhere, `--list` says what would run.  Look at pictures before they
are committed: letters and edges are the machine's own, so their bytes may differ from one machine to the next.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"

Program = tuple[str, ...]
"""A module and its arguments, as after `python -m`; {to} stands for the folder of pictures."""

REPORT: Program = ("tests.report.pictures", "{to}")
JUDGING: Program = ("tests.judging.pictures", "{to}/judging")
SETTLE: Program = ("benchmarks.settle", "--world", "leans", "--figure", "{to}/settle.svg")
ONE_PICTURE: Program = ("tools.one_picture", "{to}")
UNCERTAINTY: Program = ("tools.figure_uncertainty", "{to}")

# pages of the annotation app, each wide and on a phone
PAGES = (
    *("welcome", "consent", "practice", "practice-again", "practice-words", "topic", "document", "document-comma"),
    *("document-cannot", "document-resumed", "document-twice", "leave", "left", "revise", "done", "ended", "failed"),
    *("passed", "preview", "graded", "binary", "preference", "claim", "german"),
    *("organizer", "organizer-sign-in", "organizer-exclude", "decision", "decision-made"),
)
WIDE_ONLY = ("document-dark", "organizer-dark", "decision-dark", "mturk-frame")

CATALOGUE: dict[str, Program] = {
    **{f"{name}.png": REPORT for name in ("report", "report-dark", "report-400", "participant")},
    **{f"judging/{name}-{width}.png": JUDGING for name in PAGES for width in (1200, 390)},
    **{f"judging/{name}-1200.png": JUDGING for name in WIDE_ONLY},
    "settle.svg": SETTLE,
    "one-picture.svg": ONE_PICTURE,
    "uncertainty.svg": UNCERTAINTY,
}
"""Every picture under docs/pictures, and the program that makes it."""


def programs(names: Iterable[str] = ()) -> list[Program]:
    """The programs that make pictures with these names, all without names, each once.

    Examples
    --------
    >>> programs(["report-dark.png", "report.png"])
    [('tests.report.pictures', '{to}')]
    >>> programs(["no.png"])
    Traceback (most recent call last):
    ...
    ValueError: no picture is called no.png; see python -m tools.figures --list

    """
    wanted = list(names) or ["*"]
    for name in wanted:
        if not any(fnmatch(picture, name) for picture in CATALOGUE):
            raise ValueError(f"no picture is called {name}; see python -m tools.figures --list")
    found = (program for picture, program in CATALOGUE.items() if any(fnmatch(picture, name) for name in wanted))
    return list(dict.fromkeys(found))


def line_of(program: Program, to: Path) -> list[str]:
    """What is started, with this interpreter."""
    module, *words = program
    return [sys.executable, "-m", module, *(word.format(to=to) for word in words)]


def main() -> None:
    """Make the pictures that were asked for."""
    asked = argparse.ArgumentParser(prog="python -m tools.figures", description=__doc__)
    asked.add_argument("names", nargs="*", help="pictures, such as report.png or 'judging/*'; all without any")
    asked.add_argument("--to", type=Path, default=PICTURES, help="folder to write into")
    asked.add_argument("--list", action="store_true", help="say which program makes which picture")
    given = asked.parse_args()
    if given.list:
        print("\n".join(f"{name}: python -m {' '.join(program)}" for name, program in CATALOGUE.items()))
        return
    try:
        chosen = programs(given.names)
    except ValueError as error:
        asked.error(str(error))
    to = given.to.resolve()
    to.mkdir(parents=True, exist_ok=True)
    for program in chosen:
        line = line_of(program, to)
        print("python", *line[1:], flush=True)
        subprocess.run(line, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
