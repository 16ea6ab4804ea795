"""What every format writes: named columns of cells, what is said of them, and other names for systems."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from truegain.errors import InputError, TruegainError, some, there_are
from truegain.io.files import PathLike, read_bytes, shown_path
from truegain.io.plain_text import plain_text
from truegain.message import Message, argname

BETTER, WORSE = "†", "‡"  # than a baseline
LEAST_COST = 0.1  # below which two decimals would hide a cost


class Marked(float):
    """A number of a table for papers: whether it is the best of its column, what is raised beside it, its limits.

    Programs see the number, NaN where there is none.

    >>> print(Marked(0.25, best=True, marks="ab", low=0.2, high=0.31, digits=2))
    0.25* ab [0.20, 0.31]
    >>> print(Marked(-0.00001))
    0.0000
    """

    best: bool
    marks: str
    low: float | None
    high: float | None
    digits: int

    def __new__(
        cls,
        value: float | None,
        best: bool = False,
        marks: str = "",
        low: float | None = None,
        high: float | None = None,
        digits: int = 4,
    ) -> Self:
        """The number with what belongs to it."""
        made = super().__new__(cls, math.nan if value is None else value)
        made.best, made.marks, made.low, made.high, made.digits = best, marks, low, high, digits
        return made

    @property
    def number(self) -> str:
        """The value with its decimals."""
        return _decimals(float(self), self.digits)

    @property
    def limits(self) -> str:
        """The interval, or nothing where there is none."""
        if missing(self.low) or missing(self.high):
            return ""
        return f"[{_decimals(self.low, self.digits)}, {_decimals(self.high, self.digits)}]"

    def __str__(self) -> str:
        return " ".join(x for x in (f"{self.number}{'*' if self.best else ''}", self.marks, self.limits) if x)


Cell = float | int | str | bool | None


@dataclass(frozen=True, eq=False)
class Grid:
    """Columns and rows: what every format writes.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns.
    rows : sequence of tuple
        The cells.
    provenance : mapping
        How the table was made.
    title : str
        What the table shows; the caption in a paper.
    notes : tuple of str
        What must be said beside it.
    label : str
        The label of a table of its own in a paper; empty where it is none.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    provenance: Mapping[str, object] = field(default_factory=dict)
    title: str = ""
    notes: tuple[str, ...] = ()
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(map(Message, self.notes)))

    def is_text(self, column: int) -> bool:
        """Whether a column holds text, or numbers with something beside them, and is aligned to the left.

        Parameters
        ----------
        column : int
            Its number, from 0.

        Returns
        -------
        bool

        Examples
        --------
        >>> [Grid(("a", "b"), [("x", 1.0)]).is_text(i) for i in (0, 1)]
        [True, False]
        """
        return any(isinstance(row[column], str | Marked) for row in self.rows)

    def flat(self) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
        """Columns and rows for programs: limits and marks of a number in columns of their own.

        Returns
        -------
        columns : tuple of str
            Names of the columns.
        rows : list of tuple
            The cells; None where there is no value.

        Examples
        --------
        >>> Grid(("system", "AP"), [("x", Marked(0.5, marks="a")), ("y", None)]).flat()
        (('system', 'AP', 'AP marks'), [('x', 0.5, 'a'), ('y', None, None)])
        """
        if not any(type(cell) is Marked for row in self.rows for cell in row):  # the usual, and the quick
            return self.columns, [tuple(map(plain, row)) for row in self.rows]
        parts = [_parts([row[i] for row in self.rows]) for i in range(len(self.columns))]
        names = tuple(
            f"{name} {part}".rstrip() for name, kept in zip(self.columns, parts, strict=True) for part in kept
        )
        rows = [
            tuple(_part(cell, part) for cell, kept in zip(row, parts, strict=True) for part in kept)
            for row in self.rows
        ]
        return names, rows

    def written(self) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
        """Columns and rows as files and frames hold them: names without spaces.

        Returns
        -------
        columns : tuple of str
            Names of the columns.
        rows : list of tuple
            The cells, as in `flat`.

        Examples
        --------
        >>> Grid(("gold label", "AP"), [("1", Marked(0.5, marks="a"))]).written()[0]
        ('gold_label', 'AP', 'AP_marks')
        """
        names, rows = self.flat()
        return tuple(map(plain_name, names)), rows

    def records(self) -> list[dict[str, Cell]]:
        """The rows as dicts, under the names that people see.

        Returns
        -------
        list of dict
            One a row.
        """
        names, rows = self.flat()
        return [dict(zip(names, row, strict=True)) for row in rows]


