"""A judge by itself: how it is fitted, its levels, counts, shares and report."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from truegain.errors import DataWarning, TruegainError
from truegain.judge_error.confusion import rates_of
from truegain.judge_error.judge_quality import accuracy_by_topic


def test_the_note_of_an_inverted_judge_is_at_its_limit() -> None:
    """Guards where a judge is called inverted: below minus the bar times the standard error, and not before."""
    told = []
    for right in range(20):
        judge = tg.Judge.from_counts(relevant=(right, 20), nonrelevant=(20 - right, 40))
        rates = judge.rates(0.5, 0.0, 1.0, judge._clusters)
        d, se = rates.shrunk_d
        assert (judge.inverted() is not None) == (d < -rates.threshold * se)
        told.append(judge.inverted() is not None)
    assert 0 < sum(told) < 20


def test_a_judge_is_fitted_at_the_levels_asked_for() -> None:
    """Guards the gold level, gold pairs left out and told, and a scale that labels must be on."""
    bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    gold = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 2, "b": 2, "x": 0}}
    with pytest.warns(DataWarning, match="1 gold pair has no bronze label and is left out"):
        judge = tg.Judge.fit(bronze, gold, "random", gold_relevant_from=2, unmatched="drop")
    assert (judge.counts, judge.levels) == ((2.0, 3.0, 1.0, 2.0), (1, 2))
    assert judge.gold is not None
    with pytest.raises(tg.TruegainError, match="not on the scale"):
        tg.Judge.fit(bronze, gold, "random", scale="0,1", unmatched="drop")
    with pytest.raises(tg.TruegainError, match="how were the gold pairs sampled"):
        tg.Judge.fit(bronze, gold)
    with pytest.raises(tg.TruegainError, match="relevant P@10: give the smallest relevant label"):
        tg.Judge.fit(bronze, gold, "random", "P@10")  # type: ignore[arg-type]


COUNTS = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))


BRONZE = {str(t): {d: (t * 5 + i * 3) % 4 for i, d in enumerate("abcdef")} for t in range(6)}


GOLD = {t: {d: (b + (d == "c")) % 4 for d, b in row.items()} for t, row in BRONZE.items()}


def test_levels_of_a_judge() -> None:
    """Guards one level for both judges, or one each, and how a measure's level meets the judge's."""
    judge = tg.Judge.fit(BRONZE, GOLD, design="by-gold", relevant=2)
    assert (judge.levels, replace(judge, levels=(1, 3)).at_levels(2.0, None).levels) == ((2, 2), (2.0, 3))
    assert judge.at_levels(None, 3.0) is judge
    assert judge.at_levels(2.0, None) is judge
    assert judge.at_levels(1.0, None).levels == (1.0, 1.0)
    assert judge.at_levels(1.0, 3.0).levels == (1.0, 3.0)
    assert COUNTS.at_levels(2.0, None) is COUNTS  # of counts the level is not known
    cells = [(b >= 1, g >= 3) for t in GOLD for b, g in zip(BRONZE[t].values(), GOLD[t].values(), strict=True)]
    assert judge.at_levels(1.0, 3.0).counts == tuple(
        float(sum(x)) for x in ((b and g for b, g in cells), (g for _, g in cells),
                                (not b and not g for b, g in cells), (not g for _, g in cells))
    )  # fmt: skip


@pytest.mark.parametrize("pair", [(0, 0), (-1, 5), (6, 5)])
def test_counts_that_are_none(pair: tuple[float, float]) -> None:
    """Guards what counts may be: right from 0 to all, of at least one; each kind by itself."""
    with pytest.raises(TruegainError, match=r"^relevant"):
        tg.Judge.from_counts(pair, (4, 5))
    with pytest.raises(TruegainError, match=r"^nonrelevant"):
        tg.Judge.from_counts((4, 5), pair)
    judge = tg.Judge.from_counts((5, 5), (0, 5))
    assert (judge.sensitivity, judge.specificity, judge.informedness, judge.counts) == (
        1.0,
        0.0,
        0.0,
        (5.0, 5.0, 0.0, 5.0),
    )


def test_a_bronze_mean_impossible() -> None:
    """Guards both ends, which are within reach themselves."""
    judge = tg.Judge.from_counts((3, 4), (3, 4))
    assert [len(judge.impossible(j)) for j in (0.25, 0.75, 0.5, 0.2499, 0.7501)] == [0, 0, 0, 1, 1]
    assert "is 0.100, but this judge calls 0.250 of the other documents relevant" in judge.impossible(0.1)[0]


@pytest.mark.parametrize(("j", "told"), [(0.5, False), (0.41, False), (0.35, True), (0.65, True), (None, False)])
def test_gold_drawn_at_random_looks_like_the_whole(j: float | None, told: bool) -> None:
    """Guards the test of bronze shares of counts alone: 100 of 200 gold pairs relevant by bronze, normal at 1%."""
    judge = tg.Judge.from_counts((80, 100), (80, 100), design="random")
    p = 1.0 if j is None else 2 * stats.norm.sf(abs(0.5 - j) / math.sqrt(0.25 / 200))
    assert (p < 0.01) == told
    notes = judge.consistency(j)
    assert any("drawn at random" in note for note in notes) == told
    assert not tg.Judge.from_counts((80, 100), (80, 100)).consistency(0.65)


def shares(seed: int, strange: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Bronze labels of ten topics and gold ones of the first documents, of which so many more are bronze-relevant."""
    rng = np.random.default_rng(seed)
    bronze = {
        str(t): {f"d{i}": int(rng.random() < 0.4) if i >= 8 else int(i < strange + t % 2) for i in range(40)}
        for t in range(10)
    }
    gold = {t: {d: 1 - b if d == "d3" else b for d, b in list(row.items())[:8]} for t, row in bronze.items()}
    return bronze, gold


