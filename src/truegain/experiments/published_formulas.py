"""Sizes of studies by the published formulas: each system with a gold sample of its own, pairs independent."""

from __future__ import annotations

import math

from truegain.errors import TruegainError
from truegain.gains.judge import Judge
from truegain.student import detectable_in_se


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

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 27 to 31.

    >>> judge = Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    >>> sizes = published_sizes((0.626, 0.6385), (0.414, 0.402), (judge, judge))
    >>> {name: round(size) for name, size in sizes.items()}
    {'n': 24561, 'nR_a': 18340, 'nN_a': 882, 'nR_b': 20616, 'nN_b': 722}
    """
    if not math.isclose(sum(shares), 1) or min(shares) <= 0:
        raise TruegainError(f"shares {shares} must be positive and add up to 1")
    (j_a, j_b), (v_a, v_b), (a, b) = means, (sds[0] ** 2, sds[1] ** 2), judges
    g_a, g_b = (j_a - 1 + a.mN) / a.D, (j_b - 1 + b.mN) / b.D
    allowed = (some_difference(g_a - g_b) / detectable_in_se(p, power)) ** 2
    both = v_a * b.D**2 + v_b * a.D**2
    f1, f2, f3 = shares
    sizes = {"n": both / (f1 * a.D**2 * b.D**2 * allowed)}
    for name, j, v, judge, other in (("a", j_a, v_a, a, b), ("b", j_b, v_b, b, a)):
        below = v * other.D**2 * judge.D**4 * allowed
        sizes[f"nR_{name}"] = judge.mR * (1 - judge.mR) * both * (j - 1 + judge.mN) ** 2 / (f2 * below)
        sizes[f"nN_{name}"] = judge.mN * (1 - judge.mN) * both * (judge.mR - j) ** 2 / (f3 * below)
    return sizes


def some_difference(difference: float) -> float:
    """How large a difference is; refused where there is none."""
    if not abs(difference) > 1e-12:
        raise TruegainError("a difference of 0 needs infinitely many labels; say which difference matters to you")
    return abs(difference)
