"""Comparisons of many systems: pairs, groups, missing topics, mistakes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.judge_error.matrices import generated, scores_of, trec8_ap
from tests.judge_error.one_pair import paired_t
from truegain.errors import DataWarning, TruegainError
from truegain.stats.contrasts import tiers_of
from truegain.stats.multiple_testing import Trials, adjust
from truegain.stats.results import ResultList
from truegain.stats.significance import TESTS
from truegain.stats.significance.anova import tukey_hsd
from truegain.stats.significance.comparisons import Comparisons, groups_of, is_complete, marks
from truegain.study import compare as comparing


@pytest.mark.parametrize("test", TESTS)
def test_what_holds_for_every_test(test: str) -> None:
    """Guards means best first, pairs as the runs come, p in [0, 1], and the same answer for topics in another order."""
    x = generated(5, 13, seed=1)
    found = tg.compare(scores_of(x), test=test, resampling=tg.Resampling(n=9000))
    assert len(found) == 10
    means = [m.value for m in found.means]
    assert means == sorted(means, reverse=True)
    assert [(c.a, c.b) for c in found] == list(combinations([f"s{i}" for i in range(5)], 2))
    assert all(c.difference == c.value_b - c.value_a and c.p is not None and 0 <= c.p <= 1 for c in found)
    assert np.array_equal(found.p, found.p.T)
    pair = found.between("s1", "s3")
    assert pair.difference == pytest.approx(x[3].mean() - x[1].mean())
    assert pair.n == 13
    if test not in ("bootstrap", "randomized-tukey-hsd"):  # which draw anew
        turned = tg.compare(scores_of(x[:, ::-1]), test=test, resampling=tg.Resampling(n=9000))
        assert turned.p == pytest.approx(found.p, abs=1e-9)


def test_one_infinite_score_is_refused() -> None:
    """Guards tests of pairs: a mean with it would be infinite."""
    x = generated(3, 20, seed=3)
    x[1, 4] = np.inf
    with pytest.raises(TruegainError, match="there are infinite scores"):
        tg.compare(scores_of(x, "YAAP"), test="paired-t")


def test_pairs_are_tested_and_adjusted() -> None:
    """Guards p, interval, effect and Holm's adjustment of all pairs, against the tests one by one."""
    x = generated(5, 20, seed=3)
    found = tg.compare(scores_of(x), test="paired-t", confidence=0.9)
    ps = []
    for c in found:
        t = paired_t(x[int(c.a[1:])], x[int(c.b[1:])], confidence=0.9)
        assert (c.difference, c.low, c.high, c.p) == pytest.approx((t.difference, t.low, t.high, t.p), abs=1e-12)
        assert c.effect == pytest.approx(t.statistic / np.sqrt(20))
        ps.append(t.p)
    assert [c.p_adjusted for c in found] == pytest.approx(adjust(ps, "holm"))
    assert found.significant == (adjust(ps, "holm") < 0.1).sum()
    plain = tg.compare(scores_of(x), test="paired-t", adjust="none")
    assert [c.p_adjusted for c in plain] == [c.p for c in plain]


def test_tukey_pairs() -> None:
    """Guards p, the simultaneous interval and ES_HSD of Tukey's test; an adjustment on top is not applied, and told."""
    x = generated(4, 20, seed=4)
    with pytest.warns(DataWarning, match="holm is not applied"):
        found = tg.compare(scores_of(x), test="tukey-hsd", adjust="holm")
    tukey = tukey_hsd(x)
    for c in found:
        i, j = int(c.a[1:]), int(c.b[1:])
        assert c.p == pytest.approx(tukey.p[i, j], abs=1e-12)
        assert c.p_adjusted is None
        margin = tukey.margin or 0
        assert (c.low, c.high) == pytest.approx((c.difference - margin, c.difference + margin))
        assert c.effect == pytest.approx(c.difference / np.sqrt(tukey.anova.v_e))
    assert found.pairs[0].effect_name == "ES_HSD (V_E2)"
    assert "effect size: ES_HSD (V_E2), the difference over the residual standard deviation of the two-way ANOVA" in (
        found.table().notes
    )
    assert tg.compare(scores_of(x), test="one-way-tukey-hsd").pairs[0].effect_name == "ES_HSD (V_E1)"


