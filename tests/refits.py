"""Corrected scores with topics weighted, every correction fitted again: what closed forms are held against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.gains.judge import Judge
from truegain.gains.pair_fit import PairFit
from truegain.gains.panel import Judges
from truegain.gains.rectify import LEAST_TO_TUNE, TINY
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.options import Accuracy, Method
from truegain.inference.judges.sources import GoldPairs, GoldTopics, rectifying
from truegain.measures.base import Measure
from truegain.tables.columns import Bools, Floats
from truegain.tables.ranked import RankedGains


def corrected_values(
    ranked: RankedGains,
    judge: Judge | Judges,
    measure: Measure,
    weights: npt.ArrayLike,
    *,
    method: Method = "default",
    gold_level: float | None = None,
    accuracy: Accuracy | None = None,
) -> Floats:
    """Each system's corrected score for rows of topic weights: copies of each topic, the gold pairs going with theirs.

    The correction is the one that `correct` makes: rectified topics or pairs, the judge's rates, the whole matrix, or
    each judge of several; it is prepared once.  With all weights 1 the values are those of `correct` before they are
    held inside what the measure can be.

    >>> import truegain as tg
    >>> from truegain.measures.evaluate import Options, aligned
    >>> docs = "abcdefgh"
    >>> bronze = {str(t): {d: int((i + t) % 3 > 0) for i, d in enumerate(docs)} for t in range(8)}
    >>> gold = {str(t): {d: int((i + t) % 3 > 0 and i != t) for i, d in enumerate(docs)} for t in range(8)}
    >>> run = {str(t): {d: float(-i) for i, d in enumerate(docs)} for t in range(8)}
    >>> ranked = aligned({"bm25": run}, bronze, Options())
    >>> judge = tg.Judge.fit(bronze, gold, design="by-gold")
    >>> corrected_values(ranked, judge, tg.parse_measure("P@5"), np.ones((1, 8))).round(3).tolist()
    [[0.6]]
    """
    w = np.asarray(weights, np.float64)
    if w.ndim != 2 or w.shape[1] != len(ranked.topics) or not np.isfinite(w).all() or (w < 0).any():
        raise TruegainError(f"weights must be rows of {len(ranked.topics)} numbers of at least 0, one a topic")
    known = Judges.of(judge).rectifier(method)
    if known is None:
        return matrix_values(JudgedLists.of(ranked, judge, measure, gold_level=gold_level, accuracy=accuracy), w)
    return rectified_values(rectifying(ranked, known, measure, gold_level)[0], w)


def rectified_values(source: GoldTopics | GoldPairs, weights: Floats) -> Floats:
    """The rectified score of every system, on the topics that it answers, for every row of topic weights."""
    if isinstance(source, GoldTopics):
        return TopicFit(source.bronze, source.gold, source.helps).values(weights)
    fits = (PairFit.of(source.pairs, c[None]) for c in source.coefficients)
    columns = [fit.values(weights * there) for fit, there in zip(fits, source.present, strict=True)]
    return np.concatenate(columns, axis=1)


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


@dataclass(frozen=True, eq=False)
class TopicFit:
    """`rectify_topics` of every system: value = mean(y) + lambda k (mean f of the others - mean f of the gold topics).

    bronze, gold: system x topic, gold NaN where the topic has none, both where the system lacks the topic; helps:
    whether bronze scores count at all.

    >>> bronze = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]])
    >>> gold = np.array([[0.2, 0.1, 0.3, np.nan, 0.55, 0.6, np.nan, 0.9]])
    >>> TopicFit(bronze, gold, True).values(np.ones((1, 8))).round(3).tolist()
    [[0.475]]
    """

    bronze: Floats
    gold: Floats
    helps: bool

    def values(self, weights: Floats) -> Floats:
        """The score of every system for every row of topic weights; NaN where it has no gold topic left."""
        columns = [_values(f, y, weights, self.helps) for f, y in zip(self.bronze, self.gold, strict=True)]
        return np.stack(columns, axis=1)


def _values(bronze: Floats, gold: Floats, weights: Floats, helps: bool) -> Floats:
    """One system, a number a row; lambda is 0, 1, or from 20 gold topics on the slope of gold on bronze."""
    there = ~np.isnan(bronze)
    has = there & ~np.isnan(gold)
    w, v = weights * has, weights * (there & ~has)
    y, f = np.where(has, gold, 0.0), np.where(there, bronze, 0.0)
    n, u = w.sum(axis=1), v.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_y, mean_f = w @ y / n, w @ f / n
        gap = np.where(u > 0, v @ f / u, mean_f) - mean_f
        lam = _slopes(y - mean_y[:, None], f - mean_f[:, None], w, n, has) if helps else 0.0
        return np.asarray(mean_y + lam * u / (n + u) * gap)


def _slopes(y: Floats, f: Floats, w: Floats, n: Floats, has: Bools) -> Floats:
    """Of gold on bronze, both about their means; 1 where gold topics are few, or one of them makes the slope."""
    if has.sum() < LEAST_TO_TUNE:
        return np.ones(len(w))
    square, product = (w * f * f).sum(axis=1), (w * f * y).sum(axis=1)
    least = square - np.where(w > 0, f * f, 0.0).max(axis=1) * n / (n - 1)
    return np.where(least > TINY, product / square, 1.0)
