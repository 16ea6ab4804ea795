"""Other units of the same kind (topics, systems, items): drawn with replacement, as weights."""

from __future__ import annotations

import numpy as np

from truegain.tables.columns import Floats


def bootstrap_weights(units: int, replicates: int, rng: np.random.Generator) -> Floats:
    """How often each unit is drawn in each replicate: rows are Multinomial(units; 1/units, ...), and sum to `units`.

    Efron 1979, Annals of Statistics 7.

    >>> bootstrap_weights(3, 2, np.random.default_rng(1)).sum(axis=1).tolist()
    [3.0, 3.0]
    """
    return rng.multinomial(units, np.full(units, 1 / units), size=replicates).astype(np.float64)
