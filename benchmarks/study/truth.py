"""The true scores of the worlds, from simulations too large to repeat each time; `python -m benchmarks.study truth`.

right: mean score of each kind of topic under right labels, measure x system x kind.
majority: the same where the majority of three votes decides, by number of assessors.
crowds: the mean over crowds for the lists of `fixed_lists`, by number of topics: measure x system.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.study.judged import LENIENT, Crowd
from benchmarks.study.nature import BLOCK, KINDS, MEASURES, SYSTEMS, Array, Lists, mirrored, these_kinds, true_scores

FILE = Path(__file__).with_name("truth.json")
ASSESSORS = (6, 10)
TOPICS = (25, 50)
SEED = 20261116


def fixed_lists(topics: int) -> Lists:
    """One set of lists of one set of topics, for worlds in which both are held fixed.

    Every second topic has the documents of the one before, the lists of a and b exchanged, so a and b are equal.
    """
    drawn = Lists.draw(these_kinds(topics), np.random.default_rng([topics, 77]))
    as_before = np.arange(topics) - np.arange(topics) % 2
    score = drawn.score[:, as_before].copy()
    score[:2, 1::2] = score[[1, 0], 1::2]
    if topics % 2:
        score[1, -1] = score[0, -1]
    return Lists(drawn.relevant[as_before], drawn.there[as_before], score)


def majority(said: Array) -> Array:
    """What two of three say."""
    return np.asarray(said.sum(axis=2) >= 2, np.float64)


def majority_scores(assessors: int, draws: int, rng: np.random.Generator) -> Array:
    """By kind, every topic with a crowd of its own: a mean over crowds does not ask whether topics share one."""
    out = np.zeros((len(MEASURES), len(SYSTEMS), KINDS))
    block = BLOCK // 4
    blocks = max(1, draws // block)
    for kind in range(KINDS):
        for _ in range(blocks):
            lists = Lists.draw(np.full(block, kind), rng)
            lenient = rng.uniform(-LENIENT, LENIENT, (block, assessors))
            _, said = Crowd(np.zeros(assessors)).votes(lists.relevant, rng, own=lenient)
            out[:, :, kind] += lists.measured(majority(said)).mean(axis=2) / blocks
    return mirrored(out)


def crowd_scores(topics: int, draws: int, rng: np.random.Generator) -> Array:
    """The mean over crowds of ten of the majority's scores, for the fixed lists."""
    lists = fixed_lists(topics)
    out = np.zeros((len(MEASURES), len(SYSTEMS)))
    for _ in range(draws):
        _, said = Crowd.draw(10, rng).votes(lists.relevant, rng)
        out += lists.measured(majority(said)).mean(axis=2) / draws
    out[:, :2] = out[:, :2].mean(axis=1, keepdims=True)  # a and b are equal
    return out


def write(draws: int = 100_000) -> None:
    """Work all of it out anew."""
    rng = np.random.default_rng(SEED)
    found = {
        "right": true_scores(draws, SEED).tolist(),
        "majority": {str(a): majority_scores(a, draws // 5, rng).tolist() for a in ASSESSORS},
        "crowds": {str(t): crowd_scores(t, draws // 10, rng).tolist() for t in TOPICS},
    }
    FILE.write_text(json.dumps(found))


@cache
def truths() -> dict[str, object]:
    """As written."""
    read: dict[str, object] = json.loads(FILE.read_text())
    return read


def right() -> Array:
    """Measure x system x kind."""
    return np.array(truths()["right"])


def by_majority(assessors: int) -> Array:
    """Measure x system x kind."""
    return np.array(truths()["majority"][str(assessors)])  # type: ignore[index]


def over_crowds(topics: int) -> Array:
    """Measure x system."""
    return np.array(truths()["crowds"][str(topics)])  # type: ignore[index]
