"""Judges and repeats of answers as sources: an answer's value is the mean of its judges, each the mean of its repeats.

An answer belongs to one system, so that a repeat is left out answer by answer, and answers may have unequal numbers of
repeats.  A repeat may be another judgment of the same answer or another answer of the same system: in both cases all
judges' values of it are left out together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from truegain.aggregation.rules import Rule
from truegain.data.judgments import Judgments
from truegain.data.pool import earlier
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import Scale
from truegain.errors import TruegainError, counted, warn
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen
from truegain.message import argname
from truegain.sampling.gold import ANSWER
from truegain.sampling.replicates import Replicates
from truegain.sampling.source import never_empty
from truegain.stats.contrasts import Influence
from truegain.study.assessors import MOST_ALONE, Raters, brought, noise_counted_twice
from truegain.study.estimators import ScoreEstimator

UNNAMED = "unnamed judge"
REPLICATE = "replicate"  # the column of single values that numbers the repeats
AGAIN = "run the evaluation again (epochs of inspect_ai, repeats of promptfoo or of the judge)"


@dataclass(frozen=True, eq=False, repr=False)
class RatedAnswers(Judgments):
    """One label an item of an answer, beside the single values of judges and repeats that it is the mean of.

    Attributes
    ----------
    ratings : Judgments
        The single values: who gave each, and in the column `replicate` in which repeat.
    """

    ratings: Judgments = field(kw_only=True)

    @classmethod
    def beside(cls, labels: Judgments, values: Judgments, judge: Sequence[str], replicate: Ints) -> RatedAnswers:
        """Labels and the single values behind them, with the judge and the repeat of each value.

        Parameters
        ----------
        labels : Judgments
            The labels that ranks stand on.
        values : Judgments
            The values of the answers.
        judge : sequence of str
            Who gave each value.
        replicate : ndarray of int
            Which replicate each value is of.

        Returns
        -------
        RatedAnswers
            Both in one table.
        """
        judges = Coded.of([name or UNNAMED for name in judge])
        columns: dict[str, Any] = {f.name: getattr(values, f.name) for f in fields(Judgments)}
        columns |= {"assessor": judges, "extra": {**values.extra, REPLICATE: replicate.tolist()}}
        own: dict[str, Any] = {f.name: getattr(labels, f.name) for f in fields(Judgments)}
        return cls(**own, ratings=Judgments(**columns))

    @property
    def labels(self) -> Judgments:
        """The labels alone."""
        return Judgments(**{f.name: getattr(self, f.name) for f in fields(Judgments)})


@dataclass(frozen=True, kw_only=True)
class MeanOfJudges(Rule):
    """The mean over judges of the mean of each judge's repeats: every judge counts alike.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": ["x", "x", "y"], "label": [1, 3, 4]})
    >>> MeanOfJudges().fit(Grouped.of(Judgments.of(frame)), Scale.of(None)).tolist()
    [3.0]
    """

    NAME = "mean of judges"

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item; not a number where nothing counts."""
        judges = int(ratings.assessor.max(initial=0)) + 1
        cell, n = ratings.item * judges + ratings.assessor, len(ratings) * judges
        mass = np.bincount(cell, ratings.weight, n)
        total = np.bincount(cell, ratings.weight * ratings.value, n)
        mean = np.divide(total, mass, out=np.zeros(n), where=mass > 0).reshape(-1, judges)
        count = (mass > 0).reshape(-1, judges).sum(axis=1)
        return np.asarray(
            np.divide(mean.sum(axis=1), count, out=np.full(len(ratings), np.nan), where=count > 0), np.float64
        )


