"""Small lists that tests of collections share."""

from __future__ import annotations

import sys
from functools import lru_cache

import numpy as np
import pytest

import truegain as tg
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.data.scores import Scores
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measure

SEED = 3


@lru_cache
def lists() -> RankedGains:
    """Three systems, seven topics: one without a relevant document, one with a single one; c lacks two topics."""
    rng = np.random.default_rng(8)
    many = (4, 1, 3, 6, 2, 5, 0)
    labels = {
        str(t): {f"d{i}": int(i < r) * (1 + i % 2) for i in range(16)} | {"far": int(r > 3), "odd": -1}
        for t, r in enumerate(many)
    }
    runs = {
        s: {
            str(t): {f"d{i}": float(rng.normal() + (i < r) * (s != "a")) for i in range(24)}
            | {"odd": float(rng.normal())}
            for t, r in enumerate(many)
            if s != "c" or t not in (2, 5)
        }
        for s in "abc"
    }
    with pytest.warns(tg.DataWarning, match="lacks judged topics"):
        return aligned(runs, labels, Scoring(), keep_keys=sys.maxsize)


def scores_of(matrix: Floats, name: str = "AP") -> Scores:
    """Scores with given values."""
    systems, topics = (tuple(f"{x}{i}" for i in range(n)) for x, n in zip("st", matrix.shape, strict=True))
    summary = np.nanmean(matrix, axis=1)
    return Scores(systems, topics, {name: matrix}, {name: summary}, {name: parse_measure(name)}, {})
