"""How alike the pairs of a topic are to real judges: what the usual judge of `judge_error/confusion.py` rests on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.judge.labels import LEVEL, read_wide
from truegain.results.base import Table

Array = npt.NDArray[np.float64]
FILES = {
    "LLMJudge": "llmjudge/test_labels_wide.csv.gz",
    "TREC DL 2019": "dl_llm_judges/dl19_labels_wide.csv.xz",
    "TREC DL 2020": "dl_llm_judges/dl20_labels_wide.csv.xz",
    "TREC DL 2021": "dl_llm_judges/dl21_labels_wide.csv.xz",
}


def icc(path: Path, draws: int, seed: int) -> list[Table]:  # noqa: ARG001  (the same form as the others)
    """Intra-topic correlation of right and wrong, given the gold label, over all judges of each collection."""
    rows: list[tuple[float | int | str, ...]] = []
    for name, file in FILES.items():
        labels = read_wide(path.parents[1] / file)
        true = labels.nist >= LEVEL
        found: dict[bool, list[float]] = {True: [], False: []}
        for said in labels.judges.values():
            right = ((said >= LEVEL) == true).astype(np.float64)
            for kind, values in found.items():
                some = (true == kind) & ~np.isnan(said)
                values.append(correlation(right[some], labels.topic[some]))
        quartiles = [float(q) for v in found.values() for q in np.nanquantile(v, [0.25, 0.5, 0.75])]
        rows.append((name, len(labels.judges), *quartiles))
    head = ("labels", "judges", "mR: lower quartile", "median", "upper", "mN: lower quartile", "median", "upper")
    return [Table(head, rows, title="intra-topic correlation of right and wrong, given NIST's label")]


def correlation(right: Array, topic: npt.NDArray[np.int64]) -> float:
    """The analysis-of-variance estimate for groups of unequal size (Donner 1986)."""
    _, group = np.unique(topic, return_inverse=True)
    n = np.bincount(group)
    mean = np.bincount(group, right) / n
    between = float((n * (mean - right.mean()) ** 2).sum()) / (len(n) - 1)
    within = float(((right - mean[group]) ** 2).sum()) / (n.sum() - len(n))
    size = (n.sum() - (n**2).sum() / n.sum()) / (len(n) - 1)
    below = between + (size - 1) * within
    return (between - within) / below if below > 0 else float("nan")
