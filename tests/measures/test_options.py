"""Options of scoring at their limits: levels, depth, gains below 1, topics with nothing to find."""

from __future__ import annotations

import math
import pickle
import warnings
from collections.abc import Sequence
from typing import Any

import ir_measures
import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.worlds import there
from truegain.config import Scoring
from truegain.measures.catalogue import parse_measure
from truegain.measures.precision import P
from truegain.measures.scoring import at_level

GAINS = [0.5, 0.0, 0.25, 0.0, 0.5, 0.1]


def value(labels: Sequence[float], measure: str, **options: object) -> float:
    """A list with these labels from the first rank on."""
    run = {"1": {f"d{i}": -float(i) for i in range(len(labels))}}
    judgments = {"1": {f"d{i}": x for i, x in enumerate(labels)}}
    return there(tg.evaluate(run, judgments, measure, scoring=tg.Scoring(**options)).mean())  # type: ignore[arg-type]


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


def test_levels_go_to_measures_that_name_none() -> None:
    """Guards -l: only where the level is 1, whole numbers printed as such, and none where there is none."""
    assert str(at_level(parse_measure("P@5"), 2.0)) == "P(rel=2)@5"
    assert str(at_level(parse_measure("P@5"), 0.5)) == "P(rel=0.5)@5"
    assert str(at_level(parse_measure("P@5"), 0)) == "P(rel=0)@5"
    assert str(at_level(parse_measure("P@5"), None)) == "P@5"
    assert str(at_level(at_level(parse_measure("P@5"), 1), 2)) == "P(rel=2)@5"  # nobody named 1
    assert str(at_level(parse_measure("P(rel=3)@5"), 2)) == "P(rel=3)@5"
    assert str(at_level(parse_measure("nDCG@5"), 2)) == "nDCG@5"
    assert Scoring(trec_eval=9.08).trec_eval == "9"
    assert Scoring(trec_eval=10.0).trec_eval == "10"
    for bad in ({"trec_eval": 8}, {"ties": "up"}, {"no_relevant": "drop"}, {"relevant_from": math.inf}):
        with pytest.raises(tg.TruegainError):
            Scoring(**bad)
    assert Scoring(relevant_from=0, depth=1).depth == 1


def test_a_level_of_1_that_is_typed_is_not_replaced() -> None:
    """Guards P(rel=1)@5 under relevant_from=2, which was scored as P(rel=2)@5; trec_eval's num_rel_ret has no own."""
    run, labels = {str(t): {"a": 1.0, "b": 0.5} for t in range(25)}, {str(t): {"a": 1, "b": 2} for t in range(25)}
    for name in ("P(rel=1)@2", "AP(rel=1)", "precision@2-l1", "P(judged_only=True,rel=1)@2"):
        parsed = parse_measure(name)
        for measure in (name, parsed):
            with pytest.raises(tg.MeasureError, match=r"rel=1.*sets rel=1, and relevant_from is 2; give one") as told:
                tg.evaluate(run, labels, measure, scoring=Scoring(relevant_from=2))
            assert (told.value.argument, told.value.value) == ("relevant_from", 2)
        with pytest.raises(tg.MeasureError, match="sets rel=1"):
            tg.Study({"x": run, "y": run}, labels, name, scoring=Scoring(relevant_from=2))
        assert str(at_level(parsed, 1)) == str(parsed) == str(at_level(parsed, None))
    assert parse_measure("P(rel=1)@5") == parse_measure("P@5")
    for made in (P(rel=1), P(judged_only=True, rel=1), ir_measures.P(rel=1)):
        with pytest.raises(tg.MeasureError, match=r"rel=1.*sets rel=1, and relevant_from is 2; give one"):
            tg.evaluate(run, labels, made @ 2, scoring=Scoring(relevant_from=2))
    for free in (P() @ 2, P(judged_only=True) @ 2, ir_measures.P @ 2, pickle.loads(pickle.dumps(P @ 2))):
        (scored,) = tg.evaluate(run, labels, free, scoring=Scoring(relevant_from=2)).measures  # type: ignore[arg-type]
        assert "rel=2" in scored
    for name in ("num_rel_ret", "NumRelRet"):
        assert str(at_level(parse_measure(name), 2)) == "NumRet(rel=2)"


def test_gains_that_may_be_levels_are_told() -> None:
    """Guards the warning: fractions under a cascade that takes labels as levels, and only there."""
    run, labels = {"1": {"a": 1.0, "b": 0.5}}, {"1": {"a": 1.5, "b": 1}}
    for measure, told in (("ERR", True), ("nDCG", False), ("ERR(max_rel=2)", False), ("iRBU(rule='gain')", False)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            tg.evaluate(run, labels, measure)
        assert any("1 of 2 labels are not whole numbers" in str(w.message) for w in seen) == told, measure


def one_list(labels: Sequence[int], measure: str, **options: Any) -> float:
    """A list with these labels from the first rank on; the value of one topic."""
    run = {"1": {f"d{i}": -float(i) for i in range(len(labels))}}
    judged = {"1": {f"d{i}": x for i, x in enumerate(labels)}}
    return there(tg.evaluate(run, judged, measure, scoring=tg.Scoring(**options)).mean())


def test_limits_of_options() -> None:
    """Guards the least level and depth that have a meaning, by what they do, and the next ones, which are refused."""
    with pytest.warns(tg.DataWarning, match="every label is relevant from 0 on"):
        assert one_list([0, 1, 2], "P@3", relevant_from=0) == 1
    assert one_list([0, 1, 2], "P@3", relevant_from=0.5) == pytest.approx(2 / 3)
    assert one_list([0, 1, 2], "P@3", relevant_from=2) == pytest.approx(1 / 3)
    assert one_list([1, 1, 2], "P@3", depth=1) == pytest.approx(1 / 3)
    assert one_list([1, 1, 2], "P@3", depth=2) == pytest.approx(2 / 3)
    for options, said in (
        ({"relevant_from": -0.01}, "is negative"),
        ({"relevant_from": math.inf}, "not a finite number"),
        ({"depth": 0}, "keeps no document"),
        ({"trec_eval": "8"}, "trec_eval '8' is not known"),
        ({"ties": "up"}, "ties 'up' is not known"),
        ({"no_relevant": "one"}, "no_relevant 'one' is not known"),
    ):
        with pytest.raises(tg.TruegainError, match=said):
            one_list([1], "P@3", **options)


@pytest.mark.filterwarnings("ignore:.*no relevant document")
def test_topics_with_nothing_to_find_are_left_out_on_demand() -> None:
    """Guards no_relevant='skip': a topic counts where a label reaches the level, or is above 0 for graded measures."""
    labels = {"1": {"a": 2}, "2": {"a": 1}, "3": {"a": 0}}
    run = {t: {"a": 1.0} for t in labels}

    def topics(measure: str) -> list[bool]:
        found = tg.evaluate(run, labels, measure, scoring=tg.Scoring(no_relevant="skip")).by_topic()
        return [found[t] is not None for t in labels]

    assert topics("AP") == topics("nDCG") == [True, True, False]
    assert topics("AP(rel=2)") == [True, False, False]
