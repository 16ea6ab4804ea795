"""Scores and differences set right by gold labels: `correct`, `compare` and a study give one answer to one question."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from benchmarks.rectified import by_pairs, by_topics, told
from scipy import stats

import truegain as tg
from tests.worlds import EBAY, study, there
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.judgments import Judgments
from truegain.errors import TruegainError
from truegain.judge_error.fits import expansion_by_judge, rectification
from truegain.judge_error.pair_estimators import PairFit
from truegain.judge_error.topic_estimators import TopicFit
from truegain.measures.catalogue import parse_measure
from truegain.measures.label_weights import linear_parts
from truegain.stats.contrasts import Contrasts
from truegain.study.corrections import on_slopes

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
        assert said == ["2 of 30 judged topics are not answered by all systems and are left out (2, 7); b lacks 2"]


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
    assert "is fitted for each score and each difference" in " ".join(said.notes)
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
    with pytest.warns(tg.DataWarning, match=r"widen \d of 3 intervals of DCG@10 \(.* alone; choosing") as got:
        tg.correct(runs, noise, "DCG@10", gold=tg.Gold(some, design="random"))
    assert len([w for w in got if "widen" in str(w.message)]) == 1


@pytest.mark.parametrize("topics", [8, 20, 30])
def test_how_much_bronze_counts_is_said(topics: int) -> None:
    """Guards the note: gold topics of how many, and how much bronze counts in the scores, or that it is not used."""
    rng = np.random.default_rng(3)
    bronze = rng.random((3, 30))
    steep = np.array([[0.8], [0.2], [0.0]])
    gold = np.where(np.arange(30) < topics, steep * bronze + 0.1 + 0.02 * rng.normal(size=(3, 30)), np.nan)
    for systems in (1, 3):
        estimator = by_topics(bronze[:systems], gold[:systems], (0.0, 1.0))
        said = on_slopes(estimator, tg.parse_measure("P@3"))
        if topics == 30:
            assert said == "P@3: all 30 topics have gold labels, so bronze scores are not used."
            continue
        assert said.startswith(f"P@3: {topics} of 30 topics have gold labels. Bronze scores get a weight from 0 to 1")
        used = estimator.fit.slopes(Contrasts.scores(systems))
        assert used[0] == pytest.approx(0.8, abs=0.05)
        assert said.endswith(
            f"the score: {used[0]:.2f}."
            if systems == 1
            else f"the scores: {used.min():.2f} to {used.max():.2f}, median {np.median(used):.2f}."
        )


@pytest.mark.parametrize(
    ("name", "bounds"),
    [("nDCG@10", (0, 1)), ("YAAP", (-np.inf, np.inf)), ("CG@2", (0, 6)), ("RBP(max_rel=3)", (0, 1 - 0.8**12))],
)
def test_how_far_scores_reach(name: str, bounds: tuple[float, float]) -> None:
    """Guards Wilson's part: the ends a measure declares, by the labels where these decide, or none."""
    runs, bronze, true = graded(topics=8)
    gold = aligned(runs, true, Scoring()).item_gain
    fit = rectification(aligned(runs, bronze, Scoring()), gold, tg.parse_measure(name), "topics")
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
    fit = rectification(ranked, known, measure, "random")
    parts = linear_parts(measure, ranked.item_gain, int(ranked.rank.max()))
    estimator = by_pairs(fit.pairs, *parts.coefficients(ranked), bounds=(0.0, 1.0))  # type: ignore[union-attr]
    for s, answer in enumerate(tg.correct(runs, bronze, "P@10", gold=tg.Gold(some, design="random"))):
        one = told(estimator, s)
        assert (answer.value, answer.low, answer.high) == pytest.approx((one.value, one.low, one.high))


P3 = parse_measure("P@3")


RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)


RANKED = aligned(RUNS, BRONZE, Scoring())


def items(labels: dict[str, dict[str, int]]) -> np.ndarray:
    """Labels of the pool's items."""
    frame, out = Judgments.of(BRONZE), np.full(len(RANKED.pool), np.nan)
    where = RANKED.pool.find(frame.topic, frame.docs).tolist()
    for (topic, doc), at in zip(frame.frame().select("topic", "doc").iter_rows(), where, strict=True):
        out[at] = labels.get(topic, {}).get(doc, np.nan)
    return out


