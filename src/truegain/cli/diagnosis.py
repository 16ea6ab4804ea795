"""What files can answer: which questions, by which command, what is missing for the others, and what looks wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, TypedDict

import numpy as np

from truegain.cli.preference_questions import of_preferences
from truegain.cli.questions import (
    PAGE,
    TRUSTED,
    WHICH,
    AnswerColumn,
    FileQuestion,
    QuestionDocument,
    column_lines,
    columns_of_answers,
    command_of,
    folder_of,
    named_as,
    pages_by_team,
    refusal,
    sentence,
    typed,
    which_of,
)
from truegain.cli.retrieval_questions import of_ratings, of_retrieval
from truegain.config import Gold, Resampling, StudyConfig
from truegain.data.item_reading import joined, other_questions, read_items
from truegain.data.item_scales import scales_apart
from truegain.data.items import UNEQUAL, Items
from truegain.data.nuggets import read_nuggets
from truegain.data.scores import Scores
from truegain.errors import TruegainError, counted, some
from truegain.io.file_options import COLUMN, file_options
from truegain.io.file_roles import check_columns_exist, columns_in
from truegain.io.files import PathLike, shown_path
from truegain.io.formats import ending, system_name
from truegain.io.logs.log import Log
from truegain.io.nugget_files import NuggetFile
from truegain.judge_error.judges import PublishedTest
from truegain.message import Message, with_marks
from truegain.study.compare import compared
from truegain.study.estimators import LEAST_TOPICS
from truegain.study.file_kinds import (
    ANSWERS,
    ASSIGNMENTS,
    BANK,
    LOG,
    RUN,
    SCORES,
    STUDY,
    TEAMS,
    TEXTS,
    UNKNOWN,
    Examined,
    FileDocument,
    examine,
    files_below,
    named,
)
from truegain.study.item_inputs import answer_scores, measures_of
from truegain.study.study import Study

ENOUGH = 25  # topics from which on intervals depend little on how the scores are distributed
MOST_RUNS = 3  # of one folder that are listed one by one
PAIRS = "How do all pairs differ, in one table?"
CORRECTED = "What is the corrected score of each system?"
AGAIN = "How much do values change if the evaluation is repeated?"
REPEATING = {"inspect_ai": "--epochs", "promptfoo": "--repeat"}  # options of tools that run samples several times
OF_TASKS = frozenset(["mteb", "BEIR"])  # tools whose logs have values of tasks, not of samples
NUGGETIZER = "nuggetizer"  # the tool whose answers are scored nugget by nugget
RANDOMIZED = "randomized-tukey-hsd"  # a test that needs no residual variance
TRIED = 100  # resamples that show whether a test can be made
OF_VALUES = frozenset(["label", "labels", "score", "scores", "rating", "ratings", "value", "values", "grade"])
FORMS = (".eval", ".json", ".jsonl", ".csv")  # of one log, the most telling first


class DiagnosisDocument(TypedDict):
    """What files are and what they can answer.

    Attributes
    ----------
    files : list
        What each file is.
    questions : list
        What can be asked of them, and what cannot yet.
    columns : list
        What `--score`, `--cluster` and `--gold` take of logs and tables of answers.
    suspicious : list of str
        What looks wrong.
    usable : bool
        Whether any file could be read.
    """

    files: list[FileDocument]
    questions: list[QuestionDocument]
    columns: list[AnswerColumn]
    suspicious: list[str]
    usable: bool


@dataclass(frozen=True)
class Diagnosis:
    """What `truegain doctor` says of files.

    Attributes
    ----------
    files : tuple of Examined
        What each file is.
    questions : tuple of FileQuestion
        What can be asked of them, and what cannot yet.
    suspicious : tuple of str
        What looks wrong.
    columns : tuple of AnswerColumn
        What `--score`, `--cluster` and `--gold` take of logs and tables of answers.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.qrels"
    ...     _ = path.write_text("31 0 d1 1")
    ...     found = diagnose([path])
    >>> found.files[0].kind, found.is_usable, found.questions[0].lacks
    ('judgments', True, 'no runs: give the ranked lists of your systems')
    """

    files: tuple[Examined, ...]
    questions: tuple[FileQuestion, ...] = ()
    suspicious: tuple[str, ...] = ()
    columns: tuple[AnswerColumn, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Whether any file could be read."""
        return any(file.kind != UNKNOWN for file in self.files)

    def to_dict(self) -> DiagnosisDocument:
        """What is printed as JSON: the same keys whatever the files are.

        Returns
        -------
        dict
            The keys files, questions, columns, suspicious and usable.
        """
        return {
            "files": [file.to_dict() for file in self.files],
            "questions": [question.to_dict() for question in self.questions],
            "columns": list(self.columns),
            "suspicious": [str(Message(note)) for note in self.suspicious],
            "usable": self.is_usable,
        }

    def text(self) -> str:
        """What is printed for people.

        Returns
        -------
        str
            Files, then by what they are about the questions with their commands, and what looks wrong.
        """
        lines = ["Files", *self._file_lines()]
        for about in dict.fromkeys(question.about for question in self.questions):
            lines += ["", about, *column_lines([column for column in self.columns if column["about"] == about])]
            for question in self.questions:
                lines += question.lines() if question.about == about else ()
        if self.suspicious:
            lines += ["", "What looks wrong", *(f"  {sentence(note)}" for note in self.suspicious)]
        return "".join(f"{line}\n" for line in lines)

    def _file_lines(self) -> Iterator[str]:
        """A line a file, and its notes; many runs of one folder in one."""
        runs = Counter(folder_of(file.file) for file in self.files if file.kind == RUN)
        for file in self.files:
            folder = folder_of(file.file)
            if file.kind == RUN and (many := runs[folder]) > MOST_RUNS:
                runs[folder] = 0
                of = [one for one in self.files if one.kind == RUN and folder_of(one.file) == folder]
                systems = [system for one in of for system in one.systems]
                yield f"  {folder or '.'}: {counted(many, 'run')}: {named(systems, 'system', 'systems')}"
                continue
            if file.kind == RUN and not runs[folder]:
                continue
            yield f"  {file.file}: {file.in_words}"
            if file.missing:
                yield f"    missing: {file.lost_in_words}"
            yield from (f"    {sentence(note)}" for note in file.notes)


