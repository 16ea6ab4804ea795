"""Bounds for unjudged documents, against every labeling of tiny cases."""

from __future__ import annotations

import dataclasses
import inspect
import warnings
from functools import cache
from itertools import compress, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from truegain.config import Scoring
from truegain.data.judgments import Judgments
from truegain.errors import DataWarning, MeasureError, TruegainError
from truegain.measures.catalogue import parse_measure
from truegain.pooling import bounds
from truegain.pooling.next_to_judge import next_to_judge
from truegain.pooling.pools import Filled, leave_out

MEASURES = ["P@3", "R@2", "DCG@3", "RBP(p=0.7)@3", "RR", "ERR(max_rel=2)@3", "nDCG@3", "nDCG(dcg='exp-log2')@2"]
DOCS = "abcdef"


def every_labeling(run: dict[str, float], pool: dict[str, int], others: set[str], measure: str) -> list[float]:
    """The scores of a run under every labeling of the documents that nobody judged."""
    unknown = sorted((set(run) | others) - set(pool))
    levels = sorted({0, *pool.values()})
    filled = ({**pool, **dict(zip(unknown, labels, strict=True))} for labels in product(levels, repeat=len(unknown)))
    known = {"z": 1.0}, {"z": 0}
    both = [tg.evaluate({"1": run, "2": known[0]}, {"1": qrels, "2": known[1]}, measure) for qrels in filled]
    return [float(scores.matrix()[0, 0]) for scores in both]


@pytest.mark.few(1)
@settings(deadline=None, max_examples=25)
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("measure", MEASURES)
@given(data=st.data())
def test_worst_and_best_are_those_of_all_labelings(measure: str, data: st.DataObject) -> None:
    """Guards the proofs: no labeling is worse or better, and some labeling reaches both."""
    orders = st.permutations(DOCS).flatmap(lambda p: st.integers(1, 4).map(lambda n: p[:n]))
    runs = {s: {d: float(-i) for i, d in enumerate(data.draw(orders))} for s in ("x", "y")}
    pool = data.draw(st.dictionaries(st.sampled_from(DOCS), st.integers(0, 2), min_size=2))
    pool = {**pool, "judged": 2, "low": 1}
    known = {"z": 1.0}, {"z": 0}  # another topic has a judged document, without which runs are refused
    made = tg.unjudged({s: {"1": r, "2": known[0]} for s, r in runs.items()}, {"1": pool, "2": known[1]}, measure)
    assert made.kind == "exact"
    for s, (system, run) in enumerate(runs.items()):
        others = {d for r in runs.values() for d in r}
        scores = every_labeling(run, pool, others, measure)
        assert made.worst[s, 0] == pytest.approx(min(scores), abs=1e-12), system
        assert made.best[s, 0] == pytest.approx(max(scores), abs=1e-12), system


LINEAR = ["P@2", "P(rel=2)@3", "DCG@3", "CG@2", "RBP(p=0.7)@3", "RBP(max_rel=3)@3", "SDCG(max_rel=3)@2"]
DIFFERENCES = [
    *LINEAR, "P(rel=0)@2", "RBP(max_rel='scale')@3", "R@2", "R(rel=2)@3", "RR", "RR(rel=2)@2", "ERR(max_rel=3)@3",
    "ERR(max_rel='scale',rule='gain')", "nDCG@3", "nDCG", "MSnDCG@2", "nDCG(dcg='exp-log2')@2",
    "nDCG(gains={1:2,2:2,3:7})@3",
]  # fmt: skip
Lists = dict[str, dict[str, dict[str, float]]]


