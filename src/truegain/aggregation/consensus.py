"""Consensus models: Dawid and Skene, MACE, and those of crowd-kit.

They tell who errs how, and what the label behind the ratings is likely to be.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np

from truegain.aggregation.rules import Rule
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import Scale
from truegain.errors import needs, warn
from truegain.io.columns import Bools, Floats, Ints
from truegain.message import arg

# ---- Fits of consensus models go on until no chance of a label moves any more, and say so only then.

TOLERANCE = 1e-4  # how far any chance of a label may still move where a fit has settled
CALM = 1e-4  # times this, a step may change a chance: thousands more may not add up to the tolerance
IN_A_ROW = 6  # plain steps by which is told how fast changes fall
GROWTH = 1e-4  # a share by which no chance may grow in a step: one near 0 that grows will matter, if late
NOTHING = 1e-10  # chances below do not count where growth is told
ROUNDING = 1e-13  # changes below are those of arithmetic
PLAIN = 20  # steps before the first leap, so that leaps stay on the hill where plain steps began to climb
FIRST_REACH, STRETCH = 4.0, 4.0  # how far leaps may go at first, and by how much more after one that went so far
KEPT = 0.1  # of a chance is left by a leap at least: one at 0 would stay there


@dataclass(frozen=True)
class Convergence:
    """How a fit ended: steps taken, whether it had settled, how much the last one did of what; and what else.

    `left` is about how far some chance still had to go, where that is known.

    >>> print(Convergence(12, True, 3e-6))
    converged after 12 steps
    """

    steps: int
    converged: bool
    change: float | None = None
    more: str = ""
    left: float | None = None
    did: str = "changed the probability of a label by"

    @property
    def last(self) -> str:
        """What the last step did, in brackets."""
        if self.change is None:
            return ""
        left = "" if self.left is None else f"; about {self.left:.2g} remains"
        return f" (the last step {self.did} {self.change:.2g}{left})"

    def __str__(self) -> str:
        return f"{'converged' if self.converged else 'not converged'} after {self.steps} steps{self.more}"


@dataclass
class Trail:
    """The largest changes of any chance of a label, of plain steps in a row; whether they tell that a fit has settled.

    Where changes fall by a factor q a step, what remains after the last one, d, is d q/(1 - q).

    >>> trail = Trail(1e-4)
    >>> for i in range(9):
    ...     trail.add(np.array([0.5 + 0.5**i * 1e-7, 0.5]), np.array([0.5 + 0.5 ** (i + 1) * 1e-7, 0.5]))
    >>> trail.settled, f"{trail.left:.1e}"
    (True, '2.0e-10')
    """

    tolerance: float
    changes: list[float] = field(default_factory=list)
    growth: float = 0.0

    def add(self, before: Floats, after: Floats) -> None:
        """One more plain step."""
        moved = after - before
        self.changes.append(float(np.abs(moved).max()))
        self.growth = float((moved / (before + NOTHING)).max()) if self.calm else math.inf

    @property
    def calm(self) -> bool:
        """Whether the last step changed next to nothing."""
        return self.changes[-1] <= CALM * self.tolerance

    @property
    def left(self) -> float:
        """How far some chance is from where it goes; infinite where changes do not fall, or are too few to tell."""
        last = self.changes[-IN_A_ROW:]
        if last[-1] <= ROUNDING:
            return last[-1]
        if len(last) < 2 or last[-1] >= last[0]:
            return math.inf
        rate = (last[-1] / last[0]) ** (1 / (len(last) - 1))
        return float(last[-1] * rate / (1 - rate))

    @property
    def settled(self) -> bool:
        """Whether no chance moves by more than the tolerance any more, however many steps would follow."""
        enough = len(self.changes) >= IN_A_ROW and self.calm
        return enough and self.growth <= GROWTH and self.left <= self.tolerance

    def convergence(self, steps: int, more: str = "") -> Convergence:
        """How the fit ended after so many steps."""
        left = self.left if self.changes else math.inf
        last = self.changes[-1] if self.changes else None
        return Convergence(steps, self.settled, last, more, None if math.isinf(left) else left)


def climbed(
    step: Callable[[Floats], tuple[Floats, float]], share: Floats, tolerance: float, most: int
) -> tuple[Floats, int, Trail]:
    """Where steps of an EM lead that never let a likelihood fall: the chances, steps taken, and the last of the trail.

    `step` gives the next chances and the likelihood behind them.  After two plain steps, r and then r + v long, comes a
    leap to x + 2 a r + a^2 v with a = |r|/|v|, kept where the likelihood is no less than before
    the last plain step.

    Varadhan and Roland 2008, Scandinavian Journal of Statistics 35(2), scheme S3.
    """
    trail, steps, reach = Trail(tolerance), 0, FIRST_REACH
    before = share
    while steps < most:
        after, height = step(share)
        steps += 1
        trail.add(share, after)
        if trail.settled:
            return after, steps, trail
        origin, before, share = before, share, after
        if not PLAIN <= steps < most - IN_A_ROW or trail.calm or len(trail.changes) < 2:
            continue
        r = before - origin
        v = share - before - r
        bend = float(np.sqrt((v * v).sum()))
        length = min(float(np.sqrt((r * r).sum())) / bend, reach) if bend else reach
        reach *= STRETCH if length == reach else 1.0
        if length > 1:
            leap = np.maximum(origin + 2 * length * r + length**2 * v, KEPT * share)
            landed, there = step(leap / leap.sum(axis=1, keepdims=True))
            steps += 1
            if there >= height:
                share = landed
            else:
                reach = max(FIRST_REACH, length / STRETCH)
        trail = Trail(tolerance)
    return share, steps, trail


# ---- What a consensus model is: votes in one order, a chance for every label of every item, how the fit ended.


@dataclass(frozen=True, eq=False)
class Votes:
    """Ratings as numbers of item, assessor and label, each numbered and all sorted by name, never by place in a file.

    A fit starts from numbers that belong to an assessor, and sums in the order of its rows: in this order both depend
    on what was rated alone.
    """

    item: Ints
    assessor: Ints
    label: Ints
    weight: Floats
    levels: Floats
    items: int
    assessors: int

    @cached_property
    def tables(self) -> tuple[Any, Any]:
        """Weights as a sparse table, items by assessor and label; and the same turned round."""
        levels = len(self.levels)
        where, shape = (self.item, self.assessor * levels + self.label), (self.items, self.assessors * levels)
        table = import_module("scipy.sparse").csr_array((self.weight, where), shape=shape)
        return table, table.T.tocsr()

    @cached_property
    def counts(self) -> Bools:
        """Which items have a rating that counts."""
        return np.bincount(self.item, self.weight, self.items) > 0

    @classmethod
    def of(cls, ratings: Grouped) -> Votes:
        """The ratings in the order of names: topic, document, subtopic, then assessor."""
        item = ratings.place[ratings.item]
        rows = np.lexsort((ratings.who, item))
        names, assessor = np.unique(ratings.who[rows], return_inverse=True)
        levels, label = np.unique(ratings.value[rows], return_inverse=True)
        return cls(item[rows], assessor, label, ratings.weight[rows], levels, len(ratings), len(names))


@dataclass(frozen=True, kw_only=True)
class Consensus(Rule):
    """The expected label under the model (take='mean') or the likeliest (take='label').

    All topics are fitted together, so that an assessor has one quality.  `fitted` also tells whether the fit settled
    within `n_iter` steps; `fit`, and with it `aggregate`, warns where it did not.
    """

    MOST_LEVELS: ClassVar[int] = 100
    TAKES_WEIGHTS: ClassVar[bool] = True

    take: str = "mean"
    n_iter: int = 100

    def __post_init__(self) -> None:
        self.require(self.take in ("mean", "label"), f"take is {self.take!r}; give 'mean' or 'label'")
        self.require(self.n_iter >= 1, f"n_iter {self.n_iter} must be at least 1")

    @abstractmethod
    def chances(self, votes: Votes) -> tuple[Floats, Convergence]:
        """Items by levels: how likely each label is, and how the fit ended."""

    def fitted(self, ratings: Grouped) -> tuple[Floats, Convergence]:
        """One gain an item, and whether the fit had settled when it ended."""
        levels = np.unique(ratings.value)
        self.require(len(levels) > 1, f"all ratings are {levels[0]:g}; there is nothing to fit")
        self.require(
            len(levels) <= self.MOST_LEVELS,
            f"it treats ratings as categories, and there are {len(levels)} of them; use the rule median",
        )
        table, progress = self.chances(Votes.of(ratings))
        gain = table @ levels if self.take == "mean" else levels[table.argmax(axis=1)]
        return np.where(ratings.mass > 0, gain[ratings.place], np.nan), progress

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item; a fit that had not settled is warned of."""
        return self.fit_and_report(ratings, [])

    def fit_and_report(self, ratings: Grouped, report: list[str]) -> Floats:
        """One gain an item; that the fit settled is added to the report, that it did not is warned of."""
        gain, progress = self.fitted(ratings)
        if progress.converged:
            report.append(f"the rule {self.NAME} {progress}")
        else:
            warn(
                f"the rule {self.NAME} had not converged after {self.n_iter} steps{progress.last}; give more, as in "
                f"{arg('aggregate', f'{self.NAME}(n_iter={10 * self.n_iter})')}"
            )
        return gain