def diagnose(paths: Sequence[PathLike]) -> Diagnosis:
    """Examine files and folders: what they are, what can be asked of them, and what looks wrong.

    Parameters
    ----------
    paths : sequence of path-like
        Files, folders with all below them, or patterns.

    Returns
    -------
    Diagnosis
        Shows itself as text; `to_dict` is what `--format json` prints.
    """
    every = files_below(paths)
    if file_options().columns:
        check_columns_exist(file_options(), {shown_path(path): names for path in every if (names := columns_in(path))})
    files = [examine(path) for path in every]
    notes: list[str] = []
    columns: list[AnswerColumn] = []
    questions = [
        *_of_answers(files, notes, columns), *_of_nuggets(files), *of_retrieval(files, notes), *of_ratings(files),
        *of_preferences(files), *_of_others(files),
    ]  # fmt: skip
    return Diagnosis(tuple(files), tuple(questions), tuple(dict.fromkeys(notes)), tuple(columns))


# ---- Answers: logs of tools, and tables of values.


@dataclass(frozen=True)
class _LogGroup:
    """Logs of one tool that belong together, joined."""

    about: str
    files: tuple[str, ...]
    items: Items
    logs: Sequence[Log] = ()


def _of_answers(files: Sequence[Examined], notes: list[str], columns: list[AnswerColumn]) -> Iterator[FileQuestion]:
    """Questions about values of answers; what looks wrong is noted, and what options take of them."""
    groups: list[_LogGroup] = []
    for logs in _alike([file for file in files if file.kind == LOG], notes):
        paths = tuple(log.file for log in logs)
        about = f"{logs[0].tool}: {some(paths)}"
        try:
            groups.append(_LogGroup(about, paths, joined(logs), logs))
        except TruegainError as error:
            yield FileQuestion(about, WHICH, lacks=with_marks(error))
    tables = [file for file in files if file.kind == ANSWERS]
    groups += _paired(tables)
    alone = {group.files for group in groups if len(group.files) == 1}
    gold_of = {t.file: [g for g in groups if _is_gold_of(t, g)] if (t.file,) in alone else [] for t in tables}
    for group in groups:
        if not gold_of.get(group.files[0]):
            gold = [table for table in tables if group in gold_of[table.file]]
            columns += columns_of_answers(group.about, group.items, _by_people(group))
            yield from _about_items(group, gold, notes)
            yield from _about_teams(group, files)


