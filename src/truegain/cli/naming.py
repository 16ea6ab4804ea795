"""Errors of the library name its arguments; on the command line they name the options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

OTHERS = ("trec_eval", "judged_only")  # also a program, and a parameter of measures
FUNCTIONS = {
    "tg.to_gains": "`truegain gains`",
    "tg.evaluate": "`truegain eval`",
    "tg.correct": "`truegain correct`",
    "tg.list_measures": "`truegain measures`",
    "tg.hole_list": "`truegain holes --show sample --fill predicted -o sample.csv`",
    "tg.gold_list": "`truegain plan labels -o gold_list.csv`",
    "tg.holes": "`truegain holes`",
    "tg.judge_next": "`truegain holes --show next`",
    "tg.judges": "`truegain judges`",
    "`verdict` of tg.Study says": "`truegain verdict` and `truegain gate` say",
    "hole_sample= of tg.Study": "`truegain verdict --hole-sample`",
    "gold= of tg.Study": "`truegain verdict --gold`",
    "fill='predicted' of tg.evaluate": "`truegain eval --fill predicted`",
    "trec_eval=9 of tg.evaluate": "`truegain eval --trec-eval 9`",
    "scale= of tg.gold_list": "`truegain plan labels --scale`",
    "tg.read_gold_list and its `filled`": "`truegain plan fill KEY SHEET -o FILE`",
    "index of truegain.text": "`truegain text index docs.jsonl -o corpus/`",
    "`Corpus.find` tells which": "`truegain text show CORPUS --lacks FILE` lists them",
    "tg.to_gains, or rule= of what you ask": "--rule of eval and verdict, or `truegain gains`",
    "name another file, or move this one away": "name another file with -o, or move this one away",
    "pairs: `changed` has all": "pairs: --changed --format csv has all",
}  # the longest first, so that what is of a function is seen before it
# option: what the library calls it, where that is another word
CALLED = {
    "--numbers": "labels",
    "--share-a": "split",
    "--length": "depth",
    "--at": "depths",
    "--with-intervals": "intervals",
    "--id-field": "id",
    "--text-field": "text",
    "--proxy": "proxies",
}
# option of versions before: what it is called today, in the commands that had it
RENAMED = {
    "--labels": ("--scale", "--numbers"),
    "--interval": ("--method",),
    "--design": ("--criterion",),
    "--method": ("--approximate",),
    "--split": ("--share-a",),
    "--depth": ("--at", "--length"),
    "--topics": ("--by-topic",),
    "--ties": ("--winner",),
    "--share": ("--supermajority",),
    "--errors": ("--earlier",),
    "--first": ("--rows",),
    "--pairs": ("--drawn-pairs",),
    "--assessors": ("--simulated-assessors",),
    "--intervals": ("--with-intervals",),
    "--alpha": ("--confidence",),
}
READING = " of tg.read_ratings"  # whose argument it is; commands that read ratings have its options themselves
UNLESS = " unless all topics must count (complete=True)"
UNMATCHED = "missing='drop' for gold labels"  # missing= is also about rows of files
_APART = r"(?<![\w./\\'\"-])"  # no part of a longer word, a path or something quoted
_OUTSIDE = r"(?<![\w./\\'\",-])(?<!\w\()"  # nor a parameter of a measure, as in nERR(max_rel='topic',rule='gain')
_END = r"(?![\w/\\'\"-]|\.\w|=)"
_VALUE = (
    r"=(?:'(?P<value>[^']*)'(?P<or>(?: or '[^']*'| \(or '[^']*'\))?)"
    r"|\{'(?P<key>[^']*)': '?(?P<of>[^'{}]*)'?\}|[\[(](?P<list>'[^']*'(?:, '[^']*')*)[\])]"
    r"|True\b|(?=[\s,;:)]|\.?$))"
)


def option_names(parameters: Iterable[Any]) -> dict[str, str]:
    """The option behind each parameter of a command."""
    found = {p.name: max(p.opts, key=len) for p in parameters}
    names = {name: option for name, option in found.items() if option.startswith("--") and name not in OTHERS}
    return {CALLED[option]: option for option in names.values() if option in CALLED} | names


def told_of_renaming(error: Any) -> str | None:
    """What to say of an option that has another name since; None where it is no such mistake."""
    old, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    if old not in RENAMED or context is None:
        return None
    known = {option for p in context.command.params for option in p.opts}
    new = next((name for name in RENAMED[old] if name in known), None)
    other = ", which is 1 - alpha" if old == "--alpha" else ""
    return None if new is None else f"{old} of this command is now {new}{other}; see `{context.command_path} --help`"


def told_of_trec(error: Any) -> str | None:
    """What to say of --format trec where there are no scores to print; None where it is no such mistake."""
    known = getattr(getattr(getattr(error, "param", None), "type", None), "choices", ())
    if getattr(getattr(error, "param", None), "name", "") != "output_format" or "'trec' is not one of" not in str(
        error
    ):
        return None
    return (
        f"--format trec: trec_eval prints scores of one run, and this is no such table; `truegain eval` has it; here "
        f"there are {', '.join(map(str, known))}"
    )


def in_options(text: str, options: Mapping[str, str]) -> str:
    """A message of the library in the words of a command: arguments become options, functions commands.

    An argument is seen where it has a value or an equals sign, where its name has an underscore, and at the very
    beginning; file names, what is quoted, and parameters of measures are left alone.

    >>> names = {n: "--" + n.replace("_", "-") for n in ("hole_sample", "rule", "gold", "uses", "smallest")}
    >>> in_options("hole_sample and gold: give one; or rule='mean', uses={'a': 'm'}, gold=", names)
    '--hole-sample and gold: give one; or --rule mean, --uses a=m, --gold'
    >>> in_options("smallest -1: give a number", names), in_options("hole_sample.csv:3: 'rule' (rule=2)", names)
    ('--smallest -1: give a number', "hole_sample.csv:3: 'rule' (rule=2)")
    >>> in_options("rule='my own', gold=['a', 'b'], uses={'a b': 1}, smallest=True", names)
    "--rule 'my own', --gold a,b, --uses 'a b=1', --smallest"
    >>> in_options("rule='mean' (or 'sum'), gold='a' or 'b'", names)
    '--rule mean (or sum), --gold a or b'
    """
    text = text.replace(READING, "")
    for function, command in sorted(FUNCTIONS.items(), key=lambda both: -len(both[0])):
        text = re.sub(rf"{_APART}{re.escape(function)}{_END}", command, text)
    if not options:
        return text
    if "complete" not in options:  # this command has no such choice
        text = text.replace(UNLESS, "")
    if "unmatched" in options:
        text = text.replace(UNMATCHED, f"{options['unmatched']} drop")
    either = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    text = re.sub(rf"^({either})(?=: | -?[\d.]+(?:: | is ))", lambda m: options[m[1]], text)
    text = re.sub(rf"^({either}) '([^']*)'", lambda m: f"{options[m[1]]} {shlex.quote(m[2])}", text)
    text = re.sub(rf"{_OUTSIDE}(?P<name>{either}){_VALUE}", lambda m: _with_value(options[m["name"]], m), text)
    bare = "|".join(name for name in either.split("|") if "_" in name)
    return re.sub(rf"{_APART}({bare}){_END}", lambda m: options[m[1]], text) if bare else text


def _with_value(option: str, found: re.Match[str]) -> str:
    if found["key"] is not None:
        return f"{option} {shlex.quote(found['key'] + '=' + found['of'])}"
    if found["list"] is not None:
        words = found["list"][1:-1].split("', '")
        return f"{option} {shlex.quote(','.join(words))}"
    if found["value"] is None:
        return option
    return f"{option} {shlex.quote(found['value'])}" + found["or"].replace("'", "")
