"""What a file is, by reading it as what it may be: a log of a tool, a run, judgments, ratings, scores and others."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypedDict, get_args

import numpy as np

from truegain.data.item_reading import CLAIMS, read_items
from truegain.data.item_reading import NAMES as ITEMS
from truegain.data.judgments import Judgments
from truegain.data.label_list_reading import MARKS, read_gold_list
from truegain.data.label_lists import list_of_key
from truegain.data.models import judge_in
from truegain.data.pool import Pool
from truegain.data.ratings import are_replicates, read_ratings
from truegain.data.runs import read_runs
from truegain.data.teams import TEAM, names_teams, read_teams
from truegain.errors import InputError, TruegainError, counted, heard, some, warn
from truegain.io import trec
from truegain.io.columns import number_of
from truegain.io.file_options import IDS, Role, file_options, read_with
from truegain.io.file_roles import columns_in, is_of_run, order_columns, role_by_columns
from truegain.io.files import (
    STANDARD_INPUT,
    PathLike,
    can_be_read_again,
    is_folder,
    matched,
    pieces_of,
    read_bytes,
    saved_parts,
    shown_path,
    start_of,
)
from truegain.io.formats import SHARDS, ending, marked, read_file
from truegain.io.json_files import is_nested, nested
from truegain.io.logs.autojudge import NOT_ASSIGNED, note_unnamed, refuse_unnamed
from truegain.io.logs.catalogue import log_format_of, read_log
from truegain.io.logs.log import OK, Log
from truegain.io.named_tables import Columns, inner_names, renamed, unfolded
from truegain.io.nugget_files import SCORE as SUPPORT
from truegain.io.nugget_files import NuggetFile, is_nuggets, read_nugget_file
from truegain.io.separated import NAME, STEMS, guessed, option_for, separated, separator_of
from truegain.io.table_format import Beginning, first_line
from truegain.measures.score_table import NAMES as OF_SCORES
from truegain.measures.score_table import read_scores
from truegain.message import Message, arg, by_surface, with_marks

LOG: Final = "log"
ANSWERS: Final = "answers"
BANK: Final = "nugget bank"
ASSIGNMENTS: Final = "assignments"
RUN: Final = "run"
JUDGMENTS: Final = "judgments"
RATINGS: Final = "ratings"
GOLD_LIST: Final = "gold list"
SCORES: Final = "scores"
MEANS: Final = "mean scores"
TEAMS: Final = "teams"
PREFERENCES: Final = "preferences"
STUDY: Final = "study file"
TEXTS: Final = "texts"
UNKNOWN: Final = "unknown"
FileKind = Literal[
    "log", "answers", "nugget bank", "assignments", "run", "judgments", "ratings", "gold list", "scores",
    "mean scores", "preferences", "teams", "study file", "texts", "unknown",
]  # fmt: skip
KINDS: tuple[str, ...] = get_args(FileKind)
_SKIPPED = ("README", "LICENSE", "LICENCE", "CHANGELOG")  # what says something about a folder
_SKIPPED_ENDINGS = (".md", ".rst", ".html", ".log", ".sqlite", ".db", ".png", ".svg")
_LATEST = ".latest_test_run.json"  # a hidden file that deepeval writes for its users
_TEXT = ("text", "question", "query", "title", "body", "contents", "passage", "segment")
_NEEDED = ("topic", "doc", "label")  # columns of judgments; a run has a score in place of the label
_GRADES = (
    "label",
    "relevan",
    "grade",
    "rating",
    "judg",
    "assessment",
)  # in names of fields that are labels, not scores
_CHOICE = ("winner", "preference", "preferred", "choice", "outcome", "label")
_SYSTEMS = ("system", "pipeline", "retriever")  # in names of columns that name systems
_PASSED = ("pass", "fail", "passed", "failed", "true", "false", "yes", "no", "correct", "incorrect")
_NO_VALUE = ("n/a", "na", "nan", "none", "null", "-", "error", "missing")
OF_MEANS = ("system", "measure", "value")
_SIDES = (
    ("a", "b"), ("system_a", "system_b"), ("model_a", "model_b"), ("run_a", "run_b"), ("left", "right"),
    ("doc_a", "doc_b"),
)  # fmt: skip


class MissingDocument(TypedDict):
    """Values of a score that are missing.

    Attributes
    ----------
    score : str
        The score.
    system : str
        The system; empty where the file names none.
    reason : str
        Why, such as 'failed'.
    values : int
        How many.
    """

    score: str
    system: str
    reason: str
    values: int


class FileDocument(TypedDict):
    """What a file is, and what is in it.

    Attributes
    ----------
    file : str
        The file, as commands take it.
    kind : str
        What it is.
    tool : str
        Who wrote a log, with the version where the file tells.
    systems, scores, judges : list of str
        By name.
    topics, values : int
        How many there are.
    replicates : int
        How often a value was given at most.
    missing : list
        What is missing.
    notes : list of str
        What must be said of it.
    reason : str
        Why an unknown file is not read.
    """

    file: str
    kind: FileKind
    tool: str
    systems: list[str]
    topics: int
    values: int
    scores: list[str]
    judges: list[str]
    replicates: int
    missing: list[MissingDocument]
    notes: list[str]
    reason: str


@dataclass(frozen=True)
class Examined:
    """A file, what it is and what is in it.

    Attributes
    ----------
    file : str
        The file, as commands take it.
    kind : str
        One of `KINDS`.
    tool : str
        Who wrote a log, with the version where the file tells.
    systems, scores, judges : tuple of str
        By name; empty where there are none.
    topics, values, replicates : int
        How many topics and values there are, and how often a value was given at most.
    missing : mapping
        By score, system and reason, how many values are missing; the system is empty where the file names none.
    notes : tuple of str
        What must be said of it.
    reason : str
        Why an unknown file is not read.
    refused : str
        Why commands refuse what was read; empty where they do not.
    label : str
        The column of its labels, where it has no name that is known: commands need it among the names of columns.
    ranked_by : tuple of str, optional
        Our name and the file's of the column that orders documents of a run, where that has no name that is known.
    told : str, optional
        What it is by what was said of columns; None where that names none of its columns.
    data : object
        What was read.
    """

    file: str
    kind: FileKind
    tool: str = ""
    systems: tuple[str, ...] = ()
    topics: int = 0
    values: int = 0
    scores: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    replicates: int = 1
    missing: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reason: str = ""
    refused: str = ""
    label: str = ""
    ranked_by: tuple[str, str] | None = None
    role: Role | None = None
    data: Any = field(default=None, repr=False, compare=False)

    def to_dict(self) -> FileDocument:
        """What is printed as JSON: the same keys for every file."""
        return {
            "file": self.file, "kind": self.kind, "tool": self.tool, "systems": list(self.systems),
            "topics": self.topics, "values": self.values, "scores": list(self.scores), "judges": list(self.judges),
            "replicates": self.replicates,
            "missing": [
                {"score": score, "system": system, "reason": reason, "values": many}
                for score, of in self.missing.items() for system, why in of.items() for reason, many in why.items()
            ],
            "notes": [str(Message(note)) for note in self.notes], "reason": str(Message(self.reason)),
        }  # fmt: skip

    @property
    def in_words(self) -> str:
        """What it is and how much is in it, in one line."""
        if self.kind == UNKNOWN:
            return f"not read: {self.reason}"
        if self.kind == TEAMS:
            return f"teams of {counted(self.values, 'run')}: {named(self.data.names, 'team', 'teams')}"
        parts = [named(self.systems, "system", "systems")] if self.systems else []
        parts += [counted(self.topics, "topic")] if self.topics else []
        parts += [f"{self.replicates} replicates"] if self.replicates > 1 else []
        parts += [counted(self.values, _unit(self.kind))] if self.values else []
        parts += [named(self.scores, "score", "scores", 6)] if self.scores else []
        who = "assessor" if self.kind == RATINGS else "judge"
        parts += [named(self.judges, who, f"{who}s")] if self.judges else []
        what = f"log of {self.tool}" if self.kind == LOG else self.tool or self.kind
        return ": ".join(filter(None, [what, ", ".join(parts)]))

    @property
    def lost_in_words(self) -> str:
        """What is missing, by score and reason, in one line; empty where nothing is."""
        parts = []
        for score, of in self.missing.items():
            reasons: Counter[str] = Counter()
            for why in of.values():
                reasons.update(why)
            parts.append(f"{score} {', '.join(f'{many} {why}' for why, many in reasons.items())}")
        return "; ".join(parts)


def named(names: Sequence[str], one: str, several: str, most: int = 3) -> str:
    """Names with what they name.

    >>> named(["a"], "judge", "judges"), named(["a", "b", "c", "d"], "system", "systems")
    ('judge a', 'systems a, b, c and 1 more')
    """
    return f"{one if len(names) == 1 else several} {some(names, most)}"


def _unit(kind: str) -> str:
    units = {RUN: "result", JUDGMENTS: "judgment", RATINGS: "rating", GOLD_LIST: "pair", BANK: "nugget", TEXTS: "text"}
    units |= {PREFERENCES: "preference", ASSIGNMENTS: "assignment"}
    return units.get(kind, "value")


# ---- Files behind what was named.


def files_below(paths: Sequence[PathLike]) -> list[str]:
    """The files that paths, patterns and folders stand for; folders with all that is below them, save hidden files."""
    files: dict[str, None] = {}
    for path in paths:
        name = os.fspath(path)
        if name == STANDARD_INPUT:
            hint = "save it in a file: suggested commands need file names"
            raise InputError("standard input cannot be examined", hint=hint)
        for one in matched(name):
            if not is_folder(one):
                files[one] = None
                continue
            inside = [str(file) for file in _below(Path(one))]
            if not inside:
                raise InputError("the folder has no files", file=shown_path(one), hint="name a folder of logs or runs")
            files.update(dict.fromkeys(inside))
    return list(files)


def _below(folder: Path) -> Iterator[Path]:
    if (saved := saved_parts(str(folder))) is not None:  # one table
        yield Path(saved[0]) if len(saved) == 1 else folder
        return
    for entry in sorted(folder.iterdir(), key=lambda entry: (entry.is_dir(), entry.name)):
        if entry.name.startswith(".") and entry.name != _LATEST:
            continue
        if entry.is_dir():
            yield from _below(entry)
        elif (
            entry.stem.upper() not in _SKIPPED
            and entry.name != "dataset_dict.json"
            and entry.suffix.lower() not in _SKIPPED_ENDINGS
        ):
            yield entry


# ---- What a file is.


def examine(path: PathLike) -> Examined:
    """Read a file as what it may be, and say what it is; what is warned of meanwhile is noted."""
    file = shown_path(path)
    role: Role | None = None
    with heard() as messages:
        try:
            with role_by_columns(path) as role:
                made = _examined(os.fspath(path), file, role)
        except TruegainError as error:
            made = Examined(file, UNKNOWN, reason=_reason(error, file))
        except (OSError, ValueError, RecursionError) as error:
            made = Examined(file, UNKNOWN, reason=str(error))
    return replace(made, notes=(*made.notes, *map(with_marks, messages)), role=role)


def _reason(error: TruegainError, file: str) -> str:
    text = with_marks(error)
    return (
        f"line {text[len(file) + 1 :]}"
        if text.startswith(f"{file}:") and text[len(file) + 1 :][:1].isdigit()
        else (text.removeprefix(f"{file}: "))
    )


def _refuse_objects(columns: Columns) -> None:
    """Refuse a table whose topics, documents or all of whose values are nested: only its owner knows the fields."""
    paths = inner_names(columns)
    nested_in = {path.partition(".")[0].strip().lower() for path in paths}
    topic = columns.matches["topic"][0] if "topic" in columns else None
    lists = [path.removesuffix("#") for path in inner_names(columns, places=True) if path.endswith(".#")]
    in_objects = topic in nested_in if topic is not None else set(columns.names) <= nested_in
    if paths and (in_objects or ("doc" not in columns and any(path.startswith((*lists,)) for path in paths))):
        raise InputError(
            f"its values are nested in objects: {some(paths, 12)}", file=columns.file,
            hint=f"name the columns: {_likely_paths(columns, paths)}",
        )  # fmt: skip


def _likely_paths(columns: Columns, paths: Sequence[str]) -> str:
    """What may be said of nested columns, by the names of their fields and by values; NAME where that is not seen."""
    try:
        flat = unfolded(columns, [path.lower() for path in paths])
    except TruegainError:  # fields of two lists
        flat = None
    cells_of = {} if flat is None else {p: flat.frame.column(flat.names.index(p.lower())) for p in paths}
    nested_in = {path.partition(".")[0].lower() for path in paths}
    flat_names = [name for name in columns.all_written if name.lower() not in nested_in]
    roles = {_role_of_field(path.rpartition(".")[2], cells_of.get(path, ())) for path in paths}
    if roles == {None} and flat is not None:  # the value stands beside the objects
        beside = {name: flat.frame.column(flat.names.index(name.lower())) for name in flat_names}
        roles = {_role_of_field(name, cells) for name, cells in beside.items() if _are_numbers(cells)}
    role: Role | None = "judgments" if "judgments" in roles else "runs" if "runs" in roles else None
    or_run = "" if role else "; a run has a score in place of the label"
    if flat is None:
        form = ",".join(f"{name}={NAME}" for name in _NEEDED)
        return f"{arg('columns', form)} with your fields for {NAME}, those of one list{or_run}"
    names = [*flat_names, *paths]
    cells = [flat.frame.column(flat.names.index(name.lower())) for name in names]
    known = {ours: [n for n in matches if n not in nested_in] for ours, matches in columns.matches.items()}
    return f"{option_for(role or 'judgments', names, cells, known)}{or_run}"


def _are_numbers(cells: Sequence[Any]) -> bool:
    return len(cells) > 0 and all(number_of(cell) is not None for cell in cells)


def _role_of_field(name: str, cells: Sequence[Any]) -> Role | None:
    """What a table is by the name of one field; a relevance score may be a label, which is a whole number.

    >>> _role_of_field("grade", ["1"]), _role_of_field("upgradeDate", ["1"]), _role_of_field("similarity", ["1"])
    ('judgments', None, 'runs')
    >>> _role_of_field("relevance_score", ["2", "0"]), _role_of_field("relevance_score", ["0.83"])
    ('judgments', 'runs')
    """
    words = [word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", name)]
    if any(word.startswith(_GRADES) for word in words):
        numbers = [number_of(cell) for cell in cells] if "score" in name.lower() else []
        return "runs" if any(x is not None and x % 1 for x in numbers) else "judgments"
    return "runs" if any(stem in name.lower() for stem in STEMS["score"]) else None


def _examined(path: str, file: str, role: Role | None) -> Examined:
    if path.endswith(".toml"):
        return Examined(file, STUDY)
    if saved_parts(path) is not None:
        return _of_table(Columns(*read_file(path)), path, file)
    if log_format_of(path) is not None:
        return of_log(read_log(path))
    if is_nuggets(path):
        return _of_nuggets(read_nugget_file(path))
    if role is not None and sum(mark in map(str.lower, columns_in(path)) for mark in MARKS) <= 1:
        return _of_told(path, file, role)
    text, kind = marked(read_bytes(path), file)
    if kind is None and not text.lstrip().startswith((b"{", b"[")):
        if (examined := _of_lines(text, path, file)) is not None:
            return examined
    elif is_nested(Beginning(text, ending(file))):
        return _of_nested(path, file, nested(text, file))
    return _of_table(Columns(*read_file(path)), path, file)


def _of_lines(text: bytes, path: str, file: str) -> Examined | None:
    """A run, texts or judgments in lines without a header; None for a table."""
    refuse_unnamed(text, file)
    first = first_line(text)
    if trec.looks_like(text, trec.RUN) or is_of_run(text):
        return _of_run(path, file)
    if len(cells := first.split("\t")) == 2 and not _is_number(cells[1]):
        return Examined(file, TEXTS, values=sum(bool(line.strip()) for line in text.split(b"\n")))
    if not trec.looks_like(text, trec.JUDGMENTS) and any(mark in first for mark in ",;\t"):
        return None
    note = note_unnamed(text)
    try:
        made = _of_judgments(path, file)
    except InputError as error:
        if not note:
            raise
        return Examined(file, UNKNOWN, reason=_reason(error, file), notes=(note,))
    return replace(made, notes=(*made.notes, *filter(None, [note])))


def _of_table(columns: Columns, path: str, file: str) -> Examined:
    """What a table is, by the names of its columns."""
    names = set(columns.names)
    if set(_CHOICE) & names and any(set(sides) <= names for sides in _SIDES):
        return _of_preferences(columns, file)
    if names_teams(columns) and names.isdisjoint({*ITEMS["topic"], *ITEMS["value"]}) and "doc" not in columns:
        try:
            return _of_teams(path, file)
        except TruegainError:
            if TEAM[0] in names:
                raise  # of a column 'group' it may be anything else
    if sum(mark in names for mark in MARKS) > 1:
        return _of_gold_list(path, file)
    _refuse_objects(columns)
    if all(set(theirs) & names for theirs in OF_SCORES.values()) and "doc" not in columns:
        return _of_scores(path, file)
    if all(set(OF_SCORES[ours]) & names for ours in OF_MEANS) and "doc" not in columns and "topic" not in columns:
        return _of_means(columns, file)
    if _has_claims(columns) or _has_answers(columns):
        return _of_answers(path)
    if "doc" in columns and "topic" in columns:
        if "label" not in columns and ("score" in columns or "rank" in columns):
            return _of_run(path, file)
        return _of_unnamed(columns, path, file) or _of_judgments(path, file)
    if (held := [name for name in columns.names if name in _TEXT]) and not _has_numbers(columns):
        return Examined(file, TEXTS, values=len(columns._column(held[0])))
    if "label" in columns and "assessor" in columns:
        return _of_judgments(path, file)
    try:
        return _of_answers(path)
    except TruegainError as error:
        if (likely := _likely(columns, path, file, error)) is None:
            raise
        return likely


def _likely(columns: Columns, path: str, file: str, error: TruegainError) -> Examined | None:
    """What a table may be that is no table of answers, by the contents of its columns; None: the error tells more."""
    has_place = isinstance(error, InputError) and error.line is not None
    if len(columns.names) < len(_NEEDED) or (has_place and set(columns.names) & set(ITEMS["system"])):
        return None
    role, guess = _likely_columns(columns)
    if _names_systems(guess.get("doc", "")):
        return None  # who says so of systems tells which column may name them
    if _lists_documents(columns, guess):  # what a command says of it, too
        return _of_run(path, file) if role == "runs" else _of_judgments(path, file)
    if "topic" in columns:
        return None
    likely = arg("columns", _with_names(guess))
    hint = (
        f"if these are judgments, say which columns they are: {likely}, with score=NAME in place of label for a "
        f"run; its columns are {', '.join(columns.all_written)}"
    )
    return Examined(file, UNKNOWN, reason=_reason(error, file), notes=(hint,))


def _of_gold_list(path: str, file: str) -> Examined:
    listed, sheet = read_gold_list(path), list_of_key(file)
    is_key = sheet and not listed.judged
    note = f"the key of {sheet}" if is_key else f"{listed.judged} of {len(listed.docs)} pairs are labeled"
    return Examined(
        file, GOLD_LIST, topics=len(set(listed.topics)), values=len(listed.docs), data=listed, notes=(note,)
    )


def _has_claims(columns: Columns) -> bool:
    """Whether a table has values of the claims that systems make, each beside the document it was held against."""
    names = set(columns.names)
    return bool("topic" in columns and names & set(ITEMS["system"]) and names & CLAIMS and names & set(ITEMS["value"]))


def _has_answers(columns: Columns) -> bool:
    """Whether a table has a value of the answer of each system, whose id is that of the question, too.

    No document of a topic is labeled once by each of several systems.
    """
    name = next((name for name in ITEMS["system"] if name in columns.names), None)
    if name is None or "assessor" in columns or not all(ours in columns for ours in _NEEDED):
        return False
    topics, docs = (list(map(str, columns._raw(ours))) for ours in ("topic", "doc"))
    systems = list(map(str, columns._column(name)))
    answers = list(zip(topics, systems, strict=True))
    return len(set(zip(topics, docs, strict=True))) < len(answers) == len(set(answers)) and len(set(systems)) > 1


def _likely_columns(columns: Columns) -> tuple[Role, dict[str, str]]:
    """Whether a table is likely of judgments or a run, by what may order its documents; its columns, by our names."""
    names = columns.all_written
    cells = [columns.frame.column(at) for at in range(len(names))]
    labeled, _ = guessed(names, cells, "judgments", columns.matches)
    ran, _ = guessed(names, cells, "runs", columns.matches)
    with_ids = Columns(columns.frame, columns.file)
    for ours in IDS:
        if labeled.get(ours, NAME) != NAME:
            with_ids.matches[ours] = [labeled[ours].lower()]
    order = order_columns(with_ids)
    by_score = bool(order) and not order.labels
    by_rank = labeled.get("label") == NAME and NAME not in ran.values()
    is_run = "label" not in columns and ("score" in columns or "rank" in columns or by_score or by_rank)
    return ("runs", ran) if is_run else ("judgments", labeled)


def _lists_documents(columns: Columns, guess: Mapping[str, str]) -> bool:
    """Whether a table has topics and documents, of which it has each pair once: values of answers have no document."""
    ids = [guess.get(ours) or columns.written(columns.matches[ours][0]) for ours in IDS]
    if NAME in ids:
        return False
    if "assessor" in columns:
        ids.append(columns.written(columns.matches["assessor"][0]))
    cells = [list(map(str, columns._column(name.lower()))) for name in ids]
    return len(set(zip(*cells, strict=True))) == len(cells[0]) > len(set(cells[0]))


def _names_systems(name: str) -> bool:
    """Whether a column that was guessed to hold documents is of systems, by its name.

    >>> _names_systems("pipeline_name"), _names_systems("RAG system"), _names_systems("passage")
    (True, True, False)
    """
    return any(word.startswith(_SYSTEMS) for word in re.split(r"[^a-z0-9]+", name.lower()))


def _with_names(guess: Mapping[str, str]) -> str:
    return ",".join(f"{ours}={theirs}" for ours, theirs in guess.items())


def _of_told(path: str, file: str, role: Role) -> Examined:
    """A file that has columns which the user named."""
    if role == "runs":
        return _of_run(path, file)
    header = file_options().header_of(path)
    if header.names or "label" in (columns := renamed(Columns(*read_file(path)), header.of_files(2))):
        return _of_judgments(path, file)
    return _of_unnamed(columns, path, file) or _of_judgments(path, file)


def scores_in(path: str) -> tuple[str, ...]:
    """The scores of a table of scores or of a tool's log; none where a file is something else, or cannot be read.

    Of a table, the header is read first: one that names documents is no table of scores, however large it is.
    """
    if not can_be_read_again(path):
        return ()
    if ending(path) in (".csv", ".tsv"):
        head = first_line(next(pieces_of(path), b""))
        separator = "\t" if "\t" in head else separator_of(head)
        try:
            columns = Columns(separated(f"{head}\n".encode(), separator, shown_path(path)), shown_path(path))
        except InputError:
            return ()
        of_answers = _has_claims(columns) or not set(ITEMS["system"]).isdisjoint(columns.names)
        if ("doc" in columns or "label" in columns) and not of_answers:
            return ()
    elif ending(path) not in SHARDS and log_format_of(path) is None:
        return ()
    examined = examine(path)
    return examined.scores if examined.kind in (ANSWERS, LOG) else ()


def refuse_unnamed_board(path: str, without_runs: bool = False) -> None:
    """Refuse what may be a leaderboard whose columns nobody has named; without runs, also one of whole numbers.

    Such are written as judgments are, which need runs.
    """
    if not can_be_read_again(path):
        return
    refuse_unnamed(start_of(path), shown_path(path))
    if without_runs and (note := note_unnamed(start_of(path))):
        raise InputError("no runs are named beside these judgments", file=shown_path(path), hint=f"name them; {note}")


def _has_numbers(columns: Columns) -> bool:
    """Whether a column holds numbers, with or without words for a missing one, or pass and fail; and is no name."""
    ids = {name for ours in ("topic", "doc") for name in columns.matches.get(ours, ())} | {"id", "_id"}
    for name in columns.names:
        cells = [cell for cell in columns._column(name)[:100] if cell not in (None, "")]
        words = [str(cell).strip().lower() for cell in cells if not (isinstance(cell, int | float) or _is_number(cell))]
        are_values = len(words) < len(cells) or any(word in _PASSED for word in words)
        if name not in ids and cells and are_values and all(word in (*_PASSED, *_NO_VALUE) for word in words):
            return True
    return False


def _is_number(cell: object) -> bool:
    try:
        float(str(cell))
    except ValueError:
        return False
    return True


def of_log(log: Log) -> Examined:
    """What the log of a tool holds."""
    missing: dict[str, dict[str, Counter[str]]] = {}
    for row in log.rows:
        if row.status != OK:
            missing.setdefault(row.score, {}).setdefault(row.system, Counter())[row.status] += 1
    systems = tuple(dict.fromkeys(row.system for row in log.rows if row.system))
    bank = all(row.status == NOT_ASSIGNED for row in log.rows)
    return Examined(
        log.file,
        BANK if bank else LOG,
        log.tool,
        systems or (() if bank else tuple(list(log.names.values())[:1])),
        len({row.topic for row in log.rows}),
        len(log.rows),
        () if bank else tuple(dict.fromkeys(row.score for row in log.rows)),
        tuple(dict.fromkeys(row.judge for row in log.rows if row.judge)),
        max((row.replicate for row in log.rows), default=1),
        {} if bank else missing,
        tuple(log.notes),
        data=log,
    )


def _of_nuggets(nuggets: NuggetFile) -> Examined:
    rows = nuggets.rows
    failed = Counter(row.system for row in rows if row.support is not None and math.isnan(row.support))
    return Examined(
        nuggets.file,
        ASSIGNMENTS if nuggets.assigns else BANK,
        systems=tuple(dict.fromkeys(row.system for row in rows if row.system)),
        topics=len({row.topic for row in rows}),
        values=len(rows),
        judges=tuple(dict.fromkeys(row.judge for row in rows if row.judge)),
        missing={SUPPORT: {system: {"failed": n} for system, n in failed.items()}} if failed else {},
        data=nuggets,
    )


def _of_run(path: str, file: str, ranked_by: tuple[str, str] | None = None) -> Examined:
    """A run; ranked_by: our name and the file's of the column that orders its documents, where that is not known."""
    options = file_options()
    names = {} if ranked_by is None else {**options.runs_header.renamed, ranked_by[0]: ranked_by[1]}
    with read_with(replace(options, runs_header=replace(options.runs_header, renamed=names)) if names else options):
        runs = read_runs([path])
    topics = {topic for part in runs.parts for topic in part.topic.values}
    values = sum(len(part.score) for part in runs.parts)
    notes = (f"its {ranked_by[0]}s are taken from the column {ranked_by[1]}",) if ranked_by else ()
    return Examined(
        file, RUN, systems=tuple(runs.systems), topics=len(topics), values=values, notes=notes, ranked_by=ranked_by,
        data=runs,
    )  # fmt: skip


