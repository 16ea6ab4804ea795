"""Does an interval over topics hold on other topics?  The topics are split in two, again and again."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from truegain.config import Scoring
from truegain.errors import TruegainError
from truegain.inference.intervals.topics import means_and_errors
from truegain.inference.limits import logit_delta, student
from truegain.measures.evaluate import evaluate
from truegain.tables.columns import Floats
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.table import Table

SPLITS = 200


def split_topics(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measure: str,
    *,
    relevant_from: float = 1,
    confidence: float = 0.95,
    splits: int = SPLITS,
    seed: int = 0,
    jobs: int | None = None,
) -> Table:
    """Intervals of each system's mean from a random half of the topics; where the mean of the other half falls.

    The model is that of the split collection: the other mean lies inside a 95% interval 83.5% of the time (a little
    less for Student's limits over few topics, whose width is itself uncertain).
    """
    scores = evaluate(runs, judgments, measure, scoring=Scoring(relevant_from), jobs=jobs)
    matrix = np.asarray(scores.matrix(), np.float64)
    if matrix.shape[1] < 6:
        raise TruegainError(f"{matrix.shape[1]} topics cannot be split in two; give at least 6")
    rng = np.random.default_rng(seed)
    methods = ("t", "logit") if (np.nanmin(matrix) >= 0 and np.nanmax(matrix) <= 1) else ("t",)
    counts = {m: np.zeros(3) for m in methods}
    for _ in range(splits):
        order = rng.permutation(matrix.shape[1])
        here, there = matrix[:, order[: len(order) // 2]], matrix[:, order[len(order) // 2 :]]
        for method in methods:
            counts[method] += _shares(method, here, there, confidence)
    rows: list[tuple[float | int | str | None, ...]] = [
        (m, *(round(100 * float(c), 2) for c in counts[m] / counts[m].sum())) for m in methods
    ]
    special = import_module("scipy.special")
    inside = 2 * float(special.ndtr(special.ndtri(0.5 + confidence / 2) / np.sqrt(2))) - 1
    tail = round(50 * (1 - inside), 2)
    rows.append(("model", tail, round(100 * inside, 2), tail))
    note = f"{len(scores.systems)} systems, {matrix.shape[1]} topics, {splits} random splits, {scores.measures[0]}."
    made_by = {"seed": seed, "splits": splits, "confidence": confidence}
    title = "Mean over one half of the topics in the intervals of the other"
    return Table(("method", "below %", "inside %", "above %"), rows, made_by, title, (note,))


def _shares(method: str, here: Floats, there: Floats, confidence: float) -> Floats:
    mean, se = means_and_errors(here)
    other, _ = means_and_errors(there)
    freedom = (~np.isnan(here)).sum(axis=1) - 1
    limits = student(mean, se, freedom, confidence) if method == "t" else logit_delta(mean, se, confidence)
    below, above = other < limits.low, other > limits.high
    return np.array([below.sum(), (~below & ~above).sum(), above.sum()], np.float64)
