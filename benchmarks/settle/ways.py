"""Ways to a decision, each replayed on a list whose labels are all known: after how many labels, and what it says.

The stakes of one game, played to the end of the list, tell at which label a value was first ruled out: the limits after
the first n labels are those of the first n rounds.  So a study takes one game, not one for each label; that
`Study.settle` stops at the same label with the same answer is tested (tests/planning/test_settle_simulated.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from benchmarks.settle.worlds import Case
from truegain.experiments.spending_again import PAIR, looked
from truegain.io.columns import Floats, Ints, frozen
from truegain.planning.gold_sample import LEAST_ERROR
from truegain.planning.settle import (
    APART,
    LEAST_BEFORE_FORECAST,
    LEAST_BEFORE_GIVING_UP,
    LOOKS_AGREE,
    UNLIKELY,
)
from truegain.stats.betting import ROUNDING, Betting, DrawnUnits, _Game
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantiles_of
from truegain.study.anytime import LookErrors
from truegain.study.estimators import LEAST_GOLD
from truegain.study.gold_lists import ByList

CONFIDENCE = 0.95
ALPHA = 1 - CONFIDENCE
FIXED_LIST = 150
STEP = 0.004  # of the grid of values that are asked for first
EVERY = 25  # labels between the looks of `--sequential` before, and between draws by what was learned


@dataclass(frozen=True)
class Answer:
    """Labels that were given, and what was said: 1 better, -1 worse, 0 neither."""

    labels: int
    said: int
    gave_up: bool = False  # before all were labeled


def order_of(case: Case, rng: np.random.Generator) -> Ints:
    """A list, as `settle` draws it."""
    return case.known.order(case.sizes, rng)


def estimator(case: Case, order: Ints, n: int) -> ByList:
    """What the first n labels say."""
    known = case.known
    if case.cannot is not None:
        known = replace(known, gold=np.where(case.cannot, np.nan, known.gold))
    return known.estimator(0, 1, case.sizes, order, n)


class Rounds:
    """One game, played to the end of the list: when which value was ruled out."""

    def __init__(self, game: Betting, alpha: float, stake: Floats | None = None) -> None:
        self.n = len(game)
        self._offset = game._offset
        self._asked: tuple[dict[float, int], dict[float, int]] = {}, {}
        below = _Game.of(game, self.n, alpha)
        if stake is not None:
            below = replace(below, stake=frozen(stake))
        self._sides = below, below.turned()
        y = (np.array(game.values) - game.units.scale[0]) / game._range
        weight = game._weight[0]
        known, rounding = np.cumsum(weight * y), ROUNDING * float(np.abs(weight).sum())
        least, most = (known + np.append(np.cumsum(w[:0:-1])[::-1], 0.0) for w in
                       (np.minimum(weight, 0), np.maximum(weight, 0)))  # fmt: skip
        self._ends = least - rounding, -most - rounding  # whatever the labels that are not known

    def known_by(self, n: int, d: float, side: int) -> bool:
        """Whether d was ruled out by the n-th label; what is easier to rule out, on a grid, is asked first."""
        sign = (1, -1)[side]
        easier = np.floor(sign * d / STEP) * STEP
        if easier not in self._asked[side]:
            self._asked[side][easier] = self.since(sign * easier, side)
        return self._asked[side][easier] <= n and self.since(d, side) <= n

    def since(self, d: float, side: int = 0) -> int:
        """Labels after which the true value is known to lie above d (side 0), or below it (1); n + 1: never."""
        value = (d - self._offset) * (1, -1)[side]
        won = self._sides[side].grown(value)[:-1, 0] >= self._sides[side].goal
        hit = np.concatenate([won, [False]]) | (self._ends[side] > value[0])
        return int(np.argmax(hit)) + 1 if hit.any() else self.n + 1


def settled(case: Case, order: Ints) -> Answer:
    """`settle`, topics fixed, a look after every label."""
    whole = estimator(case, order, len(order))
    ends = [whole, whole] if case.cannot is None else list(whole.ends(PAIR, 0))
    asked = PAIR if case.cannot is None else Contrasts.scores(1)
    games = [e.game(asked) for e in ends]
    first = [Rounds(g, ALPHA).since(0.0, i) for i, g in enumerate(games) if g is not None]
    for n in range(max(min(first), LEAST_GOLD), len(order) + 1):
        now = estimator(case, order, n)
        if now.labels_for_rule(PAIR)[0] < LEAST_GOLD:
            continue
        values = [float(now.values(PAIR)[0])] * 2
        if case.cannot is not None and now.stuck(PAIR)[0]:
            lowest, highest = (float(e.value[0]) for e in now.ends(PAIR, 0))
            values = [min(values[0], lowest), max(values[1], highest)]
        for i, said in enumerate((1, -1)):
            if n >= first[i] and said * values[i] > 0:
                return Answer(n, said)
    return Answer(len(order), 0)


def settled_topics(case: Case, order: Ints) -> Answer:
    """`settle`, topics sampled, a look after every label.

    With l the lower limit over gold, E the estimate and
    F what topics bring, E - sqrt((E - l)^2 + F) is above 0 where l is above E - sqrt(E^2 - F).
    """
    errors = LookErrors.of(CONFIDENCE, topics=True)
    by_judge = float(case.by_judge.var(ddof=1)) / len(case.by_judge)
    game = estimator(case, order, len(order)).game(PAIR)
    assert game is not None
    rounds = Rounds(game, errors.gold)
    unlikely: list[int] = []  # labels after which a forecast said so
    for n in range(LEAST_GOLD, len(order) + 1):
        now = estimator(case, order, n)
        if now.labels_for_rule(PAIR)[0] < LEAST_GOLD:
            continue
        value, gold, whole = float(now.values(PAIR)[0]), float(now.over_gold(PAIR).value[0]), now.over_topics(PAIR)
        own, t = max(float(whole.value[0]) - gold, 0.0), float(quantiles_of(1 - errors.topics, whole.df)[0])
        side = int(value < 0)
        if (room := value**2 - t**2 * own) > 0:
            edge = abs(value) - np.sqrt(room)
            if rounds.known_by(n, -edge if side else edge, side):
                return Answer(n, -1 if side else 1)
        half = float(t * np.sqrt(max(own, min(by_judge, float(whole.value[0])))))
        certain = rounds.known_by(n, -half, 0) and rounds.known_by(n, half, 1)
        if n >= LEAST_BEFORE_GIVING_UP and certain:
            return Answer(n, 0, n < len(order))
        if n < len(order) and _chance(game, n, value, half) < UNLIKELY:
            unlikely.append(n)
            agree = range(n, n - APART * LOOKS_AGREE, -APART)
            if min(agree) >= LEAST_BEFORE_FORECAST and set(agree) <= set(unlikely):
                return Answer(n, 0, gave_up=True)
    return Answer(len(order), 0)


def _chance(game: Betting, n: int, value: float, half: float) -> float:
    """How likely the difference by all labels is further from 0 than what topics leave open."""
    left = np.cumsum(game.units.size[::-1])[::-1]
    sd = float(game.spread_after(n)[0]) / np.sqrt(np.sum((left[0] / left[:n]) ** 2))
    return float(norm.sf(half, value, sd) + norm.cdf(-half, value, sd))


def sequence(case: Case, order: Ints, looks: Iterable[int], topics: bool = False) -> Answer:
    """The method before: an asymptotic confidence sequence, what lies within the limits of all looks so far."""
    low, high = -np.inf, np.inf
    for n in (*(k for k in looks if k < len(order)), len(order)):
        value, _, half = (float(x[0]) for x in looked(case.known, 0, 1, case.sizes, order, [n],
                                                      fixed=not topics))  # fmt: skip
        if half == 0:
            return Answer(n, int(np.sign(round(value, 12))))
        low, high = max(low, value - half), min(high, value + half)
        if low <= high and (low > 0 or high < 0):
            return Answer(n, 1 if low > 0 else -1)
    return Answer(len(order), 0)


def fixed_list(case: Case, order: Ints, topics: bool = False) -> Answer:
    """A plain interval, once, after 150 labels."""
    n = min(FIXED_LIST, len(order))
    value, half, _ = (float(x[0]) for x in looked(case.known, 0, 1, case.sizes, order, [n], fixed=not topics))
    return Answer(n, int(np.sign(round(value, 12))) if abs(value) > half else 0)


def without_judge(case: Case, rng: np.random.Generator, differing: bool) -> Answer:
    """Bets on people's labels alone, of pairs at random: those that differ, or all of both first tens."""
    there = case.sizes > 0
    if not differing:
        there = there | (case.known.weight[0] > 0)
    order = rng.permutation(np.flatnonzero(there))
    units = DrawnUnits(case.weight[None, order], np.ones(len(order)), np.zeros(len(order)), case.known.topic[order],
                       case.known.scale)  # fmt: skip
    return _first(Rounds(Betting(units, case.known.gold[order].tolist()), ALPHA))