def _of_unnamed(columns: Columns, path: str, file: str) -> Examined | None:
    """A run by what a column holds; which column is asked where several may order documents, as ratings may, too."""
    order = order_columns(columns)
    if not order:
        return None
    if order.only is not None and not set(",;=") & set(order.only[1]):  # what `columns` cannot name
        return _of_run(path, file, order.only)
    ours, several = ("score", order.scores) if order.scores else ("rank", order.ranks)
    option = file_options().option("runs", {ours: several[0] if len(several) == 1 else NAME})
    if order.labels:
        labeled = file_options().option("judgments", {"label": order.labels[0] if len(order.labels) == 1 else NAME})
        return Examined(
            file, UNKNOWN, reason=f"is it a run with {' or '.join(several)} as its {ours}, or judgments with "
            f"{' or '.join(order.labels)} as their label?",
            notes=(f"for a run say {arg('columns', option)}, for judgments {arg('columns', labeled)}",),
        )  # fmt: skip
    if len(several) == 1:
        return Examined(
            file, UNKNOWN, reason=f"are large values of {several[0]} the best ones?",
            notes=(f"if so, say {arg('columns', option)}; if not, give a column of ranks: "
            f"{arg('columns', file_options().option('runs', {'rank': NAME}))}",),
        )  # fmt: skip
    reader = by_surface("tg.read_ratings", shlex.join(["truegain", "agree", file]))
    ratings = f"{reader} {arg('assessors', list(several), of='tg.read_ratings')}"
    return Examined(
        file, UNKNOWN, reason=f"which column is the {ours}, {' or '.join(several)}?",
        notes=(f"say it with {arg('columns', option)}; if they are ratings with one column per assessor: {ratings}",),
    )  # fmt: skip


