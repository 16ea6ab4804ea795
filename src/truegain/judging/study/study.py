"""A study: `judging.toml` and the files that it names, read and checked key by key."""

from __future__ import annotations

import difflib
import hashlib
import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from truegain.errors import InputError, TruegainError, counted, some
from truegain.io.files import read_bytes, shown_path
from truegain.judging.study.files import (
    JudgingPool,
    TopicRow,
    collecting,
    read_documents,
    read_pool,
    read_topics,
    refuse,
)
from truegain.judging.study.units import (
    ORDERS,
    Design,
    anchors_of,
    build_units,
    holding,
    items_of,
    places_of,
    rows_as_units,
)
from truegain.judging.tasks.base import FORMATS, TEXT, Document, Format, Task, Topic, Unit
from truegain.judging.tasks.catalogue import task_of
from truegain.results.settlement import AGGREGATES, Aggregate

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
class Team:
    """A team that labels the rows of a list, one document after the other, each person in a stream of their own."""

    double: float = 0.0  # share of rows that a second person labels, too
    lease: float = 120.0  # seconds that a row is kept for who was given it, since their last sign of life
    topic_page: bool = False  # whether a topic has a page of its own, with its question, before its documents
    aggregate: Aggregate = "median"  # what several people's labels of a row become, one of AGGREGATES


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
    team: Team | None = None


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


