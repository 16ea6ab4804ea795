"""Scores of lists whose labels are chances."""

from __future__ import annotations

import math

import numpy as np
import pytest

from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.errors import MeasureError
from truegain.measures.base import Measure
from truegain.measures.catalogue import parse_measure
from truegain.measures.expected import Chances, expected, levels_of

rng = np.random.default_rng(6)
DOCS = [f"d{i}" for i in range(9)]
RUNS = {
    s: {t: {d: float(rng.random()) for d in DOCS[:7]} for t in ("1", "2", "3") if (s, t) != ("x", "3")} for s in "xyz"
}
QRELS = {t: {d: int(rng.integers(0, 4)) for d in DOCS} for t in ("1", "2", "3")}
KNOWN = ["P@3", "P(rel=2)@4", "nDCG@3", "nDCG", "nDCG(dcg='exp-log2')@5", "AP", "AP@4", "AP(rel=3)", "R@4", "DCG@5",
         "AP(norm='min')@2", "RBP(p=0.8)", "CG@3", "nDCG(gains={0:0,1:1,2:1,3:2})@3"]  # fmt: skip


def of(measure: str) -> tuple[Measure, RankedGains]:
    """A measure, and lists with all labels."""
    with pytest.warns(match="lacks judged topics"):
        return parse_measure(measure), aligned(RUNS, QRELS, Scoring())


@pytest.mark.parametrize("name", KNOWN)
def test_with_all_labels_the_score_is_the_plain_one(name: str) -> None:
    """Guards every formula where it has an answer already: chances of 0 and 1."""
    measure, ranked = of(name)
    levels = levels_of(measure, ranked.item_gain)
    found = expected(measure, ranked, Chances(levels, (ranked.item_gain[:, None] >= levels).astype(float)))
    np.testing.assert_allclose(found.score, measure.score(ranked), atol=1e-12)


def test_ap_and_ndcg_by_hand() -> None:
    """Guards the formulas for chances between 0 and 1, the best list interpolated."""
    _, ranked = of("AP")
    v = np.random.default_rng(1).random(len(ranked.pool)) * 0.3
    chances = Chances(np.array([1.0]), v[:, None])
    ap, ndcg = (expected(parse_measure(m), ranked, chances).score for m in ("AP", "nDCG@5"))
    chance = {
        (ranked.topics[t], d): x for t, d, x in zip(ranked.pool.topic, ranked.pool.docs.strings(), v, strict=True)
    }
    order = sorted(RUNS["y"]["2"], key=RUNS["y"]["2"].get, reverse=True)  # type: ignore[arg-type]
    mine = [chance["2", d] for d in order]
    total = sum(x for (t, _), x in chance.items() if t == "2")
    assert ap[1, 1] == pytest.approx(sum(x / (i + 1) * (1 + sum(mine[:i])) for i, x in enumerate(mine)) / max(total, 1))
    discount = [1 / math.log2(i + 2) for i in range(5)]
    whole = int(total)
    best = sum(discount[:whole]) + (total - whole) * discount[whole]
    assert 0 < whole < 5
    assert ndcg[1, 1] == pytest.approx(sum(x * w for x, w in zip(mine, discount, strict=False)) / best)


@pytest.mark.parametrize("name", ["R@4", "AP", "nDCG@3"])
def test_less_than_one_relevant_document_is_expected(name: str) -> None:
    """Guards the divisor: no less than one document, or a list of chances near 0 would be a good one.

    Of nDCG it is that share of the first document's gain, and what a label moves is of one document.
    """
    measure, ranked = of(name)
    found = expected(measure, ranked, Chances(np.array([1.0]), np.full((len(ranked.pool), 1), 0.05)))  # 0.45 in all
    wanted = {"R@4": 4 * 0.05, "AP": sum(0.05 / (i + 1) * (1 + 0.05 * i) for i in range(7)),
              "nDCG@3": 0.05 * (1 + 1 / math.log2(3) + 0.5) / 0.45}  # fmt: skip
    assert found.score[1, 1] == pytest.approx(wanted[name])
    assert found.move[ranked.list == 4][0] == pytest.approx(
        1.0 if name != "AP" else 1 + sum(0.05 / (i + 1) for i in range(1, 7))
    )


