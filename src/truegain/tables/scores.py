"""Scores: one value per measure, system and topic, and one per measure and system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, needs, some
from truegain.tables.columns import Floats

if TYPE_CHECKING:
    import polars as pl

ALL_TOPICS = "all"
Row = tuple[str, str, str, float | str | None]


class Declared(Protocol):
    """What scores need to know of a measure: how topics become one value, and between which values they lie."""

    @property
    def mean(self) -> str:
        """'arithmetic', 'geometric', 'total' or 'none'."""

    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value of a topic."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Values by measure: a matrix of systems by topics, and the summary of each system.

    A topic without a value is missing (NaN, None in rows), never silently 0.

    >>> import truegain as tg
    >>> run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    >>> scores = tg.evaluate(run, {"1": {"b": 1}, "2": {"a": 1}}, ["AP", "P@1"])
    >>> scores.mean("run", "AP")
    0.75
    >>> scores.by_topic("run", "AP")
    {'1': 0.5, '2': 1.0}
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Mapping[str, npt.NDArray[Any]]
    summaries: Mapping[str, Floats]
    objects: Mapping[str, Declared]  # the measures themselves: what they declare is not guessed from values
    made_by: Mapping[str, object]
    asked: Mapping[str, str] = field(default_factory=dict)  # other names the measures were asked for by

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, as strings."""
        return tuple(self.values)

    @property
    def counts(self) -> frozenset[str]:
        """The measures that count: their summary is the total over topics."""
        return frozenset(name for name, measure in self.objects.items() if measure.mean == "total")

    def _measure(self, measure: object) -> str:
        if measure is None and len(self.values) == 1:
            return self.measures[0]
        name = self.asked.get(str(measure), str(measure))
        if measure is None or name not in self.values:
            raise TruegainError(f"which measure? There are {', '.join(self.measures)}")
        return name

    def _system(self, system: str | None) -> int:
        if system is None and len(self.systems) == 1:
            return 0
        if system is None or system not in self.systems:
            raise TruegainError(f"which system? There are {some(self.systems)}")
        return self.systems.index(system)

    def check_judged(self) -> None:
        """Refuse what needs an interval or a test where labels were predicted: such scores rank systems, no more."""
        if self.made_by.get("fill"):
            raise TruegainError(
                "these scores hold predicted labels: they rank systems, and have no interval and no p-value of their "
                "own; leave fill out, or have a random sample of the unjudged documents judged (verdict --hole-sample)"
            )

    def mean(self, system: str | None = None, measure: object = None) -> float:
        """The summary of a system: the mean over topics, or the sum of a count."""
        return float(self.summaries[self._measure(measure)][self._system(system)])

    def means(self, system: str | None = None) -> dict[str, float]:
        """The summary of a system by measure."""
        row = self._system(system)
        return {m: float(v[row]) for m, v in self.summaries.items()}

    def by_topic(self, system: str | None = None, measure: object = None) -> dict[str, float | str | None]:
        """A system's values by topic, None where missing."""
        row = self.values[self._measure(measure)][self._system(system)]
        return {t: plain(v) for t, v in zip(self.topics, row, strict=True)}

    def matrix(self, measure: object = None) -> npt.NDArray[Any]:
        """Systems by topics."""
        return self.values[self._measure(measure)]

    def sorted_by(self, measure: object) -> Scores:
        """The same scores, best system first by a measure; systems without a value last."""
        order = np.argsort(-self.summaries[self._measure(measure)], kind="stable")
        return replace(
            self,
            systems=tuple(self.systems[i] for i in order),
            values={m: v[order] for m, v in self.values.items()},
            summaries={m: v[order] for m, v in self.summaries.items()},
        )

    def rows(self, topics: bool = True, summary: bool = True) -> Iterator[Row]:
        """Long rows (system, topic, measure, value): topics first, then 'all' for the summary."""
        for s, system in enumerate(self.systems):
            for t, topic in enumerate(self.topics if topics else ()):
                for measure, values in self.values.items():
                    yield system, topic, measure, plain(values[s, t])
            if summary:
                for measure, summaries in self.summaries.items():
                    yield system, ALL_TOPICS, measure, plain(summaries[s])

    def frame(self, topics: bool = True, summary: bool = True) -> pl.DataFrame:
        """A polars frame of the long rows, null where a value is missing."""
        pl = needs("polars", "frames")

        numeric = [m for m, v in self.values.items() if v.dtype != object]
        schema = {"system": pl.String, "topic": pl.String, "measure": pl.String, "value": pl.Float64}
        rows = [row for row in self.rows(topics, summary) if row[2] in numeric]
        return pl.DataFrame(rows, schema=schema, orient="row")  # type: ignore[no-any-return]

    def __str__(self) -> str:
        width = max(6, *(len(s) for s in self.systems))
        head = " ".join(f"{m:>{max(8, len(m))}}" for m in self.measures)
        lines = [f"{'system':<{width}} {head}"]
        for system in self.systems:
            cells = (f"{shown(v, m in self.counts):>{max(8, len(m))}}" for m, v in self.means(system).items())
            lines.append(f"{system:<{width}} {' '.join(cells)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Scores({len(self.measures)} measures, {len(self.systems)} systems, {len(self.topics)} topics)\n{self}"


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
    return f"{value:.0f}" if count else f"{value:.4f}"
