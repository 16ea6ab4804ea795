"""Published intervals for corrected precision, by name: Lang-Reiczigel, Fieller, delta, bootstrap."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Bools, Floats
from truegain.judge_error.confusion import Bounded, Rates, added, bounded, clearly_positive, effective_size, worths
from truegain.judge_error.fits import JudgedLists, check_inside, check_says_something, score_range
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import CorrectionOptions
from truegain.judge_error.label_tables import TopicMatrix
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.message import CORRECT, arg, with_marks
from truegain.sampling.streams import bootstrap_weights, generator
from truegain.stats.contrasts import Contrasts
from truegain.stats.results import Estimate
from truegain.stats.student_t import quantile_of, special

# ---- Intervals for a corrected precision: Lang-Reiczigel (guarded or as published), Fieller, delta, bootstrap.

FAR = 4.0  # standard errors beyond the threshold, from where having passed it says nothing
LARGEST_CONDITION = 30.0  # of a draw's matrix; beyond it an error of 1% in C moves the draw by a third
LARGEST_SPOILT = 0.01  # share of bootstrap draws with D* near 0 beyond which there is no answer


def lang_reiczigel(rates: Rates, quantile: float) -> tuple[float, float]:
    """Lang and Reiczigel's interval: Agresti-Coull's added counts on all three rates, and a shift.

    With z the quantile: j' = (n j + z^2/2) / (n + z^2), mR' = (nR mR + 1) / (nR + 2), mN' likewise, G' from these,
    G' + 2 z^2 (G' VR' - (1 - G') VN') -+ z sqrt(Vj' + G'^2 VR' + (1 - G')^2 VN') / D'; cut at 0 and 1.

    Beyond the paper: n, nR and nN are the *effective* sizes m(1 - m)/V that the variances over topics imply (never
    more than the labels there are), and the correlations of the three rates enter.

    Lang and Reiczigel 2014, Preventive Veterinary Medicine 113, 13-22.

    >>> low, high = lang_reiczigel(Rates(60/200, 45/50, 40/50, .3*.7/200, .9*.1/50, .8*.2/50, 200, 50, 50), 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0, 0.2892)
    """
    more = quantile**2
    (j, v_j), (m_r, v_r), (m_n, v_n) = _with_more(rates, more)
    d = m_r + m_n - 1
    g = (j - 1 + m_n) / d
    spread = _combined(g, v_j, v_r, v_n, rates)
    shift = 2 * more * (g * v_r - (1 - g) * v_n)
    half = quantile * math.sqrt(spread) / abs(d)
    return _cut(g + shift - half, g + shift + half)


def guarded(rates: Rates, quantile: float) -> tuple[float, float]:
    """Lang and Reiczigel's interval, widened where the judge only just passed as better than chance.

    An answer is given only if D > threshold * se(D) (`clearly_positive`); a D that passed by luck is too large, and any
    interval that forgets so is too short (coverage 0.7 for D = 0.1).  With T(g) = A - gD, A = j - 1 + mN, and
    W = D - T Cov(T, D)/Var(T), which is independent of T, the condition says on which side of a known bound T(g) lies
    given W; so T(g) is a truncated normal, and g is kept where its tail beyond the observed T is neither below alpha/2
    nor above 1 - alpha/2.  The answer is the smallest interval that holds these g and Lang and Reiczigel's.  Where D
    is far above the threshold this is Lang and Reiczigel's alone, and eq. 7's where there are plenty of labels (see
    `many_labels`).

    Condition on selection: Lee, Sun, Sun and Taylor 2016, Annals of Statistics 44(3).

    >>> low, high = guarded(Rates(60/200, 45/50, 40/50, .3*.7/200, .9*.1/50, .8*.2/50, 200, 50, 50), 1.959964)
    >>> round(low, 3), round(high, 3)
    (0.0, 0.289)
    """
    (d_hat, se_d), least = rates.shrunk_d, rates.threshold
    if d_hat > (least + FAR) * se_d:
        return delta(rates, quantile) if many_labels(rates) else lang_reiczigel(rates, quantile)
    (j, v_j), (m_r, v_r), (m_n, v_n) = _with_more(rates, 2.0)
    d, g = m_r + m_n - 1, np.linspace(0, 1, 1001)
    v_aa, v_ab, v_dd = _of_ratio(rates, v_j, v_r, v_n)
    t, spread = (j - 1 + m_n) - g * d, np.sqrt(np.maximum(v_aa - 2 * g * v_ab + g**2 * v_dd, 1e-300))
    slope = (v_ab - g * v_dd) / spread
    kept = g[_kept(t / spread, slope, d, least * math.sqrt(max(v_dd, 0.0)), quantile)]
    low, high = lang_reiczigel(rates, quantile)
    return (min(low, float(kept[0])), max(high, float(kept[-1]))) if len(kept) else (low, high)


def guarded_difference(change: float, v_change: float, rates: Rates, quantile: float) -> tuple[float, float] | None:
    """Interval of d = change / D, a difference of two bronze means over one judge's D; None where there is no need.

    As `guarded`, with T(d) = change - dD: all d that are not rejected given that D passed as clearly above 0.  Where D
    is far above the threshold nothing is needed beyond the usual interval.  D lies between 0 and 1, so where the bronze
    difference is clearly not 0, d has its sign and is no smaller.

    >>> rates = Rates(.5, .65, .6, 0, .65*.35/50, .6*.4/50, 100, 50, 50)
    >>> low, high = guarded_difference(0.125, 0.01**2, rates, 1.959964)
    >>> round(low, 2), round(high, 2)
    (0.29, 1.0)
    """
    (d_hat, se_d), least = rates.shrunk_d, rates.threshold
    if d_hat > 2 * FAR * se_d:
        return None
    d = np.linspace(-1, 1, 2001)
    t, spread = change - d * d_hat, np.sqrt(v_change + (d * se_d) ** 2)
    kept = _kept(t / spread, -d * se_d**2 / spread, d_hat, least * se_d, quantile)
    half = quantile * math.sqrt(v_change)
    possible = ((d >= change - half) | (change <= half)) & ((d <= change + half) | (change >= -half))
    inside = d[kept & possible]
    return (float(inside[0]), float(inside[-1])) if len(inside) else None


def _kept(x: Floats, slope: Floats, d: float, least: float, quantile: float) -> Bools:
    """Where T, a normal cut off because D passed as above `least`, is not rejected.

    x: T in standard deviations; slope: how much D moves for one of these.
    """
    limit = np.divide(least - (d - slope * x), slope, out=np.full(len(x), -np.inf), where=np.abs(slope) > 1e-12)
    side = np.where(slope >= 0, 1.0, -1.0)
    tail = np.exp(np.minimum(special().log_ndtr(-side * x) - special().log_ndtr(-side * limit), 0.0))
    beyond = float(special().ndtr(-quantile))
    return np.asarray((tail >= beyond) & (tail <= 1 - beyond))


def many_labels(rates: Rates) -> bool:
    """Whether there are so many labels that added counts only cost width, and eq. 7 is as good as any.

    At least 20 (effective) labels of every kind, right and wrong, D ten standard errors above 0, and a value between
    1/4 and 3/4.

    >>> many_labels(Rates(.48, .9, .8, .2496/500, .09/250, .16/250, 500, 250, 250))
    True
    """
    d, se = rates.shrunk_d
    fewest = min(effective_size(m, v, size) * min(m, 1 - m) for m, v, size in rates.each)
    return fewest >= 20 and d > 10 * se and 0.25 < rates.value < 0.75


def fieller(rates: Rates, quantile: float) -> tuple[float, float]:
    """Fieller's interval of the ratio A/D, A = j - 1 + mN: all g with (A - gD)^2 <= z^2 Var(A - gD); cut at 0 and 1.

    Bounded only where D is clearly above 0; refused elsewhere.

    Fieller 1954, Journal of the Royal Statistical Society B 16(2).

    >>> low, high = fieller(Rates(60/200, 45/50, 40/50, .3*.7/200, .9*.1/50, .8*.2/50, 200, 50, 50), 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0, 0.2913)
    """
    v_j, v_r, v_n = (_never_0(*one) for one in rates.each)
    v_aa, v_ab, v_dd = _of_ratio(rates, v_j, v_r, v_n)
    a, d, z2 = rates.j - 1 + rates.m_n, rates.d, quantile**2
    square, line, rest = d**2 - z2 * v_dd, a * d - z2 * v_ab, a**2 - z2 * v_aa
    inside = line**2 - square * rest
    if square <= 0 or inside < 0:
        raise TruegainError(
            f"Fieller's interval has no bounds: informedness {rates.d:z.3f} is not clearly above 0: add gold labels"
        )
    root = math.sqrt(inside)
    return _cut((line - root) / square, (line + root) / square)


def delta(rates: Rates, quantile: float) -> tuple[float, float]:
    """The paper's interval: value -+ z times the standard error of eq. 7 (with correlations where there are any).

    Goldberg et al. 2018, ACM TOIS 36(4).

    >>> low, high = delta(Rates(60/200, 45/50, 40/50, .3*.7/200, .9*.1/50, .8*.2/50, 200, 50, 50), 1.959964)
    >>> round(low, 4), round(high, 4)
    (-0.0213, 0.307)
    """
    half = quantile * delta_se(rates)
    return rates.value - half, rates.value + half


def delta_se(rates: Rates) -> float:
    """Standard error of the corrected value by eq. 7."""
    return math.sqrt(_combined(rates.value, rates.v_j, rates.v_r, rates.v_n, rates)) / abs(rates.d)


@dataclass(frozen=True, eq=False)
class Draws:
    """Bootstrap draws of the corrected value, without those whose D* came near 0, which are counted."""

    values: Floats
    spoilt: int

    @property
    def se(self) -> float:
        """Standard deviation of the draws."""
        return float(self.values.std(ddof=1))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Percentile interval."""
        low, high = np.quantile(self.values, [(1 - confidence) / 2, (1 + confidence) / 2])
        return float(low), float(high)


