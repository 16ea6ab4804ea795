"""Names that are loaded when they are first asked for, so that an import waits for nothing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def loaded(package: str, places: Mapping[str, str], name: str, made: Callable[[Any], Any] | None = None) -> Any:
    """A name of a package from the module that `places` says, kept there for the next time; `made` changes it first.

    >>> loaded("truegain", {}, "no_such_name")
    Traceback (most recent call last):
    AttributeError: module 'truegain' has no attribute 'no_such_name'
    """
    if name not in places:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(places[name]), name)
    value = value if made is None else made(value)
    setattr(sys.modules[package], name, value)
    return value
