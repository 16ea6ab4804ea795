"""All that is wrong with a study, before anyone is paid; and what it costs, how long it takes, whom it needs."""

from __future__ import annotations

import glob
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from truegain.errors import some
from truegain.judging.study.rows import refuse
from truegain.judging.study.settings import CODES, JudgingSettings
from truegain.judging.study.study import ALL, JudgingStudy, Opened, open_study
from truegain.judging.study.units import first_tenth
from truegain.judging.tasks.catalogue import LABELLED
from truegain.judging.tasks.task import Task
from truegain.judging.texts import Wording
from truegain.tables.paper import counted

LANGUAGES = ("de", "en")
LISTED = 5  # names in a sentence
WORDS_A_MINUTE = 238  # silent reading of English, Brysbaert 2019, Journal of Memory and Language 109
LATE = 0.2  # of all judgments: a first tenth that is complete later is told
PAPER = 10  # scores of each document, at least
_LOST = re.compile(
    r"<(script|style|img|picture|video|audio|iframe|object|embed|svg|math|form|input|button|link)\b", re.I
)
_EMPTIED = re.compile(r"<(script|style|template|noscript|iframe|object|svg|math)\b.*?</\1\s*>", re.I | re.S)
_TAG = re.compile(r"</?[a-z!][^<>]*>", re.I)


@dataclass(frozen=True)
class Needs:
    """What a study takes: units, people, minutes of a unit, and money where pay is told."""

    units: int
    most_of_a_topic: int
    judgments: int
    people: int  # at least, each taking all the units that one may
    minutes: float  # of a unit: the middle one
    told: bool  # by the study, or else reckoned from its texts
    cost: float | None


@dataclass(frozen=True)
class Checked:
    """What is wrong, what should be known, and what the study takes (None where units could not be built)."""

    faults: tuple[str, ...]
    notes: tuple[str, ...]
    opened: Opened
    needs: Needs | None

    def study(self) -> JudgingStudy:
        """The study, where nothing is wrong with it."""
        refuse(self.faults, ALL)
        return self.opened.study()

    def lines(self) -> list[str]:
        """What `truegain judging check` prints."""
        opened, settings = self.opened, self.opened.settings
        lines = [f"wrong: {fault}" for fault in self.faults]
        lines += [f"note: {note}" for note in self.notes]
        if settings is None or opened.task is None or self.needs is None:
            return lines
        n, topics = self.needs, len({unit.topic for unit in opened.units})
        lines += ["" for _ in lines[:1]]
        lines.append(f"{settings.task}: {counted(topics, 'topic')}, {counted(len(opened.documents), 'document')}, "
                     f"{counted(n.units, 'unit')}, at most {n.most_of_a_topic:,} of a topic")  # fmt: skip
        if told := labels_told(opened.task, settings):
            lines.append(f"labels: {told}")
        lines.append(f"judgments: {n.judgments:,}; {judgments_told(opened)}")
        most = settings.people.most or topics
        lines.append(f"people: at least {n.people:,}, each with {counted(min(most, topics), 'unit')} at most; "
                     "nobody sees a topic twice")  # fmt: skip
        how = (
            "as the study says" if n.told else f"at {WORDS_A_MINUTE} words a minute, with {settings.rules.seconds:g} s"
        )
        lines.append(f"minutes: {n.minutes:.1f} a unit ({how}{'' if n.told else ' or more on each page'}), "
                     f"{n.units * n.minutes / 60:.1f} hours in all")  # fmt: skip
        if n.cost is not None and settings.people.pay is not None:
            money = settings.people.currency
            lines.append(f"cost: {n.cost:,.2f} {money}".rstrip() + f", {settings.people.pay:.2f} a unit, about "
                         f"{settings.people.pay / n.minutes * 60:.2f} an hour, without fees")  # fmt: skip
        return lines


