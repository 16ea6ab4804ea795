"""Does the judge err alike at all ranks? Accuracy as a measure weighs ranks, beside that of all gold pairs alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain.inference.judges.favour import ALPHA
from truegain.inference.judges.lists import JudgedLists
from truegain.message import Message, arg, value_of
from truegain.student import p_of, quantile_of, told_p
from truegain.tables.columns import Bools, Floats


@dataclass(frozen=True)
class RankShift:
    """How often the judge gives a bronze label, given a gold one: as a measure weighs ranks, and all pairs alike."""

    gold: str
    bronze: str
    by_rank: float
    unweighted: float
    se: float
    df: float

    @property
    def change(self) -> float:
        """By rank less unweighted."""
        return self.by_rank - self.unweighted

    def p(self, tests: int) -> float:
        """Adjusted for so many tests, by Bonferroni."""
        return min(1.0, tests * p_of(self.change / self.se, self.df))

    def sentence(self, tests: int) -> str:
        """Both shares, the change with its interval and p, adjusted for so many tests."""
        half = quantile_of(1 - ALPHA / tests, self.df) * self.se
        return (
            f"of {self.gold} documents it calls {self.by_rank:.1%} {self.bronze} where gold pairs count what their "
            f"ranks do, {self.unweighted:.1%} where all count alike (change {self.change:+.3f}, {1 - ALPHA:.0%} "
            f"interval {self.change - half:+.3f} to {self.change + half:+.3f}, {told_p(self.p(tests))}; "
            f"Bonferroni over {tests})"
        )


def rank_shifts(lists: JudgedLists) -> tuple[RankShift, ...]:
    """The change of every share of the confusion matrix, clearest first; empty where no gold pair has a rank.

    With c the weight of a pair's ranks, summed over the systems, x whether its label is b, and both sums over the gold
    pairs of label g: change = sum of c x / sum of c - sum of x / n; its variance is that of the moves of both, summed
    by topic.  A test of weights: DuMouchel and Duncan 1983, Journal of the American Statistical Association 78.
    """
    if lists.judge_and_pairs is None:
        return ()
    (judge, pairs), counts = lists.judge_and_pairs, lists.pair_counts()
    if lists.binary:
        g = (pairs.gold >= judge.levels[1]).astype(np.float64)
        b = (pairs.bronze >= judge.levels[0]).astype(np.float64)
        names, labels = {0.0: "gold-non-relevant", 1.0: "gold-relevant"}, [1.0]
    else:
        g, b = pairs.gold, pairs.bronze
        names, labels = {x: f"gold-{x:g}" for x in np.unique(g).tolist()}, np.unique(b).tolist()
    found = []
    for label, name in names.items():
        of = g == label
        for label_b in labels:
            word = "relevant" if lists.binary else f"{label_b:g}"
            one = _shift(pairs.weight[of], counts[of], b[of] == label_b, pairs.topic[of], name, word)
            found += [] if one is None else [one]
    return tuple(sorted(found, key=lambda s: s.p(1)))


def _shift(weight: Floats, counts: Floats, says: Bools, topic: Floats, gold: str, bronze: str) -> RankShift | None:
    heavy = weight * counts
    if not heavy.any():
        return None
    by_rank, unweighted = float(heavy @ says / heavy.sum()), float(weight @ says / weight.sum())
    moves = heavy * (says - by_rank) / heavy.sum() - weight * (says - unweighted) / weight.sum()
    by_topic = np.bincount(topic, moves)
    m = len(np.unique(topic))
    se = math.sqrt(float(by_topic @ by_topic) * m / (m - 1)) if m > 1 else 0.0
    return RankShift(gold, bronze, by_rank, unweighted, se, m - 1.0) if se > 1e-12 else None


def rank_notes(lists: JudgedLists, *, always: bool = False, rectified: bool = False) -> list[str]:
    """What is to be said of accuracy and rank: where it changes, and where that all ranks are alike is an assumption.

    always: also where nothing was found and nothing rests on it; rectified: no matrix is inverted, so none is weighed.
    """
    shifts = rank_shifts(lists)
    given = lists.accuracy == "given"
    if not shifts:
        if not given:
            return []
        no_ranks = "the gold pairs have no ranks in these runs, or all the same"
        why = no_ranks if lists.judges.single is not None else "it is tested of one judge, not of several"
        return [
            f"That the judge is as accurate on the documents that {lists.measure} weighs as on the gold pairs is "
            f"assumed, not tested: {why}."
        ]
    tests, sentence = len(shifts), shifts[0].sentence(len(shifts))
    if shifts[0].p(tests) >= ALPHA:
        head = f"These gold pairs do not show that accuracy changes with the ranks that {lists.measure} weighs"
        return [f"{head}; clearest: {sentence}."] if given or always else []
    so = (
        f" All gold pairs count alike here (accuracy 'given'), so {lists.measure} is corrected with the wrong "
        f"accuracy: {arg('accuracy', 'lists')} (or {value_of('accuracy', 'system')}) weighs them by rank."
        if given
        else " Each gold pair counts what its ranks do."
    )
    return [Message(f"The judge's accuracy changes with rank ({lists.measure}): {sentence}.{'' if rectified else so}")]
