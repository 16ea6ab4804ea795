"""A judge that errs: its summary figures corrected, a simulation of it, and the published sizes of studies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Floats, frozen
from truegain.judge_error.confusion import Rates, bounded, clearly_positive, corrected
from truegain.judge_error.intervals import delta_se, interval_of
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import CorrectionOptions, GoldSample
from truegain.message import arg
from truegain.sampling.streams import generator
from truegain.stats.results import Comparison, Estimate
from truegain.stats.student_t import detectable_in_se, p_of, quantile_of

# ---- Summary figures of a bronze judge corrected: a mean with its interval, and whether two of them differ.

Test = Literal["normal", "welch"]
WHAT = {"shared": "one gold sample for both", "separate": "a gold sample for each (eq. 11)"}


@dataclass(frozen=True)
class BronzeMean:
    """A mean of P@k by bronze labels over n topics with standard deviation sd; P@1 where sd is not given.

    >>> round(BronzeMean(0.6260, n=10278, sd=0.414).variance * 1e5, 3)
    1.668
    """

    mean: float
    n: float
    sd: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.mean <= 1:
            raise TruegainError(f"mean {self.mean:g} is not a precision; give a number between 0 and 1")
        if not 2 <= self.n < math.inf or (self.sd is not None and not self.sd >= 0):
            raise TruegainError(
                f"n = {self.n:g}, sd = {self.sd}: at least two topics and a standard deviation of 0 or more"
            )

    @property
    def variance(self) -> float:
        """Of the mean."""
        return self.mean * (1 - self.mean) / self.n if self.sd is None else self.sd**2 / self.n

    @property
    def size(self) -> float:
        """How many independent labels have this variance, at least n."""
        v = self.variance
        return self.n if v == 0 or self.sd is None else max(self.n, self.mean * (1 - self.mean) / v)

    def rates(self, judge: Judge) -> Rates:
        """The mean beside the judge's two rates; refused where the judge is not clearly better than chance."""
        rates = judge.rates(self.mean, self.variance, self.size)
        clearly_positive(rates)
        return rates


def correct_mean(judge: Judge, bronze: BronzeMean, **options: object) -> Estimate:
    """What a bronze mean would be without the judge's errors; options `method`, `confidence`, `trials` and `seed`.

    G = (j - 1 + mN) / D, eq. 5 and 15; `method` is the interval: default (Lang-Reiczigel, guarded),
    lang-reiczigel, fieller, delta (eq. 7) or bootstrap (algorithm 1).

    Goldberg et al. 2018, ACM TOIS 36(4).

    >>> judge = Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    >>> answer = correct_mean(judge, BronzeMean(0.6260, n=10278, sd=0.414))
    >>> round(answer.value, 3), round(answer.se, 4)
    (0.805, 0.0903)
    """
    chosen = CorrectionOptions(resamples=options.pop("trials", 10_000), **options)  # type: ignore[arg-type]
    rates = bronze.rates(judge)
    df = rates.df(math.inf if bronze.sd is None else bronze.n - 1.0)
    point = bounded(bronze.mean * bronze.size, bronze.size, *judge.counts)
    estimate = interval_of(rates, df, chosen, point=point, noted=judge.consistency(bronze.mean))
    return replace(estimate, n=int(bronze.n), gold=judge.design, gold_pairs=judge.size)


