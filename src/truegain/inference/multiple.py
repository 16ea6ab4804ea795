"""P-values of many tests at once: what is left of them when the number of tests is taken into account."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, check_one_of
from truegain.tables.columns import Floats


def adjust(p: npt.ArrayLike, method: str = "holm") -> Floats:
    """Adjusted p-values, in the order given: reject where the adjusted value is below alpha.

    With p(1) <= ... <= p(k): Bonferroni k p; Holm max over j <= i of (k-j+1) p(j); Hochberg min over j >= i of
    (k-j+1) p(j); Holm-Sidak max over j <= i of 1 - (1-p(j))^(k-j+1); Benjamini-Hochberg (bh) min over j >= i of
    k p(j)/j; Benjamini-Yekutieli (by) that times 1 + 1/2 + ... + 1/k; none of them above 1.

    The first four hold the chance of any false positive (Hochberg if the tests are independent or positively
    dependent), bh and by the expected share of false ones among the positives (by under any dependence).

    Holm 1979, Scand. J. Statist. 6; Hochberg 1988, Biometrika 75; Benjamini and Hochberg 1995, JRSS B 57;
    Benjamini and Yekutieli 2001, Ann. Statist. 29.

    >>> adjust([0.001, 0.013, 0.021, 0.04, 0.3], "holm").round(4).tolist()
    [0.005, 0.052, 0.063, 0.08, 0.3]
    """
    given: Floats = np.asarray(p, dtype=np.float64)
    check_one_of("adjustment", method, tuple(METHODS))
    if given.ndim != 1:
        raise TruegainError(f"p-values must be a plain list, not an array of {given.ndim} dimensions")
    wrong = ~((given >= 0) & (given <= 1))
    if wrong.any():
        raise TruegainError(f"{given[wrong][0]} is not a p-value; leave out tests that gave none, then adjust")
    if not len(given):
        return given
    order = np.argsort(given, kind="stable")
    adjusted: Floats = np.empty_like(given)
    adjusted[order] = np.minimum(METHODS[method](given[order]), 1.0)
    return adjusted


def adjust_asked(p: npt.ArrayLike, method: str = "holm") -> Floats:
    """Adjusted p-values of all tests that were asked for: one that gave none (NaN) counts as a test, with p = 1.

    What the data can answer does not make the family smaller.

    >>> adjust_asked([0.01, float("nan"), 0.02], "bonferroni").round(4).tolist()
    [0.03, nan, 0.06]
    """
    given: Floats = np.asarray(p, dtype=np.float64)
    none = np.isnan(given)
    return np.where(none, np.nan, adjust(np.where(none, 1.0, given), method))


def _left(k: int) -> Floats:
    """How many tests are left at each step: k, k-1, ..., 1."""
    return np.arange(k, 0, -1, dtype=np.float64)


def _rising(values: Floats) -> Floats:
    return np.maximum.accumulate(values)


def _falling(values: Floats) -> Floats:
    return np.minimum.accumulate(values[::-1])[::-1]


def _benjamini_hochberg(p: Floats) -> Floats:
    return _falling(len(p) * p / np.arange(1, len(p) + 1))


def _benjamini_yekutieli(p: Floats) -> Floats:
    return _benjamini_hochberg(p) * float(np.sum(1 / np.arange(1, len(p) + 1)))


def _holm_sidak(p: Floats) -> Floats:
    sure = np.minimum(p, 1 - 2**-53)  # log1p(-1) has no value; the answer is 1 to the last bit
    return _rising(np.where(p == 1, 1.0, -np.expm1(_left(len(p)) * np.log1p(-sure))))


METHODS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda p: p,
    "bonferroni": lambda p: len(p) * p,
    "holm": lambda p: _rising(_left(len(p)) * p),
    "hochberg": lambda p: _falling(_left(len(p)) * p),
    "holm-sidak": _holm_sidak,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
}
