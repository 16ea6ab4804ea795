"""Scores and differences set right by gold labels: `correct`, `compare` and a study give one answer to one question."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from benchmarks.rectified import by_pairs, by_topics, told
from scipy import stats

import truegain as tg
from tests.worlds import study, there
from truegain.config import Scoring
from truegain.judge_error.system_judges import fit_of
from truegain.measures.evaluate import aligned
from truegain.measures.label_weights import linear_parts
from truegain.stats.contrasts import Contrasts
from truegain.study.corrected_scores import Rectified

Labels = Mapping[str, Mapping[str, int]]
quiet = pytest.mark.filterwarnings("ignore::truegain.DataWarning")


def gold_of(gold: Labels, design: str) -> Labels:
    """Gold labels of half of the topics, or of a third of the pairs."""
    if design == "topics":
        return {t: row for t, row in gold.items() if int(t) % 2 == 0}
    rng = np.random.default_rng(1)
    return {t: {d: g for d, g in row.items() if rng.random() < 0.35} for t, row in gold.items()}


def graded(seed: int = 0, topics: int = 40) -> tuple[Any, Labels, Labels]:
    """Three systems, bronze labels and gold ones from 0 to 3."""
    rng = np.random.default_rng(seed)
    true = {f"{t:02d}": {f"d{i}": int(rng.integers(0, 4)) for i in range(12)} for t in range(topics)}
    bronze = {t: {d: max(0, min(3, g + int(rng.integers(-1, 2)))) for d, g in row.items()} for t, row in true.items()}
    runs = {
        s: {t: {d: skill * g + rng.normal() for d, g in row.items()} for t, row in true.items()}
        for s, skill in (("bad", 0.1), ("good", 1.0), ("fair", 0.5))
    }
    return runs, bronze, true


@quiet
@pytest.mark.parametrize("lacking", [False, True])
@pytest.mark.parametrize(("design", "measure"), [("random", "P@10"), ("by-bronze", "DCG@10"), ("topics", "nDCG@10")])
def test_one_question_has_one_answer(design: Any, measure: str, lacking: bool) -> None:
    """Guards that correct, compare, plan and verdict tell the same values, differences, intervals and p, to 1e-12."""
    runs, bronze, gold = study(5, topics=30)
    if lacking:
        runs = {**runs, "b": {t: row for t, row in runs["b"].items() if t not in ("2", "7")}}
    some = gold_of(gold, design)
    whole = tg.Study(runs, bronze, measure, gold=tg.Gold(some, design=design))
    scores, (pair,) = tg.correct(runs, bronze, measure, gold=tg.Gold(some, design=design)), whole.compare("a", "b")
    for one, same in zip(scores, whole.estimates(), strict=True):
        assert (one.value, one.low, one.high, one.se, one.n) == pytest.approx(
            (same.value, same.low, same.high, same.se, 28 if lacking else 30), abs=1e-12
        )
    found = tg.compare(runs, bronze, measure, gold=tg.Gold(some, design=design)).between("a", "b")
    wanted = (pair.difference, pair.low, pair.high, pair.p, pair.value_a, pair.value_b)
    assert (found.difference, found.low, found.high, found.p, found.value_a, found.value_b) == pytest.approx(
        wanted, abs=1e-12
    )
    assert whole.verdict("a", "b").comparison.difference == pytest.approx(pair.difference, abs=1e-12)
    if design != "topics":  # there a difference is set right by itself, and that is said
        assert found.difference == pytest.approx(found.value_b - found.value_a, abs=1e-12)
    by_itself = [note for note in whole.compare("a", "b").notes if "corrected by itself" in note]
    said = tg.compare(runs, bronze, measure, gold=tg.Gold(some, design=design)).notes
    assert any("corrected by itself" in note for note in said) == (design == "topics")
    assert len(by_itself) == (design == "topics")
    assert any("corrected by itself" in note for note in whole.verdict("a", "b").notes) == (design == "topics")
    assert not any("corrected by itself" in note for note in whole.estimates().notes)


def test_topics_that_one_system_lacks_are_left_out_and_told() -> None:
    """Guards one rule for topics: those that all systems answer, with who lacks which."""
    runs, bronze, gold = study(5, topics=30)
    runs = {**runs, "b": {t: row for t, row in runs["b"].items() if t not in ("2", "7")}}
    for made in (tg.correct, tg.compare):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made(runs, bronze, "P@10", gold=tg.Gold(gold_of(gold, "random"), design="random"))
        said = [str(w.message) for w in caught if "judged topics" in str(w.message)]
        assert said == ["2 of 30 judged topics are not answered by all systems and left out (2, 7); b lacks 2"]


@pytest.mark.parametrize(
    "name", ["P@5", "P(rel=2)@10", "DCG@10", "DCG(dcg='exp-log2')", "RBP", "SDCG(max_rel=3)@5", "INSQ(max_rel=3)"]
)
def test_linear_measures_come_apart_and_together(name: str) -> None:
    """Guards the weights of ranks and the worth of labels: their sum is the measure, for any labels."""
    runs, bronze, true = graded()
    ranked, right = aligned(runs, bronze, Scoring()), aligned(runs, true, Scoring())
    measure, gold = tg.parse_measure(name), right.item_gain
    parts = linear_parts(measure, np.concatenate([ranked.item_gain, gold]), int(ranked.rank.max()))
    for view in (ranked, ranked.with_gains(gold)):
        worth = parts.coefficients(view) * parts.worth(view.item_gain)
        scores = np.array([np.bincount(view.pool.topic, row) for row in worth])
        assert scores == pytest.approx(measure.score(view))


@quiet
@pytest.mark.parametrize("name", ["nDCG@10", "AP(rel=2)", "ERR@10", "P@5"])
def test_gold_topics_serve_any_measure(name: str) -> None:
    """Guards per-topic rectification of measures that no matrix can correct: scores under either label, per topic."""
    runs, bronze, true = graded(topics=14)
    measure = tg.parse_measure(name)
    said, right = (measure.score(aligned(runs, x, Scoring())) for x in (bronze, true))
    right[:, 8:] = np.nan
    some = {t: row for t, row in true.items() if int(t) < 8}
    wanted = by_topics(said, right, (0.0, 1.0))
    for s, answer in enumerate(tg.correct(runs, bronze, measure, gold=tg.Gold(some, design="topics"))):
        one = told(wanted, s)
        assert (answer.value, answer.low, answer.high) == pytest.approx((one.value, one.low, one.high))
    pair = tg.compare(runs, bronze, name, gold=tg.Gold(some, design="topics")).between("bad", "good")
    both = told(wanted, 1, 0)
    assert (pair.difference, pair.low, pair.p) == pytest.approx((both.value, both.low, both.p))


@quiet
@pytest.mark.parametrize("name", ["P(rel=2)@5", "DCG@10"])
def test_gold_pairs_serve_linear_measures(name: str) -> None:
    """Guards the road from systems to pairs: all pairs gold give the gold score, some come near."""
    runs, bronze, true = graded()
    truth = tg.evaluate(runs, true, name)
    everything = tg.correct(runs, bronze, name, gold=tg.Gold(true, design="random"))
    assert [e.value for e in everything] == pytest.approx([truth.mean(e.system) for e in everything])
    rng = np.random.default_rng(1)
    some = {t: {d: g for d, g in row.items() if rng.random() < 0.4} for t, row in true.items()}
    near = tg.correct(runs, bronze, name, gold=tg.Gold(some, design="random"))
    assert all(e.low <= there(truth.mean(e.system)) <= e.high for e in near)


def noise_for(true: Labels, seed: int) -> tuple[Labels, np.random.Generator]:
    """Labels that say nothing."""
    rng = np.random.default_rng(seed)
    return {t: {d: int(rng.integers(0, 4)) for d in row} for t, row in true.items()}, rng


def test_a_useless_judge_hardly_counts() -> None:
    """Guards noise for bronze labels of whole gold topics: no difference much wider than by gold alone, no warning."""
    runs, _, true = graded(topics=30)
    noise, _ = noise_for(true, 3)
    some = {t: row for t, row in true.items() if int(t) < 8}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = tg.correct(runs, noise, "DCG@10", gold=tg.Gold(some, design="topics"))
        pairs = tg.compare(runs, noise, "DCG@10", gold=tg.Gold(some, design="topics")).pairs
    assert "is asked of every score and difference by itself" in " ".join(said.notes)
    alone = tg.evaluate({s: {t: runs[s][t] for t in some} for s in runs}, some, "DCG@10")
    for c in pairs:
        d = alone.matrix()[alone.systems.index(c.b)] - alone.matrix()[alone.systems.index(c.a)]
        assert c.low is not None
        assert c.high is not None
        assert c.high - c.low < 1.1 * 2 * stats.t.ppf(0.975, 7) * d.std(ddof=1) / np.sqrt(8)


def test_gold_pairs_alone_that_would_be_surer_are_told() -> None:
    """Guards the warning of single gold pairs: where bronze labels only add noise both widths are said, once."""
    runs, _, true = graded(topics=30)
    noise, rng = noise_for(true, 1)
    drawn = {t: {d: g for d, g in row.items() if rng.random() < 0.2} for t, row in true.items()}
    some = {t: row for t, row in drawn.items() if row}
    with pytest.warns(tg.DataWarning, match=r"widen \d of 3 intervals of DCG@10 \(.* alone; to take") as got:
        tg.correct(runs, noise, "DCG@10", gold=tg.Gold(some, design="random"))
    assert len([w for w in got if "widen" in str(w.message)]) == 1


@pytest.mark.parametrize("topics", [8, 20, 30])
def test_how_much_bronze_counts_is_said(topics: int) -> None:
    """Guards the note: gold topics of how many, and how much bronze counts in the scores, or that it is not used."""
    rng = np.random.default_rng(3)
    bronze = rng.random((3, 30))
    steep = np.array([[0.8], [0.2], [0.0]])
    gold = np.where(np.arange(30) < topics, steep * bronze + 0.1 + 0.02 * rng.normal(size=(3, 30)), np.nan)
    judge, measure = tg.Judge.from_counts((8, 10), (9, 10)), tg.parse_measure("P@3")
    for systems in (1, 3):
        evidence = by_topics(bronze[:systems], gold[:systems], (0.0, 1.0))
        names = ("a", "b", "c")[:systems]
        said = Rectified(evidence, evidence, names, measure, judge, gold[0], 0.95).notes()[-1]
        if topics == 30:
            assert said == "P@3: all 30 topics are gold-judged, and bronze scores are not used."
            continue
        assert said.startswith(f"P@3, {topics} of 30 topics gold: how much")
        used = evidence.fit.slopes(Contrasts.scores(systems))
        assert used[0] == pytest.approx(0.8, abs=0.05)
        assert said.endswith(
            f"the score {used[0]:.2f}."
            if systems == 1
            else f"the scores {used.min():.2f} to {used.max():.2f}, median {np.median(used):.2f}."
        )


@pytest.mark.parametrize(
    ("name", "bounds"),
    [("nDCG@10", (0, 1)), ("YAAP", (-np.inf, np.inf)), ("CG@2", (0, 6)), ("RBP(max_rel=3)", (0, 1 - 0.8**12))],
)
def test_how_far_scores_reach(name: str, bounds: tuple[float, float]) -> None:
    """Guards Wilson's part: the ends a measure declares, by the labels where these decide, or none."""
    runs, bronze, true = graded(topics=8)
    gold = aligned(runs, true, Scoring()).item_gain
    fit = fit_of(aligned(runs, bronze, Scoring()), gold, tg.parse_measure(name), "topics")
    assert fit.bounds == pytest.approx(bounds)  # the lists have 12 ranks


