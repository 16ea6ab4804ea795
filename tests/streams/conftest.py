"""The command line in this process."""

from __future__ import annotations

from tests.cli.conftest import folder as folder
from tests.cli.conftest import run as run
