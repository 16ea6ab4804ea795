"""Scores as the worlds draw them: per-topic values of systems, put into the tables the project reads."""

from __future__ import annotations

import numpy as np

from truegain.data.scores import Scores
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measures


def scores_of(x: Floats, measure: str = "AP") -> Scores:
    """A matrix of systems by topics as the scores of a measure.

    >>> scores_of(np.array([[0.2, 0.4]])).mean("s0")
    0.30000000000000004
    """
    declared = parse_measures(measure)[0].measure
    name = str(declared)
    summary = np.exp(np.log(np.maximum(x, 1e-5)).mean(axis=1)) if declared.mean == "geometric" else x.mean(axis=1)
    systems, topics = (tuple(f"{c}{i}" for i in range(n)) for c, n in zip("st", x.shape, strict=True))
    return Scores(systems, topics, {name: x}, {name: summary}, {name: declared}, {})
