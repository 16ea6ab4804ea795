"""Help pages: at once, the same whichever way they are asked for, and those of the commands themselves."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.versions import since
from truegain.cli.commands import COMMANDS, every_page
from truegain.cli.demo import _simulated
from truegain.cli.help import PAGES, Page, in_words, stored, stored_page

FILE = Path(PAGES)


def printed(*words: str, **variables: str) -> str:
    """What a command prints, as a process of its own."""
    told = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", **variables}
    done = subprocess.run([sys.executable, "-m", "truegain", *words], capture_output=True, check=True, env=told)
    return done.stdout.decode()


@since("typer", "0.28", "it writes usage in another way")
def test_the_stored_pages_are_those_of_the_commands() -> None:
    """Guards help that went stale: after a change of options, KEEP=1 writes the file again; read the difference."""
    made = "".join(stored(name, page) for name, page in every_page())
    if os.environ.get("KEEP"):
        FILE.write_text(made, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == made


@since("typer", "0.28", "it writes usage in another way")
def test_every_page_fits() -> None:
    """Guards the look: every line within the width, every word there, panels closed, at any width."""
    text = FILE.read_text(encoding="utf-8")
    pages = dict(every_page())
    assert {"", "eval", "plan labels", "annotate serve"} <= set(pages)
    for name, page in pages.items():
        assert stored_page(text, name) == page
        for width in (20, 60, 80, 133):
            shown = in_words(page, width)
            lines = shown.split("\n")
            assert max(map(len, lines)) <= max(width, 54), (name, width)
            assert shown.count("╭") == shown.count("╯") == len(page[2])
            letters = "".join(c for line in lines for c in line.strip("│ ") if not c.isspace())
            for rows in page[2].values():
                for row in rows:
                    assert row[1].replace(" ", "") in letters, (name, row[1])
    assert stored_page(text, "no such command") is None


@since("typer", "0.28", "it writes usage in another way")
def test_any_way_to_ask_shows_the_same() -> None:
    """Guards the two ways: words that ask for nothing but a page, and a --help among others, which typer finds."""
    at_once = printed("eval", "--help")
    assert printed("eval", "-h") == at_once
    assert printed("eval", "some.qrels", "--help") == at_once
    assert printed("plan", "labels", "-h") == printed("plan", "labels", "--seed", "1", "-h")
    assert "+- Options -" in printed("plan", "--help", PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C")


@pytest.mark.parametrize("words", [["--help"], ["eval", "--help"], ["plan", "labels", "-h"]])
def test_a_page_waits_for_nothing(words: list[str]) -> None:
    """Guards the start: a page loads neither numpy, typer and rich, nor any command."""
    code = (
        f"import sys; from truegain.__main__ import main; sys.argv = ['truegain', *{words}]; main()\n"
        "loaded = {m for m in sys.modules if m.split('.')[0] in ('numpy', 'typer', 'rich', 'click', 'truegain')}\n"
        "print(*sorted(loaded), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage: truegain" in done.stdout
    names = "__main__ _version cli cli.help cli.starting errors lazy message results"
    assert set(done.stderr.split()) <= {"truegain", *(f"truegain.{name}" for name in names.split())}


# ---------------------------------------------------------------------- what a page says, and its examples

STORED = FILE.read_text(encoding="utf-8")
NAMES = [line[2:] for line in STORED.splitlines() if line.startswith("= ")]
QUICK = ("aggregate", "plan topics")  # whose examples `make test` runs
INDEX, LIST = "text index demo/docs.jsonl -o corpus", "plan labels demo/llm.qrels demo/runs -o list.csv"
CODES = {"gate": (0, 1, 3), "settle": (0, 3)}  # exit codes that are an answer
SERVES = "serves until Ctrl-C"
SKIPPED = {
    "annotate": SERVES,
    "annotate check": SERVES,
    "annotate serve": SERVES,
    "annotate demo": SERVES,
    "annotate status": "needs answers of people",
    "annotate export": "needs answers of people",
    "annotate withdraw": "needs the code of a person who took part",
    "annotate password": "is typed, or comes from standard input",
    "judge run": "asks a server; tests/test_docs.py runs such commands of docs/howto/judge-run.md against one of ours",
}
STUDY = (
    "annotate init study --topics demo/magnitude-topics.jsonl --docs demo/magnitude-docs.jsonl "
    "--pool demo/expert.qrels --platform invitation"
)
FIRST = {  # what must have run before
    "text": INDEX, "text show": INDEX, "text rank": INDEX, "experiment disjoint": INDEX, "plan fill": LIST,
    "annotate invite": STUDY, "annotate key": STUDY,
}  # fmt: skip


def page(name: str) -> Page:
    """A stored page."""
    found = stored_page(STORED, name)
    assert found is not None
    return found


def examples(name: str) -> list[list[str]]:
    """The words of the examples of a page, behind `truegain`, without where the shell puts what they print."""
    lines = [row[1].partition(" > ")[0] for row in page(name)[2].get("Examples", [])]
    return [shlex.split(line.removeprefix("truegain ")) for line in lines]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_says_what_it_is_for_and_shows_two_examples(name: str) -> None:
    """Guards newcomers: a sentence first, two examples of this very command, whose options are on the page."""
    _, about, panels = page(name)
    sentence = about.partition(". ")[0].rstrip(".")
    assert re.fullmatch(r"[A-Z][a-z]+ .{20,110}", sentence)
    assert len(examples(name)) == 2
    for words in examples(name):
        assert " ".join(words).startswith(name)
        if "Commands" not in panels and "&&" not in words:
            known = {option for rows in panels.values() for row in rows for option in row[1].split()}
            assert {word for word in words if re.match(r"--?[a-zA-Z]", word)} <= known
    if name in COMMANDS:
        listed = {row[1]: row[3] for row in page("")[2]["Commands"]}
        assert listed[name].rstrip(".") == sentence


@pytest.mark.parametrize("name", NAMES)
def test_options_that_most_need_are_few(name: str) -> None:
    """Guards the first day: what is not under Advanced fits on a screen."""
    panels = page(name)[2]
    common = sum(len(rows) for title, rows in panels.items() if title not in ("Advanced", "Commands", "Examples"))
    assert common <= 32


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `truegain demo demo` was run."""
    folder = tmp_path_factory.mktemp("world")
    _simulated(folder / "demo", 0)
    return folder


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in NAMES if n not in SKIPPED]
)
def test_examples_run(name: str, world: Path, folder: Path, run: Run) -> None:
    """Guards what people copy: each example of every page runs in a folder that has the demo."""
    shutil.copytree(world, folder, dirs_exist_ok=True)
    (folder / "prompt.txt").write_text("Is this passage relevant?")
    if name in FIRST:
        assert run(*FIRST[name].split())[0] == 0
    for words in examples(name):
        only_told = ["--dry-run"] if "--people" in words else []  # it would serve until people have labeled
        code, out, err = run(*words, *only_told)
        assert code in CODES.get(name, (0,)), (words, out, err)
        assert "TREC lines cannot mark" not in err, words


@pytest.mark.slow
def test_the_studies_of_examples_have_no_faults(world: Path, folder: Path, run: Run) -> None:
    """Guards the next step: `annotate check`, which `annotate init` names, accepts what each example makes."""
    shutil.copytree(world, folder, dirs_exist_ok=True)
    made = [
        words for name in ("annotate", "annotate init") for words in examples(name) if words[:2] != ["annotate", "demo"]
    ]
    assert len(made) == 3
    for words in made:
        shutil.rmtree(folder / words[2], ignore_errors=True)
        assert run(*words)[0] == 0
        code, out, err = run("annotate", "check", words[2])
        assert code == 0, (words, out, err)
