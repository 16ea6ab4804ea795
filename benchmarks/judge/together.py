"""Topics resampled with their gold pairs, or bronze mean and rates apart: standard errors beside the true spread."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import truegain as tg
from truegain.results.base import Table
from truegain.stats.results import Estimate

TRUTH, DOCS, FIRST = 0.4, 20, 10
Labels = dict[str, dict[str, int]]
WAYS = {  # how the interval is made: method, and the design that is declared
    "delta": ("delta", "by-gold"),
    "bootstrap, together": ("bootstrap", "by-gold"),
    "bootstrap, apart (algorithm 1)": ("bootstrap", "elsewhere"),  # with the accuracy of the same gold pairs
}


def together(draws: int, seed: int) -> list[Table]:
    """P@10 of one system, gold labels of some of the very documents scored, by gold label."""
    rows = [
        (topics, share, *row)
        for topics in (16, 50)
        for share in (0.25, 0.6, 1.0)
        for row in _cell(np.random.default_rng([seed, topics, round(100 * share)]), topics, share, draws)
    ]
    columns = ("topics", "gold share", "interval", "studies", "mean se / true sd", "coverage", "width")
    return [Table(columns, rows, title="P@10 by the confusion matrix, gold of the documents scored")]


def _cell(
    rng: np.random.Generator, topics: int, share: float, draws: int
) -> list[tuple[str, int, float, float, float]]:
    found: dict[str, list[Estimate]] = {name: [] for name in WAYS}
    for _ in range(draws):
        run, bronze, gold = world(rng, topics, share)
        answers = {}
        for name, (method, design) in WAYS.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", tg.DataWarning)
                    judge = tg.Judge.fit(bronze, gold, design=design)
                    few = tg.Resampling(n=500)
                    how: Any = {"method": method, "accuracy": "system", "resampling": few}
                    answers[name] = tg.correct({"a": run}, bronze, "P@10", judge, **how)[0]
            except tg.TruegainError:
                break
        else:
            for name, answer in answers.items():
                found[name].append(answer)
    true = float(np.std([a.value for a in found["delta"]], ddof=1))
    out = []
    for name, some in found.items():
        se = float(np.mean([a.se or 0.0 for a in some])) / true
        held, width = np.mean([a.low <= TRUTH <= a.high for a in some]), np.mean([a.width for a in some])
        out.append((name, len(some), se, float(held), float(width)))
    return out


def world(rng: np.random.Generator, topics: int, share: float) -> tuple[dict[str, dict[str, float]], Labels, Labels]:
    """A run of ten documents a topic, bronze labels of twenty by a judge whose accuracy varies, gold of a share."""
    relevance, right = rng.beta(2, 3, (topics, 1)), np.clip(rng.normal(0.85, 0.07, (topics, 2)), 0.55, 1)
    truth = rng.random((topics, DOCS)) < relevance
    says = np.where(rng.random((topics, DOCS)) < np.where(truth, right[:, 1:], right[:, :1]), truth, ~truth)
    seen = rng.random((topics, DOCS)) < share
    run = {str(t): {f"d{i}": -float(i) for i in range(FIRST)} for t in range(topics)}
    bronze = {str(t): {f"d{i}": int(says[t, i]) for i in range(DOCS)} for t in range(topics)}
    gold = {str(t): {f"d{i}": int(truth[t, i]) for i in np.flatnonzero(seen[t])} for t in range(topics)}
    return run, bronze, {t: row for t, row in gold.items() if row}
