"""Streams of random numbers: each is named by (seed, source, unit) and a replicate, never by the order of anything.

A draw is a function of its stream and of what is drawn, so that it is the same whichever systems stand beside, in
which order files were given, and how many work at it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]

BLOCK = 500  # replicates drawn from one stream
_GOLDEN, _AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)


def stream_key(seed: int, source: str, unit: str) -> int:
    """The key of all streams of one unit of a source, such as the documents of a topic: 64 bits of BLAKE2b.

    >>> stream_key(0, "documents", "401") == stream_key(0, "documents", "402")
    False
    """
    name = f"{seed}\0{source}\0{unit}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")


def generator(seed: int, source: str, replicate: int = 0) -> np.random.Generator:
    """Random numbers of a source, those of one replicate (or block of replicates) apart from those of others.

    >>> [round(float(generator(1, name).random()), 2) for name in ("topics", "topics", "systems")]
    [0.54, 0.54, 0.33]
    """
    return np.random.default_rng(stream_key(seed, source, str(replicate) if replicate else ""))


def blocks(replicates: int, seed: int, source: str) -> Iterator[tuple[np.random.Generator, int]]:
    """Random numbers for each block of replicates, and how many of these there are.

    >>> [count for _, count in blocks(1200, 1, "topics")]
    [500, 500, 200]
    """
    for block, first in enumerate(range(0, replicates, BLOCK)):
        yield generator(seed, source, block), min(BLOCK, replicates - first)


def stream_keys(seed: int, source: str, units: Sequence[str]) -> Keys:
    """The keys of many units."""
    return np.array([stream_key(seed, source, unit) for unit in units], np.uint64)


def streams(keys: Keys, replicate: int, attempt: npt.NDArray[np.int64]) -> Keys:
    """The stream of each key for a replicate; `attempt` counts how often it was drawn again.

    mix(key + (replicate + 1) a + attempt b), mix the finaliser of splitmix64 (Steele, Lea and Flood 2014, OOPSLA);
    the compiled sampler has the same.

    >>> len(set(streams(np.zeros(3, np.uint64), 5, np.array([0, 1, 2])).tolist()))
    3
    """
    with np.errstate(over="ignore"):
        return mix(keys + np.uint64(replicate + 1) * _GOLDEN + attempt.astype(np.uint64) * _AGAIN)


def mix(x: Keys) -> Keys:
    """64 bits well stirred: a change of one bit changes half of them."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)))