def all_labelings(runs: Lists, qrels: dict[str, dict[str, int]], topic: str, measure: str) -> np.ndarray:
    """System by labeling of the unjudged documents of a topic: the score; each labeling is a topic of its own."""
    levels = sorted({0, *(label for pool in qrels.values() for label in pool.values())})
    pool = qrels[topic]
    unknown = sorted({d for run in runs.values() for d in run.get(topic, {})} - set(pool))
    filled = [{**pool, **dict(zip(unknown, ls, strict=True))} for ls in product(levels, repeat=len(unknown))]
    # a topic that no list answers keeps the highest label in the judgments, which some measures scale by
    judgments = {**{str(i): q for i, q in enumerate(filled)}, "x": {"z": levels[-1]}}
    lists = {s: {**{str(i): run[topic] for i in range(len(filled)) if topic in run}, "x": {"z": 1.0}}
             for s, run in runs.items()}  # fmt: skip
    scores = tg.evaluate(lists, judgments, measure)
    return np.array(
        [[scores.by_topic(s)[str(i)] if topic in runs[s] else 0.0 for i in range(len(filled))] for s in runs]
    )


@pytest.mark.few(4)
@settings(deadline=None, max_examples=12)
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("measure", DIFFERENCES)
@given(data=st.data())
def test_differences_are_those_of_all_labelings(measure: str, data: st.DataObject) -> None:
    """Guards the bound on a difference: over every labeling of both topics none is greater, and some reaches it.

    The lists share documents, and one system does not answer the second topic, so that means weigh topics unlike.
    """
    orders = st.permutations(DOCS).flatmap(lambda p: st.integers(1, 5).map(lambda n: p[:n]))
    runs = {s: {t: {d: float(-i) for i, d in enumerate(data.draw(orders))} for t in "12"} for s in "xyw"}
    del runs["w"]["2"]
    labels = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=3)
    qrels = {"1": {**data.draw(labels), "elsewhere": 3}, "2": {**data.draw(labels), "low": 1}}
    made = tg.unjudged(runs, qrels, measure)
    assert made.kind == "exact"
    one, two = (all_labelings(runs, qrels, t, measure) for t in "12")
    answered = np.array([[2], [2], [1]])
    means = (one / answered)[:, :, None] + (two / answered)[:, None, :]
    for a in range(3):
        for b in range(3):
            assert made.greatest[a, b] == pytest.approx(float((means[a] - means[b]).max()), abs=1e-12)
    both = (means[:, None] - means[None]).reshape(3, 3, -1)
    expected = (both.max(axis=2) > 1e-9) & (both.min(axis=2) < -1e-9)
    assert np.array_equal(made.open_order, expected)
    assert f"{np.triu(expected).sum()} of 3 pairs" in made.table().notes[1]


def test_the_greatest_ratio_is_that_of_all_gains() -> None:
    """Guards the search by layers, against every choice of gains, where they are 0, 1, 3 or 4 and weights are free."""
    rng = np.random.default_rng(8)
    between, negative = 0, 0
    possible, discount = np.array([0.0, 1.0, 3.0, 4.0]), 1 / np.log2(np.arange(2, 6))
    choices = np.array(list(product(possible, repeat=5)))
    best = np.concatenate([[0.0], np.cumsum(discount)])
    for number in range(150):
        w = np.where(rng.random(5) < 0.3, 0.0, rng.normal(size=5))
        judged = rng.choice(possible, int(rng.integers(0, 4)))
        fixed = float(rng.normal(scale=2)) if judged.any() else 0.0
        w, fixed = w / (number % 2 * 99 + 1), fixed / (number % 2 * 99 + 1)  # differences are small more often than not
        pool = np.concatenate([choices, np.tile(judged, (len(choices), 1))], axis=1)
        ideal = -np.sort(-pool, axis=1)[:, :4] @ discount[: min(4, pool.shape[1])]
        over = fixed + choices @ w
        values = np.where(ideal > 0, over / np.where(ideal > 0, ideal, 1), 0.0)
        counts = [int((judged >= v).sum()) for v in possible[1:]]
        cost = best[np.minimum(np.array(counts)[:, None] + np.arange(6), 4)]
        row = -np.sort(-np.append(w, 0.0))[None]
        found = bounds._greatest_ratio(np.array([fixed]), row, 5, bounds.Layers(np.diff(possible), cost))
        assert found[0] == pytest.approx(values.max(), rel=1e-9, abs=1e-14)
        reached = choices[np.isclose(values, values.max(), rtol=1e-9, atol=1e-14)]
        between += not np.isin(reached, (0, 4)).all(axis=1).any()
        negative += values.max() < 0
    assert between > 5  # the greatest needs gains between, and none of the others finds it
    assert negative > 5