def test_mean_and_variance_of_worth_are_those_of_a_label() -> None:
    """Guards both against the chance of every single label."""
    reached = np.array([[0.9, 0.5, 0.2], [0.3, 0.3, 0.05], [1.0, 0.4, 0.0]])
    chances, worth = Chances(np.array([1.0, 2.0, 3.0]), reached), np.array([0.0, 1.0, 3.0, 7.0])
    for row, (a, b, c) in enumerate(reached.tolist()):
        single = np.array([1 - a, a - b, b - c, c])
        mean = float(single @ worth)
        assert chances.mean(worth)[row] == pytest.approx(mean)
        assert chances.variance(worth)[row] == pytest.approx(float(single @ (worth - mean) ** 2))


def test_graded_gains_are_layers() -> None:
    """Guards the best list of graded gains: two levels of one chance each add up by their heights."""
    measure, ranked = of("nDCG(dcg='exp-log2')@5")
    low, high = np.full(len(ranked.pool), 0.5), np.full(len(ranked.pool), 0.25)
    found = expected(measure, ranked, Chances(np.array([1.0, 3.0]), np.column_stack([low, high])))
    discount = np.array([1 / math.log2(i + 2) for i in range(5)])
    best = np.interp(4.5, np.arange(6), np.r_[0, np.cumsum(discount)])
    best += 6 * np.interp(2.25, np.arange(6), np.r_[0, np.cumsum(discount)])
    assert found.score[1, 0] == pytest.approx((0.5 + 6 * 0.25) * discount.sum() / best)
    assert found.worth.tolist() == [0, 1, 7]


@pytest.mark.parametrize("name", ["P@3", "DCG@5", "AP", "R@4", "nDCG@3"])
def test_moves_are_what_a_label_adds(name: str) -> None:
    """Guards the weights behind every order: a chance raised a little moves the score so much, the divisor held."""
    measure, ranked = of(name)
    v = 0.3 + 0.4 * np.random.default_rng(3).random(len(ranked.pool))
    levels, step = np.array([1.0]), 1e-6
    here = expected(measure, ranked, Chances(levels, v[:, None]))
    for entry in range(0, len(ranked.item), 5):
        more = v.copy()
        more[ranked.item[entry]] += step
        there = expected(measure, ranked, Chances(levels, more[:, None]))
        row, topic = divmod(int(ranked.list[entry]), 3)
        total = v[ranked.pool.topic == topic].sum()  # above three: the best list of nDCG@3 is full
        divisor = (total + step) / total if name in ("AP", "R@4") else 1.0
        change = (there.score[row, topic] * divisor - here.score[row, topic]) / step
        assert here.move[entry] == pytest.approx(change, abs=1e-5)


@pytest.mark.parametrize("name", ["AP", "R@4", "P@3"])
def test_a_relevant_document_is_worth_one(name: str) -> None:
    """Guards what labels are worth where a measure asks only whether a document is relevant."""
    measure, ranked = of(name)
    assert expected(measure, ranked, Chances(np.array([1.0]), np.full((len(ranked.pool), 1), 0.5))).worth.tolist() == [
        0,
        1,
    ]


def test_a_level_above_all_labels_is_reached_by_none() -> None:
    """Guards levels: each by its own column, those between by the next one, one above all by nobody."""
    some = Chances(np.array([1.0, 2.0]), np.array([[0.5, 0.25], [1.0, 0.0]]))
    assert [some.reaching(x).tolist() for x in (1, 1.5, 2, 3)] == [[0.5, 1.0], [0.25, 0.0], [0.25, 0.0], [0.0, 0.0]]


def test_what_is_refused() -> None:
    """Guards measures without a formula."""
    _, ranked = of("P@3")
    chances = Chances(np.array([1.0]), np.zeros((len(ranked.pool), 1)))
    for name, said in {
        "RR": "with AP", "ERR@5": "with AP", "nDCG(judged_only=True)@3": "judged_only", "P(rel=0)@3": "rel 0",
        "nDCG(gains={0:1})@3": "start at 0",
    }.items():  # fmt: skip
        with pytest.raises(MeasureError, match=said):
            expected(parse_measure(name), ranked, chances)
    two = Chances(np.array([1.0, 2.0]), np.zeros((len(ranked.pool), 2)))
    with pytest.raises(MeasureError, match="rise with the label"):
        expected(parse_measure("nDCG(gains={1:5,2:3})@3"), ranked, two)
    with pytest.raises(MeasureError, match="21 levels"):
        levels_of(parse_measure("nDCG@3"), np.arange(22.0))
    assert len(levels_of(parse_measure("nDCG@3"), np.arange(21.0))) == 20
    assert levels_of(parse_measure("P(rel=2)@3"), np.arange(99.0)).tolist() == [2]
    assert levels_of(parse_measure("nDCG@3"), np.zeros(2)).tolist() == [1]