def parametric_bootstrap(rates: Rates, *, trials: int, seed: int, j_draws: Floats | None = None) -> Draws:
    """Algorithm 1: draw j*, mR*, mN* from binomials (j* may be drawn by resampling topics) and recompute.

    Goldberg et al. 2018, ACM TOIS 36(4), algorithm 1.

    >>> rates = Rates(.626, 43/59, 67/84, .414**2/10278, 0, 0, .626*.374/(.414**2/10278), 59, 84)
    >>> round(parametric_bootstrap(rates, trials=50000, seed=1).se, 2)  # eq. 7, which is linear, says 0.09
    0.1
    """
    rng = generator(seed, "binomials")
    j = rng.binomial(max(1, round(rates.size_j)), rates.j, trials) / max(1, round(rates.size_j))
    if j_draws is not None:
        j = j_draws
    m_r = rng.binomial(round(rates.size_r), rates.m_r, trials) / round(rates.size_r)
    m_n = rng.binomial(round(rates.size_n), rates.m_n, trials) / round(rates.size_n)
    return ratios_of_draws(j - 1 + m_n, m_r + m_n - 1, rates.d)


def bootstrap_over_topics(fit: MatrixFit, *, trials: int, seed: int) -> Draws:
    """Resample topics with replacement, the gold pairs going with their topics, and fit the first system again.

    Draws whose C* is singular or ill-conditioned are set aside and counted; refused where there are too many.
    (The paper says without replacement, which would draw the same sample every time.)

    Goldberg et al. 2018, ACM TOIS 36(4), end of section 4.2.
    """
    rng, n, apart = generator(seed, "topics"), len(fit.topics), int((fit.scored_as < 0).sum())
    copies = rng.multinomial(n, np.full(n, 1 / n), trials)
    others = rng.multinomial(apart, np.full(apart, 1 / apart), trials) if apart else 1.0
    return _inverted_draws(fit.values(copies, others, worst=LARGEST_CONDITION)[:, 0], len(fit.worth))


