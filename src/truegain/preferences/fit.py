"""Strengths of systems from comparisons of two: Bradley-Terry and Davidson, and what each topic moves them.

A *cell* is one topic and one pair of systems.  Its half-win is 1 where the pair's first system won, 1/2 where neither
did.  Every cell has weight 1, whatever the number of votes behind it.  Half-wins that gold comparisons have corrected
may lie outside 0 to 1: all that the fits need is that their sums are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.errors import InputError, TruegainError, counted, some
from truegain.io.columns import Floats, Ints, frozen

MOST_STRENGTH = 8.0  # beyond which a system has won or lost (nearly) all: no finite strength is known
NEARLY_ALWAYS = 0.9  # share of the comparisons that what was shown first won
STEPS, LONGEST, EXACT = 200, 2.0, 1e-12  # of Newton's method: how many, how far each goes, and when it ends
NOT_KNOWN = 1e-8  # share of the position's own spread that systems leave, below which the two cannot be separated
ONE_ORDER = (
    "one system of each pair was always shown first, or on all topics but one: a preference for what comes first "
    "cannot be separated from one for a system"
)
PAIRS_IN_ONE_ORDER = (
    "each pair of systems was always shown in one order: a preference for what comes first is told apart from the "
    "systems only if strengths add up"
)
BATCH = 2_000_000  # numbers held at a time


@dataclass(frozen=True, eq=False)
class PairCells:
    """Comparisons by topic and pair of systems; with `first` a pair has a kind for each order of showing.

    Attributes
    ----------
    systems, topics : tuple of str
        Names.
    a, b : ndarray of int
        By kind the two systems, a < b.
    first : ndarray of float
        By kind 1 where `a` was shown first, -1 where `b` was, 0 where both orders count alike or none is known.
    topic, kind : ndarray of int
        By cell.
    weight : ndarray of float
        By cell: 1, or the share of the votes that saw this order.
    wins, ties : ndarray of float
        By cell what it brings to the half-wins of `a`, and to the ties.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    a: Ints
    b: Ints
    first: Floats
    topic: Ints
    kind: Ints
    weight: Floats
    wins: Floats
    ties: Floats

    @classmethod
    def of_matrices(
        cls, systems: Sequence[str], topics: Sequence[str], wins: Floats, ties: Floats | None = None
    ) -> PairCells:
        """From a matrix of half-wins, topic by pair (pairs as `np.triu_indices` has them); NaN where not compared.

        >>> PairCells.of_matrices(["x", "y"], ["1", "2"], np.array([[1.0], [0.5]])).sums()[1]
        array([1.5])
        """
        a, b = np.triu_indices(len(systems), 1)
        topic, kind = np.nonzero(~np.isnan(wins))
        tied = (wins == 0.5).astype(np.float64) if ties is None else ties
        return cls(
            tuple(systems), tuple(topics), frozen(a.astype(np.int64)), frozen(b.astype(np.int64)),
            frozen(np.zeros(len(a))), frozen(topic.astype(np.int64)), frozen(kind.astype(np.int64)),
            frozen(np.ones(len(topic))), frozen(wins[topic, kind]), frozen(tied[topic, kind]),
        )  # fmt: skip

    def sums(self) -> tuple[Floats, Floats, Floats]:
        """By kind the weight, the half-wins of `a`, and the ties."""
        weight, wins, ties = (total(self.kind, x, len(self.a)) for x in (self.weight, self.wins, self.ties))
        return weight, wins, ties

    @cached_property
    def counts(self) -> Ints:
        """By kind how many cells there are."""
        return np.bincount(self.kind, minlength=len(self.a))

    @property
    def is_complete(self) -> bool:
        """Whether every topic has every pair of systems."""
        n = len(self.systems)
        pairs = np.unique(self.topic * len(self.systems) ** 2 + self.a[self.kind] * n + self.b[self.kind])
        return len(pairs) == len(self.topics) * n * (n - 1) // 2

    @property
    def is_one_sided(self) -> bool:
        """Whether the order of showing differs from its opposite in some cell."""
        return bool((self.first != 0).any())

    def components(self, without: int | None = None) -> list[list[str]]:
        """Systems that comparisons connect, the largest group first; without one topic, where one is named."""
        return connected(self.systems, self.a[self.kind], self.b[self.kind], self.topic != without)


