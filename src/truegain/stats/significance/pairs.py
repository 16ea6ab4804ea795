"""Tests of many pairs of systems at once: paired t, sign, Wilcoxon; randomization and bootstrap over topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.io.columns import Bools, Floats, Ints
from truegain.parallel.jobs import engine_for
from truegain.sampling.streams import ExactRows, generator
from truegain.stats.multiple_testing import ENOUGH, Trials, monte_carlo_p, nothing, sequential_p
from truegain.stats.student_t import p_values_of, quantiles_of, special

# ---- Tests of many pairs at once that need no resampling: rows are pairs, columns topics, nothing missing.

SMALLEST_SPREAD = 1e-12  # of the largest value: anything below is rounding
MOST_EXACT = 50  # differences up to which Wilcoxon's test counts all signs


class RowResults(NamedTuple):
    """P-values of pairs, and limits of their differences where the test has an interval."""

    p: Floats
    low: Floats | None = None
    high: Floats | None = None


def paired_t_rows(first: Floats, second: Floats, confidence: float = 0.95) -> RowResults:
    """Student's paired t test of each row: t = mean(z) / (sd(z)/sqrt n), n - 1 degrees of freedom, z = second - first.

    All differences 0: p = 1.  All equal but not 0: there is no t, and the test is refused.

    Student 1908, Biometrika 6(1).

    >>> paired_t_rows(np.zeros((2, 3)), np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])).p.round(4).tolist()
    [0.0742, 1.0]
    """
    z = second - first
    n, mean, spread = z.shape[1], z.mean(axis=1), z.std(axis=1, ddof=1)
    refuse_flat(z, spread)
    error = spread / math.sqrt(n)
    return _student(mean, error, np.full(len(z), n - 1.0), np.asarray(~z.any(axis=1)), confidence)


def welch_rows(first: Floats, second: Floats, confidence: float = 0.95) -> RowResults:
    """Welch's t test of each row, as if the two samples were independent, with their own variances.

    t = (mean2 - mean1)/sqrt(v1 + v2), v = s^2/n; degrees of freedom (v1 + v2)^2 (n - 1)/(v1^2 + v2^2).  On the same
    topics the paired tests see more.

    Welch 1947, Biometrika 34(1-2).

    >>> welch_rows(np.array([[0.1, 0.2, 0.3, 0.4]]), np.array([[0.3, 0.4, 0.5, 0.7]])).p.round(4).tolist()
    [0.0837]
    """
    n = first.shape[1]
    mean = second.mean(axis=1) - first.mean(axis=1)
    va, vb = (x.var(axis=1, ddof=1) / n for x in (first, second))
    largest = np.maximum(np.abs(first).max(axis=1), np.abs(second).max(axis=1))
    flat = np.sqrt(va + vb) <= SMALLEST_SPREAD * largest
    if (flat & (np.abs(mean) > SMALLEST_SPREAD * largest)).any():
        raise TruegainError(
            "the scores within each sample are all equal: Welch's t is undefined; compare the means directly"
        )
    squares = np.where(flat, 1.0, va**2 + vb**2)
    df = np.where(flat, 1.0, (va + vb) ** 2 * (n - 1) / squares)
    return _student(np.where(flat, 0.0, mean), np.sqrt(va + vb), df, flat, confidence)


def sign_rows(first: Floats, second: Floats) -> RowResults:
    """The sign test of each row: how many topics go up, against a fair coin; topics without a difference are dropped.

    p = min(1, 2 P(X <= min(up, down))), X ~ Binomial(up + down, 1/2).

    Arbuthnott 1710; Conover 1999, Practical Nonparametric Statistics, section 3.4.

    >>> sign_rows(np.zeros((1, 5)), np.array([[0.1, 0.2, 0.3, 0.0, 0.5]])).p.tolist()
    [0.125]
    """
    up, down = (second > first).sum(axis=1), (second < first).sum(axis=1)
    below = special().bdtr(np.minimum(up, down).astype(float), up + down, 0.5)
    return RowResults(np.where(up + down == 0, 1.0, np.minimum(1.0, 2 * below)))


def wilcoxon_rows(first: Floats, second: Floats) -> RowResults:
    """Wilcoxon's signed-rank test of each row; differences of 0 are dropped, equal ones get the mean of their ranks.

    Up to 50 differences: the share of all 2^n signs whose smaller rank sum is no greater, p = min(1, 2 P(W+ <= w)),
    ties included.  Beyond: normal, with mean n(n+1)/4 and variance n(n+1)(2n+1)/24 - sum(t^3 - t)/48 over ties of t
    values.  R, and scipy beyond 13 topics, take the normal p wherever there are ties or zeros.  Equal means equal to
    the last bit, as there.

    Wilcoxon 1945, Biometrics Bull. 1(6).

    >>> z = np.array([[0.1, -0.02, 0.05, 0.05, 0, 0.12, -0.04, 0.07, 0.03, 0.09]])
    >>> wilcoxon_rows(np.zeros((1, 10)), z).p.round(6).tolist()
    [0.023438]
    """
    z = second - first
    ranks, sizes = _ranks(np.abs(z))
    signs = np.sign(np.take_along_axis(z, np.argsort(np.abs(z), axis=1, kind="stable"), axis=1))
    w = np.minimum((ranks * (signs > 0)).sum(axis=1), (ranks * (signs < 0)).sum(axis=1))
    used = (ranks > 0).sum(axis=1)
    p: Floats = np.ones(len(z))
    small = used <= MOST_EXACT
    if small.any():
        p[small] = _exact(w[small], ranks[small])
    many = used > MOST_EXACT
    n = used[many].astype(np.float64)
    ties = ((sizes[many] ** 2 - 1.0) * (ranks[many] > 0)).sum(axis=1)
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    away = (w[many] - n * (n + 1) / 4) / np.sqrt(variance)
    p[many] = p_values_of(away)
    return RowResults(p)


def refuse_flat(z: Floats, spread: Floats) -> None:
    """Refuse differences that are all equal but not 0: they have no spread to divide by."""
    flat = flat_rows(z, spread)
    if flat.any():
        at = z[int(np.argmax(flat))]
        raise TruegainError(
            f"all {len(at)} differences are {at[0]:.6g}: the t statistic divides by their spread, which is 0; "
            "use the randomization or the sign test"
        )


def flat_rows(z: Floats, spread: Floats) -> Bools:
    """Which differences are all equal but for rounding, and not 0."""
    largest = np.abs(z).max(axis=1)
    return np.asarray((largest > 0) & (spread <= SMALLEST_SPREAD * largest))


def _student(mean: Floats, error: Floats, df: Floats, equal: Bools, confidence: float) -> RowResults:
    """P-values and limits by Student's t; 1 and no width where nothing differs."""
    t = mean / np.where(equal, 1.0, error)
    margin = np.where(equal, 0.0, quantiles_of(confidence, df) * error)
    p = np.where(equal, 1.0, p_values_of(t, df))
    return RowResults(p, mean - margin, mean + margin)


