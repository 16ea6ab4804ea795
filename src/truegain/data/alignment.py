"""From runs and a pool to ranked gains: lists are ordered, and their documents found among the judged ones.

Also lists that name their unjudged documents, the ranked gains of some systems alone, and all of it from runs and
judgments as they are given (`aligned`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from truegain.config import Scoring
from truegain.data.checks import check_documents, check_labels, check_order, check_overlap, check_scores
from truegain.data.id_matching import EVERY_RANK, Matched, Matching
from truegain.data.judgments import Judgments
from truegain.data.models import by_unchecked, unchecked_in
from truegain.data.pool import ABSENT, DocKeys, Pool, RankedGains, Tops
from truegain.data.run import FLAGS, RankedRows, Run, Ties
from truegain.data.runs import Runs, run_loaders
from truegain.errors import TruegainError
from truegain.io.columns import Codes, Ids, Ints, frozen
from truegain.io.file_options import file_options
from truegain.io.memory import MemoryLike, check_aligned, cores, threads

FEW_ROWS = 20_000  # of runs in memory: fewer are matched sooner than threads start

# ---- From runs and a pool to ranked gains: order every list and find its documents among the judged ones.


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
    judged_topics = np.flatnonzero(where >= 0)
    retrieved = np.full(len(pool.topics), ABSENT, np.int64)
    retrieved[where[judged_topics]] = lengths[judged_topics]
    list_of = np.full(len(pool.topics), -1, np.int64)
    list_of[where[judged_topics]] = judged_topics
    rank, item, per_list = pool.find_listed(run.docs, ranking.order, ranking.begin, list_of)
    top_rows, top = _first_rows(ranking, where, len(pool.topics), keep_top)
    key_rows, keyed = _first_rows(ranking, where, len(pool.topics), keep_keys)
    noticed = {name: int(np.count_nonzero(ranking.flags & flag)) for name, flag in FLAGS.items()}
    noticed |= {"infinite": int(np.isinf(run.score).sum()), "wider": run.wider, "like ranks": run.like_ranks}

    def ids(topics: Ints, places: Ints) -> list[str]:
        return run.docs.take(ranking.order[ranking.begin[list_of[topics]] + places]).strings()

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
    if not keep:
        return ranking.order[:0], kept
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


# ---- Ranked gains of some systems alone.


def of_systems(ranked: RankedGains, systems: Sequence[int]) -> RankedGains:
    """The lists of some systems, in that order, against the same pool; the names of first documents are left out."""
    topics = len(ranked.topics)
    lists = np.concatenate([np.arange(s * topics, (s + 1) * topics) for s in systems])
    at, begin = _rows(ranked.begin, lists)
    keys = ranked.keys
    if keys is not None:
        rows, first = _rows(keys.begin, lists)
        keys = DocKeys(frozen(keys.key[rows]), frozen(first))
    return replace(
        ranked,
        systems=tuple(ranked.systems[s] for s in systems),
        retrieved=frozen(ranked.retrieved[lists]),
        begin=frozen(begin),
        rank=frozen(ranked.rank[at]),
        item=frozen(ranked.item[at]),
        entry_gains=None if ranked.entry_gains is None else frozen(ranked.entry_gains[at]),
        top=None,
        keys=keys,
    )


def _rows(begin: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """The rows of some stretches, and where each begins among them.

    >>> _rows(np.array([0, 3, 4, 6]), np.array([2, 0]))
    (array([4, 5, 0, 1, 2]), array([0, 2, 5]))
    """
    sizes = np.diff(begin)[chosen]
    first = np.concatenate([[0], np.cumsum(sizes)])
    return np.repeat(begin[chosen] - first[:-1], sizes) + np.arange(first[-1]), first


# ---- The same lists against a smaller pool.


def without_items(ranked: RankedGains, items: Ints) -> RankedGains:
    """The lists as they would be had some documents of the pool not been judged; their names and keys are left out.

    >>> from truegain.config import Scoring
    >>> from truegain.data.alignment import aligned
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}, "2": {"x": 1.0}}}
    >>> made = without_items(aligned(runs, {"1": {"x": 1, "y": 1}, "2": {"x": 1}}, Scoring()), np.array([0, 2]))
    >>> made.topics, made.begin.tolist(), made.rank.tolist(), len(made.pool)
    (('1', '2'), [0, 1, 1], [2], 1)
    """
    pool, kept = ranked.pool, np.ones(len(ranked.pool), np.bool_)
    kept[items] = False
    before, rows = np.concatenate([[0], np.cumsum(kept)]), np.flatnonzero(kept[pool.row_item])
    smaller = Pool(
        pool.judgments.take(rows), pool.topics, frozen(before[pool.begin]), frozen(pool.topic[kept]),
        pool.docs.take(np.flatnonzero(kept)), frozen(before[pool.row_item[rows]]),
    )  # fmt: skip
    there = kept[ranked.item]
    facets = None if ranked.intents is None and ranked.navigational is None else kept[ranked.facets.item]
    return replace(
        ranked, pool=smaller, gains=None if ranked.gains is None else frozen(ranked.gains[kept]),
        begin=frozen(np.concatenate([[0], np.cumsum(there)])[ranked.begin]), rank=frozen(ranked.rank[there]),
        item=frozen(before[ranked.item[there]].astype(np.int32)),
        intents=None if ranked.intents is None else frozen(ranked.intents[facets]),
        navigational=None if ranked.navigational is None else frozen(ranked.navigational[facets]),
        entry_gains=None if ranked.entry_gains is None else frozen(ranked.entry_gains[there]),
        judged_items=None if ranked.judged_items is None else frozen(ranked.judged_items[kept]), top=None, keys=None,
    )  # fmt: skip


# ---- Lists in which every document is named, those that nobody judged by their key alone.

UNJUDGED = -1.0
Keys = npt.NDArray[np.uint64]


def named_by_key(ranked: RankedGains) -> RankedGains:
    """The same lists against a pool that also holds what they show and nobody judged, without names or labels.

    Documents of a topic with equal keys, a 64-bit hash of the id, are one; so are equal ids, in whatever list.

    >>> from truegain.config import Scoring
    >>> from truegain.data.alignment import aligned
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "y": 2.0, "x": 1.0}}}
    >>> made = named_by_key(aligned(runs, {"1": {"x": 1, "w": 1}}, Scoring(), keep_keys=9))
    >>> made.item_judged.tolist(), made.rank.tolist()
    ([True, True, False, False], [1, 2, 1, 2, 3])
    >>> x, y, z, again, same = made.item.tolist()
    >>> (x, y) == (same, again), len({x, y, z})
    (True, 3)
    """
    keys, pool = ranked.known_keys, ranked.pool
    sizes = np.diff(keys.begin)
    if (sizes < ranked.depth).any():
        raise TruegainError(
            "these lists were aligned with the keys of fewer documents than they have; give whole lists"
        )
    lists = np.repeat(np.arange(ranked.lists), sizes)
    place = keys.begin[ranked.list] + ranked.rank - 1  # of each document in the pool among all of all lists
    nameless = np.ones(len(keys.key), np.bool_)
    nameless[place] = False
    rows = np.flatnonzero(nameless)
    number, topic, first = _distinct(ranked.list_topic[lists[rows]], keys.key[rows])
    new = np.bincount(topic, minlength=len(pool.topics))
    old_at = np.arange(len(pool)) + (np.cumsum(new) - new)[pool.topic]
    new_at = np.arange(len(topic)) + pool.begin[topic + 1]  # behind those of their topic
    wide = _wider(pool, topic, keys.key[rows[first]], old_at, new_at, new)
    item = np.empty(len(keys.key), np.int32)
    item[place], item[rows] = old_at[ranked.item], new_at[number]
    gains, judged = np.full(len(wide), UNJUDGED), np.zeros(len(wide), np.bool_)
    gains[old_at], judged[old_at] = ranked.item_gain, ranked.item_judged
    return replace(
        ranked, pool=wide, gains=frozen(gains), judged_items=frozen(judged), begin=keys.begin,
        rank=frozen(np.arange(1, len(item) + 1) - np.repeat(keys.begin[:-1], sizes)), item=frozen(item),
        entry_gains=None, top=None, keys=None,
    )  # fmt: skip


def _distinct(topic: Ints, key: Keys) -> tuple[Ints, Ints, Ints]:
    """Pairs of topic and key: the number of each row's, topic by topic; of each number its topic and its first row."""
    order = np.lexsort((key, topic))
    topics, keys = topic[order], key[order]
    starts = np.ones(len(order), np.bool_)
    starts[1:] = (topics[1:] != topics[:-1]) | (keys[1:] != keys[:-1])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(starts) - 1
    return number, topics[starts], order[starts]


