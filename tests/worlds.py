"""Worlds that several test files draw from: what is true is known, what is seen is not all of it."""

from __future__ import annotations

import numpy as np

import truegain as tg

Runs = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]
EBAY = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))  # the paper's judge, section 7


def there(value: float | None) -> float:
    """A number that is not missing."""
    assert value is not None
    return value


def study(
    seed: int, topics: int = 40, docs: int = 20, m_r: float = 0.9, m_n: float = 0.8, tilt: float = 0.0
) -> tuple[Runs, Labels, Labels]:
    """Two runs over documents judged by both judges; `tilt` lowers mN for the documents of the second run."""
    rng = np.random.default_rng(seed)
    gold: Labels = {}
    bronze: Labels = {}
    runs: Runs = {"a": {}, "b": {}}
    for t in range(topics):
        p = rng.beta(4, 6)
        row = {f"{s}{i}": int(rng.random() < p) for s in "ab" for i in range(docs)}
        gold[str(t)] = row
        bronze[str(t)] = {
            d: int(rng.random() < (m_r if g else 1 - m_n + (tilt if d[0] == "b" else 0))) for d, g in row.items()
        }
        for s in "ab":
            runs[s][str(t)] = {f"{s}{i}": float(-i) for i in range(docs)}
    return runs, bronze, gold
