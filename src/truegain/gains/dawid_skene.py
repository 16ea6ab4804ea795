"""Dawid and Skene: every assessor has a confusion matrix of their own; an EM that takes weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.gains.consensus import Settled, Votes
from truegain.gains.settling import Convergence, climbed
from truegain.tables.columns import Floats

FLOOR = 1e-10  # below which no chance falls, so that a label an assessor never gave can still be explained


@dataclass(frozen=True, kw_only=True)
class DawidSkene(Settled):
    """Dawid and Skene's model: assessor j says label k of a document whose label is l with chance c_j[l, k].

        P(label l of item i) ~ p_l prod over its ratings (j, k) of c_j[l, k]^w ;  c_j[l, k] ~ sum of w P(l)

    fitted by EM from the shares of votes, one start: another could swap the meaning of labels.  Written by hand rather
    than taken from crowd-kit, because there weights, which leave assessors out, have no place.

    Dawid and Skene 1979, Applied Statistics 28(1).

    >>> import polars as pl, truegain as tg
    >>> said = {"x": [1, 1, 0, 0], "y": [1, 1, 0, 0], "z": [1, 0, 1, 0]}
    >>> rows = [("1", d, who, v) for who, row in said.items() for d, v in zip("abcd", row)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> tg.aggregate(frame, "dawid-skene").label.round(3).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """

    NAME = "dawid-skene"

    n_iter: int = 10_000

    def chances(self, votes: Votes) -> tuple[Floats, Convergence]:
        """Items by levels: how likely each label is, and how the fit ended."""

        def step(share: Floats) -> tuple[Floats, float]:
            return expected(votes, *fitted(votes, share))

        share, steps, trail = climbed(step, shares_of_votes(votes), self.tolerance, self.n_iter)
        return share, trail.told(steps)


def shares_of_votes(votes: Votes) -> Floats:
    """Where the fit begins: the share of an item's votes that each label has; alike where none counts."""
    levels = len(votes.levels)
    count = np.bincount(votes.item * levels + votes.label, votes.weight, votes.items * levels).reshape(-1, levels)
    total = count.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(count, total, out=np.full(count.shape, 1 / levels), where=total > 0))


def fitted(votes: Votes, share: Floats) -> tuple[Floats, Floats]:
    """Chances of labels beforehand, over the items that count; and of every assessor: label meant x label said."""
    levels = len(votes.levels)
    prior = np.maximum(share[votes.counts].mean(axis=0), FLOOR)
    table = np.maximum(votes.given[1] @ share, FLOOR).reshape(-1, levels, levels).swapaxes(1, 2)
    return prior / prior.sum(), np.asarray(table / table.sum(axis=2, keepdims=True))


def expected(votes: Votes, prior: Floats, table: Floats) -> tuple[Floats, float]:
    """How likely each label of each item is, and the log-likelihood of all ratings."""
    logs = np.log(table).swapaxes(1, 2).reshape(-1, len(prior))
    part = np.asarray(votes.given[0] @ logs + np.log(prior))
    top = part[:, 0]
    for column in part.T[1:]:  # faster than the largest of each of many short rows
        top = np.maximum(top, column)
    np.exp(np.subtract(part, top[:, None], out=part), out=part)
    total = part @ np.ones(len(prior))
    return part / total[:, None], float((np.log(total) + top)[votes.counts].sum())