def _wider(pool: Pool, topic: Ints, key: Keys, old_at: Ints, new_at: Ints, new: Ints) -> Pool:
    """The pool with documents of some topics behind those that it has."""
    n = len(pool) + len(topic)
    topics, start, length = np.empty(n, np.int32), np.zeros(n, np.int64), np.zeros(n, np.int32)
    hashes = np.empty(n, np.uint64)
    topics[old_at], topics[new_at] = pool.topic, topic
    start[old_at], length[old_at] = pool.docs.start, pool.docs.length
    hashes[old_at], hashes[new_at] = pool.docs.hash, key
    return Pool(
        pool.judgments, pool.topics, frozen(pool.begin + np.concatenate([[0], np.cumsum(new)])), frozen(topics),
        Ids(pool.docs.text, frozen(start), frozen(length), frozen(hashes)), frozen(old_at[pool.row_item]),
    )  # fmt: skip


# ---- Runs and judgments as they are given: read, checked and put in line.


def aligned(
    runs: object,
    judgments: object,
    scoring: Scoring,
    *,
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    keep_top: int = 0,
    keep_keys: int = 0,
    memory: MemoryLike | None = None,
    matching: Matching = EVERY_RANK,
    graded: bool = False,
) -> RankedGains:
    """Read, order and match runs with judgments, warning about what is suspicious.

    matching: which ranks count for the measures asked for (`matching_for`; by default all), and whether a system
    without a judged document there is refused.  graded: some measure needs one label a document, so that a second one
    is refused before anything else is said of the ids.  What takes more than `memory`, or than is there, is refused
    before it is read.
    """
    check_aligned(runs, judgments, jobs or cores(), memory)
    table = Judgments.of(judgments)
    check_labels(table)
    loaders, rows = _loaders(runs, table, jobs or cores())
    ranked, systems = align(
        Pool.of(table),
        loaders,
        trec_eval=int(scoring.trec_eval),
        jobs=1 if rows is not None and rows < FEW_ROWS else jobs or cores(),
        progress=progress,
        keep_top=keep_top,
        keep_keys=keep_keys,
        ties=scoring.ties,
        deepest=matching.deepest,
    )
    if graded:
        ranked.pool.check_one_label()
    Runs.check_names(ranked.systems, [s.source for s in systems])
    check_overlap(ranked.topics, systems, all_topics=scoring.all_topics)
    doubts, notes = check_documents(systems, ranked.pool.ids_of, matching)
    check_scores(systems, ranked.trec_eval, scoring.ties)
    return replace(ranked, doubts=doubts, caveats=(*unchecked_labels_note(table), *notes))


