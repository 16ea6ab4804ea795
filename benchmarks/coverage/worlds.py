"""What a simulated world is: a study that can be repeated, and what was seen of each answer in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Seen:
    """One answer in one study: whether the interval held the truth, or the test stayed silent on equal systems.

    `width` is the interval's, over the ideal one (2 x 1.96 x the true standard deviation) where that is known; `ratio`
    the variance over the true one, and `found` whether a real difference was told, where a world has these.
    """

    inside: bool
    width: float = float("nan")
    ratio: float = float("nan")
    found: float = float("nan")


Study = Callable[[np.random.Generator], Mapping[str, Any]]  # name of the answer -> what was seen; None: refused


@dataclass(frozen=True)
class World:
    """A world with a name, and one study in it; the study must be picklable (a function of a module, or a partial)."""

    name: str
    study: Study


def held(low: float, high: float, truth: float, ideal: float = 1.0) -> Seen:
    """Whether an interval holds the truth, and how wide it is in units of `ideal`.

    >>> held(0.1, 0.3, 0.2)
    Seen(inside=True, width=0.19999999999999998)
    """
    return Seen(bool(low <= truth <= high), (high - low) / ideal)


def silent(p: float, alpha: float = 0.05) -> Seen:
    """Whether a test of equal systems finds nothing.

    >>> silent(0.3).inside
    True
    """
    return Seen(bool(p >= alpha))