@pytest.mark.parametrize(("strange", "told"), [(3, False), (4, True)])
def test_shares_of_bronze_labels_over_topics(strange: int, told: bool) -> None:
    """Guards the same test with topics as clusters: share in the gold pairs less that of all, t over topics."""
    bronze, gold = shares(1, strange)
    judge = tg.Judge.fit(bronze, gold, design="random")
    whole = np.mean([b for row in bronze.values() for b in row.values()])
    by_topic = [np.mean([bronze[t][d] for d in gold[t]]) for t in gold]
    p = stats.ttest_1samp(by_topic, whole).pvalue
    assert (p < 0.01) == told
    assert any("drawn at random" in note for note in judge.consistency()) == told
    if told:
        assert (
            f"calls {np.mean(by_topic):.1%} of the gold pairs relevant and {whole:.1%} of all" in judge.consistency()[0]
        )


def test_pairs_that_count_differently() -> None:
    """Guards weights by pair: ratios only, 0 leaves a pair out, beside its own weight; none at all is refused."""
    judge = tg.Judge.fit(BRONZE, GOLD, design="by-gold", weights=np.arange(1.0, 37))
    assert judge.pairs is not None
    counts = np.where(np.arange(36) % 5 == 0, 0.0, 1.0 + np.arange(36) % 3)
    found = judge.reweighted(counts)
    heavy = judge.pairs.weight * counts
    for kind, rate in ((True, found.sensitivity), (False, found.specificity)):
        of = (judge.pairs.gold >= 1) == kind
        right = ((judge.pairs.bronze >= 1) == kind) & of
        assert rate == pytest.approx(heavy[right].sum() / heavy[of].sum())
    assert found.size == int((counts > 0).sum())
    assert found.counts == pytest.approx(judge.reweighted(7 * counts).counts)
    with pytest.raises(TruegainError, match="none of the gold pairs"):
        judge.reweighted(np.zeros(36))
    with pytest.raises(TruegainError, match="known only by counts"):
        COUNTS.reweighted([1.0])


def test_tables_of_a_judge() -> None:
    """Guards what is shown: counts whole where they are, shares, levels that differ, topics where there are several."""
    judge = tg.Judge.fit(BRONZE, GOLD, design="by-gold", relevant=(1, 2), weights=np.full(36, 0.5))
    row = accuracy_by_topic(judge).rows[0]
    relevant = [g >= 2 for g in GOLD["0"].values()]
    right = [b >= 1 for b in BRONZE["0"].values()]
    assert row[:2] == ("0", sum(relevant) / 2)
    assert row[2] == pytest.approx(sum(r and g for r, g in zip(right, relevant, strict=True)) / sum(relevant))
    assert "relevant from 2, by bronze from 1" in str(judge)
    assert "from 6 topics" in str(judge)
    assert "topics" not in str(COUNTS)
    assert "relevant from" not in str(COUNTS)
    assert "; relevant from 3)" in str(judge.at_levels(3.0, 3.0))
    of_label = judge.table().rows[2]
    mine = [b for t in GOLD for d, b in BRONZE[t].items() if GOLD[t][d] == 2]
    assert of_label[:2] == ("2", len(mine) / 2 if len(mine) % 2 else len(mine) // 2)
    assert of_label[2:] == pytest.approx([mine.count(k) / len(mine) for k in range(4)])


def test_pairs_of_a_label_from_one_topic_are_independent() -> None:
    """Guards the fallback of what is shown: without several topics of either kind the spread is a binomial one."""
    bronze = {"1": {"a": 1, "b": 0, "c": 0, "d": 1, "e": 0}, "2": {"a": 0, "b": 1}}
    one = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}, "2": {"a": 0, "b": 0}}, design="by-gold")
    assert one._clusters == "none"
    two = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}, "2": {"a": 0, "b": 1}}, design="by-gold")
    assert two._clusters == "topics"
    with pytest.raises(TruegainError, match="gold-relevant pairs come from 1 topic"):
        rates_of(one.binary, 0.5, 0.01, 10)
    plain = rates_of(one.binary, 0.5, 0.01, 10, over_topics=False)
    assert (plain.corr_rn, plain.df_r, plain.size_r, plain.size_n) == (0.0, math.inf, 2.0, 5.0)
