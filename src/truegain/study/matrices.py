"""Scores corrected by confusion matrices: which systems and which differences soundly, and why not the others."""

from __future__ import annotations

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.judge_error.confusion import Clusters
from truegain.judge_error.label_tables import TopicMatrix
from truegain.judge_error.system_judges import JudgedLists, check_inside, score_range
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantiles_of
from truegain.study.estimators import ByMatrices

ONE_TOPIC = "the gold pairs come from 1 topic, so how topics differ is unknown; add gold labels of more topics"


def by_matrices(
    lists: JudgedLists, confidence: float, *, clusters: Clusters | None = None, shared: bool = True, guard: bool = True
) -> tuple[ByMatrices | None, dict[int, TruegainError]]:
    """The systems that confusion matrices correct soundly, and why the others are refused.

    Parameters
    ----------
    lists : JudgedLists
        Runs on topics that all systems answer, and their judges.
    confidence : float
        A score whose whole interval lies outside of what it can be is refused.
    clusters, shared
        As in `ByMatrices`.
    guard : bool
        Whether differences are widened where the one judge behind them passes as better than chance only just.

    Returns
    -------
    ByMatrices
        Of the systems that are left, in their order; None where none is.
    dict
        By the number of each other system, the reason.
    """
    topics, systems = np.ones(len(lists.ranked.topics), np.bool_), range(len(lists.ranked.systems))
    matrices, refused = {}, dict[int, TruegainError]()
    for s in systems:
        try:
            matrices[s] = lists.matrices(s, topics, clusters)
        except TruegainError as error:
            refused[s] = error
    ranges = np.array([score_range(lists, s, topics) for s in systems])
    common = lists.judges_of(0).single if guard and lists.binary and lists.accuracy != "system" and matrices else None

    def fit(kept: dict[int, list[TopicMatrix]]) -> ByMatrices:
        names = tuple(lists.ranked.systems[s] for s in kept)
        return ByMatrices(
            lists.fit_with(kept, topics), lists.judges.size, names, ranges[list(kept)],
            clusters != "none", shared, common if shared else None, own=lists.accuracy == "system",
        )  # fmt: skip

    if matrices and clusters != "none":
        gold_topics = fit(matrices).fit.has_gold.sum(axis=0).tolist()
        for s in [s for s, n in zip(matrices, gold_topics, strict=True) if n == 1]:
            refused[s] = TruegainError(ONE_TOPIC)
            del matrices[s]
    estimator = fit(matrices) if matrices else None
    if estimator is not None:
        half = _half(estimator, Contrasts.scores(len(matrices)), confidence)
        for s, value, h in zip(list(matrices), estimator.value.tolist(), half.tolist(), strict=True):
            try:
                check_inside(value, h, (float(ranges[s][0]), float(ranges[s][1])))
            except TruegainError as error:
                refused[s] = error
                del matrices[s]
        if len(matrices) < len(estimator.systems):
            estimator = fit(matrices) if matrices else None
    return estimator, dict(sorted(refused.items()))


def impossible_pairs(estimator: ByMatrices, contrasts: Contrasts, confidence: float) -> dict[str, str]:
    """By name, the differences that lie clearly outside of what they can be, and why."""
    most = np.maximum(*contrasts.ends(estimator.ranges[:, 1] - estimator.ranges[:, 0]))
    far = np.flatnonzero(np.abs(contrasts.values(estimator.value)) > most)  # few, as a rule none
    out: dict[str, str] = {}
    for i in far.tolist():
        one, end = contrasts.some(i, i + 1), float(most[i])
        try:
            check_inside(
                float(one.values(estimator.value)[0]), float(_half(estimator, one, confidence)[0]), (-end, end)
            )
        except TruegainError as error:
            out[f"{estimator.systems[one.b[0]]} - {estimator.systems[one.a[0]]}"] = error.message
    return out


def _half(estimator: ByMatrices, contrasts: Contrasts, confidence: float) -> Floats:
    """Half of each interval's width."""
    variance = estimator.over_topics(contrasts)
    return np.asarray(quantiles_of(confidence, variance.df) * np.sqrt(variance.value))