def _first(rounds: Rounds) -> Answer:
    above, below = rounds.since(0.0), rounds.since(0.0, 1)
    n = min(above, below)
    return Answer(rounds.n, 0) if n > rounds.n else Answer(max(n, LEAST_GOLD), 1 if above < below else -1)


def oracle(case: Case, order: Ints) -> Answer:
    """Stakes that know the true difference: lambda = d/(V + d^2), with the same expected values."""
    game = estimator(case, order, len(order)).game(PAIR)
    assert game is not None
    return _first(Rounds(game, ALPHA, _stake(game, case)))


def _stake(game: Betting, case: Case) -> Floats:
    """The stakes at which a bet on the true difference grows fastest."""
    variance, d = np.array(game.variances)[None], abs(case.truth)
    below = variance + d**2
    return np.asarray(np.divide(d, below, out=np.zeros_like(below), where=below > 0))


class Omniscient:
    """Expected values that are each document's true chance to be relevant, which no predictor can beat."""

    def __init__(self, chance: Floats) -> None:
        self._chance = np.clip(chance, 0.02, 0.98)

    def after(self, first: int) -> Floats:
        """Expected values of the units from one on."""
        return self._chance[first:]

    def learn(self, unit: int, value: float) -> None:
        """There is nothing to learn."""


