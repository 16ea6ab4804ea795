"""What a consensus model is: votes in one order, a chance for every label of every item, how the fit ended."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegain.gains.rules import Rule
from truegain.tables.checks import warn
from truegain.tables.columns import Floats, Ints
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale

TOLERANCE = 1e-5  # change of the likelihood of a rating, on average, below which a fit has settled


@dataclass(frozen=True)
class Convergence:
    """How a fit ended: steps taken, whether it had settled, how much the last step changed, a rating; and what else.

    >>> print(Convergence(12, True, 3e-6))
    converged after 12 steps
    """

    steps: int
    converged: bool
    change: float | None = None
    more: str = ""

    def __str__(self) -> str:
        return f"{'converged' if self.converged else 'not converged'} after {self.steps} steps{self.more}"


@dataclass(frozen=True, eq=False)
class Votes:
    """Ratings as numbers of item, assessor and label, each numbered and all sorted by name, never by place in a file.

    A fit starts from numbers that belong to an assessor, and sums in the order of its rows: in this order both depend
    on what was rated alone.
    """

    item: Ints
    assessor: Ints
    label: Ints
    weight: Floats
    levels: Floats
    items: int
    assessors: int

    @classmethod
    def of(cls, ratings: Grouped) -> Votes:
        """The ratings in the order of names: topic, document, subtopic, then assessor."""
        item = ratings.place[ratings.item]
        rows = np.lexsort((ratings.who, item))
        names, assessor = np.unique(ratings.who[rows], return_inverse=True)
        levels, label = np.unique(ratings.value[rows], return_inverse=True)
        return cls(item[rows], assessor, label, ratings.weight[rows], levels, len(ratings), len(names))


@dataclass(frozen=True, kw_only=True)
class Consensus(Rule):
    """The expected label under the model (take='mean') or the likeliest (take='label').

    All topics are fitted together, so that an assessor has one quality.  `fitted` also tells whether the fit settled
    within `n_iter` steps; `fit`, and with it `to_gains`, warns where it did not.
    """

    MOST_LEVELS: ClassVar[int] = 100
    TAKES_WEIGHTS: ClassVar[bool] = True

    take: str = "mean"
    n_iter: int = 100

    def __post_init__(self) -> None:
        self.require(self.take in ("mean", "label"), f"take is {self.take!r}; give 'mean' or 'label'")
        self.require(self.n_iter >= 1, f"n_iter {self.n_iter} must be at least 1")

    @abstractmethod
    def chances(self, votes: Votes) -> tuple[Floats, Convergence]:
        """Items by levels: how likely each label is, and how the fit ended."""

    def fitted(self, ratings: Grouped) -> tuple[Floats, Convergence]:
        """One gain an item, and whether the fit had settled when it ended."""
        levels = np.unique(ratings.value)
        self.require(len(levels) > 1, f"all ratings are {levels[0]:g}; there is nothing to fit")
        self.require(
            len(levels) <= self.MOST_LEVELS,
            f"it takes ratings as categories, and there are {len(levels)}; use the rule median",
        )
        table, progress = self.chances(Votes.of(ratings))
        gain = table @ levels if self.take == "mean" else levels[table.argmax(axis=1)]
        return np.where(ratings.mass > 0, gain[ratings.place], np.nan), progress

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item; a fit that had not settled is warned of."""
        return self.fit_and_report(ratings, [])

    def fit_and_report(self, ratings: Grouped, report: list[str]) -> Floats:
        """One gain an item; that the fit settled is added to the report, that it did not is warned of."""
        gain, progress = self.fitted(ratings)
        if progress.converged:
            report.append(f"the rule {self.NAME} {progress}")
        else:
            last = "" if progress.change is None else f" (the last changed it by {progress.change:.2g} a rating)"
            warn(f"the rule {self.NAME} had not converged after {self.n_iter} steps{last}; give more (n_iter)")
        return gain
