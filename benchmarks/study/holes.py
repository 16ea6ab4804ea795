"""Newcomers whose documents were not pooled: b is exactly as good as a, c better; 37% of b's first ten is unjudged.

The pool is the first ten of a and the first two of c; of the holes in the first ten of b and c a share is judged.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import truegain as tg
from benchmarks.coverage.worlds import World
from benchmarks.study.alone import as_truth, held_fixed, study_of
from benchmarks.study.judged import labels_of, names_of, runs_of
from benchmarks.study.nature import DEPTH, Lists, Mask, any_kinds
from benchmarks.study.truth import right

if TYPE_CHECKING:
    from benchmarks.study.told import ResultList

AS_ZERO = "unjudged as 0"
MEASURES = ("P@10",)


def pooled(lists: Lists) -> Mask:
    """Judged documents: the first ten of a, the first two of c."""
    rank = lists.rank
    return np.asarray((rank[0] < DEPTH) | (rank[2] < 2))


def sampled(judged: Mask, lists: Lists, share: float, rng: np.random.Generator) -> Mask:
    """A random share of the holes: of documents in the first ten of b or c that are not judged."""
    at = np.flatnonzero((lists.rank[1:] < DEPTH).any(axis=0) & ~judged)
    out = np.zeros(judged.size, np.bool_)
    out[rng.choice(at, round(share * len(at)), replace=False)] = True
    return out.reshape(judged.shape)


def newcomer(rng: np.random.Generator, topics: int, share: float) -> ResultList:
    """Topics at random, a share of the holes judged; beside it unjudged documents as not relevant."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names, judged = names_of(lists), pooled(lists)
    runs, labels = runs_of(lists, names), labels_of(lists.right, names, judged)
    truth = as_truth(right().mean(axis=2), MEASURES)
    some = labels_of(lists.right, names, sampled(judged, lists, share, rng))
    return study_of(runs, labels, truth, unjudged=tg.UnjudgedSample(some)) | study_of(
        runs, labels, truth, AS_ZERO, unjudged="non-relevant"
    )


def newcomer_fixed(rng: np.random.Generator, topics: int, share: float) -> ResultList:
    """These topics only: other samples of the same holes."""
    lists, names, runs, truth = held_fixed(topics)
    judged = pooled(lists)
    labels, some = (labels_of(lists.right, names, kept) for kept in (judged, sampled(judged, lists, share, rng)))
    return study_of(runs, labels, {m: truth[m] for m in MEASURES}, unjudged=tg.UnjudgedSample(some), population="fixed")


WORLDS = (
    *(
        World(f"newcomer, {share:.0%} of its holes judged, {n} topics", partial(newcomer, topics=n, share=share))
        for n in (50, 25)
        for share in (0.25, 0.1)
    ),
    World("newcomer, 25% of its holes judged, 50 topics fixed", partial(newcomer_fixed, topics=50, share=0.25)),
)
