"""How many assessors a document needs."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from truegain.errors import TruegainError
from truegain.inference.results import Plan
from truegain.student import check_confidence
from truegain.tables.table import Table


def assessors_needed(sigma: float, error: float, confidence: float = 0.95) -> Plan:
    """Assessors for whom the mean rating of a document lies within `error` of the mean of all, with a confidence.

    n = ceil(z^2 sigma^2 / error^2), z the normal quantile at (1 + confidence)/2, sigma the standard deviation of the
    ratings of a document

    Maddalena et al. 2017, ACM TOIS 35(3), section 6.3; their table II says 95% and is at 99%.

    >>> print(assessors_needed(sigma=2, error=2, confidence=0.99))
    7 assessors: mean rating within 2 of that of all assessors, with 99% confidence
    """
    check_confidence(confidence)
    for name, value in (("sigma", sigma), ("error", error)):
        if not (math.isfinite(value) and value > 0):
            raise TruegainError(f"{name} is {value:g}; give a finite number above 0")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    # exact in everything but z, so that a whole number is not pushed over by rounding
    needed = math.ceil(Fraction(z) ** 2 * Fraction(str(sigma)) ** 2 / Fraction(str(error)) ** 2)
    aim = f"mean rating within {error:g} of that of all assessors, with {100 * confidence:g}% confidence"
    columns = ("assessors", "sigma", "error", "confidence")
    table = Table(columns, [(max(1, needed), sigma, error, confidence)], notes=(aim,))
    return Plan({"assessors": max(1, needed)}, aim, table)
