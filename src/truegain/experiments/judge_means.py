"""Summary figures of a bronze judge corrected: a mean with its interval, and whether two of them differ."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from truegain.errors import TruegainError
from truegain.gains.boundary import bounded
from truegain.gains.judge import Judge
from truegain.gains.rates import Rates, clearly_positive
from truegain.inference.judges.corrected import interval_of
from truegain.inference.judges.intervals import delta_se
from truegain.inference.judges.options import CorrectionOptions, GoldSample
from truegain.inference.results import Comparison, Estimate
from truegain.message import arg
from truegain.student import p_of, quantile_of

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
            raise TruegainError(f"mean {self.mean:g} is not a precision; it must lie between 0 and 1")
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
    asked = CorrectionOptions(replicates=options.pop("trials", 10_000), **options)  # type: ignore[arg-type]
    rates = bronze.rates(judge)
    df = rates.df(math.inf if bronze.sd is None else bronze.n - 1.0)
    point = bounded(bronze.mean * bronze.size, bronze.size, *judge.counts)
    found = interval_of(rates, df, asked, point=point, noted=judge.consistency(bronze.mean))
    return replace(found, n=int(bronze.n), gold=judge.design, gold_pairs=judge.size)


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

    Goldberg et al. 2018, ACM TOIS 36(4); the joint variance is ours, derived in docs/judge.md.

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
    same = math.isclose(one.D, two.D, rel_tol=1e-9)
    if gold == "shared" and not same:
        raise TruegainError(
            f"the two means were corrected with different judges (D = {one.D:.4f} and {two.D:.4f}), so no gold sample "
            f"is shared; give {arg('gold', 'separate')}"
        )
    g_a, g_b = (bounded(x.mean * x.size, x.size, *j.counts).value for x, j in ((a, one), (b, two)))
    v_a, v_b = delta_se(a.rates(one)) ** 2, delta_se(b.rates(two)) ** 2
    d = (b.mean - a.mean) / two.D if gold == "shared" else g_b - g_a
    bronze = (a.variance + b.variance - 2 * covariance) / two.D**2
    if bronze < 0:
        raise TruegainError(
            f"covariance {covariance:g} is larger than the variances {a.variance:g} and {b.variance:g} allow"
        )
    variance = {"shared": bronze + d**2 * variance_of_d(one.rates()) / two.D**2, "separate": v_a + v_b}
    other: GoldSample = "separate" if gold == "shared" else "shared"
    if not variance[gold] > 0:
        raise TruegainError("the difference has a variance of 0; there is nothing to test")
    df = _welch((v_a, v_b), a, b) if test == "welch" else math.inf
    se, t = math.sqrt(variance[gold]), quantile_of(confidence, df)
    notes = []
    if variance[other] > 0 and same:
        notes.append(f"with {WHAT[other]} p would be {p_of(d / math.sqrt(variance[other]), df):.3f}")
    if abs(d - (g_b - g_a)) > 1e-9:
        notes.append("a value was held inside 0 to 1; the difference is that of the plain ratios")
    return Comparison(
        *names, "corrected mean", g_a, g_b, d, d - t * se, d + t * se, p_of(d / se, df),
        test=f"corrected, {WHAT[gold]}, {test}", confidence=confidence, n=int(min(a.n, b.n)), notes=tuple(notes),
    )  # fmt: skip


def naive_p(a: BronzeMean, b: BronzeMean, test: Test = "welch") -> float:
    """What the bronze labels alone would say, as if they were right: Welch's test, eq. 9."""
    both = a.variance, b.variance
    return p_of((b.mean - a.mean) / math.sqrt(sum(both)), _welch(both, a, b) if test == "welch" else math.inf)


def variance_of_d(rates: Rates) -> float:
    """VR + VN + 2 Cov(mR, mN)."""
    return rates.v_r + rates.v_n + 2 * rates.corr_rn * math.sqrt(rates.v_r * rates.v_n)


def _welch(variances: tuple[float, float], a: BronzeMean, b: BronzeMean) -> float:
    v_a, v_b = variances
    return (v_a + v_b) ** 2 / (v_a**2 / (a.n - 1) + v_b**2 / (b.n - 1))
