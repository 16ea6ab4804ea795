"""The confusion matrix of a judge and its accuracy rates, and the precision and gains corrected with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError, TruegainError, some
from truegain.io.columns import Floats, frozen
from truegain.judge_error.gold_pairs import Pairs
from truegain.message import arg
from truegain.stats.student_t import quantile_of, satterthwaite

# ---- The confusion matrix of a judge: what the bronze label says, given the gold one; a weight-aware fit.

SINGULAR = 1e8  # condition number from which on C has no inverse to speak of


@dataclass(frozen=True, eq=False)
class Confusion:
    """Weighted counts of gold pairs by topic, gold label and bronze label: C[g, b] = P(bronze b | gold g).

    Attributes
    ----------
    gold : tuple of float
        The gold labels, ascending.
    bronze : tuple of float
        The bronze labels, ascending.
    topics : tuple of str
        The topics of the gold pairs; empty where only counts are known.
    table : ndarray of float
        Weighted counts, topic x gold x bronze; a single slice where topics are not known.
    squares : ndarray of float
        Sums of squared weights, gold x bronze.
    pairs : int
        How many gold pairs there are.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, table 2 and eq. 22.

    Examples
    --------
    >>> c = Confusion.of_counts([[67, 17], [16, 43]])
    >>> c.matrix.round(3).tolist()
    [[0.798, 0.202], [0.271, 0.729]]
    """

    gold: tuple[float, ...]  # classes, ascending
    bronze: tuple[float, ...]
    topics: tuple[str, ...]  # of the gold pairs; () where only counts are known
    table: Floats  # topic x gold x bronze, weighted; a single slice where topics are not known
    squares: Floats  # gold x bronze, sums of squared weights
    pairs: int

    @classmethod
    def fit(cls, pairs: Pairs) -> Confusion:
        """Count the pairs, each with its weight.

        Parameters
        ----------
        pairs : Pairs
            Documents with a bronze and a gold label.

        Returns
        -------
        Confusion
            Counted, with weights where pairs have some.
        """
        gold, g = np.unique(pairs.gold, return_inverse=True)
        bronze = np.array(sorted(set(pairs.share) | set(pairs.bronze.tolist())))
        b = np.searchsorted(bronze, pairs.bronze)
        cells, shape = len(gold) * len(bronze), (len(gold), len(bronze))
        cell = g * len(bronze) + b
        if cells * len(pairs.topics) > 50_000_000:
            raise TruegainError(
                f"there are {len(gold)} gold and {len(bronze)} bronze labels; a correction needs a few classes: "
                "round the labels first, or give relevant= to make them binary"
            )
        flat = np.bincount(pairs.topic * cells + cell, pairs.weight, minlength=len(pairs.topics) * cells)
        table = flat.astype(np.float64).reshape(-1, *shape)
        used = np.bincount(pairs.topic, minlength=len(pairs.topics)) > 0
        squares = np.bincount(cell, pairs.weight**2, minlength=cells).astype(np.float64).reshape(shape)
        names = tuple(t for t, u in zip(pairs.topics, used, strict=True) if u)
        classes = (tuple(gold.tolist()), tuple(bronze.tolist()))
        return cls(*classes, names, frozen(table[used]), frozen(squares), len(pairs))

    @classmethod
    def of_values(cls, pairs: Pairs) -> Confusion:
        """Pairs whose values make no classes: how many there are, and of which topics."""
        names = tuple(pairs.topics[t] for t in np.unique(pairs.topic).tolist())
        return cls((), (), names, frozen(np.zeros((len(names), 0, 0))), frozen(np.zeros((0, 0))), len(pairs))

    @classmethod
    def of_counts(cls, counts: npt.ArrayLike, labels: Sequence[float] | None = None) -> Confusion:
        """From counts alone: rows gold, columns bronze; `labels` are those of both, by default 0, 1, ...

        Parameters
        ----------
        counts : array-like
            Documents: a row a gold label, a column a bronze label.
        labels : sequence of float, optional
            The labels; by default 0, 1, and so on.

        Returns
        -------
        Confusion
            Of these counts.
        """
        table = np.asarray(counts, np.float64)
        if table.ndim != 2 or not (np.isfinite(table).all() and (table >= 0).all()):
            raise TruegainError("counts must be a table of numbers that are not negative: rows gold, columns bronze")
        gold, bronze = (tuple(map(float, range(n) if labels is None else labels)) for n in table.shape)
        return cls(gold, bronze, (), frozen(table[None]), frozen(table.copy()), int(table.sum()))

    @property
    def clustered(self) -> bool:
        """Whether the topic of every pair is known."""
        return bool(self.topics)

    @cached_property
    def counts(self) -> Floats:
        """Weighted counts over all topics."""
        return frozen(self.table.sum(axis=0))

    @cached_property
    def totals(self) -> Floats:
        """Weighted number of pairs of each gold class."""
        return frozen(self.counts.sum(axis=1))

    @cached_property
    def effective(self) -> Floats:
        """How many unweighted pairs of each gold class say as much: (sum of w)^2 / sum of w^2 (Kish)."""
        return frozen(self.totals**2 / np.maximum(self.squares.sum(axis=1), 1e-300))

    @cached_property
    def matrix(self) -> Floats:
        """C[g, b]; an error where a gold class has no pair."""
        empty = [f"{g:g}" for g, n in zip(self.gold, self.totals, strict=True) if n == 0]
        if empty:
            raise InputError(
                f"no gold pair has gold label {', '.join(empty)}",
                hint="have some judged, or merge labels: the judge's accuracy on them is unknown",
            )
        return frozen(self.counts / self.totals[:, None])

    @cached_property
    def condition(self) -> float:
        """Condition number of C: how much an error in the bronze shares grows."""
        return float(np.linalg.cond(self.matrix))

    def binary(self, bronze_level: float, gold_relevant_from: float) -> Confusion:
        """The confusion of these pairs with labels cut into 0 and 1 at a level each.

        Parameters
        ----------
        bronze_level : float
            Bronze labels from here on are relevant.
        gold_relevant_from : float
            Gold labels from here on are relevant.

        Returns
        -------
        Confusion
            Of two labels, 0 and 1.
        """
        g = (np.asarray(self.gold) >= gold_relevant_from).astype(int)
        b = (np.asarray(self.bronze) >= bronze_level).astype(int)
        table, squares = np.zeros((len(self.table), 2, 2)), np.zeros((2, 2))
        for i, gi in enumerate(g):
            for k, bk in enumerate(b):
                table[:, gi, bk] += self.table[:, i, k]
                squares[gi, bk] += self.squares[i, k]
        missing = [w for w, n in zip(("non-relevant", "relevant"), table.sum(axis=(0, 2)), strict=True) if n == 0]
        if missing:
            raise InputError(
                f"no gold pair is {' or '.join(missing)} with gold labels relevant from {gold_relevant_from:g}",
                hint="the judge's accuracy on such documents is unknown: have some judged, or change which labels "
                "are relevant",
            )
        return Confusion((0.0, 1.0), (0.0, 1.0), self.topics, frozen(table), frozen(squares), self.pairs)

    def square(self) -> Confusion:
        """The confusion on one scale for both judges, refused where C has no inverse."""
        scale = sorted(set(self.gold) | set(self.bronze))
        if len(scale) > 12:
            raise TruegainError(
                f"{len(scale)} different labels make {len(scale)} classes; a graded measure needs a few: round the "
                "labels first"
            )
        never = [f"{b:g} ({n:.0f} of the gold pairs)" for b, n in zip(self.bronze, self.counts.sum(axis=0), strict=True)
                 if b not in self.gold]  # fmt: skip
        if never:
            raise InputError(
                f"{some(never, 8)}: a bronze label that gold never uses, so when the judge gives it is unknown",
                hint="add gold labels, merge labels, or use a binary measure such as P@10; if it is a slip of the "
                f"judge, declare the labels in use ({arg('scale', '0:3')}, {arg('out_of_range', 'drop')})",
            )
        g, b = np.searchsorted(scale, self.gold), np.searchsorted(scale, self.bronze)
        table, squares = np.zeros((len(self.table), len(scale), len(scale))), np.zeros((len(scale), len(scale)))
        table[:, g[:, None], b[None, :]] = self.table
        squares[g[:, None], b[None, :]] = self.squares
        both = Confusion(tuple(scale), tuple(scale), self.topics, frozen(table), frozen(squares), self.pairs)
        if not both.condition < SINGULAR:
            raise TruegainError(
                f"the confusion matrix of {len(scale)} labels has no inverse: in these gold pairs the bronze judge "
                "does not distinguish some labels; merge labels, use a binary measure such as P@10, or add gold "
                "labels"
            )
        return both

    def reweighted(self, weight: npt.ArrayLike) -> Confusion:
        """The fit with each topic's pairs weighted again, as a replicate of the joint model does.

        `weight` has one value a topic of the gold pairs.
        """
        w = np.asarray(weight, np.float64)
        if w.shape != (len(self.table),):
            raise TruegainError(f"give one weight for each of the {len(self.table)} gold topics, not {w.shape}")
        table = self.table * w[:, None, None]
        share = np.divide(table.sum(axis=0), self.counts, out=np.zeros_like(self.counts), where=self.counts > 0)
        return Confusion(self.gold, self.bronze, self.topics, frozen(table), frozen(self.squares * share), self.pairs)


# ---- Corrected precision from a bronze mean and the judge's two accuracy rates, in closed form.


def corrected(j: float, m_r: float, m_n: float, judged: float = 1.0) -> float:
    """What the gold judge would have said.

    G = (j - t (1 - mN)) / D,   D = mR + mN - 1,   t the judged share of the list (1 in the paper)

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 5 and 15; Rogan and Gladen 1978.

    >>> round(corrected(0.6260, 43 / 59, 67 / 84), 3)
    0.805
    """
    return (j - judged * (1 - m_n)) / (m_r + m_n - 1)


def variance(j: float, m_r: float, m_n: float, v_j: float, v_r: float, v_n: float) -> float:
    """Variance of the corrected value, the three estimates being independent.

    Vj / D^2 + VR (j - 1 + mN)^2 / D^4 + VN (j - mR)^2 / D^4

    Goldberg et al. 2018, eq. 7.

    >>> round(variance(0.626, 43 / 59, 67 / 84, 0.414**2 / 10278, *rates_variance(43, 59, 67, 84)) ** 0.5, 4)
    0.0903
    """
    d = m_r + m_n - 1
    return v_j / d**2 + v_r * (j - 1 + m_n) ** 2 / d**4 + v_n * (j - m_r) ** 2 / d**4


def rates_variance(k_r: float, n_r: float, k_n: float, n_n: float) -> tuple[float, float]:
    """Variance of mR = kR/nR and mN = kN/nN when pairs are independent (eq. 8).

    >>> [round(v, 5) for v in rates_variance(43, 59, 67, 84)]
    [0.00335, 0.00192]
    """
    m_r, m_n = k_r / n_r, k_n / n_n
    return m_r * (1 - m_r) / n_r, m_n * (1 - m_n) / n_n


def bias(j: float, m_r: float, m_n: float, v_r: float, v_n: float) -> float:
    """How far the corrected value is too high on average, to second order; offered, not applied.

    (j - 1 + mN)(VR + VN) / D^3 - VN / D^2

    Goldberg et al. 2018, section 3.8.

    >>> round(bias(0.6260, 43 / 59, 67 / 84, *rates_variance(43, 59, 67, 84)), 4)
    0.0084
    """
    d = m_r + m_n - 1
    return (j - 1 + m_n) * (v_r + v_n) / d**3 - v_n / d**2


# ---- What the correction says where the plain ratio leaves [0, 1].


@dataclass(frozen=True)
class Bounded:
    """Constrained estimates: the bronze mean, the two accuracy rates, and the corrected value in [0, 1]."""

    j: float
    m_r: float
    m_n: float
    value: float
    at: str  # 'inside', 'one' or 'zero'


def bounded(k: float, n: float, k_r: float, n_r: float, k_n: float, n_n: float) -> Bounded:
    """Maximum likelihood under 1 - mN <= mJ <= mR.

    j > mR:      mJ = mR = (k + kR) / (n + nR),           G = 1
    j < 1 - mN:  mJ = (k + nN - kN) / (n + nN), mN = 1 - mJ,   G = 0

    Goldberg et al. 2018, ACM TOIS 36(4), section 3.6.

    >>> bounded(527, 1000, 17, 38, 216, 262).value
    1.0
    """
    j, m_r, m_n = k / n, k_r / n_r, k_n / n_n
    if j > m_r:
        both = (k + k_r) / (n + n_r)
        return Bounded(both, both, m_n, 1.0, "one")
    if j < 1 - m_n:
        both = (k + n_n - k_n) / (n + n_n)
        return Bounded(both, m_r, 1 - both, 0.0, "zero")
    return Bounded(j, m_r, m_n, (j - 1 + m_n) / (m_r + m_n - 1), "inside")


# ---- Corrected gains for any number of labels: every bronze label is worth what stands behind it on average.


@dataclass(frozen=True, eq=False)
class CorrectedMean:
    """A corrected mean with what its variance needs.

    worth: the corrected gain a of each bronze label, C a = v; shares: the gold classes behind the mean, f^T C^-1.
    """

    value: float
    worth: Floats
    shares: Floats
    confusion: Confusion

    def influence(self, more: Floats | None = None) -> Floats:
        """How far a gold pair of each gold and bronze label moves the value: p_g (a_b - mean of a behind g) / n_g.

        `more`: for each gold label, so many pairs of every bronze label are thought to be there as well.
        """
        c = self.confusion
        counts = c.counts if more is None else c.counts + more[:, None]
        total = counts.sum(axis=1)
        mean = (counts @ self.worth) / total
        influence: Floats = (self.shares / total)[:, None] * (self.worth[None, :] - mean[:, None])
        return influence


def worth_of(confusion: Confusion, value: npt.ArrayLike) -> Floats:
    """The corrected gain of each bronze label: a = C^-1 v.

    In the binary case a relevant label is worth mN / D and a non-relevant one (mN - 1) / D.

    >>> worth_of(Confusion.of_counts([[80, 20], [10, 90]]), [0, 1]).round(4).tolist()
    [-0.2857, 1.1429]
    """
    return np.asarray(np.linalg.solve(confusion.matrix, np.asarray(value, np.float64)), np.float64)


def worths(tables: Floats, value: Floats, most: float = 1e12) -> Floats:
    """Corrected gain of each bronze label, a = C^-1 v, for every row of counts; NaN where C has no sound inverse.

    most: the largest condition number of C.

    >>> tables = np.array([[[80.0, 20.0], [10.0, 90.0]], [[0.0, 0.0], [1.0, 2.0]]])
    >>> worths(tables, np.array([0.0, 1.0])).round(4).tolist()
    [[-0.2857, 1.1429], [nan, nan]]
    """
    totals = tables.sum(axis=2)
    sound = np.flatnonzero((totals > 0).all(axis=1))
    matrices = tables[sound] / totals[sound][:, :, None]
    kept = np.linalg.cond(matrices) < most
    right = np.broadcast_to(value[:, None], (int(kept.sum()), len(value), 1))
    out = np.full((len(tables), len(value)), np.nan)
    out[sound[kept]] = np.linalg.solve(matrices[kept], right)[..., 0]
    return out


def corrected_mean(confusion: Confusion, weight: npt.ArrayLike, value: npt.ArrayLike) -> CorrectedMean:
    """Corrected value of a measure linear in gain, such as DCG.

    value = (sum over ranks s of f_s^T / log2(s + 1)) C^-1 v;   `weight` is the sum in brackets: how much of the
    measure each bronze label carries on average over topics; `value` the gain of each gold label.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 24 and 25.

    >>> c = Confusion.of_counts([[80, 20], [10, 90]])
    >>> round(corrected_mean(c, [0.5, 0.5], [0, 1]).value, 4)
    0.4286
    """
    f, v = np.asarray(weight, np.float64), np.asarray(value, np.float64)
    worth = worth_of(confusion, v)
    shares = np.asarray(np.linalg.solve(confusion.matrix.T, f), np.float64)
    return CorrectedMean(float(f @ worth), worth, shares, confusion)


# ---- The bronze mean and the judge's two accuracy rates, with variances over topics: what a correction rests on.

Clusters = Literal["topics", "none"]
# How alike the pairs of a topic are to a judge as a rule (the intra-topic correlation of right and wrong, given the
# gold label; medians of 0.16 to 0.39 over 102 LLM judges, see `benchmarks/judge/icc.py`), and how many topics this is
# worth.
ICC, PRIOR = 0.2, 4.0


@dataclass(frozen=True)
class Rates:
    """The three estimates behind a corrected precision, with variances and correlations.

    Attributes
    ----------
    j : float
        The bronze mean, over the judged share of the lists.
    m_r, m_n : float
        Sensitivity and specificity of the judge.
    v_j, v_r, v_n : float
        Their variances; topics are clusters, so that labels may be worth fewer than there are.
    size_j, size_r, size_n : float
        How many labels each rests on, at most.
    corr_jr, corr_jn, corr_rn : float
        Their correlations.
    df_r, df_n : float
        Degrees of freedom of `v_r` and `v_n`, from the topics that each rests on.
    """

    j: float
    m_r: float
    m_n: float
    v_j: float
    v_r: float
    v_n: float
    size_j: float
    size_r: float
    size_n: float
    corr_jr: float = 0.0
    corr_jn: float = 0.0
    corr_rn: float = 0.0
    df_r: float = math.inf  # degrees of freedom of v_r and v_n: of the topics that each rests on
    df_n: float = math.inf

    @property
    def each(self) -> tuple[tuple[float, float, float], ...]:
        """The three, each with its variance and size: j, mR, mN."""
        return (self.j, self.v_j, self.size_j), (self.m_r, self.v_r, self.size_r), (self.m_n, self.v_n, self.size_n)

    @property
    def d(self) -> float:
        """D = mR + mN - 1, Youden's index."""
        return self.m_r + self.m_n - 1

    @property
    def value(self) -> float:
        """The corrected value, eq. 5."""
        return (self.j - 1 + self.m_n) / self.d

    @property
    def threshold(self) -> float:
        """How many standard errors D must lie above 0: Student's t, one-sided at 5%."""
        return quantile_of(0.9, satterthwaite([(self.v_r, self.df_r), (self.v_n, self.df_n)]))

    def df(self, df_j: float) -> float:
        """Degrees of freedom of the corrected value, the bronze mean having `df_j`."""
        g = self.value
        of_gold = [(g**2 * self.v_r, self.df_r), ((1 - g) ** 2 * self.v_n, self.df_n)]
        return satterthwaite([(self.v_j, df_j), *of_gold])

    @property
    def shrunk_d(self) -> tuple[float, float]:
        """D and its standard error with a right and a wrong pair added to each kind, so that neither rate is 0 or 1."""
        m_r, v_r = added(self.m_r, self.v_r, self.size_r, 2.0)
        m_n, v_n = added(self.m_n, self.v_n, self.size_n, 2.0)
        variance = v_r + v_n + 2 * self.corr_rn * math.sqrt(v_r * v_n)
        return m_r + m_n - 1, math.sqrt(max(variance, 0.25 * max(v_r, v_n)))


