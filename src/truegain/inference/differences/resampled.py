"""Tests of two systems by resampling topics: paired randomisation and Sakai's paired bootstrap, for many pairs at once.

All pairs see the same signs or the same topics in a replicate: one matrix product does the work of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from truegain.engine import engine_for
from truegain.inference.differences.rows import refuse_flat
from truegain.inference.monte_carlo import ENOUGH, Trials, monte_carlo_p, nothing, sequential_p
from truegain.sampling.exact import ExactRows
from truegain.sampling.streams import generator
from truegain.tables.columns import Floats, Ints

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


def randomisation_p(z: Floats, how: Trials = USUAL) -> Floats:
    """Fisher's paired randomisation test for rows of differences z, pairs by topics, none missing: p-values.

    p = (count + 1)/(trials + 1), the count of replicates with |mean(s z)| >= |mean(z)| over random signs s (tolerance
    1e-12), or count/trials with counting='published'; all 2^n signs are counted where that is no more than `most`.

    Pairs that few of the `trials` have reached go on up to `most`, as in `sequential_p`; not where p is 'published'.

    Fisher 1935, The Design of Experiments; Smucker, Allan and Carterette 2007, CIKM.

    >>> randomisation_p(np.array([[0.12, 0.05, 0.05, -0.05], [0.21, 0.02, 0.17, 0.16]])).tolist()
    [0.5, 0.125]
    """
    n = z.shape[1]
    far = np.abs(z.sum(axis=1)) - n * TOLERANCE
    starts = range(0, len(z), STRETCH)  # the same signs for every stretch of pairs
    stretches = [PairStretch(at, z[at : at + STRETCH], far[at : at + STRETCH]) for at in starts]
    found: Iterable[Floats]
    if is_exact(n, how.last):
        found = (_told(_exact_p(rows, bars), how) for _, rows, bars in stretches)
    elif len(stretches) >= MANY and n * how.last * STRETCH <= LONGEST:
        alone = replace(how, jobs=1, progress=nothing)
        done = engine_for(how.jobs).run(_stretch_p, stretches, shared=alone, name=PairStretch.name)
        found = (_told(p, how) for p in done)
    else:
        found = (_counted_p(_count_signs, rows, bars, how) for _, rows, bars in stretches)
    return np.concatenate([np.ones(0), *found])


def _told(p: Floats, how: Trials) -> Floats:
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


def _stretch_p(alone: Trials, stretch: PairStretch, _: np.random.SeedSequence) -> Floats:
    """P-values of a stretch, all its replicates in one piece of work: many short ones would wait for one another."""
    return _counted_p(_count_signs, stretch.rows, stretch.bars, alone)


def bootstrap_p(z: Floats, how: Trials = USUAL) -> Bootstrapped:
    """Sakai's paired bootstrap for rows of differences z, pairs by topics, none missing.

    t = mean(z)/(sd(z)/sqrt n); topics of w = z - mean(z) are drawn with replacement, t*_b is their t, infinite where
    one topic was drawn n times; p = (count + 1)/(trials + 1), the count of |t*_b| >= |t|, or count/trials with
    counting='published', as Sakai has it.
    Pairs that few of the `trials` have reached go on up to `most`, as in `sequential_p`; not where p is 'published'.
    The quantile of |t*| is of the first `trials`.

    Sakai 2006, SIGIR; Efron and Tibshirani 1993, section 16.4.

    >>> found = bootstrap_p(np.array([[0.0, 0.0, 0.0], [0.1, 0.2, -0.1]]), Trials(trials=100))
    >>> float(found.p[0])
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
