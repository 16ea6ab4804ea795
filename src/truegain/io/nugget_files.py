"""Files of nuggets: which there are and how important each is, and which of them each answer supports.

Both come as tables, a row a nugget, or as nuggetizer writes them, a record a question or an answer that lists its
nuggets.  A value that the judge failed to give is missing, never 0.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from truegain.errors import InputError, counted, some, warn
from truegain.io import formats
from truegain.io.columns import number_of
from truegain.io.files import PathLike, can_be_read_again, pieces_of, shown_path
from truegain.io.named_tables import Columns, called_as, is_missing

SCORE = "support"  # of a nugget by an answer, from 0 to 1
VITAL, OKAY, UNKNOWN = 1.0, 0.5, 0.0  # what a nugget weighs; unknown: it counts only where importance does not
SUPPORT: dict[str, float] = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
IMPORTANCE: dict[str, float] = {"vital": VITAL, "okay": OKAY}
FAILED = ("failed", "fail", "error")
ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
LISTED = "nuggets"  # the list of nuggets in a record of nuggetizer
# Names of columns, the first one ours.
NAMES: dict[str, tuple[str, ...]] = {
    "topic": ("qid", "topic", "topic_id", "query_id", "question_id"),
    "system": ("system", "run_id", "run", "system_id"),
    "nugget": ("nugget_id", "nugget", "nugget_text", "text"),
    "importance": ("importance",),
    "assignment": ("assignment", "support", "label", "judgment", "value"),
    "judge": ("assessor", "judge", "annotator", "judge_model", "model"),
    "replicate": ("replicate", "epoch", "repeat", "trial"),
}
CALLED = {"topic": "qid", "system": "system", "label": "assignment", "assessor": "assessor"}  # what `columns` may name
MODEL_COLUMNS = ("judge_model", "model")  # that name a model, so its row is no person's
_KEY = re.compile(rb'"(nuggets?|nugget_id|nugget_text|importance|assignment)"\s*:')
_WORD = re.compile(rb'[",](not_support|partial_support|support)\b')


class NuggetRow(NamedTuple):
    """One nugget of a question, or of an answer to it.

    Attributes
    ----------
    topic : str
        The question.
    nugget : str
        Its name: an id, or its text.
    other : str
        Its text, where the name is an id; else the name.
    weight : float or None
        1 for vital, .5 for okay, 0 where the judge of importance failed; None where the file does not tell.
    support : float or None
        1, .5 or 0; NaN where the judge failed; None where the row is not about an answer.
    system : str
        Whose answer; empty where the file does not tell.
    judge : str
        Who gave the value.
    replicate : int
        From 1.
    line : int
        The line or row of the file.
    """

    topic: str
    nugget: str
    other: str
    weight: float | None = None
    support: float | None = None
    system: str = ""
    judge: str = ""
    replicate: int = 1
    line: int = 0


@dataclass(frozen=True, eq=False)
class NuggetFile:
    """A file of nuggets, or of what answers support of them.

    Attributes
    ----------
    file : str
        The file, as messages name it.
    rows : sequence of NuggetRow
        In the order of the file.
    models : frozenset of str
        The judges that are language models: their rows have a 'judge_model' or 'model', whatever else names them.
    is_nuggetizers : bool
        Whether it has records as nuggetizer writes them: an assignment that names nobody is a model's.
    """

    file: str
    rows: Sequence[NuggetRow]
    models: frozenset[str] = frozenset()
    is_nuggetizers: bool = False

    @property
    def assigns(self) -> bool:
        """Whether it tells what answers support."""
        return any(row.support is not None for row in self.rows)

    @property
    def weighs(self) -> bool:
        """Whether it tells how important nuggets are."""
        return any(row.weight is not None for row in self.rows)


def is_nuggets(path: PathLike) -> bool:
    """Whether a file lists nuggets, or what answers support of them; by its beginning.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    bool
        False for a stream, which can be read only once.
    """
    name = shown_path(path)
    if formats.ending(name) not in ENDINGS or not can_be_read_again(name):
        return False
    begun = next(pieces_of(path), b"").lstrip(b"\xef\xbb\xbf \t\r\n")
    if begun[:1] in (b"{", b"["):
        keys = {key.decode() for key in _KEY.findall(begun)}
    else:
        head = re.split(rb"[,;\t]", begun.partition(b"\n")[0].strip().lower())
        keys = {cell.strip(b'" ').decode(errors="replace") for cell in head}
    about = bool({"importance", "assignment"} & keys) or _WORD.search(begun) is not None
    return about and bool({LISTED, *NAMES["nugget"][:3]} & keys)


def read_nugget_file(path: PathLike) -> NuggetFile:
    """Read a table of nuggets or of assignments, or the records of nuggetizer.

    Parameters
    ----------
    path : path-like
        JSONL, JSON, CSV, TSV or Parquet.

    Returns
    -------
    NuggetFile
        What it tells; words that are neither an importance nor an assignment are refused.
    """
    columns = called_as(Columns(*formats.read_file(path)), path, CALLED)
    listed = LISTED in columns.names
    return NuggetFile(columns.file, [*(_listed if listed else _flat)(columns)], _models(columns), listed)


def _models(columns: Columns) -> frozenset[str]:
    """The judges that are models: those of rows that name one, in a column 'judge_model' or 'model'."""
    cells = _Cells.of(columns)
    model_columns = [columns._column(name) for name in MODEL_COLUMNS if name in columns.names]
    return frozenset(
        cells.text("judge", at) for column in model_columns for at, cell in enumerate(column) if not is_missing(cell)
    ) - {""}


def _role(columns: Columns, ours: str, needed: bool = False) -> str | None:
    name = next((n for n in NAMES[ours] if n in columns.names), None)
    if name is None and needed:
        raise InputError(
            f"there is no column '{NAMES[ours][0]}' (or {', '.join(NAMES[ours][1:])}) among "
            f"{', '.join(columns.all_written)}", file=columns.file,
            hint="nuggets have the columns qid, nugget and importance; assignments have qid, system, nugget and "
            "assignment",
        )  # fmt: skip
    return name


def _listed(columns: Columns) -> Iterator[NuggetRow]:
    """Records of nuggetizer: one a question, or one an answer, each with a list of nuggets."""
    _role(columns, "topic", needed=True)
    cells, lists = _Cells.of(columns), columns._column(LISTED)
    if empty := [cells.text("topic", at) for at, nuggets in enumerate(lists) if nuggets == []]:
        warn(f"{columns.file}: {counted(len(empty), 'record')} without nuggets left out (topic {some(empty)})")
    for at, nuggets in enumerate(lists):
        topic, system, judge = cells.text("topic", at, needed=True), cells.text("system", at), cells.text("judge", at)
        if not isinstance(nuggets, list) or not all(isinstance(n, Mapping) for n in nuggets):
            raise columns._fault(
                "nuggets is not a list of objects", at, nuggets, 'write "nuggets": [{"text": ..., "importance": ...}]'
            )
        names: Counter[str] = Counter()
        for nugget in nuggets:
            name = next((str(nugget[key]) for key in NAMES["nugget"] if not is_missing(nugget.get(key))), "")
            if not name:
                raise columns._fault("a nugget has no text", at, nugget, "name each nugget by its text or an id")
            names[name] += 1
            again = names[name] > 1  # a model may list the same nugget twice, and nuggetizer counts both
            name = f"{name} ({names[name]})" if again else name
            assignment = nugget.get("assignment")
            yield NuggetRow(
                topic=topic, nugget=name, other=name if again else str(nugget.get("text", name)),
                weight=_weight(columns, at, nugget["importance"]) if "importance" in nugget else None,
                support=None if assignment is None else _support(columns, at, assignment),
                system=system, judge=judge, line=_line(columns, at),
            )  # fmt: skip


def _flat(columns: Columns) -> Iterator[NuggetRow]:
    """Tables: a row a nugget."""
    for ours in ("topic", "nugget"):
        _role(columns, ours, needed=True)
    if _role(columns, "importance") is None:
        _role(columns, "assignment", needed=True)
    cells = _Cells.of(columns)
    others = [columns._column(n) for n in NAMES["nugget"] if n in columns.names][1:]
    trials: dict[str, int] = {}
    for at in range(len(cells.of_role["topic"])):
        name, trial = cells.text("nugget", at, needed=True), cells.text("replicate", at)
        yield NuggetRow(
            topic=cells.text("topic", at, needed=True),
            nugget=name,
            other=str(others[0][at]) if others else name,
            weight=_weight(columns, at, cells.of_role["importance"][at]) if "importance" in cells.of_role else None,
            support=_support(columns, at, cells.of_role["assignment"][at]) if "assignment" in cells.of_role else None,
            system=cells.text("system", at, needed="system" in cells.of_role),
            judge=cells.text("judge", at),
            replicate=trials.setdefault(trial, len(trials) + 1) if trial else 1,
            line=_line(columns, at),
        )


@dataclass(frozen=True, eq=False)
class _Cells:
    """The columns that a table has, by what they are."""

    columns: Columns
    name: Mapping[str, str]
    of_role: Mapping[str, Sequence[object]]

    @classmethod
    def of(cls, columns: Columns) -> _Cells:
        names = {ours: name for ours in NAMES if (name := _role(columns, ours)) is not None}
        return cls(columns, names, {ours: columns._column(name) for ours, name in names.items()})

    def text(self, ours: str, at: int, *, needed: bool = False) -> str:
        cell = self.of_role[ours][at] if ours in self.of_role else None
        if ours == "judge" and is_missing(cell):  # a model's row may name nobody else
            models = (self.columns._column(name)[at] for name in MODEL_COLUMNS if name in self.columns.names)
            cell = next((other for other in models if not is_missing(other)), None)
        text = "" if is_missing(cell) else str(cell).strip()
        if needed and not text:
            raise self.columns._fault(
                f"{self.columns.written(self.name[ours])} is missing", at, cell, "every row needs one"
            )
        return text


def _line(columns: Columns, at: int) -> int:
    return int(next(iter(columns.places.of(at).values()))) if columns.places is not None else at + 1


def plain_word(cell: object) -> str:
    """A word as nuggetizer writes it: 'Partial support' is 'partial_support'."""
    return re.sub(r"[\s-]+", "_", str(cell).strip().casefold())


def _weight(columns: Columns, at: int, cell: object) -> float:
    if is_missing(cell) or plain_word(cell) in FAILED:
        return UNKNOWN
    weight = IMPORTANCE.get(plain_word(cell))
    if weight is None:
        raise columns._fault(
            "importance is no known word", at, cell, "write vital or okay, or failed where it is unknown"
        )
    return weight


def _support(columns: Columns, at: int, cell: object) -> float:
    if is_missing(cell) or plain_word(cell) in FAILED:
        return math.nan
    value = SUPPORT.get(plain_word(cell), number_of(cell))
    if value is None or value not in SUPPORT.values():
        raise columns._fault(
            "assignment is no known word", at, cell,
            "write support, partial_support or not_support (1, 0.5 or 0), or failed if there is none",
        )  # fmt: skip
    return float(value)