def _by_people(group: _LogGroup) -> list[str]:
    """Columns of a table that people seem to have filled in."""
    usable = [score for score in group.items.scores if np.isfinite(group.items.matrix(score)).any()]
    return [] if group.logs else _gold_columns(usable)


def _paired(tables: Sequence[Examined]) -> list[_LogGroup]:
    """Tables of one system each that have the same scores of the same topics, together; each other one by itself."""
    groups: list[list[Examined]] = []
    for table in tables:
        single = len(table.systems) == 1 and not named_as(table, TRUSTED)
        fitting = (group for group in groups if single and all(_goes_with(table, other) for other in group))
        if (group := next(fitting, None)) is not None:
            group.append(table)
        else:
            groups.append([table])
    made = []
    for group in groups:
        paths = tuple(table.file for table in group)
        items = group[0].data if len(group) == 1 else read_items(list(paths))
        made.append(_LogGroup(f"answers: {some(paths)}", paths, items))
    return made


def _goes_with(table: Examined, other: Examined) -> bool:
    """Whether two tables have the same scores of two systems, on topics of which most are the same."""
    if len(other.systems) != 1 or table.systems == other.systems or named_as(other, TRUSTED):
        return False
    return set(table.scores) == set(other.scores) and _most_shared(set(table.data.topics), set(other.data.topics))


def _most_shared(a: Set[str], b: Set[str]) -> bool:
    """Whether two have more than half of the topics of the larger in common."""
    return 2 * len(a & b) > max(len(a), len(b))


def _alike(files: Sequence[Examined], notes: list[str]) -> Iterator[list[Log]]:
    """Logs of one tool that can be compared; of those that hold the same values the most telling.

    They stand in one folder, or each in one of its own.  Where two forms of logs give the same names to systems, as two
    runs of an evaluation do, each form is by itself.
    """
    folders: dict[str, dict[str, list[Log]]] = {}
    for file in files:
        tool = file.tool.partition(" ")[0]
        folder = "" if tool == "mteb" else folder_of(file.file)  # which has a folder a model
        folders.setdefault(tool, {}).setdefault(folder, []).append(file.data)
    for of_tool in folders.values():
        yield from _across([group for logs in of_tool.values() for group in _of_folder(logs, notes)], notes)


def _of_folder(logs: Sequence[Log], notes: list[str]) -> list[list[Log]]:
    """The logs of one tool in a folder, without those that hold the same values as others."""
    kept: dict[Any, Log] = {}
    for log in sorted(logs, key=_form):
        values = frozenset((r.system, r.topic, r.item, r.score, r.replicate, repr(r.value)) for r in log.rows)
        if (first := kept.setdefault(values, log)) is not log:
            notes.append(f"{log.file} has the same values as {first.file}: it is left out")
    alone = [log for log in logs if log in kept.values()]
    forms: dict[str, list[Log]] = {}
    for log in alone:
        forms.setdefault(ending(log.file), []).append(log)
    apart = len(forms) > 1 and max(Counter(_first_name(log) for log in alone).values()) > 1
    return list(forms.values()) if apart else [alone]


@dataclass(frozen=True, eq=False)
class _Single:
    """A log of one system, and what it can be compared on."""

    log: Log
    systems: frozenset[str]
    topics: frozenset[str]
    scores: frozenset[str]

    @classmethod
    def of(cls, log: Log) -> _Single:
        return cls(log, *(frozenset(getattr(row, name) for row in log.rows) for name in ("system", "topic", "score")))

    def goes_with(self, other: _Single) -> bool:
        """Whether it is of another system on most of the same topics, as far as the logs tell."""
        single = len(self.systems) == len(other.systems) == 1
        same = self.systems == other.systems != {""}  # both name the one system
        return single and not same and _most_shared(self.topics, other.topics) and bool(self.scores & other.scores)

    def is_beside(self, others: Iterable[_Single]) -> bool:
        """Whether it goes with all of them, and each has a folder of its own."""
        folder = folder_of(self.log.file)
        return all(self.goes_with(one) and folder_of(one.log.file) != folder for one in others)


