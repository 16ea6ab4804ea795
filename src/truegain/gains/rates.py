"""The bronze mean and the judge's two accuracy rates, with variances over topics: what a correction rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.binary import rates_variance
from truegain.gains.confusion import Confusion
from truegain.message import arg
from truegain.student import quantile_of, satterthwaite
from truegain.tables.columns import Floats

Clusters = Literal["topics", "none"]
# How alike the pairs of a topic are to a judge as a rule (the intra-topic correlation of right and wrong, given the
# gold label; medians of 0.16 to 0.39 over 102 LLM judges, see `benchmarks/judge/icc.py`), and how many topics this is
# worth.
ICC, PRIOR = 0.2, 4.0


@dataclass(frozen=True)
class Rates:
    """The three estimates behind a corrected precision, with their variances, and correlations where they have any.

    j: bronze mean (over the judged share of the lists), r: mR, n: mN.  `size` is how many labels each rests on, at
    most; the variance may say that they are worth fewer (topics are clusters).
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
            f"the bronze judge is clearly worse than chance: D = mR + mN - 1 = {rates.d:.3f}, se {se:.3f}; "
            "its labels look inverted; check that the same number means relevant in both files"
        )
    raise TruegainError(
        f"the bronze judge is not clearly better than chance: D = mR + mN - 1 = {rates.d:.3f}; with a right and a "
        f"wrong pair added to each kind it is {d:.3f} with a standard error of {se:.3f}, and it would have to be above "
        f"{least:.2f} of these (mR = {rates.m_r:.3f}, mN = {rates.m_n:.3f}, from "
        f"gold pairs worth {rates.size_r:.0f} independent relevant and {rates.size_n:.0f} non-relevant ones); a "
        "correction would divide by something near 0: judge more gold pairs, of more topics, or use a better judge"
    )


def inverted(rates: Rates) -> str | None:
    """What to say where D is clearly below 0: the bronze judge says the opposite of the gold one.

    >>> inverted(Rates(0.5, 0.1, 0.2, 0.0, 0.0009, 0.0016, 1, 100, 100))[:53]
    'D = mR + mN - 1 = -0.700 is clearly below 0: the bron'
    """
    d, se = rates.shrunk_d
    if d >= -rates.threshold * se:
        return None
    return (
        f"D = mR + mN - 1 = {rates.d:.3f} is clearly below 0: the bronze labels look inverted (is 0 the relevant one, "
        "or 1 the best grade of several?); turn them around before anything else"
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
            f"the gold-{kind} pairs come from 1 topic; at least 2 are needed to tell how the judge's accuracy varies "
            f"over topics: have pairs of other topics judged ({arg('clusters', 'none')} treats pairs as independent)"
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
