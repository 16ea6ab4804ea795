"""The published methods for AP over collections: bootstrap intervals, and meta-analysis of topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains
from truegain.errors import TruegainError, check_one_of
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.base import FLOOR
from truegain.message import argname
from truegain.parallel.jobs import Engine, Progress, engine_for
from truegain.results.base import Table
from truegain.sampling.documents import average_precisions, lists_of_topic
from truegain.sampling.jackknife import accelerations, average_precision
from truegain.stats.collection_intervals import few_relevant
from truegain.stats.contrasts import within
from truegain.stats.intervals import bca_levels, bias_of, inverse_logits, linear, logits, sorted_quantile
from truegain.stats.multiple_testing import adjust
from truegain.stats.results import Comparison, Estimate
from truegain.stats.student_t import check_confidence, p_of, quantile_of, special

# ---- Many topics, each a test of its own, combined: meta-analysis of differences and their variances.

MetaMethod = Literal["fixed", "random", "hartung-knapp", "paule-mandel"]
MODELS = {
    "fixed": "fixed-effect meta-analysis",
    "random": "random-effects meta-analysis (DerSimonian-Laird)",
    "hartung-knapp": "random-effects meta-analysis (Hartung-Knapp)",
    "paule-mandel": "random-effects meta-analysis (Paule-Mandel)",
}
META_METHODS: tuple[str, ...] = get_args(MetaMethod)


class Meta(NamedTuple):
    """An effect combined over k tests: value, standard error, limits, and the two-sided p of no effect.

    q, p_q: Cochran's test that all tests have the same effect; i2: share of the spread beyond chance;
    tau2: the variance of the effect between tests (0 for 'fixed').
    """

    value: float
    se: float
    low: float
    high: float
    p: float
    q: float
    p_q: float
    i2: float
    tau2: float


def combine(
    effects: npt.ArrayLike, variances: npt.ArrayLike, method: MetaMethod = "random", confidence: float = 0.95
) -> Meta:
    """Combine the effects d_i of k tests with variances v_i.

    'fixed': weights w_i = 1/v_i, d = sum w d / sum w, se = (sum w)^-1/2.
    'random' (DerSimonian and Laird 1986): Q = sum w (d_i - d)^2, tau2 = max(0, (Q - (k-1)) / (sum w - sum w^2/sum w)),
    weights 1/(v_i + tau2).
    'paule-mandel' (1982): the same with the tau2 >= 0 at which sum (d_i - d)^2/(v_i + tau2) = k - 1.
    'hartung-knapp' (2001; Sidik and Jonkman 2002): weights of 'random', se^2 = sum w*(d_i - d)^2/((k-1) sum w*), and
    t with k - 1 degrees of freedom in place of z.
    I2 = max(0, (Q - (k-1))/Q).

    >>> meta = combine([0.12, 0.05, 0.3, -0.04], [0.004, 0.002, 0.01, 0.003])
    >>> print(f"{meta.value:.4f} [{meta.low:.4f}, {meta.high:.4f}] p = {meta.p:.4f}, I2 = {meta.i2:.0%}")
    0.0859 [-0.0249, 0.1966] p = 0.1287, I2 = 70%
    """
    check_one_of("meta-analysis", method, META_METHODS)
    check_confidence(confidence)
    d, v = _checked(effects, variances)
    k = len(d)
    common = _weighted_mean(d, 1 / v)
    q = float(((d - common) ** 2 / v).sum())
    tau2 = 0.0 if method == "fixed" else tau2_paule_mandel(d, v) if method == "paule-mandel" else _tau2(v, q)
    w = 1 / (v + tau2)
    value = _weighted_mean(d, w)
    if method == "hartung-knapp":
        se = math.sqrt(float((w * (d - value) ** 2).sum()) / ((k - 1) * float(w.sum())))
        p = 1.0 if value == 0 else p_of(value / se, k - 1) if se > 0 else 0.0
        step = quantile_of(confidence, k - 1) * se
    else:
        se = float(w.sum()) ** -0.5
        p, step = p_of(value / se), quantile_of(confidence) * se
    p_q = float(special().chdtrc(k - 1, q))
    i2 = max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0
    return Meta(value, se, value - step, value + step, p, q, p_q, i2, tau2)


def combined_p(effects: npt.ArrayLike, deviations: npt.ArrayLike) -> float:
    """One-sided p of k tests together: p = 1 - Phi(Z), Z = (1/sqrt(k)) sum d_i/s_i.

    d_i is the difference x - y on topic i and s_i its standard deviation; each d_i/s_i is a standard normal if there
    is no difference, hence so is Z (Stouffer's method, all topics alike).  A small p says that x is better than y, one
    near 1 that y is better than x.  Cormack and Lynam 2006, SIGIR, section 9 (there printed without the brackets).

    >>> round(combined_p([0.1, 0.2, -0.05], [0.1, 0.1, 0.1]), 4)
    0.0745
    """
    d, v = _checked(effects, np.asarray(deviations, np.float64) ** 2, least=1)
    return float(special().ndtr(-float((d / np.sqrt(v)).sum()) / math.sqrt(len(d))))


def tau2_paule_mandel(effects: Floats, variances: Floats) -> float:
    """The variance between tests of Paule and Mandel 1982, clamped at 0: where the weighted squares equal k - 1.

    The weighted sum of squares falls as tau2 rises, so Newton's steps from 0 climb to the root and never pass it.

    >>> round(tau2_paule_mandel(np.array([0.1, 0.5, 0.9]), np.array([0.01, 0.01, 0.01])), 4)
    0.15
    """
    tau2, freedom = 0.0, len(effects) - 1
    for _ in range(200):
        w = 1 / (variances + tau2)
        squares = (effects - _weighted_mean(effects, w)) ** 2
        excess = float((w * squares).sum()) - freedom
        if excess <= 0:
            break
        step = excess / float((w**2 * squares).sum())
        tau2 += step
        if step <= 1e-15 * tau2:
            break
    return tau2


def _tau2(variances: Floats, q: float) -> float:
    w = 1 / variances
    spare = float(w.sum() - (w**2).sum() / w.sum())
    return max(0.0, (q - (len(w) - 1)) / spare)


def _weighted_mean(values: Floats, weights: Floats) -> float:
    return float((weights * values).sum() / weights.sum())


def _checked(effects: npt.ArrayLike, variances: npt.ArrayLike, least: int = 2) -> tuple[Floats, Floats]:
    d, v = np.asarray(effects, np.float64), np.asarray(variances, np.float64)
    if d.ndim != 1 or d.shape != v.shape:
        raise TruegainError(
            f"{d.size} effects and {v.size} variances differ in number; give one of each for every topic"
        )
    if len(d) < least:
        raise TruegainError(f"too few topics to combine: {len(d)}; give at least {least}")
    if not (np.isfinite(d).all() and np.isfinite(v).all()):
        raise TruegainError("an effect or a variance is missing or infinite; leave such topics out")
    if not (v > 0).all():
        raise TruegainError(
            f"{int((v <= 0).sum())} of {len(v)} topics have no variance, so they would have infinite weight; leave "
            "them out or give them a minimum variance"
        )
    return d, v


# ---- How far would AP move on another collection of the same kind?  Bootstrap intervals per topic and for the mean.
#
# Cormack and Lynam 2006, SIGIR; where the bootstrap sees no spread, with few relevant documents and AP near 0 or 1,
# their section 7.

METHODS = ("linear", "logit", "percentile", "bca")
EPSILON = 1e-4  # how near AP may come to 0 and 1 before its logit is taken
MEMORY = 1 << 21  # bytes of replicates one piece of work may hold


@dataclass(frozen=True, eq=False)
class CollectionSpread:
    """AP of every system and topic, how far it moves over collections, and the same for means over topics.

    Matrices are systems by topics, NaN where a system has no answer or a topic no relevant document.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    ap: Floats
    sd: Floats
    sd_logit: Floats
    relevant: Ints
    depth: Ints
    limits: dict[str, tuple[Floats, Floats]]  # percentile and bca, from the replicates themselves
    means: dict[str, Floats]  # MAP, L-MAP and G-MAP: systems by drawn collections
    redrawn: int
    replicates: int
    confidence: float
    epsilon: float = EPSILON

    def interval(self, method: str = "logit", small_r: bool = True) -> tuple[Floats, Floats]:
        """Limits of AP per system and topic by one of METHODS, widened where R is small unless told not to."""
        if method == "linear":
            low, high, _ = linear(self.ap, self.sd, self.confidence)
        elif method == "logit":
            limits = linear(logits(self.ap, self.epsilon), self.sd_logit, self.confidence)
            low, high = inverse_logits(limits.low), inverse_logits(limits.high)
        else:
            low, high = self.limits[method]
        low, high = np.minimum(low, self.ap), np.maximum(high, self.ap)
        if small_r:
            low, high = widened(self.ap, low, high, self.relevant[None, :], self.depth, self.confidence)
        return low, high

    def logit_errors(self, small_r: bool = False) -> Floats:
        """The standard deviation of logit(AP), by system and topic.

        With `small_r` it is half the length of the widened logit interval, over z: the same where nothing was widened.
        Without it a topic with AP = 0 has none, since no copy of its documents moves it.
        """
        if not small_r:
            return self.sd_logit
        low, high = (logits(end, self.epsilon) for end in self.interval("logit", small_r=True))
        return np.maximum((high - low) / (2 * quantile_of(self.confidence)), self.sd_logit)

    @cached_property
    def counted(self) -> Ints:
        """Topics each system's mean is over."""
        return np.asarray((~np.isnan(self.ap)).sum(axis=1))


def collection_spread(
    ranked: RankedGains,
    *,
    level: float = 1,
    replicates: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    epsilon: float = EPSILON,
    averaged: Bools | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> CollectionSpread:
    """Draw collections and see how AP moves; held are three numbers for every system and replicate, not for topics.

    `averaged`, systems by topics, says which lists the drawn means are over (default: all that have an AP).
    """
    check_epsilon(epsilon)
    systems, topics = len(ranked.systems), len(ranked.topics)
    relevant = ranked.pool_relevant(level)
    width = max(1, min(systems, MEMORY // (8 * replicates)))
    blocks = [range(first, min(first + width, systems)) for first in range(0, systems, width)]
    pieces = [(block, topic) for block in blocks for topic in np.flatnonzero(relevant).tolist()]
    ranked.relevant_entries(level)  # shared by all pieces: made once
    results = (engine or engine_for()).run(
        _topic_spreads, pieces, shared=(ranked, level, replicates, confidence, seed, epsilon), progress=progress,
        name=lambda piece: f"topic {ranked.topics[piece[1]]}",
    )  # fmt: skip
    by_topic = np.full((7, systems, topics), np.nan)
    sums, redrawn = np.zeros((3, systems, replicates)), 0
    for (_, topic), (there, parts, drawn, again) in zip(pieces, results, strict=True):
        by_topic[:, there, topic] = parts
        redrawn += again
        if averaged is not None:
            asked = averaged[there, topic]
            there, drawn = there[asked], drawn[asked]
        for total, values in zip(sums, (drawn, logits(drawn, epsilon), np.log(np.maximum(drawn, FLOOR))), strict=True):
            total[there] += values
    ap, sd, sd_logit, low, high, bca_low, bca_high = by_topic
    counted = ~np.isnan(ap) if averaged is None else ~np.isnan(ap) & averaged
    with np.errstate(invalid="ignore"):  # a system without a topic has no mean
        mean, odds, logs = sums / counted.sum(axis=1)[:, None]
    return CollectionSpread(
        ranked.systems, ranked.topics, ap, sd, sd_logit, relevant, np.asarray(ranked.depth).reshape(systems, topics),
        {"percentile": (low, high), "bca": (bca_low, bca_high)}, {"MAP": mean, "L-MAP": odds, "G-MAP": np.exp(logs)},
        redrawn // len(blocks), replicates, confidence, epsilon,
    )  # fmt: skip


def _topic_spreads(
    shared: tuple[RankedGains, float, int, float, int, float], piece: tuple[range, int], _: np.random.SeedSequence
) -> tuple[Ints, Floats, Floats, int]:
    """One topic of some systems: who answers, AP with spreads and limits (7 rows), replicates, draws made again."""
    ranked, level, replicates, confidence, seed, epsilon = shared
    lists = lists_of_topic(ranked, piece[1], level, piece[0])
    values, redrawn = average_precisions(lists, replicates, seed)
    ap, ordered = average_precision(lists), np.sort(values, axis=1)
    tail = (1 - confidence) / 2
    z0, lost = bias_of(ap, ordered)
    levels = bca_levels(z0, accelerations(lists), lost, confidence)
    parts = np.stack(
        [
            ap,
            values.std(axis=1, ddof=1),
            logits(values, epsilon).std(axis=1, ddof=1),
            *np.quantile(ordered, [tail, 1 - tail], axis=1),
            *(sorted_quantile(ordered, at) for at in levels),
        ]
    )
    return lists.systems, parts, values, redrawn


def check_epsilon(epsilon: float) -> float:
    """How near AP may come to 0 and 1; an error where logits would have no room between.

    >>> check_epsilon(0.001)
    0.001
    """
    if not 0 < epsilon < 0.5:
        raise TruegainError(f"{argname('epsilon', epsilon, 'g')} is not between 0 and 0.5; give one such as 0.0001")
    return epsilon


def unseen_share(relevant: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Largest share u of a kind of document that R relevant documents, none of that kind, do not rule out.

    u = 1 - (1 - confidence)^(1/R)

    >>> round(float(unseen_share(np.array(4))), 2)
    0.53
    """
    return np.asarray(1 - (1 - confidence) ** (1 / np.maximum(relevant, 1)))


def limit_at_zero(relevant: npt.NDArray[Any], depth: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Upper limit of AP where nothing relevant was retrieved.

    A share u of the R relevant documents may be found after all, each equally likely at any of n distinct ranks:
    E(AP') = u H(n)/n + (R - 1) u^2 (n - H(n)) / (n (n - 1)), H the harmonic number; a list of one document gives u.

    >>> round(float(limit_at_zero(np.array(4), np.array(1000))), 5)
    0.00477
    """
    u = unseen_share(relevant, confidence)
    n = np.maximum(depth, 1).astype(np.float64)
    harmonic = _harmonic(n)
    others = np.divide(n - harmonic, n * (n - 1), out=np.zeros_like(n), where=n > 1)
    return np.asarray(u * harmonic / n + (np.maximum(relevant, 1) - 1) * u**2 * others)


def limit_at_one(relevant: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Lower limit of AP where all relevant documents stand first: a share u of them may not be found.

    >>> round(float(limit_at_one(np.array(4))), 2)
    0.47
    """
    return 1 - unseen_share(relevant, confidence)


def widened(
    value: Floats, low: Floats, high: Floats, relevant: npt.NDArray[Any], depth: npt.NDArray[Any], confidence: float
) -> tuple[Floats, Floats]:
    """Intervals made at least as wide as those limits where AP lies beyond them."""
    top, bottom = limit_at_zero(relevant, depth, confidence), limit_at_one(relevant, confidence)
    new_high = np.where(value <= top, np.maximum(high, top), high)
    new_low = np.where(value >= bottom, np.minimum(low, bottom), low)
    return np.where(value == 0, 0.0, new_low), np.where(value == 1, 1.0, new_high)


def _harmonic(n: Floats) -> Floats:
    table = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(n.max(initial=1)) + 1))])
    return table[n.astype(np.int64)]


# ---- The paper's own intervals over collections: MAP, L-MAP and G-MAP, by bootstrap and from the parts, and AP by
# topic.
#
# They are short where topics have few relevant documents; `score.py` has what holds there.

MEAN_METHODS = ("linear", "bootstrap", "percentile", "parametric")
LOGISTIC_METHODS = ("bootstrap", "parametric")
GEOMETRIC_METHODS = ("bootstrap",)
BOUNDS = 0.0, 1.0  # of AP


def mean_estimates(spread: CollectionSpread, method: str = "bootstrap", widened_sd: bool = False) -> list[Estimate]:
    """MAP of every system with its interval over collections, the topics held fixed.

    'linear': MAP +- z s, s the standard deviation of MAP over the drawn collections (table 3 of the paper);
    'parametric': MAP +- z s, s^2 = sum of (AP - AP^2)^2 s_t^2 / k^2, s_t the standard deviation of logit(AP) on topic
    t, which its derivative AP - AP^2 carries over to AP (table 4; with `widened_sd` s_t is that of widened intervals);
    'bootstrap': normal on the logit of MAP, with the standard deviation of logit(MAP) over the drawn collections, and
    'percentile': quantiles of MAP; neither is in the paper.

    Cormack and Lynam 2006, section 8.
    """
    if method not in MEAN_METHODS:
        raise TruegainError(
            f"AP has no {method} interval over the collection; choose from t, {', '.join(MEAN_METHODS)}"
        )
    values = _means(spread.ap, spread.counted)
    drawn = spread.means["MAP"]
    se = drawn.std(axis=1, ddof=1)
    if method == "parametric":
        weight = (spread.ap - spread.ap**2) ** 2
        se = np.sqrt(np.nansum(weight * spread.logit_errors(widened_sd) ** 2, axis=1)) / spread.counted
        low, high, _ = linear(values, se, spread.confidence)
    elif method == "linear":
        low, high, _ = linear(values, se, spread.confidence)
    elif method == "percentile":
        tail = (1 - spread.confidence) / 2
        low, high = np.quantile(drawn, [tail, 1 - tail], axis=1)
    else:
        sd_logit = logits(drawn, spread.epsilon).std(axis=1, ddof=1)
        limits = linear(logits(values, spread.epsilon), sd_logit, spread.confidence)
        low, high = inverse_logits(limits.low), inverse_logits(limits.high)
    return _estimates(spread, "AP", values, within(low, high, BOUNDS, value=values), se, method)


def logistic_mean_estimates(
    spread: CollectionSpread, method: str = "bootstrap", small_r: bool = True
) -> list[Estimate]:
    """L-MAP: the mean of logit(AP) over topics, with its interval over collections, L-MAP +- z s.

    L-MAP = (1/k) sum of ln(AP / (1 - AP)), AP kept within epsilon of 0 and 1
    'bootstrap': s is the standard deviation of L-MAP over the drawn collections (table 3 of the paper);
    'parametric': s^2 = sum of s_t^2 / k^2, s_t the standard deviation of logit(AP) on topic t, with `small_r` that of
    the widened intervals (table 4).  Without `small_r` both are the same but for the draws, since the documents of
    different topics are drawn independently.

    Cormack and Lynam 2006, section 8.
    """
    check_one_of("method", method, LOGISTIC_METHODS)
    odds = logits(spread.ap, spread.epsilon)
    values = _means(odds, spread.counted)
    if method == "parametric":
        errors = np.where(np.isnan(odds), np.nan, spread.logit_errors(small_r))
        se = np.sqrt(np.nansum(errors**2, axis=1)) / spread.counted
    else:
        se = spread.means["L-MAP"].std(axis=1, ddof=1)
    low, high, _ = linear(values, se, spread.confidence)
    return _estimates(spread, "L-MAP", values, (low, high), se, method)


def geometric_mean_estimates(spread: CollectionSpread) -> list[Estimate]:
    """G-MAP: the geometric mean of AP over topics, AP at least 0.00001, normal on its logarithm."""
    logs = _means(np.log(np.maximum(spread.ap, FLOOR)), spread.counted)
    values = np.exp(logs)
    se = spread.means["G-MAP"].std(axis=1, ddof=1)
    low, high, _ = linear(logs, se / values, spread.confidence)
    return _estimates(spread, "GMAP", values, within(np.exp(low), np.exp(high), BOUNDS, value=values), se, "bootstrap")


def _means(matrix: Floats, counted: Ints) -> Floats:
    total = np.nansum(matrix, axis=1)
    return np.asarray(np.divide(total, counted, out=np.full(len(total), np.nan), where=np.asarray(counted) > 0))


def _estimates(
    spread: CollectionSpread, measure: str, value: Floats, limits: tuple[Floats, Floats], se: Floats, method: str
) -> list[Estimate]:
    notes = list(few_relevant(spread.relevant, method))
    if none := int((spread.relevant == 0).sum()):
        topics = f"{none} of {len(spread.relevant)} topics"
        notes.append(f"{method}: {topics} have no relevant document; here they do not count as 0.")
    columns = (column.tolist() for column in (value, *limits, se, spread.counted))
    return [
        Estimate(system, measure, v, low, high, spread.confidence, "collection", method, error, n, notes=tuple(notes))
        for system, v, low, high, error, n in zip(spread.systems, *columns, strict=True)
    ]


def paper_topic_estimates(spread: CollectionSpread, method: str = "logit") -> list[Estimate]:
    """AP of every system and topic with its interval over collections, widened where few documents are relevant.

    `method` is linear, logit, percentile or bca.
    """
    if method not in METHODS:
        raise TruegainError(f"AP of a topic has no {method} interval; choose from {', '.join(METHODS)}")
    low, high = within(*spread.interval(method), BOUNDS, value=spread.ap)
    notes, how = few_relevant(spread.relevant, method), f"{method}, small R"
    estimates = []
    for s, t in np.argwhere(~np.isnan(spread.ap)).tolist():
        value, lower, upper, error = (float(x[s, t]) for x in (spread.ap, low, high, spread.sd))
        one = Estimate(spread.systems[s], "AP", value, lower, upper, spread.confidence, "collection", how, error)
        estimates.append(replace(one, n=int(spread.relevant[t]), topic=spread.topics[t], notes=notes))
    return estimates


# ---- Two systems on other collections by meta-analysis: every topic is a test of its own, and topics are weighed.
#
# Cormack and Lynam 2006, section 9. This is the paper's own way; with few relevant documents a topic's variance is
# itself unsure, and weights made of it follow the lucky topics. `compare.py` has the plain mean, which holds there.

SCALES = ("ap", "logit")
STILL = 1e-12  # a topic that moves less does not move


@dataclass(frozen=True, eq=False)
class CollectionDifference:
    """AP of b minus AP of a by topic, with its standard deviation over collections, paired and not.

    Topics without spread (both systems score the same whatever is drawn) are told apart: they weigh infinitely in a
    meta-analysis and are left out of it.
    """

    systems: tuple[str, str]
    topics: tuple[str, ...]
    ap: Floats  # two rows
    difference: Floats
    paired: Floats
    independent: Floats
    relevant: Ints
    scale: str
    replicates: int
    confidence: float
    redrawn: int

    def spread(self, pairing: str) -> Floats:
        """The standard deviation of each topic's difference on the same collections, or on one for each system."""
        return self.paired if pairing == "paired" else self.independent

    def combined(self, method: MetaMethod = "random", pairing: str = "paired") -> Meta:
        """The differences of all topics put together."""
        sd = self.spread(pairing)
        moving = sd > STILL
        if moving.sum() < 2:
            raise TruegainError(
                f"{int(moving.sum())} of {len(moving)} topics vary when documents are resampled; a meta-analysis needs "
                "two or more"
            )
        return combine(self.difference[moving], sd[moving] ** 2, method, self.confidence)

    def one_sided_p(self, pairing: str = "paired") -> float:
        """The paper's p that b is not better: 1 - Phi(sum of d_i / (sqrt(k) s_i)).

        All topics alike, whatever they show: of equal systems with about 3 relevant documents a topic it finds a
        difference far more often than it says (docs/explanation/collections.md).
        """
        sd = self.spread(pairing)
        moving = sd > STILL
        return combined_p(self.difference[moving], sd[moving])

    def comparison(self, method: MetaMethod = "random", pairing: str = "paired") -> Comparison:
        """The answer as a comparison of two systems."""
        meta = self.combined(method, pairing)
        value_a, value_b = (float(v) for v in self.ap.mean(axis=1))
        return Comparison(
            *self.systems, "AP" if self.scale == "ap" else "logit AP", value_a, value_b, meta.value, meta.low,
            meta.high, meta.p, test=f"{MODELS[method]} over topics, {pairing} collections",
            confidence=self.confidence, n=len(self.topics),
            notes=self._notes(meta, method, pairing, value_b - value_a),
        )  # fmt: skip

    def _notes(self, meta: Meta, method: str, pairing: str, plain: float) -> tuple[str, ...]:
        notes = list(few_relevant(self.relevant, method))
        names = f"{self.systems[1]} - {self.systems[0]}"
        if self.scale == "logit":
            notes.append("difference is that of logit(AP), topics weighed by 1/variance; value_a and value_b are MAP.")
        elif abs(meta.value - plain) >= 0.00005:
            notes.append(
                f"{names}: the difference {meta.value:+z.4f} weighs topics by 1/variance; value_b - value_a, with "
                f"equal weights, is {plain:+z.4f}."
            )
        sd = self.spread(pairing)
        if still := int((sd <= STILL).sum()):
            notes.append(
                f"{names}: {still} of {len(sd)} topics do not vary when documents are resampled and are left out."
            )
        if pairing == "paired":
            ratio = float(np.median(self.paired[sd > STILL] / self.independent[sd > STILL]))
            notes.append(
                f"{names}: with the same resampled collections for both systems, the standard deviation of the "
                f"difference is {ratio:.2f} times that with independent collections."
            )
        return tuple(notes)

    def table(self) -> Table:
        """Topic by topic."""
        numbers = (column.tolist() for column in (*self.ap, self.difference, self.paired, self.independent))
        rows = list(zip(self.topics, *numbers, strict=True))
        columns = ("topic", self.systems[0], self.systems[1], "difference", "sd paired", "sd independent")
        provenance = {"replicates": self.replicates, "scale": self.scale, "redrawn": self.redrawn}
        return Table(columns, rows, provenance, "AP by topic, and its standard deviation over collections")


def collection_differences(
    ranked: RankedGains,
    pairs: Sequence[tuple[int, int]],
    *,
    level: float = 1,
    scale: str = "ap",
    replicates: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> list[CollectionDifference]:
    """Draw collections for all systems at once, and take differences of pairs of them."""
    if scale not in SCALES:
        raise TruegainError(f"{argname('scale', scale)} is not known; give 'ap' or 'logit'")
    relevant = ranked.pool_relevant(level)
    scored = np.flatnonzero(relevant).tolist()
    ranked.relevant_entries(level)  # shared by all pieces: made once
    a, b = np.array(pairs, np.int64).T
    results = list((engine or engine_for()).run(
        _topic_differences, scored, shared=(ranked, level, a, b, scale, replicates, seed), progress=progress,
        name=lambda topic: f"topic {ranked.topics[topic]}",
    ))  # fmt: skip
    ap = np.array([r[0] for r in results])  # topics, systems
    moved = np.array([r[1] for r in results]).reshape(len(scored), 3, len(pairs))  # difference, paired, independent
    redrawn = sum(r[2] for r in results)
    differences = []
    for i, (first, second) in enumerate(pairs):
        both = np.flatnonzero(~np.isnan(moved[:, 0, i]))
        names = ranked.systems[first], ranked.systems[second]
        if len(both) < 2:
            raise TruegainError(
                f"{names[0]} and {names[1]} share {len(both)} of the topics with relevant documents; two or more "
                "are needed"
            )
        topics = tuple(ranked.topics[scored[t]] for t in both)
        difference, paired, independent = moved[both, :, i].T
        values = ap[both][:, [first, second]].T
        count = relevant[np.array(scored)[both]]
        differences.append(
            CollectionDifference(
                names, topics, values, difference, paired, independent, count, scale, replicates, confidence, redrawn
            )
        )
    return differences


def combined_comparisons(
    drawn: Sequence[CollectionDifference], method: MetaMethod, pairing: str, adjustment: str
) -> list[Comparison]:
    """Every pair by meta-analysis, its p adjusted for the number of pairs."""
    comparisons = [one.comparison(method, pairing) for one in drawn]
    if len(comparisons) == 1:
        return comparisons
    adjusted = adjust([c.p for c in comparisons if c.p is not None], adjustment).tolist()
    return [replace(c, p_adjusted=p, adjustment=adjustment) for c, p in zip(comparisons, adjusted, strict=True)]


def _topic_differences(
    shared: tuple[RankedGains, float, Ints, Ints, str, int, int], topic: int, _: np.random.SeedSequence
) -> tuple[Floats, Floats, int]:
    """AP of each system, and of each pair the difference and its spread, paired and not; NaN where one is absent."""
    ranked, level, a, b, scale, replicates, seed = shared
    lists = lists_of_topic(ranked, topic, level)
    drawn, redrawn = average_precisions(lists, replicates, seed)
    scores = average_precision(lists)
    values, observed = (drawn, scores) if scale == "ap" else (logits(drawn, EPSILON), logits(scores, EPSILON))
    where = np.full(len(ranked.systems), -1)
    where[lists.systems] = np.arange(len(lists.systems))
    ap = np.full(len(ranked.systems), np.nan)
    ap[lists.systems] = scores
    there = (where[a] >= 0) & (where[b] >= 0)
    moved = np.full((3, len(a)), np.nan)
    for i in np.flatnonzero(there).tolist():
        first, second = where[a[i]], where[b[i]]
        independent = np.sqrt(values[first].var(ddof=1) + values[second].var(ddof=1))
        moved[:, i] = observed[second] - observed[first], (values[second] - values[first]).std(ddof=1), independent
    return ap, moved, redrawn
