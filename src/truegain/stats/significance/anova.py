"""Analysis of variance of systems by topics, and Tukey's test, parametric and randomized."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, permutations, product
from typing import Literal

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, warn
from truegain.io.columns import Floats, Ints
from truegain.message import arg, by_surface
from truegain.parallel.jobs import engine_for
from truegain.sampling import _deals
from truegain.sampling.streams import Keys, stream_keys
from truegain.stats.multiple_testing import Trials, monte_carlo_p
from truegain.stats.significance.pairs import TOLERANCE, USUAL, named
from truegain.stats.student_t import check_confidence, quantile_of, special, studentized_range_isf, studentized_range_sf

# ---- Analysis of variance of a matrix of scores: systems by topics, one score in each cell.


@dataclass(frozen=True, eq=False)
class Anova:
    """Sums of squares, the residual variance, and the test that all systems have the same mean.

    `s_a`, `s_b`, `s_e` are the sums of squares of systems, topics (None in the one-way layout) and residual, `df_*`
    their degrees of freedom, `v_e` the residual variance (V_E2 two-way, V_E1 one-way), `f` and `p` of systems.
    `no_residual` tells that nothing but rounding is left of the residual; F and p then are 0 and 1 if all means are
    equal, and None if they are not.  `topics` is the number of topics, of the system with the fewest where these
    differ, and `own` then has that of each.
    """

    layout: Literal["two-way", "one-way"]
    means: Floats
    topics: int
    s_a: float
    s_b: float | None
    s_e: float
    df_a: int
    df_b: int | None
    df_e: int
    v_e: float
    f: float | None
    f_topic: float | None = None
    no_residual: bool = False
    own: Ints | None = None

    @property
    def sizes(self) -> Ints:
        """The number of topics of each system."""
        return np.full(len(self.means), self.topics) if self.own is None else self.own

    @cached_property
    def p(self) -> float | None:
        """P(F of systems or more), where all have the same mean; made when first used, for scipy is slow to import."""
        if self.f is None:
            return None
        return 1.0 if self.no_residual else float(special().fdtrc(self.df_a, self.df_e, self.f))

    def intervals(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper limits of the system means: these -+ t(1 - alpha/2; df_e) sqrt(v_e / n)."""
        margin = quantile_of(confidence, self.df_e) * np.sqrt(self.v_e / self.sizes)
        return self.means - margin, self.means + margin

    @property
    def effects(self) -> Floats:
        """Differences of all systems over the residual standard deviation: ES_HSD(i, j) = (xj. - xi.) / sqrt(V).

        0 where all means are equal, NaN where there is no residual to divide by.  V is V_E2 in the two-way layout;
        some evaluation campaigns print V_E1's, of the one-way layout, under the same name.

        Sakai 2018, Laboratory Experiments in Information Retrieval, eq. 5.16.
        """
        apart = self.means[None, :] - self.means[:, None]
        if self.no_residual:
            return np.full_like(apart, math.nan if self.f is None else 0.0)
        return np.asarray(apart / math.sqrt(self.v_e))


def two_way(matrix: npt.ArrayLike) -> Anova:
    """Two-way analysis without replication: systems and topics, the topic effect taken out.

    S_A = n sum_i (xi. - x..)^2, S_B = m sum_j (x.j - x..)^2, S_E2 = sum_ij (x_ij - xi. - x.j + x..)^2,
    V_E2 = S_E2 / ((m-1)(n-1)), F = (S_A/(m-1)) / V_E2 with m-1 and (m-1)(n-1) degrees of freedom.

    `matrix` is systems by topics; topics that some system lacks (NaN) are left out of all, with a warning.

    Sakai 2018, Laboratory Experiments in Information Retrieval, section 3.2.

    >>> a = two_way([[0.3, 0.1, 0.55, 0.25], [0.42, 0.15, 0.6, 0.2], [0.51, 0.12, 0.72, 0.41]])
    >>> round(a.v_e, 6), a.df_e, round(a.f or 0, 6), round(a.p or 0, 6)
    (0.003597, 6, 5.728958, 0.040595)
    """
    x = complete(matrix)
    m, n = x.shape
    rows, columns, grand = x.mean(axis=1), x.mean(axis=0), float(x.mean())
    s_a, s_b = n * float(((rows - grand) ** 2).sum()), m * float(((columns - grand) ** 2).sum())
    s_e, df_e = float(((x - rows[:, None] - columns[None, :] + grand) ** 2).sum()), (m - 1) * (n - 1)
    flat = _no_residual(x, s_e)
    f = _f(s_a / (m - 1), s_e / df_e, flat, _equal(rows))
    f_topic = _f(s_b / (n - 1), s_e / df_e, flat, _equal(columns))
    return Anova("two-way", rows, n, s_a, s_b, s_e, m - 1, n - 1, df_e, s_e / df_e, f, f_topic, flat)


