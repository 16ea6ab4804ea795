"""Completion in bash, zsh and fish: commands, options, and the words behind them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from truegain.cli.commands import measures
from truegain.measures.catalogue import CATALOGUE


def completed(run: Run, monkeypatch: pytest.MonkeyPatch, shell: str, line: str) -> list[str]:
    """The words that a shell is offered for a line, whose last word is begun."""
    words = line.split(" ")
    told = {"bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}}
    other = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    for name, value in {"_TRUEGAIN_COMPLETE": f"complete_{shell}", **told.get(shell, other)}.items():
        monkeypatch.setenv(name, value)
    code, out, err = run()
    assert (code, err) == (0, "")
    if shell == "zsh":
        return re.findall(r'^(?:_arguments \'\*: :\(\()?"([^"]*)"', out, re.MULTILINE)
    return [row.split("\t")[0] for row in out.splitlines() if row]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("truegain co", ["correct", "compare", "correlate"]),
        ("truegain plan la", ["labels"]),
        ("truegain compare q r --te", ["--test", "--teams"]),
        ("truegain compare q r --test pa", ["paired-t"]),
        ("truegain compare q r --adjust ho", ["holm", "hochberg", "holm-sidak"]),
        ("truegain eval q r -m nDC", ["nDCG", "nDCGrel"]),
        ("truegain eval q r -m P@10 --measure ndcg_cut_1", [f"ndcg_cut_{k}" for k in (1, 10, 100, 1000)]),
        ("truegain eval q r --aggregate super", ["supermajority"]),
        ("truegain eval q r --intervals topics,co", ["topics,collection"]),
        ("truegain eval q r --method stu", ["studentized"]),
        ("truegain eval q r --method boo", ["bootstrap"]),
        ("truegain eval q r --method par", ["parametric"]),
        ("truegain aggregate q --drop-assessors f", ["flagged"]),
        ("truegain measures nDC", ["nDCG", "nDCGrel"]),
        ("truegain judge check q --gold g --design by", ["by-bronze", "by-gold"]),
        ("truegain eval q r --format la", ["latex"]),
        ("truegain verdict q r --population ass", ["assessors"]),
        ("truegain eval qre", []),  # a file: the shell's own
    ],
)
def test_words_are_offered(
    run: Run, monkeypatch: pytest.MonkeyPatch, shell: str, line: str, offered: list[str]
) -> None:
    """Guards each shell's way to ask and to be told: all words that fit, and no others."""
    assert completed(run, monkeypatch, shell, line) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(run: Run, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    """Guards what is put into a shell's settings: it asks `truegain`, by the variable that is listened to."""
    monkeypatch.setenv("_TRUEGAIN_COMPLETE", f"source_{shell}")
    code, out, _ = run()
    assert (code, f"_TRUEGAIN_COMPLETE=complete_{shell}" in out) == (0, True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_may_be_named(run: Run, shell: str) -> None:
    """Guards --show-completion zsh from another shell: its script, and no shell that is none."""
    code, out, err = run("--show-completion", shell)
    assert (code, err, "_TRUEGAIN_COMPLETE" in out, f"complete_{shell}" in out) == (0, "", True, True)
    code, _, err = run("--show-completion", "tcsh")
    assert (code, "--show-completion tcsh: no completion for this shell" in err) == (2, True)


def test_every_measure_is_offered() -> None:
    """Guards measures to come: what the catalogue has, is completed; cutoffs only where a measure has one."""
    assert set(CATALOGUE) <= set(measures(""))
    assert measures("AP@5") == ["AP@5", "AP@50"]
    assert (measures("Bpref@"), measures("nothing@1")) == ([], [])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_in_bash_itself(tmp_path: Path) -> None:
    """Guards the whole way: the script that bash is given, run by bash, fills in its reply."""
    called = tmp_path / "truegain"
    called.write_text(f'#!/bin/sh\nexec {sys.executable} -c "import sys; sys.argv[0] = \'truegain\'; '
                      'from truegain.cli.app import main; main()" "$@"\n')  # fmt: skip
    called.chmod(0o755)
    asks = (
        f'PATH={tmp_path}:$PATH; eval "$(_TRUEGAIN_COMPLETE=source_bash truegain)"; '
        "COMP_WORDS=(truegain compare q r --test wil); COMP_CWORD=5; _truegain_completion truegain; "
        'echo "${COMPREPLY[*]}"'
    )
    done = subprocess.run(["bash", "-c", asks], capture_output=True, text=True, check=True)
    assert done.stdout == "wilcoxon\n", done.stderr
