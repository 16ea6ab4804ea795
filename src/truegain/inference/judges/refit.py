"""Corrected scores with topics weighted: what a resample of topics says, every correction fitted again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.gains.graded import corrected_mean
from truegain.inference.judges.corrected import Method
from truegain.inference.judges.gold_alone import gold_of_items
from truegain.inference.judges.gold_influence import positions
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.label_weights import level_of
from truegain.inference.judges.lists import Accuracy, JudgedLists
from truegain.inference.judges.panel import Judges
from truegain.inference.judges.sources import expansion_by_judge, source_of
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
    """Each system's corrected score, with `weights` copies of each topic of `ranked`, the gold pairs going with theirs.

    The correction is the one that `correct` makes: rectified topics or pairs, the judge's rates, the whole matrix, or
    each judge of a panel.  With all weights 1 the values are those of `correct` before they are held inside 0 to 1.

    >>> import truegain as tg
    >>> from truegain.measures.evaluate import Options, aligned
    >>> docs = "abcdefgh"
    >>> bronze = {str(t): {d: int((i + t) % 3 > 0) for i, d in enumerate(docs)} for t in range(8)}
    >>> gold = {str(t): {d: int((i + t) % 3 > 0 and i != t) for i, d in enumerate(docs)} for t in range(8)}
    >>> run = {str(t): {d: float(-i) for i, d in enumerate(docs)} for t in range(8)}
    >>> ranked = aligned({"bm25": run}, bronze, Options())
    >>> judge = tg.Judge.fit(bronze, gold, design="by-gold")
    >>> corrected_values(ranked, judge, tg.parse_measure("P@5"), np.ones(8)).round(3).tolist()
    [0.6]
    """
    w = np.asarray(weights, np.float64)
    if w.shape != (len(ranked.topics),) or not np.isfinite(w).all() or (w < 0).any():
        raise TruegainError(f"weights must be {len(ranked.topics)} numbers of at least 0, one a topic")
    if (known := Judges.of(judge).rectifier(method)) is not None:
        fitted = known.at_levels(level_of(measure), gold_level)
        gold = gold_of_items(ranked.pool, fitted, level_of(measure))
        source = source_of(ranked, gold, measure, known.design, expansion_by_judge(fitted, ranked.pool), "auto")
        return np.array([source.estimate(s, None, w).value for s in range(len(ranked.systems))])
    lists = JudgedLists.of(ranked, judge, measure, gold_level=gold_level, accuracy=accuracy)
    return np.array([_inverted(lists, s, w) for s in range(len(ranked.systems))])


def _inverted(lists: JudgedLists, system: int, w: Floats) -> float:
    there = lists.there(system)
    topics, copies = lists.names(there), w[there]
    f, value = lists.weights.weight[system][there], 0.0
    for matrix in lists.judges_of(system).matrices(topics, binary=lists.binary):
        mine = copies * matrix.mask
        share = (mine @ f) / copies.sum()
        at = positions(matrix.confusion.topics, lists.ranked.topics if lists.joined else ())
        of_gold = np.where(at >= 0, w[at], 1.0) if len(at) else np.ones(len(matrix.confusion.table))
        value += corrected_mean(matrix.confusion.reweighted(of_gold), share, lists.weights.value).value
    return float(value)
