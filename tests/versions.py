"""Tests that only newer versions of what we need can pass: `make lowest` skips them, with the reason."""

from __future__ import annotations

from importlib.metadata import version

import pytest


def since(package: str, lowest: str, why: str) -> pytest.MarkDecorator:
    """Skip a test where a package is older than it takes."""
    found = version(package)
    is_older = _numbers(found) < _numbers(lowest)
    return pytest.mark.skipif(is_older, reason=f"{package} {found} is older than {lowest}: {why}")


def _numbers(text: str) -> tuple[int, ...]:
    """The first two numbers of a version.

    >>> _numbers("1.17.1") > _numbers("1.9")
    True
    """
    return tuple(int(part) for part in text.split(".")[:2])
