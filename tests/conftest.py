"""What all tests share: the expected values of the real tools, and the real data where it is there."""

from __future__ import annotations

import gc
import gzip
import json
import os
import signal
import tarfile
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from functools import cache, partial
from math import gcd
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from truegain.cli import app

HERE = Path(__file__).parent
SYSTEM_PARTS = {  # fixtures that start processes
    "chromium", "collected", "mortal", "nest", "postgres_server", "started", "visitors",
}  # fmt: skip
TOGETHER = {"test_house.py", "test_house_words.py", "test_reference.py"}
gc.disable()  # while tests are collected: all of it stays
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # ranx as plain Python: the same numbers, and no compiling for seconds
settings.register_profile("any machine", deadline=None)  # no test asserts wall time
settings.register_profile("quick", deadline=None, max_examples=25)  # of `make test`
settings.load_profile("any machine")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so a shell starts what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in docstrings only where tests have some: every process of a test run looks at all files."""
    made = yield
    has_examples = file_path.suffix != ".py" or b">>> " in file_path.read_bytes()
    return [c for c in made if has_examples or type(c) is pytest.Module]


def pytest_collection_finish() -> None:
    """Look for garbage from here on, and only among what tests make."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves out: tests of system parts but the smoke tests, and all but a few of many cases.

    Files whose tests share what takes long to make come first: of these a process gets many in a row, of the last ones
    each gets some.
    """
    items.sort(key=lambda item: item.path.name not in TOGETHER)
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if needs_system_part(item) and not item.get_closest_marker("smoke"):
            item.add_marker("system")
        elif item.get_closest_marker("few"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for same in cases.values():
        mark = same[0].get_closest_marker("few")
        stays = spread_out(mark.args[0], len(same)) if mark else set()
        for i, item in enumerate(same):
            if i not in stays:
                item.add_marker("slow")


def needs_system_part(item: pytest.Item) -> bool:
    """Whether a test starts a browser, a server, a cluster or PostgreSQL."""
    cases = getattr(getattr(item, "callspec", None), "params", {})
    return bool(SYSTEM_PARTS & set(getattr(item, "fixturenames", ()))) or cases.get("new_url") == "postgresql"


def spread_out(few: int, many: int) -> set[int]:
    """So few of many places, the first among them, spread over all of them, and in step with no parameter.

    Every other case of a grid would have one value of its last parameter only; steps of the golden section have all.
    """
    step = next(n for n in range(round(many * 0.618), many + 1) if gcd(n, many) == 1) if many > 1 else 1
    return {i * step % many for i in range(min(few, many))}


@pytest.fixture(autouse=True, scope="session")
def built_once() -> Iterator[None]:
    """Have `main` take a command that it built before, as it was: typer takes longer to build one than most to run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "_built", Built(app._built))
        yield


class Built:
    """Commands by their names, each built when it is first called, and handed out with its own callbacks."""

    def __init__(self, build: Callable[[str], Any]) -> None:
        self.build = build
        self.kept: dict[str, tuple[Any, list[tuple[Any, Any]]]] = {}

    def __call__(self, verb: str) -> Any:
        """The command of a verb, as `main` expects it."""
        if verb not in self.kept:
            command = self.build(verb)
            self.kept[verb] = command, [(leaf, leaf.callback) for leaf in self.leaves(command)]
        command, callbacks = self.kept[verb]
        for leaf, callback in callbacks:  # which `add_checks` wraps
            leaf.callback = callback
        return command

    def leaves(self, command: Any) -> Iterator[Any]:
        """The commands of a group, and of groups in it; a command itself."""
        for inner in getattr(command, "commands", {}).values():
            yield from self.leaves(inner)
        if not hasattr(command, "commands"):
            yield command


@cache
def expected_values(tool: str) -> dict[str, Any]:
    """The conformance file of a tool."""
    with gzip.open(HERE / "conformance" / f"{tool}.json.gz", "rt") as stream:
        return json.load(stream)  # type: ignore[no-any-return]


@pytest.fixture
def conformance() -> Any:
    """A function from the name of a tool to its expected values."""
    return expected_values


@pytest.fixture
def examples() -> dict[str, dict[str, Any]]:
    """The worked examples by id."""
    loaded = json.loads((HERE / "conformance" / "examples.json").read_text())
    return {e["id"]: e for e in loaded["examples"]}


@pytest.fixture
def shared_data() -> Path:
    """Real data that is not part of the project."""
    folder = HERE.parent.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real data (../shared/data) is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """A function from an archive to the folder of its files, one for all processes of a test run: only to be read."""
    ours = tmp_path_factory.getbasetemp()
    return partial(_unpacked, ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours)


def _unpacked(beside: Path, archive: Path) -> Path:
    """Unpack where that was not done yet; who comes meanwhile waits."""
    import fcntl  # not on Windows

    folder = beside / archive.name.partition(".")[0]
    with (beside / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = beside / f"{folder.name}.part"
            with tarfile.open(archive) as files:
                files.extractall(part, filter="data")
            part.rename(folder)
    return folder
