"""`python -m benchmarks.spending looks`: twenty looks at growing gold, plain intervals and confidence sequences.

An interval is ever wrong where it misses the truth at some look.  Topics held fixed, the truth is that of all gold
labels; topics sampled, as many topics are drawn with replacement for every study, and the truth is that of all.
All looks: what lies within the limits of every look so far, as `verdict --sequential` tells it.  It misses the truth at
some look where one of them does, so that both are ever wrong alike; a verdict is lost where limits that excluded 0 no
longer do at the last look.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from benchmarks.spending.data import labeled, worlds
from truegain.experiments.spending_again import Labeled, looked
from truegain.io.columns import Floats
from truegain.stats.student_t import quantile_of

LOOKS = tuple(range(25, 525, 25))


def looks(a: argparse.Namespace) -> None:
    """Print one table."""
    head = (
        "data",
        "judge",
        "topics",
        "plain: ever wrong",
        "Bonferroni",
        "sequential",
        "wrong sign: plain",
        "sequential",
        "anytime/plain width at 150",
        "labels to decide: Bonferroni",
        "sequential",
        "all looks/one: width at 150",
        "at 300",
        "nothing in common",
        "estimate outside",
        "verdicts lost by this look alone",
    )
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for real in worlds():
        ranked = real.judges()
        for judge, _ in (ranked[0], ranked[-1]):
            known = labeled(real, judge, "P(rel=2)@10", a.seed)
            for fixed in (True, False):
                cells = " | ".join(_row(known, fixed, a))
                print(f"| {real.name} | {judge} | {'fixed' if fixed else 'sampled'} | {cells} |", flush=True)


def _row(known: Labeled, fixed: bool, a: argparse.Namespace) -> list[str]:
    rng = np.random.default_rng([a.seed, 12])
    wider = quantile_of(1 - 0.05 / len(LOOKS)) / quantile_of(0.95)
    wrong: list[list[bool]] = [[], [], []]
    signs: list[list[bool]] = [[], [], []]
    needed: list[list[float]] = [[], [], []]
    ratio = []
    met: list[tuple[float, ...]] = []
    for first, second in known.pairs(a.pairs, a.seed):
        truth = known.truth(first, second)
        for _ in range(a.draws):
            part = known if fixed else other_topics(known, rng)
            sizes = part.sizes("ordered, known errors", first, second)
            if not sizes.any():
                continue
            value, half, every = looked(part, first, second, sizes, part.order(sizes, rng), LOOKS, fixed=fixed)
            for k, h in enumerate((half, half * wider, every)):
                wrong[k].append(bool((np.abs(value - truth) > h + 1e-12).any()))
                said = np.abs(value) > h
                signs[k].append(bool((said & (np.sign(value) != np.sign(truth))).any()))
                needed[k].append(LOOKS[int(np.argmax(said))] if said.any() else np.inf)
            met.append(all_looks(value, every))
            at = LOOKS.index(150)
            if 0 < half[at] < np.inf:
                ratio.append(every[at] / half[at])
    return [*(f"{np.mean(w):.3f}" for w in wrong), f"{np.mean(signs[0]):.3f}", f"{np.mean(signs[2]):.3f}",
            f"{np.median(ratio):.2f}", f"{np.median(needed[1]):.0f}", f"{np.median(needed[2]):.0f}",
            *(f"{x:.3f}" for x in np.nanmean(met, axis=0))]  # fmt: skip


def all_looks(value: Floats, half: Floats) -> tuple[float, ...]:
    """Width of what lies within all limits so far over that of this look, at 150 and 300 labels; what is odd."""
    low, high = (np.where(half == 0, now, met) for now, met in (
        (value - half, np.maximum.accumulate(value - half)), (value + half, np.minimum.accumulate(value + half))
    ))  # fmt: skip
    empty = low > high + 1e-12
    open_ = (half > 0) & np.isfinite(half) & ~empty
    width = np.where(open_, (high - low) / np.where(open_, 2 * half, 1.0), np.nan)
    outside = open_ & ((value < low) | (value > high))
    said = np.abs(value) > half
    return (*(float(width[LOOKS.index(n)]) for n in (150, 300)), float(empty.any()),
            float(outside[open_].mean()) if open_.any() else np.nan, float(said.any() and not said[-1]))  # fmt: skip


def other_topics(known: Labeled, rng: np.random.Generator) -> Labeled:
    """As many topics, drawn with replacement: each a topic of its own."""
    count = len(known.topics)
    rows = [np.flatnonzero(known.topic == t) for t in rng.integers(0, count, count).tolist()]
    at = np.concatenate(rows)
    topic = np.repeat(np.arange(count), [len(r) for r in rows])
    return replace(known, topics=tuple(map(str, range(count))), topic=topic, stratum=known.stratum[at],
                   gold=known.gold[at], weight=known.weight[:, at])  # fmt: skip
