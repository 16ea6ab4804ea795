"""What files can answer: which questions, by which command, what is missing for the others, and what looks wrong."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypedDict

import numpy as np

from truegain.cli.preference_questions import of_preferences
from truegain.cli.questions import PAGE, WHICH, FileQuestion, QuestionDocument, columns_of, command_of, sentence
from truegain.config import StudyConfig
from truegain.data.item_reading import joined, read_items
from truegain.data.items import UNEQUAL, Items
from truegain.data.judgments import Judgments
from truegain.data.runs import Runs
from truegain.errors import TruegainError, counted, some
from truegain.io.column_names import file_options
from truegain.io.files import PathLike, shown_path
from truegain.io.formats import ending, system_name
from truegain.io.logs.log import Log
from truegain.io.nugget_files import NuggetFile
from truegain.io.told_columns import check_told, columns_in
from truegain.io.warnings import heard
from truegain.message import Message, with_marks
from truegain.study.estimators import LEAST_TOPICS
from truegain.study.feasibility import at_depth_of, usual_measures, whole_topics
from truegain.study.file_kinds import (
    ANSWERS,
    ASSIGNMENTS,
    BANK,
    GOLD_LIST,
    JUDGMENTS,
    LOG,
    RATINGS,
    RUN,
    SCORES,
    STUDY,
    TEXTS,
    UNKNOWN,
    Examined,
    FileDocument,
    examine,
    files_below,
    named,
)
from truegain.study.study import Study

ENOUGH = 25  # topics from which on intervals depend little on how the scores are distributed
MOST_RUNS = 3  # of one folder that are listed one by one
CHEAP = ("llm", "gpt", "model", "bronze", "umbrela", "crowd")  # in names of files of labels
TRUSTED = ("gold", "human", "people", "expert", "trusted", "nist")
FORMS = (".eval", ".json", ".jsonl", ".csv")  # of one log, the most telling first


class DiagnosisDocument(TypedDict):
    """What files are and what they can answer.

    Attributes
    ----------
    files : list
        What each file is.
    questions : list
        What can be asked of them, and what cannot yet.
    suspicious : list of str
        What looks wrong.
    usable : bool
        Whether any file could be read.
    """

    files: list[FileDocument]
    questions: list[QuestionDocument]
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

    @property
    def is_usable(self) -> bool:
        """Whether any file could be read."""
        return any(file.kind != UNKNOWN for file in self.files)

    def to_dict(self) -> DiagnosisDocument:
        """What is printed as JSON: the same keys whatever the files are.

        Returns
        -------
        dict
            The keys files, questions, suspicious and usable.
        """
        return {
            "files": [file.to_dict() for file in self.files],
            "questions": [question.to_dict() for question in self.questions],
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
            lines += ["", about]
            for question in self.questions:
                lines += question.lines() if question.about == about else ()
        if self.suspicious:
            lines += ["", "What looks wrong", *(f"  {sentence(note)}" for note in self.suspicious)]
        return "".join(f"{line}\n" for line in lines)

    def _file_lines(self) -> Iterator[str]:
        """A line a file, and its notes; many runs of one folder in one."""
        runs = Counter(_folder(file.file) for file in self.files if file.kind == RUN)
        for file in self.files:
            folder = _folder(file.file)
            if file.kind == RUN and (many := runs[folder]) > MOST_RUNS:
                runs[folder] = 0
                of = [one for one in self.files if one.kind == RUN and _folder(one.file) == folder]
                systems = [system for one in of for system in one.systems]
                yield f"  {folder or '.'}: {counted(many, 'run')}: {named(systems, 'system', 'systems')}"
                continue
            if file.kind == RUN and not runs[folder]:
                continue
            yield f"  {file.file}: {file.in_words}"
            if file.missing:
                yield f"    missing: {file.lost_in_words}"
            yield from (f"    {sentence(note)}" for note in file.notes)


def _folder(file: str) -> str:
    return os.path.dirname(file)  # noqa: PTH120  addresses keep their slashes


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
        check_told(file_options(), {shown_path(path): names for path in every if (names := columns_in(path))})
    files = [examine(path) for path in every]
    notes: list[str] = []
    questions = [
        *_of_answers(files, notes), *_of_nuggets(files), *_of_retrieval(files, notes), *_of_ratings(files),
        *of_preferences(files), *_of_others(files),
    ]  # fmt: skip
    return Diagnosis(tuple(files), tuple(questions), tuple(dict.fromkeys(notes)))


def _which(systems: Sequence[str]) -> str:
    if len(systems) == 2:
        return f"Is {systems[1]} better than {systems[0]}"
    return f"Which of {counted(len(systems), 'system')} is best"


# ---- Answers: logs of tools, and tables of values.


@dataclass(frozen=True)
class _LogGroup:
    """Logs of one tool that belong together, joined."""

    about: str
    files: tuple[str, ...]
    items: Items
    logs: Sequence[Log] = ()


def _of_answers(files: Sequence[Examined], notes: list[str]) -> Iterator[FileQuestion]:
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
            yield from _about_items(group, gold, notes)


def _paired(tables: Sequence[Examined]) -> list[_LogGroup]:
    """Tables of one system each that have the same scores of the same topics, together; each other one by itself."""
    groups: list[list[Examined]] = []
    for table in tables:
        single = len(table.systems) == 1 and not _named_as(table, TRUSTED)
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
    if len(other.systems) != 1 or table.systems == other.systems or _named_as(other, TRUSTED):
        return False
    a, b = set(table.data.topics), set(other.data.topics)
    return set(table.scores) == set(other.scores) and 2 * len(a & b) > max(len(a), len(b))


def _alike(files: Sequence[Examined], notes: list[str]) -> Iterator[list[Log]]:
    """Logs of one tool and folder; of those that hold the same values the most telling.

    Where two forms of logs give the same names to systems, as two runs of an evaluation do, each form is by itself.
    """
    folders: dict[tuple[str, str], list[Log]] = {}
    for file in files:
        tool = file.tool.partition(" ")[0]
        folder = "" if tool == "mteb" else _folder(file.file)  # which has a folder a model
        folders.setdefault((tool, folder), []).append(file.data)
    for logs in folders.values():
        kept: dict[Any, Log] = {}
        for log in sorted(logs, key=_form):
            values = frozenset((r.system, r.topic, r.item, r.score, r.replicate, repr(r.value)) for r in log.rows)
            if (first := kept.setdefault(values, log)) is not log:
                notes.append(f"{log.file} holds the same values as {first.file}: it is left out")
        alone = [log for log in logs if log in kept.values()]
        forms: dict[str, list[Log]] = {}
        for log in alone:
            forms.setdefault(ending(log.file), []).append(log)
        apart = len(forms) > 1 and max(Counter(_first_name(log) for log in alone).values()) > 1
        yield from forms.values() if apart else [alone]


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
    if not fewer and _named_as(table, TRUSTED):
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
    notes += _wrong_with(group, usable)
    if not usable:
        yield FileQuestion(about, WHICH, lacks="every value failed: run the evaluation again")
        return
    score = _telling(items, usable)
    chosen = (*files, "--score", score)
    others = tuple(name for name in usable if name != score)
    if len(items.systems) < 2:
        what = "log" if group.logs else "table"
        one = f"one system only ({items.systems[0]}): give the {what} of another, or of the same one before a change"
        yield FileQuestion(about, WHICH, lacks=one)
    elif (common := _common(items, score)) < LEAST_TOPICS:
        few = f"all systems have a {score} for {counted(common, 'topic')}: give {LEAST_TOPICS} or more in common"
        yield FileQuestion(about, f"{_which(items.systems)}?", lacks=few, instead=others)
    else:
        yield FileQuestion(
            about, f"{_which(items.systems)} on {score}?", command_of("verdict", *chosen), instead=others
        )
        for column in _clusters(items):
            groups = counted(len(set(items.clusters[column].values())), "cluster")
            asked = f"The same, for samples that come in {groups} of {column}?"
            yield FileQuestion(about, asked, command_of("verdict", *chosen, "--cluster", column))
        yield FileQuestion(about, "How do all pairs differ, in one table?", command_of("compare", *chosen))
        yield FileQuestion(about, PAGE, command_of("report", *chosen, "-o", "report.html"))
        for table in gold:
            name = score if score in table.scores else next(s for s in table.scores if s in items.scores)
            command = command_of("verdict", *files, "--score", name, "--gold", table.file, "--design", "random")
            yield FileQuestion(
                about, f"The same, corrected by {table.file}, if its answers were drawn at random?", command
            )
    yield from _lacking_in(group, score, bool(gold))


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
    asked = [score for score in usable if score in judged] or list(usable)
    return min(asked, key=lambda score: int(np.isnan(items.matrix(score)).sum()))


def _lacking_in(group: _LogGroup, score: str, checked: bool) -> Iterator[FileQuestion]:
    """What values of answers lack: people's values, topics, replicates."""
    items, about = group.items, group.about
    if not checked and items.models:
        who = some(sorted(items.models))
        how = (
            f"no person has checked its values: have people rate a random sample of the answers, in a table of system, "
            f"topic and {score}, then add --gold people.csv --design random"
        )
        yield FileQuestion(about, f"Can {who} be trusted?", lacks=how)
    common = _common(items, score)
    if 1 < common < ENOUGH and len(items.systems) > 1:
        why = f"{counted(common, 'topic')} that all systems have a value for: have {ENOUGH} or more"
        yield FileQuestion(about, "Can the interval be trusted?", lacks=why)
    if int(items.replicate.max()) == 1:
        why = "every answer has one value: run samples again, as by --epochs of inspect_ai or --repeat of promptfoo"
        yield FileQuestion(about, "How much do values change when all is run again?", lacks=why)


