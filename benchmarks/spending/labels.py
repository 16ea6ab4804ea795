"""`python -m benchmarks.spending labels`: how sure 50, 150 and 500 gold labels make a difference, by where they go.

Topics held fixed; the truth is that of all gold labels.  Median half width of the 95% interval over pairs of systems
and draws, and how often the interval holds the truth; 'known errors': the judge's true error at each label is used too.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.spending.data import labeled, worlds
from truegain.experiments.spending_again import Labeled, looked

LABELS = (50, 150, 500)
WAYS = ("pool", "both lists", "what differs", "ordered", "ordered, known errors", "one list for all",
        "one list for all, known errors")  # fmt: skip


def labels(a: argparse.Namespace) -> None:
    """Print one table."""
    head = ("data", "judge", "measure", "gold drawn from", *(f"{n}: half, holds" for n in LABELS),
            "150: of pool, of both lists", "decided at 150", "plan/actual")  # fmt: skip
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for real in worlds():
        ranked = real.judges()
        for judge, _ in (ranked[0], ranked[-1]):
            for measure in ("P(rel=2)@10", "DCG@10"):
                known = labeled(real, judge, measure, a.seed)
                halves: dict[str, float] = {}
                for way in WAYS:
                    row, halves[way] = _row(known, way, a)
                    of = [halves[way] / halves[other] if other in halves else np.nan for other in WAYS[:2]]
                    row.insert(len(LABELS), f"{of[0]:.2f}, {of[1]:.2f}")
                    print(f"| {real.name} | {judge} | {measure} | {way} | {' | '.join(row)} |", flush=True)


def _row(known: Labeled, way: str, a: argparse.Namespace) -> tuple[list[str], float]:
    rng = np.random.default_rng([a.seed, 11])
    half, holds, decided, planned = [], [], [], []
    for first, second in known.pairs(a.pairs, a.seed):
        sizes, truth = known.sizes(way, first, second), known.truth(first, second)
        for _ in range(a.draws):
            order = known.order(sizes, rng)
            value, h, _every = looked(known, first, second, sizes, order, LABELS)
            half.append(h)
            holds.append(np.where(np.isfinite(h), np.abs(value - truth) <= h + 1e-12, np.nan))
            decided.append(abs(value[1]) > h[1])
            if 0 < h[1] < np.inf:
                tau = known.estimator(first, second, sizes, order, 150).draws.information
                planned.append(_planned(known, sizes, first, second, tau) / h[1])
    middle, share = np.median(half, axis=0), np.nanmean(holds, axis=0)
    cells = [f"{m:.3f}, {s:.3f}" for m, s in zip(middle, share, strict=True)]
    return [*cells, f"{np.mean(decided):.2f}", f"{np.median(planned):.2f}"], float(middle[1])


def _planned(known: Labeled, sizes: np.ndarray, a: int, b: int, information: float) -> float:
    """Half the width that the plan expects: by the spread of all gold worths within the judge's labels."""
    there = sizes > 0
    w = (known.weight[b] - known.weight[a])[there] / len(known.topics)
    v = np.array([known.gold[known.stratum == c].var() for c in range(int(known.stratum.max()) + 1)])
    return 1.96 * float(np.sqrt(sizes.sum() * (w**2 * v[known.stratum][there] / sizes[there]).sum() / information))
