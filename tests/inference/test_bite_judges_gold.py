"""Small faults in scores set right by gold topics or gold pairs: each held against a value found another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from truegain.gains.rectified import Rectified
from truegain.gains.rectify import slope_of
from truegain.inference.judges.rectified import _wider, differences_of, estimates_of, rectified, slope_notes, tell_wider

import truegain as tg
from tests.worlds import EBAY, study
from truegain.errors import TruegainError
from truegain.inference.judges.sources import GoldPairs, GoldTopics, expansion_by_judge, source_of
from truegain.measures.evaluate import Options, aligned
from truegain.measures.parse import parse_measure
from truegain.tables.judgments import Judgments

P3 = parse_measure("P@3")
RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)
RANKED = aligned(RUNS, BRONZE, Options())
JUDGE = tg.Judge.fit(BRONZE, GOLD, design="by-gold")


def items(labels: dict[str, dict[str, int]]) -> np.ndarray:
    """Labels of the pool's items."""
    frame, out = Judgments.of(BRONZE), np.full(len(RANKED.pool), np.nan)
    where = RANKED.pool.find(frame.topic, frame.docs).tolist()
    for (topic, doc), at in zip(frame.frame.select("topic", "doc").iter_rows(), where, strict=True):
        out[at] = labels.get(topic, {}).get(doc, np.nan)
    return out


# ---------------------------------------------------------------------- gold topics and gold pairs


def test_gold_topics_say_how_bronze_is_used() -> None:
    """Guards the slope at a half, one system or several, and what is said from 20 gold topics on."""
    rng = np.random.default_rng(3)
    bronze = rng.random((2, 30))
    for topics, steep in ((19, 0.8), (20, 0.8), (20, 0.2), (19, 0.2)):
        gold = np.where(np.arange(30) < topics, steep * bronze + 0.1 + 0.02 * rng.normal(size=(2, 30)), np.nan)
        both, one = GoldTopics(bronze, gold, (0.0, 1.0)), GoldTopics(bronze[:1], gold[:1], (0.0, 1.0))
        assert both.slope == pytest.approx(slope_of(bronze, gold))
        assert (both.gold_topics, both.helps, one.helps) == (topics, steep > 0.5, True)
        told = slope_notes(both, P3)[0]
        assert f"P@3, {topics} gold topics" in told
        assert f"bronze scores is {both.slope:.2f}, so" in told
        assert ("a slope of its own" in told) == (steep > 0.5 and topics == 20)
        assert ("bronze scores count in full" in told) == (steep > 0.5 and topics == 19)
        assert ("stand alone" in told) == (steep < 0.5)
        assert ("they are used, by that slope" in slope_notes(one, P3)[0]) == (topics == 20)
        assert both.estimate(0, None).bounds == (0.0, 1.0)
        assert both.estimate(1, 0).bounds is None
    even = np.tile([0.0, 1.0], 15)[None].repeat(2, axis=0)
    tie = GoldTopics(even, np.where(np.arange(30) < 10, 0.5 * even, np.nan), (0.0, 1.0))
    assert (tie.slope, tie.helps) == (0.5, False)
    held = GoldTopics(np.array([[0.0] * 9 + [1.0] * 6]), np.array([[0.0] * 9 + [np.nan] * 6]) + 1, (0.0, 1.0))
    assert held.estimate(0, None).value == 1.0
    free = GoldTopics(held.bronze, held.gold, (0.0, math.inf)).estimate(0, None)
    assert free.bounds is None
    assert GoldTopics(held.bronze, held.gold, (-math.inf, math.inf)).estimate(0, None).bounds is None
    assert free.value == pytest.approx(1.4)


def test_an_interval_that_bronze_widens() -> None:
    """Guards the comparison with gold alone: wider counts, as wide or not used does not; the worst is named."""
    wide = Rectified(0.5, 0.2, 9, 1.0, 0.5, 0.1, 9, 20, 10)
    assert _wider(wide, 0.95)
    assert not _wider(Rectified(0.5, 0.1, 9, 1.0, 0.5, 0.1, 9, 20, 10), 0.95)
    assert not _wider(Rectified(0.5, 0.2, 9, 0.0, 0.5, 0.1, 9, 20, 10), 0.95)
    assert not _wider(Rectified(0.5, 0.2, 9, 1.0, 0.5, 0.0, 9, 20, 10), 0.95)
    large, worst = Rectified(0.5, 0.4, 9, 1.0, 0.5, 0.2, 9, 20, 10), Rectified(0.5, 0.03, 9, 1.0, 0.5, 0.01, 9, 20, 10)
    fine = Rectified(0.5, 0.1, 9, 1.0, 0.5, 0.2, 9, 20, 10)
    with pytest.warns(
        UserWarning, match=r"widen 2 of 3 intervals of P@3 \(x, y\); most for y, 0\.1357 against 0\.0452"
    ):
        tell_wider([large, worst, fine], 0.95, ["x", "y", "z"], " of P@3")
    tell_wider([fine], 0.95, ["z"])