def test_a_baseline() -> None:
    """Guards all against one: as many pairs as others, adjusted for these only, the baseline first in each."""
    x = generated(6, 20, seed=5)
    found = tg.compare(scores_of(x), test="paired-t", baseline="s2")
    assert len(found) == 5
    assert {c.a for c in found} == {"s2"}
    assert [c.p_adjusted for c in found] == pytest.approx(adjust([c.p or 0 for c in found], "holm"))
    assert np.isnan(found.p).sum() == 20
    with pytest.raises(TruegainError, match="groups need all pairs"):
        found.groups()
    with pytest.raises(TruegainError, match="were not compared"):
        found.between("s1", "s3")


def test_missing_topics() -> None:
    """Guards that a pair loses the topics it lacks, and only these; Tukey loses them for all; both tell."""
    x = generated(4, 12, seed=6)
    holed = x.copy()
    holed[0, :2], holed[1, 5] = np.nan, np.nan
    for test in ("paired-t", "randomization"):
        with pytest.warns(DataWarning, match="5 of 6 pairs lack topics"):
            found = tg.compare(scores_of(holed), test=test, resampling=tg.Resampling(n=5000))
        assert found.between("s2", "s3").n == 12
        assert found.between("s0", "s1").n == 9
        kept = [t for t in range(12) if t not in (0, 1, 5)]
        alone = tg.compare(scores_of(x[:2][:, kept]), test=test, resampling=tg.Resampling(n=5000))
        assert found.between("s0", "s1").p == pytest.approx(alone.pairs[0].p, abs=1e-12)
    with pytest.warns(DataWarning, match="3 of 12 topics"):
        assert tg.compare(scores_of(holed)).pairs[0].n == 9
    holed[2, 1:] = np.nan
    with pytest.warns(DataWarning), pytest.raises(TruegainError, match="topics in common"):
        tg.compare(scores_of(holed), test="sign")


def test_from_runs_and_judgments() -> None:
    """Guards the road from files to comparisons, with the options of evaluate on the way."""
    qrels = {str(t): {"a": 1, "b": 1} for t in range(4)}
    runs = {
        "good": {str(t): {"a": 2.0, "b": 1.0} for t in range(4)},
        "fair": {str(t): {"a": 2.0, "x": 1.5 - t, "b": 1.0} for t in range(3)},
    }
    with pytest.warns(DataWarning):
        short = tg.compare(runs, qrels, "AP", test="sign")
    with pytest.warns(DataWarning):
        whole = tg.compare(runs, qrels, "AP", test="sign", scoring=tg.Scoring(all_topics=True))
    assert (short.pairs[0].n, whole.pairs[0].n) == (3, 4)
    assert whole.provenance["all_topics"] is True
    assert (whole.provenance["test"], whole.provenance["adjust"]) == ("sign", "holm")


def test_mistakes_are_told() -> None:
    """Guards clear refusals: names, systems, measures, and a constant difference named by its systems."""
    x = generated(3, 8, seed=7)
    scores = scores_of(x)
    calls: list[tuple[Callable[[], Comparisons], str]] = [
        (lambda: tg.compare(scores, test="anova"), "test 'anova' is not known; give one of tukey-hsd"),
        (lambda: tg.compare(scores, adjust="x"), "adjustment 'x'"),
        (lambda: tg.compare(scores, baseline="x"), "baseline 'x' is not a system here"),
        (lambda: tg.compare(scores, confidence=95), "confidence 95"),
        (lambda: tg.compare(scores, measures="P@5"), "no measure 'P@5' here"),
        (lambda: tg.compare(scores, {"1": {"a": 1}}), "these are scores already"),
        (lambda: tg.compare({"a": {"1": {"a": 1.0}}}), "judgments are missing"),
        (lambda: tg.compare({"a": {"1": {"a": 1.0}}}, {"1": {"a": 1}}), "which measure"),
        (lambda: tg.compare(scores_of(x[:1])), "at least 2 systems"),
    ]
    for call, said in calls:
        with pytest.raises(TruegainError, match=said):
            call()
    shifted = np.vstack([x, x[0] + 0.1])
    for test in ("paired-t", "bootstrap"):
        with pytest.raises(TruegainError, match=r"s0 and s3: all 8 differences are 0\.1"):
            tg.compare(scores_of(shifted), test=test, adjust="bh")
    assert tg.compare(scores_of(shifted), test="sign").between("s0", "s3").effect is None


