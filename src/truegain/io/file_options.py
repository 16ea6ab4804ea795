"""What the user says of files: names of their columns, and what else a command was told of how they are read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from truegain.errors import InputError, TruegainError
from truegain.io.columns import COLUMNS, EXTRA, number_of, our_name
from truegain.message import argname

Missing = Literal["refuse", "drop"]  # rows without a label
ColumnNames = str | Sequence[str] | Mapping[str, str]

COLUMN, ASSESSOR = "column:", "assessor:"  # where gold labels stand in the judgments' own table
SKIPPED = ("-", "_")  # a column that is not read
OF_RUNS, OF_JUDGMENTS = ("score", "rank", "system"), ("label", "assessor", "subtopic", *EXTRA)
IDS = ("topic", "doc")
BOARD = ("run", "topic", "measure", "value")  # columns of a leaderboard; where a file has one run, without 'run'
Role = Literal["judgments", "runs", "gold"]  # what a file is read as; gold: all labels beside the judgments
KnownIds = Mapping[str, Set[str]]  # topics and documents, by our names
_OF = re.compile(r"(judgments|runs|gold)\s*:(.*)", re.DOTALL)
_WRITE = "write topic,doc,score for a file without a header, or ours=theirs, as in label=grade"


@dataclass(frozen=True, eq=False)
class Several:
    """Files that the same is said of: it counts for those that it fits, and must fit one of them."""

    files: int
    without: dict[str, set[str]] = field(default_factory=dict)  # what was said: the files that it does not fit

    def none_has(self, names: str, file: str) -> bool:
        """Note that something said does not fit a file; whether it fits none at all."""
        self.without.setdefault(names, set()).add(file)
        return len(self.without[names]) >= self.files


@dataclass(frozen=True)
class Header:
    """Names of columns: all of them, in their order, or others than ours.

    >>> Header.of("topic,-,doc,rank").names, Header.of("label=grade,topic=query").renamed
    (('topic', '-', 'doc', 'rank'), {'label': 'grade', 'topic': 'query'})

    lent: what is said of another file, which holds here too where this one has no names that we know.
    several: where it is said of more files than one.  also: further names of a column, which some of these have.
    """

    names: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    lent: Header | None = None
    role: Role = "judgments"
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    several: Several | None = field(default=None, repr=False, compare=False)

    def of_files(self, files: int) -> Header:
        """A header said of so many files: it counts for those that it fits, and is refused where it fits none."""
        return replace(self, several=Several(files)) if files > 1 and (self.names or self.renamed) else self

    def fits_none(self, names: str, file: str) -> bool:
        """Whether what was said, which does not fit this file, fits no other either."""
        return self.several is None or self.several.none_has(names, file)

    @classmethod
    def of(cls, columns: ColumnNames | Header | None) -> Header:
        """From a text, a list of names, or {ours: theirs}."""
        if isinstance(columns, Header):
            return columns
        if isinstance(columns, Mapping):
            return cls(renamed=_known(dict(columns)))
        parts = [p.strip() for p in columns.split(",")] if isinstance(columns, str) else list(columns or ())
        if not any("=" in part for part in parts):
            return cls(_listed(parts))
        pairs: dict[str, str] = {}
        for part in parts:
            ours, equals, theirs = (x.strip() for x in part.partition("="))
            if not (ours and equals and theirs):
                raise InputError(f"{argname('columns', ','.join(parts))}: {part!r} is not ours=theirs", hint=_WRITE)
            if pairs.setdefault(ours, theirs) != theirs:
                raise InputError(
                    f"{argname('columns', ','.join(parts))}: {ours} has two names, {pairs[ours]} and {theirs}",
                    hint="names in another kind of file stand behind a semicolon: "
                    f";{'runs' if ours in OF_RUNS else 'gold'}:{ours}={theirs}",
                )
        return cls(renamed=_known(pairs))

    def __bool__(self) -> bool:
        return bool(self.names or self.renamed or self.lent)

    @property
    def theirs(self) -> dict[str, str]:
        """Other names of ours that columns may have here, with '+' between several."""
        every = {ours: "+".join(self.names_of(ours)) for ours in self.renamed}
        return {**(self.lent.renamed if self.lent else {}), **every}

    def names_of(self, ours: str) -> tuple[str, ...]:
        """The names that a column of ours may have, the last said first."""
        return (self.renamed[ours], *self.also.get(ours, ()))

    @property
    def unnamed(self) -> tuple[str, ...]:
        """The names of all columns where no line of the file has them, and it is not as TREC writes it."""
        return self.names or (self.lent.names if self.lent else ())

    @property
    def written(self) -> str | None:
        """As a text that `of` reads; None: nothing was said."""
        return ",".join(self.names or (f"{ours}={theirs}" for ours, theirs in self.renamed.items())) or None

    @property
    def kinds(self) -> set[str]:
        """Our names of the columns, whichever way they are given."""
        return {our_name(name) or name for name in self.names} - set(SKIPPED) | set(self.renamed)


def _known(pairs: dict[str, str]) -> dict[str, str]:
    unknown = set(pairs) - {*COLUMNS, *EXTRA}
    if unknown:
        raise InputError(
            f"truegain has no column named {', '.join(sorted(unknown))}",
            hint=f"its columns are {', '.join((*COLUMNS, *EXTRA))}",
        )
    return pairs


def _listed(parts: Sequence[str]) -> tuple[str, ...]:
    """Names of all columns, each known once, with a topic and a document among them."""
    names = [part.strip().lower() for part in parts]
    ours = [our_name(name) or name for name in names if name not in SKIPPED]
    twice = next((name for name in ours if ours.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"{argname('columns', ','.join(parts))}: {twice} is named twice", hint="'-' marks a column to skip"
        )
    if names and not (all(names) and {"topic", "doc"} <= set(ours)):
        raise InputError(f"{argname('columns', ','.join(parts))} do not name a topic and a doc", hint=_WRITE)
    return tuple(names)


def board_of(text: str) -> tuple[str, ...]:
    """The columns of a leaderboard, where a text lists them in any order; else nothing.

    >>> board_of("topic, run,measure,value"), board_of("measure,topic,value"), board_of("topic,doc,label")
    (('topic', 'run', 'measure', 'value'), ('measure', 'topic', 'value'), ())
    """
    names = tuple(part.strip().lower() for part in text.split(","))
    return names if sorted(names) in (sorted(BOARD), sorted(BOARD[1:])) else ()


def own_gold(name: str, place: object) -> str | None:
    """The column or assessor of the judgments' own file that has the gold labels, where `place` names one.

    >>> own_gold("gold", "column:expert"), own_gold("gold", "gold.qrels")
    ('column:expert', None)
    """
    if not (isinstance(place, str) and place.startswith((COLUMN, ASSESSOR))):
        return None
    if not place.partition(":")[2]:
        raise TruegainError(f"{argname(name, place)}: name it, as in {COLUMN}gold or {ASSESSOR}ann")
    return place


def values_of(text: str | Mapping[str, float] | None) -> dict[str, float]:
    """Numbers for labels that are words, from a text.

    >>> values_of("not relevant=0,relevant=2")
    {'not relevant': 0.0, 'relevant': 2.0}
    """
    if not isinstance(text, str):
        return dict(text or {})
    numbers: dict[str, float] = {}
    for part in text.split(",") if text else ():
        word, equals, number = (x.strip() for x in part.rpartition("="))
        if not (word and equals and number):
            raise TruegainError(f"{argname('values', text)}: {part!r} is not name=value; write a=b,c=d")
        if (value := number_of(number)) is None:
            raise TruegainError(f"{argname('values')}: {number!r} is not a number; write word=2")
        if numbers.setdefault(word, value) != value:
            raise TruegainError(f"{argname('values', text)}: {word!r} has two numbers; give one")
    return numbers


def number_of_word(value: Any, values: Mapping[str, float]) -> float | None:
    """The number that a word stands for, if it stands for one.

    >>> number_of_word("Good ", {"good": 2.0}), number_of_word("GOOD", {"good": 2.0, "Good": 1.0})
    (2.0, None)
    """
    if not (values and isinstance(value, str)):
        return None
    word = value.strip()
    if word in values:
        return float(values[word])
    alike = {float(number) for other, number in values.items() if other.casefold() == word.casefold()}
    return alike.pop() if len(alike) == 1 else None


class Headers(NamedTuple):
    """What is said of the columns of judgments, of runs, and of gold and other labels."""

    judgments_header: Header
    runs_header: Header
    gold_header: Header


def headers_of(text: str) -> Headers:
    """Of judgments, runs and gold labels, from one text: parts with ';' between them, told apart by what they name.

    A score, a rank or a system is of runs; a label, an assessor or a subtopic of judgments; pairs of topic and doc
    alone are of both.  'runs:', 'gold:' or 'judgments:' before a part says what it is of.  What is said of one kind of
    file is lent to the others, where these have no names that we know.  Files of runs may have different names.

    >>> [h.names for h in headers_of("topic,doc,label;topic,doc,rank")]
    [('topic', 'doc', 'label'), ('topic', 'doc', 'rank'), ()]
    >>> [dict(h.theirs) for h in headers_of("topic=q,label=llm;gold:label=human")]
    [{'topic': 'q', 'label': 'llm'}, {'topic': 'q'}, {'topic': 'q', 'label': 'human'}]
    """
    own: dict[str, Header] = {"judgments": Header(), "runs": Header(), "gold": Header()}
    for part in filter(None, (p.strip() for p in text.split(";"))):
        if board_of(part):  # of answers, which are told apart by what they hold
            continue
        named = _OF.fullmatch(part)
        header = Header.of(named[2].strip() if named else part)
        roles = [named[1]] if named else _roles(header, part)
        for role in roles:
            if header.names:
                own[role] = header
                continue
            others = OF_JUDGMENTS if role == "runs" else OF_RUNS
            pairs = {ours: theirs for ours, theirs in header.renamed.items() if named or ours not in others}
            before = own[role]
            also = dict(before.also)
            if role == "runs":  # of which there may be several files, with names of their own
                changed = {ours for ours, theirs in pairs.items() if before.renamed.get(ours, theirs) != theirs}
                also |= {ours: before.names_of(ours) for ours in changed}
            own[role] = Header(before.names, {**before.renamed, **pairs}, also=also)
    judged, ran, gold = own.values()
    of_labels = {ours: theirs for ours, theirs in judged.renamed.items() if ours in COLUMNS}
    return Headers(
        Header(judged.names, judged.renamed, Header(renamed=_ids(gold) | _ids(ran))),
        Header(ran.names, ran.renamed, Header(renamed=_ids(gold) | _ids(judged)), "runs", ran.also),
        Header(gold.names, gold.renamed, Header(judged.names, {**_ids(ran), **of_labels}), "gold"),
    )


def _ids(header: Header) -> dict[str, str]:
    return {ours: theirs for ours, theirs in header.renamed.items() if ours in IDS}


def _roles(header: Header, part: str) -> list[str]:
    """What a part is of, by what it names."""
    runs, labels = header.kinds & set(OF_RUNS), header.kinds & set(OF_JUDGMENTS)
    if header.names and bool(runs) == bool(labels):
        raise InputError(
            f"{argname('columns', part)}: this may be about judgments or about runs",
            hint="name a label, as in topic,doc,label, or a score or rank, as in topic,doc,rank; both with ';'",
        )
    if bool(runs) != bool(labels):
        return ["runs" if runs else "judgments"]
    return ["judgments", "runs"]


# ---- What a command was told of its files: `columns`, `missing`, `values`, `memory`, `judge_model`.
#
# Readers far below a command ask `file_options()`, and no function between hands them over.  In Python these are the
# defaults, and all is said to the functions themselves.
#
# Set once while a command runs, by `cli/every_command.py: reads_inputs` (`doctor` and `plan fill` set them
# themselves), and by `study/study_file.py` while a study is read.  Within, `read_judgments` may change the values,
# `study/file_kinds.py` and `file_roles` the columns of a file that they look at.
#
# Read where files are read: in `trec`, `separated`, `named_tables`, `json_files`, `file_roles` and
# `logs/autojudge` of this folder for columns and words, in `memory` and `plain_text` for bytes; in `data` by
# `judgments`, `ratings`, `runs`, `batches`, `item_reading` and `label_list_reading`; above by `measures/evaluate`,
# `aggregation/reading`, `study/file_kinds` and `study/inputs`; and in `cli` where a command says what was typed.


@dataclass(frozen=True)
class FileOptions:
    """What the command that runs was told of its files: how judgments, runs and other labels are read."""

    judgments: str | None = None  # the path of the judgments
    judgments_header: Header = field(default_factory=Header)
    runs_header: Header = field(default_factory=lambda: Header(role="runs"))
    gold_header: Header = field(default_factory=lambda: Header(role="gold"))  # gold labels, and others
    missing: Missing = "refuse"
    gold: str | None = None  # 'column:NAME' or 'assessor:NAME': the gold labels stand in the judgments' own file
    gold_from_judgments: dict[str, Any] = field(default_factory=dict)  # those gold labels, once the judgments are read
    memory: int | None = None  # bytes that may be taken
    say: Callable[[str], object] = str  # where the user is told what is done; in Python nowhere
    columns: str | None = None  # what was said of columns, as it was written; None: in Python
    unused_gold: str = ""  # what is to be said of gold labels that a study names and the command does not take
    values: Mapping[str, float] = field(default_factory=dict)  # numbers for labels that are words
    judge_model: str | None = None  # the model that gave the judgments
    elsewhere: Callable[[Role], KnownIds | None] = lambda role: None  # noqa: ARG005  ids in the files beside one
    check_name: Callable[[str], object] = str  # refuses the name of a column that no file of the command has

    @property
    def board(self) -> tuple[str, ...]:
        """The columns of a leaderboard in their order, where it was said what they are."""
        return next(filter(None, map(board_of, (self.columns or "").split(";"))), ())

    def is_judgments(self, path: str | os.PathLike[str]) -> bool:
        """Whether these are the judgments of the command."""
        return os.fspath(path) == self.judgments

    def header_of(self, path: str | os.PathLike[str]) -> Header:
        """What was said of the columns of a file of labels."""
        return self.judgments_header if self.is_judgments(path) else self.gold_header

    def option(self, role: Role, names: Mapping[str, str] | str) -> str:
        """What `columns` should say for a file to be read: what it says now, and these names of its columns.

        >>> FileOptions(columns="topic=frage").option("runs", {"topic": "query", "score": "bm25"})
        'topic=frage;runs:topic=query,score=bm25'
        >>> FileOptions(columns="label=note").option("judgments", {"topic": "frage"})
        'label=note,topic=frage'
        >>> FileOptions().option("gold", "topic,doc,label")
        'topic,doc,label'
        """
        typed = (self.columns or "").strip()
        more = names if isinstance(names, str) else ",".join(f"{ours}={theirs}" for ours, theirs in names.items())
        if self.columns is None or (not typed and role != "gold"):
            return more
        if not typed:
            return f"gold:{more}"
        plain = not isinstance(names, str) and role != "gold" and not (self.board or re.search("[;:]", typed))
        if plain and (known := Header.of(typed).renamed) and not set(names) & set(known):
            return f"{typed},{more}"
        return f"{typed};{role}:{more}"


_of_command = FileOptions()  # of the command that runs; in Python all is said to the functions themselves


@contextmanager
def read_with(options: FileOptions) -> Iterator[None]:
    """While a command runs: how its files are to be read."""
    global _of_command
    before, _of_command = _of_command, options
    try:
        yield
    finally:
        _of_command = before


def file_options() -> FileOptions:
    """How the command that runs reads its files."""
    return _of_command


def label_of(value: Any) -> float | None:
    """The number of a label: a number, or that of a word which the command was told; None where there is none.

    A word that people wrote with other capitals is the same word, unless two words differ by these alone.
    """
    number = number_of_word(value, _of_command.values)
    return number_of(value) if number is None else number
