"""Corrected scores with topics weighted: what resamples of topics say, every correction fitted again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.gains.pair_fit import PairFit
from truegain.gains.rate_fit import RateFit, RatePart
from truegain.gains.topic_fit import TopicFit
from truegain.inference.judges.gold_influence import positions
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.options import Accuracy, Method
from truegain.inference.judges.panel import Judges
from truegain.inference.judges.sources import GoldPairs, GoldTopics, rectifying
from truegain.measures.base import Measure
from truegain.tables.columns import Floats
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
        return rate_fit(JudgedLists.of(ranked, judge, measure, gold_level=gold_level, accuracy=accuracy)).values(w)
    return rectified_values(rectifying(ranked, known, measure, gold_level)[0], w)


def rectified_values(source: GoldTopics | GoldPairs, weights: Floats) -> Floats:
    """The rectified score of every system, on the topics that it answers, for every row of topic weights."""
    if isinstance(source, GoldTopics):
        return TopicFit(source.bronze, source.gold, source.helps).values(weights)
    fits = (PairFit.of(source.pairs, c[None]) for c in source.coefficients)
    columns = [fit.values(weights * there) for fit, there in zip(fits, source.present, strict=True)]
    return np.concatenate(columns, axis=1)


def rate_fit(lists: JudgedLists) -> RateFit:
    """Scores corrected by confusion matrices, prepared."""
    parts = []
    for s in range(len(lists.ranked.systems)):
        there = lists.there(s)
        for matrix in lists.judges_of(s).matrices(lists.names(there), binary=lists.binary):
            weight = np.zeros((len(there), len(lists.weights.value)))
            weight[np.flatnonzero(there)[matrix.mask]] = lists.weights.weight[s][there][matrix.mask]
            c = matrix.confusion
            joined = lists.joined and c.clustered
            at = positions(c.topics, lists.ranked.topics) if joined else np.full(len(c.table), -1)
            parts.append(RatePart(s, weight, there.astype(np.float64), c.table, at))
    return RateFit(parts, lists.weights.value, len(lists.ranked.systems))
