"""What scores would be without the judge's errors, beside the naive ones, and which systems may be the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from truegain.errors import TruegainError, some
from truegain.inference.results import Answers, Estimate
from truegain.message import Message, with_marks
from truegain.tables.table import Cell, Table

COLUMNS = ("system", "measure", "naive", "value", "low", "high", "se", "method", "gold", "n", "gold_pairs")
FEW = 5
NAMED = 10  # systems that may be the best, at most


def sentence_of(answer: Estimate) -> str:
    """What a manager can read."""
    head = f"{answer.system}: by the bronze labels {answer.measure} is {answer.naive:.3f}"
    if answer.refused:
        return Message(f"{head}; it cannot be corrected soundly ({'; '.join(map(with_marks, answer.notes))}).")
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
        return tuple(Message(f"{_who(names, len(self))}: {with_marks(note)}") for note, names in systems.items())


def _who(names: Sequence[str], of: int) -> str:
    if len(names) == of and of > 1:
        return "all systems"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


@dataclass(frozen=True)
class Leaders:
    """The systems of which one is the best, the highest first, and how many of the pairs there are were in question."""

    measure: str
    systems: tuple[str, ...]
    worse: int
    refused: int
    pairs: int
    confidence: float

    @property
    def sentence(self) -> str:
        """The best by name, or those that may be."""
        by = f", Bonferroni over all {self.pairs} pairs" if self.pairs > 1 else ""
        sure = f"{self.confidence:.0%} confidence{by}"
        left = f"; without an answer, so compared with none: {self.refused}" if self.refused else ""
        if len(self.systems) == 1 and not self.worse:
            return f"Which system is best on {self.measure} cannot be told: {self.systems[0]} alone has an answer."
        if len(self.systems) == 1:
            of = " of those with an answer" if self.refused else ""
            return f"Best on {self.measure}{of}: {self.systems[0]}, told apart from all others ({sure}{left})."
        worse = f"; worse than {self.systems[0]}: {self.worse}" if self.worse else ""
        may = some(self.systems, most=NAMED)
        return f"Which system is best on {self.measure} cannot be told: {may} may be{worse} ({sure}{left})."


def leaders_of(
    answers: Sequence[Estimate], difference: Callable[[int, int], tuple[float, float]], confidence: float
) -> Leaders | None:
    """The systems that are not told apart from the one with the highest corrected score; None where none has one.

    difference: of two systems by number, the first less the second, with its two-sided p.  A system is told apart
    where p times the number of all pairs of systems is below 1 - confidence: whichever system came out highest, what
    is said of the best is then wrong no more often than that.  A pair that cannot be compared is not told apart.

    Hsu 1981, Annals of Statistics 9(5), has the sharper form for comparisons with the best only; this one never says
    more than the table of all pairs.

    >>> three = [Estimate(s, "P@10", v, 0, 1) for s, v in zip("abc", (0.2, 0.6, 0.5))]
    >>> leaders_of(three, lambda i, j: (0.1, 0.3 if j == 2 else 0.001), 0.95).systems
    ('b', 'c')
    """
    sound = [i for i, a in enumerate(answers) if not a.refused]
    if not sound:
        return None
    order = sorted(sound, key=lambda i: -answers[i].value)
    top, pairs = order[0], max(1, len(answers) * (len(answers) - 1) // 2)
    may = [top, *(i for i in order[1:] if not _worse(difference, top, i, (1 - confidence) / pairs))]
    return Leaders(
        answers[top].measure, tuple(answers[i].system for i in may), len(sound) - len(may), len(answers) - len(sound),
        pairs, confidence,
    )  # fmt: skip


def _worse(difference: Callable[[int, int], tuple[float, float]], top: int, other: int, alpha: float) -> bool:
    try:
        by, p = difference(top, other)
    except TruegainError:
        return False
    return by > 0 and p < alpha
