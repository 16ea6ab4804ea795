"""Runs whose ids are not those of the judgments, by every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_verdict import folder, world  # noqa: F401

JUDGED = ("judgments.qrels", "runs")
CAUSE = 'after removing "#0" at the end of the run\'s ids'
COMMANDS = [
    ("eval", *JUDGED),
    ("eval", *JUDGED, "--intervals", "topics"),
    ("compare", *JUDGED, "-m", "nDCG@10"),
    ("compare", *JUDGED, "--population", "collection", "--resamples", "200"),
    ("compare", *JUDGED, "--gold", "judgments.qrels", "--design", "random", "-m", "P@10"),
    ("verdict", *JUDGED, "--pair", "weak,chunked"),
    ("gate", *JUDGED, "--baseline", "chunked", "--candidate", "good", "-m", "AP"),
    ("report", *JUDGED, "-o", "page.html"),
    ("correct", *JUDGED, "--gold", "judgments.qrels", "--design", "random", "-m", "P@10"),
    ("correlate", *JUDGED, "--between", "measures", "-m", "AP", "-m", "P@10"),
    ("judge", "check", *JUDGED, "--gold", "judgments.qrels", "--design", "random"),
    ("plan", "topics", *JUDGED, "--min-effect", "0.05"),
    ("plan", "labels", *JUDGED, "-o", "list.csv"),
    ("experiment", "discriminative", *JUDGED, "-m", "AP"),
    ("experiment", "split-half", *JUDGED),
]


def spoil(folder: Path, name: str, step: int, suffix: str) -> None:  # noqa: F811
    """Another run: that of `fair`, every so many ids with something behind it."""
    lists = world()[0]["fair"]
    lines = [
        f"{t} Q0 {d}{suffix if i % step == 0 else ''} 0 {x} s\n"
        for t, docs in lists.items() for i, (d, x) in enumerate(docs.items())
    ]  # fmt: skip
    (folder / "runs" / f"{name}.run").write_text("".join(lines))


@pytest.mark.few(4)
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words))
def test_every_command_refuses_a_run_without_a_judged_document(run: Run, folder: Path, words: tuple[str, ...]) -> None:  # noqa: F811
    """Guards against an answer that ids made: exit code 2, the system, ids of either side, the cause and the remedy."""
    spoil(folder, "chunked", 1, "#0")
    code, out, err = run(*words)
    said = err.splitlines()[-1]
    assert (code, out) == (2, "")
    assert said.startswith("error: chunked: none of the ")
    assert CAUSE in said
    assert ": it has " in said
    assert said.endswith('(remove "#0" in the run)')


def test_init_tells_what_is_wrong(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the first command that many run: nothing can be told, and why; or that ids are in doubt."""
    spoil(folder, "chunked", 1, "#0")
    code, out, err = run("init", *JUDGED, "-o", "one.toml")
    assert (code, (folder / "one.toml").exists()) == (2, False)
    assert "error: these files support no study, so none was written: fix the problems above" in err
    assert CAUSE in out
    spoil(folder, "chunked", 2, "#0")
    _, out, _ = run("init", *JUDGED, "-o", "two.toml")
    assert "  but  of the " in out
    assert CAUSE in out


