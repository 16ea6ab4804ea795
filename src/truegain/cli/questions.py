"""A question that files can answer, by which command, or what is missing for it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypedDict

import numpy as np

from truegain.data.items import Items
from truegain.errors import TruegainError, counted, heard, some
from truegain.io.file_options import COLUMN, FileOptions, Header, Role, file_options
from truegain.io.formats import system_name
from truegain.message import Message, with_marks
from truegain.study.file_kinds import TEAMS, Examined

TEAM_PAGES = "How did each team's runs do (a page for each team)?"
WHICH = "Which system is better?"
PAGE = "A report to share."
CHEAP = ("llm", "gpt", "model", "bronze", "umbrela", "crowd")  # in names of files of labels
MOST_COLUMNS = 12  # names of columns on a line
FEW_IDLE = 4
TRUSTED = ("gold", "human", "people", "expert", "trusted", "nist")


class QuestionDocument(TypedDict):
    """A question about some files.

    Attributes
    ----------
    about : str
        The files, in words.
    question : str
        In words.
    possible : bool
        Whether the files can answer it.
    command : str
        The command that answers it; where something is lacking, one that helps to get it, or nothing.
    lacks : str
        What is missing; empty where the command answers it.
    instead : list of str
        What may stand in place of the score, judgments or gold labels of the command.
    """

    about: str
    question: str
    possible: bool
    command: str
    lacks: str
    instead: list[str]


@dataclass(frozen=True)
class FileQuestion:
    """A question about some files, and the command that answers it or what it lacks.

    Attributes
    ----------
    about : str
        The files, in words.
    question : str
        In words.
    command : str
        To be copied; where something is lacking, the command that helps to get it, or nothing.
    lacks : str
        What is missing; empty where the command answers it.
    instead : tuple of str
        What may stand in place of the score, judgments or gold labels of the command.
    """

    about: str
    question: str
    command: str = ""
    lacks: str = ""
    instead: tuple[str, ...] = ()

    def to_dict(self) -> QuestionDocument:
        """What is printed as JSON: the same keys for every question."""
        return {
            "about": self.about, "question": self.question, "possible": not self.lacks, "command": self.command,
            "lacks": str(Message(self.lacks)), "instead": list(self.instead),
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """What is printed for people."""
        more = f" (or: {some(self.instead, 5)})" if self.instead else ""
        lacks = _begun(self.lacks) if self.lacks.endswith(":") else sentence(_begun(self.lacks))
        yield f"  {'Not yet: ' if self.lacks else ''}{self.question}{more} {lacks}".rstrip()
        if self.command:
            yield f"    {self.command}"


class AnswerColumn(TypedDict):
    """A name that `--score`, `--cluster` or `--gold` takes of some files, with its counts; printed as it is as JSON.

    Attributes
    ----------
    about : str
        The files, in words.
    option : str
        '--score', '--cluster' or '--gold'.
    name : str
        What the option takes.
    values : int
        How many values there are; of '--cluster' how many topics have one.
    groups : int or None
        Into how many groups a column puts the topics.
    lacks : str
        Why the column groups no topics; empty where it does.
    """

    about: str
    option: str
    name: str
    values: int
    groups: int | None
    lacks: str


def columns_of_answers(about: str, items: Items, by_people: Sequence[str]) -> Iterator[AnswerColumn]:
    """What options take of values of answers; by_people: scores that people seem to have given."""

    def column(option: str, name: str, values: int, groups: int | None = None, lacks: str = "") -> AnswerColumn:
        return {"about": about, "option": option, "name": name, "values": values, "groups": groups, "lacks": lacks}

    for score in items.scores:
        known = int(np.isfinite(items.of_score(score).value).sum())
        yield column("--gold", f"{COLUMN}{score}", known) if score in by_people else column("--score", score, known)
    for name, of in items.clusters.items():
        values = [of.get(topic) for topic in items.topics]
        known, groups = sum(map(bool, values)), len({value for value in values if value})
        why = "" if known == len(values) else f"{len(values) - known} of {counted(len(values), 'topic')} have no value"
        why = why or ("all topics have the same" if groups < 2 else "")
        why = why or ("each topic has a value of its own" if groups == len(values) else "")
        yield column("--cluster", name, known, groups, why)
    for name, why in items.no_clusters.items():
        several = why.startswith("topic ")  # which quotes what may be long texts
        yield column("--cluster", name, 0, None, "a topic has several values" if several else why)


def column_lines(columns: Sequence[AnswerColumn]) -> Iterator[str]:
    """What is printed for people: a line an option, and one of columns that group no topics."""
    for option in ("--score", "--gold", "--cluster"):
        usable = [_with_count(column) for column in columns if column["option"] == option and not column["lacks"]]
        if usable:
            yield f"  {option} takes: {some(usable, MOST_COLUMNS)}"
    if idle := [f"{column['name']}: {column['lacks']}" for column in columns if column["lacks"]]:
        yield f"  --cluster does not take: {'; '.join(idle[:FEW_IDLE])}" + (
            f"; and {len(idle) - FEW_IDLE} more" if len(idle) > FEW_IDLE else ""
        )


def _with_count(column: AnswerColumn) -> str:
    groups = column["groups"]
    many = counted(column["values"], "value") if groups is None else f"{groups:,} groups"
    return f"{column['name']} ({many})"


def sentence(text: str) -> str:
    """A text that ends as a sentence does."""
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


def _begun(text: str) -> str:
    """A text as a sentence begins, unless it begins with a name."""
    return f"{text[:1].upper()}{text[1:]}" if text.partition(" ")[0].isalpha() else text


def which_of(systems: Sequence[str]) -> str:
    """The question which of two or more systems is better.

    >>> which_of(["old", "new"]), which_of(["a", "b", "c"])
    ('Is new better than old', 'Which of 3 systems is best')
    """
    if len(systems) == 2:
        return f"Is {systems[1]} better than {systems[0]}"
    return f"Which of {counted(len(systems), 'system')} is best"


def folder_of(file: str) -> str:
    """The folder of a file or of an address."""
    return os.path.dirname(file)  # noqa: PTH120  addresses keep their slashes


def named_as(file: Examined, words: Sequence[str]) -> int:
    """Whether a file says by its name, or by who gave its labels, what they are."""
    name = system_name(file.file).lower()
    return 2 * any(word in name for word in words) + (words is CHEAP and bool(file.judges))


def refusal(ask: Callable[[], object], notes: list[str] | None = None) -> str:
    """Why what a command would do is refused, else nothing; what it warns of is noted.

    >>> refusal(lambda: folder_of("a/b.run"))
    ''
    """
    with heard() as messages:
        try:
            ask()
        except TruegainError as error:
            return with_marks(error)
    if notes is not None:
        notes += map(with_marks, messages)
    return ""


def command_of(*words: str) -> str:
    """A command to be copied.

    >>> command_of("verdict", "my votes.csv")
    "truegain verdict 'my votes.csv'"
    """
    return shlex.join(["truegain", *words])


def columns_of(judged: Examined, gold: Examined | None = None, *, runs: Sequence[Examined] = ()) -> tuple[str, ...]:
    """What a command needs to read its files: what was said of them, and columns that have no known name.

    >>> columns_of(Examined("a.csv", "judgments", label="verdict"), Examined("b.csv", "judgments", label="person"))
    ('--columns', 'label=verdict;gold:label=person')
    >>> columns_of(Examined("a.csv", "judgments"), runs=[Examined("b.csv", "run", ranked_by=("score", "bm25"))])
    ('--columns', 'score=bm25')
    """
    options = _said_of(judged, gold, runs)
    names: dict[tuple[Role, str, str], None] = {}
    if judged.label:
        names["judgments", "label", judged.label] = None
    if gold is not None and gold.label and gold.label != judged.label:
        names["gold", "label", gold.label] = None
    names |= {("runs", *run.ranked_by): None for run in runs if run.ranked_by is not None}
    for role, ours, theirs in names:
        options = replace(options, columns=replace(options, columns=options.columns or "").option(role, {ours: theirs}))
    return typed(options)


def typed(options: FileOptions) -> tuple[str, ...]:
    """The options that say this of files, as they are typed.

    >>> typed(FileOptions(columns="label=note", values={"good": 2.0}, missing="drop"))
    ('--columns', 'label=note', '--values', 'good=2', '--missing', 'drop')
    """
    values = ",".join(f"{word}={number!r}".removesuffix(".0") for word, number in options.values.items())
    missing = options.missing if options.missing != "refuse" else ""
    written = {"--columns": options.columns, "--values": values, "--missing": missing}
    return tuple(word for name, text in written.items() if text for word in (name, text))


def _said_of(judged: Examined, gold: Examined | None, runs: Sequence[Examined]) -> FileOptions:
    """What was said of columns, as far as files of a command have these: judgments as TREC writes them have none."""
    options = file_options()
    if judged.role is not None or not options.columns:
        return options
    headers: dict[Role, Header] = {
        "judgments": options.judgments_header,
        "gold": options.gold_header,
        "runs": options.runs_header,
    }
    parts = []
    for role, file in (("gold", gold), ("runs", next((run for run in runs if run.role is not None), None))):
        if file is not None and file.role is not None:
            header = headers[file.role]
            pairs = (f"{ours}={theirs}" for ours, theirs in header.theirs.items())
            parts.append(f"{role}:{','.join(header.unnamed or pairs)}")
    return replace(options, columns=";".join(parts))


def pages_by_team(
    about: str, chosen: Sequence[str], files: Sequence[Examined], systems: Sequence[str], lacks: str = ""
) -> Iterator[FileQuestion]:
    """The pages of each table that has the team of each system; lacks: why there can be none."""
    for table in files:
        if table.kind == TEAMS:
            why = lacks or refusal(partial(table.data.among, systems))
            command = command_of("participants", *chosen, "--teams", table.file, "-o", "participants")
            yield FileQuestion(about, TEAM_PAGES, "" if why else command, why)