def bootstrap_over_pairs(lists: JudgedLists, s: int, *, trials: int, seed: int) -> Draws:
    """Resample pairs of topic and document with replacement, and the gold pairs apart from them, and use eq. 25.

    At each rank as many pairs are drawn as there are topics; a document without a label is one of them.  Gold pairs
    keep their weights.  Pairs count as independent, as in the paper, where those of one topic are alike.

    Goldberg et al. 2018, ACM TOIS 36(4), end of section 4.2.
    """
    rng, weights, judge = generator(seed, "pairs"), lists.weights, lists.judges_of(s).single_for("the bootstrap")
    topics, labels = lists.naive.shape[1], len(weights.classes)
    mine = weights.system == s
    code = np.searchsorted(weights.classes, lists.ranked.item_gain[weights.item[mine]])
    ranks = lists.measure.rank_weights(int(lists.ranked.rank.max(initial=1)))
    at_rank, rank = np.unique(weights.counts[mine], return_inverse=True)
    f = np.zeros((trials, labels))
    for i, weight in enumerate(at_rank):
        pairs = topics * int(np.count_nonzero(np.isclose(ranks / ranks[0], weight, rtol=1e-12)))
        shares = np.bincount(code[rank == i], minlength=labels) / pairs
        drawn = rng.multinomial(pairs, np.append(shares, max(0.0, 1 - shares.sum())), trials)
        f += weight / topics * drawn[:, :labels]
    table = drawn_tables(judge.matrix_for(np.ones(topics, np.bool_), binary=False), trials, rng)
    return _inverted_draws((f * worths(table, weights.value, LARGEST_CONDITION)).sum(axis=1), labels)


