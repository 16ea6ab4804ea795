"""AP over drawn collections, beside the replication of lists as the paper says it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.races.scoring import files_of, trec_files
from benchmarks.racing.contest import US, Answer, Inside, Job, Workload

if TYPE_CHECKING:
    from truegain.data.pool import RankedGains
    from truegain.io.columns import Ints

REPLICATES, RUNS, TOPICS = 1000, 129, 50
LISTS = 5  # the slow ways do so many lists, of topics one after the other of the first system


def _ranked(place: Path, runs: int | None = None) -> RankedGains:
    import warnings

    from truegain.config import Scoring
    from truegain.data.alignment import aligned
    from truegain.errors import DataWarning

    qrels, paths = files_of(place, runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return aligned([str(p) for p in paths], str(qrels), Scoring(), keep_keys=sys.maxsize)


def truegain(place: Path, jobs: int | None = None, replicates: int = REPLICATES, runs: int | None = None) -> Job:
    """All systems and topics, with every kind of interval of AP, MAP, L-MAP and G-MAP."""
    from truegain.parallel.jobs import Local
    from truegain.stats.collection_ap import collection_spread

    ranked = _ranked(place, runs)

    def job() -> Callable[[], Answer]:
        found = collection_spread(ranked, replicates=replicates, engine=Local(jobs) if jobs else None)
        return lambda: {f"sd of list {t}": float(found.sd[0, t]) for t in range(LISTS)}

    return job


def by_document(depth: int, rank: Ints, missed: int, seed: int) -> float:
    """Spread of AP over lists replicated document by document."""
    import numpy as np

    rng = np.random.default_rng(seed)
    relevant = np.zeros(depth, bool)
    relevant[rank - 1] = True
    values = np.empty(REPLICATES)
    for b in range(REPLICATES):
        drawn = np.repeat(relevant, rng.poisson(1, depth))
        possible = max(1, int(drawn.sum() + rng.poisson(missed)))
        at = np.flatnonzero(drawn) + 1
        values[b] = (np.arange(1, len(at) + 1) / at).sum() / possible
    return float(values.std())


def by_gap(depth: int, rank: Ints, missed: int, seed: int) -> float:
    """The same with one draw for the documents between two relevant ones, all replicates at once."""
    import numpy as np

    del depth
    rng = np.random.default_rng(seed)
    gap = np.diff(np.concatenate([[0], rank])) - 1
    copies = rng.poisson(1, (REPLICATES, len(rank)))
    others = rng.poisson(gap, (REPLICATES, len(rank)))
    before = np.cumsum(others, axis=1) + np.cumsum(copies, axis=1) - copies
    found = np.cumsum(copies, axis=1) - copies
    total = np.zeros(REPLICATES)
    for c in range(1, int(copies.max(initial=0)) + 1):
        total += np.where(copies >= c, (found + c) / np.maximum(before + c, 1), 0.0).sum(axis=1)
    possible = np.maximum(copies.sum(axis=1) + rng.poisson(missed, REPLICATES), 1)
    return float((total / possible).std())


def replicated(place: Path, way: Callable[[int, Ints, int, int], float]) -> Job:
    """A slow way, on some lists."""
    from truegain.sampling.documents import lists_of_topic

    ranked = _ranked(place, 1)
    lists = [lists_of_topic(ranked, topic, 1, range(1)) for topic in range(LISTS)]
    inputs = [(int(ranked.depth[t]), some.ranks(0), some.relevant - len(some.ranks(0))) for t, some in enumerate(lists)]

    def job() -> Callable[[], Answer]:
        found = [way(*given, seed) for seed, given in enumerate(inputs)]
        return lambda: {f"sd of list {t}": v for t, v in enumerate(found)}

    return job


SLOW = {"numpy, document by document": by_document, "numpy, gap by gap": by_gap}
WORKLOAD = Workload(
    "collection",
    "AP of 129 runs x 50 topics over 1,000 drawn collections, after reading",
    partial(trec_files, "large"),
    {
        US: Inside(truegain),
        f"{US}, 1 worker": Inside(partial(truegain, jobs=1)),
        **{
            name: Inside(partial(replicated, way=way), (), LISTS / (RUNS * TOPICS), f"{LISTS} lists, scaled")
            for name, way in SLOW.items()
        },
    },
    tolerance=0.005,  # other random numbers
    files="**/*.txt",
)