def missing(cell: Cell) -> bool:
    """Whether there is no value."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def plain(cell: Cell) -> Cell:
    """A cell for programs: None where there is no value."""
    return None if cell != cell else cell  # NaN alone is not itself


def plain_name(name: str) -> str:
    """The name of a column for programs: words of ours with underscores between; what has no space stays as it is.

    >>> [plain_name(n) for n in ("gold label", "half width, median", "below %", "a - b", "P@10", "25%")]
    ['gold_label', 'half_width_median', 'below_percent', 'a_minus_b', 'P@10', '25%']
    >>> plain_name("detectable with 80% power"), plain_name("P(rel=2)@10 (topics) low")
    ('detectable_with_80_percent_power', 'P(rel=2)@10_topics_low')
    """
    if " " not in name:
        return name
    words = [_word(word) for word in name.replace(" - ", " minus ").split()]
    return "_".join(filter(None, words))


def _word(word: str) -> str:
    """A word of a name: without what stands about it; parameters of measures, which follow a word at once, stay."""
    bare = word.rstrip(",;:")
    bare = bare[1:].removesuffix(")") if bare.startswith("(") else bare
    return re.sub(r"_?%$", "_percent", bare).lstrip("_") if bare.endswith("%") else bare


def shown(cell: Cell) -> str:
    """A cell for people: four decimals (more for tiny numbers), a dash where there is no value."""
    if isinstance(cell, Marked):
        return str(cell)
    if missing(cell):
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:z.4f}" if cell == 0 or abs(cell) >= 0.00005 else f"{cell:.1e}"
    return str(cell)


def shown_under(column: str, cell: Cell) -> str:
    """A cell of a column for people: a p-value too small for a number is not 0, percentages and costs have 2 decimals.

    >>> shown_under("p_adjusted", 0.0), shown_under("difference", -0.0), shown_under("inside %", 87.5)
    ('<0.0001', '0.0000', '87.50')
    >>> shown_under("cost", 1615.0), shown_under("cost, 80%", 0.004), shown_under("cost, even chance", 1.5)
    ('1615.00', '0.0040', '1.50')
    >>> shown_under("change %", -0.001)
    '0.00'
    """
    if isinstance(cell, float) and math.isfinite(cell):
        is_cost = column.partition(",")[0] == "cost" and not 0 < abs(cell) < LEAST_COST
        if is_cost or column.endswith(" %"):
            return f"{cell:z.2f}"
    is_p = column.replace(" ", "_") in ("p", "p_adjusted", "uncorrected_p")
    return "<0.0001" if is_p and isinstance(cell, float) and cell == 0 else shown(cell)


def cells(values: Iterable[float]) -> list[float | None]:
    """Numbers as cells: None where there is none, or none that could be written.

    >>> cells([0.5, math.nan])
    [0.5, None]
    """
    return [float(v) if math.isfinite(v) else None for v in values]


def one_line(text: str) -> str:
    """Text of a cell without line breaks, which no format has in a cell."""
    return text if text.isprintable() else " ".join(text.splitlines())


def _decimals(value: float | None, digits: int) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:z.{digits}f}"


def _parts(column: Sequence[Cell]) -> list[str]:
    """What a column is for programs: the value, and limits and marks where some cell has them."""
    marked = [c for c in column if isinstance(c, Marked)]
    limits = ["low", "high"] if any(c.limits for c in marked) else []
    return ["", *limits, *(["marks"] if any(c.marks for c in marked) else [])]


def _part(cell: Cell, part: str) -> Cell:
    if part:
        return plain(getattr(cell, part)) if isinstance(cell, Marked) else None
    return plain(float(cell) if isinstance(cell, Marked) else cell)


# ---- Other names for systems: by a list of them, or without a prefix.


def new_names(systems: Sequence[str], names: Mapping[str, str] | None = None, strip: str = "") -> dict[str, str]:
    """The new name of each system: what `names` says, else its own without the prefix `strip`.

    >>> new_names(["input.bm25", "input.dense"], {"input.dense": "Dense (ours)"}, strip="input.")
    {'input.bm25': 'bm25', 'input.dense': 'Dense (ours)'}
    """
    chosen = dict(names or {})
    if chosen and not chosen.keys() & set(systems):
        raise TruegainError(
            f"{argname('names')}: none of {some(list(chosen))} is a system; {there_are(list(chosen), systems)}"
        )
    if strip and not any(s.startswith(strip) for s in systems):
        raise TruegainError(f"no system begins with {strip!r}; there are {some(list(systems))}")
    renamed = {s: chosen.get(s) or s.removeprefix(strip) or s for s in systems}
    twice = [name for name, n in Counter(renamed.values()).items() if n > 1]
    if twice:
        both = [s for s, name in renamed.items() if name == twice[0]]
        raise TruegainError(f"{some(both)} would all be called {twice[0]!r}; give each its own name")
    return renamed


def read_names(path: PathLike) -> dict[str, str]:
    """Names from a file of two columns, old and new: separated by a tab, else a comma, else the first blank.

    Lines that begin with # and empty lines are skipped.
    """
    file = shown_path(path)
    names: dict[str, str] = {}
    for number, line in enumerate(plain_text(read_bytes(path), file).decode().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in _both_names(line)]
        if len(parts) != 2 or not all(parts):
            raise InputError(
                "not two names", file=file, line=number, text=line, hint="write the old name, a tab, the new name"
            )
        old, new = parts
        if names.setdefault(old, new) != new:
            raise InputError(
                f"{old} has two new names, {names[old]} and {new}",
                file=file,
                line=number,
                text=line,
                hint="keep one of the two lines",
            )
    if not names:
        raise InputError(
            "there are no names", file=file, hint="write one line per system: the old name, a tab, the new name"
        )
    return names


@dataclass(frozen=True, kw_only=True)
class Renamed:
    """Other names of systems: from a file, and without a prefix.

    >>> Renamed(strip_prefix="input.").called("input.bm25"), Renamed().called("bm25")
    ('bm25', 'bm25')
    """

    names: str | None = None
    strip_prefix: str = ""

    @property
    def renames(self) -> bool:
        """Whether systems get other names."""
        return self.names is not None or bool(self.strip_prefix)

    @cached_property
    def _new(self) -> Mapping[str, str]:
        return {} if self.names is None else read_names(self.names)

    def renamed(self, answer: Any) -> Any:
        """Runs, scores or results under the new names."""
        return answer.renamed(self._new, self.strip_prefix) if self.renames else answer

    def called(self, name: str) -> str:
        """A system by the name that it has, whether it is given by the old one or the new one."""
        return self._new.get(name) or name.removeprefix(self.strip_prefix) or name

    @property
    def renaming(self) -> dict[str, str]:
        """The options that rename, for the provenance of answers."""
        both = {"names": self.names, "strip_prefix": self.strip_prefix}
        return {name: value for name, value in both.items() if value}


def _both_names(line: str) -> list[str]:
    if "\t" in line:
        return line.split("\t")
    return next(csv.reader([line])) if "," in line else line.split(None, 1)


def listed(names: Sequence[str]) -> str:
    """Names as in a sentence.

    >>> listed(["AP", "P@10", "RR"])
    'AP, P@10 and RR'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
