"""Scores of answers: the weighted mean of the values that a tool or a person gave to their items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain._version import __version__
from truegain.data.items import Items
from truegain.data.models import by_unchecked
from truegain.data.pool import RankedGains
from truegain.data.scores import Scores
from truegain.io.columns import Bools, Floats, frozen
from truegain.io.logs.log import ScoreRange
from truegain.measures.base import Measure

LESS_IS_BETTER = "{}: less is better"
WEIGHT = "weight"  # the column of judgments that holds what an item counts


class OfItems(Measure):
    """A weighted mean over the items of an answer, which are the documents of a list in whatever order."""

    NAME = ""
    AT = None
    linear_in_gains = True
    unjudged_as_zero = False

    def counts(self, weight: Floats) -> Floats:
        """What items with some weights count.

        Parameters
        ----------
        weight : ndarray of float
            The weight of each item.

        Returns
        -------
        ndarray of float
            The weight itself, unless the measure says otherwise.
        """
        return weight

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """The value itself; 0 where there is none."""
        values = np.asarray(label, np.float64)
        return values if judged is None else np.where(judged, values, 0.0)

    def rank_weights(self, depth: int) -> Floats:
        """An answer counts once, whatever its items are; see `entry_weights`."""
        return np.asarray(np.arange(depth) == 0, np.float64)

    def entry_weights(self, ranked: RankedGains) -> Floats:
        """What each item of a list counts: its share of the weights of the list."""
        column, of_item = ranked.pool.judgments.extra.get(WEIGHT), np.ones(len(ranked.pool))
        if column is not None:
            of_item[ranked.pool.row_item] = np.asarray(column, np.float64)
        weight = np.where(ranked.judged, self.counts(of_item)[ranked.item], 0.0)
        total = ranked.total(weight)[ranked.list]
        share: Floats = np.divide(weight, total, out=np.full(len(weight), np.nan), where=total > 0)
        return share

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list; none where no item counts."""
        weight = self.entry_weights(ranked)
        counted = np.zeros(ranked.lists, np.bool_)
        counted[ranked.list[~np.isnan(weight)]] = True
        worth = np.where(np.isnan(weight), 0.0, weight) * self.worth(ranked.gain, ranked.judged)
        return np.where(counted, ranked.total(worth), self.without_items())

    def without_items(self) -> float:
        """What an answer is worth none of whose items counts.

        Returns
        -------
        float
            NaN: it has no score.
        """
        return math.nan

    @property
    def needs_pool(self) -> bool:
        """No item of another answer counts."""
        return False

    def defined(self, ranked: RankedGains) -> Bools:
        """Every topic: an answer may well be worth 0."""
        return np.ones(len(ranked.topics), np.bool_)


@dataclass(frozen=True, kw_only=True, repr=False)
class ItemMean(OfItems):
    """A score with a name of its own, such as 'faithfulness': the weighted mean of the values of an answer's items.

    score = sum over items of weight * value / sum of weights

    An answer that was scored as a whole is its only item.  Values are the labels of `Judgments` whose documents are
    the items, weights their column `weight`.

    Attributes
    ----------
    name : str
        What it is called.
    low, high : float
        Between which values it lies.
    of_people : (float, float), optional
        Between which values those of people lie, where these have another scale: corrected scores are on it.
    by_rule : bool
        Whether a rule gave the values, such as an exact match, so that no judge errs.
    turned : bool
        Whether less is better, so that values count negative.

    Examples
    --------
    >>> import truegain as tg
    >>> answers = {"a": {"q1": {"claim 1": 2, "claim 2": 1}}}
    >>> tg.evaluate(answers, {"q1": {"claim 1": 1, "claim 2": 0.5}}, ItemMean(name="support")).mean("a")
    0.75
    """

    NAME = "items"

    name: str = "score"
    low: float = -math.inf
    high: float = math.inf
    of_people: tuple[float, float] | None = None
    by_rule: bool = False
    turned: bool = False

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def bounds(self) -> tuple[float, float]:
        """Between which values the score lies, corrected to people's scale where there is one."""
        return (self.low, self.high) if self.of_people is None else self.of_people

    def uncorrected(self) -> ItemMean:
        """The score on the scale of its own values.

        Returns
        -------
        ItemMean
            Without the scale of people.
        """
        return replace(self, of_people=None)

    def corrected(self, ends: Sequence[float], declared: bool) -> ItemMean:
        """The score on the scale of people, where what they say lies outside of its own.

        Parameters
        ----------
        ends : sequence of float
            The lowest and the highest value of people.
        declared : bool
            Whether their scale has these ends; else they are of the values that are known, and others may lie beyond.

        Returns
        -------
        ItemMean
            The same where people's values lie within its own bounds.

        Examples
        --------
        >>> ItemMean(name="faith", low=0, high=1).corrected((1, 5), True).bounds()
        (1.0, 5.0)
        """
        low, high = float(min(ends)), float(max(ends))
        if self.low <= low and high <= self.high:
            return self
        return replace(self, of_people=(low, high) if declared else (-math.inf, math.inf))


