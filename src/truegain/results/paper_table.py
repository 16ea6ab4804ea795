"""One wide table for a paper: systems by measures, the best in bold, who is better than whom raised beside it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from string import ascii_lowercase

from truegain.errors import TruegainError, some, there_are
from truegain.message import argname
from truegain.results.base import PaperStyle, Table
from truegain.results.table import BETTER, WORSE, Cell, Marked, new_names

LABEL = "tab:results"
MOST = len(ascii_lowercase)  # systems that are named beside a score; of more it is said how many


@dataclass(frozen=True)
class Column:
    """A measure: the value of each system, its limits, and the systems that each one is better than."""

    name: str
    value: Mapping[str, float | str | None]
    low: Mapping[str, float | None] = field(default_factory=dict)
    high: Mapping[str, float | None] = field(default_factory=dict)
    beats: Mapping[str, Collection[str]] | None = None
    count: bool = False  # whole numbers, of which the largest is not the best

    def best(self, systems: Sequence[str], style: PaperStyle) -> frozenset[str]:
        """The systems whose value, as it is printed, is the largest; none where there is nothing to choose from."""
        if self.count or not style.bold:
            return frozenset()
        values = {s: x for s in systems if isinstance(x := self.value.get(s), float) and not math.isnan(x)}
        if len(values) < 2:
            return frozenset()
        printed = {s: f"{x * style.times:.{style.decimals}f}" for s, x in values.items()}
        top = printed[max(values, key=lambda s: values[s])]
        return frozenset(s for s, x in printed.items() if x == top)


@dataclass(frozen=True)
class Wide:
    """What a wide table is made of: systems in order, a column a measure, and sentences for the caption.

    about: what the scores are; marked: by which test systems are marked; limits: what the intervals are.

    >>> ap = Column("AP", {"x": 0.25, "y": 0.3}, beats={"y": ["x"]})
    >>> print(Wide(("x", "y"), (ap,), "AP of 2 systems.", marked="by a t test").table(PaperStyle()))
    AP of 2 systems. Best in bold. Superscripts: the systems that it is significantly better than, by a t test.
    <BLANKLINE>
    #  system  AP
    a  x       0.2500
    b  y       0.3000* a
    <BLANKLINE>
    * stands for bold: the best of its column
    """

    systems: tuple[str, ...]
    columns: tuple[Column, ...]
    about: str
    marked: str = ""
    limits: str = ""
    with_limits: bool = False  # where a style does not say
    baseline: str | None = None
    provenance: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def table(self, style: PaperStyle) -> Table:
        """The table as a style says."""
        systems = self._chosen(style)
        names = new_names(self.systems, style.names, style.strip)
        lettered = any(c.beats is not None for c in self.columns) and self.baseline is None
        letters = dict(zip(systems, letters_of(len(systems)), strict=True))
        best = [c.best(systems, style) for c in self.columns]
        with_limits = self.with_limits if style.intervals is None else style.intervals
        if with_limits and not any(c.low for c in self.columns):
            raise TruegainError(f"{argname('intervals')}: these scores have none; leave it out")
        rows: list[tuple[Cell, ...]] = []
        for s in systems:
            first: tuple[Cell, ...] = (letters[s], names[s]) if lettered else (names[s],)
            marks = [self._marks(c, s, systems, letters) for c in self.columns]
            rows.append(
                (*first, *(_cell(c, s, s in b, m, style, with_limits)
                           for c, b, m in zip(self.columns, best, marks, strict=True)))
            )  # fmt: skip
        heads = (*(("#",) if lettered else ()), "system", *(c.name for c in self.columns))
        caption = (
            self._caption(names, any(best), with_limits, style, len(systems))
            if style.caption is None
            else style.caption
        )
        label = LABEL if style.label is None else style.label
        return Table(heads, rows, self.provenance, caption, self.notes, label)

    def _chosen(self, style: PaperStyle) -> tuple[str, ...]:
        if style.systems is None:
            return self.systems
        lost = [s for s in style.systems if s not in self.systems]
        if lost or not style.systems:
            raise TruegainError(f"systems: there is no {some(lost) or 'system'}; {there_are(lost, self.systems)}")
        return tuple(dict.fromkeys(style.systems))

    def _marks(self, column: Column, system: str, systems: Sequence[str], letters: Mapping[str, str]) -> str:
        if column.beats is None:
            return ""
        beaten = set(column.beats.get(system, ()))
        if self.baseline is None:
            mine = [i for i, s in enumerate(systems) if s in beaten]
            return raised(mine, list(letters.values())) if len(systems) <= MOST else str(len(mine) or "")
        worse = system in column.beats.get(self.baseline, ())
        return BETTER if self.baseline in beaten else WORSE if worse else ""

    def _caption(self, names: Mapping[str, str], bold: bool, limits: bool, style: PaperStyle, n: int) -> str:
        sentences = [self.about, "Scores are times 100." if style.percent else "", "Best in bold." if bold else ""]
        if self.marked and self.baseline is None:
            which = "the systems that" if n <= MOST else f"how many of the other {n - 1} systems"
            sentences.append(f"Superscripts: {which} it is significantly better than, {self.marked}.")
        elif self.marked:
            of = names[self.baseline or ""]
            sentences.append(f"{BETTER}: significantly better than {of}, {WORSE}: significantly worse, {self.marked}.")
        if limits and self.limits:
            sentences.append(f"Brackets: {self.limits}.")
        return " ".join(x for x in sentences if x)


def _cell(column: Column, system: str, best: bool, marks: str, style: PaperStyle, limits: bool) -> Cell:
    value = column.value.get(system)
    if isinstance(value, str):
        return value
    if column.count:
        return None if value is None or math.isnan(value) else round(value)
    interval = [m.get(system) if limits else None for m in (column.low, column.high)]
    value, low, high = (None if x is None or math.isnan(x) else x * style.times for x in (value, *interval))
    return Marked(value, best, marks, low, high, style.decimals)


def letters_of(n: int) -> list[str]:
    """Names for so many systems: letters, or numbers where there are more than 26.

    >>> letters_of(3), letters_of(27)[-1]
    (['a', 'b', 'c'], '27')
    """
    return list(ascii_lowercase[:n]) if n <= MOST else [str(i + 1) for i in range(n)]


def raised(mine: Sequence[int], names: Sequence[str]) -> str:
    """Several of the names, long runs of them shortened to first-last.

    >>> raised([0, 2], "abc"), raised([0, 1, 2, 4, 5], letters_of(30)), raised([], "abc")
    ('ac', '1-3,5,6', '')
    """
    few = len(names) <= MOST
    words: list[str] = []
    for _, pairs in groupby(enumerate(mine), key=lambda pair: pair[1] - pair[0]):
        run = [names[i] for _, i in pairs]
        words += [f"{run[0]}-{run[-1]}"] if len(run) > (3 if few else 2) else run
    return ("" if few else ",").join(words)
