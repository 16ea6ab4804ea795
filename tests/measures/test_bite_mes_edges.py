"""Where a line is drawn: gains below 1, ranks rounded, one topic or subtopic only, labels of two figures, refusals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.worlds import there
from truegain.config import Scoring
from truegain.measures.content import Content, ContentScorer
from truegain.measures.evaluate import aligned
from truegain.measures.label_weights import linear_parts
from truegain.measures.parse import parse_measure
from truegain.measures.scoring import at_level
from truegain.text.divergence import RankedText

GAINS = [0.5, 0.0, 0.25, 0.0, 0.5, 0.1]


def value(labels: Sequence[float], measure: str, **options: object) -> float:
    """A list with these labels from the first rank on."""
    run = {"1": {f"d{i}": -float(i) for i in range(len(labels))}}
    judgments = {"1": {f"d{i}": x for i, x in enumerate(labels)}}
    return there(tg.evaluate(run, judgments, measure, scoring=tg.Scoring(**options)).mean())  # type: ignore[arg-type]


# ------------------------------------------------------------------ gains below 1


def test_any_gain_makes_a_document_relevant() -> None:
    """Guards the least gain there is, in measures of gains: a document of gain 0.1 is found, and is missed."""
    good = [i + 1 for i, g in enumerate(GAINS) if g > 0]
    best = sorted(GAINS, reverse=True)
    ratios = {r: (sum(x <= r for x in good) + sum(GAINS[:r])) / (r + sum(best[:r])) for r in good}
    assert value(GAINS, "Q") == pytest.approx(sum(ratios.values()) / 4)
    assert value(GAINS, "O") == pytest.approx(ratios[1])
    assert value(GAINS, "P+") == pytest.approx(ratios[1])
    assert value([0.1, 0.0, 0.4], "P+") == pytest.approx((1.1 / 1.4 + (2 + 0.5) / (3 + 0.5)) / 2)
    assert value(GAINS, "bpref_N") == pytest.approx((1 + 0.5 + 0 + 0) / 4)
    assert value(GAINS, "bpref_R") == pytest.approx((1 + 0.75 + 0.5 + 0.5) / 4)
    falling = sum(0.5**i * (i + 1) / r for i, r in enumerate(good)) / (1 + 0.5 + 0.25 + 0.125)
    assert value(GAINS, "NCUrb_P(gamma=0.5)") == pytest.approx(falling)
    assert value(GAINS, "D(of='P@4')") == pytest.approx(0.5)
    assert value(GAINS, "D(of='P(rel=0.3)@4')") == pytest.approx(0.25)


def test_topics_of_small_gains_have_something_to_find() -> None:
    """Guards no_relevant='skip': a topic whose only gain is 0.2 counts for measures of gains, not from label 1 on."""
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"a": 1.0}}
    labels = {"1": {"a": 0.2}, "2": {"a": 1.0}, "3": {"a": 0.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        scores = tg.evaluate(run, labels, ["nDCG", "AP", "Q", "NumRet"], scoring=tg.Scoring(no_relevant="skip"))
    there = {name: (~np.isnan(v[0])).tolist() for name, v in scores.values.items()}
    assert there == {
        "nDCG": [True, True, False],
        "AP": [False, True, False],
        "Q": [True, True, False],
        "NumRet": [True, True, True],
    }
    rows = [("1", "x", "a", 0.2), ("2", "x", "a", 1.0), ("3", "x", "a", 0.0)]
    frame = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    scores = tg.evaluate(run, frame, ["D-nDCG", "I-rec", "AP_IA"], scoring=tg.Scoring(no_relevant="skip"))
    assert {n: (~np.isnan(v[0])).tolist() for n, v in scores.values.items()} == {
        "D-nDCG": [True, True, False],
        "I-rec": [True, True, False],
        "AP_IA": [False, True, False],
    }


# ------------------------------------------------------------------ ranks and recall, rounded


@pytest.mark.parametrize(("version", "x", "cut"), [
    ("10", 0.083, 2), ("10", 0.0834, 3), ("9", 0.069, 2), ("9", 0.0701, 3), ("10", 0.05, 2), ("10", 0.0, 1),
])  # fmt: skip
def test_recall_is_rounded_as_trec_eval_does(version: str, x: float, cut: int) -> None:
    """Guards round(x R) of version 10 and trunc(x R + 0.9) of 9, at R = 30, just below and above the step."""
    labels = {f"d{i}": int(i in (1, 4, 9)) for i in range(10)} | {f"m{i}": 1 for i in range(27)}
    run = {"1": {f"d{i}": -float(i) for i in range(10)}}
    found = tg.evaluate(run, {"1": labels}, f"IPrec@{x}", scoring=tg.Scoring(trec_eval=version)).mean()  # type: ignore[arg-type]
    precision = {1: 1 / 2, 2: 2 / 5, 3: 3 / 10}
    assert found == pytest.approx(max(p for c, p in precision.items() if c >= cut))


@pytest.mark.parametrize(("mult", "cut"), [(0.069, 2), (0.0701, 3), (0.1, 3), (1.0, 30)])
def test_multiples_of_r_are_rounded(mult: float, cut: int) -> None:
    """Guards trunc(mult R + 0.9) at R = 30."""
    labels = {f"d{i}": int(i != 1) for i in range(31)}
    run = {"1": {f"d{i}": -float(i) for i in range(31)}}
    assert tg.evaluate(run, {"1": labels}, f"Rprec(mult={mult})").mean() == pytest.approx((cut - 1) / cut)


def test_labels_as_characters() -> None:
    """Guards relstring: fractions cut, nines and tens apart, judged negative and unjudged apart, short lists."""
    labels = {"a": 9.0, "b": 10.0, "c": 9.9, "d": 0.5, "e": -0.5, "g": 1.0}
    run = {"1": {d: -float(i) for i, d in enumerate("abcdefg")}, "2": {"a": 1.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        scores = tg.evaluate(run, {"1": labels, "2": {"a": 3.0}}, ["RelString@9", "RelString@2", "RelString@1"])
    assert [v[0].tolist() for v in scores.values.values()] == [["9>90.-1", "3"], ["9>", "3"], ["9", "3"]]


# ------------------------------------------------------------------ one topic, one subtopic


@pytest.mark.parametrize("topics", [1, 2])
def test_coefficients_of_documents(topics: int) -> None:
    """Guards what a worth of 1 adds at each rank, for two systems, with one topic and with two."""
    runs = {
        "x": {str(t): {"a": 3.0, "b": 2.0, "u": 1.0, "c": 0.5} for t in range(topics)},
        "y": {str(t): {"c": 2.0, "a": 1.0} for t in range(topics)},
    }
    labels = {str(t): {"a": 1, "b": 0, "c": 2} for t in range(topics)}
    ranked = aligned(runs, labels, Scoring())
    one = linear_parts(parse_measure("DCG@3"), np.array([0.0, 1.0, 2.0]), 3).coefficients(ranked)
    half, third = 1 / math.log2(3), 1 / math.log2(4)
    names = list(ranked.pool.docs.strings())
    wanted = {"x": {"a": 1.0, "b": half, "c": 0.0}, "y": {"a": half, "b": 0.0, "c": 1.0}}
    assert one.tolist() == [[pytest.approx(wanted[s][d]) for d in names] for s in "xy"]
    condensed = linear_parts(parse_measure("DCG(judged_only=True)@3"), np.array([0.0, 1.0, 2.0]), 3)
    assert condensed.coefficients(ranked)[0].tolist() == [
        pytest.approx({"a": 1.0, "b": half, "c": third}[d]) for d in names
    ]


def test_one_subtopic_is_the_topic() -> None:
    """Guards numbers of subtopics where there is but one: each intent-aware measure is the plain one of the topic."""
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    labels = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 2, "b": 0, "c": 1}}
    rows = [(t, "only", d, g) for t, row in labels.items() for d, g in row.items()]
    frame = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    for aware, plain in (
        ("AP_IA", "AP"),
        ("P_IA@2", "P@2"),
        ("IA-nDCG@3", "nDCG@3"),
        ("D-Q@3", "Q@3"),
        ("P+Q", "Q"),
        ("IA-ERR@2", "ERR(max_rel='topic',rule='gain')@2"),
        ("StRecall@1", "Success@1"),
        ("I-rec@1", "Success@1"),
    ):
        want = tg.evaluate(run, labels, plain).matrix()
        assert tg.evaluate(run, frame, aware).matrix() == pytest.approx(want), aware
        assert tg.evaluate(run, labels, aware).matrix() == pytest.approx(want), aware


# ------------------------------------------------------------------ text


def test_text_read_again_is_text_read() -> None:
    """Guards scores where some judgments are taken away: the same as of judgments that lack them."""
    words = ["red", "rose", "bloom", "sky", "blue", "sea", "salt", "wind", "leaf", "tree", "root", "moss"]
    texts = {f"d{i}": " ".join(words[(i * k) % 12] for k in range(1, 9)) for i in range(14)}
    rng = np.random.default_rng(5)
    rows = [
        (str(t), s, f"d{i}", int(rng.integers(-1, 3))) for t in range(3) for i in range(12) for s in "xy"[: 1 + i % 2]
    ]
    runs = {
        s: {str(t): {f"d{i}": float(rng.random()) for i in rng.permutation(14)[:6]} for t in range(3) if s != "b" or t}
        for s in "ab"
    }
    names = ["AbsNB(mu=5)@4", "DeltaRB(mu=5,rel=2)@3", "AbsRB(mu=9,theta=0.5)@4"]
    schema = ["topic", "subtopic", "doc", "label"]
    measures = [parse_measure(n) for n in names]
    reading = [m for m in measures if isinstance(m, Content)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        whole = aligned(runs, pl.DataFrame(rows, schema=schema, orient="row"), Scoring(), keep_top=4)
        again = ContentScorer.of(RankedText.of(whole, texts), reading)
        docs, topics = list(whole.pool.docs.strings()), [whole.topics[t] for t in whole.pool.topic.tolist()]
        for gone in ({"d1"}, {"d0", "d3", "d7"}, set[str]()):
            kept = np.array([d not in gone for d in docs])
            found = again.means(kept)
            left = [
                (t, s, d, g if d not in gone else min(g, 0)) for t, s, d, g in rows
            ]  # what is taken away is relevant to nothing
            fewer = tg.evaluate(runs, pl.DataFrame(left, schema=schema, orient="row"), names, corpus=texts)
            for name, one in zip(names, found, strict=True):
                assert one == pytest.approx(fewer.summaries[str(parse_measure(name))]), (name, gone)
        assert len(topics) == len(docs)


# ------------------------------------------------------------------ bounds and options


def test_what_a_topic_can_have() -> None:
    """Guards bounds, by which limits of intervals are cut, of gains below 0 and of measures of measures."""
    no_end = math.inf
    wanted = {
        "CG(gains={0:-1})": (-no_end, no_end),
        "DCG(gains={0:-1})@3": (-no_end, no_end),
        "RBP(gains={0:-1},max_rel='scale')": (-no_end, 1.0),
        "RBP(max_rel=3)": (0.0, no_end),
        "CG(gains={0:0})": (0.0, no_end),
        "nDCG(gains={1:2})": (0.0, 1.0),
        "Utility": (-no_end, no_end),
        "alpha_nDCG@5": (0.0, no_end),
        "alpha_nDCG@1": (0.0, no_end),
        "nERR_IA": (0.0, no_end),
        "nNRBP": (0.0, no_end),
        "NRBP": (0.0, 1.0),
        "ERR_IA@1": (0.0, no_end),
        "IA(of='YAAP')": (-no_end, no_end),
        "IA": (0.0, 1.0),
        "P+Q@3": (0.0, 1.0),
        "D(of='CG')": (0.0, no_end),
        "D#-nDCG@3": (0.0, 1.0),
        "NumRel": (0.0, no_end),
    }
    assert {name: parse_measure(name).bounds() for name in wanted} == wanted


def test_levels_go_to_measures_that_name_none() -> None:
    """Guards -l: only where the level is 1, whole numbers printed as such, and none where there is none."""
    assert str(at_level(parse_measure("P@5"), 2.0)) == "P(rel=2)@5"
    assert str(at_level(parse_measure("P@5"), 0.5)) == "P(rel=0.5)@5"
    assert str(at_level(parse_measure("P@5"), 0)) == "P(rel=0)@5"
    assert str(at_level(parse_measure("P@5"), None)) == "P@5"
    assert str(at_level(parse_measure("P(rel=3)@5"), 2)) == "P(rel=3)@5"
    assert str(at_level(parse_measure("nDCG@5"), 2)) == "nDCG@5"
    assert Scoring(trec_eval=9.08).trec_eval == "9"
    assert Scoring(trec_eval=10.0).trec_eval == "10"
    for bad in ({"trec_eval": 8}, {"ties": "up"}, {"no_relevant": "drop"}, {"relevant_from": math.inf}):
        with pytest.raises(tg.TruegainError):
            Scoring(**bad)
    assert Scoring(relevant_from=0, depth=1).depth == 1


def test_a_corpus_of_the_judged_needs_another() -> None:
    """Guards the refusal, and that measures which read no text need none."""
    run, labels = {"1": {"a": 1.0}}, {"1": {"a": 1}}
    with pytest.raises(tg.TruegainError, match="give corpus too"):
        tg.evaluate(run, labels, "AP", judged_corpus={"a": "text"})
    assert tg.evaluate(run, labels, "AP", corpus={"a": "text"}).mean() == 1.0


def test_gains_that_may_be_levels_are_told() -> None:
    """Guards the warning: fractions under a cascade that takes labels as levels, and only there."""
    run, labels = {"1": {"a": 1.0, "b": 0.5}}, {"1": {"a": 1.5, "b": 1}}
    for measure, told in (("ERR", True), ("nDCG", False), ("ERR(max_rel=2)", False), ("iRBU(rule='gain')", False)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            tg.evaluate(run, labels, measure)
        assert any("1 of 2 labels are not whole numbers" in str(w.message) for w in seen) == told, measure
