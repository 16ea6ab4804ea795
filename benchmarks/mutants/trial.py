"""Copies of the tree, which tests reach which line of them, and what the tests say of one fault."""

from __future__ import annotations

import compileall
import hashlib
import itertools
import json
import multiprocessing
import os
import py_compile
import resource
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Literal

from benchmarks.mutants.points import Point

TREE = Path(__file__).parents[2]
WORK = TREE / "benchmarks" / "work" / "reached"
PARTS = (
    "src", "tests", "docs", "benchmarks", "tools", ".github",
    "pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", "setup.py", "Makefile",
    "MANIFEST.in", "constraints.txt", "constraints-lowest.txt", "Containerfile", "compose.yaml", ".readthedocs.yaml",
    ".pre-commit-config.yaml", ".gitattributes", ".gitignore",
)  # fmt: skip
LEFT_OUT = ("tests/test_house.py", "tests/test_house_words.py")  # they read the source, not what it computes
QUICK = ["-m", "not slow and not system", "--hypothesis-profile=quick"]  # as `make test` chooses
MEMORY = 6 << 30
PRELOADED = ["numpy", "scipy.stats", "scipy.special", "scipy.optimize", "pytest", "typer", "rich.table"]
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(PRELOADED)
_numbers = itertools.count()
Fate = Literal["killed", "killed by time", "survived", "not reached"]
Reached = dict[str, tuple[float, dict[str, frozenset[int]]]]


@dataclass(frozen=True)
class Verdict:
    """What became of a fault, by which test, and how many tests it was given."""

    point: Point
    fate: Fate
    by: str = ""
    tests: int = 0

    @property
    def killed(self) -> bool:
        """Whether some test noticed."""
        return self.fate.startswith("killed")


def copied(to: Path) -> Path:
    """A copy of the tree whose byte code is checked by the content of its source, not by its age."""
    for part in PARTS:
        source = TREE / part
        if source.is_dir():
            shutil.copytree(source, to / part, ignore=shutil.ignore_patterns("__pycache__", "work", "*.egg-info"))
        elif source.exists():
            shutil.copy(source, to / part)
    beside = TREE.parent / "shared"
    if beside.is_dir() and not (to.parent / "shared").exists():
        (to.parent / "shared").symlink_to(beside)  # the real data, for tests that want it
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(to / "src", quiet=1, invalidation_mode=mode)
    return to


def pytest_in(tree: Path, arguments: Sequence[str], seconds: float, **environment: str) -> tuple[int, str]:
    """Exit code and output of pytest in a copy, in a process that has numpy and the like but nothing of ours yet.

    The limit is of processor time, so that a busy machine kills no test.
    """
    said = tree.parent / f"{tree.name}.{next(_numbers)}.txt"
    process = _processes.Process(target=_pytest, args=(tree, said, list(arguments), seconds, environment))
    process.start()
    process.join()
    return process.exitcode or 0, said.read_text() if said.exists() else ""