def one_way(matrix: npt.ArrayLike) -> Anova:
    """One-way analysis: systems only, as if every system had topics of its own.

    S_A = sum_i n_i (xi. - x..)^2, S_E1 = sum_ij (x_ij - xi.)^2, V_E1 = S_E1 / (N - m), F = (S_A/(m-1)) / V_E1,
    N = sum n_i the scores of all

    With the same topics for all systems this counts the topics' spread as noise: see `two_way`.  A topic that a system
    lacks (NaN) is missing from its own mean only, which is told.

    >>> a = one_way([[0.3, 0.1, 0.55, 0.25], [0.42, 0.15, 0.6, 0.2], [0.51, 0.12, 0.72, 0.41]])
    >>> round(a.v_e, 6), a.df_e
    (0.046808, 9)
    """
    x = _finite(matrix)
    there = ~np.isnan(x)
    if there.all():
        x = complete(x)
    own, m = there.sum(axis=1), len(x)
    uneven = not there.all()
    if uneven:
        _check_own(own, x.shape[1])
    rows, grand = np.where(there, x, 0.0).sum(axis=1) / own, float(x[there].mean())
    s_a = float((own * (rows - grand) ** 2).sum())
    s_e, df_e = float(((x - rows[:, None])[there] ** 2).sum()), int(own.sum()) - m
    flat = _no_residual(x[there], s_e)
    f = _f(s_a / (m - 1), s_e / df_e, flat, _equal(rows))
    sizes = {"own": own} if uneven else {}
    n = int(own.min())
    return Anova("one-way", rows, n, s_a, None, s_e, m - 1, None, df_e, s_e / df_e, f, no_residual=flat, **sizes)


def _check_own(own: Ints, topics: int) -> None:
    """Tell that systems have topics of their own, and refuse one that has too few."""
    if len(own) < 2:
        raise TruegainError(f"a comparison needs at least 2 systems; there is {len(own)}")
    if own.min() < 2:
        raise TruegainError(
            f"a system has {own.min()} of {topics} topics, too few to estimate its variance; have at least 2 of each"
        )
    lacking = int((own < topics).sum())
    warn(
        f"{lacking} of {len(own)} systems have no score for some of {topics} topics: the one-way test uses all that "
        f"each has ({own.min()} to {own.max()}), so that means are over different topics ({arg('all_topics', True)} "
        "counts missing ones as 0; tukey-hsd keeps the topics that all have)"
    )


def complete(matrix: npt.ArrayLike, least: int = 2, *, may_count: bool = True) -> Floats:
    """The matrix without topics that some system lacks; told once, with counts.

    may_count: whether the user can have these count as 0, as of runs, so that this is said.

    >>> complete([[0.1, 0.2], [0.3, 0.4]]).shape
    (2, 2)
    """
    x = _finite(matrix)
    there = ~np.isnan(x).any(axis=0)
    lost = int((~there).sum())
    if lost:
        lacking = int(np.isnan(x).any(axis=1).sum())
        remedy = f" ({arg('all_topics', True)} counts them as 0)" if may_count else ""
        warn(
            f"{lost} of {x.shape[1]} topics are left out of the comparison: {lacking} of {len(x)} systems "
            f"have no score for some of them{remedy}"
        )
        x = x[:, there]
    if x.shape[0] < 2:
        raise TruegainError(f"a comparison needs at least 2 systems; there is {x.shape[0]}")
    if x.shape[1] < least:
        topics = f"{x.shape[1]} {'topic is' if x.shape[1] == 1 else 'topics are'}"
        raise TruegainError(f"{topics} too few to compare systems; have at least {least} that all answer, better 50")
    return x