def clearly_positive(rates: Rates) -> None:
    """Refuse a judge whose D is not clearly above 0, by a one-sided test at 5%: its labels say next to nothing."""
    (d, se), least = rates.shrunk_d, rates.threshold
    if d > least * se:
        return
    if d < -least * se:
        raise TruegainError(
            f"the bronze judge is clearly worse than chance: sensitivity + specificity - 1 = {rates.d:.3f}, se "
            f"{se:.3f}; its labels look inverted; check that the same number means relevant in both files"
        )
    raise TruegainError(
        f"the bronze judge is not clearly better than chance: sensitivity + specificity - 1 = {rates.d:.3f}; with a "
        f"right and a wrong pair added to each kind it is {d:.3f} with a standard error of {se:.3f}, and it should be "
        f"above {least:.2f} of these (sensitivity {rates.m_r:.3f}, specificity {rates.m_n:.3f}, from gold pairs worth "
        f"{rates.size_r:.0f} independent relevant and {rates.size_n:.0f} non-relevant ones); a correction would divide "
        "by a number near 0: add gold labels, from more topics, or use a better judge"
    )


def inverted(rates: Rates) -> str | None:
    """What to say where D is clearly below 0: the bronze judge says the opposite of the gold one.

    >>> inverted(Rates(0.5, 0.1, 0.2, 0.0, 0.0009, 0.0016, 1, 100, 100))[:53]
    'sensitivity + specificity - 1 = -0.700 is clearly bel'
    """
    d, se = rates.shrunk_d
    if d >= -rates.threshold * se:
        return None
    return (
        f"sensitivity + specificity - 1 = {rates.d:.3f} is clearly below 0: the bronze labels look inverted (is 0 the "
        "relevant "
        "one, or 1 the best grade of several?); invert them first"
    )


