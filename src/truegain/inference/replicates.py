"""Random weights for resampling, the same for any number of workers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truegain.errors import TruegainError
from truegain.student import check_confidence

BLOCK = 500  # replicates drawn from one stream


def check_replicates(replicates: int, confidence: float) -> int:
    """A number of replicates that can tell the tails of an interval from its middle."""
    least = int(np.ceil(2 / (1 - check_confidence(confidence)) - 1e-9))
    if replicates < least:
        raise TruegainError(
            f"{replicates} replicates say nothing about the tails of a {confidence:.4g} interval; give at least {least}"
        )
    return int(replicates)


def blocks(replicates: int, seed: int) -> Iterator[tuple[np.random.Generator, int]]:
    """A generator of random numbers for each block of replicates: block b is the b-th child of the seed.

    >>> [count for _, count in blocks(1200, seed=1)]
    [500, 500, 200]
    """
    children = np.random.SeedSequence(seed).spawn(-(-replicates // BLOCK))
    for block, child in enumerate(children):
        yield np.random.default_rng(child), min(BLOCK, replicates - block * BLOCK)
