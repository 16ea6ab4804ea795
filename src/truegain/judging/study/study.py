"""A study: what is judged, by whom, under which rules; a folder with `judging.toml` and the files it names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from truegain.errors import some
from truegain.judging.study.items import anchors_of, items_of, places_of
from truegain.judging.study.pool import JudgingPool, read_pool
from truegain.judging.study.reading import TopicRow, read_documents, read_topics
from truegain.judging.study.rows import collecting, refuse
from truegain.judging.study.settings import FILE as FILE
from truegain.judging.study.settings import JudgingSettings, read_settings
from truegain.judging.study.settings import People as People
from truegain.judging.study.settings import Platform as Platform
from truegain.judging.study.settings import Rules as Rules
from truegain.judging.study.settings import Words as Words
from truegain.judging.study.units import Design, build_units, holding
from truegain.judging.tasks.catalogue import task_of
from truegain.judging.tasks.material import Document, Topic, Unit
from truegain.judging.tasks.task import Task
from truegain.tables.paper import counted

ALL = ": truegain judging check tells all"


@dataclass(frozen=True)
class JudgingStudy:
    """A study as it is served; `name` stands in addresses, `digest` changes whenever anything that is judged does."""

    folder: Path
    name: str
    task: Task
    topics: Mapping[str, Topic]
    documents: Mapping[str, Document]
    units: tuple[Unit, ...]
    words: Words
    rules: Rules = field(default_factory=Rules)
    people: People = field(default_factory=People)
    runs: tuple[str, ...] = ()  # for the verdict so far
    digest: str = ""
    design: Design = field(default_factory=Design)
    gold_list: str = ""  # the list that the pool was made of: export fills it in
    bronze: str = ""  # the labels that it was drawn with: for the verdict so far

    @cached_property
    def holding(self) -> Mapping[tuple[str, str], list[str]]:
        """Of each topic and item the units that ask about it, Hk and Nk aside."""
        return holding(self.units)


@dataclass
class Opened:
    """What of a study could be read, and all that is wrong with it; what could not be read is empty."""

    folder: Path
    faults: list[str] = field(default_factory=list)
    settings: JudgingSettings | None = None
    task: Task | None = None
    topics: list[TopicRow] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    pool: JudgingPool = field(default_factory=lambda: JudgingPool(()))
    units: tuple[Unit, ...] = ()

    def study(self) -> JudgingStudy:
        """The study, where nothing is wrong with it."""
        settings, task = self.settings, self.task
        refuse(self.faults, ALL)
        assert settings is not None, "what could not be read is a fault"
        assert task is not None, "so is a task that is not known"
        folder = self.folder
        listed = str(folder / settings.gold_list) if settings.gold_list else self.pool.gold_list
        return JudgingStudy(
            folder, settings.name, task, {t.topic.id: t.topic for t in self.topics}, self.documents, self.units,
            settings.words, settings.rules, settings.people, tuple(str(folder / run) for run in settings.runs),
            self.digest(), settings.design, listed, str(folder / settings.bronze) if settings.bronze else "",
        )  # fmt: skip

    def digest(self) -> str:
        """Of the task, its labels, the topics, the documents and the units."""
        task = self.task
        said = {
            "task": [task.name, task.options] if task else [],
            "topics": [t.topic for t in self.topics],
            "documents": [self.documents[name] for name in sorted(self.documents)],
            "units": self.units,
        }
        text = json.dumps(said, ensure_ascii=False, sort_keys=True, default=vars)  # asdict would copy it all
        return f"sha-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def read_study(folder: str | Path) -> JudgingStudy:
    """The study in a folder; an error where anything is wrong with it, which `truegain judging check` lists."""
    return open_study(folder).study()


def open_study(folder: str | Path) -> Opened:
    """All that can be read of a study, and all that is wrong with it."""
    opened = Opened(Path(folder))
    faults = opened.faults
    settings = opened.settings = read_settings(opened.folder, faults)
    if settings is None:
        return opened
    rules = settings.rules
    with collecting(faults):
        more = {"labels": [dict(label) for label in settings.labels]} if settings.labels else {}
        opened.task = task_of(
            settings.task, {"seconds": rules.seconds, "reason": rules.reason, "decimal": rules.decimal, **more}
        )
    opened.topics = read_topics(opened.folder / settings.topics, faults)
    with collecting(faults):
        opened.pool = read_pool([opened.folder / name for name in settings.pool], depth=settings.depth)
    wanted = {doc for row in opened.pool.rows for doc in row.item.docs}
    wanted |= {doc for t in opened.topics for doc in (t.high, t.low) if doc}
    opened.documents = read_documents(opened.folder / settings.documents, faults, wanted, settings.format)
    if opened.task is not None and opened.topics and opened.pool.rows:
        _build(opened, settings, opened.task)
    return opened


def _build(opened: Opened, settings: JudgingSettings, task: Task) -> None:
    """Items, anchors and units; what stands in their way is added to the faults."""
    rows = opened.pool.by_topic()
    known = {t.topic.id for t in opened.topics}
    for topic in sorted(set(rows) - known):
        opened.faults.append(
            f"topic {topic} of the pool ({counted(len(rows[topic]), 'row')}) is not in {settings.topics}"
        )
    for topic in sorted(known - set(rows)):
        opened.faults.append(f"topic {topic} has nothing in the pool: take it out of {settings.topics}, or add to it")
    own = {t.topic.id: rows[t.topic.id] for t in opened.topics if t.topic.id in rows}
    anchors = anchors_of(opened.topics, own, (), opened.faults) if task.has_anchors else None
    items = items_of(own, task, settings.opponents, settings.design.seed, anchors, opened.faults)
    uses: dict[str, str] = {}  # the first topic that a document is wanted for
    for topic, listed in own.items():
        for item in (*(row.item for row in listed), *(anchors or {}).get(topic, ())):
            uses |= {doc: topic for doc in item.docs if doc not in uses}
    if lacking := sorted(set(uses) - set(opened.documents)):
        named = some([f"{doc} (topic {uses[doc]})" for doc in lacking], 5)
        opened.faults.append(f"{len(lacking):,} of the pool's documents not in {settings.documents}: {named}")
    opened.documents = {doc: found for doc, found in opened.documents.items() if doc in uses}
    with collecting(opened.faults):
        opened.units = build_units(items, settings.design, anchors, places_of(items, opened.pool.rows))