def rates_of(
    b: Confusion, j: float, v_j: float, size_j: float, *, over_topics: bool = True, influence: Floats | None = None
) -> Rates:
    """The rates of a binary confusion matrix beside a bronze mean, with variances over topics where these are known.

    `influence` has, for each gold topic, how much that topic moves the bronze mean, where it is in both.
    """
    m_r, m_n = float(b.matrix[1, 1]), float(b.matrix[0, 0])
    n_r, n_n = float(b.effective[1]), float(b.effective[0])
    v_r, v_n = rates_variance(m_r * n_r, n_r, m_n * n_n, n_n)
    if not (over_topics and b.clustered):
        return Rates(j, m_r, m_n, v_j, v_r, v_n, size_j, n_r, n_n)
    topics = len(b.topics)
    moves_r, c_r, df_r, worth_r = _over_topics(b.table[:, 1, 1], b.table[:, 1].sum(axis=1), n_r, "relevant")
    moves_n, c_n, df_n, worth_n = _over_topics(b.table[:, 0, 0], b.table[:, 0].sum(axis=1), n_n, "non-relevant")
    grow = topics / (topics - 1)
    moved = influence if influence is not None else np.zeros(topics)
    return Rates(
        j, m_r, m_n, v_j, max(c_r, v_r), max(c_n, v_n), size_j, min(n_r, worth_r), min(n_n, worth_n),
        corr_jr=_correlation(grow * float(moved @ moves_r), v_j, c_r),
        corr_jn=_correlation(grow * float(moved @ moves_n), v_j, c_n),
        corr_rn=_correlation(grow * float(moves_r @ moves_n), c_r, c_n),
        df_r=df_r, df_n=df_n,
    )  # fmt: skip


