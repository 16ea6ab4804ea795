"""Is the difference of two corrected means real? One gold sample behind both, or one for each."""

from __future__ import annotations

import math
from typing import Literal

from truegain.errors import TruegainError
from truegain.inference.judges.corrected import Corrected
from truegain.inference.judges.rates import Rates
from truegain.inference.results import Comparison
from truegain.student import p_of, quantile_of

GoldSample = Literal["shared", "separate"]
Test = Literal["normal", "welch"]


def raw_variance_of_d(rates: Rates) -> float:
    """VR + VN + 2 Cov(mR, mN)."""
    return rates.v_r + rates.v_n + 2 * rates.corr_rn * math.sqrt(rates.v_r * rates.v_n)


def difference_of(
    a: Corrected,
    b: Corrected,
    *,
    v_d: float,
    gold: GoldSample = "shared",
    covariance: float = 0.0,
    test: Test = "normal",
    confidence: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Difference b - a of two corrected means.

    gold='shared' (one gold sample corrected both, so that their errors move together):
        d = (jb - ja) / D,   Var d = (Vja + Vjb - 2 Cov(ja, jb)) / D^2 + d^2 (VR + VN) / D^2
    gold='separate' (each has a gold sample of its own; eq. 10 and 11 of the paper): Var d = Va + Vb.

    `covariance` is that of the two bronze means, over common topics; 0 where the topics differ.
    test='welch' takes Welch's degrees of freedom from the numbers of topics, 'normal' the normal distribution.

    Goldberg et al. 2018, ACM TOIS 36(4); the joint variance is ours, derived in docs/judge.md.
    """
    if gold not in ("shared", "separate") or test not in ("normal", "welch"):
        raise TruegainError(f"gold={gold!r}, test={test!r}: give 'shared' or 'separate', and 'normal' or 'welch'")
    if gold == "separate" and covariance:
        raise TruegainError("the formula for separate gold samples is for independent means; it takes no covariance")
    if gold == "shared" and not math.isclose(a.D, b.D, rel_tol=1e-9):
        raise TruegainError(
            f"the two means were corrected with different judges (D = {a.D:.4f} and {b.D:.4f}), so no gold sample is "
            "shared; give gold='separate'"
        )
    d = (b.naive - a.naive) / b.D if gold == "shared" else b.value - a.value
    bronze = (a.v_j + b.v_j - 2 * covariance) / b.D**2
    if bronze < 0:
        raise TruegainError(f"covariance {covariance:g} is larger than the variances {a.v_j:g} and {b.v_j:g} allow")
    shared, separate = bronze + d**2 * v_d / b.D**2, a.se**2 + b.se**2
    spread, other = (shared, separate) if gold == "shared" else (separate, shared)
    if not spread > 0:
        raise TruegainError("the difference has a variance of 0; there is nothing to test")
    df = _welch(a, b) if test == "welch" else math.inf
    half = quantile_of(confidence, df) * math.sqrt(spread)
    what = {"shared": "one gold sample for both", "separate": "a gold sample for each (eq. 11)"}
    rest = "separate" if gold == "shared" else "shared"
    told = other > 0 and math.isclose(a.D, b.D, rel_tol=1e-9)
    notes = [f"with {what[rest]} p would be {p_of(d / math.sqrt(other), df):.3f}"] if told else []
    if abs(d - (b.value - a.value)) > 1e-9:
        notes.append("a value was held inside 0 to 1; the difference is that of the plain ratios")
    return Comparison(
        *names, "corrected mean", a.value, b.value, d, d - half, d + half, p_of(d / math.sqrt(spread), df),
        test=f"corrected, {what[gold]}, {test}", level=confidence, n=int(min(a.n, b.n)), notes=tuple(notes),
    )  # fmt: skip


def naive_p(a: Corrected, b: Corrected, test: Test = "welch") -> float:
    """What the bronze labels alone would say, as if they were right: Welch's test, eq. 9."""
    df = _welch(a, b, naive=True) if test == "welch" else math.inf
    return p_of((b.naive - a.naive) / math.sqrt(a.v_j + b.v_j), df)


def _welch(a: Corrected, b: Corrected, naive: bool = False) -> float:
    v_a, v_b = (a.v_j, b.v_j) if naive else (a.se**2, b.se**2)
    return (v_a + v_b) ** 2 / (v_a**2 / (a.n - 1) + v_b**2 / (b.n - 1))
