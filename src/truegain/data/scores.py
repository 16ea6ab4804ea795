"""Scores: one value per measure, system and topic, and one per measure and system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, Unpack

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, counted, needs, no_system, some
from truegain.io.columns import Bools, Floats, Ints
from truegain.message import UNJUDGED_SAMPLE_OF_STUDY, argname
from truegain.results.base import PaperStyle, PaperWords, Result, Table
from truegain.results.formats import as_dict, pandas_frame
from truegain.results.table import Cell, listed, new_names

if TYPE_CHECKING:
    import polars as pl

ALL_TOPICS = "all"
COLUMNS = ("system", "topic", "measure", "value")
FEW = 3  # systems that a repr names
TIED = 1e-12  # values of a topic that differ by rounding only
BEYOND = 1e-9  # by which rounding may take a value out of its measure's range
OUTSIDE = "divide percentages by 100, or name the measure that these are values of"
Row = tuple[str, str, str, float | str | None]


class Declared(Protocol):
    """What scores need to know of a measure: how topics become one value, and between which values they lie."""

    @property
    def mean(self) -> str:
        """'arithmetic', 'geometric', 'total' or 'none'."""

    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value of a topic."""


Of = str | Declared | None  # a measure: its name or itself; None where there is one


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
    """Scores of systems: by measure a matrix of systems by topics, and a summary for each system.

    A topic without a value is missing, never silently 0, and so is the mean of a system without any: NaN in matrices,
    None wherever else it is given.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems, the rows of each matrix.
    topics : sequence of str
        The topics, the columns of each matrix.
    values : mapping of str to ndarray
        By measure a matrix of systems by topics, NaN where missing; text for measures that give text.
    summaries : mapping of str to ndarray of float
        By measure the mean of each system over topics; the total of a count.
    objects : mapping of str to Measure
        The measures themselves.
    provenance : mapping
        How the scores were made.
    aliases : mapping of str to str
        Other names that the measures were given by, such as trec_eval's 'map'.
    bounds : mapping of str to mapping of str to (float, float)
        By measure, for systems without a score, the lowest and the highest that it can be.
    caveats : tuple of str
        What must be said beside the scores: a model's labels that no person checked, ids in doubt, unjudged documents.

    Notes
    -----
    Columns of `frame`: `system`, `topic` ('all' for the summary), `measure` and `value`.  `table` has one
    column a measure.

    Examples
    --------
    >>> import truegain as tg
    >>> run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    >>> scores = tg.evaluate(run, {"1": {"b": 1}, "2": {"a": 1}}, ["AP", "P@1"])
    >>> scores.mean("run", "AP")
    0.75
    >>> scores.by_topic("run", "AP")
    {'1': 0.5, '2': 1.0}
    """

    systems: tuple[str, ...]
    topics: Sequence[str]
    values: Mapping[str, npt.NDArray[Any]]
    summaries: Mapping[str, Floats]
    objects: Mapping[str, Declared]  # the measures themselves: what they declare is not guessed from values
    provenance: Mapping[str, object]
    aliases: Mapping[str, str] = field(default_factory=dict)
    # by measure: of systems without a score, the lowest and the highest that it can be
    bounds: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()  # what must be said beside them: whose labels, ids in doubt, unjudged documents

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, as strings."""
        return tuple(self.values)

    @property
    def counts(self) -> frozenset[str]:
        """The measures that count: their summary is the total over topics."""
        return frozenset(name for name, measure in self.objects.items() if measure.mean == "total")

    def _measure(self, measure: Of) -> str:
        if measure is None and len(self.values) == 1:
            return self.measures[0]
        name = self.aliases.get(str(measure), str(measure))
        if measure is None or name not in self.values:
            problem = "which measure? There" if measure is None else f"there is no measure {str(measure)!r} here; there"
            raise TruegainError(f"{problem} are {', '.join(self.measures)}")
        return name

    def _system(self, system: str | None) -> int:
        if system is None and len(self.systems) == 1:
            return 0
        if system is None:
            raise TruegainError(f"which system? There are {some(self.systems)}")
        if system not in self.systems:
            raise no_system("", [system], self.systems)
        return self.systems.index(system)

    def check_judged(self) -> None:
        """Refuse intervals and tests where labels were predicted: such scores rank systems, no more."""
        if self.provenance.get("fill"):
            raise TruegainError(
                "these scores use predicted labels: they rank systems, but have no interval and no p-value; leave "
                f"{argname('fill')} out, or have a random sample of the unjudged documents judged "
                f"({UNJUDGED_SAMPLE_OF_STUDY})"
            )

    def check_range(self, measure: Of = None) -> None:
        """Refuse values that the measure cannot have, since limits are cut at its range.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; not needed where there is one.
        """
        name = self._measure(measure)
        bounds, values = self.objects[name].bounds(), self.values[name]
        if values.dtype == object or not (wrong := beyond(values, bounds)).any():
            return
        s, t = (int(at[0]) for at in np.nonzero(wrong))
        raise TruegainError(
            f"{name} of system {self.systems[s]}, topic {self.topics[t]} is {values[s, t]:g}, out of its range, "
            f"{range_text(bounds)}, as are {int(wrong.sum()):,} of {wrong.size:,} values; {OUTSIDE}"
        )

    def mean(self, system: str | None = None, measure: Of = None) -> float | None:
        """The mean of a system over topics, or the total of a count.

        Parameters
        ----------
        system : str, optional
            The system; not needed where there is one.
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        float or None
            None where no topic has a value.
        """
        row = self._system(system)
        return _number(self.summaries[self._measure(measure)][row])

    def by_system(self, measure: Of = None) -> dict[str, float]:
        """The mean of every system over topics, or the total of a count.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        dict of str to float
            By system, in their order; NaN where no topic has a value.

        Examples
        --------
        >>> import truegain as tg
        >>> runs = {"x": {"1": {"a": 1.0, "b": 0.5}}, "y": {"1": {"b": 1.0, "a": 0.5}}}
        >>> tg.evaluate(runs, {"1": {"a": 1, "b": 0}}, "AP").by_system()
        {'x': 1.0, 'y': 0.5}
        """
        return dict(zip(self.systems, self.summaries[self._measure(measure)].tolist(), strict=True))

    def means(self, system: str | None = None) -> dict[str, float | None]:
        """The summary of a system by every measure.

        Parameters
        ----------
        system : str, optional
            The system; not needed where there is one.

        Returns
        -------
        dict of str to float
            By measure; None where missing.
        """
        row = self._system(system)
        return {m: _number(v[row]) for m, v in self.summaries.items()}

    def by_topic(self, system: str | None = None, measure: Of = None) -> dict[str, float | str | None]:
        """The values of a system by topic.

        Parameters
        ----------
        system : str, optional
            The system; not needed where there is one.
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        dict of str to float or str
            By topic; None where missing.
        """
        at = self._system(system)
        row = self.values[self._measure(measure)][at]
        return {t: plain(v) for t, v in zip(self.topics, row, strict=True)}

    def matrix(self, measure: Of = None) -> npt.NDArray[Any]:
        """The values of a measure.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        ndarray
            Systems by topics, NaN where missing.
        """
        return self.values[self._measure(measure)]

    def sorted_by(self, measure: Of) -> Scores:
        """These scores, best system first.

        Parameters
        ----------
        measure : str or Measure
            The measure that orders them.

        Returns
        -------
        Scores
            Systems without a value are last.
        """
        return self._taken(np.argsort(-self.summaries[self._measure(measure)], kind="stable"))

    def of_systems(self, systems: Sequence[str]) -> Scores:
        """The scores of some systems.

        Parameters
        ----------
        systems : sequence of str
            Their names, in the order wanted.

        Returns
        -------
        Scores
            Of these systems alone.

        Examples
        --------
        >>> import truegain as tg
        >>> runs = {"x": {"1": {"a": 1.0, "b": 0.5}}, "y": {"1": {"b": 1.0, "a": 0.5}}}
        >>> tg.evaluate(runs, {"1": {"a": 1, "b": 0}}, "AP").of_systems(["y"]).systems
        ('y',)
        """
        chosen = self._taken(np.array([self._system(name) for name in systems], np.int64))
        bounds = {m: {s: ends for s, ends in by.items() if s in chosen.systems} for m, by in self.bounds.items()}
        return replace(chosen, bounds=bounds)

    def _taken(self, order: Ints) -> Scores:
        """The systems at some places, in their order."""
        return replace(
            self,
            systems=tuple(self.systems[i] for i in order),
            values={m: v[order] for m, v in self.values.items()},
            summaries={m: v[order] for m, v in self.summaries.items()},
        )

    def rows(self, topics: bool = True, summary: bool = True) -> Iterator[Row]:
        """Long rows: topics first, then 'all' for the summary.

        Parameters
        ----------
        topics : bool, default True
            Include a row for each topic.
        summary : bool, default True
            Include the summary of each system.

        Returns
        -------
        iterator of tuple
            (system, topic, measure, value).
        """
        for s, system in enumerate(self.systems):
            for t, topic in enumerate(self.topics if topics else ()):
                for measure, values in self.values.items():
                    yield system, topic, measure, plain(values[s, t])
            if summary:
                for measure, summaries in self.summaries.items():
                    yield system, ALL_TOPICS, measure, plain(summaries[s])

    # ------------------------------------------------------------------ showing itself

    def long(self, topics: bool = True, summary: bool = True) -> Table:
        """The long rows as a table.

        Parameters
        ----------
        topics : bool, default True
            Include a row for each topic.
        summary : bool, default True
            Include the summary of each system.

        Returns
        -------
        Table
            Columns system, topic, measure and value.
        """
        return Table(COLUMNS, list(self.rows(topics, summary)), self.provenance, notes=self.caveats)

    def table(self, topics: bool = False, summary: bool = True) -> Table:
        """A row a system, a column a measure; with `topics` a row a system and topic.

        Parameters
        ----------
        topics : bool
            A row a system and topic; by default a row a system.
        summary : bool
            A row for each system over all topics; the only rows without `topics`.

        Returns
        -------
        Table
            A column a measure.
        """
        rows: list[tuple[Cell, ...]] = []
        for s, system in enumerate(self.systems):
            for t, topic in enumerate(self.topics if topics else ()):
                rows.append((system, topic, *(self._cell(m, self.values[m][s, t]) for m in self.measures)))
            if summary:
                means = (self._cell(m, self.summaries[m][s]) for m in self.measures)
                rows.append((system, *([ALL_TOPICS] if topics else []), *means))
        columns = ("system", *(["topic"] if topics else []), *self.measures)
        return Table(columns, rows, self.provenance, notes=(*self.caveats, *(self._between() if summary else ())))

    def _between(self) -> tuple[str, ...]:
        """What is known of systems without a score."""
        return tuple(
            f"{system} has no score: {measure} is between {low:z.4f} and {high:z.4f}, depending on the labels of "
            "unjudged documents"
            for measure, by_system in self.bounds.items() for system, (low, high) in by_system.items()
        )  # fmt: skip

    def bound_rows(self) -> list[dict[str, Any]]:
        """The lowest and the highest score of systems that have none.

        Returns
        -------
        list of dict
            With 'system', 'measure', 'low' and 'high'.
        """
        return [
            {"system": system, "measure": measure, "low": low, "high": high}
            for measure, by_system in self.bounds.items() for system, (low, high) in by_system.items()
        ]  # fmt: skip

    def _cell(self, measure: str, value: object) -> Cell:
        number = plain(value)
        return round(number) if isinstance(number, float) and measure in self.counts else number

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """Systems by measures, the best in bold, under a caption; see `PaperStyle`.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`.

        Returns
        -------
        Table
            What `latex`, `markdown` and `html` write.

        Examples
        --------
        >>> import truegain as tg
        >>> run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
        >>> print(tg.evaluate(run, {"1": {"b": 1}, "2": {"a": 1}}, ["AP", "P@1"]).markdown(digits=2, label=""))
        **AP and P@1 of 1 system, means over 2 topics.**
        <BLANKLINE>
        | system | AP | P@1 |
        | --- | --- | --- |
        | run | 0.75 | 0.50 |
        <BLANKLINE>
        """
        from truegain.results.paper_table import (
            Column,
            Wide,  # here, as few write a paper's table
        )

        columns = tuple(
            Column(m, dict(zip(self.systems, map(plain, v), strict=True)), count=m in self.counts)
            for m, v in self.summaries.items()
        )
        wide = Wide(self.systems, columns, self._about(), provenance=self.provenance, notes=self.caveats)
        return wide.table(PaperStyle.of(style))

    def _about(self) -> str:
        """What the numbers are, as a caption says it."""
        totals = [m for m in self.measures if m in self.counts]
        means = "totals" if len(totals) == len(self.measures) else "means"
        means += f" (of {listed(totals)} totals)" if totals and means == "means" else ""
        of, over = counted(len(self.systems), "system"), self._over()
        about = f"{listed(self.measures)} of {of}, {means} over {over}."
        if self.provenance.get("fill"):
            about += " Unjudged documents have predicted labels: for ranking, without intervals."
        return about

    def _over(self) -> str:
        """The number of topics; of each measure where they have values of different ones."""
        there = {m: ~np.isnan(v).all(axis=0) for m, v in self.values.items() if v.dtype != object}
        numbers = {m: int(known.sum()) for m, known in there.items()}
        if len(set(numbers.values())) < 2:
            return counted(len(self.topics), "topic")
        return listed([f"{counted(n, 'topic')} ({m})" for m, n in numbers.items()])

    def tables(self) -> list[Table]:
        """The means, under what they are."""
        return [replace(self.table(), title=self._about())]

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Scores:
        """These scores under other names of systems.

        Parameters
        ----------
        names : mapping of str to str, optional
            New names by old ones; a system that is not named keeps its name.
        strip : str, optional
            A prefix to remove from all names first.

        Returns
        -------
        Scores
            With the new names.

        Examples
        --------
        >>> import truegain as tg
        >>> tg.evaluate({"input.x": {"1": {"a": 1.0}}}, {"1": {"a": 1}}, "AP").renamed(strip="input.").systems
        ('x',)
        """
        new = new_names(self.systems, names, strip)
        bounds = {m: {new[s]: ends for s, ends in by_system.items()} for m, by_system in self.bounds.items()}
        return replace(self, systems=tuple(new.values()), bounds=bounds)

    def wins(self, a: str, b: str, measure: Of = None) -> tuple[int, int, int]:
        """On how many topics b is better than a, equal, and worse.

        Parameters
        ----------
        a, b : str
            Two systems.
        measure : str or Measure, optional
            The measure; not needed where there is one.

        Returns
        -------
        better, equal, worse : int
            Numbers of topics, of those where both have a value.

        Examples
        --------
        >>> import truegain as tg
        >>> runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"b": 2, "a": 1}}}
        >>> tg.evaluate(runs, {"1": {"b": 1}}, "AP").wins("x", "y")
        (1, 0, 0)
        """
        values = self.values[self._measure(measure)]
        difference = values[self._system(b)].astype(np.float64) - values[self._system(a)].astype(np.float64)
        return int((difference > TIED).sum()), int((abs(difference) <= TIED).sum()), int((difference < -TIED).sum())

    def frame(self, topics: bool = True, summary: bool = True) -> pl.DataFrame:
        """A polars frame of the long rows, null where a value is missing; measures that are words are left out.

        Parameters
        ----------
        topics : bool
            The score of each system on each topic.
        summary : bool
            The score of each system over all topics, as topic 'all'.

        Returns
        -------
        polars.DataFrame
            Columns system, topic, measure and value.
        """
        polars = needs("polars", "frames")
        schema = {name: polars.Float64 if name == "value" else polars.String for name in COLUMNS}
        frame: pl.DataFrame = polars.DataFrame(self._numbers(topics, summary), schema=schema, orient="row")
        return frame

    def to_pandas(self, topics: bool = True, summary: bool = True) -> Any:
        """A pandas frame of the same rows.

        Parameters
        ----------
        topics : bool
            The score of each system on each topic.
        summary : bool
            The score of each system over all topics, as topic 'all'.

        Returns
        -------
        pandas.DataFrame
            Columns system, topic, measure and value.
        """
        return pandas_frame(Table(COLUMNS, self._numbers(topics, summary)))

    def _numbers(self, topics: bool, summary: bool) -> Sequence[Row]:
        numeric = {m for m, v in self.values.items() if v.dtype != object}
        return [row for row in self.rows(topics, summary) if row[2] in numeric]

    def to_dict(self) -> dict[str, Any]:
        """How they were made, and a record a value."""
        return {**as_dict(self.long()), **({"bounds": self.bound_rows()} if self.bounds else {})}

    def in_short(self) -> str:
        """How many, of what, and the first of them."""
        first = self.measures[0]
        means = zip(self.systems, self.summaries[first], strict=True)
        listed_means = some([f"{s} {shown(plain(v), first in self.counts)}" for s, v in means], FEW)
        of = f"{counted(len(self.systems), 'system')}, {counted(len(self.topics), 'topic')}"
        return f"{of}, {some(self.measures)}; {first}: {listed_means}"

    def __str__(self) -> str:
        width = max(6, *(len(s) for s in self.systems))
        head = " ".join(f"{m:>{max(8, len(m))}}" for m in self.measures)
        lines = [f"{'system':<{width}} {head}"]
        for system in self.systems:
            cells = (f"{shown(v, m in self.counts):>{max(8, len(m))}}" for m, v in self.means(system).items())
            lines.append(f"{system:<{width}} {' '.join(cells)}")
        return "\n".join([*lines, *self.caveats, *self._between()])


def _number(value: float) -> float | None:
    """A Python number, None where missing."""
    return None if np.isnan(value) else float(value)


def plain(value: Any) -> float | str | None:
    """A Python number or text, None where missing."""
    if value is None or isinstance(value, str):
        return value
    return None if np.isnan(value) else float(value)


def shown(value: float | str | None, count: bool = False) -> str:
    """A value for people: four decimals, whole counts, a dash where missing."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if count else f"{value:z.4f}"


def beyond(values: npt.ArrayLike, bounds: tuple[float, float]) -> Bools:
    """Which values lie outside of bounds, by more than rounding; missing ones do not.

    >>> beyond([0.5, 45.2, float("nan"), 1.0000000001], (0.0, 1.0)).tolist()
    [False, True, False, False]
    """
    x = np.asarray(values, np.float64)
    return (x < bounds[0] - BEYOND) | (x > bounds[1] + BEYOND)


def range_text(bounds: tuple[float, float]) -> str:
    """Between which values a measure lies, in words.

    >>> range_text((0.0, 1.0)), range_text((0.0, np.inf))
    ('0 to 1', '0 or more')
    """
    least, greatest = bounds
    if np.isinf(greatest):
        return f"{least:g} or more"
    return f"{greatest:g} or less" if np.isinf(least) else f"{least:g} to {greatest:g}"
