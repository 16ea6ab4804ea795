"""How far a judge's values of answers lie from those of people: mean error by system, correlation, scatter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from truegain.data.pool import RankedGains
from truegain.errors import TruegainError, counted, some
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen
from truegain.judge_error.favor import SAME
from truegain.judge_error.gold_pairs import Pairs
from truegain.results.base import Result, Table
from truegain.results.table import Cell
from truegain.sampling.catalogue import design_of
from truegain.sampling.gold import ANSWER
from truegain.stats.student_t import p_of, quantile_of

ALL = "all systems"
FEW_LABELS = 10  # below which a mean error has no interval
FEW_PAIRS = 3  # labels below which no correlation is told
ALPHA = 0.05  # of the test that the judge's mean error is the same for all systems
CORRECTION = (  # of values of answers, whether gold labels are of single ones or of whole topics
    "Corrected scores do not subtract this mean error. They predict people's values from the judge's, using the gold "
    "labels of other topics, and then add the mean difference between the system's own gold labels and the prediction."
)
NOT_BY_CHANCE = 0.01  # of the test that labeled answers are a random sample
COLUMNS = (
    "system", "gold labels", "judge mean", "people mean", "mean error", "low", "high", "mean absolute error",
    "pearson", "spearman",
)  # fmt: skip


@dataclass(frozen=True)
class MeanError:
    """The mean of judge minus person over some answers, with limits over topics unless labels are few.

    Attributes
    ----------
    system : str
        Whose answers; empty for all.
    labels : int
        How many have a gold label.
    judge, people : float
        The mean value by each.
    value : float
        The mean error.
    low, high : float or None
        Its limits.
    absolute : float
        The mean absolute error.
    pearson, spearman : float or None
        How the judge's values go with people's.
    """

    system: str
    labels: int
    judge: float
    people: float
    value: float
    low: float | None
    high: float | None
    absolute: float
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True)
class ErrorGap:
    """By how much the mean error of one system lies above that of another, or of all others.

    Attributes
    ----------
    system : str
        The system.
    other : str
        The other one; empty for the mean of all others.
    value : float
        The difference.
    low, high : float
        Its limits.
    p : float
        Adjusted for the number of systems.
    """

    system: str
    other: str
    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class ValueErrors(Result):
    """A judge's values of answers beside those that people gave to the same answers.

    Attributes
    ----------
    systems : tuple of str
        The systems whose answers have gold labels.
    topics : tuple of str
        The topics, or the clusters of topics, by which intervals are made.
    judge, gold : ndarray of float
        The value by the judge and by a person, one a labeled answer.
    system, topic : ndarray of int
        Whose answer, and to which topic: places in `systems` and `topics`.
    weight : ndarray of float
        How many answers each label stands for, as it was drawn.
    measure : str
        The score.
    confidence : float
        Of the intervals.
    provenance : mapping
        How it was made.
    mean_of_all : float or None
        The judge's mean over all answers, where labeled ones are a random sample of them.
    not_checked : tuple of str
        The systems of whose answers none has a gold label.

    Notes
    -----
    With w the weight of a label, e = judge - person and m its weighted mean, intervals are those of a mean over
    clusters: with r_t the sum of w (e - m) over the labels of topic t, of which there are G,

        V = G / (G - 1) sum over t of r_t^2 / (sum of w)^2 ;   m +- t(G - 1) sqrt(V)

    Columns of `frame`: those of `table`.

    Examples
    --------
    >>> import numpy as np
    >>> judge, gold = np.array([0.9, 0.6, 0.8, 0.4]), np.array([0.8, 0.4, 0.9, 0.2])
    >>> errors = ValueErrors(("a",), tuple("1234"), judge, gold, np.zeros(4, int), np.arange(4), np.ones(4), "faith")
    >>> round(errors.overall.value, 3), errors.is_binary
    (0.1, False)
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    judge: Floats
    gold: Floats
    system: Ints
    topic: Ints
    weight: Floats
    measure: str
    confidence: float = 0.95
    provenance: Mapping[str, object] = field(default_factory=dict)
    mean_of_all: float | None = None  # by the judge, of labeled answers and others, where gold was drawn at random
    not_checked: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, pairs: Pairs | None, design: str, ranked: RankedGains, measure: str, *,
        groups: Sequence[str] | None = None, confidence: float = 0.95, provenance: Mapping[str, object] | None = None,
    ) -> ValueErrors:  # fmt: skip
        """From a judge that was measured on gold labels of answers.

        Parameters
        ----------
        pairs : Pairs or None
            The gold pairs of a judge; refused where only counts are known.
        design : str
            How they were drawn.
        ranked : RankedGains
            The answers: each item is of one system.
        measure : str
            The score.
        groups : sequence of str, optional
            The cluster of each topic of `ranked`, where topics were sampled in such.
        confidence : float, default 0.95
            Of the intervals.
        provenance : mapping, optional
            How it was made.

        Returns
        -------
        ValueErrors
            Of the labels of answers that are scored.
        """
        if pairs is None:
            raise TruegainError("this judge is known only by counts, not by values of single answers")
        owner = np.full(len(ranked.pool), -1, np.int64)
        owner[ranked.item] = ranked.list // len(ranked.topics)
        item = pairs.items_in(ranked.pool)
        keep = (item >= 0) & (owner[item] >= 0)
        item, pairs = item[keep], pairs.only(keep)
        of_topic = np.asarray(ranked.pool.topic, np.int64)[item]
        names = list(ranked.topics) if groups is None else list(groups)
        units, unit = np.unique([names[t] for t in of_topic.tolist()], return_inverse=True)
        there, system = np.unique(owner[item], return_inverse=True)
        drawn_alike = design_of(design).equal and not pairs.weighted
        return cls(
            tuple(ranked.systems[s] for s in there.tolist()), tuple(map(str, units)), pairs.bronze, pairs.gold,
            frozen(system.astype(np.int64)), frozen(unit.astype(np.int64)), pairs.weight, measure, confidence,
            provenance or {}, float(ranked.item_gain[owner >= 0].mean()) if drawn_alike else None,
            tuple(name for s, name in enumerate(ranked.systems) if s not in {*there.tolist()}),
        )  # fmt: skip

    @classmethod
    def of_pairs(cls, pairs: Pairs, design: str, groups: Sequence[str] = ()) -> ValueErrors:
        """From gold pairs alone, whatever of them is scored: the judgments tell whose answer each value is of.

        Parameters
        ----------
        pairs : Pairs
            The gold pairs of a judge.
        design : str
            How they were drawn.
        groups : sequence of str, optional
            The cluster of each topic of the pool, where topics were sampled in such.

        Returns
        -------
        ValueErrors
            Of all gold labels.
        """
        assert pairs.pool is not None
        assert pairs.item is not None
        pool = pairs.pool
        answer = pool.judgments.extra.get(ANSWER, [ALL] * len(pool.row_item))
        who = Coded.of([str(name) for name in answer])
        of_item = np.zeros(len(pool), np.int64)
        of_item[pool.row_item] = who.code
        names = list(groups or pool.topics)
        units, unit = np.unique([names[t] for t in pool.topic[pairs.item].tolist()], return_inverse=True)
        there, system = np.unique(of_item[pairs.item], return_inverse=True)
        drawn_alike = design_of(design).equal and not pairs.weighted
        return cls(
            tuple(who.values[s] for s in there.tolist()), tuple(map(str, units)), pairs.bronze, pairs.gold,
            frozen(system.astype(np.int64)), frozen(unit.astype(np.int64)), pairs.weight, "",
            mean_of_all=float(pool.labels.mean()) if drawn_alike else None,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def is_binary(self) -> bool:
        """Whether all values are 0 or 1, as of pass and fail: then sensitivity and specificity say more."""
        return bool(np.isin(self.judge, (0.0, 1.0)).all() and np.isin(self.gold, (0.0, 1.0)).all())

    @property
    def error(self) -> Floats:
        """Judge minus person, one a label."""
        return self.judge - self.gold

    # ------------------------------------------------------------------ mean errors

    @cached_property
    def overall(self) -> MeanError:
        """Over all answers."""
        return self._mean_error("", np.ones(len(self), np.bool_))

    @cached_property
    def by_system(self) -> tuple[MeanError, ...]:
        """Over the answers of each system."""
        return tuple(self._mean_error(name, self.system == s) for s, name in enumerate(self.systems))

    def _mean_error(self, system: str, at: Bools) -> MeanError:
        w, judge, gold = self.weight[at], self.judge[at], self.gold[at]
        mean = float(w @ (judge - gold) / w.sum())
        few = int(at.sum()) < FEW_LABELS
        low, high = (None, None) if few else self._limits(mean, self._influence(at)[None], np.ones(1))
        absolute = float(w @ np.abs(judge - gold) / w.sum())
        both = pearson(judge, gold, w), spearman(judge, gold, w)
        means = float(w @ judge / w.sum()), float(w @ gold / w.sum())
        return MeanError(system, int(at.sum()), *means, mean, low, high, absolute, *both)

    def _influence(self, at: Bools) -> Floats:
        """By topic: how far its labels move the mean error of some answers; NaN for a topic that has none of them."""
        w, e, t = self.weight[at], self.error[at], self.topic[at]
        moves = np.bincount(t, w * (e - w @ e / w.sum()), len(self.topics)) / w.sum()
        return np.where(np.bincount(t, minlength=len(self.topics)) > 0, moves, np.nan)

    def _spread(self, moves: Floats, contrast: Floats) -> tuple[float, float]:
        """Standard error and freedom of a sum of mean errors, from the moves of topics (mean x topic).

        Each mean has the small-sample factor and the freedom of its own topics, joined as Welch does; no more freedom
        than all topics have, since means of the same topics move together.
        """
        moves, c = moves[contrast != 0], contrast[contrast != 0]
        there = ~np.isnan(moves)
        n, all_topics = there.sum(axis=1), int(there.any(axis=0).sum())
        if n.min() < 2:
            return math.nan, math.nan
        each = (c * np.sqrt(n / (n - 1)))[:, None] * np.nan_to_num(moves)
        pull, alone = each.sum(axis=0), np.square(each).sum(axis=1)
        if not alone.any():
            return 0.0, all_topics - 1.0
        welch = float(alone.sum() ** 2 / (alone**2 / (n - 1)).sum())
        return math.sqrt(float(pull @ pull)), min(welch, all_topics - 1.0)

    def _limits(
        self, value: float, moves: Floats, contrast: Floats, confidence: float | None = None
    ) -> tuple[float | None, float | None]:
        se, df = self._spread(moves, contrast)
        if not se > SAME:  # errors that are all the same, of few labels, are no proof that all are
            return None, None
        half = quantile_of(confidence or self.confidence, df) * se
        return value - half, value + half

    # ------------------------------------------------------------------ does it favor a system?

    @cached_property
    def comparable(self) -> tuple[str, ...]:
        """The systems with gold labels enough, of two topics or more, for their mean errors to be compared."""
        return tuple(s for s in self.systems if s not in self.left_out)

    @cached_property
    def left_out(self) -> dict[str, str]:
        """The systems whose mean errors cannot be compared, and why."""
        why: dict[str, str] = {}
        for s, name in enumerate(self.systems):
            at = self.system == s
            if at.sum() < FEW_LABELS:
                why[name] = counted(int(at.sum()), "label")
            elif len(np.unique(self.topic[at])) < 2:
                why[name] = "all labels of one topic or cluster"
        return why

    @cached_property
    def gap(self) -> ErrorGap | None:
        """The clearest difference between mean errors of comparable systems; None where there are fewer than two.

        Of those that are shown, the largest: a system that the judge favors moves the mean of the others too, so that
        an innocent one with more labels may have the smaller p.
        """
        systems = self.comparable
        n = len(systems)
        if n < 2:
            return None
        tests = 1 if n == 2 else n
        gaps = []
        for system in systems[1:] if n == 2 else systems:
            value, se, df = self.lean(system, [s for s in systems if s != system])
            if not se > SAME:
                continue
            half = quantile_of(1 - (1 - self.confidence) / tests, df) * se
            other = systems[0] if n == 2 else ""
            p = min(1.0, p_of(value / se, df) * tests)
            gaps.append(ErrorGap(system, other, value, value - half, value + half, p))
        shown = [g for g in gaps if g.p < ALPHA]
        return max(shown, key=lambda g: abs(g.value)) if shown else min(gaps, key=lambda g: g.p, default=None)

    def lean(self, system: str, others: Sequence[str]) -> tuple[float, float, float]:
        """How much the judge's mean error of a system lies above that of others.

        Parameters
        ----------
        system : str
            The system.
        others : sequence of str
            Which others.

        Returns
        -------
        tuple of float
            Its mean error less the mean of those of the others, the standard error of that over topics, and degrees of
            freedom; NaN in place of these where fewer than two topics show it.
        """
        contrast = np.array([(s == system) - (s in others) / len(others) for s in self.systems])
        means = np.array([e.value for e in self.by_system])
        return float(contrast @ means), *self._spread(self._influences, contrast)

    @cached_property
    def _influences(self) -> Floats:
        """How far the labels of each topic move the mean error of each system; system x topic."""
        return np.array([self._influence(self.system == s) for s in range(len(self.systems))])

    @property
    def is_uneven(self) -> bool:
        """Whether the mean error clearly differs between systems."""
        return self.gap is not None and self.gap.p < ALPHA

    # ------------------------------------------------------------------ does it tell good answers from bad?

    @cached_property
    def correlation(self) -> tuple[float, float | None, float | None] | None:
        """Pearson's correlation with its interval over topics, by Fisher's z; None where values do not vary.

        The variance of z = atanh r is that of the jackknife: topics are left out in turn.
        """
        r = self.overall.pearson
        if r is None:
            return None
        w = self.weight / self.weight.sum()
        x, y = (_standardized(values, w) for values in (self.judge, self.gold))
        n = len(self.topics)
        sums = np.array([np.bincount(self.topic, w * v, n) for v in (np.ones(len(w)), x, y, x * x, y * y, x * y)])
        left = sums.sum(axis=1, keepdims=True) - sums
        mass = np.maximum(left[0], 1e-12)
        mx, my, xx, yy, xy = left[1:] / mass
        spread = (xx - mx * mx) * (yy - my * my)
        if n < 3 or 1 - r * r < 1e-12 or not (spread > 1e-12).all():
            return r, None, None
        z = np.arctanh(np.clip((xy - mx * my) / np.sqrt(spread), -1 + 1e-12, 1 - 1e-12))
        half = quantile_of(self.confidence, n - 1.0) * math.sqrt((n - 1) / n * float(((z - z.mean()) ** 2).sum()))
        return r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)

    @property
    def follows(self) -> bool:
        """Whether the judge's values clearly rise with those of people."""
        r = self.correlation
        if r is None:
            return False
        return r[1] > 0 if r[1] is not None else r[0] > 1 - SAME

    @property
    def not_at_random(self) -> str:
        """Why labeled answers seem to be no random sample, by the judge's mean over them; else empty."""
        if self.mean_of_all is None or len(self.topics) < 2:
            return ""
        w = self.weight / self.weight.sum()
        mean, n = float(w @ self.judge), len(self.topics)
        moves = np.bincount(self.topic, w * (self.judge - mean), n)
        se = math.sqrt(n / (n - 1) * float(moves @ moves))
        if se == 0 or p_of((mean - self.mean_of_all) / se, n - 1.0) > NOT_BY_CHANCE:
            return ""
        return (
            f"gold was drawn at random, yet the judge's mean value is {mean:z.3f} on the labeled answers and "
            f"{self.mean_of_all:z.3f} on all: these are not a random sample of the answers"
        )

    # ------------------------------------------------------------------ in words and tables

    def in_short(self) -> str:
        """The mean error and the correlation."""
        return self.bias

    @property
    def bias(self) -> str:
        """The mean error in a sentence."""
        e, of = self.overall, counted(len(self), "gold label") + (f" of {self.measure}" if self.measure else "")
        who = some(self.not_checked)
        without = f" No answer of {who} has a gold label, so this says nothing about {who}." if who else ""
        if e.low is None or e.high is None:
            return (
                f"The judge's values lie {_apart(e.value)} people's on average, by {of}; {self._no_interval}.{without}"
            )
        shown = "" if e.low > 0 or e.high < 0 else "; the interval includes 0"
        return (
            f"The judge's values lie {_apart(e.value)} people's on average, by {of} "
            f"({self._level} CI {e.low:+z.4f} to {e.high:+z.4f}{shown}).{without}"
        )

    @property
    def _no_interval(self) -> str:
        if len(self) < FEW_LABELS:
            return f"fewer than {FEW_LABELS} labels give no interval"
        return (
            "one topic gives no interval" if len(self.topics) < 2 else "errors that are all the same give no interval"
        )

    @property
    def leaning(self) -> str:
        """Whether it errs alike for all systems, in a sentence."""
        g = self.gap
        who = some([f"{name} ({why})" for name, why in self.left_out.items()])
        if len(self.systems) < 2:
            return ""
        if len(self.comparable) < 2:
            return f"Too few gold labels to compare its errors between systems: {who}."
        without = f" Not compared: {who}." if who else ""
        if g is None:
            means = [e.value for e in self.by_system if e.system in self.comparable]
            is_same = max(means) - min(means) <= SAME
            alike = "is the same for" if is_same else "differs by the same in every topic between"
            return f"Its mean error {alike} all systems that can be compared.{without}"
        of = g.other or "the others"
        interval = f"{self._level} CI {g.low:+z.4f} to {g.high:+z.4f}"
        if self.is_uneven:
            return (
                f"It {'favors' if g.value > 0 else 'is hard on'} {g.system}: its mean error there is "
                f"{abs(g.value):.4f} {'higher' if g.value > 0 else 'lower'} than for {of} ({interval}).{without}"
            )
        return (
            f"No favored system is shown: the mean error of {g.system} differs from that of {of} by {g.value:+z.4f} "
            f"({interval}).{without}"
        )

    @property
    def worth(self) -> str:
        """What that means for scores that gold labels correct, in a sentence."""
        r = self.correlation
        if r is None:
            return (
                "The values of the judge, or of people, are all the same: they are not correlated, and the gold "
                "labels alone decide the corrected scores."
            )
        interval = "" if r[1] is None or r[2] is None else f" ({self._level} CI {r[1]:z.2f} to {r[2]:z.2f})"
        rank = "" if self.overall.spearman is None else f", Spearman's {self.overall.spearman:z.2f}"
        head = f"Pearson's correlation with people is {r[0]:z.2f}{interval}{rank}."
        if not self.follows:
            return f"{head} The judge does not clearly distinguish good answers from bad ones: it saves no gold labels."
        return (
            f"{head} The judge's values explain {r[0] ** 2:.0%} of the variance of people's: the more, the fewer gold "
            f"labels a corrected score needs. {CORRECTION}"
        )

    @property
    def _level(self) -> str:
        return f"{100 * self.confidence:g}%"

    def table(self) -> Table:
        """A row for all systems and one for each: means, mean error with limits, and correlations."""
        each = self.by_system if len(self.systems) > 1 else ()
        rows: list[tuple[Cell, ...]] = [
            (e.system or (ALL if each else self.systems[0]), e.labels, e.judge, e.people, e.value, e.low, e.high,
             e.absolute, e.pearson, e.spearman)
            for e in (self.overall, *each)
        ]  # fmt: skip
        title = f"{f'{self.measure}: the' if self.measure else 'The'} judge's values and people's"
        notes = (self.bias, self.leaning, self.worth, self.not_at_random)
        return Table(COLUMNS, rows, self.provenance, title, tuple(filter(None, notes)))