def test_scores_and_differences_by_gold_topics() -> None:
    """Guards value, interval, p and notes of estimates and of b - a, and a pair that cannot be told."""
    gold = items({t: row for t, row in GOLD.items() if int(t) < 8})
    source = source_of(RANKED, gold, P3, "topics", None, "auto")
    assert isinstance(source, GoldTopics)
    truth = {n: {t: np.mean([GOLD[t][f"{n}{i}"] for i in range(3)]) for t in GOLD} for n in "ab"}
    for s, name in enumerate("ab"):
        expected = [truth[name][t] if int(t) < 8 else math.nan for t in RANKED.topics]
        assert source.gold[s] == pytest.approx(np.array(expected), nan_ok=True)
    found = estimates_of(source, RANKED.systems, P3, 0.9)
    again = rectified(RANKED, gold, P3, design="topics", confidence=0.9)
    assert [e.value for e in found] == [e.value for e in again]
    r = source.estimate(1, None)
    assert (found[1].value, found[1].low, found[1].high) == pytest.approx((r.value, *r.interval(0.9)))
    assert found[1].notes == (f"8 of 12 topics; weight of the bronze score {r.tuning:.2f}",)
    one, refused = differences_of(source, RANKED.systems, P3, [(0, 1)], 0.9)
    d = source.estimate(1, 0)
    assert (one[0].a, one[0].b, refused) == ("a", "b", [])
    assert (one[0].difference, one[0].p) == pytest.approx((d.value, d.p_value()))
    hole = GoldTopics(source.bronze, source.gold.copy(), source.bounds)
    hole.gold[1, :5] = np.nan
    assert hole.gold_topics == 8
    many = GoldTopics(
        np.vstack([hole.bronze, hole.bronze[:1] * 0.5]), np.vstack([hole.gold, hole.gold[:1]]), (0.0, 1.0)
    )
    some, why = differences_of(many, ("a", "b", "c"), P3, [(0, 1), (0, 2)], 0.95)
    assert [c.b for c in some] == ["c"]
    assert why[0].startswith("b - a, P@3: ")
    with pytest.raises(TruegainError, match=r"^b - a, P@3: "):
        differences_of(many, ("a", "b", "c"), P3, [(0, 1)], 0.95)
    with pytest.raises(TruegainError, match=r"^b, P@3: "):
        estimates_of(many, ("a", "b", "c"), P3, 0.95)


def test_whole_topics_are_six_or_all() -> None:
    """Guards the least of whole gold topics, topics judged in part, and bounds by labels where the measure has none."""
    six = {t: row for t, row in GOLD.items() if int(t) < 6}
    source_of(RANKED, items(six), P3, "topics", None, "topics")
    five = {t: row for t, row in six.items() if int(t) < 5} | {"7": {"a0": 1}}
    with pytest.raises(TruegainError, match=r"^5 of 12 topics have a gold label for every judged pair, 1 for some"):
        source_of(RANKED, items(five), P3, "topics", None, "auto")
    with pytest.warns(UserWarning, match=r"^1 topics are gold-judged in part"):
        source_of(RANKED, items(six | {"7": {"a0": 1}}), P3, "topics", None, "auto")
    few = aligned({n: {t: RUNS[n][t] for t in "012"} for n in "ab"}, {t: BRONZE[t] for t in "012"}, Options())
    whole = source_of(few, np.ones(len(few.pool)), P3, "topics", None, "auto")
    assert isinstance(whole, GoldTopics)
    assert whole.gold_topics == 3
    total = 1 + 1 / math.log2(3) + 0.5
    for low, high, labels in ((0.0, 5.0, (2.0, 3.0)), (0.0, 5.0, (0.0, 2.0))):
        gold = np.where(np.arange(len(RANKED.pool)) % 2, labels[0], 5.0)
        shifted = aligned(RUNS, {t: {d: int(labels[g]) for d, g in r.items()} for t, r in BRONZE.items()}, Options())
        for design in ("topics", "random"):
            found = source_of(shifted, gold, parse_measure("DCG@3"), design, None, "auto")
            assert found.bounds == pytest.approx((low * total, high * total))
    for measure in ("P@3", "RBP(rel=1)"):
        assert source_of(RANKED, items(GOLD), parse_measure(measure), "topics", None, "auto").bounds == (0.0, 1.0)
    below = parse_measure("CG(gains={0:-1,1:2})@3")
    for design in ("topics", "random"):
        assert source_of(RANKED, items(GOLD), below, design, None, "auto").bounds == pytest.approx((-3.0, 6.0))


