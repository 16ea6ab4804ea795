"""Comparisons of the same systems on several measures, each measure by itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Self, Unpack, overload

from truegain.errors import TruegainError
from truegain.inference.differences.comparisons import Comparisons, wide_of
from truegain.inference.results import Answers, Comparison
from truegain.tables.paper_style import PaperStyle, PaperWords
from truegain.tables.table import Table, joined


class JoinedPairs(Sequence[Comparison]):
    """The pairs of several comparisons, one after the other."""

    def __init__(self, parts: Sequence[Comparisons]) -> None:
        self.parts = tuple(parts)
        self.ends = list(accumulate(map(len, parts)))

    def __len__(self) -> int:
        return self.ends[-1]

    @overload
    def __getitem__(self, at: int) -> Comparison: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Comparison]: ...

    def __getitem__(self, at: int | slice) -> Comparison | Sequence[Comparison]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        place = range(len(self))[at]
        part = bisect_right(self.ends, place)
        return self.parts[part].items[place - (self.ends[part - 1] if part else 0)]

    def __iter__(self) -> Iterator[Comparison]:
        for part in self.parts:
            yield from part


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonsByMeasure(Answers[Comparison]):
    """All pairs on all measures; `on` has those of one.

    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    >>> poor = {str(t): {"a": 1.0, "b": 2.0 if t < 5 else 0.0} for t in range(6)}
    >>> found = tg.compare({"good": good, "poor": poor}, qrels, ["AP", "P@1"])
    >>> round(found.between("good", "poor", "P@1").difference, 4)
    -0.8333
    >>> round(found.on("AP").between("poor", "good").difference, 4)
    0.4167
    """

    parts: tuple[Comparisons, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Comparisons]) -> Self:
        """Comparisons of one measure each."""
        notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        return cls(JoinedPairs(parts), parts[0].made_by, notes, tuple(parts))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in their order."""
        return tuple(part.items.measure for part in self.parts)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the first measure."""
        return self.parts[0].systems

    def on(self, measure: str) -> Comparisons:
        """The comparisons on one measure."""
        for part in self.parts:
            if part.items.measure == measure:
                return part
        raise TruegainError(f"on which measure? There are {', '.join(self.measures)}")

    @property
    def significant(self) -> int:
        """How many of the pairs differ, all measures together."""
        return sum(part.significant for part in self.parts)

    def between(self, a: str, b: str, measure: str | None = None) -> Comparison:
        """The difference b - a as asked, on one of the measures."""
        if measure is None:
            raise TruegainError(f"on which measure? Ask between({a!r}, {b!r}, {self.measures[0]!r})")
        return self.on(measure).between(a, b)

    def table(self) -> Table:
        """The pairs, a row each and measure."""
        return joined([part.table() for part in self.parts], self.measures)

    def tables(self) -> list[Table]:
        """What is shown of each measure."""
        return [table for part in self.parts for table in part.tables()]

    def in_short(self) -> str:
        """How many pairs differ on each measure."""
        return "; ".join(part.in_short() for part in self.parts)

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """A row a system, a column a measure, with the systems it beats, or daggers against the baseline."""
        return wide_of(self.parts).table(PaperStyle.of(style))

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Self:
        """The same under other names of systems, and without a prefix of them."""
        parts = [part.renamed(names, strip) for part in self.parts]
        return replace(type(self).of(parts), notes=self.notes)
