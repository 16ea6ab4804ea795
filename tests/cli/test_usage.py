"""Mistakes in the words of a command are told in one shape, with what was meant, and end with exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_verdict import folder  # noqa: F401

STUDY = ("judgments.qrels", "runs")
MISTAKES = {
    ("verdict", *STUDY, "--ties", "up"): "--ties: 'up' is not one of descending, ascending, input",
    ("verdict", *STUDY, "--ties", "Ascendin"): (
        "--ties: 'Ascendin' is not one of descending, ascending, input; did you mean ascending?"
    ),
    ("compare", *STUDY, "--population", "x"): "--population: 'x' is not one of topics, collection",
    ("verdict",): "JUDGMENTS is missing; give this argument: `truegain verdict -h` says what it is",
    ("plan", "topics", *STUDY): "--min-effect is missing; give this option: `truegain plan topics -h` says what it is",
    ("verdict", *STUDY, "--tis", "up"): "--tis: `truegain verdict` has no such option; did you mean --ties?",
    ("verdict", *STUDY, "--judge", "m"): "--judge: `truegain verdict` has no such option; did you mean --judge-model?",
    ("verdict", *STUDY, "-z"): ("-z: `truegain verdict` has no such option; see `truegain verdict -h` for its options"),
    ("verdict", *STUDY, "--seed", "x"): "--seed: 'x' is not a whole number; give a whole number in digits",
    ("verdict", *STUDY, "--seed="): "--seed: '' is not a whole number; give a whole number in digits",
    ("verdict", *STUDY, "--confidence", "a"): "--confidence: 'a' is not a number; give a number in digits",
    ("experiment", "split-half", *STUDY, "--repeat", "0"): "--repeat 0: give a number of at least 1",
    ("verdict", *STUDY, "--seed"): "--seed has no value; write a value behind the option",
    ("verdict", "--help=3"): "--help takes no value; leave the value out",
    ("verdct",): "verdct: `truegain` has no such command; did you mean verdict?",
    ("experiment", "foo"): (
        "foo: `truegain experiment` has no such command; see `truegain experiment -h` for its commands"
    ),
    ("demo", "a", "b c"): (
        "b c: `truegain demo` takes no more arguments; leave this out, or put quotes around words with spaces"
    ),
}


@pytest.mark.parametrize("words", MISTAKES, ids=" ".join)
def test_mistakes_have_one_shape(run: Run, folder: Path, words: tuple[str, ...]) -> None:  # noqa: F811
    """Guards what the parser of typer words itself: no usage, one line that begins with what is wrong."""
    assert run(*words) == (2, "", f"error: {MISTAKES[words]}\n")


def test_a_command_alone_shows_its_help(run: Run) -> None:
    """Guards the page of a group without a word behind it, which is no error in words."""
    code, out, err = run("experiment")
    assert (code, err.strip()) == (2, "")
    assert "Usage: truegain experiment" in out
