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


Place = tuple[str, str, str, str, str]  # page, place, words, kind, what the list of results says of it


def questions() -> list[Place]:
    """Every line that sends readers to a page: questions, and the lists of indexes, which say what a page is about."""
    found = []
    for path in (DOCS / "start" / "questions.md", *sorted(DOCS.rglob("index.md"))):
        text = path.read_text(encoding="utf-8")
        for line in re.findall(r"^- (.*?)(?=^- |^#|^```|\Z|\n\n)", text, re.DOTALL | re.MULTILINE):
            said = " ".join(re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\\|\*|\bSee\b", " ", line).split())
            links = re.findall(r"\[([^\]]*)\]\(([^)#]+)\.md#?([^)]*)\)", line)
            about = said.removeprefix(": ").rstrip(".") if len(links) == 1 and said.startswith(": ") else ""
            for label, target, place in links:
                page = (path.parent / target).resolve().relative_to(DOCS).as_posix()
                found.append((page, place, f"{label} {said}", "question", about))
    return found


def terms() -> list[Place]:
    """Every term of the glossary, with what it means."""
    text = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\{glossary\}\n(.*?)```", text, re.DOTALL)
    entries = [entry.partition("\n") for block in blocks for entry in block.strip().split("\n\n")]
    return [
        ("reference/glossary", "term-" + re.sub(r"\W+", "-", name), name, "term", plain(meaning).rstrip("."))
        for name, _, meaning in entries
    ]


def plain(text: str) -> str:
    """Markdown as text."""
    return " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", text).split())


def read(text: str) -> str:
    """A message as text: three dots for values."""
    return re.sub(rf"{OPEN}[^{CLOSE}]*{CLOSE}", "...", text)


def write(folder: Path) -> None:
    """Write the index into a folder, unless it is there."""
    place, made = folder / FILE, script()
    if not place.exists() or place.read_text(encoding="utf-8") != made:
        place.write_text(made, encoding="utf-8")