def _across(groups: Sequence[Sequence[Log]], notes: list[str]) -> Iterator[list[Log]]:
    """Groups of logs, where those that go with no other of their folder are joined with such of other folders.

    A log that goes with none of these joins the one group that it goes with, as a baseline beside candidates.
    """
    every = [[_Single.of(log) for log in group] for group in groups]
    place = {one: at for at, one in enumerate(one for group in every for one in group)}
    within = [list(group) for group in every if any(a.goes_with(b) for a, b in combinations(group, 2))]
    settled = {one for group in within for one in group}
    made: list[list[_Single]] = []
    for one in place:
        if one in settled:
            continue
        fitting = [group for group in made if one.is_beside(group)]
        same_form = [group for group in fitting if ending(group[0].log.file) == ending(one.log.file)]
        if fitting:
            (same_form or fitting)[0].append(one)
        else:
            made.append([one])
    joint = [*within, *(group for group in made if len(group) > 1 and _can_be_named(group, notes))]
    for (lone,) in (group for group in made if len(group) == 1):
        fitting = [group for group in within if lone.is_beside(group)]
        if len(fitting) == 1 and _can_be_named([*fitting[0], lone], notes):
            fitting[0].append(lone)
    taken = {one for group in joint for one in group}
    left = ([one for one in group if one not in taken] for group in every)
    whole = [sorted(group, key=place.__getitem__) for group in (*joint, *left) if group]
    for group in sorted(whole, key=lambda group: place[group[0]]):
        yield [one.log for one in group]


def _can_be_named(group: Sequence[_Single], notes: list[str]) -> bool:
    """Whether logs can be read together: something in them tells their systems apart; else it is noted."""
    try:
        joined([one.log for one in group])
    except TruegainError as error:
        notes.append(with_marks(error))
        return False
    return True


def _form(log: Log) -> tuple[bool, int]:
    """What is read rather: a file that no other run overwrites, in the form that tells most."""
    form = ending(log.file)
    return "latest" in log.file, FORMS.index(form) if form in FORMS else len(FORMS)


def _first_name(log: Log) -> str:
    return next(iter(log.names.values()), "")


def _is_gold_of(table: Examined, group: _LogGroup) -> bool:
    """Whether a table has values of some of the answers of others; of all of them, where its name says so."""
    if table.file in group.files:
        return False
    gold, items = table.data, group.items
    fewer = len(gold) < len(items)
    if not fewer and named_as(table, TRUSTED):
        fewer = not any(word in system_name(file).lower() for file in group.files for word in TRUSTED)
    return (
        fewer
        and set(gold.systems) <= set(items.systems)
        and set(gold.topics) <= set(items.topics)
        and bool(set(gold.scores) & set(items.scores))
    )


def _about_items(group: _LogGroup, gold: Sequence[Examined], notes: list[str]) -> Iterator[FileQuestion]:
    items, about, files = group.items, group.about, group.files
    usable = [score for score in items.scores if np.isfinite(items.matrix(score)).any()]
    by_people = _by_people(group)
    notes += _wrong_with(group, usable, by_people)
    if not usable:
        yield FileQuestion(about, WHICH, lacks="every value failed: run the evaluation again")
        return
    usable = [score for score in usable if score not in by_people]
    score = _telling(items, usable)
    columns = typed(file_options()) if file_options().board and group.logs else ()
    chosen = (*files, "--score", score, *columns)
    others = tuple(name for name in usable if name != score)
    if len(items.systems) < 2:
        what = "log" if group.logs else "table"
        one = f"one system only ({items.systems[0]}): give the {what} of another, or of the same one before a change"
        yield FileQuestion(about, WHICH, lacks=one)
    elif (common := _common(items, score)) < LEAST_TOPICS:
        few = f"all systems have a {score} for {counted(common, 'topic')}: give {LEAST_TOPICS} or more in common"
        yield FileQuestion(about, f"{which_of(items.systems)}?", lacks=few, instead=others)
    else:
        yield FileQuestion(
            about, f"{which_of(items.systems)} on {score}?", command_of("verdict", *chosen), instead=others
        )
        for column in _clusters(items):
            groups = counted(len(set(items.clusters[column].values())), "cluster")
            question = f"The same, for samples that come in {groups} of {column}?"
            yield FileQuestion(about, question, command_of("verdict", *chosen, "--cluster", column))
        yield _of_pairs(about, PAIRS, chosen, partial(answer_scores, items, score))
        yield FileQuestion(about, PAGE, command_of("report", *chosen, "-o", "report.html"))
        if _are_repeated(items, score):
            command = command_of("verdict", *chosen, "--population", "topics,replicates")
            config = StudyConfig(population=["topics", "replicates"])
            why = refusal(lambda: Study.configured(items, None, score, config).compare())
            yield FileQuestion(about, AGAIN, "" if why else command, why)
        for table in gold:
            name = score if score in table.scores else next(s for s in table.scores if s in items.scores)
            question = f"The same, corrected by {table.file}, if its answers were drawn at random?"
            given = (*files, "--score", name, *columns, "--gold", table.file, "--design", "random")
            config = StudyConfig(gold=Gold(table.data, "random"))
            if lacks := refusal(partial(_with_gold, items, name, config)):  # as where it leaves out a system
                yield FileQuestion(about, question, lacks=f"{table.file}: {lacks}")
                continue
            yield FileQuestion(about, question, command_of("verdict", *given))
            yield FileQuestion(about, CORRECTED, command_of("correct", *given))
        for column in by_people:
            question = f"The same, corrected by the column {column}, if its answers were drawn at random?"
            own = ("--gold", f"{COLUMN}{column}", "--design", "random")
            yield FileQuestion(about, question, command_of("verdict", *chosen, *own))
            yield FileQuestion(about, CORRECTED, command_of("correct", *chosen, *own))
    yield from _lacking_in(group, score, bool(gold or by_people))


