"""Judge: how often a cheap judge is right, measured on gold labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.label_list_reading import gold_list_of
from truegain.errors import InputError, TruegainError
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.io.warnings import warn
from truegain.judge_error.confusion import Clusters, Confusion, Rates, clearly_positive, inverted, rates_of
from truegain.judge_error.gold_pairs import Levels, Missing, Pairs, both_levels, pair_up, scale_of
from truegain.message import GOLD_OF_STUDY
from truegain.results.base import Result, Table
from truegain.results.table import Cell
from truegain.sampling.designs import DESIGNS, Design, check_design
from truegain.stats.student_t import p_of

# ---- What in gold pairs and bronze labels does not fit together, said in words.

ALPHA = 0.01  # of the test that gold pairs are a random sample


def impossible_mean(j: float, m_r: float, m_n: float) -> tuple[str, ...]:
    """Whether a bronze mean j is impossible for a judge of these rates.

    >>> impossible_mean(0.5, m_r=0.9, m_n=0.8)
    ()
    """
    if j > m_r:
        return (
            f"the bronze mean {j:.3f} is above mR = {m_r:.3f}: even if every document were relevant, "
            "this judge would say so of fewer",
        )
    if j < 1 - m_n:
        return (
            f"the bronze mean {j:.3f} is below 1 - mN = {1 - m_n:.3f}: even if no document were relevant, "
            "this judge would say so of more",
        )
    return ()


def not_at_random(binary: Confusion, whole: float) -> tuple[str, ...]:
    """Whether the share of relevant bronze labels among the gold pairs is clearly another than that of the whole."""
    pairs = float(binary.totals.sum())
    inside, topics = float(binary.counts[:, 1].sum()) / pairs, len(binary.topics)
    if topics > 1:
        moves = (binary.table[:, :, 1].sum(axis=1) - inside * binary.table.sum(axis=(1, 2))) / pairs
        se, df = math.sqrt(float(moves @ moves) * topics / (topics - 1)), topics - 1.0
    else:
        se, df = math.sqrt(inside * (1 - inside) / pairs), math.inf
    if se == 0 or p_of((inside - whole) / se, df) > ALPHA:
        return ()
    return (
        f"gold was drawn at random, yet the bronze judge calls {inside:.1%} of the gold pairs relevant and "
        f"{whole:.1%} of all: the gold pairs are not a random sample of these labels",
    )


# ---- What a judge says, given the gold label: a table.


@dataclass(frozen=True, eq=False, repr=False)
class SharesOfLabels(Table):
    """For every gold label, a row, how many pairs it has and the share of each bronze label."""


def label_table(confusion: Confusion) -> SharesOfLabels:
    """The confusion matrix: for every gold label the share of each bronze label."""
    rows: list[tuple[Cell, ...]] = [
        (f"{g:g}", count(float(n)), *(share(x, n) for x in row.tolist()))
        for g, n, row in zip(confusion.gold, confusion.totals, confusion.counts, strict=True)
    ]
    heads = tuple(f"bronze {b:g}" for b in confusion.bronze)
    title = "what the bronze judge says, given the gold label"
    return SharesOfLabels(("gold label", "pairs", *heads), rows, title=title)


def count(n: float) -> Cell:
    """A number of pairs, which weights make a fraction."""
    return int(n) if n == int(n) else n


def share(part: float, whole: float) -> float | None:
    """A part of a whole; None where there is none."""
    return None if whole == 0 else part / whole


# ---- A judge's matrix with the topics it labelled and the gold pairs it was measured on; rows of these pairs.


class PairCodes(NamedTuple):
    """Gold pairs: a number that names each, its topic in the matrix, row and column of its labels, its weight."""

    number: Ints
    topic: Ints
    gold: Ints
    bronze: Ints
    weight: Floats


@dataclass(frozen=True, eq=False)
class TopicMatrix:
    """A judge's matrix and the topics that it labelled, among those scored; its gold pairs where they are known."""

    confusion: Confusion
    labelled: Bools
    pairs: PairCodes | None = None


