"""Scores and differences corrected by whole gold-judged topics, or by confusion matrices.

Prepared once, and refitted for many rows of weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.judge_error.confusion import ICC, PRIOR, CorrectedMean, corrected_mean, worths
from truegain.judge_error.label_tables import GoldRows, TopicMatrix, cells_of
from truegain.message import arg
from truegain.stats.contrasts import BLOCK, NONE, Contrasts, Influence, Variance, summed

# ---- Scores and differences set right by whole gold-judged topics, each by itself.

LEAST_TOPICS = 6  # gold topics, below which no interval held in simulation
BORROWED = 2.0  # topics' worth of spread that scores, not differences, take from the bronze scores of all topics
TINY = 1e-15
ROUNDING = 1e-9  # of the sum of squares of bronze: what is left without a topic, where the others do not differ


class ByTopic(NamedTuple):
    """What some contrasts stand on: a row a topic, a column a contrast."""

    gold: Floats  # gold topics only: gold scores
    on_gold: Floats  # the same topics: bronze scores
    bronze: Floats  # bronze scores of all topics
    slopes: Floats  # gold topics only: lambda without each


@dataclass(frozen=True, eq=False)
class TopicFit:
    """The mean gold score of topics of which all have a bronze score, and some a gold score as well.

    n gold topics, u others, N in all; y gold and f bronze scores, or *differences* of two systems' scores; k = u/N,
    for `others` alone 1.  How much bronze counts is asked of the very score or difference, and of each gold topic
    without looking at it (cross-fitting): with s the slope of y on f over the other gold topics and v the square of its
    standard error,

        lambda_-i = s^3/(s^2 + v), cut to 0-1
        value = mean over gold of (y_i - lambda_-i k f_i) + l k mean f of the others,   l = mean of lambda_-i

    which is unbiased whatever the judge says, as lambda_-i knows neither y_i nor f_i nor the others.  A slope that is
    hardly known counts less: s^2/(s^2 + v) of it.  A difference is not that of the two scores' values: a judge who
    knows which topics are hard, and no more, tells scores and says nothing of differences.

    Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453 (PPI++); cross-fitting: Zrnic and Candes 2024, PNAS 121(15).

    >>> bronze = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]])
    >>> gold = np.array([[0.2, 0.1, 0.3, np.nan, 0.55, 0.6, np.nan, 0.9]])
    >>> TopicFit.of(bronze, gold).values(Contrasts.scores(1)).round(3).tolist()
    [0.475]
    """

    bronze: Floats  # system x topic
    gold: Floats  # the same, NaN where a topic has none
    bounds: tuple[float, float] = (-math.inf, math.inf)  # lowest and highest score possible
    uses: bool = True  # whether bronze scores may count
    others: bool = False  # whether the topics without gold alone are aimed at

    @classmethod
    def of(
        cls, bronze: Floats, gold: Floats, bounds: tuple[float, float] = (-math.inf, math.inf), *, others: bool = False
    ) -> TopicFit:
        """A row a system; fewer than six gold topics of more are refused."""
        if np.isnan(bronze).any():
            missing = int(np.isnan(bronze).any(axis=0).sum())
            raise TruegainError(f"{missing} topics have no bronze score; leave them out")
        fit = cls(frozen(np.array(bronze)), frozen(np.array(gold)), bounds, True, others)
        fewest = 2 if fit.n == fit.topics else LEAST_TOPICS
        if fit.n < fewest:
            raise TruegainError(
                f"{fit.n} topic{'' if fit.n == 1 else 's'} with gold labels {'is' if fit.n == 1 else 'are'} too few: "
                f"with fewer than {LEAST_TOPICS} intervals are too narrow; label at least {LEAST_TOPICS} topics, "
                "better 20"
            )
        return fit

    def alone(self) -> TopicFit:
        """The fit without bronze scores."""
        return replace(self, uses=False)

    # ------------------------------------------------------------------ what there is

    @cached_property
    def has(self) -> Bools:
        """Topics with gold scores, of all systems."""
        return frozen(np.asarray(~np.isnan(self.gold).any(axis=0)))

    @cached_property
    def n(self) -> int:
        """How many."""
        return int(self.has.sum())

    @property
    def topics(self) -> int:
        """How many there are with and without."""
        return len(self.has)

    @property
    def share(self) -> float:
        """k: of the topics without gold, in what is aimed at."""
        if self.n == self.topics:
            return 0.0
        return 1.0 if self.others else 1 - self.n / self.topics

    def _parts(self, contrasts: Contrasts) -> ByTopic:
        """Scores and differences by topic; bronze ones less their mean over the topics without gold.

        What is added to all bronze scores cancels in the values, and must not count as spread of lambda_-i f_i.
        """
        gold, bronze = contrasts.values(self.gold[:, self.has].T), contrasts.values(self.bronze.T)
        if self.share > 0:
            bronze = bronze - _mean(bronze[~self.has])
        on_gold = bronze[self.has]
        used = self.uses and self.share > 0
        return ByTopic(gold, on_gold, bronze, slopes_without_each(gold, on_gold) if used else np.zeros(gold.shape))

    # ------------------------------------------------------------------ values, and what each topic does to them

    def contributions(self, contrasts: Contrasts) -> Floats:
        """Topic x contrast, with the values as mean: N/n (y - lambda k f) of a gold topic, N/u l k f of another.

        f is less its mean over the others, here and in the variances.
        """
        p, n, total = self._parts(contrasts), self.n, self.topics
        out = _mean(p.slopes) * self.share * p.bronze * total / max(total - n, 1)
        out[self.has] = (p.gold - self.share * p.slopes * p.on_gold) * total / n
        return np.asarray(out)

    def values(self, contrasts: Contrasts) -> Floats:
        """The score or difference of each contrast."""
        return _by_block(contrasts, lambda some: [_mean(self.contributions(some))])[0]

    def slopes(self, contrasts: Contrasts) -> Floats:
        """l: how much of the bronze scores each contrast uses."""
        return _by_block(contrasts, lambda some: [_mean(self._parts(some).slopes)])[0]

    def moves(self, contrasts: Contrasts) -> Floats:
        """Topic x contrast: how far each topic moves it, by its gold score or by its bronze one."""
        out, n, u = self.contributions(contrasts) / self.topics, self.n, self.topics - self.n
        for rows, units in ((self.has, n), (~self.has, u)):
            about = out[rows] - out[rows].mean(axis=0) if units > 1 else np.zeros(out[rows].shape)
            out[rows] = about * math.sqrt(units / max(units - 1, 1))
        return out

    # ------------------------------------------------------------------ variances of contrasts

    def over_topics(self, contrasts: Contrasts) -> Variance:
        """V and its degrees of freedom with other topics like these.

        V = s2(y - lambda_-i k f)/n + (l k)^2 s2(f)/u, t(n - 1)

        A few *scores*, most of them near 0, often miss how far scores reach.  They take two topics' worth of spread
        from the bronze scores of all topics: ((n - 1) s2 + 2 s2 max(1, s2(f)/s2(y)))/(n + 1) in place of the first s2,
        t(n + 1).
        """
        n, u = self.n, max(self.topics - self.n, 1)

        def of(some: Contrasts) -> list[Floats]:
            p = self._parts(some)
            own, of_gold, of_bronze = (_s2(x) for x in (p.gold - self.share * p.slopes * p.on_gold, p.gold, p.bronze))
            score = (some.a == NONE) & (self.share > 0)
            left = np.divide(own, of_gold, out=np.ones(len(own)), where=of_gold > TINY)
            borrowed = ((n - 1) * own + BORROWED * np.maximum(own, left * of_bronze)) / (n - 1 + BORROWED)
            bronze = (_mean(p.slopes) * self.share) ** 2 * of_bronze / u
            return [np.where(score, borrowed, own) / n + bronze, n - 1 + BORROWED * score]

        return Variance(*_by_block(contrasts, of))

    def over_gold(self, contrasts: Contrasts) -> Variance:
        """V and its degrees of freedom for these very topics, had they all been gold-judged.

        V = ((n - 1) s2(y - lambda_-i f) + M)/n (1/n - 1/N), t(n - 1)

        One more topic is thought to miss by a standard deviation, M = s2(y), for scores max(s2(f), s2(y)): a judge who
        was right on a few topics may err on others.  For the others alone 1/n + 1/u.  Cochran 1977, Sampling
        Techniques, section 12.6.
        """
        n, u = self.n, self.topics - self.n
        open_ = 0.0 if not u else 1 / n + 1 / u if self.others else 1 / n - 1 / self.topics

        def of(some: Contrasts) -> list[Floats]:
            p = self._parts(some)
            own, of_gold, of_bronze = (_s2(x) for x in (p.gold - p.slopes * p.on_gold, p.gold, p.bronze))
            one_more = np.where(some.a == NONE, np.maximum(of_gold, of_bronze), of_gold)
            return [((n - 1) * own + one_more) / n * open_, np.full(len(own), n - 1.0)]

        return Variance(*_by_block(contrasts, of))

    def were_all_gold(self, contrasts: Contrasts) -> Floats:
        """The variance over topics that would stay were all of them gold-judged.

        V = (s2(y) + l^2 (s2(f) - s2'(f)))/N (n - 1)/(n - 1.5)

        s2' is that of the gold topics: where they happen to differ less than all topics do, so do their gold scores.
        The last factor is for its root: a standard deviation from few topics is too small in the mean.
        """

        def of(some: Contrasts) -> list[Floats]:
            p = self._parts(some)
            missed = _mean(p.slopes) ** 2 * (_s2(p.bronze) - _s2(p.on_gold))
            return [np.maximum(_s2(p.gold) + missed, 0.0) / self.topics * (self.n - 1) / (self.n - 1.5)]

        return _by_block(contrasts, of)[0]


def slopes_without_each(gold: Floats, bronze: Floats) -> Floats:
    """lambda_-i, a row a gold topic and a column a contrast: see `TopicFit`; 0 where the others' bronze is all alike.

    Without topic i the sums of squares and products about the mean lose n/(n - 1) of its own.

    >>> y = np.array([[0.0], [0.2], [0.3], [0.5], [0.6]])
    >>> slopes_without_each(y, y).ravel().tolist(), slopes_without_each(y, -y).ravel().tolist()
    ([1.0, 1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    n = len(gold)
    y, f = gold - _mean(gold), bronze - _mean(bronze)
    product, square, whole = (n * _mean(x) - n / (n - 1) * x for x in (f * y, f * f, y * y))
    varies = square > ROUNDING * n * _mean(f * f) + TINY
    slope = np.divide(product, square, out=np.zeros(square.shape), where=varies)
    unsure = np.divide(
        np.maximum(whole - slope * product, 0.0), (n - 3) * square, out=np.zeros(square.shape), where=varies
    )
    kept = np.divide(slope**3, slope**2 + unsure, out=np.zeros(square.shape), where=slope > 0)
    return np.asarray(np.clip(kept, 0.0, 1.0))


def _mean(of_topics: Floats) -> Floats:
    """The mean over topics, rows, of each column: the same bits however many columns there are."""
    return np.asarray(np.ascontiguousarray(of_topics.T).mean(axis=1))


def _s2(of_topics: Floats) -> Floats:
    """The variance, in the same way."""
    return np.asarray(np.ascontiguousarray(of_topics.T).var(axis=1, ddof=1))


def _by_block(contrasts: Contrasts, of: Callable[[Contrasts], list[Floats]]) -> list[Floats]:
    """Numbers, one a contrast, worked out for some contrasts at a time."""
    by_block = [of(contrasts.part(first, first + BLOCK)) for first in range(0, max(len(contrasts), 1), BLOCK)]
    return [np.concatenate(parts) for parts in zip(*by_block, strict=True)]


# ---- Scores behind whose labels stands what confusion matrices say: fitted once for all systems, and again for
# weights.

ANY = 1e12  # largest condition number of a matrix that is inverted at all
JUDGE = 1 << 48  # numbers of gold pairs of one judge lie below, those of the next above
LEAST_DIVISOR = 1e-300


@dataclass(frozen=True, eq=False)
class MatrixFit:
    """Means over topics of a measure linear in gain, each bronze label worth what the judge's matrix says: C a = v.

    With w the weight of each topic, f what a bronze label counts in it, T the counts of the gold pairs,

        score = sum over matrices of (sum of w f / sum of w) C^-1 v ,   C[g, b] = sum of w T[g, b] / sum of w T[g]

    With p = C^-T f, f the mean over topics: a topic moves the score by (f[t] . a - score) / n, a gold pair (g, b) by
    -p_g (a_b - v_g) / n_g.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 25 and section 3.9; the variance is the sandwich of these influences.

    >>> from truegain.judge_error.confusion import Confusion
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
            [corrected_mean(m.confusion, f[m.labeled].sum(axis=0) / n, self.worth) for m in matrices]
            for f, matrices in zip(self.weight, self.matrices, strict=True)
        ]

    @cached_property
    def scores(self) -> Floats:
        """Corrected scores: system x topic."""
        out = np.zeros(self.weight.shape[:2])
        for row, f, matrices, parts in zip(out, self.weight, self.matrices, self.parts, strict=True):
            for matrix, part in zip(matrices, parts, strict=True):
                row[matrix.labeled] = f[matrix.labeled] @ part.worth
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
                f = np.where(matrix.labeled[:, None], self.weight[s], 0.0)
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
        rows_of: list[tuple[Ints, ...]] = []
        moved: list[tuple[Floats, Floats]] = []
        for s, (matrices, parts) in enumerate(zip(self.matrices, self.parts, strict=True)):
            for i, (matrix, part) in enumerate(zip(matrices, parts, strict=True)):
                c, influence, pairs = matrix.confusion, part.influence(), matrix.pairs or cells_of(matrix.confusion)
                topic = np.full(len(pairs.number), -1)
                if matrix.pairs is not None:
                    topic = self._places(i, matrix)[pairs.topic]
                rows_of.append((i * JUDGE + pairs.number, topic, pairs.gold, np.full(len(topic), s)))
                moved.append((-pairs.weight * influence[pairs.gold, pairs.bronze], pairs.weight))
                each = np.maximum(c.totals, LEAST_DIVISOR) / np.maximum(
                    c.effective, LEAST_DIVISOR
                )  # weight of a pair, on average
                size[:, s] += c.effective
                more[i, :, :, s] = -part.influence(each) * each[:, None]
        key, topic, label, system = (np.concatenate(x) for x in zip(*rows_of, strict=True))
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

    def by_topic(self) -> Influence:
        """How far each scored topic moves the scores, the judge's rates as they are."""
        n = len(self.topics)
        moves = (self.scores - self.value[:, None]).T / n
        return Influence("topics", self.topics, moves * np.sqrt(n / (n - 1)), n - 1.0)

    def by_gold(self) -> Influence | None:
        """How far the gold pairs of each gold topic move the scores; None where systems have different gold topics."""
        m = len(self.gold_topics)
        if m < 2 or not self.has_gold.all():
            return None
        matrix = self.gold_rows.sums[0].sum(axis=1) * np.sqrt(m / (m - 1))
        return Influence("gold", tuple(f"those of topic {name}" for _, name in self.gold_topics), matrix, m - 1.0)

    def gold_by_pair(self, contrasts: Contrasts) -> Floats:
        """Label x contrast: the variance over gold pairs of each label, where pairs are independent."""
        rows = self.gold_rows
        return np.stack([contrasts.squares(rows.moves[rows.label == g]) for g in range(len(rows.size))])

    def gold_by_label(self, contrasts: Contrasts) -> tuple[Floats, Floats]:
        """Label x contrast: the variance over gold topics of each label, and its degrees of freedom.

        Each label's part is moderated as a rate's is (see `rates_of`): topics count as (sum n)^2 / sum n^2, and the
        variance is averaged with that of a judge whose accuracy varies over topics as usual.
        """
        rows, (moves, counts) = self.gold_rows, self.gold_sums(contrasts)
        more = np.stack([contrasts.squares(rows.more[rows.more_label == g]) for g in range(len(rows.size))])
        independent = self.gold_by_pair(contrasts) + more
        share = np.maximum((counts**2).sum(axis=0) / np.maximum(counts.sum(axis=0), LEAST_DIVISOR) ** 2, LEAST_DIVISOR)
        usual = independent * (1 + ICC * np.maximum(0.0, np.maximum(*contrasts.ends(rows.size)) * share - 1))
        df = np.maximum(1 / share - 1, 0.0)
        moderated = ((moves**2).sum(axis=0) / share + PRIOR * usual) / (df + PRIOR)
        return np.maximum(moderated, independent), df + PRIOR

    def gold_sums(self, contrasts: Contrasts) -> tuple[Floats, Floats]:
        """Gold topic x label x contrast: moves, and weighted counts of the pairs behind either system."""
        moves, counts = self.gold_rows.sums
        return contrasts.values(moves), np.asarray(np.add(*contrasts.ends(counts)))

    def over_gold(self, contrasts: Contrasts, *, clusters: bool = True) -> Variance:
        """With other gold labels, the topics held fixed: over gold topics, or pairs where there are no two topics."""
        return self._over(contrasts, scored=False, clusters=clusters)

    def over_topics(self, contrasts: Contrasts, *, clusters: bool = True) -> Variance:
        """With other topics and other gold: a topic that is scored and holds gold pairs counts once, with both moves.

        clusters=False takes gold pairs as independent.
        """
        return self._over(contrasts, scored=True, clusters=clusters)

    def _over(self, contrasts: Contrasts, *, scored: bool, clusters: bool = True) -> Variance:
        blocks = [contrasts.part(first, first + BLOCK) for first in range(0, len(contrasts), BLOCK)]
        by_block = [self._spread(block, scored, clusters) for block in blocks]
        return Variance(*(np.concatenate(x) for x in zip(*((f.value, f.df) for f in by_block), strict=True)))

    def _spread(self, contrasts: Contrasts, scored: bool, clusters: bool) -> Variance:
        """Variances of a block of contrasts, and their degrees of freedom."""
        n, m = len(self.topics), np.logical_or(*contrasts.ends(self.has_gold.astype(np.float64))).sum(axis=0)
        if clusters and scored and (m == 1).any():
            raise TruegainError(
                f"the gold pairs come from 1 topic; 2 are needed ({arg('clusters', 'none')} takes pairs as independent)"
            )
        none = np.zeros(len(contrasts))
        topics = Variance(contrasts.squares(self.by_topic().matrix) if scored else none, none + (n - 1.0))
        pairs = Variance(self.gold_by_pair(contrasts).sum(axis=0), none + np.inf)
        simple = summed([topics, pairs])
        if not clusters or (m < 2).all():
            return simple
        grow = np.where(m > 1, m / np.maximum(m - 1, 1), 0.0)
        moves, _ = self.gold_sums(contrasts)
        by_topic, (moderated, df) = moves.sum(axis=1), self.gold_by_label(contrasts)
        gold = grow * (by_topic**2).sum(axis=0) + (moderated - grow * (moves**2).sum(axis=0)).sum(axis=0)
        gold = np.maximum(gold, 0.25 * moderated.sum(axis=0))
        at, both = self.scored_as, none
        if scored:
            both = (contrasts.values(self.by_topic().matrix)[at[at >= 0]] * by_topic[at >= 0]).sum(axis=0) * np.sqrt(
                grow
            )
        # a covariance estimated from few topics must not eat the variance up
        least = 0.25 * np.maximum(topics.value, gold)
        variance = np.maximum(topics.value + gold + 2 * both, least)
        all_df = summed([topics, *(Variance(v, d) for v, d in zip(moderated, df, strict=True))]).df
        return Variance(np.where(m < 2, simple.value, variance), np.where(m < 2, simple.df, all_df))
