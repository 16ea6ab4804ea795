"""LLMJudge: gold and bronze labels from disjoint topics."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.judge.draws import Array, Interval, Tally
from benchmarks.judge.labels import LEVEL, Labels, median, pooled, read_wide, t_interval
from benchmarks.rectified import by_topics, gold_alone, told
from truegain.experiments.judge_errors import BronzeMean, correct_mean
from truegain.judge_error.gold_pairs import Pairs
from truegain.judge_error.judge import Judge
from truegain.results.base import Table

GOLD_TOPICS = 10
METHODS = (
    "rectified",
    "rectified, all topics",
    "matrix",
    "matrix, iid",
    "gold only",
    "gold only, all topics",
    "uncorrected",
)


def llmjudge(path: Path, draws: int, seed: int) -> list[Table]:
    """The share of relevant passages a topic, mean over 15 topics, corrected with 10 others."""
    labels = read_wide(path)
    true = (labels.nist >= LEVEL).astype(np.float64)
    rows, summary = [], defaultdict(list)
    for name, said in labels.judges.items():
        bronze = (said >= LEVEL).astype(np.float64)
        tallies = _splits(labels, true, bronze, draws, seed)
        d = float(bronze[true == 1].mean() - bronze[true == 0].mean())
        for method, tally in tallies.items():
            summary[method].append((d, tally))
        cells = [c for t in tallies.values() for c in (t.coverage, median(t.widths))]
        rows.append((d, (name, d, *cells, tallies["matrix"].refused)))
    rows.sort(key=lambda r: -r[0])
    methods = list(summary)
    head = ("judge", "D", *(c for m in methods for c in (f"{m}: cov", "width")), "matrix refused")
    better = float(np.median([d for d, _ in summary[methods[0]]]))
    over = [(m, *pooled(t for d, t in summary[m] if d >= better), *pooled(t for _, t in summary[m])) for m in methods]
    short = ("method", "better half: coverage", "median width", "refused", "all: coverage", "median width", "refused")
    note = (
        f"{len(labels.topics)} topics, {GOLD_TOPICS} of them gold, the others bronze only; {draws} splits a judge; "
        f"relevant is a label of {LEVEL} or more; better half: by D. The truth is NIST's mean over the topics without "
        "gold, for the lines 'all topics' over all of them.",
    )
    return [
        Table(short, over, title="LLMJudge: gold and bronze from disjoint topics", notes=note),
        Table(head, [row for _, row in rows], title="LLMJudge, judge by judge (D: mR + mN - 1 over all labels)"),
    ]


def _splits(labels: Labels, true: Array, bronze: Array, draws: int, seed: int) -> dict[str, Tally]:
    count = len(labels.topics)
    size = np.bincount(labels.topic, minlength=count)
    y, f = (np.bincount(labels.topic, v, count) / size for v in (true, bronze))
    tallies = {m: Tally() for m in METHODS}
    for child in np.random.SeedSequence(seed).spawn(draws):
        gold = np.zeros(count, np.bool_)
        gold[np.random.default_rng(child).choice(count, GOLD_TOPICS, replace=False)] = True
        truth = float(y[~gold].mean())
        some = np.where(gold, y, np.nan)
        inside = gold[labels.topic]
        pairs = Pairs(
            labels.topics,
            labels.topic[inside],
            bronze[inside],
            true[inside],
            np.ones(inside.sum()),
            {0.0: 0.5, 1.0: 0.5},
        )

        def rectified(others: bool, some: Array = some) -> Interval:
            return told(by_topics(f, some, others=others), these=True).interval

        def matrix(gold: npt.NDArray[np.bool_] = gold, pairs: Pairs = pairs) -> Interval:
            there = f[~gold]
            judge = Judge.fit(pairs, None, "elsewhere")
            got = correct_mean(judge, BronzeMean(there.mean(), len(there), there.std(ddof=1)))
            return got.low, got.high

        def iid(inside: npt.NDArray[np.bool_] = inside) -> Interval:
            b, t = bronze[inside], true[inside]
            judge = Judge.from_counts((b[t == 1].sum(), t.sum()), ((1 - b)[t == 0].sum(), (1 - t).sum()))
            got = correct_mean(judge, BronzeMean(bronze[~inside].mean(), (~inside).sum()))
            return got.low, got.high

        tallies["rectified"].ask(lambda r=rectified: r(True), truth)  # type: ignore[misc]
        tallies["rectified, all topics"].ask(lambda r=rectified: r(False), float(y.mean()))  # type: ignore[misc]
        tallies["matrix"].ask(matrix, truth)
        tallies["matrix, iid"].ask(iid, float(true[~inside].mean()))
        tallies["gold only"].ask(lambda s=some: gold_alone(s, others=True), truth)  # type: ignore[misc]
        tallies["gold only, all topics"].ask(lambda s=some: gold_alone(s), float(y.mean()))  # type: ignore[misc]
        tallies["uncorrected"].ask(lambda g=gold: t_interval(f[~g]), truth)  # type: ignore[misc]
    return tallies
