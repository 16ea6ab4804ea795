"""All that is wrong with a study, before anyone is paid; and what it costs, how long it takes, whom it needs."""

from __future__ import annotations

import difflib
import glob
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from truegain.data.label_list_reading import read_gold_list
from truegain.errors import counted, some
from truegain.judging.study.create import levels_of
from truegain.judging.study.files import collecting, refuse
from truegain.judging.study.study import ALL, CODES, FILE, JudgingSettings, JudgingStudy, Opened, open_study
from truegain.judging.study.units import ANCHORS, first_tenth, given_out, holding
from truegain.judging.tasks.base import HTML, Item, Task, Unit
from truegain.judging.tasks.catalogue import has_own_labels, task_of
from truegain.judging.texts import Wording, catalogue, names_in

LANGUAGES = ("de", "en")
LISTED = 5  # names in a sentence
WORDS_A_MINUTE = 238  # silent reading of English, Brysbaert 2019, Journal of Memory and Language 109
SIGNS_A_MINUTE = 255  # of Chinese, Trauzettel-Klosinski and Dietz 2012, Investigative Ophthalmology 53(9)
MOST_TRIED = 5_000  # units, beyond which it is not tried out how many people can take all
LATE = 0.2  # of all judgments: a first tenth that is complete later is told
PAPER = 10  # scores of each document, at least
_LOST = re.compile(
    r"<(script|style|img|picture|video|audio|iframe|object|embed|svg|math|form|input|button|link)\b", re.I
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LEVEL = re.compile(r"\brel=([0-9.]+)")  # from which label on a measure counts a document as relevant
_TAG = re.compile(r"</?[a-z!][^<>]*>", re.I)
_LOOKS_HTML = re.compile(
    r"<(?:(?:p|div|br|li|ul|ol|h[1-6]|table|tr|td)(?:\s[^<>]*)?/?|/[a-z][a-z0-9]*\s*|!doctype[^<>]*)>", re.I
)


@dataclass(frozen=True)
class Needs:
    """What a study takes: units, people, minutes of a unit, and money where pay is told."""

    units: int
    most_of_a_topic: int
    judgments: int
    people: int  # at least, each taking all the units that one may
    each: int  # units that one may take
    minutes: float  # of a unit: the middle one
    hours: float  # of all units together
    is_stated: bool  # minutes: by the study, or else estimated from its texts
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
        """What `truegain annotate check` prints."""
        opened, settings = self.opened, self.opened.settings
        lines = [f"wrong: {fault}" for fault in self.faults]
        lines += [f"note: {note}" for note in self.notes]
        if settings is None or opened.task is None or self.needs is None:
            return lines
        n, topics = self.needs, len({unit.topic for unit in opened.units})
        lines += ["" for _ in lines[:1]]
        lines.append(
            f"{settings.task}: {counted(topics, 'topic')}, {counted(len(opened.documents), 'document')}, "
            f"{counted(n.units, 'unit')}, at most {n.most_of_a_topic:,} of a topic"
        )
        if label_list := label_list_of(opened.task, settings):
            lines.append(f"labels: {label_list}")
        lines.append(f"judgments: {n.judgments:,}; {judgments_summary(opened)}")
        of_topic, named = settings.people.most_of_topic, settings.people.number
        again = {None: "a topic any number of times, a document once", 1: "nobody sees a topic twice"}
        lines.append(
            f"people: at least {n.people:,}, each with {counted(n.each, 'unit')} at most; "
            f"{again.get(of_topic, f'a topic at most {of_topic} times, a document once')}"
            f"{'; whether there are as many is not checked (number in [people] is not set)' if named is None else ''}"
        )
        least = f", with {settings.rules.seconds:g} s or more on each page" if settings.rules.seconds else ""
        how = "as the study says" if n.is_stated else f"at {reading_rate(opened)} a minute{least}"
        unit = f"minutes: {n.minutes:.1f}" if n.minutes >= 1 else f"seconds: {60 * n.minutes:.0f}"
        in_all = f"{n.hours:.1f} hours" if n.hours >= 1 else f"{60 * n.hours:.1f} minutes"
        lines.append(f"{unit} a unit ({how}), {in_all} in all")
        if n.cost is not None and settings.people.pay is not None:
            money = settings.people.currency
            hourly = f"about {settings.people.pay / n.minutes * 60:.2f} an hour, " if n.minutes else ""
            lines.append(
                f"cost: {n.cost:,.2f} {money}".rstrip() + f", {settings.people.pay:.2f} a unit, {hourly}without fees"
            )
        return lines


def check_study(folder: str | Path) -> Checked:
    """Check everything that a study says and holds, before anyone is paid.

    Parameters
    ----------
    folder : str or Path
        With `judging.toml` in it.

    Returns
    -------
    Checked
        All faults and notes, and what the study takes: people, minutes, cost.

    """
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
    if task is not None:
        _check_list(opened, settings, task, faults, notes)
    return Checked(tuple(dict.fromkeys(faults)), tuple(notes), opened, needs)


def _check_texts(opened: Opened, faults: list[str], notes: list[str]) -> None:
    """Documents that nobody could judge, or not as they are."""
    empty, marked, kinds, tagged = [], [], Counter[str](), []
    for name, document in opened.documents.items():
        if not document.text.strip():
            empty.append(name)
        elif document.format == HTML:
            lost = {m[1].lower() for m in _LOST.finditer(document.text)}
            kinds.update(lost)
            marked += [name] * bool(lost)
        elif _LOOKS_HTML.search(document.text):
            tagged.append(name)
    _check_shown(opened, faults, notes)
    if empty:
        faults.append(_listing(empty, "document without text"))
    if marked:
        counts = ", ".join(f"{kind} in {n}" for kind, n in sorted(kinds.items()))
        notes.append(_listing(marked, f"document with markup that pages remove ({counts})"))
    if tagged:
        mend = f"if they are HTML, set format = 'html' in {FILE}, or a field `format` of the document"
        notes.append(f"{_listing(tagged, 'document with tags, which pages show as text')}; {mend}")
    alike = Counter(d.text.strip() for d in opened.documents.values() if d.text.strip())
    if double := [name for name, d in opened.documents.items() if alike[d.text.strip()] > 1]:
        notes.append(_listing(double, "document with the same text as another"))


def _listing(names: Sequence[str], what: str) -> str:
    """How many of something there are, and the first of their names; `what` begins with the noun."""
    noun, _, words = what.partition(" ")
    return f"{counted(len(names), noun)} {words}: {some(names, LISTED)}"


def _check_shown(opened: Opened, faults: list[str], notes: list[str]) -> None:
    """Hold the words that pages show against those given: whoever judges a document must see all of it."""
    of_html = [d for d in opened.documents.values() if d.format == HTML]
    try:
        from truegain.judging.study.display import as_html, lost_words
    except ImportError:
        if of_html:
            notes.append(
                f"{counted(len(of_html), 'HTML document')} not checked for words that pages lose: "
                "install truegain[judging]"
            )
        return
    short, bare = [], []
    for document in opened.documents.values():
        if not document.text.strip():
            continue
        if document.format == HTML and not _TAG.sub(" ", str(as_html(document))).strip():
            bare.append(document.id)
        elif lost := lost_words(document):
            short.append(f"{document.id} ({lost.words:,} of {lost.of:,} words, from {lost.first!r} on)")
    if bare:
        faults.append(_listing(bare, "document with markup and no text"))
    if short:
        lost_in = _listing(short, "document with words that pages would lose")
        faults.append(f"{lost_in}; fix the markup, or set format = 'text'")


def _check_topics(opened: Opened, task: Task, faults: list[str], notes: list[str]) -> None:
    bare = [t.topic.id for t in opened.topics if not t.topic.text]
    if bare:
        notes.append(_listing(bare, "topic with a title but no text that describes the need"))
    reported = " ".join(opened.faults)
    lacking = [t.topic.id for t in opened.topics if t.topic.question is None]
    lacking = [name for name in lacking if f"the question of topic {name} " not in reported]  # which was told
    if lacking and task.has_practice:
        bare_topics = _listing(lacking, "topic without a question of four options")
        faults.append(f"{bare_topics} (give `question`: asked, options, right)")
    elif lacking:
        notes.append(_listing(lacking, "topic without a question, so none is asked"))
    size = opened.settings.design.size if opened.settings else 0
    if small := sorted({unit.topic for unit in opened.units if len(unit.items) < size}):
        notes.append(_listing(small, f"topic with too few documents for units of {size}"))
    if opened.settings and opened.settings.design.order == "decisive" and size > 1:
        ranks = {(row.topic, row.item.key): place for place, row in reversed(list(enumerate(opened.pool.rows)))}
        if (share := first_tenth(opened.units, ranks)) > LATE:
            notes.append(
                f"order decisive with units of {size}: the first tenth of the pool is judged only after {share:.0%} "
                "of all judgments; smaller units (size in [units]) get there sooner"
            )
    apart = sorted({u.topic for u in opened.units for i in u.items if i.claim and i.claim not in i.answer and i.answer})
    if apart:
        notes.append(_listing(apart, "topic with a claim that does not occur verbatim in its answer"))


def _check_list(opened: Opened, settings: JudgingSettings, task: Task, faults: list[str], notes: list[str]) -> None:
    """Whether the labels that assessors may give are those of the list that they are to fill in."""
    name = str(opened.folder / settings.gold_list) if settings.gold_list else opened.pool.gold_list
    if not name or not Path(name).exists():
        return
    listed = None
    with collecting(faults):
        listed = read_gold_list(name)
    if listed is None:
        return
    if not has_own_labels(task.name):
        notes.append(
            f"the task {task.name} cannot give the labels of the list, which are {listed.labels}: `truegain annotate "
            "export --filled` cannot fill it in (use graded or binary)"
        )
        return
    values, (low, high) = [option.value for option in task.options], listed.scale
    if off := sorted(value for value in values if not low <= value <= high):
        faults.append(
            f"{_labels(off)} not on the scale of the list, {listed.labels}, which could not be filled in "
            "(take out of [[labels]] what it lacks, or draw it with `truegain plan labels --scale "
            f"{min(low, *off):g}:{max(high, *off):g}`)"
        )
    level = _LEVEL.search(listed.measure)
    if level and max(values) < float(level[1]):
        faults.append(
            f"{listed.measure} counts labels from {level[1]} on as relevant, and the highest that assessors "
            f"may give is {max(values):g} (take the task graded, with a label of {level[1]})"
        )
    elif lacking := sorted(set(levels_of(listed.scale)) - set(values)):
        notes.append(
            f"the list has the labels {listed.labels}, and assessors may give only "
            f"{', '.join(f'{value:g}' for value in sorted(values))}: {_labels(lacking)} never given, and "
            f"{listed.measure} is that of the labels given"
            f"{' (the task graded has all)' if task.name == 'binary' else ''}"
        )


def _labels(values: Sequence[float]) -> str:
    """Labels as the subject of a sentence."""
    names = some([f"{value:g}" for value in values], LISTED)
    return f"label {names} is" if len(values) == 1 else f"labels {names} are"


def _unknown_texts(settings: JudgingSettings) -> list[str]:
    """A study's own texts that no page has, and {names} in them that nothing fills in: people would read them so."""
    known = {**task_of(settings.task).texts, **catalogue()}
    told = []
    for name, text in settings.words.texts.items():
        others = (name.removesuffix("_one"), f"{name.removesuffix('_one')}_one")
        ours = [known[other] for other in (name, *others) if other in known]
        if not ours:
            near = difflib.get_close_matches(name, known, 1)
            told.append(f"[texts] {name}: no page has such a text" + (f"; did you mean {near[0]}?" if near else ""))
            continue
        filled = {"n", "total"} if any(other.endswith("_one") and other in known for other in others) else set()
        filled = filled.union(*(names_in(text) for text in ours))
        if unknown := sorted(names_in(text) - filled):
            there = some([f"{{{x}}}" for x in sorted(filled)], LISTED) or "none"
            asked = some([f"{{{x}}}" for x in unknown], LISTED)
            told.append(
                f"[texts] {name}: nothing is filled in for {asked}, and people read it as it stands (there: {there})"
            )
    return told


def _check_words(settings: JudgingSettings, faults: list[str], notes: list[str]) -> None:
    words = settings.words
    if not words.title.strip():
        faults.append("the study has no title (title in [words])")
    if not words.contact.strip():
        notes.append("no contact for questions of assessors (contact in [words])")
    if words.language.partition("-")[0].lower() not in LANGUAGES and not words.texts:
        faults.append(
            f"language {words.language!r} is unknown: the pages are in {' and '.join(LANGUAGES)}; put their texts "
            "into [texts] for another one"
        )
    notes += _unknown_texts(settings)
    people = settings.people
    if people.platform == "prolific":
        lacking = [name for name in CODES if not people.codes.get(name, "").strip()]
        if lacking:
            faults.append(f"Prolific's codes for {', '.join(lacking)} are missing (codes in [people])")
        codes = [code for code in people.codes.values() if code.strip()]
        if len(set(codes)) < len(codes):
            faults.append("two of Prolific's codes are the same, so nothing shows who finished (codes in [people])")


def _check_people(
    opened: Opened, settings: JudgingSettings, needs: Needs | None, faults: list[str], notes: list[str]
) -> None:
    """Whether there are enough people for the units of each topic, and enough topics for the people."""
    people = settings.people
    if people.pay is None:
        notes.append("no pay per unit, so no estimate of cost (pay in [people])")
    if needs is None:
        return
    if people.minutes is not None and people.minutes < (least := _middle_minutes(opened, settings)):
        notes.append(f"minutes = {people.minutes:g} is less than reading takes, about {least:.1f}")
    topics, of_topic = len({unit.topic for unit in opened.units}), people.most_of_topic
    if of_topic is not None and people.most is not None and people.most > topics * of_topic:
        faults.append(
            f"a person may take {people.most} units, but there are {counted(topics, 'topic')}, and nobody "
            f"takes more than {of_topic} of one (most in [people]: at most {topics * of_topic}, or "
            "most_of_topic = 'any')"
        )
    if people.number is None:
        return
    before, number = len(faults), "1 person" if people.number == 1 else f"{people.number:,} people"
    if of_topic is not None and people.number * of_topic < needs.most_of_a_topic:
        needed = -(-needs.most_of_a_topic // of_topic)
        faults.append(
            f"a topic has {needs.most_of_a_topic} units, which need {needed} people, and there "
            f"{'is' if people.number == 1 else 'are'} {people.number} (number in [people]; or "
            "most_of_topic = 'any', or fewer judgments in [units])"
        )
    if people.number * needs.each < needs.units:
        faults.append(
            f"{needs.units} units are too many for {number} with {needs.each} each: there are "
            "too few topics, or people, or units that one may take"
        )
    if len(faults) == before and (done := _given_out(opened, settings, people.number)) < needs.units:
        faults.append(
            f"{number} can take {done:,} of {needs.units:,} units, since nobody judges a "
            f"document twice: {needs.people:,} are needed (number in [people]; or fewer judgments, or "
            "smaller units, in [units])"
        )
    if settings.rules.others > max(0, people.number - settings.design.judgments):
        faults.append(
            f"others = {settings.rules.others}: with {number} and {settings.design.judgments} for each "
            "document there are fewer left to ask where one cannot judge (others in [rules])"
        )


def _given_out(opened: Opened, settings: JudgingSettings, people: int) -> int:
    return given_out(opened.units, people, settings.people.most, settings.people.most_of_topic)


def _needs(opened: Opened, settings: JudgingSettings) -> Needs:
    units, people = opened.units, settings.people
    of_a_topic = Counter(unit.topic for unit in units)
    most, of_topic = max(of_a_topic.values()), people.most_of_topic
    each = min(people.most or len(units), len(units) if of_topic is None else of_topic * len(of_a_topic))
    shared = max(map(len, holding(units).values()), default=1)  # units that ask about one item
    least = max(shared, -(-len(units) // max(1, each)), 0 if of_topic is None else -(-most // of_topic))
    spent = [unit_minutes(unit, opened, settings) for unit in units]
    minutes = people.minutes or statistics.median(spent)
    hours = (len(units) * people.minutes if people.minutes else sum(spent)) / 60
    return Needs(
        len(units),
        most,
        sum(len(unit.items) for unit in units),
        _enough(opened, settings, least),
        each,
        minutes,
        hours,
        people.minutes is not None,
        None if people.pay is None else len(units) * people.pay,
    )


def _enough(opened: Opened, settings: JudgingSettings, least: int) -> int:
    """The fewest people, from so many on, who can take all units in turn; of very many units the least itself."""
    units = len(opened.units)
    if units > MOST_TRIED or _given_out(opened, settings, least) == units:
        return least
    low, high = least, units
    while high - low > 1:  # low cannot, high can: each takes one
        middle = (low + high) // 2
        low, high = (low, middle) if _given_out(opened, settings, middle) == units else (middle, high)
    return high


def _middle_minutes(opened: Opened, settings: JudgingSettings) -> float:
    return statistics.median(unit_minutes(unit, opened, settings) for unit in opened.units)


def unit_minutes(unit: Unit, opened: Opened, settings: JudgingSettings) -> float:
    """Minutes that a unit takes to read, each item at least as long as the rules ask."""

    def reading(item: Item) -> float:
        return sum(_minutes_of(opened.documents[d].text) for d in item.docs if d in opened.documents)

    return sum(max(settings.rules.seconds / 60, reading(item)) for item in unit.items)


@lru_cache(maxsize=100_000)
def _minutes_of(text: str) -> float:
    signs, words = reading_units(text)
    return signs / SIGNS_A_MINUTE + words / WORDS_A_MINUTE


def reading_units(text: str) -> tuple[int, int]:
    """Signs of scripts that put no space between words (Chinese, Japanese), and words of all others; tags aside.

    >>> reading_units("<p>A lamp</p>"), reading_units("\u706f\u95ea\u70c1\u3002 LED lamp")
    ((0, 2), (3, 2))
    """
    plain = _TAG.sub(" ", text)
    signs = len(_UNSPACED.findall(plain))
    return signs, sum(any(map(str.isalnum, word)) for word in _UNSPACED.sub(" ", plain).split())


def reading_rate(opened: Opened) -> str:
    """The rate by which minutes are reckoned, in words: signs where documents have more of them than words."""
    signs, words = map(sum, zip(*(reading_units(d.text) for d in opened.documents.values()), strict=True))
    rates = [f"{SIGNS_A_MINUTE} signs"] * (signs > 0) + [f"{WORDS_A_MINUTE} words"] * (words > signs or not signs)
    return " or ".join(rates)


def judgments_summary(opened: Opened) -> str:
    """How many judgments each item gets, those of Hk and Nk apart."""
    anchors, others = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for unit in opened.units:
        for place, item in enumerate(unit.items):
            (anchors if place in (unit.high, unit.low) else others)[unit.topic, item.key] += 1
    parts = [f"{n} of each of {counted(k, 'item')}" for n, k in sorted(Counter(others.values()).items())]
    if anchors:
        parts.append(f"{_span(list(anchors.values()))} of each Hk and Nk ({ANCHORS})")
    return ", ".join(parts)


def label_list_of(task: Task, settings: JudgingSettings) -> str:
    """The labels that a study may define, as assessors see them, each with its value."""
    if not has_own_labels(task.name):
        return ""
    words = Wording(settings.words.language, settings.words.texts)
    return ", ".join(f"{words.option(task.name, o.key, o.name, o.meaning)[0]} ({o.value:g})" for o in task.options)


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"