def _of_judgments(path: str, file: str) -> Examined:
    label, as_judgments, notes = "", True, list[str]()
    try:
        labels = Judgments.of(path)
    except TruegainError as error:
        try:
            with heard() as messages:
                labels = read_ratings(path)
        except TruegainError:
            raise error from None
        as_judgments, label = False, _only_column(path, labels)
        for note in () if label else messages:
            warn(with_marks(note))
    who, twice = labels.assessor, _judged_twice(labels, file)
    if who is not None and len(who.values) > 1 and as_judgments and not twice:
        many = len(who.values)
        notes.append(f"its labels are of {many} assessors, with one label per document: their agreement is unknown")
    elif who is not None and (len(who.values) > 1 or are_replicates(labels)):
        item = np.unique(
            np.stack([labels.topic.code, _codes(labels.docs.strings()), who.code]), axis=1, return_counts=True
        )
        return Examined(
            file, RATINGS, topics=len(labels.topic.values), values=len(labels), judges=tuple(who.values),
            replicates=int(item[1].max()), data=labels,
        )  # fmt: skip
    used = len(np.unique(labels.topic.code))
    notes += [f"its labels are taken from the column {label}"] if label else []
    if twice:
        notes.append(f"most commands will refuse this file: {twice}")
    return Examined(
        file, JUDGMENTS, topics=used, values=len(labels), judges=judge_in(labels), notes=tuple(notes), refused=twice,
        label=label, data=labels,
    )  # fmt: skip