def compare_means(
    judge: Judge | tuple[Judge, Judge],
    a: BronzeMean,
    b: BronzeMean,
    *,
    gold: GoldSample = "shared",
    covariance: float = 0.0,
    test: Test = "normal",
    confidence: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Difference b - a of two bronze means, each corrected by the judge, or by a judge of its own.

    gold='shared' (one gold sample corrected both, so that their errors move together):
        d = (jb - ja) / D,   Var d = (Vja + Vjb - 2 Cov(ja, jb)) / D^2 + d^2 (VR + VN) / D^2
    gold='separate' (each has a gold sample of its own; eq. 10 and 11 of the paper): Var d = Va + Vb.

    `covariance` is that of the two bronze means, over common topics; 0 where the topics differ.
    test='welch' takes Welch's degrees of freedom from the numbers of topics, 'normal' the normal distribution.

    Goldberg et al. 2018, ACM TOIS 36(4); the joint variance is ours, derived in docs/explanation/correction.md.

    >>> judge = Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    >>> a, b = BronzeMean(0.6260, n=10278, sd=0.414), BronzeMean(0.6385, n=20604, sd=0.402)
    >>> round(compare_means(judge, a, b).p, 3), round(compare_means(judge, a, b, gold="separate").p, 3)
    (0.017, 0.854)
    """
    one, two = judge if isinstance(judge, tuple) else (judge, judge)
    if gold not in WHAT or test not in ("normal", "welch"):
        raise TruegainError(
            f"{arg('gold', gold)}, {arg('test', test)}: give 'shared' or 'separate', and 'normal' or 'welch'"
        )
    if gold == "separate" and covariance:
        raise TruegainError("the formula for separate gold samples is for independent means; it takes no covariance")
    same = math.isclose(one.informedness, two.informedness, rel_tol=1e-9)
    if gold == "shared" and not same:
        raise TruegainError(
            f"the two means were corrected with different judges (informedness {one.informedness:.4f} and "
            f"{two.informedness:.4f}), so they share no gold sample; give {arg('gold', 'separate')}"
        )
    g_a, g_b = (bounded(x.mean * x.size, x.size, *j.counts).value for x, j in ((a, one), (b, two)))
    v_a, v_b = delta_se(a.rates(one)) ** 2, delta_se(b.rates(two)) ** 2
    d = (b.mean - a.mean) / two.informedness if gold == "shared" else g_b - g_a
    bronze = (a.variance + b.variance - 2 * covariance) / two.informedness**2
    if bronze < 0:
        raise TruegainError(
            f"covariance {covariance:g} is larger than the variances {a.variance:g} and {b.variance:g} allow; "
            "give a smaller one"
        )
    variance = {"shared": bronze + d**2 * variance_of_d(one.rates()) / two.informedness**2, "separate": v_a + v_b}
    other: GoldSample = "separate" if gold == "shared" else "shared"
    if not variance[gold] > 0:
        raise TruegainError("the difference has a variance of 0; there is nothing to test")
    df = welch_df((v_a, v_b), a, b) if test == "welch" else math.inf
    se, t = math.sqrt(variance[gold]), quantile_of(confidence, df)
    notes = []
    if variance[other] > 0 and same:
        notes.append(f"with {WHAT[other]} p would be {p_of(d / math.sqrt(variance[other]), df):.3f}")
    if abs(d - (g_b - g_a)) > 1e-9:
        notes.append("a value was limited to 0 to 1; the difference is that of the plain ratios")
    return Comparison(
        *names, "corrected mean", g_a, g_b, d, d - t * se, d + t * se, p_of(d / se, df),
        test=f"corrected, {WHAT[gold]}, {test}", confidence=confidence, n=int(min(a.n, b.n)), notes=tuple(notes),
    )  # fmt: skip


def variance_of_d(rates: Rates) -> float:
    """VR + VN + 2 Cov(mR, mN)."""
    return rates.v_r + rates.v_n + 2 * rates.corr_rn * math.sqrt(rates.v_r * rates.v_n)


def welch_df(variances: tuple[float, float], a: BronzeMean, b: BronzeMean) -> float:
    """Welch's degrees of freedom of a difference of two means, of which these are the variances.

    Goldberg et al. 2018, ACM TOIS 36(4), section 3.3.

    >>> round(welch_df((0.04, 0.01), BronzeMean(0.5, 11), BronzeMean(0.5, 21)), 2)
    15.15
    """
    v_a, v_b = variances
    return (v_a + v_b) ** 2 / (v_a**2 / (a.n - 1) + v_b**2 / (b.n - 1))


# ---- A judge that errs, simulated: what the naive and the corrected precision say, again and again.


@dataclass(frozen=True, eq=False)
class JudgeSimulation:
    """Naive and corrected P@k of many simulated studies, with their standard errors, and the truth."""

    truth: float
    naive: Floats
    naive_se: Floats
    corrected: Floats
    corrected_se: Floats

    def coverage(self, confidence: float = 0.95) -> tuple[float, float]:
        """How often value +- z se holds the truth: naive, corrected."""
        z = quantile_of(confidence)
        naive = np.abs(self.naive - self.truth) <= z * self.naive_se
        corrected = np.abs(self.corrected - self.truth) <= z * self.corrected_se
        return float(naive.mean()), float(corrected.mean())


def simulate_judge(
    relevance: Sequence[float],
    *,
    m_r: float,
    m_n: float,
    n: int,
    gold: tuple[int, int],
    trials: int = 10_000,
    seed: int = 0,
) -> JudgeSimulation:
    """Algorithm 2: n topics, lists of len(relevance) documents, each relevant with the probability of its rank.

    The bronze judge errs at rates 1 - mR and 1 - mN; gold = (nR, nN) pairs measure it; the corrected value is
    eq. 15, its variance eq. 7, and a draw whose D* is not above 0 counts as an error.

    Goldberg et al. 2018, ACM TOIS 36(4), algorithm 2 and section 6.

    >>> ranks = [0.49 - 0.02 * s for s in range(10)]
    >>> world = simulate_judge(ranks, m_r=0.9, m_n=0.8, n=50, gold=(250, 250), trials=500)
    >>> [c > 0.9 for c in world.coverage()]  # of the bronze mean, and of the corrected one
    [False, True]
    """
    rng = generator(seed, "simulated judge")
    p, k = np.asarray(relevance, np.float64), len(relevance)
    if not k or n < 2 or min(gold) < 1 or not ((p >= 0) & (p <= 1)).all():
        raise TruegainError("give probabilities of relevance, at least two topics and a gold pair of each kind")
    naive, naive_se = np.empty(trials), np.empty(trials)
    step = max(1, 4_000_000 // (n * k))
    for start in range(0, trials, step):
        some = slice(start, min(start + step, trials))
        size = (some.stop - some.start, n, k)
        is_relevant = rng.random(size) < p
        says_so = rng.random(size) < np.where(is_relevant, m_r, 1 - m_n)
        precision = says_so.mean(axis=2)
        naive[some], naive_se[some] = precision.mean(axis=1), precision.std(axis=1, ddof=1) / np.sqrt(n)
    rate_r = rng.binomial(gold[0], m_r, trials) / gold[0]
    rate_n = rng.binomial(gold[1], m_n, trials) / gold[1]
    d = rate_r + rate_n - 1
    if (d <= 0).any():
        raise TruegainError(f"{int((d <= 0).sum())} of {trials} simulated judges have D <= 0; give more gold pairs")
    value = (naive - 1 + rate_n) / d
    v_r, v_n = rate_r * (1 - rate_r) / gold[0], rate_n * (1 - rate_n) / gold[1]
    spread = naive_se**2 + value**2 * v_r + (1 - value) ** 2 * v_n
    return JudgeSimulation(float(p.mean()), frozen(naive), frozen(naive_se), frozen(value), frozen(np.sqrt(spread) / d))


# ---- Sizes of studies by the published formulas: each system with a gold sample of its own, pairs independent.


SIZES = ("n", "nR_a", "nN_a", "nR_b", "nN_b")


def naive_topics(difference: float, sd_a: float, sd_b: float, *, p: float = 0.05, power: float = 0.5) -> float:
    """Topics for each of two systems to differ significantly if there were no judge errors.

    n = (z_{p/2} + z_{1-power})^2 (sa^2 + sb^2) / (ja - jb)^2;  the published form is at 50% power, where z is 0.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 26.

    >>> int(naive_topics(0.527 - 0.513, 0.240, 0.260))
    2453
    """
    return detectable_in_se(p, power) ** 2 * (sd_a**2 + sd_b**2) / some_difference(difference) ** 2


def published_sizes(
    means: tuple[float, float],
    sds: tuple[float, float],
    judges: tuple[Judge, Judge],
    *,
    shares: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3),
    p: float = 0.05,
    power: float = 0.5,
) -> dict[str, float]:
    """The paper's sizes for two systems, each with a gold sample of its own: n, and nR and nN of a and of b.

    With s0 = |Ga - Gb| / (z_{p/2} + z_{1-power}), m = D of each and V = s^2:
    n = (Va mb^2 + Vb ma^2) / (f1 ma^2 mb^2 s0^2), and so on; f1 + f2 + f3 = 1 share the allowed variance out.

    Each G is limited to 0 to 1 (eq. 16).  Where both are at the same limit there is no difference to be shown, and
    every size is infinite, as for the two TREC runs of section 8.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 27 to 31.

    >>> judge = Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    >>> sizes = published_sizes((0.626, 0.6385), (0.414, 0.402), (judge, judge))
    >>> {name: round(size) for name, size in sizes.items()}
    {'n': 24561, 'nR_a': 18340, 'nN_a': 882, 'nR_b': 20616, 'nN_b': 722}
    >>> trec = Judge.from_counts((17, 38), (216, 262)), Judge.from_counts((14, 50), (230, 285))
    >>> set(published_sizes((0.527, 0.513), (0.24, 0.26), trec).values())
    {inf}
    """
    check_shares(shares)
    (j_a, j_b), (v_a, v_b), (a, b) = means, (sds[0] ** 2, sds[1] ** 2), judges
    far = detectable_in_se(p, power)
    g_a, g_b = (limited(j, judge) for j, judge in zip(means, judges, strict=True))
    if g_a == g_b and g_a in (0.0, 1.0):
        return dict.fromkeys(SIZES, math.inf)
    allowed = (some_difference(g_a - g_b) / far) ** 2
    both = v_a * b.informedness**2 + v_b * a.informedness**2
    f1, f2, f3 = shares
    sizes = {"n": both / (f1 * a.informedness**2 * b.informedness**2 * allowed)}
    for name, j, v, judge, other in (("a", j_a, v_a, a, b), ("b", j_b, v_b, b, a)):
        below = v * other.informedness**2 * judge.informedness**4 * allowed
        sizes[f"nR_{name}"] = (
            judge.sensitivity * (1 - judge.sensitivity) * both * (j - 1 + judge.specificity) ** 2 / (f2 * below)
        )
        sizes[f"nN_{name}"] = (
            judge.specificity * (1 - judge.specificity) * both * (judge.sensitivity - j) ** 2 / (f3 * below)
        )
    return sizes


def check_shares(shares: tuple[float, float, float]) -> None:
    """Refuse shares of the allowed variance that are not positive or do not add up to 1."""
    if not math.isclose(sum(shares), 1) or min(shares) <= 0:
        raise TruegainError(f"shares {shares} must be positive and add up to 1")


def limited(j: float, judge: Judge) -> float:
    """The corrected mean limited to 0 to 1; refused of a judge who is no better than chance.

    G = max(0, min(1, (j - 1 + mN) / D))

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 16.

    >>> limited(0.527, Judge.from_counts((17, 38), (216, 262)))
    1.0
    """
    if not judge.informedness > 0:
        raise TruegainError(
            f"the bronze judge is no better than chance: sensitivity + specificity - 1 = {judge.informedness:z.3f}; "
            "add gold labels, or use a better judge"
        )
    return max(0.0, min(1.0, corrected(j, judge.sensitivity, judge.specificity)))


def some_difference(difference: float) -> float:
    """How large a difference is; refused where there is none."""
    if not abs(difference) > 1e-12:
        raise TruegainError("a difference of 0 needs infinitely many labels; give the smallest difference that matters")
    return abs(difference)
