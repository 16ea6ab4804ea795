"""What the correction says where the plain ratio leaves [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounded:
    """Constrained estimates: the bronze mean, the two accuracy rates, and the corrected value in [0, 1]."""

    j: float
    m_r: float
    m_n: float
    value: float
    at: str  # 'inside', 'one' or 'zero'


def bounded(k: float, n: float, k_r: float, n_r: float, k_n: float, n_n: float) -> Bounded:
    """Maximum likelihood under 1 - mN <= mJ <= mR.

    j > mR:      mJ = mR = (k + kR) / (n + nR),           G = 1
    j < 1 - mN:  mJ = (k + nN - kN) / (n + nN), mN = 1 - mJ,   G = 0

    Goldberg et al. 2018, ACM TOIS 36(4), section 3.6.

    >>> bounded(527, 1000, 17, 38, 216, 262).value
    1.0
    """
    j, m_r, m_n = k / n, k_r / n_r, k_n / n_n
    if j > m_r:
        both = (k + k_r) / (n + n_r)
        return Bounded(both, both, m_n, 1.0, "one")
    if j < 1 - m_n:
        both = (k + n_n - k_n) / (n + n_n)
        return Bounded(both, m_r, 1 - both, 0.0, "zero")
    return Bounded(j, m_r, m_n, (j - 1 + m_n) / (m_r + m_n - 1), "inside")
