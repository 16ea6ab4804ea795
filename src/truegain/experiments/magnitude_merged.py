"""Systems simulated from fully judged lists: each takes its list for a topic from some run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegain.config import Scoring
from truegain.errors import TruegainError
from truegain.measures.evaluate import aligned
from truegain.tables.columns import Bools, Coded, frozen
from truegain.tables.judgments import Judgments
from truegain.tables.matched import UNCHECKED
from truegain.tables.ranked import ABSENT, RankedGains


def merged_systems(
    ranked: RankedGains, runs: object, levels: Judgments, depth: int, systems: int, seed: int, jobs: int | None
) -> RankedGains:
    """Systems whose list for each topic is that of a run drawn among those with all first documents judged."""
    full = _complete(ranked, depth)
    kept = [t for t, n in zip(ranked.topics, full.sum(axis=0), strict=True) if n >= 2]
    if len(kept) < 2:
        raise TruegainError(
            f"only {len(kept)} of {len(ranked.topics)} topics have two runs whose first {depth} documents all have a "
            "gain; simulated systems need at least 2 such topics"
        )
    rows = only_rows(levels, levels.topic.onto(kept) >= 0)
    view = aligned(runs, rows, Scoring(), jobs=jobs, matching=UNCHECKED).cut(depth)  # checked before on all topics
    full, topics = _complete(view, depth), len(view.topics)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    drawn = np.stack([rng.choice(np.flatnonzero(full[:, t]), systems) for t in range(topics)], axis=1)
    lists = (drawn * topics + np.arange(topics)).ravel()
    size = np.diff(view.begin)[lists]
    begin = np.concatenate([[0], np.cumsum(size)])
    at = np.repeat(view.begin[lists] - begin[:-1], size) + np.arange(int(size.sum()))
    return replace(
        view,
        systems=tuple(f"merged-{s + 1}" for s in range(systems)),
        retrieved=frozen(view.retrieved[lists]),
        begin=frozen(begin),
        rank=frozen(view.rank[at]),
        item=frozen(view.item[at]),
    )


def _complete(ranked: RankedGains, depth: int) -> Bools:
    """Systems by topics: whether the first `depth` documents are there and all judged."""
    inside = np.bincount(ranked.list[ranked.rank <= depth], minlength=ranked.lists)
    full = (ranked.retrieved != ABSENT) & (inside == depth)
    return np.asarray(full.reshape(len(ranked.systems), len(ranked.topics)), np.bool_)


def only_rows(table: Judgments, keep: Bools) -> Judgments:
    """Some rows, and no topic that has none of them."""
    kept = table.take(np.flatnonzero(keep))
    used, code = np.unique(kept.topic.code, return_inverse=True)
    return replace(kept, topic=Coded(tuple(kept.topic.values[u] for u in used), frozen(code.astype(np.int32))))
