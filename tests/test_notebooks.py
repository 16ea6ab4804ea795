"""The notebooks of `docs/notebooks`: they run, they print what they kept, and they need few calls.

When an answer is meant to change: `KEEP=1 python -m pytest tests/test_notebooks.py`, then read the difference.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.peers import NEEDS, Kept, absent, shows

HERE = Path(__file__).parent.parent / "docs" / "notebooks"
BOOKS = sorted(HERE.glob("*.ipynb"))
CONFIGS = ("Gold", "Ratings", "Resampling", "Scoring", "StudyConfig", "UnjudgedSample")
MOST_CALLS = 5
VERSION = re.compile(r"(<dt>truegain</dt><dd>)[^<]*")


def read(path: Path) -> Any:
    """A notebook."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def source(book: Any) -> str:
    """The code of a notebook, cell after cell."""
    return "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")


def calls(code: str) -> list[str]:
    r"""Every call of truegain in a piece of code, methods of what it gave among them; configs are arguments.

    >>> calls("import truegain as tg\nfound = tg.Study(x).best()\nfound.plot(); print(len(found.systems))")
    ['found.plot', 'tg.Study', 'tg.Study(x).best']
    """
    tree = ast.parse(code)
    ours = {"tg"}
    for node in ast.walk(tree):  # in the order of statements
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and root(node.value) in ours:
            ours |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    found = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls_of = [f for f in found if isinstance(f, ast.Attribute) and root(f) in ours]
    return sorted(ast.unparse(f) for f in calls_of if f.attr not in CONFIGS)


def root(node: ast.expr) -> str:
    """The name that a chain of calls, attributes and items begins with."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        else:
            return ""
    return node.id


COMPILED = "NumbaTypeSafetyWarning"


def said(book: Any) -> list[tuple[str, str, str]]:
    """What a notebook shows, the version and figures aside (their letters are the machine's): cell, kind, text."""
    found = []
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            texts = {output.name: output.text} if output.output_type == "stream" else output.get("data", {})
            if COMPILED in texts.get("stderr", ""):
                continue  # ranx's own functions, when they are compiled for the first time
            found += [(cell.id, kind, VERSION.sub(r"\1", texts[kind])) for kind in sorted(texts) if "image" not in kind]
    return found


def tidy(book: Any) -> None:
    """A notebook without what differs from run to run: times, the version of Python."""
    book.metadata = {k: v for k, v in book.metadata.items() if k == "kernelspec"} | {
        "language_info": {"name": "python"}
    }
    for cell in book.cells:
        cell.metadata = {}


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings of the person at the machine."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", BOOKS, ids=lambda p: p.stem)
def test_a_notebook_prints_what_it_kept(path: Path, tmp_path: Path) -> None:
    """Guards the outputs in the file: from a fresh kernel every cell ends well and shows the same text."""
    kept, book = read(path), read(path)
    theirs = set_apart(book, absent())
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    if os.environ.get("KEEP") and not theirs:
        tidy(book)
        nbformat.write(book, path)  # type: ignore[no-untyped-call]
        return
    assert [line for line in said(book) if line[0] not in theirs] == [s for s in said(kept) if s[0] not in theirs]


def set_apart(book: Any, missing: set[str]) -> set[str]:
    """Leave out what needs a peer that is missing; the cells whose outputs are its own."""
    pieces, theirs = Kept(missing), set()
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.source, left_out = pieces.split(cell.source)
            if shows(left_out):
                assert not shows(cell.source), (
                    "a cell shows a peer's lines and ours, which other machines would not check"
                )
                theirs.add(cell.id)
    return theirs


@pytest.mark.parametrize("path", BOOKS, ids=lambda p: p.stem)
def test_what_a_peer_prints_is_set_apart(path: Path) -> None:
    """Guards machines without a peer: its outputs stand in cells of their own, so that ours are compared everywhere."""
    book = read(path)
    theirs = set_apart(book, set(NEEDS.values()))
    assert len(theirs) == (2 if path.stem == "ir_measures_ranx" else 0)
    assert {cell for cell, kind, _ in said(book) if kind == "text/html"}.isdisjoint(theirs)


@pytest.mark.parametrize("path", BOOKS, ids=lambda p: p.stem)
def test_the_answer_takes_few_calls(path: Path) -> None:
    """Guards the promise to four users: at most 5 calls of truegain, methods counted, none hidden behind an import."""
    code = source(read(path))
    assert 1 <= len(calls(code)) <= MOST_CALLS, calls(code)
    assert re.findall(r"^.*truegain.*$", code, re.MULTILINE) == ["import truegain as tg"]


@pytest.mark.parametrize("path", BOOKS, ids=lambda p: p.stem)
def test_what_is_kept_is_small_and_of_no_machine(path: Path) -> None:
    """Guards the files: small, an answer shown as a table, no warnings, no paths, no times."""
    book, text = read(path), path.read_text()
    assert len(text) < 150_000
    assert any(kind == "text/html" and "how it was made" in shown for _, kind, shown in said(book))
    assert not [shown for _, kind, shown in said(book) if kind == "stderr"]
    assert not re.search(r"/(home|tmp|work)/|ipykernel_|execution\"|iopub", text)


def test_the_page_of_judgy_quotes_the_notebook() -> None:
    """Guards docs/howto/coming-from/judgy.md: its data are the notebook's, and so are our numbers beside judgy's."""
    page = (HERE.parent / "howto" / "coming-from" / "judgy.md").read_text()
    book = read(HERE / "rag.ipynb")
    made = page.split("```python\nimport numpy as np\n\n")[1].split("```")[0]
    assert made.strip() in source(book)
    shown = " ".join(re.sub(r"<[^>]*>", " ", text) for _, _, text in said(book))
    flat = " ".join(shown.split())
    lines = re.findall(r"^    ((?:prod +P@5|new +P@5|Inconclusive).*)$", page, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        assert " ".join(line.split()) in flat, line


def test_there_is_one_for_each_user() -> None:
    """Guards this test itself: without notebooks all of the above would pass."""
    assert [path.stem for path in BOOKS] == ["crowd", "ir_measures_ranx", "rag", "track"]


@pytest.mark.parametrize(
    ("code", "count"),
    [("tg.compare(a, b)", 1), ("x = tg.Study(a)\nx.best().plot()", 3), ("len(a)\nother.plot()", 0)],
)
def test_calls_are_counted(code: str, count: int) -> None:
    """Guards the count: methods of answers count, other people's functions do not."""
    assert len(calls(code)) == count