def total(group: Ints, values: Floats, groups: int) -> Floats:
    """The sum of values by group."""
    return np.bincount(group, values, groups).astype(np.float64)


def connected(systems: Sequence[str], a: Ints, b: Ints, kept: np.typing.NDArray[np.bool_]) -> list[list[str]]:
    """Groups of systems that pairs (a, b) connect, the largest first.

    >>> connected("xyzw", np.array([0, 2]), np.array([1, 3]), np.array([True, True]))
    [['x', 'y'], ['z', 'w']]
    """
    group = np.arange(len(systems))
    pairs = np.unique(np.stack([a[kept], b[kept]], axis=1), axis=0)
    while len(pairs):  # the smallest number of a group spreads along its pairs
        low = np.minimum(group[pairs[:, 0]], group[pairs[:, 1]])
        new = group.copy()
        np.minimum.at(new, pairs[:, 0], low)
        np.minimum.at(new, pairs[:, 1], low)
        new = new[new]
        if (new == group).all():
            break
        group = new
    groups = [[systems[i] for i in np.flatnonzero(group == g).tolist()] for g in np.unique(group)]
    return sorted(groups, key=lambda names: -len(names))


def check_connected(cells: PairCells) -> None:
    """Refuse comparisons that do not connect all systems, and those that one topic alone connects."""
    groups = cells.components()
    if len(groups) > 1:
        raise InputError(
            f"no comparison connects {_groups(groups)}: their strengths are on separate scales",
            hint="compare a system of one group with one of another, or give one group only",
        )
    topics_of = np.zeros((len(cells.systems),) * 2, np.int64)
    a, b = cells.a[cells.kind], cells.b[cells.kind]
    once = np.unique(np.stack([a, b, cells.topic], axis=1), axis=0)
    np.add.at(topics_of, (once[:, 0], once[:, 1]), 1)
    for t in np.unique(once[topics_of[once[:, 0], once[:, 1]] == 1, 2]).tolist():
        groups = cells.components(without=t)
        if len(groups) > 1:
            raise InputError(
                f"only topic {cells.topics[t]} connects {_groups(groups)}: how their difference varies over topics "
                "cannot be estimated",
                hint="compare them on more topics",
            )


def _groups(groups: Sequence[Sequence[str]]) -> str:
    """The groups in words: {x, y} and {z}."""
    named = [f"{{{some(names, 4)}}}" for names in groups[:4]]
    if len(groups) > 4:
        named.append(counted(len(groups) - 4, "other group"))
    return f"{', '.join(named[:-1])} and {named[-1]}"


