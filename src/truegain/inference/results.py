"""What inference answers with: estimates and comparisons, each able to show itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from truegain.errors import TruegainError, some
from truegain.tables.table import Table

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Estimate:
    """A value with an interval: of which system ('' where of all) and measure, over what, by which method.

    >>> print(Estimate("bm25", "AP", 0.25, 0.2, 0.31, level=0.95, over="topics", method="percentile"))
    bm25 AP 0.2500 [0.2000, 0.3100] 95% over topics, percentile
    """

    system: str
    measure: str
    value: float
    low: float
    high: float
    level: float = 0.95
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
        return f"{value} [{self.low:.4f}, {self.high:.4f}] {100 * self.level:g}% over {self.over}, {self.method}"


@dataclass(frozen=True)
class Comparison:
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
    level: float = 0.95
    n: int | None = None
    naive: float | None = None  # difference and p where nothing is corrected
    naive_p: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def p_shown(self) -> float:
        """The adjusted p where there is one, else p; NaN where there is none."""
        p = self.p if self.p_adjusted is None else self.p_adjusted
        return math.nan if p is None else p

    @property
    def differs(self) -> bool:
        """Whether the two are told apart."""
        return self.p_shown < 1 - self.level

    def __str__(self) -> str:
        interval = "" if self.low is None or self.high is None else f" [{self.low:.4f}, {self.high:.4f}]"
        p = "" if self.p is None else f" p = {self.p:.4f}"
        n = "" if self.n is None else f", n = {self.n}"
        return f"{self.b} - {self.a} {self.measure} {self.difference:+.4f}{interval}{p} ({self.test}{n})"


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


@dataclass(frozen=True, eq=False)
class Plan:
    """What to buy next: how many of what, for which aim; and a table of it, with other aims and what it rests on.

    >>> print(Plan({"topics": 35, "gold pairs": 1200}, "a difference of 0.1 is found", Table((), [])))
    35 topics, 1,200 gold pairs: a difference of 0.1 is found
    """

    needed: Mapping[str, int]
    aim: str
    table: Table

    def __str__(self) -> str:
        needed = ", ".join(f"{n:,} {kind}" for kind, n in self.needed.items())
        return f"{needed}: {self.aim}"


Answer = TypeVar("Answer", Estimate, Comparison)


@dataclass(frozen=True)
class Answers(Sequence[Answer], Generic[Answer]):
    """Many answers of one kind, with how they were made and what holds for all of them.

    >>> one = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired t", n=50)
    >>> Answers((one,)).between("b", "a").difference
    0.05
    """

    items: Sequence[Answer]
    made_by: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.items)

    @overload
    def __getitem__(self, at: int | tuple[str, str]) -> Answer: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Answer]: ...

    def __getitem__(self, at: int | tuple[str, str] | slice) -> Answer | Sequence[Answer]:
        """An answer by number, or an estimate by system and measure."""
        if not isinstance(at, tuple):
            return self.items[at]
        for one in self.items:
            if isinstance(one, Estimate) and (one.system, one.measure) == at:
                return one
        there = [f"{e.system}, {e.measure}" for e in self.items if isinstance(e, Estimate)]
        raise TruegainError(f"there is no answer for {at}; there are {some(there)}")

    @property
    def pairs(self) -> Sequence[Answer]:
        """The comparisons."""
        return self.items

    @property
    def significant(self) -> int:
        """How many of the pairs differ, by the adjusted p where there is one."""
        return sum(isinstance(one, Comparison) and one.differs for one in self.items)

    def between(self, a: str, b: str) -> Answer:
        """The comparison of two systems, in whichever order it was made."""
        for one in self.items:
            if isinstance(one, Comparison) and {one.a, one.b} == {a, b}:
                return one
        there = sorted({name for c in self.items if isinstance(c, Comparison) for name in (c.a, c.b)})
        raise TruegainError(f"{a} and {b} were not compared; there are {some(there)}")

    def table(self) -> Table:
        """A row an answer."""
        made: Table = table_of(self.items, made_by=self.made_by)
        return Table(made.columns, made.rows, made.made_by, made.title, (*self.notes, *made.notes))

    def frame(self) -> pl.DataFrame:
        """A polars frame."""
        return self.table().frame()

    def to_dict(self) -> dict[str, object]:
        """How they were made, the notes, and a record an answer."""
        return {"made_by": dict(self.made_by), "notes": list(self.notes), "rows": self.table().records()}

    def __str__(self) -> str:
        return str(self.table())