def test_few_gold_labels_of_a_system_are_refused_and_others_told() -> None:
    """Guards answers that would rest on too few gold labels: refused with the reason, the others stay."""
    runs, bronze, gold = study(6, topics=30)
    some = {t: {d: g for d, g in row.items() if d.startswith("a") or (d == "b0" and int(t) < 4)} for t, row in
            gold.items()}  # fmt: skip
    first, second = tg.correct(runs, bronze, "P@10", gold=tg.Gold(some, design="random"))
    assert (first.refused, second.refused, second.method) == (False, True, "refused")
    assert second.notes == ("only 4 gold labels affect it; at least 10 are needed: draw them from what it retrieved",)
    only = {t: {d: g for d, g in row.items() if d == "b0" and int(t) < 4} for t, row in gold.items() if int(t) < 4}
    with pytest.raises(tg.TruegainError, match=r"^b, P@10: only 4 gold labels affect it"):
        tg.correct({"b": runs["b"]}, bronze, "P@10", gold=tg.Gold(only, design="random"))


def test_scores_that_no_topic_moves_have_no_interval() -> None:
    """Guards against an interval without width: all topics say the same."""
    gold = {str(t): {"a": 1, "b": 0} for t in range(9)}
    run = {t: {"a": 2.0, "b": 1.0} for t in gold}
    with pytest.raises(tg.TruegainError, match="all topics score exactly the same"):
        tg.correct({"s": run}, gold, "P@2", tg.Gold({t: row for t, row in gold.items() if int(t) < 6}, design="topics"))


def test_the_helper_is_what_correct_says() -> None:
    """Guards the tests of `PairFit`: scores from arrays are those of `correct`."""
    runs, bronze, gold = study(5, topics=30)
    some = gold_of(gold, "random")
    ranked, measure = aligned(runs, bronze, Scoring()), tg.parse_measure("P@10")
    known = np.array([some[ranked.topics[t]].get(d, np.nan) for t, d in
                      zip(ranked.pool.topic, ranked.pool.docs.strings(), strict=True)])  # fmt: skip
    fit = fit_of(ranked, known, measure, "random")
    parts = linear_parts(measure, ranked.item_gain, int(ranked.rank.max()))
    evidence = by_pairs(fit.pairs, *parts.coefficients(ranked), bounds=(0.0, 1.0))  # type: ignore[union-attr]
    for s, answer in enumerate(tg.correct(runs, bronze, "P@10", gold=tg.Gold(some, design="random"))):
        one = told(evidence, s)
        assert (answer.value, answer.low, answer.high) == pytest.approx((one.value, one.low, one.high))
