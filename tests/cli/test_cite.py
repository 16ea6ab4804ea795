"""`truegain cite`: every command has an answer, what it prints is BibTeX, and docstrings cite nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.test_docstrings import sections, text_of
from truegain._version import __date__, __version__
from truegain.cli.cite import PAPERS_OF, papers_of
from truegain.cli.commands import COMMANDS, every_page
from truegain.report.citations import CITED, EXPONENTIAL
from truegain.report.references import PAPERS

NAMES = [name for name, _ in every_page() if name]
REQUIRED = {  # as the standard styles of BibTeX ask for them
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "incollection": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "misc": {"author", "title", "year", "note", "url"},
}
IN_PYTHON = {  # the function or class that does what a command does; its docstring names the method's papers
    "eval": ("evaluate", "intervals"),
    "correct": ("correct",),
    "judge check": ("judge_quality",),
    "compare": ("compare",),
    "verdict": ("Study",),
    "correlate": ("correlate",),
    "agree": ("agreement",),
    "aggregate": ("aggregate",),
    "plan topics": ("plan_topics",),
    "plan labels": ("plan_labels", "sample_gold"),
    "plan assessors": ("plan_assessors",),
    "unjudged": ("unjudged", "next_to_judge", "sample_unjudged"),
}


def entries(text: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Kind, key and fields of each entry, by a reader that knows only what BibTeX allows: balanced braces, commas."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        head = re.compile(r"@(\w+)\{([a-z0-9]+),\s*").match(text, at)
        assert head, text[at : at + 40]
        at, found = head.end(), {}
        while text[at] != "}":
            name = re.compile(r"(\w+) = \{").match(text, at)
            assert name, text[at : at + 40]
            end, depth = name.end(), 1
            while depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            assert name[1] not in found, name[1]
            found[name[1]] = text[name.end() : end - 1]
            after = re.compile(r",?\s*").match(text, end)
            assert after
            assert after[0].startswith(",") or text[after.end()] == "}", text[at : at + 40]
            at = after.end()
        at += 1
        yield head[1], head[2], found


@pytest.mark.parametrize(
    "text", ["@article{a2000,\n  title = {b\n}", "@book{a, year = {1} title = {2}}", "article{a,}"]
)
def test_the_reader_refuses(text: str) -> None:
    """Guards the check itself: a missing brace, comma or @ is noticed."""
    with pytest.raises((AssertionError, IndexError)):
        list(entries(text))


def test_every_command_has_an_answer(run: Run) -> None:
    """Guards new commands: whoever adds one says which papers stand behind it, or that none does."""
    groups = {name.partition(" ")[0] for name in NAMES if " " in name}
    assert set(PAPERS_OF) == set(NAMES) - groups
    assert {key for keys in PAPERS_OF.values() for key in keys} <= set(PAPERS)
    for name in NAMES:
        code, out, err = run("cite", *name.split())
        assert (code, err) == (0, ""), name
        found = list(entries(out))
        assert found[0][:2] == ("misc", "truegain")
        assert [key for _, key, _ in found[1:]] == list(papers_of(name) or ())


def test_every_paper_is_bibtex() -> None:
    """Guards each entry: it has what its kind needs, keys are unique, years and authors are in their form."""
    found = list(entries("\n".join(p.bibtex for p in PAPERS.values())))
    assert len({key for _, key, _ in found}) == len(found) == len(PAPERS)
    for kind, key, values in found:
        assert values.keys() >= REQUIRED[kind], key
        assert re.fullmatch(r"(1[789]|20)\d\d", values["year"])
        assert key.rstrip("ab").endswith(values["year"]), key
        assert "," not in values["author"], key  # names of several are joined by `and`
        assert not set('"%#_~^\\') & set(values["title"]), key
        assert re.fullmatch(r"10\.\d{4,}/\S+", values.get("doi", "10.1000/1")), key
        assert "-" not in values.get("pages", "").replace("--", ""), key


def test_truegain_itself(run: Run) -> None:
    """Guards the reference of the program: its version and year are those of this release."""
    ((kind, key, values),) = entries(run("cite")[1])
    assert (kind, key) == ("misc", "truegain")
    assert values["note"] == f"version {__version__}"
    assert values["year"] == __date__[:4]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("vedict", "did you mean verdict?"),
        ("plan topcs", "did you mean plan topics?"),
        ("plan nothing", "plan topics, plan labels, plan fill, plan assessors, plan preferences"),
    ],
)
def test_what_is_no_command_is_told(run: Run, words: str, said: str) -> None:
    """Guards mistakes in typing: exit code 2, the near name, and nothing on standard output."""
    code, out, err = run("cite", *words.split())
    assert (code, out) == (2, "")
    assert f"{words} is not a command of truegain" in err
    assert said in " ".join(err.split())


def test_measures_bring_their_papers(run: Run) -> None:
    """Guards -m: the papers of measures come behind those of the command, once each; as text, a line each."""
    keys = [key for _, key, _ in entries(run("cite", "unjudged", "-m", "RBP", "-m", "nDCG@10")[1])]
    assert keys == ["truegain", *PAPERS_OF["unjudged"], "jarvelin2002"]
    lines = run("cite", "eval", "-m", "ERR@5", "--format", "text")[1].splitlines()
    assert lines[0].startswith("The truegain developers (")
    assert lines[-1].startswith("O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan (2009). Expected Reciprocal Rank")
    assert len(lines) == 2 + len(PAPERS_OF["eval"])
    assert {key for cited in CITED.values() for key, _ in cited} | {EXPONENTIAL[0]} <= set(PAPERS)


def cited_in(name: str) -> list[str]:
    """The references in the docstring of a public name."""
    body = sections(text_of(getattr(tg, name))).get("References", "")
    return [" ".join(one.split()) for one in re.split(r"^\.\. \[\d+\] ", body, flags=re.MULTILINE)[1:]]


def key_of(reference: str) -> str | None:
    """The paper that a reference of a docstring is, by its title and year."""
    title = re.search(r'"(.*?)"', reference)
    for paper in PAPERS.values():
        begins = title and paper.title.lower().startswith(title[1].lower())
        if begins and str(paper.year) in reference:
            return paper.key
    return None


def test_docstrings_cite_what_the_command_cites() -> None:
    """Guards one place of references: each paper that a docstring names is one of `cite`'s for that command."""
    assert {name.partition(" ")[0] for name in IN_PYTHON} <= set(COMMANDS)
    for command, names in IN_PYTHON.items():
        for name in names:
            found = {reference: key_of(reference) for reference in cited_in(name)}
            assert found, name
            assert set(found.values()) <= set(PAPERS_OF[command]), (command, found)


def test_several_commands_cite_each_paper_once(run: Run) -> None:
    """Guards a paper that used several commands: one list, no reference twice, commands of two words among them."""
    code, out, _ = run("cite", "gate", "compare", "plan", "topics")
    assert code == 0
    keys = [key for _, key, _ in entries(out)]
    alone = [
        key for words in (("gate",), ("compare",), ("plan", "topics")) for _, key, _ in entries(run("cite", *words)[1])
    ]
    assert (sorted(keys), len(keys)) == (sorted(set(alone)), len(set(alone)))
    assert len(alone) > len(keys), "some paper is of several commands"
    code, _, err = run("cite", "gate", "comprae")
    assert (code, "comprae is not a command of truegain; did you mean compare?" in err) == (2, True)
