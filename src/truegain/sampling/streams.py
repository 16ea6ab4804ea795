"""Random numbers in streams named by seed, source, unit and replicate.

Also exact sums of what is drawn, and bootstrap weights.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.io.columns import Floats

# ---- Streams of random numbers: each is named by (seed, source, unit) and a replicate, never by the order of
# anything.
#
# A draw is a function of its stream and of what is drawn, so that it is the same whichever systems stand beside, in
# which order files were given, and how many work at it.

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


# ---- Sums of drawn values without rounding, which have no order: the same bits from any processor and division of
# work.
#
# A product of matrices adds in an order that depends on the processor, on its shape and on where its operands lie in
# memory. Where every partial sum is exact, order does not matter: values are cut in two parts, each of so few bits that
# no sum of as many of them as are drawn needs more than the 53 of a double.

DIGITS = 53  # bits of a double


@dataclass(frozen=True, eq=False)
class ExactRows:
    """Rows of values in two parts, coarse and fine; sums of up to so many values of a row as was said are exact."""

    coarse: Floats
    fine: Floats

    @classmethod
    def of(cls, rows: Floats, total: int) -> ExactRows:
        """Rows cut for sums of at most so many values, a value that is drawn twice counted twice.

        What the two parts of a value leave out is below 2^-53 of the largest of its row for sums of up to 2^26 values,
        and far below for sums of few.

        >>> ExactRows.of(np.array([[0.1, 0.2, -0.3]]), 3).sums(np.array([[1.0, 1.0, 1.0], [3.0, 0.0, 0.0]])).tolist()
        [[2.7755575615628914e-17], [0.30000000000000004]]
        """
        bits = DIGITS - max(total - 1, 1).bit_length()
        coarse = _on_grid(rows, bits)
        return cls(coarse, _on_grid(rows - coarse, bits))

    def __len__(self) -> int:
        return len(self.coarse)

    @property
    def columns(self) -> int:
        """How many values a row has."""
        return int(self.coarse.shape[1])

    def sums(self, counts: Floats) -> Floats:
        """Sum of counts x values for each row of counts (whole numbers, `total` in all at most) and each row of values.

        Both parts are exact, and the sum of both is rounded once.
        """
        total = counts @ self.coarse.T
        total += counts @ self.fine.T
        return np.asarray(total)


def _on_grid(rows: Floats, bits: int) -> Floats:
    """Values rounded to `bits` binary places of the largest power of two in their row."""
    most = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    places = bits - np.frexp(most)[1]
    return np.asarray(np.ldexp(np.rint(np.ldexp(rows, places)), -places))


# ---- Other units of the same kind (topics, systems, items): drawn with replacement, as weights.


def bootstrap_weights(units: int, replicates: int, rng: np.random.Generator) -> Floats:
    """How often each unit is drawn in each replicate: rows are Multinomial(units; 1/units, ...), and sum to `units`.

    Efron 1979, Annals of Statistics 7.

    >>> bootstrap_weights(3, 2, np.random.default_rng(1)).sum(axis=1).tolist()
    [3.0, 3.0]
    """
    return rng.multinomial(units, np.full(units, 1 / units), size=replicates).astype(np.float64)
