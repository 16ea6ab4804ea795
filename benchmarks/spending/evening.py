"""`python -m benchmarks.spending evening`: a product team's evening, again and again, in worlds whose truth is known.

Every time a world is simulated as `truegain demo` does, two of its systems are compared on P@10 by an LLM's labels and
150 gold ones, for these topics: drawn by an ordered list, or at random from the pool.  Beside: the LLM's labels alone,
a paired t test.  A verdict is right where its sign is that of all gold labels.
"""

from __future__ import annotations

import argparse

import numpy as np

import truegain as tg
from truegain.experiments.world import simulate

LABELS = 150


def evening(a: argparse.Namespace) -> None:
    """Print one table."""
    counts: dict[str, list[int]] = {way: [0, 0, 0] for way in ("LLM labels alone", "pool", "ordered")}
    for r in range(a.repeats):
        world = simulate(seed=1000 * a.seed + r)
        rng = np.random.default_rng([a.seed, r, 1])
        names = [world.runs.systems[i] for i in rng.permutation(len(world.runs.systems))[:2].tolist()]
        runs = tg.Runs(tuple(part for part in world.runs.parts if part.system in names))
        truth = tg.Study(runs, world.gold, "P@10").compare()[0].difference
        alone = tg.Study(runs, world.noisy, "P@10").compare()[0]
        _count(counts["LLM labels alone"], alone.low, alone.high, truth)
        for way, draw in (("pool", "random"), ("ordered", "ordered")):
            listed = tg.gold_list(runs, world.noisy, "P@10", draw=draw, seed=r)
            filled = listed.filled(world.gold, min(LABELS, len(listed)))
            found = tg.Study(runs, world.noisy, "P@10", gold=filled, topics="fixed").compare()[0]
            _count(counts[way], found.low, found.high, truth)
    print("| gold labels | right | undecided | wrong |\n|---|---|---|---|")
    for way, (right, undecided, wrong) in counts.items():
        total = right + undecided + wrong
        print(f"| {way} | {right / total:.1%} | {undecided / total:.1%} | {wrong / total:.1%} |")


def _count(counts: list[int], low: float | None, high: float | None, truth: float) -> None:
    if low is None or high is None or (low <= 0 <= high and not low == high != 0):
        counts[1] += 1
    else:
        counts[0 if (low > 0) == (truth > 0) and truth != 0 else 2] += 1
