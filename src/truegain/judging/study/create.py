"""A new study: what `truegain annotate init` reads, and the folder that it writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from truegain.errors import InputError, counted, some
from truegain.io.files import PathLike, shown_path, write_bytes, write_failures
from truegain.judging.study.files import (
    JudgingPool,
    PoolRow,
    TopicRow,
    read_documents,
    read_pool,
    read_topics,
    refuse,
    write_pool,
)
from truegain.judging.study.study import ANY, CODES, FILE, JudgingSettings
from truegain.judging.study.units import anchors_of
from truegain.judging.tasks.base import TEXT, Document, Format, Option
from truegain.judging.tasks.catalogue import TASKS, has_own_labels, task_of


@dataclass(frozen=True)
class Gathered:
    """Topics, documents and rows of a new study; `left_out` says in sentences what of the files is not in it."""

    topics: tuple[TopicRow, ...]
    documents: tuple[Document, ...]
    rows: tuple[PoolRow, ...]
    gold_list: str
    left_out: tuple[str, ...]


def gather(
    topics: PathLike,
    docs: PathLike,
    pool: Sequence[PathLike],
    *,
    anchors: PathLike | None = None,
    depth: int = 10,
    most: int | None = None,
    usual: Format = TEXT,
) -> Gathered:
    """Read the files of a new study.

    Parameters
    ----------
    topics, docs : path
        Files of topics and documents.
    pool : sequence of paths
        What to judge: qrels, runs, lists of `plan labels` or `unjudged`.
    anchors : path, optional
        Labels that choose each topic's highly relevant (Hk) and non-relevant (Nk) document.
    depth : int, default 10
        Documents of each run in the pool.
    most : int, optional
        Rows of the pool to keep, from its top.
    usual : {"text", "html"}
        Format of documents that do not say.

    Returns
    -------
    Gathered

    Raises
    ------
    InputError
        With the first fault of the files.

    """
    faults: list[str] = []
    whole_pool = read_pool(pool, depth=depth)
    rows, all_topics = whole_pool.rows[:most], read_topics(topics, faults)
    names = {t.topic.id for t in all_topics}
    kept = tuple(row for row in rows if row.topic in names)
    refuse(faults)
    if not kept:
        hint = f"the pool has {some(sorted({r.topic for r in rows}))}, the topics are {some(sorted(names))}"
        raise InputError("no topic of the pool is among the topics", file=shown_path(topics), hint=hint)
    judged = {row.topic for row in kept}
    used = [t for t in all_topics if t.topic.id in judged]
    if anchors:
        chosen = anchors_of(used, JudgingPool(kept).by_topic(), read_pool([anchors]).rows, faults)
        refuse(faults)
        used = [replace(t, high=chosen[t.topic.id][0].docs[0], low=chosen[t.topic.id][1].docs[0]) for t in used]
    ids = {doc for row in kept for doc in row.item.docs} | {x for t in used for x in (t.high, t.low)}
    documents = read_documents(docs, faults, ids, usual)
    refuse(faults)
    left = []
    if rest := len(rows) - len(kept):
        many = counted(rest, "row")
        left.append(f"{many} of the pool left out, of topics that {shown_path(topics)} does not have")
    if idle := len(all_topics) - len(used):
        left.append(f"{counted(idle, 'topic')} left out, with nothing in the pool")
    return Gathered(tuple(used), tuple(documents.values()), kept, whole_pool.gold_list, tuple(left))


# ---------------------------------------------------------------------- writing


MOST_LEVELS = 11  # labels that a page lists to choose from
TOML = {  # tables of `judging.toml`, their keys, and the comment behind each
    "": {
        "name": "part of the addresses",
        "task": ", ".join(TASKS),
        "topics": "",
        "documents": "",
        "format": "default format of documents: text or html",
        "pool": "what is judged, in this order",
        "gold_list": "the list that the pool was made from",
        "bronze": "the judge's labels that it was sampled with, for the verdict so far",
        "runs": "for the verdict so far",
        "opponents": "that each document is compared with",
    },
    "units": {
        "judgments": "judgments per item, at least",
        "size": "items per unit",
        "order": "spread, or decisive: units follow the pool",
        "seed": "",
    },
    "words": {
        "title": "what assessors read at the top",
        "language": "en, de",
        "contact": "whom assessors can ask",
        "approved": "ethics board and number",
    },
    "rules": {
        "seconds": "on each item, at least",
        "practice_tries": "",
        "question_tries": "",
        "check_tries": "how often a set may be submitted",
        "first_lease": "seconds that a place is kept until its first document is judged",
        "lease": "seconds that it is kept after each later step",
        "decimal": "the mark in numbers",
        "show_previous": "",
        "reason": "whether a reason is required",
        "others": "how many more people judge an item that someone cannot judge",
    },
    "people": {
        "platform": "open, invitation, prolific, mturk",
        "most_of_topic": "units of one topic that a person may take, or any",
        "pay": "for a finished unit",
        "currency": "",
        "minutes": "that a unit takes",
        "most": "units a person may take",
        "number": "number of people",
    },
    "team": {
        "double": "share of rows that a second person labels, too",
        "lease": "seconds that a row is kept for who was given it",
        "topic_page": "whether topics have a page of their own before their documents",
        "aggregate": "what two people's labels of a document become: median (the lower) or mean",
    },
}
EXAMPLES = {"pay": 1.5, "currency": "EUR", "minutes": 8.0, "most": 4, "number": 30}  # of what is not set
NO_CODES = '# codes = { completed = "", screened = "", failed = "" }  # Prolific\'s'


def write_study(
    folder: str | Path,
    settings: JudgingSettings,
    topics: Iterable[TopicRow],
    documents: Iterable[Document],
    rows: Iterable[PoolRow],
    files: Iterable[tuple[str, Path]] = (),
) -> None:
    """Write a study into a folder; what is there already is never written over, and `judging.toml` comes last.

    A study whose writing was broken off is written to its end: files that are there as they would be written may be.
    files: that go with it, by the names that they have there.
    """
    place = Path(folder)
    copied = dict(files)
    texts = {
        settings.topics: "".join(map(topic_line, topics)).encode(),
        settings.documents: "".join(document_line(d, settings.format) for d in documents).encode(),
        settings.pool[0]: write_pool(rows),
        **{name: source.read_bytes() for name, source in copied.items()},
        FILE: toml_of(settings).encode(),
    }
    if existing := [name for name, text in texts.items() if _stands(place / name, text)]:
        raise InputError("this file exists already", file=shown_path(place / existing[-1]), hint="name another folder")
    with write_failures(shown_path(place)):
        place.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_bytes(place / name, text)


def _stands(path: Path, text: bytes) -> bool:
    """Whether there is a whole study, or something else than would be written."""
    return path.exists() and (path.name == FILE or not path.is_file() or path.read_bytes() != text)


def topic_line(row: TopicRow) -> str:
    """A topic as it stands in `topics.jsonl`."""
    t = row.topic
    fields: dict[str, Any] = {"id": t.id, "title": t.title, "text": t.text}
    more = {"counts": t.counts, "counts_not": t.counts_not, "high": row.high, "low": row.low}
    fields |= {name: value for name, value in more.items() if value}
    if t.question is not None:
        q = t.question
        fields["question"] = {"asked": q.asked, "options": list(q.options), "right": q.options[q.right]}
    return json.dumps(fields, ensure_ascii=False) + "\n"


def document_line(document: Document, usual: Format = TEXT) -> str:
    """A document as it stands in `docs.jsonl`; its format where it is not the usual one."""
    fields = {"id": document.id, "title": document.title, "source": document.source, "text": document.text}
    fields |= {"format": document.format} if document.format != usual else {}
    return json.dumps({name: value for name, value in fields.items() if value}, ensure_ascii=False) + "\n"


def usual_labels(task: str, scale: tuple[float, float] | None = None) -> tuple[dict[str, Any], ...]:
    """The labels of a task whose labels a study may define, as they stand in `judging.toml`; none of other tasks.

    scale: of the list that is judged: the task graded then has its labels and no others, in the task's words for them
    (those of binary where there are two, the bare number where there are none).

    >>> [label["name"] for label in usual_labels("binary")], usual_labels("magnitude")
    (['Relevant', 'Not relevant'], ())
    >>> [(label["value"], label["name"]) for label in usual_labels("graded", (0, 2))]
    [(2, 'Relevant'), (1, 'Slightly relevant'), (0, 'Not relevant')]
    """
    if not has_own_labels(task):
        return ()
    options = task_of(task).options
    levels = levels_of(scale) if scale is not None and task == "graded" else ()
    if levels:
        words = {o.value: o for o in (task_of("binary").options if set(levels) == {0.0, 1.0} else options)}
        options = tuple(words.get(level, Option(f"{level:g}", level, f"{level:g}", "")) for level in levels[::-1])
    return tuple({"value": int(o.value), "name": o.name, "meaning": o.meaning} for o in options)


def levels_of(scale: tuple[float, float]) -> tuple[float, ...]:
    """The whole numbers of a scale, lowest first; none where it has too many to choose from, or other limits.

    >>> levels_of((0, 2)), levels_of((0, 100)), levels_of((0, 0.5))
    ((0.0, 1.0, 2.0), (), ())
    """
    low, high = scale
    if low != int(low) or high != int(high) or not 1 <= high - low < MOST_LEVELS:
        return ()
    return tuple(float(level) for level in range(int(low), int(high) + 1))


def _value(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return f"{value:.15g}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_of(settings: JudgingSettings) -> str:
    """The text of `judging.toml`; what is not set stands behind `#`, ready to be."""
    s, words, people = settings, settings.words, settings.people
    tables: dict[str, dict[str, Any]] = {
        "": vars(s)
        | {
            "pool": s.pool[0] if len(s.pool) == 1 else s.pool,
            "opponents": s.opponents if TASKS[s.task].docs_per_item == 2 else None,
            **{key: getattr(s, key) or None for key in ("gold_list", "bronze", "runs")},
        },
        "units": vars(s.design),
        "words": vars(words),
        "rules": vars(s.rules),
        "people": vars(people) | {"most_of_topic": people.most_of_topic or ANY, "currency": people.currency or None},
    }
    if s.team is not None:
        tables["team"] = vars(s.team)
    lines = ["# A study of judgments.  `truegain annotate check FOLDER` shows what is wrong with it and what it costs."]
    for table, keys in TOML.items():
        if table not in tables:
            continue
        lines += ["", f"[{table}]"] if table else []
        for key, about in keys.items():
            value, comment = tables[table][key], f"  # {about}" if about else ""
            if value is not None:
                lines.append(f"{key} = {_value(value)}{comment}")
            elif key in EXAMPLES:
                lines.append(f"# {key} = {_value(EXAMPLES[key])}{comment}")
        if table == "people":
            codes = ", ".join(f"{k} = {_value(people.codes[k])}" for k in CODES if k in people.codes)
            lines.append(f"codes = {{ {codes} }}" if people.codes else NO_CODES)
    lines += ["", "# what assessors choose from, in the order shown"] if s.labels else []
    for label in s.labels:
        lines += ["", "[[labels]]", *(f"{k} = {_value(v)}" for k, v in label.items())]
    if words.texts:
        lines += ["", "[texts]", *(f"{_value(k)} = {_value(v)}" for k, v in words.texts.items())]
    return "\n".join(lines) + "\n"