def _about_teams(group: _LogGroup, files: Sequence[Examined]) -> Iterator[FileQuestion]:
    """A page for each team of the systems, where a table names these."""
    items = group.items
    usable = [s for s in items.scores if np.isfinite(items.matrix(s)).any() and s not in _by_people(group)]
    if not usable or len(items.systems) < 2:
        return
    score = _telling(items, usable)
    columns = typed(file_options()) if file_options().board and group.logs else ()
    lacks = "" if _common(items, score) >= LEAST_TOPICS else "too few topics have a value for all systems"
    yield from pages_by_team(group.about, (*group.files, "--score", score, *columns), files, items.systems, lacks)


def _gold_columns(usable: Sequence[str]) -> list[str]:
    """Columns of a table that hold people's values of another column, by their names: human, or human_faithfulness.

    >>> _gold_columns(["faith", "human", "human_likeness"]), _gold_columns(["human"])
    (['human'], [])
    """
    words = {score: set(re.split(r"[^a-z0-9]+", score.lower())) for score in usable}
    others = [score for score in usable if words[score].isdisjoint(TRUSTED)]
    plain = OF_VALUES.union(*(words[score] for score in others))
    return [score for score in usable if score not in others and words[score] <= plain.union(TRUSTED)] if others else []


def _of_pairs(
    about: str, question: str, chosen: Sequence[str], scores: Callable[[], Scores], instead: tuple[str, ...] = ()
) -> FileQuestion:
    """All pairs of systems by the usual test; by one that deals scores at random, where the usual one is refused."""
    lacks = ""
    for test in (None, RANDOMIZED):
        why = refusal(partial(_tested, scores, test))
        if not why:
            words = () if test is None else ("--test", test)
            return FileQuestion(about, question, command_of("compare", *chosen, *words), instead=instead)
        lacks = lacks or why
    return FileQuestion(about, question, lacks=lacks, instead=instead)


def _with_gold(items: Items, score: str, config: StudyConfig) -> None:
    study = Study.configured(items, None, score, config)
    study.variance_model(study.measures[0])


def _tested(scores: Callable[[], Scores], test: str | None) -> None:
    score_table = scores()
    for name in score_table.measures:
        compared(score_table, name, PublishedTest(test), None, None, 0.95, Resampling(TRIED, jobs=1))


def _table_scores(path: str, score: str) -> Scores:
    return answer_scores(read_items(path), score)


def _nugget_scores(paths: Sequence[str], measure: str) -> Scores:
    items = read_nuggets(paths)
    return answer_scores(items, measures_of(items, None, [measure]))


def _with_nuggets(paths: Sequence[str], measure: str, gold: Gold | None = None) -> None:
    """What a verdict by nuggets asks of the files."""
    study = Study.configured(read_nuggets(paths), None, [measure], StudyConfig(gold=gold))
    study.variance_model(study.measures[0])


def _common(items: Items, score: str) -> int:
    """How many topics have a value of every system."""
    return int(np.isfinite(items.matrix(score)).all(axis=0).sum())


