"""From runs and a pool to ranked gains: order every list and find its documents among the judged ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.cores import threads
from truegain.tables.columns import Codes, Ids, Ints, frozen
from truegain.tables.matched import Matched
from truegain.tables.pool import Pool
from truegain.tables.ranked import ABSENT, DocKeys, RankedGains, Tops
from truegain.tables.runs import FLAGS, RankedRows, Run, Ties


@dataclass(frozen=True, eq=False)
class Lists:
    """One system's lists against the pool, and what was noticed on the way."""

    system: str
    retrieved: Ints
    rank: Ints
    item: Codes
    per_list: Ints
    unjudged_topics: tuple[str, ...]
    noticed: dict[str, int]  # how many lists have each of FLAGS, and lines that are infinite or wider
    lists: int
    top: tuple[list[str], Ints]  # the first documents of each list, where asked for, and how many
    keys: tuple[npt.NDArray[np.uint64], Ints]  # and their keys, likewise
    matched: Matched  # how many documents were judged
    source: str = ""  # where the run was read from

    @property
    def missing(self) -> int:
        """Judged topics that the run lacks."""
        return int((self.retrieved < 0).sum())


def lists_of(
    run: Run, pool: Pool, single: bool, keep_top: int = 0, keep_keys: int = 0, ties: Ties = "descending",
    deepest: int | None = None,
) -> Lists:  # fmt: skip
    """Order a run and find its documents in the pool; keep the first of each list by name or key if asked to.

    deepest: the last rank that counts; None: all do.
    """
    ranking = run.ranking(single, ties)
    lengths = np.diff(ranking.begin)
    where = _positions(run.topic.values, pool.topics)
    known = np.flatnonzero(where >= 0)
    retrieved = np.full(len(pool.topics), ABSENT, np.int64)
    retrieved[where[known]] = lengths[known]
    list_of = np.full(len(pool.topics), -1, np.int64)
    list_of[where[known]] = known
    rank, item, per_list = pool.find_listed(run.docs, ranking.order, ranking.begin, list_of)
    top_rows, top = _first_rows(ranking, where, len(pool.topics), keep_top)
    key_rows, keyed = _first_rows(ranking, where, len(pool.topics), keep_keys)
    noticed = {name: int(np.count_nonzero(ranking.flags & flag)) for name, flag in FLAGS.items()}
    noticed |= {"infinite": int(np.isinf(run.score).sum()), "wider": run.wider, "like ranks": run.like_ranks}

    def ids(topic: int, places: Ints) -> list[str]:
        return run.docs.take(ranking.order[ranking.begin[list_of[topic]] + places]).strings()

    return Lists(
        run.system,
        retrieved,
        rank,
        item,
        per_list,
        tuple(v for v, w in zip(run.topic.values, where.tolist(), strict=True) if w < 0),
        noticed,
        len(lengths),
        (run.docs.take(top_rows).strings(), top),
        (run.docs.hash[key_rows], keyed),
        Matched.of(pool.topics, retrieved, rank, per_list, pool.judged[item], deepest, ids),
        run.source,
    )


def _first_rows(ranking: RankedRows, where: Ints, topics: int, keep: int) -> tuple[Ints, Ints]:
    """The rows of the first documents of the list of each topic of the pool, and how many there are."""
    kept = np.zeros(topics, np.int64)
    first = np.zeros(topics, np.int64)
    kept[where[where >= 0]] = np.minimum(np.diff(ranking.begin), keep)[where >= 0]
    first[where[where >= 0]] = ranking.begin[:-1][where >= 0]
    rows = np.repeat(first - np.cumsum(kept) + kept, kept) + np.arange(int(kept.sum()))
    return ranking.order[rows], kept


def _positions(values: Sequence[str], among: Sequence[str]) -> Ints:
    where = {v: i for i, v in enumerate(among)}
    return np.array([where.get(v, -1) for v in values], np.int64)


def align(
    pool: Pool,
    loaders: Iterable[Callable[[], Sequence[Run]]],
    *,
    trec_eval: int = 10,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    keep_top: int = 0,
    keep_keys: int = 0,
    ties: Ties = "descending",
    deepest: int | None = None,
) -> tuple[RankedGains, list[Lists]]:
    """Load, order and match runs, several at a time; only what was found in the pool is kept.

    Measures that read the text of unjudged documents too ask for the names of the first `keep_top` of each list; who
    draws collections asks for the keys of the first `keep_keys`, so that a document is the same one in every list.
    deepest: the last rank that counts, for `check_matched`; None: all do.
    """
    pool.slots, pool.judged  # noqa: B018  build the tables before the threads need them

    def one(load: Callable[[], Sequence[Run]]) -> list[Lists]:
        lists = [lists_of(run, pool, trec_eval < 10, keep_top, keep_keys, ties, deepest) for run in load()]
        if progress is not None:
            progress(1)
        return lists

    waiting = list(loaders)
    with threads(min(jobs, len(waiting))) as each:
        systems = [lists for several in each(one, waiting) for lists in several]
    ranked = RankedGains(
        tuple(s.system for s in systems),
        pool,
        None,
        frozen(np.concatenate([s.retrieved for s in systems])),
        frozen(np.concatenate([[0], np.cumsum(np.concatenate([s.per_list for s in systems]))])),
        frozen(np.concatenate([s.rank for s in systems])),
        frozen(np.concatenate([s.item for s in systems])),
        trec_eval,
        top=_tops([s.top for s in systems]) if keep_top else None,
        keys=_keys([s.keys for s in systems]) if keep_keys else None,
    )
    return ranked, systems


def _tops(parts: Sequence[tuple[list[str], Ints]]) -> Tops:
    ids = Ids.of([name for names, _ in parts for name in names])
    doc, first = ids.numbered()
    begin = np.concatenate([[0], np.cumsum(np.concatenate([kept for _, kept in parts]))])
    return Tops(ids.take(first), doc, frozen(begin))


def _keys(parts: Sequence[tuple[npt.NDArray[np.uint64], Ints]]) -> DocKeys:
    begin = np.concatenate([[0], np.cumsum(np.concatenate([kept for _, kept in parts]))])
    return DocKeys(frozen(np.concatenate([key for key, _ in parts])), frozen(begin))