@pytest.mark.parametrize("most", [None, 3])
def test_ends_of_average_precision_are_those_of_every_labeling(most: int | None) -> None:
    """Guards AP of one list: unjudged documents in it and in no list, relevant ones that it lacks, a denominator."""
    rng = np.random.default_rng(9)
    for number in range(40):
        length = 3 + number % 6
        state = rng.choice(["relevant", "not", "open"], length, p=[0.35, 0.25, 0.4])
        ranks = {kind: (np.flatnonzero(state == kind) + 1).tolist() for kind in ("relevant", "open")}
        missed, elsewhere = int(rng.integers(0, 3)), int(rng.integers(0, 3))
        found = []
        for taken in product((False, True), repeat=len(ranks["open"])):
            hits = sorted([*ranks["relevant"], *compress(ranks["open"], taken)])
            total = sum(n / rank for n, rank in enumerate(hits, 1))
            for others in range(elsewhere + 1):
                relevant = len(hits) + missed + others
                found.append(total / max(1, relevant if most is None else min(relevant, most)))
        here, open_ = (np.array(rng.permutation(ranks[kind]), np.int64) for kind in ("relevant", "open"))
        ends = bounds.ends_of_ap(here, open_, len(here) + missed, len(open_) + elsewhere, most)
        assert ends == pytest.approx((min(found), max(found)), abs=1e-12)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_a_bound_is_never_below_the_greatest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards ERR with too many documents in both lists to try: what is called a bound is one, and not a wide one."""
    rng = np.random.default_rng(5)
    runs = {s: {str(t): {f"d{i}": float(x) for i, x in enumerate(rng.random(8))} for t in range(9)} for s in "xyz"}
    qrels = {str(t): {f"d{i}": int(rng.integers(0, 4)) for i in range(0, 12, 2)} for t in range(9)}
    exact = tg.unjudged(runs, qrels, "ERR@6")
    for tried, least in ((1, 0.02), (24, 0.001)):
        monkeypatch.setattr(bounds, "_TRIED", tried)
        bound = tg.unjudged(runs, qrels, "ERR@6")
        assert (exact.kind, bound.kind) == ("exact", "bound")
        assert np.all(bound.greatest >= exact.greatest - 1e-12)
        assert bound.greatest.sum() > exact.greatest.sum() + least
        apart = exact.best.mean(axis=1)[:, None] - exact.worst.mean(axis=1)[None]
        assert np.all((bound.greatest <= apart + 1e-12) | np.eye(3, dtype=bool))
        np.testing.assert_allclose(bound.best, exact.best)
        np.testing.assert_allclose(bound.worst, exact.worst)
    assert f"({bound.kind})" in bound.table().notes[1]
    assert bound.pairs().rows[0][5] == "bound"


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_exact_ends_where_labels_are_no_longer_all_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the edge: as many documents in both lists as are tried is exact, one more is not."""
    run = {f"d{i}": float(-i) for i in range(4)}
    runs = {"x": {"1": run}, "y": {"1": {**run, "d0": -9.0, "judged": -10.0}}}
    for tried, kind in ((4 * 2**4, "exact"), (4 * 2**4 - 1, "bound")):
        monkeypatch.setattr(bounds, "_TRIED", tried)
        assert tg.unjudged(runs, {"1": {"judged": 1}}, "ERR(max_rel=1)@4").kind == kind


def test_what_stands_highest_in_both_lists_is_tried_first() -> None:
    """Guards which labels are tried where not all can be: those of documents that count most in the two lists."""
    both = np.array([[True, True, False, True], [True, False, True, True]])
    ranks = np.array([[9, 1, 2, 2], [1, 2, 9, 8]])
    found = bounds._highest(both, np.array([2, 3, 1, 7]), ranks, 2)
    assert found.tolist() == [[1, 3], [0, 2]]


