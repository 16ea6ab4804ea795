"""A study in a file: `study.toml` holds judgments, runs and options; what the command line says comes first."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from truegain.cli.study_said import FileWords, Key, remember
from truegain.errors import InputError
from truegain.tables.sources import STANDARD_INPUT, read_bytes, shown_path

ENDING = ".toml"
PATHS = (
    "judgments", "runs", "gold", "hole-sample", "uses", "output", "corpus", "judged-corpus", "drop-assessors", "truth",
    "names",
)  # fmt: skip
WORDS = (STANDARD_INPUT, "flagged")  # that stand where a path may
ELSEWHERE = (  # of one command of several that read it
    "pair", "baseline", "candidate", "title", "output", "format", "corpus", "judged-corpus", "truth",
)  # fmt: skip
NOT_THERE = ("study", "help", "cache")
NUMBERS = ("float", "int", "integer")  # what types of options are called


def read_study(context: typer.Context, path: str | None) -> str | None:
    """Take what a study file says for everything that the command line does not say."""
    if path is None or context.resilient_parsing:
        return path
    known = {max(p.opts, key=len).lstrip("-"): p for p in context.command.params if p.name not in NOT_THERE}
    text, file, folder = _text(path), shown_path(path), Path(path).parent
    found: dict[str, Any] = {}
    keys: dict[str, Key] = {}
    for key, value in _parsed(text, file).items():
        option, line = key.replace("_", "-"), line_of(text, key)
        if option not in known:
            if option in ELSEWHERE:
                continue
            near = difflib.get_close_matches(option, known, 1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
            raise InputError(f"{key!r} is no option of {context.info_name}", file=file, line=line, hint=meant)
        parameter = known[option]
        several = getattr(parameter, "multiple", False) or parameter.nargs == -1
        told = _value(value, several, folder if option in PATHS else None, key, file, line)
        _check(context, parameter, told, key, value, file, line)
        found[str(parameter.name)] = told
        inner = {name: at for name in value if (at := line_of(text, name, line))} if isinstance(value, dict) else {}
        keys[option] = Key(key, line, _shown(told, option in PATHS), inner)
    context.default_map = found
    remember(context, FileWords(file, keys))
    return path


def study_or_judgments(context: typer.Context, value: str | None) -> str | None:
    """Judgments, or those that a study file names, which then says all that the command line does not."""
    if value is None or not value.lower().endswith(ENDING) or context.resilient_parsing:
        return value
    read_study(context, value)
    context.meta["study"] = value
    said = (context.default_map or {}).get("judgments")
    if said is None:
        hint = 'write a line such as judgments = "gold.qrels"'
        raise InputError("no judgments are named", file=shown_path(value), hint=hint)
    return str(said)


def line_of(text: str, key: str, after: int | None = 0) -> int | None:
    r"""The line where a key of the first level stands, or its table; or that of a key behind some line.

    >>> line_of('a = 1\n"b" = 2\n[c]\na = 3', "c"), line_of('a = 1\n "b" = 2', "b"), line_of("a.b = 1", "a")
    (3, 2, 1)
    """
    name = rf"[\"']?{re.escape(key)}[\"']?"
    for number, line in enumerate(text.splitlines(), 1):
        if number > (after or 0) and re.match(rf"\s*(\[\s*{name}\s*[\].]|{name}\s*[=.])", line):
            return number
    return None


def _text(path: str) -> str:
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"this is no text: {error.reason}", file=shown_path(path), hint="save it as UTF-8") from None


def _parsed(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = re.search(r"^(.*) \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        fault, line = (said[1], int(said[2]) if said[2] else None) if said else (str(error), None)
        raise _fault(fault, line, text, file) from None


def _fault(fault: str, line: int | None, text: str, file: str) -> InputError:
    """What is wrong with the text, where a key was written twice or a list was not closed by that name."""
    lines = text.splitlines()
    begun = [n for n, x in enumerate(lines[:line], 1) if re.match(r"\s*[\w\"'.-]+\s*=\s*\[", x)]
    if fault.lower().startswith(("unclosed array", "invalid value")) and _is_open(lines[:line], begun):
        key = lines[begun[-1] - 1].partition("=")[0].strip()
        return InputError(f"the list of {key} is not closed", file=file, line=begun[-1], hint="end it with ]")
    if fault.startswith("Cannot overwrite") and line is not None:
        key = lines[line - 1].partition("=")[0].strip()
        before = [n for n, x in enumerate(lines[: line - 1], 1) if x.partition("=")[0].strip() == key]
        first = f", first in line {before[-1]}" if before else ""
        return InputError(f"{key} stands there twice{first}", file=file, line=line, hint="keep one")
    hint = 'write lines such as judgments = "gold.qrels"'
    return InputError(f"this is no TOML: {fault}", file=file, line=line, hint=hint)


def _is_open(lines: list[str], begun: list[int]) -> bool:
    """Whether the last list that begins has no end."""
    return bool(begun) and "]" not in "".join(lines[begun[-1] - 1 :]).partition("[")[2]


def _shown(told: Any, paths: bool) -> tuple[str, ...]:
    """The values of a key as refusals tell them."""
    parts = [str(x) for x in told] if isinstance(told, list) else [str(told)]
    return tuple(dict.fromkeys([*parts, *(map(shown_path, parts) if paths else ())]))


def _check(
    context: typer.Context, parameter: Any, told: Any, key: str, value: Any, file: str, line: int | None
) -> None:
    """Have the option itself read the value, so that the file and the line are told where it cannot."""
    kind = getattr(parameter.type, "name", "").removesuffix(" range")
    parts = value if isinstance(value, list) else [value]
    if kind != "boolean" and any(isinstance(x, bool) for x in parts):
        hint = "give a number" if kind in NUMBERS else "give a text"
        raise InputError(f"{key} is {str(parts[0]).lower()}", file=file, line=line, hint=hint)
    if kind in NUMBERS[1:] and any(isinstance(x, float) for x in parts):
        raise InputError(f"{key} is {value!r}", file=file, line=line, hint="give a whole number")
    try:
        parameter.type_cast_value(context, told)
    except Exception as error:  # click's, which typer carries under a name of its own
        if not hasattr(error, "format_message"):
            raise
        hint = re.sub(r"^Invalid value for [^:]*: ", "", error.format_message().rstrip("."))
        raise InputError(f"{key} is {value!r}", file=file, line=line, hint=hint) from None


def _value(value: Any, several: bool, folder: Path | None, key: str, file: str, line: int | None = None) -> Any:
    """A value as the command line would have it: lists with commas, tables as name=value, paths from the file on.

    >>> _value(["topics", "collection"], False, None, "generalise-to", ""), _value("P@10", True, None, "measure", "")
    ('topics,collection', ['P@10'])
    >>> _value({"dense": ["m1", "m2"]}, True, Path(), "uses", ""), _value("gold.qrels", False, Path(), "gold", "")
    (['dense=m1', 'dense=m2'], 'gold.qrels')
    """
    if isinstance(value, Mapping):
        if folder is not None and key != "uses":
            raise InputError(f"{key} is a table", file=file, line=line, hint="give the path of a file")
        value = [f"{name}={x}" for name, row in value.items() for x in (row if isinstance(row, list) else [row])]
    parts = value if isinstance(value, list) else [value]
    if not parts or not all(isinstance(x, str | int | float) for x in parts):
        hint = "give a text, a number, a list or a table of these"
        raise InputError(f"{key} is {value!r}", file=file, line=line, hint=hint)
    if folder is not None:
        parts = [x if _is_no_path(str(x), key) else str(folder / str(x)) for x in parts]
    if several:
        return parts
    return parts[0] if len(parts) == 1 else ",".join(map(str, parts))


def _is_no_path(text: str, key: str) -> bool:
    """Words, system=model, and labels in the ratings' own file."""
    return text in WORDS or (key == "uses" and "=" in text) or text.startswith(("column:", "assessor:", "irds:"))


StudyFile = Annotated[
    str | None,
    typer.Option(
        "--study",
        is_eager=True,
        callback=read_study,
        help="A file study.toml of judgments, runs and options by their names; the command line comes first.",
    ),
]
JudgmentsOrStudy = Annotated[
    str,
    typer.Argument(
        help="Judgments, as in verdict; or a file study.toml that names them, the runs and the options.",
        metavar="JUDGMENTS",
        is_eager=True,
        callback=study_or_judgments,
    ),
]