def _share(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise BadValueError("give a share from 0 to 1")
    return float(value)


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


def _one_of(*allowed: str) -> Check:
    def check(value: Any) -> str:
        if value not in allowed:
            raise BadValueError(f"give one of {', '.join(map(repr, allowed))}")
        return str(value)

    return check


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise BadValueError("it is part of addresses: give letters, digits, - and _, at most 64")
    return value


def _codes(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(x, str) for x in value.values()):
        raise BadValueError("give a table of texts, as in { completed = 'C1' }")
    if unknown := [k for k in value if k not in CODES]:
        raise BadValueError(f"{unknown[0]!r} is unknown; there are {', '.join(CODES)}")
    return dict(value)


def _tables(value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not all(isinstance(x, Mapping) for x in value):
        raise BadValueError("give tables [[labels]] with value, name and meaning")
    return tuple(value)


KEYS: dict[str, dict[str, Check]] = {
    "": {
        "name": _name,
        "task": _text,
        "topics": _text,
        "documents": _text,
        "format": _one_of(*FORMATS),
        "pool": _texts,
        "depth": _count(),
        "gold_list": _text,
        "bronze": _text,
        "runs": _texts,
        "opponents": _count(2, even=True),
        "labels": _tables,
    },
    "units": {"judgments": _count(), "size": _count(), "order": _one_of(*ORDERS), "seed": _count(0)},
    "words": {"title": _text, "language": _text, "contact": _text, "approved": _text},
    "rules": {
        "seconds": _number(0),
        "practice_tries": _count(),
        "question_tries": _count(),
        "check_tries": _count(),
        "first_lease": _number(60),
        "lease": _number(60),
        "decimal": _one_of(".", ","),
        "show_previous": _bool,
        "reason": _bool,
        "others": _count(0),
    },
    "people": {
        "platform": _one_of(*get_args(Platform)),
        "codes": _codes,
        "pay": _number(0),
        "currency": _text,
        "minutes": _number(0, over=True),
        "most": _count(),
        "most_of_topic": _count_or_any,
        "number": _count(),
    },
    "team": {"double": _share, "lease": _number(20), "topic_page": _bool, "aggregate": _one_of(*AGGREGATES)},
}
TEAM_DESIGN: dict[str, Any] = {"judgments": 1, "size": 1, "order": "decisive"}  # a row a unit, in the list's order


def read_settings(folder: str | Path, faults: list[str]) -> JudgingSettings | None:
    """What the file of a study says; all that is wrong with it is added to the faults, None where nothing can be told.

    A key that is wrong keeps its default, so that the rest can be checked.
    """
    path = Path(folder) / FILE
    file = shown_path(path)
    try:
        text = read_bytes(path).decode()
        content = tomllib.loads(text)
    except UnicodeDecodeError as error:
        faults.append(str(InputError(f"not a text file: {error.reason}", file=file, hint="save it as UTF-8")))
        return None
    except tomllib.TOMLDecodeError as error:
        located = re.search(r"^(.*) \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        problem = located[1] if located else str(error)
        line = int(located[2] or len(text.splitlines())) if located else None
        faults.append(str(InputError(f"not valid TOML: {problem}", file=file, line=line)))
        return None
    except InputError as error:
        if error.problem == "no such file":
            raise TruegainError(
                f"{shown_path(folder)} is not a study: it has no {FILE} (create one with "
                f"`truegain annotate init {shown_path(folder)}`)"
            ) from None
        faults.append(InputError(error.problem, file=file, hint=error.hint).message)
        return None
    parts = {table: _table(content, table, text, file, faults) for table in KEYS}
    if "team" not in content:
        del parts["team"]
    parts["texts"] = _texts_by_name(content.get("texts", {}), "", text, file, faults)
    return _settings(parts, Path(folder))


def _table(content: Mapping[str, Any], table: str, text: str, file: str, faults: list[str]) -> dict[str, Any]:
    """The values of one table that are as they should be."""
    checks = KEYS[table]
    values = content.get(table, {}) if table else {k: v for k, v in content.items() if k not in (*KEYS, "texts")}
    if not isinstance(values, Mapping):
        problem, hint = f"{table} is {values!r}", f"write a table [{table}]"
        faults.append(str(InputError(problem, file=file, line=line_of(text, "", table), hint=hint)))
        return {}
    good: dict[str, Any] = {}
    for key, value in values.items():
        line = line_of(text, table, key)
        if key not in checks:
            home = next((t for t, keys in KEYS.items() if key in keys), None)
            near = difflib.get_close_matches(key, [*checks, *(k for k in KEYS if k and not table)], 1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(checks)}"
            if home is not None:
                meant = f"it belongs in [{home}]" if home else "it belongs above all tables"
            where = f" of [{table}]" if table else ""
            faults.append(str(InputError(f"{key!r} is not a key{where}", file=file, line=line, hint=meant)))
            continue
        try:
            good[key] = checks[key](value)
        except BadValueError as fault:
            faults.append(str(InputError(f"{key} is {value!r}", file=file, line=line, hint=str(fault))))
    return good


def _texts_by_name(values: Any, above: str, text: str, file: str, faults: list[str]) -> dict[str, str]:
    """The texts of the pages that a study puts otherwise, by dotted name."""
    if isinstance(values, str):
        return {above: values}
    if not isinstance(values, Mapping):
        line = line_of(text, "texts", above.split(".")[0]) or line_of(text, "", "texts")
        faults.append(str(InputError(f"{above or 'texts'} is {values!r}", file=file, line=line, hint="give a text")))
        return {}
    texts: dict[str, str] = {}
    for key, value in values.items():
        texts |= _texts_by_name(value, f"{above}.{key}".lstrip("."), text, file, faults)
    return texts


def _settings(parts: Mapping[str, dict[str, Any]], folder: Path) -> JudgingSettings:
    words = {"title": "", **parts["words"], "texts": parts["texts"]}
    task = parts[""].get("task", JudgingSettings.task)
    team = Team(**parts["team"]) if "team" in parts else None
    units = {**TEAM_DESIGN, **parts["units"]} if team else parts["units"]
    judgments = units.get("judgments", Design.judgments)
    rules = {**usual_rules(task, judgments, parts["people"].get("number")), **parts["rules"]}
    rules = {"reason": False, **rules} if team else rules
    people = {"most_of_topic": usual_of_topic(task), **parts["people"]}
    if parts["people"].get("platform") == "prolific":  # its rules want two tries
        rules = {"practice_tries": 2, "question_tries": 2, **rules}
    top = {"name": name_of(folder), **parts[""]}
    return JudgingSettings(
        **top,
        design=Design(**units),
        words=Words(**words),
        rules=Rules(**rules),
        people=People(**people),
        team=team,
    )


def team_faults(settings: JudgingSettings, task: Task) -> list[str]:
    """What of a study does not fit a team that labels a list."""
    team, design, people = settings.team, settings.design, settings.people
    if team is None:
        return []
    faults = []
    if not task.options or task.has_anchors or task.item != "doc":
        faults.append(f"a [team] labels documents, and the task is {task.name}: use graded or binary")
    for key, value in TEAM_DESIGN.items():
        if getattr(design, key) != value:
            why = "; double in [team] asks a second person" if key == "judgments" else ""
            faults.append(f"{key} is {getattr(design, key)!r} in [units]: a [team] needs {value!r}{why}")
    if people.platform in ("prolific", "mturk"):
        faults.append(
            f"platform is {people.platform!r} in [people]: it pays a set once, and a [team] has no sets; "
            "use 'invitation' or 'open'"
        )
    if team.double and people.number == 1:
        faults.append("double in [team] asks a second person, and there is 1 (number in [people])")
    return faults


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


# ---------------------------------------------------------------------- the study


ALL = ": truegain annotate check lists all"


@dataclass(frozen=True)
class JudgingStudy:
    """A study as it is served.

    Attributes
    ----------
    folder : Path
        Where `judging.toml` is.
    name : str
        Part of every address of the study.
    task : Task
        What is asked about each item.
    topics, documents : mapping
        By id; only those that are judged.
    units : tuple of Unit
        In the order in which they are assigned.
    words, rules, people
        The tables of these names in `judging.toml`.
    runs, bronze, gold_list : str
        Files for the verdict so far, and the list that `export --filled` fills in.
    digest : str
        Changes whenever anything that is judged does.
    design : Design
        How the units were built.
    team : Team, optional
        The table of this name: people label the rows of a list in its order, in a stream.

    """

    folder: Path
    name: str
    task: Task
    topics: Mapping[str, Topic]
    documents: Mapping[str, Document]
    units: tuple[Unit, ...]
    words: Words
    rules: Rules = field(default_factory=Rules)
    people: People = field(default_factory=People)
    runs: tuple[str, ...] = ()  # for the verdict so far
    digest: str = ""
    design: Design = field(default_factory=Design)
    gold_list: str = ""  # the list that the pool was made of: export fills it in
    bronze: str = ""  # the labels that it was drawn with: for the verdict so far
    team: Team | None = None  # that labels the list in a stream of documents

    @cached_property
    def holding(self) -> Mapping[tuple[str, str], list[str]]:
        """Of each topic and item the units that ask about it, Hk and Nk aside."""
        return holding(self.units)


@dataclass
class Opened:
    """What of a study could be read, and all that is wrong with it; what could not be read is empty."""

    folder: Path
    faults: list[str] = field(default_factory=list)
    settings: JudgingSettings | None = None
    task: Task | None = None
    topics: list[TopicRow] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    pool: JudgingPool = field(default_factory=lambda: JudgingPool(()))
    units: tuple[Unit, ...] = ()

    def study(self) -> JudgingStudy:
        """The study, where nothing is wrong with it."""
        settings, task = self.settings, self.task
        refuse(self.faults, ALL)
        assert settings is not None, "what could not be read is a fault"
        assert task is not None, "so is a task that is not known"
        folder = self.folder
        listed = str(folder / settings.gold_list) if settings.gold_list else self.pool.gold_list
        return JudgingStudy(
            folder,
            settings.name,
            task,
            {t.topic.id: t.topic for t in self.topics},
            self.documents,
            self.units,
            settings.words,
            settings.rules,
            settings.people,
            tuple(str(folder / run) for run in settings.runs),
            self.digest(),
            settings.design,
            listed,
            str(folder / settings.bronze) if settings.bronze else "",
            settings.team,
        )

    def digest(self) -> str:
        """Of the task, its labels, the topics, the documents and the units."""
        task = self.task
        content = {
            "task": [task.name, task.options] if task else [],
            "topics": [t.topic for t in self.topics],
            "documents": [self.documents[name] for name in sorted(self.documents)],
            "units": self.units,
        }
        text = json.dumps(content, ensure_ascii=False, sort_keys=True, default=vars)  # asdict would copy it all
        return f"sha-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def read_study(folder: str | Path) -> JudgingStudy:
    """Read the study in a folder.

    Parameters
    ----------
    folder : str or Path
        With `judging.toml` in it.

    Returns
    -------
    JudgingStudy

    Raises
    ------
    InputError
        With the first fault; `truegain annotate check` lists them all.

    """
    return open_study(folder).study()


def open_study(folder: str | Path) -> Opened:
    """All that can be read of a study, and all that is wrong with it."""
    opened = Opened(Path(folder))
    faults = opened.faults
    settings = opened.settings = read_settings(opened.folder, faults)
    if settings is None:
        return opened
    rules = settings.rules
    with collecting(faults):
        more = {"labels": [dict(label) for label in settings.labels]} if settings.labels else {}
        opened.task = task_of(
            settings.task, {"seconds": rules.seconds, "reason": rules.reason, "decimal": rules.decimal, **more}
        )
    opened.topics = read_topics(opened.folder / settings.topics, faults)
    with collecting(faults):
        opened.pool = read_pool([opened.folder / name for name in settings.pool], depth=settings.depth)
    ids = {doc for row in opened.pool.rows for doc in row.item.docs}
    ids |= {doc for t in opened.topics for doc in (t.high, t.low) if doc}
    opened.documents = read_documents(opened.folder / settings.documents, faults, ids, settings.format)
    if opened.task is not None:
        faults += team_faults(settings, opened.task)
    if opened.task is not None and opened.topics and opened.pool.rows:
        _build(opened, settings, opened.task)
    return opened


def _build(opened: Opened, settings: JudgingSettings, task: Task) -> None:
    """Items, anchors and units; what stands in their way is added to the faults."""
    rows = opened.pool.by_topic()
    topic_ids = {t.topic.id for t in opened.topics}
    for topic in sorted(set(rows) - topic_ids):
        opened.faults.append(
            f"topic {topic} of the pool ({counted(len(rows[topic]), 'row')}) is not in {settings.topics}"
        )
    for topic in sorted(topic_ids - set(rows)):
        opened.faults.append(f"topic {topic} has nothing in the pool: take it out of {settings.topics}, or add to it")
    own = {t.topic.id: rows[t.topic.id] for t in opened.topics if t.topic.id in rows}
    anchors = anchors_of(opened.topics, own, (), opened.faults) if task.has_anchors else None
    items = items_of(own, task, settings.opponents, settings.design.seed, anchors, opened.faults)
    uses: dict[str, str] = {}  # the first topic that a document is wanted for
    for topic, listed in own.items():
        for item in (*(row.item for row in listed), *(anchors or {}).get(topic, ())):
            uses |= {doc: topic for doc in item.docs if doc not in uses}
    if lacking := sorted(set(uses) - set(opened.documents)):
        named = some([f"{doc} (topic {uses[doc]})" for doc in lacking], 5)
        opened.faults.append(f"{len(lacking):,} of the pool's documents not in {settings.documents}: {named}")
    opened.documents = {doc: document for doc, document in opened.documents.items() if doc in uses}
    with collecting(opened.faults):
        if settings.team is not None:
            opened.units = rows_as_units(items, settings.team.double, places_of(items, opened.pool.rows))
            return
        opened.units = build_units(items, settings.design, anchors, places_of(items, opened.pool.rows))