def unchecked_labels_note(judgments: Judgments | None) -> list[str]:
    """That a model gave the labels, and that nobody checked them; nothing where no model is named.

    judgments: None where they are read in batches, and so have nothing but what the command line says of them.
    """
    labels_by = unchecked_in(judgments, file_options().judge_model)
    if labels_by and file_options().unused_gold:
        return [f"by {labels_by} as they are: {file_options().unused_gold}"]
    return [by_unchecked(labels_by)] if labels_by else []


def loaders_of(runs: object, judgments: Judgments, jobs: int) -> list[Callable[[], Sequence[Run]]]:
    """Functions that give the runs; files are read only when their turn comes."""
    return _loaders(runs, judgments, jobs)[0]


def _loaders(runs: object, judgments: Judgments, jobs: int) -> tuple[list[Callable[[], Sequence[Run]]], int | None]:
    """The same, and how many rows they give; None of files, which nobody has read yet."""
    paths = isinstance(runs, str | os.PathLike) or (
        isinstance(runs, list | tuple) and runs and all(isinstance(r, str | os.PathLike) for r in runs)
    )
    if paths:
        return run_loaders(runs, jobs=jobs), None  # type: ignore[arg-type]
    loaded = Runs.of(runs)
    check_order(loaded, judgments)
    return [lambda part=part: [part] for part in loaded.parts], len(loaded)  # type: ignore[misc]
