"""The tables and figures of Goldberg et al. 2018: on the paper's own counts, or on judgments and gold labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np

from truegain._version import __version__
from truegain.config import Gold
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.runs import RunsLike
from truegain.errors import MeasureError, TruegainError
from truegain.experiments.judge_errors import (
    SIZES,
    BronzeMean,
    JudgeSimulation,
    check_shares,
    compare_means,
    limited,
    naive_topics,
    published_sizes,
    simulate_judge,
    welch_df,
)
from truegain.io.columns import Floats
from truegain.judge_error.confusion import bias
from truegain.judge_error.fits import JudgedLists
from truegain.judge_error.intervals import delta, delta_se, parametric_bootstrap
from truegain.judge_error.judge import Judge
from truegain.judge_error.judge_quality import bronze_of
from truegain.judge_error.judges import fit_judge
from truegain.judge_error.label_tables import count
from truegain.measures.catalogue import parse_measure
from truegain.measures.precision import P
from truegain.measures.scoring import at_level
from truegain.message import Message, by_surface, with_marks
from truegain.results.base import Table
from truegain.results.table import Cell, Marked
from truegain.stats.student_t import detectable_in_se, p_of, quantile_of
from truegain.study.corrected_scores import gold_labels, in_line

# ---- What the formulas need: means by bronze labels, and the judge's accuracy on gold pairs.


@dataclass(frozen=True, eq=False)
class JudgeStudy:
    """Systems scored by bronze labels, and how often the bronze judge is right.

    Attributes
    ----------
    name : str
        Of the study, where there are several.
    means : mapping of str to BronzeMean
        The mean bronze precision of each system.
    judges : tuple of Judge
        One that was measured on one gold sample, or one for each system.
    relevance : mapping of str to sequence of float
        For the simulation: the chance of relevance at each rank of each system's lists.
    notes : tuple of str
        What must be said of the data.
    scores : mapping of str to ndarray
        Bronze precision by topic, where systems answer the same topics; empty where topics differ.

    Examples
    --------
    >>> EBAY.shared, round(EBAY.judge_of("a").sensitivity, 3)
    (True, 0.729)
    """

    name: str
    means: Mapping[str, BronzeMean]
    judges: tuple[Judge, ...]
    relevance: Mapping[str, Sequence[float]]
    notes: tuple[str, ...] = ()
    scores: Mapping[str, Floats] = field(default_factory=dict)

    def covariance(self, a: str, b: str) -> float:
        """The covariance of two bronze means over common topics; 0 where the topics differ.

        Parameters
        ----------
        a, b : str
            The systems.

        Returns
        -------
        float
            Of the means.
        """
        if a not in self.scores or b not in self.scores:
            return 0.0
        x, y = self.scores[a], self.scores[b]
        return float((x - x.mean()) @ (y - y.mean())) / (len(x) - 1) / len(x)

    @property
    def shared(self) -> bool:
        """Whether one gold sample stands behind all systems."""
        return len(self.judges) == 1

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of systems, in the order given."""
        return list(combinations(self.means, 2))

    def judge_of(self, system: str) -> Judge:
        """The judge that corrects a system.

        Parameters
        ----------
        system : str
            Its name.

        Returns
        -------
        Judge
            The one of all systems, or its own.
        """
        return self.judges[0 if self.shared else list(self.means).index(system)]


