"""Streams of random numbers: each is named by (seed, source, unit) and a replicate, never by the order of anything.

A draw is a function of its stream and of what is drawn, so that it is the same whichever systems stand beside, in
which order files were given, and how many work at it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]

_GOLDEN, _AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)


def stream_key(seed: int, source: str, unit: str) -> int:
    """The key of all streams of one unit of a source, such as the documents of a topic: 64 bits of BLAKE2b.

    >>> stream_key(0, "documents", "401") == stream_key(0, "documents", "402")
    False
    """
    name = f"{seed}\0{source}\0{unit}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")


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