def test_notes_explain_the_columns_above_them() -> None:
    """Guards tables whose notes name other columns, and a worst below the score of a list that is judged throughout."""
    runs = {"x": {"1": {"a": 3.0, "b": 2.0}}, "y": {"1": {"c": 3.0, "d": 2.0}}}
    judged = {"1": {"a": 1, "b": 0, "c": 0}}
    made = tg.unjudged(runs, judged, "nDCG@2")
    assert made.pairs().notes[0].startswith("nDCG@2. least and greatest: the lowest and the highest b - a ")
    assert "worst" not in " ".join(made.pairs().notes)
    assert made.table().notes[2].startswith("worst may be below the score where unjudged is 0: ")
    assert len(tg.unjudged(runs, judged, "P@2").table().notes) == 2
    listed = tg.next_to_judge(runs, judged, "P@2", pair=("x", "y")).table()
    assert all(f"{name}: " in listed.notes[-1] for name in ("round", "why", "predicted", "swaps", "shift", "chosen"))
    assert "moves the first system of the pair ahead of the second" in listed.notes[-1]


def test_documents_in_both_lists_cannot_tell_them_apart() -> None:
    """Guards what two intervals forget: lists of the same unjudged documents in one order never change places."""
    runs = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"1": {"a": 3.0, "b": 2.0, "d": 1.0}}}
    for measure in ("nDCG@3", "P@3", "ERR@3"):
        made = tg.unjudged(runs, {"1": {"c": 1, "d": 0}}, measure)
        assert made.worst[0, 0] < made.best[1, 0]  # the intervals overlap
        assert made.table().notes[1].startswith("0 of 1 pair of systems could change order (exact); a document")
        assert made.pairs().rows[0][-1] == "no"
        assert -made.greatest[1, 0] >= 0


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("measure", MEASURES)
def test_scores_are_those_of_eval(measure: str) -> None:
    """Guards the pool with unjudged documents in it: score, condensed and Bpref stay what eval says."""
    rng = np.random.default_rng(1)
    runs = {s: {str(t): {f"d{i}": float(x) for i, x in enumerate(rng.random(9))} for t in range(5)} for s in "xyz"}
    qrels = {str(t): {f"d{i}": int(rng.integers(0, 3)) for i in rng.choice(14, 7, replace=False)} for t in range(5)}
    made = tg.unjudged(runs, qrels, measure)
    scores = tg.evaluate(runs, qrels, [measure, "Bpref", "infAP"])
    np.testing.assert_allclose(made.score, scores.matrix(measure))
    np.testing.assert_allclose(
        made.beside["condensed"], tg.evaluate(runs, qrels, measure, scoring=tg.Scoring(judged_only=True)).matrix()
    )
    np.testing.assert_allclose(made.beside["Bpref"], scores.matrix("Bpref"))
    assert np.all(made.worst <= made.score + 1e-12)
    assert np.all(made.score <= made.best + 1e-12)