def test_a_geometric_mean_is_compared_in_logarithms() -> None:
    """Guards GMAP: the paired t test of log AP, floor 0.00001, with a note; never the test of AP under its name."""
    x = generated(3, 12, seed=9)
    x[0, 0] = 0.0
    found = tg.compare(scores_of(x, "GMAP"), test="paired-t", adjust="none")
    logs = np.log(np.maximum(x, 1e-5))
    for c in found:
        t = paired_t(logs[int(c.a[1:])], logs[int(c.b[1:])])
        assert (c.difference, c.low, c.high, c.p) == pytest.approx((t.difference, t.low, t.high, t.p), abs=1e-12)
    assert found.notes[0].startswith("GMAP is a geometric mean: natural logarithms are compared")
    assert all(np.log(1e-5) <= m.low <= m.high <= 0 for m in found.means)
    assert tg.compare(scores_of(x, "GMAP")).notes[0] == found.notes[0]


def test_a_total_is_compared_by_its_mean_and_says_so() -> None:
    """Guards num_rel_ret: values are means over topics, not the totals that eval prints, and a note tells."""
    x = np.round(20 * generated(3, 12, seed=9))
    found = tg.compare(scores_of(x, "NumRelRet"))
    assert sorted(m.value for m in found.means) == pytest.approx(sorted(x.mean(axis=1)))
    assert found.notes[0] == "NumRelRet is a total over topics; its mean over topics is compared"
    assert all(m.low >= 0 for m in found.means)


def test_limits_stay_inside_the_bounds_of_the_measure() -> None:
    """Guards the limits of means and of differences: few topics, wide intervals, scores near 0 and near 1."""
    rng = np.random.default_rng(3)
    x = np.vstack([rng.beta(0.1, 2, (2, 4)), rng.beta(2, 0.1, (2, 4))])
    for test in TESTS:
        found = tg.compare(scores_of(x), adjust=None, test=test, resampling=tg.Resampling(n=200))
        assert all(0 <= m.low <= m.high <= 1 for m in found.means), test
        for c in found:
            assert c.low is None or c.high is None or (-1 <= c.low <= c.difference <= c.high <= 1)
    wide = tg.compare(scores_of(x), test="paired-t")
    assert any(m.low == 0 for m in wide.means)
    assert any(c.high == 1 for c in wide)
    endless = tg.compare(scores_of(x, "DCG@10"), test="paired-t").means  # which has no greatest value
    assert max(m.high for m in endless) > 1


def test_what_is_not_a_test_of_means_says_so() -> None:
    """Guards the notes of wilcoxon and sign, and that tests of means carry none; few topics are told by all."""
    x = generated(3, 12, seed=2)
    for test in TESTS:
        notes = " ".join(tg.compare(scores_of(x), test=test, resampling=tg.Resampling(n=2000)).notes)
        assert ("not whether the means are equal" in notes) == (test in ("wilcoxon", "sign")), test
        assert "with only" not in notes
        assert "with only 9 topics" in " ".join(
            tg.compare(scores_of(x[:, :9]), test=test, resampling=tg.Resampling(n=2000)).notes
        )
    assert "the differences are symmetric about 0" in tg.compare(scores_of(x), test="wilcoxon").table().notes[0]


def test_fewer_than_3_topics_are_refused() -> None:
    """Guards against limits of 2 topics: refused by all tests, whether topics are few or are lacking."""
    x = generated(3, 5, seed=2)
    for test in TESTS:
        with pytest.raises(TruegainError, match="at least 3"):
            tg.compare(scores_of(x[:, :2]), test=test)
    x[0, 2:] = np.nan
    for test in ("tukey-hsd", "sign"):
        with pytest.warns(DataWarning), pytest.raises(TruegainError, match="at least 3"):
            tg.compare(scores_of(x), test=test)


def test_groups_say_exactly_who_differs() -> None:
    """Guards the letters: two systems share a group if and only if they do not differ, in any graph of differences."""
    rng = np.random.default_rng(9)
    for m in (2, 3, 5, 8):
        for share in (0.0, 0.2, 0.5, 0.8, 1.0):
            differ = np.triu(rng.random((m, m)) < share, 1)
            differ = differ | differ.T
            groups = groups_of(differ)
            assert is_complete(differ, groups)
            for i, j in combinations(range(m), 2):
                assert any(i in g and j in g for g in groups) == (not differ[i, j])
            for g, h in combinations(groups, 2):
                assert not set(g) <= set(h)
                assert not set(h) <= set(g)


