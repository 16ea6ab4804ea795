"""What is loaded when it is first asked for: public names, and functions of folders above the one that calls them.

An import waits for nothing so, and imports go down only: that a study draws a chart, writes a page or has documents
labeled is what `truegain/__init__.py` hands it.
"""

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


_above: dict[str, str] = {}


def provide(**places: str) -> None:
    """From now on `provided` finds these, by name: each as 'module:function'."""
    _above.update(places)


def provided(name: str) -> Any:
    """A function of a folder above the one that asks for it."""
    module, _, function = _above[name].partition(":")
    return getattr(importlib.import_module(module), function)