def _wrong_with(group: _LogGroup, usable: Sequence[str]) -> Iterator[str]:
    """What looks wrong with values of answers."""
    items, unequal = group.items, dict[tuple[str, str], list[str]]()
    for score in items.scores:
        values = items.matrix(score)
        if score not in usable:
            yield f"{group.about}: every value of {score} is missing"
            continue
        known = values[np.isfinite(values)]
        if len(known) > 1 and np.ptp(known) == 0:
            yield f"{group.about}: every answer has {score} {known[0]:g}"
        lost = np.isnan(values).mean(axis=1)
        if len(lost) > 1 and np.ptp(lost) > UNEQUAL:
            most, least = int(lost.argmax()), int(lost.argmin())
            rare = f"for {lost[most]:.0%} of the topics, {items.systems[least]} for {lost[least]:.0%}"
            unequal.setdefault((items.systems[most], rare), []).append(score)
    for (system, rare), scores in unequal.items():
        yield f"{group.about}: {system} has no {some(scores, 6)} {rare}; failures are rarely random"
    yield from (f"{group.about}: {told}" for told in items.check_means())
    topics = {log.file: frozenset(row.topic for row in log.rows) for log in group.logs}
    several = [log for log in group.logs if any(not row.system for row in log.rows)]
    for one, other in combinations(several, 2):
        a, b = topics[one.file], topics[other.file]
        if a != b:
            yield f"{one.file} and {other.file} have {len(a & b)} topics in common, of {len(a)} and {len(b)}"
        elif one.provenance.get("inputs") != other.provenance.get("inputs"):
            yield f"{one.file} and {other.file} name their topics alike and ask other questions in them"


