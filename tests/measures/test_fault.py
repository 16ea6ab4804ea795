"""A measure that fails: who and where is told, and no table is passed off as whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import truegain as tg
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.io.columns import Floats
from truegain.measures.base import Measure
from truegain.parallel.jobs import PieceError
from truegain.stats.other_collections import drawn_scores

RUNS = {"a": {"1": {"x": 2.0}, "2": {"x": 1.0}}, "b": {"1": {"x": 2.0}, "2": {"x": 1.0, "y": 0.5}}}
QRELS = {"1": {"x": 1, "y": 0}, "2": {"x": 1, "y": 2}}


@dataclass(frozen=True, kw_only=True, repr=False)
class Fragile(Measure):
    """Cannot bear a label of 2 in a list."""

    AT = None
    depth: int = 0  # in lists deeper than this

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        if ((ranked.gain == 2) & (ranked.depth[ranked.list] > self.depth)).any():
            raise ZeroDivisionError("no place for a 2")
        return np.ones(ranked.lists)


def test_the_system_and_topic_at_fault_are_named() -> None:
    """Guards a measure that raises for one topic: the error names system and topic."""
    with pytest.raises(
        tg.MeasureError, match="Fragile failed on system b, topic 2: ZeroDivisionError: no place for a 2"
    ):
        tg.evaluate(RUNS, QRELS, Fragile())


def test_a_fault_inside_a_resample_is_named_too() -> None:
    """Guards the same under the engine: piece, system and topic, and no partial result."""
    with pytest.raises(PieceError, match=r"replicates 1 to 20: Fragile\(depth=2\) failed on system b, topic 2"):
        drawn_scores(aligned(RUNS, QRELS, Scoring(), keep_keys=9), Fragile(depth=2), replicates=40)