def test_gold_scores_of_whole_topics() -> None:
    """Guards gold scores by system and topic, NaN where a topic has none."""
    fit = rectification(RANKED, items({t: row for t, row in GOLD.items() if int(t) < 8}), P3, "topics")
    assert isinstance(fit, TopicFit)
    for s, name in enumerate("ab"):
        truth = {t: np.mean([GOLD[t][f"{name}{i}"] for i in range(3)]) for t in GOLD}
        expected = [truth[t] if int(t) < 8 else math.nan for t in RANKED.topics]
        assert fit.gold[s] == pytest.approx(np.array(expected), nan_ok=True)
    wide = {t: {d: x if int(t) < 8 else 3 * x for d, x in row.items()} for t, row in BRONZE.items()}
    some = {t: row for t, row in GOLD.items() if int(t) < 8}  # the highest label stands in the other topics
    by_scale = rectification(
        aligned(RUNS, wide, Scoring()), items(some), parse_measure("ERR(max_rel='scale')@3"), "topics"
    )
    assert isinstance(by_scale, TopicFit)
    put_in = tg.evaluate(RUNS, {**wide, **some}, "ERR(max_rel='scale')@3").matrix()
    in_gold = [t in some for t in RANKED.topics]
    assert by_scale.gold == pytest.approx(np.where(in_gold, put_in, np.nan), nan_ok=True)


def test_whole_topics_are_six_or_all() -> None:
    """Guards the least of whole gold topics, topics judged in part, and bounds by labels where the measure has none."""
    six = {t: row for t, row in GOLD.items() if int(t) < 6}
    rectification(RANKED, items(six), P3, "topics")
    five = {t: row for t, row in six.items() if int(t) < 5} | {"7": {"a0": 1}}
    with pytest.raises(TruegainError, match=r"^5 of 12 topics have a gold label for every judged pair, 1 for some"):
        rectification(RANKED, items(five), P3, "topics")
    with pytest.warns(UserWarning, match=r"^1 topic is labeled only in part"):
        rectification(RANKED, items(six | {"7": {"a0": 1}}), P3, "topics")
    few = aligned({n: {t: RUNS[n][t] for t in "012"} for n in "ab"}, {t: BRONZE[t] for t in "012"}, Scoring())
    whole = rectification(few, np.ones(len(few.pool)), P3, "topics")
    assert isinstance(whole, TopicFit)
    assert whole.n == 3
    total = 1 + 1 / math.log2(3) + 0.5
    for low, high, labels in ((0.0, 5.0, (2.0, 3.0)), (0.0, 5.0, (0.0, 2.0))):
        gold = np.where(np.arange(len(RANKED.pool)) % 2, labels[0], 5.0)
        shifted = aligned(RUNS, {t: {d: int(labels[g]) for d, g in r.items()} for t, r in BRONZE.items()}, Scoring())
        for design in ("topics", "random"):
            found = rectification(shifted, gold, parse_measure("DCG@3"), design)
            assert found.bounds == pytest.approx((low * total, high * total))
    for measure in ("P@3", "RBP(rel=1)"):
        assert rectification(RANKED, items(GOLD), parse_measure(measure), "topics").bounds == (0.0, 1.0)
    below = parse_measure("CG(gains={0:-1,1:2})@3")
    for design in ("topics", "random"):
        assert rectification(RANKED, items(GOLD), below, design).bounds == pytest.approx((-3.0, 6.0))


@pytest.mark.parametrize(
    ("design", "measure", "said"),
    [("by-gold", "P@3", "cannot be rectified"), ("random", "AP", "not linear"), ("topics", "GMAP", "geometric mean"),
     ("random", "RBP(max_rel='scale')", "give max_rel as a number"), ("random", "P(rel=9)@5", "no label has a gain")],
)  # fmt: skip
def test_what_cannot_be_rectified(design: str, measure: str, said: str) -> None:
    """Guards each refusal of design and measure."""
    with pytest.raises(TruegainError, match=said):
        rectification(RANKED, items(GOLD), parse_measure(measure), design)


def test_gold_gains_must_fit_the_pool() -> None:
    """Guards length, emptiness and weights of what is given beside the pool."""
    gold = np.where(np.arange(len(RANKED.pool)) % 3 == 0, items(GOLD), np.nan)
    with pytest.raises(TruegainError, match="143 gold gains for 144"):
        rectification(RANKED, gold[:-1], P3, "random")
    with pytest.raises(TruegainError, match="no judged pair has a gold label"):
        rectification(RANKED, gold * np.nan, P3, "random")
    first = np.zeros(144)
    first[0] = 1.0
    for bad in (np.ones(143), np.zeros(144), np.full(144, np.inf), 1 - first, np.where(first, np.inf, 1.0)):
        with pytest.raises(TruegainError, match="weights must be one positive number"):
            rectification(RANKED, gold, P3, "random", bad)
    free = np.where(np.isnan(gold), -1.0, 0.5)  # pairs without gold weigh nothing
    found, plain = rectification(RANKED, gold, P3, "random", free), rectification(RANKED, gold, P3, "random")
    assert isinstance(found, PairFit)
    assert isinstance(plain, PairFit)
    assert found.values(np.ones((1, 12))) == pytest.approx(plain.values(np.ones((1, 12))))
    assert found.pairs.expansion[~np.isnan(gold)] == pytest.approx(np.full(48, 3.0))


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
