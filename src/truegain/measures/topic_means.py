"""Scores as means over topics: the per-topic values whose mean is the summary of a measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truegain.errors import TruegainError, some
from truegain.measures.base import FLOOR, mean_of_rows
from truegain.tables.columns import Bools, Floats, Ints
from truegain.tables.scores import Declared, Scores


def check_mean(measure: Declared) -> str:
    """What mean over topics a measure is; refused where it is none."""
    if measure.mean not in ("arithmetic", "geometric"):
        raise TruegainError(f"{measure} is not a mean over topics; choose a measure that is")
    return measure.mean


@dataclass(frozen=True, eq=False)
class TopicMeans:
    """Systems by topics, such that a system's summary is `back(mean over its topics)`; NaN where missing."""

    measure: str
    systems: tuple[str, ...]
    topics: Sequence[str]
    values: Floats
    back: Callable[[Floats], Floats]
    bounds: tuple[float, float]  # the least and the greatest summary there can be

    @classmethod
    def of(cls, scores: Scores, measure: Any = None) -> TopicMeans:
        """The values of a measure, in logs where its summary is a geometric mean; an error where it is no mean.

        >>> import truegain as tg
        >>> run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
        >>> scores = tg.evaluate(run, {"1": {"b": 1}, "2": {"a": 1}}, "AP")
        >>> TopicMeans.of(scores).means()
        array([0.75])
        """
        scores.check_judged()
        matrix = scores.matrix(measure)
        name = next(m for m, v in scores.values.items() if v is matrix)
        kind = check_mean(scores.objects[name])
        scores.check_range(name)
        values = np.asarray(matrix, np.float64)
        least, greatest = scores.objects[name].bounds()
        if kind == "geometric":
            logs = np.log(np.maximum(values, FLOOR))
            return cls(name, scores.systems, scores.topics, logs, np.exp, (max(least, FLOOR), greatest))
        return cls(name, scores.systems, scores.topics, values, np.asarray, (least, greatest))

    @property
    def in_logs(self) -> bool:
        """Whether the values are logarithms."""
        return self.back is np.exp

    @property
    def there(self) -> Bools:
        """Which values are not missing."""
        return ~np.isnan(self.values)

    def means(self, topics: Ints | None = None) -> Floats:
        """The summary of each system over all topics, or over some; an error where a system has none of them."""
        values = self.values if topics is None else self.values[:, topics]
        means = mean_of_rows(values)
        if np.isnan(means).any():
            lost = [s for s, m in zip(self.systems, means, strict=True) if np.isnan(m)]
            raise TruegainError(f"{some(lost)}: no value of {self.measure} on any of the topics asked for")
        return settled(np.asarray(self.back(means)))


def settled(means: Floats) -> Floats:
    """Means without the rounding of their sums, so that systems that are equal tie.

    The same values added in another order may differ in the last bit; 12 decimals are kept.

    >>> settled(np.array([0.1 + 0.2, 0.3])).tolist()
    [0.3, 0.3]
    """
    return np.round(means, 12)