# ---- Retrieval: runs and judgments.


def _of_retrieval(files: Sequence[Examined], notes: list[str]) -> Iterator[FileQuestion]:
    folders = _by_folder(files)
    judged = [file for file in files if file.kind == JUDGMENTS]
    if judged and not folders:
        about = some([file.file for file in judged])
        yield FileQuestion(about, WHICH, lacks="no runs: give the ranked lists of your systems")
    for folder, runs in folders.items():
        systems = Counter(system for run in runs for system in run.systems)
        if twice := [system for system, many in systems.items() if many > 1]:
            notes.append(f"{folder or '.'}: two runs have the name {some(twice)}")
        yield from _about_runs(_paths(folder, runs, files), runs, files, notes)


def _by_folder(files: Sequence[Examined]) -> dict[str, list[Examined]]:
    """The runs of each folder."""
    runs: dict[str, list[Examined]] = {}
    for file in files:
        if file.kind == RUN:
            runs.setdefault(_folder(file.file), []).append(file)
    return runs


def _paths(folder: str, runs: Sequence[Examined], files: Sequence[Examined]) -> list[str]:
    """How a command names runs: by their folder where it holds nothing else."""
    inside = [file for file in files if _folder(file.file) == folder]
    alone = len(inside) == len(runs) > 1 and bool(folder)
    return [folder] if alone and len(files_below([folder])) == len(runs) else [run.file for run in runs]


