"""What is claimed of pairs of systems after each of a growing list of gold labels: as `Study.verdict` claims it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist

import numpy as np

from truegain.io.columns import Floats
from truegain.measures.label_weights import level_of
from truegain.sampling.gold import information_after
from truegain.stats.betting import Betting
from truegain.stats.contrasts import Contrasts
from truegain.stats.results import Comparison
from truegain.stats.student_t import quantiles_of
from truegain.study.anytime import LookErrors
from truegain.study.decision import could_move, in_one, outcome_by_limits
from truegain.study.documents import Outcome
from truegain.study.estimates import MeasureEstimates, ranked_alike
from truegain.study.estimators import NO_WEIGHT
from truegain.study.gold_lists import ByList, GamesPlayed, worth_of
from truegain.study.study import Study
from truegain.study.unjudged import PairBounds
from truegain.study.variance import VarianceModel

HELPS = 0.97  # of the variance without a judge, below which it helps


@dataclass(frozen=True)
class PairLook:
    """One pair after so many labels."""

    comparison: Comparison
    outcome: Outcome  # with what unjudged documents could do
    could: tuple[float, float]  # what these could take from the difference, and give


@dataclass(frozen=True)
class Reach:
    """Where the interval of a pair can yet end, were every row of the list labeled.

    With limits [l, u] of the difference on these topics and H what topics add on either side, it ends no higher than
    [u - H, ...] and no lower than [..., l + H].  What nobody could judge is at its worst in u and at its best in l.

    >>> Reach(0.05, -0.02, 0.0, 0.0).decides((0.0, 0.0), 0.0), Reach(0.05, -0.02, 0.06, 0.0).decides((0.0, 0.0), 0.0)
    (True, False)
    >>> Reach(0.05, -0.02, 0.0, 0.0).decides((-0.06, 0.06), 0.0)
    False
    """

    most: float  # u: the most that the difference can be
    least: float  # l
    half: float  # H
    stuck: float  # how far rows that nobody could judge can move it

    def decides(self, could: tuple[float, float], min_effect: float, stuck: bool = True) -> bool:
        """Whether some difference within the limits would be decided.

        could: what unjudged documents could take and give; stuck: whether rows that nobody could judge count.
        """
        more = 0.0 if stuck else self.stuck
        low, high = self.most + more - self.half + could[0], self.least - more + self.half + could[1]
        exact = not (self.half or could[1] or (stuck and self.stuck))
        if exact and self.least <= 0 <= self.most:
            return True  # two that score the same
        return (low > 0 and low >= min_effect) or high < min_effect


@dataclass(frozen=True)
class Forecast:
    """What is expected of a pair, were every row of the list labeled: its difference, how sure that is, and H.

    The difference on these topics is about normal with this mean and standard deviation, and its interval then ends H
    (see `Reach`) on either side.  H is taken as it is estimated: in simulated studies, to allow for its error made
    fewer stops and as many wrong ones.

    >>> round(Forecast(0.0, 0.02, 0.06).chance((0.0, 0.0), 0.0), 4)  # 3 standard deviations on either side
    0.0027
    """

    value: float
    sd: float
    half: float
    stuck: tuple[float, float] = (0.0, 0.0)  # what is taken and given if as many of the other rows cannot be judged

    def chance(self, could: tuple[float, float], min_effect: float, stuck: bool = True) -> float:
        """How likely it is that the interval with every row labeled decides.

        Intervals on the way are wider, so one that decides has its estimate beyond what the last one needs.  Estimates
        are a martingale that ends in the difference: by reflection some look on the way decides with at most about
        twice this chance.
        """
        if stuck:
            could = could[0] + self.stuck[0], could[1] + self.stuck[1]
        if not (self.half or any(could)):
            return 1.0  # with all labels it is known
        above = max(min_effect, 0.0) + self.half - could[0]
        below = min_effect - self.half - could[1]
        if self.sd == 0:
            return float(self.value > above or self.value < below)
        tail = NormalDist().cdf
        return min(1.0, tail((self.value - above) / self.sd) + tail((below - self.value) / self.sd))


class ListLooks:
    """Looks at a list of gold labels that grows, for some pairs of systems; each goes on where the last one was.

    Parameters
    ----------
    study : Study
        With every row of the list labeled, whatever the labels, and limits that hold at every look.
    contrasts : Contrasts
        The pairs.
    """

    def __init__(self, study: Study, contrasts: Contrasts) -> None:
        self.study, self.measure = study, study.measures[0]
        self.contrasts = contrasts
        self.pairs = [contrasts.part(i, i + 1) for i in range(len(contrasts))]
        self.over_topics = "topics" in study.over
        self.errors = LookErrors.of(study.confidence, self.over_topics)
        self._whole: VarianceModel = study.variance_model(self.measure)
        whole = self._whole.estimator
        assert isinstance(whole, ByList)
        self.whole, self.last = whole, whole
        self.bounds = [study._unjudged.of_pair(self.measure, one)[0] for one in self.pairs]
        self.never = [self._why_never(one) for one in self.pairs]

    def _why_never(self, one: Contrasts) -> str:
        """Why labels cannot decide a pair, whatever they are; empty where they may."""
        names = [self.study.systems[int(s)] for s in (one.a[0], one.b[0])]
        reasons = [r for of_system in self.study._reasons(self.measure, names).values() for r in of_system]
        if reasons:
            return f"The data cannot show whether {names[1]} is better than {names[0]}: {in_one(reasons)}."
        if not self.whole.listed.moving(one)[0] and not ranked_alike(
            self.study.ranked, self.measure, int(one.a[0]), int(one.b[0])
        ):
            return (
                f"No label can separate {names[1]} from {names[0]}: every labeled document counts the same in both on "
                f"{self.measure}."
            )
        return ""

    def worth(self, labels: Floats) -> Floats:
        """What gold labels are worth by the measure; NaN where nobody could judge."""
        assert self.whole.listed.parts is not None
        level = level_of(self.measure)
        if level is not None:
            labels = np.where(np.isnan(labels), np.nan, np.where(labels >= level, level, 0.0))
        return worth_of(self.whole.listed.parts, labels)

    def after(self, labels: Floats) -> list[PairLook]:
        """Each pair, with these labels in the first rows of the list: one or more."""
        self.last = self.last.relabeled(self.worth(labels))
        model = replace(self._whole, estimator=self.last)
        study = self.study
        alike = partial(ranked_alike, study.ranked, self.measure)
        estimates = MeasureEstimates(study.systems, self.measure, model, study.confidence, len(study.topics), alike)
        return [
            self._look(estimates.differences(one)[0], one, bounds, model)
            for one, bounds in zip(self.pairs, self.bounds, strict=True)
        ]

    def _look(
        self, comparison: Comparison, one: Contrasts, bounds: PairBounds | None, model: VarianceModel
    ) -> PairLook:
        policy = self.study.unjudged_policy
        held = self.study._unjudged.with_limits(bounds, one, model)
        return PairLook(
            comparison, outcome_by_limits(comparison, held, policy, self.study.min_effect), could_move(held, policy)
        )

    # ---- How far it is, of the last look.

    def _games(self, i: int) -> tuple[Betting, Betting]:
        """The bets on a pair, with what nobody could judge at its worst and at its best."""
        one = self.pairs[i]
        if not self.last.stuck(one)[0]:
            game = self.last.game(one)
            assert game is not None
            return game, game
        worst, best = (end.game(Contrasts.scores(1)) for end in self.last.ends(one, 0))
        assert worst is not None
        assert best is not None
        return worst, best

    def spread(self, i: int) -> float:
        """The standard deviation of the first estimate, as labels so far show it."""
        return max(float(game.spread[0]) for game in self._games(i))

    def reach(self, i: int) -> Reach:
        """Where the interval of a pair can end, if further rows can be judged as often as those before."""
        worst, best = self._games(i)
        return Reach(
            float(worst.limits(self.errors.gold)[1][0]), float(best.limits(self.errors.gold)[0][0]),
            self.half_by_topics(i), self._stuck(i),
        )  # fmt: skip

    def sure_reach(self, i: int) -> Reach:
        """The same whatever labels the other rows get."""
        worst, best = self._games(i)
        most, least = worst.ends(len(worst))[1], best.ends(len(best))[0]
        return Reach(float(most[0]), float(least[0]), self.half_by_topics(i), self._stuck(i))

    def _stuck(self, i: int) -> float:
        """How far rows that nobody could judge can move a pair."""
        one = self.pairs[i]
        if not self.last.stuck(one)[0]:
            return 0.0
        rows = self.last.fit.item[np.isnan(self.last.fit.gold)]
        weight = one.values(self.last.fit.coefficient[:, rows].T)[:, 0] / len(self.study.topics)
        low, high = self.last.fit.scale
        return float(np.abs(weight[np.abs(weight) > NO_WEIGHT]).sum() * (high - low))

    def forecast(self, i: int, n: int) -> Forecast:
        """What was expected of a pair after the first n labels of the last look."""
        then = self.last if n == self.last.draws.n else self.last.first(n)
        value = float(then.values(self.pairs[i])[0])
        tau = float(information_after(self.last.draws.sizes, np.array([n]))[0])
        spread = max(float(game.spread_after(n)[0]) for game in self._games(i))
        return Forecast(value, spread / math.sqrt(tau), self.half_by_topics(i, then), self._taken(i, then, value))

    def _taken(self, i: int, then: ByList, value: float) -> tuple[float, float]:
        """What a difference loses and gains if rows that nobody could judge, and others like them, are at an end."""
        if not then.stuck(self.pairs[i])[0]:
            return 0.0, 0.0
        worst, best = (float(end.values(Contrasts.scores(1))[0]) for end in then.ends(self.pairs[i], 0))
        return min(worst - value, 0.0), max(best - value, 0.0)

    def half_by_topics(self, i: int, then: ByList | None = None) -> float:
        """Half of the width that is left with all rows labeled: what topics bring by themselves.

        then: with the labels of an earlier look; by default the last.
        """
        if not self.over_topics:
            return 0.0
        one, then = self.pairs[i], self.last if then is None else then
        whole = then.over_topics(one)
        own = max(float(whole.value[0] - then.over_gold(one).value[0]), 0.0)
        by_judge = float(self._whole.uncorrected.over_topics(one).value[0])
        own = max(own, min(by_judge, float(whole.value[0])))
        return float(quantiles_of(1 - self.errors.topics, whole.df)[0]) * math.sqrt(own)

    def uncorrected_scores(self) -> Floats:
        """The systems' scores by the judge's labels."""
        return self._whole.uncorrected.value

    def half_by_judge(self) -> float:
        """The same before any label is there, by those of the judge: of the pair where it is largest."""
        if not self.over_topics:
            return 0.0
        found = [self._whole.uncorrected.over_topics(one) for one in self.pairs]
        return max(float(quantiles_of(1 - self.errors.topics, v.df)[0] * math.sqrt(v.value[0])) for v in found)

    def first_spread(self) -> float:
        """`spread` before any label is there, by what is guessed of labels: of the pair where it is largest."""
        games = [self.whole.first(1).game(one) for one in self.pairs]
        return max(float(Betting(game.units).spread[0]) for game in games if game is not None)

    def judge_helps(self) -> bool:
        """Whether the judge's labels predict the gold labels; True where all are known, and nothing is predicted."""
        if self.last.draws.whole:
            return True
        blind = replace(self.last, fit=self.last.fit.blind(), games=GamesPlayed())
        with_, without = (float(e.over_gold(self.contrasts).value.mean()) for e in (self.last, blind))
        return with_ < HELPS * without
