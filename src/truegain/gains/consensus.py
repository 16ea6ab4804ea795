"""What a consensus model is: votes in one order, a chance for every label of every item, how the fit ended."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from truegain.gains.rules import Rule
from truegain.gains.settling import TOLERANCE, Convergence
from truegain.message import arg
from truegain.tables.checks import warn
from truegain.tables.columns import Bools, Floats, Ints
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale


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

    @cached_property
    def given(self) -> tuple[Any, Any]:
        """Weights as a sparse table, items by assessor and label; and the same turned round."""
        levels = len(self.levels)
        where, shape = (self.item, self.assessor * levels + self.label), (self.items, self.assessors * levels)
        table = import_module("scipy.sparse").csr_array((self.weight, where), shape=shape)
        return table, table.T.tocsr()

    @cached_property
    def counts(self) -> Bools:
        """Which items have a rating that counts."""
        return np.bincount(self.item, self.weight, self.items) > 0

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
    within `n_iter` steps; `fit`, and with it `aggregate`, warns where it did not.
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
            warn(
                f"the rule {self.NAME} had not converged after {self.n_iter} steps{progress.last}; give more, as in "
                f"{arg('aggregate', f'{self.NAME}(n_iter={10 * self.n_iter})')}"
            )
        return gain


@dataclass(frozen=True, kw_only=True)
class Settled(Consensus):
    """A fit that ends where no chance of a label would move by more than `tolerance`, however many steps followed.

    The likelihood is flat long before, and labels still change.
    """

    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(0 < self.tolerance < 1, f"tolerance {self.tolerance:g} must lie between 0 and 1, such as 0.0001")