def check_study(folder: str | Path) -> Checked:
    """Look at everything that a study says and holds."""
    opened = open_study(folder)
    faults, notes = list(opened.faults), list[str]()
    settings, task = opened.settings, opened.task
    if settings is None:
        return Checked(tuple(faults), (), opened, None)
    _check_texts(opened, faults, notes)
    _check_words(settings, faults, notes)
    if task is not None:
        _check_topics(opened, task, faults, notes)
        if task.name == "magnitude" and settings.design.judgments < PAPER:
            notes.append(f"{settings.design.judgments} judgments of each document; the paper has at least {PAPER}")
    needs = _needs(opened, settings) if opened.units else None
    _check_people(opened, settings, needs, faults, notes)
    named = (*settings.runs, *filter(None, [settings.gold_list, settings.bronze]))
    faults += [f"{name}: no such file" for name in named if not glob.glob(str(opened.folder / name))]
    return Checked(tuple(dict.fromkeys(faults)), tuple(notes), opened, needs)


def _check_texts(opened: Opened, faults: list[str], notes: list[str]) -> None:
    """Documents that nobody could judge, or not as they are."""
    empty, marked, kinds = [], [], Counter[str]()
    for name, document in opened.documents.items():
        if not document.text.strip():
            empty.append(name)
            continue
        lost = {m[1].lower() for m in _LOST.finditer(document.text)}
        kinds.update(lost)
        if lost and not _TAG.sub(" ", _EMPTIED.sub(" ", document.text)).strip():
            faults.append(f"document {name} holds nothing but markup that is not shown ({', '.join(sorted(lost))})")
        elif lost:
            marked.append(name)
    if empty:
        faults.append(f"{counted(len(empty), 'document')} without text: {some(empty, LISTED)}")
    if marked:
        told = ", ".join(f"{kind} in {n}" for kind, n in sorted(kinds.items()))
        notes.append(f"{counted(len(marked), 'document')} with markup that is taken out before they are shown "
                     f"({told}): {some(marked, LISTED)}")  # fmt: skip
    alike = Counter(d.text.strip() for d in opened.documents.values() if d.text.strip())
    if double := [name for name, d in opened.documents.items() if alike[d.text.strip()] > 1]:
        notes.append(f"{counted(len(double), 'document')} with a text that another has, too: {some(double, LISTED)}")


def _check_topics(opened: Opened, task: Task, faults: list[str], notes: list[str]) -> None:
    bare = [t.topic.id for t in opened.topics if not t.topic.text]
    if bare:
        notes.append(f"{counted(len(bare), 'topic')} with a title alone, and no text that tells the need: "
                     f"{some(bare, LISTED)}")  # fmt: skip
    said = " ".join(opened.faults)
    lacking = [t.topic.id for t in opened.topics if t.topic.question is None]
    lacking = [name for name in lacking if f"the question of topic {name} " not in said]  # which was told
    if lacking and task.has_practice:
        faults.append(f"{counted(len(lacking), 'topic')} without a question of four options: {some(lacking, LISTED)} "
                      "(give `question`: asked, options, right)")  # fmt: skip
    elif lacking:
        notes.append(f"{counted(len(lacking), 'topic')} without a question, which then is not asked: "
                     f"{some(lacking, LISTED)}")  # fmt: skip
    size = opened.settings.design.size if opened.settings else 0
    if small := sorted({unit.topic for unit in opened.units if len(unit.items) < size}):
        notes.append(
            f"{counted(len(small), 'topic')} with too few documents for units of {size}: {some(small, LISTED)}"
        )
    if opened.settings and opened.settings.design.order == "decisive" and size > 1:
        ranks = {(row.topic, row.item.key): place for place, row in reversed(list(enumerate(opened.pool.rows)))}
        if (share := first_tenth(opened.units, ranks)) > LATE:
            notes.append(f"order decisive with units of {size}: the first tenth of the pool is judged after "
                         f"{share:.0%} of all judgments; smaller units (size in [units]) have it sooner")  # fmt: skip
    apart = sorted({u.topic for u in opened.units for i in u.items if i.claim and i.claim not in i.answer and i.answer})
    if apart:
        notes.append(f"{counted(len(apart), 'topic')} with a claim that is not in its answer word for word: "
                     f"{some(apart, LISTED)}")  # fmt: skip