def drawn_tables(matrix: TopicMatrix, trials: int, rng: np.random.Generator) -> Floats:
    """Counts of gold pairs drawn with replacement, as many as there are: trial x gold label x bronze label."""
    c = matrix.confusion
    labels = len(c.gold)
    many = c.counts.ravel()
    cell, weight = np.arange(labels**2), np.ones(labels**2)
    if matrix.pairs is not None:  # pairs of the same labels and weight are alike
        both = np.stack([matrix.pairs.gold * labels + matrix.pairs.bronze, matrix.pairs.weight])
        kinds, copies = np.unique(both, axis=1, return_counts=True)
        cell, weight, many = kinds[0].astype(np.int64), kinds[1], copies.astype(np.float64)
    to_cells = np.zeros((len(cell), labels**2))
    to_cells[np.arange(len(cell)), cell] = weight
    table = np.empty((trials, labels**2))
    step = max(1, 4_000_000 // len(cell))
    for start in range(0, trials, step):
        part = table[start : start + step]
        part[:] = rng.multinomial(round(many.sum()), many / many.sum(), len(part)) @ to_cells
    return table.reshape(trials, labels, labels)


def _inverted_draws(values: Floats, labels: int) -> Draws:
    """Draws without those whose matrix has no sound inverse; refused where these are too many."""
    sound, trials = ~np.isnan(values), len(values)
    spoilt = trials - int(sound.sum())
    if spoilt > LARGEST_SPOILT * trials:
        other = f"or use {arg('method', 'delta')}" if labels == 2 else "merge labels, or use a binary measure"
        raise TruegainError(
            f"{spoilt} of {trials} bootstrap draws have a confusion matrix that cannot be inverted soundly, so there "
            f"is no result: add gold labels of the rare labels, {other}"
        )
    return Draws(values[sound], spoilt)


def ratios_of_draws(numerator: Floats, d: Floats, d_hat: float) -> Draws:
    """Ratios of draws whose D* is at least a tenth of D; refused where too many are not."""
    sound = d > d_hat / 10
    spoilt = int(len(d) - np.count_nonzero(sound))
    if spoilt > LARGEST_SPOILT * len(d):
        other = arg("method", "fieller", within=", or use {}")
        raise TruegainError(
            f"{spoilt} of {len(d)} bootstrap draws have an informedness near or below 0 (the judge has "
            f"{d_hat:.3f}), so the bootstrap has no result: add gold labels{other}"
        )
    return Draws(numerator[sound] / d[sound], spoilt)


def _with_more(rates: Rates, more: float) -> tuple[tuple[float, float], ...]:
    """Share and variance of j with so many labels added, half of either kind, and of mR and mN with two."""
    return tuple(added(*one, extra) for one, extra in zip(rates.each, (more, 2.0, 2.0), strict=True))


def _of_ratio(rates: Rates, v_j: float, v_r: float, v_n: float) -> tuple[float, float, float]:
    """Variance of A = j - 1 + mN, its covariance with D = mR + mN - 1, and the variance of D."""
    c_jr, c_jn = rates.corr_jr * math.sqrt(v_j * v_r), rates.corr_jn * math.sqrt(v_j * v_n)
    c_rn = rates.corr_rn * math.sqrt(v_r * v_n)
    return v_j + v_n + 2 * c_jn, v_n + c_jr + c_jn + c_rn, v_r + v_n + 2 * c_rn


def _never_0(m: float, v: float, size: float) -> float:
    return v if v > 0 else added(m, v, size, 2.0)[1]


def _combined(g: float, v_j: float, v_r: float, v_n: float, rates: Rates) -> float:
    s_j, s_r, s_n = math.sqrt(v_j), -g * math.sqrt(v_r), (1 - g) * math.sqrt(v_n)
    cross = rates.corr_jr * s_j * s_r + rates.corr_jn * s_j * s_n + rates.corr_rn * s_r * s_n
    return max(s_j**2 + s_r**2 + s_n**2 + 2 * cross, 0.0)


def _cut(low: float, high: float) -> tuple[float, float]:
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))


