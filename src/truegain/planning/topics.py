"""How many topics an experiment needs: topic set size design, and plans from the scores of one at hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from truegain.config import Scoring
from truegain.data.items import Items
from truegain.data.judgments import JudgmentsLike
from truegain.data.runs import RunsLike
from truegain.data.scores import Scores
from truegain.errors import TruegainError, check_one_of
from truegain.keywords import checked_keywords
from truegain.measures.catalogue import MeasureLike
from truegain.measures.evaluate import scores_of
from truegain.measures.nuggets import NuggetMeasure
from truegain.message import arg, argname
from truegain.planning.topic_clusters import TopicClusters, refuse_anova
from truegain.pooling.answers import one_score
from truegain.results.base import Table
from truegain.settings import check_number
from truegain.stats.results import Plan
from truegain.stats.significance.anova import complete, one_way, two_way
from truegain.stats.student_t import Floats, check_confidence, quantile_of, special
from truegain.study.item_inputs import answer_scores

Method = Literal["exact", "approximate"]
MOST_TOPICS = 10_000_000
SMALL = 40.0  # exp(-this) is nothing beside 1
TURNS = (-9.0, -3.0, 0.0, 3.0, 9.0)  # Phi goes from nothing to 1 between the ends of these, one turn in each piece
# start values of the ANOVA design by (alpha, beta): n = (x1 + x2 sqrt(m - 1)) / minDelta
ANOVA_START = {
    (0.01, 0.1): (10.439, 5.213),
    (0.01, 0.2): (7.736, 4.551),
    (0.01, 0.3): (6.030, 4.077),
    (0.01, 0.4): (4.733, 3.675),
    (0.01, 0.5): (3.653, 3.302),
    (0.05, 0.1): (7.049, 4.244),
    (0.05, 0.2): (4.860, 3.584),
    (0.05, 0.3): (3.522, 3.112),
    (0.05, 0.4): (2.543, 2.712),
    (0.05, 0.5): (1.765, 2.341),
}


class TopicSetSize(NamedTuple):
    """The smallest number of topics that does, what it reaches (power, or expected width), and the start value."""

    topics: int
    reached: float
    start: float


def topics_for_paired_t(
    difference: float, variance: float, *, alpha: float = 0.05, power: float = 0.8, method: Method = "exact"
) -> TopicSetSize:
    """Topics for a paired t test to find a mean difference, given the variance of the differences.

    Power of n topics: P(|T'| >= t(1-alpha/2; n-1)), T' noncentral t with lambda = sqrt(n) difference/sqrt(variance).
    Where only the variance of scores is known, twice that is a careful guess.  'approximate' takes Sakai's normal
    approximation instead of the noncentral distribution, to reproduce published sizes.

    Sakai 2016, Inf. Retr. J. 19(3); Sakai 2018, section 6.1.

    >>> topics_for_paired_t(0.1, 0.1).topics
    81
    """
    _check(difference, variance, alpha, power)
    ratio = difference / math.sqrt(variance)
    za, zb = quantile_of(1 - alpha), float(special().ndtri(power))
    start = ((za + zb) / ratio) ** 2 + za**2 / 2
    reached = lambda n: power_of_t(math.sqrt(n) * ratio, n - 1, alpha, method)  # noqa: E731
    return _search(start, reached, power)


def topics_for_anova(
    difference: float,
    variance: float,
    systems: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: Method = "exact",
) -> TopicSetSize:
    """Topics for a one-way ANOVA to find that the best of m systems is `difference` above the worst.

    P(F' >= F(1-alpha; m-1, m(n-1))), F' noncentral F with lambda = n difference^2/(2 variance): the least favorable
    case, all others halfway between.

    Sakai 2016, Inf. Retr. J. 19(3); Sakai 2018, section 6.3.

    >>> topics_for_anova(0.1, 0.05, 10).topics
    158
    """
    _check(difference, variance, alpha, power)
    if systems < 2:
        raise TruegainError(f"an analysis of variance needs at least 2 systems; there is {systems}")
    ratio = difference**2 / (2 * variance)
    x1, x2 = ANOVA_START.get((alpha, round(1 - power, 9)), ANOVA_START[0.05, 0.2])
    start = (x1 + x2 * math.sqrt(systems - 1)) / ratio
    reached = lambda n: power_of_anova(n, systems, n * ratio, alpha, method)  # noqa: E731
    return _search(start, reached, power)


def topics_for_width(width: float, variance: float, *, alpha: float = 0.05, method: Method = "exact") -> TopicSetSize:
    """Topics for the interval of a mean difference to be no wider than `width`, in expectation.

    E(width) = 2 t(1-alpha/2; phi) sqrt(variance/n) sqrt(2/phi) Gamma((phi+1)/2)/Gamma(phi/2), phi = n-1; `variance` is
    that of the differences.  'approximate' takes 1 - 1/(4 phi) for the ratio of gamma functions.

    Sakai 2016, Inf. Retr. J. 19(3); Sakai 2018, section 6.4.

    >>> topics_for_width(0.05, 0.05).topics
    310
    """
    _check(width, variance, alpha)
    start = 4 * quantile_of(1 - alpha) ** 2 * variance / width**2
    size = _search(start, lambda n: -expected_width(n, variance, n - 1, alpha, method), -width)
    return size._replace(reached=-size.reached)


def power_of_t(noncentrality: float, df: float, alpha: float = 0.05, method: Method = "exact") -> float:
    """Power of a two-sided t test: P(|T'| >= t(1 - alpha/2; df)), T' noncentral t.

    With S = sqrt(chi2_df/df) and lambda the noncentrality it is E[Phi(lambda - t S) + Phi(-lambda - t S)], integrated
    over S: the noncentral t of scipy has no lower tail at few degrees of freedom (NaN), its noncentral F no right value
    where t is in the thousands.

    >>> round(power_of_t(81**0.5 * 0.1 / 0.1**0.5, 80), 6)
    0.802829
    """
    w = quantile_of(1 - alpha, df)
    if method == "exact":
        ndtr = special().ndtr
        s, weight = _spread_nodes(df, [(noncentrality + far) / w for far in TURNS])
        return float(weight @ (ndtr(noncentrality - w * s) + ndtr(-noncentrality - w * s)))
    scale = math.sqrt(1 + w * w / (2 * df))
    low, high = ((x * (1 - 1 / (4 * df)) - noncentrality) / scale for x in (-w, w))
    return float(special().ndtr(low) + special().ndtr(-high))


def power_of_anova(
    topics: int, systems: int, noncentrality: float, alpha: float = 0.05, method: Method = "exact"
) -> float:
    """Power of the F test of a one-way analysis of variance: P(F' >= F(1 - alpha; m-1, m(n-1))).

    >>> round(power_of_anova(158, 10, 158 * 0.1), 4)
    0.802
    """
    phi_a, phi_e = systems - 1, systems * (topics - 1)
    w = float(special().fdtri(phi_a, phi_e, 1 - alpha))
    if method == "exact":
        power = float(import_module("scipy.stats").ncf.sf(w, phi_a, phi_e, noncentrality))
        if not power >= 0:
            raise TruegainError(
                f"scipy cannot compute this noncentral F; use the approximation ({arg('approximate', True)})"
            )
        return min(power, 1.0)
    c = (phi_a + 2 * noncentrality) / (phi_a + noncentrality)
    phi = (phi_a + noncentrality) ** 2 / (phi_a + 2 * noncentrality)
    top = math.sqrt(w / phi_e) * math.sqrt(2 * phi_e - 1) - math.sqrt(c / phi_a) * math.sqrt(2 * phi - 1)
    return float(special().ndtr(-top / math.sqrt(c / phi_a + w / phi_e)))


def _spread_nodes(df: float, turns: list[float]) -> tuple[Floats, Floats]:
    """Where to look at a function of S = sqrt(chi2_df/df), and weights with which its values sum to the expectation.

    Gauss-Legendre in u = log S, whose density is exp(df (u - exp(2 u)/2)) but for a constant, from where it is
    exp(-SMALL) of the greatest to where it is so again; in pieces between `turns`, where the function changes.
    """
    low, high = _fallen(df, -1.0), _fallen(df, 1.0)
    cuts = np.unique(np.clip([low, 0.0, high, *(math.log(s) for s in turns if s > 0)], low, high))
    x, weight = _legendre()
    half = np.diff(cuts)[:, None] / 2
    u = (cuts[:-1, None] + half * (1 + x)).ravel()
    weight = (half * weight).ravel() * np.exp(df * (u - np.expm1(2 * u) / 2))
    return np.exp(u), weight / weight.sum()


def _fallen(df: float, sign: float) -> float:
    """Where df (u - expm1(2 u)/2) is -SMALL, to one side of 0."""
    low, high = 0.0, sign
    while df * (high - math.expm1(2 * high) / 2) > -SMALL:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if df * (middle - math.expm1(2 * middle) / 2) > -SMALL else (low, middle)
    return high


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    x, weight = np.polynomial.legendre.leggauss(100)
    return x, weight


def expected_width(topics: float, variance: float, df: float, alpha: float = 0.05, method: Method = "exact") -> float:
    """Expected width of the t interval of a mean of so many topics.

    >>> round(expected_width(310, 0.05, 309), 6)
    0.049938
    """
    t = quantile_of(1 - alpha, df)
    unbiased = 1 - 1 / (4 * df)
    if method == "exact":
        unbiased = math.sqrt(2 / df) * math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2))
    return 2 * t * math.sqrt(variance / topics) * unbiased


def _search(start: float, reached: Callable[[int], float], wanted: float) -> TopicSetSize:
    """The smallest n from 2 on with reached(n) >= wanted; reached rises with n."""
    if start > MOST_TOPICS:
        raise TruegainError(
            f"this needs about {start:.2g} topics: the difference is tiny compared with the variance; give a larger one"
        )
    high = max(2, math.ceil(start))
    while reached(high) < wanted:
        high = math.ceil(high * 1.1) + 1
    low, step = high - 1, 1
    while low >= 2 and reached(low) >= wanted:
        low, high, step = low - step, low, 2 * step
    low = max(low, 1)  # not enough, or not allowed
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= wanted else (middle, high)
    return TopicSetSize(high, reached(high), start)


def _check(size: float, variance: float, alpha: float, power: float | None = None) -> None:
    if not size > 0:
        raise TruegainError(f"{size:g} cannot be detected; give a difference above 0, such as 0.03")
    if not variance > 0:
        raise TruegainError(
            f"a variance of {variance:g} cannot be planned with: every topic gives the same difference; give other runs"
        )
    for name, value in (("alpha", alpha), ("power", power)):
        if value is not None and not 0 < value < 1:
            raise TruegainError(f"{argname(name, value, 'g')} is not between 0 and 1")
    if power is not None and power < alpha:
        raise TruegainError(f"{argname('power', power, 'g')} is below alpha {alpha:g}: no topics are needed for that")


# ---- How many topics the next experiment needs, from the scores of one at hand.

Criterion = Literal["paired-t", "anova", "width"]
METHODS: dict[bool, Method] = {False: "exact", True: "approximate"}
POWERS = (0.7, 0.8, 0.9)
TIMES = (0.5, 1.0, 1.5, 2.0)
OVER_CLUSTERS = "mean clustered variance of the difference between two systems, times the number of clusters"
WITHIN = (
    "the variance over single topics, {:.6g}, needs more than that over clusters: an interval over clusters is never "
    "narrower than one over topics"
)


@checked_keywords()
def plan_topics(
    runs: RunsLike | Scores | Items,
    judgments: JudgmentsLike | None = None,
    measure: MeasureLike | None = None,
    *,
    min_effect: float,
    power: float = 0.8,
    confidence: float = 0.95,
    criterion: Criterion = "paired-t",
    approximate: bool = False,
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> Plan:
    """Plan how many topics the next experiment needs, from the variance of the scores at hand.

    Parameters
    ----------
    runs : what `evaluate` takes, Scores or Items
        What each system retrieved; or scores, which may then also be of measures that read text; or values of answers.
        Where topics of these come in clusters (`Items.clustered`), clusters are planned.
    judgments : what `evaluate` takes, optional
        The labels; left out with scores and values of answers.
    measure : str or Measure, optional
        The measure, or the score of answers; not needed where there is one.
    min_effect : float
        The difference to detect, or the width to reach.
    power : float, default 0.8
        The chance to detect it.
    confidence : float, default 0.95
        1 - alpha of the test, or the confidence of the interval.
    criterion : {'paired-t', 'anova', 'width'}, default 'paired-t'
        'paired-t': two systems on the same topics, with the mean variance of the differences of all pairs, 2 V_E2.
        'anova': the best and the worst of as many systems as there are, in a one-way analysis with variance V_E1.
        'width': the interval of a mean difference shall be no wider than `min_effect`; variance as for 'paired-t'.
    approximate : bool, default False
        Use the published approximations in place of noncentral distributions.
    scoring : Scoring, optional
        How scores are made.
    jobs : int, optional
        Threads; by default one for each core.

    Returns
    -------
    Plan
        ``needed["topics"]``; its table has a row for each difference: `difference`, and `power 0.7`, `power 0.8`, ...,
        the topics needed for that power; or, for 'width', `width` and `topics`.  Of clusters ``needed["clusters"]``
        and, at the mean number of topics of those at hand, ``needed["topics"]``; the table counts clusters.

    Notes
    -----
    Topics in clusters: the variance is J times the clustered variance of a difference of means over the J clusters at
    hand, with J - 1 degrees of freedom.  As in a verdict, the variance over single topics counts where it makes the
    interval wider.  The clusters to come are taken to be like those at hand: as large, and of sizes as different.

    References
    ----------
    .. [1] T. Sakai, "Topic set size design", Information Retrieval Journal 19(3), 2016.
    .. [2] T. Sakai, "Laboratory Experiments in Information Retrieval", Springer, 2018, chapter 6.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    >>> poor = {str(t): {"a": 1.0, "b": 2.0 if t < 5 else 0.0} for t in range(6)}
    >>> print(tg.plan_topics({"good": good, "poor": poor}, qrels, "AP", min_effect=0.1))
    35 topics: a difference of 0.1 in AP is detected with power 0.8 at alpha 0.05 (paired-t)
    """
    options = {name: x for name, x in (("scoring", scoring), ("jobs", jobs)) if x is not None}
    cluster = runs.cluster if isinstance(runs, Items) else None
    if isinstance(runs, Items):
        runs, measure = answer_scores(runs, one_score(runs, measure)), None
    scores = scores_of(runs, judgments, measure, options)
    alpha = round(1 - check_confidence(confidence), 12)
    scores.check_judged()
    of: Any = measure if isinstance(runs, Scores) else None
    name = scores._measure(of)
    if scores.values[name].dtype == object:
        raise TruegainError(f"{name} gives text, not numbers; use another measure")
    scores.check_range(name)
    check_one_of("criterion", criterion, get_args(Criterion))
    check_number("min_effect", min_effect, own=True)
    if not 0 < min_effect < math.inf:
        raise TruegainError(
            f"{argname('min_effect', min_effect, 'g')}: this cannot be detected; give a difference above 0, such "
            "as 0.03"
        )
    x = complete(scores.values[name], may_count=not isinstance(scores.objects.get(name), NuggetMeasure))
    m, topics = x.shape
    variance, source = _variance(x, criterion)
    spreads, units, clusters = [Spread(variance, topics)], topics, None
    if cluster is not None:
        refuse_anova(criterion)
        clusters = TopicClusters.of(_complete_topics(scores, name), cluster)
        units = len(clusters)
        spreads = [Spread(clusters.variance(x), units), *spreads]
        source, variance = OVER_CLUSTERS, spreads[0].variance
    ask = Asked(criterion, m, alpha, METHODS[approximate])
    sizes = {
        (times * min_effect, p): most_units([ask.size(times * min_effect, p, s) for s in spreads], spreads, units)
        for times in TIMES
        for p in ((power,) if criterion == "width" else sorted({*POWERS, power}))
    }
    size = sizes[min_effect, power]
    aim = f"a difference of {min_effect:g} in {name} is detected with power {power:g} at alpha {alpha:g} ({criterion})"
    if criterion == "width":
        aim = f"the {1 - alpha:.0%} interval of a difference in {name} is expected to be {min_effect:g} wide or less"
    at_hand = f"{topics} topics" if clusters is None else f"{units} clusters with {topics} topics in all"
    reached = [ask.reached(min_effect, s, size * s.units / units) for s in spreads if s.variance]
    provenance = {
        "measure": name, "criterion": criterion, "variance": variance,
        "variance_from": f"{source}, {m} systems, {at_hand}",
        "reached": max(reached) if criterion == "width" else min(reached), "topics_at_hand": topics,
        "at_hand_detects": max(ask.detectable(s, power) for s in spreads if s.variance),
    }  # fmt: skip
    needed, notes = {"topics": size}, list(scores.caveats)
    if clusters is not None:
        needed = {"clusters": size, "topics": clusters.topics_of(size)}
        provenance |= {"clusters_at_hand": units, "variance_of_topics": spreads[1].variance}
        notes.append(clusters.like_these())
        if most_units([ask.size(min_effect, power, spreads[0])], spreads[:1], units) < size:
            notes.append(WITHIN.format(spreads[1].variance))
    plan = Plan(needed, aim, Table((), []))
    return replace(plan, details=_table(sizes, plan.in_short(), provenance, notes))


def _complete_topics(scores: Scores, measure: str) -> list[str]:
    """The topics that all systems have a value for."""
    there = ~np.isnan(scores.values[measure]).any(axis=0)
    return [topic for topic, kept in zip(scores.topics, there.tolist(), strict=True) if kept]


def _table(
    sizes: Mapping[tuple[float, float], int], title: str, provenance: Mapping[str, object], notes: list[str]
) -> Table:
    """Units needed by difference (rows) and power (columns), with what went into them."""
    powers = sorted({p for _, p in sizes})
    width = provenance["criterion"] == "width"
    unit = "clusters" if "clusters_at_hand" in provenance else "topics"
    columns = ("width", unit) if width else ("difference", *(f"power {p:g}" for p in powers))
    rows = [(d, *(sizes[d, p] for p in powers)) for d in sorted({d for d, _ in sizes})]
    does = "give an interval about {:.4f} wide" if width else "detect a difference of {:.4f}"
    said = (
        *notes,
        f"variance {provenance['variance']:.6g}: {provenance['variance_from']}",
        f"the present {provenance[f'{unit}_at_hand']} {unit} {does.format(provenance['at_hand_detects'])}",
    )
    return Table(columns, rows, provenance, title, said)


def _variance(x: Floats, criterion: Criterion) -> tuple[float, str]:
    if criterion == "anova":
        alone = one_way(x)
        if alone.no_residual:
            raise TruegainError(
                "every topic gives each system the same score: there is no variance to plan with; give topics on which "
                "they differ"
            )
        return alone.v_e, "residual variance of the one-way ANOVA (V_E1)"
    analysis = two_way(x)
    if analysis.no_residual:
        raise TruegainError(
            "every topic gives the same difference: there is no variance to plan with; give topics on which they differ"
        )
    return (
        2 * analysis.v_e,
        "mean variance of the difference between two systems (2 V_E2, twice the residual variance of the two-way "
        "ANOVA)",
    )


class Spread(NamedTuple):
    """The variance of a difference from unit to unit, topics or clusters of them, and how many units are at hand."""

    variance: float
    units: int


def most_units(sizes: Sequence[int], spreads: Sequence[Spread], at_hand: int) -> int:
    """The units that are enough whichever of the spreads counts, each of which has its own units for these.

    >>> most_units([20, 90], [Spread(0.1, 10), Spread(0.2, 40)], 10)  # 10 clusters of 40 topics are at hand
    23
    """
    return max(2, *(-(-size * at_hand // spread.units) for size, spread in zip(sizes, spreads, strict=True)))


class Asked(NamedTuple):
    """What a plan is for, whatever the difference and the power."""

    criterion: Criterion
    systems: int
    alpha: float
    method: Method

    def size(self, effect: float, power: float, spread: Spread) -> int:
        """The units that detect a difference with a power, or give an interval of this width."""
        if not spread.variance:
            return 2
        if self.criterion == "width":
            return topics_for_width(effect, spread.variance, alpha=self.alpha, method=self.method).topics
        if self.criterion == "anova":
            return topics_for_anova(
                effect, spread.variance, self.systems, alpha=self.alpha, power=power, method=self.method
            ).topics
        return topics_for_paired_t(effect, spread.variance, alpha=self.alpha, power=power, method=self.method).topics

    def reached(self, effect: float, spread: Spread, units: float) -> float:
        """The power of so many units to find a difference, or the width that they give."""
        if self.criterion == "width":
            return expected_width(units, spread.variance, units - 1, self.alpha, self.method)
        if self.criterion == "paired-t":
            noncentrality = math.sqrt(units / spread.variance) * effect
            return power_of_t(noncentrality, units - 1, self.alpha, self.method)
        noncentrality = units * effect**2 / (2 * spread.variance)
        return power_of_anova(round(units), self.systems, noncentrality, self.alpha, self.method)

    def detectable(self, spread: Spread, power: float) -> float:
        """The difference that the units at hand find with the power asked for, or the width they give."""
        if self.criterion == "width":
            return self.reached(0.0, spread, spread.units)
        low, high = 0.0, math.sqrt(spread.variance / spread.units)
        while self.reached(high, spread, spread.units) < power:
            low, high = high, 2 * high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.reached(middle, spread, spread.units) < power else (low, middle)
        return high
