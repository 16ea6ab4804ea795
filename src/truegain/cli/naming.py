"""Errors of the library name its arguments; on the command line they name the options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

OTHERS = ("trec_eval", "judged_only")  # also a program, and a parameter of measures
FUNCTIONS = {"tg.to_gains": "`truegain gains`", "tg.evaluate": "`truegain eval`", "tg.correct": "`truegain correct`"}
_APART = r"(?<![\w./\\'\"-])"  # no part of a longer word, a path or something quoted
_OUTSIDE = r"(?<![\w./\\'\",-])(?<!\w\()"  # nor a parameter of a measure, as in nERR(max_rel='topic',rule='gain')
_END = r"(?![\w/\\'\"-]|\.\w|=)"
_VALUE = r"=(?:'(?P<value>[^']*)'|\{'(?P<key>[^']*)': '(?P<of>[^']*)'\}|(?=[\s,;:)]|\.?$))"


def option_names(parameters: Iterable[Any]) -> dict[str, str]:
    """The option behind each parameter of a command."""
    found = {p.name: max(p.opts, key=len) for p in parameters}
    return {name: option for name, option in found.items() if option.startswith("--") and name not in OTHERS}


def in_options(text: str, options: Mapping[str, str]) -> str:
    """A message of the library in the words of a command: arguments become options, functions commands.

    An argument is seen where it has a value or an equals sign, where its name has an underscore, and at the very
    beginning; file names, what is quoted, and parameters of measures are left alone.

    >>> names = {n: "--" + n.replace("_", "-") for n in ("hole_sample", "rule", "gold", "uses", "smallest")}
    >>> in_options("hole_sample and gold: give one; or rule='mean', uses={'a': 'm'}, gold=", names)
    '--hole-sample and gold: give one; or --rule mean, --uses a=m, --gold'
    >>> in_options("smallest -1: give a number", names), in_options("hole_sample.csv:3: 'rule' (rule=2)", names)
    ('--smallest -1: give a number', "hole_sample.csv:3: 'rule' (rule=2)")
    """
    for function, command in FUNCTIONS.items():
        text = re.sub(rf"{_APART}{re.escape(function)}{_END}", command, text)
    if not options:
        return text
    either = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    text = re.sub(rf"^({either})(?=: | -?[\d.]+(?:: | is ))", lambda m: options[m[1]], text)
    text = re.sub(rf"^({either}) '([^']*)'", lambda m: f"{options[m[1]]} {m[2]}", text)
    text = re.sub(rf"{_OUTSIDE}(?P<name>{either}){_VALUE}", lambda m: _with_value(options[m["name"]], m), text)
    bare = "|".join(name for name in either.split("|") if "_" in name)
    return re.sub(rf"{_APART}({bare}){_END}", lambda m: options[m[1]], text) if bare else text


def _with_value(option: str, found: re.Match[str]) -> str:
    if found["key"] is not None:
        return f"{option} {found['key']}={found['of']}"
    return option if found["value"] is None else f"{option} {found['value']}"
