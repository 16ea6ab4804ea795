"""How far bronze judges agree, and DCG corrected: table 3, figure 1 and eq. 25 of Goldberg et al. 2018."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from truegain._version import __version__
from truegain.aggregation.aggregate import aggregate
from truegain.config import Gold, Resampling
from truegain.data.judgments import JudgmentsLike
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import read_ratings
from truegain.data.runs import RunsLike
from truegain.errors import DataWarning, TruegainError, counted
from truegain.judge_error.confusion import Clusters, corrected_mean
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import Method
from truegain.message import Message, with_marks
from truegain.reliability.kappa import fleiss, percent
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.results import Estimate
from truegain.study.corrected_scores import correct

# ---- How far several bronze judges agree, and what a supermajority of them says.


@dataclass(frozen=True)
class AgreementCounts:
    """How many documents so many judges rated, and of how many all their labels are equal."""

    topics: int
    rated: Mapping[int, int]  # documents, by the number of judges
    agreed: Mapping[int, int]  # of these, those with equal labels

    @property
    def ratings(self) -> int:
        """Labels of documents that two judges or more rated."""
        return sum(judges * documents for judges, documents in self.rated.items() if judges > 1)

    def rows(self) -> list[tuple[str, Cell]]:
        """The counts of table 3."""
        rows: list[tuple[str, Cell]] = [
            ("topics", self.topics),
            ("documents", sum(self.rated.values())),
            ("ratings of documents with two or more", self.ratings),
        ]
        for judges in sorted(self.rated):
            rows.append((f"documents rated by {counted(judges, 'judge')}", self.rated[judges]))
            if judges > 1:
                rows += [
                    (f"{judges} judges, equal labels", self.agreed[judges]),
                    (f"{judges} judges, different labels", self.rated[judges] - self.agreed[judges]),
                ]
        return rows


# Table 3; its kappa needs how often the judges said relevant, which is not printed.
EBAY_AGREEMENT = AgreementCounts(6787, {1: 251, 2: 1330, 3: 18900}, {2: 1034, 3: 13707})
EBAY_KAPPA = 0.514


def implied_share(agreement: float, kappa: float) -> float:
    """The share of the more frequent of two labels by which this agreement has this kappa of Fleiss.

    kappa = (Pa - Pe) / (1 - Pe),  Pe = q^2 + (1 - q)^2

    Parameters
    ----------
    agreement : float
        Pa, the mean share of equal pairs of labels.
    kappa : float
        Fleiss' kappa.

    Returns
    -------
    float
        q, at least one half.

    Examples
    --------
    >>> round(implied_share(0.8142, 0.514), 2)
    0.74
    """
    if not kappa < 1 or not 0 <= agreement <= 1:
        raise TruegainError(f"kappa {kappa:g}, agreement {agreement:g}: give a kappa below 1 and a share of 0 to 1")
    inside = 1 - 2 * (1 - agreement) / (1 - kappa)
    if inside < 0:
        raise TruegainError(
            f"no share of two labels has an agreement of {agreement:g} and a kappa of {kappa:g}; give a lower kappa"
        )
    return (1 + math.sqrt(inside)) / 2


def agreement_table(ratings: JudgmentsLike | None = None, *, relevant_from: float = 1) -> Table:
    """How far the judges agree: counts, Fleiss' kappa, and the share of relevant documents by supermajority.

    Documents that one judge rated count in no coefficient, as in the paper.

    Parameters
    ----------
    ratings : path-like, frame or Judgments, optional
        Labels with their assessors; without them the paper's counts are shown.
    relevant_from : float, default 1
        The smallest relevant label, for the supermajority.

    Returns
    -------
    Table
        A statistic and its value.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, table 3.

    Examples
    --------
    >>> dict(agreement_table().rows)["mean agreement of two labels"].__round__(4)
    0.8142
    """
    if ratings is None:
        return _published_agreement()
    table = read_ratings(ratings)
    every = Grouped.of(table)
    count = every.count
    same = every.highest(every.value) == every.lowest(every.value)
    sizes = np.unique(count).tolist()
    counts = AgreementCounts(
        len(table.topic.values),
        {k: int((count == k).sum()) for k in sizes},
        {k: int((same & (count == k)).sum()) for k in sizes},
    )
    several = Grouped.of(table.take(np.flatnonzero(count[every.item] > 1)))
    rows: list[tuple[Cell, ...]] = [*counts.rows()]
    rows += [
        ("mean agreement of two labels", percent(several).value),
        ("Fleiss' kappa", fleiss(several).value),
        ("relevant by supermajority", float((aggregate(table, "supermajority").label >= relevant_from).mean())),
    ]
    return Table(("statistic", "value"), rows, {"truegain": __version__}, "Agreement of the judges (table 3)")


def _published_agreement() -> Table:
    counts = EBAY_AGREEMENT
    several = sum(n for judges, n in counts.rated.items() if judges > 1)
    split = {2: 0.0, 3: 1 / 3}  # equal pairs of labels where two of three, or one of two, say relevant
    equal = sum(counts.agreed[k] + split[k] * (counts.rated[k] - counts.agreed[k]) for k in (2, 3)) / several
    rows: list[tuple[Cell, ...]] = [*counts.rows()]
    rows += [
        ("mean agreement of two labels", equal),
        ("Fleiss' kappa, as printed", EBAY_KAPPA),
        ("share of the more frequent label that this kappa needs", implied_share(equal, EBAY_KAPPA)),
    ]
    notes = (
        "The paper prints no share of relevant labels, so kappa cannot be recomputed from its counts; the share that "
        "it needs is shown instead.",
        f"The paper's 59,360 assessments are those of documents with two or more; with the 251 it calls discarded "
        f"there are {counts.ratings + counts.rated[1]:,}. Its {sum(counts.rated.values()):,} documents are more than "
        f"the top three of {counts.topics:,} queries, {3 * counts.topics:,}.",
    )
    return Table(("statistic", "value"), rows, {"truegain": __version__}, "Agreement of the judges (table 3)", notes)


# ---- DCG of graded labels: the paper's example, and its bootstrap over pairs beside that over topics.

FIGURE_1 = ((0.0, 1.0), (0.5, 0.0))  # two queries, two ranks: not and highly relevant; partly and not relevant
GRADES = {0.0: "not relevant", 0.5: "partly relevant", 1.0: "highly relevant"}


def example_table(judge: Judge | None = None) -> Table:
    """The paper's example of corrected DCG: shares of labels at each rank, and what they weigh together.

    Parameters
    ----------
    judge : Judge, optional
        Of the labels 0, 0.5 and 1; by default one without errors, as the paper gives no counts.

    Returns
    -------
    Table
        A row a rank, and their discounted sum; a note has DCG by bronze labels and corrected.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, figure 1 and eq. 25.

    Examples
    --------
    >>> weak = Judge.from_graded_counts([[8, 1, 1], [1, 8, 1], [1, 1, 8]], [0, 0.5, 1])
    >>> print(example_table(weak).notes[0])
    DCG@2 is 0.5655 by the bronze labels, 0.4583 corrected.
    """
    judge = judge or Judge.from_graded_counts(np.eye(len(GRADES)), list(GRADES))
    shares = np.array([[np.mean([q[rank] == label for q in FIGURE_1]) for label in GRADES] for rank in range(2)])
    discount = 1 / np.log2(np.arange(2) + 2)
    weight = discount @ shares
    rows: list[tuple[Cell, ...]] = [
        (str(rank + 1), float(discount[rank]), *map(float, shares[rank])) for rank in range(2)
    ]
    rows.append(("all", float(discount.sum()), *map(float, weight)))
    plain, value = float(weight @ list(GRADES)), corrected_mean(judge.confusion, weight, list(GRADES)).value
    notes = (f"DCG@2 is {plain:z.4f} by the bronze labels, {value:z.4f} corrected.",)
    title = "Shares of bronze labels by rank, and discounted (figure 1, eq. 25)"
    return Table(("rank", "discount", *GRADES.values()), rows, {"truegain": __version__}, title, notes)


def dcg_table(
    runs: RunsLike,
    judgments: JudgmentsLike,
    gold: Gold,
    measure: str = "DCG@10",
    *,
    trials: int = 10_000,
    seed: int = 0,
    **options: Any,
) -> Table:
    """Corrected DCG with standard errors by three ways: over pairs as in the paper, over topics, and by formula.

    Parameters
    ----------
    runs : path-like, mapping or frame
        The runs.
    judgments : path-like, mapping, frame or Judgments
        The bronze labels, graded.
    gold : Gold
        The gold labels and how they were sampled.
    measure : str, default 'DCG@10'
        A measure linear in the gain.
    trials : int, default 10000
        Resamples.
    seed : int, default 0
        Of the resamples.
    **options
        Of `truegain.correct`: `accuracy`, `unmatched`, `ratings`, `scoring`.

    Returns
    -------
    Table
        A row a system.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, eq. 25 and the end of section 4.2.

    Examples
    --------
    >>> gold = {str(t): {d: (t + i) % 2 + (t % 3 == 0) for i, d in enumerate("abcd")} for t in range(30)}
    >>> slips = {t: {d: 2 - g for d, g in row.items() if (int(t) + ord(d)) % 7 == 0} for t, row in gold.items()}
    >>> bronze = {t: {**row, **slips[t]} for t, row in gold.items()}
    >>> runs = {"x": {t: {d: -i for i, d in enumerate("abcd")} for t in gold}}
    >>> dcg_table(runs, bronze, Gold(gold, "by-gold"), "DCG@3", trials=200).columns
    ('system', 'measure', 'uncorrected', 'value', 'se over pairs', 'se over topics', 'se by formula')
    """
    ways: dict[str, tuple[Method, Clusters]] = {
        "formula": ("delta", "topics"), "over topics": ("bootstrap", "topics"), "over pairs": ("bootstrap", "none"),
    }  # fmt: skip
    estimates: dict[str, dict[str, Estimate]] = {}
    notes: list[str] = []
    for way, (method, clusters) in ways.items():
        with warnings.catch_warnings():
            if estimates:  # what is wrong with the data was said once
                warnings.simplefilter("ignore", DataWarning)
            try:
                answers = correct(
                    runs, judgments, measure, gold, method=method, clusters=clusters,
                    resampling=Resampling(trials, seed=seed), **options,
                )  # fmt: skip
            except TruegainError as error:
                if way == "formula":
                    raise
                notes.append(Message(f"no standard error {way}: {with_marks(error)}"))
                continue
        estimates[way] = {e.system: e for e in answers}
        notes += [Message(f"{e.system}, {way}: {with_marks(note)}") for e in answers for note in e.notes]
    rows: list[tuple[Cell, ...]] = []
    for system, first in estimates["formula"].items():
        each = [estimates.get(way, {}).get(system) for way in ("over pairs", "over topics", "formula")]
        errors = [None if e is None or e.refused else e.se for e in each]
        rows.append((system, first.measure, first.uncorrected, None if first.refused else first.value, *errors))
    columns = ("system", "measure", "uncorrected", "value", "se over pairs", "se over topics", "se by formula")
    title = f"Corrected {measure} (eq. 25) and its standard error"
    return Table(columns, rows, {"truegain": __version__}, title, tuple(dict.fromkeys(notes)))