# ---- The fit.


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths that were fitted to sums of half-wins (and ties), and how they move with them.

    Bradley-Terry: a wins with chance s(d + gamma g), s the logistic function, d = theta_a - theta_b, g = 1 where a was
    shown first and -1 where b was.  Davidson: P(tie) = nu/(exp(d/2) + exp(-d/2) + nu), and wins in the ratio exp(d).
    Both maximize sum over cells of (y - 1/2) d + t log nu - log(2 cosh(d/2) + nu): half-wins y and ties t come in as
    sums, so that corrected ones do no harm.  sum theta = 0.

    Attributes
    ----------
    cells : PairCells
        What was fitted.
    parameters : ndarray of float
        theta of each system; gamma, where positions count; log nu, where ties do.
    has_position, has_ties : bool
        Which of these there are.

    References
    ----------
    .. [1] R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39(3/4), 1952.
    .. [2] R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
           JASA 65(329), 1970.

    Examples
    --------
    >>> cells = PairCells.of_matrices(["x", "y"], ["1", "2", "3"], np.array([[1.0], [1.0], [0.0]]))
    >>> Strengths.fit(cells).theta.round(4)  # half of log(2/1)
    array([ 0.3466, -0.3466])
    """

    cells: PairCells
    parameters: Floats
    has_position: bool
    has_ties: bool

    @classmethod
    def fit(cls, cells: PairCells, *, ties: bool = False, position: bool = False) -> Strengths:
        """Maximize by Newton's method; what has no finite maximum is refused.

        ties: Davidson's model; position: with a column for who was shown first.
        """
        check_connected(cells)
        if position and not position_is_known(cells):
            raise TruegainError(f"{ONE_ORDER}; show both orders")
        weight, wins, tied = cells.sums()
        if ties and not 0 < tied.sum() < weight.sum():
            none = tied.sum() <= 0
            left = "gold comparisons leave none of the judge's" if (cells.ties != 0).any() else "there is no tie"
            raise TruegainError(
                f"Davidson's model needs ties and wins, and {left if none else 'all are ties'}; use bradley-terry"
            )
        size = len(cells.systems) + position + ties
        fit = cls(cells, np.zeros(size), position, ties)
        if ties:  # the share of ties, were all systems equal
            share = float(np.clip(tied.sum() / weight.sum(), 1e-6, 1 - 1e-6))
            fit.parameters[-1] = np.log(2 * share / (1 - share))
        value = fit._likelihood(weight, wins, tied)
        for _ in range(STEPS):
            gradient = fit._gradient(weight, wins, tied)
            step = np.asarray(np.linalg.solve(fit._information(weight), gradient), np.float64)
            step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
            moved, new = fit._moved(step), -np.inf
            for _ in range(60):
                moved = fit._moved(step)
                new = moved._likelihood(weight, wins, tied)
                if new >= value - 1e-12 * abs(value):
                    break
                step = step / 2
            fit, value = moved, new
            if np.abs(step).max() < EXACT or np.abs(fit.parameters).max() > 2 * MOST_STRENGTH:
                break
        fit._refuse_endless()
        return fit

    def _moved(self, step: Floats) -> Strengths:
        return Strengths(self.cells, self.parameters + step, self.has_position, self.has_ties)

    def _refuse_endless(self) -> None:
        """Refuse strengths without a finite value: a system, or what was shown first, that won or lost everything."""
        theta = self.theta
        if abs(self.gamma) > MOST_STRENGTH:  # strengths may grow with it, but it is the position that decides
            place = "first" if self.gamma > 0 else "second"
            if self._won_by(place) >= NEARLY_ALWAYS:
                raise TruegainError(
                    f"what was shown {place} won (nearly) always: nothing can be said about the systems; show both "
                    "orders of every pair"
                )
            raise TruegainError(
                f"in one order what was shown {place} won all comparisons, so that the effect of the order has no "
                f"finite value (beyond {MOST_STRENGTH:g}); show both orders on more topics, or give half-wins as the "
                "measure where every topic has every pair"
            )
        if self.has_ties and abs(self.parameters[-1]) > 2 * MOST_STRENGTH and np.abs(theta).max() <= MOST_STRENGTH:
            many = "all comparisons are ties" if self.parameters[-1] > 0 else "no comparison is a tie"
            raise TruegainError(f"(nearly) {many}: Davidson's model has no finite value for ties; use bradley-terry")
        if np.abs(theta).max() <= MOST_STRENGTH and np.isfinite(self.parameters).all():
            return
        s = int(np.argmax(np.abs(theta)))
        won = "won" if theta[s] > 0 else "lost"
        raise TruegainError(
            f"{self.cells.systems[s]} {won} (nearly) all its comparisons, so that its strength has no finite value "
            f"(beyond {MOST_STRENGTH:g}); give half-wins as the measure where every topic has every pair, more "
            "comparisons, or the other systems only"
        )

    def _won_by(self, place: str) -> float:
        """Which share of the half-wins went to what was shown in a place, where the order is known."""
        weight, wins, _ = self.cells.sums()
        side, known = self.cells.first * (1 if place == "first" else -1), self.cells.first != 0
        return float(np.where(side > 0, wins, weight - wins)[known].sum() / weight[known].sum())

    # ------------------------------------------------------------------ what there is

    @property
    def theta(self) -> Floats:
        """The strength of each system; they sum to 0."""
        return self.parameters[: len(self.cells.systems)]

    @property
    def gamma(self) -> float:
        """By how much being shown first raises the log-odds; 0 where positions do not count."""
        return float(self.parameters[len(self.cells.systems)]) if self.has_position else 0.0

    @property
    def nu(self) -> float:
        """Davidson's parameter of ties; 0 in Bradley-Terry."""
        return float(np.exp(self.parameters[-1])) if self.has_ties else 0.0

    @cached_property
    def design(self) -> Floats:
        """Kind x parameter: 1 for `a`, -1 for `b`, the position; 0 for log nu, which is apart."""
        cells, rows = self.cells, np.arange(len(self.cells.a))
        x = np.zeros((len(rows), len(self.parameters)))
        x[rows, cells.a], x[rows, cells.b] = 1.0, -1.0
        if self.has_position:
            x[:, len(cells.systems)] = cells.first
        return x

    @cached_property
    def expected(self) -> tuple[Floats, Floats]:
        """By kind the expected half-win of `a`, and the chance of a tie."""
        d = self.design @ self.parameters
        z = 2 * np.cosh(d / 2) + self.nu
        return 0.5 + np.sinh(d / 2) / z, self.nu / z

    @cached_property
    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """By kind the variance of a half-win, of a tie, and their covariance."""
        half_win, tie = self.expected
        win = half_win - tie / 2
        return win + tie / 4 - half_win**2, tie * (1 - tie), tie * (0.5 - half_win)

    def _likelihood(self, weight: Floats, wins: Floats, ties: Floats) -> float:
        d = self.design @ self.parameters
        total = (wins - weight / 2) @ d - weight @ np.log(2 * np.cosh(d / 2) + self.nu)
        return float(total + (ties.sum() * self.parameters[-1] if self.has_ties else 0.0))

    def _gradient(self, weight: Floats, wins: Floats, ties: Floats) -> Floats:
        half_win, tie = self.expected
        gradient = self.design.T @ (wins - weight * half_win)
        if self.has_ties:
            gradient[-1] = (ties - weight * tie).sum()
        return gradient

    def _information(self, weight: Floats) -> Floats:
        """The negative Hessian, of weights by kind (or of many rows of weights); sum theta is held by its first block.

        The block adds the square of sum theta, which is 0, so that the matrix can be inverted and no step leaves it.
        """
        x, (wins, ties, both), n = self.design, self._moments, len(self.cells.systems)
        out = np.einsum("...k,ki,kj->...ij", weight * wins, x, x, optimize=True)
        if self.has_ties:
            mixed = (weight * both) @ x
            out[..., -1, :] += mixed
            out[..., :, -1] += mixed
            out[..., -1, -1] = (weight * ties).sum(axis=-1)
        out[..., :n, :n] += 1.0
        return np.asarray(out)

    @cached_property
    def information(self) -> Floats:
        """Of all comparisons together."""
        return self._information(self.cells.sums()[0])

    # ------------------------------------------------------------------ how it moves

    def scores(self) -> Floats:
        """Topic x parameter: what each topic brings to the gradient, which is 0 over all topics."""
        cells, (half_win, tie) = self.cells, self.expected
        rest = cells.wins - cells.weight * half_win[cells.kind]
        topics = len(cells.topics)
        out = np.zeros((topics, len(self.parameters)))
        for code, sign in ((cells.a, 1.0), (cells.b, -1.0)):
            np.add.at(out, (cells.topic, code[cells.kind]), sign * rest)
        if self.has_position:
            out[:, len(cells.systems)] = np.bincount(cells.topic, rest * cells.first[cells.kind], topics)
        if self.has_ties:
            out[:, -1] = np.bincount(cells.topic, cells.ties - cells.weight * tie[cells.kind], topics)
        return out

    def without_topics(self) -> Floats:
        """Topic x parameter: the parameters without each topic, by one step of Newton's method from all of them."""
        cells, scores = self.cells, self.scores()
        out = np.empty_like(scores)
        order = np.argsort(cells.topic, kind="stable")
        begin = np.searchsorted(cells.topic[order], np.arange(len(cells.topics) + 1))
        batch = max(1, BATCH // max(len(cells.a), self.parameters.size**2))
        for first in range(0, len(cells.topics), batch):
            last = min(first + batch, len(cells.topics))
            rows = order[begin[first] : begin[last]]
            own = np.zeros((last - first, len(cells.a)))
            np.add.at(own, (cells.topic[rows] - first, cells.kind[rows]), cells.weight[rows])
            left = self._information(cells.sums()[0] - own)
            out[first:last] = self.parameters - np.linalg.solve(left, scores[first:last, :, None])[..., 0]
        return out

    def loads(self) -> tuple[Floats, Floats]:
        """How strengths move with sums: kind x system per half-win of `a`, and by system per tie."""
        n = len(self.cells.systems)
        inverse = np.asarray(np.linalg.inv(self.information), np.float64)
        of_ties = inverse[-1, :n] if self.has_ties else np.zeros(n)
        return np.asarray(self.design @ inverse[:, :n]), of_ties


def pairs_in_one_order(cells: PairCells) -> bool:
    """Whether each pair of systems was shown in one order, on all of its topics or all but one.

    >>> wins = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    >>> pairs_in_one_order(PairCells.of_matrices(["x", "y", "z"], ["1", "2", "3"], wins))
    False
    """
    shown: dict[tuple[int, int], dict[float, int]] = {}
    for a, b, first, topics in zip(
        cells.a.tolist(), cells.b.tolist(), cells.first.tolist(), cells.counts.tolist(), strict=True
    ):
        of_pair = shown.setdefault((a, b), {})
        of_pair[first] = of_pair.get(first, 0) + topics

    def is_one(of: dict[float, int]) -> bool:
        most = max(of.get(1.0, 0), of.get(-1.0, 0))
        rest = sum(of.values()) - most
        return rest == 0 < most or (rest == 1 and most > 2)

    return all(map(is_one, shown.values()))


def position_is_known(cells: PairCells) -> bool:
    """Whether being shown first can be separated from the systems, whichever topic is left out.

    It cannot where one of each pair is always first.

    >>> cells = PairCells.of_matrices(["x", "y"], ["1", "2"], np.array([[1.0], [0.0]]))
    >>> position_is_known(cells)
    False
    """
    if not cells.is_one_sided or not _separates(cells, cells.counts > 0):
        return False
    once = cells.counts[cells.kind] == 1  # only a kind that one topic alone has is lost without it
    for t in np.unique(cells.topic[once]).tolist():
        there = cells.counts > 0
        there[cells.kind[once & (cells.topic == t)]] = False
        if not _separates(cells, there):
            return False
    return True


def _separates(cells: PairCells, there: np.typing.NDArray[np.bool_]) -> bool:
    """Whether the order of showing is no mere difference of systems, in some of the kinds."""
    shown, rows = cells.first[there], np.arange(int(there.sum()))
    x = np.zeros((len(rows), len(cells.systems)))
    x[rows, cells.a[there]], x[rows, cells.b[there]] = 1.0, -1.0
    left = shown - x @ np.linalg.lstsq(x, shown, rcond=None)[0]
    return bool(left @ left > NOT_KNOWN * (shown @ shown))


# ---- Win rates.


def win_rates(theta: Floats) -> Floats:
    """The chance of each system to win against another one, in the mean of all others.

    >>> win_rates(np.array([np.log(3.0), 0.0])).round(4)
    array([0.75, 0.25])
    """
    n = len(theta)
    chance = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    return np.asarray((chance.sum(axis=1) - 0.5) / (n - 1))


def win_rate_slopes(theta: Floats) -> Floats:
    """System x system: how a win rate moves with each strength, for the delta method."""
    n = len(theta)
    chance = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    slope = chance * (1 - chance)
    np.fill_diagonal(slope, 0.0)
    return np.asarray((np.diag(slope.sum(axis=1)) - slope) / (n - 1))
