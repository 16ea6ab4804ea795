"""Judge: how often a cheap judge is right, measured on gold labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from numbers import Real

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.label_list_reading import gold_list_of
from truegain.errors import InputError, TruegainError, an, counted, warn
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.judge_error.confusion import Clusters, Confusion, Rates, clearly_positive, inverted, rates_of
from truegain.judge_error.favor import Favor
from truegain.judge_error.gold_pairs import (
    Levels,
    Pairs,
    Unmatched,
    both_levels,
    different_value_scales,
    pair_up,
    scale_of,
)
from truegain.judge_error.label_tables import PairCodes, TopicMatrix, label_table, not_at_random
from truegain.judge_error.value_errors import ValueErrors
from truegain.message import GOLD_OF_STUDY, by_surface
from truegain.results.base import Result, Table
from truegain.sampling.catalogue import design_of


@dataclass(frozen=True, eq=False, repr=False)
class Judge(Result):
    """A cheap judge measured against a trusted one: its error rates, or the whole confusion matrix.

    The cheap judge's labels are called bronze, the trusted judge's gold.  Make one with `Judge.fit`,
    `Judge.from_counts` or `Judge.from_graded_counts`.

    Attributes
    ----------
    confusion : Confusion
        Weighted counts of gold pairs by topic, gold label and bronze label.
    levels : (float, float)
        The smallest relevant label of the bronze and of the gold judge.
    design : {'random', 'by-bronze', 'topics', 'by-gold', 'elsewhere'}
        How the gold pairs were sampled.
    share : dict of float to float, optional
        The share of each bronze label among all bronze labels.
    pairs : Pairs, optional
        The gold pairs; None where only counts are known.
    gold : Judgments, optional
        The gold labels as they were given.
    groups : tuple of str
        Of values of answers: the cluster of each topic, where topics were sampled in such.

    Notes
    -----
    Columns of `frame`, one row a gold label: `gold_label`; `pairs`, how many gold pairs have it; and `bronze_0`,
    `bronze_1`, ..., the share of these pairs that the judge gave each bronze label.  A judge of values of answers shows
    its mean error by system instead, unless all are 0 or 1.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018.
    .. [2] W. J. Rogan and B. Gladen, "Estimating prevalence from the results of a screening test", American Journal of
           Epidemiology 107(1), 1978.

    Examples
    --------
    >>> import truegain as tg
    >>> judge = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    >>> round(judge.sensitivity, 3), round(judge.specificity, 3), round(judge.informedness, 3)
    (0.729, 0.798, 0.526)
    """

    confusion: Confusion
    levels: tuple[float, float]  # smallest relevant label of bronze and of gold
    design: str
    share: dict[float, float] | None = None  # of each bronze label among all bronze labels
    pairs: Pairs | None = None
    gold: Judgments | None = None
    groups: tuple[str, ...] = ()
    _favor_of: Callable[[str], Favor] | None = field(default=None, init=False)  # of the judge of a study

    # ------------------------------------------------------------------ where it comes from

    @classmethod
    def fit(
        cls,
        judgments: JudgmentsLike | Pairs,
        gold: JudgmentsLike | None = None,
        design: str | None = None,
        relevant: Levels = 1,
        *,
        gold_relevant_from: float | None = None,
        levels_given: bool | None = None,
        weights: npt.ArrayLike | None = None,
        scale: str | Sequence[float] | None = None,
        unmatched: Unmatched = "refuse",
    ) -> Judge:
        """Measure a judge on the pairs that the gold judge labeled too.

        Parameters
        ----------
        judgments : path-like, frame, mapping, Judgments or Pairs
            The bronze labels; pairs that are matched already stand for both judges.
        gold : path-like, frame, mapping or Judgments, optional
            The gold labels, of some of the same documents.
        design : {'random', 'by-bronze', 'topics', 'by-gold', 'elsewhere'}
            How the gold pairs were sampled; it is never guessed.
        relevant : float or (float, float), default 1
            The smallest relevant label, or one for each judge (bronze, gold) where their scales differ.
        gold_relevant_from : float, optional
            The smallest relevant gold label, where it differs.
        levels_given : bool, optional
            Whether the user said what is relevant; where False, two different scales are reported.
        weights : array-like, optional
            A weight for each gold row, such as 1 / its probability of being drawn.
        scale : str or sequence of float, optional
            The labels there are, such as '0:3'.
        unmatched : {'refuse', 'drop'}, default 'refuse'
            Gold pairs without a bronze label are refused, or left out.

        Returns
        -------
        Judge
            Fitted on the pairs that have both labels.

        Examples
        --------
        >>> import truegain as tg
        >>> bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
        >>> judge = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}, design="random")
        >>> judge.counts
        (2.0, 3.0, 1.0, 2.0)
        """
        if gold is None and not isinstance(judgments, Pairs):
            raise TruegainError("gold is missing: give trusted labels of some of the same pairs")
        gold_design = design_of(design)
        levels = both_levels(relevant, gold_relevant_from)
        if isinstance(judgments, Pairs):
            return cls(Confusion.fit(judgments), levels, gold_design.name, judgments.share, judgments)
        if gold_list_of(gold) is not None:
            raise TruegainError(
                f"this is a gold list, sampled for differences: a study reads it ({GOLD_OF_STUDY}); give gold labels "
                "of a random sample here"
            )
        table = Judgments.of(gold, "gold")
        if not gold_design.whole:
            table.check_drawn("gold labels")
        pairs = pair_up(
            judgments, table, weights=weights, scale=scale_of(scale), unmatched=unmatched, levels_given=levels_given,
        )  # fmt: skip
        if weights is None:
            pairs = pairs.as_drawn(gold_design.name, table.source)
        if pairs.unmatched:
            lost = "1 gold pair has" if pairs.unmatched == 1 else f"{pairs.unmatched} gold pairs have"
            warn(
                f"{lost} no bronze label and {'is' if pairs.unmatched == 1 else 'are'} left out of the judge's accuracy"
            )
        judge = cls(_confusion(pairs, table), levels, gold_design.name, pairs.share, pairs, table)
        if warning := different_value_scales(pairs, table.turned) if judge.of_values else judge.inverted():
            warn(warning)
        return judge

    @classmethod
    def from_counts(
        cls, relevant: tuple[float, float], nonrelevant: tuple[float, float], design: str = "by-gold"
    ) -> Judge:
        """A judge from published counts.

        Parameters
        ----------
        relevant : (float, float)
            Of the gold-relevant pairs, how many the judge called relevant, and how many there are.
        nonrelevant : (float, float)
            Of the gold-non-relevant pairs, how many the judge called non-relevant, and how many there are.
        design : {'random', 'by-bronze', 'topics', 'by-gold', 'elsewhere'}, default 'by-gold'
            How the pairs were sampled.

        Returns
        -------
        Judge
            Without pairs: variances treat them as independent.

        Examples
        --------
        >>> judge = Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
        >>> round(judge.sensitivity, 3), round(judge.specificity, 3)
        (0.729, 0.798)
        """
        design_of(design)
        for name, counts in (("relevant", relevant), ("nonrelevant", nonrelevant)):
            two = isinstance(counts, tuple | list) and len(counts) == 2 and all(isinstance(x, Real) for x in counts)
            if not two or not (counts[1] > 0 and 0 <= counts[0] <= counts[1]):
                shown = f"({counts[0]:g}, {counts[1]:g})" if two else repr(counts)
                raise TruegainError(f"{name}={shown}: give (how many right, of how many), at least 1")
        (k_r, n_r), (k_n, n_n) = relevant, nonrelevant
        return cls(Confusion.of_counts([[k_n, n_n - k_n], [n_r - k_r, k_r]]), (1, 1), design)

    @classmethod
    def from_graded_counts(
        cls,
        counts: npt.ArrayLike,
        labels: Sequence[float] | None = None,
        *,
        relevant: float = 1,
        design: str = "by-gold",
    ) -> Judge:
        """A judge of graded labels from published counts.

        Parameters
        ----------
        counts : array-like
            How many pairs have each gold label (a row each) and bronze label (a column each), both ascending.
        labels : sequence of float, optional
            The labels, ascending; by default 0, 1, 2, ...
        relevant : float, default 1
            The smallest relevant label, for binary measures that name none.
        design : {'random', 'by-bronze', 'topics', 'by-gold', 'elsewhere'}, default 'by-gold'
            How the pairs were sampled.

        Returns
        -------
        Judge
            Without pairs: variances treat them as independent.

        Examples
        --------
        >>> judge = Judge.from_graded_counts([[80, 15, 5], [10, 70, 20], [5, 15, 80]])
        >>> judge.matrix.tolist()[1], round(judge.sensitivity, 3)
        ([0.1, 0.7, 0.2], 0.925)
        """
        design_of(design)
        try:
            table = np.asarray(counts, np.float64)
        except (TypeError, ValueError):
            raise TruegainError(
                f"counts are {an(counts)}, and a table of numbers is needed: a row for each gold label "
                "and a column for each bronze label, such as [[80, 20], [10, 90]]"
            ) from None
        if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
            raise TruegainError(
                f"counts have the shape {table.shape}: give a square table, a row for each gold label and a column for "
                "each bronze label"
            )
        scale = range(len(table)) if labels is None else tuple(labels)
        if len(scale) != len(table) or any(b <= a for a, b in pairwise(scale)):
            raise TruegainError(
                f"labels={list(scale)}: give {len(table)} ascending numbers, one for each row of counts"
            )
        judge = cls(Confusion.of_counts(table, scale), (relevant, relevant), design)
        _ = judge.matrix  # a gold label without pairs is refused
        return judge

    def reweighted(self, counts: npt.ArrayLike) -> Judge:
        """The judge with its gold pairs weighted again, as a resample does.

        C[g, b] = sum of c w over pairs (g, b) / sum of c w over pairs of gold label g; only ratios of c matter.

        Parameters
        ----------
        counts : array-like
            The factor c of each gold pair beside its own weight w; 0 leaves a pair out.

        Returns
        -------
        Judge
            Fitted on the pairs that are left.

        Examples
        --------
        >>> bronze, gold = {"1": {"a": 1, "b": 0, "c": 0}}, {"1": {"a": 1, "b": 1, "c": 0}}
        >>> judge = Judge.fit(bronze, gold, design="by-gold")
        >>> judge.sensitivity, judge.reweighted([3, 1, 1]).sensitivity
        (0.5, 0.75)
        """
        if self.pairs is None:
            raise TruegainError(
                "this judge is known only by counts, not by gold pairs; give the gold labels pair by pair"
            )
        c = np.asarray(counts, np.float64)
        keep = c > 0
        if not keep.any():
            raise TruegainError("none of the gold pairs is among these documents; label some of them")
        kept = self.pairs.only(keep)
        pairs = replace(kept, weight=frozen(kept.weight * c[keep] / c[keep].mean()))
        return replace(self, confusion=_confusion(pairs, self.gold), pairs=pairs)

    def at_levels(self, level: float | None, gold_relevant_from: float | None) -> Judge:
        """The judge at a measure's level of relevance.

        Parameters
        ----------
        level : float or None
            The smallest relevant bronze label; None for a graded measure, which leaves the judge as it is.
        gold_relevant_from : float or None
            The smallest relevant gold label; by default `level`, unless the two scales differ.

        Returns
        -------
        Judge
            With these levels.
        """
        if level is None:
            return self
        if gold_relevant_from is None:
            gold_relevant_from = level if self.levels[0] == self.levels[1] else self.levels[1]
        levels = level, gold_relevant_from
        cut = not self.confusion.clustered and self.labels == (0.0, 1.0)  # counts of labels that are cut already
        return self if levels == self.levels or cut else replace(self, levels=levels)

    def matrix_for(self, topics: Bools, *, binary: bool, clusters: Clusters | None = None) -> TopicMatrix:
        """The confusion matrix for some of the scored topics, refused where a correction would divide by about 0.

        Parameters
        ----------
        topics : ndarray of bool
            The topics that this judge labeled, among those scored.
        binary : bool
            Use the two rates; False uses the whole matrix, which must be invertible.
        clusters : {'topics', 'none'}, optional
            'topics' refuses gold pairs of a label that come from one topic; by default what there is counts.

        Returns
        -------
        TopicMatrix
            The matrix, the topics and the gold pairs.
        """
        if binary:
            clearly_positive(self.rates(clusters=clusters or self._clusters))
        confusion = self.binary if binary else self.confusion.square()
        if (p := self.pairs) is None:
            return TopicMatrix(confusion, topics)
        number = (np.arange(len(p)) if p.item is None else p.item).astype(np.int64)
        topic = np.unique(p.topic, return_inverse=True)[1]
        pairs = PairCodes(number, topic, *self.codes(confusion.gold, binary=binary), p.weight)
        return TopicMatrix(confusion, topics, pairs)

    def codes(self, classes: Sequence[float], *, binary: bool) -> tuple[Ints, Ints]:
        """The gold and the bronze label of each gold pair, as numbers of classes.

        Parameters
        ----------
        classes : sequence of float
            The labels, ascending.
        binary : bool
            Cut labels into 0 and 1 at the levels of relevance instead.

        Returns
        -------
        gold, bronze : ndarray of int
            One number a pair.
        """
        p = self.pairs
        assert p is not None
        if binary:
            return (p.gold >= self.levels[1]).astype(np.int64), (p.bronze >= self.levels[0]).astype(np.int64)
        return np.searchsorted(classes, p.gold).astype(np.int64), np.searchsorted(classes, p.bronze).astype(np.int64)

    @property
    def of_values(self) -> bool:
        """Whether both judges gave values of answers, which have no level of relevance and may lie below 0."""
        return self.pairs is not None and _are_values(self.pairs, self.gold)

    @cached_property
    def values(self) -> ValueErrors | None:
        """How far values of answers lie from people's; None of labels, and of values that are 0 or 1 throughout."""
        if self.pairs is None or not self.of_values:
            return None
        errors = ValueErrors.of_pairs(self.pairs, self.design, self.groups)
        return None if errors.is_binary else errors

    @property
    def size(self) -> int:
        """How many gold pairs there are."""
        return self.confusion.pairs

    @property
    def labels(self) -> tuple[float, ...]:
        """All labels of either judge, ascending."""
        own = () if self.pairs is None else (*self.pairs.gold.tolist(), *self.pairs.bronze.tolist())
        return tuple(sorted({*self.confusion.gold, *self.confusion.bronze, *own}))

    # ------------------------------------------------------------------ how good it is

    def favors(self, system: str) -> Favor:
        """How much more the judge's errors add to a system's score than to the scores of the others.

        Documents of the same gold label are compared, so a system with more relevant documents does not count as
        favored.  For values of answers, and for the support of nuggets, it is the system's mean error less the mean of
        those of the others; systems with fewer than 10 gold labels are left out.

        Parameters
        ----------
        system : str
            A system of the study whose `judge` this is.

        Returns
        -------
        Favor
            `value`, above 0 where the judge favors the system, on the scale of `measure`: the study's first measure
            that is linear in gains, precision where there is none; `low` and `high`, the interval over topics at the
            study's confidence; `p()`.  All are None where the gold labels cannot tell; printed, it says why.

        Examples
        --------
        >>> import truegain as tg
        >>> truth = {str(t): {f"{s}{i}": (t + i) % 2 for s in "ab" for i in range(4)} for t in range(20)}
        >>> judged = {t: {d: 1 if d < "b" and int(t) % 3 == 0 else y for d, y in truth[t].items()} for t in truth}
        >>> runs = {s: {t: {f"{s}{i}": 9.0 - i for i in range(4)} for t in truth} for s in "ab"}
        >>> study = tg.Study(runs, judged, "P@4", gold=tg.Gold(truth, design="random"))
        >>> print(study.judge.favors("a"))
        The judge's errors add +0.1750 to the P@4 of a relative to the others (95% CI +0.0594 to +0.2906).
        """
        if self._favor_of is None:
            raise TruegainError("whether a judge favors a system needs runs; ask the judge of a study: study.judge")
        return self._favor_of(system)

    def of_study(self, favor_of: Callable[[str], Favor]) -> Judge:
        """The judge of a study, which can tell how much it favors a system.

        Parameters
        ----------
        favor_of : callable
            The answer for a system.

        Returns
        -------
        Judge
            The same judge; with other levels or weights it no longer knows the study.
        """
        judge = replace(self)
        object.__setattr__(judge, "_favor_of", favor_of)  # the class is frozen
        return judge

    @cached_property
    def binary(self) -> Confusion:
        """Counts cut at the levels of relevance: rows gold 0, 1; columns bronze 0, 1."""
        if self.values is not None:
            raise InputError(
                "these are values of answers, not labels that are relevant or not: they have no sensitivity and "
                "specificity", hint=f"see the mean error ({by_surface('print(judge)', '`truegain judge check`')}), or "
                "give values of 0 and 1, as of pass and fail",
            )  # fmt: skip
        return self.confusion.binary(*self.levels)

    @property
    def counts(self) -> tuple[float, float, float, float]:
        """Right and all pairs of the gold-relevant, then right and all of the non-relevant; weighted where gold is."""
        (nn, nr), (rn, rr) = self.binary.counts.tolist()
        return rr, rr + rn, nn, nn + nr

    @property
    def sensitivity(self) -> float:
        """P(bronze relevant | gold relevant), mR in the paper."""
        return float(self.binary.matrix[1, 1])

    @property
    def specificity(self) -> float:
        """P(bronze non-relevant | gold non-relevant), mN in the paper."""
        return float(self.binary.matrix[0, 0])

    @property
    def informedness(self) -> float:
        """Sensitivity + specificity - 1, Youden's J and D in the paper: 0 for a coin, 1 for a judge without errors."""
        return self.sensitivity + self.specificity - 1

    @property
    def matrix(self) -> Floats:
        """C[g, b] = P(bronze b | gold g) over all labels."""
        return self.confusion.matrix

    def rates(
        self,
        j: float = 0.5,
        v_j: float = 0.0,
        size_j: float = 1.0,
        clusters: Clusters = "topics",
        influence: Floats | None = None,
    ) -> Rates:
        """A bronze mean and the two rates of the judge, with variances and degrees of freedom.

        Parameters
        ----------
        j : float, default 0.5
            The bronze mean; not needed where the judge alone is in question.
        v_j : float, default 0.0
            Its variance.
        size_j : float, default 1.0
            How many labels it rests on.
        clusters : {'topics', 'none'}, default 'topics'
            Variances over topics, or with pairs as independent.
        influence : ndarray of float, optional
            For each gold topic, how much it moves the bronze mean, where it is in both.

        Returns
        -------
        Rates
            What a corrected mean is computed from.
        """
        return rates_of(self.binary, j, v_j, size_j, over_topics=clusters == "topics", influence=influence)

    @property
    def _clusters(self) -> Clusters:
        """Topics, where the pairs of either gold label come from several."""
        several = (np.count_nonzero(self.binary.table.sum(axis=2), axis=0) > 1).all()
        return "topics" if several else "none"

    def consistency(self, j: float | None = None) -> tuple[str, ...]:
        """What in the data does not fit together.

        A bronze mean above the sensitivity, or below 1 - specificity, is impossible for this judge.  Gold pairs drawn
        at random must have about the bronze labels that the whole has.

        Parameters
        ----------
        j : float, optional
            A bronze mean to check.

        Returns
        -------
        tuple of str
            One sentence for each contradiction; empty where there is none.

        Examples
        --------
        >>> enterprise = Judge.from_counts(relevant=(17, 38), nonrelevant=(216, 262))
        >>> enterprise.consistency(0.527)[0].split(" of the ")[0]
        'the mean bronze label is 0.527, but this judge calls only 0.447'
        """
        impossible = () if j is None else self.impossible(j)
        whole = j if self.share is None else sum(s for label, s in self.share.items() if label >= self.levels[0])
        if not design_of(self.design).equal or whole is None:
            return impossible
        return (*impossible, *not_at_random(self.binary, whole))

    def impossible(self, j: float) -> tuple[str, ...]:
        """Why a bronze mean is impossible for this judge.

        Parameters
        ----------
        j : float
            The bronze mean.

        Returns
        -------
        tuple of str
            A sentence; empty where it is possible.
        """
        if j > self.sensitivity:
            return (
                f"the mean bronze label is {j:.3f}, but this judge calls only {self.sensitivity:.3f} of the relevant "
                "documents relevant (its sensitivity): even if every document were relevant, the mean would be lower",
            )
        if j < 1 - self.specificity:
            return (
                f"the mean bronze label is {j:.3f}, but this judge calls {1 - self.specificity:.3f} of the other "
                "documents relevant (1 - specificity): even if no document were relevant, the mean would be higher",
            )
        return ()

    def inverted(self) -> str | None:
        """Why the judge seems to say the opposite of the gold judge.

        Returns
        -------
        str or None
            A sentence; None where it does not.
        """
        try:
            return inverted(self.rates(clusters=self._clusters))
        except InputError:  # gold pairs of one kind only: said where it matters
            return None

    # ------------------------------------------------------------------ showing itself

    def __str__(self) -> str:
        if self.values is not None:
            return self.values.bias
        k_r, n_r, k_n, n_n = self.counts
        rates = self.rates(clusters=self._clusters)
        pairs = counted(self.confusion.pairs, "gold pair")
        topics = f" from {counted(len(self.binary.topics), 'topic')}" if self.binary.clustered else ""
        found_share, rejected_share = _share(k_r, n_r), _share(k_n, n_n)
        return (
            f"bronze judge on {pairs}{topics} (gold {self.design}{self._level()}): "
            f"sensitivity {self.sensitivity:.1%} ({found_share} relevant found, se {math.sqrt(rates.v_r):.3f}), "
            f"specificity {self.specificity:.1%} ({rejected_share} non-relevant rejected, se "
            f"{math.sqrt(rates.v_n):.3f}), informedness {self.informedness:z.3f}"
        )

    def _level(self) -> str:
        bronze, gold = self.levels
        if bronze == gold:
            return "" if bronze == 1 else f"; relevant from {gold:g}"
        return f"; relevant from {gold:g}, by bronze from {bronze:g}"

    def in_short(self) -> str:
        """On how many gold pairs it was measured, and its two rates, or its mean error."""
        if self.values is not None:
            return self.values.bias
        return (
            f"{self.size:,} gold pairs, {self.design}: sensitivity {self.sensitivity:.3f}, specificity "
            f"{self.specificity:.3f}, informedness {self.informedness:z.3f}"
        )

    @property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {"truegain": __version__, "design": self.design, "levels": list(self.levels)}

    def table(self) -> Table:
        """The share of each bronze label, by gold label; notes say what does not fit together.

        Of values of answers the mean error by system.
        """
        if self.values is not None:
            return replace(self.values.table(), provenance=self.provenance)
        notes = (str(self), *self.consistency(), *filter(None, [self.inverted()]))
        return replace(label_table(self.confusion), provenance=self.provenance, notes=notes)


def _are_values(pairs: Pairs, gold: Judgments | None) -> bool:
    """Whether both labels of gold pairs are values of answers."""
    return pairs.pool is not None and pairs.pool.judgments.are_gains and gold is not None and gold.are_gains


def _confusion(pairs: Pairs, gold: Judgments | None) -> Confusion:
    """The counts of gold pairs; values of answers that are not 0 or 1 throughout are no classes."""
    classes = np.isin(pairs.gold, (0.0, 1.0)).all() and np.isin(pairs.bronze, (0.0, 1.0)).all()
    return Confusion.of_values(pairs) if _are_values(pairs, gold) and not classes else Confusion.fit(pairs)


def _share(some: float, of: float) -> str:
    """'61 of 75'; weighted counts, which are no whole numbers, as 'a weighted 10.4 of 13.3'."""
    if some.is_integer() and of.is_integer():
        return f"{some:.0f} of {of:.0f}"
    return f"a weighted {some:.1f} of {of:.1f}"
