"""What the library says is in the words of Python; the command line translates."""

from __future__ import annotations

import ast
import pydoc
import re
from pathlib import Path

import truegain as tg
from truegain.cli.commands import COMMANDS

SOURCE = Path(tg.__file__).parent
COMMAND = re.compile(rf"\btruegain (?:{'|'.join(COMMANDS)})\b")
FLAG = re.compile(r"(?<![\w#-])--?[a-z]")
ELSEWHERE = ("cli", "report", "judging", "message.py")  # speak to others, or know the words of both
FILES = [p for p in SOURCE.rglob("*.py") if p.relative_to(SOURCE).parts[0] not in ELSEWHERE]


def said(path: Path) -> list[tuple[int, str, bool]]:
    """Line, text and whether it is a docstring, of all that a file says in Python; examples are no prose."""
    tree = ast.parse(path.read_text())
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    parts = {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in n.values}
    both = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "by_surface"]
    of_commands = {id(n.args[1]) for n in both}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in of_commands:
            text = re.sub(r"^ *(>>>|\.\.\.).*$", "", node.value, flags=re.M)
            found.append((node.lineno, f"x{text}" if id(node) in parts else text, id(node) in docs))
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
