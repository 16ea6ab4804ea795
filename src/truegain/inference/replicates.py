"""How many replicates an interval needs."""

from __future__ import annotations

import numpy as np

from truegain.errors import TruegainError
from truegain.student import check_confidence


def check_replicates(replicates: int, confidence: float) -> int:
    """A number of replicates that can tell the tails of an interval from its middle."""
    least = int(np.ceil(2 / (1 - check_confidence(confidence)) - 1e-9))
    if replicates < least:
        raise TruegainError(
            f"{replicates} replicates say nothing about the tails of a {confidence:.4g} interval; give at least {least}"
        )
    return int(replicates)
