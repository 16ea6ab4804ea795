"""Small arithmetic of ratings: which are alike, and what huge ones are divided by."""

from __future__ import annotations

import numpy as np

from truegain.tables.columns import Floats, Ints, frozen

HUGE = 1e100  # numbers beyond are brought down before they are squared


def alike(item: Ints, value: Floats) -> Floats:
    """For every rating how many of its item, itself included, have the same value.

    >>> alike(np.array([0, 0, 0, 1]), np.array([2.0, 1.0, 2.0, 2.0])).tolist()
    [2.0, 1.0, 2.0, 1.0]
    """
    order = np.lexsort((value, item))
    new = np.concatenate([[True], (np.diff(value[order]) != 0) | (np.diff(item[order]) != 0)])
    run = np.cumsum(new) - 1
    out = np.empty(len(value))
    out[order] = np.bincount(run)[run]
    return frozen(out)


def scale_of(values: Floats) -> float:
    """A power of 2 by which values are divided before they are squared: 1 unless they are huge.

    >>> scale_of(np.array([1.0, 1000.0])), scale_of(np.array([1e200])) > 1e199
    (1.0, True)
    """
    greatest = float(np.abs(values).max(initial=0.0))
    return 1.0 if greatest < HUGE else float(np.ldexp(1.0, int(np.frexp(greatest)[1]) - 1))
