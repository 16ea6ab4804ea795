"""Tukey's honestly significant difference: all pairs of systems at once, parametric and randomised."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, permutations, product

import numpy as np
import numpy.typing as npt

from truegain.engine import engine_for
from truegain.errors import TruegainError
from truegain.inference.differences.anova import Anova, complete, one_way, two_way
from truegain.inference.differences.resampled import TOLERANCE, USUAL, named
from truegain.inference.monte_carlo import Trials, monte_carlo_p
from truegain.sampling import _deals
from truegain.sampling.streams import Keys, stream_keys
from truegain.student import check_confidence
from truegain.studentized import studentized_range_isf, studentized_range_sf
from truegain.tables.columns import Floats

BLOCK_CELLS = 32_768  # totals held at a time, of the systems in the replicates of a block: 256 kB
MOST_COUNTED = 20_000_000  # matrices that may be enumerated


@dataclass(frozen=True, eq=False)
class Tukey:
    """All pairs of systems: the p-values (a symmetric matrix, 1 on the diagonal) and what they were made from.

    `margin` is half the width of the simultaneous intervals of the differences (a matrix where systems have different
    numbers of topics), None for the randomised test, whose `ranges` are the sorted differences of the best and the
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
    """Tukey's test of all pairs: q_ij = |xi. - xj.| / sqrt(V/n), p_ij = P(Q > q_ij), Q the studentised range.

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
    found = two_way(matrix) if blocked else one_way(matrix)
    name = "tukey-hsd" if blocked else "one-way-tukey-hsd"
    m = len(found.means)
    if found.no_residual and found.f is None:
        raise TruegainError(
            "the systems differ by the same amount on every topic: there is no residual variance to test their means "
            "against; use the randomised Tukey test"
        )
    if found.no_residual:
        return Tukey(name, found, np.ones((m, m)), 0.0)
    first, second = np.triu_indices(m, 1)
    share = 1 / found.sizes
    error = np.sqrt(found.v_e * (share[first] + share[second]) / 2)
    q = np.abs(found.means[first] - found.means[second]) / error
    p = square(studentized_range_sf(q, m, found.df_e), m)
    critical = studentized_range_isf(round(1 - confidence, 12), m, found.df_e)
    if found.own is None:
        return Tukey(name, found, p, critical * math.sqrt(found.v_e / found.topics))
    return Tukey(name, found, p, critical * np.sqrt(found.v_e * (share[:, None] + share[None, :]) / 2))


def randomised_tukey_hsd(matrix: npt.ArrayLike, how: Trials = USUAL, *, exact: bool | None = None) -> Tukey:
    """Tukey's test without a normal distribution: the scores of each topic are dealt to the systems at random.

    In each replicate every topic's m scores are permuted, and d* is the best minus the worst of the m means.  For all
    pairs alike p_ij = (count + 1)/(trials + 1), the count of replicates with d* >= |xi. - xj.| (tolerance 1e-12), which
    holds the chance of any false difference at alpha; counting='published' is count/trials, as Discpower and MATTERS
    print it.  With 2 systems this is the paired randomisation test.  All (m!)^n matrices are counted where they are no
    more than `trials`, or `exact` asks for it.  `how.progress` is told of replicates.

    Carterette 2012, ACM TOIS 30(1); Sakai 2014, PROMISE Winter School.

    >>> t = randomised_tukey_hsd([[0.3, 0.1, 0.55, 0.25], [0.42, 0.15, 0.6, 0.2], [0.51, 0.12, 0.72, 0.41]])
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
    return Tukey("randomised-tukey-hsd", two_way(x), square(p, m), None, total, counted, ranges)


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
