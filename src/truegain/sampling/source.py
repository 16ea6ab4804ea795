"""What a source of chance is: what was sampled, what holds it already, and what it meets."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from truegain.io.columns import Bools, Floats, Ints

SourceName = Literal["topics", "collection", "assessors", "replicates", "gold", "holes"]


@dataclass(frozen=True)
class Source:
    """One thing that was sampled.

    nested_in: sources whose units have units of this one of their own: their spread holds this one's already.
    crossed_with: sources that share its units; what a unit did on one of theirs alone (the cells) they hold, and only
    the rest is added; those that hold most come first.  labels: sampled labels, which count whatever is asked.
    claim: for what an answer holds that speaks of it, with n units.

    Cameron, Gelbach and Miller 2011, Journal of Business and Economic Statistics 29(2).
    """

    name: SourceName
    unit: str
    nested_in: tuple[SourceName, ...] = ()
    crossed_with: tuple[SourceName, ...] = ()
    labels: bool = False
    claim: str = ""

    def held_by(self, over: Collection[str], fixed: Collection[str] = ()) -> bool:
        """Whether one of the sources that are spoken of holds it; `fixed` ones hold nothing."""
        return any(s in over and s not in fixed for s in self.nested_in)

    def meets(self, over: Collection[str]) -> SourceName | None:
        """The source, of those spoken of, whose cells with this one must be taken off; None where there is none."""
        return next((s for s in self.crossed_with if s in over), None)


@dataclass(frozen=True, eq=False)
class SampledUnits:
    """The units of a source that were sampled, by name."""

    SOURCE: ClassVar[Source]
    units: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.units)


def never_empty(kept: Bools, item: Ints) -> Floats:
    """Weights of ratings, 1 for those that are kept; an item that would have none left keeps all of its own.

    >>> never_empty(np.array([True, False, False]), np.array([0, 0, 1])).tolist()
    [1.0, 0.0, 1.0]
    """
    left = np.bincount(item, kept) > 0
    return (kept | ~left[item]).astype(np.float64)
