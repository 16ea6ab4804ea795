"""Swap rates: how often two halves of the topics put two systems in opposite order, by how much they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from truegain.data.scores import Scores
from truegain.errors import TruegainError
from truegain.io.columns import Floats, Ints, frozen, shares
from truegain.measures.scoring import TopicMeans
from truegain.message import argname
from truegain.results.base import Table
from truegain.sampling.streams import generator
from truegain.stats.rank_correlation import differences


@dataclass(frozen=True, eq=False)
class SwapRates:
    """How often two halves of the topics order two systems oppositely, by the size of their difference.

    Attributes
    ----------
    measure : str
        The measure.
    begin : ndarray of float
        Bin b holds differences from ``begin[b]`` up to ``begin[b + 1]``; the last one all that are larger.
    pairs : ndarray of int
        Pairs of systems in each bin, over all splits.
    swaps : ndarray of int
        Those that the other half orders oppositely.
    topics : int
        Topics in each half.
    splits : int
        How many splits were drawn.
    """

    measure: str
    begin: Floats
    pairs: Ints
    swaps: Ints
    topics: int  # in each half
    splits: int

    @property
    def rates(self) -> Floats:
        """Swaps by pairs; NaN where a bin has no pair."""
        return shares(self.swaps, self.pairs)

    @property
    def rate(self) -> float:
        """Swaps by pairs, over all differences."""
        return float(self.swaps.sum() / self.pairs.sum())

    def needed(self, rate: float = 0.05) -> float | None:
        """The least difference from which on no bin swaps more often than `rate`; None where there is none."""
        bad = np.flatnonzero(np.nan_to_num(self.rates) > rate)
        first = 0 if not len(bad) else int(bad[-1]) + 1
        return float(self.begin[first]) if self.pairs[first:].sum() else None

    def table(self) -> Table:
        """One row for each bin that has pairs."""
        rows = [
            (float(b), int(n), int(s), float(r))
            for b, n, s, r in zip(self.begin, self.pairs, self.swaps, self.rates, strict=True)
            if n
        ]
        title = f"{self.measure}: pairs that swap between halves of {self.topics} topics, {self.splits} splits"
        return Table(("difference from", "pairs", "swapped", "swap rate"), rows, title=title)


def swap_rates(
    scores: Scores, measure: object = None, *, splits: int = 100, width: float = 0.01, bins: int = 21, seed: int = 0
) -> SwapRates:
    """How often a difference of some size between two systems turns round on other topics.

    The topics are split at random into two halves (one topic is left out of an odd number).  A pair of systems is put
    into the bin of its absolute difference on the first half, and is swapped if the second half orders it the other
    way; equal on either half is not swapped.  Voorhees and Buckley 2002, SIGIR.

    >>> import truegain as tg
    >>> runs = {"good": {str(t): {"a": 2.0, "b": 1.0} for t in range(8)}}
    >>> runs["bad"] = {str(t): {"a": 1.0, "b": 2.0} for t in range(8)}
    >>> swap_rates(tg.evaluate(runs, {str(t): {"a": 1} for t in range(8)}, "AP")).rate
    0.0
    """
    if width <= 0 or bins < 1:
        raise TruegainError(
            f"{argname('bins', bins)}, {argname('width', width)}: give at least 1 bin, and a width above 0"
        )
    data = TopicMeans.of(scores, measure)
    if len(data.systems) < 2:
        raise TruegainError("swaps need at least 2 systems")
    pairs, swaps = np.zeros(bins, np.int64), np.zeros(bins, np.int64)
    for first, second in halves(len(data.topics), splits, seed):
        a, b = differences(data.means(first)), differences(data.means(second))
        place = np.minimum((np.abs(a) / width + 1e-9).astype(np.int64), bins - 1)
        pairs += np.bincount(place, minlength=bins)
        swaps += np.bincount(place[a * b < 0], minlength=bins)
    return SwapRates(
        data.measure, frozen(width * np.arange(bins, dtype=np.float64)), pairs, swaps, len(data.topics) // 2, splits
    )


def check_splits(splits: int) -> None:
    """Refuse fewer than one."""
    if splits < 1:
        raise TruegainError(f"{splits} splits are too few; give at least 1")


def halves(topics: int, splits: int, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Random splits of so many topics into two halves of equal size; split s has a stream of its own.

    >>> [(len(a), len(b)) for a, b in halves(5, splits=2, seed=0)]
    [(2, 2), (2, 2)]
    """
    if topics < 2:
        raise TruegainError(f"{topics} topic cannot be split into halves; give at least 2")
    check_splits(splits)
    for split in range(splits):
        order = generator(seed, "halves of the topics", split).permutation(topics)
        half = topics // 2
        yield np.sort(order[:half]), np.sort(order[half : 2 * half])
