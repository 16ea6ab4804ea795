"""Options: one meaning and one place each, small commands, old names told, library words kept apart."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.cli.conftest import Run
from truegain.cli.commands import PANEL_OF, PANELS, build
from truegain.cli.compare import PairsPrinting, compare_command
from truegain.cli.correct import correct_command
from truegain.cli.eval import eval_command
from truegain.cli.help import PAGES, stored_page
from truegain.cli.options import ADVANCED, changed
from truegain.config import CONFIGS, NOT_OF_STUDIES, Scoring, StudyConfig
from truegain.settings import settings_of

# these mean the same everywhere: how to print, which table, which test, how an interval is made, what is drawn anew;
# what there is to choose from differs
OF_THE_COMMAND = {
    "--format", "--show", "--test", "--method", "--normalize", "--units", "--population", "--kind",
}  # fmt: skip


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by its whole name."""
    for word, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {word}".strip())
    if not hasattr(command, "commands"):
        yield name, command


@pytest.fixture(scope="module")
def options() -> list[tuple[str, Any]]:
    """Every option of every command."""
    return [(name, p) for name, c in commands(get_command(build())) for p in c.params if p.param_type_name == "option"]


# options that few need in most commands, and that some are about
SOMEWHERE = {
    "--depth", "--expert", "--normalize", "--scale", "--corpus", "--seed", "--teams", "--keep", "--double", "--host",
    "--port", "--key-env", "--kind", "--model", "--prompt", "--url",
}  # fmt: skip


def test_an_option_is_in_one_panel_everywhere(options: list[tuple[str, Any]]) -> None:
    """Guards the help: every option stands in a panel, the same in all commands, and no panel lists what is gone."""
    listed = [name for names in PANELS.values() for name in names.split()]
    assert len(listed) == len(set(listed))
    panels: dict[str, set[str]] = defaultdict(set)
    for command, p in options:
        name = max(p.opts, key=len)
        is_all = command == "annotate init" and p.rich_help_panel == "Collecting judgments"  # which it is all about
        panels[name].add(PANEL_OF[name] if is_all else p.rich_help_panel)
    assert set(PANEL_OF) == set(panels)
    for name, found in panels.items():
        assert found <= {PANEL_OF[name], ADVANCED}, name
    assert {name for name, found in panels.items() if len(found) > 1} == SOMEWHERE


def test_what_must_be_given_is_not_advanced(options: list[tuple[str, Any]]) -> None:
    """Guards newcomers: an option without which a command does not run stands among those that most need."""
    assert [(name, p.name) for name, p in options if p.required and p.rich_help_panel == ADVANCED] == []


@pytest.mark.parametrize("config", [StudyConfig, *CONFIGS.values()])
def test_limits_that_a_config_declares_are_in_the_help(config: type[Any]) -> None:
    """Guards the one declaration: `verdict --help` shows from where to where a number may go."""
    text = Path(PAGES).read_text(encoding="utf-8")
    page = stored_page(text, "verdict")
    assert page is not None
    about = {row[1].split()[0]: row[3] for rows in page[2].values() for row in rows}
    assert not any(f"--{name.replace('_', '-')}" in about for name in NOT_OF_STUDIES), "refused: not offered"
    for s in settings_of(config):
        if s.name in NOT_OF_STUDIES:
            continue
        said = about[f"--{s.name.replace('_', '-')}"]
        assert s.least is None or f"x>={s.least}]" in said
        assert s.between is None or "{}<x<{}]".format(*s.between) in said


def test_an_option_has_one_meaning(options: list[tuple[str, Any]]) -> None:
    """Guards against a name for two things: the same words, numbers or choices are taken wherever it is."""
    kinds: dict[str, dict[tuple[object, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for command, p in options:
        kind = (
            p.type.name.split()[0],
            tuple(getattr(p.type, "choices", None) or ()),
            p.is_flag,
            *sorted(set(p.opts)),
        )
        kinds[max(p.opts, key=len)][kind].append(command)
    several = {name: dict(found) for name, found in kinds.items() if len(found) > 1}
    assert set(several) == OF_THE_COMMAND, several


@pytest.mark.parametrize("command", [eval_command, compare_command, correct_command])
def test_commands_are_small(command: Any) -> None:
    """Guards the commands with most options: these come in bundles, by what they are about."""
    assert len(inspect.signature(inspect.unwrap(command)).parameters) <= 16


def test_changed_options_go_by_the_names_of_users() -> None:
    """Guards refusals: what differs from the default is named as it was written, short forms by their long ones."""
    assert changed(Scoring(), PairsPrinting()) == {}
    given = changed(Scoring(no_relevant="skip", depth=5), PairsPrinting(output_format="csv"))
    assert given == {"depth": "--depth", "no_relevant": "--no-relevant", "output_format": "--format"}


def whole() -> list[tuple[str, Any, str]]:
    """Every option that takes whole numbers, of every command, but seeds, which may be any."""
    return [
        (name, command, max(p.opts, key=len))
        for name, command in commands(get_command(build()))
        for p in command.params
        if p.type.name in ("int", "int range") and p.name != "seed" and getattr(p.type, "max", None) is None
    ]


@pytest.mark.slow
def test_numbers_beyond_all_are_refused(run: Run, tmp_path: Path) -> None:
    """Guards every option of whole numbers: one that no array holds is refused in a sentence, never a traceback."""
    (file := tmp_path / "q.qrels").write_text("1 0 a 1\n")
    seen = set()
    for name, command, option in whole():
        if option in seen and name != "eval":  # the same words declare it
            continue
        seen.add(option)
        words = [w for p in command.params if p.required or p.name == "runs" for w in _words(p, file)]
        for number in (10**30, 2**63):
            code, _, told = run(*name.split(), *words, f"{option}={number}")
            assert code == 2
            assert f"{option} {number}: give a whole number of at most 9,223,372,036,854,775,807" in told, name
    assert {"--depth", "--jobs", "--resamples", "--first", "--at"} <= seen


def _words(p: Any, file: Path) -> list[str]:
    """Words for an argument or option that is needed."""
    one = {"float": "1", "int": "1", "int range": "1"}.get(p.type.name, str(file))
    value = str(p.type.choices[0]) if hasattr(p.type, "choices") else one
    return [value] if p.param_type_name == "argument" else [p.opts[0], value]


def test_a_cutoff_beyond_all_is_refused(run: Run, tmp_path: Path) -> None:
    """Guards measures: as options are."""
    (file := tmp_path / "q.qrels").write_text("1 0 a 1\n")
    for measure in (f"P@{10**30}", f"nDCG@{2**63}", f"RBP(p=0.5)@{10**30}", f"Judged@{10**30}"):
        code, _, told = run("eval", str(file), str(file), "-m", measure)
        assert (code, "the cutoff must be at most" in told) == (2, True)


@pytest.mark.parametrize("words", ["--score faith --score relevance", "--seed 1 --seed=2", "-o a.csv --output b.csv"])
def test_no_value_takes_the_place_of_another(run: Run, folder: Path, words: str) -> None:
    """Guards against a value that was asked for and is passed over in silence; repeatable options stay so."""
    rows = (f"{system},q{t},{t / 10},{1 - t / 10}\n" for system in "ab" for t in range(5))
    (folder / "t.csv").write_text("".join(["system,topic,faith,relevance\n", *rows]))
    code, out, err = run("eval", "t.csv", *words.split())
    name = max((word.partition("=")[0] for word in words.split() if word.startswith("-")), key=len)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {name} is given 2 times and takes one value")
    assert run("eval", "t.csv", "--score", "faith", "-q", "-q")[0] == 0
