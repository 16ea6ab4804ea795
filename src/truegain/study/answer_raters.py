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
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import Scale
from truegain.errors import TruegainError, counted
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen
from truegain.io.warnings import warn
from truegain.message import argname
from truegain.sampling.gold import ANSWER
from truegain.sampling.replicates import Replicates
from truegain.sampling.source import never_empty
from truegain.stats.influence import Influence
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
        """Labels and the single values behind them, with the judge and the repeat of each value."""
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

    def _present(self, topics: Sequence[str], systems: Sequence[str]) -> Bools:
        """Repeat x topic x system: whether the answer has a value in the repeat."""
        table, order = self.ratings.judgments, self.ratings.order
        topic = table.topic.onto(tuple(topics))[order]
        system = Coded.of([str(x) for x in table.extra[ANSWER]]).onto(tuple(systems))[order]
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
        table = self.ratings.judgments
        systems = tuple(dict.fromkeys(str(x) for x in table.extra[ANSWER]))
        count = self._present(table.topic.values, systems).sum(axis=0)
        count = count[count > 0]
        each = np.unique(self.asked.item, return_counts=True)[1]  # values by one judge
        alone, least, most = int((count == 1).sum()), int(each.min()), int(each.max())
        leave = f"leave 'replicates' out of {argname('population')}"
        if most == 1:
            raise TruegainError(
                f"{argname('population')} names replicates, and every answer has one value, so how values change from "
                f"repeat to repeat is unknown; {AGAIN}, with a column 'replicate' in tables, or {leave}"
            )
        if alone > MOST_ALONE * len(count):
            raise TruegainError(
                f"{argname('population')} names replicates, and {alone:,} of {len(count):,} answers have one value, "
                f"more than {MOST_ALONE:.0%}, so how values change from repeat to repeat is not known well enough; "
                f"{AGAIN}, or {leave}"
            )
        if least < most:
            lent = "; those with one borrow the variance of the others" if alone else ""
            warn(f"answers have {least} to {most} repeats: each answer is the mean of those it has{lent}")

    def repeated_moves(
        self, estimator: Callable[[Floats], ScoreEstimator], topics: tuple[str, ...], systems: tuple[str, ...] = ()
    ) -> Influence:
        """Moves of repeats, answer by answer: each repeat left out once.

        An answer of k repeats has s^2/k, by sqrt((k - 1)/k) (mean - without one); one of a single repeat the mean s^2
        of the system's other answers.
        """
        there = self._present(topics, systems)
        count = there.sum(axis=0)
        without = np.array([brought(estimator, self.gains_of(w)) for w in self.asked.left_out()])
        mean = np.where(there, without, 0.0).sum(axis=0) / np.maximum(count, 1)
        scale = np.sqrt(np.maximum(count - 1, 0) / np.maximum(count, 1)) / len(topics)
        matrix = np.where(there, scale * (mean - without), 0.0).reshape(-1, len(systems))
        names = [f"{time} on {t}" for time in self.asked.units for t in topics]
        df = float(np.maximum(count.mean(axis=1) - 1, 0.0).sum())
        once = np.argwhere(count == 1)
        if len(once):
            each = count * (matrix.reshape(without.shape) ** 2).sum(axis=0)  # s^2 of each answer
            several = count > 1
            lent = np.where(several, each, 0.0).sum(axis=0) / np.maximum(several.sum(axis=0), 1)
            more = np.zeros((len(once), len(systems)))
            more[np.arange(len(once)), once[:, 1]] = np.sqrt(lent[once[:, 1]])
            matrix = np.concatenate([matrix, more])
            names += [f"the one repeat of {systems[s]} on {topics[t]}" for t, s in once.tolist()]
        return Influence("replicates", names, frozen(matrix), max(df, 1.0))

    def single_values(self, estimator: Callable[[Floats], ScoreEstimator], topics: tuple[str, ...]) -> Influence:
        """Moves of single values within an answer: both judges and repeats hold this noise.

        With J judges and K repeats the value of judge j in repeat r is left out; the move d_jr, less its means over j
        and over r, is the residual of the value over J (K - 1).
        """
        judges, repeats, values, group = len(self), len(self.asked), self.ratings, self.asked.item
        z = brought(estimator, self.gains_of(np.ones(len(values.value))))
        moved = np.zeros((judges, repeats, *z.shape))
        for j in range(judges):
            for r in range(repeats):
                kept = (values.assessor != j) | (self._replicate != r)
                moved[j, r] = z - brought(estimator, self.gains_of(never_empty(kept, group)))
        residual = moved - moved.mean(axis=0) - moved.mean(axis=1)[:, None] + moved.mean(axis=(0, 1))
        factor = np.sqrt(judges * (repeats - 1) / ((judges - 1) * repeats)) / len(topics)
        names = [f"{who}, {time}, {t}" for who in self.names for time in self.asked.units for t in topics]
        df = float(len(topics) * (judges - 1) * (repeats - 1))
        return Influence("cells", names, frozen(factor * residual.reshape(-1, z.shape[1])), df)
