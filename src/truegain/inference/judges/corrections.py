"""What scores would be without the judge's errors: naive and corrected side by side, system by system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from truegain.inference.results import Answers, Estimate
from truegain.tables.table import Cell, Table

COLUMNS = ("system", "measure", "naive", "value", "low", "high", "se", "method", "gold", "n", "gold_pairs")
FEW = 5


def sentence_of(answer: Estimate) -> str:
    """What a manager can read."""
    head = f"{answer.system}: by the bronze labels {answer.measure} is {answer.naive:.3f}"
    if answer.refused:
        return f"{head}; it cannot be corrected soundly ({'; '.join(answer.notes)})."
    inside = answer.naive is not None and answer.low <= answer.naive <= answer.high
    so = "which holds the bronze score too" if inside else "which does not hold the bronze score"
    return (
        f"{head}; corrected it is {answer.value:.3f}, with {answer.confidence:.0%} confidence between {answer.low:.3f} "
        f"and {answer.high:.3f}, {so}."
    )


@dataclass(frozen=True, repr=False)
class Corrections(Answers[Estimate]):
    """Corrected scores (`value`) beside the naive ones; the notes say what was measured of the judge and how."""

    best: tuple[str, ...] = ()  # by measure: which system is the best, or which may be

    def table(self) -> Table:
        """A row a system and measure; notes below."""
        rows: list[tuple[Cell, ...]] = [
            (a.system, a.measure, a.naive, *((None,) * 3 if a.refused else (a.value, a.low, a.high)), a.se, a.method,
             a.gold, a.n, a.gold_pairs)
            for a in self
        ]  # fmt: skip
        return Table(COLUMNS, rows, self.made_by, "", (*self.notes, *self.sentences(), *self._notes_by_system()))

    def sentences(self) -> tuple[str, ...]:
        """What a manager can read: each system where there are few, and which of them may be the best."""
        each = tuple(sentence_of(a) for a in self) if len(self) <= FEW else ()
        return (*each, *self.best)

    def _notes_by_system(self) -> tuple[str, ...]:
        systems: dict[str, list[str]] = {}
        several = len({a.measure for a in self}) > 1
        for a in self:
            for note in a.notes:
                systems.setdefault(note, []).append(f"{a.system}, {a.measure}" if several else a.system)
        return tuple(f"{_who(names, len(self))}: {note}" for note, names in systems.items())


def _who(names: Sequence[str], of: int) -> str:
    if len(names) == of and of > 1:
        return "all systems"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
