"""Matrices of scores for tests: real ones, generated ones, and ones in which no system differs."""

from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from truegain.data.scores import Scores
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measure


@cache
def trec8_ap(shared_data: Path) -> Floats:
    """AP of the 129 systems of TREC-8 on its 50 topics."""
    with tarfile.open(shared_data / "trec_score_matrices" / "newbestsub_named.tar.xz") as archive:
        stream = archive.extractfile("data/AH99.csv")
        assert stream is not None
        rows = list(csv.reader(io.TextIOWrapper(stream)))
    return np.array([[float(v) for v in row[1:]] for row in rows[1:]])


def generated(systems: int, topics: int, seed: int = 0, effect: float = 0.05) -> Floats:
    """Scores in [0, 1] with topics that matter, and systems that matter by `effect`."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(-1, 1, topics)[None, :] + rng.normal(0, 0.6, (systems, topics))
    return np.clip(1 / (1 + np.exp(-logits)) + effect * rng.normal(0, 1, systems)[:, None], 0, 1)


def shuffled(x: Floats, times: int, seed: int = 0) -> Iterator[Floats]:
    """The matrix with its scores dealt anew to the systems within each topic: no system differs from another."""
    rng = np.random.default_rng(seed)
    for _ in range(times):
        yield rng.permuted(x, axis=0)


def scores_of(x: Floats, measure: str = "AP") -> Scores:
    """Scores as `evaluate` would give them."""
    systems = tuple(f"s{i}" for i in range(len(x)))
    topics = tuple(str(t) for t in range(x.shape[1]))
    return Scores(
        systems, topics, {measure: x}, {measure: np.nanmean(x, axis=1)}, {measure: parse_measure(measure)}, {}
    )


def within_chance(hits: int, trials: int, rate: float) -> bool:
    """Whether a number of hits is within four standard errors of what the rate makes one expect."""
    return bool(abs(hits - trials * rate) <= 4 * np.sqrt(trials * rate * (1 - rate)))
