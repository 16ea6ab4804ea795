"""The command line, as the tests of commands have it."""

from __future__ import annotations

from tests.cli.conftest import run as run
