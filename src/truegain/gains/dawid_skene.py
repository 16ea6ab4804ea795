"""Dawid and Skene: every assessor has a confusion matrix of their own; an EM that takes weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.gains.consensus import TOLERANCE, Consensus, Convergence, Votes
from truegain.tables.columns import Floats

FLOOR = 1e-10  # below which no chance falls, so that a label an assessor never gave can still be explained


@dataclass(frozen=True, kw_only=True)
class DawidSkene(Consensus):
    """Dawid and Skene's model: assessor j says label k of a document whose label is l with chance c_j[l, k].

        P(label l of item i) ~ p_l prod over its ratings (j, k) of c_j[l, k]^w ;  c_j[l, k] ~ sum of w P(l)

    fitted by EM from the shares of votes, one start: another could swap the meaning of labels.  Written by hand rather
    than taken from crowd-kit, because there weights, which leave assessors out, have no place.

    Dawid and Skene 1979, Applied Statistics 28(1).

    >>> import polars as pl, truegain as tg
    >>> said = {"x": [1, 1, 0, 0], "y": [1, 1, 0, 0], "z": [1, 0, 1, 0]}
    >>> rows = [("1", d, who, v) for who, row in said.items() for d, v in zip("abcd", row)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> tg.to_gains(frame, "dawid-skene").label.round(3).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """

    NAME = "dawid-skene"

    def chances(self, votes: Votes) -> tuple[Floats, Convergence]:
        """Items by levels: how likely each label is, and how the fit ended."""
        share, likelihood = shares_of_votes(votes), -np.inf
        change, steps = np.inf, 0
        while steps < self.n_iter and change >= TOLERANCE:
            share, after = expected(votes, *fitted(votes, share))
            change, likelihood = abs(after - likelihood) / float(votes.weight.sum()), after
            steps += 1
        return share, Convergence(steps, change < TOLERANCE, None if np.isinf(change) else change)


def shares_of_votes(votes: Votes) -> Floats:
    """Where the fit begins: the share of an item's votes that each label has; alike where none counts."""
    levels = len(votes.levels)
    count = np.bincount(votes.item * levels + votes.label, votes.weight, votes.items * levels).reshape(-1, levels)
    total = count.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(count, total, out=np.full(count.shape, 1 / levels), where=total > 0))


def fitted(votes: Votes, share: Floats) -> tuple[Floats, Floats]:
    """Chances of labels beforehand, over the items that count; and of every assessor: label meant x label said."""
    levels = len(votes.levels)
    counts = np.bincount(votes.item, votes.weight, votes.items) > 0
    prior = np.maximum(share[counts].mean(axis=0), FLOOR)
    said = votes.assessor * levels + votes.label
    table = np.stack(
        [
            np.bincount(said, votes.weight * share[votes.item, meant], votes.assessors * levels).reshape(-1, levels)
            for meant in range(levels)
        ],
        axis=1,
    )
    table = np.maximum(table, FLOOR)
    return prior / prior.sum(), np.asarray(table / table.sum(axis=2, keepdims=True))


def expected(votes: Votes, prior: Floats, table: Floats) -> tuple[Floats, float]:
    """How likely each label of each item is, and the log-likelihood of all ratings."""
    logs = np.log(table)[votes.assessor, :, votes.label] * votes.weight[:, None]
    log_share = np.stack([np.bincount(votes.item, column, votes.items) for column in logs.T], axis=1) + np.log(prior)
    top = log_share.max(axis=1, keepdims=True)
    part = np.exp(log_share - top)
    total = part.sum(axis=1, keepdims=True)
    counts = np.bincount(votes.item, votes.weight, votes.items) > 0
    return np.asarray(part / total), float((np.log(total) + top)[counts].sum())
