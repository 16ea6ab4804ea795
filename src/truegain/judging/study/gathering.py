"""What a new study is made of: topics that have something to judge, the documents, the pool, Hk and Nk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from truegain.errors import InputError, some
from truegain.judging.study.items import anchors_of
from truegain.judging.study.pool import JudgingPool, PoolRow, read_pool
from truegain.judging.study.reading import TopicRow, read_documents, read_topics
from truegain.judging.study.rows import refuse
from truegain.judging.tasks.material import TEXT, Document, Format
from truegain.tables.paper import counted
from truegain.tables.sources import PathLike, shown_path


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
    """Read the files of a new study; an error with the first thing that is wrong with them.

    anchors: labels that Hk and Nk are chosen by.  depth: to which runs are read.  most: rows of the pool, its first.
    usual: the format of documents that do not say.
    """
    faults: list[str] = []
    found = read_pool(pool, depth=depth)
    rows, known = found.rows[:most], read_topics(topics, faults)
    names = {t.topic.id for t in known}
    kept = tuple(row for row in rows if row.topic in names)
    refuse(faults)
    if not kept:
        hint = f"the pool has {some(sorted({r.topic for r in rows}))}, the topics are {some(sorted(names))}"
        raise InputError("no topic of the pool is among the topics", file=shown_path(topics), hint=hint)
    judged = {row.topic for row in kept}
    used = [t for t in known if t.topic.id in judged]
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
    if idle := len(known) - len(used):
        left.append(f"{counted(idle, 'topic')} left out, with nothing in the pool")
    return Gathered(tuple(used), tuple(documents.values()), kept, found.gold_list, tuple(left))
