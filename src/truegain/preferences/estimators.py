"""Scores of systems from comparisons, as the study's engine takes them: values, and what each topic moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from truegain.io.columns import Floats, Ints, frozen
from truegain.preferences.fit import PairCells, Strengths, win_rate_slopes, win_rates
from truegain.preferences.gold import GoldComparisons
from truegain.preferences.measures import PreferenceMeasure
from truegain.sampling.source import Topics
from truegain.stats.contrasts import NONE, Contrasts, Influence, Variance
from truegain.stats.student_t import tails
from truegain.study.estimators import LabelFacts, ScoreEstimator


@dataclass(frozen=True, eq=False)
class ByPreferences(ScoreEstimator):
    """Scores of systems from their comparisons on topics, corrected where there are gold comparisons.

    Attributes
    ----------
    cells : PairCells
        The comparisons, corrected where there is gold.
    scores : ndarray of float
        Of each system.
    without : ndarray of float
        Topic x system: the scores without each topic.
    brought : ndarray of float
        Topic x system: what each topic brings to the scores, whose mean it is.
    loads : tuple of ndarray
        How scores move with sums: kind x system per half-win, by system per tie.
    gold : GoldComparisons or None
        The gold comparisons.
    strengths : Strengths or None
        The fit behind them; None for mean half-wins, which need none.
    note : str
        What must be said beside the scores.
    """

    cells: PairCells
    scores: Floats
    without: Floats
    brought: Floats
    loads: tuple[Floats, Floats]
    gold: GoldComparisons | None = None
    strengths: Strengths | None = None
    note: str = field(default="", kw_only=True)

    @property
    def value(self) -> Floats:
        """The score of each system."""
        return self.scores

    @property
    def label_facts(self) -> LabelFacts:
        """How many comparisons are gold, of how many."""
        if self.gold is None:
            return LabelFacts(plain=True, note=self.note)
        drawn, cells = self.gold.rows, self.cells
        if self.gold.whole:
            counts = len(np.unique(cells.topic[drawn])), len(cells.topics)
        else:
            counts = len(drawn), len(cells.topic)
        return LabelFacts(counts=counts, exact=counts[0] == counts[1], note=self.note)

    @cached_property
    def _by_topic(self) -> Influence:
        return Influence.left_out("topics", self.cells.topics, self.without)

    def by_topic(self) -> Influence:
        """Every topic left out once."""
        return self._by_topic

    def over_topics(self, contrasts: Contrasts) -> Variance:
        """Student's t over topics; with gold, fewer degrees of freedom where few topics carry the variance."""
        variance = self.by_topic().variance(contrasts)
        if self.gold is None:
            return variance
        pull = contrasts.values(self.by_topic().matrix)
        return Variance(variance.value, np.minimum(variance.df, tails(pull)))

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.brought

    def by_gold(self) -> Influence | None:
        """How far the draw of each gold comparison, or of each gold topic, moved the scores."""
        gold, cells = self.gold, self.cells
        if gold is None:
            return None
        of_wins, of_ties = self.loads
        matrix = of_wins[cells.kind[gold.rows]] * gold.wins[:, None] + of_ties * gold.ties[:, None]
        topic = cells.topic[gold.rows]
        if gold.whole:
            units, code = np.unique(topic, return_inverse=True)
            by_unit = np.zeros((len(units), matrix.shape[1]))
            np.add.at(by_unit, code, matrix)
            names, matrix = [cells.topics[t] for t in units.tolist()], by_unit
        else:
            pairs = zip(topic.tolist(), cells.kind[gold.rows].tolist(), strict=True)
            names = [f"{cells.topics[t]} {cells.systems[cells.a[k]]}|{cells.systems[cells.b[k]]}" for t, k in pairs]
        return Influence("gold", names, frozen(matrix), max(1.0, len(matrix) - 1.0))

    def over_gold(self, contrasts: Contrasts) -> Variance | None:
        """With other gold comparisons, the topics held fixed."""
        gold = self.by_gold()
        if gold is None or self.gold is None:
            return None
        label_counts = (
            self.gold_touching(contrasts) if not self.gold.whole else np.full(len(contrasts), len(gold.units))
        )
        return Variance(contrasts.squares(gold.matrix), np.maximum(label_counts - 1.0, 1.0))

    @property
    def gold_by_system(self) -> Ints:
        """How many gold comparisons touch each system, or gold topics where whole ones were drawn."""
        gold, cells = self.gold, self.cells
        assert gold is not None
        if not gold.whole:
            return gold.by_system
        there = np.zeros((len(cells.topics), len(cells.systems)), np.bool_)
        for side in (cells.a, cells.b):
            there[cells.topic[gold.rows], side[cells.kind[gold.rows]]] = True
        return np.asarray(there.sum(axis=0), np.int64)

    def gold_touching(self, contrasts: Contrasts) -> Ints:
        """Gold comparisons (or topics) that touch a system; of a difference, the system with fewer."""
        first, second = contrasts.ends(self.gold_by_system.astype(np.float64))
        return np.asarray(np.where(contrasts.a == NONE, first, np.minimum(first, second)), np.int64)


