"""Holes: against every labelling of tiny cases."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from truegain.errors import MeasureError
from truegain.inference.holes import bounds as module
from truegain.inference.holes.next import judge_next, leave_out

MEASURES = ["P@3", "R@2", "DCG@3", "RBP(p=0.7)@3", "RR", "ERR(max_rel=2)@3", "nDCG@3", "nDCG(dcg='exp-log2')@2"]
DOCS = "abcdef"


def every_labelling(run: dict[str, float], pool: dict[str, int], others: set[str], measure: str) -> list[float]:
    """The scores of a run under every labelling of the documents that nobody judged."""
    unknown = sorted((set(run) | others) - set(pool))
    levels = sorted({0, *pool.values()})
    filled = ({**pool, **dict(zip(unknown, labels, strict=True))} for labels in product(levels, repeat=len(unknown)))
    return [tg.evaluate({"1": run}, {"1": qrels}, measure).mean() for qrels in filled]


@settings(deadline=None, max_examples=25)
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("measure", MEASURES)
@given(data=st.data())
def test_worst_and_best_are_those_of_all_labellings(measure: str, data: st.DataObject) -> None:
    """Guards the proofs: no labelling is worse or better, and some labelling reaches both."""
    orders = st.permutations(DOCS).flatmap(lambda p: st.integers(1, 4).map(lambda n: p[:n]))
    runs = {s: {d: float(-i) for i, d in enumerate(data.draw(orders))} for s in ("x", "y")}
    pool = data.draw(st.dictionaries(st.sampled_from(DOCS), st.integers(0, 2), min_size=2))
    pool = {**pool, "judged": 2, "low": 1}
    made = tg.holes({s: {"1": r} for s, r in runs.items()}, {"1": pool}, measure)
    assert made.kind == "exact"
    for s, (system, run) in enumerate(runs.items()):
        others = {d for r in runs.values() for d in r}
        scores = every_labelling(run, pool, others, measure)
        assert made.worst[s, 0] == pytest.approx(min(scores), abs=1e-12), system
        assert made.best[s, 0] == pytest.approx(max(scores), abs=1e-12), system


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_a_bound_is_never_below_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards nDCG with too many fillings to try: what is called a bound is one."""
    rng = np.random.default_rng(5)
    runs = {"s": {str(t): {f"d{i}": float(x) for i, x in enumerate(rng.random(8))} for t in range(20)}}
    qrels = {str(t): {f"d{i}": int(rng.integers(0, 4)) for i in range(0, 12, 2)} for t in range(20)}
    exact = tg.holes(runs, qrels, "nDCG@5")
    monkeypatch.setattr(module, "_MOST_FILLINGS", 0)
    bound = tg.holes(runs, qrels, "nDCG@5")
    assert (exact.kind, bound.kind) == ("exact", "bound")
    assert np.all(bound.best >= exact.best - 1e-12)
    assert np.all(bound.best <= 1)
    assert np.any(bound.best > exact.best + 1e-6)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("measure", MEASURES)
def test_scores_are_those_of_eval(measure: str) -> None:
    """Guards the pool with unjudged documents in it: score, condensed, Bpref and infAP stay what eval says."""
    rng = np.random.default_rng(1)
    runs = {s: {str(t): {f"d{i}": float(x) for i, x in enumerate(rng.random(9))} for t in range(5)} for s in "xyz"}
    qrels = {str(t): {f"d{i}": int(rng.integers(0, 3)) for i in rng.choice(14, 7, replace=False)} for t in range(5)}
    made = tg.holes(runs, qrels, measure)
    scores = tg.evaluate(runs, qrels, [measure, "Bpref", "infAP"])
    np.testing.assert_allclose(made.score, scores.matrix(measure))
    np.testing.assert_allclose(made.beside["condensed"], tg.evaluate(runs, qrels, measure, judged_only=True).matrix())
    np.testing.assert_allclose(made.beside["Bpref"], scores.matrix("Bpref"))
    assert np.all(made.worst <= made.score + 1e-12)
    assert np.all(made.score <= made.best + 1e-12)


def test_shares_count_unjudged_documents() -> None:
    """Guards the share at each depth, in short lists too."""
    made = tg.holes({"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}, {"1": {"b": 1}}, "P@2", depths=(1, 2, 3))
    assert {d: m.tolist() for d, m in made.unjudged.items()} == {1: [[1.0]], 2: [[0.5]], 3: [[2 / 3]]}


def test_measures_without_a_proof_are_refused() -> None:
    """Guards against a number that the method cannot support."""
    run, qrels = {"s": {"1": {"a": 1.0}}}, {"1": {"a": 1}}
    for measure in ("AP", "nDCG(judged_only=True)@3", "ERR(max_rel='topic')@3"):
        with pytest.raises(MeasureError):
            tg.holes(run, qrels, measure)


def _world() -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    rng = np.random.default_rng(3)
    runs = {s: {str(t): {f"d{i}": float(x) for i, x in enumerate(rng.random(9))} for t in range(4)} for s in "xyz"}
    qrels = {str(t): {f"d{i}": int(rng.integers(0, 2)) for i in rng.choice(9, 5, replace=False)} for t in range(4)}
    return runs, {t: {**q, "elsewhere": 1} for t, q in qrels.items()}


@pytest.mark.parametrize("measure", ["nDCG@3", "P@3", "R@3"])
def test_what_to_judge_next_is_what_moves_most(measure: str) -> None:
    """Guards the trick of one document per topic at a time: each is as if judged alone and all scored again."""
    runs, qrels = _world()
    for found in judge_next(runs, qrels, measure):
        judged = {**qrels, found.topic: {**qrels[found.topic], found.doc: 1}}
        before, after = (np.array([tg.evaluate(runs, q, measure).mean(s) for s in runs]) for q in (qrels, judged))
        pairs = [(0, 1), (0, 2), (1, 2)]
        shift = sum(abs((after - before)[a] - (after - before)[b]) for a, b in pairs)
        swaps = sum(
            np.sign(round(before[a] - before[b], 12)) != np.sign(round(after[a] - after[b], 12)) for a, b in pairs
        )
        assert found.swaps == swaps
        assert found.shift == pytest.approx(shift, abs=1e-12)


def test_what_to_judge_next_covers_every_hole() -> None:
    """Guards against documents that are forgotten: all retrieved, unjudged pairs are there, the most moving first."""
    runs, qrels = _world()
    found = judge_next(runs, qrels, "nDCG@3")
    expected = {(t, d) for r in runs.values() for t, docs in r.items() for d in docs if d not in qrels[t]}
    assert {(f.topic, f.doc) for f in found} == expected
    assert [(-f.swaps, -f.shift) for f in found] == sorted((-f.swaps, -f.shift) for f in found)


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