def _about_runs(
    paths: list[str], runs: Sequence[Examined], files: Sequence[Examined], notes: list[str]
) -> Iterator[FileQuestion]:
    systems = [system for run in runs for system in run.systems]
    which = _which(systems) if len(systems) > 1 else f"How good is {systems[0]}"
    about = f"runs: {some(paths)}"
    judged = [file for file in files if file.kind == JUDGMENTS]
    fitting = sorted((j for j in judged if _fits(j.data, runs)), key=lambda j: len(j.data), reverse=True)
    if not fitting:
        why = "no judgments: give relevance labels of their documents (qrels)"
        if judged:
            why = f"{some([j.file for j in judged])}: no document of the runs is judged; are ids written alike?"
        yield FileQuestion(about, f"{which}?", lacks=why)
        return
    whole = [file for file in fitting if len(file.data) * 2 >= len(fitting[0].data)]
    first, others = whole[0], tuple(file.file for file in whole[1:])
    ran = Runs(tuple(part for run in runs for part in run.data.parts))
    measure = usual_measures(ran, first.data, gold=False, design=None)[0]
    if len(systems) == 1:
        command = command_of(
            "eval", first.file, *paths, "-m", measure, "--intervals", "topics", *columns_of(first, runs=runs)
        )
        yield FileQuestion(about, f"{which} by {first.file}?", command, instead=others)
        yield FileQuestion(about, WHICH, lacks=f"one system only ({systems[0]}): give the run of another")
        return
    if problem := _problem(ran, first, measure, notes):
        yield FileQuestion(about, f"{which}?", lacks=problem)
        return
    chosen = (first.file, *paths, "-m", measure, *columns_of(first, runs=runs))
    gold = list(_about_gold(about, paths, runs, whole, [f for f in fitting if f not in whole], files))
    corrected = any("--gold" in question.command for question in gold)
    if corrected:  # what people should quote comes first
        yield from gold
    alone = " alone, its mistakes not corrected" if corrected else ""
    yield FileQuestion(about, f"{which} by {first.file}{alone}?", command_of("verdict", *chosen), instead=others)
    if not corrected:
        yield FileQuestion(about, PAGE, command_of("report", *chosen, "-o", "report.html"))
    yield FileQuestion(about, "What could unjudged documents change?", command_of("unjudged", *chosen))
    pair = ("--baseline", systems[0], "--candidate", systems[-1], "--dry-run")
    asked = f"How many labels of people decide between {systems[0]} and {systems[-1]}?"
    yield FileQuestion(about, asked, command_of("settle", *chosen, *pair))
    if others and len(systems) > 2:
        asked = f"Do {first.file} and {others[0]} order the systems alike?"
        named_columns = columns_of(first, whole[1], runs=runs)
        command = command_of("correlate", first.file, others[0], *paths, "-m", measure, *named_columns)
        yield FileQuestion(about, asked, command, instead=others[1:])
    if not corrected:
        yield from gold


