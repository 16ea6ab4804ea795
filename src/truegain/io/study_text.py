"""The text of a study file: its keys with their lines, so that an error in it names the file and the line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truegain.errors import InputError, TruegainError
from truegain.io.files import STANDARD_INPUT, read_bytes, shown_path
from truegain.io.remote import IRDS, is_remote
from truegain.message import OF_CONFIGS, TOLD

# ---- What a study file said, so that a refusal of it names the file and the line.

NAMES = (  # keys whose values refusals tell without naming the key: names, paths, and words of our own
    "judgments",
    "runs",
    "measure",
    "baseline",
    "candidate",
    "pair",
    "gold",
    "unjudged-sample",
    "truth",
    "system-models",
    "corpus",
    "judged-corpus",
    "drop-assessors",
    "names",
    "strip-prefix",
    "aggregate",
    "gold-aggregate",
    "normalize",
)


@dataclass(frozen=True)
class Key:
    """A key of the file: where it stands, what it was given, and where the keys of its table stand."""

    name: str
    line: int | None
    values: tuple[str, ...] = ()
    inner: Mapping[str, int] = field(default_factory=dict)

    def at(self, values: Collection[str]) -> int | None:
        """The line that a refusal is about: that of a key of the table, where it tells one."""
        return next((self.inner[name] for name in values if name in self.inner), self.line)

    def says(self, values: Collection[str]) -> bool:
        """Whether a value that a refusal tells stands here, or a part of it: a system of a pair, a key of the table."""
        parts = [*self.values, *self.inner, *(part.strip() for value in self.values for part in value.split(","))]
        return bool({*parts} & {*values})


@dataclass(frozen=True)
class FileWords:
    """A study file, and by option what it said."""

    file: str
    keys: Mapping[str, Key]
    tables: Collection[str] = ()  # of configs, that stand there

    def name(self, option: str) -> str:
        """The key for an option: as it stands there, or as it would in the table of its config, if this does.

        >>> import truegain.config
        >>> FileWords("s.toml", {}, {"gold"}).name("gold-relevant-from"), FileWords("s.toml", {}).name("design")
        ('gold.relevant_from', 'design')
        """
        table, field = field_of(option.replace("-", "_"))
        if option in self.keys or table not in self.tables:
            return self.keys[option].name if option in self.keys else option
        return f"{table}.{field}"

    def place(self, error: TruegainError) -> tuple[int | None, str] | None:
        """The line of the key that a refusal is about, and what is to be said before it; None: about none.

        By the arguments that it names, else by the values that it tells.

        >>> from truegain.errors import MeasureError
        >>> from truegain.message import argname
        >>> about = {"confidence": Key("confidence", 3, ("95",)), "measure": Key("measure", 4, ("nDGC@10",))}
        >>> study = FileWords("s.toml", about)
        >>> study.place(TruegainError(f"{argname('confidence', 95)} is not between 0 and 1"))
        (3, '')
        >>> study.place(MeasureError("there is no measure 'nDGC'")), study.place(TruegainError("few topics"))
        ((4, 'measure: '), None)
        """
        values = [str(part.value) for part in error.message.about if part.kind == TOLD]
        named = [self.keys[key] for part in error.message.named if (key := key_of(part.name)) in self.keys]
        if named:
            return named[0].at(values), ""
        if isinstance(error, InputError) and error.file is not None:
            values.append(error.file)
        own = self.keys.get(key_of(error.argument or ""))
        about = [] if own is None else [own]
        about += [key for option, key in self.keys.items() if option in NAMES and key.says(values)]
        return (about[0].at(values), f"{about[0].name}: ") if about else None


def field_of(option: str) -> tuple[str, str]:
    """The table of a study file that an option of a config may stand in, and its key there.

    >>> import truegain.config
    >>> field_of("gold_relevant_from"), field_of("measure")
    (('gold', 'relevant_from'), ('', 'measure'))
    """
    return next(((known.table, known.field) for known in OF_CONFIGS if known.name == option), ("", option))


def key_of(argument: str) -> str:
    """The key, and the option without its dashes, behind an argument."""
    return argument.replace("_", "-")


# ---- The text of a study file: its keys with their lines, and their values as the command line would have them.

PATHS = (
    "judgments",
    "runs",
    "gold",
    "unjudged-sample",
    "system-models",
    "output",
    "corpus",
    "judged-corpus",
    "drop-assessors",
    "truth",
    "teams",
    "names",
)
BY_NAME = ("system-models", "costs", "columns", "values")  # may be tables of name and value, too
WORDS = (STANDARD_INPUT, "flagged")  # that stand where a path may
ELSEWHERE = (  # of one command of several that read it
    "pair", "baseline", "candidate", "title", "output", "format", "corpus", "judged-corpus", "truth",
    "teams", "not-worse-by", "memory", "run-on",
)  # fmt: skip
NUMBERS = ("float", "int", "integer")  # what types of options are called


@dataclass(frozen=True)
class StudyText:
    """A study file as it stands there."""

    path: str
    file: str  # its name in messages
    text: str
    values: dict[str, Any]  # by option; those of the table of a config among them
    tables: dict[str, str]  # by option of such a table, its name

    @classmethod
    def of(cls, path: str) -> StudyText:
        """Read a file; what is no TOML is refused with its line."""
        if is_remote(path):
            hint = "copy it here; the files it names may be remote"
            raise InputError("a study file must be on this machine", file=path, hint=hint)
        text, file = _text(path), shown_path(path)
        parsed = _parsed(text, file)
        _check_once(parsed, text, file)
        values, tables = _flat(parsed, text, file)
        return cls(path, file, text, values, tables)

    def options(self, allowed: Collection[str], what: str) -> Iterator[tuple[str, str, Any, int | None]]:
        """The option behind each key, the key, its value and its line; a key that is none of `what` is refused."""
        for key, value in self.values.items():
            option, line = key.replace("_", "-"), self._line(key)
            if option in allowed:
                yield option, key, value, line
            elif option not in ELSEWHERE:
                tables = {of.table for of in OF_CONFIGS} if isinstance(value, dict) else ()
                near = difflib.get_close_matches(option, [*tables, *allowed, *ELSEWHERE], 1)
                meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(allowed))}"
                raise InputError(f"{key!r} is not an option of {what}", file=self.file, line=line, hint=meant)

    def line(self, option: str) -> int | None:
        """The line where an option is said, its key written with - or _; None where it is not."""
        return next((self._line(key) for key in self.values if key.replace("_", "-") == option), None)

    def _line(self, key: str) -> int | None:
        """The line of a key: at the top, or in the table of its config."""
        if key not in self.tables:
            return line_of(self.text, key)
        begin = line_of(self.text, self.tables[key])
        field = field_of(key)[1]
        return line_of(self.text, field, begin) or line_of(self.text, field.replace("_", "-"), begin) or begin

    def typed_value(self, option: str, key: str, line: int | None, several: bool) -> Any:
        """The value of a key as the command line would have it: see `_value`."""
        folder = Path(self.path).parent if option in PATHS else None
        return _value(self.values[key], several, folder, key, self.file, line, by_name=option in BY_NAME)

    def key(self, option: str, key: str, line: int | None, typed: Any) -> Key:
        """The key with its place, and those of the keys of its table."""
        value, inner = self.values[key], {}
        if isinstance(value, dict):
            inner = {name: at for name in value if (at := line_of(self.text, name, line))}
        name = ".".join(field_of(key)) if key in self.tables else key
        return Key(name, line, _texts_of(typed, option in PATHS), inner)

    def check_kind(self, key: str, kind: str, line: int | None) -> None:
        """Refuse true and false for other things, these for true and false, and fractions for whole numbers."""
        value = self.values[key]
        parts = value if isinstance(value, list) else [value]
        if kind != "boolean" and any(isinstance(x, bool) for x in parts):
            hint = "give a number" if kind in NUMBERS else "give a text"
            raise InputError(f"{key} is {str(parts[0]).lower()}", file=self.file, line=line, hint=hint)
        if kind == "boolean" and not isinstance(value, bool):
            raise InputError(f"{key} is {value!r}", file=self.file, line=line, hint="give true or false")
        if kind in NUMBERS[1:] and any(isinstance(x, float) for x in parts):
            raise InputError(f"{key} is {value!r}", file=self.file, line=line, hint="give a whole number")


def not_known(key: str, value: object, choices: Collection[object], file: str, line: int | None) -> InputError:
    """The refusal of a value that is none of those there are, in the words that it has elsewhere.

    >>> print(not_known("design", "randm", ("random", "topics"), "study.toml", 3))
    study.toml:3: design 'randm' is not known; give one of random, topics
    """
    return InputError(f"{key} {value!r} is not known; give one of {', '.join(map(str, choices))}", file=file, line=line)


def _flat(values: dict[str, Any], text: str, file: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The values by option, those of the tables of configs as if they stood at the top; and of which table each is.

    >>> import truegain.config
    >>> _flat({"gold": {"labels": "people.csv", "design": "random"}, "seed": 7}, "", "study.toml")
    ({'gold': 'people.csv', 'design': 'random', 'seed': 7}, {'gold': 'gold', 'design': 'gold'})
    """
    flat: dict[str, Any] = {}
    tables: dict[str, str] = {}
    for key, value in values.items():
        names = {option.field: option.name for option in OF_CONFIGS if option.table == key}
        if not names or not isinstance(value, dict):
            flat[key] = value
            continue
        for name, inner in value.items():
            own = name.replace("-", "_")
            if own not in names:
                fields = [field for field, option in names.items() if option == own]
                near = fields or difflib.get_close_matches(own, names, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
                line = line_of(text, name, line_of(text, key))
                raise InputError(f"{name!r} is not an option of [{key}]", file=file, line=line, hint=hint)
            flat[names[own]] = inner
            tables[names[own]] = key
    return flat, tables


def _check_once(values: dict[str, Any], text: str, file: str) -> None:
    r"""Refuse an option that stands there by two keys: with - and with _, or at the top and in the table of its config.

    >>> import truegain.config
    >>> both = {"design": "topics", "gold": {"design": "random"}}
    >>> _check_once(both, 'design = "topics"\n[gold]\ndesign = "random"', "study.toml")
    Traceback (most recent call last):
    truegain.errors.InputError: study.toml:3: gold.design is given twice, first as design in line 1 (keep one)
    """
    seen: dict[str, list[tuple[int, str]]] = {}
    for key, value in values.items():
        begin = line_of(text, key) or 0
        names = {of.field: of.name for of in OF_CONFIGS if of.table == key} if isinstance(value, dict) else {}
        for inner in value if names else ():
            option = names.get(inner.replace("-", "_"), f"{key}.{inner}")
            seen.setdefault(option, []).append((line_of(text, inner, begin) or begin, f"{key}.{inner}"))
        if not names:
            seen.setdefault(key.replace("-", "_"), []).append((begin, key))
    for places in seen.values():
        if len(places) > 1:
            (first, earlier), (line, later) = sorted(places)[:2]
            problem = f"{later} is given twice, first as {earlier} in line {first}"
            raise InputError(problem, file=file, line=line, hint="keep one")


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
        raise InputError(f"not a text file: {error.reason}", file=shown_path(path), hint="save it as UTF-8") from None


def _parsed(text: str, file: str) -> dict[str, Any]:
    import tomllib  # here: commands without a study file start sooner

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"^(.*) \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        fault, line = (match[1], int(match[2]) if match[2] else None) if match else (str(error), None)
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
        return InputError(f"{key} appears twice{first}", file=file, line=line, hint="keep one")
    hint = 'write lines such as judgments = "gold.qrels"'
    return InputError(f"not valid TOML: {fault}", file=file, line=line, hint=hint)


def _is_open(lines: list[str], begun: list[int]) -> bool:
    """Whether the last list that begins has no end."""
    return bool(begun) and "]" not in "".join(lines[begun[-1] - 1 :]).partition("[")[2]


def _texts_of(value: Any, paths: bool) -> tuple[str, ...]:
    """The values of a key as refusals tell them."""
    parts = [str(x) for x in value] if isinstance(value, list) else [str(value)]
    return tuple(dict.fromkeys([*parts, *(map(shown_path, parts) if paths else ())]))


def _value(
    value: Any, several: bool, folder: Path | None, key: str, file: str, line: int | None = None, by_name: bool = True
) -> Any:  # fmt: skip
    """A value as the command line would have it: lists with commas, tables as name=value, paths from the file on.

    >>> _value(["topics", "collection"], False, None, "population", ""), _value("P@10", True, None, "measure", "")
    ('topics,collection', ['P@10'])
    >>> _value({"dense": ["m1", "e5"]}, True, Path(), "system-models", ""), _value("g.csv", False, Path(), "gold", "")
    (['dense=m1', 'dense=e5'], 'g.csv')
    """
    if isinstance(value, Mapping):
        if not by_name:
            hint = "give a text" if folder is None else "give the path of a file"
            raise InputError(f"{key} is a table", file=file, line=line, hint=hint)
        value = [f"{name}={x}" for name, row in value.items() for x in (row if isinstance(row, list) else [row])]
    parts = value if isinstance(value, list) else [value]
    if not parts:
        hint = f"name one at least, or leave out {key}"
        raise InputError(f"{key} is an empty {'table' if isinstance(value, Mapping) else 'list'}", file=file, line=line,
                         hint=hint)  # fmt: skip
    if not all(isinstance(x, str | int | float) for x in parts):
        hint = "give a text, a number, a list or a table of these"
        raise InputError(f"{key} is {value!r}", file=file, line=line, hint=hint)
    if folder is not None:
        parts = [x if _is_no_path(str(x), key) else str(folder / str(x)) for x in parts]
    if several:
        return parts
    return parts[0] if len(parts) == 1 else ",".join(map(str, parts))


def _is_no_path(text: str, key: str) -> bool:
    """Words, system=model, labels in the ratings' own file, and addresses."""
    return (
        is_remote(text)
        or text in WORDS
        or (key.replace("_", "-") == "system-models" and "=" in text)
        or text.startswith(("column:", "assessor:", IRDS))
    )
