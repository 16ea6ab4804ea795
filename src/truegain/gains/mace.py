"""MACE: who knows and who spams, and what the label behind the ratings is likely to be."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

import numpy as np

from truegain.gains.consensus import Settled, Votes
from truegain.gains.settling import Convergence, Trail
from truegain.tables.columns import Floats

KNOWING, HABIT = 0.5, 10.0  # the paper's priors: Beta(0.5, 0.5) of knowing, Dirichlet(10) of what a spammer says
NOISE = 0.5  # random starts are uniform in 1 to 2 + this, then made shares, as the authors' program does
NEAR_TOP = 1e-7  # change of the likelihood of a rating below which a start is near its top, and known by it
SAME_TOP = 1e-4  # difference of likelihoods, a rating, below which two starts came to one top


class State(NamedTuple):
    """Parameters of the assessors: chance to spam and to know, and labels of a spammer; assessors by 2, by levels."""

    knows: Floats
    habit: Floats


@dataclass(frozen=True, kw_only=True)
class Mace(Settled):
    """MACE: an assessor either knows the label, or spams with a habit of their own.

    p(rating a | label t) = s_j h_j(a) + k_j [a = t], all labels t alike likely beforehand; s, k and h are fitted by
    variational Bayes with the authors' priors

    The likelihood has several tops.  One start takes all assessors to be alike, `starts` - 1 are random; the best
    likelihood counts, from there the fit goes on until the chances of labels settle, and how many starts came to it is
    told.

    Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013, NAACL.

    >>> Mace(seed=1).seed
    1
    """

    NAME = "mace"

    n_iter: int = 10_000
    seed: int = 0
    starts: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(self.starts >= 1, f"starts {self.starts} must be at least 1")

    def chances(self, votes: Votes) -> tuple[Floats, Convergence]:
        """Items by levels: how likely each label is, and how the best of the starts ended."""
        ends = [climbed(votes, start, self.n_iter) for start in starts(votes, self.starts, self.seed)]
        total = votes.weight.sum()
        tops = np.array([end.likelihood for end in ends])
        best = int(tops.argmax())
        came_to_it = int((tops[best] - tops < SAME_TOP * total).sum())
        more = f", the best of {self.starts} starts, {came_to_it} of which came to it"
        share, steps, trail = settled(votes, ends[best], self.tolerance, self.n_iter)
        more = more if self.starts > 1 else ""
        if not trail.changes:  # all steps were needed before
            return share, Convergence(
                steps, False, ends[best].change, more, did="changed the likelihood of a rating by"
            )
        return share, trail.told(steps, more)


def starts(votes: Votes, count: int, seed: int) -> list[State]:
    """Where fits begin: all assessors alike, then at random; an assessor's numbers go by their name's place."""
    alike = np.full((votes.assessors, len(votes.levels)), 1 / len(votes.levels))
    found = [State(np.full((votes.assessors, 2), 0.5), alike)]
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    for _ in range(count - 1):
        drawn = [rng.uniform(1, 2 + NOISE, (votes.assessors, n)) for n in (2, len(votes.levels))]
        found.append(State(*(d / d.sum(axis=1, keepdims=True) for d in drawn)))
    return found


class End(NamedTuple):
    """Where steps led: chances of labels, log-likelihood, steps, its last change a rating, and expected counts."""

    share: Floats
    likelihood: float
    steps: int
    change: float
    counts: tuple[Floats, Floats]


def climbed(votes: Votes, state: State, most: int) -> End:
    """Near the top, or after so many steps."""
    share, likelihood, counts = expected(votes, state)
    change, steps = np.inf, 0
    while steps < most and change >= NEAR_TOP:
        share, after, counts = expected(votes, fitted(*counts))
        change, likelihood = abs(after - likelihood) / float(votes.weight.sum()), after
        steps += 1
    return End(share, likelihood, steps, change, counts)


def settled(votes: Votes, end: End, tolerance: float, most: int) -> tuple[Floats, int, Trail]:
    """From there on until the chances settle: these, all steps, and the trail."""
    share, steps, counts, trail = end.share, end.steps, end.counts, Trail(tolerance)
    while steps < most and not trail.settled:
        after, _, counts = expected(votes, fitted(*counts))
        trail.add(share, after)
        share, steps = after, steps + 1
    return share, steps, trail


def expected(votes: Votes, state: State) -> tuple[Floats, float, tuple[Floats, Floats]]:
    """Chances of labels, log-likelihood, and how often each assessor should have known, and spammed with each label."""
    levels = len(votes.levels)
    spam = state.knows[votes.assessor, 0] * state.habit[votes.assessor, votes.label]
    both = spam + state.knows[votes.assessor, 1]
    cell, weight = votes.item * levels + votes.label, votes.weight
    logs = np.bincount(cell, weight * np.log(both / spam), votes.items * levels).reshape(-1, levels) - np.log(levels)
    logs += np.bincount(votes.item, weight * np.log(spam), votes.items)[:, None]
    top = logs.max(axis=1, keepdims=True)
    part = np.exp(logs - top)
    share = part / part.sum(axis=1, keepdims=True)
    known = share.ravel()[cell] * (1 - spam / both)
    cell = votes.assessor * levels + votes.label
    spams = np.bincount(cell, weight * (1 - known), votes.assessors * levels).reshape(-1, levels)
    knows = np.bincount(votes.assessor, weight * known, votes.assessors)
    likelihood = float((np.log(part.sum(axis=1)) + top[:, 0]).sum())
    return share, likelihood, (knows.astype(np.float64), spams.astype(np.float64))


def fitted(knows: Floats, spams: Floats) -> State:
    """Parameters from expected counts: exp(digamma(count + prior) - digamma(sum of these))."""
    digamma = import_module("scipy.special").digamma

    def shares(counts: Floats) -> Floats:
        return np.asarray(np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True))), np.float64)

    return State(shares(np.stack([spams.sum(axis=1), knows], axis=1) + KNOWING), shares(spams + HABIT))