def test_groups_where_letters_would_be_too_many() -> None:
    """Guards readability: beyond so many groups only stretches of the ranking, still without a difference inside."""
    differ = np.triu(np.random.default_rng(1).random((60, 60)) < 0.3, 1)
    differ = differ | differ.T
    groups = groups_of(differ)
    assert len(groups) <= 60
    assert not is_complete(differ, groups)
    assert all(g == tuple(range(g[0], g[-1] + 1)) and not differ[np.ix_(g, g)].any() for g in groups)
    assert {i for g in groups for i in g} == set(range(60))
    assert len(marks(groups, 60)) == 60


def test_the_tables() -> None:
    """Guards what people read: pairs for few systems, groups for many, counts in the title."""
    few = tg.compare(scores_of(generated(3, 20, seed=2)), test="paired-t")
    assert str(few).startswith(f"AP: {few.significant} of 3 pairs differ (paired-t, holm, p < 0.05)\n")
    names = ("a", "b", "measure", "value_a", "value_b", "difference", "low", "high", "p", "p_adjusted", "effect", "n")
    assert few.table().columns == names
    many = tg.compare(scores_of(generated(9, 20, seed=2, effect=0.2)))
    table = many.group_table()
    assert str(many) == str(table)
    assert table.columns == ("system", "mean", "low", "high", "group", "differs_from")
    assert [row[0] for row in table.rows] == list(many.systems)
    assert [row[5] for row in table.rows] == list(many.differ.sum(axis=1))
    assert sum(len(g) > 0 for g in many.groups()) == len({c for row in table.rows for c in str(row[4]) if c != "-"})


def test_trec8_stays_readable(shared_data: Path) -> None:
    """Guards 129 systems: 3,423 of 8,256 pairs, groups that are stretches of the ranking, no line over 100 columns."""
    found = tg.compare(scores_of(trec8_ap(shared_data)))
    assert (found.significant, len(found)) == (3423, 8256)
    assert len(found.groups()) <= 129
    rows = [i for i, s in enumerate(found.systems) if s in found.groups()[3]]
    assert rows == list(range(rows[0], rows[-1] + 1))
    lines = str(found).splitlines()
    assert lines[0] == "AP: 3,423 of 8,256 pairs differ (tukey-hsd, p < 0.05)"
    assert max(map(len, lines)) <= 100


def test_a_comparison_is_answers_like_others() -> None:
    """Guards the one container: pairs by number, in slices, as a frame and as records, with means as estimates."""
    found = tg.compare(scores_of(generated(4, 12, seed=2)), test="paired-t")
    assert isinstance(found, ResultList)
    assert (len(found), found[0], list(found[4:])) == (6, found.pairs[0], list(found)[4:])
    assert found.frame().columns == list(found.table().columns)
    assert len(found.to_dict()["rows"]) == 6
    assert tuple(m.system for m in found.means) == found.systems
    assert found.significant == sum(c.differs for c in found) == int(np.triu(found.differ, 1).sum())


@pytest.mark.parametrize("test", ["paired-t", "tukey-hsd"])
def test_three_topics_are_enough_and_ten_are_not_few(test: str) -> None:
    """Guards the least number of topics, and the number from which on nothing is said of it."""
    said = "with only "
    assert said in " ".join(tg.compare(scores_of(generated(3, 3)), test=test).notes)
    assert said in " ".join(tg.compare(scores_of(generated(3, 9)), test=test).notes)
    assert said not in " ".join(tg.compare(scores_of(generated(3, 10)), test=test).notes)
    with pytest.raises(TruegainError, match="at least 3"):
        tg.compare(scores_of(generated(3, 2)), test=test)


def test_an_effect_that_some_pairs_lack() -> None:
    """Guards the column of effects where one pair has no spread to divide by, and where none has."""
    x = np.array([[0.1, 0.4, 0.2, 0.6], [0.35, 0.65, 0.45, 0.85], [0.3, 0.1, 0.9, 0.8]])
    found = tg.compare(scores_of(x), test="randomization")
    rows = {(row[0], row[1]): dict(zip(found.table().columns, row, strict=True)) for row in found.table().rows}
    assert sum(row["effect"] is None for row in rows.values()) == 1
    assert [c.effect is None for c in found.pairs].count(True) == 1
    assert found.between("s0", "s1").effect is None
    alone = tg.compare(scores_of(x[:2]), test="randomization")
    assert "effect" not in alone.table().columns
    same = tg.compare(scores_of(x[[0, 0]]), test="sign")
    assert (same.pairs[0].effect, same.pairs[0].p, same.pairs[0].difference) == (0.0, 1.0, 0.0)
    assert tg.compare(scores_of(x[[0, 0]]), test="welch").pairs[0].effect == 0.0