def _clusters(items: Items) -> list[str]:
    """Columns that put every sample into one of some clusters."""
    return [
        column
        for column, of in items.clusters.items()
        if all(of.get(topic) for topic in items.topics) and 1 < len(set(of.values())) < len(items.topics)
    ]


def _telling(items: Items, usable: Sequence[str]) -> str:
    """The score that most will ask about: one that a judge gave, with the fewest values missing."""
    judged = {score for score, judge in zip(items.score.strings(), items.judge.strings(), strict=True) if judge}
    candidates = [score for score in usable if score in judged] or list(usable)
    return min(candidates, key=lambda score: int(np.isnan(items.matrix(score)).sum()))


def _lacking_in(group: _LogGroup, score: str, checked: bool) -> Iterator[FileQuestion]:
    """What values of answers lack: people's values, topics, replicates."""
    items, about = group.items, group.about
    if not checked and items.models:
        who = some(sorted(items.models))
        assigned = any(log.tool.startswith(NUGGETIZER) for log in group.logs)
        what = "assign a random sample of the nuggets" if assigned else "rate a random sample of the answers"
        of = "system, topic, item" if assigned else "system, topic"
        how = (
            f"no person has checked its values: have people {what}, in a table of {of} and {score}, then add "
            "--gold people.csv --design random"
        )
        yield FileQuestion(about, f"Can {who} be trusted?", lacks=how)
    common = _common(items, score)
    if 1 < common < ENOUGH and len(items.systems) > 1:
        why = f"{counted(common, 'topic')} that all systems have a value for: have {ENOUGH} or more"
        yield FileQuestion(about, "Can the interval be trusted?", lacks=why)
    tools = {log.tool.partition(" ")[0] for log in group.logs}
    if not _are_repeated(items, score) and tools.isdisjoint(OF_TASKS):
        how = next((f" ({REPEATING[tool]} of {tool})" for tool in tools if tool in REPEATING), "")
        why = f"every answer has one value: run samples again{how}"
        yield FileQuestion(about, AGAIN, lacks=why)


def _are_repeated(items: Items, score: str) -> bool:
    """Whether some answers have several values of a score."""
    return int(items.of_score(score).replicate.max()) > 1


def _wrong_with(group: _LogGroup, usable: Sequence[str], by_people: Sequence[str]) -> Iterator[str]:
    """What looks wrong with values of answers; people need not have rated all of them."""
    items, unequal = group.items, dict[tuple[str, str], list[str]]()
    for score in items.scores:
        values = items.matrix(score)
        if score not in usable:
            yield f"{group.about}: every value of {score} is missing"
            continue
        known = values[np.isfinite(values)]
        if len(known) > 1 and np.ptp(known) == 0:
            yield f"{group.about}: every answer has {score} {known[0]:g}"
        if apart := scales_apart(items, score):
            yield f"{group.about}: {apart}"
        lost = np.isnan(values).mean(axis=1)
        if len(lost) > 1 and np.ptp(lost) > UNEQUAL and score not in by_people:
            most, least = int(lost.argmax()), int(lost.argmin())
            rare = f"for {lost[most]:.0%} of the topics, {items.systems[least]} for {lost[least]:.0%}"
            unequal.setdefault((items.systems[most], rare), []).append(score)
    for (system, rare), scores in unequal.items():
        yield f"{group.about}: {system} has no {some(scores, 6)} {rare}; failures are rarely random"
    yield from (f"{group.about}: {message}" for message in items.check_means())
    topics = {log.file: frozenset(row.topic for row in log.rows) for log in group.logs}
    several = [log for log in group.logs if any(not row.system for row in log.rows)]
    for one, other in combinations(several, 2):
        a, b = topics[one.file], topics[other.file]
        if a != b:
            yield f"{one.file} and {other.file} have {len(a & b)} topics in common, of {len(a)} and {len(b)}"
    yield from other_questions(group.logs)


# ---- What else there is.


