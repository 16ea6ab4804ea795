"""What a command was told of its files: `columns`, `missing`, `values`, `memory`, `judge_model`.

Readers far below a command ask `file_options()`, and no function between hands them over.  In Python these are the
defaults, and all is said to the functions themselves.

Set once while a command runs, by `cli/inputs.py: reads_inputs` (`doctor` and `plan fill` set them themselves), and by
`study/study_file.py` while a study is read.  Within, `read_judgments` may change the values, `study/file_kinds.py` and
`told_columns` the columns of a file that they look at.

Read where files are read: in `trec`, `separated`, `named_tables`, `json_files`, `told_columns` and `logs/autojudge` of
this folder for columns and words, in `memory` and `plain_text` for bytes; in `data` by `judgments`, `ratings`, `runs`,
`batches`, `item_reading` and `label_list_reading`; above by `measures/evaluate`, `aggregation/reading`,
`study/file_kinds` and `study/inputs`; and in `cli` where a command says what was typed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from truegain.io.column_names import Header, KnownIds, Missing, Role, board_of, number_of_word
from truegain.io.columns import number_of


@dataclass(frozen=True)
class FileOptions:
    """What the command that runs was told of its files: how judgments, runs and other labels are read."""

    judgments: str | None = None  # the path of the judgments
    judged: Header = field(default_factory=Header)
    ran: Header = field(default_factory=lambda: Header(role="runs"))
    trusted: Header = field(default_factory=lambda: Header(role="gold"))  # gold labels, and others
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
        return self.judged if self.is_judgments(path) else self.trusted

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
