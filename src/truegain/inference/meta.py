"""Many topics, each a test of its own, combined: meta-analysis of differences and their variances."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.student import check_confidence, p_of, quantile_of
from truegain.tables.columns import Floats

MetaMethod = Literal["fixed", "random", "hartung-knapp", "paule-mandel"]
META_METHODS: tuple[str, ...] = get_args(MetaMethod)


class Meta(NamedTuple):
    """An effect combined over k tests: value, standard error, limits, and the two-sided p of no effect.

    q, p_q: Cochran's test that all tests have the same effect; i2: share of the spread beyond chance;
    tau2: the variance of the effect between tests (0 for 'fixed').
    """

    value: float
    se: float
    low: float
    high: float
    p: float
    q: float
    p_q: float
    i2: float
    tau2: float


def combine(
    effects: npt.ArrayLike, variances: npt.ArrayLike, method: MetaMethod = "random", confidence: float = 0.95
) -> Meta:
    """Combine the effects d_i of k tests with variances v_i.

    'fixed': weights w_i = 1/v_i, d = sum w d / sum w, se = (sum w)^-1/2.
    'random' (DerSimonian and Laird 1986): Q = sum w (d_i - d)^2, tau2 = max(0, (Q - (k-1)) / (sum w - sum w^2/sum w)),
    weights 1/(v_i + tau2).
    'paule-mandel' (1982): the same with the tau2 >= 0 at which sum (d_i - d)^2/(v_i + tau2) = k - 1.
    'hartung-knapp' (2001; Sidik and Jonkman 2002): weights of 'random', se^2 = sum w*(d_i - d)^2/((k-1) sum w*), and
    t with k - 1 degrees of freedom in place of z.
    I2 = max(0, (Q - (k-1))/Q).

    >>> found = combine([0.12, 0.05, 0.3, -0.04], [0.004, 0.002, 0.01, 0.003])
    >>> print(f"{found.value:.4f} [{found.low:.4f}, {found.high:.4f}] p = {found.p:.4f}, I2 = {found.i2:.0%}")
    0.0859 [-0.0249, 0.1966] p = 0.1287, I2 = 70%
    """
    if method not in META_METHODS:
        raise TruegainError(f"no meta-analysis is called {method!r}; there are {', '.join(META_METHODS)}")
    check_confidence(confidence)
    d, v = _checked(effects, variances)
    k = len(d)
    common = _weighted_mean(d, 1 / v)
    q = float(((d - common) ** 2 / v).sum())
    tau2 = 0.0 if method == "fixed" else tau2_paule_mandel(d, v) if method == "paule-mandel" else _tau2(v, q)
    w = 1 / (v + tau2)
    value = _weighted_mean(d, w)
    if method == "hartung-knapp":
        se = math.sqrt(float((w * (d - value) ** 2).sum()) / ((k - 1) * float(w.sum())))
        p = 1.0 if value == 0 else p_of(value / se, k - 1) if se > 0 else 0.0
        step = quantile_of(confidence, k - 1) * se
    else:
        se = float(w.sum()) ** -0.5
        p, step = p_of(value / se), quantile_of(confidence) * se
    p_q = float(_special().chdtrc(k - 1, q))
    i2 = max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0
    return Meta(value, se, value - step, value + step, p, q, p_q, i2, tau2)


def combined_p(effects: npt.ArrayLike, deviations: npt.ArrayLike) -> float:
    """One-sided p of k tests together: p = 1 - Phi(Z), Z = (1/sqrt(k)) sum d_i/s_i.

    d_i is the difference x - y on topic i and s_i its standard deviation; each d_i/s_i is a standard normal if there
    is no difference, hence so is Z (Stouffer's method, all topics alike).  A small p says that x is better than y, one
    near 1 that y is better than x.  Cormack and Lynam 2006, SIGIR, section 9 (there printed without the brackets).

    >>> round(combined_p([0.1, 0.2, -0.05], [0.1, 0.1, 0.1]), 4)
    0.0745
    """
    d, v = _checked(effects, np.asarray(deviations, np.float64) ** 2, least=1)
    return float(_special().ndtr(-float((d / np.sqrt(v)).sum()) / math.sqrt(len(d))))


def tau2_paule_mandel(effects: Floats, variances: Floats) -> float:
    """The variance between tests of Paule and Mandel 1982, clamped at 0: where the weighted squares equal k - 1.

    The weighted sum of squares falls as tau2 rises, so Newton's steps from 0 climb to the root and never pass it.

    >>> round(tau2_paule_mandel(np.array([0.1, 0.5, 0.9]), np.array([0.01, 0.01, 0.01])), 4)
    0.15
    """
    tau2, freedom = 0.0, len(effects) - 1
    for _ in range(200):
        w = 1 / (variances + tau2)
        squares = (effects - _weighted_mean(effects, w)) ** 2
        excess = float((w * squares).sum()) - freedom
        if excess <= 0:
            break
        step = excess / float((w**2 * squares).sum())
        tau2 += step
        if step <= 1e-15 * tau2:
            break
    return tau2


def _tau2(variances: Floats, q: float) -> float:
    w = 1 / variances
    spare = float(w.sum() - (w**2).sum() / w.sum())
    return max(0.0, (q - (len(w) - 1)) / spare)


def _weighted_mean(values: Floats, weights: Floats) -> float:
    return float((weights * values).sum() / weights.sum())


def _special() -> Any:
    return import_module("scipy.special")


def _checked(effects: npt.ArrayLike, variances: npt.ArrayLike, least: int = 2) -> tuple[Floats, Floats]:
    d, v = np.asarray(effects, np.float64), np.asarray(variances, np.float64)
    if d.ndim != 1 or d.shape != v.shape:
        raise TruegainError(f"{d.size} effects and {v.size} variances do not pair; give one of each for every topic")
    if len(d) < least:
        raise TruegainError(f"{len(d)} topics are too few to combine; give at least {least}")
    if not (np.isfinite(d).all() and np.isfinite(v).all()):
        raise TruegainError("an effect or a variance is missing or infinite; leave such topics out")
    if not (v > 0).all():
        raise TruegainError(
            f"{int((v <= 0).sum())} of {len(v)} topics have no variance, so they would weigh without limit; "
            "leave them out or give them a least variance"
        )
    return d, v
