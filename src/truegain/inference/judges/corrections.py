"""What scores would be without the judge's errors: naive and corrected side by side, system by system."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from truegain.errors import TruegainError, some
from truegain.tables.table import Cell, Table

COLUMNS = ("system", "measure", "naive", "corrected", "low", "high", "se", "method", "gold", "topics", "gold pairs")
FEW = 5


@dataclass(frozen=True)
class Correction:
    """One system on one measure; value and interval are None where the correction was refused: the notes say why."""

    system: str
    measure: str
    naive: float
    value: float | None
    low: float | None
    high: float | None
    se: float | None
    confidence: float
    method: str
    design: str
    topics: int
    gold_pairs: int
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """Width of the interval."""
        return math.nan if self.low is None or self.high is None else self.high - self.low

    @property
    def sentence(self) -> str:
        """What a manager can read."""
        head = f"{self.system}: by the bronze labels {self.measure} is {self.naive:.3f}"
        if self.value is None or self.low is None or self.high is None:
            return f"{head}; it cannot be corrected soundly ({'; '.join(self.notes)})."
        inside = self.low <= self.naive <= self.high
        so = "which holds the bronze score too" if inside else "which does not hold the bronze score"
        return (
            f"{head}; corrected it is {self.value:.3f}, with {self.confidence:.0%} confidence between {self.low:.3f} "
            f"and {self.high:.3f}, {so}."
        )

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, eq=False)
class Corrections:
    """Corrected scores of all systems and measures, with what was measured of the judge and how."""

    answers: tuple[Correction, ...]
    about: tuple[str, ...] = ()  # the judge, and what holds for all systems
    best: tuple[str, ...] = ()  # by measure: which system is the best, or which may be
    made_by: Mapping[str, object] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Correction]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, key: tuple[str, str] | int) -> Correction:
        if isinstance(key, int):
            return self.answers[key]
        for a in self.answers:
            if (a.system, a.measure) == key:
                return a
        raise TruegainError(
            f"there is no answer for {key}; there are {some([f'{a.system}, {a.measure}' for a in self])}"
        )

    def table(self) -> Table:
        """A row a system and measure; notes below."""
        rows: list[tuple[Cell, ...]] = [
            (a.system, a.measure, a.naive, a.value, a.low, a.high, a.se, a.method, a.design, a.topics, a.gold_pairs)
            for a in self.answers
        ]
        return Table(COLUMNS, rows, self.made_by, "", (*self.about, *self.sentences(), *self._notes_by_system()))

    def sentences(self) -> tuple[str, ...]:
        """What a manager can read: each system where there are few, and which of them may be the best."""
        each = tuple(a.sentence for a in self.answers) if len(self.answers) <= FEW else ()
        return (*each, *self.best)

    def _notes_by_system(self) -> tuple[str, ...]:
        systems: dict[str, list[str]] = {}
        several = len({a.measure for a in self.answers}) > 1
        for a in self.answers:
            for note in a.notes:
                systems.setdefault(note, []).append(f"{a.system}, {a.measure}" if several else a.system)
        return tuple(f"{_who(names, len(self.answers))}: {note}" for note, names in systems.items())

    def __str__(self) -> str:
        return str(self.table())

    __repr__ = __str__


def _who(names: Sequence[str], of: int) -> str:
    if len(names) == of and of > 1:
        return "all systems"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