def _fits(labels: Judgments, runs: Sequence[Examined]) -> bool:
    """Whether judgments are of topics of the runs, and of some document of theirs."""
    topics, docs = set(labels.topic.values), set(labels.docs.strings())
    parts = [part for run in runs for part in run.data.parts]
    ran = any(not topics.isdisjoint(part.topic.values) for part in parts)
    return ran and any(not docs.isdisjoint(part.docs.strings()) for part in parts)


def _problem(runs: Runs, judged: Examined, measure: str, notes: list[str]) -> str:
    """Why a study of runs and judgments is refused; what it warns of is noted."""
    with heard() as told:
        try:
            Study.configured(runs, judged.data, measure, StudyConfig())
        except TruegainError as error:
            return with_marks(error)
    notes += map(with_marks, told)
    return ""


def _about_gold(
    about: str,
    paths: list[str],
    runs: Sequence[Examined],
    whole: Sequence[Examined],
    smaller: Sequence[Examined],
    files: Sequence[Examined],
) -> Iterator[FileQuestion]:
    """Labels of people beside those of a cheap judge."""
    listed = [file for file in files if file.kind == GOLD_LIST]
    ran = Runs(tuple(part for file in files if file.kind == RUN for part in file.data.parts))
    linear = at_depth_of(ran, "P@10")
    at_depth = () if linear == "P@10" else ("-m", linear)
    both = [(cheap, gold) for cheap in whole for gold in smaller if _checks(gold.data, cheap.data)]
    if both:
        cheap, gold = max(both, key=lambda pair: _named_as(pair[0], CHEAP) + _named_as(pair[1], TRUSTED))
        design = "topics" if whole_topics(cheap.data, gold.data) else "random"
        given = ("--gold", gold.file, "--design", design, *at_depth, *columns_of(cheap, gold, runs=runs))
        drawn = "" if design == "topics" else ", if these were drawn at random"
        others = tuple(one.file for of, one in both if of is cheap and one is not gold)
        asked = f"Which system is better by {cheap.file}, corrected by {gold.file}{drawn}?"
        yield FileQuestion(about, asked, command_of("verdict", cheap.file, *paths, *given), instead=others)
        yield FileQuestion(about, PAGE, command_of("report", cheap.file, *paths, *given, "-o", "report.html"))
        asked = f"How good are the labels of {cheap.file}, by those of {gold.file}{drawn}?"
        yield FileQuestion(about, asked, command_of("judge", "check", cheap.file, *given), instead=others)
    for file in listed:
        asked = f"Which system is better by {whole[0].file}, corrected by the labels in {file.file}?"
        filled = bool(file.data.judged)
        given = ("--gold", file.file, *columns_of(whole[0], runs=runs))
        command = command_of("verdict", whole[0].file, *paths, *given) if filled else ""
        yield FileQuestion(about, asked, command, "" if filled else "fill in labels from its top")
        if filled and not both:
            yield FileQuestion(about, PAGE, command_of("report", whole[0].file, *paths, *given, "-o", "report.html"))
    if whole[0].judges and not both and not listed:
        why = f"no person has checked the labels of {some(whole[0].judges)}; this draws documents to label:"
        named_columns = columns_of(whole[0], runs=runs)
        plan = command_of("plan", "labels", whole[0].file, *paths, *at_depth, *named_columns, "-o", "list.csv")
        yield FileQuestion(about, f"Can the judge of {whole[0].file} be trusted?", plan, why)


def _named_as(file: Examined, words: Sequence[str]) -> int:
    """Whether a file says by its name, or by who gave its labels, what they are."""
    told = system_name(file.file).lower()
    return 2 * any(word in told for word in words) + (words is CHEAP and bool(file.judges))


def _checks(gold: Judgments, cheap: Judgments) -> bool:
    """Whether labels are of some of the pairs that others are of, and not merely a part of these."""
    known = dict(zip(_pairs(cheap), np.asarray(cheap.label).tolist(), strict=True))
    pairs, labels = _pairs(gold), np.asarray(gold.label).tolist()
    return all(pair in known for pair in pairs) and any(
        known[pair] != label for pair, label in zip(pairs, labels, strict=True)
    )


