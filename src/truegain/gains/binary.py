"""Corrected precision from a bronze mean and the judge's two accuracy rates, in closed form."""

from __future__ import annotations


def corrected(j: float, m_r: float, m_n: float, judged: float = 1.0) -> float:
    """What the gold judge would have said.

    G = (j - t (1 - mN)) / D,   D = mR + mN - 1,   t the judged share of the list (1 in the paper)

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 5 and 15; Rogan and Gladen 1978.

    >>> round(corrected(0.6260, 43 / 59, 67 / 84), 3)
    0.805
    """
    return (j - judged * (1 - m_n)) / (m_r + m_n - 1)


def variance(j: float, m_r: float, m_n: float, v_j: float, v_r: float, v_n: float) -> float:
    """Variance of the corrected value, the three estimates being independent.

    Vj / D^2 + VR (j - 1 + mN)^2 / D^4 + VN (j - mR)^2 / D^4

    Goldberg et al. 2018, eq. 7.

    >>> round(variance(0.626, 43 / 59, 67 / 84, 0.414**2 / 10278, *rates_variance(43, 59, 67, 84)) ** 0.5, 4)
    0.0903
    """
    d = m_r + m_n - 1
    return v_j / d**2 + v_r * (j - 1 + m_n) ** 2 / d**4 + v_n * (j - m_r) ** 2 / d**4


def rates_variance(k_r: float, n_r: float, k_n: float, n_n: float) -> tuple[float, float]:
    """Variance of mR = kR/nR and mN = kN/nN when pairs are independent (eq. 8).

    >>> [round(v, 5) for v in rates_variance(43, 59, 67, 84)]
    [0.00335, 0.00192]
    """
    m_r, m_n = k_r / n_r, k_n / n_n
    return m_r * (1 - m_r) / n_r, m_n * (1 - m_n) / n_n


def bias(j: float, m_r: float, m_n: float, v_r: float, v_n: float) -> float:
    """How far the corrected value is too high on average, to second order; offered, not applied.

    (j - 1 + mN)(VR + VN) / D^3 - VN / D^2

    Goldberg et al. 2018, section 3.8.

    >>> round(bias(0.6260, 43 / 59, 67 / 84, *rates_variance(43, 59, 67, 84)), 4)
    0.0084
    """
    d = m_r + m_n - 1
    return (j - 1 + m_n) * (v_r + v_n) / d**3 - v_n / d**2
