"""What all tests share: the expected values of the real tools, and the real data where it is there."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
settings.register_profile("any machine", deadline=None)  # no test asserts wall time
settings.load_profile("any machine")


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
