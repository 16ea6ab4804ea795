"""What the site's search knows beside Sphinx's index: messages of errors, questions that pages answer, terms."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tools.reference.errors import CLOSE, OPEN, anchors, listed, without_values

FILE = "messages.js"  # beside docs/_static/search-messages.js and search-pages.js, which read it
DOCS = Path(__file__).parents[2] / "docs"


def script() -> str:
    """Page and place of every error, what it says, what to do, and its words without values."""
    rows = [
        [f"reference/errors/{page}", place, read(problem), read(remedy), without_values(problem)]
        for page, of in listed().items()
        for (problem, remedy), place in zip(of.items(), anchors(of), strict=True)
    ]
    said, asked = (json.dumps(one, ensure_ascii=False) for one in (rows, questions() + terms()))
    return f"// Written by tools/reference from code and pages.\nconst QUESTIONS = {asked};\nconst MESSAGES = {said};\n"


def questions() -> list[tuple[str, str, str, str]]:
    """Page, place, words and kind of every line that sends readers to a page: questions, and the lists of indexes."""
    found = []
    for path in (DOCS / "start" / "questions.md", *sorted(DOCS.rglob("index.md"))):
        lines = re.findall(
            r"^- (.*?)(?=^- |^#|^```|\Z|\n\n)", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
        for line in lines:
            said = re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\\|\*|\bSee\b", " ", line)
            for label, target, place in re.findall(r"\[([^\]]*)\]\(([^)#]+)\.md#?([^)]*)\)", line):
                page = (path.parent / target).resolve().relative_to(DOCS).as_posix()
                found.append((page, place, " ".join(f"{label} {said}".split()), "question"))
    return found


def terms() -> list[tuple[str, str, str, str]]:
    """Page, place, name and kind of each term of the glossary."""
    text = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
    names = [
        name
        for block in re.findall(r"```\{glossary\}\n(.*?)```", text, re.DOTALL)
        for name in re.findall(r"^(\S.*)$", block, re.MULTILINE)
    ]
    return [("reference/glossary", "term-" + re.sub(r"\W+", "-", name), name, "term") for name in names]


def read(text: str) -> str:
    """A message as text: three dots for values."""
    return re.sub(rf"{OPEN}[^{CLOSE}]*{CLOSE}", "...", text)


def write(folder: Path) -> None:
    """Write the index into a folder, unless it is there."""
    place, made = folder / FILE, script()
    if not place.exists() or place.read_text(encoding="utf-8") != made:
        place.write_text(made, encoding="utf-8")
