"""Options that a config declares, as a command has them."""

from __future__ import annotations

import inspect

import pytest
import typer
from typer.testing import CliRunner

from truegain.cli.commands import arranged
from truegain.cli.options import with_options
from truegain.config import Gold, Resampling, Scoring


def run(*words: str, **bundles: type) -> str:
    """What a command prints that takes these bundles and prints what it was given."""

    def command(**given: object) -> None:
        print(*given.values(), sep="\n")

    command.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
    app = typer.Typer()
    app.command()(arranged(with_options(**bundles)(command)))
    done = CliRunner().invoke(app, words)
    return done.output if done.exception is None or isinstance(done.exception, SystemExit) else repr(done.exception)


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ((), Scoring()),
        (("-l", "2", "-c"), Scoring(relevant_from=2.0, all_topics=True)),
        (("--relevant-from", "0.5", "-M", "10", "--ties", "input"), Scoring(relevant_from=0.5, depth=10, ties="input")),
    ],
)
def test_a_config_is_made_of_its_options(words: tuple[str, ...], made: Scoring) -> None:
    """Guards the one declaration: every option reaches its field, and what is left out has its default."""
    assert run(*words, scoring=Scoring).strip() == repr(made)


def test_an_option_may_have_another_name_than_its_field() -> None:
    """Guards names: --resamples is the field n, --gold-relevant-from the field relevant_from of gold labels."""
    assert run("--resamples", "9", again=Resampling).strip() == repr(Resampling(9))
    words = ("--gold", "people.csv", "--gold-relevant-from", "2", "-l", "1")
    gold, scoring = run(*words, gold=Gold, scoring=Scoring).strip().splitlines()
    assert gold == repr(Gold("people.csv", relevant_from=2.0))
    assert scoring == repr(Scoring(relevant_from=1.0))


def test_a_config_without_what_it_requires_is_none() -> None:
    """Guards --gold left out: there are no gold labels then, and nothing is refused."""
    assert run(gold=Gold).strip() == "None"


def test_what_few_need_stands_last() -> None:
    """Guards the panels: options that few need are under Advanced, behind all others."""
    page = run("--help", scoring=Scoring)
    assert page.index("--relevant-from") < page.index("Advanced") < page.index("--judged-only")