def _finite(matrix: npt.ArrayLike) -> Floats:
    x: Floats = np.asarray(matrix, dtype=np.float64)
    if x.ndim != 2:
        raise TruegainError(f"scores must be a matrix of systems by topics, not an array of {x.ndim} dimensions")
    if np.isinf(x).any():
        raise TruegainError("there are infinite scores; a test of means needs finite ones")
    return x


def _equal(means: Floats) -> bool:
    return bool(np.ptp(means) <= 1e-12 * np.abs(means).max())


def _no_residual(x: Floats, s_e: float) -> bool:
    """Nothing but rounding is left of the residual."""
    return s_e <= 1e-24 * float((x**2).sum())


def _f(v: float, v_e: float, flat: bool, equal: bool) -> float | None:
    """F; without residual variance it is 0 where all means are equal, and there is none where they are not."""
    if flat:
        return 0.0 if equal else None
    return v / v_e


# ---- Tukey's honestly significant difference: all pairs of systems at once, parametric and randomized.

BLOCK_CELLS = 32_768  # totals held at a time, of the systems in the replicates of a block: 256 kB
MOST_COUNTED = 20_000_000  # matrices that may be enumerated


@dataclass(frozen=True, eq=False)
class Tukey:
    """All pairs of systems: the p-values (a symmetric matrix, 1 on the diagonal) and what they were made from.

    `margin` is half the width of the simultaneous intervals of the differences (a matrix where systems have different
    numbers of topics), None for the randomized test, whose `ranges` are the sorted differences of the best and the
    worst mean over the replicates (None where not kept).
    """

    test: str
    anova: Anova
    p: Floats
    margin: float | Floats | None = None
    trials: int | None = None
    exact: bool = False
    ranges: Floats | None = None


def tukey_hsd(matrix: npt.ArrayLike, *, blocked: bool = True, confidence: float = 0.95) -> Tukey:
    """Tukey's test of all pairs: q_ij = |xi. - xj.| / sqrt(V/n), p_ij = P(Q > q_ij), Q the studentized range.

    `blocked` takes V = V_E2 with (m-1)(n-1) degrees of freedom: every system was tried on the same topics.  Without,
    V = V_E1 with m(n-1), as scipy's tukey_hsd and ranx do: topics count as noise, and most real differences are missed.
    p is right to 1e-9.  The intervals xj. - xi. +- q_crit sqrt(V/n) hold for all pairs at once.

    `matrix` is systems by topics; topics that some system lacks (NaN) are left out of all, with a warning.  Without
    blocks a system keeps all topics that it has: V/n is V (1/n_i + 1/n_j)/2, which is Kramer's way, as scipy's.

    Tukey 1949, Biometrics 5(2); Kramer 1956, Biometrics 12(3); Sakai 2018, Laboratory Experiments in Information
    Retrieval, section 4.4.

    >>> t = tukey_hsd([[0.3, 0.1, 0.55, 0.25], [0.42, 0.15, 0.6, 0.2], [0.51, 0.12, 0.72, 0.41]])
    >>> t.p[0].round(6).tolist()
    [1.0, 0.602295, 0.037651]
    """
    check_confidence(confidence)
    anova = two_way(matrix) if blocked else one_way(matrix)
    name = "tukey-hsd" if blocked else "one-way-tukey-hsd"
    m = len(anova.means)
    if anova.no_residual and anova.f is None:
        raise TruegainError(
            "the systems differ by the same amount on every topic: there is no residual variance to test their "
            f"means against; use the randomized Tukey test ({arg('test', 'randomized-tukey-hsd')}), or "
            f"{by_surface('Study.verdict', '`truegain verdict`')}, which prints the difference without an interval"
        )
    if anova.no_residual:
        return Tukey(name, anova, np.ones((m, m)), 0.0)
    first, second = np.triu_indices(m, 1)
    share = 1 / anova.sizes
    error = np.sqrt(anova.v_e * (share[first] + share[second]) / 2)
    q = np.abs(anova.means[first] - anova.means[second]) / error
    p = square(studentized_range_sf(q, m, anova.df_e), m)
    critical = studentized_range_isf(round(1 - confidence, 12), m, anova.df_e)
    if anova.own is None:
        return Tukey(name, anova, p, critical * math.sqrt(anova.v_e / anova.topics))
    return Tukey(name, anova, p, critical * np.sqrt(anova.v_e * (share[:, None] + share[None, :]) / 2))


