"""`python -m benchmarks.spending labels`: how sure 50, 150 and 500 gold labels make a difference, by where they go.

Topics held fixed; the truth is that of all gold labels.  Median half width of the 95% interval over pairs of systems
and draws, and how often the interval holds the truth; the judge's error by label is that of all gold labels where the
row says so.  `topics` repeats the last columns for topics like these, against the mean of half of the topics.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.spending.data import Labelled, worlds
from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.evidence import LEAST_GOLD
from truegain.student import quantiles_of

LABELS = (50, 150, 500)
PAIR = Contrasts.of([(0, 1)])


def labels(a: argparse.Namespace) -> None:
    """Print one table."""
    head = ("data", "judge", "measure", "gold drawn from", *(f"{n}: half, holds" for n in LABELS),
            "150: of pool, of tops", "decided at 150", "plan/actual")  # fmt: skip
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for real in worlds():
        ranked = real.judges()
        for judge, _ in (ranked[0], ranked[-1]):
            for measure in ("P(rel=2)@10", "DCG@10"):
                known = Labelled.of(real, judge, measure, a.seed)
                halves: dict[str, float] = {}
                for name in ("pool", "both top tens", "what differs", "in proportion", "one list for all"):
                    row, halves[name] = _row(known, name, a)
                    of = [halves[name] / halves[other] if halves.get(other) else np.nan
                          for other in ("pool", "both top tens")]  # fmt: skip
                    row.insert(len(LABELS), f"{of[0]:.2f}, {of[1]:.2f}")
                    print(f"| {real.name} | {judge} | {measure} | {name} | {' | '.join(row)} |", flush=True)


def sizes_of(known: Labelled, name: str, a: int, b: int) -> np.ndarray:
    """Of every pair of the pool."""
    w = known.weight[b] - known.weight[a]
    if name == "pool":
        return np.ones(len(w))
    if name == "both top tens":
        return ((known.weight[a] != 0) | (known.weight[b] != 0)).astype(float)
    if name == "what differs":
        return (np.abs(w) > 1e-12).astype(float)
    if name == "in proportion":
        return np.abs(w) * known.errors()
    return known.weight.std(axis=0) * known.errors()


def _row(known: Labelled, name: str, a: argparse.Namespace) -> tuple[list[str], float]:
    half: dict[int, list[float]] = {n: [] for n in LABELS}
    holds: dict[int, list[bool]] = {n: [] for n in LABELS}
    decided, planned = [], []
    rng = np.random.default_rng([a.seed, 11])
    for first, second in known.pairs(a.pairs, a.seed):
        sizes, truth = sizes_of(known, name, first, second), known.truth(first, second)
        for _ in range(a.draws):
            order = known.order(sizes, rng)
            for n in LABELS:
                found = known.evidence(first, second, sizes, order, n)
                if found.touching(PAIR)[0] < LEAST_GOLD:
                    half[n].append(np.inf)
                    continue
                spread = found.over_gold(PAIR)
                h = float((quantiles_of(0.95, spread.df) * np.sqrt(spread.variance))[0])
                value = float(found.value[1] - found.value[0])
                half[n].append(h)
                holds[n].append(abs(value - truth) <= h + 1e-12)
                if n == 150:
                    decided.append(abs(value) > h)
                    planned.append(_planned(known, sizes, first, second, found.draws.information) / h if h else 1.0)
    cells = [f"{np.median(half[n]):.3f}, {np.mean(holds[n]) if holds[n] else np.nan:.3f}" for n in LABELS]
    total = a.pairs * a.draws
    return [*cells, f"{sum(decided) / total:.2f}", f"{np.median(planned) if planned else np.nan:.2f}"], float(
        np.median(half[150])
    )


def _planned(known: Labelled, sizes: np.ndarray, a: int, b: int, information: float) -> float:
    """Half the width that the plan expects: by the spread of all gold worths within the judge's labels."""
    there = sizes > 0
    w = (known.weight[b] - known.weight[a])[there] / len(known.topics)
    n = int(known.stratum.max()) + 1
    v = np.array([known.gold[known.stratum == c].var() for c in range(n)])[known.stratum][there]
    return 1.96 * float(np.sqrt(sizes.sum() * (w**2 * v / sizes[there]).sum() / information))
