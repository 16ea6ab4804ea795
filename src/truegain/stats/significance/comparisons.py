"""What a comparison of systems gives: pairs, groups not significantly different, tables, one or several measures."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from string import ascii_lowercase
from typing import Any, Self, Unpack, overload

import numpy as np

from truegain.errors import TruegainError, some
from truegain.io.columns import Bools, Floats, frozen
from truegain.message import argname
from truegain.results.base import PaperStyle, PaperWords, Table, joined
from truegain.results.paper_table import Column, Wide, letters_of, raised
from truegain.results.table import cells, new_names
from truegain.stats.contrasts import tiers_of
from truegain.stats.results import Comparison, Estimate, ResultList, about, best_first, by_which_test
from truegain.stats.significance import FamilyResults, Places

# ---- The pairs of a comparison as arrays, of which a `Comparison` is made when somebody looks at it.

AT_A_TIME = 10_000  # pairs made into objects
EFFECTS = {
    "dz": "the mean difference over the standard deviation of the differences",
    "Hedges g": "the difference over the pooled standard deviation, corrected for few topics",
    "ES_HSD (V_E2)": "the difference over the residual standard deviation of the two-way ANOVA",
    "ES_HSD (V_E1)": "the difference over the residual standard deviation of the one-way analysis",
}


@dataclass(frozen=True, eq=False)
class PairList(Sequence[Comparison]):
    """Pairs of systems with what a test found; thousands of systems have millions of them."""

    systems: tuple[str, ...]
    first: Places
    second: Places
    results: FamilyResults
    adjusted: Floats | None
    measure: str
    test: str
    adjustment: str
    confidence: float

    @property
    def shown(self) -> Floats:
        """The adjusted p of every pair where there is one, else p."""
        return self.results.p if self.adjusted is None else self.adjusted

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, at: int) -> Comparison: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Comparison]: ...

    def __getitem__(self, at: int | slice) -> Comparison | Sequence[Comparison]:
        places = np.arange(len(self))[at]
        return self._made(places) if isinstance(at, slice) else self._made(np.atleast_1d(places))[0]

    def __iter__(self) -> Iterator[Comparison]:
        for start in range(0, len(self), AT_A_TIME):
            yield from self._made(np.arange(start, min(start + AT_A_TIME, len(self))))

    def place(self, a: str, b: str) -> int | None:
        """Where the pair of two systems stands, in whichever order; None where it was not compared."""
        if a not in self.systems or b not in self.systems:
            return None
        i, j = self.systems.index(a), self.systems.index(b)
        same = ((self.first == i) & (self.second == j)) | ((self.first == j) & (self.second == i))
        at = np.flatnonzero(same)
        return int(at[0]) if len(at) else None

    @cached_property
    def effect_name(self) -> str:
        """What the effect sizes are called; empty where there is none."""
        return "" if np.isnan(self.results.effect).all() else self.results.effect_name

    def columns(self, places: Places | slice = slice(None)) -> dict[str, Sequence[Any]]:
        """By name the columns that hold something, of all pairs or of some."""
        f, named = self.results, np.array(self.systems, dtype=object)
        a, b = named[self.first[places]].tolist(), named[self.second[places]].tolist()
        first, second = f.first[places], f.second[places]
        limits = {} if f.low is None or f.high is None else {"low": f.low[places], "high": f.high[places]}
        adjusted = {} if self.adjusted is None else {"p_adjusted": self.adjusted[places]}
        effect = {"effect": f.effect[places]} if self.effect_name else {}
        numbers = {
            "value_a": first, "value_b": second, "difference": second - first, **limits, "p": f.p[places], **adjusted,
            **effect, "n": f.n[places],
        }  # fmt: skip
        columns = {
            name: cells(column.tolist()) if name in ("effect", "low", "high") else column.tolist()
            for name, column in numbers.items()
        }
        return {"a": a, "b": b, "measure": [self.measure] * len(a), **columns}

    def _made(self, places: Places) -> tuple[Comparison, ...]:
        none = [None] * len(places)
        columns = {"low": none, "high": none, **self.columns(places)}
        of_all: dict[str, Any] = {
            "test": self.test, "adjustment": self.adjustment, "confidence": self.confidence,
            "effect_name": self.results.effect_name,
        }  # fmt: skip
        rows = zip(*columns.values(), strict=True)
        return tuple(Comparison(**dict(zip(columns, row, strict=True)), **of_all) for row in rows)


# ---- Groups of systems that do not differ significantly: the compact letter display.

LETTERS = len(ascii_lowercase)


def groups_of(differ: Bools) -> tuple[tuple[int, ...], ...]:
    """Largest sets in which no two systems differ, in the order of their first members.

    Two systems share a group if and only if they do not differ: the groups are the maximal cliques of the graph of
    pairs that do not differ (Bron and Kerbosch 1973, Comm. ACM 16(9)).  Tests that look at the difference of means
    alone, as Tukey's do, give at most one group a system, each a stretch of the ranking.  Where other tests give more
    groups than systems (and than 26), only stretches of the ranking are taken; then two systems without a common group
    may still not differ, which `is_complete` tells.

    Piepho 2004, J. Comput. Graph. Stat. 13(2).

    >>> groups_of(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ((0, 1), (1, 2))
    """
    chosen = _stretches(differ)
    if not is_complete(differ, chosen):  # else every clique lies in a stretch: there are no others
        chosen = _maximal_cliques(_bits_of(~differ)) or chosen
    return tuple(sorted(chosen))


def is_complete(differ: Bools, groups: Sequence[Sequence[int]]) -> bool:
    """Whether all pairs that do not differ share a group."""
    m = len(differ)
    if all(len(group) == group[-1] - group[0] + 1 for group in groups):  # stretches: who is the last one to share?
        last = np.arange(m)
        for group in groups:
            last[group[0]] = max(last[group[0]], group[-1])
        shared = np.triu(np.arange(m)[None, :] <= np.maximum.accumulate(last)[:, None])
        return bool((shared | differ)[np.triu_indices(m, 1)].all())
    shared = np.eye(m, dtype=np.bool_)
    for group in groups:
        shared[np.ix_(group, group)] = True
    return bool((shared | differ).all())


def marks(groups: Sequence[Sequence[int]], systems: int) -> list[str]:
    """For each system the groups it is in: letters, or numbers where there are more than 26 groups.

    >>> marks([(0, 1), (1, 2)], 3)
    ['a', 'ab', 'b']
    >>> marks([(i, i + 1, i + 2, i + 3) for i in range(30)], 33)[9]
    '7-10'
    """
    names = letters_of(len(groups))
    own: list[list[int]] = [[] for _ in range(systems)]
    for g, group in enumerate(groups):
        for system in group:
            own[system].append(g)
    return [raised(mine, names) for mine in own]


def _maximal_cliques(alike: Sequence[int]) -> list[tuple[int, ...]] | None:
    """All maximal cliques, sets as bits; None where there are too many."""
    cliques: list[tuple[int, ...]] = []
    waiting: list[tuple[int, int, int]] = [(0, (1 << len(alike)) - 1, 0)]
    while waiting:
        members, candidates, done = waiting.pop()
        if not candidates and not done:
            cliques.append(tuple(_bits(members)))
            if len(cliques) > max(LETTERS, len(alike)):
                return None
            continue
        if not candidates:
            continue
        pivot = max(_bits(candidates | done), key=lambda v: (candidates & alike[v]).bit_count())
        for v in _bits(candidates & ~alike[pivot]):
            bit = 1 << v
            waiting.append((members | bit, candidates & alike[v], done & alike[v]))
            candidates &= ~bit
            done |= bit
    return cliques


def _bits_of(alike: Bools) -> list[int]:
    """For each system the others it does not differ from, as bits."""
    others = alike & ~np.eye(len(alike), dtype=np.bool_)
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(others, axis=1, bitorder="little")]


def _bits(number: int) -> list[int]:
    places = []
    while number:
        low = number & -number
        places.append(low.bit_length() - 1)
        number ^= low
    return places


def _stretches(differ: Bools) -> list[tuple[int, ...]]:
    """Longest stretches of the ranking in which no two systems differ."""
    m = len(differ)
    stretches: list[tuple[int, ...]] = []
    end = 0
    for start in range(m):
        reached = end
        while end + 1 < m and not differ[start : end + 1, end + 1].any():
            end += 1
        if end > reached or start == 0:
            stretches.append(tuple(range(start, end + 1)))
    return stretches


# ---- What a comparison of systems says: pairs, groups that do not differ significantly, tables.

ALL_PAIRS_SHOWN = 6  # systems, at most


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(ResultList[Comparison]):
    """Every pair that was compared on one measure, and the systems' means with their intervals, best first.

    Attributes
    ----------
    items : sequence of Comparison
        The pairs; `frame()` has a row each, with the columns `a`, `b`, `measure`, `value_a`, `value_b`,
        `difference`, `low` and `high` (where the test has limits), `p`, `p_adjusted` (where it is adjusted), `effect`
        and `n`.
    provenance : dict
        How they were made.
    notes : tuple of str
        What holds for all pairs.
    means : tuple of Estimate
        The mean of each system, best first.
    baseline : str, optional
        The system that all others were compared with.
    logs : bool
        Whether means are logarithms, of a geometric mean.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    >>> poor = {str(t): {"a": 1.0, "b": 2.0 if t < 5 else 0.0} for t in range(6)}
    >>> comparison = tg.compare({"poor": poor, "good": good}, qrels, "AP")
    >>> comparison.significant, comparison.groups()
    (1, (('good',), ('poor',)))
    """

    items: PairList
    means: tuple[Estimate, ...] = ()
    baseline: str | None = None
    logs: bool = False

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first."""
        return self.items.systems

    @property
    def alpha(self) -> float:
        """Pairs with p below this differ."""
        return round(1 - self.items.confidence, 12)

    @cached_property
    def p(self) -> Floats:
        """The matrix of (adjusted) p-values in the order of `systems`; pairs that were not asked for are NaN."""
        p = np.full((len(self.systems), len(self.systems)), np.nan)
        np.fill_diagonal(p, 1.0)
        first, second = self.items.first, self.items.second
        p[first, second] = p[second, first] = self.items.shown
        return frozen(p)

    @property
    def differ(self) -> Bools:
        """Which pairs differ, in the order of `systems`."""
        return self.p < self.alpha

    @property
    def significant(self) -> int:
        """How many of the pairs differ."""
        return int((self.items.shown < self.alpha).sum())

    def between(self, a: str, b: str, measure: str | None = None) -> Comparison:
        """The difference b - a as asked, in whichever order it was made.

        Parameters
        ----------
        a, b : str
            The two systems.
        measure : str, optional
            The measure of these comparisons; no other is here.

        Returns
        -------
        Comparison
            The difference b - a.
        """
        at = self.items.place(a, b)
        if at is None:
            raise TruegainError(f"{a} and {b} were not compared; there are {some(self.systems)}")
        if measure not in (None, self.items.measure):
            raise TruegainError(f"on which measure? There is {self.items.measure}")
        return self.items[at] if self.items[at].a == a else self.items[at].turned()

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems that do not differ significantly, best first; one may be in several (see `groups_of`).

        Returns
        -------
        tuple of tuple of str
            The systems of each group, the best group first.
        """
        self._all_pairs()
        return tuple(tuple(self.systems[i] for i in group) for group in groups_of(self.differ))

    def tiers(self) -> tuple[int, ...]:
        """The tier of each system in the order of `systems`, from 1 (see `tiers_of`).

        Returns
        -------
        tuple of int
            A tier for each system, from 1.
        """
        self._all_pairs()
        return tuple(tiers_of(np.triu(self.differ))[0].tolist())  # systems are best first

    def table(self) -> Table:
        """The pairs, a row each."""
        name = self.items.effect_name
        effect = (f"effect size: {name}, {EFFECTS[name]}",) if name else ()
        columns = self.items.columns()
        rows = list(zip(*columns.values(), strict=True))
        return Table(tuple(columns), rows, self.provenance, self._title(), (*self.notes, *effect))

    def group_table(self) -> Table:
        """The systems, a row each, best first, with the groups they are in and how many others they differ from.

        Returns
        -------
        Table
            A row a system.
        """
        self._all_pairs()
        differ = self.differ
        groups = groups_of(differ)
        columns = ("system", "mean", "low", "high", "group", "differs_from")
        beside = zip(self.means, marks(groups, len(self.systems)), differ.sum(axis=1).tolist(), strict=True)
        rows = [(e.system, e.value, e.low, e.high, mark, count) for e, mark, count in beside]
        rest = (
            "; groups are stretches of the ranking, so some pairs without a common letter do not differ either "
            "(see the pairs)"
        )
        if is_complete(differ, groups):
            rest = "; all other pairs do"
        reading = f"systems that share a letter in `group` do not differ significantly{rest}"
        limits = f"low and high: {self.means[0].confidence:g} confidence {self.means[0].method}"
        return Table(columns, rows, self.provenance, self._title(), (reading, limits, *self.notes))

    def _title(self) -> str:
        one = self.items
        test = f"{one.test}, {one.adjustment}" if one.adjustment else one.test
        pairs = "pair differs" if len(self) == 1 else "pairs differ"
        return f"{one.measure}: {self.significant:,} of {len(self):,} {pairs} ({test}, p < {self.alpha:g})"

    def _all_pairs(self) -> None:
        if self.baseline is not None:
            raise TruegainError(
                f"only pairs with the baseline were compared; groups need all pairs: leave {argname('baseline')} off"
            )

    def tables(self) -> list[Table]:
        """The pairs; of many systems the groups that do not differ significantly."""
        many = self.baseline is None and len(self.systems) > ALL_PAIRS_SHOWN
        return [self.group_table() if many else self.table()]

    def in_short(self) -> str:
        """How many pairs differ, by which test."""
        return self._title()

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """A row a system, best first, with the systems it beats, or daggers against the baseline.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`.

        Returns
        -------
        Table
            What `latex`, `markdown` and `html` write.
        """
        return wide_of([self]).table(PaperStyle.of(style))

    def column(self) -> Column:
        """The measure, for a wide table.

        Returns
        -------
        Column
            The values of the systems, with whom each one beats.
        """
        beats = {
            s: [self.systems[j] for j in np.flatnonzero(row[i + 1 :]) + i + 1]
            for i, (s, row) in enumerate(zip(self.systems, self.differ, strict=True))
        }
        value, low, high = ({e.system: getattr(e, end) for e in self.means} for end in ("value", "low", "high"))
        if self.logs:
            value, low, high = ({s: math.exp(x) for s, x in ends.items()} for ends in (value, low, high))
        return Column(self.items.measure, value, low, high, beats)

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Self:
        """These comparisons under other names of systems, and without a prefix of them.

        Parameters
        ----------
        names : mapping of str to str, optional
            Other names of some systems.
        strip : str
            A prefix that names lose.

        Returns
        -------
        Comparisons
            The same comparisons under these names.
        """
        new = new_names(self.systems, names, strip)
        baseline = None if self.baseline is None else new[self.baseline]
        return replace(
            self, items=replace(self.items, systems=tuple(new.values())), baseline=baseline,
            provenance={**self.provenance, "baseline": baseline},
            means=tuple(replace(e, system=new[e.system]) for e in self.means),
        )  # fmt: skip


def wide_of(parts: Sequence[Comparisons]) -> Wide:
    """Comparisons of the same systems on several measures, side by side; rows best first by the first of them."""
    first = parts[0]
    columns = tuple(part.column() for part in parts)
    topics = sorted({int(n) for part in parts for n in (part.items.results.n.min(), part.items.results.n.max())})
    marked = by_which_test(
        first.items.test, first.items.adjustment, len(first), first.items.confidence, measures=len(parts),
        trials=first.provenance.get("resamples"),
    )  # fmt: skip
    one = first.means[0]
    limits = f"{100 * one.confidence:g}% intervals of the means ({one.method.removeprefix('interval, ')})"
    return Wide(
        best_first({s: float(x) for s, x in columns[0].value.items() if isinstance(x, float)}, first.baseline),
        columns,
        about([c.name for c in columns], len(first.systems), topics),
        marked,
        baseline=first.baseline,
        limits=limits,
        provenance=first.provenance,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


# ---- Comparisons of the same systems on several measures, each measure by itself.


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
class ComparisonsByMeasure(ResultList[Comparison]):
    """All pairs on all measures; `on` has those of one.

    Attributes
    ----------
    items : sequence of Comparison
        The pairs of all measures, one measure after the other; columns as in `Comparisons`.
    parts : tuple of Comparisons
        The comparisons on each measure.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    >>> poor = {str(t): {"a": 1.0, "b": 2.0 if t < 5 else 0.0} for t in range(6)}
    >>> comparison = tg.compare({"good": good, "poor": poor}, qrels, ["AP", "P@1"])
    >>> round(comparison.between("good", "poor", "P@1").difference, 4)
    -0.8333
    >>> round(comparison.on("AP").between("poor", "good").difference, 4)
    0.4167
    """

    parts: tuple[Comparisons, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Comparisons]) -> Self:
        """Comparisons of one measure each.

        Parameters
        ----------
        parts : sequence of Comparisons
            The comparisons by each measure.

        Returns
        -------
        ComparisonsByMeasure
            All of them.
        """
        notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        return cls(JoinedPairs(parts), parts[0].provenance, notes, tuple(parts))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in their order."""
        return tuple(part.items.measure for part in self.parts)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the first measure."""
        return self.parts[0].systems

    def on(self, measure: str) -> Comparisons:
        """The comparisons on one measure.

        Parameters
        ----------
        measure : str
            The measure.

        Returns
        -------
        Comparisons
            The comparisons by it.
        """
        for part in self.parts:
            if part.items.measure == measure:
                return part
        raise TruegainError(f"on which measure? There are {', '.join(self.measures)}")

    @property
    def significant(self) -> int:
        """How many of the pairs differ, all measures together."""
        return sum(part.significant for part in self.parts)

    def between(self, a: str, b: str, measure: str | None = None) -> Comparison:
        """The difference b - a as asked, on one of the measures.

        Parameters
        ----------
        a, b : str
            The two systems.
        measure : str, optional
            By which measure; to be named, as there are several.

        Returns
        -------
        Comparison
            The difference b - a.
        """
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
        """A row a system, a column a measure, with the systems it beats, or daggers against the baseline.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`.

        Returns
        -------
        Table
            What `latex`, `markdown` and `html` write.
        """
        return wide_of(self.parts).table(PaperStyle.of(style))

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Self:
        """These comparisons under other names of systems, and without a prefix of them.

        Parameters
        ----------
        names : mapping of str to str, optional
            Other names of some systems.
        strip : str
            A prefix that names lose.

        Returns
        -------
        ComparisonsByMeasure
            The same comparisons under these names.
        """
        parts = [part.renamed(names, strip) for part in self.parts]
        return replace(type(self).of(parts), notes=self.notes)
