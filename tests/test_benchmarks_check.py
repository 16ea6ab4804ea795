"""The check of the benchmarks: what got slower, by numbers made up and by trees that loop."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from benchmarks import check
from benchmarks.racing import turns

FAKE = "tests.tiny_race:FAKE"


def clock(factor: float, noise: Iterator[float]) -> Callable[[], float]:
    """A contestant that takes a factor times what the machine makes of it."""
    return lambda: factor * next(noise)


def noisy(seed: int, spread: float) -> Iterator[float]:
    """A machine whose turns differ."""
    drawn = random.Random(seed)
    return (math.exp(drawn.gauss(0, spread)) for _ in itertools.count())


@pytest.mark.parametrize("seed", range(10))
def test_equal_versions_raise_no_alarm(seed: int) -> None:
    """Guards against noise: equal versions on a machine where single ratios often pass the limit (sd 14%)."""
    noise = noisy(seed, 0.1)
    found = check.compared("equal", clock(1, noise), clock(1, noise), clock(1, noise))
    assert not found.slower(check.LIMIT)
    assert check.verdict([found]) is None


@pytest.mark.parametrize("seed", range(10))
def test_a_slowed_version_is_named(seed: int) -> None:
    """Guards the alarm: half as slow again, in the same noise."""
    noise = noisy(seed, 0.05)
    found = check.compared("slowed", clock(1, noise), clock(1.5, noise), clock(0.5, noise))
    assert check.verdict([found]) == "slower by more than 20%: slowed"
    assert "SLOWER by" in check.told(found)


def test_more_turns_near_the_limit() -> None:
    """Guards repetition where it is needed: 1.25 is tried to the end, 1.0 and 2.0 are clear at once."""
    steady = itertools.repeat(1.0)
    one = clock(1, steady)
    assert [len(check.compared("x", one, clock(f, steady), one).old) for f in (1.0, 1.25, 2.0)] == [5, 15, 5]


def test_a_machine_that_slows_down_halfway() -> None:
    """Guards the interleaving: a machine that gets three times slower hits both sides, and is no regression."""
    times = iter([1.0] * 9 + [3.0] * 100)
    found = check.compared("drift", clock(1, times), clock(1, times), clock(1, times))
    assert found.ratio == pytest.approx(1.0)


def test_nothing_measured_fails(tmp_path: Path) -> None:
    """Guards a check that checks nothing: no workload, none that the old one can do, no history."""

    def cannot() -> float:
        raise turns.ContestantError("no such option")

    steady = itertools.repeat(1.0)
    then = check.compared("new option", cannot, clock(1, steady), clock(1, steady))
    assert "nothing was measured" in str(check.verdict([]))
    assert "nothing was measured" in str(check.verdict([then]))
    assert check.told(then) == "new option: not measured: then, or in a later turn: no such option"
    fine = check.compared("fine", clock(1, steady), clock(1, steady), clock(1, steady))
    assert check.verdict([then, fine]) is None
    now = check.compared("broken", clock(1, steady), cannot, clock(1, steady))
    assert check.verdict([now, fine]) == "cannot be run now: broken"
    with pytest.raises(SystemExit) as end:
        check.main(["--history", str(tmp_path / "history.jsonl")])
    assert "nothing was checked" in str(end.value.code)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout of a project whose one module loops; it is built by a script."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "setup.py").write_text("import pathlib; pathlib.Path('src/built.py').write_text('')\n")
    (root / ".gitignore").write_text("built.py\n__pycache__\n")
    slow(root, 1)
    (root / "src" / "built.py").write_text("")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        git(root, *words)
    return root


def slow(root: Path, times: int) -> None:
    """A module that loops so many times as long as at first."""
    work = f"import built\nfor _ in range({times} * 600_000):\n    pass\n"
    (root / "src" / "slow.py").write_text(work)


def git(root: Path, *words: str) -> str:
    """Git, as anybody."""
    who = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    return subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True).stdout


def checked(root: Path, folder: Path, commit: str) -> list[check.Compared]:
    """Old and new of the fake project, by processor time: this machine may be busy."""
    return check.checked({"fake": FAKE}, commit, folder, root=root, clock="cpu", turns=3, most=5)


@pytest.mark.slow
def test_old_and_new_trees(tree: Path, tmp_path: Path) -> None:
    """Guards the whole way: the old commit is checked out, built and run beside what is here; no worktree stays."""
    commit = git(tree, "rev-parse", "HEAD").strip()
    equal = checked(tree, tmp_path / "work", commit)
    assert check.verdict(equal, limit=1.6) is None
    slow(tree, 4)
    slowed = checked(tree, tmp_path / "work", commit)
    assert check.verdict(slowed) == "slower by more than 20%: fake"
    assert slowed[0].ratio > 1.5
    assert len(git(tree, "worktree", "list").splitlines()) == 1


def test_an_old_commit_that_cannot_be_had_or_built(tree: Path, tmp_path: Path) -> None:
    """Guards against a comparison with nothing: said, with what git or the build said last."""
    with pytest.raises(check.CheckError, match=r"commit 0123456789ab cannot be had: fatal: .*0123456789ab"):
        checked(tree, tmp_path, "0123456789ab" * 3)
    (tree / "setup.py").write_text("raise SystemExit('no compiler here')\n")
    git(tree, "commit", "-qam", "cannot be built")
    with pytest.raises(check.CheckError, match="cannot be built: no compiler here"):
        checked(tree, tmp_path, git(tree, "rev-parse", "HEAD").strip())
    assert len(git(tree, "worktree", "list").splitlines()) == 1