def _ranks(values: Floats) -> tuple[Floats, Ints]:
    """Ranks of each row's values, ascending, equal ones sharing their mean, 0 for values of 0; and sizes of ties."""
    ordered = np.sort(values, axis=1)
    n = values.shape[1]
    place = np.broadcast_to(np.arange(n), ordered.shape)
    new = np.ones(ordered.shape, np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    begin = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    ends = np.ones_like(new)
    ends[:, :-1] = new[:, 1:]
    end = np.minimum.accumulate(np.where(ends, place, n)[:, ::-1], axis=1)[:, ::-1]
    zeros = (ordered == 0).sum(axis=1, keepdims=True)
    ranks = np.where(ordered == 0, 0.0, (begin + end) / 2 + 1 - zeros)
    return ranks, np.asarray(end - begin + 1, np.int64)


def _exact(w: Floats, ranks: Floats) -> Floats:
    """Two-sided p over all signs, a table for each set of ranks that occurs."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    plain = (doubled == 2 * np.arange(1, ranks.shape[1] + 1)).all(axis=1)  # no ties, no zeros: one set for most rows
    p: Floats = np.ones(len(w))
    rank_sets, which = np.unique(doubled[~plain], axis=0, return_inverse=True)
    groups = [(row, np.flatnonzero(~plain)[which.ravel() == i]) for i, row in enumerate(rank_sets)]
    if plain.any():
        groups.append((doubled[int(np.argmax(plain))], np.flatnonzero(plain)))
    for row, here in groups:
        below = sums_of_ranks(tuple(row[row > 0].tolist()))
        p[here] = np.minimum(1.0, 2 * below[np.rint(2 * w[here]).astype(np.int64)])
    return p


@lru_cache(maxsize=256)
def sums_of_ranks(doubled: tuple[int, ...]) -> Floats:
    """Share of all 2^n signs whose rank sum is at most 0, 1, 2, ... halves, rank by rank; no rounding up to n = 50."""
    share = np.zeros(sum(doubled) + 1)
    share[0] = 1.0
    for rank in doubled:
        share /= 2
        share[rank:] += share[:-rank].copy()
    return np.asarray(np.cumsum(share), np.float64)


# ---- Tests of two systems by resampling topics: paired randomization and Sakai's paired bootstrap, for many pairs
# at once.
#
# All pairs see the same signs or the same topics in a replicate: one matrix product does the work of all of them.

TOLERANCE = 1e-12  # means are summed in another order: equal ones may differ in the last bits
CELLS = 2_000_000  # replicates times pairs held at a time
BLOCK = 500  # replicates that share a seed; the answer depends on it, not on the number of workers
USUAL = Trials()
STRETCH = 1000  # pairs whose signs are counted together
MANY = 8  # stretches from which on each is one piece of work; fewer would leave workers idle
LONGEST = 20_000_000_000  # signs of a stretch that one piece of work counts, some seconds; blocks of replicates beyond
DRAWN = 10_000_000  # signs drawn at a time
COPIED = 1_000_000  # topics drawn at a time, which take 24 bytes each in every worker
PIECE = 1 << 16  # signs drawn at a time where they are more


class Bootstrapped(NamedTuple):
    """For each pair: t, p, the quantile of |t*|, and the |mean| of the replicate that has it (Sakai's delta)."""

    t: Floats
    p: Floats
    critical: Floats
    delta: Floats


def randomization_p(z: Floats, how: Trials = USUAL) -> Floats:
    """Fisher's paired randomization test for rows of differences z, pairs by topics, none missing: p-values.

    p = (count + 1)/(trials + 1), the count of replicates with |mean(s z)| >= |mean(z)| over random signs s (tolerance
    1e-12), or count/trials with counting='published'; all 2^n signs are counted where that is no more than `most`.

    Pairs that few of the `trials` have reached go on up to `most`, as in `sequential_p`; not where p is 'published'.

    Fisher 1935, The Design of Experiments; Smucker, Allan and Carterette 2007, CIKM.

    >>> randomization_p(np.array([[0.12, 0.05, 0.05, -0.05], [0.21, 0.02, 0.17, 0.16]])).tolist()
    [0.5, 0.125]
    """
    n = z.shape[1]
    far = np.abs(z.sum(axis=1)) - n * TOLERANCE
    starts = range(0, len(z), STRETCH)  # the same signs for every stretch of pairs
    stretches = [PairStretch(at, z[at : at + STRETCH], far[at : at + STRETCH]) for at in starts]
    p_values: Iterable[Floats]
    if is_exact(n, how.last):
        p_values = (_settled(_exact_p(rows, bars), how) for _, rows, bars in stretches)
    elif len(stretches) >= MANY and n * how.last * STRETCH <= LONGEST:
        in_worker = replace(how, jobs=1, progress=nothing)
        done = engine_for(how.jobs).run(_stretch_p, stretches, shared=in_worker, name=PairStretch.name)
        p_values = (_settled(p, how) for p in done)
    else:
        p_values = (_counted_p(_count_signs, rows, bars, how) for _, rows, bars in stretches)
    return np.concatenate([np.ones(0), *p_values])


def _settled(p: Floats, how: Trials) -> Floats:
    """P-values of pairs, once it is told that they are settled."""
    how.progress(len(p))
    return p


class PairStretch(NamedTuple):
    """Pairs whose signs are counted together: the number of the first, their differences, and what is far for each."""

    first: int
    rows: Floats
    bars: Floats

    def name(self) -> str:
        """These pairs, in words."""
        return f"pairs {self.first + 1} to {self.first + len(self.rows)}"


def _stretch_p(in_worker: Trials, stretch: PairStretch, _: np.random.SeedSequence) -> Floats:
    """P-values of a stretch, all its replicates in one piece of work: many short ones would wait for one another."""
    return _counted_p(_count_signs, stretch.rows, stretch.bars, in_worker)


def bootstrap_p(z: Floats, how: Trials = USUAL) -> Bootstrapped:
    """Sakai's paired bootstrap for rows of differences z, pairs by topics, none missing.

    t = mean(z)/(sd(z)/sqrt n); topics of w = z - mean(z) are drawn with replacement, t*_b is their t, infinite where
    one topic was drawn n times; p = (count + 1)/(trials + 1), the count of |t*_b| >= |t|, or count/trials with
    counting='published', as Sakai has it.
    Pairs that few of the `trials` have reached go on up to `most`, as in `sequential_p`; not where p is 'published'.
    The quantile of |t*| is of the first `trials`.

    Sakai 2006, SIGIR; Efron and Tibshirani 1993, section 16.4.

    >>> resampled = bootstrap_p(np.array([[0.0, 0.0, 0.0], [0.1, 0.2, -0.1]]), Trials(trials=100))
    >>> float(resampled.p[0])
    1.0
    """
    trials = how.trials
    places = np.flatnonzero(z.any(axis=1))
    t, p, critical, delta = np.zeros(len(z)), np.ones(len(z)), np.zeros(len(z)), np.zeros(len(z))
    t[places] = _t(z[places])
    how.progress(len(z) - len(places))
    step = max(1, CELLS // trials)
    nth = math.ceil(round(trials * (1 - how.confidence), 9))
    for start in range(0, len(places), step):
        here = places[start : start + step]
        w = z[here] - z[here].mean(axis=1, keepdims=True)
        bars = np.abs(t[here]) * (1 - TOLERANCE)
        shared = _squared_too(w), how.seed
        pieces = list(engine_for(how.jobs).run(_bootstrap_t, _blocks(0, trials), shared=shared, name=named))
        stars, means = np.concatenate([s for s, _ in pieces]), np.concatenate([m for _, m in pieces])
        reached = (stars >= bars).sum(axis=0)
        p[here] = monte_carlo_p(reached, trials, how.counting)
        further = np.flatnonzero(reached < ENOUGH) if how.last > trials else np.zeros(0, np.int64)
        if len(further):
            p[here[further]] = _counted_p(_count_stars, w[further], bars[further], how)
        critical[here] = np.partition(np.ascontiguousarray(stars.T), trials - nth, axis=1)[:, trials - nth]
        holder = (stars == critical[here]).argmax(axis=0)  # of equals the first: which one a partition has is chance
        delta[here] = np.take_along_axis(means, holder[None, :], axis=0)[0]
        how.progress(len(here) - len(further))
    return Bootstrapped(t, p, critical, delta)


def is_exact(n: int, trials: int) -> bool:
    """Whether all signs of n topics are counted rather than drawn."""
    return int(2**n) <= trials


def _t(z: Floats) -> Floats:
    """The t statistic of rows of differences; refused where one has no spread."""
    spread = z.std(axis=1, ddof=1)
    refuse_flat(z, spread)
    return np.asarray(z.mean(axis=1) / (spread / math.sqrt(z.shape[1])))


Shared = tuple[Floats, Floats, int]


def _counted_p(
    work: Callable[[Shared, tuple[int, int], np.random.SeedSequence], Ints], rows: Floats, bars: Floats, how: Trials
) -> Floats:
    """P-values of a stretch of pairs, whose counts go on where they are few.

    `how.progress` is told of pairs when they are settled, and of 0 after each block of replicates, as a sign of life.
    """

    def alive(_: int) -> None:
        how.progress(0)

    def count(which: Ints, first: int, last: int) -> Ints:
        shared = rows[which], bars[which], how.seed
        done = engine_for(how.jobs).run(work, _blocks(first, last), shared=shared, name=named, progress=alive)
        return np.asarray(sum(done))

    if how.counting != "published":
        return sequential_p(count, len(rows), how.trials, how.last, how.progress)
    p = monte_carlo_p(count(np.arange(len(rows)), 0, how.trials), how.trials, how.counting)
    how.progress(len(rows))
    return p


def _blocks(first: int, last: int) -> list[tuple[int, int]]:
    """The replicates from first to last, cut where a new stream begins."""
    cuts = [first, *range((first // BLOCK + 1) * BLOCK, last, BLOCK), last]
    return list(pairwise(cuts))


def named(block: tuple[int, int]) -> str:
    """A block of replicates, in words."""
    return f"replicates {block[0] + 1} to {block[1]}"


def _drawn(seed: int, block: tuple[int, int], n: int, below: int, kind: type[Any]) -> npt.NDArray[Any]:
    """Whole numbers below a bound for each replicate of a block and each topic.

    The b-th BLOCK replicates have a stream of their own, wherever the block is cut.
    """
    number = block[0] // BLOCK
    begin = number * BLOCK
    rng = generator(seed, "topics", number)
    return rng.integers(0, below, size=(block[1] - begin, n), dtype=kind)[block[0] - begin :]


def _exact_p(z: Floats, far: Floats) -> Floats:
    """The share of all 2^n signs with |sum of s z| >= far, for each row, from the sums of two halves of the topics.

    By symmetry the first sign stays.  With the sums of one half sorted, those that reach far with a sum of the other
    half are found by bisection: n 2^(n/2) steps for a pair instead of 2^n (Horowitz and Sahni 1974, J. ACM 21).

    >>> _exact_p(np.array([[0.21, 0.02, 0.17, 0.16]]), np.array([0.56 - 4e-12])).tolist()
    [0.125]
    """
    n = z.shape[1]
    cut = n // 2 + 1
    first, second = _all_signs(cut - 1), _all_signs(n - cut)
    total = 2 ** (n - 1)
    p = np.ones(len(z))
    for i, (row, bar) in enumerate(zip(z, far, strict=True)):
        some, others = row[0] + first @ row[1:cut], np.sort(second @ row[cut:])
        above = len(others) - np.searchsorted(others, bar - some, side="left")
        below = np.searchsorted(others, -bar - some, side="right")
        p[i] = min(int(above.sum() + below.sum()), total) / total  # a bar below 0 counts sums twice
    return p


def _all_signs(n: int) -> Floats:
    """All 2^n signs of n topics."""
    bits = np.arange(2**n)[:, None] >> np.arange(n)[None, :]
    return np.asarray(1.0 - 2.0 * (bits & 1), dtype=np.float64)


def _count_signs(shared: Shared, block: tuple[int, int], _: np.random.SeedSequence) -> Ints:
    z, far, seed = shared
    if (block[1] - block[0]) * z.shape[1] > DRAWN:
        sums = _signed_sums(z, seed, block)
    else:
        sums = (1.0 - 2.0 * _drawn(seed, block, z.shape[1], 2, np.int8)) @ z.T
    return np.asarray((np.abs(sums, out=sums) >= far).sum(axis=0), np.int64)


def _signed_sums(z: Floats, seed: int, block: tuple[int, int]) -> Floats:
    """Sums of z with the signs of each replicate of a block, of so many topics that not all signs are held at once.

    The signs are those of `_drawn`, in its order: each is the highest bit of a byte, and four bytes are drawn at a
    time, so pieces are multiples of four.  Sum of s z = sum of z - 2 (sum of z where the sign is turned).
    """
    number, n = block[0] // BLOCK, z.shape[1]
    rng = generator(seed, "topics", number)
    turned, end = np.zeros((block[1] - number * BLOCK, len(z))), (block[1] - number * BLOCK) * n
    for begin in range(0, end, PIECE):
        fours = rng.integers(0, 1 << 32, size=-(-min(PIECE, end - begin) // 4), dtype=np.uint32)
        signs = (fours.astype("<u4", copy=False).view(np.uint8) >> 7)[: end - begin].astype(np.float64)
        at = 0
        while at < len(signs):
            row, column = divmod(begin + at, n)
            length = min(len(signs) - at, n - column)
            turned[row] += z[:, column : column + length] @ signs[at : at + length]
            at += length
    return np.asarray(z.sum(axis=1) - 2 * turned[block[0] - number * BLOCK :])


def _count_stars(shared: Shared, block: tuple[int, int], own: np.random.SeedSequence) -> Ints:
    w, bars, seed = shared
    return np.asarray((_bootstrap_t((_squared_too(w), seed), block, own)[0] >= bars).sum(axis=0), np.int64)


def _squared_too(w: Floats) -> ExactRows:
    """Differences and, below, their squares, for sums of as many as there are topics."""
    return ExactRows.of(np.concatenate([w, w**2]), w.shape[1])


def _bootstrap_t(
    shared: tuple[ExactRows, int], block: tuple[int, int], _: np.random.SeedSequence
) -> tuple[Floats, Floats]:
    """|t*| and |mean*| of each replicate and pair, whose differences and, below, their squares are given."""
    values, seed = shared
    n, number = values.columns, block[0] // BLOCK
    rng, step = generator(seed, "topics", number), max(1, COPIED // n)
    pieces = []
    for first in range(number * BLOCK, block[1], step):
        last = min(first + step, block[1])
        drawn = rng.integers(0, n, size=(last - first, n), dtype=np.int64)[max(0, block[0] - first) :]
        if len(drawn):
            pieces.append(_stars(drawn, values))
    return np.concatenate([stars for stars, _ in pieces]), np.concatenate([means for _, means in pieces])


def _stars(drawn: Ints, values: ExactRows) -> tuple[Floats, Floats]:
    """|t*| and |mean*| of the replicates whose topics were drawn, each with so many numbers as there are topics.

    Sums are exact and what follows is rounded as IEEE 754 says, so that no processor has other bits.
    """
    size, n = drawn.shape
    drawn += n * np.arange(size)[:, None]
    copies = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
    means = values.sums(copies)
    means /= n
    mean, square = np.hsplit(means, 2)
    variance = square - mean**2
    flat_ones = variance <= TOLERANCE * square
    np.abs(mean, out=mean)
    flat = bool(flat_ones.any())
    if flat:
        variance[flat_ones] = 1.0
    variance /= n - 1
    stars = mean / np.sqrt(variance, out=variance)
    if flat:
        stars[flat_ones] = np.where(square[flat_ones] > 0, np.inf, 0.0)
    return stars, mean