# Section 7.  The paper divides the variance of P@3 over queries by the number of query-document pairs, 3 times as many.
ROUNDING = 1e-12  # by which sums of the same numbers may differ
QUERIES = {"a": 3426, "b": 6868}
EBAY_JUDGE = Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
EBAY = JudgeStudy(
    "eBay",
    {
        "a": BronzeMean(0.6260, n=3 * QUERIES["a"], sd=0.414),
        "b": BronzeMean(0.6385, n=3 * QUERIES["b"], sd=0.402),
    },
    (EBAY_JUDGE,),
    {},
)
EBAY_BY_QUERY = JudgeStudy(
    "eBay, n of queries",
    {"a": BronzeMean(0.6260, n=QUERIES["a"], sd=0.414), "b": BronzeMean(0.6385, n=QUERIES["b"], sd=0.402)},
    (EBAY_JUDGE,),
    {},
)
# Section 8, table 4: each run with the bronze judges' accuracy on its own documents.
TREC = JudgeStudy(
    "TREC Enterprise",
    {"DocRun02": BronzeMean(0.527, n=50, sd=0.240), "york07ed4": BronzeMean(0.513, n=50, sd=0.260)},
    (
        Judge.from_counts(relevant=(17, 38), nonrelevant=(216, 262)),
        Judge.from_counts(relevant=(14, 50), nonrelevant=(230, 285)),
    ),
    {},
)
# Section 6: ten ranks, 50 queries, a judge of known rates that 250 gold pairs of each kind measure.
SIMULATED = JudgeStudy(
    "simulation",
    {"simulated": BronzeMean(0.48, n=50)},
    (Judge.from_counts(relevant=(225, 250), nonrelevant=(200, 250)),),
    {"simulated": tuple(0.49 - 0.02 * rank for rank in range(10))},
)
PUBLISHED = (EBAY, EBAY_BY_QUERY, TREC)
BY_PAIR = (
    "The paper takes n = 10278 and 20604, three pairs for each of 3426 and 6868 queries, while s is the standard "
    "deviation of P@3 over queries; 'n of queries' divides by the number of queries."
)


def judge_study(
    runs: RunsLike,
    judgments: JudgmentsLike,
    gold: Gold,
    measure: str = "P@10",
    *,
    relevant_from: float | None = None,
    accuracy: Literal["given", "lists", "system"] = "given",
    scale: Sequence[float] | None = None,
    unmatched: Literal["refuse", "drop"] = "refuse",
    jobs: int | None = None,
) -> JudgeStudy:
    """What the paper's formulas need of your data.

    Variances of the judge's rates take gold pairs as independent, as in the paper; `truegain.correct` takes topics as
    clusters.

    Parameters
    ----------
    runs : path-like, mapping or frame
        The runs, one or more.
    judgments : path-like, mapping, frame or Judgments
        The bronze labels, one a document.
    gold : Gold
        The gold labels, how they were sampled, and which of them are relevant.
    measure : str, default 'P@10'
        Precision at a cutoff; the formulas are for nothing else.
    relevant_from : float, optional
        The smallest relevant label, where the measure names none.
    accuracy : {'given', 'lists', 'system'}, default 'given'
        Measure the judge on all gold pairs (section 7), on those that any system retrieved, or for each system on those
        that it retrieved itself (table 4).
    scale : sequence of float, optional
        The labels there are.
    unmatched : {'refuse', 'drop'}, default 'refuse'
        Gold pairs without a bronze label.
    jobs : int, optional
        Processes that read runs.

    Returns
    -------
    JudgeStudy
        Means by bronze labels, the judge, and the corrected relevance at each rank.

    Examples
    --------
    >>> runs = {"x": {topic: {"a": 2, "b": 1} for topic in "1234"}}
    >>> bronze = {topic: {"a": 1, "b": int(topic == "1")} for topic in "1234"}
    >>> gold = {topic: {"a": 1, "b": 0} for topic in "1234"}
    >>> study = judge_study(runs, bronze, Gold(gold, "random"), "P@2")
    >>> study.means["x"].mean, study.judges[0].counts, study.relevance["x"]
    (0.625, (4.0, 4.0, 3.0, 4.0), (1.0, 0.0))
    """
    chosen = at_level(parse_measure(measure), relevant_from)
    if not isinstance(chosen, P):
        raise MeasureError(f"{measure}: the paper's formulas are for precision at a cutoff; use P@10 or P(rel=2)@10")
    labels, notes = bronze_of(judgments)
    trusted = Judgments.of(gold_labels(gold), "gold")
    judge = fit_judge(labels, trusted, gold.design, chosen, gold.relevant_from, unmatched=unmatched, scale=scale)
    ranked = in_line(runs, labels, [chosen], jobs)
    lists = JudgedLists.of(ranked, judge, chosen, gold_relevant_from=gold.relevant_from, accuracy=accuracy)
    means, judges, relevance, by_topic = {}, [], {}, {}
    for s, system in enumerate(ranked.systems):
        scores, own = lists.naive[s][lists.answered(s)], lists.judges_of(s).single
        assert own is not None
        by_pairs = _independent(own)
        means[system] = BronzeMean(float(scores.mean()), len(scores), float(scores.std(ddof=1)))
        judges.append(by_pairs)
        by_topic[system] = scores
        by_rank = _by_rank(lists, s, chosen, len(scores))
        relevance[system] = tuple(limited(float(j), by_pairs) for j in by_rank) if by_pairs.informedness > 0 else ()
    return JudgeStudy("", means, tuple(judges if accuracy == "system" else judges[:1]), relevance, notes, by_topic)


