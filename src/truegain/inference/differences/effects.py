"""Effect sizes: how large a difference is, in units of the spread it has to be seen against."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.inference.differences.anova import Anova
from truegain.inference.differences.paired import differences, sample
from truegain.tables.columns import Floats


def cohens_dz(first: npt.ArrayLike, second: npt.ArrayLike | None = None) -> float:
    """Mean difference over the standard deviation of the differences, dz = mean(z) / sd(z), z = second - first.

    Cohen 1988, Statistical Power Analysis for the Behavioral Sciences; Sakai 2018, eq. 5.6.

    >>> round(cohens_dz([0.1, -0.02, 0.05, 0.05, 0, 0.12, -0.04, 0.07, 0.03, 0.09]), 6)
    0.852962
    """
    z = differences(first, second)
    return _over(float(z.mean()), float(z.std(ddof=1)), float(np.abs(z).max()), "differences")


def hedges_g(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Difference of means over the pooled standard deviation, without bias: for two independent samples.

    g = (1 - 3/(4(n1+n2) - 9)) (mean2 - mean1) / s, s^2 = ((n1-1) s1^2 + (n2-1) s2^2)/(n1+n2-2)

    Hedges 1981, J. Educ. Stat. 6(2); Sakai 2018, eqs. 5.7-5.10.

    >>> round(hedges_g([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]), 4)
    0.8
    """
    a, b = sample(first), sample(second)
    n = len(a) + len(b)
    pooled = math.sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / (n - 2))
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    return (1 - 3 / (4 * n - 9)) * _over(float(b.mean() - a.mean()), pooled, largest, "scores within each sample")


def glass_delta(baseline: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Difference of means over the standard deviation of the baseline, without bias.

    Delta = (1 - 3/(4 n - 5)) (mean(other) - mean(baseline)) / sd(baseline), n scores of the baseline

    Glass 1976, Educ. Res. 5(10); Sakai 2018, eqs. 5.11-5.12.

    >>> round(glass_delta([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]), 4)
    0.5714
    """
    a, b = sample(baseline), sample(other)
    spread = float(a.std(ddof=1))
    return (1 - 3 / (4 * len(a) - 5)) * _over(
        float(b.mean() - a.mean()), spread, float(np.abs(a).max()), "scores of the baseline"
    )


def es_hsd(anova: Anova) -> Floats:
    """Differences of all systems over the residual standard deviation: ES_HSD(i, j) = (xj. - xi.) / sqrt(V).

    V is the residual variance of the analysis given: V_E2 of the two-way one (topics as blocks; what goes with the
    paired Tukey test), or V_E1 of the one-way one, which some evaluation campaigns print under the same name.

    Sakai 2018, Laboratory Experiments in Information Retrieval, eq. 5.16.

    >>> from truegain.inference.differences.anova import two_way
    >>> scores = [[0.3, 0.1, 0.55, 0.25], [0.42, 0.15, 0.6, 0.2], [0.51, 0.12, 0.72, 0.41]]
    >>> es_hsd(two_way(scores))[0].round(4).tolist()
    [0.0, 0.7086, 2.3342]
    """
    apart = anova.means[None, :] - anova.means[:, None]
    if anova.no_residual:
        if anova.f is not None:
            return np.zeros_like(apart)
        raise TruegainError("the systems differ by the same amount on every topic: no residual variance to divide by")
    effects: Floats = apart / math.sqrt(anova.v_e)
    return effects


def _over(difference: float, spread: float, largest: float, of_what: str) -> float:
    """A ratio, refused where there is no spread to divide by."""
    if spread > 1e-12 * largest:
        return difference / spread
    if abs(difference) <= 1e-12 * largest:
        return 0.0
    raise TruegainError(f"the {of_what} are all equal: an effect size over their spread has no value")