@dataclass(frozen=True, kw_only=True)
class Settled(Consensus):
    """A fit that ends where no chance of a label would move by more than `tolerance`, however many steps followed.

    The likelihood is flat long before, and labels still change.
    """

    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(0 < self.tolerance < 1, f"tolerance {self.tolerance:g} must lie between 0 and 1, such as 0.0001")


# ---- Dawid and Skene: every assessor has a confusion matrix of their own; an EM that takes weights.

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
        return share, trail.convergence(steps)


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
    table = np.maximum(votes.tables[1] @ share, FLOOR).reshape(-1, levels, levels).swapaxes(1, 2)
    return prior / prior.sum(), np.asarray(table / table.sum(axis=2, keepdims=True))


def expected(votes: Votes, prior: Floats, table: Floats) -> tuple[Floats, float]:
    """How likely each label of each item is, and the log-likelihood of all ratings."""
    logs = np.log(table).swapaxes(1, 2).reshape(-1, len(prior))
    part = np.asarray(votes.tables[0] @ logs + np.log(prior))
    top = part[:, 0]
    for column in part.T[1:]:  # faster than the largest of each of many short rows
        top = np.maximum(top, column)
    np.exp(np.subtract(part, top[:, None], out=part), out=part)
    total = part @ np.ones(len(prior))
    return part / total[:, None], float((np.log(total) + top)[votes.counts].sum())


