"""What the library says is in the words of Python; the command line translates."""

from __future__ import annotations

import pydoc
import re
from pathlib import Path

from typer.main import get_command

import truegain as tg
from tests.syntax import SOURCE, package_facts
from truegain.cli.commands import COMMANDS, build
from truegain.cli.streams import option_names

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


def test_the_library_names_arguments() -> None:
    """Guards Python users: no sentence of the library speaks of options, but for commands it names as such."""
    found = []
    for path, facts in package_facts().items():
        place = path.relative_to(SOURCE)
        if place.parts[0] in ("cli", "config.py", "report"):  # a page has a style sheet, and commands to copy
            continue
        for said in facts.said:
            text = "".join(piece or "" for piece in said.pieces)
            if said.is_piece or (not said.is_joined and "\n" in text):
                continue
            if re.search(r"(?<![\w-])--[a-z]", text) and not NAMED.search(text):
                found.append(f"{place}: {text}")
    assert found == []


NAMED = re.compile(r"truegain |verdict --|--show sample|--changed|--gold`")


def test_every_argument_of_a_message_is_marked() -> None:
    """Guards messages to come: a text of the library that names an argument by hand would read so to all."""

    def names(command: object) -> set[str]:
        inner = getattr(command, "commands", None)
        if inner is None:
            return set(option_names(command.params))  # type: ignore[attr-defined]
        return {name for one in inner.values() for name in names(one)}

    known = "|".join(sorted(map(re.escape, names(get_command(build()))), key=len, reverse=True))
    by_hand = re.compile(rf"(?<![\w./\\'\",-])(?<!\w\()(?:{known})=(?:['\"\[({{]|True\b|(?=[\s,;:)]|\.?$))")
    found = []
    for path, facts in package_facts().items():
        for said in facts.said:
            if said.is_statement or said.is_inside or said.given_to in BY_HAND:
                continue
            text = said.text
            forgotten = not said.is_joined and re.search(r"\{(?:arg|argname|option|with_marks)\(", text)
            if forgotten or (" " in text and by_hand.search(text) and not CALL.search(text)):
                found.append(f"{path.relative_to(SOURCE)}:{said.line}: {text}")
    assert found == []


BY_HAND = ("by_surface", "arg")  # who is told Python's words
# an example of a call, Python's words of --unmatched, a parameter of measures, HTML
CALL = re.compile(r"tg\.\w+\(|^, draw=|judged_only=True|^<|class=|^# ")
