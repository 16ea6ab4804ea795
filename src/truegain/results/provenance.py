"""How an answer was made: the version, what was given, by name, and every argument under its own name."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from truegain._version import __version__
from truegain.addresses import without_secrets
from truegain.config import StudyConfig
from truegain.errors import some
from truegain.settings import settings_of

INPUTS = (
    "runs",
    "judgments",
    "gold",
    "ratings",
    "expert",
    "unjudged_sample",
    "earlier",
    "corpus",
    "judged_corpus",
    "data",
    "intents",
    "scores",
    "path",
)
PLAIN = (str, int, float, bool)


def with_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose answer also tells with what it was called.

    >>> import truegain as tg
    >>> made = tg.unjudged({"x": {"1": {"a": 2.0, "b": 1.0}}}, {"1": {"a": 1}}, "P@2").provenance
    >>> made["runs"], made["judgments"], made["measure"], made["depths"]
    ('1 in a dict (x)', '1 in a dict (1)', 'P@2', [1, 5, 10, 20, 50, 100])
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(*args: Any, **words: Any) -> Any:
        answer = function(*args, **words)
        bound = signature.bind(*args, **words)
        bound.apply_defaults()
        return with_provenance(answer, {"truegain": __version__, **provenance_of(_flat(bound))})

    return called


def _flat(bound: inspect.BoundArguments) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if is_dataclass(value) and all("help" in f.metadata for f in fields(value)):  # the options of a config
            out |= {f.metadata["name"] or f.name: getattr(value, f.name) for f in fields(value)}
        else:
            out |= value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    return out


def provenance_of(arguments: Mapping[str, Any]) -> dict[str, object]:
    """Arguments as words and numbers, configs by their fields; those that are None, and functions, are left out.

    >>> provenance_of({"runs": ["a/x.run", "a/y.run"], "seed": 3, "pair": ("x", "y"), "gold": None, "tested": print})
    {'runs': 'x.run, y.run', 'seed': 3, 'pair': ['x', 'y']}
    >>> from truegain.config import Resampling
    >>> provenance_of({"resampling": Resampling(n=500)})
    {'resamples': 500, 'seed': 0}
    """
    arguments = {name: value for config in map(_fields_of, arguments.items()) for name, value in config}
    return {
        name: named(value) if name in INPUTS else _plain(value)
        for name, value in arguments.items()
        if value is not None and (name in INPUTS or not callable(value))
    }


def _fields_of(argument: tuple[str, Any]) -> list[tuple[str, Any]]:
    """An argument; where it is a config, its fields under the names of the options."""
    value = argument[1]
    if not is_dataclass(value) or isinstance(value, type) or type(value).__module__ != StudyConfig.__module__:
        return [argument]
    return [(option.name, getattr(value, option.field)) for option in settings_of(type(value))]


def named(value: Any) -> str:
    """What was given, by its name: files without their folder, tables by their source, and how many."""
    if isinstance(value, str | os.PathLike):
        return Path(without_secrets(os.fspath(value))).name or str(value)
    if isinstance(value, Mapping):
        return f"{len(value):,} in a dict ({some([str(name) for name in value])})"
    if isinstance(value, list | tuple):
        paths = all(isinstance(member, str | os.PathLike) for member in value)
        return some([named(member) for member in value]) if paths else f"{len(value):,} in a list"
    if isinstance(files := getattr(value, "files", None), list):  # that are read when somebody looks
        return named(files)
    if isinstance(systems := getattr(value, "systems", None), tuple):
        return f"{len(systems):,} systems ({some(systems)})"
    digest = getattr(value, "digest", None)
    about = [str(x) for x in (getattr(value, "source", None), digest) if isinstance(x, str) and x]
    files = [part for text in about for part in text.split(", ")]  # a source of several files names them so
    return f"{type(value).__name__} ({', '.join(map(named, files))})" if about else type(value).__name__


def _plain(value: Any) -> object:
    if isinstance(value, PLAIN):
        return without_secrets(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(member) for member in value]
    return str(value) if "__str__" in vars(type(value)) else type(value).__name__


def with_provenance(answer: Any, provenance: Mapping[str, object]) -> Any:
    """An answer that tells this too; what it told itself stays, for it knows what became of an argument."""
    if not is_dataclass(answer) or isinstance(answer, type):
        return answer
    names = {field.name for field in fields(answer)}
    if "provenance" in names:
        return replace(answer, provenance={**provenance, **answer.provenance})  # type: ignore[attr-defined]
    if "arguments" in names:
        return replace(answer, arguments=dict(provenance))
    if "details" in names:
        return replace(answer, details=with_provenance(answer.details, provenance))  # type: ignore[attr-defined]
    return answer
