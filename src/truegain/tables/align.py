"""From runs and a pool to ranked gains: order every list and find its documents among the judged ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from truegain.tables.columns import Codes, Ints, frozen
from truegain.tables.pool import Pool
from truegain.tables.ranked import ABSENT, RankedGains
from truegain.tables.runs import Run


@dataclass(frozen=True, eq=False)
class Lists:
    """One system's lists against the pool, and what was noticed on the way."""

    system: str
    retrieved: Ints
    rank: Ints
    item: Codes
    per_list: Ints
    unjudged_topics: tuple[str, ...]
    flags: dict[int, int]
    lists: int


def lists_of(run: Run, pool: Pool, single: bool) -> Lists:
    """Order a run and find its documents in the pool."""
    ranking = run.ranking(single)
    lengths = np.diff(ranking.begin)
    where = _positions(run.topic.values, pool.topics)
    found = pool.find(run.topic, run.docs)[ranking.order]
    at = np.flatnonzero(found >= 0)
    run_topic = np.searchsorted(ranking.begin, at, side="right") - 1
    by_topic = np.argsort(where[run_topic], kind="stable")
    at, run_topic = at[by_topic], run_topic[by_topic]
    retrieved = np.full(len(pool.topics), ABSENT, np.int64)
    retrieved[where[where >= 0]] = lengths[where >= 0]
    flags = {flag: int(np.count_nonzero(ranking.flags & flag)) for flag in (1, 2, 4)}
    return Lists(
        run.system,
        retrieved,
        at - ranking.begin[run_topic] + 1,
        found[at],
        np.bincount(where[run_topic], minlength=len(pool.topics)),
        tuple(v for v, w in zip(run.topic.values, where.tolist(), strict=True) if w < 0),
        flags,
        len(lengths),
    )


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
) -> tuple[RankedGains, list[Lists]]:
    """Load, order and match runs, several at a time; only what was found in the pool is kept."""
    pool.slots  # noqa: B018  build the table before the threads need it

    def one(load: Callable[[], Sequence[Run]]) -> list[Lists]:
        lists = [lists_of(run, pool, single=trec_eval < 10) for run in load()]
        if progress is not None:
            progress(1)
        return lists

    with ThreadPoolExecutor(max(1, jobs)) as workers:
        systems = [lists for several in workers.map(one, loaders) for lists in several]
    ranked = RankedGains(
        tuple(s.system for s in systems),
        pool,
        None,
        frozen(np.concatenate([s.retrieved for s in systems])),
        frozen(np.concatenate([[0], np.cumsum(np.concatenate([s.per_list for s in systems]))])),
        frozen(np.concatenate([s.rank for s in systems])),
        frozen(np.concatenate([s.item for s in systems])),
        trec_eval,
    )
    return ranked, systems
