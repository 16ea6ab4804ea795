"""What readers of logs share: what a file begins with, its records with their places, numbers of words, short names."""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import json
import math
import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from truegain.errors import InputError, shorten
from truegain.io.logs.log import OK
from truegain.io.plain_text import COMPRESSED, plain_text
from truegain.io.separated import csv_cells

START = 1 << 16  # bytes that tell what a file is
FAILED, NO_VALUE, NOT_A_NUMBER = "failed", "no value", "not a number"
NOT_RUN, NOT_SCORED, UNKNOWN = "not run", "not scored", "unknown"
UNNAMED = "an unnamed LLM"  # a judge that is known to be a model, whose name the file does not have
YES_NO = {"yes": 1.0, "true": 1.0, "pass": 1.0, "no": 0.0, "false": 0.0, "fail": 0.0}
_LONG_CELL = 20_000  # characters of a cell that is text rather than metadata
_SHORT = 60  # characters of a text that is its own name
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|["\]\[{},:]', re.DOTALL)
_BLANK = re.compile(r"\s+")

Record = tuple[int, dict[str, Any]]  # its line, or its number where it has none, and what it holds


# ---- What a file is, by its beginning.


class Opening(NamedTuple):
    """How a file of JSON begins: as an object, or as a list of some, and with which keys; empty where it is no JSON."""

    kind: str
    keys: tuple[str, ...]

    def has(self, *keys: str) -> bool:
        """Whether all these keys are seen in the first object."""
        return set(keys) <= set(self.keys)


NO_JSON = Opening("", ())


def opening(data: bytes) -> Opening:
    """The keys of the first object in a file, as far as they stand in its first 64 KB; no value is read.

    >>> opening(b'[{"a": {"x": 1}, "b": [2]}]'), opening(b"1 0 d 1").keys
    (Opening(kind='list', keys=('a', 'b')), ())
    """
    return _opening(data[:START])


@lru_cache(maxsize=4)  # each tool asks for it
def _opening(start: bytes) -> Opening:
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith((b"{", b"[")):
        return NO_JSON
    keys: list[str] = []
    depth, is_list, last = 0, text.startswith(b"["), ""
    for token in _TOKEN.finditer(text.decode(errors="replace")):
        sign = token[0]
        if sign == '"':  # a text that goes on beyond what is looked at
            break
        if sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth == is_list:
                break
        elif sign == ":" and depth == 1 + is_list:
            keys.append(last)
        elif sign[0] == '"':
            last = token[1]
    return Opening("list" if is_list else "object", tuple(map(_unescaped, keys)))


def _unescaped(key: str) -> str:
    try:
        return str(json.loads(f'"{key}"', strict=False)) if "\\" in key else key
    except ValueError:
        return key


def header(data: bytes) -> list[str]:
    r"""The cells of the first row of a CSV; none for JSON or binary data.

    >>> header(b'a,"b, c"\n1,2\n')
    ['a', 'b, c']
    """
    start = data[:START].removeprefix(b"\xef\xbb\xbf")
    if b"," not in start or start.lstrip().startswith((b"{", b"[")) or b"\0" in start:
        return []
    try:
        return next(csv.reader(io.StringIO(start.decode(errors="replace"), newline="")), [])
    except csv.Error:
        return []


# ---- Records of a file.


def parsed(data: bytes, file: str) -> Any:
    """A file that is one JSON value; NaN and Infinity may stand in it, as Python's tools write them."""
    text = plain_text(data, file).decode()
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError("not readable JSON", file=file, line=line, hint="check that the file is complete") from None


def records(data: bytes, file: str) -> list[Record]:
    """The objects of a file: of a list, or one a line."""
    if opening(data).kind == "list":
        made = list(enumerate(parsed(data, file), 1))
        if bad := next((number for number, record in made if not isinstance(record, dict)), None):
            raise InputError(
                "not an object", file=file, row=bad, text=str(made[bad - 1][1]), hint="write a list of objects"
            )
        return made
    made = []
    for number, line in enumerate(plain_text(data, file).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            text = line[:200].decode(errors="replace")
            raise InputError("not an object of JSON", file=file, line=number, text=text, hint="check that it is whole")
        made.append((number, record))
    return made


def csv_rows(data: bytes, file: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The names of the columns of a CSV, as they stand there, and its rows with the lines on which they begin."""
    width, cells, begin = csv_cells(plain_text(data, file), ",", file, (), False)
    rows = [cells[at : at + width] for at in range(0, len(cells), width)] if width else []
    lines = np.asarray(begin).tolist()
    return (rows[0] if rows else []), list(zip(lines[1:], rows[1:], strict=True))


def table(data: bytes, file: str) -> list[Record]:
    """The rows of a CSV, or the objects of JSON, by the names of the columns."""
    if opening(data).kind:
        return records(data, file)
    names, rows = csv_rows(data, file)
    return [(line, dict(zip(names, cells, strict=True))) for line, cells in rows]


# ---- Values.


def value_of(cell: Any, words: Mapping[str, float], score: str, file: str, place: Record | int) -> tuple[float, str]:
    """The number that a cell stands for and the status 'ok', or NaN and why there is none; an unknown word is refused.

    >>> value_of("C", {"c": 1.0}, "match", "a.eval", 1), value_of(None, {}, "match", "a.eval", 1)
    ((1.0, 'ok'), (nan, 'no value'))
    """
    if cell is None:
        return math.nan, NO_VALUE
    if isinstance(cell, bool | int | float):
        return (float(cell), OK) if math.isfinite(cell) else (math.nan, NOT_A_NUMBER)
    if isinstance(cell, str):
        word = cell.strip()
        if not word:
            return math.nan, NO_VALUE
        if word.lower() in words:
            return words[word.lower()], OK
        if (number := plain_number(word)) is not None:
            return (number, OK) if math.isfinite(number) else (math.nan, NOT_A_NUMBER)
    known = ", ".join(f"{word} = {value:g}" for word, value in words.items())
    row = place if isinstance(place, int) else place[0]
    raise InputError(
        f"the value of {score!r} is not a number", file=file, row=row, text=shorten(str(cell)),
        hint=f"numbers are read{f', and these words: {known}' if known else ''}; write one of them there",
    )  # fmt: skip


def plain_number(text: str) -> float | None:
    """The number that a text is; None where it is none."""
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def is_value(cell: Any) -> bool:
    """Whether a cell may hold a value: a number, or nothing."""
    if isinstance(cell, str):
        return not cell.strip() or plain_number(cell) is not None
    return cell is None or isinstance(cell, bool | int | float)


# ---- Names.


def digest(value: Any) -> str:
    """Eight hexadecimal digits that tell one value of JSON from others."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:8]


def short_name(text: str) -> str:
    r"""A text as the name of a topic: itself where it is short, else its beginning and a digest of all of it.

    >>> short_name("capital of\n France?"), short_name("a very long question " * 5)
    ('capital of France?', 'a very long question a very long question a very [47fd2157]')
    """
    plain = _BLANK.sub(" ", text).strip()
    return plain if 0 < len(plain) <= _SHORT else f"{plain[: _SHORT - 11].strip()} [{digest(text)}]".strip()


def name_of(value: Any) -> str:
    """The name of a topic by what was asked: a text, or an object of fields; one field alone is its value."""
    if isinstance(value, Mapping):
        fields = {str(key): field for key, field in value.items() if field is not None}
        if len(fields) == 1:
            return name_of(next(iter(fields.values())))
        text = ", ".join(f"{key}={_plain(fields[key])}" for key in sorted(fields))
        return short_name(text)
    return short_name(value if isinstance(value, str) else _plain(value))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def stem(file: str) -> str:
    """The name of a file without folder and endings.

    >>> stem("logs/weak.json.gz")
    'weak'
    """
    name = PurePath(file).name
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return PurePath(name).stem


def id_of(value: Any, what: str, file: str, place: int) -> str:
    """An id as text; what is none is refused."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise InputError(
            f"no {what}", file=file, row=place, text=shorten(str(value)), hint="every record needs its own"
        )
    return str(value).strip()


def scalars(fields: Any, prefix: str) -> dict[str, str]:
    """The fields of an object that are texts, numbers or truth values, as texts, with a prefix before their names.

    Fields of objects within, also of such as JSON in a cell of a table, have the names of both with a dot between.

    >>> scalars({"topic": "t0", "n": 2, "list": []}, "metadata.")
    {'metadata.topic': 't0', 'metadata.n': '2'}
    >>> scalars({"metadata": {"doc": {"kind": "faq"}}, "source": '{"page": 3}'}, "")
    {'metadata.doc.kind': 'faq', 'source.page': '3'}
    """
    if not isinstance(fields, Mapping):
        return {}
    found: dict[str, str] = {}
    for key, value in fields.items():
        inner = _object_in(value)
        if isinstance(inner, Mapping):
            found |= scalars(inner, f"{prefix}{key}.")
        elif isinstance(value, str | int | float) and str(value):
            found[f"{prefix}{key}"] = str(value)
    return found


def _object_in(cell: Any) -> Any:
    """The object that a cell holds, also as JSON or as Python shows it (so pandas writes CSV); else the cell."""
    if not isinstance(cell, str) or not (cell.startswith("{") and cell.endswith("}")) or len(cell) > _LONG_CELL:
        return cell
    for read in (json.loads, python_value):
        with suppress(ValueError, RecursionError):
            return read(cell)
    return cell


def python_value(text: str) -> Any:
    r"""What Python shows as this text; a ValueError where it is none, as of `{{}}`, and never a warning, as of `\d`.

    >>> python_value("{'page': 3}"), python_value(r"'\d'")
    ({'page': 3}, '\\d')
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (SyntaxError, TypeError, RecursionError, MemoryError) as error:  # TypeError: an object as a key
        raise ValueError(f"no value of Python: {shorten(text)}") from error


class Clusters:
    """What the topics have in the columns of their samples; a column in which a topic has two values is left out."""

    def __init__(self) -> None:
        self.columns: dict[str, dict[str, str]] = {}
        self.several: dict[str, str] = {}  # by column, which topic has two values

    def add(self, topic: str, fields: Mapping[str, str]) -> None:
        """Note what a sample of a topic has."""
        for name, value in fields.items():
            if (before := self.columns.setdefault(name, {}).setdefault(topic, value)) != value:
                self.several.setdefault(name, f"topic {topic} has {before!r} and {value!r} there")

    def made(self) -> dict[str, dict[str, str]]:
        """By column, what each topic has there."""
        return {name: column for name, column in self.columns.items() if name not in self.several}


class Repeats:
    """Numbers the records of one topic and system in their order, from 1."""

    def __init__(self) -> None:
        self.seen: Counter[tuple[str, ...]] = Counter()

    def next(self, *key: str) -> int:
        """The number of this record among those of the same key."""
        self.seen[key] += 1
        return self.seen[key]


def inputs_digest(inputs: Mapping[str, Any]) -> str:
    """A digest of what was asked in each topic: two logs with the same topics and another digest asked otherwise."""
    return digest({topic: digest(question) for topic, question in inputs.items()})


def no_records(file: str, words: str, hint: str) -> InputError:
    """What is said of a log in which nothing was scored or recorded."""
    return InputError(f"{words} that holds no samples", file=file, hint=hint)


def listed(value: Any) -> Sequence[Any]:
    """A list as it is, anything else as an empty one."""
    return value if isinstance(value, list) else []


def fields_of(value: Any) -> Mapping[str, Any]:
    """An object as it is, anything else as an empty one."""
    return value if isinstance(value, Mapping) else {}