def _pytest(tree: Path, said: Path, arguments: list[str], seconds: float, environment: dict[str, str]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    with said.open("w") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
    sys.stdout, sys.stderr = (os.fdopen(n, "w", closefd=False) for n in (1, 2))
    os.chdir(tree)
    sys.path[:0] = [str(tree / "src"), str(tree)]
    os.environ.update(environment, PYTHONPATH=f"{tree / 'src'}{os.pathsep}{tree}")
    import pytest

    options = ["-p", "benchmarks.mutants.reach", "-p", "no:cacheprovider", "--tb=no"]
    code = pytest.main([*options, *arguments])
    sys.stdout.flush()
    os._exit(int(code))


def reached(tree: Path, jobs: int, only: Sequence[str], *, quick: bool = True) -> Reached:
    """Which lines every test reaches, a process a test file; kept until the source or the test file changes."""
    tier = QUICK if quick else []
    names = [*(str(p.relative_to(tree)) for p in sorted((tree / "tests").rglob("test_*.py"))), "src"]
    names = [n for n in names if n not in LEFT_OUT and (not only or any(part in n for part in only))]
    common = _digest([*(tree / "src").rglob("*.py"), tree / "benchmarks/mutants/reach.py"])
    common += _digest(p for p in (tree / "tests").rglob("*.*") if not p.name.startswith("test_"))
    WORK.mkdir(parents=True, exist_ok=True)

    def record(name: str) -> dict[str, tuple[float, dict[str, list[int]]]]:
        own = _digest([tree / name]) if name.endswith(".py") else ""
        kept = WORK / f"{name.replace('/', '.')}-{_short(common + own + ''.join(tier))}.json"
        if not kept.exists():
            sources = str(tree / "src/truegain/")
            chosen = tier if name.endswith(".py") else tier[:2]  # the profile is one of tests/conftest.py
            code, out = pytest_in(tree, [*chosen, name], 3600, REACH=str(kept), REACH_SOURCE=sources)
            if code not in (0, 5):  # 5: the file has no test of this tier
                print(f"{name} without a fault: pytest ends with {code}\n{out[-400:]}", flush=True)
        return json.loads(kept.read_text()) if kept.exists() else {}

    found: Reached = {}
    with ThreadPoolExecutor(jobs) as pool:
        for tests in pool.map(record, names):
            found |= {t: (s, {p: frozenset(x) for p, x in files.items()}) for t, (s, files) in tests.items() if t}
    return found


def _digest(paths: Iterable[Path]) -> str:
    return _short(
        "".join(_short(p.read_bytes()) for p in sorted(paths) if p.is_file() and "__pycache__" not in p.parts)
    )


def _short(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:12]


def nearest(point: Point, reach: Reached, budget: float) -> tuple[list[str], float]:
    """The tests that reach a fault's line, and their seconds: quick files first, no more than the budget.

    A line that only runs while its module loads (a constant, a default) is given the test files that reach any other
    line of the module.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    here = {point.line, point.statement}
    near = {t for t, (_, lines) in reach.items() if here & lines.get(point.path, frozenset())}
    if point.loads or not near:
        near = {t.split("::")[0] for t, (_, lines) in reach.items() if point.path in lines}
    whole = {t for t in near if "::" not in t}  # reached by what the tests of a file share
    for test in reach:
        if "::" in test and (test in near or test.split("::")[0] in whole):
            groups[test.split("::")[0]].append(test)
    cost = {f: sum(reach[t][0] for t in tests) for f, tests in groups.items()}
    chosen: list[str] = []
    spent = 0.0
    for file in sorted(groups, key=lambda f: (f != point.path, cost[f])):
        for test in sorted(groups[file], key=lambda t: reach[t][0]) if spent + cost[file] > budget else groups[file]:
            if spent + reach[test][0] <= budget or not chosen:
                chosen.append(test)
                spent += reach[test][0]
    return chosen, spent


def tried(point: Point, tree: Path, reach: Reached, budget: float) -> Verdict:
    """What the tests say of a fault, in a copy that is whole again afterwards."""
    tests, seconds = nearest(point, reach, budget)
    if not tests:
        return Verdict(point, "not reached")
    path, pick = tree / point.path, tree / "pick.json"
    source = path.read_text()
    pick.write_text(json.dumps(tests))
    files = list(dict.fromkeys(t.split("::")[0] for t in tests))
    try:
        path.write_text(point.applied(source))
        code, out = pytest_in(tree, ["-x", *files], 60 + 4 * seconds, PICK=str(pick))
    finally:
        path.write_text(source)
    said = [line for line in out.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if code > 0 and (code > 2 or not said):  # neither a test that failed nor a file that could not be read
        raise RuntimeError(f"the tests of {point.path}:{point.line} did not run\n{out}")
    fate: Fate = "survived" if code == 0 else "killed" if code > 0 else "killed by time"
    return Verdict(point, fate, said[0] if said else "", len(tests))


def all_tried(points: Iterable[Point], folder: Path, reach: Reached, budget: float, jobs: int) -> Iterable[Verdict]:
    """Verdicts in the order of the points, some at a time, each in a copy of its own."""
    trees: Queue[Path] = Queue()
    for job in range(jobs):
        trees.put(folder / str(job) if (folder / str(job)).exists() else copied(folder / str(job)))

    def one(point: Point) -> Verdict:
        tree = trees.get()
        try:
            return tried(point, tree, reach, budget)
        finally:
            trees.put(tree)

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, points)
