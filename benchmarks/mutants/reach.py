"""A pytest plugin: which lines each test reaches, or only the tests that are wanted, in the order wanted.

REACH names the file to write {test: [seconds, {path: lines}]} to.  Lines reached while fixtures are made that tests
share stand under the test file's own name; those of modules and classes, which run once, are not told.  PICK names a
file with the tests to run, one JSON list.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Generator
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

LOADING = ""
MOST = 5_000  # lines followed in one function of one test; what a longer loop has not reached by then is rare

_here = LOADING
_source = os.environ.get("REACH_SOURCE", "")
_seen: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
_left: dict[CodeType, int] = {}
_seconds: dict[str, float] = {}
_broken: set[str] = set()


def _call(frame: FrameType, _event: str, _arg: Any) -> Any:
    code = frame.f_code
    left = _left.get(code)
    if left is None:
        ours = code.co_filename.startswith(_source) and code.co_flags & CO_OPTIMIZED  # a function, no module or class
        left = _left[code] = MOST if ours else 0
    if left <= 0:
        return None
    _seen[_here][code.co_filename].add(frame.f_lineno)
    return _line


def _line(frame: FrameType, _event: str, _arg: Any) -> Any:
    code = frame.f_code
    _seen[_here][code.co_filename].add(frame.f_lineno)
    _left[code] = left = _left.get(code, MOST) - 1
    frame.f_trace_lines = left > 0
    return _line


def _go(place: str) -> str:
    global _here
    before, _here = _here, place
    _left.clear()
    return before


if os.environ.get("REACH"):
    sys.settrace(_call)
    threading.settrace(_call)  # work that the engine hands to threads

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
        """Lines go to the test that runs."""
        before, start = _go(item.nodeid), time.process_time()
        _seen[item.nodeid].clear()  # there also if it reaches no line, but looks at a constant
        sys.settrace(_call)
        done = yield
        _seconds[item.nodeid] = time.process_time() - start
        _go(before)
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, object, object]:
        """Lines of a fixture that tests share go to their file."""
        shared = fixturedef.scope != "function"
        before = _go(request.node.nodeid.split("::")[0]) if shared else ""
        done = yield
        if shared:
            _go(before)
        return done

    def pytest_runtest_logreport(report: pytest.TestReport) -> None:
        """A test that fails or is left out without a fault in the code can show none."""
        if not report.passed:
            _broken.add(report.nodeid)

    def pytest_sessionfinish() -> None:
        """Write what was reached."""
        sys.settrace(None)
        cut = len(_source.rstrip("/")) - len("src/truegain")
        out = {
            test: [_seconds.get(test, 0.0), {path[cut:]: sorted(lines) for path, lines in files.items()}]
            for test, files in _seen.items()
            if test not in _broken
        }
        Path(os.environ["REACH"]).write_text(json.dumps(out))


if os.environ.get("PICK"):

    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        """Only the tests wanted, nearest first."""
        place = {name: i for i, name in enumerate(json.loads(Path(os.environ["PICK"]).read_text()))}
        items[:] = sorted((i for i in items if i.nodeid in place), key=lambda i: place[i.nodeid])
