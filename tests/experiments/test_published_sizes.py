"""Sizes of studies by the paper's formulas."""

from __future__ import annotations

import math

import pytest
from scipy import stats

import truegain as tg
from tests.worlds import EBAY
from truegain.experiments.judge_errors import limited, naive_topics, published_sizes, some_difference
from truegain.stats.student_t import detectable_in_se


def test_equation_26_on_the_trec_pair() -> None:
    """Guards eq. 26: 2453, at the published 50% power; 80% power needs about twice as many."""
    assert int(naive_topics(0.527 - 0.513, 0.240, 0.260)) == 2453
    ratio = naive_topics(0.014, 0.24, 0.26, power=0.8) / naive_topics(0.014, 0.24, 0.26)
    assert ratio == pytest.approx(((1.959964 + 0.841621) / 1.959964) ** 2, rel=1e-6)


@pytest.mark.parametrize("shares", [(1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1)])
def test_published_sizes_use_the_allowed_variance_up(shares: tuple[float, float, float]) -> None:
    """Guards eq. 27 to 31: with these sizes eq. 7, summed over both systems, is exactly sigma_0^2."""
    means, sds = (0.626, 0.6385), (0.414, 0.402)
    sizes = published_sizes(means, sds, (EBAY, EBAY), shares=shares)
    m_r, m_n, d = EBAY.sensitivity, EBAY.specificity, EBAY.informedness
    total = 0.0
    for name, j, sd in zip("ab", means, sds, strict=True):
        v_r, v_n = m_r * (1 - m_r) / sizes[f"nR_{name}"], m_n * (1 - m_n) / sizes[f"nN_{name}"]
        total += sd**2 / sizes["n"] / d**2 + v_r * (j - 1 + m_n) ** 2 / d**4 + v_n * (j - m_r) ** 2 / d**4
    assert math.sqrt(total) == pytest.approx((means[1] - means[0]) / d / 1.959964, rel=1e-6)


@pytest.mark.parametrize(("p", "power"), [(0.05, 0.5), (0.01, 0.9)])
def test_published_sizes_of_two_judges(p: float, power: float) -> None:
    """Guards eq. 27 to 31 where the two systems have judges of their own: the variances add up to what is allowed."""
    other = tg.Judge.from_counts(relevant=(80, 90), nonrelevant=(61, 95))
    means, sds, judges, shares = (0.55, 0.63), (0.41, 0.37), (EBAY, other), (0.5, 0.2, 0.3)
    sizes = published_sizes(means, sds, judges, shares=shares, p=p, power=power)
    of_topics = of_relevant = of_others = 0.0
    corrected = []
    for name, j, sd, judge in zip("ab", means, sds, judges, strict=True):
        of_topics += sd**2 / sizes["n"] / judge.informedness**2
        of_relevant += (
            judge.sensitivity
            * (1 - judge.sensitivity)
            / sizes[f"nR_{name}"]
            * (j - 1 + judge.specificity) ** 2
            / judge.informedness**4
        )
        of_others += (
            judge.specificity
            * (1 - judge.specificity)
            / sizes[f"nN_{name}"]
            * (j - judge.sensitivity) ** 2
            / judge.informedness**4
        )
        corrected.append((j - 1 + judge.specificity) / judge.informedness)
    far = stats.norm.ppf(1 - p / 2) + stats.norm.ppf(power)
    allowed = ((corrected[1] - corrected[0]) / far) ** 2
    parts = [x / allowed for x in (of_topics, of_relevant, of_others)]
    assert parts == pytest.approx(shares, rel=1e-6)
    assert detectable_in_se(p, power) == pytest.approx(far, rel=1e-6)
    for wrong in ((0.5, 0.5, 0.0), (0.5, 0.2, 0.4), (1.2, -0.1, -0.1)):
        with pytest.raises(tg.TruegainError, match="must be positive"):
            published_sizes(means, sds, judges, shares=wrong)


# Table 4: the two TREC runs, each with the accuracy of the bronze judges on its own documents.
DOC_RUN_02, YORK_07_ED4 = (
    tg.Judge.from_counts(relevant=(17, 38), nonrelevant=(216, 262)),
    tg.Judge.from_counts(relevant=(14, 50), nonrelevant=(230, 285)),
)


def test_section_8_has_no_finite_size() -> None:
    """Guards eq. 16 inside eq. 27: both G are 1 where the plain ratios are 1.29 and 3.68, so all sizes are infinite."""
    rates = [(judge.sensitivity, judge.specificity) for judge in (DOC_RUN_02, YORK_07_ED4)]
    assert [tuple(round(rate, 3) for rate in two) for two in rates] == [(0.447, 0.824), (0.280, 0.807)]
    plain = [(j - 1 + m_n) / (m_r + m_n - 1) for j, (m_r, m_n) in zip((0.527, 0.513), rates, strict=True)]
    assert [round(value, 2) for value in plain] == [1.29, 3.68]
    assert [limited(0.527, DOC_RUN_02), limited(0.513, YORK_07_ED4)] == [1.0, 1.0]
    sizes = published_sizes((0.527, 0.513), (0.240, 0.260), (DOC_RUN_02, YORK_07_ED4))
    assert sizes == dict.fromkeys(("n", "nR_a", "nN_a", "nR_b", "nN_b"), math.inf)
    low = published_sizes((0.1, 0.05), (0.2, 0.2), (EBAY, EBAY))  # below 1 - mN = .202: both G are 0
    assert set(low.values()) == {math.inf}


def test_one_limited_mean_and_judges_at_chance() -> None:
    """Guards eq. 16 where only one G is limited, equal G inside 0 to 1, and a D of 0 or less."""
    near, far = (published_sizes((0.6, j), (0.4, 0.4), (EBAY, EBAY)) for j in (0.75, 0.95))
    assert limited(0.75, EBAY) == limited(0.95, EBAY) == 1.0 > limited(0.6, EBAY)
    assert near["n"] == far["n"] < math.inf  # the difference is that to 1, not that to the plain ratio
    with pytest.raises(tg.TruegainError, match="infinitely many"):
        published_sizes((0.6, 0.6), (0.4, 0.4), (EBAY, EBAY))
    for relevant in ((30, 60), (20, 60)):
        coin = tg.Judge.from_counts(relevant=relevant, nonrelevant=(30, 60))
        with pytest.raises(tg.TruegainError, match="no better than chance"):
            published_sizes((0.6, 0.5), (0.4, 0.4), (EBAY, coin))


def test_topics_without_judge_errors() -> None:
    """Guards eq. 26 at another level and power, and a difference of either sign."""
    far = stats.norm.ppf(0.95) + stats.norm.ppf(0.7)
    expected = far**2 * (0.3**2 + 0.2**2) / 0.05**2
    assert naive_topics(-0.05, 0.3, 0.2, p=0.1, power=0.7) == pytest.approx(expected, rel=1e-6)
    assert some_difference(-0.2) == 0.2
    with pytest.raises(tg.TruegainError, match="infinitely many"):
        naive_topics(0.0, 0.3, 0.2)


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5])
def test_power_lies_between_0_and_1(power: float) -> None:
    """Guards a senseless power."""
    with pytest.raises(tg.TruegainError, match="must lie between 0 and 1"):
        detectable_in_se(0.05, power)
    with pytest.raises(tg.TruegainError, match="below the significance level"):
        detectable_in_se(0.05, 0.01)