def usual_ends(least: float, greatest: float, turned: bool = False) -> tuple[float, float]:
    """The ends of the scale that values seem to have: from 0 to 1 where they lie there, else with 0 and 1.

    Where none is above 0, as of a score that counts negative (`turned`), with 0 and -1.

    >>> usual_ends(0.2, 0.9), usual_ends(-0.9, -0.1), usual_ends(2, 4), usual_ends(-4, -2), usual_ends(0, 0)
    ((0.0, 1.0), (-1.0, 0.0), (0.0, 4.0), (-4.0, 0.0), (0.0, 1.0))
    """
    if (least < 0 or turned) and greatest <= 0:
        return float(min(least, -1.0)), 0.0
    return -1.0 if -1 <= least < 0 else float(min(least, 0.0)), float(max(greatest, 1.0))


def scores_of_items(items: Items, names: Sequence[str] | None = None, in_common: bool = False) -> Scores:
    """Scores of answers as they are, of each system on each topic; missing values are left out of the means.

    Parameters
    ----------
    items : Items
        The values.
    names : sequence of str, optional
        Which scores; by default all.
    in_common : bool
        Whether topics that not all systems have a value for will be left out, which is told then.

    Returns
    -------
    Scores
        Each score in its own direction: where less is better, a caveat says so.

    Examples
    --------
    >>> import truegain as tg
    >>> values = {"faith": {"old": {"q1": 0.5, "q2": 1.0}, "new": {"q1": 1.0, "q2": 0.5}}}
    >>> scores_of_items(tg.read_items(values)).means("new")
    {'faith': 0.75}
    """
    chosen = items.scores if not names else items.chosen(names)
    values: dict[str, Floats] = {name: frozen(items.matrix(name)) for name in chosen}
    summaries: dict[str, Floats] = {}
    caveats: list[str] = []
    for name, matrix in values.items():
        items.tell_missing(name, in_common)
        items.tell_means(name)
        known = ~np.isnan(matrix)
        n = known.sum(axis=1)
        total = np.where(known, matrix, 0.0).sum(axis=1)
        summaries[name] = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
        if items.scales.get(name, ScoreRange()).lower_is_better:
            caveats.append(LESS_IS_BETTER.format(name))
    judged = {name: of for name in chosen if (of := items.of_score(name).models)}
    if judged:
        some_alone = f"{', '.join(judged)}: " if len(judged) < len(chosen) else ""
        caveats.append(some_alone + by_unchecked(f"values of {', '.join(sorted(frozenset().union(*judged.values())))}"))
    scales = {name: items.scales.get(name, ScoreRange()) for name in chosen}
    objects = {name: ItemMean(name=name, low=scale.low, high=scale.high) for name, scale in scales.items()}
    provenance = {"truegain": __version__, "scores": list(chosen), **items.provenance}
    return Scores(items.systems, items.topics, values, summaries, objects, provenance, caveats=tuple(caveats))


def labeled_as(m: Measure, ranked: RankedGains, of_runs: str = "labeled document") -> str:
    """What one gold label is of: an answer, an item of one, an assignment of a nugget, or what it is of in runs.

    >>> import truegain as tg
    >>> items = tg.read_items({"faith": {s: {t: 0.5 + t / 100 for t in range(25)} for s in "ab"}})
    >>> study = tg.Study(items, measures="faith")
    >>> labeled_as(study.measures[0], study.ranked)
    'answer'
    """
    if not isinstance(m, OfItems):
        return of_runs
    if not isinstance(m, ItemMean):
        return "assignment"
    return "item" if len(ranked.list) > len(np.unique(ranked.list)) else "answer"
