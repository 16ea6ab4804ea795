"""Consensus models of crowd-kit: who errs how, and what the label behind the ratings is likely to be."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from truegain.errors import needs
from truegain.gains.rules import Rule
from truegain.tables.checks import warn
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale


@dataclass(frozen=True, kw_only=True)
class _Consensus(Rule):
    """The expected label under the model (take='mean') or the likeliest (take='label').

    All topics are fitted together, so that an assessor has one quality; crowd-kit knows no weights.
    """

    MOST_LEVELS: ClassVar[int] = 100

    take: str = "mean"
    n_iter: int = 100

    def __post_init__(self) -> None:
        self.require(self.take in ("mean", "label"), f"take is {self.take!r}; give 'mean' or 'label'")
        self.require(self.n_iter >= 1, f"n_iter {self.n_iter} must be at least 1")

    @abstractmethod
    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit, not yet fitted."""

    def told(self, model: Any) -> None:
        """Say so where the fit had not settled when it ended."""
        steps = len(getattr(model, "loss_history_", ()))
        if steps >= self.n_iter:
            warn(f"the rule {self.NAME} had not converged after {self.n_iter} steps; give more (n_iter)")

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item."""
        self.require(bool((ratings.weight == 1).all()), "crowd-kit takes no weights; leave them out")
        levels = np.unique(ratings.value)
        self.require(len(levels) > 1, f"all ratings are {levels[0]:g}; there is nothing to fit")
        self.require(
            len(levels) <= self.MOST_LEVELS,
            f"it takes ratings as categories, and there are {len(levels)}; use the rule median",
        )
        pandas = needs("pandas", "crowd")
        aggregation = needs("crowdkit.aggregation", "crowd")
        frame = pandas.DataFrame({"task": ratings.item, "worker": ratings.assessor, "label": ratings.value})
        model = self.model(aggregation)
        share = model.fit_predict_proba(frame)
        self.told(model)
        table = np.zeros((len(ratings), len(levels)))
        table[np.asarray(share.index)[:, None], np.searchsorted(levels, np.asarray(share.columns, float))] = share
        return table @ levels if self.take == "mean" else levels[table.argmax(axis=1)]


@dataclass(frozen=True, kw_only=True)
class Skene(_Consensus):
    """Dawid and Skene's model: every assessor has a confusion matrix of their own.

    Dawid and Skene 1979, Applied Statistics 28(1); fitted by crowd-kit (the extra `crowd`).

    >>> Skene(take="label")
    Skene(take='label', n_iter=100)
    """

    NAME = "dawid-skene"

    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit."""
        return aggregation.DawidSkene(n_iter=self.n_iter, tol=1e-5)


@dataclass(frozen=True, kw_only=True)
class Glad(_Consensus):
    """GLAD: every assessor has an ability, every item a difficulty.

    Whitehill et al. 2009, NIPS; fitted by crowd-kit (the extra `crowd`).

    >>> Glad().NAME
    'glad'
    """

    NAME = "glad"

    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit."""
        return aggregation.GLAD(n_iter=self.n_iter, silent=True)


@dataclass(frozen=True, kw_only=True)
class Mace(_Consensus):
    """MACE: an assessor either knows, or spams with a habit of their own.

    Hovy et al. 2013, NAACL; fitted by crowd-kit (the extra `crowd`), which runs all steps and does not say whether
    they were enough.

    >>> Mace(seed=1).seed
    1
    """

    NAME = "mace"

    n_iter: int = 50
    seed: int = 0

    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit."""
        return aggregation.MACE(n_iter=self.n_iter, random_state=self.seed)
