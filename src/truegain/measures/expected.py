"""Scores of documents whose labels are known by their chances only.

Measures linear in gain take the mean worth of each document.  With v its chance to be relevant (1 or 0 where judged):

    AP = sum over ranks i of v_i / i (1 + sum over j < i of v_j) / max(sum v, 1)
    nDCG@k = DCG(mean gain) / IDCG,  IDCG = sum over levels l of (gain_l - gain_(l-1)) D(min(N_l, k))

N_l the expected number of documents of the topic with a gain of level l or more, D(n) the sum of the first n weights of
ranks, interpolated; with one level N = sum v.  R@k = sum over ranks i <= k of v_i / max(sum v, 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from truegain.data.pool import RankedGains
from truegain.errors import MeasureError
from truegain.io.columns import Floats
from truegain.measures.average_precision import AP
from truegain.measures.base import Measure, ratio
from truegain.measures.dcg import nDCG
from truegain.measures.precision import R

MOST_LEVELS = 20


@dataclass(frozen=True, eq=False)
class Chances:
    """For each item of a pool the chance of a label of at least each level; what is judged has chances of 0 and 1.

    >>> some = Chances(np.array([1.0, 2.0]), np.array([[0.5, 0.25], [1.0, 0.0]]))
    >>> some.mean(np.array([0.0, 1.0, 3.0])), some.variance(np.array([0.0, 1.0, 3.0]))
    (array([1., 1.]), array([1.5, 0. ]))
    """

    levels: Floats  # labels above 0, ascending; below them is 0
    chance: Floats  # item x level, never rising along a row

    def mean(self, worth: Floats) -> Floats:
        """The mean of what a label is worth, given for 0 and each level."""
        return np.asarray(worth[0] + self.chance @ np.diff(worth), np.float64)

    def variance(self, worth: Floats) -> Floats:
        """The variance of what a label is worth."""
        return np.maximum(self.mean(worth**2) - self.mean(worth) ** 2, 0.0)

    def reaching(self, level: float) -> Floats:
        """The chance of a label of at least a level."""
        at = int(np.searchsorted(self.levels, level))
        return self.chance[:, at] if at < len(self.levels) else np.zeros(len(self.chance))


@dataclass(frozen=True, eq=False)
class Expected:
    """A measure on lists whose labels are chances: scores, and how far a worth of 1 of a document moves them."""

    score: Floats  # system x topic
    move: Floats  # per entry: what a unit of worth adds to the score of its list
    worth: Floats  # of the label 0 and of each level


def levels_of(measure: Measure, labels: Floats) -> Floats:
    """The levels that a measure tells apart, of the labels that were given: its own where it has one."""
    if (level := getattr(measure, "rel", None)) is not None:
        return np.array([float(level)])
    levels = np.unique(labels[labels > 0])
    if len(levels) > MOST_LEVELS:
        raise MeasureError(
            f"{measure}: labels have {len(levels)} levels above 0; at most {MOST_LEVELS} can be predicted; round "
            "them, or use a measure with a level, such as P(rel=2)@10"
        )
    return levels if len(levels) else np.array([1.0])


def expected(measure: Measure, ranked: RankedGains, chances: Chances) -> Expected:
    """Score lists by chances, for measures linear in gain, nDCG, AP and R; others are refused."""
    check_expected(measure)
    kind = _KINDS.get(type(measure), _linear)
    return kind(measure, ranked, chances)


def is_expected(measure: Measure) -> bool:
    """Whether scores of a measure with predicted labels are known."""
    return (measure.linear_in_gains or type(measure) in _KINDS) and not _at_zero(measure)


def _at_zero(measure: Measure) -> bool:
    level = getattr(measure, "rel", None)
    return level is not None and level <= 0


def check_expected(measure: Measure) -> None:
    """Refuse measures for which no formula is known."""
    if getattr(measure, "judged_only", False):
        raise MeasureError(f"{measure}: lists without unjudged documents need no prediction; leave judged_only out")
    if _at_zero(measure):
        raise MeasureError(
            f"{measure}: with rel 0 every judged document is relevant, and nothing is predicted; give rel 1"
        )
    if not measure.linear_in_gains and type(measure) not in _KINDS:
        raise MeasureError(
            f"{measure}: predicted labels work with AP, nDCG, R and measures linear in gain, such as P, DCG and RBP"
        )


def _shaped(ranked: RankedGains, values: Floats) -> Floats:
    """Per list to system by topic, missing where a system has no answer."""
    there = np.where(ranked.present, values, np.nan)
    return np.asarray(there.reshape(len(ranked.systems), len(ranked.topics)), np.float64)


def _linear(measure: Measure, ranked: RankedGains, chances: Chances) -> Expected:
    worth = measure.worth(np.concatenate([[0.0], chances.levels]))
    weight = measure.rank_weights(int(ranked.rank.max(initial=1)))[ranked.rank - 1]
    return Expected(_shaped(ranked, ranked.total(weight * chances.mean(worth)[ranked.item])), weight, worth)


def _ndcg(measure: nDCG, ranked: RankedGains, chances: Chances) -> Expected:
    worth = measure.worth(np.concatenate([[0.0], chances.levels]))
    if worth[0] != 0 or np.any(np.diff(worth) < 0):
        raise MeasureError(f"{measure}: predictions need gains that start at 0 and rise with the label")
    weight = np.where(measure.within(ranked.rank), 1 / measure.discount(ranked.rank), 0.0)
    most = min(measure.cutoff or len(ranked.pool), max(1, len(ranked.pool)))
    ideal = np.concatenate([[0.0], np.cumsum(1 / measure.discount(np.arange(1, most + 1)))])
    best, floor = np.zeros(len(ranked.topics)), np.zeros(len(ranked.topics))
    for level, height in enumerate(np.diff(worth)):
        count = np.minimum(ranked.pool_total(chances.chance[:, level]), most)
        best += height * np.interp(count, np.arange(most + 1), ideal)
        floor += height * np.interp(np.maximum(count, level == 0), np.arange(most + 1), ideal)
    dcg = ranked.total(weight * chances.mean(worth)[ranked.item])
    move = weight / floor[ranked.list_topic[ranked.list]]  # one relevant document at least, or none moves anything
    return Expected(_shaped(ranked, ratio(dcg, ranked.per_list(best))), move, worth)


def _ap(measure: AP, ranked: RankedGains, chances: Chances) -> Expected:
    chance = chances.reaching(measure.rel)
    inside = measure.within(ranked.rank)
    v = np.where(inside, chance[ranked.item], 0.0)
    possible = np.maximum(ranked.pool_total(chance), 1.0)
    if measure.norm == "min" and measure.cutoff is not None:
        possible = np.minimum(possible, measure.cutoff)
    before = ranked.running(v) - v
    value = ranked.total(v / ranked.rank * (1 + before)) / ranked.per_list(possible)
    share = ranked.running(v / ranked.rank)
    after = ranked.total(v / ranked.rank)[ranked.list] - share
    move = np.where(inside, ((1 + before) / ranked.rank + after) / possible[ranked.list_topic[ranked.list]], 0.0)
    return Expected(_shaped(ranked, value), move, np.array([0.0, 1.0]))


def _recall(measure: R, ranked: RankedGains, chances: Chances) -> Expected:
    chance = chances.reaching(measure.rel)
    inside = measure.within(ranked.rank)
    possible = np.maximum(ranked.pool_total(chance), 1.0)
    value = ranked.total(np.where(inside, chance[ranked.item], 0.0)) / ranked.per_list(possible)
    move = np.where(inside, 1 / possible[ranked.list_topic[ranked.list]], 0.0)
    return Expected(_shaped(ranked, value), move, np.array([0.0, 1.0]))


_KINDS: dict[type[Measure], Callable[[Any, RankedGains, Chances], Expected]] = {nDCG: _ndcg, AP: _ap, R: _recall}