def _of_nuggets(files: Sequence[Examined]) -> Iterator[FileQuestion]:
    """Nuggets and what answers support of them; a file that names no model, or has some of another's, is people's."""
    assigned = [file for file in files if file.kind == ASSIGNMENTS]
    if not assigned:
        return
    keys = {f.file: {(r.topic, r.system, r.nugget) for r in f.data.rows if r.support is not None} for f in assigned}
    people = [f for f in assigned if _is_of_people(f.data)]
    gold = [f for f in assigned if any(keys[f.file] < keys[g.file] for g in assigned)]
    gold = gold or (people if 0 < len(people) < len(assigned) else [])
    rest = [f for f in assigned if f not in gold]
    banks = [file for file in files if file.kind == BANK and isinstance(file.data, NuggetFile)]
    paths = [file.file for file in (*banks, *rest)]
    weighed = any(file.data.weighs for file in (*banks, *assigned))
    chosen = (*paths, "-m", "V_strict" if weighed else "A_strict")
    about, systems = f"nuggets: {some(paths)}", tuple(dict.fromkeys(s for f in rest for s in f.systems))
    if len(systems) < 2:
        yield FileQuestion(about, WHICH, lacks=f"one system only ({some(systems)}): give the assignments of another")
    else:
        question, others = f"{which_of(systems)} on {chosen[-1]}?", ("V", "A", "W") if weighed else ("A",)
        if lacks := refusal(partial(_with_nuggets, paths, chosen[-1])):
            yield FileQuestion(about, question, lacks=lacks)
            return
        yield FileQuestion(about, question, command_of("verdict", *chosen), instead=others)
        yield _of_pairs(about, PAIRS, chosen, partial(_nugget_scores, paths, chosen[-1]))
        yield FileQuestion(about, PAGE, command_of("report", *chosen, "-o", "report.html"))
        yield from pages_by_team(about, chosen, files, systems)
    for table in gold:
        question = f"The same, corrected by {table.file}, if its nuggets were drawn at random?"
        own = ("--gold", table.file, "--design", "random")
        if lacks := refusal(partial(_with_nuggets, paths, chosen[-1], Gold(table.file, "random"))):
            yield FileQuestion(about, question if len(systems) > 1 else CORRECTED, lacks=lacks)
            continue
        if len(systems) > 1:
            yield FileQuestion(about, question, command_of("verdict", *chosen, *own))
        yield FileQuestion(about, CORRECTED, command_of("correct", *chosen, *own))
    if not gold and len(systems) > 1:
        names = tuple(dict.fromkeys(row.judge for f in people for row in f.data.rows if row.judge))
        lacks = "no person has assigned any of the nuggets: have people assign a random sample of them"
        if names:
            are = "is" if len(names) == 1 else "are"
            lacks = f"if {some(names)} {are} no person: have people assign a random sample of the nuggets"
        draw = command_of("plan", "labels", *chosen, "-o", "list.csv")
        yield FileQuestion(about, "What would people say?", draw, lacks=lacks)


def _is_of_people(file: NuggetFile) -> bool:
    """Whether all assignments of a file are people's: they name who gave them, and no model."""
    judges = {row.judge for row in file.rows if row.support is not None}
    return not file.is_nuggetizers and all(judges) and not judges & file.models


def _of_others(files: Sequence[Examined]) -> Iterator[FileQuestion]:
    assigned = any(file.kind == ASSIGNMENTS for file in files)
    for file in files:
        about = f"{file.kind}: {file.file}"
        if file.kind == SCORES and len(file.systems) > 1:
            question = f"{which_of(file.systems)} on {file.scores[0]}?"
            scores = partial(_table_scores, file.file, file.scores[0])
            yield _of_pairs(about, question, (file.file, "--score", file.scores[0]), scores, file.scores[1:])
        elif file.kind == SCORES:
            yield FileQuestion(about, WHICH, lacks=f"one system only ({file.systems[0]}): give the scores of another")
        elif file.kind == STUDY:
            yield FileQuestion(about, "What does the study say?", command_of("verdict", file.file))
        elif file.kind == BANK and not (assigned and isinstance(file.data, NuggetFile)):
            lacks = "nuggets alone: assign them to answers first, as nuggetizer does"
            yield FileQuestion(about, "Which answers state these nuggets?", lacks=lacks)
    with_teams = (RUN, LOG, ANSWERS, ASSIGNMENTS)
    if any(file.kind == TEAMS for file in files) and not any(file.kind in with_teams for file in files):
        lacks = "the teams of runs alone: give the runs and their judgments, or the values of their answers"
        yield FileQuestion("teams", WHICH, lacks=lacks)
    if all(file.kind in (TEXTS, UNKNOWN) for file in files) and any(file.kind == TEXTS for file in files):
        lacks = "texts alone: give runs and judgments, or the log of an evaluation"
        yield FileQuestion("texts", WHICH, lacks=lacks)