def randomized_tukey_hsd(matrix: npt.ArrayLike, how: Trials = USUAL, *, exact: bool | None = None) -> Tukey:
    """Tukey's test without a normal distribution: the scores of each topic are dealt to the systems at random.

    In each replicate every topic's m scores are permuted, and d* is the best minus the worst of the m means.  For all
    pairs alike p_ij = (count + 1)/(trials + 1), the count of replicates with d* >= |xi. - xj.| (tolerance 1e-12), which
    holds the chance of any false difference at alpha; counting='published' is count/trials, as Discpower and MATTERS
    print it.  With 2 systems this is the paired randomization test.  All (m!)^n matrices are counted where they are no
    more than `trials`, or `exact` asks for it.  `how.progress` is told of replicates.

    Carterette 2012, ACM TOIS 30(1); Sakai 2014, PROMISE Winter School.

    >>> t = randomized_tukey_hsd([[0.3, 0.1, 0.55, 0.25], [0.42, 0.15, 0.6, 0.2], [0.51, 0.12, 0.72, 0.41]])
    >>> t.exact, t.p[0].round(6).tolist()
    (True, [1.0, 0.814815, 0.050926])
    """
    x, trials = complete(matrix), how.trials
    m, n = x.shape
    logs = n * math.lgamma(m + 1)
    counted = exact if exact is not None else logs <= math.log(trials) + 1e-9
    if counted and logs - math.lgamma(m + 1) > math.log(MOST_COUNTED):
        raise TruegainError(f"{m} systems and {n} topics have too many permutations to count; leave exact off")
    if counted:
        ranges = np.concatenate(list(_all_ranges(x)))
    else:
        parts = []
        shared = np.ascontiguousarray(x.T), stream_keys(how.seed, "systems", [str(topic) for topic in range(n)])
        for part in engine_for(how.jobs).run(_random_ranges, _blocks(trials, m), shared=shared, name=named):
            parts.append(part)
            how.progress(len(part))
        ranges = np.concatenate(parts)
    ranges.sort()
    means = x.mean(axis=1)
    first, second = np.triu_indices(m, 1)
    apart = np.abs(means[first] - means[second]) - TOLERANCE
    reached = len(ranges) - np.searchsorted(ranges, apart, side="left")
    p = monte_carlo_p(reached, len(ranges), "published" if counted else how.counting)
    total = math.factorial(m) ** n if counted else trials
    return Tukey("randomized-tukey-hsd", two_way(x), square(p, m), None, total, counted, ranges)


def square(upper: Floats, systems: int) -> Floats:
    """A symmetric matrix from its upper half, 1 on the diagonal.

    >>> square(np.array([0.5]), 2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    full = np.ones((systems, systems))
    first, second = np.triu_indices(systems, 1)
    full[first, second] = full[second, first] = upper
    return full


def _blocks(trials: int, systems: int) -> list[tuple[int, int]]:
    """Stretches of replicates; the same whatever the number of workers."""
    size = max(1, BLOCK_CELLS // systems)
    return [(start, min(start + size, trials)) for start in range(0, trials, size)]


def _random_ranges(shared: tuple[Floats, Keys], block: tuple[int, int], _: np.random.SeedSequence) -> Floats:
    """Best minus worst mean of each replicate of a block; what topics and replicates are dealt stands in `_deals.c`.

    The first topic may stay as it is: the range does not ask which system is which.
    """
    scores, keys = shared
    totals = np.empty((block[1] - block[0], scores.shape[1]))
    _deals.dealt(keys, block[0], scores, totals)
    spans: Floats = np.ptp(totals, axis=1) / len(scores)
    return spans


def _all_ranges(x: Floats) -> Iterator[Floats]:
    """Best minus worst mean of every matrix, the first topic held as it is (all of its orders give the same ranges)."""
    m, n = x.shape
    orders = np.array(list(permutations(range(m))))
    choices = product(range(len(orders)), repeat=n - 1)
    dealt = [x[:, topic][orders] for topic in range(1, n)]
    while chunk := list(islice(choices, 65_536)):
        picked = np.array(chunk, dtype=np.int64).reshape(len(chunk), n - 1)
        totals = np.tile(x[:, 0], (len(chunk), 1))
        for topic, scores in enumerate(dealt):
            totals += scores[picked[:, topic]]
        yield np.ptp(totals, axis=1) / n
