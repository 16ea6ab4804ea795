"""AP rank correlation: like Kendall's tau, but mistakes at the top weigh more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.inference.ranks.tau import paired
from truegain.tables.columns import Floats, Ints


def tau_ap_walking(other: npt.ArrayLike, walked: npt.ArrayLike) -> float:
    """AP correlation, mistakes at the top weighing more: walk one ranking, ties and all, and ask of the other.

        2/m sum over systems i below the top group of c_i/(p_i - 1)  -  1

    p_i is the rank of the first system tied with i in the walked ranking, c_i how many of the p_i - 1 above it are
    strictly above i in the other, m the number of systems below the top group.  Not symmetric: exchange the arguments
    to walk the other ranking.  Without ties this is tau_AP of Yilmaz, Aslam and Robertson 2008, SIGIR, the walked
    ranking being the estimated one.

    >>> round(tau_ap_walking([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.62, 0.7, 0.55, 0.58, 0.3, 0.35]), 6)
    0.386667
    """
    x, y = paired(other, walked)
    first = first_ranks(y)
    below = first > 1
    if not below.any():
        raise TruegainError("all systems are tied in the walked scores, so there is no order to compare")
    return 2 * float((_concordant_above(x, y)[below] / (first[below] - 1)).mean()) - 1


def tau_ap_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """AP correlation of two score vectors that may both tie: the mean of both directions of `tau_ap_walking`.

    Urbano and Marrero 2017, ICTIR.  Symmetric.

    >>> tau_ap_b([3, 2, 2, 1], [3, 2, 1, 1])
    0.7222222222222222
    """
    return (tau_ap_walking(x, y) + tau_ap_walking(y, x)) / 2


def first_ranks(scores: Floats) -> Ints:
    """One more than the number of systems strictly above, so that ties share their first rank."""
    return np.asarray(1 + (scores[None, :] > scores[:, None]).sum(axis=1), np.int64)


def _concordant_above(other: Floats, walked: Floats) -> Floats:
    """For each system, how many are strictly above it in both rankings."""
    both = (walked[None, :] > walked[:, None]) & (other[None, :] > other[:, None])
    return np.asarray(both.sum(axis=1), np.float64)
