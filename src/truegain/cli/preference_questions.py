"""What tables of preferences can answer, and which of them holds people's votes on comparisons of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from truegain.cli.questions import PAGE, FileQuestion, command_of
from truegain.errors import TruegainError, counted, heard, some
from truegain.message import with_marks
from truegain.preferences.table import Preferences, read_preferences
from truegain.study.file_kinds import PREFERENCES, Examined

Cell = tuple[str, str, str]  # a topic and two systems, by name


def of_preferences(files: Sequence[Examined]) -> Iterator[FileQuestion]:
    """Questions about each table of preferences; people's votes on some of a judge's comparisons are its gold."""
    tables: dict[str, Preferences] = {}
    for file in files:
        if file.kind != PREFERENCES:
            continue
        try:
            with heard():  # the verdict tells it again
                tables[file.file] = read_preferences(file.file)
        except TruegainError as error:
            yield FileQuestion(f"preferences: {file.file}", "Which system is preferred?", lacks=with_marks(error))
    gold_of = gold_files(tables)
    used = {gold for golds in gold_of.values() for gold, _ in golds}
    for path, votes in tables.items():
        if path not in used:
            yield from _about(path, votes, gold_of[path])


def gold_files(tables: Mapping[str, Preferences]) -> dict[str, list[tuple[str, str]]]:
    """By file those that hold people's votes on some of its comparisons, and how these seem to have been drawn.

    >>> rows = [{"topic": t, "a": "x", "b": "y", "winner": "a", "model": "m"} for t in "123"]
    >>> people = [{"topic": "2", "a": "y", "b": "x", "winner": "a"}]
    >>> gold_files({"judge": read_preferences(rows), "people": read_preferences(people)})
    {'judge': [('people', 'topics')], 'people': []}
    """
    cells = {file: _cells(votes) for file, votes in tables.items()}
    out: dict[str, list[tuple[str, str]]] = {file: [] for file in tables}
    for file, judge in tables.items():
        for other, people in tables.items():
            own, theirs = cells[file], cells[other]
            fewer = len(theirs) < len(own) or bool(judge.models)
            if other == file or people.models or not fewer or not set(theirs) <= set(own):
                continue
            if all(own[cell] == won for cell, won in theirs.items()):  # a part of the same votes checks nothing
                continue
            topics = {topic for topic, *_ in theirs}
            whole = {cell for cell in own if cell[0] in topics} == set(theirs)
            out[file].append((other, "topics" if whole else "random"))
    return out


def _cells(votes: Preferences) -> dict[Cell, float]:
    """By topic and two systems, in the order of their names, the half-win of the first."""
    ordered = votes.onto(sorted(votes.systems), votes.topics)
    cells = ordered.cells()
    names = zip(cells.topic.tolist(), cells.a[cells.kind].tolist(), cells.b[cells.kind].tolist(), strict=True)
    keys = [(cells.topics[t], cells.systems[a], cells.systems[b]) for t, a, b in names]
    return dict(zip(keys, cells.wins.tolist(), strict=True))


def _about(file: str, votes: Preferences, gold: Sequence[tuple[str, str]]) -> Iterator[FileQuestion]:
    about, systems = f"preferences: {file}", votes.systems
    two, first = len(systems) == 2, f"Is {systems[1]} preferred to {systems[0]}"
    question = first if two else f"Which of {counted(len(systems), 'system')} is best"
    yield FileQuestion(about, f"{question}?", command_of("verdict", file))
    if not two:
        pair = ",".join(systems[:2])
        yield FileQuestion(about, f"{first}?", command_of("verdict", file, "--pair", pair))
    for other, design in gold:
        options = (file, "--gold", other, "--design", design)
        drawn = "" if design == "topics" else ", if these comparisons were drawn at random"
        yield FileQuestion(about, f"{question}, corrected by {other}{drawn}?", command_of("verdict", *options))
        yield FileQuestion(about, "A report of that to share.", command_of("report", *options, "-o", "report.html"))
    if not gold:
        yield FileQuestion(about, PAGE, command_of("report", file, "-o", "report.html"))
        if votes.models:
            lacks = (
                f"no person has checked the preferences of {some(votes.models)}: have people compare some of the "
                "pairs, drawn at random, and give both files"
            )
            yield FileQuestion(about, "What would people say?", lacks=lacks)
