"""Errors of the library in the words of the command line."""

from __future__ import annotations

import pytest

from truegain.cli.commands import build
from truegain.cli.naming import in_options, option_names
from truegain.cli.streams import speak_of

OPTIONS = {
    n: f"--{n.replace('_', '-')}" for n in ("generalise_to", "rule", "repeated", "gold", "topics", "uses", "name_by")
}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("name 'topics' in generalise_to, or give gold=", "name 'topics' in --generalise-to, or give --gold"),
        ("topics='fixed', and nothing else", "--topics fixed, and nothing else"),
        ("ratings (repeated='all') and rule='mean'.", "ratings (--repeated all) and --rule mean."),
        ("name these with uses={'system': 'model'}", "name these with --uses system=model"),
        ("rule 'best' is not known", "--rule best is not known"),
        ("gold 1.2 is not between 0 and 1", "--gold 1.2 is not between 0 and 1"),
        (
            "say which counts (repeated='first' of tg.read_ratings; or last)",
            "say which counts (--repeated first; or last)",
        ),
        ("have them made with tg.to_gains", "have them made with `truegain gains`"),
    ],
)
def test_arguments_become_options(said: str, told: str) -> None:
    """Guards what a user reads: no word that only Python knows."""
    assert in_options(said, OPTIONS) == told


@pytest.mark.parametrize(
    "said",
    [
        "topics 3 and 4 of gold have one rule",  # plain words
        "generalise_to.csv:3: score is missing",  # files
        "runs/name_by: no such file",
        "gold:7: bad line",
        "no document 'name_by' in gold_2.qrels",  # data
        "write nERR(max_rel='topic',rule='gain')",  # parameters of measures
        "give topic=..., gold=..., rating=...",  # prices
        "trec_eval 9 sees ties",
    ],
)
def test_other_words_stay(said: str) -> None:
    """Guards file names, data, measures and programs that are spelt like arguments."""
    assert in_options(said, OPTIONS) == said


def test_only_options_of_the_command_are_named() -> None:
    """Guards the table of names: long forms, no arguments without dashes, no program's name."""
    from typer.main import get_command

    (command,) = get_command(build("compare")).commands.values()  # type: ignore[attr-defined]
    names = option_names(command.params)
    assert names["gold_sample"] == "--gold-sample"
    assert names["measure"] == "--measure"
    assert not {"judgments", "runs", "trec_eval"} & set(names)
    speak_of({})
