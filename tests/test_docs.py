"""The README and the documentation do what they say."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from contextlib import nullcontext
from glob import glob
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.llm.served import served
from tests.peers import IMPORTED, PEERS, Kept, absent, shows
from truegain.cli.app import main

ROOT = Path(__file__).parent.parent
JUDGE = "http://localhost:8000/v1"  # where pages ask a language model; here one of ours answers
DOCS = ROOT / "docs"
WHOLE = ("README.md", "index.md", "start/", "tutorials/")  # pages whose every line of output is compared
WRITTEN = (  # from the code, by tools/reference
    "reference/api/", "reference/commands/", "reference/errors", "reference/measures.md", "reference/study-file.md",
)  # fmt: skip
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if not page.relative_to(DOCS).as_posix().startswith(WRITTEN)),
]


def name_of(page: Path) -> str:
    """A page as tests call it: howto/settle.md."""
    return page.relative_to(DOCS if DOCS in page.parents else ROOT).as_posix()


def by_tier(pages: list[Path]) -> list[Any]:
    """The pages as cases; those that make whole papers or reports or start processes, as other tests do, are slow."""
    slow = (
        "explanation/correction.md",
        "howto/assessors.md",
        "howto/cluster.md",
        "howto/gains.md",
        "howto/report.md",
        "howto/teams.md",
        "howto/text.md",
        "howto/unjudged.md",
        "reference/json.md",
        "tutorials/magnitude.md",
        "evidence/papers/collection.md",
        "evidence/papers/content.md",
        "evidence/papers/judge.md",
        "evidence/papers/unanimity.md",
    )
    return [pytest.param(p, marks=pytest.mark.slow) if name_of(p) in slow else p for p in pages]


def console_blocks(page: Path) -> list[str]:
    """What a page shows of terminals; a command that goes on over lines is one line."""
    return [
        re.sub(r" \\\n +", " ", block) for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    ]


def commands(page: Path) -> list[str]:
    """The commands of ours that a page tells people to type."""
    return [
        line.removeprefix("$ ")
        for block in console_blocks(page)
        for line in block.splitlines()
        if line.startswith("$ truegain")
    ]


def fewer(command: str) -> str:
    """The same command with fewer simulated systems: it runs as well, and no page tells what they come to."""
    return re.sub(r"--simulated \d+", "--simulated 10", command)


def write_files(page: Path, folder: Path) -> None:
    """The files that a page shows, in blocks whose first line says their name."""
    for name, text in re.findall(r"```(?:text|json) (\S+)\n(.*?)```", page.read_text(), re.DOTALL):
        (folder / name).write_text(text)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of `truegain demo demo`, simulated once for all pages, by a process as people start it."""
    folder = tmp_path_factory.mktemp("simulated")
    line = [sys.executable, "-m", "truegain", "demo", "demo"]
    done = subprocess.run(line, cwd=folder, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("Simulated 50 topics")
    return folder / "demo"


@pytest.mark.parametrize("page", by_tier(PAGES), ids=name_of)
def test_every_command_runs(
    page: Path, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards what people type: each command of a page ends well, and prints what the page shows right below it.

    They run one after the other in this process, with the files that the page shows.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_PROXY", "*")
    write_files(page, tmp_path)
    shown, codes = quoted(page), exit_codes(page)
    below = lines_below(page) if name_of(page).startswith(WHOLE) else {}
    for command in commands(page):
        if command == "truegain demo demo":
            shutil.copytree(demo, "demo", dirs_exist_ok=True)
            continue
        with served() if JUDGE in command else nullcontext() as judge:
            asked = command.replace(JUDGE, judge.url) if judge is not None else command
            monkeypatch.setattr(sys, "argv", typed(fewer(asked)))
            try:
                main()
                code: object = 0
            except SystemExit as end:
                code = end.code or 0
        printed = capsys.readouterr()
        assert code == codes.get(command, 0), (command, printed.err)
        assert printed.out or "-o " in command, command
        assert printed.out.startswith(shown.get(command, "")), command
        text = " ".join(printed.out.split())
        for line in below.get(command, ()):
            assert " ".join(line.split()) in text, (command, line)


def typed(command: str) -> list[str]:
    """The words of a command, as a shell hands them over: names of files with a star are looked up."""
    words = shlex.split(command)
    return [name for word in words for name in (sorted(glob(word)) if "*" in word else [word])]


@pytest.mark.filterwarnings("ignore:unsafe cast from uint64")  # ranx's, when it is compiled for the first time
@pytest.mark.parametrize("page", by_tier(PAGES), ids=name_of)
def test_every_python_block_runs(
    page: Path, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards the Python of a page: its blocks run one after the other, and print what the page shows right below."""
    monkeypatch.chdir(tmp_path)
    write_files(page, tmp_path)
    names: dict[str, object] = {}
    blocks = python_blocks(page)
    if any('"demo/' in block for block, _ in blocks):
        shutil.copytree(demo, "demo")
    pieces, checked = Kept(absent()), []
    for block, below in blocks:
        ours, theirs = pieces.split(block)
        exec(compile(ours, page.name, "exec"), names)
        checked += [] if shows(theirs) else below.splitlines()
    printed = " ".join(capsys.readouterr().out.split())
    for line in checked:
        assert "..." in line or " ".join(line.split()) in printed, line


def python_blocks(page: Path) -> list[tuple[str, str]]:
    """The Python of a page, block after block, each with the indented lines right below: what it prints."""
    return re.findall(r"```python\n(.*?)```\n((?:\n(?:    [^\n]*\n|\n(?=    ))+)?)", page.read_text(), re.DOTALL)


def test_what_a_peer_prints_is_set_apart() -> None:
    """Guards machines without a peer: no block shows its lines and ours, so that ours are compared everywhere."""
    mixed: list[str] = []
    of_peers: list[str] = []
    for page in PAGES:
        pieces = Kept(PEERS)
        parted = [pieces.split(block) for block, _ in python_blocks(page)]
        mixed += [f"{page.name}: {ours}" for ours, theirs in parted if shows(theirs) and shows(ours)]
        of_peers += [name_of(page) for _, theirs in parted if shows(theirs)]
    assert mixed == []
    assert {Path(name).stem for name in of_peers} == {*IMPORTED, "index", "ir_measures"}


def quoted(page: Path) -> dict[str, str]:
    """Commands of a page with what it says that they print first."""
    lines = [line for block in console_blocks(page) for line in block.splitlines()]
    return {
        line.removeprefix("$ "): below
        for line, below in pairwise(lines)
        if line.startswith("$ truegain") and not below.startswith(("$", "..."))
    }


def lines_below(page: Path) -> dict[str, list[str]]:
    """Commands of a page with all lines that it shows below them, but for "...", which stands for others."""
    found: dict[str, list[str]] = {}
    for block in console_blocks(page):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = piece.splitlines()
            found[command] = [line for line in lines if line.strip() not in ("", "...")]
    return found


def exit_codes(page: Path) -> dict[str, int]:
    """Commands of a page that end with another code than 0, which it shows by `echo $?` right after them."""
    ended = re.compile(r"^\$ (truegain [^\n]*)\n(?:(?!\$)[^\n]*\n)*\$ echo \$\?\n(\d)$", re.MULTILINE)
    return {command: int(code) for block in console_blocks(page) for command, code in ended.findall(block)}


def test_pages_show_what_commands_print() -> None:
    """Guards the check of quoted output: some pages have any."""
    assert sum(len(quoted(page)) for page in PAGES) > 3


def test_no_figure_is_left_to_be_filled_in() -> None:
    """Guards tables whose figures were still to come: no line is a word in capitals."""
    lines = [(name_of(page), line.strip()) for page in PAGES for line in page.read_text().splitlines()]
    assert [f"{name}: {line}" for name, line in lines if re.fullmatch(r"[A-Z]{3,}", line)] == []


def test_the_readme_names_commands() -> None:
    """Guards this test itself: a README without commands would pass the ones above."""
    assert len(commands(ROOT / "README.md")) >= 5


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_links_between_pages_lead_somewhere() -> None:
    """Guards links inside the project: the file is there, and so is the heading; the site's build checks the rest."""
    lost = []
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for target, anchor in re.findall(r"\]\(((?!\w+:)[^)#\s]*)#?([^)]*)\)", text):
            other = (page.parent / target).resolve() if target else page
            if DOCS in other.parents and name_of(other).startswith(WRITTEN):
                continue
            if not other.exists() or (anchor and other.suffix == ".md" and anchor not in anchors(other)):
                lost.append(f"{name_of(page)}: {target}#{anchor}")
    assert lost == []


def test_numbers_below_one_begin_with_zero() -> None:
    """Guards one way to write numbers: 0.12 in prose and tables, not .12; code, output and papers' figures stay."""
    found = []
    for path in sorted(DOCS.rglob("*.md")):
        if {"papers", "notebooks", "errors", "commands", "api"} & set(path.relative_to(DOCS).parts):
            continue
        text = re.sub(r"^\s*(```+|~~~+).*?^\s*\1\s*$|\$\$.*?\$\$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
        prose = re.sub(r"`[^`]*`|\$[^$\n]*\$|\]\([^)]*\)", "", text)
        found += [f"{path.name}: {match[0]}" for match in re.finditer(r"(?<![\w./\\])\.\d+", prose)]
    assert found == []


def test_the_glossary_defines_its_terms() -> None:
    """Guards the glossary: a term is a few words on a line of its own, what it means is indented below."""
    text = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
    entries = [
        e for block in re.findall(r"```\{glossary\}\n(.*?)```", text, re.DOTALL) for e in block.strip().split("\n\n")
    ]
    assert len(entries) > 40
    assert [entry for entry in entries if not re.fullmatch(r"[A-Z][^\n]{1,30}(?:\n  \S[^\n]*)+", entry)] == []