def _judged_twice(labels: Judgments, file: str) -> str:
    """What a command says of a pair with several labels, of one subtopic where there are several; else nothing."""
    pool = Pool.of(labels)
    try:
        if len(labels.subtopic.values) > 1:
            _ = pool.facets
        else:
            pool.check_one_label()
    except InputError as error:
        return _reason(error, file)
    return ""


def _only_column(path: str, labels: Judgments) -> str:
    """The column of a table that was taken as that of an assessor, where it is the only one: it holds labels."""
    columns = Columns(*read_file(path))
    who = () if labels.assessor is None or "label" in columns else labels.assessor.values
    return next((name for name in columns.all_written if [name.strip().lower()] == list(map(str.lower, who))), "")


def _codes(names: Sequence[str]) -> Any:
    return np.unique(np.array(names), return_inverse=True)[1]


def _of_nested(path: str, file: str, whole: Mapping[str, Any]) -> Examined:
    """Judgments where all numbers are small and whole, else a run."""
    numbers = [x for of in whole.values() if isinstance(of, Mapping) for x in of.values()]
    labels = all(isinstance(x, int) and -10 <= x <= 10 for x in numbers)
    return _of_judgments(path, file) if labels else _of_run(path, file)


def _of_scores(path: str, file: str) -> Examined:
    """Scores of measures; values of other names are those of answers."""
    try:
        scores = read_scores(path)
    except TruegainError:
        return _of_answers(path)
    names = tuple(map(str, scores.measures))
    return Examined(file, SCORES, systems=tuple(scores.systems), topics=len(scores.topics), scores=names, data=scores)