@dataclass(frozen=True, eq=False)
class GoldRows:
    """Rows of the gold pairs of all systems; a pair that stands behind several of them is one row.

    more: rows of one more pair of each kind, so that a judge who made no error in a few is not taken for faultless.
    """

    topics: int
    topic: Ints  # -1 where only counts are known
    label: Ints
    moves: Floats  # row x system
    weight: Floats
    size: Floats  # label x system: pairs of each gold label, as many as unweighted ones would say as much
    more: Floats
    more_label: Ints

    @cached_property
    def sums(self) -> tuple[Floats, Floats]:
        """Moves and weights of the pairs of each gold topic and label: topic x label x system."""
        labels, known = len(self.size), self.topic >= 0
        out = np.zeros((2, self.topics * labels, self.moves.shape[1]))
        for sums, rows in zip(out, (self.moves, self.weight), strict=True):
            np.add.at(sums, self.topic[known] * labels + self.label[known], rows[known])
        moves, weight = out.reshape(2, self.topics, labels, -1)
        return moves, weight


def cells_of(c: Confusion) -> PairCodes:
    """A row for each cell of a matrix of which only counts are known."""
    g, b = (x.ravel() for x in np.indices(c.squares.shape))
    return PairCodes(g * c.squares.shape[1] + b, np.zeros(len(g), np.int64), g, b, np.sqrt(c.squares.ravel()))


# ---- Judge: how often a cheap judge is right, measured on gold labels.