def estimator_of(
    cells: PairCells, measure: PreferenceMeasure, gold: GoldComparisons | None = None, *, position: bool = False
) -> ByPreferences:
    """Scores by one measure; what has no finite value is refused.

    position: whether being shown first counts.
    """
    if measure.model == "":
        return _half_wins(cells, gold)
    fit = Strengths.fit(cells, ties=measure.model == "davidson", position=position)
    n, topics = len(cells.systems), len(cells.topics)
    theta, without = fit.theta, fit.without_topics()[:, :n]
    step = np.linalg.solve(fit.information, fit.scores().T).T[:, :n]
    brought, loads = theta + topics * step, fit.loads()
    if not measure.as_rate:
        return ByPreferences(cells, theta, frozen(without), frozen(brought), loads, gold, fit)
    value, slopes = win_rates(theta), win_rate_slopes(theta)
    return ByPreferences(
        cells, value, frozen(value + (without - theta) @ slopes.T), frozen(value + (brought - theta) @ slopes.T),
        (loads[0] @ slopes.T, slopes @ loads[1]), gold, fit,
    )  # fmt: skip


def _half_wins(cells: PairCells, gold: GoldComparisons | None) -> ByPreferences:
    """The mean half-win against all others, topic by topic; every topic has every pair."""
    n, topics = len(cells.systems), len(cells.topics)
    by_topic = np.zeros((topics, n))
    np.add.at(by_topic, (cells.topic, cells.a[cells.kind]), cells.wins)
    np.add.at(by_topic, (cells.topic, cells.b[cells.kind]), cells.weight - cells.wins)
    by_topic /= n - 1
    loads = np.zeros((len(cells.a), n))
    rows = np.arange(len(cells.a))
    loads[rows, cells.a], loads[rows, cells.b] = 1 / (topics * (n - 1)), -1 / (topics * (n - 1))
    without = Topics.means_without(by_topic.T).T
    return ByPreferences(cells, by_topic.mean(axis=0), frozen(without), frozen(by_topic), (loads, np.zeros(n)), gold)


# ---- Assessors, crossed with topics.


def assessor_moves(
    names: tuple[str, ...], whole: ByPreferences, left_out: Callable[[int], ByPreferences]
) -> tuple[Influence, Influence]:
    """Moves of assessors, and of what an assessor brought to each topic (the cells that topics hold already).

    Cells are taken about the mean of the assessors on the topic, as assessors are about theirs; see `Raters.moves`.

    left_out: the scores without the votes of one assessor, by number.
    """
    topics, n = whole.cells.topics, len(names)
    without, cells = [], []
    for code in range(n):
        some = left_out(code)
        without.append(some.value)
        cells.append((whole.contributions() - some.contributions()) / len(topics))
    about = np.array(cells) - np.mean(cells, axis=0)
    units: list[str] = [f"{who} on {t}" for who in names for t in topics]
    matrix = np.sqrt((n - 1) / n) * np.concatenate(about)
    return Influence.left_out("assessors", names, np.array(without)), Influence("cells", units, frozen(matrix), n - 1.0)


def with_note(estimator: ByPreferences, note: str) -> ByPreferences:
    """An estimator with what must be said beside it."""
    return replace(estimator, note=note)
