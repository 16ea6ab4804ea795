"""What tests of language models that judge share: a small study, quick pauses, and no key in the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run as Run
from tests.cli.conftest import run as run
from tests.llm.served import write_study
from truegain.llm import client


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with topics, documents and a pool, in which nobody waits long."""
    write_study(tmp_path)
    monkeypatch.setattr(client, "FIRST_PAUSE", 0.002)
    monkeypatch.delenv(client.KEY, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    return tmp_path