def test_what_a_comparison_takes_and_refuses() -> None:
    """Guards the roles of scores, judgments, measure and options, the matrix of p, and settings nobody gave."""
    x = generated(4, 12, seed=1)
    found = tg.compare(scores_of(x), baseline="s2")
    p = found.p
    assert np.diag(p).tolist() == [1.0] * 4
    at = found.systems.index("s2")
    assert np.isnan(p).sum() == 6
    assert np.isfinite(p[at]).all()
    assert len(found) == 3
    assert [c.a for c in found] == ["s2"] * 3
    assert (found.means[0].confidence, found.alpha) == (0.95, 0.05)
    assert Trials() == Trials(10_000, None, 0, 0.95, None, "plus-one")
    run, qrels = {"1": {"a": 1.0}}, {"1": {"a": 1}}
    wrong: list[tuple[Any, str]] = [
        (lambda: tg.compare(scores_of(x), qrels), "these are scores already"),
        (lambda: tg.compare(scores_of(x), scoring=tg.Scoring(depth=3)), "these are scores already"),
        (lambda: tg.compare({"a": run}), "judgments are missing"),
        (lambda: tg.compare({"a": run}, qrels), "which measure"),
        (lambda: tg.compare({"a": run, "b": run}, None, "AP", gold=qrels), "gold labels correct runs"),
        (lambda: tg.compare({"a": run, "b": run}, qrels, None, gold=qrels), "gold labels correct runs"),
        (lambda: tg.compare(scores_of(x), qrels, "AP", gold=qrels), "gold labels correct runs"),
        (lambda: tg.compare({"a": run}, qrels, "AP", gold=qrels, test="sign"), "leave it out"),
        (lambda: tg.compare(scores_of(x), adjust="nothing"), "is not known"),
        (lambda: tg.compare(scores_of(x), test="nothing"), "test .nothing. is not known"),
    ]
    for call, message in wrong:
        with pytest.raises(TruegainError, match=message):
            call()


def test_pairs_wanted_are_all_or_those_of_the_baseline() -> None:
    """Guards order and roles: as the runs come, or the baseline first, each pair once."""
    places = np.array([2, 0, 3, 1])
    first, second = comparing._wanted(places, None)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == list(itertools.combinations([2, 0, 3, 1], 2))
    first, second = comparing._wanted(places, 1)
    assert (first.tolist(), second.tolist()) == ([0, 0, 0], [2, 3, 1])


def test_geometric_means_are_cut_at_the_floor() -> None:
    """Guards the logarithms: 0 counts as 1e-5, limits of means end at log(1e-5) and log(1)."""
    x = np.array([[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.02]])
    scores = scores_of(x, "GMAP")
    found = tg.compare(scores, test="paired-t", confidence=0.99)
    floor = math.log(1e-5)
    assert [m.value for m in found.means] == pytest.approx([math.log(0.02) / 4, 3 * floor / 4])
    assert [m.high for m in found.means] == [0.0, 0.0]
    assert found.means[1].low == pytest.approx(floor)
    one = found.pairs[0]
    assert one.low == pytest.approx(floor)
    assert one.high == pytest.approx(-floor)


def test_tiers_are_those_of_a_ranking() -> None:
    """Guards tiers: by hand of random pairs, as a study ranks them, and all pairs are needed."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = int(rng.integers(2, 9))
        differ = np.triu(rng.random((n, n)) < 0.5, 1)
        differ |= differ.T
        tiers, left, tier = [0] * n, list(range(n)), 0
        while left:
            tier += 1
            here = [i for i in left if not differ[left[0], i]]
            for i in here:
                tiers[i] = tier
            left = [i for i in left if i not in here]
        assert tiers_of(np.triu(differ))[0].tolist() == tiers
    runs = {s: {str(t): {"a": 1.0 + (t + n) % 3, "b": 2.5} for t in range(6)} for n, s in enumerate("xyz")}
    qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    assert tg.compare(runs, qrels, "P@1").tiers() == (1, 1, 1)
    with pytest.raises(tg.TruegainError, match="need all pairs"):
        tg.compare(runs, qrels, "P@1", baseline="x").tiers()