def _pairs(labels: Judgments) -> list[tuple[str, str]]:
    return list(zip(labels.topic.strings(), labels.docs.strings(), strict=True))


# ---- What else there is.


def _of_ratings(files: Sequence[Examined]) -> Iterator[FileQuestion]:
    for file in files:
        if file.kind != RATINGS:
            continue
        about = f"ratings: {file.file}"
        yield FileQuestion(about, "Do the assessors agree?", command_of("agree", file.file, *columns_of(file)))
        for folder, runs in _by_folder(files).items():
            systems = [system for run in runs for system in run.systems]
            if len(systems) > 1 and _fits(file.data, runs):
                command = command_of(
                    "verdict",
                    file.file,
                    *_paths(folder, runs, files),
                    "--aggregate",
                    "mean",
                    *columns_of(file, runs=runs),
                )
                yield FileQuestion(about, f"{_which(systems)} by the mean of their ratings?", command)


def _of_nuggets(files: Sequence[Examined]) -> Iterator[FileQuestion]:
    """Nuggets and what answers support of them; a file about some of the same answers may be people's."""
    assigned = [file for file in files if file.kind == ASSIGNMENTS]
    if not assigned:
        return
    keys = {f.file: {(r.topic, r.system, r.nugget) for r in f.data.rows if r.support is not None} for f in assigned}
    gold = [f for f in assigned if any(keys[f.file] < keys[g.file] for g in assigned)]
    banks = [file for file in files if file.kind == BANK and isinstance(file.data, NuggetFile)]
    paths = [file.file for file in (*banks, *(f for f in assigned if f not in gold))]
    weighed = any(file.data.weighs for file in (*banks, *assigned))
    chosen = (*paths, "-m", "V_strict" if weighed else "A_strict")
    about, systems = f"nuggets: {some(paths)}", tuple(dict.fromkeys(s for f in assigned for s in f.systems))
    yield FileQuestion(about, f"{_which(systems)} on {chosen[-1]}?" if len(systems) > 1 else WHICH,
                       command_of("verdict", *chosen), instead=("V", "A", "W") if weighed else ("A",))  # fmt: skip
    yield FileQuestion(about, "How do all pairs differ, in one table?", command_of("compare", *chosen))
    yield FileQuestion(about, PAGE, command_of("report", *chosen, "-o", "report.html"))
    for table in gold:
        asked = f"The same, corrected by {table.file}, if its nuggets were drawn at random?"
        yield FileQuestion(about, asked, command_of("verdict", *chosen, "--gold", table.file, "--design", "random"))
    if not gold:
        lacks = "no person has assigned any of the nuggets: have people assign a random sample of them"
        draw = command_of("plan", "labels", *chosen, "-o", "list.csv")
        yield FileQuestion(about, "What would people say?", draw, lacks=lacks)


def _of_others(files: Sequence[Examined]) -> Iterator[FileQuestion]:
    assigned = any(file.kind == ASSIGNMENTS for file in files)
    for file in files:
        about = f"{file.kind}: {file.file}"
        if file.kind == SCORES and len(file.systems) > 1:
            asked = f"{_which(file.systems)} on {file.scores[0]}?"
            command = command_of("compare", file.file, "--score", file.scores[0])
            yield FileQuestion(about, asked, command, instead=file.scores[1:])
        elif file.kind == SCORES:
            yield FileQuestion(about, WHICH, lacks=f"one system only ({file.systems[0]}): give the scores of another")
        elif file.kind == STUDY:
            yield FileQuestion(about, "What does the study say?", command_of("verdict", file.file))
        elif file.kind == BANK and not (assigned and isinstance(file.data, NuggetFile)):
            lacks = "nuggets alone: assign them to answers first, as nuggetizer does"
            yield FileQuestion(about, "Which answers hold these nuggets?", lacks=lacks)
    if all(file.kind in (TEXTS, UNKNOWN) for file in files) and any(file.kind == TEXTS for file in files):
        lacks = "texts alone: give runs and judgments, or the log of an evaluation"
        yield FileQuestion("texts", WHICH, lacks=lacks)
