"""Corrected scores with topics weighted, every correction fitted again: what closed forms are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.gains.graded import worths
from truegain.inference.judges.gold_influence import positions
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.options import Accuracy, Method
from truegain.inference.judges.panel import Judges
from truegain.inference.judges.sources import rectifying
from truegain.measures.base import Measure
from truegain.tables.columns import Floats, Ints
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
    return rectifying(ranked, known, measure, gold_level)[0].values(w)


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


@dataclass(frozen=True, eq=False)
class RatePart:
    """A matrix and the topics of one system that it corrects.

    weight: topic x label, how much of the measure each bronze label carries, 0 on topics that are not its own; there:
    1 for each topic that the system answers; table: gold topic x gold x bronze label; at: the number of each gold
    topic among the topics scored, -1 where it is none of them and counts as it is.
    """

    system: int
    weight: Floats
    there: Floats
    table: Floats
    at: Ints


@dataclass(frozen=True, eq=False)
class RateFit:
    """`corrected_mean` of every system, as sums by topic.

    With w the weight of each topic, f the label weights, T the counts of the gold pairs and v the value of a label,

        value = sum over matrices of (sum of w f / sum of w) C^-1 v ,   C[g, b] = sum of w T[g, b] / sum of w T[g]

    >>> table = np.array([[[8.0, 2.0], [1.0, 9.0]], [[8.0, 2.0], [1.0, 9.0]]])
    >>> part = RatePart(0, np.full((2, 2), 0.5), np.ones(2), table, np.array([0, 1]))
    >>> RateFit((part,), np.array([0.0, 1.0]), 1).values(np.ones((1, 2))).round(4).tolist()
    [[0.4286]]
    """

    parts: Sequence[RatePart]
    value: Floats
    systems: int

    def values(self, weights: Floats) -> Floats:
        """The score of every system for every row of topic weights; NaN where a gold label is lost, or C singular."""
        out = np.zeros((len(weights), self.systems))
        for part in self.parts:
            gold = np.where(part.at >= 0, weights[:, part.at], 1.0)
            worth = worths(np.tensordot(gold, part.table, axes=1), self.value)
            with np.errstate(invalid="ignore"):
                out[:, part.system] += (weights @ part.weight * worth).sum(axis=1) / (weights @ part.there)
        return out
