"""AP rank correlation: like Kendall's tau, but mistakes at the top weigh more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.inference.ranks.tau import paired
from truegain.tables.columns import Floats, Ints


def tau_ap(true: npt.ArrayLike, estimated: npt.ArrayLike) -> float:
    """AP correlation of two score vectors without ties; the ranking by `estimated` is the one that is walked.

    With A(i) the systems above rank i of the estimated ranking that are also above system i in the true one,

        tau_AP = 2/(n-1) sum over ranks i = 2..n of A(i)/(i-1)  -  1

    Not symmetric: exchange the arguments to walk the other ranking.
    Yilmaz, Aslam and Robertson 2008, SIGIR.

    >>> round(tau_ap([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.62, 0.7, 0.55, 0.58, 0.3, 0.35]), 6)
    0.386667
    """
    x, y = paired(true, estimated)
    for name, scores in (("true", x), ("estimated", y)):
        if len(np.unique(scores)) < len(scores):
            raise TruegainError(f"the {name} scores have ties, which tau_AP has no rule for; use tau_ap_a or tau_ap_b")
    return tau_ap_a(x, y)


def tau_ap_a(true: npt.ArrayLike, estimated: npt.ArrayLike) -> float:
    """AP correlation when the estimated scores, which are walked, may tie: the mean over all orders of the ties.

    A group of t tied systems from rank p on, with C pairs of one of them and a system above the group in the right
    order, adds  sum over r = p..p+t-1, r > 1, of (C/t + (r-p)/2)/(r-1)  in place of the A(i)/(i-1) of its members.
    The true scores must not tie.  Urbano and Marrero 2017, ICTIR.

    >>> tau_ap_a([3, 2, 1], [2, 1, 1])  # the mean of 1 and 0.5
    0.75
    """
    x, y = paired(true, estimated)
    if len(np.unique(x)) < len(x):
        raise TruegainError(
            "the true scores have ties; tau_AP,a has a rule for the estimated scores only: use tau_ap_b"
        )
    first, right = _first_ranks(y), _concordant_above(x, y)
    total = 0.0
    for p in np.unique(first).tolist():
        group = first == p
        ranks = np.arange(max(p, 2), p + group.sum())
        total += float(((right[group].mean() + (ranks - p) / 2) / (ranks - 1)).sum())
    return 2 * total / (len(x) - 1) - 1


def tau_ap_walking(other: npt.ArrayLike, walked: npt.ArrayLike) -> float:
    """One direction of tau_AP,b: walk one ranking, ties and all, and ask of the other.

        2/m sum over systems i below the top group of c_i/(p_i - 1)  -  1

    p_i is the rank of the first system tied with i in the walked ranking, c_i how many of the p_i - 1 above it are
    strictly above i in the other, m the number of systems below the top group.  Without ties this is `tau_ap`.

    >>> tau_ap_walking([3, 2, 1], [2, 1, 1])
    1.0
    """
    x, y = paired(other, walked)
    first = _first_ranks(y)
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


def _first_ranks(scores: Floats) -> Ints:
    """One more than the number of systems strictly above, so that ties share their first rank."""
    return np.asarray(1 + (scores[None, :] > scores[:, None]).sum(axis=1), np.int64)


def _concordant_above(other: Floats, walked: Floats) -> Floats:
    """For each system, how many are strictly above it in both rankings."""
    both = (walked[None, :] > walked[:, None]) & (other[None, :] > other[:, None])
    return np.asarray(both.sum(axis=1), np.float64)