def _check_words(settings: JudgingSettings, faults: list[str], notes: list[str]) -> None:
    words = settings.words
    if not words.title.strip():
        faults.append("the study has no title, which assessors read on top (title in [words])")
    if not words.contact.strip():
        notes.append("nobody is named whom assessors can ask (contact in [words])")
    if words.language.partition("-")[0].lower() not in LANGUAGES and not words.texts:
        faults.append(f"language {words.language!r} is not known: the pages are in {' and '.join(LANGUAGES)}; put "
                      "their texts into [texts] for another one")  # fmt: skip
    people = settings.people
    if people.platform == "prolific":
        lacking = [name for name in CODES if not people.codes.get(name, "").strip()]
        if lacking:
            faults.append(f"Prolific's codes for {', '.join(lacking)} are missing (codes in [people])")
        given = [code for code in people.codes.values() if code.strip()]
        if len(set(given)) < len(given):
            faults.append("two of Prolific's codes are the same: nobody could tell who finished (codes in [people])")


def _check_people(
    opened: Opened, settings: JudgingSettings, needs: Needs | None, faults: list[str], notes: list[str]
) -> None:
    """Whether there are enough people for the units of each topic, and enough topics for the people."""
    people = settings.people
    if people.pay is None:
        notes.append("what a unit pays is not told, so neither is the cost (pay in [people])")
    if needs is None:
        return
    if people.minutes is not None and people.minutes < (least := reading_minutes(opened, settings)):
        notes.append(f"minutes = {people.minutes:g} is less than reading takes, about {least:.1f}")
    topics = len({unit.topic for unit in opened.units})
    if people.most is not None and people.most > topics:
        faults.append(f"a person may take {people.most} units, but there are {topics} topics, and nobody sees one "
                      f"twice (most in [people]: at most {topics}, or give more topics)")  # fmt: skip
    if people.number is None:
        return
    if people.number < needs.most_of_a_topic:
        faults.append(f"a topic has {needs.most_of_a_topic} units, which need as many people, and there are "
                      f"{people.number} (number in [people]; or fewer judgments in [units])")  # fmt: skip
    each = min(people.most or topics, topics)
    if people.number * each < needs.units:
        faults.append(f"{needs.units} units are too many for {people.number} people with {each} each: there are too "
                      "few topics, or people, or units that one may take")  # fmt: skip


def _needs(opened: Opened, settings: JudgingSettings) -> Needs:
    units, people = opened.units, settings.people
    of_a_topic = Counter(unit.topic for unit in units)
    each = max(1, min(people.most or len(of_a_topic), len(of_a_topic)))
    most = max(of_a_topic.values())
    minutes = people.minutes or reading_minutes(opened, settings)
    return Needs(
        len(units), most, sum(len(unit.items) for unit in units), max(most, -(-len(units) // each)), minutes,
        people.minutes is not None, None if people.pay is None else len(units) * people.pay,
    )  # fmt: skip


def reading_minutes(opened: Opened, settings: JudgingSettings) -> float:
    """Minutes that the middle unit takes to read, each item at least as long as the rules ask."""
    words = {name: len(_TAG.sub(" ", d.text).split()) for name, d in opened.documents.items()}
    seconds = settings.rules.seconds
    return statistics.median(
        sum(max(seconds, 60 * sum(words.get(d, 0) for d in item.docs) / WORDS_A_MINUTE) for item in unit.items) / 60
        for unit in opened.units
    )


def judgments_told(opened: Opened) -> str:
    """How many judgments each item gets, those of Hk and Nk apart."""
    anchors, others = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for unit in opened.units:
        for place, item in enumerate(unit.items):
            (anchors if place in (unit.high, unit.low) else others)[unit.topic, item.key] += 1
    said = [f"{n} of each of {counted(k, 'item')}" for n, k in sorted(Counter(others.values()).items())]
    if anchors:
        said.append(f"{_span(list(anchors.values()))} of each Hk and Nk")
    return ", ".join(said)


def labels_told(task: Task, settings: JudgingSettings) -> str:
    """The labels that a study may define, as assessors see them, each with its value."""
    if task.name not in LABELLED:
        return ""
    words = Wording(settings.words.language, settings.words.texts)
    return ", ".join(f"{words.option(task.name, o.key, o.name, o.meaning)[0]} ({o.value:g})" for o in task.options)


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"
