"""Consensus models of crowd-kit: who errs how, and what the label behind the ratings is likely to be."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from truegain.errors import needs
from truegain.gains.consensus import Consensus, Votes
from truegain.gains.settling import Convergence
from truegain.tables.columns import Floats

LIKELIHOOD = 1e-5  # change of the likelihood of a rating, on average, below which a fit of crowd-kit ends


@dataclass(frozen=True, kw_only=True)
class CrowdKit(Consensus):
    """A model that crowd-kit fits, from the shares of votes: one start, for another could swap the labels' meaning."""

    TAKES_WEIGHTS = False

    @abstractmethod
    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit, not yet fitted."""

    def chances(self, votes: Votes) -> tuple[Floats, Convergence]:
        """Items by levels: how likely each label is, and how the fit ended (crowd-kit keeps the value of each step)."""
        self.require(bool((votes.weight == 1).all()), "crowd-kit takes no weights; leave them out")
        pandas = needs("pandas", "crowd")
        model = self.model(needs("crowdkit.aggregation", "crowd"))
        frame = pandas.DataFrame({"task": votes.item, "worker": votes.assessor, "label": votes.label})
        share = model.fit_predict_proba(frame)
        table = np.zeros((votes.items, len(votes.levels)))
        table[np.asarray(share.index)[:, None], np.asarray(share.columns)] = share
        history = [float(v) for v in model.loss_history_]
        change = abs(history[-1] - history[-2]) if len(history) > 1 else None
        settled = len(history) < self.n_iter or (change is not None and change < LIKELIHOOD)
        return table, Convergence(len(history), settled, change, did="changed its loss by")


@dataclass(frozen=True, kw_only=True)
class Glad(CrowdKit):
    """GLAD: every assessor has an ability, every item a difficulty.

    Whitehill et al. 2009, NIPS; fitted by crowd-kit (the extra `crowd`).

    >>> Glad().NAME
    'glad'
    """

    NAME = "glad"

    def model(self, aggregation: Any) -> Any:
        """The model of crowd-kit."""
        return aggregation.GLAD(n_iter=self.n_iter, tol=LIKELIHOOD, silent=True)
