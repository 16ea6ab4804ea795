"""Limits that hold at every look at a growing list of labels, and with labels that nobody could give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.io.columns import Floats
from truegain.stats.contrasts import Contrasts, Variance, limits
from truegain.stats.student_t import quantile_of, quantiles_of
from truegain.study.estimators import LEAST_GOLD, ScoreEstimator
from truegain.study.gold_lists import ByList

EXPECTED = 150.0  # gold labels at which the sequence is tightest; fixed before any is seen
BATCH = 25  # labels between earlier looks that are made up for, from 500 on a twentieth of what there is


def sequence_half(s2: Floats, information: float, alpha: float) -> Floats:
    """Half of the width of a confidence sequence: with chance 1 - alpha it holds the truth at all looks together.

    With tau the information gathered (about the number of labels) and s2/tau the variance of the estimate,

        h = sqrt(s2 (tau rho^2 + 1)/(tau^2 rho^2) log((tau rho^2 + 1)/alpha^2))
        rho^2 = (-2 log alpha + log(1 - 2 log alpha))/tau*,  tau* = 150

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Annals of Statistics 52(6).

    >>> sequence_half(np.array([1.0]), 150.0, 0.05).round(4).tolist(), round(1.96 / 150**0.5, 4)
    ([0.2478], 0.16)
    """
    if math.isinf(information):
        return np.zeros(len(s2))
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / EXPECTED
    grown = information * rho2 + 1
    return np.asarray(np.sqrt(s2 * grown / (information**2 * rho2) * math.log(grown / alpha**2)))


@dataclass(frozen=True)
class LookErrors:
    """The error of the limits over gold, at all looks together, and of the t interval over topics; 0: topics are fixed.

    Topics sampled, the limits lie sqrt(t^2 own + h^2) out: own the part of the variance that topics bring by
    themselves, h how far the limits over gold lie out.  As labels come in the estimate moves like a Brownian motion
    whose variance falls from own + gold's to own.  Its chance to pass these limits at some look was simulated: with
    half of the error for each part it is up to 1.15 times an error of 5%, so gold gets a quarter, and less where the
    error is small (5% of 3 pairs), since the sum by squares then errs more (`python -m benchmarks.settle.joined`).

    >>> errors = LookErrors.of(0.95, topics=True)
    >>> round(errors.gold, 6), round(errors.topics, 6)
    (0.0125, 0.025)
    """

    gold: float
    topics: float

    @classmethod
    def of(cls, confidence: float, topics: bool) -> LookErrors:
        """The errors that together make this confidence."""
        error = 1 - confidence
        return cls(min(error / 4, 5 * error**2), error / 2) if topics else cls(error, 0.0)


def at_every_look(gold: Variance, whole: Variance | None, information: float, confidence: float) -> Variance:
    """A variance whose limits at this confidence are those of the sequence.

    gold: over gold labels, the topics held fixed; whole: over topics and all they hold, None where they are held fixed.
    Topics sampled: sqrt(t^2 own + h^2), see `LookErrors`.
    """
    errors = LookErrors.of(confidence, whole is not None)
    s2 = gold.value * (information if math.isfinite(information) else 0.0)
    half = sequence_half(s2, information, errors.gold)
    if whole is not None:
        own = np.maximum(whole.value - gold.value, 0.0)
        half = np.sqrt(quantiles_of(1 - errors.topics, whole.df) ** 2 * own + half**2)
    return Variance(np.asarray((half / quantile_of(confidence)) ** 2), np.full(len(half), np.inf))


def nothing_in_common(confidence: float) -> str:
    """What is said where no difference lies within the limits of all looks."""
    return (
        "the intervals of some looks at this list do not overlap, which happens by chance in less than "
        f"{100 * (1 - confidence):.3g}% of lists: perhaps the list was not labeled from the top down, or the judging "
        "changed on the way"
    )


def earlier_looks(labels: int) -> Iterator[int]:
    """Numbers of labels before these at which one might have looked: fixed beforehand, whatever was found.

    Limits that hold at all looks together hold together: what lies within all of them is narrower, and as sure.

    >>> list(earlier_looks(90)), list(earlier_looks(700))[-3:]
    ([25, 50, 75], [606, 636, 667])
    """
    at = BATCH
    while at < labels:
        yield at
        at += max(BATCH, at // 20)


# ---- Limits by one estimator.

End = tuple[int, tuple[Floats, Variance], tuple[Floats, Variance]]  # a contrast's number; value, variance at both ends


@dataclass(frozen=True, eq=False)
class LookLimits:
    """Limits of the scores of one estimator, at every look at a growing list of labels or at one look.

    Attributes
    ----------
    estimator : ScoreEstimator
        The scores, with the labels that there are.
    over_topics : bool
        Whether topics are sampled.
    anytime_confidence : float or None
        The confidence at which limits hold at all looks together; None: they hold at one look.
    """

    estimator: ScoreEstimator
    over_topics: bool
    anytime_confidence: float | None

    def variance(self, contrasts: Contrasts, topics: bool = True, estimator: ScoreEstimator | None = None) -> Variance:
        """A variance whose limits are those of all looks together; `estimator` is that of an earlier look."""
        found = estimator or self.estimator
        gold, order = found.over_gold(contrasts), found.label_facts.order
        assert self.anytime_confidence is not None
        assert gold is not None
        assert order is not None
        over = found.over_topics(contrasts) if topics and self.over_topics else None
        return at_every_look(gold, over, order.information, self.anytime_confidence)

    def by_bets(self, contrasts: Contrasts, topics: bool) -> tuple[Floats, Floats] | None:
        """Limits that hold at every look at an ordered list of gold labels; None for others.

        What nobody could judge is at its worst below, and at its best above (see `ByList.ends`).
        """
        if self.anytime_confidence is None or not isinstance(self.estimator, ByList):
            return None
        stuck = self.estimator.stuck(contrasts)
        free = np.flatnonzero(stuck == 0)
        low, high = np.full(len(contrasts), np.nan), np.full(len(contrasts), np.nan)
        if len(free):
            free_ones = contrasts if len(free) == len(contrasts) else Contrasts(contrasts.a[free], contrasts.b[free])
            if (found := self._by_bets_of(self.estimator, free_ones, topics)) is None:
                return None
            low[free], high[free] = found
        for i in np.flatnonzero(stuck).tolist():
            worst, best = (self._by_bets_of(e, Contrasts.scores(1), topics) for e in self.estimator.ends(contrasts, i))
            if worst is None or best is None:
                return None
            low[i], high[i] = worst[0][0], best[1][0]
        return low, high

    def _by_bets_of(self, estimator: ByList, contrasts: Contrasts, topics: bool) -> tuple[Floats, Floats] | None:
        """Where stakes against a value were won at no look so far (see `Betting`).

        Topics sampled: sqrt(t^2 own + h^2) on either side, see `LookErrors`.
        """
        game = estimator.game(contrasts)
        if game is None:
            return None
        assert self.anytime_confidence is not None
        over = topics and self.over_topics
        errors = LookErrors.of(self.anytime_confidence, over)
        low, high = game.limits(errors.gold)
        value = estimator.values(contrasts)
        below, above = np.maximum(value - low, 0.0), np.maximum(high - value, 0.0)
        if over:
            whole = estimator.over_topics(contrasts)
            own = np.maximum(whole.value - estimator.over_gold(contrasts).value, 0.0)
            far = quantiles_of(1 - errors.topics, whole.df) ** 2 * own
            below, above = np.sqrt(below**2 + far), np.sqrt(above**2 + far)
        none_left = low > high
        return np.where(none_left, low, value - below), np.where(none_left, high, value + above)

    def cut(
        self, contrasts: Contrasts, low: Floats, high: Floats, confidence: float, topics: bool
    ) -> tuple[Floats, Floats]:
        """What lies within the limits of all looks so far: low > high where nothing does.

        An earlier look counts from 10 labels that touch a difference on.
        """
        for before in self.earlier:
            wide = self.variance(contrasts, topics, before)
            known = (before.labels_for_rule(contrasts) >= LEAST_GOLD) & (wide.value > 0)
            then = limits(before.values(contrasts), wide, confidence)
            then = self.held_open(contrasts, then, wide, confidence, topics, before)
            low, high = np.where(known, np.maximum(low, then[0]), low), np.where(known, np.minimum(high, then[1]), high)
        return low, high

    @cached_property
    def earlier(self) -> list[ByList]:
        """What was known at earlier looks, where limits hold at all of them and labels are open."""
        assert isinstance(self.estimator, ByList)
        looks = [] if self.estimator.draws.whole and not self.over_topics else earlier_looks(self.estimator.draws.n)
        there = [n for n in looks if (self.estimator.turn < n).any()]
        return [self.estimator.first(n) for n in there]

    def held_open(
        self,
        contrasts: Contrasts,
        found: tuple[Floats, Floats],
        variance: Variance,
        confidence: float,
        topics: bool = True,
        estimator: ScoreEstimator | None = None,
    ) -> tuple[Floats, Floats]:
        """Limits with what people could not judge at its worst below, and at its best above: see `ByList.ends`."""
        low, high = found[0].copy(), found[1].copy()
        for i, *ends in self.ends(contrasts, variance, topics, estimator):
            low[i] = min(low[i], limits(*ends[0], confidence)[0][0])
            high[i] = max(high[i], limits(*ends[1], confidence)[1][0])
        return low, high

    def ends(
        self, contrasts: Contrasts, variance: Variance, topics: bool = True, estimator: ScoreEstimator | None = None
    ) -> Iterator[End]:
        """Value and variance, at worst and at best, of each contrast that a document moves which nobody could judge."""
        now = estimator or self.estimator
        for i in np.flatnonzero(now.stuck(contrasts)).tolist():
            assert isinstance(now, ByList)
            one, own = Contrasts(contrasts.a[[i]], contrasts.b[[i]]), Variance(variance.value[[i]], variance.df[[i]])
            worst, best = ((end.value, self._at_end(now, end, one, own, topics)) for end in now.ends(contrasts, i))
            yield i, worst, best

    def _at_end(self, now: ByList, end: ByList, one: Contrasts, variance: Variance, topics: bool) -> Variance:
        """The variance of a contrast with what nobody could judge at an end: no less than it is."""
        score = Contrasts.scores(1)
        if self.anytime_confidence is not None:
            return self.variance(score, topics, end)
        before, then = (e.over_topics(c) if self.over_topics else e.over_gold(c) for e, c in ((now, one), (end, score)))
        more = np.maximum(then.value - before.value, 0.0)
        return Variance(variance.value + more, np.minimum(variance.df, then.df))