def _independent(judge: Judge) -> Judge:
    """The judge by counts alone, so that gold pairs are independent, weighted ones as many as they are worth."""
    (nn, nr), (rn, rr) = (judge.binary.matrix * judge.binary.effective[:, None]).tolist()
    return Judge.from_counts(relevant=(rr, rr + rn), nonrelevant=(nn, nn + nr), design=judge.design)


def _by_rank(lists: JudgedLists, system: int, measure: P, topics: int) -> Floats:
    """The share of topics with a bronze-relevant document at each rank: what the paper calls row-wise evaluation."""
    view = lists.ranked.condensed if measure.judged_only else lists.ranked
    depth, level = int(measure.cutoff or view.rank.max(initial=1)), measure.rel
    mine = (view.list // len(view.topics) == system) & view.judged & (view.gain >= level) & (view.rank <= depth)
    return np.asarray(np.bincount(view.rank[mine] - 1, minlength=depth) / topics)


# ---- Tables: one for each question, a row for each system or pair of systems.


def confusion_table(studies: Sequence[JudgeStudy] = (EBAY, TREC)) -> Table:
    """What bronze labels say, given the gold label, and the shares of both labels.

    m_J = m_G m_R + (1 - m_G)(1 - m_N), where m_G is limited to 0 to 1

    Parameters
    ----------
    studies : sequence of JudgeStudy, default the paper's
        What to show.

    Returns
    -------
    Table
        Three rows a system: gold relevant, gold non-relevant, and all documents, whose shares are the bronze mean.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, table 2, eq. 3 and 4.

    Examples
    --------
    >>> [round(cell, 3) for cell in confusion_table((EBAY,)).rows[0][3:]]  # m_G, m_R and 1 - m_R of system a
    [0.805, 0.729, 0.271]
    """
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for study in studies:
        for system, bronze in study.means.items():
            judge, j = study.judge_of(system), bronze.mean
            m_r, m_n = judge.sensitivity, judge.specificity
            try:
                g = limited(j, judge)
            except TruegainError as error:
                notes.append(Message(f"{system} is left out: {with_marks(error)}"))
                continue
            rows += [
                (study.name, system, "relevant", g, m_r, 1 - m_r),
                (study.name, system, "non-relevant", 1 - g, 1 - m_n, m_n),
                (study.name, system, "all", 1.0, j, 1 - j),
            ]
    columns = ("study", "system", "gold", "share", "bronze relevant", "bronze non-relevant")
    beyond = [system for study in studies for system, bronze in study.means.items()
              if study.judge_of(system).impossible(bronze.mean)]  # fmt: skip
    if beyond:
        notes.append(
            f"{', '.join(beyond)}: no share of relevant documents gives the bronze mean in row 'all', so the share is "
            "limited to 0 to 1 (eq. 16)"
        )
    return _table(columns, rows, "Bronze label, given the gold label (table 2)", notes, studies)


def accuracy_table(studies: Sequence[JudgeStudy] = (EBAY, TREC)) -> Table:
    """Bronze means, the judge's accuracy on gold pairs, and whether the two fit together.

    A mean lies between 1 - specificity and sensitivity, whatever share of the documents is relevant.

    Parameters
    ----------
    studies : sequence of JudgeStudy, default the paper's
        What to show.

    Returns
    -------
    Table
        A row a system.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, table 4 and eq. 17.

    Examples
    --------
    >>> [row["possible"] for row in accuracy_table().records()]
    [True, True, False, False]
    """
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for study in studies:
        for system, bronze in study.means.items():
            judge = study.judge_of(system)
            k_r, n_r, k_n, n_n = judge.counts
            wrong = judge.impossible(bronze.mean)
            rows.append(
                (study.name, system, bronze.mean, bronze.sd, count(bronze.n), count(k_r), count(n_r), judge.sensitivity,
                 count(k_n), count(n_n), judge.specificity, 1 - judge.specificity, judge.sensitivity, not wrong)
            )  # fmt: skip
            notes += [f"{system}: {note}" for note in wrong]
    columns = (
        "study", "system", "mean", "sd", "n", "both relevant", "gold relevant", "sensitivity", "both non-relevant",
        "gold non-relevant", "specificity", "lowest mean", "highest mean", "possible",
    )  # fmt: skip
    return _table(columns, rows, "Bronze means and the accuracy of the judge (table 4)", notes, studies)


def corrected_table(
    studies: Sequence[JudgeStudy] = PUBLISHED, *, confidence: float = 0.95, trials: int = 10_000, seed: int = 0
) -> Table:
    """Corrected means with standard errors by formula and by the parametric bootstrap, and the bias.

    Parameters
    ----------
    studies : sequence of JudgeStudy, default the paper's
        What to correct.
    confidence : float, default 0.95
        Of the interval, value -+ z times the standard error of eq. 7, limited to 0 to 1.
    trials : int, default 10000
        Draws of the bootstrap, algorithm 1.
    seed : int, default 0
        Of these draws.

    Returns
    -------
    Table
        A row a system.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, eq. 1 to 8, 15 and 16, algorithm 1
           and section 3.8.

    Examples
    --------
    >>> [(round(row["value"], 3), round(row["se"], 4)) for row in corrected_table(trials=100).records()[:2]]
    [(0.805, 0.0903), (0.828, 0.0923)]
    """
    z = quantile_of(confidence)
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for study in studies:
        for system, bronze in study.means.items():
            judge = study.judge_of(system)
            rates = judge.rates(bronze.mean, bronze.variance, bronze.size)
            try:
                value = limited(bronze.mean, judge)
            except TruegainError as error:
                notes.append(Message(f"{system} is left out: {with_marks(error)}"))
                continue
            low, high, drawn = None, None, None  # type: tuple[float | None, float | None, float | None]
            if 0 <= rates.value <= 1:
                low, high = (max(0.0, min(1.0, end)) for end in delta(rates, z))
            else:
                notes.append(f"{system}: its plain ratio lies outside 0 to 1, so eq. 7 gives no interval")
            try:
                drawn = parametric_bootstrap(rates, trials=trials, seed=seed).se
            except TruegainError as error:
                notes.append(Message(f"{system}, algorithm 1: {with_marks(error)}"))
            too_high = bias(bronze.mean, rates.m_r, rates.m_n, rates.v_r, rates.v_n)
            rows.append(
                (study.name, system, bronze.mean, math.sqrt(bronze.variance), rates.value, value, low, high,
                 delta_se(rates), drawn, too_high)
            )  # fmt: skip
    columns = ("study", "system", "uncorrected", "uncorrected se", "plain ratio", "value", "low", "high", "se",
               "bootstrap se", "bias")  # fmt: skip
    return _table(columns, rows, "Corrected means (eq. 5, 7, 15, 16; algorithm 1; section 3.8)", notes, studies)


def difference_table(studies: Sequence[JudgeStudy] = PUBLISHED, *, confidence: float = 0.95) -> Table:
    """Whether two systems differ: by bronze labels, and corrected by each formula.

    Parameters
    ----------
    studies : sequence of JudgeStudy, default the paper's
        What to compare: all pairs of systems of each study.
    confidence : float, default 0.95
        Of the interval of the difference b - a.

    Returns
    -------
    Table
        For each pair of systems a row a formula.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, eq. 9 to 11; the formula for one gold
           sample is derived in docs/explanation/correction.md.

    Examples
    --------
    >>> [(row["formula"], round(row["p"], 3)) for row in difference_table().records()[:2]]
    [('bronze labels (eq. 9)', 0.012), ('a gold sample for each (eq. 11)', 0.854)]
    """
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    of_ratios = False  # whether a difference is not that of the values beside it
    for study in studies:
        for a, b in study.pairs:
            first, second = study.means[a], study.means[b]
            d, se = second.mean - first.mean, math.sqrt(first.variance + second.variance)
            d = 0.0 if abs(d) < ROUNDING else d
            df = welch_df((first.variance, second.variance), first, second)
            half, p = quantile_of(confidence, df) * se, p_of(d / se, df) if se > 0 else None
            rows.append((study.name, a, b, "bronze labels (eq. 9)", first.mean, second.mean, d, d - half, d + half, p))
            formulas: list[tuple[str, Literal["shared", "separate"], Literal["normal", "welch"]]] = [
                ("a gold sample for each (eq. 11)", "separate", "normal"),
                ("a gold sample for each, Welch (eq. 10)", "separate", "welch"),
            ]
            if study.shared:
                formulas.append(("one gold sample for both", "shared", "normal"))
            judges = study.judge_of(a) if study.shared else (study.judge_of(a), study.judge_of(b))
            try:
                for formula, sample, test in formulas:
                    together = study.covariance(a, b) if sample == "shared" else 0.0
                    c = compare_means(
                        judges, first, second, gold=sample, covariance=together, test=test, confidence=confidence
                    )
                    of_ratios |= not math.isclose(c.difference, c.value_b - c.value_a, abs_tol=1e-9)
                    apart = 0.0 if abs(c.difference) < ROUNDING else c.difference
                    values = (c.value_a, c.value_b, apart, c.low, c.high, c.p)
                    rows.append((study.name, a, b, formula, *values))
            except TruegainError as error:
                notes.append(Message(f"{b} - {a} cannot be corrected: {with_marks(error)}"))
    if of_ratios:
        notes.append(
            "With one gold sample for both, the difference is that of the plain ratios, (j_b - j_a)/D; the values are "
            "limited to 0 to 1 (eq. 16)."
        )
    if any(study.scores for study in studies):
        notes.append(
            "Eq. 9 to 11 take the two systems' topics as independent samples, as in the paper; the row for one gold "
            "sample takes them as the same topics."
        )
    columns = ("study", "a", "b", "formula", "value_a", "value_b", "difference", "low", "high", "p")
    return _table(columns, rows, "Differences b - a (eq. 9 to 11)", notes, studies)


def sizes_table(
    studies: Sequence[JudgeStudy] = (EBAY, TREC),
    *,
    p: float = 0.05,
    power: float = 0.5,
    shares: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3),
) -> Table:
    """How many topics and gold pairs make two systems differ significantly.

    Parameters
    ----------
    studies : sequence of JudgeStudy, default the paper's
        What to compare: all pairs of systems of each study.
    p : float, default 0.05
        The significance level.
    power : float, default 0.5
        How often the difference is to be found; the paper's formulas are at 0.5.
    shares : (float, float, float), default a third each
        How the allowed variance is shared out to topics, relevant and non-relevant gold pairs: f1, f2, f3.

    Returns
    -------
    Table
        For each pair of systems a row without judge errors, and one with a gold sample for each system.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, eq. 26 to 31.

    Examples
    --------
    >>> [int(row["n"]) for row in sizes_table((TREC,)).records()[:1]], sizes_table((TREC,)).records()[1]["n"]
    ([2453], inf)
    """
    check_shares(shares)
    detectable_in_se(p, power)  # a senseless power is refused, not noted
    rows: list[tuple[Cell, ...]] = []
    plan = by_surface("tg.plan_labels", "`truegain plan labels`")
    notes: list[str] = [Message(f"{plan} plans for one gold sample behind both systems, which needs far fewer.")]
    for study in studies:
        for a, b in study.pairs:
            first, second = study.means[a], study.means[b]
            sds = (math.sqrt(first.variance * first.n), math.sqrt(second.variance * second.n))
            try:
                n = naive_topics(first.mean - second.mean, *sds, p=p, power=power)
                rows.append((study.name, a, b, "no judge errors (eq. 26)", _size(n), *(None,) * 4))
            except TruegainError as error:
                notes.append(Message(f"{a} and {b}, eq. 26: {with_marks(error)}"))
            try:
                sizes = published_sizes(
                    (first.mean, second.mean), sds, (study.judge_of(a), study.judge_of(b)), shares=shares, p=p,
                    power=power,
                )  # fmt: skip
            except TruegainError as error:
                notes.append(Message(f"{a} and {b}, eq. 31: {with_marks(error)}"))
                continue
            rows.append((study.name, a, b, "a gold sample for each (eq. 31)", *(_size(sizes[name]) for name in SIZES)))
            if math.isinf(sizes["n"]):
                value = limited(first.mean, study.judge_of(a))
                notes.append(
                    f"{a} and {b}: both corrected means are {value:g} when limited to 0 to 1 (eq. 16), so no number of "
                    "labels shows a difference"
                )
    columns = ("study", "a", "b", "formula", "n", "nR a", "nN a", "nR b", "nN b")
    title = f"Topics and gold pairs needed at p = {p:g}, power {power:g} (eq. 26 to 31)"
    return _table(columns, rows, title, notes, studies)