# ---- MACE: who knows and who spams, and what the label behind the ratings is likely to be.

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
        ends = [mace_climbed(votes, start, self.n_iter) for start in starts(votes, self.starts, self.seed)]
        total = votes.weight.sum()
        tops = np.array([end.likelihood for end in ends])
        best = int(tops.argmax())
        came_to_it = int((tops[best] - tops < SAME_TOP * total).sum())
        more = f", the best of {self.starts} starts, {came_to_it} of which reached it"
        share, steps, trail = settled(votes, ends[best], self.tolerance, self.n_iter)
        more = more if self.starts > 1 else ""
        if not trail.changes:  # all steps were needed before
            return share, Convergence(
                steps, False, ends[best].change, more, did="changed the likelihood of a rating by"
            )
        return share, trail.convergence(steps, more)


def starts(votes: Votes, count: int, seed: int) -> list[State]:
    """Where fits begin: all assessors alike, then at random; an assessor's numbers go by their name's place."""
    alike = np.full((votes.assessors, len(votes.levels)), 1 / len(votes.levels))
    states = [State(np.full((votes.assessors, 2), 0.5), alike)]
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    for _ in range(count - 1):
        drawn = [rng.uniform(1, 2 + NOISE, (votes.assessors, n)) for n in (2, len(votes.levels))]
        states.append(State(*(d / d.sum(axis=1, keepdims=True) for d in drawn)))
    return states


class End(NamedTuple):
    """Where steps led: chances of labels, log-likelihood, steps, its last change a rating, and expected counts."""

    share: Floats
    likelihood: float
    steps: int
    change: float
    counts: tuple[Floats, Floats]


def mace_climbed(votes: Votes, state: State, most: int) -> End:
    """Near the top, or after so many steps."""
    share, likelihood, counts = mace_expected(votes, state)
    change, steps = np.inf, 0
    while steps < most and change >= NEAR_TOP:
        share, after, counts = mace_expected(votes, mace_fitted(*counts))
        change, likelihood = abs(after - likelihood) / float(votes.weight.sum()), after
        steps += 1
    return End(share, likelihood, steps, change, counts)


def settled(votes: Votes, end: End, tolerance: float, most: int) -> tuple[Floats, int, Trail]:
    """From there on until the chances settle: these, all steps, and the trail."""
    share, steps, counts, trail = end.share, end.steps, end.counts, Trail(tolerance)
    while steps < most and not trail.settled:
        after, _, counts = mace_expected(votes, mace_fitted(*counts))
        trail.add(share, after)
        share, steps = after, steps + 1
    return share, steps, trail


def mace_expected(votes: Votes, state: State) -> tuple[Floats, float, tuple[Floats, Floats]]:
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
    chance = share.ravel()[cell] * (1 - spam / both)
    cell = votes.assessor * levels + votes.label
    spams = np.bincount(cell, weight * (1 - chance), votes.assessors * levels).reshape(-1, levels)
    knows = np.bincount(votes.assessor, weight * chance, votes.assessors)
    likelihood = float((np.log(part.sum(axis=1)) + top[:, 0]).sum())
    return share, likelihood, (knows.astype(np.float64), spams.astype(np.float64))


def mace_fitted(knows: Floats, spams: Floats) -> State:
    """Parameters from expected counts: exp(digamma(count + prior) - digamma(sum of these))."""
    digamma = import_module("scipy.special").digamma

    def shares(counts: Floats) -> Floats:
        return np.asarray(np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True))), np.float64)

    return State(shares(np.stack([spams.sum(axis=1), knows], axis=1) + KNOWING), shares(spams + HABIT))


# ---- Consensus models of crowd-kit: who errs how, and what the label behind the ratings is likely to be.

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