@dataclass(frozen=True, eq=False, repr=False)
class Judge(Result):
    """A bronze judge measured against a gold one: mR and mN, or the whole confusion matrix, and how gold was sampled.

    mR = P(bronze relevant | gold relevant), mN = P(bronze non-relevant | gold non-relevant), D = mR + mN - 1.

    Goldberg et al. 2018, ACM TOIS 36(4).

    >>> import truegain as tg
    >>> judge = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    >>> round(judge.mR, 3), round(judge.mN, 3), round(judge.D, 3)
    (0.729, 0.798, 0.526)
    """

    confusion: Confusion
    levels: tuple[float, float]  # smallest relevant label of bronze and of gold
    design: Design
    share: dict[float, float] | None = None  # of each bronze label among all bronze labels
    pairs: Pairs | None = None
    gold: Judgments | None = None

    # ------------------------------------------------------------------ where it comes from

    @classmethod
    def fit(
        cls,
        judgments: JudgmentsLike | Pairs,
        gold: JudgmentsLike | None = None,
        design: Design | None = None,
        relevant: Levels = 1,
        *,
        gold_relevant_from: float | None = None,
        levels_given: bool | None = None,
        weights: npt.ArrayLike | None = None,
        scale: str | Sequence[float] | None = None,
        missing: Missing = "refuse",
    ) -> Judge:
        """Measure the bronze judge, whose `judgments` these are, on the pairs that the gold judge has labelled too.

        `design` says how these were sampled and is never guessed; `relevant` is the smallest relevant label, or one
        for each judge (bronze, gold) where their scales differ; `gold_relevant_from` is gold's where it differs; with
        `levels_given` False two different scales are told; `weights` has a number for each gold row, such as
        1 / probability of having been drawn; `scale` lists the labels there are, such as '0:3'.  Pairs that are
        matched already stand for both.

        >>> import truegain as tg
        >>> bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
        >>> judge = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}, design="random")
        >>> judge.counts
        (2.0, 3.0, 1.0, 2.0)
        """
        if gold is None and not isinstance(judgments, Pairs):
            raise TruegainError("gold is missing: give the labels of a trusted judge, of some of the same pairs")
        check_design(design)
        assert design is not None
        levels = both_levels(relevant, gold_relevant_from)
        if isinstance(judgments, Pairs):
            return cls(Confusion.fit(judgments), levels, design, judgments.share, judgments)
        if gold_list_of(gold) is not None:
            raise TruegainError(
                f"this is a gold list, which knows its design: a study reads it ({GOLD_OF_STUDY}), and "
                "tells differences; give gold labels of a sample here"
            )
        table = Judgments.of(gold, "gold")
        if not DESIGNS[design].whole:
            table.check_drawn("gold labels")
        pairs = pair_up(
            judgments, table, weights=weights, scale=scale_of(scale), missing=missing, levels_given=levels_given,
        )  # fmt: skip
        if weights is None:
            pairs = pairs.as_drawn(design, table.source)
        if pairs.unmatched:
            warn(f"{pairs.unmatched} gold pairs have no bronze label and are left out of the judge's accuracy")
        judge = cls(Confusion.fit(pairs), levels, design, pairs.share, pairs, table)
        if said := judge.inverted():
            warn(said)
        return judge

    @classmethod
    def from_counts(
        cls, relevant: tuple[float, float], nonrelevant: tuple[float, float], design: Design = "by-gold"
    ) -> Judge:
        """From summary figures: (bronze agreed, gold-relevant pairs) and (bronze agreed, gold-non-relevant pairs).

        >>> judge = Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
        >>> round(judge.mR, 3), round(judge.mN, 3)
        (0.729, 0.798)
        """
        check_design(design)
        for name, given in (("relevant", relevant), ("nonrelevant", nonrelevant)):
            two = isinstance(given, tuple | list) and len(given) == 2 and all(isinstance(x, Real) for x in given)
            if not two or not (given[1] > 0 and 0 <= given[0] <= given[1]):
                shown = f"({given[0]:g}, {given[1]:g})" if two else repr(given)
                raise TruegainError(f"{name}={shown}: give (how many right, of how many), at least 1")
        (k_r, n_r), (k_n, n_n) = relevant, nonrelevant
        return cls(Confusion.of_counts([[k_n, n_n - k_n], [n_r - k_r, k_r]]), (1, 1), design)

    def reweighted(self, counts: npt.ArrayLike) -> Judge:
        """The judge measured on its gold pairs, each counting so much beside its own weight; 0 leaves a pair out.

        C[g, b] = sum of c w over pairs (g, b) / sum of c w over pairs of gold label g; only ratios of c matter.

        >>> bronze, gold = {"1": {"a": 1, "b": 0, "c": 0}}, {"1": {"a": 1, "b": 1, "c": 0}}
        >>> judge = Judge.fit(bronze, gold, design="by-gold")
        >>> judge.mR, judge.reweighted([3, 1, 1]).mR
        (0.5, 0.75)
        """
        if self.pairs is None:
            raise TruegainError("only counts are known of this judge, not the gold pairs behind them")
        c = np.asarray(counts, np.float64)
        keep = c > 0
        if not keep.any():
            raise TruegainError("none of the gold pairs is among these documents; judge some of them")
        kept = self.pairs.only(keep)
        pairs = replace(kept, weight=frozen(kept.weight * c[keep] / c[keep].mean()))
        return replace(self, confusion=Confusion.fit(pairs), pairs=pairs)

    def at_levels(self, level: float | None, gold_relevant_from: float | None) -> Judge:
        """The same judge at a measure's level of relevance; unchanged for graded measures."""
        if level is None:
            return self
        gold = (
            gold_relevant_from
            if gold_relevant_from is not None
            else level
            if self.levels[0] == self.levels[1]
            else self.levels[1]
        )
        if self.levels == (level, gold) or not self.confusion.clustered:
            return self
        return replace(self, levels=(level, gold))

    def matrix_for(self, topics: Bools, *, binary: bool, clusters: Clusters | None = None) -> TopicMatrix:
        """The judge's matrix for some of the topics scored, D checked to be clearly above 0, or C to be invertible.

        clusters='topics' refuses gold pairs of a label that come from one topic; None takes what there is.
        """
        if binary:
            clearly_positive(self.rates(clusters=clusters or self._clusters))
        confusion = self.binary if binary else self.confusion.square()
        return TopicMatrix(confusion, topics, self._pair_codes(confusion, binary))

    def _pair_codes(self, confusion: Confusion, binary: bool) -> PairCodes | None:
        """The gold pairs, each with a number, its topic, row and column in the matrix, and its weight."""
        p = self.pairs
        if p is None:
            return None
        number = np.arange(len(p)) if p.item is None else p.item
        topic = np.unique(p.topic, return_inverse=True)[1]
        return PairCodes(number.astype(np.int64), topic, *self.codes(confusion.gold, binary=binary), p.weight)

    def codes(self, classes: Sequence[float], *, binary: bool) -> tuple[Ints, Ints]:
        """The gold and the bronze label of each gold pair: 0 or 1 by their levels, or their place among classes."""
        p = self.pairs
        assert p is not None
        if binary:
            return (p.gold >= self.levels[1]).astype(np.int64), (p.bronze >= self.levels[0]).astype(np.int64)
        return np.searchsorted(classes, p.gold).astype(np.int64), np.searchsorted(classes, p.bronze).astype(np.int64)

    @property
    def size(self) -> int:
        """How many gold pairs there are."""
        return self.confusion.pairs

    @property
    def labels(self) -> tuple[float, ...]:
        """All labels of either judge, ascending."""
        return tuple(sorted({*self.confusion.gold, *self.confusion.bronze}))

    # ------------------------------------------------------------------ how good it is

    @cached_property
    def binary(self) -> Confusion:
        """Counts cut at the levels of relevance: rows gold 0, 1; columns bronze 0, 1."""
        return self.confusion.binary(*self.levels)

    @property
    def counts(self) -> tuple[float, float, float, float]:
        """(kR, nR, kN, nN), weighted where gold is."""
        (nn, nr), (rn, rr) = self.binary.counts.tolist()
        return rr, rr + rn, nn, nn + nr

    @property
    def mR(self) -> float:
        """P(bronze relevant | gold relevant)."""
        return float(self.binary.matrix[1, 1])

    @property
    def mN(self) -> float:
        """P(bronze non-relevant | gold non-relevant)."""
        return float(self.binary.matrix[0, 0])

    @property
    def D(self) -> float:
        """D = mR + mN - 1: 0 for a coin, 1 for a faultless judge."""
        return self.mR + self.mN - 1

    @property
    def matrix(self) -> Floats:
        """C[g, b] over all labels."""
        return self.confusion.matrix

    def rates(
        self,
        j: float = 0.5,
        v_j: float = 0.0,
        size_j: float = 1.0,
        clusters: Clusters = "topics",
        influence: Floats | None = None,
    ) -> Rates:
        """The three rates with variances over topics (or over pairs) and their degrees of freedom.

        Where the judge alone is asked about, no bronze mean need be given.

        `influence` has, for each gold topic, how much that topic moves the bronze mean, where it is in both.
        """
        return rates_of(self.binary, j, v_j, size_j, over_topics=clusters == "topics", influence=influence)

    @property
    def _clusters(self) -> Clusters:
        """Topics, where the pairs of either gold label come from several."""
        several = (np.count_nonzero(self.binary.table.sum(axis=2), axis=0) > 1).all()
        return "topics" if several else "none"

    def consistency(self, j: float | None = None) -> tuple[str, ...]:
        """What in the data does not fit together; empty where all does.

        A bronze mean above mR or below 1 - mN is impossible for this judge; and gold drawn at random must have about
        the bronze labels that the whole has.

        >>> enterprise = Judge.from_counts(relevant=(17, 38), nonrelevant=(216, 262))
        >>> enterprise.consistency(0.527)[0].split(":")[0]
        'the bronze mean 0.527 is above mR = 0.447'
        """
        found = () if j is None else self.impossible(j)
        whole = j if self.share is None else sum(s for label, s in self.share.items() if label >= self.levels[0])
        if self.design != "random" or whole is None:
            return found
        return (*found, *not_at_random(self.binary, whole))

    def impossible(self, j: float) -> tuple[str, ...]:
        """Whether a bronze mean is impossible for this judge, said in words."""
        return impossible_mean(j, self.mR, self.mN)

    def inverted(self) -> str | None:
        """Whether it says the opposite of the gold judge, said in words."""
        try:
            return inverted(self.rates(clusters=self._clusters))
        except InputError:  # gold pairs of one kind only: said where it matters
            return None

    # ------------------------------------------------------------------ showing itself

    def __str__(self) -> str:
        k_r, n_r, k_n, n_n = self.counts
        rates = self.rates(clusters=self._clusters)
        topics = f" from {len(self.binary.topics)} topics" if self.binary.clustered else ""
        return (
            f"bronze judge on {self.confusion.pairs} gold pairs{topics} (gold {self.design}{self._level()}): "
            f"finds {self.mR:.1%} of the relevant (mR, {k_r:g} of {n_r:g}, se {math.sqrt(rates.v_r):.3f}) and "
            f"{self.mN:.1%} of the non-relevant (mN, {k_n:g} of {n_n:g}, se {math.sqrt(rates.v_n):.3f}); "
            f"D = {self.D:.3f}"
        )

    def _level(self) -> str:
        bronze, gold = self.levels
        if bronze == gold:
            return "" if bronze == 1 else f"; relevant from {gold:g}"
        return f"; relevant from {gold:g}, by bronze from {bronze:g}"

    def in_short(self) -> str:
        """On how many gold pairs it was measured, and its two rates."""
        return f"{self.size:,} gold pairs, {self.design}: mR = {self.mR:.3f}, mN = {self.mN:.3f}, D = {self.D:.3f}"

    @property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {"truegain": __version__, "design": self.design, "levels": list(self.levels)}

    def table(self) -> Table:
        """The share of each bronze label, by gold label; what is found wrong below."""
        said = (str(self), *self.consistency(), *filter(None, [self.inverted()]))
        return replace(label_table(self.confusion), provenance=self.provenance, notes=said)
