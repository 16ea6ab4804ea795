"""What the library says is in the words of Python; the command line translates."""

from __future__ import annotations

import pydoc
import re
from pathlib import Path

import truegain as tg
from tests.syntax import SOURCE, package_facts
from truegain.cli.commands import COMMANDS

COMMAND = re.compile(rf"\btruegain (?:{'|'.join(COMMANDS)})\b")
FLAG = re.compile(r"(?<![\w#-])--?[a-z]")
ELSEWHERE = ("cli", "report", "judging", "message.py")  # speak to others, or know the words of both
FILES = [p for p in sorted(SOURCE.rglob("*.py")) if p.relative_to(SOURCE).parts[0] not in ELSEWHERE]


def said(path: Path) -> list[tuple[int, str, bool]]:
    """Line, text and whether it is a docstring, of all that a file says in Python; examples are no prose."""
    found = []
    for one in package_facts()[path].said:
        if not one.is_joined and (one.given_to, one.place) != ("by_surface", 1):  # what commands say
            text = re.sub(r"^ *(>>>|\.\.\.).*$", "", one.text, flags=re.M)
            found.append((one.line, f"x{text}" if one.is_piece else text, one.is_statement))
    return found


def test_no_flag_and_no_command() -> None:
    """Guards users of Python against being sent to options: messages name arguments and functions."""
    faults = []
    for path in FILES:
        if path.name == "config.py":  # which declares the options themselves
            continue
        for line, text, is_doc in said(path):
            flags = [m[0] for m in FLAG.finditer(text) if " " in text and (not is_doc or m[0].startswith("--"))]
            if flags or COMMAND.search(text):
                faults.append(f"{path.relative_to(SOURCE)}:{line}: {text}")
    assert faults == []


def test_help_shows_no_ellipsis() -> None:
    """Guards help(): a default that other arguments decide is said to depend on them, not to be `= Ellipsis`."""
    names = [name for name in tg.__all__ if callable(getattr(tg, name))]
    texts = {name: pydoc.plain(pydoc.render_doc(getattr(tg, name))) for name in names}
    assert [name for name, text in texts.items() if "Ellipsis" in text] == []