def _size(n: float) -> Cell:
    """A number of labels, which is shown to a tenth."""
    return Marked(n, digits=1)


def simulations(study: JudgeStudy = SIMULATED, *, trials: int = 10_000, seed: int = 0) -> dict[str, JudgeSimulation]:
    """Algorithm 2 for each system: lists, a judge who errs, and a gold sample, drawn again and again.

    Parameters
    ----------
    study : JudgeStudy, default the paper's section 6
        Relevance by rank, the judge's rates, the number of topics and of gold pairs of each kind.
    trials : int, default 10000
        Simulated studies.
    seed : int, default 0
        Of the draws.

    Returns
    -------
    dict of str to JudgeSimulation
        By system.

    Examples
    --------
    >>> {name: round(world.truth, 3) for name, world in simulations(trials=10).items()}
    {'simulated': 0.4}
    """
    worlds = {}
    for system, relevance in study.relevance.items():
        judge, n = study.judge_of(system), int(study.means[system].n)
        _, n_r, _, n_n = judge.counts
        gold = (max(1, round(n_r)), max(1, round(n_n)))
        worlds[system] = simulate_judge(
            relevance, m_r=judge.sensitivity, m_n=judge.specificity, n=n, gold=gold, trials=trials, seed=seed
        )
    return worlds


