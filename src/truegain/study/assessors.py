"""Assessors as a source: every one left out once, ratings made into gains again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from truegain.aggregation.consensus import Consensus
from truegain.aggregation.magnitudes import normalized
from truegain.aggregation.rules import Rule
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import Scale
from truegain.errors import TruegainError
from truegain.io.columns import Floats, Ints, frozen
from truegain.message import arg, argname
from truegain.sampling.assessors import Assessors
from truegain.sampling.replicates import Replicates
from truegain.stats.contrasts import Influence
from truegain.study.estimators import ScoreEstimator

LEAST = 3
MOST_ALONE = 0.1  # of the documents may have one rating: at a fifth the variance falls to .7 of the true one


@dataclass(frozen=True, eq=False)
class Raters:
    """Ratings of documents by several assessors, and the rule that makes one gain of them."""

    ratings: Grouped
    rule: Rule
    scale: Scale
    names: tuple[str, ...]
    normalize: str = "none"  # how magnitudes come to one scale, again whoever is left out

    WHO: ClassVar[str] = "assessor"
    WHAT: ClassVar[str] = "document"
    RATING: ClassVar[str] = "rating"
    MORE: ClassVar[str] = "have documents rated twice or more"

    @classmethod
    def of(cls, table: Judgments, rule: Rule, scale: Scale, normalize: str = "none") -> Raters:
        """Ratings grouped by document."""
        grouped = Grouped.of(table)
        assert table.assessor is not None
        return cls(grouped, rule, scale, table.assessor.values, normalize)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def people(self) -> Assessors:
        """Who rated what."""
        return Assessors(self.names, self.ratings.assessor, self.ratings.item, self.ratings.topic)

    @cached_property
    def noise_twice(self) -> float:
        """What leaving one out counts too much of the noise of single documents."""
        return noise_counted_twice(np.diff(self.ratings.begin), len(self))

    @cached_property
    def asked(self) -> Replicates:
        """How often each was asked about a document."""
        return Replicates.of(self.ratings.assessor, self.ratings.item)

    def gains(self, weights: Floats | None = None) -> Floats:
        """One gain an item; `weights` says how much each rating counts, also where magnitudes come to one scale."""
        some = self.ratings
        if weights is not None:
            some = replace(some, weight=frozen(some.weight * weights))
        if self.normalize != "none":
            weight = np.empty(len(some.weight))
            weight[some.order] = some.weight
            moved = normalized(some.judgments, self.normalize, weight)
            some = some.valued(moved.label[some.order])
        return self.rule.fit(some, self.scale)

    def gains_of(self, weights: Floats) -> list[Floats]:
        """One gain an item from the ratings whose weight is not 0; scores are the mean over what comes.

        Where the rule takes steps a vote less is often a tie, which the vote decided: there the lowest of the other
        ratings stands in for what is left out, then the highest, so that as many vote as before.
        """
        table = self.ratings
        if not self.rule.STEPS:
            return [self.gains(weights)]
        lost = table.mass - np.add.reduceat(table.weight * weights, table.begin[:-1])
        rows = np.arange(len(weights))
        there = weights[table.ascending] > 0
        lowest = np.minimum.reduceat(np.where(there, rows, len(weights)), table.begin[:-1])
        highest = np.maximum.reduceat(np.where(there, rows, -1), table.begin[:-1])
        out = []
        for place in (lowest, highest):
            more, at = weights.copy(), table.ascending[place]
            more[at] += lost / table.weight[at]
            out.append(self.gains(more))
        return out

    def judgments(self) -> Judgments:
        """The gains as judgments."""
        return self.ratings.labeled(self.gains())

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest label that people may give: those of the scale, else of the ratings.

        None is below 0 (not judged); of ratings that are all alike, 0 and 1 are labels too.
        """
        table, declared = self.ratings.judgments, self.scale
        if self.normalize != "none":
            table, declared = normalized(table, self.normalize), Scale()
        low = max(0.0, float(table.label.min()) if declared.low is None else declared.low)
        high = float(table.label.max()) if declared.high is None else declared.high
        return (low, high) if low < high else (0.0, max(high, 1.0))

    def on(self, pool: Pool, gains: Floats) -> Floats:
        """Gains for each item of a pool, NaN where there is none."""
        rows = self.ratings.order[self.ratings.begin[:-1]]
        table = self.ratings.judgments
        item = pool.find(table.topic.take(rows), table.docs.take(rows))
        out = np.full(len(pool), np.nan)
        out[item[item >= 0]] = gains[item >= 0]
        return out

    def check_rule(self) -> None:
        """Refuse a rule that assessors cannot be left out of."""
        if isinstance(self.rule, Consensus) and not self.rule.TAKES_WEIGHTS:
            raise TruegainError(
                f"the rule {self.rule.NAME} takes no weights, so assessors cannot be left out; use another, such as "
                f"mean, median or dawid-skene, or leave 'assessors' out of {argname('population')}"
            )

    def check(self) -> None:
        """Refuse where leaving assessors out cannot tell what other assessors would have said."""
        self.check_rule()
        who = f"{self.WHO}s"
        if len(self) < LEAST:
            raise TruegainError(
                f"{len(self)} {f'{self.WHO} is' if len(self) == 1 else f'{who} are'} too few to generalize to other "
                f"{who}; have at least {LEAST}, better 10, or leave 'assessors' out of {argname('population')}"
            )
        if what := self.people.nested_because:
            raise TruegainError(
                f"{what.replace('assessor', self.WHO)}: {who} are nested in topics, so the variance over topics "
                f"already includes theirs; leave 'assessors' out of {argname('population')}"
            )
        alone = self.rated_once
        if alone > MOST_ALONE * len(self.ratings):
            raise TruegainError(
                f"{alone} of {len(self.ratings)} {self.WHAT}s have one {self.RATING}, which do not show how {who} "
                f"differ, and with more than {MOST_ALONE:.0%} of them the variance would be too small; {self.MORE}, or "
                f"leave 'assessors' out of {argname('population')}"
            )

    @property
    def rated_once(self) -> int:
        """Documents of one assessor, which tell nothing of how assessors differ."""
        return self.people.rated_once

    def check_repeated(self) -> None:
        """Refuse where ratings do not tell how the same judge differs from himself."""
        least, most = len(self.asked), self.asked.most
        if 1 < least < most:
            raise TruegainError(
                f"documents were rated {least} to {most} times by the same judge; its own variance needs the same "
                "number of ratings of every document: ask it again, or leave 'replicates' out"
            )
        if least < 2:
            raise TruegainError(
                f"{argname('population')} names replicates, and not every document was rated twice or more by the "
                f"same judge; ask the judge again about all documents ({arg('repeated', 'all')} takes all ratings), or "
                "leave 'replicates' out"
            )

    def repeated_moves(
        self,
        estimator: Callable[[Floats], ScoreEstimator],
        topics: tuple[str, ...],
        systems: tuple[str, ...] = (),  # noqa: ARG002
    ) -> Influence:
        """Moves of asking again, topic by topic: every time of asking left out once.

        Noise of one rating is that of its document alone, so what a time of asking does on one topic says nothing of
        another: a unit is a topic and a time.
        """
        k = len(self.asked)
        without = np.array([brought(estimator, self.gains_of(w)) for w in self.asked.left_out()])
        matrix = np.sqrt((k - 1) / k) * (without.mean(axis=0) - without) / len(topics)
        names = [f"{time} on {t}" for time in self.asked.units for t in topics]
        return Influence("replicates", names, frozen(matrix.reshape(-1, matrix.shape[2])), float(len(topics) * (k - 1)))

    def moves(
        self, estimator: Callable[[Floats], ScoreEstimator], topics: tuple[str, ...]
    ) -> tuple[Influence, Influence]:
        """Moves of assessors, and of what an assessor brought to each topic (the cells that topics hold already).

        Cells are taken about the mean of the assessors on the topic, as assessors are about theirs: if what they bring
        to one topic says nothing of another, both have the same variance in the mean, whatever leaving a rating out
        does to every document (a majority of two is often a tie).

        estimator: that of scores with other gains of the items.
        """
        z = estimator(self.gains()).contributions()
        without, cells = [], []
        for weights in self.people.left_out():
            some = [estimator(gains) for gains in self.gains_of(weights)]
            without.append(np.mean([one.value for one in some], axis=0))
            cells.append((z - np.mean([one.contributions() for one in some], axis=0)) / len(topics))
        return (
            Influence.left_out("assessors", self.names, np.array(without)),
            self._cells(np.array(cells), topics),
        )

    def within_documents(self, estimator: Callable[[Floats], ScoreEstimator], topics: tuple[str, ...]) -> Influence:
        """Moves of what assessors brought to single documents, which other documents would not hold.

        Every assessor is left out on every second document of a topic, then on the others: what he is on the topic is
        in both halves, so their difference has the variance of the documents' share alone.
        """
        z = estimator(self.gains()).contributions()
        odd = self.ratings.place % 2 == 1  # by name, not by the order of the rows
        cells = []
        for halves in zip(self.people.left_out(odd), self.people.left_out(~odd), strict=True):
            one, other = (brought(estimator, self.gains_of(weights)) for weights in halves)
            cells.append(((z - one) - (z - other)) / len(topics))
        return self._cells(np.array(cells), topics)

    def _cells(self, by_assessor: Floats, topics: tuple[str, ...]) -> Influence:
        a = len(self)
        about = by_assessor - by_assessor.mean(axis=0)
        names: list[str] = [f"{who} on {t}" for who in self.names for t in topics]
        return Influence("cells", names, frozen(np.sqrt((a - 1) / a) * np.concatenate(about)), a - 1.0)


def noise_counted_twice(count: Ints, people: int) -> float:
    """(A - r)/(r (A - 1)) of A people, r the harmonic mean of the ratings of a document, of those with two or more.

    >>> noise_counted_twice(np.array([2, 2, 1]), 6), noise_counted_twice(np.array([3, 3]), 3)
    (0.4, 0.0)
    >>> noise_counted_twice(np.array([1, 1]), 4), noise_counted_twice(np.array([2, 2]), 1)
    (0.0, 0.0)
    """
    if people < 2 or not (count > 1).any():
        return 0.0
    each = 1 / float(np.mean(1 / count[count > 1]))
    return max(0.0, (people - each) / (each * (people - 1)))


def brought(estimator: Callable[[Floats], ScoreEstimator], gains: list[Floats]) -> Floats:
    """What each topic brings to the scores, the mean over several gains."""
    return np.asarray(np.mean([estimator(one).contributions() for one in gains], axis=0))