def _apart(error: float) -> str:
    return f"{abs(error):.4f} {'above' if error >= 0 else 'below'}"


def _standardized(x: Floats, w: Floats) -> Floats:
    """Values less their weighted mean, over their weighted standard deviation; w sums to 1."""
    about = x - w @ x
    return np.asarray(about / math.sqrt(float(w @ about**2)))


def pearson(x: Floats, y: Floats, weight: Floats) -> float | None:
    """Pearson's correlation of weighted values; None where one does not vary, or there are fewer than three.

    >>> three = np.array([1.0, 2.0, 3.0])
    >>> round(pearson(three, 2 * three, np.ones(3)), 9), pearson(np.ones(3), three, np.ones(3))
    (1.0, None)
    """
    if len(x) < FEW_PAIRS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    w = weight / weight.sum()
    return float(np.clip(w @ (_standardized(x, w) * _standardized(y, w)), -1.0, 1.0))


def spearman(x: Floats, y: Floats, weight: Floats) -> float | None:
    """Spearman's correlation, of weighted ranks: the weight below a value, and half of that at it.

    >>> round(spearman(np.array([1.0, 2.0, 9.0]), np.array([1.0, 3.0, 4.0]), np.ones(3)), 9)
    1.0
    """
    return pearson(_ranks(x, weight), _ranks(y, weight), weight)


def _ranks(x: Floats, weight: Floats) -> Floats:
    _, code = np.unique(x, return_inverse=True)
    at = np.bincount(code, weight)
    return np.asarray((np.cumsum(at) - at / 2)[code])