# ---- The interval around a corrected precision: which one, and what is to be said of it.

NARROWEST = 1e-6


def interval_of(
    rates: Rates,
    df: float,
    options: CorrectionOptions,
    *,
    point: Bounded,
    noted: tuple[str, ...] = (),
    bronze_draws: Floats | None = None,
) -> Estimate:
    """The corrected value with the interval asked for; refused where it would have no width."""
    method, confidence, trials = options.method, options.confidence, options.resamples
    t, name, se = quantile_of(confidence, df), str(method), delta_se(rates)
    notes = list(noted)
    if method == "rectify":
        raise TruegainError(f"rectify needs the labels, not summary figures; use {CORRECT}")
    if method == "bootstrap":
        draws = parametric_bootstrap(rates, trials=trials, seed=options.seed, j_draws=bronze_draws)
        (low, high), se = draws.interval(confidence), draws.se
        if draws.spoilt:
            notes.append(f"{draws.spoilt} of {trials} bootstrap draws had a D* near 0 and were left out")
    elif method == "default":
        (low, high), name = guarded(rates, t), "delta" if many_labels(rates) else "lang-reiczigel, guarded"
        plain = lang_reiczigel(rates, t)
        if high - low > 1.1 * (plain[1] - plain[0]):
            notes.append(
                f"the judge is only just better than chance (informedness {rates.d:z.2f}, se {rates.shrunk_d[1]:.2f}), "
                "which widens the interval; more gold labels would shorten it most"
            )
    else:
        low, high = {"lang-reiczigel": lang_reiczigel, "fieller": fieller, "delta": delta}[method](rates, t)
    low, high = max(0.0, low), min(1.0, high)
    if not high - low > NARROWEST:
        raise TruegainError(
            f"the {name} interval has no width: the corrected value {rates.value:z.3f} lies clearly outside 0 to 1, "
            "so the gold pairs and the bronze labels contradict each other. "
            f"{' '.join(f'{with_marks(n)}.' for n in notes)} Check that both come from the same judge, the same kind "
            "of documents and the same scale",
            remedy="check that both come from the same judge, the same kind of documents and the same scale",
        )
    if point.at != "inside":
        notes.append(f"the plain ratio is {rates.value:z.3f}; the value is the constrained maximum likelihood estimate")
    low, high = min(low, point.value), max(high, point.value)
    return Estimate(
        "", "corrected mean", point.value, low, high, confidence=confidence, method=name, se=se, uncorrected=rates.j,
        notes=tuple(notes),
    )  # fmt: skip


# ---- Published intervals of a system's corrected score, by name: by the judge's rates, or by resampled topics.

NOTHING = 1e-12  # of the highest score: a standard error that is rounding


def check_has_method(lists: JudgedLists, options: CorrectionOptions) -> None:
    """Intervals of the three rates are for binary relevance; resamples for one judge."""
    one = lists.judges.single is not None
    if options.method in ("lang-reiczigel", "fieller") and not (lists.binary and one):
        other = "delta or bootstrap" if one else "delta"
        raise TruegainError(f"{options.method} is for binary relevance and one judge; here use {other}")
    if options.method == "bootstrap" and not one:
        raise TruegainError("bootstrap is for one judge; several judges have delta; use that")