def _of_means(columns: Columns, file: str) -> Examined:
    """One score for each system and measure, over all topics: no study is made of these."""
    system, measure = (next(name for name in OF_SCORES[ours] if name in columns.names) for ours in OF_MEANS[:2])
    systems, measures = (tuple(dict.fromkeys(map(str, columns._column(name)))) for name in (system, measure))
    note = (
        "these are means without topics, so they have no intervals; if they are the true scores of a simulation, "
        f"{by_surface('a report by command', '`truegain report`')} takes them as `truth`, and checks verdicts "
        "against them"
    )
    n = len(columns._column(measure))
    return Examined(file, MEANS, systems=systems, values=n, scores=measures, notes=(note,))


def _of_teams(path: str, file: str) -> Examined:
    """The team of each run, by a table of a track."""
    teams = read_teams(path)
    notes = (f"{len(teams.pooled)} of them were pooled",) if len(teams.pooled) < len(teams.of) else ()
    return Examined(file, TEAMS, systems=tuple(teams.of), values=len(teams.of), notes=notes, data=teams)


def _of_answers(path: str) -> Examined:
    items = read_items(path)
    lost = {score: items.missing(score) for score in items.scores}
    return Examined(
        shown_path(path), ANSWERS, systems=items.systems, topics=len(items.topics), values=len(items),
        scores=items.scores, judges=items.judges, replicates=int(items.replicate.max()),
        missing={score: of for score, of in lost.items() if of}, data=items,
    )  # fmt: skip


def _of_preferences(columns: Columns, file: str) -> Examined:
    sides = next(sides for sides in _SIDES if set(sides) <= set(columns.names))
    named = () if sides == ("doc_a", "doc_b") else sides  # the judging app names answers, not systems
    systems = dict.fromkeys(str(cell) for side in named for cell in columns._column(side))
    topics = {str(cell) for cell in columns._raw("topic")} if "topic" in columns else set()
    who = {str(cell) for cell in columns._raw("assessor")} if "assessor" in columns else set()
    models = {"model", "judge_model"} & set(columns.names)
    who |= {str(cell) for name in models for cell in columns._column(name) if cell not in (None, "")}
    return Examined(
        file, PREFERENCES, systems=tuple(systems), topics=len(topics), values=len(columns._column(sides[0])),
        judges=tuple(sorted(who)),
    )  # fmt: skip