@dataclass(frozen=True, eq=False)
class AnswerRaters(Raters):
    """Values of answers by several judges, or in several repeats."""

    WHO: ClassVar[str] = "judge"
    WHAT: ClassVar[str] = "answer"
    RATING: ClassVar[str] = "value"
    MORE: ClassVar[str] = "have answers judged by two or more"
    labels: Judgments = field(kw_only=True)

    @classmethod
    def of_answers(cls, labels: Judgments, values: Judgments) -> AnswerRaters:
        """Single values grouped by item, and the labels that are their means."""
        assert values.assessor is not None
        return cls(Grouped.of(values), MeanOfJudges(), Scale.of(None), values.assessor.values, labels=labels)

    def judgments(self) -> Judgments:
        """The labels, which know what each item counts and whose it is."""
        return self.labels

    @cached_property
    def _judges_of(self) -> Ints:
        """How many judges each item has."""
        both = np.unique(self.ratings.item * len(self) + self.ratings.assessor)
        return frozen(np.bincount(both // len(self), minlength=len(self.ratings)))

    @property
    def rated_once(self) -> int:
        """Items of one judge, however often repeated."""
        return int((self._judges_of == 1).sum())

    @cached_property
    def noise_twice(self) -> float:
        """As of documents, by the judges of each item; repeats of a judge are one."""
        return noise_counted_twice(self._judges_of, len(self))

    @cached_property
    def _replicate(self) -> Ints:
        """Of each value, as grouped: its repeat, from 0."""
        table = self.ratings.judgments
        numbers = np.asarray(table.extra[REPLICATE], np.int64)[self.ratings.order]
        return frozen(np.unique(numbers, return_inverse=True)[1].astype(np.int64))

    @cached_property
    def asked(self) -> Replicates:
        """The repeats; a judge who would have none left of an item keeps all."""
        repeats, judges = int(self._replicate.max()) + 1, len(self)
        units = tuple(f"repeat {i + 1}" for i in range(repeats))
        return Replicates(units, self._replicate, self.ratings.item * judges + self.ratings.assessor, repeats)

    @cached_property
    def _cell(self) -> Ints:
        """Of each value, as grouped: the item and judge that it belongs to, from 0."""
        return frozen(np.unique(self.asked.item, return_inverse=True)[1].astype(np.int64))

    @cached_property
    def _repeats_of(self) -> Ints:
        """How many repeats of an item each judge has, by cell."""
        both = np.unique(self._cell * len(self.asked) + self._replicate)
        return frozen(np.bincount(both // len(self.asked)))

    def _answers(self, topics: Sequence[str], systems: Sequence[str]) -> tuple[Ints, Ints]:
        """Of each value, as grouped: its topic and system; -1 where these are not named."""
        table, order = self.ratings.judgments, self.ratings.order
        system = Coded.of([str(x) for x in table.extra[ANSWER]]).onto(tuple(systems))[order]
        return table.topic.onto(tuple(topics))[order].astype(np.int64), system.astype(np.int64)

    def _present(self, topics: Sequence[str], systems: Sequence[str]) -> Bools:
        """Repeat x topic x system: whether the answer has a value in the repeat."""
        topic, system = self._answers(topics, systems)
        there = np.zeros((len(self.asked), len(topics), len(systems)), np.bool_)
        known = (topic >= 0) & (system >= 0)
        there[self._replicate[known], topic[known], system[known]] = True
        return there

    def check(self) -> None:
        """Refuse too few judges, and those who judged different answers; warn where some values are missing."""
        super().check()
        if lacking := int((self._judges_of < len(self)).sum()):
            are = "has" if lacking == 1 else "have"
            warn(
                f"{lacking:,} of {counted(len(self.ratings), 'answer')} {are} no value of some of the {len(self)} "
                "judges: each answer is the mean of those it has"
            )

    def check_repeated(self) -> None:
        """Refuse where values do not tell how repeats differ; warn where answers have unequal numbers of them."""
        count = self._repeats_of
        alone, least, most = int((count == 1).sum()), int(count.min()), int(count.max())
        leave = f"leave 'replicates' out of {argname('population')}"
        if most == 1:
            raise TruegainError(
                f"{argname('population')} names replicates, and every answer has one value, so how values change from "
                f"repeat to repeat is unknown; {AGAIN}, with a column 'replicate' in tables, or {leave}"
            )
        if alone > MOST_ALONE * len(count):
            have = f"{alone:,} of {len(count):,} answers have one value"
            if len(self) > 1:  # each judge's own noise is known from his own repeats only
                have = f"in {alone:,} of {len(count):,} cases a judge gave an answer one value"
            raise TruegainError(
                f"{argname('population')} names replicates, and {have}, more than {MOST_ALONE:.0%}, so how values "
                f"change from repeat to repeat is not known well enough; {AGAIN}"
                f"{', with two or more repeats of every judge' if len(self) > 1 else ''}, or {leave}"
            )
        if least < most:
            lent = "; those with one borrow the variance of the others" if alone else ""
            warn(f"answers have {least} to {most} repeats: each answer is the mean of those it has{lent}")

    def check_crossed(self) -> None:
        """Refuse judges and repeats of fixed topics where some judge lacks a repeat of an answer that others have.

        Noise of single values is what is left of a full table of judges and repeats.
        """
        table = self.ratings.judgments
        topics, systems = table.topic.values, tuple(dict.fromkeys(str(x) for x in table.extra[ANSWER]))
        topic, system = self._answers(topics, systems)
        first = self.ratings.begin[:-1]
        expected = self._present(topics, systems).sum(axis=0)[topic[first], system[first]] * len(self)
        cells = np.unique(self._cell, return_index=True)[1]
        found = np.bincount(self.ratings.item[cells], self._repeats_of, len(self.ratings))
        if lacking := int((found < expected).sum()):
            population = argname("population")
            raise TruegainError(
                f"{population} names assessors and replicates without topics, and {lacking:,} of "
                f"{counted(len(self.ratings), 'answer')} {'lacks' if lacking == 1 else 'lack'} values of some judge "
                "in some repeat, so the shared variance of judges and repeats cannot be separated; give every answer "
                f"a value of each of the {len(self)} judges in each of its repeats, or name only one of the two, or "
                f"'topics' too, in {population}"
            )

    def _repeats_left_out(self) -> list[Floats]:
        """Weights of values by repeat: so much less of it that a judge's mean moves by (mean - value)/sqrt(k (k - 1)).

        The squares of these add up to s^2/k, whatever the k of each judge. A judge of one value does not move.
        """
        k = self._repeats_of[self._cell].astype(np.float64)
        step = 1 / np.sqrt(k * np.maximum(k - 1, 1))
        less = np.where(k > 1, (1 - step * (k - 1)) / (1 + step), 1.0)
        return [np.where(self._replicate == r, less, 1.0) for r in range(len(self.asked))]

    def _lent(self, system: Ints, systems: int) -> Floats:
        """By system the mean s^2 of the values that a judge gave an item of it; of all systems where it has none."""
        cell, value = self._cell, self.ratings.value
        n = np.bincount(cell)
        about = value - (np.bincount(cell, value) / n)[cell]
        spread = np.bincount(cell, about**2) / np.maximum(n - 1, 1)
        of = np.empty(len(n), np.int64)
        of[cell] = system
        return _means_lent(spread, self._repeats_of > 1, of, systems)

    def repeated_moves(
        self, estimator: Callable[[Floats], ScoreEstimator], topics: tuple[str, ...], systems: tuple[str, ...] = ()
    ) -> Influence:
        """Moves of repeats, answer by answer: each repeat left out once.

        A judge of k repeats has s^2/k; one of a single repeat the mean s^2 of the judges of the system's other answers,
        and an answer of a single repeat that of the system's other answers.
        """
        there = self._present(topics, systems)
        count = there.sum(axis=0)
        without = np.array([brought(estimator, self.gains_of(w)) for w in self._repeats_left_out()])
        mean = np.where(there, without, 0.0).sum(axis=0) / np.maximum(count, 1)
        matrix = np.where(there, (mean - without) / len(topics), 0.0)
        held = (matrix**2).sum(axis=0)  # the variance of each answer
        names = [f"{time} on {t}" for time in self.asked.units for t in topics]
        rows, lone = self._lone_moves(estimator, topics, systems, count)
        np.add.at(held, (lone[:, 0], lone[:, 1]), (rows**2).sum(axis=1))
        names += [f"one judge's one value of {systems[s]} on {topics[t]}" for t, s in lone.tolist()]
        once = np.argwhere(count == 1)
        of = np.broadcast_to(np.arange(len(systems)), count.shape)
        lent = _means_lent((count * held).ravel(), (count > 1).ravel(), of.ravel(), len(systems))
        more = np.zeros((len(once), len(systems)))
        more[np.arange(len(once)), once[:, 1]] = np.sqrt(lent[once[:, 1]])
        names += [f"the one repeat of {systems[s]} on {topics[t]}" for t, s in once.tolist()]
        matrix = np.concatenate([matrix.reshape(-1, len(systems)), rows, more])
        df = float(np.maximum(self._mean_repeats(topics, systems).mean(axis=1) - 1, 0.0).sum())
        return Influence("replicates", names, frozen(matrix), max(df, 1.0))

    def _mean_repeats(self, topics: tuple[str, ...], systems: tuple[str, ...]) -> Floats:
        """Topic x system: the mean number of repeats of the answer's judges."""
        cells = np.unique(self._cell, return_index=True)[1]
        topic, system = (of[cells] for of in self._answers(topics, systems))
        known = (topic >= 0) & (system >= 0)
        answer, n = topic[known] * len(systems) + system[known], len(topics) * len(systems)
        total = np.bincount(answer, self._repeats_of[known], n)
        return np.asarray((total / np.maximum(np.bincount(answer, minlength=n), 1)).reshape(len(topics), -1))

    def _lone_moves(
        self,
        estimator: Callable[[Floats], ScoreEstimator],
        topics: tuple[str, ...],
        systems: tuple[str, ...],
        count: Ints,
    ) -> tuple[Floats, Ints]:
        """Moves by what a judge's only value borrows, where the answer has other repeats; and topic and system of each.

        count: the repeats of each topic and system.
        """
        topic, system = self._answers(topics, systems)
        lone = (self._repeats_of[self._cell] == 1) & (topic >= 0) & (system >= 0)
        lone &= count[topic, system] > 1
        rows, of = [np.zeros((0, len(systems)))], [np.zeros((0, 2), np.int64)]
        if lone.any():
            step = np.sqrt(self._lent(system, len(systems)))[system]
            place = np.full(len(lone), -1)  # among the lone values of its answer: one at a time moves
            place[lone] = earlier(topic[lone] * len(systems) + system[lone])
            z = brought(estimator, self.gains_of(np.ones(len(lone))))
            for turn in range(int(place.max()) + 1):
                now = place == turn
                raised = self.ratings.valued(self.ratings.value + np.where(now, step, 0.0))
                moved = (brought(estimator, [self.rule.fit(raised, self.scale)]) - z) / len(topics)
                at = np.unique(np.stack([topic[now], system[now]], axis=1), axis=0)
                row = np.zeros((len(at), len(systems)))
                row[np.arange(len(at)), at[:, 1]] = moved[at[:, 0], at[:, 1]]
                rows.append(row)
                of.append(at.astype(np.int64))
        return np.concatenate(rows), np.concatenate(of)

    def single_values(
        self, estimator: Callable[[Floats], ScoreEstimator], topics: tuple[str, ...], systems: tuple[str, ...]
    ) -> Influence:
        """Moves of single values within an answer: both judges and repeats hold this noise.

        With J judges and K repeats of the answer the value of judge j in repeat r is left out; the move d_jr, less its
        means over j and over r, is the residual of the value over J (K - 1). Every judge has the same repeats.
        """
        self.check_crossed()
        judges, repeats, values, group = len(self), len(self.asked), self.ratings, self.asked.item
        z = brought(estimator, self.gains_of(np.ones(len(values.value))))
        moved = np.zeros((judges, repeats, *z.shape))
        for j in range(judges):
            for r in range(repeats):
                kept = (values.assessor != j) | (self._replicate != r)
                moved[j, r] = z - brought(estimator, self.gains_of(never_empty(kept, group)))
        # A repeat that the answer has not moves nothing for any judge: its residual stays 0, as means over r are 0.
        residual = moved - moved.mean(axis=0) - moved.mean(axis=1)[:, None] + moved.mean(axis=(0, 1))
        k = self._present(topics, systems).sum(axis=0)
        factor = np.sqrt(judges * np.maximum(k - 1, 0) / ((judges - 1) * np.maximum(k, 1))) / len(topics)
        names = [f"{who}, {time}, {t}" for who in self.names for time in self.asked.units for t in topics]
        df = float((judges - 1) * np.maximum(k.mean(axis=1) - 1, 0.0).sum())
        return Influence("cells", names, frozen((factor * residual).reshape(-1, z.shape[1])), max(df, 1.0))


def _means_lent(spread: Floats, known: Bools, of: Ints, groups: int) -> Floats:
    """By group the mean of what is known, of all groups where it has none.

    >>> _means_lent(np.array([1.0, 3.0, 9.0]), np.array([True, True, False]), np.array([0, 0, 1]), 2).tolist()
    [2.0, 2.0]
    """
    known = known & (of >= 0)
    total, n = np.bincount(of[known], spread[known], groups), np.bincount(of[known], minlength=groups)
    overall = float(total.sum() / max(int(n.sum()), 1))
    return np.asarray(np.where(n > 0, total / np.maximum(n, 1), overall), np.float64)
