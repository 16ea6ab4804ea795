"""Many pairs at once: the tests as rows against the same tests one by one, pairs as arrays, groups of many systems."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.judge_error.matrices import generated, scores_of
from tests.judge_error.one_pair import Outcome, paired_t, sign_test, welch, wilcoxon
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.stats.significance.comparisons import groups_of, is_complete
from truegain.stats.significance.pairs import RowResults, paired_t_rows, sign_rows, welch_rows, wilcoxon_rows
from truegain.stats.student_t import MANY, studentized_range_sf

ROWS: dict[str, tuple[Callable[[Floats, Floats], RowResults], Callable[[Floats, Floats], Outcome]]] = {
    "paired-t": (lambda a, b: paired_t_rows(a, b, 0.9), lambda a, b: paired_t(a, b, confidence=0.9)),
    "welch": (lambda a, b: welch_rows(a, b, 0.9), lambda a, b: welch(a, b, confidence=0.9)),
    "sign": (sign_rows, sign_test),
    "wilcoxon": (wilcoxon_rows, wilcoxon),
}


def pairs_of(topics: int, tied: bool) -> tuple[Floats, Floats]:
    """Scores of 40 pairs: some equal on all topics, some on a few; in tenths, with ties of differences, or not."""
    rng = np.random.default_rng(topics)
    a, b = rng.random((40, topics)), rng.random((40, topics)) + 0.1
    if tied:
        a, b = np.round(a, 1), np.round(b, 1)
    b[:5, :2] = a[:5, :2]
    b[5] = a[5]
    return a, b


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("topics", [3, 9, 50, 55, 80])
def test_rows_are_the_tests_one_by_one(name: str, tied: bool, topics: int) -> None:
    """Guards every row test against the test of one pair: p and limits, ties, zeros, exact and normal Wilcoxon."""
    rows, one = ROWS[name]
    a, b = pairs_of(topics, tied)
    found = rows(a, b)
    for i in range(len(a)):
        alone = one(a[i], b[i])
        assert found.p[i] == pytest.approx(alone.p, rel=1e-9, abs=1e-12), (i, alone)
        if found.low is not None and found.high is not None:
            assert (found.low[i], found.high[i]) == pytest.approx((alone.low, alone.high), abs=1e-12)


def test_rows_are_scipys() -> None:
    """Guards the row tests against scipy itself, so that both of ours cannot be wrong together."""
    a, b = pairs_of(20, False)
    for i in range(6, 40):
        assert paired_t_rows(a, b).p[i] == pytest.approx(stats.ttest_rel(b[i], a[i]).pvalue, rel=1e-9)
        assert welch_rows(a, b).p[i] == pytest.approx(stats.ttest_ind(b[i], a[i], equal_var=False).pvalue, rel=1e-9)
        assert wilcoxon_rows(a, b).p[i] == pytest.approx(stats.wilcoxon(b[i], a[i], method="exact").pvalue, rel=1e-9)
        up = int((b[i] > a[i]).sum())
        assert sign_rows(a, b).p[i] == pytest.approx(stats.binomtest(up, 20).pvalue, rel=1e-9)


def test_rows_without_spread_are_refused() -> None:
    """Guards a constant difference among rows that have spread, and Welch's samples that have none."""
    a, b = pairs_of(6, False)
    b[7] = a[7] + 0.25
    with pytest.raises(TruegainError, match=r"all 6 differences are 0\.25: the t statistic"):
        paired_t_rows(a, b)
    flat = np.full((2, 4), 0.5)
    assert (welch_rows(flat, flat).p == 1).all()
    with pytest.raises(TruegainError, match="Welch's t is undefined"):
        welch_rows(flat, flat + 0.1)
    with pytest.raises(TruegainError, match="Welch's t is undefined"):
        welch_rows(np.vstack([a[:1, :4], flat]), np.vstack([b[:1, :4], flat + 0.1]))  # among rows with spread


def test_the_table_of_the_studentized_range() -> None:
    """Guards the spline that very many values are read from, against the integral, to 1e-9, and far out."""
    q = np.concatenate([np.linspace(0, 12, MANY), [39.9, 45.0, 500.0]])
    some = np.r_[0:MANY:997, MANY : MANY + 3]
    for systems, df in ((2, 1), (3, 5), (300, 299), (1000, 4000)):
        many = studentized_range_sf(q, systems, df)
        assert many[some] == pytest.approx(studentized_range_sf(q[some], systems, df), abs=1e-9)


