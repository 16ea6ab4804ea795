"""How much a judge favors a system: the answer, with its interval and its sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass

from truegain.stats.student_t import p_of, quantile_of

ALPHA = 0.05
SAME = 1e-9  # by which a correlation of 1 may differ from it, and a standard error of 0 from that
NO_SPREAD = "the judge's errors on the gold labels are all the same"
SAME_LISTS = "its gold labels are the same as those of the others"
ONE_TOPIC = "its errors come almost all from one topic"


@dataclass(frozen=True)
class Favor:
    """How much more the judge's errors add to a system's score than to the scores of the others.

    Attributes
    ----------
    system : str
        The system.
    value : float or None
        Above 0 where the judge favors it; None where the gold labels cannot tell.
    se : float or None
        Its standard error over topics.
    df : float
        Degrees of freedom.
    lacks : str
        How many gold labels it has, and of what kind, where these are too few.
    unknown : str
        Why there is no value, where its own gold labels are enough.
    measure : str
        The score that the errors add to.
    confidence : float
        Of the interval.

    Examples
    --------
    >>> print(Favor("new", 0.0312, 0.0121, 40.0, measure="P@10"))
    The judge's errors add +0.0312 to the P@10 of new relative to the others (95% CI +0.0067 to +0.0557).
    """

    system: str
    value: float | None = None
    se: float | None = None
    df: float = math.inf
    lacks: str = ""
    unknown: str = ""
    measure: str = ""
    confidence: float = 1 - ALPHA

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            why = f"too few gold labels ({self.lacks})" if self.lacks else self.unknown
            return f"The data cannot show whether the judge favors {self.system}: {why}."
        return (
            f"The judge's errors add {self.value:+z.4f} to the {self.measure or 'score'} of {self.system} relative to "
            f"the others ({100 * self.confidence:g}% CI {self.low:+z.4f} to {self.high:+z.4f})."
        )

    def p(self, tests: int = 1) -> float | None:
        """That there is none, by t over topics; adjusted for so many tests by Bonferroni.

        Parameters
        ----------
        tests : int
            Among so many tests (Bonferroni).

        Returns
        -------
        float or None
            None where there is no test.
        """
        if self.value is None or self.se is None:
            return None
        return min(1.0, tests * p_of(self.value / self.se, self.df))

    def interval(self, tests: int = 1) -> tuple[float, float] | None:
        """The interval; for so many tests together, by Bonferroni.

        Parameters
        ----------
        tests : int
            Among so many tests (Bonferroni).

        Returns
        -------
        low, high
            floats, or None where there is no interval.
        """
        if self.value is None or self.se is None:
            return None
        half = quantile_of(1 - (1 - self.confidence) / tests, self.df) * self.se
        return self.value - half, self.value + half

    @property
    def low(self) -> float | None:
        """Lower limit of the interval."""
        return (self.interval() or (None, None))[0]

    @property
    def high(self) -> float | None:
        """Upper limit of the interval."""
        return (self.interval() or (None, None))[1]