def test_shares_count_unjudged_documents() -> None:
    """Guards the share at each depth, in short lists too."""
    made = tg.unjudged({"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}, {"1": {"b": 1}}, "P@2", depths=(1, 2, 3))
    assert {d: m.tolist() for d, m in made.unjudged.items()} == {1: [[1.0]], 2: [[0.5]], 3: [[2 / 3]]}


def test_measures_without_a_proof_are_refused() -> None:
    """Guards against a number that the method cannot support."""
    run, qrels = {"s": {"1": {"a": 1.0}}}, {"1": {"a": 1, "b": 0}}
    for measure, said in {
        "AP": "available for nDCG", "nERR@3": "available for nDCG",
        "nDCG(judged_only=True)@3": "judged_only removes the unjudged documents; leave it out",
        "ERR(max_rel='topic')@3": "give a number", "RBP(max_rel='topic')": "give max_rel", "RR(rel=0)": "a gain of 0",
        "nDCG(gains={0:1})@3": "a gain of 0", "nDCG(dcg='jk',base=0)@3": "weigh more",
    }.items():  # fmt: skip
        with pytest.raises(MeasureError, match=said):
            tg.unjudged(run, qrels, measure)
    for option in (tg.Scoring(all_topics=True), tg.Scoring(no_relevant="skip")):
        with pytest.raises(tg.TruegainError, match="leave all_topics"):
            tg.unjudged(run, qrels, "P@3", scoring=option)


def _world() -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    rng = np.random.default_rng(3)
    runs = {s: {str(t): {f"d{i}": float(x) for i, x in enumerate(rng.random(9))} for t in range(4)} for s in "xyz"}
    qrels = {str(t): {f"d{i}": int(rng.integers(0, 2)) for i in rng.choice(9, 5, replace=False)} for t in range(4)}
    return runs, {t: {**q, "elsewhere": 1} for t, q in qrels.items()}


def test_left_out_of_the_pool() -> None:
    """Guards which judgments go: those in one pooled system's first documents alone."""
    runs, _ = _world()
    qrels = {t: {d: 1 for s in "xyz" for d in sorted(runs[s][t], key=runs[s][t].get, reverse=True)[:2]} for t in "0123"}  # type: ignore[arg-type]
    for left in leave_out(runs, qrels, "P@2", pool_depth=2):
        tops = {
            s: {(t, d) for t in "0123" for d in sorted(runs[s][t], key=runs[s][t].get, reverse=True)[:2]}  # type: ignore[arg-type]
            for s in "xyz"
        }
        others = set().union(*(tops[s] for s in "xyz" if s != left.system))
        assert left.lost == len(tops[left.system] - others) == left.lost_relevant
        assert left.score == 1.0
        assert left.without == pytest.approx(1 - left.lost / 8)
    with pytest.raises(tg.TruegainError, match="without a run: w"):
        leave_out(runs, qrels, "P@2", pool_depth=2, pooled=["w"])


def test_a_pool_that_was_shallower_than_its_depth() -> None:
    """Guards the count of unjudged documents that a pool of this depth would have: once each, of pooled runs alone."""
    runs = {s: {"1": {"a": 9.0, own: 8.0, "u": 7.0, "deep": 6.0}} for s, own in (("x", "b"), ("y", "c"), ("z", "v"))}
    qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    assert len(leave_out(runs, qrels, "P@2", pool_depth=2, pooled=["x", "y"])) == 2  # v is of no pooled run
    with pytest.warns(
        tg.DataWarning, match="^1 document in the first 2 ranks of pooled runs is unjudged; was the pool"
    ):
        leave_out(runs, qrels, "P@2", pool_depth=2)
    with pytest.warns(tg.DataWarning, match="^2 documents in the first 3 ranks .* shallower than pool_depth=3"):
        leave_out(runs, qrels, "P@2", pool_depth=3)


def test_negative_gains_are_refused() -> None:
    """Guards against holes that are none: below 0 a label means unjudged, and a gain does not."""
    table = Judgments.of({"1": {"a": -1, "b": 1}})
    with pytest.raises(TruegainError, match="1 gains are below 0"):
        tg.unjudged({"s": {"1": {"a": 2.0, "c": 1.0}}}, dataclasses.replace(table, are_gains=True), "DCG@2")
    assert tg.unjudged({"s": {"1": {"a": 2.0, "b": 1.0}}}, table, "DCG@2").score.shape == (1, 1), "labels may be"


Labels = dict[str, dict[str, int]]


def ordered(*docs: str) -> dict[str, float]:
    """A list with these documents from the top."""
    return {d: -float(i) for i, d in enumerate(docs)}


def questioned(measure: str, length: int, options: Scoring | None = None) -> tuple[int, int]:
    """Down to which depth documents are in question, and how many they are, in one list without a judged document."""
    runs = {"s": {"1": ordered(*(f"d{i}" for i in range(length)))}, "judged": {"1": ordered("elsewhere")}}
    filled = Filled.of(runs, {"1": {"elsewhere": 1}}, parse_measure(measure), options or Scoring())
    return filled.depth, int(filled.unjudged.sum())


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_how_deep_documents_are_in_question() -> None:
    """Guards the depth: 100, or the cutoff where that is lower down, or the whole list where there is no cutoff."""
    assert questioned("P@10", 130) == (100, 100)
    assert questioned("P@120", 130) == (120, 120)
    assert questioned("nDCG@10", 60) == (100, 60)
    assert questioned("nDCG", 130) == (130, 130)
    assert questioned("nDCG", 130, Scoring(depth=110)) == (110, 110)
    assert questioned("nDCG@10", 130, Scoring(depth=30)) == (100, 100)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_the_longest_list_says_how_deep_without_a_cutoff() -> None:
    """Guards the longest list over systems and topics, not the first one or all together."""
    runs = {"a": {"1": ordered("x"), "2": ordered("x", "y", "z")}, "b": {"1": ordered("x", "y")}}
    made = tg.unjudged(runs, {"1": {"x": 1}, "2": {"x": 1}}, "nDCG")
    assert Filled.of(runs, {"1": {"x": 1}, "2": {"x": 1}}, parse_measure("nDCG"), Scoring()).depth == 3
    assert made.depth == 3


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_which_depths_are_told() -> None:
    """Guards the shares: depths down to where documents are in question, and always the measure's own."""
    runs, qrels = {"s": {"1": ordered(*(f"d{i}" for i in range(130)))}}, {"1": {"d0": 1, "d2": 0}}
    assert sorted(tg.unjudged(runs, qrels, "P@7", depths=(5, 100, 101)).unjudged) == [5, 7, 100]
    assert sorted(tg.unjudged(runs, qrels, "nDCG", depths=(130, 131)).unjudged) == [130]
    made = tg.unjudged(runs, qrels)
    assert (made.measure, made.depth, sorted(made.unjudged)) == ("nDCG@10", 10, [1, 5, 10, 20, 50, 100])
    assert made.unjudged[5][0, 0] == pytest.approx(3 / 5)
    assert made.table().rows[0][1] == pytest.approx(8 / 10)
    for function in (tg.unjudged, next_to_judge, leave_out):
        assert inspect.signature(function).parameters["measure"].default == "nDCG@10"


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_the_level_is_that_of_all_measures_beside() -> None:
    """Guards Bpref and infAP at another level of relevance, which `eval` gives at the same one.

    Of infAP where the unjudged documents are pooled ones that nobody judged, which is a label of -1.
    """
    rng = np.random.default_rng(4)
    runs = {s: {t: {f"d{i}": float(x) for i, x in enumerate(rng.random(9))} for t in "123"} for s in "xy"}
    qrels = {t: {f"d{i}": int(rng.integers(0, 4)) for i in rng.choice(12, 8, replace=False)} for t in "123"}
    pooled = {t: {**{f"d{i}": -1 for i in range(9)}, **row} for t, row in qrels.items()}
    found = {level: tg.unjudged(runs, qrels, "P@3", scoring=tg.Scoring(relevant_from=level)) for level in (1, 2)}
    for level, made in found.items():
        for name, labels in (("Bpref", qrels), ("infAP", pooled)):
            np.testing.assert_allclose(
                made.beside[name], tg.evaluate(runs, labels, name, scoring=tg.Scoring(relevant_from=level)).matrix()
            )
        np.testing.assert_allclose(
            made.beside["condensed"],
            tg.evaluate(runs, qrels, "P@3", scoring=tg.Scoring(relevant_from=level, judged_only=True)).matrix(),
        )
    assert not np.allclose(found[1].beside["Bpref"], found[2].beside["Bpref"])


def test_what_cannot_be_filled() -> None:
    """Guards refusals: nothing judged, and lists of which unjudged documents are taken out or topics added."""
    run = {"s": {"1": ordered("a", "b")}}
    for options, said in (
        (Scoring(judged_only=True), "judged_only removes"), (Scoring(all_topics=True), "leave all_topics"),
        (Scoring(no_relevant="skip"), "leave all_topics"),
    ):  # fmt: skip
        with pytest.raises(TruegainError, match=said):
            Filled.of(run, {"1": {"a": 1}}, parse_measure("P@2"), options)
    with pytest.raises(TruegainError, match="1 has a label below 0, which means not judged"):
        tg.unjudged(run, {"1": {"a": -1}}, "P@2")


def test_warnings_of_the_data_come_once() -> None:
    """Guards the second alignment: what the first one warned of is not told again."""
    runs = {"s": {"1": ordered("a", "b"), "2": ordered("a")}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tg.unjudged(runs, {"1": {"a": 1}}, "P@2")
    assert len([w for w in caught if issubclass(w.category, DataWarning)]) == 1


CASES: list[tuple[Lists, Labels]] = [
    (  # shared holes above and below judged ones, and a topic that one system lacks
        {"x": {"1": ordered("a", "b", "c", "d"), "2": ordered("e", "a")},
         "y": {"1": ordered("c", "a", "e", "b"), "2": ordered("b", "e", "c")},
         "z": {"1": ordered("d", "f", "a")}},
        {"1": {"b": 1, "d": 3, "q": 2}, "2": {"a": 1, "c": 0, "q": 3}},
    ),
    (  # nothing relevant found, a list of holes alone, and one without a hole
        {"x": {"1": ordered("a", "b", "c"), "2": ordered("a", "d")},
         "y": {"1": ordered("p", "q"), "2": ordered("d", "a", "q")},
         "z": {"1": ordered("p", "a", "q"), "2": ordered("q", "d")}},
        {"1": {"p": 0, "q": 0, "r": 2}, "2": {"q": 1, "p": 2}},
    ),
    (  # no hole is above the cutoff in any list
        {"x": {"1": ordered("p", "q", "r", "a")}, "y": {"1": ordered("q", "r", "p", "b")},
         "z": {"1": ordered("r", "p", "q", "a")}},
        {"1": {"p": 3, "q": 0, "r": 1}},
    ),
]  # fmt: skip


ALL_MEASURES = [
    "P@3", "P(rel=2)@2", "P(rel=0)@2", "DCG@3", "RBP(p=0.6)@3", "RBP(rel=0,p=0.6)@3",
    "RBP(max_rel='scale')@3", "R@2", "R(rel=2)@3", "RR",
    "RR(rel=3)@3", "ERR(max_rel=3)@3", "ERR(max_rel=4,rule='gain')@2", "nDCG@2", "nDCG@3", "nDCG",
    "nDCG(gains={1:1,2:1,3:4})@3", "MSnDCG@3",
]  # fmt: skip


@cache
def scored(case: int, topic: str) -> tg.Scores:
    """Scores of one topic under every labeling of its holes, each a topic of its own, by all measures."""
    runs, qrels = CASES[case]
    levels = sorted({0, *(g for row in qrels.values() for g in row.values())})
    holes = sorted({d for run in runs.values() for d in run.get(topic, {})} - set(qrels[topic]))
    judged = {
        f"{i:04d}": {**qrels[topic], **dict(zip(holes, labels, strict=True))}
        for i, labels in enumerate(product(levels, repeat=len(holes)))
    }
    lists = {s: {t: run[topic] for t in judged if topic in run} for s, run in runs.items()}
    for row in lists.values():  # a topic that keeps the highest label, which some measures scale by
        row["top"] = {"top": 1.0}
    return tg.evaluate(lists, {**judged, "top": {"top": levels[-1]}}, ALL_MEASURES)


def means_of_all(case: int, measure: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """System by labeling: the mean over the topics it answers; and by topic the scores, one column a labeling."""
    runs, qrels = CASES[case]
    by_topic = []
    for t in qrels:
        found = scored(case, t)
        asked = str(parse_measure(measure))
        by_topic.append(found.matrix(asked)[:, [i for i, name in enumerate(found.topics) if name != "top"]])
    total = np.zeros((len(runs), 1))
    for scores in by_topic:
        total = (total[:, :, None] + np.nan_to_num(scores)[:, None, :]).reshape(len(runs), -1)
    return total / np.array([sum(t in run for t in qrels) for run in runs.values()])[:, None], by_topic


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("measure", ALL_MEASURES)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_extremes_are_those_of_every_labeling(case: int, measure: str) -> None:
    """Guards worst, best and greatest difference on fixed cases: ties, topics that a system lacks, no hole at all."""
    runs, qrels = CASES[case]
    made = tg.unjudged(runs, qrels, measure)
    means, by_topic = means_of_all(case, measure)
    assert made.kind == "exact"
    for t, scores in enumerate(by_topic):
        np.testing.assert_allclose(made.worst[:, t], scores.min(axis=1), atol=1e-12)
        np.testing.assert_allclose(made.best[:, t], scores.max(axis=1), atol=1e-12)
    far = (means[:, None] - means[None]).max(axis=2)
    np.testing.assert_allclose(made.greatest, far, atol=1e-12)
    rows = {(a, b): (low, high) for a, b, _, low, high, _, _ in made.pairs().rows}
    for a, b in (("x", "y"), ("x", "z"), ("y", "z")):
        i, j = "xyz".index(a), "xyz".index(b)
        assert rows[a, b] == pytest.approx((-far[i, j], far[j, i]), abs=1e-12)


def holes_of(runs: object, qrels: object, measure: str = "P@2") -> tuple[Filled, set[tuple[str, str]]]:
    """The pool with unjudged documents, and which these are."""
    filled = Filled.of(runs, qrels, parse_measure(measure), Scoring())
    pool = filled.ranked.pool
    items = np.flatnonzero(filled.unjudged).tolist()
    return filled, {(filled.ranked.topics[int(pool.topic[i])], pool.docs[i]) for i in items}


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_every_unjudged_pair_of_topic_and_document_is_in_question() -> None:
    """Guards the keys of topic and document: many documents, and a single one that several topics have."""
    rng = np.random.default_rng(2)
    runs = {s: {t: {f"d{i}": float(rng.random()) for i in rng.choice(9, 4, False)} for t in "123"} for s in "xyz"}
    qrels = {t: {f"d{i}": 1 for i in rng.choice(9, 3, False)} for t in "123"}
    expected = {(t, d) for run in runs.values() for t, docs in run.items() for d in docs if d not in qrels[t]}
    assert holes_of(runs, qrels)[1] == expected
    assert len({t for t, _ in expected}) == 3
    alone = {"s": {t: {"x": 1.0} for t in "123"}}
    assert holes_of(alone, {"1": {"y": 1}, "2": {"y": 1}, "3": {"x": 1}})[1] == {("1", "x"), ("2", "x")}


def test_labels_that_a_hole_may_have() -> None:
    """Guards the levels: 0 and every label above it, a fraction and 1 too, none below."""
    runs = {"s": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0, "e": 0.5}}}
    filled, _ = holes_of(runs, {"1": {"a": 0.5, "b": 1.0, "c": 2.0, "d": 0.0}}, "DCG@5")
    assert filled.levels.tolist() == [0.0, 0.5, 1.0, 2.0]


def test_shares_stop_at_the_depth() -> None:
    """Guards the share of unjudged documents: those down to and with the depth, over the list's length if shorter."""
    runs = {"s": {"1": {"a": 4.0, "b": 3.0, "c": 2.0}}, "r": {"1": {"c": 2.0}}}
    filled, _ = holes_of(runs, {"1": {"b": 1}})
    assert [filled.share(d)[:, 0].tolist() for d in (1, 2, 4)] == [[1, 1], [0.5, 1], [pytest.approx(2 / 3), 1]]