def test_holes_refuses_only_where_nothing_matches(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the command for unjudged documents: told beside other systems, refused alone."""
    spoil(folder, "chunked", 1, "#0")
    code, out, err = run("unjudged", *JUDGED)
    assert code == 0
    assert "chunked" in out
    assert CAUSE in err
    code, _, err = run("unjudged", "judgments.qrels", "runs/chunked.run")
    assert code == 2
    assert CAUSE in err


@pytest.mark.few(2)
@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
@pytest.mark.parametrize(("baseline", "candidate"), [("half", "good"), ("weak", "half")])
def test_a_gate_never_passes_ids_in_doubt(
    run: Run, folder: Path, measure: str, baseline: str, candidate: str  # noqa: F811
) -> None:  # fmt: skip
    """Guards CI: half of the ids with .0 is no pass and no failure, and both formats say why."""
    spoil(folder, "half", 2, ".0")
    words = ("gate", *JUDGED, "--baseline", baseline, "--candidate", candidate, "-m", measure)
    code, out, err = run(*words)
    assert code == 3
    assert "warning: of the " in err
    assert "ids in doubt: of the " in out.partition("<details>")[0]
    assert '".0" at the end of the run' in out
    code, out, _ = run(*words, "--format", "json")
    told = json.loads(out)
    assert (code, told["exit_code"], told["answers"]) == (3, 3, ["inconclusive"])
    assert "ids in doubt" in told["verdicts"][0]["withheld"][0]


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_notes_carry_the_doubts(run: Run, folder: Path, command: str) -> None:  # noqa: F811
    """Guards what is kept of a command beside stderr: ids, unjudged documents and a model's labels, in every format."""
    spoil(folder, "half", 2, ".0")
    spoil(folder, "new", 3, "x")
    lines = (folder / "runs" / "new.run").read_text().splitlines()  # ids that no simple change makes match
    (folder / "runs" / "new.run").write_text("".join(f"{x.replace('x ', f'{i}z ')}\n" for i, x in enumerate(lines)))
    words = (command, *JUDGED, "-m", "P@10", "--judge-model", "gpt-4o-mini")
    notes = [
        "by gpt-4o-mini's labels, which no person has checked",
        "of the 240 documents in the first 10 ranks of half ",
        "unjudged documents count as not relevant, and systems differ in how many they have in their first 10 ranks: ",
    ]
    for more in ((), ("--format", "markdown"), ("--format", "json"), ("--wide", "--format", "json")):
        code, out, err = run(*words, *more)
        assert code == 0
        assert [note in out for note in notes] == [True] * 3, (more, out)
        assert "truegain verdict` and `truegain gate` say what holds" in out.replace("\\", "")
        assert err.startswith("warning: of the 240 documents")
    told = json.loads(run(*words, "--format", "json")[1])["notes"]
    assert [note[: len(start)] for note, start in zip(told, notes, strict=False)] == notes
    assert "no person has checked" not in run(*words[:-2])[1]


def test_gold_labels_check_the_model(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards --judge-model beside --gold: it has no place there; over collections and with intervals it is told."""
    gold = ("--gold", "pairs.qrels", "--design", "random", "-m", "P@10")
    code, _, err = run("compare", "llm.qrels", "runs", *gold, "--judge-model", "m1")
    assert (code, err) == (2, "error: --judge-model: gold labels check the judge; leave it out (with --gold)\n")
    spoil(folder, "half", 2, ".0")
    assert "in the first 10 ranks of half" in run("compare", "llm.qrels", "runs", *gold)[1]
    for words in (
        ("compare", "llm.qrels", "runs", "--population", "collection", "--resamples", "200"),
        (
            "compare",
            "llm.qrels",
            "runs/weak.run",
            "runs/good.run",
            "-q",
            "--population",
            "collection",
            "--resamples",
            "200",
        ),
        ("eval", "llm.qrels", "runs", "--intervals", "topics"),
    ):
        code, out, _ = run(*words, "-m", "P@10", "--judge-model", "m1")
        assert code == 0
        assert "\nby m1's labels, which no person has checked\n" in out


@pytest.mark.slow
def test_a_report_shows_ids_in_doubt(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards data health: the check is there, and the claim is not told."""
    spoil(folder, "half", 2, ".0")
    code, _, err = run("report", *JUDGED, "--baseline", "half", "-m", "P@10", "-o", "page.html")
    page = (folder / "page.html").read_text()
    assert code == 0
    assert "warning: of the " in err
    assert "Document ids" in page
    assert "ids in doubt" in page


def test_topics_that_are_missing_count_0_with_complete(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the words of `eval -c`: what is missing counts 0 then, and is not left out."""
    runs, _ = world()
    tg.write_runs({"part": dict(list(runs["good"].items())[3:])}, folder)
    words = ("eval", "judgments.qrels", str(folder / "part.run"), "-m", "P@10")
    left, counted = run(*words), run(*words, "-c")
    assert "they are left out of the mean unless all topics must count (--all-topics)" in left[2]
    assert "they count 0, as all topics must count (--all-topics)" in counted[2]
    assert "left out" not in counted[2]
    assert float(counted[1].split()[-1]) < float(left[1].split()[-1])
