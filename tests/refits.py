"""Corrected scores with topics weighted, every correction fitted again: what closed forms are held against."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.judge_error.fits import JudgedLists, expansion_by_judge, gold_of_items, rectification
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import Accuracy, Judges, Method
from truegain.judge_error.pair_estimators import PairFit
from truegain.judge_error.topic_estimators import TopicFit
from truegain.measures.base import Measure
from truegain.measures.label_weights import level_of


def corrected_values(
    ranked: RankedGains,
    judge: Judge | Judges,
    measure: Measure,
    weights: npt.ArrayLike,
    *,
    method: Method = "default",
    gold_relevant_from: float | None = None,
    accuracy: Accuracy | None = None,
) -> Floats:
    """Each system's corrected score for rows of topic weights: copies of each topic, the gold pairs going with theirs.

    The correction is the one that `correct` makes: rectified topics or pairs, the judge's rates, the whole matrix, or
    each judge of several; it is prepared once.  With all weights 1 the values are those of `correct` before they are
    held inside what the measure can be.

    >>> import truegain as tg
    >>> from truegain.config import Scoring
    >>> from truegain.data.alignment import aligned
    >>> docs = "abcdefgh"
    >>> bronze = {str(t): {d: int((i + t) % 3 > 0) for i, d in enumerate(docs)} for t in range(8)}
    >>> gold = {str(t): {d: int((i + t) % 3 > 0 and i != t) for i, d in enumerate(docs)} for t in range(8)}
    >>> run = {str(t): {d: float(-i) for i, d in enumerate(docs)} for t in range(8)}
    >>> ranked = aligned({"bm25": run}, bronze, Scoring())
    >>> judge = tg.Judge.fit(bronze, gold, design="by-gold")
    >>> corrected_values(ranked, judge, tg.parse_measure("P@5"), np.ones((1, 8))).round(3).tolist()
    [[0.6]]
    """
    w = np.asarray(weights, np.float64)
    if w.ndim != 2 or w.shape[1] != len(ranked.topics) or not np.isfinite(w).all() or (w < 0).any():
        raise TruegainError(f"weights must be rows of {len(ranked.topics)} numbers of at least 0, one a topic")
    known = Judges.of(judge).rectifier(method)
    if known is None:
        return matrix_values(
            JudgedLists.of(ranked, judge, measure, gold_relevant_from=gold_relevant_from, accuracy=accuracy), w
        )
    fit = rectified_by(ranked, known, measure, gold_relevant_from)
    if isinstance(fit, TopicFit):
        return np.stack([topic_values(y, f, w) for y, f in zip(fit.gold, fit.bronze, strict=True)], axis=1)
    return fit.values(w)


def rectified_by(
    ranked: RankedGains, judge: Judge, measure: Measure, gold_relevant_from: float | None = None
) -> TopicFit | PairFit:
    """What corrects the scores by the gold labels of a judge."""
    level = level_of(measure)
    fitted = judge.at_levels(level, gold_relevant_from)
    gold, weights = gold_of_items(ranked.pool, fitted, level), expansion_by_judge(fitted, ranked.pool)
    return rectification(ranked, gold, measure, judge.design, weights)


def topic_values(gold: Floats, bronze: Floats, weights: Floats) -> Floats:
    """A score, or difference, set right by whole gold topics, NaN where there is none, for rows of copies of topics.

    All copies of a topic are left out together where its slope is fitted.
    """
    has, out = ~np.isnan(gold), []
    y, f = gold[has], bronze[has]
    for row in weights:
        w, rest = row[has], row[~has]
        lam = np.zeros(len(y))
        for i in np.flatnonzero(w):
            left = np.where(np.arange(len(w)) == i, 0.0, w)
            x, v = f - left @ f / left.sum(), y - left @ y / left.sum()
            slope = left @ (x * v) / (left @ x**2)
            unsure = left @ (v - slope * x) ** 2 / (left.sum() - 2) / (left @ x**2)
            lam[i] = min(1.0, slope**3 / (slope**2 + unsure)) if slope > 0 else 0.0
        k = rest.sum() / row.sum()
        out.append(w @ (y - lam * k * (f - rest @ bronze[~has] / rest.sum())) / w.sum())
    return np.array(out)


def matrix_values(lists: JudgedLists, weights: Floats) -> Floats:
    """Scores corrected by confusion matrices, each system on the topics that it answers."""
    columns, number = [], {name: i for i, name in enumerate(lists.ranked.topics)} if lists.same_topics else {}
    for s in range(len(lists.ranked.systems)):
        answered = lists.answered(s)
        fit = lists.fit([s], answered)
        apart = [name for (_, name), at in zip(fit.gold_topics, fit.scored_as, strict=True) if at < 0]
        others = [weights[:, number[name]] if name in number else np.ones(len(weights)) for name in apart]
        columns.append(fit.values(weights[:, answered], np.stack(others, axis=1) if others else 1.0))
    return np.concatenate(columns, axis=1)