@pytest.mark.parametrize(
    ("design", "measure", "method", "said"),
    [("by-gold", "P@3", "auto", "cannot be rectified"), ("topics", "P@3", "calibrated", "is for gold pairs"),
     ("random", "P@3", "topics", "is not known"), ("random", "AP", "auto", "not linear"),
     ("topics", "GMAP", "auto", "geometric mean")],
)  # fmt: skip
def test_what_cannot_be_rectified(design: str, measure: str, method: str, said: str) -> None:
    """Guards each refusal of design, measure and method."""
    with pytest.raises(TruegainError, match=said):
        source_of(RANKED, items(GOLD), parse_measure(measure), design, None, method)


def test_gold_gains_must_fit_the_pool() -> None:
    """Guards length, emptiness and weights of what is given beside the pool."""
    gold = np.where(np.arange(len(RANKED.pool)) % 3 == 0, items(GOLD), np.nan)
    with pytest.raises(TruegainError, match="143 gold gains for 144"):
        source_of(RANKED, gold[:-1], P3, "random", None, "auto")
    with pytest.raises(TruegainError, match="no gold label for any"):
        source_of(RANKED, gold * np.nan, P3, "random", None, "auto")
    first = np.zeros(144)
    first[0] = 1.0
    for bad in (np.ones(143), np.zeros(144), np.full(144, np.inf), 1 - first, np.where(first, np.inf, 1.0)):
        with pytest.raises(TruegainError, match="weights must be one positive number"):
            source_of(RANKED, gold, P3, "random", bad, "auto")
    free = np.where(np.isnan(gold), -1.0, 0.5)  # pairs without gold weigh nothing
    for method in ("auto", "difference", "post-stratified"):
        found = source_of(RANKED, gold, P3, "random", free, method)
        plain = source_of(RANKED, gold, P3, "random", None, method)
        assert isinstance(found, GoldPairs)
        assert found.name == f"rectified by gold pairs, {'calibrated' if method == 'auto' else method}"
        assert found.estimate(0, None).value == pytest.approx(plain.estimate(0, None).value)
        assert found.pairs.expansion[~np.isnan(gold)] == pytest.approx(np.full(48, 3.0))
        told = estimates_of(found, RANKED.systems, P3, 0.95)[0].notes[0]
        assert told.startswith("12 gold pairs in 12 of 12 topics; weight")  # a0 of each topic


def test_weights_of_a_judge_as_expansion() -> None:
    """Guards weights where they were given, pair by pair; none elsewhere; whole topics have none."""
    some = {t: {d: g for d, g in row.items() if d in ("a0", "b1")} for t, row in GOLD.items()}
    weights = np.arange(1.0, 25)
    judge = tg.Judge.fit(BRONZE, some, design="random", weights=weights)
    found = expansion_by_judge(judge, RANKED.pool)
    assert found is not None
    assert judge.pairs is not None
    assert judge.pairs.item is not None
    assert found[judge.pairs.items_in(RANKED.pool)] == pytest.approx(judge.pairs.weight)
    assert found.sum() == pytest.approx(120 + judge.pairs.weight.sum())
    assert expansion_by_judge(tg.Judge.fit(BRONZE, some, design="random"), RANKED.pool) is None
    assert expansion_by_judge(EBAY, RANKED.pool) is None
    with pytest.raises(TruegainError, match="weights are for gold pairs"):
        expansion_by_judge(tg.Judge.fit(BRONZE, GOLD, design="topics", weights=np.ones(144)), RANKED.pool)
