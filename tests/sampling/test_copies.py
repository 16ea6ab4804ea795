"""Drawn collections: the fast way against plain replication, exact moments and independence."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from truegain.measures.ap import AP
from truegain.sampling.documents import (
    TopicLists,
    average_precisions,
    lists_of_topic,
    paired_average_precisions,
    replicate,
)
from truegain.sampling.poisson import LARGEST_MEAN, poisson_tables
from truegain.tables.align import align
from truegain.tables.columns import Floats
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains
from truegain.tables.runs import Runs

SEED = np.random.SeedSequence(7)


def aligned(run: str, missed: int = 1) -> RankedGains:
    """A list such as '1001' of relevant and other documents, and so many relevant ones that were not retrieved."""
    docs = {f"d{i}": float(len(run) - i) for i in range(len(run))}
    labels = {f"d{i}": int(c) for i, c in enumerate(run) if c != "x"} | {f"m{i}": 1 for i in range(missed)}
    pool = Pool.of(Judgments.of({"1": labels}))
    ranked, _ = align(pool, [lambda: Runs.of({"s": {"1": docs}}).parts])
    return ranked


def plain(run: str, missed: int, replicates: int, seed: int) -> Floats:
    """AP of whole lists replicated document by document, as the paper says it."""
    rng = np.random.default_rng(seed)
    relevant = np.array([c == "1" for c in run])
    found: list[float] = []
    while len(found) < replicates:
        drawn = np.repeat(relevant, rng.poisson(1, len(run)))
        possible = drawn.sum() + rng.poisson(1, missed).sum()
        if possible:
            rank = np.flatnonzero(drawn) + 1
            found.append(float((np.arange(1, len(rank) + 1) / rank).sum() / possible))
    return np.array(found)


LISTS = [("1", 0), ("0001", 2), ("1101001000", 3), ("0" * 30 + "1" + "0" * 20 + "11", 5), ("10x1x00x1", 0)]


@pytest.mark.parametrize(("run", "missed"), LISTS)
def test_the_distribution_is_that_of_plain_replication(run: str, missed: int) -> None:
    """Guards the short cut (gaps drawn by number, copies in closed form) by a two-sample test with a fixed seed."""
    fast, _ = average_precisions(lists_of_topic(aligned(run, missed), 0, 1), 4000, SEED)
    slow = plain(run.replace("x", "0"), missed, 4000, 3)
    assert stats.ks_2samp(fast[0], slow).pvalue > 0.001
    assert fast[0].mean() == pytest.approx(slow.mean(), abs=5 * slow.std() / math.sqrt(2000) + 1e-12)


@pytest.mark.parametrize(("run", "missed"), [("11", 0), ("01", 1), ("101", 0), ("1", 2)])
def test_exact_moments_of_tiny_lists(run: str, missed: int) -> None:
    """Guards mean and variance against the whole distribution, enumerated."""
    most, documents = 9, len(run) + missed
    weight = total = square = 0.0
    for copies in itertools.product(range(most), repeat=documents):
        drawn = "".join(c * k for c, k in zip(run, copies, strict=False))
        possible = sum(k for c, k in zip(run + "1" * missed, copies, strict=True) if c == "1")
        if not possible:
            continue
        rank = [i + 1 for i, c in enumerate(drawn) if c == "1"]
        ap = sum((i + 1) / r for i, r in enumerate(rank)) / possible
        p = math.prod(math.exp(-1) / math.factorial(k) for k in copies)
        weight, total, square = weight + p, total + p * ap, square + p * ap * ap
    mean = total / weight
    variance = square / weight - mean**2
    drawn_ap, _ = average_precisions(lists_of_topic(aligned(run, missed), 0, 1), 200_000, SEED)
    assert drawn_ap.mean() == pytest.approx(mean, abs=5 * math.sqrt(variance / 200_000) + 1e-9)
    assert drawn_ap.var() == pytest.approx(variance, rel=0.03, abs=1e-9)


def test_draws_without_a_relevant_document_are_repeated_and_counted() -> None:
    """Guards R' = 0: with one relevant document a draw fails with probability 1/e."""
    _, redrawn = average_precisions(lists_of_topic(aligned("1", 0), 0, 1), 50_000, SEED)
    fails = math.exp(-1)
    assert redrawn / (redrawn + 50_000) == pytest.approx(fails, abs=0.01)


