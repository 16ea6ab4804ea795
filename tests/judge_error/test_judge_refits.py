"""Corrections refitted in resamples of topics, against the closed forms; and weights that must not be lost."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.refits import corrected_values, matrix_values, rectified_by, topic_values
from tests.worlds import study, there
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.io.columns import Floats
from truegain.judge_error.confusion import corrected_mean
from truegain.judge_error.fits import JudgedLists
from truegain.judge_error.judges import Judges
from truegain.judge_error.topic_estimators import TopicFit

Labels = dict[str, dict[str, int]]


def some_of(gold: Labels, design: str, seed: int = 0) -> Labels:
    """A gold sample: whole topics, or a third of the pairs."""
    rng = np.random.default_rng(seed)
    if design == "topics":
        return {t: row for t, row in gold.items() if rng.random() < 0.5}
    return {t: {d: g for d, g in row.items() if rng.random() < 0.35} for t, row in gold.items()}


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("design", "measure", "accuracy"),
    [
        ("topics", "nDCG@10", None),
        ("random", "P@10", None),
        ("random", "DCG@10", None),
        ("by-gold", "P@10", "system"),
        ("by-gold", "P@10", "given"),
        ("by-gold", "DCG@10", "given"),
    ],
)
def test_closed_forms_against_refits(design: str, measure: str, accuracy: str | None) -> None:
    """Guards every correction taking weights: its standard error is that of refits over resampled topics.

    400 draws tell a standard error to 3.5%; the closed forms themselves are held at 1e-6 in test_judge_influence.
    """
    runs, bronze, gold = study(3, topics=120)
    sample, one = some_of(gold, design), tg.parse_measure(measure)
    judge = tg.Judge.fit(bronze, sample, design=design)
    ranked = aligned(runs, bronze, Scoring())
    same = corrected_values(ranked, judge, one, np.ones((1, 120)), accuracy=accuracy)[0]  # type: ignore[arg-type]
    method = "delta" if design == "by-gold" else "default"
    found = tg.correct(runs, bronze, one, gold=judge, accuracy=accuracy, method=method)  # type: ignore[arg-type]
    assert same == pytest.approx([a.value for a in found])
    truth = tg.evaluate(runs, gold, one)
    assert all(abs((a.value or 0) - there(truth.mean(a.system))) < 4 * (a.se or 0) for a in found)
    rng = np.random.default_rng(1)
    draws = rng.multinomial(120, np.full(120, 1 / 120), 400)
    refits = corrected_values(ranked, judge, one, draws, accuracy=accuracy)  # type: ignore[arg-type]
    for spread, answer in zip(refits.std(axis=0, ddof=1), found, strict=True):
        assert answer.se == pytest.approx(spread, rel=0.11)
    pairs = tg.compare(runs, bronze, one, gold=judge, test=tg.PublishedTest(accuracy=accuracy)).pairs  # type: ignore[arg-type]
    apart = refits[:, 1] - refits[:, 0]
    if design == "topics":  # a difference is set right by itself
        fit = rectified_by(ranked, judge, one)
        assert isinstance(fit, TopicFit)
        apart = topic_values(fit.gold[1] - fit.gold[0], fit.bronze[1] - fit.bronze[0], draws.astype(np.float64))
    spread = apart.std(ddof=1)
    low, high = pairs[0].low, pairs[0].high
    assert low is not None
    assert high is not None
    assert (high - low) / 3.92 == pytest.approx(spread, rel=0.11)


def test_weights_reach_the_default_answer() -> None:
    """Guards Judge.fit(weights=): gold drawn with chances 0.6 and 0.1 is set right by the weights, and not without."""
    runs, bronze, gold = study(5, topics=150)
    truth = tg.evaluate(runs, gold, "P@10")
    rng = np.random.default_rng(2)
    rows = [(t, d, g) for t, row in gold.items() for d, g in row.items() if rng.random() < (0.6 if g else 0.1)]
    sample: Labels = {}
    for t, d, g in rows:
        sample.setdefault(t, {})[d] = g
    weights = [1 / 0.6 if g else 1 / 0.1 for row in sample.values() for g in row.values()]
    off = {}
    for name, w in (("without", None), ("with", weights)):
        judge = tg.Judge.fit(bronze, sample, design="random", weights=w)
        with nullcontext() if w else pytest.warns(tg.DataWarning, match="contradict it"):
            found = tg.correct(runs, bronze, "P@10", gold=judge)
        off[name] = max(abs((a.value or 0) - there(truth.mean(a.system))) for a in found)
    assert off["with"] < 0.06 < 0.2 < off["without"]
    topics = tg.Judge.fit(bronze, sample, design="topics", weights=weights)
    with pytest.raises(tg.TruegainError, match="weights are for gold pairs"):
        tg.correct(runs, bronze, "nDCG@10", gold=topics)


def test_independent_pairs_behind_one_gold_sample_move_together() -> None:
    """Guards clusters='none': the joint variance of d = (jb - ja)/D, written out, also from counts alone."""
    runs, bronze, gold = study(8)
    judge = tg.Judge.fit(bronze, gold, design="by-gold")
    k_r, n_r, k_n, n_n = judge.counts
    scores = tg.evaluate(runs, bronze, "P@10").matrix("P@10")
    change = scores[1] - scores[0]
    v_d = judge.sensitivity * (1 - judge.sensitivity) / n_r + judge.specificity * (1 - judge.specificity) / n_n
    value = change.mean() / judge.informedness
    se = np.sqrt(change.var(ddof=1) / len(change) + value**2 * v_d) / judge.informedness
    counts = tg.Judge.from_counts((k_r, n_r), (k_n, n_n))
    for known in (judge, counts):
        pair = tg.compare(
            runs, bronze, "P@10", gold=known, test=tg.PublishedTest(clusters="none", accuracy="given")
        ).pairs[0]
        assert pair.difference == pytest.approx(value)
        assert pair.high is not None
        assert pair.high - value == pytest.approx(se * 2.0, rel=0.03)


def by_hand(lists: JudgedLists, s: int, w: Floats) -> float:
    """One system and one row of weights, matrix by matrix: the label weights and the gold topics weighted again."""
    answered = lists.answered(s)
    names, copies, f = lists.topic_names(answered), w[answered], lists.weights.weight[s][answered]
    value = 0.0
    for matrix in lists.judges_of(s).matrices(names, binary=lists.binary):
        c = matrix.confusion
        of_gold = [
            w[lists.ranked.topics.index(t)] if lists.same_topics and t in lists.ranked.topics else 1.0 for t in c.topics
        ]
        again = c.reweighted(of_gold or np.ones(len(c.table)))
        value += corrected_mean(again, (copies * matrix.labeled) @ f / copies.sum(), lists.weights.value).value
    return value


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("kind", ["system", "given", "elsewhere", "counts", "several", "topics lacking"])
def test_rows_of_weights_are_the_fits_one_by_one(kind: str) -> None:
    """Guards `MatrixFit.values`: each row is the fit with topics and gold weighted by hand; NaN where none is."""
    runs, bronze, gold = study(2, topics=14)
    judge: tg.Judge | Judges = tg.Judge.fit(bronze, gold, design="elsewhere" if kind == "elsewhere" else "by-gold")
    if kind == "counts":
        judge = tg.Judge.from_counts((43, 59), (67, 84))
    if kind == "several":
        halves = [[t for t in gold if int(t) % 2 == k] for k in (0, 1)]
        fits = {n: tg.Judge.fit(bronze, {t: gold[t] for t in h}, "by-gold") for n, h in zip("xy", halves, strict=True)}
        judge = Judges(fits, {t: n for n, h in zip("xy", halves, strict=True) for t in h})
    if kind == "topics lacking":
        runs = {**runs, "b": {t: row for t, row in runs["b"].items() if int(t) > 3}}
    lists = JudgedLists.of(aligned(runs, bronze, Scoring()), judge, tg.parse_measure("DCG@10"))
    if kind == "given":
        lists = JudgedLists.of(lists.ranked, judge, lists.measure, accuracy="given")
    drawn = np.random.default_rng(3).multinomial(14, np.full(14, 1 / 14), 5)
    weights = np.concatenate([drawn, 1 - np.eye(14)])  # copies of topics, and each topic left out once
    wanted = [[by_hand(lists, s, w) for s in (0, 1)] for w in weights]
    assert matrix_values(lists, weights) == pytest.approx(np.array(wanted), rel=1e-12)
    if kind == "system":
        none = np.zeros((1, 14))
        assert np.isnan(matrix_values(lists, none)).all()


def test_the_bootstrap_of_a_precision_draws_topics_with_their_gold() -> None:
    """Guards --method bootstrap where all documents scored are gold: its spread is that of gold's own scores.

    Bronze mean and rates drawn apart (algorithm 1, as for gold from elsewhere) would be half as wide again.
    """
    runs, bronze, gold = study(6, topics=40)
    scores = tg.evaluate(runs, gold, "P@10").matrix("P@10")
    together = tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), method="bootstrap")
    elsewhere = tg.Judge.fit(bronze, gold, design="elsewhere")
    with pytest.warns(tg.DataWarning, match="the gold labels are of other topics"):
        apart = tg.correct(runs, bronze, "P@10", gold=elsewhere, method="bootstrap", accuracy="system")
    for answer, other, row in zip(together, apart, scores, strict=True):
        assert answer.method == "bootstrap over topics"
        assert answer.value == pytest.approx(row.mean())
        assert answer.se == pytest.approx(row.std(ddof=1) / np.sqrt(40), rel=0.06)  # 2,000 draws tell it to 1.6%
        assert (other.se or 0) > 1.3 * (answer.se or 0)
    for words in ({"clusters": "none"}, {"clusters": "topics", "design": "elsewhere"}):
        given = tg.Judge.fit(bronze, gold, design=words.get("design", "by-gold"))
        clusters: Any = words["clusters"]
        with pytest.warns(tg.DataWarning) if "design" in words else nullcontext():
            answer = tg.correct(
                runs, bronze, "P@10", gold=given, method="bootstrap", clusters=clusters, resampling=tg.Resampling(n=100)
            )[0]
        assert answer.method == "bootstrap"
