"""The pages of the five papers: every numbered item has a row, and the overview counts them rightly."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAPERS = DOCS / "evidence" / "papers"
# What each paper numbers: the last equation, algorithm, table and figure.
LAST = {
    "judge": {"eq.": 34, "algorithm": 2, "table": 4, "figure": 2},
    "content": {"eq.": 12, "table": 4, "figure": 2},
    "collection": {"table": 4, "figure": 4},
    "unanimity": {"eq.": 2, "table": 3},
    "magnitude": {"eq.": 6, "table": 4, "figure": 15},
}
TITLES = {
    "judge": "Goldberg et al. 2018",
    "content": "Hui et al. 2017",
    "collection": "Cormack and Lynam 2006",
    "unanimity": "Sakai 2017",
    "magnitude": "Maddalena et al. 2017",
}
HEADINGS = {"in the paper", "what", "command or call", "printed", "ours", "printed and ours"}
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4}
Numbers = Literal["come out", "need data", "none"]


class Item(NamedTuple):
    """A numbered equation, algorithm, table or figure."""

    kind: str
    number: int
    command: bool
    numbers: Numbers


def tables(page: str) -> list[list[list[str]]]:
    """The tables of a page that begin with `in the paper`, each as rows of cells with the headings first."""
    found = re.findall(r"(?:^\|.*\n)+", (PAPERS / page).read_text(), re.MULTILINE)
    cut = [[[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in t.splitlines()] for t in found]
    return [[t[0], *t[2:]] for t in cut if t[0][0] == "in the paper"]


def numbered(cell: str) -> tuple[str, list[int]] | None:
    """The kind and numbers of what a row is about, None where the paper does not number it."""
    head = re.match(r"(eq\.|algorithm|table|figure)s? ([\dIV]+(?:(?:, | and | to )[\dIV]+)*)", cell)
    if head is None:
        return None
    found: list[int] = []
    for between, text in re.findall(r"(, | and | to |)([\dIV]+)", head[2]):
        number = ROMAN[text] if text in ROMAN else int(text)
        found += range(found[-1] + 1, number + 1) if between == " to " else [number]
    return head[1], found


def of_numbers(cells: list[str]) -> Numbers:
    """What becomes of a row's printed numbers; one that needs the paper's data makes the row need them."""
    words = " | ".join(cells)
    if re.search(r"needs? the (data|share)|not public|TREC-8", words):
        return "need data"
    return "none" if re.match(r"no number|none|picture", cells[0]) else "come out"


def items(paper: str) -> list[Item]:
    """The numbered items of a paper's page, in its order."""
    found = []
    for heading, *rows in tables(f"{paper}.md"):
        at = heading.index("command or call")
        for row in rows:
            if (what := numbered(row[0])) is not None:
                command = "`" in row[at] or row[at] == "the same"
                found += [Item(what[0], number, command, of_numbers(row[at + 1 :])) for number in what[1]]
    return found


@pytest.mark.parametrize("paper", LAST)
def test_every_numbered_item_has_one_row(paper: str) -> None:
    """Guards completeness: each equation, algorithm, table and figure stands once on its page."""
    want = [(kind, number) for kind, last in LAST[paper].items() for number in range(1, last + 1)]
    assert sorted((item.kind, item.number) for item in items(paper)) == sorted(want)


@pytest.mark.parametrize("paper", LAST)
def test_pages_are_alike(paper: str) -> None:
    """Guards the form: title, headings, and slips on the errata page alone."""
    text = (PAPERS / f"{paper}.md").read_text()
    assert text.startswith(f"# {TITLES[paper]}, item by item\n")
    assert {cell for table in tables(f"{paper}.md") for cell in table[0]} <= HEADINGS
    assert "## Slips" not in text
    errata = (DOCS / "explanation" / "errata.md").read_text()
    assert f"\n## {TITLES[paper]}\n" in errata
    assert f"(../../explanation/errata.md#{TITLES[paper].lower().replace('.', '').replace(' ', '-')})" in text


def test_the_counts_of_the_overview() -> None:
    """Guards docs/evidence/papers/index.md: its table counts the rows of the five pages."""
    lines = re.findall(r"^\| \[?([\w. ]+?\d{4}|all five).*?\|(.*)\|$", (PAPERS / "index.md").read_text(), re.MULTILINE)
    told = {name: [int(n) for n in cells.split("|")] for name, cells in lines if re.fullmatch(r"[\d |]+", cells)}
    want = {}
    for paper, title in TITLES.items():
        found = items(paper)
        of = [sum(item.numbers == how for item in found) for how in ("come out", "need data", "none")]
        want[title] = [len(found), sum(item.command for item in found), *of]
    want["all five"] = [sum(column) for column in zip(*want.values(), strict=True)]
    assert told == want
