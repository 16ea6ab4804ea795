"""The two kinds of answers: a value with an interval, and a difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

from truegain.student import told_p
from truegain.tables.table import Shown, Table


@dataclass(frozen=True, repr=False)
class Estimate(Shown):
    """A value with an interval: of which system ('' where of all) and measure, over what, by which method.

    >>> print(Estimate("bm25", "AP", 0.25, 0.2, 0.31, confidence=0.95, over="topics", method="percentile"))
    bm25 AP 0.2500 [0.2000, 0.3100] 95% over topics, percentile
    """

    system: str
    measure: str
    value: float
    low: float
    high: float
    confidence: float = 0.95
    over: str = "topics"
    method: str = ""
    se: float | None = None
    n: int | None = None
    topic: str = "all"
    naive: float | None = None  # where nothing is corrected
    gold: str = ""  # how gold labels were sampled, and how many there are
    gold_pairs: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def made_by(self) -> dict[str, object]:
        """How it was made."""
        return {"method": self.method, "over": self.over, "confidence": self.confidence}

    def table(self) -> Table:
        """One row."""
        return table_of([self], made_by=self.made_by)

    def in_short(self) -> str:
        """The value with its interval."""
        return str(self)

    @property
    def refused(self) -> bool:
        """Whether there is no sound value (NaN): the notes say why."""
        return math.isnan(self.value)

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.high - self.low

    def __str__(self) -> str:
        name = f"{self.system} {self.measure}".lstrip()
        if self.refused:
            return f"{name}: undefined, {'; '.join(self.notes)}"
        value = f"{name} {self.value:.4f}"
        if math.isnan(self.low):
            return value
        return f"{value} [{self.low:.4f}, {self.high:.4f}] {100 * self.confidence:g}% over {self.over}, {self.method}"


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """A difference b - a of two systems on one measure, with its interval, test and effect size.

    >>> c = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired t", n=50)
    >>> print(c)
    b - a AP +0.0500 [0.0100, 0.0900] p = 0.0200 (paired t, n = 50)
    """

    a: str
    b: str
    measure: str
    value_a: float
    value_b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None = None
    test: str = ""
    adjustment: str = ""
    effect: float | None = None
    effect_name: str = ""
    confidence: float = 0.95
    n: int | None = None
    naive: float | None = None  # difference and p where nothing is corrected
    naive_p: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def made_by(self) -> dict[str, object]:
        """How it was made."""
        return {"test": self.test, "adjustment": self.adjustment, "confidence": self.confidence}

    def table(self) -> Table:
        """One row."""
        return table_of([self], made_by=self.made_by)

    def in_short(self) -> str:
        """The difference with its interval."""
        return str(self)

    @property
    def p_shown(self) -> float:
        """The adjusted p where there is one, else p; NaN where there is none."""
        p = self.p if self.p_adjusted is None else self.p_adjusted
        return math.nan if p is None else p

    @property
    def differs(self) -> bool:
        """Whether the two are told apart: by p, or where there is none by the limits, unless notes take it back."""
        if self.p is None and self.p_adjusted is None and self.low is not None and self.high is not None:
            return not self.notes and (self.low > 0 or self.high < 0)
        return self.p_shown < 1 - self.confidence

    def turned(self) -> Self:
        """The same the other way round, a - b: the difference, its interval, effect and naive difference change sign.

        >>> c = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired t", n=50)
        >>> print(c.turned())
        a - b AP -0.0500 [-0.0900, -0.0100] p = 0.0200 (paired t, n = 50)
        """
        return replace(
            self, a=self.b, b=self.a, value_a=self.value_b, value_b=self.value_a, difference=0.0 - self.difference,
            low=_less(self.high), high=_less(self.low), effect=_less(self.effect), naive=_less(self.naive),
        )  # fmt: skip

    def __str__(self) -> str:
        if math.isnan(self.difference) and self.notes:
            return f"{self.b} - {self.a} {self.measure}: not known, {'; '.join(self.notes)}"
        interval = "" if self.low is None or self.high is None else f" [{self.low:.4f}, {self.high:.4f}]"
        p = "" if self.p is None else f" {told_p(self.p)}"
        n = "" if self.n is None else f", n = {self.n}"
        unless = f"; {'; '.join(self.notes)}" if self.notes and self.p is None and interval else ""
        return f"{self.b} - {self.a} {self.measure} {self.difference:+.4f}{interval}{p} ({self.test}{n}){unless}"


def _less(x: float | None) -> float | None:
    """Its negative, where there is one; zero stays zero, without a sign."""
    return None if x is None else 0.0 - x


def table_of(
    answers: Sequence[Estimate] | Sequence[Comparison],
    *,
    made_by: Mapping[str, object] | None = None,
    title: str = "",
    leave_out: Iterable[str] = ("notes",),
) -> Table:
    """Answers of one kind as a table: a column a field, without columns that hold nothing."""
    left_out = set(leave_out)
    names = [f.name for f in fields(answers[0]) if f.name not in left_out] if answers else []
    names = [n for n in names if any(getattr(a, n) not in (None, "") for a in answers)]
    notes = tuple(dict.fromkeys(note for a in answers for note in a.notes))
    rows = [tuple(getattr(a, n) for n in names) for a in answers]
    return Table(tuple(names), rows, made_by or {}, title, notes)