def test_a_list_does_not_depend_on_its_neighbours() -> None:
    """Guards blocks of systems: a list gives the same bits alone and beside others."""
    both = TopicLists(
        0, 3, np.array([4, 9]), np.array([0, 2, 5]), np.array([0, 2, 0, 1, 2], np.int32),
        np.array([1, 5, 0, 2000, 3], np.int32),
    )  # fmt: skip
    alone = TopicLists(
        0, 3, np.array([9]), np.array([0, 3]), np.array([0, 1, 2], np.int32), np.array([0, 2000, 3], np.int32)
    )
    assert (average_precisions(both, 100, SEED)[0][1] == average_precisions(alone, 100, SEED)[0][0]).all()


def test_gaps_beyond_the_tables_are_drawn_right() -> None:
    """Guards deep lists: a gap of 3,000 documents is drawn as a sum, with mean and variance 3,000."""
    gap = 3 * LARGEST_MEAN - 72
    lists = TopicLists(0, 1, np.array([0]), np.array([0, 1]), np.array([0], np.int32), np.array([gap], np.int32))
    drawn, _ = average_precisions(lists, 100_000, SEED)
    rng = np.random.default_rng(5)
    copies = rng.poisson(1, 200_000)
    before = rng.poisson(gap, 200_000)[copies > 0][:100_000]
    k = copies[copies > 0][:100_000]
    slow = np.array([sum((c + 1) / (b + c + 1) for c in range(n)) / n for b, n in zip(before, k, strict=True)])
    assert stats.ks_2samp(drawn[0], slow).pvalue > 0.001


def test_tables_are_the_poisson_distribution() -> None:
    """Guards the cumulative probabilities against scipy, from mean 1 to the largest."""
    tables = poisson_tables()
    for mean in (1, 2, 7, 64, 500, LARGEST_MEAN):
        part = slice(int(tables.begin[mean]), int(tables.begin[mean + 1]))
        value = tables.first_value[mean] + np.arange(part.stop - part.start)
        assert np.abs(tables.cumulative[part] - stats.poisson(mean).cdf(value)).max() < 1e-12


def test_the_same_document_has_the_same_copies_in_every_list() -> None:
    """Guards pairing: equal lists give equal AP in every replicate, and each list its plain distribution."""
    document = np.array([2, 0, 3, 1, 2, 0, 3, 1, 4, 1, 0], np.int32)
    begin = np.array([0, 4, 8, 11])
    drawn, _ = paired_average_precisions(begin, document, 5, 2, 4000, SEED)
    assert (drawn[0] == drawn[1]).all()
    assert stats.ks_2samp(drawn[0], plain("0101", 0, 4000, 8)).pvalue > 0.001
    assert stats.ks_2samp(drawn[2], plain("011", 0, 4000, 9)).pvalue > 0.001


@pytest.mark.parametrize(("run", "missed"), LISTS[1:])
def test_whole_lists_drawn_for_any_measure(run: str, missed: int) -> None:
    """Guards the expansion that serves every measure: its AP has the same distribution."""
    ranked = aligned(run, missed)
    drawn = [replicate(ranked, 1, np.random.default_rng([3, b])) for b in range(1500)]
    values = np.array([float(AP().score(r)[0, 0]) for r, _ in drawn])
    assert stats.ks_2samp(values, plain(run.replace("x", "0"), missed, 3000, 4)).pvalue > 0.001
    depth = np.array([int(r.depth[0]) for r, _ in drawn])
    assert depth.mean() == pytest.approx(len(run), abs=5 * math.sqrt(len(run) / 1500))
    assert all((np.diff(r.rank) > 0).all() and r.rank.max(initial=0) <= r.depth[0] for r, _ in drawn)
