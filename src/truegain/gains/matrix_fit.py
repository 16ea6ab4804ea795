"""Scores behind whose labels stands what confusion matrices say: fitted once for all systems, and again for weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from truegain.contrasts import BLOCK, Contrasts
from truegain.errors import TruegainError
from truegain.gains.graded import CorrectedMean, corrected_mean, worths
from truegain.gains.rates import ICC, PRIOR
from truegain.gains.topic_matrix import GoldRows, TopicMatrix, cells_of
from truegain.message import arg
from truegain.moves import Moves, Spread, summed
from truegain.tables.columns import Bools, Floats, Ints

ANY = 1e12  # largest condition number of a matrix that is inverted at all
JUDGE = 1 << 48  # numbers of gold pairs of one judge lie below, those of the next above
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class MatrixFit:
    """Means over topics of a measure linear in gain, each bronze label worth what the judge's matrix says: C a = v.

    With w the weight of each topic, f what a bronze label counts in it, T the counts of the gold pairs,

        score = sum over matrices of (sum of w f / sum of w) C^-1 v ,   C[g, b] = sum of w T[g, b] / sum of w T[g]

    With p = C^-T f, f the mean over topics: a topic moves the score by (f[t] . a - score) / n, a gold pair (g, b) by
    -p_g (a_b - v_g) / n_g.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 25 and section 3.9; the variance is the sandwich of these influences.

    >>> from truegain.gains.confusion import Confusion
    >>> matrix = TopicMatrix(Confusion.of_counts([[80, 20], [10, 90]]), np.ones(2, np.bool_))
    >>> fit = MatrixFit(("1", "2"), np.array([[[0.6, 0.4], [0.4, 0.6]]]), [[matrix]], np.array([0.0, 1.0]))
    >>> fit.value.round(4).tolist(), fit.values([[1, 1], [2, 0]]).round(4).tolist()
    ([0.4286], [[0.4286], [0.2857]])
    """

    topics: tuple[str, ...]
    weight: Floats  # system x topic x label: what each bronze label counts
    matrices: Sequence[Sequence[TopicMatrix]]  # of each system
    worth: Floats  # of each gold label
    same_topics: bool = True  # whether a gold topic and a scored one of the same name are the same

    def __post_init__(self) -> None:
        if len(self.topics) < 2:
            raise TruegainError(f"there is {len(self.topics)} topic; an interval over topics needs at least 2")

    # ------------------------------------------------------------------ the fit

    @cached_property
    def parts(self) -> list[list[CorrectedMean]]:
        """Of each system and matrix."""
        n = len(self.topics)
        return [
            [corrected_mean(m.confusion, f[m.labelled].sum(axis=0) / n, self.worth) for m in matrices]
            for f, matrices in zip(self.weight, self.matrices, strict=True)
        ]

    @cached_property
    def scores(self) -> Floats:
        """Corrected scores: system x topic."""
        out = np.zeros(self.weight.shape[:2])
        for row, f, matrices, parts in zip(out, self.weight, self.matrices, self.parts, strict=True):
            for matrix, part in zip(matrices, parts, strict=True):
                row[matrix.labelled] = f[matrix.labelled] @ part.worth
        return out

    @property
    def value(self) -> Floats:
        """The corrected mean of each system."""
        return np.asarray(self.scores.mean(axis=1))

    def values(self, weights: npt.ArrayLike, others: npt.ArrayLike = 1.0, *, worst: float = ANY) -> Floats:
        """Row x system: all fitted again for rows of topic weights, the gold pairs going with their topics.

        `others` are weights of the gold topics that are not scored: a number, or rows with one for each of them, in
        the order of `gold_topics`.  NaN where a gold label is lost, or C has a condition number above `worst`.
        """
        w = np.asarray(weights, np.float64)
        at = self.scored_as
        gold = np.ones((len(w), len(at)))
        gold[:, at >= 0] = w[:, at[at >= 0]]
        gold[:, at < 0] = others
        out = np.zeros((len(w), len(self.weight)))
        for s, matrices in enumerate(self.matrices):
            for i, matrix in enumerate(matrices):
                mine = self._places(i, matrix)
                copies = gold[:, mine] if len(mine) else np.ones((len(w), 1))
                table = np.tensordot(copies, matrix.confusion.table, axes=1)
                f = np.where(matrix.labelled[:, None], self.weight[s], 0.0)
                out[:, s] += (w @ f * worths(table, self.worth, worst)).sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(out / w.sum(axis=1, keepdims=True))

    # ------------------------------------------------------------------ gold topics and pairs

    def _named(self, judge: int, topic: str) -> tuple[int, str]:
        return (0 if self.same_topics else judge), topic

    @cached_property
    def gold_topics(self) -> tuple[tuple[int, str], ...]:
        """All topics with gold pairs, each with the number of its judge where names say nothing."""
        named = (self._named(i, t) for of in self.matrices for i, m in enumerate(of) for t in m.confusion.topics)
        return tuple(dict.fromkeys(named))

    @cached_property
    def _number(self) -> dict[tuple[int, str], int]:
        return {topic: i for i, topic in enumerate(self.gold_topics)}

    def _places(self, judge: int, matrix: TopicMatrix) -> Ints:
        """The numbers of a matrix's topics among all gold topics."""
        return np.array([self._number[self._named(judge, t)] for t in matrix.confusion.topics], np.int64)

    @cached_property
    def scored_as(self) -> Ints:
        """The number of each gold topic among the topics scored, -1 where it is none of them."""
        where = {name: i for i, name in enumerate(self.topics)} if self.same_topics else {}
        return np.array([where.get(name, -1) for _, name in self.gold_topics], np.int64)

    @cached_property
    def has_gold(self) -> Bools:
        """Gold topic x system: whether its gold pairs stand behind the score."""
        out = np.zeros((len(self.gold_topics), len(self.matrices)), np.bool_)
        for s, matrices in enumerate(self.matrices):
            for i, matrix in enumerate(matrices):
                out[self._places(i, matrix), s] = True
        return out

    @cached_property
    def gold_rows(self) -> GoldRows:
        """How far each gold pair moves each system."""
        systems, labels = len(self.matrices), len(self.worth)
        judges = max(len(of) for of in self.matrices)
        size, more = np.zeros((labels, systems)), np.zeros((judges, labels, labels, systems))
        found: list[tuple[Ints, ...]] = []
        moved: list[tuple[Floats, Floats]] = []
        for s, (matrices, parts) in enumerate(zip(self.matrices, self.parts, strict=True)):
            for i, (matrix, part) in enumerate(zip(matrices, parts, strict=True)):
                c, influence, pairs = matrix.confusion, part.influence(), matrix.pairs or cells_of(matrix.confusion)
                topic = np.full(len(pairs.number), -1)
                if matrix.pairs is not None:
                    topic = self._places(i, matrix)[pairs.topic]
                found.append((i * JUDGE + pairs.number, topic, pairs.gold, np.full(len(topic), s)))
                moved.append((-pairs.weight * influence[pairs.gold, pairs.bronze], pairs.weight))
                each = np.maximum(c.totals, TINY) / np.maximum(c.effective, TINY)  # weight of a pair, on average
                size[:, s] += c.effective
                more[i, :, :, s] = -part.influence(each) * each[:, None]
        key, topic, label, system = (np.concatenate(x) for x in zip(*found, strict=True))
        unit, row = np.unique(key, return_inverse=True)
        of_row = np.empty((2, len(unit)), np.int64)
        of_row[:, row] = topic, label
        moves, weight = np.zeros((2, len(unit), systems))
        for out, one in zip((moves, weight), zip(*moved, strict=True), strict=True):
            out[row, system] = np.concatenate(one)
        more_label = np.tile(np.repeat(np.arange(labels), labels), judges)
        return GoldRows(
            len(self.gold_topics), of_row[0], of_row[1], moves, weight, size, more.reshape(-1, systems), more_label
        )  # fmt: skip

    # ------------------------------------------------------------------ moves and variances

    def by_topic(self) -> Moves:
        """How far each scored topic moves the scores, the judge's rates as they are."""
        n = len(self.topics)
        moves = (self.scores - self.value[:, None]).T / n
        return Moves("topics", self.topics, moves * np.sqrt(n / (n - 1)), n - 1.0)

    def by_gold(self) -> Moves | None:
        """How far the gold pairs of each gold topic move the scores; None where systems have different gold topics."""
        m = len(self.gold_topics)
        if m < 2 or not self.has_gold.all():
            return None
        matrix = self.gold_rows.sums[0].sum(axis=1) * np.sqrt(m / (m - 1))
        return Moves("gold", tuple(f"those of topic {name}" for _, name in self.gold_topics), matrix, m - 1.0)

    def gold_by_pair(self, asked: Contrasts) -> Floats:
        """Label x contrast: the variance over gold pairs of each label, where pairs are independent."""
        rows = self.gold_rows
        return np.stack([asked.squares(rows.moves[rows.label == g]) for g in range(len(rows.size))])

    def gold_by_label(self, asked: Contrasts) -> tuple[Floats, Floats]:
        """Label x contrast: the variance over gold topics of each label, and its degrees of freedom.

        Each label's part is moderated as a rate's is (see `rates_of`): topics count as (sum n)^2 / sum n^2, and the
        variance is averaged with that of a judge whose accuracy varies over topics as usual.
        """
        rows, (moves, counts) = self.gold_rows, self.gold_sums(asked)
        more = np.stack([asked.squares(rows.more[rows.more_label == g]) for g in range(len(rows.size))])
        independent = self.gold_by_pair(asked) + more
        share = np.maximum((counts**2).sum(axis=0) / np.maximum(counts.sum(axis=0), TINY) ** 2, TINY)
        usual = independent * (1 + ICC * np.maximum(0.0, np.maximum(*asked.ends(rows.size)) * share - 1))
        df = np.maximum(1 / share - 1, 0.0)
        moderated = ((moves**2).sum(axis=0) / share + PRIOR * usual) / (df + PRIOR)
        return np.maximum(moderated, independent), df + PRIOR

    def gold_sums(self, asked: Contrasts) -> tuple[Floats, Floats]:
        """Gold topic x label x contrast: moves, and weighted counts of the pairs behind either system."""
        moves, counts = self.gold_rows.sums
        return asked.values(moves), np.asarray(np.add(*asked.ends(counts)))

    def over_gold(self, asked: Contrasts) -> Spread:
        """With other gold labels, the topics held fixed: over gold topics, or pairs where there are no two topics."""
        return self._over(asked, scored=False)

    def over_topics(self, asked: Contrasts, *, clusters: bool = True) -> Spread:
        """With other topics and other gold: a topic that is scored and holds gold pairs counts once, with both moves.

        clusters=False takes gold pairs as independent.
        """
        return self._over(asked, scored=True, clusters=clusters)

    def _over(self, asked: Contrasts, *, scored: bool, clusters: bool = True) -> Spread:
        blocks = [asked.some(first, first + BLOCK) for first in range(0, len(asked), BLOCK)]
        found = [self._spread(block, scored, clusters) for block in blocks]
        return Spread(*(np.concatenate(x) for x in zip(*((f.variance, f.df) for f in found), strict=True)))

    def _spread(self, asked: Contrasts, scored: bool, clusters: bool) -> Spread:
        """Variances of a block of contrasts, and their degrees of freedom."""
        n, m = len(self.topics), np.logical_or(*asked.ends(self.has_gold.astype(np.float64))).sum(axis=0)
        if clusters and scored and (m == 1).any():
            raise TruegainError(
                f"the gold pairs come from 1 topic; 2 are needed ({arg('clusters', 'none')} takes pairs as independent)"
            )
        none = np.zeros(len(asked))
        topics = Spread(asked.squares(self.by_topic().matrix) if scored else none, none + (n - 1.0))
        pairs = Spread(self.gold_by_pair(asked).sum(axis=0), none + np.inf)
        simple = summed([topics, pairs])
        if not clusters or (m < 2).all():
            return simple
        grow = np.where(m > 1, m / np.maximum(m - 1, 1), 0.0)
        moves, _ = self.gold_sums(asked)
        by_topic, (moderated, df) = moves.sum(axis=1), self.gold_by_label(asked)
        gold = grow * (by_topic**2).sum(axis=0) + (moderated - grow * (moves**2).sum(axis=0)).sum(axis=0)
        gold = np.maximum(gold, 0.25 * moderated.sum(axis=0))
        at, both = self.scored_as, none
        if scored:
            both = (asked.values(self.by_topic().matrix)[at[at >= 0]] * by_topic[at >= 0]).sum(axis=0) * np.sqrt(grow)
        # a covariance estimated from few topics must not eat the variance up
        least = 0.25 * np.maximum(topics.variance, gold)
        variance = np.maximum(topics.variance + gold + 2 * both, least)
        all_df = summed([topics, *(Spread(v, d) for v, d in zip(moderated, df, strict=True))]).df
        return Spread(np.where(m < 2, simple.variance, variance), np.where(m < 2, simple.df, all_df))
