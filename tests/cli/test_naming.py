"""Errors of the library in the words of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from truegain.cli.commands import build
from truegain.cli.streams import option_names
from truegain.errors import InputError, TruegainError
from truegain.message import argname

TOPICS = range(1, 13)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs, judgments and columns that have the names of arguments."""
    for name, docs in {"gold_relevant_from": "abc", "rule": "bca", "unjudged_sample": "cab"}.items():
        lines = [
            f"{t} Q0 {d} {i} {-i} {name}\n" for t in TOPICS for i, d in enumerate(docs, 1) if t > 2 or name[0] > "g"
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "q.qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b {t % 2}\n{t} 0 c 0\n" for t in TOPICS))
    (tmp_path / "r.csv").write_text("topic,doc,ann,rule='mean'\n1,a,1,2\n1,gold_relevant_from=,2,population\n")
    return tmp_path


RUNS = ("gold_relevant_from.run", "rule.run", "unjudged_sample.run")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("verdict", "q.qrels", *RUNS, "-m", "P@1", "--pair", "gold_relevant_from,x"),
            "error: --pair x is not a system here; there are gold_relevant_from, rule, unjudged_sample\n",
        ),
        (
            ("verdict", "q.qrels", *RUNS, "-m", "P@1", *["--baseline", "rule", "--candidate", "rule"]),
            "error: rule is compared with itself; name another --baseline or --candidate\n",
        ),
        (
            ("verdict", "q.qrels", *RUNS, "-m", "P@1", "--pair", "rule='mean',gold_relevant_from"),
            "'mean'",
        ),
        (("compare", "q.qrels", *RUNS, "-m", "P@1", "--baseline", "gold_sample"), "gold_sample"),
        (
            ("aggregate", "r.csv", "--aggregate", "mean"),
            "r.csv: 2 columns are taken as assessors: ann, rule='mean' (choose",
        ),
        (
            ("aggregate", "r.csv", "--aggregate", "mean"),
            "rating in column 'rule='mean'' is not a number: 'population' ",
        ),
        (("eval", "q.qrels", "no_relevant.run"), "error: no_relevant.run: no such file"),
    ],
)
def test_names_of_users_stay_as_they_are(run: Run, words: tuple[str, ...], said: str) -> None:
    """Guards runs, columns, ids and files that are spelt like arguments: none becomes an option."""
    code, _, err = run(*words)
    assert code == 2
    assert said in err
    for name in ("--gold-relevant-from", "--unjudged-sample", "--no-relevant", "--gold-sample", "--aggregate mean"):
        assert name not in err


def test_warnings_name_users_runs_as_they_are(run: Run) -> None:
    """Guards a warning with a run's name before the end of a sentence, where an argument could stand."""
    _, _, err = run("verdict", "q.qrels", *RUNS, "-m", "P@1", "--pair", "rule,unjudged_sample")
    assert "; gold_relevant_from lacks 2" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--confidence", "95"), "error: --confidence 95 is not between 0 and 1"),
        (("--population", "fixed"), "error: With --population fixed, nothing here is uncertain"),
        (
            ("--gold-relevant-from", "1"),
            "error: --gold-relevant-from says which gold labels are relevant; give them with --gold\n",
        ),
        (
            ("--system-models", "rule=m"),
            "error: --system-models says which models systems use; say with --judge-model which",
        ),
        (("--population", "people"), "error: --population: 'people' is not known"),
        (("--population", "topics,assessors"), "with a column 'assessor' and a rule, such as --aggregate mean"),
        (("--predicted",), "(`truegain unjudged --show sample --fill predicted -o sample.csv`)"),
    ],
)
def test_arguments_become_options(run: Run, words: tuple[str, ...], said: str) -> None:
    """Guards what a user reads: no word that only Python knows."""
    code, _, err = run("verdict", "q.qrels", *RUNS, "-m", "P@1", *words)
    assert (code, said in err) == (2, True), err


def test_a_command_names_no_option_that_it_lacks(run: Run) -> None:
    """Guards advice that the command cannot take: it is left out, or stays in Python's words."""
    assert run("eval", "q.qrels", *RUNS, "-m", "P@1")[2].count("unless all topics must count (--all-topics)") == 1
    _, _, err = run("correct", "q.qrels", *RUNS, "-m", "P@1", "--gold", "q.qrels", "--design", "random")
    assert "--all-topics" not in err


def test_only_options_of_the_command_are_named() -> None:
    """Guards the table of names: long forms, no arguments without dashes."""
    from typer.main import get_command

    (command,) = get_command(build("compare")).commands.values()  # type: ignore[attr-defined]
    names = option_names(command.params)
    assert names["gold_sample"] == "--gold-sample"
    assert names["measure"] == "--measure"
    assert not {"judgments", "runs"} & set(names)


def test_a_remedy_is_printed_with_its_error(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Guards what to do: the command line prints it behind what is wrong, in its own words, and only once."""

    def fail(*_: object, **__: object) -> None:
        raise TruegainError("nothing is known", remedy=f"give another {argname('measure')}")

    monkeypatch.setattr("truegain.cli.cite._of_command", fail)
    code, _, err = run("cite", "verdict")
    assert (code, err) == (2, "error: nothing is known; give another --measure\n")
    assert str(InputError("no gold", file="a.csv", hint="give gold").in_full) == "a.csv: no gold (give gold)"
