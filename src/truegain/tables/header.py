"""What the user says about the columns of a file: their names where there is no line of names, other names of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from truegain.errors import InputError, TruegainError
from truegain.tables.raw import COLUMNS, EXTRA

Missing = Literal["refuse", "drop"]  # rows without a label
Outside = Literal["error", "drop"]  # ratings outside the scale
Repeated = Literal["error", "first", "last", "mean", "all"]  # ratings of one document by one assessor
ColumnNames = str | Sequence[str] | Mapping[str, str]

COLUMN, ASSESSOR = "column:", "assessor:"  # where gold labels stand in the judgments' own table
SKIPPED = ("-", "_")  # a column that is not read
OF_RUNS, OF_JUDGMENTS = ("score", "rank", "system"), ("label", "assessor", "subtopic", *EXTRA)
_OURS = {theirs: ours for ours, names in COLUMNS.items() for theirs in names}
_WRITE = "write topic,doc,score for a file without a line of names, or ours=theirs, as in label=grade"


@dataclass(frozen=True)
class Header:
    """Names of columns: all of them, in their order, or others than ours.

    >>> Header.of("topic,-,doc,rank").names, Header.of("label=grade,topic=query").renamed
    (('topic', '-', 'doc', 'rank'), {'label': 'grade', 'topic': 'query'})
    """

    names: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: ColumnNames | None) -> Header:
        """From a text, a list of names, or {ours: theirs}."""
        if isinstance(columns, Mapping):
            return cls(renamed=_known(dict(columns)))
        parts = [p.strip() for p in columns.split(",")] if isinstance(columns, str) else list(columns or ())
        if not any("=" in part for part in parts):
            return cls(_listed(parts))
        pairs: dict[str, str] = {}
        for part in parts:
            ours, equals, theirs = (x.strip() for x in part.partition("="))
            if not (ours and equals and theirs):
                raise InputError(f"columns {','.join(parts)!r}: {part!r} is not ours=theirs", hint=_WRITE)
            pairs[ours] = theirs
        return cls(renamed=_known(pairs))

    def __bool__(self) -> bool:
        return bool(self.names or self.renamed)

    @property
    def written(self) -> str | None:
        """As a text that `of` reads; None: nothing was said."""
        return ",".join(self.names or (f"{ours}={theirs}" for ours, theirs in self.renamed.items())) or None

    @property
    def kinds(self) -> set[str]:
        """Our names of the columns, whichever way they are given."""
        return {_OURS.get(name, name) for name in self.names} - set(SKIPPED) | set(self.renamed)


def _known(pairs: dict[str, str]) -> dict[str, str]:
    unknown = set(pairs) - {*COLUMNS, *EXTRA}
    if unknown:
        raise InputError(
            f"there is no column called {', '.join(sorted(unknown))}", hint=f"ours are {', '.join((*COLUMNS, *EXTRA))}"
        )
    return pairs


def _listed(parts: Sequence[str]) -> tuple[str, ...]:
    """Names of all columns, each known once, with a topic and a document among them."""
    names = [part.strip().lower() for part in parts]
    ours = [_OURS.get(name, name) for name in names if name not in SKIPPED]
    twice = next((name for name in ours if ours.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"columns {','.join(parts)!r}: {twice} is named twice", hint="'-' stands for one not read")
    if names and not (all(names) and {"topic", "doc"} <= set(ours)):
        raise InputError(f"columns {','.join(parts)!r} do not name a topic and a doc", hint=_WRITE)
    return tuple(names)


def own_gold(name: str, place: object) -> str | None:
    """The column or assessor of the judgments' own file that has the gold labels, where `place` names one.

    >>> own_gold("gold", "column:expert"), own_gold("gold", "gold.qrels")
    ('column:expert', None)
    """
    if not (isinstance(place, str) and place.startswith((COLUMN, ASSESSOR))):
        return None
    if not place.partition(":")[2]:
        raise TruegainError(f"{name} {place!r}: name it, as in {COLUMN}gold or {ASSESSOR}ann")
    return place


@dataclass(frozen=True)
class Told:
    """What the command that runs was told of its files: how judgments and runs are read."""

    judgments: str | None = None  # the path of the judgments
    judged: Header = field(default_factory=Header)
    ran: Header = field(default_factory=Header)
    missing: Missing = "refuse"
    gold: str | None = None  # 'column:NAME' or 'assessor:NAME': the gold labels stand in the judgments' own file
    kept: dict[str, Any] = field(default_factory=dict)  # those gold labels, once the judgments are read
    memory: int | None = None  # bytes that may be taken
    say: Callable[[str], object] = str  # where the user is told what is done; in Python nowhere


_told = Told()  # of the command that runs; in Python all is said to the functions themselves


@contextmanager
def telling(told: Told) -> Iterator[None]:
    """While a command runs: how its files are to be read."""
    global _told
    before, _told = _told, told
    try:
        yield
    finally:
        _told = before


def told() -> Told:
    """What the command that runs was told."""
    return _told


def both_headers(text: str) -> tuple[Header, Header]:
    """Of judgments and of runs, from one text: parts with ';' between them, told apart by what they name.

    A score, a rank or a system is of runs; a label, an assessor or a subtopic of judgments; pairs of topic and doc
    alone are of both.

    >>> [h.names for h in both_headers("topic,doc,label;topic,doc,rank")]
    [('topic', 'doc', 'label'), ('topic', 'doc', 'rank')]
    """
    judged, ran = Header(), Header()
    for part in filter(None, (p.strip() for p in text.split(";"))):
        header = Header.of(part)
        runs, labels = header.kinds & set(OF_RUNS), header.kinds & set(OF_JUDGMENTS)
        if header.names and bool(runs) == bool(labels):
            raise InputError(
                f"columns {part!r}: it cannot be told whether this is about judgments or runs",
                hint="name a label, as in topic,doc,label, or a score or rank, as in topic,doc,rank; both with ';'",
            )
        if header.names:
            judged, ran = (judged, header) if runs else (header, ran)
            continue
        ours = {name: theirs for name, theirs in header.renamed.items() if name not in OF_RUNS}
        theirs = {name: x for name, x in header.renamed.items() if name not in OF_JUDGMENTS}
        judged = judged if runs and not labels else Header(judged.names, {**judged.renamed, **ours})
        ran = ran if labels and not runs else Header(ran.names, {**ran.renamed, **theirs})
    return judged, ran