def _over_topics(right: Floats, of: Floats, size: float, kind: str) -> tuple[Floats, float, float, float]:
    """How each topic moves a rate, its variance over topics, the degrees of freedom of that, the pairs it is worth.

    `right` and `of` have a number for each topic, weighted where gold is; `size` is how many pairs these are worth.
    Pairs of one label may lie in few of the gold topics, and unevenly; so the topics count as (sum n)^2 / sum n^2.
    The variance is moderated, for in few topics it is often far too small by chance: it is averaged with that of a
    judge whose accuracy varies as usual (intra-topic correlation ICC), which counts as PRIOR topics.

    Moderated variance: Smyth 2004, Statistical Applications in Genetics and Molecular Biology 3(1).
    """
    if np.count_nonzero(of) < 2:
        raise TruegainError(
            f"the gold-{kind} pairs come from 1 topic; at least 2 are needed to estimate how the judge's accuracy "
            f"varies over topics: label pairs of other topics ({arg('clusters', 'none')} treats pairs as independent)"
        )
    whole = float(of.sum())
    rate, share = float(right.sum()) / whole, float(of @ of) / whole**2
    moves, m, df = (right - rate * of) / whole, (size * rate + 1) / (size + 2), 1 / share - 1
    usual = m * (1 - m) * (1 / size + ICC * max(0.0, share - 1 / size))
    variance = (float(moves @ moves) / share + PRIOR * usual) / (df + PRIOR)
    return moves, variance, df + PRIOR, m * (1 - m) / variance


def _correlation(cov: float, v_a: float, v_b: float) -> float:
    both = math.sqrt(v_a * v_b)
    return 0.0 if both <= 0 else max(-1.0, min(1.0, cov / both))


def effective_size(m: float, v: float, size: float) -> float:
    """How many independent labels have this variance: m(1 - m)/V, at most `size`."""
    return size if v <= 0 or not 0 < m < 1 else min(size, m * (1 - m) / v)


def added(m: float, v: float, size: float, more: float) -> tuple[float, float]:
    """A rate with so many pairs added, half of them right (Agresti and Coull), and its variance."""
    n = effective_size(m, v, size)
    shrunk = (n * m + more / 2) / (n + more)
    return shrunk, shrunk * (1 - shrunk) / (n + more)
