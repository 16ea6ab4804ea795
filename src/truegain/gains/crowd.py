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

TOLERANCE = 1e-5  # change of the likelihood of a rating, on average, below which a fit has settled


@dataclass(frozen=True)
class Progress:
    """How a fit ended: steps taken, whether it had settled, and how much the last step changed, a rating.

    >>> print(Progress(12, True, 3e-6))
    converged after 12 steps
    """

    steps: int
    converged: bool
    change: float | None = None

    def __str__(self) -> str:
        return f"{'converged' if self.converged else 'not converged'} after {self.steps} steps"


@dataclass(frozen=True, kw_only=True)
class Consensus(Rule):
    """The expected label under the model (take='mean') or the likeliest (take='label').

    All topics are fitted together, so that an assessor has one quality; crowd-kit knows no weights.  `fitted` also
    tells whether the fit settled within `n_iter` steps; `fit`, and with it `to_gains`, warns where it did not.
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

    def progress(self, model: Any, ratings: int) -> Progress:  # noqa: ARG002
        """How a fitted model ended; crowd-kit keeps the value of each step, a mean over ratings."""
        history = [float(v) for v in model.loss_history_]
        change = abs(history[-1] - history[-2]) if len(history) > 1 else None
        return Progress(len(history), len(history) < self.n_iter or (change is not None and change < TOLERANCE), change)

    def fitted(self, ratings: Grouped) -> tuple[Floats, Progress]:
        """One gain an item, and whether the fit had settled when it ended."""
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
        table = np.zeros((len(ratings), len(levels)))
        table[np.asarray(share.index)[:, None], np.searchsorted(levels, np.asarray(share.columns, float))] = share
        gain = table @ levels if self.take == "mean" else levels[table.argmax(axis=1)]
        return gain, self.progress(model, len(ratings.value))

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item; a fit that had not settled is told."""
        return self.fitted_aloud(ratings, [])

    def fitted_aloud(self, ratings: Grouped, told: list[str]) -> Floats:
        """One gain an item; that the fit settled is added to what is told, that it did not is warned of."""
        gain, progress = self.fitted(ratings)
        if progress.converged:
            told.append(f"the rule {self.NAME} {progress}")
        else:
            last = "" if progress.change is None else f" (the last changed it by {progress.change:.2g} a rating)"
            warn(
                f"the rule {self.NAME} had not converged after {self.n_iter} steps{last}; give more (n_iter, --n-iter)"
            )
        return gain


@dataclass(frozen=True, kw_only=True)
class Skene(Consensus):
    """Dawid and Skene's model: every assessor has a confusion matrix of their own.

    Dawid and Skene 1979, Applied Statistics 28(1); fitted by crowd-kit (the extra `crowd`).

    >>> Skene(take="label")
    Skene(take='label', n_iter=100)
    """

    NAME = "dawid-skene"

    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit."""
        return aggregation.DawidSkene(n_iter=self.n_iter, tol=TOLERANCE)


@dataclass(frozen=True, kw_only=True)
class Glad(Consensus):
    """GLAD: every assessor has an ability, every item a difficulty.

    Whitehill et al. 2009, NIPS; fitted by crowd-kit (the extra `crowd`).

    >>> Glad().NAME
    'glad'
    """

    NAME = "glad"

    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit."""
        return aggregation.GLAD(n_iter=self.n_iter, tol=TOLERANCE, silent=True)


@dataclass(frozen=True, kw_only=True)
class Mace(Consensus):
    """MACE: an assessor either knows, or spams with a habit of their own.

    Hovy et al. 2013, NAACL; fitted by crowd-kit (the extra `crowd`), which runs all steps; whether they were enough is
    told from the change of the log-likelihood in the last one.

    >>> Mace(seed=1).seed
    1
    """

    NAME = "mace"

    n_iter: int = 50
    seed: int = 0

    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit."""
        model = aggregation.MACE(n_iter=self.n_iter, random_state=self.seed)
        model.likelihoods = []
        step = model._e_step

        def kept(*given: Any, **named: Any) -> Any:
            found = step(*given, **named)
            model.likelihoods.append(float(found[0]))
            return found

        model._e_step = kept
        return model

    def progress(self, model: Any, ratings: int) -> Progress:
        """How the best of the restarts ended: each takes a step to begin and `n_iter` more."""
        runs = np.array(model.likelihoods[:-1]).reshape(-1, self.n_iter + 1)
        best = runs[int(runs[:, -1].argmax())]
        change = float(abs(best[-1] - best[-2])) / ratings
        return Progress(self.n_iter, change < TOLERANCE, change)
