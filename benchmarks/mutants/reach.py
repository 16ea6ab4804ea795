"""A pytest plugin: which lines each test reaches, or only the tests that are wanted, in the order wanted.

REACH names the file to write {test: [seconds, {path: lines}]} to.  Lines reached while fixtures are made that tests
share stand under the test file's own name; those of modules and classes, which run once, are not told.  PICK names a
file with the tests to run, one JSON list.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from coverage import Coverage

_source = os.environ.get("REACH_SOURCE", "")
_seconds: dict[str, float] = {}
_broken: set[str] = set()
_here = ""


def _go(recorder: Coverage, place: str) -> str:
    global _here
    before, _here = _here, place
    recorder.switch_context(place)
    return before


if os.environ.get("REACH"):
    from coverage import Coverage

    _recorder = Coverage(data_file=None, config_file=False, source=[_source], concurrency=["thread"])
    _recorder.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
        """Lines go to the test that runs."""
        before, start = _go(_recorder, item.nodeid), time.process_time()
        done = yield
        _seconds[item.nodeid] = time.process_time() - start
        _go(_recorder, before)
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, object, object]:
        """Lines of a fixture that tests share go to their file."""
        shared = fixturedef.scope != "function"
        before = _go(_recorder, request.node.nodeid.split("::")[0]) if shared else ""
        done = yield
        if shared:
            _go(_recorder, before)
        return done

    def pytest_runtest_logreport(report: pytest.TestReport) -> None:
        """A test that fails or is left out without a fault in the code can show none."""
        if not report.passed:
            _broken.add(report.nodeid)

    def pytest_sessionfinish() -> None:
        """Write what was reached; a test that reaches no line is there too, for it may look at a constant."""
        _recorder.stop()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a test file need not reach the source
            _recorder.get_data()
        data, cut = _recorder.get_data(), len(_source.rstrip("/")) - len("src/truegain")
        seen: dict[str, dict[str, list[int]]] = defaultdict(dict)
        for path in data.measured_files():
            for line, tests in data.contexts_by_lineno(path).items():
                for test in tests:
                    seen[test].setdefault(path[cut:], []).append(line)
        told = {test: [_seconds.get(test, 0.0), seen[test]] for test in {*_seconds, *seen} - _broken}
        Path(os.environ["REACH"]).write_text(json.dumps(told))


if os.environ.get("PICK"):

    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        """Only the tests wanted, nearest first."""
        place = {name: i for i, name in enumerate(json.loads(Path(os.environ["PICK"]).read_text()))}
        items[:] = sorted((i for i in items if i.nodeid in place), key=lambda i: place[i.nodeid])