def omniscient(case: Case, order: Ints, stakes: bool = False) -> Answer:
    """`settle` with expected values that know each document's chance; stakes: which know the true difference, too."""
    assert case.chance is not None
    whole = estimator(case, order, len(order)).game(PAIR)
    assert whole is not None
    game = Betting(whole.units)
    game._prediction = Omniscient(case.chance[order])  # type: ignore[assignment]
    for value in whole.values:
        game.add(value)
    return _first(Rounds(game, ALPHA, _stake(game, case) if stakes else None))


class Learning(Betting):
    """Bets on a list whose rest is drawn again and again, by what was learned of where the judge errs."""

    def __init__(self, units: DrawnUnits, order: Ints) -> None:
        super().__init__(units)
        self.order = order  # of the documents, as they are drawn so far

    def redraw(self, rng: np.random.Generator) -> None:
        """Draw the rest anew, each with a chance in proportion to |w| sqrt(m (1 - m)), m what is expected of it."""
        t, units, model = len(self), self.units, self._prediction
        m = model.after(t)
        sd = np.sqrt(m * (1 - m))
        weight = np.abs(self._weight[0, t:])
        size = weight * np.maximum(sd, LEAST_ERROR * sd.max())
        size *= weight.sum() / size.sum()  # what is left is what is left of the weights, as before
        rest = np.argsort(rng.exponential(size=len(size)) / size)
        order = np.concatenate([np.arange(t), t + rest])
        sizes = np.concatenate([units.size[:t], size[rest]])
        self.units = replace(units, weight=units.weight[:, order], size=sizes, label=units.label[order],
                             group=units.group[order])  # fmt: skip
        self.order = self.order[order]
        self._weight = self._weight[:, order]
        self.left = np.concatenate([self.left[:t], np.cumsum(sizes[t:][::-1])[::-1]])
        self._ratio = self._weight / sizes
        self._square = self._weight * self._ratio
        model._stratum, model._group = model._stratum[order], model._group[order]


def learning(case: Case, order: Ints, rng: np.random.Generator) -> Answer:
    """`settle` with sizes that learn the judge's errors, every 25 labels."""
    units = DrawnUnits(case.weight[None, order], np.abs(case.weight[order]), case.known.stratum[order].astype(float),
                       case.known.topic[order], case.known.scale)  # fmt: skip
    game = Learning(units, order)
    while len(game) < len(units):
        if len(game) and len(game) % EVERY == 0:
            game.redraw(rng)
        game.add(float(case.known.gold[game.order[len(game)]]))
    return _first(Rounds(game, ALPHA))


def judge_alone(case: Case) -> Answer:
    """Student's paired t test over topics on the judge's labels."""
    d = case.by_judge
    se = d.std(ddof=1) / np.sqrt(len(d))
    t = float(quantiles_of(CONFIDENCE, np.array([len(d) - 1.0]))[0])
    return Answer(0, int(np.sign(d.mean())) if abs(d.mean()) > t * se else 0)