def test_pairs_are_made_when_somebody_looks() -> None:
    """Guards the list of pairs: length, one by one, slices, from the end, between, and the table's rows."""
    found = tg.compare(scores_of(generated(7, 15, seed=3)), test="paired-t")
    listed = list(found.pairs)
    assert len(found.pairs) == len(listed) == 21
    assert [found.pairs[i] for i in range(21)] == listed
    assert list(found.pairs[3:6]) == listed[3:6]
    assert found.pairs[-1] == listed[-1]
    with pytest.raises(IndexError):
        found.pairs[21]
    for c in listed:
        assert found.between(c.a, c.b) == found.between(c.b, c.a).turned() == c
    table = found.table()
    for row, c in zip(table.rows, listed, strict=True):
        assert row == (c.a, c.b, c.measure, c.value_a, c.value_b, c.difference, c.low, c.high, c.p, c.p_adjusted,
                       c.effect, c.n)  # fmt: skip
    with pytest.raises(TruegainError, match="were not compared"):
        found.between("s1", "nobody")


def test_missing_topics_in_many_patterns() -> None:
    """Guards pairs that go together by the topics they share, against each pair alone."""
    rng = np.random.default_rng(4)
    x = generated(9, 14, seed=5)
    x[rng.random(x.shape) < 0.15] = np.nan
    with pytest.warns(tg.DataWarning, match="of 36 pairs lack topics"):
        found = tg.compare(scores_of(x), test="paired-t")
    for c in found:
        a, b = x[int(c.a[1:])], x[int(c.b[1:])]
        there = ~np.isnan(a) & ~np.isnan(b)
        alone = paired_t(a[there], b[there])
        assert c.n == there.sum()
        assert c.p == pytest.approx(alone.p, rel=1e-9)
        assert (c.value_a, c.value_b) == pytest.approx((a[there].mean(), b[there].mean()))


def test_groups_of_many_systems_are_stretches() -> None:
    """Guards Tukey's groups of 600 systems, all maximal and complete, and a graph that is no set of stretches."""
    means = np.sort(np.random.default_rng(2).random(600))[::-1]
    differ = np.abs(means[:, None] - means) > 0.1
    groups = groups_of(differ)
    assert is_complete(differ, groups)
    for g in groups:
        assert g == tuple(range(g[0], g[-1] + 1))
        assert not differ[np.ix_(g, g)].any()
        assert g[0] == 0 or differ[g[0] - 1, g[-1]]
        assert g[-1] == 599 or differ[g[0], g[-1] + 1]
    torn = np.zeros((4, 4), np.bool_)
    torn[0, 1] = torn[1, 0] = True
    assert groups_of(torn) == ((0, 2, 3), (1, 2, 3))
    assert not is_complete(torn, [(0,), (1, 2, 3)])
    assert is_complete(torn, [(0, 2, 3), (1, 2, 3)])


def test_progress_is_told_pair_by_pair() -> None:
    """Guards the bar: every test tells each of its pairs once, the randomized Tukey test its permutations."""
    x = generated(8, 20, seed=1)
    for test in ("tukey-hsd", "paired-t", "sign", "randomization", "bootstrap"):
        told: list[int] = []
        tg.compare(scores_of(x), test=tg.PublishedTest(test, progress=told.append), resampling=tg.Resampling(n=600))
        assert sum(told) == 28, test
    told = []
    tg.compare(
        scores_of(x),
        test=tg.PublishedTest("randomized-tukey-hsd", progress=told.append),
        resampling=tg.Resampling(n=6000),
    )
    assert (sum(told), len(told) > 1) == (6000, True)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_progress_is_told_while_trials_grow(test: str) -> None:
    """Guards the bar where trials grow: every block of replicates is a sign of life, pairs are told as they settle."""
    told: list[int] = []
    found = tg.compare(
        scores_of(generated(8, 40, seed=1)),
        test=tg.PublishedTest(test, progress=told.append),
        resampling=tg.Resampling(n=50),
    )
    assert found.provenance["resamples"] == 1120
    assert sum(told) == 28
    assert len([pairs for pairs in told if pairs]) > 1
    assert 0 in told