def published_estimate(lists: JudgedLists, s: int, options: CorrectionOptions) -> Estimate:
    """The corrected score of a system with an interval by name, on topics that all systems answer."""
    judges, naive = lists.judges_of(s), float(lists.naive[s].mean())
    base = Estimate(
        lists.ranked.systems[s], str(lists.measure), math.nan, math.nan, math.nan, confidence=options.confidence,
        gold=judges.design, gold_pairs=judges.size, uncorrected=naive, n=lists.naive.shape[1],
    )  # fmt: skip
    if lists.binary and judges.single is not None and not _drawn_together(lists, judges.single, options):
        return _by_rates(base, lists, judges.single, s, options)
    topics = np.ones(lists.naive.shape[1], np.bool_)
    fit, n = lists.fit([s], topics, options.clusters), len(topics)
    by_topic = options.clusters == "topics"
    if by_topic:
        draws = bootstrap_over_topics(fit, trials=options.resamples, seed=options.seed)
    else:
        draws = bootstrap_over_pairs(lists, s, trials=options.resamples, seed=options.seed)
    df = float(fit.over_topics(Contrasts.scores(1), clusters=by_topic).df[0])
    value, se = float(fit.value[0]), draws.se * (math.sqrt(n / (n - 1)) if by_topic else 1)  # resamples vary less
    half, limits = quantile_of(options.confidence, df) * se, score_range(lists, s, topics)
    if not se > NOTHING * limits[1]:
        raise TruegainError("the standard error is 0, which is not credible; use more topics or gold pairs")
    inside, low, high, bounded = check_inside(value, half, limits)
    check_says_something(value, half, limits, fit.matrices[0])
    left_out = f"{draws.spoilt} of {options.resamples} bootstrap draws could not be corrected and were left out"
    notes = ((left_out,) if draws.spoilt else ()) + bounded
    return replace(
        base,
        value=inside,
        low=low,
        high=high,
        se=se,
        method=f"bootstrap over {'topics' if by_topic else 'pairs'}",
        notes=notes,
    )


def _drawn_together(lists: JudgedLists, judge: Judge, options: CorrectionOptions) -> bool:
    """Whether topics are resampled with their gold pairs: bronze mean and rates rest on the same topics, go together.

    Drawn apart, as algorithm 1 does, their standard error is 1.2 to 1.4 times the true one: benchmarks/judge.
    """
    shared = lists.same_topics and not set(judge.binary.topics).isdisjoint(lists.ranked.topics)
    return options.method == "bootstrap" and options.clusters == "topics" and shared


def _by_rates(base: Estimate, lists: JudgedLists, judge: Judge, s: int, options: CorrectionOptions) -> Estimate:
    """Binary relevance: the three rates, on the share of the lists that is judged."""
    f, topics = lists.weights.weight[s], lists.ranked.topics
    n, total, judged = len(f), float(f.sum(axis=1).mean()), max(int(lists.weights.judged[s]), len(f))
    if total == 0:
        raise TruegainError(f"none of its documents that {base.measure} counts is judged", remedy="judge some of them")
    j = float(f[:, 1].mean())
    moves = (f[:, 1] - j - (f.sum(axis=1) - total) * (1 - judge.specificity)) / (n * total)
    v_j = float(moves @ moves) * n / (n - 1)
    moved = dict(zip(topics, moves.tolist(), strict=True)) if lists.same_topics else {}
    shared = np.array([moved.get(t, 0.0) for t in judge.binary.topics]) if judge.binary.topics else None
    rates = judge.rates(j / total, v_j, judged, options.clusters, shared)
    clearly_positive(rates)
    drawn: Floats | None = None
    if options.method == "bootstrap":  # algorithm 1 at P@k: the bronze mean of resampled topics
        weights = bootstrap_weights(n, options.resamples, generator(options.seed, "topics"))
        drawn = weights @ f[:, 1] / (n * total)
    interval = interval_of(
        rates, rates.df(n - 1.0), options, point=bounded(rates.j * judged, judged, *judge.counts),
        noted=judge.impossible(rates.j), bronze_draws=drawn,
    )  # fmt: skip
    assert interval.se is not None
    scale = total * float(lists.weights.value[1])
    return replace(
        base, value=interval.value * scale, low=interval.low * scale, high=interval.high * scale,
        se=interval.se * scale, method=interval.method, notes=interval.notes,
    )  # fmt: skip
