"""Corrected gains for any number of labels: every bronze label is worth what stands behind it on average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.gains.confusion import Confusion
from truegain.tables.columns import Floats


@dataclass(frozen=True, eq=False)
class CorrectedMean:
    """A corrected mean with what its variance needs.

    worth: the corrected gain a of each bronze label, C a = v; shares: the gold classes behind the mean, f^T C^-1.
    """

    value: float
    worth: Floats
    shares: Floats
    confusion: Confusion

    def influence(self, more: Floats | None = None) -> Floats:
        """How far a gold pair of each gold and bronze label moves the value: p_g (a_b - mean of a behind g) / n_g.

        `more`: for each gold label, so many pairs of every bronze label are thought to be there as well.
        """
        c = self.confusion
        counts = c.counts if more is None else c.counts + more[:, None]
        total = counts.sum(axis=1)
        mean = (counts @ self.worth) / total
        influence: Floats = (self.shares / total)[:, None] * (self.worth[None, :] - mean[:, None])
        return influence


def worth_of(confusion: Confusion, value: npt.ArrayLike) -> Floats:
    """The corrected gain of each bronze label: a = C^-1 v.

    In the binary case a relevant label is worth mN / D and a non-relevant one (mN - 1) / D.

    >>> worth_of(Confusion.of_counts([[80, 20], [10, 90]]), [0, 1]).round(4).tolist()
    [-0.2857, 1.1429]
    """
    return np.asarray(np.linalg.solve(confusion.matrix, np.asarray(value, np.float64)), np.float64)


def worths(tables: Floats, value: Floats, most: float = 1e12) -> Floats:
    """Corrected gain of each bronze label, a = C^-1 v, for every row of counts; NaN where C has no sound inverse.

    most: the largest condition number of C.

    >>> tables = np.array([[[80.0, 20.0], [10.0, 90.0]], [[0.0, 0.0], [1.0, 2.0]]])
    >>> worths(tables, np.array([0.0, 1.0])).round(4).tolist()
    [[-0.2857, 1.1429], [nan, nan]]
    """
    totals = tables.sum(axis=2)
    sound = np.flatnonzero((totals > 0).all(axis=1))
    matrices = tables[sound] / totals[sound][:, :, None]
    kept = np.linalg.cond(matrices) < most
    right = np.broadcast_to(value[:, None], (int(kept.sum()), len(value), 1))
    out = np.full((len(tables), len(value)), np.nan)
    out[sound[kept]] = np.linalg.solve(matrices[kept], right)[..., 0]
    return out


def corrected_mean(confusion: Confusion, weight: npt.ArrayLike, value: npt.ArrayLike) -> CorrectedMean:
    """Corrected value of a measure linear in gain, such as DCG.

    value = (sum over ranks s of f_s^T / log2(s + 1)) C^-1 v;   `weight` is the sum in brackets: how much of the
    measure each bronze label carries on average over topics; `value` the gain of each gold label.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 24 and 25.

    >>> c = Confusion.of_counts([[80, 20], [10, 90]])
    >>> round(corrected_mean(c, [0.5, 0.5], [0, 1]).value, 4)
    0.4286
    """
    f, v = np.asarray(weight, np.float64), np.asarray(value, np.float64)
    worth = worth_of(confusion, v)
    shares = np.asarray(np.linalg.solve(confusion.matrix.T, f), np.float64)
    return CorrectedMean(float(f @ worth), worth, shares, confusion)
