"""What a study refuses, with the argument that is at fault, and what it says where there is nothing to refuse."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.worlds import study as world
from truegain.aggregation.consensus import Glad
from truegain.experiments.worlds import noisy_ratings, simulate

WORLD = simulate(topics=12, systems=2, docs=40, depth=20, pool_depth=10, seed=3)


@pytest.fixture(scope="module")
def rated() -> tg.Ratings:
    """How ratings of several people become one label."""
    return tg.Ratings("majority")


def ask(*parts: Any, **options: Any) -> tg.Study:
    """A study whose warnings are of no interest here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = tg.Study(*parts, **options)
        study.compare()
    return study


def test_error_rates_of_all_assessors_do_not_tell_of_others(rated: tg.Ratings) -> None:
    """Guards assessors as a source where gold is no sample of these pairs: refused if asked for, left out if not."""
    ratings, gold = noisy_ratings(WORLD.gold, seed=3), WORLD.sample
    options = {"ratings": rated, "gold": tg.Gold(gold, design="elsewhere", relevant_from=2)}
    with pytest.raises(tg.TruegainError, match="error rates are those of all assessors together"):
        ask(WORLD.runs, ratings, "P(rel=2)@5", population=["topics", "assessors"], **options)
    study = ask(WORLD.runs, ratings, "P(rel=2)@5", population="topics", **options)
    first, second = WORLD.runs.systems
    assert [line.source for line in study.verdict(first, second).by_source] == ["topics", "gold", "all sources"]


def test_a_rule_without_weights_is_refused_before_it_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the order: that GLAD cannot leave assessors out is told before crowd-kit has worked for nothing."""
    fitted: list[object] = []
    monkeypatch.setattr(Glad, "fit", lambda *_: fitted.append(1))
    ratings, glad = noisy_ratings(WORLD.gold, seed=3), tg.Ratings("glad")
    for over in ("assessors", "topics,assessors"):
        with pytest.raises(tg.TruegainError, match="the rule glad takes no weights, so assessors cannot be left out"):
            tg.Study(WORLD.runs, ratings, "P(rel=2)@5", ratings=glad, population=over)
    assert not fitted


def test_an_ordered_list_has_one_label_a_document(rated: tg.Ratings) -> None:
    """Guards ordered lists beside several assessors: what others would have said cannot be told from it."""
    ratings = noisy_ratings(WORLD.gold, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        majority = tg.aggregate(ratings, "majority")
        drawn = tg.sample_gold(WORLD.runs, majority, "P@5").filled(WORLD.gold, rows=20)
    with pytest.raises(tg.TruegainError, match="leave 'assessors' out"):
        ask(WORLD.runs, ratings, "P@5", ratings=rated, gold=tg.Gold(drawn), population=["topics", "assessors"])


def test_a_study_of_runs_needs_judgments_and_measures() -> None:
    """Guards what is named as missing."""
    for parts, lack in ((((WORLD.runs,)), "judgments"), ((WORLD.runs, WORLD.gold), "measures")):
        with pytest.raises(tg.TruegainError, match=f"{lack}: a study of runs needs them"):
            tg.Study(*parts)


def test_options_of_a_study_alone_are_refused_by_correct() -> None:
    """Guards the argument that is named: the rule over gold labels first, then looks."""
    runs, bronze, gold = world(1)
    for options, name in (({"aggregate": "mean"}, "aggregate"), ({"sequential": True}, "sequential")):
        with pytest.raises(tg.TruegainError, match=f"^Gold.{name}: this option belongs to a study"):
            tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="random", **options))
    with pytest.raises(tg.TruegainError, match="gold: the labels are missing"):
        tg.correct(runs, bronze, "P@10", gold=tg.Gold(None, design="random"))


def test_all_gold_labels_may_affect_a_difference() -> None:
    """Guards the count in the sentence: of some labels it is told how many affect the difference, of all it is not."""
    runs, bronze, gold = world(2, docs=10)
    for docs, told in ((10, False), (20, True)):
        some = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 10 < 4} for t, row in gold.items()}
        if docs == 20:
            for t, row in bronze.items():
                some[t][f"none-{t}"], row[f"none-{t}"] = 1, 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tg.Study(runs, bronze, "P@10", gold=tg.Gold(some, design="random")).verdict("a", "b")
        text = found.text()
        assert bool(re.search(r"that affect this difference \(of 3[56]0\)", text)) == told, text


def test_a_slice_of_comparisons_is_their_rows() -> None:
    """Guards results of several measures as one sequence: by place, from the end, and sliced with a step."""
    runs, _, gold = world(3, topics=12)
    many = tg.compare(runs, gold, ["P@5", "P@10", "AP"])
    rows = list(many)
    assert len(many) == len(rows) == 3
    assert [r.measure for r in many[::2]] == ["P@5", "AP"]
    assert (many[-1].measure, many[1].measure) == ("AP", "P@10")
    assert [r.measure for r in many[1:]] == ["P@10", "AP"]
    assert np.isfinite([r.difference for r in many]).all()
