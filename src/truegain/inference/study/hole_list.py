"""Predictions of unjudged documents, set right with labels of the first ones of a list drawn in proportion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from truegain.contrasts import NONE, Contrasts
from truegain.errors import InputError, TruegainError
from truegain.gains.list_fit import ListFit
from truegain.inference.holes.filled import Filled
from truegain.inference.holes.sample import DESIGN, LEAST_SAMPLED, looked_at
from truegain.inference.study.by_list import ByList, worth_of
from truegain.inference.study.evidence import LEAST_GOLD, NO_WEIGHT, About
from truegain.inference.study.hole_sample import labels_are, with_holes
from truegain.inference.study.listed import Listed, items_of
from truegain.measures.base import Measure
from truegain.measures.linear import linear_parts
from truegain.message import SAMPLE_UNJUDGED, arg, argname
from truegain.moves import Moves
from truegain.sampling.ordered import OrderedDraws
from truegain.tables.columns import Bools, Floats, Ints, Places, frozen
from truegain.tables.gold_list import GoldList
from truegain.tables.judgments import Judgments
from truegain.tables.runs import Runs

STRATA = 10  # of predictions, each with as many documents


@dataclass(frozen=True, eq=False)
class ByHoleList(ByList):
    """Judged documents as they are, all others by prediction, and what labels of the first of a list say against it.

        score = (judged documents + sum over holes of w m + sum over labelled ones of k w (g - m))/topics

    with m what labels of OTHER topics make of a prediction (`ListFit`, the tenths of the predictions its strata), k how
    many holes a labelled one stands for, by the chances with which they were drawn (`OrderedDraws`).  Rows that these
    lists do not have where the measure looks are passed over: the others stand in an order drawn from them alone.
    """

    judged: Floats  # topic x system, the score by the judged documents alone

    @property
    def about(self) -> About:
        """Judged rows, of the list."""
        return replace(super().about, source="holes")

    @property
    def value(self) -> Floats:
        """The score of each system."""
        return np.asarray(self.contributions().mean(axis=0))

    def by_topic(self) -> Moves:
        """What each topic brings, about the mean."""
        z, n = self.contributions(), len(self.topics)
        return Moves("topics", self.topics, (z - z.mean(axis=0)) / np.sqrt(n * (n - 1)), n - 1.0)

    def by_gold(self) -> Moves:
        """The estimates that each label gives, about their mean."""
        found = super().by_gold()
        return Moves("holes", found.units, found.matrix, found.df)

    def touching(self, asked: Contrasts) -> Ints:
        """Labelled holes that move each contrast; no fewer than are needed where no hole does."""
        found = super().touching(asked)
        return np.where(self.unmoved(asked), np.maximum(found, LEAST_GOLD), found)

    def _at(self, a: int, b: int, weight: Floats, end: Floats) -> ByList:
        found = super()._at(a, b, weight, end)
        assert isinstance(found, ByHoleList)
        return replace(found, judged=frozen((self.judged[:, b] - (self.judged[:, a] if a != NONE else 0.0))[:, None]))

    def unmoved(self, asked: Contrasts) -> Bools:
        """Contrasts that no hole moves."""
        return np.asarray(asked.moved(self.listed.coefficient.T, NO_WEIGHT) == 0)

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self._brought

    @cached_property
    def _brought(self) -> Floats:
        return frozen(self.judged + self.fit.by_topic)


@dataclass(frozen=True, eq=False)
class HoleList:
    """Runs against a pool with their holes in it, and a list of these of which the first rows have labels."""

    filled: Filled
    rows: GoldList
    item: Ints  # of each row, -1 where its topic, or its runs, are left out
    looked_at: Bools  # per item: a hole that some list has where the deepest measure looks

    @classmethod
    def of(cls, runs: Runs, labels: Judgments, rows: GoldList, measures: Sequence[Measure]) -> HoleList:
        """Find the holes of all runs, and the rows among them; a list of other documents is refused."""
        if rows.design != DESIGN:
            raise InputError(
                f"this is a list of gold labels ({rows.design}), drawn from what has a label", file=rows.source,
                hint=f"give it as {arg('gold')}, or draw unjudged documents ({SAMPLE_UNJUDGED})",
            )  # fmt: skip
        rows.judgments()  # or an error: none has a label
        filled, open_ = with_holes(runs, labels, measures)
        item = items_of(rows, filled.ranked.pool)
        _check_rows(filled, rows, item)
        return cls(filled, rows, item, frozen(open_))

    @property
    def size(self) -> int:
        """Labelled holes of these lists."""
        there = self.item[: self.rows.judged]
        return int(self.looked_at[there[there >= 0]].sum())

    @property
    def holes(self) -> int:
        """Unjudged documents of these lists that the sample was drawn from: those on the list, judged or not."""
        return int(self.looked_at[self.item[self.item >= 0]].sum())

    def evidence(self, m: Measure) -> ByHoleList:
        """What the scores of a measure stand on."""
        ranked, rows, topics = self.filled.ranked, self.rows, len(self.filled.ranked.topics)
        known, open_ = ranked.item_judged, np.flatnonzero(looked_at(self.filled, m))
        said = np.where(known, ranked.item_gain, 0.0)
        labels = np.concatenate([said, rows.label[rows.labelled], np.array(rows.scale)])
        parts = linear_parts(m, labels, int(ranked.rank.max(initial=1)))
        counts, topic = parts.coefficients(ranked), ranked.pool.topic.astype(np.int64)
        judged = np.zeros((topics, len(ranked.systems)))
        np.add.at(judged, topic[known], (counts[:, known] * parts.worth(said[known])).T)
        place = np.full(len(topic) + 1, -1)  # of an item among the holes that count; the last is for none
        place[open_] = np.arange(len(open_))
        turn = np.flatnonzero(place[self.item] >= 0)  # rows that count
        hole, n = place[self.item[turn]], int((turn < rows.judged).sum())
        sizes, stratum = np.zeros(len(open_)), np.zeros(len(open_), np.int64)
        sizes[hole], stratum[hole] = rows.size[turn], strata_of(rows.bronze)[turn]
        ends = parts.worth(np.array(rows.scale))
        scale = (float(ends.min()), float(ends.max()))
        coefficient = frozen(np.ascontiguousarray(counts[:, open_]))
        listed = Listed(hole, frozen(sizes), float(sizes.sum()), topics, coefficient, scale)
        self._check_runs(listed, open_, m)
        if n < min(LEAST_SAMPLED, len(turn)):
            raise TruegainError(
                f"{argname('unjudged_sample')}: {labels_are(n)} of the {len(turn):,} unjudged documents that {m} "
                "looks at "
                f"in these lists; at least {LEAST_SAMPLED} are needed: judge the next rows of {rows.source}"
            )
        draws, first = OrderedDraws(rows.size[turn], n), turn[:n]
        worths = worth_of(parts, rows.label[first])
        fit = ListFit(topic[open_], stratum, topics, coefficient, hole[:n], worths, draws.expansion, scale)
        names = tuple(f"{rows.topics[i]} {rows.docs[i]}" for i in first.tolist())
        return ByHoleList(fit, draws, np.arange(n), listed, ranked.topics, names, frozen(judged))

    def _check_runs(self, listed: Listed, open_: Ints, m: Measure) -> None:
        """Refuse a list that tells no score and no difference of these systems."""
        ranked, n = self.filled.ranked, len(self.filled.ranked.systems)
        if listed.sizes.all():
            return
        lacking = [listed.unlisted(Contrasts.scores(n)), listed.unlisted(Contrasts.all_pairs(n))]
        fewest = min(int(x.min()) for x in lacking if len(x))
        if not fewest:
            return
        at = int(open_[listed.sizes == 0][0])
        raise InputError(
            f"this sample was drawn for other runs, other judgments or another measure ({self.rows.measure}): "
            f"{fewest:,} or more unjudged documents that {m} looks at are not on it, such as topic "
            f"{ranked.topics[ranked.pool.topic[at]]}, document {ranked.pool.docs[at]}", file=self.rows.source,
            hint=f"give what it was drawn for, or draw one for these ({SAMPLE_UNJUDGED})",
        )  # fmt: skip


def strata_of(predicted: Floats) -> Ints:
    """Tenths of the predictions of all rows; equal predictions stand together.

    >>> strata_of(np.array([0.9, 0.1, 0.1, 0.1, 0.5])).tolist()
    [2, 0, 0, 0, 1]
    """
    cuts = np.quantile(predicted, np.arange(1, STRATA) / STRATA, method="inverted_cdf")
    return np.unique(np.searchsorted(cuts, predicted), return_inverse=True)[1]


def _check_rows(filled: Filled, rows: GoldList, item: Ints) -> None:
    """Refuse a list with documents that were judged otherwise."""
    known = np.flatnonzero((item >= 0) & ~filled.hole[np.maximum(item, 0)])
    if not len(known):
        return
    row = int(known[0])
    place: dict[str, Any] = (rows.places or Places.rows(len(rows))).of(row)
    raise InputError(
        f"order {row + 1} (topic {rows.topics[row]}, document {rows.docs[row]}) of the sample has a label in the "
        f"judgments: it was drawn for others ({len(known):,} such rows)", file=rows.source, **place,
        hint="give the judgments from which it was drawn; labels of the sample stand in its own column",
    )  # fmt: skip
