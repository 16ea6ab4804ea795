"""`python -m benchmarks.spending cannot`: coverage of limits where people cannot judge some documents of a gold list.

Thirty topics, P@5, half of a list of some 200 rows judged, the topics fixed.  Whether a document can be judged hangs on
what it is worth, so that leaving such rows out bends the difference.  The truth is that of all gold labels.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np

import truegain as tg
from truegain.data.label_lists import GoldList
from truegain.study.gold_lists import ByList

TOPICS, DOCS, DEPTH, LOOKS = 30, 16, 5, 8
WORLDS = {
    "40% of what is relevant and the second system's alone, 5% of all else": lambda relevant, second: (
        0.4 if relevant and second else 0.05
    ),
    "40% of what speaks against the second system": lambda relevant, second: 0.4 if relevant != second else 0.0,
}
HOW = ("at worst and at best", "left out", "all judged")


def cannot(a: argparse.Namespace) -> None:
    """Print one table."""
    print(f"| cannot be judged | share of rows | {' | '.join(HOW)} | all looks: {' | all looks: '.join(HOW[:2])} |")
    print("|---|---|---|---|---|---|---|")
    for number, name in enumerate(WORLDS):
        share, held, ever = [], dict.fromkeys(HOW, 0), dict.fromkeys(HOW[:2], 0)
        for seed in range(a.studies):
            one = Judged.drawn(name, np.random.default_rng([a.seed, number, seed]), seed)
            share.append(len(one.open.cannot) / one.open.judged)
            for how in HOW:
                held[how] += one.holds(how)
            if seed < a.studies // 4:  # eight times the work
                for how in ever:
                    ever[how] += all(one.holds(how, n) for n in one.looks())
        cells = [f"{np.mean(share):.2f}", *(f"{n / a.studies:.3f}" for n in held.values()),
                 *(f"{n} of {a.studies // 4}" for n in ever.values())]  # fmt: skip
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


@dataclass(frozen=True)
class Judged:
    """Two systems, a judge that errs, and a list of which half is judged, with and without what cannot be."""

    runs: dict[str, dict[str, dict[str, float]]]
    bronze: dict[str, dict[str, float]]
    open: GoldList
    full: GoldList
    truth: float

    @classmethod
    def drawn(cls, name: str, rng: np.random.Generator, seed: int) -> Judged:
        """A study of this world."""
        docs = [f"d{i}" for i in range(DOCS)]
        gold = {
            str(t): dict(zip(docs, (rng.random(DOCS) < 0.4).astype(float).tolist(), strict=True))
            for t in range(TOPICS)
        }  # fmt: skip
        bronze = {t: {d: x if rng.random() < 0.75 else 1 - x for d, x in row.items()} for t, row in gold.items()}
        runs = {
            s: {t: {d: by * x + rng.normal() for d, x in row.items()} for t, row in gold.items()}
            for s, by in (("a", 0.6), ("b", 0.9))
        }
        top = {
            s: {(t, d) for t, row in lists.items() for d in sorted(row, key=row.__getitem__)[-DEPTH:]}
            for s, lists in runs.items()
        }
        mean = {s: sum(gold[t][d] for t, d in pairs) / (TOPICS * DEPTH) for s, pairs in top.items()}
        listed = tg.sample_gold(runs, bronze, f"P@{DEPTH}", seed=seed)
        rows = list(zip(listed.topics, listed.docs, strict=True))
        half = len(rows) // 2
        label = np.array([gold[t][d] if i < half else np.nan for i, (t, d) in enumerate(rows)])
        full = listed.with_labels(label)
        stuck = frozenset(
            i for i, (t, d) in enumerate(rows[:half])
            if rng.random() < WORLDS[name](gold[t][d] == 1, (t, d) in top["b"])
        )  # fmt: skip
        open_ = replace(full, label=np.where(np.isin(np.arange(len(rows)), list(stuck)), np.nan, label), cannot=stuck)
        return cls(runs, bronze, open_, full, mean["b"] - mean["a"])

    def looks(self) -> Iterator[int]:
        """How many rows were judged at each look."""
        yield from (self.full.judged * (k + 1) // LOOKS for k in range(LOOKS))

    def holds(self, how: str, n: int | None = None) -> bool:
        """Whether the limits hold the truth; with n, those of `--sequential` after the first n rows, if any."""
        gold = self.full if how == "all judged" else self.open
        if n is not None:
            label = np.where(np.arange(len(gold)) < n, gold.label, np.nan)
            gold = replace(gold, label=label, cannot=frozenset(i for i in gold.cannot if i < n))
        without: AbstractContextManager[object] = nullcontext()
        if how == "left out":  # no row counts at worst and at best
            without = patch.object(ByList, "stuck", lambda _, asked: np.zeros(len(asked), np.int64))
        with without:
            trusted = tg.Gold(gold, sequential=n is not None)
            study = tg.Study(self.runs, self.bronze, f"P@{DEPTH}", gold=trusted, population="fixed")
            c = study.compare("a", "b")[0]
        if c.low is None or c.high is None:
            return n is not None  # too few rows yet: nothing is claimed
        return c.low <= self.truth <= c.high
