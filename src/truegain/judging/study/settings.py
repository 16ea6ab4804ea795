"""`judging.toml`: what a study is, key by key, with the file, the line and the value of whatever is wrong."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from truegain.errors import InputError
from truegain.judging.study.units import ORDERS, Design
from truegain.judging.tasks.material import FORMATS, TEXT, Format
from truegain.tables.sources import read_bytes, shown_path

FILE = "judging.toml"
Platform = Literal["open", "invitation", "prolific", "mturk"]
ANY = "any"
PAPER = "magnitude"  # the task whose usual rules are the paper's: a topic once, 20 s on each document
OTHERS = 2  # people who are asked where one cannot judge, where nobody says
CODES = ("completed", "screened", "failed")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Rules:
    """What is asked of assessors; the paper's numbers unless the study says otherwise, or its task is another."""

    seconds: float = 20.0  # on each document, all visits; LLM judges are exempt
    practice_tries: int = 1
    question_tries: int = 1
    check_tries: int = 3  # times a set may be sent
    lease: float = 3600.0  # seconds that a place is kept after each step, once a document is judged
    decimal: Literal[".", ","] = "."
    show_previous: bool = False
    reason: bool = True  # whether a reason is asked
    first_lease: float = 900.0  # seconds that a place is kept until its first document is judged
    others: int = 0  # more people who are asked about an item that someone cannot judge


@dataclass(frozen=True)
class People:
    """Where assessors come from, and what the platform wants back."""

    platform: Platform = "open"
    codes: Mapping[str, str] = field(default_factory=dict)  # the platform's: completed, screened, failed
    pay: float | None = None  # for a finished unit
    currency: str = ""
    minutes: float | None = None
    most: int | None = None  # units that one person may take
    most_of_topic: int | None = 1  # of one topic; None: any number
    number: int | None = None  # of people there are, where that is known


@dataclass(frozen=True)
class Words:
    """What the pages say of the study."""

    title: str
    language: str = "en"
    contact: str = ""
    approved: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)  # entries of the catalogue that the study puts otherwise


@dataclass(frozen=True)
class JudgingSettings:
    """What `judging.toml` says; paths are relative to its folder."""

    name: str
    task: str = "magnitude"
    topics: str = "topics.jsonl"
    documents: str = "docs.jsonl"
    format: Format = TEXT  # of documents that do not say
    pool: tuple[str, ...] = ("pool.jsonl",)
    depth: int = 10  # to which runs in the pool are read
    gold_list: str = ""  # the list that the pool was made of, as `plan labels` wrote it
    bronze: str = ""  # the labels that it was drawn with, of a judge that errs: for the verdict so far
    runs: tuple[str, ...] = ()
    opponents: int = 4  # that each document is compared with, where preferences are asked and no pairs are named
    labels: tuple[Mapping[str, Any], ...] = ()
    design: Design = field(default_factory=Design)
    words: Words = field(default_factory=lambda: Words(""))
    rules: Rules = field(default_factory=Rules)
    people: People = field(default_factory=People)


class BadValueError(Exception):
    """What a value should be, where it is not."""


Check = Callable[[Any], Any]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadValueError("give a text, in quotes")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(x, str) for x in values):
        raise BadValueError("give a text or a list of texts")
    return tuple(values)


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadValueError("give true or false")
    return value


def _number(least: float, *, over: bool = False) -> Check:
    def check(value: Any) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not good or value < least or (over and value == least):
            raise BadValueError(f"give a number {'above' if over else 'of at least'} {least:g}")
        return float(value)

    return check


def _count(least: int = 1, *, even: bool = False) -> Check:
    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least or (even and value % 2):
            raise BadValueError(f"give {'an even' if even else 'a whole'} number of at least {least}")
        return value

    return check


def _count_or_any(value: Any) -> int | None:
    if value == ANY:
        return None
    try:
        return int(_count()(value))
    except BadValueError:
        raise BadValueError(f"give a whole number of at least 1, or {ANY!r}") from None


def _one_of(*known: str) -> Check:
    def check(value: Any) -> str:
        if value not in known:
            raise BadValueError(f"give one of {', '.join(map(repr, known))}")
        return str(value)

    return check


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise BadValueError("it stands in addresses: give letters, digits, - and _, at most 64")
    return value


def _codes(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(x, str) for x in value.values()):
        raise BadValueError("give a table of texts, as in { completed = 'C1' }")
    if unknown := [k for k in value if k not in CODES]:
        raise BadValueError(f"{unknown[0]!r} is not known; there are {', '.join(CODES)}")
    return dict(value)