def simulation_table(worlds: Mapping[str, JudgeSimulation], *, confidence: float = 0.95) -> Table:
    """What bronze and corrected precision say in simulated studies, and how often their intervals hold the truth.

    Parameters
    ----------
    worlds : mapping of str to JudgeSimulation
        What `simulations` drew.
    confidence : float, default 0.95
        Of the intervals, value -+ z times the standard error, and of `low` to `high`.

    Returns
    -------
    Table
        Two rows a system: `low` and `high` are quantiles of the simulated values, `above truth` the share of them
        that are too high.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018, section 6 and figure 2.

    Examples
    --------
    >>> table = simulation_table(simulations(trials=2000))
    >>> [row["coverage"] > 0.9 for row in table.records()]
    [False, True]
    """
    rows: list[tuple[Cell, ...]] = []
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    for system, world in worlds.items():
        covered = world.coverage(confidence)
        kinds = (("bronze", world.naive, world.naive_se), ("corrected", world.corrected, world.corrected_se))
        for (kind, values, errors), share in zip(kinds, covered, strict=True):
            low, high = np.quantile(values, ends).tolist()
            above, spread = float((values > world.truth).mean()), float(values.std(ddof=1))
            rows.append(
                (system, kind, world.truth, float(values.mean()), low, high, spread, float(errors.mean()), above, share)
            )
    columns = ("system", "labels", "truth", "mean", "low", "high", "sd", "mean se", "above truth", "coverage")
    trials = len(next(iter(worlds.values())).naive) if worlds else 0
    title = f"{trials:,} simulated studies (algorithm 2, figure 2)"
    note = "truth is the precision of the simulated lists, whose documents and labels are drawn independently by rank"
    return Table(columns, rows, {"truegain": __version__}, title, (note,))


# ---- A table of one study has no column that names it.


def _table(
    columns: tuple[str, ...],
    rows: Sequence[tuple[Cell, ...]],
    title: str,
    notes: Iterable[str],
    studies: Sequence[JudgeStudy],
) -> Table:
    all_notes = [*dict.fromkeys((*(note for study in studies for note in study.notes), *notes))]
    if EBAY in studies and EBAY_BY_QUERY in studies:
        all_notes.append(BY_PAIR)
    named = any(study.name for study in studies)
    shown = columns if named else columns[1:]
    kept = rows if named else [row[1:] for row in rows]
    return Table(shown, kept, {"truegain": __version__}, title, tuple(all_notes))
