"""Tables for Poisson draws by inversion, one for every whole mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from truegain.tables.columns import Codes, Floats, Ints, frozen

LARGEST_MEAN = 1024  # a larger mean is drawn as a sum
_TAIL = 1e-18  # probability left out at either end; draws have a grain of 2^-53


@dataclass(frozen=True, eq=False)
class PoissonTables:
    """Cumulative probabilities of each mean, and where to begin looking for a uniform number.

    Mean m has entries begin[m] to begin[m + 1]: the probability of at most first_value[m] + i.
    """

    cumulative: Floats
    first_value: Codes
    begin: Ints
    guide: Codes

    @property
    def arrays(self) -> tuple[Floats, Codes, Ints, Codes]:
        """What the compiled functions take."""
        return self.cumulative, self.first_value, self.begin, self.guide


@lru_cache(maxsize=1)
def poisson_tables() -> PoissonTables:
    """The tables, built once.

    >>> tables = poisson_tables()
    >>> round(float(tables.cumulative[tables.begin[1]]), 6)  # no copy of a document: 1/e
    0.367879
    """
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, 2 * LARGEST_MEAN + 200)))])
    cumulative, first_value, guide = [np.ones(1)], [0], [np.zeros(1, np.int32)]
    for mean in range(1, LARGEST_MEAN + 1):
        value = np.arange(max(0, int(mean - 10 * np.sqrt(mean) - 10)), int(mean + 10 * np.sqrt(mean) + 30))
        probability = np.exp(value * np.log(mean) - mean - log_factorial[value])
        kept = np.flatnonzero(probability > _TAIL)
        sums = np.cumsum(probability[kept[0] : kept[-1] + 1])
        sums /= sums[-1]
        cumulative.append(sums)
        first_value.append(int(value[kept[0]]))
        guide.append(np.searchsorted(sums, np.arange(len(sums)) / len(sums)).astype(np.int32))
    lengths = [len(c) for c in cumulative]
    return PoissonTables(
        frozen(np.concatenate(cumulative)),
        frozen(np.array(first_value, np.int32)),
        frozen(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)),
        frozen(np.minimum(np.concatenate(guide), np.repeat(lengths, lengths) - 1).astype(np.int32)),
    )


def generator_state(seed: np.random.SeedSequence) -> npt.NDArray[np.uint64]:
    """The state of the compiled generator."""
    return np.asarray(seed.generate_state(4, np.uint64), np.uint64)
