"""The generated reference: whole, true of the code, and written only when something changed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from tools.reference import FOLDERS, PAGES, api, commands, errors, measures, messages, study_file, write_reference

import truegain as tg
from truegain.cli.app import main
from truegain.experiments import simulate
from truegain.measures.catalogue import CATALOGUE

DOCS = Path(__file__).parents[1] / "docs"


def test_pages_are_written_once(tmp_path: Path) -> None:
    """Guards the build: a second run changes no file, a page of nothing goes, and git ignores all of them."""
    folder = tmp_path / "docs" / "reference"
    (folder / "commands").mkdir(parents=True)
    (folder / "commands" / "gone.md").write_text("of a command that was renamed")
    first = write_reference(folder)
    assert {path.relative_to(folder).parts[0] for path in first} == {*FOLDERS, *PAGES}
    assert not (folder / "commands" / "gone.md").exists()
    assert write_reference(folder) == []
    ignored = (DOCS.parent / ".gitignore").read_text().split()
    assert {f"docs/reference/{name}/" for name in FOLDERS} | {f"docs/reference/{name}" for name in PAGES} <= {*ignored}


def test_messages_can_be_searched() -> None:
    """Guards the index of the search: every message is in it, and its place is on its page."""
    made = json.loads(messages.script().partition("const MESSAGES = ")[2].rstrip(";\n"))
    assert len(made) == sum(map(len, errors.listed().values()))
    pages = errors.pages()
    lost = [row[:2] for row in made if f'<a id="{row[1]}"></a>' not in pages[f"{row[0].removeprefix('reference/')}.md"]]
    assert lost == []
    assert len({(page, place) for page, place, *_ in made}) == len(made)
    assert "two labels (... and ...) for topic ..., document ..." in {problem for _, _, problem, *_ in made}


PASTED = {  # what a terminal shows: what the search of the site must find first, by what it says to do
    "error: j.qrels:1: label is not a number: 'q1 0 d2 x' (field 4 must be a number)": "field ... must be a number",
    "error: ok.run:1: score is NaN: 'q1 Q0 d1 1 nan t' (field 5 must be a number that can be ordered)": "field ...",
    "error: cr.qrels:1: carriage return inside a line: 'q1 0 d1 1' (end lines with a newline)": "end lines with",
    "error: b.csv:2: 2 fields where the header has 3: 'q1,d1' (give every row all fields, and quote fields that "
    "contain a separator)": "give every row all fields",
    "error: l.jsonl:1: topic is a dict: \"{'id': 1}\" (name the field, as in --columns topic=q.id)": "na",
    "error: http://[::1]:9/x: cannot connect to the server (check the address and the network)": "check the address",
    "error: evl: `truegain` has no such command; did you mean eval?": "see `",
    "error: --min-effect is missing; give this option: `truegain plan topics -h` says what it is": "give this option",
    "error: --seed: 'x' is not a whole number; give a whole number in digits": "give a",
    "how to compare two systems": "",  # no message
}


def test_the_search_finds_a_pasted_error(tmp_path: Path) -> None:
    """Guards the script of the search: a message that is pasted is found with its remedy, and words alone find none."""
    node = shutil.which("node") or pytest.skip("no node here")
    frame = """const Search = {_performSearch: () => []}, document = {addEventListener: (_, f) => f()};"""
    ask = f"console.log(JSON.stringify({json.dumps([*PASTED])}.map((q) => (Search._performSearch(q).at(-1) || [])[3])))"
    script = (DOCS / "_static" / "search-messages.js").read_text()
    (tmp_path / "search.js").write_text("\n".join([messages.script(), frame, script, ask]))
    done = subprocess.run([node, tmp_path / "search.js"], capture_output=True, text=True, check=True)
    found = dict(zip(PASTED, json.loads(done.stdout), strict=True))
    assert {q: told for q, told in found.items() if not (told or "").startswith(PASTED[q])} == {}
    assert found["how to compare two systems"] is None


def test_commands_are_whole() -> None:
    """Guards the pages of commands: each has one, is listed, shows every option with its help, and leads on."""
    made = commands.pages(DOCS)
    known = {name: page for name, page in commands.all_pages().items() if name}
    assert {f"commands/{commands.file_of(name)}" for name in known} | {"commands/index.md"} == set(made)
    for name, (_, _, panels) in known.items():
        text = made[f"commands/{commands.file_of(name)}"]
        assert f"[`truegain {name}`]({commands.file_of(name)})" in made["commands/index.md"], name
        for row in (row for title, rows in panels.items() if title not in ("Commands", "Examples") for row in rows):
            option = max(row[1].split(), key=len)
            assert option == "--help" or re.search(
                rf"^```{{option}} .*{re.escape(option.strip('[]'))}", text, re.MULTILINE
            )
        assert "## See also" in text, name
    assert "| 3 | Not enough evidence. |" in made["commands/gate.md"]
    assert "Number, between 0 and 1; default: `0.95`." in made["commands/verdict.md"]
    assert "schemas/plan-topics.json" in made["commands/plan-topics.md"]


def test_exit_codes_are_those_of_the_commands() -> None:
    """Guards the table for scripts: a command whose help says what a code means stands in the row of that code."""
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", (DOCS / "reference" / "json.md").read_text(), re.MULTILINE))
    said = {name: commands.lead(page)[2] for name, page in commands.all_pages().items()}
    own = {
        (code, name)
        for name, codes in said.items()
        for code, text in codes.items()
        if text not in ("Bad input.", "Done.")
    }
    assert {("3", "settle"), ("3", "judge run"), ("1", "gate"), ("2", "doctor")} <= own
    assert {(code, name) for code, name in own if f"`{name}`" not in rows[code]} == set()


def test_names_are_grouped_once() -> None:
    """Guards the page of the API: public names stand in one group each, and classes that are returned have pages."""
    grouped = [name for _, names in api.GROUPS.values() for name in names]
    assert sorted(grouped) == api.public_names()
    returned = {kind.__name__ for kind in api.result_classes()}
    assert {"Verdict", "Comparisons", "Estimate", "Plan", "Ranking", "Table", "SettleResult", "Result"} <= returned
    assert not returned & {*grouped}
    summaries = [api.summary(getattr(tg, name)) for name in grouped]
    assert all(text.endswith(".") for text in summaries)


def test_measures_are_whole() -> None:
    """Guards the page of measures: all of the catalogue, with other names and whether they are linear."""
    text = measures.page()
    heads = re.findall(r"^### (.*)$", text, re.MULTILINE)
    assert {name.replace("_", r"\_") for name in CATALOGUE} <= {*heads}
    assert r"V\_strict" in heads
    of_precision = text.partition("### P\n")[2].partition("###")[0]
    assert "- also called: `Precision`, `precision`, `P_k`" in of_precision
    assert "- linear in gain: yes" in of_precision
    assert "- linear in gain: no" in text.partition("### nDCG\n")[2].partition("###")[0]


def test_a_study_file_is_told_whole() -> None:
    """Guards the page of study files: every key that one may have is there, with its type."""
    assert study_file.keys() == study_file.known_keys()
    text = study_file.page()
    told = re.findall(r"^```{confval} (\S+)\n:type: (.*)$", text, re.MULTILINE)
    assert {"judgments", "gold.design", "scoring.relevant_from", "resampling.n", "unjudged.labels"} <= {
        name for name, _ in told
    }
    assert dict(told)["min_effect"] == "number, at least 0"


def test_the_example_of_a_study_file_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards the example: it is valid, gives a verdict on the command line, and the same in Python."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["truegain", "demo", "demo"])
    main()
    (tmp_path / "study.toml").write_text(study_file.EXAMPLE)
    assert tomllib.loads(study_file.EXAMPLE)["gold"]["design"] == "random"
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", ["truegain", "verdict", "study.toml"])
    main()
    study = tg.read_study("study.toml")
    assert study.claims == (("system-5", "system-8"),)
    printed = capsys.readouterr().out
    for measure in study.measures:
        assert study.verdict("system-5", "system-8", measure).sentence in printed


def test_errors_are_told_as_they_are_raised() -> None:
    """Guards the pages of errors: what users see stands there, in its words, with what to do."""
    every = {
        errors.shown(problem): errors.shown(remedy) for of in errors.listed().values() for problem, remedy in of.items()
    }
    assert len(every) > 1000
    world = simulate(topics=4, systems=2, seed=1)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: tg.evaluate(world.runs, world.gold, "nDCG@0"), "the cutoff must be a whole number of at least 1"),
        (lambda: tg.StudyConfig(min_effect=-1), "give the smallest difference that matters, a number of at least 0"),
    ]
    text = " ".join(f"{problem} {remedy}" for problem, remedy in every.items()).lower()
    for call, words in cases:
        with pytest.raises(tg.TruegainError) as caught:
            call()
        assert words in str(caught.value)
        assert words in text
    told = [problem for problem in every if problem.startswith("--min-effect *min effect*")]
    assert told, "options are named as on the command line, values in italics"


def test_errors_say_what_to_do() -> None:
    """Guards remedies: every error that the code raises or makes tells what to do, or what there is."""
    without = [
        f"{r.module}:{r.line}: {errors.shown(r.problem)}"
        for r in errors.refusals()
        if not (r.has_remedy or r.passes_on)
    ]
    assert not without, "\n".join(without)


def test_a_new_error_without_a_remedy_is_noticed(tmp_path: Path) -> None:
    """Guards the check itself: an error that is raised, returned or made for a row is found, with its remedy if any."""
    path = tmp_path / "made.py"
    lines = (
        "def a(x):", "    raise TruegainError('this value is far too large here')",
        "def b(x):", "    return InputError('this value is far too small here', file=x, hint='give a larger one')",
        "def c(columns):", "    raise columns._fault('label is not a number', 1, 'x', 'give a number for each word')",
        "def d(hint):", "    raise InputError('this line is no line of ours', hint=hint)",
        "def e():", "    d('write it anew')",
    )  # fmt: skip
    path.write_text("\n".join(lines))
    found = list(errors._in_module("truegain.cli.init", path))  # where both names are known
    assert [(r.line, r.has_remedy) for r in found] == [(2, False), (4, True), (6, True), (8, True)]
    assert [r.remedy for r in found][1:] == ["give a larger one", "give a number for each word", "write it anew"]


def test_every_case_of_an_error_is_listed(tmp_path: Path) -> None:
    """Guards all that a statement can say: texts by a condition, of a dict or of a function, each with its remedy."""
    path = tmp_path / "made.py"
    lines = (
        "def a(x):", "    who = 'one person' if x else 'many people'",
        "    raise TruegainError(f'{who} came; go home')",
        "def b(x):", "    problem, hint = {1: ('far too large', 'cut it'), 2: ('far too small', 'add to it')}[x]",
        "    raise InputError(problem, hint=hint)",
        "def c(x):", "    if x:", "        return 'no such thing', 'look again'",
        "    return 'nothing at all', 'try it'",
        "def d(x):", "    problem, hint = c(x)", "    raise InputError(problem, hint=hint)",
        "def e(x):", "    if x:", "        hint = 'go on'", "        raise InputError('first', hint=hint)",
        "    hint = 'stop'", "    raise InputError('second', hint=hint)",
        "def f(x):", "    raise InputError(f'{x} line{\"s\" if x > 1 else \"\"}', hint=f(x) or 'end it')",
    )  # fmt: skip
    path.write_text("\n".join(lines))
    made = sorted(errors._in_module("truegain.cli.init", path), key=lambda r: r.line)
    assert [(errors.shown(r.problem), r.remedy) for r in made] == [
        ("one person came; go home", ""),
        ("many people came; go home", ""),
        ("far too large", "cut it"),
        ("far too small", "add to it"),
        ("no such thing", "look again"),
        ("nothing at all", "try it"),
        ("first", "go on"),
        ("second", "stop"),
        ("*x* lines", "end it"),
    ]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("files", "the table has no header that names 'topic' and 'doc'"),
        ("files", "; or give a number for each word"),
        ("files", "Write one JSON object per line"),
        (
            "files",
            "a run line needs *fewest* fields, this one has *n*: *text* : Write 'topic Q0 document rank score tag'.",
        ),
        ("data", "several assessors labeled topic *value*, document *value*: these are ratings"),
        ("files", "the server answered *status* : Try again later, or check the address."),
        ("options", "*name* is missing : Give this option"),
    ],
)
def test_errors_that_functions_make_are_listed(page: str, words: str) -> None:
    """Guards readers' refusals, which another function raises."""
    assert words in " ".join(errors.pages()[f"errors/{page}.md"].split())


def test_no_remedy_is_the_name_of_a_variable() -> None:
    """Guards pages of errors: where only the case knows what to do, no placeholder stands for it alone."""
    alone = [
        line for text in errors.pages().values() for line in text.splitlines() if re.fullmatch(r": \*[^*]*\*\.", line)
    ]
    assert alone == []


@pytest.mark.parametrize("module", sorted(errors.SUBJECTS))
def test_subjects_have_errors(module: str) -> None:
    """Guards the pages: none is empty, and each names its subject."""
    assert len(errors.listed()[module]) >= 5
    assert errors.pages()[f"errors/{module}.md"].startswith("% Written by tools/reference")
