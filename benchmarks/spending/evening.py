"""`python -m benchmarks.spending evening`: a product team's evening, again and again, in worlds whose truth is known.

Every time a world is simulated as `truegain demo` does, two of its systems are compared on P@10 by an LLM's labels and
150 gold ones, for these topics: drawn by an ordered list, or at random from the pool.  Beside: the LLM's labels alone,
a paired t test.  A verdict is right where its sign is that of all gold labels.  Then again with an LLM that leans to
the first system: every third document that only this one has in its first ten is labeled one grade higher.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

import truegain as tg
from truegain.data.run import Run, ordered_columns
from truegain.experiments.worlds import simulate
from truegain.io.columns import frozen

LABELS = 150


def evening(a: argparse.Namespace) -> None:
    """Print one table."""
    print("| LLM | gold labels | right | undecided | wrong |\n|---|---|---|---|---|")
    for judge in ("errs alike", "leans"):
        counts: dict[str, list[int]] = {way: [0, 0, 0] for way in ("none", "150 of the pool", "150 of an ordered list")}
        for r in range(a.repeats):
            _one(counts, 1000 * a.seed + r, judge == "leans")
        for way, (right, undecided, wrong) in counts.items():
            total = right + undecided + wrong
            print(
                f"| {judge} | {way} | {right / total:.1%} | {undecided / total:.1%} | {wrong / total:.1%} |", flush=True
            )


def _one(counts: dict[str, list[int]], seed: int, leans: bool) -> None:
    world = simulate(seed=seed)
    rng = np.random.default_rng([seed, 1])
    names = [world.runs.systems[i] for i in rng.permutation(len(world.runs.systems))[:2].tolist()]
    parts = {part.system: part for part in world.runs.parts if part.system in names}
    runs = tg.Runs(tuple(parts.values()))
    llm = _leaning(world.noisy, [_top(parts[name]) for name in names], rng) if leans else world.noisy
    truth = tg.Study(runs, world.gold, "P@10").compare()[0].difference
    alone = tg.Study(runs, llm, "P@10").compare()[0]
    _count(counts["none"], alone.low, alone.high, truth)
    for way, draw in (("150 of the pool", "random"), ("150 of an ordered list", "ordered")):
        listed = tg.sample_gold(runs, llm, "P@10", draw=draw, seed=seed)
        filled = listed.filled(world.gold, min(LABELS, len(listed)))
        found = tg.Study(runs, llm, "P@10", population="fixed", gold=filled).compare()[0]
        _count(counts[way], found.low, found.high, truth)


def _top(part: Run) -> set[tuple[str, str]]:
    """The first ten of every topic."""
    columns = ordered_columns(part)
    rows = zip(columns["topic"], columns["doc"], columns["rank"], strict=True)
    return {(str(t), str(d)) for t, d, rank in rows if int(rank) <= 10}


def _leaning(llm: tg.Judgments, tops: list[set[tuple[str, str]]], rng: np.random.Generator) -> tg.Judgments:
    """Labels that are higher, now and then, for what only the first system has."""
    own = tops[0] - tops[1]
    pairs = zip(llm.topic.strings(), llm.docs.strings(), strict=True)
    more = np.array([pair in own for pair in pairs]) & (rng.random(len(llm)) < 1 / 3)
    return replace(llm, label=frozen(np.minimum(llm.label + more, 3.0)))


def _count(counts: list[int], low: float | None, high: float | None, truth: float) -> None:
    if low is None or high is None or (low <= 0 <= high and not low == high != 0):
        counts[1] += 1
    else:
        counts[0 if (low > 0) == (truth > 0) and truth != 0 else 2] += 1