def _tables(value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not all(isinstance(x, Mapping) for x in value):
        raise BadValueError("give tables [[labels]] with value, name and meaning")
    return tuple(value)


KEYS: dict[str, dict[str, Check]] = {
    "": {
        "name": _name, "task": _text, "topics": _text, "documents": _text, "format": _one_of(*FORMATS),
        "pool": _texts, "depth": _count(),
        "gold_list": _text, "bronze": _text, "runs": _texts, "opponents": _count(2, even=True), "labels": _tables,
    },
    "units": {"judgments": _count(), "size": _count(), "order": _one_of(*ORDERS), "seed": _count(0)},
    "words": {"title": _text, "language": _text, "contact": _text, "approved": _text},
    "rules": {
        "seconds": _number(0), "practice_tries": _count(), "question_tries": _count(), "check_tries": _count(),
        "first_lease": _number(60), "lease": _number(60), "decimal": _one_of(".", ","), "show_previous": _bool,
        "reason": _bool, "others": _count(0),
    },
    "people": {
        "platform": _one_of(*get_args(Platform)), "codes": _codes, "pay": _number(0), "currency": _text,
        "minutes": _number(0, over=True), "most": _count(), "most_of_topic": _count_or_any,
        "number": _count(),
    },
}  # fmt: skip


def read_settings(folder: str | Path, faults: list[str]) -> JudgingSettings | None:
    """What the file of a study says; all that is wrong with it is added to the faults, None where nothing can be told.

    A key that is wrong keeps its default, so that the rest can be checked.
    """
    path = Path(folder) / FILE
    file = shown_path(path)
    try:
        text = read_bytes(path).decode()
        said = tomllib.loads(text)
    except UnicodeDecodeError as error:
        faults.append(str(InputError(f"this is no text: {error.reason}", file=file, hint="save it as UTF-8")))
        return None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"^(.*) \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        problem = found[1] if found else str(error)
        line = int(found[2] or len(text.splitlines())) if found else None
        faults.append(str(InputError(f"this is no TOML: {problem}", file=file, line=line)))
        return None
    except InputError as error:
        hint = "make a study with truegain judging init" if error.problem == "no such file" else error.hint
        faults.append(InputError(error.problem, file=file, hint=hint).message)
        return None
    parts = {table: _table(said, table, text, file, faults) for table in KEYS}
    parts["texts"] = _texts_by_name(said.get("texts", {}), "", text, file, faults)
    return _settings(parts, Path(folder))


def _table(said: Mapping[str, Any], table: str, text: str, file: str, faults: list[str]) -> dict[str, Any]:
    """The values of one table that are as they should be."""
    known = KEYS[table]
    values = said.get(table, {}) if table else {k: v for k, v in said.items() if k not in (*KEYS, "texts")}
    if not isinstance(values, Mapping):
        faults.append(str(InputError(f"{table} is {values!r}", file=file, line=line_of(text, "", table),
                                     hint=f"write a table [{table}]")))  # fmt: skip
        return {}
    good: dict[str, Any] = {}
    for key, value in values.items():
        line = line_of(text, table, key)
        if key not in known:
            home = next((t for t, keys in KEYS.items() if key in keys), None)
            near = difflib.get_close_matches(key, [*known, *(k for k in KEYS if k and not table)], 1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            if home is not None:
                meant = f"it belongs into [{home}]" if home else "it belongs above all tables"
            where = f" of [{table}]" if table else ""
            faults.append(str(InputError(f"{key!r} is no key{where}", file=file, line=line, hint=meant)))
            continue
        try:
            good[key] = known[key](value)
        except BadValueError as fault:
            faults.append(str(InputError(f"{key} is {value!r}", file=file, line=line, hint=str(fault))))
    return good


def _texts_by_name(said: Any, above: str, text: str, file: str, faults: list[str]) -> dict[str, str]:
    """The texts of the pages that a study puts otherwise, by dotted name."""
    if isinstance(said, str):
        return {above: said}
    if not isinstance(said, Mapping):
        line = line_of(text, "texts", above.split(".")[0]) or line_of(text, "", "texts")
        faults.append(str(InputError(f"{above or 'texts'} is {said!r}", file=file, line=line, hint="give a text")))
        return {}
    found: dict[str, str] = {}
    for key, value in said.items():
        found |= _texts_by_name(value, f"{above}.{key}".lstrip("."), text, file, faults)
    return found


def _settings(parts: Mapping[str, dict[str, Any]], folder: Path) -> JudgingSettings:
    words = {"title": "", **parts["words"], "texts": parts["texts"]}
    task = parts[""].get("task", JudgingSettings.task)
    judgments = parts["units"].get("judgments", Design.judgments)
    rules = {**usual_rules(task, judgments, parts["people"].get("number")), **parts["rules"]}
    people = {"most_of_topic": usual_of_topic(task), **parts["people"]}
    if parts["people"].get("platform") == "prolific":  # its rules want two tries
        rules = {"practice_tries": 2, "question_tries": 2, **rules}
    top = {"name": name_of(folder), **parts[""]}
    return JudgingSettings(
        **top, design=Design(**parts["units"]), words=Words(**words), rules=Rules(**rules),
        people=People(**people),
    )  # fmt: skip


def usual_rules(task: str, judgments: int, number: int | None = None) -> dict[str, Any]:
    """What a task asks of assessors where a study does not say: the paper's 20 seconds are those of magnitudes.

    number: of people there are; no more others are asked than there are beside those who judge an item anyway.

    >>> usual_rules("magnitude", 10), usual_rules("graded", 1), usual_rules("graded", 1, 2)["others"]
    ({'seconds': 20.0, 'others': 0}, {'seconds': 0.0, 'others': 2}, 1)
    """
    if task == PAPER:
        return {"seconds": Rules.seconds, "others": 0}
    return {"seconds": 0.0, "others": OTHERS if number is None else max(0, min(OTHERS, number - judgments))}


def usual_of_topic(task: str) -> int | None:
    """Units of one topic that a person may take where a study does not say: one of magnitudes, as in the paper."""
    return 1 if task == PAPER else None


def name_of(folder: Path) -> str:
    """The name of a study by that of its folder."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", folder.resolve().name).strip("-_")[:64] or "study"


def line_of(text: str, table: str, key: str) -> int | None:
    r"""The line where a key of a table stands, or where the table itself begins; None where it is written otherwise.

    >>> line_of('name = "a"\n[rules]\nseconds = 3', "rules", "seconds"), line_of("[people.codes]\na = 1", "", "people")
    (3, 1)
    """
    name = rf"[\"']?{re.escape(key)}[\"']?"
    here = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\[?\s*([^\]]*?)\s*\]", line):
            here = header[1].replace('"', "").replace("'", "")
            if here == (f"{table}.{key}" if table else key) or (not table and here.startswith(f"{key}.")):
                return number
        elif here == table and re.match(rf"\s*{name}\s*[=.]", line):
            return number
    return None
